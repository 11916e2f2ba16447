"""The input of a construction's automaton: daughters sorted into classes that its properties cannot tell apart.

From the kind of a daughter (construction and features) to what the automaton reads, each step behind a number:

- an *observed symbol* is what one property sees of a daughter (`property_automaton`);
- a *daughter class* is the observed symbols of all properties of the construction together;
- a *contribution* is what a daughter decides of the phrase's features where it is the first match of an operand;
- a *daughter type* is a class and a contribution: all that the construction can tell of a daughter.

Every question to a property automaton is asked once; the answers are small tables of numbers on which the states of
the construction are built (`construction_automaton`, and the same compiled in `_automata.c`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, count

from numbat.automata.bound_properties import PropertyAutomata
from numbat.automata.phrase_features import PhraseFeatures
from numbat.automata.records import (
    AwaitedCosts,
    DaughterClass,
    DeferredCounts,
    FinalCounts,
    Kinds,
    Licensing,
    Memo,
    Numbering,
    OperandCosts,
    PairCounts,
    PairEffect,
)
from numbat.evaluation.constituents import members, union
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.model import Construction
from numbat.grammar.properties import Bundle

NONE = -1
"""In place of a symbol: it is not known yet."""

UNCOVERED = -1
"""The daughter type of a kind that the construction does not cover."""


class DaughterClasses:
    """The daughter classes of one construction, under rules of licensing; everything is a number.

    `lookaheads` has the costs of awaited operands that each lookahead number stands for.
    """

    def __init__(
        self,
        construction: Construction,
        evaluator: Evaluator,
        licensing: Licensing,
        automata: PropertyAutomata,
        kinds: Kinds,
        lookaheads: Sequence[AwaitedCosts],
    ) -> None:
        self._evaluator = evaluator
        self._kinds = kinds
        self.shapes = automata
        self._lookaheads = lookaheads
        self._covers_all = licensing.covers_all
        self.needs_satisfied = licensing.needs_satisfied
        self.by_property = evaluator.table.grammar.semantics.by_property
        bound = list(map(automata.bind, construction.properties))
        self.local = tuple(each for each in bound if each.automaton.scope == "local")
        self.deferred = tuple(each for each in bound if each.automaton.scope != "local")
        bound = [*self.local, *self.deferred]
        self._automata = [each.automaton for each in bound]
        self.needs_sequence = any(each.automaton.scope == "whole" for each in bound)
        self.obliged_operands = union(
            each.bits for each in self.deferred if each.automaton.scope == "global" and each.automaton.is_unsettled
        )
        """Those whose coming repairs one that is violated where nothing was read."""
        self._reaches = [each.automaton.traits.reach for each in self.local]
        self.reach = max(self._reaches, default=0)
        """Up to so many daughters it matters how many stand between two."""
        self.awaited_operands = union(each.bits for each in self.deferred if each.automaton.scope == "global")
        """The operands, as a bit set, whose coming may still repair a deferred property."""
        self._operands = union(each.bits for each in bound)
        self._compared = frozenset(feature for each in bound for feature in each.automaton.features)
        self._always = [i for i, each in enumerate(bound) if each.automaton.scope == "whole"]
        self._types: Numbering[tuple[int, int]] = Numbering()
        self._class_seen: dict[tuple[int, Bundle], int] = {}
        self._rows: Numbering[tuple[int, ...]] = Numbering()
        self._classes: Memo[tuple[int], DaughterClass] = Memo(self._daughter_class)
        self._effects: dict[tuple[int, int, int], PairEffect] = {}
        self._least_known: dict[int, int] = {}
        self._least_effects: Memo[tuple[int, int], tuple[PairEffect, ...]] = Memo(self._new_least_effects)
        self._costs_known: dict[AwaitedCosts, OperandCosts] = {}
        self._operand_costs: Memo[tuple[int, int], OperandCosts] = Memo(self._awaited_costs)
        self._continuations: dict[tuple[tuple[int, ...], int], tuple[int, ...]] = {}
        covered = evaluator.table.covered[construction.name]
        self._covered = {name: union(map(evaluator.operands.__getitem__, of)) for name, of in covered.items()}
        """The categories of daughters, each with the operands that they have to be one of; 0: with any features."""
        self.features = PhraseFeatures(construction.name, evaluator, kinds)
        self._told_operands = union((self._operands, self.features.operands, *self._covered.values()))

    @property
    def is_countable(self) -> bool:
        """Whether a state needs only counts of classes: then the compiled search builds the states itself."""
        return not (self.needs_sequence or self.by_property)

    # daughters

    def may_cover(self, category: str) -> bool:
        """Whether a constituent of a category can be a daughter with some features."""
        return self._covers_all or category in self._covered

    def type_of(self, kind: int) -> int:
        """The daughter type of a kind, `UNCOVERED` where the construction does not cover it."""
        category, features = self._kinds[kind]
        return self.type_told(category, self._evaluator.operands_matched(category, features), features)

    def asked(self, category: str) -> frozenset[str] | None:
        """The features of a daughter of a category that matter here; None where it may be any."""
        passed_on = self.features.passed_on(category)
        named = self._evaluator.features_named(category, self._told_operands)
        return None if passed_on is None else named.union(passed_on, self._compared)

    def type_told(self, category: str, operands: int, features: Bundle) -> int:
        """`type_of` a kind by its category, the operands of the grammar that it is, and its features."""
        if not self._covers(category, operands):
            return UNCOVERED
        contribution = self.features.contribution_of(operands, features)
        return self._types.number((self._class_of(operands, features), contribution))

    def _covers(self, category: str, operands: int) -> bool:
        demanded = self._covered.get(category)
        return self._covers_all or demanded == 0 or bool(demanded and demanded & operands)

    def parts_of(self, daughter_type: int) -> tuple[int, int]:
        """The class and the contribution that make a daughter type."""
        return self._types[daughter_type]

    def _class_of(self, operands: int, features: Bundle) -> int:
        """The class of daughters: what properties see is which operands they are, and the features compared."""
        compared = tuple([pair for pair in features if pair[0] in self._compared]) if self._compared else ()
        key = operands & self._operands, compared
        known = self._class_seen.get(key)
        if known is None:
            known = self._class_seen[key] = self._new_class(*key)
        return known

    def _new_class(self, operands: int, compared: Bundle) -> int:
        """The number of the class of which all properties observe the same as of a daughter like this."""
        own = dict.fromkeys(self._always, 0)
        for bit in members(operands):
            for i, own_bit in self._concerned[bit]:
                own[i] = own.get(i, 0) | own_bit
        masks, automata = sorted(own.items()), self._automata
        symbols = [automata[i].of_operands.get(mask, NONE) for i, mask in masks]
        if NONE in symbols:
            told = zip(masks, symbols, strict=True)
            symbols = [automata[i].symbol(mask, compared) if known == NONE else known for (i, mask), known in told]
        return self._rows.number((*[i for i, _ in masks], *symbols))

    @cached_property
    def _concerned(self) -> dict[int, list[tuple[int, int]]]:
        """By operand, as a bit, the properties that name it, each with the bit that the operand has there."""
        found: dict[int, list[tuple[int, int]]] = {}
        for i, each in enumerate((*self.local, *self.deferred)):
            for own, place in enumerate(each.places):
                found.setdefault(1 << place, []).append((i, 1 << own))
        return found

    def row_of(self, number: int) -> tuple[int, tuple[int, ...]]:
        """The reach of a class, and its row: the places of the properties concerned, local ones first, deferred ones
        counted on from these; then the symbols that they observe."""
        row, many = self._rows[number], len(self.local)
        return max([self._reaches[i] for i in row[: len(row) // 2] if i < many], default=0), row

    def daughter_class(self, number: int) -> DaughterClass:
        """The class of that number."""
        return self._classes[number,]

    def _daughter_class(self, number: int) -> DaughterClass:
        (reach, row), many = self.row_of(number), len(self.local)
        symbols = list(zip(row[: len(row) // 2], row[len(row) // 2 :], strict=True))
        local = {i: symbol for i, symbol in symbols if i < many}
        return DaughterClass(reach, local, {i - many: symbol for i, symbol in symbols if i >= many})

    # what local properties count

    @property
    def local_shapes(self) -> tuple[tuple[int, int, bool, bool], ...]:
        """Of each local property the number of its shape, its reach, whether it is hard, whether it asks for order."""
        both = [(bound.shape, bound.automaton) for bound in self.local]
        return tuple([(shape, each.traits.reach, each.is_hard, each.traits.is_positional) for shape, each in both])

    @property
    def deferred_shapes(self) -> tuple[tuple[int, bool, tuple[int, ...]], ...]:
        """Of each deferred property the number of its shape, whether it is hard, and the places of its operands among
        those of the grammar, in order, each followed by its number in the property."""
        return tuple(
            [
                (each.shape, each.automaton.is_hard, tuple(chain(*sorted(zip(each.places, count(), strict=False)))))
                for each in self.deferred
            ]
        )

    def pair_effect(self, before: int, read: int, between: int) -> PairEffect:
        """What local properties count in a class after another one with so many daughters between, or more where that
        is the reach; in the class alone where `before` is -1."""
        key = before, read, between
        known = self._effects.get(key)
        if known is None:
            near, here = self._classes[before,].local if before >= 0 else {}, self._classes[read,].local
            of_both = [(i, near.get(i, -1), symbol) for i, symbol in here.items() if before < 0 or i in near]
            known = self._effects[key] = self._effect(
                (i, self.local[i].automaton.pair(one, other, between)) for i, one, other in of_both
            )
        return known

    def least_effects(self, before: int, place: int) -> tuple[PairEffect, ...]:
        """What the order of a daughter counts after a class, by how many stand between, if all that is known of the
        daughter is that it is the operand of that place."""
        return self._least_effects[before, place]

    def _new_least_effects(self, before: int, place: int) -> tuple[PairEffect, ...]:
        near, there = self._classes[before,].local, self._classes[self.least_class(place),].local
        of_both = [
            (i, near[i], there[i])
            for i, each in enumerate(self.local)
            if i in near and i in there and each.automaton.traits.is_positional
        ]
        return tuple(
            [
                self._effect((i, self.local[i].automaton.pair(one, other, between)) for i, one, other in of_both)
                for between in range(self.reach + 1)
            ]
        )

    def _effect(self, counted: Iterable[tuple[int, PairCounts]]) -> PairEffect:
        """What several local properties count together, each with its place."""
        instances, satisfied, violated, forbidden, retrieved = [], 0, 0, False, False
        for i, counts in counted:
            if counts.satisfied or counts.violated:
                instances.append((i, counts.satisfied, counts.violated))
            satisfied |= bool(counts.satisfied) << i
            violated |= bool(counts.violated) << i
            forbidden |= counts.violated > 0 and self.local[i].automaton.is_hard
            retrieved |= counts.retrieved
        return PairEffect(tuple(instances), satisfied, violated, forbidden, retrieved)

    def least_class(self, place: int) -> int:
        """The class of a daughter of which no more is known than that it is the operand of a place."""
        known = self._least_known.get(place)
        if known is None:
            operand = self._evaluator.operand_at(place)
            certain = tuple((feature, values[0]) for feature, values in operand.features if len(values) == 1)
            matched = self._evaluator.operands_matched(operand.category, certain)
            known = self._least_known[place] = self._class_of(matched, certain)
        return known

    # what deferred properties count

    def operand_costs(self, i: int, lookahead: int) -> OperandCosts:
        """The costs of the operands that can still come and that a deferred property awaits."""
        return self._operand_costs[i, lookahead]

    def forget_lookaheads(self) -> None:
        """Forget what was asked about lookahead numbers."""
        self._operand_costs.clear()
        self._costs_known.clear()

    def _awaited_costs(self, i: int, lookahead: int) -> OperandCosts:
        bits = self.deferred[i].bits
        awaited = tuple([(bits & of, cost) for of, cost in self._lookaheads[lookahead] if bits & of])
        known = self._costs_known.get(awaited)
        if known is None:
            of_places = ((place, cost) for of, cost in awaited for place in range(of.bit_length()) if of >> place & 1)
            known = self._costs_known[awaited] = tuple(sorted(of_places))
        return known

    def awaited(self, lookahead: int) -> tuple[tuple[bytes, int], ...]:
        """The operands that a lookahead number stands for, as bit sets of 32-bit words, with what they cost."""
        sets = self._lookaheads[lookahead]
        return tuple([(of.to_bytes((of.bit_length() + 31) // 32 * 4, "little"), cost) for of, cost in sets])

    def initial_counts(self, i: int) -> DeferredCounts:
        """What a deferred property counts in its state 0, where nothing was read."""
        return self.deferred[i].automaton.counts(0)

    def property_step(self, i: int, state: int, symbol: int) -> tuple[int, DeferredCounts]:
        """The state of a deferred property after one more symbol, and what it counts there."""
        automaton = self.deferred[i].automaton
        after = automaton.step(state, symbol)
        return after, automaton.counts(after)

    def continuation(self, classes: tuple[int, ...], room: int) -> tuple[int, ...]:
        """The number of what may follow for each deferred property, where such classes may, at so many positions."""
        room = 1 << (room - 1).bit_length()  # so there are few different rooms, and none is too small
        known = self._continuations.get((classes, room))
        if known is None:
            symbols: list[set[int]] = [set() for _ in self.deferred]
            for number in classes:
                for i, symbol in self._classes[number,].deferred.items():
                    symbols[i].add(symbol)
            each_with = zip(self.deferred, symbols, strict=True)
            known = tuple([each.automaton.continuation(tuple(sorted(of)), room) for each, of in each_with])
            self._continuations[classes, room] = known
        return known

    def final_counts(self, i: int, state: int, continuation: int) -> tuple[FinalCounts, ...]:
        """`PropertyAutomaton.final_counts` of a deferred property."""
        return self.deferred[i].automaton.final_counts(state, continuation)
