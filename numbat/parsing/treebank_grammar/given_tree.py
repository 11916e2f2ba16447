"""The likeliest derivation of a tree that is given: which refined symbols and states it has in a Markov grammar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from numbat.parsing.treebank_grammar.expansions import TOP
from numbat.parsing.treebank_grammar.items import ActiveItem, PassiveItem, ScoredWord, Viable
from numbat.parsing.treebank_grammar.markov import IMPOSSIBLE, MarkovGrammar

ALWAYS: Final = -(2**60)
"""What is around an item that is to be in a forest whatever it costs."""


class GivenNode(NamedTuple):
    """A node of a tree, before its daughters: its label, and how many daughters it has; a word has none."""

    label: str
    daughters: int


Step = tuple[int, int]
"""A state of a phrase, and the symbol of the daughter that was read last."""


class _Option(NamedTuple):
    """The likeliest way to read a node as one symbol: its cost, its depth in a chain of only daughters, the symbol of
    the only daughter or the steps over several."""

    cost: int
    depth: int
    only: int = -1
    steps: tuple[Step, ...] = ()


@dataclass(slots=True)
class _Node:
    """A node with its options, by symbol."""

    start: int
    end: int
    options: dict[int, _Option] = field(default_factory=dict)
    daughters: list[_Node] = field(default_factory=list)


def items_of_tree(
    grammar: MarkovGrammar, words: Sequence[ScoredWord], nodes: Sequence[GivenNode], unary_limit: int
) -> Viable | None:
    """The items of the likeliest derivation of a tree over words of one token each; None where it has none.

    What is around them is said to cost nothing at all, so that a forest has them in any case.
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
        """The root of a tree with all its options, from the words up."""
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
            found = _Node(daughters[0].start, daughters[-1].end, {}, daughters)
            for symbol in self.variants.get((node.label, above), ()):
                option = self._only(symbol, *daughters) if len(daughters) == 1 else self._several(symbol, daughters)
                if option is not None:
                    found.options[symbol] = option
            built.append(found)
        (root,) = built
        return root

    def _only(self, phrase: int, daughter: _Node) -> _Option | None:
        """The likeliest way to read a phrase of one daughter."""
        options = [
            _Option(below.cost + cost, below.depth + 1, symbol)
            for symbol, below in daughter.options.items()
            for above, cost in self.tables.unaries.pairs(symbol)
            if above == phrase and below.depth < self.unary_limit
        ]
        return min(options, default=None)

    def _several(self, phrase: int, daughters: Sequence[_Node]) -> _Option | None:
        """The likeliest way to read a phrase of several daughters."""
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
    """The label above each node, from the top."""
    waiting = [[TOP, 1]]
    for node in nodes:
        while not waiting[-1][1]:
            waiting.pop()
        yield str(waiting[-1][0])
        waiting[-1][1] -= 1  # type: ignore[operator]
        if node.daughters:
            waiting.append([node.label, node.daughters])


def with_items(viable: Viable, others: Viable) -> Viable:
    """The items of both."""
    return Viable(*((*some, *more) for some, more in zip(viable, others, strict=True)))  # type: ignore[arg-type]
