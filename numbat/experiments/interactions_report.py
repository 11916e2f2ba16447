"""Reports of factorial designs: how the model's interactions differ from people's, means, formulas; text, JSON, plots.

Means of people and of the model stand side by side, each on its own scale; interactions are compared on people's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from math import ceil, floor, log10
from operator import attrgetter
from typing import Any, Final

from numbat.acceptability.summary import Experiment
from numbat.errors import counted
from numbat.experiments.interaction_verdicts import InteractionEstimate
from numbat.experiments.interactions import CellMean, Design, DesignReport, FormulaResult, named
from numbat.experiments.materials import Factor
from numbat.markup import safe, stand_alone
from numbat.records import frozen
from numbat.reports.report import Column, Lines, Member, Members, Object, Part, Table, attributes, cautions
from numbat.statistics.intervals import Estimate

SHOWN_PROPERTIES: Final = 3
SHOWN_INTERVALS: Final = 5
"""Number of intervals in a row of the table of interactions."""
SINGLE: Final = "the {} intervals are not corrected for multiple comparisons: 1 of 20 misses"
SIGNS: Final = {
    "alike": "= alike",
    "stronger": "+ stronger in the model",
    "weaker": "- weaker in the model",
    "opposite": "x opposite in the model",
    "cannot tell": "? cannot tell",
}
"""Texts for the verdicts."""


@frozen
class DesignSection:
    """The factorial design of an experiment as a section of its report."""

    report: DesignReport

    def part(self, model: str) -> Part:
        """Return the design as part of a report."""
        return Object("design", [*design_parts(self.report, model)])

    def on_page(self, model: str) -> dict[str, Any]:
        """Return the part of the page as HTML."""
        return {"designs": design_html(self.report, model)}


def design_in(experiment: Experiment) -> DesignReport | None:
    """Return the factorial design of an experiment, None without one."""
    return next((section.report for section in experiment.sections if isinstance(section, DesignSection)), None)


def design_parts(report: DesignReport, model: str) -> Iterator[Part]:
    """Yield the interaction in each design with a verdict, the means by condition, and the formulas."""
    yield Member("factors", [{"name": factor.name, "levels": list(factor.levels)} for factor in report.factors])
    yield Members({"interaction": report.contrast or None, "people_unit": report.unit})
    slope = report.link.by_items if report.link.sentences else None
    yield Members({"participants": report.participants, "slope": _interval(slope), "alike": report.bound})
    yield Member("notes", list(report.notes), cautions(report.notes))
    if report.designs:
        yield Lines([*_contrast_lines(report, model), "", *_mean_lines(report, model)])
    yield Member("designs", contrast_table(report, model).objects())
    formulas = ["", *formula_lines(report.formulas)] if report.formulas else ()
    yield Member("formulas", Table(FORMULAS, report.formulas).objects(), formulas)


def _contrast_lines(report: DesignReport, model: str) -> Iterator[str]:
    if not report.contrast:
        yield "no interaction: it needs two levels in each factor, for example --factors structure=non/island"
        return
    yield f"interaction: {report.contrast}"
    for verdict, words in GLANCE:
        for design in report.designs:
            if design.verdict == verdict:
                yield f"  {words.lower()}: {design.name or 'it'}{_reason(design)}"
    yield ""
    yield from contrast_table(report, model).lines()
    yield from scale_lines(report, model)
    yield "above, in brackets: the properties behind the model's interaction, in its own unit"


def scale_lines(report: DesignReport, model: str) -> Iterator[str]:
    """Yield how model and people are compared, and what their intervals are over."""
    if not report.link.sentences:
        yield "no sentence has both a score and a rating"
        return
    slope = report.link.by_items
    interval = "" if slope.low is None or slope.high is None else f" [{slope.low:.2f}, {slope.high:.2f}]"
    yield (
        f"people's scale: 1 of {model} is {report.link.slope:.2f}{interval}, the slope of people's values by scores "
        f"over {counted(report.link.sentences, 'sentence')}"
    )
    yield (
        "95 % intervals by t over items and over participants, with the uncertainty of that slope; "
        f"{SINGLE.format(SHOWN_INTERVALS * len(report.designs))}"
    )
    yield f"alike: the difference is within ±{report.bound:.2f} by its intervals (--alike)"


def contrast_table(report: DesignReport, model: str) -> Table[Design]:
    """Return the table of interactions and verdicts, one row for each design."""
    columns: Sequence[Column[Design]] = (
        Column("design", lambda row: row.name or "all", "name", attrgetter("name")),
        Column(key="verdict"),
        Column(key="doubt", value=lambda row: row.doubt or None),
        Column(f"people ({report.unit})", lambda row: _value(row.people), "people", lambda row: _json(row.people)),
        Column("by items", lambda design: _by_items(design.people)),
        Column("by participants", lambda row: _by_participants(row.people)),
        Column(model, lambda row: _value(row.model), "model", lambda row: _json(row.model)),
        Column("on people's scale", lambda row: _value(_scaled(row)), "on_scale", lambda row: _json(_scaled(row))),
        Column("by items", lambda row: _by_items(_scaled(row))),
        Column("minus people", lambda row: _value(_apart(row)), "difference", lambda row: _json(_apart(row))),
        Column("by items", lambda row: _by_items(_apart(row))),
        Column("by participants", lambda row: _by_participants(_apart(row))),
        Column("", lambda row: SIGNS[row.verdict]),
        Column(key="properties", value=lambda row: [{"property": p.name, "value": p.value} for p in row.properties]),
        Column(key="conditions", value=lambda row: Table(MEANS, [(row, cell) for cell in row.cells]).objects()),
        Column(key="notes", value=lambda row: list(row.notes)),
    )
    return Table(columns, report.designs)


def made_by(design: Design) -> str:
    """Return the properties behind the model's interaction with their shares; empty if there are none."""
    shown = [f"{share.name} {share.value:+.3g}" for share in design.properties[:SHOWN_PROPERTIES]]
    more = len(design.properties) - len(shown)
    return "; ".join([*shown, *([f"{more} more"] if more > 0 else [])])


def _scaled(design: Design) -> InteractionEstimate | None:
    return None if design.on_one_scale is None else design.on_one_scale.model


def _apart(design: Design) -> InteractionEstimate | None:
    return None if design.on_one_scale is None else design.on_one_scale.difference


def _value(interaction: InteractionEstimate | None) -> str:
    return _figure(None if interaction is None else interaction.value)


def _by_items(interaction: InteractionEstimate | None) -> str:
    return _bracketed(None if interaction is None else interaction.by_items)


def _by_participants(interaction: InteractionEstimate | None) -> str:
    return _bracketed(None if interaction is None else interaction.by_participants)


def _json(interaction: InteractionEstimate | None) -> dict[str, Any] | None:
    if interaction is None:
        return None
    by_participants = _interval(interaction.by_participants)
    return {"value": interaction.value, "by_items": _interval(interaction.by_items), "by_participants": by_participants}


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{round(value, 2) + 0:.2f}"


def _bracketed(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return "-"
    if estimate.high - estimate.low < 1e-9:
        return f"equal in all ({estimate.number})"
    return f"[{round(estimate.low, 2) + 0:.2f}, {round(estimate.high, 2) + 0:.2f}] ({estimate.number})"


def _mean_lines(report: DesignReport, model: str) -> Iterator[str]:
    yield from mean_table(report, model).lines()
    yield intervals_of_people(report)
    yield from dict.fromkeys(note for design in report.designs for note in design.notes)


def mean_table(report: DesignReport, model: str) -> Table[tuple[Design, CellMean]]:
    """Return the table of means by condition."""
    titles = {"people": f"people ({report.unit})", "model": f"model ({model})"}
    columns = [replace(column, title=titles.get(column.key, column.title)) for column in MEANS]
    return Table(columns, [(design, cell) for design in report.designs for cell in design.cells])


MEANS: Final[Sequence[Column[tuple[Design, CellMean]]]] = (
    Column("design", lambda row: row[0].name or "all"),
    Column("condition", lambda row: named(row[1].condition), "condition", lambda row: list(row[1].condition)),
    Column("items", "", "items", lambda row: row[1].items),
    Column("ratings", "", "ratings", lambda row: row[1].ratings),
    Column("", lambda row: _mean(row[1].people), "people", lambda row: _interval(row[1].people)),
    Column("", lambda row: _mean(row[1].model), "model", lambda row: _interval(row[1].model)),
)
"""Columns of the means of a condition of a design; `mean_table` titles those of people and of the model."""


def intervals_of_people(report: DesignReport) -> str:
    """Return the kind of the intervals of means, or the reason why people's are missing."""
    cells = [cell for design in report.designs for cell in design.cells]
    reasons = list(dict.fromkeys(cell.people.missing for cell in cells if cell.people.missing))
    people = "people's are those of Cousineau (2005) by Morey's (2008) factor, within participants"
    if reasons:
        few = "some of people's" if any(cell.people.low is not None for cell in cells) else "people's"
        people = f"{few} are missing: {'; '.join(reasons)}"
    return f"95 % intervals of means: {people}; the model's are over items"


def _mean(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    has_interval = estimate.low is not None and estimate.high is not None and estimate.high > estimate.low
    interval = f" [{estimate.low:.2f}, {estimate.high:.2f}]" if has_interval else ""
    return f"{round(estimate.value, 2) + 0:.2f}{interval}"


def formula_lines(results: Sequence[FormulaResult]) -> Iterator[str]:
    """Yield the share of items for which each formula holds, for people and the model, and the refused formulas."""
    if held := [result for result in results if not result.refused]:
        yield from Table(FORMULAS, held).lines()
        yield "for a claim, the share of items for which it holds; (*;%c%) is minus the score of the sentence in c"
    yield from dict.fromkeys(f"! formula {result.formula}: {result.refused}" for result in results if result.refused)


FORMULAS: Final[Sequence[Column[FormulaResult]]] = (
    Column("formula", "", "formula"),
    Column("design", lambda row: row.design or "all", "design", attrgetter("design")),
    Column("people", lambda row: _of_formula(row.people), "people", lambda row: _interval(row.people)),
    Column("model", lambda row: _of_formula(row.model), "model", lambda row: _interval(row.model)),
    Column(key="refused", value=lambda row: row.refused or None),
)


def _of_formula(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{_mean(estimate)} of {counted(estimate.number, 'item')}"


def _interval(estimate: Estimate | None) -> dict[str, Any] | None:
    return attributes(estimate, "value", "low", "high", "number")


# Tables: a row for each condition of a design, and one for each interaction


def condition_rows(report: DesignReport) -> Iterator[Sequence[object]]:
    """Yield the rows of `conditions.csv`."""
    for design in report.designs:
        for cell in design.cells:
            yield design.name, named(cell.condition), cell.items, cell.ratings, *_ends(cell.people), *_ends(cell.model)


def contrast_rows(report: DesignReport) -> Iterator[Sequence[object]]:
    """Yield the rows of `contrasts.csv`."""
    for design in report.designs:
        if design.people is None or design.model is None:
            continue
        by_people = design.people.by_participants
        yield (
            *(design.name, report.contrast, design.verdict, design.doubt, design.people.value),
            *(*_ends(design.people.by_items), design.people.by_items.number),
            *(*_ends(by_people), None if by_people is None else by_people.number),
            *(design.model.value, *_ends(design.model.by_items)),
            *(*_of_both(_scaled(design)), *_of_both(_apart(design)), design.bound, made_by(design)),
        )


def _of_both(interaction: InteractionEstimate | None) -> tuple[float | None, ...]:
    if interaction is None:
        return (None,) * 7
    return interaction.value, *_ends(interaction.by_items), *_ends(interaction.by_participants)


def _ends(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)


# The plot: for each design a row of two panels, people on the left and the model on the right, each with its own axis,
# and the verdict. The last factor runs along each panel, the levels of the others are lines.

PANEL: Final = 230.0
ROW: Final = 168.0
LEFT: Final = 132.0
AXIS: Final = 52.0
TOP, BOTTOM = 40.0, 30.0
VERDICTS: Final = 330.0
WIDTH: Final = LEFT + 2 * (AXIS + PANEL) + VERDICTS
TICKS: Final = 4
LONGEST: Final = 48


@frozen
class LinearAxis:
    """Numbers from `low` to `high` laid over the pixels from `bottom` to `top`, with a tick every `step`."""

    low: float
    high: float
    step: float
    bottom: float
    top: float

    @classmethod
    def of(cls, numbers: Sequence[float], bottom: float, top: float) -> LinearAxis:
        """Return an axis that covers all numbers, with about `TICKS` ticks."""
        low, high = min(numbers, default=0.0), max(numbers, default=0.0)
        if high - low < 1e-9:
            low, high = low - 0.5, high + 0.5
        power = 10.0 ** floor(log10((high - low) / TICKS))
        step = next(power * digit for digit in (1, 2, 5, 10, 20) if (high - low) / (power * digit) <= TICKS)
        return cls(floor(low / step) * step, ceil(high / step) * step, step, bottom, top)

    def at(self, number: float) -> float:
        """Return the pixel of a number."""
        return self.bottom - (number - self.low) / (self.high - self.low) * (self.bottom - self.top)

    @property
    def ticks(self) -> list[float]:
        """Numbers with a tick."""
        return [self.low + i * self.step for i in range(round((self.high - self.low) / self.step) + 1)]


def design_plot(report: DesignReport, model: str, styled: bool = False) -> str:
    """Return the plot as SVG; `styled` adds its colours, for a file that stands alone."""
    height = TOP + ROW * len(report.designs) + 26
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH:.0f} {height:.0f}" class="designs" role="img" aria-label="Means by condition">'
    ]
    if styled:
        parts.append(f"<style>\n{stand_alone('designs.css')}\n</style>")
        parts.append(f'<rect class="paper" width="{WIDTH:.0f}" height="{height:.0f}"/>')
    panels = (LEFT + AXIS, LEFT + 2 * AXIS + PANEL)
    heads = (f"people: {report.unit}", f"model: {model}")
    for x, head in zip(panels, heads, strict=True):
        parts.append(f'<text class="head" x="{x:.0f}" y="18">{safe(head)}</text>')
    rows = [[cell.people for design in report.designs for cell in design.cells]]
    rows.append([cell.model for design in report.designs for cell in design.cells])
    ranges = [
        [end for estimate in row for end in (estimate.value, estimate.low, estimate.high) if end is not None]
        for row in rows
    ]
    for number, design in enumerate(report.designs):
        top = TOP + ROW * number
        parts.append(f'<text class="name" x="8" y="{top + 16:.0f}">{safe(design.name or "all")}</text>')
        for x, row, is_model in zip(panels, ranges, (False, True), strict=True):
            axis = LinearAxis.of(row, top + ROW - BOTTOM, top + 8)
            parts += _panel(design, axis, x, is_model)
        parts += _verdict(design, panels[1] + PANEL + 16, top + 16)
    parts += _key(report.factors, height - 8)
    return "\n".join([*parts, "</svg>"])


def _panel(design: Design, axis: LinearAxis, left: float, is_model: bool) -> Iterator[str]:
    for tick in axis.ticks:
        y = axis.at(tick)
        yield f'<line class="grid" x1="{left:.1f}" y1="{y:.1f}" x2="{left + PANEL - 20:.1f}" y2="{y:.1f}"/>'
        text = f"{round(tick, 6) + 0:.3g}".replace("-", "−")
        yield f'<text class="tick" x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    along = design.factors[-1].levels
    step = (PANEL - 60) / max(1, len(along) - 1)
    places = {level: left + 20 + step * i for i, level in enumerate(along)}
    for level, x in places.items():
        yield f'<text class="tick" x="{x:.1f}" y="{axis.bottom + 15:.1f}" text-anchor="middle">{safe(level)}</text>'
    lines: dict[tuple[str, ...], list[CellMean]] = {}
    for cell in design.cells:
        lines.setdefault(cell.condition[:-1], []).append(cell)
    for number, cells in enumerate(lines.values()):
        ordered = sorted(cells, key=lambda cell: along.index(cell.condition[-1]))
        # Lines at equal heights are shifted a little, the same way in every plot.
        shift = 3.0 * (number - (len(lines) - 1) / 2)
        shown = [
            (places[cell.condition[-1]] + shift, cell.model if is_model else cell.people, cell) for cell in ordered
        ]
        points = [(x, axis.at(estimate.value)) for x, estimate, _ in shown if estimate.value is not None]
        joined = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        yield f'<path class="line l{number % 4}" d="M{joined}"/>' if points else ""
        for x, estimate, cell in shown:
            if estimate.value is None:
                continue
            yield f'<g class="point l{number % 4}"><title>{safe(f"{named(cell.condition)}: {_mean(estimate)}")}</title>'
            if estimate.low is not None and estimate.high is not None and estimate.high > estimate.low:
                ends = axis.at(estimate.low), axis.at(estimate.high)
                yield f'<line x1="{x:.1f}" y1="{ends[0]:.1f}" x2="{x:.1f}" y2="{ends[1]:.1f}"/>'
            yield f'<circle cx="{x:.1f}" cy="{axis.at(estimate.value):.1f}" r="4"/></g>'


def _verdict(design: Design, x: float, y: float) -> Iterator[str]:
    if design.people is None or design.model is None:
        return
    kind = design.verdict.replace(" ", "-")
    yield f'<text class="verdict {kind}" x="{x:.0f}" y="{y:.0f}">{safe(SIGNS[design.verdict])}</text>'
    details = [design.doubt] if design.doubt else []
    details.append(f"people {_figure(design.people.value)} {_bracketed(design.people.by_items)}")
    details.append(f"model {_value(_scaled(design))} {_by_items(_scaled(design))}, on people's scale")
    details += [f"{share.value:+.3g}  {share.name}" for share in design.properties[:SHOWN_PROPERTIES]]
    for number, line in enumerate(details, start=1):
        short = line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
        yield (
            f'<text class="told" x="{x:.0f}" y="{y + 17 * number:.0f}"><title>{escape(line)}</title>'
            f"{safe(short.replace('-', '−'))}</text>"
        )


def _key(factors: Sequence[Factor], y: float) -> Iterator[str]:
    lines = [""]
    for factor in factors[:-1]:
        lines = [f"{line}/{level}".strip("/") for line in lines for level in factor.levels]
    x = LEFT + AXIS
    for number, name in enumerate(filter(None, lines)):
        yield f'<path class="line l{number % 4}" d="M{x:.0f} {y - 4:.0f} h22"/>'
        yield f'<text x="{x + 28:.0f}" y="{y:.0f}">{safe(name)}</text>'
        x += 46 + 8 * len(name)


# The part of a page


def design_html(report: DesignReport, model: str) -> str:
    """Return the section of the page: verdicts in words, then the plot and the tables."""
    parts = [f'<p class="note">{safe(note)}</p>' for note in report.notes]
    if report.designs and report.contrast:
        parts += _verdicts_html(report)
    if report.designs:
        parts.append(f'<figure><div class="wide" tabindex="0">{design_plot(report, model)}</div></figure>')
        parts.append(f'<p class="faint">{safe(intervals_of_people(report))}. Their scales differ.</p>')
    if report.designs and report.contrast:
        parts.append(_table_html([*contrast_table(report, model).cells()]))
        text = f"Interaction: {report.contrast}. {'. '.join(scale_lines(report, model))}."
        parts.append(f'<p class="faint">{safe(text)}</p>')
    if report.formulas:
        lines = "\n".join(formula_lines(report.formulas))
        parts.append(f'<h3>Formulas</h3><pre class="wide" tabindex="0">{safe(lines)}</pre>')
    return "\n".join(parts)


GLANCE: Final = (
    ("opposite", "Opposite in the model"),
    ("weaker", "Weaker in the model"),
    ("stronger", "Stronger in the model"),
    ("cannot tell", "Cannot tell"),
    ("alike", "Alike"),
)


def _verdicts_html(report: DesignReport) -> Iterator[str]:
    yield '<ul class="verdicts">'
    for verdict, words in GLANCE:
        for design in report.designs:
            if design.verdict == verdict:
                name, kind = safe(design.name or "it"), verdict.replace(" ", "-")
                yield f'<li class="{kind}"><b>{words}: {name}</b>{safe(_reason(design))}</li>'
    yield "</ul>"


def _reason(design: Design) -> str:
    """Return, in brackets, why the verdict cannot be told and what properties make the model's interaction."""
    absent = design.model is not None and design.model.value == 0
    reasons = "; ".join(filter(None, (design.doubt, made_by(design) or ("no property makes it" if absent else ""))))
    return f" ({reasons})" if reasons else ""


def _table_html(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = ["".join(f"<th>{safe(cell)}</th>" for cell in head)]
    lines += [f"<th>{safe(row[0])}</th>" + "".join(f"<td>{safe(cell)}</td>" for cell in row[1:]) for row in body]
    return f'<div class="wide" tabindex="0"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'
