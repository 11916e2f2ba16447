"""Parses each sentence at several granularities, and sums up what each granularity makes of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from numbat.grammar.properties import UNIT
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.sources import InputSentence

if TYPE_CHECKING:
    from numbat.treebank.scores import EvalbParameters, SentenceScore, TreebankScores


class ParseAt(NamedTuple):
    """What of a parse at one granularity is summed up; `score` where the sentence came with a tree."""

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
        from numbat.treebank.converting import score_parse

        return score_parse(sentence.id, sentence.gold, parse, self._gold)


@frozen
class GranularityPoint:
    """What one granularity makes of all sentences.

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
    """A point for each granularity, of what the job made of each sentence; there is at least one."""
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
    from numbat.treebank.scores import TreebankScores

    return TreebankScores(tuple(scores))
