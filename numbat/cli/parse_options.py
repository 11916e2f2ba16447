"""The options of the verb parse as a record, and which of them go together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import TAGGED_FILES, TREEBANKS, is_given, written
from numbat.errors import UsageError, either
from numbat.parses.formats import FORMATS
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.settings import ExpansionSettings, RunSettings, SentenceSettings
from numbat.settings import option_name, settings_of

if TYPE_CHECKING:
    from numbat.grammar.profiles import Profile
    from numbat.parsing.parser import Parser

STORE: Final = "store"
"""The format that is a run in a store."""
OF_PHASES: Final = ("max_assignments", "max_rounds", "max_constituents")
OF_EXACT: Final = ("max_items", "max_states")
"""What bounds one engine only."""
OF_EXPANSIONS: Final = ("items", "seconds")
"""Settings of a parser that have a say in the search with expansions."""
OF_STRUCTURE: Final = {"sentences", "path", "form", "tagged", "source", "max_length", "structure", "output"}
"""What goes with --structure."""


@frozen
class ParseOptions:
    """Options of `numbat parse`."""

    sentences: tuple[str, ...]
    grammar: str
    path: str | None
    form: str
    for_spreadsheets: bool
    n: int
    override: tuple[str, ...]
    without_property: tuple[str, ...]
    shallow: bool
    scheme: str | None
    meta: tuple[str, ...]
    fragment_cost: float | None
    parser: ParserSettings
    by_expansions: ExpansionSettings
    reading: SentenceSettings
    hash_lines: bool
    all_features: bool
    dependencies: bool
    ud_map: str | None
    positions: bool
    compact: bool
    trace: bool
    trace_all: bool
    stats: bool
    must_hold: bool
    threshold: float | None
    watch: bool
    run: RunSettings
    output: str | None
    color: str
    resume: bool
    shard: tuple[int, int] | None
    structure: str | None


def check_options(options: ParseOptions) -> None:
    """Raises UsageError for options that would do nothing, and where there is no sentence."""
    check_sentences(options.sentences, options.path)
    check_reading(options.path, options.reading)
    if options.reading.gold and not options.reading.is_treebank:
        raise UsageError("--gold needs a treebank\n  add --from auto")
    if options.reading.gold and options.reading.source == "cg3":
        raise UsageError("--gold and --from cg3\n  a CG-3 stream has no trees: leave --gold out")
    if is_given("separator") and not options.reading.tagged:
        raise UsageError("--separator needs tagged words\n  add --tagged")
    check_threshold(options.threshold, options.must_hold)
    if options.must_hold and options.structure is not None:
        raise UsageError("--strict is for parses by properties, and --structure has none\n  leave one of them out")
    _check_format(options)
    _check_output(options)
    _check_structure(options)
    _check_shallow(options)
    _check_expansions(options)


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


def _check_format(options: ParseOptions) -> None:
    form = FORMATS[options.form]
    for name in sorted(frozenset().union(*(each.options for each in FORMATS.values()))):
        if getattr(options, name) and name not in form.options:
            able = either(form for form, each in FORMATS.items() if name in each.options)
            raise UsageError(f"{written(name)} and -f {options.form}\n  it goes with -f {able}: leave one of them out")
    if options.ud_map and not (options.form == "conllu" or options.dependencies or options.reading.gold):
        raise UsageError("--ud-map is about dependencies\n  add -f conllu, --dependencies or --gold")
    is_one = options.n == 1 and len(options.sentences) == 1 and options.sentences != ("-",)
    if form.is_one_drawing and not is_one:
        raise UsageError(f"-f {options.form} draws one parse of one sentence\n  -f html puts several on a page")


def _check_output(options: ParseOptions) -> None:
    if options.form == STORE and options.output is None:
        raise UsageError("-f store is a file\n  name it with -o FILE")
    if options.form == STORE and options.n > 1:
        raise UsageError("-f store keeps the best parse of each sentence\n  leave -n out")
    if options.form == STORE and options.trace:
        raise UsageError("-f store keeps no trace\n  leave --trace out, or take -f json")
    if options.shard is not None and options.path in (None, "-"):
        raise UsageError("--shard is a part of a file\n  name the file with -i FILE")
    if options.shard is not None and options.output is None:
        raise UsageError("--shard writes an output that numbat join takes\n  name it with -o FILE")
    if options.resume and options.output is None:
        raise UsageError("--resume goes on with a file\n  name it with -o FILE")
    if options.resume and "-" in (options.path, *options.sentences):
        raise UsageError("--resume and the standard input, which is gone\n  give the sentences as a file with -i")
    if options.trace and options.compact:
        raise UsageError("--compact and --trace\n  a trace has one form, with names: leave one of them out")
    if options.trace and (options.run.jobs or 1) > 1:
        raise UsageError("--trace and --jobs\n  a trace follows one sentence after the other: leave one of them out")
    if options.trace and options.run.cluster is not None:
        raise UsageError("--trace and --cluster\n  a trace follows one sentence after the other: leave one of them out")


def check_reading(path: str | None, reading: SentenceSettings) -> None:
    """Raises UsageError for options of where words and their tags come from that do not go together."""
    if reading.source and path is None:
        raise UsageError("--from reads a file\n  name it with -i FILE")
    if reading.is_treebank and reading.tagged:
        raise UsageError("--tagged and --from\n  a treebank is tagged by itself: leave --tagged out")
    if reading.split is not None and (reading.source or reading.tagged):
        other = "--from" if reading.source else "--tagged"
        raise UsageError(
            f"--split and {other}\n  running text is split, and no text that is divided: leave one of them out"
        )
    if reading.max_length is not None and not reading.is_treebank:
        raise UsageError("--max-length needs a treebank\n  add --from auto")
    if reading.words and not reading.is_treebank:
        raise UsageError("--words needs a treebank\n  add --from auto")
    if reading.words and reading.tagger:
        raise UsageError("--words and --tagger\n  the lexicon or the tagger gives categories: leave one of them out")
    if reading.tag_map is not None and not reading.source and not reading.tagger:
        raise UsageError("--tag-map needs tags\n  add --from auto or --tagger MODEL")
    if is_given("tags") and not reading.tagger:
        raise UsageError("--tagger-output needs a tagger\n  add --tagger MODEL")
    if reading.tagger and reading.tagged:
        raise UsageError("--tagged and --tagger\n  words carry tags already: leave one of them out")


def _check_shallow(options: ParseOptions) -> None:
    if options.fragment_cost is not None and not options.shallow and is_given("granularity"):
        cure = "the one says what a fragment costs, the other scales it: leave one of them out"
        raise UsageError(f"--fragment-cost and --granularity\n  {cure}")
    if not options.shallow:
        if options.form == "columns":
            raise UsageError("-f columns writes labels of chunks\n  add --shallow, which finds them")
        return
    if options.by_expansions.expansions:
        raise UsageError("--shallow and --expansions\n  expansions make whole trees, not chunks: leave one of them out")


def check_chunks(options: ParseOptions, profile: Profile) -> None:
    reasons = {"H2": "chunks have no holes", "H5": "chunks and the words between them are the whole sentence"}
    for heuristic, why in reasons.items():
        if heuristic not in profile.heuristics:
            named = f"--without {heuristic}" if heuristic in options.parser.without else f"--profile {profile.name}"
            raise UsageError(f"--shallow and {named}\n  {why}: leave one of them out")


def _check_expansions(options: ParseOptions) -> None:
    if not options.by_expansions.expansions:
        of_search = {option_name(each) for each in settings_of(ExpansionSettings)} - {"expansions"}
        for name in filter(is_given, sorted(of_search)):
            raise UsageError(f"{written(name)} needs expansions\n  add --expansions FILE")
        return
    others = [option_name(each) for each in settings_of(ParserSettings) if each.name not in OF_EXPANSIONS]
    idle = ["trace"] * options.trace + list(filter(is_given, [*others, "fragment_cost"]))
    if idle:
        raise UsageError(
            f"{written(idle[0])} and --expansions\n"
            "  expansions take the likeliest tree, without the other engines: leave one of them out"
        )


def _check_structure(options: ParseOptions) -> None:
    source = options.reading.source
    if options.structure is None:
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
    if not source and not options.reading.tagged:
        raise UsageError("--structure needs tags\n  add --from auto, or --tagged for words written word/TAG")
    if is_given("form") and FORMATS[options.form].dependencies is None:
        able = either(form for form, each in FORMATS.items() if each.dependencies is not None)
        raise UsageError(f"--structure and -f {options.form}\n  it goes with -f {able}")


def check_limits(parser: Parser, trace: bool) -> None:
    """Raises UsageError for limits of an engine or election that does not run."""
    if parser.engine == "exact" and not trace:
        for name in filter(is_given, OF_PHASES):
            raise UsageError(
                f"{written(name)} bounds the phases engine\n"
                "  take --engine phases, or bound the exact one with --max-items or --max-seconds"
            )
    if parser.engine == "phases" and not parser.asks_best_cost:
        for name in filter(is_given, OF_EXACT):
            raise UsageError(
                f"{written(name)} bounds the exact engine\n"
                "  bound the phases engine with --max-assignments or --max-seconds"
            )
    if is_given("beam") and parser.profile.election != "beam":
        raise UsageError("--beam is the width of the election beam\n  add --election beam")


def check_threshold(threshold: float | None, must_hold: bool) -> None:
    """Raises UsageError for a threshold of nothing."""
    if threshold is not None and not must_hold:
        raise UsageError("--threshold is for --strict\n  add --strict, or leave it out")


def part_of_file(context: click.Context, option: click.Parameter, given: str | None) -> tuple[int, int] | None:
    """Return the numbers of `K/N`: part K of N."""
    if given is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", given)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise click.BadParameter(f'"{given}" is no part of a file: part 2 of 8 is 2/8', context, option)
    return number, of
