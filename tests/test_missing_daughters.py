"""Warnings of `numbat check` about heads, feature rules and parts of speech without daughters: whole messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat.authoring.checking import check_grammar

HEAD = """\
leaves: N, V, Aux
features: class: a, b; tense: past
NP:
    uniq N
VP:
    head N
    uniq V
    tense = past if Aux
    class from N
S:
    uniq VP
    tense = past if no Aux
    NP < VP
"""

HEAD_DOUBTS = """\
g.pg:5:1: warning: VP: class from N copies nothing from it: N is never a daughter of VP
    VP:
    ^^
  name N in a property of VP, or name another daughter here
g.pg:5:1: warning: VP: head N, but N is never a daughter of VP
    VP:
    ^^
  name N in a property of VP, or name another daughter here
g.pg:5:1: warning: VP: tense = past if Aux never applies: Aux is never a daughter of VP
    VP:
    ^^
  name Aux in a property of VP, or name another daughter here
g.pg:10:1: warning: S: tense = past if no Aux always applies: Aux is never a daughter of S
    S:
    ^
  name Aux in a property of S, or name another daughter here"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def doubts(text: str) -> list[str]:
    """The warnings of a grammar."""
    Path("g.pg").write_text(text, encoding="utf-8")
    checked = check_grammar("g.pg")
    assert checked.errors == ()
    return list(map(str, checked.warnings))


def test_heads_and_rules_without_their_daughter() -> None:
    assert "\n".join(doubts(HEAD)) == HEAD_DOUBTS


def test_a_const_says_what_a_phrase_is_made_of() -> None:
    assert doubts("leaves: N, V\nVP:\n    const {V}\n    head V, N\n    uniq V\n") == [
        "g.pg:2:1: warning: VP: head N, but N is never a daughter of VP\n    VP:\n    ^^\n"
        "  name N in its const, or name another daughter here"
    ]


PARTS = "leaves: N, V, Aux, Avd\nVP:\n    const {V, Aux}\n    uniq V\nNP:\n    uniq N\n"
WORDS = "lexicon:\n    mtoto: N\n    analala: V\n"


def test_parts_of_speech_that_no_word_has() -> None:
    assert doubts(PARTS + WORDS) == [
        "g.pg: warning: Avd is a part of speech without words and without properties\n"
        "  remove it if not needed, or check the spelling",
        "g.pg: warning: no word of the lexicon is Aux, but properties mention it\n"
        "  add such words, or parse words with tags (--tagged)",
    ]


@pytest.mark.parametrize("words", ["", 'guess:\n    "*": N\n', 'lexicon:\n    ".": N\n'])
def test_without_words_nobody_knows_what_a_tagger_gives(words: str) -> None:
    assert doubts(PARTS + words) == []


def test_guess_patterns_that_fit_one_word() -> None:
    grammar = 'leaves: N\nNP:\n    uniq N\nguess:\n    "a-": N\n    "-ing": N\n    "[ab]c": N\n'
    told = "matches only that word: it has no wildcard\n  * stands for any letters, as in"
    assert doubts(grammar) == [
        f'g.pg: warning: guess: "-ing" {told} "*ing"; a single word belongs in the lexicon',
        f'g.pg: warning: guess: "a-" {told} "a*"; a single word belongs in the lexicon',
    ]
