"""Warnings about what is allowed but doubtful in a grammar: one function a check (ruling 13), all of them in `CHECKS`.

The checks here are about constructions, properties and relations; `lexical_checks` has those about features and words.
A check takes the grammar and `whole`, the place that stands for the file where a doubt has no line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from numbat.grammar.expressions import Always, And, Not, Precedes, Present
from numbat.grammar.features import bundles, format_bundle
from numbat.grammar.lexical_checks import (
    features_never_given,
    misread_names,
    rules_never_applied,
    uncut_clitics,
)
from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.properties import Operand, Property, format_named, format_operand, format_operands, format_property
from numbat.grammar.relations import Clause, Relation
from numbat.source import Problem, Span, warning


def check(grammar: Grammar, path: str = "") -> list[Problem]:
    """All warnings about a grammar, in the order of the file; `path` names it where a doubt has no line."""
    found = [problem for each in CHECKS for problem in each(grammar, Span(path, 0))]
    return sorted(dict.fromkeys(found), key=lambda problem: (problem.span, problem.message))


def empty_grammar(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A grammar that can build nothing; one with features or relations may be a part for others to include."""
    if not (grammar.constructions or grammar.features or grammar.relations):
        hint = 'a construction is written as "NP:", and below it, indented, its properties: "Det < N"'
        yield warning("there is no construction, so every sentence is cut into its words", whole, hint)


def linearity_cycles(grammar: Grammar, whole: Span) -> Iterator[Problem]:
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
                yield warning(message, span or whole, "whatever the order, one of these is violated")


def unreachable_constructions(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A construction that no root can contain is built in vain."""
    import networkx as nx

    if not grammar.roots or grammar.is_shallow:
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
            hint = "name it in a property of another construction or as a root"
            yield warning(message, construction.span or whole, hint)


def _daughters(construction: Construction) -> set[str]:
    return {operand.category for operand in construction.daughters}


def requirement_against_exclusion(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """B => C and B x C: B is always violated."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        excluded = {}
        for prop in construction.properties:
            if _excludes(relations[prop.relation]):
                left, right = prop.operands
                excluded[left, right] = excluded[right, left] = prop
        for prop in construction.properties:
            if _requires(relations[prop.relation]) and len(prop.operands[1]) == 1 and prop.operands in excluded:
                other = excluded[prop.operands]
                where = f" (line {other.span.line})" if other.span else ""
                message = f"{format_named(prop)} against {format_property(other)}{where}"
                hint = "one of the two is violated wherever the left side is present"
                yield warning(message, prop.span or whole, hint)


def _excludes(relation: Relation) -> bool:
    """Whether every tuple of two daughters that match the parameters violates the relation, as in `B x C`."""
    together = And(tuple(map(Present, relation.parameters)))
    never = relation.holds in (Always(False), Not(together))
    return never and len(relation.parameters) == 2 and Clause(relation.parameters) in relation.clauses


def _requires(relation: Relation) -> bool:
    """Whether each daughter that matches the first parameter must have one that matches the second, as in `B => C`."""
    first, *others = relation.parameters
    return relation.clauses == (Clause((first,)),) and [relation.holds] == list(map(Present, others))


def never_evaluated(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A property about what its construction cannot contain; a construction that no property can trigger."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        allowed = _daughters(construction)
        for prop in construction.properties:
            strange = sorted({operand.category for operand in prop.all_operands()} - allowed)
            if strange:
                message = f"{format_named(prop)} speaks of {', '.join(strange)}, "
                yield warning(message + "which its const leaves out", prop.span or whole, "add it to const")
        if construction.properties and not any(relations[p.relation].matched for p in construction.properties):
            message = f'construction "{construction.name}" can never be built: all its properties are about absence'
            hint = "a property that a daughter retrieves must trigger it, such as uniq or =>"
            yield warning(message, construction.span or whole, hint)
        elif not construction.properties:
            message = f'construction "{construction.name}" can never be built: it has no properties'
            yield warning(message, construction.span or whole, "declare it as a leaf if it is a part of speech")


def single_words_never_built(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """An obligatory operand that no property about it alone retrieves: a phrase of that one word cannot be built.

    Nor is it meant to be where something else is obligatory and hard.
    """
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        obligations = [prop for prop in construction.properties if not relations[prop.relation].matched]
        if len(obligations) == len(construction.properties):
            continue
        retrieving = list(_retrieving_alone(construction, relations))
        alone = [{joint[0].category: joint[0] for joint in p.operands[0] if len(joint) == 1} for p in obligations]
        hard = [set(operands) for prop, operands in zip(obligations, alone, strict=True) if prop.hard]
        for prop, operands in zip(obligations, alone, strict=True):
            for category in sorted((operands.keys() & _daughters(construction)).intersection(*hard)):
                others = [operand for operand in retrieving if operand.category == category]
                not_retrieved = _not_retrieved(grammar, operands[category], others)
                if not_retrieved is not None:
                    message = f"{construction.name}: a lone {not_retrieved} is never built into one"
                    hint = f'add one that speaks of it alone, such as "uniq {category}"'
                    yield warning(message + ", for no property retrieves it", prop.span or whole, hint)


def _retrieving_alone(construction: Construction, relations: Mapping[str, Relation]) -> Iterator[Operand]:
    """The operands that retrieve a property by themselves."""
    for prop in construction.properties:
        relation = relations[prop.relation]
        places = [relation.parameters.index(c.matched[0]) for c in relation.clauses if len(c.matched) == 1]
        for joint in (joint for place in places for joint in prop.operands[place]):
            if len(joint) == 1:
                yield joint[0]


def _not_retrieved(grammar: Grammar, obligatory: Operand, retrieving: Sequence[Operand]) -> str | None:
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


def pairs_stated_twice(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A x B and B x A: each pair counts twice; so do the tuples of more operands, stated in another order."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        seen: dict[tuple[object, ...], Property] = {}
        for prop in construction.properties:
            relation = relations[prop.relation]
            if relation.symmetric:
                first = seen.setdefault((prop.relation, _in_any_order(prop, relation), prop.features), prop)
                if first is not prop:
                    where = f" in line {first.span.line}" if first.span else ""
                    message = f"{format_named(prop)} says again what stands{where}"
                    each = "pair" if len(prop.operands) == 2 else "tuple"
                    yield warning(message, prop.span or whole, f"each {each} counts twice; remove one of the two")


def _in_any_order(prop: Property, relation: Relation) -> tuple[object, ...]:
    """What a symmetric property says, whatever the order of its matched operands."""
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
    single_words_never_built,
    pairs_stated_twice,
    rules_never_applied,
    misread_names,
    uncut_clitics,
)
"""The checks, in no order that matters: warnings are sorted by place."""
