"""Input and output records of the exact search, shared by the compiled search and the one in Python.

The search builds *items* and settles them:

- A *passive item* is a finished constituent: start, end, kind, depth of its unary chain.
- An *active item* is an unfinished one: start, end, construction, state of its automaton.
- To *settle* an item is to take it off the agenda; its best value and all the best ways to build it are known then.
- The *level* of an item is its cost under `relaxation`, with what stands beside it at least: two fragments, where it is
  of a construction that is a daughter of none, and not the whole sentence. Under `net` it is 0.
- The *ceiling* is the highest cost that is explored at present. In *growing relaxation*, the search under `relaxation`,
  it is 0 at first: what costs more is postponed, and taken up where the best solution is beyond the ceiling, which
  then rises.
- A *cover* is a row of passive items over the whole input, or over all that follows a position (H5).
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
"""Number of items between two looks at the clock."""
RISE_DIVISOR: Final = 4
"""Divisor: the ceiling rises by itself divided by this. Items grow fast in number with the ceiling, so that one above
the optimum makes many in vain; but after each rise what was left out is looked at once more."""
EDGES_AN_ITEM: Final = 4
"""So many ways to build items count as one item more: parses of text have 1 to 2 an item, the n best up to 3. Where
hundreds of readings of each word are equally good, ways would fill the memory long before items are too many."""
TOO_MANY: Final = -1
"""Marks a number of trees beyond 64 bits."""


@dataclass(slots=True)
class Items:
    """Result of a search: those of the items that something in `starting` is made of, in the order in which they
    were built, and how many were built (`EDGES_AN_ITEM`); the search in Python returns the others, too. Item i covers
    `starts[i]` to `ends[i]`; `kinds[i]` is -1 for an active item.

    `starting[p]` are the settled passive items that begin at position p, only those of the best covers unless all
    edges are kept; `roots` are those that are a root over the whole input.
    `covers` are the values of the best covers of the input from each position on, 0 to the end.
    `counts` are the numbers of equally good trees of settled items: `TOO_MANY` beyond 64 bits, 0 if all edges are kept.
    `hit_state_limit`: an active item was left out because its span had too many; `hit_budget`: to save items for the
    rest of the search.
    `pruned`: an item was above the ceiling; `stopped`: the limit of items or of time was met; under `relaxation`, if no
    limit of states was met, what was not found by then costs `at_least` so much.
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


# How many unfinished constituents a search keeps over each span: what its limits of states and of items allow.
#
# Under `net` no cost leads a search. If it went on until its limit of items is met, only what it began with would be
# parsed. But spans come one after the other there, all that begin further right first. So what is left of the limit is
# shared by the spans that are left, and each keeps its best. Where a search needs fewer items than its limit it needs
# few of them for the first spans, and a span may have more than its share as long as that is so.

ITEMS_PER_STATE: Final = 12
"""Items built per active item that is kept, usually at most."""
MIN_STATES: Final = 3
"""Minimum of states per span: fewer build no long constituents. They may suffice for the short spans only."""


class BeamBudget:
    """Quotas of items for the spans of a sentence; with `in_turn` later spans get a share of the limit.

    `hit_state_limit`: something was left out by the limit of states; `hit_budget`: by that of items.
    """

    def __init__(self, tokens: int, limits: Limits, in_turn: bool) -> None:
        self.hit_state_limit = self.hit_budget = False
        self._tokens, self._most_states = tokens, limits.states
        self._most = limits.items if in_turn else None
        self._kept: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._column, self._share, self._quota = -1, 0, 0

    def is_full(self, start: int, end: int) -> bool:
        """True if one more item over a span would be too many; false while nothing was left out, because that has to be
        reported.
        """
        if not (self.hit_state_limit or self.hit_budget):
            return False
        kept = self._kept[start, end]
        is_over = self.hit_state_limit and self._most_states is not None and kept >= self._most_states
        return is_over or (self.hit_budget and kept > 0 and kept >= self._quota)

    def count_and_refuse(self, start: int, end: int, built: int) -> bool:
        """Count one more over a span; True if that exceeds the quota, given the items built, and it is left out."""
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
        """Return the quota of a span, so that the items last until the last span; it is the next to be settled.

        It may have the greater of two numbers of items: an equal share of those that are left, and what keeps pace.
        Pace: after a fraction of all spans the square of that fraction of all items may be built, for later spans are
        longer and take more. A search that never builds more than that comes to its end.

        An example: 10,000 items, 10 words, so 55 spans. After 43 of them 2,000 items are built. The 44th span is one of
        12 that are left: its equal share is 8,000 / 12 = 666 items. The pace is (44 / 55)² = .64 of all items, 6,336 as
        each division rounds down, of which 4,336 are left for this span. That is more; at 12 items a state the span may
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
    """Return the least cost up to which there is a word at each position: above 0 only for text without blanks."""
    cheapest: dict[int, int] = {}
    for start, _, _, cost in words:
        if cost < cheapest.get(start, cost + 1):
            cheapest[start] = cost
    return max(cheapest.values(), default=0)


# Work that makes many records which refer to none before them: there is no garbage in circles to look for.


@contextmanager
def collection_suspended() -> Iterator[None]:
    """Python does not look for garbage in circles meanwhile; it would take a tenth of the time of a parse."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
