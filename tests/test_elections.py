"""The election rules: which valid candidates enter the next round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from numbat import Grammar, Limits, Parse, Parser, UsageError, parse_grammar
from numbat.acceptability.models import MODELS, score, valuation_function
from numbat.evaluation.constituents import Constituent
from numbat.grammar.printing import format_grammar
from numbat.grammar.profiles import ELECTIONS, PROFILES
from numbat.grammar.properties import UNIT, Operand
from numbat.parsing.analysis import Solution, fragment_cost_of
from numbat.parsing.phases.elections import RULES, Ballot, ElectionResult, Pending
from numbat.parsing.phases.phases import Site
from numbat.parsing.phases.trace import Recorder
from numbat.parsing.policies import granularity_of, valuation_named
from tests.phases.making import grammar, phrase, words
from tests.samples import enough
from tests.strategies import random_pair

DET, ADJ, NOUN, VERB = words("Det Adj N V")
WORDS = (DET, ADJ, NOUN, VERB)


def candidate(kind: str, *daughters: Constituent, cost: float = 0, gain: float = 0, depth: int = 1) -> Constituent:
    built = phrase(kind, *daughters, depth=depth)
    return built._replace(cost_units=round(cost * UNIT), gain_units=round(gain * UNIT))


def elect(
    rule: str,
    *valid: Constituent,
    pending: Pending | None = None,
    site: Site | None = None,
    width: int = 2,
    valuation: str = "relaxation",
    roots: tuple[str, ...] = (),
) -> ElectionResult:
    given = Grammar(
        roots=tuple(map(Operand, roots)), constructions=grammar("leaves: A\nS:\n    uniq A\n").constructions
    )
    ballot = Ballot(valid, pending or {}, site or Site(WORDS), 4, given, valuation_named(valuation), width)
    return RULES[rule](ballot)


def ids(constituents: tuple[Constituent, ...]) -> list[int]:
    return list(map(id, constituents))


def test_there_is_a_rule_for_each_name() -> None:
    assert set(RULES) == set(ELECTIONS)
    assert {profile.election for profile in PROFILES.values()} <= set(RULES)


# all


def test_all_elects_every_candidate() -> None:
    first, second = candidate("NP", DET, NOUN, cost=5), candidate("NP", DET, NOUN)
    site = Site((NOUN,), (DET,))
    outcome = elect("all", first, second, site=site)
    assert ids(outcome.elected) == ids(outcome.site.new) == ids((first, second))
    assert ids(outcome.site.old) == ids((DET, NOUN))
    assert outcome.pending == {}
    assert outcome.packed == {}


# per-construction


def test_per_construction_elects_the_best_of_a_cell_and_packs_its_rivals() -> None:
    bad, good = candidate("NP", DET, ADJ, cost=1), candidate("NP", DET, ADJ, gain=1)
    outcome = elect("per-construction", bad, good)
    assert ids(outcome.elected) == ids((good,))
    assert ids(outcome.packed[id(good)]) == ids((good, bad))
    assert ids(outcome.site.new) == ids((good,))
    assert ids(outcome.site.old) == ids(WORDS)


@pytest.mark.parametrize(
    "other",
    [
        candidate("VP", DET, ADJ),
        candidate("NP[number=sg]", DET, ADJ),
        candidate("NP", ADJ, NOUN),
    ],
    ids=["construction", "features", "span"],
)
def test_cells_differ_by_construction_features_and_span(other: Constituent) -> None:
    best = candidate("NP", DET, ADJ, gain=9)
    assert ids(elect("per-construction", best, other).elected) == ids((best, other))


def test_the_smaller_ones_are_elected_first_and_the_rest_wait() -> None:
    small, large = candidate("NP", DET, ADJ), candidate("NP", DET, ADJ, NOUN)
    outcome = elect("per-construction", large, small)
    assert ids(outcome.elected) == ids((small,))
    assert {size: ids(tuple(waiting)) for size, waiting in outcome.pending.items()} == {(3, 1): ids((large,))}
    after = elect("per-construction", pending=outcome.pending, site=outcome.site)
    assert ids(after.elected) == ids((large,))
    assert after.pending == {}


def test_of_one_size_the_lower_in_a_unary_chain_is_elected_first() -> None:
    low, high = candidate("NP", DET), candidate("XP", candidate("NP", DET), depth=2)
    outcome = elect("per-construction", high, low)
    assert ids(outcome.elected) == ids((low,))
    assert list(outcome.pending) == [(1, 2)]


def test_a_ballot_leaves_the_candidates_that_it_was_given_as_they_were() -> None:
    waiting = candidate("NP", DET, ADJ, NOUN)
    pending: Pending = {(3, 1): [waiting]}
    elect("per-construction", candidate("NP", DET, ADJ, NOUN, cost=1), pending=pending)
    assert {size: ids(tuple(kept)) for size, kept in pending.items()} == {(3, 1): ids((waiting,))}


def test_equally_good_rivals_come_in_the_documented_order() -> None:
    """Compare daughters from the left: the larger first, then the alphabet, then the shorter chain."""
    deep = DET._replace(depth=1)
    rivals = [
        candidate("NP", candidate("XP", DET, ADJ), NOUN),
        candidate("NP", candidate("YP", DET, ADJ), NOUN),
        candidate("NP", DET, candidate("XP", ADJ, NOUN)),
        candidate("NP", deep, candidate("XP", ADJ, NOUN)),
    ]
    for order in (rivals, rivals[::-1], rivals[2:] + rivals[:2]):
        outcome = elect("per-construction", *order)
        assert ids(outcome.packed[id(outcome.elected[0])]) == ids(tuple(rivals))


def test_the_valuation_decides_who_is_best() -> None:
    """One violation is worse than any gain under `relaxation`, not under `net`."""
    clean, rich = candidate("NP", DET, ADJ), candidate("NP", DET, ADJ, cost=1, gain=3)
    assert ids(elect("per-construction", clean, rich).elected) == ids((clean,))
    assert ids(elect("per-construction", clean, rich, valuation="net").elected) == ids((rich,))


def test_without_candidates_nobody_is_elected() -> None:
    for rule in RULES:
        outcome = elect(rule)
        assert outcome.elected == outcome.site.new == ()


# beam


def test_beam_elects_the_best_k_of_each_cell() -> None:
    third, first, second = (candidate("NP", DET, ADJ, cost=cost) for cost in (3, 1, 2))
    alone = candidate("VP", DET, ADJ, cost=9)
    outcome = elect("beam", third, first, second, alone, width=2)
    assert ids(outcome.elected) == ids((first, second, alone))
    assert outcome.packed == {}


def test_beam_works_by_growing_size_too() -> None:
    small, large = candidate("NP", DET, ADJ), candidate("NP", DET, ADJ, NOUN)
    outcome = elect("beam", large, small)
    assert ids(outcome.elected) == ids((small,))
    assert list(outcome.pending) == [(3, 1)]


# best-combination


def test_the_best_combination_spans_the_input() -> None:
    noun_phrase, verb_phrase = candidate("NP", DET, ADJ, NOUN), candidate("VP", VERB)
    outcome = elect("best-combination", verb_phrase, noun_phrase, candidate("XP", ADJ, NOUN))
    assert ids(outcome.elected) == ids(outcome.site.new) == ids((noun_phrase,))
    assert ids(outcome.site.old) == ids((VERB,))


def test_equal_values_prefer_the_larger_then_the_alphabet_then_the_candidate() -> None:
    """[NP V] and [NP VP] cost two fragments each; V comes before VP."""
    noun_phrase, verb_phrase = candidate("NP", DET, ADJ, NOUN), candidate("VP", VERB)
    assert ids(elect("best-combination", noun_phrase, verb_phrase).elected) == ids((noun_phrase,))
    better = verb_phrase._replace(gain_units=1)
    assert ids(elect("best-combination", noun_phrase, better).elected) == ids((noun_phrase, better))


def test_there_is_a_candidate_in_it_even_if_the_old_combination_was_better() -> None:
    bad = candidate("NP", DET, ADJ, cost=100)
    assert ids(elect("best-combination", bad).elected) == ids((bad,))


def test_only_the_elected_combination_is_seen_in_the_next_round() -> None:
    whole = candidate("S", *WORDS)
    outcome = elect("best-combination", candidate("NP", DET, ADJ, NOUN), whole)
    assert ids(outcome.site.new) == ids((whole,))
    assert outcome.site.old == ()


def test_one_root_over_the_input_pays_no_fragment_cost() -> None:
    root, fragment = candidate("S", *WORDS, cost=5), candidate("XP", *WORDS)
    for roots in ((), ("S",)):  # none declared: every construction
        assert ids(elect("best-combination", root, fragment, roots=roots).elected) == ids((root,))
    assert ids(elect("best-combination", root, fragment, roots=("XP",)).elected) == ids((fragment,))


def test_a_combination_may_be_discontinuous() -> None:
    around, inside = candidate("XP", DET, NOUN, gain=5), candidate("YP", ADJ, VERB, gain=5)
    outcome = elect("best-combination", around, inside)
    assert ids(outcome.elected) == ids((around, inside))


# In a parser

GREEDY = """
roots: S
leaves: Det, N, V
S:
    uniq {NP, VP}
    NP < VP
NP:
    Det < N
VP:
    uniq V
XP:
    N < V weight 10
lexicon:
    the: Det
    cat: N
    sleeps: V
"""
SENTENCE = "(S (NP (Det the) (N cat)) (VP (V sleeps)))"
HIDDEN = "(Det the) (XP (N cat) (V sleeps))"


@pytest.mark.parametrize(
    ("election", "brackets"),
    [("per-construction", SENTENCE), ("all", SENTENCE), ("beam", SENTENCE), ("best-combination", HIDDEN)],
)
def test_what_each_election_finds_where_greed_does_not_pay(election: str, brackets: str) -> None:
    parse = Parser(grammar(GREEDY), election=election).parse("the cat sleeps")
    assert parse.to_brackets() == brackets
    assert parse.election == election
    assert parse.stopped_by is None


def test_a_beam_of_one_misses_what_a_wider_one_finds() -> None:
    """The best is the same, but fewer of the others are there for the n best."""
    text = "leaves: a, b, c\nX:\n    uniq {a, b, X}\n    a < b\nlexicon:\n    a: a\n    b: b\n"
    narrow, wide = (
        Parser(grammar(text), election="beam", limits=Limits(width=width)).n_best("a b", 20) for width in (1, 50)
    )
    packed = Parser(grammar(text)).n_best("a b", 20)
    assert narrow[0].to_brackets() == wide[0].to_brackets() == packed[0].to_brackets()
    assert len(narrow) < len(wide) == len(packed)


def test_an_unknown_election_has_a_close_match() -> None:
    with pytest.raises(UsageError) as caught:
        Parser(grammar(GREEDY), election="bean")
    assert str(caught.value) == 'unknown election: "bean"\n  did you mean "beam"?'


# A gradience model as the valuation function


def members_of(rest: int, pool: list[Constituent]) -> Iterator[tuple[Constituent, ...]]:
    """Every combination that fills these positions."""
    if not rest:
        yield ()
    first = (rest & -rest).bit_length() - 1
    for each in pool:
        if rest and each.start == first and each.cover & rest == each.cover:
            yield from ((each, *others) for others in members_of(rest & ~each.cover, pool))


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("seed", [1, 5, 8, 21, 35])  # at 35 `quality` and `coherence` differ by less than 1e-6
def test_the_elected_combination_scores_best_by_the_model(model: str, seed: int) -> None:
    given, lattice = random_pair(seed, longest=4)
    parser = Parser(given, profile="paper", elect_by=valuation_function(model), limits=Limits(rounds=1))
    recorder = Recorder(most=None)  # all candidates, because a trace shows only the first ones
    parser.parse(lattice, recorder)
    (first,) = recorder.rounds
    candidates: list[Constituent] = [each for each in first.phases[-1].passed if isinstance(each, Constituent)]
    pool, full = [*candidates, *first.site.new], (1 << len(lattice.tokens)) - 1

    def scored(tops: tuple[Constituent, ...]) -> float:
        fragments = fragment_cost_of(tops, len(lattice.tokens), given)
        (whole,) = parser.parses_of(lattice, [Solution(tops, fragments)], 1, 1, "phases", None)
        return score(whole, model).value

    new = {id(each) for each in candidates}
    values = [scored(tops) for tops in members_of(full, pool) if new & set(map(id, tops))]
    elected = [each.constituent for each in first.elected]
    assert bool(values) == bool(elected)
    if elected:
        among = [tops for tops in members_of(full, pool) if set(map(id, elected)) == new & set(map(id, tops))]
        assert max(map(scored, among)) == pytest.approx(max(values), rel=1e-9)


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("profile", list(PROFILES))
@pytest.mark.parametrize("seed", [1, 5, 8, 21, 34])
def test_the_solution_scores_best_by_the_model_of_all_that_was_elected(model: str, profile: str, seed: int) -> None:
    """Ruling 32, in every profile, with and without H5."""
    given, lattice = random_pair(seed, longest=4)
    full = (1 << len(lattice.tokens)) - 1
    for without in ((), ("H5",)):
        by, limits = valuation_function(model), Limits(assignments=2_000)
        parser = Parser(given, profile, "best-combination", limits=limits, without=without, elect_by=by)
        recorder = Recorder()
        parse = parser.parse(lattice, recorder)
        pool = [*recorder.rounds[0].site.new, *(each.constituent for r in recorder.rounds for each in r.elected)]
        largest = max(each.cover.bit_count() for each in pool)
        alone = ((each,) for each in pool if each.cover.bit_count() == largest)

        def scored(tops: tuple[Constituent, ...], parser: Parser = parser) -> float:
            fragments = fragment_cost_of(tops, len(lattice.tokens), given)
            (whole,) = parser.parses_of(lattice, [Solution(tops, fragments)], 1, 1, "phases", None)
            return score(whole, model).value

        best = max(map(scored, alone if without else members_of(full, pool)))
        assert score(parse, model).value == pytest.approx(best)
        assert parse.outcome.valuation == model


OBLIGED = """
leaves: d, c, a
roots: S
fragment_cost: 1
S:
    c < c
    uniq c
    oblig S weight 0 cost 2
lexicon:
    w: c
"""


@pytest.mark.parametrize("profile", ["paper", "default", "loose", "discontinuous"])
def test_what_costs_less_is_no_better_where_a_model_elects(profile: str) -> None:
    """The word alone costs 1 and has the fitness 0, the phrase that was elected 2 and .5."""
    fitness = valuation_function("fitness")
    by_model, by_cost = (
        Parser(grammar(OBLIGED), profile, "best-combination", elect_by=by).n_best("w", 2) for by in (fitness, None)
    )
    assert [(each.to_brackets(), each.cost, score(each, "fitness").value) for each in by_model] == [
        ("(S (c w))", 2, 0.5),
        ("(c w)", 1, 0),
    ]
    assert [each.to_brackets() for each in by_cost] == ["(c w)", "(S (c w))"]


def test_of_what_scores_the_same_the_valuation_prefers_one() -> None:
    """`completeness` sees no difference between a property that holds and one that does not."""
    text = "leaves: a, b\nX:\n    uniq a\n    a => b\nY:\n    uniq a\n    oblig a\nlexicon:\n    w: a\n"
    parse = Parser(grammar(text), "paper", elect_by=valuation_function("completeness")).parse("w")
    assert (parse.to_brackets(), score(parse, "completeness").value) == ("(Y (a w))", 1)


def test_a_score_whose_worst_is_below_0_prefers_a_good_fragment_to_a_bad_root() -> None:
    """The XP has no violation and scores half of -1, the S over it has five violations in eight properties."""
    text = """
leaves: a, b, c
roots: S
S:
    uniq XP
    oblig c
    XP => a
    XP => b
    XP => c
    XP => XP & XP
XP:
    a < b
    oblig b
lexicon:
    w: a
    v: b
"""
    parse = Parser(grammar(text), "paper", elect_by=valuation_function("violation-density")).parse("w v")
    assert (parse.to_brackets(), score(parse, "violation-density").value) == ("(XP (a w) (b v))", -0.5)


def test_a_valuation_function_needs_its_election() -> None:
    with pytest.raises(UsageError) as caught:
        Parser(grammar(GREEDY), elect_by=valuation_function("fitness"))
    assert str(caught.value) == (
        "the election per-construction does not use a valuation function\n"
        "  only best-combination uses one: choose that election, or the profile paper"
    )


# H5 as a rule of termination


def test_rounds_end_with_the_first_root_that_spans_the_input() -> None:
    recorder, whole = Recorder(), Recorder()
    parse = Parser(grammar(GREEDY), election="all", termination="first-solution").parse("the cat sleeps", recorder)
    Parser(grammar(GREEDY), election="all").parse("the cat sleeps", whole)
    assert parse.to_brackets() == SENTENCE
    assert parse.outcome.engine == "phases"
    assert recorder.choice is not None
    assert recorder.choice.ended_by == "the first solution (termination first-solution)"
    assert len(recorder.rounds) < len(whole.rounds)


def test_a_grammar_may_say_when_rounds_end() -> None:
    text = GREEDY.replace("S:\n", "semantics:\n    termination: first-solution\nS:\n", 1)
    given = grammar(text)
    assert parse_grammar(format_grammar(given)) == given
    assert Parser(given).profile.termination == "first-solution"
    assert Parser(given).engine == "phases"
    assert Parser(given, termination="exhausted").engine == "exact"


def test_termination_by_h5_needs_h5() -> None:
    with pytest.raises(UsageError) as caught:
        Parser(grammar(GREEDY), without=["H5"], termination="first-solution")
    assert str(caught.value) == (
        "termination first-solution needs H5\n  a solution is defined by H5: leave H5 on, or use exhausted"
    )


# The cost of a fragment


def test_a_run_says_what_a_fragment_costs() -> None:
    given = grammar(GREEDY.replace("leaves", "fragment_cost: 4\nleaves", 1))
    assert granularity_of(1, given) == 0.25
    parse = Parser(given, granularity=granularity_of(0.5, given)).parse("cat the")
    assert parse.fragment_cost_units == UNIT
    with pytest.raises(UsageError) as caught:
        granularity_of(1, grammar(GREEDY.replace("leaves", "fragment_cost: 0\nleaves", 1)))
    assert str(caught.value) == (
        "the fragment cost cannot be set to 1 for a grammar in which fragments cost nothing\n"
        "  fragment_cost is 0 in this grammar: set it there"
    )


# The bound of a greedy election on the best parse

FOUND = "partial parse of 2 fragments: cost 20 (fragments 20); weight 10; 1 tree; 1 satisfied, 0 violated"


def test_a_greedy_profile_says_what_the_best_parse_costs() -> None:
    parse = Parser(grammar(GREEDY), "paper").parse("the cat sleeps")
    assert parse.summary() == f'{FOUND}; greedy profile "paper": the best parse costs 0'
    assert parse.outcome.best_cost == 0
    assert parse.explain()[0].startswith("no round elected a phrase that spans the whole sentence: 2 fragments; XP")


def test_a_greedy_election_of_another_profile_is_told_by_its_name() -> None:
    parse = Parser(grammar(GREEDY), "loose", "best-combination").parse("the cat sleeps")
    assert parse.summary().endswith(', 0 violated; greedy election "best-combination": the best parse costs 0')


def test_a_greedy_parse_that_is_the_best_says_so() -> None:
    first, second = Parser(grammar(GREEDY), "paper").n_best("the cat", 2)
    assert first.summary() == (
        "full parse: cost 0; weight 2; 1 tree; 2 satisfied, 0 violated; "
        'greedy profile "paper": the best parse costs as much'
    )
    assert second.summary().endswith('; rank 2; greedy profile "paper": the best parse costs 0')


@pytest.mark.parametrize("profile", ["default", "strict", "loose", "discontinuous"])
def test_other_profiles_say_nothing_of_greed(profile: str) -> None:
    parse = Parser(grammar(GREEDY), profile).parse("the cat sleeps")
    assert "greedy" not in parse.summary()
    assert parse.outcome.best_cost is None


@pytest.mark.parametrize(
    "settings",
    [
        {"limits": Limits(items=1)},
        {"engine": "phases"},
        {"without": ["H2"]},
        {"without": ["H2", "H5"]},
        {"limits": Limits(states=1)},
    ],
    ids=["items", "phases", "H2", "H5", "states"],
)
def test_where_the_best_is_not_known_it_may_exist(settings: dict[str, Any]) -> None:
    """If the exact search meets a limit, is switched off, or cannot be used."""
    parse = Parser(grammar(GREEDY), "paper", **settings).parse("the cat sleeps")
    assert parse.summary().endswith('; greedy profile "paper": a better parse may exist')
    assert parse.stopped_by is None


def test_seconds_count_for_the_exact_search_too() -> None:
    calls = iter(range(1_000))
    parser = Parser(grammar(GREEDY), "paper")
    counted = parser.parse("the cat sleeps", overdue=lambda: next(calls) < 0)
    used = next(calls)
    calls = iter(range(1_000))
    parse = parser.parse("the cat sleeps", overdue=lambda: next(calls) >= used - 1)
    assert (counted.outcome.best_cost, parse.outcome.best_cost, parse.stopped_by) == (0, None, None)


def test_what_a_model_elected_is_compared_with_no_cost() -> None:
    parse = Parser(grammar(GREEDY), "paper", elect_by=valuation_function("fitness")).parse("cat the")
    assert parse.summary() == (
        "partial parse of 2 fragments: cost 20 (fragments 20); weight 0; 1 tree; 0 satisfied, 0 violated; "
        'greedy profile "paper", elected by fitness: a better parse may exist'
    )


def test_a_function_of_ones_own_is_named() -> None:
    def nodes(parse: Parse) -> float:
        return parse.nodes

    parse = Parser(grammar(GREEDY), "paper", elect_by=nodes).parse("the cat")
    assert parse.outcome.valuation == "nodes"
    assert parse.summary().endswith('; greedy profile "paper", elected by nodes: a better parse may exist')


def test_under_net_the_best_may_cost_more() -> None:
    """The two fragments that hide the sentence gain 10 and cost nothing, the sentence gains 16 and costs 1."""
    rich = GREEDY.replace("NP < VP", "NP < VP weight 12\n    VP => V").replace("roots: S", "roots: S\nfragment_cost: 0")
    assert Parser(grammar(rich), "paper", valuation="net").parse("the cat sleeps").summary() == (
        "partial parse of 2 fragments: cost 0; weight 10; 1 tree; 1 satisfied, 0 violated; "
        'greedy profile "paper": the best parse under net costs 1'
    )


@pytest.mark.parametrize("valuation", ["relaxation", "net"])
@pytest.mark.parametrize("seed", range(enough(30)))
def test_the_cost_that_is_told_is_that_of_the_default_profile(seed: int, valuation: str) -> None:
    given, lattice = random_pair(seed, longest=4)
    best = Parser(given, valuation=valuation).parse(lattice)
    found = Parser(given, "paper", valuation=valuation).parse(lattice)
    assert best.stopped_by is None
    told = found.outcome.best_cost
    assert told is not None
    if valuation == "relaxation":
        assert told == best.cost <= found.cost
    else:
        assert told in (best.cost, found.cost)
