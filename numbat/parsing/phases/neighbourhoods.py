"""Which constituents Assignation may put together, so that it need not make what the checkpoints drop anyway."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.parsing.phases.phases import Neighbourhood, Site
from numbat.parsing.policies import Profile

Admits = Callable[[Constituent], int]
"""The constructions of which a constituent can be a daughter (H3), as a bit set; -1 where H3 is off."""


def neighbourhood(site: Site, evaluator: Evaluator, profile: Profile) -> Neighbourhood:
    """The narrowest neighbourhood that loses nothing under the profile."""
    admits: Admits = (lambda constituent: evaluator.covering((constituent,))) if profile.has("H3") else _anything
    return Adjoining(site, admits) if profile.has("H2") else Anywhere(site, admits, distinct=profile.has("H1"))


def _anything(constituent: Constituent) -> int:
    return -1


class Anywhere:
    """Constituents from all over the site, in the order of their first words; `distinct` leaves out overlaps (H1)."""

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
    """Constituents that begin where the assignment ends, or end where it begins (H2, which implies H1)."""

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
