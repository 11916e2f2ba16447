"""Alignment of the letters of words with the sounds of their pronunciations, from pairs of the two alone.

Each letter stands for no sound, one or two, so that the sounds of all letters, one after the other, are those of the
word. That is a case of the many-to-many alignment of Jiampojamarn, Kondrak & Sherif 2007, "Applying Many-to-Many
Alignments and Hidden Markov Models to Letter-to-Phoneme Conversion", learned by hard expectation maximisation (Viterbi
training): each round takes the most likely alignment of every word and counts what its letters stand for. The first
round knows no counts; it prefers one sound a letter, and letters and sounds at the same share of their word.

The label of a letter is its sounds with a blank between them, or NO_SOUND.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf, log
from typing import Any, Final

from numbat.files import composed
from numbat.sequence.model_file import whole

NO_SOUND: Final = "_"
"""The label of a letter that is not heard; no sound is written so."""
MOST_SOUNDS: Final = 2
"""A letter stands for so many sounds at most."""
ROUNDS: Final = 4
"""Rounds of counting, after which the alignments hardly change."""
UNSEEN: Final = -12.0
"""The log probability of a label that the letter never had: less than that of one in 150,000."""

LetterCounts = Mapping[str, Mapping[str, int]]
"""How often each letter had each label in the alignments of the training material."""
Pair = tuple[Sequence[str], Sequence[str]]
"""The letters and the sounds of a word."""
_Chances = Mapping[str, Mapping[str, float]]
"""The log probability of each label that a letter had."""
_Scores = tuple[list[float], list[float], list[float]]
"""The scores of a letter that stands for no, for one and for two sounds, by the sound where these begin."""


def letters_of(word: str) -> tuple[str, ...]:
    """The letters of a word, each composed with its marks and in lower case."""
    return tuple(low if len(low := letter.lower()) == 1 else letter for letter in composed(word))


def sounds_of(labels: Iterable[str]) -> list[str]:
    """The sounds of a word by the labels of its letters."""
    return [sound for label in labels if label != NO_SOUND for sound in label.split(" ")]


def learned_counts(pairs: Sequence[Pair], rounds: int = ROUNDS) -> dict[str, dict[str, int]]:
    """What the letters of some words stand for, counted in the alignments of the last of some rounds."""
    counts: dict[str, dict[str, int]] = {}
    for _ in range(rounds):
        found: dict[str, Counter[str]] = {}
        for (letters, _), labels in zip(pairs, aligned(pairs, counts), strict=True):
            for letter, label in zip(letters, labels, strict=False):
                found.setdefault(letter, Counter())[label] += 1
        counts = {letter: dict(labels) for letter, labels in found.items()}
    return counts


def aligned(pairs: Iterable[Pair], counts: LetterCounts) -> list[list[str]]:
    """The most likely labels of the letters of each word; none for a word with more sounds than its letters can have.

    Without counts the places of letters and sounds in their words alone decide.
    """
    chances = {}
    for letter, labels in counts.items():
        total = sum(labels.values())
        chances[letter] = {label: log(count / total) for label, count in labels.items()}
    return [_best_labels(letters, sounds, chances) for letters, sounds in pairs]


def _best_labels(letters: Sequence[str], sounds: Sequence[str], chances: _Chances) -> list[str]:
    """The most likely labels, by dynamic programming over letters and sounds.

    Of equally likely ways to a place the one with more sounds for the last letter counts.
    """
    size, far = len(letters), len(sounds)
    if far > MOST_SOUNDS * size:
        return []
    doubles = [f"{one} {two}" for one, two in pairwise(sounds)]
    row = [0.0] + [-inf] * far
    taken = []
    for i, letter in enumerate(letters):
        by_place = _by_place(i / size, far) if not chances else None
        none, one, two = by_place or _by_counts(chances.get(letter, {}), sounds, doubles)
        after, sizes = [-inf] * (far + 1), bytearray(far + 1)
        for j in range(max(0, far - MOST_SOUNDS * (size - i - 1)), min(far, MOST_SOUNDS * (i + 1)) + 1):
            best, own = (row[j - 2] + two[j - 2], 2) if j > 1 else (-inf, 0)
            if j and row[j - 1] + one[j - 1] > best:
                best, own = row[j - 1] + one[j - 1], 1
            if row[j] + none[j] > best:
                best, own = row[j] + none[j], 0
            after[j], sizes[j] = best, own
        row = after
        taken.append(sizes)
    labels = []
    for sizes in reversed(taken):
        own = sizes[far]
        labels.append(" ".join(sounds[far - own : far]) or NO_SOUND)
        far -= own
    return labels[::-1]


def checked_counts(value: Any) -> LetterCounts | None:
    """The counts in the header of a model file, None where it has none. Raises ValueError for any other value."""
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(labels, dict) and labels for labels in value.values()):
        raise ValueError("these are no counts of labels")
    for labels in value.values():
        for count in labels.values():
            whole(count, least=1)
    return value


def _by_place(at: float, far: int) -> _Scores:
    """The scores of a letter at some share of its word, where nothing is counted yet."""
    near = [-abs(at - j / max(far, 1)) for j in range(far + 1)]
    other = [score - 2 for score in near]
    return other, near, other


def _by_counts(own: Mapping[str, float], sounds: Sequence[str], doubles: Sequence[str]) -> _Scores:
    """The scores of a letter whose labels have these log probabilities."""
    none = [own.get(NO_SOUND, UNSEEN)] * (len(sounds) + 1)
    return none, [own.get(sound, UNSEEN) for sound in sounds], [own.get(double, UNSEEN) for double in doubles]
