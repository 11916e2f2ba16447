"""The evaluator of properties (phases 4 and 6); it works from the definitions of relations and has no case for any.

Which operands a constituent matches depends only on its construction and features, its *kind*. So each kind is matched
once against all operands of the grammar; the result is a bit set, in which the bit of an operand is its *place*. The
properties that an assignment without holes retrieves, and their evaluation, depend only on the kinds of its elements,
so each sequence of kinds is evaluated once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby, pairwise
from operator import itemgetter
from typing import Final, TypeVar

from numbat.evaluation.constituents import Assignment, Characterization, Constituent, Instance, members, union
from numbat.evaluation.matching import (
    DaughterRow,
    LookupTable,
    Match,
    Plan,
    counted,
    evaluated_tuples,
    matched_tuples,
    plan_of,
    slots,
    tuples,
)
from numbat.grammar.model import Construction
from numbat.grammar.properties import ABSENT, Bundle, Operand, Property
from numbat.records import frozen

K = TypeVar("K")
V = TypeVar("V")

Retrieving = tuple[int, Property, Match]
"""One way to retrieve a property: the operands needed, as a bit set; the property; the `Match` to be found."""

MAX_REMEMBERED: Final = 200_000
"""Maximum number of cached evaluations; a cache that would exceed it is cleared."""


class Evaluator:
    """Retrieves and evaluates the properties of a table for assignments.

    Threads may share an evaluator: each key of a cache contains everything that its value depends on, and no number of
    a kind is used twice.
    """

    def __init__(self, table: LookupTable) -> None:
        self.table = table
        self.number = {name: i for i, name in enumerate(table.constructions)}
        self._by_property = table.grammar.semantics.by_property
        self._bits: dict[Operand, int] = {}
        self._masks: dict[str, OperandMasks] = {}
        self._plans: dict[int, Plan] = {}
        self._retrieving_of: dict[str, list[Retrieving]] = {}
        self._indexes: dict[str, MatchIndex] = {}
        self._kinds: dict[tuple[str, object], tuple[int, int]] = {}
        self._fresh = count()
        self._coverage: dict[tuple[str, object], int] = {}
        self._retrieved: dict[tuple[str | None, tuple[int, ...]], tuple[Property, ...]] = {}
        self._evaluated: dict[tuple[str, bool, tuple[int, ...]], Characterization] = {}
        every = {id(operand): operand for operand in _every_operand(table)}
        self._bit_of = {key: self._bits.setdefault(operand, 1 << len(self._bits)) for key, operand in every.items()}
        """Bit of each operand by its `id`, because hashing operands by value takes longer."""
        self._at = list(self._bits)
        self._place_of = {key: bit.bit_length() - 1 for key, bit in self._bit_of.items()}
        self._contributors = {
            name: [(place, self._bit(contributor.operand)) for place, contributor in enumerate(origins.contributors)]
            for name, origins in table.origins.items()
        }
        self._of_category: dict[str, list[tuple[Operand, int]]] = {}
        for operand, bit in self._bits.items():
            self._of_category.setdefault(operand.category, []).append((operand, bit))

    def _bit(self, operand: Operand) -> int:
        return self._bit_of[id(operand)]

    def _plan(self, prop: Property) -> Plan:
        known = self._plans.get(id(prop))
        if known is None:
            known = self._plans[id(prop)] = plan_of(prop, self.table.relations[prop.relation], self._bit)
        return known

    def _kind(self, construction: str, features: Bundle) -> tuple[int, int]:
        """Return the number of a kind and the bit set of operands that it matches."""
        key = construction, features
        known = self._kinds.get(key)
        if known is None:
            masks = self._masks.get(construction)
            if masks is None:
                masks = self._masks[construction] = OperandMasks(self._of_category.get(construction, ()))
            bits = masks.matched(features)
            known = self._kinds.setdefault(key, (next(self._fresh), bits))
        return known

    def forget_kinds(self) -> None:
        """Discard the numbers of kinds; a kind that recurs gets a new number, so cached values stay valid."""
        self._kinds.clear()
        self._masks.clear()

    def operands_matched(self, construction: str, features: Bundle) -> int:
        """Return the bit set of operands that a constituent of this kind matches."""
        return self._kind(construction, features)[1]

    def operands_implied(self, operand: Operand, certain: Bundle) -> int:
        """Return the operands (a bit set) that all constituents match that match `operand` and have `certain` features.

        The other features of such a constituent are unknown, so an operand that demands their absence is not included.
        """
        bits = self.operands_matched(operand.category, certain)
        lacks = {feature for feature, values in operand.features if values == (ABSENT,)}
        known = lacks.union(feature for feature, _ in certain)
        for other, bit in self._of_category.get(operand.category, ()):
            if bits & bit and any(ABSENT in values and feature not in known for feature, values in other.features):
                bits &= ~bit
        return bits

    def features_named(self, category: str, operands: int) -> frozenset[str]:
        """Return the features that these operands demand of a category."""
        of_category = self._of_category.get(category, ())
        return frozenset(feature for operand, bit in of_category if bit & operands for feature, _ in operand.features)

    @property
    def operands(self) -> Mapping[Operand, int]:
        """Operands of the grammar, each with its bit; the operands of properties come first."""
        return self._bits

    def places_of(self, prop: Property) -> list[int]:
        """Return the places of all operands of a property, with each alternative and each member of a joint one."""
        place_of = self._place_of
        return [place_of[id(operand)] for parameter in prop.operands for joint in parameter for operand in joint]

    def operand_at(self, place: int) -> Operand:
        """Return the operand whose bit has this position in bit sets."""
        return self._at[place]

    def features(self, construction: str, assignment: Assignment) -> Bundle:
        """Return the features of a phrase over an assignment (ruling 10)."""
        origins, (_, masks) = self.table.origins[construction], self._seen(assignment)
        here, contributions = union(masks), dict[int, Bundle]()
        for place, bit in self._contributors[construction]:
            if here & bit:
                first = next(i for i, mask in enumerate(masks) if mask & bit)
                contributions[place] = assignment[first].features
        return origins.beside(origins.features(contributions), assignment)

    def covering(self, assignment: Assignment) -> int:
        """Return the constructions that cover every element (heuristic H3), as a bit set in the grammar's order."""
        covering = -1
        for constituent in assignment:
            key = constituent.construction, constituent.features
            known = self._coverage.get(key)
            if known is None:
                forms = enumerate(self.table.constructions.values())
                known = self._coverage[key] = sum(1 << i for i, form in forms if self.table.covers(form, *key))
            covering &= known
        return covering

    def retrieve(self, assignment: Assignment, construction: str | None = None) -> tuple[Property, ...]:
        """Return the properties, or those of one construction, that operands in the assignment retrieve (ruling 8).

        A property is retrieved if some clause matches, whether or not its guard holds.
        """
        kinds, masks = self._seen(assignment)
        key = construction, kinds
        properties = self._retrieved.get(key)
        if properties is None:
            if construction is None:
                retrieving = self._retrieving(self.table.lookup([member.construction for member in assignment]))
            else:
                retrieving = self._retrieved_by(construction)
            absent = ~union(masks)
            fitting = [(prop, match) for every, prop, match in retrieving if not every & absent]
            by_id = {id(prop): prop for prop, match in fitting if any(True for _ in tuples(match, masks))}
            properties = tuple(by_id.values())
            _remember(self._retrieved, key, properties)
        return properties

    def evaluate(
        self, construction: str, properties: Sequence[Property], assignment: Assignment, absence: bool = False
    ) -> Characterization:
        """Evaluate every matching tuple of the construction's retrieved properties: SATISFIED or VIOLATED.

        With `absence`, only clauses without operands to match are evaluated, otherwise only those with some. If the
        grammar counts by property, each property has a single instance, violated if any of its instances is (ruling
        11).
        """
        kinds, masks = self._seen(assignment)
        key = construction, absence, kinds
        ordered = all(left.end <= right.start for left, right in pairwise(assignment))
        characterization = self._evaluated.get(key) if ordered else None
        if characterization is None:
            satisfied: list[Instance] = []
            violated: list[Instance] = []
            priced: list[Instance] = []
            for prop in properties:
                plan = self._plan(prop)
                is_price = plan.relation.is_price
                matches = [match for match in plan.matches if is_price or bool(match.names) != absence]
                matched = matched_tuples(DaughterRow(assignment, masks, plan), matches)
                yes, no = counted(*evaluated_tuples(matched), self._by_property)
                satisfied += yes
                (priced if is_price else violated).extend(no)
            characterization = Characterization(tuple(satisfied), tuple(violated), tuple(priced))
            if ordered:
                _remember(self._evaluated, key, characterization)
        return characterization

    def characterize(self, construction: str, assignment: Assignment) -> Characterization:
        """Return the characterization of an assignment by one construction, properties about absence last."""
        masks = [self._kind(constituent.construction, constituent.features)[1] for constituent in assignment]
        satisfied: list[Instance] = []
        violated: list[Instance] = []
        priced: list[Instance] = []
        for plan, matches in self._matching(construction).of(union(masks)):
            matched = matched_tuples(DaughterRow(assignment, masks, plan), matches)
            yes, no = counted(*evaluated_tuples(matched), self._by_property)
            satisfied += yes
            (priced if plan.relation.is_price else violated).extend(no)
        return Characterization(tuple(satisfied), tuple(violated), tuple(priced))

    def completed(self, construction: str, present: Characterization, assignment: Assignment) -> Characterization:
        """Return a characterization completed by the properties about absence and the prices, from the second index.

        See rulings 8 and 48.
        """
        absence = self.evaluate(
            construction, self.table.by_construction.get(construction, ()), assignment, absence=True
        )
        both = zip(present.parts, absence.parts, strict=True)
        return Characterization(*(of_present + of_absence for of_present, of_absence in both))

    def _seen(self, assignment: Assignment) -> tuple[tuple[int, ...], list[int]]:
        seen = [self._kind(constituent.construction, constituent.features) for constituent in assignment]
        return tuple([number for number, _ in seen]), [bits for _, bits in seen]

    def _matching(self, construction: str) -> MatchIndex:
        known = self._indexes.get(construction)
        if known is None:
            properties = self.table.constructions[construction].rules
            known = self._indexes[construction] = MatchIndex(
                [self._needed(prop) for prop in properties], lambda i: self._plan(properties[i])
            )
        return known

    def _needed(self, prop: Property) -> list[int]:
        """Return, for each clause of a property and each choice of alternatives, the operands needed, as a bit set."""
        relation = self.table.relations[prop.relation]
        return [
            union([self._bit(operand) for _, operand in wanted])
            for clause in relation.clauses
            for wanted in slots(prop, relation, clause)
        ]

    def _retrieved_by(self, construction: str) -> list[Retrieving]:
        """Return the ways in which operands can retrieve the properties of a construction."""
        known = self._retrieving_of.get(construction)
        if known is None:
            properties = self.table.constructions[construction].properties
            known = self._retrieving_of[construction] = self._retrieving(properties)
        return known

    def _retrieving(self, properties: Iterable[Property]) -> list[Retrieving]:
        plans = ((prop, self._plan(prop)) for prop in properties)
        pairs = ((prop, match) for prop, plan in plans for match in (*plan.matches, *plan.finders))
        return [(match.every, prop, match) for prop, match in pairs if match.names]

    def counts_for_h4(self, satisfied: Iterable[Instance]) -> bool:
        """True if the heuristic H4 holds: some satisfied instance is of a property that operands retrieve."""
        relations = self.table.relations
        return any(instance.elements or relations[instance.property.relation].found_by for instance in satisfied)


def _every_operand(table: LookupTable) -> Iterator[Operand]:
    for prop in table.grammar.rules:
        yield from prop.all_operands()
    for name, origins in table.origins.items():
        yield from (contributor.operand for contributor in origins.contributors)
        for operands in table.covered[name].values():
            yield from operands


def _remember(memory: dict[K, V], key: K, value: V) -> None:
    if len(memory) >= MAX_REMEMBERED:
        memory.clear()
    memory[key] = value


# Cache of evaluated phrases.


@frozen
class PhraseTemplate:
    """The parts of an evaluated phrase that depend only on its construction and the kinds of its daughters."""

    features: Bundle
    characterization: Characterization
    cost: int
    gain: int

    def with_properties(self, other: Mapping[int, Property], node_cost: int) -> PhraseTemplate:
        """Return the template under other weights; `other` maps the `id` of each property to its replacement."""
        both = Characterization(
            *(
                tuple([Instance(other[id(instance.property)], instance.elements) for instance in instances])
                for instances in self.characterization.parts
            )
        )
        return PhraseTemplate(self.features, both, both.cost_units, both.weight_units - node_cost)


def phrase_template(
    evaluator: Evaluator, construction: Construction, assignment: Assignment, both: Characterization
) -> PhraseTemplate:
    """Return the template of a phrase: features, characterization, and cost and gain without those of its daughters."""
    return PhraseTemplate(
        evaluator.features(construction.name, assignment),
        both,
        both.cost_units,
        both.weight_units - evaluator.table.grammar.node_cost_units,
    )


def instantiate(construction: str, assignment: Assignment, phrase_template: PhraseTemplate) -> Constituent:
    """Return the constituent made from a template over an assignment, with cost and gain summed over its whole tree."""
    cover, cost, gain, lexical_cost = 0, phrase_template.cost, phrase_template.gain, 0
    for daughter in assignment:
        cover |= daughter.cover
        cost += daughter.cost_units
        gain += daughter.gain_units
        lexical_cost += daughter.lexical_cost_units
    depth = assignment[0].depth + 1 if len(assignment) == 1 else 1
    return Constituent(
        construction,
        cover,
        phrase_template.features,
        depth,
        "",
        False,
        assignment,
        phrase_template.characterization,
        cost,
        gain,
        lexical_cost,
    )


def evaluated_phrase(form: Construction, daughters: Assignment, evaluator: Evaluator) -> Constituent:
    """Return the constituent of a construction over daughters, with all its properties evaluated."""
    return instantiate(form.name, daughters, _template_of(form, daughters, evaluator))


def _template_of(form: Construction, daughters: Assignment, evaluator: Evaluator) -> PhraseTemplate:
    return phrase_template(evaluator, form, daughters, evaluator.characterize(form.name, daughters))


class PhraseTemplates:
    """Cache of evaluated phrases by signature.

    A signature is any key that identifies a construction and the kinds of its daughters; these determine the
    characterization.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[Hashable, PhraseTemplate] = {}

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        """Forget all templates."""
        self._known.clear()

    def template(self, signature: Hashable, form: Construction, daughters: Assignment) -> PhraseTemplate:
        """Return the template of a construction over daughters, cached by signature."""
        known = self._known.get(signature)
        if known is None:
            known = self._known[signature] = _template_of(form, daughters, self._evaluator)
        return known

    def evaluated_phrase(self, signature: Hashable, form: Construction, daughters: Assignment) -> Constituent:
        """Return the evaluated constituent of a construction over daughters, with its template cached by signature."""
        return instantiate(form.name, daughters, self.template(signature, form, daughters))


# Index of clauses: each clause is listed under its rarest operand, because few of many properties apply to a phrase.

Clause = tuple[int, int, int]
"""The number of a property, the number of one of its clauses, and the operands that the clause needs, as a bit set."""


class MatchIndex:
    """Index of the clauses of a construction's properties by the operands that they need.

    `needed[i]` has a bit set for each clause of property i: the operands that the clause needs. `plan` maps the number
    of a property to its plan.
    """

    def __init__(self, needed: Sequence[Sequence[int]], plan: Callable[[int], Plan]) -> None:
        self._plan = plan
        self._of_operand: dict[int, list[Clause]] = {}
        clauses = [(i, at, every) for i, sets in enumerate(needed) for at, every in enumerate(sets) if every]
        named = Counter(bit for _, _, every in clauses for bit in members(every))
        for clause in clauses:
            rarest = min(members(clause[2]), key=named.__getitem__)
            self._of_operand.setdefault(rarest, []).append(clause)
        self._keys = sum(self._of_operand)
        self._about_absence = [i for i, sets in enumerate(needed) if not all(sets)]

    def of(self, operands: int) -> list[tuple[Plan, list[Match]]]:
        """Return the plans of properties, each with the clauses that these operands match, then those about absence."""
        candidates = (clause for bit in members(operands & self._keys) for clause in self._of_operand[bit])
        clauses = sorted(clause for clause in candidates if not clause[2] & ~operands)
        matching = []
        for i, group in groupby(clauses, itemgetter(0)):
            plan = self._plan(i)
            matching.append((plan, [plan.matches[at] for _, at, _ in group]))
        absent = map(self._plan, self._about_absence)
        return matching + [(plan, [match for match in plan.matches if not match.names]) for plan in absent]


# Operands that a constituent matches, as a bit set.

OtherMask = tuple[int, dict[str, int]]
"""By feature: operands that accept any other value; for each value that some operand names, those that accept it."""


class OperandMasks:
    """Operands of one category as bits; maps a constituent to the bit set of operands that it matches."""

    __slots__ = ("_every", "_lacking", "_of_feature")

    def __init__(self, operands: Sequence[tuple[Operand, int]]) -> None:
        every, demanding, accepting = 0, dict[str, int](), dict[str, dict[str, int]]()
        for operand, bit in operands:
            every |= bit
            for feature, values in _demands(operand).items():
                demanding[feature] = demanding.get(feature, 0) | bit
                of_value = accepting.setdefault(feature, {})
                for value in values:
                    of_value[value] = of_value.get(value, 0) | bit
        self._every = every
        self._lacking: dict[tuple[str, ...], int] = {}
        """By names of features: the operands that a constituent may match that has these features and no others."""
        self._of_feature: dict[str, OtherMask] = {}
        for feature in sorted(demanding):
            others = every & ~demanding[feature]
            self._of_feature[feature] = others, {value: bits | others for value, bits in accepting[feature].items()}

    def matched(self, features: Bundle) -> int:
        """Return the bit set of operands that a constituent with these features matches."""
        names = tuple([feature for feature, _ in features])
        bits = self._lacking.get(names)
        if bits is None:
            bits = self._lacking[names] = self._without_others(names)
        for feature, value in features:
            if feature in self._of_feature:
                others, of_value = self._of_feature[feature]
                bits &= of_value.get(value, others)
        return bits

    def _without_others(self, names: Collection[str]) -> int:
        bits = self._every
        for feature, (others, of_value) in self._of_feature.items():
            if feature not in names:
                bits &= of_value.get("", others)
        return bits


def _demands(operand: Operand) -> dict[str, tuple[str, ...]]:
    """Return the values that an operand accepts for each feature; for a feature demanded twice, the common values."""
    demands: dict[str, tuple[str, ...]] = {}
    for feature, values in operand.features:
        both = demands.get(feature)
        demands[feature] = values if both is None else tuple([value for value in both if value in values])
    return demands
