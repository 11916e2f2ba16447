"""The files of suites: tables in TSV and CSV, JSON lines, results of PCIbex; told apart by their content."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from numbat.errors import DataError
from numbat.files import lines_of, shown
from numbat.gradience.suites.cells import DECIMAL_COMMA, NumberedCells, is_rating
from numbat.gradience.suites.columns import fields_of
from numbat.gradience.suites.judgement_marks import leading_mark
from numbat.gradience.suites.rows import finished, read_rows
from numbat.gradience.suites.suite import Item, Suite, on_one_scale
from numbat.source import Problem, Span, counted, shortened

IBEX_FIRST: Final = "results reception time"
"""The first column of the results of Ibex and PCIbex, named in a comment."""
SUFFIXES: Final = (".tsv", ".csv", ".jsonl", ".txt")
EXPECTED: Final = ".expected."
"""Part of the names of the files in which `numbat test` keeps accepted outcomes."""
ASKED: Final = ("choice", "answer", "final", "selection", "pressed", "keypress", "score")
"""What PennController calls the parameter that holds a rating."""
IBEX_SENTENCE: Final = "sentence (or sentence md5)"


def read_suite(path: str, names: Sequence[str] | None = None, adjacent: bool = False) -> Suite:
    """The suite of a file, of standard input (`-`), or of all files in a folder.

    `names` and `adjacent` as in `read_rows`. In a folder the name of the file goes before ids, and is the phenomenon of
    items that have none. Raises MissingFileError and DataError.
    """
    if not os.path.isdir(path):
        return _read_file(path, names, adjacent)
    files = sorted(file for file in Path(path).iterdir() if file.suffix in SUFFIXES and EXPECTED not in file.name)
    if not files:
        raise DataError(f"{path}: no suites in this folder\n  the names of suites end with {', '.join(SUFFIXES)}")
    suites = [_read_file(str(file), names, adjacent) for file in files]
    items = [_of_folder(item, file) for file, suite in zip(files, suites, strict=True) for item in suite.items]
    return Suite(path, on_one_scale(items), tuple(dict.fromkeys(name for suite in suites for name in suite.unread)))


def _of_folder(item: Item, file: Path) -> Item:
    return replace(
        item,
        id=f"{file.stem}/{item.id}",
        pair=item.pair and f"{file.stem}/{item.pair}",
        phenomenon=item.phenomenon or file.stem,
        path=str(file),
    )


def _read_file(path: str, names: Sequence[str] | None, adjacent: bool) -> Suite:
    lines, path = lines_of(path), shown(path)
    start = "\n".join(lines).lstrip()
    if IBEX_FIRST in start[:4000].lower() and start.startswith("#"):
        return _ibex(lines, path)
    if start.startswith("{"):
        return _json_lines(lines, path, names, adjacent)
    if names is None and (sentences := _plain_list(lines, adjacent)):
        return read_rows(sentences, path, ("sentence",), adjacent)
    return read_rows(_table(lines, path, plain=names is not None and len(names) == 1), path, names, adjacent)


def _plain_list(lines: Sequence[str], adjacent: bool) -> list[NumberedCells]:
    """The lines of a text that is no table but a list of sentences, some of them marked or in pairs; else nothing."""
    stripped = ((number, line.strip()) for number, line in enumerate(lines, start=1))
    listed = [(number, line) for number, line in stripped if line and not line.startswith("#")]
    if not listed or not (adjacent or any(leading_mark(line)[0] for _, line in listed)):
        return []
    first = listed[0][1]
    is_table = "\t" in first or fields_of(re.split("[,;]", first))
    return [] if is_table else [(number, [line]) for number, line in listed]


def _table(lines: Sequence[str], path: str, plain: bool) -> Iterator[NumberedCells]:
    """The rows of a TSV or CSV text with the numbers of their lines; lines that start with `#` do not count.

    A TAB in the first line makes it TSV, which knows no quotes. Spreadsheets separate cells with semicolons where a
    number has a decimal comma, so that it is a point here. Below the name of one column each line is one cell, commas
    and all; so it is in a `plain` list, where quotation marks stay.
    """
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if plain or "\t" in first:
        for number, line in enumerate(lines, start=1):
            if not line.startswith("#"):
                yield number, line.split("\t")
        return
    ended = [f"{line}\n" for line in (*lines, "")]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(ended, delimiter=delimiter)
    before = 0
    alone = "sentence" in fields_of([first.strip().strip('"')])
    try:
        for cells in reader:
            if reader.line_num > before + 1:
                # A quotation mark that is not closed swallows lines up to the next one, or to the empty one at the end.
                list(csv.reader(ended[before : reader.line_num], delimiter=delimiter, strict=True))
            if delimiter == ";":
                cells = [".".join(found.groups()) if (found := DECIMAL_COMMA.fullmatch(c)) else c for c in cells]
            if cells and not cells[0].startswith("#"):
                yield before + 1, [",".join(cells)] if alone else cells
            before = reader.line_num
    except csv.Error as error:
        if _is_too_long(error):
            raise _too_long(path, before + 1) from None
        raise DataError(
            f"{path}:{before + 1}: the quotation mark in line {before + 1} is not closed\n"
            '  close it at the end of its cell; inside the cell it is doubled: ""'
        ) from None


def _is_too_long(error: csv.Error) -> bool:
    return str(error).startswith("field larger than")


def _too_long(path: str, number: int) -> DataError:
    return DataError(
        f"{path}:{number}: a cell of more than {csv.field_size_limit():,} characters\n"
        "  end the lines of a table, and close the quotation marks in it"
    )


def _json_lines(lines: Sequence[str], path: str, names: Sequence[str] | None, adjacent: bool) -> Suite:
    """One object a line, with `good` and `bad`, or with the columns of a table as keys; in all one table.

    `names` are those of the keys in the order in which they come up.
    """
    objects, problems = _objects(lines, path)
    if names is None:
        objects = [(number, _by_field(values)) for number, values in objects]
    keys = list(dict.fromkeys(key for _, values in objects for key in values))
    if names is not None and objects and len(names) != len(keys):
        wrong = f"{counted(len(names), 'name')} for {counted(len(keys), 'key')}"
        raise DataError(f"{path}: {wrong}\n  the keys are, in this order: {shortened(', '.join(keys)) or 'none'}")
    rows = [(number, [values.get(key, "") for key in keys]) for number, values in objects]
    items: Sequence[Item] = ()
    try:
        suite = read_rows(rows, path, names or keys, adjacent and not problems)
        if not problems:
            return suite
        items = suite.items
    except DataError as error:
        problems += [replace(problem, span=Span(path, problem.span.line)) for problem in error.problems]
        if not problems:
            raise
    return finished(items, problems, path)


def _objects(lines: Sequence[str], path: str) -> tuple[list[tuple[int, dict[str, str]]], list[Problem]]:
    """The plain values of each line with its number, and what is wrong with the other lines."""
    found: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    hint = "one JSON object a line"
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except json.JSONDecodeError as error:
            problems.append(Problem(f"no JSON: {error.msg}", Span(path, number, error.colno), hint=hint))
            continue
        except (ValueError, RecursionError):
            problems.append(
                Problem("this JSON is nested too deep, or a number too long", Span(path, number), hint=hint)
            )
            continue
        if isinstance(values, dict):
            cells = {str(key): _cell(value) for key, value in values.items() if not isinstance(value, dict | list)}
            found.append((number, cells))
        else:
            problems.append(Problem("no JSON object", Span(path, number), hint='write {"good": "...", "bad": "..."}'))
    return found, problems


def _by_field(values: dict[str, str]) -> dict[str, str]:
    """An object under the names of fields, for the lines of a file need not call them alike."""
    if {"sentence_a", "sentence_b", "label"} <= set(values) and values["label"] in ("0", "1"):
        # QFrBLiMP: the label is 0 where the first sentence is the good one, 1 where the second is.
        good, bad = ("sentence_a", "sentence_b") if values["label"] == "0" else ("sentence_b", "sentence_a")
        others = {key: cell for key, cell in values.items() if key not in (good, bad, "label")}
        values = {**others, "good": values[good], "bad": values[bad]}
    keys = list(values)
    fields = {keys[place]: field for field, place in fields_of(keys).items()}
    if {"good", "bad"} & set(fields.values()):
        # The numbers of pairs start afresh in every file of published collections, so the line names the pair.
        values = {key: cell for key, cell in values.items() if fields.get(key) not in ("id", "pair")}
    return {fields.get(key, key): cell for key, cell in values.items()}


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


@dataclass
class _Trials:
    """The ratings of each sentence, and where it was first met."""

    ratings: dict[str, list[float]] = field(default_factory=dict)
    places: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, sentence: str, rating: float, line: int, label: str) -> None:
        self.ratings.setdefault(sentence, []).append(rating)
        self.places.setdefault(sentence, (line, label))


def _ibex(lines: Sequence[str], path: str) -> Suite:
    """The mean rating of each sentence in results of PCIbex (PennController) or of Ibex (AcceptabilityJudgment).

    The comments name the columns. In PennController a column `sentence` was added by the experiment, and the rating is
    the value of a scale's choice; in Ibex the sentence is logged in a line before the one with the answer.
    """
    columns: dict[str, int] = {}
    trials = _Trials()
    seen: dict[tuple[str, ...], str] = {}
    for number, written in enumerate(lines, start=1):
        if written.startswith("#"):
            _name_column(written, columns)
        elif written.strip():
            try:
                cells = [cell.replace("%2C", ",") for cell in next(csv.reader([written]))]
            except csv.Error:
                raise _too_long(path, number) from None
            _trial(cells, columns, number, seen, trials)
    if not trials.ratings:
        raise DataError(
            f"{path}: no rated sentences in these results\n"
            '  log the sentence of each trial as a column: newTrial(...).log("sentence", row.sentence)'
        )
    items = []
    for i, (sentence, ratings) in enumerate(trials.ratings.items(), start=1):
        line, label = trials.places[sentence]
        items.append(Item(str(i), sentence, fmean(ratings), None, label, judges=len(ratings), line=line))
    return finished(items, [], path)


def _name_column(comment: str, columns: dict[str, int]) -> None:
    """`# 3. Label.` names the third column of the lines below."""
    number, dot, name = comment.lstrip("# ").partition(". ")
    if dot and number.isdecimal():
        place = int(number) - 1
        for old in [key for key, value in columns.items() if value == place]:
            del columns[old]
        columns[name.strip().rstrip(".").lower()] = place


def _trial(
    cells: list[str], columns: dict[str, int], line: int, seen: dict[tuple[str, ...], str], trials: _Trials
) -> None:
    """What one line of results says: a sentence that was shown, or a rating."""

    def cell(*names: str) -> str:
        return next((cells[columns[n]].strip() for n in names if n in columns and columns[n] < len(cells)), "")

    label = cell("label", "type")
    who = cell(IBEX_FIRST), cell("md5 hash of participant's ip address", "md5 hash of ip address"), label, cell(
        "item number", "order number of item", "latin square group"
    )  # fmt: skip
    sentence, answer = cell("sentence", "text", "item_text"), ""
    if "parameter" in columns:
        answer = cell("value") if cell("parameter").lower() in ASKED else ""
    else:
        logged = cell(IBEX_SENTENCE)
        if cell("controller name").lower() in ("flashsentence", "message", "acceptabilityjudgment") and logged:
            seen.setdefault(who, logged)
        sentence, answer = seen.get(who, ""), cell("answer")
    try:
        rating = float(answer)
    except ValueError:
        return
    if sentence and is_rating(rating):
        trials.add(sentence, rating, line, label)
