"""Warnings about words and constructions from which no phrase starts; phrases without their head, or by it alone.

The other checks are in `grammar.checks`. These ask the evaluator what becomes of each kind of word alone, as the first
round of a parse does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from numbat.errors import Problem, Span, first_of, note, warning
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import Table, build_table
from numbat.evaluation.matching import keys as keys_of
from numbat.grammar.cache import kinds_of
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.names import format_name
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import ABSENT, Bundle, Operand, Property, bundles, format_bundle
from numbat.grammar.relations import HEAD_GIVING, Relation
from numbat.parsing.explanation.obstacles import Obstacle, obstacle, obstacle_clause
from numbat.parsing.policies import profile_named
from numbat.records import cached_property, frozen

Kind = tuple[str, Bundle]
"""Category with features."""


def check_starts(
    grammar: Grammar, path: str = "", advance: Callable[[], object] = tuple, known: KnownStarts | None = None
) -> list[Problem]:
    """Return the warnings about words and constructions that start no phrase, in the order of the file.

    `advance` is called before each construction; it may raise. What is `known` of a construction that is as it was is
    not found again.
    """
    starts = _Starts(grammar, advance, known or KnownStarts())
    whole = Span(path, 0)
    return sorted(
        [*starts.heads_alone(whole), *starts.nothing_alone(whole), *starts.words_in_no_tree(whole)],
        key=lambda problem: (problem.span, problem.message),
    )


@frozen
class HeadlessPhrase:
    """A phrase that one of several daughters makes alone, though an obligatory daughter is missing; what that costs."""

    construction: str
    daughters: tuple[str, ...]
    obligation: Property
    cost: int


def headless_phrases(grammar: Grammar) -> list[HeadlessPhrase]:
    """Return the phrases of one daughter that violate an obligation and cost less than a fragment.

    They are in the order of the grammar, those of one construction and cost together.
    """
    return _Starts(grammar).headless()


def built_by_obligation(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Note, once, the constructions that nothing but an obligation builds over some daughter (ruling 8)."""
    if grammar.semantics.trigger == "by-operands":
        return
    found = dict(_Starts(grammar).obliged())
    if found:
        are, their = ("construction is", "its") if len(found) == 1 else ("constructions are", "their")
        names = first_of([format_name(name) for name in found], MAX_NAMED)
        message = f"{len(found)} {are} built by {their} obligation alone, which until 0.13.0 built none: {names}"
        hint = '"trigger: by-operands" below "semantics:" keeps the old reading'
        yield note(message, next(iter(found.values())).span or whole, hint)


MAX_NAMED: Final = 8
"""The number of constructions that one note names."""


def kinds_of_words(grammar: Grammar) -> dict[str, dict[Bundle, str]]:
    """Return the feature bundles of each category's words, each with the first form; none for a guess rule."""
    found: dict[str, dict[Bundle, str]] = {}
    rules = (*grammar.guesses, *grammar.names)
    guessed = {(reading.category, reading.features): "" for rule in rules for reading in rule.readings}
    for (category, features), form in chain(kinds_of(grammar.lexicon).items(), guessed.items()):
        for bundle in bundles(features):
            found.setdefault(category, {}).setdefault(tuple(sorted(bundle)), form)
    return found


Alone = dict[str, dict[Bundle, tuple[str, Obstacle | None]]]
"""What each kind of word becomes alone in a construction, by categories and features, with a word of that kind."""


@frozen
class KnownStart:
    """What words become alone in a construction, and all that this depends on.

    `obliging` are the numbers of the properties that no daughters violate.
    """

    construction: Construction
    relations: Mapping[str, Relation]
    words: Mapping[str, Mapping[Bundle, str] | None]
    obliging: frozenset[int]
    alone: Alone


@dataclass
class KnownStarts:
    """What was found of each construction by its name, under the switches, profile and limit of `settings`.

    Constructions are compared by what they say: where they stand makes no difference.
    """

    settings: object = None
    found: dict[str, KnownStart] = field(default_factory=dict)
    words: dict[str, dict[Bundle, str]] = field(default_factory=dict)
    _words_of: tuple[object, ...] = ()

    def begin(self, grammar: Grammar, profile: Profile) -> None:
        """Another check begins: forget what may be otherwise, and constructions that are gone."""
        settings, names = (
            (grammar.semantics, profile, grammar.unary_limit),
            {construction.name for construction in grammar.constructions},
        )
        kept = self.found.items() if settings == self.settings else ()
        self.settings, self.found = settings, {name: start for name, start in kept if name in names}
        words_of = grammar.lexicon, grammar.guesses, grammar.names
        if not self._words_of or self._words_of[0] is not words_of[0] or self._words_of[1:] != words_of[1:]:
            self._words_of, self.words = words_of, kinds_of_words(grammar)


@dataclass(frozen=True)
class _Starts:
    """Grammar with the phrases that its words start."""

    grammar: Grammar
    advance: Callable[[], object] = tuple
    known: KnownStarts = field(default_factory=KnownStarts)

    def __post_init__(self) -> None:
        self.known.begin(self.grammar, self.profile)

    @property
    def words(self) -> dict[str, dict[Bundle, str]]:
        return self.known.words

    @cached_property
    def table(self) -> Table:
        return build_table(self.grammar)

    @cached_property
    def evaluator(self) -> Evaluator:
        return Evaluator(self.table)

    @cached_property
    def profile(self) -> Profile:
        return profile_named(grammar=self.grammar)

    def _alone(self, construction: Construction, kind: Kind) -> Obstacle | None:
        word = Constituent(kind[0], 1, kind[1])
        return obstacle(self.evaluator, self.profile, construction, (word,))

    def _is_about_absence_only(self, construction: Construction) -> bool:
        relations = (self.table.relations[prop.relation] for prop in construction.properties)
        return not any(relation.matched or relation.found_by for relation in relations)

    def _start(self, construction: Construction) -> KnownStart:
        """Return what words become alone in a construction, from an earlier check where it says the same."""
        known = self.known.found.get(construction.name)
        relations = {prop.relation: self.table.relations[prop.relation] for prop in construction.properties}
        if known is not None and (known.construction, known.relations) == (construction, relations):
            words = {category: self.words.get(category) for category in known.words}
            if words == known.words:
                return known
        of_nothing = self.evaluator.evaluate(construction.name, construction.properties, (), absence=True)
        obliging = {instance.property for instance in of_nothing.violated}
        numbers = frozenset(i for i, prop in enumerate(construction.properties) if prop in obliging)
        operands = self._obligatory(construction, numbers)
        alone = {operand.category: self._alone_by_bundle(construction, operand) for operand, _ in reversed(operands)}
        of_words = {category: self.words.get(category) for category in alone}
        start = self.known.found[construction.name] = KnownStart(construction, relations, of_words, numbers, alone)
        return start

    @staticmethod
    def _obligatory(construction: Construction, obliging: Collection[int]) -> list[tuple[Operand, Span | None]]:
        """Return the operands of which a phrase may consist: heads that are named, and what the properties of these
        numbers oblige.

        If something is obligatory and hard, only that. What holds of no daughters, as `count(Adj) <= 2`, obliges none.
        """
        found: dict[Operand, Span | None] = dict.fromkeys(construction.head, construction.span)
        hard: list[set[str]] = []
        for number, prop in enumerate(construction.properties):
            if number in obliging:
                alone = [joint[0] for joint in prop.operands[0] if len(joint) == 1]
                found |= dict.fromkeys(alone, prop.span)
                hard += [{operand.category for operand in alone}] * prop.hard
        possible = {operand.category for operand in construction.daughters}.intersection(*hard)
        return [(operand, span) for operand, span in found.items() if operand.category in possible]

    def heads_alone(self, whole: Span) -> Iterator[Problem]:
        """Return a head or an obligatory daughter that alone becomes no phrase, though no hard property forbids it.

        Where another one does, a property that says what this one needs is no reason for doubt.
        """
        for construction in self.grammar.constructions:
            self.advance()
            if self._is_about_absence_only(construction):
                continue
            start = self._start(construction)
            places = {
                operand.category: span for operand, span in reversed(self._obligatory(construction, start.obliging))
            }
            found = start.alone
            starts = any(each is None for by_bundle in found.values() for _, each in by_bundle.values())
            starts = starts or any(self._is_mentioned(construction, category) for category in found)
            for category, by_bundle in found.items():
                bad = {b: (form, o) for b, (form, o) in by_bundle.items() if o and self._is_doubtful(o, starts)}
                if bad and category != construction.name and not self._is_mentioned(construction, category):
                    bundle, (form, why) = next(iter(bad.items()))
                    which = format_name(category)
                    if len(bad) < len(by_bundle):
                        which += format_bundle(bundle) + (f', such as "{form}",' if form else "")
                    message = f"{construction.name}: {which} alone becomes no {construction.name}"
                    hint = f'add a property that holds of it alone, such as "uniq {format_name(category)}"'
                    place = places[category] or whole
                    yield warning(f"{message}, for {obstacle_clause(why, construction, 0)}", place, hint)

    def _alone_by_bundle(
        self, construction: Construction, operand: Operand
    ) -> dict[Bundle, tuple[str, Obstacle | None]]:
        """Return what each kind of word that is an operand becomes alone, with a word of that kind."""
        category = operand.category
        alone = tuple((feature, values[0]) for feature, values in operand.features if values[0] != ABSENT)
        words = self.words.get(category) or {alone: ""}
        return {
            bundle: (form, self._alone(construction, (category, bundle)))
            for bundle, form in words.items()
            if operand.matches(category, bundle)
        }

    @staticmethod
    def _is_doubtful(found: Obstacle, starts: bool) -> bool:
        """True if an obstacle may be an oversight; `starts`: another daughter alone becomes such a phrase."""
        return found.kind == "not spoken of" or (
            found.kind == "nothing holds" and not starts and not any(prop.hard for prop in found.properties)
        )

    def _is_mentioned(self, construction: Construction, category: str) -> bool:
        """True if a daughter is a phrase, whose features are unknown, and some property is about such a one alone."""
        relations = self.table.relations
        return category in self.table.constructions and any(
            key == (category,) for prop in construction.properties for key in keys_of(prop, relations[prop.relation])
        )

    def nothing_alone(self, whole: Span) -> Iterator[Problem]:
        """Return a construction that others contain, without a head, which no daughter alone becomes, whatever it
        is.
        """
        expected = {
            daughter.category
            for outer in self.grammar.constructions
            for daughter in outer.daughters
            if daughter.category != outer.name
        }
        for construction in self.grammar.constructions:
            if construction.name not in expected or self._is_about_absence_only(construction):
                continue
            if self._obligatory(construction, self._start(construction).obliging):
                continue
            daughters = [each for each in construction.daughters if each.category != construction.name]
            categories = list(dict.fromkeys(operand.category for operand in daughters))
            kinds = [(category, bundle) for category in categories for bundle in self.words.get(category, {(): ""})]
            if all((found := self._alone(construction, kind)) and found.kind == "not spoken of" for kind in kinds):
                leaves = [each for each in categories if each not in self.table.constructions] or categories
                message = f"{construction.name}: {_none(leaves)} alone becomes one, for no property is about it alone"
                hint = f'where {leaves[-1]} alone may be one, add "uniq {leaves[-1]}"'
                yield warning(message, construction.span or whole, hint)

    def headless(self) -> list[HeadlessPhrase]:
        """Return the phrases of `headless_phrases`."""
        phrases: list[HeadlessPhrase] = []
        for construction in self.grammar.constructions:
            by_cost: dict[tuple[int, Property], dict[str, None]] = {}
            for category in dict.fromkeys(operand.category for operand in construction.daughters):
                costs = [self._cost_of_absence(construction, (category, bundle)) for bundle in self._bundles(category)]
                if least := min(filter(None, costs), key=lambda each: each[0], default=None):
                    by_cost.setdefault(least, {})[category] = None
            phrases += (
                HeadlessPhrase(construction.name, tuple(each), of, cost) for (cost, of), each in by_cost.items()
            )
        return phrases

    def obliged(self) -> Iterator[tuple[str, Property]]:
        """Return each construction that some daughter makes of which no satisfied property but an obligation speaks."""
        for construction in self.grammar.constructions:
            for prop in construction.properties:
                if prop.relation in HEAD_GIVING and self._builds_alone(construction, prop):
                    yield construction.name, prop
                    break

    def _builds_alone(self, construction: Construction, obligation: Property) -> bool:
        """True if a daughter that is obligatory makes a phrase, and satisfies no other property."""
        for operand in (joint[0] for joint in obligation.operands[0] if len(joint) == 1):
            for bundle, (_, wrong) in self._alone_by_bundle(construction, operand).items():
                word = (Constituent(operand.category, 1, bundle),)
                found = self.evaluator.retrieve(word, construction.name)
                satisfied = self.evaluator.evaluate(construction.name, found, word).satisfied
                if wrong is None and not any(instance.elements for instance in satisfied):
                    return True
        return False

    def _bundles(self, category: str) -> Iterable[Bundle]:
        return self.words.get(category) or ((),)

    def _cost_of_absence(self, construction: Construction, kind: Kind) -> tuple[int, Property] | None:
        """Return the cost of a phrase of one daughter and the obligation that it violates; None if there is none, or a
        fragment costs no more.
        """
        if self._alone(construction, kind) is not None:
            return None
        word = (Constituent(kind[0], 1, kind[1]),)
        retrieved = self.evaluator.retrieve(word, construction.name)
        made = self.evaluator.completed(
            construction.name, self.evaluator.evaluate(construction.name, retrieved, word), word
        )
        missing = [each.property for each in made.violated if each.property.relation in HEAD_GIVING]
        cost = sum(instance.property.cost for instance in made.violated)
        return (cost, missing[0]) if missing and cost < self.grammar.fragment_cost else None

    def words_in_no_tree(self, whole: Span) -> Iterator[Problem]:
        """Warn of a kind of words that no construction admits as a daughter and that no root names."""
        if not self.grammar.constructions:
            return
        for category, words in self.words.items():
            if not all(of[category] for of in self.table.covered.values() if category in of):
                continue  # a construction has any such word in it
            lost = {bundle: form for bundle, form in words.items() if not self._has_place(category, bundle)}
            if lost and not self.grammar.is_shallow:
                which = category + (format_bundle(next(iter(lost))) if len(lost) < len(words) else "")
                form = next((form for form in lost.values() if form), "")
                example = f', such as "{form}",' if form else ""
                message = f"words that are {which}{example} can be in no tree, for no construction has {category} in it"
                if len(lost) < len(words):
                    message = (
                        f"words that are {which}{example} can be in no tree, for no const has such {category} in it"
                    )
                yield warning(message, whole, f"name {category} in a property, or in a const")

    def _has_place(self, category: str, bundle: Bundle) -> bool:
        if any(self.table.covers(construction, category, bundle) for construction in self.table.constructions.values()):
            return True
        return bool(self.grammar.roots) and self.grammar.is_root(category, bundle)


def _none(categories: Sequence[str]) -> str:
    """Format the categories for a message: `not even N`, `neither N nor V`, `none of N, V, P`."""
    if len(categories) == 1:
        return f"not even {categories[0]}"
    if len(categories) == 2:
        return f"neither {categories[0]} nor {categories[1]}"
    return f"none of {', '.join(categories)}"
