"""The perceptron in a model file: labels, hashes of forms, and those of its weights that are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from numbat.sequence.features import KnownForms
from numbat.sequence.model_file import LARGEST, most_bytes, whole
from numbat.sequence.perceptron import Perceptron

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COLUMNS: Final = 1_000
"""So many further columns a token may have."""


def packed(perceptron: Perceptron) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The perceptron as a header and arrays of a model file."""
    import numpy as np

    flat = perceptron.rows.reshape(len(perceptron.rows), -1)
    filled = np.flatnonzero(flat)
    forms = perceptron.forms
    header = {"labels": perceptron.labels, "unit": forms.unit, "further": forms.further}
    labels = sorted(forms.labels.items())
    arrays = {
        "known": _differences(np.array(sorted(forms.known), np.uint32)),
        "forms": _differences(np.array([form for form, _ in labels], np.uint32)),
        "form_labels": np.array([value for _, value in labels], np.uint32),
        "keys": _differences(perceptron.keys),
        "counts": (flat != 0).sum(axis=1).astype(np.int32),
        "places": (filled % flat.shape[1]).astype(np.uint16),
        "values": flat.ravel()[filled],
        "pairs": perceptron.pairs,
        "codes": perceptron.codes,
        "trigrams": perceptron.trigrams,
    }
    return header, arrays


def _differences(numbers: NDArray[Any]) -> NDArray[Any]:
    """The differences of ascending numbers, which take less space when they are packed."""
    import numpy as np

    return np.diff(numbers, prepend=numbers.dtype.type(0)).astype(numbers.dtype)


def unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Perceptron:
    """The perceptron of a model file. Raises ValueError or KeyError for arrays that do not fit."""
    import numpy as np

    a: dict[str, NDArray[Any]] = {
        name: np.cumsum(array, dtype=np.uint32) if name in ("known", "forms", "keys") else array
        for name, array in arrays.items()
    }
    labels = tuple(str(label) for label in header["labels"])
    across = 3 * len(labels)
    if len(a["keys"]) * across > most_bytes(header.get("bytes", LARGEST)) or header["unit"] not in ("words", "letters"):
        raise ValueError("the features do not fit")
    if not all(np.isfinite(a[name]).all() for name in ("pairs", "trigrams")):
        raise ValueError("a weight is no number")
    rows = np.zeros(len(a["keys"]) * across, np.int8)
    starts = np.repeat(np.arange(len(a["keys"]), dtype=np.int64) * across, a["counts"])
    if len(starts) != len(a["values"]) or (len(starts) and int(a["places"].max()) >= across):
        raise ValueError("the rows do not fit")
    rows[starts + a["places"]] = a["values"]
    of_forms = dict(zip(a["forms"].tolist(), a["form_labels"].tolist(), strict=True))
    forms = KnownForms(
        frozenset(a["known"].tolist()), of_forms, header["unit"], whole(header["further"], most=MOST_COLUMNS)
    )
    pairs = a["pairs"].reshape(2, len(labels), len(labels))
    if len(a["codes"]) != len(a["trigrams"]) or not len(a["codes"]):
        raise ValueError("the trigrams do not fit")
    return Perceptron(forms, labels, a["keys"], rows.reshape(-1, 3, len(labels)), pairs, a["codes"], a["trigrams"])
