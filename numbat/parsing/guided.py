"""Parsing guided by counted expansions: the likeliest tree, judged by the grammar's properties.

The structure is chosen by how often such structures were seen (`markov`, `tabular`), then the one evaluator says what
the grammar's properties make of it: valuation and election of the other engines play no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from numbat.errors import UsageError
from numbat.grammar.model import UNIT
from numbat.lattice import Lattice
from numbat.parsing.chart import Constituent, Solution
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.exact import characterized
from numbat.parsing.expansions import Expansions, Symbol
from numbat.parsing.machine import MOST_STATES, Signature
from numbat.parsing.markov import BAG, BARE, REFINED, UNKNOWN, Markov, Smoothing
from numbat.parsing.phases import Mold, building_site
from numbat.parsing.tabular import Found, Node, Stage, Word, search

FIRST: Final = 5.0
"""What the first, coarsest pass allows more."""
MORE: Final = 4.0
"""Where nothing covers the sentence, pruning is repeated with so many times the threshold."""


class Guided(NamedTuple):
    """A solution, and the threshold that pruned the search for it (None: it is the optimum)."""

    solution: Solution
    pruned_by: float | None


class Guide:
    """Expansions made ready to parse by one grammar. `prune` None: no coarse pass, the result is the optimum.

    Raises UsageError where the expansions have a phrase that is no construction of the grammar.
    """

    def __init__(self, expansions: Expansions, evaluator: Evaluator, prune: float | None) -> None:
        self._evaluator = evaluator
        self._forms = evaluator.table.constructions
        missing = [label for label in expansions.labels if label not in self._forms]
        if missing:
            raise UsageError(
                f"expansions of {', '.join(missing[:3])}, which the grammar does not have\n"
                "  induce the grammar from the same trees, with the same --punctuation"
            )
        self.prune = prune
        bare = expansions.coarse()
        self._fine = Markov(expansions, REFINED, Smoothing(types=4.0))
        self._bare = Markov(bare, BARE, Smoothing(memory=1))
        self._bag = Markov(bare, BAG, Smoothing(memory=0))
        self._molds: dict[Signature, Mold] = {}

    def solve(self, lattice: Lattice) -> Guided:
        words, tokens = building_site(lattice).new, len(lattice.tokens)
        grammar = self._evaluator.table.grammar
        fine = [self._word(word, i) for i, word in enumerate(words)]
        coarse = [self._coarse(word, i) for i, word in enumerate(words)]
        found, threshold = self._search(fine, coarse, tokens, self.prune)
        if not found.is_tree and threshold is not None:
            found, threshold = self._search(fine, coarse, tokens, threshold * MORE)
        if len(self._molds) > MOST_STATES:
            self._molds.clear()
        tops = self._trees(found.nodes, words)
        free = len(tops) == 1 and grammar.is_root(tops[0].construction, tops[0].features)
        return Guided(Solution(tops, 0 if free else len(tops) * grammar.fragment_cost), threshold)

    def _search(
        self, fine: list[Word], coarse: list[Word], tokens: int, prune: float | None
    ) -> tuple[Found, float | None]:
        stages = [Stage(self._fine, fine)]
        if prune is not None:
            first = Stage(self._bag, coarse, round((prune + FIRST) * UNIT))
            stages = [first, Stage(self._bare, coarse, round(prune * UNIT)), *stages]
        limit = self._evaluator.table.grammar.unary_limit
        return search(stages, tokens, limit, FRAGMENT), prune

    def _word(self, word: Constituent, number: int) -> Word:
        known = self._fine.number
        for symbol in (Symbol(word.construction, "", word.form.lower()), Symbol(word.construction), UNKNOWN):
            if symbol in known:
                break
        return word.start, word.end, known[symbol], word.cost, number

    def _coarse(self, word: Constituent, number: int) -> Word:
        known = self._bag.number
        return word.start, word.end, known.get(Symbol(word.construction), known[UNKNOWN]), word.cost, number

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
            built.append(characterized(form, daughters, self._evaluator, self._molds))
        return tuple(reversed(built))


FRAGMENT: Final = 1_000_000 * UNIT
"""A fragment costs more than any tree: a cover is of as few as can be, then the likeliest."""
