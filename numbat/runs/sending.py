"""Parses on their way between processes: they go without their grammar, which is there at both ends.

A parse that is pickled takes an excerpt of its grammar with it, and what refers to its constituents takes these once
more; that would be most of what is sent. What a job gives back wraps its parse in a record of this module. In the
process where it was made the record has the value itself; in another one it has what to build the value of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from numbat.gradience.models.counting import Counts
from numbat.gradience.models.scores import Score, Term
from numbat.gradience.suites.scored_items import ScoredItem
from numbat.gradience.suites.suite import Item
from numbat.grammar.model import Grammar
from numbat.parsing.parse_record import ParseRecord, fields_of_analysis
from numbat.parsing.result import Parse
from numbat.treebank.parses import TreeVerdict
from numbat.words.lattice import Arc


@dataclass(frozen=True, slots=True)
class SentParse:
    """A parse without its grammar, with all readings of its words."""

    record: ParseRecord
    arcs: tuple[Arc, ...]

    @classmethod
    def of(cls, parse: Parse) -> SentParse:
        """What is sent of a parse."""
        return cls(parse.record, parse.lattice.arcs)

    def parse_by(self, grammar: Grammar) -> Parse:
        """The parse again. Raises DataError for another grammar."""
        return Parse(**fields_of_analysis(self.record, grammar, self.arcs))


class NumberedTerm(NamedTuple):
    """A term of a score; its constituent goes by its number in the walk over the parse."""

    constituent: int
    counts: Counts
    local: float
    value: float


@dataclass(frozen=True, slots=True)
class SentItem:
    """A scored item that came from another process; `score` is without its `terms`."""

    item: Item
    parse: SentParse
    score: Score | None
    terms: tuple[NumberedTerm, ...]

    def by(self, grammar: Grammar) -> ScoredItem:
        """The item with its parse and score, by the grammar of the parser."""
        parse, score = self.parse.parse_by(grammar), self.score
        if score is not None and self.terms:
            nodes = list(parse.walk())
            score = replace(score, terms=tuple(Term(nodes[t[0]], *t[1:]) for t in self.terms))
        return ScoredItem(self.item, parse, score)


@dataclass(frozen=True, slots=True)
class MadeItem:
    """A scored item in the process where it was made; it is pickled as a `SentItem`."""

    scored: ScoredItem

    def by(self, grammar: Grammar) -> ScoredItem:
        """The item itself."""
        return self.scored

    def __reduce__(self) -> tuple[Any, ...]:
        parse, score = self.scored.parse, self.scored.score
        terms: tuple[NumberedTerm, ...] = ()
        if score is not None and score.terms:
            number = {id(constituent): i for i, constituent in enumerate(parse.walk())}
            terms = tuple(NumberedTerm(number[id(t.constituent)], t.counts, t.local, t.value) for t in score.terms)
            score = replace(score, terms=())
        return SentItem, (self.scored.item, SentParse.of(parse), score, terms)


@dataclass(frozen=True, slots=True)
class SentVerdict:
    """A verdict on a tree that came from another process."""

    id: str
    parse: SentParse
    uncovered: tuple[str, ...]
    unknown: tuple[str, ...]

    def by(self, grammar: Grammar) -> TreeVerdict:
        """The verdict, by the grammar of the parser."""
        return TreeVerdict(self.id, self.parse.parse_by(grammar), self.uncovered, self.unknown)


@dataclass(frozen=True, slots=True)
class MadeVerdict:
    """A verdict in the process where it was made; it is pickled as a `SentVerdict`."""

    verdict: TreeVerdict

    def by(self, grammar: Grammar) -> TreeVerdict:
        """The verdict itself."""
        return self.verdict

    def __reduce__(self) -> tuple[Any, ...]:
        made = self.verdict
        return SentVerdict, (made.id, SentParse.of(made.parse), made.uncovered, made.unknown)
