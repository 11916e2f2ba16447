"""Constraint satisfaction inference: from predicted class trigrams to one label for each token.

After Canisius et al. 2006, section 4: a weighted constraint satisfaction problem with a variable for each token, its
domain the candidate labels, and for each predicted trigram seven constraints: the trigram, its two bigrams, its three
unigrams. The labelling that maximises the summed weight of the satisfied ones is found exactly, by dynamic programming
over pairs of neighbouring labels. The caller may add acceptors, of her own (`Constraint`) or made from the properties
of a grammar (`numbat.automata.property_acceptors`); their states join the pairs, and their gains the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from numbat.automata.property_acceptors import FORBIDDEN, Acceptor
from numbat.errors import DataError
from numbat.records import frozen
from numbat.sequence.class_trigrams import EDGE, Prediction, domains


@frozen
class Constraint:
    """An acceptor that the caller makes of two functions.

    `step(state, position, label)` gives the next state and what the label gains, `finish(state)` what the end gains;
    FORBIDDEN makes it hard.
    """

    start: Hashable
    step: Callable[[Any, int, str], tuple[Hashable, float]]
    finish: Callable[[Any], float] = lambda _: 0.0


def only_pairs(allowed: Callable[[str, str], bool], gain: float = FORBIDDEN) -> Constraint:
    """Each pair of neighbouring labels that is not allowed gains `gain`; the edges count as labels."""

    def step(state: str, position: int, label: str) -> tuple[str, float]:
        return label, 0.0 if allowed(state, label) else gain

    return Constraint(EDGE, step, lambda state: 0.0 if allowed(state, EDGE) else gain)


def at_most(label: str, number: int, gain: float = FORBIDDEN) -> Constraint:
    """Every occurrence of a label beyond so many gains `gain`."""

    def step(state: int, position: int, found: str) -> tuple[int, float]:
        if found != label:
            return state, 0.0
        return min(state + 1, number), gain if state >= number else 0.0

    return Constraint(0, step)


def unigram(predictions: Sequence[Prediction]) -> list[str]:
    """The baseline: each token's own prediction for itself."""
    return [own.labels[1] for own in predictions]


def vote(predictions: Sequence[Prediction]) -> list[str]:
    """The majority of the three predictions for each token; where all differ, the most confident one."""
    result = []
    for i in range(len(predictions)):
        votes: dict[str, list[float]] = {}
        for position, part in ((i, 1), (i - 1, 2), (i + 1, 0)):
            if 0 <= position < len(predictions) and (label := predictions[position].labels[part]) != EDGE:
                votes.setdefault(label, []).append(predictions[position].singles[part])
        result.append(max(votes, key=lambda label: (len(votes[label]), max(votes[label]))))
    return result


def oracle(predictions: Sequence[Prediction], gold: Sequence[str]) -> list[str]:
    """The upper bound: the right label wherever it is a candidate."""
    candidates = domains(predictions)
    return [label if label in labels else labels[0] for label, labels in zip(gold, candidates, strict=True)]


def csi(
    predictions: Sequence[Prediction],
    constraints: Sequence[Acceptor] = (),
    candidates: Sequence[Sequence[str]] | None = None,
) -> list[str]:
    """The labelling of the highest summed weight and gain; of several, the first by the order of the candidates.

    `candidates` are the domains; without them, those of the predictions. Raises DataError where hard constraints leave
    no labelling.
    """
    domain = domains(predictions) if candidates is None else candidates
    if not predictions:
        return []
    table = _satisfied(predictions, domain)
    starts = tuple(constraint.start for constraint in constraints)
    layer: dict[tuple[Any, ...], float] = {(0, 0, *starts): 0.0}
    back: list[dict[tuple[Any, ...], tuple[Any, ...]]] = []
    for i, gains in enumerate(table):
        layer, origins = _step(layer, i, gains, domain[i], constraints)
        back.append(origins)
    best, value = None, FORBIDDEN
    for key, total in layer.items():
        total += sum(one.finish(state) for one, state in zip(constraints, key[2:], strict=True))
        if total > value:
            best, value = key, total
    if best is None:
        raise DataError("no labelling satisfies the hard constraints\n  allow more pairs, or give more candidates")
    chosen = []
    for origins in reversed(back):
        chosen.append(best[1])
        best = origins[best]
    return [labels[index] for labels, index in zip(domain, reversed(chosen), strict=True)]


def _step(
    layer: dict[tuple[Any, ...], float],
    position: int,
    gains: list[list[list[float]]],
    labels: Sequence[str],
    constraints: Sequence[Acceptor],
) -> tuple[dict[tuple[Any, ...], float], dict[tuple[Any, ...], tuple[Any, ...]]]:
    """One token further: the best total of each (label before, label, states), and where it came from."""
    after: dict[tuple[Any, ...], float] = {}
    origins: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for key, total in layer.items():
        rows = gains[key[0]][key[1]]
        for index, label in enumerate(labels):
            value = total + rows[index]
            states = key[2:]
            if constraints:
                stepped = [one.step(state, position, label) for one, state in zip(constraints, states, strict=True)]
                value += sum(gain for _, gain in stepped)
                if value == FORBIDDEN:
                    continue
                states = tuple(state for state, _ in stepped)
            target = (key[1], index, *states)
            if target not in after or value > after[target]:
                after[target], origins[target] = value, key
    return after, origins


def _satisfied(predictions: Sequence[Prediction], domain: Sequence[Sequence[str]]) -> list[list[list[list[float]]]]:
    """For each token, what its label gains given the two labels before it: `[before the last][last][label]`.

    The trigram around a token is counted with the label of the next token, bigrams and unigrams with the label that
    completes them; the right edge is counted with the last label.
    """
    size = len(predictions)
    edge = (EDGE,)
    table = []
    for i, own in enumerate(predictions):
        first = domain[i - 2] if i > 1 else edge
        second = domain[i - 1] if i else edge
        before = predictions[i - 1] if i else None
        after = predictions[i + 1] if i + 1 < size else None
        pairs = [[_pair(own, before, after, last, label) for label in domain[i]] for last in second]
        if i + 1 == size:
            pairs = [
                [pair + _end(own, last, label) for pair, label in zip(row, domain[i], strict=True)]
                for row, last in zip(pairs, second, strict=True)
            ]
        table.append(
            [
                [_with_trigram(before, one, last, row, domain[i]) for last, row in zip(second, pairs, strict=True)]
                for one in first
            ]
        )
    return table


def _with_trigram(
    before: Prediction | None, first: str, last: str, row: list[float], labels: Sequence[str]
) -> list[float]:
    if before is None or before.labels[0] != first or before.labels[1] != last:
        return row
    return [gain + before.trigram * (before.labels[2] == label) for gain, label in zip(row, labels, strict=True)]


def _pair(own: Prediction, before: Prediction | None, after: Prediction | None, last: str, label: str) -> float:
    """The weight of the satisfied unigrams about this token and bigrams about it and the one before."""
    gain = own.singles[1] * (own.labels[1] == label) + own.pairs[0] * (own.labels[:2] == (last, label))
    if before is not None:
        gain += before.singles[2] * (before.labels[2] == label) + before.pairs[1] * (before.labels[1:] == (last, label))
    if after is not None:
        gain += after.singles[0] * (after.labels[0] == label)
    return gain


def _end(own: Prediction, last: str, label: str) -> float:
    """The weight of the last token's trigram and of its second bigram, where they are satisfied at the right edge."""
    gain = own.pairs[1] * (own.labels[1:] == (label, EDGE))
    return gain + own.trigram * (own.labels == (last, label, EDGE))


def satisfied_weight(predictions: Sequence[Prediction], labels: Sequence[str]) -> float:
    """The summed weight of the predicted constraints that a labelling satisfies.

    `csi` maximises it, with the gains of the acceptors.
    """
    padded = (EDGE, *labels, EDGE)
    total = 0.0
    for i, own in enumerate(predictions):
        found = padded[i : i + 3]
        total += own.trigram * (found == own.labels)
        total += own.pairs[0] * (found[:2] == own.labels[:2]) + own.pairs[1] * (found[1:] == own.labels[1:])
        total += sum(
            single * (one == said)
            for single, one, said, place in zip(own.singles, found, own.labels, (i - 1, i, i + 1), strict=True)
            if 0 <= place < len(predictions)
        )
    return total
