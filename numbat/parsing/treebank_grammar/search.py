"""The tabular search: compiled where that could be built, else in Python; both find the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple
from weakref import WeakKeyDictionary, ref

from numbat import native
from numbat.parsing.limits import Overdue
from numbat.parsing.treebank_grammar import python_search
from numbat.parsing.treebank_grammar.items import ScoredWord, SearchResult, Stage, TreeNode, Viable
from numbat.parsing.treebank_grammar.markov import MarkovGrammar
from numbat.parsing.treebank_grammar.python_chart import INFINITE
from numbat.parsing.treebank_grammar.search_tables import IMPOSSIBLE


class GrammarTables(NamedTuple):
    """A grammar as the compiled search takes it: how many symbols, labels and states it has; what gives the row of a
    state, costs and next states; its `SearchTables` in their order, 32-bit integers in bytes; what costs mean that are
    none, in the tables and in charts."""

    symbols: int
    labels: int
    states: int
    row: Callable[[int], tuple[bytes, bytes]]
    tables: tuple[bytes, ...]
    impossible: int = IMPOSSIBLE
    infinite: int = INFINITE


class CompiledStage(NamedTuple):
    """A `Stage` whose grammar is what the compiled search made of its tables."""

    grammar: object
    words: list[ScoredWord]
    threshold: int


class CompiledTask(NamedTuple):
    """What the compiled search is asked: as `python_search.search`, -1 for no slack and for no limit of items."""

    stages: list[CompiledStage]
    tokens: int
    unary_limit: int
    fragment: int
    slack: int
    most_items: int
    overdue: Overdue | None


class CompiledResult(NamedTuple):
    """What the compiled search answers: the fields of a `SearchResult`; `stopped_by` is a place in `STOPPED_BY`."""

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
    """`python_search.search`, compiled where that is possible."""
    if native.load(native.TREEBANK_SEARCH) is None:
        return python_search.search(stages, tokens, unary_limit, fragment, slack, most_items, overdue)
    from numbat.parsing.treebank_grammar import _tabular

    passes = [CompiledStage(compiled(stage.grammar), stage.words, stage.threshold) for stage in stages]
    most = -1 if most_items is None else most_items
    task = CompiledTask(passes, tokens, unary_limit, fragment, slack, most, overdue)
    found = CompiledResult(*_tabular.search(task))
    passive, active, combined = found.viable
    return SearchResult(
        cost=found.cost,
        is_tree=bool(found.is_tree),
        nodes=[TreeNode(*node) for node in found.nodes],
        items=found.items,
        viable=Viable(tuple(passive), tuple(active), tuple(combined)),
        stopped_by=STOPPED_BY[found.stopped_by],
    )


def compiled(grammar: MarkovGrammar) -> object:
    """The tables of a grammar as the compiled search keeps them; it asks for the rows of states that it meets."""
    from numbat.parsing.treebank_grammar import _tabular

    known = _grammars.get(grammar)
    if known is None:
        flat = tuple(each.tobytes() for each in grammar.tables.flat())
        sizes = len(grammar.symbols), len(grammar.labels), len(grammar.tables.label_of_state)

        behind = ref(grammar)  # what the compiled search keeps must not keep the grammar

        def row(state: int) -> tuple[bytes, bytes]:
            of = behind()
            assert of is not None
            costs, nexts = of.row(state)
            return costs.tobytes(), nexts.tobytes()

        known = _grammars[grammar] = _tabular.new_grammar(GrammarTables(*sizes, row, flat))
    return known
