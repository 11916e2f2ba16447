"""Where a long row of words is cut into pieces, each of which is searched alone.

The time of a search grows with the cube of the words, its memory with their square; no phrase of a sentence is as long
as a paragraph.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

LONGEST: Final = 100
"""A row of more words is cut."""
LONGEST_PIECE: Final = 40
"""So many words a piece has at most."""
ENDS: Final = frozenset(".!?…。！？")
"""What ends a sentence."""
CLOSE: Final = frozenset("\"'”’»)]}")
"""What may stand between the end of a sentence and the next one."""
BREAKS: Final = frozenset(",;:-–—，；：、")
"""Where a sentence is cut that is too long itself."""


class Piece(NamedTuple):
    """The token positions from `start` to `end`, which is not among them."""

    start: int
    end: int


def pieces_of(forms: Sequence[str], inside: Collection[int] = ()) -> list[Piece]:
    """The pieces of a row of words: one if it is not too long, else its sentences.

    A sentence that is too long itself is cut behind the last comma, or other such mark, in the second half of what is
    left of it, else where that is too long. `inside` are positions within words of several tokens, which stay whole.
    """
    if len(forms) <= LONGEST:
        return [Piece(0, len(forms))]
    found, start = [], 0
    for end in _ends(forms, inside):
        while end - start > LONGEST_PIECE:
            cut = _cut(forms, inside, start, start + LONGEST_PIECE)
            found.append(Piece(start, cut))
            start = cut
        found.append(Piece(start, end))
        start = end
    return found


def _ends(forms: Sequence[str], inside: Collection[int]) -> Iterator[int]:
    """Where sentences end; the last end is that of the row."""
    has_ended = False
    for place, form in enumerate(forms):
        closes = has_ended and CLOSE.issuperset(form)
        if has_ended and not closes and not ENDS.issuperset(form) and place not in inside:
            yield place
            has_ended = False
        has_ended = has_ended or ENDS.issuperset(form)
    yield len(forms)


def _cut(forms: Sequence[str], inside: Collection[int], start: int, latest: int) -> int:
    """The best place to cut behind `start`: at `latest` or before it."""
    places = [place for place in range(latest, (start + latest) // 2, -1) if place not in inside] or [latest]
    broken = (place for place in places if BREAKS.issuperset(forms[place - 1]))
    return next(broken, places[0])
