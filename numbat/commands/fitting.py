"""Fits what properties cost to judged sentences, by regression or by max margin; measures importance."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from numbat.commands.settings import MarginSettings
from numbat.commands.suites import notes_on_lost
from numbat.errors import DataError, UsageError, counted, require_statistics
from numbat.errors import counted as number_of
from numbat.files import shown
from numbat.gradience.fitting import (
    FOLDS,
    Fit,
    Fitted,
    TermsJob,
    about_fit,
    fit,
    folds_of,
    format_fitted,
    read_fitted,
    seen_before,
)
from numbat.gradience.interactions import value_of
from numbat.gradience.models import ByModel, Score, scorer
from numbat.gradience.suite import Item, Suite, proposal
from numbat.gradience.summary import (
    BASELINES,
    BOUNDED,
    COSTS,
    OTHER_CONDITIONS,
    Experiment,
    Reach,
    bounded,
    columns_of,
    on_left_out,
    predictor_of,
    reaches_of,
    summarize,
)
from numbat.gradience.terms import Frequencies, SecondGrammar, Tagging, Terms
from numbat.gradience.verdicts import LostItem, Predictor, ScoredItem, comparable
from numbat.grammar.model import Grammar, PropertyWeights
from numbat.grammar.properties import UNIT
from numbat.learning import importance
from numbat.learning.importance import Importance, ImportanceReport
from numbat.learning.margin import (
    KINDS,
    LEVELS,
    STRENGTH,
    Comparison,
    Counted,
    Learned,
    Learner,
    Round,
    Tying,
    comparisons_of,
    contrasts,
    cost_of,
    counts_of,
    model_of,
    tuned,
)
from numbat.parsing.parser import Parser
from numbat.parsing.policies import known
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.tree_model.scoring import HEADER, SUFFIX, TreeModel, packaged_weights
from numbat.parsing.treebank_parser import TreebankParser
from numbat.records import frozen
from numbat.runs.jobs import LostItems, Reader, plain, read_and_parsed, run_suite
from numbat.runs.loop import BatchRun, Executor, Failure, Success, in_this_process
from numbat.runs.record import name_of
from numbat.runs.sources import InputSentence, NamedText
from numbat.statistics.intervals import affordable
from numbat.treebank.converting import gold_parameters
from numbat.words.lattice import Lattice
from numbat.words.tag_maps import TagMap

HELD_OUT: Final = "fitted"
"""The name of the scores that the other folds give."""
UNFITTED: Final = ("cost", "fitness", "local")
"""The models beside which a fitted one is shown."""
NEW_CONDITIONS: Final = "fitted, for new conditions"
"""The name of the scores by models that saw no sentence of the same condition."""
TRIVIAL_ALONE: Final = "length, unknown words and marks, fitted"
"""The name of the scores of a regression on these alone."""


@frozen
class SecondGrammarFiles:
    """The files of a second grammar: itself, expansions to parse by, a tagger for its unknown words."""

    grammar: str | None = None
    expansions: str | None = None
    tagger: str | None = None

    def named(self) -> tuple[tuple[str, str], ...]:
        """Return the files that are given, by what they are. Raises UsageError for files without a grammar."""
        files = {"grammar": self.grammar, "expansions": self.expansions, "tagger": self.tagger}
        found = tuple((what, path) for what, path in files.items() if path is not None)
        if found and self.grammar is None:
            raise UsageError(f"--also-{found[0][0]} needs a second grammar\n  add --also-grammar FILE")
        return found

    def load(self) -> SecondGrammar | None:
        """Return the second grammar made ready; None without one."""
        if not self.named():
            return None
        from numbat.grammar.loading import load_grammar
        from numbat.parsing.treebank_grammar.expansions import read_expansions

        grammar = load_grammar(str(self.grammar))
        parser: SentenceParser = Parser(grammar)
        seen = None
        if self.expansions is not None:
            expansions = read_expansions(self.expansions)
            parser, seen = TreebankParser(grammar, expansions), Frequencies.from_grammar(grammar, expansions)
        tagging = None if self.tagger is None else _tagging(self.tagger, parser, seen is not None)
        return SecondGrammar(parser, seen, tagging)


def _tagging(model: str, parser: SentenceParser, beside_expansions: bool) -> Tagging:
    from numbat.runs.guesser import BESIDE_EXPANSIONS, guesser

    known = guesser(model, None, parser.words, False, BESIDE_EXPANSIONS if beside_expansions else 1.0)

    def tag(lattice: Lattice) -> tuple[Lattice, list[dict[str, float]]]:
        likely = known.likely(lattice)
        return known.informed(lattice, likely), [dict(labels) for labels in likely]

    return tag


@frozen
class FittedSuite:
    """A model trained on a suite, and the report of the scores that each sentence got from the other folds, with what
    it is compared with."""

    fit: Fit
    report: Experiment
    beside: Mapping[str, Predictor]


def fit_suite(
    suite: Suite,
    parser: Parser,
    seed: int = 0,
    folds: int = FOLDS,
    read: Reader = plain,
    second: SecondGrammar | None = None,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    conditions: Sequence[str] = (),
) -> FittedSuite:
    """Train a model on the rated items of a suite. `conditions` are the columns that say which sentences are of one
    condition; without any it is the phenomenon. Raises DataError for one that there is too little to learn from.

    Nothing is learned from an item that is lost: it is kept in `lost`. Raises MissingExtraError without numpy or scipy.
    """
    require_statistics("a fitted model")
    items = comparable(list(run_suite(suite, parser, scorer("cost"), read, executor, lost)))
    grammar = parser.grammar.name
    more = None if second is None else TermsOfSecond(second)
    try:
        if more is not None:
            items = more.ready_for(items, executor, lost)
        of = [condition_of(each.item, conditions) for each in items]
        found = fit(items, HELD_OUT, grammar, seed, folds, more, _run, of)
    except DataError as error:
        unread = "" if suite.rated else suite.lacking("rating")
        raise DataError(f"{suite.path}: {error}{unread}") from None
    held_out = [
        ScoredItem(each.item, each.parse, Score(HELD_OUT, value, (), (), stopped_by=each.parse.stopped_by))
        for each, value in zip(items, found.held_out, strict=True)
    ]
    beside = beside_fitted(held_out, found)
    title = parser.grammar.title
    report = summarize(suite, held_out, title, HELD_OUT, f"out of {folds} folds", seed, beside)
    reaches = _reaches(held_out, suite, found, seed, conditions)
    notes = (*notes_on_lost(lost), *notes_on_groups(items), *notes_on_conditions(found, of), *report.notes)
    report = replace(report, notes=notes, reaches=tuple(reaches))
    about = about_fit(found, suite, report, folds, seed)
    return FittedSuite(replace(found, model=replace(found.model, about=about)), report, beside)


def notes_on_groups(items: Sequence[ScoredItem]) -> Iterator[str]:
    """Return a note where ids look as if they stood for groups, of which folds know nothing."""
    told = proposal([each.item for each in items], "the figures here are too good")
    if told is not None:
        yield told


def _reaches(
    items: Sequence[ScoredItem], suite: Suite, found: Fit, seed: int, columns: Sequence[str]
) -> Iterator[Reach]:
    """Return what the statistics generalise to: to other conditions those of models that did not see them."""

    def condition(item: Item) -> str:
        return condition_of(item, columns)

    new = found.new_conditions
    apart = () if new is None else reaches_of(items, suite, seed, new_conditions(items, new), condition)
    by_others = {each.what: each for each in apart if each.what == OTHER_CONDITIONS}
    return (by_others.get(each.what, each) for each in reaches_of(items, suite, seed, condition=condition))


def condition_of(item: Item, columns: Sequence[str]) -> str:
    """Return the condition of an item: its cells in these columns, without any its phenomenon."""
    return " ".join(value_of(item, column) for column in columns).strip() if columns else item.phenomenon


def notes_on_conditions(found: Fit, conditions: Sequence[str]) -> Iterator[str]:
    """Return a note where sentences were judged by models that saw others of their condition."""
    if found.new_conditions is not None:
        number = counted(len(set(conditions)), "condition")
        yield (
            f"the folds hold out sentences, whose {number} the models saw: the figures are for other sentences of "
            f'these; "{NEW_CONDITIONS}" is by models that saw none of the condition'
        )


def beside_fitted(items: Sequence[ScoredItem], found: Fit) -> dict[str, Predictor]:
    """Return the baselines of a fitted model on the same sentences: models that nothing was fitted for, and a
    regression on length, unknown words and marks alone, judged on the same folds.
    """
    trivial = {each.id: value for each, value in zip(items, found.trivial, strict=True)}
    new = {} if found.new_conditions is None else {NEW_CONDITIONS: new_conditions(items, found.new_conditions)}
    unfitted = {name: predictor_of(scorer(name)) for name in UNFITTED}
    return new | unfitted | {TRIVIAL_ALONE: lambda each: trivial[each.id]}


def new_conditions(items: Sequence[ScoredItem], values: Sequence[float]) -> Predictor:
    """Return the scores by models that saw no sentence of the same condition."""
    known = {each.id: value for each, value in zip(items, values, strict=True)}
    return lambda each: known[each.id]


def condition_gains(fitted: FittedSuite, seed: int, conditions: Sequence[str] = ()) -> Iterator[str]:
    """Return what the scores for new conditions are more than each other model, with intervals over conditions."""
    scores = fitted.beside.get(NEW_CONDITIONS)
    if scores is None:
        return
    report = fitted.report
    units = [condition_of(each.item, conditions) for each in comparable(report.items)]
    name = "AUC" if report.main == "AUC" else "pearson"
    for other, predictor in compared_with(fitted.beside).items():
        columns = columns_of(name, report.items, scores)._replace(units=units)
        found = columns.over(columns_of(name, report.items, predictor).scores, seed)
        yield f"for new conditions more than {other}: {name} {found}"


def compared_with(beside: Mapping[str, Predictor]) -> dict[str, Predictor]:
    """Return the same models, the cost in its bounded form, and the baselines of every model."""
    costs = {BOUNDED.format(name): bounded(each) for name, each in beside.items() if name in COSTS}
    others = {name: each for name, each in beside.items() if name not in (*COSTS, NEW_CONDITIONS)}
    return {**costs, **others, **BASELINES}


def _run(job: Callable[[ScoredItem], Terms], items: Sequence[ScoredItem]) -> Iterator[Terms]:
    return BatchRun(job, items).values()


@frozen
class SecondJob:
    """Gives the terms of a text by a second grammar."""

    second: SecondGrammar

    def __call__(self, given: NamedText) -> Terms:
        return self.second.terms_of(given.text)


class TermsOfSecond:
    """Gives the terms of a sentence by a second grammar, which parses the same words once."""

    def __init__(self, second: SecondGrammar) -> None:
        self._second = second
        self._known: dict[str, Terms] = {}

    def __call__(self, parse: Parse) -> Terms:
        text = parse.sentence
        if text not in self._known:
            self._known[text] = self._second.terms_of(text)
        return self._known[text]

    def ready_for(
        self, items: Sequence[ScoredItem], executor: Executor, lost: LostItems | None
    ) -> tuple[ScoredItem, ...]:
        """Return the items whose terms are known now; those that are lost are kept in `lost`. Raises DataError."""
        texts = {each.parse.sentence: each.id for each in items}
        inputs = (NamedText(id, text) for text, id in texts.items())
        run = BatchRun(SecondJob(self._second), inputs, executor=executor, total=len(texts))
        gone: dict[str, str] = {}
        for text, record in zip(texts, run.whole(), strict=True):
            if isinstance(record, Success):
                self._known[text] = record.value
            elif record.lost and lost is not None:
                lost.complain(record.as_error())
                gone[text] = record.reason
            else:
                raise record.as_error()
        for each in items:
            if lost is not None and each.parse.sentence in gone:
                lost.items.append(LostItem(each.item, gone[each.parse.sentence], "by the second grammar"))
        return tuple(each for each in items if each.parse.sentence not in gone)


def format_model(path: str, model: Fitted, second: SecondGrammarFiles) -> str:
    """Return the text of a model for the file `path`; the files of a second grammar are named from its folder."""
    folder = Path(path).resolve().parent
    files = [(what, os.path.relpath(file, folder) if os.path.exists(file) else file) for what, file in second.named()]
    return format_fitted(replace(model, also=tuple(files)))


def read_model(path: str, grammar: Grammar) -> Fitted:
    """Return a model of `numbat learn costs`, ready to score.

    Raises errors as `read_fitted`, and those of its other files.
    """
    model = read_fitted(path, grammar)
    folder = Path(path).resolve().parent
    files = {what: str(folder / file) if os.path.exists(folder / file) else file for what, file in model.also}
    second = SecondGrammarFiles(**files).load()
    return model if second is None else replace(model, more=TermsOfSecond(second))


# Max margin: costs learned from judgements of a suite, and from neighbours of its good sentences

MARGIN: Final = "margin"
"""The name of the scores under costs that were learned from the other folds."""
NOTHING_LEARNED: Final = "nothing is learned, held-out comparisons come out best under the costs as they stand"

Told = Callable[[str], None]


def check_settings(settings: MarginSettings) -> None:
    """Raises UsageError for names that are not known, and where there is nothing to learn from."""
    known(settings.by, LEVELS, "part of a cost")
    for kind in settings.neighbours:
        known(kind, KINDS, "kind of neighbour")
    if not settings.judgements and not settings.neighbours:
        raise UsageError("--no-judgements leaves nothing to learn from\n  add --neighbours drop,swap")


@frozen
class CountJob:
    """Parses a sentence and counts what its parse violates and satisfies."""

    parser: Parser
    read: Reader

    def __call__(self, given: NamedText) -> Counted:
        return counts_of(read_and_parsed(given.text, self.parser, self.read), self.parser.valuation)


@dataclass
class SentenceCounts:
    """Parses sentences under weights and costs as they are asked for; the counts under the grammar's own are kept.

    `gone` are the sentences that could not be parsed, with the reason.
    """

    parser: Parser
    read: Reader
    executor: Executor
    kept: dict[str, Counted] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)

    def __call__(self, weights: PropertyWeights, sentences: Iterable[str]) -> Mapping[str, Counted]:
        """Return the counts of the sentences that could be parsed. What no costs can change is not parsed anew."""
        wanted = [text for text in dict.fromkeys(sentences) if text not in self.gone]
        own = weights == self.parser.grammar.weights
        found = {text: kept for text in wanted if (kept := self.kept.get(text)) and (own or kept.final)}
        missing = [text for text in wanted if text not in found]
        parser = self.parser if own else self.parser.with_weights(weights)
        inputs = (NamedText(str(number), text) for number, text in enumerate(missing, start=1))
        run = BatchRun(CountJob(parser, self.read), inputs, executor=self.executor, total=len(missing))
        for text, record in zip(missing, run.whole(), strict=True):
            if isinstance(record, Success):
                found[text] = record.value
            else:
                self.gone[text] = record.reason
        if own:
            self.kept |= found
        return found


@frozen
class MarginSuite:
    """The result of learning from a suite: the grammar with its costs, a model of them for the grammar without, and the
    report of the scores that each sentence got under the costs of the other folds.
    """

    learned: Learned
    learner: Learner
    grammar: Grammar
    model: Fitted
    report: Experiment


@dataclass(frozen=True)
class MarginJob:
    """Learns from items of a suite: from all of them, and from those of all folds but one.

    `lengths` are the words of each sentence, `fold_of` its fold.
    """

    counts: SentenceCounts
    settings: MarginSettings
    seed: int
    lengths: Mapping[str, int]
    fold_of: Mapping[str, int]
    told: Told

    def learn(self, items: Sequence[Item], where: str = "") -> tuple[Learned, Learner]:
        """Return what was learned of items, and the learner with its strength.

        Raises DataError where they say nothing.
        """
        settings, parser = self.settings, self.counts.parser
        comparisons = self.comparisons(items)
        tying = Tying(parser.scaled_grammar, settings.by, not parser.valuation.lexicographic)
        learner = Learner(tying, settings.strength or STRENGTH, settings.rounds, self.seed)
        texts = [text for each in comparisons for text in (each.better, each.worse)]
        found = {text: [parse] for text, parse in self.counts(parser.grammar.weights, texts).items()}
        if settings.strength is None:
            learner = tuned(learner, comparisons, found, self.fold_of)
            kept = "" if learner.strength else f": {NOTHING_LEARNED}"
            self.told(f"{where}{number_of(len(comparisons), 'comparison')}, strength {learner.strength:g}{kept}")

        def said(number: int, made: Round) -> None:
            self.told(f"{where}round {number}: {_round_text(made)}")

        return learner.learn(comparisons, self.counts, said), learner

    def comparisons(self, items: Sequence[Item]) -> list[Comparison]:
        """Return the comparisons of items. Raises DataError where there is none."""
        settings, words = self.settings, self.counts.parser.words
        found = comparisons_of(items, self.seed, self.lengths.__getitem__) if settings.judgements else []
        if settings.neighbours:
            good = [item.sentence for item in items if item.is_good]
            if not good:
                raise DataError("no good sentence: there are no neighbours to learn from\n  judge some of them ok")
            found += contrasts(good, settings.neighbours, self.seed, words.has)
        if not found:
            raise DataError(
                "no pairs to learn from: no two sentences of a group and of about the same length are rated differently"
                "\n  add sentences, or --neighbours drop,swap to compare good sentences with their neighbours"
            )
        return found


def learn_suite(
    suite: Suite,
    parser: Parser,
    settings: MarginSettings,
    seed: int = 0,
    folds: int = FOLDS,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    told: Told = lambda line: None,
) -> MarginSuite:
    """Learn from all of a suite, and for the report from all folds but one, fold by fold.

    Raises UsageError for settings that say nothing, DataError for a suite that there is nothing to learn from,
    MissingExtraError without numpy or scipy.
    """
    require_statistics("learning costs")
    before = _before(parser)
    items = comparable(list(run_suite(suite, parser, before, read, executor, lost)))
    job = margin_job(items, parser, settings, seed, folds, read, executor, told)
    try:
        learned, learner = job.learn([each.item for each in items])
        scored = list(_held_out(job, items, folds))
    except DataError as error:
        raise DataError(f"{suite.path}: {error}{'' if items else suite.lacking('rating')}") from None
    title, beside = parser.grammar.title, {before.model: predictor_of(before)}
    report = summarize(suite, scored, title, MARGIN, f"out of {folds} folds", seed, beside)
    report = replace(report, notes=(*notes_on_lost(lost), *notes_on_groups(scored), *report.notes))
    about = _about(suite, report, learned, learner, settings, folds)
    model = model_of(learned, learner.tying, "fitted", about)
    return MarginSuite(learned, learner, parser.grammar.with_weights(learned.weights), model, report)


def margin_job(
    items: Sequence[ScoredItem],
    parser: Parser,
    settings: MarginSettings,
    seed: int = 0,
    folds: int = FOLDS,
    read: Reader = plain,
    executor: Executor = in_this_process,
    told: Told = lambda line: None,
) -> MarginJob:
    """Return the job that learns from parts of items that have a rating.

    Raises UsageError for settings that say nothing.
    """
    check_settings(settings)
    sentences = [each.item for each in items]
    divided = folds_of(sentences, [each.parse.lattice.tokens for each in items], seed, folds).of if items else []
    fold_of = {item.sentence: fold for item, fold in zip(sentences, divided, strict=True)}
    lengths = {each.item.sentence: each.length for each in items}
    return MarginJob(SentenceCounts(parser, read, executor), settings, seed, lengths, fold_of, told)


def _held_out(job: MarginJob, items: Sequence[ScoredItem], folds: int) -> Iterable[ScoredItem]:
    """Return the items with their scores under what was learned from the other folds.

    Raises DataError for too few items.
    """
    fold = [job.fold_of[each.item.sentence] for each in items]
    if len(set(fold)) < folds:
        raise DataError(
            f"{number_of(len(items), 'judged sentence')} in {number_of(len(set(fold)), 'group')}: too few for {folds} "
            "folds\n  what belongs together shares its fold: take fewer --folds, or add other sentences"
        )
    values: dict[str, float | None] = {}
    for held in range(folds):
        rest = [each.item for each, own in zip(items, fold, strict=True) if own != held]
        weights = job.learn(rest, f"without fold {held + 1}: ")[0].weights
        texts = [each.item.sentence for each, own in zip(items, fold, strict=True) if own == held]
        found = job.counts(weights, texts)
        values |= {text: 0.0 - cost_of(each, weights) / UNIT for text, each in found.items()}
    for each in items:
        value = values.get(each.item.sentence)
        if value is not None:
            yield replace(each, score=Score(MARGIN, value, (), (), stopped_by=each.parse.stopped_by))


def _round_text(made: Round) -> str:
    return (
        f"objective {made.objective:.4f}, {made.right:.2%} of the comparisons right, duality gap {made.gap:.2%}, "
        f"largest change {made.change:.3f} usual costs"
    )


def _about(
    suite: Suite, report: Experiment, learned: Learned, learner: Learner, settings: MarginSettings, folds: int
) -> tuple[str, ...]:
    """Return the description at the beginning of a model file."""
    sources = [*(["judgements"] if settings.judgements else []), *(f"neighbours: {n}" for n in settings.neighbours)]
    statistics = "; ".join(f"{name} {value}" for name, value in report.lines[0].statistics.items())
    return (
        f"suite {suite.name}: {len(report.items)} rated sentences",
        f"max margin, {learned.comparisons} comparisons ({', '.join(sources)}), by {settings.by}, "
        f"strength {learner.strength:g}, {len(learned.rounds)} rounds{'' if learned.stable else ', not stable'}, "
        f"{folds} folds, seed {learner.seed}",
        f"out of fold: {statistics}",
        "score = sum of weight * value / scale: minus the cost of the grammar, minus what was learned beside it",
    )


def summary_lines(made: MarginSuite) -> Iterable[str]:
    """Return a summary of what was learned, in lines: comparisons, rounds, which costs changed most."""
    learned = made.learned
    end = "costs are stable" if learned.stable else "costs are not stable yet"
    end = end if made.learner.strength else NOTHING_LEARNED
    yield (
        f"{number_of(learned.comparisons, 'comparison')}, strength {made.learner.strength:g}: "
        f"{learned.before:.2%} right before, {learned.right:.2%} with what was learned; "
        f"{number_of(len(learned.rounds), 'round')}, {end}"
    )


def costs_before_learning(parser: Parser) -> dict[str, Predictor]:
    """Return the baselines of the learned costs by name: the costs of the grammar, and the baselines of every model."""
    before = _before(parser)
    return {before.model: predictor_of(before), **BASELINES}


def _before(parser: Parser) -> ByModel:
    """Return the scores under the grammar's own costs."""
    return scorer("cost" if parser.valuation.lexicographic else "net")


# importance


def importance_of_fitted(
    path: str,
    suite: Suite,
    parser: Parser,
    seed: int = 0,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    by: str = "relation",
) -> ImportanceReport:
    """Return the importance of each relation in a model that `numbat learn costs` wrote, on a suite; `by` property:
    that of each property that is violated there.

    Raises the errors of `read_model`, DataError for a suite without judgements, MissingExtraError without numpy or
    scipy.
    """
    require_statistics("importance")
    model = read_model(path, parser.grammar)
    if not suite.rated and not suite.pairs:
        raise DataError(
            f"{suite.path}: no item is judged or rated, so that nothing can be lost{suite.lacking('rating')}\n"
            "  give a suite with judgements, ratings or pairs"
        )
    every = list(run_suite(suite, parser, scorer("cost"), read, executor, lost))
    items = [each for each in every if each.score is not None]
    if isinstance(model.more, TermsOfSecond):
        items = list(model.more.ready_for(items, executor, lost))
    terms = list(BatchRun(TermsJob(model.more), items, total=len(items)).values())
    found = importance.fitted_importance(model, suite, items, terms, seed, by == "property")
    kind = "pair" if found.measure == "pair accuracy" else "sentence"
    seen = seen_before(name_of(path), model, suite, items)
    notes = (
        *notes_on_lost(lost),
        *on_left_out(suite, every),
        *seen,
        *_notes(found),
    )
    number = counted(found.whole.number, kind)
    if found.groups < found.whole.number:
        number += f" in {counted(found.groups, 'group')}"
    return ImportanceReport(
        name_of(path), suite.name, number, importance.RELATION_WEIGHT, importance.RELATION_LEFT_OUT, found, notes
    )


def is_weights(path: str) -> bool:
    """True if a model is one of `numbat learn weights`: by its suffix, its first line, or a packaged name."""
    if path.endswith(SUFFIX) or packaged_weights(path) is not None:
        return True
    if not os.path.isfile(path):
        return False
    with suppress(OSError), open(path, "rb") as file:
        return file.read(len(HEADER)) == HEADER
    return False


def importance_of_weights(
    model: str,
    on: str,
    parser: TreebankParser,
    sentences: Iterable[InputSentence | DataError],
    mapped: TagMap,
    seed: int = 0,
    executor: Executor = in_this_process,
    complain: Callable[[DataError], object] = lambda error: None,
) -> ImportanceReport:
    """Return the importance of each relation and each group of features in learned weights, the parser's, on sentences
    with trees.

    `model` and `on` are the names of the files, `mapped` what the tags of the trees are in the grammar. A sentence that
    cannot be read or parsed is left out, and `complain` is told why. Raises UsageError for a parser without weights,
    DataError where no sentence is left, MissingExtraError without numpy or scipy.
    """
    require_statistics("importance")
    if parser.weights is None:
        raise UsageError("a parser without weights has no parts\n  give it weights of numbat learn weights")
    parts = importance.tree_parts(parser.weights, parser.grammar)
    tree_model = TreeModel(importance.own_copy(parser.weights), parser.evaluator, parser.passes.fine)
    job = importance.TreeOutcomeJob(parser.passes, tree_model, parts, parser.prune, gold_parameters(mapped))
    outcomes, failures = [], []
    for record in BatchRun(job, _judged(sentences), executor=executor).whole():
        if isinstance(record, Failure):
            failures.append(record)
            complain(record.as_error())
        else:
            outcomes.append(record.value)
    if not outcomes:
        raise DataError(f"{shown(on)}: no tree to measure on\n  give a file of trees, with --from if need be")
    found = importance.tree_importance(parts, outcomes, seed)
    notes = [f"{counted(len(failures), 'sentence')} left out, which could not be read or parsed"] * bool(failures)
    notes += _notes(found)
    number = counted(len(outcomes), "tree")
    return ImportanceReport(
        name_of(model),
        shown(name_of(on)),
        number,
        importance.TEMPLATE_WEIGHT,
        importance.TEMPLATE_LEFT_OUT,
        found,
        tuple(notes),
    )


def _judged(sentences: Iterable[InputSentence | DataError]) -> Iterator[importance.JudgedSentence | DataError]:
    """Return the sentences that have a tree; one whose branches cross is an error."""
    from numbat.treebank.crossing import CrossingTree
    from numbat.treebank.notes import CROSSING, UnfitTreeError

    for each in sentences:
        if isinstance(each, DataError):
            yield each
        elif isinstance(each.gold, CrossingTree):
            yield UnfitTreeError(CROSSING, each.id)
        elif each.gold is not None:
            yield importance.JudgedSentence(each.id, each.lattice, each.gold)


def _notes(found: Importance) -> Iterator[str]:
    if found.whole.value is None:
        yield f"{found.measure} has no value here: scores or judgements are all the same"
    elif not affordable(found.whole.number, found.groups):
        alone = "pair" if found.measure == "pair accuracy" else "item"
        what = "group" if found.groups < found.whole.number else alone
        yield f"{counted(found.groups, what)} only: too few for intervals"
