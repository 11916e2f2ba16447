"""Warnings about what is allowed but doubtful in a grammar: one function a check (ruling 13), all of them in `CHECKS`.

The checks here are about constructions, properties and relations; `idle_properties` has those about properties that
say nothing, `missing_daughters` those about categories that can be nowhere, `lexical_checks` those about words and
rules. What words alone become is asked by `parsing.queries.start_checks`.
A check takes the grammar and `whole`, the place that stands for the file where a doubt has no line.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

from numbat.errors import Problem, Span, warning
from numbat.grammar.expressions import Precedes
from numbat.grammar.idle_properties import (
    always_satisfied,
    features_never_given,
    nothing_compared,
    rules_without_source,
    values_never_given,
    violations_for_nothing,
)
from numbat.grammar.lexical_checks import (
    misread_names,
    patterns_of_one_word,
    quotation_marks,
    regular_expressions,
    rules_never_applied,
    uncut_clitics,
)
from numbat.grammar.missing_daughters import heads_never_there, parts_of_speech_without_words, rules_without_daughter
from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.properties import Property, format_named, format_operand, format_operands, format_property
from numbat.grammar.relations import HEAD_GIVING, Relation, excludes, requires


def check(grammar: Grammar, path: str = "", advance: Callable[[], object] = tuple) -> list[Problem]:
    """All warnings about a grammar, in the order of the file; `path` names it where a doubt has no line.

    `advance` is called before each check; it may raise.
    """
    found: list[Problem] = []
    for each in CHECKS:
        advance()
        found += each(grammar, Span(path, 0))
    return sorted(dict.fromkeys(found), key=lambda problem: (problem.span, problem.message))


def empty_grammar(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A grammar that can build nothing; one with features or relations may be a part for others to include."""
    if not (grammar.constructions or grammar.features or grammar.relations):
        hint = 'a construction is written as "NP:", and below it, indented, its properties: "Det < N"'
        yield warning("there is no construction, so every sentence is cut into its words", whole, hint)


def linearity_cycles(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A < B and B < A in one construction: whatever the order, one of them is violated."""
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
            message = f"{construction.name}: linearity goes in a circle: {names}"
            span = stated[cycle[-1], cycle[0]].span
            yield warning(message, span or whole, "whatever the order, one of these is violated")


def _cycles(edges: Iterable[tuple[str, str]]) -> Iterator[list[str]]:
    """A shortest cycle through the first member of each set of nodes that can all be reached from each other."""
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
    """Each node that can be reached from one by at least one edge, with the node before it on a shortest way."""
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
    """A construction that no root can contain is built in vain."""
    if not grammar.roots or grammar.is_shallow:
        return
    graph = {construction.name: sorted(_daughters(construction)) for construction in grammar.constructions}
    reached: set[str] = set()
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
    """B => C and B x C: B is always violated."""
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
                message = f"{format_named(prop)} against {format_property(other)}{where}"
                hint = "one of the two is violated wherever the left side is present"
                yield warning(message, prop.span or whole, hint)


def never_evaluated(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A property about what its construction cannot contain; a construction that no property can start."""
    relations = relations_of(grammar)
    for construction in grammar.constructions:
        allowed = _daughters(construction)
        for prop in construction.properties:
            strange = sorted({operand.category for operand in prop.all_operands()} - allowed)
            if strange:
                message = f"{format_named(prop)} speaks of {', '.join(strange)}, "
                yield warning(message + "which its const leaves out", prop.span or whole, "add it to const")
        if construction.properties and not any(relations[p.relation].matched for p in construction.properties):
            yield _never_built(construction, whole)
        elif not construction.properties:
            message = f'construction "{construction.name}" can never be built: it has no properties'
            yield warning(message, construction.span or whole, "declare it as a leaf if it is a part of speech")


def _never_built(construction: Construction, whole: Span) -> Problem:
    """What to say of a construction none of whose properties is about daughters that are there."""
    wrong, hint = "all its properties are about absence", "such as uniq or =>"
    obliged = [prop for prop in construction.properties if prop.relation in HEAD_GIVING]
    if len(obliged) == len(construction.properties):
        wrong = "it has only obligations, and these start no phrase"
        hint = f'such as "uniq {format_operand(obliged[0].operands[0][0][0])}"'
    message = f'construction "{construction.name}" can never be built: {wrong}'
    return warning(message, construction.span or whole, f"a property of daughters that are there must start it, {hint}")


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
    values_never_given,
    nothing_compared,
    rules_without_source,
    heads_never_there,
    rules_without_daughter,
    parts_of_speech_without_words,
    always_satisfied,
    violations_for_nothing,
    quotation_marks,
    regular_expressions,
    patterns_of_one_word,
    pairs_stated_twice,
    rules_never_applied,
    misread_names,
    uncut_clitics,
)
"""The checks, in no order that matters: warnings are sorted by place."""
