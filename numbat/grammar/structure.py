"""What of a grammar decides which analyses a lattice has: all but weights and costs, words, names and places."""

from __future__ import annotations

from typing import Final

from numbat.grammar.model import Grammar
from numbat.grammar.remembered import remembered

OF_WORDS: Final = ("tokens", "lexicon", "guesses", "names", "spelling")
"""The fields of a grammar that say what words there are."""
OF_ANALYSES: Final = (
    "features",
    "leaves",
    "roots",
    "fragment_cost",
    "node_cost",
    "unary_limit",
    "semantics",
    "relations",
)
"""The fields of a grammar, beside its constructions, that decide which analyses there are."""
OF_CONSTRUCTIONS: Final = ("name", "head", "inherit", "feature_rules", "constituency")


@remembered
def structure(grammar: Grammar) -> tuple[object, ...]:
    """Equal for two grammars that give a lattice the same analyses, whatever these are worth."""
    constructions = [
        (
            *(getattr(each, name) for name in OF_CONSTRUCTIONS),
            tuple([(prop.relation, prop.operands, prop.features, prop.hard) for prop in each.properties]),
        )
        for each in grammar.constructions
    ]
    return (*(getattr(grammar, name) for name in OF_ANALYSES), tuple(constructions))


def has_same_words(one: Grammar, other: Grammar) -> bool:
    """Whether two grammars read a text as the same lattice, if they have one structure."""
    return all(getattr(one, name) == getattr(other, name) for name in OF_WORDS)
