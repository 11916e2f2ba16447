"""What properties say of daughters, asked once and kept: a witness speaks for a property and for all that are like it.

All that a property can tell of a daughter is which of its operands it is and what the features are that it compares:
its *sight* of the daughter. Daughters of many classes are one sight, so few questions reach the evaluation. What it has
read is a number too, 0 where that is nothing: the sights in order where order may matter, sorted where it does not.

Most properties of a grammar differ in nothing but which operands they name: Det < N and V < NP. A witness knows
operands by their places in the property, so that it answers for all that are alike; a `Matter` is one property before
its witness.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from numbat.automata.property_kinds import sort_of, traits_of
from numbat.automata.records import INFINITE, LOST, NEVER, Gain, Levels, Memo, Numbered, Outcome, Verdict
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator, union
from numbat.evaluation.matching import Row, plan_of
from numbat.evaluation.satisfaction import answers, number_doomed, tally
from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Operand, Parameter, Property
from numbat.grammar.relations import Relation

MOST_COMINGS: Final = 100
"""So many sets of daughters that may come are looked at."""

Sight = tuple[int, Bundle]
"""Which operands of a property a daughter is, as a bit set of their places there; the features that it compares."""

_STRANGER: Final[Sight] = 0, ()
"""Is an operand of nothing: it stands between two daughters that are not neighbours."""


class Matter(NamedTuple):
    """A property of a construction before its witness: the bits and the places of its operands in the grammar, in the
    order in which the witness knows them."""

    prop: Property
    witness: Witness
    bits: int
    places: tuple[int, ...]

    def sight(self, daughter: Constituent, operands: int) -> int:
        """The number of what the property sees of a daughter that is these operands of the grammar."""
        own = sum(1 << i for i, place in enumerate(self.places) if operands >> place & 1)
        return self.witness.sight(own, daughter.features)

    def bound(self, read: int, dues: Levels) -> tuple[int, int]:
        """`Witness.bound`, by what operands of the grammar cost that may still come."""
        return self.witness.bound(read, tuple([(self.places.index(place), due) for place, due in dues]))


class Witnesses:
    """The witnesses of a grammar, each for all properties that are alike; `all_hard`: as if all were hard."""

    def __init__(self, evaluator: Evaluator, all_hard: bool) -> None:
        self._evaluator = evaluator
        self._all_hard = all_hard
        self._known: dict[Hashable, Witness] = {}

    def matter(self, prop: Property) -> Matter:
        """The property before the witness of those that are like it."""
        operands = _named(prop)
        bits = [self._evaluator.operands[operand] for operand in operands]
        named = tuple([tuple([tuple(map(operands.index, joint)) for joint in each]) for each in prop.operands])
        is_hard = prop.hard or self._all_hard
        like = prop.relation, named, prop.features, prop.weight, prop.cost, is_hard
        witness = self._known.get(like)
        if witness is None:
            table = self._evaluator.table
            by_property = table.grammar.semantics.by_property
            witness = self._known[like] = Witness(prop, table.relations[prop.relation], is_hard, by_property)
        return Matter(prop, witness, union(bits), tuple([bit.bit_length() - 1 for bit in bits]))


class Witness:
    """A property, and what it said. Its operands have the bits of their places among those that it names."""

    def __init__(self, prop: Property, relation: Relation, is_hard: bool, by_property: bool) -> None:
        self.sort = sort_of(prop, relation)
        self.is_hard = is_hard
        traits = traits_of(relation)
        self.is_adjoining, self.is_positional = traits.is_adjoining, traits.is_positional
        self.features = tuple(sorted(traits.features.union(prop.features)))
        self._prop = prop
        self._relation = relation
        self._by_property = by_property
        bits = {operand: 1 << i for i, operand in enumerate(_named(prop))}
        self._plan = plan_of(prop, relation, bits.__getitem__)
        choices = [parameter for parameter in prop.operands if _is_choice(parameter)]
        self._any_of = [union(bits[operand] for (operand,) in parameter) for parameter in choices]
        others = (parameter for parameter in prop.operands if parameter not in choices)
        self._told_apart = union(bits[operand] for parameter in others for joint in parameter for operand in joint)
        self._sights: dict[tuple[int, tuple[bool, ...], Bundle], int] = {}
        self._seen: list[Sight] = []
        self._outcomes: dict[tuple[int, int, bool], Outcome] = {}
        self._reads: Numbered[tuple[int, ...]] = Numbered(())
        self._after: dict[tuple[int, int], int] = {}
        self._verdicts: dict[int, Verdict] = {}
        self._bounds: dict[tuple[int, Levels], tuple[int, int]] = {}
        self._comings: Numbered[tuple[tuple[int, ...], int]] = Numbered()
        self._leads: Memo[tuple[int, int, int, bool], int] = Memo(self._lead)
        self._outlooks: dict[tuple[int, tuple[int, ...], int], tuple[Gain, ...]] = {}

    def sight(self, operands: int, features: Bundle) -> int:
        """The number of what the property sees of a daughter that is these of its operands."""
        values = tuple([(f, v) for f in self.features if (v := value_of(features, f)) is not None])
        key = operands & self._told_apart, tuple([bool(operands & bits) for bits in self._any_of]), values
        sight = self._sights.get(key)
        if sight is None:
            sight = len(self._seen)
            self._seen.append((operands, values))
            self._sights[key] = sight  # last, so that an interrupt leaves nothing half known
        return sight

    def outcome(self, before: int, read: int, adjacent: bool) -> Outcome:
        """What a local property says of a daughter after another one; of the daughter alone where `before` is -1."""
        key = before, read, adjacent
        known = self._outcomes.get(key)
        if known is None:
            known = self._outcomes[key] = self._outcome(*key)
        return known

    def _outcome(self, before: int, read: int, adjacent: bool) -> Outcome:
        seen = [self._seen[read]] if before < 0 else [self._seen[before], self._seen[read]]
        if before >= 0 and not adjacent:
            seen.insert(1, _STRANGER)
        *ticked, retrieved = answers(self._row(seen), by_property=False)
        yes, no = (sum((len(t.elements) > 1) == (before >= 0) for t in ticks) for ticks in ticked)
        return Outcome(
            self._prop.cost * no,
            self._prop.weight * yes,
            int(bool(no)),
            int(bool(yes)),
            bool(no) and self.is_hard,
            retrieved,
        )

    def after(self, read: int, sight: int) -> int:
        """What it has read after one more sight."""
        key = read, sight
        known = self._after.get(key)
        if known is None:
            sights = (*self._reads[read], sight)
            sights = sights if self.sort == "whole" else tuple(sorted(sights))
            known = self._after[key] = self._reads.number(sights)
        return known

    def verdict(self, read: int) -> Verdict:
        """What a property that the whole assignment decides says of what it has read."""
        known = self._verdicts.get(read)
        if known is None:
            known = self._verdicts[read] = self._verdict(self._row(self._seen_in(read)))
        return known

    def _verdict(self, row: Row) -> Verdict:
        prop = self._prop
        if self.sort == "global":
            yes, no, held, retrieved = tally(row, self._by_property)
            doomed = number_doomed(row, self._by_property)
        else:
            satisfied, violated, retrieved = answers(row, self._by_property)
            yes, no, doomed = len(satisfied), len(violated), 0
            held = any(instance.elements for instance in satisfied)
        return Verdict(
            prop.cost * no,
            prop.weight * yes,
            prop.cost * doomed,
            int(no > 0 and self.is_hard),
            int(doomed > 0 and self.is_hard),
            int(held),
            int(retrieved),
        )

    def bound(self, read: int, dues: Levels) -> tuple[int, int]:
        """What more a global property costs for certain after what it has read, and at least.

        `dues` are what its operands cost, by place, that may still come; the least counts the cheapest that helps.
        """
        key = read, dues
        known = self._bounds.get(key)
        if known is None:
            known = self._bounds[key] = self._bound(read, dues)
        return known

    def _bound(self, read: int, dues: Levels) -> tuple[int, int]:
        verdict, seen = self.verdict(read), self._seen_in(read)
        fixed, least = INFINITE, INFINITE
        for level in sorted({0, *(due for _, due in dues if due < INFINITE)}):
            coming = sum(1 << place for place, due in dues if due <= level)
            stay = number_doomed(self._row(seen, coming), self._by_property)
            lost = INFINITE if stay and self.is_hard else self._prop.cost * stay - verdict.doomed
            fixed = min(fixed, lost)
            least = min(least, level + lost)
        return fixed, least

    def coming(self, sights: tuple[int, ...], room: int) -> int:
        """The number of what may come: daughters with such sights, up to `room` of each."""
        return self._comings.number((sights, room))

    def lead(self, mine: int, yours: int, coming: int, is_sure: bool) -> int:
        """By how much more a global property gains at least after the first of two things read, whatever comes of that;
        `NEVER` where it cannot, or where it may hold after the second alone and what holds is not yet sure."""
        return self._leads[mine, yours, coming, is_sure]

    def _lead(self, mine: int, yours: int, coming: int, is_sure: bool) -> int:
        own, others = self.outlook(mine, coming), self.outlook(yours, coming)
        if not own:
            return NEVER
        both = [(one, other) for one, other in zip(own, others, strict=True) if other.sum > LOST]
        if any(one.sum <= LOST or (other.holds > one.holds and not is_sure) for one, other in both):
            return NEVER
        return min([one.sum - other.sum for one, other in both], default=0)

    def outlook(self, read: int, coming: int) -> tuple[Gain, ...]:
        """What a global property would gain after what it has read, with each set of daughters of what may come that
        may be the worst for the difference between two things read; empty where these are too many.

        From as many daughters on as its expressions count, it gains evenly with each further one, and holds or not as
        before: the worst number of a sight is one up to that or the last one. What goes by pairs of daughters is looked
        at with every number.
        """
        sights, room = self._comings[coming]
        is_short = (min(self._enough, room) + 2) ** len(sights) <= MOST_COMINGS
        return self._outlook(read, sights, room) if is_short else ()

    @cached_property
    def _enough(self) -> int:
        if any(len(match.names) > 1 for match in self._plan.matches):
            return INFINITE
        most = traits_of(self._relation).most + 1
        return max([most, *(len(joint) for each in self._prop.operands for joint in each)])

    def _outlook(self, read: int, sights: tuple[int, ...], room: int) -> tuple[Gain, ...]:
        key = read, sights, room
        known = self._outlooks.get(key)
        if known is None:
            known = self._outlooks[key] = self._outlook_on(*key) if sights else (self._gain(read),)
        return known

    def _outlook_on(self, read: int, sights: tuple[int, ...], room: int) -> tuple[Gain, ...]:
        first, rest = sights[0], sights[1:]
        enough, room_of_rest = min(self._enough, room), room if rest else 0
        rows = []
        for _ in range(min(enough + 1, room) + 1):
            rows.append(self._outlook(read, rest, room_of_rest))
            read = self.after(read, first)
        if room > enough:
            times, pairs = room - enough - 1, zip(*rows[-2:], strict=True)
            last = [(more.sum + times * (more.sum - less.sum), more.holds) for less, more in pairs]
            rows[-1] = tuple([Gain(max(total, LOST), holds) for total, holds in last])
        return tuple(chain.from_iterable(rows))

    def _gain(self, read: int) -> Gain:
        verdict = self.verdict(read)
        return Gain(LOST if verdict.hard else verdict.weight - verdict.cost, bool(verdict.held))

    def _seen_in(self, read: int) -> list[Sight]:
        return [self._seen[sight] for sight in self._reads[read]]

    def _row(self, seen: Sequence[Sight], coming: int = -1) -> Row:
        """Daughters of which that was seen, one after the other."""
        daughters = tuple([Constituent("", 1 << i, values) for i, (_, values) in enumerate(seen)])
        return Row(daughters, [operands for operands, _ in seen], self._plan, coming)


def _named(prop: Property) -> list[Operand]:
    """The operands that a property names, each once: their order gives them their places there."""
    return list(dict.fromkeys(prop.leaves()))


def _is_choice(parameter: Parameter) -> bool:
    """Whether it has alternatives of one operand each: it matters only whether a daughter is any of them."""
    return len(parameter) > 1 and all(len(joint) == 1 for joint in parameter)
