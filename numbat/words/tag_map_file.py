"""The lines of a tag map file, read with all mistakes of the file; `tag_maps` says what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from numbat.errors import Problem, Span, close_match
from numbat.grammar.model import Grammar, Reading
from numbat.grammar.names import WILDCARD

READING: Final = re.compile(r"\s*([^\s\[\]]+?)(?:(?<=[^\s\[\]])(\?))?\s*(?:\[(.*)\]\s*)?")
FEATURE: Final = re.compile(r"\s*([^\s=|]+)\s*=\s*([^\s=|]+(?:\s*\|\s*[^\s=|]+)*)\s*")
FORMAT: Final = "Category[feature=value, feature=value]"
SKIP: Final = "-"


class TagMapReader:
    """The rows and the problems of a tag map while its lines are read."""

    def __init__(self, path: str, grammar: Grammar) -> None:
        self.path = path
        self.categories = (*grammar.categories, WILDCARD)
        self.features = dict(grammar.features)
        self.rows: dict[str, tuple[Reading, ...]] = {}
        self.if_known: dict[str, frozenset[Reading]] = {}
        self.lines: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.line = ""
        self.number = 0

    def read(self, line: str, number: int) -> None:
        self.line, self.number = line.rstrip(), number
        if not self.line or (line.startswith("#") and not line.startswith("#\t")):
            return
        tag, tab, right = self.line.partition("\t")
        if not tab or not tag or tag != tag.strip() or " " in tag:
            hint = "blanks do not separate: put a TAB after the tag" if not tab and " " in tag.strip() else ""
            self._report("a line that is no row of a tag map", 0, self.line, "a tag, a TAB and its readings", hint=hint)
            return
        if tag in self.lines:
            self._report(f'the tag "{tag}" is already in line {self.lines[tag]}', 0, tag)
            return
        self.lines[tag] = number
        if right.strip() == SKIP:
            self.rows[tag] = ()
            return
        readings: dict[Reading, bool] = {}
        for text, start in _split(right, len(tag) + 1, "|"):
            reading, lexical = self._reading(text, start)
            if reading and reading in readings:
                self._report("a reading that is written twice", start, text)
            elif reading:
                readings[reading] = lexical
        self.rows[tag] = tuple(readings)
        self.if_known[tag] = frozenset(reading for reading, lexical in readings.items() if lexical)

    def _reading(self, text: str, start: int) -> tuple[Reading | None, bool]:
        """The reading that a text stands for, and whether it counts only where the lexicon has it."""
        match = READING.fullmatch(text)
        if match is None or match[1] == SKIP:
            hint = f"{SKIP} stands alone: a token is skipped or it is read" if match else ""
            self._report("a reading that cannot be understood", start, text, FORMAT, hint=hint)
            return None, False
        if match[1] not in self.categories:
            expected = "a construction or a leaf of the grammar"
            self._unknown(f'unknown category "{match[1]}"', match[1], start + match.start(1), expected, self.categories)
        pairs: dict[str, tuple[str, ...]] = {}
        for written, at in _split(match[3], start + match.start(3), ",") if match[3] is not None else ():
            self._feature(written, at, pairs)
        return Reading(match[1], tuple(sorted(pairs.items()))), match[2] is not None

    def _feature(self, text: str, start: int, pairs: dict[str, tuple[str, ...]]) -> None:
        """Adds one `feature=value` to the pairs of its reading."""
        match = FEATURE.fullmatch(text)
        if match is None:
            self._report("a feature that cannot be understood", start, text, "feature=value")
            return
        feature, values = match[1], [value.strip() for value in match[2].split("|")]
        at = start + match.start(1)
        if feature in pairs:
            self._report(f'the feature "{feature}" is written twice in one reading', at, feature)
        elif feature not in self.features:
            expected = "one of the features " + ", ".join(self.features) if self.features else "no feature"
            self._unknown(f'unknown feature "{feature}"', feature, at, expected, self.features)
        else:
            for value, position in _split(match[2], start + match.start(2), "|"):
                name = value.strip()
                if name not in self.features[feature]:
                    at = position + len(value) - len(value.lstrip())
                    expected = f"{feature}=" + "|".join(self.features[feature])
                    self._unknown(f'unknown value "{name}" of "{feature}"', name, at, expected, self.features[feature])
        pairs[feature] = tuple(dict.fromkeys(values))

    def _unknown(self, message: str, name: str, start: int, expected: str, names: Iterable[str]) -> None:
        self._report(message, start, name, expected, close_match(name, names))

    def _report(self, message: str, start: int, text: str, expected: str = "", hint: str = "") -> None:
        """Reports `text`, which starts at offset `start` of the line; blanks around it are not underlined."""
        column = start + len(text) - len(text.lstrip()) + 1 if text.strip() else start + 1
        found = text.strip() or ("the end of the line" if start >= len(self.line) else self.line[start:].strip()[0])
        span = Span(self.path, self.number, column, column + max(1, len(text.strip())))
        self.problems.append(Problem(message, span, "error", expected, found if expected else "", hint, self.line))


def _split(text: str, start: int, separator: str) -> list[tuple[str, int]]:
    """The parts of a text between separators outside square brackets, each with its offset from `start` on."""
    parts, begin, depth = [], 0, 0
    for index, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == separator and depth <= 0:
            parts.append((text[begin:index], start + begin))
            begin = index + 1
    return [*parts, (text[begin:], start + begin)]
