"""The eight phases of Prost (2006), in the paper's order and under the paper's names.

The output of each phase is the input of the next one, so `loop` only has to connect them:

    1 Building Site ─ Site ─► 2 Assignation ─ Assignment ─► 3 Checkpoint Alpha ─ Assignment ─► 4 Appropriation
    ─ PropertyStore ─► 5 Checkpoint Bravo ─ PropertyStore ─► 6 Satisfaction ─ EvaluatedAssignment ─► 7 Formation
    ─ Constituent (a candidate) ─► 8 Polling Booth ─ Constituent (elected) ─► 1

The callback `dropped` is called for everything that a heuristic drops.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Protocol

from numbat.evaluation.constituents import Assignment, Characterization, Constituent, lexical_costs, word
from numbat.evaluation.evaluator import Evaluator, instantiate, phrase_template
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import Property
from numbat.records import frozen
from numbat.words.lattice import Lattice

Dropped = Callable[[str, Assignment], None]


def _ignore(heuristic: str, assignment: Assignment) -> None:
    """Ignore the drop."""


# 1 Building Site


@frozen
class Site:
    """Constituents that one round may combine to assignments: `new` ones, and `old` ones from earlier rounds."""

    new: tuple[Constituent, ...]
    old: tuple[Constituent, ...] = ()


def building_site(lattice: Lattice) -> Site:
    """Return the site of the first round: one constituent per part of speech of each word."""
    return Site(tuple([word(arc, cost) for arc, cost in lexical_costs(lattice)]))


# 2 Assignation


class Neighbourhood(Protocol):
    """Protocol for choosing the constituents that may extend an assignment, given the constructions that admit it."""

    def start(self, constituent: Constituent) -> int:
        """Return the constructions that admit this constituent as a daughter, as a bit set."""

    def before(self, assignment: Assignment, admitted: int) -> Iterable[tuple[Constituent, int]]:
        """Return the old constituents that may be prepended, each with the constructions that then admit them all."""

    def after(self, assignment: Assignment, admitted: int) -> Iterable[tuple[Constituent, int]]:
        """Return the constituents, old and new, that may be appended, each with the constructions as in `before`."""


def assignation(site: Site, neighbourhood: Neighbourhood) -> Iterator[Assignment]:
    """Yield all combinations of constituents, at least one of them new, in the order of their first words.

    Each combination grows from its first new constituent: old ones are prepended, then any are appended.
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
    assignments: Iterable[Assignment], profile: Profile, dropped: Dropped = _ignore
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
    """True if no two elements share a word (H1)."""
    seen = 0
    for constituent in assignment:
        if seen & constituent.cover:
            return False
        seen |= constituent.cover
    return True


def are_contiguous(assignment: Assignment) -> bool:
    """True if each element begins where the one before it ends (H2)."""
    return all(left.end == right.start for left, right in pairwise(assignment))


# 4 Appropriation


@frozen
class PropertyStore:
    """Properties gathered for an assignment, in the order of the grammar."""

    assignment: Assignment
    properties: tuple[Property, ...]


def appropriation(assignments: Iterable[Assignment], evaluator: Evaluator) -> Iterator[PropertyStore]:
    """Gather, for each assignment, the properties that its elements retrieve from the lookup table."""
    for assignment in assignments:
        yield PropertyStore(assignment, evaluator.retrieve(assignment))


# 5 Checkpoint Bravo


def checkpoint_bravo(
    stores: Iterable[PropertyStore], evaluator: Evaluator, profile: Profile, dropped: Dropped = _ignore
) -> Iterator[PropertyStore]:
    """Drop the properties of constructions that do not cover every element: H3 Full Coverage (ruling 7).

    An assignment that has no properties left is dropped, by H3 or because it never retrieved any.
    """
    for store in stores:
        kept = store.properties
        if profile.has("H3"):
            covering = evaluator.covering(store.assignment)
            kept = tuple(prop for prop in kept if covering >> evaluator.number[prop.construction] & 1)
        if kept:
            yield PropertyStore(store.assignment, kept)
        else:
            dropped("H3" if store.properties else "no property", store.assignment)


# 6 Satisfaction


@frozen
class EvaluatedAssignment:
    """Assignment with its characterization under each construction that has properties in its store."""

    assignment: Assignment
    characterizations: tuple[tuple[str, Characterization], ...]


def satisfaction(stores: Iterable[PropertyStore], evaluator: Evaluator) -> Iterator[EvaluatedAssignment]:
    """Evaluate each matching tuple of each property: SATISFIED or VIOLATED."""
    for store in stores:
        by_construction: dict[str, list[Property]] = {}
        for prop in store.properties:
            by_construction.setdefault(prop.construction, []).append(prop)
        yield EvaluatedAssignment(
            store.assignment,
            tuple(
                (name, evaluator.evaluate(name, properties, store.assignment))
                for name, properties in by_construction.items()
            ),
        )


# 7 Formation


def formation(stores: Iterable[EvaluatedAssignment], evaluator: Evaluator) -> Iterator[Constituent]:
    """Build a candidate for each construction that a property in the store triggers (ruling 8).

    The properties about absence, from the second index, complete the characterization of the candidate.
    """
    table = evaluator.table
    for evaluated in stores:
        for name, retrieved in evaluated.characterizations:
            if not is_legal_chain(name, evaluated.assignment, table.grammar.unary_limit):
                continue
            whole = evaluator.completed(name, retrieved, evaluated.assignment)
            template = phrase_template(evaluator, table.constructions[name], evaluated.assignment, whole)
            yield instantiate(name, evaluated.assignment, template)


def is_legal_chain(construction: str, assignment: Assignment, unary_limit: int) -> bool:
    """True if ruling 4 allows the phrase: an only daughter is of another construction, the unary chain not too long."""
    if len(assignment) > 1:
        return True
    (daughter,) = assignment
    return daughter.construction != construction and daughter.depth < unary_limit


# 8 Polling Booth


def polling_booth(
    candidates: Iterable[Constituent],
    evaluator: Evaluator,
    profile: Profile,
    dropped: Dropped = _ignore,
    bound: int | None = None,
) -> Iterator[Constituent]:
    """Yield the valid candidates: those that pass H4 Minimum Satisfaction and violate no hard property (ruling 9).

    `bound` is the cost of the best solution, if known; candidates that cost more are dropped. The election
    (`elections`) decides which of the valid candidates enter the next round.
    """
    for constituent in candidates:
        evaluated = constituent.characterization
        if profile.has("H4") and not evaluator.counts_for_h4(evaluated.satisfied):
            dropped("H4", (constituent,))
        elif any(profile.all_hard or instance.property.hard for instance in evaluated.violated):
            dropped("hard property", (constituent,))
        elif bound is not None and constituent.cost_units > bound:
            dropped("cost", (constituent,))
        else:
            yield constituent
