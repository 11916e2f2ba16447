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
    """Property instance with the constituent in which it was evaluated and the daughters that it is about."""

    property: Property
    constituent: Constituent
    elements: tuple[Constituent, ...]
    satisfied: bool

    def __repr__(self) -> str:
        return f"<{'satisfied' if self.satisfied else 'violated'} {self.property!r} in {self.constituent!r}>"


@frozen
class Outcome:
    """Outcome of the search for a parse, with the costs of its fragments.

    `fragment_cost` is 0 for a full parse, one root construction over the whole input. `count` is the number of equally
    good trees, `stopped_by` names the limit that was met, `rank` counts from 1 in an n-best list. `log_likelihood` is
    that of the trees by expansions, None without these. `granularity` is the factor of the grammar's fragment cost.
    `why_partial` says which of several fragments fits nowhere and why, empty if unknown. `valuation` is the name of the
    valuation, or of the function `elect_by`.

    `best_cost` is the cost of the best parse in units, known for a greedy election (`is_greedy`) if an exact search was
    made and met no limit. `least_cost` is a lower bound on the cost of any parse in units, known if the exact search
    met a limit under `relaxation`.
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

    @property
    def is_greedy(self) -> bool:
        """True if each round used only what the round before elected, so that a better parse may exist."""
        return self.election == GREEDY


@dataclass(frozen=True)
class Analysis:
    """Covering combination of constituents for a sentence, with all property instances evaluated in it.

    Costs and weights are fixed-point integers (`UNIT` is 1).
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
        """Election that chose the constituents."""
        return self.outcome.election

    @property
    def stopped_by(self) -> str | None:
        """Limit that the search met, None if it met none."""
        return self.outcome.stopped_by

    @property
    def rank(self) -> int:
        """Rank in an n-best list, from 1."""
        return self.outcome.rank

    @property
    def log_likelihood(self) -> float | None:
        """Log likelihood of the trees by expansions, None without these."""
        return self.outcome.log_likelihood

    def number_of(self, prop: Property) -> int:
        """Return the number of a property in the grammar. Raises DataError for a property of another grammar."""
        number = property_numbers(self.grammar).get(id(prop))
        if number is not None:
            return number
        for number, other in numbered_properties(self.grammar).items():
            if other == prop:
                return number
        raise DataError(f"{prop!r} is not a property of {self.grammar!r}\n  a parse has the properties of its grammar")

    @property
    def form_sizes(self) -> Mapping[str, int]:
        """Number of properties in the form of each construction."""
        return form_sizes(self.grammar)

    @property
    def sentence(self) -> str:
        """The sentence as typed, or its tokens if there is no text."""
        return self.lattice.text or " ".join(self.lattice.tokens)

    def walk(self) -> Iterator[Constituent]:
        """Return all constituents in pre-order, which numbers them in JSON, rows and graph."""
        return (constituent for top in self.constituents for constituent in top.walk())

    @cached_property
    def evaluated(self) -> tuple[Evaluated, ...]:
        """All property instances, by constituent in pre-order, then in the order of the grammar."""
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

    @property
    def violation_cost_units(self) -> int:
        """Sum of the costs of P-."""
        return sum(evaluated.property.cost_units for evaluated in self.violated)

    @property
    def lexical_cost_units(self) -> int:
        """Cost of the chosen readings."""
        return sum(top.lexical_cost_units for top in self.constituents)

    @property
    def cost_units(self) -> int:
        """Total cost: of the violated instances, of fragments, of the readings of words (ruling 1)."""
        return self.violation_cost_units + self.fragment_cost_units + self.lexical_cost_units

    @property
    def weight_units(self) -> int:
        """Sum of the weights of the satisfied instances."""
        return sum(evaluated.property.weight_units for evaluated in self.satisfied)

    @property
    def cost(self) -> float:
        """Total cost: of violated instances, of fragments, of the readings of words (ruling 1)."""
        return self.cost_units / UNIT

    @property
    def violation_cost(self) -> float:
        """Summed costs of P-."""
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
        """Summed weights of P+."""
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
        """True if a greedy election found this parse and it is not known to be a best one."""
        return self.outcome.is_greedy and self.outcome.best_cost != self.cost

    @property
    def is_full(self) -> bool:
        """True if one root construction spans the input."""
        return is_full(self.constituents, len(self.lattice.tokens), self.grammar)

    @property
    def is_well_formed(self) -> bool:
        """True if no property is violated and there is no fragment (ruling 2), whatever the readings cost."""
        return bool(self.constituents) and self.violation_cost_units + self.fragment_cost_units == 0


# Records shared by the engines: cells, solutions, the order of ties.


@frozen
class Cell:
    """Key under which constituents compete in the `per-construction` election (ruling 4)."""

    cover: int
    construction: str
    features: Bundle
    depth: int


def cell_of(constituent: Constituent) -> Cell:
    """Return the cell that a constituent competes for."""
    return Cell(constituent.cover, constituent.construction, constituent.features, constituent.depth)


@frozen
class Solution:
    """Covering combination of constituents (H5), with its fragment cost."""

    constituents: tuple[Constituent, ...]
    fragment_cost: int

    @property
    def cost(self) -> int:
        """Cost of all constituents and fragments."""
        return sum(top.cost_units for top in self.constituents) + self.fragment_cost

    @property
    def gain(self) -> int:
        """Weights of all satisfied instances minus node costs."""
        return sum(top.gain_units for top in self.constituents)


def is_full(tops: Sequence[Constituent], tokens: int, grammar: Grammar) -> bool:
    """True if these top-level constituents are one root over the whole input (ruling 2)."""
    if len(tops) != 1:
        return False
    (top,) = tops
    return top.cover == (1 << tokens) - 1 and grammar.is_root(top.construction, top.features)


def fragment_cost_of(tops: Sequence[Constituent], tokens: int, grammar: Grammar) -> int:
    """Return the cost of top-level constituents as fragments; a root over the whole input is free (ruling 2)."""
    return 0 if is_full(tops, tokens, grammar) else len(tops) * grammar.fragment_cost_units


FeatureRank = tuple[tuple[str, int, str], ...]
"""Sort key of a feature bundle for ties: names in alphabetical order, values in the order of their declaration."""
Rank = tuple[int, str, FeatureRank, int]
"""Sort key of a constituent for ties, without its daughters."""


class TieOrder:
    """Order of equally good constituents (ruling 1); features are compared in the order of their declaration."""

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
        """Return the sort key: larger span, construction in alphabetical order, features, shorter unary chain."""
        size, features = constituent.cover.bit_count(), self.features(constituent.features)
        return -size, constituent.construction, features, constituent.depth

    def preference(self, constituent: Constituent) -> tuple[Rank, ...]:
        """Return the sort key of equally good constituents of a cell: the ranks of the daughters from the left."""
        return tuple(map(self.rank, constituent.daughters))

    def tree(self, constituent: Constituent) -> tuple[object, ...]:
        """Return the sort key of equally good trees, in pre-order."""
        return (self.rank(constituent), *map(self.preference, constituent.walk()))


@remembered
def tie_order(grammar: Grammar) -> TieOrder:
    """Return the order of ties of a grammar."""
    return TieOrder(grammar)


# Parse records: the serializable part of a parse, for another process, a file or a cache.
#
# A record refers to properties by their numbers in the grammar, to daughters by their positions in the phrase, and to
# the grammar by a digest; with the grammar it becomes a parse again (`Parse.from_record`). Readings that were not
# chosen are not part of it.

AnalysisKind = TypeVar("AnalysisKind", bound=Analysis)


class InstanceRecord(NamedTuple):
    """Property instance: the number of its property, and the indexes of its elements among the daughters."""

    property: int
    daughters: tuple[int, ...]


class ConstituentRecord(NamedTuple):
    """Constituent with the number of its daughters, 0 for a word; `lexical_cost` is 0 for a phrase."""

    construction: str
    cover: int
    features: Bundle
    daughters: int = 0
    satisfied: tuple[InstanceRecord, ...] = ()
    violated: tuple[InstanceRecord, ...] = ()
    form: str = ""
    guessed: bool = False
    lexical_cost: int = 0


@frozen
class ParseRecord:
    """Parse without its grammar.

    `grammar` and `digest` are those of the grammar. `constituents` are all of them in pre-order. `tokens` to
    `skipped_places` are the fields of `Lattice` with these names.
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
        """Return every property instance, satisfied or violated."""
        return chain.from_iterable((*record.satisfied, *record.violated) for record in self.constituents)


def record_of(analysis: Analysis) -> ParseRecord:
    """Return the record of an analysis. Raises DataError for a property that its grammar does not have."""
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
    )


def excerpt_for(record: ParseRecord, grammar: Grammar) -> GrammarExcerpt:
    """Return the part of a grammar that a record needs to become a parse: its constructions and properties."""
    constructions = {constituent.construction for constituent in record.constituents}
    return excerpt(grammar, constructions, {instance.property for instance in record.instances()})


def check_grammar(analysis: Analysis, grammar: Grammar) -> None:
    """Raise DataError for an analysis by another grammar, or by another version of this one."""
    if analysis.grammar is not grammar:
        check_digest(digest_of(analysis.grammar), analysis.grammar.name, grammar)


def check_digest(digest: str, name: str, grammar: Grammar) -> None:
    """Raise DataError if a digest, stored with the name of a grammar, is not that of this grammar."""
    expected = digest_of(grammar)
    if digest != expected:
        raise DataError(
            f'this parse is by the grammar "{name}" with the digest {digest}; that of "{grammar.name}" is {expected}\n'
            "  give the grammar as it was when the sentence was parsed, or parse the sentence again"
        )


def analysis_of(
    kind: type[AnalysisKind], record: ParseRecord, grammar: Grammar, arcs: tuple[Arc, ...] | None = None
) -> AnalysisKind:
    """Return the analysis of a record; `arcs` are by default those of the tree's words.

    Raises DataError for a record by another grammar, and for an inconsistent one.
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
    """Return the top-level constituents; the sums over their trees are recomputed."""
    built: list[Constituent] = []
    for node in reversed(record.constituents):
        daughters = tuple([built.pop() for _ in range(node.daughters)])
        both = Characterization(
            tuple([_instance(one, node, properties) for one in node.satisfied]),
            tuple([_instance(one, node, properties) for one in node.violated]),
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
