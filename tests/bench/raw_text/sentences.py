"""Sentences as they are typed, from files of treebanks or with one sentence a line, and samples of them by length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

MARK: Final = "# text = "
"""Behind this CoNLL-U has the sentence as it was typed."""


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """Sentences of so many words, both ends included, make a row of the table."""

    shortest: int
    longest: int

    @classmethod
    def read(cls, written: str) -> Self:
        shortest, _, longest = written.partition("-")
        return cls(int(shortest), int(longest or shortest))

    def __str__(self) -> str:
        return f"{self.shortest} to {self.longest}"

    def sample(self, sentences: Sequence[str], number: int) -> list[str]:
        """So many sentences of this length, at equal distances in the file; all where there are fewer."""
        fitting = [each for each in sentences if self.shortest <= words_in(each) <= self.longest]
        if len(fitting) <= number:
            return fitting
        return [fitting[place * len(fitting) // number] for place in range(number)]


def read_sentences(paths: Iterable[Path]) -> list[str]:
    """The sentences of all files, in order: the texts of CoNLL-U (by the ending), else the lines."""
    return [sentence for path in paths for sentence in _of_file(path)]


def words_in(sentence: str) -> int:
    """The number of words between spaces, punctuation by itself left out."""
    return sum(any(map(str.isalnum, word)) for word in sentence.split())


def _of_file(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".conllu":
        return [line.removeprefix(MARK).strip() for line in lines if line.startswith(MARK)]
    return [line.strip() for line in lines if line.strip()]
