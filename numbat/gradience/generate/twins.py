"""The twin of a generated sentence: a well-formed one that differs from it in a single edit and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from numbat.gradience.generate.generated import Generated
from numbat.gradience.models.scores import scorer
from numbat.gradience.repair.edits import KINDS
from numbat.gradience.repair.repair import repairs
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Overdue, never
from numbat.parsing.result import Parse

CHANGED: Final = {"undouble": 1, "delete": 1, "insert": 1, "change": 2, "replace": 2}
"""How many words an edit takes away or brings in; one that is not here only moves words."""
MOST: Final = 5
"""So many repairs are looked at."""


def twin_of(
    parse: Parse, parser: Parser, overdue: Overdue = never, advance: Callable[[], object] = lambda: None
) -> Generated:
    """The least single edit that makes the sentence well formed; one that keeps its words where there is one.

    All other words keep their parts of speech: where the good sentence is good by another reading, the two differ in
    more than what is violated. `advance` is called after each edit that is tried.
    """
    for kinds in (("swap", "move"), KINDS):
        found = repairs(parse, parser, scorer("cost"), most=MOST, kinds=kinds, overdue=overdue, advance=advance)
        for mended in found:
            edit = mended.edits[0]
            if mended.parse.is_well_formed and differing(parse, mended.parse) <= CHANGED.get(edit.kind, 0):
                return Generated(parse, mended.parse, edit.says)
    return Generated(parse)


def differing(one: Parse, other: Parse) -> int:
    """How many words, with their parts of speech, only one of two parses has."""
    mine, theirs = (
        Counter((word.form.lower(), word.construction) for top in parse.constituents for word in top.words())
        for parse in (one, other)
    )
    return (mine - theirs).total() + (theirs - mine).total()
