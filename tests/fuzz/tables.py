"""The kinds of tables: results of experiments and what says how to read them, materials, models of R, Excel sheets."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from numbat.acceptability.covariates import read_frequencies
from numbat.acceptability.exercises import check_exercise
from numbat.acceptability.suite_files import read_suite
from numbat.errors import DataError
from numbat.experiments.exclusions import read_rules
from numbat.experiments.materials import latin_square, read_materials
from numbat.experiments.mixed_models import COLUMNS, read_mixed_models
from numbat.experiments.publication import SCHEMA
from numbat.experiments.ratings import RatingSettings, ratings, ratings_lines
from numbat.experiments.rerun import _read as read_record
from numbat.experiments.result_tables import read_mapping
from numbat.experiments.trials import clean_table
from numbat.files import text_of
from numbat.labels.token_files import Layout, read_samples
from numbat.runs.metadata import table_rows
from tests import test_ratings
from tests.fuzz import valid
from tests.fuzz.kinds import Make, text_kind
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.runner import Kind

ROOT: Final = valid.ROOT
RULES: Final = ("one-button", "too-fast=300", "too-few=0.5", "far-mean=1", "fast-trial=95", "slow-trial=4000",
                "outlier=1.2", "slow-outlier=1.4")  # fmt: skip


def results(rng: Random) -> bytes:
    """Results of an experiment as a laboratory writes them."""
    shown = test_ratings.experiment(rng.randrange(40))[:12]
    way = rng.randrange(7)
    text = (
        lambda: test_ratings.as_penn(shown),
        lambda: test_ratings.as_ibex(shown, in_groups=True),
        lambda: test_ratings.as_ibex(shown, in_groups=False),
        lambda: test_ratings.as_long(shown, rng.choice(",;\t")),
        lambda: test_ratings.as_gorilla(shown),
        lambda: test_ratings.as_wide(shown),
        lambda: test_ratings.as_wide(shown, qualtrics=True),
    )[way]()
    return text.encode()


def _read_results(rng: Random, path: str) -> object:
    """Read results; what is written as a clean table has the same trials when it is read again."""
    exclude = tuple(rng.sample(RULES, rng.choice((0, 0, 1, 2))))
    only = {"scale": rng.choice((None, None, "1-7")), "decimal_comma": rng.random() < 0.1}
    made = ratings(RatingSettings((path,), exclude=exclude, **only))  # type: ignore[arg-type]
    list(ratings_lines(made))
    if made.trials.trials:
        clean = Path(path).with_name("clean.csv")
        clean.write_text(clean_table(made.trials), encoding="utf-8", newline="")
        again = ratings(RatingSettings((str(clean),)))
        trials, others = (
            [(t.participant, t.item, t.condition, t.sentence, round(t.rating, 4)) for t in one.trials.trials]
            for one in (made, again)
        )
        if trials != others:
            raise AssertionError("the clean table has other trials")
    return made


def _lines(*lines: str) -> Make:
    """Lines, some of which may be missing."""
    return lambda rng: "".join(f"{line}\n" for line in lines if rng.random() < 0.8).encode()


MAPPING: Final = (
    "layout: long",
    "columns: {participant: VP, sentence: Satz, rating: Note}",
    "where: {done: [yes], part: target}",
    'ratings: "Q{item}_{condition}"',
    'times: "T{item}_{condition}"',
    "time_unit: s",
    "task: scale",
    "answers: {good: 1, bad: 0.5}",
    "scale: 1-7",
    "decimal: comma",
    "only: [target]",
    "leave_out: [practice]",
    "keep: [age]",
    "drop: [ip]",
)
EXCLUSIONS: Final = (
    "rules:",
    "  - rule: one-button",
    "  - {rule: catch, where: {label: catch}, expected: 1, within: 2, limit: 80 %}",
    "  - {rule: too-fast, under: 300}",
    "  - {rule: outlier, limit: 2.5, name: far}",
    "  - {rule: who, where: {participant: [p1, p2]}}",
)


def materials(rng: Random) -> bytes:
    """Items by conditions."""
    between = rng.choice(("\t", ","))
    levels = rng.choice((("a", "b"), ("a", "b", "c"), ("a",)))
    rows: list[tuple[str, ...]] = [("item", "condition", "sentence", "note")]
    rows += [(str(item), level, valid.sentence(rng), "x") for item in range(1, 4) for level in levels]
    rows += [("f1", "", valid.sentence(rng), "")] * rng.randint(0, 1)
    return "".join(between.join(row) + "\n" for row in rows).encode()


def _read_materials(rng: Random, path: str) -> object:
    made = read_materials(path)
    return made.conditions, made.suite(), latin_square(made)


def frequencies(rng: Random) -> bytes:
    """A word list."""
    between = rng.choice(("\t", ";", ",", " "))
    return "".join(f"{word}{between}{rng.randint(0, 10**6)}\n" for word in rng.sample(valid.WORDS, 6)).encode()


def mixed(rng: Random) -> bytes:
    """A table of mixed models."""
    row = ("human", "", "z ~ a", "a", "0.5", "0.1", "0.9", "2.5", "0.01", "1", "0", "", "abc")
    return "".join(f"{','.join(each)}\n" for each in (COLUMNS, *([row] * rng.randint(1, 3)))).encode()


def tokens(rng: Random) -> bytes:
    """Tokens with labels, in columns."""
    between = rng.choice(("\t", " "))
    words = [
        f"{rng.choice(valid.WORDS)}{between}{rng.choice(('B-NP', 'I-NP', 'O'))}\n" for _ in range(rng.randint(1, 8))
    ]
    return ("".join(words) + "\n" + "".join(words)).encode()


def _read_tokens(rng: Random, path: str) -> object:
    form = rng.choice(("columns", "text", "conllu"))
    return read_samples(text_of(path), path, Layout(form, labelled=rng.random() < 0.8))  # type: ignore[arg-type]


def _read_metadata(rng: Random, path: str) -> object:
    rows = list(table_rows(path))
    errors = [row for row in rows if isinstance(row, DataError)]
    if errors:
        raise errors[0]
    return rows


def _read_exercise(rng: Random, path: str) -> object:
    """Check an exercise; only its errors and warnings count, which are told one by one."""
    return check_exercise(path)


@cache
def _exercises() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted((ROOT / "exercises").glob("*.yaml")))


@cache
def _record() -> bytes:
    run = {"verb": "report", "version": "1", "grammars": {}, "date": "2026-01-01T00:00:00Z"}
    value = {"schema": SCHEMA, "run": run, "command": ["report", "s.tsv", "-g", "english"], "files": {}}
    return json.dumps(value).encode()


def _json_changed(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    if rng.random() < 0.3:
        return mutated(rng, content, others)
    return json.dumps(mutated_json(rng, json.loads(content))).encode()


@cache
def _sheets() -> tuple[bytes, ...]:
    """Excel files: a suite, and two sheets."""
    from openpyxl import Workbook

    made = []
    for titles in (("Items",), ("Items", "More")):
        book = Workbook()
        book.remove(book.active)
        for title in titles:
            sheet = book.create_sheet(title)
            for row in (["sentence", "rating", "id"], ["The cat sleeps.", 5, 1], ["The cats sleeps.", 2.5, "b"]):
                sheet.append(row)
        written = io.BytesIO()
        book.save(written)
        made.append(written.getvalue())
    return tuple(made)


def _sheet_changed(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """Change a file in the archive, most often a sheet or the texts, or the archive itself."""
    if rng.random() < 0.1:
        return mutated(rng, content, others)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    inner = [name for name in parts if "sheet" in name or "haredStrings" in name or name.endswith("workbook.xml")]
    name = rng.choice(inner if rng.random() < 0.8 else [*parts])
    parts[name] = mutated(rng, parts[name], [*parts.values()])
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as packed:
        for each, inside in parts.items():
            packed.writestr(each, inside)
    return written.getvalue()


def _read_sheet(rng: Random, path: str) -> object:
    return read_suite(path)


def _constant(contents: Callable[[], Iterable[bytes]]) -> Make:
    return lambda rng: rng.choice([*contents()])


TABLES_OF_EXPERIMENTS: Final[tuple[Kind, ...]] = (
    text_kind("results", "r.csv", results, _read_results),
    text_kind("mapping", "m.yaml", _lines(*MAPPING), lambda rng, path: read_mapping(path)),
    text_kind("rules", "e.yaml", _lines(*EXCLUSIONS), lambda rng, path: read_rules([path])),
    text_kind("materials", "i.tsv", materials, _read_materials),
    text_kind("frequencies", "f.tsv", frequencies, lambda rng, path: read_frequencies(path).zipf("the")),
    text_kind("mixed", "models.csv", mixed, lambda rng, path: read_mixed_models(path, "").part()),
    text_kind("tokens", "t.tsv", tokens, _read_tokens),
    text_kind("metadata", "x.tsv", materials, _read_metadata),
    text_kind("exercise", "x.exercise.yaml", _constant(_exercises), _read_exercise, prepare=_exercises),
    text_kind("record", "run.json", lambda rng: _record(), lambda rng, path: read_record(path), change=_json_changed),
    text_kind("sheet", "s.xlsx", _constant(_sheets), _read_sheet, prepare=_sheets, change=_sheet_changed),
)
"""Kinds of tables beside the suites."""
