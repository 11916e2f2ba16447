"""How weights of trees are learned from examples."""

from __future__ import annotations

from typing import Final

from numbat.records import frozen
from numbat.settings import learning, setting

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


def _kinds(text: str | None) -> tuple[str, ...]:
    """Return `drop,swap` as names."""
    return tuple(dict.fromkeys(kind.strip() for kind in (text or "").split(",") if kind.strip()))


@frozen
class MarginSettings:
    """Settings of learning by max margin, and its material.

    `by` is the smallest part that a cost has of its own, `neighbours` are the kinds of them that good sentences have,
    `judgements` says whether judged sentences are compared with each other. `strength` is how strongly comparisons
    count, None where it is chosen on held-out ones; `rounds`, how often costs are learned and sentences parsed anew.
    """

    by: str = learning(
        "construction",
        "--by",
        "Of max-margin: what has a cost of its own: relation, construction or property.",
        choices=("relation", "construction", "property"),
        metavar="PART",
    )
    neighbours: tuple[str, ...] = learning(
        (),
        "--neighbours",
        "Of max-margin: compare good sentences with neighbours, too: drop (a word), swap (two words), or drop,swap.",
        metavar="KINDS",
        parse=_kinds,
    )
    judgements: bool = True
    strength: float | None = learning(
        None,
        "--strength",
        "Of max-margin: how far costs may go from the grammar's (default: chosen on held-out pairs).",
        above=0,
        advanced=True,
    )
    rounds: int = learning(
        4, "--rounds", "Of max-margin: how often to learn and parse anew at most.", least=1, advanced=True
    )


@frozen
class WeightSettings(TrainingSettings):
    """Settings of learning weights of trees.

    `features` are groups of features with commas between them. Sentences have up to `max_length` words; their forests
    have the trees that are up to `slack` less likely than the likeliest, pruned by `prune` (natural logarithms), by
    expansions counted on the other `folds`. `likelihood` is the weight of that likelihood. The table has 2 to the power
    of `bits` weights. `tune` chooses the penalty on a held-out tenth. The others as in `TrainingSettings`.
    """

    features: str = learning(
        "expansions,words",
        "--features",
        "Groups of features: expansions, properties, words, heads, auxiliary.",
        metavar="GROUPS",
    )
    likelihood: float = learning(
        1.0, "--likelihood", "The weight of the likelihood of the expansions.", least=0, metavar="X", advanced=True
    )
    tune: bool = learning(False, "--tune", "Choose --penalty on a tenth of the trees that is held out.")
    folds: int = learning(
        4,
        "--folds",
        "Parts of the trees, each with likelihoods by the expansions of the others.",
        least=2,
        metavar="N",
        most=100,
        advanced=True,
    )
    max_length: int = setting(40, "--max-length", "Leave out longer sentences.", least=1, metavar="N", heading="Input")
    slack: float = learning(
        10.0,
        "--slack",
        "How much less likely than the likeliest tree another may be, as a natural logarithm.",
        least=0,
        metavar="X",
        most=100,
        advanced=True,
    )
    prune: float = setting(
        7.0,
        "--prune",
        "Leave out of forests what is less likely by this natural logarithm.",
        least=0,
        metavar="X",
        advanced=True,
    )
    bits: int = learning(22, "--bits", "2^BITS weights at most.", least=10, metavar="N", most=24, advanced=True)

    def groups(self) -> tuple[str, ...]:
        """Return the groups of features."""
        return tuple(sorted({group.strip() for group in self.features.split(",")}))


@frozen
class WeightFiles:
    """The files of learning weights: the weights, features as text, and what was learned so far."""

    output: str | None = setting(None, "--output", "File for the weights.", writes="file", short="-o", heading="Output")
    dump: str | None = setting(
        None,
        "--dump",
        "A file for features as SVMlight text: a query for each sentence, its right tree with target 1, with target 0 "
        "the tree that is likeliest with its loss added; the last feature is the logarithm of the likelihood.",
        writes="file",
        heading="Output",
        advanced=True,
    )
    state: str | None = setting(
        None,
        "--state",
        "The file for what was learned after each pass, until all is done [OUTPUT.state].",
        writes="file",
        heading="Many sentences",
        advanced=True,
    )
    resume: bool = setting(
        False, "--resume", "Go on from the state of a run that was stopped.", heading="Many sentences"
    )
