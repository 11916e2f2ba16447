"""The columns of a table of sentences: what each may be called, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from numbat.errors import DataError
from numbat.source import close_match, shortened

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "id": ("id", "sentence id", "pairid"),
    "item": ("item", "item id", "item number"),
    "sentence": ("sentence", "text", "phrase", "string"),
    "judgement": ("judgement", "judgment", "label", "acceptable", "mark"),
    "rating": ("rating", "mean_rating", "average", "mean", "z", "zscore", "score", "mean_z"),
    "phenomenon": ("phenomenon", "construction", "category", "type", "uid", "subcat", "condition"),
    "relation": ("relation", "violates"),
    "pair": ("pair", "pair_id"),
    "group": ("group", "source", "original"),
    "good": ("good", "sentence_good", "good sentence", "grammatical"),
    "bad": ("bad", "sentence_bad", "bad sentence", "ungrammatical"),
}
"""What a column may be called, in any case of letters, with _ or blanks; the first name that a file has counts."""

SENTENCES: Final = frozenset({"sentence", "good", "bad"})
"""The columns that hold sentences."""

FIRST_LINE: Final = "the first line names the columns: sentence, and judgement or rating, or good and bad"
"""What to do about a table that does not name its columns."""


def fields_of(names: Sequence[str]) -> dict[str, int]:
    """Where each field of `COLUMNS` stands among the names of columns or keys; of equal names the first counts."""
    lower = [*map(_lowered, names)]
    found = {
        field: next(filter(lower.__contains__, map(_lowered, aliases)), None) for field, aliases in COLUMNS.items()
    }
    return {field: lower.index(name) for field, name in found.items() if name is not None}


def _lowered(name: str) -> str:
    return name.strip().lower().lstrip("\ufeff").replace("_", " ")


def columns_of(names: Sequence[str], path: str, line: int) -> dict[str, int]:
    """Where each field stands. Raises DataError where there are no sentences, or a column stands twice."""
    lower = [*map(_lowered, names)]
    where = f"{path}:{line}" if line else path
    found = fields_of(names)
    for name in (lower[place] for place in found.values()):
        if lower.count(name) > 1:
            raise DataError(f'{where}: the column "{name}" stands twice\n  give each column a name of its own')
    if "sentence" not in found and not {"good", "bad"} <= set(found):
        known = [*COLUMNS["sentence"], *COLUMNS["good"], *COLUMNS["bad"]]
        unread = [name for place, name in enumerate(lower) if place not in found.values()]
        near = next(filter(None, (close_match(name, known) for name in unread)), "")
        hint = f"{near} " if near else f"{FIRST_LINE}; "
        raise DataError(
            f"{where}: no column of sentences among {shortened(', '.join(map(repr, names))) or 'none'}\n"
            f"  {hint}--columns names the columns of a file that does not, --columns sentence those of a plain list"
        )
    return found
