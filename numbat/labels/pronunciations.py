"""Reader and writer for lists of words with their pronunciations, an entry a line, in the three ways people have them.

- `word TAB sounds`, the sounds parted by blanks, as WikiPron writes them; a word may have blanks here.
- `WORD  SOUNDS`, all parted by blanks, as the CMU Pronouncing Dictionary has them: `;;;` begins a line of comment, `#`
  a comment after the sounds, and `WORD(2)` is another pronunciation of the word.
- `WORD 1 SOUNDS`, as the same dictionary comes with NLTK: the number counts the pronunciations of the word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf, log
from typing import Any, Final

from numbat.errors import Problem, Span, data_error, shortened
from numbat.files import composed, cut_into_lines
from numbat.labels.model_file import whole
from numbat.labels.token_files import Sample
from numbat.records import frozen

MAX_LETTERS: Final = 200
"""Maximum letters per word; alignment time grows with letters times sounds."""
MAX_SOUNDS_OF_WORD: Final = 1_000
FEW_LETTERS: Final = 3
"""Words up to this length may have a single sound."""
COMMENT: Final = ";;;"
_VARIANT: Final = re.compile(r"(?<=.)\(\d+\)$")
_ENTRY: Final = "a line is a word, a TAB, and its sounds with blanks between them"


@frozen
class Pronunciation:
    """A word of a list as it is written, its letters in lower case, its sounds and its line.

    `sounds` are empty where the list is only to be given pronunciations.
    """

    word: str
    letters: tuple[str, ...]
    sounds: tuple[str, ...]
    line: int

    def sample(self, labels: Sequence[str] = ()) -> Sample:
        """Return the letters as tokens with these labels."""
        rows = tuple((letter,) for letter in self.letters)
        return Sample(rows, tuple(labels), (self.line,) * len(rows), (self.word,), self.line)


def read_pronunciations(text: str, path: str, with_sounds: bool = True) -> list[Pronunciation]:
    """Read the entries of a list. Without `with_sounds` a line may be a word alone, and what follows a TAB is left out.

    Raises DataError with every line that cannot be read, for a list without entry, and for one whose sounds have no
    blanks between them.
    """
    problems: list[Problem] = []
    entries = []
    numbered = with_sounds and _is_numbered(text)
    for number, line in _lines(text):
        word, sounds = _cells(line)
        if numbered:
            sounds = sounds[1:]
        entry = Pronunciation(word, letters_of(word), tuple(sounds), number)
        wrong = _mistake(entry, line, "\t" in text) if with_sounds else _mistake_in_words(entry, line)
        if wrong:
            problems.append(Problem(wrong[0], Span(path, number, 1, len(line) + 1), hint=wrong[1], source_line=line))
        elif with_sounds:
            entries.append(entry)
        else:
            entries.append(Pronunciation(word, entry.letters, (), number))
    if not entries and not problems:
        problems.append(Problem("no word", Span(path, 0), hint=_ENTRY if with_sounds else "a line is a word"))
    elif with_sounds and not problems:
        problems += _unparted(entries, path)
    if problems:
        raise data_error(*problems)
    return entries


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the numbers and the text of lines with an entry."""
    for number, line in enumerate(cut_into_lines(text.removeprefix("\ufeff")), start=1):
        if line.strip() and not line.startswith(COMMENT):
            yield number, line


def _cells(line: str) -> tuple[str, list[str]]:
    """Return the word of a line and what is left of it."""
    word, tab, rest = line.partition("\t")
    cells = composed(rest).split() if tab else line.split()
    if not tab:
        word, cells = cells[0], [composed(cell) for cell in cells[1:]]
        if "#" in cells:
            cells = cells[: cells.index("#")]
    return _VARIANT.sub("", composed(word.strip())), cells


def _is_numbered(text: str) -> bool:
    """True if the word of every line is followed by how many pronunciations it has had up to there."""
    seen: Counter[str] = Counter()
    for _, line in _lines(text):
        word, cells = _cells(line)
        seen[word] += 1
        if "\t" in line or len(cells) < 2 or cells[0] != str(seen[word]):
            return False
    return bool(seen)


def _mistake(entry: Pronunciation, line: str, has_tabs: bool) -> tuple[str, str] | None:
    """Return the problem of a line of words and sounds, and the remedy."""
    if has_tabs and "\t" not in line:
        return "no TAB between the word and its sounds", _ENTRY
    if line.count("\t") > 1:
        return f"{line.count(chr(9)) + 1} columns instead of 2", _ENTRY
    if entry.word and not entry.sounds:
        return f'the word "{shortened(entry.word)}" has no sounds', f"{_ENTRY}; leave out what has none"
    if len(entry.sounds) > MAX_SOUNDS_OF_WORD:
        return f"a word of {len(entry.sounds):,} sounds", f"at most {MAX_SOUNDS_OF_WORD:,} are read as those of a word"
    if NO_SOUND in entry.sounds:
        return f'"{NO_SOUND}" among the sounds', "it stands for letters that are not heard: write the sounds alone"
    return _mistake_of_word(entry)


def _mistake_in_words(entry: Pronunciation, line: str) -> tuple[str, str] | None:
    """Return the problem of a line of a list of words, and the remedy."""
    if entry.sounds and "\t" not in line:
        return f"{len(entry.sounds) + 1:,} words in a line", "put each word on a line of its own, or a TAB after it"
    return _mistake_of_word(entry)


def _mistake_of_word(entry: Pronunciation) -> tuple[str, str] | None:
    if not entry.word:
        return "no word before the TAB", _ENTRY
    if len(entry.letters) > MAX_LETTERS:
        return f"a word of {len(entry.letters):,} letters", f"at most {MAX_LETTERS} are read as a word"
    return None


def _unparted(entries: Sequence[Pronunciation], path: str) -> list[Problem]:
    """Report a list whose sounds are not separated: most longer words have a single sound."""
    longer = [entry for entry in entries if len(entry.letters) > FEW_LETTERS]
    single = [entry for entry in longer if len(entry.sounds) == 1]
    if 2 * len(single) <= len(longer):
        return []
    one = single[0]
    message = f'{len(single):,} of {len(longer):,} words have a single sound, as "{shortened(one.word)}" has '
    hint = "write a blank between two sounds: k æ t, not kæt"
    return [Problem(f'{message}"{shortened(one.sounds[0])}"', Span(path, one.line, 1), hint=hint)]


def with_sounds(word: str, sounds: Sequence[str]) -> str:
    """Return the line of a word with its sounds."""
    return f"{word}\t{' '.join(sounds) or NO_SOUND}\n"


# Letter-to-sound alignment.
#
# Each letter stands for no sound, one or two, so that the sounds of all letters, one after the other, are those of the
# word. That is a case of the many-to-many alignment of Jiampojamarn, Kondrak & Sherif 2007, "Applying Many-to-Many
# Alignments and Hidden Markov Models to Letter-to-Phoneme Conversion", learned by hard expectation maximisation
# (Viterbi training): each round takes the most likely alignment of every word and counts what its letters stand for.
# The first round knows no counts; it prefers one sound a letter, and letters and sounds at the same share of their
# word.
#
# The label of a letter is its sounds with a blank between them, or NO_SOUND.

NO_SOUND: Final = "_"
"""Label of a silent letter."""
MAX_SOUNDS: Final = 2
"""Maximum sounds per letter."""
ROUNDS: Final = 4
"""Rounds of Viterbi training; alignments hardly change afterwards."""
UNSEEN: Final = -12.0
"""Log probability of an unseen label, below that of one in 150,000."""

LetterCounts = Mapping[str, Mapping[str, int]]
"""How often each letter had each label in the alignments of the training material."""
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


def checked_counts(value: Any) -> LetterCounts | None:
    """Return the counts in the header of a model file, None where it has none.

    Raises ValueError for any other value.
    """
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(labels, dict) and labels for labels in value.values()):
        raise ValueError("these are no counts of labels")
    for labels in value.values():
        for count in labels.values():
            whole(count, least=1)
    return value


def _by_place(at: float, far: int) -> _Scores:
    """Score a letter by its relative position in the word, without counts."""
    near = [-abs(at - j / max(far, 1)) for j in range(far + 1)]
    other = [score - 2 for score in near]
    return other, near, other


def _by_counts(own: Mapping[str, float], sounds: Sequence[str], doubles: Sequence[str]) -> _Scores:
    """Score a letter whose labels have these log probabilities."""
    none = [own.get(NO_SOUND, UNSEEN)] * (len(sounds) + 1)
    return none, [own.get(sound, UNSEEN) for sound in sounds], [own.get(double, UNSEEN) for double in doubles]
