from numpy import float32
from numpy.typing import NDArray

from numbat.labels.loops import Epoch, NearestQuery

INTERFACE: int

def train_epoch(epoch: Epoch, spare: NDArray[float32], templates: int, labels: int, /) -> tuple[int, int]:
    """Return the fields of `loops.EpochResult`."""

def nearest_instances(query: NearestQuery, /) -> tuple[bytes, bytes]:
    """Return the fields of `loops.Neighbours`, as the bytes of their arrays."""
