from numpy import float32
from numpy.typing import NDArray

from numbat.labels.loops import Epoch, NearestQuery

INTERFACE: int

def train_epoch(epoch: Epoch, spare: NDArray[float32], templates: int, labels: int, /) -> tuple[int, int]:
    """The fields of `loop_records.EpochResult`."""

def nearest_instances(query: NearestQuery, /) -> tuple[bytes, bytes]:
    """The fields of `loop_records.Neighbours`, as the bytes of their arrays."""
