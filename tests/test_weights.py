"""The weights of a grammar as a vector by numbered property: taken out, put back, printed, refused."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from random import Random
from typing import Any

import pytest

from numbat import Grammar, Parser, UsageError, load_grammar, parse_grammar
from numbat.grammar import printing, yaml_format
from numbat.grammar.model import PropertyWeights, Reading
from numbat.grammar.properties import MAX_WEIGHT, UNIT
from tests.strategies import random_grammar
from tests.test_round_trip import random_declared

NP = """
leaves: Det, N, Adj
all linearity weight 2 cost 5
NP:
    all uniqueness weight 3
    Det < N
    Adj < N weight 7
    uniq {Det, N}
    N => Det hard
"""
NUMBERS = (0, 1, UNIT, 2 * UNIT, 333_333, MAX_WEIGHT * UNIT)


def random_weights(grammar: Grammar, rng: Random) -> PropertyWeights:
    """Numbers of all sizes; now and then those that the property has."""
    weights = [rng.choice((p.weight_units, *NUMBERS, *(-number for number in NUMBERS))) for p in grammar.properties]
    costs = [rng.choice((p.cost_units, *NUMBERS)) for p in grammar.properties]
    return PropertyWeights(tuple(weights), tuple(costs))


@pytest.mark.parametrize("seed", range(60))
def test_weights_are_put_into_a_random_grammar(seed: int) -> None:
    rng = Random(seed)
    grammar = random_grammar(rng, negative=True)
    assert grammar.with_weights(grammar.weights) == grammar
    weights = random_weights(grammar, rng)
    changed = grammar.with_weights(weights)
    assert changed.weights == weights
    assert [(p.weight_units, p.cost_units) for p in changed.properties] == list(
        zip(weights.weights, weights.costs, strict=True)
    )


@pytest.mark.parametrize("seed", range(60))
def test_a_grammar_with_other_weights_reads_back_equal(seed: int) -> None:
    grammar = random_declared(seed)
    changed = grammar.with_weights(random_weights(grammar, Random(seed)))
    assert parse_grammar(printing.format_grammar(changed)) == changed
    assert parse_grammar(yaml_format.format_grammar(changed), "g.yaml") == changed


@pytest.mark.parametrize("seed", range(20))
def test_nothing_but_weights_and_costs_changes(seed: int) -> None:
    grammar = random_declared(seed)
    changed = grammar.with_weights(random_weights(grammar, Random(seed)))
    for old, new in zip(grammar.properties, changed.properties, strict=True):
        assert replace(new, weight_units=old.weight_units, cost_units=old.cost_units, stated=old.stated) == old
        assert old.stated.hard == new.stated.hard


def test_structure_is_shared() -> None:
    grammar = load_grammar("french")
    weights = PropertyWeights(tuple(p.weight_units + UNIT for p in grammar.properties), grammar.weights.costs)
    changed = grammar.with_weights(weights)
    other = {
        field.name for field in fields(grammar) if getattr(changed, field.name) is not getattr(grammar, field.name)
    }
    assert other == {"constructions"}
    for old, new in zip(grammar.properties, changed.properties, strict=True):
        assert (new.operands, new.features, new.span) == (old.operands, old.features, old.span)
        assert new.operands is old.operands
        assert new.span is old.span


def test_unchanged_properties_are_the_same_objects() -> None:
    grammar = parse_grammar(NP)
    weights = replace(grammar.weights, weights=(UNIT, *grammar.weights.weights[1:]))
    changed = grammar.with_weights(weights).properties
    assert [new is old for old, new in zip(grammar.properties, changed, strict=True)] == [False, *[True] * 4]


def test_properties_are_numbered_in_the_order_of_the_file_with_braces_distributed() -> None:
    grammar = parse_grammar(NP)
    numbered = {number: printing.format_property(prop) for number, prop in enumerate(grammar.properties)}
    assert numbered == {0: "Det < N", 1: "Adj < N", 2: "uniq Det", 3: "uniq N", 4: "N => Det"}
    assert grammar.weights == PropertyWeights(
        (2 * UNIT, 7 * UNIT, 3 * UNIT, 3 * UNIT, UNIT), (5 * UNIT, 5 * UNIT, 3 * UNIT, 3 * UNIT, UNIT)
    )


def test_only_what_no_level_above_gives_is_stated() -> None:
    weights = PropertyWeights(
        (UNIT, 2 * UNIT, 4 * UNIT, 3 * UNIT, 2 * UNIT), (5 * UNIT, UNIT, 4 * UNIT, 2 * UNIT, 2 * UNIT)
    )
    printed = printing.format_grammar(parse_grammar(NP).with_weights(weights))
    assert printed == (
        "leaves: Det, N, Adj\n"
        "all linearity weight 2 cost 5\n"
        "\n"
        "NP:\n"
        "    all uniqueness weight 3\n"
        "    Det < N weight 1\n"
        "    Adj < N cost 1\n"
        "    uniq Det weight 4\n"
        "    uniq N cost 2\n"
        "    N => Det weight 2 hard\n"
    )


@pytest.mark.parametrize(
    ("weights", "costs", "message"),
    [
        (
            (UNIT,),
            (UNIT, UNIT),
            "1 weight and 2 costs for a grammar of 2 properties\n"
            "  give one of each for every property, in the order of grammar.properties",
        ),
        (
            (UNIT, 1.5),
            (UNIT, UNIT),
            "the weight of property 1 (NP: uniq N) is 1.5, which is not an int\n"
            "  give fixed-point units, 1000000 for 1: round(x * 1000000)",
        ),
        (
            (UNIT, UNIT),
            (True, UNIT),
            "the cost of property 0 (NP: Det < N) is True, which is not an int\n"
            "  give fixed-point units, 1000000 for 1: round(x * 1000000)",
        ),
        (
            (UNIT, UNIT),
            (UNIT, -UNIT // 2),
            "the cost of property 1 (NP: uniq N) is -0.5 (-500000 units)\n"
            "  a cost lies between 0 and 1000000000, in fixed-point units 0 and 1000000000000000",
        ),
        (
            (-MAX_WEIGHT * UNIT - 1, UNIT),
            (UNIT, UNIT),
            "the weight of property 0 (NP: Det < N) is -1000000000.000001 (-1000000000000001 units)\n"
            "  a weight lies between -1000000000 and 1000000000, in fixed-point units -1000000000000000 and"
            " 1000000000000000",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights: Any, costs: Any, message: str) -> None:
    grammar = parse_grammar("leaves: Det, N\nNP: Det < N; uniq N")
    with pytest.raises(UsageError) as caught:
        grammar.with_weights(PropertyWeights(weights, costs))
    assert str(caught.value) == message


def test_weights_of_another_kind_are_refused() -> None:
    wrong: Any = [UNIT]
    with pytest.raises(UsageError) as caught:
        parse_grammar("leaves: N\nNP: uniq N").with_weights(wrong)
    assert str(caught.value) == (
        "the weights of a grammar are PropertyWeights, not a value of type list\n  give PropertyWeights(weights, costs)"
    )


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {"fragment_cost_units": float("inf")},
            f"the fragment_cost_units of a grammar is inf\n  it must be an int from 0 to {10**15}",
        ),
        (
            {"node_cost_units": -1},
            f"the node_cost_units of a grammar is -1\n  it must be an int from 0 to {10**15}, in",
        ),
        ({"unary_limit": 1.5}, "the unary_limit of a grammar is 1.5\n  it must be an int from 1 to 10000"),
        ({"unary_limit": 2**63}, f"the unary_limit of a grammar is {2**63}\n  it must be an int from 1 to 10000"),
    ],
)
def test_numbers_of_a_grammar_made_in_python_are_checked_by_its_parser(changed: dict[str, Any], told: str) -> None:
    grammar = replace(parse_grammar("leaves: A\nS:\n    oblig A\n"), **changed)
    for make in (Parser, partial(Parser, engine="phases")):
        with pytest.raises(UsageError) as error:
            make(grammar)
        assert str(error.value).startswith(told)


@pytest.mark.parametrize("number", [2**63, float("nan"), "1"])
def test_a_property_of_another_weight_or_cost_is_refused_by_a_parser(number: Any) -> None:
    grammar = parse_grammar("leaves: A\nS:\n    oblig A\n")
    (construction,) = grammar.constructions
    for field in ("weight", "cost"):
        (prop,) = (replace(each, **{f"{field}_units": number}) for each in construction.properties)
        changed = replace(grammar, constructions=(replace(construction, properties=(prop,)),))
        with pytest.raises(UsageError, match=f"^the {field} of property 0 "):
            Parser(changed)


@pytest.mark.parametrize("number", [0, -1, float("nan"), float("inf"), "1"])
def test_a_reading_without_a_weight_above_0_is_refused_where_it_is_looked_up(number: Any) -> None:
    grammar = parse_grammar("leaves: A\nS:\n    oblig A\nlexicon:\n    a: A\n")
    (entry,) = grammar.lexicon
    parser = Parser(replace(grammar, lexicon=(replace(entry, readings=(Reading("A", (), number),)),)))
    with pytest.raises(UsageError) as error:
        parser.parse("a")
    assert str(error.value) == (f"a reading as A has the weight {number!r}\n  it is a number above 0, up to 1000000000")
