"""Finds properties of a grammar by text, as `numbat show` prints them: `VP: Cl x NP`. Braces find several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.errors import Problem, Span, close_match
from numbat.grammar.constructions import named_by
from numbat.grammar.declarations import Declarations
from numbat.grammar.model import Grammar, relations_of, remembered
from numbat.grammar.names import WILDCARD
from numbat.grammar.notation import LogicalLine, parse
from numbat.grammar.properties import Property, format_named
from numbat.grammar.relations import Relation
from numbat.grammar.statements import ChangeStatement

_KEYWORD: Final = "without "
"""Word before a text that makes it a statement of the notation: `without NP: Det < N`."""
_WRITTEN: Final = 'name a property like "NP: Det < N"'


def read_named(text: str, place: Span) -> tuple[list[ChangeStatement], Problem | None]:
    """Return the statements that a text such as `NP: Det < N` stands for, or its problem; it begins at `place`."""
    begin = Span(place.path, place.line, place.column - len(_KEYWORD))
    statements, problem = parse(LogicalLine(_KEYWORD + text, begin, indented=False), "without")
    changes = [statement for statement in statements if isinstance(statement, ChangeStatement)]
    if problem is None and len(changes) < len(statements):
        problem = Problem(f'"{text}" is not a property', place, hint=_WRITTEN)
    if problem is not None and _KEYWORD in problem.hint:
        problem = replace(problem, hint=_WRITTEN)
    return changes, problem


def properties_named(grammar: Grammar, text: str, place: Span) -> tuple[tuple[Property, ...], list[Problem]]:
    """Return the properties of a grammar that a text names, and its problems; the text begins at `place`."""
    statements, problem = read_named(text, place)
    if problem is not None:
        return (), [problem]
    declarations = _declarations(grammar)
    named = [
        prop
        for statement in statements
        for prop in named_by(declarations, str(statement.construction), statement.property)
    ]
    if declarations.problems and not named:
        return (), [_missing(grammar, text, place)]
    known = {_key(prop): prop for prop in grammar.properties}
    properties = [known.get(_key(prop)) for prop in named]
    missing = [format_named(prop) for prop, its in zip(named, properties, strict=True) if its is None]
    return tuple(filter(None, properties)), [_missing(grammar, name, place) for name in missing]


def _key(prop: Property) -> tuple[object, ...]:
    """Return the key of a property within its grammar."""
    return prop.construction, prop.relation, prop.operands, prop.features


def _missing(grammar: Grammar, name: str, place: Span) -> Problem:
    """Return the problem of a text that names no property of the grammar."""
    hint = close_match(name, map(format_named, grammar.properties)) or "numbat show lists the properties of a grammar"
    return Problem(f'the grammar has no property "{name}"', place, hint=hint)


def _declarations(grammar: Grammar) -> Declarations:
    """Return declarations with all names of a grammar, in which texts about it can be read."""
    categories: Sequence[str] = (WILDCARD, *grammar.categories)
    features, relations = dict(grammar.features), _by_sign(grammar)
    return Declarations(features=features, categories=dict.fromkeys(categories), relations=relations)


@remembered
def _by_sign(grammar: Grammar) -> dict[str, Relation]:
    """Return the relations of a grammar by name, symbol and alias."""
    relations: dict[str, Relation] = {}
    for relation in relations_of(grammar).values():
        relations |= dict.fromkeys(filter(None, (relation.name, relation.symbol, *relation.aliases)), relation)
    return relations
