"""Sentences from a grammar for experiments: well formed, or with exactly one property violated, and their twins.

Phrases are put together at random from words of the lexicon, bottom up. A phrase that violates nothing goes into a
pool; one that violates the chosen property and nothing else is put into larger phrases that violate nothing, up to a
root. Whatever comes out is parsed again, and kept only if its best parse says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from numbat.errors import UsageError
from numbat.gradience.repair import single_edits
from numbat.grammar.features import Bundle, bundles
from numbat.grammar.model import Construction, Grammar, Property
from numbat.grammar.printing import format_property
from numbat.parsing.chart import Constituent
from numbat.parsing.exact import characterized
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.source import close_match

ROUNDS: Final = 400
"""Attempts at a phrase of each construction while the pool is filled."""
ATTEMPTS: Final = 40_000
"""Attempts at a sentence before the search ends with what it has."""
MOST_OF_A_KIND: Final = 6
SIZES: Final = (1, 1, 2, 2, 2, 3, 3, 4)
"""Of how many daughters a phrase is made: short ones make plainer sentences."""
LONGEST: Final = 8
"""In words."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A sentence with its parse; `twin` is a well-formed sentence one edit away, None where none was found."""

    parse: Parse
    twin: Parse | None = None
    edit: str = ""

    @property
    def sentence(self) -> str:
        return " ".join(self.parse.lattice.tokens)


def property_named(text: str, grammar: Grammar) -> Property:
    """The property that is written `NP: Det < N`. Raises UsageError."""
    named = {f"{prop.construction}: {format_property(prop)}": prop for prop in grammar.properties}
    wanted = " ".join(text.split())
    for name, prop in named.items():
        if wanted.replace(" ", "") == name.replace(" ", ""):
            return prop
    hint = close_match(wanted, named) or 'write it as numbat show prints it, after its construction: "NP: Det < N"'
    raise UsageError(f'"{text}" is no property of the grammar\n  {hint}')


def generate(
    parser: Parser, number: int, seed: int = 0, violated: Property | None = None, attempts: int | None = None
) -> Iterator[Generated]:
    """Up to so many different sentences, each as soon as it is found; fewer where the search ends first."""
    made = _Maker(parser, Random(seed))
    made.fill()
    seen: set[str] = set()
    for tree in made.sentences(violated, attempts or ATTEMPTS):
        words = " ".join(word.form for word in tree.words())
        if words in seen:
            continue
        seen.add(words)
        parse = parser.parse(words)
        if not _is_as_wanted(parse, violated):
            continue
        yield Generated(parse) if violated is None else with_twin(parse, parser)
        number -= 1
        if number <= 0:
            return


def _is_as_wanted(parse: Parse, violated: Property | None) -> bool:
    if violated is None:
        return parse.is_well_formed
    return parse.is_full and {each.property for each in parse.violated} == {violated}


def with_twin(parse: Parse, parser: Parser) -> Generated:
    """The first single edit of the words of the violating phrase that makes the sentence well formed."""
    places = {i for each in parse.violated for i in range(each.constituent.start, each.constituent.end)}
    for edit in single_edits(parse.lattice, parser, places):
        mended = parser.parse(" ".join(slot.form for slot in edit.slots))
        if mended.is_well_formed:
            return Generated(parse, mended, edit.says)
    return Generated(parse)


class _Maker:
    """Puts phrases together. Constituents in the pool begin at position 0 and are shifted where they are used."""

    def __init__(self, parser: Parser, random: Random) -> None:
        self._parser = parser
        self._random = random
        self._table = parser.evaluator.table
        self._pool: dict[str, dict[Bundle, list[Constituent]]] = {}
        self._words()

    def _words(self) -> None:
        """Up to so many words of each kind, those first that are nothing else."""
        by_kind: dict[tuple[str, Bundle], list[str]] = {}
        readings = self._parser.words.readings
        for form, choices in readings.items():
            if " " not in form:
                for reading in choices:
                    for bundle in bundles(reading.features):
                        by_kind.setdefault((reading.category, bundle), []).append(form)
        for (category, bundle), forms in sorted(by_kind.items()):
            shuffled = self._random.sample(forms, len(forms))
            clear = sorted(shuffled, key=lambda form: len({reading.category for reading in readings[form]}))
            words = [Constituent(category, 1, bundle, form=form) for form in clear[:MOST_OF_A_KIND]]
            self._pool.setdefault(category, {})[bundle] = words

    def fill(self) -> None:
        """Build phrases without violations, small ones first."""
        for _ in range(ROUNDS):
            for form in self._table.constructions.values():
                phrase = self._attempt(form)
                if phrase is not None and not phrase.characterization.violated:
                    self._keep(phrase)

    def sentences(self, violated: Property | None, attempts: int) -> Iterator[Constituent]:
        """Roots of which one phrase violates just the property; without one, roots that violate nothing."""
        grammar = self._parser.grammar
        if violated is not None:
            form = self._table.constructions[violated.construction]
        for _ in range(attempts):
            if violated is None:
                found = self._attempt(self._random.choice(list(self._table.constructions.values())))
                bad = found is not None and bool(found.characterization.violated)
            else:
                found = self._attempt(form)
                bad = found is None or {i.property for i in found.characterization.violated} != {violated}
            if found is None or bad:
                continue
            for _ in range(8):
                top = self._lifted(found)
                if top is not None and grammar.is_root(top.construction, top.features):
                    yield top
                    break

    def _lifted(self, constituent: Constituent) -> Constituent | None:
        """A constituent in larger and larger phrases that violate nothing more, up to a root."""
        for _ in range(60):
            if self._parser.grammar.is_root(constituent.construction, constituent.features):
                return constituent
            form = self._random.choice(list(self._table.constructions.values()))
            if self._table.covers(form, constituent.construction, constituent.features):
                larger = self._attempt(form, constituent)
                if larger is not None and not larger.characterization.violated:
                    constituent = larger
        return None

    def _attempt(self, form: Construction, given: Constituent | None = None) -> Constituent | None:
        """A phrase over random daughters, one of them given; None where they make none."""
        wanted = form.constituency or tuple(leaf for prop in form.properties for leaf in prop.leaves())
        names = [name for name in dict.fromkeys(operand.category for operand in wanted) if self._pool.get(name)]
        number = self._random.choice(SIZES) - (given is not None)
        if not names and number:
            return None
        daughters = [self._drawn(self._random.choice(names)) for _ in range(number)]
        if given is not None:
            daughters.insert(self._random.randint(0, number), given)
        if not daughters or sum(each.cover.bit_count() for each in daughters) > LONGEST:
            return None
        placed = tuple(_in_a_row(daughters))
        if not all(self._table.covers(form, each.construction, each.features) for each in placed):
            return None
        if len(placed) == 1 and (
            placed[0].construction == form.name or placed[0].depth >= self._parser.grammar.unary_limit
        ):
            return None
        phrase = characterized(form, placed, self._parser.evaluator)
        triggered = any(instance.elements for instance in phrase.characterization.satisfied)
        return phrase if triggered else None

    def _drawn(self, name: str) -> Constituent:
        kinds = self._pool[name]
        return self._random.choice(kinds[self._random.choice(list(kinds))])

    def _keep(self, phrase: Constituent) -> None:
        alike = self._pool.setdefault(phrase.construction, {}).setdefault(phrase.features, [])
        if len(alike) < MOST_OF_A_KIND:
            alike.append(phrase)
        else:
            alike[self._random.randrange(MOST_OF_A_KIND)] = phrase


def _in_a_row(daughters: Sequence[Constituent]) -> Iterator[Constituent]:
    """The daughters one after the other."""
    start = 0
    for each in daughters:
        yield shifted(each, start - each.start)
        start += each.cover.bit_count()


def shifted(constituent: Constituent, by: int) -> Constituent:
    """The constituent so many positions further right."""
    if not by:
        return constituent
    cover = constituent.cover << by if by > 0 else constituent.cover >> -by
    return replace(constituent, cover=cover, daughters=tuple(shifted(each, by) for each in constituent.daughters))
