"""What the readings of words cost beside counted expansions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import UNIT
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol
from numbat.parsing.treebank_grammar.items import ScoredWord


def log_shares(symbols: Sequence[Symbol], expansions: Expansions) -> list[int]:
    """The logarithm of each symbol's share of all words, in fixed-point units; 0 for what is no counted word."""
    counts: Counter[Symbol] = Counter()
    for (_, daughters), count in expansions.counts:
        for each in daughters:
            if not each.is_phrase:
                counts[each] += count
    total = counts.total()
    return [round(log(counts[each] / total) * UNIT) if counts[each] else 0 for each in symbols]


def scored_words(words: Sequence[Constituent], symbols: Sequence[int], shares: Sequence[int]) -> list[ScoredWord]:
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
        ScoredWord(word.start, word.end, symbol, cost - least[word.start, word.end], number)
        for number, (word, symbol, cost) in enumerate(zip(words, symbols, costs, strict=True))
    ]


def best_readings(words: Sequence[Constituent], tokens: int) -> list[tuple[str, str]]:
    """The form and the category of the best reading at each token position; of a reading of several, at each."""
    found: list[tuple[int, str, str]] = [(0, "", "")] * tokens
    seen = [False] * tokens
    for word in words:
        for position in range(word.start, word.end):
            if not seen[position] or word.cost < found[position][0]:
                seen[position], found[position] = True, (word.cost, word.form, word.construction)
    return [(form, category) for _, form, category in found]
