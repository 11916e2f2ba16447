"""Lexicon files: one reading a line, TAB separated: form, category, features, weight."""

from __future__ import annotations

from dataclasses import replace

from numbat.grammar import written as w
from numbat.source import Problem, Span

HINT = "a line is: form TAB category TAB features (number=sg person=3) TAB weight; the last two may be left out"


def read(text: str, path: str) -> tuple[list[w.WrittenEntry], list[Problem]]:
    """The entries of a lexicon file and all its mistakes. Lines that start with `#` and empty lines do not count."""
    entries: list[w.WrittenEntry] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        words = _columns(line, path, number)
        if not 2 <= len(words) <= 4 or not words[0] or not words[1]:
            problems.append(_not_an_entry(line, words))
            continue
        demands, wrong = _demands(words[2]) if len(words) > 2 else ((), [])
        problems += wrong
        weight = words[3] if len(words) > 3 and words[3] else None
        reading = w.WrittenReading(w.WrittenOperand(words[1], demands), weight)
        entries.append(w.WrittenEntry(words[0], (reading,)))
    return entries, problems


def _not_an_entry(line: str, words: list[w.Word]) -> Problem:
    empty = next((word for word in words[:2] if not word), None)
    if empty is not None:
        return Problem("an empty column", empty.span, hint=HINT)
    span = replace(words[0].span, column=1, end_column=len(line) + 1)
    found = f"{len(words)} column{'s' * (len(words) != 1)}"
    hint = HINT + ("; blanks do not separate" if len(words) == 1 and " " in line.strip() else "")
    return Problem("this is no entry", span, expected="2 to 4 columns", found=found, hint=hint)


def _columns(line: str, path: str, number: int) -> list[w.Word]:
    words, column = [], 1
    for piece in line.split("\t"):
        bare = piece.strip()
        start = column + len(piece) - len(piece.lstrip())
        words.append(w.Word(bare, Span(path, number, start, start + max(1, len(bare)))))
        column += len(piece) + 1
    return words


def _demands(column: w.Word) -> tuple[tuple[w.WrittenDemand, ...], list[Problem]]:
    demands, problems, offset = [], [], 0
    for piece in column.replace(",", " ").split():
        offset = column.index(piece, offset)
        start = column.span.column + offset
        offset += len(piece)
        span = Span(column.span.path, column.span.line, start, start + len(piece))
        feature, equals, values = piece.partition("=")
        if not equals:
            demands.append(w.WrittenDemand(None, (w.Word(piece, span),)))
        elif not feature or not all(values.split("|")):
            problems.append(Problem(f'"{piece}" is not a feature with its value', span, hint=HINT))
        else:
            name = w.Word(feature, replace(span, end_column=start + len(feature)))
            demands.append(w.WrittenDemand(name, _values(values, replace(span, column=start + len(feature) + 1))))
    return tuple(demands), problems


def _values(text: str, span: Span) -> tuple[w.Word, ...]:
    """Alternatives `a|b`, which begin where `span` does, each with its place."""
    words, column = [], span.column
    for value in text.split("|"):
        words.append(w.Word(value, replace(span, column=column, end_column=column + len(value))))
        column += len(value) + 1
    return tuple(words)
