"""Settings of all runs: the source of sentences, parsing by expansions, processes and clusters.

The command line makes them from options, a notebook from anything; every field has the default of its option.
"""

from __future__ import annotations

from typing import Final

from numbat.records import frozen
from numbat.settings import setting

TREEBANKS: Final = ("auto", "ptb", "discbracket", "export", "tiger", "sinica", "conllu", "malt")
"""The formats of treebanks, as `--from` takes them."""
TAGGED_FILES: Final = (*TREEBANKS, "text", "columns")
"""These, and those of tagged sentences without trees."""
LATTICES: Final = (*TAGGED_FILES, "cg3", "table")
"""These, words with all their readings, and sentences with what is known of them."""


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
    )


def _separator(typed: str | None) -> str:
    """Raises ValueError for blanks and for nothing, which part no words."""
    if not typed or typed.split() != [typed]:
        raise ValueError(f'"{typed}" parts no word from its tag: write a sign such as _')
    return typed


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
    tagged: bool = setting(False, "--tagged", "Words carry tags: word/TAG or word/TAG1|TAG2.", heading="Input")
    separator: str = setting(
        "/",
        "--separator",
        "Between a word and its tag in text: _ in word_TAG.",
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
        "What the tagger gives a word: every likely tag with its confidence (lattice), or the best one alone.",
        choices=("lattice", "best"),
        metavar="KIND",
        heading="Input",
        advanced=True,
    )
    tag_map: str | None = setting(
        None,
        "--tag-map",
        "The file that maps tags to categories (default: ptb.map, ftb.map, or the tags alone).",
        reads="file",
        heading="Input",
        advanced=True,
    )
    cuts: str | None = None
    words: bool = setting(
        False, "--words", "With --from: the words alone, not their tags.", heading="Input", advanced=True
    )
    max_length: int | None = setting(
        None, "--max-length", "With --from: leave out longer sentences.", least=1, heading="Input", advanced=True
    )
    gold: bool = setting(False, "--gold", "With --from: score the parses against the trees.", heading="Output")
    split: str | None = None
    ends: str | None = None

    @property
    def is_treebank(self) -> bool:
        """True if the sentences come from a file whose words have tags."""
        return self.source not in (None, TABLE)


TABLE: Final = "table"
"""The `source` that is no treebank: a table with a sentence a row."""


@frozen
class RunSettings:
    """Settings of working on many sentences.

    `jobs` processes (None: all cores where there are many sentences), each with `kill_after` seconds (0: no limit) and
    `max_memory` mebibytes for one sentence. `cluster` is the address of a scheduler of dask.distributed, whose workers
    do the work in the place of processes of this program, or `local`.
    """

    jobs: int | None = setting(
        None, "--jobs", "Number of processes (default: all cores).", least=1, short="-j", heading="Many sentences"
    )
    kill_after: float = setting(
        600.0,
        "--kill-after",
        "With several processes: give a sentence up after so many seconds; 0: never.",
        least=0,
        heading="Many sentences",
        advanced=True,
    )
    max_memory: int | None = setting(
        None,
        "--max-memory",
        "With several processes: give a sentence up that needs more memory.",
        least=1,
        metavar="MIB",
        heading="Many sentences",
        advanced=True,
    )
    cluster: str | None = setting(
        None,
        "--cluster",
        "Work on a cluster of dask.distributed: the address of its scheduler, or local to start one here.",
        metavar="ADDRESS",
        heading="Many sentences",
        advanced=True,
    )
