"""Tabular search in passes from coarse to fine: labels without order of daughters, bare labels, refined categories.

It is compiled if possible, else done by `python_search`, with equal results.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Final, Literal, NamedTuple
from weakref import WeakKeyDictionary, ref

from numbat import native
from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import UNIT
from numbat.parsing.policies import Overdue
from numbat.parsing.treebank_grammar import python_search
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol
from numbat.parsing.treebank_grammar.items import (
    MAX_NOTED,
    Forest,
    ScoredWord,
    SearchResult,
    Stage,
    TreeNode,
    Viable,
    categories,
)
from numbat.parsing.treebank_grammar.markov import BAG, BARE, IMPOSSIBLE, REFINED, UNKNOWN, MarkovGrammar, Smoothing
from numbat.parsing.treebank_grammar.python_search import INFINITE

EXTRA_THRESHOLD: Final = 5.0
"""Number that the first, coarsest pass adds to the pruning threshold."""
FRAGMENT: Final = 1_000_000 * UNIT
"""Fragment cost above the cost of any tree: the result has as few fragments as possible, then the likeliest ones."""


class SentenceWords(NamedTuple):
    """Words of a sentence as symbols of the refined grammar, and as symbols in the coarse passes."""

    fine: list[ScoredWord]
    coarse: list[ScoredWord]
    tokens: int

    def within(self, start: int, end: int) -> tuple[SentenceWords, list[int]]:
        """Return the words between two positions as a separate sentence, and their numbers in this sentence."""
        kept = [word.number for word in self.fine if start <= word.start and word.end <= end]
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
    """Remainder of the limits, for all searches that one sentence requires."""

    items_left: int | None = None
    overdue: Overdue | None = None

    def counted(self, result: SearchResult) -> SearchResult:
        """Subtract the items that a search built from those that are left; return the result of the search."""
        if self.items_left is not None:
            self.items_left = max(0, self.items_left - result.items)
        return result


MAX_VIABLE: Final = 12_000
"""Maximum number of items from which a forest is built; building takes a second at most.

Expansions counted in few trees discriminate little: with these, a sentence of 25 words has twice as many.
"""


class CoarseToFine:
    """Coarse-to-fine search by expansions, with bounded unary chains."""

    def __init__(self, expansions: Expansions, unary_limit: int) -> None:
        bare = expansions.coarse()
        self._expansions = expansions
        self.unary_limit = unary_limit
        self.fine = MarkovGrammar(expansions, REFINED, Smoothing(types=4.0))
        """The grammar over refined categories, by which the last pass decides."""
        self._bare = MarkovGrammar(bare, BARE, Smoothing(memory=1))
        self._bag = MarkovGrammar(bare, BAG, Smoothing(memory=0))
        self._fine_shares = log_shares(self.fine.symbols, expansions)
        self._coarse_shares = log_shares(self._bag.symbols, bare)

    def __reduce__(self) -> tuple[type[CoarseToFine], tuple[object, ...]]:
        # It is pickled as its arguments; the tables are rebuilt.
        return type(self), (self._expansions, self.unary_limit)

    def words(self, words: Sequence[Constituent], tokens: int) -> SentenceWords:
        """Return the readings of a sentence with this many tokens, with their costs apart from expansions."""
        fine = scored_words(words, [self._symbol(word) for word in words], self._fine_shares)
        coarse = scored_words(words, [self._category(constituent) for constituent in words], self._coarse_shares)
        return SentenceWords(fine, coarse, tokens)

    def search(
        self, words: SentenceWords, prune: float | None, slack: int = -1, budget: Budget | None = None
    ) -> SearchResult:
        """Return the likeliest tree; `prune` is the threshold for pruning, a difference in log likelihood (None:
        none)."""
        stages = [Stage(self.fine, words.fine)]
        if prune is not None:
            first = Stage(self._bag, words.coarse, round((prune + EXTRA_THRESHOLD) * UNIT))
            stages = [first, Stage(self._bare, words.coarse, round(prune * UNIT)), *stages]
        run = budget or Budget()
        limits = run.items_left, run.overdue
        return run.counted(search(stages, words.tokens, self.unary_limit, FRAGMENT, slack, *limits))

    def search_and_forest(
        self,
        words: SentenceWords,
        prune: float | None,
        slack: int,
        budget: Budget | None = None,
        items: Viable | None = None,
    ) -> tuple[SearchResult, Forest | None]:
        """Return the result of a search, and the forest of trees that cost at most `slack` more than the best.

        If the forest would need more than `MAX_VIABLE` items or `MAX_NOTED` edges, the slack is halved, as often as
        necessary. `items` are put into the forest whatever they cost. The forest is None if there is no tree, or if
        even the best trees are too many.
        """
        while True:
            search_result = self.search(words, prune, slack, budget)
            if not search_result.viable.passive:
                return search_result, None
            if sum(map(len, search_result.viable)) <= MAX_VIABLE or slack == 0:
                viable = search_result.viable if items is None else search_result.viable.and_others(items)
                forest = forest_of(self.fine, words.fine, words.tokens, viable, search_result.cost + slack)
                if forest is not None or slack == 0:
                    return search_result, forest
            slack //= 2

    def _symbol(self, of: Constituent) -> int:
        """Return the number of a word's symbol in the refined grammar: the symbol with its form, else without form."""
        known = self.fine.number
        for symbol in (Symbol(of.construction, "", of.form.lower()), Symbol(of.construction), UNKNOWN):
            if symbol in known:
                break
        return known[symbol]

    def _category(self, of: Constituent) -> int:
        """Return the number of a word's symbol in the coarse grammars."""
        known = self._bag.number
        return known.get(Symbol(of.construction), known[UNKNOWN])


# The tabular search: compiled if possible, else in Python, with equal results.


class GrammarTables(NamedTuple):
    """Grammar for the compiled search.

    The fields are: how many symbols, labels and states there are; a function from a state to its row (costs and next
    states); the columns of the grammar's `SearchTables`, as bytes of 32-bit integers; the costs of impossible steps, in
    tables and in charts.
    """

    symbols: int
    labels: int
    states: int
    row: Callable[[int], tuple[bytes, bytes]]
    tables: tuple[bytes, ...]
    impossible: int = IMPOSSIBLE
    infinite: int = INFINITE


class CompiledStage(NamedTuple):
    """`Stage` with a grammar for the compiled search."""

    grammar: object
    words: list[ScoredWord]
    threshold: int


class CompiledTask(NamedTuple):
    """Task of the compiled search: the arguments of `python_search.search`."""

    stages: list[CompiledStage]
    tokens: int
    unary_limit: int
    fragment: int
    slack: int
    most_items: int
    overdue: Overdue | None


class CompiledResult(NamedTuple):
    """Answer of the compiled search: the fields of `SearchResult`; `stopped_by` is an index into `STOPPED_BY`."""

    cost: int
    is_tree: bool
    nodes: list[tuple[int, int, int]]
    items: int
    viable: Viable
    stopped_by: int


STOPPED_BY: Final[tuple[Literal["items", "seconds"] | None, ...]] = (None, "items", "seconds")

_grammars: WeakKeyDictionary[MarkovGrammar, object] = WeakKeyDictionary()


def search(
    stages: Sequence[Stage],
    tokens: int,
    unary_limit: int,
    fragment: int,
    slack: int = -1,
    most_items: int | None = None,
    overdue: Overdue | None = None,
) -> SearchResult:
    """Run `python_search.search`, compiled if possible."""
    if native.load(native.TREEBANK_SEARCH) is None:
        return python_search.search(stages, tokens, unary_limit, fragment, slack, most_items, overdue)
    from numbat.parsing.treebank_grammar import _tabular

    passes = [CompiledStage(compiled(stage.grammar), stage.words, stage.threshold) for stage in stages]
    most = -1 if most_items is None else most_items
    task = CompiledTask(passes, tokens, unary_limit, fragment, slack, most, overdue)
    compiled_result = CompiledResult(*_tabular.search(task))
    passive, active, combined = compiled_result.viable
    return SearchResult(
        cost=compiled_result.cost,
        is_tree=bool(compiled_result.is_tree),
        nodes=[TreeNode(*node) for node in compiled_result.nodes],
        items=compiled_result.items,
        viable=Viable(tuple(passive), tuple(active), tuple(combined)),
        stopped_by=STOPPED_BY[compiled_result.stopped_by],
    )


def compiled(grammar: MarkovGrammar) -> object:
    """Return the cached tables of a grammar for the compiled search, which requests the rows of states on demand."""
    from numbat.parsing.treebank_grammar import _tabular

    known = _grammars.get(grammar)
    if known is None:
        flat = tuple(column.tobytes() for column in grammar.tables.flat())
        sizes = len(grammar.symbols), len(grammar.labels), len(grammar.tables.label_of_state)

        reference = ref(grammar)  # so that the compiled tables do not keep the grammar alive

        def row(state: int) -> tuple[bytes, bytes]:
            of = reference()
            assert of is not None
            costs, nexts = of.row(state)
            return costs.tobytes(), nexts.tobytes()

        known = _grammars[grammar] = _tabular.new_grammar(GrammarTables(*sizes, row, flat))
    return known


# Build packed forests: compiled if possible (`_forest.c`), else in `python_search`, with equal results.


def forest_of(
    grammar: MarkovGrammar,
    words: Sequence[ScoredWord],
    tokens: int,
    viable: Viable,
    most: int,
    most_noted: int = MAX_NOTED,
) -> Forest | None:
    """Return the forest that the viable items of a search form, restricted to trees that cost at most `most`.

    None if more than `most_noted` edges that build beginnings would have to be examined.
    """
    if native.load(native.TREEBANK_SEARCH) is None:
        return python_search.forest_of(grammar, words, tokens, viable, most, most_noted)
    from numbat.parsing.treebank_grammar import _tabular

    columns = _tabular.forest(
        (compiled(grammar), tokens, list(words), *map(list, viable), categories(grammar)[1].tobytes(), most, most_noted)
    )
    return None if columns is None else Forest(*(array("i", column) for column in columns))


# Costs of readings, apart from expansions.


def log_shares(symbols: Sequence[Symbol], expansions: Expansions) -> list[int]:
    """Return the logarithm of each symbol's share of all words, in fixed-point units; 0 for symbols of phrases."""
    counts: Counter[Symbol] = Counter()
    for (_, daughters), count in expansions.counts:
        for symbol in daughters:
            if not symbol.is_phrase:
                counts[symbol] += count
    total = counts.total()
    return [round(log(counts[symbol] / total) * UNIT) if counts[symbol] else 0 for symbol in symbols]


def scored_words(words: Sequence[Constituent], symbols: Sequence[int], shares: Sequence[int]) -> list[ScoredWord]:
    """Return the words as symbols of a grammar, with costs that fit the probabilities in this grammar.

    The weight of a reading is P(category | word), but expansions generate categories, so P(word | category) is
    required. By Bayes' rule, it equals P(category | word) / P(category) times P(word), which is the same for all
    readings (Bourlard & Morgan 1994). The best reading of a span costs 0 (ruling 3).
    """
    costs = [word.cost_units + shares[symbol] for word, symbol in zip(words, symbols, strict=True)]
    least: dict[tuple[int, int], int] = {}
    for word, cost in zip(words, costs, strict=True):
        least[word.start, word.end] = min(cost, least.get((word.start, word.end), cost))
    return [
        ScoredWord(word.start, word.end, symbol, cost - least[word.start, word.end], number)
        for number, (word, symbol, cost) in enumerate(zip(words, symbols, costs, strict=True))
    ]


def best_readings(words: Sequence[Constituent], tokens: int) -> list[tuple[str, str]]:
    """Return the form and the category of the best reading at each token position."""
    best: list[tuple[int, str, str]] = [(0, "", "")] * tokens
    seen = [False] * tokens
    for word in words:
        for position in range(word.start, word.end):
            if not seen[position] or word.cost_units < best[position][0]:
                seen[position], best[position] = True, (word.cost_units, word.form, word.construction)
    return [(form, category) for _, form, category in best]
