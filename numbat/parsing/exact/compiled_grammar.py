"""Grammar compiled for one profile: automata with numbered states, without weights, which all sentences share.

Kinds (construction and features), constructions and states are numbers, so that the search needs no records.
`WeightedGrammar` adds the costs of moves for one vector of weights; several may share a compiled grammar.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from numbat.automata.construction_automaton import ConstructionAutomaton, WeightedAutomaton, compile_constructions
from numbat.automata.daughter_classes import DaughterClasses, DaughterTypes
from numbat.automata.records import INFINITE, AwaitedCosts, Kinds, Licensing, Memo
from numbat.evaluation.constituents import Assignment, Characterization, Constituent, members, union
from numbat.evaluation.evaluator import Evaluator, PhraseTemplate, instantiate
from numbat.grammar.marks import AFTER, BEFORE, BESIDE, with_marks, without_marks
from numbat.grammar.model import Grammar
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import UNIT, Operand, value_of
from numbat.parsing.policies import SearchLock, Valuation, Value

FEWEST_WORDS: Final = 32
"""Number of words for which automata are built at first; longer sentences may require that they be rebuilt."""
MAX_STATES = 20_000
"""Maximum number of states in Python's automata, and of kinds, kept between sentences; all are discarded beyond it."""

MAX_TEMPLATES = 6_000
"""Maximum number of cached phrase templates: this many take some 10 megabytes, and they are quickly rebuilt."""

MAX_TABLE_STATES = 100_000
"""Maximum number of states, and steps to states, of the compiled search; it rebuilds them from cached daughters."""


class CompiledGrammar:
    """Automata of a grammar for one profile.

    A search holds the `lock`, because all threads add states to the same automata. `epoch` changes when lookahead
    numbers, or all numbers, are discarded: values computed from them must then be discarded, too.
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
        """For each construction: True if its phrases cannot be daughters, only the whole sentence or a fragment."""
        self._mark_names: tuple[str | None, ...] = (None, *(name for name, _ in self.grammar.marks))
        self._of_construction = {construction.name: i for i, construction in enumerate(self.constructions)}
        self.forget_states()

    def make_room(self, tokens: int) -> None:
        """Discard all states if a sentence with this many tokens needs others, because distances may be larger.

        The length for which states are built is at least doubled, so this happens rarely.
        """
        if tokens <= self._longest:
            return
        while self._longest < tokens:
            self._longest *= 2
        if any(automaton.classes.asks_further for automaton in self.automata):
            self.forget_states()

    def forget_states_if_full(self) -> None:
        """Discard caches that are too large: templates, all states, or those of the compiled search."""
        if len(self.characterizations) > MAX_TEMPLATES:
            self.characterizations.clear()
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
        self.characterizations: dict[tuple[int, tuple[int, ...]], Characterization] = {}
        self._classes: dict[tuple[int, int], int] = {}
        self._types: dict[int, tuple[tuple[int, int], ...]] = {}
        self._as_daughter = DaughterTypes(evaluator, [automaton.classes for automaton in self.automata])
        compares = any(BESIDE & automaton.classes.compared for automaton in self.automata)
        self._marks_matter_to = {
            operand.category
            for operand in evaluator.operands
            if compares or any(feature in BESIDE for feature, _ in operand.features)
        }
        """The categories of which some property asks for marks."""
        self._operands: dict[int, int] = {}
        self._marks_of_kind: dict[int, tuple[int, int]] = {}
        self._marked: dict[tuple[int, int, int], int] = {}
        self.forget_lookaheads()
        self.forget_tables()

    def _compiled(self) -> tuple[ConstructionAutomaton, ...]:
        profile, kinds = self._profile, self.kinds
        licensing = Licensing(not profile.has("H3"), profile.has("H4"))
        hard, lookaheads = profile.all_hard, self._lookaheads
        return compile_constructions(self.evaluator, kinds, licensing, hard, lookaheads, self._longest)

    def forget_lookaheads(self) -> None:
        """Discard the lookahead numbers, which become many because most sentences add some."""
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
        """States of the compiled search."""
        self.table_states = 0
        """Number of the states in `tables`, and of steps to states, most of which are never made."""
        self.values = WeakKeyDictionary[WeightedGrammar, object]()
        """For each set of weights, the values of the moves in `tables`."""

    @property
    def states(self) -> int:
        """Number of automaton states built so far."""
        return self.table_states + sum(map(len, self.automata))

    def construction_of(self, kind: int) -> int:
        """Return the number of the construction that a kind of constituent has, -1 for a word."""
        return self._of_construction.get(self.kinds[kind][0], -1)

    def template(self, number: int, kind: int, kinds: Iterable[int], daughters: Assignment) -> PhraseTemplate:
        """Return the template of a phrase of a kind, by the number of its construction and the kinds of its daughters.

        Phrases over daughters of the same classes share their characterization.
        """
        signature = number, tuple([self._class_in(number, daughter) for daughter in kinds])
        both = self.characterizations.get(signature)
        if both is None:
            both = self.evaluator.characterize(self.constructions[number].name, daughters)
            self.characterizations[signature] = both
        gain = both.weight_units - self.grammar.node_cost_units
        return PhraseTemplate(self.kinds[kind][1], both, both.cost_units, gain)

    def _class_in(self, number: int, kind: int) -> int:
        """Return the class of daughters of a kind in a construction."""
        known = self._classes.get((number, kind))
        if known is None:
            daughter_type = dict(self.daughter_types(kind))[number]
            known = self._classes[number, kind] = self.automata[number].classes.parts_of(daughter_type)[0]
        return known

    def is_root(self, kind: int) -> bool:
        """True if constituents of this kind are of a root construction."""
        category, features = self.kinds[kind]
        return category in self._may_be_root and self.grammar.is_root(category, features)

    def daughter_types(self, kind: int) -> tuple[tuple[int, int], ...]:
        """Return the constructions that admit a daughter of a kind, each with the daughter's type in it."""
        known = self._types.get(kind)
        if known is None:
            alike = self._without_marks(kind)
            types = self._as_daughter.types(*self.kinds[kind]) if alike == kind else self.daughter_types(alike)
            known = self._types[kind] = types
        return known

    def _without_marks(self, kind: int) -> int:
        """Return the kind without the features of marks, if no property can tell the two apart, else the kind."""
        category, features = self.kinds[kind]
        if not self.grammar.marks or category in self._marks_matter_to:
            return kind
        return self.kinds.number((category, without_marks(features)))

    def operands_matched(self, kind: int) -> int:
        """Return, as a bit set, the places of the operands that a constituent of a kind matches."""
        known = self._operands.get(kind)
        if known is None:
            known = self._operands[kind] = self.evaluator.operands_matched(*self.kinds[kind])
        return known

    def marks_between(self, tokens: int, words: Iterable[tuple[int, int, int, int]]) -> list[int]:
        """Return the number of the mark at each position, from the features of the words beside it; 0 without a mark.

        The list is empty if the grammar declares no marks.
        """
        if len(self._mark_names) == 1:
            return []
        marks, known = [0] * (tokens + 1), self._marks_of_kind
        for start, end, kind, _ in words:
            beside = known.get(kind)
            if beside is None:
                features = self.kinds[kind][1]
                before, after = (self._mark_names.index(value_of(features, name)) for name in (BEFORE, AFTER))
                beside = known[kind] = before, after
            marks[start], marks[end] = beside
        return marks

    def marked_alike(self, kind: int, before: int, after: int) -> tuple[int, bool]:
        """Return `marked`, and whether daughters of the two kinds have the same types everywhere."""
        return self.marked(kind, before, after), self.kinds[kind][0] not in self._marks_matter_to

    def marked(self, kind: int, before: int, after: int) -> int:
        """Return the kind that phrases of a kind have between two marks, given by number."""
        key = kind, before, after
        known = self._marked.get(key)
        if known is None:
            category, features = self.kinds[kind]
            marked = with_marks(features, self._mark_names[before], self._mark_names[after])
            known = self._marked[key] = self.kinds.number((category, marked))
        return known


# A compiled grammar with weights and a valuation: the moves of the exact search, with their values.

Move = tuple[int, int, Value]
"""Next state, or kind of the completed phrase, then what the move adds to the level and to the value."""

FirstMove = tuple[int, int, Move, Move | None]
"""Construction, type of a daughter in it, the move that reads it first, and the move to a phrase over it alone.

The second move is None if there is no such phrase, or if the daughter is of the same construction.
"""


class WeightedGrammar:
    """Moves of a compiled grammar, valued by the weights and costs of `grammar`, which has the same structure."""

    def __init__(self, compiled: CompiledGrammar, grammar: Grammar, valuation: Valuation) -> None:
        self.compiled = compiled
        self.grammar = grammar
        self.valuation = valuation
        self.constructions = compiled.constructions
        self.usual_cost = _usual_cost(grammar)
        self._reweighted = grammar is not compiled.grammar
        both = zip(compiled.grammar.rules, grammar.rules, strict=True)
        self._reweighted_by_id = {id(prop): reweighted for prop, reweighted in both} if self._reweighted else {}
        self._refresh()

    def prepare(self, tokens: int) -> None:
        """Prepare for a sentence of this length: discard caches that are too large or refer to discarded states."""
        self.compiled.make_room(tokens)
        self.compiled.forget_states_if_full()
        if len(self._templates) > MAX_TEMPLATES:
            self._templates.clear()
        if self._epoch != self.compiled.epoch:
            self._refresh()

    def _refresh(self) -> None:
        compiled = self.compiled
        self._epoch = compiled.epoch
        vector = self.grammar.weights_of_rules
        self.automata = tuple(
            [WeightedAutomaton(automaton, vector.weights, vector.costs) for automaton in compiled.automata]
        )
        self.lookahead = Lookahead(compiled.lookahead_numbers, compiled.operands_matched, self.automata)
        self._templates: dict[tuple[int, int, tuple[int, ...]], PhraseTemplate] = {}
        self.first_moves: Mapping[tuple[int], tuple[FirstMove, ...]] = Memo(self._first_moves)
        """By the kind of a daughter: the first moves of the constructions that admit such a daughter."""
        self.steps: Mapping[tuple[int, int, int], Move | None] = Memo(self._step)
        """By construction, state and type of a daughter: the move that reads the daughter; None if it is impossible."""
        self.accepted: Mapping[tuple[int, int], Move | None] = Memo(self._accept)
        """By construction and state: the move that ends the phrase there; None if it is impossible."""
        self.to_complete: Mapping[tuple[int, int, int], int] = Memo(
            self._cost_to_complete if self.valuation.lexicographic else self._never_complete
        )
        """By construction, state and lookahead number: a lower bound on the cost of completing a constituent.

        If costs do not lead the search, the bound is 0, or `INFINITE` for a constituent that can never be completed.
        """
        compiled.values.pop(self, None)

    @property
    def kinds(self) -> Kinds:
        """Kinds of constituents by number."""
        return self.compiled.kinds

    def phrase(self, number: int, kind: int, kinds: tuple[int, ...], daughters: Assignment) -> Constituent:
        """Return the evaluated phrase of a kind, by the number of its construction and the kinds of its daughters."""
        signature = number, kind, kinds
        template = self._templates.get(signature)
        if template is None:
            template = self.compiled.template(number, kind, kinds, daughters)
            if self._reweighted:
                template = template.with_properties(self._reweighted_by_id, self.grammar.node_cost_units)
            self._templates[signature] = template
        return instantiate(self.constructions[number].name, daughters, template)

    def lookahead_numbers(self, tokens: int, words: Sequence[tuple[int, int, int, int]]) -> bytes:
        """Return the lookahead number of each construction at each position (`Lookahead.numbers`)."""
        starting: list[list[int]] = [[] for _ in range(tokens)]
        for start, _, kind, _ in words:
            starting[start].append(kind)
        return self.lookahead.numbers(starting)

    def _first_moves(self, kind: int) -> tuple[FirstMove, ...]:
        moves = []
        for number, daughter_type in self.compiled.daughter_types(kind):
            move = self.steps[number, 0, daughter_type]
            if move is not None:
                state, level, value = move
                phrase = None if number == self.compiled.construction_of(kind) else self.accepted[number, state]
                if phrase is not None:
                    made, more_level, more_value = phrase
                    phrase = made, level + more_level, value + more_value
                moves.append((number, daughter_type, move, phrase))
        return tuple(moves)

    def _step(self, construction: int, state: int, daughter_type: int) -> Move | None:
        step = self.automata[construction].step(state, daughter_type)
        return None if step is None else self._move(*step)

    def _accept(self, construction: int, state: int) -> Move | None:
        accepted = self.automata[construction].accept(state)
        if accepted is None:
            return None
        kind, cost, weight = accepted
        return self._move(kind, cost, weight - self.grammar.node_cost_units)

    def _move(self, to: int, cost: int, gain: int) -> Move:
        return to, cost if self.valuation.lexicographic else 0, self.valuation.value(cost, gain)

    def _cost_to_complete(self, construction: int, state: int, lookahead: int) -> int:
        return self.automata[construction].cost_to_complete(state, lookahead)

    def _never_complete(self, construction: int, state: int, lookahead: int) -> int:
        return INFINITE if self.automata[construction].cannot_complete(state, lookahead) else 0


def _usual_cost(grammar: Grammar) -> int:
    """Return the usual cost of a violation: the median of the costs of soft properties."""
    costs = sorted([prop.cost_units for prop in grammar.properties if prop.cost_units > 0 and not prop.hard])
    return costs[(len(costs) - 1) // 2] if costs else UNIT


# Admissible lower bounds on the cost of completing an active item that ends at a given position.
#
# From each position on, only some words are left. So an operand that a construction awaits (a verb, a noun) either can
# follow as a word, or can follow only as a phrase and costs at least as much as such a phrase, or cannot follow at all;
# an unfinished constituent that needs this operand costs at least that much more. The bounds never overestimate, and a
# step never lowers them by more than its cost, so that a search in the order of cost plus bound is exact.
#
# The costs of words are ignored, so that the rest of a sentence is just a set of operands; with these costs, the bounds
# would be sharper, but searches of raw English text would build only .1 % fewer items.

MAX_ROUNDS = 4
"""Maximum number of rounds that raise the least costs of phrases by those of their parts; all give valid bounds."""


class LookaheadNumbers:
    """Gives numbers to sets of costs of awaited operands and collects these sets in `lookaheads`."""

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
        """For each construction: the operands that it awaits, as a bit set."""
        self.phrases = [
            [(number[name], bits & awaited) for name, bits in of_category.items() if bits & awaited]
            for awaited in self.bits
        ]
        """For each construction: the constructions of phrases it awaits, each with the operands these may match."""
        self._phrase_numbers = [[j for j, _ in phrases] for phrases in self.phrases]
        self.all_awaited = union(self.bits)
        """The operands that any construction awaits, as a bit set."""
        self.any_word = 1 << len(categories)
        """The bit after the bits of operands: set if at least one word is left."""
        self.obliged = [cls.obliged_operands for cls in classes]
        """For each construction: the operands that it requires, as a bit set."""
        self._numbers: list[dict[AwaitedCosts, int]] = [{} for _ in names]
        self._known: list[dict[tuple[int, ...], int]] = [{} for _ in names]

    def number(self, construction: int, left: int, least: Sequence[int]) -> int:
        """Return the lookahead number for the costs of the operands that a construction awaits.

        An operand costs nothing if it is in the bit set `left`, otherwise as much as the cheapest phrase that matches
        it, by the `least` cost of each construction.
        """
        key = left & self.bits[construction], *[least[phrase] for phrase in self._phrase_numbers[construction]]
        known = self._known[construction].get(key)
        if known is None:
            known = self._known[construction][key] = self._number_of(construction, left, least)
        return known

    def _number_of(self, construction: int, left: int, least: Sequence[int]) -> int:
        free, expensive = left & self.bits[construction], []
        for phrase, bits in self.phrases[construction]:
            cost = least[phrase]
            if not cost:
                free |= bits
            elif cost < INFINITE and bits & ~left:
                expensive.append((bits & ~left, cost))
        costs = (free, 0), *expensive
        number = self._numbers[construction].get(costs)
        if number is None:
            number = len(self.lookaheads)
            self.lookaheads.append(costs)
            self._numbers[construction][costs] = number  # last, so that an interrupt leaves a consistent state
        return number


class Lookahead:
    """Lookahead numbers for the rest of a sentence from any position on, under one vector of weights.

    `operands_matched` maps the kind of a constituent to the bit set of operands that it matches.
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
        """For each construction: the operands it requires, and the constructions of phrases that may match some."""
        self._concerned = [[i for i, (_, of) in enumerate(self._obliged) if j in of] for j in range(len(automata))]
        """For each construction: the constructions whose least cost may rise if its cost rises."""
        self._deciding = union(obliged) | of_costs.any_word
        self._at_first: list[dict[int, int]] = [{} for _ in obliged]
        """For each construction: its least cost if all parts cost 0, by the remaining operands that it requires."""
        self._costs: dict[tuple[int, ...], int] = {}
        self._least: dict[int, tuple[int, ...]] = {}
        """By the remaining operands that matter: the least cost of a phrase for each construction."""
        self._under: dict[tuple[int, ...], list[dict[int, int]]] = {}
        """By such least costs: for each construction, its lookahead number by the remaining operands that it awaits."""
        self._numbers: dict[int, bytes] = {}
        """By the operands that remaining words may match: the lookahead numbers of all constructions."""
        self._awaiting: dict[int, list[int]] = {}
        """For each operand: the constructions that await it."""
        for i, bits in enumerate(of_costs.bits):
            for bit in members(bits):
                self._awaiting.setdefault(bit, []).append(i)

    def numbers(self, kinds: Sequence[Sequence[int]]) -> bytes:
        """Return the lookahead number of each construction at each position, and at the end, as bytes of `array("i")`.

        `kinds` has the kinds of the words that begin at each position.
        """
        left, sets = 0, [0]
        awaited, any_word = self._of_costs.all_awaited, self._of_costs.any_word
        for here in reversed(kinds):
            for kind in here:
                left |= self._operands_matched(kind) & awaited | any_word
            sets.append(left)
        rows: list[bytes] = []
        numbers: list[int] = []
        under: list[dict[int, int]] | None = None
        before = 0
        for left in sets:
            row = self._numbers.get(left)
            if row is None:
                now = self._under_least(left)
                if now is under:
                    changed = {i for bit in members((left ^ before) & awaited) for i in self._awaiting[bit]}
                else:
                    changed, numbers = set(range(len(now))), [0] * len(now)
                self._renumber(numbers, sorted(changed), left, now)
                under, before = now, left
                row = self._numbers[left] = array("i", numbers).tobytes()
            rows.append(row)
        rows.reverse()
        return b"".join(rows)

    def _under_least(self, left: int) -> list[dict[int, int]]:
        """Return the known lookahead numbers under the least costs of phrases of the remaining words."""
        deciding = left & self._deciding
        least = self._least.get(deciding)
        if least is None:
            least = self._least[deciding] = self._least_costs(deciding)
        under = self._under.get(least)
        if under is None:
            under = self._under[least] = [{} for _ in least]
        return under

    def _renumber(self, numbers: list[int], changed: Iterable[int], left: int, under: list[dict[int, int]]) -> None:
        """Write the lookahead numbers of some constructions for the operands that the remaining words may match."""
        bits = self._of_costs.bits
        for i in changed:
            awaited = left & bits[i]
            number = under[i].get(awaited)
            if number is None:
                least = self._least[left & self._deciding]
                number = under[i][awaited] = self._of_costs.number(i, left, least)
            numbers[i] = number

    def _least_costs(self, left: int) -> tuple[int, ...]:
        """Return, for each construction, a lower bound on the cost of a phrase, computed from the bounds for its parts.

        The bounds begin at 0, and are infinite if no word is left.
        """
        if not left:
            return (INFINITE,) * len(self._automata)
        at_first = [known.get(left & bits, -1) for known, (bits, _) in zip(self._at_first, self._obliged, strict=True)]
        zero = [0] * len(at_first)
        for i in [i for i, cost in enumerate(at_first) if cost < 0]:
            at_first[i] = self._at_first[i][left & self._obliged[i][0]] = self._least_cost(i, left, zero)
        least, risen = at_first, [i for i, cost in enumerate(at_first) if cost]
        for _ in range(MAX_ROUNDS - 2):
            concerned = sorted({j for i in risen for j in self._concerned[i]})
            costs = [(i, self._least_cost(i, left, least)) for i in concerned]
            risen = [i for i, cost in costs if cost != least[i]]
            for i, cost in costs:
                least[i] = cost
        return tuple(least)

    def _least_cost(self, i: int, left: int, least: Sequence[int]) -> int:
        bits, phrases = self._obliged[i]
        key = i, left & bits, *[least[phrase] for phrase in phrases]
        known = self._costs.get(key)
        if known is None:
            number = self._of_costs.number(i, left, least)
            known = self._costs[key] = self._automata[i].cost_to_complete(0, number)
        return known
