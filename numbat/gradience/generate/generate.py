"""Sentences from a grammar for experiments: well formed, or with exactly one property violated, and their twins.

Packaged grammars come with sentences, whose patterns are filled anew (`patterns`). Where there are none, or too few,
phrases are put together at random from words of the lexicon, bottom up, plain words first. A phrase that violates
nothing goes into a pool; one that violates the chosen property and nothing else is put into larger phrases that violate
nothing, up to a root. Whatever comes out is parsed again, and kept only if its best parse says the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from numbat.errors import DataError, UsageError, close_match
from numbat.gradience.generate.generated import ANY, Generated, SentenceShape
from numbat.gradience.generate.patterns import PhrasePatterns
from numbat.gradience.generate.random_phrases import RandomPhrases
from numbat.gradience.generate.tried import Tried
from numbat.gradience.generate.twins import twin_of
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits, Overdue
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.example_words import ExampleWords
from numbat.words.lexical_lookup import detokenize

ATTEMPTS: Final = 40_000
"""Attempts at a sentence before the search ends with what it has."""
STEPS: Final = 100_000
"""Steps of a search before it ends likewise: a seed decides what is found, not the speed of the machine."""
SHORTEST: Final = 3
"""In words: shorter ones are taken where there are no others."""
MET: Final = 1_000
BEYOND: Final = 1.5
"""After so many sentences the search does not go on for such as have this many times the words of the longest one."""


def generate(
    parser: Parser,
    number: int,
    seed: int = 0,
    violated: Property | None = None,
    attempts: int | None = None,
    shape: SentenceShape = ANY,
    seconds: float | None = None,
    tried: Tried | None = None,
) -> Iterator[Generated]:
    """Up to so many different sentences, each as soon as it is found; fewer where the search ends first.

    The search ends after `STEPS` steps for all of them, or earlier after so many `seconds`; `tried` counts what it did.

    Raises UsageError for a root that the grammar does not have, and for a grammar without constructions; DataError for
    a length that its sentences are far from.
    """
    roots = _roots(shape, parser.grammar)
    search = _Search(parser, seed, violated, shape, roots, tried or Tried(), Limits(seconds=seconds).clock())
    return search.sentences(number, (attempts or ATTEMPTS) // 3)


@frozen
class _Search:
    """A search for sentences of a shape; `named` are the roots that are asked for."""

    parser: Parser
    seed: int
    violated: Property | None
    shape: SentenceShape
    named: list[str]
    tried: Tried
    clock: Overdue

    def sentences(self, number: int, attempts: int) -> Iterator[Generated]:
        """Up to so many sentences, each as soon as it is found."""
        tried, shape = self.tried, self.shape
        seen: set[str] = set()
        for made, roots, least in self._passes():
            for words in made.sentences(self.violated, roots, attempts):
                text = detokenize(words, self.parser.words)
                if text in seen or not least <= len(words) <= shape.most:
                    continue
                seen.add(text)
                tried.fitting += 1
                tried.parse()
                parse = self.parser.parse(text, overdue=self.clock)
                if self._is_as_wanted(parse, roots):
                    tried.kept += 1
                    alone = self.violated is None
                    yield Generated(parse) if alone else twin_of(parse, self.parser, self.clock, tried.parse)
                if tried.kept >= number:
                    return
            tried.late = self.clock()
            if tried.roots >= MET and shape.least is not None and shape.least > BEYOND * tried.longest:
                raise DataError(
                    f"no sentence of {shape.least} words or more: the longest that was put together has"
                    f" {tried.longest}\n  ask for shorter ones"
                )
            if self._is_over():
                return

    def _is_over(self) -> bool:
        return self.tried.steps >= STEPS or self.clock()

    def _passes(self) -> Iterator[tuple[PhrasePatterns | RandomPhrases, frozenset[str], int]]:
        """What makes sentences, with roots and a least length, the plainest first: patterns, then random phrases."""
        parser, shape, tried, overdue = self.parser, self.shape, self.tried, self._is_over
        least = SHORTEST if shape.least is None else shape.least
        first = frozenset(self.named[:1] if parser.grammar.roots else self.named)
        every = frozenset(self.named)
        examples = ExampleWords(parser.words)
        patterns = PhrasePatterns(parser, examples, Random(self.seed), tried, overdue)
        yield patterns, first, least
        if first != every:
            yield patterns, every, least
        yield RandomPhrases(parser, Random(self.seed), examples, shape.most, tried, overdue), first, least
        yield RandomPhrases(parser, Random(self.seed), None, shape.most, tried, overdue), every, shape.least or 1

    def _is_as_wanted(self, parse: Parse, roots: frozenset[str]) -> bool:
        if parse.stopped_by:
            return False
        found = {each.property for each in parse.violated}
        wanted = set() if self.violated is None else {self.violated}
        if parse.is_full and parse.constituents[0].construction in roots and found == wanted:
            return True
        self.tried.parsed(found, wanted, parse.is_full)
        return False


def _roots(shape: SentenceShape, grammar: Grammar) -> list[str]:
    """The names of the roots that are asked for, the first of the grammar first; a root that is a leaf is none."""
    phrases = [each.name for each in grammar.constructions]
    if not phrases:
        raise UsageError(
            "there is no construction, so there is no sentence to make\n  describe a phrase in the grammar"
        )
    named = [root.category for root in grammar.roots if root.category in phrases] if grammar.roots else phrases
    if not named:
        raise UsageError("no root is a construction, so there is no sentence to make\n  add one to the roots")
    if shape.root is None:
        return named
    if shape.root not in named:
        hint = close_match(shape.root, named) or f"the roots are: {', '.join(dict.fromkeys(named))}"
        raise UsageError(f'"{shape.root}" is no root of the grammar\n  {hint}')
    return [shape.root]
