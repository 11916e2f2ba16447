"""Warnings about words and constructions that start no phrase, and about phrases of one daughter.

The other checks of a grammar are in `grammar.checks`. The checks here evaluate each kind of word as an only daughter,
as the first round of a parse does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Final

from numbat.errors import Problem, Span, first_of, note, warning
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import LookupTable, build_table
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
"""A category with features."""


def check_starts(
    grammar: Grammar, path: str = "", advance: Callable[[], object] = tuple, known: KnownStarts | None = None
) -> list[Problem]:
    """Return the warnings about words and constructions that start no phrase, in the order of the file.

    `advance` is called before each construction is checked; it may raise to stop. `known` keeps results for
    constructions that have not changed since the last check.
    """
    starts = _Starts(grammar, advance, known or KnownStarts())
    whole = Span(path, 0)
    return sorted(
        [*starts.heads_alone(whole), *starts.nothing_alone(whole), *starts.words_in_no_tree(whole)],
        key=lambda problem: (problem.span, problem.message),
    )


@frozen
class HeadlessPhrase:
    """A phrase without its obligatory daughter, and its cost; each of `daughters` forms such a phrase alone."""

    construction: str
    daughters: tuple[str, ...]
    obligation: Property
    cost: int


def headless_phrases(grammar: Grammar) -> list[HeadlessPhrase]:
    """Return the phrases of one daughter that violate an obligation and yet cost less than a fragment.

    They are in the order of the grammar, grouped by construction and cost.
    """
    return _Starts(grammar).headless()


def built_by_obligation(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Yield one note about the constructions that some daughter forms alone only due to an obligation (ruling 8)."""
    if grammar.semantics.trigger == "by-operands":
        return
    obliged = dict(_Starts(grammar).obliged())
    if obliged:
        are, their = ("construction is", "its") if len(obliged) == 1 else ("constructions are", "their")
        names = first_of([format_name(name) for name in obliged], MAX_NAMED)
        message = f"{len(obliged)} {are} built by {their} obligation alone, which built none until 0.13.0: {names}"
        hint = '"trigger: by-operands" below "semantics:" restores the old behaviour'
        yield note(message, next(iter(obliged.values())).span or whole, hint)


MAX_NAMED: Final = 8
"""Maximum number of constructions that one note names."""


def kinds_of_words(grammar: Grammar) -> dict[str, dict[Bundle, str]]:
    """Return, by category, the feature bundles of its words, each with the first such word (empty if guessed)."""
    by_category: dict[str, dict[Bundle, str]] = {}
    rules = (*grammar.guesses, *grammar.names)
    guessed = {(reading.category, reading.features): "" for rule in rules for reading in rule.readings}
    for (category, features), form in chain(kinds_of(grammar.lexicon).items(), guessed.items()):
        for bundle in bundles(features):
            by_category.setdefault(category, {}).setdefault(tuple(sorted(bundle)), form)
    return by_category


Alone = dict[str, dict[Bundle, tuple[str, Obstacle | None]]]
"""By category and features: a word of that kind, and what keeps it from forming a phrase alone (None: nothing)."""


@frozen
class KnownStart:
    """The kinds of words that may form a phrase of a construction alone, with all that the results depend on.

    `obliging` are the indexes of the construction's properties that an empty phrase violates.
    """

    construction: Construction
    relations: Mapping[str, Relation]
    words: Mapping[str, Mapping[Bundle, str] | None]
    obliging: frozenset[int]
    alone: Alone


@dataclass
class KnownStarts:
    """Cache of `KnownStart` by construction, valid for the semantics, profile and unary limit in `settings`.

    Constructions are compared by content; their places in the file make no difference.
    """

    settings: object = None
    starts: dict[str, KnownStart] = field(default_factory=dict)
    words: dict[str, dict[Bundle, str]] = field(default_factory=dict)
    _words_of: tuple[object, ...] = ()

    def begin(self, grammar: Grammar, profile: Profile) -> None:
        """Prepare for another check: discard results that are out of date, and constructions that are gone."""
        settings = grammar.semantics, profile, grammar.unary_limit
        names = {construction.name for construction in grammar.constructions}
        kept = self.starts.items() if settings == self.settings else ()
        self.settings, self.starts = settings, {name: start for name, start in kept if name in names}
        words_of = grammar.lexicon, grammar.guesses, grammar.names
        if not self._words_of or self._words_of[0] is not words_of[0] or self._words_of[1:] != words_of[1:]:
            self._words_of, self.words = words_of, kinds_of_words(grammar)


@dataclass(frozen=True)
class _Starts:
    """The checks, which look at the phrases that the words of a grammar form alone."""

    grammar: Grammar
    advance: Callable[[], object] = tuple
    known: KnownStarts = field(default_factory=KnownStarts)

    def __post_init__(self) -> None:
        self.known.begin(self.grammar, self.profile)

    @property
    def words(self) -> dict[str, dict[Bundle, str]]:
        return self.known.words

    @cached_property
    def table(self) -> LookupTable:
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
        """Return the `KnownStart` of a construction, from an earlier check if the construction has not changed."""
        known = self.known.starts.get(construction.name)
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
        start = self.known.starts[construction.name] = KnownStart(construction, relations, of_words, numbers, alone)
        return start

    @staticmethod
    def _obligatory(construction: Construction, obliging: Collection[int]) -> list[tuple[Operand, Span | None]]:
        """Return the operands that should form a phrase alone: declared heads, and those that properties require.

        If hard properties require operands, only these are returned. A property that holds without daughters, such as
        `count(Adj) <= 2`, requires none; `obliging` are the indexes of the properties that do.
        """
        spans: dict[Operand, Span | None] = dict.fromkeys(construction.head, construction.span)
        hard: list[set[str]] = []
        for number, prop in enumerate(construction.properties):
            if number in obliging:
                alone = [joint[0] for joint in prop.operands[0] if len(joint) == 1]
                spans |= dict.fromkeys(alone, prop.span)
                hard += [{operand.category for operand in alone}] * prop.hard
        possible = {operand.category for operand in construction.daughters}.intersection(*hard)
        return [(operand, span) for operand, span in spans.items() if operand.category in possible]

    def heads_alone(self, whole: Span) -> Iterator[Problem]:
        """Warn about heads and obligatory daughters that form no phrase alone, though no hard property forbids it.

        If another of them does form a phrase alone, a property that requires a further daughter is not suspicious.
        """
        for construction in self.grammar.constructions:
            self.advance()
            if self._is_about_absence_only(construction):
                continue
            start = self._start(construction)
            places = {
                operand.category: span for operand, span in reversed(self._obligatory(construction, start.obliging))
            }
            alone = start.alone
            starts = any(why is None for by_bundle in alone.values() for _, why in by_bundle.values())
            starts = starts or any(self._is_mentioned(construction, category) for category in alone)
            for category, by_bundle in alone.items():
                bad = {b: (form, o) for b, (form, o) in by_bundle.items() if o and self._is_doubtful(o, starts)}
                if bad and category != construction.name and not self._is_mentioned(construction, category):
                    bundle, (form, why) = next(iter(bad.items()))
                    which = format_name(category)
                    if len(bad) < len(by_bundle):
                        which += format_bundle(bundle) + (f', such as "{form}",' if form else "")
                    message = f"{construction.name}: {which} alone does not become {construction.name}"
                    hint = f'add a property that holds for it alone, such as "uniq {format_name(category)}"'
                    place = places[category] or whole
                    yield warning(f"{message}, because {obstacle_clause(why, construction, 0)}", place, hint)

    def _alone_by_bundle(
        self, construction: Construction, operand: Operand
    ) -> dict[Bundle, tuple[str, Obstacle | None]]:
        """Return, for each kind of word matching an operand, a word and what keeps it from forming a phrase alone."""
        category = operand.category
        alone = tuple((feature, values[0]) for feature, values in operand.features if values[0] != ABSENT)
        words = self.words.get(category) or {alone: ""}
        return {
            bundle: (form, self._alone(construction, (category, bundle)))
            for bundle, form in words.items()
            if operand.matches(category, bundle)
        }

    @staticmethod
    def _is_doubtful(why: Obstacle, starts: bool) -> bool:
        """True if an obstacle may be an oversight; `starts` means that another daughter forms the phrase alone."""
        return why.kind == "not spoken of" or (
            why.kind == "nothing holds" and not starts and not any(prop.hard for prop in why.properties)
        )

    def _is_mentioned(self, construction: Construction, category: str) -> bool:
        """True for the category of a phrase (whose features are unknown) if some property is about it alone."""
        relations = self.table.relations
        return category in self.table.constructions and any(
            key == (category,) for prop in construction.properties for key in keys_of(prop, relations[prop.relation])
        )

    def nothing_alone(self, whole: Span) -> Iterator[Problem]:
        """Warn about constructions without a head that are daughters of others, but that no daughter forms alone."""
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
            names = dict.fromkeys(operand.category for operand in construction.daughters)
            categories = [name for name in names if name != construction.name]
            kinds = [(category, bundle) for category in categories for bundle in self.words.get(category, {(): ""})]
            if all((why := self._alone(construction, kind)) and why.kind == "not spoken of" for kind in kinds):
                leaves = [name for name in categories if name not in self.table.constructions] or categories
                message = (
                    f"{construction.name}: {_none(leaves)} alone becomes one, because no property is about it alone"
                )
                hint = f'if {leaves[-1]} alone may be one, add "uniq {leaves[-1]}"'
                yield warning(message, construction.span or whole, hint)

    def headless(self) -> list[HeadlessPhrase]:
        """Return the phrases that `headless_phrases` describes."""
        phrases: list[HeadlessPhrase] = []
        for construction in self.grammar.constructions:
            by_cost: dict[tuple[int, Property], dict[str, None]] = {}
            for category in dict.fromkeys(operand.category for operand in construction.daughters):
                costs = [self._cost_of_absence(construction, (category, bundle)) for bundle in self._bundles(category)]
                if least := min(filter(None, costs), key=itemgetter(0), default=None):
                    by_cost.setdefault(least, {})[category] = None
            phrases += [HeadlessPhrase(construction.name, tuple(d), of, cost) for (cost, of), d in by_cost.items()]
        return phrases

    def obliged(self) -> Iterator[tuple[str, Property]]:
        """Yield each construction that some daughter forms alone, satisfying only an obligation; and the obligation."""
        for construction in self.grammar.constructions:
            for prop in construction.properties:
                if prop.relation in HEAD_GIVING and self._builds_alone(construction, prop):
                    yield construction.name, prop
                    break

    def _builds_alone(self, construction: Construction, obligation: Property) -> bool:
        """True if an obligatory daughter forms a phrase alone and satisfies no other property."""
        for operand in (joint[0] for joint in obligation.operands[0] if len(joint) == 1):
            for bundle, (_, wrong) in self._alone_by_bundle(construction, operand).items():
                word = (Constituent(operand.category, 1, bundle),)
                retrieved = self.evaluator.retrieve(word, construction.name)
                satisfied = self.evaluator.evaluate(construction.name, retrieved, word).satisfied
                if wrong is None and not any(instance.elements for instance in satisfied):
                    return True
        return False

    def _bundles(self, category: str) -> Iterable[Bundle]:
        return self.words.get(category) or ((),)

    def _cost_of_absence(self, construction: Construction, kind: Kind) -> tuple[int, Property] | None:
        """Return the cost of a phrase of this one daughter and the obligation it violates; None if it violates none."""
        if self._alone(construction, kind) is not None:
            return None
        word = (Constituent(kind[0], 1, kind[1]),)
        retrieved = self.evaluator.retrieve(word, construction.name)
        evaluated = self.evaluator.evaluate(construction.name, retrieved, word)
        violated = [i.property for i in self.evaluator.completed(construction.name, evaluated, word).violated]
        missing = [prop for prop in violated if prop.relation in HEAD_GIVING]
        cost = sum(prop.cost_units for prop in violated)
        return (cost, missing[0]) if missing and cost < self.grammar.fragment_cost_units else None

    def words_in_no_tree(self, whole: Span) -> Iterator[Problem]:
        """Warn about kinds of words that are neither daughters of any construction nor roots."""
        if not self.grammar.constructions:
            return
        for category, words in self.words.items():
            if not all(of[category] for of in self.table.covered.values() if category in of):
                continue  # some construction accepts every such word
            lost = {bundle: form for bundle, form in words.items() if not self._has_place(category, bundle)}
            if lost and not self.grammar.is_shallow:
                which = category + (format_bundle(next(iter(lost))) if len(lost) < len(words) else "")
                form = next((form for form in lost.values() if form), "")
                example = f', such as "{form}",' if form else ""
                why = f"no const has such {category}" if len(lost) < len(words) else f"no construction has {category}"
                message = f"words that are {which}{example} cannot be in any tree, because {why} in it"
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
