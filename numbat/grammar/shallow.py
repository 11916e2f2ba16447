"""Derives a chunking grammar, with only the phrases whose daughters are words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from numbat.errors import UsageError
from numbat.grammar.model import NO_ROOTS, Construction, FeatureRule, Grammar, relations_of
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import MAX_WEIGHT, UNIT, Operand, Property, Strength
from numbat.grammar.relations import HEAD_GIVING, OCCURS, Relation
from numbat.records import frozen


def shallow_grammar(grammar: Grammar, fragment_cost: float | None = None) -> Grammar:
    """Return a grammar for chunks: its phrases consist of words and are not roots.

    Everything about phrases within phrases is removed: operands and alternatives that name phrases, properties that
    have no operand left, and constructions that require a phrase or have no leaf as a daughter. The best parse has the
    lowest sum of the costs of violated properties, lexical costs, and `fragment_cost` (default: the grammar's own) for
    each chunk and each word outside chunks; of equally cheap parses, one with more words in chunks is better. Raises
    UsageError for a cost that the notation could not state.
    """
    cost = grammar.fragment_cost_units if fragment_cost is None else _units(fragment_cost)
    shallow = _Shallow.from_grammar(grammar)
    constructions = tuple(filter(None, map(shallow.construction, grammar.constructions)))
    left = {construction.name for construction in constructions}
    gone = tuple(form.name for form in grammar.constructions if form.name not in left)
    relation = shallow.occurs
    is_used = any(prop.relation == relation.name for construction in constructions for prop in construction.properties)
    return replace(
        grammar,
        leaves=(*grammar.leaves, *gone),  # a lexicon may have words of these categories
        roots=NO_ROOTS,
        node_cost_units=0,
        fragment_cost_units=cost,
        relations=(*grammar.relations, relation)
        if is_used and relation not in grammar.relations
        else grammar.relations,
        constructions=constructions,
    )


def _units(cost: float) -> int:
    if not 0 <= cost <= MAX_WEIGHT:
        raise UsageError(f"a fragment cost is a number from 0 to {MAX_WEIGHT}, not {cost}")
    return round(cost * UNIT)


def _once(properties: Iterable[Property]) -> Iterator[Property]:
    """Yield each property once; removing alternatives may have made some equal."""
    seen = set()
    for prop in properties:
        key = prop.relation, prop.operands, prop.features
        if key not in seen:
            seen.add(key)
            yield prop


@frozen
class _Shallow:
    """Derives constructions of chunks: `leaves` are their possible daughters, `relations` those of the grammar.

    `occurs` is a relation that always holds. A property with it lets a phrase be built from its head alone although
    the other properties about the head are removed (ruling 8).
    """

    leaves: Collection[str]
    relations: dict[str, Relation]
    occurs: Relation

    @classmethod
    def from_grammar(cls, grammar: Grammar) -> _Shallow:
        relations = relations_of(grammar)
        name = OCCURS.name
        while relations.get(name, OCCURS) != OCCURS:
            name += "'"
        constructions = {construction.name for construction in grammar.constructions}
        return cls({WILDCARD, *grammar.leaves} - constructions, relations, replace(OCCURS, name=name))

    def construction(self, whole: Construction) -> Construction | None:
        """Return the construction over leaves, None if it cannot be a chunk."""
        daughters = self._operands(whole.daughters)
        kept = [(prop, self._property(prop)) for prop in whole.properties]
        if not daughters or any(left is None and prop.relation in HEAD_GIVING for prop, left in kept):
            return None
        cut = replace(
            whole,
            head=self._operands(whole.head),
            feature_rules=tuple(self._feature_rules(whole)),
            constituency=daughters,
            properties=tuple(_once(left for _, left in kept if left is not None)),
            prices=(),
        )
        orphaned = {operand for prop, left in kept if left is None for operand in prop.all_operands()}
        occurring = (self._occurs(whole.name, head) for head in cut.heads if head in orphaned and head in cut.daughters)
        return replace(cut, properties=(*cut.properties, *occurring))

    def _occurs(self, construction: str, operand: Operand) -> Property:
        return Property(
            construction, self.occurs.name, (((operand,),),), weight_units=0, cost_units=0, stated=Strength(0)
        )

    def _property(self, prop: Property) -> Property | None:
        """Return the property with only leaves as operands; None if it can then have no instances."""
        operands = tuple(
            tuple(joint for joint in parameter if all(map(self._is_leaf, joint))) for parameter in prop.operands
        )
        if operands == prop.operands:
            return prop
        return replace(prop, operands=operands) if all(operands) else None

    def _operands(self, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        return tuple(filter(self._is_leaf, operands))

    def _is_leaf(self, operand: Operand) -> bool:
        return operand.category in self.leaves

    def _feature_rules(self, construction: Construction) -> Iterator[FeatureRule]:
        """Yield the rules that depend only on leaves."""
        for rule in construction.feature_rules:
            sources = self._operands(rule.sources)
            is_known = all(self._is_leaf(occurrence.operand) for occurrence in rule.conditions)
            if is_known and (sources or not rule.sources):
                yield replace(rule, sources=sources)
