"""The record of a parse: all that was found, in plain numbers and names, without the grammar.

A record is what of a parse travels: to another process, into a file, into a cache of results. It names properties by
their numbers in the grammar and daughters by their positions in their phrase, and says by a digest which grammar it is
of; with that grammar it becomes a parse again (`Parse.from_record`). It has the readings that the tree has, not those
that were not chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from numbat.errors import DataError
from numbat.evaluation.constituents import Characterization, Constituent, Instance
from numbat.grammar.digest import GrammarExcerpt, digest_of, excerpt, numbered_properties
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Bundle, Property
from numbat.parsing.analysis import Analysis, Outcome
from numbat.records import frozen
from numbat.words.lattice import Arc, Lattice, Place

Made = TypeVar("Made", bound=Analysis)


class InstanceRecord(NamedTuple):
    """A property instance: the number of its property, and the positions of the daughters that it speaks of."""

    property: int
    daughters: tuple[int, ...]


class ConstituentRecord(NamedTuple):
    """A constituent with the number of its daughters, 0 for a word; `lexical_cost` is that of a word's reading."""

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
    """A parse without its grammar.

    `grammar` is the name and `digest` the digest of the grammar. `constituents` are all of them, from the left and from
    the top, as `Analysis.walk` meets them. `tokens` to `skipped_places` are what a `Lattice` has under these names.
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
        """Every property instance, satisfied or violated."""
        return chain.from_iterable((*each.satisfied, *each.violated) for each in self.constituents)


def record_of(analysis: Analysis) -> ParseRecord:
    """The record of an analysis. Raises DataError for one with a property that its grammar does not have."""
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
        constituents=tuple([_constituent_record(each, analysis) for each in analysis.walk()]),
        outcome=analysis.outcome,
    )


def _constituent_record(constituent: Constituent, analysis: Analysis) -> ConstituentRecord:
    def instances(found: tuple[Instance, ...]) -> tuple[InstanceRecord, ...]:
        return tuple([InstanceRecord(analysis.number_of(each.property), each.elements) for each in found])

    both = constituent.characterization
    return ConstituentRecord(
        constituent.construction,
        constituent.cover,
        constituent.features,
        len(constituent.daughters),
        instances(both.satisfied),
        instances(both.violated),
        constituent.form,
        constituent.guessed,
        constituent.lexical_cost if constituent.is_word else 0,
    )


def excerpt_for(record: ParseRecord, grammar: Grammar) -> GrammarExcerpt:
    """What a record needs of its grammar to be a parse again: the constructions and properties that it names."""
    constructions = {each.construction for each in record.constituents}
    return excerpt(grammar, constructions, {instance.property for instance in record.instances()})


def check_grammar(analysis: Analysis, grammar: Grammar) -> None:
    """Raise DataError for an analysis by another grammar, or by another state of it."""
    if analysis.grammar is not grammar:
        check_digest(digest_of(analysis.grammar), analysis.grammar.name, grammar)


def check_digest(digest: str, name: str, grammar: Grammar) -> None:
    """Raise DataError unless the digest, which goes with the name of a grammar, is that of this grammar."""
    own = digest_of(grammar)
    if digest != own:
        raise DataError(
            f'this is a parse by the grammar "{name}" with the digest {digest}; that of "{grammar.name}" is {own}\n'
            "  give the grammar as it was when the sentence was parsed, or parse the sentence again"
        )


def analysis_of(kind: type[Made], record: ParseRecord, grammar: Grammar, arcs: tuple[Arc, ...] | None = None) -> Made:
    """Return the analysis of a record and its grammar; `arcs` are by default those of the tree's words.

    Raises DataError for a record of another grammar, and for one whose parts do not fit together.
    """
    check_digest(record.digest, record.grammar, grammar)
    try:
        constituents = _constituents(record, numbered_properties(grammar), grammar.node_cost)
    except (IndexError, KeyError) as error:
        raise DataError(f"the parts of this record of a parse do not fit together: {error!r}\n  {WRITTEN}") from None
    if arcs is None:
        words = sorted((word for top in constituents for word in top.words()), key=lambda word: word.start)
        arcs = tuple(Arc(word.start, word.end, word.form, *_reading(word)) for word in words)
    lattice = Lattice(
        record.tokens, arcs, record.skipped, record.text, record.gaps, record.places, record.skipped_places
    )
    return kind(grammar, lattice, constituents, record.outcome)


WRITTEN: Final = "take what Numbat wrote as it is"


def _reading(word: Constituent) -> tuple[str, Bundle, float, bool]:
    return word.construction, word.features, -word.lexical_cost / UNIT, word.guessed


def _constituents(record: ParseRecord, properties: Mapping[int, Property], node_cost: int) -> tuple[Constituent, ...]:
    """The top-level constituents, with the sums over their trees worked out anew."""
    built: list[Constituent] = []
    for each in reversed(record.constituents):
        daughters = tuple([built.pop() for _ in range(each.daughters)])
        both = Characterization(
            tuple([_instance(one, each, properties) for one in each.satisfied]),
            tuple([_instance(one, each, properties) for one in each.violated]),
        )
        lexical_cost = sum([daughter.lexical_cost for daughter in daughters], each.lexical_cost)
        own_cost, own_gain = (both.cost, both.weight - node_cost) if daughters else (each.lexical_cost, 0)
        depth = 0 if not daughters else daughters[0].depth + 1 if len(daughters) == 1 else 1
        built.append(
            Constituent(
                each.construction,
                each.cover,
                each.features,
                depth,
                each.form,
                each.guessed,
                daughters,
                both,
                sum([daughter.cost for daughter in daughters], own_cost),
                sum([daughter.gain for daughter in daughters], own_gain),
                lexical_cost,
            )
        )
    return tuple(reversed(built))


def _instance(instance: InstanceRecord, of: ConstituentRecord, properties: Mapping[int, Property]) -> Instance:
    prop = properties[instance.property]
    if prop.construction != of.construction or not all(0 <= i < of.daughters for i in instance.daughters):
        raise KeyError(instance)
    return Instance(prop, instance.daughters)
