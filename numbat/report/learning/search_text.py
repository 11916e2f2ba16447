"""What a search for structure found, as text."""

from __future__ import annotations

from collections.abc import Iterator

from numbat.errors import counted
from numbat.learning.grid import Chosen, StructureSearch, TagMaterial


def told_of_material(material: TagMaterial, most: int) -> str:
    """How many sentences there are to learn from, and how many were left out."""
    tags = {tag for sentence in material.sentences for tag in sentence.tags}
    told = f"{counted(len(material.sentences), 'sentence')} of up to {most} words, {counted(len(tags), 'tag')}"
    left_out = [f"{material.too_long:,} longer"] * bool(material.too_long)
    left_out += [f"{material.empty:,} without words"] * bool(material.empty)
    return told + (f"; {' and '.join(left_out)} left out" if left_out else "")


def told_of_search(search: StructureSearch) -> Iterator[str]:
    """The model that was taken, and what the other way to choose would have taken."""
    yield f"{counted(len(search.candidates), 'model')} learned on the way"
    if search.by_trees is not None:
        yield f"by the trees of {counted(search.judges, 'sentence')}: {_told(search.by_trees)}"
    of = counted(search.judges, "held-out sentence") if search.by_trees is None else "these sentences"
    yield f"by the likelihood of {of}: {_told(search.by_likelihood)}"
    if search.by_trees is None:
        yield (
            "chosen by likelihood alone, which is no reliable judge of structure: look at the trees before\n"
            "  you use them, or annotate some 100 sentences and add --select FILE"
        )


def _told(chosen: Chosen) -> str:
    condition, judged = chosen.candidate.condition, chosen.candidate.judged[0]
    at = "" if len(condition.schedule.values) == 1 else f", at {chosen.candidate.value:g}"
    told = f"{condition.id}{at}; mean log-likelihood {judged.likelihood:.2f}"
    links = judged.attachments
    return told if links is None else f"{told}, F {links.f1:.3f}, undirected {links.undirected:.3f}"
