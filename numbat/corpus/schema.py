"""Tables and views of a store, and functions that open it: an SQLite file for one writer and any number of readers.

People and programs read the views: `sentences`, `constituents`, `instances`, `violations`, `properties`, `runs`,
`failures`. The tables behind the views have numbers instead of names, and may change with the version of the schema.

A file that is opened for reading cannot make SQLite do anything else: it is opened read-only and without extensions, it
is refused unless the SQL of its tables and views is exactly that of this module, and an authorizer allows nothing but
reading.
"""

from __future__ import annotations

import os
import re
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final
from urllib.parse import quote
from zlib import crc32

from numbat.errors import DataError, MissingFileError, UnwritableError
from numbat.files import cannot_be_looked_at, check_is_file

VERSION: Final = 2
"""Version of the schema, in `PRAGMA user_version`."""
SINCE_2: Final = frozenset(("checksum",))
"""Tables that stores of version 1 lack; they are read as they are, and get the table when they are written."""
APPLICATION: Final = 0x4E554D42
"""`NUMB` in `PRAGMA application_id`, which distinguishes a store from other SQLite files."""

TABLES: Final = {
    "grammar": "id INTEGER PRIMARY KEY, name TEXT, digest TEXT UNIQUE, bare_digest TEXT, bare BLOB, whole BLOB",
    "run": "id INTEGER PRIMARY KEY, grammar INTEGER, shard TEXT, asked TEXT, record TEXT, done INTEGER, "
    "finished INTEGER, first INTEGER, last INTEGER",
    "writer": "pid INTEGER, host TEXT, verb TEXT, since TEXT",
    "property": "id INTEGER PRIMARY KEY, grammar INTEGER, number INTEGER, construction TEXT, relation TEXT, text TEXT, "
    "weight INTEGER, cost INTEGER, hard INTEGER, place TEXT",
    "feature": "grammar INTEGER, name TEXT, value TEXT",
    "category": "id INTEGER PRIMARY KEY, name TEXT UNIQUE",
    "bundle": "id INTEGER PRIMARY KEY, features TEXT UNIQUE",
    "form": "id INTEGER PRIMARY KEY, text TEXT UNIQUE",
    "metadata": "id INTEGER PRIMARY KEY, pairs TEXT UNIQUE",
    "manner": "id INTEGER PRIMARY KEY, outcome TEXT UNIQUE",
    "characterization": "id INTEGER PRIMARY KEY, grammar INTEGER, instances TEXT, UNIQUE (instances, grammar)",
    "sentence": "id INTEGER PRIMARY KEY, run INTEGER, name TEXT, text TEXT, length INTEGER, cost INTEGER, "
    "full INTEGER, stopped_by TEXT, metadata INTEGER, satisfied BLOB, manner INTEGER, fragments INTEGER, "
    "count INTEGER, rounds INTEGER, log_likelihood REAL, best_cost INTEGER, rest TEXT",
    "constituent": "category INTEGER, sentence INTEGER, node INTEGER, start INTEGER, length INTEGER, up INTEGER, "
    "below INTEGER, features INTEGER, what INTEGER, PRIMARY KEY (category, sentence, node)",
    "violation": "property INTEGER, sentence INTEGER, node INTEGER, daughters TEXT, "
    "PRIMARY KEY (property, sentence, node, daughters)",
    "failure": "run INTEGER, name TEXT, reason TEXT, lost INTEGER",
    "checksum": "content INTEGER",
}
"""Tables with their columns. `constituent` is sorted by category, and so needs no index of categories.

A node is the number of a constituent in its sentence, in preorder. `what` is the number of a word's form, or of a
phrase's characterization. `below` counts all constituents below, 0 for a word; `up` is how far before it the mother
is in preorder, 0 without a mother. `satisfied` has the counts of satisfied properties, written by `pack`.
`checksum` has one row unless somebody is writing to the store."""
WITHOUT_ROWID: Final = frozenset(("constituent", "violation"))

INDEXES: Final = {
    "constituent_form": "constituent (what, sentence) WHERE below = 0",
    "property_number": "property (grammar, number)",
    "violation_sentence": "violation (sentence)",
    "sentence_cost": "sentence (cost)",
    "sentence_metadata": "sentence (metadata)",
}

VIEWS: Final = {
    "runs": "SELECT run.id AS run, grammar.name AS grammar, grammar.digest AS digest, run.shard AS shard, "
    "run.done AS records, run.finished AS finished, run.record AS record "
    "FROM run JOIN grammar ON grammar.id = run.grammar",
    "sentences": "SELECT sentence.id AS sentence, sentence.run AS run, sentence.name AS place, sentence.text AS text, "
    "sentence.length AS length, sentence.cost / 1e6 AS cost, sentence.full AS full, sentence.stopped_by AS stopped_by, "
    "metadata.pairs AS metadata FROM sentence JOIN metadata ON metadata.id = sentence.metadata",
    "constituents": "SELECT constituent.sentence AS sentence, constituent.node AS constituent, "
    "category.name AS category, constituent.start AS start, constituent.start + constituent.length AS end, "
    "CASE constituent.up WHEN 0 THEN NULL ELSE constituent.node - constituent.up END AS mother, "
    "bundle.features AS features, form.text AS word, constituent.below AS below FROM constituent "
    "JOIN category ON category.id = constituent.category JOIN bundle ON bundle.id = constituent.features "
    "LEFT JOIN form ON constituent.below = 0 AND form.id = constituent.what",
    "properties": "SELECT property.id AS property, grammar.name AS grammar, property.number AS number, "
    "property.construction AS construction, property.relation AS relation, property.text AS text, "
    "property.weight / 1e6 AS weight, property.cost / 1e6 AS cost, property.hard AS hard, property.place AS place "
    "FROM property JOIN grammar ON grammar.id = property.grammar",
    "instances": "SELECT constituent.sentence AS sentence, constituent.node AS constituent, property.id AS property, "
    "CASE instr(each.value, ':') WHEN 0 THEN '' ELSE substr(each.value, instr(each.value, ':') + 1) END AS daughters, "
    "substr(each.value, 1, 1) <> '!' AS satisfied FROM constituent "
    "JOIN characterization ON constituent.below > 0 AND characterization.id = constituent.what, "
    "json_each('[\"' || replace(characterization.instances, ' ', '\",\"') || '\"]') AS each "
    "JOIN property ON property.grammar = characterization.grammar AND property.number = CAST(ltrim(each.value, '!') "
    "AS INTEGER) WHERE characterization.instances <> ''",
    "violations": "SELECT violation.sentence AS sentence, violation.node AS constituent, "
    "violation.property AS property, violation.daughters AS daughters FROM violation",
    "failures": "SELECT failure.run AS run, failure.name AS place, failure.reason AS reason, failure.lost AS lost "
    "FROM failure",
}
"""The documented views. Costs and weights are as in grammars, `metadata` and `features` are JSON objects.

Positions are counted from 0, ends are exclusive. `daughters` has the numbers of the daughters of the phrase that an
instance is about, separated by commas; `satisfied` is 1 or 0. `violations` are the violated `instances`, but faster to
read."""


def statements() -> dict[str, str]:
    """Return the SQL statement that creates each table, index and view, by its name."""
    made = {
        name: f"CREATE TABLE {name} ({columns}){' WITHOUT ROWID' if name in WITHOUT_ROWID else ''}"
        for name, columns in TABLES.items()
    }
    made |= {name: f"CREATE INDEX {name} ON {over}" for name, over in INDEXES.items()}
    return made | {name: f"CREATE VIEW {name} AS {select}" for name, select in VIEWS.items()}


# Packed counts of satisfied properties are pairs of bytes: the difference from the number of the previous property, and
# the count. A difference above 254 begins with single bytes 255, one for each 255; a count above 255 takes several
# pairs.


def pack(counts: dict[int, int]) -> bytes:
    """Return counts of satisfied instances, by property number, as bytes."""
    packed = bytearray()
    before = 0
    for number in sorted(counts):
        step, count = number - before, counts[number]
        while step > 254:
            packed.append(255)
            step -= 255
        while count > 255:
            packed += bytes((step, 255))
            step, count = 0, count - 255
        packed += bytes((step, count))
        before = number
    return bytes(packed)


def unpack(packed: bytes) -> Iterator[tuple[int, int]]:
    """Yield property numbers with counts from bytes; a count above 255 is yielded in several parts."""
    number, at, end = 0, 0, len(packed) - 1
    while at < end:
        step = packed[at]
        if step == 255:
            number += 255
            at += 1
            continue
        number += step
        yield number, packed[at + 1]
        at += 2


# Opening

INSERT_WRITER: Final = "INSERT INTO writer (pid, host, verb, since) VALUES (?, ?, ?, ?)"
BUSY_SECONDS: Final = 1.0
"""Seconds that a writer waits for another writer, which may be about to end."""
READ_ONLY: Final = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)
FORBIDDEN: Final = frozenset(
    ("load_extension", "fts3_tokenizer", "writefile", "readfile", "edit", "zeroblob", "randomblob")
)
"""Functions of SQLite that no statement may call, because they reach beyond the file or produce huge values."""


def connect_to_read(path: str) -> tuple[sqlite3.Connection, list[BaseException]]:
    """Return a connection that can read a store and do nothing else, and the list `hidden` of `errors_of`.

    Raises MissingFileError, and DataError for a file that is not a store, has another version or other tables.
    """
    if (wrong := cannot_be_looked_at(path)) is not None:
        raise wrong
    if os.path.isdir(path):
        raise MissingFileError(f"{path}: this is a folder\n  name the store, a file made by {MADE_BY}")
    if not os.path.exists(path):
        raise MissingFileError(f"{path}: no such store\n  {MADE_BY} makes one")
    connection = _connected(path, "ro")
    try:
        check(connection, path)
    except BaseException:
        connection.close()
        raise
    hidden: list[BaseException] = []
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA cache_size = -65536")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA mmap_size = 0")
    connection.create_function("regexp", 2, partial(_has_match, hidden), deterministic=True)
    connection.execute("SELECT 1 FROM json_each('[]')").fetchall()  # creates a table, which the authorizer would forbid
    connection.set_authorizer(_only_reading)
    return connection, hidden


def _has_match(hidden: list[BaseException], pattern: str, text: str | None) -> bool:
    """True if a regular expression matches somewhere in a text: this is `text REGEXP pattern` in SQL.

    SQLite tells nobody which exception ended this function, such as the end of its time, so it is added to `hidden`.
    """
    try:
        return text is not None and re.search(pattern, text) is not None
    except re.error as error:
        hidden.append(DataError(f'"{pattern}" is not a regular expression: {error}\n  write another one'))
        raise
    except BaseException as error:
        hidden.append(error)
        raise


MADE_BY: Final = "numbat parse -f store -o FILE"
ANEW: Final = "make it again, or restore a copy"


def _only_reading(action: int, one: str | None, two: str | None, database: str | None, view: str | None) -> int:
    if action not in READ_ONLY or (action == sqlite3.SQLITE_FUNCTION and two in FORBIDDEN):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _connected(path: str, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode={mode}"  # a name need not be UTF-8
    try:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except sqlite3.Error as error:
        raise as_error(error, path) from None
    return connection


def check(connection: sqlite3.Connection, path: str) -> None:
    """Raise DataError unless the file is a store of this version, with its tables and views and no others."""
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise DataError(f"{path}: this is not a store of Numbat\n  {MADE_BY} makes one")
        if version not in (VERSION, 1):
            by, remedy = (
                ("an older", "make it again from the corpus, or read it with that version")
                if version < 1
                else ("a newer", "install the newer version to read it")
            )
            raise DataError(
                f"{path}: this store has the schema {version} of {by} version of Numbat; this one has {VERSION}\n"
                f"  {remedy}"
            )
        actual = dict(
            connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%' AND name NOT LIKE "
                "'sqlite_stat%'"
            ).fetchall()
        )
    except sqlite3.Error as error:
        raise as_error(error, path) from None
    except UnicodeDecodeError:  # in a message of SQLite
        raise DataError(f"{path}: this store is damaged: its tables have other names\n  {ANEW}") from None
    lacking = SINCE_2 if version == 1 else frozenset[str]()
    expected = {name: sql for name, sql in statements().items() if name not in lacking}
    if actual != expected:
        strange = next((name for name in (*expected, *actual) if actual.get(name) != expected.get(name)), "")
        raise DataError(f'{path}: this store was changed: "{strange}" was not made by Numbat\n  make the store again')


def as_error(error: sqlite3.Error, path: str) -> BaseException:
    """Return the exception for an SQLite error; its message names the store."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return UnwritableError(path, str(error))
    if code == sqlite3.SQLITE_NOTADB:
        return DataError(f"{path}: this is not a store of Numbat\n  {MADE_BY} makes one")
    if code == sqlite3.SQLITE_INTERRUPT:
        return KeyboardInterrupt()
    if code == sqlite3.SQLITE_NOMEM:
        return MemoryError()
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DataError(f"{path}: another program is using this store: {error}\n  try again when it has ended")
    if NOT_UTF_8 in str(error):
        return DataError(
            f"{path}: this text is not UTF-8: {error}\n"
            f"  hex(...) shows it; numbat query {path} --verify says whether the store is damaged"
        )
    if code == sqlite3.SQLITE_CORRUPT:
        return DataError(f"{path}: this store is damaged: {error}\n  {ANEW}")
    return DataError(f"{path}: SQLite refuses this: {error}\n  ask for less, or in another way")


NOT_UTF_8: Final = "Could not decode to UTF-8"


@contextmanager
def errors_of(path: str, hidden: list[BaseException] | None = None) -> Iterator[None]:
    """Replace SQLite errors in the block of a `with` by Numbat errors that name the store.

    `hidden` has the exception that ended a function called by SQLite, which only says that there was one.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise (hidden.pop() if hidden else as_error(error, path)) from None
    except (OverflowError, UnicodeEncodeError):
        raise DataError(
            f"{path}: a number or a character in this question is none that a store can have\n"
            "  write numbers below 9,000,000,000,000,000,000, and text that is valid Unicode"
        ) from None


def connect_to_write(path: str, verb: str, since: str) -> sqlite3.Connection:
    """Return a connection with the only write transaction of a store; the store is created if it does not exist.

    Raises UnwritableError, which names the process if another one is writing, and DataError as `connect_to_read` does.
    """
    check_is_file(path, "a store")
    connection = _connected(path, "rwc")
    try:
        if not (is_new := _is_blank(connection)):
            check(connection, path)
        connection.execute("PRAGMA page_size = 8192")
        _log_ahead(connection, path)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
        _begin_alone(connection, path)
        if is_new:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            for statement in statements().values():
                connection.execute(statement)
        _without_checksum(connection)
        connection.execute("DELETE FROM writer")
        connection.execute(INSERT_WRITER, (os.getpid(), socket.gethostname(), verb, since))
        connection.execute("COMMIT")
        begin(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise as_error(error, path) from None
    except BaseException:
        connection.close()
        raise
    return connection


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Return True if a file has nothing in it, as when the process that began it was ended at once."""
    numbers = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")]
    return numbers == [(0,), (0,)] and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


# Checksums


def _without_checksum(connection: sqlite3.Connection) -> None:
    """Remove the checksum of a store that will be written; a store of version 1 gets the table for it."""
    if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
        for name in SINCE_2:
            connection.execute(statements()[name])
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("DELETE FROM checksum")


def checksum(connection: sqlite3.Connection) -> int:
    """Return a checksum of everything in a store except who writes to it."""
    known = 0
    for table in sorted(TABLES.keys() - {"writer", "checksum"}):
        key = "" if table in WITHOUT_ROWID else " ORDER BY rowid"
        cursor = connection.execute(f"SELECT * FROM {table}{key}")
        while rows := cursor.fetchmany(1_000):
            known = crc32(repr(rows).encode("utf-8", "surrogatepass"), known)
    return known


def has_checksum(path: str) -> bool:
    """True if the content of a store is what was written, False if the store has no checksum. Raises DataError."""
    with errors_of(path), closing(_connected(path, "ro")) as connection:
        check(connection, path)
        connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")  # no text is refused
        (result,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if result != "ok":
            raise DataError(f"{path}: this store is damaged: {result}\n  {ANEW}")
        is_old = connection.execute("PRAGMA user_version").fetchone() == (1,)
        row = None if is_old else connection.execute("SELECT content FROM checksum").fetchone()
        if row is not None and row[0] != checksum(connection):
            raise DataError(f"{path}: this store is damaged: its content is not what was written\n  {ANEW}")
        return row is not None


def _log_ahead(connection: sqlite3.Connection, path: str) -> None:
    """Switch to write-ahead logging, so that others can read while this process writes; wait for running statements."""
    until = monotonic() + 10 * BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            if monotonic() > until:
                raise _held(connection, path) from None


def begin(connection: sqlite3.Connection, path: str) -> None:
    """Begin the next transaction of the writer, which the table `writer` names for other processes."""
    until = monotonic() + 10 * BUSY_SECONDS
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() > until:
                raise as_error(error, path) from None


def _begin_alone(connection: sqlite3.Connection, path: str) -> None:
    """Begin the writer's first transaction. Raises UnwritableError if there is another writer."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
        raise _held(connection, path) from None
    has_tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'writer'").fetchone()
    row = connection.execute("SELECT pid, host FROM writer").fetchone() if has_tables else None
    if row is not None and row[1] == socket.gethostname() and row[0] != os.getpid() and is_alive(row[0]):
        connection.execute("ROLLBACK")
        sleep(BUSY_SECONDS / 10)
        raise _held(connection, path)


def _held(connection: sqlite3.Connection, path: str) -> UnwritableError:
    row: tuple[Any, ...] | None = None
    with suppress(sqlite3.Error):
        row = connection.execute("SELECT pid, host, verb, since FROM writer").fetchone()
    who = f"numbat {row[2]}, process {row[0]} on {row[1]}, since {row[3]}" if row else "another program"
    return UnwritableError(
        path, f"{who}, writes to this store", "wait until it ends, or write another store and join them: numbat join"
    )


def is_alive(pid: int) -> bool:
    """True if a process with this id runs on this machine; always False on Windows, where the check would end it."""
    if os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def close_writing(connection: sqlite3.Connection) -> None:
    """Roll back the last transaction of a writer and release the store.

    If nobody is reading the store, it is then a single file without a log beside it.
    """
    with closing(connection):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("DELETE FROM writer")
        connection.execute("PRAGMA busy_timeout = 0")
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = DELETE")


def is_store(path: str) -> bool:
    """True if the first bytes of a file are those of an SQLite database; a pipe or a device is not read."""
    if not os.path.isfile(path):
        return False
    try:
        with Path(path).open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False
