"""The store: round trips of parses, resumed runs, concurrent reading and writing, no execution of its contents."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.clock import OutOfTime
from numbat.corpus import Store, schema
from numbat.corpus.reading import StoreReader
from numbat.corpus.schema import pack, statements, unpack
from numbat.corpus.stored import stored_sentence
from numbat.corpus.writing import StoreWriter
from numbat.errors import DataError, MissingFileError, UnwritableError, UsageError
from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.runs.metadata import CommentReader, known_of_all
from numbat.runs.record import GrammarDigests, RunRecord
from tests.command_line import Numbat
from tests.corpora import STARTER, TEXTS, sentences, starter, write_store
from tests.corpus_oracle import Sentence
from tests.samples import enough
from tests.strategies import random_grammar, random_lattice
from tests.waiting import until

PARSES = [each.parse for each in sentences()]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "corpus.db"
    write_store(path, sentences())
    return path


def test_parses_come_back_equal(path: Path) -> None:
    with Store(path) as store:
        assert list(store.parses()) == PARSES
        assert list(store.parses(grammar=starter().grammar)) == PARSES
        assert store.grammar() == starter().grammar
        assert [row.stored.name for row in store.sentences()] == [each.name for each in sentences()]
        assert [row.metadata for row in store.sentences()] == [each.known for each in sentences()]
        assert store.parse(4).to_json() == PARSES[3].to_json()


@pytest.mark.parametrize("seed", range(enough(30)))
def test_parses_by_random_grammars_come_back_equal(tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    grammar = random_grammar(rng)
    while any(len(relation.clauses) != 1 for relation in grammar.relations):  # these the notation cannot write
        grammar = random_grammar(rng)
    parser = Parser(grammar, profile=rng.choice(("default", "strict", "discontinuous")))
    lattices = [random_lattice(rng, grammar) for _ in range(4)]
    every = [Sentence(str(i), parser.parse(lattice), {}) for i, lattice in enumerate(lattices)]
    write_store(tmp_path / "x.db", every, grammar)
    with Store(tmp_path / "x.db") as store:
        assert list(store.parses(grammar=grammar)) == [each.parse for each in every]


def test_views_say_what_the_parses_say(path: Path) -> None:
    with Store(path) as store:
        for number, parse in enumerate(PARSES, start=1):
            found = store.rows("SELECT satisfied, constituent, daughters, number FROM instances JOIN properties USING "
                               "(property) WHERE sentence = ?", (number,))  # fmt: skip
            nodes = {id(node): i for i, node in enumerate(parse.walk())}
            expected = [
                (int(each.satisfied), nodes[id(each.constituent)], _daughters(each.constituent, each.elements),
                 parse.number_of(each.property))
                for each in parse.evaluated
            ]  # fmt: skip
            assert sorted(found) == sorted(expected)
            ((packed,),) = store.rows("SELECT satisfied FROM sentence WHERE id = ?", (number,))
            counts: dict[int, int] = {}
            for each in parse.satisfied:
                counts[parse.number_of(each.property)] = counts.get(parse.number_of(each.property), 0) + 1
            assert dict(unpack(packed)) == counts
        rows = store.rows("SELECT category, start, end, mother, word, features FROM constituents WHERE sentence = 1 "
                          "ORDER BY constituent")  # fmt: skip
        assert [row[:5] for row in rows] == [
            ("S", 0, 3, None, None),
            ("NP", 0, 2, 0, None),
            ("Det", 0, 1, 1, "The"),
            ("N", 1, 2, 1, "cat"),
            ("VP", 2, 3, 0, None),
            ("V", 2, 3, 4, "sleeps"),
        ]
        assert list(store.rows("SELECT place, cost, length FROM sentences WHERE sentence = 2")) == [
            ("x:2", PARSES[1].cost_units / 1e6, 3)
        ]


def _daughters(constituent: object, elements: tuple[object, ...]) -> str:
    places = {id(each): i for i, each in enumerate(constituent.daughters)}  # type: ignore[attr-defined]
    return ",".join(str(places[id(each)]) for each in elements)


@given(st.dictionaries(st.integers(0, 2_000), st.integers(1, 700), max_size=30))
def test_counts_are_unpacked_as_they_were_packed(counts: dict[int, int]) -> None:
    found: dict[int, int] = {}
    for number, count in unpack(pack(counts)):
        found[number] = found.get(number, 0) + count
    assert found == counts


def test_a_second_run_is_beside_the_first(path: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.db"
    shutil.copy(path, both)
    other = Parser(load_grammar("english-np"))
    more = [Sentence("1", other.parse("the cat"), {})]
    write_store(both, more, other.grammar)
    with Store(both) as store:
        assert [(run.number, run.grammar, run.is_whole) for run in store.runs()] == [
            (1, "starter", True),
            (2, other.grammar.name, True),
        ]
        assert list(store.parses(1)) == PARSES
        assert list(store.parses()) == [more[0].parse]
        with pytest.raises(UsageError, match="this store has no run 3"):
            store.run(3)
        with pytest.raises(DataError, match="digest"):
            list(store.parses(1, other.grammar))


# The command line: runs, shards, joining


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return tmp_path


def run(numbat: Numbat, *arguments: str) -> None:
    done = numbat(*arguments)
    assert done.code == 0, done.err


PARSE = ("parse", "-g", str(STARTER), "-i", "texts.txt", "-q")


def test_a_run_shards_and_json_lines_make_the_same_store(corpus: Path, numbat: Numbat) -> None:
    run(numbat, *PARSE, "-f", "store", "-o", "whole.db")
    run(numbat, *PARSE, "-f", "jsonl", "-o", "whole.jsonl")
    for k in ("1", "2", "3"):
        run(numbat, *PARSE, "-f", "store", "-o", f"part.{k}.db", "--shard", f"{k}/3")
    missing = numbat("join", "part.1.db", "part.3.db", "-o", "joined.db")
    assert missing.err == "numbat: part 2 of 3 is missing\n  numbat parse --shard 2/3 makes part 2\n"
    run(numbat, "join", "part.3.db", "part.1.db", "part.2.db", "-o", "joined.db", "-q")
    run(numbat, "join", "whole.jsonl", "-g", str(STARTER), "-o", "of_lines.db", "-q")
    names = []
    for name in ("whole.db", "joined.db", "of_lines.db"):
        with Store(name) as store:
            assert list(store.parses()) == PARSES
            names.append([row.stored.name for row in store.sentences()])
    assert names[0] == names[1] == names[2]
    again = numbat("join", "whole.db", "-o", "joined.db")
    assert again.err.startswith("numbat: whole.db: its run 1 is in the store already")
    assert sorted(each.name for each in corpus.glob("*.db*")) == sorted(
        ["whole.db", "joined.db", "of_lines.db", "part.1.db", "part.2.db", "part.3.db"]
    )


def test_a_store_of_lines_needs_their_grammar(corpus: Path, numbat: Numbat) -> None:
    run(numbat, *PARSE, "-f", "jsonl", "-o", "whole.jsonl")
    nameless = numbat("join", "whole.jsonl", "-o", "x.db")
    assert nameless.err.splitlines()[-2:] == [
        'numbat: whole.jsonl: these are parses by the grammar "starter"',
        "  name its file: -g GRAMMAR",
    ]
    other = numbat("join", "whole.jsonl", "-g", "english-np", "-o", "x.db")
    assert "by another version of the grammar" in other.err
    no_parse = numbat("join", "texts.txt", "-o", "x.db")
    assert "texts.txt:1: this is not a parse in JSON" in no_parse.err


def test_a_run_that_was_killed_goes_on(corpus: Path, numbat: Numbat) -> None:
    """Committed batches stay, at most the current batch is repeated, and nothing is stored twice."""
    run(numbat, *PARSE, "-f", "store", "-o", "whole.db")
    many = corpus / "texts.txt"
    many.write_text("\n".join(TEXTS * 60) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "numbat", *PARSE, "-f", "store", "-o", "many.db"]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(STARTER.parents[2])})
    lines = corpus / "many.db.journal"
    until(lambda: process.poll() is not None or (lines.exists() and lines.stat().st_size > 9_000))
    process.send_signal(signal.SIGKILL)
    process.wait()
    refused = numbat(*PARSE, "-f", "store", "-o", "many.db")
    if lines.exists():  # else it was faster
        assert "add --resume to continue it" in refused.err
        run(numbat, *PARSE, "-f", "store", "-o", "many.db", "--resume")
    with Store("many.db") as store:
        assert list(store.parses()) == PARSES * 60
        assert [run.records for run in store.runs()] == [len(PARSES) * 60]
    assert not lines.exists()


def test_a_run_goes_on_after_what_was_committed_only(corpus: Path, numbat: Numbat) -> None:
    run(numbat, *PARSE, "-f", "store", "-o", "whole.db")
    with sqlite3.connect("whole.db") as connection:  # as a kill would have left it: half of the records are there
        connection.execute("UPDATE run SET finished = 0, done = 5")
        for table, column in (("sentence", "id"), ("constituent", "sentence"), ("violation", "sentence")):
            connection.execute(f"DELETE FROM {table} WHERE {column} > 5")
        ((asked, record),) = connection.execute("SELECT asked, record FROM run").fetchall()
    connection.close()
    run(numbat, *PARSE, "-f", "jsonl", "-o", "x.jsonl", "--shard", "1/2")
    noted = [json.dumps([i, {"id": str(i), "failed": True, "lost": False}]) for i in range(1, 8)]
    header = json.dumps({"format": "numbat.journal/3", "run": json.loads(record), "asked": json.loads(asked)})
    Path("whole.db.journal").write_text("\n".join([header, *noted, "[8,"]), encoding="utf-8")
    other = numbat("parse", "-i", "texts.txt", "-f", "store", "-o", "whole.db", "--resume", "-g", "english-np")
    assert "was different when the run began" in other.err
    done = numbat(*PARSE[:-1], "-f", "store", "-o", "whole.db", "--resume")
    assert done.err.startswith("numbat: continuing after 5 records\n")
    with Store("whole.db") as store:
        assert list(store.parses()) == PARSES


def test_what_cannot_be_read_is_told_of(corpus: Path, numbat: Numbat) -> None:
    (corpus / "texts.txt").write_bytes(b"The cat sleeps\n\xff\nThe cat sleeps\n")
    done = numbat(*PARSE, "-f", "store", "-o", "x.db")
    assert done.code == 75
    with Store("x.db") as store:
        assert len(list(store.parses())) == 2
        assert list(store.rows("SELECT reason, lost FROM failures")) == [("it could not be read", 0)]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "-f store writes to a file"),
        (("-o", "x.db", "-n", "2"), "-f store keeps the best parse of each sentence"),
        (("-o", "x.db", "--trace"), "-f store keeps no trace"),
        (("-o", "x.db", "--meta", "genre"), '"genre" is not KEY=VALUE'),
        (("-o", "x.db", "--meta", "genre=~["), '"[" is not a regular expression'),
    ],
)
def test_options_that_do_not_go_together(corpus: Path, numbat: Numbat, more: tuple[str, ...], message: str) -> None:
    done = numbat(*PARSE, "-f", "store", *more)
    assert done.code == 2
    assert message in done.err


# Metadata


def test_comments_hold_for_document_paragraph_or_sentence() -> None:
    reader = CommentReader()
    first = reader.pairs(["# newdoc id = d1", "# meta::genre = email", "# newpar id = p1", "# sent_id = 1", "# s = x"])
    assert dict(first) == {"newdoc": "d1", "genre": "email", "newpar": "p1", "s": "x"}
    assert dict(reader.pairs(["# sent_id = 2", "# text = A", "# speaker = Ann"])) == {
        "newdoc": "d1", "genre": "email", "s": "x", "newpar": "p1", "speaker": "Ann",
    }  # fmt: skip
    assert dict(reader.pairs(["# newpar", "# sent_id = 3"])) == {"newdoc": "d1", "genre": "email", "s": "x"}
    assert dict(reader.pairs(["# newdoc id = d2"])) == {"newdoc": "d2"}


def test_metadata_of_conllu_and_of_a_table(corpus: Path, numbat: Numbat) -> None:
    table = "id,genre,sentence\na-1,email,The cat sleeps\nb-2,,cat the sleeps\n,x,dogs sleep\nonly one\n"
    (corpus / "t.csv").write_text(table, encoding="utf-8")
    parse = ("parse", "-g", str(STARTER), "-q", "-f", "store")
    done = numbat(
        *parse, "-i", "t.csv", "--from", "table", "-o", "t.db", "--meta", "who=I", "--meta", "first=~^([a-z])-"
    )
    assert done.code == 75
    assert "t.csv:5: this row has 1 cells, but the table has 3 columns" in done.err
    with Store("t.db") as store:
        found = [(row.stored.name, row.metadata) for row in store.sentences()]
        base = {"file": "t.csv", "folder": corpus.name, "who": "I"}
        assert found == [
            ("a-1", {**base, "genre": "email", "first": "a"}),
            ("b-2", {**base, "first": "b"}),
            ("t.csv:4", {**base, "genre": "x"}),
        ]
    assert known_of_all(("file=y",), "a/x.txt").of("n", ()) == {"file": "y", "folder": "a"}


# Concurrent writing and reading; files that are not stores; a hostile one


def test_a_second_writer_is_refused_and_told_who_writes_and_readers_do_not_wait(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    write_store(path, sentences())
    writer = StoreWriter(str(path), "parse", "2026-01-01T00:00:00Z")
    try:
        writer.begin_run(starter().grammar, _record())
        writer.add(stored_sentence(PARSES[0], "new", {}))
        writer.flush()
        with pytest.raises(UnwritableError) as refused:
            StoreWriter(str(path), "parse", "now")
        assert str(refused.value).splitlines() == [
            f"{path}: cannot be written: numbat parse, process {os.getpid()} on {socket.gethostname()}, since "
            "2026-01-01T00:00:00Z, writes to this store",
            "  wait until it ends, or write another store and join them: numbat join",
        ]
        with Store(path) as store:
            assert list(store.parses()) == PARSES
            writer.commit()
            assert len(list(store.parses(2))) == 1
    finally:
        writer.close()


def _record() -> RunRecord:
    return RunRecord("parse", {"--grammar": GrammarDigests.from_grammar(starter().grammar)})


def add_many(writer: StoreWriter) -> None:
    for number in range(3_000):
        writer.add(stored_sentence(PARSES[number % len(PARSES)], f"{number}", {}))
        writer.note()


def test_a_full_disk_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    write_store(path, sentences())
    writer = StoreWriter(str(path), "parse", "now")
    try:
        writer.begin_run(starter().grammar, _record())
        ((pages,),) = writer._connection.execute("PRAGMA page_count").fetchall()
        writer._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(UnwritableError, match="cannot be written: database or disk is full"):
            add_many(writer)
    finally:
        writer.close()
    with Store(path) as store:
        assert list(store.parses(1)) == PARSES


def test_files_that_are_no_store(tmp_path: Path, path: Path) -> None:
    with pytest.raises(MissingFileError, match="no such store"):
        Store(tmp_path / "missing.db")
    with pytest.raises(MissingFileError, match="this is a folder"):
        Store(tmp_path)
    (tmp_path / "text.db").write_text("no database, but a text that is as long as a header of one is\n" * 4)
    with pytest.raises(DataError, match="this is not a store of Numbat"):
        Store(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "other.db").executescript("CREATE TABLE x (y)")
    with pytest.raises(DataError, match="this is not a store of Numbat"):
        Store(tmp_path / "other.db")
    with pytest.raises(DataError, match="this is not a store of Numbat"):
        StoreWriter(str(tmp_path / "other.db"), "parse", "now")
    begun = sqlite3.connect(tmp_path / "begun.db")  # by a run that was ended at once
    begun.execute("PRAGMA journal_mode = WAL")
    begun.close()
    assert (tmp_path / "begun.db").stat().st_size
    StoreWriter(str(tmp_path / "begun.db"), "parse", "now").close()
    with Store(tmp_path / "begun.db") as store:
        assert not list(store.runs())
    for version, which in ((0, "an older"), (99, "a newer")):
        shutil.copy(path, tmp_path / "old.db")
        connection = sqlite3.connect(tmp_path / "old.db")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
        with pytest.raises(DataError, match=f"has the schema {version} of {which} version of Numbat; this one has 2"):
            Store(tmp_path / "old.db")


def test_no_sentences_are_sought_outside_a_store(tmp_path: Path, path: Path) -> None:
    shutil.copy(path, tmp_path / "x.db")
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("UPDATE run SET first = -first - 1000000000000, last = 1000000000000000")
    connection.close()
    with Store(path) as store, Store(tmp_path / "x.db") as damaged:
        (run,) = damaged.runs()
        assert (run.first, run.last) == (1, len(PARSES))
        assert [*map(repr, damaged.query("NP"))] == [*map(repr, store.query("NP"))]


def test_a_pipe_is_no_store_and_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    os.write(writer, b"SQLite format 3\0")
    assert not schema.is_store(str(tmp_path / "pipe"))
    assert os.read(writer, 16) == b"SQLite format 3\0"
    os.close(writer)


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER t AFTER INSERT ON sentence BEGIN DELETE FROM run; END",
        "DROP VIEW sentences; CREATE VIEW sentences AS SELECT writefile('x', 'y')",
        "CREATE VIRTUAL TABLE f USING fts5(x)",
    ],
)
def test_a_store_with_other_tables_or_views_is_not_read(tmp_path: Path, path: Path, change: str) -> None:
    shutil.copy(path, tmp_path / "x.db")
    connection = sqlite3.connect(tmp_path / "x.db")
    try:
        connection.executescript(change)
    except sqlite3.OperationalError:
        pytest.skip("SQLite is built without this")
    finally:
        connection.close()
    with pytest.raises(DataError, match="this store was changed"):
        Store(tmp_path / "x.db")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM sentence",
        "ATTACH 'other.db' AS o",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
        "CREATE TEMP TABLE t (x)",
        "SELECT randomblob(1000000000)",
        "VACUUM INTO 'copy.db'",
    ],
)
def test_nothing_but_reading_passes(path: Path, statement: str) -> None:
    with (
        Store(path) as store,
        pytest.raises(sqlite3.DatabaseError, match=r"not authorized|authorization denied|attempt to write|readonly"),
    ):
        store.connection.execute(statement).fetchall()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE grammar SET bare = x'00'", "the grammar of this store cannot be read"),
        ("UPDATE characterization SET instances = '9999:0' WHERE id = 1", "damaged"),
        ("UPDATE constituent SET up = 77 WHERE node = 1", "damaged"),
        ("UPDATE sentence SET rest = '{' WHERE id = 1", "damaged"),
        ("UPDATE run SET record = '['", "the record of a run in this store is damaged"),
        ("DELETE FROM constituent WHERE node > 3", "damaged"),
        ("UPDATE characterization SET instances = replace(instances, '!', '')", "its tree now has other properties"),
    ],
)
def test_a_damaged_store_is_told_of(tmp_path: Path, path: Path, change: str, message: str) -> None:
    shutil.copy(path, tmp_path / "x.db")
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match=message), Store(tmp_path / "x.db") as store:
        list(store.parses())


@pytest.mark.parametrize(
    ("change", "ask"),
    [
        ("UPDATE form SET text = NULL WHERE id = 1", lambda store: list(store.query('words ~ "the .*"'))),
        ("UPDATE metadata SET pairs = '5' WHERE id = 1", lambda store: store.metadata_keys()),
        ("UPDATE metadata SET pairs = '5' WHERE id = 1", lambda store: list(store.query('meta.genre = "a"'))),
        ("UPDATE constituent SET node = 'x' WHERE node = 1", lambda store: list(store.sentences())),
        ("UPDATE bundle SET features = CAST(x'ff' AS TEXT) WHERE id = 1", lambda store: list(store.sentences())),
    ],
)
@pytest.mark.parametrize("has_checksum", [True, False])
def test_a_value_of_another_type_is_damage(
    tmp_path: Path, path: Path, change: str, ask: Callable[[Store], object], has_checksum: bool
) -> None:
    shutil.copy(path, tmp_path / "x.db")
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute(change)
    if not has_checksum:
        connection.execute("DELETE FROM checksum")
    connection.commit()
    connection.close()
    message = "this store is damaged: its content is not what was written" if has_checksum else "cannot be read"
    with pytest.raises(DataError, match=f"x.db: .*{message}.*\n  make it again"), Store(tmp_path / "x.db") as store:
        ask(store)


def test_an_error_of_a_program_is_not_damage(path: Path) -> None:
    with pytest.raises(KeyError, match="of a program"), Store(path):
        raise KeyError("of a program")


def test_a_grammar_in_a_store_opens_no_other_file(tmp_path: Path, path: Path) -> None:
    import zlib

    (tmp_path / "secret.pg").write_text("N: oblig X\n")
    shutil.copy(path, tmp_path / "x.db")
    connection = sqlite3.connect(tmp_path / "x.db")
    text = f'include: "{tmp_path / "secret.pg"}"\nleaves: N\nNP:\n    oblig N\n'
    connection.execute("UPDATE grammar SET bare = ?, whole = ?", [zlib.compress(text.encode())] * 2)
    connection.commit()
    connection.close()
    with StoreReader(tmp_path / "x.db") as store:
        for read in (store.grammar, lambda: list(store.parses())):
            with pytest.raises(DataError, match=r"has mistakes: .*cannot be read"):
                read()


def test_the_schema_is_what_the_version_says() -> None:
    """After a change of a table or a view, change the version and this digest."""
    from hashlib import sha256

    text = "\n".join(statements().values())
    assert (schema.VERSION, sha256(text.encode()).hexdigest()[:12]) == (2, "a60da9852843")


def test_parses_are_of_type_parse(path: Path) -> None:
    with Store(path) as store:
        assert {type(each) for each in store.parses()} == {Parse}


def test_a_sentence_without_words_is_no_damage(corpus: Path, numbat: Numbat) -> None:
    (corpus / "texts.txt").write_text("the dog sees the cat\n***\nthe cat\n", encoding="utf-8")
    run(numbat, *PARSE, "-f", "store", "-o", "x.db")
    with Store("x.db") as store:
        parses = list(store.parses())
    assert [len(parse.lattice.tokens) for parse in parses] == [5, 0, 2]
    assert parses[1] == Parser(starter().grammar).parse("***")
    done = numbat("query", "x.db", "--against", "x.db", "-q")
    assert "3 sentences in both, 0 and 0 in one only; 0 trees and 0 costs differ" in done.out
    connection = sqlite3.connect("x.db")
    with connection:
        connection.execute("DELETE FROM constituent WHERE sentence = 3")
    with Store("x.db") as store, pytest.raises(DataError, match="sentence 3 of this store is damaged"):
        list(store.parses())


def test_what_ends_a_query_is_not_damage(path: Path, numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the end of its time, nor Ctrl-C, nor what cannot be asked, in a function that SQLite calls or outside."""
    beyond = (
        f"numbat: {path}: a number or a character in this question is none that a store can have\n"
        "  write numbers below 9,000,000,000,000,000,000, and text that is valid Unicode\n"
    )
    assert numbat("query", str(path), 'text ~ "\udcff"').err == beyond
    refused = numbat("query", str(path), "--sql", "select 'a' regexp '('").err
    assert refused.startswith('numbat: "(" is not a regular expression: missing ), unterminated subpattern')
    not_utf_8 = numbat("query", str(path), "--sql", "select cast(x'ff' as text)").err
    assert "this text is not UTF-8: Could not decode to UTF-8" in not_utf_8
    assert f"numbat query {path} --verify says whether the store is damaged" in not_utf_8
    overflow = numbat("query", str(path), "--sql", "select abs(-9223372036854775807 - 1)").err
    assert overflow == f"numbat: {path}: SQLite refuses this: integer overflow\n  ask for less, or in another way\n"
    for raised in (KeyboardInterrupt, OutOfTime):

        def search(pattern: str, text: str, raised: type[BaseException] = raised) -> None:
            raise raised

        monkeypatch.setattr("numbat.corpus.schema.re.search", search)
        with Store(path) as store, pytest.raises(raised):
            list(store.query('text ~ "a"'))


def test_a_checksum_tells_whether_the_content_is_what_was_written(corpus: Path, numbat: Numbat) -> None:
    verify = ("query", "x.db", "--verify")
    for _ in range(2):
        run(numbat, *PARSE, "-f", "store", "-o", "x.db")
        done = numbat(*verify)
        assert (done.out, done.err, done.code) == ("x.db: the content is what was written\n", "", 0)
    with sqlite3.connect("x.db") as connection:
        connection.execute("UPDATE form SET text = 'cow' WHERE text = 'cat'")
    done = numbat(*verify)
    assert (done.err, done.code) == (
        "numbat: x.db: this store is damaged: its content is not what was written\n"
        "  make it again, or restore a copy\n",
        65,
    )
    with sqlite3.connect("x.db") as connection:
        connection.execute("DROP TABLE checksum")
        connection.execute("PRAGMA user_version = 1")
    assert "this store has no checksum: an earlier version of Numbat wrote it" in numbat(*verify).err
    with Store("x.db") as store:
        assert len(store.runs()) == 2
    run(numbat, *PARSE, "-f", "store", "-o", "x.db")  # a store of version 1 becomes one of this version
    assert numbat(*verify).code == 0
    done = numbat(*verify, "NP", "--count")
    assert (done.err, done.code) == (
        "numbat: --verify reads the whole store, and asks nothing else\n  leave out: query, --count\n",
        2,
    )


def test_a_run_that_has_ended_is_not_stored_twice_by_resume(corpus: Path, numbat: Numbat) -> None:
    run(numbat, *PARSE, "-f", "store", "-o", "x.db", "--resume")
    done = numbat(*PARSE, "-f", "store", "-o", "x.db", "--resume")
    assert (done.err, done.code) == (
        "numbat: x.db: this run has ended, and nothing is left to resume\n"
        "  leave --resume out to add another run with the same options\n",
        2,
    )
    assert not Path("x.db.journal").exists()
    with Store("x.db") as store:
        assert list(store.parses()) == PARSES
        assert len(store.runs()) == 1


def test_a_join_that_was_killed_begins_again(corpus: Path, numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    run(numbat, *PARSE, "-f", "jsonl", "-o", "whole.jsonl")
    join = ("join", "whole.jsonl", "-g", str(STARTER), "-o", "x.db", "-q")
    with monkeypatch.context() as patched:
        patched.setattr(StoreWriter, "finish_run", lambda self: self.commit())
        assert numbat(*join).code == 0
    refused = numbat("join", "x.db", "-o", "y.db", "-q").err
    assert refused == (
        "numbat: x.db: its run 1 has not ended\n  join into this store again: numbat join begins that run anew\n"
    )
    run(numbat, *join)
    with Store("x.db") as store:
        assert list(store.parses()) == PARSES
        assert len(store.runs()) == 1
    with sqlite3.connect("x.db") as connection:
        connection.execute("UPDATE run SET finished = 0")
    Path("x.db.journal").touch()
    assert numbat(*join).err == (
        "numbat: x.db: a run in this store has not ended\n  continue it with numbat parse --resume\n"
    )
