"""What another analysis of a sentence would cost: the best parse beside the best one with a given constituent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.grammar.model import Construction
from numbat.grammar.properties import format_demand, value_of
from numbat.parsing.explanation.obstacle_wording import made_of, told
from numbat.parsing.explanation.wording import decimal, enumerated
from numbat.parsing.obstacles import Obstacle, obstacle
from numbat.parsing.parser import Parser
from numbat.parsing.queries.parse_with import ConstrainedParse, GivenConstituent, parse_with
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.lattice import Lattice

MOST_DIVISIONS: Final = 5_000
"""So many ways to divide the words of a constituent are looked at for a reason."""


@frozen
class WhyNot:
    """The best parse, the best one with the constituent that was asked for, and in words what that costs more.

    `constrained` is None where no analysis with the constituent was found; then `says` has the reason.
    """

    best: Parse
    constrained: Parse | None
    says: str


def why_not(parser: Parser, lattice: Lattice, given: GivenConstituent) -> WhyNot:
    """The answer for one constituent of a sentence. Raises UsageError where it cannot be asked for."""
    found = parse_with(parser, lattice, given)
    place = (
        f'{given.category}{format_demand(given.features)} over "{" ".join(lattice.tokens[given.start : given.end])}"'
    )
    limits, best = _met(found), found.best
    if found.parse is None and limits:
        return WhyNot(best, None, f"no analysis that has {place} was found before the limit on {limits}")
    if found.parse is None:
        reason = missing_because(parser, given, found.within)
        return WhyNot(best, None, f"no analysis has {place}: {_worded(reason, parser, given, lattice)}")
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
    if best.outcome.valuation == "net" and more + less:
        return f"is worth {decimal(more + less)} less than the best parse"
    if more:
        return f"costs {decimal(more)} more than the best parse ({decimal(best.cost)})"
    return f"costs no more, but satisfies {decimal(less)} less" if less else "is in a best parse"


def _gain(parse: Parse) -> int:
    """What a parse satisfies, minus what its phrases cost."""
    return parse.weight - parse.nodes * parse.grammar.node_cost


@frozen
class Missing:
    """Why a search built no such constituent.

    `others` are constituents that differ from it in features alone. Else, where its words can be divided into
    constituents that may all be its daughters, `nearest` is what keeps those of one such division from making it, of
    `divisions` in all. Else `homeless` are the positions of words that are in no constituent that may be a daughter,
    and `alone` may say of the first of them why it becomes none alone.
    """

    others: tuple[Constituent, ...] = ()
    nearest: Obstacle | None = None
    divisions: int = 0
    homeless: tuple[int, ...] = ()
    alone: Obstacle | None = None


NEARNESS: Final = ("hard", "nothing holds", "not spoken of", "unary limit", "own daughter")
"""What comes nearest to being built first."""


def missing_because(parser: Parser, given: GivenConstituent, within: Sequence[Constituent]) -> Missing:
    """Why there is no such constituent, from all that the search built `within` its words."""
    whole = (1 << given.end) - (1 << given.start)
    others = tuple(each for each in within if each.cover == whole and each.construction == given.category)
    construction = parser.evaluator.table.constructions.get(given.category)
    if others or construction is None:
        return Missing(others)
    table, has_h3 = parser.evaluator.table, parser.profile.has("H3")
    usable = [e for e in within if not has_h3 or table.covers(construction, e.construction, e.features)]
    found = [
        obstacle(parser.evaluator, parser.profile, construction, daughters)
        for daughters in islice(_divisions(usable, given.start, given.end), MOST_DIVISIONS)
    ]
    obstacles = [each for each in found if each is not None]
    if obstacles:
        nearest = min(obstacles, key=lambda each: (NEARNESS.index(each.kind), len(each.daughters)))
        return Missing(nearest=nearest, divisions=len(obstacles))
    reached = {position for each in usable for position in range(each.start, each.end)}
    homeless = tuple(i for i in range(given.start, given.end) if i not in reached)
    words = [each for each in within if homeless and (each.start, each.end, each.depth) == (*_one(homeless[0]), 0)]
    return Missing(homeless=homeless, alone=_alone(parser, construction, words))


def _one(position: int) -> tuple[int, int]:
    return position, position + 1


def _alone(parser: Parser, construction: Construction, words: Sequence[Constituent]) -> Obstacle | None:
    """What keeps a word from being a phrase that may be a daughter of the construction."""
    table = parser.evaluator.table
    for name in dict.fromkeys(operand.category for operand in construction.daughters):
        phrase = table.constructions.get(name)
        for word in words if phrase is not None else ():
            assert phrase is not None
            found = obstacle(parser.evaluator, parser.profile, phrase, (word,))
            if found is not None and found.kind != "uncovered":
                return found
    return None


def _divisions(usable: Sequence[Constituent], start: int, end: int) -> Iterator[Assignment]:
    """The ways to fill the words from `start` to `end` by constituents; no two differ in unary chains alone."""
    starting: dict[int, list[Constituent]] = {}
    for each in usable:
        starting.setdefault(each.start, []).append(each)
    waiting: list[Assignment] = [()]
    while waiting:
        before = waiting.pop()
        position = before[-1].end if before else start
        if position == end:
            yield before
        else:
            waiting += [(*before, each) for each in reversed(starting.get(position, []))]


def _worded(reason: Missing, parser: Parser, given: GivenConstituent, lattice: Lattice) -> str:
    construction = parser.evaluator.table.constructions.get(given.category)
    if reason.others:
        return f"there {given.category} has {enumerated(_values(reason.others, given), 'or')}"
    if construction is None:
        return f"it is a part of speech, and no word from {given.start} to {given.end} is one"
    if reason.nearest is not None:
        more = f"; {reason.divisions} ways to divide these words fail" if reason.divisions > 1 else ""
        return told(reason.nearest, construction, parser.grammar.unary_limit) + more
    alone = reason.alone
    also = ""
    if alone is not None:
        phrase = parser.evaluator.table.constructions[alone.construction]
        also = f", for {told(alone, phrase, parser.grammar.unary_limit)}"
    return f"{made_of(construction)}, and {_unfilled(reason, lattice)}{also}"


def _values(others: Sequence[Constituent], given: GivenConstituent) -> list[str]:
    """What constituents have in place of the values that are asked for."""
    found: dict[str, None] = {}
    for each in others:
        has = [(feature, value_of(each.features, feature)) for feature, _ in given.features]
        found[" and ".join(f"{name}={value}" if value else f"no {name}" for name, value in has)] = None
    return list(found)


def _unfilled(reason: Missing, lattice: Lattice) -> str:
    """What of the words is no daughter of the construction."""
    if not reason.homeless:
        return "these words cannot be divided into such"
    words = enumerated([f'"{lattice.tokens[i]}"' for i in reason.homeless])
    return f"{words} can be in none of these" if len(reason.homeless) > 1 else f"{words} can be none of these"
