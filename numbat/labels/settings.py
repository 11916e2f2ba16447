"""Settings of taggers and of decoding under constraints."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, Literal

from numbat.records import frozen
from numbat.settings import learning, setting

OF_FILE: Final = ("field", "learner", "unit", "separator", "scheme", "budget")
"""Settings of training that are not settings of the learner."""


@frozen
class TrainSettings:
    """Settings of training a tagger.

    `field` is the CoNLL-U field of labels, `separator` stands between word and label in text. `scheme` names the scheme
    of labels of chunks; None infers it from the labels. From `epochs` on they are settings of the learner; None leaves
    its default. With a `budget` above 0, they are chosen by that many trial trainings.
    """

    field: str = "upos"
    learner: str = learning(
        "perceptron",
        "--learner",
        "perceptron or memory (nearest neighbours).",
        choices=("perceptron", "memory"),
        metavar="NAME",
    )
    unit: Literal["words", "letters"] | None = setting(
        None,
        "--unit",
        "What a token is: words or letters (default: guessed from the tokens).",
        choices=("words", "letters"),
        metavar="UNIT",
        heading="Input",
    )
    separator: str = "/"
    scheme: str | None = None
    budget: int = learning(0, "--budget", "Choose other settings by this many trial trainings.", least=0, shown=False)
    epochs: int | None = learning(None, "--epochs", "Perceptron: passes over the sentences.", least=1)
    margin: float | None = learning(
        None, "--margin", "Perceptron: margin by which the right class must win.", least=0, advanced=True
    )
    least: int | None = learning(
        None,
        "--min-count",
        "Leave out features and values that are seen less often.",
        least=1,
    )
    seed: int | None = learning(None, "--seed", "Perceptron: random seed of the order of tokens.", least=0)
    k: int | None = learning(None, "-k", "Memory: number of nearest distances.", least=1)
    search: str | None = learning(
        None,
        "--search-in",
        "Memory: exact, igtree or tribl2.",
        choices=("exact", "igtree", "tribl2"),
        metavar="NAME",
        advanced=True,
    )
    metric: str | None = learning(
        None,
        "--metric",
        "Memory: distance of values, overlap or mvdm.",
        choices=("overlap", "mvdm"),
        metavar="NAME",
        advanced=True,
    )
    weighting: str | None = learning(
        None,
        "--weighting",
        "Memory: weights of features, gr, ig, x2 or none.",
        choices=("gr", "ig", "x2", "none"),
        metavar="NAME",
        advanced=True,
    )
    voting: str | None = learning(
        None,
        "--voting",
        "Memory: votes by distance, majority, id, il or ed.",
        choices=("majority", "id", "il", "ed"),
        metavar="NAME",
        advanced=True,
    )
    decay: float | None = learning(
        None, "--decay", "Memory: how fast votes decay with --voting ed.", least=0, advanced=True
    )

    def chosen(self) -> dict[str, Any]:
        """Return the settings of the learner that are given."""
        names = (field.name for field in fields(self) if field.name not in OF_FILE)
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@frozen
class DecodeSettings:
    """Settings of labelling sequences under a grammar; see `numbat.labels.constraints.Constraints`.

    `form` is that of the file; None goes by its name. `soft=True` charges hard properties their costs, `soft=False`
    makes all hard, None follows the grammar. `penalties` names a table of costs, `scheme` the scheme of labels of
    chunks; None infers it from the labels.
    """

    form: str | None = None
    construction: str | None = None
    daughters: Literal["labels", "runs", "chunks"] = "labels"
    scheme: str | None = None
    counting: str = setting(
        "once",
        "--counting",
        "Charge a violated property once, or each violated instance (slower): once or instance.",
        choices=("once", "instance"),
        metavar="WHAT",
        heading="Grammar",
        advanced=True,
    )
    soft: bool | None = None
    penalties: str | None = None
    max_items: int = setting(
        5000000, "--max-items", "Give a sequence up after this many items.", least=1, most=2000000000, advanced=True
    )
