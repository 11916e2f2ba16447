"""Label lattices, the input of decoding: acyclic automata whose arcs have a label and its score."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from math import inf, isfinite
from typing import Final, NamedTuple

from numbat import native
from numbat.errors import DataError
from numbat.grammar.properties import UNIT, format_bundle
from numbat.words.lattice import Lattice

MAX_SIZE: Final = 1_000_000
"""Maximum absolute score of a label, so that sums over a sequence fit into 64 bits."""
NO_END: Final = -(1 << 62)
"""Final score of a state in which no labelling may end."""
EMPTY: Final = ""
"""Label of an arc that covers no token."""

Pairs = Mapping[str, Mapping[str, float | None]]
"""Scores of pairs of neighbouring labels, `pairs[before][label]`; a missing pair scores 0, None forbids the pair."""


class LabelArc(NamedTuple):
    """A label for the tokens [start, end) and its score; a higher score is better."""

    start: int
    end: int
    label: str
    score: float


class LabelLattice(NamedTuple):
    """Labellings of a sequence with their scores, as an acyclic automaton.

    States are in topological order; state 0 is the start. State `s` has the arcs [first[s], first[s + 1]). For each
    arc, `targets` has the next state, `numbers` the index of its label in `labels`, `scores` its score in millionths.
    For each state, `ends` has the final score, or `NO_END`, and `places` the number of tokens before it. The score of a
    labelling is the sum of the scores on its path, with the final score.
    """

    labels: tuple[str, ...]
    first: array[int]
    targets: array[int]
    numbers: array[int]
    scores: array[int]
    ends: array[int]
    places: array[int]
    tokens: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<LabelLattice of {self.length} tokens: {len(self.ends)} states, {len(self.targets)} arcs>"

    @property
    def length(self) -> int:
        """Number of tokens."""
        return max(self.places, default=0)

    @staticmethod
    def from_labels(
        labels: Sequence[Mapping[str, float]], pairs: Pairs | None = None, tokens: Sequence[str] = ()
    ) -> LabelLattice:
        """Build a lattice from a mapping for each token, from its possible labels to their scores.

        `pairs` adds scores of neighbouring labels. Raises DataError for a score that is not a number, or is too large.
        """
        if pairs:
            arcs = [LabelArc(i, i + 1, *scored) for i, row in enumerate(labels) for scored in row.items()]
            return LabelLattice.from_arcs(len(labels), arcs, pairs, tokens)
        return LabelLattice(*(_compiled_arrays(labels) or _arrays(labels)), tuple(tokens))

    @staticmethod
    def from_arcs(
        length: int, arcs: Iterable[tuple[int, int, str, float]], pairs: Pairs | None = None, tokens: Sequence[str] = ()
    ) -> LabelLattice:
        """Build a lattice over `length` tokens from segments (start, end, label, score), end exclusive.

        `pairs` adds scores of neighbouring labels. Raises DataError for a segment that is empty or outside the
        sequence, and for a score that is not a number.
        """
        by_start: list[list[tuple[int, int, str, float]]] = [[] for _ in range(length + 1)]
        for arc in arcs:
            start, end, label, _ = arc
            if not 0 <= start < end <= length:
                raise DataError(
                    f'the arc "{label}" goes from {start} to {end} in a sequence of {length} tokens\n'
                    "  an arc has at least one token: from a position, counted from 0, to one past its last token"
                )
            by_start[start].append(arc)
        if pairs:
            return _with_pairs(by_start, pairs, tuple(tokens))
        every = list(chain.from_iterable(by_start))
        alphabet: dict[str, int] = {}
        numbers = array("i", [alphabet.setdefault(label, len(alphabet)) for _, _, label, _ in every])
        return LabelLattice(
            tuple(alphabet),
            array("i", [0, *accumulate(map(len, by_start))]),
            array("i", [end for _, end, _, _ in every]),
            numbers,
            _in_units([score for _, _, _, score in every]),
            array("q", [NO_END] * length + [0]),
            array("i", range(length + 1)),
            tuple(tokens),
        )

    @staticmethod
    def of(lattice: Lattice) -> LabelLattice:
        """Build a lattice from the readings of a sentence: labels are categories with features, scores log weights."""
        arcs = (
            (arc.start, arc.end, arc.category + format_bundle(arc.features), arc.log_weight - arc.cost)
            for arc in lattice.arcs
        )
        return LabelLattice.from_arcs(len(lattice.tokens), dict.fromkeys(arcs), None, lattice.tokens)

    @staticmethod
    def of_graph(
        ends: Mapping[int, float], arcs: Iterable[tuple[int, int, str, float]], start: int, tokens: Sequence[str] = ()
    ) -> LabelLattice:
        """Build a lattice from any acyclic automaton: arcs (from, to, label, score) and `ends`, scores of final states.

        Each label covers one token, `EMPTY` none. The number of tokens before a state is the length of the longest path
        to the state. Raises DataError that names a state on a cycle.
        """
        by_state: dict[int, list[tuple[int, str, float]]] = {}
        has_empty = False
        for source, target, label, score in arcs:
            by_state.setdefault(source, []).append((target, label, score))
            has_empty = has_empty or label == EMPTY
        order = _topological(by_state, start)
        if has_empty:
            by_state, ends = _without_empty(order, by_state, ends)
            order = _topological(by_state, start)
        return _numbered(order, by_state, dict.fromkeys(order, 0), ends, tuple(tokens), by_depth=True)

    def path(self, arcs: Sequence[int]) -> tuple[LabelArc, ...]:
        """Return the arcs with these indices, which form a labelling, as labels of tokens with their scores."""
        places = [self.places[0], *(self.places[self.targets[arc]] for arc in arcs)]
        labels = [self.labels[self.numbers[arc]] for arc in arcs]
        scores = [self.scores[arc] / UNIT for arc in arcs]
        return tuple(map(LabelArc, places, places[1:], labels, scores))


Arrays = tuple[tuple[str, ...], "array[int]", "array[int]", "array[int]", "array[int]", "array[int]", "array[int]"]
"""Labels and arrays of a lattice, in the order of its fields."""


def _compiled_arrays(rows: Sequence[Mapping[str, float]]) -> Arrays | None:
    """Return the result of `_arrays` by compiled code; None if Python must compute it or report the error."""
    if native.load(native.DECODING) is None:
        return None
    from numbat.labels import _relaxation

    try:
        packed = _relaxation.pack_labels(list(rows))
    except (ValueError, TypeError, OverflowError):
        return None
    if packed is None:
        return None
    labels, *arrays = packed
    first, targets, numbers, scores, ends, places = map(array, "iiiqqi", arrays)
    return tuple(labels), first, targets, numbers, scores, ends, places


def _arrays(rows: Sequence[Mapping[str, float]]) -> Arrays:
    alphabet = {label: at for at, label in enumerate(dict.fromkeys(chain.from_iterable(rows)))}
    size, first, targets = len(rows), [0], array("i")
    for at, row in enumerate(rows, start=1):
        targets += array("i", [at]) * len(row)
        first.append(len(targets))
    return (
        tuple(alphabet),
        array("i", [*first, first[-1]]),
        targets,
        array("i", [alphabet[label] for row in rows for label in row]),
        _in_units([score for row in rows for score in row.values()]),
        array("q", [NO_END] * size + [0]),
        array("i", range(size + 1)),
    )


def _in_units(scores: Iterable[float]) -> array[int]:
    try:
        units = array("q", [round(score * UNIT) for score in scores])
        if not units or (max(units) <= MAX_SIZE * UNIT and min(units) >= -MAX_SIZE * UNIT):
            return units
    except (ValueError, OverflowError, TypeError):
        pass
    wrong = next(s for s in scores if not isinstance(s, int | float) or not isfinite(s) or abs(s) > MAX_SIZE)
    raise DataError(
        f"{wrong!r} is not a score\n  a score is a number of at most {MAX_SIZE:,}; leave out labels that are impossible"
    )


def _with_pairs(
    by_start: Sequence[Sequence[tuple[int, int, str, float]]], pairs: Pairs, tokens: tuple[str, ...]
) -> LabelLattice:
    """Build a lattice of segments with scores of `pairs`: a state is a position and the label before it."""
    length = len(by_start) - 1
    reached: list[dict[str, None]] = [{} for _ in range(length + 1)]
    reached[0][""] = None
    edges: dict[tuple[int, str], list[tuple[tuple[int, str], str, float]]] = {}
    for place, arcs in enumerate(by_start):
        for before in reached[place]:
            out = edges[place, before] = []
            after = pairs.get(before, {})
            for _, end, label, score in arcs:
                gain = after.get(label, 0.0)
                if gain is None:
                    continue
                known = label if end < length else ""
                reached[end][known] = None
                out.append(((end, known), label, score + gain))
    states = {(place, before): i for i, (place, before) in enumerate(_places(reached))}
    numbered = {states[state]: [(states[to], label, score) for to, label, score in out] for state, out in edges.items()}
    if (length, "") not in states:  # no path reaches the end
        states[length, ""] = len(states)
    places = {number: place for (place, _), number in states.items()}
    ends = {states[length, ""]: 0.0}
    return _numbered(list(states.values()), numbered, places, ends, tokens, by_depth=False)


def _places(reached: Sequence[Mapping[str, None]]) -> list[tuple[int, str]]:
    return [(place, before) for place, known in enumerate(reached) for before in known]


def _numbered(
    order: Sequence[int],
    by_state: Mapping[int, Sequence[tuple[int, str, float]]],
    places: dict[int, int],
    ends: Mapping[int, float],
    tokens: tuple[str, ...],
    by_depth: bool,
) -> LabelLattice:
    """Return the lattice of an automaton with its states in `order`; if `by_depth`, `places` are computed from arcs."""
    number = {state: i for i, state in enumerate(order)}
    alphabet: dict[str, int] = {}
    first, targets, numbers, scores = [0], [], [], []
    for state in order:
        for target, label, score in by_state.get(state, ()):
            if by_depth:
                places[target] = max(places[target], places[state] + 1)
            targets.append(number[target])
            numbers.append(alphabet.setdefault(label, len(alphabet)))
            scores.append(score)
        first.append(len(targets))
    ending = [s for s in order if s in ends]
    ends_in_units = dict(zip(ending, _in_units([ends[s] for s in ending]), strict=True))
    return LabelLattice(
        tuple(alphabet),
        array("i", first),
        array("i", targets),
        array("i", numbers),
        _in_units(scores),
        array("q", [ends_in_units.get(state, NO_END) for state in order]),
        array("i", [places[state] for state in order]),
        tokens,
    )


def _without_empty(
    order: Sequence[int], by_state: Mapping[int, Sequence[tuple[int, str, float]]], ends: Mapping[int, float]
) -> tuple[dict[int, list[tuple[int, str, float]]], dict[int, float]]:
    """Return the arcs and final scores of an automaton after removing its empty arcs.

    A state gets the arcs and final scores of all states that it reaches by empty arcs; of arcs with the same target and
    label only the best is kept.
    """
    final, kept = dict(ends), dict[int, list[tuple[int, str, float]]]()
    for state in reversed(order):
        best: dict[tuple[int, str], float] = {}
        for target, label, score in by_state.get(state, ()):
            if label == EMPTY:
                new = [(to, after, score + gain) for to, after, gain in kept[target]]
                if target in final:
                    final[state] = max(final.get(state, -inf), score + final[target])
            else:
                new = [(target, label, score)]
            for to, after, total in new:
                best[to, after] = max(best.get((to, after), -inf), total)
        kept[state] = [(to, label, score) for (to, label), score in best.items()]
    return kept, final


def _topological(by_state: Mapping[int, Sequence[tuple[int, str, float]]], start: int) -> list[int]:
    """Return the reachable states in topological order. Raises DataError for a cycle."""
    arriving: dict[int, int] = {start: 0}
    waiting = [start]
    while waiting:
        for target, _, _ in by_state.get(waiting.pop(), ()):
            if target not in arriving:
                arriving[target] = 0
                waiting.append(target)
            arriving[target] += 1
    order = [start] if not arriving[start] else []
    for state in order:
        for target, _, _ in by_state.get(state, ()):
            arriving[target] -= 1
            if not arriving[target]:
                order.append(target)
    if len(order) < len(arriving):
        state = min(set(arriving) - set(order))
        raise DataError(f"the automaton has a cycle through state {state}\n  labellings would have unlimited length")
    return order
