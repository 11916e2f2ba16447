"""Input and output records of the exact search, shared by the compiled search and the one in Python.

The search builds *items* and settles them:

- A *passive item* is a finished constituent: start, end, kind, depth of its unary chain.
- An *active item* is an unfinished one: start, end, construction, state of its automaton.
- To *settle* an item is to take it off the agenda; then its best value and all the best ways to build it are known.
- The *level* of an item is its cost under `relaxation`, plus that of two fragments if its construction cannot be a
  daughter and it is not the whole sentence. Under `net` it is 0.
- The *ceiling* is the highest cost that is being explored. In *growing relaxation*, the search under `relaxation`, it
  is 0 at first: edges that cost more are postponed, and offered again when the ceiling rises because the best solution
  is beyond it.
- A *cover* is a row of passive items over the whole input, or over the rest of it from a position on (H5).
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from numbat.parsing.policies import Limits, Value

Edge = tuple[int, int, Value, int]
"""Two parts (-1: none), the value that the edge adds, a label: construction, word or -1 (active item)."""
WordItem = tuple[int, int, int, int]
"""Start, end, kind, cost."""
CHECK_EVERY: Final = 1024
"""Number of items between two checks of the clock."""
RISE_DIVISOR: Final = 4
"""The ceiling rises by itself divided by this.

A ceiling above the optimum builds many items in vain, but each rise goes once more through all that was left out.
"""
EDGES_AN_ITEM: Final = 4
"""Number of edges that count as one item.

Parses of text have 1 to 2 edges per item, the n best up to 3. If hundreds of readings of each word are equally good,
edges would fill the memory long before the limit of items is met.
"""
TOO_MANY: Final = -1
"""Stands for a number of trees beyond 64 bits."""


@dataclass(slots=True)
class SearchItems:
    """Result of a search: its items in the order in which they were built, those in `starting` and their parts.

    The search in Python returns other items, too. `built` is the number of all items (`EDGES_AN_ITEM`). Item i covers
    `starts[i]` to `ends[i]`; `kinds[i]` is -1 for an active item. `starting[p]` are the settled passive items that
    begin at position p, only those of the best covers unless all edges are kept; `roots` are those that are a root over
    the whole input. `covers` are the values of the best covers of the input from each position to the end. `counts` are
    the numbers of equally good trees of settled items: `TOO_MANY` beyond 64 bits, 0 if all edges are kept.

    `pruned`: an item was above the ceiling. `stopped`: the limit of items or of time was met; under `relaxation`, if no
    limit of states was met, all other solutions cost `at_least` this much. `hit_state_limit`: an active item was left
    out because its span had too many; `hit_budget`: to save items for the rest of the search.
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


# Number of active items kept over each span, given the limits of states and of items.
#
# Under `net` no cost leads a search. If it continued until its limit of items is met, it would parse only the part with
# which it began. But it settles spans one after the other, those that begin further right first. So the remaining spans
# share the remaining items, and each keeps its best. A search that needs fewer items than its limit needs few of them
# for the first spans, so a span may exceed its share as long as that is the case.

ITEMS_PER_STATE: Final = 12
"""Usual maximum of items built per active item that is kept."""
MIN_STATES: Final = 3
"""Minimum number of states per span: fewer build no long constituents."""


class BeamBudget:
    """Quotas of active items for the spans of a sentence; if `in_turn`, spans share the limit of items.

    `hit_state_limit`: an item was left out because of the limit of states; `hit_budget`: of that of items.
    """

    def __init__(self, tokens: int, limits: Limits, in_turn: bool) -> None:
        self.hit_state_limit = self.hit_budget = False
        self._tokens, self._most_states = tokens, limits.states
        self._most = limits.items if in_turn else None
        self._kept: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._column, self._share, self._quota = -1, 0, 0

    def is_full(self, start: int, end: int) -> bool:
        """True if the quota of a span is used up; only after a first item was left out, which must be reported."""
        if not (self.hit_state_limit or self.hit_budget):
            return False
        kept = self._kept[start, end]
        is_over = self.hit_state_limit and self._most_states is not None and kept >= self._most_states
        return is_over or (self.hit_budget and kept > 0 and kept >= self._quota)

    def count_and_refuse(self, start: int, end: int, built: int) -> bool:
        """Count one more item over a span; True if it must be left out, given the number of items built."""
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
        Pace means that after a fraction of all spans, the square of that fraction of all items may have been built, as
        later spans are longer and need more. A search that never builds more than that comes to its end.

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
    """Return the number of spans that begin at one of the first positions of a sentence."""
    return positions * (2 * tokens - positions + 1) // 2


def least_ceiling(words: Sequence[WordItem]) -> int:
    """Return the least cost that admits a word at each position; it is above 0 only for text without blanks."""
    cheapest: dict[int, int] = {}
    for start, _, _, cost in words:
        if cost < cheapest.get(start, cost + 1):
            cheapest[start] = cost
    return max(cheapest.values(), default=0)


@contextmanager
def collection_suspended() -> Iterator[None]:
    """Suspend garbage collection: searches build no cycles, and it takes a tenth of the time of a parse."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
