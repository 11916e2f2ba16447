"""Phrases with all their properties evaluated: what phrases of the same make have in common is worked out once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from numbat.evaluation.constituents import Assignment, Characterization, Constituent, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.model import Construction
from numbat.grammar.properties import Bundle, Property
from numbat.records import frozen


@frozen
class PhraseTemplate:
    """What constituents of a construction have in common whose daughters are alike: all that is not a sum over them."""

    features: Bundle
    characterization: Characterization
    cost: int
    gain: int

    def with_properties(self, other: Mapping[int, Property], node_cost: int) -> PhraseTemplate:
        """The same template where each property, by its `id`, has become one with other weights and costs."""
        satisfied, violated = (
            tuple([Instance(other[id(instance.property)], instance.elements) for instance in instances])
            for instances in (self.characterization.satisfied, self.characterization.violated)
        )
        both = Characterization(satisfied, violated)
        return PhraseTemplate(self.features, both, both.cost, both.weight - node_cost)


def phrase_template(
    evaluator: Evaluator, construction: Construction, assignment: Assignment, both: Characterization
) -> PhraseTemplate:
    """The features of a phrase, its characterization, what it adds itself to cost and gain."""
    return PhraseTemplate(
        evaluator.features(construction.name, assignment),
        both,
        both.cost,
        both.weight - evaluator.table.grammar.node_cost,
    )


def instantiate(construction: str, assignment: Assignment, phrase_template: PhraseTemplate) -> Constituent:
    """The constituent of a construction over an assignment, with the sums of costs and gains of its whole tree."""
    cover, cost, gain, lexical_cost = 0, phrase_template.cost, phrase_template.gain, 0
    for daughter in assignment:
        cover |= daughter.cover
        cost += daughter.cost
        gain += daughter.gain
        lexical_cost += daughter.lexical_cost
    depth = assignment[0].depth + 1 if len(assignment) == 1 else 1
    return Constituent(
        construction,
        cover,
        phrase_template.features,
        depth,
        "",
        False,
        assignment,
        phrase_template.characterization,
        cost,
        gain,
        lexical_cost,
    )


def evaluated_phrase(form: Construction, daughters: Assignment, evaluator: Evaluator) -> Constituent:
    """The constituent of a construction over daughters, all its properties evaluated."""
    return instantiate(form.name, daughters, _template_of(form, daughters, evaluator))


def _template_of(form: Construction, daughters: Assignment, evaluator: Evaluator) -> PhraseTemplate:
    """What all such constituents have in common, made by the one evaluator."""
    return phrase_template(evaluator, form, daughters, evaluator.characterize(form.name, daughters))


class PhraseTemplates:
    """The templates of the phrases that were built so far, by signatures.

    A signature names a construction and the categories and features of its daughters, all that a characterization
    depends on; how, is up to who builds the phrases.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[Hashable, PhraseTemplate] = {}

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        """Forget all templates."""
        self._known.clear()

    def template(self, signature: Hashable, form: Construction, daughters: Assignment) -> PhraseTemplate:
        """The template of a construction over daughters, remembered by signature."""
        known = self._known.get(signature)
        if known is None:
            known = self._known[signature] = _template_of(form, daughters, self._evaluator)
        return known

    def evaluated_phrase(self, signature: Hashable, form: Construction, daughters: Assignment) -> Constituent:
        """The constituent of a construction over daughters, all its properties evaluated."""
        return instantiate(form.name, daughters, self.template(signature, form, daughters))
