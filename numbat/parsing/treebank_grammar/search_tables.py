"""The tables of a Markov grammar as flat arrays, which a search reads without looking at symbols."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Final

from numbat.records import frozen

IMPOSSIBLE: Final = 2**31 - 1
"""A cost: what cannot be."""


@frozen
class Lists:
    """Lists of pairs, by number: those of number i are `first[k]`, `second[k]` for k from `at[i]` to `at[i + 1]`."""

    at: array[int]
    first: array[int]
    second: array[int]

    @classmethod
    def of(cls, lists: Iterable[Sequence[tuple[int, int]]]) -> Lists:
        """The lists of the numbers 0, 1 and so on."""
        at, first, second = array("i", [0]), array("i"), array("i")
        for each in lists:
            first.extend(a for a, _ in each)
            second.extend(b for _, b in each)
            at.append(len(first))
        return cls(at, first, second)

    def pairs(self, number: int) -> Iterable[tuple[int, int]]:
        """The list of a number."""
        begin, end = self.at[number], self.at[number + 1]
        return zip(self.first[begin:end], self.second[begin:end], strict=True)


@frozen
class SearchTables:
    """What a search needs of a grammar beside the rows of its states.

    By state: the number of its label, the symbol of the phrase that it accepts, the cost of accepting it.
    By symbol: `uses`, the labels in whose phrases it is a daughter, with its column in the rows of their states;
    `starts`, the states of phrases that it begins, with costs; `unaries`, the phrases of which it may be the only
    daughter, with costs; the number of its label, -1 for a word; its cost as the root of a tree.
    """

    label_of_state: array[int]
    accepted: array[int]
    accept_cost: array[int]
    uses: Lists
    starts: Lists
    unaries: Lists
    label_of_symbol: array[int]
    root_cost: array[int]

    def flat(self) -> tuple[array[int], ...]:
        """All arrays in the order in which the compiled search takes them."""
        lists = (self.uses, self.starts, self.unaries)
        inner = [each for one in lists for each in (one.at, one.first, one.second)]
        return self.label_of_state, self.accepted, self.accept_cost, *inner, self.label_of_symbol, self.root_cost
