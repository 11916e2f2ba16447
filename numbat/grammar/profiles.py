"""Filtering profiles: which heuristics of Prost (2006) a run uses, and which election (ruling 18).

A grammar may declare further profiles (`Grammar.profiles`); `parsing.policies.profile_named` finds one by name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from numbat.records import frozen

Heuristic = Literal["H1", "H2", "H3", "H4", "H5"]
HEURISTICS: Final[dict[str, str]] = {
    "H1": "Distinct Constituents: no two elements of an assignment share a word",
    "H2": "Contiguity: the elements of an assignment are contiguous",
    "H3": "Full Coverage: each element is in the const of the construction, or its properties name it if there is none",
    "H4": "Minimum Satisfaction: at least one property holds",
    "H5": "Full Input Span: a solution spans exactly the input",
}

Election = Literal["per-construction", "best-combination", "beam", "all"]
ELECTIONS: Final[dict[str, str]] = {
    "per-construction": "the best constituent per span, construction, feature bundle and chain depth; exact",
    "best-combination": "one best valid combination a round, and only it is seen in the next (the paper)",
    "beam": "the k best constituents per span, construction, feature bundle and chain depth",
    "all": "every valid candidate (theory)",
}

Termination = Literal["exhausted", "first-solution"]
TERMINATIONS: Final[dict[str, str]] = {
    "exhausted": "rounds end when nothing new can be built",
    "first-solution": "rounds end as soon as one root that was elected spans the input (H5 as a rule of termination)",
}


@frozen
class Profile:
    """A filtering profile: heuristics in use, election, whether every property counts as hard, and when rounds end."""

    name: str
    heuristics: tuple[str, ...] = tuple(HEURISTICS)
    election: Election = "per-construction"
    all_hard: bool = False
    termination: Termination = "exhausted"

    def has(self, heuristic: Heuristic) -> bool:
        return heuristic in self.heuristics


def in_order(heuristics: Iterable[str]) -> tuple[str, ...]:
    """Return heuristics in the order of their numbers, each once."""
    chosen = set(heuristics)
    return tuple(heuristic for heuristic in HEURISTICS if heuristic in chosen)


DEFAULT: Final = "default"
"""Name of the profile of a run if neither the run nor the grammar names another one."""

PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile(DEFAULT),
        Profile("paper", election="best-combination"),
        Profile("strict", all_hard=True),
        Profile("loose", ("H1", "H2", "H5")),
        Profile("discontinuous", ("H1", "H3", "H4", "H5"), election="beam"),
    )
}
"""The profiles that every grammar has; their `termination` is replaced by the one that the grammar chooses."""
