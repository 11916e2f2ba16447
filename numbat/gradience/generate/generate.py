"""Sentences from a grammar for experiments: well formed, or with exactly one property violated, and their twins.

Packaged grammars come with sentences, whose patterns are filled anew (`patterns`). Where there are none, or too few,
phrases are put together at random from words of the lexicon, bottom up, plain words first. A phrase that violates
nothing goes into a pool; one that violates the chosen property and nothing else is put into larger phrases that violate
nothing, up to a root. Whatever comes out is parsed again, and kept only if its best parse says the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from numbat.errors import DataError, UsageError
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.phrase_templates import evaluated_phrase
from numbat.gradience.generate.patterns import Patterns
from numbat.gradience.models.scores import scorer
from numbat.gradience.repair.edits import KINDS
from numbat.gradience.repair.repair import repairs
from numbat.grammar.features import Bundle, bundles
from numbat.grammar.model import Construction, Grammar, Property
from numbat.grammar.printing import format_named
from numbat.grammar.relations import BUILT_IN
from numbat.parsing.parser import Parser
from numbat.parsing.phases.phases import is_legal_chain
from numbat.parsing.result import Parse
from numbat.source import close_match
from numbat.words.detokenize import detokenize
from numbat.words.example_words import ExampleWords

ROUNDS: Final = 400
"""Attempts at a phrase of each construction while the pool is filled."""
ATTEMPTS: Final = 40_000
"""Attempts at a sentence before the search ends with what it has."""
MOST_OF_A_KIND: Final = 6
SIZES: Final = (1, 1, 2, 2, 2, 3, 3, 4)
"""Of how many daughters a phrase is made: short ones make plainer sentences."""
SHORTEST: Final = 3
"""In words: shorter ones are taken where there are no others."""
LONGEST: Final = 8
MET: Final = 1_000
BEYOND: Final = 1.5
"""After so many sentences the search does not go on for such as have this many times the words of the longest one."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A sentence with its parse; `twin` is a well-formed sentence one edit away, None where none was found."""

    parse: Parse
    twin: Parse | None = None
    edit: str = ""

    @property
    def sentence(self) -> str:
        return self.parse.lattice.text


@dataclass(frozen=True, slots=True)
class Shape:
    """What sentences are to be: of which root, and of how many words. Without a root, the first of the grammar."""

    root: str | None = None
    least: int | None = None
    most: int = LONGEST


ANY: Final = Shape()


def property_named(text: str, grammar: Grammar) -> Property:
    """The property that is written `NP: Det < N`. Raises UsageError."""
    named = {format_named(prop): prop for prop in grammar.properties}
    wanted = " ".join(text.split())
    for name, prop in named.items():
        if wanted.replace(" ", "") == name.replace(" ", ""):
            return prop
    raise UsageError(f'"{text}" is no property of the grammar\n  {_meant(wanted, named)}')


def _meant(wanted: str, named: Mapping[str, Property]) -> str:
    """What to write instead: a property of the relation that is named, one with the same operands, or a near one."""
    signs = {relation.name: relation.symbol for relation in BUILT_IN}
    of_relation = {name: {prop.relation, signs.get(prop.relation, prop.relation)} for name, prop in named.items()}
    if named_after := [name for name, ways in of_relation.items() if wanted.lower() in ways]:
        return f'name one of its properties, as in "{named_after[0]}"'
    pieces = _PIECES.findall(wanted.lower())
    if swapped := [name for name in named if sorted(_PIECES.findall(name.lower())) == sorted(pieces)]:
        return f'did you mean "{swapped[0]}"?'
    alike = [name for name, ways in of_relation.items() if not ways.isdisjoint(pieces)]
    example = 'write it as numbat show prints it, after its construction: "NP: Det < N"'
    return close_match(wanted, alike) or close_match(wanted, named) or example


_PIECES: Final = re.compile(r"\w+|=>|~>|[^\w\s]")


def generate(
    parser: Parser,
    number: int,
    seed: int = 0,
    violated: Property | None = None,
    attempts: int | None = None,
    shape: Shape = ANY,
) -> Iterator[Generated]:
    """Up to so many different sentences, each as soon as it is found; fewer where the search ends first.

    Raises UsageError for a root that the grammar does not have, and for a grammar without constructions; DataError for
    a length that its sentences are far from.
    """
    roots = _roots(shape, parser.grammar)
    return _generated(parser, number, seed, violated, (attempts or ATTEMPTS) // 3, shape, roots)


def _generated(
    parser: Parser, number: int, seed: int, violated: Property | None, tries: int, shape: Shape, named: list[str]
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


def _roots(shape: Shape, grammar: Grammar) -> list[str]:
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
    parser: Parser, seed: int, shape: Shape, named: list[str]
) -> Iterator[tuple[Patterns | _Maker, frozenset[str], int]]:
    """From patterns to any phrases, from the first root to any, from plain words to all, at last short sentences."""
    least = SHORTEST if shape.least is None else shape.least
    first, every = frozenset(named[:1] if parser.grammar.roots else named), frozenset(named)
    examples = ExampleWords(parser.words)
    patterns = Patterns(parser, examples, Random(seed))
    yield patterns, first, least
    if first != every:
        yield patterns, every, least
    yield _Maker(parser, Random(seed), examples, shape.most), first, least
    yield _Maker(parser, Random(seed), None, shape.most), every, shape.least or 1


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


class _Maker:
    """Puts phrases together. Constituents in the pool begin at position 0 and are shifted where they are used."""

    def __init__(self, parser: Parser, random: Random, examples: ExampleWords | None, longest: int) -> None:
        self._parser = parser
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
        """The plainest words; of a category, the kinds that are in use."""
        for category in sorted(examples.categories):
            kinds = examples.of(category)
            used = {
                bundle: common
                for bundle, forms in kinds.items()
                if (common := [form for form in forms if examples.counts.get(form)])
            }
            yield category, used or kinds

    def _every(self) -> Iterator[tuple[str, dict[Bundle, list[str]]]]:
        """Words of each kind, those first that are nothing else."""
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
            for form in self._table.constructions.values():
                phrase = self._attempt(form)
                if phrase is not None and not phrase.characterization.violated:
                    self._keep(phrase)

    def sentences(self, violated: Property | None, roots: frozenset[str], attempts: int) -> Iterator[list[str]]:
        """Roots of these names of which one phrase violates just the property; without one, that violate nothing."""
        named = [form for name, form in self._table.constructions.items() if name in roots]
        for _ in range(attempts):
            form = self._random.choice(named) if violated is None else self._table.constructions[violated.construction]
            found = self._attempt(form)
            wanted = set() if violated is None else {violated}
            if found is None or {i.property for i in found.characterization.violated} != wanted:
                continue
            for _ in range(8):
                top = self._lifted(found, roots)
                if top is not None:
                    yield _words(top)
                    break

    def _lifted(self, constituent: Constituent, roots: frozenset[str]) -> Constituent | None:
        """A constituent in larger and larger phrases that violate nothing more, up to one of the roots."""
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
        """Of the same words it is kept once: short phrases, which are found again and again, drive out no long ones."""
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
    """The constituent so many positions further right."""
    if not by:
        return constituent
    cover = constituent.cover << by if by > 0 else constituent.cover >> -by
    return constituent._replace(cover=cover, daughters=tuple(shifted(each, by) for each in constituent.daughters))
