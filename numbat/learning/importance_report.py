"""The importance report: the contribution of each part of a model; as text, TSV, JSON and page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from operator import attrgetter
from typing import Any, Final

from numbat.errors import visible
from numbat.files import table_row
from numbat.learning.importance import Importance, ImportanceReport, ImportanceRow
from numbat.markup import safe
from numbat.parsing.explanation.violations import on_one_line
from numbat.records import frozen
from numbat.reports.pages import page
from numbat.reports.report import Column, Line, Lines, Member, Members, Part, Table, attributes, cautions, report
from numbat.runs.record import RunRecord
from numbat.statistics.intervals import Estimate

WHOLE: Final = "(whole model)"
COLUMNS: Final = (
    *("part", "terms", "weight", "weight_low", "weight_high"),
    *("value", "value_low", "value_high", "lost", "lost_low", "lost_high"),
)
"""Columns of the TSV. `value` is the statistic of the whole model in the first row, and without the part in others."""


@report("numbat.importance/2")
def importance_report(report: ImportanceReport) -> Iterator[Part]:
    """Yield the measured quantities, the parts of the model, and the meaning of the columns."""
    importance = report.importance
    yield Line(f"{on_one_line(report.model)} on {on_one_line(report.on)}: {report.items}")
    yield Line(f"{importance.measure} of the whole model: {importance.whole}")
    yield Members(
        {"model": report.model, "on": report.on, "items": importance.whole.number, "groups": importance.groups}
    )
    yield Members({"measure": importance.measure, "weight": report.weight, "left_out": report.left_out})
    yield Member("notes", list(report.notes), [*cautions(report.notes), ""])
    yield Member("whole", _estimate(importance.whole))
    yield Table(PART, importance.rows, "parts")
    yield Lines(["", *legend(report)])


def legend(report: ImportanceReport) -> Iterator[str]:
    """Yield the meaning of the columns."""
    yield f"weight: {report.weight}"
    yield f"without: {report.importance.measure} with {report.left_out}"
    yield f"lost: the whole model minus that; in brackets 95 % intervals for other {_drawn(report)}"
    if report.importance.whole.units:
        yield SINGLE.format(len(report.importance.rows))


SINGLE: Final = "the {} intervals are not corrected for multiple comparisons: 1 in 20 misses the true value"


def _drawn(report: ImportanceReport) -> str:
    importance = report.importance
    if importance.groups < importance.whole.number:
        return f"{importance.groups:,} groups"
    return f"{importance.groups:,} {'pairs' if importance.measure == 'pair accuracy' else 'items'}"


def _value(estimate: Estimate) -> str:
    return "none" if estimate.value is None else f"{estimate.value:.3f}"


def _weight(row: ImportanceRow) -> str:
    return f"{row.weight:.3f}" + ("" if row.interval is None else " [{:.3f}, {:.3f}]".format(*row.interval))


def _signed(estimate: Estimate) -> str:
    if estimate.value is None:
        return "none"
    interval = f" [{signed(estimate.low)}, {signed(estimate.high)}]" if estimate.low is not None else ""
    return f"{signed(estimate.value)}{interval}"


PART: Final[Sequence[Column[ImportanceRow]]] = (
    Column("part", "", "name"),
    Column("terms", "", "terms", attrgetter("count")),
    Column("weight", _weight, "weight", attrgetter("weight")),
    Column(key="weight_interval", value=attrgetter("interval")),
    Column("without", lambda row: _value(row.without), "without", lambda row: _estimate(row.without)),
    Column("lost", lambda row: _signed(row.lost), "lost", lambda row: _estimate(row.lost)),
)


def signed(difference: float | None) -> str:
    """Return a difference with its sign; empty for None."""
    return "" if difference is None else f"{round(difference, 4) + 0:+.4f}"  # + 0 turns -0 into 0


def importance_table(report: ImportanceReport) -> str:
    """Return a row for the whole model and one for each part; missing values are empty cells."""
    importance = report.importance
    weights = [sum(row.weight for row in importance.rows), None, None]
    lines = [table_row(COLUMNS), _tsv_row(WHOLE, sum(row.count for row in importance.rows), weights, importance.whole)]
    for row in importance.rows:
        weights = [row.weight, *(row.interval or (None, None))]
        lines.append(_tsv_row(row.name, row.count, weights, row.without, row.lost))
    return "".join(f"{line}\n" for line in lines)


def _tsv_row(
    name: str, terms: int, weights: Sequence[float | None], value: Estimate, lost: Estimate | None = None
) -> str:
    numbers = [*weights, value.value, value.low, value.high]
    numbers += [None] * 3 if lost is None else [lost.value, lost.low, lost.high]
    return table_row([on_one_line(name), terms, *map(_cell, numbers)])


def _cell(number: float | None) -> str:
    return "" if number is None else f"{round(number, 9) + 0:.6g}"


def _estimate(estimate: Estimate) -> dict[str, Any] | None:
    return attributes(estimate, "value", "low", "high")


# The page: for each part a line with a point and interval for its loss and a bar for its weight

ROW: Final = 24.0
TOP: Final = 52.0
BOTTOM: Final = 24.0
NAMES: Final = 200.0
LOST: Final = 400.0
WEIGHTS: Final = 160.0
GAP: Final = 28.0
WIDTH: Final = NAMES + LOST + GAP + WEIGHTS + 20.0
MAX_NAME: Final = 26
TICKS: Final = 5
BODY: Final = """<p>{about}</p>
{notes}<figure>
<div class="wide" tabindex="0">{plot}</div>
</figure>
<div class="wide" tabindex="0"><table><thead><tr><th>part</th><th class="n">terms</th><th class="n">weight</th>
<th class="n">without</th><th class="n">lost</th><th class="n">95 % interval</th></tr></thead>
<tbody>
{rows}
</tbody></table></div>
{legend}
"""


def importance_page(report: ImportanceReport, record: RunRecord | None = None) -> str:
    """Return the page as text, with the record of the run at its end."""
    importance = report.importance
    body = BODY.format(
        about=safe(f"{report.items}. {importance.measure} of the whole model: {_shown(str(importance.whole))}."),
        notes="".join(f'<p class="note">{safe(note)}</p>\n' for note in report.notes),
        plot=importance_plot(importance),
        rows="\n".join(map(_row_svg, importance.rows)),
        legend="\n".join(f'<p class="faint">{safe(line)}</p>' for line in legend(report)),
    )
    return page(f"{report.model} on {report.on}", ("importance.css",), body, record)


def _row_svg(row: ImportanceRow) -> str:
    lost = row.lost
    has_interval = lost.low is not None and lost.high is not None
    cells = [
        str(row.count),
        _weight(row),
        "" if row.without.value is None else f"{row.without.value:.3f}",
        signed(lost.value),
        f"{signed(lost.low)} to {signed(lost.high)}" if has_interval else "",
    ]
    written = "".join(f'<td class="n">{_shown(cell) or "–"}</td>' for cell in cells)
    return f"<tr><th>{safe(row.name)}</th>{written}</tr>"


# The plot


@frozen
class _Scale:
    """Numbers from `low` to `high` laid over the pixels from `start` to `end`, with a line every `step`."""

    low: float
    high: float
    step: float
    start: float
    end: float

    @classmethod
    def from_numbers(cls, numbers: Sequence[float], start: float, end: float) -> _Scale:
        """Return a scale that covers 0 and all numbers, with about `TICKS` lines."""
        low, high = min(0.0, *numbers, 0.0), max(0.0, *numbers, 0.0)
        if high - low < 1e-9:
            high = low + 1.0
        power = 10.0 ** floor(log10((high - low) / TICKS))
        step = next(power * digit for digit in (1, 2, 5, 10, 20) if (high - low) / (power * digit) <= TICKS)
        return cls(floor(low / step) * step, ceil(high / step) * step, step, start, end)

    def at(self, number: float) -> float:
        """Return the pixel of a number."""
        return self.start + (number - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        """Numbers with a line."""
        return [self.low + i * self.step for i in range(round((self.high - self.low) / self.step) + 1)]


def importance_plot(importance: Importance) -> str:
    """Return the plot as SVG, parts from top to bottom."""
    ends = [end for row in importance.rows for end in (row.lost.value, row.lost.low, row.lost.high) if end is not None]
    lost = _Scale.from_numbers(ends, NAMES, NAMES + LOST)
    weights = _Scale.from_numbers(
        [row.weight for row in importance.rows], NAMES + LOST + GAP, NAMES + LOST + GAP + WEIGHTS
    )
    height = TOP + ROW * len(importance.rows) + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" aria-label="Loss without each part">',
        f'<text class="head" x="{lost.start:.0f}" y="16">{safe(importance.measure)} lost without it</text>',
        f'<text class="head" x="{weights.start:.0f}" y="16">weight</text>',
        *_grid(lost, height),
        *_grid(weights, height),
    ]
    for number, row in enumerate(importance.rows):
        parts += _line(row, TOP + ROW * (number + 0.5), lost, weights)
    return "\n".join([*parts, "</svg>"])


def _grid(scale: _Scale, height: float) -> Iterator[str]:
    for tick in scale.ticks:
        x, kind = scale.at(tick), "zero" if abs(tick) < scale.step / 2 else "grid"
        yield f'<line class="{kind}" x1="{x:.1f}" y1="{TOP - 6:.1f}" x2="{x:.1f}" y2="{height - BOTTOM:.1f}"/>'
        text = _shown(f"{0.0 if kind == 'zero' else tick:.3g}")
        yield f'<text x="{x:.1f}" y="{TOP - 12:.1f}" text-anchor="middle">{text}</text>'


def _line(row: ImportanceRow, y: float, lost: _Scale, weights: _Scale) -> Iterator[str]:
    name = visible(row.name)
    short = name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
    yield f'<text x="{NAMES - 12:.0f}" y="{y + 4:.1f}" text-anchor="end">{escape(short)}</text>'
    if row.lost.value is not None:
        yield f'<g class="lost {_kind(row.lost)}"><title>{safe(_tooltip(row))}</title>'
        if row.lost.low is not None and row.lost.high is not None:
            left, right = lost.at(row.lost.low), lost.at(row.lost.high)
            yield f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}"/>'
        yield f'<circle cx="{lost.at(row.lost.value):.1f}" cy="{y:.1f}" r="4.5"/></g>'
    wide = weights.at(row.weight) - weights.at(0.0)
    yield f'<rect class="weight" x="{weights.at(0.0):.1f}" y="{y - 6:.1f}" width="{max(0.0, wide):.1f}" height="12"/>'


def _kind(lost: Estimate) -> str:
    """Return "sure" if the interval shows a loss, "harmful" if it shows a gain, else "unsure"."""
    if lost.low is not None and lost.low > 0:
        return "sure"
    return "harmful" if lost.high is not None and lost.high < 0 else "unsure"


def _tooltip(row: ImportanceRow) -> str:
    interval = f", {signed(row.lost.low)} to {signed(row.lost.high)}" if row.lost.low is not None else ""
    return _shown(f"{row.name}: {signed(row.lost.value)}{interval}; weight {row.weight:.3f}")


def _shown(text: str) -> str:
    return text.replace("-", "−")
