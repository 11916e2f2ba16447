"""Parsing guided by counted expansions: the likeliest tree, judged by the grammar's properties.

The structure is chosen by how often such structures were seen (`markov`, `tabular`), then the one evaluator says what
the grammar's properties make of it: valuation and election of the other engines play no part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from threading import Lock
from typing import Final, NamedTuple

from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.phrase_templates import PhraseTemplates
from numbat.grammar.properties import UNIT
from numbat.parsing.exact.compiled_grammar import MOST_STATES
from numbat.parsing.phases.phases import building_site
from numbat.parsing.records import Solution, fragment_cost_of
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol
from numbat.parsing.treebank_grammar.markov import BAG, BARE, REFINED, UNKNOWN, Markov, Smoothing
from numbat.parsing.treebank_grammar.ranking import ranked
from numbat.parsing.treebank_grammar.tabular import Found, Node, Stage, Word, search
from numbat.words.lattice import Lattice

FIRST: Final = 5.0
"""What the first, coarsest pass allows more."""
CANDIDATES: Final = 10
"""Among so many trees properties choose."""
MORE: Final = 4.0
"""Where nothing covers the sentence, pruning is repeated with so many times the threshold."""


class Guided(NamedTuple):
    """A solution, the threshold that pruned the search for it (None: it is the optimum), and the natural logarithm of
    the likelihood of its trees, given their words; what choosing readings costs is not in it."""

    solution: Solution
    pruned_by: float | None
    log_likelihood: float


class Guide:
    """Expansions made ready to parse by one grammar. `prune` None: no coarse pass, the result is the optimum.

    With `properties` above 0 the `CANDIDATES` likeliest trees are put in the order of the logarithm of their likelihood
    and so many times their net value: weights of satisfied instances less costs of violated ones.

    Raises UsageError where the expansions have a phrase that is no construction of the grammar, or where the grammar
    has none of the categories of their words.
    """

    def __init__(
        self, expansions: Expansions, evaluator: Evaluator, prune: float | None, properties: float = 0.0
    ) -> None:
        self._evaluator = evaluator
        self._forms = evaluator.table.constructions
        missing = [label for label in expansions.labels if label not in self._forms]
        if missing:
            raise UsageError(
                f"expansions of {', '.join(missing[:3])}, which the grammar does not have\n"
                "  induce the grammar from the same trees, with the same --punctuation"
            )
        words = dict.fromkeys(leaf.label for leaf in expansions.leaves)
        if words and words.keys().isdisjoint((*evaluator.table.grammar.leaves, *self._forms)):
            raise UsageError(
                f"expansions over the words {', '.join([*words][:3])}, none of which the grammar has as a category\n"
                "  induce the grammar from the same trees"
            )
        self.prune, self.properties = prune, properties
        bare = expansions.coarse()
        self._fine = Markov(expansions, REFINED, Smoothing(types=4.0))
        self._bare = Markov(bare, BARE, Smoothing(memory=1))
        self._bag = Markov(bare, BAG, Smoothing(memory=0))
        self._fine_shares = _log_shares(self._fine, expansions)
        self._coarse_shares = _log_shares(self._bag, bare)
        self._templates = PhraseTemplates(evaluator)
        self._lock = Lock()

    def solve(self, lattice: Lattice, n: int = 1) -> list[Guided]:
        """Up to n solutions, the likeliest first; one sentence at a time fills the tables, whatever the threads."""
        with self._lock:
            return self._solve(lattice, n)

    def _solve(self, lattice: Lattice, n: int) -> list[Guided]:
        words, tokens = building_site(lattice).new, len(lattice.tokens)
        fine = _weighed(words, [self._symbol(word) for word in words], self._fine_shares)
        coarse = _weighed(words, [self._category(word) for word in words], self._coarse_shares)
        most, threshold = max(n, CANDIDATES) if self.properties else n, self.prune
        every = self._search(fine, coarse, tokens, threshold, most)
        if not every[0].is_tree and threshold is not None:
            threshold *= MORE
            every = self._search(fine, coarse, tokens, threshold, most)
        if len(self._templates) > MOST_STATES:
            self._templates.clear()
        solved = [self._guided(found, words, fine, tokens, threshold) for found in every]
        if self.properties:
            solved.sort(key=lambda each: -each.log_likelihood - self.properties * _net(each.solution))
        return solved[:n]

    def _guided(
        self, found: Found, words: Sequence[Constituent], offered: Sequence[Word], tokens: int, threshold: float | None
    ) -> Guided:
        grammar = self._evaluator.table.grammar
        tops = self._trees(found.nodes, words)
        solution = Solution(tops, fragment_cost_of(tops, tokens, grammar))
        structure = found.cost % FRAGMENT - sum(offered[word][3] for _, word, _ in found.nodes if word >= 0)
        return Guided(solution, threshold, -structure / UNIT)

    def _search(self, fine: list[Word], coarse: list[Word], tokens: int, prune: float | None, n: int) -> list[Found]:
        stages = [Stage(self._fine, fine)]
        if prune is not None:
            first = Stage(self._bag, coarse, round((prune + FIRST) * UNIT))
            stages = [first, Stage(self._bare, coarse, round(prune * UNIT)), *stages]
        limit = self._evaluator.table.grammar.unary_limit
        if n == 1:
            return [search(stages, tokens, limit, FRAGMENT)]
        return ranked(self._fine, fine, tokens, n, lambda slack: search(stages, tokens, limit, FRAGMENT, slack))

    def _symbol(self, word: Constituent) -> int:
        known = self._fine.number
        for symbol in (Symbol(word.construction, "", word.form.lower()), Symbol(word.construction), UNKNOWN):
            if symbol in known:
                break
        return known[symbol]

    def _category(self, word: Constituent) -> int:
        known = self._bag.number
        return known.get(Symbol(word.construction), known[UNKNOWN])

    def _trees(self, nodes: Sequence[Node], words: Sequence[Constituent]) -> tuple[Constituent, ...]:
        """The constituents of the nodes, their characterizations made by the one evaluator."""
        built: list[Constituent] = []
        for symbol, word, size in reversed(nodes):
            if word >= 0:
                built.append(words[word])
                continue
            daughters = tuple(built[: -size - 1 : -1])
            del built[-size:]
            form = self._forms[self._fine.symbols[symbol].label]
            signature = form.name, tuple([(each.construction, each.features) for each in daughters])
            built.append(self._templates.evaluated_phrase(signature, form, daughters))
        return tuple(reversed(built))


def _net(solution: Solution) -> float:
    both = [node.characterization for top in solution.constituents for node in top.walk()]
    satisfied = sum(instance.property.weight for each in both for instance in each.satisfied)
    return (satisfied - sum(instance.property.cost for each in both for instance in each.violated)) / UNIT


def _log_shares(grammar: Markov, expansions: Expansions) -> list[int]:
    """By symbol: the logarithm of its share of all words, in fixed-point units; 0 for what is no counted word."""
    counts: Counter[Symbol] = Counter()
    for (_, daughters), count in expansions.counts:
        for each in daughters:
            if not each.is_phrase:
                counts[each] += count
    total = counts.total()
    return [round(log(counts[each] / total) * UNIT) if counts[each] else 0 for each in grammar.symbols]


def _weighed(words: Sequence[Constituent], symbols: Sequence[int], shares: Sequence[int]) -> list[Word]:
    """The words in the symbols of a grammar, with costs that go with its probabilities.

    A reading is weighed by P(category | word), but expansions speak of categories before their words, so that
    P(word | category) is wanted: by Bayes' rule the first through P(category), and P(word), which is the same for all
    readings (Bourlard & Morgan 1994). The best reading of a span costs 0 (ruling 3).
    """
    costs = [word.cost + shares[symbol] for word, symbol in zip(words, symbols, strict=True)]
    least: dict[tuple[int, int], int] = {}
    for word, cost in zip(words, costs, strict=True):
        least[word.start, word.end] = min(cost, least.get((word.start, word.end), cost))
    return [
        (word.start, word.end, symbol, cost - least[word.start, word.end], number)
        for number, (word, symbol, cost) in enumerate(zip(words, symbols, costs, strict=True))
    ]


FRAGMENT: Final = 1_000_000 * UNIT
"""A fragment costs more than any tree: a cover is of as few as can be, then the likeliest."""
