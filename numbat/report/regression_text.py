"""The outcome of a regression test of a suite, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from numbat.gradience.suites.regression import OutcomeChange, TestedItem
from numbat.parsing.explanation.wording import on_one_line


def summary_lines(tested: Sequence[TestedItem]) -> Iterator[str]:
    """The shares of good and bad items that pass, ambiguity, then each item that fails, with what the grammar says."""
    groups = {
        "good sentences at cost 0": [t for t in tested if t.scored.item.is_good and not t.scored.item.pair],
        "bad sentences that violate what they should": [
            t for t in tested if t.scored.item.is_good is False and not t.scored.item.pair
        ],
        "sentences of pairs on the right side": [t for t in tested if t.scored.item.pair],
    }
    for name, group in groups.items():
        if group:
            passed = sum(each.outcome.verdict == "pass" for each in group)
            yield f"{passed} of {len(group)} {name} ({passed * 100 // len(group)}%)"  # 100% is all of them
    trees = [each.scored.parse.count for each in tested]
    yield f"equally good trees for a sentence: median {median(trees):g}, at most {max(trees):,}"
    if unjudged := sum(each.outcome.verdict == "-" for each in tested):
        yield f"{unjudged} without a clear judgement"
    for each in tested:
        if each.outcome.verdict == "fail":
            item = each.scored.item
            yield ""
            yield f"{item.id}: {item.star}{on_one_line(item.sentence)}  {each.reason}"
            yield from (f"    {line}" for line in each.scored.parse.explain())


def change_lines(changes: Sequence[OutcomeChange]) -> Iterator[str]:
    """What has changed since the outcomes were accepted."""
    yield f"{len(changes)} changed since accepted" if changes else "nothing changed since accepted"
    yield from (f"  {change}" for change in changes)
