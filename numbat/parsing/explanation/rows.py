"""A parse as rows of a table, one for each property instance."""

from __future__ import annotations

import re
from typing import Final

from numbat.evaluation.constituents import Constituent
from numbat.parsing.analysis import Analysis, Evaluated
from numbat.parsing.explanation.fields import constituent_numbers, instance_fields

ROW_HEADER: Final = (
    "id", "rank", "constituent", "construction", "start", "end", "elements", "words", "relation", "property",
    "satisfied", "weight", "cost", "hard", "place",
)  # fmt: skip
"""The columns of `to_rows`. `satisfied` and `hard` are 1 or 0; `elements` are numbers of constituents."""


def to_rows(analysis: Analysis, id: str) -> tuple[tuple[str, ...], ...]:
    """One row for each property instance, satisfied or violated, under `ROW_HEADER`; no cell holds a tab or a newline.

    `id` names the sentence. `start`, `end` and `words` are those of the elements, as in `to_json`.
    """
    numbers = constituent_numbers(analysis)
    rows = []
    for evaluated in analysis.evaluated:
        instance = instance_fields(evaluated, numbers, analysis.grammar)
        words = " ".join(word.form for word in _words(evaluated))
        cells = instance | {"id": id, "rank": analysis.rank, "words": words, "satisfied": evaluated.satisfied}
        rows.append(tuple(_cell(cells[column]) for column in ROW_HEADER))
    return tuple(rows)


def _words(evaluated: Evaluated) -> list[Constituent]:
    spoken_of = evaluated.elements or (evaluated.constituent,)
    words = (word for element in spoken_of for word in element.words())
    return sorted(words, key=lambda word: word.start)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list):
        return " ".join(map(str, value))
    return re.sub(r"\s+", " ", str(value))
