"""Local models of the roles of candidates and of tokens: training on propositions, and prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.bench.roles import features, token_features
from tests.bench.roles.candidates import Candidate, candidates_of
from tests.bench.roles.classifier import Classifier, Settings
from tests.bench.roles.hashing import Values, hashed
from tests.bench.roles.problems import LABELS, Rolesets, Scored, token_labels
from tests.bench.roles.reading import OUTSIDE, Proposition

AT_ONCE: Final = 4000
"""Propositions whose values are in memory at the same time."""

Scores = list[list[float]]


class SpanModel:
    """Probabilities of the labels of candidates, and the roles that rolesets were seen with."""

    def __init__(self, propositions: Sequence[Proposition], settings: Settings | None = None) -> None:
        offered = [candidates_of(each) for each in propositions]
        right = [label for one, spans in zip(propositions, offered, strict=True) for label in _span_labels(one, spans)]
        self._classifier = _train(_span_features(propositions, offered), right, settings or Settings())
        self.rolesets = Rolesets(propositions)

    def score(self, propositions: Sequence[Proposition]) -> list[Scored]:
        """The propositions with their candidates and the log probabilities of LABELS of each."""
        offered = [candidates_of(each) for each in propositions]
        rows = self._classifier.log_probabilities(_span_features(propositions, offered))
        parts = _parts(rows, [len(each) for each in offered])
        return [
            Scored(
                each,
                spans,
                part,
                self.rolesets.disallowed(each),
                bool(spans) and self.rolesets.needs_argument(each),
            )
            for each, spans, part in zip(propositions, offered, parts, strict=True)
        ]


class TokenModel:
    """Probabilities of the labels of tokens."""

    def __init__(self, propositions: Sequence[Proposition], settings: Settings | None = None) -> None:
        right = [label for each in propositions for label in token_labels(each)]
        self._classifier = _train(_token_features(propositions), right, settings or Settings(epochs=3))

    def score(self, propositions: Sequence[Proposition]) -> list[Scores]:
        """A row of log probabilities of LABELS for each token of each proposition."""
        rows = self._classifier.log_probabilities(_token_features(propositions))
        return list(_parts(rows, [len(each.tokens) for each in propositions]))


def _span_labels(proposition: Proposition, candidates: Sequence[Candidate]) -> Iterator[str]:
    gold = {(start, end): role for start, end, role in proposition.gold}
    return (gold.get(each.node.span, OUTSIDE) for each in candidates)


def _span_features(propositions: Sequence[Proposition], offered: Sequence[Sequence[Candidate]]) -> NDArray[np.int32]:
    def values(i: int) -> list[Values]:
        return features.candidate_values(propositions[i], offered[i])

    return _hashed(values, len(propositions), features.TEMPLATES)


def _token_features(propositions: Sequence[Proposition]) -> NDArray[np.int32]:
    def values(i: int) -> list[Values]:
        return token_features.token_values(propositions[i])

    return _hashed(values, len(propositions), token_features.TEMPLATES)


def _hashed(values: Callable[[int], list[Values]], size: int, chosen: Sequence[tuple[str, ...]]) -> NDArray[np.int32]:
    parts = [
        hashed([each for i in range(begin, min(begin + AT_ONCE, size)) for each in values(i)], chosen)
        for begin in range(0, size, AT_ONCE)
    ]
    return np.concatenate([np.empty((0, len(chosen)), np.int32), *parts])


def _train(known: NDArray[np.int32], right: Sequence[str], settings: Settings) -> Classifier:
    numbers = {label: i for i, label in enumerate(LABELS)}
    return Classifier.train(known, np.array([numbers[label] for label in right]), len(LABELS), settings)


def _parts(rows: NDArray[np.float64], sizes: Sequence[int]) -> Iterator[Scores]:
    at = 0
    for size in sizes:
        yield rows[at : at + size].tolist()
        at += size
