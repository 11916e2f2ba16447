"""What is allowed but doubtful in a grammar: one function a check, from a grammar to warnings (ruling 13)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import Final

from numbat.grammar.expressions import Precedes
from numbat.grammar.features import bundles, format_bundle
from numbat.grammar.lazy_lexicon import forms_of
from numbat.grammar.model import Construction, FeatureRule, Grammar, Operand, Property, Reading, relations_of
from numbat.grammar.printing import format_feature_rule, format_named, format_operand, format_operands, format_property
from numbat.grammar.relations import Relation
from numbat.source import Problem, Span

MISREAD: Final = frozenset((
    "NA", "NULL", "T", "F", "TRUE", "FALSE", "True", "False", "true", "false",
    "NaN", "nan", "None", "null", "inf", "Inf",
))  # fmt: skip
"""Names that R, spreadsheets and data frames read as something else than text."""


def check(grammar: Grammar, path: str = "") -> list[Problem]:
    """All warnings about a grammar, in the order of the file; `path` names it where a doubt has no line."""
    found = [problem for doubts in CHECKS for problem in doubts(grammar, path)]
    return sorted(dict.fromkeys(found), key=lambda problem: (problem.span, problem.message))


def _warning(message: str, span: Span | None, path: str, hint: str) -> Problem:
    return Problem(message, span or Span(path, 0), severity="warning", hint=hint)


def emptiness(grammar: Grammar, path: str) -> Iterator[Problem]:
    """A grammar that can build nothing; one with features or relations may be a part for others to include."""
    if not (grammar.constructions or grammar.features or grammar.relations):
        hint = 'a construction is written as "NP:", and below it, indented, its properties: "Det < N"'
        yield _warning("there is no construction, so every sentence is cut into its words", None, path, hint)


def linearity_cycles(grammar: Grammar, path: str) -> Iterator[Problem]:
    """A < B and B < A in one construction: whatever the order, one of them is violated."""
    import networkx as nx

    linear = {
        name: (relation.parameters.index(relation.holds.left), relation.parameters.index(relation.holds.right))
        for name, relation in relations_of(grammar).items()
        if isinstance(relation.holds, Precedes)
    }
    for construction in grammar.constructions:
        graph = nx.DiGraph()
        for prop in construction.properties:
            if prop.relation in linear:
                left, right = (format_operand(prop.operands[i][0][0]) for i in linear[prop.relation])
                graph.add_edge(left, right, prop=prop)
        for members in sorted(map(sorted, nx.strongly_connected_components(graph))):
            loop = members if len(members) > 1 else [m for m in members if graph.has_edge(m, m)]
            if loop:
                cycle = nx.find_cycle(graph, loop[0])
                names = " < ".join([*(edge[0] for edge in cycle), cycle[0][0]])
                span = graph.edges[cycle[-1][0], cycle[-1][1]]["prop"].span
                message = f"{construction.name}: linearity goes in a circle: {names}"
                yield _warning(message, span, path, "whatever the order, one of these is violated")


def unreachable_constructions(grammar: Grammar, path: str) -> Iterator[Problem]:
    """A construction that no root can contain is built in vain."""
    import networkx as nx

    if not grammar.roots:
        return
    graph = nx.DiGraph()
    graph.add_nodes_from(construction.name for construction in grammar.constructions)
    for construction in grammar.constructions:
        graph.add_edges_from((construction.name, category) for category in sorted(_daughters(construction)))
    reached: set[str] = set()
    for root in grammar.roots:
        reached |= {root.category} | (nx.descendants(graph, root.category) if root.category in graph else set())
    for construction in grammar.constructions:
        if construction.name not in reached:
            roots = format_operands(grammar.roots)
            message = f'construction "{construction.name}" cannot be reached from the roots ({roots})'
            yield _warning(
                message, construction.span, path, "name it in a property of another construction or as a root"
            )


def _daughters(construction: Construction) -> set[str]:
    return {operand.category for operand in construction.daughters}


def requirement_against_exclusion(grammar: Grammar, path: str) -> Iterator[Problem]:
    """B => C and B x C: B is always violated."""
    for construction in grammar.constructions:
        excluded = {}
        for prop in construction.properties:
            if prop.relation == "exclusion":
                left, right = prop.operands
                excluded[left, right] = excluded[right, left] = prop
        for prop in construction.properties:
            if prop.relation == "requirement" and len(prop.operands[1]) == 1 and prop.operands in excluded:
                other = excluded[prop.operands]
                where = f" (line {other.span.line})" if other.span else ""
                message = f"{format_named(prop)} against {format_property(other)}{where}"
                yield _warning(message, prop.span, path, "one of the two is violated wherever the left side is present")


def never_evaluated(grammar: Grammar, path: str) -> Iterator[Problem]:
    """A property that speaks of what its construction cannot contain; a form that nothing can trigger."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        allowed = _daughters(construction)
        for prop in construction.properties:
            strange = sorted({operand.category for operand in prop.leaves()} - allowed)
            if strange:
                message = f"{format_named(prop)} speaks of {', '.join(strange)}, "
                yield _warning(message + "which its const leaves out", prop.span, path, "add it to const")
        if construction.properties and not any(relations[p.relation].matched for p in construction.properties):
            message = f'construction "{construction.name}" can never be built: all its properties are about absence'
            hint = "a property that a daughter retrieves must trigger it, such as uniq or =>"
            yield _warning(message, construction.span, path, hint)
        elif not construction.properties:
            message = f'construction "{construction.name}" can never be built: it has no properties'
            yield _warning(message, construction.span, path, "declare it as a leaf if it is a part of speech")


def never_given(grammar: Grammar, path: str) -> Iterator[Problem]:
    """An operand that asks for a feature which no word and no rule of the grammar gives to its category."""
    given = _given(grammar)
    daughters = {each.name: dict.fromkeys(part.category for part in each.daughters) for each in grammar.constructions}
    told: set[tuple[str, str]] = set()
    for prop in grammar.properties:
        for category, feature in (
            (operand.category, name) for operand in prop.leaves() for name, _ in operand.features
        ):
            if feature in given.get(category, (feature,)) or (category, feature) in told:
                continue
            told.add((category, feature))
            message = f"{format_named(prop)} asks for {feature}, but no {category} has it"
            having = [each for each in daughters.get(category, ()) if feature in given.get(each, ())]
            rule = f'write "{feature} from {", ".join(having)}" in {category}' if having else ""
            yield _warning(message, prop.span, path, rule or f"give it to {category} in the lexicon")


def _given(grammar: Grammar) -> dict[str, set[str]]:
    """The features that a constituent of each category may have; nothing of leaves for which there are no words."""
    given: dict[str, set[str]] = {construction.name: set() for construction in grammar.constructions}
    of_words: Iterator[Operand | Reading] = chain(
        (reading for entry in grammar.lexicon for reading in entry.readings),
        (reading for rule in (*grammar.guesses, *grammar.names) for reading in rule.readings),
        (operand for rule in grammar.spelling for operand in rule.operands),
    )
    for word in of_words:
        given.setdefault(word.category, set()).update(dict(word.features))
    every = {feature for feature, _ in grammar.features}
    before = -1
    while before != (before := sum(map(len, given.values()))):
        for construction in grammar.constructions:
            inherited = set().union(*(given.get(head.category, every) for head in construction.heads))
            if construction.inherit is not None:
                inherited &= set(construction.inherit)
            given[construction.name] |= inherited | {
                rule.feature
                for rule in construction.feature_rules
                if rule.value or any(rule.feature in given.get(source.category, every) for source in rule.sources)
            }
    return given


def never_alone(grammar: Grammar, path: str) -> Iterator[Problem]:
    """An obligatory operand that no property about it alone retrieves: a phrase of that one word cannot be built.

    Nor is it meant to be where something else is obligatory and hard.
    """
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        obligations = [prop for prop in construction.properties if not relations[prop.relation].matched]
        if len(obligations) == len(construction.properties):
            continue
        lone = list(_lone(construction, relations))
        alone = [{joint[0].category: joint[0] for joint in p.operands[0] if len(joint) == 1} for p in obligations]
        hard = [set(operands) for prop, operands in zip(obligations, alone, strict=True) if prop.hard]
        for prop, operands in zip(obligations, alone, strict=True):
            for category in sorted((operands.keys() & _daughters(construction)).intersection(*hard)):
                retrieving = [operand for operand in lone if operand.category == category]
                left_out = _left_out(grammar, operands[category], retrieving)
                if left_out is not None:
                    message = f"{construction.name}: a lone {left_out} is never built into one"
                    hint = f'add one that speaks of it alone, such as "uniq {category}"'
                    yield _warning(message + ", for no property retrieves it", prop.span, path, hint)


def _lone(construction: Construction, relations: Mapping[str, Relation]) -> Iterator[Operand]:
    """The operands that retrieve a property by themselves."""
    for prop in construction.properties:
        relation = relations[prop.relation]
        places = [relation.parameters.index(c.matched[0]) for c in relation.clauses if len(c.matched) == 1]
        for joint in (joint for place in places for joint in prop.operands[place]):
            if len(joint) == 1:
                yield joint[0]


def _left_out(grammar: Grammar, obligatory: Operand, retrieving: Sequence[Operand]) -> str | None:
    """What is the obligatory operand and none of the others: the category, or the first word of the lexicon."""
    if not retrieving:
        return obligatory.category
    if not all(operand.features for operand in retrieving):
        return None
    for entry in grammar.lexicon:
        for reading in entry.readings:
            for features in bundles(reading.features):
                fitting = [each.matches(reading.category, features) for each in (obligatory, *retrieving)]
                if fitting[0] and not any(fitting[1:]):
                    return f'{reading.category}{format_bundle(features)}, such as "{entry.form}",'
    return None


def said_twice(grammar: Grammar, path: str) -> Iterator[Problem]:
    """A x B and B x A: each pair counts twice."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        seen: dict[tuple[object, ...], Property] = {}
        for prop in construction.properties:
            if relations[prop.relation].symmetric and prop.operands != prop.operands[::-1]:
                first = seen.get((prop.relation, prop.operands[::-1], prop.features))
                if first is not None:
                    where = f" in line {first.span.line}" if first.span else ""
                    message = f"{format_named(prop)} says again what stands{where}"
                    yield _warning(message, prop.span, path, "each pair counts twice; remove one of the two")
                seen[prop.relation, prop.operands, prop.features] = prop


_ANY_OF: Final = re.compile(r"\[!?\]?[^\]]*\]|\?")


def never_decides(grammar: Grammar, path: str) -> Iterator[Problem]:
    """Of guess rules, spelling rules and the rules of a feature the first that applies decides; one behind a rule that
    always applies where it does never does."""
    for section, rules in (("guess", grammar.guesses), ("names", grammar.names), ("spelling", grammar.spelling)):
        patterns = [rule.pattern for rule in rules]
        for i, pattern in enumerate(patterns):
            first = next((other for other in patterns[:i] if _covers(other, pattern)), None)
            if first is not None:
                message = f'{section}: "{pattern}" never decides, for "{first}" before it fits the same words'
                yield _warning(message, None, path, "put it first, or remove it")
    for construction in grammar.constructions:
        always: dict[str, FeatureRule] = {}
        for rule in construction.feature_rules:
            if (other := always.get(rule.feature)) is not None:
                dead, deciding = format_feature_rule(rule), format_feature_rule(other)
                message = f"{construction.name}: {dead} never decides, for {deciding} before it does"
                yield _warning(message, construction.span, path, "put it first, or remove it")
            elif rule.value is not None and rule.condition is None:
                always[rule.feature] = rule


def _covers(one: str, other: str) -> bool:
    """Whether a shell pattern fits all that another one fits: they are equal, or it has stars and letters alone."""
    return one == other or (not {*"?["} & {*one} and fnmatchcase(_ANY_OF.sub("\0", other), one))


def misread_names(grammar: Grammar, path: str) -> Iterator[Problem]:
    """Names that data tools take for a missing value or a truth value."""
    spans = {construction.name: construction.span for construction in grammar.constructions}
    names = [*spans, *grammar.leaves, *(relation.name for relation in grammar.relations)]
    for feature, values in grammar.features:
        names += [feature, *values]
    for name in dict.fromkeys(names):
        if name in MISREAD:
            message = f'data tools such as R read the name "{name}" as something else'
            yield _warning(message, spans.get(name), path, f'choose a longer name, such as "{name}1"')


def uncut_clitics(grammar: Grammar, path: str) -> Iterator[Problem]:
    """A form such as l' that no rule cuts from the words in front of which it is written: l'homme is unknown then."""
    made = {form.replace("’", "'") for rule in grammar.tokens for form in (rule.forms[1:] or rule.forms)}
    for form in sorted(set(forms_of(grammar.lexicon))):
        if CLITIC.fullmatch(form) and form.replace("’", "'") not in made:
            hint = f"write 'prefix \"{form}\"' below 'tokens:'"
            yield _warning(f'"{form}" of the lexicon is not cut from the word behind it', None, path, hint)


CLITIC: Final = re.compile(r"[^\W\d_]{1,2}['’]")
"""What stands before an apostrophe where a vowel is elided."""

CHECKS: Final[tuple[Callable[[Grammar, str], Iterator[Problem]], ...]] = (
    emptiness,
    linearity_cycles,
    unreachable_constructions,
    requirement_against_exclusion,
    never_evaluated,
    never_given,
    never_alone,
    said_twice,
    never_decides,
    misread_names,
    uncut_clitics,
)
