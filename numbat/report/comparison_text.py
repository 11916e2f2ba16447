"""What a suite says of a grammar, as text: outcomes of a test, changes after an edit, coverage, ablation, fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from numbat.gradience.suites.comparison import SAME, Ablation, Comparison, PropertyCoverage
from numbat.gradience.suites.regression import OutcomeChange, TestedItem
from numbat.gradience.suites.scored_items import LostItem, Predictor, ScoredItem
from numbat.gradience.suites.summary import BASELINES, Experiment, gains
from numbat.grammar.properties import format_named, format_property
from numbat.parsing.explanation.labels import aligned
from numbat.parsing.explanation.wording import on_one_line
from numbat.report.run_notes import named_as_lost
from numbat.report.suite_text import figure_or_dash


def comparison_lines(compared: Comparison) -> Iterator[str]:
    """What changed in all, then item by item with the properties to which it is due."""
    before, after, found = compared.before, compared.after, compared.changes
    yield f"{len(found)} of {len(after)} sentences changed"
    yield f"well formed {_well_formed(before)} -> {_well_formed(after)}, full {_full(before)} -> {_full(after)}"
    judged = Counter(change.is_better for change in found)
    if judged[True] or judged[False]:
        yield f"{judged[True]} towards the judgements, {judged[False]} away from them"
    for change in found:
        item = change.item
        verdict = {True: "better", False: "worse", None: ""}[change.is_better]
        yield ""
        scores = f"{figure_or_dash(change.before.value)} -> {figure_or_dash(change.after.value)}"
        yield f"{item.id}: {item.star}{on_one_line(item.sentence)}  {scores} {verdict}".rstrip()
        yield from (f"    + violated: {name}" for name in change.gained)
        yield from (f"    - no longer: {name}" for name in change.lost)
        if not change.gained and not change.lost:
            yield f"    {SAME}"
    yield from lost_lines(compared.lost)


def _well_formed(items: Iterable[ScoredItem]) -> int:
    return sum(each.parse.is_well_formed for each in items)


def _full(items: Iterable[ScoredItem]) -> int:
    return sum(each.parse.is_full for each in items)


def coverage_lines(found: Sequence[PropertyCoverage]) -> Iterator[str]:
    """A row for each property that was evaluated, then those that never were."""
    tested = [each for each in found if each.satisfied + each.violated]
    violated = sum(bool(each.violated) for each in tested)
    yield f"{len(tested)} of {len(found)} properties evaluated, {violated} of them violated somewhere"
    yield ""
    rows = [["construction", "property", "satisfied", "violated", "in good", "in bad", "line"]]
    for each in tested:
        prop = each.property
        numbers = (each.satisfied, each.violated, each.good, each.bad)
        rows.append([prop.construction, format_property(prop), *map(str, numbers), prop.place])
    yield from aligned(rows)
    untested = [each.property for each in found if not each.satisfied + each.violated]
    if untested:
        yield ""
        yield "never evaluated:"
        yield from (f"    {format_named(prop)}  {prop.place}".rstrip() for prop in untested)
    never = [each.property for each in tested if not each.violated]
    if never:
        yield ""
        yield f"never violated, so that nothing shows what they forbid: {len(never)}"


def ablation_lines(found: Iterable[Ablation], statistic: str) -> Iterator[str]:
    """The whole grammar, then what is lost without each heuristic and relation, the most important first."""
    first, *rest = found
    rows = [["without", statistic, "loss", "full parses", "met a limit"]]
    ordered = sorted(rest, key=lambda each: -(each.loss.value or 0.0))
    for each in (first, *ordered):
        loss = "" if each is first else str(each.loss)
        rows.append([each.name, str(each.value), loss, str(each.full), str(each.stopped)])
    yield from aligned(rows)


def gain_lines(report: Experiment, seed: int, others: Mapping[str, Predictor] = BASELINES) -> Iterator[str]:
    """How much better a fitted model does than each baseline, with the intervals of the differences."""
    for name, other in others.items():
        found = gains(report, other, seed)
        yield f"more than {name}: " + ", ".join(f"{statistic} {value}" for statistic, value in found.items())


def outcome_lines(tested: Sequence[TestedItem]) -> Iterator[str]:
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


def lost_lines(lost: Sequence[LostItem]) -> Iterator[str]:
    """The items that are in no figure, each with the reason, below an empty line."""
    if lost:
        yield ""
    yield from named_as_lost("sentence", list(map(str, lost)))


def change_lines(changes: Sequence[OutcomeChange]) -> Iterator[str]:
    """What has changed since the outcomes were accepted."""
    yield f"{len(changes)} changed since accepted" if changes else "nothing changed since accepted"
    yield from (f"  {change}" for change in changes)
