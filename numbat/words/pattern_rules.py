"""Rules that go by the form of words: of many shell patterns the first that fits is found by one regular expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import cached_property
from typing import Final, Generic, TypeVar

from numbat.grammar.model import GuessRule, SpellingRule

Rule = TypeVar("Rule", GuessRule, SpellingRule)


class PatternRules(Generic[Rule]):
    """Rules in order, each with a shell pattern."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules: Final[tuple[Rule, ...]] = tuple(rules)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def first(self, *forms: str) -> Rule | None:
        """The first rule whose pattern fits one of these forms, whatever their order."""
        fitting = [place for form in forms if (place := self._place(form)) is not None]
        return self._rules[min(fitting)] if fitting else None

    def _place(self, form: str) -> int | None:
        found = self._either.match(form) if self._rules else None
        return None if found is None else self._place_of_group[found.lastindex]

    @cached_property
    def _either(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?P<rule{i}>{translate(rule.pattern)})" for i, rule in enumerate(self._rules)))

    @cached_property
    def _place_of_group(self) -> dict[int | None, int]:
        # A pattern may have groups of its own: the last group that ends is the one around it.
        groups = self._either.groupindex
        return {groups[f"rule{i}"]: i for i in range(len(self._rules))}
