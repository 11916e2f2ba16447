"""Growth curves of the time of a parse: a table, and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numbat.report.curves.plot import Curve, log_log
from numbat.runs.curves import TimingPoint, curves, exponent


def timing_lines(points: Sequence[TimingPoint]) -> Iterator[str]:
    """A column for each curve; a dash where sentences are too slow to be followed further."""
    found = curves(points)
    yield "median ms per sentence, and b in ms ~ words^b from 10 words on"
    yield f"{'words':>7}" + "".join(f"{f'{valuation}, {kind}':>25}" for valuation, kind in found)
    for words in sorted({point.words for point in points}):
        row = [next((f"{p.milliseconds:.2f}" for p in curve if p.words == words), "-") for curve in found.values()]
        yield f"{words:>7}" + "".join(f"{cell:>25}" for cell in row)
    fits = ["-" if (b := exponent(curve)) is None else f"{b:.2f}" for curve in found.values()]
    yield f"{'b':>7}" + "".join(f"{fit:>25}" for fit in fits)


def timing_plot(points: Sequence[TimingPoint], title: str) -> str:
    """The curves as an SVG document, both axes logarithmic."""
    drawn = []
    for (valuation, kind), curve in curves(points).items():
        fit = exponent(curve)
        name = f"{valuation}, {kind}" + (f": n^{fit:.1f}" if fit is not None else "")
        drawn.append(Curve(name, tuple((p.words, p.milliseconds) for p in curve)))
    return log_log(drawn, title, "words", "ms per sentence")
