"""Runs that measure, with their reports: sentences at several granularities, parse time by sentence length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, isfinite, log, log10
from operator import attrgetter, itemgetter
from random import Random
from statistics import linear_regression, median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numbat.acceptability.random_phrases import corrupted, grow
from numbat.errors import DataError, UsageError, counted
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT
from numbat.markup import html_table, safe, stand_alone
from numbat.parses.sentences import Reading
from numbat.parsing.parser import Parser
from numbat.parsing.policies import VALUATIONS
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.reports.pages import page
from numbat.reports.report import Column, Line, Lines, Member, Part, Table, report
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.record import RunRecord
from numbat.runs.sentences import HashLines, InputSentence, NamedText, lines_as_they_come, whole
from numbat.words.example_words import packaged_sentences

if TYPE_CHECKING:
    from numbat.treebanks.scores import EvalbParameters, SentenceScore, TreebankScores


class ParseAt(NamedTuple):
    """Summary of a parse at one granularity; `score` if the sentence came with a tree."""

    fragments: int
    cost: int
    violations: int
    is_full: bool
    is_limited: bool
    score: SentenceScore | None


class SweepJob:
    """Parses a sentence at each of some granularities; `gold` says how it is compared with the tree that it came with.

    The parsers share their automata, in each process.
    """

    def __init__(self, parser: Parser, granularities: Sequence[float], gold: EvalbParameters | None = None) -> None:
        self._made_of = parser, tuple(granularities), gold
        self._parsers = [parser.with_granularity(granularity) for granularity in granularities]
        self._gold = gold

    def __reduce__(self) -> tuple[type[SweepJob], tuple[object, ...]]:
        return type(self), self._made_of

    def __call__(self, sentence: InputSentence) -> tuple[ParseAt, ...]:
        return tuple([self._at(parser.parse(sentence.lattice), sentence) for parser in self._parsers])

    def _at(self, parse: Parse, sentence: InputSentence) -> ParseAt:
        return ParseAt(
            len(parse.constituents),
            parse.cost,
            parse.violation_cost,
            parse.is_full,
            parse.stopped_by is not None,
            self._score(parse, sentence),
        )

    def _score(self, parse: Parse, sentence: InputSentence) -> SentenceScore | None:
        if self._gold is None or sentence.gold is None:
            return None
        from numbat.treebanks.converting import score_parse

        return score_parse(sentence.id, sentence.gold, parse, self._gold)


@frozen
class GranularityPoint:
    """Results of one granularity for all sentences.

    `fragments`, `cost` and `violations` (the cost of violated properties) are means a sentence, `whole` is the share
    parsed as one root, `limited` the number that met a limit; `scores` are against gold trees, None without any.
    """

    granularity: float
    sentences: int
    fragments: float
    cost: float
    violations: float
    whole: float
    limited: int
    scores: TreebankScores | None


def points_of(granularities: Sequence[float], sentences: Iterable[Sequence[ParseAt]]) -> list[GranularityPoint]:
    """Return a point for each granularity, of what the job made of each sentence; there is at least one."""
    columns = zip(*sentences, strict=True)
    return [_point(each, column) for each, column in zip(granularities, columns, strict=True)]


def _point(granularity: float, found: Sequence[ParseAt]) -> GranularityPoint:
    number = len(found)
    return GranularityPoint(
        granularity,
        number,
        sum(each.fragments for each in found) / number,
        sum(each.cost for each in found) / number / UNIT,
        sum(each.violations for each in found) / number / UNIT,
        sum(each.is_full for each in found) / number,
        sum(each.is_limited for each in found),
        _scores([parse_at.score for parse_at in found if parse_at.score is not None]),
    )


def _scores(scores: Sequence[SentenceScore]) -> TreebankScores | None:
    if not scores:
        return None
    from numbat.treebanks.scores import TreebankScores

    return TreebankScores(tuple(scores))


# Measures how the time of a parse grows with the words of the sentence.
#
# The sentences are grown from given ones, for any grammar; corrupted twins have one word dropped, doubled or swapped
# with the next (`numbat.acceptability.random_phrases`). What is timed is the whole call from the text to the parse with
# both property sets.

LENGTHS: Final = (5, 8, 10, 15, 20, 30, 40, 60)
KINDS: Final = ("well-formed", "corrupted")
FITTED_FROM: Final = 10
"""Shorter sentences say little about growth: start-up costs of a call outweigh the search."""
REPETITIONS: Final = 3
SLOWEST: Final = 1.0
"""Seconds for a sentence in the middle above which a curve is not followed to greater lengths."""
MIN_NUMBER: Final = 3
"""So many sentences of a length are measured however long they take: one may be far slower than the others."""
MAX_LENGTH: Final = 5.0
"""Seconds for the sentences of a length and kind after which no more than those few are measured."""
ENOUGH: Final = 0.5
"""Seconds for the runs of a sentence after which it is not run again."""


@frozen
class TimingPoint:
    """The median milliseconds of a sentence of so many words; the median is over sentences, of the best of some runs.

    `words` is the length of the well-formed sentence, also for its corrupted twin.
    """

    valuation: str
    kind: str
    words: int
    sentences: int
    milliseconds: float


def texts_of(grammar: Grammar, path: str | None, hash_lines: HashLines | None = None) -> list[str]:
    """Return the sentences of a file; without one, the good ones of the corpus that comes with Numbat for the grammar.

    `hash_lines` as in `lines_as_they_come`. Raises DataError for lines that cannot be read, MissingFileError, and
    UsageError where there is no such corpus.
    """
    if path is not None:
        return [line.text for line in whole(lines_as_they_come(path, hash_lines))]
    texts = packaged_sentences(grammar)
    if not texts:
        name = grammar.name or "without name"
        raise UsageError(f"no sentences for the grammar {name}\n  give some that are well formed, with -i FILE")
    return texts


def growth_curves(grammar: Grammar, texts: Iterable[str], lengths: Sequence[int] = LENGTHS) -> list[TimingPoint]:
    """Return the growth curves of a grammar. Raises DataError where no given sentence is well formed."""
    points: list[TimingPoint] = []
    grown = list(grow(grammar, texts, lengths))
    if not grown:
        wanted = ", ".join(map(str, lengths))
        raise DataError(
            f"no sentence could be grown to {wanted} words\n  give longer ones, or more of them, with -i FILE"
        )
    for valuation in VALUATIONS:
        parser = Parser(grammar, valuation=valuation)
        for kind in KINDS:
            points += _curve(parser, kind, grown)
    return points


def _curve(parser: Parser, kind: str, grown: Sequence[tuple[int, list[str]]]) -> Iterator[TimingPoint]:
    for words, sentences in grown:
        rng = Random(words)
        texts = sentences if kind == KINDS[0] else [corrupted(text, rng) for text in sentences]
        seconds, began = [], perf_counter()
        for text in texts:
            seconds.append(_seconds(parser, text))
            if len(seconds) >= MIN_NUMBER and (median(seconds) > SLOWEST or perf_counter() - began > MAX_LENGTH):
                break
        yield TimingPoint(parser.valuation.name, kind, words, len(seconds), median(seconds) * 1000)
        if median(seconds) > SLOWEST:
            return


def _seconds(parser: Parser, text: str) -> float:
    """Return the seconds of a parse, of the fastest of some runs.

    The first run builds automaton states that sentences share, and so does one that finds too many of them and begins
    anew: such runs count only if there are no others, or if they are far too slow to be repeated.
    """
    first: list[float] = []
    warm: list[float] = []
    while len(warm) < REPETITIONS and len(first) <= REPETITIONS and sum(warm) < ENOUGH:
        states, began = parser.states, perf_counter()
        parse = parser.parse(text)
        assert parse.satisfied or parse.violated or not parse.nodes
        seconds = perf_counter() - began
        runs = warm if first and parser.states >= states else first
        runs.append(seconds)
        if seconds > (SLOWEST if runs is warm else 5 * SLOWEST):
            break
    return min(warm or first)


def exponent(points: Sequence[TimingPoint]) -> float | None:
    """Return the b of milliseconds = a * words ** b, fitted by least squares on the logarithms; None for too few
    points.
    """
    fitted = [point for point in points if point.words >= FITTED_FROM]
    if len(fitted) < 2:
        return None
    return linear_regression([log(p.words) for p in fitted], [log(p.milliseconds) for p in fitted]).slope


def curves(points: Sequence[TimingPoint]) -> dict[tuple[str, str], list[TimingPoint]]:
    """Return the points by valuation and kind."""
    found: dict[tuple[str, str], list[TimingPoint]] = {}
    for point in points:
        found.setdefault((point.valuation, point.kind), []).append(point)
    return found


def bench(
    grammar: Grammar,
    path: str | None = None,
    lengths: Sequence[int] | None = None,
    hash_lines: HashLines | None = None,
) -> list[TimingPoint]:
    """Measure how the time of a parse grows with the words of a sentence; the sentences are grown from those of a file.

    Without a file they are grown from the corpus of a packaged grammar. Raises UsageError where there is none, and
    DataError where no given sentence is well formed.
    """
    return growth_curves(grammar, texts_of(grammar, path, hash_lines), lengths or LENGTHS)


@frozen
class ReadSweepJob:
    """Reads a sentence and parses it at each granularity."""

    read: Reading
    sweep: SweepJob

    def __call__(self, given: NamedText | InputSentence) -> tuple[ParseAt, ...]:
        return self.sweep(self.read(given))


def granularities_of(text: str) -> tuple[float, ...]:
    """Return the granularities that `0,.5,1` names, each once, the smallest first. Raises UsageError."""
    found = set()
    for part in text.split(","):
        try:
            number = float(part)
        except ValueError:
            number = -1.0
        if not isfinite(number) or number < 0:
            raise UsageError(
                f'"{part.strip()}" is no granularity\n  write numbers from 0 on with commas between them: 0,0.5,1,2'
            )
        found.add(number + 0.0)
    return tuple(sorted(found))


def sweep(
    parser: Parser,
    granularities: tuple[float, ...],
    sentences: Iterable[Any],
    read: Reading,
    gold: EvalbParameters | None = None,
    executor: Executor = in_this_process,
    complain: Callable[[DataError], object] = lambda error: None,
) -> list[GranularityPoint]:
    """Parse the sentences at each granularity.

    Raises UsageError where a granularity has no meaning, and DataError where no sentence can be read.
    """
    job = ReadSweepJob(read, SweepJob(parser, granularities, gold))
    found = []
    for record in BatchRun(job, sentences, executor=executor).whole():
        if isinstance(record, Failure):
            complain(record.as_error())
        else:
            found.append(record.value)
    if not found:
        raise DataError("no sentence to parse\n  type some in quotes, or give a file with -i")
    return points_of(granularities, found)


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
    yield Member("about", about, _heading(points, about))
    yield Line()
    yield granularity_table(points)
    yield Line()
    yield Lines(_legend(points))


def _heading(points: Sequence[GranularityPoint], about: str) -> str:
    """Return the heading: the number of sentences, the grammar, and how many sentences met a limit."""
    limited = max(point.limited for point in points)
    said = f"; up to {limited} met a limit" if limited else ""
    return f"{about}: {counted(points[0].sentences, 'sentence')}{said}; means a sentence"


def granularity_table(points: Sequence[GranularityPoint]) -> Table[GranularityPoint]:
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


def _legend(points: Sequence[GranularityPoint]) -> list[str]:
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
        about=safe(_heading(points, about)),
        plot=granularity_plot(points),
        table="\n".join(html_table(granularity_table(points).cells())),
        legend="\n".join(f'<p class="faint">{safe(line)}</p>' for line in _legend(points)),
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


def log_log(lines: Sequence[Curve], title: str, across: str, up: str) -> str:
    """Return an SVG document; `across` and `up` name the axes. Without a point only the axes are drawn."""
    points = [point for curve in lines for point in curve.points] or [(1.0, 1.0)]
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
    row = PLOT_TOP + 12 + 22 * number
    left, middle = PLOT_WIDTH - PLOT_RIGHT + 14, row - 2
    yield (
        f'<path class="curve {color}" stroke-dasharray="{dashes}" d="M{left:.1f} {middle:.1f}h28"/>'
        f'<circle cx="{left + 14:.1f}" cy="{middle:.1f}" r="3" class="{color}"/>'
    )
    yield f'<text x="{PLOT_WIDTH - PLOT_RIGHT + 50:.1f}" y="{row + 2:.1f}">{escape(curve.name)}</text>'
