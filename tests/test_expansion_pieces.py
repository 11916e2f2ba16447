"""Long texts under expansions: the places where they are split, and that each piece is parsed as if alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat.parsing.policies import Limits
from numbat.parsing.result import Parse
from numbat.parsing.treebank_grammar.likeliest import AT_ONCE, MAX_LENGTH, MAX_PIECE, pieces_of
from numbat.parsing.treebank_parser import TreebankParser
from numbat.words.typed import read_tagged
from tests.samples import enough
from tests.test_expansion_parsing import folder, treebank_parser

__all__ = ["folder"]
FORMS = st.sampled_from(["a", "b", ".", "?!", ",", "U.S.", '"', ")"])
SENTENCES = (
    "the/D cat/N sees/V a/D bird/N",
    "cats/N see/V birds/N in/P the/D garden/N",
    "the/D bird/N sings/V",
)


@given(st.lists(FORMS, min_size=0, max_size=260), st.sets(st.integers(1, 258), max_size=20))
@settings(max_examples=enough(150), derandomize=True)
def test_pieces_are_the_row_none_too_long_and_no_word_is_cut(forms: list[str], inside: set[int]) -> None:
    pieces = pieces_of(forms, inside)
    assert [0, *(piece.end for piece in pieces)] == [*(piece.start for piece in pieces), len(forms)]
    if len(forms) <= MAX_LENGTH:
        assert len(pieces) == 1
        return
    assert all(0 < piece.end - piece.start <= MAX_PIECE for piece in pieces)
    assert not inside & {piece.start for piece in pieces}


def test_a_row_is_cut_into_its_sentences_and_a_long_one_behind_commas() -> None:
    said = ["He", "said", '"', "No", "!", '"', "She", "left", ".", ".", ".", *["word"] * 30, ",", *["word"] * 60, "."]
    ends = [piece.end for piece in pieces_of([*said, "(", "So", ")"])]
    assert ends == [6, 11, 42, 82, 103, 106]
    assert [piece.end for piece in pieces_of(["word"] * 130)] == [40, 80, 120, 130]


def rows(number: int) -> tuple[str, list[str]]:
    """Return a text of several sentences, and each alone; a full stop, which is a word, ends each."""
    each = [f"{SENTENCES[i % len(SENTENCES)]} ./N" for i in range(number)]
    return " ".join(each), each


def likely(parse: Parse) -> float:
    assert parse.log_likelihood is not None
    return parse.log_likelihood


def places(parse: Parse, offset: int = 0) -> list[tuple[str, int, int]]:
    nodes = [node for top in parse.constituents for node in top.walk()]
    return [(node.construction, node.start + offset, node.end + offset) for node in nodes]


@pytest.mark.parametrize("properties", [0.0, 0.5])
def test_a_long_row_is_parsed_as_its_sentences_are(folder: Path, properties: float) -> None:
    made = treebank_parser(folder)
    parser = TreebankParser(made.grammar, made.expansions, properties=properties)
    row, each = rows(20)
    whole = parser.parse(read_tagged(row, parser.words))
    alone = [parser.parse(read_tagged(text, parser.words)) for text in each]
    assert len(whole.lattice.tokens) > MAX_LENGTH
    assert whole.stopped_by == "words (100): it was parsed in 20 pieces"
    assert whole.to_brackets() == " ".join(parse.to_brackets() for parse in alone)
    assert likely(whole) == pytest.approx(sum(map(likely, alone)))
    starts = [sum(len(parse.lattice.tokens) for parse in alone[:i]) for i in range(len(alone))]
    assert places(whole) == [
        place for parse, start in zip(alone, starts, strict=True) for place in places(parse, start)
    ]
    assert all(parse.stopped_by is None for parse in alone)


def test_a_row_that_is_not_pruned_or_not_long_is_whole(folder: Path) -> None:
    made = treebank_parser(folder)
    row, _ = rows(20)
    exact = TreebankParser(made.grammar, made.expansions, prune=None)
    assert exact.parse(read_tagged(row, exact.words)).stopped_by is None
    short = " ".join(row.split()[:MAX_LENGTH])
    assert made.parse(read_tagged(short, made.words)).stopped_by is None


def test_pieces_have_the_items_of_some_sentences_together(folder: Path) -> None:
    """A limit that a sentence meets is reported; pieces beyond the total limit are only words."""
    row, each = rows(60)
    free = treebank_parser(folder)
    limits = Limits(items=300)
    bound = treebank_parser(folder, limits)
    parse = bound.parse(read_tagged(row, bound.words))
    assert parse.stopped_by == "items (300)"
    words = [word.form for top in parse.constituents for word in top.words()]
    assert words == [word.partition("/")[0] for word in row.split()]
    sings = free.parse(read_tagged(each[-1], free.words)).to_brackets()
    assert bound.parse(read_tagged(each[-1], bound.words)).to_brackets() == sings
    assert not parse.to_brackets().endswith(sings)
    assert AT_ONCE // 3 <= parse.to_brackets().count(sings) < AT_ONCE
