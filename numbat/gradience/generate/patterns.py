"""Plain sentences made after the phrases of the sentences that come with a packaged grammar, with other words.

A pattern is a phrase's kind (construction and features) with the kinds of its daughters. What a phrase satisfies and
violates depends on nothing else, so phrases may be put together from patterns without a violation; one pattern that is
disturbed may violate a property that was chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.gradience.generate.tried import Tried
from numbat.grammar.properties import Property
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Overdue, never
from numbat.words.example_words import ExampleWords, Kind, packaged_sentences

LEARNED: Final = 100
"""At most so many sentences are parsed for their patterns."""
LONGEST: Final = 9
"""Sentences of more words are not learned from."""
DEEPEST: Final = 8
FORMS: Final = 12
"""At most so many forms of each kind of word are used."""

Pattern = tuple[Kind, tuple[Kind, ...]]


class PhrasePatterns:
    """The patterns of some of the sentences that come with a grammar; none where it is not packaged."""

    def __init__(
        self, parser: Parser, examples: ExampleWords, random: Random, tried: Tried, overdue: Overdue = never
    ) -> None:
        self._parser, self._random, self._tried, self._overdue = parser, random, tried, overdue
        self._words: dict[Kind, list[str]] = {}
        self._examples = examples
        self._by_kind: dict[Kind, list[Pattern]] = {}
        self._above: dict[Kind, list[Pattern]] = {}
        short = [text for text in packaged_sentences(parser.grammar) if len(text.split()) <= LONGEST]
        for text in random.sample(short, min(LEARNED, len(short))):
            if overdue():
                break
            tried.parse()
            parse = parser.parse(text)
            # Rewritten words, as in "au" for "à le", are not put together again.
            if parse.is_well_formed and all(token in text for token in parse.lattice.tokens):
                for top in parse.constituents:
                    self._learn(top)

    def _learn(self, top: Constituent) -> None:
        for each in top.walk():
            if each.is_word:
                self._words.setdefault(_kind(each), self._forms(each))
            else:
                pattern = _kind(each), tuple(map(_kind, each.daughters))
                self._by_kind.setdefault(_kind(each), []).append(pattern)
                for kind in pattern[1]:
                    self._above.setdefault(kind, []).append(pattern)

    def _forms(self, word: Constituent) -> list[str]:
        forms = self._examples.of(word.construction).get(word.features, [])
        plain = [form for form in forms if self._examples.counts.get(form)][:FORMS]
        lower = word.form.lower()
        return plain or [lower if self._parser.words.readings.get(lower) else word.form]

    def sentences(self, violated: Property | None, roots: frozenset[str], attempts: int) -> Iterator[list[str]]:
        """The words of roots that violate nothing, or of which one phrase violates the property and nothing else."""
        every = [pattern for found in self._by_kind.values() for pattern in found]
        name = None if violated is None else violated.construction
        start = [each for each in every if (each[0][0] == name if name else self._is_root(each[0], roots))]
        for _ in range(attempts if start else 0):
            if self._overdue():
                return
            self._tried.steps += 1
            kind, daughters = self._random.choice(start)
            if violated is not None:
                disturbed = self._disturbed(kind, daughters, violated)
                if disturbed is None:
                    continue
                kind, daughters = disturbed
            else:
                self._tried.phrase(set(), set())
            filled = [self._filled(each, 0) for each in daughters]
            words = [word for each in filled if each for word in each]
            lifted = self._lifted(kind, words, roots) if all(filled) else None
            if lifted:
                self._tried.root(len(lifted))
                yield lifted

    def _is_root(self, kind: Kind, roots: frozenset[str]) -> bool:
        return kind[0] in roots and self._parser.grammar.is_root(*kind)

    def _filled(self, kind: Kind, depth: int) -> list[str]:
        """Words for a constituent of a kind; none where that goes too deep."""
        if kind in self._words:
            return [self._random.choice(self._words[kind])]
        if depth == DEEPEST:
            return []
        parts = [self._filled(each, depth + 1) for each in self._random.choice(self._by_kind[kind])[1]]
        return [word for part in parts for word in part] if all(parts) else []

    def _lifted(self, kind: Kind, words: list[str], roots: frozenset[str]) -> list[str] | None:
        """The words of a root that contains the words, in larger and larger phrases; None if none is found."""
        for _ in range(DEEPEST):
            if self._is_root(kind, roots):
                return words
            if kind not in self._above:
                return None
            above, daughters = self._random.choice(self._above[kind])
            place = self._random.choice([i for i, each in enumerate(daughters) if each == kind])
            parts = [words if i == place else self._filled(each, 0) for i, each in enumerate(daughters)]
            if not all(parts):
                return None
            kind, words = above, [word for part in parts for word in part]
        return None

    def _disturbed(self, kind: Kind, daughters: Sequence[Kind], violated: Property) -> Pattern | None:
        """A pattern with one daughter moved, left out, added or replaced, if that violates just the property."""
        others = list(daughters)
        place = self._random.randrange(len(others))
        one = others[place]
        change = self._random.randrange(4)
        if change != 3:
            del others[place]
        if change == 0:
            others.insert(self._random.randint(0, len(others)), one)
        elif change > 1:
            named = {leaf.category for leaf in violated.all_operands()} | {one[0]}
            kinds = [each for each in (*self._words, *self._by_kind) if each[0] in named]
            if kinds:
                others.insert(place, self._random.choice(kinds))
        form = self._parser.evaluator.table.constructions[kind[0]]
        row = tuple(Constituent(name, 1 << i, features) for i, (name, features) in enumerate(others))
        if not row or not all(self._parser.evaluator.table.covers(form, *each) for each in others):
            return None
        made = evaluated_phrase(form, row, self._parser.evaluator)
        if not self._tried.phrase({each.property for each in made.characterization.violated}, {violated}):
            return None
        return _kind(made), tuple(others)


def _kind(constituent: Constituent) -> Kind:
    return constituent.construction, constituent.features
