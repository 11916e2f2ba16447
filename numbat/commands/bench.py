"""`numbat bench`: how the time of a parse grows with the words of the sentence, as records, a table and a plot.

The sentences are grown from given ones, for any grammar: constituents of their parses change places with longer ones
of the same construction and features until the sentence has the wanted length; it stays well formed. Corrupted twins
have one word dropped, doubled or swapped with the next. What is timed is the whole call from the text to the parse with
both property sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from random import Random
from statistics import linear_regression, median
from time import perf_counter
from typing import Final

from numbat.commands.reading import Line, lines_of
from numbat.errors import DataError, UsageError
from numbat.evaluation.constituents import Constituent
from numbat.grammar.features import Bundle
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import VALUATIONS
from numbat.report.plot import Curve, log_log
from numbat.words.example_words import packaged_sentences

LENGTHS: Final = (5, 8, 10, 15, 20, 30, 40, 60)
KINDS: Final = ("well-formed", "corrupted")
FITTED_FROM: Final = 10
"""Shorter sentences say little about growth: start-up costs of a call outweigh the search."""
SENTENCES: Final = 7
"""Measured for each length and kind, where so many could be grown in `MOST_GROWN` times as many trials."""
MOST_GROWN: Final = 6
REPETITIONS: Final = 3
MOST_TRIES: Final = 2_000
"""So many times a constituent of a sentence is tried to grow; then the sentence is given up."""
SLOWEST: Final = 1.0
"""Seconds for a sentence in the middle above which a curve is not followed to greater lengths."""
FEWEST: Final = 3
"""So many sentences of a length are measured however long they take: one may be far slower than the others."""
LONGEST: Final = 5.0
"""Seconds for the sentences of a length and kind after which no more than those few are measured."""
ENOUGH: Final = 0.5
"""Seconds for the runs of a sentence after which it is not run again."""


@dataclass(frozen=True, slots=True)
class Point:
    """The median milliseconds of a sentence of so many words; the median is over sentences, of the best of some runs.

    `words` is the length of the well-formed sentence, also for its corrupted twin.
    """

    valuation: str
    kind: str
    words: int
    sentences: int
    milliseconds: float


def texts_of(grammar: Grammar, path: str | None) -> list[str]:
    """The sentences of a file; without one, the good ones of the corpus that comes with Numbat for the grammar.

    Raises DataError for a line that cannot be read, MissingFileError, and UsageError where there is no such corpus.
    """
    if path is not None:
        return [text for _, text in map(_readable, lines_of(path))]
    texts = packaged_sentences(grammar)
    if not texts:
        name = grammar.name or "without name"
        raise UsageError(f"no sentences for the grammar {name}\n  give some that are well formed, with -i FILE")
    return texts


def _readable(line: Line | DataError) -> Line:
    if isinstance(line, DataError):
        raise line
    return line


def bench(grammar: Grammar, texts: Iterable[str], lengths: Sequence[int] = LENGTHS) -> list[Point]:
    """The growth curves of a grammar. Raises DataError where no given sentence is well formed."""
    points: list[Point] = []
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


def _curve(parser: Parser, kind: str, grown: Sequence[tuple[int, list[str]]]) -> Iterator[Point]:
    for words, sentences in grown:
        rng = Random(words)
        texts = sentences if kind == KINDS[0] else [corrupted(text, rng) for text in sentences]
        seconds, began = [], perf_counter()
        for text in texts:
            seconds.append(_seconds(parser, text))
            if len(seconds) >= FEWEST and (median(seconds) > SLOWEST or perf_counter() - began > LONGEST):
                break
        yield Point(parser.valuation.name, kind, words, len(seconds), median(seconds) * 1000)
        if median(seconds) > SLOWEST:
            return


def _seconds(parser: Parser, text: str) -> float:
    """Of the fastest of some runs. The first makes ready what sentences share, and so does one that finds too much of
    that and starts afresh: they count only if there are no others, or if they are far too slow to be repeated."""
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


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree of a sentence that grows; `kind` is construction and features, a word has a form and no daughters."""

    kind: tuple[str, Bundle]
    form: str = ""
    daughters: tuple[Grown, ...] = ()
    size: int = 1

    def walk(self) -> Iterator[Grown]:
        yield self
        for daughter in self.daughters:
            yield from daughter.walk()

    def words(self) -> list[str]:
        return [node.form for node in self.walk() if not node.daughters]

    def replaced(self, place: int, other: Grown) -> Grown:
        """The tree with another one in place of the constituent that `walk` gives at a place."""
        if place == 0:
            return other
        place -= 1
        daughters = list(self.daughters)
        for i, daughter in enumerate(daughters):
            inside = sum(1 for _ in daughter.walk())
            if place < inside:
                daughters[i] = daughter.replaced(place, other)
                break
            place -= inside
        return Grown(self.kind, self.form, tuple(daughters), sum(each.size for each in daughters))


def grow(grammar: Grammar, texts: Iterable[str], lengths: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    """For each length, in rising order, well-formed sentences of so many words."""
    parser = Parser(grammar)
    parses = [parser.parse(text) for text in texts]
    seeds = [_tree(parse.constituents[0]) for parse in parses if parse.is_full and parse.is_well_formed]
    if not seeds:
        raise DataError("no sentence is well formed by this grammar\n  give some that are, with -i FILE")
    pool: dict[tuple[str, Bundle], list[Grown]] = {}
    for node in (node for seed in seeds for node in seed.walk()):
        pool.setdefault(node.kind, []).append(node)
    for length in sorted(lengths):
        sentences = []
        for number in range(SENTENCES * MOST_GROWN):
            rng = Random(f"{length} {number}")
            tree = _longer(rng.choice([seed for seed in seeds if seed.size <= length] or seeds), length, pool, rng)
            text = " ".join(tree.words())
            if tree.size == length and parser.parse(text).is_well_formed:
                sentences.append(text)
            if len(sentences) == SENTENCES:
                break
        if sentences:
            yield length, sentences


def _tree(constituent: Constituent) -> Grown:
    daughters = tuple(map(_tree, constituent.daughters))
    size = sum(daughter.size for daughter in daughters) or constituent.end - constituent.start
    return Grown((constituent.construction, constituent.features), constituent.form, daughters, size)


def _longer(tree: Grown, length: int, pool: Mapping[tuple[str, Bundle], Sequence[Grown]], rng: Random) -> Grown:
    """The tree, grown to the length, or as near to it as the pool allowed."""
    for _ in range(MOST_TRIES):
        if tree.size >= length:
            break
        nodes = list(tree.walk())
        place = rng.randrange(len(nodes))
        longest = nodes[place].size + length - tree.size
        longer = [other for other in pool.get(nodes[place].kind, ()) if nodes[place].size < other.size <= longest]
        if longer:
            tree = tree.replaced(place, rng.choice(longer))
    return tree


def corrupted(text: str, rng: Random) -> str:
    """The sentence with one word dropped, doubled or swapped with the next one."""
    words = text.split()
    place = rng.randrange(max(len(words) - 1, 1))
    match rng.choice(("dropped", "doubled", "swapped")):
        case "dropped":
            del words[place]
        case "doubled":
            words.insert(place, words[place])
        case _:
            words[place : place + 2] = reversed(words[place : place + 2])
    return " ".join(words)


def exponent(points: Sequence[Point]) -> float | None:
    """The b of milliseconds = a * words ** b, fitted by least squares on the logarithms; None for too few points."""
    fitted = [point for point in points if point.words >= FITTED_FROM]
    if len(fitted) < 2:
        return None
    return linear_regression([log(p.words) for p in fitted], [log(p.milliseconds) for p in fitted]).slope


def curves(points: Sequence[Point]) -> dict[tuple[str, str], list[Point]]:
    """The points by valuation and kind."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.valuation, point.kind), []).append(point)
    return found


def table_lines(points: Sequence[Point]) -> Iterator[str]:
    """A column for each curve; a dash where sentences are too slow to be followed further."""
    found = curves(points)
    yield "median ms per sentence, and b in ms ~ words^b from 10 words on"
    yield f"{'words':>7}" + "".join(f"{f'{valuation}, {kind}':>25}" for valuation, kind in found)
    for words in sorted({point.words for point in points}):
        row = [next((f"{p.milliseconds:.2f}" for p in curve if p.words == words), "-") for curve in found.values()]
        yield f"{words:>7}" + "".join(f"{cell:>25}" for cell in row)
    fits = ["-" if (b := exponent(curve)) is None else f"{b:.2f}" for curve in found.values()]
    yield f"{'b':>7}" + "".join(f"{fit:>25}" for fit in fits)


def plot(points: Sequence[Point], title: str) -> str:
    """The curves as an SVG document, both axes logarithmic."""
    drawn = []
    for (valuation, kind), curve in curves(points).items():
        fit = exponent(curve)
        name = f"{valuation}, {kind}" + (f": n^{fit:.1f}" if fit is not None else "")
        drawn.append(Curve(name, tuple((p.words, p.milliseconds) for p in curve)))
    return log_log(drawn, title, "words", "ms per sentence")
