"""Settings of a parser, limits and clocks, valuations, and the choice of a profile.

Ruling 18 lists the profiles, rulings 1 and 3 the valuations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from math import isfinite
from threading import Lock, get_ident
from time import monotonic
from typing import Any, Final, SupportsIndex
from weakref import WeakMethod, WeakSet

from numbat import clock
from numbat.errors import UsageError, close_match
from numbat.grammar.model import Grammar
from numbat.grammar.profiles import ELECTIONS, HEURISTICS, PROFILES, TERMINATIONS, Profile, in_order
from numbat.grammar.properties import MAX_WEIGHT, UNIT
from numbat.records import frozen
from numbat.settings import MOST_SECONDS, range_of, setting

# Granularity, Prost's beta (ruling 24): the grammar's `fragment_cost` is multiplied by it. Large numbers make one deep
# tree, small ones make chunks.


def scaled(grammar: Grammar, granularity: float, profile: Profile) -> Grammar:
    """Return the grammar with `granularity` times its fragment cost.

    Raises UsageError for an invalid granularity, and for any but 1 if it would have no effect: if fragments cost
    nothing, or if H5 is off, because a parse is then not a row of fragments.
    """
    is_number = isinstance(granularity, int | float) and not isinstance(granularity, bool)
    if not is_number or not isfinite(granularity) or granularity < 0:
        raise UsageError(
            f"the granularity must be a number, 0 or more, not {granularity!r}\n"
            "  1 is the fragment_cost of the grammar; less makes chunks, more makes one deep tree"
        )
    if granularity == 1:
        return grammar
    if not profile.has("H5"):
        raise UsageError(
            f"the granularity {granularity:g} has no effect without H5\n"
            "  a parse is then one constituent, not a row of fragments: leave H5 on, or the granularity at 1"
        )
    if not grammar.fragment_cost_units:
        raise UsageError(
            f"the granularity {granularity:g} has no effect if fragments cost nothing\n"
            f"  it multiplies fragment_cost, which is 0 in {grammar.name or 'this grammar'}: set it there first"
        )
    if grammar.fragment_cost_units * float(granularity) > MAX_WEIGHT * UNIT:
        most = MAX_WEIGHT * UNIT / grammar.fragment_cost_units
        raise UsageError(
            f"the granularity {granularity:g} makes fragments too expensive\n  the maximum here is {most:g}"
        )
    return replace(grammar, fragment_cost_units=round(grammar.fragment_cost_units * granularity))


def granularity_of(fragment_cost: float, grammar: Grammar) -> float:
    """Return the granularity that makes fragments cost this much. Raises UsageError if they cost 0 in the grammar."""
    if not grammar.fragment_cost_units:
        raise UsageError(
            f"the fragment cost cannot be set to {fragment_cost:g} for a grammar in which fragments cost nothing\n"
            f"  fragment_cost is 0 in {grammar.name or 'this grammar'}: set it there"
        )
    return fragment_cost * UNIT / grammar.fragment_cost_units


Overdue = Callable[[], bool]
"""Clock: returns True once the time is up."""


def never() -> bool:
    """Clock of a search without a limit of seconds: the time is never up."""
    return False


def _limit(default: int | None, option: str, help: str) -> Any:
    return setting(default, option, help, least=1, advanced=True)


@frozen
class Limits:
    """Limits at which the search for the parse of a sentence stops; None is no limit.

    If a search met a limit, the parse is the best one found so far and names the limit (`stopped_by`). `seconds` bounds
    every search; `items` bounds the exact engine and the search by expansions; `rounds`, `assignments` and
    `constituents` bound the phases engine. `states` makes the exact engine a beam search, which keeps at most this
    number of unfinished constituents per span, the cheapest; if the items do not suffice, the engine chooses such a
    number itself (`exact.items.BeamBudget`). `width` is the number of constituents per cell that the `beam` election
    elects.
    """

    rounds: int | None = _limit(None, "--max-rounds", "Maximum number of rounds per sentence (phases engine).")
    assignments: int | None = _limit(
        50_000,
        "--max-assignments",
        "Maximum number of assignments per sentence (phases engine); then take the best so far.",
    )
    constituents: int | None = _limit(
        None, "--max-constituents", "Maximum number of constituents per sentence (phases engine)."
    )
    seconds: float | None = setting(
        None, "--max-seconds", "Maximum time per sentence in seconds.", above=0, most=MOST_SECONDS
    )
    items: int | None = _limit(
        600_000,
        "--max-items",
        "Maximum number of items per sentence (exact engine; default with --expansions: 3000000).",
    )
    states: int | None = _limit(
        None,
        "--max-states",
        "Beam: keep only the N cheapest unfinished constituents of each span (exact engine; approximate).",
    )
    width: int = _limit(5, "--beam", "Number of candidates that the election beam keeps.")

    def __post_init__(self) -> None:
        for field in fields(self):
            name, number = field.name, getattr(self, field.name)
            if number is None:
                continue
            fits = isinstance(number, SupportsIndex) or (name == "seconds" and isinstance(number, float))
            if not fits:
                wanted = "a number" if name == "seconds" else "a whole number"
                raise UsageError(f"the limit of {name} must be {wanted}, found {number!r}\n  None is no limit")
            within = range_of(field)
            assert within is not None
            if not number > 0:
                raise UsageError(f"the limit of {name} must be above 0, found {number}\n  None is no limit")
            if not within.has(number):
                raise UsageError(f"the limit of {name} must be {within}\n  None is no limit")

    def clock(self) -> Overdue:
        """Return a clock that starts now and returns True once the limit of seconds has passed."""
        if self.seconds is None:
            return never
        clock.renew()
        end = monotonic() + self.seconds
        return lambda: monotonic() > end

    def describe(self, name: str) -> str:
        """Format a limit that was met: `items (300,000)`, `states (5 a span)`, `seconds (0.5)`.

        The result is `seconds` alone if the clock came from elsewhere and these limits have no seconds.
        """
        number = getattr(self, name)
        if number is None:
            return name
        figure = f"{number:g}" if name == "seconds" else f"{number:,}"
        return f"{name} ({figure} a span)" if name == "states" else f"{name} ({figure})"


Value = int
"""Number that a search minimises; values add up over a tree."""

COST_SHIFT: Final = 80
"""Number of bits by which `relaxation` shifts costs above gains, so that no sum of gains outweighs any cost."""


@frozen
class Valuation:
    """Combines cost and gain (weights of satisfied instances minus node costs) into a value, to be minimised."""

    name: str
    lexicographic: bool

    def value(self, cost: int, gain: int) -> Value:
        """Return the value for a cost and a gain in fixed-point units."""
        return (cost << COST_SHIFT) - gain if self.lexicographic else cost - gain

    def level(self, value: Value) -> int:
        """Return the cost contained in a value under `relaxation`, 0 under `net`; adding values never lowers this."""
        return (value + (1 << (COST_SHIFT - 1))) >> COST_SHIFT if self.lexicographic else 0


VALUATIONS: Final = {
    "relaxation": Valuation("relaxation", lexicographic=True),
    "net": Valuation("net", lexicographic=False),
}

GREEDY: Final = "best-combination"
"""Name of the election after which the next round uses only what was elected, so the best parse may be missed."""


@frozen
class ParserSettings:
    """Settings of a parser: the arguments of `Parser` (documented there), and options of the commands that parse.

    `elect_by` is a valuation function, or the name of a gradience model; `acceptability.scorers.parser_of` replaces
    such a name by a function.
    """

    profile: str | None = setting(
        None,
        "--profile",
        "default, paper, strict, loose, discontinuous or yours.",
        metavar="NAME",
        page=True,
    )
    election: str | None = setting(
        None,
        "--election",
        "Election: per-construction, best-combination, beam, all (default: the profile's).",
        metavar="NAME",
        advanced=True,
    )
    valuation: str = setting(
        "relaxation", "--valuation", "relaxation: least cost (default); net: weight - cost.", metavar="NAME"
    )
    limits: Limits = Limits()
    without: Iterable[str] = setting(
        (), "--without", "Switch a heuristic off; may be repeated.", metavar="H1..H5", advanced=True, page=True
    )
    engine: str = setting("auto", "--engine", "Engine: auto (default), exact or phases.", metavar="NAME", advanced=True)
    check: bool = setting(False, "--check", "Check the result of each search with the evaluator.", advanced=True)
    granularity: float = setting(
        1.0,
        "--granularity",
        "Multiply the fragment cost by X.",
        metavar="X",
        least=0,
        heading="Grammar",
    )
    termination: str | None = setting(
        None,
        "--termination",
        "When rounds end: exhausted, or first-solution (needs H5; phases engine) (default: the grammar's).",
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
    preferences: Any = setting(
        None,
        "--preferences",
        "Choose among parses that cost about the same by this file, or none (default: by packaged ones, if any).",
        file=True,
        heading="Grammar",
        advanced=True,
    )

    def in_order(self) -> tuple[Any, ...]:
        """Return the settings in the order of the arguments of `Parser` after the grammar."""
        return tuple(getattr(self, field.name) for field in fields(self))


EVERYWHERE: Final = ("preferences", "profile", "valuation", "granularity", "items", "states", "seconds")
"""Settings that are options of every verb that parses, in the order of the help."""
OF_PARSE: Final = (
    "assignments", "rounds", "constituents", "election", "width", "elect_by", "termination", "without", "engine",
)  # fmt: skip
"""Settings that are options of the verb `parse` only."""


MARGIN: Final = 0.3
"""Default margin of other diagnoses: less than the usual cost of a violation, as much as many a price."""
NO_GRAMMAR: Final = Grammar()
"""Grammar that declares no profiles."""


def valuation_named(name: str) -> Valuation:
    """Return the valuation of that name. Raises UsageError for an unknown one."""
    return VALUATIONS[known(name, VALUATIONS, "valuation")]


def profiles_of(grammar: Grammar) -> dict[str, Profile]:
    """Return the profiles available with a grammar, by name: the built-in ones and those that it declares."""
    built_in = (replace(profile, termination=grammar.semantics.termination) for profile in PROFILES.values())
    return {profile.name: profile for profile in (*built_in, *grammar.profiles)}


def profile_named(
    name: str | None = None,
    election: str | None = None,
    without: Iterable[str] = (),
    termination: str | None = None,
    grammar: Grammar = NO_GRAMMAR,
) -> Profile:
    """Return the profile with this name, with another election or termination if given, `without` some heuristics.

    Without a name, it is the profile that the grammar chooses. Raises UsageError for an unknown name, and for the
    termination `first-solution` without H5.
    """
    profiles = profiles_of(grammar)
    chosen = profiles[known(grammar.semantics.profile if name is None else name, profiles, "profile")]
    if election is not None:
        chosen = replace(chosen, election=known(election, ELECTIONS, "election"))  # type: ignore[arg-type]
    off = frozenset(known(heuristic, HEURISTICS, "heuristic") for heuristic in without)
    ends = known(termination or chosen.termination, TERMINATIONS, "termination")
    if ends == "first-solution" and ("H5" in off or not chosen.has("H5")):
        raise UsageError(
            "termination first-solution needs H5\n  a solution is defined by H5: leave H5 on, or use exhausted"
        )
    left = in_order(heuristic for heuristic in chosen.heuristics if heuristic not in off)
    return replace(chosen, heuristics=left, termination=ends)  # type: ignore[arg-type]


def known(name: str, choices: Iterable[str], what: str) -> str:
    """Return the name if it is one of the choices; raise UsageError, about an unknown `what`, otherwise."""
    every = list(choices)
    if name not in every:
        hint = close_match(str(name), every) or f"choose from: {', '.join(every)}"
        raise UsageError(f'unknown {what}: "{name}"\n  {hint}')
    return name


class SearchLock:
    """Lock held while a sentence is parsed, because threads share the tables of a grammar.

    The lock raises UsageError if the thread that holds it acquires it again. If a process is forked while another
    thread holds the lock, that thread does not exist in the new process and leaves its work unfinished: there, the lock
    is released, and `begin_anew`, a bound method, must discard the tables.
    """

    def __init__(self, begin_anew: Callable[[], object]) -> None:
        self._lock = Lock()
        self._owner: int | None = None
        self._begin_anew = WeakMethod(begin_anew)  # so that the lock does not keep its owner alive
        _LOCKS.add(self)

    def __enter__(self) -> None:
        """Acquire the lock. Raises UsageError if this thread holds it: a clock called the parser that calls it."""
        if self._owner == get_ident():
            raise UsageError(
                "this parser is already parsing a sentence: its clock asks it to parse another one\n"
                "  give the clock its own parser, or parse when the sentence is done"
            )
        self._lock.acquire()
        self._owner = get_ident()

    def __exit__(self, *error: object) -> None:
        self._owner = None
        self._lock.release()

    def after_fork(self) -> None:
        """Release the lock and call `begin_anew` if another thread held it when this process was forked."""
        if self._lock.locked() and self._owner != get_ident():
            self._lock, self._owner = Lock(), None
            begin_anew = self._begin_anew()
            if begin_anew is not None:
                begin_anew()


_LOCKS: Final[WeakSet[SearchLock]] = WeakSet()


def _after_fork() -> None:
    for lock in list(_LOCKS):
        lock.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
