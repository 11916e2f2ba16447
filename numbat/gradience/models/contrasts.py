"""Why a parse has its score: what each violated property takes away, and what tells two parses apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from numbat.evaluation.constituents import Characterization, Constituent
from numbat.gradience.models.scores import Score, Scorer
from numbat.grammar.properties import Property
from numbat.parsing.explanation.violations import explain_violation
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.parsing.analysis import Evaluated
    from numbat.parsing.result import Parse


@frozen
class Loss:
    """What the score would gain if one property were satisfied in one phrase, or if there were no fragments.

    `sentences` say in words what is violated there; `share` is the part of the sum of all losses, 0 where that is 0.
    """

    construction: str
    property: Property | None
    sentences: tuple[str, ...]
    value: float
    share: float = 0.0


@frozen
class Explanation:
    """A parse with its score, and what is lost by each violated property, the greatest loss first."""

    parse: Parse
    score: Score
    losses: tuple[Loss, ...]


def explain_score(parse: Parse, score: Scorer) -> Explanation:
    """Why a parse has its score."""
    return Explanation(parse, score(parse), losses(parse, score))


def losses(parse: Parse, score: Scorer) -> tuple[Loss, ...]:
    """What is lost, the greatest loss first.

    Each loss is found by mending that violation alone and scoring again, so that it means the same under every model;
    where a model multiplies, the losses need not add up to what a parse without violations would gain.
    """
    own = score(parse).value
    sentences = list(explain_violation(parse))
    about_fragments = sentences[: len(sentences) - len(parse.violated)]
    texts = sentences[len(about_fragments) :]
    groups: dict[tuple[int, Property], list[str]] = {}
    places: dict[int, Constituent] = {}
    for violated, text in zip(parse.violated, texts, strict=True):
        groups.setdefault((id(violated.constituent), violated.property), []).append(text)
        places[id(violated.constituent)] = violated.constituent
    found = []
    for (place, prop), said in groups.items():
        gain = score(mended(parse, places[place], prop)).value - own
        found.append(Loss(places[place].construction, prop, tuple(said), gain))
    if about_fragments:
        found.append(Loss("", None, tuple(about_fragments), _without_fragments(parse, score) - own))
    whole = sum(max(0.0, loss.value) for loss in found)
    shared = (replace(loss, share=max(0.0, loss.value) / whole) for loss in found) if whole else found
    return tuple(sorted(shared, key=lambda loss: -loss.value))


def _without_fragments(parse: Parse, score: Scorer) -> float:
    """The score without the cost of fragments, and without the factor for parses that are not full."""
    return score(replace(parse, outcome=replace(parse.outcome, fragment_cost=0))).unscaled


def mended(parse: Parse, place: Constituent, prop: Property) -> Parse:
    """The parse as if a property that is violated in one of its constituents were satisfied there."""
    tops = []
    for top in parse.constituents:
        rebuilt: dict[int, Constituent] = {}
        for node in reversed(list(top.walk())):
            daughters = tuple(rebuilt[id(daughter)] for daughter in node.daughters)
            changed = any(new is not old for new, old in zip(daughters, node.daughters, strict=True))
            new = node._replace(daughters=daughters) if changed else node
            if node is place:
                new = new._replace(characterization=_satisfying(node.characterization, prop))
            rebuilt[id(node)] = new
        tops.append(rebuilt[id(top)])
    return replace(parse, constituents=tuple(tops))


def _satisfying(both: Characterization, prop: Property) -> Characterization:
    moved = tuple(instance for instance in both.violated if instance.property == prop)
    left = tuple(instance for instance in both.violated if instance.property != prop)
    return Characterization(both.satisfied + moved, left)


@frozen
class Contrast:
    """Two parses side by side, their scores, and the property instances that only one violates, or only one has.

    `violated` counts how often more the first (above 0) or the second (below 0) violates a property, `satisfied` the
    same of satisfied instances; properties in which they do not differ are left out.
    """

    one: Score
    other: Score
    violated: tuple[tuple[Property, int], ...]
    satisfied: tuple[tuple[Property, int], ...]
    parses: tuple[Parse, Parse]


def contrast(one: Parse, other: Parse, score: Scorer) -> Contrast:
    """The properties that make the difference between two sentences."""
    return Contrast(
        score(one),
        score(other),
        _difference(one.violated, other.violated),
        _difference(one.satisfied, other.satisfied),
        (one, other),
    )


def _difference(one: Iterable[Evaluated], other: Iterable[Evaluated]) -> tuple[tuple[Property, int], ...]:
    """How often more the first has each property than the second, where they differ."""
    first, second = (Counter(each.property for each in evaluated) for evaluated in (one, other))
    return tuple((prop, first[prop] - second[prop]) for prop in {**first, **second} if first[prop] != second[prop])
