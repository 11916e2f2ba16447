"""Neighbours of a sentence, which contrastive estimation makes less likely than it (Smith & Eisner 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

Neighbourhood = Literal["delete", "transpose", "delete-or-transpose", "length"]
NEIGHBOURHOODS: Final[tuple[Neighbourhood, ...]] = ("delete", "transpose", "delete-or-transpose", "length")
"""The paper's DELETE1, TRANSPOSE1, DELETEORTRANSPOSE1 and LENGTH."""


def neighbours(sentence: Sequence[int], neighbourhood: Neighbourhood) -> list[tuple[int, ...]]:
    """The sentence and its neighbours, each once: a word deleted, or two words that follow each other transposed.

    Those of `length`, all sentences of its length, are not listed: see `all_sentences`.
    """
    given = tuple(sentence)
    found = {given: None}
    if neighbourhood in ("delete", "delete-or-transpose") and len(given) > 1:
        found |= {given[:place] + given[place + 1 :]: None for place in range(len(given))}
    if neighbourhood in ("transpose", "delete-or-transpose"):
        found |= {
            (*given[:place], given[place + 1], given[place], *given[place + 2 :]): None
            for place in range(len(given) - 1)
        }
    return list(found)
