from array import array

INTERFACE: int

def relax(
    lattice: tuple[array[int], ...],
    packs: list[tuple[array[int], array[int], array[int], array[int] | None, int]],
    initial: tuple[int, ...],
    limit: int,
    /,
) -> tuple[int, int, tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...], int, int, tuple[int, ...]]:
    """The fields of `problem.Found`; `lattice` and `packs` are the arrays of `LabelLattice` and `Pack`, in order."""
