"""Tables for spreadsheets: no cell is a formula, and reading returns what was written."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat import load_grammar
from numbat.acceptability.fitting import Feature, Fitted, format_fitted, read_fitted
from numbat.acceptability.suite_files import read_suite
from numbat.files import cells_of, guarded, guarded_lines, guarded_table, row_cells, table_row, unguarded
from numbat.grammar.model import Entry, Grammar, Reading
from numbat.labels.penalties import Penalty, read_table, table_text
from numbat.treebanks.induced import format_lexicon
from tests.command_line import Done, Numbat, without_record

GRAMMAR = """\
grammar: sums
leaves: A, B
roots: S
S:
    oblig A
    A < B
lexicon:
    "=1+1": A
    "-ing": A
    "@b": B
"""
SUITE = "id\tjudgement\tsentence\tphenomenon\n=HYPERLINK(1)\tok\t=1+1 @b\t-ing\n+2\t*\t@b -ing\t@order\n"
SIGNS = "='+-@\"1a"


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    Path("s.tsv").write_text(SUITE, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+x", "'+x"),
        ("-", "'-"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ('"=1"', '\'"=1"'),
        ("\N{FULLWIDTH EQUALS SIGN}1", "'\N{FULLWIDTH EQUALS SIGN}1"),
        ("-1-1", "'-1-1"),
        ("-inf", "'-inf"),
        ("'=1", "''=1"),
        *((same, same) for same in ("", "a=1", "'s", "'", "-1", "+1.5", "-.5e-7", "1", "# =1", " =1")),
    ],
)
def test_texts_that_are_formulas_have_an_apostrophe(cell: str, written: str) -> None:
    assert guarded(cell) == written
    assert unguarded(written) == cell


@given(st.lists(st.text(SIGNS, max_size=6), min_size=1))
def test_reading_takes_off_what_writing_adds(cells: list[str]) -> None:
    assert cells_of(guarded_table(table_row(cells))) == row_cells(table_row(cells)) == cells


@given(st.lists(st.text("\"'#\t\n\ra", max_size=6), min_size=2))
def test_rows_are_quoted_as_csv_has_it(cells: list[str]) -> None:
    for separator in "\t,":
        assert list(csv.reader(io.StringIO(table_row(cells, separator), newline=""), delimiter=separator)) == [cells]


@given(st.text("\"'#=a", max_size=6))
def test_a_cell_that_no_writer_has_quoted_stays(cell: str) -> None:
    """A cell that only looks quoted is read literally, and a row that was written again is the same row."""
    assert table_row(row_cells(cell)) in (cell, table_row([cell]))


MARKED: Final = (
    (1, "005", 'The 5" nail\'s head'), (2, "006", "NA"), (3, "#7", "the dogs'"), (4, "8", '"so," he said, "#1"'),
)  # fmt: skip


def read_by_r(call: str, path: Path) -> list[list[str]]:
    """The rows that R reads by a call, each with `|` between its cells."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not there")
    code = f'x <- {call}; cat(do.call(paste, c(x, sep="|")), sep="\\n")'
    done = subprocess.run(["Rscript", "-e", code, str(path)], capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    return [line.split("|") for line in done.stdout.splitlines()]


def test_r_reads_every_row_as_it_was_written(tmp_path: Path) -> None:
    """With `read.table` too, to which an apostrophe is a quotation mark and # a comment."""
    path = tmp_path / "t.tsv"
    path.write_text("".join(f"{table_row(row)}\n" for row in (("n", "id", "sentence"), *MARKED)), encoding="utf-8")
    classes = 'colClasses = c(id = "character"), na.strings = ""'
    for call in ("read.delim(commandArgs(TRUE)[1]", 'read.table(commandArgs(TRUE)[1], header = TRUE, sep = "\\t"'):
        assert read_by_r(f"{call}, {classes})", path) == [list(map(str, row)) for row in MARKED]
    path.write_text("".join(f"{table_row(row, ',')}\n" for row in (("n", "id", "sentence"), *MARKED)), encoding="utf-8")
    assert read_by_r(f"read.csv(commandArgs(TRUE)[1], {classes})", path) == [list(map(str, row)) for row in MARKED]


def test_parses(numbat: Numbat) -> None:
    plain = numbat("parse", "-g", "g.pg", "-f", "tsv", "=1+1 @b").out
    safe = numbat("parse", "-g", "g.pg", "-f", "tsv", "--for-spreadsheets", "=1+1 @b").out
    assert "\t=1+1 @b\t" in plain
    assert '\t"\'=1+1 @b"\t' in safe
    assert [cells_of(line) for line in safe.split("\n")] == [line.split("\t") for line in plain.split("\n")]


def test_tables_of_a_suite_can_be_read_as_a_suite(numbat: Numbat) -> None:
    numbat("report", "s.tsv", "-g", "g.pg", "--csv", "plain")
    done = numbat("report", "s.tsv", "-g", "g.pg", "--csv", "safe", "--for-spreadsheets")
    assert done.code == 0
    for name in ("sentences.csv", "properties.csv"):
        plain, safe = (
            list(csv.reader(Path(folder, name).read_text(encoding="utf-8").splitlines()))
            for folder in ("plain", "safe")
        )
        assert [[unguarded(cell) for cell in row] for row in safe] == plain
        assert not [cell for row in safe for cell in row if cell[:1] in "=@" and cell]
    items = read_suite("safe/sentences.csv").items
    assert [(item.id, item.sentence) for item in items] == [("=HYPERLINK(1)", "=1+1 @b"), ("+2", "@b -ing")]


def test_accepted_outcomes(numbat: Numbat) -> None:
    assert "accepted" in numbat("test", "s.tsv", "-g", "g.pg", "--accept", "--for-spreadsheets").err
    assert Path("s.expected.tsv").read_text(encoding="utf-8").splitlines()[1].startswith('"\'=HYPERLINK(1)"\t')
    again = without_record(numbat("test", "s.tsv", "-g", "g.pg").out)
    assert again.endswith("\n\nnothing changed since accepted\n")


def test_generated_sentences(numbat: Numbat) -> None:
    plain = numbat("generate", "-g", "g.pg", "-n", "2", "--length", "2").out
    safe = numbat("generate", "-g", "g.pg", "-n", "2", "--length", "2", "--for-spreadsheets").out
    assert safe == guarded_table(plain) != plain
    for name, text in (("plain.tsv", plain), ("safe.tsv", safe)):
        Path(name).write_text(text, encoding="utf-8")
    assert read_suite("safe.tsv").items == read_suite("plain.tsv").items


def test_penalties_and_fitted_models(tmp_path: Path) -> None:
    learned = [Penalty("=S: oblig A", 0.5, 1, 2), Penalty("'-S: A < B", -0.5, 1, 2)]
    safe = guarded_table(table_text(learned))
    assert read_table(safe.split("\n"), "p.tsv") == {"=S: oblig A": 0.5, "'-S: A < B": -0.5}
    model = Fitted("fitted", "g", -1.5, (Feature("-ing", -0.25, 0.5, 1.0, 6),))
    path = tmp_path / "m.tsv"
    path.write_text(guarded_table(format_fitted(model)), encoding="utf-8")
    assert '\n"\'-ing"\t-0.25\t' in path.read_text(encoding="utf-8")
    assert read_fitted(str(path), Grammar(name="g")) == model


def test_a_lexicon(tmp_path: Path) -> None:
    forms = ("=1+1", "'-", "'s")
    entries = tuple(Entry(form, (Reading("A"),)) for form in forms)
    (tmp_path / "l.tsv").write_text(guarded_lines(format_lexicon(entries)), encoding="utf-8")
    (tmp_path / "g.pg").write_text('leaves: A\nroots: S\nS:\n    oblig A\nlexicon_file: "l.tsv"\n', encoding="utf-8")
    read = load_grammar(str(tmp_path / "g.pg"))
    # '- would be read as -, so it is in the grammar and not in the file
    assert [entry.form for entry in read.lexicon] == ["=1+1", "'s"]


def test_apostrophes_of_a_list_of_sentences_stay(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("ok '-ing' is heard\n*'-ing' heard\n", encoding="utf-8")
    assert [item.sentence for item in read_suite(str(tmp_path / "list.txt")).items][1] == "'-ing' heard"


def test_a_format_that_is_no_table_refuses_the_option(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "@b", "--for-spreadsheets")
    message = (
        "numbat: --for-spreadsheets and -f tree exclude each other\n  take -f tsv, or leave --for-spreadsheets out\n"
    )
    assert (done.out, done.code, done.err) == ("", 2, message)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("test", "s.tsv", "-g", "g.pg"), "add --accept, or leave it out"),
        (("report", "s.tsv", "-g", "g.pg"), "add --csv FOLDER, or leave it out"),
        (("induce", "s.tsv"), "add --lexicon FILE, --rules FILE or -f tsv, or leave it out"),
    ],
)
def test_without_a_table_the_option_is_refused(numbat: Numbat, arguments: tuple[str, ...], hint: str) -> None:
    done = numbat(*arguments, "--for-spreadsheets")
    assert (done.out, done.code) == ("", 2)
    assert done.err == f"numbat: --for-spreadsheets only applies to tables, and none would be written\n  {hint}\n"


def test_without_the_format_of_a_table_parse_refuses_the_option(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "g.pg", "@b", "--for-spreadsheets") == Done(
        "",
        "numbat: --for-spreadsheets and -f tree exclude each other\n  take -f tsv, or leave --for-spreadsheets out\n",
        2,
    )
