"""Reader and writer for lists of words with their pronunciations, an entry a line, in the three ways people have them.

- `word TAB sounds`, the sounds parted by blanks, as WikiPron writes them; a word may have blanks here.
- `WORD  SOUNDS`, all parted by blanks, as the CMU Pronouncing Dictionary has them: `;;;` begins a line of comment, `#`
  a comment after the sounds, and `WORD(2)` is another pronunciation of the word.
- `WORD 1 SOUNDS`, as the same dictionary comes with NLTK: the number counts the pronunciations of the word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from numbat.errors import Problem, Span, data_error, shortened
from numbat.files import composed, cut_into_lines
from numbat.records import frozen
from numbat.sequence.alignment import NO_SOUND, letters_of
from numbat.sequence.token_files import Sample

MOST_LETTERS: Final = 200
"""A longer word is a mistake; and the time of an alignment grows with letters times sounds."""
MOST_SOUNDS_OF_WORD: Final = 1_000
FEW_LETTERS: Final = 3
"""Words of so few letters may well have a single sound."""
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
        """The letters as tokens with these labels."""
        rows = tuple((letter,) for letter in self.letters)
        return Sample(rows, tuple(labels), (self.line,) * len(rows), (self.word,), self.line)


def read_pronunciations(text: str, path: str, with_sounds: bool = True) -> list[Pronunciation]:
    """The entries of a list. Without `with_sounds` a line may be a word alone, and what follows a TAB is left out.

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
    """The numbers and the text of lines with an entry."""
    for number, line in enumerate(cut_into_lines(text.removeprefix("\ufeff")), start=1):
        if line.strip() and not line.startswith(COMMENT):
            yield number, line


def _cells(line: str) -> tuple[str, list[str]]:
    """The word of a line and what is left of it."""
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
    """What is wrong with a line of words and sounds, and what to do."""
    if has_tabs and "\t" not in line:
        return "no TAB between the word and its sounds", _ENTRY
    if line.count("\t") > 1:
        return f"{line.count(chr(9)) + 1} columns instead of 2", _ENTRY
    if entry.word and not entry.sounds:
        return f'the word "{shortened(entry.word)}" has no sounds', f"{_ENTRY}; leave out what has none"
    if len(entry.sounds) > MOST_SOUNDS_OF_WORD:
        return f"a word of {len(entry.sounds):,} sounds", f"at most {MOST_SOUNDS_OF_WORD:,} are read as those of a word"
    if NO_SOUND in entry.sounds:
        return f'"{NO_SOUND}" among the sounds', "it stands for letters that are not heard: write the sounds alone"
    return _mistake_of_word(entry)


def _mistake_in_words(entry: Pronunciation, line: str) -> tuple[str, str] | None:
    """What is wrong with a line of a list of words, and what to do."""
    if entry.sounds and "\t" not in line:
        return f"{len(entry.sounds) + 1:,} words in a line", "put each word on a line of its own, or a TAB after it"
    return _mistake_of_word(entry)


def _mistake_of_word(entry: Pronunciation) -> tuple[str, str] | None:
    if not entry.word:
        return "no word before the TAB", _ENTRY
    if len(entry.letters) > MOST_LETTERS:
        return f"a word of {len(entry.letters):,} letters", f"at most {MOST_LETTERS} are read as a word"
    return None


def _unparted(entries: Sequence[Pronunciation], path: str) -> list[Problem]:
    """The mistake of a list in which most words of some length have a single sound: none is parted from the next."""
    longer = [entry for entry in entries if len(entry.letters) > FEW_LETTERS]
    single = [entry for entry in longer if len(entry.sounds) == 1]
    if 2 * len(single) <= len(longer):
        return []
    one = single[0]
    told = f'{len(single):,} of {len(longer):,} words have a single sound, as "{shortened(one.word)}" has '
    hint = "write a blank between two sounds: k æ t, not kæt"
    return [Problem(f'{told}"{shortened(one.sounds[0])}"', Span(path, one.line, 1), hint=hint)]


def with_sounds(word: str, sounds: Sequence[str]) -> str:
    """The line of a word with its sounds."""
    return f"{word}\t{' '.join(sounds) or NO_SOUND}\n"
