"""Settings of suites and of the models that score them."""

from __future__ import annotations

from numbat.records import frozen
from numbat.settings import setting


@frozen
class SuiteSettings:
    """A suite and the way to read its sentences.

    `suite` is a file or a folder. `columns` are the names of its columns, separated by commas, if it has none, or
    translations such as `sentence=Satz`. With `pairs` every two lines are a minimal pair; with `group_by_id` items
    whose ids share that many initial parts are a group. With `hash_lines` lines that begin with `#` are not comments.
    `scale` is the scale of the ratings, such as `1-7`; with `z_scores` ratings are standardised within participants.
    In results of an experiment `element` names the elements with ratings, `only` the labels of trials that count, and
    `participant` the column with the participant. The others are as in `SentenceSettings`.
    """

    suite: str
    columns: str | None = setting(
        None,
        "--columns",
        "Names of the columns if the file has none (judgement,sentence) or other ones (sentence=Satz), or study.yaml.",
        metavar="NAMES",
        heading="Input",
    )
    pairs: bool = setting(
        False,
        "--pairs",
        "Every two lines are a minimal pair, the good sentence first unless signs say otherwise.",
        heading="Input",
    )
    group_by_id: int | None = setting(
        None,
        "--group-by-id",
        "Group the sentences whose ids share the first N parts, such as 32.1 of 32.1.a.01.",
        least=1,
        heading="Input",
        advanced=True,
    )
    hash_lines: bool = setting(
        False,
        "--hash-lines",
        "Read lines that begin with # instead of skipping them as comments.",
        heading="Input",
        advanced=True,
    )
    scale: str | None = setting(
        None, "--scale", "Scale of the ratings; others are reported and left out.", metavar="LOW-HIGH", heading="Input"
    )
    z_scores: bool = setting(
        False, "--z-scores", "Replace each rating by its z-score within the participant.", heading="Input"
    )
    element: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    participant: str | None = None
    tagged: bool = False
    tagger: str | None = None
    tag_map: str | None = None
    cuts: str | None = None


@frozen
class ModelSettings:
    """A gradience model or file of `numbat learn costs`, and weights: `grammar`, `equal` or `linearity=2`."""

    model: str = "cost"
    weights: str = "grammar"
