"""The k best trees of a tabular search: the least costly, one after the other, each once.

The search says which items occur in trees that cost little more than the best (`Viable`); of these a packed forest is
made (`forest`), and its derivations are ranked (`numbat.derivations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from numbat.derivations import Derivation, Derivations, Hyperedge
from numbat.grammar.properties import UNIT
from numbat.parsing.limits import Overdue, never
from numbat.parsing.treebank_grammar.forest import Forest, nodes_of
from numbat.parsing.treebank_grammar.forest_building import forest_of
from numbat.parsing.treebank_grammar.items import ScoredWord, SearchResult, TreeNode, Viable
from numbat.parsing.treebank_grammar.markov import MarkovGrammar

SLACKS: Final = (3, 6, 12)
"""How much more trees may cost, as natural logarithms: the next where there are too few."""
MOST_DERIVATIONS: Final = 8
"""So many derivations are ranked at first for each tree that is asked for, as several may be the same over bare labels;
twice as many where there are too few trees."""

Graph = Derivations[int, int]
"""Over the nodes of a forest, labelled with its edges."""


def k_best(
    grammar: MarkovGrammar,
    words: Sequence[ScoredWord],
    tokens: int,
    n: int,
    find: Callable[[int], SearchResult],
    overdue: Overdue = never,
) -> list[SearchResult]:
    """Up to n results, the best first; trees that are the same over bare labels count as one.

    `find` searches with a slack. Where no tree covers the sentence there is one result. Fewer than n come back where
    the passes before the last leave no more, or none that costs at most the last of `SLACKS` more, or where a limit
    was met, which the results then name.
    """
    most = n * MOST_DERIVATIONS
    found: list[SearchResult] = []
    for slack in (each * UNIT for each in SLACKS):
        best = find(slack)
        if best.stopped_by is None or not found:
            others = islice(_others(grammar, words, tokens, best, slack, most, overdue), n - 1)
            found = max([best, *others], found, key=len)
        if len(found) == n:
            break
        stopped_by = best.stopped_by or ("seconds" if overdue() else None)
        if stopped_by is not None:
            found = [each._replace(stopped_by=stopped_by) for each in found]
        if stopped_by is not None or not best.is_tree:
            break
        most *= 2
    return [each._replace(viable=Viable()) for each in found]


def ranked(
    grammar: MarkovGrammar, forest: Forest, costs: Sequence[int], most: int, overdue: Overdue = never
) -> Iterator[tuple[int, list[int]]]:
    """The trees of a forest with their costs, the least first, of so many derivations at most, while there is time.

    A tree is given by its edges. Of trees that are the same over bare labels the first is taken. `costs` are those of
    the edges.
    """
    root = len(forest.starts) - 1
    graph: Graph = Derivations(_edges(forest, costs).__getitem__)
    seen = set()
    for rank in range(most):
        derivation = None if overdue() else graph.derivation(root, rank)
        if derivation is None:
            return
        edges = list(_edges_of(graph, root, derivation))
        bare = bare_tree(grammar, nodes_of(forest, edges))
        if bare not in seen:
            seen.add(bare)
            yield derivation.value, edges


def _others(
    grammar: MarkovGrammar,
    words: Sequence[ScoredWord],
    tokens: int,
    best: SearchResult,
    slack: int,
    most: int,
    overdue: Overdue,
) -> Iterator[SearchResult]:
    """The different trees but for the best."""
    if not best.viable.passive or overdue():
        return
    forest = forest_of(grammar, words, tokens, best.viable, best.cost + slack)
    first = bare_tree(grammar, best.nodes)
    for cost, edges in ranked(grammar, forest, forest.costs, most, overdue):
        nodes = nodes_of(forest, edges)
        if cost > best.cost + slack:
            return
        if bare_tree(grammar, nodes) != first:
            yield best._replace(cost=cost, nodes=nodes)


def _edges(forest: Forest, costs: Sequence[int]) -> list[list[Hyperedge[int, int]]]:
    """By node: its edges."""
    found: list[list[Hyperedge[int, int]]] = [[] for _ in forest.starts]
    for edge, head in enumerate(forest.heads):
        parts = tuple([part for part in (forest.lefts[edge], forest.rights[edge]) if part >= 0])
        found[head].append(Hyperedge(parts, costs[edge], edge))
    return found


def _edges_of(graph: Graph, root: int, derivation: Derivation) -> Iterator[int]:
    """The edges of a tree, each before those of its left and right part."""
    waiting: list[tuple[int, Derivation | None]] = [(root, derivation)]
    while waiting:
        edge, parts = graph.expand(*waiting.pop())
        yield edge
        waiting += reversed(parts)


def bare_tree(grammar: MarkovGrammar, nodes: Sequence[TreeNode]) -> tuple[tuple[int, int, int], ...]:
    """A tree over bare labels."""
    label = grammar.tables.label_of_symbol
    return tuple([(label[symbol], word, size) for symbol, word, size in nodes])
