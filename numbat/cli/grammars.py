"""Verbs on grammars: check, new, show, convert, bench, granularity, generate."""

from __future__ import annotations

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
from numbat.files import as_table
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings

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
@option(OUTPUT, "--table", is_flag=True, help="Print the lookup table, from operands to properties.")
@option(OUTPUT, "--headless", is_flag=True, help="List phrases that are built without what is obligatory.")
@option(OUTPUT, "--notes", is_flag=True, help="Say what readers of the literature may take otherwise.")
@option(
    INPUT,
    "--suite",
    type=Text(),
    help="Say how permissive the grammar is: corrupt the good sentences of this suite, or CoNLL-U, and cost them.",
)
@seed_option("corruptions", INPUT)
def check(name: str, form: str, table: bool, headless: bool, notes: bool, suite: str | None, seed: int) -> None:
    """Report all mistakes of a GRAMMAR, or of an exercise (*.exercise.yaml), and what is doubtful in it. As text they
    go to standard error; -f github prints them as annotations of a workflow on GitHub, -f junit as a report.
    """
    from numbat.acceptability.exercises import check_exercise, is_exercise
    from numbat.authoring import checking
    from numbat.reports import pipelines
    from numbat.reports.answers import Answer

    found: CheckedGrammar | CheckedExercise
    remarks: tuple[Problem, ...] = ()
    if is_given("seed") and suite is None:
        raise UsageError("--seed is about corruptions\n  add --suite FILE, or leave it out")
    if is_exercise(name):
        given = {
            "--suite": suite is not None,
            "--table": table,
            "--headless": headless,
            "--notes": notes,
        }
        if wrong := [name for name, is_given in given.items() if is_given]:
            raise UsageError(f"{wrong[0]} is for grammars\n  leave it out")
        found = check_exercise(name)
        answer = Answer(checking.checked_exercise(found.path, found.exercise, found.errors, found.warnings))
    else:
        found = checking.check_grammar(name)
        asked = table and not found.errors, headless and not found.errors
        mistakes = found.errors, found.warnings, found.notes
        permissive: Sequence[Part] = ()
        if suite is not None and not found.errors:
            permissive = _permissiveness(name, suite, seed)
        checked = checking.checked_grammar(
            found.path, found.grammar, *mistakes, *asked, with_notes=notes, permissive=permissive
        )
        answer = Answer(checked)
        remarks = found.notes if notes else ()
    problems = (*found.errors, *found.warnings, *remarks)
    for problem in problems if form == "text" else ():
        tell(f"{problem}\n")
    write_in_form(
        form,
        answer,
        github=lambda: checking.annotated(problems) + answer.text() + "\n",
        junit=lambda: pipelines.junit("check", str(found.path), pipelines.cases_of_check(str(found.path), problems)),
    )
    if found.errors:
        sys.exit(DataError.exit_code)


def _permissiveness(name: str, suite: str, seed: int) -> Sequence[Part]:
    """Return the permissiveness of a grammar on a suite, or of a language by its own parser, as parts of a report."""
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
    graph: bool


@verb("new", "numbat new my-grammar", "numbat new my-english -g english")
@click.argument("folder", metavar="DIR", type=click.Path())
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    "base",
    metavar="GRAMMAR",
    help="Begin with this grammar, a file or packaged, and change it.",
)
@option(GRAMMAR, "--language", default="en", metavar="CODE", help="Language of a grammar from nothing.")
def new(folder: str, base: str | None, language: str) -> None:
    """Begin a project in a new folder DIR: a grammar, its words, judged sentences, and how to go on."""
    from numbat.authoring.project import begin_project

    files = begin_project(folder, base, language)
    write_out("\n".join(map(str, files)))
    say(f"numbat: begin with numbat check {files[0]}, or read {files[-1]}")


ALONE: Final = {
    "paradigm": "the forms of a lemma are listed alone",
    "template": "a template is listed alone",
    "against": "what a grammar changes is listed as text",
}
"""What `show` lists in place of the grammar, by the option that asks for it."""


def _check_alone(options: ShowOptions, is_page: bool) -> None:
    """Raises UsageError where two things are to be shown."""
    asked = [name for name in ALONE if getattr(options, name) is not None]
    others = ["a page"] * is_page + [f"--{name}" for name in ("against", "template") if name in asked[1:]]
    if options.graph and (asked or is_page):
        other = f"--{asked[0]}" if asked else "a page"
        raise UsageError(f"--graph and {other}\n  the graph is told in lines: leave one of them out")
    if asked and others:
        raise UsageError(f"--{asked[0]} and {others[0]}\n  {ALONE[asked[0]]}: leave one of them out")


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
@option(INPUT, "--trees", type=Text(), help="A treebank from which the page takes example trees.")
@option(INPUT, "--against", type=Input("grammar"), metavar="GRAMMAR", help="List what is changed of this grammar.")
@option(OUTPUT, "--paradigm", metavar="LEMMA", help="List the forms of a lemma, with the rows that give them.")
@option(OUTPUT, "--template", metavar="NAME", help="List what a template gives, with its words.")
@option(OUTPUT, "--graph", is_flag=True, help="List what constructions are made of, circles, what a change reaches.")
def show(options: ShowOptions) -> None:
    """Show a GRAMMAR as tables, or as a page to browse; without one, list the packaged grammars."""
    from numbat.authoring import verbs as grammars
    from numbat.authoring.report import difference, grammar_report, packaged, paradigms, template_report
    from numbat.reports.answers import Answer

    is_page = options.path is not None or options.trees is not None or options.form == "html"
    if options.name is None:
        if is_page or options.graph or options.paradigm is not None or options.template is not None:
            raise UsageError("no grammar\n  name one; numbat show alone lists the packaged ones")
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
    if options.against is not None:
        write_in_form(options.form, Answer(difference(grammar, grammar_of(options.against))))
        return
    if options.path is None and options.form != "html":
        if options.trees is not None:
            raise UsageError("--trees is for the page\n  add --html FILE")
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
@format_option("pg", "yaml", default=None)
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@option(OUTPUT, "--layout", is_flag=True, help="Only the text of a file, with its comments and the usual blanks.")
@option(OUTPUT, "--in-place", is_flag=True, help="With --layout: write the text over the file.")
def convert(name: str, form: str | None, output: str | None, layout: bool, in_place: bool) -> None:
    """Print a GRAMMAR in the notation or as YAML, with all that it includes; comments are lost.
    With --layout it prints the text of one file in the notation with its comments: only blanks and empty lines change.
    """
    from numbat.authoring.verbs import convert_grammar, file_laid_out

    if layout:
        if form == "yaml":
            raise UsageError("--layout is for the notation, and -f yaml asks for YAML\n  leave one of them out")
        if in_place and output is not None:
            raise UsageError("--in-place and --output\n  say once where the text belongs")
        path, text = file_laid_out(name)
        if in_place:
            write_and_say(path, text)
        else:
            write_or_print(output, text)
        return
    if in_place:
        raise UsageError("--in-place is for --layout, which changes blanks alone\n  name a file after --output")
    form = (form or "pg") if output is None else form_of(output, form)
    write_or_print(output, convert_grammar(grammar_of(name), form))


def form_of(path: str, form: str | None) -> str:
    """Return the form of a grammar file: `form` if given, else that of its name. Raises UsageError if they differ."""
    from numbat.grammar.loading import YAML

    suffix = Path(path).suffix
    named = "yaml" if suffix in YAML else "pg" if suffix == ".pg" else None
    if form is not None and named not in (None, form):
        raise UsageError(
            f'-f {form} and the name "{path}"\n'
            f"  by its name the file would be read as {named}: end it with .{form}, or leave -f out"
        )
    form = form or named
    if form is None:
        raise UsageError(f'"{path}" says neither notation nor YAML\n  end its name with .pg or .yaml, or give -f')
    return form


@verb(
    "generate",
    "numbat generate -n 3",
    'numbat generate --violate "NP: Det < N" -n 3 --seed 5',
    "numbat generate -g anbn --length 2-6 -n 2",
)
@with_options((GRAMMAR_OPTION, *PARSER_OPTIONS))
@option(
    SEARCH, "--violate", "violated", metavar="PROPERTY", help='The property that each sentence violates: "NP: Det < N".'
)
@option(OUTPUT, "-n", "number", default=10, type=click.IntRange(min=1), help="How many sentences.")
@option(SEARCH, "--root", metavar="CATEGORY", help="Root of the sentences (default: the grammar's first).")
@option(
    SEARCH,
    "--length",
    "words",
    metavar="MIN-MAX",
    help="Number of words (default: 3-8, fewer where there are no others).",
)
@option(
    SEARCH,
    "--steps",
    default=100_000,
    type=click.IntRange(min=1),
    help="End the search after so many steps: a phrase that is tried is one, a parse 25.",
)
@option(
    SEARCH, "--seconds", default=60.0, type=Finite(min=0, min_open=True), help="End the search after so many seconds."
)
@SPREADSHEETS_OPTION
@seed_option("the choices", SEARCH)
def generate(
    grammar: str,
    settings: ParserSettings,
    violated: str | None,
    number: int,
    root: str | None,
    words: str | None,
    steps: int,
    seconds: float,
    for_spreadsheets: bool,
    seed: int,
) -> None:
    """Generate sentences from a grammar, as a suite: well-formed ones, or pairs of a sentence that violates one
    property and its well-formed twin."""
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
        raise DataError(f"{made} of {number} sentences found {ended}: {why}")
