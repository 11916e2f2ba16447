"""The `per-construction` election against the naive enumerator of `oracle.py`, on random grammars and sentences.

First the oracle itself, on cases worked out by hand; then value, count and set of the optimal trees, pair by pair.
A failing pair is named by its seed: `random_pair(seed)` makes it again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from numbat import Limits, Parser, parse_grammar
from numbat.evaluation.constituents import Constituent
from numbat.grammar.expressions import Adjacent, Agree, And, Count, HasValue, Not, Or, Precedes, Present
from numbat.grammar.model import Construction, FeatureRule, Grammar, Occurrence, Semantics
from numbat.grammar.properties import UNIT, Bundle, Operand, Parameter, Property
from numbat.grammar.relations import Clause, Relation
from numbat.parsing.result import Parse
from numbat.words.lattice import Arc, Lattice
from tests.oracle import (
    PROFILES,
    Daughter,
    Forest,
    Optimum,
    Switches,
    TooManyTreesError,
    Valuation,
    bracketed,
    build,
    enumerate_trees,
    features_of,
    is_retrieved,
    optimum,
    ranking,
    truths_of,
)
from tests.samples import enough
from tests.strategies import pairs, random_pair, shortened

# Writing grammars and sentences shortly


def bundle(text: str) -> Bundle:
    """`number=sg,kind=a`"""
    return tuple((name, value) for name, value in (pair.split("=") for pair in text.split(",") if pair))


def operand(text: str) -> Operand:
    """`N`, `N[number=sg]`"""
    found = re.fullmatch(r"([\w?]+)(?:\[(.*)\])?", text.strip())
    assert found, text
    return Operand(found[1], tuple((name, tuple(value.split("|"))) for name, value in bundle(found[2] or "")))


def parameter(text: str) -> Parameter:
    """`C1 & C2 / D`: alternatives are parted by a slash here, `|` parts the values of a feature."""
    return tuple(tuple(map(operand, joint.split("&"))) for joint in text.split("/"))


def prop(construction: str, relation: str, *operands: str, features: str = "", hard: bool = False) -> Property:
    return Property(construction, relation, tuple(map(parameter, operands)), tuple(features.split()), hard=hard)


def construction(name: str, *properties: tuple[str, ...]) -> Construction:
    """Each property as (relation, operand, ...)."""
    return Construction(name, properties=tuple(prop(name, *what) for what in properties))


def daughter(text: str) -> Daughter:
    """`N`, `N[number=sg]`"""
    return operand(text).category, tuple((name, values[0]) for name, values in operand(text).features)


def daughters(text: str) -> list[Daughter]:
    return [daughter(word) for word in text.split()]


def sentence(text: str) -> Lattice:
    """A token for each blank-separated word; `N~V`: two readings."""
    words = text.split()
    arcs = []
    for position, word in enumerate(words):
        for reading in word.split("~"):
            category, features = daughter(reading)
            arcs.append(Arc(position, position + 1, f"w{position}", category, features))
    return Lattice(tuple(f"w{position}" for position in range(len(words))), tuple(arcs))


DEFAULT, STRICT, LOOSE = (PROFILES[name] for name in ("default", "strict", "loose"))


def solve(
    grammar: Grammar, text: Lattice | str, switches: Switches = DEFAULT, valuation: Valuation = "relaxation"
) -> Optimum:
    lattice = sentence(text) if isinstance(text, str) else text
    return optimum(enumerate_trees(grammar, lattice, switches), valuation)


def shown(forest: Forest, start: int, end: int) -> set[str]:
    return set(map(str, forest.trees[start, end]))


# The oracle, by hand: instances

NUMBER = "number"
PLAIN = Grammar()
INSTANCES = [
    # relation, operands, daughters, truths by default
    ("obligation", ["N"], "Det N", [True]),
    ("obligation", ["N"], "Det", [False]),
    ("obligation", ["N/Pro"], "Pro", [True]),
    ("obligation", ["N/Pro"], "N Pro", [True]),
    ("obligation", ["N[number=sg]"], "N", [False]),
    ("uniqueness", ["N"], "Det", []),
    ("uniqueness", ["N"], "Det N", [True]),
    ("uniqueness", ["N"], "N Det N", [False, False]),
    ("uniqueness", ["N[number=sg]"], "N[number=sg] N[number=pl]", [True]),
    ("linearity", ["Det", "N"], "Det N", [True]),
    ("linearity", ["Det", "N"], "N Det", [False]),
    ("linearity", ["Det", "N"], "Det N Det", [True, False]),
    ("linearity", ["Det", "N"], "Det", []),
    ("linearity", ["N", "N"], "N N", [True, False]),
    ("adjacency", ["Det", "N"], "N Det", [True]),
    ("adjacency", ["Det", "N"], "Det A N", [False]),
    ("adjacency", ["N", "N"], "N A N N", [False, False, True]),
    ("requirement", ["N", "Det"], "N N", [False, False]),
    ("requirement", ["N", "Det"], "N A Det", [True]),
    ("requirement", ["N", "Det"], "Det", []),
    ("requirement", ["N", "N"], "N", [True]),
    ("requirement", ["N & Rel", "Det & A/Pro"], "N Rel Det", [False]),
    ("requirement", ["N & Rel", "Det & A/Pro"], "N Rel Pro", [True]),
    ("requirement", ["N & Rel", "Det & A/Pro"], "A N N Rel Det", [True, True]),
    ("requirement", ["N & Rel", "Det & A/Pro"], "N Det", []),
    ("requirement", ["N[number=sg|pl]", "Det"], "N N[number=pl]", [False]),
    ("exclusion", ["Pro", "N"], "Pro N", [False]),
    ("exclusion", ["Pro", "N"], "N Pro N", [False, False]),
    ("exclusion", ["Pro", "N"], "Pro", []),
    ("exclusion", ["N", "N"], "N N", [False]),
    ("exclusion", ["N", "N[number=sg]"], "N N[number=sg]", [False]),
    ("exclusion", ["B & C", "D"], "D B C B", [False, False]),
    ("exclusion", ["B & C", "D"], "B D", []),
]


@pytest.mark.parametrize(("relation", "operands", "words", "truths"), INSTANCES)
def test_instances(relation: str, operands: list[str], words: str, truths: list[bool]) -> None:
    what = prop("X", relation, *operands)
    assert sorted(truths_of(PLAIN, what, daughters(words))) == sorted(truths)


DEPENDENCIES = [
    ("Det[number=sg] N[number=sg]", [True], [True]),
    ("Det[number=sg] N[number=pl]", [False], [False]),
    ("Det N[number=pl]", [True], [False]),
    ("N[number=pl] Det[number=pl] N[number=sg]", [True, False], [True, False]),
    ("N", [], []),
]


@pytest.mark.parametrize(("words", "unifies", "clashes"), DEPENDENCIES)
def test_instances_of_dependency(words: str, unifies: list[bool], clashes: list[bool]) -> None:
    what = prop("X", "dependency", "Det", "N", features=NUMBER)
    strict_minded = Grammar(semantics=Semantics(missing="clashes"))
    assert truths_of(PLAIN, what, daughters(words)) == unifies
    assert truths_of(strict_minded, what, daughters(words)) == clashes


def test_instances_of_a_dependency_between_alike_count_once() -> None:
    what = prop("X", "dependency", "N", "N", features=NUMBER)
    assert truths_of(PLAIN, what, daughters("N[number=sg] N[number=sg] N[number=pl]")) == [True, False, False]


SWITCHED = [
    (Semantics(obligation="exactly-one"), "obligation", ["N/Pro"], "N Pro", [False]),
    (Semantics(obligation="exactly-one"), "obligation", ["N/Pro"], "Det Pro", [True]),
    (Semantics(obligation="exactly-one"), "obligation", ["N/Pro"], "Det", [False]),
    (Semantics(uniqueness="silent"), "uniqueness", ["N"], "N Det", []),
    (Semantics(uniqueness="silent"), "uniqueness", ["N"], "N N N", [False, False, False]),
    (Semantics(exclusion="counts"), "exclusion", ["Pro", "N"], "N N", [True, True]),
    (Semantics(exclusion="counts"), "exclusion", ["Pro", "N"], "Pro", [True]),
    (Semantics(exclusion="counts"), "exclusion", ["Pro", "N"], "Pro N", [False]),
    (Semantics(exclusion="counts"), "exclusion", ["Pro", "N"], "Det", []),
    (Semantics(exclusion="counts"), "exclusion", ["B & C", "D & E"], "B C D", [True]),
    (Semantics(exclusion="counts"), "exclusion", ["N", "N"], "N", []),
    (Semantics(counting="property"), "linearity", ["Det", "N"], "Det N Det", [False]),
    (Semantics(counting="property"), "linearity", ["Det", "N"], "Det Det N", [True]),
    (Semantics(counting="property"), "linearity", ["Det", "N"], "Det", []),
    (Semantics(counting="property"), "uniqueness", ["N"], "N N", [False]),
    (Semantics(counting="property"), "obligation", ["N"], "Det", [False]),
]


@pytest.mark.parametrize(("semantics", "relation", "operands", "words", "truths"), SWITCHED)
def test_instances_with_a_switch(
    semantics: Semantics, relation: str, operands: list[str], words: str, truths: list[bool]
) -> None:
    assert truths_of(Grammar(semantics=semantics), prop("X", relation, *operands), daughters(words)) == truths


PAIR = (Clause(("B", "C")),)
OWN = [
    (Relation("own", ("B", "C"), PAIR, And((Precedes("B", "C"), Adjacent("B", "C")))), "b c x c", [True, False]),
    (Relation("own", ("B", "C"), PAIR, Or((Precedes("C", "B"), Present("C")))), "b c", [True]),
    (Relation("own", ("B", "C"), (Clause(("B",), Not(Present("C"))),), Count("B", "<", 2)), "b b", [False, False]),
    (Relation("own", ("B", "C"), (Clause(("B",), Not(Present("C"))),), Count("B", "<", 2)), "b c", []),
    (Relation("own", ("B", "C"), (Clause(()),), Count("B", ">=", 1)), "c", [False]),
    (Relation("own", ("B", "C"), PAIR, HasValue("C", NUMBER, "sg")), "b c c[number=sg]", [False, True]),
    (Relation("own", ("B", "C"), PAIR, Agree("B", "C", False)), "b[number=sg] c c[number=sg]", [False, True]),
    (Relation("own", ("B", "C"), PAIR, Agree("B", "C", True)), "b[number=sg] c c[number=pl]", [True, False]),
]


@pytest.mark.parametrize(("relation", "words", "truths"), OWN)
def test_instances_of_relations_of_the_grammar_writer(relation: Relation, words: str, truths: list[bool]) -> None:
    grammar = Grammar(relations=(relation,))
    assert truths_of(grammar, prop("X", "own", "b", "c", features=NUMBER), daughters(words)) == truths


def test_a_symmetric_relation_of_the_grammar_writer_counts_a_pair_once() -> None:
    for symmetric, number in ((True, 1), (False, 2)):
        relation = Relation("own", ("B", "C"), PAIR, Adjacent("B", "C"), symmetric=symmetric)
        assert (
            truths_of(Grammar(relations=(relation,)), prop("X", "own", "b", "b"), daughters("b b")) == [True] * number
        )


IN_ANY_ORDER = """
leaves: A, B
relation together(B, C, D) for each B, C, D: %s
    symmetric yes
X:
    const {A, B}
    uniq B
    together(A, A, %s)
lexicon:
    a: A
    b: B
"""


@pytest.mark.parametrize(
    ("condition", "third", "words", "truths"),
    [
        ("count(B) > 1", "A", "a a", []),  # decided at the end, by counts
        ("count(B) > 1", "A", "a a a", [True]),
        ("count(B) > 3", "A", "a a a a", [True] * 4),
        ("count(B) > 4", "A", "a a a a", [False] * 4),
        ("adjacent(B, C) and adjacent(C, D)", "A", "a a a", [True]),  # decided at the end, by the whole sequence
        ("adjacent(B, C) and adjacent(C, D)", "A", "a a b a", [False]),
        ("index(B) < index(C)", "B", "a a b", [True]),
        ("index(B) < index(C)", "B", "a b a a", [True] * 3),
    ],
)
def test_a_symmetric_relation_counts_three_daughters_once(
    condition: str, third: str, words: str, truths: list[bool]
) -> None:
    grammar = parse_grammar(IN_ANY_ORDER % (condition, third))
    what = grammar.properties[1]
    assert truths_of(grammar, what, daughters(words.upper())) == truths
    for engine in ("exact", "phases"):
        parse = Parser(grammar, engine=engine, without=["H4"]).parse(words)
        found = [each.satisfied for each in parse.evaluated if each.property == what]
        assert found == (truths if parse.is_full else [])
        assert parse.is_full == ("b" in words or bool(truths))


RETRIEVED = [
    ("obligation", ["N"], "N", True),
    ("obligation", ["N"], "Det", False),
    ("uniqueness", ["N"], "N", True),
    ("uniqueness", ["N"], "Det", False),
    ("requirement", ["N", "Det"], "N", True),
    ("requirement", ["N", "Det"], "Det", False),
    ("requirement", ["N & A", "Det"], "N Det", False),
    ("linearity", ["Det", "N"], "Det", False),
    ("linearity", ["Det", "N"], "N Det", True),
    ("linearity", ["N", "N"], "N", False),
    ("exclusion", ["Pro", "N"], "N", False),
    ("exclusion", ["Pro", "N"], "N Pro", True),
    ("uniqueness", ["N[number=sg]"], "N[number=pl] N", False),
]


@pytest.mark.parametrize(("relation", "operands", "words", "retrieved"), RETRIEVED)
def test_retrieved(relation: str, operands: list[str], words: str, retrieved: bool) -> None:
    assert is_retrieved(PLAIN, prop("X", relation, *operands), daughters(words)) is retrieved


def test_exclusion_that_counts_is_retrieved_by_one_side_and_silent_uniqueness_by_one_occurrence() -> None:
    counts, silent = Grammar(semantics=Semantics(exclusion="counts")), Grammar(semantics=Semantics(uniqueness="silent"))
    assert is_retrieved(counts, prop("X", "exclusion", "Pro", "N"), daughters("N"))
    assert is_retrieved(silent, prop("X", "uniqueness", "N"), daughters("N"))


# The oracle, by hand: phrases and their features

NP = construction("NP", ("obligation", "N"), ("uniqueness", "N"), ("linearity", "Det", "N"), ("linearity", "Det", "A"))
VP = construction("VP", ("requirement", "V", "NP"), ("linearity", "V", "NP"))


def test_h3_drops_det_n_v_for_both_constructions() -> None:
    for built in (NP, VP):
        assert build(PLAIN, built, daughters("Det N V"), DEFAULT) is None
        assert build(PLAIN, built, daughters("Det N V"), LOOSE) is not None


def test_declared_constituency_replaces_the_operands() -> None:
    narrow = replace(NP, constituency=(operand("N[number=sg]"), operand("X")))
    assert build(PLAIN, narrow, daughters("Det N"), DEFAULT) is None
    assert build(PLAIN, narrow, daughters("N[number=pl]"), DEFAULT) is None
    assert build(PLAIN, narrow, daughters("X N[number=sg]"), DEFAULT) is not None


def test_a_bare_det_forms_no_np_by_its_obligation_even_without_h3_and_h4() -> None:
    assert build(PLAIN, NP, daughters("Det"), LOOSE) is None


def test_h4_wants_one_retrieved_property_that_holds() -> None:
    x = construction("X", ("uniqueness", "a"), ("linearity", "b", "c"))
    assert build(PLAIN, x, daughters("c b"), DEFAULT) is None
    built = build(PLAIN, x, daughters("c b"), LOOSE)
    assert built is not None
    assert (built.cost, built.gain) == (UNIT, -UNIT)
    assert build(PLAIN, x, daughters("b c"), DEFAULT) is not None


def test_a_satisfied_obligation_is_enough_unless_only_operands_trigger() -> None:
    """Ruling 8; a daughter that occurs twice counts once, and under `exactly-one` it triggers but satisfies nothing."""
    x = construction("X", ("obligation", "b"), ("linearity", "b", "c"))
    by_operands = replace(PLAIN, semantics=Semantics(trigger="by-operands"))
    exactly_one = replace(PLAIN, semantics=Semantics(obligation="exactly-one"))
    for words in ("c b", "b", "b b"):
        assert build(PLAIN, x, daughters(words), DEFAULT) is not None
        assert build(by_operands, x, daughters(words), DEFAULT) is None
    assert build(exactly_one, x, daughters("b"), DEFAULT) is not None
    assert build(exactly_one, x, daughters("b b"), DEFAULT) is None
    assert build(exactly_one, x, daughters("b b"), LOOSE) is not None


def test_hard_properties_forbid_and_strict_makes_all_hard() -> None:
    hard = Construction("X", properties=(prop("X", "uniqueness", "b"), prop("X", "linearity", "b", "c", hard=True)))
    soft = construction("X", ("uniqueness", "b"), ("linearity", "b", "c"))
    assert build(PLAIN, hard, daughters("c b"), DEFAULT) is None
    assert build(PLAIN, hard, daughters("b c"), DEFAULT) is not None
    assert build(PLAIN, soft, daughters("c b"), DEFAULT) is not None
    assert build(PLAIN, soft, daughters("c b"), STRICT) is None


def test_cost_and_gain_use_cost_and_weight_of_the_property() -> None:
    x = Construction(
        "X",
        properties=(
            replace(prop("X", "uniqueness", "b"), weight_units=5 * UNIT),
            replace(prop("X", "linearity", "b", "c"), weight_units=7 * UNIT, cost_units=3 * UNIT),
        ),
    )
    built = build(Grammar(node_cost_units=2 * UNIT), x, daughters("c b c"), DEFAULT)
    assert built is not None
    assert (built.cost, built.gain) == (3 * UNIT, (5 + 7 - 2) * UNIT)


HEADED = Construction("X", properties=(prop("X", "obligation", "N/Pro"), prop("X", "obligation", "A & B/Det")))
FIXED, GAP, NO_GAP = (
    FeatureRule(NUMBER, "pl", (), conditions)
    for conditions in ((), (Occurrence(operand("C")),), (Occurrence(operand("C"), True),))
)
FEATURED = [
    (HEADED, "Det[number=sg] N[number=pl]", "number=pl"),
    (HEADED, "Pro[kind=a] N[kind=b]", "kind=b"),
    (HEADED, "N[kind=a] N[kind=b]", "kind=a"),
    (HEADED, "A[kind=a] B[kind=a]", ""),
    (HEADED, "A[kind=a] B Det[kind=b]", "kind=b"),
    (replace(HEADED, head=(operand("V"), operand("Det"))), "N[number=pl] Det[number=sg]", "number=sg"),
    (replace(HEADED, head=(operand("V"),)), "N[number=pl]", ""),
    (replace(HEADED, inherit=("kind",)), "N[kind=a,number=pl]", "kind=a"),
    (replace(HEADED, inherit=()), "N[kind=a,number=pl]", ""),
    (replace(HEADED, inherit=(), feature_rules=(FIXED,)), "N[kind=a,number=sg]", "number=pl"),
    (replace(HEADED, feature_rules=(GAP,)), "N C", "number=pl"),
    (replace(HEADED, feature_rules=(GAP,)), "N[number=sg]", "number=sg"),
    (
        replace(HEADED, feature_rules=(NO_GAP,)),
        "N",
        "number=pl",
    ),
    (replace(HEADED, feature_rules=(NO_GAP,)), "N C", ""),
    (
        replace(HEADED, feature_rules=(FeatureRule(NUMBER, sources=(operand("A"), operand("B"))),)),
        "B[number=sg] A[number=pl] N",
        "number=pl",
    ),
    (
        replace(HEADED, feature_rules=(FeatureRule(NUMBER, sources=(operand("A"), operand("B"))),)),
        "A A[number=pl] B[number=sg]",
        "number=sg",
    ),
    (
        replace(HEADED, feature_rules=(FeatureRule(NUMBER, sources=(operand("A"),)), FeatureRule(NUMBER, "sg"))),
        "N[number=pl] A",
        "number=sg",
    ),
    (
        replace(HEADED, feature_rules=(FeatureRule("kind", "b"), FeatureRule("kind", "a"), FeatureRule("kind", "c"))),
        "N[number=pl]",
        "kind=b,number=pl",
    ),
]


@pytest.mark.parametrize(("built", "words", "features"), FEATURED)
def test_features_of_a_phrase(built: Construction, words: str, features: str) -> None:
    assert features_of(built, daughters(words)) == bundle(features)


# The oracle, by hand: trees and covers


def test_all_trees_and_covers_of_a_small_sentence() -> None:
    grammar = Grammar(constructions=(NP,))
    forest = enumerate_trees(grammar, sentence("Det N"))
    assert shown(forest, 0, 1) == {"Det0-1"}
    assert shown(forest, 1, 2) == {"N1-2", "NP1-2(N1-2)"}
    assert shown(forest, 0, 2) == {"NP0-2(Det0-1 N1-2)"}
    best = optimum(forest)
    assert best.value == (0, 2 * UNIT)
    assert best.trees == {"NP0-2(Det0-1 N1-2)"}
    assert optimum(forest, "net").value == (2 * UNIT,)


def test_a_violation_is_cheaper_than_two_fragments() -> None:
    best = solve(Grammar(constructions=(NP,)), "N Det")
    assert best.value == (-UNIT, UNIT)
    assert best.trees == {"NP0-2(N0-1 Det1-2)"}


def test_under_strict_the_fragments_win() -> None:
    best = solve(Grammar(constructions=(NP,)), "N Det", STRICT)
    assert best.value == (-20 * UNIT, UNIT)
    assert best.trees == {"NP0-1(N0-1) Det1-2"}


@pytest.mark.parametrize(("limit", "trees"), [(1, 3), (2, 5), (3, 7)])
def test_unary_chains_are_bounded_and_never_put_a_construction_on_itself(limit: int, trees: int) -> None:
    a = construction("A", ("uniqueness", "x"), ("uniqueness", "B"), ("uniqueness", "A"))
    b = construction("B", ("uniqueness", "x"), ("uniqueness", "A"))
    forest = enumerate_trees(Grammar(constructions=(a, b), unary_limit=limit), sentence("x"))
    assert len(forest.trees[0, 1]) == trees
    assert "A0-1(B0-1(x0-1))" in shown(forest, 0, 1) or limit == 1
    assert not any("A0-1(A0-1" in tree for tree in shown(forest, 0, 1))


@pytest.mark.parametrize(("words", "plane_trees"), [(1, 1), (2, 1), (3, 3), (4, 11), (5, 45)])
def test_the_number_of_trees_follows_the_schroeder_numbers(words: int, plane_trees: int) -> None:
    """A construction that takes anything makes every plane tree without unary nodes, each word bare or in a phrase."""
    x = construction("X", ("uniqueness", "a"), ("uniqueness", "X"))
    forest = enumerate_trees(Grammar(constructions=(x,)), sentence("a " * words), LOOSE)
    assert len(forest.trees[0, words]) == len(shown(forest, 0, words)) == 2**words * plane_trees


def test_equally_good_trees_are_counted() -> None:
    free = tuple(replace(prop("X", "adjacency", b, "a"), weight_units=0, cost_units=0) for b in ("a", "X"))
    grammar = Grammar(constructions=(Construction("X", properties=free),), node_cost_units=0)
    best = solve(grammar, "a a a")
    assert best.value == (0, 0)
    assert best.trees == {
        "X0-3(a0-1 a1-2 a2-3)",
        "X0-3(X0-2(a0-1 a1-2) a2-3)",
        "X0-3(a0-1 X1-3(a1-2 a2-3))",
    }
    assert best.count == 3


def test_roots_may_demand_features_and_may_be_words() -> None:
    x = construction("X", ("obligation", "b"), ("uniqueness", "b"))
    grammar = Grammar(constructions=(x,), roots=(operand("X[number=sg]"), operand("c")))
    assert solve(grammar, "b[number=sg]").value == (0, UNIT)
    assert solve(grammar, "b[number=pl]").value == (-10 * UNIT, UNIT)
    assert solve(grammar, "c").value == (0, 0)
    assert solve(grammar, "c c").value == (-20 * UNIT, 0)
    assert solve(Grammar(constructions=(x,)), "X").value == (0, 0)
    assert solve(Grammar(constructions=(x,)), "c").value == (-10 * UNIT, 0)


def test_lexical_costs_count_from_the_best_reading_of_the_same_tokens() -> None:
    arcs = (
        Arc(0, 1, "w0", "a", (), -2.0),
        Arc(0, 1, "w0", "b", (), -0.5),
        Arc(0, 1, "w0", "a", (), -1.5),
        Arc(1, 2, "w1", "c", (), -9.0),
        Arc(0, 2, "w0 w1", "d", (), -7.0),
    )
    lattice = Lattice(("w0", "w1"), arcs)
    x = construction("X", ("linearity", "a", "c"))
    assert solve(Grammar(constructions=(x,)), lattice).value == (-UNIT, 0)
    assert solve(Grammar(), lattice).value == (-10 * UNIT, 0)
    assert solve(Grammar(), lattice).trees == {"d0-2"}
    assert len(enumerate_trees(Grammar(), lattice).trees[0, 1]) == 2


def test_net_and_relaxation_may_choose_differently() -> None:
    """Under `net` four satisfied instances outweigh a violated one; under `relaxation` no gain is worth any cost."""
    unique = [("uniqueness", word) for word in "abc"]
    x = construction("X", *unique, ("linearity", "b", "a"), ("linearity", "a", "c"))
    grammar = Grammar(constructions=(x,), fragment_cost_units=0)
    assert solve(grammar, "a b c", valuation="net").trees == {"X0-3(a0-1 b1-2 c2-3)"}
    assert solve(grammar, "a b c", valuation="net").value == (2 * UNIT,)
    assert solve(grammar, "a b c").value == (0, UNIT)
    assert solve(grammar, "a b c").trees == {"a0-1 X1-3(b1-2 c2-3)", "X0-1(a0-1) X1-3(b1-2 c2-3)"}


def test_the_budget_is_kept() -> None:
    a = construction("A", ("uniqueness", "x"), ("uniqueness", "B"), ("uniqueness", "A"))
    with pytest.raises(TooManyTreesError):
        enumerate_trees(Grammar(constructions=(a,)), sentence("x x x x x"), budget=50)


# The engine against the oracle

VALUATIONS: tuple[Valuation, ...] = ("relaxation", "net")
UNLIMITED = Limits(assignments=None)
COMPARED_UP_TO = 1_000
"""Sets of trees are compared up to this many (ruling 16)."""
BUDGET = 2_000
CHUNK = 25


def canonical(constituent: Constituent) -> str:
    return bracketed(
        constituent.construction,
        constituent.features,
        constituent.start,
        constituent.end,
        map(canonical, constituent.daughters),
    )


def value_of_parse(parse: Parse, valuation: Valuation) -> tuple[int, ...]:
    gain = parse.weight_units - parse.grammar.node_cost_units * parse.nodes
    return (-parse.cost_units, gain) if valuation == "relaxation" else (gain - parse.cost_units,)


def check_sums(parse: Parse) -> None:
    """Check that the totals of constituents are the sums over their property instances."""
    assert sum(top.cost_units for top in parse.constituents) + parse.fragment_cost_units == parse.cost_units
    assert (
        sum(top.gain_units for top in parse.constituents)
        == parse.weight_units - parse.grammar.node_cost_units * parse.nodes
    )


def check_characterizations(parse: Parse, switches: Switches) -> None:
    """Every phrase has the satisfied and violated instances, and the features, that the oracle gives it."""
    forms = {built.name: built for built in parse.grammar.constructions}
    for top in parse.constituents:
        for node in top.walk():
            if node.is_word:
                continue
            seen: Sequence[Daughter] = [(below.construction, below.features) for below in node.daughters]
            form = forms[node.construction]
            built = build(parse.grammar, form, seen, switches)
            assert built is not None, canonical(node)
            assert built.features == node.features, canonical(node)
            expected = Counter(
                (what.relation, what.operands, what.features, truth)
                for what, truths in zip(form.properties, built.truths, strict=True)
                for truth in truths
            )
            both = ((node.characterization.satisfied, True), (node.characterization.violated, False))
            found = Counter(
                (instance.property.relation, instance.property.operands, instance.property.features, truth)
                for instances, truth in both
                for instance in instances
            )
            assert found == expected, canonical(node)


def compare(
    grammar: Grammar,
    lattice: Lattice,
    profile: str,
    valuation: Valuation,
    best: Optimum,
    switches: Switches | None = None,
) -> None:
    """Check that value, count, trees and characterizations of both engines are those of the oracle.

    `switches` are those of a profile that the grammar defines.
    """
    for engine in ("exact", "phases"):
        parser = Parser(grammar, profile=profile, valuation=valuation, limits=UNLIMITED, engine=engine)
        compare_parser(parser, lattice, profile, valuation, best, switches)


def compare_parser(
    parser: Parser,
    lattice: Lattice,
    profile: str,
    valuation: Valuation,
    best: Optimum,
    switches: Switches | None = None,
) -> None:
    trees = parser.n_best(lattice, min(best.count, COMPARED_UP_TO))
    if profile == "default":
        trees.append(parser.parse(lattice))
    for tree in trees:
        assert tree.stopped_by is None
        assert tree.count == best.count
        assert value_of_parse(tree, valuation) == best.value
    for tree in trees[:3]:
        check_sums(tree)
        check_characterizations(tree, switches or PROFILES[profile])
    found = Counter(" ".join(map(canonical, tree.constituents)) for tree in trees[: min(best.count, COMPARED_UP_TO)])
    assert max(found.values()) == 1
    assert set(found) <= best.trees
    assert len(found) == min(best.count, COMPARED_UP_TO)


def solvable(grammar: Grammar, lattice: Lattice, switches: Switches, budget: int) -> tuple[Lattice, Forest]:
    """The sentence, or as many of its first words as the oracle can do, and all trees."""
    for length in range(len(lattice.tokens), 0, -1):
        try:
            short = shortened(lattice, length)
            forest = enumerate_trees(grammar, short, switches, budget)
            optimum(forest)
        except TooManyTreesError:
            continue
        return short, forest
    raise TooManyTreesError


def solved(seeds: range, negative: bool, budget: int) -> Iterator[tuple[str, Grammar, Lattice, str, Forest]]:
    """Each random pair under each profile, with its name for messages."""
    for seed in seeds:
        grammar, lattice = random_pair(seed, negative)
        for profile, switches in PROFILES.items():
            short, forest = solvable(grammar, lattice, switches, budget)
            yield (
                f"random_pair({seed}, {negative}), {len(short.tokens)} words, {profile}",
                grammar,
                short,
                profile,
                forest,
            )


def compare_all(seeds: range, negative: bool = False, budget: int = BUDGET) -> None:
    for name, grammar, lattice, profile, forest in solved(seeds, negative, budget):
        for valuation in ("net",) if negative else VALUATIONS:
            try:
                compare(grammar, lattice, profile, valuation, optimum(forest, valuation))
            except AssertionError as error:
                raise AssertionError(f"{name}, {valuation}: {error}") from error


@pytest.mark.parametrize("first", range(0, enough(125), CHUNK))
def test_per_construction_agrees_with_the_oracle(first: int) -> None:
    compare_all(range(first, first + CHUNK))


@pytest.mark.parametrize("first", range(0, enough(100), CHUNK))
def test_per_construction_agrees_with_the_oracle_on_negative_weights(first: int) -> None:
    compare_all(range(first, first + CHUNK), negative=True)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_000 + enough(75), CHUNK))
def test_per_construction_agrees_with_the_oracle_on_many_pairs(first: int) -> None:
    compare_all(range(first, first + CHUNK), budget=30_000)
    compare_all(range(first, first + CHUNK // 5), negative=True, budget=30_000)


@settings(max_examples=enough(30), derandomize=True, suppress_health_check=list(HealthCheck))
@given(pairs())
def test_per_construction_agrees_with_the_oracle_on_pairs_that_shrink(pair: tuple[Grammar, Lattice]) -> None:
    grammar, lattice = pair
    short, forest = solvable(grammar, lattice, DEFAULT, 2_000)
    for valuation in VALUATIONS:
        compare(grammar, short, "default", valuation, optimum(forest, valuation))


@pytest.mark.parametrize("first", range(0, enough(100), CHUNK))
def test_all_election_has_the_same_optimum(first: int) -> None:
    for name, grammar, lattice, profile, forest in solved(range(first, first + CHUNK), False, 150):
        for valuation in VALUATIONS:
            parser = Parser(grammar, profile=profile, election="all", valuation=valuation, limits=UNLIMITED)
            parse, best = parser.parse(lattice), optimum(forest, valuation)
            assert parse.stopped_by is None, name
            assert value_of_parse(parse, valuation) == best.value, name
            assert parse.count == best.count, name


@pytest.mark.parametrize("first", range(0, enough(75), CHUNK))
def test_n_best_follows_the_ranking_of_all_covers(first: int) -> None:
    for name, grammar, lattice, profile, forest in solved(range(first, first + CHUNK), False, 1_000):
        for valuation in VALUATIONS:
            for engine in ("exact", "phases"):
                parser = Parser(grammar, profile=profile, valuation=valuation, limits=UNLIMITED, engine=engine)
                parses, values = parser.n_best(lattice, 25), ranking(forest, valuation)[:25]
                assert [value_of_parse(parse, valuation) for parse in parses] == values, name
                assert len({" ".join(map(canonical, parse.constituents)) for parse in parses}) == len(parses), name
