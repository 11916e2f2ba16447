"""Properties as features of trees: how many instances a phrase satisfies and violates, on three levels.

A property counts for its relation, for its relation in its construction, and for itself. What a phrase satisfies is
told from the categories of its daughters.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator, evaluated_phrase
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_named
from numbat.parsing.tree_model.records import EdgeFeatures
from numbat.parsing.treebank_grammar.forest import WHOLE, Forest, categories
from numbat.parsing.treebank_grammar.markov import MarkovGrammar

OUTCOMES = ("satisfied", "violated")
MOST_KNOWN = 150_000
"""So many phrases are remembered at most; where there are more, all are forgotten."""


def levels_of(property: Property) -> tuple[str, str, str]:
    """The names of a property on each level: of its relation, of its relation in the construction, its own."""
    return property.relation, f"{property.relation} in {property.construction}", format_named(property)


def property_names(grammar: Grammar) -> tuple[str, ...]:
    """The names of all features of a grammar's properties."""
    names = {level: None for property in grammar.properties for level in levels_of(property)}
    return tuple(f"{outcome} {name}" for name in names for outcome in OUTCOMES)


def relations_of_names(grammar: Grammar) -> dict[str, str]:
    """The relation that each of the named features speaks of."""
    return {
        f"{outcome} {level}": property.relation
        for property in grammar.properties
        for level in levels_of(property)
        for outcome in OUTCOMES
    }


class PropertyFeatures:
    """The features of the phrases of a grammar, remembered by construction and categories of the daughters."""

    def __init__(self, evaluator: Evaluator, grammar: MarkovGrammar, names: Sequence[str]) -> None:
        self._evaluator, self._grammar = evaluator, grammar
        self._place = {name: place for place, name in enumerate(names)}
        self._labels = categories(grammar)[0]
        self._known: dict[tuple[str, tuple[int, ...]], Mapping[int, int]] = {}

    def of_phrase(self, label: str, daughters: tuple[int, ...]) -> Mapping[int, int]:
        """How often each named feature is there, for a phrase over daughters of these categories."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        known = self._known.get((label, daughters))
        if known is None:
            known = self._known[label, daughters] = self._counted(label, daughters)
        return known

    def of_edges(self, forest: Forest) -> EdgeFeatures:
        """The features of all edges of a forest that complete a phrase."""
        symbols = self._grammar.symbols
        at, ids, values = array("i", [0]), array("i"), array("f")
        for edge, kind in enumerate(forest.kinds):
            if kind in WHOLE:
                label = symbols[forest.symbols[forest.heads[edge]]].label
                for place, count in self.of_phrase(label, forest.daughters_of(forest.sequences[edge])).items():
                    ids.append(place)
                    values.append(count)
            at.append(len(ids))
        return EdgeFeatures(at, ids, values)

    def _counted(self, label: str, daughters: tuple[int, ...]) -> Mapping[int, int]:
        construction = self._evaluator.table.constructions[label]
        parts = [Constituent(self._labels[each], 1 << i, ()) for i, each in enumerate(daughters)]
        both = evaluated_phrase(construction, tuple(parts), self._evaluator).characterization
        found: Counter[int] = Counter()
        for outcome, instances in zip(OUTCOMES, (both.satisfied, both.violated), strict=True):
            for instance in instances:
                for place in self._places(outcome, instance.property):
                    found[place] += 1
        return found

    def _places(self, outcome: str, property: Property) -> Iterator[int]:
        for name in levels_of(property):
            place = self._place.get(f"{outcome} {name}")
            if place is not None:
                yield place
