"""Settings as records: how sentences are parsed, where they come from, by what they are scored.

The command line makes them from options, a notebook from anything; every field has the default of its option.
`numbat.parses.verbs` makes parsers, suites and scorers of them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, Literal

from numbat.learning.tree_settings import TrainingSettings
from numbat.records import frozen
from numbat.settings import learning, setting

GRANULARITIES = "0,0.25,0.5,1,2,4"
"""The granularities that are tried where none are named."""


@frozen
class ExpansionSettings:
    """How sentences are parsed by expansions, as `numbat.TreebankParser` takes it, with names of files.

    `prune` 0 prunes nothing. Of a parser's other settings only the limits on items and seconds count.
    """

    expansions: str | None = setting(
        None, "--expansions", "Find the likeliest tree by these counts.", file=True, heading="Grammar"
    )
    prune: float = setting(
        6.0,
        "--prune",
        "With --expansions: leave out what is less likely by this natural logarithm; 0: nothing.",
        least=0,
        advanced=True,
    )
    properties: float = setting(
        0.0,
        "--properties",
        "With --expansions: how much the properties count in the choice among the ten likeliest trees.",
        least=0,
        heading="Grammar",
        advanced=True,
    )
    weights: str | None = setting(
        None,
        "--tree-weights",
        "With --expansions: choose trees by what numbat learn weights learned. Default: packaged weights of "
        "packaged expansions, without --properties; none: the likeliest tree.",
        file=True,
        heading="Grammar",
        advanced=True,
        formerly={"--weights": None},
    )


@frozen
class MarginSettings:
    """Settings of learning by max margin, and its material.

    `by` is the smallest part that a cost has of its own, `neighbours` are the kinds of them that good sentences have,
    `judgements` says whether judged sentences are compared with each other. `strength` is how strongly comparisons
    count, None where it is chosen on held-out ones; `rounds`, how often costs are learned and sentences parsed anew.
    """

    by: str = "construction"
    neighbours: tuple[str, ...] = ()
    judgements: bool = True
    strength: float | None = None
    rounds: int = 4


@frozen
class SentenceSettings:
    """Settings of reading sentences.

    `source` is the format of a treebank whose sentences are parsed, None where they are text; `words`: without their
    tags, `max_length`: up to so many words, `gold`: with their trees. Words of text carry categories if `tagged`,
    behind a `separator`. `tagger` names a model for words that the lexicon does not have, `tags` which of its labels
    count: `lattice`, every likely one, or `best`. `cuts` names a model that says which written words are several
    words, beside a tagger. `tag_map` is a file that says what tags are in the grammar. `split`
    is the language of running text that is split into sentences, empty for that of the grammar, None where each line
    is a sentence; `ends` names a tagger of where sentences end, which does it then. `source` `table` is a table of
    sentences with what is known of them.
    """

    source: str | None = None
    tagged: bool = False
    separator: str = "/"
    tagger: str | None = None
    tags: str = "lattice"
    tag_map: str | None = None
    cuts: str | None = None
    words: bool = False
    max_length: int | None = None
    gold: bool = False
    split: str | None = None
    ends: str | None = None

    @property
    def is_treebank(self) -> bool:
        """True if the sentences come from a file whose words have tags."""
        return self.source not in (None, TABLE)


TABLE: Final = "table"
"""The `source` that is no treebank: a table with a sentence a row."""


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
    columns: str | None = None
    pairs: bool = False
    group_by_id: int | None = None
    hash_lines: bool = False
    scale: str | None = None
    z_scores: bool = False
    element: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    participant: str | None = None
    tagged: bool = False
    tagger: str | None = None
    tag_map: str | None = None
    cuts: str | None = None


@frozen
class RatingSettings:
    """Results of an experiment, and how they are read, excluded and written; see `numbat.experiments.result_answers`.

    `columns` is a mapping file, or what fields are called: `rating=Note`. `answers` are words as ratings, `yes=1,no=0`,
    `scale` is the least and the greatest rating, `1-7`; `exclude` are files of rules and rules in their short form.
    """

    raw: tuple[str, ...]
    columns: str | None = None
    element: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    participant: str | None = None
    answers: str | None = None
    scale: str | None = None
    magnitude: bool = False
    decimal_comma: bool = False
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@frozen
class ModelSettings:
    """A gradience model or file of `numbat learn costs`; what a property counts: `grammar`, `equal`, `linearity=2`."""

    model: str = "cost"
    weights: str = "grammar"


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
class RunSettings:
    """Settings of working on many sentences.

    `jobs` processes (None: all cores where there are many sentences), each with `kill_after` seconds (0: no limit) and
    `max_memory` mebibytes for one sentence. `cluster` is the address of a scheduler of dask.distributed, whose workers
    do the work in the place of processes of this program, or `local`.
    """

    jobs: int | None = None
    kill_after: float = 600.0
    max_memory: int | None = None
    cluster: str | None = None


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


@frozen
class DrawSettings:
    """Settings of drawing trees of tagged sentences: `samples` of each of up to `max_length` words, by a `seed`."""

    samples: int = 20
    seed: int = 0
    max_length: int = 10


@frozen
class WeightSettings(TrainingSettings):
    """Settings of learning weights of trees.

    `features` are groups of features with commas between them. Sentences have up to `max_length` words; their forests
    have the trees that are up to `slack` less likely than the likeliest, pruned by `prune` (natural logarithms), by
    expansions counted on the other `folds`. `likelihood` is the weight of that likelihood. The table has 2 to the power
    of `bits` weights. `tune` chooses the penalty on a held-out tenth. The others as in `TrainingSettings`.
    """

    features: str = learning(
        "expansions,words",
        "--features",
        "Groups of features: expansions, properties, words, heads, auxiliary.",
        metavar="GROUPS",
    )
    likelihood: float = learning(
        1.0, "--likelihood", "The weight of the likelihood of the expansions.", least=0, metavar="X", advanced=True
    )
    tune: bool = learning(False, "--tune", "Choose --penalty on a tenth of the trees that is held out.")
    folds: int = learning(
        4,
        "--folds",
        "Parts of the trees, each with likelihoods by the expansions of the others.",
        least=2,
        metavar="N",
        most=100,
        advanced=True,
    )
    max_length: int = setting(40, "--max-length", "Leave out longer sentences.", least=1, metavar="N", heading="Input")
    slack: float = learning(
        10.0,
        "--slack",
        "How much less likely than the likeliest tree another may be, as a natural logarithm.",
        least=0,
        metavar="X",
        most=100,
        advanced=True,
    )
    prune: float = setting(
        7.0,
        "--prune",
        "Leave out of forests what is less likely by this natural logarithm.",
        least=0,
        metavar="X",
        advanced=True,
    )
    bits: int = learning(22, "--bits", "2^BITS weights at most.", least=10, metavar="N", most=24, advanced=True)

    def groups(self) -> tuple[str, ...]:
        """Return the groups of features."""
        return tuple(sorted({group.strip() for group in self.features.split(",")}))


@frozen
class StructureSettings:
    """Settings of learning structure from tags.

    `source` is the format of the sentences, `column` that of their tags in CoNLL-U. Sentences have up to `max_length`
    words, without punctuation. `bias` is a kind of `learning.structure.schedules`; `anneal` are schedules as
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
