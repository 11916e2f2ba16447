"""The eight phases of Prost (2006), in the paper's order and under the paper's names.

Each takes what the one before it gives, so that `engine` only wires them:

    1 Building Site ─ Site ─► 2 Assignation ─ Assignment ─► 3 Checkpoint Alpha ─ Assignment ─► 4 Appropriation
    ─ PropertyStore ─► 5 Checkpoint Bravo ─ PropertyStore ─► 6 Satisfaction ─ Ticked ─► 7 Formation
    ─ Constituent (a candidate) ─► 8 Polling Booth ─ Constituent (elected) ─► 1

`dropped` is told of everything that a heuristic turns away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from numbat.grammar.features import Bundle
from numbat.grammar.model import UNIT, Construction, Property
from numbat.lattice import Arc, Lattice
from numbat.parsing.chart import Assignment, Characterization, Constituent
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.phrase_features import features_of
from numbat.parsing.policies import Profile
from numbat.parsing.table import Table

Dropped = Callable[[str, Assignment], None]


def _silently(heuristic: str, assignment: Assignment) -> None:
    """Nobody wants to know."""


# 1 Building Site


@dataclass(frozen=True, slots=True)
class Site:
    """The constituents that assignments are made of in one round: the `new` ones and those built before."""

    new: tuple[Constituent, ...]
    old: tuple[Constituent, ...] = ()


def building_site(lattice: Lattice) -> Site:
    """The site of the first round: one constituent per part of speech of each word."""
    return Site(tuple([word(arc, cost) for arc, cost in lexical_costs(lattice)]))


def lexical_costs(lattice: Lattice) -> list[tuple[Arc, int]]:
    """The likeliest arc for each span, category and features, with its cost.

    A reading costs what it is less likely than the best reading of the same tokens; the best one costs 0 (ruling 3).
    """
    readings: dict[tuple[int, ...], list[Arc]] = {}
    for arc in lattice.arcs:
        readings.setdefault(arc[:2], []).append(arc)
    costs: list[tuple[Arc, int]] = []
    for arcs in readings.values():
        costs += _lexical_costs(arcs) if len(arcs) > 1 else [(arcs[0], 0)]
    return costs


def _lexical_costs(arcs: list[Arc]) -> list[tuple[Arc, int]]:
    """The same of the arcs over one span."""
    if len({arc.category for arc in arcs}) < len(arcs):
        likeliest: dict[tuple[str, Bundle], Arc] = {}
        for arc in arcs:
            if likeliest.setdefault(arc[3:5], arc).log_weight < arc.log_weight:
                likeliest[arc.category, arc.features] = arc
        arcs = list(likeliest.values())
    best = max([arc.log_weight for arc in arcs])
    return [(arc, round(loss * UNIT) if (loss := best - arc.log_weight) else 0) for arc in arcs]


def word(arc: Arc, cost: int) -> Constituent:
    """The constituent of a reading."""
    cover = (1 << arc.end) - (1 << arc.start)
    return Constituent(
        arc.category, cover, arc.features, form=arc.form, guessed=arc.guessed, cost=cost, lexical_cost=cost
    )


# 2 Assignation


class Neighbourhood(Protocol):
    """Which constituents may stand before and after those of an assignment, given what admits them so far."""

    def start(self, constituent: Constituent) -> int:
        """What admits an assignment of one constituent, as a bit set of constructions; 0 when nothing does."""

    def before(self, assignment: Assignment, admitted: int) -> Iterable[tuple[Constituent, int]]:
        """The old constituents that may be put in front, with what then still admits the assignment."""

    def after(self, assignment: Assignment, admitted: int) -> Iterable[tuple[Constituent, int]]:
        """The constituents, old and new, that may be put behind."""


def assignation(site: Site, neighbourhood: Neighbourhood) -> Iterator[Assignment]:
    """All combinations of one or more constituents, at least one of them new, in the order of their first words.

    Each combination grows from its first new constituent: old ones in front of it, then any behind.
    """
    for seed in site.new:
        pending: deque[tuple[Assignment, int, bool]] = deque([((seed,), neighbourhood.start(seed), True)])
        while pending:
            assignment, admitted, may_grow_left = pending.popleft()
            if not admitted:
                continue
            yield assignment
            for constituent, still in neighbourhood.after(assignment, admitted):
                pending.append(((*assignment, constituent), still, False))
            if may_grow_left:
                for constituent, still in neighbourhood.before(assignment, admitted):
                    pending.append(((constituent, *assignment), still, True))


# 3 Checkpoint Alpha


def checkpoint_alpha(
    assignments: Iterable[Assignment], profile: Profile, dropped: Dropped = _silently
) -> Iterator[Assignment]:
    """Drop illegal assignments: H1 Distinct Constituents, H2 Contiguity."""
    for assignment in assignments:
        if profile.has("H1") and not are_distinct(assignment):
            dropped("H1", assignment)
        elif profile.has("H2") and not are_contiguous(assignment):
            dropped("H2", assignment)
        else:
            yield assignment


def are_distinct(assignment: Assignment) -> bool:
    """H1: no two elements share a constituent, that is a word."""
    seen = 0
    for constituent in assignment:
        if seen & constituent.cover:
            return False
        seen |= constituent.cover
    return True


def are_contiguous(assignment: Assignment) -> bool:
    """H2: each element begins where the one before it ends."""
    return all(left.end == right.start for left, right in pairwise(assignment))


# 4 Appropriation


@dataclass(frozen=True, slots=True)
class PropertyStore:
    """The properties gathered for an assignment, in the order of the grammar."""

    assignment: Assignment
    properties: tuple[Property, ...]


def appropriation(assignments: Iterable[Assignment], evaluator: Evaluator) -> Iterator[PropertyStore]:
    """Gather the properties that the operands present retrieve from the lookup table."""
    for assignment in assignments:
        yield PropertyStore(assignment, evaluator.retrieve(assignment))


# 5 Checkpoint Bravo


def checkpoint_bravo(
    stores: Iterable[PropertyStore], evaluator: Evaluator, profile: Profile, dropped: Dropped = _silently
) -> Iterator[PropertyStore]:
    """H3 Full Coverage: drop the properties of constructions that do not cover every element (ruling 7).

    An assignment whose store is empty then is dropped.
    """
    for store in stores:
        kept = store.properties
        if profile.has("H3"):
            covering = evaluator.covering(store.assignment)
            kept = tuple(prop for prop in kept if covering >> evaluator.number[prop.construction] & 1)
        if kept:
            yield PropertyStore(store.assignment, kept)
        else:
            dropped("H3" if profile.has("H3") else "no property", store.assignment)


# 6 Satisfaction


@dataclass(frozen=True, slots=True)
class Ticked:
    """An assignment with the characterization that each construction of its store gives it."""

    assignment: Assignment
    characterizations: tuple[tuple[str, Characterization], ...]


def satisfaction(stores: Iterable[PropertyStore], evaluator: Evaluator) -> Iterator[Ticked]:
    """Tick each matching tuple of each property SATISFIED or VIOLATED."""
    for store in stores:
        by_construction: dict[str, list[Property]] = {}
        for prop in store.properties:
            by_construction.setdefault(prop.construction, []).append(prop)
        yield Ticked(
            store.assignment,
            tuple(
                (name, evaluator.tick(name, properties, store.assignment))
                for name, properties in by_construction.items()
            ),
        )


# 7 Formation


def formation(ticked: Iterable[Ticked], evaluator: Evaluator) -> Iterator[Constituent]:
    """Build a candidate constituent for each construction that a property in the store triggers (ruling 8).

    The characterization is completed from the second index, by the properties about absence.
    """
    table = evaluator.table
    for ticks in ticked:
        for name, retrieved in ticks.characterizations:
            if not is_legal_chain(name, ticks.assignment, table.grammar.unary_limit):
                continue
            absence = evaluator.tick(name, table.by_construction.get(name, ()), ticks.assignment, absence=True)
            whole = Characterization(retrieved.satisfied + absence.satisfied, retrieved.violated + absence.violated)
            form = table.constructions[name]
            yield cast(name, ticks.assignment, mold(table, form, ticks.assignment, whole))


def is_legal_chain(construction: str, assignment: Assignment, unary_limit: int) -> bool:
    """Ruling 4: no constituent has one of its own construction as only daughter; unary chains are bounded."""
    if len(assignment) > 1:
        return True
    (daughter,) = assignment
    return daughter.construction != construction and daughter.depth < unary_limit


@dataclass(frozen=True, slots=True)
class Mold:
    """What constituents of a construction have in common whose daughters are alike: all that is not a sum over them."""

    features: Bundle
    characterization: Characterization
    cost: int
    gain: int


def mold(table: Table, construction: Construction, assignment: Assignment, ticks: Characterization) -> Mold:
    """The features of a phrase, its characterization, what it adds itself to cost and gain."""
    return Mold(
        features_of(table.origins[construction.name], assignment),
        ticks,
        ticks.cost,
        ticks.weight - table.grammar.node_cost,
    )


def cast(construction: str, assignment: Assignment, mold: Mold) -> Constituent:
    """The constituent of a construction over an assignment, with the sums of costs and gains of its whole tree."""
    cover, cost, gain, lexical_cost = 0, mold.cost, mold.gain, 0
    for daughter in assignment:
        cover |= daughter.cover
        cost += daughter.cost
        gain += daughter.gain
        lexical_cost += daughter.lexical_cost
    depth = assignment[0].depth + 1 if len(assignment) == 1 else 1
    return Constituent(
        construction,
        cover,
        mold.features,
        depth,
        "",
        False,
        assignment,
        mold.characterization,
        cost,
        gain,
        lexical_cost,
    )


# 8 Polling Booth


def polling_booth(
    candidates: Iterable[Constituent], profile: Profile, dropped: Dropped = _silently
) -> Iterator[Constituent]:
    """The candidates that may be elected: H4 Minimum Satisfaction, and no hard property violated (ruling 9).

    Which of them enter the next round is the election's business (`elections`).
    """
    for constituent in candidates:
        ticks = constituent.characterization
        if profile.has("H4") and not any(instance.elements for instance in ticks.satisfied):
            dropped("H4", (constituent,))
        elif any(profile.all_hard or instance.property.hard for instance in ticks.violated):
            dropped("hard property", (constituent,))
        else:
            yield constituent
