"""Counted expansions: their file, the probabilities that they give, the search of the likeliest tree."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from itertools import product
from math import exp, inf, log
from pathlib import Path
from random import Random
from threading import Semaphore
from time import sleep
from typing import Any

import pytest
from click.testing import CliRunner

from numbat import native
from numbat.cli.main import cli
from numbat.errors import DataError, MissingFileError, UsageError
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.grammar.loading import load_grammar, parse_grammar
from numbat.grammar.properties import UNIT
from numbat.parses.job import ParseJob, Tracing
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits
from numbat.parsing.treebank_grammar import python_search
from numbat.parsing.treebank_grammar.expansions import (
    TOP,
    Expansions,
    Symbol,
    expansion_lines,
    parse_expansions,
    read_expansions,
)
from numbat.parsing.treebank_grammar.items import ScoredWord, SearchResult, Stage, TreeNode
from numbat.parsing.treebank_grammar.markov import (
    BAG,
    BARE,
    IMPOSSIBLE,
    REFINED,
    START,
    Context,
    MarkovGrammar,
    Smoothing,
    cost_of,
)
from numbat.parsing.treebank_grammar.search import search
from numbat.parsing.treebank_parser import TreebankParser
from numbat.runs.sentences import InputSentence
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.rule_counts import PENN, Refinement, count_expansions
from numbat.treebanks.trees import Tree
from numbat.words.lexical_lookup import read_text, words_of
from numbat.words.typed import read_tagged
from tests.growth import growth

TREES = """
(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N bird))))
(S (NP (D the) (N bird)) (VP (V sings)))
(S (NP (N cats)) (VP (V see) (NP (N birds)) (PP (P in) (NP (D the) (N garden)))))
(S (NP (NP (D the) (N cat)) (PP (P in) (NP (D the) (N garden)))) (VP (V sleeps)))
"""
EXACT: tuple[Context, ...] = (lambda phrase, history: (phrase, history),)
PURE = Smoothing(memory=99, types=0.0, rest=0.0, costliest_start=99.0)


def trees(text: str = TREES) -> list[Tree]:
    found = list(read_brackets(text.splitlines(), "trees.mrg"))
    assert all(isinstance(each, Tree) for each in found)
    return [each for each in found if isinstance(each, Tree)]


# counting


def test_expansions_know_the_label_above_and_details_below() -> None:
    text = "(S (NP (NP (NNP Al) (POS 's)) (NN cat)) (VP (VBZ is) (VP (VBG sleeping)))) (S (VP (VB go)))"
    assert list(expansion_lines(count_expansions(trees(text), frequent=2, least=1, refinement=PENN))) == [
        "# numbat expansions/1",
        "1\tNP^NP~base.possessive\tNNP POS",
        "1\tNP^S\tNP^NP~base.possessive NN",
        "1\tS^TOP~VB.unary\tVP^S~VB",
        "1\tS^TOP~finite\tNP^S VP^S~finite",
        "1\tVP^S~VB\tVB",
        "1\tVP^S~finite\tVBZ VP^VP~VBG",
        "1\tVP^VP~VBG\tVBG",
    ]


def test_frequent_forms_are_categories_and_rare_details_go() -> None:
    refinement = Refinement(bases=frozenset({"NP"}))
    found = count_expansions(trees(), frequent=3, least=2, refinement=refinement)
    assert dict(found.counts)[Symbol("NP", "PP", "base"), (Symbol("D", "", "the"), Symbol("N"))] == 2
    assert Symbol("D", "", "the") in found.leaves
    assert Symbol("D", "", "a") not in found.leaves
    assert {phrase for phrase in found.phrases if phrase.label == "NP"} == {
        Symbol("NP", "NP"),  # once only
        Symbol("NP", "PP", "base"),
        Symbol("NP", "S"),
        Symbol("NP", "S", "base"),
        Symbol("NP", "VP", "base"),
    }
    assert found.roots == ((Symbol("S", TOP), 4),)


def test_a_label_of_phrases_and_words_is_named_as_induction_names_it() -> None:
    found = count_expansions(trees("(S (N (N cat) (N fish)) (V swims))"), least=1)
    assert found.labels == ("N-P", "S")


# the file


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    odd = "(S (A^B (D/E x/y) (F~ %)) (G a^b) (G a^b))"
    for text in (TREES, odd):
        found = count_expansions(trees(text), frequent=1, least=1)
        path = tmp_path / "trees.exp"
        path.write_text("".join(f"{line}\n" for line in expansion_lines(found)), encoding="utf-8")
        assert read_expansions(str(path)) == found


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["S: NP VP"], 'a.exp:1: not a file of expansions\n  its first line is "# numbat expansions/1"'),
        (
            ["# numbat expansions/1", "", "x\tS^TOP\tNP^S"],
            "a.exp:3:1: not an expansion: its count must be a whole number above 0 with at most 18 digits\n"
            "    x\tS^TOP\tNP^S\n    ^\n  write three cells separated by tabs, as in 17, NP^S, DT NN",
        ),
        (
            ["# numbat expansions/1", "2\tS\tN"],
            "a.exp:2:3: not an expansion: the second cell must be a phrase with the label above it\n"
            "    2\tS\tN\n     \t^\n  write three cells separated by tabs, as in 17, NP^S, DT NN",
        ),
        (
            ["# numbat expansions/1", "9" * 5000 + "\tS^TOP\tNP^S"],
            "a.exp:2:1: not an expansion: its count must be a whole number above 0 with at most 18 digits\n"
            "  write three cells separated by tabs, as in 17, NP^S, DT NN",
        ),
        (
            ["# numbat expansions/1"],
            "a.exp: the file has no expansions\n  count some with numbat expansions TREES -o FILE",
        ),
    ],
)
def test_a_file_that_cannot_be_understood(lines: list[str], message: str) -> None:
    with pytest.raises(DataError) as raised:
        parse_expansions(lines, "a.exp")
    assert str(raised.value) == message


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(MissingFileError) as raised:
        read_expansions("no/such.exp")
    assert str(raised.value) == "no/such.exp: cannot be read: No such file or directory"


# probabilities


def test_relative_frequencies_by_hand() -> None:
    grammar = MarkovGrammar(count_expansions(trees(), frequent=99).coarse(), EXACT, PURE)
    phrase, columns = Symbol("NP", "*"), grammar.columns["NP"]
    start = dict(zip(columns, grammar.probabilities.distribution(phrase, (START,)), strict=False))
    assert start[Symbol("D")] == pytest.approx(6 / 9)
    assert start[Symbol("N")] == pytest.approx(2 / 9)
    assert start[phrase] == pytest.approx(1 / 9)
    assert grammar.probabilities.stop_probability(phrase, (START, Symbol("D"), Symbol("N"))) == 1.0
    assert grammar.probabilities.stop_probability(phrase, (START, phrase)) == 0.0


def test_witten_bell_by_hand() -> None:
    """VP after V: of 4, 2 stop and 2 continue with NP; two types, so 4 / (4 + 2) for the counts with types = 1."""
    grammar = MarkovGrammar(
        count_expansions(trees(), frequent=99).coarse(), BARE, Smoothing(memory=1, types=1.0, rest=0.0)
    )
    phrase = Symbol("VP", "*")
    share = 2 / (4 + 2)
    bag = 4 / (4 + 2 + 1 + 4)  # V, NP, PP, stop
    assert grammar.probabilities.stop_probability(phrase, (Symbol("V"),)) == pytest.approx(
        (1 - share) / 2 + share * bag
    )


@pytest.mark.parametrize("contexts", [REFINED, BARE, BAG])
def test_probabilities_add_up_to_one(contexts: tuple) -> None:  # type: ignore[type-arg]
    grammar = MarkovGrammar(count_expansions(trees(), frequent=2, least=1), contexts)
    for phrase, history in grammar.states:
        likely = grammar.probabilities.distribution(phrase, history)
        assert sum(likely) == pytest.approx(1.0)
        assert min(likely) > 0
        assert likely[-1] == pytest.approx(grammar.probabilities.stop_probability(phrase, history))


@pytest.mark.parametrize("memory", [0, 1, 2, 3])
def test_rows_say_what_distributions_say(memory: int) -> None:
    grammar = MarkovGrammar(count_expansions(trees(), frequent=2, least=1), REFINED, Smoothing(memory=memory))
    for (phrase, history), state in grammar.states.items():
        costs, nexts = grammar.row(state)
        likely = grammar.probabilities.distribution(phrase, history)[:-1]
        assert list(costs) == pytest.approx([cost_of(each) for each in likely], abs=10)
        assert list(nexts) == [grammar.next_state(phrase, history, each) for each in grammar.columns[phrase.label]]


# the search


def random_trees(random: Random, number: int = 12) -> list[Tree]:
    def grow(depth: int) -> Tree:
        if depth == 0 or random.random() < 0.4:
            tag = random.choice("ab")
            return Tree(tag, (), random.choice(["u", "v", "w"]))
        return Tree(random.choice("XYZ"), tuple(grow(depth - 1) for _ in range(random.choice([1, 2, 2, 3]))))

    return [Tree("S", tuple(grow(3) for _ in range(random.choice([1, 2, 3])))) for _ in range(number)]


def offered(grammar: MarkovGrammar, tags: list[str]) -> list[ScoredWord]:
    return [
        ScoredWord(i, i + 1, grammar.number.get(Symbol(tag), len(grammar.symbols) - 1), 0, i)
        for i, tag in enumerate(tags)
    ]


def cheapest(grammar: MarkovGrammar, tags: list[str], limit: int) -> float:
    """Return the cost of the cheapest of all derivations, by a separate recursion over spans, symbols and depths."""
    tables = grammar.tables
    known: dict[tuple[int, int, int, int], float] = {}

    def done(start: int, end: int, symbol: int, depth: int) -> float:
        key = start, end, symbol, depth
        if key not in known:
            phrase = grammar.symbols[symbol]
            if not phrase.is_phrase:
                known[key] = 0 if depth == 0 and end == start + 1 and Symbol(tags[start]) == phrase else inf
            elif depth == 0:
                known[key] = inf
            else:
                known[key] = rest(start, start, end, symbol, (START,), depth)
        return known[key]

    def best(start: int, end: int, symbol: int) -> float:
        return min(done(start, end, symbol, depth) for depth in range(limit + 1))

    def cost(phrase: Symbol, history: tuple[Symbol, ...], daughter: int) -> float:
        column = grammar.columns[phrase.label]
        if grammar.symbols[daughter] not in column:
            return inf
        likely = grammar.probabilities.distribution(phrase, history)[column.index(grammar.symbols[daughter])]
        return round(-log(likely) * UNIT) if likely > 1e-12 else inf

    def rest(first: int, at: int, end: int, symbol: int, history: tuple[Symbol, ...], depth: int) -> float:
        phrase, least = grammar.symbols[symbol], inf
        number = grammar.states.get((phrase, history), grammar.states.get((phrase, history[-1:])))
        number = grammar.states[phrase, ()] if number is None else number
        seen = list(grammar.states)[number][1]
        if at == end:
            stop = tables.accept_cost[number]
            return inf if stop == IMPOSSIBLE else stop
        for daughter, each in enumerate(grammar.symbols):
            for middle in range(at + 1, end + 1):
                only = at == first and middle == end
                if only and each.is_phrase and each.label == phrase.label:
                    continue
                if not only and depth != 1:
                    continue
                inner = done(at, middle, daughter, depth - 1) if only else best(at, middle, daughter)
                if inner == inf or (step := cost(phrase, seen, daughter)) == inf:
                    continue
                longer = (*seen, each.plain)[-grammar.smoothing.memory :]
                least = min(least, inner + step + rest(first, middle, end, symbol, longer, depth))
        return least

    roots = [(symbol, cost) for symbol, cost in enumerate(tables.root_cost) if cost != IMPOSSIBLE]
    return min(best(0, len(tags), symbol) + cost for symbol, cost in roots)


@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_the_cheapest_of_all_derivations(seed: int) -> None:
    random = Random(seed)
    expansions = count_expansions(random_trees(random, 4), frequent=99, least=1)
    grammar = MarkovGrammar(expansions, REFINED, Smoothing(costliest_start=99.0))
    tags = [random.choice("ab") for _ in range(3)]
    found = search([Stage(grammar, offered(grammar, tags))], len(tags), 2, 10**12)
    assert found.cost == pytest.approx(cheapest(grammar, tags, 2), abs=50)  # rounded to 1e-6 once or twice a step


def stages(expansions: Expansions, tags: list[str], prune: int) -> list[Stage]:
    bag, bare = MarkovGrammar(expansions.coarse(), BAG, Smoothing(memory=0)), MarkovGrammar(expansions.coarse(), BARE)
    fine = MarkovGrammar(expansions, REFINED)
    return [
        Stage(bag, offered(bag, tags), 2 * prune),
        Stage(bare, offered(bare, tags), prune),
        Stage(fine, offered(fine, tags)),
    ]


@pytest.mark.skipif(native.load(native.TREEBANK_SEARCH) is None, reason="the compiled search is not built")
@pytest.mark.parametrize("seed", range(12))
def test_the_compiled_search_finds_what_the_one_in_python_finds(seed: int) -> None:
    random = Random(seed)
    expansions = count_expansions(random_trees(random), frequent=99, least=1)
    tags = [random.choice("abbc" if seed % 4 == 0 else "ab") for _ in range(random.choice([1, 4, 7]))]
    for prune in (0, UNIT, 4 * UNIT):
        passes = stages(expansions, tags, prune)
        for chosen in (passes[:1], passes[2:], passes):
            assert search(chosen, len(tags), 3, 10**9) == python_search.search(chosen, len(tags), 3, 10**9)


@pytest.mark.parametrize("seed", range(8))
def test_pruning_never_finds_anything_better_and_wide_pruning_finds_the_optimum(seed: int) -> None:
    random = Random(seed)
    expansions = count_expansions(random_trees(random), frequent=99, least=1)
    tags = [random.choice("ab") for _ in range(6)]
    fine = stages(expansions, tags, 0)[2:]
    best = search(fine, 6, 3, 10**12)
    costs = [search(stages(expansions, tags, each * UNIT), 6, 3, 10**12).cost for each in (0, 1, 3, 60)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == best.cost
    assert all(cost >= best.cost for cost in costs)


def test_pure_counts_give_the_likeliest_tree_of_nltk() -> None:
    nltk = pytest.importorskip("nltk")
    tags = ["D", "N", "V", "N", "P", "D", "N"]
    expansions = count_expansions(trees(), frequent=99).coarse()
    rules = [
        nltk.ProbabilisticProduction(
            nltk.Nonterminal(phrase.label),
            [nltk.Nonterminal(each.label) if each.is_phrase else each.label for each in daughters],
            prob=count / expansions.phrases[phrase],
        )
        for (phrase, daughters), count in expansions.counts
    ]
    (expected,) = nltk.ViterbiParser(nltk.PCFG(nltk.Nonterminal("S"), rules)).parse(tags)
    grammar = MarkovGrammar(expansions, EXACT, PURE)
    found = search([Stage(grammar, offered(grammar, tags))], len(tags), 3, 10**12)
    assert found.is_tree
    assert exp(-found.cost / UNIT) == pytest.approx(expected.prob(), rel=1e-4)


def test_where_there_is_no_tree_a_row_of_fragments_covers() -> None:
    grammar = MarkovGrammar(count_expansions(trees(), frequent=99).coarse(), EXACT, PURE)
    tags = ["D", "N", "P", "D", "N"]
    found = search([Stage(grammar, offered(grammar, tags))], len(tags), 3, 10**12)
    labels = [grammar.symbols[symbol].label for symbol, _, _ in found.nodes]
    assert (found.is_tree, labels) == (False, ["NP", "NP", "D", "N", "PP", "P", "NP", "D", "N"])


# parsing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cats.mrg").write_text(TREES, encoding="utf-8")
    runner = CliRunner()
    done = runner.invoke(cli, ["induce", str(tmp_path / "cats.mrg"), "-o", str(tmp_path / "cats.pg"), "--support", "1"])
    assert done.exit_code == 0, done.output
    done = runner.invoke(cli, ["expansions", str(tmp_path / "cats.mrg"), "-o", str(tmp_path / "cats.exp")])
    assert done.exit_code == 0, done.output
    return tmp_path


def treebank_parser(folder: Path, limits: Limits | None = None) -> TreebankParser:
    expansions = read_expansions(str(folder / "cats.exp"))
    return TreebankParser(load_grammar(str(folder / "cats.pg")), expansions, limits=limits)


def test_a_parse_is_the_likeliest_tree_judged_by_the_grammar(folder: Path) -> None:
    grammar = load_grammar(str(folder / "cats.pg"))
    parser = TreebankParser(grammar, read_expansions(str(folder / "cats.exp")), prune=None)
    parse = parser.parse(read_tagged("the/D cat/N sees/V a/D bird/N in/P the/D garden/N", words_of(grammar)))
    assert parse.to_brackets() == (
        "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N bird)) (PP (P in) (NP (D the) (N garden)))))"
    )
    assert parse.is_full
    assert (parse.outcome.engine, parse.election, parse.stopped_by) == ("expansions", "likeliest", None)
    again = [
        evaluated_phrase(grammar.constructions[i], each.daughters, parser.evaluator).characterization
        for each in parse.constituents[0].walk()
        for i, form in enumerate(grammar.constructions)
        if form.name == each.construction and each.daughters
    ]
    assert again == [each.characterization for each in parse.constituents[0].walk() if each.daughters]
    assert parse.cost_units == sum(evaluated.property.cost_units for evaluated in parse.violated)


@pytest.mark.parametrize("tags", ["P", "V V", "N P", "P P P V D D"])
def test_every_sentence_has_an_analysis(folder: Path, tags: str) -> None:
    grammar = load_grammar(str(folder / "cats.pg"))
    parser = TreebankParser(grammar, read_expansions(str(folder / "cats.exp")))
    parse = parser.parse(read_tagged(" ".join(f"x/{tag}" for tag in tags.split()), words_of(grammar)))
    assert [word.construction for top in parse.constituents for word in top.words()] == tags.split()
    assert parse.is_full == (parse.fragment_cost_units == 0)


@pytest.mark.parametrize(("how", "limit"), [(search, 1_000_000_000), (python_search.search, 10_000_000)])
def test_a_high_unary_limit_takes_no_time(how: Callable[..., SearchResult], limit: int) -> None:
    grammar = MarkovGrammar(count_expansions(trees("(S (NP (N cats)) (VP (V sleep)))"), least=1), EXACT, PURE)
    words = [ScoredWord(at, at + 1, grammar.number[Symbol(tag)], 0, at) for at, tag in enumerate("NV")]
    low = how([Stage(grammar, words)], 2, 3, UNIT)
    assert low.is_tree
    assert growth(lambda size: how([Stage(grammar, words)], 2, size, UNIT), 3, limit // 3) < 24
    assert how([Stage(grammar, words)], 2, limit, UNIT) == low


def test_threads_search_one_after_the_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search fills tables that other threads must not change."""
    grammar = load_grammar(str(folder / "cats.pg"))
    parser = TreebankParser(grammar, read_expansions(str(folder / "cats.exp")), prune=None)
    inside = Semaphore()

    def alone(*arguments: Any) -> SearchResult:
        assert inside.acquire(blocking=False)
        sleep(0.001)
        found = search(*arguments)
        inside.release()
        return found

    monkeypatch.setattr("numbat.parsing.treebank_grammar.search.search", alone)
    text = read_tagged("the/D cat/N sees/V a/D bird/N", words_of(grammar))
    with ThreadPoolExecutor(4) as pool:
        assert len({parse.to_brackets() for parse in pool.map(parser.parse, [text] * 8)}) == 1


def test_what_expansions_cannot_do(folder: Path) -> None:
    grammar = load_grammar(str(folder / "cats.pg"))
    parser = TreebankParser(grammar, read_expansions(str(folder / "cats.exp")))
    sentence = InputSentence("1", read_text("the cat", parser.words))
    with pytest.raises(UsageError) as raised:
        ParseJob(parser, 1, Tracing(print))(sentence)
    assert str(raised.value) == (
        "a trace shows the eight phases, but expansions find the likeliest tree without them\n"
        "  leave the trace or the expansions out"
    )
    with pytest.raises(TypeError):
        Parser(grammar, expansions=parser.expansions)  # type: ignore[call-arg]
    with pytest.raises(UsageError) as raised:
        TreebankParser(load_grammar("english"), count_expansions(trees("(S (QQ (N cat)))"), least=1))
    assert str(raised.value) == (
        "the expansions have the phrase QQ, which the grammar does not have\n"
        "  induce the grammar from the same trees, with the same --punctuation"
    )
    with pytest.raises(UsageError) as raised:
        TreebankParser(load_grammar("english"), count_expansions(trees("(S (NP (DT a) (NN cat)))"), least=1))
    assert str(raised.value) == (
        "the expansions have words of the categories DT, NN, none of which the grammar has\n"
        "  induce the grammar from the same trees"
    )


def test_the_command_line_parses_and_scores(folder: Path) -> None:
    arguments = ["--from", "ptb", "-i", str(folder / "cats.mrg"), "-f", "bracket", "--gold"]
    chosen = ["-g", str(folder / "cats.pg"), "--expansions", str(folder / "cats.exp"), "--prune", "0"]
    done = CliRunner().invoke(cli, ["parse", *chosen, *arguments])
    assert done.exit_code == 0, done.output
    assert done.stdout.split("\n")[:4] == TREES.strip().split("\n")
    assert "labelled                  100.00" in done.stderr


def test_counting_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.mrg").write_text("\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["expansions", str(tmp_path / "empty.mrg")])
    assert isinstance(done.exception, DataError)
    assert str(done.exception).endswith(
        "empty.mrg: no tree to count\n  give a file of trees, with --from if its format is not recognised"
    )


def test_words_of_unknown_category_are_fragments() -> None:
    expansions = count_expansions(trees(), frequent=99)
    grammar = MarkovGrammar(expansions, REFINED)
    found: SearchResult = search([Stage(grammar, offered(grammar, ["Q"]))], 1, 3, UNIT)
    assert found == SearchResult(UNIT, False, [TreeNode(len(grammar.symbols) - 1, 0, 0)], 1)


# limits


def countdown(calls: int) -> Callable[[], bool]:
    """Return a clock that is overdue after some calls."""
    left = iter([False] * calls)
    return lambda: next(left, True)


@pytest.mark.skipif(native.load(native.TREEBANK_SEARCH) is None, reason="the compiled search is not built")
@pytest.mark.parametrize("seed", range(8))
def test_both_searches_stop_at_the_same_limit_with_the_same_fragments(seed: int) -> None:
    random = Random(seed)
    expansions = count_expansions(random_trees(random), frequent=99, least=1)
    tags = [random.choice("ab") for _ in range(6)]
    passes = stages(expansions, tags, 2 * UNIT)
    whole = search(passes, 6, 3, 10**9)
    stopped = 0
    for most in (0, 1, 7, whole.items // 4, whole.items // 2, whole.items - 3, whole.items, whole.items + 1):
        for slack in (-1, UNIT):
            found = search(passes, 6, 3, 10**9, slack, most)
            assert found == python_search.search(passes, 6, 3, 10**9, slack, most)
            assert sorted(node.word for node in found.nodes if node.word >= 0) == list(range(6))
            assert found.stopped_by in (None, "items")
            stopped += found.stopped_by == "items"
    assert stopped > 8
    for calls in range(0, 80, 7):
        for slack in (-1, UNIT):
            found = search(passes, 6, 3, 10**9, slack, None, countdown(calls))
            assert found == python_search.search(passes, 6, 3, 10**9, slack, None, countdown(calls))
            assert sorted(node.word for node in found.nodes if node.word >= 0) == list(range(6))
            assert found.stopped_by in (None, "seconds")
            assert found.stopped_by or found == search(passes, 6, 3, 10**9, slack)


@pytest.mark.parametrize("limits", [Limits(items=1), Limits(items=40), Limits(items=None, seconds=1e-9)])
def test_a_limit_that_is_met_is_named_and_the_words_are_there(folder: Path, limits: Limits) -> None:
    parser = treebank_parser(folder, limits)
    text = read_tagged("the/D cat/N sees/V a/D bird/N in/P the/D garden/N", parser.words)
    for parse in parser.n_best(text, 5):
        assert parse.stopped_by == limits.describe("items" if limits.items else "seconds")
        assert parse.summary().endswith(f"stopped by the limit on {parse.stopped_by}")
        assert not parse.is_full
        words = [word for top in parse.constituents for word in top.words()]
        assert [word.construction for word in words] == ["D", "N", "V", "D", "N", "P", "D", "N"]


def test_words_beyond_a_limit_cost_no_more_than_their_number_of_spans(folder: Path) -> None:
    """Eight times the words have 64 times the spans; to look through all words for each span was 512 times the work."""
    parser = treebank_parser(folder)

    def parse(words: int) -> None:
        lattice = read_tagged("the/D cat/N " * (words // 2), parser.words)
        assert parser.parse(lattice, overdue=lambda: True).stopped_by == "seconds"

    assert growth(parse, 300, limit=150) < 150


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (10**18, "1000000000000000000"),
        (-(10**18), "-1000000000000000000"),
        (2**100, "a number of 101 bits"),
        (0, "0"),
        (1.5, "1.5"),
        (inf, "inf"),
        (True, "True"),
    ],
)
def test_a_count_that_no_cost_can_be_made_of_is_refused_where_it_enters(count: Any, told: str) -> None:
    rule = Symbol("NP", "TOP"), (Symbol("D"), Symbol("N"))
    with pytest.raises(DataError) as caught:
        Expansions(((rule, count),), ((rule[0], 1),))
    assert str(caught.value) == (
        f'expansions: the count of "NP^TOP D N" is {told}\n'
        "  it must be a whole number from 1 to 999,999,999,999,999,999"
    )
    with pytest.raises(DataError, match=r'the count of "NP\^TOP" is'):
        Expansions(((rule, 1),), ((rule[0], count),))


def test_limits_that_are_not_met_change_nothing(folder: Path) -> None:
    text = "the/D cat/N sees/V a/D bird/N in/P the/D garden/N"
    free, bound = treebank_parser(folder), treebank_parser(folder, Limits(items=100_000, seconds=600))
    lattice = read_tagged(text, free.words)
    assert bound.n_best(lattice, 5) == free.n_best(lattice, 5)
    assert free.parse(lattice, overdue=lambda: True).stopped_by == "seconds"
    assert free.limits.items == 3_000_000


def test_a_limit_met_while_looking_for_more_trees_leaves_those_that_were_found(folder: Path) -> None:
    parser = treebank_parser(folder)
    lattice = read_tagged("the/D cat/N sees/V a/D bird/N in/P the/D garden/N", parser.words)
    every = parser.n_best(lattice, 50)
    for items in range(100, 4_000, 150):
        found = treebank_parser(folder, Limits(items=items)).n_best(lattice, 50)
        if found[0].is_full and found[0].stopped_by:
            break
    assert found[0].stopped_by == f"items ({items:,})"
    assert [parse.to_brackets() for parse in found] == [parse.to_brackets() for parse in every[: len(found)]]


def test_a_clock_that_is_up_while_looking_for_more_trees_leaves_those_that_were_found(folder: Path) -> None:
    parser = treebank_parser(folder)
    lattice = read_tagged("the/D cat/N sees/V a/D bird/N in/P the/D garden/N", parser.words)
    every = [parse.to_brackets() for parse in parser.n_best(lattice, 20)]
    found = [parser.n_best(lattice, 20, countdown(calls)) for calls in range(0, 400, 9)]
    assert all(each[0].stopped_by in ("seconds", None) for each in found)
    assert {"seconds"} < {each[0].stopped_by for each in found} | {None}
    full = [each for each in found if each[0].is_full]
    assert {len(each) for each in full} > {1}
    for each in full:
        assert [parse.to_brackets() for parse in each] == every[: len(each)]
        assert each[0].stopped_by == "seconds" or len(each) == len(every)


def test_the_command_line_bounds_the_search(folder: Path) -> None:
    chosen = ["-g", str(folder / "cats.pg"), "--expansions", str(folder / "cats.exp"), "-f", "bracket", "--tagged"]
    for limit, told in (("--max-items", "items (20)"), ("--max-seconds", "seconds (20)")):
        done = CliRunner().invoke(cli, ["parse", *chosen, limit, "20", "the/D cat/N sleeps/V"])
        assert done.exit_code == 0
        stopped = f"numbat: 1: stopped by the limit on {told}" in done.stderr
        assert stopped == (limit == "--max-items")


def test_a_treebank_parser_is_shown_and_pickled_as_what_it_was_made_of(folder: Path) -> None:
    parser = treebank_parser(folder, Limits(items=77))
    assert repr(parser) == "<TreebankParser cats, pruned by 6, properties 0>"
    lattice = read_tagged("the/D cat/N sleeps/V", parser.words)
    parser.parse(lattice)
    for other in (pickle.loads(pickle.dumps(parser)), deepcopy(parser)):
        assert other.parse(lattice) == parser.parse(lattice)
        assert (other.limits, other.prune, other.properties) == (parser.limits, 6.0, 0.0)


def test_nothing_to_parse(folder: Path) -> None:
    parse = treebank_parser(folder).parse("")
    assert (parse.constituents, parse.outcome.engine, parse.stopped_by) == ((), "expansions", None)


# Readings that differ in their features alone

AGREEING = """
leaves: D, A, N, V
roots: S
features: {number: [sg, pl], gender: [m, f]}
S:
    oblig V
    NP ~> V [number] cost 2
NP:
    oblig N
    D ~> N [number, gender] cost 3
    A ~> N [number] cost 1.5
    D < A
"""


def agreeing_grammar(random: Random) -> str:
    """Return the grammar with words whose readings differ in number, gender and weight."""
    lines = []
    for form, category in (("d", "D"), ("a", "A"), ("n", "N"), ("m", "N"), ("v", "V")):
        pairs = [(number, gender) for number in ("sg", "pl") for gender in ("m", "f")]
        chosen = random.sample(pairs, random.randint(1, 4))
        readings = [f"{category}[number={n}, gender={g}] weight {random.randint(1, 9)}" for n, g in chosen]
        lines.append(f"    {form}: {', '.join(readings)}")
    return AGREEING.replace("{number: [sg, pl], gender: [m, f]}", "\n    number: sg, pl\n    gender: m, f") + (
        "lexicon:\n" + "\n".join(lines) + "\n"
    )


@pytest.mark.parametrize("seed", range(12))
def test_readings_that_differ_in_features_are_those_that_cost_least_together(seed: int) -> None:
    """Expansions know no features; violations and readings decide, as an enumeration of all readings finds."""
    text = "(S (NP (D d) (A a) (N n)) (V v)) (S (NP (D d) (N m)) (V v)) (S (NP (N n)) (V v))"
    grammar = parse_grammar(agreeing_grammar(Random(seed)))
    parser = TreebankParser(grammar, count_expansions(trees(text), frequent=9, least=1))
    for sentence in ("d a n v", "d m v", "n v"):
        lattice = read_text(sentence, parser.words)
        costs = []
        readings = [[arc for arc in lattice.arcs if arc.start == place] for place in range(len(lattice.tokens))]
        best = [max(arc.log_weight for arc in those) for those in readings]
        for chosen in product(*readings):
            read = sum(round((top - arc.log_weight) * UNIT) for top, arc in zip(best, chosen, strict=True))
            costs.append(read + parser.parse(replace(lattice, arcs=chosen)).violation_cost_units)
        (top,) = parser.parse(lattice).constituents
        assert top.cost_units == pytest.approx(min(costs), abs=20)


def test_readings_that_differ_in_features_count_as_one_category() -> None:
    """V is the likeliest reading of x, but those as N together are likelier."""
    text = "leaves: N, V\nroots: S\nfeatures:\n    number: sg, pl\nS:\n    oblig {N, V}\nlexicon:\n"
    words = "    x: V weight 3, N[number=sg] weight 2, N[number=pl] weight 2\n    y: V\n    z: N\n"
    counted = count_expansions(trees("(S (N z)) (S (V y))"), frequent=9, least=1)
    parser = TreebankParser(parse_grammar(text + words), counted)
    assert parser.parse("x").to_brackets() == "(S (N x))"
