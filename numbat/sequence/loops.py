"""The inner loops of the learners: compiled where that is possible, else those of `python_loops`.

`numbat.native` says which are in use.
"""

from __future__ import annotations

from numbat import native
from numbat.sequence import python_loops
from numbat.sequence.loop_records import Epoch, EpochResult, NearestQuery, Neighbours


def train_epoch(epoch: Epoch) -> EpochResult:
    """One round of the perceptron over its tokens; it changes the weights in place."""
    if native.load(native.TAGGER_LOOPS) is None:
        return python_loops.train_epoch(epoch)
    import numpy as np

    from numbat.sequence import _kernels

    labels = epoch.weights.pairs.shape[1]
    spare = np.zeros(3 * labels, np.float32)
    return EpochResult(*_kernels.train_epoch(epoch, spare, epoch.tokens.features.shape[1], labels))


def nearest_instances(query: NearestQuery) -> Neighbours:
    """The instances at the k nearest distances from a focus; all that are equally far count as one."""
    if native.load(native.TAGGER_LOOPS) is None:
        return python_loops.nearest_instances(query)
    import numpy as np

    from numbat.sequence import _kernels

    instances, distances = _kernels.nearest_instances(query)
    return Neighbours(np.frombuffer(instances, np.int32), np.frombuffer(distances, np.int64))
