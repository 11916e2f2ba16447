"""Reading suites: tables in TSV and CSV, JSON, SyntaxGym, results of experiments, recognised by their content."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol

from numbat.acceptability.suite import Item, Suite, on_one_scale
from numbat.acceptability.suite_cells import layout_by_content, plain_list, separator_of, table_rows
from numbat.acceptability.suite_examples import is_latex, is_numbered, read_latex, read_numbered
from numbat.acceptability.suite_profiles import is_profile, read_profile
from numbat.acceptability.suite_regions import JsonDocument, is_document, read_document, read_regions, regions_of
from numbat.acceptability.suite_tables import SuiteLayout, check_renamed, fields_of, finished, read_rows
from numbat.errors import (
    DataError,
    Problem,
    Span,
    UsageError,
    counted,
    data_error,
    first_of,
    half_escaped,
    shortened,
)
from numbat.files import SAVE_OR_NAME, lines_of, nul_in, shown

SUFFIXES: Final = (".tsv", ".csv", ".xlsx", ".jsonl", ".txt")
JSON: Final = ".json"
"""Ending of the names of SyntaxGym suites, and of many files that are not suites."""
EXPECTED: Final = ".expected."
"""Part of the names of files with the accepted outcomes of `numbat test`."""


def read_suite(
    path: str,
    names: Sequence[str] | None = None,
    adjacent: bool = False,
    formats: Sequence[SuiteFormat] = (),
) -> Suite:
    """Return the suite in a file, in standard input (`-`), or in all files in a folder.

    `names` and `adjacent` are as in `read_rows`, `formats` and errors as in `read_laid_out`.
    """
    return read_laid_out(path, SuiteLayout(None if names is None else tuple(names), adjacent=adjacent), formats)


class SuiteFormat(Protocol):
    """A file format that another package reads as suites."""

    @property
    def name(self) -> str:
        """Name of the format in messages."""

    def recognises(self, lines: Sequence[str], path: str) -> bool:
        """True if the lines of a file are in the format."""

    def read(self, lines: Sequence[str], path: str, layout: SuiteLayout) -> Suite:
        """Return the suite. Raises DataError and UsageError."""


def read_laid_out(path: str, layout: SuiteLayout, formats: Sequence[SuiteFormat] = ()) -> Suite:
    """Return the suite in a file, in standard input (`-`), or in all files in a folder, in the given layout.

    `formats` are read in addition to those of this package. In a folder the name of the file is prefixed to ids, and is
    the phenomenon of items without one. Raises MissingFileError, DataError and UsageError.
    """
    if not os.path.isdir(path):
        return _read_file(path, layout, formats)
    paths = [file for file in Path(path).iterdir() if EXPECTED not in file.name]
    others = sorted(file for file in paths if file.suffix == JSON and not _is_suite(str(file)))
    files = sorted(file for file in paths if file.suffix in (*SUFFIXES, JSON) and file not in others)
    if not files:
        known = ", ".join((*SUFFIXES, JSON))
        raise DataError(f"{path}: no suites in this folder\n  the names of suites end with {known}")
    suites = [_read_file(str(file), layout, formats) for file in files]
    items = [
        _of_folder(item, file, numbered)
        for file, suite in zip(files, suites, strict=True)
        # Participants of results are numbered per file: p01 in one file is not p01 in another.
        for numbered in (any(rating.z is not None for item in suite.items for rating in item.ratings),)
        for item in suite.items
    ]
    unread = tuple(dict.fromkeys(name for suite in suites for name in suite.unread))
    notes = dict.fromkeys(note for suite in suites for note in suite.notes)
    if others:
        named = first_of([file.name for file in others], 3)
        notes[f"{counted(len(others), 'JSON file')} left out, which {_are(len(others))}: {named}"] = None
    return Suite(path, on_one_scale(items), unread, tuple(notes))


def names_beside(grammar: Path) -> list[str]:
    """Return names for the suite beside a grammar: its own name and `.suite`, or `suite`, as a table or a list."""
    return [f"{stem}{suffix}" for stem in (f"{grammar.stem}.suite", "suite") for suffix in (".tsv", ".csv", ".txt")]


def looks_judged(name: str, text: str) -> bool:
    """True for a table with a column of sentences, and for any list in a `.txt` file."""
    return name.endswith(".txt") or "sentence" in re.split(r"[\t,]", text.partition("\n")[0].strip().lower())


def _are(number: int) -> str:
    return "is not a suite" if number == 1 else "are not suites"


def _is_suite(path: str) -> bool:
    """True if a JSON file has the keys of a SyntaxGym suite, or is a list of objects with sentences."""
    text = "\n".join(lines_of(path))
    keys = ('"conditions"', '"regions"')
    return all(key in text for key in keys) or (
        LIST_OF_OBJECTS.match(text.lstrip()) is not None and '"sentence' in text
    )


def _of_folder(item: Item, file: Path, numbered: bool) -> Item:
    ratings = item.ratings
    if numbered:
        ratings = tuple(rating._replace(participant=f"{file.stem}/{rating.participant}") for rating in ratings)
    return replace(
        item,
        ratings=ratings,
        id=f"{file.stem}/{item.id}",
        pair=item.pair and f"{file.stem}/{item.pair}",
        phenomenon=item.phenomenon or file.stem,
        path=str(file),
    )


def _read_file(path: str, layout: SuiteLayout, formats: Sequence[SuiteFormat]) -> Suite:
    return read_lines(lines_of(path, SAVE_OR_NAME), shown(path), layout, formats)


def read_lines(lines: list[str], path: str, layout: SuiteLayout, formats: Sequence[SuiteFormat] = ()) -> Suite:
    """Return the suite in the lines of the file `path`. Raises DataError and UsageError."""
    start = "\n".join(lines).lstrip()
    if "\0" in start:
        raise data_error(*(nul_in(line, path, number) for number, line in enumerate(lines, start=1) if "\0" in line))
    other = next((form for form in formats if form.recognises(lines, path)), None)
    if other is not None:
        return _without_pairs(other.name, layout, partial(other.read, layout=layout), lines, path)
    if start.startswith("{") and is_document(lines):
        return _without_pairs("suites of SyntaxGym", layout, read_document, lines, path)
    if start.startswith("{") or LIST_OF_OBJECTS.match(start):
        return read_json_lines(lines, path, layout)
    if layout.names is None and not layout.renamed:
        if is_latex(start):
            return _without_pairs("examples in LaTeX", layout, read_latex, lines, path)
        if is_profile(lines):
            return _without_pairs("the items of a test suite of DELPH-IN", layout, read_profile, lines, path)
        if is_numbered(lines):
            return _without_pairs("numbered examples", layout, read_numbered, lines, path)
    if separator := separator_of(lines):
        lines, layout = ["", *lines[1:]], replace(layout, separator=separator)
    comments: list[int] = []
    layout, note = (layout, "") if separator else layout_by_content(lines, layout)
    if layout.names is None and not separator and (sentences := plain_list(lines, layout, comments)):
        suite = read_rows(sentences, path, ("sentence",), layout.adjacent)
    else:
        rows = table_rows(lines, path, layout, comments)
        first = next(rows, None) if layout.names is None else None
        if first is not None and regions_of(first[1]):
            suite = read_regions(rows, first[1], path)
        else:
            rows = rows if first is None else chain((first,), rows)
            suite = read_rows(rows, path, layout.names, layout.adjacent, layout.renamed)
    return replace(suite, notes=(*filter(None, (note,)), *suite.notes, *_on_comments(path, comments)))


def _without_pairs(
    what: str, layout: SuiteLayout, read: Callable[[Sequence[str], str], Suite], lines: Sequence[str], path: str
) -> Suite:
    """Return the suite in a file whose lines cannot be pairs. Raises UsageError if the layout asks for pairs."""
    if layout.adjacent:
        raise UsageError(
            f"{path}: --pairs cannot be combined with {what}\n  leave it out, or give a table or a plain list"
        )
    return read(lines, path)


def _on_comments(path: str, comments: Sequence[int]) -> list[str]:
    if not comments:
        return []
    which = f"{path}:{first_of(list(map(str, comments)), 3)}"
    said = f"{counted(len(comments), 'line')} that begin{'s' * (len(comments) == 1)} with # left out"
    return [f"{said} as {'a comment' if len(comments) == 1 else 'comments'} ({which}): --hash-lines reads them"]


# Suites in JSON: one object per line, or a list of objects, with the columns of a table as keys.

LIST_OF_OBJECTS: Final = re.compile(r"\[\s*\{")


def read_json_lines(lines: Sequence[str], path: str, layout: SuiteLayout) -> Suite:
    """Return the suite of JSON objects, one per line or in a list, with `good` and `bad` or a table's columns as keys.

    The names of the layout rename the keys, in the order of their first occurrence.
    """
    names = layout.names
    objects, problems = _objects(lines, path, layout)
    if names is None:
        check_renamed(list(dict.fromkeys(key for _, values in objects for key in values)), layout.renamed, path)
        objects = [(number, _by_field(values, layout)) for number, values in objects]
    keys = list(dict.fromkeys(key for _, values in objects for key in values))
    if names is not None and objects and len(names) != len(keys):
        wrong = f"{counted(len(names), 'name')} for {counted(len(keys), 'key')}"
        raise DataError(f"{path}: {wrong}\n  the keys are, in this order: {shortened(', '.join(keys)) or 'none'}")
    rows = [(number, [values.get(key, "") for key in keys]) for number, values in objects]
    items: Sequence[Item] = ()
    try:
        suite = read_rows(rows, path, names or keys, layout.adjacent and not problems)
        if not problems:
            return suite
        items = suite.items
    except DataError as error:
        problems += [replace(problem, span=Span(path, problem.span.line)) for problem in error.problems]
        if not problems:
            raise
    return finished(items, problems, path)


def _objects(
    lines: Sequence[str], path: str, layout: SuiteLayout
) -> tuple[list[tuple[int, dict[str, str]]], list[Problem]]:
    """Return the plain values of each object with its line number, and the problems of lines without an object."""
    objects: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    is_list = next((line.lstrip() for line in lines if line.strip()), "").startswith("[")
    for number, values in (_values_in_list if is_list else _values_in_lines)(lines, path, problems):
        if isinstance(values, dict):
            objects.append(
                (number, {key: _cell(value) for key, value in values.items() if _is_read(key, value, layout)})
            )
        else:
            problems.append(
                Problem("not a JSON object", Span(path, number), hint='write {"good": "...", "bad": "..."}')
            )
    return objects, problems


def _values_in_list(lines: Sequence[str], path: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    document = JsonDocument("\n".join(lines), path)
    yield from ((document.line(member.start), member.value) for member in document.members(document.first()))
    problems += filter(None, (half_escaped(line, path, number) for number, line in enumerate(lines, start=1)))


def _values_in_lines(lines: Sequence[str], path: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    hint = "write one JSON object per line"
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line, parse_float=str)  # as written, since it may be an id
        except json.JSONDecodeError as error:
            problems.append(Problem(f"not JSON: {error.msg}", Span(path, number, error.colno), hint=hint))
        except (ValueError, RecursionError):
            deep = "this JSON is nested too deeply, or a number in it is too long"
            problems.append(Problem(deep, Span(path, number), hint=hint))
        else:
            if (half := half_escaped(line, path, number)) is not None:
                problems.append(half)
            else:
                yield number, values


def _by_field(values: dict[str, str], layout: SuiteLayout) -> dict[str, str]:
    """Return a JSON object with the names of fields as keys, as each line of a file may name its keys differently."""
    if {"sentence_a", "sentence_b", "label"} <= set(values) and values["label"] in ("0", "1"):
        # QFrBLiMP: the label is 0 if the first sentence is the good one, 1 if the second is.
        good, bad = ("sentence_a", "sentence_b") if values["label"] == "0" else ("sentence_b", "sentence_a")
        others = {key: cell for key, cell in values.items() if key not in (good, bad, "label")}
        values = {**others, "good": values[good], "bad": values[bad]}
    keys = list(values)
    fields = {keys[place]: field for field, place in fields_of(keys, layout.renamed).items()}
    if {"good", "bad"} & set(fields.values()):
        # Pair numbers start at the beginning in every file of published collections, so the line identifies the pair.
        values = {key: cell for key, cell in values.items() if fields.get(key) not in ("id", "pair")}
    return {fields.get(key, key): cell for key, cell in values.items()}


def _is_read(key: str, value: Any, layout: SuiteLayout) -> bool:
    """True if a value can be a cell: it is not an object, and not a list, except a list of ratings."""
    if isinstance(value, list):
        return "rating" in fields_of([key], layout.renamed) and all(isinstance(element, str | int) for element in value)
    return not isinstance(value, dict)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return "" if value is None else str(value)
