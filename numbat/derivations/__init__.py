"""One reader of packed forests: the best derivation, the k best, how many there are, inside and outside weights.

A packed forest holds very many trees in little room. It is a hypergraph: each node (a constituent, an item of a chart)
is derived by one of its hyperedges, from other nodes. `Derivations` reads derivations off it; `inside` and `outside`
add up weights over all of them, in any `Semiring`. Two readings of a sentence, the second one more costly:

>>> edges = {
...     "S": [Hyperedge(("NP", "VP"), 1, "S")],
...     "NP": [Hyperedge((), 0, "she")],
...     "VP": [Hyperedge((), 2, "saw [her duck]"), Hyperedge((), 5, "saw [her] duck")],
... }
>>> forest = Derivations(edges.__getitem__)
>>> forest.best("S")
['S', 'she', 'saw [her duck]']
>>> [forest.derivation("S", rank).value for rank in range(2)]
[3, 6]
>>> inside(forest, "S", COUNTING, lambda edge: 1)["S"]
2

Begin with `Derivations`; nothing here knows of grammars or sentences.
"""

from numbat.derivations.derivations import Derivation, Derivations, Derived, build_bottom_up
from numbat.derivations.hypergraph import Hyperedge, Hypergraph
from numbat.derivations.semirings import (
    BEST_COUNT,
    COUNTING,
    LEAST_COST,
    LOG_PROBABILITY,
    Semiring,
    inside,
    outside,
)

__all__ = [
    "BEST_COUNT",
    "COUNTING",
    "LEAST_COST",
    "LOG_PROBABILITY",
    "Derivation",
    "Derivations",
    "Derived",
    "Hyperedge",
    "Hypergraph",
    "Semiring",
    "build_bottom_up",
    "inside",
    "outside",
]
