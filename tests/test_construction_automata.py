"""The parts of the compiled half by themselves, each against the evaluator or against a law."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

import pytest

import numbat
from numbat import Grammar, Limits, Parser
from numbat.automata.construction_automaton import ConstructionAutomaton, WeightedAutomaton, compile_constructions
from numbat.automata.daughter_classes import UNCOVERED, DaughterTypes
from numbat.automata.property_automaton import scope_of, traits_of
from numbat.automata.records import Kinds, Licensing
from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.parsing.exact.items import MIN_STATES, BeamBudget
from tests.samples import enough
from tests.strategies import random_grammar

OPEN = Licensing(covers_all=True, needs_satisfied=False)
"""Licensing that covers any daughter and requires nothing: every phrase that a property triggers is built."""


def compiled(grammar: Grammar) -> tuple[Evaluator, Kinds, tuple[ConstructionAutomaton, ...]]:
    evaluator, kinds = Evaluator(build_table(grammar)), Kinds()
    return evaluator, kinds, compile_constructions(evaluator, kinds, OPEN)


def daughters_of(grammar: Grammar, rng: Random, size: int) -> Assignment:
    """Neighbours with categories of the grammar and random features."""
    names = sorted({leaf for prop in grammar.properties for leaf in (each.category for each in prop.all_operands())})
    return tuple(Constituent(rng.choice(names), 1 << i, random_bundle(grammar, rng)) for i in range(size))


def random_bundle(grammar: Grammar, rng: Random) -> tuple[tuple[str, str], ...]:
    """Values of the features that the operands of the grammar ask for."""
    pairs: dict[str, set[str]] = {}
    for prop in grammar.properties:
        for operand in prop.all_operands():
            for feature, values in operand.features:
                pairs.setdefault(feature, set()).update(values)
    chosen = {feature: rng.choice(sorted(values)) for feature, values in pairs.items() if rng.random() < 0.7}
    return tuple(sorted(chosen.items()))


def test_steps_and_acceptance_sum_to_what_the_evaluator_says() -> None:
    """The cost and the weight of reading daughters one by one are those of their characterization."""
    accepted = 0
    for seed in range(enough(150)):
        rng = Random(seed)
        grammar = random_grammar(rng)
        evaluator, kinds, automata = compiled(grammar)
        vector = grammar.weights_of_rules
        for construction, automaton in zip(evaluator.table.constructions.values(), automata, strict=True):
            weighted = WeightedAutomaton(automaton, vector.weights, vector.costs)
            for _ in range(4):
                daughters = daughters_of(grammar, rng, rng.randint(1, 4))
                found = read(weighted, kinds, daughters)
                both = evaluator.characterize(construction.name, daughters)
                hard = any(instance.property.hard for instance in both.violated)
                if found is not None:
                    assert found == (both.cost_units, both.weight_units), (seed, construction.name, daughters)
                    accepted += 1
                    assert not hard, (seed, construction.name, daughters)
                else:
                    assert hard or not evaluator.retrieve(daughters, construction.name), (seed, construction.name)
    assert accepted > enough(500)


def read(weighted: WeightedAutomaton, kinds: Kinds, daughters: Assignment) -> tuple[int, int] | None:
    """Return the cost and the weight of a phrase over daughters; None if it cannot be built."""
    state, cost, weight = 0, 0, 0
    for daughter in daughters:
        daughter_type = weighted.classes.type_of(kinds.number((daughter.construction, daughter.features)))
        assert daughter_type != UNCOVERED
        step = weighted.step(state, daughter_type)
        if step is None:
            return None
        state, cost, weight = step.to, cost + step.cost, weight + step.weight
    phrase = weighted.accept(state)
    return None if phrase is None else (cost + phrase.cost, weight + phrase.weight)


@pytest.mark.parametrize("licensing", [OPEN, Licensing(covers_all=False, needs_satisfied=True)])
def test_daughter_types_are_found_for_all_constructions_as_for_each_alone(licensing: Licensing) -> None:
    """Earlier look-ups do not matter: kinds that share one are the same for the constructions that share it."""
    types: set[tuple[int, int, int]] = set()
    for seed in range(enough(150)):
        rng = Random(seed)
        grammar = random_grammar(rng)
        evaluator, kinds = Evaluator(build_table(grammar)), Kinds()
        classes = [each.classes for each in compile_constructions(evaluator, kinds, licensing)]
        together = DaughterTypes(evaluator, classes)
        for daughter in daughters_of(grammar, rng, 30):
            kind = daughter.construction, daughter.features
            told = [(number, each.type_of(kinds.number(kind))) for number, each in enumerate(classes)]
            assert together.types(*kind) == tuple(each for each in told if each[1] != UNCOVERED), (seed, kind)
            types.update((seed, *each) for each in told)
    assert len(types) > enough(2_000)


def test_daughters_of_one_class_are_one_to_the_evaluator() -> None:
    """A daughter that is replaced by another of its class leaves the number of satisfied and violated instances."""
    replaced = 0
    for seed in range(enough(150)):
        rng = Random(seed)
        grammar = random_grammar(rng)
        evaluator, kinds, automata = compiled(grammar)
        pool = daughters_of(grammar, rng, 12)
        for construction, automaton in zip(evaluator.table.constructions.values(), automata, strict=True):
            class_of = {
                daughter: automaton.classes.parts_of(
                    automaton.classes.type_of(kinds.number((daughter.construction, daughter.features)))
                )[0]
                for daughter in pool
            }
            one, other = rng.sample(pool, 2)
            alike = [each for each in pool if class_of[each] == class_of[one] and each[2] != one[2]]
            for another in alike[:2]:
                before = tuple(each._replace(cover=1 << i) for i, each in enumerate((one, other)))
                after = tuple(each._replace(cover=1 << i) for i, each in enumerate((another, other)))
                first, second = (evaluator.characterize(construction.name, each) for each in (before, after))
                assert [i.elements for i in first.satisfied] == [i.elements for i in second.satisfied], seed
                assert [i.elements for i in first.violated] == [i.elements for i in second.violated], seed
                replaced += 1
    assert replaced > enough(100)


@pytest.mark.parametrize(
    ("prop", "scope"),
    [
        ("A < B", "local"),
        ("A + B", "local"),
        ("A ~> B [number]", "local"),
        ("A => B", "global"),
        ("oblig A", "global"),
        ("uniq A", "global"),
        ("A x B", "local"),
    ],
)
def test_how_a_property_is_compiled(prop: str, scope: str) -> None:
    grammar = numbat.parse_grammar(f"leaves: A, B, C\nfeatures:\n    number: sg, pl\nroots: X\nX:\n    {prop}\n")
    relations = build_table(grammar).relations
    (made,) = grammar.properties
    assert scope_of(made, relations[made.relation]) == scope
    assert traits_of(relations[made.relation]).reach == (" + " in prop)


def test_phrases_cost_no_less_than_the_lookahead_says() -> None:
    """The bound of a construction at a position is at most the cost of any phrase of it that begins there."""
    checked = 0
    texts = "cat the sleeps", "the the cats", "sleeps cat", "the cats sleeps on"
    grammar = numbat.load_grammar("english")
    parsers = [Parser(grammar, valuation=valuation) for valuation in ("relaxation", "net")]
    for parser, text in product(parsers, texts):
        for parse in parser.n_best(text, 10):
            weighted = parser.weighted
            words = [
                (arc.start, arc.end, weighted.kinds.number((arc.category, arc.features)), 0)
                for arc in parse.lattice.arcs
            ]
            numbers = memoryview(weighted.lookahead_numbers(len(parse.lattice.tokens), words)).cast("i")
            names = [construction.name for construction in weighted.constructions]
            for top in parse.constituents:
                for constituent in top.walk():
                    if not constituent.is_word:
                        at = names.index(constituent.construction)
                        bound = weighted.automata[at].cost_to_complete(0, numbers[constituent.start * len(names) + at])
                        assert bound <= constituent.cost_units, (text, constituent)
                        checked += 1
    assert checked > 100


def test_a_budget_without_limits_is_never_used_up() -> None:
    budget = BeamBudget(5, Limits(items=None), in_turn=True)
    for _ in range(1_000):
        assert not budget.is_full(0, 5)
        assert not budget.count_and_refuse(0, 5, 10_000)
    assert not budget.hit_budget
    assert not budget.hit_state_limit


def test_a_limit_of_states_holds_for_each_span() -> None:
    budget = BeamBudget(5, Limits(items=None, states=3), in_turn=False)
    kept = [sum(not budget.count_and_refuse(0, end, 0) for _ in range(10)) for end in (1, 2)]
    assert kept == [3, 3]
    assert budget.hit_state_limit
    assert budget.is_full(0, 1)
    assert not budget.is_full(1, 2)


@pytest.mark.parametrize(("built", "kept"), [(2_000, 361), (6_200, 26)])
def test_the_worked_example_of_a_quota(built: int, kept: int) -> None:
    """The example of `BeamBudget._next_quota`: the 44th of 55 spans, with the larger of the pace and an equal share."""
    budget = BeamBudget(10, Limits(items=10_000), in_turn=True)
    assert sum(not budget.count_and_refuse(1, 9, built) for _ in range(1_000)) == kept


def test_what_is_left_of_the_items_is_shared_by_the_spans_that_are_left() -> None:
    """Spans come from the right; each gets a share, and all shares together stay within the limit."""
    tokens, items, built = 12, 6_000, 0
    budget = BeamBudget(tokens, Limits(items=items), in_turn=True)
    kept: list[int] = []
    for start in range(tokens - 1, -1, -1):
        for end in range(start + 1, tokens + 1):
            number = 0
            for _ in range(200):
                if budget.is_full(start, end) or budget.count_and_refuse(start, end, built):
                    break
                number += 1
                built += 12
            kept.append(number)
    assert budget.hit_budget
    assert built <= items
    assert min(kept) >= MIN_STATES


@pytest.mark.parametrize("prop", ["B < A if no D", "A ~> B [f] if D", "A + B if D"])
def test_a_condition_makes_no_states_of_the_order_of_other_daughters(prop: str) -> None:
    """All orders of five daughters that the property does not name end in one state, or in one for each neighbour."""
    text = (
        f"leaves: A, B, C, D, E, F, G, H\nfeatures: f: x, y\nS:\n    oblig A\n    {prop}\n    A => C | E | F | G | H\n"
    )
    _, kinds, (automaton,) = compiled(numbat.parse_grammar(text))
    types = [automaton.classes.type_of(kinds.number((name, ()))) for name in "AECFGH"]
    after = set()
    for order in permutations(types[1:]):
        state = 0
        for each in (types[0], *order):
            step = automaton.step(state, each)
            assert step is not None
            state = step.to
        after.add(state)
    assert len(after) == 1
    assert len(automaton) <= 2 + 2**5
