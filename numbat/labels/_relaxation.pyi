from array import array
from collections.abc import Mapping

INTERFACE: int

def pack_labels(
    rows: list[Mapping[str, float]], /
) -> tuple[list[str], bytes, bytes, bytes, bytes, bytes, bytes] | None:
    """Return the labels, and the arrays of `LabelLattice` in order; None if a row is not a dict.

    Raises ValueError for a score that is too large.
    """

def relax(
    lattice: tuple[array[int], ...],
    packs: list[tuple[array[int], array[int], array[int], array[int] | None, int, int]],
    initial: tuple[int, ...],
    limit: int,
    /,
) -> tuple[int, int, tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...], int, int, tuple[int, ...]]:
    """Return the fields of `constraints.Found`; `lattice` and `packs` are the arrays of `LabelLattice` and `Pack`."""
