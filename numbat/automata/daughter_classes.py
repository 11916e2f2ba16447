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

from collections.abc import Hashable, Iterable, Mapping, Sequence

from numbat.automata.property_automaton import BoundProperty, PropertyAutomata
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
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator, union
from numbat.evaluation.feature_inheritance import Contributions, Shape, shape_of, still_deciding
from numbat.grammar.features import Bundle
from numbat.grammar.model import Construction

Symbols = tuple[tuple[int, int], ...]
"""What properties observe of a daughter: their places, in order, each with a symbol."""

NumberedRule = tuple[int, int, int, bool, tuple[int, ...]]
"""A rule for a feature: the feature, the value and the condition or `NONE`, whether the condition is an absence, and
the sources."""

NONE = -1
"""In place of a feature, a value or a contributor: there is none."""

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
        self._construction = construction
        self._evaluator = evaluator
        self._kinds = kinds
        self._lookaheads = lookaheads
        self._covers_all = licensing.covers_all
        self.needs_satisfied = licensing.needs_satisfied
        self.by_property = evaluator.table.grammar.semantics.by_property
        bound = list(map(automata.bind, construction.properties))
        self.local = tuple(each for each in bound if each.automaton.scope == "local")
        self.deferred = tuple(each for each in bound if each.automaton.scope != "local")
        self.needs_sequence = any(each.automaton.scope == "whole" for each in bound)
        self.reach = max((each.automaton.traits.reach for each in self.local), default=0)
        """Up to so many daughters it matters how many stand between two."""
        self.awaited_operands = union(each.bits for each in self.deferred if each.automaton.scope == "global")
        """The operands, as a bit set, whose coming may still repair a deferred property."""
        self.classes: list[DaughterClass] = []
        self._operands = union(each.bits for each in bound)
        self._compared = tuple(sorted({feature for each in bound for feature in each.automaton.features}))
        self._type_told: dict[tuple[str, int, Hashable], int] = {}
        self._features_asked: dict[str, tuple[str, ...] | None] = {}
        self._types: Numbering[tuple[int, int]] = Numbering()
        self._class_seen: dict[tuple[int, tuple[str | None, ...]], int] = {}
        self._concerned: dict[int, tuple[list[tuple[int, BoundProperty]], ...]] = {}
        self._numbers: dict[tuple[tuple[tuple[int, int], ...], ...], int] = {}
        self._effects: dict[tuple[int, int, int], PairEffect] = {}
        self._least_known: dict[int, int] = {}
        self._least_effects: Memo[tuple[int, int], tuple[PairEffect, ...]] = Memo(self._new_least_effects)
        self._costs_known: dict[AwaitedCosts, OperandCosts] = {}
        self._operand_costs: Memo[tuple[int, int], OperandCosts] = Memo(self._awaited_costs)
        self._continuations: dict[tuple[tuple[int, ...], int], tuple[int, ...]] = {}
        self._origins = evaluator.table.origins[construction.name]
        self._contributed: Numbering[Contributions] = Numbering()
        self._contributions: Numbering[Contributions] = Numbering(())
        self._sums: dict[tuple[int, int], int] = {}
        self._awaited_after: dict[int, frozenset[int]] = {}
        self._awaited_by_shape: dict[Shape, frozenset[int]] = {}
        self._deciding: dict[Shape, dict[int, set[str]]] = {}
        self._decided: dict[Contributions, int] = {}
        self._contributor_bits = [evaluator.operands[each.operand] for each in self._origins.contributors]
        covered = evaluator.table.covered[construction.name]
        self._covered = {name: union(map(evaluator.operands.__getitem__, of)) for name, of in covered.items()}
        self._told_operands = union((self._operands, *self._contributor_bits, *self._covered.values()))
        self._phrases: dict[int, int] = {}
        self._feature_names: Numbering[str] = Numbering()
        self._value_names: Numbering[str] = Numbering()

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
        operands = self._evaluator.operands_matched(category, features)
        return self.type_told(category, operands, dict(features))

    def type_told(self, category: str, operands: int, features: Mapping[str, str]) -> int:
        """`type_of` a kind by its category, the operands of the grammar that it is, and its features."""
        asked = self._asked(category)
        values = tuple(features.items()) if asked is None else tuple([features.get(feature) for feature in asked])
        key = category, operands & self._told_operands, values
        known = self._type_told.get(key)
        if known is None:
            known = self._type_told[key] = self._new_type(category, operands, tuple(features.items()))
        return known

    def _asked(self, category: str) -> tuple[str, ...] | None:
        """The features of a daughter whose values matter, whatever operands it is; None where it may be any."""
        if category not in self._features_asked:
            passed_on = [each.features for each in self._origins.contributors if each.operand.category == category]
            asked = {*self._compared, *(name for names in passed_on for name in names or ())}
            self._features_asked[category] = None if None in passed_on else tuple(sorted(asked))
        return self._features_asked[category]

    def _new_type(self, category: str, operands: int, features: Bundle) -> int:
        restricted = self._covered.get(category, NONE)
        if not self._covers_all and restricted and (restricted == NONE or not restricted & operands):
            return UNCOVERED
        contribution = self._contributed.number(self._contribution_of(operands, features))
        return self._types.number((self._class_of(category, operands, features), contribution))

    def parts_of(self, daughter_type: int) -> tuple[int, int]:
        """The class and the contribution that make a daughter type."""
        return self._types[daughter_type]

    def _class_of(self, category: str, matched: int, features: Bundle) -> int:
        """The class of daughters: what properties see is which operands they are, and the features compared."""
        operands, values = matched & self._operands, dict(features)
        key = operands, tuple([values.get(feature) for feature in self._compared])
        known = self._class_seen.get(key)
        if known is None:
            known = self._class_seen[key] = self._new_class(operands, Constituent(category, 1, features))
        return known

    def _new_class(self, operands: int, daughter: Constituent) -> int:
        """The number of the class of which all properties observe the same as of this daughter."""
        concerned = self._concerned.get(operands)
        if concerned is None:
            concerned = self._concerned[operands] = self._concerned_by(operands)
        local, deferred = ({i: each.symbol(daughter, operands) for i, each in bound} for bound in concerned)
        symbols = tuple(local.items()), tuple(deferred.items())
        number = self._numbers.get(symbols)
        if number is None:
            number = len(self.classes)
            reach = max((self.local[i].automaton.traits.reach for i in local), default=0)
            self.classes.append(DaughterClass(reach, local, deferred))
            self._numbers[symbols] = number  # last, so that an interrupt leaves nothing half known
        return number

    def _concerned_by(self, operands: int) -> tuple[list[tuple[int, BoundProperty]], ...]:
        """The local and the deferred properties for which a daughter that is these operands matters."""
        return tuple(
            [(i, each) for i, each in enumerate(bound) if each.bits & operands or each.automaton.scope == "whole"]
            for bound in (self.local, self.deferred)
        )

    def symbols_of(self, number: int) -> tuple[int, Symbols, Symbols]:
        """The reach of a class, and the symbols that the local and the deferred properties concerned observe of it."""
        found = self.classes[number]
        return found.reach, tuple(found.local.items()), tuple(found.deferred.items())

    # what local properties count

    @property
    def local_shapes(self) -> tuple[tuple[int, int, bool, bool], ...]:
        """Of each local property the number of its shape, its reach, whether it is hard, whether it asks for order."""
        shapes: Numbering[int] = Numbering()
        return tuple(
            [
                (shapes.number(id(each)), each.traits.reach, each.is_hard, each.traits.is_positional)
                for each in (bound.automaton for bound in self.local)
            ]
        )

    def pair_counts(self, i: int, before: int, symbol: int, between: int) -> PairCounts:
        """`PropertyAutomaton.pair` of a local property."""
        return self.local[i].automaton.pair(before, symbol, between)

    def pair_effect(self, before: int, read: int, between: int) -> PairEffect:
        """What local properties count in a class after another one with so many daughters between, or more where that
        is the reach; in the class alone where `before` is -1."""
        key = before, read, between
        known = self._effects.get(key)
        if known is None:
            near, here = self.classes[before].local if before >= 0 else {}, self.classes[read].local
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
        near, there = self.classes[before].local, self.classes[self.least_class(place)].local
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
            operand = next(operand for operand, bit in self._evaluator.operands.items() if bit == 1 << place)
            certain = tuple((feature, values[0]) for feature, values in operand.features if len(values) == 1)
            matched = self._evaluator.operands_matched(operand.category, certain)
            known = self._least_known[place] = self._class_of(operand.category, matched, certain)
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
                for i, symbol in self.classes[number].deferred.items():
                    symbols[i].add(symbol)
            each_with = zip(self.deferred, symbols, strict=True)
            known = tuple([each.automaton.continuation(tuple(sorted(of)), room) for each, of in each_with])
            self._continuations[classes, room] = known
        return known

    def final_counts(self, i: int, state: int, continuation: int) -> tuple[FinalCounts, ...]:
        """`PropertyAutomaton.final_counts` of a deferred property."""
        return self.deferred[i].automaton.final_counts(state, continuation)

    # the features of the phrase

    def rules_of_features(self) -> tuple[int, tuple[int, ...], bool, tuple[int, ...], tuple[NumberedRule, ...]]:
        """`Origins` in numbers: how many contributors, the heads, whether all features are inherited, those that are
        else, and the rules."""
        feature, value, origins = self._feature_names.number, self._value_names.number, self._origins
        inherited = tuple(map(feature, origins.inherit or ()))
        rules = [
            (
                feature(rule.feature),
                NONE if rule.value is None else value(rule.value),
                NONE if rule.condition is None else rule.condition,
                rule.absent,
                rule.sources,
            )
            for rule in origins.rules
        ]
        return len(origins.contributors), origins.heads, origins.inherit is None, inherited, tuple(rules)

    def contribution_row(self, number: int) -> tuple[int, ...]:
        """A contribution in numbers: of each contributor its place with `NONE` twice, then with feature and value."""
        row: list[int] = []
        for place, bundle in self._contributed[number]:
            row += place, NONE, NONE
            for feature, value in bundle:
                row += place, self._feature_names.number(feature), self._value_names.number(value)
        return tuple(row)

    def phrase_with(self, numbers: tuple[int, ...]) -> int:
        """The kind of the phrase with these features: of each its number and that of its value."""
        named = zip(numbers[::2], numbers[1::2], strict=True)
        features = tuple(sorted([(self._feature_names[name], self._value_names[value]) for name, value in named]))
        return self._kinds.number((self._construction.name, features))

    def _contribution_of(self, operands: int, features: Bundle) -> Contributions:
        """What a daughter contributes for each of these operands."""
        contributors = enumerate(zip(self._origins.contributors, self._contributor_bits, strict=True))
        return tuple([(place, each.contribution(features)) for place, (each, bit) in contributors if operands & bit])

    def with_contribution(self, contributions: int, more: int) -> int:
        """The number of what decides after one more daughter: its contribution counts where it is the first match."""
        key = contributions, more
        known = self._sums.get(key)
        if known is None:
            awaited = self._awaited_contributors(contributions)
            fresh = [(place, bundle) for place, bundle in self._contributed[more] if place in awaited]
            known = contributions if not fresh else self._still_deciding((*self._contributions[contributions], *fresh))
            self._sums[key] = known
        return known

    def _still_deciding(self, found: Contributions) -> int:
        """The number of what of these still decides something; many pairs of `with_contribution` come to the same."""
        key = tuple(sorted(found))
        known = self._decided.get(key)
        if known is None:
            shape = shape_of(key)
            if shape not in self._deciding:
                self._deciding[shape] = self._origins.deciding(shape)
            known = self._decided[key] = self._contributions.number(still_deciding(key, self._deciding[shape]))
        return known

    def _awaited_contributors(self, contributions: int) -> frozenset[int]:
        """The places of the contributors that have not come and may still decide something."""
        known = self._awaited_after.get(contributions)
        if known is None:
            shape = shape_of(self._contributions[contributions])
            if shape not in self._awaited_by_shape:
                self._awaited_by_shape[shape] = self._origins.awaited(shape)
            known = self._awaited_after[contributions] = self._awaited_by_shape[shape]
        return known

    def phrase(self, contributions: int) -> int:
        """The kind of the phrase whose features these contributions decide."""
        known = self._phrases.get(contributions)
        if known is None:
            features = self._origins.features(dict(self._contributions[contributions]))
            known = self._phrases[contributions] = self._kinds.number((self._construction.name, features))
        return known
