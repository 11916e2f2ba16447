"""What `numbat bench` makes of sentences and of measured points; no time is asserted."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from numbat.acceptability.random_phrases import corrupted, grow
from numbat.errors import DataError, UsageError
from numbat.grammar.loading import load_grammar
from numbat.parses.curves import TimingPoint, exponent, growth_curves, texts_of, timing_plot, timing_report
from numbat.parsing.parser import Parser

ROOT = Path(__file__).parents[1]
STARTER = ROOT / "tests" / "starter" / "starter.pg"

TEXTS = ("The cat on the mat sleeps.", "She likes the old house.")
SQUARE = [TimingPoint("net", "well-formed", words, 5, words**2 / 100) for words in (5, 10, 20, 40)]


def test_grown_sentences_are_well_formed_and_have_the_length() -> None:
    grammar = load_grammar(STARTER)
    parser = Parser(grammar)
    grown = dict(grow(grammar, TEXTS, (12, 9)))
    assert list(grown) == [9, 12]
    for length, sentences in grown.items():
        assert sentences
        for sentence in sentences:
            assert len(sentence.split()) == length
            assert parser.parse(sentence).is_well_formed


def test_growing_is_the_same_in_each_run() -> None:
    grammar = load_grammar(STARTER)
    assert list(grow(grammar, TEXTS, (9,))) == list(grow(grammar, TEXTS, (9,)))


def test_the_sentences_come_from_the_corpus_of_the_grammar_or_from_a_file(tmp_path: Path) -> None:
    english = load_grammar("english")
    rows = (ROOT / "corpora" / "english.tsv").read_text(encoding="utf-8").splitlines()
    corpus = texts_of(english, None)
    assert len(corpus) == sum("\tok\t" in row for row in rows) > 100
    assert corpus[0] == rows[1].split("\t")[2]
    file = tmp_path / "sentences.txt"
    file.write_text("# two\n\nCats sleep.\nShe sings.\n", encoding="utf-8")
    assert texts_of(english, str(file)) == ["Cats sleep.", "She sings."]


def test_a_grammar_without_a_corpus_needs_a_file() -> None:
    with pytest.raises(UsageError) as caught:
        texts_of(load_grammar("anbn"), None)
    assert str(caught.value) == "no sentences for the grammar anbn\n  give some that are well formed, with -i FILE"


def test_a_line_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "sentences.txt"
    file.write_bytes(b"caf\xe9\n")
    with pytest.raises(DataError) as caught:
        texts_of(load_grammar(STARTER), str(file))
    assert str(caught.value).startswith(f"{file}:1:4: this line is not UTF-8 (byte 4 is E9)")


def test_sentences_that_all_violate_something_cannot_grow() -> None:
    with pytest.raises(DataError) as caught:
        list(grow(load_grammar(STARTER), ["cat the"], (9,)))
    assert str(caught.value) == "no sentence is well formed by this grammar\n  give some that are, with -i FILE"


def test_sentences_that_are_too_few_to_grow_are_an_error() -> None:
    with pytest.raises(DataError) as caught:
        growth_curves(load_grammar(STARTER), ["The cat sleeps."], (9, 12))
    assert str(caught.value) == (
        "no sentence could be grown to 9, 12 words\n  give longer ones, or more of them, with -i FILE"
    )


def test_a_corrupted_sentence_has_one_word_dropped_doubled_or_moved() -> None:
    made = {corrupted("a b c", Random(seed)) for seed in range(50)}
    assert made == {"b c", "a c", "a a b c", "a b b c", "b a c", "a c b"}


def test_the_exponent_is_fitted_from_ten_words_on() -> None:
    assert exponent(SQUARE) == pytest.approx(2)
    assert exponent([TimingPoint("net", "well-formed", 5, 5, 1000.0), *SQUARE[1:]]) == pytest.approx(2)
    assert exponent(SQUARE[:2]) is None


def test_a_curve_for_each_valuation_and_kind() -> None:
    points = growth_curves(load_grammar(STARTER), TEXTS, (6, 10))
    assert [(point.valuation, point.kind, point.words) for point in points] == [
        (valuation, kind, words)
        for valuation in ("relaxation", "net")
        for kind in ("well-formed", "corrupted")
        for words in (6, 10)
    ]
    assert all(point.milliseconds > 0 for point in points)


def test_the_table_has_a_dash_where_a_curve_ended() -> None:
    points = [*SQUARE, TimingPoint("net", "corrupted", 5, 5, 3.0)]
    assert list(timing_report(points, "starter").lines()) == [
        "median ms per sentence, and b in ms ~ words^b from 10 words on",
        "  words         net, well-formed           net, corrupted",
        "      5                     0.25                     3.00",
        "     10                     1.00                        -",
        "     20                     4.00                        -",
        "     40                    16.00                        -",
        "      b                     2.00                        -",
    ]


def test_the_plot_is_svg_with_a_line_for_each_curve() -> None:
    drawing = ElementTree.fromstring(timing_plot([*SQUARE, TimingPoint("net", "corrupted", 5, 5, 3.0)], "a < b"))
    space = "{http://www.w3.org/2000/svg}"
    assert drawing.get("aria-label") == "a < b"
    lines = drawing.findall(f"{space}polyline")
    assert [len((line.get("points") or "").split()) for line in lines] == [4, 1]
    assert [line.get("class") for line in lines] == ["curve curve-1", "curve curve-2"]
    texts = [text.text for text in drawing.findall(f"{space}text")]
    assert {"a < b", "words", "ms per sentence", "net, well-formed: n^2.0", "net, corrupted", "10", "20"} <= set(texts)


def test_a_square_is_a_straight_line_in_the_plot() -> None:
    drawing = ElementTree.fromstring(timing_plot(SQUARE, "square"))
    line = drawing.find("{http://www.w3.org/2000/svg}polyline")
    assert line is not None
    places = [tuple(map(float, pair.split(","))) for pair in (line.get("points") or "").split()]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(places)]
    assert slopes == pytest.approx([slopes[0]] * 3, rel=0.01)
