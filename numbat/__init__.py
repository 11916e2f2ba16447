"""Numbat: a constraint-oriented Property Grammar parser and acceptability workbench.

    grammar = numbat.load_grammar("english")
    parse = numbat.Parser(grammar).parse("the cats sleeps")
    print(parse.tree())
"""

from numbat.errors import DataError, GrammarError, MissingExtraError, MissingFileError, NumbatError, UsageError
from numbat.grammar.loading import load_grammar, parse_grammar
from numbat.grammar.model import Grammar
from numbat.lattice import Arc, Lattice
from numbat.parsing.engine import Parser
from numbat.parsing.policies import Limits
from numbat.parsing.result import Parse
from numbat.version import __version__

__all__ = [
    "Arc",
    "DataError",
    "Grammar",
    "GrammarError",
    "Lattice",
    "Limits",
    "MissingExtraError",
    "MissingFileError",
    "NumbatError",
    "Parse",
    "Parser",
    "UsageError",
    "__version__",
    "load_grammar",
    "parse_grammar",
]
