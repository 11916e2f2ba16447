"""`distance` compared with large numbers: the same parses as by the definition, for no more work."""

from __future__ import annotations

import pytest

from numbat import Parser, parse_grammar
from numbat.automata.construction_automaton import compile_constructions
from numbat.automata.records import Kinds
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.parsing.exact import compiled_grammar

GRAMMAR = """grammar: g
leaves: A, B, C
relation r(B, C) for each B, C: distance(B, C) {comparison} {number}
S:
    oblig A
    uniq A
    const {{A, B, C}}
    r(A, B)
    r(B, C)
    r(B, B)
lexicon:
    a: A
    b: B
    c: C
    x: B, C
"""
SENTENCES = "a", "a b", "b a c b", "b x a c c b x", "b c a b c b b x c b c b", "c b " * 20 + "a b"


@pytest.mark.parametrize("comparison", ["<=", "<", "=", "!=", ">", ">="])
@pytest.mark.parametrize("number", [0, 1, 3, 20_000])
def test_the_engines_agree_on_any_distance(comparison: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_grammar, "FEWEST_WORDS", 3)
    grammar = parse_grammar(GRAMMAR.format(comparison=comparison, number=number))
    exact, phases = Parser(grammar), Parser(grammar, engine="phases")
    for sentence in SENTENCES[:4]:
        found, expected = exact.parse(sentence), phases.parse(sentence)
        assert (found.cost_units, found.weight_units, found.summary()) == (
            expected.cost_units,
            expected.weight_units,
            expected.summary(),
        )


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_distance_beyond_the_sentence_is_any_beyond_it(sentence: str) -> None:
    found = [
        Parser(parse_grammar(GRAMMAR.format(comparison="<=", number=number))).parse(sentence).cost_units
        for number in (len(sentence), 20_000, 10**8)
    ]
    assert found == [0, 0, 0] if sentence.count("a") else found[0] == found[1] == found[2]


def test_states_and_evaluations_do_not_grow_with_the_number() -> None:
    def work(number: int) -> tuple[int, int]:
        parser = Parser(parse_grammar(GRAMMAR.format(comparison="<=", number=number)))
        parser.parse("b c a b x c b c c b")
        local = parser.weighted.compiled.automata[0].classes.local
        return parser.states, sum(len(each.automaton._pairs) for each in local)

    assert work(20_000) == work(2_000_000)
    assert work(20_000) <= work(40)


def test_a_phrase_keeps_no_more_daughters_in_mind_than_it_has() -> None:
    evaluator = Evaluator(build_table(parse_grammar(GRAMMAR.format(comparison="<=", number=20_000))))
    (s,) = compile_constructions(evaluator, Kinds(), longest=7)
    assert (s.classes.reach, s.classes.asks_further) == (7, True)
