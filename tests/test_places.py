"""Places of tokens and skipped marks in the text as it was typed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat import Arc, Lattice, load_grammar, parse_grammar
from numbat.words.lattice import places_in_line
from numbat.words.lexical_lookup import Words, read_text, read_tokens, words_of
from numbat.words.tag_maps import identity_map, tagged_lattice
from numbat.words.tokens import spelled, tokenize
from numbat.words.typed import read_tagged

GRAMMAR = """\
leaves: N, P, Det
NP: uniq N
tokens:
    suffix "'s", "n't", "'"
    prefix "l'", "d'"
    rewrite du: de, "=le"
    rewrite "won't": will, "n't"
    rewrite can't: can, "n't"
lexicon:
    de: P
    "=le": Det
    "'s": P
    "l'": Det
    "d'": Det
    "New York": N
    "can't": N
"""
WORDS = words_of(parse_grammar(GRAMMAR))


def typed(text: str, words: Words = WORDS) -> list[tuple[str, str]]:
    """Return each token with its text as typed."""
    lattice = read_text(text, words)
    return [(token, text[start:end]) for token, (start, end) in zip(lattice.tokens, lattice.places, strict=True)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the cat", [("the", "the"), ("cat", "cat")]),
        ("  the \t cat ", [("the", "the"), ("cat", "cat")]),
        ("du vin", [("de", "du"), ("=le", "du"), ("vin", "vin")]),
        ("Du vin", [("de", "Du"), ("=le", "Du"), ("vin", "vin")]),
        ("won’t", [("will", "won’t"), ("n't", "won’t")]),
        ("can't", [("can", "can't"), ("n't", "can't")]),
        ("l’ami's", [("l'", "l’"), ("ami", "ami"), ("'s", "'s")]),
        ("l'du", [("l'", "l'"), ("de", "du"), ("=le", "du")]),
        ("isn't", [("is", "is"), ("n't", "n't")]),
        ("New\u00a0York", [("New", "New"), ("York", "York")]),
        ("e\u0301te\u0301 ici", [("été", "e\u0301te\u0301"), ("ici", "ici")]),
        ("l'e\u0301te\u0301's", [("l'", "l'"), ("été", "e\u0301te\u0301"), ("'s", "'s")]),
        ("\u1112\u1161\u11ab a", [("한", "\u1112\u1161\u11ab"), ("a", "a")]),
        ("re‑entry", [("re-entry", "re‑entry")]),
        ("", []),
    ],
)
def test_each_token_has_what_was_typed_for_it(text: str, found: list[tuple[str, str]]) -> None:
    assert typed(text) == found


def test_marks_that_are_skipped_have_their_places() -> None:
    text = "«Cafe\u0301», he said: 'cats'…"
    lattice = read_text(text, WORDS)
    found = [
        (mark, text[start:end]) for mark, (start, end) in zip(lattice.skipped, lattice.skipped_places, strict=True)
    ]
    assert found == [(mark, mark) for mark in ("«", "»", ",", ":", "'", "'", "…")]
    assert lattice.tokens == ("Café", "he", "said", "cats")


def test_typed_text_of_tokens() -> None:
    lattice = read_text("Il boit du  vin, rouge.", WORDS)
    assert lattice.tokens == ("Il", "boit", "de", "=le", "vin", "rouge")
    assert [lattice.typed(*span) for span in ((2, 3), (3, 4), (2, 5), (0, 6), (4, 6), (1, 1))] == [
        "du", "du", "du  vin", "Il boit du  vin, rouge", "vin, rouge", "",
    ]  # fmt: skip
    assert Lattice(("de", "=le"), ()).typed(0, 2) == "de =le"


def test_words_that_are_cut_or_tagged_already_have_places() -> None:
    assert read_tokens(["New York", "is"], WORDS).places == ((0, 8), (9, 11))
    tagged = read_tagged("wine/N  du/P|Det", WORDS)
    assert [tagged.text[start:end] for start, end in tagged.places] == ["wine", "du"]
    mapped = tagged_lattice([("wine", "N"), (",", "."), ("ok", "N")], identity_map(WORDS.grammar, ["."]), WORDS)
    assert (mapped.places, mapped.skipped_places) == (((0, 4), (7, 9)), ((5, 6),))
    assert places_in_line([]) == ()


def test_places_make_no_difference_to_a_lattice() -> None:
    arcs = (Arc(0, 1, "cat", "N"),)
    assert Lattice(("cat",), arcs, (), "cat", ()) == Lattice(("cat",), arcs, (), "cat", (), ((0, 3),), ())


def test_french_contractions() -> None:
    words = words_of(load_grammar("french"))
    assert typed("L’ami du garçon, aux cafe\u0301s", words)[:4] == [
        ("L'", "L’"), ("ami", "ami"), ("de", "du"), ("=le", "du"),
    ]  # fmt: skip


TEXTS = st.text(
    st.sampled_from("aedulcnt'’ \u00a0.,«-é\u0301\u0323\u0327\u0f73\u1112\u1161\u11ab가ｶﾞ‑\u212b3İ\n"), max_size=14
)


@given(TEXTS)
def test_places_cover_the_text_and_no_more(text: str) -> None:
    lattice = read_text(text, WORDS)
    assert len(lattice.places) == len(lattice.tokens)
    assert len(lattice.skipped_places) == len(lattice.skipped) == len(lattice.gaps)
    places = [*lattice.places, *lattice.skipped_places]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert [*lattice.places] == sorted(lattice.places)
    covered = {at for start, end in places for at in range(start, end)}
    assert {at for at, char in enumerate(text) if not spelled(char).isspace()} <= covered


@given(TEXTS)
def test_what_was_typed_is_spelled_as_the_token(text: str) -> None:
    rewritten = {token for tokens in WORDS.rewritten.values() for token in tokens}
    found = tokenize(text, WORDS)
    for token, (start, end) in zip(
        [*found.tokens, *found.skipped], [*found.places, *found.skipped_places], strict=True
    ):
        typed_so = spelled(text[start:end])
        if "\n" in typed_so:  # a word that is divided at the end of a line
            typed_so, token = (re.sub(r"[-\s]", "", one) for one in (typed_so, token))
        assert token in typed_so or token in rewritten
