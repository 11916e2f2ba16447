"""Judged examples of grammar books and test suites, chapter by chapter.

    python -m tests.bench.books DATA [-g GRAMMAR] [--every 1] [--show GROUP]

DATA is the folder with `cgel`, `csli` and `tsnlp` (TSV files with a judgement of 1 or 0). A row of the table is a
group: a suite, a chapter of the Cambridge Grammar, a category of TSNLP, a register, or the strings that a suite judges
both ways. It shows the share of good and of starred sentences without a violation, and the AUC by cost. `--every`
takes every n-th good sentence, and all starred ones; `--show` prints the starred sentences of a group that are free,
and the good ones that are not.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from numbat import Parser, load_grammar
from numbat.statistics.correlations import auc

PAGES: Final = {
    70: "1 overview",
    212: "3 verb",
    322: "4 complements",
    524: "5 nouns",
    596: "6 adjectives and adverbs",
    662: "7 prepositions",
    784: "8 adjuncts",
    850: "9 negation",
    950: "10 clause types",
    1032: "11 content clauses",
    1096: "12 relatives",
    1170: "13 comparatives",
    1272: "14 non-finite",
    1362: "15 coordination",
    1448: "16 information structure",
    1565: "17 anaphora",
    1722: "18, 19 words",
    9999: "20 punctuation",
}
"""Last page of each chapter."""


class Example(NamedTuple):
    """An example, whether it is good, and the groups that it belongs to."""

    sentence: str
    is_good: bool
    groups: tuple[str, ...]


class Judged(NamedTuple):
    """An example with its cost; it is free if the grammar finds no violation."""

    example: Example
    cost: float
    is_free: bool


def examples(data: Path) -> Iterator[Example]:
    """Yield the examples of all suites."""
    for suite in ("cgel", "csli", "tsnlp"):
        with (data / suite / f"{suite}.tsv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        judgements: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            judgements[_letters(row["sentence"])].add(row["judgement"])
        for row in rows:
            groups = [suite, f"{suite}: {row['register']}"]
            if "page" in row:
                groups.append(f"{suite} {next(name for last, name in PAGES.items() if int(row['page']) <= last)}")
            if "category" in row:
                groups.append(f"{suite} {row['category']}")
            if len(judgements[_letters(row["sentence"])]) > 1:
                groups.append(f"{suite}: judged both ways")
            yield Example(row["sentence"], row["judgement"] == "1", tuple(groups))


def _letters(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.lower()))


def judged(given: list[Example], parser: Parser, every: int) -> Iterator[Judged]:
    """Yield the starred examples and every n-th good one, parsed."""
    good = [each for each in given if each.is_good]
    for example in (*good[::every], *(each for each in given if not each.is_good)):
        parse = parser.parse(example.sentence)
        yield Judged(example, parse.cost, parse.is_full and parse.is_well_formed)


def row(name: str, group: list[Judged]) -> str:
    """Return the figures of a group as a row of a table."""
    cells = [name]
    for part in (
        [each for each in group if each.example.is_good],
        [each for each in group if not each.example.is_good],
    ):
        share = f"{sum(each.is_free for each in part) / len(part):.3f}" if part else "-"
        cells.append(f"{len(part)} | {share}")
    area = auc([-each.cost for each in group], [float(each.example.is_good) for each in group])
    return f"| {' | '.join(cells)} | {'-' if area is None else f'{area:.3f}'} |"


def print_groups(groups: Mapping[str, list[Judged]], names: tuple[str, str], shown: str | None) -> None:
    """Print a table of groups, whose good and other examples have these names, or the wrong judgements of one group."""
    if shown:
        for each in groups.get(shown, ()):
            if each.is_free is not each.example.is_good:
                print(f"{each.cost:.2f}\t{'' if each.example.is_good else '*'}{each.example.sentence}")
        return
    print(f"| group | {names[0]} | free | {names[1]} | free | AUC |\n|---|---|---|---|---|---|")
    for name, group in sorted(groups.items()):
        print(row(name, group))


def main() -> None:
    """Print the table, or the sentences of one group."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("-g", "--grammar", default="english")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--show")
    given = options.parse_args()
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged(list(examples(given.data)), Parser(load_grammar(given.grammar)), given.every):
        for name in each.example.groups:
            groups[name].append(each)
    print_groups(groups, ("good", "starred"), given.show)


if __name__ == "__main__":
    main()
