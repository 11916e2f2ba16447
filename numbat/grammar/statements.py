"""Statements: the records of a grammar file in the notation or YAML, before names are looked up.

A class named `...Statement` is a whole statement, one named `...Syntax` a part. Every text is a `PlacedText`, so that
`numbat.grammar.building` can report the place of a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Literal

from numbat.errors import Span
from numbat.grammar.expressions import And, Expression, Or
from numbat.grammar.names import WILDCARD, TokenRuleKind
from numbat.grammar.properties import PropertyExample
from numbat.records import cached_property, frozen

if TYPE_CHECKING:
    from numbat.grammar.cache import LazyLexicon
    from numbat.grammar.model import Reading


class PlacedText(str):
    """A piece of text with its place in a file."""

    span: Span

    def __new__(cls, text: str, span: Span) -> PlacedText:
        placed = super().__new__(cls, text)
        placed.span = span
        return placed


class Variable(PlacedText):
    """A variable, `$x` in `N[case=$x]`: a value that operands of a property share, or a parameter of a template."""


# Parts of statements


@frozen
class DemandSyntax:
    """One member of a bracket: `number=sg|pl`, a bare value or, in a dependency, a bare feature.

    A value may be `ABSENT` or a `Variable`. With `others`, all values but these are accepted: `number != sg`.
    """

    feature: PlacedText | None
    values: tuple[PlacedText, ...]
    others: bool = False

    def __str__(self) -> str:
        values = "|".join(value or WILDCARD for value in self.values)
        return values if self.feature is None else f"{self.feature}{'!=' if self.others else '='}{values}"


@frozen
class OperandSyntax:
    """A category with its bracket: `N[number=sg]`."""

    category: PlacedText
    demands: tuple[DemandSyntax, ...] = ()

    def __str__(self) -> str:
        return self.category + (f"[{', '.join(map(str, self.demands))}]" if self.demands else "")


@frozen
class GroupSyntax:
    """One operand, or several in braces; `shared` are the features in a separate bracket after it."""

    operands: tuple[OperandSyntax, ...]
    shared: tuple[DemandSyntax, ...] = ()
    braces: bool = False


@frozen
class ConditionSyntax:
    """A condition on the daughters: one of `operands` is present (kind `there`), or `parts` are joined or negated."""

    kind: Literal["there", "and", "or", "not"]
    parts: tuple[ConditionSyntax, ...] = ()
    operands: tuple[OperandSyntax, ...] = ()


ParameterSyntax = tuple[tuple[GroupSyntax, ...], ...]
"""The alternatives written for one parameter, `{A, B} & C | D`; each consists of groups joined by `&`."""


@frozen
class OrderSyntax:
    """A comparison of two operands in a property that is a condition: `Det < N`, `Det + N`."""

    left: ParameterSyntax
    symbol: PlacedText
    right: ParameterSyntax


def first_operand(formula: Any) -> OperandSyntax:
    """Return the first operand in the `formula` of a property that is a condition."""
    if isinstance(formula, OperandSyntax):
        return formula
    if isinstance(formula, OrderSyntax):
        return formula.left[0][0].operands[0]
    if isinstance(formula, And | Or):
        return first_operand(formula.operands[0])
    return first_operand(getattr(formula, fields(formula)[0].name))


@frozen
class StrengthSyntax:
    """The strength after a property, `weight 2 cost 3 hard`; `doubled` is a part that is stated twice."""

    weight: PlacedText | None = None
    cost: PlacedText | None = None
    hard: bool = False
    doubled: PlacedText | None = None


ArgumentSyntax = tuple[PlacedText, ...]
"""Argument of a template: a value, or alternatives, `acc|dat`."""


@frozen
class ReadingSyntax:
    """A reading of a word, `N[number=sg] weight 2 lemma cat`, or a use of a template, `transitive(acc)[prt=yes]`.

    The category of `operand` may be the name of a template; from a lexicon file it is the text of the whole column,
    `transitive(acc), intransitive`. For a form that a paradigm made, `row` is the category and features of the row.
    `template` is the template that gave the reading, as text with its arguments.
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
class TitleStatement:
    """Title of a leaf, or of a value of `feature`, for messages: `Det "determiner"`, `sg "singular"`."""

    name: PlacedText
    title: str
    feature: PlacedText | None = None


@frozen
class MarkStatement:
    """A punctuation mark with its signs: `colon: ":", ";"` below `marks:`."""

    name: PlacedText
    signs: tuple[PlacedText, ...]


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
    """A part of a profile: `without H4`, `election all`, `* hard`. In `without H3, H4` the keyword of H4 is empty."""

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
    """The strength of a relation, `all linearity weight 2`: in the open construction or, if `everywhere`, in all."""

    relation: PlacedText
    strength: StrengthSyntax
    everywhere: bool = False


@frozen
class RelationStatement:
    """A user-defined relation: `relation before(B, C) for each B, C: index(B) < index(C)`."""

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
    """Named readings, `template transitive(case): V[obj=$case]`, in which values may be parameters."""

    name: PlacedText
    parameters: tuple[PlacedText, ...]
    readings: tuple[ReadingSyntax, ...]


# Statements about one construction


@frozen
class ConstructionStatement:
    """The opening of a construction, `NP "noun phrase":`; the following statements are about it.

    `parents` are the constructions whose statements it takes over: `SubjNP like NP:`.
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
    """A property, `Det ~> N [number] weight 2`; `relation` is the symbol or name as written.

    A property that is a condition, `A < B or C < A`, has a `formula`: an expression about operands. A price,
    `price NP .4 "noun phrase as adverb" informal`, has the relation `price`. `title` is the gloss of a property, or
    what a price is about; only prices have a `register`. `examples` show what the property or price is about.
    """

    relation: PlacedText
    parameters: tuple[ParameterSyntax, ...]
    strength: StrengthSyntax
    span: Span
    shared: tuple[DemandSyntax, ...] = ()
    condition: ConditionSyntax | None = None
    formula: Any = None
    title: str = ""
    register: str = ""
    examples: tuple[PropertyExample, ...] = ()


@frozen
class ExamplesSyntax:
    """The examples behind a property, or on a line below it: `e.g. "the cat sleeps", *"the cat sleep"`."""

    examples: tuple[PropertyExample, ...]
    span: Span


@frozen
class ChangeStatement:
    """A change of a property of an included file: `override NP: Det < N cost 5`, `without NP: N < PP`.

    Without a construction it changes what the open construction takes over from its parents.
    """

    keyword: Literal["override", "without"]
    construction: PlacedText | None
    property: PropertyStatement


MEMBERS: Final = (
    HeadStatement, InheritStatement, FeatureRuleStatement, ConstituencyStatement, PropertyStatement, ChangeStatement,
    StrengthStatement,
)  # fmt: skip
"""The statements about a construction, which may follow its opening."""


class IncludedMembers:
    """Statements of an included file about one construction, and the `categories` that they name.

    `read` returns the statements; it is called when they are first needed.
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
    """Removes readings that an included file gives to a form, `without word the: Adv`; all if none is named."""

    form: PlacedText
    readings: tuple[ReadingSyntax, ...] = ()


@frozen
class TokenRuleStatement:
    """A rule that makes tokens of written words: `suffix "'s"`, `prefix "l'"`, `rewrite "won't": "will", "n't"`.

    `beside` are the operands that a suffix follows or a prefix precedes: `suffix "lo" after {Inf, Imp}`.
    """

    kind: TokenRuleKind
    forms: tuple[PlacedText, ...] = ()
    beside: tuple[OperandSyntax, ...] = ()


ReadingSection = Literal["lexicon", "guess", "names"]
"""The sections that give readings to words or patterns."""


@frozen
class EntryStatement:
    """A form with its readings, `saw: V[tense=past], N`; in the sections `guess` and `names` the form is a pattern.

    The entries of a list of forms, `see, hear: V`, share one tuple of readings.
    """

    form: PlacedText
    readings: tuple[ReadingSyntax, ...]
    section: ReadingSection = "lexicon"


class IncludedWords:
    """The lexicon of an included grammar, built from these `files`, which declare these `features`.

    `parted` are forms that have several entries in the files, with other words between these. `read` reads the entries
    again from the files; it is called if the lexicon cannot be used as a whole.
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
        """Return these words with changed readings; a word without readings is removed."""
        return IncludedWords(self.lexicon.changed(readings), self.features, self.files, self.parted, self.read)


@frozen
class SpellingStatement:
    """Features of words by their spelling: `[aeiou]*: {N, Adj}[onset=v]`."""

    patterns: tuple[PlacedText, ...]
    operands: tuple[OperandSyntax, ...]


@frozen
class UnreadLine:
    """The names in a line with a mistake. The line may declare them, so they are not reported as unknown elsewhere."""

    names: tuple[str, ...]


Statement = (
    SettingStatement | TypeStatement | FeatureStatement | SwitchStatement | ProfileStatement | StrengthStatement
    | RelationStatement | TemplateStatement | ConstructionStatement | HeadStatement | InheritStatement | MarkStatement
    | FeatureRuleStatement | ConstituencyStatement | PropertyStatement | ChangeStatement | WithoutWordStatement
    | TokenRuleStatement | EntryStatement | SpellingStatement | TitleStatement | UnreadLine | IncludedMembers
    | IncludedWords
)  # fmt: skip
