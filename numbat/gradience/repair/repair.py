"""The smallest changes of a sentence that better its score: all single edits, then a beam of two.

Of two edits, the second is tried on the best `beam` results of one (`search` finds single edits).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from numbat.gradience.models.scores import Score, Scorer
from numbat.gradience.repair.doubts import doubts_of
from numbat.gradience.repair.edits import KINDS, slots_of
from numbat.gradience.repair.search import LEAST, Advance, Repair, RepairSearch, without_doubles
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Overdue
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.lattice import Lattice

BEAM: Final = 5


class Repairs(list[Repair]):
    """Repairs, the best first; `stopped_by` names the limit at which the search ended, with edits left untried."""

    def __init__(self, found: Iterable[Repair] = (), stopped_by: str | None = None) -> None:
        super().__init__(found)
        self.stopped_by = stopped_by


def repairs(
    parse: Parse,
    parser: Parser,
    score: Scorer,
    edits: int = 1,
    beam: int = BEAM,
    most: int | None = None,
    kinds: Sequence[str] = KINDS,
    overdue: Overdue | None = None,
    advance: Advance = lambda: None,
) -> Repairs:
    """What betters the score of a parse, the greatest gain per edit first; nothing where no edit does.

    A repair must not cost more than the parse. With `most` the search ends when so many are known that no other goes
    before them. The `kinds` of edits are tried in this order. Nothing is tried where nothing is violated. The parser's
    limit of seconds is one for all edits; with `overdue`, a clock that was started before, one for the parse too.
    `advance` is called after each edit that is tried.
    """
    if not parse.constituents or parse.is_well_formed:
        return Repairs()
    search = RepairSearch(parse, parser, score, kinds, overdue or parser.limits.clock(), advance)
    found = search.singles(parse, slots_of(parse.lattice), (), None if most is None else most + beam * (edits > 1))
    if edits > 1 and (most is None or sum(one.parse.is_well_formed for one in found) < most):
        open_ends = [one for one in found if not one.parse.is_well_formed]
        for one in open_ends[:beam]:
            twos = search.singles(one.parse, one.edits[-1].slots, one.edits, most)
            # A second edit has to add something to the first.
            found += [two for two in twos if two.gain > one.gain + LEAST]
    return Repairs(without_doubles(found)[:most], search.stopped_by)


@frozen
class RepairedSentence:
    """The parse of a sentence with its score, and its repairs."""

    parse: Parse
    score: Score
    repairs: Repairs


def repair_sentence(
    lattice: Lattice,
    parser: Parser,
    score: Scorer,
    edits: int = 1,
    beam: int = BEAM,
    most: int | None = None,
    advance: Advance = lambda: None,
) -> RepairedSentence:
    """The parse of a sentence and its repairs, under one limit of seconds.

    Of the repairs that are found, those that gain the same stand in the order of how much speaks against them.
    """
    overdue = parser.limits.clock()
    parse = parser.parse(lattice)
    found = repairs(parse, parser, score, edits, beam, most, overdue=overdue, advance=advance)
    found.sort(key=lambda one: (*one.order[:2], len(doubts_of(one.parse))))
    return RepairedSentence(parse, score(parse), found)
