"""Metadata of sentences: comments of CoNLL-U, columns of tables, file names, and `--meta`."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from numbat.errors import DataError, UsageError
from numbat.files import lines_of, shown
from numbat.records import frozen

Pairs = tuple[tuple[str, str], ...]
"""Keys with values, such as `(("genre", "email"),)`."""

PAIR: Final = re.compile(r"#\s*(.*?\S)\s*=\s*(.*?)\s*")
OF_SENTENCE: Final = frozenset(("sent_id", "text"))
"""Comments that have the name and the text of a sentence, and so are no metadata."""
DOCUMENT, PARAGRAPH = "newdoc", "newpar"
IDS: Final = {"newdoc id": DOCUMENT, "newpar id": PARAGRAPH}
SENTENCE_COLUMNS: Final = ("sentence", "text")
"""Possible names of the column in a table that has the sentences."""
ID_COLUMN: Final = "id"


class CommentReader:
    """Reads the comments of the sentences in a CoNLL-U file, in order.

    Comments after `# newdoc` apply to the whole document, those after `# newpar` to the paragraph, others only to their
    sentence. The key `meta::genre` becomes `genre`.
    """

    def __init__(self) -> None:
        self._document: dict[str, str] = {}
        self._paragraph: dict[str, str] = {}

    def pairs(self, comments: Iterable[str]) -> Pairs:
        """Return the metadata of the next sentence, which has these comments."""
        values: dict[str, str] = {}
        begins = set()
        for comment in comments:
            match = PAIR.fullmatch(comment)
            name, value = (match[1], match[2]) if match else (comment.lstrip("# \t").rstrip(), "")
            if name in OF_SENTENCE or name.startswith("text_"):
                continue
            key = IDS.get(name, name.removeprefix("meta::"))
            if key in (DOCUMENT, PARAGRAPH):
                begins.add(key)
            elif match is None:
                continue
            if value or key not in begins:
                values[key] = value
        if DOCUMENT in begins:
            self._document = {key: value for key, value in values.items() if key != PARAGRAPH}
            self._paragraph = {}
        if PARAGRAPH in begins:
            kept = (values if DOCUMENT not in begins else {PARAGRAPH: values[PARAGRAPH]}) if PARAGRAPH in values else {}
            self._paragraph = dict(kept)
        return tuple({**self._document, **self._paragraph, **values}.items())


@frozen
class KnownOfAll:
    """Metadata for all sentences of a run: `fixed` pairs, which are the same for all, and `patterns`.

    A pattern takes the value for its key from the sentence's name: what its first group matches there.
    """

    fixed: Pairs = ()
    patterns: Pairs = ()

    def of(self, name: str, pairs: Pairs) -> dict[str, str]:
        """Return the metadata of a sentence; its own `pairs` override those of its file, and `--meta` overrides all."""
        values = {**dict(self.file_pairs()), **dict(pairs), **dict(self.own_pairs())}
        for key, pattern in self.patterns:
            match = re.search(pattern, name)
            if match:
                values[key] = match[1]
        return values

    def file_pairs(self) -> Iterator[tuple[str, str]]:
        """Return the pairs with the name of the file and of its folder."""
        return (pair for pair in self.fixed if pair[0] in ("file", "folder"))

    def own_pairs(self) -> Iterator[tuple[str, str]]:
        """Return the pairs from `--meta`."""
        return (pair for pair in self.fixed if pair[0] not in ("file", "folder"))


def known_of_all(given: Sequence[str], path: str | None) -> KnownOfAll:
    """Return the metadata from `--meta key=value` and `--meta key=~pattern`, with the input's file and folder.

    Raises UsageError for a value of `--meta` that is neither.
    """
    fixed: dict[str, str] = {}
    patterns: dict[str, str] = {}
    if path is not None and path != "-":
        fixed = {"file": os.path.basename(path), "folder": os.path.basename(os.path.dirname(os.path.abspath(path)))}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f'"{pair}" is not KEY=VALUE\n  write --meta genre=email')
        if not value.startswith("~"):
            fixed[key.strip()] = value
            continue
        try:
            groups = re.compile(value[1:]).groups
        except re.error as error:
            raise UsageError(f'"{value[1:]}" is not a regular expression: {error}\n  {PATTERN}') from None
        if groups != 1:
            raise UsageError(f'"{value[1:]}" has {groups} groups in brackets but needs one\n  {PATTERN}')
        patterns[key.strip()] = value[1:]
    return KnownOfAll(tuple(fixed.items()), tuple(patterns.items()))


PATTERN: Final = "write --meta 'genre=~([a-z]+)-' for the beginnings of sentence names"


QUOTES: Final = 'close each quote; a quote inside a quoted cell is written ""'


@frozen
class TableRow:
    """A row of a table: the number of its first line, the sentence, its identifier, and the cells of other columns."""

    line: int
    text: str
    id: str
    pairs: Pairs


def table_rows(path: str) -> Iterator[TableRow | DataError]:
    """Yield the rows of a table with TABs or commas; a DataError replaces a row that cannot be read.

    The first line must name the columns, one of them `sentence` or `text`. Raises MissingFileError, and DataError if
    the file is not such a table.
    """
    lines = lines_of(path)
    name = shown(path)
    delimiter = "\t" if lines and "\t" in lines[0] else ","
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
    except csv.Error as error:
        raise DataError(f"{name}:1: this is not a row of a table: {error}\n  {QUOTES}") from None
    column = next((name for name in SENTENCE_COLUMNS if name in header), None)
    if column is None or len(set(header)) < len(header):
        raise DataError(
            f'{name}:1: no column is named "sentence"\n  the first line must name the columns, all differently: '
            "id, sentence, genre"
        )
    return _rows(reader, header, column, name)


def _rows(reader: Iterator[list[str]], header: Sequence[str], column: str, name: str) -> Iterator[TableRow | DataError]:
    while True:
        line = getattr(reader, "line_num", 0) + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield DataError(f"{name}:{line}: this is not a row of a table: {error}\n  {QUOTES}")
            continue
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            yield DataError(
                f"{name}:{line}: this row has {len(cells)} cells, but the table has {len(header)} columns\n"
                "  give it a cell for each column; a cell with a comma or a line end stands in quotes"
            )
            continue
        row: Mapping[str, str] = dict(zip(header, cells, strict=True))
        pairs = tuple((key, value) for key, value in row.items() if key not in (column, ID_COLUMN) and value)
        yield TableRow(line, row[column].strip(), row.get(ID_COLUMN, ""), pairs)
