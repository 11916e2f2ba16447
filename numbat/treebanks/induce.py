"""Induction of a Property Grammar from treebank counts (MarsaGram: Blache, de Montcheuil & Rauzy, 2015).

`induce` builds the grammar. One function per relation proposes the properties of a construction from its `Occurrences`;
`Thresholds` decide which are kept. `agreements` tests which daughters agree in features.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, groupby, permutations
from math import log
from typing import Final

from numbat.errors import DataError, require_statistics
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Operand, Property, Strength
from numbat.grammar.relations import OCCURS
from numbat.records import frozen
from numbat.statistics.distributions import binomial_tail
from numbat.treebanks.example_phrases import (
    HOLDS,
    ExamplePhrase,
    Operands,
    categories_of,
    examples_of,
    has_features,
)
from numbat.treebanks.featured import FeaturedCandidates, FeaturedProperty
from numbat.treebanks.heads import TABLES, head_index, table_for
from numbat.treebanks.induced import (
    InducedConstruction,
    InducedGrammar,
    InducedProperty,
    Support,
    Uses,
    affixes_of,
    guesses_of,
    lexicon_of,
    marks_of,
    rewrites_of,
    segmenting_of,
)
from numbat.treebanks.rule_counts import (
    MAX_SENTENCES,
    AgreementCounts,
    RuleCount,
    SentencePlace,
    TreebankCounts,
    agree,
)
from numbat.treebanks.telling import CHANCE, gain
from numbat.treebanks.trees import PHRASE

# Agreement

LEVEL: Final = 0.001
"""Significance level of all tests on a treebank together."""


@frozen
class AgreeingPair:
    """Two daughters of a construction and the features in which they agree, with gain, example and counterexample."""

    construction: str
    left: str
    right: str
    features: tuple[str, ...]
    support: Support
    gain: float = 0.0
    example: ExamplePhrase | None = None
    counterexample: ExamplePhrase | None = None


def agreements(counts: TreebankCounts, least: Thresholds) -> Iterator[AgreeingPair]:
    """Yield the pairs of daughters that agree in features, alphabetically.

    A feature is kept if both daughters have it in `support` occurrences, w0 is reached, and agreement is more frequent
    than by chance: by the one-sided exact binomial test, at `LEVEL` divided by the number of tests (Bonferroni). The
    chance is that of two values drawn independently from the two daughters' distributions. A pair has the support of
    its feature with the smallest w0. Raises MissingExtraError without scipy if there is a pair to test.
    """
    occurrences = counts.constructions
    tested = {key: seen for key, seen in counts.agreements.items() if seen.agreeing + seen.clashing >= least.support}
    if tested:
        require_statistics("agreement")
    kept: dict[tuple[str, str, str], list[tuple[str, Support]]] = {}
    for key in sorted(tested):
        construction, left, right, feature = key
        seen = tested[key]
        names = tuple(name for _, name in seen.sentences[:MAX_SENTENCES])
        support = Support(seen.agreeing, seen.clashing, occurrences[construction], names)
        if least.keep(support) and _is_significant(seen, LEVEL / len(tested)):
            kept.setdefault((construction, left, right), []).append((feature, support))
    for (construction, left, right), features in kept.items():
        feature, weakest = min(features, key=lambda pair: pair[1].w0)
        seen = tested[construction, left, right, feature]
        names = tuple(name for name, _ in features)
        gained = gain(weakest.valid, weakest.violating, chance(seen))
        yield AgreeingPair(construction, left, right, names, weakest, gained, seen.example, seen.counterexample)


def _is_significant(seen: AgreementCounts, level: float) -> bool:
    return binomial_tail(seen.agreeing, seen.agreeing + seen.clashing, chance(seen)) < level


def chance(seen: AgreementCounts) -> float:
    """Return the probability that two independent values agree; `Fem,Masc` agrees with either."""
    pairs = seen.left.total() * seen.right.total()
    alike = sum(m * n for a, m in seen.left.items() for b, n in seen.right.items() if agree(a, b))
    return alike / pairs if pairs else 1.0


# Occurrences

Pair = tuple[str, str]


class Occurrences:
    """Counts over the occurrences of a construction, from its rules.

    `having[A]`: A is among the daughters; `single[A]`: exactly once. For A < B in the alphabet, `both[A, B]`: both are
    among them. `ordered[A, B]`: both, every A before every B. `apart[A, B]`: both, among three daughters or more;
    `adjacent[A, B]`: of these, those with exactly one A and one B, which are neighbours.
    """

    def __init__(self, rules: Iterable[RuleCount]) -> None:
        self.rules = tuple(rules)
        self.all = sum(rule.count for rule in self.rules)
        self.having: Counter[str] = Counter()
        self.single: Counter[str] = Counter()
        self.both: Counter[Pair] = Counter()
        self.ordered: Counter[Pair] = Counter()
        self.apart: Counter[Pair] = Counter()
        self.adjacent: Counter[Pair] = Counter()
        for rule in self.rules:
            self._add(rule)

    def _add(self, rule: RuleCount) -> None:
        places: dict[str, list[int]] = {}
        for index, daughter in enumerate(rule.daughters):
            places.setdefault(daughter, []).append(index)
        count = rule.count
        for category, indices in places.items():
            self.having[category] += count
            if len(indices) == 1:
                self.single[category] += count
        for a, b in combinations(sorted(places), 2):
            left, right = places[a], places[b]
            self.both[a, b] += count
            if left[-1] < right[0]:
                self.ordered[a, b] += count
            elif right[-1] < left[0]:
                self.ordered[b, a] += count
            if len(rule.daughters) > 2:
                self.apart[a, b] += count
                if len(left) == len(right) == 1 and abs(left[0] - right[0]) == 1:
                    self.adjacent[a, b] += count

    def share_of(self, categories: Sequence[str]) -> float:
        """Return the share of the occurrences that have one of the categories."""
        if len(categories) == 1:
            return self.having[categories[0]] / self.all
        having = sum(rule.count for rule in self.rules if any(category in rule.daughters for category in categories))
        return having / self.all

    def together(self, a: str, b: str) -> int:
        """Return the number of occurrences with both categories, in either order."""
        return self.both[min(a, b), max(a, b)]

    def categories(self, least: int) -> list[str]:
        """Return the categories that are in at least `least` occurrences, alphabetically."""
        return sorted(category for category, count in self.having.items() if count >= least)

    def support(self, valid: int, violating: int, violates: Callable[[Sequence[str]], bool]) -> Support:
        """Return the support of a property with these counts, and the first sentences whose rules violate it."""
        if not violating:
            return Support(valid, violating, self.all)
        sentences: list[SentencePlace] = []
        for rule in self.rules:
            if violates(rule.daughters):
                sentences = sorted({*sentences, *rule.sentences})[:MAX_SENTENCES]
        return Support(valid, violating, self.all, tuple(name for _, name in sentences))


# Candidate properties: one function per relation.
#
# Each counts the occurrences in which a property is pertinent, as MarsaGram does (Blache, de Montcheuil & Rauzy, TALN
# 2015): uniqueness and requirement if the first operand is present, linearity if both are, exclusion if one or
# both are, obligation always. Adjacency counts only with a third daughter, as two alone are always neighbours.
# `Thresholds` drop candidates that have little support or hold by chance.

Candidate = tuple[tuple[tuple[str, ...], ...], Support]
"""Parameters of a property, each a tuple of alternatives, and its support."""


@frozen
class Thresholds:
    """Minimum evidence for a property to be kept.

    `support`: pertinent occurrences; `w0`: share of them that satisfy it; `count`: occurrences of each operand;
    `expected`: violations expected by chance of an exclusion or a requirement. `alternatives`: maximum number on the
    right side of a requirement.
    """

    support: int = 5
    w0: float = 0.95
    count: int = 5
    alternatives: int = 3
    expected: float = 1.0

    def keep(self, support: Support) -> bool:
        """Return True if a property of that support is kept."""
        return support.support >= self.support and support.w0 >= self.w0

    def times(self, samples: int) -> Thresholds:
        """Scale the thresholds to `samples` trees per sentence."""
        return replace(
            self, support=self.support * samples, count=self.count * samples, expected=self.expected * samples
        )


DEFAULT_THRESHOLDS: Final = Thresholds()


def uniqueness(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """Propose that a category occurs at most once."""
    for a in seen.categories(least.count):
        valid = seen.single[a]
        support = seen.support(valid, seen.having[a] - valid, lambda daughters, a=a: daughters.count(a) > 1)  # type: ignore[misc]
        if least.keep(support):
            yield ((a,),), support


def linearity(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """Propose that all daughters of one category precede all those of another."""
    for a, b in permutations(seen.categories(least.count), 2):
        valid, both = seen.ordered[a, b], seen.together(a, b)
        if both >= least.support and valid >= least.w0 * both:

            def violates(daughters: Sequence[str], a: str = a, b: str = b) -> bool:
                return {a, b} <= set(daughters) and _last(daughters, a) > daughters.index(b)

            yield ((a,), (b,)), seen.support(valid, both - valid, violates)


def adjacency(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """Propose that the only A and the only B are adjacent, judged where there is a third daughter."""
    for a, b in combinations(seen.categories(least.count), 2):
        valid, both = seen.adjacent[a, b], seen.apart[a, b]
        if both >= least.support and valid >= least.w0 * both:

            def violates(daughters: Sequence[str], a: str = a, b: str = b) -> bool:
                if not {a, b} <= set(daughters) or len(daughters) == 2:
                    return False
                several = daughters.count(a) + daughters.count(b) > 2
                return several or abs(daughters.index(a) - daughters.index(b)) > 1

            first, second = (a, b) if seen.ordered[a, b] >= seen.ordered[b, a] else (b, a)
            yield ((first,), (second,)), seen.support(valid, both - valid, violates)


def requirement(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """Propose that A requires B, or one of several alternatives if no single B is frequent enough.

    B may be missing beside A at most half as often as elsewhere. Alternatives are chosen greedily; each must
    occur in a tenth of the occurrences of A or more, apart from those with an alternative chosen before.
    """
    categories = seen.categories(least.count)
    for a in categories:
        having = seen.having[a]
        alone = [b for b in categories if b != a and _requires(seen, a, b, least)]
        for b in alone:
            yield ((a,), (b,)), _required(seen, a, (b,))
        if not alone and having >= least.support:
            chosen = _alternatives(seen, a, [b for b in categories if b != a], least)
            if len(chosen) > 1 and least.keep(support := _required(seen, a, chosen)):
                yield ((a,), chosen), support


def _requires(seen: Occurrences, a: str, b: str, least: Thresholds) -> bool:
    having, both = seen.having[a], seen.together(a, b)
    if having < least.support or both < least.w0 * having:
        return False
    without, elsewhere = having - both, seen.all - having
    missing = elsewhere - (seen.having[b] - both)
    surprising = missing * having >= least.expected * elsewhere
    return missing > 0 and surprising and 2 * without * elsewhere <= missing * having


def _required(seen: Occurrences, a: str, chosen: tuple[str, ...]) -> Support:
    def violates(daughters: Sequence[str]) -> bool:
        return a in daughters and not any(b in daughters for b in chosen)

    violating = sum(rule.count for rule in seen.rules if violates(rule.daughters))
    return seen.support(seen.having[a] - violating, violating, violates)


def _alternatives(seen: Occurrences, a: str, candidates: Sequence[str], least: Thresholds) -> tuple[str, ...]:
    """Choose the alternatives of a requirement of A greedily.

    The next one is the category in most of the occurrences of A that have no alternative yet; categories in nearly all
    occurrences of the construction are left out.
    """
    candidates = [b for b in candidates if seen.having[b] <= (1 - (1 - least.w0) / 2) * seen.all]
    rest = [rule for rule in seen.rules if a in rule.daughters]
    chosen: list[str] = []
    while rest and len(chosen) < least.alternatives:
        gains = {b: sum(rule.count for rule in rest if b in rule.daughters) for b in candidates}
        best = max(sorted(gains), key=lambda b: gains[b], default="")
        if not best or gains[best] * 10 < seen.having[a]:
            break
        chosen.append(best)
        rest = [rule for rule in rest if best not in rule.daughters]
    together = sum(rule.count for rule in seen.rules if any(b in rule.daughters for b in chosen))
    with_a = seen.having[a] - sum(rule.count for rule in rest)
    elsewhere, missing = seen.all - seen.having[a], seen.all - together
    without = seen.having[a] - with_a
    missing -= without
    surprising = missing * seen.having[a] >= least.expected * elsewhere
    informative = 2 * without * elsewhere <= missing * seen.having[a]
    return tuple(chosen) if missing and surprising and informative else ()


def exclusion(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """Propose that A and B exclude each other, unless both are too rare to tell."""
    for a, b in combinations(seen.categories(least.count), 2):
        both = seen.together(a, b)
        valid = seen.having[a] + seen.having[b] - 2 * both
        by_chance = seen.having[a] * seen.having[b] / seen.all
        if valid + both >= least.support and valid >= least.w0 * (valid + both) and by_chance >= least.expected:
            if 2 * both > by_chance:
                continue
            yield ((a,), (b,)), seen.support(valid, both, lambda daughters, pair={a, b}: pair <= set(daughters))  # type: ignore[misc]


def obligation(
    seen: Occurrences, least: Thresholds, head_of: Callable[[Sequence[str]], int | None]
) -> Iterator[Candidate]:
    """Propose that one of the heads is obligatory: those that `head_of` finds, until nearly all occurrences have one.

    If it finds none, categories are chosen greedily: the next is in most of the occurrences that have none yet. A
    category in fewer than `count` occurrences is left out unless it is the first.
    """
    heads: dict[str, int] = {}
    for rule in seen.rules:
        index = head_of(rule.daughters)
        if index is not None:
            heads[rule.daughters[index]] = heads.get(rule.daughters[index], 0) + rule.count
    chosen: list[str] = []
    rest = list(seen.rules)
    target = (1 - max(least.w0, 0.99)) * seen.all
    while rest and sum(rule.count for rule in rest) > target:
        gains: dict[str, int] = {}
        for rule in rest:
            for category in sorted(set(rule.daughters)):
                if not heads or category in heads:
                    gains[category] = gains.get(category, 0) + rule.count
        best = max(sorted(gains), key=lambda b: (min(gains[b], heads.get(b, gains[b])), gains[b]), default="")
        if not best or (gains[best] < least.count and chosen):
            break
        chosen.append(best)
        rest = [rule for rule in rest if best not in rule.daughters]
    if chosen:
        violating = sum(rule.count for rule in rest)
        yield (
            (tuple(chosen),),
            seen.support(seen.all - violating, violating, lambda daughters: not any(c in daughters for c in chosen)),
        )


def _last(daughters: Sequence[str], category: str) -> int:
    return len(daughters) - 1 - daughters[::-1].index(category)


LICENSES: Final[dict[str, Callable[[Operands, Sequence[str]], bool]]] = {
    "uniqueness": lambda operands, daughters: daughters.count(operands[0][0]) == 1,
    "requirement": lambda operands, daughters: operands[0][0] in daughters and any(b in daughters for b in operands[1]),
    "linearity": lambda operands, daughters: operands[1][0] in daughters[_first(daughters, operands[0][0]) :],
}
"""Functions by relation: True if a property is satisfied among the daughters. Relations without an entry never are."""


def _first(daughters: Sequence[str], category: str) -> int:
    """Return the index of the first daughter of a category, or the number of daughters without one."""
    return daughters.index(category) if category in daughters else len(daughters)


RELATIONS: Final[dict[str, Callable[[Occurrences, Thresholds], Iterator[Candidate]]]] = {
    "uniqueness": uniqueness,
    "requirement": requirement,
    "linearity": linearity,
    "adjacency": adjacency,
    "exclusion": exclusion,
}

MAX_DAUGHTERS: Final = 1_000
"""Maximum number of categories among the daughters of a construction."""


@frozen
class InductionSettings:
    """Settings of induction.

    `hard`: minimum support for properties without violation to become hard, 0 for none. `weights`: `odds` sets the
    weight to w1 and the cost to the logarithm of the odds, (valid + 1) to (violating + 1); `w0` and `w1` set both to
    that share; `none` leaves them at 1. `heads`: name of a head table; `auto` uses the one that knows more of the
    labels, `cover` none. `lexicon`: include all words and rules to guess others, else only marks such as %. `samples`:
    trees counted per sentence; thresholds and costs refer to sentences, not trees.
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
        """Thresholds scaled to all counted trees."""
        return self.least.times(self.samples)


def induce(counts: TreebankCounts, settings: InductionSettings) -> InducedGrammar:
    """Induce a grammar from the counts of a treebank. Deterministic."""
    least = settings.thresholds
    agreeing: dict[str, list[InducedProperty]] = {}
    for pair in agreements(counts, least):
        operands = ((pair.left,),), ((pair.right,),)
        prop = _property(pair.construction, "dependency", operands, pair.support, settings, pair.features)
        shown = replace(prop, gain=pair.gain, example=pair.example, counterexample=pair.counterexample)
        agreeing.setdefault(pair.construction, []).append(shown)
    constructions = []
    head_finder = _head_finder(counts, settings.heads)
    used = _uses(counts)
    featured = FeaturedCandidates(*counts.featured, least.support, least.w0)
    for name, group in groupby(counts.rules, key=lambda rule: rule.construction):
        rules = tuple(sorted(group, key=lambda e: (-e.count, e.daughters)))
        with_features = agreeing.get(name, []), featured
        made = _construction(name, rules, head_finder(name), settings, *with_features, counts.from_dependencies)
        constructions.append(replace(made, uses=used[name]))
    constructions.sort(key=lambda construction: (-construction.composed, -construction.occurrences, construction.name))
    grammar = _grammar(counts, constructions, settings)
    return InducedGrammar(grammar, tuple(constructions), counts.sentences, counts.left_out)


def _uses(counts: TreebankCounts) -> dict[str, Uses]:
    """Return the uses of each construction by its name."""
    within: dict[str, Counter[str]] = {name: Counter() for name in counts.constructions}
    for rule in counts.rules:
        for daughter in rule.daughters:
            if daughter in within:
                within[daughter][rule.construction] += rule.count
    total = counts.constructions.total()
    return {
        name: Uses(
            counts.constructions[name] / total,
            _ordered(counts.relations.get(name, Counter())),
            _ordered(mothers),
            counts.roots[name],
        )
        for name, mothers in within.items()
    }


def _ordered(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _head_finder(counts: TreebankCounts, heads: str) -> Callable[[str], Callable[[Sequence[str]], int | None]]:
    """Return a function from the name of a construction to its head finder: from daughters to an index or None."""
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
    """Raise DataError for more than MAX_DAUGHTERS categories, whose pairs would be millions."""
    different = {daughter for rule in rules for daughter in rule.daughters}
    if len(different) > MAX_DAUGHTERS:
        raise DataError(
            f"{name} has daughters of {len(different):,} categories in these trees, but at most {MAX_DAUGHTERS:,} are "
            "allowed\n  every pair of categories is counted; check that the labels are categories, not words or numbers"
        )


def _construction(
    name: str,
    rules: tuple[RuleCount, ...],
    head_of: Callable[[Sequence[str]], int | None],
    settings: InductionSettings,
    agreeing: list[InducedProperty],
    featured: FeaturedCandidates,
    from_dependencies: bool,
) -> InducedConstruction:
    _check_daughters(name, rules)
    seen = Occurrences(rules)
    properties: list[InducedProperty] = []
    for (heads,), support in obligation(seen, settings.thresholds, head_of):
        alternatives = tuple((head,) for head in heads)
        if support.w0 >= settings.least.w0:
            properties.append(_property(name, "obligation", (alternatives,), support, settings))
    for relation, propose in RELATIONS.items():
        for parameters, support in propose(seen, settings.thresholds):
            operands = tuple(tuple((category,) for category in parameter) for parameter in parameters)
            properties.append(_property(name, relation, operands, support, settings))
    known = {
        (induced.property.relation, *chain.from_iterable(categories_of(induced.property)))
        for induced in properties
        if induced.property.relation != "obligation"
    }
    trivial = {name for prop in properties[:1] if from_dependencies for name in categories_of(prop.property)[0]}
    weighed = [*(_with_gain(induced, seen, trivial) for induced in properties), *agreeing]
    weighed += [_featured(prop, seen.all, settings) for prop in featured.of(name, known)]
    properties = [_per_sentence(induced, settings.samples) for induced in weighed]
    properties.sort(key=lambda induced: _order(induced, seen))
    telling, others = _most_telling(properties)
    telling = [_with_examples(induced, rules) for induced in telling]
    properties = [*telling, *others, *_occurring(name, seen, properties)]
    constituency = tuple(sorted(seen.having.items(), key=lambda item: (-item[1], item[0])))
    return InducedConstruction(name, seen.all, constituency, tuple(properties), rules)


# The order of properties: first the most informative ones, with example phrases, then the others by relation

TELLING: Final = 12
"""Maximum number of properties at the top of a construction, the obligation and the most informative ones."""
LEAST_GAIN: Final = 0.5
"""Minimum gain of the most informative properties."""
ORDER: Final = ("obligation", *RELATIONS, "dependency")


def _order(induced: InducedProperty, seen: Occurrences) -> tuple[object, ...]:
    """Sort key: by relation, then by gain, then by operands, most frequent first."""
    operands = tuple((-seen.having[name], name) for operand in categories_of(induced.property) for name in operand)
    return ORDER.index(induced.property.relation), -round(induced.gain, 6), operands


def _most_telling(properties: Sequence[InducedProperty]) -> tuple[list[InducedProperty], list[InducedProperty]]:
    """Return the obligation with the most informative properties, by gain, and all others in their order."""
    first = [induced for induced in properties if induced.property.relation == "obligation"]
    gaining = [induced for induced in properties if induced.gain >= LEAST_GAIN]
    first += sorted(gaining, key=lambda induced: -induced.gain)[: max(0, TELLING - len(first))]
    chosen = set(map(id, first))
    return first, [prop for prop in properties if id(prop) not in chosen]


def _with_gain(induced: InducedProperty, seen: Occurrences, heads: Collection[str]) -> InducedProperty:
    """Return a property with its gain; in dependency trees a head, one of `heads`, occurs once trivially: gain 0."""
    relation, operands = induced.property.relation, categories_of(induced.property)
    chance_of = CHANCE.get(relation)
    if chance_of is None or (relation == "uniqueness" and operands[0][0] in heads):
        return induced
    by_chance = chance_of(seen, operands)
    return replace(induced, gain=gain(induced.support.valid, induced.support.violating, by_chance))


def _per_sentence(induced: InducedProperty, samples: int) -> InducedProperty:
    return induced if samples == 1 else replace(induced, gain=induced.gain / samples)


def _with_examples(induced: InducedProperty, rules: Sequence[RuleCount]) -> InducedProperty:
    if has_features(induced.property) or induced.property.relation not in HOLDS:
        return induced
    example, counterexample = examples_of(induced.property, [rule.example for rule in rules])
    return replace(induced, example=example, counterexample=counterexample)


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


def _featured(chosen: FeaturedProperty, occurrences: int, settings: InductionSettings) -> InducedProperty:
    """Convert a chosen property, with a feature in one of its operands, to an induced one."""
    support = Support(chosen.valid, chosen.violating, occurrences)
    parameters = ((chosen.operands[0],),), ((chosen.operands[1],),)
    plain = _property(chosen.construction, chosen.relation, parameters, support, settings)
    operands = list(plain.property.operands)
    demand = ((chosen.feature, tuple(sorted(chosen.value.split(",")))),)
    operands[chosen.at] = ((Operand(chosen.operands[chosen.at], demand),),)
    prop = replace(plain.property, operands=tuple(operands))
    return replace(plain, property=prop, gain=chosen.gain, example=chosen.example, counterexample=chosen.counterexample)


def _strength(support: Support, weights: str, samples: int) -> tuple[int | None, int | None]:
    """Return weight and cost as multiples of 1/UNIT, rounded to thousandths for short files; None for the default."""

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
    """Yield properties `occurs(B)`, without which a parser could not build some rules of the treebank.

    A phrase is built if some property of its daughters holds (heuristic H4). For rules in which none does, the most
    frequent daughter gets a property that always holds, without weight.
    """
    licensing = [
        (LICENSES[induced.property.relation], categories_of(induced.property))
        for induced in properties
        if induced.property.relation in LICENSES and not has_features(induced.property)
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


def _grammar(
    counts: TreebankCounts, constructions: Sequence[InducedConstruction], settings: InductionSettings
) -> Grammar:
    features = _features(counts, constructions)
    names = {name for name, _ in features}
    built = tuple(
        Construction(
            construction.name,
            constituency=tuple(Operand(category) for category, _ in construction.constituency),
            properties=tuple(induced.property for induced in construction.properties),
        )
        for construction in constructions
    )
    occurring = any(prop.relation == OCCURS.name for form in built for prop in form.properties)
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
        tokens=(*affixes_of(counts), *rewrites_of(counts), *segmenting_of(counts)),
        lexicon=lexicon_of(counts, names) if settings.lexicon else marks_of(counts),
        guesses=guesses_of(counts) if settings.lexicon else (),
    )


def _features(
    counts: TreebankCounts, constructions: Sequence[InducedConstruction]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the features in properties, with their values in the lexicon."""
    properties = [induced.property for construction in constructions for induced in construction.properties]
    names = {feature for prop in properties for feature in prop.features}
    names |= {feature for prop in properties for operand in prop.all_operands() for feature, _ in operand.features}
    values: dict[str, set[str]] = {name: set() for name in names}
    for entry in counts.words:
        for feature, value in entry.features:
            if feature in values:
                values[feature].update(value.split(","))
    return tuple((name, tuple(sorted(values[name]))) for name in sorted(names))
