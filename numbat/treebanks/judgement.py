"""Judgement: a model of acceptability from the tree, the words and the violations of a sentence.

The score is a sum of weighted features: per word, log likelihoods of the tree and of trigrams of tags, of frequent
forms and of tags with features (smoothed by Witten and Bell 1991), with the likelihood of the forms in any order as a
baseline (as in SLOR: Lau, Clark and Lappin 2017); costs of violations; words that repeat the previous word. Only the
last two are not averages, as the length of a sentence would otherwise reveal that a word was dropped or doubled. First
factors for the costs of each relation, then all weights, are learned by logistic regression on the differences between
sentences and their corruptions. Another regression turns the score into the probability that a sentence is not a
corruption.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any, Final, NamedTuple

from numbat.errors import DataError
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.statistics.regression import logistic

# Classes of words: the tag, the form if it is frequent and else the tag, or the tag with features

EDGE: Final = "<>"
ORDERS: Final = (1, 2, 3)
SEEN_FEATURES: Final = ("Number", "Gender", "Person", "Case", "VerbForm", "Mood", "Tense")
"""Features of words in classes."""
FREQUENT: Final = 5
"""Minimum count of a form to be a separate class."""
OPEN: Final = frozenset({"NOUN", "PROPN", "NUM", "ADJ"})
"""Tags of words whose forms are never classes, as they depend on the topic."""
VIEWS: Final = ("tags", "forms", "features")
"""Names of the three ways to turn the words of a sentence into a row of classes."""

USUAL: Final = "usual forms"
"""Name of the likelihood of the forms in any order, a baseline that cancels the topic."""
TaggedWord = tuple[str, str]
"""A form and its tag."""


@frozen
class Trigrams:
    """Counts of classes in context; `counts` is by row of one to three classes, separated by blanks."""

    counts: Mapping[str, int]
    contexts: Mapping[str, tuple[int, int]]
    """By the row before a class: how often a class follows it, and how many different ones do."""
    classes: int

    @staticmethod
    def of(sentences: Iterable[Sequence[str]], least: int = 1) -> Trigrams:
        """Count the rows of one to three classes in sentences; those of three are kept if they occur `least` times."""
        counts: Counter[str] = Counter()
        for sentence in sentences:
            padded = (EDGE, EDGE, *sentence, EDGE)
            for end in range(3, len(padded) + 1):
                counts.update(" ".join(padded[end - order : end]) for order in ORDERS)
        return Trigrams.of_counts(
            {row: count for row, count in counts.items() if count >= least or row.count(" ") < ORDERS[-1] - 1}
        )

    @staticmethod
    def of_counts(counts: Mapping[str, int]) -> Trigrams:
        """Return the trigrams with these counts."""
        contexts: dict[str, tuple[int, int]] = {}
        for row, count in counts.items():
            before = row.rpartition(" ")[0]
            total, kinds = contexts.get(before, (0, 0))
            contexts[before] = total + count, kinds + 1
        return Trigrams(counts, contexts, sum(" " not in row for row in counts))

    def log_likelihood(self, row: Sequence[str], orders: Collection[int] = ORDERS) -> float:
        """Return the natural log likelihood of a row; with `orders` (1,) the order of classes does not matter."""
        padded = (EDGE, EDGE, *row, EDGE)
        return sum(log(self._chance(padded[end - 3 : end], orders)) for end in range(3, len(padded) + 1))

    def _chance(self, row: Sequence[str], orders: Collection[int] = ORDERS) -> float:
        chance = 1 / (self.classes + 1)
        for order in orders:
            before = " ".join(row[len(row) - order : -1])
            total, kinds = self.contexts.get(before, (0, 0))
            if total:
                count = self.counts.get(" ".join(row[len(row) - order :]), 0)
                chance = (count + kinds * chance) / (total + kinds)
        return chance


@frozen
class WordModel:
    """Model of tagged words: features of words, and trigrams for each of the `VIEWS`.

    `features` maps a form in lower case with its tag, `die/DET`, to its values of `SEEN_FEATURES`.
    """

    features: Mapping[str, str]
    trigrams: Mapping[str, Trigrams]

    def rows(self, words: Sequence[TaggedWord]) -> dict[str, list[str]]:
        """Return the classes of the words of a sentence, in a row for each of the `VIEWS`."""
        return _rows(words, self.features, self.trigrams["forms"].counts)

    def values(self, words: Sequence[TaggedWord]) -> dict[str, float]:
        """Return the features of a sentence that do not depend on its tree."""
        number = max(1, len(words))
        values = {}
        rows = self.rows(words)
        for view, row in rows.items():
            values[view] = self.trigrams[view].log_likelihood(row) / number
        values[USUAL] = self.trigrams["forms"].log_likelihood(rows["forms"], ORDERS[:1]) / number
        values["repeated"] = -float(sum(one[0].lower() == other[0].lower() for one, other in pairwise(words)))
        return values


def word_model(sentences: Sequence[Sequence[TaggedWord]], features: Mapping[TaggedWord, str]) -> WordModel:
    """Return the model of tagged sentences; `features` are values of `SEEN_FEATURES` by lower-case form and tag."""
    counts = Counter(_named(*word) for sentence in sentences for word in sentence if word[1] not in OPEN)
    frequent = {name for name, count in counts.items() if count >= FREQUENT}
    named = {_named(*word): values for word, values in features.items() if values}
    rows = [_rows(sentence, named, frequent) for sentence in sentences]
    return WordModel(
        named, {view: Trigrams.of((row[view] for row in rows), 1 if view == "tags" else 2) for view in VIEWS}
    )


def _rows(words: Sequence[TaggedWord], features: Mapping[str, str], frequent: Container[str]) -> dict[str, list[str]]:
    """Return a row of classes for each of the `VIEWS`, given the features of words and the frequent forms."""
    named = [(_named(*word), word[1]) for word in words]
    tags = [tag for _, tag in named]
    forms = [name if name in frequent else tag for name, tag in named]
    values = [f"{tag}:{features.get(name, '')}" for name, tag in named]
    return dict(zip(VIEWS, (tags, forms, values), strict=True))


def seen_features(feats: Iterable[tuple[str, str]]) -> str:
    """Return the values of `SEEN_FEATURES` among the features of a word, joined by |."""
    values = dict(feats)
    return "|".join(values[name] for name in SEEN_FEATURES if name in values)


def _named(form: str, tag: str) -> str:
    return f"{'_'.join(form.lower().split())}/{tag}"


# Features of a parse

Features = Mapping[str, float]
COST_OF: Final = "cost of "
"""Prefix of the names of costs by relation."""
FRAGMENTS: Final = "fragments"
LEARNED_COST: Final = "cost"
NAMES: Final = ("tree", *VIEWS, USUAL, "repeated", LEARNED_COST)
"""Features with weights; only the last two, faults, grow with the sentence."""
FAULTS: Final = frozenset({"repeated", LEARNED_COST})
"""Features whose weights are never negative."""
WITHOUT_COST: Final = "free"
"""Name of the feature that is 1 without violations and fragments."""


def tagged_words(parse: Parse) -> list[TaggedWord]:
    """Return the words of a parse with their categories."""
    return [(parse.lattice.tokens[word.start], word.construction) for word in parse.words]


def features_of(parse: Parse, words: WordModel) -> dict[str, float]:
    """Return the features of a parse except the learned cost; higher values are better."""
    features = words.values(tagged_words(parse))
    features["tree"] = (parse.log_likelihood or 0.0) / max(1, len(parse.words))
    return features | costs_of(parse)


def costs_of(parse: Parse) -> dict[str, float]:
    """Return the negated costs of violations by relation, that of fragments, and the feature `WITHOUT_COST`."""
    costs: dict[str, float] = {}
    for instance in parse.violated:
        name = COST_OF + instance.property.type
        costs[name] = costs.get(name, 0.0) - instance.property.cost
    if parse.fragment_cost_units:
        costs[COST_OF + FRAGMENTS] = -parse.fragment_cost
    return {**costs, WITHOUT_COST: float(not parse.violation_cost_units and not parse.fragment_cost_units)}


def own_cost(features: Features) -> float:
    """Return the negated cost that the grammar gives a parse with these features."""
    return sum(value for name, value in features.items() if name.startswith(COST_OF))


class JudgedPair(NamedTuple):
    """The features of a sentence and of its corruption of some kind."""

    kind: str
    good: Features
    bad: Features


@frozen
class Judgement:
    """A model of acceptability: `weights` of the features `NAMES`; `scale` and `shift` make the sum a probability.

    `factors` multiply the square roots of the costs of each relation, and of the number of `repeated` words. `free` is
    the share of corruptions that cost nothing.
    """

    words: WordModel
    weights: Mapping[str, float]
    factors: Mapping[str, float]
    scale: float = 1.0
    shift: float = 0.0
    free: float = 0.0

    def score(self, parse: Parse) -> float:
        """Return the probability that a sentence is not a corruption."""
        return self.probability(features_of(parse, self.words))

    def told(self, parse: Parse) -> str:
        """Return the judgement of a parse in words, with the share of corruptions that cost nothing."""
        share = "no sentence" if not self.free else f"{100 * self.free:.0f} % of the sentences"
        return f"judgement {self.score(parse):.2f}; {share} that were made worse on purpose cost nothing"

    def cost(self, features: Features) -> float:
        """Return the negated learned cost: the sum of factors times square roots of costs."""
        return sum(factor * _damped(features, name) for name, factor in self.factors.items())

    def value(self, features: Features) -> float:
        """Return the sum of the weighted features."""
        return sum(self.parts(features).values())

    def parts(self, features: Features) -> dict[str, float]:
        """Return each feature times its weight."""
        known = {**features, LEARNED_COST: self.cost(features)}
        return {name: weight * known.get(name, 0.0) for name, weight in self.weights.items()}

    def probability(self, features: Features) -> float:
        """Return the probability that a sentence with these features is not a corruption."""
        value = max(-700.0, min(700.0, self.scale * self.value(features) + self.shift))
        return 1 / (1 + exp(-value))

    def as_json(self) -> dict[str, Any]:
        """Return a value for `json.dumps`; `judgement_of_json` reads it."""
        by_values: dict[str, list[str]] = {}
        for name, values in sorted(self.words.features.items()):
            by_values.setdefault(values, []).append(name)
        return {
            "schema": "numbat.judgement/2",
            "weights": dict(self.weights),
            "factors": dict(self.factors),
            "scale": self.scale,
            "shift": self.shift,
            "free": self.free,
            "words": {view: dict(sorted(trigrams.counts.items())) for view, trigrams in self.words.trigrams.items()},
            "features": {values: " ".join(names) for values, names in by_values.items()},
        }


def judgement_of_json(value: Any, path: str) -> Judgement:
    """Return the judgement for a value of `as_json`, read from `path`. Raises DataError for any other value."""
    try:
        if value["schema"] != "numbat.judgement/2":
            raise ValueError(value["schema"])
        trigrams = {
            view: Trigrams.of_counts({str(row): int(count) for row, count in value["words"][view].items()})
            for view in VIEWS
        }
        features = {name: str(values) for values, names in value["features"].items() for name in names.split(" ")}
        weights = {name: float(value["weights"][name]) for name in NAMES}
        factors = {str(name): float(factor) for name, factor in value["factors"].items()}
        scale, shift, free = (float(value[name]) for name in ("scale", "shift", "free"))
        return Judgement(WordModel(features, trigrams), weights, factors, scale, shift, free)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(
            f"{path}: not the judgement of a language\n  make the language again with numbat induce"
        ) from None


# Learning


def learned_judgement(words: WordModel, pairs: Sequence[JudgedPair]) -> Judgement:
    """Learn a score that ranks sentences above their corruptions; every kind of corruption counts equally."""
    import numpy as np

    relations = sorted({name for pair in pairs for side in pair[1:] for name in side if name.startswith(COST_OF)})
    of_cost = (*relations, "repeated")
    damped = [
        JudgedPair(pair.kind, *({name: _damped(side, name) for name in of_cost} for side in pair[1:])) for pair in pairs
    ]
    factors = _regression(damped, of_cost, of_cost)
    bare = Judgement(words, {}, factors)
    known = [JudgedPair(pair.kind, *({**side, LEARNED_COST: bare.cost(side)} for side in pair[1:])) for pair in pairs]
    judgement = Judgement(words, _regression(known, NAMES, FAULTS), factors)
    values = np.array([judgement.value(side) for pair in pairs for side in pair[1:]])
    scale, shift = _calibrated(values, np.array([1.0, 0.0] * len(pairs)))
    free = sum(share for share, pair in zip(_shares(pairs), pairs, strict=True) if pair.bad[WITHOUT_COST])
    return Judgement(words, judgement.weights, factors, scale, shift, free)


def _damped(features: Features, name: str) -> float:
    """Return the negated square root of a cost, as many violations of a relation are not much worse than one."""
    return -sqrt(max(0.0, -features.get(name, 0.0)))


def _shares(pairs: Sequence[JudgedPair]) -> list[float]:
    """Return the weights of pairs: the same total for each kind, 1 in all."""
    kinds = Counter(pair.kind for pair in pairs)
    return [1 / kinds[pair.kind] / len(kinds) for pair in pairs]


def _regression(pairs: Sequence[JudgedPair], names: Sequence[str], faults: Collection[str]) -> dict[str, float]:
    """Return feature weights from a logistic regression on differences in pairs; those of faults are not negative."""
    import numpy as np

    shares = np.array(_shares(pairs))
    rows = np.array([[good.get(name, 0.0) - bad.get(name, 0.0) for name in names] for _, good, bad in pairs])
    spread = np.sqrt((rows**2).mean(axis=0))
    kept = [place for place, deviation in enumerate(spread) if deviation > 0]
    weights = np.zeros(len(names))
    while kept:
        slopes = logistic(rows[:, kept] / spread[kept], np.ones(len(rows)), shares)
        negative = {place for place, slope in zip(kept, slopes, strict=True) if slope < 0 and names[place] in faults}
        if not negative:
            weights[kept] = slopes / spread[kept]
            break
        kept = [place for place in kept if place not in negative]
    return {name: float(weight) for name, weight in zip(names, weights, strict=True)}


def _calibrated(values: Any, is_good: Any) -> tuple[float, float]:
    """Return the scale and the shift of a logistic regression that tells good sentences by one value."""
    import numpy as np

    middle, spread = float(values.mean()), float(values.std()) or 1.0
    rows = np.stack([(values - middle) / spread, np.ones(len(values))], axis=1)
    slope, shift = logistic(rows, is_good, np.ones(len(values)))
    scale = max(0.0, float(slope)) / spread
    return scale, float(shift) - scale * middle
