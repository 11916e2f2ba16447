"""Make parsers from settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numbat.errors import UsageError
from numbat.grammar.model import Grammar
from numbat.parsing.policies import Limits
from numbat.runs.settings import ExpansionSettings

if TYPE_CHECKING:
    from numbat.parsing.treebank_parser import TreebankParser


NO_WEIGHTS: Final = "none"
"""Value of `weights` that means no weights of trees: the likeliest tree is chosen."""


def treebank_parser_of(grammar: Grammar, settings: ExpansionSettings, limits: Limits) -> TreebankParser:
    """Return the parser by expansions for these settings. Raises UsageError, and errors from reading their files."""
    from numbat.parsing.tree_model.scoring import packaged_weights, read_weights
    from numbat.parsing.treebank_grammar.expansions import read_expansions
    from numbat.parsing.treebank_parser import TreebankParser

    if settings.expansions is None:
        raise UsageError("no expansions are given\n  name their file")
    expansions = read_expansions(settings.expansions)
    limits = Limits(items=limits.items, seconds=limits.seconds)
    packaged = None if settings.properties else packaged_weights(settings.expansions)
    path = settings.weights or packaged or NO_WEIGHTS
    weights = None if path == NO_WEIGHTS else read_weights(path)
    return TreebankParser(grammar, expansions, settings.prune or None, settings.properties, limits, weights)
