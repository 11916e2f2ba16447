"""One property of a construction as a witness of daughters: what it says of them, asked once and kept.

All that a property can tell of a daughter is which of its operands it is and what the features are that it compares:
its *sight* of the daughter. Daughters of many classes are one sight, so few questions reach the evaluator. What it has
read is a number too, 0 where that is nothing: the sights in order where order may matter, sorted where it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Parameter, Property
from numbat.parsing.chart import Constituent
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.policies import Profile
from numbat.parsing.sorts import sort_of, traits_of
from numbat.parsing.states import INFINITE, LOST, Gain, Levels, Numbered, Outcome, Verdict
from numbat.parsing.table import slots

MOST_COMINGS: Final = 100
"""So many sets of daughters that may come are looked at."""


class Witness:
    """A property with the sights that it has had."""

    def __init__(self, prop: Property, evaluator: Evaluator, profile: Profile) -> None:
        relation = evaluator.table.relations[prop.relation]
        self.prop = prop
        self.sort = sort_of(prop, relation)
        self.bits = evaluator.operand_bits(prop.leaves())
        self.is_hard = prop.hard or profile.all_hard
        traits = traits_of(relation)
        self.is_adjoining, self.is_positional = traits.is_adjoining, traits.is_positional
        self.features = tuple(sorted(traits.features.union(prop.features)))
        self._evaluator = evaluator
        self._by_property = evaluator.table.grammar.semantics.counting == "property"
        alternatives = [parameter for parameter in prop.operands if _is_choice(parameter)]
        self._any_of = [evaluator.operand_bits(operand for (operand,) in parameter) for parameter in alternatives]
        others = (parameter for parameter in prop.operands if parameter not in alternatives)
        told_apart = (operand for parameter in others for joint in parameter for operand in joint)
        self._told_apart = evaluator.operand_bits(told_apart) if alternatives else self.bits
        self._sights: dict[tuple[int, tuple[bool, ...], Bundle], int] = {}
        self._seen: list[Constituent] = []
        self._outcomes: dict[tuple[int, int, bool], Outcome] = {}
        self._reads: Numbered[tuple[int, ...]] = Numbered(())
        self._after: dict[tuple[int, int], int] = {}
        self._verdicts: dict[int, Verdict] = {}
        self._bounds: dict[tuple[int, Levels], tuple[int, int]] = {}
        self._outlooks: dict[tuple[int, int], tuple[Gain, ...]] = {}

    def sight(self, daughter: Constituent, operands: int) -> int:
        """The number of what the property sees of a daughter that is these operands."""
        values = tuple([(f, v) for f in self.features if (v := value_of(daughter.features, f)) is not None])
        key = operands & self._told_apart, tuple([bool(operands & bits) for bits in self._any_of]), values
        sight = self._sights.get(key)
        if sight is None:
            sight = len(self._seen)
            self._seen.append(daughter)
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
        members = [self._seen[read]] if before < 0 else [self._seen[before], self._seen[read]]
        if before >= 0 and not adjacent:
            members.insert(1, _STRANGER)
        row = _in_a_row(members)
        *ticked, retrieved = self._evaluator.answers(self.prop, row, by_property=False)
        yes, no = (sum((len(t.elements) > 1) == (before >= 0) for t in ticks) for ticks in ticked)
        return Outcome(
            self.prop.cost * no,
            self.prop.weight * yes,
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
            known = self._verdicts[read] = self._verdict(self._row(read))
        return known

    def _verdict(self, row: tuple[Constituent, ...]) -> Verdict:
        prop = self.prop
        if self.sort == "global":
            yes, no, held, retrieved = self._evaluator.tally(prop, row)
            doomed = self._evaluator.doomed(prop, row)
        else:
            satisfied, violated, retrieved = self._evaluator.answers(prop, row, self._by_property)
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

        `dues` are what its operands cost that may still come; the least counts the cheapest that helps.
        """
        key = read, dues
        known = self._bounds.get(key)
        if known is None:
            known = self._bounds[key] = self._bound(read, dues)
        return known

    def _bound(self, read: int, dues: Levels) -> tuple[int, int]:
        verdict, row = self.verdict(read), self._row(read)
        fixed, least = INFINITE, INFINITE
        for level in sorted({0, *(due for _, due in dues if due < INFINITE)}):
            coming = sum(1 << place for place, due in dues if due <= level)
            stay = self._evaluator.doomed(self.prop, row, coming)
            lost = INFINITE if stay and self.is_hard else self.prop.cost * stay - verdict.doomed
            fixed = min(fixed, lost)
            least = min(least, level + lost)
        return fixed, least

    @cached_property
    def _comings(self) -> Numbered[tuple[tuple[int, ...], int]]:
        return Numbered()

    def coming(self, sights: tuple[int, ...], room: int) -> int:
        """The number of what may come: daughters with such sights, up to `room` of each."""
        return self._comings.number((sights, room))

    def outlook(self, read: int, coming: int) -> tuple[Gain, ...]:
        """What a global property would gain after what it has read, with each set of daughters of what may come that
        may be the worst for the difference between two things read; empty where these are too many.

        From as many daughters on as its expressions count, it gains evenly with each further one, and holds or not as
        before: the worst number of a sight is one up to that or the last one. What goes by pairs of daughters is looked
        at with every number.
        """
        key = read, coming
        known = self._outlooks.get(key)
        if known is None:
            sights, room = self._comings[coming]
            enough = min(self._enough, room)
            is_short = (enough + 2) ** len(sights) <= MOST_COMINGS
            known = self._outlooks[key] = tuple(self._outlook(read, sights, enough, room)) if is_short else ()
        return known

    @cached_property
    def _enough(self) -> int:
        prop, relation = self.prop, self._evaluator.table.relations[self.prop.relation]
        if any(len(slots(prop, relation, clause)) > 1 for clause in relation.clauses):
            return INFINITE
        return max([traits_of(relation).most + 1, *(len(joint) for each in prop.operands for joint in each)])

    def _outlook(self, read: int, sights: tuple[int, ...], enough: int, room: int) -> list[Gain]:
        if not sights:
            verdict = self.verdict(read)
            return [Gain(LOST if verdict.hard else verdict.weight - verdict.cost, bool(verdict.held))]
        first, *rest = sights
        rows = []
        for _ in range(min(enough + 1, room) + 1):
            rows.append(self._outlook(read, tuple(rest), enough, room))
            read = self.after(read, first)
        if room > enough:
            times, pairs = room - enough - 1, zip(*rows[-2:], strict=True)
            rows[-1] = [Gain(more.sum + times * (more.sum - less.sum), more.holds) for less, more in pairs]
        return [Gain(max(gain.sum, LOST), gain.holds) for row in rows for gain in row]

    def _row(self, read: int) -> tuple[Constituent, ...]:
        return _in_a_row([self._seen[sight] for sight in self._reads[read]])


def _is_choice(parameter: Parameter) -> bool:
    """Whether it has alternatives of one operand each: it matters only whether a daughter is any of them."""
    return len(parameter) > 1 and all(len(joint) == 1 for joint in parameter)


def _in_a_row(members: Sequence[Constituent]) -> tuple[Constituent, ...]:
    """The constituents, one after the other."""
    return tuple([Constituent(m.construction, 1 << i, m.features) for i, m in enumerate(members)])


_STRANGER: Final = Constituent("", 1, ())
"""Is an operand of nothing: it stands between two daughters that are not neighbours."""
