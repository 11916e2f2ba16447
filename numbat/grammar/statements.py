"""Statements: the records that a grammar file is read into before any name is looked up, for the notation and YAML.

A class called `...Statement` is a whole statement, one called `...Syntax` a part of some. Every text is a `PlacedText`,
so that `numbat.grammar.building` can point at the place of a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Literal

from numbat.errors import Span
from numbat.grammar.expressions import And, Expression, Or
from numbat.grammar.names import WILDCARD, TokenRuleKind
from numbat.records import cached_property, frozen

if TYPE_CHECKING:
    from numbat.grammar.cache import LazyLexicon
    from numbat.grammar.model import Reading


class PlacedText(str):
    """A piece of text with the place where it stands in a file."""

    span: Span

    def __new__(cls, text: str, span: Span) -> PlacedText:
        placed = super().__new__(cls, text)
        placed.span = span
        return placed


class Variable(PlacedText):
    """The name of a value that operands of a property share, or of a parameter: the `$x` of `N[case=$x]`."""


# Parts of statements


@frozen
class DemandSyntax:
    """One member of a bracket: `number=sg|pl`, a value alone or, in a dependency, a feature alone.

    A value may be `ABSENT` or a `Variable`. With `others` all values but these are meant: `number != sg`.
    """

    feature: PlacedText | None
    values: tuple[PlacedText, ...]
    others: bool = False

    def __str__(self) -> str:
        values = "|".join(value or WILDCARD for value in self.values)
        return values if self.feature is None else f"{self.feature}{'!=' if self.others else '='}{values}"


@frozen
class OperandSyntax:
    """A category with what stands in the bracket behind it: `N[number=sg]`."""

    category: PlacedText
    demands: tuple[DemandSyntax, ...] = ()

    def __str__(self) -> str:
        return self.category + (f"[{', '.join(map(str, self.demands))}]" if self.demands else "")


@frozen
class GroupSyntax:
    """One operand, or several in braces; `shared` are the features in a bracket of their own behind it."""

    operands: tuple[OperandSyntax, ...]
    shared: tuple[DemandSyntax, ...] = ()
    braces: bool = False


@frozen
class ConditionSyntax:
    """Which daughters are `there`: any of some operands, or parts joined by `and` and `or` or negated."""

    kind: Literal["there", "and", "or", "not"]
    parts: tuple[ConditionSyntax, ...] = ()
    operands: tuple[OperandSyntax, ...] = ()


ParameterSyntax = tuple[tuple[GroupSyntax, ...], ...]
"""Alternatives of joints of groups: `{A, B} & C | D`."""


@frozen
class OrderSyntax:
    """A comparison of two operands in a property that is a condition: `Det < N`, `Det + N`."""

    left: ParameterSyntax
    symbol: PlacedText
    right: ParameterSyntax


def first_operand(formula: Any) -> OperandSyntax:
    """Return the operand that stands first in a property that is a condition, an expression about operands."""
    if isinstance(formula, OperandSyntax):
        return formula
    if isinstance(formula, OrderSyntax):
        return formula.left[0][0].operands[0]
    if isinstance(formula, And | Or):
        return first_operand(formula.operands[0])
    return first_operand(getattr(formula, fields(formula)[0].name))


@frozen
class StrengthSyntax:
    """The marks behind a property: `weight 2 cost 3 hard`; `doubled` is a mark that stands twice."""

    weight: PlacedText | None = None
    cost: PlacedText | None = None
    hard: bool = False
    doubled: PlacedText | None = None


ArgumentSyntax = tuple[PlacedText, ...]
"""What a template gets for a parameter: a value, or alternatives, `acc|dat`."""


@frozen
class ReadingSyntax:
    """A reading of a word, `N[number=sg] weight 2 lemma cat`, or those of a template, `transitive(acc)[prt=yes]`.

    The category of the operand may be the name of a template; in the column of a lexicon file it is all that stands
    there, `transitive(acc), intransitive`. `row` is what the row of a paradigm gives, where a template joins it.
    `template` is the template that gave the reading, with its arguments.
    """

    operand: OperandSyntax
    weight: PlacedText | None = None
    lemma: PlacedText | None = None
    arguments: tuple[ArgumentSyntax, ...] = ()
    row: OperandSyntax | None = None
    template: str = ""


# Statements about the grammar as a whole


@frozen
class SettingStatement:
    """A setting of the whole grammar: `leaves: Det, N`, `language: en`."""

    key: PlacedText
    values: tuple[OperandSyntax, ...]


@frozen
class FeatureStatement:
    """A feature with its values: `number: sg, pl` below `features:`."""

    name: PlacedText
    values: tuple[PlacedText, ...]


@frozen
class TypeStatement:
    """A name for several categories: `Nominal: N, PN` below `types:`."""

    name: PlacedText
    members: tuple[PlacedText, ...]


@frozen
class SwitchStatement:
    """A choice of the semantics: `obligation: exactly-one` below `semantics:`."""

    name: PlacedText
    value: PlacedText


@frozen
class ProfilePartSyntax:
    """A part of a profile: `without H4`, `election all`, `* hard`; a heuristic alone goes on what stands before it."""

    keyword: PlacedText
    value: PlacedText


@frozen
class ProfileStatement:
    """A filtering profile: `profile shallow like loose: with H3, election all`."""

    name: PlacedText
    parent: PlacedText | None
    parts: tuple[ProfilePartSyntax, ...]


@frozen
class StrengthStatement:
    """The strength of a whole relation, in the open construction or `everywhere`: `all linearity weight 2`."""

    relation: PlacedText
    strength: StrengthSyntax
    everywhere: bool = False


@frozen
class RelationStatement:
    """A relation that the file defines: `relation before(B, C) for each B, C: index(B) < index(C)`."""

    name: PlacedText
    parameters: tuple[PlacedText, ...]
    each: tuple[PlacedText, ...]
    holds: Expression
    monotonic: bool = False
    symmetric: bool = False
    says: str = ""
    but: str = ""


@frozen
class TemplateStatement:
    """Readings that words get by a name, `template transitive(case): V[obj=$case]`; values may be `parameters`."""

    name: PlacedText
    parameters: tuple[PlacedText, ...]
    readings: tuple[ReadingSyntax, ...]


# Statements about one construction


@frozen
class ConstructionStatement:
    """The opening of a construction, `NP "noun phrase":`; the statements about one that follow are about it.

    `parents` are the constructions whose properties it takes over: `SubjNP like NP:`.
    """

    name: PlacedText
    title: str = ""
    parents: tuple[PlacedText, ...] = ()


@frozen
class HeadStatement:
    """The heads of the open construction: `head N, Pro`."""

    operands: tuple[OperandSyntax, ...]


@frozen
class InheritStatement:
    """The features that the open construction takes from its head: `inherit number, person`."""

    features: tuple[PlacedText, ...]


@frozen
class FeatureRuleStatement:
    """A feature rule: `number = pl if Conj`, `gap = np if no NP` or `number from Det, N` (`sources`)."""

    feature: PlacedText
    value: PlacedText | None = None
    sources: tuple[OperandSyntax, ...] = ()
    condition: ConditionSyntax | None = None


@frozen
class ConstituencyStatement:
    """The daughters that the open construction may have: `const {Det, N}`."""

    operands: tuple[OperandSyntax, ...]


@frozen
class PropertyStatement:
    """A property, `Det ~> N [number] weight 2`; `relation` is the symbol or the name that stands there.

    One that is a condition itself, `A < B or C < A`, has it as `formula`: an expression about operands.
    """

    relation: PlacedText
    parameters: tuple[ParameterSyntax, ...]
    strength: StrengthSyntax
    span: Span
    shared: tuple[DemandSyntax, ...] = ()
    condition: ConditionSyntax | None = None
    formula: Any = None


@frozen
class ChangeStatement:
    """A change of a property that an included file states: `override NP: Det < N cost 5`, `without NP: N < PP`.

    Without a construction it is about the open one, and what that takes over from its parents.
    """

    keyword: Literal["override", "without"]
    construction: PlacedText | None
    property: PropertyStatement


MEMBERS: Final = (
    HeadStatement, InheritStatement, FeatureRuleStatement, ConstituencyStatement, PropertyStatement, ChangeStatement,
    StrengthStatement,
)  # fmt: skip
"""What a construction may state, if it stands below its opening."""


class IncludedMembers:
    """What an included file states of one construction below one opening, and the `categories` that this names.

    `read` gives the statements when needed.
    """

    def __init__(self, categories: Set[str], read: Callable[[], Sequence[Statement]]) -> None:
        self.categories = categories
        self._read = read

    @cached_property
    def statements(self) -> Sequence[Statement]:
        """The statements in the order of the file."""
        return self._read()


# Statements about words


@frozen
class WithoutWordStatement:
    """Readings of an included file that a form loses: `without word the: Adv`; all of them if none is named."""

    form: PlacedText
    readings: tuple[ReadingSyntax, ...] = ()


@frozen
class TokenRuleStatement:
    """A rule that makes tokens of written words: `suffix "'s"`, `prefix "l'"`, `rewrite "won't": "will", "n't"`.

    `beside` says what a suffix follows or a prefix precedes: `suffix "lo" after {Inf, Imp}`.
    """

    kind: TokenRuleKind
    forms: tuple[PlacedText, ...] = ()
    beside: tuple[OperandSyntax, ...] = ()


ReadingSection = Literal["lexicon", "guess", "names"]
"""The sections that give readings to words or to patterns of words."""


@frozen
class EntryStatement:
    """A form with its readings, `saw: V[tense=past], N`; in the sections `guess` and `names` the form is a pattern.

    The entries of a list of forms, `see, hear: V`, share one tuple of readings.
    """

    form: PlacedText
    readings: tuple[ReadingSyntax, ...]
    section: ReadingSection = "lexicon"


class IncludedWords:
    """The lexicon of an included grammar as it was built from these `files`, which declare these `features`.

    `parted` are forms with readings between which the files have other words. `read` gives the entries of the files,
    where the lexicon does not fit as a whole.
    """

    def __init__(
        self,
        lexicon: LazyLexicon,
        features: Mapping[str, tuple[str, ...]],
        files: Set[str],
        parted: Set[str],
        read: Callable[[], Sequence[EntryStatement]],
    ) -> None:
        self.lexicon, self.features, self.files, self.parted, self.read = lexicon, features, files, parted, read

    def changed(self, readings: Mapping[str, Sequence[Reading]]) -> IncludedWords:
        """Return these words with other readings for some of them; a word without readings is removed."""
        return IncludedWords(self.lexicon.changed(readings), self.features, self.files, self.parted, self.read)


@frozen
class SpellingStatement:
    """The features that words have by their spelling: `[aeiou]*: {N, Adj}[onset=v]`."""

    patterns: tuple[PlacedText, ...]
    operands: tuple[OperandSyntax, ...]


@frozen
class UnreadLine:
    """The names in a line with a mistake, which it may declare: elsewhere they are not reported as unknown."""

    names: tuple[str, ...]


Statement = (
    SettingStatement | TypeStatement | FeatureStatement | SwitchStatement | ProfileStatement | StrengthStatement
    | RelationStatement | TemplateStatement | ConstructionStatement | HeadStatement | InheritStatement
    | FeatureRuleStatement | ConstituencyStatement | PropertyStatement | ChangeStatement | WithoutWordStatement
    | TokenRuleStatement | EntryStatement | SpellingStatement | UnreadLine | IncludedMembers | IncludedWords
)  # fmt: skip
