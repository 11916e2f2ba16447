"""Lattices, the input of parsing: tokens of a sentence and their readings (ruling 14)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate, islice, pairwise
from typing import Final, NamedTuple

from numbat.errors import DataError
from numbat.grammar.properties import Bundle
from numbat.records import frozen
from numbat.words.segmentation import atoms, is_unsegmented

MAX_CHARACTERS: Final = 1_000_000
MAX_TOKENS: Final = 5_000
"""Maximum number of tokens of a sentence; the memory of a search grows with their square."""
MAX_ARCS: Final = 50_000
"""Maximum number of readings that all words of a sentence may have; none in Universal Dependencies has 300."""
Place = tuple[int, int]
"""A span of characters, its end exclusive."""


class Arc(NamedTuple):
    """A reading of the tokens from `start` to `end` (exclusive). `log_weight` compares readings of the same tokens.

    `guessed` is true for a word that the lexicon lacks. `cost` is added to the cost of the reading: in text without
    spaces, it is the cost of taking these letters as a word.
    """

    start: int
    end: int
    form: str
    category: str
    features: Bundle = ()
    log_weight: float = 0.0
    guessed: bool = False
    cost: float = 0.0


@frozen
class Lattice:
    """The tokens of a sentence and the arcs over them; `skipped` are punctuation marks that the grammar ignores.

    `text` is the sentence as typed. `gaps` has the number of tokens before each skipped mark. `places` and
    `skipped_places` are the spans of tokens and skipped marks in the text, empty if unknown; all tokens of a rewritten
    word have the span of that word: `de` and `=le` have that of `du`. Comparison ignores places.
    """

    tokens: tuple[str, ...]
    arcs: tuple[Arc, ...]
    skipped: tuple[str, ...] = ()
    text: str = ""
    gaps: tuple[int, ...] = ()
    places: tuple[Place, ...] = field(default=(), compare=False)
    skipped_places: tuple[Place, ...] = field(default=(), compare=False)

    def typed(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to `end` (exclusive) as typed, with the marks between them."""
        if not self.places:
            return " ".join(self.tokens[start:end])
        places = self.places[start:end]
        return self.text[min(begin for begin, _ in places) : max(end for _, end in places)] if places else ""


def check_length(text: str) -> None:
    """Raise DataError if a text is too long for one sentence, before it is tokenized."""
    if len(text) > MAX_CHARACTERS:
        raise _too_long(f"{len(text):,} characters", MAX_CHARACTERS)


def check_tokens(number: int) -> None:
    """Raise DataError for too many tokens in a sentence."""
    if number > MAX_TOKENS:
        raise _too_long(f"{number:,} words", MAX_TOKENS)


def bounded(arcs: Iterable[Arc]) -> tuple[Arc, ...]:
    """Return the arcs as a tuple. Raises DataError as soon as there are too many."""
    kept = tuple(islice(arcs, MAX_ARCS + 1))
    check_arcs(len(kept))
    return kept


def check_arcs(number: int) -> None:
    """Raise DataError for too many arcs in a sentence."""
    if number > MAX_ARCS:
        raise DataError(
            f"the words of this sentence have more than {MAX_ARCS:,} readings\n"
            "  give a shorter sentence, or fewer readings of a word in the lexicon"
        )


def _too_long(has: str, most: int) -> DataError:
    return DataError(f"a sentence has {has}; at most {most:,} are allowed\n  give one sentence per line")


def without_mark(form: str) -> str:
    """Return the letters of a token: those of `=le`, the second part of *du*, are `le`."""
    return form[1:] if form.startswith("=") and form[1:].isalpha() else form


def places_in_line(forms: Iterable[str]) -> tuple[Place, ...]:
    """Return the span of each word in the text that results from joining the words with single spaces."""
    places: list[Place] = []
    for form in forms:
        begin = places[-1][1] + 1 if places else 0
        places.append((begin, begin + len(form)))
    return tuple(places)


def undecided(lattice: Lattice) -> list[tuple[int, int]]:
    """Return the spans of tokens that were typed as one word and that some arcs take as one word, others as several.

    The spans are in order from the left. Of overlapping spans only the first is returned, of spans with the same start
    only the longest.
    """
    spans = {(arc.start, arc.end) for arc in lattice.arcs if arc.end > arc.start + 1 and " " not in arc.form}
    chosen: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        is_free = not chosen or start >= chosen[-1][1]
        if is_free and lattice.places and not any(map(str.isspace, lattice.typed(start, end))):
            chosen.append((start, end))
    return chosen


def decided(lattice: Lattice, whole: Mapping[tuple[int, int], bool]) -> Lattice:
    """Return the lattice with a decision on each span of `whole`: it is one token (true) or not a word (false)."""
    joined = [span for span, is_whole in whole.items() if is_whole]
    inside = {place for start, end in joined for place in range(start + 1, end)}
    at = [*accumulate((place not in inside for place in range(1, len(lattice.tokens) + 1)), initial=0)]
    arcs = [
        arc._replace(start=at[arc.start], end=at[arc.end])
        for arc in lattice.arcs
        if whole.get((arc.start, arc.end), " " not in arc.form) == (" " not in arc.form)
        and not inside & {arc.start, arc.end}
    ]
    ends = dict(joined)
    starts = [place for place in range(len(lattice.tokens)) if place not in inside]
    spans = [(place, ends.get(place, place + 1)) for place in starts]
    return replace(
        lattice,
        tokens=tuple(lattice.typed(*span) if span[0] in ends else lattice.tokens[span[0]] for span in spans),
        arcs=tuple(arcs),
        gaps=tuple(at[min(gap, len(lattice.tokens))] for gap in lattice.gaps),
        places=tuple((lattice.places[start][0], lattice.places[end - 1][1]) for start, end in spans),
    )


def in_atoms(lattice: Lattice) -> Lattice:
    """Return a lattice of typed text with the smallest parts of its tokens as tokens, without readings.

    A token that is not as long as its typed text stays whole.
    """
    tokens: list[str] = []
    places: list[Place] = []
    before = [0]
    for token, (start, end) in zip(lattice.tokens, lattice.places, strict=True):
        spans = atoms(token) if len(token) == end - start else [(0, len(token))]
        whole = len(spans) == 1
        tokens += [token[begin:stop] for begin, stop in spans]
        places += [(start, end) if whole else (start + begin, start + stop) for begin, stop in spans]
        before.append(len(tokens))
    gaps = tuple(before[gap] for gap in lattice.gaps)
    return replace(lattice, tokens=tuple(tokens), arcs=(), gaps=gaps, places=tuple(places))


def joined(lattice: Lattice, begins: Sequence[bool]) -> Lattice:
    """Return a lattice without readings in which each token joins the one before it unless it `begins` a word.

    No word extends over a skipped mark, or over a blank between letters of scripts without blanks.
    """
    starts: list[int] = []
    glue: list[str] = []
    for i, begin in enumerate(begins):
        between = _between(lattice, i) if i and not begin else None
        if between is None:
            starts.append(i)
        glue.append(between or "")
    spans = [*pairwise([*starts, len(lattice.tokens)])]
    words = tuple(
        "".join([lattice.tokens[start], *(glue[i] + lattice.tokens[i] for i in range(start + 1, end))])
        for start, end in spans
    )
    places = tuple((lattice.places[start][0], lattice.places[end - 1][1]) for start, end in spans)
    return replace(
        lattice, tokens=words, arcs=(), gaps=tuple(bisect_left(starts, gap) for gap in lattice.gaps), places=places
    )


def _between(lattice: Lattice, number: int) -> str | None:
    """Return the blank before a token, or "" if there is none; None if it cannot be of one word with that before it."""
    end, start = lattice.places[number - 1][1], lattice.places[number][0]
    typed = lattice.text[end:start]
    if start < end or typed.strip() or (typed and all(map(is_unsegmented, lattice.tokens[number - 1 : number + 1]))):
        return None
    return " " if typed else ""
