"""Excel sheets as tables: a row becomes a line of cells separated by TABs, as if the sheet were saved as TSV.

The sheet of a file with several is named behind `#`: `items.xlsx#Items`. What a table cannot say is an error: merged
cells, errors of formulas, and formulas without a value.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import DataError, MissingFileError, first_of, require_openpyxl

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

NAME: Final = re.compile(r"(.+\.xls[xm])(?:#(.*))?", re.IGNORECASE | re.DOTALL)
MAX_SIZE: Final = 500_000_000
"""Maximum bytes of an unpacked file."""
NOT_AVAILABLE: Final = "#N/A"
"""The error that people write for a missing value."""
MAX_CELLS: Final = 10_000_000
COPY: Final = "copy the cells with values to a new file: cells far away have a format or a blank"
OF_DAMAGE: Final = (KeyError, ValueError, OSError, SyntaxError, TypeError, RuntimeError)
"""Errors about what is in an archive."""
NAMED: Final = 5
SAVE: Final = "save it again with a spreadsheet, or as CSV in UTF-8"


def sheet_of(path: str) -> tuple[str, str] | None:
    """Return the Excel file that a path names and the name of its sheet, "" if none is named; None for other files."""
    match = NAME.fullmatch(path)
    if match is None:
        return None
    return (path, "") if match[2] is None or os.path.exists(path) else (match[1], match[2])


def table_of_sheet(content: bytes, path: str, sheet: str) -> bytes:
    """Return a sheet as TSV: the one of this name, or the only one that has cells. Raises DataError."""
    require_openpyxl("reading Excel files")
    import zlib
    from zipfile import BadZipFile, ZipFile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with ZipFile(io.BytesIO(content)) as packed:
            if sum(part.file_size for part in packed.infolist()) > MAX_SIZE:
                raise DataError(f"{path}: this file is too large when unpacked\n  {SAVE}")
        formulas, values = (load_workbook(io.BytesIO(content), data_only=known) for known in (False, True))
    except (InvalidFileException, BadZipFile, zlib.error, *OF_DAMAGE):
        raise DataError(f"{path}: this is not an Excel file, or it is damaged\n  {SAVE}") from None
    chosen = _chosen([one for one in formulas.worksheets if _has_cells(one)], path, sheet)
    lines = _lines(chosen, values[chosen.title], f"{path}#{chosen.title}" if sheet else path)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _has_cells(sheet: Worksheet) -> bool:
    return any(cell is not None for row in sheet.iter_rows(values_only=True) for cell in row)


def _chosen(sheets: Sequence[Worksheet], path: str, name: str) -> Worksheet:
    """Return the sheet of this name, or the only one without a name. Raises DataError."""
    titles = [sheet.title for sheet in sheets]
    listed = first_of(titles, NAMED)
    if not sheets:
        raise DataError(f"{path}: no sheet of this file has cells\n  write the table into one")
    if name in titles:
        return sheets[titles.index(name)]
    if name:
        raise MissingFileError(f'{path}: no sheet "{name}" with cells\n  the sheets are: {listed}')
    if len(sheets) > 1:
        raise DataError(f"{path}: this file has {len(sheets)} sheets: {listed}\n  name one: {path}#{titles[0]}")
    return sheets[0]


def _lines(sheet: Worksheet, values: Worksheet, name: str) -> Iterator[str]:
    """Yield the rows as lines, all with as many cells as the sheet has columns with values. Raises DataError."""
    if sheet.merged_cells.ranges:
        merged = first_of([str(cells) for cells in sheet.merged_cells.ranges], NAMED)
        raise DataError(f"{name}: merged cells: {merged}\n  unmerge them, and write the value into each cell")
    if sheet.max_row * sheet.max_column > MAX_CELLS:
        raise DataError(f"{name}: the sheet reaches to its cell {sheet.dimensions}\n  {COPY}")
    rows = [
        [_text(cell, value, name) for cell, value in zip(row, row_of_values, strict=True)]
        for row, row_of_values in zip(sheet.iter_rows(), values.iter_rows(values_only=True), strict=True)
    ]
    width = max((at for row in rows for at, cell in enumerate(row, start=1) if cell), default=0)
    for row in rows:
        yield "\t".join(row[:width]) if any(row) else ""


def _text(cell: Any, value: object, name: str) -> str:
    """Return the value of a cell as a text on one line. Raises DataError."""
    place = f"{name}: the cell {cell.coordinate}"
    if cell.data_type == "f" and value is None:
        raise DataError(f"{place} has a formula without a value\n  open the file in a spreadsheet and save it")
    if isinstance(value, str) and re.fullmatch(r"#[A-Z0-9/]+[!?]?", value) and (cell.data_type in "ef"):
        if value == NOT_AVAILABLE:
            return ""
        raise DataError(f"{place} has the error {value}\n  mend its formula")
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return " ".join(str(value).replace("\0", " ").splitlines()).replace("\t", " ")
