"""Changes that may satisfy the violated properties of a parse: of words, of gaps between them, of their order.

It follows from the definition of the relation. A violated instance goes away if its condition becomes true, if its
guard becomes false, or if an element no longer matches its operand. Each part of a condition says what makes it true: a
daughter that must be present, or be there more often, is inserted, or made of one of that category with other features;
a daughter that must be absent, or be there less often, is dropped or changed; daughters whose places are compared move;
those whose features are compared change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from numbat.evaluation.constituents import Constituent
from numbat.grammar.expressions import (
    COMPARISONS,
    Agree,
    And,
    Count,
    Expression,
    HasValue,
    Not,
    Or,
    Present,
    SameValue,
    single_parameters,
)
from numbat.grammar.model import Construction, relations_of
from numbat.grammar.properties import Parameter
from numbat.grammar.relations import Relation
from numbat.parsing.analysis import Evaluated
from numbat.parsing.explanation.violations import bearer, is_operand, spine
from numbat.parsing.result import Parse
from numbat.records import frozen

Span = tuple[int, int]
Need = Literal["more", "fewer", "order", "form"]
"""Change that makes a condition true: more or fewer daughters that match a parameter, others in order or form."""


@frozen
class Remedies:
    """Where an edit may satisfy a violated property of a parse, by token positions.

    The `words` may change or go, a word may be inserted before the positions `gaps`, and the `blocks` may move to one
    of the `borders`. The values are the numbers of the violations, the costliest first. `named` are the categories of
    words that may be lacking, in this order.
    """

    words: Mapping[int, int]
    gaps: Mapping[int, int]
    blocks: Mapping[Span, int]
    borders: frozenset[int]
    named: tuple[str, ...]


def remedies_of(parse: Parse) -> Remedies:
    """Return what would satisfy the violated properties of a parse."""
    constructions = {construction.name: construction for construction in parse.grammar.constructions}
    relations = relations_of(parse.grammar)
    words: dict[int, int] = {}
    gaps: dict[int, int] = {}
    blocks: dict[Span, int] = {}
    borders: set[int] = set()
    named: dict[str, None] = {}
    for number, violated in enumerate(sorted(parse.violated, key=lambda violated: -violated.property.cost_units)):
        wrong, daughters = [*violated.elements], violated.constituent.daughters
        edges = {*(daughter.start for daughter in daughters), violated.constituent.end}
        for need, parameter in _needs(violated, relations[violated.property.relation]):
            matching = [daughter for daughter in daughters if is_operand(daughter, parameter)]
            if need == "more":
                gaps = dict.fromkeys(edges, number) | gaps
                categories = [operand.category for joint in parameter for operand in joint]
                named |= dict.fromkeys(leaf for name in categories for leaf in _leaves(name, constructions))
                matching = [daughter for daughter in daughters if daughter.construction in categories]
            elif need == "order":
                blocks = {(block.start, block.end): number for block in matching} | blocks
                borders |= edges
            wrong += matching
        words = {word.start: number for phrase in wrong for word in _words(phrase, constructions)} | words
    return Remedies(words, gaps, blocks, frozenset(borders), tuple(named))


def _needs(violated: Evaluated, relation: Relation) -> Iterator[tuple[Need, Parameter]]:
    """Yield what would make the condition of a violated instance true, or the guards of its relation false."""
    operands = dict(zip(relation.parameters, violated.property.operands, strict=True))
    daughters = violated.constituent.daughters
    counts = {name: sum(is_operand(one, parameter) for one in daughters) for name, parameter in operands.items()}
    for condition, wanted in ((relation.holds, True), *((clause.guard, False) for clause in relation.clauses)):
        for need, name in _needed(condition, wanted, counts):
            yield need, operands[name]


def _needed(condition: Expression, wanted: bool, counts: Mapping[str, int]) -> Iterator[tuple[Need, str]]:
    """Yield what would give a condition the wanted truth, with the parameter that it is about."""
    match condition:
        case Not(operand):
            yield from _needed(operand, not wanted, counts)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _needed(operand, wanted, counts)
        case Present(parameter):
            yield "more" if wanted else "fewer", parameter
        case Count(parameter, comparison, number):
            holds, count = COMPARISONS[comparison], counts[parameter]
            if any(holds(fewer, number) == wanted for fewer in range(count)):
                yield "fewer", parameter
            if any(holds(more, number) == wanted for more in range(count + 1, number + 2)):
                yield "more", parameter
        case Agree() | SameValue() | HasValue():
            yield from (("form", parameter) for parameter in single_parameters(condition))
        case _:
            yield from (("order", parameter) for parameter in single_parameters(condition))


def _words(constituent: Constituent, constructions: Mapping[str, Construction]) -> Iterator[Constituent]:
    """Yield the words that make a phrase what it is: its head, the words beside it, and so on down the heads."""
    for daughter in constituent.daughters:
        yield bearer(daughter, constructions)
    for phrase in spine(constituent, constructions):
        yield from (daughter for daughter in phrase.daughters or (phrase,) if daughter.is_word)


def _leaves(category: str, constructions: Mapping[str, Construction]) -> list[str]:
    """Return the categories of words that can be the only word of a phrase of this category."""
    waiting, seen = [category], dict[str, None]()
    while waiting:
        name = waiting.pop(0)
        if name not in seen:
            seen[name] = None
            waiting += (head.category for head in constructions[name].heads) if name in constructions else ()
    return [name for name in seen if name not in constructions]
