"""Verbs for parsed corpora: join, query, statistics, export."""

from __future__ import annotations

from typing import Final

import click

from numbat.cli.options import (
    COLOR_OPTION,
    GRAMMAR,
    META_OPTION,
    OUTPUT,
    SPREADSHEETS_OPTION,
    format_option,
    is_given,
    option,
    options_of,
    typed,
    verb,
    with_options,
    written,
)
from numbat.cli.parsers import grammar_of
from numbat.cli.printing import (
    NAMED,
    Input,
    Output,
    Progress,
    Whole,
    complain,
    end,
    is_colored,
    own_record,
    say,
    width,
    write_out_bytes,
    write_pieces,
)
from numbat.corpus.settings import QuerySettings
from numbat.errors import DataError, UnwritableError, UsageError, counted, first_of
from numbat.files import write_whole
from numbat.records import frozen

FORMS: Final = ("text", "tree", "csv", "json", "bracket", "conllu", "html")


def _keys(context: click.Context, param: click.Parameter, given: str | None) -> tuple[str, ...]:
    return tuple(key.strip() for key in given.split(",") if key.strip()) if given else ()


RUN_OPTION, SECONDS_OPTION = options_of(QuerySettings, ("run", "max_seconds"))


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
@with_options(options_of(QuerySettings, ("against", "against_run", "verify", "count")))
@option(
    OUTPUT,
    "--by",
    callback=_keys,
    metavar="KEYS",
    help="Count by metadata (genre), construction, word or property; separate several with commas.",
)
@with_options(options_of(QuerySettings, ("sample", "seed", "order", "n")))
@option(
    OUTPUT,
    "--sql",
    is_flag=False,
    flag_value="",
    metavar="[SELECT]",
    help="Print the SQL of the query; with SELECT run that statement, read-only.",
)
@with_options(options_of(QuerySettings, ("context",)))
@SECONDS_OPTION
@format_option(*FORMS)
@SPREADSHEETS_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="File (default: standard output).")
@COLOR_OPTION
def query(options: QuerySettings) -> None:
    """Find matches of QUERY in STORE, a file of numbat parse -f store, and print a line for each, with the words in
    conflict marked. A query combines, with and, or, not, conditions on constituents (NP, NP[number=pl], x: NP), their
    places (has, within, begins, ends, before, next to, spans), the properties that they violate or satisfy, words ~
    "regex", cost, length and meta.KEY.
    """
    from numbat.corpus.verbs import OF_TREES, Screen, answer

    screen = Screen(width(), is_colored(options.output, options.color))
    painted = screen.color and options.form in ("text", *OF_TREES)
    bad: list[DataError] = []

    def refuse(error: DataError) -> None:
        complain(error)
        bad.append(error)

    with Progress("sentences") as progress:
        pieces = answer(options, typed(), screen, own_record, refuse, progress)
        written = write_pieces(options.output, progress.before(pieces), painted)
    end(len(bad), written)


# statistics


@verb("statistics", "numbat statistics corpus.db", "numbat statistics corpus.db --by genre -f html -o properties.html")
@click.argument("store", type=Input())
@RUN_OPTION
@option(OUTPUT, "--by", callback=_keys, metavar="KEY", help="Compare parts of the corpus by a metadata key: genre.")
@option(OUTPUT, "--wrong", metavar="VALUE", help="The value of KEY of wrong sentences: show what a violation tells.")
@option(OUTPUT, "-n", "n", type=Whole(1), help="Show only the first N properties.")
@format_option("text", "csv", "json", "html")
@SPREADSHEETS_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="File (default: standard output).")
def statistics(
    store: str,
    run: int | None,
    by: tuple[str, ...],
    wrong: str | None,
    n: int | None,
    form: str,
    for_spreadsheets: bool,
    output: str | None,
) -> None:
    """Show how often the sentences of STORE evaluate, satisfy and violate each property, with intervals and costs.
    --by shows which properties distinguish the parts of the corpus, --wrong what a violation tells.
    """
    from numbat.corpus.statistics import statistics as statistics_of
    from numbat.corpus.store import Store
    from numbat.corpus.verbs import notes_on_run, statistics_pieces
    from numbat.reports.run_notes import check_evaluated

    if len(by) > 1:
        raise UsageError("--by accepts only one key here\n  use numbat query --by for several")
    if for_spreadsheets and form != "csv":
        raise UsageError("--for-spreadsheets only applies to tables\n  add -f csv")
    if wrong is not None and not by:
        raise UsageError("--wrong needs the key of the value\n  add --by KEY, as in --by judgement --wrong bad")
    with Store(store) as opened, Progress("sentences") as progress:
        corpus_statistics = statistics_of(opened, by[0] if by else None, run, progress.advance, wrong)
        if run is None:
            for note in notes_on_run(opened, corpus_statistics.run):
                say(f"numbat: {note}")
        progress.clear()
        write_pieces(output, statistics_pieces(opened, corpus_statistics, form, n, own_record, for_spreadsheets))
    check_evaluated(len(corpus_statistics.never_evaluated) < len(corpus_statistics.properties))


# export


@verb("export", "numbat export corpus.db tables", "numbat export -q corpus.db more_tables")
@click.argument("store", type=Input())
@click.argument("folder", metavar="DIR", type=Output(folder=True))
def export(store: str, folder: str) -> None:
    """Write STORE as Parquet into the folder DIR, with the columns of its views, for DuckDB, dask and Spark. Needs the
    extra parquet.
    """
    from numbat.corpus.parquet import export as export_to
    from numbat.corpus.store import Store

    with Store(store) as opened, Progress("sentences") as progress:
        written = export_to(opened, folder, progress.advance)
    say(f"numbat: {folder}: {counted(written, 'row')}")


# join


@frozen
class JoinOptions:
    """Options of `numbat join`."""

    paths: tuple[str, ...]
    output: str | None
    grammar: str | None
    meta: tuple[str, ...]


STORE_ENDS: Final = (".db", ".sqlite")
"""Endings of file names by which `-o` means a store."""


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
    help="For a store made from JSON lines: the grammar of the parses (default: the packaged one that they name).",
)
@option(OUTPUT, "-o", "--output", type=Output(), help="File, or store (.db) (default: standard output).")
@META_OPTION
def join(options: JoinOptions) -> None:
    """Join OUTPUTS of numbat parse --shard, all parts of a file, into the output of one run over the whole file. The
    parts may come in any order, with their manifests FILE.shard: part.* names all. Stores, and JSON lines of any runs,
    are joined into a store.
    """
    from numbat.corpus.schema import is_store

    into = options.output is not None and (options.output.endswith(STORE_ENDS) or is_store(options.output))
    if into or any(map(is_store, options.paths)):
        _join_stores(options)
        return
    for name in ("grammar", "meta"):
        if is_given(name):
            raise UsageError(f"{written(name)} only applies to a store\n  name one: -o corpus.db")
    from numbat.parses.parts import parts_of

    parts = parts_of(options.paths)
    if options.output is None:
        write_out_bytes(parts.pieces())
    else:
        try:
            write_whole(options.output, parts.pieces())
        except OSError as error:
            raise UnwritableError(options.output, error.strerror) from None
    parsed = f"{counted(len(parts.found), 'part')}, {counted(parts.parsed, 'sentence')}"
    failed = f", {parts.failed:,} could not be read" if parts.failed else ""
    lost = f", {len(parts.lost):,} lost: {first_of(parts.lost, NAMED)}"
    say(f"numbat: {parsed}{failed}{lost if parts.lost else ''}")
    end(parts.failed + len(parts.lost), parts.parsed)


def _join_stores(options: JoinOptions) -> None:
    from numbat.corpus.joining import join as join_into
    from numbat.runs.metadata import known_of_all

    if options.output is None:
        raise UsageError("stores are joined into a new store, which has no name yet\n  name it with -o FILE")
    grammar = None if options.grammar is None else grammar_of(options.grammar)
    known = known_of_all(options.meta, None)
    with Progress("sentences") as progress:
        joined = join_into(options.paths, options.output, grammar, known, progress.advance)
    for note in joined.notes:
        say(f"numbat: {note}")
    for problem in joined.problems:
        complain(problem)
    failed = f", {joined.failed:,} could not be read or were lost" if joined.failed else ""
    say(f"numbat: {counted(joined.runs, 'run')}, {counted(joined.sentences, 'sentence')}{failed}")
    end(joined.failed + len(joined.problems), joined.sentences)
