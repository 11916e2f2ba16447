"""Relations of dependencies and heads of punctuation marks, learned from a treebank.

A parse by an induced grammar has the heads of its words. A tagger then labels each word with its relation: it sees the
word, its category, features and side of the head, the dependents of both, and the adposition that marks it. It learns
from trees made projective, in which labels record which words were lifted, so that they can be put back. Marks are
attached by the guidelines of Universal Dependencies: to the dependent or the head of the shortest link over them,
whichever the treebank prefers for such a link, and a closing mark to the head of the opening one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from numbat.errors import DataError
from numbat.records import frozen
from numbat.treebanks.conllu import MARK, DependencyTree, DependencyWord
from numbat.treebanks.morphology import (
    NO_MORPHOLOGY,
    Columns,
    Labelling,
    Morphology,
    learned_morphology,
    morphology_of_json,
)
from numbat.treebanks.projective import LIFTED, restored

CLOSED_BY: Final = {"(": ")", "[": "]", "{": "}", "«": "»", "“": "”", "„": "“", "‘": "’", '"': '"', "'": "'"}
MARKERS: Final = frozenset({"ADP", "SCONJ"})
"""Tags of words before a dependent that mark its relation."""
TELLING: Final = frozenset({"Case", "VerbForm", "PronType", "NumType", "Number[psor]"})
"""Features that hint at the relation of a word."""
MIN_LINKS: Final = 3
"""Minimum number of marks over the same kind of link to learn from."""


def link_rows(words: Sequence[DependencyWord]) -> tuple[Columns, ...]:
    """Return the rows for the tagger of relations: each word's form, and five columns about its link."""
    below: list[list[int]] = [[] for _ in range(len(words) + 1)]
    for number, word in enumerate(words, start=1):
        below[word.head or 0].append(number)
    upos = ["ROOT", *(word.upos for word in words)]
    rows = []
    for number, word in enumerate(words, start=1):
        head = word.head or 0
        side = "<" if head > number else ">"
        link = f"{word.upos}{side}{upos[head]}"
        marker = next((words[k - 1].form.lower() for k in below[number] if k < number and upos[k] in MARKERS), "")
        dependents = " ".join(dict.fromkeys(upos[k] for k in below[number] if upos[k] != MARK))
        beside = " ".join("^" if k == number else upos[k] for k in below[head] if head and upos[k] != MARK)
        feats = ",".join(value for name, value in word.feats if name in TELLING)
        above = words[head - 1].form.lower() if head else ""
        columns = (
            link,
            f"{link} {marker} {feats}",
            f"{link} {dependents}",
            f"{upos[head]} {beside}",
            f"{link} {feats} {above}",
        )
        rows.append((word.form, *columns))
    return tuple(rows)


@frozen
class TreebankLinks:
    """Model that completes the words of a sentence whose heads are known.

    `label` is the tagger of relations, if any. `marks` attach a mark to the `dependent` or the `head` of the link over
    it, by the relation of that link, its side, and the mark.
    """

    marks: Mapping[str, str]
    morphology: Morphology = NO_MORPHOLOGY
    label: Labelling | None = None

    def completed(self, words: Sequence[DependencyWord]) -> list[DependencyWord]:
        """Return the words of a sentence with lemmas, FEATS, relations, and the heads of marks."""
        completed = self.morphology.completed(words)
        if self.label is not None and completed:
            (labels,) = self.label([link_rows(completed)])
            completed = [
                replace(word, deprel="root" if word.head == 0 else _not_root(label))
                for word, label in zip(completed, labels, strict=True)
            ]
            completed = restored(completed)
        return self._with_marks(completed)

    def _with_marks(self, words: list[DependencyWord]) -> list[DependencyWord]:
        places = mark_places(words)
        for place in places:
            hangs = self.marks.get(place.key) or self.marks.get(place.relation) or place.usual
            head = place.dependent if hangs == "dependent" else place.head
            if place.opened_at:  # a closing mark has the head of the opening one
                head = words[place.opened_at - 1].head or head
            words[place.number - 1] = replace(words[place.number - 1], head=head, deprel="punct")
        return words

    def as_json(self) -> dict[str, Any]:
        """Return a value for `json.dumps`; `links_of_json` reads it."""
        return {"schema": SCHEMA, "marks": dict(sorted(self.marks.items())), **self.morphology.as_json()}


SCHEMA: Final = "numbat.links/2"


def links_of_json(
    value: Any, path: str, label: Labelling | None = None, label_features: Labelling | None = None
) -> TreebankLinks:
    """Return the links for a value of `as_json`, read from `path`. Raises DataError for any other value."""
    try:
        if value["schema"] != SCHEMA:
            raise ValueError(value["schema"])
        marks = {str(key): str(where) for key, where in value["marks"].items()}
        morphology = morphology_of_json(value, label_features)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(f"{path}: not the links of a treebank\n  make the language again with numbat induce") from None
    return TreebankLinks(marks, morphology, label)


def _not_root(label: str) -> str:
    return "dep" if label.partition(LIFTED)[0] == "root" else label


@frozen
class MarkPlace:
    """A mark in a sentence, and its possible heads: the dependent and the head of the shortest link over it.

    If no link is over it, the last phrase before it that depends on the root gives both. `opened_at` is the
    number of the mark that it closes, 0 for none.
    """

    number: int
    mark: str
    relation: str
    dependent: int
    head: int
    opened_at: int

    @property
    def key(self) -> str:
        """Key of such a place in `TreebankLinks.marks`."""
        return f"{self.relation} {self.mark}"

    @property
    def usual(self) -> str:
        """Choice between `dependent` and `head` if the treebank has too few such marks."""
        return "head" if self.relation.endswith(".") else "dependent"


def mark_places(words: Sequence[DependencyWord]) -> Iterator[MarkPlace]:
    """Yield the marks of a sentence from left to right, except its root."""
    links = sorted(
        (abs(number - word.head), min(number, word.head), max(number, word.head), number)
        for number, word in enumerate(words, start=1)
        if word.head and word.upos != MARK
    )
    root = next((number for number, word in enumerate(words, start=1) if word.head == 0), 0)
    opened: list[tuple[str, int]] = []
    last = 0
    for number, word in enumerate(words, start=1):
        if word.upos != MARK or number == root:
            last = number
            continue
        before = last
        opened_at = 0
        if opened and word.form == opened[-1][0]:
            opened_at = opened.pop()[1]
        elif word.form in CLOSED_BY:
            opened.append((CLOSED_BY[word.form], number))
        over = next(((start, end, below) for _, start, end, below in links if start < number < end), None)
        if over is None:
            below = head = root
            while before and before != root:
                below, before = before, words[before - 1].head or 0
            side = "."
        else:
            start, end, below = over
            head = start + end - below
            side = "<" if head > below else ">"
        relation = words[below - 1].deprel.partition(":")[0] + side
        yield MarkPlace(number, word.form, relation, below, head, opened_at)


def learned_links(trees: Sequence[DependencyTree]) -> TreebankLinks:
    """Learn the links from trees with heads, except the tagger of relations."""
    marks: dict[str, Counter[str]] = {}
    for tree in trees:
        for place in mark_places(tree.words):
            hangs = {place.dependent: "dependent", place.head: "head"}.get(tree.words[place.number - 1].head or 0)
            if hangs is not None and not place.opened_at and place.dependent != place.head:
                for key in (place.key, place.relation):
                    marks.setdefault(key, Counter())[hangs] += 1
    return TreebankLinks(
        {key: _most(count) for key, count in marks.items() if count.total() >= MIN_LINKS}, learned_morphology(trees)
    )


def _most(count: Counter[str]) -> str:
    """Return the most frequent key, the first in order of ties."""
    return min(count, key=lambda key: (-count[key], key))
