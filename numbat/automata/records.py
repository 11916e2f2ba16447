"""Records of the automata: what a state of a construction holds, and how many instances a step or an end counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, NamedTuple, TypeVar

from numbat.grammar.properties import Bundle

T = TypeVar("T", bound=Hashable)
K = TypeVar("K", bound=tuple[int, ...])
V = TypeVar("V")

Kind = tuple[str, Bundle]
"""The construction and the features of a constituent: all that properties can ask about it but for its place."""


class Memo(dict[K, V]):
    """A function remembered: its arguments are the key, its value is computed when it is first looked up."""

    def __init__(self, function: Callable[..., V]) -> None:
        self._function = function

    def __missing__(self, key: K) -> V:
        value = self[key] = self._function(*key)
        return value


class Numbering(Generic[T]):
    """Numbers for things, in the order in which they come up; the first ones may be given."""

    def __init__(self, *things: T) -> None:
        numbers = _Numbers[T]()
        self._things = numbers.things
        self.number: Callable[[T], int] = numbers.__getitem__
        """The number of a thing; a new thing gets the next number."""
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
        self[thing] = number  # last, so that an interrupt leaves nothing half known
        return number


Kinds = Numbering[Kind]

INFINITE: Final = 1 << 62
"""More than any cost that a grammar may state: the cost of what cannot be."""

OperandCosts = tuple[tuple[int, int], ...]
"""At least what a daughter costs that is an operand, by the operand's place in the grammar; `INFINITE`: none comes."""

AwaitedCosts = tuple[tuple[int, int], ...]
"""The same of what a construction awaits: bit sets of operands, each with what one of them costs at least. What is in
none of them cannot come."""


class Licensing(NamedTuple):
    """The conditions that license a phrase: H3 off, any daughter is covered; H4 on, a property has to hold."""

    covers_all: bool
    needs_satisfied: bool


class DaughterClass(NamedTuple):
    """Daughters that the properties of a construction cannot tell apart.

    `local` and `deferred` have the observed symbol that each property concerned sees, by the property's place among the
    local and among the deferred properties of the construction. `reach`: up to so many daughters some local property
    tells how many stand between it and another one; 1 where it only asks whether these are neighbours.
    """

    reach: int
    local: dict[int, int]
    deferred: dict[int, int]


class State(NamedTuple):
    """The state of a construction after the daughters that it has read so far.

    `counts`: how many daughters of each class; `recent`: the classes read last, the last one first, as many as the
    reach of the construction, -1 in place of one that is beyond the reach of its class; `contributions`: the number of
    what decides the features of the phrase; `violated` and `satisfied`: bit sets of the local properties with such an
    instance (where instances are counted: 0, and only whether any was satisfied); `sequence`: all classes in order,
    where a property needs them; `retrieved`: a local property was retrieved.
    """

    counts: tuple[tuple[int, int], ...] = ()
    recent: tuple[int, ...] = ()
    contributions: int = 0
    violated: int = 0
    satisfied: int = 0
    sequence: tuple[int, ...] = ()
    retrieved: bool = False


class PairCounts(NamedTuple):
    """Instances that one local property has in a daughter alone, or in a daughter and one before it."""

    satisfied: int = 0
    violated: int = 0
    retrieved: bool = False


class PairEffect(NamedTuple):
    """The effect of all local properties on a daughter alone, or on a daughter and one before it.

    `instances` are triples (place of the property, satisfied instances, violated ones) of those that count any.
    `satisfied` and `violated` are bit sets of such places. `forbidden`: a hard property is violated.
    """

    instances: tuple[tuple[int, int, int], ...] = ()
    satisfied: int = 0
    violated: int = 0
    forbidden: bool = False
    retrieved: bool = False


class DeferredCounts(NamedTuple):
    """Counts of the deferred properties if the assignment ends here, summed over such properties."""

    satisfied: int = 0
    """Satisfied instances."""
    violated: int = 0
    """Violated instances."""
    irreparable: int = 0
    """Violated instances that stay whatever follows."""
    hard: int = 0
    """Hard properties that are violated."""
    hard_irreparable: int = 0
    """Hard properties that are violated whatever follows."""
    satisfied_by_operands: int = 0
    """Properties that are satisfied in an instance that operands retrieve, so that they count for H4 (ruling 8)."""
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
