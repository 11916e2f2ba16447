"""Results that are sent between processes without their grammar, which both processes have.

A pickled parse would contain an excerpt of its grammar, and its constituents twice, which would be most of the data. A
job therefore returns a `Local` object: it holds the result itself, but when it is pickled, a compact form replaces the
result: `WireParse` here, `WireItem` for a suite, `WireVerdict` for a treebank.
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
    """A result whose method `by` returns the value itself, given the grammar of the parser."""

    def by(self, grammar: Grammar) -> Value_co: ...


class Wire(Transferable[Value], Protocol[Value]):
    """The compact form in which a value is sent."""

    @classmethod
    def from_value(cls, value: Value) -> Self: ...


@frozen
class Local(Generic[Value]):
    """A value in the process that made it; when pickled, it becomes a value of the class `sent`."""

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
    """A parse without its grammar, but with all readings of its words."""

    record: ParseRecord
    arcs: tuple[Arc, ...]

    @classmethod
    def from_value(cls, value: Parse) -> WireParse:
        """Return the compact form of a parse."""
        return cls(value.record, value.lattice.arcs)

    def by(self, grammar: Grammar) -> Parse:
        """Return the parse. Raises DataError if `grammar` is not the one that the parse is from."""
        return analysis_of(Parse, self.record, grammar, self.arcs)
