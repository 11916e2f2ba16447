"""What the parts of a linear model over trees matter on a treebank: F1 without the weights of each.

Each sentence has one packed forest, which is scored anew without each part. The parts are the groups of features, and
the relations of the grammar with all weights of their properties; the likelihood stays as it is.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import pstdev
from typing import Final

from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent, lexical_costs, word
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT
from numbat.learning.importance import Importance, Outcome, Part, bracket_f1, importance
from numbat.parsing.tree_model.scoring import TreeModel, TreeWeights, best, features
from numbat.parsing.tree_model.templates import (
    AUXILIARY_FEATURES,
    EXPANSION_FEATURES,
    SPANS,
    STEPS,
    HashedGroup,
    Task,
    relations_of_names,
)
from numbat.parsing.treebank_grammar.items import SearchResult, TreeNode, nodes_of
from numbat.parsing.treebank_grammar.likeliest import WIDER
from numbat.parsing.treebank_grammar.search import CoarseToFine, SentenceWords, best_readings
from numbat.records import frozen
from numbat.treebank.scores import EvalbParameters, score_tree
from numbat.treebank.trees import Tree
from numbat.words.lattice import Lattice

WEIGHT: Final = (
    "the standard deviation over sentences of what the part adds to the score of the best tree, for each word, in "
    "natural logarithms of likelihood"
)
LEFT_OUT: Final = "the part's weights at 0; nothing is learned anew"
ALL_PROPERTIES: Final = "all properties"
NO_GROUPS: Final = HashedGroup(0)


@frozen
class TreePart:
    """A part of a model: named weights by their places, or groups of hashed features; `count` kinds of features."""

    name: str
    places: tuple[int, ...] = ()
    groups: HashedGroup = NO_GROUPS
    count: int = 0


def tree_parts(weights: TreeWeights, grammar: Grammar) -> tuple[TreePart, ...]:
    """The parts of a model: its groups of features, and the relations of the properties that it names."""
    found = []
    if weights.hashed_groups & HashedGroup.WORDS:
        levels = (*SPANS.levels, *STEPS.levels)
        found.append(TreePart("words", (), HashedGroup.WORDS, sum(level.bit_count() for level in levels)))
    if weights.hashed_groups & HashedGroup.EXPANSIONS:
        found.append(TreePart("expansions", (), HashedGroup.EXPANSIONS, EXPANSION_FEATURES))
    if weights.hashed_groups & HashedGroup.AUXILIARY:
        found.append(TreePart("auxiliary", (), HashedGroup.AUXILIARY, AUXILIARY_FEATURES))
    if "properties" in weights.groups and weights.names:
        found.append(TreePart(ALL_PROPERTIES, tuple(range(len(weights.names))), count=len(weights.names)))
        relation_of = relations_of_names(grammar)
        places: dict[str, list[int]] = {}
        for place, name in enumerate(weights.names):
            if name in relation_of:
                places.setdefault(relation_of[name], []).append(place)
        found += [TreePart(name, tuple(own), count=len(own)) for name, own in sorted(places.items())]
    return tuple(found)


@frozen
class JudgedSentence:
    """A sentence as the input of a run: what its words may be, and its right tree."""

    id: str
    lattice: Lattice
    gold: Tree


@frozen
class TreeOutcome:
    """The brackets of the best tree of a sentence under a model and without each part: gold, predicted and shared.

    `added` is what each part adds to the score of the best tree, for each word.
    """

    whole: Outcome
    without: tuple[Outcome, ...]
    added: tuple[float, ...]


@dataclass(frozen=True)
class TreeOutcomeJob:
    """Finds the best trees of a sentence under a model and without each of its `parts`, as `TreebankParser` would."""

    passes: CoarseToFine
    model: TreeModel
    parts: tuple[TreePart, ...]
    prune: float | None
    parameters: EvalbParameters

    def __call__(self, sentence: JudgedSentence) -> TreeOutcome:
        words = [word(arc, cost) for arc, cost in lexical_costs(sentence.lattice)]
        scored = self.passes.words(words, len(sentence.lattice.tokens))
        slack = round(self.model.slack * UNIT)
        found = self._searched(scored, slack)
        if not found.viable.passive:
            # No tree covers the sentence: its fragments are the likeliest, whatever the weights.
            whole = self._judged(sentence, found.nodes, words)
            return TreeOutcome(whole, (whole,) * len(self.parts), (0.0,) * len(self.parts))
        forest = self.passes.forest(scored, found, slack)
        task = self.model.task(forest, best_readings(words, scored.tokens))
        edges = best(task).edges
        known = {edges.tobytes(): self._judged(sentence, nodes_of(forest, edges), words)}
        without = []
        for part in self.parts:
            others = self._without(task, part)
            if others.tobytes() not in known:
                known[others.tobytes()] = self._judged(sentence, nodes_of(forest, others), words)
            without.append(known[others.tobytes()])
        added = tuple(_added(task, edges, part) / scored.tokens for part in self.parts)
        return TreeOutcome(known[edges.tobytes()], tuple(without), added)

    def _searched(self, scored: SentenceWords, slack: int) -> SearchResult:
        found = self.passes.search(scored, self.prune, slack)
        if found.is_tree or self.prune is None:
            return found
        return self.passes.search(scored, WIDER * self.prune, slack)

    def _without(self, task: Task, part: TreePart) -> array[int]:
        """The best tree without a part."""
        if part.groups:
            return best(task._replace(groups=HashedGroup(task.groups) & ~part.groups)).edges
        with _zeroed(task.table.weights, part.places):
            return best(task).edges

    def _judged(self, sentence: JudgedSentence, nodes: Sequence[TreeNode], words: Sequence[Constituent]) -> Outcome:
        score = score_tree(sentence.id, sentence.gold, self._tree(nodes, words), self.parameters)
        if score.error:
            raise DataError(f"{sentence.id}: {score.error}\n  the words of a tree are those of its sentence")
        return float(score.gold), float(score.predicted), float(score.matched)

    def _tree(self, nodes: Sequence[TreeNode], words: Sequence[Constituent]) -> Tree:
        built: list[Tree] = []
        for node in reversed(nodes):
            if node.word >= 0:
                built.append(Tree(words[node.word].construction, (), words[node.word].form))
                continue
            daughters = tuple(built[: -node.daughters - 1 : -1])
            del built[-node.daughters :]
            built.append(Tree(self.passes.fine.symbols[node.symbol].label, daughters))
        return built[0] if len(built) == 1 else Tree("", tuple(reversed(built)))


@contextmanager
def _zeroed(weights: array[float], places: Sequence[int]) -> Iterator[None]:
    """Some weights are 0 for a while."""
    before = [weights[place] for place in places]
    for place in places:
        weights[place] = 0.0
    try:
        yield
    finally:
        for place, value in zip(places, before, strict=True):
            weights[place] = value


def _added(task: Task, edges: Sequence[int], part: TreePart) -> float:
    """What a part adds to the score of a tree."""
    weights = task.table.weights
    if part.groups:
        return sum(weights[place] for place in features(task._replace(groups=part.groups), edges))
    if task.extra is None:
        return 0.0
    at, ids, values = task.extra
    own = frozenset(part.places)
    every = (k for edge in edges for k in range(at[edge], at[edge + 1]))
    return sum(values[k] * weights[ids[k]] for k in every if ids[k] in own)


def own_copy(weights: TreeWeights) -> TreeWeights:
    """The same weights in a table of their own, for who changes them for a while."""
    return replace(weights, numbers=weights.numbers[:])


def tree_importance(parts: Sequence[TreePart], outcomes: Sequence[TreeOutcome], seed: int = 0) -> Importance:
    """Measure what each part matters by the outcomes of sentences, which are resampled one by one."""
    measured = []
    for number, part in enumerate(parts):
        weight = pstdev(each.added[number] for each in outcomes) if outcomes else 0.0
        measured.append(Part(part.name, weight, part.count, [each.without[number] for each in outcomes]))
    return importance("F1", bracket_f1, [each.whole for each in outcomes], measured, seed=seed)
