"""The columns of a table of sentences: what each may be called, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Final

from numbat.errors import DataError, UsageError, close_match, shortened
from numbat.records import frozen

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
    "participant": (
        "participant",
        "participant id",
        "subject",
        "worker",
        "workerid",
        "worker id",
        "rater",
        "informant",
    ),
    "good": ("good", "sentence_good", "good sentence", "grammatical"),
    "bad": ("bad", "sentence_bad", "bad sentence", "ungrammatical"),
}
"""What a column may be called, in any case of letters, with _ or blanks; the first name that a file has counts."""

SENTENCES: Final = frozenset({"sentence", "good", "bad"})
"""The columns that hold sentences."""

NOTHING_RENAMED: Final[Mapping[str, str]] = MappingProxyType({})

FIRST_LINE: Final = "the first line names the columns: sentence, and judgement or rating, or good and bad"
"""What to do about a table that does not name its columns."""
OTHER_NAMES: Final = (
    "--columns sentence=Satz,rating=Note says what columns are called here, --columns rating,sentence names those of a "
    "file that does not, --columns sentence those of a plain list"
)
"""What to do about a table whose columns have other names, or none."""


@frozen
class Layout:
    """How a table of sentences is laid out, where it does not say so itself.

    `names` are those of its columns where its first line does not have them, `renamed` what columns are called in the
    file, by field. `adjacent`: the lines come in pairs. `hash_lines`: a line that begins with `#` is no comment.
    `separator` stands between cells; empty where the first line shows it.
    """

    names: tuple[str, ...] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    adjacent: bool = False
    hash_lines: bool = False
    separator: str = ""


def layout_of(columns: str | None, adjacent: bool = False, hash_lines: bool = False) -> Layout:
    """The layout by names of columns, `judgement,sentence`, or by what they are called, `sentence=Satz,rating=Note`.

    Raises UsageError.
    """
    if not columns:
        return Layout(None, adjacent=adjacent, hash_lines=hash_lines)
    parts = columns.split(",")
    if not any("=" in part for part in parts):
        return Layout(tuple(parts), adjacent=adjacent, hash_lines=hash_lines)
    renamed = {}
    for part in parts:
        field, is_renamed, name = (text.strip() for text in part.partition("="))
        if not is_renamed or not name:
            raise UsageError(
                f'"{part.strip()}" does not say what a column is called\n  write --columns {field or "sentence"}=NAME'
            )
        if field not in COLUMNS:
            hint = close_match(field, COLUMNS) or f"the columns of a suite are: {', '.join(COLUMNS)}"
            raise UsageError(f'"{field}" is no column of a suite\n  {hint}')
        renamed[field] = name
    return Layout(None, renamed, adjacent, hash_lines)


def fields_of(names: Sequence[str], renamed: Mapping[str, str] = NOTHING_RENAMED) -> dict[str, int]:
    """Where each field of `COLUMNS` stands among the names of columns or keys; of equal names the first counts."""
    lower = [*map(_lowered, names)]
    called = {field: _lowered(name) for field, name in renamed.items() if _lowered(name) in lower}
    found = {
        field: next((n for n in map(_lowered, aliases) if n in lower and n not in called.values()), None)
        for field, aliases in COLUMNS.items()
    }
    return {field: lower.index(name) for field, name in {**found, **called}.items() if name is not None}


def _lowered(name: str) -> str:
    return " ".join(name.lower().lstrip("\ufeff").replace("_", " ").split())


def columns_of(
    names: Sequence[str], path: str, line: int, renamed: Mapping[str, str] = NOTHING_RENAMED
) -> dict[str, int]:
    """Where each field stands. Raises DataError where there are no sentences, or a column stands twice or nowhere."""
    lower = [*map(_lowered, names)]
    where = f"{path}:{line}" if line else path
    check_renamed(names, renamed, where)
    found = fields_of(names, renamed)
    for name in (lower[place] for place in found.values()):
        if lower.count(name) > 1:
            raise DataError(f'{where}: the column "{name}" stands twice\n  give each column a name of its own')
    if "sentence" not in found and not {"good", "bad"} <= set(found):
        known = [*COLUMNS["sentence"], *COLUMNS["good"], *COLUMNS["bad"]]
        unread = [name for place, name in enumerate(lower) if place not in found.values()]
        near = next(filter(None, (close_match(name, known) for name in unread)), "")
        hint = f"{near} " if near else f"{FIRST_LINE}; "
        raise DataError(f"{where}: no column of sentences among {_listed(names)}\n  {hint}{OTHER_NAMES}")
    return found


def check_renamed(names: Sequence[str], renamed: Mapping[str, str], where: str) -> None:
    """Raises DataError where the file does not have a name that a column is said to have."""
    lower = [*map(_lowered, names)]
    for name in renamed.values():
        if _lowered(name) not in lower:
            hint = close_match(name, names) or "--columns has the names that the file has"
            raise DataError(f'{where}: no column "{name}" among {_listed(names)}\n  {hint}')


def _listed(names: Sequence[str]) -> str:
    return shortened(", ".join(map(repr, names))) or "none"
