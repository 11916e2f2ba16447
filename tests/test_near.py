"""`near(B, C)` (ruling 23): its instances in the evaluator, both engines, the compiled kernel and labellings."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from numbat import Arc, Grammar, Lattice, Limits, Parse, Parser, native, parse_grammar
from numbat.automata.property_acceptors import property_acceptors, total_gain
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import UNIT
from numbat.grammar.relations import FARTHEST
from tests.samples import enough
from tests.strategies import random_pair
from tests.test_dominance import phrases, with_and_without
from tests.test_exact import FEW, by_both_kernels, outcome, what

ROW = """
leaves: A, B, C
X:
    uniq A
    near(A, B) cost 2
    near(C, C)
    A + C
    const {A, B, C}
lexicon:
    a: A
    b: B
    c: C
"""
COMPILED = pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="the compiled kernel is not built")


def row(words: str, engine: str = "exact", valuation: str = "relaxation", grammar: str = ROW) -> Parse:
    return Parser(parse_grammar(grammar), valuation=valuation, without=["H4"], engine=engine).parse(words)


def instances(parse: Parse, relation: str) -> list[tuple[bool, str, list[int]]]:
    found = (each for each in parse.evaluated if each.property.relation == relation)
    return [(each.satisfied, str(each.property.operands[0][0][0]), [e.start for e in each.elements]) for each in found]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("a b", [(True, "A", [0, 1])]),
        ("b a", [(True, "A", [1, 0])]),
        ("a c b", [(False, "A", [0, 2, 1])]),
        ("b c c a", [(False, "A", [3, 0, 1]), (False, "A", [3, 0, 2]), (True, "C", [1, 2])]),
        ("b a b", [(True, "A", [1, 0]), (True, "A", [1, 2])]),
        ("c b c", [(False, "C", [0, 2, 1])]),
    ],
)
def test_each_instance_names_the_daughter_between(words: str, found: list[tuple[bool, str, list[int]]]) -> None:
    assert sorted(instances(row(words), "near"), key=str) == sorted(found, key=str)


@pytest.mark.parametrize("between", range(9))
def test_six_sisters_between_are_as_far_as_it_goes(between: int) -> None:
    parse = row("a " + "c " * between + "b", grammar=ROW.replace("    near(C, C)\n    A + C\n", ""))
    of_the_pair = [each for each in instances(parse, "near") if each[1] == "A"]
    assert len(of_the_pair) == max(1, min(between, FARTHEST))
    assert [each[2][2:] for each in of_the_pair] == ([[i + 1] for i in range(min(between, FARTHEST))] or [[]])


def test_rows_of_daughters_cost_what_their_distances_say() -> None:
    """With both engines and both valuations, compared with a separate implementation."""
    rng = Random(5)
    for _ in range(20):
        words = [rng.choice("abc") for _ in range(rng.randint(1, 6))]
        for valuation in ("relaxation", "net"):
            one, other = (row(" ".join(words), engine, valuation) for engine in ("exact", "phases"))
            assert (one.cost_units, one.weight_units, one.count) == (other.cost_units, other.weight_units, other.count)
            for parse in (one, other):
                check_distances(parse)


def check_distances(parse: Parse) -> None:
    for phrase in parse.walk():
        names = [daughter.construction for daughter in phrase.daughters]
        far = near = 0
        for i, k in combinations(range(len(names)), 2):
            if {names[i], names[k]} in ({"A", "B"}, {"C"}):
                far += min(k - i - 1, 6)
                near += k - i == 1
        of_near = [[e for e in found if e.property.relation == "near"] for found in (parse.violated, parse.satisfied)]
        assert [sum(each.constituent is phrase for each in found) for found in of_near] == [far, near]


def with_near(seed: int, negative: bool, longest: int) -> tuple[Grammar, Lattice]:
    """A random pair in which every order of two daughters is a distance too."""
    grammar, lattice = random_pair(seed, negative, longest)
    forms = []
    for form in grammar.constructions:
        more = {
            (prop.operands, replace(prop, relation="near", hard=False))
            for prop in form.properties
            if prop.relation in ("linearity", "adjacency", "dependency")
        }
        known = {prop.operands for prop in form.properties if prop.relation == "near"}
        own = [replace(prop, features=()) for operands, prop in sorted(more, key=str) if operands not in known]
        own = list({prop.operands: prop for prop in own}.values())
        forms.append(replace(form, properties=(*form.properties, *own)))
    return replace(grammar, constructions=tuple(forms)), lattice


@COMPILED
@pytest.mark.parametrize("valuation", ["relaxation", "net"])
def test_the_compiled_kernel_is_its_twin_at_a_distance(valuation: str) -> None:
    for seed in range(enough(40)):
        grammar, lattice = with_near(seed, valuation == "net", 9)
        limits = Limits(items=1_500, states=4 if seed % 3 == 0 else None)
        one, other = by_both_kernels(lattice, Parser(grammar, valuation=valuation).weighted, None, False, limits)
        assert what(one) == what(other), f"with_near({seed})"


def test_both_engines_agree_where_distances_count() -> None:
    compared = 0
    for seed in range(25):
        grammar, lattice = with_near(seed, False, 4)
        for valuation in ("relaxation", "net"):
            by_phases = Parser(grammar, valuation=valuation, limits=FEW, engine="phases").parse(lattice)
            if by_phases.stopped_by is None:
                compared += 1
                by_search = Parser(grammar, valuation=valuation, limits=FEW, engine="exact").parse(lattice)
                assert outcome(by_search, grammar) == outcome(by_phases, grammar), f"with_near({seed}), {valuation}"
    assert compared > 30


def test_what_dominance_leaves_out_is_in_no_optimal_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in (3, 13, 14):
        rng = Random(seed)
        pairs = [("A", "B"), ("A", "C"), ("B", "C"), ("A", "A"), ("B", "B")]
        near = [f"near({b}, {c}) weight {rng.choice((0, 1, 4))} cost {rng.choice((0.1, 0.3, 1))}" for b, c in pairs]
        form = [*rng.sample(near, rng.randint(1, 3)), "uniq C weight 0 cost 0"]
        form += [f"A < B weight {rng.choice((0.5, 1, 2))} cost .1", f"A ~> A weight {rng.choice((0.3, 1))}"]
        settings = "leaves: A, B, C\nroots: X\nfragment_cost: 4\nnode_cost: 0\n"
        lines = "\n    ".join([*form, "const {A, B, C}"])
        grammar = parse_grammar(f"{settings}X:\n    {lines}\n")
        arcs = tuple(Arc(i, i + 1, "w", each) for i in range(9) for each in rng.sample("ABC", rng.choice((1, 2, 2))))
        weighted = Parser(grammar, valuation="net").weighted
        lattice = Lattice(("w",) * 9, arcs)
        some, every = with_and_without(weighted, lattice, monkeypatch)
        assert some.best_covers() == every.best_covers(), f"seed {seed}"
        assert phrases(some) == phrases(every), f"seed {seed}"
        assert some.settled < every.settled
        if native.load(native.EXACT_SEARCH) is not None:
            one, other = by_both_kernels(lattice, weighted, None, False, Limits())
            assert what(one) == what(other), f"seed {seed}"


@pytest.mark.parametrize(
    ("counting", "hard", "labels", "gain"),
    [
        ("instance", "", "A B", 0.0),
        ("instance", "", "A C C B", -4.0),
        ("instance", "", "B Z A Z B", -4.0),
        ("instance", "", "A Z Z Z Z Z Z Z Z B", -12.0),
        ("instance", "", "A A Z B B", -16.0),
        ("property", "", "A C C B", -2.0),
        ("property", "", "A Z B A B", -2.0),
        ("instance", " hard", "A B A", 0.0),
        ("instance", " hard", "A A B", float("-inf")),
    ],
)
def test_labellings(counting: str, hard: str, labels: str, gain: float) -> None:
    grammar = parse_grammar(f"leaves: A, B, C\nsemantics:\n    counting: {counting}\nX:\n    near(A, B) cost 2{hard}\n")
    (acceptor,) = property_acceptors(grammar, "X")
    assert total_gain(acceptor, labels.split()) == gain


def test_it_is_written_back_and_explained() -> None:
    grammar = parse_grammar(ROW)
    assert "    near(A, B) cost 2\n    near(C, C)\n" in format_grammar(grammar)
    assert parse_grammar(format_grammar(grammar)).properties == grammar.properties
    assert row("a c b").explain() == (
        '"a" and "b" should stand side by side, but "c" stands between them  [X: near(A, B), <grammar>:5]',
    )
    assert row("a c b").violation_cost_units == 2 * UNIT
