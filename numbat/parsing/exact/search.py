"""The exact search: compiled where that could be built, else in Python, behind one function.

C behind CPython's limited API was chosen by measurement: it costs nothing at start-up, installs without a compiler
(then `python_search` runs), and is the fastest of the ways that were tried; a JIT compiler would cost .7 s a start.
`numbat.native` says which of them is in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final, NamedTuple

from numbat import native
from numbat.parsing.exact import python_search
from numbat.parsing.exact.beam_budget import FEWEST_STATES, ITEMS_A_STATE
from numbat.parsing.exact.items import CHECK_EVERY, RISE_DIVISOR, Edge, Items, WordItem
from numbat.parsing.exact.weighted_grammar import WeightedGrammar
from numbat.parsing.limits import Limits, Overdue, never
from numbat.parsing.policies import COST_SHIFT


class Request(NamedTuple):
    """What the compiled search is asked, in the order in which `_module.c` reads it; -1 stands for no limit.

    `items` and `states` are limits, `ceiling` counts if `has_ceiling`; `keep_all_edges`, `overdue` and
    `return_all_items` are those of `search`. The other four are constants of `items` and `beam_budget`.
    """

    tokens: int
    words: list[WordItem]
    lookaheads: bytes
    has_ceiling: bool
    ceiling: int
    keep_all_edges: bool
    items: int
    states: int
    overdue: Overdue
    items_between_checks: int
    items_a_state: int
    fewest_states: int
    rise_divisor: int
    return_all_items: bool


class Answer(NamedTuple):
    """What the compiled search found, as `_module.c` writes it: numbers of `Items`, vectors as the bytes of C arrays.

    `items`: start, end, kind and first edge of each; `edges`: rows of `_Edges`; `starting`: where the items of each
    position begin and end, then these; `table_states`: the number of states in the tables.
    """

    built: int
    items: bytes
    counts: bytes
    edges: bytes
    starting: bytes
    roots: bytes
    covers: bytes
    settled: int
    pruned: bool
    stopped: bool
    hit_state_limit: bool
    hit_budget: bool
    table_states: int


def search(
    tokens: int,
    words: list[WordItem],
    weighted: WeightedGrammar,
    ceiling: int | None,
    keep_all_edges: bool,
    limits: Limits,
    overdue: Overdue = never,
    return_all_items: bool = False,
) -> Items:
    """`python_search.search`, compiled where that is possible; what does not fit into 64 bits runs in Python.

    `return_all_items`: all items are handed over, as the Python search does, and not only what the covers are made of.

    `native.load` is asked only until there are tables: it looks into the environment, which takes as long as a tenth of
    a search.
    """
    if weighted.compiled.tables is not None or native.load(native.EXACT_SEARCH) is not None:
        try:
            return _by_compiled(tokens, words, weighted, ceiling, keep_all_edges, limits, overdue, return_all_items)
        except BaseException as error:
            weighted.compiled.forget_tables()  # a state may have been half made
            if not isinstance(error, OverflowError):
                raise
    return python_search.search(tokens, words, weighted, ceiling, keep_all_edges, limits, overdue)


def _values(weighted: WeightedGrammar) -> object:
    """What moves are worth, kept with the tables whose states it is about."""
    from numbat.parsing.exact import _search

    compiled, grammar = weighted.compiled, weighted.grammar
    if compiled.tables is None:
        shapes = next((each.classes.shapes for each in compiled.automata), None)
        compiled.tables = _search.new_tables(shapes, compiled.automata)
    if weighted.values is None or weighted.values[0] is not compiled.tables:
        made = _search.new_values(
            compiled.tables,
            weighted.automata,
            weighted.valuation.lexicographic,
            grammar.unary_limit,
            grammar.node_cost,
            grammar.fragment_cost,
            weighted.usual_cost,
        )
        weighted.values = compiled.tables, made
    return weighted.values[1]


def _by_compiled(
    tokens: int,
    words: list[WordItem],
    weighted: WeightedGrammar,
    ceiling: int | None,
    keep_all_edges: bool,
    limits: Limits,
    overdue: Overdue,
    return_all_items: bool,
) -> Items:
    from numbat.parsing.exact import _search

    request = Request(
        tokens,
        words,
        weighted.lookahead_numbers(tokens, words),
        ceiling is not None,
        ceiling or 0,
        keep_all_edges,
        -1 if limits.items is None else limits.items,
        -1 if limits.states is None else limits.states,
        overdue,
        CHECK_EVERY,
        ITEMS_A_STATE,
        FEWEST_STATES,
        RISE_DIVISOR,
        return_all_items,
    )
    answer = Answer._make(_search.search(_values(weighted), weighted.compiled, request))
    weighted.compiled.table_states = answer.table_states
    rows = memoryview(answer.items).cast("i")
    shift = COST_SHIFT if weighted.valuation.lexicographic else 0
    return Items(
        answer.built,
        rows[0::4],
        rows[1::4],
        rows[2::4],
        _Starting(memoryview(answer.starting).cast("i")),
        memoryview(answer.roots).cast("i"),
        _Values(memoryview(answer.covers).cast("q"), shift),
        answer.settled,
        answer.pruned,
        answer.stopped,
        answer.hit_state_limit,
        answer.hit_budget,
        _Edges(rows[3::4], answer.edges, shift),
        memoryview(answer.counts).cast("q"),
    )


class _Starting(Sequence[Sequence[int]]):
    """The items that begin at each position, behind where each position begins and ends."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: memoryview[int]) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return self._numbers[0] - 1

    def __getitem__(self, position: int) -> Sequence[int]:  # type: ignore[override]
        if position >= len(self):
            raise IndexError(position)
        return self._numbers[self._numbers[position] : self._numbers[position + 1]]


class _Values(Sequence[int]):
    """Values put together from their halves."""

    __slots__ = ("_halves", "_shift")

    def __init__(self, halves: memoryview[int], shift: int) -> None:
        self._halves, self._shift = halves, shift

    def __len__(self) -> int:
        return len(self._halves) // 2

    def __getitem__(self, item: int) -> int:  # type: ignore[override]
        return (self._halves[2 * item] << self._shift) + self._halves[2 * item + 1]


class _Edges(Sequence[list[Edge]]):
    """The edges of each item, made when they are asked for."""

    __slots__ = ("_offsets", "_rows", "_shift")
    _ROW: Final = Struct("qqiii4x")

    def __init__(self, offsets: memoryview[int], rows: bytes, shift: int) -> None:
        self._offsets, self._rows, self._shift = offsets, rows, shift

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, item: int) -> list[Edge]:  # type: ignore[override]
        size, shift = self._ROW.size, self._shift
        first = self._offsets[item]
        last = self._offsets[item + 1] if item + 1 < len(self._offsets) else len(self._rows) // size
        if last == first + 1:
            major, minor, left, right, label = self._ROW.unpack_from(self._rows, first * size)
            return [(left, right, (major << shift) + minor, label)]
        rows = self._ROW.iter_unpack(self._rows[first * size : last * size])
        return [(left, right, (major << shift) + minor, label) for major, minor, left, right, label in rows]
