"""Settings for all runs: sentences, parsing by expansions, processes and clusters; defaults are those of options."""

from __future__ import annotations

from typing import Final

from numbat.records import frozen
from numbat.settings import MOST_SECONDS, setting

TREEBANKS: Final = (
    "auto",
    "ptb",
    "prd",
    "square",
    "discbracket",
    "export",
    "tiger",
    "alpino",
    "sinica",
    "conllu",
    "conllup",
    "malt",
    "pos",
)
"""Formats of treebanks for `--from`."""
TAGGED_FILES: Final = (*TREEBANKS, "text", "columns")
"""Formats of treebanks, and of tagged sentences without trees."""
LATTICES: Final = (*TAGGED_FILES, "cg3", "table")
"""Formats of all files with tags, of words with all their readings, and of tables of sentences with metadata."""


@frozen
class ExpansionSettings:
    """Settings for parsing by expansions, with names of files for what `numbat.TreebankParser` needs.

    With `prune` 0 nothing is pruned. Only the limits on items and seconds apply among a parser's other settings.
    """

    expansions: str | None = setting(
        None, "--expansions", "Find likeliest trees by counts of numbat expansions.", file=True, heading="Grammar"
    )
    prune: float = setting(
        6.0,
        "--prune",
        "With --expansions: prune constituents that are less likely by more than this natural logarithm; 0: none.",
        least=0,
        advanced=True,
    )
    properties: float = setting(
        0.0,
        "--properties",
        "With --expansions: weight of the properties in the choice among the ten likeliest trees.",
        least=0,
        heading="Grammar",
        advanced=True,
    )
    weights: str | None = setting(
        None,
        "--tree-weights",
        "With --expansions: weights of trees by numbat learn weights (default: packaged ones for packaged "
        "expansions, without --properties); none: the likeliest tree.",
        file=True,
        heading="Grammar",
        advanced=True,
    )


def _separator(typed: str | None) -> str:
    """Return the separator as typed. Raises ValueError if it is empty or contains blanks."""
    if not typed or typed.split() != [typed]:
        raise ValueError(f'"{typed}" cannot separate a word from its tag: write a character such as _')
    return typed


@frozen
class SentenceSettings:
    """Settings for reading sentences.

    `source` is the format of a treebank (or `table`, of sentences with metadata), None for text; with `words` its tags
    are ignored, with `gold` its trees are read; sentences with more than `max_length` words are left out. Words of text
    carry categories after a `separator` if `tagged`. `tagger` names a model for words that the lexicon does not have,
    `tags` says which of its labels to use: `lattice`, every likely one, or `best`; `cuts` names a model that splits
    written words. `tag_map` is a file that maps tags to categories. `split` is the language of running text, empty for
    the grammar's, None if each line is a sentence; `ends` names a tagger that finds the ends of sentences instead.
    """

    source: str | None = None
    tagged: bool = setting(False, "--tagged", "Words carry tags: word/TAG or word/TAG1|TAG2.", heading="Input")
    separator: str = setting(
        "/",
        "--separator",
        "Separator of words and tags in text: _ in word_TAG.",
        metavar="SIGN",
        heading="Input",
        advanced=True,
        parse=_separator,
    )
    tagger: str | None = setting(
        None,
        "--tagger",
        "Tagger for words that the lexicon does not have.",
        reads="tagger",
        metavar="MODEL",
        heading="Input",
    )
    tags: str = setting(
        "lattice",
        "--tagger-output",
        "Tags from the tagger: all likely ones with confidences (lattice), or only the best one.",
        choices=("lattice", "best"),
        metavar="KIND",
        heading="Input",
        advanced=True,
    )
    tag_map: str | None = setting(
        None,
        "--tag-map",
        "File that maps tags to categories (default: ptb.map, ftb.map, or the tags themselves).",
        reads="file",
        heading="Input",
        advanced=True,
    )
    cuts: str | None = None
    words: bool = setting(False, "--words", "With --from: ignore the tags.", heading="Input", advanced=True)
    max_length: int | None = setting(
        None,
        "--max-length",
        "With --from: leave out sentences with more than N words.",
        least=1,
        heading="Input",
        advanced=True,
    )
    gold: bool = setting(False, "--gold", "With --from: score the parses against the trees.", heading="Output")
    split: str | None = None
    ends: str | None = None

    @property
    def is_treebank(self) -> bool:
        """True if the sentences come from a file whose words have tags."""
        return self.source not in (None, TABLE)


TABLE: Final = "table"
"""The only `source` without tagged words: a table with a sentence in each row."""


@frozen
class RunSettings:
    """Settings for work on many sentences.

    There are `jobs` processes (None: one per core if there are many sentences), each with `kill_after` seconds (0: no
    limit) and `max_memory` mebibytes for one sentence. `cluster` is the address of a scheduler of dask.distributed
    whose workers replace these processes, or `local`.
    """

    jobs: int | None = setting(
        None,
        "--jobs",
        "Number of processes (default: all cores).",
        least=1,
        most=10_000,
        short="-j",
        heading="Many sentences",
    )
    kill_after: float = setting(
        600.0,
        "--kill-after",
        "With several processes: give up on a sentence after X seconds; 0: never.",
        least=0,
        most=MOST_SECONDS,
        heading="Many sentences",
        advanced=True,
    )
    max_memory: int | None = setting(
        None,
        "--max-memory",
        "With several processes: give up on a sentence that needs more memory than this.",
        least=1,
        metavar="MIB",
        heading="Many sentences",
        advanced=True,
    )
    cluster: str | None = setting(
        None,
        "--cluster",
        "Use a cluster of dask.distributed: address of its scheduler, or local to start one.",
        metavar="ADDRESS",
        heading="Many sentences",
        advanced=True,
    )
