"""Compile queries to SQL over the tables of a store, and yield their matches.

An alternative becomes one SELECT: a join of the constituents that the alternative mentions, the rarest in the store
first; `not` becomes a subselect. The statement runs on one window of sentences after the other, each larger than the
last, so that matches come in the order of sentences, the first ones at once, and memory does not grow with the store.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from numbat.clock import OutOfTime
from numbat.corpus.query_notation import (
    Alternative,
    Characterizes,
    Condition,
    Denied,
    Finds,
    Flagged,
    KnownNames,
    Knows,
    Measures,
    QueryVariable,
    Relates,
    Says,
    read_query,
)
from numbat.errors import DataError
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import UNIT, subsumes
from numbat.grammar.relations import TABLE as RELATION_TABLE
from numbat.grammar.relations import Relation
from numbat.parsing.result import Parse
from numbat.records import cached_property, frozen

if TYPE_CHECKING:
    from numbat.corpus.reading import SentenceRow, StoredRun, StoreReader

FIRST_WINDOW: Final = 1_000
LARGEST_WINDOW: Final = 100_000
"""Number of sentences in the first window of a search, and in the largest."""
ESTIMATE: Final = 20_000
"""Maximum number of rows that are counted to find out which of two conditions is rarer."""
MANY_NUMBERS: Final = 200
"""Maximum length of a list of numbers written out in SQL; a longer one becomes JSON."""
MAX_JOINS: Final = 64
"""Maximum number of tables that SQLite joins."""
FEW_PROPERTIES: Final = 4
"""Maximum number of properties that are looked up one by one; for more, the violations of a sentence are scanned."""
MANY_FORMS: Final = 200
"""Maximum number of words of a pattern that are looked up one by one; for more, the words of a sentence are scanned."""

PLACES: Final = {
    "has": "{b}.up > 0 AND {b}.node - {b}.up = {a}.node",
    "within": "{a}.node > {b}.node AND {a}.node <= {b}.node + {b}.below",
    "begins": "{a}.node > {b}.node AND {a}.node <= {b}.node + {b}.below AND {a}.start = {b}.start",
    "ends": "{a}.node > {b}.node AND {a}.node <= {b}.node + {b}.below "
    "AND {a}.start + {a}.length = {b}.start + {b}.length",
    "before": "{a}.start + {a}.length <= {b}.start",
    "next to": "({a}.start + {a}.length = {b}.start OR {b}.start + {b}.length = {a}.start)",
    "spans": "{a}.node <> {b}.node AND {a}.start <= {b}.start AND {a}.start + {a}.length >= {b}.start + {b}.length",
}
"""The SQL condition for each relation between two constituents `a` and `b` of a sentence."""


@frozen
class Query:
    """A compiled query: its text, alternatives, SELECT statements, and the names of the constituents in a match.

    The columns of each statement are the number of the sentence and the node of each constituent in `names`, NULL for
    a constituent that the alternative does not mention. `categories` has the category of each of `names`.
    """

    text: str
    run: StoredRun
    alternatives: tuple[Alternative, ...]
    names: tuple[str, ...]
    categories: tuple[str, ...]
    selects: tuple[Select, ...] = field(compare=False)

    def sql(self) -> str:
        """Return the SQL statement for all matches, for users to copy."""
        return " UNION\n".join(select.sql() for select in self.selects) + "\nORDER BY 1"


@frozen
class Select:
    """The SELECT for one alternative: columns, tables and conditions; `over` is the column with the sentence number.

    `first` and `last` are the numbers of the first and last sentence of the run.
    """

    columns: tuple[str, ...]
    tables: tuple[str, ...]
    conditions: tuple[str, ...]
    over: str
    alias_of_sentence: str | None
    is_distinct: bool
    first: int
    last: int

    def sql(self, window: tuple[int, int] | None = None, columns: Sequence[str] | None = None) -> str:
        """Return the statement for the sentences of a window (first, last), by default for those of the whole run."""
        first, last = window or (self.first, self.last)
        chosen = ", ".join(self.columns if columns is None else columns)
        between = f"{self.over} BETWEEN {first} AND {last}"
        joined = " CROSS JOIN ".join(self.tables)
        where = "\n  AND ".join((between, *self.conditions))
        return f"SELECT {'DISTINCT ' if self.is_distinct else ''}{chosen}\nFROM {joined}\nWHERE {where}"


def compiled(store: StoreReader, text: str, run: StoredRun) -> Query:
    """Return a query compiled to SQL over a run of a store. Raises DataError for mistakes in the query."""
    alternatives = read_query(text, known_names(store, run))
    names: dict[str, str] = {}
    for alternative in alternatives:
        categories = {variable.name: variable.operand.category for variable in alternative.variables}
        names |= {name: categories.get(name, WILDCARD) for name in alternative.shown}
    compiler = _Compiler(store, run)
    selects = tuple(compiler.select(alternative, tuple(names)) for alternative in alternatives)
    return Query(text, run, alternatives, tuple(names), tuple(names.values()), selects)


def known_names(store: StoreReader, run: StoredRun) -> KnownNames:
    """Return the names that a query about a run of a store may use."""
    grammar = run.grammar_number
    features: dict[str, list[str]] = {}
    for name, value in store.rows("SELECT name, value FROM feature WHERE grammar = ?", (grammar,)):
        features.setdefault(name, []).append(value)
    properties = [(row[0], row[2], row[3], row[4]) for row in store.properties(run)]
    named = dict.fromkeys([*(row[0] for row in store.rows("SELECT name FROM category")), *(p[1] for p in properties)])
    return KnownNames(tuple(named), features, properties, _built_in(), store.metadata_keys)


def _built_in() -> dict[str, Relation]:
    return {row.default.name: row.default for row in RELATION_TABLE}


# Compiling


class _Compiler:
    """Compiles alternatives to statements over the tables of a store; names are looked up once."""

    def __init__(self, store: StoreReader, run: StoredRun) -> None:
        self.store, self.run = store, run
        self.first, self.last = run.first, run.last or store.last_of(run)
        self._aliases = 0

    @cached_property
    def _categories(self) -> dict[str, int]:
        return {name: number for number, name in self.store.rows("SELECT id, name FROM category")}

    @cached_property
    def _bundles(self) -> list[tuple[int, tuple[tuple[str, str], ...]]]:
        rows = self.store.rows("SELECT id, features FROM bundle")
        return [(number, tuple(json.loads(text).items())) for number, text in rows]

    def select(self, alternative: Alternative, names: Sequence[str]) -> Select:
        """Return the statement of an alternative, with a column for each of the names."""
        scope = _Scope(self, {})
        scope.add(alternative)
        tables, conditions, over = scope.joined()
        nodes = [scope.nodes[name] if name in alternative.shown else None for name in names]
        is_distinct = scope.may_repeat or len(alternative.shown) < len(alternative.variables)
        columns = (f"{over} AS sentence", *(f"{alias}.node" if alias else "NULL" for alias in nodes))
        return Select(columns, tables, conditions, over, scope.sentence, is_distinct, self.first, self.last)

    def alias(self, of: str) -> str:
        """Return a new alias of a table."""
        self._aliases += 1
        plain = re.sub(r"\W+", "", of).lower() or "c"
        return f"{plain if plain[0].isalpha() else 'c' + plain}_{self._aliases}"

    def estimate(self, table: str, where: str) -> int:
        """Return the number of rows that fulfil a condition, counted up to `ESTIMATE`."""
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {where} LIMIT {ESTIMATE})"
        ((number,),) = self.store.rows(sql)
        return int(number)

    def category(self, variable: QueryVariable, alias: str) -> str:
        """Return the SQL condition that the constituent `alias` has the category of a variable."""
        name = variable.operand.category
        if name == WILDCARD:
            return f"{alias}.category IN (SELECT id FROM category)"
        return f"{alias}.category = {self._categories.get(name, -1)}"

    def features(self, variable: QueryVariable, alias: str) -> str | None:
        """Return the SQL condition that the constituent `alias` has the features of a variable; None if it has none."""
        demand = variable.operand.features
        if not demand:
            return None
        return f"{alias}.features IN {numbers(number for number, bundle in self._bundles if subsumes(demand, bundle))}"

    def forms(self, pattern: str) -> list[int]:
        """Return the numbers of the words that match a pattern from beginning to end."""
        if re.fullmatch(r"[\w'’-]*", pattern):
            return [row[0] for row in self.store.rows("SELECT id FROM form WHERE text = ?", (pattern,))]
        matches = re.compile(pattern).fullmatch
        return [number for number, text in self.store.rows("SELECT id, text FROM form") if matches(text)]

    def characterizations(self, properties: Iterable[int]) -> str:
        """Return as a list in SQL the numbers of characterizations in which one of the properties is satisfied."""
        wanted = numbers(properties)
        places = [place for (place,) in self.store.rows(f"SELECT number FROM property WHERE id IN {wanted}")]
        either = "|".join(map(str, sorted(places)))
        satisfied = re.compile(rf"(?:^| )(?:{either})(?=[: ]|$)").search
        rows = self.store.rows(
            "SELECT id, instances FROM characterization WHERE grammar = ?", (self.run.grammar_number,)
        )
        return numbers(number for number, text in rows if either and satisfied(text))

    def constructions(self, properties: Iterable[int]) -> list[int]:
        """Return the numbers of the categories that have these properties."""
        wanted = numbers(properties)
        rows = self.store.rows(f"SELECT DISTINCT construction FROM property WHERE id IN {wanted}")
        return [self._categories[name] for (name,) in rows if name in self._categories]

    def metadata(self, knows: Knows) -> str:
        """Return the SQL of a condition on metadata, to be written after the column `metadata`."""
        key = "$." + json.dumps(knows.key, ensure_ascii=False)
        value = f"json_extract(pairs, {quoted(key)})"
        if knows.how == "~":
            values = self.store.rows(f"SELECT id, {value} FROM metadata")
            search = re.compile(knows.value).search
            return f"IN {numbers(number for number, text in values if text is not None and search(str(text)))}"
        how = "=" if knows.how == "=" else "IS NOT"
        return f"IN (SELECT id FROM metadata WHERE {value} {how} {quoted(knows.value)})"


class _Scope:
    """Joins and conditions of one SELECT; `outer` has the aliases of constituents in the statement that encloses it."""

    def __init__(self, compiler: _Compiler, outer: dict[str, str], sentence: str | None = None) -> None:
        self._compiler = compiler
        self._outer, self._outer_sentence = outer, sentence
        self.nodes: dict[str, str] = {}
        self.sentence: str | None = None
        self.may_repeat = False
        self._joins: list[_Join] = []
        self._conditions: list[str] = []
        self._of_sentence: list[str] = []
        self._late: list[Condition] = []

    def add(self, alternative: Alternative) -> None:
        """Add joins and conditions for an alternative."""
        compiler = self._compiler
        for variable in alternative.variables:
            alias = self.nodes[variable.name] = compiler.alias(variable.operand.category)
            tests = [compiler.category(variable, alias)]
            features = compiler.features(variable, alias)
            tests += [features] if features else []
            self._joins.append(_Join(alias, "constituent", tests))
        for condition in alternative.conditions:
            self._take(condition)

    def _take(self, condition: Condition) -> None:
        match condition:
            case Relates(left, relation, right):
                self._conditions.append(PLACES[relation].format(a=self._node(left), b=self._node(right)))
            case Characterizes():
                self._judge(condition)
            case Says():
                self._say(condition)
            case Measures():
                self._measure(condition)
            case Finds(column, pattern):
                name = {"text": "text", "place": "name"}[column]
                self._of_sentence.append(f"{self._row()}.{name} REGEXP {quoted(pattern)}")
            case Knows():
                self._of_sentence.append(f"{self._row()}.metadata {self._compiler.metadata(condition)}")
            case Flagged(flag):
                test = "full = 1" if flag == "full" else "stopped_by IS NOT NULL"
                self._of_sentence.append(f"{self._row()}.{test}")
            case Denied():
                self._late.append(condition)

    def _node(self, name: str) -> str:
        alias = self.nodes.get(name) or self._outer.get(name)
        assert alias is not None, "a name that is used is joined here or outside"
        return alias

    def _row(self) -> str:
        """Return the alias of the table of sentences, which is joined if it is not yet."""
        if self.sentence is None:
            self.sentence = self._compiler.alias("sentence")
        return self.sentence

    def _judge(self, judges: Characterizes) -> None:
        compiler = self._compiler
        if judges.satisfied:
            self._satisfy(judges)
            return
        alias = compiler.alias("violation")
        tests = [] if judges.properties is None else [f"{alias}.property IN {numbers(judges.properties)}"]
        if judges.properties is None:
            tests = [f"{alias}.property IN (SELECT id FROM property WHERE grammar = {compiler.run.grammar_number})"]
        join = _Join(alias, "violation", tests)
        join.other = [f"+{test}" for test in tests]  # the + keeps SQLite from its index: a sentence has few violations
        join.is_common = judges.properties is None or len(judges.properties) > FEW_PROPERTIES
        if judges.subject is not None:
            join.same_node = self._node(judges.subject)
        self._joins.append(join)
        self.may_repeat = True

    def _satisfy(self, judges: Characterizes) -> None:
        compiler = self._compiler
        properties = judges.properties
        if properties is None:
            properties = tuple(row[0] for row in compiler.store.properties(compiler.run))
        content = compiler.characterizations(properties)
        if judges.subject is not None:
            alias = self._node(judges.subject)
            self._conditions.append(f"{alias}.below > 0 AND {alias}.what IN {content}")
            return
        alias = compiler.alias("phrase")
        categories = numbers(compiler.constructions(properties))
        tests = [f"{alias}.category IN {categories}", f"{alias}.below > 0", f"{alias}.what IN {content}"]
        self._joins.append(_Join(alias, "constituent", tests))
        self.may_repeat = True

    def _say(self, says: Says) -> None:
        compiler = self._compiler
        within = None if says.subject is None else self._node(says.subject)
        if within is not None and len(says.patterns) == 1 and self._say_of_common(within, says.patterns[0]):
            return
        before: str | None = None
        for number, pattern in enumerate(says.patterns):
            alias, forms = compiler.alias("word"), compiler.forms(pattern)
            join = _Join(alias, "constituent", [f"{alias}.what IN {numbers(forms)}", f"{alias}.below = 0"])
            join.other = [
                f"{alias}.category IN (SELECT id FROM category)",
                f"+{alias}.what IN {numbers(forms)}",
                f"+{alias}.below = 0",
            ]
            join.is_common = len(forms) > MANY_FORMS
            self._joins.append(join)
            if within is not None:
                self._conditions.append(f"{alias}.node BETWEEN {within}.node AND {within}.node + {within}.below")
            if before is not None:
                self._conditions.append(f"{alias}.start = {before}.start + {before}.length")
            before = alias
            if says.names:
                self.nodes[says.names[number]] = alias
        self.may_repeat = True

    def _say_of_common(self, within: str, pattern: str) -> bool:
        """Unless words of the pattern are rarer than constituents, add a search in each `within`; True if added."""
        compiler = self._compiler
        forms = numbers(compiler.forms(pattern))
        constituents = next((join for join in self._joins if join.alias == within), None)
        if constituents is not None:
            words = compiler.estimate("constituent", f"what IN {forms} AND below = 0")
            if words < compiler.estimate(f"constituent AS {within}", " AND ".join(constituents.tests)):
                return False
        alias = compiler.alias("word")
        below = (
            f"SELECT 1 FROM constituent AS {alias} WHERE {alias}.category IN (SELECT id FROM category) "
            f"AND {alias}.sentence = {within}.sentence AND {alias}.node BETWEEN {within}.node AND {within}.node + "
            f"{within}.below AND +{alias}.below = 0 AND +{alias}.what IN {forms}"
        )
        self._conditions.append(f"CASE {within}.below WHEN 0 THEN {within}.what IN {forms} ELSE EXISTS ({below}) END")
        return True

    def _measure(self, measures: Measures) -> None:
        comparison = measures.comparison if measures.comparison != "≺" else "<"
        comparison = "<>" if comparison == "!=" else comparison
        if measures.subject is not None:
            self._conditions.append(f"{self._node(measures.subject)}.length {comparison} {measures.number!r}")
        elif measures.measure == "cost":
            self._of_sentence.append(f"{self._row()}.cost {comparison} {round(measures.number * UNIT)}")
        else:
            self._of_sentence.append(f"{self._row()}.length {comparison} {measures.number!r}")

    def joined(self) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        """Return the tables in the order of the search, the conditions, and the column of the sentence number."""
        order = self._ordered()
        tables, conditions, over = [], list[str](), self._outer_sentence
        for join in order:
            conditions += join.conditions(over)
            tables.append(f"{join.table} AS {join.alias}")
            over = over or join.sentence
        assert over is not None, "at least one table is searched"
        conditions += self._conditions
        around = {**self._outer, **self.nodes}
        for denied in self._late:
            assert isinstance(denied, Denied)
            for alternative in denied.alternatives:
                inner = _Scope(self._compiler, around, over)
                inner.add(alternative)
                conditions.append(inner.denied())
        return tuple(tables), tuple(conditions), over

    def denied(self) -> str:
        """Return the SQL condition that this SELECT has no rows."""
        tables, conditions, _ = self.joined()
        where = " AND ".join(conditions) or "1"
        if not tables:
            return f"NOT ({where})"
        return f"NOT EXISTS (SELECT 1 FROM {' CROSS JOIN '.join(tables)} WHERE {where})"

    def _ordered(self) -> list[_Join]:
        """Return the joins in order: the rarest first, each after one with which it has a condition in common."""
        joins = list(self._joins)
        if self.sentence is not None or (not joins and self._outer_sentence is None):
            joins.append(_Join(self._row(), "sentence", list(self._of_sentence)))
        if len(joins) > MAX_JOINS:
            many = f"the conditions of this query are about {len(joins):,} words, phrases and violations"
            raise DataError(f"{many}\n  at most {MAX_JOINS} are allowed: ask several queries")
        if self._outer_sentence is not None:
            return self._behind(joins, {*self._outer.values()})
        for join in joins:
            join.size = self._compiler.estimate(f"{join.table} AS {join.alias}", " AND ".join(join.tests or ["1"]))
        if not joins:
            return joins
        first = min(joins, key=lambda join: (join.size, join.table != "violation"))
        rest = [join for join in joins if join is not first]
        return [first, *self._behind(rest, {first.alias})]

    def _behind(self, joins: list[_Join], known: set[str]) -> list[_Join]:
        """Return joins in order: those with conditions on `known` constituents first, rare before frequent ones."""
        ordered = []
        left = list(joins)
        while left:
            best = min(left, key=lambda join: (not self._is_tied(join, known), join.table != "sentence", join.size))
            left.remove(best)
            known.add(best.alias)
            ordered.append(best)
        return ordered

    def _is_tied(self, join: _Join, known: set[str]) -> bool:
        if join.table == "sentence" or join.same_node in known:
            return True
        if any(other.same_node == join.alias for other in self._joins if other.alias in known):
            return True
        tests = [condition for condition in self._conditions if f"{join.alias}." in condition]
        return any(f"{name}." in test for test in tests for name in known)


class _Join:
    """A table to be joined, with conditions on this table alone; `other` has conditions for which no index is used."""

    def __init__(self, alias: str, table: str, tests: list[str]) -> None:
        self.alias, self.table, self.tests = alias, table, tests
        self.other: list[str] = []
        self.is_common = False
        self.same_node: str | None = None
        self.size = ESTIMATE

    @property
    def sentence(self) -> str:
        """SQL expression for the number of the sentence."""
        return f"{self.alias}.id" if self.table == "sentence" else f"{self.alias}.sentence"

    def conditions(self, over: str | None) -> list[str]:
        """Return the conditions on the table; `over` is the sentence's column in a table before it, if there is one."""
        conditions = list(self.other if over is not None and self.is_common else self.tests)
        if over is not None:
            conditions.append(f"{self.sentence} = {over}")
        if self.same_node is not None:
            conditions.append(f"{self.alias}.node = {self.same_node}.node")
        return conditions


def numbers(every: Iterable[int]) -> str:
    """Return numbers as a list in SQL, to be written after IN."""
    listed = list(every)
    if len(listed) <= MANY_NUMBERS:
        return f"({', '.join(map(str, listed))})"
    return f"(SELECT value FROM json_each('{json.dumps(listed, separators=(',', ':'))}'))"


def quoted(text: str) -> str:
    """Return a text as an SQL literal. Raises DataError if it has U+0000."""
    if "\0" in text:
        raise DataError("a text with the character U+0000 cannot be searched for\n  remove the character")
    return "'" + text.replace("'", "''") + "'"


# Matches


@frozen
class QueryMatch:
    """A match: the number of its sentence, and the node of each constituent in `names`.

    The node is None if the alternative that matched does not mention the constituent.
    """

    store: StoreReader = field(compare=False, repr=False)
    sentence: int
    nodes: tuple[int | None, ...]
    names: tuple[str, ...] = ()

    @property
    def row(self) -> SentenceRow:
        """The sentence, read from the store."""
        return self.store.sentence(self.sentence)

    @property
    def parse(self) -> Parse:
        """The parse of the sentence, from its tree in the store, evaluated again."""
        return self.store.parse(self.sentence)


class StatementClock:
    """Stops an SQLite statement after a number of seconds, and at once after an interrupt (Ctrl-C)."""

    def __init__(self, store: StoreReader, seconds: float | None) -> None:
        self._store = store
        self._until = None if seconds is None else monotonic() + seconds
        self.seconds = seconds

    @property
    def is_over(self) -> bool:
        """True if the time of the statement is up."""
        return self._until is not None and monotonic() > self._until

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the clock run in the block of a `with`. Raises DataError if the time is up."""
        self._store.connection.set_progress_handler(lambda: self.is_over, 20_000)
        try:
            with self._store.errors():
                yield
        except (DataError, KeyboardInterrupt, OutOfTime):
            if self.is_over:
                raise self.ended() from None
            raise
        finally:
            with suppress(sqlite3.ProgrammingError):  # the store was closed before all rows were read
                self._store.connection.set_progress_handler(None, 0)

    def rows(self, cursor: Callable[[], Iterable[tuple[Any, ...]]]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a statement that `cursor` executes."""
        with self.running():
            # Not `yield from`, which would close the cursor after the store.
            for row in cursor():  # noqa: UP028
                yield row

    def ended(self) -> DataError:
        """Return the error that the time is up."""
        return DataError(
            f"the query was stopped after {self.seconds:g} seconds\n  allow more with --max-seconds, or ask for less"
        )


def timed_rows(store: StoreReader, sql: str, seconds: float | None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of an SQL statement. Raises DataError if it takes more than `seconds`."""
    return StatementClock(store, seconds).rows(lambda: store.connection.execute(sql))


def own_statement(
    store: StoreReader, statement: str, seconds: float | None
) -> tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]:
    """Return the column names and rows of an SQL statement by the user, which cannot change the store.

    Raises DataError for mistakes in the statement, and if it takes more than `seconds`.
    """
    try:
        store.connection.execute(f"EXPLAIN {statement}")
    except (sqlite3.Error, sqlite3.Warning) as error:
        hint = "--sql \"select name, sql from sqlite_master where type = 'view'\" lists what can be read"
        raise DataError(f"this statement cannot be run: {error}\n  {hint}") from None
    clock = StatementClock(store, seconds)
    with clock.running():
        cursor = store.connection.execute(statement)
    if cursor.description is None:
        raise DataError("this statement is not a query, so it has no result\n  write one that begins with SELECT")
    return tuple(column[0] for column in cursor.description), clock.rows(lambda: cursor)


def matches(
    store: StoreReader,
    query: Query,
    limit: int | None = None,
    worst_first: bool = False,
    max_seconds: float | None = None,
) -> Iterator[QueryMatch]:
    """Yield matches of a query, at most `limit`, in the order of sentences or with the costliest sentences first."""
    rows = _worst_first(store, query, max_seconds) if worst_first else _in_order(store, query, max_seconds)
    for row in islice(rows, limit):
        yield QueryMatch(store, row[0], tuple(row[1:]), query.names)


def _in_order(store: StoreReader, query: Query, max_seconds: float | None) -> Iterator[tuple[Any, ...]]:
    first, last = query.run.first, max((select.last for select in query.selects), default=0)
    size = FIRST_WINDOW
    until = None if max_seconds is None else monotonic() + max_seconds
    while first <= last:
        window = first, min(last, first + size - 1)
        sql = " UNION ".join(select.sql(window) for select in query.selects)
        order = ", ".join(str(i + 1) for i in range(len(query.names) + 1))
        left = None if until is None else max(0.001, until - monotonic())
        yield from timed_rows(store, f"{sql} ORDER BY {order}", left)
        first += size
        size = min(2 * size, LARGEST_WINDOW)


def _worst_first(store: StoreReader, query: Query, max_seconds: float | None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of all matches, those of the costliest sentences first; SQLite sorts them."""
    order = ", ".join(f"m.c{i}" for i in range(1, len(query.names) + 1))
    sql = (
        f"SELECT {', '.join(f'm.c{i}' for i in range(len(query.names) + 1))} FROM {as_table(query)} AS m "
        f"JOIN sentence ON sentence.id = m.c0 ORDER BY sentence.cost DESC, m.c0{', ' + order if order else ''}"
    )
    yield from timed_rows(store, sql, max_seconds)


def as_table(query: Query, extra: Callable[[Select], Sequence[str]] | None = None) -> str:
    """Return the matches of a query as a subselect with columns c0 (the sentence), c1, ... and `extra` ones, if any."""
    selects = []
    for select in query.selects:
        columns = [*select.columns, *(extra(select) if extra else ())]
        named = [f"{column.removesuffix(' AS sentence')} AS c{i}" for i, column in enumerate(columns)]
        selects.append(select.sql(None, named))
    return f"({' UNION '.join(selects)})"
