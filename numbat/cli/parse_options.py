"""The options of `numbat parse` as a record, and which of them go together."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import TAGGED_FILES, TREEBANKS
from numbat.cli.printing import GRAMMAR_GIVEN, record_of
from numbat.cli.verbs import is_given, written
from numbat.commands.settings import ExpansionSettings, RunSettings, SentenceSettings
from numbat.errors import UsageError
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.report.parse_formats import FORMATS, those
from numbat.settings import option_name, settings_of

if TYPE_CHECKING:
    from numbat.parsing.sentence_parser import SentenceParser
    from numbat.runs.record import RunRecord


def part_of_file(context: click.Context, option: click.Parameter, given: str | None) -> tuple[int, int] | None:
    """The numbers of `K/N`: part K of N."""
    if given is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", given)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise click.BadParameter(f'"{given}" is no part of a file: part 2 of 8 is 2/8', context, option)
    return number, of


OF_PHASES: Final = ("max_assignments", "max_rounds", "max_constituents")
OF_EXACT: Final = ("max_items", "max_states")
"""What bounds one engine only."""
OF_EXPANSIONS: Final = ("items", "seconds")
"""Settings of a parser that have a say in the search with expansions."""
OF_STRUCTURE: Final = {"sentences", "path", "form", "tagged", "source", "max_length", "structure", "output", "quiet"}
"""What goes with --structure."""
CHUNKS: Final = "chunks"
CHUNKS_TAGGER: Final = "penn"
"""The grammar of `--shallow` where none is named, and the tagger that gives it the categories of words."""


@frozen
class ParseOptions:
    """What `numbat parse` is asked for."""

    sentences: tuple[str, ...]
    grammar: str
    path: str | None
    form: str
    for_spreadsheets: bool
    n: int
    shallow: bool
    fragment_cost: float | None
    parser: ParserSettings
    by_expansions: ExpansionSettings
    reading: SentenceSettings
    hash_lines: bool
    all_features: bool
    positions: bool
    compact: bool
    trace: bool
    trace_all: bool
    stats: bool
    watch: bool
    run: RunSettings
    output: str | None
    color: str
    resume: bool
    shard: tuple[int, int] | None
    structure: str | None


def check_options(asked: ParseOptions) -> None:
    """Raises UsageError for options that would do nothing, and where there is no sentence."""
    check_sentences(asked.sentences, asked.path)
    check_reading(asked.path, asked.reading)
    if asked.reading.gold and not asked.reading.source:
        raise UsageError("--gold needs a treebank\n  add --from auto")
    _check_format(asked)
    _check_output(asked)
    _check_structure(asked)
    _check_shallow(asked)
    _check_expansions(asked)


def check_sentences(sentences: tuple[str, ...], path: str | None) -> None:
    """Raises UsageError where there is no sentence, and where there are two sources of them."""
    if not sentences and path is None:
        verb = click.get_current_context().command.name
        raise UsageError(
            f'no sentence\n  type one in quotes, as in numbat {verb} "The cat sleeps", give a file with -i, or - '
            "to read the standard input"
        )
    if sentences and path is not None:
        raise UsageError("sentences and a file\n  give one of them")
    if "-" in sentences and len(sentences) > 1:
        raise UsageError('"-" and sentences\n  "-" alone reads the standard input: leave one of them out')


def record_for(asked: ParseOptions, parser: SentenceParser) -> RunRecord | None:
    """The record of the run, where a file or a format has one. Raises UsageError and the errors of files."""
    has_record = asked.output is not None or FORMATS[asked.form].has_record
    return record_of({GRAMMAR_GIVEN: parser.grammar}) if has_record else None


def with_chunks(asked: ParseOptions) -> ParseOptions:
    """The same with the grammar of chunks where `--shallow` stands without one, and its tagger for words alone."""
    if not asked.shallow or is_given("grammar"):
        return asked
    reading = asked.reading
    if not (reading.tagged or reading.tagger) and (reading.words or not reading.source):
        reading = replace(reading, tagger=CHUNKS_TAGGER, words=False)
    return replace(asked, grammar=CHUNKS, reading=reading)


def _check_format(asked: ParseOptions) -> None:
    form = FORMATS[asked.form]
    for name in sorted(frozenset().union(*(each.options for each in FORMATS.values()))):
        if getattr(asked, name) and name not in form.options:
            able = those(lambda each: name in each.options)  # noqa: B023
            raise UsageError(f"{written(name)} and -f {asked.form}\n  it goes with -f {able}: leave one of them out")
    is_one = asked.n == 1 and len(asked.sentences) == 1 and asked.sentences != ("-",)
    if form.is_one_drawing and not is_one:
        raise UsageError(f"-f {asked.form} draws one parse of one sentence\n  -f html puts several on a page")


def _check_output(asked: ParseOptions) -> None:
    if asked.shard is not None and asked.path in (None, "-"):
        raise UsageError("--shard is a part of a file\n  name the file with -i FILE")
    if asked.shard is not None and asked.output is None:
        raise UsageError("--shard writes an output that numbat join takes\n  name it with -o FILE")
    if asked.resume and asked.output is None:
        raise UsageError("--resume goes on with a file\n  name it with -o FILE")
    if asked.resume and "-" in (asked.path, *asked.sentences):
        raise UsageError("--resume and the standard input, which is gone\n  give the sentences as a file with -i")
    if asked.trace and asked.compact:
        raise UsageError("--compact and --trace\n  a trace has one form, with names: leave one of them out")
    if asked.trace and (asked.run.jobs or 1) > 1:
        raise UsageError("--trace and --jobs\n  a trace follows one sentence after the other: leave one of them out")
    if asked.trace and asked.run.cluster is not None:
        raise UsageError("--trace and --cluster\n  a trace follows one sentence after the other: leave one of them out")


def check_reading(path: str | None, reading: SentenceSettings) -> None:
    """Raises UsageError for options of where words and their tags come from that do not go together."""
    if reading.source and path is None:
        raise UsageError("--from reads a file\n  name it with -i FILE")
    if reading.source and reading.tagged:
        raise UsageError("--tagged and --from\n  a treebank is tagged by itself: leave --tagged out")
    if reading.max_length is not None and not reading.source:
        raise UsageError("--max-length needs a treebank\n  add --from auto")
    if reading.words and not reading.source:
        raise UsageError("--words needs a treebank\n  add --from auto")
    if reading.words and reading.tagger:
        raise UsageError("--words and --tagger\n  the lexicon or the tagger gives categories: leave one of them out")
    if reading.tag_map is not None and not reading.source and not reading.tagger:
        raise UsageError("--tag-map needs tags\n  add --from auto or --tagger MODEL")
    if is_given("tags") and not reading.tagger:
        raise UsageError("--tagger-output needs a tagger\n  add --tagger MODEL")
    if reading.tagger and reading.tagged:
        raise UsageError("--tagged and --tagger\n  words carry tags already: leave one of them out")


def _check_shallow(asked: ParseOptions) -> None:
    if asked.fragment_cost is not None and not asked.shallow and is_given("granularity"):
        raise UsageError(
            "--fragment-cost and --granularity\n"
            "  the one says what a fragment costs, the other scales it: leave one of them out"
        )
    if not asked.shallow:
        return
    if asked.by_expansions.expansions:
        raise UsageError("--shallow and --expansions\n  expansions make whole trees, not chunks: leave one of them out")
    idle = {"H2": "chunks have no holes", "H5": "chunks and the words between them are the whole sentence"}
    for heuristic in filter(idle.get, asked.parser.without):
        raise UsageError(f"--shallow and --without {heuristic}\n  {idle[heuristic]}: leave one of them out")
    if asked.parser.profile == "discontinuous":
        raise UsageError(f"--shallow and --profile discontinuous\n  {idle['H2']}: leave one of them out")


def _check_expansions(asked: ParseOptions) -> None:
    if not asked.by_expansions.expansions:
        for name in filter(is_given, map(option_name, settings_of(ExpansionSettings))):
            raise UsageError(f"{written(name)} needs expansions\n  add --expansions FILE")
        return
    others = [option_name(each) for each in settings_of(ParserSettings) if each.name not in OF_EXPANSIONS]
    idle = ["trace"] * asked.trace + list(filter(is_given, [*others, "fragment_cost"]))
    if idle:
        raise UsageError(
            f"{written(idle[0])} and --expansions\n"
            "  expansions take the likeliest tree, without the other engines: leave one of them out"
        )


def _check_structure(asked: ParseOptions) -> None:
    source = asked.reading.source
    if asked.structure is None:
        if FORMATS[asked.form].pieces is None:
            raise UsageError(f"-f {asked.form} writes dependencies\n  add --structure MODEL")
        if source in TAGGED_FILES and source not in TREEBANKS:
            raise UsageError(
                f"--from {source} has no trees\n  add --structure MODEL, or give tagged words with --tagged"
            )
        return
    for param in click.get_current_context().command.params:
        if param.name not in OF_STRUCTURE and is_given(param.name or ""):
            raise UsageError(
                f"{written(param.name or '')} and --structure\n"
                "  a dependency model finds the likeliest tree, without grammar and engines: leave one of them out"
            )
    if not source and not asked.reading.tagged:
        raise UsageError("--structure needs tags\n  add --from auto, or --tagged for words written word/TAG")
    if is_given("form") and FORMATS[asked.form].dependencies is None:
        able = those(lambda each: each.dependencies is not None)
        raise UsageError(f"--structure and -f {asked.form}\n  it goes with -f {able}")


def check_limits(engine: str, trace: bool, election: str) -> None:
    """Raises UsageError for limits of an engine or election that does not run."""
    if engine == "exact" and not trace:
        for name in filter(is_given, OF_PHASES):
            raise UsageError(
                f"{written(name)} bounds the phases engine\n"
                "  take --engine phases, or bound the exact one with --max-items or --max-seconds"
            )
    if engine == "phases":
        for name in filter(is_given, OF_EXACT):
            raise UsageError(
                f"{written(name)} bounds the exact engine\n"
                "  bound the phases engine with --max-assignments or --max-seconds"
            )
    if is_given("beam") and election != "beam":
        raise UsageError("--beam is the width of the election beam\n  add --election beam")
