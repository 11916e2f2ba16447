"""Settings of learning structure from tags, and of drawing trees."""

from __future__ import annotations

from typing import Literal

from numbat.records import frozen
from numbat.settings import learning, setting
from numbat.structure.model import MAX_LENGTH


def _numbers(text: str | None) -> tuple[float, ...]:
    """Return numbers with commas between them. Raises ValueError."""
    try:
        found = tuple(float(each) for each in (text or "").split(",") if each.strip())
    except ValueError:
        found = ()
    if text is not None and not found:
        raise ValueError(f'"{text}" is no list of numbers, as 0.1,1,10')
    if any(not -20 <= number <= 20 for number in found):
        raise ValueError("numbers from -20 to 20 are meant")
    return found


def _amounts(text: str | None) -> tuple[float, ...]:
    found = _numbers(text)
    if any(number < 1e-6 for number in found):
        raise ValueError("numbers from 0.000001 to 20 are meant")
    return found


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(each.strip() for each in (text or "").split(",") if each.strip())


@frozen
class DrawSettings:
    """Settings of drawing trees of tagged sentences: `samples` of each of up to `max_length` words, by a `seed`."""

    samples: int = learning(
        20, "--samples", "With --structure: trees that are drawn for each sentence.", least=1, most=1000, advanced=True
    )
    seed: int = 0
    max_length: int = setting(
        10,
        "--max-length",
        "With --structure: leave out longer sentences (without punctuation).",
        least=1,
        most=MAX_LENGTH,
        heading="Input",
    )


@frozen
class StructureSettings:
    """Settings of learning structure from tags.

    `source` is the format of the sentences, `column` that of their tags in CoNLL-U. Sentences have up to `max_length`
    words, without punctuation. `bias` is a kind of `structure.estimation`; `anneal` are schedules as
    START:STOP:STEP, `fixed` values that stay. `smoothing` and `initialisers` are lists of what is tried; with a
    `neighbourhood` contrastive estimation learns, with a prior of each `variance`. What is None is left to the grid.
    """

    source: str = "auto"
    column: Literal["upos", "xpos"] = setting(
        "upos",
        "--tags",
        "Column of CoNLL-U that has the tags: upos or xpos.",
        choices=("upos", "xpos"),
        metavar="COLUMN",
        heading="Input",
    )
    max_length: int = setting(
        10,
        "--max-length",
        "Leave out longer sentences (without punctuation).",
        least=2,
        most=MAX_LENGTH,
        heading="Input",
    )
    bias: Literal["none", "locality", "segments"] = learning(
        "locality",
        "--bias",
        "Towards short links (locality), many small trees (segments), or none.",
        choices=("locality", "segments", "none"),
        metavar="NAME",
    )
    anneal: tuple[str, ...] = learning(
        (),
        "--anneal",
        "Change the bias by steps, and learn at each; may be given several times "
        "[locality: -1:3:0.1, -0.4:3:0.05, -0.2:3:0.05; segments: -0.5:-3:-0.1, from 0, from 0.5].",
        metavar="START:STOP:STEP",
        advanced=True,
    )
    fixed: tuple[float, ...] = learning(
        (),
        "--fixed",
        "Values of a bias that stays, with commas between them.",
        metavar="VALUES",
        advanced=True,
        parse=_numbers,
    )
    smoothing: tuple[float, ...] = learning(
        (),
        "--smoothing",
        "What is added to counts (lambda), with commas between them [six from 0.2154 to 10].",
        metavar="VALUES",
        advanced=True,
        parse=_amounts,
    )
    initialisers: tuple[str, ...] = learning(
        (),
        "--initialisers",
        "Where learning begins: trees, distances, uniform [all three].",
        metavar="NAMES",
        advanced=True,
        parse=_names,
    )
    neighbourhood: str | None = learning(
        None,
        "--neighbourhood",
        "Contrastive estimation, against delete, transpose, delete-or-transpose or length.",
        choices=("delete", "transpose", "delete-or-transpose", "length"),
        metavar="KIND",
    )
    variance: tuple[float, ...] = learning(
        (),
        "--variance",
        "Of the prior of contrastive estimation [0.1,0.3,1,3,10].",
        metavar="VALUES",
        advanced=True,
        parse=_amounts,
    )


@frozen
class StructureFiles:
    """The files of learning structure: the model, trees that choose it, all candidates, and what was tried so far."""

    output: str
    for_spreadsheets: bool
    select: str | None = setting(
        None,
        "--select",
        "Trees that choose the model (default: the likelihood of a tenth of TAGS).",
        reads="file",
        metavar="TREES",
        heading="Input",
    )
    table: str | None = setting(
        None,
        "--candidates",
        "A file for all candidate models, as TSV.",
        writes="file",
        heading="Output",
    )
    state: str | None = setting(
        None,
        "--state",
        "The file for what was tried, until all is done [OUTPUT.state].",
        writes="file",
        heading="Many sentences",
    )
    resume: bool = setting(
        False, "--resume", "Go on from the state of a run that was stopped.", heading="Many sentences"
    )
