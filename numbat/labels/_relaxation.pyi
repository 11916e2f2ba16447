from array import array
from collections.abc import Mapping

INTERFACE: int

def pack_labels(
    rows: list[Mapping[str, float]], /
) -> tuple[list[str], bytes, bytes, bytes, bytes, bytes, bytes] | None:
    """The labels, and the arrays of `LabelLattice` in order; None where a row is no dict, ValueError for a score that
    is too large."""

def relax(
    lattice: tuple[array[int], ...],
    packs: list[tuple[array[int], array[int], array[int], array[int] | None, int, int]],
    initial: tuple[int, ...],
    limit: int,
    /,
) -> tuple[int, int, tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...], int, int, tuple[int, ...]]:
    """The fields of `problem.Found`; `lattice` and `packs` are the arrays of `LabelLattice` and `Pack`, in order."""
