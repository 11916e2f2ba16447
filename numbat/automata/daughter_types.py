"""The daughter types of a kind in all constructions at once: few kinds differ in what any one construction asks.

Of each category it is known which features each construction asks for. Constructions that ask for the same ones share
one look-up, by the values that a daughter has of these.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import itemgetter

from numbat.automata.daughter_classes import UNCOVERED, DaughterClasses
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.properties import Bundle

NumberedTypes = tuple[tuple[int, int], ...]
"""Numbers of constructions, each with the daughter type that a daughter is there."""

Values = Sequence[str | None]


class DaughterTypes:
    """What daughters are in each of several constructions, which go by their numbers."""

    def __init__(self, evaluator: Evaluator, constructions: Sequence[DaughterClasses]) -> None:
        self._evaluator = evaluator
        self._constructions = constructions
        self._of_category: dict[str, tuple[tuple[str, ...], list[_Asking]]] = {}

    def types(self, category: str, features: Bundle) -> NumberedTypes:
        """The constructions that can have a daughter of this kind, in order, each with the daughter type."""
        known = self._of_category.get(category)
        if known is None:
            known = self._of_category[category] = self._asking(category)
        names, asking = known
        values = list(map(dict(features).get, names))
        operands = -1
        found: list[tuple[int, int]] = []
        for each in asking:
            key = each.pick(values) if each.pick else features
            types = each.known.get(key)
            if types is None:
                if operands < 0:
                    operands = self._evaluator.operands_matched(category, features)
                types = each.known[key] = self._types_in(each.numbers, category, operands, features)
            found += types
        found.sort()
        return tuple(found)

    def _types_in(self, numbers: Iterable[int], category: str, operands: int, features: Bundle) -> NumberedTypes:
        told = [(number, self._constructions[number].type_told(category, operands, features)) for number in numbers]
        return tuple([pair for pair in told if pair[1] != UNCOVERED])

    def _asking(self, category: str) -> tuple[tuple[str, ...], list[_Asking]]:
        """The features of a category that any construction asks for, and who asks for which."""
        alike: dict[frozenset[str] | None, list[int]] = {}
        for number, each in enumerate(self._constructions):
            if each.may_cover(category):
                alike.setdefault(each.asked(category), []).append(number)
        names = tuple(sorted(frozenset[str]().union(*(asked for asked in alike if asked))))
        return names, [_Asking(numbers, _picker(asked, names)) for asked, numbers in alike.items()]


class _Asking:
    """The constructions that ask a category for the same features.

    `pick` takes the values of these out of all that are asked for; None where any feature matters.
    """

    __slots__ = ("known", "numbers", "pick")

    def __init__(self, numbers: Sequence[int], pick: Callable[[Values], Hashable] | None) -> None:
        self.numbers = numbers
        self.pick = pick
        self.known: dict[Hashable, NumberedTypes] = {}


def _picker(asked: frozenset[str] | None, names: Sequence[str]) -> Callable[[Values], Hashable] | None:
    if asked is None:
        return None
    if not asked:
        return _nothing
    return itemgetter(*[place for place, name in enumerate(names) if name in asked])


def _nothing(_: Values) -> Hashable:
    return ()
