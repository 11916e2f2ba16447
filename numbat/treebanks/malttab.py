"""MaltTab and CoNLL-X: dependency trees in 3, 4 or 10 columns, as in MaltParser and NLTK.

    Japanese    JJ  2  NMOD
    investment  NN  0  ROOT

Three columns are word, tag and head; a fourth is the label of the link. Ten are those of CoNLL-X (Buchholz and Marsi
2006): ID, FORM, LEMMA, CPOSTAG, POSTAG, FEATS, HEAD, DEPREL, PHEAD, PDEPREL; the last two are not kept. Columns are
separated by TABs, or by blanks in rows without TABs. A sentence may have several roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from numbat.errors import Problem
from numbat.treebanks.conllu import NONE, ConlluMistakeError, ConlluReader, DependencyTree, FeaturePairs

WIDTHS: Final = (3, 4, 10)
PLACES: Final = {1: 0, 4: 1, 6: 2, 7: 3}
"""By index of a column of CoNLL-U: its index in a row of 3 or 4 columns."""


def read_malttab(lines: Iterable[str], path: str) -> Iterator[DependencyTree | Problem]:
    """Yield each sentence or, for a bad one, its first mistake, as `read_conllu` does."""
    return _MaltReader(path).read(lines)


class _MaltReader(ConlluReader):
    """Reader of rows with other columns than CoNLL-U; all rows of a file must have as many columns as the first."""

    has_other_columns = True
    width = 0

    def columns_of(self, row: tuple[int, str], number: int) -> list[str]:
        cells = row[1].strip().split("\t" if "\t" in row[1] else None)
        if len(cells) not in WIDTHS or (self.width and len(cells) != self.width):
            expected = f"{self.width} columns, as before" if self.width else "3, 4 or 10 columns"
            raise ConlluMistakeError("a row with another number of columns", row, 0, expected, f"{len(cells)}")
        self.width = len(cells)
        if len(cells) < len(COLUMNS_OF_X):
            form, tag, head = cells[:3]
            return [str(number), form, NONE, NONE, tag, NONE, head, cells[3] if cells[3:] else NONE, NONE, NONE]
        if cells[0] != str(number):
            raise ConlluMistakeError("a row out of order", row, 0, str(number), cells[0])
        return [*cells[:8], NONE, NONE]

    def is_row(self, text: str) -> bool:
        cells = text.strip().split("\t")
        return len(cells) in WIDTHS[:2] and len(cells) == (self.width or len(cells)) and cells[2].isdecimal()

    def pairs_of(self, feats: str, row: tuple[int, str]) -> FeaturePairs:
        """Return the features of a row; `pl` without a value is `pl=Yes`, and two values of a feature both count."""
        values: dict[str, str] = {}
        for pair in feats.split("|"):
            name, _, value = pair.partition("=")
            if not name:
                raise ConlluMistakeError("a feature without name", row, 5, "features, separated by |", feats)
            values[name] = f"{values[name]},{value or 'Yes'}" if name in values else value or "Yes"
        return tuple(values.items())

    def place_of(self, column: int, columns: int) -> int:
        return PLACES.get(column, 0) if columns < len(COLUMNS_OF_X) else column


COLUMNS_OF_X: Final[Sequence[str]] = (
    "ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL",
)  # fmt: skip
