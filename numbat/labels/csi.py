"""Constraint satisfaction inference: from predicted class trigrams to one label for each token.

After Canisius et al. 2006, section 4: a weighted constraint satisfaction problem with a variable for each token, whose
domain is its candidate labels, and six constraints for each predicted trigram: that the trigram, its two bigrams, and
its three unigrams occur. The labelling with the largest summed weight of satisfied constraints is found exactly, by
dynamic programming over pairs of neighbouring labels. The caller may add acceptors, written by hand
(`FunctionAcceptor`) or made from the properties of a grammar (`numbat.automata.property_acceptors`): the dynamic
programme then also keeps their states, and adds their gains to the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from numbat.automata.property_acceptors import FORBIDDEN, Acceptor, FunctionAcceptor
from numbat.errors import DataError
from numbat.records import frozen


def only_pairs(allowed: Callable[[str, str], bool], gain: float = FORBIDDEN) -> FunctionAcceptor:
    """Return an acceptor that adds `gain` for each pair of neighbours not `allowed`; EDGE is the label at both ends."""

    def step(state: str, position: int, label: str) -> tuple[str, float]:
        return label, 0.0 if allowed(state, label) else gain

    return FunctionAcceptor(EDGE, step, lambda state: 0.0 if allowed(state, EDGE) else gain)


def at_most(label: str, number: int, gain: float = FORBIDDEN) -> FunctionAcceptor:
    """Return an acceptor that adds `gain` for each occurrence of a label beyond the first `number`."""

    def step(state: int, position: int, other: str) -> tuple[int, float]:
        if other != label:
            return state, 0.0
        return min(state + 1, number), gain if state >= number else 0.0

    return FunctionAcceptor(0, step)


def unigram(predictions: Sequence[Prediction]) -> list[str]:
    """Return the baseline: for each token, the label that its own predicted trigram has in the middle."""
    return [prediction.labels[1] for prediction in predictions]


def vote(predictions: Sequence[Prediction]) -> list[str]:
    """Return per token the label of most of three predictions, its own and its neighbours'; ties go to confidence."""
    result = []
    for i in range(len(predictions)):
        votes: dict[str, list[float]] = {}
        for position, part in ((i, 1), (i - 1, 2), (i + 1, 0)):
            if 0 <= position < len(predictions) and (label := predictions[position].labels[part]) != EDGE:
                votes.setdefault(label, []).append(predictions[position].singles[part])
        result.append(max(votes, key=lambda label: (len(votes[label]), max(votes[label]))))
    return result


def oracle(predictions: Sequence[Prediction], gold: Sequence[str]) -> list[str]:
    """Return the gold label wherever it is a candidate, else the first candidate: the upper bound of any inference."""
    candidates = domains(predictions)
    return [label if label in labels else labels[0] for label, labels in zip(gold, candidates, strict=True)]


def csi(
    predictions: Sequence[Prediction],
    constraints: Sequence[Acceptor] = (),
    candidates: Sequence[Sequence[str]] | None = None,
) -> list[str]:
    """Return the labelling with the largest sum of weight and gains of `constraints`; ties go to earlier candidates.

    `candidates` has the labels considered for each token, by default `domains(predictions)`. Raises DataError if the
    constraints forbid all labellings.
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
    """Advance by one token; return the best total for each (previous label, label, *states), and where it came from."""
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
    """Return for each token the weight that its label adds after two others: `[last but one][last][label]`.

    A predicted trigram, bigram or unigram is counted at the token whose label completes it; those that reach beyond the
    last token are counted there.
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
    """Return the weight of satisfied unigrams at the token `focus`, and of satisfied bigrams with the token before."""
    gain = focus.singles[1] * (focus.labels[1] == label) + focus.pairs[0] * (focus.labels[:2] == (last, label))
    if before is not None:
        gain += before.singles[2] * (before.labels[2] == label) + before.pairs[1] * (before.labels[1:] == (last, label))
    if after is not None:
        gain += after.singles[0] * (after.labels[0] == label)
    return gain


def _end(focus: Prediction, last: str, label: str) -> float:
    """Return the weight of the trigram and second bigram predicted for the last token, as far as they are satisfied."""
    gain = focus.pairs[1] * (focus.labels[1:] == (label, EDGE))
    return gain + focus.trigram * (focus.labels == (last, label, EDGE))


def satisfied_weight(predictions: Sequence[Prediction], labels: Sequence[str]) -> float:
    """Return the summed weight of the predicted constraints that a labelling satisfies.

    `csi` maximises this sum plus the gains of the acceptors.
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
"""Label before the first and after the last token; no label in a file is empty."""

Trigram = tuple[str, str, str]
"""The labels of the token before, of the token itself and of the token after."""

Distribution = Mapping[Trigram, float]
"""Predicted confidence in each class (trigram) of one token; the confidences add up to 1."""


@frozen
class Prediction:
    """The trigram predicted for one token, with the confidence in it, in its two bigrams and in its three labels.

    The confidence in a part is the sum over all classes that have it, so it is never below that in the trigram.
    """

    labels: Trigram
    trigram: float
    pairs: tuple[float, float]
    singles: tuple[float, float, float]


def trigrams(labels: Sequence[str]) -> list[Trigram]:
    """Return the trigram around each token, with EDGE beyond the ends."""
    padded = (EDGE, *labels, EDGE)
    return list(zip(padded, padded[1:], padded[2:], strict=False))


def predict(distribution: Distribution, frequency: Mapping[Trigram, int] | None = None) -> Prediction:
    """Return the class with the highest confidence, with the confidences in its parts.

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
    """Return up to three candidate labels per token: those that its own trigram, then its neighbours', give it."""
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
    """Return confidences in each label per token: the mean over the distributions of the token and its neighbours.

    EDGE is left out; the confidences in the other labels are scaled to add up to 1.
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
