"""The verb parse."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    GRAMMAR,
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
    grammar_of,
    input_option,
    option,
    options_of,
    typed,
    verb,
    with_options,
)
from numbat.cli.parsers import language_of, tell_of_edits
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    WHEN_COLORED,
    Finite,
    Input,
    Output,
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
from numbat.runs.settings import ExpansionSettings
from numbat.words.chunk_labels import SCHEMES

if TYPE_CHECKING:
    from numbat.grammar.model import Grammar
    from numbat.languages.folder import Language

NO_EXPANSIONS: Final = "none"
NOT_WELL_FORMED: Final = 1
"""The exit code of `--strict` where a sentence violates something or is in fragments, or costs too much."""


def _part_of_file(context: click.Context, option: click.Parameter, given: str | None) -> tuple[int, int] | None:
    """Return the numbers of `K/N`: part K of N."""
    if given is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", given)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise click.BadParameter(f'"{given}" is no part of a file: part 2 of 8 is 2/8', context, option)
    return number, of


@verb(
    "parse",
    'numbat parse "The cats sleeps."',
    "echo 'She sees him.' | numbat parse -f bracket",
    "numbat parse -g french -n 2 -i phrases.txt -o parses.jsonl -f jsonl",
    "numbat parse -g ewt --expansions ewt --from conllu -i trees.conllu --gold",
)
@SENTENCES
@input_option("A file with a sentence a line; -: standard input.")
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
@option(
    GRAMMAR,
    "--set",
    "override",
    multiple=True,
    advanced=True,
    metavar="CHANGE",
    help="Override a property for this run: 'NP: Det < N cost 5'; may be repeated.",
)
@option(
    GRAMMAR,
    "--without-property",
    multiple=True,
    advanced=True,
    metavar="PROPERTY",
    help="Leave a property out for this run: 'NP: Det < N'; may be repeated.",
)
@option(GRAMMAR, "--shallow", is_flag=True, help="Find chunks, flat phrases (grammar: chunks).")
@option(
    OUTPUT,
    "--scheme",
    type=click.Choice(list(SCHEMES)),
    metavar="NAME",
    advanced=True,
    help=f"With -f columns: {', '.join(SCHEMES)} (default: that of --tagger, else iob2).",
)
@option(
    GRAMMAR, "--fragment-cost", type=Finite(min=0), metavar="X", help="Cost of a fragment (default: the grammar's)."
)
@with_options(options_of(ExpansionSettings))
@option(GRAMMAR, "--structure", type=Input(), metavar="MODEL", help="Find dependencies of tagged words by this model.")
@with_options(PARSER_OPTIONS)
@with_options(options_of(ParserSettings, (*OF_PARSE, "check")))
@format_option(*FORMATS, default="tree")
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the parses (default: standard output).")
@option(OUTPUT, "-n", "n", default=1, type=click.IntRange(min=1), help="How many parses, best first.")
@option(
    OUTPUT,
    "--all-features",
    is_flag=True,
    advanced=True,
    help="Show all features, not only the grammar's tree_features.",
)
@option(
    OUTPUT,
    "--dependencies",
    is_flag=True,
    advanced=True,
    help="With -f svg or html: draw dependencies, in html below the tree.",
)
@option(
    OUTPUT,
    "--ud-map",
    type=Input(),
    metavar="FILE",
    advanced=True,
    help="The file that maps the grammar to UD (default: that of its name, or X and dep).",
)
@META_OPTION
@option(OUTPUT, "--positions", is_flag=True, advanced=True, help="Show the token positions of each constituent.")
@option(OUTPUT, "--compact", is_flag=True, advanced=True, help="With -f json or jsonl: numbers in the place of names.")
@SPREADSHEETS_OPTION
@option(
    OUTPUT,
    "--color",
    metavar="WHEN",
    type=click.Choice(WHEN_COLORED),
    default="auto",
    show_default=False,
    help="auto (in a terminal), always or never.",
)
@option(OUTPUT, "--trace", is_flag=True, help="Print each round and phase on standard error.")
@option(
    OUTPUT, "--trace-all", is_flag=True, advanced=True, help="The same with all combinations and all that is dropped."
)
@option(OUTPUT, "--stats", is_flag=True, help="Print a tally of the run on standard error.")
@STRICT_OPTION
@THRESHOLD_OPTION
@option(OUTPUT, "--gold", is_flag=True, help="With --from: score the parses against the trees.")
@option(OUTPUT, "--watch", is_flag=True, help="Parse again when a file of the grammar changes.")
@with_options(RUN_OPTIONS)
@option(MANY, "--resume", is_flag=True, help="With -o: go on where a run was stopped.")
@option(
    MANY,
    "--shard",
    callback=_part_of_file,
    metavar="K/N",
    advanced=True,
    help="With -i and -o: part K of N of the file; numbat join joins them.",
)
def parse(options: ParseSettings) -> None:
    """Parse SENTENCES, or the lines of a file or of standard input: each gets its best tree, with the properties that
    it satisfies and violates and what they cost.
    """
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
        say("numbat: type a sentence and Enter; Ctrl-D ends")
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
    """Return the same settings with the parts of a language.

    `--expansions none` leaves them out: the sentence is parsed by its properties alone.
    """
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
    from numbat.learning.verbs import parse_by_structure

    if "form" not in typed().given:
        options = replace(options, form="conllu")
    with progress:
        bad, good = parse_by_structure(options, lambda pieces: write_pieces(options.output, pieces), progress)
    end(bad, good)
