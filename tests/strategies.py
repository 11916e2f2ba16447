"""Small random grammars and lattices: by a seeded `random.Random` for bulk runs, and as hypothesis strategies.

The grammars are records, but all can be written in the notation. They make little sense, but use every relation, every
switch of the semantics and every source of features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log
from random import Random
from typing import Final, TypeVar

from hypothesis import strategies as st

from numbat.grammar.conditions import Guard, guarded
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
from numbat.grammar.marks import features_of
from numbat.grammar.model import Construction, FeatureRule, Grammar, Occurrence, Semantics
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import ABSENT, LETTERS, UNIT, Bundle, Demand, Operand, Parameter, Property, Strength
from numbat.grammar.relations import PRICES, Clause, Relation, built_in
from numbat.words.beside import marks_of
from numbat.words.lattice import Arc, Lattice

T = TypeVar("T")

FEATURES: Final = {"number": ("sg", "pl"), "kind": ("a", "b")}
CONSTRUCTIONS: Final = ("NP", "VP", "PP", "S")
LEAVES: Final = ("Det", "N", "V", "P")
SEMANTICS: Final[dict[str, tuple[str, str]]] = {
    "obligation": ("at-least-one", "exactly-one"),
    "counting": ("instance", "property"),
    "uniqueness": ("counts", "silent"),
    "exclusion": ("silent", "counts"),
    "missing": ("unifies", "clashes"),
}
RELATIONS: Final = (
    "obligation",
    "uniqueness",
    "linearity",
    "linearity",
    "adjacency",
    "near",
    "requirement",
    "exclusion",
    "dependency",
)
COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=")
STRENGTHS: Final = (UNIT, UNIT, UNIT, UNIT, 0, UNIT // 2, 2 * UNIT, 3 * UNIT, 1, 333_333)


def chance(rng: Random, probability: float) -> bool:
    return rng.random() < probability


def some(rng: Random, pool: Sequence[T], least: int, most: int) -> tuple[T, ...]:
    """Between `least` and `most` different members of the pool, in any order."""
    return tuple(rng.sample(pool, min(len(pool), rng.randint(least, most))))


# Operands


def random_demand(rng: Random) -> Demand:
    """One or two features with one accepted value, now and then with both, with none, or with one or none."""
    return tuple(
        (name, rng.choice(((ABSENT,), (*values, ABSENT))) if chance(rng, 0.2) else values)
        for name, values in random_features(rng)
    )


def random_features(rng: Random) -> Demand:
    """Return features of a word: one or two with one value, sometimes with both."""
    names = sorted(some(rng, tuple(FEATURES), 1, 1 if chance(rng, 0.8) else 2))
    return tuple((name, FEATURES[name] if chance(rng, 0.15) else (rng.choice(FEATURES[name]),)) for name in names)


def random_operand(rng: Random, categories: Sequence[str], featured: float = 0.2) -> Operand:
    return Operand(rng.choice(categories), random_demand(rng) if chance(rng, featured) else ())


def single(rng: Random, categories: Sequence[str]) -> Parameter:
    return ((random_operand(rng, categories),),)


def joint(rng: Random, categories: Sequence[str]) -> Parameter:
    """`B`, now and then `B1 & B2`."""
    if chance(rng, 0.75):
        return single(rng, categories)
    if chance(rng, 0.2):
        categories = [rng.choice(categories)]  # `N & N[number=sg]`: two daughters all the same
    return ((random_operand(rng, categories), random_operand(rng, categories)),)


def alternatives(rng: Random, categories: Sequence[str]) -> Parameter:
    """`C`, now and then `C1 & C2 | D`."""
    if chance(rng, 0.6):
        return joint(rng, categories)
    joints = [joint(rng, categories)[0] for _ in range(2)]
    return tuple(joints) if joints[0] != joints[1] else (joints[0],)


def either(rng: Random, categories: Sequence[str]) -> Parameter:
    """`N | V`: two operands that no daughter is both of."""
    chosen = some(rng, categories, 2, 2)
    return tuple((random_operand(rng, [category]),) for category in chosen)


# Relations of the grammar writer


def about_pair(rng: Random, left: str, right: str) -> Expression:
    """Return a condition on a pair of matched daughters."""
    feature = rng.choice(tuple(FEATURES))
    return rng.choice(
        (
            Precedes(left, right),
            Adjacent(left, right),
            Distance(left, right, rng.choice(COMPARISONS), rng.randint(1, 3)),
            about_place(rng, left),
            Agree(left, right, chance(rng, 0.5)),
            SameValue(left, feature, right, rng.choice(tuple(FEATURES))),
            HasValue(left, feature, rng.choice(FEATURES[feature])),
        )
    )


def about_place(rng: Random, parameter: str) -> Expression:
    place = Place(parameter, rng.choice(COMPARISONS), rng.randint(1, 3))
    return rng.choice((Last(parameter), Place(parameter, "=", 1), place))


def about_assignment(rng: Random, parameter: str) -> Expression:
    comparison = rng.choice(COMPARISONS)
    return rng.choice((Present(parameter), Count(parameter, comparison, rng.randint(0, 3))))


def combined(rng: Random, atoms: Sequence[Expression]) -> Expression:
    """One to three of the atoms, put together with not, and, or."""
    chosen = [Not(atom) if chance(rng, 0.25) else atom for atom in some(rng, atoms, 1, 3)]
    if len(chosen) == 1:
        return chosen[0]
    together = And(tuple(chosen)) if chance(rng, 0.5) else Or(tuple(chosen))
    return Not(together) if chance(rng, 0.15) else together


def is_settled(expression: Expression) -> bool:
    """True if the truth for a tuple cannot change when the assignment grows."""
    match expression:
        case Adjacent() | Place() | Last() | Distance() | Count() | Present():
            return False
        case Not(inner):
            return is_settled(inner)
        case And(parts) | Or(parts):
            return all(map(is_settled, parts))
    return True


def random_relation(rng: Random, name: str) -> Relation:
    kind = rng.choice(("one", "pair", "pair", "triple", "symmetric", "clauses", "absence"))
    guard: Expression = Always(True)
    if kind == "one":
        feature = rng.choice(tuple(FEATURES))
        value = HasValue("B", feature, rng.choice(FEATURES[feature]))
        atoms = [about_assignment(rng, "B"), about_place(rng, "B"), value]
        parameters: tuple[str, ...] = ("B",)
        clauses: tuple[Clause, ...] = (Clause(("B",), combined(rng, atoms) if chance(rng, 0.4) else guard),)
    elif kind == "pair":
        parameters = ("B", "C")
        atoms = [about_pair(rng, "B", "C"), about_pair(rng, "C", "B"), about_assignment(rng, rng.choice("BC"))]
        clauses = (Clause(("B", "C"), combined(rng, atoms) if chance(rng, 0.4) else guard),)
    elif kind == "triple":
        parameters = ("B", "C", "D")
        atoms = [about_pair(rng, "B", "C"), about_pair(rng, "C", "D"), about_assignment(rng, rng.choice("BCD"))]
        clauses = (Clause(parameters, guard),)
    elif kind == "symmetric":
        parameters = ("B", "C", "D") if chance(rng, 0.3) else ("B", "C")
        atoms = [Adjacent("B", "C"), Agree("B", "C", chance(rng, 0.5)), SameValue("B", "kind", "C", "kind")]
        clauses = (Clause(parameters),)
    elif kind == "clauses":
        parameters = ("B", "C")
        atoms = [about_assignment(rng, "B"), about_assignment(rng, "C")]
        others = rng.choice(((), (Clause(("C",)),), (Clause(("B", "C")),)))
        clauses = (Clause(("B",), about_assignment(rng, "C")), *others)
    else:
        parameters = ("B",)
        atoms = [about_assignment(rng, "B"), about_assignment(rng, "B")]
        clauses = (Clause(()),)
    holds = combined(rng, atoms) if chance(rng, 0.95) else Always(chance(rng, 0.5))
    monotonic = is_settled(holds) and all(is_settled(clause.guard) for clause in clauses) and chance(rng, 0.5)
    return Relation(name, parameters, clauses, holds, monotonic=monotonic, symmetric=kind == "symmetric")


def shares_features(relation: Relation) -> bool:
    return "agree(" in " ".join(map(str, (relation.holds, *(clause.guard for clause in relation.clauses))))


# Properties and constructions


def argument(rng: Random, categories: Sequence[str], relation: Relation, parameter: str) -> Parameter:
    """Return operands for a parameter: only one if the relation uses its index or a feature."""
    if parameter in relation.single:
        return single(rng, categories)
    return joint(rng, categories) if parameter in relation.matched else alternatives(rng, categories)


def random_property(
    rng: Random, construction: str, categories: Sequence[str], relations: Sequence[Relation], negative: bool
) -> Property:
    own = tuple(relation.name for relation in relations)
    name = rng.choice((*RELATIONS, *own, *own, *own))
    features: tuple[str, ...] = ()
    match name:
        case "obligation":
            operands: tuple[Parameter, ...] = (alternatives(rng, categories),)
        case "uniqueness":
            operands = (either(rng, categories) if chance(rng, 0.25) else joint(rng, categories),)
        case "linearity" | "adjacency" | "near":
            operands = (single(rng, categories), single(rng, categories))
        case "dependency":
            operands = (single(rng, categories), single(rng, categories))
            features = some(rng, tuple(FEATURES), 1, 2)
        case "requirement":
            operands = (joint(rng, categories), alternatives(rng, categories))
        case "exclusion":
            operands = (joint(rng, categories), joint(rng, categories))
        case _:
            (relation,) = (relation for relation in relations if relation.name == name)
            operands = tuple(argument(rng, categories, relation, parameter) for parameter in relation.parameters)
            features = some(rng, tuple(FEATURES), 1, 2) if shares_features(relation) else ()
    weight, cost = rng.choice(STRENGTHS), rng.choice(STRENGTHS)
    if negative and chance(rng, 0.2):
        weight = -weight
    return Property(construction, name, operands, features, weight, cost, hard=chance(rng, 0.08))


def random_feature_rule(rng: Random, categories: Sequence[str]) -> FeatureRule:
    feature = rng.choice(tuple(FEATURES))
    conditions: tuple[Occurrence, ...] = ()
    if chance(rng, 0.5):
        sources = tuple(random_operand(rng, categories) for _ in range(rng.randint(1, 2)))
        if chance(rng, 0.3):
            conditions = random_conditions(rng, categories)
        return FeatureRule(feature, None, sources, conditions)
    if chance(rng, 0.6):
        conditions = random_conditions(rng, categories)
    return FeatureRule(feature, rng.choice(FEATURES[feature]), (), conditions)


def random_conditions(rng: Random, categories: Sequence[str]) -> tuple[Occurrence, ...]:
    """Return one condition of a feature rule, sometimes two or three that must hold together."""
    number = rng.choice((1, 1, 1, 2, 3))
    return tuple(dict.fromkeys(Occurrence(random_operand(rng, categories), chance(rng, 0.4)) for _ in range(number)))


def random_construction(
    rng: Random, name: str, categories: Sequence[str], relations: Sequence[Relation], negative: bool
) -> Construction:
    pool = some(rng, categories, 2, 5)
    made = [random_property(rng, name, pool, relations, negative) for _ in range(rng.randint(1, 6))]
    for _ in range(rng.choice((0, 1, 1, 2))):  # so that phrases of one word are built
        made.append(Property(name, "uniqueness", (single(rng, pool),)))
    properties = {(made.relation, made.operands, made.features): made for made in made}
    head = tuple(random_operand(rng, pool, 0.1) for _ in range(rng.randint(1, 2))) if chance(rng, 0.4) else ()
    constituency = None
    if chance(rng, 0.2):
        constituency = tuple(dict.fromkeys(random_operand(rng, pool, 0.15) for _ in range(rng.randint(2, 4))))
    return Construction(
        name,
        head=head,
        inherit=some(rng, tuple(FEATURES), 0, 2) if chance(rng, 0.3) else None,
        feature_rules=tuple(random_feature_rule(rng, pool) for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3)))),
        constituency=constituency,
        properties=tuple(properties.values()),
    )


def random_semantics(rng: Random) -> Semantics:
    """Each switch is at its default two times out of three."""
    chosen = {name: values[chance(rng, 1 / 3)] for name, values in SEMANTICS.items()}
    return Semantics(**chosen)  # type: ignore[arg-type]  # the values are the literals of the record


def random_grammar(rng: Random, negative: bool = False) -> Grammar:
    """2 to 4 constructions over 2 to 4 leaves; with `negative`, weights below zero too (for the valuation net)."""
    names = CONSTRUCTIONS[: rng.choice((2, 2, 3, 3, 4))]
    leaves = LEAVES[: rng.randint(2, 4)] + ((WILDCARD,) if chance(rng, 0.1) else ())
    relations = tuple(random_relation(rng, f"own{i}") for i in range(rng.choice((0, 1, 1, 2))))
    categories = (*leaves, *names)
    constructions = tuple(random_construction(rng, name, categories, relations, negative) for name in names)
    used = {what.relation for construction in constructions for what in construction.properties}
    several = [random_operand(rng, (*names, *names, *leaves), 0.3) for _ in range(rng.choice((0, 1, 1, 2)))]
    roots = tuple(dict.fromkeys(several))
    whole = Grammar(
        name="random",
        features=tuple(FEATURES.items()),
        leaves=leaves,
        roots=roots,
        tree_features=tuple(FEATURES)[: len(leaves) - 2],
        fragment_cost_units=rng.choice((10 * UNIT, 10 * UNIT, 10 * UNIT, 3 * UNIT, UNIT, UNIT // 2, 0)),
        node_cost_units=rng.choice((UNIT, UNIT, UNIT, 2 * UNIT, UNIT // 2, 0)),
        unary_limit=rng.choice((3, 3, 2, 2, 1)),
        semantics=random_semantics(rng),
        relations=tuple(replace(r, shares_features=shares_features(r)) for r in relations if r.name in used),
        constructions=constructions,
    )
    own = Random(repr(whole.constructions))
    conditional = with_conditions(rng, whole, categories)
    made = with_prices(own, with_wildcards(own, conditional, categories), categories)
    return with_declared_marks(Random(repr(made.constructions)), made)


def with_wildcards(rng: Random, grammar: Grammar, categories: Sequence[str]) -> Grammar:
    """The grammar with properties of the wildcard type in some constructions."""

    def extended(construction: Construction) -> Construction:
        if not chance(rng, 0.1):
            return construction
        operands = (single(rng, categories),)
        prop = Property(construction.name, "wildcard", operands, (), rng.choice(STRENGTHS), rng.choice(STRENGTHS))
        return replace(construction, properties=(*construction.properties, prop))

    return replace(grammar, constructions=tuple(map(extended, grammar.constructions)))


def with_prices(rng: Random, grammar: Grammar, categories: Sequence[str]) -> Grammar:
    """The grammar with prices in some constructions: of the phrase or of a daughter, some under conditions."""
    anonymous: dict[str, Relation] = {}

    def price(construction: str) -> Property:
        relation = rng.choice(PRICES)
        operands = tuple(single(rng, categories) for _ in relation.parameters)
        if chance(rng, 0.6):
            guard = random_guard(rng, categories, len(operands))
            relation = guarded(relation, guard)
            anonymous[relation.name] = relation
            operands = (*operands, *(((operand,),) for operand in guard.operands))
        cost = rng.choice((UNIT // 4, UNIT // 2, 333_333))
        stated = Strength(cost=cost)
        return Property(construction, relation.name, operands, (), 0, cost, stated=stated, title=rng.choice(("", "it")))

    def extended(construction: Construction) -> Construction:
        prices = [price(construction.name) for _ in range(rng.choice((0, 0, 1, 2)))]
        return replace(construction, prices=tuple({(made.relation, made.operands): made for made in prices}.values()))

    constructions = tuple(map(extended, grammar.constructions))
    known = anonymous | {relation.name: relation for relation in grammar.relations}
    named = (rule.relation for construction in constructions for rule in construction.rules)
    own = [name for name in known if " " not in name]
    order = dict.fromkeys((*own, *(name for name in named if name in known)))
    return replace(grammar, relations=tuple(map(known.__getitem__, order)), constructions=constructions)


def with_conditions(rng: Random, grammar: Grammar, categories: Sequence[str]) -> Grammar:
    """The grammar with conditions of some of its properties: `B < C if D & no E`."""
    built = {relation.name: relation for relation in built_in(grammar.semantics.switches)}
    anonymous: dict[str, Relation] = {}

    def changed(what: Property) -> Property:
        if what.relation not in built or not chance(rng, 0.06):
            return what
        guard = random_guard(rng, categories, len(what.operands))
        relation = guarded(built[what.relation], guard)
        anonymous[relation.name] = relation
        conditions = tuple(((operand,),) for operand in guard.operands)
        return replace(what, relation=relation.name, operands=(*what.operands, *conditions))

    constructions = tuple(
        replace(construction, properties=tuple(map(changed, construction.properties)))
        for construction in grammar.constructions
    )
    return replace(grammar, relations=(*grammar.relations, *anonymous.values()), constructions=constructions)


def random_guard(rng: Random, categories: Sequence[str], taken: int) -> Guard:
    """Return a guard such as `D`, `no D`, `D & E` or `D or no E`."""
    operands = tuple(dict.fromkeys(random_operand(rng, categories) for _ in range(rng.choice((1, 1, 2)))))
    letters = LETTERS[taken : taken + len(operands)]
    absent = [chance(rng, 0.35) for _ in operands]
    parts = [Not(Present(letter)) if no else Present(letter) for letter, no in zip(letters, absent, strict=True)]
    texts = [f"no {letter}" if no else letter for letter, no in zip(letters, absent, strict=True)]
    if len(parts) == 1:
        return Guard(operands, parts[0], texts[0])
    if chance(rng, 0.5):
        return Guard(operands, Or(tuple(parts)), " or ".join(texts))
    return Guard(operands, And(tuple(parts)), " & ".join(texts))


MARKS: Final = (("comma", (",",)), ("dash", ("-", "--")))


def with_declared_marks(rng: Random, grammar: Grammar) -> Grammar:
    """Return the grammar, one time out of four with marks, which some of its operands demand."""
    if not chance(rng, 0.25):
        return grammar

    def operand(known: Operand) -> Operand:
        if not chance(rng, 0.3):
            return known
        values = rng.choice((("comma",), ("dash",), ("comma", "dash"), (ABSENT,), ("comma", ABSENT)))
        return replace(known, features=tuple(sorted((*known.features, (rng.choice(("after", "before")), values)))))

    def occurrence(known: Occurrence) -> Occurrence:
        return replace(known, operand=operand(known.operand))

    def prop(known: Property) -> Property:
        operands = tuple(tuple(tuple(map(operand, joint)) for joint in every) for every in known.operands)
        features = (*known.features, "before") if known.features and chance(rng, 0.2) else known.features
        return replace(known, operands=operands, features=features)

    def rule(known: FeatureRule) -> FeatureRule:
        sources, conditions = tuple(map(operand, known.sources)), tuple(map(occurrence, known.conditions))
        return replace(known, sources=sources, conditions=conditions)

    def construction(known: Construction) -> Construction:
        constituency = None if known.constituency is None else tuple(dict.fromkeys(map(operand, known.constituency)))
        properties = {(made.relation, made.operands, made.features): made for made in map(prop, known.properties)}
        return replace(
            known,
            head=tuple(map(operand, known.head)),
            feature_rules=tuple(map(rule, known.feature_rules)),
            constituency=constituency,
            properties=tuple(properties.values()),
        )

    return replace(
        grammar,
        marks=MARKS,
        features=(*grammar.features, *features_of(name for name, _ in MARKS)),
        roots=tuple(dict.fromkeys(map(operand, grammar.roots))),
        constructions=tuple(map(construction, grammar.constructions)),
    )


# Lattices


def random_bundle(rng: Random) -> Bundle:
    return tuple((name, rng.choice(values)) for name, values in sorted(FEATURES.items()) if chance(rng, 0.5))


def random_log_weight(rng: Random) -> float:
    return 0.0 if chance(rng, 0.5) else rng.choice((-0.5, -1.25, -3.0, log(1 / 3), log(2 / 7)))


def random_arc(rng: Random, grammar: Grammar, start: int, end: int) -> Arc:
    """Return mostly a leaf that a property mentions, sometimes a word that is a construction."""
    named = {o.category for what in grammar.properties for parameter in what.operands for j in parameter for o in j}
    pool = [leaf for leaf in grammar.leaves if leaf in named and chance(rng, 0.95)] or list(grammar.leaves)
    if chance(rng, 0.08):
        pool = [construction.name for construction in grammar.constructions]
    form = " ".join(f"w{position}" for position in range(start, end))
    return Arc(start, end, form, rng.choice(pool), random_bundle(rng), random_log_weight(rng))


def random_lattice(rng: Random, grammar: Grammar, longest: int = 5) -> Lattice:
    """Return 1 to `longest` tokens, each with one or two readings; sometimes with arcs over several tokens."""
    length = min(longest, rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 5)))
    tokens = tuple(f"w{position}" for position in range(length))
    arcs = [
        random_arc(rng, grammar, position, position + 1)
        for position in range(length)
        for _ in range(rng.choice((1, 1, 1, 2)))
    ]
    if length > 1 and chance(rng, 0.25):
        start = rng.randrange(length - 1)
        arcs.append(random_arc(rng, grammar, start, rng.randint(start + 2, min(length, start + 3))))
    return with_marks_between(Lattice(tokens, tuple(arcs), text=" ".join(tokens)), grammar)


def with_marks_between(lattice: Lattice, grammar: Grammar) -> Lattice:
    """Return the lattice with marks of the grammar between some of its tokens."""
    rng = Random(repr(lattice.arcs))
    signs = [(gap, rng.choice((",", "--", "-", "!"))) for gap in range(len(lattice.tokens) + 1) if chance(rng, 0.4)]
    if not grammar.marks:
        return lattice
    skipped = replace(lattice, skipped=tuple(sign for _, sign in signs), gaps=tuple(gap for gap, _ in signs))
    return marks_of(grammar.marks).beside(skipped)


def shortened(lattice: Lattice, length: int) -> Lattice:
    """The first tokens of a lattice, with the arcs over them."""
    tokens = lattice.tokens[:length]
    return Lattice(tokens, tuple(arc for arc in lattice.arcs if arc.end <= length), text=" ".join(tokens))


def random_pair(seed: int, negative: bool = False, longest: int = 5) -> tuple[Grammar, Lattice]:
    """The grammar and the sentence of a seed: the same at every run, on every machine."""
    rng = Random(seed)
    grammar = random_grammar(rng, negative)
    return grammar, random_lattice(rng, grammar, longest)


def grammars(negative: bool = False) -> st.SearchStrategy[Grammar]:
    return st.randoms(use_true_random=False).map(lambda rng: random_grammar(rng, negative))


def pairs(negative: bool = False, longest: int = 4) -> st.SearchStrategy[tuple[Grammar, Lattice]]:
    """A grammar and a sentence for it."""

    def pair(rng: Random) -> tuple[Grammar, Lattice]:
        grammar = random_grammar(rng, negative)
        return grammar, random_lattice(rng, grammar, longest)

    return st.randoms(use_true_random=False).map(pair)
