"""Read a store: its runs, its sentences, and their parses, which are made by evaluating the stored trees again."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from numbat.corpus import schema
from numbat.corpus.stored import StoredSentence, evaluated_again, record_of
from numbat.errors import DataError, Span, UsageError
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.digest import OF_WORDS, GrammarExcerpt, digest, form_sizes
from numbat.grammar.loading import read_grammar
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT
from numbat.parsing.analysis import check_digest
from numbat.parsing.result import Parse
from numbat.records import cached_property, frozen
from numbat.settings import UnknownFieldError, why_unread

CHUNK: Final = 500
"""Number of sentences read at once."""
MAX_TEXT: Final = 200_000_000
"""Maximum length of the text of a grammar in a store, in bytes."""
KEPT: Final = 200
"""Number of sentences that stay in memory after they were read."""
THAT_VERSION: Final = "queries still work; to read its parses use that version, or parse the corpus again"


@frozen
class StoredRun:
    """A run in a store; its sentences have the numbers `first` to `last`.

    `records` counts the sentences done so far, with those that could not be read; `is_whole` if the run has ended.
    """

    number: int
    grammar: str
    digest: str
    shard: str | None
    records: int
    is_whole: bool
    first: int
    last: int
    record: Mapping[str, Any]
    grammar_number: int = field(default=0, compare=False)


class SentenceRow(NamedTuple):
    """A sentence with its number in the store."""

    number: int
    stored: StoredSentence

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata of the sentence."""
        pairs: dict[str, str] = json.loads(self.stored.metadata)
        return pairs


OF_DAMAGE: Final = (TypeError, ValueError, LookupError, AttributeError, sqlite3.Error)
"""Errors that values of another type lead to: if one ends the work with a store, its checksum is looked at."""


class StoreReader:
    """A store opened for reading. Raises MissingFileError, and DataError unless it is a store of this version."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self.connection, self._hidden = schema.connect_to_read(self.path)
        self._evaluators: dict[int, tuple[Grammar, Evaluator]] = {}
        self._kept: OrderedDict[int, SentenceRow] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        if isinstance(error, OF_DAMAGE) and _is_of_numbat(at) and not schema.has_checksum(self.path):
            why = f"{type(error).__name__}: {error}"
            raise DataError(f"{self.path}: this store cannot be read: {why}\n  {schema.ANEW}") from error

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __repr__(self) -> str:
        return f"<Store {self.path}: {len(self.runs())} runs>"

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an SQL statement. Raises DataError if the file is damaged."""
        with self.errors():
            # Not `yield from`, which would close the cursor after the store.
            for row in self.connection.execute(sql, parameters):  # noqa: UP028
                yield row

    def errors(self) -> AbstractContextManager[None]:
        """Return a context in which errors of SQLite become errors of Numbat that name the store."""
        return schema.errors_of(self.path, self._hidden)

    # runs

    def runs(self) -> tuple[StoredRun, ...]:
        """Return all runs in the store, the oldest first."""
        sql = (
            "SELECT run.id, grammar.name, grammar.digest, shard, done, finished, max(first, 1), "
            "min(last, (SELECT coalesce(max(id), 0) FROM sentence)), record, grammar "
            "FROM run JOIN grammar ON grammar.id = run.grammar ORDER BY run.id"
        )
        stored_runs = []
        for number, name, known, shard, done, finished, first, last, record, grammar in self.rows(sql):
            value = _read_json(record, self.path)
            stored_runs.append(StoredRun(number, name, known, shard, done, bool(finished), first, last, value, grammar))
        return tuple(stored_runs)

    def run(self, number: int | None = None) -> StoredRun:
        """Return the run with this number, by default the last complete one. Raises UsageError if there is none."""
        runs = self.runs()
        if not runs:
            raise UsageError(f"{self.path}: this store has no run\n  {schema.MADE_BY} makes one")
        if number is None:
            return next((run for run in reversed(runs) if run.is_whole), runs[-1])
        for run in runs:
            if run.number == number:
                return run
        raise UsageError(
            f"{self.path}: this store has no run {number}\n  its runs are {', '.join(str(run.number) for run in runs)}"
        )

    def grammar(self, run: int | None = None) -> Grammar:
        """Return the whole grammar of a run, read from its text in the store; a large lexicon takes a while.

        Raises DataError if the digest of this text is not the one that the run recorded.
        """
        chosen = self.run(run)
        grammar = self._grammar(chosen.grammar_number, "whole")
        check_digest(chosen.digest, chosen.grammar, grammar)
        return grammar

    def _grammar(self, number: int, column: str) -> Grammar:
        ((packed,),) = self.rows(f"SELECT {column} FROM grammar WHERE id = ?", (number,))
        reader = zlib.decompressobj()
        try:
            text = reader.decompress(packed, MAX_TEXT).decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError, TypeError) as error:
            raise self._bad_grammar(f"cannot be read: {error}") from None
        if not reader.eof and not reader.unconsumed_tail:
            raise self._bad_grammar("cannot be read: it has no end")
        if reader.unconsumed_tail:
            raise self._bad_grammar(f"has more than {MAX_TEXT:,} bytes")
        loaded = read_grammar(Path("grammar.pg"), text, content_of=_no_other_file)
        if loaded.errors:
            raise self._bad_grammar(f"has mistakes: {loaded.errors[0]}")
        return loaded.grammar

    def _bad_grammar(self, why: str) -> DataError:
        return DataError(f"{self.path}: the grammar of this store {why}\n  {schema.ANEW}")

    def _evaluator(self, run: StoredRun) -> tuple[Grammar, Evaluator]:
        """Return the grammar of a run without words but with the digest of the whole grammar, and its evaluator."""
        known = self._evaluators.get(run.grammar_number)
        if known is None:
            bare = self._grammar(run.grammar_number, "bare")
            ((expected,),) = self.rows("SELECT bare_digest FROM grammar WHERE id = ?", (run.grammar_number,))
            if digest(bare) != expected:
                raise DataError(
                    f"{self.path}: the grammar of this store does not have its digest, or was written by another "
                    f"version of Numbat, {run.record.get('version', 'an unknown one')}\n  {THAT_VERSION}"
                )
            known = self._known(bare, run)
        return known

    def _known(self, bare: Grammar, run: StoredRun) -> tuple[Grammar, Evaluator]:
        values = {name: getattr(bare, name) for name in GRAMMAR_FIELDS}
        values["constructions"] = self._placed(bare, run)
        numbers, sizes = tuple(range(len(bare.rules))), tuple(form_sizes(bare).items())
        grammar = GrammarExcerpt(**values, whole_digest=run.digest, numbers=numbers, form_sizes=sizes)
        known = self._evaluators[run.grammar_number] = grammar, Evaluator(build_table(grammar))
        return known

    def _placed(self, bare: Grammar, run: StoredRun) -> tuple[Construction, ...]:
        """Return the constructions of the grammar `bare`, with the file and line of each property from the store."""
        rows = self.rows("SELECT place FROM property WHERE grammar = ? ORDER BY number", (run.grammar_number,))
        places = (_span(place) for (place,) in rows)
        return tuple(
            replace(
                construction,
                properties=tuple(replace(prop, span=next(places, None)) for prop in construction.properties),
            )
            for construction in bare.constructions
        )

    # sentences and parses

    def sentences(self, run: int | None = None) -> Iterator[SentenceRow]:
        """Yield the sentences of a run in order; some hundreds are in memory at once."""
        chosen = self.run(run)
        last = chosen.last or self.last_of(chosen)
        for first in range(chosen.first, last + 1, CHUNK):
            yield from self._read("sentence.id BETWEEN ? AND ?", (first, min(last, first + CHUNK - 1)), chosen.number)

    def last_of(self, run: StoredRun) -> int:
        """Return the number of the last sentence of a run, 0 if there is none."""
        ((last,),) = self.rows("SELECT coalesce(max(id), 0) FROM sentence WHERE run = ?", (run.number,))
        return int(last)

    def sentence(self, number: int) -> SentenceRow:
        """Return the sentence with this number in the store. Raises UsageError if there is none."""
        kept = self._kept.get(number)
        if kept is None:
            rows = list(self._read("sentence.id BETWEEN ? AND ?", (number, number), None))
            if not rows:
                raise UsageError(f"{self.path}: this store has no sentence {number}")
            kept = self._kept[number] = rows[0]
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return kept

    def _read(self, where: str, between: tuple[int, int], run: int | None) -> Iterator[SentenceRow]:
        """Yield the sentences whose numbers are in the range `between`, from one run or, for None, from all."""
        names, bundles = self._categories, self._bundles
        nodes: dict[int, list[tuple[Any, ...]]] = {}
        sql = (
            "SELECT sentence, node, category, start, length, up, below, features, CASE below WHEN 0 THEN "
            "(SELECT text FROM form WHERE form.id = what) ELSE (SELECT instances FROM characterization WHERE "
            "characterization.id = what) END FROM constituent WHERE category IN (SELECT id FROM category) AND sentence "
            "BETWEEN ? AND ?"
        )
        for sentence, *rest in self.rows(sql, between):
            nodes.setdefault(sentence, []).append(tuple(rest))
        sql = (
            "SELECT sentence.id, name, text, length, cost, full, stopped_by, pairs, outcome, fragments, count, "
            "rounds, log_likelihood, best_cost, rest FROM sentence JOIN metadata ON metadata.id = metadata "
            f"JOIN manner ON manner.id = manner WHERE {where}{'' if run is None else ' AND run = ?'} "
            "ORDER BY sentence.id"
        )
        for number, *columns in self.rows(sql, between if run is None else (*between, run)):
            below = sorted(nodes.get(number, []))
            try:
                # A sentence without words, such as `***`, has no constituents.
                columns_below = zip(*below, strict=True) if below or columns[2] else [()] * 8
                _, categories, starts, lengths, ups, sizes, features, whats = columns_below
                named = [names[category] for category in categories]
                written = [bundles[feature] if feature in bundles else self._bundle(feature) for feature in features]
            except (ValueError, KeyError) as error:
                raise self._damaged(number, repr(error)) from None
            columns[4] = bool(columns[4])
            columns += named, starts, lengths, ups, sizes, written, whats
            yield SentenceRow(number, StoredSentence(*columns))

    def _damaged(self, number: int, why: str) -> DataError:
        return DataError(f"{self.path}: sentence {number} of this store is damaged: {why}\n  make the store again")

    def _unread(self, number: int, error: UsageError, run: StoredRun) -> DataError:
        """Return the error about a sentence whose JSON this version of Numbat cannot read."""
        why = why_unread(error, run.record.get("version"))
        if not isinstance(error, UnknownFieldError):
            return self._damaged(number, why)
        return DataError(f"{self.path}: sentence {number} of this store cannot be read: {why}\n  {THAT_VERSION}")

    @cached_property
    def _categories(self) -> dict[int, str]:
        return dict(self.rows("SELECT id, name FROM category"))

    @cached_property
    def _bundles(self) -> dict[int, str]:
        return {}

    def _bundle(self, number: int) -> str:
        if len(self._bundles) > 50_000:
            self._bundles.clear()
        row = self.connection.execute("SELECT features FROM bundle WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise KeyError(number)
        self._bundles[number] = row[0]
        return str(row[0])

    def parses(self, run: int | None = None, grammar: Grammar | None = None) -> Iterator[Parse]:
        """Yield the parses of a run in the order of its sentences, by evaluating their trees again.

        They are equal to the parses that were stored. Their grammar is `grammar` or, for None, the stored grammar
        without its words. Raises DataError if `grammar` has another digest than the run's, and if the store is damaged.
        """
        chosen = self.run(run)
        if grammar is not None:
            check_digest(chosen.digest, chosen.grammar, grammar)
        for row in self.sentences(chosen.number):
            yield self._parse(row, chosen, grammar)

    def parse(self, number: int) -> Parse:
        """Return the parse of the sentence with this number in the store."""
        row = self.sentence(number)
        ((run,),) = self.rows("SELECT run FROM sentence WHERE id = ?", (number,))
        return self._parse(row, self.run(run), None)

    def _parse(self, row: SentenceRow, run: StoredRun, grammar: Grammar | None) -> Parse:
        if grammar is not None and run.grammar_number not in self._evaluators:
            self._evaluators[run.grammar_number] = grammar, Evaluator(build_table(grammar))
        bare, evaluator = self._evaluator(run)
        try:
            record = record_of(row.stored, run.grammar, run.digest)
            return evaluated_again(record, bare, evaluator)
        except UsageError as error:
            raise self._unread(row.number, error, run) from None
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self._damaged(row.number, repr(error)) from None
        except DataError as error:
            raise self._damaged(row.number, str(error).partition("\n")[0]) from None

    # contents

    def metadata_keys(self) -> tuple[str, ...]:
        """Return all keys of metadata in the store, sorted."""
        keys: set[str] = set()
        for (text,) in self.rows("SELECT pairs FROM metadata"):
            keys |= json.loads(text).keys()
        return tuple(sorted(keys))

    def cost(self, units: int) -> float:
        """Return a cost as it is written in grammars, from millionths."""
        return units / UNIT

    def properties(self, run: StoredRun) -> Iterable[tuple[Any, ...]]:
        """Return a row for each property of a run: id, number, construction, relation, text, cost, weight, hard."""
        return self.rows(
            "SELECT id, number, construction, relation, text, cost, weight, hard FROM property WHERE grammar = ? "
            "ORDER BY number",
            (run.grammar_number,),
        )


GRAMMAR_FIELDS: Final = tuple(field.name for field in fields(Grammar) if field.name not in (*OF_WORDS, "files"))
"""The fields of a grammar that are about phrases, not words or files."""


def _is_of_numbat(at: TracebackType | None) -> bool:
    """True if an error was raised in Numbat, or in what it called."""
    while at is not None and not str(at.tb_frame.f_globals.get("__name__")).startswith("numbat."):
        at = at.tb_next
    return at is not None


def _span(place: object) -> Span | None:
    name, _, line = str(place or "").rpartition(":")
    return Span(name, int(line)) if name and line.isdecimal() and len(line) < 10 else None


def _no_other_file(path: Path) -> bytes:
    raise OSError(f"{path}: the grammar of a store opens no file")


def _read_json(text: object, path: str) -> Mapping[str, Any]:
    try:
        value = json.loads(str(text))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise DataError(f"{path}: the record of a run in this store is damaged\n  make the store again")
    return value
