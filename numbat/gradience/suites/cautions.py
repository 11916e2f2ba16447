"""What to beware of in the figures of a suite: parses, words and ratings that make them mean less than they seem to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from numbat.errors import counted, first_of
from numbat.gradience.suites.independence import too_few
from numbat.gradience.suites.known_words import unknown_in_all
from numbat.gradience.suites.scored_items import ScoredItem, comparable
from numbat.gradience.suites.suite import Suite
from numbat.gradience.suites.verdicts import is_undecided

NAMED: Final = 3
"""So many sentences are named where more have the same fault."""


def cautions(suite: Suite, items: Sequence[ScoredItem], compared: Sequence[ScoredItem]) -> Iterator[str]:
    """What keeps the figures of the scored items from meaning what they seem to; `compared` have score and rating."""
    yield from suite.notes
    yield from _on_parses(items)
    yield from _on_words(items)
    yield from _on_ratings(suite, items)
    yield from _on_compared(compared)


def on_left_out(suite: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    """What of a rated suite is in no figure of its scored items, or seems to be no rating."""
    yield from suite.notes
    yield from _on_wordless(items)
    yield from _on_ratings(suite, items)


def on_ablated(suite: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    """What to beware of where the scored items of a suite are compared with themselves under weaker grammars."""
    yield from on_left_out(suite, items) if suite.rated else suite.notes
    compared = [each.item for each in comparable(items)]
    if len(compared) > 1 and (few := too_few(compared)):
        yield few


def _on_wordless(items: Sequence[ScoredItem]) -> Iterator[str]:
    if wordless := sum(each.score is None for each in items):
        yield f"without words, and without a score: {wordless}"


def _on_parses(items: Sequence[ScoredItem]) -> Iterator[str]:
    full = sum(each.parse.is_full for each in items)
    if not full:
        yield "no sentence has a full parse: the grammar does not fit this suite, and scores say little"
    elif full < len(items) / 2:
        yield f"only {full} of {len(items)} sentences have a full parse: scores of the others are of fragments"
    yield from _on_wordless(items)
    if stopped := sum(each.parse.stopped_by is not None for each in items):
        yield f"sentences that met a limit, so that a better parse may exist: {stopped}"


def _on_words(items: Sequence[ScoredItem]) -> Iterator[str]:
    yield from unknown_in_all([each.parse for each in items])
    if undecided := [each.id for each in items if is_undecided(each)]:
        which = f"{len(undecided):,} ({first_of(undecided, NAMED)})"
        yield f"bad sentences undecided, for all that is wrong may be due to words not in the lexicon: {which}"


def _on_ratings(suite: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    rated = sum(each.item.rating is not None for each in items)
    if not rated:
        nothing = "no item is judged or rated: there are scores, but nothing to compare them with"
        yield nothing + suite.lacking("rating")
        return
    signs = sum(each.item.rating is None and each.item.by_sign for each in items)
    if rated + signs < len(items):
        yield f"without a rating, and left out of the statistics: {len(items) - rated - signs}"
    if signs:
        yield f"with a sign instead of a number, and left out of correlations and AUC: {signs}"


def _on_compared(compared: Sequence[ScoredItem]) -> Iterator[str]:
    if len(compared) > 1 and len({each.value for each in compared}) == 1:
        yield "all scores are equal: the model tells nothing apart here"
    if len(compared) > 1 and len({each.item.rating for each in compared}) == 1:
        yield "all ratings are equal: there is nothing to tell apart"
    different = len({each.item.sentence for each in compared})
    if compared and 2 * different <= len(compared):
        few = f"{counted(different, 'sentence')} only in {len(compared)} items: number the sentences in a column id"
        yield f"{few}, so that ratings are averaged, or the intervals are too narrow"
    if len(compared) == 1:
        yield "one item only: no statistic has a value"
    elif 2 * different > len(compared) and (few := too_few([each.item for each in compared])):
        yield few
