"""What granularities make of sentences, as one HTML page that needs no network and no script: curves and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from numbat.report.curves.granularity_text import heading, legend, table
from numbat.report.pages.template import page, safe
from numbat.runs.curves import GranularityPoint
from numbat.runs.record import RunRecord

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
    """The page as text, with the record of the run; `about` says of what the points are."""
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
    """The curves as SVG, one below the other; granularities stand at equal distances, for one may be 0."""
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
    """A curve from 0 up, with the number at each point and the granularity below it."""
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
