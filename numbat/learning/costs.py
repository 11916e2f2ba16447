"""Max-margin learning of property costs from a suite and from corrupted neighbours of its good sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from numbat.acceptability.fitted import notes_on_groups
from numbat.acceptability.fitting import (
    FOLDS,
    Fitted,
    folds_of,
)
from numbat.acceptability.models import ByModel, scorer
from numbat.acceptability.runs import LostItems, notes_on_lost, run_suite
from numbat.acceptability.scores import Score
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.summary import (
    BASELINES,
    Experiment,
    predictor_of,
    summarize,
)
from numbat.acceptability.verdicts import Predictor, ScoredItem, comparable
from numbat.errors import DataError, UsageError, require_statistics
from numbat.errors import counted as number_of
from numbat.grammar.model import Grammar, PropertyWeights
from numbat.grammar.properties import UNIT
from numbat.learning.margin import (
    KINDS,
    LEVELS,
    STRENGTH,
    Counted,
    Learned,
    Learner,
    MarginRound,
    RankedPair,
    Tying,
    comparisons_of,
    contrasts,
    cost_of,
    counts_of,
    model_of,
    tuned,
)
from numbat.learning.settings import MarginSettings
from numbat.parsing.parser import Parser
from numbat.parsing.policies import known
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.runs.sentences import NamedText, Reader, plain, read_and_parsed

# Max margin: costs learned from the judgements of a suite, and from neighbours of its good sentences

MARGIN: Final = "margin"
"""Name of the scores under costs learned from the other folds."""
NOTHING_LEARNED: Final = "nothing is learned: the present costs rank the held-out comparisons best"

Report = Callable[[str], None]


def check_settings(settings: MarginSettings) -> None:
    """Raise UsageError for unknown names, and if there is nothing to learn from."""
    known(settings.by, LEVELS, "part of a cost")
    for kind in settings.neighbours:
        known(kind, KINDS, "kind of neighbour")
    if not settings.judgements and not settings.neighbours:
        raise UsageError("--no-judgements leaves nothing to learn from\n  add --neighbours drop,swap")


@frozen
class CountJob:
    """Parses a sentence and counts the instances that its parse violates and satisfies."""

    parser: Parser
    read: Reader

    def __call__(self, sentence: NamedText) -> Counted:
        return counts_of(read_and_parsed(sentence.text, self.parser, self.read), self.parser.valuation)


@dataclass
class SentenceCounts:
    """Parses sentences under given weights and costs, and caches the counts under those of the grammar.

    `gone` are the sentences that could not be parsed, with the reason.
    """

    parser: Parser
    read: Reader
    executor: Executor
    kept: dict[str, Counted] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)

    def __call__(self, weights: PropertyWeights, sentences: Iterable[str]) -> Mapping[str, Counted]:
        """Return the counts of the sentences that can be parsed. Parses that no costs can change are not repeated."""
        wanted = [text for text in dict.fromkeys(sentences) if text not in self.gone]
        are_own = weights == self.parser.grammar.weights
        counts = {text: kept for text in wanted if (kept := self.kept.get(text)) and (are_own or kept.final)}
        missing = [text for text in wanted if text not in counts]
        parser = self.parser if are_own else self.parser.with_weights(weights)
        inputs = (NamedText(str(number), text) for number, text in enumerate(missing, start=1))
        run = BatchRun(CountJob(parser, self.read), inputs, executor=self.executor, total=len(missing))
        for text, record in zip(missing, run.whole(), strict=True):
            if isinstance(record, Success):
                counts[text] = record.value
            else:
                self.gone[text] = record.reason
        if are_own:
            self.kept |= counts
        return counts


@frozen
class MarginSuite:
    """The result of learning from a suite.

    `learned` has the costs, `grammar` contains them, and `model` adds them to parses by the unchanged grammar. `report`
    is on the score of each sentence under costs learned from the other folds.
    """

    learned: Learned
    learner: Learner
    grammar: Grammar
    model: Fitted
    report: Experiment


@dataclass(frozen=True)
class MarginJob:
    """Learns costs from all items of a suite, and from those outside each fold.

    `lengths` are the numbers of words of the sentences, `fold_of` their folds.
    """

    counts: SentenceCounts
    settings: MarginSettings
    seed: int
    lengths: Mapping[str, int]
    fold_of: Mapping[str, int]
    report: Report

    def learn(self, items: Sequence[Item], where: str = "") -> tuple[Learned, Learner]:
        """Return the costs learned from items, and the learner that was used. Raises DataError without comparisons."""
        settings, parser = self.settings, self.counts.parser
        comparisons = self.comparisons(items)
        tying = Tying(parser.scaled_grammar, settings.by, not parser.valuation.lexicographic)
        learner = Learner(tying, settings.strength or STRENGTH, settings.rounds, self.seed)
        texts = [text for pair in comparisons for text in (pair.better, pair.worse)]
        parses = {text: [parse] for text, parse in self.counts(parser.grammar.weights, texts).items()}
        if settings.strength is None:
            learner = tuned(learner, comparisons, parses, self.fold_of)
            kept = "" if learner.strength else f": {NOTHING_LEARNED}"
            self.report(f"{where}{number_of(len(comparisons), 'comparison')}, strength {learner.strength:g}{kept}")

        def on_round(number: int, made: MarginRound) -> None:
            self.report(f"{where}round {number}: {_round_text(made)}")

        return learner.learn(comparisons, self.counts, on_round), learner

    def comparisons(self, items: Sequence[Item]) -> list[RankedPair]:
        """Return the comparisons of items. Raises DataError if there are none."""
        settings, words = self.settings, self.counts.parser.words
        pairs = comparisons_of(items, self.seed, self.lengths.__getitem__) if settings.judgements else []
        if settings.neighbours:
            good = [item.sentence for item in items if item.is_good]
            if not good:
                raise DataError("no good sentence: there are no neighbours to learn from\n  judge some sentences ok")
            pairs += contrasts(good, settings.neighbours, self.seed, words.has)
        if not pairs:
            raise DataError(
                "no pairs to learn from: sentences of one group and of about the same length have equal ratings"
                "\n  add sentences, or --neighbours drop,swap to compare good sentences with their neighbours"
            )
        return pairs


def learn_suite(
    suite: Suite,
    parser: Parser,
    settings: MarginSettings,
    seed: int = 0,
    folds: int = FOLDS,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    report: Report = lambda line: None,
) -> MarginSuite:
    """Learn from a whole suite and, for the report, from all folds but one in turn.

    Raises UsageError for invalid settings, DataError for a suite without anything to learn from, MissingExtraError
    without numpy or scipy.
    """
    require_statistics("learning costs")
    before = _before(parser)
    items = comparable(list(run_suite(suite, parser, before, read, executor, lost)))
    job = margin_job(items, parser, settings, seed, folds, read, executor, report)
    try:
        learned, learner = job.learn([item.item for item in items])
        scored = list(_held_out(job, items, folds))
    except DataError as error:
        raise DataError(f"{suite.path}: {error}{'' if items else suite.lacking('rating')}") from None
    title, beside = parser.grammar.title, {before.model: predictor_of(before)}
    experiment = summarize(suite, scored, title, MARGIN, f"out of {folds} folds", seed, beside)
    experiment = replace(experiment, notes=(*notes_on_lost(lost), *notes_on_groups(scored), *experiment.notes))
    about = _about(suite, experiment, learned, learner, settings, folds)
    model = model_of(learned, learner.tying, "fitted", about)
    return MarginSuite(learned, learner, parser.grammar.with_weights(learned.weights), model, experiment)


def margin_job(
    items: Sequence[ScoredItem],
    parser: Parser,
    settings: MarginSettings,
    seed: int = 0,
    folds: int = FOLDS,
    read: Reader = plain,
    executor: Executor = in_this_process,
    report: Report = lambda line: None,
) -> MarginJob:
    """Return the job that learns from rated items or some of them. Raises UsageError for invalid settings."""
    check_settings(settings)
    sentences = [item.item for item in items]
    divided = folds_of(sentences, [item.parse.lattice.tokens for item in items], seed, folds).of if items else []
    fold_of = {item.sentence: fold for item, fold in zip(sentences, divided, strict=True)}
    lengths = {item.item.sentence: item.length for item in items}
    return MarginJob(SentenceCounts(parser, read, executor), settings, seed, lengths, fold_of, report)


def _held_out(job: MarginJob, items: Sequence[ScoredItem], folds: int) -> Iterable[ScoredItem]:
    """Yield items, each scored under the costs learned from the other folds. Raises DataError for too few items."""
    fold = [job.fold_of[item.item.sentence] for item in items]
    if len(set(fold)) < folds:
        raise DataError(
            f"{number_of(len(items), 'judged sentence')} in {number_of(len(set(fold)), 'group')}: too few for {folds} "
            "folds\n  a group stays in one fold: use fewer --folds, or add other sentences"
        )
    values: dict[str, float | None] = {}
    for held in range(folds):
        rest = [item.item for item, number in zip(items, fold, strict=True) if number != held]
        weights = job.learn(rest, f"without fold {held + 1}: ")[0].weights
        texts = [item.item.sentence for item, number in zip(items, fold, strict=True) if number == held]
        parses = job.counts(weights, texts)
        values |= {text: 0.0 - cost_of(counted, weights) / UNIT for text, counted in parses.items()}
    for item in items:
        value = values.get(item.item.sentence)
        if value is not None:
            yield replace(item, score=Score(MARGIN, value, (), (), stopped_by=item.parse.stopped_by))


def _round_text(made: MarginRound) -> str:
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
        "score = sum of weight * value / scale: minus the cost of the grammar, minus the learned parts",
    )


def summary_lines(made: MarginSuite) -> Iterable[str]:
    """Yield a summary of learning: comparisons, rounds, stability."""
    learned = made.learned
    end = "costs are stable" if learned.stable else "costs are not stable yet"
    end = end if made.learner.strength else NOTHING_LEARNED
    yield (
        f"{number_of(learned.comparisons, 'comparison')}, strength {made.learner.strength:g}: "
        f"{learned.before:.2%} right before learning, {learned.right:.2%} after; "
        f"{number_of(len(learned.rounds), 'round')}, {end}"
    )


def costs_before_learning(parser: Parser) -> dict[str, Predictor]:
    """Return the baselines of the learned costs by name: the costs of the grammar, and the usual baselines."""
    before = _before(parser)
    return {before.model: predictor_of(before), **BASELINES}


def _before(parser: Parser) -> ByModel:
    """Return the scorer under the grammar's own costs."""
    return scorer("cost" if parser.valuation.lexicographic else "net")
