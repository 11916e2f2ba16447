"""The likeliest trees of a sentence by counted expansions, judged by a grammar's properties.

The structure is chosen by how often such structures were counted (`markov`, `search`); then the one evaluator says what
the grammar's properties make of it. Valuations and elections of the other engines play no part.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import chain, islice
from typing import Final, Literal, NamedTuple, Protocol

from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent, lexical_costs, word
from numbat.evaluation.evaluator import Evaluator, PhraseTemplates
from numbat.grammar.properties import UNIT
from numbat.parsing.limits import Limits, Overdue, never
from numbat.parsing.records import Solution, fragment_cost_of
from numbat.parsing.search_lock import SearchLock
from numbat.parsing.treebank_grammar.coarse_to_fine import FRAGMENT, Budget, CoarseToFine, SentenceWords
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.parsing.treebank_grammar.forest import Forest, nodes_of
from numbat.parsing.treebank_grammar.items import SearchResult, TreeNode, Viable
from numbat.parsing.treebank_grammar.k_best import MOST_DERIVATIONS, bare_tree, k_best, ranked
from numbat.parsing.treebank_grammar.markov import MarkovGrammar
from numbat.parsing.treebank_grammar.pieces import pieces_of
from numbat.parsing.treebank_grammar.word_costs import best_readings
from numbat.words.lattice import Lattice

CANDIDATES: Final = 10
"""Among so many trees properties choose."""
AT_ONCE: Final = 3
"""The pieces of a long row may have so many times the items of a sentence, all together."""
WIDER: Final = 4.0
"""Where nothing covers the sentence, pruning is repeated with so many times the threshold."""
MOST_TEMPLATES: Final = 150_000
"""So many phrase templates are kept between sentences at most; where there are more, all are forgotten."""


class LikelyTree(NamedTuple):
    """A tree, or fragments, with the threshold that pruned the search for it (None: it is the optimum).

    `log_likelihood` is the natural logarithm of the likelihood of its trees, given their words; what choosing readings
    costs is not in it. `stopped_by` names the limit that was met; in so many `pieces` it was searched.
    """

    solution: Solution
    pruned_by: float | None
    log_likelihood: float
    stopped_by: Literal["items", "seconds"] | None = None
    pieces: int = 1


class ForestChoice(Protocol):
    """What chooses among trees that are up to `slack`, a natural logarithm, less likely than the likeliest."""

    @property
    def slack(self) -> float:
        """How much less likely a tree may be."""
        ...

    def best(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[int]:
        """The edges of the best tree of a forest over forms with their tags."""
        ...

    def scores(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[float]:
        """What each edge adds to the score of a tree, in natural logarithms."""
        ...


class LikeliestTrees:
    """Expansions made ready to parse by one grammar. `prune` None: no coarse pass, the result is the optimum.

    With `properties` above 0 the `CANDIDATES` likeliest trees are put in the order of the logarithm of their likelihood
    and so many times their net value: weights of satisfied instances less costs of violated ones. With a `choice` it
    chooses among trees in place of their likelihood.

    Raises UsageError where the expansions have a phrase that is no construction of the grammar, or where the grammar
    has none of the categories of their words.
    """

    def __init__(
        self,
        expansions: Expansions,
        evaluator: Evaluator,
        prune: float | None,
        properties: float = 0.0,
        choice: Callable[[MarkovGrammar], ForestChoice] | None = None,
    ) -> None:
        check_names(expansions, evaluator)
        self.prune, self.properties = prune, properties
        self._grammar = evaluator.table.grammar
        self._constructions = evaluator.table.constructions
        self.passes = CoarseToFine(expansions, self._grammar.unary_limit)
        """The passes of the search over the expansions."""
        self._fine = self.passes.fine
        self._choice = choice and choice(self._fine)
        self._templates = PhraseTemplates(evaluator)
        self.lock = SearchLock(self._templates.clear)
        """Held while a sentence is parsed: one at a time fills the tables, whatever the threads."""

    @property
    def states(self) -> int:
        """The number of states of the refined grammar."""
        return len(self._fine.states)

    def solve(self, lattice: Lattice, n: int, limits: Limits, overdue: Overdue | None = None) -> list[LikelyTree]:
        """Up to n solutions, the likeliest first. `overdue` is a clock in place of one that starts now."""
        with self.lock:
            clock = overdue or limits.clock()
            run = Budget(limits.items, None if clock is never else clock)  # a clock is asked at every span
            return self._solve(lattice, n, run)

    def _solve(self, lattice: Lattice, n: int, run: Budget) -> list[LikelyTree]:
        """The solutions of the whole; of a long row that may be pruned one, of those of its pieces."""
        words = [word(arc, cost) for arc, cost in lexical_costs(lattice)]
        scored, readings = self.passes.words(words, len(lattice.tokens)), best_readings(words, len(lattice.tokens))
        inside = {place for each in words for place in range(each.start + 1, each.end)}
        pieces = [] if self.prune is None else pieces_of(lattice.tokens, inside)
        if len(pieces) < 2:
            return self._solve_piece(words, readings, scored, n, run)
        left, found = None if run.items_left is None else AT_ONCE * run.items_left, []
        for piece in pieces:
            own = Budget(left if left is None else min(left, run.items_left or 0), run.overdue)
            before, (within, kept) = own.items_left or 0, scored.within(*piece)
            its_words = [words[number] for number in kept]
            found += self._solve_piece(its_words, readings[piece.start : piece.end], within, 1, own)
            left = None if left is None else left - before + (own.items_left or 0)
        return [self._joined(found, scored.tokens)]

    def _joined(self, found: Sequence[LikelyTree], tokens: int) -> LikelyTree:
        """The solutions of pieces as one."""
        tops = tuple(chain.from_iterable(each.solution.constituents for each in found))
        solution = Solution(tops, fragment_cost_of(tops, tokens, self._grammar))
        pruned_by = max(each.pruned_by or 0.0 for each in found)
        stopped_by = next((each.stopped_by for each in found if each.stopped_by), None)
        return LikelyTree(solution, pruned_by, sum(each.log_likelihood for each in found), stopped_by, len(found))

    def _solve_piece(
        self,
        words: Sequence[Constituent],
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
        if len(self._templates) > MOST_TEMPLATES:
            self._templates.clear()
        solved = [self._judged(found, words, scored, threshold) for found in every]
        if self.properties:
            solved.sort(key=lambda each: -each.log_likelihood - self.properties * _net(each.solution))
        return solved[:n]

    def _judged(
        self, found: SearchResult, words: Sequence[Constituent], scored: SentenceWords, threshold: float | None
    ) -> LikelyTree:
        tops = self._trees(found.nodes, words)
        solution = Solution(tops, fragment_cost_of(tops, scored.tokens, self._grammar))
        structure = found.cost % FRAGMENT - sum(scored.fine[node.word].cost for node in found.nodes if node.word >= 0)
        return LikelyTree(solution, threshold, -structure / UNIT, found.stopped_by)

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
        """The trees that a choice prefers over forms with their tags."""
        slack = round(choice.slack * UNIT)
        likeliest = self.passes.search(scored, prune, slack, run)
        if not likeliest.viable.passive:
            return [likeliest]
        forest = self.passes.forest(scored, likeliest, slack)
        trees = [choice.best(forest, tokens)]
        if n > 1:
            costs = [round(-each * UNIT) for each in choice.scores(forest, tokens)]
            every = ranked(self._fine, forest, costs, n * MOST_DERIVATIONS * 2, run.overdue or never)
            trees = _different(self._fine, forest, [*trees, *(edges for _, edges in islice(every, n))])[:n]
        late = n > len(trees) and run.overdue is not None and run.overdue()
        found = likeliest._replace(viable=Viable(), stopped_by="seconds" if late else likeliest.stopped_by)
        return [
            found._replace(cost=sum(forest.costs[each] for each in edges), nodes=nodes_of(forest, edges))
            for edges in trees
        ]

    def _trees(self, nodes: Sequence[TreeNode], words: Sequence[Constituent]) -> tuple[Constituent, ...]:
        """The constituents of the nodes, their characterizations made by the one evaluator."""
        built: list[Constituent] = []
        for node in reversed(nodes):
            if node.word >= 0:
                built.append(words[node.word])
                continue
            daughters = tuple(built[: -node.daughters - 1 : -1])
            del built[-node.daughters :]
            construction = self._constructions[self._fine.symbols[node.symbol].label]
            signature = construction.name, tuple([(each.construction, each.features) for each in daughters])
            built.append(self._templates.evaluated_phrase(signature, construction, daughters))
        return tuple(reversed(built))


def _different(grammar: MarkovGrammar, forest: Forest, trees: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """The trees but for those that are over bare labels what one before them is."""
    found: dict[Hashable, Sequence[int]] = {}
    for edges in trees:
        found.setdefault(bare_tree(grammar, nodes_of(forest, edges)), edges)
    return list(found.values())


def check_names(expansions: Expansions, evaluator: Evaluator) -> None:
    """Raises UsageError for expansions of phrases or words that a grammar does not have."""
    constructions = evaluator.table.constructions
    missing = [label for label in expansions.labels if label not in constructions]
    if missing:
        raise UsageError(
            f"expansions of {', '.join(missing[:3])}, which the grammar does not have\n"
            "  induce the grammar from the same trees, with the same --punctuation"
        )
    words = dict.fromkeys(leaf.label for leaf in expansions.leaves)
    if words and words.keys().isdisjoint((*evaluator.table.grammar.leaves, *constructions)):
        raise UsageError(
            f"expansions over the words {', '.join([*words][:3])}, none of which the grammar has as a category\n"
            "  induce the grammar from the same trees"
        )


def _net(solution: Solution) -> float:
    """The weights of the satisfied instances less the costs of the violated ones."""
    both = [node.characterization for top in solution.constituents for node in top.walk()]
    satisfied = sum(instance.property.weight for each in both for instance in each.satisfied)
    return (satisfied - sum(instance.property.cost for each in both for instance in each.violated)) / UNIT
