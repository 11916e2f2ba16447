"""What a file says, statement by statement, before names are resolved: the common ground of the notation and of YAML.

Every word keeps its place, so that `building` can point at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numbat.grammar.expressions import Expression
from numbat.source import Span


class Word(str):
    """A piece of text that knows where it stands in a file."""

    span: Span

    def __new__(cls, text: str, span: Span) -> Word:
        word = super().__new__(cls, text)
        word.span = span
        return word


@dataclass(frozen=True, slots=True)
class WrittenDemand:
    """`number=sg|pl`, or a bare value, or (in a dependency) a bare feature."""

    feature: Word | None
    values: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class WrittenOperand:
    category: Word
    demands: tuple[WrittenDemand, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """One operand, or several in braces; `shared` are the features in a bracket of their own behind it."""

    operands: tuple[WrittenOperand, ...]
    shared: tuple[WrittenDemand, ...] = ()
    braces: bool = False


Alternatives = tuple[tuple[Group, ...], ...]
"""Alternatives of joints of groups: `{A, B} & C | D`."""


@dataclass(frozen=True, slots=True)
class WrittenStrength:
    """`doubled` is a mark that stands twice."""

    weight: Word | None = None
    cost: Word | None = None
    hard: bool = False
    doubled: Word | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    key: Word
    values: tuple[WrittenOperand, ...]


@dataclass(frozen=True, slots=True)
class FeatureDeclaration:
    name: Word
    values: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Switch:
    name: Word
    value: Word


@dataclass(frozen=True, slots=True)
class All:
    """`all linearity weight 2`, in the construction that is open or in the whole grammar."""

    relation: Word
    strength: WrittenStrength
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class OpenConstruction:
    """The statements that follow speak of this construction."""

    name: Word
    title: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    operands: tuple[WrittenOperand, ...]


@dataclass(frozen=True, slots=True)
class Inherit:
    features: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class WrittenRule:
    feature: Word
    value: Word | None = None
    sources: tuple[WrittenOperand, ...] = ()
    condition: WrittenOperand | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Const:
    operands: tuple[WrittenOperand, ...]


@dataclass(frozen=True, slots=True)
class WrittenProperty:
    """`relation` is the symbol or the name that stands there."""

    relation: Word
    parameters: tuple[Alternatives, ...]
    strength: WrittenStrength
    span: Span
    shared: tuple[WrittenDemand, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenRelation:
    name: Word
    parameters: tuple[Word, ...]
    each: tuple[Word, ...]
    holds: Expression
    monotonic: bool = False
    symmetric: bool = False
    says: str = ""
    but: str = ""


@dataclass(frozen=True, slots=True)
class WrittenReading:
    operand: WrittenOperand
    weight: Word | None = None
    lemma: Word | None = None


WordSection = Literal["lexicon", "guess", "names"]
"""The sections that give readings to words or to patterns of words."""


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    form: Word
    readings: tuple[WrittenReading, ...]
    section: WordSection = "lexicon"


@dataclass(frozen=True, slots=True)
class WrittenSpelling:
    patterns: tuple[Word, ...]
    operands: tuple[WrittenOperand, ...]


@dataclass(frozen=True, slots=True)
class WrittenTokenRule:
    kind: Literal["suffix", "prefix", "rewrite"]
    forms: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """The words of a line with a mistake that declares names: they are not reported as unknown elsewhere."""

    words: tuple[str, ...]


Statement = (
    Setting | FeatureDeclaration | Switch | All | OpenConstruction | Head | Inherit | WrittenRule | Const
    | WrittenProperty | WrittenRelation | WrittenTokenRule | WrittenEntry | WrittenSpelling | Unread
)  # fmt: skip
