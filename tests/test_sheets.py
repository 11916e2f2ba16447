"""Excel sheets are tables wherever tables are read; what a table cannot say is an error with its cell."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from numbat import load_grammar
from numbat.acceptability.suite_files import read_suite
from numbat.errors import DataError, MissingExtraError, NumbatError
from numbat.files import lines_of
from tests.command_line import Numbat

openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")

SUITE: list[list[object]] = [["sentence", "rating", "id"], ["The cat sleeps.", 5, 1], ["The cats sleeps.", 2.5, "b"]]


def book(path: Path, change: str = "", **sheets: Sequence[Sequence[object]]) -> str:
    """Write an Excel file, with code that changes its last sheet, and return its path."""
    written = openpyxl.Workbook()
    written.remove(written.active)
    for title, rows in sheets.items():
        sheet: Any = written.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    if change:
        cell, value = change.split(" ", 1)
        if value == "merged":
            sheet.merge_cells(cell)
        else:
            sheet[cell] = value
    written.save(path)
    return str(path)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"), (2.5, "2.5"), (4.0, "4"), (True, "TRUE"), (None, ""), ("005", "005"),
        ("the dogs' #1", "the dogs' #1"), ("a\tb\nc", "a b c"), ("Ärger, été", "Ärger, été"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.time(12, 30), "12:30:00"), ("#N/A", ""),
    ],
)  # fmt: skip
def test_a_value_becomes_a_cell(tmp_path: Path, value: object, text: str) -> None:
    assert lines_of(book(tmp_path / "a.xlsx", S=[["x", value, "y"]])) == [f"x\t{text}\ty", ""]


def test_rows_keep_their_numbers_and_have_the_width_of_the_sheet(tmp_path: Path) -> None:
    path = book(tmp_path / "a.XLSX", Empty=[], S=[["a", "b"], [], ["c"]])
    assert lines_of(path) == lines_of(f"{path}#S") == ["a\tb", "", "c\t", ""]


def test_suites_ratings_sentences_and_lexicons_are_read(tmp_path: Path, numbat: Numbat) -> None:
    path = book(tmp_path / "suite.xlsx", Items=SUITE)
    assert [(item.id, item.sentence, item.rating) for item in read_suite(path).items] == [
        ("1", "The cat sleeps.", 5), ("b", "The cats sleeps.", 2.5),
    ]  # fmt: skip
    assert len(read_suite(str(tmp_path)).items) == 2
    other = book(tmp_path / "two.xlsx", Items=SUITE, Notes=[["x"]])
    done = numbat("parse", "-g", "english", "--from", "table", "-i", f"{other}#Items", "-f", "bracket", "-o", "o.txt")
    assert (done.code, Path("o.txt").read_text("utf-8").count("(N cat)")) == (0, 1)
    book(tmp_path / "words.xlsx", L=[["cats", "N", "number=pl"], ["dog's", "N", None, 0.5]])
    grammar = tmp_path / "g.pg"
    grammar.write_text('lexicon_file: "words.xlsx"\nleaves: N\nfeatures:\n    number: sg, pl\n', encoding="utf-8")
    assert [entry.form for entry in load_grammar(str(grammar)).lexicon] == ["cats", "dog's"]


@pytest.mark.parametrize(
    ("change", "name", "told"),
    [
        ("B2 =1+1", "", "the cell B2 has a formula without a value\n  open the file in a spreadsheet and save it"),
        ("C2:C3 merged", "", "merged cells: C2:C3\n  unmerge them, and write the value into each cell"),
        ("A2 #DIV/0!", "", "the cell A2 has the error #DIV/0!\n  mend its formula"),
        ("ZZZ999999 x", "", "the sheet reaches to its cell A1:ZZZ999999\n  copy the cells with values to a new file"),
        ("", "#Itms", 'no sheet "Itms" with cells\n  the sheets are: S'),
    ],
)
def test_what_is_no_table_is_told(tmp_path: Path, change: str, name: str, told: str) -> None:
    path = book(tmp_path / "a.xlsx", change, S=SUITE)
    with pytest.raises(NumbatError) as error:
        lines_of(path + name)
    assert str(error.value).startswith(f"{path}: {told}")


def test_several_sheets_need_a_name(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", One=SUITE, Two=SUITE)
    with pytest.raises(DataError, match=r"this file has 2 sheets: One, Two\n  name one: .*a.xlsx#One$"):
        lines_of(path)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.xlsx", b"sentence\trating\n", "this is not an Excel file, or it is damaged"),
        ("a.xlsx", b"PK\3\4", "this is not an Excel file, or it is damaged"),
        ("a.tsv", b"PK\3\4", "this is a ZIP archive, as Excel sheets are, and no text"),
        ("a.xls", bytes.fromhex("D0CF11E0A1B11AE1"), "this is an old Excel file, and no text"),
        ("a.ods", b"PK\3\4mimetype", "this is a ZIP archive"),
    ],
)
def test_files_under_wrong_names(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as error:
        lines_of(str(tmp_path / name))
    assert str(error.value).startswith(f"{tmp_path / name}: {told}")


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK\3\4")
    with pytest.raises(MissingExtraError, match=r"reading Excel files needs openpyxl\n.*\[excel"):
        lines_of(str(tmp_path / "a.xlsx"))


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


def test_damage_of_the_packing_is_told_of(tmp_path: Path) -> None:
    whole = Path(book(tmp_path / "s.xlsx", A=SUITE)).read_bytes()
    begin = whole.index(b"xl/workbook.xml") + len(b"xl/workbook.xml")
    version = whole.index(b"PK\1\2") + 6  # which a program must understand: none does
    for at, wrong in ((begin, b"\xff" * 20), (version, b"\xb4")):
        (tmp_path / "s.xlsx").write_bytes(whole[:at] + wrong + whole[at + len(wrong) :])
        with pytest.raises(DataError, match="this is not an Excel file, or it is damaged"):
            lines_of(str(tmp_path / "s.xlsx"))


def test_a_file_without_cells_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no sheet of this file has cells\n  write the table into one"):
        lines_of(book(tmp_path / "s.xlsx", A=[]))
