"""Packed forests: results compared with a list of all derivations, on small random hypergraphs."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp, inf, isclose, log, prod
from random import Random

import pytest

from numbat.derivations import (
    BEST_COUNT,
    COUNTING,
    LEAST_COST,
    LOG_PROBABILITY,
    Derivation,
    Derivations,
    Hyperedge,
    Semiring,
    build_bottom_up,
    inside,
    outside,
)
from tests.samples import enough

Edge = Hyperedge[int, str]
Tree = tuple[str, tuple["Tree", ...]]
SEEDS = range(enough(40))
MAX_NUMBER = 60


def random_edges(random: Random, nodes: int = 6) -> list[list[Edge]]:
    """Each node is made of lower ones, in up to three ways; some cannot be derived, some parts occur twice."""
    edges: list[list[Edge]] = []
    numbers: list[int] = []
    """Number of derivations of each node; a way that would give too many to list is left out."""
    for node in range(nodes):
        edges.append([])
        numbers.append(0)
        for way in range(random.randint(0 if node else 1, 3)):
            parts = tuple(random.randrange(node) for _ in range(random.randint(0, 3) if node else 0))
            more = prod(numbers[part] for part in parts)
            if numbers[node] + more <= MAX_NUMBER:
                numbers[node] += more
                edges[node].append(Hyperedge(parts, random.randint(0, 3), f"{node}.{way}"))
    return edges


def every(edges: list[list[Edge]], node: int) -> list[tuple[int, Tree]]:
    """All derivations of a node: value and tree, in the documented order."""
    found: list[tuple[int, int, tuple[int, ...], Tree]] = []
    for number, edge in enumerate(edges[node]):
        below = [list(enumerate(every(edges, part))) for part in edge.parts]
        for chosen in product(*below):
            value = edge.value + sum(value for _, (value, _) in chosen)
            tree = edge.label, tuple(tree for _, (_, tree) in chosen)
            found.append((value, number, tuple(rank for rank, _ in chosen), tree))
    return [(value, tree) for value, _, _, tree in sorted(found, key=lambda each: each[:3])]


def labels(tree: Tree) -> list[str]:
    return [tree[0], *(label for below in tree[1] for label in labels(below))]


def tree_of(forest: Derivations[int, str], node: int, derivation: Derivation) -> Tree:
    def expand(place: tuple[int, Derivation | None]) -> tuple[str, list[tuple[int, Derivation | None]]]:
        return forest.expand(*place)

    def build(label: str, below: tuple[Tree, ...]) -> Tree:
        return label, below

    top: tuple[int, Derivation | None] = node, derivation
    return build_bottom_up(top, expand, build)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivations_come_in_their_order_each_once(seed: int) -> None:
    edges = random_edges(Random(seed))
    forest = Derivations(edges.__getitem__)
    for root in range(len(edges)):
        expected = every(edges, root)
        found = [forest.derivation(root, rank) for rank in range(len(expected))]
        told = [(each.value, tree_of(forest, root, each)) for each in found if each is not None]
        assert told == expected
        assert forest.derivation(root, len(expected)) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_and_how_many_are_best(seed: int) -> None:
    edges = random_edges(Random(seed))
    for root in range(len(edges)):
        forest, expected = Derivations(edges.__getitem__), every(edges, root)
        assert forest.best(root) == (labels(expected[0][1]) if expected else [])
        assert forest.count(root) == Counter(value for value, _ in expected)[expected[0][0] if expected else 0]
        assert Derivations(edges.__getitem__, tied=True).count(root) == len(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_inside_weights_are_sums_over_all_derivations(seed: int) -> None:
    edges = random_edges(Random(seed))
    forest, root = Derivations(edges.__getitem__), len(edges) - 1
    costs = [value for value, _ in every(edges, root)]
    best = min(costs, default=inf)
    assert inside(forest, root, LEAST_COST, lambda edge: edge.value)[root] == best
    assert inside(forest, root, COUNTING, lambda edge: 1)[root] == len(costs)
    assert inside(forest, root, BEST_COUNT, lambda edge: (edge.value, 1))[root] == (
        best,
        costs.count(int(best)) if costs else 0,
    )
    found = inside(forest, root, LOG_PROBABILITY, lambda edge: -float(edge.value))[root]
    assert isclose(found, log(sum(exp(-cost) for cost in costs))) if costs else found == -inf


@pytest.mark.parametrize("seed", SEEDS)
def test_inside_times_outside_is_the_sum_over_the_derivations_that_have_a_node(seed: int) -> None:
    edges = random_edges(Random(seed))
    forest, root = Derivations(edges.__getitem__), len(edges) - 1
    trees = every(edges, root)

    def around(semiring: Semiring[float], sign: int) -> dict[int, float]:
        insides = inside(forest, root, semiring, lambda edge: sign * edge.value)
        outsides = outside(forest, root, semiring, lambda edge: sign * edge.value, insides)
        return {node: semiring.times(insides[node], outsides[node]) for node in outsides}

    counts = inside(forest, root, COUNTING, lambda edge: 1)
    counted = outside(forest, root, COUNTING, lambda edge: 1, counts)
    least, likely = around(LEAST_COST, 1), around(LOG_PROBABILITY, -1)
    for node in counted:
        having = [(value, sum(label.startswith(f"{node}.") for label in labels(tree))) for value, tree in trees]
        having = [(value, often) for value, often in having if often]
        assert counts[node] * counted[node] == sum(often for _, often in having)
        assert least[node] == min((value for value, _ in having), default=inf)
        expected = sum(often * exp(-value) for value, often in having)
        assert isclose(likely[node], log(expected), abs_tol=1e-9) if having else likely[node] == -inf


def test_spines() -> None:
    """Sequences as forests write them: a first part and a rest, or a beginning and a last part."""
    edges: dict[str, list[Hyperedge[str, str]]] = {each: [Hyperedge((), 0, each.upper())] for each in "abc"}
    edges["bc."] = [Hyperedge(("b", "c."), 0, "2")]
    edges["c."] = [Hyperedge(("c",), 0, "3")]
    edges["abc."] = [Hyperedge(("a", "bc."), 0, "1")]
    edges[".ab"] = [Hyperedge((".a", "b"), 0, "5")]
    edges[".a"] = [Hyperedge(("a",), 0, "4")]
    edges[".abc"] = [Hyperedge((".ab", "c"), 0, "6")]
    forest = Derivations(edges.__getitem__)
    told, heads = forest.right_spine("abc.", forest.derivation("abc.", 0))
    assert (told, [node for node, _ in heads]) == (["1", "2", "3"], ["a", "b", "c"])
    row = forest.left_spine(".abc", forest.derivation(".abc", 0), str.isalpha)
    assert [node for node, _ in row] == ["a", "b", "c"]
    assert [node for node, _ in forest.left_spine("a", None, str.isalpha)] == ["a"]


def test_deep_forests_need_no_deep_recursion() -> None:
    edges = [[Hyperedge((node - 1,) if node else (), 1, node)] for node in range(5_000)]
    forest = Derivations(edges.__getitem__)
    assert forest.best(4_999) == list(range(4_999, -1, -1))
    assert forest.count(4_999) == 1
    assert inside(forest, 4_999, LEAST_COST, lambda edge: edge.value)[4_999] == 5_000
