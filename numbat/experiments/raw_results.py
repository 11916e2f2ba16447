"""Reading of result files from laboratories: the format is recognized by content, the trials form one study."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.errors import DataError, UsageError, close_match, counted, data_error
from numbat.experiments.ibex_results import is_ibex, read_ibex
from numbat.experiments.result_answers import (
    AnswerFile,
    Log,
    ResultLayout,
    only_labels,
    trials_of,
    with_logged_fields,
)
from numbat.experiments.result_tables import MAPPED, TableLayout, read_mapping, read_table, rows_of
from numbat.experiments.trials import FIELDS, Trials, is_clean, read_clean
from numbat.files import SAVE_OR_NAME, content_of, lines_of, nul_in, shown

MAPPING_ENDS: Final = (".yaml", ".yml")
"""Suffixes of mapping files."""


def read_results(paths: Sequence[str], layout: TableLayout) -> Trials:
    """Return the trials in the files of one study. Raises MissingFileError, DataError and UsageError."""
    contents: dict[bytes, str] = {}
    for path in paths:
        content = content_of(path) if path != "-" else b"-"
        if (other := contents.setdefault(content, path)) != path:
            raise DataError(f"{path}: has the same content as {other}\n  give each file of results once")
    files = [(shown(path), lines_of(path, SAVE_OR_NAME)) for path in paths]
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise UsageError(f"{shown(twice)} is given twice\n  give each file of results once")
    return trials_in(files, layout)


def trials_in(files: Sequence[tuple[str, Sequence[str]]], layout: TableLayout) -> Trials:
    """Return the trials in the lines of files, each with its path."""
    log = Log()
    answer_files: list[AnswerFile] = []
    for path, lines in files:
        if damaged := [nul_in(line, path, number) for number, line in enumerate(lines, start=1) if "\0" in line]:
            raise data_error(*damaged)
        if not is_ibex(lines) and is_clean_table(lines, path):
            if len(files) > 1:
                raise UsageError(
                    f"{path}: a table of numbat ratings must be the only file\n  give the raw files, or only this one"
                )
            return only_labels(read_clean(list(rows_of(lines, path, layout)), path), layout.results.only)
        answer_files.append(_answers_in(path, lines, layout, log))
    _check_shared_names(answer_files, log)
    return trials_of(answer_files, _with_decimal(layout, [lines for _, lines in files]), log)


def is_clean_table(lines: Sequence[str], path: str) -> bool:
    """Return True for the lines of a table that `numbat ratings` wrote."""
    first = next((line for line in lines if line.strip()), "")
    return all(name in first for name in FIELDS) and is_clean(next(rows_of(lines[:1], path, TableLayout()))[1])


def are_results(lines: Sequence[str], path: str) -> bool:
    """Return True for results that need no mapping file: those of PCIbex, Ibex or `numbat ratings`."""
    return is_ibex(lines) or is_clean_table(lines, path)


def mapped_layout(columns: str | None, layout: TableLayout) -> TableLayout:
    """Return the layout as `--columns` changes it: a YAML file, or `sentence=Satz,rating=Note`. Raises UsageError."""
    if not columns:
        return layout
    if columns.endswith(MAPPING_ENDS):
        return with_options(read_mapping(columns), layout)
    renamed = {}
    for part in columns.split(","):
        name, is_renamed, column = (text.strip() for text in part.partition("="))
        if not is_renamed or not column or name not in MAPPED:
            hint = close_match(name, MAPPED) or f"write --columns rating=NAME; the fields are: {', '.join(MAPPED)}"
            raise UsageError(f'--columns: "{part.strip()}" does not name a column\n  {hint}')
        renamed[name] = column
    return replace(layout, results=replace(layout.results, columns=renamed))


def with_options(mapping: TableLayout, given: TableLayout) -> TableLayout:
    """Return the layout of a mapping file; options that are given override it."""
    default = ResultLayout()
    options = {
        name: value
        for name in ResultLayout.__dataclass_fields__
        if (value := getattr(given.results, name)) != getattr(default, name)
    }
    return replace(mapping, results=replace(mapping.results, **options))


def _answers_in(path: str, lines: Sequence[str], layout: TableLayout, log: Log) -> AnswerFile:
    if not is_ibex(lines):
        before = len(log.notes)
        file = read_table(lines, path, layout, log)
        what = {"gorilla": "Gorilla", "qualtrics": "Qualtrics"}.get(layout.form, "a table")
        log.notes.insert(before, f"{path}: {what}, {counted(len(file.answers), 'answer')}")
        return file
    answers = read_ibex(lines, path, log)
    is_penn = any(not answer.is_condition for answer in answers)
    senders = counted(len({answer.who for answer in answers}), "submission")
    log.read(f"{path}: results of {'PCIbex' if is_penn else 'Ibex'}, {senders}, {counted(len(answers), 'answer')}")
    return with_logged_fields(path, answers, layout.results)


def _with_decimal(layout: TableLayout, files: Sequence[Sequence[str]]) -> ResultLayout:
    """Return the layout of results, with decimal commas where semicolons separate the cells."""
    firsts = [next((line for line in lines if line.strip()), "") for lines in files]
    by_semicolon = all(line.count(";") > line.count(",") and not line.startswith("#") for line in firsts)
    return replace(layout.results, decimal_comma=layout.results.decimal_comma or by_semicolon)


def _check_shared_names(files: Sequence[AnswerFile], log: Log) -> None:
    """Warn if participants in two tables have the same name: they count as the same people."""
    first: dict[str, str] = {}
    shared: dict[str, None] = {}
    for file in files:
        for who in {answer.who for answer in file.answers if not answer.stamp}:
            if first.setdefault(who, file.path) != file.path:
                shared[who] = None
    if shared:
        paths = " and ".join(os.path.basename(file.path) for file in files[:2])
        log.beware(f"participants of the same name in {paths} count as the same people: {len(shared)}")
