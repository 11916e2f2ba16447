"""Minimal pairs and judged sentences, with the development part separate from the held-out part.

    python -m tests.bench.held_out DATA [--held-out] [-g GRAMMAR] [--pairs 200] [--show GROUP]

DATA is the folder with `blimp`, `cola` and `li`, and for a grammar of French `qfrblimp`, `clams_fr` and `qfrcola`.
Whole groups are held out, the fifth whose names have the smallest digests: paradigms of BLiMP, sources of CoLA, papers
of LI, types of QFrBLiMP, files of CLAMS, source pages of QFrCoLA. Their sentences must not be seen before a grammar is
finished: without `--held-out` they are not parsed, and with it only figures are printed. `--show` prints the pairs of a
group that the costs do not distinguish, or the sentences of QFrCoLA and CoLA of a kind whose costs are wrong.
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

from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser
from numbat.statistics import correlations

SHARE: Final = 5
"""One of this number of groups is held out."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence of a group with its judgement: 1 or 0, or the mean rating."""

    group: str
    sentence: str
    rating: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences of a group; people prefer the first."""

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


def types(data: Path) -> Iterator[Pair]:
    """Yield the pairs of QFrBLiMP, by type."""
    for name in ("train", "dev"):
        for line in (data / "qfrblimp" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            good, bad = pair["sentence_a"], pair["sentence_b"]
            yield Pair(f"{pair['type']}", *((good, bad) if pair["label"] == 0 else (bad, good)))


def agreements(data: Path) -> Iterator[Pair]:
    """Yield the pairs of the French CLAMS, by file; a good sentence stands before each bad one."""
    for path in sorted((data / "clams_fr").glob("*.txt")):
        lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        for (_, good), (_, bad) in zip(lines[::2], lines[1::2], strict=True):
            yield Pair(path.stem, good, bad)


def pages(data: Path, name: str) -> Iterator[Judged]:
    """Yield the sentences of a file of QFrCoLA, by page and kind of what it is about."""
    with (data / "qfrcola" / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield Judged(row["source"], row["sentence"], float(row["label"]))


class Costs:
    """Costs of sentences by a grammar; each sentence is parsed once."""

    def __init__(self, grammar: str) -> None:
        self._parser = Parser(load_grammar(grammar))
        self.language = self._parser.grammar.language
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


def of_part(given: Iterator[Pair], is_held_out: bool, pairs: int) -> list[Pair]:
    """Return up to `pairs` pairs of each group of the held-out or the other part."""
    every = list(given)
    out = held_out([each.group for each in every])
    wanted: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in every:
        if (pair.group in out) is is_held_out:
            wanted[pair.group].append(pair)
    return [pair for each in wanted.values() for pair in each[:pairs]]


def of_sources(data: Path, corpus: str, is_held_out: bool) -> dict[str, list[Judged]]:
    """Return the judged sentences of one of the two parts, by file."""
    if corpus == "cola":
        found = {name: list(sources(data, name)) for name in ("in_domain_dev", "in_domain_train")}
    else:
        found = {name: list(pages(data, name)) for name in ("dev", "train")}
    out = held_out([each.group for items in found.values() for each in items])
    return {name: [each for each in items if (each.group in out) is is_held_out] for name, items in found.items()}


def by_group(name: str, given: list[Pair], costs: Costs) -> Iterator[str]:
    """Yield the mean accuracy over groups of pairs, and those of the groups, the lowest first."""
    found = accuracies(given, costs)
    yield f"{name}, {len(found)} groups: {sum(found.values()) / len(found):.3f}"
    for group, value in sorted(found.items(), key=lambda each: each[1]):
        yield f"    {group} {value:.3f}"


def french_figures(data: Path, costs: Costs, is_held_out: bool, pairs: int) -> Iterator[str]:
    """Yield the lines of the table of one of the two parts, of French."""
    yield from by_group("QFrBLiMP", of_part(types(data), is_held_out, pairs), costs)
    yield from by_group("CLAMS", of_part(agreements(data), is_held_out, pairs), costs)
    for name, items in of_sources(data, "qfrcola", is_held_out).items():
        yield f"QFrCoLA {name}, {_classes(items[:: 1 if name == 'dev' else 5], costs)}"


def figures(data: Path, costs: Costs, is_held_out: bool, pairs: int) -> Iterator[str]:
    """Yield the lines of the table of one of the two parts, of English."""
    yield from by_group("BLiMP", of_part(paradigms(data), is_held_out, pairs), costs)
    for name, items in of_sources(data, "cola", is_held_out).items():
        yield f"CoLA {name}, {_classes(items, costs)}"
    rated = list(papers(data))
    out = held_out([each.group for each in rated])
    rated = [each for each in rated if (each.group in out) is is_held_out]
    bounded, ratings = [1 / (1 + costs[each.sentence]) for each in rated], [each.rating for each in rated]
    yield f"LI, {len(rated)} sentences: r of 1/(1 + cost) {correlations.pearson(bounded, ratings) or 0.0:.3f}"
    both = [each for each in pairs_of_papers(data) if (each.group in out) is is_held_out]
    shares = accuracies([Pair("all", each.good, each.bad) for each in both], costs)
    yield f"LI, {len(both)} pairs: {shares['all']:.3f}"


def wrong(data: Path, costs: Costs, name: str) -> Iterator[str]:
    """Yield the errors of costs in a group, or in a set of judged sentences, of the development part."""
    if name in ("cola", "qfrcola"):
        for each in next(iter(of_sources(data, name, is_held_out=False).values())):
            if (costs[each.sentence] == 0) != bool(each.rating):
                yield f"{each.rating:.0f} {costs[each.sentence]:.1f} {each.sentence}"
        return
    known = [*types(data), *agreements(data)] if costs.language == "fr" else [*paradigms(data)]
    development = of_part(iter(known), is_held_out=False, pairs=200)
    for pair in development:
        if pair.group == name and pair.good != pair.bad and costs[pair.good] >= costs[pair.bad]:
            yield f"{costs[pair.good]:.1f} {pair.good}\n{costs[pair.bad]:.1f} {pair.bad}\n"


def _classes(items: list[Judged], costs: Costs) -> str:
    """Return the accuracy with which costs distinguish good sentences from bad ones."""
    scores, ratings = [-costs[each.sentence] for each in items], [each.rating for each in items]
    good = [score for score, rating in zip(scores, ratings, strict=True) if rating]
    bad = [score for score, rating in zip(scores, ratings, strict=True) if not rating]
    return (
        f"{len(items)} sentences: AUC {correlations.auc(scores, ratings) or 0.0:.3f}; "
        f"{sum(each == 0 for each in bad)} of {len(bad)} bad ones cost nothing, "
        f"{sum(each < 0 for each in good)} of {len(good)} good ones cost something"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Minimal pairs and judged sentences, held-out ones apart.")
    parser.add_argument("data", type=Path)
    parser.add_argument("-g", "--grammar", default="english")
    parser.add_argument("--held-out", action="store_true", help="figures of what is held out")
    parser.add_argument("--pairs", type=int, default=200, help="so many pairs of each paradigm")
    parser.add_argument("--show", help="a group of pairs, cola or qfrcola: what costs get wrong, of development")
    options = parser.parse_args()
    costs = Costs(options.grammar)
    if options.show:
        lines = wrong(options.data, costs, options.show)
    else:
        print("held out" if options.held_out else "development")
        of_language = french_figures if costs.language == "fr" else figures
        lines = of_language(options.data, costs, options.held_out, options.pairs)
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
