"""What a label stands for: a category, or one with features."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from numbat.automata.records import Kind

_WITH_FEATURES: Final = re.compile(r"([^\[\]]+)\[([^\[\]]*)\]")


@lru_cache(maxsize=10_000)
def kind_of(label: str) -> Kind:
    """The category and the features of a label: `N[number=sg]`; a label of another form is a category."""
    match = _WITH_FEATURES.fullmatch(label)
    if match is None:
        return label, ()
    pairs = [pair.partition("=") for pair in match[2].split(",")]
    if not all(equals and "|" not in value for _, equals, value in pairs):
        return label, ()
    return match[1], tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))
