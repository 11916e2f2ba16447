"""Verbs on treebanks: trees, expansions, score, induce."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from itertools import chain, count
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    LEARNING,
    OUTPUT,
    RUN_OPTIONS,
    SPREADSHEETS_OPTION,
    TAGGED_FILES,
    TREEBANKS,
    TREES_OPTION,
    as_lexicon,
    as_table,
    check_spreadsheets,
    format_option,
    is_given,
    option,
    seed_option,
    source_option,
    takes,
    verb,
    with_options,
    written,
)
from numbat.cli.printing import (
    Finite,
    Input,
    Output,
    Progress,
    Text,
    complain_of_one,
    end,
    end_trees,
    record_of,
    say,
    tell,
    write,
    write_and_say,
    write_in_form,
    write_or_print,
    write_out,
)
from numbat.errors import IN_FULL, DataError, UsageError, data_error
from numbat.records import frozen
from numbat.runs.settings import RunSettings
from numbat.structure.model import MAX_LENGTH
from numbat.structure.settings import DrawSettings

if TYPE_CHECKING:
    from numbat.treebanks.verbs import InduceSettings


if TYPE_CHECKING:
    pass


@frozen
class TreesOptions:
    """Options of `numbat trees`."""

    path: str
    source: str
    form: str
    bare: bool
    output: str | None


@verb(
    "trees",
    "numbat trees trees.mrg",
    "numbat trees --bare -f conllu trees.mrg -o bare.conllu",
    "numbat trees --from conllu -f jsonl trees.conllu",
    "numbat trees -f html trees.conllu -o trees.html",
)
@click.argument("path", metavar="TREES", type=Text())
@TREES_OPTION
@format_option("ptb", "discbracket", "export", "conllu", "jsonl", "html", default="ptb", formerly={"--to": None})
@option(OUTPUT, "--bare", is_flag=True, help="Leave out empty elements, functions, indexes and wrappers.")
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@takes(TreesOptions)
def trees(options: TreesOptions) -> None:
    """Convert TREES, a file of any treebank format, to brackets, CoNLL-U or JSON, or draw its dependencies on a page
    (html); - reads standard input.
    """
    from numbat.parses.formats import run_record_line
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import convert_trees

    reader = TreeReader(complain_of_one)
    found = convert_trees(options.path, options.source, options.form, options.bare, reader)
    if options.form == "jsonl":
        found = chain(found, (run_record_line(record_of({})),))
    if options.form == "html":
        from numbat.reports.pages import closing
        from numbat.treebanks.arcs import page_opening

        found = chain((page_opening(),), found, (closing(None),))
    if options.output is None:
        for piece in found:
            write_out(piece, end="")
    else:
        write(options.output, "".join(found))
    end_trees(reader)


@frozen
class ExpansionsOptions:
    """Options of `numbat expansions`."""

    paths: tuple[str, ...]
    source: str
    output: str | None
    punctuation: bool
    frequent: int
    least: int
    note: tuple[str, ...]


@verb(
    "expansions", "numbat expansions trees.mrg -o small.exp", "numbat expansions --min-count 1 --frequent 5 trees.mrg"
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Text())
@TREES_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@option(LEARNING, "--punctuation", is_flag=True, help="Keep punctuation.")
@option(
    LEARNING,
    "--frequent",
    type=click.IntRange(min=1),
    default=20,
    help="Forms that occur so often with a tag are categories of their own.",
    advanced=True,
)
@option(
    LEARNING,
    "--min-count",
    "least",
    type=click.IntRange(min=1),
    default=5,
    formerly={"--least": None},
    help="Refined phrases that occur less often lose their detail.",
)
@option(
    OUTPUT, "--note", multiple=True, help="A line of comment for the top of the file; may be repeated.", advanced=True
)
@takes(ExpansionsOptions)
def expansions(options: ExpansionsOptions) -> None:
    """Count refined expansions in TREES, one or several files, by which numbat parse --expansions finds trees."""
    from numbat.parsing.treebank_grammar.expansions import expansion_lines
    from numbat.treebanks.report import expansion_sizes
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import count_refined

    with Progress("trees") as progress:
        reader = TreeReader(progress.complain, progress.advance)
        found = count_refined(
            options.paths, options.source, reader, options.punctuation, options.frequent, options.least
        )
    write_or_print(options.output, "".join(f"{line}\n" for line in expansion_lines(found, options.note)))
    if options.output is not None:
        say(f"{options.output}: {expansion_sizes(found)}")
    end_trees(reader)


@frozen
class ScoreOptions:
    """Options of `numbat score`."""

    gold: str
    predicted: str
    source: str
    params: str | None
    delete: tuple[str, ...]
    equal: tuple[str, ...]
    form: str
    seed: int
    samples: int
    run: RunSettings


@verb(
    "score",
    "numbat score gold.mrg parsed.mrg",
    "numbat score --equal ADVP=PRT --delete PUNCT gold.mrg parsed.mrg",
    "numbat score -f json --seed 7 gold.mrg parsed.mrg",
)
@click.argument("gold", type=Text())
@click.argument("predicted", type=Text())
@TREES_OPTION
@option(INPUT, "--params", type=Input(), help="An evalb parameter file; default: as COLLINS.prm.", advanced=True)
@option(INPUT, "--delete", multiple=True, metavar="LABEL", help="Leave this label or tag out; may be repeated.")
@option(INPUT, "--equal", multiple=True, metavar="A=B", help="Count two labels as the same; may be repeated.")
@format_option("text", "json")
@seed_option("the resamples for intervals", OUTPUT)
@option(
    OUTPUT,
    "--resamples",
    "samples",
    default=1_000,
    type=click.IntRange(2, 100_000),
    advanced=True,
    formerly={"--samples": None},
    help="Number of resamples for intervals.",
)
@with_options(RUN_OPTIONS)
@takes(ScoreOptions)
def score(options: ScoreOptions) -> None:
    """Score the trees of PREDICTED against those of GOLD, in their order: labelled brackets, as evalb counts them; of
    CoNLL-U dependencies too, by the rules of CoNLL 2018, whatever the tokens.
    """
    from numbat.reports.answers import Answer
    from numbat.runs.executors import executor_of
    from numbat.treebanks.report import score_report
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import parameters, score_files

    chosen = parameters(options.params, options.delete, options.equal)
    progress = Progress("trees")
    reader = TreeReader(progress.complain)
    executor = progress.over(executor_of(options.run))
    scores = score_files(options.gold, options.predicted, options.source, chosen, reader, executor)
    scored = score_report(scores, chosen.longest, options.seed, options.samples, reader.lost)
    write_in_form(options.form, Answer(scored))
    end_trees(reader, len(scores.compared))


# induce

OF_STRUCTURE: Final = ("samples", "seed", "max_length", "page")
"""What only goes with --structure."""
OF_PROPOSALS: Final = ("form", "shown")
"""What only goes with --structure or --rank."""
OF_GRAMMAR: Final = ("lexicon", "rules", "functions", "punctuation", "tags", "rank", "form", "shown", "page")
"""What does not go with a language, which has all it takes."""
OF_INDUCTION: Final = (
    "support",
    "w0",
    "count",
    "expected",
    "hard",
    "weights",
    "heads",
    "samples",
    "max_length",
    "seed",
)
"""What does not go with a grammar that is kept."""
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
    """Options of `numbat induce`."""

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
    rank: str | None
    drawing: DrawSettings
    form: str
    for_spreadsheets: bool
    shown: int
    page: str | None
    without: tuple[str, ...]
    keep_grammar: bool
    force: bool

    @property
    def makes_language(self) -> bool:
        """True if the output is a folder."""
        return self.output is not None and (self.output.endswith(("/", os.sep)) or os.path.isdir(self.output))

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


@verb(
    "induce",
    "numbat induce trees.mrg",
    "numbat induce --support 2 --lexicon small.tsv trees.mrg -o small.pg",
    "numbat induce --structure tags.model --support 2 tagged.conllu --html proposals.html",
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Text())
@source_option(TAGGED_FILES, "the trees or tagged sentences")
@option(
    OUTPUT,
    "-o",
    "--output",
    type=Output(or_folder=True),
    help="The grammar file, or a folder/ for a language; default: standard output.",
)
@option(OUTPUT, "--lexicon", type=Output(), help="Write the lexicon and guess rules to this file.")
@option(
    OUTPUT, "--rules", type=Output(), advanced=True, help="Write the rules of the trees and their counts to this file."
)
@option(GRAMMAR, "--name", help="The grammar's name; default: that of the file.")
@option(
    OUTPUT, "--note", multiple=True, help="A line of comment for the top of the file; may be repeated.", advanced=True
)
@option(
    LEARNING,
    "--support",
    default=5,
    type=click.IntRange(min=1),
    help="Least number of occurrences in which a property is pertinent.",
)
@option(LEARNING, "--w0", default=0.95, type=Finite(0, 1), help="Least share of these that validates it.")
@option(
    LEARNING,
    "--min-count",
    "count",
    formerly={"--count": None},
    default=5,
    type=click.IntRange(min=1),
    help="Least number of occurrences of operands.",
    advanced=True,
)
@option(
    LEARNING,
    "--expected",
    default=1.0,
    type=Finite(min=0),
    help="Exclusions and requirements that chance would violate less often are left out.",
    advanced=True,
)
@option(
    LEARNING,
    "--hard-support",
    "hard",
    formerly={"--hard": None},
    type=click.IntRange(min=1),
    help="Make properties hard that hold in all of at least N occurrences.",
    advanced=True,
)
@option(
    LEARNING,
    "--weigh-by",
    "weights",
    metavar="COUNT",
    formerly={"--weights": None},
    type=click.Choice(["odds", "w0", "w1", "none"]),
    default="odds",
    help="Weight and cost: odds (w1, log odds), w0 or w1 (both), or none.",
)
@option(
    LEARNING,
    "--heads",
    metavar="TABLE",
    type=click.Choice(["auto", "penn", "french", "cover"]),
    default="auto",
    help="Obligation by a table of heads, auto, penn or french; or cover, greedy.",
)
@option(LEARNING, "--functions", is_flag=True, help="Keep functions in the labels: NP-SBJ, NOUN-nsubj.", advanced=True)
@option(LEARNING, "--punctuation", is_flag=True, help="Keep punctuation.")
@option(
    INPUT,
    "--tags",
    metavar="COLUMN",
    type=click.Choice(["upos", "xpos"]),
    default="upos",
    help="Column of CoNLL-U that has the categories: upos or xpos.",
)
@option(
    GRAMMAR,
    "--structure",
    type=Input(),
    metavar="MODEL",
    help="TREES are tagged sentences: their trees come from this model of numbat learn structure.",
)
@option(
    OUTPUT,
    "--rank",
    metavar="METHOD",
    type=click.Choice(["grex"]),
    help="Print rules with features, ranked by sparse logistic regression (grex), -n of each phenomenon.",
)
@option(
    LEARNING,
    "--samples",
    default=DRAWING.samples,
    type=click.IntRange(1, 1000),
    advanced=True,
    help="With --structure: trees that are drawn for each sentence.",
)
@option(
    INPUT,
    "--max-length",
    default=DRAWING.max_length,
    type=click.IntRange(1, MAX_LENGTH),
    help="With --structure: leave out longer sentences (without punctuation).",
)
@format_option("text", "json", "tsv", "html")
@SPREADSHEETS_OPTION
@option(
    OUTPUT,
    "-n",
    "shown",
    default=20,
    type=click.IntRange(min=0),
    help="How many proposals to show, or, with --rank, rules (5).",
)
@option(
    OUTPUT,
    "--html",
    "page",
    type=Output(),
    help="With --structure: write a page with a box to tick for each proposal, too.",
)
@option(
    LEARNING,
    "--without",
    multiple=True,
    type=click.Choice(["weights"]),
    metavar="PART",
    help="Of a language: leave out weights of trees, which take longest.",
)
@option(
    OUTPUT,
    "--keep-grammar",
    is_flag=True,
    help="Make the other parts of a language anew, to follow its grammar as you have edited it.",
)
@option(OUTPUT, "--force", is_flag=True, help="Write over a language that is there.")
@seed_option("the trees that are drawn")
@takes(InduceOptions)
def induce(options: InduceOptions) -> None:
    """Induce a grammar from TREES, one or several files, with the counts behind each property. With -o FOLDER/ make a
    language: all that raw text takes, measured. With --structure TREES are tagged sentences: the properties
    of the trees that the model gives them are printed by rank, as proposals, and -o writes them as a grammar in which
    lines can be struck out, or as a language. With --rank rules with features are printed by rank, and -o writes the
    grammar.
    """
    _check(options)
    if options.makes_language:
        _language(options)
    elif options.rank is not None:
        _ranked(options)
    else:
        (_from_trees if options.structure is None else _from_tags)(options)


def _check(options: InduceOptions) -> None:
    """Raises UsageError for options that would do nothing."""
    is_table = bool(options.lexicon or options.rules) or options.form == "tsv"
    check_spreadsheets(
        options.for_spreadsheets, is_table, "add --lexicon FILE, --rules FILE or -f tsv, or leave it out"
    )
    for param in click.get_current_context().command.params:
        name = param.name or ""
        if options.structure is None and name in OF_STRUCTURE and is_given(name):
            raise UsageError(f"{written(name)} is about proposals\n  add --structure MODEL")
        if options.structure is None and options.rank is None and name in OF_PROPOSALS and is_given(name):
            raise UsageError(f"{written(name)} is about proposals\n  add --structure MODEL, or --rank grex")
        if options.structure is not None and name in OF_TREES and is_given(name):
            raise UsageError(f"{written(name)} and --structure\n  {OF_TREES[name]}: leave one of them out")
    for name in ("without", "keep_grammar", "force"):
        if is_given(name) and not options.makes_language:
            raise UsageError(f"{written(name)} is about languages\n  add -o FOLDER/, or leave it out")
    if options.rank is not None and (options.structure is not None or options.functions or options.form == "html"):
        other = "--structure" if options.structure is not None else "--functions" if options.functions else "-f html"
        raise UsageError(f"--rank and {other}\n  rules are ranked by the dependencies of a treebank: leave one out")
    if options.structure is None and options.source not in TREEBANKS:
        raise UsageError(f"--from {options.source} has no trees\n  add --structure MODEL, which gives sentences trees")


def _language(options: InduceOptions) -> None:
    from numbat.languages.making import LanguageSettings, make_language, make_language_of_tags
    from numbat.languages.report import summary
    from numbat.runs.executors import executor_of
    from numbat.runs.loop import cores
    from numbat.treebanks.tree_reader import TreeReader

    folder = options.output or ""
    for name in OF_GRAMMAR:
        if is_given(name):
            raise UsageError(f"{written(name)} and a folder\n  a language has its own: leave the option out")
    if options.keep_grammar:
        for name in (*OF_INDUCTION, "force"):
            if is_given(name):
                raise UsageError(f"{written(name)} and --keep-grammar\n  nothing is induced: leave one of them out")
    settings = LanguageSettings(
        _settings(options, options.w0),
        "weights" not in options.without,
        tuple(options.notes),
        options.keep_grammar,
        options.force,
        "numbat " + shlex.join(sys.argv[1:]),
    )
    shared = tell, executor_of(RunSettings()), cores()
    with Progress("trees") as progress:
        reader = TreeReader(_first_of_many(progress.complain), progress.advance)
        if options.structure is None:
            report = make_language(options.paths, options.source, folder, settings, reader, *shared)
        else:
            given = options.paths, options.source, folder, options.structure
            report = make_language_of_tags(*given, settings, options.drawing, reader.refuse, *shared)
    write_out(summary(report))
    if options.structure is None:
        end_trees(reader)
    else:
        end(reader.bad, report.sentences)


MAX_TOLD: Final = 10
"""So many sentences that cannot be read are told one by one; of all there is a count."""


def _first_of_many(complain: Callable[[DataError], object]) -> Callable[[DataError], None]:
    told = count(1)

    def told_of_first(error: DataError) -> None:
        if IN_FULL.get() or (number := next(told)) <= MAX_TOLD:
            complain(error)
        elif number == MAX_TOLD + 1:
            say("numbat: and more, which --verbose tells one by one")

    return told_of_first


def _settings(options: InduceOptions, w0: float) -> InduceSettings:
    from numbat.treebanks.induce import Thresholds
    from numbat.treebanks.verbs import InduceSettings, name_of

    return InduceSettings(
        name=options.name or name_of(options.paths, options.output),
        thresholds=Thresholds(support=options.support, w0=w0, count=options.count, expected=options.expected),
        hard=options.hard or 0,
        weights=options.weights,
        heads=options.heads,
        lexicon=options.lexicon is not None,
        functions=options.functions,
        punctuation=options.punctuation,
        tags=options.tags,
    )


def _from_trees(options: InduceOptions) -> None:
    from numbat.treebanks.report import induced_sizes, induced_texts, left_out_of
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import induce_grammar, source_of

    with Progress("trees") as progress:
        reader = TreeReader(progress.complain, progress.advance)
        induced = induce_grammar(options.paths, options.source, _settings(options, options.w0), reader)
    texts = induced_texts(induced, source_of(options.paths), options.notes, options.lexicon_place)
    for name, text in ((options.lexicon, texts.lexicon), (options.rules, texts.rules)):
        if name is not None:
            write(name, as_lexicon(text, options.for_spreadsheets))
    write_or_print(options.output, texts.grammar)
    if options.output is not None:
        say(f"{options.output}: {induced_sizes(induced)}")
        if said := left_out_of(induced):
            say(f"numbat: not counted: {said}")
        say(f'numbat: how much "well-formed" says by it: numbat check {options.output} --suite {_suite(options)}')
    end_trees(reader)


def _suite(options: InduceOptions) -> str:
    """Return the treebank, where it may be a suite as it is, or a word for one."""
    name = options.paths[0]
    return name if name.endswith(".conllu") else "SENTENCES"


def _ranked(options: InduceOptions) -> None:
    from numbat.reports.answers import Answer
    from numbat.reports.report import Table
    from numbat.treebanks.ranked_rules import RULE, ranked_report
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import rank_rules

    if options.output is not None or options.lexicon is not None or options.rules is not None:
        _from_trees(options)
    most = options.shown if is_given("shown") else RULES_SHOWN
    with Progress("trees") as progress:
        reader = TreeReader(progress.complain, progress.advance)
        found = rank_rules(options.paths, options.source, _settings(options, options.w0), reader, most)
    table = Table(RULE, found)
    write_in_form(
        options.form, Answer(ranked_report(found)), tsv=lambda: as_table(table.tsv(), options.for_spreadsheets)
    )
    end_trees(reader)


RULES_SHOWN: Final = 5


def _from_tags(options: InduceOptions) -> None:
    from numbat.reports.answers import Answer
    from numbat.structure import proposing
    from numbat.structure.model import read_model
    from numbat.structure.report import proposals_page, proposals_report, proposals_table, proposed_grammar
    from numbat.treebanks.induced import format_lexicon

    model_file = options.structure or ""
    model = read_model(model_file)
    material = proposing.material_for(model, options.paths, options.source, options.drawing.max_length)
    for problem in material.problems:
        complain_of_one(data_error(problem))
    settings = _settings(options, options.w0 if is_given("w0") else proposing.LEAST.w0)
    with Progress("sentences", total=len(material.sentences)) as progress:
        found = proposing.propose_grammar(model, material, options.paths, settings, options.drawing, progress.advance)
    opening = [*proposing.opening_of(found, options.paths, model_file), *options.notes]

    def page() -> str:
        return proposals_page(found, opening, options.lexicon_place, record_of({}))

    def table() -> str:
        return as_table(proposals_table(found).tsv(), options.for_spreadsheets)

    write_in_form(options.form, Answer(proposals_report(found, options.shown)), html=page, tsv=table)
    if options.lexicon is not None:
        write(options.lexicon, as_lexicon(format_lexicon(found.induced.grammar.lexicon), options.for_spreadsheets))
    if options.output is not None:
        write_and_say(options.output, proposed_grammar(found, opening, options.lexicon_place))
    if options.page is not None:
        write_and_say(options.page, page())
    for line in proposing.told_of(material):
        say(f"numbat: {line}")
    end(len(material.problems), len(material.sentences))
