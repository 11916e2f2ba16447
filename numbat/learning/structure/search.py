"""The outcome of a grid: its candidates, and the model that is taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numbat.learning.structure.grid import Candidate, Tried
from numbat.learning.structure.selection import WORTHS
from numbat.parsing.dependency_model.model import Column, DependencyModel
from numbat.records import frozen


@frozen
class Chosen:
    """A candidate that was chosen, by what, and its model."""

    by: str
    candidate: Candidate
    model: DependencyModel


@frozen
class StructureSearch:
    """All candidates of a grid; `by_trees` the one with the most right links in trees, None where there are none."""

    candidates: tuple[Candidate, ...]
    by_likelihood: Chosen
    by_trees: Chosen | None
    judges: int = 0
    """How many sentences judge."""

    @property
    def chosen(self) -> Chosen:
        """The one to take: by trees where there are some."""
        return self.by_trees or self.by_likelihood


def choice(found: Sequence[Tried], tags: tuple[str, ...], column: Column, judges: int = 0) -> StructureSearch:
    """The best of what was tried under all conditions, of equals the first."""
    candidates = tuple(candidate for tried in found for candidate in tried.candidates)

    def best(by: str, place: int) -> Chosen:
        every = [(tried.candidates[tried.best[place][0]], tried.best[place][1]) for tried in found]
        candidate, weights = max(every, key=lambda each: WORTHS[place](each[0].judged))
        told = f"{candidate.condition.id}, at {candidate.value:g}; chosen by {by}"
        return Chosen(by, candidate, DependencyModel(tags, weights.stop, weights.child, weights.root, column, told))

    has_trees = candidates[0].judged[0].attachments is not None
    return StructureSearch(candidates, best("likelihood", 0), best("trees", 1) if has_trees else None, judges)


def rows(search: StructureSearch) -> Iterator[tuple[str, ...]]:
    """A row for each candidate, the first with the names of columns: for a table."""
    yield (
        "bias", "first", "last", "value", "learner", "smoothing", "variance", "initialiser", "steps",
        "likelihood", "f1", "undirected",
    )  # fmt: skip
    for each in search.candidates:
        condition, judged = each.condition, each.judged[0]
        links = judged.attachments
        schedule = condition.schedule
        values = ("", "", "") if schedule.kind == "none" else (schedule.values[0], schedule.values[-1], each.value)
        contrastive = condition.neighbourhood is not None
        yield (
            schedule.kind,
            *(f"{value}" for value in values),
            condition.neighbourhood or "em",
            "" if contrastive else f"{condition.smoothing:g}",
            f"{condition.variance:g}" if contrastive else "",
            condition.initialiser,
            str(each.iterations),
            f"{judged.likelihood:.6f}",
            "" if links is None else f"{links.f1:.6f}",
            "" if links is None else f"{links.undirected:.6f}",
        )
