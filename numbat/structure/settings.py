"""Settings for learning structure from tags and for sampling trees."""

from __future__ import annotations

from typing import Literal

from numbat.records import frozen
from numbat.settings import learning, setting
from numbat.structure.model import MAX_LENGTH


def _numbers(text: str | None) -> tuple[float, ...]:
    """Parse numbers separated by commas. Raises ValueError."""
    try:
        numbers = tuple(float(number) for number in (text or "").split(",") if number.strip())
    except ValueError:
        numbers = ()
    if text is not None and not numbers:
        raise ValueError(f'"{text}" is not a list of numbers such as 0.1,1,10')
    if any(not -20 <= number <= 20 for number in numbers):
        raise ValueError("use numbers from -20 to 20")
    return numbers


def _amounts(text: str | None) -> tuple[float, ...]:
    amounts = _numbers(text)
    if any(amount < 1e-6 for amount in amounts):
        raise ValueError("use numbers from 0.000001 to 20")
    return amounts


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


@frozen
class DrawSettings:
    """Settings for sampling trees: `samples` for each sentence of up to `max_length` words, from a `seed`."""

    samples: int = learning(
        20,
        "--samples",
        "With --structure: number of trees sampled for each sentence.",
        least=1,
        most=1000,
        advanced=True,
    )
    seed: int = 0
    max_length: int = setting(
        10,
        "--max-length",
        "With --structure: leave out sentences with more than N words, not counting punctuation.",
        least=1,
        most=MAX_LENGTH,
        heading="Input",
    )


@frozen
class StructureSettings:
    """Settings for learning structure from tags.

    `source` is the format of the sentences, `column` the CoNLL-U column of their tags. Sentences have up to
    `max_length` words, without punctuation. `bias` is a `BiasKind` of `structure.estimation`; `anneal` are schedules as
    START:STOP:STEP, `fixed` are constant values. `smoothing` and `initialisers` list the values to try; with a
    `neighbourhood`, contrastive estimation learns with a prior of each `variance`. Empty settings stand for
    the defaults of the grid.
    """

    source: str = "auto"
    column: Literal["upos", "xpos"] = setting(
        "upos",
        "--tags",
        "CoNLL-U column of the tags: upos or xpos.",
        choices=("upos", "xpos"),
        metavar="COLUMN",
        heading="Input",
    )
    max_length: int = setting(
        10,
        "--max-length",
        "Leave out sentences with more than N words, not counting punctuation.",
        least=2,
        most=MAX_LENGTH,
        heading="Input",
    )
    bias: Literal["none", "locality", "segments"] = learning(
        "locality",
        "--bias",
        "Bias towards short links (locality), many small trees (segments), or none.",
        choices=("locality", "segments", "none"),
        metavar="NAME",
    )
    anneal: tuple[str, ...] = learning(
        (),
        "--anneal",
        "Change the bias step by step and learn at each step; may be given several times "
        "[locality: -1:3:0.1, -0.4:3:0.05, -0.2:3:0.05; segments: -0.5:-3:-0.1, from 0, from 0.5].",
        metavar="START:STOP:STEP",
        advanced=True,
    )
    fixed: tuple[float, ...] = learning(
        (),
        "--fixed",
        "Constant values of the bias, separated by commas.",
        metavar="VALUES",
        advanced=True,
        parse=_numbers,
    )
    smoothing: tuple[float, ...] = learning(
        (),
        "--smoothing",
        "Values added to counts (lambda), separated by commas [six from 0.2154 to 10].",
        metavar="VALUES",
        advanced=True,
        parse=_amounts,
    )
    initialisers: tuple[str, ...] = learning(
        (),
        "--initialisers",
        "Initial models: trees, distances, uniform, separated by commas [all three].",
        metavar="NAMES",
        advanced=True,
        parse=_names,
    )
    neighbourhood: str | None = learning(
        None,
        "--neighbourhood",
        "Learn by contrastive estimation against delete, transpose, delete-or-transpose or length.",
        choices=("delete", "transpose", "delete-or-transpose", "length"),
        metavar="KIND",
    )
    variance: tuple[float, ...] = learning(
        (),
        "--variance",
        "Variances of the prior of contrastive estimation, separated by commas [0.1,0.3,1,3,10].",
        metavar="VALUES",
        advanced=True,
        parse=_amounts,
    )


@frozen
class StructureFiles:
    """Files for learning structure: the model, trees by which it is chosen, all candidates, and the state."""

    output: str
    for_spreadsheets: bool
    select: str | None = setting(
        None,
        "--select",
        "Trees by which the model is chosen (default: by the likelihood of a tenth of TAGS).",
        reads="file",
        metavar="TREES",
        heading="Input",
    )
    table: str | None = setting(
        None,
        "--candidates",
        "Write all candidate models to a TSV file.",
        writes="file",
        heading="Output",
    )
    state: str | None = setting(
        None,
        "--state",
        "File that keeps the results until all conditions are done [OUTPUT.state].",
        writes="file",
        heading="Many sentences",
    )
    resume: bool = setting(
        False, "--resume", "Continue from the state of an interrupted run.", heading="Many sentences"
    )
