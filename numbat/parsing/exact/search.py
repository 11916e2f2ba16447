"""The compiled kernel, where it could be built, behind the same function as its twin in Python.

C behind CPython's limited API was chosen by measurement: it costs nothing at start-up, installs without a
compiler (then `kernel` runs), and is the fastest of the ways that were tried; a JIT compiler would cost .7 s a start.
`NUMBAT_KERNEL=python` switches it off.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final

from numbat.native import wants_python
from numbat.parsing.exact import python_search
from numbat.parsing.exact.compiled_grammar import CompiledGrammar
from numbat.parsing.exact.items import PATIENCE, Edge, Items, Word
from numbat.parsing.limits import Limits, Overdue, never
from numbat.parsing.policies import COST_SHIFT

try:
    from numbat.parsing.exact import _search as _compiled
except ImportError:
    _compiled = None  # type: ignore[assignment]

INTERFACE = 10
"""What the kernel is asked and answers; one that was compiled for another is left alone, until it is built again."""


def kind() -> str:
    """Which kernel is in use: `compiled` or `python`. Raises UsageError for another value of the switch."""
    fits = _compiled is not None and getattr(_compiled, "INTERFACE", 1) == INTERFACE
    return "python" if wants_python() or not fits else "compiled"


def search(
    tokens: int,
    words: list[Word],
    machine: CompiledGrammar,
    ceiling: int | None,
    everything: bool,
    limits: Limits,
    overdue: Overdue = never,
    whole: bool = False,
) -> Items:
    """`python_search.search`, compiled where that is possible; what does not fit into 64 bits runs in Python.

    `whole`: all items are handed over, as the Python kernel does, and not only what the covers are made of.

    The switch is asked until there are tables: a look into the environment takes as long as a tenth of a search.
    """
    if machine.tables is not None or kind() == "compiled":
        try:
            return _by_compiled(tokens, words, machine, ceiling, everything, limits, overdue, whole)
        except BaseException as error:
            machine.tables, machine.tabled = None, 0  # a state may have been half made
            if not isinstance(error, OverflowError):
                raise
    return python_search.search(tokens, words, machine, ceiling, everything, limits, overdue)


def _by_compiled(
    tokens: int,
    words: list[Word],
    machine: CompiledGrammar,
    ceiling: int | None,
    everything: bool,
    limits: Limits,
    overdue: Overdue,
    whole: bool,
) -> Items:
    if machine.tables is None:
        grammar = machine.grammar
        machine.tables = _compiled.new_tables(
            machine.automata,
            machine.valuation.lexicographic,
            grammar.unary_limit,
            grammar.node_cost,
            grammar.fragment_cost,
            machine.usual_cost,
        )
    found = _compiled.search(
        machine.tables,
        machine,
        tokens,
        words,
        machine.views(tokens, words),
        ceiling is not None,
        ceiling or 0,
        everything,
        -1 if limits.items is None else limits.items,
        -1 if limits.states is None else limits.states,
        overdue,
        PATIENCE,
        whole,
    )
    built, about, counts, edges, starting, roots, covers, settled, pruned, stopped, crowded, rationed, tabled = found
    machine.tabled = tabled
    rows = memoryview(about).cast("i")
    shift = COST_SHIFT if machine.valuation.lexicographic else 0
    return Items(
        built,
        rows[0::4],
        rows[1::4],
        rows[2::4],
        _Starting(memoryview(starting).cast("i")),
        memoryview(roots).cast("i"),
        _Values(memoryview(covers).cast("q"), shift),
        settled,
        pruned,
        stopped,
        crowded,
        rationed,
        _Edges(rows[3::4], edges, shift),
        memoryview(counts).cast("q"),
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
