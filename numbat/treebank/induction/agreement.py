"""Pairs of daughters that agree in features more often than by chance."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, lgamma, log
from typing import Final

from numbat.records import frozen
from numbat.treebank.induction.induced import Support
from numbat.treebank.induction.property_candidates import Thresholds
from numbat.treebank.induction.rule_counts import MOST_SENTENCES, AgreementCounts, TreebankCounts, agree

LEVEL: Final = 0.001
"""The level of significance of all tests of a treebank together."""


@frozen
class AgreeingPair:
    """Two daughters of a construction and the features in which they agree."""

    construction: str
    left: str
    right: str
    features: tuple[str, ...]
    support: Support


def agreements(counts: TreebankCounts, least: Thresholds) -> Iterator[AgreeingPair]:
    """The features in which two daughters agree, those of a pair together, in the order of the alphabet.

    A feature is kept where both daughters have it in `support` occurrences, w0 is reached, and agreement is more
    frequent than by chance: by the one-sided exact binomial test, at `LEVEL` divided by the number of tests
    (Bonferroni). Chance is that two values drawn from the two daughters' own distributions agree. The support of a pair
    is that of its feature with the least w0.
    """
    occurrences = counts.constructions
    tested = {key: seen for key, seen in counts.agreements.items() if seen.agreeing + seen.clashing >= least.support}
    kept: dict[tuple[str, str, str], list[tuple[str, Support]]] = {}
    for key in sorted(tested):
        construction, left, right, feature = key
        seen = tested[key]
        names = tuple(name for _, name in seen.sentences[:MOST_SENTENCES])
        support = Support(seen.agreeing, seen.clashing, occurrences[construction], names)
        if least.keep(support) and _is_significant(seen, LEVEL / len(tested)):
            kept.setdefault((construction, left, right), []).append((feature, support))
    for (construction, left, right), found in kept.items():
        weakest = min((support for _, support in found), key=lambda support: support.w0)
        yield AgreeingPair(construction, left, right, tuple(feature for feature, _ in found), weakest)


def _is_significant(seen: AgreementCounts, level: float) -> bool:
    return binomial_tail(seen.agreeing, seen.agreeing + seen.clashing, chance(seen)) < level


def chance(seen: AgreementCounts) -> float:
    """The probability that two values agree which are drawn independently; `Fem,Masc` agrees with either."""
    pairs = seen.left.total() * seen.right.total()
    alike = sum(m * n for a, m in seen.left.items() for b, n in seen.right.items() if agree(a, b))
    return alike / pairs if pairs else 1.0


def binomial_tail(successes: int, trials: int, probability: float) -> float:
    """P(X >= successes) of a binomial variable: the sum of its exact probabilities.

    Up to the mean, where the first of them may be too small for a float and the sum near 1, those of fewer successes,
    which are more failures, are summed instead.
    """
    if probability >= 1 or successes <= 0:
        return 1.0
    if probability <= 0:
        return 0.0
    if successes <= trials * probability:
        return 1.0 - binomial_tail(trials - successes + 1, trials, 1 - probability)
    total, odds = 0.0, probability / (1 - probability)
    term = exp(
        lgamma(trials + 1) - lgamma(successes + 1) - lgamma(trials - successes + 1)
        + successes * log(probability) + (trials - successes) * log(1 - probability)
    )  # fmt: skip
    for k in range(successes, trials + 1):
        total += term
        term *= (trials - k) / (k + 1) * odds
    return min(total, 1.0)
