"""Induces a grammar or a language of trees, or of tagged sentences, as `numbat induce` does."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final

from numbat.errors import IN_FULL, DataError, UsageError, data_error
from numbat.files import as_lexicon, as_table, check_spreadsheets, write
from numbat.records import frozen
from numbat.reports.answers import Console
from numbat.runs.settings import TREEBANKS, RunSettings
from numbat.settings import Typed, learning, setting
from numbat.structure.settings import DrawSettings

if TYPE_CHECKING:
    from numbat.runs.record import RunRecord
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import InduceSettings

OF_STRUCTURE: Final = ("samples", "seed", "max_length", "html")
"""Options that need --structure."""
OF_PROPOSALS: Final = ("form", "n")
"""Options that need --structure or --rank."""
OF_GRAMMAR: Final = ("lexicon", "rules", "functions", "punctuation", "tags", "rank", "form", "n", "html")
"""Options that a language does not take, for it always has these parts."""
OF_INDUCTION: Final = (
    *("support", "w0", "min_count", "expected", "hard_support", "weigh_by", "heads", "samples", "max_length", "seed"),
)
"""Options that a kept grammar does not take."""
OF_TREES: Final = {
    "rules": "the rules are those of sampled trees",
    "heads": "the model says what heads are",
    "functions": "the model knows none",
    "punctuation": "the model leaves it out",
    "tags": "the tags are those that the model was learned from",
}
"""Options that --structure does not take, each with the reason."""


@frozen
class InduceAsked:
    """Settings of inducing a grammar or a language: the options of `numbat induce`."""

    paths: tuple[str, ...]
    source: str
    drawing: DrawSettings
    form: str
    for_spreadsheets: bool
    output: str | None = setting(
        None,
        "--output",
        "The grammar file, or a folder/ for a language; default: standard output.",
        writes="either",
        short="-o",
        heading="Output",
    )
    lexicon: str | None = setting(
        None, "--lexicon", "Write the lexicon and guess rules to this file.", writes="file", heading="Output"
    )
    rules: str | None = setting(
        None,
        "--rules",
        "Write the rules of the trees and their counts to this file.",
        writes="file",
        heading="Output",
        advanced=True,
    )
    name: str | None = setting(None, "--name", "The grammar's name; default: that of the file.", heading="Grammar")
    note: tuple[str, ...] = setting(
        (), "--note", "A line of comment for the top of the file; may be repeated.", heading="Output", advanced=True
    )
    support: int = learning(5, "--support", "Least number of occurrences in which a property is pertinent.", least=1)
    w0: float = learning(0.95, "--w0", "Least share of these that validates it.", least=0, most=1)
    count: int = learning(
        5, "--min-count", "Least number of occurrences of operands.", least=1, advanced=True, formerly={"--count": None}
    )
    expected: float = learning(
        1.0,
        "--expected",
        "Exclusions and requirements that chance would violate less often are left out.",
        least=0,
        advanced=True,
    )
    hard: int | None = learning(
        None,
        "--hard-support",
        "Make properties hard that hold in all of at least N occurrences.",
        least=1,
        advanced=True,
        formerly={"--hard": None},
    )
    weights: str = learning(
        "odds",
        "--weigh-by",
        "Weight and cost: odds (w1, log odds), w0 or w1 (both), or none.",
        choices=("odds", "w0", "w1", "none"),
        metavar="COUNT",
        formerly={"--weights": None},
    )
    heads: str = learning(
        "auto",
        "--heads",
        "Obligation by a table of heads, auto, penn or french; or cover, greedy.",
        choices=("auto", "penn", "french", "cover"),
        metavar="TABLE",
    )
    functions: bool = learning(False, "--functions", "Keep functions in the labels: NP-SBJ, NOUN-nsubj.", advanced=True)
    punctuation: bool = learning(False, "--punctuation", "Keep punctuation.")
    tags: str = setting(
        "upos",
        "--tags",
        "Column of CoNLL-U that has the categories: upos or xpos.",
        choices=("upos", "xpos"),
        metavar="COLUMN",
        heading="Input",
    )
    structure: str | None = setting(
        None,
        "--structure",
        "TREES are tagged sentences: their trees come from this model of numbat learn structure.",
        reads="file",
        metavar="MODEL",
        heading="Grammar",
    )
    rank: str | None = setting(
        None,
        "--rank",
        "Print rules with features, ranked by sparse logistic regression (grex), -n of each phenomenon.",
        choices=("grex",),
        metavar="METHOD",
        heading="Output",
    )
    shown: int = setting(20, "-n", "How many proposals to show, or, with --rank, rules (5).", least=0, heading="Output")
    page: str | None = setting(
        None,
        "--html",
        "With --structure: write a page with a box to tick for each proposal, too.",
        writes="file",
        heading="Output",
    )
    without: tuple[str, ...] = learning(
        (),
        "--without",
        "Of a language: leave out weights of trees, which take longest.",
        choices=("weights",),
        metavar="PART",
    )
    keep_grammar: bool = setting(
        False,
        "--keep-grammar",
        "Make the other parts of a language anew, to follow its grammar as you have edited it.",
        heading="Output",
    )
    force: bool = setting(False, "--force", "Write over a language that is there.", heading="Output")

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


RecordOf = Callable[[], "RunRecord"]
"""Makes the record of the run, where a page has one."""
Ended = tuple[int, int]
"""Number of sentences that could not be read, and of those that could."""


def induce(options: InduceAsked, typed: Typed, console: Console, record: RecordOf, command: Sequence[str]) -> Ended:
    """Induce a grammar or a language, and print or write it; a language keeps the `command` that made it.

    Raises UsageError for settings that would do nothing.
    """
    _check(options, typed)
    if options.makes_language:
        return _language(options, typed, console, command)
    if options.rank is not None:
        return _ranked(options, typed, console)
    if options.structure is None:
        return _from_trees(options, typed, console)
    return _from_tags(options, typed, console, record)


def _ended(reader: TreeReader, console: Console) -> Ended:
    reader.conclude(console.say, console.tell)
    return reader.bad, reader.good


def _check(options: InduceAsked, typed: Typed) -> None:
    """Raises UsageError for options that would do nothing."""
    is_table = bool(options.lexicon or options.rules) or options.form == "tsv"
    check_spreadsheets(
        options.for_spreadsheets, is_table, "add --lexicon FILE, --rules FILE or -f tsv, or leave it out"
    )
    for name in (each for each in typed.written if each in typed.given):
        if options.structure is None and name in OF_STRUCTURE:
            raise UsageError(f"{typed.written[name]} is about proposals\n  add --structure MODEL")
        if options.structure is None and options.rank is None and name in OF_PROPOSALS:
            raise UsageError(f"{typed.written[name]} is about proposals\n  add --structure MODEL, or --rank grex")
        if options.structure is not None and name in OF_TREES:
            raise UsageError(f"{typed.written[name]} and --structure\n  {OF_TREES[name]}: leave one of them out")
        if name in ("without", "keep_grammar", "force") and not options.makes_language:
            raise UsageError(f"{typed.written[name]} is about languages\n  add -o FOLDER/, or leave it out")
    if options.rank is not None and (options.structure is not None or options.functions or options.form == "html"):
        other = "--structure" if options.structure is not None else "--functions" if options.functions else "-f html"
        raise UsageError(f"--rank and {other}\n  rules are ranked by the dependencies of a treebank: leave one out")
    if options.structure is None and options.source not in TREEBANKS:
        raise UsageError(f"--from {options.source} has no trees\n  add --structure MODEL, which gives sentences trees")


def _language(options: InduceAsked, typed: Typed, console: Console, command: Sequence[str]) -> Ended:
    from numbat.languages.making import LanguageSettings, make_language, make_language_of_tags
    from numbat.languages.report import summary
    from numbat.runs.executors import executor_of
    from numbat.runs.loop import cores
    from numbat.treebanks.tree_reader import TreeReader

    folder = options.output or ""
    if idle := typed.first_of(OF_GRAMMAR):
        raise UsageError(f"{idle} and a folder\n  a language has its own: leave the option out")
    if options.keep_grammar and (idle := typed.first_of((*OF_INDUCTION, "force"))):
        raise UsageError(f"{idle} and --keep-grammar\n  nothing is induced: leave one of them out")
    settings = LanguageSettings(
        _settings(options, options.w0),
        "weights" not in options.without,
        tuple(options.notes),
        options.keep_grammar,
        options.force,
        "numbat " + shlex.join(command),
    )
    shared = console.tell, executor_of(RunSettings()), cores()
    reader = TreeReader(_first_of_many(console), console.advance)
    if options.structure is None:
        report = make_language(options.paths, options.source, folder, settings, reader, *shared)
    else:
        given = options.paths, options.source, folder, options.structure
        report = make_language_of_tags(*given, settings, options.drawing, reader.refuse, *shared)
    console.write(summary(report) + "\n")
    return _ended(reader, console) if options.structure is None else (reader.bad, report.sentences)


MAX_TOLD: Final = 10
"""Maximum sentences that cannot be read and are reported one by one; the end of the run counts all."""


def _first_of_many(console: Console) -> Callable[[DataError], None]:
    told = count(1)

    def told_of_first(error: DataError) -> None:
        if IN_FULL.get() or (number := next(told)) <= MAX_TOLD:
            console.complain(error)
        elif number == MAX_TOLD + 1:
            console.say("numbat: and more, which --verbose tells one by one")

    return told_of_first


def _settings(options: InduceAsked, w0: float) -> InduceSettings:
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


def _from_trees(options: InduceAsked, typed: Typed, console: Console) -> Ended:
    from numbat.treebanks.report import induced_sizes, induced_texts, left_out_of
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import induce_grammar, source_of

    reader = TreeReader(console.complain, console.advance)
    induced = induce_grammar(options.paths, options.source, _settings(options, options.w0), reader)
    texts = induced_texts(induced, source_of(options.paths), options.notes, options.lexicon_place)
    for name, text in ((options.lexicon, texts.lexicon), (options.rules, texts.rules)):
        if name is not None:
            write(name, as_lexicon(text, options.for_spreadsheets))
    console.put(options.output, texts.grammar)
    if options.output is not None:
        console.say(f"{options.output}: {induced_sizes(induced)}")
        if said := left_out_of(induced):
            console.say(f"numbat: not counted: {said}")
        console.say(
            f'numbat: how much "well-formed" says by it: numbat check {options.output} --suite {_suite(options)}'
        )
    return _ended(reader, console)


def _suite(options: InduceAsked) -> str:
    """Return the treebank, where it may be a suite as it is, or a word for one."""
    name = options.paths[0]
    return name if name.endswith(".conllu") else "SENTENCES"


def _ranked(options: InduceAsked, typed: Typed, console: Console) -> Ended:
    from numbat.reports.answers import Answer
    from numbat.reports.report import Table
    from numbat.treebanks.ranked_rules import RULE, ranked_report
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import rank_rules

    if options.output is not None or options.lexicon is not None or options.rules is not None:
        bad, good = _from_trees(options, typed, console)
        if bad:
            return bad, good
    most = options.shown if "n" in typed.given else RULES_SHOWN
    reader = TreeReader(console.complain, console.advance)
    found = rank_rules(options.paths, options.source, _settings(options, options.w0), reader, most)
    table = Table(RULE, found)
    console.answer(
        options.form, Answer(ranked_report(found)), tsv=lambda: as_table(table.tsv(), options.for_spreadsheets)
    )
    return _ended(reader, console)


RULES_SHOWN: Final = 5


def _from_tags(options: InduceAsked, typed: Typed, console: Console, record: RecordOf) -> Ended:
    from numbat.reports.answers import Answer
    from numbat.structure import proposing
    from numbat.structure.model import read_model
    from numbat.structure.report import proposals_page, proposals_report, proposals_table, proposed_grammar
    from numbat.treebanks.induced import format_lexicon

    model_file = options.structure or ""
    model = read_model(model_file)
    material = proposing.material_for(model, options.paths, options.source, options.drawing.max_length)
    for problem in material.problems:
        console.complain(data_error(problem))
    settings = _settings(options, options.w0 if "w0" in typed.given else proposing.LEAST.w0)
    console.begin("sentences", total=len(material.sentences))
    found = proposing.propose_grammar(model, material, options.paths, settings, options.drawing, console.advance)
    opening = [*proposing.opening_of(found, options.paths, model_file), *options.notes]

    def page() -> str:
        return proposals_page(found, opening, options.lexicon_place, record())

    def table() -> str:
        return as_table(proposals_table(found).tsv(), options.for_spreadsheets)

    console.answer(options.form, Answer(proposals_report(found, options.shown)), html=page, tsv=table)
    if options.lexicon is not None:
        write(options.lexicon, as_lexicon(format_lexicon(found.induced.grammar.lexicon), options.for_spreadsheets))
    if options.output is not None:
        console.save(options.output, proposed_grammar(found, opening, options.lexicon_place))
    if options.page is not None:
        console.save(options.page, page())
    for line in proposing.told_of(material):
        console.say(f"numbat: {line}")
    return len(material.problems), len(material.sentences)
