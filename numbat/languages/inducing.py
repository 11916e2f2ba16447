"""Implementation of `numbat induce`: a grammar or a language from trees, or from tagged sentences."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final

from numbat.errors import IN_FULL, DataError, UsageError, data_error
from numbat.files import as_lexicon, as_table, check_spreadsheets, write
from numbat.languages.settings import InduceAsked
from numbat.reports.answers import Console
from numbat.runs.settings import TREEBANKS, RunSettings
from numbat.settings import Typed

if TYPE_CHECKING:
    from numbat.runs.record import RunRecord
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import InduceSettings

OF_STRUCTURE: Final = ("samples", "seed", "max_length", "html", "form", "n")
"""Options that need --structure."""
OF_GRAMMAR: Final = ("lexicon", "rules", "functions", "punctuation", "tags", "form", "n", "html")
"""Options that do not apply to a language."""
OF_INDUCTION: Final = (
    *("support", "w0", "min_count", "expected", "hard_support", "weigh_by", "heads", "samples", "max_length", "seed"),
)
"""Options that have no effect with --keep-grammar."""
OF_TREES: Final = {
    "rules": "the rules are those of sampled trees",
    "heads": "the model determines the heads",
    "functions": "the model has none",
    "punctuation": "the model leaves it out",
    "tags": "the tags are those that the model was learned from",
}
"""Options that have no effect with --structure, each with the reason."""


RecordOf = Callable[[], "RunRecord"]
"""Function that makes the record of the run for a page."""
Ended = tuple[int, int]
"""Numbers of sentences that could not be read and that could."""


def induce(options: InduceAsked, typed: Typed, console: Console, record: RecordOf, command: Sequence[str]) -> Ended:
    """Induce a grammar or a language, and print or write it; a language records the `command` that made it.

    Raises UsageError for settings without effect.
    """
    _check(options, typed)
    if options.makes_language:
        return _language(options, typed, console, command)
    if options.structure is None:
        return _from_trees(options, typed, console)
    return _from_tags(options, typed, console, record)


def _ended(reader: TreeReader, console: Console) -> Ended:
    reader.conclude(console.say, console.tell)
    return reader.bad, reader.good


def _check(options: InduceAsked, typed: Typed) -> None:
    """Raise UsageError for options without effect."""
    is_table = bool(options.lexicon or options.rules) or options.form == "tsv"
    check_spreadsheets(
        options.for_spreadsheets, is_table, "add --lexicon FILE, --rules FILE or -f tsv, or leave it out"
    )
    for name in (option for option in typed.written if option in typed.given):
        if options.structure is None and name in OF_STRUCTURE:
            raise UsageError(f"{typed.written[name]} has no effect without --structure\n  add --structure MODEL")
        if options.structure is not None and name in OF_TREES:
            raise UsageError(
                f"{typed.written[name]} has no effect with --structure\n  {OF_TREES[name]}: leave one of them out"
            )
        if name in ("without", "keep_grammar", "force") and not options.makes_language:
            raise UsageError(
                f"{typed.written[name]} has no effect on a grammar in one file\n"
                "  make a language with -o FOLDER/, or leave the option out"
            )
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
        raise UsageError(f"{idle} has no effect on a language\n  leave it out, or make a grammar with -o FILE")
    if options.keep_grammar and (idle := typed.first_of((*OF_INDUCTION, "force"))):
        raise UsageError(f"{idle} has no effect with --keep-grammar, which induces no grammar\n  leave one out")
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
"""Maximum number of unreadable sentences reported one by one; the end of the run counts all."""


def _first_of_many(console: Console) -> Callable[[DataError], None]:
    numbers = count(1)

    def complain(error: DataError) -> None:
        if IN_FULL.get() or (number := next(numbers)) <= MAX_TOLD:
            console.complain(error)
        elif number == MAX_TOLD + 1:
            console.say("numbat: and more; --verbose lists all")

    return complain


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
            f'numbat: to see how much "well-formed" means: numbat check {options.output} --suite {_suite(options)}'
        )
    return _ended(reader, console)


def _suite(options: InduceAsked) -> str:
    """Return the name of the treebank file if it can serve as a suite, else a placeholder."""
    name = options.paths[0]
    return name if name.endswith(".conllu") else "SENTENCES"


def _from_tags(options: InduceAsked, typed: Typed, console: Console, record: RecordOf) -> Ended:
    from numbat.reports.answers import Answer
    from numbat.structure import proposals
    from numbat.structure.model import read_model
    from numbat.structure.report import proposals_page, proposals_report, proposals_table, proposed_grammar
    from numbat.treebanks.induced import format_lexicon

    model_file = options.structure or ""
    model = read_model(model_file)
    material = proposals.material_for(model, options.paths, options.source, options.drawing.max_length)
    for problem in material.problems:
        console.complain(data_error(problem))
    settings = _settings(options, options.w0 if "w0" in typed.given else proposals.LEAST.w0)
    console.begin("sentences", total=len(material.sentences))
    grammar = proposals.propose_grammar(model, material, options.paths, settings, options.drawing, console.advance)
    opening = [*proposals.opening_of(grammar, options.paths, model_file), *options.notes]

    def page() -> str:
        return proposals_page(grammar, opening, options.lexicon_place, record())

    def table() -> str:
        return as_table(proposals_table(grammar).tsv(), options.for_spreadsheets)

    console.answer(options.form, Answer(proposals_report(grammar, options.shown)), html=page, tsv=table)
    if options.lexicon is not None:
        write(options.lexicon, as_lexicon(format_lexicon(grammar.induced.grammar.lexicon), options.for_spreadsheets))
    if options.output is not None:
        console.save(options.output, proposed_grammar(grammar, opening, options.lexicon_place))
    if options.page is not None:
        console.save(options.page, page())
    for line in proposals.told_of(material):
        console.say(f"numbat: {line}")
    return len(material.problems), len(material.sentences)
