"""Parses on their way between processes: they go without their grammar, which is there at both ends.

A parse that is pickled takes an excerpt of its grammar with it, and what refers to its constituents takes these once
more; that would be most of what is sent. So a job gives back a `Made` value, which has the value itself in the process
where it was made; pickled it becomes what the value is built of again (`SentParse`, `SentItem`, `SentVerdict`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from numbat.gradience.models import Counts, Score, Term
from numbat.gradience.suite import Item
from numbat.gradience.verdicts import ScoredItem
from numbat.grammar.model import Grammar
from numbat.parsing.analysis import ParseRecord, analysis_of
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.treebank.converting import TreeVerdict
from numbat.words.lattice import Arc

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)


class Sendable(Protocol[Value_co]):
    """What gives a value by the grammar of the parser: the value itself, or what came of it from another process."""

    def by(self, grammar: Grammar) -> Value_co: ...


class Sent(Sendable[Value], Protocol[Value]):
    """What is sent of a value."""

    @classmethod
    def of(cls, value: Value) -> Self: ...


@frozen
class Made(Generic[Value]):
    """A value in the process where it was made; it is pickled as what is `sent` of it."""

    value: Value
    sent: type[Sent[Value]]

    def by(self, grammar: Grammar) -> Value:
        """The value itself."""
        return self.value

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.sent.of(self.value),)


def _received(sent: Sendable[Value]) -> Sendable[Value]:
    return sent


@frozen
class SentParse:
    """A parse without its grammar, with all readings of its words."""

    record: ParseRecord
    arcs: tuple[Arc, ...]

    @classmethod
    def of(cls, value: Parse) -> SentParse:
        """What is sent of a parse."""
        return cls(value.record, value.lattice.arcs)

    def by(self, grammar: Grammar) -> Parse:
        """The parse again. Raises DataError for another grammar."""
        return analysis_of(Parse, self.record, grammar, self.arcs)


class NumberedTerm(NamedTuple):
    """A term of a score; its constituent goes by its number in the walk over the parse."""

    constituent: int
    counts: Counts
    local: float
    value: float


@frozen
class SentItem:
    """A scored item that came from another process; `score` is without its `terms`."""

    item: Item
    parse: SentParse
    score: Score | None
    terms: tuple[NumberedTerm, ...]

    @classmethod
    def of(cls, value: ScoredItem) -> SentItem:
        """What is sent of a scored item."""
        parse, score = value.parse, value.score
        terms: tuple[NumberedTerm, ...] = ()
        if score is not None and score.terms:
            number = {id(constituent): i for i, constituent in enumerate(parse.walk())}
            terms = tuple(NumberedTerm(number[id(t.constituent)], t.counts, t.local, t.value) for t in score.terms)
            score = replace(score, terms=())
        return cls(value.item, SentParse.of(parse), score, terms)

    def by(self, grammar: Grammar) -> ScoredItem:
        """The item with its parse and score, by the grammar of the parser."""
        parse, score = self.parse.by(grammar), self.score
        if score is not None and self.terms:
            nodes = list(parse.walk())
            score = replace(score, terms=tuple(Term(nodes[t[0]], *t[1:]) for t in self.terms))
        return ScoredItem(self.item, parse, score)


@frozen
class SentVerdict:
    """A verdict on a tree that came from another process."""

    id: str
    parse: SentParse
    uncovered: tuple[str, ...]
    unknown: tuple[str, ...]

    @classmethod
    def of(cls, value: TreeVerdict) -> SentVerdict:
        """What is sent of a verdict."""
        return cls(value.id, SentParse.of(value.parse), value.uncovered, value.unknown)

    def by(self, grammar: Grammar) -> TreeVerdict:
        """The verdict, by the grammar of the parser."""
        return TreeVerdict(self.id, self.parse.by(grammar), self.uncovered, self.unknown)
