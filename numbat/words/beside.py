"""Marks of a text that a grammar declares, as features of the words beside them (ruling 49)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

from numbat.grammar.marks import AFTER, BEFORE, Marks, mark_of, with_marks, without_marks
from numbat.grammar.properties import Bundle, value_of
from numbat.records import frozen
from numbat.words.lattice import Arc, Lattice
from numbat.words.tokens import spelled

T = TypeVar("T")


@frozen
class DeclaredMarks:
    """The marks that a grammar declares; `names` maps their normalized signs to their names, in order."""

    names: dict[str, str]

    def __bool__(self) -> bool:
        return bool(self.names)

    def __contains__(self, sign: str) -> bool:
        return mark_of(spelled(sign), self.names) is not None

    def without(self, bundle: Bundle) -> Bundle:
        """Return features without those of marks."""
        return without_marks(bundle) if self.names else bundle

    def beside(self, lattice: Lattice) -> Lattice:
        """Return a lattice whose arcs have the features of the skipped marks beside them."""
        return self.placed(lattice, self.between(lattice)) if self.names else lattice

    def left_out(self, lattice: Lattice) -> Lattice:
        """Return a lattice whose arcs have no features of marks."""
        return self.placed(lattice, [None] * (len(lattice.tokens) + 1)) if self.names else lattice

    def placed(self, lattice: Lattice, marks: Sequence[str | None]) -> Lattice:
        """Return a lattice whose arcs have the features of the marks at each position, and no others of marks."""
        known: dict[tuple[Bundle, str | None, str | None], Bundle] = {}

        def marked(arc: Arc) -> Arc:
            key = arc.features, marks[arc.start], marks[arc.end]
            bundle = known.get(key)
            if bundle is None:
                bundle = known[key] = with_marks(*key)
            return arc._replace(features=bundle)

        return replace(lattice, arcs=tuple(map(marked, lattice.arcs)))

    def between(self, lattice: Lattice) -> list[str | None]:
        """Return the mark at each position between tokens; of several marks the one that is declared first."""
        between: list[str | None] = [None] * (len(lattice.tokens) + 1)
        rank = {name: i for i, name in enumerate(dict.fromkeys(self.names.values()))}
        for place, sign in zip(lattice.gaps, lattice.skipped, strict=False):
            name, other = mark_of(spelled(sign), self.names), between[place]
            if name is not None and (other is None or rank[name] < rank[other]):
                between[place] = name
        return between


def marks_of(marks: Marks) -> DeclaredMarks:
    """Return the marks of a grammar, prepared for lookup."""
    return DeclaredMarks({spelled(sign): name for name, signs in marks for sign in signs})


def skipping(lattice: Lattice, gone: Set[int]) -> Lattice:
    """Return a lattice whose tokens at some positions, which are marks, are skipped, as those of a text are."""
    if not gone:
        return lattice
    tokens = range(len(lattice.tokens))
    at = [0, *accumulate(position not in gone for position in tokens)]
    kept = [position for position in tokens if position not in gone]
    arcs = [
        arc._replace(start=at[arc.start], end=at[arc.end])
        for arc in lattice.arcs
        if gone.isdisjoint(range(arc.start, arc.end))
    ]
    order = sorted([(gap, False, i) for i, gap in enumerate(lattice.gaps)] + [(mark, True, mark) for mark in gone])
    has_places = len(lattice.places) == len(lattice.tokens) and len(lattice.skipped_places) == len(lattice.skipped)

    def in_order(skipped: Sequence[T], tokens: Sequence[T]) -> tuple[T, ...]:
        return tuple([(tokens if is_token else skipped)[i] for _, is_token, i in order])

    return replace(
        lattice,
        tokens=tuple([lattice.tokens[position] for position in kept]),
        arcs=tuple(arcs),
        skipped=in_order(lattice.skipped, lattice.tokens),
        gaps=tuple([at[gap] for gap, _, _ in order]),
        places=tuple([lattice.places[position] for position in kept]) if has_places else (),
        skipped_places=in_order(lattice.skipped_places, lattice.places) if has_places else (),
    )


def disagreement(lattice: Lattice) -> int | None:
    """Return a position at which arcs disagree about the mark that stands there, None if there is none."""
    known: dict[int, str | None] = {}
    for arc in lattice.arcs:
        for place, feature in ((arc.start, BEFORE), (arc.end, AFTER)):
            mark = value_of(arc.features, feature)
            if known.setdefault(place, mark) != mark:
                return place
    return None
