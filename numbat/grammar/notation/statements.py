"""What a grammar file says, one record a statement, before names are looked up; the notation and YAML share it.

A class called `...Statement` is a whole statement, one called `...Syntax` a part of some. Every text is a `PlacedText`,
so that `numbat.grammar.building` can point at the place of a mistake.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numbat.grammar.expressions import Expression
from numbat.source import Span


class PlacedText(str):
    """A piece of text with the place where it stands in a file."""

    span: Span

    def __new__(cls, text: str, span: Span) -> PlacedText:
        placed = super().__new__(cls, text)
        placed.span = span
        return placed


# Parts of statements


@dataclass(frozen=True, slots=True)
class DemandSyntax:
    """One member of a bracket: `number=sg|pl`, a value alone or, in a dependency, a feature alone."""

    feature: PlacedText | None
    values: tuple[PlacedText, ...]


@dataclass(frozen=True, slots=True)
class OperandSyntax:
    """A category with what stands in the bracket behind it: `N[number=sg]`."""

    category: PlacedText
    demands: tuple[DemandSyntax, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupSyntax:
    """One operand, or several in braces; `shared` are the features in a bracket of their own behind it."""

    operands: tuple[OperandSyntax, ...]
    shared: tuple[DemandSyntax, ...] = ()
    braces: bool = False


ParameterSyntax = tuple[tuple[GroupSyntax, ...], ...]
"""Alternatives of joints of groups: `{A, B} & C | D`."""


@dataclass(frozen=True, slots=True)
class StrengthSyntax:
    """`weight 2 cost 3 hard`, as far as it is there; `doubled` is a mark that stands twice."""

    weight: PlacedText | None = None
    cost: PlacedText | None = None
    hard: bool = False
    doubled: PlacedText | None = None


@dataclass(frozen=True, slots=True)
class ReadingSyntax:
    """A reading of a word: `N[number=sg] weight 2 lemma cat`."""

    operand: OperandSyntax
    weight: PlacedText | None = None
    lemma: PlacedText | None = None


# Statements about the grammar as a whole


@dataclass(frozen=True, slots=True)
class SettingStatement:
    """`leaves: Det, N`, `language: en` and all other settings at the margin."""

    key: PlacedText
    values: tuple[OperandSyntax, ...]


@dataclass(frozen=True, slots=True)
class FeatureStatement:
    """`number: sg, pl` below `features:`."""

    name: PlacedText
    values: tuple[PlacedText, ...]


@dataclass(frozen=True, slots=True)
class SwitchStatement:
    """`obligation: exactly-one` below `semantics:`."""

    name: PlacedText
    value: PlacedText


@dataclass(frozen=True, slots=True)
class StrengthStatement:
    """`all linearity weight 2`, in the construction that is open or, `everywhere`, in the whole grammar."""

    relation: PlacedText
    strength: StrengthSyntax
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class RelationStatement:
    """`relation before(B, C) for each B, C: index(B) < index(C)` with the attributes below it."""

    name: PlacedText
    parameters: tuple[PlacedText, ...]
    each: tuple[PlacedText, ...]
    holds: Expression
    monotonic: bool = False
    symmetric: bool = False
    says: str = ""
    but: str = ""


# Statements about one construction


@dataclass(frozen=True, slots=True)
class ConstructionStatement:
    """`NP "noun phrase":`; the statements about one construction that follow are about this one."""

    name: PlacedText
    title: str = ""


@dataclass(frozen=True, slots=True)
class HeadStatement:
    """`head N, Pro`."""

    operands: tuple[OperandSyntax, ...]


@dataclass(frozen=True, slots=True)
class InheritStatement:
    """`inherit number, person`."""

    features: tuple[PlacedText, ...]


@dataclass(frozen=True, slots=True)
class FeatureRuleStatement:
    """`number = pl if Conj`, `gap = np if no NP` (`absent`), or `number from Det, N` (`sources`)."""

    feature: PlacedText
    value: PlacedText | None = None
    sources: tuple[OperandSyntax, ...] = ()
    condition: OperandSyntax | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class ConstituencyStatement:
    """`const {Det, N}`."""

    operands: tuple[OperandSyntax, ...]


@dataclass(frozen=True, slots=True)
class PropertyStatement:
    """`Det ~> N [number] weight 2`; `relation` is the symbol or the name that stands there."""

    relation: PlacedText
    parameters: tuple[ParameterSyntax, ...]
    strength: StrengthSyntax
    span: Span
    shared: tuple[DemandSyntax, ...] = ()


# Statements about words


@dataclass(frozen=True, slots=True)
class TokenRuleStatement:
    """`suffix "'s"`, `prefix "l'"` or `rewrite "won't": "will", "n't"`."""

    kind: Literal["suffix", "prefix", "rewrite"]
    forms: tuple[PlacedText, ...]


ReadingSection = Literal["lexicon", "guess", "names"]
"""The sections that give readings to words or to patterns of words."""


@dataclass(frozen=True, slots=True)
class EntryStatement:
    """`saw: V[tense=past], N`; in the sections `guess` and `names` the form is a pattern."""

    form: PlacedText
    readings: tuple[ReadingSyntax, ...]
    section: ReadingSection = "lexicon"


@dataclass(frozen=True, slots=True)
class SpellingStatement:
    """`[aeiou]*: {N, Adj}[onset=v]`."""

    patterns: tuple[PlacedText, ...]
    operands: tuple[OperandSyntax, ...]


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """The names in a line with a mistake, which it may declare: elsewhere they are not reported as unknown."""

    names: tuple[str, ...]


Statement = (
    SettingStatement | FeatureStatement | SwitchStatement | StrengthStatement | RelationStatement
    | ConstructionStatement | HeadStatement | InheritStatement | FeatureRuleStatement | ConstituencyStatement
    | PropertyStatement | TokenRuleStatement | EntryStatement | SpellingStatement | UnreadLine
)  # fmt: skip
