"""The verbs by name: one line of help for each, and its command, whose module is loaded when it is asked for.

So a run of one verb starts without the others, and `numbat -h` without any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Final

import click

from numbat.cli.printing import keep_inputs

SHORT_HELP: Final = {
    "ablate": "Switch heuristics and relations off, one by one.",
    "bench": "Time of a parse by the words of the sentence.",
    "check": "Mistakes and doubts in a grammar.",
    "check-trees": "Judge the trees of a treebank by a grammar.",
    "compare": "What one grammar gains and loses against another.",
    "contrast": "What makes the difference between two sentences.",
    "convert": "Print a grammar in the notation or as YAML.",
    "coverage": "Which properties of a grammar a suite tests.",
    "decode": "Label sequences under the properties of a grammar.",
    "expansions": "Count refined expansions in a treebank.",
    "explain": "Why a sentence has its score.",
    "fit": "Learn the costs of violations from rated sentences.",
    "generate": "Sentences from a grammar, good or bad in one way.",
    "granularity": "From chunks to one deep tree: what fragments cost.",
    "importance": "What each relation matters in a learned model.",
    "induce": "Make a grammar from a treebank.",
    "join": "Join the outputs of the parts of a file.",
    "judge": "What a tree that you draw satisfies and violates.",
    "learn": "Learn what violations cost.",
    "parse": "Parse sentences, well-formed or not.",
    "repair": "The smallest changes that better a sentence.",
    "report": "Compare scores with the judgements of a suite.",
    "score": "Score parsed trees against gold trees.",
    "serve": "The workbench: a page in the browser.",
    "show": "The packaged grammars; one as tables or as a page.",
    "site": "The workbench as a page that needs no server.",
    "tag": "Train, run and score a tagger.",
    "test": "Whether a grammar judges a suite as expected.",
    "trees": "Convert a treebank.",
    "why-not": "What another analysis of a sentence would cost.",
}
"""What the list of `numbat -h` says of each, short enough for a terminal of 80 columns."""

Family = tuple[click.Command, ...]


def _parsing() -> Family:
    from numbat.cli import parsing

    return parsing.COMMANDS


def _joining() -> Family:
    from numbat.cli import joining

    return joining.COMMANDS


def _grammars() -> Family:
    from numbat.cli import grammars

    return grammars.COMMANDS


def _reasons() -> Family:
    from numbat.cli import reasons

    return reasons.COMMANDS


def _fitting() -> Family:
    from numbat.cli import fitting

    return fitting.COMMANDS


def _suites() -> Family:
    from numbat.cli import suites

    return suites.COMMANDS


def _treebanks() -> Family:
    from numbat.cli import treebanks

    return treebanks.COMMANDS


def _induction() -> Family:
    from numbat.cli import induction

    return induction.COMMANDS


def _tagging() -> Family:
    from numbat.cli import tagging

    return tagging.COMMANDS


def _decoding() -> Family:
    from numbat.cli import decoding
    from numbat.cli.learn import structure, weights

    decoding.learn.add_command(weights.weights)
    decoding.learn.add_command(structure.structure)
    return decoding.COMMANDS


def _learning() -> Family:
    from numbat.cli import learning

    return learning.COMMANDS


def _web() -> Family:
    from numbat.cli.web import serving

    return serving.COMMANDS


def _site() -> Family:
    from numbat.cli.web import writing

    return writing.COMMANDS


FAMILIES: Final[dict[Callable[[], Family], tuple[str, ...]]] = {
    _parsing: ("parse",),
    _joining: ("join",),
    _grammars: ("bench", "check", "convert", "generate", "granularity", "show"),
    _reasons: ("contrast", "explain", "judge", "repair", "why-not"),
    _fitting: ("fit",),
    _suites: ("ablate", "compare", "coverage", "report", "test"),
    _treebanks: ("check-trees", "expansions", "score", "trees"),
    _induction: ("induce",),
    _tagging: ("tag",),
    _decoding: ("decode", "learn"),
    _learning: ("importance",),
    _web: ("serve",),
    _site: ("site",),
}
"""The verbs of each module of this package."""


class Verbs(MutableMapping[str, click.Command]):
    """The commands by name, as click keeps them; a command is loaded with its family when it is asked for."""

    def __init__(self) -> None:
        self._load = {name: load for load, names in FAMILIES.items() for name in names}
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            for command in self._load[name]():
                self[str(command.name)] = command
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        command.short_help = SHORT_HELP[name]
        keep_inputs(command)
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._load[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load)

    def __len__(self) -> int:
        return len(self._load)
