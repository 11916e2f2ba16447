"""The file of a dependency model: JSON in which every number is checked when it is read."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import DataError, require_numpy
from numbat.files import content_of, shown
from numbat.parsing.dependency_model.model import MOST_TAGS, Column, DependencyModel

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.records import Numbers

FORMAT: Final = "numbat structure/1"
COLUMNS: Final[tuple[Column, ...]] = ("upos", "xpos", "tags")


def packed_model(model: DependencyModel) -> bytes:
    """The bytes of a file with the model; numbers as they are, so that it is read back equal."""
    head = {"format": FORMAT, "column": model.column, "about": model.about, "tags": model.tags}
    arrays = {"root": model.root.tolist(), "stop": model.stop.tolist(), "child": model.child.tolist()}
    return (json.dumps({**head, **arrays}, ensure_ascii=False, indent=None) + "\n").encode()


def read_model(path: str) -> DependencyModel:
    """The model of a file. Raises MissingFileError, DataError for what is no such file, MissingExtraError."""
    require_numpy("dependency models")
    data = content_of(path)
    try:
        return parse_model(data)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(
            f"{shown(path)}: not a dependency model: {why}\n  write it again with numbat learn structure"
        ) from None


def parse_model(data: bytes) -> DependencyModel:
    """The model of the bytes of a file. Raises ValueError, TypeError, KeyError for what is none."""
    read = json.loads(data)
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        raise ValueError(f'"format" is not "{FORMAT}"')
    tags, column, about = read["tags"], read["column"], read["about"]
    named = isinstance(tags, list) and all(isinstance(tag, str) and tag for tag in tags)
    if not named or not tags or len(tags) > MOST_TAGS or sorted(set(tags)) != tags:
        raise ValueError(f"tags are no sorted list of up to {MOST_TAGS:,} names")
    if column not in COLUMNS or not isinstance(about, str):
        raise ValueError("column or about is none that there is")
    size = len(tags)
    root, child = _numbers(read["root"], (size,)), _numbers(read["child"], (size, 2, size))
    for sums in (root.sum(), child.sum(axis=2)):
        if (abs(sums - 1.0) > 1e-6).any():
            raise ValueError("probabilities that do not sum to 1")
    return DependencyModel(tuple(tags), _numbers(read["stop"], (size, 2, 2)), child, root, column, about)


def _numbers(rows: Any, shape: tuple[int, ...]) -> Numbers:
    """Nested lists of probabilities of that shape, as an array."""
    import numpy as np

    def checked(part: Any, left: tuple[int, ...]) -> None:
        if not left:
            if isinstance(part, bool) or not isinstance(part, int | float) or not 0 <= part <= 1 or math.isnan(part):
                raise ValueError(f"{part!r} where a probability is expected")
        elif not isinstance(part, list) or len(part) != left[0]:
            raise ValueError(f"an array that is not of {' times '.join(map(str, shape))} numbers")
        else:
            for each in part:
                checked(each, left[1:])

    checked(rows, shape)
    return np.array(rows, dtype=np.float64)
