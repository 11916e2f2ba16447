"""What keeps daughters from making a phrase of a construction: the checkpoint or the rule that turns them away."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from numbat.evaluation.constituents import Assignment, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.model import Construction
from numbat.grammar.properties import Property
from numbat.parsing.policies import Profile

Kind = Literal["uncovered", "own daughter", "unary limit", "not spoken of", "nothing holds", "hard"]
"""H3; a phrase over one of its own construction alone, or too many over the same words (ruling 4); no property is
retrieved (ruling 8); H4; a hard property is violated (ruling 9)."""


class Obstacle(NamedTuple):
    """Why a construction is not built: `daughters` are those that it is about, `properties` those that are violated."""

    kind: Kind
    construction: str
    daughters: Assignment
    properties: tuple[Property, ...] = ()


def obstacle(
    evaluator: Evaluator, profile: Profile, construction: Construction, daughters: Assignment
) -> Obstacle | None:
    """The first thing that keeps the daughters, which are contiguous, from being a phrase; None: they are one."""
    name, table = construction.name, evaluator.table
    uncovered = [each for each in daughters if not table.covers(construction, each.construction, each.features)]
    if uncovered and profile.has("H3"):
        return Obstacle("uncovered", name, tuple(uncovered))
    if len(daughters) == 1 and daughters[0].construction == name:
        return Obstacle("own daughter", name, daughters)
    if len(daughters) == 1 and daughters[0].depth >= table.grammar.unary_limit:
        return Obstacle("unary limit", name, daughters)
    retrieved = evaluator.retrieve(daughters, name)
    if not retrieved:
        return Obstacle("not spoken of", name, daughters)
    both = evaluator.completed(name, evaluator.evaluate(name, retrieved, daughters), daughters)
    if profile.has("H4") and not any(instance.elements for instance in both.satisfied):
        return Obstacle("nothing holds", name, daughters, _properties(both.violated, about_absence=False))
    hard = [each for each in both.violated if profile.all_hard or each.property.hard]
    return Obstacle("hard", name, daughters, _properties(hard)) if hard else None


def _properties(instances: Collection[Instance], about_absence: bool = True) -> tuple[Property, ...]:
    """The properties of instances, each once; without `about_absence` only those that daughters retrieve."""
    found = {id(each.property): each.property for each in instances if each.elements or about_absence}
    return tuple(found.values())
