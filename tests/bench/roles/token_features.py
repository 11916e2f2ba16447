"""Features of a token for a classifier: like those of a candidate, without the ends of phrases."""

from __future__ import annotations

from typing import Final

from tests.bench.roles.candidates import leaf_at
from tests.bench.roles.features import labels_up, predicate_values, size_class
from tests.bench.roles.hashing import Values, templates
from tests.bench.roles.reading import Node, Proposition

EDGE: Final = "<edge>"
TEMPLATES: Final = templates("""
roleset: - | path | position | position voice | word | tag | phrase | phrase position voice | up
lemma: - | path | position voice | word | phrase position | up
kind: - | path | path voice | position tag | distance
word: - | position | phrase kind
tag: - | position voice | next_tag position | before_tag position | distance kind
path: - | voice | tag | voice kind | subcategorisation
up: - | phrase | phrase kind | voice
phrase: - | position kind voice | distance kind
before_word: - | position kind
next_word: - | position kind
before_tag: tag next_tag
auxiliaries: phrase position
bias: -
""")


def token_values(proposition: Proposition) -> list[Values]:
    """The named values of each token of a proposition."""
    predicate = leaf_at(proposition.tree, proposition.predicate)
    shared = predicate_values(proposition, predicate)
    over = {id(predicate), *map(id, predicate.ancestors())}
    return [shared | _values(proposition, predicate, over, i) for i in range(len(proposition.tokens))]


def _values(proposition: Proposition, predicate: Node, over: set[int], token: int) -> Values:
    words, tags = proposition.tokens, proposition.tags
    leaf = leaf_at(proposition.tree, token)
    phrase = leaf
    while phrase.parent is not None and id(phrase.parent) not in over:
        phrase = phrase.parent
    common = phrase.parent or phrase
    ups, downs = labels_up(predicate, common), labels_up(leaf, common)
    away = token - proposition.predicate
    return {
        "word": words[token].lower(),
        "tag": tags[token],
        "before_word": words[token - 1].lower() if token else EDGE,
        "next_word": words[token + 1].lower() if token + 1 < len(words) else EDGE,
        "before_tag": tags[token - 1] if token else EDGE,
        "next_tag": tags[token + 1] if token + 1 < len(words) else EDGE,
        "position": "before" if away < 0 else "after" if away else "here",
        "distance": f"{'-' if away < 0 else '+'}{size_class(abs(away))}",
        "up": "^".join(ups),
        "path": f"{'^'.join(ups)}!{'!'.join(reversed(downs[1:-1]))}",
        "phrase": downs[-2] if len(downs) > 1 else EDGE,
    }
