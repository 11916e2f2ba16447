"""Grammar compiled for one profile: numbered automata without weights, shared between sentences.

Kinds (construction and features), constructions and states are numbers here: the search needs none of the records.
`WeightedGrammar` adds the costs of moves under a vector of weights; many of these share one compiled grammar.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from numbat.automata.construction_automaton import ConstructionAutomaton, WeightedAutomaton, compile_constructions
from numbat.automata.daughter_classes import DaughterClasses, DaughterTypes
from numbat.automata.records import INFINITE, AwaitedCosts, Kinds, Licensing, Memo
from numbat.evaluation.constituents import Assignment, Constituent, union
from numbat.evaluation.evaluator import Evaluator, PhraseTemplate, PhraseTemplates, instantiate
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import UNIT, Operand
from numbat.parsing.policies import SearchLock, Valuation, Value

FEWEST_WORDS: Final = 32
"""The automata of a grammar are made for sentences of so many words, and anew for longer ones if that matters."""
MAX_STATES = 20_000
"""Maximum number of states of Python's automata, and of kinds, kept between sentences; beyond, the compiled grammar is
reset."""

MAX_TEMPLATES = 6_000
"""Maximum number of cached phrase templates, which are large and quickly rebuilt: some 10 megabytes."""

MAX_TABLE_STATES = 100_000
"""Maximum number of states of the compiled search, quickly rebuilt from the cached daughters."""


class CompiledGrammar:
    """Automata of a grammar for one profile.

    A search holds the `lock` while it lasts: one sentence at a time adds states, whatever the threads. `epoch` counts
    how often lookahead numbers, or all numbers, were forgotten, so that what was computed from them can be, too.
    """

    def __init__(self, evaluator: Evaluator, profile: Profile) -> None:
        self.evaluator = evaluator
        self.grammar = evaluator.table.grammar
        self.constructions = tuple(evaluator.table.constructions.values())
        self.lock = SearchLock(self.forget_states)
        self.epoch = 0
        self._profile = profile
        self._longest = FEWEST_WORDS
        named = {operand.category for operand in self.grammar.roots}
        self._may_be_root = named or {construction.name for construction in self.constructions}
        covered = frozenset[str]().union(*evaluator.table.covered.values()) if profile.has("H3") else None
        self.is_top = tuple([covered is not None and form.name not in covered for form in self.constructions])
        """Of each construction, whether it is a daughter of none: it is a sentence, or one fragment of several."""
        self._of_construction = {construction.name: i for i, construction in enumerate(self.constructions)}
        self.forget_states()

    def make_room(self, tokens: int) -> None:
        """Discard all states if a sentence of so many words needs others: where properties compare larger distances.

        The length for which they are made is doubled, so that this happens some times only.
        """
        if tokens <= self._longest:
            return
        while self._longest < tokens:
            self._longest *= 2
        if any(automaton.classes.asks_further for automaton in self.automata):
            self.forget_states()

    def forget_states_if_full(self) -> None:
        """Discard all states if there are more than `MAX_STATES`, or only those of the compiled search."""
        if len(self.templates) > MAX_TEMPLATES:
            self.templates.clear()
        if max(sum(map(len, self.automata)), len(self.kinds)) > MAX_STATES:
            self.forget_states()
        elif self.table_states > MAX_TABLE_STATES:
            self.forget_lookaheads()
            self.forget_tables()

    def forget_states(self) -> None:
        """Discard all states."""
        self.kinds = Kinds()
        self.evaluator.forget_kinds()
        evaluator, self._lookaheads = self.evaluator, list[AwaitedCosts]()
        self.automata = self._compiled()
        self.templates = PhraseTemplates(evaluator)
        self._types: dict[int, tuple[tuple[int, int], ...]] = {}
        self._as_daughter = DaughterTypes(evaluator, [automaton.classes for automaton in self.automata])
        self._operands: dict[int, int] = {}
        self.forget_lookaheads()
        self.forget_tables()

    def _compiled(self) -> tuple[ConstructionAutomaton, ...]:
        profile, kinds = self._profile, self.kinds
        licensing = Licensing(not profile.has("H3"), profile.has("H4"))
        hard, lookaheads = profile.all_hard, self._lookaheads
        return compile_constructions(self.evaluator, kinds, licensing, hard, lookaheads, self._longest)

    def forget_lookaheads(self) -> None:
        """Discard the lookahead numbers; most sentences add new ones."""
        self.epoch += 1
        self._lookaheads.clear()
        names = [construction.name for construction in self.constructions]
        classes = [automaton.classes for automaton in self.automata]
        for daughter_classes in classes:
            daughter_classes.forget_lookaheads()
        self.lookahead_numbers = LookaheadNumbers(names, classes, self.evaluator.operands, self._lookaheads)

    def forget_tables(self) -> None:
        """Discard the tables that the compiled search keeps between sentences."""
        self.tables: object | None = None
        """The states of the compiled search."""
        self.table_states = 0
        """How many of them there are."""
        self.values = WeakKeyDictionary[WeightedGrammar, object]()
        """What the moves of the tables are worth, by weights."""

    @property
    def states(self) -> int:
        """Number of automaton states built so far."""
        return self.table_states + sum(map(len, self.automata))

    def construction_of(self, kind: int) -> int:
        """Return the number of the construction of a kind, -1 for a leaf."""
        return self._of_construction.get(self.kinds[kind][0], -1)

    def is_root(self, kind: int) -> bool:
        """True if a constituent of a kind is a root construction."""
        category, features = self.kinds[kind]
        return category in self._may_be_root and self.grammar.is_root(category, features)

    def daughter_types(self, kind: int) -> tuple[tuple[int, int], ...]:
        """Return the constructions that can have a daughter of a kind, each with the daughter type that it is there."""
        known = self._types.get(kind)
        if known is None:
            known = self._types[kind] = self._as_daughter.types(*self.kinds[kind])
        return known

    def operands_matched(self, kind: int) -> int:
        """Return the operands of the grammar that a constituent of a kind is, as a bit set of their places."""
        known = self._operands.get(kind)
        if known is None:
            known = self._operands[kind] = self.evaluator.operands_matched(*self.kinds[kind])
        return known


# A compiled grammar under a vector of weights and a valuation: the moves that the exact search makes, with values.

Move = tuple[int, int, Value]
"""Next state, or the kind of the phrase, with changes of level and value (for a phrase, with its node cost)."""

FirstMove = tuple[int, int, Move, Move | None]
"""Construction, type of a daughter in it, its move as first daughter, and the phrase over it alone, unless that would
be of the same construction."""


class WeightedGrammar:
    """Moves of a compiled grammar under the weights and costs of one grammar of its structure.

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

    def prepare(self, tokens: int) -> None:
        """Prepare for the search of a sentence of so many words: discard what refers to discarded states."""
        self.compiled.make_room(tokens)
        self.compiled.forget_states_if_full()
        if len(self._templates) > MAX_TEMPLATES:
            self._templates.clear()
        if self._epoch != self.compiled.epoch:
            self._refresh()

    def _refresh(self) -> None:
        compiled = self.compiled
        self._epoch = compiled.epoch
        vector = self.grammar.weights
        self.automata = tuple(
            [WeightedAutomaton(automaton, vector.weights, vector.costs) for automaton in compiled.automata]
        )
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
        compiled.values.pop(self, None)

    @property
    def kinds(self) -> Kinds:
        """Kinds of constituents by number."""
        return self.compiled.kinds

    def phrase(self, signature: Hashable, form: Construction, daughters: Assignment) -> Constituent:
        """Return the constituent of a construction over daughters, its properties evaluated; kept by signature, which
        names the construction and the kinds of the daughters.
        """
        template = self._templates.get(signature)
        if template is None:
            template = self.compiled.templates.template(signature, form, daughters)
            if self._reweighted:
                template = template.with_properties(self._own, self.grammar.node_cost)
            self._templates[signature] = template
        return instantiate(form.name, daughters, template)

    def lookahead_numbers(self, tokens: int, words: Sequence[tuple[int, int, int, int]]) -> bytes:
        """Return the number of the lookahead of each construction at each position (`Lookahead`)."""
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
    """Return the usual cost of a violation: the median of the soft properties' costs."""
    costs = sorted([prop.cost for prop in grammar.properties if prop.cost > 0 and not prop.hard])
    return costs[(len(costs) - 1) // 2] if costs else UNIT


# Admissible lower bounds on the cost of completing an active item, by position.
#
# From each position on only some words are left. So an operand that a construction awaits (a verb, a noun) either can
# come as a word, can come as a phrase alone and costs at least what such a phrase does, or cannot come at all; an
# unfinished constituent that needs it costs at least as much more. The bounds never overestimate, and rise no more
# along a step than the step costs, so that a search in their order stays exact.
#
# What a word costs by itself is left out, so that all that is left of a sentence is a set of operands; with it the
# bounds would be sharper, but the search of raw English text would build only .1 % fewer items.

MAX_ROUNDS = 4
"""Rounds that improve the least costs of phrases by those of their parts; each round alone is a valid bound."""


class LookaheadNumbers:
    """Numbering of the costs of operands that constructions await, independent of weights, in `lookaheads`."""

    def __init__(
        self,
        names: Sequence[str],
        classes: Sequence[DaughterClasses],
        operands: Iterable[Operand],
        lookaheads: list[AwaitedCosts],
    ) -> None:
        self.lookaheads = lookaheads
        categories = [operand.category for operand in operands]
        number = {name: i for i, name in enumerate(names)}
        of_category = dict.fromkeys(names, 0)
        for place, category in enumerate(categories):
            if category in of_category:
                of_category[category] |= 1 << place
        self.bits = [cls.awaited_operands for cls in classes]
        """The operands that each construction awaits, as bit sets of their places."""
        self.phrases = [
            [(number[name], bits & awaited) for name, bits in of_category.items() if bits & awaited]
            for awaited in self.bits
        ]
        """The phrases that each construction awaits: their constructions, and the operands that they may be."""
        self._phrase_numbers = [[j for j, _ in phrases] for phrases in self.phrases]
        self.all_awaited = union(self.bits)
        """The operands, as a bit set of their places, that any construction awaits."""
        self.any_word = 1 << len(categories)
        """Behind the bits of operands: that there is a word at all."""
        self.obliged = [daughter_classes.obliged_operands for daughter_classes in classes]
        """The operands that each construction cannot do without."""
        self._numbers: list[dict[AwaitedCosts, int]] = [{} for _ in names]
        self._known: list[dict[tuple[int, ...], int]] = [{} for _ in names]

    def number(self, construction: int, left: int, least: Sequence[int]) -> int:
        """Return the lookahead number of what each operand that a construction awaits costs.

        It costs nothing where it is among those that are `left`, a bit set, and else what a phrase costs at `least`.
        """
        key = left & self.bits[construction], *[least[phrase] for phrase in self._phrase_numbers[construction]]
        known = self._known[construction].get(key)
        if known is None:
            known = self._known[construction][key] = self._number_of(construction, left, least)
        return known

    def _number_of(self, construction: int, left: int, least: Sequence[int]) -> int:
        free, dearer = left & self.bits[construction], []
        for phrase, bits in self.phrases[construction]:
            cost = least[phrase]
            if not cost:
                free |= bits
            elif cost < INFINITE and bits & ~left:
                dearer.append((bits & ~left, cost))
        costs = (free, 0), *dearer
        number = self._numbers[construction].get(costs)
        if number is None:
            number = len(self.lookaheads)
            self.lookaheads.append(costs)
            self._numbers[construction][costs] = number  # last, so that an interrupt leaves nothing half known
        return number


class Lookahead:
    """Lookahead numbers of sentence suffixes under one vector of weights.

    `operands_matched` maps a kind of constituent to the operands that it matches, as a bit set of their places.
    """

    def __init__(
        self,
        of_costs: LookaheadNumbers,
        operands_matched: Callable[[int], int],
        automata: Sequence[WeightedAutomaton],
    ) -> None:
        self._of_costs = of_costs
        self._operands_matched = operands_matched
        self._automata = automata
        obliged = of_costs.obliged
        self._obliged = [
            (bits, [j for j, of in phrases if of & bits])
            for bits, phrases in zip(obliged, of_costs.phrases, strict=True)
        ]
        """What decides the least cost of a phrase of each construction: operands, and the constructions of phrases that
        may be these."""
        self._concerned = [[i for i, (_, of) in enumerate(self._obliged) if j in of] for j in range(len(automata))]
        """Those of which the least cost may rise with that of a construction."""
        self._deciding = union(obliged) | of_costs.any_word
        self._costs: dict[tuple[int, ...], int] = {}
        self._least: dict[int, tuple[int, ...]] = {}
        """The least costs of phrases of all constructions, by the operands left that decide them."""
        self._under: dict[tuple[int, ...], list[dict[int, int]]] = {}
        """By such costs, the numbers of each construction, by the operands left that it awaits."""
        self._numbers: dict[int, bytes] = {}
        """The lookahead numbers of all constructions, by the operands that words which are left may be."""

    def numbers(self, kinds: Sequence[Sequence[int]]) -> bytes:
        """Return the lookahead number of each construction at each position, one position after the other, that of the
        end last: the bytes of an `array("i")`. `kinds` are those of the words that begin at each position.
        """
        left, sets = 0, [0]
        awaited, any_word = self._of_costs.all_awaited, self._of_costs.any_word
        for here in reversed(kinds):
            for kind in here:
                left |= self._operands_matched(kind) & awaited | any_word
            sets.append(left)
        sets.reverse()
        known = self._numbers
        return b"".join([known.get(each) or self._computed(each) for each in sets])

    def _computed(self, left: int) -> bytes:
        """Return the number of each construction."""
        deciding, bits = left & self._deciding, self._of_costs.bits
        least = self._least.get(deciding)
        if least is None:
            least = self._least[deciding] = self._least_costs(deciding)
        under = self._under.get(least)
        if under is None:
            under = self._under[least] = [{} for _ in bits]
        numbers = [known.get(left & own, -1) for known, own in zip(under, bits, strict=True)]
        for i in [i for i, number in enumerate(numbers) if number < 0]:
            numbers[i] = under[i][left & bits[i]] = self._of_costs.number(i, left, least)
        found = self._numbers[left] = array("i", numbers).tobytes()
        return found

    def _least_costs(self, left: int) -> tuple[int, ...]:
        """Return lower bounds on the cost of a phrase of each construction: first 0, then by the costs of its parts.

        No phrase comes where no word does.
        """
        every = range(len(self._automata))
        least = [0 if left else INFINITE for _ in every]
        concerned: Iterable[int] = every if left else ()
        for _ in range(MAX_ROUNDS - 1):
            costs = [(i, self._least_cost(i, left, least)) for i in concerned]
            risen = [(i, cost) for i, cost in costs if cost != least[i]]
            for i, cost in risen:
                least[i] = cost
            concerned = sorted({j for i, _ in risen for j in self._concerned[i]})
        return tuple(least)

    def _least_cost(self, i: int, left: int, least: Sequence[int]) -> int:
        bits, phrases = self._obliged[i]
        key = i, left & bits, *[least[phrase] for phrase in phrases]
        known = self._costs.get(key)
        if known is None:
            number = self._of_costs.number(i, left, least)
            known = self._costs[key] = self._automata[i].cost_to_complete(0, number)
        return known
