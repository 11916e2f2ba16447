"""A lexicon out of the cache, which makes an entry when it is used, and questions about any lexicon.

An English lexicon has thousands of forms, of which a sentence uses a few; a start of the program should not make them
all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

from numbat.grammar.features import Demand
from numbat.grammar.model import Entry, Reading


class LazyLexicon(Sequence[Entry]):
    """A sequence of entries in the order of the file, equal to a tuple of them; each is made when it is used.

    `readings` are the readings of each form as text, one a line and each of three columns: the number of the reading
    without weight and lemma in `bare_readings`, the weight, and the lemma in JSON, so that no sign in it is taken for
    the end of a column.
    """

    def __init__(self, readings: Mapping[str, str], bare_readings: Sequence[Reading]) -> None:
        self._readings, self._bare_readings = readings, bare_readings
        self.forms = tuple(readings)

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
        fields = (line.split("\t") for line in self._readings[form].split("\n"))
        return Entry(form, tuple(self._reading(int(i), float(weight), lemma) for i, weight, lemma in fields))

    def _reading(self, number: int, weight: float, lemma: str) -> Reading:
        return replace(self._bare_readings[number], weight=weight, lemma=json.loads(lemma) if lemma else "")

    def first_of_each(self) -> dict[str, str]:
        """The first form without blanks of each category."""
        seen: set[str] = set()
        found: dict[str, str] = {}
        for form, readings in self._readings.items():
            numbers = {line.partition("\t")[0] for line in readings.split("\n")} - seen
            if numbers and " " not in form:
                seen |= numbers
                for number in sorted(map(int, numbers)):
                    found.setdefault(self._bare_readings[number].category, form)
        return found

    def of_lemma(self, lemma: str) -> list[str]:
        """The forms that have a reading of a lemma."""
        end = "\t" + _encoded_lemma(lemma)
        return [form for form, lines in self._readings.items() if end in lines and end + "\n" in lines + "\n"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<LazyLexicon of {len(self)} forms>"


def encoded_readings(lexicon: Iterable[Entry]) -> tuple[dict[str, str], list[Reading]]:
    """The two arguments from which a `LazyLexicon` equal to this lexicon is made."""
    if isinstance(lexicon, LazyLexicon):
        return dict(lexicon._readings), list(lexicon._bare_readings)
    numbers: dict[tuple[str, Demand], int] = {}
    readings = {}
    for entry in lexicon:
        fields = []
        for reading in entry.readings:
            number = numbers.setdefault((reading.category, reading.features), len(numbers))
            fields.append(f"{number}\t{reading.weight!r}\t{_encoded_lemma(reading.lemma)}")
        readings[entry.form] = "\n".join(fields)
    return readings, [Reading(category, features) for category, features in numbers]


def _encoded_lemma(lemma: str) -> str:
    return json.dumps(lemma, ensure_ascii=False) if lemma else ""


def forms_of(lexicon: Sequence[Entry]) -> Sequence[str]:
    """The forms of a lexicon, without making its entries."""
    return lexicon.forms if isinstance(lexicon, LazyLexicon) else [entry.form for entry in lexicon]


def forms_of_lemma(lexicon: Sequence[Entry], lemma: str) -> Sequence[str]:
    """The forms of a lemma in the order of the file."""
    if isinstance(lexicon, LazyLexicon):
        return lexicon.of_lemma(lemma)
    return [entry.form for entry in lexicon if any(reading.lemma == lemma for reading in entry.readings)]


def first_of_each(lexicon: Sequence[Entry]) -> dict[str, str]:
    """The first form without blanks of each category."""
    if isinstance(lexicon, LazyLexicon):
        return lexicon.first_of_each()
    found: dict[str, str] = {}
    for entry in lexicon:
        if " " not in entry.form:
            for reading in entry.readings:
                found.setdefault(reading.category, entry.form)
    return found
