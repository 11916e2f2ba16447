"""Input and output records of the exact search, shared by the compiled search and the one in Python.

The search builds *items* and settles them:

- A *passive item* is a finished constituent, given by its start, end, kind, and depth of its unary chain.
- An *active item* is an unfinished constituent, given by its start, end, construction, and state of its automaton.
- To *settle* an item is to take it off the agenda; from then on, its best value and all best ways to build it are
  known.
- The *level* of an item is its cost under `relaxation`, plus the cost of two fragments if its construction cannot be a
  daughter and the item is not the whole sentence. Under `net`, the level is 0.
- The *ceiling* is the highest cost that is being explored. The search under `relaxation`, called *growing relaxation*,
  begins with a low ceiling: edges that cost more are postponed, and offered again when the ceiling rises because the
  best solution costs more.
- A *cover* is a sequence of adjacent passive items over the whole input, or over its rest from a position on (H5).
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from numbat.parsing.policies import Limits, Value

Edge = tuple[int, int, Value, int]
"""One way to build an item: two parts (-1: none), the value added, and a label: construction, word or -1 (active)."""
WordItem = tuple[int, int, int, int]
"""A reading of a word: start, end, kind, cost."""
CHECK_EVERY: Final = 1024
"""Number of items between two checks of the clock."""
RISE_DIVISOR: Final = 4
"""A rising ceiling rises by 1 / this number.

With a ceiling above the optimum, many items are built in vain; but each rise goes through all postponed edges again.
"""
EDGES_AN_ITEM: Final = 4
"""Number of edges that count as one item.

Searches of text have 1 to 2 edges per item, those for the n best up to 3. If each word has hundreds of equally good
readings, edges would fill the memory long before the limit of items is met.
"""
TOO_MANY: Final = -1
"""Instead of a number of trees: it exceeds 64 bits."""


@dataclass(slots=True)
class SearchItems:
    """Result of a search: the items in `starting` and all their parts, in the order in which they were built.

    The search in Python returns all other items, too. `built` is the number of items built, in which edges may count,
    too (`EDGES_AN_ITEM`). Item i covers `starts[i]` to `ends[i]`; `kinds[i]` is -1 for an active item. `starting[p]`
    are the settled passive items that begin at position p; unless all edges are kept, only those in best covers.
    `roots` are the passive items that are a root over the whole input. `covers[p]` is the value of the best cover from
    position p to the end. `counts[i]` is the number of equally good trees for a settled item: `TOO_MANY` if it exceeds
    64 bits; `values[i]` is its best value.

    `pruned`: an item was above the ceiling. `stopped`: the limit of items or of time was met; under `relaxation`, all
    solutions that were not found cost `at_least` this much, if no limit of states was met. `hit_state_limit`: an active
    item was left out because its span had too many; `hit_budget`: one was left out to save items for the rest of the
    search.

    If only what is within a margin of the best is returned, each item and edge is in such a solution, and
    `rests[i]` is the least cost of the rest of a solution around item i. `packed` is the answer of the compiled search,
    as its other functions read it.
    """

    built: int
    starts: Sequence[int]
    ends: Sequence[int]
    kinds: Sequence[int]
    starting: Sequence[Sequence[int]]
    roots: Collection[int]
    covers: Sequence[Value]
    settled: int
    pruned: bool
    stopped: bool
    at_least: int
    hit_state_limit: bool
    hit_budget: bool
    edges: Sequence[list[Edge]]
    counts: Sequence[int]
    values: Sequence[Value]
    rests: Sequence[int]
    packed: Any = None


# How many active items are kept over each span, given the limits of states and of items.
#
# Under `net`, no cost leads a search. If it just continued until the limit of items is met, it would parse only the
# part of the sentence with which it began. But it settles spans one after the other, those that begin further right
# first. So the remaining spans share the remaining items, and each span keeps its best ones. A search that needs fewer
# items than its limit needs few items for the first spans, so a span may exceed its share as long as the search keeps
# that pace.

ITEMS_PER_STATE: Final = 12
"""Usual maximum number of items that are built for each active item that is kept."""
MIN_STATES: Final = 3
"""Minimum number of states per span; with fewer, no long constituents would be built."""


class BeamBudget:
    """Quotas of active items for the spans of a sentence; if `in_turn`, spans share the limit of items.

    `hit_state_limit`: an item was left out because of the limit of states; `hit_budget`: because of the limit of items.
    """

    def __init__(self, tokens: int, limits: Limits, in_turn: bool) -> None:
        self.hit_state_limit = self.hit_budget = False
        self._tokens, self._most_states = tokens, limits.states
        self._most = limits.items if in_turn else None
        self._kept: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._column, self._share, self._quota = -1, 0, 0

    def is_full(self, start: int, end: int) -> bool:
        """True if a span has used up its quota and an item over it was already left out, and reported as such."""
        if not (self.hit_state_limit or self.hit_budget):
            return False
        kept = self._kept[start, end]
        is_over = self.hit_state_limit and self._most_states is not None and kept >= self._most_states
        return is_over or (self.hit_budget and kept > 0 and kept >= self._quota)

    def count_and_refuse(self, start: int, end: int, built: int) -> bool:
        """Count one more item over a span; True if it must be left out, given the number of items built so far."""
        kept = self._kept[start, end]
        if self._most is not None and not kept:
            self._quota = self._next_quota(start, end, built, self._most)
        self._kept[start, end] += 1
        if self._most_states is not None and kept >= self._most_states:
            self.hit_state_limit = True
            return True
        if self._most is not None and kept >= self._quota:
            self.hit_budget = True
            return True
        return False

    def _next_quota(self, start: int, end: int, built: int, most: int) -> int:
        """Return the quota of the next span to be settled, such that the items last until the last span.

        The span may use the larger of two numbers of items: an equal share of the remaining ones, and what keeps pace.
        To keep pace, after some fraction of all spans a search may have built the square of that fraction of all items,
        because later spans are longer and need more. A search that never builds more than this reaches its end.

        An example: 10,000 items and 10 words, so 55 spans. After 43 of them, 2,000 items are built. The 44th span is
        one of 12 remaining: its equal share is 8,000 / 12 = 666 items. The pace is (44 / 55)² = .64 of all items, 6,336
        as each division rounds down, which leaves 4,336 for this span. That is more; at 12 items per state the span may
        keep 361 states. Had 6,200 items been built, the share would be 316 and the pace 136: 26 states.
        """
        every, left = _spans(self._tokens, self._tokens), most - built
        spans = _spans(start, self._tokens) + self._tokens - end + 1
        if self._column != start:
            self._column = start
            self._share = built + left * (self._tokens - end + 1) // spans
        done = every - spans + 1
        at_pace = most // every * done // every * done - built
        states = max(left // spans, at_pace) // ITEMS_PER_STATE
        return max(states, MIN_STATES) if built < self._share else states


def _spans(positions: int, tokens: int) -> int:
    """Return how many spans of a sentence begin at one of its first `positions` positions."""
    return positions * (2 * tokens - positions + 1) // 2


def least_ceiling(words: Sequence[WordItem]) -> int:
    """Return the least ceiling that admits a word at each position; it is above 0 only in text without blanks."""
    cheapest: dict[int, int] = {}
    for start, _, _, cost in words:
        if cost < cheapest.get(start, cost + 1):
            cheapest[start] = cost
    return max(cheapest.values(), default=0)


@contextmanager
def collection_suspended() -> Iterator[None]:
    """Suspend garbage collection, which takes a tenth of the time of a parse although searches build no cycles."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
