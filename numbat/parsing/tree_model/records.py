"""What the scoring of trees takes and gives: features of edges, a table of weights, a task, the best tree."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from numbat.parsing.tree_model.attributes import GrammarKeys
from numbat.parsing.treebank_grammar.forest import Forest


class EdgeFeatures(NamedTuple):
    """Features of edges that are not hashed: those of edge i are `ids[k]`, `values[k]` for k from `at[i]` on."""

    at: array[int]
    ids: array[int]
    values: array[float]


class Table(NamedTuple):
    """The weights of features: of `named` ones, then of hashed ones, 2 to the power of `bits` (floats of 32 bits)."""

    weights: array[float]
    named: int
    bits: int


class Task(NamedTuple):
    """A forest to be scored: `attributes` of `tokens` words; `marks`, what is predicted by span, start by start;
    `groups`, which hashed features there are; `extra` features of edges; `losses` that are added by node.

    The logarithm of the likelihood counts `likelihood` times, costs being fixed-point units.
    """

    forest: Forest
    tokens: int
    attributes: array[int]
    marks: array[int] | None
    keys: GrammarKeys
    groups: int
    table: Table
    extra: EdgeFeatures | None
    losses: array[float] | None
    likelihood: float


class Best(NamedTuple):
    """The best tree: its score, and its edges from the root, each before those of its left and right part."""

    score: float
    edges: array[int]
