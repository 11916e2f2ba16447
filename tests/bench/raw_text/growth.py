"""Plot of the time of a parse over the length of untagged sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from statistics import fmean, median
from typing import Final

from numbat.records import frozen
from tests.bench.raw_text.first_pass import Taken
from tests.bench.raw_text.sentences import words_in

WORDS_OF_A_POINT: Final = 5
"""Range of sentence lengths that are one point of the plot."""
MIN_NUMBER: Final = 3
"""Minimum number of sentences of a point."""
MAX_WORDS: Final = 100


def growth(sentences: Sequence[str], taken: Sequence[Taken], about: str) -> str:
    """An SVG document: the median and the mean of the CPU milliseconds, over the mean number of words."""
    groups: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for text, each in zip(sentences, taken, strict=True):
        words = words_in(text)
        if 0 < words <= MAX_WORDS:
            groups[(words - 1) // WORDS_OF_A_POINT].append((words, 1000 * each.seconds))
    kept = [group for _, group in sorted(groups.items()) if len(group) >= MIN_NUMBER]
    curves = [
        Curve(name, tuple((fmean(words for words, _ in group), of([ms for _, ms in group])) for group in kept))
        for name, of in (("median", median), ("mean", fmean))
    ]
    return log_log(curves, about, "words", "CPU milliseconds")


# Curves over two logarithmic axes, as standalone SVG

WIDTH: Final = 800.0
HEIGHT: Final = 440.0
LEFT, RIGHT, TOP, BOTTOM = 70.0, 280.0, 62.0, 52.0
STYLE: Final = """svg { font-family: "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; font-size: 13px; }
svg .paper { fill: #fff; }
svg .grid { stroke: #d8dee6; stroke-width: 1; }
svg .title { font-size: 15px; font-weight: bold; }
svg .curve { fill: none; stroke: currentColor; stroke-width: 2; }
svg circle { fill: currentColor; }
svg .curve-1 { color: #0072b2; }
svg .curve-2 { color: #d55e00; }"""
COLORS: Final = 2
"""Colours that the colour-blind tell apart too (Okabe and Ito 2008), named in `STYLE`."""
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


def log_log(lines: Sequence[Curve], title: str, across: str, up: str) -> str:
    """Return an SVG document; `across` and `up` name the axes. Without a point only the axes are drawn."""
    points = [point for curve in lines for point in curve.points] or [(1.0, 1.0)]
    x = _axis([point[0] for point in points], LEFT, WIDTH - RIGHT)
    y = _axis([point[1] for point in points], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="numbat-plot" width="{WIDTH:.0f}" height="{HEIGHT:.0f}"'
        f' viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{escape(title)}">',
        f"<style>\n{STYLE}\n</style>",
        f'<rect class="paper" width="{WIDTH:.0f}" height="{HEIGHT:.0f}"/>',
        f'<text class="title" x="{LEFT:.0f}" y="24">{escape(title)}</text>',
        *_grid(x, y),
        f'<text x="{(x.start + x.end) / 2:.1f}" y="{HEIGHT - 12:.1f}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="12" y="{TOP - 14:.1f}">{escape(up)}</text>',
        *(part for number, curve in enumerate(lines) for part in _drawn(curve, number, x, y)),
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
    row = TOP + 12 + 22 * number
    left, middle = WIDTH - RIGHT + 14, row - 2
    yield (
        f'<path class="curve {color}" stroke-dasharray="{dashes}" d="M{left:.1f} {middle:.1f}h28"/>'
        f'<circle cx="{left + 14:.1f}" cy="{middle:.1f}" r="3" class="{color}"/>'
    )
    yield f'<text x="{WIDTH - RIGHT + 50:.1f}" y="{row + 2:.1f}">{escape(curve.name)}</text>'
