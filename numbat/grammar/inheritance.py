"""Inheritance of constructions, `SubjNP like NP:`, resolved when a grammar is built.

A construction takes over the statements of its parents, except those that its own statements replace. A property is
replaced by one with the same relation and operands, a `head`, `inherit` or `const` line by another such line, and all
rules for a feature by any rule for that feature. If two parents differ, the construction has to state what holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from numbat.errors import close_match_or
from numbat.grammar.declarations import Declarations
from numbat.grammar.model import Construction, FeatureRule
from numbat.grammar.names import format_name
from numbat.grammar.properties import Property, Strength, format_property
from numbat.grammar.statements import ConstructionStatement

K = TypeVar("K")
T = TypeVar("T")
PropertyKey = tuple[object, ...]
MAX_ANCESTORS: Final = 100
"""Maximum number of direct and indirect ancestors of a construction."""


def key_of(prop: Property) -> PropertyKey:
    """Return the key of a property within its construction."""
    return prop.relation, prop.operands, prop.features


def ancestors_of(declarations: Declarations, opened: Mapping[str, ConstructionStatement]) -> dict[str, tuple[str, ...]]:
    """Return the ancestors of each construction, nearest first; unknown parents and circles are errors."""
    ancestors: dict[str, tuple[str, ...]] = {}

    def above(name: str, below: tuple[str, ...]) -> tuple[str, ...]:
        if name not in ancestors:
            every: dict[str, None] = {}
            for parent in opened[name].parents:
                if parent in (*below, name):
                    path = (*below, name)
                    circle = " like ".join((*path[path.index(parent) :], str(parent)))
                    message = f"constructions inherit from each other in a circle: {circle}"
                    declarations.error(message, parent.span, 'remove "like" from one of them')
                elif parent in opened:
                    if len(below) < MAX_ANCESTORS:
                        every |= dict.fromkeys((str(parent), *above(str(parent), (*below, name))))
                    if len(every) > MAX_ANCESTORS or len(below) >= MAX_ANCESTORS:
                        message = f"{format_name(name)} inherits from more than {MAX_ANCESTORS} constructions"
                        declarations.error(message, parent.span, "state what they share in fewer constructions")
                        every = {}
                elif parent not in declarations.unread:
                    hint = close_match_or(parent, [*opened], f"the constructions are: {', '.join(opened)}")
                    declarations.error(f'"{parent}" is not a construction', parent.span, hint)
            ancestors[name] = tuple(every)
        return ancestors[name]

    for name in opened:
        above(name, ())
    return ancestors


class Heritage:
    """The statements that a construction takes over from its parents unless it replaces them (`stated`)."""

    def __init__(
        self, declarations: Declarations, opened: ConstructionStatement, parents: Sequence[Construction]
    ) -> None:
        self._declarations = declarations
        self._opened = opened
        self._parents = parents

    def strengths(self, stated: dict[str, Strength]) -> dict[str, Strength]:
        """Return the strengths stated for whole relations, with inherited ones where the construction states none."""
        return self._merged(
            [dict(construction.strengths) for construction in self._parents], stated, lambda name: f"all {name}"
        )

    def properties(
        self,
        stated: dict[PropertyKey, Property],
        dropped: Iterable[PropertyKey],
        settle: Callable[[Property], Property],
    ) -> dict[PropertyKey, Property]:
        """Return all properties and prices, inherited ones first; `settle` gives them weight and cost as they are here.

        Parents may differ in the properties `dropped`, which the construction removes.
        """
        inherited = sum(len(form.rules) for form in self._parents)
        if inherited and not self._declarations.count_inherited(inherited, self._opened.parents[0]):
            return stated
        name = str(self._opened.name)
        moved = [
            [settle(replace(prop, construction=name)) for prop in construction.rules] for construction in self._parents
        ]
        theirs = [{key_of(prop): prop for prop in of_parent} for of_parent in moved]
        first = {key: prop for of_parent in reversed(theirs) for key, prop in of_parent.items()}
        settled = {key: first[key] for key in dropped if key in first}  # parents may differ in a removed property
        return self._merged(theirs, {**settled, **stated}, lambda key: f'"{format_property(first[key])}"')

    def line(self, stated: T | None, keyword: str, of: Callable[[Construction], T | None]) -> T | None:
        """Return the value of a `head`, `inherit` or `const` line, stated or inherited; None if there is none."""
        by_keyword = {keyword: stated} if stated is not None else {}
        theirs = [{keyword: value} if (value := of(construction)) is not None else {} for construction in self._parents]
        return self._merged(theirs, by_keyword, str).get(keyword)

    def rules(self, rules: Sequence[FeatureRule]) -> tuple[FeatureRule, ...]:
        """Return the feature rules, inherited ones last."""
        theirs = [_by_feature(construction.feature_rules) for construction in self._parents]
        merged = self._merged(theirs, _by_feature(rules), "the rules of {}".format)
        stated = {rule.feature for rule in rules}
        return (*rules, *(rule for feature, several in merged.items() if feature not in stated for rule in several))

    def _merged(self, theirs: Sequence[Mapping[K, T]], stated: Mapping[K, T], text: Callable[[K], str]) -> dict[K, T]:
        """Return inherited and stated values; stated ones win. It is an error if parents differ in another value."""
        merged: dict[K, T] = {}
        whose: dict[K, str] = {}
        for parent, said in zip(self._parents, theirs, strict=True):
            for key, value in said.items():
                first = merged.setdefault(key, value)
                whose.setdefault(key, parent.name)
                if first != value and key not in stated:
                    self._differ(whose[key], parent.name, text(key))
        return {**merged, **stated}

    def _differ(self, one: str, other: str, about: str) -> None:
        place = next(parent for parent in self._opened.parents if parent == other)
        hint = f"state in {format_name(self._opened.name)} which of the two holds there"
        self._declarations.error(f"{format_name(one)} and {format_name(other)} differ in {about}", place.span, hint)


def _by_feature(rules: Sequence[FeatureRule]) -> dict[str, tuple[FeatureRule, ...]]:
    by_feature: dict[str, tuple[FeatureRule, ...]] = {}
    for rule in rules:
        by_feature[rule.feature] = (*by_feature.get(rule.feature, ()), rule)
    return by_feature
