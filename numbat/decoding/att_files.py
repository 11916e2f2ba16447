"""Acyclic automata in the text form of AT&T and OpenFst, whose labellings are to be decoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

from numbat.decoding.label_lattice import NO_END, LabelLattice
from numbat.decoding.sequence_files import LabelSequence
from numbat.errors import DataError, shortened, whole_of
from numbat.grammar.properties import format_number


def read_att(lines: Iterable[str], name: str) -> Iterator[LabelSequence | DataError]:
    """Acyclic automata in the text form of AT&T and OpenFst; empty lines part several.

    A line is an arc, `from to label [weight]` or `from to word label [weight]`, or a state in which labellings end,
    `state [weight]`; weights are costs, so that a score is minus a weight. The first state that is named is the start.
    An automaton that cannot be read comes as DataError with its place.
    """
    own: list[tuple[int, list[str]]] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip():
            own.append((number, line.split()))
        elif own:
            try:
                yield LabelSequence(f"{name}:{own[0][0]}", _automaton(own, name))
            except DataError as error:
                yield error
            own = []


def _automaton(lines: Sequence[tuple[int, list[str]]], name: str) -> LabelLattice:
    ends: dict[int, float] = {}
    arcs: list[tuple[int, int, str, float]] = []
    start = 0
    for number, fields in lines:
        place = f"{name}:{number}"
        states = [_state(field, place) for field in fields[: 1 if len(fields) < 3 else 2]]
        if number == lines[0][0]:
            start = states[0]
        has_weight = len(fields) in (2, 5) or (len(fields) == 4 and _weight(fields[3]) is not None)
        weight = _weight(fields[-1]) if has_weight else 0.0
        if len(fields) > 5 or weight is None:
            raise DataError(
                f"{place}: this is no arc and no end\n"
                "  a line is: from to label [weight], or from to word label [weight], or state [weight]"
            )
        if len(states) == 1:
            ends[states[0]] = -weight
            continue
        label = fields[-2] if has_weight else fields[-1]
        if label in ("<eps>", "<epsilon>"):
            raise DataError(f"{place}: an arc without label\n  take such arcs away first, as fstrmepsilon does")
        if weight != float("inf"):
            arcs.append((states[0], states[1], label, -weight))
    try:
        return LabelLattice.of_graph({state: score for state, score in ends.items() if isfinite(score)}, arcs, start)
    except DataError as error:
        raise DataError(f"{name}:{lines[0][0]}: {error}") from None


def _state(field: str, place: str) -> int:
    if not field.isdecimal():
        raise DataError(f'{place}: "{shortened(field)}" is no state\n  states are numbers from 0 on')
    return whole_of(field)


def _weight(field: str) -> float | None:
    try:
        weight = float(field)
    except ValueError:
        return None
    return weight if weight == weight and weight != float("-inf") else None


def att_text(lattice: LabelLattice) -> str:
    """A lattice in the text form of AT&T and OpenFst, weights being minus scores; without its tokens."""
    lines = []
    for state, end in enumerate(lattice.ends):
        for arc in range(lattice.first[state], lattice.first[state + 1]):
            label, weight = lattice.labels[lattice.numbers[arc]], format_number(-lattice.scores[arc])
            lines.append(f"{state}\t{lattice.targets[arc]}\t{label}\t{weight}")
        if end != NO_END:
            lines.append(f"{state}\t{format_number(-end)}")
    return "".join(f"{line}\n" for line in lines)
