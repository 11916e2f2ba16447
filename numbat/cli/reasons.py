"""The verbs on single sentences: why they have the score that they have, and what would better it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    MODEL_OPTIONS,
    PARSER_OPTIONS,
    QUIET_OPTION,
    TAGGED_OPTION,
    format_option,
    grammar_of,
    input_option,
    takes,
    with_options,
)
from numbat.cli.printing import complain, end_run, say, write_out
from numbat.cli.progress import Progress
from numbat.commands.settings import ModelSettings, ParserSettings
from numbat.errors import DataError, UsageError
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.parsing.parser import Parser
    from numbat.runs.loop import Record
    from numbat.runs.trees import JudgedTree
    from numbat.words.lattice import Lattice

FORM = format_option("answer")
ONE = (GRAMMAR_OPTION, TAGGED_OPTION, FORM, *PARSER_OPTIONS)


@frozen
class AnswerOptions:
    """How the verbs on single sentences read and parse them, and print the answer."""

    grammar: str
    tagged: bool
    form: str
    parser: ParserSettings


def _parser(asked: AnswerOptions) -> Parser:
    from numbat.commands.preparing import parser_of

    return parser_of(grammar_of(asked.grammar), asked.parser)


def _read(sentence: str, parser: Parser, tagged: bool) -> Lattice:
    """A sentence as it is to be parsed; a mark before it is announced."""
    from numbat.report.run_notes import RunNotes, remarks_on
    from numbat.runs import sources

    if sentence.strip() == "-":
        raise UsageError(
            '"-" is no sentence, and the standard input is not read here\n'
            "  give the sentence itself in quotes; numbat parse - reads the standard input"
        )
    if (found := sources.not_utf8(sentence)) is not None:
        raise DataError(f"the sentence is not UTF-8 (byte {found})\n  {sources.TERMINAL}")
    lattice = sources.lattice_of(sentence, parser.words, tagged)
    notes = RunNotes(typed=(sentence,))
    notes.add(remarks_on("", lattice))
    for line in notes.lines():
        say(line)
    return lattice


@frozen
class ExplainOptions:
    """What `numbat explain` is asked for."""

    sentence: str
    answer: AnswerOptions
    model: ModelSettings
    terms: bool


@click.command()
@click.argument("sentence")
@with_options((*ONE, *MODEL_OPTIONS))
@click.option("--terms", is_flag=True, help="Also the counts of each phrase.")
@takes(ExplainOptions)
def explain(asked: ExplainOptions) -> None:
    """Why SENTENCE has its score: each violated property in words, with its share of the loss."""
    from numbat.commands import reasons
    from numbat.commands.preparing import scorer_of
    from numbat.report import reasons_json, reasons_text

    parser = _parser(asked.answer)
    lattice = _read(asked.sentence, parser, asked.answer.tagged)
    explained = reasons.explain(parser, lattice, scorer_of(asked.model, parser.grammar))
    if asked.answer.form == "json":
        write_out(reasons_json.answer_text(reasons_json.explanation_json(explained)))
    else:
        write_out("\n".join(reasons_text.explanation_lines(explained, asked.terms)))


@frozen
class ContrastOptions:
    """What `numbat contrast` is asked for."""

    one: str
    other: str
    answer: AnswerOptions
    model: ModelSettings


@click.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@with_options((*ONE, *MODEL_OPTIONS))
@takes(ContrastOptions)
def contrast(asked: ContrastOptions) -> None:
    """The properties that make the difference between the sentences A and B."""
    from numbat.commands import reasons
    from numbat.commands.preparing import scorer_of
    from numbat.report import reasons_json, reasons_text

    parser = _parser(asked.answer)
    one, other = (_read(sentence, parser, asked.answer.tagged) for sentence in (asked.one, asked.other))
    found = reasons.contrast(parser, one, other, scorer_of(asked.model, parser.grammar))
    if asked.answer.form == "json":
        write_out(reasons_json.answer_text(reasons_json.contrast_json(found)))
    else:
        write_out("\n".join(reasons_text.contrast_lines(found)))


@frozen
class JudgeOptions:
    """What `numbat judge` is asked for."""

    tree: str | None
    path: str | None
    grammar: str
    form: str
    parser: ParserSettings
    model: ModelSettings


@click.command()
@click.argument("tree", required=False)
@input_option("A file of bracketed trees; - for standard input.")
@with_options((GRAMMAR_OPTION, FORM, *PARSER_OPTIONS, *MODEL_OPTIONS))
@takes(JudgeOptions)
def judge(asked: JudgeOptions) -> None:
    """The satisfied and violated properties of a bracketed TREE that you give."""
    from numbat.commands import reasons
    from numbat.commands.preparing import parser_of, scorer_of
    from numbat.report import reasons_json

    tree, path = asked.tree, asked.path
    if (tree is None) == (path is None):
        raise UsageError("one tree or one file\n  give a tree in quotes, or a file with -i")
    if tree is not None and tree.strip() == "-":
        raise UsageError('"-" is no tree\n  give the tree itself in quotes; -i - reads the standard input')
    parser = parser_of(grammar_of(asked.grammar), asked.parser)
    score = scorer_of(asked.model, parser.grammar)
    verdicts = _Verdicts(parser, asked.form)
    run = reasons.judge(parser, score, tree, path)
    run.hand_on(verdicts.take)
    if asked.form == "json":
        write_out(reasons_json.list_text(verdicts.written))
    elif verdicts.written:
        write_out("\n\n".join(verdicts.written))
    for note in verdicts.notes:
        say(f"numbat: {note}")
    end_run(run, verdicts.bad, len(verdicts.written))


class _Verdicts:
    """What is printed of the trees of a run, which come to one answer."""

    def __init__(self, parser: Parser, form: str) -> None:
        self.written: list[str] = []
        self.notes: dict[str, None] = {}
        self.bad = 0
        self._parser, self._form = parser, form

    def take(self, record: Record[JudgedTree]) -> None:
        """Write one tree, or complain of it."""
        from numbat.report import reasons_json, reasons_text
        from numbat.runs.loop import Failure

        try:
            if isinstance(record, Failure):
                raise record.as_error()
            judged = record.value
            said = reasons_json.judged_text(judged) if self._form == "json" else reasons_text.judged_text(judged)
        except DataError as error:
            complain(error)
            self.bad += 1
        else:
            self.written.append(said)
            self.notes |= dict.fromkeys(reasons_text.judged_notes(judged.parse, self._parser))


@frozen
class WhyNotOptions:
    """What `numbat why-not` is asked for."""

    constituent: str
    sentence: str
    answer: AnswerOptions


@click.command("why-not")
@click.argument("constituent", metavar="SPAN:CATEGORY")
@click.argument("sentence")
@with_options(ONE)
@takes(WhyNotOptions)
def why_not(asked: WhyNotOptions) -> None:
    """The best analysis of SENTENCE with a constituent, such as 0-3:NP, and what it costs."""
    from numbat.commands import reasons
    from numbat.parsing.queries.named_constituent import constituent_named
    from numbat.report import reasons_json

    parser = _parser(asked.answer)
    lattice = _read(asked.sentence, parser, asked.answer.tagged)
    wanted = constituent_named(asked.constituent, parser.grammar, lattice)
    found = reasons.why_not(parser, lattice, wanted)
    if asked.answer.form == "json":
        write_out(reasons_json.answer_text(reasons_json.why_not_json(found)))
        return
    write_out(found.says)
    if found.constrained is not None:
        write_out("\n" + found.constrained.tree())


@frozen
class RepairOptions:
    """What `numbat repair` is asked for."""

    sentence: str
    answer: AnswerOptions
    model: ModelSettings
    edits: int
    most: int
    continued: int
    quiet: bool


@click.command()
@click.argument("sentence")
@with_options((*ONE, *MODEL_OPTIONS))
@click.option("--edits", default=1, show_default=True, type=click.IntRange(1, 2), help="How many edits at most.")
@click.option("-n", "most", default=5, show_default=True, type=click.IntRange(min=1), help="How many repairs to show.")
@click.option(
    "--beam",
    "continued",
    default=5,
    show_default=True,
    type=click.IntRange(min=1),
    help="With 2 edits: how many to go on from.",
)
@QUIET_OPTION
@takes(RepairOptions)
def repair(asked: RepairOptions) -> None:
    """The smallest changes of SENTENCE that better its score, ranked by what is gained per edit."""
    from numbat.commands import reasons
    from numbat.commands.preparing import scorer_of
    from numbat.report import reasons_json, reasons_text

    parser = _parser(asked.answer)
    lattice = _read(asked.sentence, parser, asked.answer.tagged)
    score = scorer_of(asked.model, parser.grammar)
    with Progress("edits", asked.quiet) as progress:
        repaired = reasons.repair(parser, lattice, score, asked.edits, asked.continued, asked.most, progress.advance)
    if asked.answer.form == "json":
        write_out(reasons_json.answer_text(reasons_json.repair_json(repaired)))
    else:
        write_out("\n".join(reasons_text.repair_lines(repaired)))


COMMANDS = (explain, contrast, judge, why_not, repair)
