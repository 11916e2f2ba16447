"""The commands `query` and `statistics`, which print answers from a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from numbat.corpus.schema import has_checksum
from numbat.corpus.settings import QuerySettings
from numbat.corpus.store import Store
from numbat.errors import DataError, UsageError
from numbat.records import frozen
from numbat.reports.answers import Console
from numbat.settings import Typed

if TYPE_CHECKING:
    from numbat.corpus.answers import ConcordanceLine
    from numbat.corpus.query_sql import Query, QueryMatch
    from numbat.corpus.reading import StoredRun
    from numbat.corpus.statistics import CorpusStatistics
    from numbat.runs.record import RunRecord

OF_TREES: Final = ("tree", "bracket", "conllu")
"""Formats that print the trees of the matches."""
OF_COUNTS: Final = ("text", "csv", "json")
SQL_BEGINS: Final = ("select", "with", "values", "explain")
"""First words of SQL statements that read; no query begins with them."""
WRITING: Final = frozenset(
    ("insert", "update", "delete", "replace", "create", "drop", "alter", "attach", "pragma", "vacuum")
)
"""First words of SQL statements that change a store."""


RecordOf = Callable[[], "RunRecord"]
"""Function that makes the record of this run of Numbat, for answers that include it."""


@frozen
class Screen:
    """The width of lines in columns, and whether trees are in colour."""

    width: int
    color: bool


def answer(
    options: QuerySettings, typed: Typed, screen: Screen, record: RecordOf, refuse: Callable[[DataError], None],
    console: Console,
) -> Iterator[str]:  # fmt: skip
    """Yield the text of a store's answer piece by piece; `refuse` receives an error for a tree that cannot be written.

    Raises UsageError for settings that do not go together.
    """
    if options.verify:
        yield _verified(options, typed)
        return
    text, statement = _texts(options, typed)
    with Store(options.store) as store:
        if options.against is not None or options.against_run is not None:
            yield from _lines(_compared(store, text, options, console))
            return
        if statement is not None:
            yield from _lines(_own_sql(store, statement, options))
            return
        assert text is not None
        compiled = store.compiled(text, options.run)
        for note in _notes(store, compiled, options):
            console.say(f"numbat: {note}")
        if options.sql is not None:
            yield compiled.sql() + ";\n"
        elif options.count or options.by:
            yield from _lines(_counts(store, compiled, options, record))
        elif options.form in OF_TREES:
            yield from _trees(store, compiled, options, screen, refuse)
        else:
            empty = True
            for line in _lines(_matches(store, compiled, options, screen)):
                empty = False
                yield line
            if empty:
                console.say("numbat: nothing in the store matches")


def _verified(options: QuerySettings, typed: Typed) -> str:
    """Return a line on a store whose content is what was written. Raises DataError if it is not, or cannot be known."""
    if given := [
        typed.written[name]
        for name in typed.written
        if name in typed.given and name not in ("store", "verify", "output")
    ]:
        raise UsageError(f"--verify reads the whole store, and asks nothing else\n  leave out: {', '.join(given)}")
    if not has_checksum(options.store):
        raise DataError(
            f"{options.store}: this store has no checksum: an earlier version of Numbat wrote it, or a run has not "
            "ended\n  nothing is known to be wrong; a store gets its checksum at the end of a run"
        )
    return f"{options.store}: the content is what was written\n"


def _lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, each with a line end."""
    return (line if line.endswith("\n") else f"{line}\n" for line in lines)


def _texts(options: QuerySettings, typed: Typed) -> tuple[str | None, str | None]:
    """Return the query and the SQL statement; at least one is None. Raises UsageError for options that do not fit."""
    text, sql = options.query, options.sql
    is_statement = bool(sql) and (sql or "").lstrip("( \n\t").lower().startswith(SQL_BEGINS)
    first = (sql or " ").split()[0:1]
    if sql and not is_statement and text is None and not set(map(str.lower, first)) & WRITING:
        text, sql = sql, ""
    if text is not None and is_statement:
        raise UsageError("a query and --sql with a statement exclude each other\n  leave one of them out")
    if sql and not is_statement:
        raise UsageError(f'--sql "{sql}" is not a statement that reads\n  it begins with SELECT or WITH')
    against = options.against is not None or options.against_run is not None
    if against and (is_statement or options.form != "text" or options.by or options.sample or sql is not None):
        raise UsageError("a comparison with another run prints text only\n  leave --sql, --by, --sample and -f out")
    if text is None and not is_statement and not against:
        raise UsageError("no query\n  write one in quotes, as in numbat query corpus.db 'NP violates linearity'")
    counts = options.count or bool(options.by)
    if counts and options.form not in OF_COUNTS:
        raise UsageError(f"counts cannot be printed with -f {options.form}\n  take -f text, csv or json")
    if counts and (options.sample or options.n or options.order != "corpus"):
        raise UsageError("--count and --by count all matches\n  leave --sample, -n and --order out")
    if is_statement and options.form not in ("text", "csv"):
        raise UsageError(f"rows from --sql cannot be printed with -f {options.form}\n  take -f text or csv")
    if "seed" in typed.given and options.sample is None:
        raise UsageError("--seed needs a sample\n  add --sample N")
    if options.sample is not None and (options.n or options.order != "corpus"):
        raise UsageError("--sample draws from all matches\n  leave -n and --order out")
    if options.for_spreadsheets and options.form != "csv":
        raise UsageError("--for-spreadsheets needs a table\n  add -f csv")
    return text, sql if is_statement else None


def _notes(store: Store, compiled: Query, options: QuerySettings) -> Iterator[str]:
    """Yield warnings about the run and the query."""
    from numbat.corpus.query_notation import unnamed_twice

    if options.run is None:
        yield from notes_on_run(store, compiled.run)
    for operand in unnamed_twice(compiled.alternatives):
        yield f"{operand} occurs twice and may match two constituents\n  if you mean one, name it: x: {operand}"


def notes_on_run(store: Store, run: StoredRun) -> Iterator[str]:
    """Yield a note that says which of several runs is read, and one if this run has not ended."""
    runs = store.runs()
    if len(runs) > 1:
        which = f"run {run.number}, by the grammar {run.grammar}"
        yield f"{store.path} has {len(runs)} runs: this is {which}; use --run for another"
    if not run.is_whole:
        yield f"run {run.number} has not ended: it has {run.records:,} records so far"


def _compared(store: Store, text: str | None, options: QuerySettings, console: Console) -> Iterator[str]:
    """Yield lines on how the run differs from another one: in everything or, with a query `text`, in its matches."""
    from numbat.corpus.comparing import compare, compare_matches
    from numbat.corpus.report import comparison_lines, match_comparison_lines

    with Store(options.against or options.store) as other:
        if text is None:
            comparison = compare(store, other, (options.run, options.against_run), console.advance)
            yield from comparison_lines(comparison, store, options.n)
            return
        queries = store.compiled(text, options.run), other.compiled(text, options.against_run)
        if options.against is None and queries[0].run.number == queries[1].run.number:
            raise UsageError("the run is compared with itself\n  name another one: --run, --against-run")
        compared = compare_matches(store, queries[0], other, queries[1], options.max_seconds)
        yield from match_comparison_lines(compared, (store, other), queries, options.n, options.context)


def _own_sql(store: Store, statement: str, options: QuerySettings) -> Iterator[str]:
    from numbat.corpus.query_sql import own_statement
    from numbat.corpus.report import as_csv, sql_lines

    header, rows = own_statement(store, statement, options.max_seconds)
    if options.form == "csv":
        cells = ([("" if cell is None else str(cell)) for cell in row] for row in rows)
        return as_csv(_behind(header, cells), options.for_spreadsheets)
    return sql_lines(header, rows)


def _behind(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    yield header
    yield from rows


def _counts(store: Store, compiled: Query, options: QuerySettings, record: RecordOf) -> Iterator[str]:
    from numbat.corpus.answers import counted
    from numbat.corpus.report import as_csv, count_rows, counts_report
    from numbat.reports.answers import Answer

    counts = counted(store, compiled, options.by, options.max_seconds)
    if options.form == "json":
        return iter([Answer(counts_report(counts), record()).json(None)])
    if options.form == "csv":
        return as_csv(count_rows(counts), options.for_spreadsheets)
    return counts_report(counts).lines()


def _found(store: Store, compiled: Query, options: QuerySettings) -> Iterable[QueryMatch]:
    from numbat.corpus.answers import sample
    from numbat.corpus.query_sql import matches

    if options.sample is not None:
        return sample(store, compiled, options.sample, options.seed, options.max_seconds)
    return matches(store, compiled, options.n, options.order == "worst", options.max_seconds)


def _trees(
    store: Store, compiled: Query, options: QuerySettings, screen: Screen, refuse: Callable[[DataError], None]
) -> Iterator[str]:
    from numbat.corpus import report

    forms: dict[str, Callable[[QueryMatch], str]] = {
        "tree": lambda match: report.as_tree(match, screen.width, screen.color),
        "bracket": report.bracketed,
        "conllu": report.in_conllu,
    }

    def written(match: QueryMatch) -> str:
        try:
            return forms[options.form](match)
        except DataError as error:
            refuse(error)
            return ""

    return report.trees_of(_found(store, compiled, options), written)


def _matches(store: Store, compiled: Query, options: QuerySettings, screen: Screen) -> Iterator[str]:
    from numbat.corpus import report
    from numbat.corpus.answers import as_value, line_of, texts_of

    matches, properties = _found(store, compiled, options), texts_of(store, compiled.run)
    lines: Iterator[ConcordanceLine] = (line_of(store, compiled, match, properties) for match in matches)
    if options.form == "json":
        return (report.json_line(as_value(line)) for line in lines)
    if options.form == "csv":
        return report.as_csv(report.match_rows(lines, store.metadata_keys()), options.for_spreadsheets)
    if options.form == "html":
        return iter([report.concordance_page(compiled.text, options.store, lines, store.metadata_keys())])
    return (report.concordance_line(line, options.context, screen.color) for line in lines)


def statistics_pieces(
    store: Store, statistics: CorpusStatistics, form: str, n: int | None, record: RecordOf, for_spreadsheets: bool
) -> Iterator[str]:
    """Yield the text of a store's statistics in the format `form`; the format `text` lists the first `n` properties."""
    from numbat.corpus import report
    from numbat.reports.answers import Answer

    def example(number: int) -> tuple[str, str]:
        stored = store.sentence(number).stored
        return stored.name, stored.text

    if form == "csv":
        return _lines(report.as_csv(report.statistics_rows(statistics), for_spreadsheets))
    if form == "json":
        return iter([Answer(report.statistics_report(statistics), record()).json(None) + "\n"])
    if form == "html":
        return iter([report.statistics_page(f"Properties in {store.path}", statistics, example)])
    return _lines(report.statistics_report(statistics, n).lines())
