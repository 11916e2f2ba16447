"""The properties of a construction, compiled: a lazily built deterministic automaton that reads daughters in order.

A step tells the next state and the change of value; acceptance adds what only the whole assignment decides (obligation,
requirement). The meaning of a relation stays in its row: what a property says comes from the one evaluator, through its
observer, which asks each question once.

A property is compiled by what the expressions of its relation ask for:

- *local*: only about the tuple itself (order, adjacency, features), of at most two daughters: settled when the second
  one is read;
- *global*: only about what is present and how often: settled at acceptance, but counted as soon as it is doomed;
- anything else: the state remembers the whole sequence and the property is settled at acceptance.

States hold counts, not flags, so that instances are counted exactly (ruling 11).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Construction
from numbat.parsing.chart import Constituent
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.observers import Observer
from numbat.parsing.phrase_features import deciders, phrase_features
from numbat.parsing.policies import Profile
from numbat.parsing.states import (
    INFINITE,
    Acceptance,
    Class,
    Firsts,
    Kind,
    Levels,
    Outcome,
    State,
    Step,
    Verdict,
)


class Automaton:
    """The form of one construction, compiled for a profile."""

    def __init__(self, construction: Construction, evaluator: Evaluator, profile: Profile) -> None:
        self._construction = construction
        self._evaluator = evaluator
        self._profile = profile
        self._by_property = evaluator.table.grammar.semantics.counting == "property"
        observers = [Observer(prop, evaluator, profile) for prop in construction.properties]
        self._local = tuple(observer for observer in observers if observer.sort == "local")
        self._deferred = tuple(observer for observer in observers if observer.sort != "local")
        self._whole = any(observer.sort == "whole" for observer in observers)
        self._neighbours = _union(observer.bits for observer in self._local if observer.is_adjoining)
        self._mask = _union(observer.bits for observer in observers)
        self._features = tuple(sorted({feature for observer in observers for feature in observer.features}))
        self._deciders, self._heads = deciders(construction)
        self._firsts: list[Firsts] = [(None,) * len(self._deciders)]
        self._firsts_of: dict[Firsts, int] = {self._firsts[0]: 0}
        self._firsts_after: dict[tuple[int, Kind], int] = {}
        self._notes: dict[Kind, Firsts] = {}
        self._phrases: dict[int, Kind] = {}
        self._classes: dict[tuple[int, Bundle], int] = {}
        self._members: list[Class] = []
        self._class_of: dict[Kind, int] = {}
        self._covered: dict[Kind, bool] = {}
        self._numbers: dict[State, int] = {State(): 0}
        self._states: list[State] = [State()]
        self._sums: list[Verdict] = [Verdict()]
        self._pending: list[tuple[int, ...]] = [()]
        self._reads: list[tuple[int, ...]] = [(0,) * len(self._deferred)]
        self._steps: dict[tuple[int, Kind], Step | None] = {}
        self._accepted: dict[int, Acceptance | None] = {}
        self._pairs: dict[tuple[int, int, bool], Outcome] = {}
        self._crossings: dict[tuple[int, int], int] = {}
        self._own_levels: dict[tuple[int, int], Levels] = {}
        self.awaited = _union(observer.bits for observer in self._deferred if observer.sort == "global")
        for i, observer in enumerate(self._deferred):
            if observer.asks_absence:
                verdict = observer.verdict(0)
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
        if not self._covers(kind):
            return None
        read = self._class(kind)
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
            read if self._members[read].operands & self._neighbours else -1,
            self._firsts_with(state.firsts, kind),
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

    def _outcomes(self, state: State, read: int) -> Iterator[tuple[Outcome, int]]:
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
        known = self._pairs.get(key)
        if known is None:
            near, here = self._members[before].local if before >= 0 else {}, self._members[read].local
            of_both = [(i, near.get(i, -1), sight) for i, sight in here.items() if before < 0 or i in near]
            known = self._pairs[key] = _sum((i, self._local[i].outcome(b, s, adjacent)) for i, b, s in of_both)
        return known

    def _fresh_cost(self, violated: int) -> int:
        return sum(observer.prop.cost for i, observer in enumerate(self._local) if violated >> i & 1)

    # classes and states

    def _covers(self, kind: Kind) -> bool:
        if kind not in self._covered:
            covers = not self._profile.has("H3") or self._evaluator.table.covers(self._construction, *kind)
            self._covered[kind] = covers
        return self._covered[kind]

    def _class(self, kind: Kind) -> int:
        """The number of the class of a kind: which operands of the form it is, and the feature values asked for."""
        known = self._class_of.get(kind)
        if known is None:
            values = tuple([(f, v) for f in self._features if (v := value_of(kind[1], f)) is not None])
            operands = self._evaluator.operands_matched(*kind) & self._mask
            known = self._class_of[kind] = self._classes.setdefault((operands, values), len(self._members))
            if known == len(self._members):
                self._members.append(self._seen(Constituent(kind[0], 1, kind[1]), operands))
        return known

    def _seen(self, daughter: Constituent, operands: int) -> Class:
        """A class, with the sights that those properties have of it that speak of it."""
        local = {i: o.sight(daughter, operands) for i, o in enumerate(self._local) if o.bits & operands}
        deferred = {
            i: observer.sight(daughter, operands)
            for i, observer in enumerate(self._deferred)
            if observer.bits & operands or observer.sort == "whole"
        }
        return Class(operands, local, deferred)

    def _number(self, state: State, before: int, read: int) -> int:
        """The number of a state that follows another one when a class is read."""
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self._states)
            self._states.append(state)
            self._judge(before, read)
        return number

    def _judge(self, before: int, read: int) -> None:
        """Note what the deferred properties say of a new state: what they said before, but for those concerned."""
        verdict, pending, reads = self._sums[before], set(self._pending[before]), list(self._reads[before])
        for i, sight in self._members[read].deferred.items():
            observer, was = self._deferred[i], reads[i]
            reads[i] = observer.after(was, sight)
            new = observer.verdict(reads[i])
            verdict = verdict.changed(observer.verdict(was), new)
            (pending.add if new.cost > new.doomed else pending.discard)(i)
        self._sums.append(verdict)
        self._pending.append(tuple(sorted(pending)))
        self._reads.append(tuple(reads))

    def _firsts_with(self, number: int, kind: Kind) -> int:
        """Note the daughter's features for each operand of which it is the first; a better head makes others idle."""
        key = number, kind
        if key not in self._firsts_after:
            notes = zip(self._firsts[number], self._notes_of(kind), strict=True)
            noted = [note if first is None else first for first, note in notes]
            head = next((i for i, first in enumerate(noted[: self._heads]) if first is not None), self._heads)
            noted[head + 1 : self._heads] = [None] * (self._heads - head - 1)
            after = self._firsts_after[key] = self._firsts_of.setdefault(tuple(noted), len(self._firsts))
            if after == len(self._firsts):
                self._firsts.append(tuple(noted))
        return self._firsts_after[key]

    def _notes_of(self, kind: Kind) -> Firsts:
        """What a daughter decides for each operand that it is."""
        if kind not in self._notes:
            self._notes[kind] = tuple(
                decider.noted(kind[1]) if decider.operand.matches(*kind) else None for decider in self._deciders
            )
        return self._notes[kind]

    # what is still to come

    def ahead(self, number: int, view: int, levels: Levels) -> int:
        """At least how much more an unfinished constituent will cost, where `levels` are what its operands cost.

        `view` is the number of these levels.

        A bound that never falls by more than what a step costs: operands that cannot come any more leave their
        properties violated; of those that can come the dearest is charged once, with what its order costs.
        """
        state, certain, dearest = self._states[number], 0, 0
        for i in self._pending[number]:
            observer = self._deferred[i]
            if observer.sort == "whole":
                continue
            own = self._own_levels.get((view, i))
            if own is None:
                own = tuple((b, level) for b, level in levels if b & observer.bits and level < INFINITE)
                self._own_levels[view, i] = own
            dues = tuple([(bit, level + self._crossing(state, bit)) for bit, level in own])
            fixed, least = observer.bound(self._reads[number][i], dues)
            certain += fixed
            dearest = max(dearest, least - fixed)
        return min(certain + dearest, INFINITE)

    def _crossing(self, state: State, bit: int) -> int:
        """At least what the order of a daughter that is this operand costs after the daughters read."""
        if self._by_property:
            return 0
        cost = 0
        for before, times in state.counts:
            key = before, bit
            if key not in self._crossings:
                self._crossings[key] = self._least_pair(before, bit)
            cost += times * self._crossings[key]
        return cost

    def _least_pair(self, before: int, bit: int) -> int:
        """What the order of two daughters violates, whatever other features they have."""
        operand = next(operand for operand, its in self._evaluator.operands.items() if its == bit)
        sure = tuple((feature, values[0]) for feature, values in operand.features if len(values) == 1)
        near, there = self._members[before].local, self._members[self._class((operand.category, sure))].local
        of_both = [(o, near[i], there[i]) for i, o in enumerate(self._local) if i in near and i in there]
        sums = []
        for adjacent in (True, False):
            found = [o.outcome(one, other, adjacent) for o, one, other in of_both if o.is_positional]
            sums.append(INFINITE if any(outcome.dead for outcome in found) else sum(o.cost for o in found))
        return min(sums)

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
            weight += sum(observer.prop.weight for i, observer in enumerate(self._local) if alone >> i & 1)
        if self._profile.has("H4") and not (verdict.held or state.satisfied & ~state.violated):
            return None
        return self._phrase(state.firsts), verdict.cost - verdict.doomed, weight

    def _phrase(self, number: int) -> Kind:
        """The kind of the phrase whose features these first daughters decide."""
        if number not in self._phrases:
            noted = dict(zip([decider.operand for decider in self._deciders], self._firsts[number], strict=True))
            features = phrase_features(self._construction, noted.__getitem__)
            self._phrases[number] = self._construction.name, features
        return self._phrases[number]


def _sum(outcomes: Iterable[tuple[int, Outcome]]) -> Outcome:
    """What several properties say together; each with its number, which is its place in the bit sets."""
    cost = weight = violated = satisfied = 0
    dead = retrieved = False
    for i, outcome in outcomes:
        cost += outcome.cost
        weight += outcome.weight
        violated |= outcome.violated << i
        satisfied |= outcome.satisfied << i
        dead |= outcome.dead
        retrieved |= outcome.retrieved
    return Outcome(cost, weight, violated, satisfied, dead, retrieved)


def _union(bits: Iterable[int]) -> int:
    return reduce(or_, bits, 0)


def _incremented(counts: tuple[tuple[int, int], ...], read: int) -> tuple[tuple[int, int], ...]:
    found = dict(counts)
    found[read] = found.get(read, 0) + 1
    return tuple(sorted(found.items()))
