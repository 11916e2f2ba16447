"""Minimal pairs and judged sentences of English, those that may be looked at apart from those that are held out.

    python -m tests.bench.held_out DATA [--held-out] [-g GRAMMAR] [--pairs 200]

DATA is the folder with `blimp`, `cola` and `li`. Held out are whole groups, the fifth of them whose names have the
smallest digests: paradigms of BLiMP, sources of CoLA, papers of LI. Nobody opens a sentence of these before a grammar
is done: without `--held-out` no line of such a group is parsed, and with it only figures are printed.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from numbat.gradience import statistics
from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser

SHARE: Final = 5
"""One group of so many is held out."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence of a group, with what people say of it: 1 or 0, or the mean of their ratings."""

    group: str
    sentence: str
    rating: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences of a group of which people prefer the first."""

    group: str
    good: str
    bad: str


def held_out(groups: Collection[str]) -> frozenset[str]:
    """Return the fifth of the groups whose names have the smallest digests."""
    ordered = sorted(set(groups), key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return frozenset(ordered[: round(len(ordered) / SHARE)])


def paradigms(data: Path) -> Iterator[Pair]:
    """Yield the pairs of BLiMP, by paradigm."""
    for path in sorted((data / "blimp").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            yield Pair(path.stem, pair["sentence_good"], pair["sentence_bad"])


def sources(data: Path, name: str) -> Iterator[Judged]:
    """Yield the sentences of a file of CoLA, by source."""
    for line in (data / "cola" / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        source, judgement, _, sentence = line.split("\t")
        yield Judged(source, sentence, float(judgement))


def papers(data: Path) -> Iterator[Judged]:
    """Yield the rated sentences of LI, by paper: `32.1.martin.1a.g.01` is of `32.1.martin`."""
    for row in _rows(data / "li" / "sentences_me.csv"):
        yield Judged(_paper(row["id"]), row["sentence"], float(row["judgement"]))


def pairs_of_papers(data: Path) -> Iterator[Pair]:
    """Yield the pairs of LI, by paper."""
    for row in _rows(data / "li" / "pairs_ls_me_fc.csv"):
        yield Pair(_paper(row["Bad ID"]), row["Good Sentence"], row["Bad Sentence"])


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)


def _paper(identifier: str) -> str:
    return ".".join(identifier.split(".")[:3])


class Costs:
    """What sentences cost by a grammar; each is parsed once."""

    def __init__(self, grammar: str) -> None:
        self._parser = Parser(load_grammar(grammar))
        self._known: dict[str, float] = {}

    def __getitem__(self, sentence: str) -> float:
        if sentence not in self._known:
            self._known[sentence] = self._parser.parse(sentence).cost
        return self._known[sentence]


def accuracies(pairs: list[Pair], costs: Costs) -> dict[str, float]:
    """Return the share of right pairs of each group, ties counted half."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        if pair.good != pair.bad:
            good, bad = costs[pair.good], costs[pair.bad]
            found[pair.group].append(1.0 if good < bad else 0.5 if good == bad else 0.0)
    return {group: sum(each) / len(each) for group, each in sorted(found.items())}


def figures(data: Path, costs: Costs, is_held_out: bool, pairs: int) -> Iterator[str]:
    """Yield the lines of the table of one of the two parts."""
    blimp = list(paradigms(data))
    out = held_out([each.group for each in blimp])
    wanted: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in blimp:
        if (pair.group in out) is is_held_out:
            wanted[pair.group].append(pair)
    found = accuracies([pair for each in wanted.values() for pair in each[:pairs]], costs)
    yield f"BLiMP, {len(found)} paradigms: {sum(found.values()) / len(found):.3f}"
    for group, value in sorted(found.items(), key=lambda each: each[1]):
        yield f"    {group} {value:.3f}"
    cola = {name: list(sources(data, name)) for name in ("in_domain_dev", "in_domain_train")}
    out = held_out([each.group for items in cola.values() for each in items])
    for name, items in cola.items():
        yield f"CoLA {name}, {_classes([each for each in items if (each.group in out) is is_held_out], costs)}"
    rated = list(papers(data))
    out = held_out([each.group for each in rated])
    rated = [each for each in rated if (each.group in out) is is_held_out]
    bounded, ratings = [1 / (1 + costs[each.sentence]) for each in rated], [each.rating for each in rated]
    yield f"LI, {len(rated)} sentences: r of 1/(1 + cost) {statistics.pearson(bounded, ratings) or 0.0:.3f}"
    both = [each for each in pairs_of_papers(data) if (each.group in out) is is_held_out]
    shares = accuracies([Pair("all", each.good, each.bad) for each in both], costs)
    yield f"LI, {len(both)} pairs: {shares['all']:.3f}"


def _classes(items: list[Judged], costs: Costs) -> str:
    """Return how well costs tell good sentences from bad ones."""
    scores, ratings = [-costs[each.sentence] for each in items], [each.rating for each in items]
    good = [score for score, rating in zip(scores, ratings, strict=True) if rating]
    bad = [score for score, rating in zip(scores, ratings, strict=True) if not rating]
    return (
        f"{len(items)} sentences: AUC {statistics.auc(scores, ratings) or 0.0:.3f}; "
        f"{sum(each == 0 for each in bad)} of {len(bad)} bad ones cost nothing, "
        f"{sum(each < 0 for each in good)} of {len(good)} good ones cost something"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Minimal pairs and judged sentences, held-out ones apart.")
    parser.add_argument("data", type=Path)
    parser.add_argument("-g", "--grammar", default="english")
    parser.add_argument("--held-out", action="store_true", help="figures of what is held out")
    parser.add_argument("--pairs", type=int, default=200, help="so many pairs of each paradigm")
    options = parser.parse_args()
    print("held out" if options.held_out else "development")
    for line in figures(options.data, Costs(options.grammar), options.held_out, options.pairs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
