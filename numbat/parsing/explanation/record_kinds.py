"""Whether a record of a parse has values of the kinds that it is declared with, as what came from a file need not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from types import NoneType
from typing import Any, Final, get_type_hints

from numbat.parsing.analysis import Outcome
from numbat.parsing.parse_record import ConstituentRecord, ParseRecord

KINDS: Final[dict[object, tuple[type, ...]]] = {
    str: (str,),
    int: (int,),
    float: (int, float),
    str | None: (str, NoneType),
    float | None: (int, float, NoneType),
}
"""What may stand for the types of an outcome's fields; a truth value is no number."""


def check_kinds(record: ParseRecord) -> None:
    """Raises TypeError with the name of what is of another kind."""
    fits = {name: isinstance(getattr(record, name), str) for name in ("grammar", "digest", "text")}
    kinds = get_type_hints(Outcome)
    fits |= {name: type(value) in KINDS[kinds[name]] for name, value in asdict(record.outcome).items()}
    fits["tokens"] = _are(str, record.tokens) and _are(str, record.skipped)
    fits["places"] = all(_are(int, place) for place in (record.gaps, *record.places, *record.skipped_places))
    fits["constituents"] = all(map(_fits, record.constituents))
    for name, is_so in fits.items():
        if not is_so:
            raise TypeError(f'"{name}" is of another kind')


def _fits(each: ConstituentRecord) -> bool:
    texts = (each.construction, each.form, *(part for feature in each.features for part in feature))
    numbers = [
        number for instance in (*each.satisfied, *each.violated) for number in (instance.property, *instance.daughters)
    ]
    return _are(str, texts) and _are(int, numbers) and isinstance(each.guessed, bool) and type(each.lexical_cost) is int


def _are(kind: type, values: Iterable[Any]) -> bool:
    return all(type(value) is kind for value in values)
