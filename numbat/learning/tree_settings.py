"""How weights of trees are learned from examples."""

from __future__ import annotations

from typing import Final

from numbat.records import frozen
from numbat.settings import learning

LEARNERS: Final = ("frank-wolfe", "perceptron", "adagrad")


@frozen
class TrainingSettings:
    """Settings of learning weights: the learner, the most passes; Frank-Wolfe until its gap is below `gap`.

    `penalty` is C: what a unit of loss counts beside half the square of the weights, for each example; `rate` the
    step of the other learners. `loss` is what a wrong or missing span counts in natural logarithms of likelihood.
    """

    learner: str = learning(
        "frank-wolfe", "--learner", "frank-wolfe, perceptron or adagrad.", choices=LEARNERS, metavar="NAME"
    )
    passes: int = learning(
        20,
        "--epochs",
        "Maximum number of passes over the trees.",
        least=1,
        metavar="N",
        most=1000,
        formerly={"--passes": None},
    )
    gap: float = learning(
        0.03,
        "--gap",
        "Of frank-wolfe: stop when the duality gap is this share of the objective.",
        least=0,
        metavar="X",
        advanced=True,
    )
    penalty: float = learning(
        0.02, "--penalty", "Of frank-wolfe: C, what a unit of loss counts.", least=1e-9, metavar="X"
    )
    rate: float = learning(0.03, "--rate", "The step of the other learners.", least=1e-9, metavar="X", advanced=True)
    loss: float = learning(
        1.0,
        "--loss",
        "What a wrong or missing span counts, in natural logarithms of likelihood.",
        least=0,
        metavar="X",
        advanced=True,
    )
    signs: bool = learning(False, "--signs", "What is satisfied never counts against a tree.", advanced=True)
    seed: int = 0
