"""Warnings about doubtful parts of a grammar: one function per check (ruling 13), all listed in `CHECKS`.

A check takes the grammar and `whole`, the position of the file, which warnings without a line get. The checks of
phrases over a single word are in `parsing.start_checks`, those of words in `word_checks`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import Final

from numbat.errors import Problem, Span, note, warning
from numbat.grammar.expressions import TRUE, Precedes
from numbat.grammar.feature_values import Values, possible_features
from numbat.grammar.model import (
    Construction,
    FeatureRule,
    Grammar,
    relations_of,
)
from numbat.grammar.names import EVERY, format_name
from numbat.grammar.patterns import coverings
from numbat.grammar.printing import format_feature_rule
from numbat.grammar.properties import (
    ABSENT,
    Joint,
    Operand,
    Property,
    Strength,
    format_demand,
    format_named,
    format_number,
    format_operand,
    format_operands,
    format_property,
)
from numbat.grammar.relations import BUILT_IN_BY_NAME, HEAD_GIVING, Relation, allows_one, excludes, requires
from numbat.grammar.word_checks import (
    forms_that_look_alike,
    parts_of_speech_without_words,
    patterns_of_one_word,
    quotation_marks,
    regular_expressions,
    twins_of_included_words,
    uncut_clitics,
)

# Properties without effect: impossible demands, empty comparisons, tautologies, violations without cost.

Use = tuple[Callable[[], str], Span | None, Operand]
"""An operand of a grammar: a function that formats the statement around it, that statement's place, and the operand."""


def _uses(grammar: Grammar) -> Iterator[Use]:
    """Yield all operands of roots, constructions, feature rules and properties."""

    for root in grammar.roots:
        yield partial(_text, "roots:", root), None, root
    for construction in grammar.constructions:
        place, name = construction.span, construction.name
        yield from ((partial(_text, f"{name}: head", head), place, head) for head in construction.head)
        yield from (
            (partial(_text, f"{name}: const", operand), place, operand) for operand in construction.constituency or ()
        )
        for rule in construction.feature_rules:
            stated = partial(_rule_of, name, rule)
            yield from ((stated, place, operand) for operand in rule.operands)
    for prop in grammar.rules:
        stated = partial(format_named, prop)
        yield from ((stated, prop.span, operand) for operand in prop.all_operands())


def _text(keyword: str, operand: Operand) -> str:
    return f"{keyword} {format_operand(operand)}"


def _rule_of(construction: str, rule: FeatureRule) -> str:
    return f"{construction}: {format_feature_rule(rule)}"


def features_never_given(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about an operand with a feature that no word of its category has and no rule gives to that category."""
    given = possible_features(grammar)
    warned: set[tuple[str, str]] = set()
    for statement, span, operand in _uses(grammar):
        for feature, values in operand.features:
            category = operand.category
            if ABSENT in values or feature in given.get(category, (feature,)) or (category, feature) in warned:
                continue
            warned.add((category, feature))
            message = f"{statement()} asks for {feature}, but no {category} has it"
            yield warning(message, span or whole, _remedy(grammar, category, feature, given))


def rules_without_source(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a rule that copies a feature from daughters that never have it: `number from Det`."""
    given = possible_features(grammar)
    for construction in grammar.constructions:
        for rule in construction.feature_rules:
            sources = list(dict.fromkeys(source.category for source in rule.sources))
            if sources and all(rule.feature not in given.get(source, (rule.feature,)) for source in sources):
                copies = f"{construction.name}: {format_feature_rule(rule)} copies nothing"
                message = f"{copies}: {_none_of(sources)} has {rule.feature}"
                yield warning(message, construction.span or whole, _remedy(grammar, sources[0], rule.feature, given))


def _remedy(grammar: Grammar, category: str, feature: str, given: Mapping[str, Values]) -> str:
    """Return a hint about how to give a category a feature that it lacks."""
    construction = next((form for form in grammar.constructions if form.name == category), None)
    daughters = dict.fromkeys(operand.category for operand in construction.daughters) if construction else ()
    having = [daughter for daughter in daughters if feature in given.get(daughter, ())]
    if having:
        return f'write "{feature} from {", ".join(having)}" in {category}'
    return f"give it to {category} with a feature rule" if construction else f"give it to {category} in the lexicon"


def values_never_given(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about an operand that accepts only feature values that its category never has."""
    given = possible_features(grammar)
    warned: set[tuple[str, object]] = set()
    uses = list(_uses(grammar))
    with_variables = {
        (span, operand.category, feature)
        for _, span, operand in uses
        for feature, values in operand.features
        if ABSENT in values
    }
    for statement, span, operand in uses:
        for demand in operand.features:
            feature, values = demand
            possible = given.get(operand.category, {}).get(feature, set())
            if not possible or possible & set(values) or (operand.category, demand) in warned:
                continue
            if span and (span, operand.category, feature) in with_variables:
                continue  # `N[case=$x]` stands for every value
            warned.add((operand.category, demand))
            demanded = format_demand((demand,))[1:-1]
            declared = next(values for name, values in grammar.features if name == feature)
            has = format_demand(((feature, tuple(value for value in declared if value in possible)),))[1:-1]
            message = f"{statement()} asks for {demanded}, which no {operand.category} has"
            yield warning(message, span or whole, f"every {operand.category} that has {feature} has {has}")


def nothing_compared(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a property that should compare features but names none, or only features that its operands lack.

    If braces make several properties of one line, only the first of them is reported.
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
            hint = f'write them after it, as in "{format_property(prop)} [{example}]"'
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
    """Return the features that a property compares without effect, each with the categories that lack it.

    A feature that only one side lacks is left out if the property also compares a feature that both sides have.
    """
    relation = BUILT_IN_BY_NAME.get(prop.type)  # further operands belong to a condition
    compared = prop.operands[: len(relation.parameters)] if relation is not None else prop.operands
    categories = tuple(
        dict.fromkeys(operand.category for parameter in compared for joint in parameter for operand in joint)
    )
    without = {
        feature: [category for category in categories if feature not in given.get(category, (feature,))]
        for feature in prop.features
    }
    in_vain = all(without.values())
    return {feature: lacking for feature, lacking in without.items() if in_vain or len(lacking) == len(categories)}


def _none_of(categories: Sequence[str]) -> str:
    first, *others = categories
    return f"neither {first} nor {others[0]}" if len(others) == 1 else f"no {' or '.join(categories)}"


def always_satisfied(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about B => B, which always holds, and about B x B, which repeats `uniq B`."""
    relations = relations_of(grammar)
    for prop in grammar.properties:
        relation = relations[prop.relation]
        if requires(relation) and any(_is_part(joint, prop.operands[0][0]) for joint in prop.operands[1]):
            hint = "joint operands require another one"
            if len(prop.operands[0][0]) == 1:
                name = format_operand(prop.operands[0][0][0])
                hint = f'to require another one, write "{name} => {name} & {name}"'
            message = f"{format_named(prop)} always holds: it requires only what it is about"
            yield warning(message, prop.span or whole, hint)
        elif excludes(relation) and prop.operands[0] == prop.operands[1] and len(prop.operands[0][0]) == 1:
            name = format_operand(prop.operands[0][0][0])
            message = f"{format_named(prop)} only forbids a second {name}"
            yield warning(message, prop.span or whole, f'write "uniq {name}"')


def _is_part(part: Joint, whole: Joint) -> bool:
    """True if any daughters that match the joint operand `whole` also match `part`, one daughter for each member."""
    left = list(whole)
    for operand in part:
        match = next((other for other in left if _includes(operand, other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _includes(wide: Operand, narrow: Operand) -> bool:
    """True if every daughter that matches `narrow` also matches `wide`: each N[number=sg] is an N."""
    demands = dict(narrow.features)
    return wide.category == narrow.category and all(
        feature in demands and set(demands[feature]) <= set(values) for feature, values in wide.features
    )


def violations_for_nothing(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about properties whose violations cost nothing: `cost 0`, or `weight 0`, which is also the default cost.

    `weight 1 cost 0`, with a stated weight, is intended: such a property counts only where it is satisfied. If the
    0 is stated for a whole relation, only the first property of that relation is reported.
    """
    everywhere, relations = dict(grammar.strengths), relations_of(grammar)
    warned: set[Level] = set()
    for construction in grammar.constructions:
        for prop in construction.properties:
            if prop.hard or prop.cost_units or relations[prop.relation].holds == TRUE:
                continue
            reason = _for_nothing(prop, _levels(prop, construction, everywhere))
            if reason is None:
                continue
            (level, what), numbers, harm, hint = reason
            if level and (level, what) in warned:
                continue
            warned.add((level, what))
            by = f' by "all {what} {numbers}"' + (f" of {level}" if level != "grammar" else "")
            has = numbers.replace(" cost", " and cost") + (by if level else "")
            yield warning(f"{format_named(prop)} has {has}, so {harm}", prop.span or whole, hint)


def prices_above_violations(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about the first price that is not below the cost of the cheapest violation (ruling 48)."""
    costs = [prop.cost_units for prop in grammar.properties if prop.cost_units and not prop.hard]
    for price in grammar.prices:
        if costs and price.cost_units >= min(costs):
            least = format_number(min(costs))
            message = f"{format_named(price)} costs {format_number(price.cost_units)}, as much as a violation or more"
            yield warning(message, price.span or whole, f"the cheapest violation costs {least}: give a lower price")
            return


Level = tuple[str, str]
"""Where a strength is stated (the name of a construction, or `grammar`) and for which relation; both are empty if it
is stated at the property itself."""


def _for_nothing(prop: Property, levels: list[tuple[Level, Strength]]) -> tuple[Level, str, str, str] | None:
    """Return which level makes a property cost 0, the numbers it states, their effect and a hint; None if intended."""
    level, cost = next(
        ((name, strength.cost) for name, strength in levels if strength.cost is not None), (("", ""), None)
    )
    if cost is None:
        level = next(name for name, strength in levels if strength.weight is not None)
        return level, "weight 0", "its violations cost 0 too", 'state the cost, as in "weight 0 cost 1"'
    if not prop.weight_units:
        nearest = next(name for name, strength in levels if strength.weight is not None)
        numbers = "weight 0 cost 0" if level in (("", ""), nearest) else "cost 0"
        hint = 'state another cost, as in "weight 0 cost 1", or remove it'
        return level, numbers, "it never counts", hint
    if any(strength.weight is not None and not strength.cost for _, strength in levels):
        return None
    hint = 'state another cost; "weight 1 cost 0" is for properties that count only when satisfied'
    return level, "cost 0", "its violations cost nothing", hint


def _levels(
    prop: Property, construction: Construction, everywhere: dict[str, Strength]
) -> list[tuple[Level, Strength]]:
    """Return the levels that state a strength for a property, each with that strength, nearest level first."""
    both = (construction.name, dict(construction.strengths)), ("grammar", everywhere)
    names = prop.type, EVERY
    stated = [((where, name), of[name]) for where, of in both for name in names if name in of]
    return [(("", ""), prop.stated), *stated]


# Rules, names and words

MISREAD: Final = frozenset((
    "NA", "NULL", "T", "F", "TRUE", "FALSE", "True", "False", "true", "false",
    "NaN", "nan", "None", "null",
))  # fmt: skip
"""Names that R, spreadsheets and data frames do not read as text."""


def rules_never_applied(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a guess, name, spelling or feature rule that never applies because an earlier rule always applies."""
    for section, rules in (("guess", grammar.guesses), ("names", grammar.names), ("spelling", grammar.spelling)):
        patterns = [rule.pattern for rule in rules]
        covered = coverings(patterns)
        for late, first in covered.pairs:
            fits = f'"{patterns[first]}" before it matches the same words'
            yield warning(f'{section}: "{patterns[late]}" never applies: {fits}', whole, "put it first, or remove it")
        if covered.compared < len(patterns):
            message = (
                f"{section}: only {covered.compared:,} of {len(patterns):,} patterns were compared with earlier ones"
            )
            hint = f'use fewer stars to learn whether patterns from "{patterns[covered.compared]}" on ever apply'
            yield warning(message, whole, hint)
    for construction in grammar.constructions:
        always: dict[str, FeatureRule] = {}
        for rule in construction.feature_rules:
            if (other := always.get(rule.feature)) is not None:
                dead, deciding = format_feature_rule(rule), format_feature_rule(other)
                message = f"{construction.name}: {dead} never applies: {deciding} before it always does"
                yield warning(message, construction.span or whole, "put it first, or remove it")
            elif rule.value is not None and not rule.conditions:
                always[rule.feature] = rule


def misread_names(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about names that data tools read as a missing value or truth value."""
    spans = {construction.name: construction.span for construction in grammar.constructions}
    names = [*spans, *grammar.leaves, *(relation.name for relation in grammar.relations)]
    for feature, values in grammar.features:
        names += [feature, *values]
    for name in dict.fromkeys(names):
        if name in MISREAD:
            message = f'data tools such as R read the name "{name}" as something else'
            yield warning(message, spans.get(name) or whole, f'choose a longer name, such as "{name}1"')


def heads_side_by_side(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about an obligation with two alternatives that may occur together although each is unique.

    `oblig {N, PN}` and `uniq {N, PN}` allow an N beside a PN. A property about both, such as `N < PN`, shows that the
    writer means this.
    """
    if grammar.semantics.obligation == "exactly-one":
        return
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        heads = () if construction.inherit == () else construction.heads
        unique = [p for p in construction.properties if allows_one(relations[p.relation]) and len(p.operands[0]) == 1]
        often = {head.category for head in heads} & {operand.category for p in unique for operand in p.operands[0][0]}
        for prop in construction.properties:
            if prop.relation not in HEAD_GIVING or any(len(joint) > 1 for joint in prop.operands[0]):
                continue
            names = list(dict.fromkeys(operand.category for operand in prop.all_operands()))
            others = [p for p in construction.properties if p is not prop]
            apart = [
                {operand.category for operand in p.all_operands()} for p in others if excludes(relations[p.relation])
            ]
            joined = [
                {operand.category for operand in p.all_operands()}
                for p in others
                if not excludes(relations[p.relation])
            ]
            pairs = list(combinations(names, 2))
            free = [pair for pair in pairs if often.issuperset(pair) and not any({*pair} <= other for other in apart)]
            if free and not any({*pair} <= other for pair in pairs for other in joined):
                one, other, shown = *map(format_name, free[0]), format_name(construction.name)
                message = f"{format_named(prop)} and uniq of each allow both {one} and {other} in one {shown}"
                either = " | ".join(map(format_name, names))
                hint = f"write uniq {either} if only one of them may occur, or {one} x {other}"
                yield warning(message, prop.span or whole, hint)


def phrases_in_themselves(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a construction that is its own daughter only because of a dependency: `NP ~> N [number]` in NP.

    That property makes NP a daughter of NP, but its writer probably means the phrase itself, `mother`.
    """
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        name, about = construction.name, []
        for prop in construction.properties:
            if any(operand.category == construction.name for operand in prop.all_operands()):
                about.append(prop)
        named = any(operand.category == name for operand in (*construction.head, *(construction.constituency or ())))
        if about and not named and all(relations[prop.relation].shares_features for prop in about):
            first, shown = about[0], format_name(name)
            message = f"{format_named(first)} treats {shown} as a daughter of {shown}"
            hint = (
                f"for the phrase itself write mother: Det ~> mother [number]; if {shown} may contain {shown}, say where"
            )
            yield warning(message, first.span or whole, hint)


# Categories that cannot occur: heads, daughters of feature rules, parts of speech without words.


def heads_never_there(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a head that is not a possible daughter of its construction."""
    for construction in grammar.constructions:
        daughters = {operand.category for operand in construction.daughters}
        for head in construction.head:
            if daughters and head.category not in daughters:
                name = format_name(construction.name)
                message = f"{name}: head {format_operand(head)}, but {head.category} is never a daughter of {name}"
                yield warning(message, construction.span or whole, _daughter_remedy(construction, head.category))


def rules_without_daughter(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a feature rule that copies from, or depends on, an impossible daughter."""
    for construction in grammar.constructions:
        daughters = {operand.category for operand in construction.daughters}
        for rule in construction.feature_rules if daughters else ():
            for category in _never_there(rule, daughters):
                stated = f"{format_name(construction.name)}: {format_feature_rule(rule)}"
                message = f"{stated} {_effect(rule, category)}: {category} is never a daughter of {construction.name}"
                yield warning(message, construction.span or whole, _daughter_remedy(construction, category))


def _never_there(rule: FeatureRule, daughters: set[str]) -> list[str]:
    named = dict.fromkeys(operand.category for operand in rule.operands)
    return [category for category in named if category not in daughters]


def _effect(rule: FeatureRule, category: str) -> str:
    """Describe the effect of a rule that names an impossible daughter."""
    about = [occurrence for occurrence in rule.conditions if occurrence.operand.category == category]
    if not about:
        return "copies nothing from it"
    if not all(occurrence.absent for occurrence in about):
        return "never applies"
    return "always applies" if len(rule.conditions) == 1 and not rule.sources else "has a needless condition"


def _daughter_remedy(construction: Construction, category: str) -> str:
    where = "its const" if construction.constituency is not None else f"a property of {construction.name}"
    return f"name {category} in {where}, or name another daughter here"


def check(grammar: Grammar, path: str = "", advance: Callable[[], object] = tuple) -> list[Problem]:
    """Return all warnings about a grammar, in the order of its lines; those without a line get the file `path`.

    `advance` is called before each check; it may raise an exception to end the checking.
    """
    problems: list[Problem] = []
    for find in CHECKS:
        advance()
        problems += find(grammar, Span(path, 0))
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.span, problem.message))


def empty_grammar(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a grammar without constructions; one with features or relations may be meant for inclusion."""
    if not (grammar.constructions or grammar.features or grammar.relations):
        hint = 'write a construction as "NP:" and, indented below it, its properties: "Det < N"'
        yield warning("there is no construction, so every sentence is parsed as single words", whole, hint)


def linearity_cycles(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about A < B and B < A in one construction: any order violates one of them."""
    linear = {
        name: (relation.parameters.index(relation.holds.left), relation.parameters.index(relation.holds.right))
        for name, relation in relations_of(grammar).items()
        if isinstance(relation.holds, Precedes)
    }
    for construction in grammar.constructions:
        stated: dict[tuple[str, str], Property] = {}
        for prop in construction.properties:
            if prop.relation in linear:
                left, right = (format_operand(prop.operands[i][0][0]) for i in linear[prop.relation])
                stated[left, right] = prop
        for cycle in _cycles(stated):
            names = " < ".join([*cycle, cycle[0]])
            message = f"{construction.name}: linearity is circular: {names}"
            span = stated[cycle[-1], cycle[0]].span
            yield warning(message, span or whole, "every order violates one of these")


def _cycles(edges: Iterable[tuple[str, str]]) -> Iterator[list[str]]:
    """Yield a shortest cycle through the first member of each strongly connected component."""
    graph: dict[str, list[str]] = {}
    for left, right in edges:
        graph.setdefault(left, []).append(right)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        done: set[str] = set()
        for node in sorted(graph):
            before = {} if node in done else _reached(graph, node)
            if node not in before:
                continue
            done |= {other for other in before if node in _reached(graph, other)}
            cycle = [node]
            while (last := before[cycle[-1]]) != node:
                cycle.append(last)
            yield [node, *reversed(cycle[1:])]


def _reached(graph: Mapping[str, Iterable[str]], start: str) -> dict[str, str]:
    """Return each node reachable by at least one edge, with its predecessor on a shortest path."""
    before: dict[str, str] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in graph.get(node, ()):
            if other not in before:
                before[other] = node
                waiting.append(other)
    return before


def unreachable_constructions(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a construction that no root can contain and from which no other construction inherits."""
    if not grammar.roots or grammar.is_shallow:
        return
    graph = {construction.name: sorted(_daughters(construction)) for construction in grammar.constructions}
    reached = {parent for construction in grammar.constructions for parent in construction.parents}
    for root in grammar.roots:
        reached |= {root.category} | _reached(graph, root.category).keys()
    for construction in grammar.constructions:
        if construction.name not in reached:
            roots = format_operands(grammar.roots)
            message = f'construction "{construction.name}" cannot be reached from the roots ({roots})'
            hint = "name it in a property of another construction or as a root"
            yield warning(message, construction.span or whole, hint)


def _daughters(construction: Construction) -> set[str]:
    return {operand.category for operand in construction.daughters}


def requirement_against_exclusion(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about B => C together with B x C: each B violates one of the two."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        excluded = {}
        for prop in construction.properties:
            if excludes(relations[prop.relation]):
                left, right = prop.operands
                excluded[left, right] = excluded[right, left] = prop
        for prop in construction.properties:
            if requires(relations[prop.relation]) and len(prop.operands[1]) == 1 and prop.operands in excluded:
                other = excluded[prop.operands]
                where = f" (line {other.span.line})" if other.span else ""
                message = f"{format_named(prop)} contradicts {format_property(other)}{where}"
                hint = "one of the two is violated whenever the left side is present"
                yield warning(message, prop.span or whole, hint)


def never_evaluated(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about properties whose operands are not in `const`, and about constructions that no property can build."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        allowed = _daughters(construction)
        for prop in construction.properties:
            strange = sorted({operand.category for operand in prop.all_operands()} - allowed)
            if strange:
                message = f"{format_named(prop)} mentions {', '.join(strange)}, "
                yield warning(message + "which is not in its const", prop.span or whole, "add it to const")
        used = [relations[prop.relation] for prop in construction.properties]
        if used and not any(relation.matched or relation.found_by for relation in used):
            yield _never_built(construction, whole)
        elif not construction.properties:
            message = f'construction "{construction.name}" can never be built: it has no properties'
            yield warning(message, construction.span or whole, "declare it as a leaf if it is a part of speech")


def _never_built(construction: Construction, whole: Span) -> Problem:
    """Return the warning about a construction that has properties although none of them can start a phrase."""
    wrong, hint = "all its properties are about absence", "such as uniq or =>"
    obliged = [prop for prop in construction.properties if prop.relation in HEAD_GIVING]
    if len(obliged) == len(construction.properties):
        wrong = "its only properties are obligations, which cannot start a phrase"
        hint = f'such as "uniq {format_operand(obliged[0].operands[0][0][0])}"'
    message = f'construction "{construction.name}" can never be built: {wrong}'
    return warning(message, construction.span or whole, f"it needs a property of daughters that are present, {hint}")


def pairs_stated_twice(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a symmetric property stated twice with its operands in another order: A x B and B x A."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        seen: dict[tuple[object, ...], Property] = {}
        for prop in construction.properties:
            relation = relations[prop.relation]
            if relation.symmetric:
                first = seen.setdefault((prop.relation, _in_any_order(prop, relation), prop.features), prop)
                if first is not prop:
                    where = f"line {first.span.line}" if first.span else format_property(first)
                    message = f"{format_named(prop)} repeats {where}"
                    what = "pair" if len(prop.operands) == 2 else "tuple"
                    yield warning(message, prop.span or whole, f"each {what} counts twice; remove one of the two")


def _in_any_order(prop: Property, relation: Relation) -> tuple[object, ...]:
    """Return a key that is equal for symmetric properties that differ only in the order of their matched operands."""
    places = list(zip(relation.parameters, prop.operands, strict=True))
    matched = Counter(operands for name, operands in places if name in relation.matched)
    return frozenset(matched.items()), *(operands for name, operands in places if name not in relation.matched)


CHECKS: Final[tuple[Callable[[Grammar, Span], Iterator[Problem]], ...]] = (
    empty_grammar,
    linearity_cycles,
    unreachable_constructions,
    requirement_against_exclusion,
    never_evaluated,
    features_never_given,
    values_never_given,
    nothing_compared,
    rules_without_source,
    heads_never_there,
    rules_without_daughter,
    parts_of_speech_without_words,
    always_satisfied,
    prices_above_violations,
    violations_for_nothing,
    quotation_marks,
    regular_expressions,
    patterns_of_one_word,
    pairs_stated_twice,
    rules_never_applied,
    misread_names,
    uncut_clitics,
    forms_that_look_alike,
    twins_of_included_words,
    heads_side_by_side,
    phrases_in_themselves,
)
"""The checks; their order does not matter, because warnings are sorted by place."""


def without_gloss(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Yield one note about the properties without a gloss, if the grammar has glosses; hard ones need none."""
    soft = [prop for prop in grammar.properties if not prop.hard]
    lacking = [prop for prop in soft if not prop.title]
    if 0 < len(lacking) < len(soft):
        message = f"{len(lacking):,} of {len(soft):,} properties that may be violated have no gloss"
        hint = 'their messages are made from titles; a gloss stands behind a property: Det < N "{b} stands before {c}"'
        yield note(message, lacking[0].span or whole, hint)
