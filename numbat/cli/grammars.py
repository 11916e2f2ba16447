"""Verbs on grammars: check, new, show, convert, bench, granularity, generate."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    GRAMMAR,
    GRAMMAR_OPTION,
    INPUT,
    OUTPUT,
    PARSER_OPTIONS,
    SEARCH,
    SPREADSHEETS_OPTION,
    format_option,
    is_given,
    option,
    seed_option,
    verb,
    with_options,
)
from numbat.cli.parsers import good_sentences_of, grammar_of, parser_named, properties_parser_of
from numbat.cli.printing import (
    Finite,
    Input,
    Output,
    Progress,
    Text,
    Whole,
    complain_of_one,
    record_of,
    say,
    tell,
    write_and_say,
    write_in_form,
    write_or_print,
    write_out,
)
from numbat.errors import INCOMPLETE, DataError, Problem, UsageError
from numbat.files import as_table, write
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings
from numbat.settings import MOST_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numbat.acceptability.exercises import CheckedExercise
    from numbat.authoring.checking import CheckedGrammar
    from numbat.reports.report import Part


@verb(
    "check",
    "numbat check english",
    "numbat check first.exercise.yaml",
    "numbat check english --suite suite.tsv",
    "numbat check -f github mine.pg",
)
@click.argument("name", metavar="GRAMMAR", type=Input("grammar"))
@format_option("text", "json", "github", "junit")
@option(OUTPUT, "--table", is_flag=True, help="Print the lookup table from operands to properties.")
@option(OUTPUT, "--headless", is_flag=True, help="List phrases that can be built without an obligatory daughter.")
@option(OUTPUT, "--notes", is_flag=True, help="Add notes where the literature uses a term differently.")
@option(
    INPUT,
    "--suite",
    type=Text(),
    help="Measure how permissive the grammar is: corrupt the good sentences of a suite or CoNLL-U file.",
)
@seed_option("the corruptions of --suite", INPUT)
def check(name: str, form: str, table: bool, headless: bool, notes: bool, suite: str | None, seed: int) -> None:
    """Report mistakes and doubtful places in a GRAMMAR or an exercise (*.exercise.yaml). Text goes to standard error;
    -f github prints annotations for GitHub workflows, -f junit a test report.
    """
    from numbat.acceptability.exercises import check_exercise, is_exercise
    from numbat.authoring import checking
    from numbat.reports import pipelines
    from numbat.reports.answers import Answer

    checked: CheckedGrammar | CheckedExercise
    remarks: tuple[Problem, ...] = ()
    if is_given("seed") and suite is None:
        raise UsageError("--seed only applies to --suite\n  add --suite FILE, or leave it out")
    if is_exercise(name):
        given = {
            "--suite": suite is not None,
            "--table": table,
            "--headless": headless,
            "--notes": notes,
        }
        if wrong := [name for name, is_given in given.items() if is_given]:
            raise UsageError(f"{wrong[0]} does not apply to exercises\n  leave it out")
        checked = check_exercise(name)
        answer = Answer(checking.checked_exercise(checked.path, checked.exercise, checked.errors, checked.warnings))
    else:
        checked = checking.check_grammar(name)
        asked = table and not checked.errors, headless and not checked.errors
        mistakes = checked.errors, checked.warnings, checked.notes
        permissive: Sequence[Part] = ()
        if suite is not None and not checked.errors:
            permissive = _permissiveness(name, suite, seed)
        parts = checking.checked_grammar(
            checked.path, checked.grammar, *mistakes, *asked, with_notes=notes, permissive=permissive
        )
        answer = Answer(parts)
        remarks = checked.notes if notes else ()
    problems = (*checked.errors, *checked.warnings, *remarks)
    for problem in problems if form == "text" else ():
        tell(f"{problem}\n")
    write_in_form(
        form,
        answer,
        github=lambda: checking.annotated(problems) + answer.text() + "\n",
        junit=lambda: pipelines.junit(
            "check", str(checked.path), pipelines.cases_of_check(str(checked.path), problems)
        ),
    )
    if checked.errors:
        sys.exit(DataError.exit_code)


def _permissiveness(name: str, suite: str, seed: int) -> Sequence[Part]:
    """Return a report on the permissiveness of a grammar, or of a language with its own parser, on a suite."""
    from numbat.authoring.permissiveness import permissiveness, permissiveness_of
    from numbat.runs.executors import executor_of

    with Progress("sentences") as progress:
        executor = progress.over(executor_of(RunSettings()))
        return permissiveness(permissiveness_of(name, parser_named(name), suite, good_sentences_of, seed, executor))


@frozen
class ShowOptions:
    """Options of `numbat show`."""

    name: str | None
    form: str
    path: str | None
    trees: str | None
    against: str | None
    paradigm: str | None
    template: str | None
    word: str | None
    graph: bool


@verb("new", "numbat new my-grammar", "numbat new my-english -g english")
@click.argument("folder", metavar="DIR", type=click.Path())
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    "base",
    metavar="GRAMMAR",
    help="Start from this grammar, a file or a packaged name.",
)
@option(GRAMMAR, "--language", default="en", metavar="CODE", help="Language of a new, empty grammar.")
def new(folder: str, base: str | None, language: str) -> None:
    """Start a project in a new folder DIR: a grammar, its words, judged sentences, and a page on the next steps."""
    from numbat.authoring.project import begin_project

    files = begin_project(folder, base, language)
    write_out("\n".join(map(str, files)))
    say(f"numbat: begin with numbat check {files[0]}, or read {files[-1]}")


ALONE: Final = {
    "paradigm": "only the forms of the lemma are listed",
    "template": "only the template is listed",
    "word": "only the word is shown",
    "against": "differences are listed as text",
}
"""Options of `show` that print something else than the grammar, each with what it prints, for messages."""


def _check_alone(options: ShowOptions, is_page: bool) -> None:
    """Raise UsageError if two options ask for different output."""
    asked = [name for name in ALONE if getattr(options, name) is not None]
    others = ["a page"] * is_page + [f"--{name}" for name in ("against", "template", "word") if name in asked[1:]]
    if options.graph and (asked or is_page):
        other = f"--{asked[0]}" if asked else "a page"
        raise UsageError(f"--graph and {other} exclude each other\n  the graph is plain text: leave one of them out")
    if asked and others:
        raise UsageError(f"--{asked[0]} and {others[0]} exclude each other\n  {ALONE[asked[0]]}: leave one of them out")


@verb(
    "show",
    "numbat show",
    "numbat show english --paradigm city",
    "numbat show mine.pg --against anbn",
    "numbat show english --html english.html",
)
@click.argument("name", metavar="[GRAMMAR]", required=False, type=Input("grammar"))
@format_option("text", "json", "html")
@option(OUTPUT, "--html", "path", type=Output(), help="Write a page for a browser to this file.")
@option(INPUT, "--trees", type=Text(), help="Treebank with example trees for the page.")
@option(INPUT, "--against", type=Input("grammar"), metavar="GRAMMAR", help="List the differences from this grammar.")
@option(OUTPUT, "--paradigm", metavar="LEMMA", help="List the forms of a lemma with their rows.")
@option(OUTPUT, "--template", metavar="NAME", help="List the readings and words of a template.")
@option(OUTPUT, "--word", metavar="WORD", help="Show the readings of a word, their prices, and the counts behind.")
@option(OUTPUT, "--graph", is_flag=True, help="List the parts of constructions, cycles, and what a change affects.")
def show(options: ShowOptions) -> None:
    """Show a GRAMMAR as tables, or as a page to browse; without one, list the packaged grammars."""
    from numbat.authoring import verbs as grammars
    from numbat.authoring.report import difference, grammar_report, packaged, paradigms, template_report, word_report
    from numbat.reports.answers import Answer

    is_page = options.path is not None or options.trees is not None or options.form == "html"
    if options.name is None:
        if is_page or options.graph or any((options.paradigm, options.template, options.word)):
            raise UsageError("no grammar is given\n  name one; numbat show without options lists the packaged ones")
        write_in_form(options.form, Answer(packaged(grammars.packaged_grammars())))
        return
    _check_alone(options, is_page)
    grammar = grammar_of(options.name)
    if options.paradigm is not None:
        write_in_form(options.form, Answer(paradigms(grammars.lemma_forms(grammar, options.paradigm))))
        return
    if options.graph:
        from numbat.authoring.report import graph_lines

        write_out("\n".join(graph_lines(grammar)))
        return
    if options.template is not None:
        write_in_form(options.form, Answer(template_report(grammars.template_words(grammar, options.template))))
        return
    if options.word is not None:
        from numbat.authoring.known_words import known_word

        write_in_form(options.form, Answer(word_report(known_word(grammar, options.word))))
        return
    if options.against is not None:
        write_in_form(options.form, Answer(difference(grammar, grammar_of(options.against))))
        return
    if options.path is None and options.form != "html":
        if options.trees is not None:
            raise UsageError("--trees only applies to the page\n  add --html FILE")
        write_in_form(options.form, Answer(grammar_report(grammar)))
        return
    from numbat.authoring.report import grammar_page

    bad: list[DataError] = []

    def refuse(error: DataError) -> None:
        bad.append(error)
        complain_of_one(error)

    browsed = grammars.browse(grammar, options.trees, refuse)
    record = record_of({"GRAMMAR": grammar})
    page = grammar_page(grammar, browsed.counted, browsed.examples, record, browsed.remarks)
    if options.form != "text":
        write_in_form(options.form, Answer(grammar_report(grammar)), html=lambda: page)
    if options.path is not None:
        write_and_say(options.path, page)
    if bad:
        sys.exit(INCOMPLETE)


@verb(
    "convert",
    "numbat convert french-chrg",
    "numbat convert -f yaml anbn",
    "numbat convert mine.pg -o mine.yaml",
    "numbat convert --layout --in-place mine.pg",
)
@click.argument("name", metavar="GRAMMAR", type=Input("grammar"))
@format_option("pg", "yaml", "profile", default=None)
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@option(OUTPUT, "--layout", is_flag=True, help="Only normalize the blanks of a file; comments stay.")
@option(OUTPUT, "--in-place", is_flag=True, help="With --layout: overwrite the file.")
def convert(name: str, form: str | None, output: str | None, layout: bool, in_place: bool) -> None:
    """Print a GRAMMAR, with all that it includes, in the notation or as YAML, without comments.
    With --layout, print one file in the notation with its comments; only blanks and empty lines change. A lexicon of
    UniMorph is printed as a table for lexicon_file, with the features that the grammar has to declare. With -f profile,
    write a suite as a profile of [incr tsdb()]: the files item and relations in the folder that -o names.
    """
    from numbat.authoring.verbs import convert_grammar, convert_lexicon, file_laid_out

    if form == "profile":
        _write_profile(name, output, layout)
        return
    if not layout and form is None and not in_place and (converted := convert_lexicon(name)) is not None:
        write_or_print(output, converted.table)
        for note in converted.notes:
            say(f"numbat: {note}")
        return
    if layout:
        if form == "yaml":
            raise UsageError("--layout formats the notation, but -f yaml asks for YAML\n  leave one of them out")
        if in_place and output is not None:
            raise UsageError("--in-place and --output exclude each other\n  leave one of them out")
        path, text = file_laid_out(name)
        if in_place:
            write_and_say(path, text)
        else:
            write_or_print(output, text)
        return
    if in_place:
        raise UsageError("--in-place only applies to --layout\n  name a file with --output")
    form = (form or "pg") if output is None else form_of(output, form)
    write_or_print(output, convert_grammar(grammar_of(name), form))


def _write_profile(name: str, folder: str | None, layout: bool) -> None:
    """Write a suite as a profile of [incr tsdb()] into a folder. Raises UsageError."""
    from numbat.acceptability.suite_files import read_suite
    from numbat.acceptability.suite_profiles import profile_of

    if folder is None or layout:
        raise UsageError(
            "-f profile writes two files, item and relations\n  name their folder with -o, without --layout"
        )
    if os.path.isfile(folder) or (os.path.isdir(folder) and os.listdir(folder)):
        raise UsageError(f"{folder} exists\n  name a new folder for the profile")
    files, notes = profile_of(read_suite(name))
    os.makedirs(folder, exist_ok=True)
    for file, text in files.items():
        write(os.path.join(folder, file), text)
    for note in notes:
        say(f"numbat: {note}")


def form_of(path: str, form: str | None) -> str:
    """Return the format of a grammar file: `form`, else that of its name. Raises UsageError if they differ."""
    from numbat.grammar.loading import YAML

    suffix = Path(path).suffix
    named = "yaml" if suffix in YAML else "pg" if suffix == ".pg" else None
    if form is not None and named not in (None, form):
        raise UsageError(
            f'-f {form} contradicts the name "{path}"\n'
            f"  the file would be read as {named}: end its name with .{form}, or leave -f out"
        )
    form = form or named
    if form is None:
        raise UsageError(
            f'"{path}" is neither the name of a .pg nor of a YAML file\n  end it with .pg or .yaml, or give -f'
        )
    return form


@verb(
    "generate",
    "numbat generate -n 3",
    'numbat generate --violate "NP: Det < N" -n 3 --seed 5',
    "numbat generate -g anbn --length 2-6 -n 2",
)
@with_options((GRAMMAR_OPTION, *PARSER_OPTIONS))
@option(
    SEARCH, "--violate", "violated", metavar="PROPERTY", help='Property that each sentence violates: "NP: Det < N".'
)
@option(OUTPUT, "-n", "number", default=10, type=Whole(1), help="Number of sentences.")
@option(SEARCH, "--root", metavar="CATEGORY", help="Root of the sentences (default: the grammar's first).")
@option(
    SEARCH,
    "--length",
    "words",
    metavar="MIN-MAX",
    help="Number of words (default: 3-8, fewer if necessary).",
)
@option(
    SEARCH,
    "--steps",
    default=100_000,
    type=Whole(1),
    help="Stop after N steps: a phrase counts 1, a parse 25.",
)
@option(
    SEARCH,
    "--seconds",
    type=Finite(0, MOST_SECONDS, is_open=True),
    help="Stop after X seconds; what is found then depends on the machine.",
)
@SPREADSHEETS_OPTION
@seed_option("the choice of words and phrases", SEARCH)
def generate(
    grammar: str,
    settings: ParserSettings,
    violated: str | None,
    number: int,
    root: str | None,
    words: str | None,
    steps: int,
    seconds: float | None,
    for_spreadsheets: bool,
    seed: int,
) -> None:
    """Generate sentences from a grammar as a suite: well-formed ones, or pairs of a sentence that violates one
    property and its well-formed counterpart."""
    from numbat.acceptability.generate import HEADER, generate_sentences, property_named, rows_of, shape_of
    from numbat.acceptability.random_phrases import SearchCounts, reason

    parser = properties_parser_of(grammar, settings)
    shape = shape_of(root, words)
    made, tried = 0, SearchCounts()
    with Progress(quiet=sys.stdout.isatty(), total=number) as progress:
        for generated in generate_sentences(parser, number, seed, violated, shape, seconds, tried, steps):
            made += 1
            progress.clear()
            if made == 1:
                write_out(HEADER)
            for row in rows_of(generated, made, violated):
                write_out(as_table(row, for_spreadsheets))
            progress.advance()
    if made < number:
        wanted = property_named(violated, parser.grammar) if violated else None
        why = reason(tried, wanted, parser.grammar, shape.most)
        ended = f"within {seconds:g} s" if tried.late else "before the search ended"
        raise DataError(f"found {made} of {number} sentences {ended}: {why}")
