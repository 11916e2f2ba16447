"""Letters of words aligned with their sounds, so that a tagger learns to pronounce words.

Hard expectation maximisation, a case of the many-to-many alignment of Jiampojamarn, Kondrak & Sherif 2007.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf, log
from typing import Final

from numbat.files import composed

NO_SOUND: Final = "_"
"""Label of a silent letter."""
MAX_SOUNDS: Final = 2
"""Maximum sounds per letter."""
ROUNDS: Final = 4
"""Rounds of Viterbi training; alignments hardly change afterwards."""
UNSEEN: Final = -12.0
"""Log probability of an unseen label, below that of one in 150,000."""

LetterCounts = Mapping[str, Mapping[str, int]]
"""Counts of the labels of each letter in the alignments of the training material."""
Pair = tuple[Sequence[str], Sequence[str]]
"""The letters and the sounds of a word."""
_Chances = Mapping[str, Mapping[str, float]]
"""The log probability of each label that a letter had."""
_Scores = tuple[list[float], list[float], list[float]]
"""The scores of a letter that stands for no, for one and for two sounds, by the sound where these begin."""


def letters_of(word: str) -> tuple[str, ...]:
    """Return the letters of a word, each composed with its marks and in lower case."""
    return tuple(low if len(low := letter.lower()) == 1 else letter for letter in composed(word))


def sounds_of(labels: Iterable[str]) -> list[str]:
    """Return the sounds of a word by the labels of its letters."""
    return [sound for label in labels if label != NO_SOUND for sound in label.split(" ")]


def learned_counts(pairs: Sequence[Pair], rounds: int = ROUNDS) -> dict[str, dict[str, int]]:
    """Count the labels of letters in the alignments of the last round."""
    counts: dict[str, dict[str, int]] = {}
    for _ in range(rounds):
        found: dict[str, Counter[str]] = {}
        for (letters, _), labels in zip(pairs, aligned(pairs, counts), strict=True):
            for letter, label in zip(letters, labels, strict=False):
                found.setdefault(letter, Counter())[label] += 1
        counts = {letter: dict(labels) for letter, labels in found.items()}
    return counts


def aligned(pairs: Iterable[Pair], counts: LetterCounts) -> list[list[str]]:
    """Return the most likely labels of each word's letters; [] if it has more sounds than they can carry.

    Without counts, relative positions of letters and sounds decide.
    """
    chances = {}
    for letter, labels in counts.items():
        total = sum(labels.values())
        chances[letter] = {label: log(count / total) for label, count in labels.items()}
    return [_best_labels(letters, sounds, chances) for letters, sounds in pairs]


def _best_labels(letters: Sequence[str], sounds: Sequence[str], chances: _Chances) -> list[str]:
    """Return the most likely labels, by dynamic programming over letters and sounds.

    Ties go to more sounds for the last letter.
    """
    size, far = len(letters), len(sounds)
    if far > MAX_SOUNDS * size:
        return []
    doubles = [f"{one} {two}" for one, two in pairwise(sounds)]
    row = [0.0] + [-inf] * far
    taken = []
    for i, letter in enumerate(letters):
        by_place = _by_place(i / size, far) if not chances else None
        none, one, two = by_place or _by_counts(chances.get(letter, {}), sounds, doubles)
        after, sizes = [-inf] * (far + 1), bytearray(far + 1)
        for j in range(max(0, far - MAX_SOUNDS * (size - i - 1)), min(far, MAX_SOUNDS * (i + 1)) + 1):
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


def _by_place(at: float, far: int) -> _Scores:
    """Score a letter by its relative position in the word, without counts."""
    near = [-abs(at - j / max(far, 1)) for j in range(far + 1)]
    other = [score - 2 for score in near]
    return other, near, other


def _by_counts(own: Mapping[str, float], sounds: Sequence[str], doubles: Sequence[str]) -> _Scores:
    """Score a letter whose labels have these log probabilities."""
    none = [own.get(NO_SOUND, UNSEEN)] * (len(sounds) + 1)
    return none, [own.get(sound, UNSEEN) for sound in sounds], [own.get(double, UNSEEN) for double in doubles]
