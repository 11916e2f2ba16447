"""Suites in JSON lines: one object a line, with the columns of a table as keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numbat.errors import DataError, Problem, Span, counted, half_escaped, shortened
from numbat.gradience.suites.reading.columns import Layout, check_renamed, fields_of
from numbat.gradience.suites.reading.rows import finished, read_rows
from numbat.gradience.suites.suite import Item, Suite


def read_json_lines(lines: Sequence[str], path: str, layout: Layout) -> Suite:
    """One object a line, with `good` and `bad`, or with the columns of a table as keys; in all one table.

    The names of the layout are those of the keys in the order in which they come up.
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


def _objects(lines: Sequence[str], path: str, layout: Layout) -> tuple[list[tuple[int, dict[str, str]]], list[Problem]]:
    """The plain values of each line with its number, and what is wrong with the other lines."""
    found: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    hint = "one JSON object a line"
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line, parse_float=str)  # as it is written, for it may be an id
        except json.JSONDecodeError as error:
            problems.append(Problem(f"no JSON: {error.msg}", Span(path, number, error.colno), hint=hint))
            continue
        except (ValueError, RecursionError):
            problems.append(
                Problem("this JSON is nested too deep, or a number too long", Span(path, number), hint=hint)
            )
            continue
        if (half := half_escaped(line, path, number)) is not None:
            problems.append(half)
        elif isinstance(values, dict):
            found.append((number, {key: _cell(value) for key, value in values.items() if _is_read(key, value, layout)}))
        else:
            problems.append(Problem("no JSON object", Span(path, number), hint='write {"good": "...", "bad": "..."}'))
    return found, problems


def _by_field(values: dict[str, str], layout: Layout) -> dict[str, str]:
    """An object under the names of fields, for the lines of a file need not call them alike."""
    if {"sentence_a", "sentence_b", "label"} <= set(values) and values["label"] in ("0", "1"):
        # QFrBLiMP: the label is 0 where the first sentence is the good one, 1 where the second is.
        good, bad = ("sentence_a", "sentence_b") if values["label"] == "0" else ("sentence_b", "sentence_a")
        others = {key: cell for key, cell in values.items() if key not in (good, bad, "label")}
        values = {**others, "good": values[good], "bad": values[bad]}
    keys = list(values)
    fields = {keys[place]: field for field, place in fields_of(keys, layout.renamed).items()}
    if {"good", "bad"} & set(fields.values()):
        # The numbers of pairs start afresh in every file of published collections, so the line names the pair.
        values = {key: cell for key, cell in values.items() if fields.get(key) not in ("id", "pair")}
    return {fields.get(key, key): cell for key, cell in values.items()}


def _is_read(key: str, value: Any, layout: Layout) -> bool:
    """Whether a value can stand in a cell: no object, and no list but one of ratings."""
    if isinstance(value, list):
        return "rating" in fields_of([key], layout.renamed) and all(isinstance(each, str | int) for each in value)
    return not isinstance(value, dict)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return "" if value is None else str(value)
