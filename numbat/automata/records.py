"""Records of the automata: states of a construction, and counts of instances."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from numbat.grammar.properties import Bundle

T = TypeVar("T", bound=Hashable)
K = TypeVar("K", bound=tuple[Any, ...])
V = TypeVar("V")

Kind = tuple[str, Bundle]
"""Construction and features of a constituent: all that properties can ask about one, except its position."""


class Memo(dict[K, V]):
    """A memoized function as a mapping from tuples of arguments to values, each computed when first looked up."""

    def __init__(self, function: Callable[..., V]) -> None:
        self._function = function

    def __missing__(self, key: K) -> V:
        value = self[key] = self._function(*key)
        return value


class Numbering(Generic[T]):
    """Numbers things from 0, in the order in which they are first asked for; initial things may be given."""

    def __init__(self, *things: T) -> None:
        numbers = _Numbers[T]()
        self._things = numbers.things
        self.number: Callable[[T], int] = numbers.__getitem__
        """Function that returns the number of a thing; a new thing gets the next number."""
        for thing in things:
            self.number(thing)

    def __len__(self) -> int:
        return len(self._things)

    def __getitem__(self, number: int) -> T:
        return self._things[number]


class _Numbers(dict[T, int]):
    def __init__(self) -> None:
        self.things: list[T] = []

    def __missing__(self, thing: T) -> int:
        number = len(self.things)
        self.things.append(thing)
        self[thing] = number  # last, so that an interrupt leaves nothing incomplete
        return number


Kinds = Numbering[Kind]

INFINITE: Final = 1 << 62
"""Cost of something impossible, more than any cost in a grammar."""

OperandCosts = tuple[tuple[int, int], ...]
"""By the place of an operand in the grammar: least cost of a daughter that matches it (`INFINITE`: none can come)."""

AwaitedCosts = tuple[tuple[int, int], ...]
"""Bit sets of awaited operands, each with the least cost of one of them; operands in none of the sets cannot come."""


class Licensing(NamedTuple):
    """Conditions of a phrase: whether any daughter is covered (H3 off), and whether a property must hold (H4 on)."""

    covers_all: bool
    needs_satisfied: bool


class DaughterClass(NamedTuple):
    """Daughters that the properties of a construction cannot distinguish.

    `local` and `deferred` map each property concerned, by its index among the local or deferred properties of the
    construction, to the symbol that it observes. `reach`: maximum number of daughters between one of this class and a
    later one that matters to some local property; 1 if properties only ask for neighbours.
    """

    reach: int
    local: dict[int, int]
    deferred: dict[int, int]


class State(NamedTuple):
    """The state of a construction after the daughters read so far.

    `counts`: number of daughters of each class; `recent`: the classes read last, latest first, as many as the reach of
    the construction (-1 for a daughter beyond the reach of its class); `contributions`: number of the contributions
    that decide the features of the phrase; `violated` and `satisfied`: bit sets of the local properties with such an
    instance, if the grammar counts by property (otherwise 0, and whether any instance was satisfied); `ordered`: states
    of the properties for which the order of daughters matters; `retrieved`: whether a local property was retrieved.
    """

    counts: tuple[tuple[int, int], ...] = ()
    recent: tuple[int, ...] = ()
    contributions: int = 0
    violated: int = 0
    satisfied: int = 0
    ordered: tuple[int, ...] = ()
    retrieved: bool = False


class PairCounts(NamedTuple):
    """Numbers of instances of one local property in a single daughter, or in a daughter and an earlier one."""

    satisfied: int = 0
    violated: int = 0
    retrieved: bool = False


class PairEffect(NamedTuple):
    """Effect of all local properties on a daughter alone, or on a daughter and an earlier one.

    `instances` are triples for the properties that have any: index of the property, number of its satisfied and of its
    violated instances. `satisfied` and `violated` are bit sets of such indexes. `forbidden`: a hard property is
    violated.
    """

    instances: tuple[tuple[int, int, int], ...] = ()
    satisfied: int = 0
    violated: int = 0
    forbidden: bool = False
    retrieved: bool = False


class DeferredCounts(NamedTuple):
    """Counts for a deferred property, or sums for several, if the assignment ends here."""

    satisfied: int = 0
    """Number of satisfied instances."""
    violated: int = 0
    """Number of violated instances."""
    irreparable: int = 0
    """Number of violated instances that no further daughter can repair."""
    hard: int = 0
    """Number of hard properties that are violated."""
    hard_irreparable: int = 0
    """Number of hard properties with irreparable violations."""
    satisfied_by_operands: int = 0
    """Number of properties with a satisfied instance that operands retrieve: only these count for H4 (ruling 8)."""
    retrieved: int = 0
    """Number of properties that operands retrieve."""


class FinalCounts(NamedTuple):
    """Numbers of satisfied and violated instances of a deferred property after more daughters.

    `holds`: the property is satisfied and retrieved by operands. `is_forbidden`: it is hard and violated.
    """

    satisfied: int
    violated: int
    holds: bool
    is_forbidden: bool
