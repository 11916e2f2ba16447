"""The letters that the automaton of a construction reads: daughters that it cannot tell apart, and what they say.

From the daughter to the state, each behind numbers:

- a *sight* is what one property sees of a daughter;
- a *letter* is the sights of all properties;
- *notes* are what a daughter decides of the phrase's features where it is the first of its operands;
- a *look* is a letter and notes, all that the construction sees;
- *firsts* are the notes of the daughters read so far that still decide something.

All of its properties are asked through their witnesses, and every question is asked once: what a letter says alone and
after another one, what is decided by the first daughter that is an operand. The answers are small tables of numbers, on
which states are built (`automata`, and the same compiled in `_automata.c`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from numbat.automata.property_automaton import Matter, Witnesses
from numbat.automata.records import INFINITE, Gain, Kinds, Letter, Levels, Licensing, Numbered, Outcome, Verdict
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator, union
from numbat.evaluation.feature_inheritance import Features, Firsts, features_had, kept
from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Construction

UNCOVERED = -1
"""The look of a kind that the construction does not cover."""


class Alphabet:
    """The letters of one construction, under rules of licensing; kinds, letters and views are numbers."""

    def __init__(
        self,
        construction: Construction,
        evaluator: Evaluator,
        licensing: Licensing,
        witnesses: Witnesses,
        kinds: Kinds,
        views: Sequence[Levels],
    ) -> None:
        self._construction = construction
        self.needs_held = licensing.needs_satisfied
        self.by_property = evaluator.table.grammar.semantics.by_property
        matters = list(map(witnesses.matter, construction.properties))
        self.local = tuple(matter for matter in matters if matter.witness.sort == "local")
        self.deferred = tuple(matter for matter in matters if matter.witness.sort != "local")
        self.whole = any(matter.witness.sort == "whole" for matter in matters)
        self.awaited = union(matter.bits for matter in self.deferred if matter.witness.sort == "global")
        self.letters: list[Letter] = []
        self._evaluator = evaluator
        self._kinds = kinds
        self._views = views
        self._covers_all = licensing.covers_all
        self._mask = union(matter.bits for matter in matters)
        self._compared = tuple(sorted({feature for matter in matters for feature in matter.witness.features}))
        self._look_of: dict[int, int] = {}
        self._looks: Numbered[tuple[int, int]] = Numbered()
        self._seen_as: dict[tuple[int, tuple[str | None, ...]], int] = {}
        self._concerned: dict[int, tuple[list[tuple[int, Matter]], ...]] = {}
        self._numbers: dict[tuple[tuple[tuple[int, int], ...], ...], int] = {}
        self._pairs: dict[tuple[int, int, bool], Outcome] = {}
        self._least_pairs: dict[tuple[int, int], int] = {}
        self._least_letters: dict[int, int] = {}
        self._own_levels: dict[tuple[int, int], Levels] = {}
        self._futures: dict[tuple[tuple[int, ...], int], tuple[int, ...]] = {}
        self._origins = evaluator.table.origins[construction.name]
        self._notes: Numbered[Firsts] = Numbered()
        self._firsts: Numbered[Firsts] = Numbered(())
        self._awaited: dict[int, frozenset[int]] = {}
        self._firsts_with: dict[tuple[int, int], int] = {}
        self._decided_by: dict[Firsts, int] = {}
        self._awaited_of: dict[Features, frozenset[int]] = {}
        self._deciding: dict[Features, dict[int, set[str]]] = {}
        self._places_of: dict[str, list[int]] = {}
        for place, decider in enumerate(self._origins.deciders):
            self._places_of.setdefault(decider.operand.category, []).append(place)
        self._phrases: dict[int, int] = {}

    @property
    def is_countable(self) -> bool:
        """Whether counts of letters and sums are all that a state needs: what the compiled kernel builds itself."""
        return not (self.whole or self.by_property)

    # letters

    def may_cover(self, category: str) -> bool:
        """Whether a constituent of a category can be a daughter, whatever its features."""
        return self._covers_all or category in self._evaluator.table.covered[self._construction.name]

    def look(self, kind: int) -> int:
        """The number of all that the construction sees of a kind, `UNCOVERED` where it does not cover that."""
        known = self._look_of.get(kind)
        if known is None:
            category, features = self._kinds[kind]
            covers = self._covers_all or self._evaluator.table.covers(self._construction, category, features)
            known = self._look_of[kind] = self._looked(category, features) if covers else UNCOVERED
        return known

    def _looked(self, category: str, features: Bundle) -> int:
        notes = self._notes.number(self._notes_of(category, features))
        return self._looks.number((self._spelled(category, features), notes))

    def seen(self, look: int) -> tuple[int, int]:
        """The letter of a daughter, and the number of what it decides."""
        return self._looks[look]

    def _spelled(self, category: str, features: Bundle) -> int:
        """The number of the letter of a daughter: what properties see are the operands it is and what they compare."""
        operands = self._evaluator.operands_matched(category, features) & self._mask
        key = operands, tuple([value_of(features, feature) for feature in self._compared])
        known = self._seen_as.get(key)
        if known is None:
            known = self._seen_as[key] = self._fresh(operands, Constituent(category, 1, features))
        return known

    def _fresh(self, operands: int, daughter: Constituent) -> int:
        """The number of the letter that stands for what all properties see of a daughter."""
        known = self._concerned.get(operands)
        if known is None:
            known = self._concerned[operands] = self._concerned_by(operands)
        local, deferred = ({i: each.sight(daughter, operands) for i, each in matters} for matters in known)
        sights = tuple(local.items()), tuple(deferred.items())
        number = self._numbers.get(sights)
        if number is None:
            number = len(self.letters)
            self.letters.append(Letter(any(self.local[i].witness.is_adjoining for i in local), local, deferred))
            self._numbers[sights] = number  # last, so that an interrupt leaves nothing half known
        return number

    def _concerned_by(self, operands: int) -> tuple[list[tuple[int, Matter]], ...]:
        """The local and the deferred properties that a daughter which is these operands says something to."""
        return tuple(
            [(i, each) for i, each in enumerate(matters) if each.bits & operands or each.witness.sort == "whole"]
            for matters in (self.local, self.deferred)
        )

    def spelling(self, letter: int) -> tuple[bool, tuple[tuple[int, int], ...]]:
        """Whether a letter adjoins, and the sights that deferred properties have of it."""
        return self.letters[letter].adjoins, tuple(self.letters[letter].deferred.items())

    # what local properties say

    def pair(self, before: int, read: int, adjacent: bool) -> Outcome:
        """What local properties say of a letter after another one; of the letter alone where `before` is -1."""
        key = before, read, adjacent
        known = self._pairs.get(key)
        if known is None:
            near, here = self.letters[before].local if before >= 0 else {}, self.letters[read].local
            of_both = [(i, near.get(i, -1), sight) for i, sight in here.items() if before < 0 or i in near]
            known = self._pairs[key] = _sum((i, self.local[i].witness.outcome(b, s, adjacent)) for i, b, s in of_both)
        return known

    def brief(self, before: int, read: int, adjacent: bool) -> tuple[int, int, bool, bool, bool]:
        """The sums of `pair`, and whether anything is satisfied, the phrase is dead, anything is retrieved."""
        outcome = self.pair(before, read, bool(adjacent))
        return outcome.cost, outcome.weight, bool(outcome.satisfied), outcome.dead, outcome.retrieved

    def least_pair(self, before: int, place: int) -> int:
        """At least what the order of a letter costs after another one, if it is the operand of that place."""
        key = before, place
        known = self._least_pairs.get(key)
        if known is None:
            known = self._least_pairs[key] = self._least_pair(before, place)
        return known

    def _least_pair(self, before: int, place: int) -> int:
        near, there = self.letters[before].local, self.letters[self._least_letter(place)].local
        of_both = [(o.witness, near[i], there[i]) for i, o in enumerate(self.local) if i in near and i in there]
        sums = []
        for adjacent in (True, False):
            found = [o.outcome(one, other, adjacent) for o, one, other in of_both if o.is_positional]
            sums.append(INFINITE if any(outcome.dead for outcome in found) else sum(o.cost for o in found))
        return min(sums)

    def _least_letter(self, place: int) -> int:
        """The letter of a daughter of which no more is known than that it is the operand of a place."""
        known = self._least_letters.get(place)
        if known is None:
            operand = next(operand for operand, bit in self._evaluator.operands.items() if bit == 1 << place)
            sure = tuple((feature, values[0]) for feature, values in operand.features if len(values) == 1)
            known = self._least_letters[place] = self._spelled(operand.category, sure)
        return known

    # what deferred properties say

    def nothing_read(self, i: int) -> Verdict:
        """What a deferred property says where nothing was read, which has the number 0."""
        return self.deferred[i].witness.verdict(0)

    def after(self, i: int, read: int, sight: int) -> tuple[int, Verdict]:
        """What a deferred property has read after one more sight, and what it says of that."""
        witness = self.deferred[i].witness
        after = witness.after(read, sight)
        return after, witness.verdict(after)

    def bound(self, i: int, read: int, dues: Levels) -> tuple[int, int]:
        """`Matter.bound` of a deferred property."""
        return self.deferred[i].bound(read, dues)

    def own_levels(self, i: int, view: int) -> Levels:
        """Those of a view's levels that a deferred property awaits and that can come."""
        key = i, view
        known = self._own_levels.get(key)
        if known is None:
            bits, levels = self.deferred[i].bits, self._views[view]
            known = tuple((place, level) for place, level in levels if bits >> place & 1 and level < INFINITE)
            self._own_levels[key] = known
        return known

    def future(self, letters: tuple[int, ...], room: int) -> tuple[int, ...]:
        """The number of what may come to each deferred property, where such letters may, on so many positions."""
        room = 1 << (room - 1).bit_length()  # rooms are few so, and never too small
        known = self._futures.get((letters, room))
        if known is None:
            sights: list[set[int]] = [set() for _ in self.deferred]
            for letter in letters:
                for i, sight in self.letters[letter].deferred.items():
                    sights[i].add(sight)
            comings = [
                each.witness.coming(tuple(sorted(of)), room) for each, of in zip(self.deferred, sights, strict=True)
            ]
            known = self._futures[letters, room] = tuple(comings)
        return known

    def outlook(self, i: int, read: int, coming: int) -> tuple[Gain, ...]:
        """`Witness.outlook` of a deferred property."""
        return self.deferred[i].witness.outlook(read, coming)

    # the features of the phrase

    def _notes_of(self, category: str, features: Bundle) -> Firsts:
        """What a daughter decides for each operand that it is."""
        places = [(place, self._origins.deciders[place]) for place in self._places_of.get(category, ())]
        return tuple([(p, each.noted(features)) for p, each in places if each.operand.matches(category, features)])

    def firsts_with(self, firsts: int, notes: int) -> int:
        """The number of what decides after one more daughter: it counts for each operand of which it is the first."""
        key = firsts, notes
        known = self._firsts_with.get(key)
        if known is None:
            awaited = self._awaited_after(firsts)
            more = [note for note in self._notes[notes] if note[0] in awaited]
            known = self._firsts_with[key] = self._decided((*self._firsts[firsts], *more)) if more else firsts
        return known

    def _decided(self, found: Firsts) -> int:
        """The number of what decides of these, which come in any order: many pairs of `firsts_with` have the same."""
        key = tuple(sorted(found))
        known = self._decided_by.get(key)
        if known is None:
            features = features_had(key)
            if features not in self._deciding:
                self._deciding[features] = self._origins.deciding(features)
            known = self._decided_by[key] = self._firsts.number(kept(key, self._deciding[features]))
        return known

    def _awaited_after(self, firsts: int) -> frozenset[int]:
        known = self._awaited.get(firsts)
        if known is None:
            features = features_had(self._firsts[firsts])
            if features not in self._awaited_of:
                self._awaited_of[features] = self._origins.awaited(features)
            known = self._awaited[firsts] = self._awaited_of[features]
        return known

    def phrase(self, firsts: int) -> int:
        """The kind of the phrase whose features these first daughters decide."""
        known = self._phrases.get(firsts)
        if known is None:
            features = self._origins.features(dict(self._firsts[firsts]))
            known = self._phrases[firsts] = self._kinds.number((self._construction.name, features))
        return known


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
