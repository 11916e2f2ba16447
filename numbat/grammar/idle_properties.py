"""Warnings about properties that say nothing: part of the checks that `checks` lists.

They demand what no constituent has, compare nothing, always hold, or cost nothing when they are violated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from numbat.errors import Problem, Span, warning
from numbat.grammar.expressions import TRUE
from numbat.grammar.features import format_demand
from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.possible_features import Values, possible_features
from numbat.grammar.printing import format_feature_rule
from numbat.grammar.properties import Joint, Operand, Property, Strength, format_named, format_operand, format_property
from numbat.grammar.relations import excludes, requires

Use = tuple[str, Span | None, Operand]
"""An operand with the statement in which it stands and its place."""


def _uses(grammar: Grammar) -> Iterator[Use]:
    """All operands of a grammar."""
    for root in grammar.roots:
        yield f"roots: {format_operand(root)}", None, root
    for construction in grammar.constructions:
        place, name = construction.span, construction.name
        yield from ((f"{name}: head {format_operand(head)}", place, head) for head in construction.head)
        yield from ((f"{name}: const {format_operand(each)}", place, each) for each in construction.constituency or ())
        for rule in construction.feature_rules:
            operands = (*rule.sources, *([rule.condition] if rule.condition else []))
            yield from ((f"{name}: {format_feature_rule(rule)}", place, operand) for operand in operands)
    for prop in grammar.properties:
        yield from ((format_named(prop), prop.span, operand) for operand in prop.all_operands())


def features_never_given(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """An operand that demands a feature which no word and no rule of the grammar gives to its category."""
    given = possible_features(grammar)
    warned: set[tuple[str, str]] = set()
    for statement, span, operand in _uses(grammar):
        for feature, _ in operand.features:
            category = operand.category
            if feature in given.get(category, (feature,)) or (category, feature) in warned:
                continue
            warned.add((category, feature))
            message = f"{statement} asks for {feature}, but no {category} has it"
            yield warning(message, span or whole, _remedy(grammar, category, feature, given))


def rules_without_source(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A rule that copies a feature from daughters that never have it: `number from Det`."""
    given = possible_features(grammar)
    for construction in grammar.constructions:
        for rule in construction.feature_rules:
            sources = list(dict.fromkeys(source.category for source in rule.sources))
            if sources and all(rule.feature not in given.get(each, (rule.feature,)) for each in sources):
                copies = f"{construction.name}: {format_feature_rule(rule)} copies nothing"
                message = f"{copies}, for {_none_of(sources)} has {rule.feature}"
                yield warning(message, construction.span or whole, _remedy(grammar, sources[0], rule.feature, given))


def _remedy(grammar: Grammar, category: str, feature: str, given: Mapping[str, Values]) -> str:
    """From where a category can get a feature that it lacks."""
    construction = next((each for each in grammar.constructions if each.name == category), None)
    daughters = dict.fromkeys(operand.category for operand in construction.daughters) if construction else ()
    having = [each for each in daughters if feature in given.get(each, ())]
    if having:
        return f'write "{feature} from {", ".join(having)}" in {category}'
    return f"give it to {category} by a rule of its form" if construction else f"give it to {category} in the lexicon"


def values_never_given(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """An operand that demands values of a feature which its category has, but never with one of these values."""
    given = possible_features(grammar)
    warned: set[tuple[str, object]] = set()
    for statement, span, operand in _uses(grammar):
        for demand in operand.features:
            feature, values = demand
            possible = given.get(operand.category, {}).get(feature, set())
            if not possible or possible & set(values) or (operand.category, demand) in warned:
                continue
            warned.add((operand.category, demand))
            asked = format_demand((demand,))[1:-1]
            declared = next(each for name, each in grammar.features if name == feature)
            has = format_demand(((feature, tuple(value for value in declared if value in possible)),))[1:-1]
            message = f"{statement} asks for {asked}, which no {operand.category} has"
            yield warning(message, span or whole, f"every {operand.category} that has {feature} has {has}")


def nothing_compared(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A property that compares features, and names none, or such as its operands do not have.

    Of the properties that braces make of one line the first is told.
    """
    relations = relations_of(grammar)
    given = possible_features(grammar)
    warned: set[object] = set()
    for prop in grammar.properties:
        if not relations[prop.relation].shares_features:
            continue
        named = format_named(prop)
        lacking = _lacking(prop, given)
        if prop.features and not lacking:
            continue
        if not prop.features:
            example = grammar.features[0][0] if grammar.features else "number"
            message = f"{named} names no features to compare"
            line: object = prop.span or prop
            hint = f'write them behind it, as in "{format_property(prop)} [{example}]"'
        else:
            without = lacking[next(iter(lacking))]
            them = "it" if len(lacking) == 1 else "them"
            message = f"{named} compares {' and '.join(lacking)}, but {_none_of(without)} has {them}"
            line = tuple(without), tuple(lacking)
            hint = _remedy(grammar, without[0], next(iter(lacking)), given)
        if line not in warned:
            warned.add(line)
            yield warning(message, prop.span or whole, hint)


def _lacking(prop: Property, given: Mapping[str, Values]) -> dict[str, list[str]]:
    """The features of a property that it compares in vain, with the categories that do not have them.

    Where both sides have another of its features, one side may lack one: of the rest the property says something.
    """
    categories = tuple(dict.fromkeys(operand.category for operand in prop.all_operands()))
    without = {
        feature: [each for each in categories if feature not in given.get(each, (feature,))]
        for feature in prop.features
    }
    in_vain = all(without.values())
    return {feature: each for feature, each in without.items() if in_vain or len(each) == len(categories)}


def _none_of(categories: Sequence[str]) -> str:
    first, *others = categories
    return f"neither {first} nor {others[0]}" if len(others) == 1 else f"no {' or '.join(categories)}"


def always_satisfied(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """B => B, which always holds, and B x B, which says of two B what `uniq B` says."""
    relations = relations_of(grammar)
    for prop in grammar.properties:
        relation = relations[prop.relation]
        if requires(relation) and any(_is_part(joint, prop.operands[0][0]) for joint in prop.operands[1]):
            hint = "another one is required by joint operands"
            if len(prop.operands[0][0]) == 1:
                name = format_operand(prop.operands[0][0][0])
                hint = f'"{name} => {name} & {name}" requires another one'
            message = f"{format_named(prop)} always holds, for what it requires is what it speaks of"
            yield warning(message, prop.span or whole, hint)
        elif excludes(relation) and prop.operands[0] == prop.operands[1] and len(prop.operands[0][0]) == 1:
            name = format_operand(prop.operands[0][0][0])
            message = f"{format_named(prop)} says that there may be only one {name}, and of a single {name} nothing"
            yield warning(message, prop.span or whole, f'write "uniq {name}"')


def _is_part(part: Joint, whole: Joint) -> bool:
    """Whether daughters that match the joint operand `whole` match `part` too, each by another daughter."""
    left = list(whole)
    for operand in part:
        found = next((each for each in left if _includes(operand, each)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _includes(wide: Operand, narrow: Operand) -> bool:
    """Whether all that match one operand match the other: N[number=sg] is an N."""
    demands = dict(narrow.features)
    return wide.category == narrow.category and all(
        feature in demands and set(demands[feature]) <= set(values) for feature, values in wide.features
    )


def violations_for_nothing(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """`weight 0` without a cost: the cost is the weight, so that no violation costs anything.

    Where a whole relation has it, one of its properties stands for all.
    """
    everywhere, relations = dict(grammar.strengths), relations_of(grammar)
    warned: set[tuple[str, str]] = set()
    for construction in grammar.constructions:
        for prop in construction.properties:
            if prop.hard or prop.cost or prop.weight or relations[prop.relation].holds == TRUE:
                continue
            levels = _levels(prop, construction, everywhere)
            if any(strength.cost is not None for _, strength in levels):
                continue
            level = next(name for name, strength in levels if strength.weight is not None)
            if level and (level, prop.relation) in warned:
                continue
            warned.add((level, prop.relation))
            by = f' by "all {prop.relation} weight 0"' + (f" of {level}" if level != "grammar" else "")
            message = f"{format_named(prop)} has weight 0{by if level else ''}, so that its violations cost 0 too"
            yield warning(message, prop.span or whole, 'state the cost, as in "weight 0 cost 1"')


def _levels(prop: Property, construction: Construction, everywhere: dict[str, Strength]) -> list[tuple[str, Strength]]:
    """The strengths that count for a property, the nearest first, by the level that states them; "": the property."""
    none = Strength()
    return [
        ("", prop.stated),
        (construction.name, dict(construction.strengths).get(prop.relation, none)),
        ("grammar", everywhere.get(prop.relation, none)),
    ]
