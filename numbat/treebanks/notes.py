"""Notes on many sentences of a treebank, reported in one line with a count and the first places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from numbat.errors import IN_FULL, DataError, first_of

SHOWN: Final = 3
"""Maximum number of places named in a line."""


class Note(NamedTuple):
    """Note on a sentence: its text for one sentence and for several, and a hint."""

    one: str
    several: str
    hint: str = ""


TWO_ROOTS: Final = Note(
    "sentence has several roots",
    "sentences have several roots",
    "a sentence of UD has HEAD 0 once; each root starts a separate tree here",
)
LIFTED: Final = Note(
    "sentence has crossing dependencies",
    "sentences have crossing dependencies",
    "to make trees, words were lifted to the heads of their heads until nothing crossed (Nivre and Nilsson 2005)",
)
TEXT_DIFFERS: Final = Note(
    "sentence has other words in its rows than in # text",
    "sentences have other words in their rows than in # text",
    "the rows are used",
)
NO_HEADS: Final = Note(
    "sentence has no heads, so no tree",
    "sentences have no heads, so no trees",
    "trees need heads, or brackets in MISC, Tree=(S(NP*",
)
CROSSING: Final = Note(
    "tree has crossing branches and was left out",
    "trees have crossing branches and were left out",
    "such trees work with induce, judge, score, and trees -f discbracket, export or jsonl",
)
SEVERAL_WORDS: Final = Note(
    "leaf has several words, which make one form with blanks",
    "leaves have several words, which make one form with blanks",
    "if the words of the file have no tags, as in Penn's .prd: --from prd",
)
COLUMN_ONE: Final = Note(
    "tree goes on with a bracket in column 1",
    "trees go on with a bracket in column 1",
)
CHUNKS: Final = Note(
    "file has noun phrases in [ ], which are not kept",
    "files have noun phrases in [ ], which are not kept",
)
LEMMAS: Final = Note(
    "file has two words in every leaf: the second is read as the lemma",
    "files have two words in every leaf: the second is read as the lemma",
)
OTHER_COLUMN: Final = Note(
    "sentence has tags only in XPOS",
    "sentences have tags only in XPOS",
    "their UPOS is _, so XPOS was used; --tags xpos uses it everywhere",
)
BY_XPOS: Final = Note(
    "sentence is read by its tags in XPOS",
    "sentences are read by their tags in XPOS",
    "the map or the grammar has more of these tags than of those in UPOS",
)
EMPTY_NODES: Final = Note(
    "sentence has empty nodes, which do not count as words",
    "sentences have empty nodes, which do not count as words",
    "a parse has none: -f conllu leaves them out, and the column DEPS too",
)
SUBREADINGS: Final = Note(
    "sentence has sub-readings, which are not read",
    "sentences have sub-readings, which are not read",
    "a reading indented below another one is a part of its word, whose form CG-3 does not give",
)
SECONDARY: Final = Note(
    "sentence has secondary edges, which are not kept",
    "sentences have secondary edges, which are not kept",
)


@dataclass
class Notes:
    """Counts of notes, each with its first places, or with all places if `IN_FULL` is set."""

    counts: dict[Note, int] = field(default_factory=dict)
    places: dict[Note, list[str]] = field(default_factory=dict)
    ignored: set[Note] = field(default_factory=set)
    """Notes that do not matter to the command."""

    def add(self, note: Note, place: str) -> None:
        """Count a note that applies to a place."""
        self.counts[note] = self.counts.get(note, 0) + 1
        if self.counts[note] <= SHOWN + 1 or IN_FULL.get():
            self.places.setdefault(note, []).append(place)

    def lines(self) -> Iterator[str]:
        """Yield a line for each note, with its hint."""
        for note, number in self.counts.items():
            if note in self.ignored:
                continue
            said = f"numbat: {number:,} {note.one if number == 1 else note.several}: "
            hint = f"\n  {note.hint}" if note.hint else ""
            yield f"{said}{first_of(self.places[note], SHOWN)}{hint}"


class UnfitTreeError(DataError):
    """A sentence that a command cannot use, for a reason that many sentences may share."""

    def __init__(self, note: Note, place: str) -> None:
        super().__init__(f"{place}: this {note.one}" + (f"\n  {note.hint}" if note.hint else ""))
        self.note, self.place = note, place

    def __reduce__(self) -> tuple[type[UnfitTreeError], tuple[Note, str]]:
        return UnfitTreeError, (self.note, self.place)
