"""Windows of symbols around tokens: the instances of the memory-based learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from numbat.records import frozen
from numbat.sequence.token_files import TokenColumns

if TYPE_CHECKING:
    from numpy import int32
    from numpy.typing import NDArray

REACH: Final = 3
"""Tokens to the left and to the right of the focus."""
OUTSIDE: Final = 0
"""The number that stands before and after a sentence; the symbols of a column are numbered from 1."""


@frozen
class Symbols:
    """The symbols of each column of the training material, numbered in the order of the alphabet."""

    numbers: tuple[dict[str, int], ...]

    def sizes(self) -> list[int]:
        """How many numbers each feature of a window may have; the last is that of unknown symbols."""
        return [len(column) + 2 for column in self.numbers for _ in range(2 * REACH + 1)]

    def of(self, rows: Sequence[TokenColumns]) -> list[list[int]]:
        """The numbers of the symbols of a sentence, by column."""
        return [[column.get(row[i], len(column) + 1) for row in rows] for i, column in enumerate(self.numbers)]


def symbols_of(sentences: Sequence[Sequence[TokenColumns]]) -> Symbols:
    """The symbols of sentences that all have as many columns as the first token."""
    columns = range(len(sentences[0][0]))
    found = [sorted({row[i] for rows in sentences for row in rows}) for i in columns]
    return Symbols(tuple({symbol: number for number, symbol in enumerate(column, start=1)} for column in found))


def windows(sentences: Sequence[Sequence[TokenColumns]], symbols: Symbols) -> NDArray[int32]:
    """The window of each token, one sentence after the other: tokens x features, column by column, left to right."""
    import numpy as np

    edge = [OUTSIDE] * REACH
    padded: list[list[int]] = [[] for _ in symbols.numbers]
    places: list[int] = []
    for rows in sentences:
        places += range(len(padded[0]) + REACH, len(padded[0]) + REACH + len(rows))
        for column, numbers in zip(padded, symbols.of(rows), strict=True):
            column += edge + numbers + edge
    at = np.array(places, dtype=np.int64)[:, None] + np.arange(-REACH, REACH + 1)
    return np.concatenate([np.array(column, dtype=np.int32)[at] for column in padded], axis=1)
