"""Speed, and agreement with peers on the optimum; not part of the ordinary test run, and without assertions about time.

Run `python -m pytest tests/bench -n0` in an environment with the extra `bench`; SWI-Prolog is installed separately.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import pytest

from numbat import native
from numbat.grammar.loading import load_grammar
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import VALUATIONS, Limits
from numbat.words.lexical_lookup import read_text
from tests.bench.grammars import of_six_constructions
from tests.bench.measuring import RECORDS, Record, numbat_search, search_alone, whole_call
from tests.bench.peers import chr
from tests.bench.peers.problem import Answer, Problem, bare, problem
from tests.bench.sentences import CORRUPTED, LENGTHS, Kind, sentences

pytest.importorskip("pytest_benchmark", reason="the extra bench is not installed: pip install 'numbat-pg[bench]'")

MAX_SECONDS = 60.0
"""For one sentence and peer; a peer is not asked again once it ran out of time."""


@pytest.fixture(scope="module")
def english() -> Grammar:
    return load_grammar("english")


@pytest.fixture(scope="module")
def starter() -> Grammar:
    """A small grammar that does not change, so that peers are always measured on the same problem."""
    return load_grammar(Path(__file__).parents[1] / "starter" / "starter.pg")


@pytest.fixture(scope="module")
def parsers(english: Grammar) -> dict[str, Parser]:
    """A parser for each valuation, shared, so that automata are warm as in a long run."""
    return {name: Parser(english, valuation=name) for name in VALUATIONS}


def measured(
    benchmark: Any, name: str, kind: str, words: int, call: Callable[[Any], object], inputs: list[Any]
) -> None:
    """The median over all inputs and rounds, after each was run once; slow ones run in one round only."""
    began = perf_counter()
    for one in inputs:
        call(one)
    rounds = 3 if perf_counter() - began < 3 else 1
    turn = cycle(inputs)
    benchmark.pedantic(call, setup=lambda: ((next(turn),), {}), rounds=rounds * len(inputs))
    state = native.kernel(native.EXACT_SEARCH).state
    RECORDS.append(Record(name, kind, words, benchmark.stats.stats.median * 1000, note=state))


def of_kind(kind: str, words: int) -> list[str]:
    """Few of the long sentences, so that a run stays short."""
    number = 6 if words <= 40 else 3
    if kind == "corrupted":
        return [text for one in CORRUPTED for text in sentences(words, one, number // 3)]
    return sentences(words, "salad" if kind == "salad" else "well-formed", number)


@pytest.mark.parametrize("words", LENGTHS)
def test_the_sentences_are_well_formed(english: Grammar, words: int) -> None:
    parser = Parser(english)
    for text in sentences(words, "well-formed"):
        assert len(text.split()) == words
        assert parser.parse(text).is_well_formed, text


@pytest.mark.parametrize("kind", ["well-formed", "corrupted", "salad"])
@pytest.mark.parametrize(
    ("valuation", "words"),
    [("relaxation", n) for n in (8, 10, 20, 40, 60, 100)] + [("net", n) for n in (8, 10, 15, 20)],
)
@pytest.mark.parametrize("what", ["whole call", "search alone"])
def test_numbat(benchmark: Any, parsers: dict[str, Parser], what: str, valuation: str, kind: str, words: int) -> None:
    parser = parsers[valuation]
    texts = of_kind(kind, words)
    if what == "whole call":
        measured(benchmark, f"{what}, {valuation}", kind, words, lambda text: whole_call(parser, text), texts)
    else:
        lattices = [read_text(text, parser.words) for text in texts]
        measured(benchmark, f"{what}, {valuation}", kind, words, lambda given: search_alone(parser, given), lattices)


@pytest.mark.parametrize("kind", ["well-formed", "swapped"])
@pytest.mark.parametrize("words", [8, 20])
def test_six_constructions_under_net(benchmark: Any, starter: Grammar, kind: Kind, words: int) -> None:
    """Without a limit: to the optimum."""
    parser = Parser(of_six_constructions(starter), valuation="net", limits=Limits(items=None))
    assert (len(parser.grammar.constructions), len(parser.grammar.properties)) == (6, 63)
    texts = [text for text in sentences(words, kind, 60) if "and" not in text.split()][:15]
    lattices = [read_text(text, parser.words) for text in texts]
    measured(
        benchmark, "search alone, net, 63 properties", kind, words, lambda given: search_alone(parser, given), lattices
    )


@pytest.mark.parametrize("kind", ["well-formed", "corrupted"])
@pytest.mark.parametrize(("valuation", "words"), [("relaxation", 8), ("relaxation", 20), ("net", 8)])
def test_without_a_compiler(
    benchmark: Any, english: Grammar, valuation: str, kind: str, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBAT_KERNEL", "python")
    parser = Parser(english, valuation=valuation)
    lattices = [read_text(text, parser.words) for text in of_kind(kind, words)]
    measured(benchmark, f"search alone, {valuation}", kind, words, lambda given: search_alone(parser, given), lattices)


def test_the_phases_engine(benchmark: Any, starter: Grammar) -> None:
    parser = Parser(starter, engine="phases")
    measured(
        benchmark, "phases engine", "well-formed", 7, lambda t: whole_call(parser, t), sentences(7, "well-formed", 3)
    )


# The same problem for all: starter.pg without features, the least cost (tests/bench/peers/problem.py).


def side_by_side(
    starter: Grammar, name: str, kind: Kind, words: int, solve: Callable[[Problem], Answer], exact: bool = True
) -> None:
    grammar = bare(starter)
    texts = sentences(words, kind, 3)
    ours = numbat_search(Parser(grammar), texts)
    theirs: list[Answer] = []
    for text in texts:
        theirs.append(solve(problem(grammar, text)))
        if theirs[-1].cost is None:
            break
    pairs = list(zip(theirs, ours, strict=False))
    if exact:
        assert [answer.cost for answer, ours_too in pairs if answer.cost is not None] == [
            ours_too.cost for answer, ours_too in pairs if answer.cost is not None
        ]
    solved = sum(answer.cost is not None for answer in theirs)
    equal = sum(answer.cost == ours_too.cost for answer, ours_too in pairs)
    note = f"optimum in {equal} of {len(theirs)}" + (
        "" if solved == len(theirs) else f"; out of time: at least {MAX_SECONDS:g} s"
    )
    RECORDS.append(
        Record(name, kind, words, median(a.milliseconds for a in theirs), median(a.milliseconds for a in ours), note)
    )


PEERS = pytest.mark.parametrize("kind", ["well-formed", "swapped"])


@PEERS
@pytest.mark.parametrize(
    ("way", "words"),
    [("exact", 6), ("exact", 7), ("exact", 8), ("pruned", 8), ("pruned", 12), ("greedy", 8), ("greedy", 20)],
)
def test_prolog_chr(starter: Grammar, way: str, kind: Kind, words: int) -> None:
    if not chr.is_here():
        pytest.skip("swipl is not on the path: apt-get install swi-prolog-nox")
    side_by_side(starter, f"CHR, {way}", kind, words, lambda p: chr.solve(p, MAX_SECONDS, way), exact=way != "greedy")


@PEERS
@pytest.mark.parametrize("words", [8, 20])
def test_clingo(starter: Grammar, kind: Kind, words: int) -> None:
    pytest.importorskip("clingo", reason="clingo is not installed: pip install clingo")
    from tests.bench.peers import asp

    side_by_side(starter, "clingo", kind, words, lambda given: asp.solve(given, MAX_SECONDS))


@PEERS
@pytest.mark.parametrize("words", [5, 8])
def test_cp_sat(starter: Grammar, kind: Kind, words: int) -> None:
    """Not of 20 words: that model has 1.4 million constraints and takes a quarter of a minute to make."""
    pytest.importorskip("ortools", reason="OR-Tools is not installed: pip install ortools")
    from tests.bench.peers import sat

    side_by_side(starter, "CP-SAT", kind, words, lambda given: sat.solve(given, MAX_SECONDS))


@pytest.mark.parametrize("words", [8, 20])
@pytest.mark.parametrize("way", ["chart", "viterbi"])
def test_nltk(starter: Grammar, way: str, words: int) -> None:
    """starter.pg with its features against a strict grammar read off its trees."""
    pytest.importorskip("nltk", reason="NLTK is not installed: pip install nltk")
    from tests.bench.peers.cfg import Strict

    parser = Parser(starter)
    strict = Strict(parser, [text for length in (5, 8, 10, 15, 20) for text in sentences(length, "well-formed")])
    texts = sentences(words, "well-formed")
    solve = strict.chart if way == "chart" else strict.viterbi
    theirs = [solve(text) for text in texts]
    assert all(answer.cost == 0 for answer in theirs)
    ours = [answer.milliseconds for answer in numbat_search(parser, texts)]
    note = f"context-free grammar of {strict.size} rules"
    RECORDS.append(
        Record(f"NLTK {way}", "well-formed", words, median(a.milliseconds for a in theirs), median(ours), note)
    )
