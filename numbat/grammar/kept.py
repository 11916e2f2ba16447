"""A lexicon that was kept: its entries are made when they are asked for, so that a start does not make them all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

from numbat.grammar.model import Entry


class KeptLexicon(Sequence[Entry]):
    """Entries in the order of the file, equal to a tuple of them; `readings` are JSON, `decode` makes records of it."""

    def __init__(self, readings: Mapping[str, str], decode: Callable[[Any], Any]) -> None:
        self._readings = readings
        self._decode = decode
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
        return Entry(form, self._decode(json.loads(self._readings[form])))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<KeptLexicon of {len(self)} forms>"


def forms_of(lexicon: Sequence[Entry]) -> Sequence[str]:
    """The forms of a lexicon, without making its entries."""
    return lexicon.forms if isinstance(lexicon, KeptLexicon) else [entry.form for entry in lexicon]
