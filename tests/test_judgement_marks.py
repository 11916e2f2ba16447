"""Marks inside sentences: in suites each variant is a sentence, elsewhere the best one counts; named properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat import DataError
from numbat.acceptability.suite import Item
from numbat.acceptability.suite_files import read_lines
from numbat.acceptability.suite_tables import SuiteLayout
from numbat.words.judgement_marks import MAX_PARTS, marked_parts, marked_sentence, variants, without_judgements
from tests.command_line import Numbat


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


VARIANTS = {
    "The cat (*the) sleeps.": [("", "The cat sleeps."), ("*", "The cat the sleeps.")],
    "The cat sleeps/*sleep.": [("", "The cat sleeps."), ("*", "The cat sleep.")],
    "The cat *sleep / sleeps.": [("", "The cat sleeps."), ("*", "The cat sleep.")],
    "The book *(that) I read.": [("", "The book that I read."), ("*", "The book I read.")],
    "*(The) cat sleeps": [("", "The cat sleeps"), ("*", "cat sleeps")],
    "He walk(*s) home.": [("", "He walk home."), ("*", "He walks home.")],
    "It {is/??was being/*am} so.": [("", "It is so."), ("??", "It was being so."), ("*", "It am so.")],
    "The cats *sleeps.": [("*", "The cats sleeps.")],
    "The cat *sleep/*slept.": [("*", "The cat sleep."), ("*", "The cat slept.")],
    "Der Mann (∗den) schläft/*schlafen (??heute).": [
        ("", "Der Mann schläft."),
        ("*", "Der Mann den schläft."),
        ("*", "Der Mann schlafen."),
        ("??", "Der Mann schläft heute."),
    ],
}


@pytest.mark.parametrize("sentence", VARIANTS)
def test_a_mark_inside_a_sentence_judges_a_variant_of_it(sentence: str) -> None:
    assert [*map(tuple, variants(sentence))] == VARIANTS[sentence]


@pytest.mark.parametrize(
    "text",
    [
        "a *very long* day",
        "I **really** mean it",
        "Why? Because/or",
        "What?(he) said",
        "5 *(3) 2",
        "x (#metoo) y",
        "men/women",
        "Is it so?",
        "a *b " * (MAX_PARTS + 1),
    ],
)
def test_signs_of_other_kinds_judge_nothing(text: str) -> None:
    assert marked_parts(text) == ()
    assert without_judgements(text, lambda form: False) == text


def test_a_mark_that_touches_brackets_is_theirs_if_words_follow() -> None:
    assert [marked_sentence(text).mark for text in ("*(The) cat sleeps", "*(The cat sleeps)", "* (The) cat")] == [
        "",
        "*",
        "*",
    ]


@given(st.text(alphabet="ab*?#(){}[]/ :.’∗", max_size=40))
def test_what_is_read_stands_where_it_was_typed(text: str) -> None:
    plain = without_judgements(text, lambda form: False)
    assert len(plain) == len(text)
    assert all(now in (was, " ") for now, was in zip(plain, text, strict=True))
    assert all(0 <= way.start <= way.end <= len(text) for part in marked_parts(text) for way in part.ways)


def test_a_mark_that_the_lexicon_has_is_a_word() -> None:
    assert without_judgements("a *(b) c", lambda form: form == "*") == "a *(b) c"
    assert without_judgements("* [NP: A < B] a b", lambda form: form == "*") == "* [NP: A < B] a b"


def items(text: str, columns: tuple[str, ...] | None = None, adjacent: bool = False) -> tuple[tuple[Item, ...], str]:
    suite = read_lines(text.split("\n"), "s.tsv", SuiteLayout(columns, adjacent=adjacent))
    return suite.items, "; ".join(suite.notes)


def test_in_a_suite_each_variant_is_a_sentence() -> None:
    found, told = items("ok\tThe cat (*the) sleeps.\n*\tCats (?the) sleeps.\n", ("judgement", "sentence"))
    assert [(i.id, i.judgement, i.rating, i.sentence, i.group) for i in found] == [
        ("1/1", "ok", 1.0, "The cat sleeps.", "1"),
        ("1/2", "*", 0.0, "The cat the sleeps.", "1"),
        ("2/1", "*", 0.0, "Cats sleeps.", "2"),
        ("2/2", "*", 0.0, "Cats the sleeps.", "2"),
    ]
    assert told == "marks inside 2 sentences: each variant is read as a separate sentence (s.tsv:1, 2)"


def test_a_list_with_marks_inside_alone_is_a_judged_one() -> None:
    found, _ = items("The cat sleeps/*sleep.\nThe cats *sleeps.\nDogs bark.\n")
    assert [(i.id, i.judgement, i.sentence) for i in found] == [
        ("1/1", "ok", "The cat sleeps."),
        ("1/2", "*", "The cat sleep."),
        ("2", "*", "The cats sleeps."),
        ("3", "ok", "Dogs bark."),
    ]


@pytest.mark.parametrize(
    ("text", "adjacent"),
    [("sentence\trating\nThe cat (*the) sleeps.\t4\n", False), ("ok\tThe (*the) cat.\n*\tCat (*the) the.\n", True)],
)
def test_ratings_and_pairs_speak_of_one_sentence(text: str, adjacent: bool) -> None:
    found, told = items(text, ("judgement", "sentence") if adjacent else None, adjacent)
    assert len(found) == text.count("\n") - (not adjacent)
    assert "of pairs or with ratings: only the best variant was read (s.tsv:" in told


def test_a_sentence_that_is_called_good_and_marked_inside() -> None:
    with pytest.raises(DataError, match=r'mark "\*" stands inside the sentence, but the judgement is "ok"'):
        items("judgement\tsentence\nok\tThe cats *sleeps.\n")


def test_parse_reads_the_best_variant_and_says_so(numbat: Numbat) -> None:
    result = numbat("parse", "-f", "bracket", "The cat (*the) sleeps.", "The cat sleeps/*sleep.")
    assert result.out == "(S (NP (Det The) (N cat)) (VP (V sleeps)))\n" * 2
    assert result.err == (
        "numbat: marks inside 2 sentences judge their variants: the best ones were parsed (1, 2)\n"
        "  numbat test FILE reads each variant as a separate sentence\n"
    )


def test_parse_does_not_read_the_property_behind_a_mark(numbat: Numbat) -> None:
    result = numbat("parse", "-f", "bracket", "* [NP: Det < N] cat the sleeps")
    assert result.out == "(S (NP (N cat) (Det the)) (VP (V sleeps)))\n"
    assert result.err == (
        'numbat: 1: the mark "*" is not part of the sentence: it means that its author judges it ill-formed\n'
        "  numbat test FILE compares such judgements with those of the grammar\n"
        "numbat: 1: the property after the mark, [NP: Det < N], was not parsed: it is not part of the sentence\n"
        "  numbat test FILE checks whether a sentence violates that property\n"
    )
