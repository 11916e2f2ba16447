"""What another analysis of a sentence would cost: the best parse beside the best one with a given constituent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from numbat.errors import UsageError
from numbat.grammar.model import Grammar
from numbat.parsing.explanation.wording import decimal
from numbat.parsing.parser import Parser
from numbat.parsing.queries.parse_with import ConstrainedParse, GivenConstituent, parse_with
from numbat.parsing.result import Parse
from numbat.source import close_match
from numbat.words.lattice import Lattice

PLACES: Final = re.compile(r"(\d+)-(\d+):(.+)")
"""A constituent as it is typed."""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The best parse, the best one with the constituent that was asked for, and in words what that costs more.

    `constrained` is None where no analysis with the constituent was found; then `says` has the reason.
    """

    best: Parse
    constrained: Parse | None
    says: str


def constituent_named(text: str, grammar: Grammar, sentence: str = "") -> GivenConstituent:
    """The constituent that is written `0-3:NP`.

    Raises UsageError, which says so where the `sentence` beside it is written like one.
    """
    match = PLACES.fullmatch(text)
    if match is None and PLACES.fullmatch(sentence):
        raise UsageError(
            f'"{text}" is no constituent, but "{sentence}" is\n  the constituent comes first: {sentence} "{text}"'
        )
    if match is None:
        raise UsageError(
            f'"{text}" is no constituent\n  write it as 0-3:NP: token positions, the end exclusive, category'
        )
    names = grammar.categories
    if match[3] not in names:
        bare = match[3].partition("[")[0]
        hint = f'leave the features out: "{bare}"' if bare in names else close_match(match[3], names)
        hint = hint or f"the categories are: {', '.join(names)}"
        raise UsageError(f'"{match[3]}" is no category of the grammar\n  {hint}')
    return GivenConstituent(int(match[1]), int(match[2]), match[3])


def why_not(parser: Parser, lattice: Lattice, given: GivenConstituent) -> WhyNot:
    """The answer for one constituent of a sentence. Raises UsageError where it cannot be asked for."""
    found = parse_with(parser, lattice, given)
    place = f'{given.category} over "{" ".join(lattice.tokens[given.start : given.end])}"'
    limits, best = _met(found), found.best
    if found.parse is None and limits:
        return WhyNot(best, None, f"no analysis that has {place} was found before the limit on {limits}")
    if found.parse is None:
        return WhyNot(best, None, f"no analysis has {place}: {_why(parser, given)}")
    if limits:
        cost = decimal(found.parse.cost)
        unknown = f"how far that is from the best is not known, for the limit on {limits} was met"
        return WhyNot(best, found.parse, f"{place} is in a parse that costs {cost}; {unknown}")
    return WhyNot(best, found.parse, f"{place} {_dearer(best, found.parse)}")


def _met(found: ConstrainedParse) -> str:
    """The limits that were met in either search."""
    return ", ".join(dict.fromkeys(limit for limit in (found.best.stopped_by, found.stopped_by) if limit))


def _dearer(best: Parse, constrained: Parse) -> str:
    """What the parse with the constituent costs more than the best one."""
    more = constrained.cost - best.cost
    less = _gain(best) - _gain(constrained)
    if best.valuation == "net" and more + less:
        return f"is worth {decimal(more + less)} less than the best parse"
    if more:
        return f"costs {decimal(more)} more than the best parse ({decimal(best.cost)})"
    return f"costs no more, but satisfies {decimal(less)} less" if less else "is in a best parse"


def _gain(parse: Parse) -> int:
    """What a parse satisfies, minus what its phrases cost."""
    return parse.weight - parse.nodes * parse.grammar.node_cost


def _why(parser: Parser, given: GivenConstituent) -> str:
    table = parser.evaluator.table
    construction = table.constructions.get(given.category)
    if construction is None:
        return f"it is a part of speech, and no word from {given.start} to {given.end} is one"
    names = ", ".join(dict.fromkeys(operand.category for operand in construction.daughters))
    return f"{given.category} is made of {names}, and not all of this can be put into those"
