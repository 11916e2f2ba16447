"""Daughters as input of a construction's automaton: their classes, types, and contributions to the phrase's features.

`feature_inheritance` decides where features come from; this module asks it each question once and caches the answer:
the contribution of a daughter, the contributions that still decide something, the kind of the phrase. `_features.c`
does the same for the compiled search.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, count
from operator import itemgetter

from numbat.automata.property_automaton import PropertyAutomata
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
from numbat.evaluation.feature_inheritance import Contributions, Shape, shape_of, still_deciding
from numbat.grammar.model import Construction
from numbat.grammar.properties import Bundle
from numbat.records import cached_property

NumberedRule = tuple[int, int, tuple[int, ...], tuple[int, ...]]
"""A rule: the feature; its value or `NONE`; the conditions, each twice the index of a contributor, plus 1 if it must be
absent; and the contributors from which the value may be taken."""

NONE = -1
"""Number that stands for no feature, no value or no contributor."""
NO_CONTRIBUTION = 0
"""Number of the contribution of a daughter that decides nothing."""


class PhraseFeatures:
    """Contributions of daughters to the features of one construction's phrases; every contribution has a number."""

    def __init__(self, construction: str, evaluator: Evaluator, kinds: Kinds) -> None:
        self._construction = construction
        self._kinds = kinds
        self._origins = evaluator.table.origins[construction]
        self._contributed: Numbering[Contributions] = Numbering(())
        self._contributions: Numbering[Contributions] = Numbering(())
        self._sums: dict[tuple[int, int], int] = {}
        self._awaited_after: dict[int, frozenset[int]] = {}
        self._awaited_by_shape: dict[Shape, frozenset[int]] = {}
        self._deciding: dict[Shape, dict[int, set[str]]] = {}
        self._decided: dict[Contributions, int] = {}
        self._passes_on = [contributor.features != frozenset() for contributor in self._origins.contributors]
        self._places: dict[int, list[int]] = {}
        for place, contributor in enumerate(self._origins.contributors):
            self._places.setdefault(evaluator.operands[contributor.operand], []).append(place)
        self.operands = union(self._places)
        """The operands that contribute, as a bit set."""
        self._phrases: dict[int, int] = {}
        self._feature_names: Numbering[str] = Numbering()
        self._value_names: Numbering[str] = Numbering()
        self._pairs: Memo[tuple[int, int], tuple[str, str]] = Memo(self._pair)

    def passed_on(self, category: str) -> frozenset[str] | None:
        """Return the features that a phrase may get from a daughter of a category; None if it may get any."""
        names = [
            contributor.features
            for contributor in self._origins.contributors
            if contributor.operand.category == category
        ]
        return None if None in names else frozenset().union(*(name for name in names if name is not None))

    def rules_of_features(self) -> tuple[int, tuple[int, ...], bool, tuple[int, ...], tuple[NumberedRule, ...]]:
        """Return `Origins` as numbers: how many contributors there are, the heads, whether all features are inherited,
        else which ones, and the rules."""
        feature, value, origins = self._feature_names.number, self._value_names.number, self._origins
        inherited = tuple(map(feature, origins.inherit or ()))
        rules = [
            (
                feature(rule.feature),
                NONE if rule.value is None else value(rule.value),
                tuple([2 * place + absent for place, absent in rule.conditions]),
                rule.sources,
            )
            for rule in origins.rules
        ]
        return len(origins.contributors), origins.heads, origins.inherit is None, inherited, tuple(rules)

    def contribution_row(self, number: int) -> tuple[int, ...]:
        """Return a contribution as a flat row of triples.

        Each contributor has the triple (index, `NONE`, `NONE`), then (index, feature, value) for each feature.
        """
        row: list[int] = []
        for place, bundle in self._contributed[number]:
            row += place, NONE, NONE
            for feature, value in bundle:
                row += place, self._feature_names.number(feature), self._value_names.number(value)
        return tuple(row)

    def phrase_with(self, numbers: tuple[int, ...]) -> int:
        """Return the kind of a phrase. The features are a flat sequence: feature number, value number, and so on."""
        pairs = map(self._pairs.__getitem__, zip(numbers[::2], numbers[1::2], strict=True))
        return self._kinds.number((self._construction, tuple(sorted(pairs))))

    def _pair(self, feature: int, value: int) -> tuple[str, str]:
        return self._feature_names[feature], self._value_names[value]

    def contribution_of(self, operands: int, features: Bundle) -> int:
        """Return the number of the contribution of a daughter that matches these operands (a bit set)."""
        here = operands & self.operands
        if not here:
            return NO_CONTRIBUTION
        contributors = self._origins.contributors
        places = sorted([place for bit in members(here) for place in self._places[bit]])
        decided = [contributors[place].contribution(features) if self._passes_on[place] else () for place in places]
        return self._contributed.number(tuple(zip(places, decided, strict=True)))

    def with_contribution(self, contributions: int, more: int) -> int:
        """Return the number of the contributions after one more daughter; it counts only where it is a first match."""
        key = contributions, more
        known = self._sums.get(key)
        if known is None:
            awaited = self._awaited_contributors(contributions)
            fresh = [(place, bundle) for place, bundle in self._contributed[more] if place in awaited]
            known = contributions if not fresh else self._still_deciding((*self._contributions[contributions], *fresh))
            self._sums[key] = known
        return known

    def _still_deciding(self, contributions: Contributions) -> int:
        """Return the number of these contributions, reduced to those that still decide something."""
        key = tuple(sorted(contributions))
        known = self._decided.get(key)
        if known is None:
            shape = shape_of(key)
            if shape not in self._deciding:
                self._deciding[shape] = self._origins.deciding(shape)
            known = self._decided[key] = self._contributions.number(still_deciding(key, self._deciding[shape]))
        return known

    def _awaited_contributors(self, contributions: int) -> frozenset[int]:
        """Return the indexes of the contributors that have not been matched and may still decide something."""
        known = self._awaited_after.get(contributions)
        if known is None:
            shape = shape_of(self._contributions[contributions])
            if shape not in self._awaited_by_shape:
                self._awaited_by_shape[shape] = self._origins.awaited(shape)
            known = self._awaited_after[contributions] = self._awaited_by_shape[shape]
        return known

    def phrase(self, contributions: int) -> int:
        """Return the number of the kind of phrase that has the features decided by these contributions."""
        known = self._phrases.get(contributions)
        if known is None:
            features = self._origins.features(dict(self._contributions[contributions]))
            known = self._phrases[contributions] = self._kinds.number((self._construction, features))
        return known


# The input of a construction's automaton: daughters sorted into classes that its properties cannot distinguish.
#
# The steps from the kind of a daughter (construction and features) to the input of the automaton, each a number:
#
# - an *observed symbol* is what one property can observe of a daughter (`property_automaton`);
# - a *daughter class* combines the observed symbols of all properties of the construction;
# - a *contribution* is what a daughter, as the first match of an operand, adds to the features of the phrase;
# - a *daughter type* combines a class and a contribution: all that the construction can distinguish.
#
# Each question to a property automaton is asked once; the answers are small tables of numbers from which the states of
# the construction are built (in `construction_automaton`, and compiled in `_automata.c`).

UNCOVERED = -1
"""Instead of a daughter type: the construction does not cover a daughter of this kind."""


class DaughterClasses:
    """The daughter classes of one construction, under rules of licensing, all as numbers.

    `lookaheads` has the costs of awaited operands (those that a later daughter may still match) by lookahead number. No
    phrase has more daughters than `longest`, which limits the distances that properties can compare.
    """

    def __init__(
        self,
        construction: Construction,
        evaluator: Evaluator,
        licensing: Licensing,
        automata: PropertyAutomata,
        kinds: Kinds,
        lookaheads: Sequence[AwaitedCosts],
        longest: int,
    ) -> None:
        self._evaluator = evaluator
        self._kinds = kinds
        self.shapes = automata
        self._lookaheads = lookaheads
        self._covers_all = licensing.covers_all
        self.needs_satisfied = licensing.needs_satisfied
        self.by_property = evaluator.table.grammar.semantics.by_property
        bound = list(map(automata.bind, construction.rules))
        self.local = tuple(prop for prop in bound if prop.automaton.scope == "local")
        self.deferred = tuple(prop for prop in bound if prop.automaton.scope != "local")
        bound = [*self.local, *self.deferred]
        self._automata = [prop.automaton for prop in bound]
        self.ordered = tuple([i for i, prop in enumerate(self.deferred) if prop.automaton.scope == "whole"])
        """The deferred properties for which the order of daughters matters, or their places: states record theirs."""
        self.obliged_operands = union(
            prop.bits for prop in self.deferred if prop.automaton.scope == "global" and prop.automaton.is_unsettled
        )
        """Operands (a bit set) of the properties that are violated before anything was read, but can be repaired."""
        self._reaches = [min(prop.automaton.traits.reach, longest) for prop in self.local]
        self.asks_further = any(prop.automaton.traits.reach > longest for prop in self.local)
        """True if sentences with more words than `longest` need other states."""
        self.reach = max(self._reaches, default=0)
        """Maximum number of daughters between two that matters to a local property."""
        self.awaited_operands = union(prop.bits for prop in self.deferred if prop.automaton.scope == "global")
        """Operands that may still repair a deferred property, as a bit set."""
        self._operands = union(prop.bits for prop in bound)
        self._compared = frozenset(feature for prop in bound for feature in prop.automaton.features)
        self._always = [i for i, prop in enumerate(bound) if prop.automaton.scope == "whole"]
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
        """Categories of daughters, each with the operands (a bit set) of which it must match one; 0: any features."""
        self.features = PhraseFeatures(construction.name, evaluator, kinds)
        self._all_operands = union((self._operands, self.features.operands, *self._covered.values()))

    @property
    def is_countable(self) -> bool:
        """True if a state does not record which properties hold, so that the compiled search can build it itself."""
        return not self.by_property

    @property
    def compared(self) -> frozenset[str]:
        """The features whose values some property compares."""
        return self._compared

    # daughters

    def may_cover(self, category: str) -> bool:
        """True if constituents of a category, at least those with certain features, can be daughters."""
        return self._covers_all or category in self._covered

    def type_of(self, kind: int) -> int:
        """Return the daughter type of a kind, `UNCOVERED` if the construction does not cover it."""
        category, features = self._kinds[kind]
        return self.type_told(category, self._evaluator.operands_matched(category, features), features)

    def features_asked(self, category: str) -> frozenset[str] | None:
        """Return the features that matter for a daughter of a category; None if any may."""
        passed_on = self.features.passed_on(category)
        named = self._evaluator.features_named(category, self._all_operands)
        return None if passed_on is None else named.union(passed_on, self._compared)

    def type_told(self, category: str, operands: int, features: Bundle) -> int:
        """Return `type_of` a kind from its category, the operands of the grammar that it matches, and its features."""
        if not self._covers(category, operands):
            return UNCOVERED
        contribution = self.features.contribution_of(operands, features)
        return self._types.number((self._class_of(operands, features), contribution))

    def _covers(self, category: str, operands: int) -> bool:
        demanded = self._covered.get(category)
        return self._covers_all or demanded == 0 or bool(demanded and demanded & operands)

    def parts_of(self, daughter_type: int) -> tuple[int, int]:
        """Return the class and the contribution of a daughter type."""
        return self._types[daughter_type]

    def _class_of(self, operands: int, features: Bundle) -> int:
        """Return the class of a daughter; it depends only on the operands matched and on the features compared."""
        compared = tuple([pair for pair in features if pair[0] in self._compared]) if self._compared else ()
        key = operands & self._operands, compared
        known = self._class_seen.get(key)
        if known is None:
            known = self._class_seen[key] = self._new_class(*key)
        return known

    def _new_class(self, operands: int, compared: Bundle) -> int:
        """Return the number of a class: that of the symbols that the properties observe in such a daughter."""
        bits_of = dict.fromkeys(self._always, 0)
        for bit in members(operands):
            for i, place_bit in self._concerned[bit]:
                bits_of[i] = bits_of.get(i, 0) | place_bit
        masks, automata = sorted(bits_of.items()), self._automata
        symbols = [automata[i].of_operands.get(mask, NONE) for i, mask in masks]
        if NONE in symbols:
            pairs = zip(masks, symbols, strict=True)
            symbols = [automata[i].symbol(mask, compared) if known == NONE else known for (i, mask), known in pairs]
        return self._rows.number((*[i for i, _ in masks], *symbols))

    @cached_property
    def _concerned(self) -> dict[int, list[tuple[int, int]]]:
        """By the bit of an operand in the grammar: the properties that name it, each with its bit in the property."""
        concerned: dict[int, list[tuple[int, int]]] = {}
        for i, prop in enumerate((*self.local, *self.deferred)):
            for number, place in enumerate(prop.places):
                concerned.setdefault(1 << place, []).append((i, 1 << number))
        return concerned

    def row_of(self, number: int) -> tuple[int, tuple[int, ...]]:
        """Return the reach of a class, and its row: indexes of the properties concerned, then the symbols they observe.

        Deferred properties are numbered after the local ones.
        """
        row, many = self._rows[number], len(self.local)
        return max([self._reaches[i] for i in row[: len(row) // 2] if i < many], default=0), row

    def daughter_class(self, number: int) -> DaughterClass:
        """Return the class with this number."""
        return self._classes[number,]

    def _daughter_class(self, number: int) -> DaughterClass:
        (reach, row), many = self.row_of(number), len(self.local)
        symbols = list(zip(row[: len(row) // 2], row[len(row) // 2 :], strict=True))
        local = {i: symbol for i, symbol in symbols if i < many}
        return DaughterClass(reach, local, {i - many: symbol for i, symbol in symbols if i >= many})

    # counts of local properties

    @property
    def local_shapes(self) -> tuple[tuple[int, int, bool, bool], ...]:
        """For each local property: number of its shape, reach, whether it is hard, whether it depends on order only."""
        both = [(bound.shape, reach, bound.automaton) for bound, reach in zip(self.local, self._reaches, strict=True)]
        return tuple(
            [(shape, reach, automaton.is_hard, automaton.traits.is_positional) for shape, reach, automaton in both]
        )

    @property
    def deferred_shapes(self) -> tuple[tuple[int, bool, tuple[int, ...]], ...]:
        """For each deferred property: number of its shape, whether it is hard, and its operands.

        The operands are a flat sequence: their places in the grammar, sorted, each followed by its number in the
        property.
        """
        return tuple(
            [
                (prop.shape, prop.automaton.is_hard, tuple(chain(*sorted(zip(prop.places, count(), strict=False)))))
                for prop in self.deferred
            ]
        )

    def pair_effect(self, before: int, read: int, between: int) -> PairEffect:
        """Return the effect of local properties when a class follows another one; for the class alone, `before` is -1.

        `between` is the number of daughters between the two, at most the reach.
        """
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
        """Return the least effect of order between a class and a later daughter, for each number of daughters between.

        Only one operand that the daughter matches is known, given by its place.
        """
        return self._least_effects[before, place]

    def _new_least_effects(self, before: int, place: int) -> tuple[PairEffect, ...]:
        near, after = self._classes[before,].local, self._classes[self.least_class(place),].local
        of_both = [
            (i, near[i], after[i])
            for i, prop in enumerate(self.local)
            if i in near and i in after and prop.automaton.traits.is_positional
        ]
        return tuple(
            [
                self._effect((i, self.local[i].automaton.pair(one, other, between)) for i, one, other in of_both)
                for between in range(self.reach + 1)
            ]
        )

    def _effect(self, counted: Iterable[tuple[int, PairCounts]]) -> PairEffect:
        """Return the joint effect of several local properties, each given by its index and its counts."""
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
        """Return the class of a daughter, given only the place of one operand that it matches."""
        known = self._least_known.get(place)
        if known is None:
            operand = self._evaluator.operand_at(place)
            certain = tuple(
                (feature, values[0]) for feature, values in operand.features if len(values) == 1 and all(values)
            )
            matched = self._evaluator.operands_implied(operand, certain)
            known = self._least_known[place] = self._class_of(matched, certain)
        return known

    # counts of deferred properties

    def operand_costs(self, i: int, lookahead: int) -> OperandCosts:
        """Return the costs of those operands of deferred property i that can still come, by a lookahead number."""
        return self._operand_costs[i, lookahead]

    def forget_lookaheads(self) -> None:
        """Forget the answers about lookahead numbers."""
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
        """Return the awaited operands of a lookahead number, as bit sets of little-endian 32-bit words, with costs."""
        sets = self._lookaheads[lookahead]
        return tuple([(of.to_bytes((of.bit_length() + 31) // 32 * 4, "little"), cost) for of, cost in sets])

    def initial_counts(self, i: int) -> DeferredCounts:
        """Return the counts of deferred property i before anything was read."""
        return self.deferred[i].automaton.counts(0)

    def property_step(self, i: int, state: int, symbol: int) -> tuple[int, DeferredCounts]:
        """Return the state of deferred property i after one more symbol, and the counts in this state."""
        automaton = self.deferred[i].automaton
        after = automaton.step(state, symbol)
        return after, automaton.counts(after)

    def continuation(self, classes: tuple[int, ...], room: int) -> tuple[int, ...]:
        """Return, for each deferred property, the number of its continuation by at most `room` daughters per class."""
        room = 1 << (room - 1).bit_length()  # rounded up, so that few values occur
        known = self._continuations.get((classes, room))
        if known is None:
            symbols: list[set[int]] = [set() for _ in self.deferred]
            for number in classes:
                for i, symbol in self._classes[number,].deferred.items():
                    symbols[i].add(symbol)
            property_symbols = zip(self.deferred, symbols, strict=True)
            known = tuple([prop.automaton.continuation(tuple(sorted(of)), room) for prop, of in property_symbols])
            self._continuations[classes, room] = known
        return known

    def final_counts(self, i: int, state: int, continuation: int) -> tuple[FinalCounts, ...]:
        """Return `PropertyAutomaton.final_counts` for deferred property i."""
        return self.deferred[i].automaton.final_counts(state, continuation)


# The daughter types of a kind in all constructions at once: a construction asks for few features of a category.
#
# Constructions that ask for the same features share one look-up by the values of these features.

NumberedTypes = tuple[tuple[int, int], ...]
"""Numbers of constructions, each with the type of a daughter in it."""

Values = Sequence[str | None]


class DaughterTypes:
    """The types of daughters in several constructions, which are given by number."""

    def __init__(self, evaluator: Evaluator, constructions: Sequence[DaughterClasses]) -> None:
        self._evaluator = evaluator
        self._constructions = constructions
        self._of_category: dict[str, tuple[dict[str, int], list[_Asking]]] = {}

    def types(self, category: str, features: Bundle) -> NumberedTypes:
        """Return the constructions that can have a daughter of this kind, in order, each with the daughter's type."""
        known = self._of_category.get(category)
        if known is None:
            known = self._of_category[category] = self._asking(category)
        places, asking = known
        values: list[str | None] = [None] * len(places)
        for feature, value in features:
            place = places.get(feature)
            if place is not None:
                values[place] = value
        operands = -1
        types_found: list[tuple[int, int]] = []
        for group in asking:
            key = group.pick(values) if group.pick else features
            types = group.known.get(key)
            if types is None:
                if operands < 0:
                    operands = self._evaluator.operands_matched(category, features)
                types = group.known[key] = self._types_in(group.numbers, category, operands, features)
            types_found += types
        types_found.sort()
        return tuple(types_found)

    def _types_in(self, numbers: Iterable[int], category: str, operands: int, features: Bundle) -> NumberedTypes:
        types = [(number, self._constructions[number].type_told(category, operands, features)) for number in numbers]
        return tuple([pair for pair in types if pair[1] != UNCOVERED])

    def _asking(self, category: str) -> tuple[dict[str, int], list[_Asking]]:
        """Return numbers for the features of a category that matter, and the constructions grouped by the features."""
        alike: dict[frozenset[str] | None, list[int]] = {}
        for number, classes in enumerate(self._constructions):
            if classes.may_cover(category):
                alike.setdefault(classes.features_asked(category), []).append(number)
        names = tuple(sorted(frozenset[str]().union(*(features for features in alike if features))))
        places = {name: place for place, name in enumerate(names)}
        return places, [_Asking(numbers, _picker(features, names)) for features, numbers in alike.items()]


class _Asking:
    """Constructions for which the same features of a category matter.

    `pick` selects the values of these features; None if any feature may matter.
    """

    __slots__ = ("known", "numbers", "pick")

    def __init__(self, numbers: Sequence[int], pick: Callable[[Values], Hashable] | None) -> None:
        self.numbers = numbers
        self.pick = pick
        self.known: dict[Hashable, NumberedTypes] = {}


def _picker(features: frozenset[str] | None, names: Sequence[str]) -> Callable[[Values], Hashable] | None:
    if features is None:
        return None
    if not features:
        return _nothing
    return itemgetter(*[place for place, name in enumerate(names) if name in features])


def _nothing(_: Values) -> Hashable:
    return ()
