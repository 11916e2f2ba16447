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

from numbat.errors import DataError, UsageError
from numbat.gradience.generate.generated import ANY, Generated, SentenceShape
from numbat.gradience.generate.patterns import PhrasePatterns
from numbat.gradience.generate.random_phrases import RandomPhrases
from numbat.gradience.models.scores import scorer
from numbat.gradience.repair.edits import KINDS
from numbat.gradience.repair.repair import repairs
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.source import close_match
from numbat.words.detokenize import detokenize
from numbat.words.example_words import ExampleWords

ATTEMPTS: Final = 40_000
"""Attempts at a sentence before the search ends with what it has."""
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
) -> Iterator[Generated]:
    """Up to so many different sentences, each as soon as it is found; fewer where the search ends first.

    Raises UsageError for a root that the grammar does not have, and for a grammar without constructions; DataError for
    a length that its sentences are far from.
    """
    roots = _roots(shape, parser.grammar)
    return _generated(parser, number, seed, violated, (attempts or ATTEMPTS) // 3, shape, roots)


def _generated(
    parser: Parser,
    number: int,
    seed: int,
    violated: Property | None,
    tries: int,
    shape: SentenceShape,
    named: list[str],
) -> Iterator[Generated]:
    seen: set[str] = set()
    met = longest = 0
    for made, roots, least in _passes(parser, seed, shape, named):
        for words in made.sentences(violated, roots, tries):
            met, longest = met + 1, max(longest, len(words))
            text = detokenize(words, parser.words)
            if text in seen or not least <= len(words) <= shape.most:
                continue
            seen.add(text)
            parse = parser.parse(text)
            if _is_as_wanted(parse, violated, roots):
                yield Generated(parse) if violated is None else with_twin(parse, parser)
                number -= 1
            if number <= 0:
                return
        if met >= MET and shape.least is not None and shape.least > BEYOND * longest:
            raise DataError(
                f"no sentence of {shape.least} words or more: the longest that was put together has {longest}\n"
                "  ask for shorter ones"
            )


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


def _passes(
    parser: Parser, seed: int, shape: SentenceShape, named: list[str]
) -> Iterator[tuple[PhrasePatterns | RandomPhrases, frozenset[str], int]]:
    """What makes sentences, with roots and a least length, the plainest first: patterns, then random phrases."""
    least = SHORTEST if shape.least is None else shape.least
    first, every = frozenset(named[:1] if parser.grammar.roots else named), frozenset(named)
    examples = ExampleWords(parser.words)
    patterns = PhrasePatterns(parser, examples, Random(seed))
    yield patterns, first, least
    if first != every:
        yield patterns, every, least
    yield RandomPhrases(parser, Random(seed), examples, shape.most), first, least
    yield RandomPhrases(parser, Random(seed), None, shape.most), every, shape.least or 1


def _is_as_wanted(parse: Parse, violated: Property | None, roots: frozenset[str]) -> bool:
    if not parse.is_full or parse.constituents[0].construction not in roots:
        return False
    return {each.property for each in parse.violated} == ({violated} if violated is not None else set())


def with_twin(parse: Parse, parser: Parser) -> Generated:
    """The least single edit that makes the sentence well formed; one that keeps its words where there is one."""
    for kinds in (("swap", "move"), KINDS):
        mended = repairs(parse, parser, scorer("cost"), most=1, kinds=kinds)
        if mended and mended[0].parse.is_well_formed:
            return Generated(parse, mended[0].parse, mended[0].edits[0].says)
    return Generated(parse)
