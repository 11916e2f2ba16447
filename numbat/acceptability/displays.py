"""Displays of reports, comparisons, coverage and repairs in notebooks: as HTML with tables and drawings, and as text.

The text is the same as that of the corresponding verb on the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from numbat.acceptability.comparison import GrammarComparison, ScoreChange, comparison_report, overall_lines
from numbat.acceptability.coverage import Coverage, coverage_report
from numbat.acceptability.reasons import repair
from numbat.acceptability.repair import RepairedSentence, Repairs
from numbat.acceptability.scores import figure
from numbat.acceptability.suite_report import (
    FURTHEST,
    ceiling_line,
    figure_or_dash,
    is_compared,
    marked,
    missing_intervals,
    phenomena_table,
    reach,
    statistics_table,
    suite_report,
    worst_residuals,
)
from numbat.acceptability.summary import Experiment
from numbat.acceptability.verdicts import foremost, unknown_in_all
from numbat.errors import counted, visible
from numbat.grammar.properties import format_property
from numbat.markup import MOST, Display, html_table, others_left, paragraph, safe
from numbat.parsing.explanation.drawing import drawn, svg
from numbat.parsing.result import Parse


def _drawing(parse: Parse) -> str:
    return f'<div class="wide">{svg(parse, styled=False)}</div>'


# Reports, comparisons, coverage


def _report(made: Experiment) -> Iterator[str]:
    """The statistics of each predictor, then the phenomena, then the sentences furthest from the judgements."""
    suite = made.suite
    yield f"<h4>{safe(suite.name)}</h4>"
    yield paragraph(f"{counted(len(made.items), 'sentence')}, {suite.kind}{suite.means}")
    yield paragraph(f"grammar {made.grammar}, model {made.model}, weights {made.weights}")
    yield paragraph(f"{counted(made.full, 'full parse')}, {made.well_formed:,} of them well formed")
    yield from _notes((*made.foremost, *made.notes))
    if is_compared(made):
        rows = [*statistics_table(made).cells()]
        yield from html_table(rows, len(rows[0]) - 1)
    if made.ceiling is not None:
        yield paragraph(ceiling_line(made.ceiling), "faint")
    phenomena = [*phenomena_table(made).cells()]
    if len(phenomena) > 1:
        yield from html_table(phenomena, 4)
    yield from (paragraph(remark, "faint") for remark in (reach(made), *missing_intervals(made)) if remark)
    if worst := worst_residuals(made):
        yield paragraph(FURTHEST)
        for residual in worst:
            yield f"<details><summary>{safe(f'{residual.value:+.2f}  {marked(residual.scored)}')}</summary>"
            yield drawn(residual.scored.parse)
            yield "</details>"


def _notes(notes: Iterable[str]) -> Iterator[str]:
    return (paragraph(note, "note") for note in notes)


def _comparison(compared: GrammarComparison) -> Iterator[str]:
    """The number of changed sentences, then each sentence, which unfolds to show both trees."""
    changes = compared.changes
    yield from _notes(foremost(compared.after))
    yield from map(paragraph, overall_lines(compared))
    for change in changes[:MOST]:
        yield from _change(change)
    yield from (paragraph(others, "faint") for others in others_left(len(changes), "changed sentence"))
    yield from (paragraph(f"lost: {item}", "bad") for item in compared.lost)


def _change(change: ScoreChange) -> Iterator[str]:
    kind = {True: "good", False: "bad", None: "faint"}[change.is_better]
    scores = f"{figure_or_dash(change.before.value)} → {figure_or_dash(change.after.value)}"
    said = safe(f"{change.item.id}: {change.item.star}{change.item.sentence}")
    yield f'<details><summary>{said} <span class="{kind}">{safe(scores)}</span></summary>'
    yield from (paragraph(f"✗ {name}", "bad") for name in change.gained)
    yield from (paragraph(f"✓ {name}, no longer violated", "good") for name in change.lost)
    for scored in (change.before, change.after):
        yield _drawing(scored.parse)
    yield "</details>"


def _coverage(covered: Coverage) -> Iterator[str]:
    """The properties that were evaluated, then those that never were."""
    tested = [prop for prop in covered.properties if prop.is_evaluated()]
    untested = [prop.property for prop in covered.properties if not prop.is_evaluated()]
    yield from _notes(foremost(covered.items))
    of = f"{len(tested)} of {counted(len(covered.properties), 'property', 'properties')}"
    yield paragraph(f"{of} evaluated by {counted(len(covered.items), 'sentence')}")
    rows: list[Sequence[str]] = [
        ("construction", "property", "line", "satisfied", "violated", "in good", "in bad", "undecided")
    ]
    rows += [
        (
            coverage.property.construction,
            format_property(coverage.property),
            coverage.property.place,
            *map(str, (coverage.satisfied, coverage.violated, coverage.good, coverage.bad, coverage.undecided)),
        )
        for coverage in tested
    ]
    yield from html_table(rows, 5)
    if untested:
        yield f"<details><summary>never evaluated: {len(untested)}</summary>"
        named = ((prop.construction, format_property(prop), prop.place) for prop in untested)
        yield from html_table([("construction", "property", "line"), *named])
        yield "</details>"
    yield from map(paragraph, unknown_in_all([item.parse for item in covered.items]))


# Repairs


def _repairs(repairs: Repairs) -> Iterator[str]:
    """Each repair with its gain and the repaired sentence."""
    if repairs:
        rows = [("edits", "sentence", "still violated", "gain an edit")]
        rows += [
            (repaired.says, repaired.sentence, str(len(repaired.parse.violated)), figure(repaired.gain_per_edit))
            for repaired in repairs[:MOST]
        ]
        yield from html_table(rows, 2)
    yield from (paragraph(others, "faint") for others in others_left(len(repairs), "repair"))
    yield from _notes(_end(repairs))


def _repairs_lines(repairs: Repairs) -> Iterator[str]:
    for repaired in repairs[:MOST]:
        yield f"{figure(repaired.gain_per_edit):>7} an edit: {repaired.says}"
        yield f"{'':9}{visible(repaired.sentence)}"
    yield from others_left(len(repairs), "repair")
    yield from _end(repairs)


def _end(repairs: Repairs) -> Iterator[str]:
    """Say that there are no repairs, or that a limit ended the search early."""
    if repairs.stopped_by:
        before = f"the limit on {repairs.stopped_by}"
        yield (
            f"stopped by {before}: other edits may gain more"
            if repairs
            else f"no edit was found that improves the score before {before}"
        )
    elif not repairs:
        yield "no edit improves the score"


def _repaired(repaired: RepairedSentence) -> Iterator[str]:
    yield paragraph(f"{repaired.score.model} {figure(repaired.score.value)}: {repaired.parse.sentence}")
    yield _drawing(repaired.parse)
    yield from _repairs(repaired.repairs)


DISPLAYS: Final[dict[type, Display]] = {
    Experiment: Display(_report, lambda made: suite_report(made).lines()),
    GrammarComparison: Display(_comparison, lambda compared: comparison_report(compared).lines()),
    Coverage: Display(_coverage, lambda covered: coverage_report(covered, "").lines()),
    RepairedSentence: Display(_repaired, lambda repaired: repair(repaired).lines()),
    Repairs: Display(_repairs, _repairs_lines),
}
"""Displays by the type of the result."""
