"""Dependency trees in other columns than CoNLL-U: MaltTab, CoNLL-X, CoNLL-2009, CoNLL-U Plus.

    Japanese    JJ  2  NMOD
    investment  NN  0  ROOT

Three columns are word, tag and head; a fourth is the label of the link. Ten are those of CoNLL-X (Buchholz and Marsi
2006): ID, FORM, LEMMA, CPOSTAG, POSTAG, FEATS, HEAD, DEPREL, PHEAD, PDEPREL; the last two are not kept. Columns are
separated by TABs, or by blanks in rows without TABs. A sentence may have several roots.

Fourteen columns and more are those of CoNLL-2009: ID, FORM, LEMMA, PLEMMA, POS, PPOS, FEAT, PFEAT, HEAD, PHEAD, DEPREL,
PDEPREL, FILLPRED, PRED and arguments; predicted ones and the roles are not kept. In CoNLL-U Plus, as in CUPT files
of PARSEME, the line `# global.columns = ID FORM ...` names the columns; those that CoNLL-U lacks go into MISC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from numbat.errors import Problem
from numbat.treebanks.conllu import COLUMNS, NONE, ConlluMistakeError, ConlluReader, DependencyTree, FeaturePairs
from numbat.treebanks.notes import Notes

WIDTHS: Final = (3, 4, 10)
PLACES: Final = {1: 0, 4: 1, 6: 2, 7: 3}
"""Columns of CoNLL-U, and their places in a row of 3 or 4 columns."""
FIRST_OF_2009: Final = 14
"""Columns of CoNLL-2009 before those of the arguments."""
PLACES_OF_2009: Final = {1: 1, 2: 2, 4: 4, 5: 6, 6: 8, 7: 10}
"""Columns of CoNLL-U, and their places in a row of CoNLL-2009."""
GLOBAL_COLUMNS: Final = re.compile(r"# *global\.columns *= *(.+)")


def read_malttab(lines: Iterable[str], path: str) -> Iterator[DependencyTree | Problem]:
    """Yield each sentence or, for a bad one, its first mistake, as `read_conllu` does."""
    return _MaltReader(path).read(lines)


def read_conllu_plus(lines: Iterable[str], path: str, notes: Notes | None = None) -> Iterator[DependencyTree | Problem]:
    """Yield each sentence of CoNLL-U Plus or, for a bad one, its first mistake."""
    return _PlusReader(path, notes).read(lines)


class _PlusReader(ConlluReader):
    """Reader of rows whose columns `# global.columns` names."""

    has_other_columns = True
    names: tuple[str, ...] = ()

    def finish(self) -> DependencyTree | Problem:
        for _, text in self.rows:
            match = GLOBAL_COLUMNS.match(text)
            if match:
                self.names = tuple(match[1].split())
        return super().finish()

    def columns_of(self, row: tuple[int, str], number: int) -> list[str]:
        cells = row[1].split("\t")
        if len(cells) != len(self.names):
            expected = f"{len(self.names)} columns, as global.columns says"
            raise ConlluMistakeError("a row with another number of columns", row, 0, expected, f"{len(cells)}")
        values = dict(zip(self.names, cells, strict=True))
        columns = [values.pop(name, str(number) if name == "ID" else NONE) for name in COLUMNS]
        more = [f"{name}={_escaped(value)}" for name, value in values.items() if value not in ("", NONE, "*")]
        columns[-1] = "|".join([*([] if columns[-1] == NONE else [columns[-1]]), *more]) or NONE
        return columns

    def place_of(self, column: int, columns: int) -> int:
        return self.names.index(COLUMNS[column]) if COLUMNS[column] in self.names else 0


class _MaltReader(ConlluReader):
    """Reader of rows with other columns than CoNLL-U; all rows of a file must have as many columns as the first."""

    has_other_columns = True
    width = 0

    def columns_of(self, row: tuple[int, str], number: int) -> list[str]:
        cells = row[1].strip().split("\t" if "\t" in row[1] else None)
        is_of_2009 = len(cells) >= FIRST_OF_2009
        if not (is_of_2009 or len(cells) in WIDTHS) or (self.width and min(len(cells), FIRST_OF_2009) != self.width):
            expected = f"{self.width} columns, as before" if self.width else "3, 4, 10, or 14 columns and more"
            raise ConlluMistakeError("a row with another number of columns", row, 0, expected, f"{len(cells)}")
        self.width = min(len(cells), FIRST_OF_2009)
        if len(cells) < len(COLUMNS_OF_X):
            form, tag, head = cells[:3]
            return [str(number), form, NONE, NONE, tag, NONE, head, cells[3] if cells[3:] else NONE, NONE, NONE]
        if cells[0] != str(number):
            raise ConlluMistakeError("a row out of order", row, 0, str(number), cells[0])
        if is_of_2009:
            return [cells[0], cells[1], cells[2], NONE, cells[4], cells[6], cells[8], cells[10], NONE, NONE]
        return [*cells[:8], NONE, NONE]

    def is_row(self, text: str) -> bool:
        cells = text.strip().split("\t")
        return len(cells) in WIDTHS[:2] and len(cells) == (self.width or len(cells)) and cells[2].isdecimal()

    def pairs_of(self, feats: str, row: tuple[int, str]) -> FeaturePairs:
        """Return the features of a row; `pl` without a value is `pl=Yes`, and two values of a feature both count."""
        values: dict[str, str] = {}
        for pair in feats.split("|"):
            name, _, value = pair.partition("=")
            if name in ("", NONE):
                raise ConlluMistakeError("a feature without name", row, 5, "features, separated by |", feats)
            values[name] = f"{values[name]},{value or 'Yes'}" if name in values else value or "Yes"
        return tuple(values.items())

    def place_of(self, column: int, columns: int) -> int:
        if columns >= FIRST_OF_2009:
            return PLACES_OF_2009.get(column, 0)
        return PLACES.get(column, 0) if columns < len(COLUMNS_OF_X) else column


def _escaped(value: str) -> str:
    """Return a value as MISC may have it, by the rules of Universal Dependencies."""
    return value.replace("\\", "\\\\").replace("|", "\\p")


COLUMNS_OF_X: Final[Sequence[str]] = (
    "ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL",
)  # fmt: skip
