"""Runs that measure: each sentence at several granularities, and parse time by sentence length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite, log
from random import Random
from statistics import linear_regression, median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numbat.acceptability.random_phrases import corrupted, grow
from numbat.errors import DataError, UsageError
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT
from numbat.parses.sentences import Reading
from numbat.parsing.parser import Parser
from numbat.parsing.policies import VALUATIONS
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
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
        self._parsers = [parser.with_granularity(each) for each in granularities]
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
        _scores([each.score for each in found if each.score is not None]),
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
