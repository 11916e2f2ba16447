"""Tables in TSV and CSV and plain lists of sentences, cut into cells: columns without names, quotes, decimal commas."""

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
"""The columns of the files of CoLA, which do not name them."""
SIGN_FIRST: Final = ("judgement", "sentence")
SENTENCE_FIRST: Final = ("sentence", "judgement")
ENOUGH_ROWS: Final = 1_000
"""So many rows show what the columns of a table are."""


def layout_by_content(lines: Sequence[str], layout: SuiteLayout) -> tuple[SuiteLayout, str]:
    """Return the layout of a table in TSV whose columns have no names, and what it was taken for; both as they are
    and empty for other texts.

    Such tables have the four columns of CoLA, or a sign and a sentence. What more than half of the lines look like
    counts, so that one bad line is a mistake of its own. Signs `True` and `False` that take turns, as those of CLAMS
    do, are pairs.
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
    told = f"no names of columns: read as {', '.join(names)}{' of CoLA' * (names == COLA)}"
    pairs = ", and every two lines as a pair, for True and False take turns" * in_turns
    return replace(layout, names=names, adjacent=layout.adjacent or in_turns), f"{told}{pairs}"


def _fit(table: Sequence[Sequence[str]], names: tuple[str, ...]) -> bool:
    """True if the first line and more than half of all are what tables with these columns have."""
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
"""The first line by which spreadsheets say what stands between cells; it is no row."""
NUMBERS: Final = ("rating", "judgement")
"""The columns that hold numbers."""


def is_comment(line: str) -> bool:
    """True if a line begins with `#`, and not with what a spreadsheet writes for a value that it does not have."""
    return line.startswith("#") and not is_no_rating(re.split("[\t,;]", line, maxsplit=1)[0])


def separator_of(lines: Sequence[str]) -> str:
    """Return the separator of cells that the first line states, as `sep=;` does; empty if it states none."""
    match = SEPARATOR.fullmatch(lines[0].strip(" \r\n")) if lines else None
    return match[1] if match else ""


def plain_list(lines: Sequence[str], layout: SuiteLayout, comments: list[int]) -> list[NumberedCells]:
    """Return the lines of a text that is no table but a list of sentences, some of them marked or in pairs; else
    nothing.

    The numbers of lines that are comments are added to `comments`.
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
    """Return the rows of a TSV or CSV text with the numbers of their lines.

    Lines that begin with `#` do not count; the numbers of those below the names of the columns are added to `comments`.
    With `hash_lines` these are rows.

    A TAB in the first line makes it TSV, whose rows are lines; cells are in quotes as `table_row` has them, or as other
    programs do that put cells with quotes into quotes (`_quotes_cells`). Spreadsheets separate cells with semicolons
    where a number has a decimal comma, so that it is a point here. Below the name of one column each line is one cell,
    commas and all; so it is in a plain list (one name is given), where quotation marks stay, and so do apostrophes,
    which make text of a formula in other tables.
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
    """Return all lines cut into cells."""
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
            # One comma alone may as well stand between two ratings: of several numbers each has its own.
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
"""A cell in quotes, with those inside doubled, as pandas and Excel write them, or behind a backslash, as R does."""


def _quotes_cells(lines: Sequence[str]) -> bool:
    """True if a table in TSV has quotes around all cells with quotes, and it shows that a program put them there.

    It shows by a quote inside such a cell, doubled or behind a backslash, or by quotes around all names of columns.
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
    """Return the records of a CSV text whose `first` line has the names of its columns, or is a row of its own."""
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
                # A quotation mark that is not closed swallows lines up to the next one, or to the empty one at the end.
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
    """Numbers with a decimal comma, one or several in a row, with a point; any other cell as it is, so that ids stay
    what they are."""
    text = cell.strip("[](){} ")
    parts = BETWEEN_RATINGS.split(text)
    matches = [DECIMAL_COMMA.fullmatch(part) for part in parts]
    if not all(match or "," not in part for match, part in zip(matches, parts, strict=True)):
        return cell  # commas between ratings, or no numbers
    if len(parts) == 1:
        return ".".join(matches[0].groups()) if matches[0] else cell
    return " ".join(".".join(each.groups()) if each else part for each, part in zip(matches, parts, strict=True))


def _is_too_long(error: csv.Error) -> bool:
    return str(error).startswith("field larger than")


def too_long(path: str, number: int) -> DataError:
    """Return the message on a cell that is longer than `csv` reads."""
    return DataError(
        f"{path}:{number}: a cell of more than {csv.field_size_limit():,} characters\n"
        "  end the lines of a table, and close the quotation marks in it"
    )
