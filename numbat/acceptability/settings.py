"""Settings of suites and of the models that score them."""

from __future__ import annotations

from numbat.records import frozen
from numbat.settings import setting


@frozen
class SuiteSettings:
    """A suite and how its sentences are read.

    `suite` is a file or a folder, `columns` are the names of its columns with commas between them, where it does not
    give them, or what it calls them: `sentence=Satz`; with `pairs` every two lines are a minimal pair, with
    `group_by_id` items whose ids begin with so many equal parts are a group. `hash_lines`: a line that begins with `#`
    is no comment. `scale` is that of the ratings, as `1-7`; `z_scores`: they are taken as such within participants. In
    results of an experiment `element` names what gives ratings, `only` the labels of trials that count, `participant`
    the column that says who rated. The others as in `SentenceSettings`.
    """

    suite: str
    columns: str | None = setting(
        None,
        "--columns",
        "Names of the columns, if the file has none: judgement,sentence; its own: sentence=Satz; or study.yaml.",
        metavar="NAMES",
        heading="Input",
    )
    pairs: bool = setting(
        False, "--pairs", "Every two lines are a minimal pair; unless signs say it, good first.", heading="Input"
    )
    group_by_id: int | None = setting(
        None,
        "--group-by-id",
        "Sentences are a group whose ids begin with the same N parts, as 32.1 of 32.1.a.01.",
        least=1,
        heading="Input",
        advanced=True,
    )
    hash_lines: bool = setting(
        False,
        "--hash-lines",
        "Read lines that begin with #, which are comments otherwise.",
        heading="Input",
        advanced=True,
    )
    scale: str | None = setting(
        None, "--scale", "Scale of the ratings: others are told and left out.", metavar="LOW-HIGH", heading="Input"
    )
    z_scores: bool = setting(
        False, "--z-scores", "Take each rating as a z-score within its participant.", heading="Input"
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
    """A gradience model or file of `numbat learn costs`; what a property counts: `grammar`, `equal`, `linearity=2`."""

    model: str = "cost"
    weights: str = "grammar"
