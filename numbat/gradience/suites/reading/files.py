"""The files of suites: tables in TSV and CSV, JSON lines, results of PCIbex; told apart by their content."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from numbat.errors import DataError, counted, first_of
from numbat.files import lines_of, shown
from numbat.gradience.suites.reading.columns import Layout
from numbat.gradience.suites.reading.delimited import plain_list, separator_of, table_rows
from numbat.gradience.suites.reading.json_lines import read_json_lines
from numbat.gradience.suites.reading.pcibex import is_ibex, read_ibex
from numbat.gradience.suites.reading.rows import read_rows
from numbat.gradience.suites.suite import Item, Suite, on_one_scale

SUFFIXES: Final = (".tsv", ".csv", ".jsonl", ".txt")
EXPECTED: Final = ".expected."
"""Part of the names of the files in which `numbat test` keeps accepted outcomes."""


def read_suite(path: str, names: Sequence[str] | None = None, adjacent: bool = False) -> Suite:
    """The suite of a file, of standard input (`-`), or of all files in a folder.

    `names` and `adjacent` as in `read_rows`. Raises as `read_laid_out`.
    """
    return read_laid_out(path, Layout(None if names is None else tuple(names), adjacent=adjacent))


def read_laid_out(path: str, layout: Layout) -> Suite:
    """The suite of a file, of standard input (`-`), or of all files in a folder, that are laid out in one way.

    In a folder the name of the file goes before ids, and is the phenomenon of items that have none. Raises
    MissingFileError and DataError.
    """
    if not os.path.isdir(path):
        return _read_file(path, layout)
    files = sorted(file for file in Path(path).iterdir() if file.suffix in SUFFIXES and EXPECTED not in file.name)
    if not files:
        raise DataError(f"{path}: no suites in this folder\n  the names of suites end with {', '.join(SUFFIXES)}")
    suites = [_read_file(str(file), layout) for file in files]
    items = [_of_folder(item, file) for file, suite in zip(files, suites, strict=True) for item in suite.items]
    unread = tuple(dict.fromkeys(name for suite in suites for name in suite.unread))
    return Suite(path, on_one_scale(items), unread, tuple(note for suite in suites for note in suite.notes))


def _of_folder(item: Item, file: Path) -> Item:
    return replace(
        item,
        id=f"{file.stem}/{item.id}",
        pair=item.pair and f"{file.stem}/{item.pair}",
        phenomenon=item.phenomenon or file.stem,
        path=str(file),
    )


def _read_file(path: str, layout: Layout) -> Suite:
    return read_lines(lines_of(path), shown(path), layout)


def read_lines(lines: list[str], path: str, layout: Layout) -> Suite:
    """The suite of the lines of a file that is called `path`. Raises DataError."""
    start = "\n".join(lines).lstrip()
    if is_ibex(lines):
        return read_ibex(lines, path)
    if start.startswith("{"):
        return read_json_lines(lines, path, layout)
    if separator := separator_of(lines):
        lines, layout = ["", *lines[1:]], replace(layout, separator=separator)
    comments: list[int] = []
    if layout.names is None and not separator and (sentences := plain_list(lines, layout, comments)):
        suite = read_rows(sentences, path, ("sentence",), layout.adjacent)
    else:
        rows = table_rows(lines, path, layout, comments)
        suite = read_rows(rows, path, layout.names, layout.adjacent, layout.renamed)
    return replace(suite, notes=(*suite.notes, *_on_comments(path, comments)))


def _on_comments(path: str, comments: Sequence[int]) -> list[str]:
    if not comments:
        return []
    which = f"{path}:{first_of(list(map(str, comments)), 3)}"
    told = f"{counted(len(comments), 'line')} that begin{'s' * (len(comments) == 1)} with # left out"
    return [f"{told} as {'a comment' if len(comments) == 1 else 'comments'} ({which}): --hash-lines reads them"]
