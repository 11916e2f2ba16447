"""Raw sentences from files of treebanks or with one sentence per line, and samples by length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

MARK: Final = "# text = "
"""Comment of CoNLL-U before the raw text of a sentence."""


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """A row of the table: sentences whose number of words is within a range, both ends included."""

    shortest: int
    longest: int

    @classmethod
    def read(cls, written: str) -> Self:
        shortest, _, longest = written.partition("-")
        return cls(int(shortest), int(longest or shortest))

    def __str__(self) -> str:
        return f"{self.shortest} to {self.longest}"

    def sample(self, sentences: Sequence[str], number: int) -> list[str]:
        """Return `number` sentences of this length, at equal distances in the file, or all if there are fewer."""
        fitting = [each for each in sentences if self.shortest <= words_in(each) <= self.longest]
        if len(fitting) <= number:
            return fitting
        return [fitting[place * len(fitting) // number] for place in range(number)]


def read_sentences(paths: Iterable[Path]) -> list[str]:
    """Return the sentences of all files, in order: the texts of CoNLL-U (by suffix), else the lines."""
    return [sentence for path in paths for sentence in _of_file(path)]


def words_in(sentence: str) -> int:
    """Return the number of words between spaces, without separate punctuation."""
    return sum(any(map(str.isalnum, word)) for word in sentence.split())


def _of_file(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".conllu":
        return [line.removeprefix(MARK).strip() for line in lines if line.startswith(MARK)]
    return [line.strip() for line in lines if line.strip()]
