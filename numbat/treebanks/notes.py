"""What was noticed in many sentences of a treebank, told as one line with a count and the first places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from numbat.errors import IN_FULL, DataError, first_of

SHOWN: Final = 3
"""Places that are named."""


class Note(NamedTuple):
    """Something that may be noticed in a sentence: what is said of one and of several, and what to know about it."""

    one: str
    several: str
    hint: str = ""


TWO_ROOTS: Final = Note(
    "sentence has several roots",
    "sentences have several roots",
    "HEAD is 0 once in a sentence of UD; each root is a tree of its own here",
)
LIFTED: Final = Note(
    "sentence has crossing dependencies",
    "sentences have crossing dependencies",
    "for their trees words were lifted to the heads of their heads until nothing crossed (Nivre and Nilsson 2005)",
)
NO_HEADS: Final = Note(
    "sentence has no heads, so no tree",
    "sentences have no heads, so no trees",
    "trees need heads, or brackets in MISC, Tree=(S(NP*",
)
CROSSING: Final = Note(
    "tree has crossing branches and was left out",
    "trees have crossing branches and were left out",
    "induce, judge, score, and trees with -f discbracket, export or jsonl take such trees",
)
SEVERAL_WORDS: Final = Note(
    "leaf has several words, which are one form with blanks",
    "leaves have several words, which are one form with blanks",
    "",
)
LEMMAS: Final = Note(
    "file has two words in every leaf: the second is taken for the lemma",
    "files have two words in every leaf: the second is taken for the lemma",
)
OTHER_COLUMN: Final = Note(
    "sentence has its tags in XPOS alone",
    "sentences have their tags in XPOS alone",
    "UPOS is _ there, so that XPOS was taken; --tags xpos takes it everywhere",
)
BY_XPOS: Final = Note(
    "sentence is read by its tags in XPOS",
    "sentences are read by their tags in XPOS",
    "more of them are mapped, or are categories of the grammar, than of those in UPOS",
)
EMPTY_NODES: Final = Note(
    "sentence has empty nodes, which are no words of it",
    "sentences have empty nodes, which are no words of them",
)
SECONDARY: Final = Note(
    "sentence has secondary edges, which are not kept",
    "sentences have secondary edges, which are not kept",
)


@dataclass
class Notes:
    """Counts what is noticed, and keeps the first places of it; `IN_FULL` all of them."""

    counts: dict[Note, int] = field(default_factory=dict)
    places: dict[Note, list[str]] = field(default_factory=dict)
    ignored: set[Note] = field(default_factory=set)
    """What does not matter to the verb."""

    def add(self, note: Note, place: str) -> None:
        """Count a note about a place."""
        self.counts[note] = self.counts.get(note, 0) + 1
        if self.counts[note] <= SHOWN + 1 or IN_FULL.get():
            self.places.setdefault(note, []).append(place)

    def lines(self) -> Iterator[str]:
        """Return a line for each note, with its hint."""
        for note, number in self.counts.items():
            if note in self.ignored:
                continue
            said = f"numbat: {number:,} {note.one if number == 1 else note.several}: "
            hint = f"\n  {note.hint}" if note.hint else ""
            yield f"{said}{first_of(self.places[note], SHOWN)}{hint}"


class UnfitTreeError(DataError):
    """A sentence of which a verb can make nothing, for a reason that many may share."""

    def __init__(self, note: Note, place: str) -> None:
        super().__init__(f"{place}: this {note.one}" + (f"\n  {note.hint}" if note.hint else ""))
        self.note, self.place = note, place

    def __reduce__(self) -> tuple[type[UnfitTreeError], tuple[Note, str]]:
        return UnfitTreeError, (self.note, self.place)
