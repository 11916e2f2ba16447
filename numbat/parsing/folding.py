"""Fold the packed forest of the parses within a margin of the best: partial analyses of each item, from the words up.

A `Folding` adds up a note over the phrases of each analysis, such as the reasons why it is ill-formed (`diagnoses`) or
its score (`preferences`), and keeps those analyses of an item that its subclass wants to keep. The exact search cuts
the forest out of its chart (`margin`): a typical sentence has some tens of items in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from numbat.evaluation.constituents import Assignment, Constituent, lexical_costs, word
from numbat.grammar.properties import UNIT
from numbat.parsing.analysis import Solution
from numbat.parsing.exact.chart import GOAL, Chart, Node
from numbat.parsing.parser import Nearby, Parser
from numbat.parsing.policies import Overdue, Value
from numbat.parsing.result import Parse

Note = TypeVar("Note")


class Partial(NamedTuple, Generic[Note]):
    """One analysis of a part of a sentence: its value, its note, its constituents and their items.

    An unfinished constituent has several constituents, its daughters so far.
    """

    value: Value
    note: Note
    constituents: tuple[Constituent, ...]
    nodes: tuple[Node, ...]
    fragment_cost: int = 0

    @property
    def solution(self) -> Solution:
        """The analysis of a whole sentence as a solution of the search."""
        return Solution(self.constituents, self.fragment_cost)


class Folding(ABC, Generic[Note]):
    """Partial analyses of all items of the forest within `limit`, a cost in fixed-point units."""

    def __init__(self, parser: Parser, parse: Parse, limit: int, nothing: Note) -> None:
        self.constructions = parser.evaluator.table.constructions
        self.limit, self.level = limit, parser.valuation.level
        self.none: Partial[Note] = Partial(0, nothing, (), ())
        self._readings = lexical_costs(parse.lattice)
        self._known: dict[Node, list[Partial[Note]]] = {}

    @abstractmethod
    def of_phrase(self, phrase: Constituent, parts: Note) -> Note:
        """Return the note on a phrase, given that on its daughters."""

    @abstractmethod
    def of_cover(self, top: Constituent, fragment_cost: int) -> Note:
        """Return the note on a constituent at the top, given what it costs as a fragment."""

    @abstractmethod
    def joined(self, one: Note, other: Note) -> Note:
        """Return the note on two parts."""

    @abstractmethod
    def kept(self, ways: Sequence[Partial[Note]], rest: int, is_open: bool) -> list[Partial[Note]]:
        """Return the analyses of an item to keep; `rest` is the least cost around it, `is_open`: it is unfinished."""

    def phrase(
        self, chart: Chart, node: Node, number: int, nodes: Sequence[Node], daughters: Assignment
    ) -> Constituent:
        """Return the phrase of an item: of the construction with this number, over daughters with these items."""
        return chart.phrase(node, number, nodes, daughters)

    def of_word(self, leaf: Constituent) -> Note:
        """Return the note on a word."""
        return self.none.note

    def analyses(self, chart: Chart) -> list[Partial[Note]]:
        """Return the analyses of the sentence that are kept."""
        items = chart.items
        for node in chart.forest.bottom_up(GOAL):
            ways = list(self._covers(chart, node) if node < 0 else self._built(chart, node))
            rest = items.rests[node] if node >= 0 else 0
            self._known[node] = self.kept(ways, rest, node >= 0 and items.kinds[node] < 0)
        return [one for one in self._known[GOAL] if self.level(one.value) <= self.limit]

    def _built(self, chart: Chart, node: Node) -> Iterator[Partial[Note]]:
        """Yield the analyses of an item by its edges and the analyses of its parts."""
        known, is_open = self._known, chart.items.kinds[node] < 0
        for left, right, value, label in chart.items.edges[node]:
            if left < 0:
                leaf = word(*self._readings[label])
                yield Partial(value, self.of_word(leaf), (leaf,), (node,))
                continue
            for begun in known[left]:
                for added in known[right] if right >= 0 else (self.none,):
                    nodes, parts = begun.nodes + added.nodes, begun.constituents + added.constituents
                    total, note = value + begun.value + added.value, begun.note
                    if right >= 0:
                        note = self.joined(note, added.note)
                    if is_open:
                        yield Partial(total, note, parts, nodes)
                    else:
                        made = self.phrase(chart, node, label, nodes, parts)
                        yield Partial(total, self.of_phrase(made, note), (made,), (node,))

    def _covers(self, chart: Chart, node: Node) -> Iterator[Partial[Note]]:
        """Yield the analyses of the rest of the sentence from a position on."""
        for edge in chart.forest.hyperedges(node):
            cost, (head, *rest) = edge.label, edge.parts
            assert isinstance(cost, int)
            for first in self._known[head]:
                begun = self.joined(first.note, self.of_cover(first.constituents[0], cost))
                for others in self._known[rest[0]] if rest else (self.none,):
                    yield Partial(
                        edge.value + first.value + others.value,
                        self.joined(begun, others.note),
                        first.constituents + others.constituents,
                        first.nodes + others.nodes,
                        cost + others.fragment_cost,
                    )


def fold(
    parser: Parser,
    parse: Parse,
    nearby: Nearby | None,
    margin: float,
    overdue: Overdue,
    folding: Callable[[Parser, Parse, int], Folding[Note]],
) -> list[Partial[Note]]:
    """Return the analyses of a sentence within a margin of a best parse; empty if the search met a limit.

    `nearby` is the chart of these, if it is known; else the sentence of the parse is searched.
    """
    if nearby is None and parse.stopped_by is None and parser.searches_by_cost:
        nearby = parser.n_best_nearby(parse.lattice, 1, margin, overdue)[1]
    if nearby is None:
        return []
    with parser.lock:
        return folding(parser, parse, nearby.least + round(margin * UNIT)).analyses(nearby.chart)


def parses_of(parser: Parser, parse: Parse, analyses: Iterable[Partial[Note]]) -> list[Parse]:
    """Return analyses of the sentence of a parse as parses."""
    return list(parser.parses_of(parse.lattice, [one.solution for one in analyses], parse.count, 1, "exact", None))
