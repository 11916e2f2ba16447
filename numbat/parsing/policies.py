"""How a run is steered: the settings of a parser; profiles, valuations and elections, each named in one dict.

Ruling 18 lists the profiles, rulings 1 and 3 the valuations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any, Final, Literal

from numbat.errors import UsageError, close_match
from numbat.parsing.limits import Limits
from numbat.records import frozen
from numbat.settings import setting

Heuristic = Literal["H1", "H2", "H3", "H4", "H5"]
HEURISTICS: Final[dict[str, str]] = {
    "H1": "Distinct Constituents: no two elements of an assignment share a word",
    "H2": "Contiguity: the elements of an assignment are contiguous",
    "H3": "Full Coverage: each element is in the const of the construction, or its properties name it if there is none",
    "H4": "Minimum Satisfaction: at least one property holds",
    "H5": "Full Input Span: a solution spans exactly the input",
}

Value = int
"""What is minimised; values add up over a tree."""

COST_SHIFT: Final = 80
"""Costs weigh this many bits more than gains under `relaxation`: no sum of gains can outweigh the least cost."""


@frozen
class Valuation:
    """How cost and gain (weights of satisfied instances minus node costs) make one value; the least is the best."""

    name: str
    lexicographic: bool

    def value(self, cost: int, gain: int) -> Value:
        """What is minimised, of a cost and a gain in fixed-point units."""
        return (cost << COST_SHIFT) - gain if self.lexicographic else cost - gain

    def level(self, value: Value) -> int:
        """The cost in a value of `relaxation`, 0 under `net`: a sum of values never has a lower level than a part."""
        return (value + (1 << (COST_SHIFT - 1))) >> COST_SHIFT if self.lexicographic else 0


VALUATIONS: Final = {
    "relaxation": Valuation("relaxation", lexicographic=True),
    "net": Valuation("net", lexicographic=False),
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
    """The heuristics that are switched on, the election, whether every property counts as hard, when rounds end."""

    name: str
    heuristics: frozenset[str] = frozenset(HEURISTICS)
    election: Election = "per-construction"
    all_hard: bool = False
    termination: Termination = "exhausted"

    def has(self, heuristic: Heuristic) -> bool:
        return heuristic in self.heuristics


PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile("default"),
        Profile("paper", election="best-combination"),
        Profile("strict", all_hard=True),
        Profile("loose", frozenset({"H1", "H2", "H5"})),
        Profile("discontinuous", frozenset({"H1", "H3", "H4", "H5"}), election="beam"),
    )
}


@frozen
class ParserSettings:
    """How a parser parses: the arguments of `Parser`, which says what they mean, and the options of verbs that parse.

    `elect_by` is a valuation function, which takes a parse; or the name of a gradience model, which stands for one
    until `commands.preparing` makes a parser.
    """

    profile: str = setting(
        "default", "--profile", "default, paper, strict, loose or discontinuous.", metavar="NAME", page=True
    )
    election: str | None = setting(
        None,
        "--election",
        "Election: per-construction, best-combination, beam, all (default: the profile's).",
        metavar="NAME",
        advanced=True,
    )
    valuation: str = setting("relaxation", "--valuation", "What is best: relaxation (default) or net.", metavar="NAME")
    limits: Limits = Limits()
    without: Iterable[str] = setting(
        (), "--without", "Switch a heuristic off; may be repeated.", metavar="H1..H5", advanced=True, page=True
    )
    engine: str = setting("auto", "--engine", "Engine: auto (default), exact or phases.", metavar="NAME", advanced=True)
    check: bool = setting(False, "--check", "Compare each search with the evaluator.", advanced=True)
    granularity: float = setting(
        1.0,
        "--granularity",
        "Factor of what fragments cost.",
        metavar="X",
        least=0,
        heading="Grammar",
    )
    termination: str | None = setting(
        None,
        "--termination",
        "When rounds end: exhausted, or first-solution (H5; phases engine) (default: the grammar's).",
        metavar="NAME",
        advanced=True,
    )
    elect_by: Callable[[Any], float] | str | None = setting(
        None,
        "--elect-by",
        "With best-combination: elect by this gradience model, such as fitness or local.",
        metavar="MODEL",
        advanced=True,
    )

    def in_order(self) -> tuple[Any, ...]:
        """As `Parser` takes them after the grammar."""
        return tuple(getattr(self, each.name) for each in fields(self))


EVERYWHERE: Final = ("profile", "valuation", "granularity", "items", "states", "seconds")
"""Settings that are options of every verb that parses, in the order of the help."""
OF_PARSE: Final = (
    "assignments", "rounds", "constituents", "election", "width", "elect_by", "termination", "without", "engine",
)  # fmt: skip
"""Settings that are options of the verb `parse` only."""


def valuation_named(name: str) -> Valuation:
    """The valuation of that name. Raises UsageError."""
    return VALUATIONS[known(name, VALUATIONS, "valuation")]


def profile_named(
    name: str, election: str | None = None, without: Iterable[str] = (), termination: str = "exhausted"
) -> Profile:
    """The profile of that name, with another election, heuristics switched off, another end. Raises UsageError."""
    chosen = PROFILES[known(name, PROFILES, "profile")]
    if election is not None:
        chosen = replace(chosen, election=known(election, ELECTIONS, "election"))  # type: ignore[arg-type]
    off = frozenset(known(heuristic, HEURISTICS, "heuristic") for heuristic in without)
    ends = known(termination, TERMINATIONS, "termination")
    if ends == "first-solution" and ("H5" in off or not chosen.has("H5")):
        raise UsageError(
            "termination first-solution without H5\n  it is H5 that says what a solution is: leave one of them out"
        )
    return replace(chosen, heuristics=chosen.heuristics - off, termination=ends)  # type: ignore[arg-type]


def known(name: str, choices: Iterable[str], what: str) -> str:
    """The name, if it is one of the choices. Raises UsageError."""
    every = list(choices)
    if name not in every:
        hint = close_match(str(name), every) or f"choose from: {', '.join(every)}"
        raise UsageError(f'"{name}" is no {what}\n  {hint}')
    return name
