"""Diagnoses: the sets of properties that parses violate which cost little more than the best one.

One mistake often has several explanations that cost about the same: in *the cats sleeps*, the noun or the verb may be
wrong. A diagnosis is a set of reasons, minimal by inclusion among the parses within a margin of the best. A reason is a
kind of violation at a place: violations with the same gloss, or of the same relation, that are about the same words are
one reason.

An analysis of a part of the sentence is dropped (`folding`) if another one has no reason that it lacks, and costs no
more: whatever the rest of the sentence is, the other one is at least as good. So the diagnoses are exact, unless an
item has more than `MOST` analyses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Construction
from numbat.parsing.analysis import Analysis, Diagnosis, Evaluated
from numbat.parsing.explanation.text import brackets
from numbat.parsing.explanation.violations import bearer, explain_prices, explain_violation
from numbat.parsing.folding import Folding, Partial, fold, parses_of
from numbat.parsing.parser import Nearby, Parser
from numbat.parsing.policies import MARGIN, Overdue, never
from numbat.parsing.result import Parse, Parses

MOST_TOLD: Final = 8
"""Maximum number of other diagnoses in the outcome of a parse."""
MOST: Final = 64
"""Maximum number of analyses kept for an item."""

Reason = tuple[str, tuple[int, ...]]
"""Kind of a violation, and the positions of the words that it is about."""
Reasons = frozenset[Reason]
FRAGMENTS: Final[Reason] = ("fragments", ())
"""Reason of a parse that is not one root."""


def diagnosed(
    parser: Parser, parse: Parse, margin: float, overdue: Overdue = never, nearby: Nearby | None = None
) -> Parse:
    """Return a parse with the best of the other diagnoses within a margin in its outcome."""
    others = diagnoses(parser, parse, margin, overdue, nearby)[1 : MOST_TOLD + 1]
    if not others:
        return parse
    diagnoses_ = tuple(
        Diagnosis(
            other.cost_units,
            other.violation_cost_units,
            explain_violation(other),
            explain_prices(other),
            brackets(other),
        )
        for other in others
    )
    return replace(parse, outcome=replace(parse.outcome, diagnoses=diagnoses_))


def diagnoses(
    parser: Parser,
    parse: Parse,
    margin: float = MARGIN,
    overdue: Overdue = never,
    nearby: Nearby | None = None,
) -> Parses:
    """Return a parse of a sentence, then one for each other diagnosis within a margin of a best one, by rising cost.

    The order is by the cost of violations and fragments, then by total cost, then by weight. There are no others if the
    parse is well-formed, if its search met a limit, if the grammar is shallow, or if the parser does not search by cost
    with the exact engine.
    """
    is_wrong = bool(parse.violated or parse.fragment_cost_units)
    if not is_wrong or parser.grammar.is_shallow:
        return Parses([parse])
    first = reasons_of(parse, parser.evaluator.table.constructions)
    cheapest: dict[Reasons, Partial[Reasons]] = {}
    for one in fold(parser, parse, nearby, margin, overdue, _Diagnosing):
        cheapest.setdefault(one.note, one)
    sets = {*cheapest, first}
    minimal = [note for note in cheapest if note != first and not any(few < note for few in sets)]
    others = parses_of(parser, parse, [cheapest[note] for note in minimal])
    others.sort(key=lambda one: (one.violation_cost_units + one.fragment_cost_units, one.cost_units, -one.weight_units))
    return Parses([parse, *others])


class _Diagnosing(Folding[Reasons]):
    """Analyses with their reasons, of which none has all reasons of a cheaper one."""

    def __init__(self, parser: Parser, parse: Parse, limit: int) -> None:
        super().__init__(parser, parse, limit, frozenset())

    def of_phrase(self, phrase: Constituent, parts: Reasons) -> Reasons:
        both, daughter = phrase.characterization, phrase.daughters.__getitem__
        return parts | frozenset(
            reason(Evaluated(one.property, phrase, tuple(map(daughter, one.elements)), False), self.constructions)
            for one in both.violated
        )

    def of_cover(self, top: Constituent, fragment_cost: int) -> Reasons:
        return frozenset((FRAGMENTS,)) if fragment_cost else frozenset()

    def joined(self, one: Reasons, other: Reasons) -> Reasons:
        return one | other

    def kept(self, ways: Sequence[Partial[Reasons]], rest: int, is_open: bool) -> list[Partial[Reasons]]:
        """Keep the cheapest that no other one beats.

        One beats another of the same daughters, or with the same bearer of features, on which reasons may depend.
        """
        if len(ways) == 1:
            return list(ways)
        kept: dict[object, list[Partial[Reasons]]] = {}
        number = 0
        for one in sorted(ways, key=lambda one: one.value):
            if number == MOST or self.level(one.value) + rest > self.limit:
                break
            bearers = tuple(bearer(part, self.constructions).start for part in one.constituents)
            rivals = kept.setdefault((one.nodes, bearers) if is_open else bearers, [])
            if not any(other.note <= one.note for other in rivals):
                rivals.append(one)
                number += 1
        return sorted((one for rivals in kept.values() for one in rivals), key=lambda one: one.value)


def reason(violated: Evaluated, constructions: Mapping[str, Construction]) -> Reason:
    """Return the reason that a violation is: its gloss or relation, and the words that bear the features.

    A violation about no element, as of an obligation, is about its constituent.
    """
    prop, constituent = violated.property, violated.constituent
    kind = prop.title or prop.type
    if not violated.elements:
        return kind, (constituent.start, constituent.end)
    return kind, tuple(sorted(bearer(element, constructions).start for element in violated.elements))


def reasons_of(analysis: Analysis, constructions: Mapping[str, Construction]) -> Reasons:
    """Return the reasons of a whole parse."""
    fragments: Sequence[Reason] = (FRAGMENTS,) if analysis.fragment_cost_units else ()
    return frozenset((*(reason(one, constructions) for one in analysis.violated), *fragments))
