"""Features, categories and relations that a grammar declares, and the lookup of every name that a statement uses.

Undeclared names, numbers out of range and statements that stand for too many properties or readings are reported with
their places, and reading continues.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Final

from numbat.errors import Problem, Span, close_match, close_match_or, shortened
from numbat.grammar.marks import BESIDE, NO_MARK
from numbat.grammar.model import Reading
from numbat.grammar.names import NAME, WILDCARD, format_name, format_value
from numbat.grammar.properties import ABSENT, LETTERS, MAX_WEIGHT, UNIT, Demand, Operand, Strength, number_of_bundles
from numbat.grammar.relations import Relation
from numbat.grammar.statements import (
    DemandSyntax,
    OperandSyntax,
    PlacedText,
    ReadingSyntax,
    StrengthSyntax,
    TemplateStatement,
    Variable,
)

OPERAND: Final = re.compile(rf"!?\s*({NAME})\s*(?:\[.*\]|[|&,].*)")
"""A quoted text that would be one or several operands without quotes: `NP[case=nom]`."""
MAX_READINGS: Final = 500
"""Maximum number of readings of a form: k features of two values each make 2^k."""
MAX_SPELT: Final = 20
"""Maximum number of feature bundles that one spelling rule may stand for; they multiply the readings of a word."""
MAX_INHERITED: Final = 50_000
"""Maximum number of properties that all constructions together may inherit."""
MAX_PROPERTIES: Final = 50_000
"""Maximum number of properties of a grammar; braces in a line of 10 kB can stand for millions."""
MAX_GIVEN: Final = 2_000_000
"""Maximum number of features, plus one for each reading, that templates and lists of forms may give to all words."""


MAX_MEMBERS: Final = 200_000
"""Maximum number of members that types may take over from other types, all together."""
MAX_DEEP: Final = 50
"""Maximum depth to which templates, types and included files are nested."""


class FirstError(Exception):
    """Raised at the first mistake to stop building a grammar whose caller has no use for a grammar with mistakes."""


@dataclass
class Declarations:
    """Features, categories and relations that a grammar declares, and the problems found so far.

    `includers` maps each included file to the file that includes it. `unread` are names never reported as unknown: a
    line with a mistake may declare them, or one report covers all their uses. `anonymous` are the relations made for
    properties with conditions (`numbat.grammar.conditions`). `marks` maps punctuation marks to their signs, `types`
    types to categories, `templates` names to templates (`numbat.grammar.templates`). `number_given`,
    `number_inherited`, `number_of_members` and `number_of_properties` count towards the limits of this module.
    """

    includers: Mapping[str, str] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    marks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    categories: dict[str, None] = field(default_factory=dict)
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    templates: dict[str, TemplateStatement] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    anonymous: dict[str, Relation] = field(default_factory=dict)
    number_of_properties: int = 0
    number_given: int = 0
    number_inherited: int = 0
    number_of_members: int = 0
    until_first: bool = False
    _given: dict[OperandSyntax, Operand] = field(default_factory=dict)
    """Cache of the results of `given` that have no mistake: thousands of words share their category and features."""

    def error(self, message: str, span: Span, hint: str = "") -> None:
        """Add a mistake to the problems. Raises FirstError with `until_first`."""
        if self.until_first:
            raise FirstError
        self.problems.append(Problem(message, span, hint=hint))

    def above(self, file: str) -> Iterator[str]:
        """Yield the files that include a file, nearest first; they override it."""
        while file in self.includers:
            yield (file := self.includers[file])

    def check_doubled(self, what: str, values: Iterable[OperandSyntax]) -> None:
        """Report values that appear twice in one line; `what` says what they are."""
        met: set[str] = set()
        for word in (value.category for value in values if not value.demands):
            if word in met:
                self.error(f'{what} "{word}" appears twice', word.span, "remove one of the two")
            met.add(str(word))

    def relation(self, word: PlacedText) -> Relation | None:
        """Return the relation that a name or symbol stands for; report a problem and return None if there is none."""
        relation = self.relations.get(word)
        if relation is None and word not in self.unread:
            names = dict.fromkeys(relation.name for relation in self.relations.values())
            near = close_match(word, list(self.relations)) or f"the relations are: {', '.join(names)}"
            self.error(f'"{word}" is not a relation', word.span, near)
        return relation

    def named(self, relation: Relation, span: Span) -> str:
        """Declare the relation made for a property with a condition, and return the relation's name."""
        if len(relation.parameters) > len(LETTERS):
            message = f"this property names {len(relation.parameters)} categories; at most {len(LETTERS)} are allowed"
            self.error(message, span, "split it into several properties")
        self.anonymous[relation.name] = relation
        return relation.name

    def category(self, word: PlacedText) -> str:
        """Return the name of a category; report it if it is not declared."""
        if word not in self.categories and word not in self.unread:
            self.error(f'"{word}" is not a construction or a leaf', word.span, self.category_hint(word))
        return str(word)

    def category_hint(self, word: str, others: Iterable[str] = ()) -> str:
        """Return a hint about an undeclared category: a similar one, also from `others`, or how to declare it."""
        if word in self.types:
            return f"it is a type: name one of its members, {', '.join(self.types[word])}"
        if word in self.templates:
            return "it is a template, not a category: name the category of its readings"
        if (operand := OPERAND.fullmatch(word)) and operand[1] in self.categories:
            return f"quotes turn it into one name: write {word} without quotes"
        name = format_name(word)
        declare = f"declare it with 'leaves: {name}' or give it a form with '{name}:'"
        return close_match_or(word, [*self.categories, *others], declare)

    def feature(self, word: PlacedText) -> str:
        """Return the name of a feature; report it if it is not declared."""
        if word not in self.features and word not in self.unread:
            declare = f'declare it under "features:", as in "{word}: value, value"'
            if word in BESIDE:
                declare = 'declare punctuation marks, which give it, under "marks:", as in comma: ","'
            self.error(f'"{word}" is not a feature', word.span, close_match_or(word, self.features, declare))
        return str(word)

    def value(self, feature: str, word: PlacedText) -> str:
        """Return a value of a feature; report it if the feature does not have it."""
        values = self.features.get(feature, ())
        if feature in self.features and word and word not in values and word not in self.unread:
            hint = or_listed(word, values, f"values of {feature}")
            self.error(f'"{word}" is not a value of {feature}', word.span, hint)
        return str(word)

    def demand(self, demands: Sequence[DemandSyntax]) -> Demand:
        """Return the features in a bracket with their accepted values, sorted by name; a variable is one value."""
        accepted: dict[str, tuple[str, ...]] = {}
        for demand in demands:
            if demand.feature is None:
                word = demand.values[0]
                feature = self._feature_of(*demand.values)
                known = demand.values if word in self.features.get(feature, ()) else ()
                values = self._in_order(feature, {self.value(feature, text) for text in known} or {str(word)})
            else:
                word = demand.feature
                feature = self.feature(word)
                values = self._accepted(feature, demand)
            if feature in accepted:
                both = "|".join((*accepted[feature], *values))
                self.error(f'feature "{feature}" appears twice', word.span, f"write alternatives as {feature}={both}")
            accepted[feature] = values
        return tuple(sorted(accepted.items()))

    def _accepted(self, feature: str, demand: DemandSyntax) -> tuple[str, ...]:
        """Return the values that one member of a bracket accepts."""
        variable = next((value for value in demand.values if isinstance(value, Variable)), None)
        if variable is not None:
            if len(demand.values) > 1:
                hint = f"write [{feature}={variable}] alone; a daughter without {feature} satisfies it too"
                self.error(f'"{variable}" cannot be combined with other values', variable.span, hint)
            return (variable,)
        every = set(self.features.get(feature, ()))
        values = {self.value(feature, value) for value in demand.values if not self._is_no_mark(feature, value)}
        if self.is_of_marks(feature):
            every.add(ABSENT)
            values |= {ABSENT for value in demand.values if value == NO_MARK}
        if demand.others:
            named, values = values, every - values
            if not values and feature in self.features:
                shown, word = "|".join(sorted(named)), demand.values[0]
                message = f"{feature} has no values other than {shown}"
                self.error(message, word.span, f"for a daughter without {feature} write [no {feature}]")
        return self._in_order(feature, values)

    def is_of_marks(self, feature: str) -> bool:
        """True for the features that the punctuation marks of the grammar give: `before` and `after`."""
        return bool(self.marks) and feature in BESIDE

    def only_marks_give(self, feature: PlacedText) -> None:
        """Report a statement that gives `before` or `after` to a word or phrase."""
        if self.is_of_marks(feature):
            hint = "leave it out here; name it in properties and conditions, as in NP[after=comma]"
            self.error(f'only punctuation marks give "{feature}"', feature.span, hint)

    def _is_no_mark(self, feature: str, value: str) -> bool:
        return value == NO_MARK and self.is_of_marks(feature)

    def _in_order(self, feature: str, values: Collection[str]) -> tuple[str, ...]:
        """Return values in order of declaration, so that a|b and b|a are the same demand; `ABSENT` comes last."""
        declared = [value for value in self.features.get(feature, ()) if value in values]
        return (*declared, *sorted(set(values) - set(declared)))

    def _feature_of(self, word: PlacedText, *others: PlacedText) -> str:
        """Return the feature of bare values, as in `N[common]` and `N[sg|pl]`; if unknown, report and return `word`."""
        having = [feature for feature, values in self.features.items() if word in values]
        if len(having) > 1:
            having = [feature for feature in having if {*others} <= {*self.features[feature]}] or having
        if len(having) == 1:
            return having[0]
        if having:
            choices = " or ".join(f"{feature}={word}" for feature in having)
            self.error(f'"{word}" is a value of several features', word.span, f"write {choices}")
        elif word in self.features:
            values = "|".join(self.features[word])
            hint = f"write {word}={values}; only ~> and relations with agree() take features without values"
            self.error(f'feature "{word}" has no value here', word.span, hint)
        elif word not in self.unread:
            every = [value for values in self.features.values() for value in values]
            hint = close_match_or(word, every, 'declare it under "features:", as in "number: sg, pl"')
            if word.partition(":")[0] in self.features:
                hint = f"write {word.replace(':', '=')}"
            self.error(f'"{word}" is not a value of any feature', word.span, hint)
        return str(word)

    def is_value(self, word: str) -> bool:
        """True if a bare word in a bracket is a value and not a feature."""
        return word not in self.features and any(word in values for values in self.features.values())

    def operand(self, syntax: OperandSyntax, may_share: bool = False) -> Operand:
        """Return the operand of this syntax; unknown names, and variables without `may_share`, are errors."""
        for value in () if may_share else (value for demand in syntax.demands for value in demand.values):
            if isinstance(value, Variable):
                self.error(f'"{value}" has no meaning here', value.span, "only operands of one property share a value")
        return Operand(self.category(syntax.category), self.demand(syntax.demands))

    def given(self, syntax: OperandSyntax) -> Operand:
        """Return the category and features given to a word; demands that only properties may make (`$x`) are errors."""
        for demand in syntax.demands:
            if demand.feature is not None:
                self.only_marks_give(demand.feature)
            for value in demand.values:
                if not value or isinstance(value, Variable):
                    hint = "leave out the features that the word does not have"
                    self.error(f'"{value or WILDCARD}" is not a value that a word may have', value.span, hint)
        known = self._given.get(syntax)
        if known is None:
            problems = len(self.problems)
            known = Operand(self.category(syntax.category), self.demand(syntax.demands))
            if len(self.problems) == problems:
                self._given[syntax] = known
        return known

    def members(self, syntax: OperandSyntax) -> tuple[OperandSyntax, ...]:
        """Return an operand for each member of a type, with the same features; for a category the operand itself."""
        members = self.types.get(syntax.category)
        if members is None:
            return (syntax,)
        return tuple(replace(syntax, category=PlacedText(member, syntax.category.span)) for member in members)

    def operands(self, several: Iterable[OperandSyntax], may_share: bool = False) -> tuple[Operand, ...]:
        """Return the operands that their syntax describes, with types replaced by their members.

        Unknown names are errors, and without `may_share` so are variables.
        """
        return tuple([self.operand(one, may_share) for syntax in several for one in self.members(syntax)])

    def units(self, word: PlacedText | None, smallest: int = -MAX_WEIGHT) -> int | None:
        """Return a written number in fixed-point units; None for no number, or, with a report, for an invalid one."""
        if word is None:
            return None
        try:
            number = Decimal(word)
            if not number.is_finite() or not smallest <= number <= MAX_WEIGHT:
                raise InvalidOperation
        except InvalidOperation:
            comma = re.fullmatch(r"\d+,\d+", word)
            hint = f"write decimals with a point: {word.replace(',', '.')}" if comma else ""
            self.error(f'"{word}" is not a number between {smallest} and {MAX_WEIGHT}', word.span, hint)
            return None
        return int((number * UNIT).to_integral_value())

    def strength(self, syntax: StrengthSyntax) -> Strength:
        """Return the stated strength, with weight and cost in fixed-point units."""
        if syntax.doubled is not None:
            self.error(f'"{syntax.doubled}" appears twice', syntax.doubled.span, "remove one of the two")
        return Strength(self.units(syntax.weight), self.units(syntax.cost, smallest=0), syntax.hard)

    def reading(self, syntax: ReadingSyntax) -> Reading:
        """Return the reading that its syntax describes; a weight that is not stated is 1."""
        operand = self.given(syntax.operand)
        weight = self.units(syntax.weight, smallest=0)
        if weight == 0 and syntax.weight is not None:
            hint = "remove the reading, or give it a small weight such as 0.01"
            self.error(f'the weight of a reading must be above 0, found "{syntax.weight}"', syntax.weight.span, hint)
        return Reading(operand.category, operand.features, weight / UNIT if weight else 1.0, str(syntax.lemma or ""))

    def fit(self, demands: Iterable[Demand], word: PlacedText, most: int = MAX_READINGS) -> bool:
        """True if all demands together stand for at most `most` bundles; otherwise report an error about `word`."""
        number = sum(map(number_of_bundles, demands))
        if number > most:
            self.error(
                f'the features of "{shortened(word)}" stand for {number:,} readings; at most {most:,} are allowed',
                word.span,
                "each combination of values is a reading: leave out features that may have any value",
            )
        return number <= most

    def count_given(self, number: int, word: PlacedText) -> bool:
        """Add to the count of features that templates and lists give; report an error and return False if too many."""
        self.number_given += number
        if self.number_given > MAX_GIVEN:
            message = f"templates and word lists give readings with more than {MAX_GIVEN:,} features"
            hint = "nest fewer templates, or divide the words among several grammars"
            self.error(message, word.span, hint)
        return self.number_given <= MAX_GIVEN

    def count_members(self, number: int, member: PlacedText) -> bool:
        """Add to the count of members that types have from other types; beyond the limit report an error, once."""
        had_room = self.number_of_members <= MAX_MEMBERS
        self.number_of_members += number
        has_room = self.number_of_members <= MAX_MEMBERS
        if had_room and not has_room:
            message = f"types have more than {MAX_MEMBERS:,} members of other types"
            self.error(message, member.span, "name fewer types as members, or smaller ones")
        return has_room

    def count_inherited(self, number: int, parent: PlacedText) -> bool:
        """Add to the count of inherited properties; beyond the limit report an error, once, and return False."""
        had_room = self.number_inherited <= MAX_INHERITED
        self.number_inherited += number
        has_room = self.number_inherited <= MAX_INHERITED
        if had_room and not has_room:
            message = f"constructions inherit more than {MAX_INHERITED:,} properties"
            self.error(message, parent.span, "inherit from fewer constructions, or from smaller ones")
        return has_room

    def has_room(self, number: int) -> bool:
        """True if the grammar may have this many more properties."""
        return self.number_of_properties + number <= MAX_PROPERTIES

    def count_properties(self, number: int, word: PlacedText) -> bool:
        """Add to the count of properties; report an error and return False beyond the limit."""
        if not self.has_room(number):
            self.error(
                f"braces stand for {number:,} properties here; a grammar may have {MAX_PROPERTIES:,}",
                word.span,
                "merge several categories into one, or mark them with a feature and name that: N[kind=common]",
            )
            return False
        self.number_of_properties += number
        return True


def or_listed(word: str, choices: Iterable[str], what: str) -> str:
    """Return a hint about an unknown word: the choice that resembles it, else all choices, called `what`."""
    choices = list(choices)
    return close_match(word, choices) or f"the {what} are: {', '.join(map(format_value, choices))}"


def stands_twice(key: str, first: int) -> tuple[str, str]:
    """Return the message and the hint about a key that already appears in the line `first`."""
    return f'key "{key}" appears twice, first in line {first}', "join the two, or remove one"
