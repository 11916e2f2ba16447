"""Laws of the phases engine, on random grammars and sentences.

A failing example of a seeded test is named by its seed: `random_pair(seed)` makes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numbat import Grammar, Lattice, Limits, Parser
from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import DaughterRow, build_table, evaluate_row, number_of_tuples, plan_of, tuples
from numbat.grammar.profiles import HEURISTICS, Profile, in_order
from numbat.grammar.properties import Property
from numbat.parsing.analysis import Solution
from numbat.parsing.phases.loop import ElectedForest, Run, run
from numbat.parsing.phases.neighbourhoods import Anywhere, neighbourhood
from numbat.parsing.phases.phases import (
    PropertyStore,
    Site,
    appropriation,
    assignation,
    checkpoint_alpha,
    checkpoint_bravo,
    polling_booth,
)
from numbat.parsing.phases.trace import Observer
from numbat.parsing.policies import profile_named, valuation_named
from tests.samples import enough
from tests.strategies import pairs, random_bundle, random_grammar, random_pair

T = TypeVar("T")
Pair = tuple[Grammar, Lattice]
FEW = Limits(assignments=1_500)
RELAXATION = valuation_named("relaxation")

law = settings(max_examples=enough(40), derandomize=True, suppress_health_check=list(HealthCheck))


class Recorder(Observer):
    """Keeps all that leaves each phase, round after round."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.assignments: list[Assignment] = []
        self.relevant: list[PropertyStore] = []
        self.candidates: list[Constituent] = []

    def round(self, number: int, site: Site) -> None:
        self.sites.append(site)

    def __call__(self, phase: str, passing: Iterable[T]) -> Iterator[T]:
        kept: dict[str, Callable[[object], None]] = {
            "Assignation": self.assignments.append,  # type: ignore[dict-item]
            "Checkpoint Bravo": self.relevant.append,  # type: ignore[dict-item]
            "Formation": self.candidates.append,  # type: ignore[dict-item]
        }
        for each in passing:
            if phase in kept:
                kept[phase](each)
            yield each


def recorded(pair: Pair, chosen: Profile, limits: Limits = FEW) -> tuple[Recorder, Run, Evaluator]:
    grammar, lattice = pair
    recorder, evaluator = Recorder(), Evaluator(build_table(grammar))
    return recorder, run(lattice, evaluator, chosen, RELAXATION, limits, recorder), evaluator


def profiles() -> st.SearchStrategy[Profile]:
    """Any election with any heuristics but H1 and H2 switched off."""
    elections = st.sampled_from(("per-construction", "best-combination", "beam", "all"))
    off = st.sets(st.sampled_from(("H3", "H4", "H5")))
    return st.builds(lambda election, off: profile_named("default", election, off), elections, off)


def heuristics_off() -> st.SearchStrategy[Profile]:
    return st.sets(st.sampled_from(list(HEURISTICS))).map(lambda off: profile_named("default", without=off))


# Characterizations


def has_two_parts(evaluator: Evaluator, prop: Property) -> bool:
    """True if a daughter may be both a B and a C, evaluated in `for each B` and in `for each C`."""
    sizes = [len(clause.matched) for clause in evaluator.table.relations[prop.relation].clauses]
    return len(set(sizes)) < len(sizes)


@law
@given(pairs(), profiles())
def test_satisfied_and_violated_are_disjoint_and_come_from_what_was_appropriated(pair: Pair, chosen: Profile) -> None:
    recorder, _, evaluator = recorded(pair, chosen)
    store = {tuple(map(id, relevant.assignment)): relevant.properties for relevant in recorder.relevant}
    for built in recorder.candidates:
        both = built.characterization
        satisfied, violated = (
            [(id(i.property), i.elements) for i in instances if not has_two_parts(evaluator, i.property)]
            for instances in (both.satisfied, both.violated)
        )
        assert len(set(satisfied)) == len(satisfied)
        assert len(set(violated)) == len(violated)
        assert not set(satisfied) & set(violated)

        appropriated = {id(prop) for prop in store[tuple(map(id, built.daughters))]}
        absence = {id(prop) for prop in evaluator.table.by_construction.get(built.construction, ())}
        for instance in (*both.satisfied, *both.violated):
            assert instance.property.construction == built.construction
            assert id(instance.property) in (appropriated if instance.elements else absence)


@law
@given(pairs(), profiles())
def test_each_candidate_was_triggered_by_a_property_of_its_form(pair: Pair, chosen: Profile) -> None:
    recorder, _, _ = recorded(pair, chosen)
    triggers = {
        (tuple(map(id, relevant.assignment)), prop.construction)
        for relevant in recorder.relevant
        for prop in relevant.properties
    }
    built = [(tuple(map(id, candidate.daughters)), candidate.construction) for candidate in recorder.candidates]
    assert set(built) <= triggers
    assert len(set(built)) == len(built)


# Checkpoints only remove


def subsequence(left: list[T], entered: list[T]) -> bool:
    """True if one list is a subsequence of the other, by identity."""
    rest = iter(entered)
    return all(any(each is other for other in rest) for each in left)


def subsets(site: Site) -> list[Assignment]:
    """Literally all combinations of the site with something new, in the order of their first words."""
    new = set(map(id, site.new))
    everyone = sorted((*site.old, *site.new), key=lambda constituent: constituent.start)
    return [
        chosen
        for size in range(1, len(everyone) + 1)
        for chosen in combinations(everyone, size)
        if any(id(constituent) in new for constituent in chosen)
    ]


def small_sites(recorder: Recorder, most: int = 9) -> list[Site]:
    return [site for site in recorder.sites if len(site.new) + len(site.old) <= most]


@law
@given(pairs(), heuristics_off())
def test_checkpoints_only_remove_and_tell_what(pair: Pair, chosen: Profile) -> None:
    recorder, _, evaluator = recorded(pair, replace(chosen, heuristics=tuple(HEURISTICS)))
    for site in small_sites(recorder, 7):
        told: list[Assignment] = []

        def dropped(heuristic: str, assignment: Assignment, told: list[Assignment] = told) -> None:
            assert heuristic == "no property" or chosen.has(heuristic)  # type: ignore[arg-type]
            told.append(assignment)

        assignments = subsets(site)
        legal = list(checkpoint_alpha(assignments, chosen, dropped))
        assert subsequence(legal, assignments)
        assert len(legal) + len(told) == len(assignments)

        stores = list(appropriation(legal, evaluator))
        relevant = list(checkpoint_bravo(stores, evaluator, chosen, dropped))
        assert subsequence([store.assignment for store in relevant], legal)
        assert len(relevant) + len(told) == len(assignments)
        whole = {tuple(map(id, store.assignment)): list(store.properties) for store in stores}
        for store in relevant:
            assert store.properties
            assert subsequence(list(store.properties), whole[tuple(map(id, store.assignment))])

    told_candidates: list[Assignment] = []
    valid = list(polling_booth(recorder.candidates, evaluator, chosen, lambda _, what: told_candidates.append(what)))
    assert subsequence(valid, recorder.candidates)
    assert len(valid) + len(told_candidates) == len(recorder.candidates)


@law
@given(pairs(), heuristics_off(), st.sampled_from(list(HEURISTICS)))
def test_switching_a_heuristic_on_lets_nothing_more_through(pair: Pair, chosen: Profile, heuristic: str) -> None:
    stricter = replace(chosen, heuristics=in_order((*chosen.heuristics, heuristic)))
    recorder, _, evaluator = recorded(pair, profile_named("default"))
    for site in small_sites(recorder, 7):
        left = []
        for profile in (chosen, stricter):
            stores = appropriation(checkpoint_alpha(subsets(site), profile), evaluator)
            relevant = checkpoint_bravo(stores, evaluator, profile)
            left.append({(tuple(map(id, s.assignment)), id(prop)) for s in relevant for prop in s.properties})
        assert left[1] <= left[0]


# Assignation


def check_assignation(pair: Pair, chosen: Profile) -> int:
    """Check that the narrow neighbourhood of the profile loses no combination; return the number of sites."""
    recorder, _, evaluator = recorded(pair, chosen)
    sites = small_sites(recorder)
    for site in sites:
        everywhere = list(assignation(site, Anywhere(site)))
        assert sorted(map(identity, everywhere)) == sorted(map(identity, subsets(site)))

        narrow = list(assignation(site, neighbourhood(site, evaluator, chosen)))
        assert {*map(identity, narrow)} <= {*map(identity, everywhere)}
        survivors = []
        for assignments in (narrow, everywhere):
            stores = appropriation(checkpoint_alpha(assignments, chosen), evaluator)
            relevant = checkpoint_bravo(stores, evaluator, chosen)
            survivors.append(sorted((identity(s.assignment), tuple(map(id, s.properties))) for s in relevant))
        assert survivors[0] == survivors[1]
    return len(sites)


def identity(assignment: Assignment) -> tuple[int, ...]:
    return tuple(map(id, assignment))


@pytest.mark.parametrize("off", [(), ("H2",), ("H3",), ("H2", "H3"), ("H1",), ("H1", "H2")])
def test_what_the_neighbourhood_leaves_out_the_checkpoints_would_drop(off: tuple[str, ...]) -> None:
    chosen = profile_named("default", without=off)
    sites = sum(check_assignation(random_pair(seed, longest=4), chosen) for seed in range(15))
    assert sites > 15


@law
@given(pairs(longest=3), st.sampled_from(((), ("H2",), ("H3",), ("H2", "H3"))))
def test_the_neighbourhood_loses_nothing_on_pairs_that_shrink(pair: Pair, off: tuple[str, ...]) -> None:
    check_assignation(pair, profile_named("default", without=off))


@law
@given(pairs(), profiles())
def test_every_assignment_has_something_new_and_none_is_made_twice(pair: Pair, chosen: Profile) -> None:
    recorder, built, _ = recorded(pair, chosen)
    seen_before: set[int] = set()
    for site in recorder.sites:
        assert not seen_before & set(map(id, site.new))
        assert set(map(id, site.old)) <= seen_before
        seen_before |= set(map(id, site.new))
    made = [frozenset(identity(assignment)) for assignment in recorder.assignments]
    assert len(set(made)) == len(made)
    assert all(len(which) == len(assignment) for which, assignment in zip(made, recorder.assignments, strict=True))
    assert built.stopped_by or set(map(id, built.constituents)) == seen_before


@law
@given(pairs())
def test_a_run_is_the_same_whether_it_is_watched_or_not(pair: Pair) -> None:
    grammar, lattice = pair
    chosen = profile_named("default")
    evaluator = Evaluator(build_table(grammar))
    first = run(lattice, evaluator, chosen, RELAXATION, FEW)
    again, second, _ = recorded(pair, chosen)
    assert first.constituents == second.constituents
    assert (
        (first.rounds, first.stopped_by) == (second.rounds, second.stopped_by) == (len(again.sites), first.stopped_by)
    )


# The order in which a grammar is written


def shuffled(grammar: Grammar, rng: Random) -> Grammar:
    """The grammar with its constructions and their properties in another order.

    Obligations keep their order among themselves: by default the head is the first of their operands (ruling 10).
    """
    forms = []
    for construction in rng.sample(grammar.constructions, len(grammar.constructions)):
        mixed = rng.sample(construction.properties, len(construction.properties))
        obligations = iter([prop for prop in construction.properties if prop.relation == "obligation"])
        properties = [next(obligations) if prop.relation == "obligation" else prop for prop in mixed]
        forms.append(replace(construction, properties=tuple(properties)))
    return replace(grammar, constructions=tuple(forms))


OrderFree = tuple[str, int, int, int, int]


def outcome(grammar: Grammar, lattice: Lattice, **options: Any) -> list[OrderFree]:
    parser = Parser(grammar, limits=Limits(assignments=None), engine="phases", **options)
    return [(p.to_brackets(), p.cost_units, p.weight_units, p.nodes, p.count) for p in parser.n_best(lattice, 5)]


@pytest.mark.parametrize("first", range(0, enough(100), 25))
def test_the_parse_does_not_depend_on_the_order_of_the_grammar(first: int) -> None:
    for seed in range(first, first + 25):
        grammar, lattice = random_pair(seed, longest=4)
        for election in ("per-construction", "best-combination"):
            expected = outcome(grammar, lattice, election=election)
            assert outcome(shuffled(grammar, Random(seed)), lattice, election=election) == expected, (seed, election)


@law
@given(pairs(longest=3), st.randoms(use_true_random=False))
def test_the_parse_does_not_depend_on_the_order_of_grammars_that_shrink(pair: Pair, rng: Random) -> None:
    grammar, lattice = pair
    assert outcome(shuffled(grammar, rng), lattice) == outcome(grammar, lattice)


# Characterizations


def test_what_is_found_by_operands_is_what_retrieving_and_evaluating_finds() -> None:
    instances = 0
    for seed in range(enough(300)):
        rng = Random(seed)
        grammar = random_grammar(rng)
        evaluator = Evaluator(build_table(grammar))
        categories = [*grammar.leaves, *(construction.name for construction in grammar.constructions)]
        daughters = tuple(
            Constituent(rng.choice(categories), 1 << i, random_bundle(rng)) for i in range(rng.randint(1, 5))
        )
        for name in evaluator.table.constructions:
            present = evaluator.evaluate(name, evaluator.retrieve(daughters, name), daughters)
            found = evaluator.characterize(name, daughters)
            assert found == evaluator.completed(name, present, daughters), (seed, name)
            instances += len(found.satisfied) + len(found.violated)
    assert instances > enough(900)


# Monotonic relations


def truths(
    evaluator: Evaluator, properties: Iterable[Property], assignment: Assignment
) -> dict[tuple[int, tuple[int, ...]], bool]:
    """Return the truth of each matched tuple, by property and identities of its elements."""
    found = {}
    masks = [evaluator.operands_matched(daughter.construction, daughter.features) for daughter in assignment]
    for prop in properties:
        plan = plan_of(prop, evaluator.table.relations[prop.relation], evaluator.operands.__getitem__)
        *both, _ = evaluate_row(DaughterRow(assignment, masks, plan), by_property=False)
        for instances, truth in zip(both, (True, False), strict=True):
            for instance in instances:
                found[id(prop), tuple(id(assignment[i]) for i in instance.elements)] = truth
    return {key: truth for key, truth in found.items() if key[1]}


def test_the_truth_of_a_tuple_of_a_monotonic_relation_stays_when_the_assignment_grows() -> None:
    compared = {True: 0, False: 0}
    for seed in range(enough(500)):
        rng = Random(seed)
        grammar = random_grammar(rng)
        evaluator = Evaluator(build_table(grammar))
        relations = evaluator.table.relations
        monotonic = [prop for prop in grammar.properties if relations[prop.relation].monotonic]
        categories = [*grammar.leaves, *(construction.name for construction in grammar.constructions)]
        large = tuple(Constituent(rng.choice(categories), 1 << i, random_bundle(rng)) for i in range(5))
        small = tuple(constituent for constituent in large if rng.random() < 0.6) or large[:1]
        before, after = truths(evaluator, monotonic, small), truths(evaluator, monotonic, large)
        for key in before.keys() & after.keys():
            assert before[key] == after[key], seed
            compared[before[key]] += 1
    assert min(compared.values()) > enough(100)


# Forests


def forest_of(pair: Pair, chosen: Profile) -> ElectedForest:
    grammar, lattice = pair
    built = run(lattice, Evaluator(build_table(grammar)), chosen, RELAXATION, FEW)
    return ElectedForest(
        built.constituents, built.packed, len(lattice.tokens), grammar, RELAXATION, full_span=chosen.has("H5")
    )


def value(solution: Solution) -> tuple[int, int]:
    cost = sum(top.cost_units for top in solution.constituents) + solution.fragment_cost
    return cost, -sum(top.gain_units for top in solution.constituents)


@law
@given(pairs(longest=3), profiles())
def test_the_n_best_are_sorted_different_and_counted(pair: Pair, chosen: Profile) -> None:
    best = forest_of(pair, chosen).best(60)
    assert best == forest_of(pair, chosen).best(60)
    assert [forest_of(pair, chosen).best(n) for n in (1, 2, 7)] == [best[:1], best[:2], best[:7]]
    values = list(map(value, best))
    assert values == sorted(values)
    assert len({solution.constituents for solution in best}) == len(best)
    equal = values.count(values[0])
    count = forest_of(pair, chosen).count()
    assert count == equal or (count > equal == len(best) == 60)


@law
@given(pairs(longest=4), profiles())
def test_a_solution_spans_exactly_the_input(pair: Pair, chosen: Profile) -> None:
    """H5; without it, one constituent as large as any."""
    tokens = len(pair[1].tokens)
    for solution in forest_of(pair, chosen).best(20):
        covers = [top.cover for top in solution.constituents]
        if chosen.has("H5"):
            assert sum(covers) == (1 << tokens) - 1
            assert [cover & -cover for cover in covers] == sorted(cover & -cover for cover in covers)
        else:
            assert len(covers) == 1


# Elections


Analysis = tuple[int, int, str]
"""Cost, negative gain, brackets."""


def analyses(pair: Pair, election: str, width: int = 5) -> tuple[list[Analysis], int, str | None]:
    """The ten best, how many are equally good, and the limit that was met."""
    grammar, lattice = pair
    limits = Limits(assignments=4_000, width=width)
    parses = Parser(grammar, election=election, limits=limits, engine="phases").n_best(lattice, 10)
    found = [(p.cost_units, p.nodes * grammar.node_cost_units - p.weight_units, p.to_brackets()) for p in parses]
    return found, parses[0].count, parses[0].stopped_by


@law
@given(pairs(longest=3))
def test_all_and_a_wide_beam_agree_with_per_construction(pair: Pair) -> None:
    packed, count, stopped = analyses(pair, "per-construction")
    for election in ("all", "beam"):
        found, also_count, also_stopped = analyses(pair, election, width=100_000)
        if stopped is None and also_stopped is None:
            assert found[0][:2] == packed[0][:2]
            assert also_count == count
            if count <= 10:
                assert sorted(found[:count]) == sorted(packed[:count])


@law
@given(pairs(longest=3), st.integers(min_value=1, max_value=4))
def test_a_narrow_beam_or_one_combination_is_never_better_than_the_optimum(pair: Pair, width: int) -> None:
    optimum, _, stopped = analyses(pair, "per-construction")
    for election in ("beam", "best-combination"):
        found, _, _ = analyses(pair, election, width)
        if stopped is None:
            assert found[0][:2] >= optimum[0][:2]


# Tuples


def test_tuples_are_counted_as_they_are_made() -> None:
    counted = 0
    for seed in range(enough(300)):
        rng = Random(seed)
        evaluator = Evaluator(build_table(random_grammar(rng)))
        for prop in evaluator.table.grammar.properties:
            plan = plan_of(prop, evaluator.table.relations[prop.relation], evaluator.operands.__getitem__)
            for match in plan.matches:
                masks = [sum({rng.choice((0, *match.bits)) for _ in range(2)}) for _ in range(rng.randrange(5))]
                number = len(list(tuples(match, masks)))
                assert number_of_tuples(match, masks) == number, (seed, match, masks)
                counted += number > 1
    assert counted > enough(100)
