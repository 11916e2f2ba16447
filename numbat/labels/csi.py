"""Constraint satisfaction inference: from predicted class trigrams to one label for each token.

After Canisius et al. 2006, section 4: a weighted constraint satisfaction problem with a variable for each token, its
domain the candidate labels, and for each predicted trigram seven constraints: the trigram, its two bigrams, its three
unigrams. The labelling that maximises the summed weight of the satisfied ones is found exactly, by dynamic programming
over pairs of neighbouring labels. The caller may add acceptors, written by hand (`FunctionAcceptor`) or made from the
properties of a grammar (`numbat.automata.property_acceptors`); their states join the pairs, and their gains the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from numbat.automata.property_acceptors import FORBIDDEN, Acceptor, FunctionAcceptor
from numbat.errors import DataError
from numbat.records import frozen


def only_pairs(allowed: Callable[[str, str], bool], gain: float = FORBIDDEN) -> FunctionAcceptor:
    """Constrain neighbouring labels: each pair not allowed gains `gain`; edges count as labels."""

    def step(state: str, position: int, label: str) -> tuple[str, float]:
        return label, 0.0 if allowed(state, label) else gain

    return FunctionAcceptor(EDGE, step, lambda state: 0.0 if allowed(state, EDGE) else gain)


def at_most(label: str, number: int, gain: float = FORBIDDEN) -> FunctionAcceptor:
    """Limit a label to `number` occurrences: each further one gains `gain`."""

    def step(state: int, position: int, other: str) -> tuple[int, float]:
        if other != label:
            return state, 0.0
        return min(state + 1, number), gain if state >= number else 0.0

    return FunctionAcceptor(0, step)


def unigram(predictions: Sequence[Prediction]) -> list[str]:
    """Return the baseline: the label each token predicts for itself."""
    return [prediction.labels[1] for prediction in predictions]


def vote(predictions: Sequence[Prediction]) -> list[str]:
    """Return the majority of the three predictions per token; if all differ, the most confident."""
    result = []
    for i in range(len(predictions)):
        votes: dict[str, list[float]] = {}
        for position, part in ((i, 1), (i - 1, 2), (i + 1, 0)):
            if 0 <= position < len(predictions) and (label := predictions[position].labels[part]) != EDGE:
                votes.setdefault(label, []).append(predictions[position].singles[part])
        result.append(max(votes, key=lambda label: (len(votes[label]), max(votes[label]))))
    return result


def oracle(predictions: Sequence[Prediction], gold: Sequence[str]) -> list[str]:
    """Return the upper bound: the gold label wherever it is a candidate."""
    candidates = domains(predictions)
    return [label if label in labels else labels[0] for label, labels in zip(gold, candidates, strict=True)]


def csi(
    predictions: Sequence[Prediction],
    constraints: Sequence[Acceptor] = (),
    candidates: Sequence[Sequence[str]] | None = None,
) -> list[str]:
    """Return the labelling of maximum weight and gain; ties go to the first in candidate order.

    `candidates` are the domains, by default those of the predictions. Raises DataError if hard constraints exclude all
    labellings.
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
    """Advance by one token: best total per (previous label, label, states), with back pointers."""
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
    """Return for each token the gain of its label given the two before: `[before the last][last][label]`.

    The trigram around a token is counted with the label of the next token, bigrams and unigrams with the label that
    completes them; the right edge is counted with the last label.
    """
    size = len(predictions)
    edge = (EDGE,)
    table = []
    for i, prediction in enumerate(predictions):
        first = domain[i - 2] if i > 1 else edge
        second = domain[i - 1] if i else edge
        before = predictions[i - 1] if i else None
        after = predictions[i + 1] if i + 1 < size else None
        pairs = [[_pair(prediction, before, after, last, label) for label in domain[i]] for last in second]
        if i + 1 == size:
            pairs = [
                [pair + _end(prediction, last, label) for pair, label in zip(row, domain[i], strict=True)]
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


def _pair(focus: Prediction, before: Prediction | None, after: Prediction | None, last: str, label: str) -> float:
    """Return the weight of satisfied unigrams of this token, and of satisfied bigrams of it and the previous one."""
    gain = focus.singles[1] * (focus.labels[1] == label) + focus.pairs[0] * (focus.labels[:2] == (last, label))
    if before is not None:
        gain += before.singles[2] * (before.labels[2] == label) + before.pairs[1] * (before.labels[1:] == (last, label))
    if after is not None:
        gain += after.singles[0] * (after.labels[0] == label)
    return gain


def _end(focus: Prediction, last: str, label: str) -> float:
    """Return the weight of the last token's trigram and second bigram, if they are satisfied at the right edge."""
    gain = focus.pairs[1] * (focus.labels[1:] == (label, EDGE))
    return gain + focus.trigram * (focus.labels == (last, label, EDGE))


def satisfied_weight(predictions: Sequence[Prediction], labels: Sequence[str]) -> float:
    """Return the summed weight of the predicted constraints that a labelling satisfies.

    `csi` maximises it, with the gains of the acceptors.
    """
    padded = (EDGE, *labels, EDGE)
    total = 0.0
    for i, prediction in enumerate(predictions):
        window = padded[i : i + 3]
        total += prediction.trigram * (window == prediction.labels)
        total += prediction.pairs[0] * (window[:2] == prediction.labels[:2]) + prediction.pairs[1] * (
            window[1:] == prediction.labels[1:]
        )
        total += sum(
            single * (label == predicted)
            for single, label, predicted, place in zip(
                prediction.singles, window, prediction.labels, (i - 1, i, i + 1), strict=True
            )
            if 0 <= place < len(predictions)
        )
    return total


# Class trigrams and their predictions.

EDGE: Final = ""
"""Label before the first and after the last token; labels in files are never empty."""

Trigram = tuple[str, str, str]
"""The labels of the token before, of the token itself and of the token after."""

Distribution = Mapping[Trigram, float]
"""Predicted confidence of each class for one token; they add up to 1."""


@frozen
class Prediction:
    """The predicted trigram of one token with the confidence of the class and of its parts.

    The confidence of a part is the sum over all classes that agree on it, and so never less than that of the trigram.
    """

    labels: Trigram
    trigram: float
    pairs: tuple[float, float]
    singles: tuple[float, float, float]


def trigrams(labels: Sequence[str]) -> list[Trigram]:
    """Return the class trigram of each token."""
    padded = (EDGE, *labels, EDGE)
    return list(zip(padded, padded[1:], padded[2:], strict=False))


def predict(distribution: Distribution, frequency: Mapping[Trigram, int] | None = None) -> Prediction:
    """Return the most confident class and the confidence of its parts.

    Ties go to the class most frequent in training, then to the alphabetically first.
    """
    if not distribution:
        raise ValueError("a distribution has at least one class")
    often = frequency or {}
    best = min(distribution, key=lambda trigram: (-distribution[trigram], -often.get(trigram, 0), trigram))
    left, focus, right = best
    pairs, singles = [0.0, 0.0], [0.0, 0.0, 0.0]
    for (one, two, three), share in distribution.items():
        pairs[0] += share * (one == left and two == focus)
        pairs[1] += share * (two == focus and three == right)
        singles[0] += share * (one == left)
        singles[1] += share * (two == focus)
        singles[2] += share * (three == right)
    return Prediction(best, distribution[best], (pairs[0], pairs[1]), (singles[0], singles[1], singles[2]))


def domains(predictions: Sequence[Prediction]) -> list[tuple[str, ...]]:
    """Return up to three candidate labels per token: its own prediction, then its neighbours'."""
    result = []
    for i, prediction in enumerate(predictions):
        labels = [prediction.labels[1]]
        if i:
            labels.append(predictions[i - 1].labels[2])
        if i + 1 < len(predictions):
            labels.append(predictions[i + 1].labels[0])
        result.append(tuple(dict.fromkeys(label for label in labels if label != EDGE)))
    return result


def marginals_of(distributions: Iterable[Distribution]) -> list[dict[str, float]]:
    """Return label confidences per token: the mean of the predictions of the token and its neighbours.

    Predicted edges are left out; the others are normalised to 1.
    """
    every = list(distributions)
    result = []
    for i in range(len(every)):
        sums: dict[str, float] = {}
        for position, part in ((i - 1, 2), (i, 1), (i + 1, 0)):
            for trigram, share in every[position].items() if 0 <= position < len(every) else ():
                if trigram[part] != EDGE:
                    sums[trigram[part]] = sums.get(trigram[part], 0.0) + share
        total = sum(sums.values())
        result.append({label: share / total for label, share in sums.items()})
    return result
