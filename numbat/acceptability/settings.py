"""Settings of suites and of the models that score them."""

from __future__ import annotations

from numbat.records import frozen
from numbat.settings import setting


@frozen
class SuiteSettings:
    """A suite and the way to read its sentences.

    `suite` is a file or a folder. `columns` names its columns if it has no header, separated by commas; or translates
    names, as in `sentence=Satz`; or is a mapping file. With `pairs` every two lines are a minimal pair; with
    `group_by_id` items whose ids share that many initial parts are a group. With `hash_lines` lines that begin with `#`
    are not comments. `scale` is the range of the ratings, such as `1-7`; with `z_scores` ratings become z-scores among
    those of the same participant. In results of an experiment `element` names the elements with ratings, `only` the
    labels of trials that count, `participant` the column with the participant. For the rest see `SentenceSettings`.
    """

    suite: str
    columns: str | None = setting(
        None,
        "--columns",
        "Column names: a list, if the file has none (judgement,sentence); translations (sentence=Satz); or a file of "
        "these (study.yaml).",
        metavar="NAMES",
        heading="Input",
    )
    pairs: bool = setting(
        False,
        "--pairs",
        "Every two lines are a minimal pair; unless marked, the first is good.",
        heading="Input",
    )
    group_by_id: int | None = setting(
        None,
        "--group-by-id",
        "Group the sentences whose ids share their first N parts: with 2, 32.1 of 32.1.a.01.",
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
        None,
        "--scale",
        "Rating scale, such as 1-7; ratings outside are reported and left out.",
        metavar="LOW-HIGH",
        heading="Input",
    )
    z_scores: bool = setting(
        False, "--z-scores", "Replace each rating by its z-score among all ratings of the participant.", heading="Input"
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
    """The model that scores sentences, by name or as a file of `numbat learn costs`, and the weights of properties."""

    model: str = "cost"
    weights: str = "grammar"
