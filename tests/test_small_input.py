"""Small inputs with large results: sizes are checked before anything is built, and reading of files is limited."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pytest

from numbat import Arc, DataError, GrammarError, Lattice, Parser, files, load_grammar, parse_grammar
from numbat.files import composed, composed_parts
from numbat.grammar import constructions
from numbat.grammar.properties import Property
from numbat.words.lexical_lookup import Words, read_text, read_tokens, words_of
from numbat.words.tokens import tokenize
from numbat.words.typed import read_tagged
from tests.command_line import Numbat
from tests.growth import growth

ROWS = {
    "suffixes": "the cat" + "'s" * 100_000,
    "apostrophes": "the cat" + "'" * 100_000,
    "marks": "*?" * 100_000,
    "marks of letters": "a" + "\u0301\u0323" * 100_000,
    "letters with marks": "e\u0301" * 100_000,
    "syllables": "\u1100\u1161" * 50_000,
}


def features(number: int) -> str:
    declared = "".join(f"    f{i}: a, b\n" for i in range(number))
    return f"leaves: A\nfeatures:\n{declared}S:\n    oblig A\n"


def bracket(number: int) -> str:
    return ", ".join(f"f{i}=a|b" for i in range(number))


@pytest.fixture(scope="module")
def words() -> Words:
    return Parser(load_grammar("english")).words


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_any_signs_is_cut_in_time_that_grows_with_its_length(name: str, words: Words) -> None:
    """A row eight times as long takes some eight times as long; where time grew with its square it took 64 times."""
    whole = ROWS[name]
    assert growth(lambda size: tokenize(whole[:size], words), len(whole) // 8) < 24


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a " * 5_001, "a sentence has 5,001 words; at most 5,000 are allowed\n  give one sentence per line"),
        ("cat" + "'s" * 5_000, "a sentence has 5,001 words; at most 5,000 are allowed\n  give one sentence per line"),
        (
            "a" * 1_000_001,
            "a sentence has 1,000,001 characters; at most 1,000,000 are allowed\n  give one sentence per line",
        ),
    ],
)
def test_a_sentence_that_is_too_long_is_told_before_it_is_parsed(text: str, told: str, words: Words) -> None:
    with pytest.raises(DataError) as error:
        read_text(text, words)
    assert str(error.value) == told


def test_a_sentence_is_as_long_as_it_may_be_in_each_way_to_give_one(words: Words) -> None:
    whole, told = (
        "cat/N " * 5_000,
        "a sentence has 5,001 words; at most 5,000 are allowed\n  give one sentence per line",
    )
    assert len(read_text("cat " * 5_000, words).tokens) == 5_000
    lattice = read_tagged(whole, words)
    longer = Lattice((*lattice.tokens, "cat"), (*lattice.arcs, Arc(5_000, 5_001, "cat", "N")))
    parser = Parser(words.grammar)
    reads: list[Callable[[], object]] = [
        lambda: read_tagged(whole + "cat/N", words),
        lambda: read_tokens(["cat"] * 5_001, words),
        lambda: parser.parse(longer),
    ]
    for read in reads:
        with pytest.raises(DataError) as error:
            read()
        assert str(error.value) == told


def test_readings_of_a_sentence_are_counted_before_they_are_made() -> None:
    grammar = parse_grammar(features(8) + f"lexicon:\n    a: A[{bracket(8)}]\n")
    words = words_of(grammar)
    assert len(read_text("a " * 180, words).arcs) == 180 * 256
    reads: list[Callable[[], object]] = [
        lambda: read_text("a " * 200, words),
        lambda: read_tagged("a/A " * 200, words),
        lambda: read_tagged("a/" + "|".join("A" * 200), words),
    ]
    for read in reads:
        with pytest.raises(DataError) as error:
            read()
        assert str(error.value) == (
            "the words of this sentence have more than 50,000 readings\n"
            "  give a shorter sentence, or fewer readings of a word in the lexicon"
        )


def test_the_words_of_a_sentence_times_the_properties_of_its_grammar_are_bounded() -> None:
    """The memory for unfinished phrases is proportional to both; it once took 10 GB."""
    names = ", ".join(f"C{i}" for i in range(100))
    grammar = parse_grammar(f"leaves: {names}\nS:\n    {{{names}}} < {{{names}}}\nlexicon:\n    a: C0\n")
    with pytest.raises(DataError) as error:
        Parser(grammar).parse("a " * 2_001)
    assert str(error.value) == (
        "the sentence has 2,001 words, but with the 10,000 properties of this grammar 2,000 are allowed\n"
        "  write one sentence per line"
    )


def test_each_affix_of_a_row_is_a_token_with_its_place(words: Words) -> None:
    lattice = read_text("the cat's's'S", words)
    assert lattice.tokens == ("the", "cat", "'s", "'s", "'S")
    assert lattice.places == ((0, 3), (4, 7), (7, 9), (9, 11), (11, 13))


def test_composed_letters_are_those_of_unicode_up_to_thirty_marks() -> None:
    rng = random.Random(3)
    for _ in range(2_000):
        text = "".join(
            rng.choices("aé e\u0301\u0323\u0327\u1100\u1161\u11a8가\u09c7\u09be\u0344…", k=rng.randrange(30))
        )
        assert composed(text) == normalize("NFC", text)
        parts = list(composed_parts(text))
        assert "".join(normalize("NFC", text[begin:end]) for begin, end, _ in parts) == composed(text)
        assert sum(length for _, _, length in parts) == len(composed(text))


def test_features_that_stand_for_too_many_readings_are_told_with_their_place() -> None:
    with pytest.raises(GrammarError) as caught:
        parse_grammar(features(16) + f"lexicon:\n    a: A[{bracket(16)}]\n")
    assert str(caught.value).replace(bracket(16), "...") == (
        '<grammar>:22:5: the features of "a" stand for 65,536 readings; at most 500 are allowed\n'
        "        a: A[...]\n        ^\n"
        "  each combination of values is a reading: leave out features that may have any value"
    )
    assert len(parse_grammar(features(8) + f"lexicon:\n    a: A[{bracket(8)}]\n").lexicon) == 1


@pytest.mark.parametrize("section", ['guess:\n    "*a"', 'names:\n    "*a"', "lexicon:\n    a"])
def test_readings_are_counted_wherever_words_get_features(section: str) -> None:
    with pytest.raises(GrammarError, match="stand for 1,024 readings; at most 500 are allowed"):
        parse_grammar(features(10) + f"{section}: A[{bracket(10)}]\n")


def test_spelling_rules_stand_for_fewer_as_each_reading_is_multiplied_by_them() -> None:
    with pytest.raises(GrammarError, match="stand for 32 readings; at most 20 are allowed"):
        parse_grammar(features(5) + f'spelling:\n    "*a": A[{bracket(5)}]\n')


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("{N} < {N}", "250,000"),
        ("{N} => {N}", "250,000"),
        ("{N} & {N} => A0", "250,000"),
        ("A0 => {N} | {N}", "250,000"),
    ],
)
def test_properties_that_braces_stand_for_are_counted_before_they_are_made(
    line: str, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Property] = []
    monkeypatch.setattr(constructions, "Property", lambda *values, **named: made.append(Property(*values, **named)))
    names = ", ".join(f"A{i}" for i in range(500))
    with pytest.raises(GrammarError, match=f"stand for {number} properties here; a grammar may have 50,000"):
        parse_grammar(f"leaves: {names}\nS:\n    {line.replace('N', names)}\n")
    assert made == []


def test_lines_of_a_grammar_are_counted_together() -> None:
    names = ", ".join(f"A{i}" for i in range(60))
    several = "".join(f"S{i}:\n    {{{names}}} < {{{names}}}\n" for i in range(28))
    with pytest.raises(GrammarError, match="stand for 3,600 properties here"):
        parse_grammar(f"leaves: {names}\n{several}")


def test_a_file_without_end_is_told_by_every_reader(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = Numbat(capsys, monkeypatch)
    monkeypatch.setattr(files, "MAX_READ", 3_000_000)
    if not Path("/dev/zero").exists():
        pytest.skip("there is no such device")
    whole = "/dev/zero: this file has more than 3 MB, which is too large\n  split it into several files"
    with pytest.raises(DataError) as caught:
        load_grammar("/dev/zero")
    assert str(caught.value) == whole
    with pytest.raises(DataError) as caught:
        next(files.as_it_comes("/dev/zero"))
    assert str(caught.value) == (
        "/dev/zero:1: this line has more than 3 MB\n  give a text with a sentence in each line"
    )
    (tmp_path / "g.pg").write_text('lexicon_file: "/dev/zero"\nleaves: A\n')
    assert run("check", str(tmp_path / "g.pg")).code == 65
    for arguments in (
        ["parse", "-g", "english", "-i", "/dev/zero"],
        ["test", "english", "/dev/zero"],
        ["score", "/dev/zero", "/dev/zero"],
        ["tag", "train", "/dev/zero", "-o", str(tmp_path / "m.model")],
        ["tag", "run", "/dev/zero", "-"],
    ):
        result = run(*arguments)
        assert result.code in (2, 65, 75), (arguments, result)
