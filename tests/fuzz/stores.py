"""The kinds of stores and of what asks them: damaged files, queries, requests of the page of a store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache, partial
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any, Final

from numbat.corpus import Store
from numbat.corpus.answers import counted
from numbat.corpus.query_sql import matches
from numbat.corpus.schema import INDEXES, TABLES, VIEWS, has_checksum
from numbat.errors import DataError
from numbat.parsing.policies import never
from numbat.workbench.corpus_page import answering
from tests.corpora import ids_of, sentences, write_store
from tests.corpus_oracle import Oracle, random_query
from tests.fuzz.kinds import UNCHANGED, text_kind
from tests.fuzz.mutating import VALUES, mutated, mutated_json
from tests.fuzz.runner import Kind, Made

QUERIES: Final = (
    "NP violates Det ~> N", "violates dependency", "cost > 0", 'words ~ "(?i)the .*s"', "x: NP has N and x before VP",
    'x: S has NP and not (x violates) and meta.genre = "a"', 'NP ~ "[Tt]he .*"', "length < 5 or full",
    "NP[number=pl] within S", 'place ~ "x:[12]"', "not limited and V ends VP", 'violates "NP: Det < N"',
    'meta.genre != "b"', "Det next to N and x: VP.length > 1", "? spans NP", "NP satisfies linearity",
)  # fmt: skip
SECONDS: Final = 2.0
"""Time limit of a query."""


@cache
def store_path() -> str:
    """The path of a store, which all processes read."""
    path = Path(mkdtemp()) / "corpus.db"
    write_store(path, sentences())
    return str(path)


@cache
def store_bytes() -> bytes:
    return Path(store_path()).read_bytes()


@cache
def oracles() -> tuple[Oracle, ...]:
    with Store(store_path()) as store:
        ids = dict(ids_of(store.properties(store.run())))
    return tuple(Oracle(each, ids) for each in sentences())


# Queries


def query(rng: Random) -> bytes:
    """A query: one of the documents, or a random one about things that occur."""
    if rng.random() < 0.5:
        return rng.choice(QUERIES).encode()
    return random_query(rng, [each.parse for each in sentences()]).encode()


def _ask(rng: Random, path: str) -> object:
    """Ask a store a query; now and then compare its matches with those that trying all constituents gives."""
    text = Path(path).read_bytes().decode("utf-8", "replace")
    way = rng.random()
    with Store(store_path()) as store:
        compiled = store.compiled(text)
        if way < 0.2:
            return counted(store, compiled, rng.choice(([], ["genre"], ["word"], ["property"])), SECONDS).whole
        most = None if way < 0.4 else 20
        matching = list(matches(store, compiled, most, way > 0.8, SECONDS))
        variables = sum(len(alternative.variables) for alternative in compiled.alternatives)
        if most is None and variables < 4 and len(text) < 300:
            tried: set[tuple[int | None, ...]] = set()
            for number, oracle in enumerate(oracles(), start=1):
                for alternative in compiled.alternatives:
                    for bound in oracle.matches(alternative, {}):
                        named = (bound[n] if n in alternative.shown else None for n in compiled.names)
                        tried.add((number, *named))
            if {(match.sentence, *match.nodes) for match in matching} != tried:
                raise AssertionError(f"{text!r}: {len(matching)} matches, by trying {len(tried)}")
        return matching


# Stores


def _matching(text: str, store: Store) -> object:
    return [(match.sentence, match.nodes) for match in matches(store, store.compiled(text), None, False, SECONDS)]


ASKED: Final = ("NP violates", "violates dependency", 'words ~ "the .*"', 'meta.genre = "a"', "cost > 0", "V within S")


WAYS: Final[tuple[Callable[[Store], object], ...]] = (
    lambda store: [parse.to_json() for parse in store.parses()],
    lambda store: (store.runs(), store.metadata_keys(), list(store.sentences())),
    lambda store: [list(store.rows(f"SELECT * FROM {view}")) for view in VIEWS if view != "instances"],
    *(partial(_matching, text) for text in ASKED),
)
"""Requests to a store: its parses, its sentences, the rows of its views, the matches of a query."""


def answered(path: str, way: int) -> object:
    """Return what a store says."""
    with Store(path) as store:
        return WAYS[way](store)


@cache
def answers_before() -> list[object]:
    return [answered(store_path(), way) for way in range(len(WAYS))]


def _make_store(rng: Random, folder: Path) -> Made:
    """Write a store with damaged pages, other values in its tables, or other statements."""
    path = folder / "corpus.db"
    for old in folder.glob("corpus.db*"):
        old.unlink()
    content = store_bytes()
    way = rng.random()
    if way < UNCHANGED:
        path.write_bytes(content)
        return "valid"
    if way < 0.5:
        path.write_bytes(_other_bytes(rng, content))
        return "mutated"
    path.write_bytes(content)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for _ in range(rng.choice((1, 1, 2, 4))):
            with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                _change(rng, connection)
    return "mutated"


def _other_bytes(rng: Random, content: bytes) -> bytes:
    changed = bytearray(content)
    way = rng.random()
    if way < 0.15:
        return content[: rng.randrange(len(content))]
    if way < 0.3:
        pages = len(content) // 8192
        one, other = (8192 * rng.randrange(pages) for _ in range(2))
        changed[one : one + 8192] = content[other : other + 8192]
    for _ in range(rng.choice((1, 1, 2, 8, 60))):
        at = rng.randrange(100 if way < 0.45 else len(changed))
        changed[at] = rng.choice((changed[at] ^ (1 << rng.randrange(8)), 0, 255, rng.randrange(256)))
    return bytes(changed)


def _change(rng: Random, connection: sqlite3.Connection) -> None:
    """Change a value, remove or copy a row, or change what the store is made of."""
    table = rng.choice([*TABLES])
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    if not columns:
        return  # the table was removed before
    column, way = rng.choice(columns), rng.random()
    one = f"WHERE {column} = (SELECT {column} FROM {table} LIMIT 1 OFFSET {rng.randrange(30)})"
    if way < 0.6:
        (row,) = connection.execute(f"SELECT {column} FROM {table} {one} LIMIT 1").fetchall() or [(None,)]
        connection.execute(f"UPDATE {table} SET {column} = ? {one}", (_other_value(rng, row[0]),))
    elif way < 0.8:
        connection.execute(f"DELETE FROM {table} {one}")
    elif way < 0.9:
        connection.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table} LIMIT 3")
    elif way < 0.93:
        connection.execute(rng.choice(("PRAGMA user_version = 1", "PRAGMA user_version = 9", "DELETE FROM checksum")))
    else:
        name = rng.choice([*INDEXES])
        connection.execute(rng.choice((f"DROP INDEX {name}", "CREATE TABLE other (x)", f"DROP TABLE {table}")))


def _other_value(rng: Random, value: Any) -> Any:
    if isinstance(value, bytes):
        return mutated(rng, value)
    if isinstance(value, str) and rng.random() < 0.7:
        with suppress(ValueError):
            return json.dumps(mutated_json(rng, json.loads(value)))
        return mutated(rng, value.encode()).decode("utf-8", "replace")
    return rng.choice([each for each in VALUES if not isinstance(each, list | dict)])


def _read_store(rng: Random, folder: Path) -> object:
    """Ask a store. If its checksum is right it says what it said before it was damaged."""
    path = str(folder / "corpus.db")
    try:
        is_whole = has_checksum(path)
    except DataError:
        if rng.random() < 0.3:
            raise
        is_whole = False
    ways = [0] if rng.random() < 0.05 else rng.sample(range(1, len(WAYS)), 2)  # parses take most of the time
    for way in ways:
        if answered(path, way) != answers_before()[way] and is_whole:
            raise AssertionError(f"{path}: the checksum is right, and the answers are others")
    return ways


# Requests of the page


CALLS: Final[tuple[Callable[[Random], dict[str, Any]], ...]] = (
    lambda rng: {"call": "names"},
    lambda rng: {"call": "overview"},
    lambda rng: {"call": "query", "text": query(rng).decode(), "order": rng.choice(("", "worst"))},
    lambda rng: {"call": "query", "text": query(rng).decode()},
    lambda rng: {"call": "counts", "text": query(rng).decode(), "by": rng.choice(("genre", "word", "property", ""))},
    lambda rng: {"call": "tree", "sentence": rng.randint(1, 10)},
)


def page_request(rng: Random) -> bytes:
    """A request of the page of a store."""
    return json.dumps(rng.choice(CALLS)(rng)).encode()


def change_request(rng: Random, content: bytes, others: object) -> bytes:
    """Return a request with another value, or with another query."""
    value = json.loads(content)
    if "text" in value and rng.random() < 0.5:
        value["text"] = mutated(rng, value["text"].encode()).decode("utf-8", "replace")
    else:
        value = mutated_json(rng, value)
    return json.dumps(value).encode()


def _answer_page(rng: Random, path: str) -> object:
    """Answer a request of the page; what is no object, the server refuses."""
    value = json.loads(Path(path).read_bytes())
    if not isinstance(value, dict):
        return None
    answer = json.loads(answering(store_path(), None)(value, never))
    if error := answer.get("error"):
        raise DataError(error)
    return answer


def _prepare() -> None:
    oracles()
    answers_before()
    store_bytes()


STORES: Final = (Kind("store", _make_store, _read_store, prepare=_prepare, places=False, file="corpus.db"),)
QUERIES_OF_STORES: Final = (text_kind("query", "q.txt", query, _ask, places=False, prepare=_prepare),)
PAGE_REQUESTS: Final = (
    text_kind(
        "corpus-page", "r.json", page_request, _answer_page, places=False, prepare=_prepare, change=change_request
    ),
)
