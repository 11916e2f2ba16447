"""Weights of trees beside a reranker of ten trees with the same features, learned by the same learner from lists:
`python -m pytest tests/bench/test_reranker_bench.py -n0 -s`.

For training, the ten likeliest trees of a sentence come from its forest, made with expansions of other folds; the one
with the fewest errors counts as right (Collins 2000, Charniak & Johnson 2005). On dev the reranker chooses among the
ten likeliest trees. The environment is that of `test_weights_bench`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from numbat.evaluation.evaluator import Evaluator
from numbat.learning.tree_learners import Rival
from numbat.learning.tree_training import TreeExamples, sparse_sum, train
from numbat.parsing.tree_model.scoring import TreeModel, TreeWeights
from numbat.parsing.tree_model.scoring import scores as scores_of
from numbat.parsing.treebank_grammar.items import Forest
from numbat.parsing.treebank_grammar.likeliest import MAX_DERIVATIONS, LikeliestTrees, ranked
from numbat.parsing.treebank_grammar.markov import MarkovGrammar
from numbat.parsing.treebank_parser import TreebankParser
from numbat.treebanks.scores import TreebankScores
from tests.bench.test_weights_bench import (
    MODELS,
    forests_for,
    gain,
    line,
    parser_of,
    scored,
    teller,
    trained,
    weights_of,
)

np = pytest.importorskip("numpy")

LISTED = 10
FEATURES = "expansions,words"


def likeliest(grammar: Any, forest: Forest) -> list[list[int]]:
    """Return the likeliest trees of a forest in order, each as its edges."""
    found = ranked(grammar, forest, forest.costs, 2 * LISTED * MAX_DERIVATIONS)
    return [edges for _, edges in islice(found, LISTED)]


class ListedTrees:
    """The likeliest trees of examples, as structures to learn from, the best of each list being the right one."""

    def __init__(self, examples: TreeExamples) -> None:
        self.start, self.size, self._examples = examples.start, examples.size, examples
        self._rivals = [self._listed(number) for number in range(len(examples))]

    def __len__(self) -> int:
        return len(self._rivals)

    def rivals(self, weights: Any, which: Sequence[int]) -> list[Rival]:
        return [max(self._rivals[number], key=partial(_missed, weights)) for number in which]

    def _listed(self, number: int) -> list[Rival]:
        example = self._examples.examples[number]
        labels = SimpleNamespace(label_of_symbol=self._examples.keys[example.fold].label)
        trees = likeliest(SimpleNamespace(tables=labels), example.forest)
        right = min(trees, key=example.loss)
        found = []
        for tree in trees:
            missed, more = sorted({*right} - {*tree}), sorted({*tree} - {*right})
            (ids, values), (others, other_values) = (self._examples.features(number, each) for each in (missed, more))
            both = np.concatenate((ids, others)), np.concatenate((values, -other_values)).astype(float)
            loss = self._examples.loss * (example.loss(tree) - example.loss(right))
            ahead = self.start.likelihood * (example.cost(missed) - example.cost(more))
            found.append(Rival(*sparse_sum(*both), loss, loss + ahead))
        return found


def _missed(weights: Any, rival: Rival) -> float:
    return rival.margin - float(rival.values @ weights[rival.ids])


class Reranker(TreeModel):
    """Chooses among the likeliest trees of a forest alone."""

    def __init__(self, weights: TreeWeights, evaluator: Evaluator, grammar: MarkovGrammar) -> None:
        super().__init__(weights, evaluator, grammar)
        self._grammar = grammar

    def best(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[int]:
        scores = scores_of(self.task(forest, tokens))
        return max(likeliest(self._grammar, forest), key=lambda edges: sum(scores[edge] for edge in edges))


class ListParser(TreebankParser):
    """Chooses among ten trees by weights."""

    def __init__(self, treebank: str, weights: TreeWeights) -> None:
        made = trained(treebank)
        super().__init__(made.grammar, made.expansions, weights=weights)
        choice = partial(Reranker, weights, self.evaluator)
        self._trees = LikeliestTrees(made.expansions, self.evaluator, self.prune, choice=choice)


def reranked(treebank: str, said: list[str]) -> TreebankScores:
    settings = MODELS[FEATURES]
    forests, start = forests_for(treebank, settings)

    lists = ListedTrees(TreeExamples(forests.examples, forests.keys, start, settings.loss, 1))
    weights = train(lists, settings, teller(said))  # type: ignore[arg-type]  # what a learner needs of examples
    return scored(treebank, ListParser(treebank, weights))[0]


def lines(treebank: str) -> Iterator[str]:
    said: list[str] = []
    lists = reranked(treebank, said)
    yield line("reranker of ten trees", lists, *said)
    forests, _ = scored(treebank, parser_of(treebank, weights_of(treebank, MODELS[FEATURES], said)))
    yield line("forests", forests, f"gain {gain(forests, lists)}", *said)


@pytest.mark.parametrize("treebank", ["en_ewt"])
def test_forests_are_better_to_choose_from_than_ten_trees(treebank: str) -> None:
    for each in lines(treebank):
        print(each, flush=True)
