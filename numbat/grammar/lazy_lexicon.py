"""A lexicon that was kept: its entries are made when they are asked for, so that a start does not make them all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

from numbat.grammar.model import Entry, Reading


class KeptLexicon(Sequence[Entry]):
    """Entries in the order of the file, equal to a tuple of them.

    `lines` are the readings of each form, one a line: the number of its `bare` reading, which has neither weight nor
    lemma, then these two, the lemma in JSON, so that no sign of it divides anything.
    """

    def __init__(self, lines: Mapping[str, str], bare: Sequence[Reading]) -> None:
        self._lines, self._bare = lines, bare
        self.forms = tuple(lines)

    def __len__(self) -> int:
        return len(self.forms)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(index, slice):
            return tuple(map(self._entry, self.forms[index]))
        return self._entry(self.forms[index])

    def __iter__(self) -> Iterator[Entry]:
        return map(self._entry, self.forms)

    def _entry(self, form: str) -> Entry:
        fields = (line.split("\t") for line in self._lines[form].split("\n"))
        return Entry(form, tuple(self._reading(int(i), float(weight), lemma) for i, weight, lemma in fields))

    def _reading(self, number: int, weight: float, lemma: str) -> Reading:
        return replace(self._bare[number], weight=weight, lemma=json.loads(lemma) if lemma else "")

    def first_of_each(self) -> dict[str, str]:
        """The first form without blanks of each category."""
        seen: set[str] = set()
        found: dict[str, str] = {}
        for form, lines in self._lines.items():
            numbers = {line.partition("\t")[0] for line in lines.split("\n")} - seen
            if numbers and " " not in form:
                seen |= numbers
                for number in sorted(map(int, numbers)):
                    found.setdefault(self._bare[number].category, form)
        return found

    def of_lemma(self, lemma: str) -> list[str]:
        """The forms that have a reading of a lemma."""
        end = "\t" + _kept_lemma(lemma)
        return [form for form, lines in self._lines.items() if end in lines and end + "\n" in lines + "\n"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<KeptLexicon of {len(self)} forms>"


def lines_of(lexicon: Iterable[Entry]) -> tuple[dict[str, str], list[Reading]]:
    """What a `KeptLexicon` is made of."""
    numbers: dict[Reading, int] = {}
    lines = {}
    for entry in lexicon:
        fields = []
        for reading in entry.readings:
            number = numbers.setdefault(replace(reading, weight=1.0, lemma=""), len(numbers))
            fields.append(f"{number}\t{reading.weight!r}\t{_kept_lemma(reading.lemma)}")
        lines[entry.form] = "\n".join(fields)
    return lines, list(numbers)


def _kept_lemma(lemma: str) -> str:
    return json.dumps(lemma, ensure_ascii=False) if lemma else ""


def forms_of(lexicon: Sequence[Entry]) -> Sequence[str]:
    """The forms of a lexicon, without making its entries."""
    return lexicon.forms if isinstance(lexicon, KeptLexicon) else [entry.form for entry in lexicon]


def forms_of_lemma(lexicon: Sequence[Entry], lemma: str) -> Sequence[str]:
    """The forms of a lemma in the order of the file."""
    if isinstance(lexicon, KeptLexicon):
        return lexicon.of_lemma(lemma)
    return [entry.form for entry in lexicon if any(reading.lemma == lemma for reading in entry.readings)]


def first_of_each(lexicon: Sequence[Entry]) -> dict[str, str]:
    """The first form without blanks of each category."""
    if isinstance(lexicon, KeptLexicon):
        return lexicon.first_of_each()
    found: dict[str, str] = {}
    for entry in lexicon:
        if " " not in entry.form:
            for reading in entry.readings:
                found.setdefault(reading.category, entry.form)
    return found
