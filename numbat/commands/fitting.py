"""`numbat fit` and `numbat generate`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from numbat.gradience.experiment import Reading, Scored, comparable, plain, run
from numbat.gradience.fitted import Fit, Fitted, fit
from numbat.gradience.generate import Generated, generate, property_named
from numbat.gradience.models import Score
from numbat.gradience.suites import Suite
from numbat.gradience.summary import Experiment, summarize
from numbat.parsing.parser import Parser

HELD_OUT = "fitted"


def fitted(suite: Suite, parser: Parser, seed: int, folds: int, read: Reading = plain) -> tuple[Fit, Experiment]:
    """A model trained on a suite, and the report of the scores that each sentence got from the other folds."""
    items = comparable(list(run(suite, parser, read=read)))
    grammar = parser.grammar.name
    found = fit(items, HELD_OUT, grammar, seed, folds)
    held_out = [
        Scored(each.item, each.parse, Score(HELD_OUT, value, (), (), stopped_by=each.parse.stopped_by))
        for each, value in zip(items, found.held_out, strict=True)
    ]
    report = summarize(suite, held_out, grammar or "without name", HELD_OUT, f"out of {folds} folds", seed)
    return replace(found, model=_told(found.model, suite, report, found.penalty, folds, seed)), report


def _told(model: Fitted, suite: Suite, report: Experiment, penalty: float, folds: int, seed: int) -> Fitted:
    statistics = "; ".join(f"{name} {found}" for name, found in report.lines[0].statistics.items())
    about = (
        f"suite {suite.path}: {len(report.items)} rated sentences",
        f"ridge regression, penalty {penalty:g}, {folds} folds, seed {seed}",
        f"out of fold: {statistics}",
        "score = intercept + sum of weight * (count - mean) / scale; satisfied counts are per word",
    )
    return replace(model, about=about)


def generated(parser: Parser, number: int, seed: int, violated: str | None) -> Iterator[Generated]:
    """Sentences as they are found. Raises UsageError for a property that the grammar does not have."""
    prop = None if violated is None else property_named(violated, parser.grammar)
    return generate(parser, number, seed, prop)


def generated_rows(found: Generated, number: int, violated: str | None) -> Iterator[str]:
    """The lines of a suite: the twin as a good sentence, the other as a bad one that names its relation."""
    if violated is None:
        yield f"g{number}\tok\t{found.sentence}\tgenerated\t-\t"
        return
    prop = found.parse.violated[0].property
    if found.twin is not None:
        yield f"{number}g\tok\t{' '.join(found.twin.lattice.tokens)}\t{violated}\t-\t{number}"
    yield f"{number}b\t*\t{found.sentence}\t{violated}\t{prop.relation}\t{number if found.twin else ''}"


GENERATED_HEADER = "id\tjudgement\tsentence\tphenomenon\trelation\tpair"
