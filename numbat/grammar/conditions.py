"""Conditions of feature rules, `gap = yes if N & no Det`, and of properties, `Det < N if V`.

A feature rule becomes one rule for each alternative of its condition. A property under a condition gets a relation made
for it, an *anonymous* relation, whose clauses have the condition as their guard. The name of such a relation is the
text of its properties with the letters B, C, D instead of the operands: `B < C if D & no E`.

Agreement with the phrase itself, `Adj ~> mother [number]`, also becomes properties under conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from numbat.errors import Span
from numbat.grammar.declarations import Declarations
from numbat.grammar.expressions import (
    TRUE,
    Adjacent,
    Agree,
    And,
    EachBetween,
    Expression,
    HasValue,
    Not,
    Or,
    Precedes,
    Present,
    SameValue,
    format_formula,
    single_parameters,
    walk,
    with_atoms,
)
from numbat.grammar.model import Construction, FeatureRule, Occurrence
from numbat.grammar.names import format_name
from numbat.grammar.properties import LETTERS, Operand
from numbat.grammar.relations import Clause, Relation
from numbat.grammar.statements import (
    ConditionSyntax,
    DemandSyntax,
    FeatureRuleStatement,
    GroupSyntax,
    OperandSyntax,
    OrderSyntax,
    ParameterSyntax,
    PlacedText,
    PropertyStatement,
)
from numbat.records import frozen

MAX_ALTERNATIVES: Final = 100
"""Maximum number of alternatives in the condition of a feature rule; `and` of `or` multiplies them."""


def rules_of(declarations: Declarations, statement: FeatureRuleStatement) -> list[FeatureRule]:
    """Return the rules that a statement stands for, one for each alternative of its condition."""
    declarations.only_marks_give(statement.feature)
    feature = declarations.feature(statement.feature)
    value = None if statement.value is None else declarations.value(feature, statement.value)
    sources = declarations.operands(statement.sources)
    alternatives = _alternatives(declarations, statement.condition) if statement.condition else [()]
    if len(alternatives) > MAX_ALTERNATIVES:
        hint = "merge several categories into one, or mark them with a feature and name that"
        message = f"the condition has more than {MAX_ALTERNATIVES} alternatives"
        declarations.error(message, statement.feature.span, hint)
    return [FeatureRule(feature, value, sources, alternative) for alternative in alternatives[:MAX_ALTERNATIVES]]


def _alternatives(
    declarations: Declarations, condition: ConditionSyntax, negated: bool = False
) -> list[tuple[Occurrence, ...]]:
    """Return the alternatives of a condition; each is a tuple of occurrences that must all hold."""
    if condition.kind == "not":
        return _alternatives(declarations, condition.parts[0], not negated)
    if condition.kind == "there":
        occurrences = [(Occurrence(operand, negated),) for operand in declarations.operands(condition.operands)]
        return [tuple(occurrence for (occurrence,) in occurrences)] if negated else list(occurrences)
    parts = [_alternatives(declarations, part, negated) for part in condition.parts]
    if (condition.kind == "or") != negated:
        return [alternative for part in parts for alternative in part]
    combined: list[tuple[Occurrence, ...]] = [()]
    for part in parts:
        combined = [tuple(dict.fromkeys((*one, *other))) for one in combined for other in part]
        combined = combined[: MAX_ALTERNATIVES + 1]
    return combined


# Features in conditions: `B.number = sg`


def check_values(declarations: Declarations, node: Expression) -> None:
    """Report unknown features and values in a condition."""
    match node:
        case HasValue(_, PlacedText() as feature, PlacedText() as value):
            declarations.value(declarations.feature(feature), value)
        case SameValue(_, PlacedText() as left, _, PlacedText() as right):
            declarations.feature(left)
            declarations.feature(right)


def plain(expression: Expression, missing_unifies: bool) -> Expression:
    """Return the expression with plain strings as names; `missing_unifies` is the grammar's choice for agree()."""

    def plain_atom(atom: Any) -> Expression:
        if isinstance(atom, Agree):
            return Agree(str(atom.left), str(atom.right), missing_unifies)
        texts: dict[str, Any] = {
            attribute.name: str(value)
            for attribute in fields(atom)
            if isinstance(value := getattr(atom, attribute.name), str)
        }
        changed: Expression = replace(atom, **texts)
        return changed

    return with_atoms(expression, plain_atom)


# Properties that are conditions themselves


def with_letters(declarations: Declarations, statement: PropertyStatement) -> tuple[PropertyStatement, Relation | None]:
    """Return a property that is a condition, `A < B or C < A`, with letters as operands, and the relation made for it.

    The property has an instance for each tuple of daughters that match the operands whose order or features it
    compares. Its other operands may match any daughters.
    """
    letters = _Letters()
    holds = with_atoms(statement.formula, letters.read)
    if letters.misfit is not None:
        hint = "write one property for each category"
        declarations.error("a condition can compare only single categories", letters.misfit.span, hint)
        return statement, None
    for node in walk(holds):
        check_values(declarations, node)
    holds = plain(holds, missing_unifies=True)
    names = tuple(LETTERS[: len(letters.operands)])
    compared = {name for node in walk(holds) for name in single_parameters(node)}
    matched = tuple(name for name in names if name in compared)
    relation = Relation(format_formula(holds), names, (Clause(matched),), holds)
    declarations.named(relation, statement.span)
    parameters: tuple[ParameterSyntax, ...] = tuple(((GroupSyntax((operand,)),),) for operand in letters.operands)
    return replace(statement, parameters=parameters), relation


@dataclass
class _Letters:
    """Assigns letters to the distinct operands of a property that is a condition.

    `misfit` is the first word of an operand that is not a single category, if there is one.
    """

    operands: list[OperandSyntax] = field(default_factory=list)
    misfit: PlacedText | None = None

    def read(self, atom: Any) -> Expression:
        """Return a comparison with letters instead of operands."""
        if isinstance(atom, OrderSyntax):
            one, other = self._letter(self._single(atom.left)), self._letter(self._single(atom.right))
            return Adjacent(one, other) if atom.symbol in ("+", "⊕") else Precedes(one, other)
        values = ((attribute.name, getattr(atom, attribute.name)) for attribute in fields(atom))
        named = {name: self._letter(value) for name, value in values if isinstance(value, OperandSyntax)}
        expression: Expression = replace(atom, **named)
        return expression

    def _single(self, parameter: ParameterSyntax) -> OperandSyntax:
        group = parameter[0][0]
        if len(parameter) > 1 or len(parameter[0]) > 1 or len(group.operands) > 1 or group.shared:
            self.misfit = group.operands[0].category
        return group.operands[0]

    def _letter(self, operand: OperandSyntax) -> str:
        if operand not in self.operands:
            self.operands.append(operand)
        return LETTERS[self.operands.index(operand) % len(LETTERS)]


# Conditions of properties


@frozen
class Guard:
    """The condition of a property: operands, expression (`holds`), and `text` in the notation."""

    operands: tuple[Operand, ...]
    holds: Expression
    text: str


def guard_of(declarations: Declarations, condition: ConditionSyntax, taken: int) -> Guard:
    """Return the condition of a property; letters replace its operands, but not the first `taken` letters."""
    letters: dict[Operand, str] = {}

    def read(part: ConditionSyntax, negated: bool) -> tuple[Expression, str]:
        if part.kind == "not":
            return read(part.parts[0], not negated)
        if part.kind == "there":
            parts = [there(operand, negated) for operand in declarations.operands(part.operands)]
        else:
            parts = [read(syntax, negated) for syntax in part.parts]
        if len(parts) == 1:
            return parts[0]
        if (part.kind == "and") == negated:
            joined: Expression = Or(tuple(holds for holds, _ in parts))
            return joined, " or ".join(text for _, text in parts)
        texts = [f"({text})" if isinstance(holds, Or) else text for holds, text in parts]
        return And(tuple(holds for holds, _ in parts)), " & ".join(texts)

    def there(operand: Operand, negated: bool) -> tuple[Expression, str]:
        letter = letters.setdefault(operand, LETTERS[(taken + len(letters)) % len(LETTERS)])
        if negated:
            return Not(Present(letter)), f"no {letter}"
        return Present(letter), letter

    holds, text = read(condition, False)
    return Guard(tuple(letters), holds, text)


def guarded(relation: Relation, guard: Guard) -> Relation:
    """Return the anonymous relation for properties of `relation` under a condition; its parameters are letters.

    Where the condition is not met, such a property has no instances.
    """
    names, between = dict(zip(relation.parameters, LETTERS, strict=False)), relation.violated_by
    parameters = tuple(names.values())
    renamed = replace(relation, parameters=parameters)
    clauses = tuple(
        replace(
            clause,
            matched=tuple(names[name] for name in clause.matched),
            guard=guard.holds if clause.guard == TRUE else And((_renamed(clause.guard, names), guard.holds)),
        )
        for clause in relation.clauses
    )
    return replace(
        renamed,
        name=f"{renamed.form} if {guard.text}",
        parameters=(*parameters, *LETTERS[len(parameters) : len(parameters) + len(guard.operands)]),
        clauses=clauses,
        holds=_renamed(relation.holds, names),
        symbol="",
        aliases=(),
        monotonic=False,
        says=_with_letters(relation.says, names),
        but=_with_letters(relation.but, names),
        vague=_with_letters(relation.vague, names),
        lacking=names.get(relation.lacking, ""),
        found_by=names.get(relation.found_by, ""),
        violated_by=between and EachBetween(names[between.left], names[between.right], between.most),
        gives_heads=False,
    )


def _renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Return the expression with renamed parameters."""

    def renamed(atom: Any) -> Expression:
        sides = {attribute.name for attribute in fields(atom)} & {"parameter", "left", "right"}
        changed: Expression = replace(atom, **{name: names[getattr(atom, name)] for name in sides})
        return changed

    return with_atoms(expression, renamed)


def _with_letters(template: str, names: Mapping[str, str]) -> str:
    """Return the text about a violation with renamed parameters."""
    known = {
        form.format(name, name.lower()): form.format(letter, letter.lower())
        for form in PLACES
        for name, letter in names.items()
    }
    return re.sub(r"(?<=\{)\w+", lambda match: known.get(match[0], match[0]), template)


PLACES: Final = ("{0}", "a_{0}", "{1}", "{1}s", "{1}_is")
"""Placeholders of a parameter in texts about a violation: 0 stands for its name, 1 for the name in lower case."""


# Agreement with the phrase itself: `Adj ~> mother [number]` becomes a property for each daughter or rule that may give
# the phrase its number, under the condition that no earlier one does.

MOTHER: Final = "mother"
"""The phrase itself as an operand, unless the grammar has a category of this name."""


def is_about_mother(declarations: Declarations, statement: PropertyStatement) -> bool:
    """True if an operand of a property is `mother`, the phrase itself."""
    if MOTHER in declarations.categories or MOTHER in declarations.types:
        return False
    groups = (group for parameter in statement.parameters for joint in parameter for group in joint)
    return any(operand.category == MOTHER for group in groups for operand in group.operands)


def agreements_with_mother(
    declarations: Declarations, statement: PropertyStatement, phrase: Construction
) -> Iterator[PropertyStatement]:
    """Yield the statements that replace `Adj ~> mother [number]`, made from heads and feature rules of the phrase."""
    groups = [parameter[0][0] for parameter in statement.parameters]
    mothers = [group for group in groups if any(operand.category == MOTHER for operand in group.operands)]
    place = next(operand.category for operand in mothers[0].operands if operand.category == MOTHER)
    relation = declarations.relation(statement.relation)
    demands = groups[-1].operands[-1].demands
    features = statement.shared or groups[-1].shared or demands
    is_simple = len(groups) == 2 and all(len(p) == len(p[0]) == 1 for p in statement.parameters)
    if (
        relation is None
        or relation.symbol != "~>"
        or not is_simple
        or len(mothers) != 1
        or len(mothers[0].operands) > 1
    ):
        hint = "the phrase itself is compared only with a daughter, by ~>: Adj ~> mother [number]"
        declarations.error(f'"{MOTHER}" does not fit here', place.span, hint)
        return
    if not features or any(demand.feature is not None for demand in features):
        hint = f"name them after it: {groups[0].operands[0].category} ~> mother [number]"
        declarations.error(f'agreement with "{MOTHER}" needs features to compare', place.span, hint)
        return
    (other,) = (group for group in groups if group not in mothers)
    if features == demands and other is groups[-1]:
        other = replace(other, operands=(*other.operands[:-1], replace(other.operands[-1], demands=())))
    for demand in features:
        feature = declarations.feature(demand.values[0])
        declarations.only_marks_give(demand.values[0])
        statements = list(_agreements(declarations, statement, replace(other, shared=()), demand, feature, phrase))
        if not statements:
            hint = "give it a head that has the feature, or a feature rule"
            declarations.error(f"nothing gives {format_name(phrase.name)} the feature {feature}", place.span, hint)
        yield from statements


def _agreements(
    declarations: Declarations,
    statement: PropertyStatement,
    other: GroupSyntax,
    compared: DemandSyntax,
    feature: str,
    phrase: Construction,
) -> Iterator[PropertyStatement]:
    """Yield one agreement for each value or daughter that may give a phrase a feature, the first choice first."""
    place, settled = statement.span, ConditionSyntax("or")
    origins = _origins_of(phrase, feature)
    for i, origin in enumerate(origins):
        needed = tuple(_there(occurrence, place) for occurrence in origin.conditions)
        met = (*needed, ConditionSyntax("not", (settled,))) if settled.parts else needed
        condition = ConditionSyntax("and", (*((statement.condition,) if statement.condition else ()), *met))
        stated = replace(statement, condition=condition if condition.parts else None)
        if isinstance(origin.source, str):
            for operand in (member for syntax in other.operands for member in declarations.members(syntax)):
                parameter: Any = _having(operand, feature, declarations, place)
                holds = HasValue(parameter, compared.values[0], PlacedText(origin.source, place))
                yield replace(stated, parameters=(), shared=(), formula=holds)
            decides = needed
        else:
            source = _syntax(origin.source, place)
            if ConditionSyntax("there", operands=(source,)) in settled.parts:
                continue  # where this source is present, an earlier origin has decided
            if not origin.is_head and i + 1 < len(origins):
                source = _having(source, feature, declarations, place)
            yield replace(stated, parameters=(((other,),), ((GroupSyntax((source,)),),)), shared=(compared,))
            decides = (*needed, ConditionSyntax("there", operands=(source,)))
        if not decides:
            return
        decided = ConditionSyntax("and", decides) if len(decides) > 1 else decides[0]
        settled = replace(settled, parts=tuple(dict.fromkeys((*settled.parts, decided))))


@frozen
class Origin:
    """Possible origin of a feature of a phrase: a fixed value, or a daughter to copy from, under conditions."""

    source: str | Operand
    conditions: tuple[Occurrence, ...] = ()
    is_head: bool = False


def _origins_of(phrase: Construction, feature: str) -> list[Origin]:
    """Return the possible origins of a feature of a phrase, first choice first."""
    heads = phrase.heads if phrase.inherit is None or feature in phrase.inherit else ()
    origins: list[Origin] = []
    for rule in phrase.feature_rules:
        if rule.feature == feature:
            sources: tuple[str | Operand, ...] = rule.sources if rule.value is None else (rule.value,)
            origins += (Origin(source, rule.conditions) for source in sources)
    if heads and origins and origins[-1] == Origin(heads[0]):
        origins.pop()  # the head gives it anyway
    return [*origins, *(Origin(head, is_head=True) for head in heads)]


def _there(occurrence: Occurrence, place: Span) -> ConditionSyntax:
    syntax = ConditionSyntax("there", operands=(_syntax(occurrence.operand, place),))
    return ConditionSyntax("not", (syntax,)) if occurrence.absent else syntax


def _having(operand: OperandSyntax, feature: str, declarations: Declarations, place: Span) -> OperandSyntax:
    """Return the operand with the further demand that a feature is present, whatever its value."""
    if any(demand.feature == feature for demand in operand.demands):
        return operand
    values = tuple(PlacedText(value, place) for value in declarations.features.get(feature, ()))
    return replace(operand, demands=(*operand.demands, DemandSyntax(PlacedText(feature, place), values)))


def _syntax(operand: Operand, place: Span) -> OperandSyntax:
    """Return the syntax of an operand, placed at `place`."""
    demands = tuple(
        DemandSyntax(PlacedText(feature, place), tuple(PlacedText(value, place) for value in values))
        for feature, values in operand.features
    )
    return OperandSyntax(PlacedText(operand.category, place), demands)
