"""Settings of taggers and of decoding under constraints."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, Literal

from numbat.records import frozen

OF_FILE: Final = ("field", "learner", "unit", "separator", "scheme", "budget")
"""Settings of training that are none of the learner."""


@frozen
class TrainSettings:
    """Settings of training a tagger: its labels (a field of CoNLL-U), the learner, the tokens (`unit`), and the
    `separator` of words and labels in text.

    `scheme` names that of labels of chunks; None: the labels say it. The others are settings of the learner; those that
    are None are left to it. With a `budget` above 0 they are searched by so many trainings.
    """

    field: str = "upos"
    learner: str = "perceptron"
    unit: Literal["words", "letters"] | None = None
    separator: str = "/"
    scheme: str | None = None
    budget: int = 0
    epochs: int | None = None
    margin: float | None = None
    least: int | None = None
    seed: int | None = None
    k: int | None = None
    search: str | None = None
    metric: str | None = None
    weighting: str | None = None
    voting: str | None = None
    decay: float | None = None

    def chosen(self) -> dict[str, Any]:
        """Return the settings of the learner that are not left to it."""
        names = (each.name for each in fields(self) if each.name not in OF_FILE)
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@frozen
class DecodeSettings:
    """How sequences are labelled under a grammar; see `numbat.labels.constraints.Constraints`.

    `form` is that of the file, None where its name says it. `soft`: hard properties have their costs too; not `soft`:
    all have to hold; None: as the grammar says. `penalties` names a table of costs, `scheme` that of labels of chunks;
    None: the labels say it.
    """

    form: str | None = None
    construction: str | None = None
    daughters: Literal["labels", "runs", "chunks"] = "labels"
    scheme: str | None = None
    counting: str = "once"
    soft: bool | None = None
    penalties: str | None = None
    max_items: int = 5_000_000
