"""The memory-based learner in a model file: the training material, from which it is made again."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from numbat.sequence.memory import Memory, Settings, train
from numbat.sequence.model_file import LARGEST, number, whole
from numbat.sequence.token_files import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CELLS, CELLS_OF_A_BYTE = 100_000, 4
"""So many values the material may have, and so many more for each byte of the file: each takes some 60 bytes."""
MOST_DECAY: Final = 1e6


def packed(memory: Memory) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The material as a header and arrays of a model file."""
    import numpy as np

    number = {label: i for i, label in enumerate(memory.labels)}
    header = {
        "labels": memory.labels,
        "symbols": [list(column) for column in memory.symbols.numbers],
        "settings": asdict(memory.settings),
    }
    columns = [memory.symbols.of(sample.rows) for sample in memory.material]
    arrays = {
        "lengths": np.array([len(sample.rows) for sample in memory.material], np.int32),
        "labels": np.array([number[label] for sample in memory.material for label in sample.labels], np.int32),
    }
    for i in range(len(memory.symbols.numbers)):
        arrays[f"column{i}"] = np.array([value for sentence in columns for value in sentence[i]], np.int32)
    return header, arrays


def unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Memory:
    """The learner of a model file. Raises ValueError, KeyError or IndexError for arrays that do not fit."""
    cells = sum(len(array) for array in arrays.values())
    if cells > MOST_CELLS + CELLS_OF_A_BYTE * header.get("bytes", LARGEST):
        raise ValueError("more material than a file of that size may have")
    settings = Settings(**header["settings"])
    whole(settings.k, 1)
    whole(settings.least, 1)
    number(settings.decay, 0, MOST_DECAY)
    symbols = [[str(symbol) for symbol in column] for column in header["symbols"]]
    columns = [[column[value - 1] for value in arrays[f"column{i}"].tolist()] for i, column in enumerate(symbols)]
    rows = list(zip(*columns, strict=True))
    labels = [str(header["labels"][value]) for value in arrays["labels"].tolist()]
    samples = []
    first = 0
    for length in arrays["lengths"].tolist():
        last = first + length
        samples.append(Sample(tuple(rows[first:last]), tuple(labels[first:last])))
        first = last
    if first != len(rows) or first != len(labels) or not samples:
        raise ValueError("the sentences do not fit")
    return train(samples, settings)
