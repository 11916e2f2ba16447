"""Settings for training taggers, and for decoding under constraints."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, Literal

from numbat.records import frozen
from numbat.settings import learning, setting

OF_FILE: Final = ("field", "learner", "unit", "separator", "scheme", "budget")
"""Fields of `TrainSettings` that are not settings of the learner."""


@frozen
class TrainSettings:
    """Settings for training a tagger.

    `field` is the CoNLL-U field of the labels; in text, `separator` stands between word and label. `scheme` names the
    scheme of chunk labels, None to infer it from the labels. The fields from `epochs` on are settings of the learner,
    None for its default; with a `budget` above 0, those left None are chosen by at most that many trial trainings.
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
    budget: int = learning(
        0, "--budget", "Choose the settings that are not given, by at most N trial trainings.", least=0, shown=False
    )
    epochs: int | None = learning(None, "--epochs", "Perceptron: passes over the sentences.", least=1)
    margin: float | None = learning(
        None, "--margin", "Perceptron: margin by which the right class must win.", least=0, advanced=True
    )
    least: int | None = learning(
        None,
        "--min-count",
        "Leave out features and values that are seen fewer than N times.",
        least=1,
    )
    seed: int | None = learning(None, "--seed", "Perceptron: random seed for the order of tokens.", least=0)
    k: int | None = learning(None, "-k", "Memory: how many of the nearest distances count.", least=1)
    search: str | None = learning(
        None,
        "--search-in",
        "Memory: how to search for neighbours: exact, igtree or tribl2.",
        choices=("exact", "igtree", "tribl2"),
        metavar="NAME",
        advanced=True,
    )
    metric: str | None = learning(
        None,
        "--metric",
        "Memory: distance between values: overlap or mvdm.",
        choices=("overlap", "mvdm"),
        metavar="NAME",
        advanced=True,
    )
    weighting: str | None = learning(
        None,
        "--weighting",
        "Memory: weights of features: gr, ig, x2 or none.",
        choices=("gr", "ig", "x2", "none"),
        metavar="NAME",
        advanced=True,
    )
    voting: str | None = learning(
        None,
        "--voting",
        "Memory: how votes depend on distance: majority (not at all), id, il or ed.",
        choices=("majority", "id", "il", "ed"),
        metavar="NAME",
        advanced=True,
    )
    decay: float | None = learning(
        None, "--decay", "Memory: how fast votes decay with --voting ed.", least=0, advanced=True
    )

    def chosen(self) -> dict[str, Any]:
        """Return the settings of the learner that are not None, by name."""
        names = (field.name for field in fields(self) if field.name not in OF_FILE)
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@frozen
class DecodeSettings:
    """Settings for labelling sequences under a grammar; see `numbat.labels.constraints.Constraints`.

    `form` is the format of the file, None to infer it from the name. With `soft=True` hard properties have costs too,
    with `soft=False` all properties are hard; None follows the grammar. `penalties` names a table of costs, `scheme`
    the scheme of chunk labels, None to infer it from the labels.
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
        5000000, "--max-items", "Give up on a sequence after this many items.", least=1, most=2000000000, advanced=True
    )
