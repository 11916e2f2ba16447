"""Grammars cut down to chunks, and `numbat parse --shallow`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings

from numbat import Grammar, Parser, UsageError, load_grammar, parse_grammar, shallow_grammar
from numbat.grammar.model import Construction
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import UNIT
from numbat.words.lattice import Lattice
from numbat.words.typed import read_tagged
from tests.command_line import Numbat
from tests.oracle import Daughter, covers_all, is_retrieved, truths_of
from tests.samples import enough
from tests.strategies import pairs

DEEP = """
leaves: D, N, V
roots: S
fragment_cost: 3
features:
    number: sg, pl

S:
    oblig VP
    NP < VP
NP:
    head N
    const {D, N, PP}
    oblig {N, NP}
    uniq D cost 2
    D < {N, PP} cost 2
    N => D | PP cost 1
    N => D cost 1
    N x V
    number = pl if no PP
VP:
    oblig V hard
    V => NP | N cost 1
    V < NP
    V x D hard
PP:
    N => NP
    oblig {NP, N}
"""
TEXT = "leaves: N, V\nroots: S\nS:\n    oblig NP\n    NP < V\nNP:\n    oblig N\n    uniq N\nlexicon:\n    cats: N\n"


def test_what_is_left_of_a_grammar() -> None:
    """PP keeps the obligation of its noun, and so that a noun alone can be one, a property that always holds."""
    assert format_grammar(shallow_grammar(parse_grammar(DEEP), 1.5)) == (
        "leaves: D, N, V, S\nroots: ?\nfragment_cost: 1.5\nnode_cost: 0\n\n"
        "features:\n    number: sg, pl\n\n"
        "relation occurs(B) for each B: true\n"
        '    monotonic yes\n    says "{b} occurs here"\n\n'
        "NP:\n    head N\n    const {D, N}\n    oblig N\n    uniq D cost 2\n    D < N cost 2\n    N => D cost 1\n"
        "    N x V\n\n"
        "VP:\n    const {V, N, D}\n    oblig V hard\n    V => N cost 1\n    V x D hard\n    occurs(V) weight 0\n\n"
        "PP:\n    const {N}\n    oblig N\n    occurs(N) weight 0\n"
    )


@pytest.mark.parametrize("name", ["chunks", "french-teaching"])
def test_packaged_grammars(name: str) -> None:
    """A shallow grammar stays as it is; only `chunks` is one already."""
    grammar = load_grammar(name)
    shallow = shallow_grammar(grammar)
    assert shallow_grammar(shallow) == shallow
    assert (shallow == grammar) == (name == "chunks")
    assert (grammar.is_shallow, shallow.is_shallow) == (name == "chunks", True)


@settings(max_examples=enough(40))
@given(pairs())
def test_no_phrase_is_in_a_phrase(pair: tuple[Grammar, Lattice]) -> None:
    grammar, lattice = pair
    shallow = shallow_grammar(grammar)
    assert shallow_grammar(shallow) == shallow
    best = Parser(shallow).parse(lattice)
    assert not any(daughter.daughters for top in best.constituents for daughter in top.daughters)
    assert best.fragment_cost_units == len(best.constituents) * shallow.fragment_cost_units or best.is_full


FLAT = """
leaves: D, N, V
fragment_cost: 1.5
NP:
    const {D, N, PP}
    oblig {N, NP} cost 2
    uniq {D, N} cost 1
    D < N cost 3
    N => D cost 0.5
    D + N
VP:
    const {V, N}
    oblig V hard
    uniq V cost 2
    V x N cost 1
PP:
    oblig NP
"""


def segmentations(length: int) -> Iterator[tuple[int, ...]]:
    """Yield the lengths of the parts in every way to divide a row."""
    if not length:
        yield ()
    for first in range(1, length + 1):
        yield from ((first, *rest) for rest in segmentations(length - first))


def cost_of_chunk(grammar: Grammar, construction: Construction, daughters: Sequence[Daughter]) -> float:
    properties = construction.properties
    built = [prop for prop in properties if is_retrieved(grammar, prop, daughters)]
    if not covers_all(construction, daughters) or not any(any(truths_of(grammar, p, daughters)) for p in built):
        return float("inf")
    violated = [prop for prop in properties for truth in truths_of(grammar, prop, daughters) if not truth]
    return float("inf") if any(prop.hard for prop in violated) else sum(prop.cost_units for prop in violated)


def least_cost(grammar: Grammar, tags: Sequence[str]) -> float:
    """The least cost over all rows of chunks and words, counted by the second meaning of the relations."""
    best = float("inf")
    for lengths in segmentations(len(tags)):
        cost, start = 0.0, 0
        for length in lengths:
            part = [(tag, ()) for tag in tags[start : start + length]]
            bare = 0.0 if length == 1 else float("inf")
            cost += min([bare, *(cost_of_chunk(grammar, each, part) for each in grammar.constructions)])
            start += length
        best = min(best, cost + len(lengths) * grammar.fragment_cost_units)
    return best


def test_the_least_cost_of_all_rows_of_chunks() -> None:
    """By enumeration, with the original properties, in which operands that are phrases never match."""
    grammar = parse_grammar(FLAT)
    parser = Parser(shallow_grammar(grammar), check=True)
    for length in (1, 2, 3, 4):
        for tags in product("DNV", repeat=length):
            lattice = read_tagged(" ".join(f"w/{tag}" for tag in tags), parser.words)
            assert parser.parse(lattice).cost_units == least_cost(grammar, tags), tags


def test_a_fragment_cost_that_is_none() -> None:
    with pytest.raises(UsageError) as caught:
        shallow_grammar(parse_grammar(TEXT), -1)
    assert str(caught.value) == "a fragment cost is a number from 0 to 1000000000, not -1"


def test_a_word_is_rather_in_a_chunk() -> None:
    parse = Parser(shallow_grammar(parse_grammar(TEXT), 2)).parse("cats")
    assert (parse.to_brackets(), parse.cost_units, parse.explain()) == ("(NP (N cats))", 2 * UNIT, ())


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def test_chunks_by_default(numbat: Numbat) -> None:
    done = numbat("parse", "--shallow", "--tagged", "The/DT old/JJ dogs/NNS and/CC she/PRP slept/VBD Friday/NNP ./.")
    assert done.out == (
        "NP\n├─ DT  The\n├─ JJ  old\n└─ NNS  dogs\nCC  and\nNP\n└─ PRP  she\nVP\n└─ VBD  slept\n"
        "NP\n└─ NNP [kind=day]  Friday\n.  .\n\n"
        "shallow parse of 4 chunks and 2 words outside: cost 2.1 (fragments 2.1); weight 4; 1 tree; "
        "15 satisfied, 0 violated\n\n"
    )


def test_words_alone_are_tagged(numbat: Numbat) -> None:
    pytest.importorskip("numpy")
    done = numbat("parse", "--shallow", "-f", "bracket", "She said that the company's shares didn't fall.")
    assert done.out == (
        "(NP (PRP She)) (VP (VBD said)) (SBAR (IN that)) (NP (DT the) (NN company)) (NP (POS 's) (NNS shares)) "
        "(VP (VBD did) (RB n't) (VB fall)) (. .)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--fragment-cost", "2", "--granularity", "2"],
            "--fragment-cost and --granularity exclude each other\n"
            "  the first sets the cost of a fragment, the second multiplies it: leave one of them out",
        ),
        (
            ["--shallow", "--without", "H2"],
            "--shallow and --without H2 exclude each other\n  chunks have no holes: leave one of them out",
        ),
        (
            ["--shallow", "--without", "H5"],
            "--shallow and --without H5 exclude each other\n"
            "  chunks and the words between them are the whole sentence: leave one of them out",
        ),
        (
            ["--shallow", "--profile", "discontinuous"],
            "--shallow and --profile discontinuous exclude each other\n  chunks have no holes: leave one of them out",
        ),
        (
            ["--shallow", "--expansions", "ewt"],
            "--shallow and --expansions exclude each other\n"
            "  expansions make whole trees, not chunks: leave one of them out",
        ),
    ],
)
def test_what_does_not_go_together(numbat: Numbat, arguments: list[str], message: str) -> None:
    done = numbat("parse", *arguments, "cats")
    assert (done.out, done.err, done.code) == ("", f"numbat: {message}\n", 2)


def test_a_fragment_cost_has_a_range(numbat: Numbat) -> None:
    done = numbat("parse", "--shallow", "--fragment-cost", "1e10", "cats")
    assert (done.out, done.code) == ("", 2)
    assert done.err.splitlines()[-1] == (
        "Error: Invalid value for '--fragment-cost': 10000000000.0 is not in the range 0<=x<=1000000000."
    )
