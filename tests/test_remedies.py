"""Remedies follow from the definitions of relations, and repairs begin with them."""

from __future__ import annotations

import json

import pytest

from numbat import Parser, load_grammar, parse_grammar
from numbat.acceptability.remedies import Remedies, remedies_of
from numbat.acceptability.repair import first_repair
from numbat.words.lexical_lookup import read_text, retyped
from tests.command_line import Numbat

GRAMMAR = """leaves: Det, N, V, Pro, Adv
roots: S
features:
    number: sg, pl
    case: nom, acc
S:
    oblig V
    uniq {V, NP, Adv}
    {PROPERTY}
NP:
    oblig {N, Pro}
    uniq {Det, N, Pro}
    Det < N
lexicon:
    the: Det
    cat: N[number=sg]
    cats: N[number=pl]
    sleeps: V[number=sg] lemma sleep
    sleep: V[number=pl] lemma sleep
    me: Pro[case=acc]
    I: Pro[case=nom]
    here: Adv
"""


@pytest.mark.parametrize(
    ("prop", "sentence", "words", "gaps", "blocks", "named"),
    [
        ("NP < V", "sleep the cats", {}, {}, {(0, 1): 0, (1, 3): 0}, ()),
        ("NP ~> V [number]", "the cats sleeps", {0: 0, 1: 0, 2: 0}, {}, {}, ()),
        ("NP[case=acc] x V", "me sleep", {0: 0, 1: 0}, {}, {}, ()),
        ("V => NP", "sleep here", {0: 0}, {0: 0, 1: 0, 2: 0}, {}, ("N", "Pro")),
        ("V => NP[case=nom]", "me sleep", {0: 0, 1: 0}, {0: 0, 1: 0, 2: 0}, {}, ("N", "Pro")),
    ],
)
def test_remedies_follow_from_the_relation(
    prop: str,
    sentence: str,
    words: dict[int, int],
    gaps: dict[int, int],
    blocks: dict[tuple[int, int], int],
    named: tuple[str, ...],
) -> None:
    parser = Parser(parse_grammar(GRAMMAR.replace("{PROPERTY}", prop)))
    found = remedies_of(parser.parse(sentence))
    if blocks:
        assert found.blocks == blocks
        assert found.borders == {0, 1, 3}
    else:
        assert found == Remedies(words, gaps, blocks, frozenset(), named)


def test_a_user_defined_relation_has_remedies() -> None:
    text = GRAMMAR.replace("{PROPERTY}", "alone(V)").replace(
        "S:\n", "relation alone(B) for each B: count(B) = 0\nS:\n", 1
    )
    assert remedies_of(Parser(parse_grammar(text)).parse("the cat sleeps")).words == {2: 0}


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("I have went to the store.", '"gone" for "went": I have gone to the store.'),
        ("She will to leave.", 'delete "to": She will leave.'),
        ("These cat sleeps, though.", '"this" for "These": This cat sleeps, though.'),
        ("He buyed a car.", '"bought" for "buyed": He bought a car.'),
        ("I would likes to go.", '"like" for "likes": I would like to go.'),
    ],
)
def test_the_first_repair_is_what_the_violation_asks_for(english: Parser, sentence: str, says: str) -> None:
    found = first_repair(english.parse(sentence), english)
    assert found is not None
    assert found.suggestion == says


def test_a_well_formed_sentence_has_no_repair(english: Parser) -> None:
    assert first_repair(english.parse("The cat sleeps."), english) is None


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("Well, the cat sleeps (here)!", "Well the cats sleeps here", "Well, the cats sleeps (here)!"),
        ("Well, cat sleeps.", "Well the cat sleeps", "Well, the cat sleeps."),
        ("He sleeps.", "He sleeps here", "He sleeps here."),
        ("If, well, it sleeps.", "If it sleeps", "If, it sleeps."),
        ("It sleeps here.", "It sleeps", "It sleeps."),
        ("It isn't here.", "It is here", "It is here."),
    ],
)
def test_marks_beside_what_differs_stay(english: Parser, text: str, tokens: str, expected: str) -> None:
    assert retyped(read_text(text, english.words), tokens.split(), english.words) == expected


@pytest.fixture(scope="module")
def english() -> Parser:
    return Parser(load_grammar("english"))


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def test_parse_suggests(numbat: Numbat) -> None:
    lines = numbat("parse", "--suggest", "I have went.").out.splitlines()
    assert lines[-2:] == ['→ "gone" for "went": I have gone.', ""]
    assert "→" not in numbat("parse", "I have went.").out
    assert "→" not in numbat("parse", "--suggest", "I have gone.").out
    first, second, _ = map(
        json.loads, numbat("parse", "--suggest", "-f", "jsonl", "I have went.", "I left.").out.splitlines()
    )
    assert first["suggestion"]["says"] == '"gone" for "went": I have gone.'
    assert second["suggestion"] is None
    assert "suggestion" not in json.loads(numbat("parse", "-f", "jsonl", "I have went.").out.splitlines()[0])


def test_formats_without_reasons_suggest_nothing(numbat: Numbat) -> None:
    done = numbat("parse", "--suggest", "-f", "bracket", "I left.")
    message = "--suggest and -f bracket exclude each other\n  take -f tree, json or jsonl, or leave --suggest out"
    assert (done.err, done.code) == (f"numbat: {message}\n", 2)
