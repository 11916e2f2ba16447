"""Write a store: runs, and their sentences in batches; a run can be resumed after any failure.

Sentences are committed in batches, so readers see whole batches only. Names are replaced by numbers here, the same name
by the same number; recent names are cached in memory, up to a limit.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Final

from numbat.corpus import schema
from numbat.corpus.stored import StoredSentence, read_instances
from numbat.errors import UnwritableError, UsageError
from numbat.grammar.digest import digest, digest_of, numbered_properties
from numbat.grammar.model import Grammar
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import format_property
from numbat.runs.journal import (
    Done,
    Resumable,
    check_resumed,
    damaged,
    done_of,
    header_line,
    journal_line,
    opened_journal,
    read_journal,
    remove_journal,
)
from numbat.runs.record import RunRecord

if TYPE_CHECKING:
    from numbat.corpus.reading import StoredRun, StoreReader

BATCH: Final = 500
"""Number of sentences that are sorted and written together."""
COMMIT_SECONDS: Final = 1.0
"""Maximum number of seconds between two commits if sentences arrive slowly."""
MAX_KNOWN: Final = 100_000
"""Maximum number of cached names per table; a fuller cache is cleared."""

INSERT_RUN: Final = (
    "INSERT INTO run (grammar, shard, asked, record, first, done, finished, last) VALUES (?, ?, ?, ?, ?, 0, 0, 0)"
)
INSERT_FAILURE: Final = "INSERT INTO failure (run, name, reason, lost) VALUES (?, ?, ?, ?)"
INSERT_FEATURE: Final = "INSERT INTO feature (grammar, name, value) VALUES (?, ?, ?)"
INSERT_SENTENCE: Final = (
    "INSERT INTO sentence (id, run, name, text, length, cost, full, stopped_by, metadata, satisfied, manner, "
    f"fragments, count, rounds, log_likelihood, best_cost, rest) VALUES ({', '.join('?' * 17)})"
)
INSERT_CONSTITUENT: Final = (
    "INSERT INTO constituent (category, sentence, node, start, length, up, below, features, what) "
    f"VALUES ({', '.join('?' * 9)})"
)

constituents_of: Final = attrgetter("categories", "starts", "lengths", "ups", "below", "features", "whats")
"""Function that returns the fields of a stored sentence that have an entry for each constituent."""

Make = dict[int, int]
"""Numbers of satisfied instances in a phrase, by the number of the property."""
Violated = list[tuple[int, str]]
"""The violated instances in a phrase: pairs of property number and daughters."""


class NameTable:
    """The numbers of the names in a table of a store; `flush` writes names that are new."""

    def __init__(self, connection: sqlite3.Connection, table: str, column: str) -> None:
        self._connection = connection
        self._select = f"SELECT id FROM {table} WHERE {column} = ?"
        self._insert = f"INSERT INTO {table} (id, {column}) VALUES (?, ?)"
        self.known: dict[str, int] = {}
        (last,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
        self._next = last + 1
        self._new: list[tuple[int, str]] = []

    def number(self, name: str) -> int:
        """Return the number of a name, from the table or a new one; callers look into the cache `known` first."""
        row = self._connection.execute(self._select, (name,)).fetchone()
        if row is not None:
            number = int(row[0])
        else:
            number, self._next = self._next, self._next + 1
            self._new.append((number, name))
        self.known[name] = number
        return number

    def flush(self) -> None:
        """Write the new names."""
        self._connection.executemany(self._insert, self._new)
        self._new.clear()
        if len(self.known) > MAX_KNOWN:
            self.known.clear()


class Makes:
    """The characterizations of phrases by a grammar: number and instances of each, by its text."""

    def __init__(self, connection: sqlite3.Connection, grammar: int) -> None:
        self._connection, self._grammar = connection, grammar
        self.known: dict[str, tuple[int, Make, Violated]] = {}
        (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM characterization").fetchone()
        self._next = last + 1
        self._new: list[tuple[int, int, str]] = []

    def make(self, text: str) -> tuple[int, Make, Violated]:
        """Return number and instances of a characterization; callers look into the cache `known` first."""
        select = "SELECT id FROM characterization WHERE instances = ? AND grammar = ?"
        row = self._connection.execute(select, (text, self._grammar)).fetchone()
        if row is not None:
            number = int(row[0])
        else:
            number, self._next = self._next, self._next + 1
            self._new.append((number, self._grammar, text))
        satisfied: Make = {}
        yes, no = read_instances(text)
        for record in yes:
            satisfied[record.property] = satisfied.get(record.property, 0) + 1
        violated = [(record.property, ",".join(map(str, record.daughters))) for record in no]
        self.known[text] = number, satisfied, violated
        return self.known[text]

    def flush(self) -> None:
        """Write the new characterizations."""
        self._connection.executemany(
            "INSERT INTO characterization (id, grammar, instances) VALUES (?, ?, ?)", self._new
        )
        self._new.clear()
        if len(self.known) > MAX_KNOWN // 4:
            self.known.clear()


class StoreWriter:
    """The only writer of a store; `add` adds sentences to the run that `begin_run` or `go_on` was called for.

    Raises UnwritableError and DataError; their messages name the store.
    """

    def __init__(self, path: str, verb: str, since: str) -> None:
        self.path = path
        self._connection = schema.connect_to_write(path, verb, since)
        self.run = self.done = 0
        self._batch: list[StoredSentence] = []
        self._committed = monotonic()
        with schema.errors_of(path):
            of = {"category": "name", "bundle": "features", "form": "text", "metadata": "pairs", "manner": "outcome"}
            self._names = {table: NameTable(self._connection, table, column) for table, column in of.items()}
            (last,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM sentence").fetchone()
        self._next = last + 1
        self._makes: Makes | None = None
        self._first_property = 0

    # runs

    def begin_run(self, grammar: Grammar, record: RunRecord, shard: tuple[int, int] | None = None) -> int:
        """Begin a run with a grammar, whose text is stored, too; return the number of the run."""
        with schema.errors_of(self.path):
            number = self._grammar(grammar)
            columns = number, _shard(shard), json.dumps(record.asked()), json.dumps(record.as_json()), self._next
            cursor = self._connection.execute(INSERT_RUN, columns)
            self.run, self.done = int(cursor.lastrowid or 0), 0
            self._use(number)
            self.commit()
        return self.run

    def copy_run(self, grammar: int, columns: Mapping[str, Any]) -> int:
        """Begin a copy of another store's run and return its number; `grammar` is the number of its grammar here."""
        with schema.errors_of(self.path):
            values = grammar, columns["shard"], columns["asked"], columns["record"], self._next
            cursor = self._connection.execute(INSERT_RUN, values)
            self.run, self.done = int(cursor.lastrowid or 0), 0
            self._use(grammar)
        return self.run

    def go_on(self, run: int) -> None:
        """Continue an unfinished run of the store."""
        row = self._connection.execute("SELECT grammar, done FROM run WHERE id = ?", (run,)).fetchone()
        self.run, self.done = run, row[1]
        self._use(row[0])

    def unfinished(self) -> tuple[int, dict[str, str], int] | None:
        """Return number, options and number of records of the run that has not ended; None if all have ended."""
        row = self._connection.execute("SELECT id, asked, done FROM run WHERE finished = 0").fetchone()
        return None if row is None else (row[0], json.loads(row[1]), row[2])

    def has_ended(self, record: RunRecord, shard: tuple[int, int] | None) -> bool:
        """True if the last run has the options of a record, and has ended."""
        row = self._connection.execute("SELECT asked, shard, finished FROM run ORDER BY id DESC LIMIT 1").fetchone()
        return row is not None and bool(row[2]) and (json.loads(row[0]), row[1]) == (record.asked(), _shard(shard))

    def remove(self, run: int) -> None:
        """Remove a run with its sentences."""
        execute = self._connection.execute
        with schema.errors_of(self.path):
            first, last = execute("SELECT min(id), max(id) FROM sentence WHERE run = ?", (run,)).fetchone()
            if first is not None:
                for table, column, of in (
                    ("constituent", "category", "category"),
                    ("violation", "property", "property"),
                ):
                    execute(
                        f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM {of}) AND sentence BETWEEN ? AND ?",
                        (first, last),
                    )
                execute("DELETE FROM sentence WHERE id BETWEEN ? AND ?", (first, last))
            execute("DELETE FROM failure WHERE run = ?", (run,))
            execute("DELETE FROM run WHERE id = ?", (run,))
            self.commit()

    def _use(self, grammar: int) -> None:
        self._makes = Makes(self._connection, grammar)
        row = self._connection.execute("SELECT min(id) FROM property WHERE grammar = ?", (grammar,)).fetchone()
        self._first_property = row[0] or 0

    def _grammar(self, grammar: Grammar) -> int:
        """Return the number of a grammar in the store; the grammar is added if it is not there."""
        known = digest_of(grammar)
        row = self._connection.execute("SELECT id FROM grammar WHERE digest = ?", (known,)).fetchone()
        if row is not None:
            return int(row[0])
        for relation in grammar.relations:
            if len(relation.clauses) != 1:
                raise UsageError(
                    f"{self.path}: a store keeps the text of the grammar, but the notation cannot express the relation "
                    f'"{relation.name}"\n  write the grammar in the notation'
                )
        bare = without_words(grammar)
        texts = [zlib.compress(format_grammar(part).encode("utf-8", "surrogatepass"), 9) for part in (bare, grammar)]
        cursor = self._connection.execute(
            "INSERT INTO grammar (name, digest, bare_digest, bare, whole) VALUES (?, ?, ?, ?, ?)",
            (grammar.name, known, digest(bare), *texts),
        )
        number = int(cursor.lastrowid or 0)
        self._connection.executemany(
            "INSERT INTO property (grammar, number, construction, relation, text, weight, cost, hard, place) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    number,
                    i,
                    prop.construction,
                    prop.type,
                    format_property(prop),
                    prop.weight_units,
                    prop.cost_units,
                    prop.hard,
                    prop.place,
                )
                for i, prop in numbered_properties(grammar).items()
                if not prop.is_price
            ),
        )
        declared = ((number, name, value) for name, values in grammar.features for value in values)
        self._connection.executemany(INSERT_FEATURE, declared)
        return number

    def take_grammar(self, store: StoreReader, run: StoredRun) -> int:
        """Return the number here of the grammar of a run in another store; the grammar is copied if it is not there."""
        row = self._connection.execute("SELECT id FROM grammar WHERE digest = ?", (run.digest,)).fetchone()
        if row is not None:
            return int(row[0])
        columns = "name, digest, bare_digest, bare, whole"
        (texts,) = store.rows(f"SELECT {columns} FROM grammar WHERE id = ?", (run.grammar_number,))
        with schema.errors_of(self.path):
            cursor = self._connection.execute(f"INSERT INTO grammar ({columns}) VALUES (?, ?, ?, ?, ?)", texts)
            number = int(cursor.lastrowid or 0)
            of_property = "number, construction, relation, text, weight, cost, hard, place"
            sql = f"SELECT {of_property} FROM property WHERE grammar = ? ORDER BY number"
            rows = ((number, *row) for row in store.rows(sql, (run.grammar_number,)))
            self._connection.executemany(
                f"INSERT INTO property (grammar, {of_property}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )
            declared = store.rows("SELECT name, value FROM feature WHERE grammar = ?", (run.grammar_number,))
            self._connection.executemany(INSERT_FEATURE, ((number, *feature) for feature in declared))
        return number

    def has_run(self, record: Mapping[str, Any]) -> bool:
        """True if the store has a run with this record."""
        rows = self._connection.execute("SELECT record FROM run")
        return any(json.loads(text) == record for (text,) in rows)

    # sentences

    def add(self, stored: StoredSentence) -> None:
        """Add a sentence to the run."""
        self._batch.append(stored)
        if len(self._batch) >= BATCH:
            self.flush()

    def fail(self, name: str, reason: str, lost: bool) -> None:
        """Add a sentence that could not be read or, if `lost`, was given up."""
        with schema.errors_of(self.path):
            self._connection.execute(INSERT_FAILURE, (self.run, name, reason, lost))

    def flush(self) -> None:
        """Write the sentences that were added since the last flush, sorted as the tables are."""
        makes, names = self._makes, self._names
        if not self._batch:
            return
        assert makes is not None, "a run is begun before sentences come"
        sentences, constituents, violations = [], [], []
        categories, bundles, forms = (names[table] for table in ("category", "bundle", "form"))
        of_category, of_bundle, of_form = categories.known.get, bundles.known.get, forms.known.get
        of_make, base = makes.known.get, self._first_property
        intern = sys.intern
        with schema.errors_of(self.path):
            for stored in self._batch:
                number, self._next = self._next, self._next + 1
                counts: dict[int, int] = {}
                for node, (category, start, length, up, below, features, what) in enumerate(
                    zip(*constituents_of(stored), strict=True)
                ):
                    if below:
                        make = of_make(what) or makes.make(what)
                        content = make[0]
                        for prop, times in make[1].items():
                            counts[prop] = counts.get(prop, 0) + times
                        for prop, daughters in make[2]:
                            violations.append((base + prop, number, node, daughters))
                    else:
                        content = of_form(what) or forms.number(intern(what))
                    constituents.append(
                        (
                            of_category(category) or categories.number(category),
                            number,
                            node,
                            start,
                            length,
                            up,
                            below,
                            of_bundle(features) or bundles.number(features),
                            content,
                        )
                    )
                sentences.append((number, *self._sentence(stored, counts)))
            constituents.sort()
            violations.sort()
            self._write(sentences, constituents, violations)
        self._batch.clear()

    def _sentence(self, stored: StoredSentence, counts: dict[int, int]) -> tuple[Any, ...]:
        metadata, manner = self._names["metadata"], self._names["manner"]
        return (
            self.run,
            stored.name,
            stored.text,
            stored.length,
            stored.cost,
            stored.full,
            stored.stopped_by,
            metadata.known.get(stored.metadata) or metadata.number(stored.metadata),
            schema.pack(counts),
            manner.known.get(stored.manner) or manner.number(stored.manner),
            stored.fragments,
            stored.trees,
            stored.rounds,
            stored.log_likelihood,
            stored.best_cost,
            stored.rest,
        )

    def _write(self, sentences: Iterable[Any], constituents: Iterable[Any], violations: Iterable[Any]) -> None:
        for table in self._names.values():
            table.flush()
        if self._makes is not None:
            self._makes.flush()
        many = self._connection.executemany
        many(INSERT_SENTENCE, sentences)
        many(INSERT_CONSTITUENT, constituents)
        many("INSERT INTO violation (property, sentence, node, daughters) VALUES (?, ?, ?, ?)", violations)

    def note(self, records: int = 1) -> None:
        """Count this number of further records as done, and commit from time to time."""
        self.done += records
        if not self._batch or monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Commit everything, so that it survives the end of the process."""
        self.flush()
        with schema.errors_of(self.path):
            self._connection.execute(
                "UPDATE run SET done = ?, last = ? WHERE id = ?", (self.done, self._next - 1, self.run)
            )
            self._connection.execute("COMMIT")
            schema.begin(self._connection, self.path)
        self._committed = monotonic()

    def finish_run(self) -> None:
        """Mark the run as complete."""
        with schema.errors_of(self.path):
            self.flush()
            self._connection.execute("UPDATE run SET finished = 1 WHERE id = ?", (self.run,))
            self.commit()

    def pack(self) -> None:
        """Rewrite the whole store without gaps, and collect statistics for the query planner."""
        with schema.errors_of(self.path):
            self.commit()
            self._connection.execute("COMMIT")
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA analysis_limit = 1000")
            self._connection.execute("ANALYZE")
            schema.begin(self._connection, self.path)
            if self.unfinished() is None:
                known = schema.checksum(self._connection)
                self._connection.execute("INSERT INTO checksum (content) VALUES (?)", (known,))
                self._connection.execute("COMMIT")
                schema.begin(self._connection, self.path)

    def close(self) -> None:
        """Close the store; uncommitted data are lost."""
        with suppress(sqlite3.Error):
            schema.close_writing(self._connection)


def without_words(grammar: Grammar) -> Grammar:
    """Return a grammar without its lexicon and its rules for words; the rest is enough to evaluate trees."""
    return replace(grammar, tokens=(), lexicon=(), guesses=(), names=(), spelling=())


def _shard(shard: tuple[int, int] | None) -> str | None:
    return None if shard is None else f"{shard[0]}/{shard[1]}"


# A run that is being written to a store, with the same kind of journal as other outputs


class StoreJournal(Resumable):
    """The output of a run that is being written to a store; `Journal` is its counterpart for a file.

    The journal beside the store has a line with further facts about each record. The line is written before the record
    is committed, so that every record in the store has a line.
    """

    def __init__(self, writer: StoreWriter, record: RunRecord, done: list[Done], lines: IO[bytes]) -> None:
        self.path, self.record, self.done = writer.path, record, done
        self.unfinished = writer.path
        self._writer = writer
        self._lines = lines

    @classmethod
    def begin(
        cls, path: str, record: RunRecord, resume: bool, grammar: Grammar, shard: tuple[int, int] | None
    ) -> StoreJournal:
        """Return a new run in the store at `path`, or with `resume` the one that has not ended, if there is one.

        Raises UsageError if that run has other options, or if there is such a run but `resume` is false.
        """
        lines = opened_journal(path)
        is_new = not os.fstat(lines.fileno()).st_size
        try:
            writer = StoreWriter(path, record.verb, record.date)
        except BaseException:
            if is_new:
                os.unlink(f"{path}.journal")
            lines.close()
            raise
        try:
            return cls(writer, record, cls._prepare(writer, record, resume, grammar, shard, lines), lines)
        except BaseException as error:
            writer.close()
            lines.close()
            if is_new:
                os.unlink(f"{path}.journal")
            if isinstance(error, OSError):
                raise UnwritableError(f"{path}.journal", error.strerror) from None
            raise

    @staticmethod
    def _prepare(
        writer: StoreWriter,
        record: RunRecord,
        resume: bool,
        grammar: Grammar,
        shard: tuple[int, int] | None,
        lines: IO[bytes],
    ) -> list[Done]:
        open_run = writer.unfinished()
        if open_run is not None and os.fstat(lines.fileno()).st_size:
            run, asked, number = open_run
            check_resumed(Path(f"{writer.path}.journal"), resume, number, record, asked)
            _, values, ends = read_journal(writer.path, lines)
            if len(values) < number:
                raise damaged(writer.path, len(values) + 2, "it has fewer records than the store")
            done = done_of(writer.path, values[:number], record)
            lines.truncate(ends[number])
            writer.go_on(run)
            return done
        if open_run is not None:
            writer.remove(open_run[0])
        elif resume and writer.has_ended(record, shard):
            raise UsageError(
                f"{writer.path}: this run has ended, and nothing is left to resume\n"
                "  leave --resume out to add another run with the same options"
            )
        lines.truncate(0)
        lines.write(header_line(record))
        lines.flush()
        writer.begin_run(grammar, record, shard)
        return []

    def write(self, text: str) -> None:
        """Add a sentence that `parses.formats` has written for a store."""
        for line in text.splitlines():
            value = json.loads(line)
            if isinstance(value, dict):
                self._writer.fail(value["id"], value["lost"], lost=True)
            else:
                self._writer.add(StoredSentence(*value))

    def note(self, kept: Any) -> None:
        """Write to the journal that a record is complete, with the facts `kept` about it, and count it as done."""
        if isinstance(kept, Mapping) and kept.get("failed") and not kept.get("lost"):
            self._writer.fail(kept["id"], "it could not be read", lost=False)
        beside = f"{self.path}.journal"
        self._try(lambda: self._lines.write(journal_line(Done(self._writer.done + 1, kept))), beside)
        self._try(self._lines.flush, beside)
        self._writer.note()

    def finish(self) -> None:
        """Mark the run as complete, and close the store."""
        self._writer.finish_run()
        self._writer.pack()
        self._writer.close()
        self.unfinished = None
        remove_journal(self.path)
        self._try(self._lines.close)

    def abandon(self) -> None:
        """Close the store after an error; only records that were committed remain."""
        with suppress(OSError):
            self._lines.close()
        self._writer.close()

    def stop(self) -> None:
        """Commit the records of an interrupted run, which may be resumed later, and close the store."""
        self._writer.commit()
        self._writer.close()
        self._try(self._lines.close)
