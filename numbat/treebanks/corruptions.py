"""Corruptions of sentences, from a treebank or plain text, that a grammar should notice.

Two neighbours are swapped, a necessary word is left out, a word is doubled, or an agreement is broken by another form
of a lemma. If many corruptions cost nothing, it means little that a grammar accepts a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Final

from numbat.records import frozen
from numbat.treebanks.conllu import MARK, DependencyTree, DependencyWord

CORRUPTIONS: Final = {
    "swap": "two neighbours swapped",
    "drop": "a word left out that must be there",
    "double": "a word doubled",
    "agreement": "an agreement broken",
}
"""Kinds of corruption, with their descriptions in reports."""
KINDS: Final = tuple(CORRUPTIONS)
NEEDED: Final = frozenset({"det", "case", "aux", "cop", "mark", "nsubj", "obj", "csubj", "root"})
"""Relations of words that most sentences need."""
AGREEING: Final = ("Number", "Gender", "Person", "Case")
"""Features in which words agree."""
AGREEING_RELATIONS: Final = frozenset({"det", "amod", "nsubj", "aux", "cop"})

TaggedWord = tuple[str, str]
"""A form and its UPOS."""
Forms = Mapping[tuple[str, str], Sequence[tuple[str, tuple[str, ...]]]]
"""Inflected forms by lemma and UPOS, each with its values of the features `AGREEING`."""


@frozen
class Corruption:
    """A corrupted sentence of tagged words; `place` is the index of the first changed word."""

    kind: str
    words: tuple[TaggedWord, ...]
    place: int


def forms_of(trees: Iterable[DependencyTree]) -> Forms:
    """Return the inflected forms in trees by lemma and UPOS, without lemmas that have a single form."""
    by_lemma: dict[tuple[str, str], dict[tuple[str, tuple[str, ...]], None]] = {}
    for tree in trees:
        for word in tree.words:
            if values := _values(word):
                by_lemma.setdefault((word.lemma, word.upos), {})[word.form.lower(), values] = None
    return {key: tuple(forms) for key, forms in by_lemma.items() if len(forms) > 1}


def corruptions(tree: DependencyTree, kind: str, forms: Forms) -> Iterator[Corruption]:
    """Yield all corruptions of a kind from left to right; punctuation is never swapped, left out or doubled."""
    words = [(word.form, word.upos) for word in tree.words]
    heads = {word.head for word in tree.words}
    for place, word in enumerate(tree.words):
        if word.upos == MARK:
            continue
        if kind == "swap":
            after = tree.words[place + 1 : place + 2]
            if after and after[0].upos != MARK and after[0].form.lower() != word.form.lower():
                yield _made(kind, [*words[:place], words[place + 1], words[place], *words[place + 2 :]], place)
        elif kind == "drop":
            if len(words) > 1 and (word.deprel.partition(":")[0] in NEEDED or place + 1 in heads):
                yield _made(kind, [*words[:place], *words[place + 1 :]], place)
        elif kind == "double":
            yield _made(kind, [*words[: place + 1], *words[place:]], place)
        elif word.deprel.partition(":")[0] in AGREEING_RELATIONS:
            values = _values(word)
            for form, other in forms.get((word.lemma, word.upos), ()):
                if other != values and form != word.form.lower() and _same_but_one(values, other):
                    yield _made(kind, [*words[:place], (form, word.upos), *words[place + 1 :]], place)
                    break


def drawn(tree: DependencyTree, forms: Forms, seed: int = 0) -> list[Corruption]:
    """Return one random corruption of each kind that the sentence allows; the same seed gives the same ones."""
    chosen = []
    for kind in KINDS:
        every = [corruption for corruption in corruptions(tree, kind, forms) if len(corruption.words) > 1]
        if every:
            chosen.append(Random(f"{seed} {kind} {tree.comment('sent_id')} {len(tree.words)}").choice(every))
    return chosen


def _made(kind: str, words: Sequence[TaggedWord], place: int) -> Corruption:
    return Corruption(kind, tuple(words), place)


def _values(word: DependencyWord) -> tuple[str, ...]:
    feats = dict(word.feats)
    values = tuple(feats.get(name, "") for name in AGREEING)
    return values if any(values) else ()


def _same_but_one(values: Sequence[str], other: Sequence[str]) -> bool:
    return sum(one != two for one, two in zip(values, other, strict=False)) == 1


@frozen
class HeldOutSentence:
    """A held-out sentence with its tree, tags and corruptions."""

    id: str
    tree: DependencyTree
    corruptions: tuple[Corruption, ...]


# Neighbours of sentences of plain text, with one word dropped or doubled, or two swapped

IsWord = Callable[[str], bool]
"""Function that returns True if the lexicon has a form."""
PLAIN_KINDS: Final = ("swap", "drop", "double")
"""Kinds of neighbours; the word that is left out may be one that the sentence does not need."""
MIN_WORDS: Final = 3
"""Minimum number of words; the neighbours of shorter sentences are often as good as the sentence."""
WORD: Final = re.compile(r"(\W*)(.*?)(\W*)", re.DOTALL)
"""A word with its leading and trailing punctuation."""


def neighbours(sentence: str, kind: str, is_word: IsWord) -> Iterator[str]:
    """Yield all versions of a sentence with a word left out (`drop`), doubled (`double`), or two swapped (`swap`).

    Punctuation keeps its place, and so does an initial capital that is only due to the beginning of the sentence.
    """
    words = sentence.split()
    if len(words) < MIN_WORDS:
        return
    parts = [WORD.fullmatch(word) for word in words]
    marks = [(part[1], part[3]) if part else ("", "") for part in parts]
    cores = [part[2] if part else word for part, word in zip(parts, words, strict=True)]
    capital = cores[0][:1].isupper()
    if capital and cores[0] != "I" and is_word(small := cores[0][:1].lower() + cores[0][1:]):
        cores[0] = small
    if kind == "swap":
        for i in range(len(cores) - 1):
            swapped = [*cores[:i], cores[i + 1], cores[i], *cores[i + 2 :]]
            if cores[i] != cores[i + 1]:
                yield _sentence(swapped, marks, capital)
    elif kind == "double":
        for i, core in enumerate(cores):
            beside = [*marks[:i], (marks[i][0], ""), ("", marks[i][1]), *marks[i + 1 :]]
            yield _sentence([*cores[:i], core, *cores[i:]], beside, capital)
    else:
        for i in range(len(cores)):
            yield _sentence([*cores[:i], *cores[i + 1 :]], _without(marks, i), capital)


def drawn_neighbours(sentence: str, is_word: IsWord, seed: int = 0) -> dict[str, str]:
    """Return one random neighbour of each kind that the sentence allows; the same seed gives the same ones."""
    drawn_ones = {}
    for kind in PLAIN_KINDS:
        others = sorted({*neighbours(sentence, kind, is_word)} - {sentence})
        if others:
            drawn_ones[kind] = Random(f"{seed} {kind} {sentence}").choice(others)
    return drawn_ones


def _without(marks: Sequence[tuple[str, str]], place: int) -> list[tuple[str, str]]:
    """Return the marks around the words if one word is left out: those after it move to the previous word.

    Those before it move to the next word. If it has both, such as quotation marks, they are removed with it.
    """
    left = [*marks[:place], *marks[place + 1 :]]
    before, behind = marks[place]
    if before and behind:
        return left
    if behind and place > 0:
        left[place - 1] = (left[place - 1][0], left[place - 1][1] + behind)
    if before and place < len(left):
        left[place] = (before + left[place][0], left[place][1])
    return left


def _sentence(cores: Sequence[str], marks: Sequence[tuple[str, str]], capital: bool) -> str:
    first = cores[0][:1].upper() + cores[0][1:] if capital else cores[0]
    return " ".join(before + core + behind for core, (before, behind) in zip([first, *cores[1:]], marks, strict=True))
