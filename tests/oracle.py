"""A naive enumerator of all trees over a sentence, an oracle for the engines.

It shares no code with `numbat.parsing`: each built-in relation is implemented here from docs/decisions.md, over a plain
list of daughters. There are no tables, phases or pruning: every construction is tried over every split of every span,
every tree is kept, and every cover of the sentence by trees is valued. A `budget` limits the number of trees
(`TooManyTreesError`).

Terms: a *daughter* is the category and the features of a constituent; *truths* are the outcomes of the instances of one
property; a *cover* is a sequence of trees that spans exactly the input (H5).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations, product
from math import prod
from typing import Literal, NamedTuple

from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Distance,
    Expression,
    HasValue,
    Last,
    Not,
    Or,
    Place,
    Precedes,
    Present,
    SameValue,
)
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Bundle, Joint, Operand, Parameter, Property
from numbat.grammar.relations import Relation
from numbat.words.lattice import Lattice

Valuation = Literal["relaxation", "net"]
Daughter = tuple[str, Bundle]
Way = tuple[tuple[int, ...], ...]
"""One way to match some parameters: for each of them the indexes of the daughters of one of its joints."""


@dataclass(frozen=True, slots=True)
class Switches:
    """The heuristics that are on; with `strict` every property counts as hard."""

    h3: bool = True
    h4: bool = True
    strict: bool = False


PROFILES = {"default": Switches(), "strict": Switches(strict=True), "loose": Switches(h3=False, h4=False)}


class TooManyTreesError(Exception):
    """There are more trees or covers than the budget allows."""


# Matching

NO_VALUE = ""
"""Among the accepted values of an operand: the feature is missing."""


def carries(features: Bundle, name: str) -> str | None:
    return next((value for feature, value in features if feature == name), None)


def is_operand(operand: Operand, daughter: Daughter) -> bool:
    """Same category, and each demanded feature has one of the accepted values, or may be missing and is."""
    category, features = daughter
    if category != operand.category:
        return False
    return all((carries(features, name) or NO_VALUE) in values for name, values in operand.features)


def ways(parameters: Sequence[Parameter], daughters: Sequence[Daughter]) -> list[Way]:
    """Yield every way to match all parameters by distinct daughters, ignoring the order within a joint operand."""
    found: dict[tuple[frozenset[int], ...], Way] = {}
    for joints in product(*parameters):
        operands = [operand for joint in joints for operand in joint]
        fitting = [[i for i, daughter in enumerate(daughters) if is_operand(o, daughter)] for o in operands]
        for indexes in product(*fitting):
            if len(set(indexes)) == len(indexes):
                rest = list(indexes)
                way = tuple(tuple(rest.pop(0) for _ in joint) for joint in joints)
                found.setdefault(tuple(map(frozenset, way)), way)
    return list(found.values())


def without_permutations(found: list[Way]) -> list[Way]:
    """A tuple of a symmetric relation is the same in every order of its members: keep the first of those."""
    kept: dict[frozenset[frozenset[int]], Way] = {}
    for way in found:
        kept.setdefault(frozenset(map(frozenset, way)), way)
    return list(kept.values())


def is_there(joint: Joint, daughters: Sequence[Daughter]) -> bool:
    """Each operand is another daughter."""
    return any(
        all(is_operand(operand, daughter) for operand, daughter in zip(joint, chosen, strict=True))
        for chosen in permutations(daughters, len(joint))
    )


def is_wholly_there(parameter: Parameter, daughters: Sequence[Daughter]) -> bool:
    """All operands of one of the alternatives are among the daughters."""
    return any(is_there(joint, daughters) for joint in parameter)


def how_many(parameter: Parameter, daughters: Sequence[Daughter]) -> int:
    """Return the number of sets of daughters that match an alternative; without joint operands, of daughters."""
    sets = {frozenset(found) for joint in parameter for (found,) in ways([(joint,)], daughters)}
    return len(sets)


# The built-in relations, each as docs/decisions.md says it: one truth per pertinent instance


def obligation(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    (wanted,) = what.operands
    if grammar.semantics.obligation == "exactly-one":
        return [how_many(wanted, daughters) == 1]
    return [is_wholly_there(wanted, daughters)]


def uniqueness(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    occurrences = len(ways(what.operands, daughters))
    if grammar.semantics.uniqueness == "silent" and occurrences < 2:
        return []
    return [occurrences == 1] * occurrences


def linearity(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    return [b < c for (b,), (c,) in ways(what.operands, daughters)]


def adjacency(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    return [b + 1 == c or c + 1 == b for (b,), (c,) in without_permutations(ways(what.operands, daughters))]


def near(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    truths = []
    for (b,), (c,) in without_permutations(ways(what.operands, daughters)):
        apart = abs(b - c) - 1
        truths += [False] * min(apart, 6) or [True]
    return truths


def requirement(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    left, right = what.operands
    return [is_wholly_there(right, daughters)] * len(ways([left], daughters))


def exclusion(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    left, right = what.operands
    truths = [False] * len(without_permutations(ways([left, right], daughters)))
    if grammar.semantics.exclusion == "counts":
        if not is_wholly_there(right, daughters):
            truths += [True] * len(ways([left], daughters))
        if not is_wholly_there(left, daughters):
            truths += [True] * len(ways([right], daughters))
    return truths


def dependency(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    unifies = grammar.semantics.missing == "unifies"
    pairs = without_permutations(ways(what.operands, daughters))
    return [unify(daughters[b][1], daughters[c][1], what.features, unifies) for (b,), (c,) in pairs]


def wildcard(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    return [True] * len(ways(what.operands, daughters))


def unify(left: Bundle, right: Bundle, names: Sequence[str], missing_unifies: bool) -> bool:
    for name in names:
        ours, theirs = carries(left, name), carries(right, name)
        if (ours is None or theirs is None) and not missing_unifies:
            return False
        if ours is not None and theirs is not None and ours != theirs:
            return False
    return True


BUILT_IN: dict[str, Callable[[Grammar, Property, Sequence[Daughter]], list[bool]]] = {
    "obligation": obligation,
    "uniqueness": uniqueness,
    "linearity": linearity,
    "adjacency": adjacency,
    "near": near,
    "requirement": requirement,
    "exclusion": exclusion,
    "dependency": dependency,
    "wildcard": wildcard,
}


# Relations of the grammar writer (ruling 15)

COMPARED: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Scene(NamedTuple):
    """The context of an expression: a property, the daughters, and the indexes of those matched by each parameter."""

    parameters: dict[str, Parameter]
    features: tuple[str, ...]
    daughters: Sequence[Daughter]
    matched: dict[str, tuple[int, ...]]

    def place(self, parameter: str) -> int:
        (index,) = self.matched[parameter]
        return index

    def bundle(self, parameter: str) -> Bundle:
        return self.daughters[self.place(parameter)][1]


def is_true(expression: Expression, scene: Scene) -> bool:
    match expression:
        case Always(truth):
            return truth
        case Precedes(left, right):
            return scene.place(left) < scene.place(right)
        case Adjacent(left, right):
            return abs(scene.place(left) - scene.place(right)) == 1
        case Place(parameter, comparison, number):
            return COMPARED[comparison](scene.place(parameter) + 1, number)
        case Last(parameter):
            return scene.place(parameter) == len(scene.daughters) - 1
        case Distance(left, right, comparison, number):
            return COMPARED[comparison](abs(scene.place(left) - scene.place(right)), number)
        case Count(parameter, comparison, number):
            return COMPARED[comparison](how_many(scene.parameters[parameter], scene.daughters), number)
        case Present(parameter):
            return is_wholly_there(scene.parameters[parameter], scene.daughters)
        case Agree(left, right, missing_unifies):
            return unify(scene.bundle(left), scene.bundle(right), scene.features, missing_unifies)
        case SameValue(left, left_feature, right, right_feature):
            value = carries(scene.bundle(left), left_feature)
            return value is not None and value == carries(scene.bundle(right), right_feature)
        case HasValue(parameter, feature, value):
            return carries(scene.bundle(parameter), feature) == value
        case Not(inner):
            return not is_true(inner, scene)
        case And(parts):
            return all(is_true(part, scene) for part in parts)
        case Or(parts):
            return any(is_true(part, scene) for part in parts)


def written_by_user(relation: Relation, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    parameters = dict(zip(relation.parameters, what.operands, strict=True))
    truths = []
    for clause in relation.clauses:
        found = ways([parameters[name] for name in clause.matched], daughters)
        for way in without_permutations(found) if relation.symmetric else found:
            scene = Scene(parameters, what.features, daughters, dict(zip(clause.matched, way, strict=True)))
            if is_true(clause.guard, scene):
                truths.append(is_true(relation.holds, scene))
    return truths


# Properties under a condition: `B < C if D & no E` is `B < C` if the condition is met, else nothing

FORMS = {
    "oblig B": "obligation",
    "uniq B": "uniqueness",
    "B < C": "linearity",
    "B + C": "adjacency",
    "near(B, C)": "near",
    "B => C": "requirement",
    "B x C": "exclusion",
    "B ~> C": "dependency",
}


def split(what: Property) -> tuple[Property, str]:
    """The property without its condition, and the condition, but of a form such as `A < B or B < C`."""
    form, _, condition = what.relation.partition(" if ")
    if form not in FORMS:
        return what, ""
    size = 1 if form in ("oblig B", "uniq B") else 2
    return replace(what, relation=FORMS[form], operands=what.operands[:size]), condition


def is_met(what: Property, condition: str, daughters: Sequence[Daughter]) -> bool:
    def literal(found: re.Match[str]) -> str:
        (joint,) = what.operands["BCDEFGHIJ".index(found[2])]
        return "yes" if is_there(joint, daughters) != bool(found[1]) else "not"

    def met(text: str) -> str:
        return "yes" if any({*part.split(" & ")} == {"yes"} for part in text.split(" or ")) else "not"

    left = re.sub("(no )?([B-J])", literal, condition)
    while "(" in left:
        left = re.sub(r"\(([^()]*)\)", lambda inner: met(inner[1]), left)
    return met(left) == "yes"


# One assignment, one construction


def relation_of(grammar: Grammar, what: Property) -> Relation:
    (relation,) = (relation for relation in grammar.relations if relation.name == what.relation)
    return relation


def truths_of(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> list[bool]:
    """Return for each pertinent instance of a property if it is satisfied; at most one if properties are counted."""
    plain, condition = split(what)
    if condition:
        return truths_of(grammar, plain, daughters) if is_met(what, condition, daughters) else []
    if what.relation in BUILT_IN:
        truths = BUILT_IN[what.relation](grammar, what, daughters)
    else:
        truths = written_by_user(relation_of(grammar, what), what, daughters)
    if grammar.semantics.counting == "property" and truths:
        return [all(truths)]
    return truths


def is_retrieved(grammar: Grammar, what: Property, daughters: Sequence[Daughter]) -> bool:
    """True if the operands that make the property pertinent are present, as distinct daughters (rulings 6 and 8)."""
    what, _ = split(what)
    match what.relation:
        case "obligation":
            found = any(ways(((joint,),), daughters) for joint in what.operands[0])
            return found and grammar.semantics.trigger == "any-property"
        case "uniqueness" | "requirement":
            return bool(ways(what.operands[:1], daughters))
        case "exclusion" if grammar.semantics.exclusion == "counts":
            return bool(ways(what.operands[:1], daughters) or ways(what.operands[1:], daughters))
        case name if name in BUILT_IN:
            return bool(ways(what.operands, daughters))
    relation = relation_of(grammar, what)
    parameters = dict(zip(relation.parameters, what.operands, strict=True))
    return any(
        clause.matched and ways([parameters[name] for name in clause.matched], daughters) for clause in relation.clauses
    )


def covers_all(construction: Construction, daughters: Sequence[Daughter]) -> bool:
    """H3 (ruling 7): a declared constituency replaces the operands of the form."""
    if construction.constituency is not None:
        members = construction.constituency
        return all(any(is_operand(member, daughter) for member in members) for daughter in daughters)
    categories = {
        operand.category
        for what in construction.properties
        for parameter in what.operands
        for joint in parameter
        for operand in joint
    }
    return all(category in categories for category, _ in daughters)


def first_match(operand: Operand, daughters: Sequence[Daughter]) -> Daughter | None:
    return next((daughter for daughter in daughters if is_operand(operand, daughter)), None)


def head_of(construction: Construction, daughters: Sequence[Daughter]) -> Daughter | None:
    """The first listed operand that is present, its leftmost daughter (ruling 10)."""
    listed = list(construction.head)
    if not listed:
        for what in construction.properties:
            if what.relation == "obligation":
                listed += [joint[0] for joint in what.operands[0] if len(joint) == 1]
    for operand in listed:
        daughter = first_match(operand, daughters)
        if daughter is not None:
            return daughter
    return None


def features_of(construction: Construction, daughters: Sequence[Daughter]) -> Bundle:
    """Return the features of the phrase: those of the head, then those of the first rule that applies (ruling 10).

    A source, like a head, is its leftmost daughter; if that one lacks the feature, the next source is used.
    """
    head = head_of(construction, daughters)
    bundle = dict(head[1]) if head is not None else {}
    if construction.inherit is not None:
        bundle = {name: value for name, value in bundle.items() if name in construction.inherit}
    decided = set()
    for rule in construction.feature_rules:
        if rule.feature in decided:
            continue
        value: str | None = None
        if not all((first_match(each.operand, daughters) is None) == each.absent for each in rule.conditions):
            continue
        if rule.value is not None:
            value = rule.value
        else:
            for source in rule.sources:
                named = first_match(source, daughters)
                if named is not None and carries(named[1], rule.feature) is not None:
                    value = carries(named[1], rule.feature)
                    break
        if value is not None:
            bundle[rule.feature] = value
            decided.add(rule.feature)
    return tuple(sorted(bundle.items()))


def with_marks_of(daughters: Sequence[Daughter], features: Bundle) -> Bundle:
    """Return features with `before` as the first daughter has it and `after` as the last one has it (ruling 48)."""
    bundle = {name: value for name, value in features if name not in ("before", "after")}
    bundle |= {name: value for name, value in daughters[0][1] if name == "before"}
    bundle |= {name: value for name, value in daughters[-1][1] if name == "after"}
    return tuple(sorted(bundle.items()))


class Built(NamedTuple):
    """A constituent built from an assignment: `truths` has a list for each property of its form."""

    features: Bundle
    truths: tuple[tuple[bool, ...], ...]
    cost: int
    gain: int


def build(
    grammar: Grammar, construction: Construction, daughters: Sequence[Daughter], switches: Switches
) -> Built | None:
    """Return the cost and gain of the constituent without its daughters, None if it cannot be built."""
    if switches.h3 and not covers_all(construction, daughters):
        return None
    retrieved = [is_retrieved(grammar, what, daughters) for what in construction.properties]
    if not any(retrieved):
        return None
    truths = [truths_of(grammar, what, daughters) for what in construction.properties]
    if switches.h4 and not any(ours and True in these for ours, these in zip(retrieved, truths, strict=True)):
        return None
    cost, gain = 0, -grammar.node_cost_units
    for what, these in zip(construction.properties, truths, strict=True):
        for truth in these:
            if truth:
                gain += what.weight_units
            elif what.hard or switches.strict:
                return None
            else:
                cost += what.cost_units
    cost += sum(price.cost_units * times_rare(grammar, price, daughters) for price in construction.prices)
    features = features_of(construction, daughters)
    if grammar.marks:
        features = with_marks_of(daughters, features)
    return Built(features, tuple(map(tuple, truths)), cost, gain)


def times_rare(grammar: Grammar, price: Property, daughters: Sequence[Daughter]) -> int:
    """Return how often a price is due: once for the phrase, or for each daughter that matches its operand."""
    form, _, condition = price.relation.partition(" if ")
    if condition and not is_met(price, condition, daughters):
        return 0
    of_daughters = form.startswith("price_of")
    times = len(ways(price.operands[:1], daughters)) if of_daughters else 1
    return min(times, 1) if grammar.semantics.counting == "property" else times


# All trees, all covers


class Tree(NamedTuple):
    """`cost` and `gain` (weights of satisfied instances minus node costs) are those of the whole tree."""

    construction: str
    start: int
    end: int
    features: Bundle
    depth: int
    cost: int
    gain: int
    daughters: tuple[Tree, ...] = ()

    @property
    def as_daughter(self) -> Daughter:
        return self.construction, self.features

    def __str__(self) -> str:
        return bracketed(self.construction, self.features, self.start, self.end, map(str, self.daughters))


def bracketed(construction: str, features: Bundle, start: int, end: int, daughters: Iterator[str]) -> str:
    """The one way to write a tree: `NP[number=sg]0-2(Det0-1 N[number=sg]1-2)`."""
    inside = " ".join(daughters)
    bundle = f"[{','.join(f'{name}={value}' for name, value in sorted(features))}]" if features else ""
    return f"{construction}{bundle}{start}-{end}" + (f"({inside})" if inside else "")


Spans = dict[tuple[int, int], list[Tree]]


@dataclass(frozen=True, slots=True)
class Forest:
    """All trees over all spans of the sentence."""

    grammar: Grammar
    length: int
    trees: Spans
    budget: int


def words_of(lattice: Lattice) -> list[Tree]:
    """Return one tree for each span, category and features of the arcs; the best reading of a span costs nothing."""
    best: dict[tuple[int, int], float] = {}
    readings: dict[tuple[int, int, str, Bundle], float] = {}
    for arc in lattice.arcs:
        span = (arc.start, arc.end)
        best[span] = max(best.get(span, arc.log_weight), arc.log_weight)
        key = (arc.start, arc.end, arc.category, tuple(sorted(arc.features)))
        readings[key] = max(readings.get(key, arc.log_weight), arc.log_weight)
    return [
        Tree(category, start, end, features, 0, round((best[start, end] - log_weight) * UNIT), 0)
        for (start, end, category, features), log_weight in readings.items()
    ]


def compositions(start: int, end: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every way to cut a span into one or more parts."""
    yield ((start, end),)
    for middle in range(start + 1, end):
        for rest in compositions(middle, end):
            yield ((start, middle), *rest)


def enumerate_trees(
    grammar: Grammar, lattice: Lattice, switches: Switches = PROFILES["default"], budget: int = 100_000
) -> Forest:
    """Return every tree over every span. Raises TooManyTreesError if there are more than `budget`."""
    length = len(lattice.tokens)
    trees: Spans = {(start, end): [] for start in range(length) for end in range(start + 1, length + 1)}
    for word in words_of(lattice):
        trees[word.start, word.end].append(word)
    left = budget

    @cache
    def built(number: int, daughters: tuple[Daughter, ...]) -> Built | None:
        return build(grammar, grammar.constructions[number], daughters, switches)

    def grow(kinds: tuple[Daughter, ...], choices: Sequence[Sequence[Tree]]) -> list[Tree]:
        """Every construction over every choice of daughters; all of a choice list look alike to a property."""
        nonlocal left
        grown = []
        for number, construction in enumerate(grammar.constructions):
            if len(kinds) == 1 and kinds[0][0] == construction.name:
                continue
            new = built(number, kinds)
            if new is None:
                continue
            left -= prod(map(len, choices))
            if left < 0:
                raise TooManyTreesError
            for daughters in product(*choices):
                depth = 1 if len(daughters) > 1 else daughters[0].depth + 1
                cost = new.cost + sum(daughter.cost for daughter in daughters)
                gain = new.gain + sum(daughter.gain for daughter in daughters)
                start, end = daughters[0].start, daughters[-1].end
                grown.append(Tree(construction.name, start, end, new.features, depth, cost, gain, daughters))
        return grown

    for start, end in sorted(trees, key=lambda span: span[1] - span[0]):
        here = trees[start, end]
        for parts in compositions(start, end):
            if len(parts) == 1:
                continue
            alike = [by_kind(trees[part]) for part in parts]
            for kinds in product(*alike):
                here += grow(kinds, [group[kind] for group, kind in zip(alike, kinds, strict=True)])
        latest = list(here)
        while latest:  # unary chains, one more phrase on top at each turn (ruling 4)
            below = [tree for tree in latest if tree.depth < grammar.unary_limit]
            latest = [phrase for tree in below for phrase in grow((tree.as_daughter,), [[tree]])]
            here += latest
    return Forest(grammar, length, trees, budget)


def by_kind(trees: list[Tree]) -> dict[Daughter, list[Tree]]:
    groups: dict[Daughter, list[Tree]] = {}
    for tree in trees:
        groups.setdefault(tree.as_daughter, []).append(tree)
    return groups


class Cover(NamedTuple):
    """A sequence of trees over the whole input, with its cost (violations, fragments, readings) and gain."""

    cost: int
    gain: int
    trees: tuple[Tree, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.trees))

    def value(self, valuation: Valuation) -> tuple[int, ...]:
        """Greater is better (ruling 1)."""
        return (-self.cost, self.gain) if valuation == "relaxation" else (self.gain - self.cost,)


def covers(forest: Forest) -> Iterator[Cover]:
    """Every cover of the sentence (H5, ruling 2)."""
    left = forest.budget
    for parts in compositions(0, forest.length):
        choices = [forest.trees[part] for part in parts]
        left -= prod(map(len, choices))
        if left < 0:
            raise TooManyTreesError
        for trees in product(*choices):
            alone = len(trees) == 1 and forest.grammar.is_root(trees[0].construction, trees[0].features)
            fragments = 0 if alone else len(trees) * forest.grammar.fragment_cost_units
            yield Cover(fragments + sum(t.cost for t in trees), sum(t.gain for t in trees), trees)


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best value and all covers that have it."""

    value: tuple[int, ...]
    covers: tuple[Cover, ...]

    @property
    def count(self) -> int:
        return len(self.covers)

    @property
    def trees(self) -> set[str]:
        return set(map(str, self.covers))


def optimum(forest: Forest, valuation: Valuation = "relaxation") -> Optimum:
    best: tuple[int, ...] | None = None
    found: list[Cover] = []
    for cover in covers(forest):
        value = cover.value(valuation)
        if best is None or value > best:
            best, found = value, []
        if value == best:
            found.append(cover)
    assert best is not None, "every token has an arc of its own, so there is a cover"
    return Optimum(best, tuple(found))


def ranking(forest: Forest, valuation: Valuation = "relaxation") -> list[tuple[int, ...]]:
    """The values of all covers, the best first."""
    return sorted((cover.value(valuation) for cover in covers(forest)), reverse=True)
