"""What a search for sentences tried, step by step, and from it the reason why it found too few."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from numbat.errors import counted
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_named

PARSE_STEPS: Final = 25
"""The parse of a short sentence takes about as long as so many phrases put together."""


@dataclass(slots=True)
class Tried:
    """Counts of a search: phrases made, those of them that are as wanted alone, roots around these, and so on.

    Of the `steps` each phrase that is put together is one, and a sentence that is parsed is `PARSE_STEPS`. `together`
    counts the properties that were violated beside the wanted one, in a phrase; `instead` what the best parse of a
    sentence violates that was put together.
    """

    steps: int = 0
    phrases: int = 0
    violating: int = 0
    alone: int = 0
    roots: int = 0
    fitting: int = 0
    kept: int = 0
    longest: int = 0
    shortest: int | None = None
    late: bool = False
    together: Counter[str] = field(default_factory=Counter)
    instead: Counter[str] = field(default_factory=Counter)

    def parse(self) -> None:
        """Count the steps of a parse."""
        self.steps += PARSE_STEPS

    def phrase(self, found: set[Property], wanted: set[Property]) -> bool:
        """Count a phrase that violates these properties; whether it is as wanted."""
        self.phrases += 1
        if found == wanted:
            self.violating += 1
            self.alone += 1
            return True
        if wanted <= found:
            self.violating += 1
            self.together.update(format_named(prop) for prop in found - wanted)
        return False

    def root(self, words: int) -> None:
        """Count a root around such a phrase."""
        self.roots += 1
        self.longest = max(self.longest, words)
        self.shortest = min(words, self.shortest or words)

    def parsed(self, found: set[Property], wanted: set[Property], is_full: bool) -> None:
        """Count a sentence whose best parse is not as wanted."""
        if not is_full:
            self.instead["falls into fragments"] += 1
        elif not found:
            self.instead["is well formed"] += 1
        elif others := sorted(format_named(prop) for prop in found - wanted):
            self.instead[f'violates "{others[0]}"'] += 1
        else:
            self.instead["has another root"] += 1


def reason(tried: Tried, violated: Property | None, grammar: Grammar, most: int) -> str:
    """What kept the search from finding more, the first step at which it failed."""
    name = "a root" if violated is None else f'"{violated.construction}"'
    if missing := _without_words(violated, grammar):
        return f"the lexicon has no word for {', '.join(missing)}\n  add some, or give a file with --lexicon"
    if not tried.phrases:
        return f"no phrase {name} of words of the lexicon was put together\n  see what numbat check says of the grammar"
    if not tried.violating:
        what = "is without a violation" if violated is None else "violates the property"
        return f"none of {counted(tried.phrases, 'phrase')} {name} {what}\n  {_hint(violated)}"
    if not tried.alone:
        other, number = min(tried.together.items(), key=lambda pair: (-pair[1], pair[0]))
        return (
            f"no phrase violates the property alone: {number} of {tried.violating} that violate it violate"
            f' "{other}" too\n  violate that one instead, or make one of them say less'
        )
    if not tried.roots:
        return (
            f"{counted(tried.alone, 'phrase')} {name} violate the property alone, but no root was built around any\n"
            "  see which constructions may hold it: numbat show"
        )
    if not tried.fitting:
        return (
            f"{counted(tried.roots, 'sentence')} of {tried.shortest} to {tried.longest} words were put together, none"
            " of the number that is asked for\n  try another --length"
        )
    if tried.instead and tried.kept < tried.fitting:
        said, number = min(tried.instead.items(), key=lambda pair: (-pair[1], pair[0]))
        return (
            f"{counted(tried.fitting, 'sentence')} were put together, but {number} of them have a better parse, which"
            f" {said}\n  see it with numbat parse, or try another --seed"
        )
    return (
        f"{counted(tried.fitting, 'different sentence')} of at most {most} words were put together, and no more\n"
        "  try another --length, or a larger lexicon"
    )


def _hint(violated: Property | None) -> str:
    if violated is None:
        return "see what numbat check says of the grammar"
    return "what would violate it may be no phrase at all: see what numbat check says of the property"


def _without_words(violated: Property | None, grammar: Grammar) -> list[str]:
    """The leaves that a property names of which the lexicon has no word."""
    if violated is None:
        return []
    phrases = {each.name for each in grammar.constructions}
    named = dict.fromkeys(operand.category for operand in violated.all_operands())
    leaves = [name for name in named if name in grammar.leaves and name not in phrases]
    have: set[str] = set()
    if leaves:
        for entry in grammar.lexicon:
            have.update(reading.category for reading in entry.readings)
            if have.issuperset(leaves):
                break
    return [name for name in leaves if name not in have]
