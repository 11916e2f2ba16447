"""Ablation importance of the parts of a model: losses of a statistic with paired jackknife intervals.

Each item (a rated sentence, a pair, a tree) has an outcome under the whole model and one without each part. A statistic
is a function of the outcomes of some items. Items of one group are left out together; intervals are those of
`statistics.intervals`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from math import fsum
from statistics import pstdev
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from numbat.acceptability.fitted import TermsOfSecond, read_model
from numbat.acceptability.fitting import Fitted, TermsJob, seen_before
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import LostItems, notes_on_lost, run_suite
from numbat.acceptability.suite import Suite, units_of
from numbat.acceptability.summary import main_statistic, on_left_out
from numbat.acceptability.terms import ALL_RELATIONS, OF_ALL, TermGroup, Terms, grouped, levels_of
from numbat.acceptability.verdicts import ScoredItem
from numbat.errors import DataError, UsageError, counted, require_statistics
from numbat.evaluation.constituents import Constituent, lexical_costs, word
from numbat.files import shown
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, format_named
from numbat.parsing.parser import Parser
from numbat.parsing.tree_model.scoring import (
    HEADER,
    SUFFIX,
    TreeModel,
    TreeWeights,
    best,
    features,
    links_with_features,
    packaged_weights,
)
from numbat.parsing.tree_model.templates import (
    AUXILIARY_FEATURES,
    EXPANSION_FEATURES,
    LINKS,
    SPANS,
    STEPS,
    HashedGroup,
    Task,
    Templates,
    relations_of_names,
)
from numbat.parsing.treebank_grammar.items import Forest, SearchResult, TreeNode, nodes_of
from numbat.parsing.treebank_grammar.likeliest import WIDER
from numbat.parsing.treebank_grammar.search import CoarseToFine, SentenceWords, best_readings
from numbat.parsing.treebank_parser import TreebankParser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.record import name_of
from numbat.runs.sentences import InputSentence, Reader, plain
from numbat.statistics import correlations
from numbat.statistics.correlations import less, won
from numbat.statistics.intervals import Estimate, Scale, affordable, estimate, estimate_from, numbered, without_parts
from numbat.treebanks.converting import gold_parameters
from numbat.treebanks.scores import EvalbParameters, score_tree
from numbat.treebanks.trees import Tree
from numbat.words.lattice import Lattice
from numbat.words.tag_maps import TagMap

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


Outcome = tuple[float, ...]
"""Outcome of one item; the statistic decides what its numbers mean."""
Statistic: TypeAlias = "Callable[[NDArray[float64]], float | None]"
"""Statistic of outcomes, one item in each row; None if undefined."""


@frozen
class ModelPart:
    """A part of a model that can be left out: its weight, its number of terms, and each item's outcome without it.

    `interval` is that of the weight.
    """

    name: str
    weight: float
    count: int
    without: Sequence[Outcome]
    interval: tuple[float, float] | None = None


@frozen
class ImportanceRow:
    """Importance of one part with `count` terms: the statistic without it, and the loss (whole minus without).

    The interval of `lost` is over paired differences; `interval` is that of the weight.
    """

    name: str
    weight: float
    count: int
    without: Estimate
    lost: Estimate
    interval: tuple[float, float] | None = None


@frozen
class Importance:
    """The statistic `measure` under the whole model, and a row for each part, the greatest loss first.

    Intervals are over `groups` groups of items.
    """

    measure: str
    whole: Estimate
    groups: int
    rows: tuple[ImportanceRow, ...]


@frozen
class ImportanceReport:
    """An importance with its context: the `model`, the data it was measured `on`, the kind of items, the meaning of a
    `weight`, what is `left_out`; `notes` are cautions.
    """

    model: str
    on: str
    items: str
    weight: str
    left_out: str
    importance: Importance
    notes: tuple[str, ...] = ()


def importance(
    measure: str,
    statistic: Statistic,
    whole: Sequence[Outcome],
    parts: Sequence[ModelPart],
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> Importance:
    """Measure the importance of each part. `groups` has the group of each item; by default, each item is a group.

    `seed` is for the division of many groups into blocks that are left out together.
    """
    import numpy as np

    unit_of = numbered(groups, len(whole))
    number = len(set(unit_of))
    outcomes = [np.asarray(rows, dtype=float) for rows in (whole, *(part.without for part in parts))]
    values = [statistic(rows) if len(rows) else None for rows in outcomes]
    left_out = [[statistic(rows[kept]) for kept in without_parts(unit_of, seed)] for rows in outcomes]

    def estimated(value: float | None, again: Sequence[float | None]) -> Estimate:
        comparisons = number // 2 if statistic is auc else number
        return estimate_from(value, again, len(whole), number, scale, comparisons)

    scale: Scale = "correlation" if statistic is pearson else "share"
    rows = []
    for part, value, again in zip(parts, values[1:], left_out[1:], strict=True):
        lost = estimate_from(less(values[0], value), [*map(less, left_out[0], again)], len(whole), number)
        without = estimated(value, again)
        rows.append(ImportanceRow(part.name, part.weight, part.count, without, lost, part.interval))
    rows.sort(key=lambda row: (row.lost.value is None, -(row.lost.value or 0.0), -row.weight, row.name))
    return Importance(measure, estimated(values[0], left_out[0]), number, tuple(rows))


def weight_interval(
    added: Sequence[float], units: Sequence[Hashable] | None, seed: int = 0
) -> tuple[float, float] | None:
    """Return the interval of a weight (the standard deviation of a part's contributions); None for too few items."""
    import numpy as np

    deviation = estimate(lambda values, _: float(np.std(values)), added, added, seed, units)
    return None if deviation.low is None or deviation.high is None else (max(0.0, deviation.low), deviation.high)


# Statistics


def bracket_f1(outcomes: NDArray[float64]) -> float | None:
    """Return F1; outcomes are the numbers of gold, predicted and matched brackets."""
    gold, predicted, matched = outcomes.sum(axis=0).tolist()
    return float(2 * matched / (gold + predicted)) if gold + predicted else None


def mean(outcomes: NDArray[float64]) -> float | None:
    """Return the mean of outcomes, each a single number; for 1, ½ and 0 the accuracy."""
    return correlations.mean(outcomes[:, 0], outcomes[:, 0])


def pearson(outcomes: NDArray[float64]) -> float | None:
    """Return the product-moment correlation; an outcome is a score and a rating."""
    return correlations.pearson(outcomes[:, 0], outcomes[:, 1])


def auc(outcomes: NDArray[float64]) -> float | None:
    """Return how often a good item scores above a bad one, ties half; an outcome is a score and 1 (good) or 0 (bad)."""
    return correlations.auc(outcomes[:, 0], outcomes[:, 1])


# Fitted models: the statistic of a suite without the contributions of each relation.
#
# A relation contributes its own terms and its share in sums over all relations: `violated` is the sum of `violated
# linearity`, `violated obligation` and so on, and so is the cost of a parse.

RELATION_WEIGHT: Final = "the standard deviation of the part's contribution to the scores here, in points of rating"
RELATION_LEFT_OUT: Final = (
    "the part's terms at their means, and a relation's share in sums over all relations at its mean; "
    "the model is not fitted again"
)
COUNTED: Final = ("satisfied", "violated")
"""Sums over all relations; the share of each relation in them is a term, too."""


def fitted_importance(
    model: Fitted,
    suite: Suite,
    items: Sequence[ScoredItem],
    terms: Sequence[Terms],
    seed: int = 0,
    by_property: bool = False,
) -> Importance:
    """Measure the importance of each relation by the main statistic of the suite: pair accuracy, AUC, or Pearson's r.

    `terms` are those of the items. Items of one group or one pair are left out together. The parts are groups of terms;
    `all relations` has every term that counts instances of properties or their costs. `by_property`: the parts are the
    violated properties, each with its share in every term that counts it.
    """
    measure, scores = _measure(suite, items), _Scores(model, items, terms)
    parts = []
    shares = (
        scores.of_properties()
        if by_property
        else ((str(g), len(p), scores.without(g)) for g, p in scores.groups.items())
    )
    for name, number, left in shares:
        added = [*map(float.__sub__, scores.whole, left)]
        weight = pstdev(added) if added else 0.0
        interval = weight_interval(added, units_of([item.item for item in items]), seed)
        parts.append(ModelPart(name, weight, number, measure.outcomes(left), interval))
    return importance(measure.name, measure.statistic, measure.outcomes(scores.whole), parts, measure.groups, seed)


class _Scores:
    """The scores of items under the whole model, and under the model without a group of terms."""

    def __init__(self, model: Fitted, items: Sequence[ScoredItem], terms: Sequence[Terms]) -> None:
        self._model, self._items, self._terms = model, items, terms
        self._added = [[f.weight * f.distance(row.get(f.name, 0.0)) for f in model.features] for row in terms]
        self.whole = [model.intercept + fsum(row) for row in self._added]
        places_of = grouped(feature.name for feature in model.features)
        self._sums = {group.grammar: places for group, places in places_of.items() if group.name == ALL_RELATIONS}
        self.groups = {group: places for group, places in places_of.items() if group.name != ALL_RELATIONS}
        for grammar in dict.fromkeys(group.grammar for group in places_of):
            of = [places for group, places in places_of.items() if group.grammar == grammar and _counts(group)]
            if of:
                self.groups[TermGroup(ALL_RELATIONS, grammar)] = [place for places in of for place in places]

    def without(self, group: TermGroup) -> list[float]:
        """Return the scores without the contribution of a group of terms."""
        added = [row.copy() for row in self._added]
        for place in self.groups[group]:
            for row in added:
                row[place] = 0.0
        for place in self._sums.get(group.grammar, ()) if group.is_relation else ():
            feature = self._model.features[place]
            shares = self._shares(feature.name, group)
            middle = fsum(shares) / max(1, len(shares))
            for row, terms, share in zip(added, self._terms, shares, strict=True):
                row[place] = feature.weight * feature.distance(terms.get(feature.name, 0.0) - share + middle)
        return [self._model.intercept + fsum(row) for row in added]

    def of_properties(self) -> Iterator[tuple[str, int, list[float]]]:
        """Yield each violated property, the number of terms that count it, and the scores without it."""
        of_items = [_by_property(item) for item in self._items]
        violated = {name: None for item in of_items for name, counts in item.items() if any(map(_is_violated, counts))}
        for name in sorted(violated):
            rows = [terms.get(name, {}) for terms in of_items]
            places = [i for i, f in enumerate(self._model.features) if any(f.name in row for row in rows)]
            added = [row.copy() for row in self._added]
            for place in places:
                feature = self._model.features[place]
                shares = [row.get(feature.name, 0.0) for row in rows]
                middle = fsum(shares) / max(1, len(shares))
                for row, terms, share in zip(added, self._terms, shares, strict=True):
                    rest = terms.get(feature.name, 0.0) - share + middle
                    row[place] = feature.weight * feature.distance(rest)
            yield name, len(places), [self._model.intercept + fsum(row) for row in added]

    def _shares(self, term: str, group: TermGroup) -> list[float]:
        """Return the share of a relation in a sum over all relations, by item; costs of a second grammar have none."""
        for kind in COUNTED:
            if term == group.term(kind):
                return [row.get(f"{term} {group.name}", 0.0) for row in self._terms]
        if group.grammar:
            return [0.0] * len(self._items)
        costs = [_cost(item, group.name) for item in self._items]
        if term == "cost":
            return [cost / max(1, item.length) for cost, item in zip(costs, self._items, strict=True)]
        return costs


def _is_violated(term: str) -> bool:
    return term.startswith(COUNTED[1])


def _by_property(item: ScoredItem) -> dict[str, Terms]:
    """Return the contributions of each property's instances in a parse to the terms that count instances."""
    contributions: dict[str, Terms] = {}
    words = max(1, len(item.parse.lattice.tokens))
    for instance in item.parse.evaluated:
        prop, of = instance.property, contributions.setdefault(format_named(instance.property), {})
        truth = COUNTED[0] if instance.satisfied else COUNTED[1]
        where = f"{truth} {instance.constituent.construction} {prop.type}"
        shares = {truth: 1 / words, f"{truth} {prop.type}": 1 / words, where: 1 / words}
        if not instance.satisfied:
            shares |= {"cost": prop.cost / words, "cost of all": prop.cost}
            shares |= {f"{truth} {level}{OF_ALL}": 1.0 for level in levels_of(prop)}
        for term, share in shares.items():
            of[term] = of.get(term, 0.0) + share
    return contributions


def _counts(group: TermGroup) -> bool:
    return group.is_relation or group.name == ALL_RELATIONS


def _cost(item: ScoredItem, relation: str) -> float:
    violated = (instance.property for instance in item.parse.violated)
    return sum(prop.cost_units for prop in violated if prop.relation == relation) / UNIT


class _Measure(NamedTuple):
    """A statistic with its name; `items` has the index of each item, or both of a pair, `groups` their groups."""

    name: str
    statistic: Statistic
    items: Sequence[tuple[int, ...]]
    groups: Sequence[Hashable]
    ratings: Sequence[float]

    def outcomes(self, scores: Sequence[float]) -> list[Outcome]:
        """Return the outcomes for the scores of all items: 1, ½ or 0 for a pair; score and rating for an item."""
        if self.name == "pair accuracy":
            return [(won(scores[better], scores[worse]),) for better, worse in self.items]
        return [(scores[place], self.ratings[place]) for (place,) in self.items]


def _measure(suite: Suite, items: Sequence[ScoredItem]) -> _Measure:
    ratings = [item.item.rating or 0.0 for item in items]
    name = main_statistic(suite)
    if name == "pair accuracy":
        place = {item.item.id: i for i, item in enumerate(items)}
        pairs = [(place[a.id], place[b.id]) for a, b in suite.pairs if a.id in place and b.id in place]
        return _Measure(name, mean, pairs, units_of([items[better].item for better, _ in pairs]), ratings)
    rated = [i for i, item in enumerate(items) if item.item.rating is not None]
    name, statistic = (name, auc) if name == "AUC" else ("pearson", pearson)
    return _Measure(name, statistic, [(i,) for i in rated], units_of([items[i].item for i in rated]), ratings)


# Linear models over trees: F1 on a treebank without the weights of each part.
#
# Each sentence has one packed forest, which is rescored without each part. The parts are the groups of features, and
# the relations of the grammar with all weights of their properties; the likelihood is never left out.

TEMPLATE_WEIGHT: Final = (
    "the standard deviation over sentences of the part's contribution to the score of the best tree, per word, in "
    "natural logarithms of likelihood"
)
TEMPLATE_LEFT_OUT: Final = "the part's weights at 0; the model is not trained again"
ALL_PROPERTIES: Final = "all properties"
NO_GROUPS: Final = HashedGroup(0)


@frozen
class TreePart:
    """A part of a model: places of named weights, or groups of hashed features. `count` numbers their kinds."""

    name: str
    places: tuple[int, ...] = ()
    groups: HashedGroup = NO_GROUPS
    count: int = 0


def tree_parts(weights: TreeWeights, grammar: Grammar) -> tuple[TreePart, ...]:
    """Return the parts of a model: its groups of features, and the relations of the properties it has weights for."""
    parts = []
    if weights.hashed_groups & HashedGroup.WORDS:
        parts.append(TreePart("words", (), HashedGroup.WORDS, _kinds(SPANS, STEPS)))
    if weights.hashed_groups & HashedGroup.EXPANSIONS:
        parts.append(TreePart("expansions", (), HashedGroup.EXPANSIONS, EXPANSION_FEATURES))
    if weights.hashed_groups & HashedGroup.HEADS:
        parts.append(TreePart("heads", (), HashedGroup.HEADS, _kinds(LINKS)))
    if weights.hashed_groups & HashedGroup.AUXILIARY:
        parts.append(TreePart("auxiliary", (), HashedGroup.AUXILIARY, AUXILIARY_FEATURES))
    if "properties" in weights.groups and weights.names:
        parts.append(TreePart(ALL_PROPERTIES, tuple(range(len(weights.names))), count=len(weights.names)))
        relation_of = relations_of_names(grammar)
        places: dict[str, list[int]] = {}
        for place, name in enumerate(weights.names):
            if name in relation_of:
                places.setdefault(relation_of[name], []).append(place)
        parts += [TreePart(name, tuple(row), count=len(row)) for name, row in sorted(places.items())]
    return tuple(parts)


def _kinds(*templates: Templates) -> int:
    """Return the number of kinds of features that the templates make."""
    return sum(level.bit_count() for template in templates for level in template.levels)


@frozen
class JudgedSentence:
    """A sentence as the input of a run: its words with their readings, and its right tree."""

    id: str
    lattice: Lattice
    gold: Tree


@frozen
class TreeOutcome:
    """Brackets of the best tree of a sentence under a model and without each part: gold, predicted and shared.

    `added` is the contribution of each part to the score of the best tree, per word.
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
        result, forest = self._searched(scored, slack)
        if forest is None:
            # No tree covers the sentence: its fragments are the likeliest under any weights.
            whole = self._judged(sentence, result.nodes, words)
            return TreeOutcome(whole, (whole,) * len(self.parts), (0.0,) * len(self.parts))
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

    def _searched(self, scored: SentenceWords, slack: int) -> tuple[SearchResult, Forest | None]:
        result, forest = self.passes.search_and_forest(scored, self.prune, slack)
        if result.is_tree or self.prune is None:
            return result, forest
        return self.passes.search_and_forest(scored, WIDER * self.prune, slack)

    def _without(self, task: Task, part: TreePart) -> array[int]:
        """Return the edges of the best tree without a part."""
        if part.groups:
            return best(task._replace(groups=HashedGroup(task.groups) & ~part.groups)).edges
        with _zeroed(task.table.weights, part.places):
            return best(task).edges

    def _judged(self, sentence: JudgedSentence, nodes: Sequence[TreeNode], words: Sequence[Constituent]) -> Outcome:
        score = score_tree(sentence.id, sentence.gold, self._tree(nodes, words), self.parameters)
        if score.error:
            raise DataError(f"{sentence.id}: {score.error}\n  the tree must have the words of the sentence")
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
    """Temporarily zero some weights."""
    before = [weights[place] for place in places]
    for place in places:
        weights[place] = 0.0
    try:
        yield
    finally:
        for place, value in zip(places, before, strict=True):
            weights[place] = value


def _added(task: Task, edges: Sequence[int], part: TreePart) -> float:
    """Return the contribution of a part to the score of a tree."""
    weights = task.table.weights
    if part.groups:
        restricted = task._replace(groups=part.groups)
        return sum(weights[place] for place in features(restricted, edges, links_with_features(restricted, edges)))
    if task.extra is None:
        return 0.0
    at, ids, values = task.extra
    named = frozenset(part.places)
    indices = (k for edge in edges for k in range(at[edge], at[edge + 1]))
    return sum(values[k] * weights[ids[k]] for k in indices if ids[k] in named)


def own_copy(weights: TreeWeights) -> TreeWeights:
    """Return a copy of the weights, for temporary changes."""
    return replace(weights, numbers=weights.numbers[:])


def tree_importance(parts: Sequence[TreePart], outcomes: Sequence[TreeOutcome], seed: int = 0) -> Importance:
    """Measure the importance of each part by the outcomes of sentences, which are independent."""
    measured = []
    for number, part in enumerate(parts):
        added = [outcome.added[number] for outcome in outcomes]
        without = [outcome.without[number] for outcome in outcomes]
        weight = pstdev(added) if added else 0.0
        measured.append(ModelPart(part.name, weight, part.count, without, weight_interval(added, None, seed)))
    return importance("F1", bracket_f1, [outcome.whole for outcome in outcomes], measured, seed=seed)


def importance_of_fitted(
    path: str,
    suite: Suite,
    parser: Parser,
    seed: int = 0,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    by: str = "relation",
) -> ImportanceReport:
    """Return the importance of each relation in a model that `numbat learn costs` wrote, on a suite.

    With `by` "property": of each violated property. Raises the errors of `read_model`, DataError for a suite without
    judgements, MissingExtraError without numpy or scipy.
    """
    require_statistics("importance")
    model = read_model(path, parser.grammar)
    if not suite.rated and not suite.pairs:
        raise DataError(
            f"{suite.path}: no item is judged or rated, so that nothing can be lost{suite.lacking('rating')}\n"
            "  give a suite with judgements, ratings or pairs"
        )
    scored = list(run_suite(suite, parser, scorer("cost"), read, executor, lost))
    items = [item for item in scored if item.score is not None]
    if isinstance(model.more, TermsOfSecond):
        items = list(model.more.ready_for(items, executor, lost))
    terms = list(BatchRun(TermsJob(model.more), items, total=len(items)).values())
    result = fitted_importance(model, suite, items, terms, seed, by == "property")
    kind = "pair" if result.measure == "pair accuracy" else "sentence"
    seen = seen_before(name_of(path), model, suite, items)
    notes = (
        *notes_on_lost(lost),
        *on_left_out(suite, scored),
        *seen,
        *_notes(result),
    )
    number = counted(result.whole.number, kind)
    if result.groups < result.whole.number:
        number += f" in {counted(result.groups, 'group')}"
    return ImportanceReport(name_of(path), suite.name, number, RELATION_WEIGHT, RELATION_LEFT_OUT, result, notes)


def is_weights(path: str) -> bool:
    """Return True for a model of `numbat learn weights`, by suffix, first line, or packaged name."""
    if path.endswith(SUFFIX) or packaged_weights(path) is not None:
        return True
    if not os.path.isfile(path):
        return False
    with suppress(OSError), open(path, "rb") as file:
        return file.read(len(HEADER)) == HEADER
    return False


def importance_of_weights(
    model: str,
    on: str,
    parser: TreebankParser,
    sentences: Iterable[InputSentence | DataError],
    mapped: TagMap,
    seed: int = 0,
    executor: Executor = in_this_process,
    complain: Callable[[DataError], object] = lambda error: None,
) -> ImportanceReport:
    """Return the importance of each relation and group of features in the parser's weights, on sentences with trees.

    `model` and `on` are the names of the files; `mapped` maps the tags of the trees to the grammar's. A sentence that
    cannot be read or parsed is left out and passed to `complain` as an error. Raises UsageError for a parser without
    weights, DataError if no sentence is left, MissingExtraError without numpy or scipy.
    """
    require_statistics("importance")
    if parser.weights is None:
        raise UsageError(
            "a parser without weights has no parts to measure\n  give it weights from numbat learn weights"
        )
    parts = tree_parts(parser.weights, parser.grammar)
    tree_model = TreeModel(own_copy(parser.weights), parser.evaluator, parser.passes.fine)
    job = TreeOutcomeJob(parser.passes, tree_model, parts, parser.prune, gold_parameters(mapped))
    outcomes, failures = [], []
    for record in BatchRun(job, _judged(sentences), executor=executor).whole():
        if isinstance(record, Failure):
            failures.append(record)
            complain(record.as_error())
        else:
            outcomes.append(record.value)
    if not outcomes:
        raise DataError(
            f"{shown(on)}: no tree to measure the importance on\n  give a file of trees, with --from if need be"
        )
    result = tree_importance(parts, outcomes, seed)
    notes = [f"{counted(len(failures), 'sentence')} left out because they could not be read or parsed"] * bool(failures)
    notes += _notes(result)
    number = counted(len(outcomes), "tree")
    return ImportanceReport(
        name_of(model),
        shown(name_of(on)),
        number,
        TEMPLATE_WEIGHT,
        TEMPLATE_LEFT_OUT,
        result,
        tuple(notes),
    )


def _judged(sentences: Iterable[InputSentence | DataError]) -> Iterator[JudgedSentence | DataError]:
    """Yield the sentences that have a tree; a tree with crossing branches is an error."""
    from numbat.treebanks.crossing import CrossingTree
    from numbat.treebanks.notes import CROSSING, UnfitTreeError

    for sentence in sentences:
        if isinstance(sentence, DataError):
            yield sentence
        elif isinstance(sentence.gold, CrossingTree):
            yield UnfitTreeError(CROSSING, sentence.id)
        elif sentence.gold is not None:
            yield JudgedSentence(sentence.id, sentence.lattice, sentence.gold)


def _notes(result: Importance) -> Iterator[str]:
    if result.whole.value is None:
        yield f"{result.measure} is undefined here: scores or judgements are all equal"
    elif not affordable(result.whole.number, result.groups):
        alone = "pair" if result.measure == "pair accuracy" else "item"
        what = "group" if result.groups < result.whole.number else alone
        yield f"{counted(result.groups, what)} only: too few for intervals"
