"""The passes of the search over one set of expansions: all daughters alike, bare labels, refined categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import UNIT
from numbat.parsing.limits import Overdue
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol
from numbat.parsing.treebank_grammar.forest import Forest
from numbat.parsing.treebank_grammar.forest_building import forest_of
from numbat.parsing.treebank_grammar.items import ScoredWord, SearchResult, Stage
from numbat.parsing.treebank_grammar.markov import UNKNOWN, MarkovGrammar
from numbat.parsing.treebank_grammar.search import search
from numbat.parsing.treebank_grammar.smoothing import BAG, BARE, REFINED, Smoothing
from numbat.parsing.treebank_grammar.word_costs import log_shares, scored_words

EXTRA_THRESHOLD: Final = 5.0
"""By how much the threshold of the first, coarsest pass is higher."""
FRAGMENT: Final = 1_000_000 * UNIT
"""A fragment costs more than any tree: a cover is of as few as can be, then the likeliest."""


class SentenceWords(NamedTuple):
    """The words of a sentence as the passes take them: in refined symbols, and in those of the coarse passes."""

    fine: list[ScoredWord]
    coarse: list[ScoredWord]
    tokens: int

    def within(self, start: int, end: int) -> tuple[SentenceWords, list[int]]:
        """The words between two positions as a sentence of its own, and their numbers in this one."""
        kept = [each.number for each in self.fine if start <= each.start and each.end <= end]
        fine, coarse = (
            [
                words[number]._replace(start=words[number].start - start, end=words[number].end - start, number=place)
                for place, number in enumerate(kept)
            ]
            for words in (self.fine, self.coarse)
        )
        return SentenceWords(fine, coarse, end - start), kept


@dataclass(slots=True)
class Budget:
    """The limits of one sentence, over all its searches."""

    items_left: int | None = None
    overdue: Overdue | None = None

    def counted(self, found: SearchResult) -> SearchResult:
        """What a search found, its items taken from those that are left."""
        if self.items_left is not None:
            self.items_left = max(0, self.items_left - found.items)
        return found


class CoarseToFine:
    """Expansions made ready to search with, in chains of so many phrases of one daughter at most."""

    def __init__(self, expansions: Expansions, unary_limit: int) -> None:
        bare = expansions.coarse()
        self._expansions = expansions
        self.unary_limit = unary_limit
        self.fine = MarkovGrammar(expansions, REFINED, Smoothing(types=4.0))
        """The grammar of refined symbols, which chooses."""
        self._bare = MarkovGrammar(bare, BARE, Smoothing(memory=1))
        self._bag = MarkovGrammar(bare, BAG, Smoothing(memory=0))
        self._fine_shares = log_shares(self.fine.symbols, expansions)
        self._coarse_shares = log_shares(self._bag.symbols, bare)

    def __reduce__(self) -> tuple[type[CoarseToFine], tuple[object, ...]]:
        # It is pickled as what it was made of: the tables are made anew.
        return type(self), (self._expansions, self.unary_limit)

    def words(self, words: Sequence[Constituent], tokens: int) -> SentenceWords:
        """Readings over so many token positions, with what they cost beside expansions."""
        fine = scored_words(words, [self._symbol(each) for each in words], self._fine_shares)
        coarse = scored_words(words, [self._category(each) for each in words], self._coarse_shares)
        return SentenceWords(fine, coarse, tokens)

    def search(
        self, words: SentenceWords, prune: float | None, slack: int = -1, budget: Budget | None = None
    ) -> SearchResult:
        """The likeliest tree; what is likelier than it by so many natural logarithms is pruned on the way."""
        stages = [Stage(self.fine, words.fine)]
        if prune is not None:
            first = Stage(self._bag, words.coarse, round((prune + EXTRA_THRESHOLD) * UNIT))
            stages = [first, Stage(self._bare, words.coarse, round(prune * UNIT)), *stages]
        run = budget or Budget()
        limits = run.items_left, run.overdue
        return run.counted(search(stages, words.tokens, self.unary_limit, FRAGMENT, slack, *limits))

    def forest(self, words: SentenceWords, found: SearchResult, slack: int) -> Forest:
        """The trees that cost up to `slack` more than the best, of what a search with that slack found."""
        return forest_of(self.fine, words.fine, words.tokens, found.viable, found.cost + slack)

    def _symbol(self, of: Constituent) -> int:
        """The number of a word's symbol in the refined grammar: by its category and form, else by its category."""
        known = self.fine.number
        for symbol in (Symbol(of.construction, "", of.form.lower()), Symbol(of.construction), UNKNOWN):
            if symbol in known:
                break
        return known[symbol]

    def _category(self, of: Constituent) -> int:
        """The number of a word's symbol in the coarse grammars."""
        known = self._bag.number
        return known.get(Symbol(of.construction), known[UNKNOWN])
