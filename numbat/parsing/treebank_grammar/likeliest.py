"""The likeliest trees of a sentence by counted expansions, judged by a grammar's properties.

The structure is chosen by how often such structures were counted (`markov`, `search`); then the one evaluator says what
the grammar's properties make of it. Valuations and elections of the other engines play no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, Literal, NamedTuple

from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.phrase_templates import PhraseTemplates
from numbat.evaluation.readings import lexical_costs, word
from numbat.grammar.properties import UNIT
from numbat.parsing.limits import Limits, Overdue, never
from numbat.parsing.records import Solution, fragment_cost_of
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol
from numbat.parsing.treebank_grammar.items import ScoredWord, SearchResult, Stage, TreeNode
from numbat.parsing.treebank_grammar.k_best import k_best
from numbat.parsing.treebank_grammar.markov import UNKNOWN, MarkovGrammar
from numbat.parsing.treebank_grammar.search import search
from numbat.parsing.treebank_grammar.smoothing import BAG, BARE, REFINED, Smoothing
from numbat.parsing.treebank_grammar.word_costs import log_shares, scored_words
from numbat.words.lattice import Lattice

EXTRA_THRESHOLD: Final = 5.0
"""By how much the threshold of the first, coarsest pass is higher."""
CANDIDATES: Final = 10
"""Among so many trees properties choose."""
WIDER: Final = 4.0
"""Where nothing covers the sentence, pruning is repeated with so many times the threshold."""
FRAGMENT: Final = 1_000_000 * UNIT
"""A fragment costs more than any tree: a cover is of as few as can be, then the likeliest."""
MOST_TEMPLATES: Final = 150_000
"""So many phrase templates are kept between sentences at most; where there are more, all are forgotten."""


class LikelyTree(NamedTuple):
    """A tree, or fragments, with the threshold that pruned the search for it (None: it is the optimum).

    `log_likelihood` is the natural logarithm of the likelihood of its trees, given their words; what choosing readings
    costs is not in it. `stopped_by` names the limit that was met.
    """

    solution: Solution
    pruned_by: float | None
    log_likelihood: float
    stopped_by: Literal["items", "seconds"] | None = None


class LikeliestTrees:
    """Expansions made ready to parse by one grammar. `prune` None: no coarse pass, the result is the optimum.

    With `properties` above 0 the `CANDIDATES` likeliest trees are put in the order of the logarithm of their likelihood
    and so many times their net value: weights of satisfied instances less costs of violated ones.

    Raises UsageError where the expansions have a phrase that is no construction of the grammar, or where the grammar
    has none of the categories of their words.
    """

    def __init__(
        self, expansions: Expansions, evaluator: Evaluator, prune: float | None, properties: float = 0.0
    ) -> None:
        _check_names(expansions, evaluator)
        self.prune, self.properties = prune, properties
        self._grammar = evaluator.table.grammar
        self._constructions = evaluator.table.constructions
        bare = expansions.coarse()
        self._fine = MarkovGrammar(expansions, REFINED, Smoothing(types=4.0))
        self._bare = MarkovGrammar(bare, BARE, Smoothing(memory=1))
        self._bag = MarkovGrammar(bare, BAG, Smoothing(memory=0))
        self._fine_shares = log_shares(self._fine.symbols, expansions)
        self._coarse_shares = log_shares(self._bag.symbols, bare)
        self._templates = PhraseTemplates(evaluator)
        self.lock = Lock()
        """Held while a sentence is parsed: one at a time fills the tables, whatever the threads."""

    @property
    def states(self) -> int:
        """The number of states of the refined grammar."""
        return len(self._fine.states)

    def solve(self, lattice: Lattice, n: int, limits: Limits, overdue: Overdue | None = None) -> list[LikelyTree]:
        """Up to n solutions, the likeliest first. `overdue` is a clock in place of one that starts now."""
        with self.lock:
            run = _Run(limits.items, overdue or (None if limits.seconds is None else limits.clock()))
            return self._solve(lattice, n, run)

    def _solve(self, lattice: Lattice, n: int, run: _Run) -> list[LikelyTree]:
        words, tokens = [word(arc, cost) for arc, cost in lexical_costs(lattice)], len(lattice.tokens)
        fine = scored_words(words, [self._symbol(each) for each in words], self._fine_shares)
        coarse = scored_words(words, [self._category(each) for each in words], self._coarse_shares)
        most, threshold = max(n, CANDIDATES) if self.properties else n, self.prune
        every = self._search(fine, coarse, tokens, threshold, most, run)
        if not every[0].is_tree and not every[0].stopped_by and threshold is not None:
            wider = self._search(fine, coarse, tokens, WIDER * threshold, most, run)
            if wider[0].is_tree or not wider[0].stopped_by:
                every, threshold = wider, WIDER * threshold
            else:
                every = [every[0]._replace(stopped_by=wider[0].stopped_by)]
        if len(self._templates) > MOST_TEMPLATES:
            self._templates.clear()
        solved = [self._judged(found, words, fine, tokens, threshold) for found in every]
        if self.properties:
            solved.sort(key=lambda each: -each.log_likelihood - self.properties * _net(each.solution))
        return solved[:n]

    def _judged(
        self,
        found: SearchResult,
        words: Sequence[Constituent],
        scored: Sequence[ScoredWord],
        tokens: int,
        threshold: float | None,
    ) -> LikelyTree:
        tops = self._trees(found.nodes, words)
        solution = Solution(tops, fragment_cost_of(tops, tokens, self._grammar))
        structure = found.cost % FRAGMENT - sum(scored[node.word].cost for node in found.nodes if node.word >= 0)
        return LikelyTree(solution, threshold, -structure / UNIT, found.stopped_by)

    def _search(
        self, fine: list[ScoredWord], coarse: list[ScoredWord], tokens: int, prune: float | None, n: int, run: _Run
    ) -> list[SearchResult]:
        stages = [Stage(self._fine, fine)]
        if prune is not None:
            first = Stage(self._bag, coarse, round((prune + EXTRA_THRESHOLD) * UNIT))
            stages = [first, Stage(self._bare, coarse, round(prune * UNIT)), *stages]

        def find(slack: int) -> SearchResult:
            unary_limit = self._grammar.unary_limit
            return run.counted(search(stages, tokens, unary_limit, FRAGMENT, slack, run.items_left, run.overdue))

        return [find(-1)] if n == 1 else k_best(self._fine, fine, tokens, n, find, run.overdue or never)

    def _symbol(self, of: Constituent) -> int:
        """The number of a word's symbol in the refined grammar: by its category and form, else by its category."""
        known = self._fine.number
        for symbol in (Symbol(of.construction, "", of.form.lower()), Symbol(of.construction), UNKNOWN):
            if symbol in known:
                break
        return known[symbol]

    def _category(self, of: Constituent) -> int:
        """The number of a word's symbol in the coarse grammars."""
        known = self._bag.number
        return known.get(Symbol(of.construction), known[UNKNOWN])

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


@dataclass(slots=True)
class _Run:
    """The limits of one sentence, over all its searches."""

    items_left: int | None
    overdue: Overdue | None

    def counted(self, found: SearchResult) -> SearchResult:
        """What a search found, its items taken from those that are left."""
        if self.items_left is not None:
            self.items_left = max(0, self.items_left - found.items)
        return found


def _check_names(expansions: Expansions, evaluator: Evaluator) -> None:
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
