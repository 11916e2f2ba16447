"""Settings of learning weights and costs from examples."""

from __future__ import annotations

from typing import Final

from numbat.records import frozen
from numbat.settings import learning, setting

LEARNERS: Final = ("frank-wolfe", "perceptron", "adagrad")


@frozen
class TrainingSettings:
    """Settings of learning weights: learner and number of passes; Frank-Wolfe stops when its gap is below `gap`.

    Frank-Wolfe minimizes half the squared norm of the weights plus `penalty` (C) times the loss of all examples; `rate`
    is the step size of the other learners. `loss` is the cost of a wrong or missing span, in natural logarithms.
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
        "frank-wolfe: stop when the duality gap is this share of the objective.",
        least=0,
        metavar="X",
        advanced=True,
    )
    penalty: float = learning(
        0.02, "--penalty", "frank-wolfe: C, the weight of a unit of loss.", least=1e-9, metavar="X"
    )
    rate: float = learning(0.03, "--rate", "perceptron, adagrad: step size.", least=1e-9, metavar="X", advanced=True)
    loss: float = learning(
        1.0,
        "--loss",
        "Cost of a wrong or missing span, in natural logarithms of likelihood.",
        least=0,
        metavar="X",
        advanced=True,
    )
    signs: bool = learning(False, "--signs", "Satisfied properties never count against a tree.", advanced=True)
    seed: int = 0


def _kinds(text: str | None) -> tuple[str, ...]:
    """Split a list of names such as `drop,swap`."""
    return tuple(dict.fromkeys(kind.strip() for kind in (text or "").split(",") if kind.strip()))


@frozen
class PreferenceSettings:
    """Settings of learning preferences among parses within a margin of the best."""

    margin: float = learning(
        0.3, "--within", "Compare parses that cost at most X more than the best.", least=0, metavar="X"
    )
    passes: int = learning(6, "--epochs", "Number of passes over the sentences.", least=1, metavar="N", most=1000)
    max_length: int | None = learning(
        30, "--max-length", "Longest sentence to learn from, in words.", least=1, metavar="N"
    )
    min_count: int = learning(
        3, "--min-count", "Leave features out that fewer than N parses have.", least=1, metavar="N"
    )
    ud_map: str | None = learning(
        None,
        "--ud-map",
        "File that maps the grammar to UD (default: the packaged one with its name, else its own heads).",
        reads="file",
        metavar="FILE",
    )
    seed: int = 0


@frozen
class MarginSettings:
    """Settings of learning by max margin, and its material.

    `by` is the smallest part with its own cost, `neighbours` are the kinds of neighbours of good sentences,
    `judgements` says whether judged sentences are compared with each other. `strength` is the weight of comparisons,
    None to choose it on held-out ones; `rounds` is the maximum number of times that costs are learned and sentences
    parsed.
    """

    by: str = learning(
        "construction",
        "--by",
        "max-margin: the smallest part with its own cost: relation, construction or property.",
        choices=("relation", "construction", "property"),
        metavar="PART",
    )
    neighbours: tuple[str, ...] = learning(
        (),
        "--neighbours",
        "max-margin: also compare good sentences with neighbours: drop (a word), swap (two words), or drop,swap.",
        metavar="KINDS",
        parse=_kinds,
    )
    judgements: bool = True
    strength: float | None = learning(
        None,
        "--strength",
        "max-margin: how far costs may move from the grammar's (default: chosen on held-out pairs).",
        above=0,
        advanced=True,
    )
    rounds: int = learning(
        4, "--rounds", "max-margin: maximum number of rounds of learning and parsing.", least=1, advanced=True
    )


@frozen
class WeightSettings(TrainingSettings):
    """Settings of learning weights of trees.

    `features` are groups of features, separated by commas. Sentences have up to `max_length` words; their forests have
    the trees that are up to `slack` less likely than the likeliest, pruned by `prune` (natural logarithms), with
    expansions counted on the other `folds`. `likelihood` is the weight of the likelihood of the expansions. The table
    has up to 2**`bits` weights. `tune` chooses the penalty on a held-out tenth. For the rest see `TrainingSettings`.
    """

    features: str = learning(
        "expansions,words",
        "--features",
        "Groups of features: expansions, properties, words, heads, auxiliary.",
        metavar="GROUPS",
    )
    likelihood: float = learning(
        1.0, "--likelihood", "Weight of the likelihood of the expansions.", least=0, metavar="X", advanced=True
    )
    tune: bool = learning(False, "--tune", "Choose --penalty on a held-out tenth of the trees.")
    folds: int = learning(
        4,
        "--folds",
        "Parts of the trees, each parsed with expansions counted on the others.",
        least=2,
        metavar="N",
        most=100,
        advanced=True,
    )
    max_length: int = setting(
        40, "--max-length", "Leave out sentences with more than N words.", least=1, metavar="N", heading="Input"
    )
    slack: float = learning(
        10.0,
        "--slack",
        "Keep trees up to this much less likely than the likeliest one, in natural logarithms.",
        least=0,
        metavar="X",
        most=100,
        advanced=True,
    )
    prune: float = setting(
        7.0,
        "--prune",
        "Leave out of forests the constituents that are less likely by more than this natural logarithm.",
        least=0,
        metavar="X",
        advanced=True,
    )
    bits: int = learning(22, "--bits", "Use at most 2^N weights.", least=10, metavar="N", most=24, advanced=True)

    def groups(self) -> tuple[str, ...]:
        """Return the groups of features."""
        return tuple(sorted({group.strip() for group in self.features.split(",")}))


@frozen
class WeightFiles:
    """The files of learning weights: the weights, the features as text, and the state of training."""

    output: str | None = setting(None, "--output", "File for the weights.", writes="file", short="-o", heading="Output")
    dump: str | None = setting(
        None,
        "--dump",
        "File for features as SVMlight text: a query for each sentence, in which its right tree has target 1 and the "
        "tree with the highest likelihood plus loss has target 0; the last feature is the logarithm of the likelihood.",
        writes="file",
        heading="Output",
        advanced=True,
    )
    state: str | None = setting(
        None,
        "--state",
        "File for the state after each pass, removed at the end [OUTPUT.state].",
        writes="file",
        heading="Many sentences",
        advanced=True,
    )
    resume: bool = setting(
        False, "--resume", "Continue from the state of an interrupted run.", heading="Many sentences"
    )
