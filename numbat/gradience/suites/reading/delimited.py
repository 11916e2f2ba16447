"""Tables in TSV and CSV and plain lists of sentences, cut into cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import Final

from numbat.errors import DataError
from numbat.files import unguarded
from numbat.gradience.suites.reading.cells import BETWEEN_RATINGS, DECIMAL_COMMA, NumberedCells, is_no_rating
from numbat.gradience.suites.reading.columns import Layout, fields_of
from numbat.words.typed import leading_mark

SEPARATOR: Final = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
"""The first line by which spreadsheets say what stands between cells; it is no row."""
NUMBERS: Final = ("rating", "judgement")
"""The columns that hold numbers."""


def is_comment(line: str) -> bool:
    """Whether a line begins with `#`, and not with what a spreadsheet writes for a value that it does not have."""
    return line.startswith("#") and not is_no_rating(re.split("[\t,;]", line, maxsplit=1)[0])


def separator_of(lines: Sequence[str]) -> str:
    """What the first line says stands between cells, as `sep=;` does; nothing where it does not say so."""
    found = SEPARATOR.fullmatch(lines[0].strip(" \r\n")) if lines else None
    return found[1] if found else ""


def plain_list(lines: Sequence[str], layout: Layout, comments: list[int]) -> list[NumberedCells]:
    """The lines of a text that is no table but a list of sentences, some of them marked or in pairs; else nothing.

    The numbers of lines that are comments are added to `comments`.
    """
    written = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    listed = [(number, line) for number, line in written if layout.hash_lines or not line.startswith("#")]
    if not listed or not (layout.adjacent or any(leading_mark(line)[0] for _, line in listed)):
        return []
    first = next((line for _, line in listed if not line.startswith("#")), "")
    if "\t" in first or fields_of(re.split("[,;]", first), layout.renamed):
        return []
    kept = {number for number, _ in listed}
    comments += (number for number, _ in written if number not in kept)
    return [(number, [line]) for number, line in listed]


def table_rows(lines: Sequence[str], path: str, layout: Layout, comments: list[int]) -> Iterator[NumberedCells]:
    """The rows of a TSV or CSV text with the numbers of their lines.

    Lines that begin with `#` do not count; the numbers of those below the names of the columns are added to `comments`.
    With `hash_lines` these are rows.

    A TAB in the first line makes it TSV, which knows no quotes. Spreadsheets separate cells with semicolons where a
    number has a decimal comma, so that it is a point here. Below the name of one column each line is one cell, commas
    and all; so it is in a plain list (one name is given), where quotation marks stay, and so do apostrophes, which make
    text of a formula in other tables.
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


def _rows(lines: Sequence[str], path: str, layout: Layout) -> Iterator[NumberedCells]:
    """All lines cut into cells."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    is_plain = layout.names is not None and len(layout.names) == 1
    if is_plain or layout.separator == "\t" or (not layout.separator and "\t" in first):
        named = first.split("\t") if layout.names is None else layout.names
        places = _places_of_numbers(named, layout)
        for number, line in enumerate(lines, start=1):
            cells = line.split("\t")
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


def _csv_rows(lines: Sequence[str], path: str, layout: Layout, first: str) -> Iterator[NumberedCells]:
    """The records of a CSV text whose `first` line has the names of its columns, or is a row of its own."""
    ended = [f"{line}\n" for line in (*lines, "")]
    delimiter = layout.separator or (";" if first.count(";") > first.count(",") else ",")
    named = next(csv.reader([first], delimiter=delimiter), []) if layout.names is None else layout.names
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


def _places_of_numbers(named: Sequence[str], layout: Layout) -> set[int]:
    return {place for field, place in fields_of(named, layout.renamed).items() if field in NUMBERS}


def _with_point(cell: str) -> str:
    """Numbers with a decimal comma, one or several in a row, with a point; any other cell as it is, so that ids stay
    what they are."""
    text = cell.strip("[](){} ")
    parts = BETWEEN_RATINGS.split(text)
    found = [DECIMAL_COMMA.fullmatch(part) for part in parts]
    if not all(each or "," not in part for each, part in zip(found, parts, strict=True)):
        return cell  # commas between ratings, or no numbers
    if len(parts) == 1:
        return ".".join(found[0].groups()) if found[0] else cell
    return " ".join(".".join(each.groups()) if each else part for each, part in zip(found, parts, strict=True))


def _is_too_long(error: csv.Error) -> bool:
    return str(error).startswith("field larger than")


def too_long(path: str, number: int) -> DataError:
    """What to say of a cell that is longer than `csv` reads."""
    return DataError(
        f"{path}:{number}: a cell of more than {csv.field_size_limit():,} characters\n"
        "  end the lines of a table, and close the quotation marks in it"
    )
