"""How weights of trees are learned from examples."""

from __future__ import annotations

from numbat.records import frozen


@frozen
class TrainingSettings:
    """How weights are learned: by which learner, in how many passes at most; Frank-Wolfe until its gap is below `gap`.

    `penalty` is C: what a unit of loss counts beside half the square of the weights, for each example; `rate` the
    step of the other learners. `loss` is what a wrong or missing span counts in natural logarithms of likelihood.
    """

    learner: str = "frank-wolfe"
    passes: int = 20
    gap: float = 0.03
    penalty: float = 0.02
    rate: float = 0.03
    loss: float = 1.0
    signs: bool = False
    seed: int = 0
