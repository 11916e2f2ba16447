"""Reports of growth: parses at several granularities, and parse time by sentence length; text, TSV, JSON and page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from operator import attrgetter, itemgetter
from typing import Final

from numbat.errors import counted
from numbat.markup import html_table, safe, stand_alone
from numbat.parses.curves import GranularityPoint, TimingPoint, curves, exponent
from numbat.records import frozen
from numbat.reports.pages import page
from numbat.reports.report import Column, Line, Lines, Member, Part, Table, report
from numbat.runs.record import RunRecord

LEGEND: Final = (
    "granularity: times fragment_cost",
    "fragments: top-level constituents, of a word outside of phrases too",
    "whole: the share parsed as one root",
    "cost, violations: the total cost, and that of violated properties",
)
F1_LEGEND: Final = "F1: of labelled brackets, against the trees"


@report("numbat.granularity/1")
def granularity_report(points: Sequence[GranularityPoint], about: str) -> Iterator[Part]:
    """Return a row for each granularity, and what the columns mean; `about` says of what the points are."""
    yield Member("about", about, heading(points, about))
    yield Line()
    yield table(points)
    yield Line()
    yield Lines(legend(points))


def heading(points: Sequence[GranularityPoint], about: str) -> str:
    """Return the heading: the number of sentences, the grammar, and how many sentences met a limit."""
    limited = max(point.limited for point in points)
    said = f"; up to {limited} met a limit" if limited else ""
    return f"{about}: {counted(points[0].sentences, 'sentence')}{said}; means a sentence"


def table(points: Sequence[GranularityPoint]) -> Table[GranularityPoint]:
    """Return a row for each granularity; shares are printed in percent, F1 where there are gold trees."""
    columns: Sequence[Column[GranularityPoint]] = (
        Column("granularity", "g", "granularity"),
        Column(key="sentences"),
        Column("fragments", ".2f", "fragments"),
        Column("whole", lambda point: f"{100 * point.whole:.1f} %", "whole", attrgetter("whole")),
        Column("cost", ".2f", "cost"),
        Column("violations", ".2f", "violations"),
        Column(key="limited"),
        Column("F1", _f1 if _has_gold(points) else None, "f1", lambda point: point.scores and point.scores.labelled.f1),
    )
    return Table(columns, points, "points")


def _has_gold(points: Sequence[GranularityPoint]) -> bool:
    return any(point.scores for point in points)


def _f1(point: GranularityPoint) -> str:
    return f"{100 * point.scores.labelled.f1:.2f}" if point.scores else "-"


def legend(points: Sequence[GranularityPoint]) -> list[str]:
    """Return the meaning of the columns."""
    return [*LEGEND, *([F1_LEGEND] if _has_gold(points) else [])]


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
<div class="wide" tabindex="0">{table}</div>
{legend}
"""


def granularity_page(points: Sequence[GranularityPoint], about: str, record: RunRecord | None = None) -> str:
    """Return the page as text, with the record of the run; `about` says of what the points are."""
    body = BODY.format(
        about=safe(heading(points, about)),
        plot=granularity_plot(points),
        table="\n".join(html_table(table(points).cells())),
        legend="\n".join(f'<p class="faint">{safe(line)}</p>' for line in legend(points)),
    )
    return page(f"Granularity: {about}", ("granularity.css",), body, record)


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


@report("numbat.bench/1")
def timing_report(points: Sequence[TimingPoint], grammar: str) -> Iterator[Part]:
    """Return the points of each curve and its exponent b, in the text as a column; a dash stands where sentences are
    too slow to be followed further, and for the b of too few points.
    """
    found = [(*named, exponent(curve), curve) for named, curve in curves(points).items()]

    def row(name: object, cells: Iterable[str]) -> Line:
        return Line(f"{name:>7}" + "".join(f"{cell:>25}" for cell in cells))

    yield Line("median ms per sentence, and b in ms ~ words^b from 10 words on")
    yield row("words", (f"{valuation}, {kind}" for valuation, kind, *_ in found))
    for words in sorted({point.words for point in points}):
        at = ((p.milliseconds for p in curve if p.words == words) for *_, curve in found)
        yield row(words, (next((f"{ms:.2f}" for ms in each), "-") for each in at))
    yield row("b", ("-" if b is None else f"{b:.2f}" for _, _, b, _ in found))
    yield Member("grammar", grammar)
    yield Table(
        (
            Column(key="valuation", value=itemgetter(0)),
            Column(key="kind", value=itemgetter(1)),
            Column(key="exponent", value=itemgetter(2)),
            Column(key="points", value=lambda each: Table(OF_A_POINT, each[3]).objects()),
        ),
        found,
        "curves",
    )


OF_A_POINT: Final = [Column[TimingPoint](key=name) for name in ("words", "sentences", "milliseconds")]


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
