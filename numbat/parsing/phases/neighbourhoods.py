"""Neighbourhoods restrict what Assignation combines, so that it makes few assignments that a checkpoint would drop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.profiles import Profile
from numbat.parsing.phases.phases import Neighbourhood, Site
from numbat.records import frozen

Admits = Callable[[Constituent], int]
"""Function from a constituent to the constructions that admit it as a daughter (H3), as a bit set; -1 without H3."""


def neighbourhood(site: Site, evaluator: Evaluator, profile: Profile, bound: int | None = None) -> Neighbourhood:
    """Return the narrowest neighbourhood that loses no assignment that costs at most `bound` and passes the profile."""
    admits: Admits = (lambda constituent: evaluator.covering((constituent,))) if profile.has("H3") else _anything
    near: Neighbourhood
    near = Adjoining(site, admits) if profile.has("H2") else Anywhere(site, admits, distinct=profile.has("H1"))
    return near if bound is None else Affordable(near, bound)


def _anything(constituent: Constituent) -> int:
    return -1


class Anywhere:
    """Constituents anywhere in the site, in the order of their first words; if `distinct`, without overlaps (H1)."""

    def __init__(self, site: Site, admits: Admits = _anything, distinct: bool = False) -> None:
        self._admits = admits
        self._distinct = distinct
        self._order = sorted((*site.old, *site.new), key=lambda constituent: constituent.start)
        self._rank = {id(constituent): i for i, constituent in enumerate(self._order)}
        self._new = {id(constituent) for constituent in site.new}

    def start(self, constituent: Constituent) -> int:
        return self._admits(constituent)

    def before(self, assignment: Assignment, admitted: int) -> Iterator[tuple[Constituent, int]]:
        earlier = self._order[: self._rank[id(assignment[0])]]
        return self._still((c for c in earlier if id(c) not in self._new), assignment, admitted)

    def after(self, assignment: Assignment, admitted: int) -> Iterator[tuple[Constituent, int]]:
        return self._still(self._order[self._rank[id(assignment[-1])] + 1 :], assignment, admitted)

    def _still(
        self, constituents: Iterable[Constituent], assignment: Assignment, admitted: int
    ) -> Iterator[tuple[Constituent, int]]:
        taken = 0
        for constituent in assignment if self._distinct else ():
            taken |= constituent.cover
        for constituent in constituents:
            if not taken & constituent.cover and (still := admitted & self._admits(constituent)):
                yield constituent, still


class Adjoining:
    """Constituents adjacent to the assignment: they begin at its end or end at its start (H2, which implies H1)."""

    def __init__(self, site: Site, admits: Admits = _anything) -> None:
        self._admits = admits
        self._starting: dict[int, list[Constituent]] = defaultdict(list)
        self._old_ending: dict[int, list[Constituent]] = defaultdict(list)
        for constituent in (*site.old, *site.new):
            self._starting[constituent.start].append(constituent)
        for constituent in site.old:
            self._old_ending[constituent.end].append(constituent)

    def start(self, constituent: Constituent) -> int:
        return self._admits(constituent)

    def before(self, assignment: Assignment, admitted: int) -> Iterator[tuple[Constituent, int]]:
        return self._still(self._old_ending.get(assignment[0].start, ()), admitted)

    def after(self, assignment: Assignment, admitted: int) -> Iterator[tuple[Constituent, int]]:
        return self._still(self._starting.get(assignment[-1].end, ()), admitted)

    def _still(self, constituents: Iterable[Constituent], admitted: int) -> Iterator[tuple[Constituent, int]]:
        for constituent in constituents:
            if still := admitted & self._admits(constituent):
                yield constituent, still


@frozen
class Affordable:
    """Another neighbourhood, restricted to assignments up to a cost; each costs at least the sum of its elements."""

    near: Neighbourhood
    bound: int

    def start(self, constituent: Constituent) -> int:
        return self.near.start(constituent) if constituent.cost_units <= self.bound else 0

    def before(self, assignment: Assignment, admitted: int) -> Iterator[tuple[Constituent, int]]:
        return self._still(self.near.before(assignment, admitted), assignment)

    def after(self, assignment: Assignment, admitted: int) -> Iterator[tuple[Constituent, int]]:
        return self._still(self.near.after(assignment, admitted), assignment)

    def _still(
        self, near: Iterable[tuple[Constituent, int]], assignment: Assignment
    ) -> Iterator[tuple[Constituent, int]]:
        left = self.bound - sum(constituent.cost_units for constituent in assignment)
        return ((constituent, still) for constituent, still in near if constituent.cost_units <= left)


@frozen
class Combinations:
    """Numbers of combinations of a site's constituents that include a new one: all, by H1, and by both H1 and H2."""

    every: int
    distinct: int
    contiguous: int

    def dropped(self, made: int, by: Sequence[str]) -> dict[str, int]:
        """Return, by heuristic or bound, how many combinations were not made because they would have been dropped.

        `made` is the number that was made; `by` names the heuristics and bound in force. Combinations that only a limit
        prevented are not counted.
        """
        first = {"H1": self.every - self.distinct, "H2": self.distinct - self.contiguous}
        if "H1" not in by:
            first = {"H2": self.every - self.contiguous}
        others = " or ".join(name for name in by if name not in first and name != "H1")
        return {**first, others: self.contiguous - made} if others else first


def combination_counts(site: Site) -> Combinations:
    """Count the combinations of a site's constituents, all of them contiguous, without building the combinations."""
    counts = [_counts(group) for group in ((*site.old, *site.new), site.old)]
    (every, distinct, contiguous), (old, old_distinct, old_contiguous) = counts
    return Combinations(every - old, distinct - old_distinct, contiguous - old_contiguous)


def _counts(constituents: Sequence[Constituent]) -> tuple[int, int, int]:
    """Return the numbers of non-empty sets, of sets without overlaps, and of sets without overlaps and gaps."""
    ends: dict[int, list[int]] = defaultdict(list)
    for constituent in constituents:
        ends[constituent.start].append(constituent.end)
    last = max((constituent.end for constituent in constituents), default=0)
    apart = [1] * (last + 1)  # sets without overlaps from a position on, including the empty set
    rows = [0] * (last + 1)  # rows without gaps that begin at a position
    for start in range(last - 1, -1, -1):
        apart[start] = apart[start + 1] + sum(apart[end] for end in ends[start])
        rows[start] = sum(1 + rows[end] for end in ends[start])
    return (1 << len(constituents)) - 1, apart[0] - 1, sum(rows)
