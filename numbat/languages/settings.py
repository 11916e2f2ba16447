"""Settings of inducing grammars and languages."""

from __future__ import annotations

import os

from numbat.records import frozen
from numbat.settings import learning, setting
from numbat.structure.settings import DrawSettings


@frozen
class InduceAsked:
    """Settings of inducing a grammar or a language: the options of `numbat induce`."""

    paths: tuple[str, ...]
    source: str
    drawing: DrawSettings
    form: str
    for_spreadsheets: bool
    output: str | None = setting(
        None,
        "--output",
        "The grammar file, or a folder/ for a language; default: standard output.",
        writes="either",
        short="-o",
        heading="Output",
    )
    lexicon: str | None = setting(
        None, "--lexicon", "Write the lexicon and guess rules to this file.", writes="file", heading="Output"
    )
    rules: str | None = setting(
        None,
        "--rules",
        "Write the rules of the trees and their counts to this file.",
        writes="file",
        heading="Output",
        advanced=True,
    )
    name: str | None = setting(None, "--name", "The grammar's name; default: that of the file.", heading="Grammar")
    note: tuple[str, ...] = setting(
        (), "--note", "A line of comment for the top of the file; may be repeated.", heading="Output", advanced=True
    )
    support: int = learning(5, "--support", "Least number of occurrences in which a property is pertinent.", least=1)
    w0: float = learning(0.95, "--w0", "Least share of these that validates it.", least=0, most=1)
    count: int = learning(5, "--min-count", "Least number of occurrences of operands.", least=1, advanced=True)
    expected: float = learning(
        1.0,
        "--expected",
        "Exclusions and requirements that chance would violate less often are left out.",
        least=0,
        advanced=True,
    )
    hard: int | None = learning(
        None,
        "--hard-support",
        "Make properties hard that hold in all of at least N occurrences.",
        least=1,
        advanced=True,
    )
    weights: str = learning(
        "odds",
        "--weigh-by",
        "Weight and cost: odds (w1, log odds), w0 or w1 (both), or none.",
        choices=("odds", "w0", "w1", "none"),
        metavar="COUNT",
    )
    heads: str = learning(
        "auto",
        "--heads",
        "Obligation by a table of heads, auto, penn or french; or cover, greedy.",
        choices=("auto", "penn", "french", "cover"),
        metavar="TABLE",
    )
    functions: bool = learning(False, "--functions", "Keep functions in the labels: NP-SBJ, NOUN-nsubj.", advanced=True)
    punctuation: bool = learning(False, "--punctuation", "Keep punctuation.")
    tags: str = setting(
        "upos",
        "--tags",
        "Column of CoNLL-U that has the categories: upos or xpos.",
        choices=("upos", "xpos"),
        metavar="COLUMN",
        heading="Input",
    )
    structure: str | None = setting(
        None,
        "--structure",
        "TREES are tagged sentences: their trees come from this model of numbat learn structure.",
        reads="file",
        metavar="MODEL",
        heading="Grammar",
    )
    shown: int = setting(20, "-n", "How many proposals to show.", least=0, heading="Output")
    page: str | None = setting(
        None,
        "--html",
        "With --structure: write a page with a box to tick for each proposal, too.",
        writes="file",
        heading="Output",
    )
    without: tuple[str, ...] = learning(
        (),
        "--without",
        "Of a language: leave out weights of trees, which take longest.",
        choices=("weights",),
        metavar="PART",
    )
    keep_grammar: bool = setting(
        False,
        "--keep-grammar",
        "Make the other parts of a language anew, to follow its grammar as you have edited it.",
        heading="Output",
    )
    force: bool = setting(False, "--force", "Write over a language that is there.", heading="Output")

    @property
    def makes_language(self) -> bool:
        """True if the output is a folder."""
        return self.output is not None and (self.output.endswith(("/", os.sep)) or os.path.isdir(self.output))

    @property
    def notes(self) -> list[str]:
        """The lines of `--note`."""
        return list(filter(None, "\n".join(self.note).splitlines()))

    @property
    def lexicon_place(self) -> str:
        """The lexicon as it is named from the folder of the grammar; empty without one."""
        if not self.lexicon:
            return ""
        return os.path.relpath(self.lexicon, os.path.dirname(os.path.abspath(self.output)) if self.output else ".")
