"""Find the likeliest trees of a sentence by counted expansions, and evaluate a grammar's properties in them.

The counts determine the structure (`markov`, `search`); then the evaluator characterizes it. Valuations and elections
are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from copy import copy
from functools import partial
from itertools import chain, islice, product
from math import exp, log, prod
from operator import attrgetter
from typing import Final, Literal, NamedTuple, Protocol

from numbat.derivations import Derivation, Derivations, Hyperedge
from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent, lexical_costs, word
from numbat.evaluation.evaluator import Evaluator, PhraseTemplates
from numbat.grammar.model import Construction
from numbat.grammar.properties import UNIT, Bundle
from numbat.parsing.analysis import Solution, fragment_cost_of
from numbat.parsing.policies import Limits, Overdue, SearchLock, never
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.parsing.treebank_grammar.items import Forest, ScoredWord, SearchResult, TreeNode, Viable, nodes_of
from numbat.parsing.treebank_grammar.markov import MarkovGrammar
from numbat.parsing.treebank_grammar.search import (
    FRAGMENT,
    Budget,
    CoarseToFine,
    SentenceWords,
    best_readings,
    forest_of,
)
from numbat.words.lattice import Lattice

CANDIDATES: Final = 10
"""Number of likeliest trees among which properties choose."""
AT_ONCE: Final = 3
"""All pieces of a long input together may take this many times the limit of items."""
WIDER: Final = 4.0
"""Number by which the pruning threshold is multiplied when a search is repeated because no tree covers the sentence."""
MAX_TEMPLATES: Final = 150_000
"""Maximum number of cached phrase templates; beyond, the cache is cleared."""


class LikelyTree(NamedTuple):
    """A tree, or fragments, with the pruning threshold used in the search (None: no pruning, so the tree is optimal).

    `log_likelihood` is the log likelihood of the tree or fragments, without the costs of readings. `stopped_by` names
    the limit that was met; `pieces` is the number of pieces that were searched separately.
    """

    solution: Solution
    pruned_by: float | None
    log_likelihood: float
    stopped_by: Literal["items", "seconds"] | None = None
    pieces: int = 1


class ForestChoice(Protocol):
    """Protocol of models that choose among trees whose log likelihood differs from the likeliest by at most `slack`."""

    @property
    def slack(self) -> float:
        """Maximum difference of a tree's log likelihood from that of the likeliest one."""
        ...

    def best(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[int]:
        """Return the edges of the best tree in a forest; `tokens` are pairs of form and tag."""
        ...

    def scored(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> tuple[Forest, Sequence[float]]:
        """Return a forest of the same trees, and what each of its edges adds to the score of a tree."""
        ...


class LikeliestTrees:
    """Search for the likeliest trees by expansions and a grammar; exact, without coarse passes, if `prune` is None.

    With `properties` above 0, the `CANDIDATES` likeliest trees are ordered by their log likelihood plus `properties`
    times their net value: weights of satisfied instances minus costs of violated ones. If there is a `choice`, this
    model decides between trees instead of their likelihood.

    Raises UsageError if the expansions have a phrase that is not a construction of the grammar, or if the grammar has
    none of the categories of their words.
    """

    def __init__(
        self,
        expansions: Expansions,
        evaluator: Evaluator,
        prune: float | None,
        properties: float = 0.0,
        choice: Callable[[MarkovGrammar], ForestChoice] | None = None,
    ) -> None:
        self.prune, self.properties = prune, properties
        self._expansions = expansions
        self.passes = CoarseToFine(expansions, evaluator.table.grammar.unary_limit)
        """Coarse-to-fine search over the expansions."""
        self._fine = self.passes.fine
        self._choice = choice and choice(self._fine)
        self._judge_by(evaluator)

    def _judge_by(self, evaluator: Evaluator) -> None:
        check_names(self._expansions, evaluator)
        self._grammar = evaluator.table.grammar
        self._constructions = evaluator.table.constructions
        self._templates = PhraseTemplates(evaluator)
        self.lock = SearchLock(self._templates.clear)
        """Held while a sentence is parsed, because threads share the tables."""

    def under(
        self, evaluator: Evaluator, choice: Callable[[MarkovGrammar], ForestChoice] | None = None
    ) -> LikeliestTrees:
        """Return the same search with another grammar's properties, and with another `choice` if given.

        Both searches share their tables, so only one thread can use either at a time.
        """
        made = copy(self)
        made._judge_by(evaluator)
        if choice is not None:
            made._choice = choice(self._fine)
        return made

    @property
    def states(self) -> int:
        """Number of states in the Markov grammar over refined categories."""
        return len(self._fine.states)

    def solve(self, lattice: Lattice, n: int, limits: Limits, overdue: Overdue | None = None) -> list[LikelyTree]:
        """Return up to n solutions, likeliest first; `overdue` is a running clock (by default, a new one starts)."""
        with self.lock:
            clock = overdue or limits.clock()
            run = Budget(limits.items, None if clock is never else clock)  # None saves a call for every span
            return self._solve(lattice, n, run)

    def _solve(self, lattice: Lattice, n: int, run: Budget) -> list[LikelyTree]:
        """Return the solutions for a sentence; if it is long and may be pruned, one solution joined from its pieces."""
        alike = _alike([word(arc, cost) for arc, cost in lexical_costs(lattice)])
        words = [*map(_together, alike.values())]
        scored, readings = self.passes.words(words, len(lattice.tokens)), best_readings(words, len(lattice.tokens))
        inside = {place for constituent in words for place in range(constituent.start + 1, constituent.end)}
        pieces = [] if self.prune is None else pieces_of(lattice.tokens, inside)
        if len(pieces) < 2:
            return self._solve_piece(words, alike, readings, scored, n, run)
        left, trees = None if run.items_left is None else AT_ONCE * run.items_left, []
        for piece in pieces:
            budget = Budget(left if left is None else min(left, run.items_left or 0), run.overdue)
            before, (within, kept) = budget.items_left or 0, scored.within(*piece)
            its_words = [words[number] for number in kept]
            trees += self._solve_piece(its_words, alike, readings[piece.start : piece.end], within, 1, budget)
            left = None if left is None else left - before + (budget.items_left or 0)
        return [self._joined(trees, scored.tokens)]

    def _joined(self, trees: Sequence[LikelyTree], tokens: int) -> LikelyTree:
        """Join the solutions for pieces to one."""
        tops = tuple(chain.from_iterable(tree.solution.constituents for tree in trees))
        solution = Solution(tops, fragment_cost_of(tops, tokens, self._grammar))
        pruned_by = max(tree.pruned_by or 0.0 for tree in trees)
        stopped_by = next((tree.stopped_by for tree in trees if tree.stopped_by), None)
        return LikelyTree(solution, pruned_by, sum(tree.log_likelihood for tree in trees), stopped_by, len(trees))

    def _solve_piece(
        self,
        words: Sequence[Constituent],
        alike: Alike,
        readings: Sequence[tuple[str, str]],
        scored: SentenceWords,
        n: int,
        run: Budget,
    ) -> list[LikelyTree]:
        most, threshold = max(n, CANDIDATES) if self.properties else n, self.prune
        find = self._likeliest if self._choice is None else partial(self._chosen, self._choice, readings)
        every = find(scored, threshold, most, run)
        if not every[0].is_tree and not every[0].stopped_by and threshold is not None:
            wider = find(scored, WIDER * threshold, most, run)
            if wider[0].is_tree or not wider[0].stopped_by:
                every, threshold = wider, WIDER * threshold
            else:
                every = [every[0]._replace(stopped_by=wider[0].stopped_by)]
        if len(self._templates) > MAX_TEMPLATES:
            self._templates.clear()
        solved = [self._judged(search_result, words, alike, scored, threshold) for search_result in every]
        if self.properties:
            solved.sort(key=lambda tree: -tree.log_likelihood - self.properties * _net(tree.solution))
        return solved[:n]

    def _judged(
        self,
        result: SearchResult,
        words: Sequence[Constituent],
        alike: Alike,
        scored: SentenceWords,
        threshold: float | None,
    ) -> LikelyTree:
        tops = self._trees(result.nodes, words, alike)
        solution = Solution(tops, fragment_cost_of(tops, scored.tokens, self._grammar))
        structure = result.cost % FRAGMENT - sum(scored.fine[node.word].cost for node in result.nodes if node.word >= 0)
        return LikelyTree(solution, threshold, -structure / UNIT, result.stopped_by)

    def _likeliest(self, scored: SentenceWords, prune: float | None, n: int, run: Budget) -> list[SearchResult]:
        def find(slack: int) -> SearchResult:
            return self.passes.search(scored, prune, slack, run)

        return [find(-1)] if n == 1 else k_best(self._fine, scored.fine, scored.tokens, n, find, run.overdue or never)

    def _chosen(
        self,
        choice: ForestChoice,
        tokens: Sequence[tuple[str, str]],
        scored: SentenceWords,
        prune: float | None,
        n: int,
        run: Budget,
    ) -> list[SearchResult]:
        """Return the n trees that a choice prefers; `tokens` are pairs of form and tag."""
        likeliest, forest = self.passes.search_and_forest(scored, prune, round(choice.slack * UNIT), run)
        if forest is None:
            return [likeliest]
        trees = [_costed_tree(forest, choice.best(forest, tokens))]
        if n > 1:
            forest, scores = choice.scored(forest, tokens)
            costs = [round(-score * UNIT) for score in scores]
            every = ranked(self._fine, forest, costs, n * MAX_DERIVATIONS * 2, run.overdue or never)
            trees += [_costed_tree(forest, edges) for _, edges in islice(every, n)]
            trees = _different(self._fine, trees)[:n]
        late = n > len(trees) and run.overdue is not None and run.overdue()
        search_result = likeliest._replace(viable=Viable(), stopped_by="seconds" if late else likeliest.stopped_by)
        return [search_result._replace(cost=cost, nodes=nodes) for cost, nodes in trees]

    def _trees(self, nodes: Sequence[TreeNode], words: Sequence[Constituent], alike: Alike) -> tuple[Constituent, ...]:
        """Convert nodes to evaluated constituents.

        Expansions have no features. So of readings that differ only in features, those are chosen that make the cost of
        readings and violations together least.
        """
        built: list[list[Constituent]] = []
        for node in reversed(nodes):
            if node.word >= 0:
                built.append(alike[_but_for_features(words[node.word])])
                continue
            daughters = built[: -node.daughters - 1 : -1]
            del built[-node.daughters :]
            construction = self._constructions[self._fine.symbols[node.symbol].label]
            built.append(self._phrases(construction, daughters))
        return tuple(min(constituents, key=attrgetter("cost_units")) for constituents in reversed(built))

    def _phrases(self, construction: Construction, daughters: Sequence[list[Constituent]]) -> list[Constituent]:
        """Return the cheapest phrase for each feature bundle that results, given the alternatives for each daughter."""
        best: dict[Bundle, Constituent] = {}
        for chosen in product(*_at_most(MAX_ALTERNATIVES, daughters)):
            signature = (
                construction.name,
                tuple([(constituent.construction, constituent.features) for constituent in chosen]),
            )
            phrase = self._templates.evaluated_phrase(signature, construction, chosen)
            if phrase.features not in best or phrase.cost_units < best[phrase.features].cost_units:
                best[phrase.features] = phrase
        return list(best.values())


Alike = dict[tuple[int, str, str], list[Constituent]]
"""Readings by cover, category and form; those under one key differ only in features."""
MAX_ALTERNATIVES: Final = 100
"""Maximum number of combinations of alternative daughters that are evaluated for a phrase."""


def _but_for_features(of: Constituent) -> tuple[int, str, str]:
    return of.cover, of.construction, of.form


def _alike(words: Sequence[Constituent]) -> Alike:
    """Group readings that differ only in their features, the cheapest first."""
    groups: Alike = {}
    for constituent in words:
        groups.setdefault(_but_for_features(constituent), []).append(constituent)
    for readings in groups.values():
        readings.sort(key=attrgetter("cost_units"))
    return groups


def _together(readings: Sequence[Constituent]) -> Constituent:
    """Return the first of readings that differ only in their features, with the joint cost of all of them."""
    first = readings[0]
    if len(readings) == 1:
        return first
    share = sum(exp((first.cost_units - constituent.cost_units) / UNIT) for constituent in readings)
    return first._replace(cost_units=first.cost_units - round(log(share) * UNIT))


def _at_most(most: int, daughters: Sequence[list[Constituent]]) -> list[list[Constituent]]:
    """Return the alternatives for daughters, without the most expensive if there are over `most` combinations."""
    kept = [sorted(daughter, key=attrgetter("cost_units")) if len(daughter) > 1 else daughter for daughter in daughters]
    while prod(map(len, kept)) > most:
        longest = max(range(len(kept)), key=lambda number: len(kept[number]))
        kept[longest] = kept[longest][:-1]
    return kept


CostedTree = tuple[int, list[TreeNode]]
"""Cost of a tree (its negative log likelihood), and its nodes."""


def _costed_tree(forest: Forest, edges: Sequence[int]) -> CostedTree:
    return sum(forest.costs[edge] for edge in edges), nodes_of(forest, edges)


def _different(grammar: MarkovGrammar, trees: Sequence[CostedTree]) -> list[CostedTree]:
    """Return the trees that differ from each earlier one in more than refinements of categories."""
    by_bare_tree: dict[Hashable, CostedTree] = {}
    for tree in trees:
        by_bare_tree.setdefault(bare_tree(grammar, tree[1]), tree)
    return list(by_bare_tree.values())


def check_names(expansions: Expansions, evaluator: Evaluator) -> None:
    """Raise UsageError if expansions have a phrase that the grammar lacks, or only words whose categories it lacks."""
    constructions = evaluator.table.constructions
    missing = [label for label in expansions.labels if label not in constructions]
    if missing:
        phrases = "phrase" if len(missing) == 1 else "phrases"
        raise UsageError(
            f"the expansions have the {phrases} {', '.join(missing[:3])}, which the grammar does not have\n"
            "  induce the grammar from the same trees, with the same --punctuation"
        )
    words = dict.fromkeys(leaf.label for leaf in expansions.leaves)
    if words and words.keys().isdisjoint((*evaluator.table.grammar.leaves, *constructions)):
        raise UsageError(
            f"the expansions have words of the categories {', '.join([*words][:3])}, none of which the grammar has\n"
            "  induce the grammar from the same trees"
        )


def _net(solution: Solution) -> float:
    """Return the weights of the satisfied instances minus the costs of the violated ones."""
    every = [node.characterization for top in solution.constituents for node in top.walk()]
    return (sum(both.weight_units for both in every) - sum(both.cost_units for both in every)) / UNIT


# The k best trees, found by a tabular search. The search returns the items in trees that cost little more than the best
# (`Viable`); a packed forest is made of these (`search.forest_of`), and its derivations are ranked
# (`numbat.derivations`).

SLACKS: Final = (3, 6, 12)
"""Maximum differences in log likelihood between further trees and the best; tried in turn until there are enough."""
MAX_DERIVATIONS: Final = 8
"""Number of derivations ranked per requested tree, as several may differ only in refinements; doubled if too few."""

Graph = Derivations[int, int]
"""Derivations over the nodes of a forest, labelled with its edges."""


def k_best(
    grammar: MarkovGrammar,
    words: Sequence[ScoredWord],
    tokens: int,
    n: int,
    find: Callable[[int], SearchResult],
    overdue: Overdue = never,
) -> list[SearchResult]:
    """Return up to n results, best first; trees that differ only in refinements count as one.

    `find` searches with a slack. If no tree covers the sentence, there is one result. There are fewer than n if the
    coarse passes leave no more trees, if the others differ by more than the last of `SLACKS`, or if a limit was met,
    which the results then name.
    """
    most = n * MAX_DERIVATIONS
    search_results: list[SearchResult] = []
    for slack in (number * UNIT for number in SLACKS):
        best = find(slack)
        if best.stopped_by is None or not search_results:
            others = islice(_others(grammar, words, tokens, best, slack, most, overdue), n - 1)
            search_results = max([best, *others], search_results, key=len)
        if len(search_results) == n:
            break
        stopped_by = best.stopped_by or ("seconds" if overdue() else None)
        if stopped_by is not None:
            search_results = [result._replace(stopped_by=stopped_by) for result in search_results]
        if stopped_by is not None or not best.is_tree:
            break
        most *= 2
    return [search_result._replace(viable=Viable()) for search_result in search_results]


def ranked(
    grammar: MarkovGrammar, forest: Forest, costs: Sequence[int], most: int, overdue: Overdue = never
) -> Iterator[tuple[int, list[int]]]:
    """Yield the trees in a forest, cheapest first, each as its cost and its edges.

    `costs` has the cost of each edge, `most` is the maximum number of derivations. Of trees that differ only in
    refinements, the first is yielded.
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
    """Yield the trees that differ from the best one (and from each other) in more than refinements."""
    if not best.viable.passive or overdue():
        return
    forest = forest_of(grammar, words, tokens, best.viable, best.cost + slack)
    if forest is None:
        return
    first = bare_tree(grammar, best.nodes)
    for cost, edges in ranked(grammar, forest, forest.costs, most, overdue):
        nodes = nodes_of(forest, edges)
        if cost > best.cost + slack:
            return
        if bare_tree(grammar, nodes) != first:
            yield best._replace(cost=cost, nodes=nodes)


def _edges(forest: Forest, costs: Sequence[int]) -> list[list[Hyperedge[int, int]]]:
    """Return, for each node of a forest, the hyperedges that build it."""
    hyperedges: list[list[Hyperedge[int, int]]] = [[] for _ in forest.starts]
    for edge, head in enumerate(forest.heads):
        parts = tuple([part for part in (forest.lefts[edge], forest.rights[edge]) if part >= 0])
        hyperedges[head].append(Hyperedge(parts, costs[edge], edge))
    return hyperedges


def _edges_of(graph: Graph, root: int, derivation: Derivation) -> Iterator[int]:
    """Yield the edges of a tree; each comes before the edges of its left and right parts."""
    waiting: list[tuple[int, Derivation | None]] = [(root, derivation)]
    while waiting:
        edge, parts = graph.expand(*waiting.pop())
        yield edge
        waiting += reversed(parts)


def bare_tree(grammar: MarkovGrammar, nodes: Sequence[TreeNode]) -> tuple[tuple[int, int, int], ...]:
    """Return a tree without refinements, as a key for comparing trees."""
    label = grammar.tables.label_of_symbol
    return tuple([(label[symbol], word, size) for symbol, word, size in nodes])


# Long input is cut into pieces, which are searched separately. The time that a search takes grows with the cube of the
# length, its memory with the square; and no phrase is as long as a paragraph.

MAX_LENGTH: Final = 100
"""Maximum number of words of input that is not cut."""
MAX_PIECE: Final = 40
"""Maximum number of words of a piece."""
ENDS: Final = frozenset(".!?…。！？")
"""Tokens that end a sentence."""
CLOSE: Final = frozenset("\"'”’»)]}")
"""Tokens that may follow the end mark of a sentence and still belong to this sentence."""
BREAKS: Final = frozenset(",;:-–—，；：、")
"""Tokens after which a sentence may be cut if it is too long."""


class Piece(NamedTuple):
    """Half-open token span [start, end)."""

    start: int
    end: int


def pieces_of(forms: Sequence[str], inside: Collection[int] = ()) -> list[Piece]:
    """Return the pieces of a sequence of words: a single one if it is not too long, else its sentences.

    A sentence that is too long is cut after the last comma or similar mark in the second half of the maximum length,
    else at the maximum. `inside` are the positions inside words of several tokens, where nothing is cut.
    """
    if len(forms) <= MAX_LENGTH:
        return [Piece(0, len(forms))]
    pieces, start = [], 0
    for end in _ends(forms, inside):
        while end - start > MAX_PIECE:
            cut = _cut(forms, inside, start, start + MAX_PIECE)
            pieces.append(Piece(start, cut))
            start = cut
        pieces.append(Piece(start, end))
        start = end
    return pieces


def _ends(forms: Sequence[str], inside: Collection[int]) -> Iterator[int]:
    """Yield the position at which each sentence ends; the last one is the end of the input."""
    has_ended = False
    for place, form in enumerate(forms):
        closes = has_ended and CLOSE.issuperset(form)
        if has_ended and not closes and not ENDS.issuperset(form) and place not in inside:
            yield place
            has_ended = False
        has_ended = has_ended or ENDS.issuperset(form)
    yield len(forms)


def _cut(forms: Sequence[str], inside: Collection[int], start: int, latest: int) -> int:
    """Return the best place for a cut after `start`, not after `latest` if possible."""
    places = [place for place in range(latest, (start + latest) // 2, -1) if place not in inside] or [latest]
    broken = (place for place in places if BREAKS.issuperset(forms[place - 1]))
    return next(broken, places[0])
