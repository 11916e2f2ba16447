"""Contrastive estimation: weights under which sentences are likely among their neighbours (Smith & Eisner 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError, require_scipy
from numbat.learning.structure.all_sentences import sums_of_lengths
from numbat.learning.structure.estimation import MOST_ITERATIONS, TOLERANCE, Estimate
from numbat.learning.structure.neighbourhoods import Neighbourhood, neighbours
from numbat.learning.structure.normalising import as_probabilities
from numbat.learning.structure.sentences import TagSentences
from numbat.parsing.dependency_model.inference import sums
from numbat.parsing.dependency_model.model import Batch, Bias, Weights, batches_of, no_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numbat.parsing.dependency_model.model import Numbers

LARGEST: Final = 12.0
"""Logarithms of weights are kept below this."""


def contrastive(
    sentences: TagSentences, start: Weights, neighbourhood: Neighbourhood, variance: float, bias: Bias
) -> Estimate:
    """Maximises the logarithm of the sentences' share in their neighbourhoods, with a Gaussian prior of mean 0, by
    L-BFGS; the bias is in both. The result is given as probabilities, under which all trees of a sentence have the
    same shares.

    Raises MissingExtraError without scipy, DataError where sums leave the range of floating point.
    """
    require_scipy("contrastive estimation")
    import numpy as np
    from scipy.optimize import minimize

    task = task_of(sentences, neighbourhood)
    shapes = [each.shape for each in start]

    def objective(flat: Numbers) -> tuple[float, Numbers]:
        logs = Weights(*_split(flat, shapes))
        value, slope = task.objective(Weights(*(np.exp(each) for each in logs)), bias)
        prior = float(flat @ flat) / (2 * variance)
        return prior - value, flat / variance - np.concatenate([each.ravel() for each in slope])

    begin = np.concatenate([np.log(np.maximum(each, 1e-6)).ravel() for each in start])
    options = {"maxiter": MOST_ITERATIONS, "ftol": TOLERANCE}
    bounds = [(-LARGEST, LARGEST)] * len(begin)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = minimize(objective, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    if not np.isfinite(found.fun) or not np.isfinite(found.x).all():
        raise DataError(
            f"contrastive estimation leaves the range of numbers with a bias of {bias.locality or bias.breaks or 0:g} "
            f"and a variance of {variance:g}\n  take a weaker bias, or shorter sentences"
        )
    weights = Weights(*(np.exp(each) for each in _split(found.x, shapes)))
    return Estimate(as_probabilities(weights), -float(found.fun), int(found.nit))


@dataclass(frozen=True, eq=False)
class ContrastiveTask:
    """Sentences with their neighbours, each different one once.

    `batches` have them all; `owners` (pairs) the sentence of each neighbour, `members` (pairs) where the neighbour is
    among all, `own` (sentences) where the sentence itself is, `shares` (sentences) how often it occurs. Neighbours that
    are all sentences of a length are not listed: `lengths` counts them by length.
    """

    batches: list[Batch]
    owners: NDArray[np.int64]
    members: NDArray[np.int64]
    own: NDArray[np.int64]
    shares: Numbers
    lengths: dict[int, float]

    def objective(self, weights: Weights, bias: Bias) -> tuple[float, Weights]:
        """The logarithm of the sentences' share in their neighbourhoods, and its slope by the logarithm of weights."""
        import numpy as np

        slope = no_counts(len(weights.root))
        values = np.zeros(sum(len(batch.places) for batch in self.batches))
        for batch in self.batches:
            values[list(batch.places)] = sums(batch, weights, bias)
        found = float(self.shares @ values[self.own])
        shares = np.zeros(len(values))
        np.add.at(shares, self.own, self.shares)
        if self.lengths:
            found -= sums_of_lengths(self.lengths, weights, bias, slope)
        else:
            most = np.full(len(self.own), -np.inf)
            np.maximum.at(most, self.owners, values[self.members])
            parts = np.exp(values[self.members] - most[self.owners])
            total = np.zeros(len(self.own))
            np.add.at(total, self.owners, parts)
            found -= float(self.shares @ (np.log(total) + most))
            np.add.at(shares, self.members, -parts / total[self.owners] * self.shares[self.owners])
        for batch in self.batches:
            sums(batch._replace(shares=shares[list(batch.places)]), weights, bias, slope)
        return found, slope


def task_of(sentences: TagSentences, neighbourhood: Neighbourhood) -> ContrastiveTask:
    import numpy as np

    number: dict[tuple[int, ...], int] = {}
    owners: list[int] = []
    members: list[int] = []
    own: list[int] = []
    shares: list[float] = []
    lengths: dict[int, float] = {}
    for sentence, share in sentences.sequences:
        if neighbourhood == "length":
            number.setdefault(sentence, len(number))
            lengths[len(sentence)] = lengths.get(len(sentence), 0.0) + share
        else:
            near = [number.setdefault(each, len(number)) for each in neighbours(sentence, neighbourhood)]
            owners += [len(own)] * len(near)
            members += near
        own.append(number[sentence])
        shares.append(share)
    return ContrastiveTask(
        batches_of(list(number)),
        np.array(owners, dtype=np.int64),
        np.array(members, dtype=np.int64),
        np.array(own, dtype=np.int64),
        np.array(shares),
        lengths,
    )


def _split(flat: Numbers, shapes: list[tuple[int, ...]]) -> list[Numbers]:
    import numpy as np

    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]
