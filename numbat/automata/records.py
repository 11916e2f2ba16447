"""Records of the automata: states of a construction, and counts of instances."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, NamedTuple, TypeVar

from numbat.grammar.properties import Bundle

T = TypeVar("T", bound=Hashable)
K = TypeVar("K", bound=tuple[int, ...])
V = TypeVar("V")

Kind = tuple[str, Bundle]
"""Construction and features of a constituent: all that properties can ask about it except its place."""


class Memo(dict[K, V]):
    """A memoized function: the key is its arguments, the value is computed on first look-up."""

    def __init__(self, function: Callable[..., V]) -> None:
        self._function = function

    def __missing__(self, key: K) -> V:
        value = self[key] = self._function(*key)
        return value


class Numbering(Generic[T]):
    """Numbers for things, in the order of their first use; the first ones may be given."""

    def __init__(self, *things: T) -> None:
        numbers = _Numbers[T]()
        self._things = numbers.things
        self.number: Callable[[T], int] = numbers.__getitem__
        """Returns the number of a thing; a new thing gets the next number."""
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
"""More than any cost of a grammar: the cost of something impossible."""

OperandCosts = tuple[tuple[int, int], ...]
"""Least cost of a daughter that is an operand, by the operand's place in the grammar; `INFINITE`: none can come."""

AwaitedCosts = tuple[tuple[int, int], ...]
"""Bit sets of awaited operands, each with the least cost of one of them; operands in none of the sets cannot come."""


class Licensing(NamedTuple):
    """Conditions that license a phrase: with H3 off, any daughter is covered; with H4 on, a property must hold."""

    covers_all: bool
    needs_satisfied: bool


class DaughterClass(NamedTuple):
    """Daughters that the properties of a construction cannot distinguish.

    `local` and `deferred` have the symbol that each property concerned observes, by the property's place among the
    local or deferred properties of the construction. `reach`: maximum number of daughters to another one that some
    local property distinguishes; 1 if it only asks for neighbours.
    """

    reach: int
    local: dict[int, int]
    deferred: dict[int, int]


class State(NamedTuple):
    """The state of a construction after the daughters read so far.

    `counts`: number of daughters of each class; `recent`: the classes read last, latest first, as many as the reach of
    the construction, -1 for one beyond the reach of its class; `contributions`: number of the contributions that decide
    the features of the phrase; `violated` and `satisfied`: bit sets of the local properties with such an instance (if
    instances are counted: 0, and whether any was satisfied); `sequence`: all classes in order, if a property needs
    them; `retrieved`: a local property was retrieved.
    """

    counts: tuple[tuple[int, int], ...] = ()
    recent: tuple[int, ...] = ()
    contributions: int = 0
    violated: int = 0
    satisfied: int = 0
    sequence: tuple[int, ...] = ()
    retrieved: bool = False


class PairCounts(NamedTuple):
    """Instances of one local property in a daughter alone, or in a daughter and an earlier one."""

    satisfied: int = 0
    violated: int = 0
    retrieved: bool = False


class PairEffect(NamedTuple):
    """Effect of all local properties on a daughter alone, or on a daughter and an earlier one.

    `instances` are triples of a property's place, its satisfied and its violated instances, if there are any.
    `satisfied` and `violated` are bit sets of such places. `forbidden`: a hard property is violated.
    """

    instances: tuple[tuple[int, int, int], ...] = ()
    satisfied: int = 0
    violated: int = 0
    forbidden: bool = False
    retrieved: bool = False


class DeferredCounts(NamedTuple):
    """Sums of the counts of deferred properties if the assignment ends here."""

    satisfied: int = 0
    """Satisfied instances."""
    violated: int = 0
    """Violated instances."""
    irreparable: int = 0
    """Violated instances that no further daughter can repair."""
    hard: int = 0
    """Hard properties that are violated."""
    hard_irreparable: int = 0
    """Hard properties with irreparable violations."""
    satisfied_by_operands: int = 0
    """Properties with a satisfied instance that operands retrieve, which count for H4 (ruling 8)."""
    retrieved: int = 0
    """Properties that operands retrieve."""


class FinalCounts(NamedTuple):
    """Counts of a deferred property after more daughters: satisfied and violated instances.

    `holds`: it is satisfied and retrieved by operands. `is_forbidden`: it is hard and violated.
    """

    satisfied: int
    violated: int
    holds: bool
    is_forbidden: bool
