"""Reader of lexicon files with TAB-separated columns: entries, and lemmas inflected by paradigms.

There are four kinds of lines. An entry has the columns form, category, features, weight, lemma. A row of a paradigm
begins with `%`: paradigm, slot, category, features, steps, condition. A line of two paradigms says that the first takes
slots from the second. A lemma has the columns lemma, paradigm, features, weight, irregular forms. The category of an
entry may be a template of the grammar; templates may follow the paradigm of a lemma: `%verb + transitive(acc),
intransitive`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from numbat.errors import Problem, Span, counted
from numbat.files import nul_in, unguarded
from numbat.grammar.inflection import (
    MAX_INFLECTED,
    NONE,
    Lemma,
    Paradigm,
    ParadigmRow,
    Paradigms,
    inflect,
    is_change,
    most_forms,
    steps_of,
)
from numbat.grammar.statements import DemandSyntax, EntryStatement, OperandSyntax, PlacedText, ReadingSyntax
from numbat.grammar.unimorph import check_lexicon
from numbat.records import frozen

MARK: Final = "%"


@frozen
class LineShape:
    """Columns of one kind of line: those in `filled` must not be empty; those after the last of these are optional."""

    what: str
    filled: tuple[int, ...]
    most: int
    hint: str

    @property
    def fewest(self) -> int:
        """Minimum number of columns."""
        return self.filled[-1] + 1


ENTRY: Final = LineShape(
    "an entry",
    (0, 1),
    5,
    "a line is: form TAB category TAB features (number=sg person=3) TAB weight TAB lemma; the last three may be left "
    "out",
)
ROW: Final = LineShape(
    "a row of a paradigm",
    (0, 1, 2, 4),
    6,
    "a row is: %paradigm TAB slot TAB category TAB features TAB steps (+s, -y+ies, a>ä) TAB pattern of the lemma",
)
BASE: Final = LineShape(
    "a paradigm like another one", (0, 1), 2, "a line is: %paradigm TAB %paradigm from which it takes slots"
)
LEMMA: Final = LineShape(
    "a lemma",
    (0, 1),
    5,
    "a line is: lemma TAB %paradigm TAB features TAB weight TAB slot=form ...; the last three may be left out",
)


SEPARATORS: Final = {";": "semicolons", ",": "commas", " ": "spaces"}
"""Names of characters that separate columns in other formats."""


def read(text: str, path: str) -> tuple[list[EntryStatement], list[Problem]]:
    """Return the entries of a lexicon file and all its mistakes; empty lines and lines with `#` are skipped."""
    reader = _LexiconReader(len(text))
    lines = text.split("\n")
    if (other := check_lexicon(lines, path)) is not None:
        return [], [other]
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            reader.problems.append(nul_in(line, path, number))
        elif line.strip() and not line.startswith("#"):
            reader.line(line, _columns(line, path, number))
    return reader.inflected(), reader.problems


def read_lemmas(text: str, path: str) -> tuple[Paradigms, list[Lemma]]:
    """Return the paradigms of a lexicon file and its lemmas, not yet inflected; lines with mistakes are skipped."""
    reader = _LexiconReader(len(text))
    for number, line in enumerate(text.split("\n"), start=1):
        if MARK in line and not line.startswith("#"):
            reader.line(line, _columns(line, path, number))
    for _ in reader.paradigms.check_bases():
        pass
    return reader.paradigms, [part for part in reader.parts if isinstance(part, Lemma)]


@dataclass
class _LexiconReader:
    """State of reading a file of `characters` characters: its `parts` so far. Lemmas are inflected at the end."""

    characters: int
    parts: list[EntryStatement | Lemma] = field(default_factory=list)
    paradigms: Paradigms = field(default_factory=Paradigms)
    problems: list[Problem] = field(default_factory=list)

    def line(self, line: str, words: list[PlacedText]) -> None:
        """Read a line; `words` are its columns."""
        if words[0].startswith(MARK):
            is_base = len(words) > 1 and words[1].startswith(MARK)
            read, shape = (self.base, BASE) if is_base else (self.row, ROW)
        elif len(words) > 1 and words[1].startswith(MARK):
            read, shape = self.lemma, LEMMA
        else:
            read, shape = self.entry, ENTRY
        while len(words) > shape.most and not words[-1]:  # a spreadsheet fills rows up with empty cells
            words.pop()
        misplaced = _misplaced(words, shape)
        if misplaced is not None:
            self.problems.append(misplaced)
        elif shape.fewest <= len(words) <= shape.most and all(words[i] for i in shape.filled):
            read(words + [PlacedText("", words[-1].span)] * (shape.most - len(words)))
        else:
            self.problems.append(_wrong_columns(line, words, shape))

    def entry(self, words: list[PlacedText]) -> None:
        form, category, features, weight, lemma = words
        reading = ReadingSyntax(OperandSyntax(category, self.demands(features)), weight or None, lemma or None)
        self.parts.append(EntryStatement(form, (reading,)))

    def row(self, words: list[PlacedText]) -> None:
        name, slot, category, features, change, condition = words
        steps = steps_of(change)
        if isinstance(steps, Problem):
            self.problems.append(steps)
            return
        row = ParadigmRow(name, slot, OperandSyntax(category, self.demands(features)), change, steps, condition or "*")
        self._tell(self.paradigms.add(row))

    def base(self, words: list[PlacedText]) -> None:
        name, base = words
        self._tell(self.paradigms.add_base(name, base))

    def lemma(self, words: list[PlacedText]) -> None:
        form, column, features, weight, irregular = words
        paradigm, templates = _joined(column)
        forms = tuple(self.irregular(irregular))
        self.parts.append(Lemma(form, paradigm, self.demands(features), weight or None, forms, templates))

    def irregular(self, column: PlacedText) -> Iterator[tuple[PlacedText, tuple[str, ...]]]:
        for piece in _pieces(column):
            slot, _, forms = piece.partition("=")
            if slot and forms and all(forms.split("|")):
                several = tuple(form.replace("_", " ") for form in forms.split("|"))
                yield PlacedText(slot, piece.span), () if forms == NONE else several
            else:
                self.problems.append(Problem(f'"{piece}" is not a slot with its form', piece.span, hint=LEMMA.hint))

    def demands(self, column: PlacedText) -> tuple[DemandSyntax, ...]:
        demands, problems = _demands(column)
        self.problems += problems
        return demands

    def inflected(self) -> list[EntryStatement]:
        """Return the entries in the order of the file, the forms of a lemma at its position."""
        self.problems += self.paradigms.check_bases()
        entries: list[EntryStatement] = []
        pairs: list[tuple[EntryStatement | Lemma, Paradigm | Problem | None]] = [
            (part, self.paradigms.of(part) if isinstance(part, Lemma) else None) for part in self.parts
        ]
        number, most = 0, most_forms(self.characters)
        for part, paradigm in pairs:  # before any form is made
            number += paradigm.number if isinstance(paradigm, Paradigm) else 0
            if number > most:
                self.problems.append(too_many_forms(part.form.span, number, most))
                return []
        for part, paradigm in pairs:
            if isinstance(paradigm, Problem):
                self.problems.append(paradigm)
            elif isinstance(part, EntryStatement):
                entries.append(part)
            else:
                assert paradigm is not None, "a lemma has one"
                for made in inflect(part, paradigm):
                    if isinstance(made, Problem):
                        self.problems.append(made)
                    else:
                        entries.append(made)
        return entries

    def _tell(self, problem: Problem | None) -> None:
        if problem is not None:
            self.problems.append(problem)


def too_many_forms(span: Span, number: int, most: int) -> Problem:
    """Return the problem that paradigms make more than `most` forms, placed at a lemma or at the name of a file."""
    message = f"paradigms make {number:,} forms here; lexicon files of this length may have {most:,}"
    if most == MAX_INFLECTED:
        message = f"paradigms make {number:,} forms here; a grammar may have {most:,}"
    return Problem(message, span, hint="leave out slots and words that you do not need")


def _misplaced(words: list[PlacedText], shape: LineShape) -> Problem | None:
    """Return the problem of a missing or extra TAB, recognized by text that does not belong in the fourth column."""
    if len(words) < 4 or shape is BASE:
        return None
    word = words[3]
    is_misplaced = is_change(word) and not (len(words) > 4 and is_change(words[4])) if shape is ROW else "=" in word
    if not is_misplaced:
        return None
    what, where = ("a step", "features") if shape is ROW else ("not a number", "the weight")
    hint = f"count the TABs: an empty column needs one too; {shape.hint}"
    return Problem(f'"{word}" is {what}, but is in the column for {where}', word.span, hint=hint)


def _wrong_columns(line: str, words: list[PlacedText], shape: LineShape) -> Problem:
    empty = next((words[i] for i in shape.filled if i < len(words) and not words[i]), None)
    if empty is not None:
        return Problem("this column must not be empty", empty.span, hint=shape.hint)
    span = replace(words[0].span, column=1, end_column=len(line) + 1)
    other = next((name for sign, name in SEPARATORS.items() if len(words) == 1 and sign in line.strip()), "")
    hint = f"{shape.hint}; {other} do not separate columns" if other else shape.hint
    expected = f"{shape.fewest} to {shape.most} columns"
    return Problem(f"this is not {shape.what}", span, expected=expected, found=counted(len(words), "column"), hint=hint)


_JOINT: Final = re.compile(r"(.*?)\s+\+\s+(.*)")


def _joined(column: PlacedText) -> tuple[PlacedText, PlacedText | None]:
    """Return the paradigm of a lemma and the templates after it: `%verb + transitive(acc), intransitive`."""
    match = _JOINT.fullmatch(column) if "+" in column else None
    if match is None:
        return column, None
    paradigm, templates = (_placed(match[i], column.span, column.span.column + match.start(i)) for i in (1, 2))
    return paradigm, templates


def _pieces(column: PlacedText) -> Iterator[PlacedText]:
    """Split a column at spaces and commas, keeping positions."""
    for match in re.finditer(r"[^\s,]+", column):
        yield _placed(match[0], column.span, column.span.column + match.start())


def _placed(text: str, line: Span, column: int) -> PlacedText:
    """Return a piece of a line that begins in a column."""
    return PlacedText(text, Span(line.path, line.line, column, column + len(text)))


def _columns(line: str, path: str, number: int) -> list[PlacedText]:
    words, column = [], 1
    for piece in line.split("\t"):
        written = piece.strip()
        bare = unguarded(written)
        start = column + len(piece) - len(piece.lstrip()) + len(written) - len(bare)
        words.append(PlacedText(bare, Span(path, number, start, start + max(1, len(bare)))))
        column += len(piece) + 1
    return words


def _demands(column: PlacedText) -> tuple[tuple[DemandSyntax, ...], list[Problem]]:
    demands, problems = [], []
    for piece in _pieces(column):
        span = piece.span
        feature, equals, values = piece.partition("=")
        if not equals:
            demands.append(DemandSyntax(None, (piece,)))
        elif not feature or not all(values.split("|")):
            problems.append(Problem(f'"{piece}" is not a feature with its value', span, hint=ENTRY.hint))
        else:
            name = _placed(feature, span, span.column)
            demands.append(DemandSyntax(name, _values(values, span, span.column + len(feature) + 1)))
    return tuple(demands), problems


def _values(text: str, line: Span, column: int) -> tuple[PlacedText, ...]:
    """Split `a|b`, which begins in a column, into alternatives with positions."""
    words = []
    for value in text.split("|"):
        words.append(_placed(value, line, column))
        column += len(value) + 1
    return tuple(words)
