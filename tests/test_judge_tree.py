"""A tree that somebody drew, judged by a grammar: `judge_tree` against the engines and by hand."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import numbat
from numbat.evaluation.constituents import Constituent
from numbat.parsing.queries import category_meant, judge_tree, uncovered, unknown_labels
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.trees import Tree
from numbat.words.lattice import Arc, Lattice
from tests.samples import enough
from tests.strategies import random_pair

GRAMMAR = """\
grammar: small
leaves: Det, N, V
roots: S
features: number: sg, pl
S:
    oblig V
    uniq {NP, V}
    NP < V
    NP ~> V [number]
NP:
    oblig N
    uniq {Det, N}
    Det < N
lexicon:
    the: Det
    cat: N[number=sg]
    cats: N[number=pl]
    sheep: N[number=sg|pl]
    sleeps: V[number=sg]
    sleep: V[number=pl]
"""
PARSER = numbat.Parser(numbat.parse_grammar(GRAMMAR))


def tree(text: str) -> Tree:
    (found,) = read_brackets([text], "t.mrg")
    assert isinstance(found, Tree)
    return found


def judged(text: str) -> numbat.Parse:
    return judge_tree(tree(text), PARSER)


def test_a_good_tree_costs_nothing_and_is_the_parse_that_is_found() -> None:
    parse = judged("(S (NP (Det the) (N cat)) (V sleeps))")
    assert parse.is_full
    assert parse.is_well_formed
    assert parse.constituents == PARSER.parse("the cat sleeps").constituents
    assert parse.summary() == "full parse: cost 0; weight 9; 1 tree; 9 satisfied, 0 violated"


def test_what_is_violated_is_said_with_its_place() -> None:
    parse = judged("(S (V sleep) (NP (N cat) (Det the)))")
    assert parse.explain() == (
        '"cat the" should stand before "sleep"  [S: NP < V, <grammar>:8]',
        '"cat" has number sg, but "sleep" has number pl  [S: NP ~> V [number], <grammar>:9]',
        '"the" should stand before "cat"  [NP: Det < N, <grammar>:13]',
    )


def test_the_reading_of_a_word_is_the_best_for_the_whole_tree() -> None:
    for verb, number in (("sleep", "pl"), ("sleeps", "sg")):
        parse = judged(f"(S (NP (Det the) (N sheep)) (V {verb}))")
        assert parse.cost_units == 0
        assert parse.constituents[0].daughters[0].features == (("number", number),)


def test_unknown_words_have_the_category_of_their_leaf() -> None:
    (top,) = judged("(S (NP (Det zog) (N gnu)) (V snores))").constituents
    assert [(word.construction, word.features, word.guessed) for word in top.words()] == [
        ("Det", (), True), ("N", (), True), ("V", (), True),
    ]  # fmt: skip


def test_the_outermost_bracket_may_be_a_wrapper_over_fragments() -> None:
    whole = judged("(TOP (S (NP (Det the) (N cat)) (V sleeps)))")
    assert whole.constituents == judged("(S (NP (Det the) (N cat)) (V sleeps))").constituents
    for wrapper in ("", "ROOT", "VROOT", "S1", "TOP (VROOT"):
        wrapped = f"({wrapper} (S (NP (Det the) (N cat)) (V sleeps)))" + ")" * wrapper.count("(")
        assert judged(wrapped).constituents == whole.constituents
        assert unknown_labels(tree(wrapped), PARSER.grammar) == ()
    parts = judged("(ROOT (NP (Det the) (N cat)) (V sleeps))")
    assert [top.construction for top in parts.constituents] == ["NP", "V"]
    assert parts.fragment_cost_units == 2 * PARSER.grammar.fragment_cost_units
    assert judged("(NP (N cat))").fragment_cost_units == PARSER.grammar.fragment_cost_units


def test_labels_that_the_grammar_does_not_have_have_no_properties() -> None:
    drawn = tree("(X (NP (Q every) (N cat)))")
    assert unknown_labels(drawn, PARSER.grammar) == ("Q", "X")
    parse = judge_tree(drawn, PARSER)
    assert [evaluated.constituent.construction for evaluated in parse.evaluated] == ["NP", "NP"]
    assert [(phrase.construction, daughter.construction) for phrase, daughter in uncovered(parse, PARSER)] == [
        ("NP", "Q")
    ]
    assert category_meant("NPP", PARSER.grammar) == 'did you mean "NP"?'
    assert unknown_labels(tree("(TOP (S (V sleeps)))"), PARSER.grammar) == ()


def test_a_lattice_says_what_the_words_are() -> None:
    lattice = Lattice(("cat",), (Arc(0, 1, "cat", "N", (("number", "pl"),)),))
    assert judge_tree(tree("(NP (NN cat))"), PARSER, lattice).constituents[0].features == (("number", "pl"),)
    with pytest.raises(numbat.DataError) as raised:
        judge_tree(tree("(NP (Det the) (N cat))"), PARSER, lattice)
    assert str(raised.value) == "2 leaves but 1 tokens\n  give a token for each leaf"
    with pytest.raises(numbat.DataError) as raised:
        judge_tree(tree("(NP (N cat))"), PARSER, Lattice(("cat",), ()))
    assert str(raised.value) == 'token 1, "cat", has no reading by itself\n  give it at least one arc'
    with pytest.raises(numbat.DataError) as raised:
        judge_tree(tree("(NP (N cat))"), PARSER, Lattice(("cat",), (Arc(0, 1, "cat", "N", log_weight=nan),)))
    assert str(raised.value) == 'the arc "cat/N" has the log weight nan\n  it must be a finite number'


def test_a_phrase_over_nothing() -> None:
    with pytest.raises(numbat.DataError) as raised:
        judge_tree(Tree("S", (Tree("NP"), Tree("V", form="sleeps"))), PARSER)
    assert str(raised.value) == '"NP" has neither daughters nor a form\n  give it one of the two'


def test_a_tree_may_be_deeper_than_the_stack_of_python() -> None:
    drawn = Tree("V", form="sleeps")
    for _ in range(4_999):
        drawn = Tree("S", (drawn, Tree("V", form="sleeps")))
    parse = judge_tree(drawn, PARSER)
    assert (len(parse.satisfied), len(parse.violated)) == (9_997, 2)


def drawn(constituent: Constituent) -> Tree:
    if constituent.is_word:
        return Tree(constituent.construction, form=constituent.form)
    return Tree(constituent.construction, tuple(map(drawn, constituent.daughters)))


@settings(max_examples=enough(40), derandomize=True)
@given(st.integers(0, 10_000))
def test_the_best_parse_of_a_random_grammar_is_judged_as_it_was_found(seed: int) -> None:
    grammar, lattice = random_pair(seed, longest=4)
    lattice = Lattice(lattice.tokens, tuple(arc for arc in lattice.arcs if arc.end == arc.start + 1))
    parser = numbat.Parser(grammar)
    found = parser.parse(lattice)
    words = {(w.start, w.construction, w.features) for top in found.constituents for w in top.words()}
    chosen = tuple(arc for arc in lattice.arcs if (arc.start, arc.category, arc.features) in words)
    again = judge_tree(Tree("", tuple(map(drawn, found.constituents))), parser, Lattice(lattice.tokens, chosen))
    assert (again.violation_cost_units, again.fragment_cost_units, again.weight_units) == (
        found.violation_cost_units, found.fragment_cost_units, found.weight_units,
    )  # fmt: skip
    assert {e.property for e in again.violated} == {e.property for e in found.violated}
    free = judge_tree(Tree("", tuple(map(drawn, found.constituents))), parser, lattice)
    assert free.cost_units <= found.cost_units
