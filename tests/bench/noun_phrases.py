"""Tags of noun phrases under induced properties: nine tenths of CoNLL-2000 to induce from, the last to decode.

A phrase is a lattice of the tags that its words have in the nine tenths, with the logarithms of their shares; unknown
words have the tags of words that occur once. Alternatively, words have all tags, smoothed with those of rare words.
Properties are induced, those that most phrases support first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property
from numbat.labels.constraints import Constraints
from numbat.treebanks.induce import Thresholds
from numbat.treebanks.tree_reader import TreeReader
from numbat.treebanks.verbs import InduceSettings, induce_grammar
from tests.bench.peers import integer_program as peer

RELATIONS: Final = ("uniqueness", "linearity", "adjacency", "requirement", "exclusion")
"""Relations that the integer program of the peer has too."""
MAX_TAGS: Final = 12
"""Maximal number of tags of an unknown word."""
Phrase = list[tuple[str, str]]
"""Words with their tags."""
Rows = list[dict[str, float]]
"""For each word its tags with their scores."""


@dataclass(frozen=True)
class Task:
    """A grammar with its properties, those with most support first, and the phrases to be decoded."""

    grammar: Grammar
    properties: tuple[Property, ...]
    phrases: tuple[Rows, ...]

    def constraints(self, number: int) -> Constraints:
        """Return the first `number` properties as constraints."""
        (form,) = self.grammar.constructions
        own = replace(form, properties=self.properties[:number], constituency=None)
        return Constraints(replace(self.grammar, constructions=(own,)), "NP")

    def program(self, rows: Rows, number: int, soft: bool) -> peer.Problem:
        """The same problem for the integer program."""
        arcs = [(at, at + 1, tag, score) for at, row in enumerate(rows) for tag, score in row.items()]
        return peer.Problem(len(rows), arcs, [in_program(prop, soft) for prop in self.properties[:number]])


def in_program(prop: Property, soft: bool) -> peer.Constraint:
    """A property as a constraint of the integer program."""
    cost = prop.cost if soft else None
    names = [frozenset(operand.category for joint in parameter for operand in joint) for parameter in prop.operands]
    first, last = min(names[0]), min(names[-1])
    match prop.relation:
        case "uniqueness":
            return peer.Unique(first, cost)
        case "linearity":
            return peer.Linear(first, last, cost)
        case "adjacency":
            return peer.Adjacent(first, last, cost)
        case "requirement":
            return peer.Requires(first, names[1], cost)
        case _:
            return peer.Exclusive(first, last, cost)


def task(data: Path, all_tags: bool = False) -> Task:
    """The task from the chunks of CoNLL-2000 under a folder of data."""
    sentences = (data / "chunk" / "conll2000" / "train.txt").read_text(encoding="utf-8").strip().split("\n\n")
    border = len(sentences) * 9 // 10
    known, unknown = (
        [each for text in part for each in phrases_of(text)] for part in (sentences[:border], sentences[border:])
    )
    induced = _induced(known)
    supported = sorted(
        (each for form in induced.constructions for each in form.properties if each.property.relation in RELATIONS),
        key=lambda each: -each.support.valid,
    )
    shares = _smoothed(known) if all_tags else _shares(known)
    rows = tuple([[dict(shares.get(word, shares[""])) for word, _ in phrase] for phrase in unknown])
    return Task(induced.grammar, tuple([each.property for each in supported]), rows)


def phrases_of(text: str) -> Iterator[Phrase]:
    """The noun phrases of a sentence in columns."""
    rows = [line.split() for line in text.splitlines()]
    starts = [at for at, row in enumerate(rows) if row[2] == "B-NP"] + [len(rows)]
    for start, limit in pairwise(starts):
        end = start + 1
        while end < limit and rows[end][2] == "I-NP":
            end += 1
        yield [(word, tag) for word, tag, _ in rows[start:end]]


def _induced(phrases: Sequence[Phrase]):  # type: ignore[no-untyped-def]
    def refuse(error: Exception) -> None:
        raise error

    with TemporaryDirectory() as folder:
        path = Path(folder) / "phrases.mrg"
        brackets = "()"
        lines = [
            "(NP " + " ".join(f"({tag} w)" for _, tag in phrase) + ")\n"
            for phrase in phrases
            if not any(tag in brackets for _, tag in phrase)
        ]
        path.write_text("".join(lines), encoding="utf-8")
        settings = InduceSettings(name="phrases", thresholds=Thresholds(support=30))
        return induce_grammar([str(path)], "ptb", settings, TreeReader(refuse))


def _shares(phrases: Sequence[Phrase]) -> Mapping[str, dict[str, float]]:
    """Return the tags of each word with the logarithms of their shares; under "" those of words that occur once."""
    counts: dict[str, Counter[str]] = {}
    for phrase in phrases:
        for word, tag in phrase:
            counts.setdefault(word, Counter())[tag] += 1
    rare: Counter[str] = Counter()
    for tags in counts.values():
        if tags.total() == 1:
            rare.update(tags)
    counts[""] = Counter(dict(rare.most_common(MAX_TAGS)))
    return {word: {tag: log(number / tags.total()) for tag, number in tags.items()} for word, tags in counts.items()}


def _smoothed(phrases: Sequence[Phrase]) -> Mapping[str, dict[str, float]]:
    """Return all tags for each word with the logarithms of their shares, smoothed with the tags of rare words."""
    counts: dict[str, Counter[str]] = {"": Counter()}
    for phrase in phrases:
        for word, tag in phrase:
            counts.setdefault(word, Counter())[tag] += 1
    every = Counter({tag: 0.1 for phrase in phrases for _, tag in phrase})
    for tags in counts.values():
        if tags.total() == 1:
            every.update(tags)
    total = sum(every.values())
    return {
        word: {tag: log((tags[tag] + share / total) / (tags.total() + 1)) for tag, share in every.items()}
        for word, tags in counts.items()
    }
