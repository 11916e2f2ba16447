"""What daughters contribute to the features of a phrase, behind numbers: the rules of one construction as an automaton.

`feature_inheritance` says where features come from. Here each question about it is asked once: what a daughter
contributes, what of the contributions so far still decides something, and of which kind the phrase is. `_features.c`
does the same for the compiled search.
"""

from __future__ import annotations

from numbat.automata.records import Kinds, Memo, Numbering
from numbat.evaluation.constituents import members, union
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.feature_inheritance import Contributions, Shape, shape_of, still_deciding
from numbat.grammar.properties import Bundle

NumberedRule = tuple[int, int, int, bool, tuple[int, ...]]
"""A rule for a feature: the feature, the value and the condition or `NONE`, whether the condition is an absence, and
the sources."""

NONE = -1
"""In place of a feature, a value or a contributor: there is none."""
NO_CONTRIBUTION = 0
"""The number of the contribution of a daughter that decides nothing."""


class PhraseFeatures:
    """The contributions to the features of the phrases of one construction; everything is a number."""

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
        self._passes_on = [each.features != frozenset() for each in self._origins.contributors]
        self._places: dict[int, list[int]] = {}
        for place, contributor in enumerate(self._origins.contributors):
            self._places.setdefault(evaluator.operands[contributor.operand], []).append(place)
        self.operands = union(self._places)
        """The operands, as a bit set, that contribute."""
        self._phrases: dict[int, int] = {}
        self._feature_names: Numbering[str] = Numbering()
        self._value_names: Numbering[str] = Numbering()
        self._pairs: Memo[tuple[int, int], tuple[str, str]] = Memo(self._pair)

    def passed_on(self, category: str) -> frozenset[str] | None:
        """The features of a daughter of a category that a phrase may get from it; None where it may be any."""
        names = [each.features for each in self._origins.contributors if each.operand.category == category]
        return None if None in names else frozenset().union(*(each for each in names if each is not None))

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
        pairs = map(self._pairs.__getitem__, zip(numbers[::2], numbers[1::2], strict=True))
        return self._kinds.number((self._construction, tuple(sorted(pairs))))

    def _pair(self, feature: int, value: int) -> tuple[str, str]:
        return self._feature_names[feature], self._value_names[value]

    def contribution_of(self, operands: int, features: Bundle) -> int:
        """The number of what a daughter contributes that is these operands."""
        here = operands & self.operands
        if not here:
            return NO_CONTRIBUTION
        contributors = self._origins.contributors
        places = sorted([place for bit in members(here) for place in self._places[bit]])
        decided = [contributors[place].contribution(features) if self._passes_on[place] else () for place in places]
        return self._contributed.number(tuple(zip(places, decided, strict=True)))

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
            known = self._phrases[contributions] = self._kinds.number((self._construction, features))
        return known
