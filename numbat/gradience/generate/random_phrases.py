"""Phrases put together at random from words of a lexicon, bottom up, small ones first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.gradience.generate.tried import Tried
from numbat.grammar.model import Construction
from numbat.grammar.properties import Bundle, Property, bundles
from numbat.parsing.parser import Parser
from numbat.parsing.phases.phases import is_legal_chain
from numbat.parsing.policies import Overdue, never
from numbat.words.example_words import ExampleWords

ROUNDS: Final = 400
"""Attempts at a phrase of each construction while the pool is filled."""
MOST_OF_A_KIND: Final = 6
SIZES: Final = (1, 1, 2, 2, 2, 3, 3, 4)
"""Of how many daughters a phrase is made: short ones make plainer sentences."""


class RandomPhrases:
    """Puts phrases together at random, from plain words, or without a examples of those from any.

    Constituents in the pool begin at position 0 and are shifted where they are used.
    """

    def __init__(
        self,
        parser: Parser,
        random: Random,
        examples: ExampleWords | None,
        longest: int,
        tried: Tried,
        overdue: Overdue = never,
    ) -> None:
        self._parser, self._tried, self._overdue = parser, tried, overdue
        self._random = random
        self._longest = longest
        self._table = parser.evaluator.table
        self._pool: dict[str, dict[Bundle, list[Constituent]]] = {}
        for category, kinds in self._every() if examples is None else self._plain(examples):
            self._pool[category] = {
                bundle: [Constituent(category, 1, bundle, form=form) for form in forms[:MOST_OF_A_KIND]]
                for bundle, forms in kinds.items()
            }
        self.fill()

    def _plain(self, examples: ExampleWords) -> Iterator[tuple[str, dict[Bundle, list[str]]]]:
        """Plain words of each category by kind; of the kinds those that are in use, if any is."""
        for category in sorted(examples.categories):
            kinds = examples.of(category)
            used = {
                bundle: common
                for bundle, forms in kinds.items()
                if (common := [form for form in forms if examples.counts.get(form)])
            }
            yield category, used or kinds

    def _every(self) -> Iterator[tuple[str, dict[Bundle, list[str]]]]:
        """All words of each category by kind; words that have no other category come first."""
        by_kind: dict[str, dict[Bundle, list[str]]] = {}
        readings = self._parser.words.readings
        for form, choices in readings.items():
            if " " not in form:
                for reading in choices:
                    for bundle in bundles(reading.features):
                        by_kind.setdefault(reading.category, {}).setdefault(bundle, []).append(form)
        for category, kinds in sorted(by_kind.items()):
            shuffled = {bundle: self._random.sample(forms, len(forms)) for bundle, forms in sorted(kinds.items())}
            for forms in shuffled.values():
                forms.sort(key=lambda form: len({reading.category for reading in readings[form]}))
            yield category, shuffled

    def fill(self) -> None:
        """Build phrases without violations, small ones first."""
        for _ in range(ROUNDS):
            if self._overdue():
                return
            for form in self._table.constructions.values():
                phrase = self._attempt(form)
                if phrase is not None and not phrase.characterization.violated:
                    self._keep(phrase)

    def sentences(self, violated: Property | None, roots: frozenset[str], attempts: int) -> Iterator[list[str]]:
        """Roots of these names of which one phrase violates just the property; without one, that violate nothing."""
        named = [form for name, form in self._table.constructions.items() if name in roots]
        wanted = set() if violated is None else {violated}
        for _ in range(attempts):
            if self._overdue():
                return
            form = self._random.choice(named) if violated is None else self._table.constructions[violated.construction]
            found = self._attempt(form)
            if found is None or not self._tried.phrase({i.property for i in found.characterization.violated}, wanted):
                continue
            for _ in range(8):
                top = self._lifted(found, roots)
                if top is not None:
                    words = _words(top)
                    self._tried.root(len(words))
                    yield words
                    break

    def _lifted(self, constituent: Constituent, roots: frozenset[str]) -> Constituent | None:
        """A root around the constituent, by way of phrases that violate nothing more; None if none is found."""
        for _ in range(60):
            name = constituent.construction
            if name in roots and self._parser.grammar.is_root(name, constituent.features):
                return constituent
            form = self._random.choice(list(self._table.constructions.values()))
            if self._table.covers(form, constituent.construction, constituent.features):
                larger = self._attempt(form, constituent)
                if larger is not None and not larger.characterization.violated:
                    constituent = larger
        return None

    def _attempt(self, form: Construction, given: Constituent | None = None) -> Constituent | None:
        """A phrase over random daughters, one of them given; None where they make none."""
        self._tried.steps += 1
        names = [name for name in dict.fromkeys(each.category for each in form.daughters) if self._pool.get(name)]
        number = self._random.choice(SIZES) - (given is not None)
        if not names and number:
            return None
        daughters = [self._drawn(self._random.choice(names)) for _ in range(number)]
        if given is not None:
            daughters.insert(self._random.randint(0, number), given)
        if not daughters or sum(each.cover.bit_count() for each in daughters) > self._longest:
            return None
        placed = tuple(_in_a_row(daughters))
        if not all(self._table.covers(form, each.construction, each.features) for each in placed):
            return None
        if not is_legal_chain(form.name, placed, self._parser.grammar.unary_limit):
            return None
        phrase = evaluated_phrase(form, placed, self._parser.evaluator)
        triggered = any(instance.elements for instance in phrase.characterization.satisfied)
        return phrase if triggered else None

    def _drawn(self, name: str) -> Constituent:
        kinds = self._pool[name]
        return self._random.choice(kinds[self._random.choice(list(kinds))])

    def _keep(self, phrase: Constituent) -> None:
        """Add a phrase to the pool, the same words once: short ones, found again and again, drive out no long ones."""
        alike = self._pool.setdefault(phrase.construction, {}).setdefault(phrase.features, [])
        if _words(phrase) in map(_words, alike):
            return
        if len(alike) < MOST_OF_A_KIND:
            alike.append(phrase)
        else:
            alike[self._random.randrange(MOST_OF_A_KIND)] = phrase


def _words(phrase: Constituent) -> list[str]:
    return [word.form for word in phrase.words()]


def _in_a_row(daughters: Sequence[Constituent]) -> Iterator[Constituent]:
    """The daughters one after the other."""
    start = 0
    for each in daughters:
        yield shifted(each, start - each.start)
        start += each.cover.bit_count()


def shifted(constituent: Constituent, by: int) -> Constituent:
    """The constituent moved so many positions to the right."""
    if not by:
        return constituent
    cover = constituent.cover << by if by > 0 else constituent.cover >> -by
    return constituent._replace(cover=cover, daughters=tuple(shifted(each, by) for each in constituent.daughters))
