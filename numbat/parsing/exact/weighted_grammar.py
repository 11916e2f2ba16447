"""A compiled grammar under a vector of weights and a valuation: the moves that the exact search makes, with values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from statistics import median_low

from numbat.automata.construction_automaton import WeightedAutomaton
from numbat.automata.records import INFINITE, Kinds, Memo
from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import PhraseTemplate, instantiate
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT
from numbat.parsing.exact.compiled_grammar import MOST_TEMPLATES, CompiledGrammar
from numbat.parsing.exact.lookahead import Lookahead
from numbat.parsing.policies import Valuation, Value

Move = tuple[int, int, Value]
"""The next state, or the kind of the phrase, and the changes of level and value (of a phrase, with its node cost)."""

FirstMove = tuple[int, int, Move, Move | None]
"""A construction, the daughter type that a daughter is there, its move when it comes first, and the phrase over it
alone, unless that would be of the same construction."""


class WeightedGrammar:
    """The moves of a compiled grammar under the weights and costs of one grammar of its structure.

    `grammar` differs from the one that was compiled in weights and costs at the most.
    """

    def __init__(self, compiled: CompiledGrammar, grammar: Grammar, valuation: Valuation) -> None:
        self.compiled = compiled
        self.grammar = grammar
        self.valuation = valuation
        self.constructions = compiled.constructions
        self.usual_cost = _usual_cost(grammar)
        self._reweighted = grammar is not compiled.grammar
        both = zip(compiled.grammar.properties, grammar.properties, strict=True)
        self._own = {id(prop): own for prop, own in both} if self._reweighted else {}
        self._refresh()

    def prepare(self) -> None:
        """Get ready for a search: forget what is about states that the compiled grammar has forgotten."""
        self.compiled.forget_states_if_full()
        if len(self._templates) > MOST_TEMPLATES:
            self._templates.clear()
        if self._epoch != self.compiled.epoch:
            self._refresh()

    def _refresh(self) -> None:
        compiled = self.compiled
        self._epoch = compiled.epoch
        vector = self.grammar.weights
        self.automata = tuple([WeightedAutomaton(each, vector.weights, vector.costs) for each in compiled.automata])
        self.lookahead = Lookahead(compiled.lookahead_numbers, compiled.operands_matched, self.automata)
        self._templates: dict[Hashable, PhraseTemplate] = {}
        self.first_moves: Mapping[tuple[int], tuple[FirstMove, ...]] = Memo(self._first_moves)
        """How each construction that can have a daughter of a kind begins with it."""
        self.steps: Mapping[tuple[int, int, int], Move | None] = Memo(self._step)
        """A construction in a state reads a daughter of a type; None where that is not possible."""
        self.accepted: Mapping[tuple[int, int], Move | None] = Memo(self._accept)
        """A construction ends in a state; None where it cannot."""
        self.to_complete: Mapping[tuple[int, int, int], int] = Memo(
            self._cost_to_complete if self.valuation.lexicographic else self._never_complete
        )
        """At least how much more an unfinished constituent costs, by construction, state and lookahead.

        Where costs do not lead the search, 0, or `INFINITE` for what can never be completed.
        """
        self.values: tuple[object, object] | None = None
        """The tables of the compiled search, and what their moves are worth."""

    @property
    def kinds(self) -> Kinds:
        """The kinds of constituents behind their numbers."""
        return self.compiled.kinds

    def phrase(self, signature: Hashable, form: Construction, daughters: Assignment) -> Constituent:
        """The constituent of a construction over daughters, its properties evaluated; kept by signature, which names
        the construction and the kinds of the daughters."""
        template = self._templates.get(signature)
        if template is None:
            template = self.compiled.templates.template(signature, form, daughters)
            if self._reweighted:
                template = template.with_properties(self._own, self.grammar.node_cost)
            self._templates[signature] = template
        return instantiate(form.name, daughters, template)

    def lookahead_numbers(self, tokens: int, words: Sequence[tuple[int, int, int, int]]) -> bytes:
        """What each construction can look forward to at each position (`Lookahead.numbers`), 0 to `tokens`."""
        starting: list[list[int]] = [[] for _ in range(tokens)]
        for start, _, kind, _ in words:
            starting[start].append(kind)
        return self.lookahead.numbers(starting)

    def _first_moves(self, kind: int) -> tuple[FirstMove, ...]:
        found = []
        for number, daughter_type in self.compiled.daughter_types(kind):
            move = self.steps[number, 0, daughter_type]
            if move is not None:
                state, level, value = move
                phrase = None if number == self.compiled.construction_of(kind) else self.accepted[number, state]
                if phrase is not None:
                    made, more_level, more_value = phrase
                    phrase = made, level + more_level, value + more_value
                found.append((number, daughter_type, move, phrase))
        return tuple(found)

    def _step(self, construction: int, state: int, daughter_type: int) -> Move | None:
        step = self.automata[construction].step(state, daughter_type)
        return None if step is None else self._move(*step)

    def _accept(self, construction: int, state: int) -> Move | None:
        accepted = self.automata[construction].accept(state)
        if accepted is None:
            return None
        kind, cost, weight = accepted
        return self._move(kind, cost, weight - self.grammar.node_cost)

    def _move(self, to: int, cost: int, gain: int) -> Move:
        return to, cost if self.valuation.lexicographic else 0, self.valuation.value(cost, gain)

    def _cost_to_complete(self, construction: int, state: int, lookahead: int) -> int:
        return self.automata[construction].cost_to_complete(state, lookahead)

    def _never_complete(self, construction: int, state: int, lookahead: int) -> int:
        return INFINITE if self.automata[construction].cannot_complete(state, lookahead) else 0


def _usual_cost(grammar: Grammar) -> int:
    """What a violation costs in the middle: the median of the soft properties' costs."""
    costs = [prop.cost for prop in grammar.properties if prop.cost > 0 and not prop.hard]
    return median_low(costs) if costs else UNIT
