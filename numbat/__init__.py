"""Numbat: a constraint-oriented Property Grammar parser and acceptability workbench.

    grammar = numbat.load_grammar("english")
    parse = numbat.Parser(grammar).parse("the cats sleeps")
    print(parse.tree())

Names are imported on first use, so that the command line starts quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from numbat.version import __version__

if TYPE_CHECKING:
    from numbat.errors import (
        DataError,
        GrammarError,
        MissingExtraError,
        MissingFileError,
        NumbatError,
        UnwritableError,
        UsageError,
    )
    from numbat.grammar.loading import load_grammar, parse_grammar
    from numbat.grammar.model import Grammar
    from numbat.grammar.shallow import shallow_grammar
    from numbat.labels.constraints import Constraints
    from numbat.labels.label_lattice import LabelLattice
    from numbat.labels.relaxation import decode
    from numbat.labels.tagger import Tagger
    from numbat.parsing.parser import Parser
    from numbat.parsing.policies import Limits
    from numbat.parsing.result import Parse, Parses
    from numbat.parsing.treebank_parser import TreebankParser
    from numbat.words.lattice import Arc, Lattice

_HOMES = {
    "numbat.labels.constraints": ("Constraints",),
    "numbat.labels.label_lattice": ("LabelLattice",),
    "numbat.labels.relaxation": ("decode",),
    "numbat.errors": (
        "DataError",
        "GrammarError",
        "MissingExtraError",
        "MissingFileError",
        "NumbatError",
        "UnwritableError",
        "UsageError",
    ),
    "numbat.grammar.loading": ("load_grammar", "parse_grammar"),
    "numbat.grammar.model": ("Grammar",),
    "numbat.grammar.shallow": ("shallow_grammar",),
    "numbat.words.lattice": ("Arc", "Lattice"),
    "numbat.parsing.parser": ("Parser",),
    "numbat.parsing.policies": ("Limits",),
    "numbat.parsing.result": ("Parse", "Parses"),
    "numbat.parsing.treebank_parser": ("TreebankParser",),
    "numbat.labels.tagger": ("Tagger",),
}

__all__ = [
    "Arc",
    "Constraints",
    "DataError",
    "Grammar",
    "GrammarError",
    "LabelLattice",
    "Lattice",
    "Limits",
    "MissingExtraError",
    "MissingFileError",
    "NumbatError",
    "Parse",
    "Parser",
    "Parses",
    "Tagger",
    "TreebankParser",
    "UnwritableError",
    "UsageError",
    "__version__",
    "decode",
    "load_grammar",
    "parse_grammar",
    "shallow_grammar",
]


def __dir__() -> list[str]:
    """Return the public names, also those that are not loaded yet, for completion."""
    return __all__


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'numbat' has no attribute '{name}'")
