"""The options of `numbat parse` as a record, and which of them go together."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from numbat.cli.options import TAGGED_FILES, TREEBANKS, Finite
from numbat.cli.printing import GRAMMAR, Input, record_of
from numbat.cli.suite_options import check_spreadsheets
from numbat.commands.settings import ParserSettings, RunSettings, SentenceSettings
from numbat.errors import UsageError
from numbat.records import frozen

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


EXPANSION_OPTIONS: Final = (
    click.option("--expansions", type=Input(), help="Take the likeliest tree by the counts of numbat expansions."),
    click.option(
        "--prune",
        type=Finite(min=0),
        default=6.0,
        show_default=True,
        help="With --expansions: leave out what is less likely by this natural logarithm; 0: nothing.",
    ),
    click.option(
        "--properties",
        type=Finite(min=0),
        default=0.0,
        show_default=True,
        help="With --expansions: how much the properties count in the choice among the ten likeliest trees.",
    ),
    click.option(
        "--weights",
        "tree_weights",
        type=Input(),
        help="With --expansions: choose trees by what numbat learn weights learned. Default: packaged weights of "
        "packaged expansions, without --properties; none: the likeliest tree.",
    ),
)
"""What `--expansions` is asked with."""
OF_PHASES: Final = ("max_assignments", "max_rounds", "max_constituents")
OF_EXACT: Final = ("max_items", "max_states")
"""What bounds one engine only."""
OF_OTHER_ENGINES: Final = (
    "profile", "election", "elect_by", "valuation", "without", "termination", "engine", "beam", "check", "granularity",
    "fragment_cost", *OF_PHASES, "max_states",
)  # fmt: skip
"""What has no say in the search with expansions."""
OF_STRUCTURE: Final = {"sentences", "path", "form", "tagged", "source", "max_length", "structure", "output", "quiet"}
"""What goes with --structure."""
STRUCTURE_FORMS: Final = ("conllu", "bracket")
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
    resume: bool
    shard: tuple[int, int] | None
    structure: str | None


def check_options(asked: ParseOptions) -> None:
    """Raises UsageError for options that would do nothing, and where there is no sentence."""
    check_sentences(asked.sentences, asked.path)
    check_reading(asked.path, asked.reading)
    if asked.reading.gold and not asked.reading.source:
        raise UsageError("--gold needs a treebank\n  add --from auto")
    if asked.positions and asked.form != "tree":
        raise UsageError(f"--positions and -f {asked.form}\n  only -f tree leaves positions out: leave one of them out")
    if asked.all_features and asked.form not in ("tree", "svg", "html", "latex"):
        form = asked.form
        raise UsageError(f"--all-features and -f {form}\n  only -f tree, svg, html and latex leave features out")
    if asked.compact and asked.form not in ("json", "jsonl"):
        raise UsageError(f"--compact and -f {asked.form}\n  compact is a form of JSON: take -f json or -f jsonl")
    check_spreadsheets(asked.for_spreadsheets, asked.form == "tsv", "add -f tsv, or leave it out")
    if asked.form == "svg" and (asked.n > 1 or len(asked.sentences) != 1 or asked.sentences == ("-",)):
        raise UsageError("-f svg draws one parse of one sentence\n  -f html puts several on a page")
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
    from numbat.report.parse_formats import FORMATS

    has_record = asked.output is not None or FORMATS[asked.form].has_record
    return record_of({GRAMMAR: parser.grammar}) if has_record else None


def with_chunks(asked: ParseOptions) -> ParseOptions:
    """The same with the grammar of chunks where `--shallow` stands without one, and its tagger for words alone."""
    if not asked.shallow or is_given("grammar"):
        return asked
    reading = asked.reading
    if not (reading.tagged or reading.tagger) and (reading.words or not reading.source):
        reading = replace(reading, tagger=CHUNKS_TAGGER, words=False)
    return replace(asked, grammar=CHUNKS, reading=reading)


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
        raise UsageError("--tags needs a tagger\n  add --tagger MODEL")
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
    if asked.parser.expansions:
        raise UsageError("--shallow and --expansions\n  expansions make whole trees, not chunks: leave one of them out")
    idle = {"H2": "chunks have no holes", "H5": "chunks and the words between them are the whole sentence"}
    for heuristic in filter(idle.get, asked.parser.without):
        raise UsageError(f"--shallow and --without {heuristic}\n  {idle[heuristic]}: leave one of them out")
    if asked.parser.profile == "discontinuous":
        raise UsageError(f"--shallow and --profile discontinuous\n  {idle['H2']}: leave one of them out")


def _check_expansions(asked: ParseOptions) -> None:
    if not asked.parser.expansions:
        for name in filter(is_given, ("prune", "properties", "tree_weights")):
            raise UsageError(f"{_written(name)} needs expansions\n  add --expansions FILE")
        return
    idle = ["trace"] * asked.trace + list(filter(is_given, OF_OTHER_ENGINES))
    if idle:
        raise UsageError(
            f"{_written(idle[0])} and --expansions\n"
            "  expansions take the likeliest tree, without the other engines: leave one of them out"
        )


def _check_structure(asked: ParseOptions) -> None:
    source = asked.reading.source
    if asked.structure is None:
        if asked.form == "conllu":
            raise UsageError("-f conllu writes dependencies\n  add --structure MODEL")
        if source in TAGGED_FILES and source not in TREEBANKS:
            raise UsageError(
                f"--from {source} has no trees\n  add --structure MODEL, or give tagged words with --tagged"
            )
        return
    for param in click.get_current_context().command.params:
        if param.name not in OF_STRUCTURE and is_given(param.name or ""):
            raise UsageError(
                f"{max(param.opts, key=len)} and --structure\n"
                "  a dependency model finds the likeliest tree, without grammar and engines: leave one of them out"
            )
    if not source and not asked.reading.tagged:
        raise UsageError("--structure needs tags\n  add --from auto, or --tagged for words written word/TAG")
    if is_given("form") and asked.form not in STRUCTURE_FORMS:
        raise UsageError(f"--structure and -f {asked.form}\n  take -f conllu or -f bracket")


def check_limits(engine: str, trace: bool, election: str) -> None:
    """Raises UsageError for limits of an engine or election that does not run."""
    if engine == "exact" and not trace:
        for name in filter(is_given, OF_PHASES):
            raise UsageError(
                f"{_written(name)} bounds the phases engine\n"
                "  take --engine phases, or bound the exact one with --max-items or --max-seconds"
            )
    if engine == "phases":
        for name in filter(is_given, OF_EXACT):
            raise UsageError(
                f"{_written(name)} bounds the exact engine\n"
                "  bound the phases engine with --max-assignments or --max-seconds"
            )
    if is_given("beam") and election != "beam":
        raise UsageError("--beam is the width of the election beam\n  add --election beam")


def _written(name: str) -> str:
    """An option as it is typed."""
    return "--weights" if name == "tree_weights" else f"--{name.replace('_', '-')}"


def is_given(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) not in (ParameterSource.DEFAULT, None)
