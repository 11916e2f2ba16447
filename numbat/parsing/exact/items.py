"""What the exact search is given and what it finds: the same records from the compiled one and from its twin."""

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
TOO_MANY: Final = -1
"""A number of trees beyond 64 bits."""


@dataclass(slots=True)
class Items:
    """What a search found: of the items that it built, so many in all, those that something in `starting` is made of,
    in the order in which they were built; the search in Python hands the others over, too. Item i covers `starts[i]` to
    `ends[i]`; `kinds[i]` is -1 for an active item.

    `starting[p]` are the settled passive items that begin at position p, only those that the best covers take there
    unless everything is kept; `roots` are those that are a root over all.
    `covers` are the values of the best covering combination of what follows each position, 0 to the end.
    `counts` are how many equally good trees settled items have: `TOO_MANY` beyond 64 bits, 0 where all edges are kept.
    `hit_state_limit`: an unfinished constituent was left out because there were too many over its span; `hit_budget`:
    because the items had to last to the end of the search.
    `pruned`: something was too costly for the ceiling; `stopped`: the limit of items was met.
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
