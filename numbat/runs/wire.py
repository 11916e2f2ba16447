"""Results on their way between processes: they go without their grammar, which is there at both ends.

A parse that is pickled takes an excerpt of its grammar with it, and what refers to its constituents takes these once
more; that would be most of what is sent. So a job gives back a `Local` value, which has the value itself in the process
where it was made. Pickled it becomes what the value is built of again: `WireParse` here, `WireItem` of a suite,
`WireVerdict` of a treebank.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, Self, TypeVar

from numbat.grammar.model import Grammar
from numbat.parsing.analysis import ParseRecord, analysis_of
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.lattice import Arc

Value = TypeVar("Value")


Value_co = TypeVar("Value_co", covariant=True)


class Transferable(Protocol[Value_co]):
    """What gives a value by the grammar of the parser: the value itself, or what came of it from another process."""

    def by(self, grammar: Grammar) -> Value_co: ...


class Wire(Transferable[Value], Protocol[Value]):
    """What is sent of a value."""

    @classmethod
    def from_value(cls, value: Value) -> Self: ...


@frozen
class Local(Generic[Value]):
    """A value in the process where it was made; it is pickled as what is `sent` of it."""

    value: Value
    sent: type[Wire[Value]]

    def by(self, grammar: Grammar) -> Value:
        """Return the value itself."""
        return self.value

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.sent.from_value(self.value),)


def _received(sent: Transferable[Value]) -> Transferable[Value]:
    return sent


@frozen
class WireParse:
    """A parse without its grammar, with all readings of its words."""

    record: ParseRecord
    arcs: tuple[Arc, ...]

    @classmethod
    def from_value(cls, value: Parse) -> WireParse:
        """What is sent of a parse."""
        return cls(value.record, value.lattice.arcs)

    def by(self, grammar: Grammar) -> Parse:
        """Return the parse again. Raises DataError for another grammar."""
        return analysis_of(Parse, self.record, grammar, self.arcs)
