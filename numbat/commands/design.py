"""Functions of design, contrast over a file, power and theories: experiments before and after people are asked."""

from __future__ import annotations

from collections.abc import Sequence

from numbat.errors import DataError
from numbat.gradience.contrasts import (
    ContrastGroup,
    DesignChecks,
    WordFrequencies,
    check_design,
    pair_contrasts,
)
from numbat.gradience.materials import Materials
from numbat.gradience.models import Scorer, scorer
from numbat.gradience.suite import Suite
from numbat.parsing.parser import Parser
from numbat.runs.jobs import LostItems, Reader, plain, run_suite
from numbat.runs.loop import Executor, in_this_process


def check_items(
    materials: Materials,
    parser: Parser,
    frequencies: WordFrequencies | None = None,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> DesignChecks:
    """Parse the targets of an experiment, and return what their conditions differ in and have in common.

    Raises DataError for sentences that cannot be read, or have no words.
    """
    suite, score = materials.suite(), scorer("cost")
    items = list(run_suite(suite, parser, score, plain, executor, lost))
    for each in items:
        if each.score is None:
            raise DataError(f"{suite.place(each.item)}: no words\n  punctuation alone is no sentence")
    return check_design(materials, items, parser.grammar, score, frequencies)


def contrast_pairs(
    suite: Suite,
    parser: Parser,
    score: Scorer,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> Sequence[ContrastGroup]:
    """Return what each minimal pair of a suite differs in, by phenomenon. Raises DataError where it has no pairs."""
    items = [each for each in run_suite(suite, parser, score, read, executor, lost) if each.score is not None]
    return pair_contrasts(suite, items, parser.grammar, score)
