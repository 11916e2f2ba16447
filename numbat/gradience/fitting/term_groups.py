"""The terms of a fitted model in groups: by the relation that they count, and what is left by what it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from numbat.gradience.fitting.terms import OF_ALL

ALL_RELATIONS: Final = "all relations"
"""The group of sums over all relations: instances satisfied and violated, and costs."""
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    ALL_RELATIONS: ("satisfied", "violated", "cost", "cost of all"),
    "phrases": ("phrases", "trees", "fragments"),
    "unknown words": ("unknown words", "unknown words of all"),
    "length": ("words", "log words", "marks"),
    "frequencies": (
        *("likelihood", "categories", "readings", "familiarity", "least familiar"),
        *("rules", "rules never seen", "rarest rule", "rarest quarter of rules"),
    ),
    "tagger": ("confidence", "least confidence", "unsure", "agreement"),
}
"""The groups that are no relation, with the terms that have a name of their own."""
_GROUP: Final = {name: group for group, names in GROUPS.items() for name in names}
_OWNER: Final = re.compile(r"(?:(?P<grammar>.+): )?(?P<name>.+)")
_INSTANCES: Final = re.compile(r"(?:satisfied|violated) (?:.+ )?(?P<relation>\S+)")
_PHRASES: Final = re.compile(r"(?:phrases|root) .+")


class TermGroup(NamedTuple):
    """A relation, or another group of terms; those of a second grammar have its name."""

    name: str
    grammar: str = ""
    is_relation: bool = False

    def __str__(self) -> str:
        return self.term(self.name)

    def term(self, name: str) -> str:
        """The name of a term of the same grammar."""
        return f"{self.grammar}: {name}" if self.grammar else name


def group_of(term: str) -> TermGroup:
    """The group of a term: `linearity` of `violated NP linearity`."""
    owner = _OWNER.fullmatch(term)
    grammar, name = (owner["grammar"] or "", owner["name"]) if owner else ("", term)
    if instances := _INSTANCES.fullmatch(name.removesuffix(OF_ALL)):
        return TermGroup(instances["relation"], grammar, is_relation=True)
    return TermGroup("phrases" if _PHRASES.fullmatch(name) else _GROUP.get(name, name), grammar)


def grouped(terms: Iterable[str]) -> dict[TermGroup, list[int]]:
    """The places of the terms of each group, in the order in which groups come."""
    found: dict[TermGroup, list[int]] = {}
    for place, term in enumerate(terms):
        found.setdefault(group_of(term), []).append(place)
    return found
