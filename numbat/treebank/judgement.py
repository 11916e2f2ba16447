"""How acceptable a sentence is to a language of a treebank: its tree, its tags and its violations weighed together.

The score is a sum of weighted features: logarithms of the likelihood of the tree and of the tags (trigrams, smoothed as
by Witten and Bell 1991), the cost of violated properties, each whole and by the word, and the length. Weights are those
under which sentences of a treebank win over their corruptions (logistic regression on the differences of pairs), so
that length alone, which makes any sentence unlikelier, does not count. A second regression makes a probability of the
score: that a sentence is one of the treebank and not a corruption of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from typing import Any, Final, NamedTuple

from numbat.errors import DataError
from numbat.grammar.properties import UNIT
from numbat.parsing.result import Parse
from numbat.records import frozen

EDGE: Final = "<>"
ORDERS: Final = (1, 2, 3)
NAMES: Final = (
    *("likelihood", "cost", "tags", "words"),
    *("likelihood by word", "cost by word", "tags by word", "violates"),
)
"""The features of a parse."""
STEPS: Final = 3_000
RATE: Final = 0.5
DECAY: Final = 1e-4


@frozen
class TagTrigrams:
    """Counts of tags after the tags before them; `counts` has rows of one to three tags, separated by blanks."""

    counts: Mapping[str, int]
    contexts: Mapping[str, tuple[int, int]]
    """Of each row of tags before a tag, how often it occurs and how many tags follow it."""
    tags: int

    @staticmethod
    def of(sentences: Iterable[Sequence[str]]) -> TagTrigrams:
        """Return the counts of tagged sentences."""
        counts: Counter[str] = Counter()
        for sentence in sentences:
            padded = (EDGE, EDGE, *sentence, EDGE)
            for end in range(3, len(padded) + 1):
                counts.update(" ".join(padded[end - order : end]) for order in ORDERS)
        return TagTrigrams._from_counts(counts)

    @staticmethod
    def _from_counts(counts: Mapping[str, int]) -> TagTrigrams:
        seen: dict[str, tuple[int, int]] = {}
        for row, count in counts.items():
            before = row.rpartition(" ")[0]
            total, kinds = seen.get(before, (0, 0))
            seen[before] = total + count, kinds + 1
        return TagTrigrams(counts, seen, sum(" " not in row for row in counts))

    def log_likelihood(self, tags: Sequence[str]) -> float:
        """Return the natural logarithm of the likelihood of the tags of a sentence."""
        padded = (EDGE, EDGE, *tags, EDGE)
        return sum(log(self._chance(padded[end - 3 : end])) for end in range(3, len(padded) + 1))

    def _chance(self, row: Sequence[str]) -> float:
        chance = 1 / (self.tags + 1)
        for order in ORDERS:
            before = " ".join(row[len(row) - order : -1])
            total, kinds = self.contexts.get(before, (0, 0))
            if total:
                count = self.counts.get(" ".join(row[len(row) - order :]), 0)
                chance = (count + kinds * chance) / (total + kinds)
        return chance


Features = tuple[float, ...]


class JudgedPair(NamedTuple):
    """The features of a sentence and of a corruption of it, of some kind."""

    kind: str
    good: Features
    bad: Features


@frozen
class Judgement:
    """A model of acceptability: `weights` of the features `NAMES`, `scale` and `shift` of the probability.

    `free` is the share of corruptions that cost nothing.
    """

    trigrams: TagTrigrams
    weights: Features
    scale: float = 1.0
    shift: float = 0.0
    free: float = 0.0

    def score(self, parse: Parse) -> float:
        """Return the probability, 0 to 1, that a sentence is no corruption."""
        return self.probability(features_of(parse, self.trigrams))

    def told(self, parse: Parse) -> str:
        """Return the judgement of a parse in words, and how much is to be thought of costs."""
        share = "no sentence" if not self.free else f"{100 * self.free:.0f} % of the sentences"
        return f"judgement {self.score(parse):.2f}; {share} that were made worse on purpose cost nothing"

    def value(self, features: Features) -> float:
        """Return the sum of the weighted features."""
        return sum(weight * value for weight, value in zip(self.weights, features, strict=True))

    def probability(self, features: Features) -> float:
        """Return the probability that belongs to features."""
        value = max(-700.0, min(700.0, self.scale * self.value(features) + self.shift))
        return 1 / (1 + exp(-value))

    def as_json(self) -> dict[str, Any]:
        """Return a value for `json.dumps`; `judgement_of_json` reads it."""
        return {
            "schema": "numbat.judgement/1",
            "weights": dict(zip(NAMES, self.weights, strict=True)),
            "scale": self.scale,
            "shift": self.shift,
            "free": self.free,
            "tags": dict(sorted(self.trigrams.counts.items())),
        }


def judgement_of_json(value: Any, path: str) -> Judgement:
    """Return the judgement of a file. Raises DataError for another value."""
    try:
        if value["schema"] != "numbat.judgement/1":
            raise ValueError(value["schema"])
        counts = {str(row): int(count) for row, count in value["tags"].items()}
        weights = tuple(float(value["weights"][name]) for name in NAMES)
        scale, shift, free = (float(value[name]) for name in ("scale", "shift", "free"))
        return Judgement(TagTrigrams._from_counts(counts), weights, scale, shift, free)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(f"{path}: no judgement of a language\n  make the language again, with numbat induce") from None


def features_of(parse: Parse, trigrams: TagTrigrams) -> Features:
    """Return the features of a parse, in the order of `NAMES`."""
    tags = [word.construction for word in parse.words]
    number = max(1, len(tags))
    likelihood = parse.log_likelihood or 0.0
    cost = -(parse.violation_cost + parse.fragment_cost) / UNIT
    of_tags = trigrams.log_likelihood(tags)
    return likelihood, cost, of_tags, number, likelihood / number, cost / number, of_tags / number, float(cost < 0)


def learned_judgement(trigrams: TagTrigrams, pairs: Sequence[JudgedPair]) -> Judgement:
    """Return the judgement by which good sentences win over their corruptions, each kind counting the same."""
    import numpy as np

    kinds = Counter(pair.kind for pair in pairs)
    shares = np.array([1 / kinds[pair.kind] for pair in pairs]) / len(kinds)
    differences = np.array([np.subtract(pair.good, pair.bad) for pair in pairs])
    spread = differences.std(axis=0) + 1e-9
    scaled = differences / spread
    weights = np.zeros(len(NAMES))
    for _ in range(STEPS):
        wrong = 1 / (1 + np.exp(np.clip(scaled @ weights, -500, 500)))
        weights += RATE * ((shares * wrong) @ scaled - DECAY * weights)
    found = Judgement(trigrams, tuple(float(each) for each in weights / spread))
    values = np.array([found.value(each) for pair in pairs for each in (pair.good, pair.bad)])
    is_good = np.array([1.0, 0.0] * len(pairs))
    scale, shift = _calibrated(values, is_good)
    free = sum(shares[place] for place, pair in enumerate(pairs) if pair.bad[NAMES.index("cost")] == 0)
    return Judgement(trigrams, found.weights, scale, shift, float(free))


def _calibrated(values: Any, is_good: Any) -> tuple[float, float]:
    """Return scale and shift of a logistic regression on one value, by Newton's steps."""
    import numpy as np

    middle, spread = float(values.mean()), float(values.std()) or 1.0
    rows = np.stack([(values - middle) / spread, np.ones(len(values))], axis=1)
    found = np.zeros(2)
    for _ in range(25):
        share = 1 / (1 + np.exp(-np.clip(rows @ found, -500, 500)))
        curvature = (rows * (share * (1 - share) + 1e-9)[:, None]).T @ rows + 1e-3 * np.eye(2)
        found += np.linalg.solve(curvature, rows.T @ (is_good - share) - 1e-3 * found)
    scale = max(0.0, float(found[0])) / spread
    return scale, float(found[1]) - scale * middle
