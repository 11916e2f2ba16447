"""Choice of one analysis among all those of a chart within a margin, by sums of weights less costs.

The analyses of each item with the highest sums less costs are kept, `most` of them, since what is further up may change
their order: the result is nearly always the exact best. Phrases are told apart by numbers: that of their kind, those of
the kinds of their daughters, and those of words. Their sums are asked of `PhraseSums`, once each.

`_choice.c` is the compiled version of `_choose`, with equal results.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple, Protocol

from numbat import native
from numbat.evaluation.constituents import Constituent, word
from numbat.parsing.analysis import Solution
from numbat.parsing.exact.chart import GOAL, Chart, Node
from numbat.parsing.exact.compiled_grammar import WeightedGrammar
from numbat.parsing.exact.items import Edge, SearchItems
from numbat.parsing.policies import COST_SHIFT, VALUATIONS, Value
from numbat.words.lattice import Arc

LENGTHS: Final = (3, 6, 12)
"""Upper bounds of the classes of lengths and distances, in words."""
LEVEL: Final = VALUATIONS["relaxation"].level
"""The cost in a value; only searches by cost know what is within a margin."""
NEVER: Final = -(10**14)
"""Sum of a word, or of a constituent at the top, that the choice must not have; 4,095 of them fit into 64 bits."""
NO_PART: Final = -1
"""Instead of a part of an edge: there is none."""
Row = tuple[int, int, int]
"""A constituent of the choice: its label (of a word or construction), item, and number of daughters, which precede."""


class PhraseSums(Protocol):
    """PhraseSums of weights in fixed-point units, by bytes of numbers (`array("i")`).

    `shapes` has, for the number of a kind, then the kind and the class of length (0: a word) of each daughter, the sum
    and the number of the daughter that is the head. `links` has the sum for the category of a phrase, the word of its
    head, the category and the word of another daughter, and the class of their distance.
    """

    @property
    def shapes(self) -> Mapping[bytes, tuple[int, int]]: ...
    @property
    def links(self) -> Mapping[bytes, int]: ...
    @property
    def categories(self) -> array[int]:
        """The number of the category of each kind."""
        ...

    def reading(self, arc: Arc) -> tuple[int, int]:
        """Return the number of a word and its sum."""
        ...


class ChoiceRequest(NamedTuple):
    """ChoiceRequest to `_choose`; fields are in the order in which `_choice.c` reads them.

    `words` and `starts` have the number and the position of each reading, `readings` its sum, `tops` the sum of a
    constituent at the top by its kind. `limit` is the maximum cost, `lengths` are the `LENGTHS`.
    """

    tokens: int
    limit: int
    fragment_cost: int
    most: int
    lengths: array[int]
    words: array[int]
    starts: array[int]
    readings: array[int]
    categories: array[int]
    shapes: Mapping[bytes, tuple[int, int]]
    links: Mapping[bytes, int]
    tops: Mapping[bytes, int]


def choose(
    chart: Chart,
    weighted: WeightedGrammar,
    sums: PhraseSums,
    tops: Mapping[bytes, int],
    cut: Container[tuple[int, int]],
    limit: int,
    most: int,
) -> Solution | None:
    """Return the solution of a chart with the highest sum less cost among those that cost at most `limit`.

    Words have the spans in `cut`. It is None if no such analysis was kept.
    """
    arcs = [arc for arc, _ in chart.readings]
    readings = [sums.reading(arc) for arc in arcs]
    request = ChoiceRequest(
        len(chart.items.covers) - 1,
        limit,
        weighted.grammar.fragment_cost_units,
        most,
        array("i", LENGTHS),
        array("i", [number for number, _ in readings]),
        array("i", [arc.start for arc in arcs]),
        array("q", [sum_ if arc[:2] in cut else NEVER for arc, (_, sum_) in zip(arcs, readings, strict=True)]),
        sums.categories,
        sums.shapes,
        sums.links,
        tops,
    )
    packed = chart.items.packed
    if packed is None or native.load(native.EXACT_SEARCH) is None:
        rows = _choose(chart.items, request)
    else:
        from numbat.parsing.exact import _search

        numbers = _search.choose(packed, request)
        rows = None if numbers is None else _read(memoryview(numbers).cast("i"))
    return None if rows is None else _solution(chart, rows, request)


def _read(numbers: memoryview[int]) -> list[Row]:
    return [*zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True)][::-1]


def _solution(chart: Chart, rows: Sequence[Row], request: ChoiceRequest) -> Solution:
    """Return the solution that these rows make, its phrases with their properties evaluated."""
    built: list[tuple[Node, Constituent]] = []
    for label, item, size in rows:
        if not size:
            built.append((item, word(*chart.readings[label])))
            continue
        nodes, daughters = zip(*built[-size:], strict=True)
        built[-size:] = [(item, chart.phrase(item, label, nodes, daughters))]
    fragments = sum(item not in chart.items.roots for item, _ in built) * request.fragment_cost
    return Solution(tuple([constituent for _, constituent in built]), fragments)


class PartialAnalysis(NamedTuple):
    """One analysis of an item, with the sum of its weights.

    `word` is the reading from which a finished constituent has its features. What is unfinished has the label -1, and
    the daughters that it has so far; so has the rest of a sentence, whose daughters are constituents at the top.
    """

    value: Value
    sum: int
    label: int
    item: Node
    word: int
    daughters: tuple[PartialAnalysis, ...]

    @property
    def finished(self) -> tuple[PartialAnalysis, ...]:
        """The finished constituents that it adds to a phrase or a sentence."""
        return self.daughters if self.label < 0 else (self,)


NOTHING: Final = PartialAnalysis(0, 0, -1, 0, 0, ())


def _choose(items: SearchItems, request: ChoiceRequest) -> list[Row] | None:
    """Return the rows of the chosen analysis, daughters before their phrase; None if no analysis is left."""
    known: dict[Node, list[PartialAnalysis]] = {}
    choice = _Choice(items, request, known)
    waiting = [GOAL]
    while waiting:
        node = waiting[-1]
        edges = list(choice.covers(node)) if node < 0 else items.edges[node]
        parts = {part for edge in edges for part in edge[:2] if part != NO_PART}
        if unknown := parts - known.keys():
            waiting += unknown
            continue
        known[waiting.pop()] = choice.kept(node, edges)
    return _rows(known[GOAL][0]) if known[GOAL] else None


class _Choice(NamedTuple):
    """The analyses of items that are `known` so far, and how those of a further item are made."""

    items: SearchItems
    request: ChoiceRequest
    known: Mapping[Node, Sequence[PartialAnalysis]]

    def covers(self, node: Node) -> Iterator[Edge]:
        """Yield the ways to cover the sentence from a position on."""
        items, request = self.items, self.request
        for top in items.starting[-1 - node]:
            cost = 0 if top in items.roots else request.fragment_cost
            end = items.ends[top]
            yield top, NO_PART if end == request.tokens else -1 - end, cost << COST_SHIFT, -1

    def kept(self, node: Node, edges: Sequence[Edge]) -> list[PartialAnalysis]:
        """Return the analyses of an item to keep, the best first; equally good ones are in the order of its edges."""
        rest = self.items.rests[node] if node >= 0 else 0
        every = (one for edge in edges for one in self._built(node, edge))
        within = [one for one in every if LEVEL(one.value) + rest <= self.request.limit]
        return sorted(within, key=lambda one: (LEVEL(one.value) - one.sum, one.value))[: self.request.most]

    def _built(self, node: Node, edge: Edge) -> Iterator[PartialAnalysis]:
        """Yield the analyses of an item by one edge."""
        left, right, value, label = edge
        if left == NO_PART:
            yield PartialAnalysis(value, self.request.readings[label], label, node, label, ())
            return
        for first, second in product(self.known[left], self.known[right] if right != NO_PART else (NOTHING,)):
            daughters, more, word = (*first.finished, *second.finished), 0, 0
            if node < 0:
                more = self.request.tops[array("i", [self.items.kinds[left]]).tobytes()]
            elif label >= 0:
                more, word = self._phrase(node, daughters)
            total, sum_ = value + first.value + second.value, more + first.sum + second.sum
            yield PartialAnalysis(total, sum_, label, node, word, daughters)

    def _phrase(self, node: Node, daughters: Sequence[PartialAnalysis]) -> tuple[int, int]:
        """Return the sum of the weights of a phrase, and the reading from which it has its features."""
        items, request = self.items, self.request
        kinds, starts, words, categories = items.kinds, request.starts, request.words, request.categories
        shape = [kinds[node]]
        for one in daughters:
            shape += kinds[one.item], class_of(items.ends[one.item] - items.starts[one.item]) if one.daughters else 0
        sum_, head = request.shapes[array("i", shape).tobytes()]
        of = daughters[head].word
        for number, one in enumerate(daughters):
            if number != head:
                away = class_of(abs(starts[one.word] - starts[of]))
                link = categories[kinds[node]], words[of], categories[kinds[one.item]], words[one.word], away
                sum_ += request.links[array("i", link).tobytes()]
        return sum_, of


def class_of(length: int) -> int:
    """Return the class of a length in words, from 1."""
    return bisect_left(LENGTHS, length) + 1


def _rows(chosen: PartialAnalysis) -> list[Row]:
    """Return the rows of an analysis, daughters before their phrase."""
    rows: list[Row] = []
    waiting = [*chosen.daughters]
    while waiting:
        one = waiting.pop()
        rows.append((one.label, one.item, len(one.daughters)))
        waiting += one.daughters
    return rows[::-1]
