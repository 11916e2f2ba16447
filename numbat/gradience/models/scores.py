"""The gradience models: from a parse and weights to a score, with the terms that make it up (docs/decisions.md).

Every model grows with acceptability. An index that its source defines for one constituent is taken of a tree in one of
two ways: *pooled*, that is from the summed counts of its phrases, or *propagated*, that is multiplied by the mean over
the daughters, 1 for a word. A term also has the index of its constituent alone (`local`).

Parses that are not full (ruling 12): the mean over the top-level constituents weighted by their words, a bare part of
speech 0, times `Weights.partial`; a mean below 0 stays as it is, for the factor must not better it. Where 0 is the best
value and not the worst (`violation-density`, from -1 to 0), the same is done with its distance from -1. The two models
that count costs take such a parse as it is: its fragments have their cost.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.gradience.models.counting import (
    GRAMMAR,
    Counts,
    WeighedParse,
    Weights,
    completeness,
    density,
    model_theoretic_precision,
    precision,
    quality,
    ratio,
    satisfaction,
    violation_density,
)
from numbat.grammar.properties import UNIT
from numbat.parsing.policies import known
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.parsing.result import Parse


@frozen
class Term:
    """What one phrase gives to a score: its counts, its own index (`local`), and `value` with all below it."""

    constituent: Constituent
    counts: Counts
    local: float
    value: float


@frozen
class Score:
    """The value of a model for a parse. `terms` are its phrases, `parts` the named numbers that the value is made of.

    `factor` is 1, or what the score of a parse that is not full, less `worst`, was multiplied by. Where `stopped_by` is
    set, the parse met that limit, so that a better one may exist.
    """

    model: str
    value: float
    terms: tuple[Term, ...]
    parts: tuple[tuple[str, float], ...]
    factor: float = 1.0
    stopped_by: str | None = None
    worst: float = 0.0

    @property
    def unscaled(self) -> float:
        """The value without the factor."""
        return self.worst + (self.value - self.worst) / self.factor if self.factor else self.value


@frozen
class Model:
    """A gradience model with its formula and source."""

    name: str
    formula: str
    source: str
    of: Callable[[WeighedParse], Score]


Index = Callable[[Counts, Weights], float]


def figure(value: float) -> str:
    """A score for people: at most three decimals."""
    return f"{round(value, 3) + 0:.3f}".rstrip("0").rstrip(".")  # + 0, for what is rounded to -0


def score(parse: Parse, model: str = "cost", weights: Weights = GRAMMAR) -> Score:
    """The score of a parse. Raises UsageError for an unknown model, DataError for a parse without words."""
    chosen = MODELS[known(model, MODELS, "gradience model")]
    if not parse.constituents:
        raise DataError("no words: there is nothing to score\n  punctuation alone is no sentence")
    return chosen.of(WeighedParse(parse, weights))


Scorer = Callable[["Parse"], Score]
"""A model with its weights, or one that was fitted."""


@frozen
class ByModel:
    """A scorer that says by which model and weights it scores."""

    model: str
    weights: Weights

    def __call__(self, parse: Parse) -> Score:
        return score(parse, self.model, self.weights)

    @property
    def counts_costs(self) -> bool:
        """Whether the score is the cost that the search minimises, but for the choice of readings."""
        return self.model == "cost" and self.weights == GRAMMAR


def scorer(model: str, weights: Weights = GRAMMAR) -> ByModel:
    """Scores by a model. Raises UsageError for an unknown one, at once."""
    return ByModel(known(model, MODELS, "gradience model"), weights)


def local_terms(weighed: WeighedParse, index: Index) -> tuple[Term, ...]:
    """A term for each phrase, from the top and from the left, whose value is its own index."""
    phrases = (phrase for top in weighed.parse.constituents for phrase in top.walk() if not phrase.is_word)
    terms = []
    for phrase in phrases:
        counts = weighed.counts(phrase)
        own = index(counts, weighed.weights)
        terms.append(Term(phrase, counts, own, own))
    return tuple(terms)


def _pooled(name: str, index: Index, worst: float = 0.0) -> Callable[[WeighedParse], Score]:
    def of(weighed: WeighedParse) -> Score:
        terms = local_terms(weighed, index)
        counts = {id(term.constituent): term.counts for term in terms}
        values = []
        for top in weighed.parse.constituents:
            whole = sum((counts[id(phrase)] for phrase in top.walk() if not phrase.is_word), Counts())
            bare = 0.0 if weighed.parse.is_full else worst
            values.append(bare if top.is_word else index(whole, weighed.weights))
        return _of_sentence(name, weighed, terms, values, worst)

    return of


def _propagated(name: str, index: Index) -> Callable[[WeighedParse], Score]:
    def of(weighed: WeighedParse) -> Score:
        value: dict[int, float] = {}
        terms = []
        for term in reversed(local_terms(weighed, index)):
            daughters = term.constituent.daughters
            mean = fsum(1.0 if each.is_word else value[id(each)] for each in daughters) / len(daughters)
            value[id(term.constituent)] = term.local * mean
            terms.append(Term(term.constituent, term.counts, term.local, term.local * mean))
        values = [value.get(id(top), 0.0) for top in weighed.parse.constituents]
        return _of_sentence(name, weighed, tuple(reversed(terms)), values)

    return of


def _of_sentence(
    name: str, weighed: WeighedParse, terms: tuple[Term, ...], values: list[float], worst: float = 0.0
) -> Score:
    """Ruling 12: the mean over the top-level constituents weighted by words; where the parse is not full, its distance
    from the worst value is multiplied by a factor."""
    parse = weighed.parse
    words = [top.cover.bit_count() for top in parse.constituents]
    mean = fsum(value * number for value, number in zip(values, words, strict=True)) / sum(words)
    factor = 1.0 if parse.is_full or mean < worst else weighed.weights.partial
    parts = [
        (f"{top.construction} {top.start}-{top.end}", value)
        for top, value in zip(parse.constituents, values, strict=True)
    ]
    value = mean if factor == 1 else worst + (mean - worst) * factor
    return Score(name, value, terms, tuple(parts), factor, parse.stopped_by, worst)


def _fitness(weighed: WeighedParse) -> Score:
    """N+/E over all instances of the tree, the share of what was evaluated that holds."""
    values = []
    for top in weighed.parse.constituents:
        both = [phrase.characterization for phrase in top.walk()]
        held, broken = sum(len(each.satisfied) for each in both), sum(len(each.violated) for each in both)
        values.append(ratio(held, held + broken))
    terms = local_terms(weighed, lambda counts, weights: satisfaction(counts))
    return _of_sentence("fitness", weighed, terms, values)


def _sums(weighed: WeighedParse) -> dict[str, float]:
    """Weights of the satisfied instances, costs of the violated, of fragments and of readings, in units."""
    parse, weights = weighed.parse, weighed.weights
    return {
        "satisfied": fsum(weights.weight(each.property) for each in parse.satisfied),
        "violated": fsum(weights.cost(each.property) for each in parse.violated),
        "fragments": parse.fragment_cost / UNIT,
    }


def _net(weighed: WeighedParse) -> Score:
    sums = _sums(weighed)
    sums["nodes"] = weighed.parse.nodes * weighed.parse.grammar.node_cost / UNIT
    whole = sums["satisfied"] - sums["violated"] - sums["fragments"] - sums["nodes"]
    words = sum(top.cover.bit_count() for top in weighed.parse.constituents)
    terms = local_terms(weighed, lambda counts, weights: counts.weight_satisfied - counts.weight_violated)
    parts = (*sums.items(), ("words", float(words)))
    return Score("net", whole / words, terms, parts, stopped_by=weighed.parse.stopped_by)


def _cost(weighed: WeighedParse) -> Score:
    sums = _sums(weighed)
    del sums["satisfied"]
    terms = local_terms(weighed, lambda counts, weights: -counts.weight_violated)
    # 0 and not -0 for a well-formed sentence: the sign would be printed
    return Score("cost", 0.0 - fsum(sums.values()), terms, tuple(sums.items()), stopped_by=weighed.parse.stopped_by)


BLACHE_2004: Final = "Blache 2004"
VANRULLEN: Final = "VanRullen 2004"
BHR: Final = "Blache, Hemforth & Rauzy 2006"
DUCHIER: Final = "Duchier, Prost & Dao 2009"

MODELS: Final[dict[str, Model]] = {
    model.name: model
    for model in (
        Model("density", "N+/T, pooled", BLACHE_2004, _pooled("density", lambda c, w: density(c))),
        Model(
            "violation-density",
            "-N-/T, pooled",
            BLACHE_2004,
            _pooled("violation-density", lambda c, w: 0.0 - violation_density(c), worst=-1.0),
        ),
        Model("local", "N+/(N+ + N-), pooled", VANRULLEN, _pooled("local", lambda c, w: satisfaction(c))),
        Model(
            "propagated",
            "N+/(N+ + N-), times the mean over the daughters",
            VANRULLEN,
            _propagated("propagated", lambda c, w: satisfaction(c)),
        ),
        Model("satisfaction", "SR = N+/E, pooled", BHR, _pooled("satisfaction", lambda c, w: satisfaction(c))),
        Model("completeness", "CI = E/T, pooled", BHR, _pooled("completeness", lambda c, w: completeness(c))),
        Model("quality", "QI = (W+ - W-)/(W+ + W-), pooled", BHR, _pooled("quality", lambda c, w: quality(c))),
        Model("precision", "PI = k QI + l SR + m CI, pooled", BHR, _pooled("precision", precision)),
        Model(
            "grammaticality-index",
            "GI = PI, times the mean over the daughters",
            BHR,
            _propagated("grammaticality-index", precision),
        ),
        Model(
            "grammaticality",
            "k W + l C, times the mean over the daughters",
            DUCHIER,
            _propagated("grammaticality", model_theoretic_precision),
        ),
        Model(
            "coherence",
            "W, times the mean over the daughters",
            DUCHIER,
            _propagated("coherence", lambda c, w: quality(c)),
        ),
        Model("fitness", "F = N+/E over all instances", DUCHIER, _fitness),
        Model("net", "(weights of the satisfied - costs - node costs) per word", "Numbat", _net),
        Model("cost", "-(costs of the violated + fragment costs)", "Numbat", _cost),
    )
}
"""Every model by the name that `--model` takes."""
