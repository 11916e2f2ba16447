"""Cells of tables in TSV and CSV and of plain lists: columns without names, quotes, decimal commas."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from numbat.acceptability.suite import SIGNS
from numbat.acceptability.suite_tables import (
    BETWEEN_RATINGS,
    DECIMAL_COMMA,
    SENTENCES,
    NumberedCells,
    SuiteLayout,
    fields_of,
    has_marks,
    is_no_rating,
)
from numbat.errors import DataError
from numbat.files import row_cells, unguarded
from numbat.words.judgement_marks import RATINGS, plain_marks

COLA: Final = ("source", "judgement", "author's mark", "sentence")
"""The columns of CoLA's files, which have no header."""
SIGN_FIRST: Final = ("judgement", "sentence")
SENTENCE_FIRST: Final = ("sentence", "judgement")
ENOUGH_ROWS: Final = 1_000
"""Number of rows that are examined to recognise the columns of a table."""


def layout_by_content(lines: Sequence[str], layout: SuiteLayout) -> tuple[SuiteLayout, str]:
    """Return the layout of a TSV table without column names, and a note; other texts keep their layout, without a note.

    Such tables have the four columns of CoLA, or a sign and a sentence; more than half of the lines must fit, so that a
    single bad line is reported as a mistake. If the signs `True` and `False` alternate, as in CLAMS, lines are pairs.
    """
    rows = (line for line in lines if line.strip() and not line.startswith("#"))
    first = next(rows, "").split("\t")
    if layout.names is not None or layout.renamed or len(first) not in (2, 4) or SENTENCES & set(fields_of(first)):
        return layout, ""
    table = [first, *(row.split("\t") for row in rows)]
    names = next((names for names in (COLA, SIGN_FIRST, SENTENCE_FIRST) if _fit(table[:ENOUGH_ROWS], names)), None)
    if names is None:
        return layout, ""
    signs = [cells[0].strip().lower() for cells in table] if names == SIGN_FIRST else []
    in_turns = bool(signs) and signs == ["true", "false"] * (len(signs) // 2)
    note = f"no column names: read as {', '.join(names)}{' of CoLA' * (names == COLA)}"
    pairs = ", and every two lines as a pair, as True and False alternate" * in_turns
    return replace(layout, names=names, adjacent=layout.adjacent or in_turns), f"{note}{pairs}"


def _fit(table: Sequence[Sequence[str]], names: tuple[str, ...]) -> bool:
    """True if the first line and more than half of all lines fit these columns."""
    fitting = [_fits(cells, names) for cells in table]
    return fitting[0] and 2 * sum(fitting) > len(fitting)


def _fits(cells: Sequence[str], names: tuple[str, ...]) -> bool:
    if len(cells) != len(names):
        return False
    sign, sentence = (cells[names.index(name)].strip() for name in SIGN_FIRST)
    if names == COLA and not (
        sign in ("0", "1") and (not cells[2].strip() or plain_marks(cells[2].strip()) in RATINGS)
    ):
        return False
    return sign != "" and plain_marks(sign).lower() in SIGNS and any(map(str.isalpha, sentence))


SEPARATOR: Final = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
"""Pattern of the first line with which spreadsheets declare the separator; it is not a row."""
NUMBERS: Final = ("rating", "judgement")
"""The columns that hold numbers."""


def is_comment(line: str) -> bool:
    """True if a line begins with `#`, but not with a spreadsheet's mark for a missing value."""
    return line.startswith("#") and not is_no_rating(re.split("[\t,;]", line, maxsplit=1)[0])


def separator_of(lines: Sequence[str]) -> str:
    """Return the separator declared in the first line, as in `sep=;`; empty if there is none."""
    match = SEPARATOR.fullmatch(lines[0].strip(" \r\n")) if lines else None
    return match[1] if match else ""


def plain_list(lines: Sequence[str], layout: SuiteLayout, comments: list[int]) -> list[NumberedCells]:
    """Return the lines of a list of sentences, some of them marked or in pairs; an empty list if the text is a table.

    The line numbers of comments are added to `comments`.
    """
    written = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    listed = [(number, line) for number, line in written if layout.hash_lines or not line.startswith("#")]
    first = next((line for _, line in listed if not line.startswith("#")), "")
    if not listed or "\t" in first or fields_of(re.split("[,;]", first), layout.renamed):
        return []
    if not (layout.adjacent or any(has_marks(line) for _, line in listed)):
        return []
    kept = {number for number, _ in listed}
    comments += (number for number, _ in written if number not in kept)
    return [(number, [line]) for number, line in listed]


def table_rows(lines: Sequence[str], path: str, layout: SuiteLayout, comments: list[int]) -> Iterator[NumberedCells]:
    """Yield the rows of a TSV or CSV text with their line numbers.

    Lines that begin with `#` are skipped; the numbers of those below the header are added to `comments`, or with
    `hash_lines` they are rows.

    A text with a TAB in the first line is TSV, with one row per line; cells are quoted as by `table_row`, or as by
    programs that quote cells with quotation marks (`_quotes_cells`). Spreadsheets use semicolons as separators if
    numbers have a decimal comma, which is turned into a point. In a table with one column, and in a plain list (if one
    name is given), each line is one cell, commas included. A plain list also keeps quotation marks and initial
    apostrophes; in other tables these protect formulas.
    """
    rows = _rows(lines, path, layout)
    is_list = layout.names is not None and len(layout.names) == 1
    is_begun = layout.names is not None
    for number, cells in rows:
        if is_comment("\t".join(cells)) and not (is_begun and layout.hash_lines):
            comments += [number] * is_begun
        elif any(cell.strip() for cell in cells):
            is_begun = True
            yield number, cells if is_list else [unguarded(cell) for cell in cells]


def _rows(lines: Sequence[str], path: str, layout: SuiteLayout) -> Iterator[NumberedCells]:
    """Yield all lines, split into cells."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    is_plain = layout.names is not None and len(layout.names) == 1
    if is_plain or layout.separator == "\t" or (not layout.separator and "\t" in first):
        is_quoted = any('"' in line for line in lines) and _quotes_cells(lines)
        title = [_unquoted(cell) if is_quoted else cell for cell in first.split("\t")]
        named = title if layout.names is None else layout.names
        places = _places_of_numbers(named, layout)
        for number, line in enumerate(lines, start=1):
            if is_quoted and '"' in line:
                cells = [_unquoted(cell) for cell in line.split("\t")]
            else:
                cells = line.split("\t") if is_plain else row_cells(line)
            # A single comma may separate two ratings; only if there are several, each is a decimal comma.
            yield (
                number,
                [
                    _with_point(cell) if place in places and cell.count(",") > 1 else cell
                    for place, cell in enumerate(cells)
                ],
            )
        return
    yield from _csv_rows(lines, path, layout, first)


QUOTED: Final = re.compile(r'\s*"((?:[^"\\]|""|\\.?)*)"\s*')
"""A quoted cell; quotes inside are doubled, as by pandas and Excel, or have a backslash, as by R."""


def _quotes_cells(lines: Sequence[str]) -> bool:
    """True if a program has quoted all cells with quotes in a TSV table.

    Signs of this are escaped quotes inside such a cell, or quotes around all column names.
    """
    written = [line for line in lines if line.strip() and not line.startswith("#")]
    quoting = [cell for line in written if '"' in line for cell in line.split("\t") if '"' in cell]
    if not all(QUOTED.fullmatch(cell) for cell in quoting):
        return False
    is_titled = all(QUOTED.fullmatch(cell) for cell in written[0].split("\t"))
    return is_titled or any(cell.count('"') > 2 for cell in quoting)


def _unquoted(cell: str) -> str:
    match = QUOTED.fullmatch(cell) if '"' in cell else None
    return cell if match is None else match[1].replace('""', '"').replace('\\"', '"')


def _csv_rows(lines: Sequence[str], path: str, layout: SuiteLayout, first: str) -> Iterator[NumberedCells]:
    """Yield the records of a CSV text; its `first` line is the header, or a row if the layout has names."""
    ended = [f"{line}\n" for line in (*lines, "")]
    delimiter = layout.separator or (";" if first.count(";") > first.count(",") else ",")
    try:
        named = next(csv.reader([first], delimiter=delimiter), []) if layout.names is None else layout.names
    except csv.Error:
        raise too_long(path, next(i for i, line in enumerate(lines, start=1) if line == first)) from None
    numbers = _places_of_numbers(named, layout)
    reader = csv.reader(ended, delimiter=delimiter)
    before = 0
    alone = "sentence" in fields_of([first.strip().strip('"')], layout.renamed)
    try:
        for cells in reader:
            if reader.line_num > before + 1:
                # An unclosed quotation mark swallows lines up to the next one, or to the empty line at the end.
                list(csv.reader(ended[before : reader.line_num], delimiter=delimiter, strict=True))
            if delimiter != ",":
                cells = [_with_point(cell) if place in numbers else cell for place, cell in enumerate(cells)]
            yield before + 1, [",".join(cells)] if alone and cells else cells
            before = reader.line_num
    except csv.Error as error:
        if _is_too_long(error):
            raise too_long(path, before + 1) from None
        raise DataError(
            f"{path}:{before + 1}: the quotation mark in line {before + 1} is not closed\n"
            '  close it at the end of its cell; inside the cell it is doubled: ""'
        ) from None


def _places_of_numbers(named: Sequence[str], layout: SuiteLayout) -> set[int]:
    return {place for field, place in fields_of(named, layout.renamed).items() if field in NUMBERS}


def _with_point(cell: str) -> str:
    """Return a cell with decimal points for decimal commas, if it has only numbers; other cells, as ids, unchanged."""
    text = cell.strip("[](){} ")
    parts = BETWEEN_RATINGS.split(text)
    matches = [DECIMAL_COMMA.fullmatch(part) for part in parts]
    if not all(match or "," not in part for match, part in zip(matches, parts, strict=True)):
        return cell  # commas between ratings, or no numbers
    if len(parts) == 1:
        return ".".join(matches[0].groups()) if matches[0] else cell
    return " ".join(".".join(match.groups()) if match else part for match, part in zip(matches, parts, strict=True))


def _is_too_long(error: csv.Error) -> bool:
    return str(error).startswith("field larger than")


def too_long(path: str, number: int) -> DataError:
    """Return the error for a cell that is longer than `csv` can read."""
    return DataError(
        f"{path}:{number}: a cell of more than {csv.field_size_limit():,} characters\n"
        "  check that the lines of the table end, and that its quotation marks are closed"
    )
