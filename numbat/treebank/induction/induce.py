"""Induction of a Property Grammar from the counts of a treebank (MarsaGram: Blache, de Montcheuil & Rauzy, 2015)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import log
from typing import Final

from numbat.errors import DataError
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Operand, Property, Strength
from numbat.grammar.relations import OCCURS
from numbat.records import frozen
from numbat.treebank.heads import TABLES, head_index, table_for
from numbat.treebank.induction import property_candidates
from numbat.treebank.induction.agreement import agreements
from numbat.treebank.induction.induced import InducedConstruction, InducedGrammar, InducedProperty, Support
from numbat.treebank.induction.induced_lexicon import affixes_of, guesses_of, lexicon_of, marks_of, rewrites_of
from numbat.treebank.induction.occurrences import Occurrences
from numbat.treebank.induction.property_candidates import DEFAULT_THRESHOLDS, Candidate, Thresholds
from numbat.treebank.induction.rule_counts import RuleCount, TreebankCounts
from numbat.treebank.labels import PHRASE

RELATIONS: Final[dict[str, Callable[[Occurrences, Thresholds], Iterator[Candidate]]]] = {
    "uniqueness": property_candidates.uniqueness,
    "requirement": property_candidates.requirement,
    "linearity": property_candidates.linearity,
    "adjacency": property_candidates.adjacency,
    "exclusion": property_candidates.exclusion,
}

MOST_DAUGHTERS: Final = 1_000
"""So many categories the daughters of a construction may have."""


@frozen
class InductionSettings:
    """How a grammar is induced. `hard`: properties without violation and with this support are hard; 0: none.

    `lexicon`: all words of the treebank, and rules to guess others; else marks such as % alone.

    `weights`: `odds` gives each property its w1 as weight and as cost the logarithm of its odds, (valid + 1) to
    (violating + 1); `w0` and `w1` give one of them as both; `none` leaves them at 1.

    `heads`: the name of a table of heads; `auto` takes the one that knows more of the labels, `cover` none.

    `samples`: so many trees of each sentence were counted. What a property needs, and its cost, are those of as many
    sentences as there are, not trees.
    """

    name: str = ""
    source: str = ""
    language: str = ""
    least: Thresholds = DEFAULT_THRESHOLDS
    hard: int = 0
    weights: str = "odds"
    heads: str = "auto"
    lexicon: bool = False
    samples: int = 1

    @property
    def thresholds(self) -> Thresholds:
        """What a property needs among all trees that were counted."""
        return self.least.times(self.samples)


def induce(counts: TreebankCounts, settings: InductionSettings) -> InducedGrammar:
    """The grammar of a treebank, with the counts behind it; the same for the same counts."""
    least = settings.thresholds
    agreeing: dict[str, list[InducedProperty]] = {}
    for found in agreements(counts, least):
        operands = ((found.left,),), ((found.right,),)
        prop = _property(found.construction, "dependency", operands, found.support, settings, found.features)
        agreeing.setdefault(found.construction, []).append(prop)
    constructions = []
    head_finder = _head_finder(counts, settings.heads)
    for name, group in groupby(counts.rules, key=lambda rule: rule.construction):
        rules = tuple(sorted(group, key=lambda e: (-e.count, e.daughters)))
        constructions.append(_construction(name, rules, head_finder(name), settings, agreeing.get(name, [])))
    grammar = _grammar(counts, constructions, settings)
    return InducedGrammar(grammar, tuple(constructions), counts.sentences, counts.left_out)


def _head_finder(counts: TreebankCounts, heads: str) -> Callable[[str], Callable[[Sequence[str]], int | None]]:
    """For a construction the function that finds the head among its daughters."""
    if counts.from_dependencies:

        def word_of(name: str) -> Callable[[Sequence[str]], int | None]:
            category = name.removesuffix(PHRASE) if name.endswith(PHRASE) else name.partition("-")[0]
            return lambda daughters: daughters.index(category) if category in daughters else None

        return word_of
    chosen = table_for(counts.constructions) if heads == "auto" else heads
    table = TABLES.get(chosen)
    if table is None:
        return lambda name: lambda daughters: None
    return lambda name: lambda daughters: head_index(name.removesuffix(PHRASE), daughters, table)


def _check_daughters(name: str, rules: Sequence[RuleCount]) -> None:
    """Raises DataError for so many categories of daughters that their pairs, of which each is counted, are millions."""
    different = {daughter for rule in rules for daughter in rule.daughters}
    if len(different) > MOST_DAUGHTERS:
        raise DataError(
            f"{name} has daughters of {len(different):,} categories in these trees, {MOST_DAUGHTERS:,} are allowed\n"
            "  each pair of them is counted: are the labels categories, and not words or numbers?"
        )


def _construction(
    name: str,
    rules: tuple[RuleCount, ...],
    head_of: Callable[[Sequence[str]], int | None],
    settings: InductionSettings,
    agreeing: list[InducedProperty],
) -> InducedConstruction:
    _check_daughters(name, rules)
    seen = Occurrences(rules)
    properties: list[InducedProperty] = []
    for (heads,), support in property_candidates.obligation(seen, settings.thresholds, head_of):
        alternatives = tuple((head,) for head in heads)
        if support.w0 >= settings.least.w0:
            properties.append(_property(name, "obligation", (alternatives,), support, settings))
    for relation, found in RELATIONS.items():
        for parameters, support in found(seen, settings.thresholds):
            operands = tuple(tuple((each,) for each in parameter) for parameter in parameters)
            properties.append(_property(name, relation, operands, support, settings))
    properties += agreeing
    properties.sort(key=lambda induced: _order(induced.property, seen))
    properties += _occurring(name, seen, properties)
    constituency = tuple(sorted(seen.having.items(), key=lambda item: (-item[1], item[0])))
    return InducedConstruction(name, seen.all, constituency, tuple(properties), rules)


def _order(prop: Property, seen: Occurrences) -> tuple[object, ...]:
    """By relation, then by the operands, the most frequent first."""
    relations = ["obligation", *RELATIONS, "dependency"]
    operands = tuple(
        (-seen.having[operand.category], operand.category)
        for parameter in prop.operands
        for joint in parameter
        for operand in joint
    )
    return relations.index(prop.relation), operands


def _property(
    construction: str,
    relation: str,
    operands: tuple[tuple[tuple[str, ...], ...], ...],
    support: Support,
    settings: InductionSettings,
    features: tuple[str, ...] = (),
) -> InducedProperty:
    hard = bool(settings.hard) and not support.violating and support.support >= settings.hard * settings.samples
    weight, cost = _strength(support, settings.weights, settings.samples)
    stated = Strength(weight, None if cost == weight else cost, hard)
    parameters = tuple(tuple(tuple(map(Operand, joint)) for joint in parameter) for parameter in operands)
    weight = UNIT if weight is None else weight
    cost = weight if cost is None else cost
    return InducedProperty(Property(construction, relation, parameters, features, weight, cost, hard, stated), support)


def _strength(support: Support, weights: str, samples: int) -> tuple[int | None, int | None]:
    """Weight and cost in fixed-point units, rounded to thousandths, so that they are short in the file."""

    def units(number: float) -> int:
        return round(number * 1000) * (UNIT // 1000)

    if weights == "none":
        return None, None
    if weights == "odds":
        odds = log((support.valid / samples + 1) / (support.violating / samples + 1))
        return units(support.w1), units(max(0.0, odds))
    weight = units(support.w0 if weights == "w0" else support.w1)
    return weight, weight


def _occurring(name: str, seen: Occurrences, properties: Sequence[InducedProperty]) -> Iterator[InducedProperty]:
    """A property `occurs(B)` for each daughter without which some rule of the treebank could not be built at all.

    A phrase is built where a property that its daughters retrieve holds (heuristic H4); rules in which none does are
    found, and of their daughters the one that is in most occurrences gets a property that always holds, without weight.
    """
    licensing = [
        (property_candidates.LICENSES[induced.property.relation], _categories(induced.property))
        for induced in properties
        if induced.property.relation in property_candidates.LICENSES
    ]
    left = [e for e in seen.rules if not any(holds(parameters, e.daughters) for holds, parameters in licensing)]
    while left:
        counts: dict[str, int] = {}
        for rule in left:
            for category in set(rule.daughters):
                counts[category] = counts.get(category, 0) + rule.count
        best = min(counts, key=lambda category: (-counts[category], category))
        support = Support(seen.having[best], 0, seen.all)
        strength = Strength(0)
        prop = Property(name, OCCURS.name, (((Operand(best),),),), (), 0, 0, False, strength)
        yield InducedProperty(prop, support)
        left = [rule for rule in left if best not in rule.daughters]


def _categories(prop: Property) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(operand.category for joint in parameter for operand in joint) for parameter in prop.operands)


def _grammar(
    counts: TreebankCounts, constructions: Sequence[InducedConstruction], settings: InductionSettings
) -> Grammar:
    features = _features(counts, constructions)
    names = {name for name, _ in features}
    built = tuple(
        Construction(
            each.name,
            constituency=tuple(Operand(category) for category, _ in each.constituency),
            properties=tuple(induced.property for induced in each.properties),
        )
        for each in constructions
    )
    occurring = any(prop.relation == OCCURS.name for each in built for prop in each.properties)
    roots = sorted(counts.roots, key=lambda label: (-counts.roots[label], label))
    return Grammar(
        name=settings.name,
        language=settings.language,
        source=settings.source,
        features=features,
        leaves=counts.leaves,
        roots=tuple(map(Operand, roots)),
        relations=(OCCURS,) if occurring else (),
        constructions=built,
        tokens=(*affixes_of(counts), *rewrites_of(counts)),
        lexicon=lexicon_of(counts, names) if settings.lexicon else marks_of(counts),
        guesses=guesses_of(counts) if settings.lexicon else (),
    )


def _features(
    counts: TreebankCounts, constructions: Sequence[InducedConstruction]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The features in which something agrees, with the values that words have."""
    names = {feature for each in constructions for induced in each.properties for feature in induced.property.features}
    values: dict[str, set[str]] = {name: set() for name in names}
    for entry in counts.words:
        for feature, value in entry.features:
            if feature in values:
                values[feature].update(value.split(","))
    return tuple((name, tuple(sorted(values[name]))) for name in sorted(names))
