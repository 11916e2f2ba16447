"""One property of a construction as an observer of daughters: what it says of them, asked once and kept.

All that a property can tell of a daughter is which of its operands it is and what the features are that it compares:
its *sight* of the daughter. Daughters of many classes are one sight, so few questions reach the evaluator. What it has
read is a number too, 0 where that is nothing: the sights in order where order may matter, sorted where it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Property
from numbat.parsing.chart import Constituent
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.policies import Profile
from numbat.parsing.sorts import sort_of, traits_of
from numbat.parsing.states import INFINITE, Levels, Numbered, Outcome, Verdict


class Observer:
    """A property with the sights that it has had."""

    def __init__(self, prop: Property, evaluator: Evaluator, profile: Profile) -> None:
        relation = evaluator.table.relations[prop.relation]
        self.prop = prop
        self.sort = sort_of(prop, relation)
        self.bits = evaluator.operand_bits((prop,))
        self.is_hard = prop.hard or profile.all_hard
        traits = traits_of(relation)
        self.is_adjoining, self.is_positional = traits.is_adjoining, traits.is_positional
        self.features = tuple(sorted(traits.features.union(prop.features)))
        self._evaluator = evaluator
        self._by_property = evaluator.table.grammar.semantics.counting == "property"
        self._sights: dict[tuple[int, Bundle], int] = {}
        self._seen: list[Constituent] = []
        self._outcomes: dict[tuple[int, int, bool], Outcome] = {}
        self._reads = Numbered[tuple[int, ...]](())
        self._after: dict[tuple[int, int], int] = {}
        self._verdicts: dict[int, Verdict] = {}
        self._bounds: dict[tuple[int, Levels], tuple[int, int]] = {}

    def sight(self, daughter: Constituent, operands: int) -> int:
        """The number of what the property sees of a daughter that is these operands."""
        values = tuple([(f, v) for f in self.features if (v := value_of(daughter.features, f)) is not None])
        sight = self._sights.get((operands & self.bits, values))
        if sight is None:
            sight = len(self._seen)
            self._seen.append(daughter)
            self._sights[operands & self.bits, values] = sight  # last, so that an interrupt leaves nothing half known
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

    def _row(self, read: int) -> tuple[Constituent, ...]:
        return _in_a_row([self._seen[sight] for sight in self._reads[read]])


def _in_a_row(members: Sequence[Constituent]) -> tuple[Constituent, ...]:
    """The constituents, one after the other."""
    return tuple([Constituent(m.construction, 1 << i, m.features) for i, m in enumerate(members)])


_STRANGER: Final = Constituent("", 1, ())
"""Is an operand of nothing: it stands between two daughters that are not neighbours."""
