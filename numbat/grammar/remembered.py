"""What is worked out of a grammar once, and kept as long as the grammar is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import ref

if TYPE_CHECKING:
    from numbat.grammar.model import Grammar

Value = TypeVar("Value")


def remembered(function: Callable[[Grammar], Value]) -> Callable[[Grammar], Value]:
    """The function, asked once for each grammar, by identity: to hash a grammar by value would walk all of it."""
    known: dict[int, tuple[ref[Grammar], Value]] = {}

    @wraps(function)
    def asked(grammar: Grammar) -> Value:
        key = id(grammar)
        found = known.get(key)
        if found is None or found[0]() is not grammar:
            found = known[key] = ref(grammar, lambda _: known.pop(key, None)), function(grammar)
        return found[1]

    return asked
