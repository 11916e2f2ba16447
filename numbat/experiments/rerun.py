"""Runs a published report again from its record, and lists the differences."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from numbat.errors import DataError, UsageError, first_of
from numbat.experiments.publication import RECORD, SCHEMA, digest_of
from numbat.files import lines_of
from numbat.records import frozen
from numbat.reports.report import Member, Part, report
from numbat.runs.record import EPOCH, VERSION, RunRecord
from numbat.settings import why_unread

WRITTEN: Final = "numbat report SUITE --folder DIRECTORY writes record.json"
SUMMARY: Final = "tables/summary.csv"
KEY: Final = ("predictor", "statistic", "group")
WRITING: Final = frozenset(("--folder", "--html", "--csv", "--latex"))
"""Options of a report that name its outputs."""
NAMED: Final = 4


@frozen
class Rerun:
    """Differences when a recorded command is run again: in `run` the inputs and settings, in `files` the results.

    `same` counts the files that are equal byte by byte.
    """

    run: tuple[str, ...]
    files: tuple[str, ...]
    same: int

    @property
    def differs(self) -> bool:
        return bool(self.run or self.files)


def without_outputs(typed: Iterable[str]) -> list[str]:
    """Return the words of a command without the options that name its outputs."""
    words, kept = iter(typed), []
    for word in words:
        name, is_joined, _ = word.partition("=")
        if name not in WRITING:
            kept.append(word)
        elif not is_joined:
            next(words, None)
    return kept


def rerun(path: str) -> Rerun:
    """Run the command of a record again, in the current folder but into another one, and compare the results.

    Raises MissingFileError, and DataError for a file that is not a record, or if the command fails.
    """
    record = _read(path)
    with TemporaryDirectory(prefix="numbat-") as folder:
        command = [sys.executable, "-m", "numbat", *record["command"], "--folder", folder]
        environment = os.environ | {EPOCH: str(_seconds(record["run"]["date"]))}
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
        again = Path(folder) / RECORD
        if not again.exists():
            message = done.stderr.strip().removeprefix("numbat: ")
            raise DataError(f"{path}: its command cannot be run again\n  {message}")
        new = json.loads(again.read_text(encoding="utf-8"))
        old = Path(path).parent
        differing = tuple(_files(record["files"], new["files"], old, Path(folder)))
        same = sum(new["files"].get(name) == digest for name, digest in record["files"].items())
        runs = (RunRecord.from_json(written["run"], "its run") for written in (record, new))
        return Rerun(tuple(_settings(*runs)), differing, same)


def _read(path: str) -> dict[str, Any]:
    try:
        record = json.loads("\n".join(lines_of(path, WRITTEN)))
    except (ValueError, RecursionError):
        record = None
    keys = {"schema", "run", "command", "files"}
    if not isinstance(record, dict) or not keys <= record.keys() or record["schema"] != SCHEMA:
        raise DataError(f"{path}: not a record of a published report\n  {WRITTEN}")
    words = record["command"]
    is_text = isinstance(words, list) and all(isinstance(word, str) for word in words)
    if not is_text or words[:1] != ["report"] or any(word.partition("=")[0] in WRITING for word in words):
        why = "the recorded command must be numbat report, without options for its outputs"
        raise DataError(f"{path}: {why}\n  {WRITTEN}")
    run = record["run"]
    try:
        RunRecord.from_json(run, "its run")
    except UsageError as error:
        why = why_unread(error, run.get("version") if isinstance(run, dict) else None)
        raise DataError(f"{path}: {why}\n  {WRITTEN}") from None
    return record


def _seconds(date: str) -> int:
    try:
        return int(datetime.fromisoformat(date).timestamp())
    except ValueError:
        raise DataError(f'the date in the record, "{date}", is not a date\n  {WRITTEN}') from None


def _settings(old: RunRecord, new: RunRecord) -> Iterator[str]:
    before, after = dict(_flat(old)), dict(_flat(new))
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield f"{name}: {before.get(name, 'nothing')}, now {after.get(name, 'nothing')}"


def _flat(run: RunRecord) -> Iterator[tuple[str, str]]:
    yield VERSION, run.version
    for name, grammar in run.grammars.items():
        yield f"the grammar of {name}", grammar.digest
        yield f"the lexicon of {name}", grammar.lexicon
    for name, file in run.files.items():
        yield f"the file of {name}", f"{file.name} {file.digest}".rstrip()
    for name, value in run.options.items():
        yield name, json.dumps(value, ensure_ascii=False)
    yield "--seed", str(run.seed)


def _files(old: Mapping[str, str], new: Mapping[str, str], before: Path, after: Path) -> Iterator[str]:
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            yield f"{name}: is no longer written"
        elif name not in old:
            yield f"{name}: was not written then"
        elif old[name] != new[name]:
            yield f"{name}: differs{_changed(name, old[name], before, after)}"


def _changed(name: str, digest: str, before: Path, after: Path) -> str:
    """Return the statistics that differ now, if the old table is unchanged since the record."""
    kept = before / name
    if name != SUMMARY or not kept.exists() or digest_of(kept.read_bytes()) != digest:
        return ""
    values = [_values(folder / name) for folder in (before, after)]
    changed = [
        f"{' '.join(key)} {_figure(values[0].get(key))} is now {_figure(values[1].get(key))}"
        for key in dict.fromkeys((*values[0], *values[1]))
        if values[0].get(key) != values[1].get(key)
    ]
    return f": {first_of(changed, NAMED)}" if changed else ""


def _figure(cell: str | None) -> str:
    return f"{float(cell):.4g}" if cell else "none"


def _values(path: Path) -> dict[tuple[str, ...], str]:
    with path.open(encoding="utf-8", newline="") as opened:
        return {tuple(row[name] for name in KEY): row["value"] for row in csv.DictReader(opened)}


@report("numbat.rerun/1")
def rerun_report(rerun: Rerun) -> Iterator[Part]:
    """Yield the differences, or the statement that there are none."""
    same = f"{rerun.same} files are the same, byte by byte"
    yield Member("run", list(rerun.run), rerun.run)
    yield Member("files", list(rerun.files), rerun.files)
    yield Member("same", rerun.same, same if rerun.differs else f"nothing differs: {same}")
