"""The phrases that may be arguments of a predicate, by the heuristic of Xue & Palmer (2004).

From the predicate up to the root, the sisters of each node are candidates, and the children of sisters that are PPs.
Unlike in the original heuristic, sisters in a coordination stay, because shared arguments, mostly objects, are among
them. Punctuation, conjunctions, auxiliaries and prepositions alone are not candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.bench.roles.reading import Node, Proposition

PUNCTUATION: Final = frozenset({".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "SYM", "ADD"})
AUXILIARIES: Final = frozenset({"MD", "TO", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
NEVER: Final = PUNCTUATION | AUXILIARIES | {"CC", "POS"}
"""Tags of words that cannot be an argument alone."""
PREPOSITIONS: Final = frozenset({"IN", "TO"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A phrase, its sister among the predicate and its ancestors, and whether the phrase is inside a PP sister."""

    node: Node
    beside: Node
    within: bool = False


def candidates_of(proposition: Proposition) -> list[Candidate]:
    """The candidates in the order of their first token, the longer first; one for each span."""
    found: dict[tuple[int, int], Candidate] = {}
    for candidate in _sisters(leaf_at(proposition.tree, proposition.predicate)):
        found.setdefault(candidate.node.span, candidate)
    return sorted(found.values(), key=lambda each: (each.node.start, -each.node.end))


def _sisters(predicate: Node) -> Iterator[Candidate]:
    beside = predicate
    for parent in predicate.ancestors():
        for sister in parent.children:
            if sister is not beside and sister.label not in NEVER:
                yield Candidate(sister, beside)
                if bare(sister.label) == "PP":
                    excluded = NEVER | PREPOSITIONS
                    yield from (Candidate(each, beside, True) for each in sister.children if each.label not in excluded)
        beside = parent


def leaf_at(tree: Node, token: int) -> Node:
    """The leaf over a token."""
    node = tree
    while node.children:
        node = next(child for child in node.children if child.start <= token < child.end)
    return node


def bare(label: str) -> str:
    """A label without functions: NP of NP-SBJ."""
    return label.split("-")[0] or label


def recall(propositions: Sequence[Proposition]) -> tuple[int, int, int]:
    """Return the number of gold arguments that are candidates, of gold arguments, and of candidates."""
    hit = total = offered = 0
    for proposition in propositions:
        spans = {each.node.span for each in candidates_of(proposition)}
        offered += len(spans)
        total += len(proposition.gold)
        hit += sum((start, end) in spans for start, end, _ in proposition.gold)
    return hit, total, offered
