"""Join stores, the parts of one run, or the JSON lines of earlier runs into one store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from numbat.corpus.reading import StoredRun, StoreReader
from numbat.corpus.schema import is_store
from numbat.corpus.stored import stored_sentence
from numbat.corpus.writing import StoreWriter
from numbat.errors import DataError, UsageError, counted, first_of
from numbat.files import bare_lines, shown
from numbat.grammar.digest import digest
from numbat.grammar.loading import load_grammar, packaged
from numbat.grammar.model import Grammar
from numbat.parsing.result import Parse
from numbat.runs.metadata import KnownOfAll
from numbat.runs.record import PART, FileDigest, GrammarDigests, RunRecord, date_of_run, difference, digest_of, name_of

RUN_SCHEMA: Final = "numbat.run/1"
"""Schema of the line that has the run record in a file of JSON lines."""
NAMED: Final = 10
"""Maximum number of missing parts named in a message."""


@dataclass
class Joined:
    """Result of joining: how many sentences and runs were written, how many sentences `failed`; notes and problems."""

    sentences: int = 0
    runs: int = 0
    failed: int = 0
    notes: list[str] = field(default_factory=list)
    problems: list[DataError] = field(default_factory=list)


def join(
    paths: Sequence[str],
    output: str,
    grammar: Grammar | None = None,
    known: KnownOfAll | None = None,
    advance: Callable[[], object] = tuple,
) -> Joined:
    """Write the runs of stores and of JSON lines into a store, which may have runs already.

    For JSON lines, `grammar` is the grammar of the parses, needed unless it is packaged with Numbat, and `known` is
    metadata for their sentences. Raises UsageError if parts of a run are missing or unfinished, DataError for files
    that cannot be read, UnwritableError if `output` cannot be written.
    """
    joined = Joined()
    stores = [StoreReader(path) for path in paths if is_store(path)]
    writer: StoreWriter | None = None
    try:
        groups = list(_groups(stores))
        writer = StoreWriter(output, "join", date_of_run())
        if (open_run := writer.unfinished()) is not None:
            if os.path.exists(f"{output}.journal"):
                raise UsageError(f"{output}: a run in this store has not ended\n  {remedy(output)}")
            writer.remove(open_run[0])  # of an earlier join, which is made again here
        for group in groups:
            _copy(group, writer, joined, advance)
        for path in paths:
            if not is_store(path):
                _read_lines(path, writer, grammar, known or KnownOfAll(), joined, advance)
        writer.pack()
    finally:
        for store in stores:
            store.close()
        if writer is not None:
            writer.close()
    return joined


# Stores

Group = list[tuple[StoreReader, StoredRun]]
"""The parts of a run in order, or a single run."""


def remedy(path: str) -> str:
    """Return what to do about a run that has not ended: one of `numbat parse` has a journal, one of `join` has none."""
    if os.path.exists(f"{path}.journal"):
        return "continue it with numbat parse --resume"
    return "join into this store again: numbat join begins that run anew"


def _groups(stores: Iterable[StoreReader]) -> Iterator[Group]:
    """Yield the runs of stores, all parts of a run together. Raises UsageError if these are not parts of one run."""
    parts: dict[str, dict[int, tuple[StoreReader, StoredRun]]] = {}
    for store in stores:
        runs = store.runs()
        if not runs:
            raise UsageError(f"{store.path}: this store has no run\n  leave it out")
        for run in runs:
            if not run.is_whole:
                raise UsageError(f"{store.path}: its run {run.number} has not ended\n  {remedy(store.path)}")
            if run.shard is None:
                yield [(store, run)]
                continue
            number, of = map(int, run.shard.split("/"))
            asked = _asked(store, run)
            alike = parts.setdefault(json.dumps([of, asked], sort_keys=True), {})
            if number in alike:
                raise UsageError(
                    f"{alike[number][0].path} and {store.path} are both part {run.shard}\n  leave one of them out"
                )
            alike[number] = store, run
    yield from map(_whole, _checked(parts))


def _checked(
    parts: Mapping[str, dict[int, tuple[StoreReader, StoredRun]]],
) -> Iterator[tuple[int, dict[int, tuple[StoreReader, StoredRun]]]]:
    kinds = [json.loads(key) for key in parts]
    for (of, asked), alike in zip(kinds, parts.values(), strict=True):
        missing = [str(number) for number in range(1, of + 1) if number not in alike]
        other = next((other for other in kinds if other != [of, asked] and other[0] == of), None)
        if missing and other is not None and (wrong := difference(asked, other[1])) is not None:
            names = [next(iter(part.values()))[0].path for part in parts.values()]
            raise UsageError(f"{names[1]}: {wrong} differs from that of {names[0]}\n  join the parts of one run")
        if missing:
            which = (
                f"part {missing[0]} of {of} is"
                if len(missing) == 1
                else f"parts {first_of(missing, NAMED)} of {of} are"
            )
            raise UsageError(f"{which} missing\n  numbat parse --shard {missing[0]}/{of} makes part {missing[0]}")
        yield of, alike


def _whole(part: tuple[int, dict[int, tuple[StoreReader, StoredRun]]]) -> Group:
    of, alike = part
    return [alike[number] for number in range(1, of + 1)]


def _asked(store: StoreReader, run: StoredRun) -> dict[str, str]:
    """Return the options of a run, without the number of its part."""
    ((text,),) = store.rows("SELECT asked FROM run WHERE id = ?", (run.number,))
    try:
        asked: dict[str, str] = json.loads(text)
        return {name: value for name, value in asked.items() if name != PART}
    except (ValueError, AttributeError):
        raise DataError(f"{store.path}: the record of a run in this store is damaged") from None


def _copy(group: Group, writer: StoreWriter, joined: Joined, advance: Callable[[], object]) -> None:
    store, first = group[0]
    grammar = writer.take_grammar(store, first)
    options = {name: value for name, value in first.record.get("options", {}).items() if name != PART}
    record = {**first.record, "options": options}
    asked = _asked(store, first)
    if writer.has_run(record):
        joined.notes.append(f"{store.path}: its run {first.number} is in the store already")
        return
    writer.copy_run(grammar, {"shard": None, "asked": json.dumps(asked), "record": json.dumps(record)})
    for store, run in group:
        if run.digest != first.digest:
            raise UsageError(
                f"{store.path}: the grammar differs from that of {group[0][0].path}\n  join the parts of one run"
            )
        for row in store.sentences(run.number):
            writer.add(row.stored)
            writer.note()
            joined.sentences += 1
            advance()
        failures = list(store.rows("SELECT name, reason, lost FROM failure WHERE run = ?", (run.number,)))
        for name, reason, lost in failures:
            writer.fail(name, reason, bool(lost))
            writer.note()
        joined.failed += len(failures)
    writer.finish_run()
    joined.runs += 1


# JSON lines


def _read_lines(
    path: str,
    writer: StoreWriter,
    grammar: Grammar | None,
    known: KnownOfAll,
    joined: Joined,
    advance: Callable[[], object],
) -> None:
    """Write the best parses in a file of JSON lines as a run of the store."""
    begun = False
    others = 0
    for number, line in enumerate(bare_lines(path), start=1):
        if not line.strip():
            continue
        value = _value(line, path, number, joined)
        if value is None or value.get("schema") == RUN_SCHEMA:
            continue
        if not begun:
            grammar = _grammar_of(value, grammar, path)
            digests = {"--grammar": GrammarDigests.from_grammar(grammar)}
            files = {"OUTPUTS": FileDigest(name_of(path), digest_of(path))}
            writer.begin_run(grammar, RunRecord("join", digests, files, date=date_of_run()))
            begun = True
            joined.runs += 1
        name = str(value.get("id", f"{shown(path)}:{number}"))
        if "lost" in value:
            writer.fail(name, str(value["lost"]), lost=True)
            joined.failed += 1
        elif value.get("rank", 1) != 1:
            others += 1
            continue
        else:
            assert grammar is not None
            try:
                parse = Parse.from_json(value, grammar)
            except DataError as error:
                raise DataError(f"{shown(path)}:{number}: {error}") from None
            writer.add(stored_sentence(parse, name.removesuffix("#1"), known.of(name, ())))
            joined.sentences += 1
        writer.note()
        advance()
    if not begun:
        raise DataError(
            f"{shown(path)}: this file has no parse\n  numbat parse -f jsonl makes one, and -f store a store"
        )
    writer.finish_run()
    if others:
        joined.notes.append(f"{shown(path)}: {counted(others, 'parse')} left out, because a store keeps only the best")


def _value(line: bytes, path: str, number: int, joined: Joined) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and ("schema" in value or "lost" in value):
        return value
    if number == 1:
        raise DataError(
            f"{shown(path)}:1: this is not a parse in JSON\n"
            "  numbat join takes stores and the output of numbat parse -f jsonl"
        )
    joined.problems.append(DataError(f"{shown(path)}:{number}: this line is not a parse in JSON and was left out"))
    return None


def _grammar_of(value: Mapping[str, Any], grammar: Grammar | None, path: str) -> Grammar:
    """Return the grammar of a parse, `grammar` or a packaged one. Raises UsageError if neither has the right digest."""
    name, wanted = str(value.get("grammar", "")), value.get("digest")
    if grammar is None and name in packaged():
        grammar = load_grammar(name)
    if grammar is None:
        raise UsageError(f'{shown(path)}: these are parses by the grammar "{name}"\n  name its file: -g GRAMMAR')
    if wanted is not None and digest(grammar) != wanted:
        raise UsageError(
            f'{shown(path)}: these are parses by another version of the grammar "{name}", with the digest {wanted}\n'
            "  name the file of that version: -g GRAMMAR"
        )
    return grammar
