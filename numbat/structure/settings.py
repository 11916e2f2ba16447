"""Settings of learning structure from tags, and of drawing trees."""

from __future__ import annotations

from typing import Literal

from numbat.records import frozen


@frozen
class DrawSettings:
    """Settings of drawing trees of tagged sentences: `samples` of each of up to `max_length` words, by a `seed`."""

    samples: int = 20
    seed: int = 0
    max_length: int = 10


@frozen
class StructureSettings:
    """Settings of learning structure from tags.

    `source` is the format of the sentences, `column` that of their tags in CoNLL-U. Sentences have up to `max_length`
    words, without punctuation. `bias` is a kind of `structure.estimation`; `anneal` are schedules as
    START:STOP:STEP, `fixed` values that stay. `smoothing` and `initialisers` are lists of what is tried; with a
    `neighbourhood` contrastive estimation learns, with a prior of each `variance`. What is None is left to the grid.
    """

    source: str = "auto"
    column: Literal["upos", "xpos"] = "upos"
    max_length: int = 10
    bias: Literal["none", "locality", "segments"] = "locality"
    anneal: tuple[str, ...] = ()
    fixed: tuple[float, ...] = ()
    smoothing: tuple[float, ...] = ()
    initialisers: tuple[str, ...] = ()
    neighbourhood: str | None = None
    variance: tuple[float, ...] = ()
