"""What the verbs on suites of judged sentences do: test, report, compare, coverage, ablate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from numbat.gradience.fitting.about import seen_before
from numbat.gradience.fitting.fitted import Fitted
from numbat.gradience.models.scores import Scorer
from numbat.gradience.suites.comparison import (
    Ablation,
    Comparison,
    PropertyCoverage,
    ablation,
    compare,
    coverage,
    weakened_parsers,
)
from numbat.gradience.suites.regression import (
    OutcomeChange,
    TestedItem,
    check_relations,
    expectation_path,
    judge_items,
    outcome_changes,
    read_expected,
)
from numbat.gradience.suites.suite import Suite
from numbat.gradience.suites.summary import Experiment, summarize
from numbat.parsing.parser import Parser
from numbat.runs.suites import Reader, plain, run_suite


def judge_suite(suite: Suite, parser: Parser, read: Reader = plain) -> list[TestedItem]:
    """Every item with its outcome.

    Raises DataError where no item has a judgement to test by, and for relations that the grammar does not have.
    """
    check_relations(suite, parser.grammar)
    return judge_items(suite, list(run_suite(suite, parser, None, read)))


def changed_since_accepted(suite: Suite, tested: Sequence[TestedItem]) -> list[OutcomeChange] | None:
    """The outcomes that differ from those kept beside the suite; None where none were accepted.

    Raises DataError for a file of outcomes that cannot be read.
    """
    path = expectation_path(suite.path)
    return outcome_changes(read_expected(path), [each.outcome for each in tested]) if path.exists() else None


def report_suite(
    suite: Suite,
    parser: Parser,
    model: str,
    score: Scorer,
    weights: str = "grammar",
    seed: int = 0,
    read: Reader = plain,
    others: Mapping[str, Scorer] | None = None,
) -> Experiment:
    """Parse, score and compare all items of a suite; `model` and `weights` are names to show.

    A fitted model has weights of its own, and is shown with those. `others` are models to compare with.
    """
    items = list(run_suite(suite, parser, score, read))
    shown = score.name if isinstance(score, Fitted) else weights
    made = summarize(suite, items, parser.grammar.name or "without name", model, shown, seed, others)
    fitted = {name: each for name, each in {**(others or {}), model: score}.items() if isinstance(each, Fitted)}
    seen = (note for name, each in fitted.items() for note in seen_before(name, each, made))
    return replace(made, notes=(*seen, *made.notes))


def compare_grammars(suite: Suite, old: Parser, new: Parser, score: Scorer, read: Reader = plain) -> Comparison:
    """The suite under both grammars, and the items that changed."""
    before, after = (list(run_suite(suite, parser, score, read)) for parser in (old, new))
    return compare(before, after)


def cover(suite: Suite, parser: Parser, read: Reader = plain) -> list[PropertyCoverage]:
    """Every property of the grammar, with how often the suite evaluates, satisfies and violates it."""
    return coverage(list(run_suite(suite, parser, None, read)), parser.grammar)


def ablate(suite: Suite, parser: Parser, score: Scorer, seed: int = 0, read: Reader = plain) -> Iterator[Ablation]:
    """What the suite says of the whole grammar first, then of each one with a heuristic or a relation switched off."""
    whole = list(run_suite(suite, parser, score, read))
    yield ablation("nothing", whole, whole, suite, seed)
    for name, weaker in weakened_parsers(parser):
        yield ablation(name, whole, list(run_suite(suite, weaker, score, read)), suite, seed)
