"""Constructions that take over what others state: `SubjNP like NP:`. It is resolved when a grammar is built.

Inheritance is by default: what a construction states itself replaces what a parent says of the same. A property is
replaced by one of the same relation on the same operands, `head`, `inherit` and `const` by another such line, and the
rules of a feature by any rule of that feature. Where two parents differ the construction has to say which holds.
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
"""So many constructions one may be like, those included that these are like."""


def key_of(prop: Property) -> PropertyKey:
    """Return what tells a property from the others of its construction."""
    return prop.relation, prop.operands, prop.features


def ancestors_of(declarations: Declarations, opened: Mapping[str, ConstructionStatement]) -> dict[str, tuple[str, ...]]:
    """Return the constructions from which each takes over, nearest first; unknown and circular ones are errors."""
    found: dict[str, tuple[str, ...]] = {}

    def above(name: str, below: tuple[str, ...]) -> tuple[str, ...]:
        if name not in found:
            every: dict[str, None] = {}
            for parent in opened[name].parents:
                if parent in (*below, name):
                    path = (*below, name)
                    circle = " like ".join((*path[path.index(parent) :], str(parent)))
                    declarations.error(f"this goes in a circle: {circle}", parent.span, "remove one of the two")
                elif parent in opened:
                    if len(below) < MAX_ANCESTORS:
                        every |= dict.fromkeys((str(parent), *above(str(parent), (*below, name))))
                    if len(every) > MAX_ANCESTORS or len(below) >= MAX_ANCESTORS:
                        message = f"{format_name(name)} is like more than {MAX_ANCESTORS} constructions in a row"
                        declarations.error(message, parent.span, "say what they share in fewer of them")
                        every = {}
                elif parent not in declarations.unread:
                    hint = close_match_or(parent, [*opened], f"the constructions are: {', '.join(opened)}")
                    declarations.error(f'"{parent}" is no construction to be like', parent.span, hint)
            found[name] = tuple(every)
        return found[name]

    for name in opened:
        above(name, ())
    return found


class Heritage:
    """What the parents of a construction say, and in its place what the construction says itself (`own`)."""

    def __init__(
        self, declarations: Declarations, opened: ConstructionStatement, parents: Sequence[Construction]
    ) -> None:
        self._declarations = declarations
        self._opened = opened
        self._parents = parents

    def strengths(self, own: dict[str, Strength]) -> dict[str, Strength]:
        """Return the strengths of relations, with those of the parents."""
        return self._merged(
            [dict(construction.strengths) for construction in self._parents], own, lambda name: f"all {name}"
        )

    def properties(
        self, own: dict[PropertyKey, Property], dropped: Iterable[PropertyKey], settle: Callable[[Property], Property]
    ) -> dict[PropertyKey, Property]:
        """Return the properties, with those of the parents first; `settle` gives one the strengths that hold here."""
        inherited = sum(len(form.properties) for form in self._parents)
        if inherited and not self._declarations.count_inherited(inherited, self._opened.parents[0]):
            return own
        name = str(self._opened.name)
        moved = [
            [settle(replace(prop, construction=name)) for prop in construction.properties]
            for construction in self._parents
        ]
        theirs = [{key_of(prop): prop for prop in of_parent} for of_parent in moved]
        first = {key: prop for of_parent in reversed(theirs) for key, prop in of_parent.items()}
        settled = {key: first[key] for key in dropped if key in first}  # what is left out may differ
        return self._merged(theirs, {**settled, **own}, lambda key: f'"{format_property(first[key])}"')

    def line(self, own: T | None, keyword: str, of: Callable[[Construction], T | None]) -> T | None:
        """Return what `head`, `inherit` or `const` say; None where no line does."""
        stated = {keyword: own} if own is not None else {}
        theirs = [{keyword: value} if (value := of(construction)) is not None else {} for construction in self._parents]
        return self._merged(theirs, stated, str).get(keyword)

    def rules(self, own: Sequence[FeatureRule]) -> tuple[FeatureRule, ...]:
        """Return the feature rules, own ones first."""
        theirs = [_by_feature(construction.feature_rules) for construction in self._parents]
        merged = self._merged(theirs, _by_feature(own), "the rules of {}".format)
        stated = {rule.feature for rule in own}
        return (*own, *(rule for feature, rules in merged.items() if feature not in stated for rule in rules))

    def _merged(self, theirs: Sequence[Mapping[K, T]], own: Mapping[K, T], text: Callable[[K], str]) -> dict[K, T]:
        """Return what the parents say and, in its place, what the construction says; parents that differ are errors."""
        merged: dict[K, T] = {}
        whose: dict[K, str] = {}
        for parent, said in zip(self._parents, theirs, strict=True):
            for key, value in said.items():
                first = merged.setdefault(key, value)
                whose.setdefault(key, parent.name)
                if first != value and key not in own:
                    self._differ(whose[key], parent.name, text(key))
        return {**merged, **own}

    def _differ(self, one: str, other: str, about: str) -> None:
        place = next(parent for parent in self._opened.parents if parent == other)
        hint = f"state it in {format_name(self._opened.name)}: what it says itself counts"
        self._declarations.error(f"{format_name(one)} and {format_name(other)} differ in {about}", place.span, hint)


def _by_feature(rules: Sequence[FeatureRule]) -> dict[str, tuple[FeatureRule, ...]]:
    found: dict[str, tuple[FeatureRule, ...]] = {}
    for rule in rules:
        found[rule.feature] = (*found.get(rule.feature, ()), rule)
    return found
