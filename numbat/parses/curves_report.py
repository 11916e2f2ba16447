"""Reports of growth: parses at several granularities, and parse time by sentence length; text, TSV, JSON and page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any, Final

from numbat.errors import counted
from numbat.files import table_row
from numbat.markup import aligned, safe, stand_alone
from numbat.parses.curves import GranularityPoint, TimingPoint, curves, exponent
from numbat.records import frozen
from numbat.reports.answers import Answer
from numbat.reports.pages import page
from numbat.runs.record import RunRecord

SCHEMA: Final = "numbat.granularity/1"
LEGEND: Final = (
    "granularity: times fragment_cost",
    "fragments: top-level constituents, of a word outside of phrases too",
    "whole: the share parsed as one root",
    "cost, violations: the total cost, and that of violated properties",
)
F1_LEGEND: Final = "F1: of labelled brackets, against the trees"


def granularity_report(points: Sequence[GranularityPoint], about: str, record: RunRecord | None = None) -> Answer:
    """Return the points as text and as JSON, with the record of the run; `about` says of what they are."""

    def lines() -> list[str]:
        return [heading(points, about), "", *aligned(list(table(points))), "", *legend(points)]

    return Answer(lines, lambda: to_json(points, about), record)


def granularity_table(points: Sequence[GranularityPoint]) -> str:
    """Return the points as a TAB-separated table."""
    return "".join(f"{table_row(row)}\n" for row in table(points))


def heading(points: Sequence[GranularityPoint], about: str) -> str:
    """Return the heading: the number of sentences, the grammar, and how many sentences met a limit."""
    limited = max(point.limited for point in points)
    said = f"; up to {limited} met a limit" if limited else ""
    return f"{about}: {counted(points[0].sentences, 'sentence')}{said}; means a sentence"


def table(points: Sequence[GranularityPoint]) -> Iterator[list[str]]:
    """Return a row of names, then one for each granularity; F1 in percent, where there are gold trees."""
    has_gold = any(point.scores for point in points)
    yield ["granularity", "fragments", "whole", "cost", "violations", *(["F1"] if has_gold else [])]
    for point in points:
        row = [f"{point.granularity:g}", f"{point.fragments:.2f}", f"{100 * point.whole:.1f} %"]
        row += [f"{point.cost:.2f}", f"{point.violations:.2f}"]
        if has_gold:
            row.append(f"{100 * point.scores.labelled.f1:.2f}" if point.scores else "-")
        yield row


def legend(points: Sequence[GranularityPoint]) -> Iterator[str]:
    """Return the meaning of the columns."""
    yield from LEGEND
    if any(point.scores for point in points):
        yield F1_LEGEND


def to_json(points: Sequence[GranularityPoint], about: str) -> dict[str, Any]:
    """Return the points as a value for `json.dumps`; shares and F1 lie between 0 and 1."""
    return {"schema": SCHEMA, "about": about, "points": [_point(point) for point in points]}


def _point(point: GranularityPoint) -> dict[str, Any]:
    return {
        "granularity": point.granularity,
        "sentences": point.sentences,
        "fragments": point.fragments,
        "whole": point.whole,
        "cost": point.cost,
        "violations": point.violations,
        "limited": point.limited,
        "f1": None if point.scores is None else point.scores.labelled.f1,
    }


# The page of granularities: curves and a table

WIDTH: Final = 720.0
LEFT, RIGHT = 60.0, 24.0
ROW: Final = 150.0
"""The height of a panel, of which `TOP` and `BOTTOM` are left to its name and its numbers."""
TOP, BOTTOM = 34.0, 26.0
BODY: Final = """<p>{about}</p>
<figure>
<div class="wide" tabindex="0">{plot}</div>
</figure>
<div class="wide" tabindex="0"><table>
{rows}
</table></div>
{legend}
"""


def granularity_page(points: Sequence[GranularityPoint], about: str, record: RunRecord | None = None) -> str:
    """Return the page as text, with the record of the run; `about` says of what the points are."""
    first, *others = table(points)
    rows = [_row(first, "th"), *(_row(row, "td") for row in others)]
    body = BODY.format(
        about=safe(heading(points, about)),
        plot=granularity_plot(points),
        rows="\n".join(rows),
        legend="\n".join(f'<p class="faint">{safe(line)}</p>' for line in legend(points)),
    )
    return page(f"Granularity: {about}", ("granularity.css",), body, record)


def _row(cells: Sequence[str], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{safe(cell)}</{kind}>' for cell in cells)}</tr>"


# The plot


def granularity_plot(points: Sequence[GranularityPoint]) -> str:
    """Return the curves as SVG, one below the other; granularities stand at equal distances, for one may be 0."""
    panels = [
        ("fragments a sentence", [point.fragments for point in points]),
        ("parsed whole, %", [100 * point.whole for point in points]),
        ("cost a sentence", [point.cost for point in points]),
    ]
    scores = [100 * point.scores.labelled.f1 for point in points if point.scores]
    if len(scores) == len(points):
        panels.append(("F1 of labelled brackets, %", scores))
    height = ROW * len(panels) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" aria-label="What each granularity makes of sentences">'
    ]
    names = [f"{point.granularity:g}" for point in points]
    for number, (name, values) in enumerate(panels):
        parts += _panel(name, names, values, ROW * number)
    parts.append(f'<text x="{WIDTH / 2:.0f}" y="{height - 6:.0f}" text-anchor="middle">granularity</text>')
    return "\n".join([*parts, "</svg>"])


def _panel(name: str, names: Sequence[str], values: Sequence[float], top: float) -> Iterator[str]:
    """Return a curve from 0 up, with the number at each point and the granularity below it."""
    low, most = top + ROW - BOTTOM, max(values) or 1.0
    step = (WIDTH - LEFT - RIGHT) / max(1, len(values) - 1)
    places = [(LEFT + step * i, low - (low - top - TOP - 16) * value / most) for i, value in enumerate(values)]
    yield f'<text class="head" x="{LEFT - 40:.0f}" y="{top + 16:.0f}">{escape(name)}</text>'
    yield f'<line class="zero" x1="{LEFT:.0f}" y1="{low:.1f}" x2="{WIDTH - RIGHT:.0f}" y2="{low:.1f}"/>'
    yield f'<polyline class="curve" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'
    for (x, y), value, granularity in zip(places, values, names, strict=True):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
        yield f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="middle">{value:.4g}</text>'
        yield f'<text x="{x:.1f}" y="{low + 16:.1f}" text-anchor="middle">{granularity}</text>'


# Parse time by sentence length


def timing_lines(points: Sequence[TimingPoint]) -> Iterator[str]:
    """Return a column for each curve; a dash where sentences are too slow to be followed further."""
    found = curves(points)
    yield "median ms per sentence, and b in ms ~ words^b from 10 words on"
    yield f"{'words':>7}" + "".join(f"{f'{valuation}, {kind}':>25}" for valuation, kind in found)
    for words in sorted({point.words for point in points}):
        row = [next((f"{p.milliseconds:.2f}" for p in curve if p.words == words), "-") for curve in found.values()]
        yield f"{words:>7}" + "".join(f"{cell:>25}" for cell in row)
    fits = ["-" if (b := exponent(curve)) is None else f"{b:.2f}" for curve in found.values()]
    yield f"{'b':>7}" + "".join(f"{fit:>25}" for fit in fits)


def timing_report(points: Sequence[TimingPoint], grammar: str, record: RunRecord | None = None) -> Answer:
    """Return the curves as text and as JSON, the latter with the record of the run."""
    return Answer(lambda: timing_lines(points), lambda: timing_json(points, grammar), record)


TIMING: Final = "numbat.bench/1"


def timing_json(points: Sequence[TimingPoint], grammar: str) -> dict[str, Any]:
    """Return the points of each curve, and the b of it, by the schema `numbat.bench/1`; null for too few points."""
    found = [
        {
            "valuation": valuation,
            "kind": kind,
            "exponent": exponent(curve),
            "points": [
                {"words": each.words, "sentences": each.sentences, "milliseconds": each.milliseconds} for each in curve
            ],
        }
        for (valuation, kind), curve in curves(points).items()
    ]
    return {"schema": TIMING, "grammar": grammar, "curves": found}


def timing_plot(points: Sequence[TimingPoint], title: str) -> str:
    """Return the curves as an SVG document, both axes logarithmic."""
    drawn = []
    for (valuation, kind), curve in curves(points).items():
        fit = exponent(curve)
        name = f"{valuation}, {kind}" + (f": n^{fit:.1f}" if fit is not None else "")
        drawn.append(Curve(name, tuple((p.words, p.milliseconds) for p in curve)))
    return log_log(drawn, title, "words", "ms per sentence")


# Curves over two logarithmic axes, as standalone SVG

PLOT_WIDTH: Final = 800.0
HEIGHT: Final = 440.0
PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_BOTTOM = 70.0, 280.0, 62.0, 52.0
COLORS: Final = 6
"""Colours that the colour-blind tell apart too (Okabe and Ito 2008), named in `assets/plot.css`."""
DASHES: Final = ("none", "7 3", "2 3", "9 3 2 3")
"""Kinds of lines, told apart without colours."""


@frozen
class Curve:
    """A named row of points; both numbers of a point are above 0."""

    name: str
    points: tuple[tuple[float, float], ...]


@frozen
class Axis:
    """Whole powers of ten (`low`, `high`, or parts of one) laid over the pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, number: float) -> float:
        """Return the pixel of a number above 0."""
        return self.start + (log10(number) - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def ticks(self) -> Iterator[float]:
        """1, 2 and 5 of each power of ten."""
        for power in range(floor(self.low), ceil(self.high) + 1):
            for digit in (1, 2, 5):
                number = digit * 10.0**power
                if self.low - 1e-9 <= log10(number) <= self.high + 1e-9:
                    yield number


def log_log(curves: Sequence[Curve], title: str, across: str, up: str) -> str:
    """Return an SVG document; `across` and `up` name the axes. Without a point only the axes are drawn."""
    points = [point for curve in curves for point in curve.points] or [(1.0, 1.0)]
    x = _axis([point[0] for point in points], PLOT_LEFT, PLOT_WIDTH - PLOT_RIGHT)
    y = _axis([point[1] for point in points], HEIGHT - PLOT_BOTTOM, PLOT_TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="numbat-plot" width="{PLOT_WIDTH:.0f}" height="{HEIGHT:.0f}"'
        f' viewBox="0 0 {PLOT_WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{escape(title)}">',
        f"<style>\n{stand_alone('plot.css')}\n</style>",
        f'<rect class="paper" width="{PLOT_WIDTH:.0f}" height="{HEIGHT:.0f}"/>',
        f'<text class="title" x="{PLOT_LEFT:.0f}" y="24">{escape(title)}</text>',
        *_grid(x, y),
        f'<text x="{(x.start + x.end) / 2:.1f}" y="{HEIGHT - 12:.1f}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="12" y="{PLOT_TOP - 14:.1f}">{escape(up)}</text>',
        *(part for number, curve in enumerate(curves) for part in _drawn(curve, number, x, y)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axis(numbers: Sequence[float], start: float, end: float) -> Axis:
    low, high = log10(min(numbers)), log10(max(numbers))
    room = max(0.05 * (high - low), 0.02)
    return Axis(low - room, high + room, start, end)


def _grid(x: Axis, y: Axis) -> Iterator[str]:
    for number in x.ticks:
        at = x.at(number)
        yield f'<line class="grid" x1="{at:.1f}" y1="{y.start:.1f}" x2="{at:.1f}" y2="{y.end:.1f}"/>'
        yield f'<text x="{at:.1f}" y="{y.start + 18:.1f}" text-anchor="middle">{number:g}</text>'
    for number in y.ticks:
        at = y.at(number)
        yield f'<line class="grid" x1="{x.start:.1f}" y1="{at:.1f}" x2="{x.end:.1f}" y2="{at:.1f}"/>'
        yield f'<text x="{x.start - 8:.1f}" y="{at + 4:.1f}" text-anchor="end">{number:g}</text>'


def _drawn(curve: Curve, number: int, x: Axis, y: Axis) -> Iterator[str]:
    color = f"curve-{number % COLORS + 1}"
    places = [(x.at(across), y.at(up)) for across, up in curve.points]
    dashes = DASHES[number % len(DASHES)]
    line = " ".join(f"{across:.1f},{up:.1f}" for across, up in places)
    yield f'<polyline class="curve {color}" stroke-dasharray="{dashes}" points="{line}"/>'
    for across, up in places:
        yield f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" class="{color}"/>'
    row = PLOT_TOP + 12 + 22 * number
    left, middle = PLOT_WIDTH - PLOT_RIGHT + 14, row - 2
    yield (
        f'<path class="curve {color}" stroke-dasharray="{dashes}" d="M{left:.1f} {middle:.1f}h28"/>'
        f'<circle cx="{left + 14:.1f}" cy="{middle:.1f}" r="3" class="{color}"/>'
    )
    yield f'<text x="{PLOT_WIDTH - PLOT_RIGHT + 50:.1f}" y="{row + 2:.1f}">{escape(curve.name)}</text>'
