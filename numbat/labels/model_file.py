"""Model files: a line with the version, a line of JSON, and packed arrays. Nothing in them is ever executed."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import DataError, MissingFileError, UnwritableError, close_match
from numbat.files import MODEL_FILES, cannot_be_looked_at, packaged_file, unreadable, write_whole

if TYPE_CHECKING:
    from numpy import generic
    from numpy.typing import NDArray

MAGIC: Final = b"numbat-tagger "
VERSION: Final = 1
SUFFIX: Final = ".model"
"""Suffix of packaged models."""
MAX_FILE_BYTES: Final = 15_000_000
"""Maximum file size."""
GROWTH, BASE_BYTES = 100, 20_000_000
"""The maximum unpacked size is GROWTH times the size of the file, plus BASE_BYTES; trained models are smaller."""
MAX_COUNT: Final = 10**12
"""Maximum number of tokens or sentences in a header."""
KINDS: Final = ("uint8", "uint16", "uint32", "int8", "int32", "int64", "float32")
_MAX_HEADER: Final = 1 << 24


def write_model_file(path: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> int:
    """Write a model file, whole or not at all; return its size in bytes.

    Raises DataError for a model larger than MAX_FILE_BYTES, and UnwritableError.
    """
    table = [[name, array.dtype.name, list(array.shape)] for name, array in arrays.items()]
    first = MAGIC + str(VERSION).encode() + b"\n"
    second = json.dumps({**header, "arrays": table}, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    packed = b"".join(_pack(array) for array in arrays.values())
    content = first + second + packed
    if len(content) > MAX_FILE_BYTES:
        raise DataError(
            f"{path}: the model has {len(content):,} bytes, but {MAX_FILE_BYTES:,} are allowed\n"
            "  train with a greater --min-count, so that rare features are left out, or with less material"
        )
    try:
        write_whole(path, content)
    except OSError as error:
        raise UnwritableError(path, error.strerror) from None
    return len(content)


def _pack(array: NDArray[Any]) -> bytes:
    """Return the length of the compressed array, then the array, with the lowest bytes of all numbers first."""
    import numpy as np

    plain = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    planes = plain.view(np.uint8).reshape(-1, array.dtype.itemsize).T
    packed = zlib.compress(planes.tobytes(), 9)
    return len(packed).to_bytes(8, "little") + packed


def model_path(name: str) -> str:
    """Return the path of a model: `name` itself if there is such a file, else the packaged model of that name.

    Raises MissingFileError if there is neither, and MissingExtraError if the packaged models are not installed.
    """
    if os.path.exists(name) or Path(name).name != name:
        return name
    if (wrong := cannot_be_looked_at(name)) is not None:
        raise wrong
    if (packaged := packaged_file(name, SUFFIX)) is not None:
        return packaged
    names = [Path(file).stem for file in MODEL_FILES if file.endswith(SUFFIX)]
    hint = close_match(name, names) or f"the packaged models are: {', '.join(names)}"
    raise MissingFileError(f"{name}: no such model file\n  {hint}")


def read_model_file(path: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of a model file. Raises MissingFileError, and DataError if it is not a model file."""
    try:
        with Path(path).open("rb") as file:
            first, second, packed = file.readline(64), file.readline(_MAX_HEADER), file.read(MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if not first.startswith(MAGIC) or not first[len(MAGIC) :].strip().isdigit():
        raise DataError(f"{path}: this is not a tagger model\n  numbat tag train FILE -o MODEL makes one")
    version = int(first[len(MAGIC) :])
    if version != VERSION:
        raise DataError(f"{path}: a model of version {version}, not {VERSION}\n  train it again with this Numbat")
    try:
        header = json.loads(second)
        header["bytes"] = len(second) + len(packed)
        return header, _unpack(header.pop("arrays"), packed)
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error, OverflowError, RecursionError):
        raise DataError(f"{path}: the model is damaged\n  copy or train it again") from None


def whole(value: Any, least: int = 0, most: int = MAX_COUNT) -> int:
    """Return `value` if it is an integer from `least` to `most`. Raises ValueError otherwise."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{value!r} is not a whole number from {least} to {most}")
    return value


def number(value: Any, least: float, most: float) -> float:
    """Return `value` as a float if it is a number from `least` to `most`. Raises ValueError otherwise."""
    if type(value) not in (int, float) or not least <= value <= most:
        raise ValueError(f"{value!r} is not a number from {least} to {most}")
    return float(value)


def max_unpacked_bytes(size: int) -> int:
    """Return how many bytes a model file of `size` bytes may have when it is unpacked."""
    return BASE_BYTES + GROWTH * size


def _unpack(table: list[Any], packed: bytes) -> dict[str, NDArray[generic]]:
    import numpy as np

    arrays: dict[str, NDArray[Any]] = {}
    at = total = 0
    for name, kind, shape in table:
        if kind not in KINDS or not all(isinstance(size, int) and size >= 0 for size in shape):
            raise ValueError(name)
        dtype = np.dtype(kind).newbyteorder("<")
        expected = prod(shape) * dtype.itemsize
        total += expected
        if total > max_unpacked_bytes(len(packed)):
            raise ValueError(name)
        size = int.from_bytes(packed[at : at + 8], "little")
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(packed[at + 8 : at + 8 + size], expected + 1)
        at += 8 + size
        if len(content) != expected or not unpacker.eof:
            raise ValueError(name)
        planes = np.frombuffer(content, np.uint8).reshape(dtype.itemsize, -1)
        arrays[name] = np.ascontiguousarray(planes.T).view(dtype).reshape(shape).astype(kind)
    if at != len(packed):
        raise ValueError("there is more than the arrays")
    return arrays
