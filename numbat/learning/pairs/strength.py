"""The strength of learning, chosen on comparisons that were not learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from numbat.learning.pairs.comparisons import Comparison
from numbat.learning.pairs.rounds import Learner
from numbat.learning.pairs.tying import Counted

STRENGTHS: Final = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Those that are tried. With 0 nothing is learned, and costs stay as they are in the grammar."""


def tuned(
    learner: Learner,
    comparisons: Sequence[Comparison],
    known: Mapping[str, Sequence[Counted]],
    fold_of: Mapping[str, int],
) -> Learner:
    """The learner with the strength under which held-out comparisons come out best, the least of several.

    `known` are the parses under the grammar's own costs, which are not taken anew here. One fold after the other is
    held out, and comparisons across it are left out; a neighbour has the fold of its sentence.
    """
    nothing = (0.0,) * len(learner.tying.names)
    divided = _divided(comparisons, fold_of)
    before = [learner.pairs(held, known, nothing)[1] for held, _ in divided]
    gains = {strength: 0.0 for strength in STRENGTHS if divided}
    for strength in filter(None, gains):
        trying = replace(learner, strength=strength)
        for (held, rest), own in zip(divided, before, strict=True):
            values = trying.solved(trying.pairs(rest, known, nothing)[0]).weights
            gains[strength] += len(held) * (trying.pairs(held, known, values)[1] - own)
    return replace(learner, strength=max(gains, key=gains.__getitem__)) if gains else learner


def _divided(
    comparisons: Sequence[Comparison], fold_of: Mapping[str, int]
) -> list[tuple[list[Comparison], list[Comparison]]]:
    """For each fold the comparisons within it and those without it; folds without any of either are left out."""
    both = [(own := fold_of[each.better], fold_of.get(each.worse, own), each) for each in comparisons]
    found = []
    for fold in sorted({fold for fold, _, _ in both}):
        held = [each for one, other, each in both if one == fold == other]
        rest = [each for one, other, each in both if fold not in (one, other)]
        if held and rest:
            found.append((held, rest))
    return found
