"""Verbs on whole corpora that are parsed: join, query, statistics, export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    META_OPTION,
    OUTPUT,
    SPREADSHEETS_OPTION,
    format_option,
    grammar_of,
    is_given,
    option,
    takes,
    verb,
    written,
)
from numbat.cli.printing import (
    NAMED,
    Finite,
    Input,
    Output,
    Progress,
    complain,
    end,
    is_colored,
    own_record,
    say,
    width,
    write,
    write_out,
    write_out_bytes,
)
from numbat.errors import DataError, UnwritableError, UsageError, counted, first_of
from numbat.files import write_whole
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.corpus.answers import Line
    from numbat.corpus.query_sql import Match, Query
    from numbat.corpus.reading import StoredRun
    from numbat.corpus.store import Store

FORMS: Final = ("text", "tree", "csv", "json", "bracket", "conllu", "html")
OF_COUNTS: Final = ("text", "csv", "json")
SQL_BEGINS: Final = ("select", "with", "values", "explain")
"""How a statement begins that reads, so that it is none of the query language."""
WRITING: Final = frozenset(
    ("insert", "update", "delete", "replace", "create", "drop", "alter", "attach", "pragma", "vacuum")
)
"""How one begins that does something else."""


def _keys(context: click.Context, param: click.Parameter, given: str | None) -> tuple[str, ...]:
    return tuple(key.strip() for key in given.split(",") if key.strip()) if given else ()


RUN_OPTION = option(
    INPUT, "--run", type=click.IntRange(min=1), help="The number of a run (default: the last whole one)."
)
SECONDS_OPTION = option(
    OUTPUT, "--max-seconds", type=Finite(min=0, min_open=True), metavar="X", help="End the query after so many seconds."
)


@frozen
class QueryOptions:
    """Options of `numbat query`."""

    store: str
    query: str | None
    run: int | None
    against: str | None
    against_run: int | None
    count: bool
    by: tuple[str, ...]
    sample: int | None
    seed: int
    order: str
    n: int | None
    sql: str | None
    context: int
    max_seconds: float | None
    form: str
    for_spreadsheets: bool
    output: str | None
    color: str


@verb(
    "query",
    "numbat query corpus.db 'NP violates Det ~> N'",
    "numbat query corpus.db 'NP before VP and meta.genre = \"email\"' --count",
    "numbat query corpus.db 'violates linearity' --by genre,property",
    "numbat query corpus.db --sql 'select place, cost from sentences'",
)
@click.argument("store", type=Input())
@click.argument("query", required=False)
@RUN_OPTION
@option(INPUT, "--against", type=Input(), metavar="STORE", help="Compare with another store, or with --against-run.")
@option(INPUT, "--against-run", type=click.IntRange(min=1), metavar="N", help="Compare with this run.")
@option(OUTPUT, "--count", is_flag=True, help="Print how often, in place of the matches.")
@option(
    OUTPUT,
    "--by",
    callback=_keys,
    metavar="KEYS",
    help="Count by metadata (genre) or construction, word, property; several with commas.",
)
@option(OUTPUT, "--sample", type=click.IntRange(min=1), help="Draw so many matches.")
@option(OUTPUT, "--seed", default=0, type=click.IntRange(min=0), help="Random seed of the sample.")
@option(
    OUTPUT,
    "--order",
    type=click.Choice(["corpus", "worst"]),
    default="corpus",
    metavar="ORDER",
    show_default=False,
    help="corpus (default), or worst: the costliest sentences first.",
)
@option(OUTPUT, "-n", "n", type=click.IntRange(min=1), help="The first so many matches.")
@option(
    OUTPUT,
    "--sql",
    is_flag=False,
    flag_value="",
    metavar="[SELECT]",
    help="Print the statement that the query becomes; with SELECT run that one, which can only read.",
)
@option(OUTPUT, "--context", default=40, type=click.IntRange(min=0), help="Columns before and behind the match.")
@SECONDS_OPTION
@format_option(*FORMS)
@SPREADSHEETS_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@option(
    OUTPUT,
    "--color",
    metavar="WHEN",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    show_default=False,
    help="auto (in a terminal), always or never.",
)
@takes(QueryOptions)
def query(options: QueryOptions) -> None:
    """Find what QUERY describes in STORE, a file of numbat parse -f store: a line for each match, with the words in
    conflict marked. A query speaks of constituents (NP, NP[number=pl], x: NP), of their places (has, within, begins,
    ends, before, next to, spans), of properties that they violate or satisfy, of words ~ "regex", cost, length,
    meta.KEY, and joins these by and, or, not.
    """
    from numbat.corpus.store import Store

    text, statement = _texts(options)
    with Store(options.store) as store, _Target(options.output) as target:
        if options.against is not None or options.against_run is not None:
            target.lines(_compared(store, text, options))
            return
        if statement is not None:
            target.lines(_own_sql(store, statement, options))
            return
        assert text is not None
        compiled = store.compiled(text, options.run)
        for note in _notes(store, compiled, options):
            say(f"numbat: {note}")
        if options.sql is not None:
            target.write(compiled.sql() + ";\n")
        elif options.count or options.by:
            target.lines(_counts(store, compiled, options))
        else:
            _answer(store, compiled, options, target)


class _Target:
    """Where an answer goes: standard output as it comes, or a file that is written whole."""

    def __init__(self, path: str | None) -> None:
        self._path, self._pieces = path, list[str]()
        self.is_empty = True

    def __enter__(self) -> _Target:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if self._path is not None and kind is None:
            write(self._path, "".join(self._pieces))

    def write(self, text: str, painted: bool = False) -> None:
        """Write a piece."""
        self.is_empty = False
        if self._path is None:
            write_out(text, end="", painted=painted)
        else:
            self._pieces.append(text)

    def lines(self, lines: Iterable[str], painted: bool = False) -> None:
        """Write lines."""
        for line in lines:
            self.write(line if line.endswith("\n") else f"{line}\n", painted)


def _texts(options: QueryOptions) -> tuple[str | None, str | None]:
    """Return the query and the statement that are given, one of them. Raises UsageError."""
    text, sql = options.query, options.sql
    is_statement = bool(sql) and (sql or "").lstrip("( \n\t").lower().startswith(SQL_BEGINS)
    first = (sql or " ").split()[0:1]
    if sql and not is_statement and text is None and not set(map(str.lower, first)) & WRITING:
        text, sql = sql, ""
    if text is not None and is_statement:
        raise UsageError("a query and --sql with a statement\n  give one of them")
    if sql and not is_statement:
        raise UsageError(f'--sql "{sql}" is no statement that reads\n  it begins with SELECT or WITH')
    against = options.against is not None or options.against_run is not None
    if against and (is_statement or options.form != "text" or options.by or options.sample or sql is not None):
        raise UsageError("--against compares, and prints text\n  leave --sql, --by, --sample and -f out")
    if text is None and not is_statement and not against:
        raise UsageError("no query\n  write one in quotes, as in numbat query corpus.db 'NP violates linearity'")
    counts = options.count or bool(options.by)
    if counts and options.form not in OF_COUNTS:
        raise UsageError(f"counts and -f {options.form}\n  counts go with -f text, csv or json")
    if counts and (options.sample or options.n or options.order != "corpus"):
        raise UsageError("counts are of all matches\n  leave --sample, -n and --order out")
    if is_statement and options.form not in ("text", "csv"):
        raise UsageError(f"--sql and -f {options.form}\n  rows go with -f text or csv")
    if is_given("seed") and options.sample is None:
        raise UsageError("--seed needs a sample\n  add --sample N")
    if options.sample is not None and (options.n or options.order != "corpus"):
        raise UsageError("--sample draws from all matches\n  leave -n and --order out")
    if options.for_spreadsheets and options.form != "csv":
        raise UsageError("--for-spreadsheets is about tables\n  add -f csv")
    return text, sql if is_statement else None


def _notes(store: Store, compiled: Query, options: QueryOptions) -> Iterator[str]:
    """Return what to beware of."""
    from numbat.corpus.query_notation import unnamed_twice

    if options.run is None:
        yield from notes_on_run(store, compiled.run)
    for operand in unnamed_twice(compiled.alternatives):
        yield f"{operand} stands twice and may be two constituents\n  name it where one is meant: x: {operand}"


def notes_on_run(store: Store, run: StoredRun) -> Iterator[str]:
    """Return which run is meant, where nobody said it and there are several, and that it has not ended."""
    runs = store.runs()
    if len(runs) > 1:
        which = f"run {run.number}, by the grammar {run.grammar}"
        yield f"{store.path} has {len(runs)} runs: this is {which}; --run names another"
    if not run.is_whole:
        yield f"run {run.number} has not ended: {run.records:,} records are there"


def _compared(store: Store, text: str | None, options: QueryOptions) -> Iterator[str]:
    """Return how the run differs from another one, in all or in the matches of a query."""
    from numbat.corpus.comparing import compare, compare_matches
    from numbat.corpus.report import comparison_lines, match_comparison_lines
    from numbat.corpus.store import Store

    with Store(options.against or options.store) as other:
        if text is None:
            with Progress("sentences") as progress:
                found = compare(store, other, (options.run, options.against_run), progress.advance)
            yield from comparison_lines(found, store, options.n)
            return
        queries = store.compiled(text, options.run), other.compiled(text, options.against_run)
        if options.against is None and queries[0].run.number == queries[1].run.number:
            raise UsageError("the run is compared with itself\n  name another one: --run, --against-run")
        compared = compare_matches(store, queries[0], other, queries[1], options.max_seconds)
        yield from match_comparison_lines(compared, (store, other), queries, options.n, options.context)


def _own_sql(store: Store, statement: str, options: QueryOptions) -> Iterator[str]:
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


def _counts(store: Store, compiled: Query, options: QueryOptions) -> Iterator[str]:
    from numbat.corpus.answers import counted
    from numbat.corpus.report import as_csv, count_rows, counts_report
    from numbat.reports.answers import Answer

    counts = counted(store, compiled, options.by, options.max_seconds)
    if options.form == "json":
        return iter([Answer(counts_report(counts), own_record()).json(None)])
    if options.form == "csv":
        return as_csv(count_rows(counts), options.for_spreadsheets)
    return counts_report(counts).lines()


def _answer(store: Store, compiled: Query, options: QueryOptions, target: _Target) -> None:
    from numbat.corpus import report as report
    from numbat.corpus.answers import as_value, line_of, sample, texts_of
    from numbat.corpus.query_sql import matches

    found: Iterable[Match]
    if options.sample is not None:
        found = sample(store, compiled, options.sample, options.seed, options.max_seconds)
    else:
        found = matches(store, compiled, options.n, options.order == "worst", options.max_seconds)
    colored = is_colored(options.output, options.color)
    unreadable = 0
    if options.form in ("tree", "bracket", "conllu"):
        forms = {
            "tree": lambda match: report.as_tree(match, width(), colored),
            "bracket": report.bracketed,
            "conllu": report.in_conllu,
        }
        trees = report.trees_of(found, lambda match: _written(forms[options.form], match))
        for piece in trees:
            unreadable += not piece
            target.write(piece, painted=colored)
        end(unreadable, int(not target.is_empty))
        return
    properties = texts_of(store, compiled.run)
    lines: Iterator[Line] = (line_of(store, compiled, match, properties) for match in found)
    if options.form == "json":
        target.lines(report.json_line(as_value(line)) for line in lines)
    elif options.form == "csv":
        target.lines(report.as_csv(report.match_rows(lines, store.metadata_keys()), options.for_spreadsheets))
    elif options.form == "html":
        target.write(report.concordance_page(compiled.text, options.store, lines, store.metadata_keys()))
    else:
        target.lines((report.concordance_line(line, options.context, colored) for line in lines), painted=colored)
    if target.is_empty:
        say("numbat: nothing in the store matches")


def _written(form: Any, match: Match) -> str:
    try:
        return str(form(match))
    except DataError as error:
        complain(error)
        return ""


# statistics


@frozen
class StatisticsOptions:
    """Options of `numbat statistics`."""

    store: str
    run: int | None
    by: tuple[str, ...]
    n: int | None
    form: str
    for_spreadsheets: bool
    output: str | None


@verb("statistics", "numbat statistics corpus.db", "numbat statistics corpus.db --by genre -f html -o properties.html")
@click.argument("store", type=Input())
@RUN_OPTION
@option(OUTPUT, "--by", callback=_keys, metavar="KEY", help="Tell apart the parts of the corpus by a key, as genre.")
@option(OUTPUT, "-n", "n", type=click.IntRange(min=1), help="The first so many properties.")
@format_option("text", "csv", "json", "html")
@SPREADSHEETS_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@takes(StatisticsOptions)
def statistics(options: StatisticsOptions) -> None:
    """Show how often the sentences of STORE evaluate, satisfy and violate each property, with intervals, what that
    costs, and with --by which properties tell the parts of the corpus apart.
    """
    from numbat.corpus import report as report
    from numbat.corpus.statistics import statistics as statistics_of
    from numbat.corpus.store import Store
    from numbat.reports.answers import Answer

    if len(options.by) > 1:
        raise UsageError("--by takes one key here\n  numbat query --by counts by several")
    if options.for_spreadsheets and options.form != "csv":
        raise UsageError("--for-spreadsheets is about tables\n  add -f csv")
    with Store(options.store) as store, Progress("sentences") as progress:
        found = statistics_of(store, options.by[0] if options.by else None, options.run, progress.advance)
        if options.run is None:
            for note in notes_on_run(store, found.run):
                say(f"numbat: {note}")
        with _Target(options.output) as target:
            if options.form == "csv":
                target.lines(report.as_csv(report.statistics_rows(found), options.for_spreadsheets))
            elif options.form == "json":
                answer = Answer(report.statistics_report(found), own_record())
                target.write(answer.json(None) + "\n")
            elif options.form == "html":
                title = f"Properties in {options.store}"
                target.write(report.statistics_page(title, found, lambda number: _example(store, number)))
            else:
                target.lines(report.statistics_report(found, options.n).lines())


def _example(store: Store, number: int) -> tuple[str, str]:
    stored = store.sentence(number).stored
    return stored.name, stored.text


# export


@frozen
class ExportOptions:
    """Options of `numbat export`."""

    store: str
    folder: str


@verb("export", "numbat export corpus.db tables", "numbat export -q corpus.db more_tables")
@click.argument("store", type=Input())
@click.argument("folder", metavar="DIR", type=Output(folder=True))
@takes(ExportOptions)
def export(options: ExportOptions) -> None:
    """Write STORE as Parquet into the folder DIR, with the columns of its views, in files that DuckDB, dask and Spark
    read as they are. Needs the extra parquet.
    """
    from numbat.corpus.parquet import export as export_to
    from numbat.corpus.store import Store

    with Store(options.store) as store, Progress("sentences") as progress:
        written = export_to(store, options.folder, progress.advance)
    say(f"numbat: {options.folder}: {counted(written, 'row')}")


# join


@frozen
class JoinOptions:
    """Options of `numbat join`."""

    paths: tuple[str, ...]
    output: str | None
    grammar: str | None
    meta: tuple[str, ...]


STORE_ENDS: Final = (".db", ".sqlite")
"""How the name of an output ends that is a store."""


@verb(
    "join",
    "numbat join part.1.jsonl part.2.jsonl -o whole.jsonl",
    "numbat join part.*",
    "numbat join parses.jsonl -o corpus.db",
)
@click.argument("paths", metavar="OUTPUTS...", nargs=-1, required=True, type=Input())
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    metavar="GRAMMAR",
    help="For a store of JSON lines: their grammar (default: the packaged one of its name).",
)
@option(OUTPUT, "-o", "--output", type=Output(), help="A file, or a store (.db); default: standard output.")
@META_OPTION
@takes(JoinOptions)
def join(options: JoinOptions) -> None:
    """Join OUTPUTS of numbat parse --shard, all parts of a file, into the output of one run over the whole file. Their
    order does not matter, nor do the manifests FILE.shard among them: part.* names all parts. Stores, and JSON lines of
    any runs, are joined into a store.
    """
    from numbat.corpus.schema import is_store

    into = options.output is not None and (options.output.endswith(STORE_ENDS) or is_store(options.output))
    if into or any(map(is_store, options.paths)):
        _join_stores(options)
        return
    for name in ("grammar", "meta"):
        if is_given(name):
            raise UsageError(f"{written(name)} is about a store\n  name one: -o corpus.db")
    from numbat.parses.parts import parts_of

    parts = parts_of(options.paths)
    if options.output is None:
        write_out_bytes(parts.pieces())
    else:
        try:
            write_whole(options.output, parts.pieces())
        except OSError as error:
            raise UnwritableError(options.output, error.strerror) from None
    told = f"{counted(len(parts.found), 'part')}, {counted(parts.parsed, 'sentence')}"
    failed = f", {parts.failed:,} could not be read" if parts.failed else ""
    lost = f", {len(parts.lost):,} lost: {first_of(parts.lost, NAMED)}"
    say(f"numbat: {told}{failed}{lost if parts.lost else ''}")
    end(parts.failed + len(parts.lost), parts.parsed)


def _join_stores(options: JoinOptions) -> None:
    from numbat.corpus.joining import join as join_into
    from numbat.runs.metadata import known_of_all

    if options.output is None:
        raise UsageError("stores are joined into a store\n  name it with -o FILE")
    grammar = None if options.grammar is None else grammar_of(options.grammar)
    known = known_of_all(options.meta, None)
    with Progress("sentences") as progress:
        joined = join_into(options.paths, options.output, grammar, known, progress.advance)
    for note in joined.notes:
        say(f"numbat: {note}")
    for problem in joined.problems:
        complain(problem)
    failed = f", {joined.failed:,} could not be read or are lost" if joined.failed else ""
    say(f"numbat: {counted(joined.runs, 'run')}, {counted(joined.sentences, 'sentence')}{failed}")
    end(joined.failed + len(joined.problems), joined.sentences)
