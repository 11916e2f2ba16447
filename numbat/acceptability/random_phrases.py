"""Random phrases, built bottom-up from words of a lexicon, small ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Final

from numbat.errors import counted
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import Bundle, Property, bundles, format_named
from numbat.parsing.parser import Parser
from numbat.parsing.phases.phases import is_legal_chain
from numbat.parsing.policies import Overdue, never
from numbat.words.example_words import ExampleWords

ROUNDS: Final = 400
"""Number of attempts to build a phrase of each construction while the pool is filled."""
MAX_OF_A_KIND: Final = 6
SIZES: Final = (1, 1, 2, 2, 2, 3, 3, 4)
"""Numbers of daughters of a phrase to draw from: short phrases make plainer sentences."""

SMALL: Final = (1, 2, 3)
"""Numbers of daughters of the phrases that are built one by one, if there are at most `MAX_ROWS` rows of them."""
MAX_ROWS: Final = 2_000


class RandomPhrases:
    """Builds random phrases from `examples` of plain words or, if None, from all words.

    Phrases without violations are kept in a pool; there they begin at position 0, and they are shifted when used.
    """

    def __init__(
        self,
        parser: Parser,
        random: Random,
        examples: ExampleWords | None,
        longest: int,
        tried: SearchCounts,
        overdue: Overdue = never,
    ) -> None:
        self._parser, self._tried, self._overdue = parser, tried, overdue
        self._random = random
        self._longest = longest
        self._table = parser.evaluator.table
        self._pool: dict[str, dict[Bundle, list[Constituent]]] = {}
        for category, kinds in self._every() if examples is None else self._plain(examples):
            self._pool[category] = {
                bundle: [Constituent(category, 1, bundle, form=form) for form in forms[:MAX_OF_A_KIND]]
                for bundle, forms in kinds.items()
            }
        self.fill()

    def _plain(self, examples: ExampleWords) -> Iterator[tuple[str, dict[Bundle, list[str]]]]:
        """Yield the plain words of each category by features, only those that occur in example sentences if any do."""
        for category in sorted(examples.categories):
            kinds = examples.by_bundle(category)
            used = {
                bundle: common
                for bundle, forms in kinds.items()
                if (common := [form for form in forms if examples.counts.get(form)])
            }
            yield category, used or kinds

    def _every(self) -> Iterator[tuple[str, dict[Bundle, list[str]]]]:
        """Yield all words of each category by features; words with the fewest categories come first."""
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

    def small_ones(self) -> Iterator[Constituent]:
        """Yield phrases without violations, one for each row of few daughters; larger ones have smaller ones below."""
        for _ in range(2):
            for form in self._table.constructions.values():
                names = dict.fromkeys(operand.category for operand in form.daughters)
                kinds = [alike[0] for name in names for alike in self._pool.get(name, {}).values()]
                for number in SMALL:
                    if len(kinds) ** number > MAX_ROWS:
                        break
                    for daughters in product(kinds, repeat=number):
                        if self._overdue():
                            return
                        self._tried.steps += 1
                        phrase = self._phrase(form, daughters)
                        if phrase is not None and not phrase.characterization.violated:
                            self._keep(phrase)
                            yield phrase

    def sentences(self, violated: Property | None, roots: frozenset[str], attempts: int) -> Iterator[list[str]]:
        """Yield the words of roots that violate nothing or, if given, only the property `violated` in one phrase."""
        named = [form for name, form in self._table.constructions.items() if name in roots]
        wanted = set() if violated is None else {violated}
        for _ in range(attempts):
            if self._overdue():
                return
            form = self._random.choice(named) if violated is None else self._table.constructions[violated.construction]
            constituent = self._attempt(form)
            if constituent is None or not self._tried.phrase(
                {i.property for i in constituent.characterization.violated}, wanted
            ):
                continue
            for _ in range(8):
                top = self._lifted(constituent, roots)
                if top is not None:
                    words = _words(top)
                    self._tried.root(len(words))
                    yield words
                    break

    def _lifted(self, constituent: Constituent, roots: frozenset[str]) -> Constituent | None:
        """Return a root around the constituent that adds no violation; None if none is found."""
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
        """Return a phrase over random daughters, among them the `given` one; None if they do not make a phrase."""
        self._tried.steps += 1
        names = [name for name in dict.fromkeys(operand.category for operand in form.daughters) if self._pool.get(name)]
        number = self._random.choice(SIZES) - (given is not None)
        if not names and number:
            return None
        daughters = [self._drawn(self._random.choice(names)) for _ in range(number)]
        if given is not None:
            daughters.insert(self._random.randint(0, number), given)
        return self._phrase(form, daughters)

    def _phrase(self, form: Construction, daughters: Sequence[Constituent]) -> Constituent | None:
        if not daughters or sum(constituent.cover.bit_count() for constituent in daughters) > self._longest:
            return None
        placed = tuple(_in_a_row(daughters))
        if not all(self._table.covers(form, daughter.construction, daughter.features) for daughter in placed):
            return None
        if not is_legal_chain(form.name, placed, self._parser.grammar.unary_limit):
            return None
        phrase = evaluated_phrase(form, placed, self._parser.evaluator)
        triggered = self._parser.evaluator.counts_for_h4(phrase.characterization.satisfied)
        return phrase if triggered else None

    def _drawn(self, name: str) -> Constituent:
        kinds = self._pool[name]
        return self._random.choice(kinds[self._random.choice(list(kinds))])

    def _keep(self, phrase: Constituent) -> None:
        """Add a phrase to the pool unless its words are there, so that frequent short ones do not replace long ones."""
        alike = self._pool.setdefault(phrase.construction, {}).setdefault(phrase.features, [])
        if _words(phrase) in map(_words, alike):
            return
        if len(alike) < MAX_OF_A_KIND:
            alike.append(phrase)
        else:
            alike[self._random.randrange(MAX_OF_A_KIND)] = phrase


def _words(phrase: Constituent) -> list[str]:
    return [word.form for word in phrase.words()]


def _in_a_row(daughters: Sequence[Constituent]) -> Iterator[Constituent]:
    """Yield the daughters, shifted to follow one another."""
    start = 0
    for constituent in daughters:
        yield shifted(constituent, start - constituent.start)
        start += constituent.cover.bit_count()


def shifted(constituent: Constituent, by: int) -> Constituent:
    """Return the constituent moved `by` positions to the right."""
    if not by:
        return constituent
    cover = constituent.cover << by if by > 0 else constituent.cover >> -by
    return constituent._replace(
        cover=cover, daughters=tuple(shifted(daughter, by) for daughter in constituent.daughters)
    )


# Counts of what a search for sentences tried, and the reason, taken from them, why it found too few.

PARSE_STEPS: Final = 25
"""Number of steps for which a parse counts: about this number of phrases are built while a short sentence is parsed."""


@dataclass(slots=True)
class SearchCounts:
    """Counts of a search: phrases built, those that violate only what is wanted, roots around these, and so on.

    Building a phrase is one of the `steps`, parsing a sentence `PARSE_STEPS`. `together` counts the properties that
    phrases violate besides the wanted one; `instead` counts what is wrong with the best parses of built sentences.
    """

    steps: int = 0
    phrases: int = 0
    violating: int = 0
    alone: int = 0
    roots: int = 0
    fitting: int = 0
    kept: int = 0
    longest: int = 0
    shortest: int | None = None
    late: bool = False
    together: Counter[str] = field(default_factory=Counter)
    instead: Counter[str] = field(default_factory=Counter)

    def parse(self) -> None:
        """Count the steps of a parse."""
        self.steps += PARSE_STEPS

    def phrase(self, violated: set[Property], wanted: set[Property]) -> bool:
        """Count a phrase that violates these properties; return True if it violates just the wanted ones."""
        self.phrases += 1
        if violated == wanted:
            self.violating += 1
            self.alone += 1
            return True
        if wanted <= violated:
            self.violating += 1
            self.together.update(format_named(prop) for prop in violated - wanted)
        return False

    def root(self, words: int) -> None:
        """Count a root with this number of words, built around a phrase that violates only what is wanted."""
        self.roots += 1
        self.longest = max(self.longest, words)
        self.shortest = min(words, self.shortest or words)

    def parsed(self, violated: set[Property], wanted: set[Property], is_full: bool) -> None:
        """Count a sentence whose best parse is not as wanted."""
        if not is_full:
            self.instead["falls into fragments"] += 1
        elif not violated:
            self.instead["is well formed"] += 1
        elif others := sorted(format_named(prop) for prop in violated - wanted):
            self.instead[f'violates "{others[0]}"'] += 1
        else:
            self.instead["has another root"] += 1


def reason(tried: SearchCounts, violated: Property | None, grammar: Grammar, most: int) -> str:
    """Return the reason why the search found no more: the first step at which it failed.

    It is about the phrases tried, not about all phrases of the grammar.
    """
    if missing := _without_words(violated, grammar):
        return f"the lexicon has no word for {', '.join(missing)}\n  add some, or give a file with --lexicon"
    if violated is None:
        return _without_phrase(tried) or _without_sentence(tried, most)
    name = f'"{violated.construction}"'
    if not tried.phrases:
        return f"no phrase {name} was built of words of the lexicon\n  {MORE}, and see what numbat check says"
    phrases = f"{counted(tried.phrases, 'phrase')} {name} that {_verb(tried.phrases, 'was', 'were')} tried"
    if not tried.violating:
        return (
            f"none of {phrases} violates the property\n  {MORE}; what would violate it may not even be a phrase: see"
            " what numbat check says of the property"
        )
    number = tried.violating
    violates = f"{number:,} {_verb(number, 'violates', 'violate')} the property"
    if not tried.alone:
        other, beside = min(tried.together.items(), key=lambda pair: (-pair[1], pair[0]))
        none = _verb(number, "but not alone", "but none of them alone")
        also = f"{beside:,} of them {_verb(beside, 'violates', 'violate')}" if number > 1 else "it violates"
        return f'of {phrases}, {violates}, {none}: {also} "{other}" too\n  {MORE}, or violate that one instead'
    if not tried.roots:
        alone = f"{tried.alone:,} {_verb(tried.alone, 'violates', 'violate')} the property alone"
        around = _verb(tried.alone, "it", "any of them")
        return (
            f"of {phrases}, {alone}, but no root was built around {around}\n"
            f"  {MORE}; numbat show says which constructions may hold it"
        )
    return _without_sentence(tried, most)


MORE: Final = "try another --seed or more --steps"


def _verb(number: int, one: str, several: str) -> str:
    return one if number == 1 else several


def _without_phrase(tried: SearchCounts) -> str:
    """Return the reason why no root without a violation was built; empty if one was."""
    if not tried.phrases:
        return f"no root was built of words of the lexicon\n  {MORE}, and see what numbat check says"
    if not tried.violating:
        return (
            f"none of {counted(tried.phrases, 'phrase')} that {_verb(tried.phrases, 'was', 'were')} tried as a root is"
            f" without a violation\n  {MORE}, and see what numbat check says"
        )
    return "" if tried.roots else f"no root was built of the phrases that were tried\n  {MORE}"


def _without_sentence(tried: SearchCounts, most: int) -> str:
    """Return the reason why so few sentences were kept."""
    if not tried.fitting:
        lengths = f"{tried.shortest} to {tried.longest}" if tried.shortest != tried.longest else f"{tried.longest}"
        return (
            f"{counted(tried.roots, 'sentence')} of {lengths} words {_verb(tried.roots, 'was', 'were')} built,"
            " none of the wanted length\n  try another --length"
        )
    if tried.instead and tried.kept < tried.fitting:
        said, number = min(tried.instead.items(), key=lambda pair: (-pair[1], pair[0]))
        sentences = f"{counted(tried.fitting, 'sentence')} {_verb(tried.fitting, 'was', 'were')} built, but"
        share = "all" if number == tried.fitting else f"{number:,}"
        better = f"{share} of them {_verb(number, 'has', 'have')}" if tried.fitting > 1 else "it has"
        return f"{sentences} {better} a better parse, which {said}\n  see it with numbat parse, or {MORE}"
    return (
        f"{counted(tried.fitting, 'different sentence')} of at most {most} words {_verb(tried.fitting, 'was', 'were')}"
        f" built in {tried.steps:,} steps; there may be more\n  {MORE}, another --length, or a larger lexicon"
    )


def _without_words(violated: Property | None, grammar: Grammar) -> list[str]:
    """Return the leaves named by a property for which the lexicon has no word."""
    if violated is None:
        return []
    phrases = {construction.name for construction in grammar.constructions}
    named = dict.fromkeys(operand.category for operand in violated.all_operands())
    leaves = [name for name in named if name in grammar.leaves and name not in phrases]
    have: set[str] = set()
    if leaves:
        for entry in grammar.lexicon:
            have.update(reading.category for reading in entry.readings)
            if have.issuperset(leaves):
                break
    return [name for name in leaves if name not in have]
