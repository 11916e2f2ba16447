"""Learns by max margin what properties cost, from a suite and from corrupted neighbours of its good sentences."""

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
    RankedPair,
    Round,
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
        texts = [text for pair in comparisons for text in (pair.better, pair.worse)]
        found = {text: [parse] for text, parse in self.counts(parser.grammar.weights, texts).items()}
        if settings.strength is None:
            learner = tuned(learner, comparisons, found, self.fold_of)
            kept = "" if learner.strength else f": {NOTHING_LEARNED}"
            self.told(f"{where}{number_of(len(comparisons), 'comparison')}, strength {learner.strength:g}{kept}")

        def said(number: int, made: Round) -> None:
            self.told(f"{where}round {number}: {_round_text(made)}")

        return learner.learn(comparisons, self.counts, said), learner

    def comparisons(self, items: Sequence[Item]) -> list[RankedPair]:
        """Return the comparisons of items. Raises DataError where there is none."""
        settings, words = self.settings, self.counts.parser.words
        pairs = comparisons_of(items, self.seed, self.lengths.__getitem__) if settings.judgements else []
        if settings.neighbours:
            good = [item.sentence for item in items if item.is_good]
            if not good:
                raise DataError("no good sentence: there are no neighbours to learn from\n  judge some of them ok")
            pairs += contrasts(good, settings.neighbours, self.seed, words.has)
        if not pairs:
            raise DataError(
                "no pairs to learn from: no two sentences of a group and of about the same length are rated differently"
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
        learned, learner = job.learn([item.item for item in items])
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
    divided = (
        folds_of(sentences, [scored_item.parse.lattice.tokens for scored_item in items], seed, folds).of
        if items
        else []
    )
    fold_of = {item.sentence: fold for item, fold in zip(sentences, divided, strict=True)}
    lengths = {each.item.sentence: each.length for each in items}
    return MarginJob(SentenceCounts(parser, read, executor), settings, seed, lengths, fold_of, told)


def _held_out(job: MarginJob, items: Sequence[ScoredItem], folds: int) -> Iterable[ScoredItem]:
    """Return the items with their scores under what was learned from the other folds.

    Raises DataError for too few items.
    """
    fold = [job.fold_of[item.item.sentence] for item in items]
    if len(set(fold)) < folds:
        raise DataError(
            f"{number_of(len(items), 'judged sentence')} in {number_of(len(set(fold)), 'group')}: too few for {folds} "
            "folds\n  what belongs together shares its fold: take fewer --folds, or add other sentences"
        )
    values: dict[str, float | None] = {}
    for held in range(folds):
        rest = [each.item for each, own in zip(items, fold, strict=True) if own != held]
        weights = job.learn(rest, f"without fold {held + 1}: ")[0].weights
        texts = [scored_item.item.sentence for scored_item, own in zip(items, fold, strict=True) if own == held]
        found = job.counts(weights, texts)
        values |= {text: 0.0 - cost_of(counted, weights) / UNIT for text, counted in found.items()}
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
