"""Reader of lexicon files with TAB-separated columns: entries, and lemmas inflected by paradigms.

A line is one of three: an entry (form, category, features, weight); a row of a paradigm, which begins with `%` (name,
slot, category, features, ending, condition); a lemma (lemma, paradigm, features, weight, irregular forms).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final

from numbat.errors import Problem, Span, close_match, counted
from numbat.files import unguarded
from numbat.grammar.statements import DemandSyntax, EntryStatement, OperandSyntax, PlacedText, ReadingSyntax
from numbat.records import frozen

# Inflection by paradigms

ENDING: Final = re.compile(r"(?:-(?P<off>[^+\s]+))?\+(?P<on>\S*)")
NONE: Final = "-"
"""The mark of a slot for which a lemma has no form: `pl=-`."""

Demands = tuple[DemandSyntax, ...]


@frozen
class ParadigmRow:
    """Rule for one form: `-y+ies` replaces the ending `off` of a lemma that matches `condition` by `on`."""

    slot: str
    category: PlacedText
    demands: Demands
    off: str
    on: str
    condition: str

    def form(self, lemma: str) -> str | None:
        """Return the form of a lemma, None if the row does not fit it."""
        if not lemma.endswith(self.off) or not fnmatchcase(lemma, self.condition):
            return None
        return lemma.removesuffix(self.off) + self.on


@frozen
class Lemma:
    """Lemma of a lexicon file; `irregular` has the forms by slot that its paradigm does not give."""

    form: PlacedText
    paradigm: PlacedText
    demands: Demands = ()
    weight: PlacedText | None = None
    irregular: tuple[tuple[PlacedText, tuple[str, ...]], ...] = ()


def inflect(lemma: Lemma, paradigms: Mapping[str, Sequence[ParadigmRow]]) -> Iterator[EntryStatement | Problem]:
    """Return an entry for each form of a lemma, with problems for slots without fitting row and for unknown slots."""
    rows = paradigms.get(lemma.paradigm)
    if rows is None:
        hint = close_match(lemma.paradigm, paradigms) or f"the paradigms are: {', '.join(paradigms) or 'none'}"
        yield Problem(f'"{lemma.paradigm}" is not a paradigm of this file', lemma.paradigm.span, hint=hint)
        return
    slots = dict.fromkeys(row.slot for row in rows)
    irregular: dict[str, tuple[str, ...]] = {}
    for word, forms in lemma.irregular:
        if word not in slots:
            hint = close_match(word, slots) or f"its slots are: {', '.join(slots)}"
            yield Problem(f'"{word}" is not a slot of the paradigm {lemma.paradigm}', word.span, hint=hint)
        irregular[word] = forms
    for slot in slots:
        regular = next(((row, form) for row in rows if row.slot == slot and (form := row.form(lemma.form))), None)
        if slot in irregular:
            row = regular[0] if regular else next(row for row in rows if row.slot == slot)
            forms = irregular[slot]
        elif regular:
            row, forms = regular[0], (regular[1],)
        else:
            hint = f"add a row, or write the form as {slot}=..., or {slot}={NONE} where there is none"
            yield Problem(f'no row of {lemma.paradigm} gives the {slot} of "{lemma.form}"', lemma.form.span, hint=hint)
            continue
        operand = OperandSyntax(row.category, _together(row.demands, lemma.demands))
        for form in forms:
            reading = ReadingSyntax(operand, lemma.weight, lemma.form)
            yield EntryStatement(PlacedText(form, lemma.form.span), (reading,))


def _together(row: Demands, lemma: Demands) -> Demands:
    """Merge the demands of a row and of a lemma; the lemma's win."""
    named = {demand.feature for demand in lemma if demand.feature is not None}
    return (*(demand for demand in row if demand.feature not in named), *lemma)


MARK: Final = "%"


@frozen
class LineShape:
    """Columns of one kind of line: those in `filled` are never empty, those after them are optional."""

    what: str
    filled: tuple[int, ...]
    most: int
    hint: str

    @property
    def fewest(self) -> int:
        """Minimum number of columns."""
        return self.filled[-1] + 1


ENTRY: Final = LineShape(
    "entry",
    (0, 1),
    4,
    "a line is: form TAB category TAB features (number=sg person=3) TAB weight; the last two may be left out",
)
ROW: Final = LineShape(
    "row of a paradigm",
    (0, 1, 2, 4),
    6,
    "a row is: %paradigm TAB slot TAB category TAB features TAB ending (+s, -y+ies) TAB pattern of the lemma",
)
LEMMA: Final = LineShape(
    "lemma",
    (0, 1),
    5,
    "a line is: lemma TAB %paradigm TAB features TAB weight TAB slot=form ...; the last three may be left out",
)


SEPARATORS: Final = {";": "semicolons", ",": "commas", " ": "blanks"}
"""The names of signs that separate columns elsewhere."""


def read(text: str, path: str) -> tuple[list[EntryStatement], list[Problem]]:
    """Return the entries of a lexicon file and all its mistakes; lines with `#` and empty lines are skipped."""
    reader = _LexiconReader()
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            reader.line(line, _columns(line, path, number))
    return reader.inflected(), reader.problems


@dataclass
class _LexiconReader:
    """State of reading: entries, paradigms and lemmas so far; lemmas are inflected when all rows are known."""

    parts: list[EntryStatement | Lemma] = field(default_factory=list)
    paradigms: dict[str, list[ParadigmRow]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, line: str, words: list[PlacedText]) -> None:
        """Read a line, whose columns are `words`."""
        if words[0].startswith(MARK):
            read, shape = self.row, ROW
        elif len(words) > 1 and words[1].startswith(MARK):
            read, shape = self.lemma, LEMMA
        else:
            read, shape = self.entry, ENTRY
        misplaced = _misplaced(words, shape)
        if misplaced is not None:
            self.problems.append(misplaced)
        elif shape.fewest <= len(words) <= shape.most and all(words[i] for i in shape.filled):
            read(words + [PlacedText("", words[-1].span)] * (shape.most - len(words)))
        else:
            self.problems.append(_wrong_columns(line, words, shape))

    def entry(self, words: list[PlacedText]) -> None:
        form, category, features, weight = words
        reading = ReadingSyntax(OperandSyntax(category, self.demands(features)), weight or None)
        self.parts.append(EntryStatement(form, (reading,)))

    def row(self, words: list[PlacedText]) -> None:
        name, slot, category, features, ending, condition = words
        match = ENDING.fullmatch(ending)
        if match is None:
            message = f'"{ending}" is not an ending'
            hint = "write + for the lemma itself, +s to append, -y+ies to take away and append"
            self.problems.append(Problem(message, ending.span, hint=hint))
            return
        row = ParadigmRow(slot, category, self.demands(features), match["off"] or "", match["on"], condition or "*")
        self.paradigms.setdefault(name, []).append(row)

    def lemma(self, words: list[PlacedText]) -> None:
        form, paradigm, features, weight, irregular = words
        forms = tuple(self.irregular(irregular))
        self.parts.append(Lemma(form, paradigm, self.demands(features), weight or None, forms))

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
        """Return the entries in the order of the file, those of a lemma at its position."""
        entries: list[EntryStatement] = []
        for part in self.parts:
            for made in (part,) if isinstance(part, EntryStatement) else inflect(part, self.paradigms):
                if isinstance(made, Problem):
                    self.problems.append(made)
                else:
                    entries.append(made)
        return entries


def _misplaced(words: list[PlacedText], shape: LineShape) -> Problem | None:
    """Return the problem of a line with a missing or extra TAB, judged by its fourth column."""
    word = words[3] if len(words) > 3 else PlacedText("", words[-1].span)
    is_misplaced = ENDING.fullmatch(word) if shape is ROW else "=" in word
    if not is_misplaced:
        return None
    what, where = ("an ending", "features") if shape is ROW else ("no number", "weight")
    hint = f"count the TABs: an empty column has one, too; {shape.hint}"
    return Problem(f'"{word}" is {what}, and stands in the column of the {where}', word.span, hint=hint)


def _wrong_columns(line: str, words: list[PlacedText], shape: LineShape) -> Problem:
    empty = next((words[i] for i in shape.filled if i < len(words) and not words[i]), None)
    if empty is not None:
        return Problem("an empty column", empty.span, hint=shape.hint)
    span = replace(words[0].span, column=1, end_column=len(line) + 1)
    other = next((name for sign, name in SEPARATORS.items() if len(words) == 1 and sign in line.strip()), "")
    hint = f"{shape.hint}; {other} do not separate" if other else shape.hint
    expected = f"{shape.fewest} to {shape.most} columns"
    return Problem(f"this is no {shape.what}", span, expected=expected, found=counted(len(words), "column"), hint=hint)


def _pieces(column: PlacedText) -> Iterator[PlacedText]:
    """Split a column at blanks and commas, keeping positions."""
    for match in re.finditer(r"[^\s,]+", column):
        start = column.span.column + match.start()
        yield PlacedText(match[0], replace(column.span, column=start, end_column=start + len(match[0])))


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
            name = PlacedText(feature, replace(span, end_column=span.column + len(feature)))
            start = span.column + len(feature) + 1
            demands.append(DemandSyntax(name, _values(values, replace(span, column=start))))
    return tuple(demands), problems


def _values(text: str, span: Span) -> tuple[PlacedText, ...]:
    """Split `a|b`, a text that begins at `span`, into alternatives with positions."""
    words, column = [], span.column
    for value in text.split("|"):
        words.append(PlacedText(value, replace(span, column=column, end_column=column + len(value))))
        column += len(value) + 1
    return tuple(words)
