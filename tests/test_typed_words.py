"""From typed text to the words of the lexicon: case, marks, cuts, letters, text without blanks, running text."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from unicodedata import category, combining
from unittest.mock import Mock, call

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat import DataError, GrammarError, Parser, load_grammar, parse_grammar
from numbat.grammar import loading
from numbat.grammar.checks import check
from numbat.grammar.model import Entry, Reading
from numbat.grammar.names import MARKS, NAME, VIRAMAS, is_name
from numbat.grammar.printing import format_grammar
from numbat.parsing.explanation.text import brackets
from numbat.runs import sentences as sources
from numbat.runs.sentences import sentence_spans, split_sentences
from numbat.words.lattice import Lattice, in_atoms, joined
from numbat.words.lexical_lookup import OTHERWISE, Words, read_text, similar_forms, words_of
from numbat.words.pasted_text import read_pasted
from numbat.words.segmentation import atoms, segment, word_costs
from numbat.words.tokens import spelled, tokenize
from tests.command_line import Numbat, json_lines
from tests.growth import growth

GRAMMAR = """\
leaves: N, PN, V, Det, P, Cl, Inf
S: uniq {N, V}
tokens:
    suffix "lo", "le" after {V, Inf}
    suffix "-la"; prefix "l'"
    rewrite pelo: por, lo
lexicon:
    mark: V weight 3, N; Mark: PN; polish: V; Polish: N
    "ka?": N; ki: V; "n?2": N; "-ta": V; "tv'": V; "'iv": N; "C++": N; "U.S.": PN; "Yahoo!": PN; Yahoo: PN
    da: V; dale: N; le: Cl; lo: Cl; pelo: N; por: P; caba: N; dar: Inf; "-la": Cl; "l'": Det
    ami: N; "l'ami": PN; the: Det; The: PN; usual: N; we: N; sleeps: V; "(": P
"""


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


@pytest.fixture(scope="module")
def words() -> Words:
    return words_of(parse_grammar(GRAMMAR))


def readings(lattice: Lattice, start: int = 0, end: int | None = None) -> set[tuple[str, str]]:
    """Return form and category of each arc over some tokens."""
    end = start + 1 if end is None else end
    return {(arc.form, arc.category) for arc in lattice.arcs if (arc.start, arc.end) == (start, end)}


@pytest.mark.parametrize(
    ("text", "word", "has_both"),
    [
        ("Mark ki", "Mark", True),
        ("“Mark ki", "Mark", True),
        ("ki: Mark ki", "Mark", True),
        ("ki – Mark", "Mark", True),
        ("ki (Mark", "Mark", True),
        ("ki. Mark ki", "Mark", True),
        ("1) Mark ki", "Mark", True),
        ("MARK KI", "MARK", True),
        ("Sleeps Mark The Ki", "Mark", True),
        ("ki Mark", "Mark", False),
        ("ki, Mark ki", "Mark", False),
    ],
)
def test_a_capital_of_the_place_hides_no_word(words: Words, text: str, word: str, has_both: bool) -> None:
    lattice = read_text(text, words)
    at = lattice.tokens.index(word)
    both = {(word, "PN"), (word, "V"), (word, "N")}
    assert readings(lattice, at) == (both if has_both else {(word, "PN")})


def test_what_is_written_costs_no_more_than_before_and_is_taken_if_nothing_else_decides(words: Words) -> None:
    lattice = read_text("Mark", words)
    weights = {arc.category: arc.log_weight for arc in lattice.arcs}
    assert weights["PN"] - weights["V"] == pytest.approx(OTHERWISE)
    parser = Parser(load_grammar("english"))
    for verb in ("mark the word", "polish the table", "sue the man"):
        typed = parser.parse(f"{verb.capitalize()}.")
        assert typed.is_well_formed
        assert typed.cost_units == parser.parse(verb).cost_units + round(OTHERWISE * 1_000_000)
    assert "(PN Mark)" in brackets(parser.parse("Mark sleeps."))


@pytest.mark.parametrize(
    ("text", "tokens", "skipped"),
    [
        ("ka?.", "ka?", "."),
        ("ki n?2.", "ki n?2", "."),
        ("tv', 'iv -ta!", "tv' 'iv -ta", ", !"),
        ("(C++) Yahoo! U.S., U.S.", "( C++ Yahoo! U.S. U.S.", ") ,"),
        ("((ki", "( ( ki", ""),
        ("The J. Smith of M.I.T. ki", "The J. Smith of M.I.T. ki", ""),
        ("ki Inc. sleeps", "ki Inc. sleeps", ""),
        ("ki Inc. Sleeps", "ki Inc Sleeps", "."),
        ("ki p.m.", "ki p.m", "."),
        ("sleeps.The usual,we ki?we", "sleeps The usual we ki we", ". , ?"),
        ("sleeps.the www.Sleeps.The a.B@sleeps.The", "sleeps.the www.Sleeps.The a.B@sleeps.The", ""),
        ("https://a.b/c?d=e. ki:) 5°C", "https://a.b/c?d=e ki 5 °C", ". :)"),
        ("ki/we 1/2 ki(s)", "ki we 1/2 ki(s)", "/"),
    ],
)
def test_a_mark_hides_no_word(words: Words, text: str, tokens: str, skipped: str) -> None:
    lattice = read_text(text, words)
    assert (" ".join(lattice.tokens), " ".join(lattice.skipped)) == (tokens, skipped)


def test_a_form_with_its_mark_and_without_are_both_there(words: Words) -> None:
    assert readings(read_text("Yahoo!", words)) == {("Yahoo!", "PN"), ("Yahoo", "PN")}
    assert readings(read_text("ki(s)", words)) == {("ki(s)", "?"), ("ki", "V")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("dale", [(0, 1, "da", "V"), (1, 2, "le", "Cl"), (0, 2, "dale", "N")]),
        ("darlo", [(0, 1, "dar", "Inf"), (1, 2, "lo", "Cl")]),
        ("dalelo", [(0, 1, "da", "V"), (1, 2, "le", "Cl"), (2, 3, "lo", "Cl"), (0, 2, "dale", "N")]),
        ("pelo", [(0, 1, "por", "P"), (1, 2, "lo", "Cl"), (0, 2, "pelo", "N")]),
        ("cabalo", [(0, 1, "cabalo", "?")]),
        ("camello", [(0, 1, "camello", "?")]),
        ("l'ami", [(0, 1, "l'", "Det"), (1, 2, "ami", "N"), (0, 2, "l'ami", "PN")]),
        ("zorg-la", [(0, 1, "zorg", "?"), (1, 2, "-la", "Cl")]),
    ],
)
def test_each_way_to_cut_a_word_is_in_the_lattice(
    words: Words, text: str, found: list[tuple[int, int, str, str]]
) -> None:
    lattice = read_text(text, words)
    every = {(arc.start, arc.end, arc.form, arc.category) for arc in lattice.arcs}
    assert set(found) - {(0, 2, "dale", "N")} <= every
    assert {arc[:2] for arc in every} <= {arc[:2] for arc in found}
    assert all(arc.log_weight == 0 for arc in lattice.arcs)


def test_tokens_of_a_condition_are_written_together() -> None:
    from numbat.words.lexical_lookup import detokenize

    words = words_of(parse_grammar(GRAMMAR))
    assert detokenize(["dar", "le"], words) == "darle"
    assert detokenize(["le", "da"], words) == "le da"


@given(st.lists(st.sampled_from(["da", "le", "lo", "ki", "ka", "'", "?", "-la", "l'", "M", ".", " "]), max_size=9))
def test_places_of_tokens_cover_what_was_typed(parts: list[str]) -> None:
    text = "".join(parts)
    found = tokenize(text, words_of(parse_grammar(GRAMMAR)))
    covered = "".join(text[a:b] for a, b in sorted({*found.places, *found.skipped_places}))
    assert covered.replace(" ", "") == text.replace(" ", "")


def test_many_rules_and_long_words_take_time_that_grows_with_their_number() -> None:
    def rules(size: int) -> Words:
        forms = ", ".join(
            f'"{"".join(each)}"' for each, _ in zip(product("abcdefghij", repeat=4), range(size), strict=False)
        )
        return words_of(parse_grammar(f"leaves: N\nS: uniq N\ntokens:\n    suffix {forms}\nlexicon:\n    cat: N\n"))

    many = rules(10_000)
    assert read_text("cat" + "abcd" * 20_000, many).tokens == ("cat" + "abcd" * 20_000,)
    assert growth(lambda size: tokenize("aaaa" * size, many), 2_000) < 24


# Letters


def test_characters_of_a_name_are_those_of_unicode() -> None:
    """The lists in the code follow a later Unicode than some Pythons have; unknown characters are ignored."""
    every = [char for char in map(chr, range(0x110000)) if category(char) not in ("Cn", "Co", "Cs")]
    marks, viramas = re.compile(f"[{MARKS}]"), re.compile(f"[{VIRAMAS}]")
    assert [char for char in every if (category(char)[0] == "M") != bool(marks.match(char))] == []
    assert [char for char in every if (combining(char) == 9) != bool(viramas.match(char))] == []
    name = re.compile(NAME)
    assert [char for char in every if char.isidentifier() and not name.fullmatch(char)] == []
    inside = [char for char in every if f"a{char}".isidentifier() and char not in "\u200c\u200d"]
    assert [char for char in inside if not name.fullmatch(f"a{char}")] == []


@pytest.mark.parametrize(
    "word", ["हिन्दी", "ที่", "தமிழ்", "كِتَاب", "שָׁלוֹם", "ə̃", "क्‍ष", "kʼa", "ʻokina", "می‌روم", "അവന്‍", "col·lega"]
)
def test_whole_scripts_need_no_quotes(word: str) -> None:
    assert is_name(word)
    grammar = parse_grammar(f"leaves: N\nS: uniq N\nlexicon:\n    {word}: N\n")
    assert grammar.lexicon[0].form == word
    assert f"\n    {word}: N\n" in format_grammar(grammar)
    assert not any(arc.guessed for arc in read_text(f"{word}.", words_of(grammar)).arcs)


def test_a_name_is_the_same_however_it_is_composed() -> None:
    grammar = parse_grammar("leaves: e\u0301\nS:\n    uniq é\nlexicon:\n    a: é\n")
    assert grammar.leaves == ("é",)


def test_entries_of_a_form_count_in_their_order_however_they_are_composed() -> None:
    entries = (Entry(form, (Reading(of),)) for form, of in (("e\u0301", "N"), ("a", "N"), ("b\nc", "V"), ("é", "V")))
    grammar = replace(parse_grammar("leaves: N, V\nS: uniq N\n"), lexicon=tuple(entries))
    assert [reading.category for reading in words_of(grammar).readings["é"]] == ["N", "V"]
    assert [*words_of(grammar).readings] == ["é", "a", "b\nc"]


@pytest.mark.parametrize("text", ["ki\u200b", "\u200bki", "k\u00adi", "ki\ufeff \u200f", "k\u200di"])
def test_characters_without_a_shape_hide_no_word(words: Words, text: str) -> None:
    lattice = read_text(text, words)
    assert lattice.tokens == ("ki",)
    start, end = lattice.places[0]
    assert (text[start], text[end - 1]) == ("k", "i")


@given(st.lists(st.sampled_from(["ki", "می‌روم", "അവന്‍", "👩‍🚀", " ", ".", "-"]), max_size=6), st.data())
def test_signs_of_direction_change_no_word(parts: list[str], data: st.DataObject) -> None:
    """Direction marks between characters do not change the tokens, and each token has the place of its characters."""
    words = words_of(parse_grammar("leaves: N\nS: uniq N\nlexicon:\n    ki: N\n"))
    typed = [data.draw(st.text("\u200b\u200f\u2067\ufeff\u00ad", max_size=2)) + char for char in "".join(parts)]
    text, plain = "".join(typed), tokenize("".join(parts), words)
    found = tokenize(text, words)
    assert (found.tokens, found.skipped) == (plain.tokens, plain.skipped)
    assert [spelled(text[a:b]) for a, b in found.places] == found.tokens


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_a_joiner_stands_bare_only_where_the_script_needs_it(joiner: str) -> None:
    assert [is_name(word) for word in (f"k{joiner}a", f"ka{joiner}", f"می{joiner}", f"क{joiner}ष")] == [False] * 4
    assert spelled(f"k{joiner}a می{joiner}\u200f، ب{joiner}{joiner}ت") == f"ka می، ب{joiner}ت"


def test_the_caret_stands_below_its_character() -> None:
    with pytest.raises(GrammarError) as caught:
        parse_grammar("leaves: N\nS: uniq N\nlexicon:\n    ที่: N; 猫: N; a b: N\n", "g.pg")
    assert str(caught.value.problems[0]).splitlines()[:3] == [
        'g.pg:4:21: "b" does not fit here',
        "        ที่: N; 猫: N; a b: N",
        "                       ^",
    ]


def test_letters_that_look_like_apostrophes(numbat: Numbat) -> None:
    Path("g.pg").write_text(
        'leaves: N, V\nS: uniq {N, V}\nlexicon:\n    kʼa: V\n    "k\'a": N\n    "‘": N\n    "\'": V\n', encoding="utf-8"
    )
    words = words_of(load_grammar("g.pg"))
    assert [arc.category for arc in read_text("k'a kʼa k’a", words).arcs] == ["N", "V", "N"]
    assert numbat("check", "g.pg").err == (
        'g.pg: warning: "kʼa" and "k\'a" of the lexicon differ in a character that looks like an apostrophe\n'
        "  they are two words; write both with the same character if you mean one word\n\n"
    )


def test_readings_beside_those_of_an_included_grammar_are_told(numbat: Numbat) -> None:
    Path("a.pg").write_text("leaves: N, V\nS: uniq {N, V}\nlexicon:\n    cat: N; dog: N; run: V\n", encoding="utf-8")
    Path("b.pg").write_text('include: "a.pg"\nlexicon:\n    cat: V; run: N; bird: N\n', encoding="utf-8")
    assert numbat("check", "b.pg").err == (
        "b.pg:3:5: warning: 2 forms of the lexicon have readings in a.pg too: cat, run\n"
        "        cat: V; run: N; bird: N\n"
        "        ^^^\n"
        "  each reading is one more choice in every sentence: leave out those that you do not mean, or write "
        "'without word cat' to keep only yours\n\n"
    )
    Path("words.tsv").write_text("bird\tN\ndog\tV\n", encoding="utf-8")
    Path("c.yaml").write_text("include: a.pg\nlexicon_file: words.tsv\n", encoding="utf-8")
    assert numbat("check", "c.yaml").err.splitlines()[:2] == [
        "words.tsv:2:1: warning: 1 form of the lexicon has readings in a.pg too: dog",
        "    dog\tV",
    ]
    Path("chapter.pg").write_text("# lexicon: none here\nT:\n    uniq N\n", encoding="utf-8")
    book = 'include: "a.pg"\ninclude: "chapter.pg"\nlexicon:\n    cat: V\n'
    Path("book.pg").write_text(book, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        book_of_words = load_grammar("book.pg")
        loader = Mock(side_effect=load_grammar)
        patched.setattr(loading, "load_grammar", loader)
        assert "book.pg:4:5" in [str(each.span) for each in check(book_of_words, "book.pg")]
        assert loader.mock_calls == [call("a.pg")]  # the chapter does not define words
    Path("d.pg").write_text('include: "a.pg"\nwithout word cat\nlexicon:\n    cat: V\n', encoding="utf-8")
    assert numbat("check", "d.pg").err == ""


# Text without blanks

JAPANESE = """\
leaves: N, Prt, V
S:
    uniq V
    {N, Prt} < V
tokens: segment
lexicon:
    猫: N; 魚: N; 魚を食: N; が: Prt; を: Prt; 食べる: V
"""


def test_words_of_a_text_without_blanks_are_found() -> None:
    parser = Parser(parse_grammar(JAPANESE))
    assert brackets(parser.parse("猫が魚を食べる。")) == "(S (N 猫) (Prt が) (N 魚) (Prt を) (V 食べる))"
    assert [word.form for word in parser.parse("犬が魚を食べる").guessed] == ["犬"]
    lattice = read_text("猫がGDPを", parser.words)
    assert (lattice.tokens, lattice.places) == (("猫", "が", "GDP", "を"), ((0, 1), (1, 2), (2, 5), (5, 6)))
    assert read_text("猫、魚", parser.words).skipped == ("、",)


@given(st.text("猫魚がを食べる犬ab", min_size=1, max_size=8))
def test_segmentation_is_the_cheapest_of_all(run: str) -> None:
    """The least sum of costs of a way to divide a run is 0."""
    words = {"猫": 4.0, "魚": 2.0, "魚を食": 1.0, "が": 9.0, "を": 9.0, "食べる": 3.0, "べる": 1.0}
    costs = word_costs([*words.values()], words)

    def known(form: str) -> float | None:
        return costs.known(words[form]) if form in words else None

    edges = segment(run, 3, known, costs.unknown)
    assert min(edge.cost for edge in edges) >= 0
    least = {0: 0.0}
    for start, end, cost in edges:
        if start in least:
            least[end] = min(least.get(end, float("inf")), least[start] + cost)
    assert least[len(run)] == pytest.approx(0)


def test_long_runs_are_read_in_time_that_grows_with_their_length() -> None:
    words = words_of(parse_grammar(JAPANESE))
    assert growth(lambda size: tokenize("猫が魚を食べる犬" * size, words), 200) < 24
    with pytest.raises(DataError, match=r"a sentence has [\d,]+ words; at most 5,000 are allowed"):
        read_text("猫が魚を食べる犬" * 1_000, words)


VIETNAMESE = """\
leaves: N, V, P
S:
    uniq V
tokens: segment
lexicon:
    học: V weight 8; sinh: V weight 2; "học sinh": N weight 9; "sinh học": N weight 4; đất: N weight 6; hai: N weight 9
    nước: N weight 6; "đất nước": N weight 1; "Hà Nội": P weight 5; không: N weight 2; "không gian": N weight 5
    gian: N weight 1; quan: N weight 1; "thời gian": N weight 2
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("học sinh học sinh học", ["học sinh", "học sinh", "học"]),
        ("sinh học sinh", ["sinh", "học sinh"]),
        ("Học sinh học", ["Học sinh", "học"]),
        ("HỌC SINH HÀ NỘI", ["HỌC SINH", "HÀ NỘI"]),
        ("ha\u0300 n\u00f4\u0323i", ["hà", "nội"]),
        ("Ha\u0300 No\u0302\u0323i", ["Hà Nội"]),
        ("Hà\u00a0  Nội", ["Hà Nội"]),
        ("thời không gian quan", ["thời", "không gian", "quan"]),
        ("đất nước", ["đất nước"]),
        ("hai đất", ["hai", "đất"]),
        ("hai 猫 đất nước", ["hai", "猫", "đất nước"]),
    ],
)
def test_words_with_blanks_are_found_by_their_costs(text: str, words: list[str]) -> None:
    """The likeliest division costs nothing; any other word costs more or is another reading of the same tokens."""
    lattice = read_text(text, words_of(parse_grammar(VIETNAMESE)))
    least = {0: (0.0, [""])}
    for arc in sorted(lattice.arcs, key=lambda arc: arc.start):
        if arc.start in least:
            cost, before = least[arc.start]
            least[arc.end] = min(least.get(arc.end, (float("inf"), [""])), (cost + arc.cost, [*before, arc.form]))
    cost, forms = least[len(lattice.tokens)]
    assert forms[1:] == words
    assert cost == pytest.approx(0)
    assert {(i, i + 1) for i in range(len(lattice.tokens))} <= {arc[:2] for arc in lattice.arcs}


@pytest.mark.parametrize(
    ("rule", "forms"),
    [("segment", ["học sinh", "học", "đất nước"]), ('prefix "x-"', ["học", "sinh", "học", "đất", "nước"])],
)
def test_words_with_blanks_in_conllu(rule: str, forms: list[str]) -> None:
    """They stay words if the grammar divides text by costs, also in a parse from another process."""
    parse = Parser(parse_grammar(VIETNAMESE.replace("segment", rule))).parse("học sinh học đất  nước")
    linked = parse.to_conllu()
    assert [line.split("\t")[1] for line in linked.splitlines() if line[:1].isdigit()] == forms
    assert "# text = học sinh học đất nước\n" in linked
    assert pickle.loads(pickle.dumps(parse)).to_conllu() == linked


@pytest.mark.parametrize("weights", ["", "tokens: segment\n"])
def test_words_with_blanks_cost_nothing_without_counts(weights: str) -> None:
    lexicon = 'lexicon:\n    of: P; course: N; "of course": A\n'
    lattice = read_text("Of course", words_of(parse_grammar(f"leaves: N, P, A\n{weights}{lexicon}")))
    assert [(arc.form, arc.cost) for arc in lattice.arcs] == [("Of", 0), ("course", 0), ("Of course", 0)]


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("học sinh", ["học", "sinh"]),
        (" U.S.  dollar ", ["U.S.", "dollar"]),
        ("猫GDP魚", ["猫", "GDP", "魚"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("", []),
        ("2009年 3月", ["2009", "年", "3", "月"]),
    ],
)
def test_atoms(written: str, parts: list[str]) -> None:
    assert [written[start:end] for start, end in atoms(written)] == parts


@pytest.mark.parametrize(
    ("text", "begins", "words", "gaps"),
    [
        ("học sinh học", "101", ["học sinh", "học"], []),
        ("học  sinh , học", "1001", ["học sinh", "học"], [1]),
        ("học , sinh", "100", ["học", "sinh"], [1]),
        ("猫魚GDP", "100", ["猫魚GDP"], []),
        ("猫 魚", "10", ["猫", "魚"], []),
        ("“học sinh", "010", ["học sinh"], [0]),
    ],
)
def test_parts_are_joined_to_words(text: str, begins: str, words: list[str], gaps: list[int]) -> None:
    """No word extends over a skipped mark, or over a blank between letters of a script without blanks."""
    lattice = in_atoms(read_text(text, words_of(parse_grammar("leaves: N\nlexicon:\n    học: N\n"))))
    first = [begin == "1" for begin in begins]
    lattice = joined(lattice, first[-len(lattice.tokens) :])
    assert ([*lattice.tokens], [*lattice.gaps]) == (words, gaps)
    assert [" ".join(text[start:end].split()) for start, end in lattice.places] == words


def test_a_grammar_that_looks_for_no_words_in_such_text_says_so(numbat: Numbat) -> None:
    Path("g.pg").write_text(JAPANESE.replace("tokens: segment\n", ""), encoding="utf-8")
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "猫が魚を食べる", "魚を食べる").err == (
        "numbat: 2 sentences in a script without blanks between words, which the grammar does not segment\n"
        "  write 'segment' below 'tokens:' of the grammar, or blanks between the words\n"
        "numbat: 2 words unknown in 2 sentences: 猫が魚を食べる, 魚を食べる\n"
    )


# Running text

BOOK = """\
# Chapter one. The cat sees
the dog. J. Smith sleeps "a lot.

* The dog sleeps! Does it?
"""


def test_running_text_is_split_with_places(numbat: Numbat) -> None:
    Path("book.txt").write_text(BOOK, encoding="utf-8")
    sentences = [each for each in split_sentences((), "book.txt", "en") if not isinstance(each, DataError)]
    assert [(each.id, each.text) for each in sentences] == [
        ("book.txt:1:1-14", "# Chapter one."),
        ("book.txt:1:16-2:8", "The cat sees the dog."),
        ("book.txt:2:10-32", 'J. Smith sleeps "a lot.'),
        ("book.txt:4:1-17", "* The dog sleeps!"),
        ("book.txt:4:19-26", "Does it?"),
    ]
    lines = BOOK.splitlines()
    assert lines[1][9:32] == sentences[2].text
    done = numbat("parse", "--split", "-i", "book.txt", "-f", "jsonl")
    assert [value["id"] for value in json_lines(done.out)] == [each.id for each in sentences]
    assert "mark" not in done.err
    assert "more than one sentence" not in done.err
    twice = numbat("parse", "--split", "-i", "book.txt", "-f", "jsonl", "--jobs", "2", "-q")
    assert json_lines(twice.out) == json_lines(done.out)


def test_ordinal_numbers_end_no_sentence_where_they_have_full_stops() -> None:
    text = "Er wohnt im 6. Stock. Er kam am 18. Mai."
    assert [text[a:b] for a, b in sentence_spans(text, "de")] == ["Er wohnt im 6. Stock.", "Er kam am 18. Mai."]


def sentences_of(text: str, language: str = "en") -> list[str]:
    known = {"experiment", "co-op", "well-known"}
    made = split_sentences([text], None, language, has=known.__contains__)
    return [each.text for each in made if not isinstance(each, DataError)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- The cat\n- The dog\nThe end.", ["- The cat", "- The dog", "The end."]),
        ("1. The cat\n2. The dog", ["The cat", "The dog"]),
        ("(a) The cat\n(b) The dog", ["The cat", "The dog"]),
        ("b) The cat sees\n   the dog\nc) The dog", ["The cat sees    the dog", "The dog"]),
        ("• The cat sees\nthe dog\n• The dog", ["• The cat sees the dog", "• The dog"]),
        ("He left in\n1914. Then she left.", ["He left in 1914.", "Then she left."]),
        ("He met\nA. Smith.", ["He met A. Smith."]),
        ("A. Smith sees\nMary.", ["A. Smith sees Mary."]),
        ("A. Smith\nB. Jones", ["Smith", "Jones"]),
        ("¹. A note.\n². A further note.", ["A note.", "². A further note."]),  # no decimal digits
        ("See:\n- The cat", ["See:", "- The cat"]),
        ("the man - the tall\n- one - left", ["the man - the tall - one - left"]),
        ("# The cat\nThe dog sleeps.", ["# The cat", "The dog sleeps."]),
        ("The Cat\n=======\nThe dog sleeps.", ["The Cat", "The dog sleeps."]),
        ("THE CAT\nThe dog sleeps in the house.", ["THE CAT", "The dog sleeps in the house."]),
        ("- The dog\nTHE CAT\nThe dog sleeps in the house.", ["- The dog", "THE CAT", "The dog sleeps in the house."]),
        ("2.1 The cat\nThe dog sleeps in the house.", ["2.1 The cat", "The dog sleeps in the house."]),
        ("The cat sees\nMary in the house.", ["The cat sees Mary in the house."]),
        ("The exper-\niment failed.", ["The experiment failed."]),
        ("The inter-\nview failed.", ["The interview failed."]),
        ("A well-\nknown co-\nop.", ["A well-known co-op."]),
        ("Anglo-\nAmerican two- and\nthree-way.", ["Anglo-American two- and three-way."]),
        ("two-\nand threefold", ["two- and threefold"]),
        ("ex\u00ad\nperiment", ["experiment"]),
        ("The cat sleep\n*The cats sleeps", ["The cat sleep", "*The cats sleeps"]),
        ("The cat sleeps. *The cat sleep.", ["The cat sleeps.", "*The cat sleep."]),
        ("The cat sleeps. ??The cat sleep. It ends.", ["The cat sleeps.", "??The cat sleep.", "It ends."]),
        ("It ends. *very long* days end.", ["It ends.", "*very long* days end."]),
    ],
)
def test_lines_of_running_text(text: str, expected: list[str]) -> None:
    assert sentences_of(text) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "See Fig. 3.|Cf. Dr. Smith, e.g. No. 5.|He works at Acme Inc. now.|It rained on Jan. 5.|He left."),
        ("en", "He works at Acme Inc.|He left."),
        ("en", '"Stop!" he said.|"Stop!"|He left.|"Why?" asked Mary.'),
        ("fr", "M. Dupont vient.|Mme. Dupont cf. p. 3 vient.|« Stop ! » dit-il.|Il part."),
        ("de", "Dr. Müller kam z. B. am 3. Mai, vgl. Abb. 3.|„Halt!“ sagte er.|Er ging."),
        ("es", "El Sr. García vino.|Véase p. ej. la pág. 3.|Ud. viene."),
        ("it", "Il sig. Rossi viene.|Cfr. pag. 3.|Il dott. Rossi viene."),
        ("nl", "Dhr. Jansen komt.|Zie bijv. blz. 3.|Dat is o.a. goed.|Hij gaat."),
    ],
)
def test_abbreviations_and_quotations_end_no_sentence(language: str, text: str) -> None:
    assert sentences_of(text.replace("|", " "), language) == text.split("|")


def test_labels_of_list_items_are_told(numbat: Numbat) -> None:
    Path("l.txt").write_text("1. The cat sleeps\n2. The dog sleeps\n", encoding="utf-8")
    done = numbat("parse", "--split", "-i", "l.txt", "-f", "jsonl")
    assert [value["id"] for value in json_lines(done.out)] == ["l.txt:1:4-17", "l.txt:2:4-17"]
    assert done.err == "numbat: 2 labels of list items left out: 1. (l.txt:1), 2. (l.txt:2)\n"


# Pasted text


def lexicon(language: str, *forms: str) -> Words:
    entries = "; ".join(f"{json.dumps(form, ensure_ascii=False)}: N" for form in forms)
    return words_of(parse_grammar(f"language: {language}\nleaves: N\nS: uniq N\nlexicon:\n    {entries}\n"))


@pytest.mark.parametrize(
    ("language", "known", "typed"),
    [
        ("de", "Straße", "STRASSE STRAẞE Strasse Straße"),
        ("de", "groß", "gross Gross GROSS groß GROẞ"),
        ("de", "Fluss", "Fluß FLUSS FLUẞ"),
        ("de", "Haus", "HAUS Haus"),
        ("de-CH", "Masse", "MASSE Maße"),
        ("en", "McDonald", "MCDONALD McDonald"),
        ("en", "iPhone", "IPHONE iPhone"),
        ("en", "find", "FIND ﬁnd Find"),
        ("en", "office", "oﬃce OFFICE of\u00adfice"),
        ("en", "staff", "staﬀ ﬆaff"),
        ("fr", "été", "ÉTÉ ETE Été Eté"),
        ("fr", "État", "Etat ETAT ÉTAT"),
        ("el", "ὁδός", "ΟΔΟΣ"),
        ("tr", "ırmak", "IRMAK Irmak"),
        ("he", 'צה"ל', 'צה"ל צה״ל'),
        ("he", "ג'", "ג' ג׳"),
        ("ca", "col·legi", "col·legi Col·legi COL·LEGI"),
    ],
)
def test_words_in_other_case_and_letters(language: str, known: str, typed: str) -> None:
    words = lexicon(language, known)
    lattice = read_text(typed, words)
    assert lattice.typed(0, len(lattice.tokens)) == typed
    assert all(words.known(token) for token in lattice.tokens)
    assert [lattice.text[start:end] for start, end in lattice.places] == typed.split()


@pytest.mark.parametrize(
    ("text", "tokens", "skipped"),
    [
        ("<p>The <b>cat</b>.</p>", "The cat", "<p> <b> </b> . </p>"),
        ("cat<br/>dog <a href='x'>ki</a>", "cat dog ki", "<br/> <a href='x'> </a>"),
        ("<u>cat <NP> a < b > c", "<u> cat NP a b c", "< > < >"),
        ("R&amp;D AT&T caf&eacute; &foo;", "R&D AT&T café foo", "& ;"),
        ("H<sub>2</sub>O", "H2O", ""),
        ("**cat** *dog ki* `a` ~~b~~", "cat dog ki a b", "** ** * * ` ` ~~ ~~"),
        ("_cat_ _x_ snake_case __init__", "cat _x_ snake_case __init__", "_ _"),
        ("[the cat](http://a.b/c) ![a](b.png)", "the cat a", "[ ](http://a.b/c) ![ ](b.png)"),
        ("[a](b) 5 * 3 * 2", "a b 5 3 2", "[ ] ( ) * *"),
        ("*cat ki* dog", "cat ki dog", "* *"),
        ("``cat'' and ``dog''", "cat and dog", "`` '' `` ''"),
        ("John_i [the cat]_j t_i e_{i,j}'s", "John the cat t_i e's", "_i [ ] _j"),
        ("John₁ himᵢ H₂O CO₂ t$_i$", "John him H₂O CO₂ t", "₁ ᵢ $_i$"),
        ("a_b_c@d.e file_12 is_ok", "a_b_c@d.e file is_ok", "_12"),
        ("exper-\niment co-\nop", "experiment co-op", ""),
        ("Nord-\nSüd two-\nand", "Nord-Süd two and", "-"),
        ("See Fig. 3, Dr. Smith etc.", "See Fig. 3 Dr. Smith etc", ", ."),
        ("No. 5 No. ki", "No. 5 No ki", "."),
    ],
)
def test_markup_indices_and_abbreviations(text: str, tokens: str, skipped: str) -> None:
    lattice = read_text(text, lexicon("en", "_x_", "<u>", "t_i", "no", "co-op", "cat"))
    assert (" ".join(lattice.tokens), " ".join(lattice.skipped)) == (tokens, skipped)
    assert [lattice.text[start:end] for start, end in lattice.skipped_places] == list(lattice.skipped)
    assert lattice.gaps == tuple(
        sum(place[0] < start for place in lattice.places) for start, _ in lattice.skipped_places
    )


def test_a_word_that_may_be_an_abbreviation_keeps_its_readings() -> None:
    assert readings(read_text("no. 5", lexicon("en", "no"))) >= {("no", "N"), ("no.", "?")}


def test_what_is_left_out_is_told_once(numbat: Numbat) -> None:
    texts = [
        "<p>The cat sleeps.</p>",
        "The **big** cat sleeps.",
        "The *big* cat_i sleeps.",
        "The cats sleep. *The cats sleeps.",
    ]
    assert numbat("parse", "-f", "bracket", "-q", *texts).err.splitlines()[:-3] == []
    notes = [line for line in numbat("parse", "-f", "bracket", *texts).err.splitlines() if "left out" in line]
    assert notes == [
        "numbat: 1 index left out: _i",
        "numbat: 4 marks of Markdown left out in 2 sentences: **, *",
        "numbat: 2 tags of HTML left out: <p>, </p>",
    ]
    assert "4: this seems to be more than one sentence" in numbat("parse", "-f", "bracket", *texts).err


@pytest.mark.parametrize("unit", ["*a* ", "<!-- ", "[a", "_a ", "a-\n"])
def test_pasted_text_is_read_in_time_that_grows_with_its_length(unit: str) -> None:
    assert growth(lambda size: read_pasted(unit * size, frozenset[str]().__contains__), 500) < 24


def test_options_that_do_not_go_with_running_text(numbat: Numbat) -> None:
    assert numbat("parse", "--split", "--tagged", "a/N").err.splitlines()[-2:] == [
        "numbat: --split and --tagged exclude each other",
        "  --split divides running text, and this text is divided already: leave one of them out",
    ]


def test_wrapped_lines_are_told(numbat: Numbat) -> None:
    Path("w.txt").write_text(
        "The cat sees the dog that sleeps in\nthe house of the man who sees the cat and\nthe dog. The dog barks.\n",
        encoding="utf-8",
    )
    assert "numbat: 2 of 3 lines continue the sentence of the line before\n" in numbat("parse", "-i", "w.txt").err


def test_similar_forms_are_those_at_one_change() -> None:
    lexicon = parse_grammar("leaves: N\nS: uniq N\nlexicon:\n    sleeps: N; sweeps: N; sleep: N; other: N\n").lexicon
    assert similar_forms("slepes", lexicon) == ["sleeps"]
    assert similar_forms("sleepz", lexicon) == ["sleep", "sleeps"]
    assert similar_forms("Sleepz", lexicon) == similar_forms("x" * 100_000, lexicon) == []


def test_what_is_pasted_into_the_page_becomes_sentences() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js")
    module = Path(sources.__file__).parent.parent / "workbench" / "page" / "sentences.js"
    text = "The cat sees the dog that sleeps\nin the house. Mr. Smith sleeps. Does he?\n* cat the. Dog\n\nOne"
    script = f"import {{sentencesOf}} from {json.dumps(module.as_uri())}; "
    script += f"console.log(JSON.stringify(sentencesOf({json.dumps(text)})))"
    done = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        "The cat sees the dog that sleeps in the house.", "Mr. Smith sleeps.", "Does he?", "* cat the. Dog", "One",
    ]  # fmt: skip
