"""The verb parse."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    COLOR_OPTION,
    GRAMMAR_OPTION,
    HASH_LINES_OPTION,
    INPUT,
    MANY,
    META_OPTION,
    OUTPUT,
    PARSER_OPTIONS,
    RUN_OPTIONS,
    SENTENCES,
    SPREADSHEETS_OPTION,
    STRICT_OPTION,
    TAGGED_READING_OPTIONS,
    THRESHOLD_OPTION,
    format_option,
    input_option,
    option,
    options_of,
    typed,
    verb,
    with_options,
)
from numbat.cli.parsers import grammar_of, language_of, tell_of_edits
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Progress,
    end,
    end_run,
    is_colored,
    is_terminal,
    record_of,
    say,
    tell,
    width,
    write_pieces,
)
from numbat.parses.formats import FORMATS
from numbat.parses.settings import ParseSettings, check_options
from numbat.parsing.policies import OF_PARSE, ParserSettings
from numbat.runs.settings import ExpansionSettings, SentenceSettings
from numbat.words.chunk_labels import SCHEMES

if TYPE_CHECKING:
    from numbat.grammar.model import Grammar
    from numbat.languages.folder import Language

NO_EXPANSIONS: Final = "none"
NOT_WELL_FORMED: Final = 1
"""Exit code of `--strict` if a sentence violates something, is in fragments or costs too much."""


def _part_of_file(context: click.Context, option: click.Parameter, given: str | None) -> tuple[int, int] | None:
    """Return K and N of `K/N`: part K of N."""
    if given is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", given)
    number, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= of:
        raise click.BadParameter(f'"{given}" does not name a part of a file: part 2 of 8 is 2/8', context, option)
    return number, of


@verb(
    "parse",
    'numbat parse "The cats sleeps."',
    "echo 'She sees him.' | numbat parse -f bracket",
    "numbat parse -g french -n 2 -i phrases.txt -o parses.jsonl -f jsonl",
    "numbat parse -g ewt --expansions ewt --from conllu -i trees.conllu --gold",
)
@SENTENCES
@input_option("File, one sentence per line; -: standard input.")
@with_options(TAGGED_READING_OPTIONS)
@option(
    INPUT,
    "--split",
    is_flag=False,
    flag_value="",
    metavar="[LANG]",
    help="Split running text into sentences.",
)
@HASH_LINES_OPTION
@GRAMMAR_OPTION
@with_options(options_of(ParseSettings, ("override", "without_property", "shallow")))
@option(
    OUTPUT,
    "--scheme",
    type=click.Choice(list(SCHEMES)),
    metavar="NAME",
    advanced=True,
    help=f"With -f columns: {', '.join(SCHEMES)} (default: that of --tagger, else iob2).",
)
@with_options(options_of(ParseSettings, ("fragment_cost",)))
@with_options(options_of(ExpansionSettings))
@with_options(options_of(ParseSettings, ("structure",)))
@with_options(PARSER_OPTIONS)
@with_options(options_of(ParserSettings, (*OF_PARSE, "check")))
@format_option(*FORMATS, default="tree")
@with_options(options_of(ParseSettings, ("output", "n", "within", "all_features", "dependencies", "ud_map")))
@META_OPTION
@with_options(options_of(ParseSettings, ("positions", "compact")))
@SPREADSHEETS_OPTION
@COLOR_OPTION
@with_options(options_of(ParseSettings, ("suggest", "trace", "trace_all", "stats")))
@STRICT_OPTION
@THRESHOLD_OPTION
@with_options(options_of(SentenceSettings, ("gold",)))
@with_options(options_of(ParseSettings, ("watch",)))
@with_options(RUN_OPTIONS)
@with_options(options_of(ParseSettings, ("resume",)))
@option(
    MANY,
    "--shard",
    callback=_part_of_file,
    metavar="K/N",
    advanced=True,
    help="With -i and -o: parse part K of N of the file, for numbat join.",
)
def parse(options: ParseSettings) -> None:
    """Parse SENTENCES, or the lines of a file: print the best tree of each."""
    from numbat.parses.verbs import ParseRun, parser_for, style_for, ud_map_for

    language = language_of(options.grammar)
    options = _with_language(replace(options, trace=options.trace or options.trace_all), language)
    check_options(options, typed())
    progress = Progress(quiet=options.output is None and is_terminal(sys.stdout))
    if options.structure is not None:
        _parse_by_structure(options, progress)
        return
    options = options.with_chunks("grammar" in typed().given)
    if options.watch:
        from numbat.cli import watching

        watching.watch(options.grammar, sys.argv[1:], say)
    parser = parser_for(options, _grammar(options), typed())
    if options.file == "-" and not options.reading.is_treebank and is_terminal(sys.stdin):
        say("numbat: type a sentence and press Enter; Ctrl-D ends")
    record = record_of({GRAMMAR_GIVEN: parser.grammar}) if options.has_record else None
    style = style_for(options, is_colored(options.output, options.color), width(), record)
    style = style._replace(ud=ud_map_for(options, parser.grammar))
    if language is not None:
        from numbat.languages.folder import in_language

        style = in_language(style, options, language, parser.grammar)
    made = ParseRun(options, parser, style, record, progress)
    run = made.over(of_file=not progress.quiet, trace=tell)
    holds = made.conclude(run.is_interrupted)
    if options.must_hold and not run.is_interrupted and not holds:
        sys.exit(NOT_WELL_FORMED)
    end_run(run, made.tally.failed + len(made.tally.lost), len(made.tally.seconds))


def _with_language(options: ParseSettings, language: Language | None) -> ParseSettings:
    """Return the settings with the parts of a language; `--expansions none` parses by its properties alone."""
    if options.by_expansions.expansions == NO_EXPANSIONS:
        return replace(options, by_expansions=replace(options.by_expansions, expansions=None))
    if options.shallow or options.structure is not None or language is None:
        return options
    from numbat.languages.folder import parsing_by

    return parsing_by(options, language)


def _grammar(options: ParseSettings) -> Grammar:
    grammar = grammar_of(options.grammar)
    if options.override or options.without_property:
        from numbat.authoring.verbs import changed_grammar

        grammar = changed_grammar(options.grammar, options.override, options.without_property)
    if options.by_expansions.expansions:
        tell_of_edits(options.grammar, grammar)
    return grammar


def _parse_by_structure(options: ParseSettings, progress: Progress) -> None:
    from numbat.parses.verbs import parse_by_structure

    if "form" not in typed().given:
        options = replace(options, form="conllu")
    with progress:
        bad, good = parse_by_structure(options, lambda pieces: write_pieces(options.output, pieces), progress)
    end(bad, good)
