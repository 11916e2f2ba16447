"""Well-formed sentences of a wanted length, grown from given ones, for any grammar; and sentences corrupted in a word.

Constituents of the parses of the given sentences change places with longer ones of the same construction and features
until the sentence has the wanted length; it stays well formed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Final

from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Bundle
from numbat.parsing.parser import Parser
from numbat.records import frozen

SENTENCES: Final = 7
"""Sentences grown for each length, where so many could be grown in `MOST_GROWN` times as many trials."""
MOST_GROWN: Final = 6
MOST_TRIES: Final = 2_000
"""So many times a constituent of a sentence is tried to grow; then the sentence is given up."""


@frozen
class Grown:
    """A tree of a sentence that grows; `kind` is construction and features, a word has a form and no daughters."""

    kind: tuple[str, Bundle]
    form: str = ""
    daughters: tuple[Grown, ...] = ()
    size: int = 1

    def walk(self) -> Iterator[Grown]:
        yield self
        for daughter in self.daughters:
            yield from daughter.walk()

    def words(self) -> list[str]:
        return [node.form for node in self.walk() if not node.daughters]

    def replaced(self, place: int, other: Grown) -> Grown:
        """The tree with another one in place of the constituent that `walk` gives at a place."""
        if place == 0:
            return other
        place -= 1
        daughters = list(self.daughters)
        for i, daughter in enumerate(daughters):
            inside = sum(1 for _ in daughter.walk())
            if place < inside:
                daughters[i] = daughter.replaced(place, other)
                break
            place -= inside
        return Grown(self.kind, self.form, tuple(daughters), sum(each.size for each in daughters))


def grow(grammar: Grammar, texts: Iterable[str], lengths: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    """For each length, in rising order, well-formed sentences of so many words."""
    parser = Parser(grammar)
    parses = [parser.parse(text) for text in texts]
    seeds = [_tree(parse.constituents[0]) for parse in parses if parse.is_full and parse.is_well_formed]
    if not seeds:
        raise DataError("no sentence is well formed by this grammar\n  give some that are, with -i FILE")
    pool: dict[tuple[str, Bundle], list[Grown]] = {}
    for node in (node for seed in seeds for node in seed.walk()):
        pool.setdefault(node.kind, []).append(node)
    for length in sorted(lengths):
        sentences = []
        for number in range(SENTENCES * MOST_GROWN):
            rng = Random(f"{length} {number}")
            tree = _longer(rng.choice([seed for seed in seeds if seed.size <= length] or seeds), length, pool, rng)
            text = " ".join(tree.words())
            if tree.size == length and parser.parse(text).is_well_formed:
                sentences.append(text)
            if len(sentences) == SENTENCES:
                break
        if sentences:
            yield length, sentences


def _tree(constituent: Constituent) -> Grown:
    daughters = tuple(map(_tree, constituent.daughters))
    size = sum(daughter.size for daughter in daughters) or constituent.end - constituent.start
    return Grown((constituent.construction, constituent.features), constituent.form, daughters, size)


def _longer(tree: Grown, length: int, pool: Mapping[tuple[str, Bundle], Sequence[Grown]], rng: Random) -> Grown:
    """The tree, grown to the length, or as near to it as the pool allowed."""
    for _ in range(MOST_TRIES):
        if tree.size >= length:
            break
        nodes = list(tree.walk())
        place = rng.randrange(len(nodes))
        longest = nodes[place].size + length - tree.size
        longer = [other for other in pool.get(nodes[place].kind, ()) if nodes[place].size < other.size <= longest]
        if longer:
            tree = tree.replaced(place, rng.choice(longer))
    return tree


def corrupted(text: str, rng: Random) -> str:
    """The sentence with one word dropped, doubled or swapped with the next one."""
    words = text.split()
    place = rng.randrange(max(len(words) - 1, 1))
    match rng.choice(("dropped", "doubled", "swapped")):
        case "dropped":
            del words[place]
        case "doubled":
            words.insert(place, words[place])
        case _:
            words[place : place + 2] = reversed(words[place : place + 2])
    return " ".join(words)
