"""Gradience models: the score of a parse under weights, with the terms that it consists of (docs/decisions.md).

Higher scores mean more acceptable. If the source of a model defines an index for one constituent only, the index of a
tree is either *pooled*, computed from the summed counts of its phrases, or *propagated*, multiplied by the mean over
the daughters (1 for a word). A term also has the index of its constituent alone (`local`).

The score of a parse that is not full (ruling 12) is the mean over the top-level constituents, weighted by their words
(0 for a bare part of speech), times `Weights.partial`. A mean below 0 is left as it is, since the factor must not
improve it. If 0 is the best value (`violation-density`, from -1 to 0), its distance from -1 is multiplied instead. The
two models that count costs treat such parses like others, as fragments have their cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum, inf
from typing import TYPE_CHECKING, Final

from numbat.acceptability.scores import PropertyCounts, Score, Term
from numbat.errors import DataError, UsageError
from numbat.evaluation.constituents import Characterization, Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Property
from numbat.parsing.explanation.violations import explain_fragments, explain_prices, explain_violations
from numbat.parsing.policies import known
from numbat.records import cached_property, frozen

if TYPE_CHECKING:
    from numbat.parsing.analysis import Evaluated
    from numbat.parsing.result import Parse


# A property counts once in a constituent, as violated if any of its instances is (ruling 11).


@frozen
class Weights:
    """Weights of properties, and constants of models.

    `quality`, `satisfaction` and `completeness` are k, l and m of the precision index (k and m of Duchier et al.'s
    precision too, scaled to a sum of 1); their defaults are consistent with the figures printed for the French
    Treebank (2012): m = .471, k + l = .529. `partial` is the factor for a parse that is not full (ruling 12).
    """

    name: str
    weight: Callable[[Property], float]
    cost: Callable[[Property], float]
    quality: float = 0.2645
    satisfaction: float = 0.2645
    completeness: float = 0.471
    partial: float = 0.5


# Weights are sent to other processes, so their functions must be picklable: named functions or records.


def _weight(prop: Property) -> float:
    return prop.weight


def _instance_cost(prop: Property) -> float:
    return prop.cost


def _one(prop: Property) -> float:
    return 1.0


@frozen
class RelationWeights:
    """Weights of properties by their relation; 1 if none is given."""

    weights: Mapping[str, float]

    def __call__(self, prop: Property) -> float:
        return self.weights.get(prop.type, 1.0)


GRAMMAR: Final = Weights("grammar", _weight, _instance_cost)
EQUAL: Final = Weights("equal", _one, _one)
WEIGHTS: Final = {weights.name: weights for weights in (GRAMMAR, EQUAL)}
"""`grammar`: the weights of the grammar; `equal`: 1 for every property."""


def weights_named(name: str) -> Weights:
    """Return the weights called `name`. Raises UsageError if there are none."""
    return WEIGHTS[known(name, WEIGHTS, "set of weights")]


def by_relation(weights: Mapping[str, float], grammar: Grammar) -> Weights:
    """Return weights by relation, 1 for others. Raises UsageError for a relation that the grammar does not use."""
    used = list(dict.fromkeys(prop.type for prop in grammar.properties))
    for relation, weight in weights.items():
        known(relation, used, "relation of the grammar")
        if not 0 <= weight < inf:
            raise UsageError(f"the weight of {relation} is {weight:g}\n  give it a weight of 0 or more")

    relation_weights = RelationWeights(dict(weights))
    return Weights("by relation", relation_weights, relation_weights)


@dataclass(frozen=True)
class WeighedParse:
    """A parse with weights, which returns the counts of its constituents."""

    parse: Parse
    weights: Weights

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """T, the number of properties, by construction."""
        return self.parse.form_sizes

    def counts(self, constituent: Constituent) -> PropertyCounts:
        """Return the counts of one constituent, without those of its daughters."""
        both = constituent.characterization
        # By identity, since hashing a property is slow: it walks the operands.
        violated = {id(instance.property): instance.property for instance in both.violated}
        held = {id(instance.property): instance.property for instance in both.satisfied}
        satisfied = [prop for key, prop in held.items() if key not in violated]
        return PropertyCounts(
            len(satisfied),
            len(violated),
            self.totals.get(constituent.construction, 0),
            sum(map(self.weights.weight, satisfied)),
            sum(map(self.weights.weight, violated.values())),
        )


def ratio(part: float, whole: float) -> float:
    """Return part / whole, or 0 if nothing was counted."""
    return part / whole if whole else 0.0


def density(counts: PropertyCounts) -> float:
    """N+/T (Blache 2004)."""
    return ratio(counts.satisfied, counts.total)


def violation_density(counts: PropertyCounts) -> float:
    """N-/T (Blache 2004)."""
    return ratio(counts.violated, counts.total)


def satisfaction(counts: PropertyCounts) -> float:
    """SR = N+/E (Blache, Hemforth & Rauzy 2006); VanRullen's (2004) local density is the same."""
    return ratio(counts.satisfied, counts.evaluated)


def completeness(counts: PropertyCounts) -> float:
    """CI = C = E/T (Blache, Hemforth & Rauzy 2006; Duchier et al. 2009)."""
    return ratio(counts.evaluated, counts.total)


def quality(counts: PropertyCounts) -> float:
    """QI = W = (W+ - W-)/(W+ + W-) (Blache, Hemforth & Rauzy 2006; Duchier et al. 2009), from -1 to 1."""
    both = counts.weight_satisfied + counts.weight_violated
    return ratio(counts.weight_satisfied - counts.weight_violated, both)


def precision(counts: PropertyCounts, weights: Weights) -> float:
    """PI = k QI + l SR + m CI (Blache, Hemforth & Rauzy 2006)."""
    return (
        weights.quality * quality(counts)
        + weights.satisfaction * satisfaction(counts)
        + weights.completeness * completeness(counts)
    )


def model_theoretic_precision(counts: PropertyCounts, weights: Weights) -> float:
    """k W + l C (Duchier et al. 2009), k and l being the weights of quality and completeness scaled to a sum of 1."""
    both = weights.quality + weights.completeness
    return ratio(weights.quality * quality(counts) + weights.completeness * completeness(counts), both)


@frozen
class Model:
    """A gradience model with its formula and source."""

    name: str
    formula: str
    source: str
    of: Callable[[WeighedParse], Score]


Index = Callable[[PropertyCounts, Weights], float]


def score(parse: Parse, model: str = "cost", weights: Weights = GRAMMAR) -> Score:
    """Return the score of a parse. Raises UsageError for an unknown model, DataError for a parse without words."""
    chosen = MODELS[known(model, MODELS, "gradience model")]
    if not parse.constituents:
        raise DataError("no words: there is nothing to score\n  give a sentence that has more than punctuation")
    return chosen.of(WeighedParse(parse, weights))


Scorer = Callable[["Parse"], Score]
"""A function from a parse to its score: a model with its weights, or a fitted model."""


@frozen
class ByModel:
    """A scorer that applies a gradience model with weights."""

    model: str
    weights: Weights

    def __call__(self, parse: Parse) -> Score:
        return score(parse, self.model, self.weights)

    @property
    def counts_costs(self) -> bool:
        """True if the score is the cost that the search minimises, apart from the cost of readings."""
        return self.model == "cost" and self.weights == GRAMMAR


def scorer(model: str, weights: Weights = GRAMMAR) -> ByModel:
    """Return the scorer of a model. Raises UsageError for an unknown model."""
    return ByModel(known(model, MODELS, "gradience model"), weights)


def local_terms(weighed: WeighedParse, index: Index) -> tuple[Term, ...]:
    """Return a term for each phrase, top-down and left to right; its value is the index of the phrase alone."""
    phrases = (phrase for top in weighed.parse.constituents for phrase in top.walk() if not phrase.is_word)
    terms = []
    for phrase in phrases:
        counts = weighed.counts(phrase)
        value = index(counts, weighed.weights)
        terms.append(Term(phrase, counts, value, value))
    return tuple(terms)


def _pooled(name: str, index: Index, worst: float = 0.0) -> Callable[[WeighedParse], Score]:
    def of(weighed: WeighedParse) -> Score:
        terms = local_terms(weighed, index)
        counts = {id(term.constituent): term.counts for term in terms}
        values = []
        for top in weighed.parse.constituents:
            whole = sum((counts[id(phrase)] for phrase in top.walk() if not phrase.is_word), PropertyCounts())
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
            mean = fsum(1.0 if constituent.is_word else value[id(constituent)] for constituent in daughters) / len(
                daughters
            )
            value[id(term.constituent)] = term.local * mean
            terms.append(Term(term.constituent, term.counts, term.local, term.local * mean))
        values = [value.get(id(top), 0.0) for top in weighed.parse.constituents]
        return _of_sentence(name, weighed, tuple(reversed(terms)), values)

    return of


def _of_sentence(
    name: str, weighed: WeighedParse, terms: tuple[Term, ...], values: list[float], worst: float = 0.0
) -> Score:
    """Return the mean over top-level constituents weighted by words, scaled unless the parse is full (ruling 12)."""
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
    """N+/E over all instances of the tree: the share of evaluated instances that are satisfied."""
    values = []
    for top in weighed.parse.constituents:
        both = [phrase.characterization for phrase in top.walk()]
        held, broken = (
            sum(len(characterization.satisfied) for characterization in both),
            sum(len(characterization.violated) for characterization in both),
        )
        values.append(ratio(held, held + broken))
    terms = local_terms(weighed, lambda counts, weights: satisfaction(counts))
    return _of_sentence("fitness", weighed, terms, values)


def _sums(weighed: WeighedParse) -> dict[str, float]:
    """Return the sum of weights of satisfied instances, of costs of violated ones, and of costs of fragments."""
    parse, weights = weighed.parse, weighed.weights
    return {
        "satisfied": fsum(weights.weight(evaluated.property) for evaluated in parse.satisfied),
        "violated": fsum(weights.cost(evaluated.property) for evaluated in parse.violated),
        "fragments": parse.fragment_cost,
    }


def _net(weighed: WeighedParse) -> Score:
    sums = _sums(weighed)
    sums["nodes"] = weighed.parse.nodes * weighed.parse.grammar.node_cost_units / UNIT
    whole = sums["satisfied"] - sums["violated"] - sums["fragments"] - sums["nodes"]
    words = sum(top.cover.bit_count() for top in weighed.parse.constituents)
    terms = local_terms(weighed, lambda counts, weights: counts.weight_satisfied - counts.weight_violated)
    parts = (*sums.items(), ("words", float(words)))
    return Score("net", whole / words, terms, parts, stopped_by=weighed.parse.stopped_by)


def _cost(weighed: WeighedParse) -> Score:
    sums = _sums(weighed) | ({"prices": weighed.parse.price} if weighed.parse.priced else {})
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
            "applicable-index",
            "GI with T = E, the properties that apply, so that CI = 1",
            "Numbat, after Blache, Hemforth & Rauzy 2006",
            _propagated("applicable-index", lambda c, w: precision(replace(c, total=c.evaluated), w)),
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
        Model("cost", "-(costs of the violated + fragment costs + prices)", "Numbat", _cost),
    )
}
"""Every model by its name, as in `--model`."""


# Explanations of scores: the loss by each violated property, and the contrast of two parses.


@frozen
class Loss:
    """The increase of the score if one property were satisfied in one phrase, one price not paid, or no fragment there.

    `sentences` describe the violations; `share` is the loss as a share of the sum of all losses, 0 if that sum is 0.
    """

    construction: str
    property: Property | None
    sentences: tuple[str, ...]
    value: float
    share: float = 0.0


@frozen
class Explanation:
    """A parse with its score and the loss by each violated property, the greatest first."""

    parse: Parse
    score: Score
    losses: tuple[Loss, ...]


def explain_score(parse: Parse, score: Scorer) -> Explanation:
    """Return the score of a parse with the losses that explain it."""
    return Explanation(parse, score(parse), losses(parse, score))


def losses(parse: Parse, score: Scorer) -> tuple[Loss, ...]:
    """Return the losses, the greatest first.

    Each loss is found by repairing that violation alone and scoring again, so it means the same under every model. If a
    model multiplies, the losses need not add up to the gain of repairing all violations. Prices are losses under the
    models that count them.
    """
    texts: dict[tuple[int, Property], list[str]] = {}
    sentences = (*explain_violations(parse.grammar, parse.violated, parse.lattice), *explain_prices(parse))
    for instance, text in zip((*parse.violated, *parse.priced), sentences, strict=True):
        texts.setdefault((id(instance.constituent), instance.property), []).append(text)
    losses_ = []
    for place, prop, gain in gains(parse, score):
        if place is None or prop is None:
            losses_.append(Loss("", None, tuple(explain_fragments(parse)), gain))
        elif gain or not prop.is_price:
            losses_.append(Loss(place.construction, prop, tuple(texts[id(place), prop]), gain))
    whole = sum(max(0.0, loss.value) for loss in losses_)
    shared = (replace(loss, share=max(0.0, loss.value) / whole) for loss in losses_) if whole else losses_
    return tuple(sorted(shared, key=lambda loss: -loss.value))


def gains(parse: Parse, score: Scorer) -> Iterator[tuple[Constituent | None, Property | None, float]]:
    """Yield each phrase and property that it violates or pays, with the increase of the score by repairing that alone.

    If there are fragments, yield None, None and the increase without them at the end.
    """
    score_now = score(parse).value
    places = {
        (id(instance.constituent), instance.property): instance.constituent
        for instance in (*parse.violated, *parse.priced)
    }
    for (_, prop), place in places.items():
        yield place, prop, score(mended(parse, place, prop)).value - score_now
    if explain_fragments(parse):
        yield None, None, _without_fragments(parse, score) - score_now


def _without_fragments(parse: Parse, score: Scorer) -> float:
    """Return the score without the cost of fragments, and without the factor for parses that are not full."""
    return score(replace(parse, outcome=replace(parse.outcome, fragment_cost=0))).unscaled


def mended(parse: Parse, place: Constituent, prop: Property) -> Parse:
    """Return the parse as if a constituent satisfied a property that it violates, or had no such price."""
    tops = []
    for top in parse.constituents:
        rebuilt: dict[int, Constituent] = {}
        for node in reversed(list(top.walk())):
            daughters = tuple(rebuilt[id(daughter)] for daughter in node.daughters)
            changed = any(new is not old for new, old in zip(daughters, node.daughters, strict=True))
            new = node._replace(daughters=daughters) if changed else node
            if node is place:
                new = new._replace(characterization=_satisfying(node.characterization, prop))
            rebuilt[id(node)] = new
        tops.append(rebuilt[id(top)])
    return replace(parse, constituents=tuple(tops))


def _satisfying(both: Characterization, prop: Property) -> Characterization:
    moved = tuple(instance for instance in both.violated if instance.property == prop)
    left = tuple(instance for instance in both.violated if instance.property != prop)
    return Characterization(both.satisfied + moved, left, tuple(one for one in both.priced if one.property != prop))


@frozen
class Contrast:
    """Two parses with their scores and the properties in which they differ.

    `violated` has the number of violations in the first parse minus that in the second, by property; `satisfied` has
    the same for satisfied instances. Properties with a difference of 0 are left out.
    """

    one: Score
    other: Score
    violated: tuple[tuple[Property, int], ...]
    satisfied: tuple[tuple[Property, int], ...]
    parses: tuple[Parse, Parse]


def contrast(one: Parse, other: Parse, score: Scorer) -> Contrast:
    """Return the contrast of two parses."""
    return Contrast(
        score(one),
        score(other),
        _difference(one.violated, other.violated),
        _difference(one.satisfied, other.satisfied),
        (one, other),
    )


def _difference(one: Iterable[Evaluated], other: Iterable[Evaluated]) -> tuple[tuple[Property, int], ...]:
    """Return the properties whose numbers of instances differ, with the first number minus the second."""
    first, second = (Counter(evaluated.property for evaluated in instances) for instances in (one, other))
    return tuple((prop, first[prop] - second[prop]) for prop in {**first, **second} if first[prop] != second[prop])


# A gradience model as the valuation function of the election `best-combination`.

SUMS: Final = ("cost", "net")
"""The models that add up costs: the value of a combination is the sum over its members (for `net`, per word)."""


@frozen
class ValuationFunction:
    """A function from a constituent, given as a parse of it alone, to its value in a combination that spans the input.

    The combination with the greatest sum has the greatest score (ruling 12): the mean over the words, whose distance
    from the worst score is multiplied by a factor unless the combination is one root over the whole input. As all
    others share the factor, the distance of such a root is divided by it here instead.
    """

    by: ByModel

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.by.model

    def __call__(self, parse: Parse) -> float:
        scored = self.by(parse)
        words = sum(top.cover.bit_count() for top in parse.constituents)
        if self.by.model in SUMS:
            return scored.value if self.by.model == "cost" else scored.value * words
        above_worst = (scored.value - scored.worst) / scored.factor
        if parse.is_full and above_worst > 0:
            above_worst /= self.by.weights.partial or 1e-6
        return above_worst * words


def valuation_function(model: str, weights: Weights = GRAMMAR) -> ValuationFunction:
    """Return the valuation function of a gradience model. Raises UsageError for an unknown model."""
    return ValuationFunction(scorer(model, weights))
