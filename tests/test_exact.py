"""The exact engine compared with the eight phases, the compiled kernel with its Python twin, and robustness of both."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pytest

import numbat
from numbat import Arc, DataError, Grammar, GrammarError, Lattice, Limits, Parse, Parser, UsageError, native
from numbat.automata.property_automaton import PropertyAutomaton
from numbat.automata.records import DeferredCounts
from numbat.evaluation.constituents import lexical_costs
from numbat.grammar.properties import UNIT
from numbat.parsing.analysis import tie_order
from numbat.parsing.exact import chart as charts
from numbat.parsing.exact import python_search
from numbat.parsing.exact.compiled_grammar import WeightedGrammar
from numbat.parsing.exact.items import SearchItems, WordItem
from numbat.parsing.phases.phases import building_site
from numbat.parsing.queries import judge_tree
from numbat.treebanks.trees import Tree
from numbat.words.lexical_lookup import read_text
from numbat.words.typed import read_tagged
from tests.samples import enough
from tests.strategies import random_pair

STARTER = Path(__file__).parent / "starter" / "starter.pg"

CHUNK = 35
FEW = Limits(assignments=3_000, items=None)
"""The phases engine gives up on a sentence beyond this; such a pair is left out, and counted."""


def pairs(seeds: range) -> Iterator[tuple[str, Grammar, Lattice, str, str]]:
    """Random grammars and sentences of up to 6 words, with profile and valuation."""
    for seed in seeds:
        for negative in (False, True):
            grammar, lattice = random_pair(seed, negative, longest=6)
            for profile in ("default", "strict", "loose"):
                for valuation in ("net",) if negative else ("relaxation", "net"):
                    yield f"random_pair({seed}, {negative}, 6)", grammar, lattice, profile, valuation


def outcome(parse: Parse, grammar: Grammar) -> tuple[object, ...]:
    """Return what two engines must agree on: value, count, and all evaluated instances of the first tree."""
    gain = parse.weight_units - grammar.node_cost_units * parse.nodes
    value = (gain - parse.cost_units,) if parse.outcome.valuation == "net" else (parse.cost_units, gain)
    if parse.count > 100:
        return value, parse.count
    evaluated = [(e.property, e.constituent.cover, e.satisfied, [x.cover for x in e.elements]) for e in parse.evaluated]
    features = [constituent.features for top in parse.constituents for constituent in top.walk()]
    return value, parse.count, parse.to_brackets(), features, evaluated


@pytest.mark.parametrize("first", range(0, enough(2 * CHUNK), CHUNK))
def test_both_engines_agree(first: int) -> None:
    compared = 0
    for name, grammar, lattice, profile, valuation in pairs(range(first, first + CHUNK)):
        by_phases = Parser(grammar, profile, valuation=valuation, limits=FEW, engine="phases").parse(lattice)
        if by_phases.stopped_by is not None:
            continue
        compared += 1
        by_search = Parser(grammar, profile, valuation=valuation, limits=FEW, engine="exact").parse(lattice)
        assert by_search.outcome.engine == "exact"
        assert outcome(by_search, grammar) == outcome(by_phases, grammar), f"{name}, {profile}, {valuation}"
    assert compared >= 2 * CHUNK


@pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="the compiled kernel is not built")
@pytest.mark.parametrize("keep_all_edges", [False, True])
def test_the_compiled_kernel_is_its_twin(keep_all_edges: bool) -> None:
    for seed in range(enough(150)):
        grammar, lattice = random_pair(seed, negative=False, longest=6)
        limits = Limits(items=3_000, states=3 if seed % 3 == 0 else None)
        for valuation in ("relaxation", "net"):
            weighted = Parser(grammar, valuation=valuation).weighted
            ceiling = 2 * grammar.fragment_cost_units if keep_all_edges and valuation == "relaxation" else None
            one, other = by_both_kernels(lattice, weighted, ceiling, keep_all_edges, limits)
            assert what(one) == what(other), f"random_pair({seed}, False, 6), {valuation}"


@pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="the compiled kernel is not built")
@pytest.mark.parametrize("valuation", ["relaxation", "net"])
def test_what_the_covers_are_made_of_is_handed_over(valuation: str) -> None:
    """They are in the order of all items, which have other numbers there."""
    for seed in range(enough(150)):
        grammar, lattice = random_pair(seed, negative=False, longest=6)
        weighted = Parser(grammar, valuation=valuation).weighted
        about = len(lattice.tokens), words_of(lattice, weighted), weighted, None, False, Limits()
        some, every = charts.search(*about), charts.search(*about, return_all_items=True)
        assert made_of(some) == list(range(len(some.starts)))
        assert renumbered(some, made_of(some)) == renumbered(every, made_of(every))
        assert what(some)[-1] == what(every)[-1]


@pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="the compiled kernel is not built")
def test_the_compiled_kernel_shares_the_items_out_as_its_twin_does() -> None:
    rationed = 0
    for seed in range(enough(110)):
        grammar, lattice = random_pair(seed, negative=True, longest=9)
        limits = Limits(items=(60, 200, 700)[seed % 3], states=5 if seed % 4 == 0 else None)
        one, other = by_both_kernels(lattice, Parser(grammar, valuation="net").weighted, None, False, limits)
        assert what(one) == what(other), f"random_pair({seed}, True, 9)"
        rationed += one.hit_budget
    assert rationed > enough(20)


def alike(readings: int, words: int) -> tuple[Parser, Lattice]:
    """Return a sentence of words with several equally good readings, any of which may be the head."""
    values = [f"v{i}" for i in range(readings)]
    parser = Parser(numbat.parse_grammar(f"features:\n    f: {', '.join(values)}\nleaves: A\nS:\n    oblig A\n"))
    arcs = [Arc(at, at + 1, "w", "A", (("f", value),)) for at in range(words) for value in values]
    return parser, Lattice(("w",) * words, tuple(arcs))


@pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="the compiled kernel is not built")
def test_ways_to_build_items_count_towards_their_limit() -> None:
    """Each item has as many ways as a word has readings: they would fill the memory."""
    parser, lattice = alike(40, 8)
    limits = Limits(items=2_000)
    one, other = by_both_kernels(lattice, parser.weighted, None, False, limits)
    assert what(one) == what(other)
    assert one.stopped
    assert len(one.starts) < 2_000 <= one.built
    assert sum(map(len, one.edges)) < 4 * 2_000 + 40**2
    assert charts.Chart(lexical_costs(lattice), 8, parser.weighted, limits).stopped_by == "items (2,000)"


def test_trees_are_counted_without_an_end() -> None:
    """There are 9 to the 24th, more than fit into 64 bits."""
    parser, lattice = alike(9, 24)
    assert parser.parse(lattice).count == 9**24


def by_both_kernels(
    lattice: Lattice, weighted: WeightedGrammar, ceiling: int | None, keep_all_edges: bool, limits: Limits
) -> tuple[SearchItems, SearchItems]:
    about = len(lattice.tokens), words_of(lattice, weighted), weighted, ceiling, keep_all_edges, limits
    return charts.search(*about, return_all_items=True), python_search.search(*about)


def made_of(items: SearchItems) -> list[int]:
    """The items that something in `starting` is made of, in their order."""
    found = [item for choices in items.starting for item in choices]
    for item in found:
        parts = {part for left, right, _, _ in items.edges[item] for part in (left, right) if part >= 0}
        found += parts - set(found)
    return sorted(found)


def renumbered(items: SearchItems, some: list[int]) -> tuple[object, ...]:
    """Some of the items, by their places among these."""
    number = {-1: -1} | {item: i for i, item in enumerate(some)}
    return (
        [
            (
                items.starts[item],
                items.ends[item],
                items.kinds[item],
                items.counts[item],
                items.values[item],
                items.rests[item],
            )
            for item in some
        ],
        [[(number[left], number[right], own, label) for left, right, own, label in items.edges[i]] for i in some],
        [[number[item] for item in choices] for choices in items.starting],
        {number[item] for item in items.roots if item in number},
    )


def what(items: SearchItems) -> tuple[object, ...]:
    """Return all of its contents, with values as the sums of those of edges."""
    return (
        *map(list, (items.starts, items.ends, items.kinds, items.covers, items.counts, items.values)),
        list(map(list, items.starting)),
        [items.edges[i] for i in range(len(items.starts))],
        frozenset(items.roots),
        (items.built, items.settled, items.pruned, items.stopped, items.at_least),
        (items.hit_state_limit, items.hit_budget),
    )


def test_the_number_of_trees_is_that_of_the_forest() -> None:
    """The search counts while it settles; the forest of its edges is counted apart from that."""
    several = 0
    for seed in range(enough(300)):
        grammar, lattice = random_pair(seed, negative=False, longest=6)
        weighted = Parser(grammar).weighted
        chart = charts.Chart(lexical_costs(lattice), len(lattice.tokens), weighted, Limits())
        assert chart.count() == chart.forest.count(charts.GOAL)
        several += chart.count() > 1
    assert several > enough(30)


TIES = """
leaves: N, P, V
roots: S
node_cost: 0
all linearity weight 0 cost 1
all uniqueness weight 0 cost 1
S:
    NP < VP
VP:
    uniq V
    V < NP
    V < PP
NP:
    uniq N
    N < PP
PP:
    uniq P
    P < NP
"""


def test_the_tree_that_is_shown_is_the_first_of_all_equal_ones_however_many() -> None:
    parser = Parser(numbat.parse_grammar(TIES))
    words = " ".join(["n/N v/V n/N", *["p/P n/N"] * 3])
    every = parser.n_best(read_tagged(words, parser.words), 600)
    best = [
        parse
        for parse in every
        if (parse.cost_units, parse.weight_units) == (every[0].cost_units, every[0].weight_units)
    ]
    assert len(best) == every[0].count > charts.MAX_TIES_ORDERED
    first = min(best, key=lambda parse: [tie_order(parse.grammar).tree(top) for top in parse.constituents])
    assert parser.parse(read_tagged(words, parser.words)).to_brackets() == first.to_brackets()


def test_a_limit_of_states_is_an_approximation_that_is_announced() -> None:
    grammar = numbat.load_grammar(STARTER)
    text = "the man in house sees the the old dog near tree the with a small children"
    best = Parser(grammar).parse(text)
    assert best.stopped_by is None
    costs = []
    for states in (1, 5, 1_000):
        parse = Parser(grammar, limits=Limits(states=states)).parse(text)
        assert [word.form for top in parse.constituents for word in top.words()] == text.split()
        assert parse.stopped_by == (None if states == 1_000 else f"states ({states} a span)")
        costs.append(parse.cost_units)
    assert costs[0] > best.cost_units == costs[-1]
    assert costs == sorted(costs, reverse=True)


def test_a_limit_of_states_does_not_stop_the_budget_from_growing() -> None:
    for seed in range(enough(120)):
        grammar, lattice = random_pair(seed, negative=False, longest=6)
        parser = Parser(grammar, limits=Limits(states=2))
        without = charts.Chart(lexical_costs(lattice), len(lattice.tokens), parser.weighted, parser.limits)
        assert parser.parse(lattice).cost_units <= without.level, f"random_pair({seed}, False, 6)"


@pytest.mark.parametrize("which", ["compiled", "python"])
def test_the_limit_of_items_holds_also_while_the_budget_grows(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_KERNEL", which)
    parser = Parser(numbat.load_grammar(STARTER))
    salad = read_text("near the sees dog him a old and with small behind the chased of in this", parser.words)
    readings, tokens = lexical_costs(salad), len(salad.tokens)
    for most in (300, 1_000, 3_000):
        chart = charts.Chart(readings, tokens, parser.weighted, Limits(items=most))
        assert chart.stopped_by == f"items ({most:,})"
        assert most <= chart.items.built < most + 200


def test_the_first_of_the_n_best_is_as_good_as_the_best_whatever_the_limit() -> None:
    for seed in range(enough(60)):
        grammar, lattice = random_pair(seed, negative=False, longest=6)
        parser = Parser(grammar, limits=Limits(items=60))
        assert parser.n_best(lattice, 5)[0].cost_units <= parser.parse(lattice).cost_units, (
            f"random_pair({seed}, False, 6)"
        )


@pytest.mark.parametrize("which", ["compiled", "python"])
def test_an_interrupted_parser_goes_on(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_KERNEL", which)
    grammar, text = numbat.load_grammar(STARTER), "the man in house sees the the old dog"
    best = Parser(grammar).parse(text)
    counts, calls, moment = PropertyAutomaton.counts, count(), -1

    def interrupted(one: PropertyAutomaton, state: int) -> DeferredCounts:
        if next(calls) == moment:
            raise KeyboardInterrupt
        return counts(one, state)

    monkeypatch.setattr(PropertyAutomaton, "counts", interrupted)
    parser = Parser(grammar)
    calls = count()
    parser.parse(text)
    asked = next(calls)
    assert asked > 20
    for at in range(0, asked, max(1, asked // 20)):
        parser = Parser(grammar)
        calls, moment = count(), at
        with pytest.raises(KeyboardInterrupt):
            parser.parse(text)
        moment = -1
        assert parser.parse(text).to_json() == best.to_json()


def test_no_parse_costs_less_than_a_search_that_was_stopped_says() -> None:
    above = reached = 0
    for seed in range(60):
        grammar, lattice = random_pair(seed, negative=False, longest=9)
        best = Parser(grammar).parse(lattice)
        assert best.outcome.least_cost is None
        for most in (60, 110):
            for n in (1, 3):
                parse = Parser(grammar, limits=Limits(items=most)).n_best(lattice, n)[0]
                least = parse.outcome.least_cost
                assert (least is None) == (parse.stopped_by is None)
                assert least is None or least * UNIT <= best.cost_units, f"random_pair({seed}, False, 9), {most} items"
                above += bool(least)
                reached += least is not None and least * UNIT == best.cost_units > 0
    assert above > 15
    assert reached > 3


def test_net_shares_its_limit_of_items_among_the_spans_and_says_so() -> None:
    grammar = numbat.load_grammar(STARTER)
    text = "the old man in the house sees the dog near the tree with the small children in the house"
    best = Parser(grammar, valuation="net").parse(text)
    assert best.stopped_by is None
    for most in (2_500, 6_000):
        rough = Parser(grammar, valuation="net", limits=Limits(items=most)).parse(text)
        assert rough.stopped_by == f"items ({most:,})"
        assert len(rough.constituents) == 1
        assert best.weight_units - best.cost_units >= rough.weight_units - rough.cost_units > 0


@pytest.mark.parametrize(("words", "most"), [(60, 6_000), (200, 20_000), (500, 40_000)])
def test_what_is_left_of_the_items_is_for_all_spans_that_are_left(words: int, most: int) -> None:
    parser = Parser(numbat.load_grammar(STARTER), valuation="net", limits=Limits(items=most))
    parse = parser.parse("the man sees the old dog in the house " * (words // 9))
    assert parse.stopped_by == f"items ({most:,})"
    lengths = [len(list(top.words())) for top in parse.constituents]
    assert max(lengths[: len(lengths) // 2 + 1]) > 1, "the search came to the beginning of the input"
    assert len(lengths) < words / 5


SALAD = ("the", "a", "man", "dog", "house", "in", "near", "with", "sees", "chased", "old", "small", "him", "children")


def test_a_salad_beyond_the_limit_of_items_is_searched_with_few_states_and_says_so() -> None:
    grammar = numbat.load_grammar(STARTER)
    text = " ".join(Random(1).choices(SALAD, k=40))
    parser = Parser(grammar, limits=Limits(items=20_000))
    lattice = read_text(text, parser.words)
    grown = charts.Chart(lexical_costs(lattice), 40, parser.weighted, Limits(items=20_000))
    parse = parser.parse(lattice)
    assert parse.stopped_by == grown.stopped_by == "items (20,000)"
    assert parse.cost_units < grown.level
    few = Parser(grammar, limits=Limits(items=20_000, states=2)).parse(lattice)
    assert few.stopped_by in ("items (20,000)", "states (2 a span)")


def test_threads_share_a_parser() -> None:
    parser = Parser(numbat.load_grammar(STARTER))
    texts = [
        "the man in house sees the the old dog",
        "a small children sleeps",
        "John tree near",
        "she likes old books",
    ]
    alone = [Parser(parser.grammar).parse(text).to_json() for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: parser.parse(text).to_json(), texts * 10))
    assert together == alone * 10


class _Slow(dict[tuple[str, object], tuple[int, int]]):
    """A dictionary that lets other threads run between a lookup and its use."""

    def __len__(self) -> int:
        number = super().__len__()
        sleep(1e-4)
        return number


@pytest.mark.parametrize("engine", ["phases", "judge"])
def test_threads_share_an_evaluator(engine: str) -> None:
    """Two kinds of constituents never get the same number, which is the key of their cached results."""
    values = "abcdefgh"
    grammar = numbat.parse_grammar(
        f"features:\n    f: {', '.join(values)}\nleaves: D, N\nNP:\n    D < N\n    uniq {{D, N}}\n    D ~> N [f]\n"
        "lexicon:\n" + "".join(f"    {c.lower()}{v}: {c}[f={v}]\n" for c in "DN" for v in values)
    )
    texts = [f"d{one} n{other}" for one in values for other in values[:5]]

    def parsed(text: str, parser: Parser) -> object:
        one, other = text.split()
        if engine == "phases":
            return parser.parse(text).to_json()
        return judge_tree(Tree("NP", (Tree("D", (), one), Tree("N", (), other))), parser).to_json()

    alone = [parsed(text, Parser(grammar, engine="phases")) for text in texts]
    shared = Parser(grammar, engine="phases")
    shared.evaluator._kinds = _Slow()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: parsed(text, shared), texts)) == alone


def words_of(lattice: Lattice, weighted: WeightedGrammar) -> list[WordItem]:
    words = building_site(lattice).new
    return [
        (word.start, word.end, weighted.kinds.number((word.construction, word.features)), word.cost_units)
        for word in words
    ]


@pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="there is no compiled kernel here")
def test_numbers_beyond_64_bits_run_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "leaves: A, B\nroots: P\nP:\n    A < B weight 1e9\nlexicon:\n    a: A\n    b: B\n"
    calls: list[int] = []
    search = python_search.search

    def counted(tokens: int, *about: Any) -> SearchItems:
        calls.append(tokens)
        return search(tokens, *about)

    monkeypatch.setattr(python_search, "search", counted)
    parser = Parser(numbat.parse_grammar(text), valuation="net", limits=Limits(items=None))
    parse = parser.parse("a " * 100 + "b " * 100)
    assert calls == [200]
    assert parse.stopped_by is None
    assert parse.weight_units == 100 * 100 * 10**9 * UNIT > 1 << 63


SMALL = """
leaves: Det, N, V
roots: S
NP:
    uniq {Det, N}
    Det < N
    N => Det
VP:
    uniq V
    V < NP
S:
    NP < VP
    uniq {NP, VP}
lexicon:
    the: Det
    cat: N
    sees: V
    odd: Det, N, V
"""


@pytest.mark.parametrize("valuation", ["relaxation", "net"])
@pytest.mark.parametrize(
    "sentence",
    ["", "cat", "zzz", "the cat sees the cat", "odd " * 12, "zzz " * 500, "the " * 60, "cat the sees " * 6],
    ids=["empty", "one word", "unknown", "well formed", "ambiguous", "500 unknown", "60 alike", "salad"],
)
def test_an_analysis_always_comes_back(sentence: str, valuation: str) -> None:
    parse = Parser(numbat.parse_grammar(SMALL), valuation=valuation, limits=Limits(items=100_000)).parse(sentence)
    assert sum(len(list(top.words())) for top in parse.constituents) == len(sentence.split())


def test_words_that_are_thirty_ways_ambiguous() -> None:
    names = [f"C{i}" for i in range(30)]
    text = f"leaves: {', '.join(names)}\nroots: X\nX:\n" + "".join(f"    uniq {name}\n" for name in names)
    arcs = [Arc(position, position + 1, "w", name) for position in range(6) for name in names]
    parser = Parser(numbat.parse_grammar(text), limits=Limits(items=20_000))
    exact = parser.parse(Lattice(("w",) * 3, tuple(arcs[:90])))
    assert exact.is_well_formed
    assert exact.count == 30 * 29 * 28
    assert parser.parse(Lattice(("w",) * 6, tuple(arcs))).stopped_by == "items (20,000)"


def test_a_construction_with_sixty_daughters() -> None:
    grammar = numbat.parse_grammar("leaves: a, b\nroots: X\nX:\n    uniq b\n    b < a\nlexicon:\n    a: a\n    b: b\n")
    parse = Parser(grammar).parse("b" + " a" * 59)
    assert parse.is_well_formed
    assert [len(top.daughters) for top in parse.constituents] == [60]
    assert len(parse.satisfied) == 60


def test_a_thousand_words_parse_or_meet_an_announced_limit() -> None:
    recursion = sys.getrecursionlimit()
    parse = Parser(numbat.parse_grammar(SMALL), limits=Limits(items=20_000)).parse("the cat sees the cat " * 200)
    assert parse.stopped_by == "items (20,000)"
    assert sum(len(list(top.words())) for top in parse.constituents) == 1_000
    assert sys.getrecursionlimit() == recursion


def test_deep_embedding_needs_no_deep_recursion() -> None:
    parser = Parser(numbat.load_grammar("anbn"))
    parse = parser.parse("a " * 600 + "b " * 600)
    assert parse.is_well_formed
    assert parse.nodes == 600


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e10", "NaN"])
def test_weights_that_are_no_numbers_are_refused_when_the_grammar_is_read(number: str) -> None:
    with pytest.raises(GrammarError):
        numbat.parse_grammar(f"leaves: N\nNP:\n    uniq N weight {number}\n")


def test_zero_weights_and_costs() -> None:
    grammar = numbat.parse_grammar("leaves: N\nroots: NP\nnode_cost: 0\nNP:\n    uniq N weight 0\nlexicon:\n    a: N\n")
    parse = Parser(grammar).parse("a")
    assert (parse.cost_units, parse.weight_units, parse.count) == (0, 0, 1)


def test_negative_weights_need_net() -> None:
    grammar = numbat.parse_grammar("leaves: N\nNP:\n    uniq N weight -1 cost 1\n")
    with pytest.raises(UsageError) as caught:
        Parser(grammar)
    assert str(caught.value) == (
        "negative weights (<grammar>:3:5) need the valuation net\n  the valuation relaxation does not allow them"
    )


def test_an_engine_that_does_not_do_what_the_profile_asks_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        Parser(numbat.parse_grammar(SMALL), profile="paper", engine="exact")
    assert str(caught.value) == (
        "the exact engine needs H2, H5, the election per-construction and the termination exhausted\n"
        "  use --engine auto or --engine phases"
    )


def test_a_token_without_a_reading_is_refused() -> None:
    with pytest.raises(DataError, match='token 1, "a", has no reading by itself'):
        Parser(numbat.parse_grammar(SMALL)).parse(Lattice(("a",), ()))


def test_n_best_of_both_engines_have_equal_values() -> None:
    for seed in range(enough(40)):
        grammar, lattice = random_pair(seed, negative=False, longest=4)
        for valuation in ("relaxation", "net"):
            found = []
            for engine in ("exact", "phases"):
                parses = Parser(grammar, valuation=valuation, limits=FEW, engine=engine).n_best(lattice, 20)
                uncounted = [replace(parse, outcome=replace(parse.outcome, count=0)) for parse in parses]
                found.append([outcome(parse, grammar)[0] for parse in uncounted])
            assert found[0] == found[1], seed


def test_random_tokens_never_crash() -> None:
    rng = Random(7)
    parser = Parser(numbat.load_grammar(STARTER), limits=Limits(items=20_000))
    for _ in range(30):
        text = "".join(rng.choice("abc the. ,'\"()[]/|éß漢😀\t\n") for _ in range(rng.randrange(40)))
        parse = parser.parse(text)
        assert sum(len(list(top.words())) for top in parse.constituents) == len(parse.lattice.tokens) or any(
            arc.end > arc.start + 1 for arc in parse.lattice.arcs
        )
