"""Settings for inducing grammars and languages."""

from __future__ import annotations

import os

from numbat.records import frozen
from numbat.settings import learning, setting
from numbat.structure.settings import DrawSettings


@frozen
class InduceAsked:
    """Settings for inducing a grammar or a language: the options of `numbat induce`."""

    paths: tuple[str, ...]
    source: str
    drawing: DrawSettings
    form: str
    for_spreadsheets: bool
    output: str | None = setting(
        None,
        "--output",
        "File for the grammar, or a folder/ for a language (default: standard output).",
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
    name: str | None = setting(None, "--name", "Name of the grammar; default: that of the file.", heading="Grammar")
    note: tuple[str, ...] = setting(
        (), "--note", "Comment line at the top of the file; may be repeated.", heading="Output", advanced=True
    )
    support: int = learning(5, "--support", "Minimum number of occurrences in which a property is pertinent.", least=1)
    w0: float = learning(0.95, "--w0", "Minimum share of these occurrences that satisfy the property.", least=0, most=1)
    count: int = learning(5, "--min-count", "Minimum number of times that an operand occurs.", least=1, advanced=True)
    expected: float = learning(
        1.0,
        "--expected",
        "Leave out exclusions and requirements that chance would violate fewer than X times.",
        least=0,
        advanced=True,
    )
    hard: int | None = learning(
        None,
        "--hard-support",
        "Make a property hard if it holds in all occurrences, and these are at least N.",
        least=1,
        advanced=True,
    )
    weights: str = learning(
        "odds",
        "--weigh-by",
        "Weight and cost: odds (w1 and the log odds), w0 or w1 (for both), or none.",
        choices=("odds", "w0", "w1", "none"),
        metavar="COUNT",
    )
    heads: str = learning(
        "auto",
        "--heads",
        "Obligatory daughters: by a head table (auto, penn or french), or by a greedy cover (cover).",
        choices=("auto", "penn", "french", "cover"),
        metavar="TABLE",
    )
    functions: bool = learning(
        False, "--functions", "Keep grammatical functions in the labels: NP-SBJ, NOUN-nsubj.", advanced=True
    )
    punctuation: bool = learning(False, "--punctuation", "Keep punctuation.")
    tags: str = setting(
        "upos",
        "--tags",
        "CoNLL-U column with the categories: upos or xpos.",
        choices=("upos", "xpos"),
        metavar="COLUMN",
        heading="Input",
    )
    structure: str | None = setting(
        None,
        "--structure",
        "Read TREES as tagged sentences, parsed with this model of numbat learn structure.",
        reads="file",
        metavar="MODEL",
        heading="Grammar",
    )
    shown: int = setting(20, "-n", "How many proposals to show.", least=0, heading="Output")
    page: str | None = setting(
        None,
        "--html",
        "With --structure: also write a page with a checkbox for each proposal.",
        writes="file",
        heading="Output",
    )
    without: tuple[str, ...] = learning(
        (),
        "--without",
        "For a language: leave out weights of trees, which take longest.",
        choices=("weights",),
        metavar="PART",
    )
    keep_grammar: bool = setting(
        False,
        "--keep-grammar",
        "Remake the other parts of a language after you have edited its grammar.",
        heading="Output",
    )
    force: bool = setting(False, "--force", "Overwrite an existing language.", heading="Output")

    @property
    def makes_language(self) -> bool:
        """True if the output is a folder, and so a language instead of a grammar file."""
        return self.output is not None and (self.output.endswith(("/", os.sep)) or os.path.isdir(self.output))

    @property
    def notes(self) -> list[str]:
        """All lines of all `--note` options."""
        return list(filter(None, "\n".join(self.note).splitlines()))

    @property
    def lexicon_place(self) -> str:
        """Path of the lexicon, relative to the folder of the grammar; "" without a lexicon."""
        if not self.lexicon:
            return ""
        return os.path.relpath(self.lexicon, os.path.dirname(os.path.abspath(self.output)) if self.output else ".")
