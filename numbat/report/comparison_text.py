"""What an edit of a grammar gained and lost, what a suite tests, what matters on it, what a fit gains, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from numbat.gradience.suites.comparison import SAME, Ablation, Comparison, PropertyCoverage
from numbat.gradience.suites.scored_items import ScoredItem
from numbat.gradience.suites.summary import BASELINES, Experiment, gains
from numbat.grammar.properties import format_named, format_property
from numbat.parsing.explanation.labels import aligned
from numbat.parsing.explanation.wording import on_one_line
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


def gain_lines(report: Experiment, seed: int) -> Iterator[str]:
    """How much better a fitted model does than each baseline, with the intervals of the differences."""
    for name in BASELINES:
        found = gains(report, name, seed)
        yield f"more than {name}: " + ", ".join(f"{statistic} {value}" for statistic, value in found.items())
