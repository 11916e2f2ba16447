"""The verb induce: a grammar from trees, or from tags by a model of their structure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import QUIET_OPTION, TAGGED_FILES, TREEBANKS, Finite, format_option, seed_option, takes
from numbat.cli.parse_options import is_given
from numbat.cli.printing import (
    Input,
    Output,
    complain,
    end,
    record_of,
    say,
    write,
    write_and_say,
    write_or_print,
    write_out,
)
from numbat.cli.progress import Progress
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table, check_spreadsheets
from numbat.commands.settings import DrawSettings
from numbat.errors import UsageError, data_error
from numbat.parsing.dependency_model.records import LONGEST
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.commands.treebanks import InduceSettings

OF_STRUCTURE: Final = ("samples", "seed", "max_length", "form", "shown", "page")
"""What only goes with --structure."""
OF_TREES: Final = {
    "rules": "the rules are those of sampled trees",
    "heads": "the model says what heads are",
    "functions": "the model knows none",
    "punctuation": "the model leaves it out",
    "tags": "the tags are those that the model was learned from",
}
"""What does not go with it."""
DRAWING: Final = DrawSettings()


@frozen
class InduceOptions:
    """What `numbat induce` is asked for."""

    paths: tuple[str, ...]
    source: str
    output: str | None
    lexicon: str | None
    rules: str | None
    name: str | None
    note: tuple[str, ...]
    support: int
    w0: float
    count: int
    expected: float
    hard: int | None
    weights: str
    heads: str
    functions: bool
    punctuation: bool
    tags: str
    structure: str | None
    drawing: DrawSettings
    form: str
    for_spreadsheets: bool
    shown: int
    page: str | None
    quiet: bool

    @property
    def notes(self) -> list[str]:
        """The lines of `--note`."""
        return list(filter(None, "\n".join(self.note).splitlines()))

    @property
    def lexicon_place(self) -> str:
        """The lexicon as it is named from the folder of the grammar; empty without one."""
        if not self.lexicon:
            return ""
        return os.path.relpath(self.lexicon, os.path.dirname(os.path.abspath(self.output)) if self.output else ".")


@click.command()
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@click.option(
    "--from",
    "source",
    type=click.Choice(TAGGED_FILES),
    default="auto",
    show_default=True,
    help="Format of the trees: brackets (ptb), Sinica's, CoNLL-U; auto looks at the first line. With --structure also "
    "lines of tagged words (text), or what numbat tag run writes (columns).",
)
@click.option("-o", "--output", type=Output(), help="The grammar file; default: standard output.")
@click.option("--lexicon", type=Output(), help="Write the lexicon to this file, and guess rules.")
@click.option("--rules", type=Output(), help="Write the implicit rules and their counts to this file.")
@click.option("--name", help="The grammar's name; default: that of the file.")
@click.option("--note", multiple=True, help="A line of comment for the top of the file; may be repeated.")
@click.option(
    "--support", default=5, show_default=True, type=click.IntRange(min=1), help="Least pertinent occurrences."
)
@click.option("--w0", default=0.95, show_default=True, type=Finite(0, 1), help="Least share that validates.")
@click.option(
    "--count", default=5, show_default=True, type=click.IntRange(min=1), help="Least occurrences of operands."
)
@click.option(
    "--expected",
    default=1.0,
    show_default=True,
    type=Finite(min=0),
    help="Exclusions and requirements that chance would violate less often are left out.",
)
@click.option(
    "--hard", type=click.IntRange(min=1), help="Make properties hard that are never violated in so many occurrences."
)
@click.option(
    "--weights",
    type=click.Choice(["odds", "w0", "w1", "none"]),
    default="odds",
    show_default=True,
    help="Strengths: weight w1 and cost log odds; w0 or w1 as both; none.",
)
@click.option(
    "--heads",
    type=click.Choice(["auto", "penn", "french", "cover"]),
    default="auto",
    show_default=True,
    help="Obligation from a table of heads, or from a greedy cover.",
)
@click.option("--functions", is_flag=True, help="Keep functions in the labels: NP-SBJ, NOUN-nsubj.")
@click.option("--punctuation", is_flag=True, help="Keep punctuation.")
@click.option(
    "--tags", type=click.Choice(["upos", "xpos"]), default="upos", show_default=True, help="Categories of CoNLL-U."
)
@click.option(
    "--structure",
    type=Input(),
    metavar="MODEL",
    help="TREES are tagged sentences: properties of the trees that a model of numbat learn structure gives them.",
)
@click.option(
    "--samples",
    default=DRAWING.samples,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="With --structure: trees that are drawn for each sentence.",
)
@click.option(
    "--max-length",
    default=DRAWING.max_length,
    show_default=True,
    type=click.IntRange(1, LONGEST),
    help="With --structure: leave out sentences of more words, punctuation not counted.",
)
@format_option("table of proposals (with --structure)", "tsv")
@SPREADSHEETS_OPTION
@click.option(
    "-n",
    "shown",
    default=20,
    show_default=True,
    type=click.IntRange(min=0),
    help="With --structure and -f text: how many proposals to show.",
)
@click.option("--html", "page", type=Output(), help="With --structure: a page with a box to tick for each proposal.")
@seed_option("the trees that are drawn")
@QUIET_OPTION
@takes(InduceOptions)
def induce(asked: InduceOptions) -> None:
    """Induce a grammar from TREES, one or several files, with the counts behind each property.

    With --structure TREES are tagged sentences, and the properties of trees that the model gives them are proposed:
    they are printed by their rank, and -o writes them as a grammar in which lines can be struck out.
    """
    _check(asked)
    (_from_trees if asked.structure is None else _from_tags)(asked)


def _check(asked: InduceOptions) -> None:
    """Raises UsageError for options that would do nothing."""
    is_table = bool(asked.lexicon or asked.rules) or asked.form == "tsv"
    check_spreadsheets(asked.for_spreadsheets, is_table, "add --lexicon FILE, --rules FILE or -f tsv, or leave it out")
    for param in click.get_current_context().command.params:
        name = param.name or ""
        if asked.structure is None and name in OF_STRUCTURE and is_given(name):
            raise UsageError(f"{max(param.opts, key=len)} is about proposals\n  add --structure MODEL")
        if asked.structure is not None and name in OF_TREES and is_given(name):
            raise UsageError(f"{max(param.opts, key=len)} and --structure\n  {OF_TREES[name]}: leave one of them out")
    if asked.structure is None and asked.source not in TREEBANKS:
        raise UsageError(f"--from {asked.source} has no trees\n  add --structure MODEL, which gives sentences trees")


def _settings(asked: InduceOptions, w0: float) -> InduceSettings:
    from numbat.commands.treebanks import InduceSettings, name_of
    from numbat.treebank.induction.property_candidates import Thresholds

    return InduceSettings(
        name=asked.name or name_of(asked.paths, asked.output),
        thresholds=Thresholds(support=asked.support, w0=w0, count=asked.count, expected=asked.expected),
        hard=asked.hard or 0,
        weights=asked.weights,
        heads=asked.heads,
        lexicon=asked.lexicon is not None,
        functions=asked.functions,
        punctuation=asked.punctuation,
        tags=asked.tags,
    )


def _from_trees(asked: InduceOptions) -> None:
    from numbat.commands.treebanks import induce_grammar, source_of
    from numbat.report.treebank_text import induced_sizes, induced_texts, left_out_of
    from numbat.runs.trees import TreeReader

    with Progress("trees", asked.quiet) as progress:
        reader = TreeReader(progress.complain, progress.advance)
        induced = induce_grammar(asked.paths, asked.source, _settings(asked, asked.w0), reader)
    texts = induced_texts(induced, source_of(asked.paths), asked.notes, asked.lexicon_place)
    for name, text in ((asked.lexicon, texts.lexicon), (asked.rules, texts.rules)):
        if name is not None:
            write(name, as_table(text, asked.for_spreadsheets))
    write_or_print(asked.output, texts.grammar)
    if asked.output is not None:
        say(f"{asked.output}: {induced_sizes(induced)}")
        if said := left_out_of(induced):
            say(f"numbat: not counted: {said}")
    if not reader.read:
        say("numbat: no tree was given")
    end(reader.bad, reader.good)


def _from_tags(asked: InduceOptions) -> None:
    from numbat.commands import proposals
    from numbat.parsing.dependency_model.model_file import read_model
    from numbat.report.learning.proposals_grammar import proposed_grammar
    from numbat.report.learning.proposals_page import proposals_page
    from numbat.report.learning.proposals_text import proposals_text
    from numbat.treebank.induction.induced_files import format_lexicon

    model_file = asked.structure or ""
    model = read_model(model_file)
    material = proposals.material_for(model, asked.paths, asked.source, asked.drawing.max_length)
    for problem in material.problems:
        complain(data_error(problem))
    settings = _settings(asked, asked.w0 if is_given("w0") else proposals.LEAST.w0)
    with Progress("sentences", asked.quiet, len(material.sentences)) as progress:
        found = proposals.propose_grammar(model, material, asked.paths, settings, asked.drawing, progress.advance)
    table = proposals_text(found, asked.form, asked.shown)
    write_out(as_table(table, asked.for_spreadsheets) if asked.form == "tsv" else table)
    opening = [*proposals.opening_of(found, asked.paths, model_file), *asked.notes]
    if asked.lexicon is not None:
        write(asked.lexicon, as_table(format_lexicon(found.induced.grammar.lexicon), asked.for_spreadsheets))
    if asked.output is not None:
        write_and_say(asked.output, proposed_grammar(found, opening, asked.lexicon_place))
    if asked.page is not None:
        write_and_say(asked.page, proposals_page(found, opening, asked.lexicon_place, record_of({})))
    for line in proposals.told_of(material):
        say(f"numbat: {line}")
    end(len(material.problems), len(material.sentences))


COMMANDS = (induce,)
