"""The records of an exercise, and its sentences as a suite."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from numbat.gradience.suites.reading.columns import Layout
from numbat.gradience.suites.reading.files import read_lines
from numbat.gradience.suites.suite import Item, Suite
from numbat.records import frozen
from numbat.words.typed import RATINGS, leading_mark

ENDINGS: Final = (".exercise.yaml", ".exercise.yml")
"""How the names of the files of exercises end."""


def is_exercise(name: str) -> bool:
    """Whether a file is an exercise, by its name."""
    return name.endswith(ENDINGS)


@frozen
class Step:
    """A part of an exercise: what is to be done, hints, and judged sentences with the numbers of their lines."""

    title: str
    task: str
    hints: tuple[str, ...]
    sentences: tuple[tuple[int, str], ...]

    def items(self, path: str) -> tuple[Item, ...]:
        """Its sentences as items; one without a mark is good. Raises DataError for a table that cannot be read."""
        if not self.sentences or "\t" not in self.sentences[0][1]:
            return tuple(_item(line, text) for line, text in self.sentences)
        lines = [""] * self.sentences[-1][0]
        for line, text in self.sentences:
            lines[line - 1] = text
        return read_lines(lines, path, Layout()).items


@frozen
class Exercise:
    """A task in steps; it begins with the text of a grammar, or with a packaged grammar that it names.

    `line` is the one before the first line of the grammar's text, and `column` that before its first column.
    """

    path: str
    title: str
    grammar: str
    steps: tuple[Step, ...]
    packaged: bool = False
    line: int = 0
    column: int = 0

    @property
    def stem(self) -> str:
        """Its name without folders and ending."""
        name = self.path.replace("\\", "/").rsplit("/", 1)[-1]
        return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)

    @property
    def grammar_file(self) -> str:
        """The name that the grammar to begin with has as a file."""
        return f"{self.stem}.pg"

    def suite(self) -> Suite:
        """The sentences of all steps; where there are several, an item without a phenomenon has the name of its step.

        Raises DataError for a table that cannot be read.
        """
        found: list[Item] = []
        for step in self.steps:
            named = step.title if len(self.steps) > 1 else ""
            found += (replace(item, phenomenon=item.phenomenon or named) for item in step.items(self.path))
        return Suite(self.path, tuple(found))


def _item(line: int, text: str) -> Item:
    mark, sentence = leading_mark(text)
    return Item(str(line), sentence, RATINGS.get(mark, 1.0), mark or "ok", line=line, by_sign=True)
