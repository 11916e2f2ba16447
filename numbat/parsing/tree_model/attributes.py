"""What templates see: the attributes of words, and the keys of symbols and states, all as 32-bit hashes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Final
from zlib import crc32

from numbat.parsing.treebank_grammar.expansions import Symbol
from numbat.parsing.treebank_grammar.forest import categories
from numbat.parsing.treebank_grammar.markov import MarkovGrammar

MARGIN: Final = 2
"""So many places before the first and after the last word can be looked at."""
BEFORE, AFTER = 1, 2
OPEN_CLASSES: Final = "ANVJR"
"""What tags of open classes begin with: in the tag sets of the Penn, French and Universal Dependencies treebanks."""


@lru_cache(maxsize=50_000)
def _attributes(form: str, tag: str) -> tuple[int, ...]:
    word = form.lower()
    open_class = tag[:1] in OPEN_CLASSES
    known = tag if open_class else word
    named = ("w" + word, "t" + tag, "s" + word[-3:], "h" + shape(form), "p" + word[:3], "c" + known)
    return tuple([crc32(each.encode("utf-8", "surrogatepass")) for each in named])


def shape(form: str) -> str:
    """A form with every capital as X, small letter as x, digit as d, and no more than two alike in a row."""
    kinds = "".join("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in form)
    return re.sub(r"(.)\1+", r"\1\1", kinds)


def token_attributes(tokens: Sequence[tuple[str, str]]) -> array[int]:
    """The attributes of forms with their tags: all of the first attribute, then of the next."""
    rows = [_attributes(form, tag) for form, tag in tokens]
    found = array("I")
    for column in range(len(_attributes("", ""))):
        found.extend([BEFORE] * MARGIN + [row[column] for row in rows] + [AFTER] * MARGIN)
    return found


class GrammarKeys:
    """The keys of the symbols, states and categories of a grammar, which are the same in grammars of other counts."""

    def __init__(self, grammar: MarkovGrammar) -> None:
        symbols, states = grammar.symbols, tuple(grammar.states)
        self.label = _keys("L" + symbol.label for symbol in symbols)
        self.plain = _keys(f"P{symbol.label}^{symbol.above}" for symbol in symbols)
        self.full = _keys(f"F{symbol}" for symbol in symbols)
        self.state_label = _keys("L" + phrase.label for phrase, _ in states)
        self.state_plain = _keys(f"P{phrase.label}^{phrase.above}" for phrase, _ in states)
        self.state_full = _keys(f"S{phrase} {_row(history)}" for phrase, history in states)
        self.state_last = _keys("L" + (history[-1].label if history else "") for _, history in states)
        self.state_history = _keys("H" + " ".join(each.label for each in history) for _, history in states)
        self.category = _keys("C" + label for label in categories(grammar)[0])

    @cached_property
    def packed(self) -> tuple[bytes, ...]:
        """All in the order in which the compiled search takes them."""
        return tuple(column.tobytes() for column in self.columns)

    @property
    def columns(self) -> tuple[array[int], ...]:
        states = (self.state_label, self.state_plain, self.state_full, self.state_last, self.state_history)
        return (self.label, self.plain, self.full, *states, self.category)


def _row(history: Iterable[Symbol]) -> str:
    return " ".join(map(str, history))


def _keys(names: Iterable[str]) -> array[int]:
    return array("I", [crc32(name.encode("utf-8", "surrogatepass")) for name in names])
