"""Election rules of phase 8: each function chooses the valid candidates that enter the next round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final

from numbat.derivations import Derivations, Hyperedge
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.parsing.analysis import Cell, cell_of, fragment_cost_of, tie_order
from numbat.parsing.phases.phases import Site
from numbat.parsing.policies import COST_SHIFT, Valuation, Value
from numbat.records import frozen

Pending = dict[tuple[int, int], list[Constituent]]
"""Valid candidates that are not elected yet, by number of tokens and depth in a unary chain; small ones come first."""


Worth = Callable[[Constituent], float]
"""Function that scores a constituent; the combination with the greatest sum of scores is elected."""

WORTH_SHIFT: Final = 3 * COST_SHIFT
"""Number of bits by which scores are shifted above the valuation, which decides between equal scores."""
SCORE_UNIT: Final = 10**12
"""Scores are compared in steps of 1 / this: finer than the effect of one instance, coarser than rounding errors."""


def worth_value(constituent: Constituent, worth: Worth | None) -> Value:
    """Return what a constituent's score adds to the value of its combination; 0 if only the valuation decides."""
    return 0 if worth is None else -round(worth(constituent) * SCORE_UNIT) << WORTH_SHIFT


@frozen
class Ballot:
    """Input of an election: the valid candidates of this round, those pending from earlier rounds, and the site.

    `width` is the number of constituents that `beam` elects per cell. `worth` is the function by which
    `best-combination` elects, if not by the valuation.
    """

    valid: Sequence[Constituent]
    pending: Pending
    site: Site
    tokens: int
    grammar: Grammar
    valuation: Valuation
    width: int
    worth: Worth | None = None


@frozen
class ElectionResult:
    """Result of an election: elected constituents, next site, pending candidates, and rivals that lost.

    `packed` maps each elected constituent, by its `id`, to all candidates for the same cell.
    """

    elected: tuple[Constituent, ...]
    site: Site
    pending: Pending = field(default_factory=dict)
    packed: dict[int, tuple[Constituent, ...]] = field(default_factory=dict)


def _next_site(site: Site, elected: tuple[Constituent, ...]) -> Site:
    return Site(elected, (*site.old, *site.new))


def elect_all(ballot: Ballot) -> ElectionResult:
    """Elect every valid candidate, as in the paper's theory."""
    elected = tuple(ballot.valid)
    return ElectionResult(elected, _next_site(ballot.site, elected))


def elect_by_cell(ballot: Ballot) -> ElectionResult:
    """Elect the best candidate for each cell, small ones first, and keep its rivals (exact for both valuations).

    A candidate waits until no smaller candidate, nor one of its size lower in a unary chain, can still be built.
    """
    pending, cells = _next_cells(ballot)
    packed = {id(rivals[0]): tuple(rivals) for rivals in cells.values()}
    elected = tuple(rivals[0] for rivals in cells.values())
    return ElectionResult(elected, _next_site(ballot.site, elected), pending, packed)


def elect_beam(ballot: Ballot) -> ElectionResult:
    """Elect the `width` best candidates for each cell, small ones first."""
    pending, cells = _next_cells(ballot)
    elected = tuple(constituent for rivals in cells.values() for constituent in rivals[: ballot.width])
    return ElectionResult(elected, _next_site(ballot.site, elected), pending)


def _next_cells(ballot: Ballot) -> tuple[Pending, dict[Cell, list[Constituent]]]:
    """Return the candidates that keep waiting, and those of least size and depth by cell, each list best first."""
    pending = {key: list(waiting) for key, waiting in ballot.pending.items()}
    for constituent in ballot.valid:
        pending.setdefault((constituent.cover.bit_count(), constituent.depth), []).append(constituent)
    cells: dict[Cell, list[Constituent]] = {}
    if pending:
        for constituent in pending.pop(min(pending)):
            cells.setdefault(cell_of(constituent), []).append(constituent)

    order = tie_order(ballot.grammar)

    def merit(constituent: Constituent) -> tuple[object, ...]:
        return ballot.valuation.value(constituent.cost_units, constituent.gain_units), order.preference(constituent)

    return pending, {cell: sorted(rivals, key=merit) for cell, rivals in cells.items()}


def elect_combination(ballot: Ballot) -> ElectionResult:
    """Elect the best combination of candidates and constituents of the site that covers the input.

    It has at least one candidate. The next round uses only this combination, as in the paper's practice.
    """
    order = tie_order(ballot.grammar)
    everyone = [(c, True) for c in ballot.valid] + [(c, False) for c in (*ballot.site.old, *ballot.site.new)]
    starting: dict[int, list[tuple[Constituent, bool]]] = {}
    for member in sorted(everyone, key=lambda member: (order.rank(member[0]), not member[1])):
        starting.setdefault(member[0].start, []).append(member)
    full = (1 << ballot.tokens) - 1

    def alternatives(node: _Rest) -> list[Hyperedge[_Rest, tuple[Constituent, bool]]]:
        rest, candidate_needed = node
        hyperedges = []
        for constituent, is_candidate in starting.get((rest & -rest).bit_length() - 1, ()):
            left, needed = rest & ~constituent.cover, candidate_needed and not is_candidate
            if constituent.cover & rest == constituent.cover and (left or not needed):
                value = _value(constituent, ballot)
                hyperedges.append(Hyperedge(((left, needed),) if left else (), value, (constituent, is_candidate)))
        return hyperedges

    members = Derivations(alternatives).best((full, True))
    new = tuple(constituent for constituent, is_candidate in members if is_candidate)
    old = tuple(constituent for constituent, is_candidate in members if not is_candidate)
    return ElectionResult(new, Site(new, old) if new else Site(()))


def _value(constituent: Constituent, ballot: Ballot) -> Value:
    """Return what a constituent adds to the value of its combination; the least value wins."""
    cost = constituent.cost_units + fragment_cost_of((constituent,), ballot.tokens, ballot.grammar)
    return worth_value(constituent, ballot.worth) + ballot.valuation.value(cost, constituent.gain_units)


_Rest = tuple[int, bool]
"""Bit set of uncovered positions, and whether a candidate is still required."""


RULES: Final[dict[str, Callable[[Ballot], ElectionResult]]] = {
    "per-construction": elect_by_cell,
    "best-combination": elect_combination,
    "beam": elect_beam,
    "all": elect_all,
}
