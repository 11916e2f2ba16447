"""Records of a Property Grammar: constructions, rules, lexicon entries, semantics, weights.

Weights and costs are fixed-point integers: `UNIT` stands for 1 (ruling 3). Comparison ignores source positions
(`span`), so that the notation and YAML give equal values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cache, wraps
from pathlib import Path
from typing import ClassVar, Final, Literal, TypeVar
from weakref import ref

from numbat.errors import Span, UsageError, counted, shortened
from numbat.grammar.marks import Marks
from numbat.grammar.names import EVERY, WILDCARD, TokenRuleKind
from numbat.grammar.profiles import DEFAULT, Profile
from numbat.grammar.properties import (
    MAX_WEIGHT,
    UNIT,
    Bundle,
    Demand,
    Joint,
    Operand,
    Parameter,
    Property,
    Strength,
    format_named,
    format_number,
)
from numbat.grammar.relations import HEAD_GIVING, PRICE_TYPES, PRICES, Relation, built_in, type_of
from numbat.markup import Displayed
from numbat.records import frozen

# Weights and costs as vectors by property number.
#
# A property's number is its index in `Grammar.properties`. Learning changes these vectors often; everything that
# depends only on the structure (relations, operands, lexicon) is built once and shared.


@frozen
class PropertyWeights:
    """Weights and costs in fixed-point units: those at index i belong to the property `grammar.properties[i]`."""

    weights: tuple[int, ...]
    costs: tuple[int, ...]


def check_weights(weights: PropertyWeights, properties: Sequence[Property]) -> None:
    """Raise UsageError unless each property has a weight and a cost that the notation can state."""
    if not isinstance(weights, PropertyWeights):
        raise UsageError(
            f"the weights of a grammar are PropertyWeights, not a value of type {type(weights).__name__}\n"
            "  give PropertyWeights(weights, costs)"
        )
    if {len(weights.weights), len(weights.costs)} != {len(properties)}:
        sizes = f"{counted(len(weights.weights), 'weight')} and {counted(len(weights.costs), 'cost')}"
        several = counted(len(properties), "property", "properties")
        hint = "give one of each for every property, in the order of grammar.properties"
        raise UsageError(f"{sizes} for a grammar of {several}\n  {hint}")
    for number, (weight, cost) in enumerate(zip(weights.weights, weights.costs, strict=True)):
        for what, value, smallest in (("weight", weight, -MAX_WEIGHT), ("cost", cost, 0)):
            if type(value) is not int or not smallest * UNIT <= value <= MAX_WEIGHT * UNIT:
                where = f"the {what} of property {number} ({format_named(properties[number])}) is"
                raise UsageError(f"{where} {_wrong_number(what, value, smallest)}")


def _weights_of(rules: Sequence[Property]) -> PropertyWeights:
    return PropertyWeights(tuple(rule.weight_units for rule in rules), tuple(rule.cost_units for rule in rules))


def _wrong_number(what: str, value: object, smallest: int) -> str:
    """Return the end of the message about a weight or cost that is not an int or out of bounds."""
    if type(value) is not int:
        shown = shortened(f"{value!r}")
        return f"{shown}, which is not an int\n  give fixed-point units, {UNIT} for 1: round(x * {UNIT})"
    bounds = f"a {what} lies between {smallest} and {MAX_WEIGHT}, in fixed-point units {smallest * UNIT} and"
    return f"{format_number(value)} ({value} units)\n  {bounds} {MAX_WEIGHT * UNIT}"


def with_weights(
    properties: Iterable[Property], numbers: Iterator[tuple[int, int]], levels: Sequence[Mapping[str, Strength]]
) -> tuple[Property, ...]:
    """Return the properties of one construction with the next pairs of weight and cost (in units) from `numbers`.

    Unchanged properties are the same objects. `levels` are the strengths that the construction and the grammar state
    for whole relations, nearest first. A number that these already give is not stated again at the property, so that
    the grammar is printed as a person would write it.
    """
    usual = cache(lambda name: _usual(stated_of(name, levels)))
    changed = []
    for prop, (weight, cost) in zip(properties, numbers, strict=False):
        if weight == prop.weight_units and cost == prop.cost_units:
            changed.append(prop)
            continue
        usual_weight, usual_cost = usual(prop.type)
        stated = Strength(
            None if weight == usual_weight else weight,
            None if cost == (weight if usual_cost is None else usual_cost) else cost,
            prop.stated.hard,
        )
        what = prop.construction, prop.relation, prop.operands, prop.features
        about = prop.title, prop.register, prop.examples
        changed.append(Property(*what, weight, cost, prop.hard, stated, prop.span, *about))
    return tuple(changed)


def stated_of(relation: str, levels: Iterable[Mapping[str, Strength]]) -> list[Strength]:
    """Return the strengths that levels state for a relation or, after it, for all (`EVERY`); nearest level first."""
    return [level[name] for level in levels for name in (relation, EVERY) if name in level]


def _usual(levels: Sequence[Strength]) -> tuple[int, int | None]:
    """Return the weight and cost of a property that states none, given its levels; no cost (None) means the weight."""
    weight = next((strength.weight for strength in levels if strength.weight is not None), UNIT)
    return weight, next((level.cost for level in levels if level.cost is not None), None)


__all__ = [
    "MAX_WEIGHT",
    "NO_ROOTS",
    "UNIT",
    "WILDCARD",
    "Construction",
    "Entry",
    "FeatureRule",
    "Grammar",
    "GuessRule",
    "Joint",
    "Occurrence",
    "Operand",
    "Parameter",
    "Property",
    "Reading",
    "Semantics",
    "SpellingRule",
    "Strength",
    "TokenRule",
    "relations_of",
    "titles_of",
]

MAX_UNARY: Final = 10_000
"""The largest `unary_limit`, the number of phrases that may be built over each other from the same words."""
NO_ROOTS: Final = (Operand(WILDCARD),)
"""The roots of a grammar without root constructions, `roots: ?`: sentences are parsed into chunks."""


@frozen
class Occurrence:
    """Part of a condition: a daughter that matches the operand is present or, with `absent`, no such daughter is."""

    operand: Operand
    absent: bool = False


@frozen
class FeatureRule:
    """A rule that gives a phrase one feature (ruling 10); of several rules the first that applies decides.

    `number = pl` sets `value`; `number from Det, N` copies it from the first of `sources` that is present;
    `gap = np if N & no NP` applies only if all `conditions` are met. Alternatives become separate rules.
    """

    feature: str
    value: str | None = None
    sources: tuple[Operand, ...] = ()
    conditions: tuple[Occurrence, ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All operands that the rule names."""
        return (*self.sources, *(occurrence.operand for occurrence in self.conditions))


@frozen
class Construction:
    """A phrase category and its form, the list of its properties.

    `head` are the operands named as its head, first choice first. `inherit` are the features that the phrase takes from
    its head, None for all of them. `constituency`, if declared, lists the possible daughters; otherwise these are the
    operands of the properties (heuristic H3, ruling 7). `strengths` are stated for whole relations. `parents` are the
    constructions whose statements this one has taken over. `prices` are costs of what is rare (ruling 48).
    """

    name: str
    title: str = ""
    head: tuple[Operand, ...] = ()
    inherit: tuple[str, ...] | None = None
    feature_rules: tuple[FeatureRule, ...] = ()
    constituency: tuple[Operand, ...] | None = None
    strengths: tuple[tuple[str, Strength], ...] = ()
    properties: tuple[Property, ...] = ()
    span: Span | None = field(default=None, compare=False)
    parents: tuple[str, ...] = field(default=(), compare=False, repr=False)
    prices: tuple[Property, ...] = ()

    @property
    def rules(self) -> tuple[Property, ...]:
        """The properties, then the prices: all that the parsers compile."""
        return (*self.properties, *self.prices)

    def with_rules(self, rules: Iterable[Property]) -> Construction:
        """Return the construction with these properties and prices, whatever their order."""
        properties, prices = list[Property](), list[Property]()
        for rule in rules:
            (prices if rule.is_price else properties).append(rule)
        return replace(self, properties=tuple(properties), prices=tuple(prices))

    @property
    def heads(self) -> tuple[Operand, ...]:
        """The possible heads, first choice first: those stated, else the obligatory operands (ruling 10)."""
        obligatory = (prop.operands[0] for prop in self.properties if prop.relation in HEAD_GIVING)
        named = self.head or (joint[0] for operands in obligatory for joint in operands if len(joint) == 1)
        return tuple(dict.fromkeys(named))

    @property
    def daughters(self) -> tuple[Operand, ...]:
        """The possible daughters (H3): those declared, else all operands of the properties (ruling 7)."""
        if self.constituency is not None:
            return self.constituency
        names = (operand.category for prop in self.properties for operand in prop.all_operands())
        return tuple(map(Operand, dict.fromkeys(names)))


@frozen
class Reading:
    """A category and features that a word may have, with a weight above 0 relative to the word's other readings.

    A feature with several values stands for several readings, one for each. `lemma` is empty if not stated.
    """

    category: str
    features: Demand = ()
    weight: float = 1.0
    lemma: str = ""


@frozen
class Entry:
    """A form of the lexicon and its readings; a multiword form contains spaces."""

    form: str
    readings: tuple[Reading, ...]


@frozen
class GuessRule:
    """Readings of all words that match a shell pattern, such as `*ing`; the first rule that matches a word counts.

    `Grammar.guesses` are for words that the lexicon lacks, `Grammar.names` for words that are capitalized inside a
    sentence and that the lexicon has only in lower case.
    """

    pattern: str
    readings: tuple[Reading, ...]


@frozen
class SpellingRule:
    """Features of all words that match a shell pattern; the first rule that matches a word counts.

    The word is tried as written and in lower case. A feature that a reading already has is not changed.
    """

    pattern: str
    operands: tuple[Operand, ...]


@frozen
class TokenRule:
    """A rule that makes tokens of written words (ruling 20).

    `suffix` cuts `forms[0]` from the end of a word, `prefix` from its start, if one of `beside` matches a reading of
    the rest (always, if `beside` is empty). `rewrite` replaces the word `forms[0]` by the other forms. `segment` finds
    words of the lexicon in text of scripts without spaces.
    """

    kind: TokenRuleKind
    forms: tuple[str, ...] = ()
    beside: tuple[Operand, ...] = ()


@frozen
class Semantics:
    """The choices of a grammar where the literature disagrees (docs/decisions.md); each line has the default first.

    `profile` names the filtering profile for runs that do not choose one.
    """

    obligation: Literal["at-least-one", "exactly-one"] = "at-least-one"
    counting: Literal["instance", "property"] = "instance"
    uniqueness: Literal["counts", "silent"] = "counts"
    exclusion: Literal["silent", "counts"] = "silent"
    missing: Literal["unifies", "clashes"] = "unifies"
    termination: Literal["exhausted", "first-solution"] = "exhausted"
    trigger: Literal["any-property", "by-operands"] = "any-property"
    profile: str = DEFAULT

    @property
    def by_property(self) -> bool:
        """True if all instances of a property in one constituent count as a single instance."""
        return self.counting == "property"

    @property
    def switches(self) -> dict[str, str]:
        """The choices, by the name of each switch."""
        return {name.name: str(getattr(self, name.name)) for name in fields(self)}


class _Referable:
    """Base class that makes weak references possible, which `remembered` needs."""

    __slots__ = ("__weakref__",)


@frozen
class Grammar(Displayed, _Referable):
    """A whole Property Grammar, with everything that it includes and all lexicon files.

    `features` maps each feature to its values; the last two are `before` and `after` if the grammar declares `marks`.
    `roots` are the constructions that may stand alone over the input; if empty, every construction may. `tree_features`
    are the features that printed trees show; if empty, all. `titles` are what messages call leaves, each with an empty
    feature and its name, and what they say of values, each with its feature and the value. Constructions, leaves and
    entries keep the order of the file. `files` are the source files; comparison ignores them.
    """

    SHOWN_BY: ClassVar = "numbat.grammar.printing"

    name: str = ""
    language: str = ""
    version: str = ""
    authors: tuple[str, ...] = ()
    source: str = ""
    features: tuple[tuple[str, tuple[str, ...]], ...] = ()
    leaves: tuple[str, ...] = ()
    roots: tuple[Operand, ...] = ()
    tree_features: tuple[str, ...] = ()
    fragment_cost_units: int = 10 * UNIT
    node_cost_units: int = UNIT
    unary_limit: int = 3
    semantics: Semantics = Semantics()
    profiles: tuple[Profile, ...] = ()
    strengths: tuple[tuple[str, Strength], ...] = ()
    relations: tuple[Relation, ...] = ()
    constructions: tuple[Construction, ...] = ()
    tokens: tuple[TokenRule, ...] = ()
    lexicon: Sequence[Entry] = ()
    guesses: tuple[GuessRule, ...] = ()
    names: tuple[GuessRule, ...] = ()
    spelling: tuple[SpellingRule, ...] = ()
    marks: Marks = ()
    titles: tuple[tuple[str, str, str], ...] = ()
    files: tuple[str, ...] = field(default=(), compare=False)

    @property
    def fragment_cost(self) -> float:
        """Cost of a fragment as a number; `fragment_cost_units` is the same in fixed-point units."""
        return self.fragment_cost_units / UNIT

    @property
    def node_cost(self) -> float:
        """Cost of each phrase as a number; `node_cost_units` is the same in fixed-point units."""
        return self.node_cost_units / UNIT

    def __repr__(self) -> str:
        sizes = f"{len(self.constructions)} constructions, {len(self.properties)} properties, {len(self.lexicon)} forms"
        return f"<Grammar {self.name or 'without name'}: {sizes}>"

    @property
    def title(self) -> str:
        """Name and version, `english 2.0`, or the file name, `first.pg`."""
        named = self.name or (Path(self.files[0]).name if self.files else "without name")
        return f"{named} {self.version}".rstrip()

    @property
    def stated_features(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The features that the grammar states; `features` also has those of its marks."""
        return self.features[:-2] if self.marks else self.features

    @property
    def properties(self) -> tuple[Property, ...]:
        """All properties, construction by construction; a property's number is its index here.

        Constructions are in the order of the file, the properties of each in the order of its form, after braces
        are distributed (ruling 5).
        """
        return tuple(p for construction in self.constructions for p in construction.properties)

    @property
    def prices(self) -> tuple[Property, ...]:
        """All prices, construction by construction (ruling 48)."""
        return tuple(price for construction in self.constructions for price in construction.prices)

    @property
    def rules(self) -> tuple[Property, ...]:
        """The properties, then the prices; the numbers of prices follow those of the properties."""
        return (*self.properties, *self.prices)

    @property
    def weights(self) -> PropertyWeights:
        """Weights and costs of the properties, by number."""
        return _weights_of(self.properties)

    @property
    def weights_of_rules(self) -> PropertyWeights:
        """Weights and costs of the properties and of the prices, by number."""
        return _weights_of(self.rules)

    def check_numbers(self) -> None:
        """Raise UsageError for a number that no grammar file could state (the grammar was made in Python)."""
        check_weights(self.weights, self.properties)
        for name in ("fragment_cost_units", "node_cost_units"):
            self._check_number(name, 0, MAX_WEIGHT * UNIT, f", in units of 1/{UNIT}")
        self._check_number("unary_limit", 1, MAX_UNARY)

    def _check_number(self, name: str, least: int, most: int, units: str = "") -> None:
        value = getattr(self, name)
        if type(value) is not int or not least <= value <= most:
            raise UsageError(f"the {name} of a grammar is {value!r}\n  it must be an int from {least} to {most}{units}")

    def with_weights(self, weights: PropertyWeights) -> Grammar:
        """Return the grammar with other weights and costs; hard properties stay hard.

        Raises UsageError unless there is one weight and one cost for each property and the notation could state them.
        """
        check_weights(weights, self.properties)
        both = zip(weights.weights, weights.costs, strict=True)
        everywhere = dict(self.strengths)
        constructions = []
        for construction in self.constructions:
            properties = with_weights(construction.properties, both, (dict(construction.strengths), everywhere))
            constructions.append(replace(construction, properties=properties))
        return replace(self, constructions=tuple(constructions))

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of constituents: leaves and constructions, without the wildcard."""
        return (*self.leaves, *(construction.name for construction in self.constructions))

    @property
    def is_shallow(self) -> bool:
        """True if the grammar declares that it has no roots (`roots: ?`), so that a parse is a row of chunks."""
        return self.roots == NO_ROOTS

    def is_root(self, category: str, features: Bundle) -> bool:
        """True if a constituent may stand alone over the input without fragment cost (ruling 2)."""
        if not self.roots:
            return any(construction.name == category for construction in self.constructions)
        return any(root.matches(category, features) for root in self.roots)


def relations_of(grammar: Grammar) -> dict[str, Relation]:
    """Return every relation of the grammar by name: the built-in variants that its semantics chooses, and its own."""
    every = (*built_in(grammar.semantics.switches), *PRICES, *grammar.relations)
    return {relation.name: relation for relation in every}


def property_types_of(grammar: Grammar) -> list[str]:
    """Return the property types of the grammar; conditions of properties make no further types (ruling 15)."""
    return [name for name in dict.fromkeys(map(type_of, relations_of(grammar))) if name not in PRICE_TYPES]


# Cache per grammar

Key = TypeVar("Key")
Value = TypeVar("Value")


def remembered(function: Callable[[Grammar], Value]) -> Callable[[Grammar], Value]:
    """Cache a function per grammar, by identity: hashing a grammar by value would walk all of it."""
    known: dict[int, tuple[ref[Grammar], Value]] = {}

    @wraps(function)
    def remembering(grammar: Grammar) -> Value:
        key = id(grammar)
        cached = known.get(key)
        if cached is None or cached[0]() is not grammar:
            cached = known[key] = ref(grammar, lambda _: known.pop(key, None)), function(grammar)
        return cached[1]

    return remembering


@remembered
def titles_of(grammar: Grammar) -> dict[tuple[str, str], str]:
    """Return the titles of categories, each by an empty feature and its name, and of values, each by feature and value.

    Without a title, there is no entry.
    """
    constructions = {("", construction.name): construction.title for construction in grammar.constructions}
    stated = {(feature, name): title for feature, name, title in grammar.titles}
    return {key: title for key, title in (constructions | stated).items() if title}


LATELY: Final = 2
"""Number of results that `remembered_lately` keeps for each function."""


def remembered_lately(function: Callable[[Key], Value]) -> Callable[[Key], Value]:
    """Cache a function for the last few arguments, by identity: a lexicon stays the same object from edit to edit."""
    known: dict[int, tuple[Key, Value]] = {}

    @wraps(function)
    def remembering(argument: Key) -> Value:
        cached = known.get(id(argument))
        if cached is None:
            cached = known[id(argument)] = argument, function(argument)
            for old in [*known][:-LATELY]:
                known.pop(old, None)
        return cached[1]

    return remembering
