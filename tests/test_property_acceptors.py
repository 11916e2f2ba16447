"""Properties of a grammar as acceptors of label sequences: against the evaluator, and under inference."""

from __future__ import annotations

import doctest
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Literal

import pytest

import numbat
from numbat import Grammar, UsageError
from numbat.automata import property_acceptors as module
from numbat.automata.property_acceptors import (
    FORBIDDEN,
    Acceptor,
    DeferredAcceptor,
    FunctionAcceptor,
    LocalAcceptor,
    property_acceptors,
    total_gain,
)
from numbat.automata.records import Kind
from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.model import Construction
from numbat.labels.csi import EDGE, Prediction, at_most, csi, predict, satisfied_weight
from tests.samples import enough
from tests.strategies import random_bundle, random_grammar


def test_the_worked_example() -> None:
    done = doctest.testmod(module)
    assert done.attempted > 3
    assert done.failed == 0


def judged(evaluator: Evaluator, construction: str, kinds: Sequence[Kind]) -> float:
    """Return minus the cost of a flat phrase by the evaluator, or forbidden if a violated property is hard."""
    daughters = tuple(Constituent(category, 1 << i, features) for i, (category, features) in enumerate(kinds))
    found = evaluator.characterize(construction, daughters)
    if any(instance.property.hard for instance in found.violated):
        return FORBIDDEN
    return -sum(instance.property.cost for instance in found.violated)


def total(acceptors: Sequence[Acceptor], labels: Sequence[str]) -> float:
    return sum(total_gain(each, labels) for each in acceptors)


def random_flat(seed: int) -> tuple[Grammar, str, dict[str, Kind]]:
    """A random grammar, its construction of the most properties, some of them hard, and labels for its daughters."""
    rng = Random(seed)
    grammar = random_grammar(rng)
    found = max(grammar.constructions, key=lambda each: len(each.properties))
    properties = tuple(replace(prop, hard=prop.hard or rng.random() < 0.15) for prop in found.properties)
    construction = replace(found, properties=properties)
    every = tuple(construction if each is found else each for each in grammar.constructions)
    grammar = replace(grammar, constructions=every)
    operands = [operand.category for prop in construction.properties for operand in prop.all_operands()]
    categories = sorted({*operands, *grammar.leaves})
    chosen = rng.sample(categories, min(3, len(categories)))
    kinds: dict[str, Kind] = {f"{category}{i}": (category, random_bundle(rng)) for i, category in enumerate(chosen)}
    return grammar, construction.name, kinds


def test_acceptors_say_what_the_evaluator_says() -> None:
    """On random grammars of every relation and semantics, for sequences of up to seven labels."""
    kinds_seen: set[str] = set()
    some = {"forbidden": 0, "costly": 0, "free": 0}
    for seed in range(enough(80)):
        rng = Random(seed)
        grammar, construction, kinds = random_flat(seed)
        evaluator = Evaluator(build_table(grammar))
        acceptors = property_acceptors(grammar, construction, kinds)
        labels = [*kinds, rng.choice(grammar.leaves)]  # one without features, by its category
        some_long = [[rng.choice(labels) for _ in range(rng.randint(4, 7))] for _ in range(40)]
        for chosen in (*(each for size in (1, 2, 3) for each in product(labels, repeat=size)), *some_long):
            expected = judged(evaluator, construction, [kinds.get(label, (label, ())) for label in chosen])
            found = total(acceptors, chosen)
            assert found == pytest.approx(expected), (seed, construction, chosen)
            some["forbidden" if found == FORBIDDEN else "costly" if found < 0 else "free"] += 1
        kinds_seen |= {type(each).__name__ for each in acceptors}
    assert kinds_seen == {"LocalAcceptor", "DeferredAcceptor"}
    assert min(some.values()) > enough(700)


def random_predictions(rng: Random, labels: Sequence[str], size: int) -> list[Prediction]:
    found = []
    for i in range(size):
        before = EDGE if i == 0 else rng.choice(labels)
        after = EDGE if i + 1 == size else rng.choice(labels)
        found.append(predict({(before, rng.choice(labels), after): rng.randint(1, 64) / 64 for _ in range(3)}))
    return found


def test_csi_under_properties_finds_what_brute_force_finds() -> None:
    """It finds the labelling with the highest weight minus cost by the evaluator; none if all are forbidden."""
    changed = forbidden = 0
    for seed in range(enough(300)):
        rng = Random(seed)
        grammar, construction, kinds = random_flat(seed)
        labels = list(kinds)
        predictions = random_predictions(rng, labels, rng.randint(1, 4))
        evaluator = Evaluator(build_table(grammar))
        acceptors = property_acceptors(grammar, construction, kinds)
        candidates = [rng.sample(labels, rng.randint(1, len(labels))) for _ in predictions]

        def value(chosen: tuple[str, ...]) -> float:
            own = judged(evaluator, construction, [kinds[label] for label in chosen])  # noqa: B023
            return own + satisfied_weight(predictions, chosen)  # noqa: B023

        best = max(map(value, product(*candidates)))
        if best == FORBIDDEN:
            forbidden += 1
            with pytest.raises(DataError):
                csi(predictions, acceptors, candidates)
            continue
        found = tuple(csi(predictions, acceptors, candidates))
        assert value(found) == pytest.approx(best), seed
        changed += found != tuple(csi(predictions, (), candidates))
    assert changed > enough(20)
    assert forbidden > enough(5)


NP = """
leaves: Det, Adj, N, P
roots: NP
NP:
    uniq Det hard
    Det < N cost 2
    Adj + N cost 1
    oblig N cost 3
    Det => N hard
    const {Det, Adj, N, P}
"""


def np_acceptors(counting: Literal["instance", "property"] = "instance") -> dict[str, Acceptor]:
    grammar = numbat.parse_grammar(NP)
    grammar = replace(grammar, semantics=replace(grammar.semantics, counting=counting))
    return {each.property.relation: each for each in made(grammar)}


def made(grammar: Grammar, labels: Mapping[str, Kind] | None = None) -> list[LocalAcceptor | DeferredAcceptor]:
    found = property_acceptors(grammar, "NP", labels)
    return [each for each in found if isinstance(each, LocalAcceptor | DeferredAcceptor)]


@pytest.mark.parametrize(
    ("relation", "labels", "gain"),
    [
        ("uniqueness", "Det Det", FORBIDDEN),
        ("uniqueness", "Det N P", 0.0),
        ("linearity", "N Det P Det", -4.0),
        ("linearity", "N Det N Det", -6.0),
        ("adjacency", "Adj P N", -1.0),
        ("adjacency", "Adj N", 0.0),
        ("adjacency", "Adj Foo N", -1.0),
        ("obligation", "Det Adj", -3.0),
        ("requirement", "Det Adj", FORBIDDEN),
        ("requirement", "Det Adj N", 0.0),
    ],
)
def test_by_hand(relation: str, labels: str, gain: float) -> None:
    assert total_gain(np_acceptors()[relation], labels.split()) == gain


def test_counting_by_property_charges_once() -> None:
    linearity = np_acceptors(counting="property")["linearity"]
    assert total_gain(linearity, ["N", "Det", "N", "Det"]) == -2.0


def test_a_violation_is_charged_as_soon_as_it_is_certain() -> None:
    uniqueness = np_acceptors()["uniqueness"]
    state, gain = uniqueness.step(uniqueness.start, 0, "Det")
    assert gain == 0.0
    assert uniqueness.step(state, 1, "Det")[1] == FORBIDDEN


def test_states_are_few() -> None:
    """Where only presence matters, as in hard properties, or no later label can violate anything with a label."""
    labels = ("Det", "Adj", "N", "P")
    for relation, most in {"uniqueness": 2, "requirement": 4, "linearity": 13, "obligation": 13}.items():
        acceptor = np_acceptors()[relation]
        layer = {acceptor.start}
        for position in range(12):
            steps = [acceptor.step(state, position, label) for state in layer for label in labels]
            layer = {state for state, gain in steps if gain != FORBIDDEN}
        assert len(layer) <= most, relation


def test_labels_of_a_tag_set_have_categories_and_features() -> None:
    text = NP + "    Det ~> N [number] hard\n"
    grammar = numbat.parse_grammar("features: number: sg, pl\n" + text.lstrip("\n"))
    labels: dict[str, Kind] = {
        "DT": ("Det", (("number", "sg"),)),
        "NN": ("N", (("number", "sg"),)),
        "NNS": ("N", (("number", "pl"),)),
    }
    acceptors = made(grammar, labels)
    assert total(acceptors, ["DT", "NN"]) == 0.0
    assert total(acceptors, ["DT", "NNS"]) == FORBIDDEN
    assert total(acceptors, ["DT", "N"]) == 0.0  # no label of the map: the category, of no number


def test_a_construction_that_is_not_there() -> None:
    with pytest.raises(UsageError) as error:
        property_acceptors(numbat.parse_grammar(NP), "NPP")
    assert str(error.value) == 'the grammar has no construction "NPP"\n  did you mean "NP"?'


def test_a_construction_without_properties_accepts_everything() -> None:
    grammar = replace(numbat.parse_grammar(NP), constructions=(Construction("NP"),))
    assert property_acceptors(grammar, "NP") == ()


def test_constraints_of_a_caller_are_acceptors_too() -> None:
    every: list[Acceptor] = [
        at_most("a", 1),
        FunctionAcceptor(0, lambda state, _, label: (state, -1.0)),
        *made(numbat.parse_grammar(NP)),
    ]
    assert [total_gain(each, ["a", "a"]) for each in every[:2]] == [FORBIDDEN, -2.0]
