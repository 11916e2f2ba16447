"""What the exact search is given and what it finds: the same records from the compiled search and from that in Python.

The search builds *items* and settles them:

- A *passive item* is a finished constituent: start, end, kind, depth of its unary chain.
- An *active item* is an unfinished one: start, end, construction, state of its automaton.
- To *settle* an item is to take it off the agenda; its best value and all the best ways to build it are known then.
- The *level* of an item is its cost under `relaxation`, and 0 under `net`.
- The *ceiling* is the highest cost that is explored at present. In *growing relaxation*, the search under `relaxation`,
  it is 0 at first: what costs more is postponed, and taken up where the best solution is beyond the ceiling, which
  then rises.
- A *cover* is a row of passive items over the whole input, or over all that follows a position (H5).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from numbat.parsing.policies import Value

Edge = tuple[int, int, Value, int]
"""Two parts (-1 for none), the value that the edge adds, and a label: a construction, a word, -1 for an active item."""
WordItem = tuple[int, int, int, int]
"""Start, end, kind, cost."""
CHECK_EVERY: Final = 1024
"""After so many items the search looks at the clock again."""
RISE_DIVISOR: Final = 4
"""The ceiling rises by itself divided by this. Items grow fast in number with the ceiling, so that one above the
optimum makes many in vain; but after each rise what was left out is looked at once more."""
TOO_MANY: Final = -1
"""A number of trees beyond 64 bits."""


@dataclass(slots=True)
class Items:
    """What a search found: of the items that it built, so many in all, those that something in `starting` is made of,
    in the order in which they were built; the search in Python hands the others over, too. Item i covers `starts[i]` to
    `ends[i]`; `kinds[i]` is -1 for an active item.

    `starting[p]` are the settled passive items that begin at position p, only those that the best covers take there
    unless all edges are kept; `roots` are those that are a root over all.
    `covers` are the values of the best covering combination of what follows each position, 0 to the end.
    `counts` are how many equally good trees settled items have: `TOO_MANY` beyond 64 bits, 0 where all edges are kept.
    `hit_state_limit`: an unfinished constituent was left out because there were too many over its span; `hit_budget`:
    because the items had to last to the end of the search.
    `pruned`: something was too costly for the ceiling; `stopped`: the limit of items or of time was met.
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
    hit_state_limit: bool
    hit_budget: bool
    edges: Sequence[list[Edge]]
    counts: Sequence[int]
