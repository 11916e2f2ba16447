"""The records of automata: what a state remembers, what properties say of a daughter or of what was read."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, NamedTuple, TypeVar

from numbat.grammar.features import Bundle

T = TypeVar("T", bound=Hashable)
K = TypeVar("K", bound=tuple[int, ...])
V = TypeVar("V")

Kind = tuple[str, Bundle]
"""What a construction sees of a daughter: its construction and its features."""


class Memo(dict[K, V]):
    """What a function says, asked once for the same arguments: these are the key."""

    def __init__(self, ask: Callable[..., V]) -> None:
        self._ask = ask

    def __missing__(self, key: K) -> V:
        said = self[key] = self._ask(*key)
        return said


class Numbered(Generic[T]):
    """Things behind numbers, in the order in which they come up; the first ones may be given."""

    def __init__(self, *things: T) -> None:
        numbers = _Numbers[T]()
        self._things = numbers.things
        self.number: Callable[[T], int] = numbers.__getitem__
        """The number of a thing; one that is new gets the next."""
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


Kinds = Numbered[Kind]


class Licensing(NamedTuple):
    """What licenses a phrase: whether any daughter is covered (H3 off), whether a property has to hold (H4 on)."""

    covers_all: bool
    needs_satisfied: bool


class Letter(NamedTuple):
    """Daughters that a construction cannot tell apart: the sights that its local and its other properties have of them,
    by the numbers of those properties. `adjoins`: whether adjacency to the next daughter may matter."""

    adjoins: bool
    local: dict[int, int]
    deferred: dict[int, int]


class State(NamedTuple):
    """What was read so far, as far as it matters.

    `counts`: how many daughters of each letter; `last`: the letter read last, where adjacency matters; `firsts`: the
    number of what decides the features of the phrase; `violated` and `satisfied`: the local properties that had such an
    instance (by instance, only whether any was satisfied); `sequence`: all letters, where a property needs them;
    `retrieved`: whether a local property was.
    """

    counts: tuple[tuple[int, int], ...] = ()
    last: int = -1
    firsts: int = 0
    violated: int = 0
    satisfied: int = 0
    sequence: tuple[int, ...] = ()
    retrieved: bool = False


class Standing(NamedTuple):
    """What tells how a state, by its number, compares with others: what decides the features of the phrase, the part of
    its cost that deferred properties stay with, and what each of these has read.

    `is_sure`: a phrase can be built of what was read, whatever follows: its trigger and H4 hold for good.
    """

    state: int
    firsts: int
    doomed: int
    reads: tuple[int, ...]
    is_sure: bool


class Gain(NamedTuple):
    """What daughters that follow bring: the weights that are satisfied less the costs, `LOST` where they cannot come,
    and whether they satisfy anything."""

    sum: int
    holds: bool


class Outcome(NamedTuple):
    """What the local properties say of one daughter, or of a pair: sums, and which properties had which instance."""

    cost: int = 0
    weight: int = 0
    violated: int = 0
    satisfied: int = 0
    dead: bool = False
    retrieved: bool = False


class Verdict(NamedTuple):
    """What properties that the whole assignment decides would say if it ended here: sums over them.

    `doomed` is the part of the cost that stays whatever follows. The others are how many of the properties are hard and
    violated (`hopeless`: for good), are satisfied and retrieved by operands (`held`), are retrieved.
    """

    cost: int = 0
    weight: int = 0
    doomed: int = 0
    hard: int = 0
    hopeless: int = 0
    held: int = 0
    retrieved: int = 0

    def changed(self, old: Verdict, new: Verdict) -> Verdict:
        """The sums when one part of them has become another."""
        if old == new:
            return self
        return Verdict(
            self.cost + new.cost - old.cost,
            self.weight + new.weight - old.weight,
            self.doomed + new.doomed - old.doomed,
            self.hard + new.hard - old.hard,
            self.hopeless + new.hopeless - old.hopeless,
            self.held + new.held - old.held,
            self.retrieved + new.retrieved - old.retrieved,
        )


Levels = tuple[tuple[int, int], ...]
"""At least what a daughter costs that is an operand, by the operand's place; `INFINITE` where none can come."""
INFINITE: Final = 1 << 62
"""More than any cost that a grammar may state: what makes it impossible to end a constituent."""
LOST: Final = -INFINITE
"""The gain of what cannot be."""
NEVER: Final = LOST << 64
"""So much less than any gain that sums with it are, too."""

Step = tuple[int, int, int]
"""The next state (by number), the change of cost and of weight."""
Acceptance = tuple[int, int, int]
"""The kind of the phrase (by number), what acceptance adds to cost and to weight (node cost not counted)."""
