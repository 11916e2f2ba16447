"""Granularity: how dear the fragments of a parse are, from one deep tree (large) to chunks (small).

It is the beta of Prost's granularity: a factor of what the grammar states as `fragment_cost` (ruling 24).
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from numbat.errors import UsageError
from numbat.grammar.model import Grammar
from numbat.grammar.properties import LARGEST, UNIT
from numbat.parsing.policies import Profile


def scaled(grammar: Grammar, granularity: float, profile: Profile) -> Grammar:
    """The grammar with `granularity` times its fragment cost: itself where that is 1.

    Raises UsageError for what is no granularity, and where none has a meaning: for a grammar whose fragments cost
    nothing, and without H5, under which alone a parse is a row of fragments.
    """
    is_number = isinstance(granularity, int | float) and not isinstance(granularity, bool)
    if not is_number or not isfinite(granularity) or granularity < 0:
        raise UsageError(
            f"a granularity is a number from 0 on, not {granularity!r}\n"
            "  1 is the fragment_cost of the grammar; less makes chunks, more makes one deep tree"
        )
    if granularity == 1:
        return grammar
    if not profile.has("H5"):
        raise UsageError(
            "a granularity without H5\n  without H5 a parse is one constituent, not a row of fragments that are weighed"
        )
    if not grammar.fragment_cost:
        raise UsageError(
            "a granularity where fragments cost nothing\n"
            f"  it scales fragment_cost, which is 0 in {grammar.name or 'this grammar'}: set that first"
        )
    if grammar.fragment_cost * float(granularity) > LARGEST * UNIT:
        most = LARGEST * UNIT / grammar.fragment_cost
        raise UsageError(f"the granularity {granularity:g} makes fragments too dear\n  the greatest here is {most:g}")
    return replace(grammar, fragment_cost=round(grammar.fragment_cost * granularity))


def granularity_of(fragment_cost: float, grammar: Grammar) -> float:
    """The granularity under which a fragment costs so much. Raises UsageError where it costs nothing in the grammar."""
    if not grammar.fragment_cost:
        raise UsageError(
            "a fragment cost where fragments cost nothing\n"
            f"  fragment_cost is 0 in {grammar.name or 'this grammar'}: set it there"
        )
    return fragment_cost * UNIT / grammar.fragment_cost
