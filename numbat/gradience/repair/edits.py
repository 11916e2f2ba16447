"""What a small edit of a sentence is, and what edits need to know of its parse.

Edits come in choices, of which only the best is of interest (the other forms of one word, the words of one category).
The words of a choice, or of all choices at one place, can be tried at once, as readings of one token: where not even
the best of them is good enough, none is. `candidates` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from numbat.evaluation.constituents import Constituent
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.lattice import Arc, Lattice

KINDS: Final = ("undouble", "change", "swap", "move", "insert", "delete", "replace", "rearrange")
"""What changes least comes first. To undouble is to delete a word that stands beside itself; to rearrange is to move a
phrase past others so that, whichever of the two is said to move, more than `MOST_MOVED` words do."""
MOST_MOVED: Final = 2
NEW_WORDS: Final = ("change", "insert", "replace")
"""The kinds that bring a word that was not there."""


@frozen
class Slot:
    """A token with its readings; the log weight of each is relative to the likeliest, which has 0."""

    form: str
    arcs: tuple[Arc, ...]


Slots = tuple[Slot, ...]


@frozen
class Edit:
    """One change in words, and the sentence that it makes; of equal gain, that with the least `rank` comes first.

    The rank is the place among `KINDS`, how far from what is violated, how great the change is, and where.
    """

    kind: str
    says: str
    slots: Slots
    rank: tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """Edits of which the best is given, in the order of their ranks; several differ in the token at `place` only."""

    key: str
    edits: tuple[Edit, ...]
    place: int = 0

    @property
    def kind(self) -> str:
        return self.edits[0].kind

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """The readings of the token that the edits put there."""
        return tuple(dict.fromkeys(arc for edit in self.edits for arc in edit.slots[self.place].arcs))

    @cached_property
    def slots(self) -> Slots:
        """The sentence that has the tokens of all edits."""
        return self.edits[0].slots if len(self.edits) == 1 else with_arcs(self, self.arcs)


def with_arcs(choice: Choice, arcs: tuple[Arc, ...]) -> Slots:
    """The sentence of a choice with other readings of its token."""
    slots = choice.edits[0].slots
    return (*slots[: choice.place], Slot("", arcs), *slots[choice.place + 1 :])


def slots_of(lattice: Lattice) -> Slots:
    """The tokens of a lattice, with the readings of one token each."""
    return tuple(
        slot_of(token, [arc._replace(start=0, end=1) for arc in lattice.arcs if (arc.start, arc.end) == (i, i + 1)])
        for i, token in enumerate(lattice.tokens)
    )


def slot_of(form: str, arcs: Sequence[Arc]) -> Slot:
    """A token with these readings, their log weights relative to the likeliest."""
    best = max(arc.log_weight for arc in arcs)
    return Slot(form, tuple(arc._replace(log_weight=arc.log_weight - best) for arc in arcs))


@dataclass(frozen=True)
class EditableParse:
    """What edits need of a parse: its tokens, its blocks (words and phrases) and which of its phrases are violated.

    Several top-level constituents count as the parts of one violated phrase.
    """

    parse: Parse
    slots: Slots

    @cached_property
    def blocks(self) -> dict[tuple[int, int], Constituent | None]:
        """Words and phrases by their span, with the phrase that they are part of; None for the top."""
        found: dict[tuple[int, int], Constituent | None] = {}
        waiting: list[tuple[Constituent, Constituent | None]] = [(top, None) for top in self.parse.constituents[::-1]]
        while waiting:
            constituent, parent = waiting.pop()
            if constituent.cover.bit_count() == constituent.end - constituent.start:
                found.setdefault((constituent.start, constituent.end), parent)
            above = parent if len(constituent.daughters) == 1 else constituent
            waiting += ((daughter, above) for daughter in reversed(constituent.daughters))
        for i in range(len(self.slots)):
            found.setdefault((i, i + 1), None)
        return found

    @cached_property
    def violated(self) -> list[Constituent]:
        """The phrases that violate something."""
        return list({id(each.constituent): each.constituent for each in self.parse.violated}.values())

    @cached_property
    def named(self) -> list[str]:
        """The categories that violated properties name; those that they ask for come before those that ask."""
        found: dict[str, None] = {}
        for each in self.parse.violated:
            for parameter in (*each.property.operands[1:], *each.property.operands[:1]):
                found |= dict.fromkeys(operand.category for joint in parameter for operand in joint)
        return list(found)

    @cached_property
    def features(self) -> set[str]:
        """The features that violated properties speak of."""
        found: set[str] = set()
        for each in self.parse.violated:
            demanded = (name for operand in each.property.all_operands() for name, _ in operand.features)
            found.update(each.property.features or demanded)
        return found

    @cached_property
    def used(self) -> dict[int, Constituent]:
        """The word that the parse has at a token position, unless it is part of a longer one."""
        words = (word for top in self.parse.constituents for word in top.words())
        return {word.start: word for word in words if word.end == word.start + 1}

    def is_part(self, parent: Constituent | None) -> bool:
        """Whether a block whose next higher phrase is `parent` is a part of a violated phrase."""
        if parent is None:
            return len(self.parse.constituents) > 1
        return any(parent is each for each in self.violated)

    def is_inside(self, start: int, end: int) -> bool:
        """Whether a span is within a violated phrase."""
        return any(each.start <= start and end <= each.end for each in self.violated)

    def distance(self, start: int, end: int) -> int:
        """How far a span is from what is violated: 0 within a violated phrase, else 1."""
        return 0 if self.is_inside(start, end) else 1
