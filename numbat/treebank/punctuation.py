"""Tagged sentences without their punctuation, and the heads of what is left put back into the whole sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from numbat.treebank.labels import PUNCTUATION
from numbat.treebank.tagged_sentences import UNTAGGED, TaggedSentence

MARKS: Final = PUNCTUATION.union(
    ("-LSB-", "-RSB-", "-LCB-", "-RCB-", "HYPH", "PUNC", "Punc", "punc", "punct", "Punct", "$.", "$,", "$("),
    ("(", ")", "[", "]", "{", "}", "!", "?", ";", "'", '"', "-", "--", "...", "…", "«", "»", "„", "“", "”"),
)
"""Tags that are punctuation and nothing else in the tag sets of treebanks. Penn's `$` and `#` are words, SYM too."""
UPOS_MARK: Final = "PUNCT"


def without_punctuation(
    sentence: TaggedSentence, marks: Collection[str] = MARKS
) -> tuple[TaggedSentence, tuple[int, ...]]:
    """The sentence without its punctuation, and the positions, from 0, of the words that are kept.

    A word whose UPOS is known is punctuation if that is PUNCT, whatever column its tag is from; any other word if its
    tag is one of the `marks`. A word whose head is left out depends on the nearest kept word above that, or is a root
    where there is none, so that there may be several roots. Rows of CoNLL-U that are no words are left out.
    """
    tree = sentence.tree
    upos = [word.upos for word in tree.words] if tree is not None else [UNTAGGED] * len(sentence.tags)
    kept = tuple(
        position
        for position, (tag, known) in enumerate(zip(sentence.tags, upos, strict=True))
        if (known != UPOS_MARK if known != UNTAGGED else tag not in marks)
    )
    if len(kept) == len(sentence.tags):
        return sentence, kept
    forms, tags = (tuple(column[position] for position in kept) for column in (sentence.forms, sentence.tags))
    if tree is None:
        return replace(sentence, forms=forms, tags=tags), kept
    heads = [word.head for word in tree.words]
    words = tuple(
        replace(tree.words[position], head=head) for position, head in zip(kept, kept_heads(heads, kept), strict=True)
    )
    return replace(sentence, forms=forms, tags=tags, tree=replace(tree, words=words, other_rows=())), kept


class BareSentences(NamedTuple):
    """Sentences without their punctuation, and how many were left out: too long, or without words."""

    sentences: tuple[TaggedSentence, ...]
    too_long: int
    empty: int


def bare_sentences(sentences: Iterable[TaggedSentence], longest: int) -> BareSentences:
    """Those of up to `longest` words, punctuation not counted."""
    bare = [without_punctuation(sentence)[0] for sentence in sentences]
    kept = tuple(each for each in bare if 0 < len(each.tags) <= longest)
    empty = sum(not each.tags for each in bare)
    return BareSentences(kept, len(bare) - len(kept) - empty, empty)


def kept_heads(heads: Sequence[int | None], kept: Sequence[int]) -> tuple[int | None, ...]:
    """The heads of the kept words, numbered anew: the nearest kept word above each, 0 where there is none."""
    numbers = {position + 1: number for number, position in enumerate(kept, start=1)}
    found: list[int | None] = []
    for position in kept:
        head = heads[position]
        while head and head not in numbers:
            head = heads[head - 1]
        found.append(numbers[head] if head else head)
    return tuple(found)


def put_back(heads: Sequence[int], kept: Sequence[int], words: int) -> tuple[int, ...]:
    """The heads of all `words` of a sentence from those of its kept words.

    Each other word depends on the root, or if it stands within the phrase of a word below that, on that word: as high
    as can be without crossing a link. Of several roots it is the first, unless it stands within the phrase of another.
    Where nothing is kept the first word is the root.
    """
    if not kept:
        return tuple(1 if number else 0 for number in range(words))
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for number, head in enumerate(heads, start=1):
        below[head].append(number)
    first, last = _reach(below, kept)
    whole = [0] * words
    for position, head in zip(kept, heads, strict=True):
        whole[position] = kept[head - 1] + 1 if head else 0
    for position in sorted({*range(words)}.difference(kept)):
        inner, at = below[0], 0
        while around := [number for number in inner if first[number] < position < last[number]]:
            at, inner = around[0], below[around[0]]
        whole[position] = kept[(at or below[0][0]) - 1] + 1
    return tuple(whole)


def _reach(below: Sequence[Sequence[int]], kept: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each kept word, by its number, the positions of the first and the last word of its phrase."""
    order = [0]
    for number in order:
        order += below[number]
    first, last = [0, *kept], [0, *kept]
    for number in reversed(order[1:]):
        for each in below[number]:
            first[number], last[number] = min(first[number], first[each]), max(last[number], last[each])
    return first, last
