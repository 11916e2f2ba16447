"""Examples to learn from: the trees that a sentence may have, as a packed forest, and which of them is right."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Final

from numbat.evaluation.constituents import Constituent, word
from numbat.grammar.properties import UNIT
from numbat.parsing.tree_model.scoring import TreeModel, best
from numbat.parsing.tree_model.templates import EdgeFeatures, HashedGroup, Task
from numbat.parsing.treebank_grammar.given_tree import GivenNode, items_of_tree, with_items
from numbat.parsing.treebank_grammar.items import WHOLE, Forest
from numbat.parsing.treebank_grammar.search import CoarseToFine
from numbat.records import frozen
from numbat.treebank.trees import Tree, name_of, spans_of
from numbat.words.lattice import Arc

SURE: Final = 1e7
"""What a right phrase counts when the right tree of a forest is looked for: more than any likelihood."""
Bracket = tuple[str, int, int]


@frozen
class TreeExample:
    """A sentence with its forest, made by the expansions of its `fold`.

    `right` are the edges of the right tree, from the root. `losses` has by node what it adds to the loss: 1 for a
    phrase that is not right, -1 for one that is; with the number of right phrases, `phrases`, that is how many labelled
    spans are wrong or missing. `features` are those of the edges that are not hashed, `marks` auxiliary predictions.
    """

    fold: int
    tokens: tuple[tuple[str, str], ...]
    forest: Forest
    right: array[int]
    losses: array[float]
    phrases: int
    features: EdgeFeatures | None = None
    marks: array[int] | None = None

    def loss(self, edges: Sequence[int]) -> float:
        """How many labelled spans of a tree are wrong, and how many of the right ones it misses.

        A right label that a chain of only daughters repeats counts as right as often as it is there, as in the search.
        """
        kinds, heads = self.forest.kinds, self.forest.heads
        return self.phrases + sum(self.losses[heads[edge]] for edge in edges if kinds[edge] in WHOLE)

    def cost(self, edges: Sequence[int]) -> float:
        """Minus the logarithm of the likelihood of a tree."""
        return sum(self.forest.costs[edge] for edge in edges) / UNIT


def words_of(tree: Tree) -> list[Constituent]:
    """The words of a tree, each with its tag as its one reading."""
    return [word(Arc(i, i + 1, form, tag), 0) for i, (form, tag) in enumerate(tree.words())]


def example_of(
    tree: Tree, passes: CoarseToFine, model: TreeModel, prune: float, slack: float, fold: int = 0
) -> TreeExample | None:
    """The forest of a sentence with its tree in it; None where the expansions cannot make the tree.

    The tree is without functions and empty elements (`cleaned`).
    """
    constituents = words_of(tree)
    words = passes.words(constituents, len(constituents))
    tags = {leaf.label for leaf in passes.fine.symbols if not leaf.is_phrase}
    given = [GivenNode(name_of(node, tags), len(node.daughters)) for node in tree.walk()]
    items = items_of_tree(passes.fine, words.fine, given, passes.unary_limit)
    if tree.form is not None or items is None:
        return None
    limit = round(slack * UNIT)
    found = passes.search(words, prune, limit)
    forest = passes.forest(words, found._replace(viable=with_items(found.viable, items)), limit)
    wanted = Counter((name_of(node, tags), start, end) for node, start, end in spans_of(tree))
    losses = array("d", [_loss(bracket, wanted) for bracket in _brackets_of(forest, passes)])
    tokens = tuple(tree.words())
    task = model.task(forest, tokens)
    right = _given_tree(task, {item[:3] for item in items.passive})
    example = TreeExample(fold, tokens, forest, right, losses, wanted.total(), task.extra, task.marks)
    return example if right and example.loss(right) == 0 else None


@frozen
class NamedTree:
    """A tree as the input of a run."""

    id: str
    tree: Tree


@frozen
class ExampleJob:
    """Makes the example of a tree, as `example_of`."""

    passes: CoarseToFine
    model: TreeModel
    prune: float
    slack: float
    fold: int

    def __call__(self, each: NamedTree) -> TreeExample | None:
        return example_of(each.tree, self.passes, self.model, self.prune, self.slack, self.fold)


def _given_tree(task: Task, items: set[tuple[int, ...]]) -> array[int]:
    """The edges of the tree that has these words and phrases, as start, end and symbol."""
    forest = task.forest
    nodes = zip(forest.starts, forest.ends, forest.symbols, strict=True)
    certain = array("d", [0.0 if each[2] < 0 else SURE if each in items else -SURE for each in nodes])
    return best(task._replace(groups=HashedGroup(0), extra=None, losses=certain, likelihood=1 / UNIT)).edges


def _loss(bracket: Bracket | None, wanted: Counter[Bracket]) -> float:
    return 0.0 if bracket is None else -1.0 if bracket in wanted else 1.0


def _brackets_of(forest: Forest, passes: CoarseToFine) -> list[Bracket | None]:
    """By node: the label and the span of a phrase."""
    symbols = passes.fine.symbols
    return [
        (symbols[symbol].label, start, end) if symbol >= 0 and symbols[symbol].is_phrase else None
        for symbol, start, end in zip(forest.symbols, forest.starts, forest.ends, strict=True)
    ]
