"""Parsers by settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numbat.errors import UsageError
from numbat.grammar.model import Grammar
from numbat.parsing.policies import Limits
from numbat.runs.settings import ExpansionSettings

if TYPE_CHECKING:
    from numbat.parsing.treebank_parser import TreebankParser


NO_WEIGHTS: Final = "none"
"""In place of weights of trees: the likeliest tree is taken."""


def treebank_parser_of(grammar: Grammar, settings: ExpansionSettings, limits: Limits) -> TreebankParser:
    """Return the parser by expansions that is asked for.

    Raises UsageError, and the errors of the file of expansions.
    """
    from numbat.parsing.tree_model.scoring import packaged_weights, read_weights
    from numbat.parsing.treebank_grammar.expansions import read_expansions
    from numbat.parsing.treebank_parser import TreebankParser

    if settings.expansions is None:
        raise UsageError("no expansions to parse by\n  name their file")
    expansions = read_expansions(settings.expansions)
    limits = Limits(items=limits.items, seconds=limits.seconds)
    own = None if settings.properties else packaged_weights(settings.expansions)
    found = settings.weights or own or NO_WEIGHTS
    weights = None if found == NO_WEIGHTS else read_weights(found)
    return TreebankParser(grammar, expansions, settings.prune or None, settings.properties, limits, weights)
