"""A linear model made ready to choose among the trees of a sentence."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.properties import UNIT
from numbat.parsing.tree_model.attributes import GrammarKeys, token_attributes
from numbat.parsing.tree_model.bracket_marks import marks_of
from numbat.parsing.tree_model.property_features import PropertyFeatures
from numbat.parsing.tree_model.records import EdgeFeatures, Task
from numbat.parsing.tree_model.scoring import best, scores
from numbat.parsing.tree_model.weights import TreeWeights
from numbat.parsing.treebank_grammar.forest import Forest
from numbat.parsing.treebank_grammar.markov import MarkovGrammar


class TreeModel:
    """Weights of trees, with the grammar of expansions and the properties that their features speak of."""

    def __init__(self, weights: TreeWeights, evaluator: Evaluator, grammar: MarkovGrammar) -> None:
        self.weights = weights
        self.keys = GrammarKeys(grammar)
        self._properties = None
        if "properties" in weights.groups:
            self._properties = PropertyFeatures(evaluator, grammar, weights.names)

    @property
    def slack(self) -> float:
        """How much less likely than the likeliest tree another may be, as a natural logarithm."""
        return self.weights.slack

    def best(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[int]:
        """The edges of the best tree of a forest over forms with their tags."""
        return best(self.task(forest, tokens)).edges

    def scores(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[float]:
        """What each edge adds to the score of a tree, in natural logarithms."""
        return scores(self.task(forest, tokens))

    def extra(self, forest: Forest) -> EdgeFeatures | None:
        """The features of a forest that are not hashed."""
        return None if self._properties is None else self._properties.of_edges(forest)

    def task(self, forest: Forest, tokens: Sequence[tuple[str, str]], losses: array[float] | None = None) -> Task:
        """What is asked of the search: a forest over forms with their tags, to be scored."""
        weights = self.weights
        task = Task(
            forest,
            len(tokens),
            token_attributes(tokens),
            None,
            self.keys,
            weights.hashed_groups,
            weights.table,
            self.extra(forest),
            losses,
            weights.likelihood / UNIT,
        )
        if "auxiliary" not in weights.groups:
            return task
        return task._replace(marks=marks_of(task, weights.brackets))
