"""A file with several mistakes: each is reported with its line and column."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from numbat import Arc, DataError, Lattice, Parser, parse_grammar
from numbat.acceptability.suite_files import read_suite
from numbat.errors import MAX_TOLD, Problem, Span, data_error, joined_error
from numbat.labels.sequence_files import read_sequence
from numbat.parsing.treebank_grammar.expansions import HEADER, parse_expansions
from numbat.runs.loop import BatchRun
from numbat.runs.sentences import NamedText, lines_as_they_come
from tests import noun_phrases
from tests.command_line import Done, Numbat

GRAMMAR = f"grammar: small{noun_phrases.GRAMMAR}"
NO_UTF8 = "give its encoding, such as --encoding latin-1, or save the file in the encoding UTF-8"
WRITTEN = "tagged words are written word/TAG or word/TAG1|TAG2"


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def test_expansions() -> None:
    hint = "write three cells separated by tabs, as in 17, NP^S, DT NN"
    lines = [HEADER, "1\tNP^S\tDT NN", "bad line", "0\tNP^S\tN", "2\tNP\tN", "3\tNP^S\tDT  NN"]
    with pytest.raises(DataError) as raised:
        parse_expansions(lines, "e.exp")
    assert str(raised.value) == (
        f"e.exp:3:1: not an expansion: 1 cell, not 3\n    bad line\n    ^\n  {hint}\n"
        "e.exp:4:1: not an expansion: its count must be a whole number above 0 with at most 18 digits\n"
        f"    0\tNP^S\tN\n    ^\n  {hint}\n"
        "e.exp:5:3: not an expansion: the second cell must be a phrase with the label above it\n"
        f"    2\tNP\tN\n     \t^^\n  {hint}\n"
        "e.exp:6:8: not an expansion: its daughters must be separated by single blanks\n"
        f"    3\tNP^S\tDT  NN\n     \t    \t^^^^^^\n  {hint}"
    )


def test_parameters(numbat: Numbat) -> None:
    Path("t.mrg").write_text("(NP (Det the) (N cat))\n", encoding="utf-8")
    Path("p.prm").write_text("# comment\n FOO 1 # x\nLABELED 1\nEQ_LABEL A\n", encoding="utf-8")
    hint = "an example is DELETE_LABEL TOP"
    assert numbat("score", "t.mrg", "t.mrg", "--params", "p.prm") == Done(
        "",
        f"p.prm:2:2: not understood: FOO 1 # x\n     FOO 1 # x\n     ^^^^^\n  {hint}\n"
        f"p.prm:4:1: not understood: EQ_LABEL A\n    EQ_LABEL A\n    ^^^^^^^^^^\n  {hint}\n",
        65,
    )


def test_judged_trees(numbat: Numbat) -> None:
    Path("t.mrg").write_text("(NP (Dat the)\n    (Nn cat))\n(X (N cat))\n", encoding="utf-8")
    known = "the categories are: Det, N, NP"
    assert numbat("judge", "-g", "g.pg", "-i", "t.mrg") == Done(
        "",
        't.mrg:1:6: "Dat" is not a category of the grammar\n  did you mean "Det"?\n'
        't.mrg:2:6: "Nn" is not a category of the grammar\n  did you mean "N"?\n'
        f't.mrg:3:2: "X" is not a category of the grammar\n  {known}\n',
        65,
    )


def test_tagged_words(numbat: Numbat) -> None:
    Path("t.txt").write_text("  the cat\nthe/Dat cat/N|Nn\n", encoding="utf-8")
    first = "      the cat\n      "
    assert numbat("parse", "-g", "g.pg", "--tagged", "-i", "t.txt") == Done(
        "",
        f't.txt:1:3: "the" has no tag\n{first}^^^\n  {WRITTEN}\n'
        f't.txt:1:7: "cat" has no tag\n{first}    ^^^\n  {WRITTEN}\n'
        't.txt:2:5: "Dat" in "the/Dat" is not a category of the grammar\n'
        '    the/Dat cat/N|Nn\n        ^^^\n  did you mean "Det"?\n'
        't.txt:2:15: "Nn" in "cat/Nn" is not a category of the grammar\n'
        '    the/Dat cat/N|Nn\n                  ^^\n  did you mean "N"?\n',
        65,
    )


def test_tagged_words_of_a_suite(numbat: Numbat) -> None:
    Path("s.tsv").write_text("sentence\tjudgement\nthe cat/N\tok\nthe/Det cat/N\tok\ncat/M\t*\n", encoding="utf-8")
    done = numbat("test", "s.tsv", "-g", "g.pg", "--tagged")
    assert (done.err, done.code) == (
        f'numbat: s.tsv:2: "the" has no tag\n  {WRITTEN}\n'
        's.tsv:4: "M" in "cat/M" is not a category of the grammar\n  the categories are: ?, Det, N, NP\n',
        65,
    )


def test_lines_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_bytes(b"sentence\n\xc3\xa9\xff\na\nb\xfe\xff\n")
    with pytest.raises(DataError) as raised:
        read_suite(str(path))
    assert str(raised.value) == (
        f"{path}:2:2: this line is not UTF-8 (byte 3 is FF)\n    é�\n     ^\n  {NO_UTF8}\n"
        f"{path}:4:2: this line is not UTF-8 (byte 2 is FE)\n    b��\n     ^\n  {NO_UTF8}"
    )


def test_more_mistakes_than_are_told() -> None:
    problems = [Problem("wrong", Span("f", number)) for number in range(1, MAX_TOLD + 3)]
    lines = str(data_error(*problems)).split("\n")
    assert lines[-2:] == [f"f:{MAX_TOLD}:1: wrong", "and 2 mistakes more"]
    assert str(joined_error([DataError("a"), data_error(problems[0])])) == "a\nf:1:1: wrong"
    assert joined_error([data_error(*problems)]).problems == tuple(problems)


def test_a_carriage_return_in_a_line_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes(b"a\rb\nc\r\nd\r\r\n")
    every = [each for each in lines_as_they_come(str(path)) if isinstance(each, NamedText)]
    assert [(each.id, each.text) for each in every] == [(f"{path}:1", "a b"), (f"{path}:2", "c"), (f"{path}:3", "d")]
    path.write_bytes(b"a\rb\rc")
    assert [each.text for each in lines_as_they_come(str(path)) if isinstance(each, NamedText)] == ["a", "b", "c"]
    table = tmp_path / "s.csv"
    table.write_bytes(b"sentence,judgement\na\rb,ok\nc,ok\n")
    assert [(item.id, item.sentence) for item in read_suite(str(table)).items] == [("2", "a b"), ("3", "c")]


def test_comments_of_sequences_and_of_sentences_to_be_timed_are_told(numbat: Numbat) -> None:
    Path("s.jsonl").write_text('# {"labels": []}\n{"labels": [{"Det": 0}, {"N": 0}]}\n', encoding="utf-8")
    told = "numbat: 1 line begins with # and was skipped: s.jsonl:1\n"
    assert numbat("decode", "-g", "g.pg", "s.jsonl").err == told
    Path("s.txt").write_text("# the cat\n", encoding="utf-8")
    done = numbat("bench", "-g", "g.pg", "-i", "s.txt")
    assert done.code != 0


def test_half_a_character(tmp_path: Path) -> None:
    grammar = parse_grammar(GRAMMAR)
    words = "the c\ud800t"
    for given in (words, Lattice((words,), (Arc(0, 1, "cat", "N"),)), Lattice(("cat",), (Arc(0, 1, words, "N"),))):
        with pytest.raises(DataError) as raised:
            Parser(grammar).parse(given)
        assert str(raised.value) == (
            "U+D800 is half a character\n  Python strings may contain it, but files cannot: write the whole character"
        )
    with pytest.raises(DataError) as raised:
        parse_grammar(GRAMMAR.replace("cat", "c\udfff"))
    assert str(raised.value) == "<grammar>:9:1: U+DFFF is half a character\n  write the character itself"
    path = tmp_path / "s.jsonl"
    path.write_text(r'{"sentence": "a \\ud800 \ud83d\ude00 b \uDE00"}' + "\n" + r'{"sentence": "\ud800"}', "utf-8")
    with pytest.raises(DataError) as raised:
        read_suite(str(path))
    assert str(raised.value) == (
        f"{path}:1:40: \\uDE00 is half a character\n  write the character itself\n"
        f"{path}:2:15: \\ud800 is half a character\n  write the character itself"
    )
    with pytest.raises(DataError) as raised:
        read_sequence(r'{"tokens": ["\ud800"], "labels": [{"N": 0}]}', "l.jsonl:3")
    assert str(raised.value) == "l.jsonl:3:14: \\ud800 is half a character\n  write the character itself"


def test_what_was_printed_is_valid_json_whatever_ends_the_run(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(run: BatchRun[Any, Any], take: Callable[[Any], object]) -> None:
        take(next(iter(run)))
        raise DataError("the disk is gone\n  bring it back")

    monkeypatch.setattr(BatchRun, "hand_on", ended)
    done = numbat("parse", "-g", "g.pg", "-f", "json", "the cat")
    assert [each["tokens"] for each in json.loads(done.out)] == [["the", "cat"]]
    assert (done.err, done.code) == ("numbat: the disk is gone\n  bring it back\n", 65)


def test_a_file_has_the_last_of_the_watched_runs_alone(tmp_path: Path) -> None:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    code = (
        "import sys; from numbat.cli import watching; n = iter(range(9)); "
        "watching.stamp = lambda files: next(n); "
        f"watching.watch({str(tmp_path / 'g.pg')!r}, ['parse', '-g', {str(tmp_path / 'g.pg')!r}, '-f', 'html', 'cat'], "
        "lambda text: None, rounds=2)"
    )
    page = tmp_path / "page.html"
    with page.open("w") as file:
        file.write("<!-- before -->\n")
        file.flush()
        root = str(Path(__file__).parents[1])
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True, env=os.environ | {"PYTHONPATH": root})
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!-- before -->\n<!doctype html>")
    assert text.count("<!doctype html>") == text.count("</html>") == 1
