"""How acceptable a sentence is to a language of a treebank: its tree, its words and its violations weighed together.

The score is a sum of weighted features: by the word, logarithms of the likelihood of the tree and of trigrams of the
tags, of frequent forms and of tags with features (smoothed as by Witten and Bell 1991), beside the likelihood of the
same forms in any order (as SLOR: Lau, Clark and Lappin 2017); what violations cost; words that repeat the word before
them. Nothing grows with the sentence but faults, so that length, by which a word that is left out or doubled
is known at once, tells nothing. Weights are those under which sentences win over their corruptions (logistic regression
on the differences of pairs), factors of costs by relation those under which costs alone do. A second regression makes a
probability of the score: that a sentence is one of the treebank and not a corruption of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any, Final, NamedTuple

from numbat.errors import DataError
from numbat.grammar.properties import UNIT
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.statistics.regression import logistic

# Rows of classes: tags, frequent forms, tags with features

EDGE: Final = "<>"
ORDERS: Final = (1, 2, 3)
SEEN_FEATURES: Final = ("Number", "Gender", "Person", "Case", "VerbForm", "Mood", "Tense")
"""The features of words that count."""
FREQUENT: Final = 5
"""A form is a class of its own where a treebank has it so often."""
OPEN: Final = frozenset({"NOUN", "PROPN", "NUM", "ADJ"})
"""The tags of words whose forms say what a sentence is about, and so are never classes."""
VIEWS: Final = ("tags", "forms", "features")
"""The rows of classes that a sentence of tagged words has."""

USUAL: Final = "usual forms"
"""The likelihood of the forms in any order: what a sentence is about is not to count."""
TaggedWord = tuple[str, str]
"""A form and its tag."""


@frozen
class Trigrams:
    """Counts of classes after the classes before them; `counts` has rows of one to three, separated by blanks."""

    counts: Mapping[str, int]
    contexts: Mapping[str, tuple[int, int]]
    """Of each row before a class, how often it occurs and how many classes follow it."""
    classes: int

    @staticmethod
    def of(sentences: Iterable[Sequence[str]], least: int = 1) -> Trigrams:
        """Return the counts of rows of classes; rows of three count where they occur `least` times."""
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
        """Return the trigrams of these counts."""
        seen: dict[str, tuple[int, int]] = {}
        for row, count in counts.items():
            before = row.rpartition(" ")[0]
            total, kinds = seen.get(before, (0, 0))
            seen[before] = total + count, kinds + 1
        return Trigrams(counts, seen, sum(" " not in row for row in counts))

    def log_likelihood(self, row: Sequence[str], orders: Collection[int] = ORDERS) -> float:
        """Return the natural logarithm of the likelihood of a row; with order 1 alone, in whatever order it is."""
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
    """What a treebank says of rows of tagged words: features of words, and the trigrams of each of the `VIEWS`.

    A form in small letters with its tag, `die/DET`, has its values of `SEEN_FEATURES` in `features`.
    """

    features: Mapping[str, str]
    trigrams: Mapping[str, Trigrams]

    def rows(self, words: Sequence[TaggedWord]) -> dict[str, list[str]]:
        """Return the rows of classes of a sentence."""
        return _rows(words, self.features, self.trigrams["forms"].counts)

    def values(self, words: Sequence[TaggedWord]) -> dict[str, float]:
        """Return the features of a sentence that need no tree."""
        number = max(1, len(words))
        found = {}
        rows = self.rows(words)
        for view, row in rows.items():
            found[view] = self.trigrams[view].log_likelihood(row) / number
        found[USUAL] = self.trigrams["forms"].log_likelihood(rows["forms"], ORDERS[:1]) / number
        found["repeated"] = -float(sum(one[0].lower() == other[0].lower() for one, other in pairwise(words)))
        return found


def word_model(sentences: Sequence[Sequence[TaggedWord]], features: Mapping[TaggedWord, str]) -> WordModel:
    """Return the model of tagged sentences; `features` are those of a form in small letters with its tag."""
    counts = Counter(_named(*word) for sentence in sentences for word in sentence if word[1] not in OPEN)
    frequent = {name for name, count in counts.items() if count >= FREQUENT}
    named = {_named(*word): values for word, values in features.items() if values}
    rows = [_rows(sentence, named, frequent) for sentence in sentences]
    return WordModel(
        named, {view: Trigrams.of((row[view] for row in rows), 1 if view == "tags" else 2) for view in VIEWS}
    )


def _rows(words: Sequence[TaggedWord], features: Mapping[str, str], frequent: Container[str]) -> dict[str, list[str]]:
    """Return the rows of classes of a sentence, by features of words and forms that are classes of their own."""
    named = [(_named(*word), word[1]) for word in words]
    tags = [tag for _, tag in named]
    forms = [name if name in frequent else tag for name, tag in named]
    values = [f"{tag}:{features.get(name, '')}" for name, tag in named]
    return dict(zip(VIEWS, (tags, forms, values), strict=True))


def seen_features(feats: Iterable[tuple[str, str]]) -> str:
    """Return the values of `SEEN_FEATURES` among features of a word, in one word."""
    values = dict(feats)
    return "|".join(values[name] for name in SEEN_FEATURES if name in values)


def _named(form: str, tag: str) -> str:
    return f"{'_'.join(form.lower().split())}/{tag}"


# Features of a parse

Features = Mapping[str, float]
COST_OF: Final = "cost of "
"""The beginning of the names of costs by relation."""
FRAGMENTS: Final = "fragments"
LEARNED_COST: Final = "cost"
NAMES: Final = ("tree", *VIEWS, USUAL, "repeated", LEARNED_COST)
"""The features that are weighed. None of them grows with the sentence but the last two, faults."""
FAULTS: Final = frozenset({"repeated", LEARNED_COST})
"""What never speaks for a sentence."""
WITHOUT_COST: Final = "free"
"""1 where nothing is violated."""


def tagged_words(parse: Parse) -> list[TaggedWord]:
    """Return the words of a parse with their categories."""
    return [(parse.lattice.tokens[word.start], word.construction) for word in parse.words]


def features_of(parse: Parse, words: WordModel) -> dict[str, float]:
    """Return the features of a parse, all but the learned cost: the more, the better."""
    found = words.values(tagged_words(parse))
    found["tree"] = (parse.log_likelihood or 0.0) / max(1, len(parse.words))
    return found | costs_of(parse)


def costs_of(parse: Parse) -> dict[str, float]:
    """Return minus what the violations of each relation cost, and fragments; and whether there is neither."""
    found: dict[str, float] = {}
    for instance in parse.violated:
        name = COST_OF + instance.property.type
        found[name] = found.get(name, 0.0) - instance.property.cost / UNIT
    if parse.fragment_cost:
        found[COST_OF + FRAGMENTS] = -parse.fragment_cost / UNIT
    return {**found, WITHOUT_COST: float(not parse.violation_cost and not parse.fragment_cost)}


def own_cost(features: Features) -> float:
    """Return minus the cost of a parse by the grammar."""
    return sum(value for name, value in features.items() if name.startswith(COST_OF))


class JudgedPair(NamedTuple):
    """The features of a sentence and of a corruption of it, of some kind."""

    kind: str
    good: Features
    bad: Features


@frozen
class Judgement:
    """A model of acceptability: `weights` of the features `NAMES`, `scale` and `shift` of the probability.

    `factors` are those by which the square roots of the costs of a relation count, `repeated` among them: what words
    cost that repeat the one before them.
    `free` is the share of corruptions that cost nothing.
    """

    words: WordModel
    weights: Mapping[str, float]
    factors: Mapping[str, float]
    scale: float = 1.0
    shift: float = 0.0
    free: float = 0.0

    def score(self, parse: Parse) -> float:
        """Return the probability, 0 to 1, that a sentence is no corruption."""
        return self.probability(features_of(parse, self.words))

    def told(self, parse: Parse) -> str:
        """Return the judgement of a parse in words, and how much is to be thought of costs."""
        share = "no sentence" if not self.free else f"{100 * self.free:.0f} % of the sentences"
        return f"judgement {self.score(parse):.2f}; {share} that were made worse on purpose cost nothing"

    def cost(self, features: Features) -> float:
        """Return minus the learned cost of the properties."""
        return sum(factor * _damped(features, name) for name, factor in self.factors.items())

    def value(self, features: Features) -> float:
        """Return the sum of the weighted features."""
        return sum(self.parts(features).values())

    def parts(self, features: Features) -> dict[str, float]:
        """Return the weighted features."""
        known = {**features, LEARNED_COST: self.cost(features)}
        return {name: weight * known.get(name, 0.0) for name, weight in self.weights.items()}

    def probability(self, features: Features) -> float:
        """Return the probability that belongs to features."""
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
    """Return the judgement of a file. Raises DataError for another value."""
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
        raise DataError(f"{path}: no judgement of a language\n  make the language again, with numbat induce") from None


# Learning


def learned_judgement(words: WordModel, pairs: Sequence[JudgedPair]) -> Judgement:
    """Return the judgement by which good sentences win over their corruptions, each kind counting the same."""
    import numpy as np

    relations = sorted({name for pair in pairs for each in pair[1:] for name in each if name.startswith(COST_OF)})
    of_cost = (*relations, "repeated")
    damped = [
        JudgedPair(pair.kind, *({name: _damped(each, name) for name in of_cost} for each in pair[1:])) for pair in pairs
    ]
    factors = _regression(damped, of_cost, of_cost)
    bare = Judgement(words, {}, factors)
    known = [JudgedPair(pair.kind, *({**each, LEARNED_COST: bare.cost(each)} for each in pair[1:])) for pair in pairs]
    judgement = Judgement(words, _regression(known, NAMES, FAULTS), factors)
    values = np.array([judgement.value(each) for pair in pairs for each in pair[1:]])
    scale, shift = _calibrated(values, np.array([1.0, 0.0] * len(pairs)))
    free = sum(share for share, pair in zip(_shares(pairs), pairs, strict=True) if pair.bad[WITHOUT_COST])
    return Judgement(words, judgement.weights, factors, scale, shift, free)


def _damped(features: Features, name: str) -> float:
    """Return minus the square root of a cost: many violations of a relation are not much worse than one."""
    return -sqrt(max(0.0, -features.get(name, 0.0)))


def _shares(pairs: Sequence[JudgedPair]) -> list[float]:
    """Return how much each pair counts: each kind the same, 1 in all."""
    kinds = Counter(pair.kind for pair in pairs)
    return [1 / kinds[pair.kind] / len(kinds) for pair in pairs]


def _regression(pairs: Sequence[JudgedPair], names: Sequence[str], faults: Collection[str]) -> dict[str, float]:
    """Return the weights of a logistic regression on the differences of pairs; those of faults are 0 or more."""
    import numpy as np

    shares = np.array(_shares(pairs))
    rows = np.array([[good.get(name, 0.0) - bad.get(name, 0.0) for name in names] for _, good, bad in pairs])
    spread = np.sqrt((rows**2).mean(axis=0))
    kept = [place for place, each in enumerate(spread) if each > 0]
    weights = np.zeros(len(names))
    while kept:
        found = logistic(rows[:, kept] / spread[kept], np.ones(len(rows)), shares)
        negative = {place for place, each in zip(kept, found, strict=True) if each < 0 and names[place] in faults}
        if not negative:
            weights[kept] = found / spread[kept]
            break
        kept = [place for place in kept if place not in negative]
    return {name: float(weight) for name, weight in zip(names, weights, strict=True)}


def _calibrated(values: Any, is_good: Any) -> tuple[float, float]:
    """Return scale and shift of a logistic regression on one value."""
    import numpy as np

    middle, spread = float(values.mean()), float(values.std()) or 1.0
    rows = np.stack([(values - middle) / spread, np.ones(len(values))], axis=1)
    slope, shift = logistic(rows, is_good, np.ones(len(values)))
    scale = max(0.0, float(slope)) / spread
    return scale, float(shift) - scale * middle
