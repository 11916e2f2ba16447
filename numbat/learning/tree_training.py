"""Training of a linear model over trees: passes over examples, a certificate after each, averaged weights."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from numbat.evaluation.constituents import Constituent, word
from numbat.grammar.properties import UNIT
from numbat.learning.settings import TrainingSettings
from numbat.learning.state_files import StateFile
from numbat.learning.tree_learners import AdaGrad, FrankWolfe, Rival, TreeLearner, TreePerceptron
from numbat.parsing.tree_model.heads import Link
from numbat.parsing.tree_model.scoring import BITS, TreeModel, TreeWeights, best, features, links_with_features, spans
from numbat.parsing.tree_model.templates import (
    EdgeFeatures,
    GrammarKeys,
    HashedGroup,
    Task,
    WeightTable,
    token_attributes,
    version_of,
)
from numbat.parsing.treebank_grammar.expansions import TOP
from numbat.parsing.treebank_grammar.items import WHOLE, ActiveItem, Forest, PassiveItem, ScoredWord, Viable
from numbat.parsing.treebank_grammar.markov import IMPOSSIBLE, MarkovGrammar
from numbat.parsing.treebank_grammar.search import CoarseToFine
from numbat.records import frozen
from numbat.treebanks.trees import Tree, name_of, spans_of
from numbat.words.lattice import Arc

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numbat.learning.tree_learners import Ids, Signs, Values, Weights


BATCH: Final = 32
"""Examples searched under the same weights, for any number of threads."""
REVISITS: Final = 2
"""Passes over the cached rivals of Frank-Wolfe after each pass over examples."""
LOOSE: Final = 2.0
"""Factor by which estimates of the gap may exceed it: weights are better after a pass than during it."""


class TrainingProgress(NamedTuple):
    """Progress after a pass: its number and the mean loss of the rivals; for Frank-Wolfe the objective and the gap.

    They hold for the last weights; the duality gap is a share of the objective. `is_estimate` is true as long as the
    gap is far from small enough. `is_of_mean` is true after the last pass: for the mean of the weights, which is the
    result.
    """

    number: int
    loss: float
    objective: float | None = None
    gap: float | None = None
    is_estimate: bool = False
    is_of_mean: bool = False


class TreeExamples:
    """Examples for learners, which search their forests for rivals under given weights, in `jobs` threads.

    `keys` are those of the grammar of each fold; `loss` is the cost of a wrong or missing span.
    """

    def __init__(
        self, examples: Sequence[TreeExample], keys: Sequence[GrammarKeys], start: TreeWeights, loss: float, jobs: int
    ) -> None:
        self.examples, self.keys, self.start, self.loss = examples, keys, start, loss
        self._threads = ThreadPoolExecutor(jobs) if jobs > 1 else None

    def __len__(self) -> int:
        return len(self.examples)

    def rivals(self, weights: Weights, which: Sequence[int]) -> list[Rival]:
        """Return, for each of the examples `which`, the tree with the highest score plus loss."""

        def rival(number: int) -> Rival:
            return self._rival(self.examples[number], weights)

        return list(map(rival, which) if self._threads is None else self._threads.map(rival, which))

    def best(self, number: int, weights: Weights) -> array[int]:
        """Return the edges of the best tree of an example."""
        return best(self._task(self.examples[number], weights, False)).edges

    def rival(self, number: int, weights: Weights) -> array[int]:
        """Return the edges of the rival of an example, the tree with the highest score plus loss."""
        return best(self._task(self.examples[number], weights, True)).edges

    def features(self, number: int, edges: Sequence[int]) -> tuple[Ids, Values]:
        """Return all features of a tree of an example, in order, with their counts."""
        import numpy as np

        nothing = np.zeros(self.size, np.float32)
        task = self._task(self.examples[number], nothing, False)
        return sparse_sum(*_features(task, edges, links_with_features(task, edges)))

    @property
    def digest(self) -> int:
        """Checksum of the examples and the names of features."""
        checksum = crc32("\n".join(self.start.names).encode("utf-8", "surrogatepass"))
        for example in self.examples:
            words = " ".join(form for form, _ in example.tokens).encode("utf-8", "surrogatepass")
            for part in (words, example.right.tobytes(), example.forest.costs.tobytes()):
                checksum = crc32(part, checksum)
        return checksum

    @property
    def size(self) -> int:
        """The number of weights."""
        return len(self.start.names) + (1 << self.start.bits)

    def errors(self) -> float:
        """Return the number of wrong or missing labelled spans under the weights that the examples start with."""
        import numpy as np

        weights = np.frombuffer(self.start.numbers, np.float32)
        losses = (example.loss(self.best(number, weights)) for number, example in enumerate(self.examples))
        return sum(max(0.0, loss) for loss in losses)

    def _task(self, example: TreeExample, weights: Weights, augmented: bool) -> Task:
        import numpy as np

        start = self.start
        table = WeightTable(weights, len(start.names), start.bits)  # type: ignore[arg-type]
        losses = (self.loss * np.frombuffer(example.losses)) if augmented else None
        return Task(
            example.forest,
            len(example.tokens),
            token_attributes(example.tokens),
            example.marks,
            self.keys[example.fold],
            start.hashed_groups,
            table,
            example.features,
            losses,  # type: ignore[arg-type]
            start.likelihood / UNIT,
        )

    def _rival(self, example: TreeExample, weights: Weights) -> Rival:
        import numpy as np

        task = self._task(example, weights, True)
        edges = best(task).edges
        right, wrong = set(example.right), set(edges)
        missed, added = sorted(right - wrong), sorted(wrong - right)
        right_links, rival_links = (set(links_with_features(task, tree)) for tree in (example.right, edges))
        ids, values = _features(task, missed, sorted(right_links - rival_links))
        other_ids, others = _features(task, added, sorted(rival_links - right_links))
        loss = self.loss * example.loss(edges)
        ahead = self.start.likelihood * (example.cost(missed) - example.cost(added))
        difference = sparse_sum(np.concatenate((ids, other_ids)), np.concatenate((values, -others)))
        return Rival(*difference, loss, loss + ahead)


def _features(task: Task, edges: Sequence[int], links: Sequence[Link]) -> tuple[Ids, NDArray[np.float64]]:
    """Return the features of edges and links, with repetitions, and their counts."""
    import numpy as np

    ids = np.frombuffer(features(task, edges, links), np.uint32).astype(np.int32)
    values = np.ones(len(ids))
    if task.extra is None:
        return ids, values
    named, counts = _named(task.extra, edges)
    return np.concatenate((ids, named)), np.concatenate((values, counts.astype(np.float64)))


def _named(named: EdgeFeatures, edges: Sequence[int]) -> tuple[Ids, Values]:
    """Return the features of edges that are not hashed, with their counts."""
    import numpy as np

    at, ids, counts = named
    places = [k for edge in edges for k in range(at[edge], at[edge + 1])]
    return np.array([ids[k] for k in places], np.int32), np.array([counts[k] for k in places], np.float32)


def sparse_sum(ids: Ids, values: NDArray[np.float64]) -> tuple[Ids, Values]:
    """Add up the values of each index; return these sums, ordered by index and without zeros."""
    import numpy as np

    # Indices and positions packed into one number sort faster than a stable sort of the indices.
    keys = (ids.astype(np.int64) << 32) + np.arange(len(ids))
    keys.sort()
    ids, values = (keys >> 32).astype(np.int32), values[keys & 0xFFFFFFFF]
    first = np.flatnonzero(np.diff(ids, prepend=-1))
    if not len(first):
        return ids, values.astype(np.float32)
    sums = np.add.reduceat(values, first)
    kept = sums != 0.0
    return ids[first][kept], sums[kept].astype(np.float32)


def train(
    examples: TreeExamples,
    settings: TrainingSettings,
    report: Callable[[TrainingProgress, TreeLearner], None],
    state: StateFile | None = None,
) -> TreeWeights:
    """Learn weights from examples; call `report` after each pass. Deterministic for a seed, with any number of threads.

    A run resumes from its `state` and writes it after each pass; the result equals that of an uninterrupted run.
    """
    signs = _signs_of(examples.start) if settings.signs else None
    learner = _learner(settings, len(examples), examples.size, signs)
    about = {} if state is None else _about(examples, settings)
    done, whole = (0, False) if state is None else state.restore(learner, about)
    while not whole and done < settings.passes:
        done += 1
        progress = _pass(learner, examples, settings, done)
        whole = progress.gap is not None and not progress.is_estimate and progress.gap <= settings.gap
        report(progress, learner)
        if state is not None:
            state.write(learner, about, done, whole)
    if isinstance(learner, FrankWolfe):
        report(_certified(learner, examples, done, learner.averaged()), learner)
    return replace(examples.start, numbers=array("f", learner.averaged().tobytes()))


def _pass(learner: TreeLearner, examples: TreeExamples, settings: TrainingSettings, number: int) -> TrainingProgress:
    """Visit each example once, in a random order that depends on the pass."""
    order = list(range(len(examples)))
    Random(f"{settings.seed} {number}").shuffle(order)
    loss = 0.0
    for which in _batches(order):
        for example, rival in zip(which, examples.rivals(learner.weights, which), strict=True):
            learner.learn(example, rival)
            loss += rival.loss
    if not isinstance(learner, FrankWolfe):
        return TrainingProgress(number, loss / len(examples))
    for _ in range(REVISITS):
        learner.revisit(order)
    certificate = learner.estimate()
    progress = TrainingProgress(number, loss / len(examples), certificate.primal, certificate.gap, is_estimate=True)
    return (
        progress
        if certificate.gap > LOOSE * settings.gap and number < settings.passes
        else _certified(learner, examples, number)
    )


def _certified(
    learner: FrankWolfe, examples: TreeExamples, number: int, weights: Weights | None = None
) -> TrainingProgress:
    """Return the progress from a search of all examples under these weights, by default the present ones."""
    certificate = learner.certificate(examples, list(_batches(range(len(examples)))), weights)
    return TrainingProgress(
        number, certificate.loss, certificate.primal, certificate.gap, is_of_mean=weights is not None
    )


def _about(examples: TreeExamples, settings: TrainingSettings) -> dict[str, Any]:
    """Return the identification of a run for its state file, by the names used in messages."""
    start = examples.start
    about = {item.name: getattr(settings, item.name) for item in fields(TrainingSettings)}
    del about["passes"], about["gap"]
    about["templates"] = version_of(start.groups)
    about |= {"features": ",".join(start.groups), "bits": start.bits, "likelihood": start.likelihood}
    about |= {"number of examples": len(examples), "digest of the examples": examples.digest}
    return about


def _signs_of(start: TreeWeights) -> Signs:
    """Return the allowed sign of each weight, 0 for both: satisfying a property never counts against a tree."""
    import numpy as np

    named = [1 if name.startswith("satisfied ") else -1 for name in start.names]
    return np.array(named + [0] * (1 << start.bits), np.int8)


def _learner(settings: TrainingSettings, examples: int, size: int, signs: Signs | None) -> TreeLearner:
    if settings.learner == "frank-wolfe":
        return FrankWolfe(examples, size, 1 / (settings.penalty * examples), signs)
    kind = AdaGrad if settings.learner == "adagrad" else TreePerceptron
    return kind(size, settings.rate, signs)


def _batches(order: Sequence[int]) -> Iterator[Sequence[int]]:
    for at in range(0, len(order), BATCH):
        yield order[at : at + BATCH]


# Examples: the packed forest of a sentence and its right tree

SURE: Final = 1e7
"""Bonus per right phrase in the search for the right tree; exceeds any likelihood."""
Bracket = tuple[str, int, int]


@frozen
class TreeExample:
    """A sentence with its forest, made by the expansions of its `fold`.

    `right` are the edges of the right tree, from the root. `losses` has the contribution of each node to the loss: 1
    for a wrong phrase, -1 for a right one; added to `phrases`, the number of right phrases, they give the number of
    wrong or missing labelled spans. `features` are the features of edges that are not hashed, `marks` auxiliary
    predictions.
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
        """Return how many labelled spans of a tree are wrong, plus how many right ones it lacks.

        A right label that a unary chain repeats counts as right each time, as in the search.
        """
        kinds, heads = self.forest.kinds, self.forest.heads
        return self.phrases + sum(self.losses[heads[edge]] for edge in edges if kinds[edge] in WHOLE)

    def cost(self, edges: Sequence[int]) -> float:
        """Return minus the log-likelihood of a tree."""
        return sum(self.forest.costs[edge] for edge in edges) / UNIT


def words_of(tree: Tree) -> list[Constituent]:
    """Return the words of a tree, each with its tag as the only reading."""
    return [word(Arc(i, i + 1, form, tag), 0) for i, (form, tag) in enumerate(tree.words())]


def example_of(
    tree: Tree, passes: CoarseToFine, model: TreeModel, prune: float, slack: float, fold: int = 0
) -> TreeExample | None:
    """Return the forest of a sentence, and its tree in it; None if the expansions cannot build the tree.

    Also None if even the best trees are too many for a forest. The tree must have no functions and no empty elements
    (`cleaned`).
    """
    constituents = words_of(tree)
    words = passes.words(constituents, len(constituents))
    tags = {leaf.label for leaf in passes.fine.symbols if not leaf.is_phrase}
    given = [GivenNode(name_of(node, tags), len(node.daughters)) for node in tree.walk()]
    items = items_of_tree(passes.fine, words.fine, given, passes.unary_limit)
    if tree.form is not None or items is None:
        return None
    _, forest = passes.search_and_forest(words, prune, round(slack * UNIT), items=items)
    if forest is None:
        return None
    wanted = Counter((name_of(node, tags), start, end) for node, start, end in spans_of(tree))
    losses = array("d", [_loss(bracket, wanted) for bracket in _brackets_of(forest, passes)])
    tokens = tuple(tree.words())
    task = model.task(forest, tokens)
    right = _given_tree(task, {item[:3] for item in items.passive})
    example = TreeExample(fold, tokens, forest, right, losses, wanted.total(), task.extra, task.marks)
    return example if right and example.loss(right) == 0 else None


@frozen
class NamedTree:
    """A named tree, the input of a job."""

    id: str
    tree: Tree


@frozen
class ExampleJob:
    """Makes the example of a tree, see `example_of`."""

    passes: CoarseToFine
    model: TreeModel
    prune: float
    slack: float
    fold: int

    def __call__(self, tree: NamedTree) -> TreeExample | None:
        return example_of(tree.tree, self.passes, self.model, self.prune, self.slack, self.fold)


def _given_tree(task: Task, items: set[tuple[int, ...]]) -> array[int]:
    """Return the edges of the tree with these words and phrases, given as start, end and symbol."""
    forest = task.forest
    nodes = zip(forest.starts, forest.ends, forest.symbols, strict=True)
    certain = array("d", [0.0 if node[2] < 0 else SURE if node in items else -SURE for node in nodes])
    return best(task._replace(groups=HashedGroup(0), extra=None, losses=certain, likelihood=1 / UNIT)).edges


def _loss(bracket: Bracket | None, wanted: Counter[Bracket]) -> float:
    return 0.0 if bracket is None else -1.0 if bracket in wanted else 1.0


def _brackets_of(forest: Forest, passes: CoarseToFine) -> list[Bracket | None]:
    """Return the label and span of each node that is a phrase, else None."""
    symbols = passes.fine.symbols
    return [
        (symbols[symbol].label, start, end) if symbol >= 0 and symbols[symbol].is_phrase else None
        for symbol, start, end in zip(forest.symbols, forest.starts, forest.ends, strict=True)
    ]


# Likeliest derivation of a given tree: refined symbols and states of a Markov grammar

ALWAYS: Final = -(2**60)
"""Outside cost of an item, so low that the item stays in a forest at any cost inside it."""


class GivenNode(NamedTuple):
    """A node of a tree, before its daughters: its label and its number of daughters, 0 for a word."""

    label: str
    daughters: int


Step = tuple[int, int]
"""A state of a phrase, and the symbol of the last daughter read."""


class _Option(NamedTuple):
    """The likeliest way to read a node as one symbol: its cost, its depth in a unary chain, and the daughters.

    `only` is the symbol of an only daughter, else `steps` has a step for each daughter.
    """

    cost: int
    depth: int
    only: int = -1
    steps: tuple[Step, ...] = ()


@dataclass(slots=True)
class _Node:
    """A node of a given tree, with the likeliest option for each symbol."""

    start: int
    end: int
    options: dict[int, _Option] = field(default_factory=dict)
    daughters: list[_Node] = field(default_factory=list)


def items_of_tree(
    grammar: MarkovGrammar, words: Sequence[ScoredWord], nodes: Sequence[GivenNode], unary_limit: int
) -> Viable | None:
    """Return the items of the likeliest derivation of a tree over single-token words; None if there is none.

    Their outside costs are set so low that pruning never removes them from a forest.
    """
    root = _Reader(grammar, unary_limit).read(words, nodes)
    costs = grammar.tables.root_cost
    tops = [(option.cost + costs[s], s) for s, option in root.options.items() if costs[s] != IMPOSSIBLE]
    if not tops:
        return None
    passive: list[PassiveItem] = []
    active: list[ActiveItem] = []
    combined: list[ActiveItem] = []
    waiting = [(root, min(tops)[1])]
    while waiting:
        node, symbol = waiting.pop()
        option = node.options[symbol]
        passive.append(PassiveItem(node.start, node.end, symbol, option.depth))
        if option.only >= 0:
            waiting.append((node.daughters[0], option.only))
        for place, (state, daughter) in enumerate(option.steps):
            item = ActiveItem(node.start, node.daughters[place].end, state, ALWAYS)
            active += [item] if place < len(option.steps) - 1 else []
            combined += [item] if place else []
            waiting.append((node.daughters[place], daughter))
    return Viable(tuple(passive), tuple(active), tuple(combined))


class _Reader:
    def __init__(self, grammar: MarkovGrammar, unary_limit: int) -> None:
        self.grammar, self.tables, self.unary_limit = grammar, grammar.tables, unary_limit
        self.variants: dict[tuple[str, str], list[int]] = defaultdict(list)
        for phrase in grammar.phrases:
            self.variants[phrase.label, phrase.above].append(grammar.number[phrase])

    def read(self, words: Sequence[ScoredWord], nodes: Sequence[GivenNode]) -> _Node:
        """Return the root of a tree with all its options, from the words up."""
        built: list[_Node] = []
        position = len(words)
        for node, above in reversed(list(zip(nodes, _above(nodes), strict=True))):
            if not node.daughters:
                position -= 1
                symbol, cost = words[position].symbol, words[position].cost
                built.append(_Node(position, position + 1, {symbol: _Option(cost, 0)}))
                continue
            daughters = built[: -node.daughters - 1 : -1]
            del built[-node.daughters :]
            phrase = _Node(daughters[0].start, daughters[-1].end, {}, daughters)
            for symbol in self.variants.get((node.label, above), ()):
                option = self._only(symbol, *daughters) if len(daughters) == 1 else self._several(symbol, daughters)
                if option is not None:
                    phrase.options[symbol] = option
            built.append(phrase)
        (root,) = built
        return root

    def _only(self, phrase: int, daughter: _Node) -> _Option | None:
        """Return the likeliest way to read a phrase with one daughter, None if there is none."""
        options = [
            _Option(below.cost + cost, below.depth + 1, symbol)
            for symbol, below in daughter.options.items()
            for above, cost in self.tables.unaries.pairs(symbol)
            if above == phrase and below.depth < self.unary_limit
        ]
        return min(options, default=None)

    def _several(self, phrase: int, daughters: Sequence[_Node]) -> _Option | None:
        """Return the likeliest way to read a phrase with several daughters, None if there is none."""
        tables = self.tables
        states: dict[int, _Option] = {}
        for symbol, below in daughters[0].options.items():
            for state, cost in tables.starts.pairs(symbol):
                if tables.accepted[state] == phrase:
                    _offer(states, state, _Option(below.cost + cost, 1, -1, ((state, symbol),)))
        for daughter in daughters[1:]:
            before, states = states, {}
            for state, option in before.items():
                costs, nexts = self.grammar.row(state)
                for symbol, below in daughter.options.items():
                    for label, column in tables.uses.pairs(symbol):
                        if label == tables.label_of_state[state] and costs[column] != IMPOSSIBLE:
                            steps = (*option.steps, (nexts[column], symbol))
                            cost = option.cost + below.cost + costs[column]
                            _offer(states, nexts[column], _Option(cost, 1, -1, steps))
        options = [
            option._replace(cost=option.cost + tables.accept_cost[state])
            for state, option in states.items()
            if tables.accept_cost[state] != IMPOSSIBLE
        ]
        return min(options, default=None)


def _offer(options: dict[int, _Option], key: int, option: _Option) -> None:
    if key not in options or option < options[key]:
        options[key] = option


def _above(nodes: Sequence[GivenNode]) -> Iterator[str]:
    """Yield the label above each node, from the top."""
    waiting = [[TOP, 1]]
    for node in nodes:
        while not waiting[-1][1]:
            waiting.pop()
        yield str(waiting[-1][0])
        waiting[-1][1] -= 1  # type: ignore[operator]
        if node.daughters:
            waiting.append([node.label, node.daughters])


# A flat classifier of spans: is a span a phrase? An averaged perceptron (Collins 2002).

PASSES: Final = 3


def learned_brackets(trees: Sequence[Tree], longest: int, seed: int = 0) -> array[float]:
    """Return the weights of a classifier of spans, learned from the trees of up to `longest` words."""
    import numpy as np

    short = [tree for tree in trees if sum(1 for _ in tree.words()) <= longest]
    weights, late, step = np.zeros(1 << BITS), np.zeros(1 << BITS), 0
    order, rng = list(range(len(short))), Random(seed)
    for _ in range(PASSES):
        rng.shuffle(order)
        for number in order:
            places, right = _spans_of(short[number])
            wrong = np.flatnonzero((weights[places].sum(axis=1) > 0) != right)
            moved = np.where(right[wrong], 1.0, -1.0)[:, None]
            np.add.at(weights, places[wrong], moved)
            np.add.at(late, places[wrong], moved * step)
            step += 1
    return array("f", (weights - late / max(1, step)).astype(np.float32).tobytes())


def _spans_of(tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the features of each span of two words or more, and which spans are phrases."""
    import numpy as np

    tokens = list(tree.words())
    phrases = {(start, end) for _, start, end in spans_of(tree)}
    right = np.fromiter(_in_order(len(tokens), phrases), np.bool_)
    places = np.frombuffer(spans(token_attributes(tokens), len(tokens), BITS, None), np.uint32).astype(np.int64)
    return places.reshape(len(right), -1) if len(right) else places.reshape(0, 1), right


def _in_order(tokens: int, phrases: set[tuple[int, int]]) -> Iterator[bool]:
    for start in range(tokens):
        for end in range(start + 2, tokens + 1):
            yield (start, end) in phrases


# Features of trees as text in the form of SVMlight's ranking problems (Joachims 2002).
#
# A sentence is a query, its lines are trees: the right one with target 1, and with target 0 its rival, the tree with
# the highest likelihood plus loss. A feature is `number:value`, numbers rising from 1; the last one is the
# log-likelihood.


def svmlight_lines(examples: TreeExamples) -> Iterator[str]:
    """Yield the lines of a file. A rival equal to the right tree is left out."""
    import numpy as np

    size = examples.size
    yield f"# features 1 to {len(examples.start.names)} have names, the others up to {size} are hashed\n"
    for number, name in enumerate(examples.start.names, start=1):
        yield f"# {number} {name}\n"
    yield f"# {size + 1} the logarithm of the likelihood\n"
    nothing = np.zeros(size, np.float32)
    for number, example in enumerate(examples.examples):
        rival = examples.rival(number, nothing)
        yield _line(examples, number, example.right, 1)
        if rival != example.right:
            yield _line(examples, number, rival, 0)


def _line(examples: TreeExamples, number: int, edges: Sequence[int], target: int) -> str:
    ids, values = examples.features(number, edges)
    example = examples.examples[number]
    pairs = [f"{place + 1}:{value:g}" for place, value in zip(ids.tolist(), values.tolist(), strict=True)]
    pairs.append(f"{examples.size + 1}:{-example.cost(edges):.6f}")
    return f"{target} qid:{number + 1} {' '.join(pairs)} # loss {example.loss(edges):g}\n"
