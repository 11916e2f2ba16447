"""Records of a parse: `Outcome` (of the search), `Analysis` (the structure), `ParseRecord` (serializable).

A `ParseRecord` is a parse in plain numbers and names, without its grammar, to be pickled or written as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from numbat.errors import DataError
from numbat.evaluation.constituents import Characterization, Constituent, Instance
from numbat.grammar.digest import GrammarExcerpt, digest_of, excerpt, form_sizes, numbered_properties, property_numbers
from numbat.grammar.model import Grammar, remembered
from numbat.grammar.properties import UNIT, Bundle, Property
from numbat.parsing.policies import GREEDY
from numbat.records import cached_property, frozen
from numbat.words.lattice import Arc, Lattice, Place


class Evaluated(NamedTuple):
    """Property instance: its property, the constituent in which it was evaluated, and the daughters it is about."""

    property: Property
    constituent: Constituent
    elements: tuple[Constituent, ...]
    satisfied: bool

    def __repr__(self) -> str:
        return f"<{'satisfied' if self.satisfied else 'violated'} {self.property!r} in {self.constituent!r}>"


class Diagnosis(NamedTuple):
    """Another explanation of a sentence: what a parse violates that costs little more than the best one.

    `cost` is the total cost of that parse, `violation_cost` that of its violations, in fixed-point units; `reasons` has
    a message for each violation, `rare` one for each price, `tree` the parse in brackets. Without reasons, the sentence
    is well-formed at this cost.
    """

    cost: int
    violation_cost: int
    reasons: tuple[str, ...]
    rare: tuple[str, ...]
    tree: str


@frozen
class Outcome:
    """Outcome of the search for a parse.

    `fragment_cost` is the cost of the fragments in fixed-point units: 0 for a full parse, one root construction over
    the whole input. `count` is the number of equally good trees, `stopped_by` names the limit that was met, `rank`
    counts from 1 in an n-best list. `log_likelihood` is the log likelihood of the trees by expansions, None without
    expansions. `granularity` is the number by which the grammar's fragment cost was multiplied. `why_partial` says
    which of several fragments fits nowhere and why; it is empty if that is unknown. `valuation` is the name of the
    valuation, or of the function `elect_by`.

    `best_cost` and `least_cost` are floats. `best_cost` is the cost of the best parse, known after a greedy election
    (`is_greedy`) if an exact search was made, too, and met no limit. `least_cost` is a lower bound on the cost of any
    parse, known if the exact search met a limit under `relaxation`. `diagnoses` are other explanations within a margin
    of the cost, added by `parsing.diagnoses`. `preferred` says why the parse was chosen before a best one, if it was
    (`parsing.preferences`).
    """

    fragment_cost: int
    count: int
    rank: int
    rounds: int
    engine: str
    profile: str
    election: str
    valuation: str
    granularity: float = 1.0
    why_partial: str = ""
    stopped_by: str | None = None
    log_likelihood: float | None = None
    best_cost: float | None = None
    least_cost: float | None = None
    diagnoses: tuple[Diagnosis, ...] = ()
    preferred: str = ""

    @property
    def is_greedy(self) -> bool:
        """True if each round used only what the previous round elected, so that a better parse may exist."""
        return self.election == GREEDY


@dataclass(frozen=True)
class Analysis:
    """Constituents that together cover a sentence, with all property instances evaluated in them.

    Costs and weights whose names end in `_units` are fixed-point integers (`UNIT` stands for 1), the others floats.
    """

    grammar: Grammar
    lattice: Lattice
    constituents: tuple[Constituent, ...]
    outcome: Outcome

    @property
    def fragment_cost_units(self) -> int:
        """Cost of all fragments, 0 for a full parse."""
        return self.outcome.fragment_cost

    @property
    def count(self) -> int:
        """Number of equally good trees."""
        return self.outcome.count

    @property
    def election(self) -> str:
        """Name of the election that chose the constituents."""
        return self.outcome.election

    @property
    def stopped_by(self) -> str | None:
        """Name of the limit that the search met, None if it met none."""
        return self.outcome.stopped_by

    @property
    def rank(self) -> int:
        """Rank in an n-best list, from 1."""
        return self.outcome.rank

    @property
    def log_likelihood(self) -> float | None:
        """Log likelihood of the trees by expansions, None if the parser used no expansions."""
        return self.outcome.log_likelihood

    def number_of(self, prop: Property) -> int:
        """Return the number of a property in the grammar. Raises DataError for a property of another grammar."""
        number = property_numbers(self.grammar).get(id(prop))
        if number is not None:
            return number
        for number, other in numbered_properties(self.grammar).items():
            if other == prop:
                return number
        raise DataError(f"{prop!r} is not a property of {self.grammar!r}\n  give a property of that grammar")

    @property
    def form_sizes(self) -> Mapping[str, int]:
        """Number of properties that the form of each construction has."""
        return form_sizes(self.grammar)

    @property
    def sentence(self) -> str:
        """The sentence as typed, or its tokens joined by blanks if the lattice has no text."""
        return self.lattice.text or " ".join(self.lattice.tokens)

    def walk(self) -> Iterator[Constituent]:
        """Return all constituents in pre-order; this order numbers them in JSON, rows and graph."""
        return (constituent for top in self.constituents for constituent in top.walk())

    @cached_property
    def evaluated(self) -> tuple[Evaluated, ...]:
        """All property instances, ordered by constituent (in pre-order); for each, the satisfied ones come first."""
        evaluateds: list[Evaluated] = []
        for constituent in self.walk():
            both, daughter = constituent.characterization, constituent.daughters.__getitem__
            for instances, satisfied in ((both.satisfied, True), (both.violated, False)):
                evaluateds += [
                    Evaluated(instance.property, constituent, tuple(map(daughter, instance.elements)), satisfied)
                    for instance in instances
                ]
        return tuple(evaluateds)

    @cached_property
    def satisfied(self) -> tuple[Evaluated, ...]:
        """Satisfied property instances (P+)."""
        return tuple([evaluated for evaluated in self.evaluated if evaluated.satisfied])

    @cached_property
    def violated(self) -> tuple[Evaluated, ...]:
        """Violated property instances (P-)."""
        return tuple([evaluated for evaluated in self.evaluated if not evaluated.satisfied])

    @cached_property
    def priced(self) -> tuple[Evaluated, ...]:
        """The instances of prices, what is rare in the parse, ordered by constituent (ruling 48)."""
        return tuple(
            [
                Evaluated(instance.property, node, tuple(map(node.daughters.__getitem__, instance.elements)), False)
                for node in self.walk()
                for instance in node.characterization.priced
            ]
        )

    @property
    def price_units(self) -> int:
        """Sum of the prices of what is rare in the parse."""
        return sum(evaluated.property.cost_units for evaluated in self.priced)

    @property
    def price(self) -> float:
        """Sum of the prices of what is rare in the parse, as a float (ruling 48)."""
        return self.price_units / UNIT

    @property
    def violation_cost_units(self) -> int:
        """Sum of the costs of the violated instances (P-)."""
        return sum(evaluated.property.cost_units for evaluated in self.violated)

    @property
    def lexical_cost_units(self) -> int:
        """Cost of the chosen readings."""
        return sum(top.lexical_cost_units for top in self.constituents)

    @property
    def cost_units(self) -> int:
        """Total cost: of violated instances, fragments and readings of words, and prices (rulings 1 and 48)."""
        return self.violation_cost_units + self.fragment_cost_units + self.lexical_cost_units + self.price_units

    @property
    def weight_units(self) -> int:
        """Sum of the weights of the satisfied instances."""
        return sum(evaluated.property.weight_units for evaluated in self.satisfied)

    @property
    def cost(self) -> float:
        """Total cost as a float: of violated instances, fragments and readings of words, and prices (ruling 1)."""
        return self.cost_units / UNIT

    @property
    def violation_cost(self) -> float:
        """Sum of the costs of the violated instances (P-), as a float."""
        return self.violation_cost_units / UNIT

    @property
    def fragment_cost(self) -> float:
        """Cost of all fragments, 0 for a full parse."""
        return self.fragment_cost_units / UNIT

    @property
    def lexical_cost(self) -> float:
        """Cost of the chosen readings."""
        return self.lexical_cost_units / UNIT

    @property
    def weight(self) -> float:
        """Sum of the weights of the satisfied instances (P+), as a float."""
        return self.weight_units / UNIT

    @property
    def words(self) -> tuple[Constituent, ...]:
        """Words of the tree, in sentence order."""
        words = (word for top in self.constituents for word in top.words())
        return tuple(sorted(words, key=lambda word: word.start))

    @property
    def guessed(self) -> tuple[Constituent, ...]:
        """Words whose category in the tree is guessed, in sentence order."""
        return tuple(word for word in self.words if word.guessed)

    @property
    def nodes(self) -> int:
        """Number of phrase constituents."""
        return sum(not constituent.is_word for constituent in self.walk())

    @property
    def may_be_beaten(self) -> bool:
        """True if a greedy election found this parse, and it is not known whether the parse is a best one."""
        return self.outcome.is_greedy and self.outcome.best_cost != self.cost

    @property
    def is_full(self) -> bool:
        """True if one root construction spans the input."""
        return is_full(self.constituents, len(self.lattice.tokens), self.grammar)

    @property
    def is_well_formed(self) -> bool:
        """True if no property is violated and there is no fragment (ruling 2), whatever the readings cost."""
        return bool(self.constituents) and self.violation_cost_units + self.fragment_cost_units == 0

    @property
    def is_evaluated(self) -> bool:
        """True if a property is satisfied or violated; a parse of words and fragments alone has none to evaluate."""
        return bool(self.satisfied or self.violated)


# Records shared by the engines: cells, solutions, the order of ties.


@frozen
class Cell:
    """Key of constituents that compete with each other in the `per-construction` election (ruling 4)."""

    cover: int
    construction: str
    features: Bundle
    depth: int


def cell_of(constituent: Constituent) -> Cell:
    """Return the cell that a constituent competes for."""
    return Cell(constituent.cover, constituent.construction, constituent.features, constituent.depth)


@frozen
class Solution:
    """Constituents that together cover a sentence (H5), and the cost of their being fragments."""

    constituents: tuple[Constituent, ...]
    fragment_cost: int

    @property
    def cost(self) -> int:
        """Cost of all constituents and fragments, in fixed-point units."""
        return sum(top.cost_units for top in self.constituents) + self.fragment_cost

    @property
    def gain(self) -> int:
        """Sum of the weights of all satisfied instances minus node costs, in fixed-point units."""
        return sum(top.gain_units for top in self.constituents)


def is_full(tops: Sequence[Constituent], tokens: int, grammar: Grammar) -> bool:
    """True if these top-level constituents are one root over the whole input (ruling 2)."""
    if len(tops) != 1:
        return False
    (top,) = tops
    return top.cover == (1 << tokens) - 1 and grammar.is_root(top.construction, top.features)


def fragment_cost_of(tops: Sequence[Constituent], tokens: int, grammar: Grammar) -> int:
    """Return what top-level constituents cost as fragments; a root over the whole input is free (ruling 2)."""
    return 0 if is_full(tops, tokens, grammar) else len(tops) * grammar.fragment_cost_units


FeatureRank = tuple[tuple[str, int, str], ...]
"""Sort key of a feature bundle for breaking ties: names in alphabetical order, values as declared."""
Rank = tuple[int, str, FeatureRank, int]
"""Sort key of a constituent, apart from its daughters, for breaking ties."""


class TieOrder:
    """Order of equally good constituents (ruling 1); values of a feature are in the order of their declaration."""

    def __init__(self, grammar: Grammar) -> None:
        self._values = {name: {value: i for i, value in enumerate(values)} for name, values in grammar.features}
        self._known: dict[Bundle, FeatureRank] = {}

    def features(self, bundle: Bundle) -> FeatureRank:
        """Return the sort key of a bundle; undeclared values come last, in alphabetical order."""
        key = self._known.get(bundle)
        if key is None:
            places = ((name, self._values.get(name, {}), value) for name, value in bundle)
            key = tuple((name, values.get(value, len(values)), value) for name, values, value in places)
            self._known[bundle] = key
        return key

    def rank(self, constituent: Constituent) -> Rank:
        """Return a key that sorts by larger span, name of the construction, features, shorter unary chain."""
        size, features = constituent.cover.bit_count(), self.features(constituent.features)
        return -size, constituent.construction, features, constituent.depth

    def preference(self, constituent: Constituent) -> tuple[Rank, ...]:
        """Return the key that sorts equally good constituents of one cell: the ranks of the daughters from the left."""
        return tuple(map(self.rank, constituent.daughters))

    def tree(self, constituent: Constituent) -> tuple[object, ...]:
        """Return the key that sorts equally good trees: the rank of the root, then `preference` in pre-order."""
        return (self.rank(constituent), *map(self.preference, constituent.walk()))


@remembered
def tie_order(grammar: Grammar) -> TieOrder:
    """Return the `TieOrder` of a grammar, cached."""
    return TieOrder(grammar)


# Parse records: the serializable part of a parse, for another process, a file or a cache.
#
# A record refers to properties by their numbers in the grammar, to daughters by their positions in the phrase, and to
# the grammar by a digest; with the grammar, the record becomes a parse again (`Parse.from_record`). A record does not
# have the readings that were not chosen.

AnalysisKind = TypeVar("AnalysisKind", bound=Analysis)


class InstanceRecord(NamedTuple):
    """Property instance: the number of the property in the grammar, and the indexes of the daughters it is about."""

    property: int
    daughters: tuple[int, ...]


class ConstituentRecord(NamedTuple):
    """Constituent; `daughters` is the number of its daughters (0 for a word), `lexical_cost` is 0 for a phrase."""

    construction: str
    cover: int
    features: Bundle
    daughters: int = 0
    satisfied: tuple[InstanceRecord, ...] = ()
    violated: tuple[InstanceRecord, ...] = ()
    form: str = ""
    guessed: bool = False
    lexical_cost: int = 0
    priced: tuple[InstanceRecord, ...] = ()


@frozen
class ParseRecord:
    """Parse without its grammar.

    `grammar` is the name of the grammar, `digest` its digest. `constituents` has all constituents in pre-order. The
    fields from `tokens` to `skipped_places` are those of `Lattice` with the same names.
    """

    grammar: str
    digest: str
    tokens: tuple[str, ...]
    skipped: tuple[str, ...]
    text: str
    gaps: tuple[int, ...]
    places: tuple[Place, ...]
    skipped_places: tuple[Place, ...]
    constituents: tuple[ConstituentRecord, ...]
    outcome: Outcome

    def instances(self) -> Iterator[InstanceRecord]:
        """Return every instance of a property, satisfied or violated, and of a price."""
        return chain.from_iterable(
            (*record.satisfied, *record.violated, *record.priced) for record in self.constituents
        )


def record_of(analysis: Analysis) -> ParseRecord:
    """Return the record of an analysis. Raises DataError if an instance has a property that the grammar lacks."""
    lattice = analysis.lattice
    return ParseRecord(
        grammar=analysis.grammar.name,
        digest=digest_of(analysis.grammar),
        tokens=lattice.tokens,
        skipped=lattice.skipped,
        text=analysis.sentence,
        gaps=lattice.gaps,
        places=lattice.places,
        skipped_places=lattice.skipped_places,
        constituents=tuple([_constituent_record(constituent, analysis) for constituent in analysis.walk()]),
        outcome=analysis.outcome,
    )


def _constituent_record(constituent: Constituent, analysis: Analysis) -> ConstituentRecord:
    def records(instances: tuple[Instance, ...]) -> tuple[InstanceRecord, ...]:
        return tuple([InstanceRecord(analysis.number_of(i.property), i.elements) for i in instances])

    both = constituent.characterization
    return ConstituentRecord(
        constituent.construction,
        constituent.cover,
        constituent.features,
        len(constituent.daughters),
        records(both.satisfied),
        records(both.violated),
        constituent.form,
        constituent.guessed,
        constituent.lexical_cost_units if constituent.is_word else 0,
        records(both.priced),
    )


def excerpt_for(record: ParseRecord, grammar: Grammar) -> GrammarExcerpt:
    """Return the part of a grammar that makes a record a parse again: the constructions and properties it refers to."""
    constructions = {constituent.construction for constituent in record.constituents}
    return excerpt(grammar, constructions, {instance.property for instance in record.instances()})


def check_grammar(analysis: Analysis, grammar: Grammar) -> None:
    """Raise DataError if an analysis was made with another grammar, or with another version of this one."""
    if analysis.grammar is not grammar:
        check_digest(digest_of(analysis.grammar), analysis.grammar.name, grammar)


def check_digest(digest: str, name: str, grammar: Grammar) -> None:
    """Raise DataError if a digest, stored with the name of a grammar, differs from the digest of this grammar."""
    expected = digest_of(grammar)
    if digest != expected:
        raise DataError(
            f'this parse was made with the grammar "{name}" (digest {digest}), not with this "{grammar.name}" '
            f"(digest {expected})\n"
            "  give the grammar as it was when the sentence was parsed, or parse the sentence again"
        )


def analysis_of(
    kind: type[AnalysisKind], record: ParseRecord, grammar: Grammar, arcs: tuple[Arc, ...] | None = None
) -> AnalysisKind:
    """Convert a record to an analysis of class `kind`; `arcs` are by default the readings chosen in the tree.

    Raises DataError for a record made with another grammar, and for an inconsistent record.
    """
    check_digest(record.digest, record.grammar, grammar)
    try:
        constituents = _constituents(record, numbered_properties(grammar), grammar.node_cost_units)
    except (IndexError, KeyError) as error:
        raise DataError(f"this parse record is inconsistent: {error!r}\n  {UNCHANGED}") from None
    if arcs is None:
        words = sorted((word for top in constituents for word in top.words()), key=lambda word: word.start)
        arcs = tuple(Arc(word.start, word.end, word.form, *_reading(word)) for word in words)
    lattice = Lattice(
        record.tokens, arcs, record.skipped, record.text, record.gaps, record.places, record.skipped_places
    )
    return kind(grammar, lattice, constituents, record.outcome)


UNCHANGED: Final = "use the record as Numbat wrote it"


def _reading(word: Constituent) -> tuple[str, Bundle, float, bool]:
    return word.construction, word.features, -word.lexical_cost, word.guessed


def _constituents(record: ParseRecord, properties: Mapping[int, Property], node_cost: int) -> tuple[Constituent, ...]:
    """Return the top-level constituents of a record; the sums over their trees are recomputed."""
    built: list[Constituent] = []
    for node in reversed(record.constituents):
        daughters = tuple([built.pop() for _ in range(node.daughters)])
        both = Characterization(
            *(
                tuple([_instance(one, node, properties) for one in instances])
                for instances in (node.satisfied, node.violated, node.priced)
            )
        )
        lexical_cost = sum([daughter.lexical_cost_units for daughter in daughters], node.lexical_cost)
        own_cost, own_gain = (both.cost_units, both.weight_units - node_cost) if daughters else (node.lexical_cost, 0)
        depth = 0 if not daughters else daughters[0].depth + 1 if len(daughters) == 1 else 1
        built.append(
            Constituent(
                node.construction,
                node.cover,
                node.features,
                depth,
                node.form,
                node.guessed,
                daughters,
                both,
                sum([daughter.cost_units for daughter in daughters], own_cost),
                sum([daughter.gain_units for daughter in daughters], own_gain),
                lexical_cost,
            )
        )
    return tuple(reversed(built))


def _instance(instance: InstanceRecord, of: ConstituentRecord, properties: Mapping[int, Property]) -> Instance:
    prop = properties[instance.property]
    if prop.construction != of.construction or not all(0 <= i < of.daughters for i in instance.daughters):
        raise KeyError(instance)
    return Instance(prop, instance.daughters)
