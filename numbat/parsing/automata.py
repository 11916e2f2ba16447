"""The properties of a construction, compiled: a lazily built deterministic automaton that reads daughters in order.

A step tells the next state and the change of value; acceptance adds what only the whole assignment decides (obligation,
requirement). The meaning of a relation stays in its row: outcomes come from the one evaluator, asked once for each pair
of classes or each state, and kept.

A property is compiled by what the expressions of its relation ask for:

- *local*: only about the tuple itself (order, adjacency, features), of at most two daughters: settled when the second
  one is read;
- *global*: only about what is present and how often: settled at acceptance, but counted as soon as it is doomed;
- anything else: the state remembers the whole sequence and the property is settled at acceptance.

States hold counts, not flags, so that instances are counted exactly (ruling 11).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from numbat.grammar.expressions import Adjacent, walk
from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Construction, Property
from numbat.grammar.relations import Relation
from numbat.parsing.chart import Constituent, Instance
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.phrase_features import deciders, phrase_features
from numbat.parsing.policies import Profile
from numbat.parsing.sorts import POSITIONAL, asks, expressions, sort_of, values_asked
from numbat.parsing.states import INFINITE, Acceptance, Kind, Levels, Outcome, State, Step, Verdict


class Automaton:
    """The form of one construction, compiled for a profile."""

    def __init__(self, construction: Construction, evaluator: Evaluator, profile: Profile) -> None:
        self._construction = construction
        self._evaluator = evaluator
        self._profile = profile
        self._by_property = evaluator.table.grammar.semantics.counting == "property"
        relations = evaluator.table.relations
        sorts = [sort_of(prop, relations[prop.relation]) for prop in construction.properties]
        properties = list(zip(construction.properties, sorts, strict=True))
        self._local = tuple(prop for prop, sort in properties if sort == "local")
        self._local_bits = tuple(evaluator.operand_bits((prop,)) for prop in self._local)
        self._global = tuple(prop for prop, sort in properties if sort == "global")
        self._whole = tuple(prop for prop, sort in properties if sort == "whole")
        adjoining = [prop for prop in self._local if asks(relations[prop.relation], Adjacent)]
        self._neighbours = evaluator.operand_bits(adjoining)
        self._mask = evaluator.operand_bits(construction.properties)
        self._features = tuple(sorted(values_asked(construction.properties, relations)))
        self._deciders, self._heads = deciders(construction)
        self._classes: dict[tuple[int, Bundle], int] = {}
        self._members: list[Constituent] = []
        self._class_of: dict[Kind, int] = {}
        self._numbers: dict[State, int] = {State(): 0}
        self._states: list[State] = [State()]
        self._deferred = (*self._global, *self._whole)
        self._bits_of = tuple(evaluator.operand_bits((prop,)) for prop in self._deferred)
        self._verdicts: dict[tuple[int, tuple[int, ...]], Verdict] = {}
        self._uncovered: set[Kind] = set()
        self._masks: list[int] = []
        self._concern: list[list[int]] = []
        self._sums: list[Verdict] = [Verdict()]
        self._pending: list[tuple[int, ...]] = [()]
        self._steps: dict[tuple[int, Kind], Step | None] = {}
        self._accepted: dict[int, Acceptance | None] = {}
        self._pairs: dict[tuple[int, int, bool], Outcome] = {}
        self._positional = tuple(i for i, p in enumerate(self._local) if _is_positional(relations[p.relation]))
        self._least_pairs: dict[tuple[int, int], int] = {}
        self._own_levels: dict[tuple[int, int], Levels] = {}
        self._bounds: dict[tuple[int, tuple[int, ...], Levels], tuple[int, int]] = {}
        self.awaited = evaluator.operand_bits(self._global)
        for i, prop in enumerate(self._deferred):
            if not all(clause.matched for clause in relations[prop.relation].clauses):
                verdict = self._verdict(i, State())
                self._sums[0] = self._sums[0].changed(Verdict(), verdict)
                self._pending[0] += (i,) * (verdict.cost > verdict.doomed)

    def __len__(self) -> int:
        """The number of states built so far."""
        return len(self._states)

    # reading a daughter

    def step(self, number: int, kind: Kind) -> Step | None:
        """Read a daughter of a kind; None where the construction does not cover it or a hard property is violated."""
        key = number, kind
        if key not in self._steps:
            self._steps[key] = self._step(number, kind)
        return self._steps[key]

    def _step(self, number: int, kind: Kind) -> Step | None:
        state = self._states[number]
        read = self._class(kind)
        if kind in self._uncovered:
            return None
        outcomes = list(self._outcomes(state, read))
        if any(outcome.dead for outcome, _ in outcomes):
            return None
        violated, satisfied = state.violated, state.satisfied
        cost = weight = 0
        for outcome, times in outcomes:
            if self._by_property:
                cost += self._fresh_cost(outcome.violated & ~violated)
            else:
                cost += outcome.cost * times
                weight += outcome.weight * times
            violated |= outcome.violated
            satisfied |= outcome.satisfied
        after = State(
            _incremented(state.counts, read),
            read if self._masks[read] & self._neighbours else -1,
            self._firsts(state.firsts, kind),
            violated if self._by_property else 0,
            satisfied if self._by_property else int(bool(satisfied)),
            (*state.sequence, read) if self._whole else (),
            state.retrieved or any(outcome.retrieved for outcome, _ in outcomes),
        )
        following = self._number(after, number, read)
        if self._sums[following].hopeless:
            return None
        charged = self._sums[number].doomed if number else 0
        return following, cost + self._sums[following].doomed - charged, weight

    def _outcomes(self, state: State, read: int) -> Iterable[tuple[Outcome, int]]:
        """What the daughter read says alone and with each class before it, and how many times."""
        yield self._pair(-1, read, adjacent=False), 1
        for before, times in state.counts:
            neighbour = before == state.last
            if neighbour:
                yield self._pair(before, read, adjacent=True), 1
            if times - neighbour:
                yield self._pair(before, read, adjacent=False), times - neighbour

    def _pair(self, before: int, read: int, adjacent: bool) -> Outcome:
        """The local outcomes of a daughter after one of another class; of the daughter alone where `before` is -1."""
        key = before, read, adjacent
        if key not in self._pairs:
            members = [self._members[read]] if before < 0 else [self._members[before], self._members[read]]
            if before >= 0 and not adjacent:
                members.insert(1, _STRANGER)
            row = _in_a_row(members)
            near = self._masks[read] if before < 0 else self._masks[before]
            spoken_of = [i for i, bits in enumerate(self._local_bits) if bits & near and bits & self._masks[read]]
            retrieved = any(self._evaluator.is_retrieved(self._local[i], row) for i in spoken_of)
            outcome = Outcome(retrieved=retrieved)
            for i in spoken_of:
                prop = self._local[i]
                ticked = self._evaluator.instances(prop, row, by_property=False)
                yes, no = ([t for t in ticks if (len(t.elements) > 1) == (before >= 0)] for ticks in ticked)
                outcome = self._added(outcome, prop, 1 << i, yes, no)
            self._pairs[key] = outcome
        return self._pairs[key]

    def _added(
        self, outcome: Outcome, prop: Property, bit: int, yes: Sequence[Instance], no: Sequence[Instance]
    ) -> Outcome:
        return Outcome(
            outcome.cost + prop.cost * len(no),
            outcome.weight + prop.weight * len(yes),
            outcome.violated | (bit if no else 0),
            outcome.satisfied | (bit if yes else 0),
            outcome.dead or (bool(no) and self._is_hard(prop)),
            outcome.retrieved,
        )

    def _is_hard(self, prop: Property) -> bool:
        return prop.hard or self._profile.all_hard

    def _fresh_cost(self, violated: int) -> int:
        return sum(prop.cost for i, prop in enumerate(self._local) if violated >> i & 1)

    # classes and states

    def _class(self, kind: Kind) -> int:
        """The number of the class of a kind: which operands of the form it is, and the feature values asked for."""
        known = self._class_of.get(kind)
        if known is None:
            if self._profile.has("H3") and not self._evaluator.table.covers(self._construction, *kind):
                self._uncovered.add(kind)
            values = tuple((f, v) for f in self._features if (v := value_of(kind[1], f)) is not None)
            key = self._evaluator.operands_matched(*kind) & self._mask, values
            known = self._class_of[kind] = self._classes.setdefault(key, len(self._members))
            if known == len(self._members):
                self._members.append(Constituent(kind[0], 1, kind[1]))
                self._masks.append(key[0])
                self._concern.append([i for i, bits in enumerate(self._bits_of) if bits & key[0]])
        return known

    def _number(self, state: State, before: int, read: int) -> int:
        """The number of a state that follows another one when a class is read."""
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self._states)
            self._states.append(state)
            self._judge(before, state, range(len(self._deferred)) if self._whole else self._concern[read])
        return number

    def _judge(self, before: int, state: State, concerned: Sequence[int]) -> None:
        """Note what the deferred properties say of a new state: what they said before, but for those concerned."""
        verdict, pending = self._sums[before], set(self._pending[before])
        for i in concerned:
            new = self._verdict(i, state)
            verdict = verdict.changed(self._verdict(i, self._states[before]), new)
            (pending.add if new.cost > new.doomed else pending.discard)(i)
        self._sums.append(verdict)
        self._pending.append(tuple(sorted(pending)))

    def _verdict(self, i: int, state: State) -> Verdict:
        """What one such property says; it depends on the classes that are operands of it, so it is asked once."""
        read = self._read(i, state)
        key = i, read
        known = self._verdicts.get(key)
        if known is None:
            prop = self._deferred[i]
            assignment = _in_a_row([self._members[c] for c in read])
            yes, no = self._evaluator.instances(prop, assignment, self._by_property)
            number = self._evaluator.doomed(prop, assignment) if prop in self._global else 0
            known = self._verdicts[key] = Verdict(
                prop.cost * len(no),
                prop.weight * len(yes),
                prop.cost * number,
                int(bool(no) and self._is_hard(prop)),
                int(number > 0 and self._is_hard(prop)),
                int(any(instance.elements for instance in yes)),
                int(self._evaluator.is_retrieved(prop, assignment)),
            )
        return known

    def _read(self, i: int, state: State) -> tuple[int, ...]:
        """The classes that were read as far as one such property sees them."""
        if self._whole:
            return state.sequence
        bits = self._bits_of[i]
        return tuple(c for c, times in state.counts if self._masks[c] & bits for _ in range(times))

    def _firsts(self, firsts: tuple[Bundle | None, ...], kind: Kind) -> tuple[Bundle | None, ...]:
        """Note the daughter's features for each operand of which it is the first; a better head makes others idle."""
        if not firsts:
            firsts = (None,) * len(self._deciders)
        noted = tuple(
            decider.noted(kind[1]) if first is None and decider.operand.matches(*kind) else first
            for first, decider in zip(firsts, self._deciders, strict=True)
        )
        head = next((i for i, first in enumerate(noted[: self._heads]) if first is not None), self._heads)
        idle = range(head + 1, self._heads)
        return tuple(None if i in idle else first for i, first in enumerate(noted))

    # what is still to come

    def ahead(self, number: int, view: int, levels: Levels) -> int:
        """At least how much more an unfinished constituent will cost, where `levels` are what its operands cost.

        `view` is the number of these levels.

        A bound that never falls by more than what a step costs: operands that cannot come any more leave their
        properties violated; of those that can come the dearest is charged once, with what its order costs.
        """
        state, certain, dearest = self._states[number], 0, 0
        for i in self._pending[number]:
            if i >= len(self._global):
                break
            own = self._own_levels.get((view, i))
            if own is None:
                own = tuple((b, level) for b, level in levels if b & self._bits_of[i] and level < INFINITE)
                self._own_levels[view, i] = own
            dues = tuple([(bit, level + self._crossing(state, bit)) for bit, level in own])
            key = i, self._read(i, state), dues
            if key not in self._bounds:
                self._bounds[key] = self._bound(i, state, dues)
            fixed, least = self._bounds[key]
            certain += fixed
            dearest = max(dearest, least - fixed)
        return min(certain + dearest, INFINITE)

    def _bound(self, i: int, state: State, dues: Levels) -> tuple[int, int]:
        """What such a property costs for certain, and at least with what its operands cost that it may still get."""
        verdict, prop = self._verdict(i, state), self._deferred[i]
        assignment = _in_a_row([self._members[c] for c in self._read(i, state)])
        fixed, least = INFINITE, INFINITE
        for level in sorted({0, *(due for _, due in dues if due < INFINITE)}):
            coming = sum(bit for bit, due in dues if due <= level)
            stay = self._evaluator.doomed(prop, assignment, coming)
            lost = INFINITE if stay and self._is_hard(prop) else prop.cost * stay - verdict.doomed
            fixed = min(fixed, lost)
            least = min(least, level + lost)
        return fixed, least

    def _crossing(self, state: State, bit: int) -> int:
        """At least what the order of a daughter that is this operand costs after the daughters read."""
        if self._by_property:
            return 0
        return sum(times * self._least_pair(before, bit) for before, times in state.counts)

    def _least_pair(self, before: int, bit: int) -> int:
        key = before, bit
        if key not in self._least_pairs:
            operand = next(operand for operand, its in self._evaluator.operands.items() if its == bit)
            sure = tuple((feature, values[0]) for feature, values in operand.features if len(values) == 1)
            one, other = self._members[before], Constituent(operand.category, 1, sure)
            rows = (_in_a_row([one, other]), _in_a_row([one, _STRANGER, other]))
            there = self._evaluator.operands_matched(operand.category, sure)
            both = [bits & self._masks[before] and bits & there for bits in self._local_bits]
            asked = [self._local[i] for i in self._positional if both[i]]
            self._least_pairs[key] = min(self._positional_cost(asked, row) for row in rows)
        return self._least_pairs[key]

    def _positional_cost(self, properties: Iterable[Property], row: tuple[Constituent, ...]) -> int:
        """What the order of two daughters violates, whatever other features they have."""
        cost = 0
        for prop in properties:
            _, violated = self._evaluator.instances(prop, row, by_property=False)
            number = sum(len(instance.elements) > 1 for instance in violated)
            cost += INFINITE if number and self._is_hard(prop) else prop.cost * number
        return min(cost, INFINITE)

    # acceptance

    def accept(self, number: int) -> Acceptance | None:
        """The kind of phrase that the daughters read so far make, and what the whole assignment adds.

        None where no property triggers the construction, H4 fails or a hard property is violated.
        """
        if number not in self._accepted:
            self._accepted[number] = self._accept(number)
        return self._accepted[number]

    def _accept(self, number: int) -> Acceptance | None:
        state, verdict = self._states[number], self._sums[number]
        if verdict.hard or not (verdict.retrieved or state.retrieved):
            return None
        weight = verdict.weight
        if self._by_property:
            alone = state.satisfied & ~state.violated
            weight += sum(prop.weight for i, prop in enumerate(self._local) if alone >> i & 1)
        if self._profile.has("H4") and not (verdict.held or state.satisfied & ~state.violated):
            return None
        noted = {decider.operand: first for decider, first in zip(self._deciders, state.firsts, strict=True)}
        features = phrase_features(self._construction, noted.__getitem__)
        return (self._construction.name, features), verdict.cost - verdict.doomed, weight


def _is_positional(relation: Relation) -> bool:
    return all(isinstance(node, POSITIONAL) for root in expressions(relation) for node in walk(root))


def _incremented(counts: tuple[tuple[int, int], ...], read: int) -> tuple[tuple[int, int], ...]:
    found = dict(counts)
    found[read] = found.get(read, 0) + 1
    return tuple(sorted(found.items()))


def _in_a_row(members: Sequence[Constituent]) -> tuple[Constituent, ...]:
    """The constituents, one after the other."""
    return tuple(Constituent(m.construction, 1 << i, m.features) for i, m in enumerate(members))


_STRANGER: Final = Constituent("", 1, ())
"""Is an operand of nothing: it stands between two daughters that are not neighbours."""
