"""The lookup table: retrieval by the operands present equals a scan of all properties (ruling 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from itertools import product
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat import Grammar
from numbat.cli.main import cli
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.model import relations_of
from numbat.grammar.properties import Property
from tests.oracle import is_retrieved
from tests.phases.making import NP, grammar, written
from tests.samples import enough
from tests.strategies import grammars, random_bundle, random_grammar


def scan(of: Grammar, categories: Sequence[str]) -> list[Property]:
    """Return the properties with a clause all of whose operands are present, by testing every property."""
    there = Counter(categories)
    found = []
    for prop in of.properties:
        relation = relations_of(of)[prop.relation]
        choices = [
            [
                operands
                for name, operands in zip(relation.parameters, prop.operands, strict=True)
                if name in clause.matched
            ]
            for clause in relation.clauses
        ]
        wanted = (
            Counter(operand.category for joint in joints for operand in joint)
            for each in choices
            for joints in product(*each)
        )
        if any(one and one <= there for one in wanted):
            found.append(prop)
        else:
            if (
                prop.relation.partition(" if ")[0] in ("obligation", "oblig B")
                and of.semantics.trigger == "any-property"
            ):
                joints = (Counter(operand.category for operand in joint) for joint in prop.operands[0])
                found += [prop] * any(joint <= there for joint in joints)
    return found


def categories_of(of: Grammar) -> list[str]:
    return [*of.leaves, *(construction.name for construction in of.constructions), "Unheard"]


def check_lookup(of: Grammar, rng: Random) -> None:
    table = build_table(of)
    for size in (1, 1, 2, 3, 4, 5):
        categories = rng.choices(categories_of(of), k=size)
        assert list(map(id, table.lookup(categories))) == list(map(id, scan(of, categories)))


def check_retrieval(of: Grammar, rng: Random) -> None:
    """With the features that operands demand: against the oracle, property by property."""
    made = Evaluator(build_table(of))
    for size in (1, 2, 3, 4):
        daughters = [(rng.choice(categories_of(of)), random_bundle(rng)) for _ in range(size)]
        assignment = tuple(Constituent(name, 1 << i, features) for i, (name, features) in enumerate(daughters))
        expected = [prop for prop in of.properties if is_retrieved(of, prop, daughters)]
        assert list(map(id, made.retrieve(assignment))) == list(map(id, expected))


@pytest.mark.parametrize("first", range(0, enough(400), 100))
def test_lookup_is_a_linear_scan(first: int) -> None:
    for seed in range(first, first + 100):
        rng = Random(seed)
        check_lookup(random_grammar(rng), rng)


@pytest.mark.parametrize("first", range(0, enough(400), 100))
def test_retrieval_is_what_the_oracle_finds_property_by_property(first: int) -> None:
    for seed in range(first, first + 100):
        rng = Random(seed)
        check_retrieval(random_grammar(rng), rng)


@settings(max_examples=enough(60), derandomize=True)
@given(grammars(), st.randoms(use_true_random=False))
def test_lookup_and_retrieval_on_grammars_that_shrink(of: Grammar, rng: Random) -> None:
    check_lookup(of, rng)
    check_retrieval(of, rng)


# Keys of the table


JOINT = """
leaves: Det, N, Rel, Adv, V
NP:
    oblig {N, Det}
    uniq {N, V}
    N => Det
    N & Rel => Det & Adv | V
    V x Adv & N
    Det < N
    N < N
    N ~> Det [number]
features:
    number: sg, pl
"""


def keys(text: str) -> dict[tuple[str, ...], list[str]]:
    return {key: written(properties) for key, properties in build_table(grammar(text)).by_operands.items()}


def test_keys_are_the_operands_that_must_be_there_sorted() -> None:
    assert keys(JOINT) == {
        ("N",): ["NP: oblig N | Det", "NP: uniq N", "NP: N => Det"],
        ("Det",): ["NP: oblig N | Det"],
        ("V",): ["NP: uniq V"],
        ("N", "Rel"): ["NP: N & Rel => Det & Adv | V"],
        ("Adv", "N", "V"): ["NP: V x Adv & N"],
        ("Det", "N"): ["NP: Det < N", "NP: N ~> Det [number]"],
        ("N", "N"): ["NP: N < N"],
    }


def test_exclusion_that_counts_has_a_key_for_each_side() -> None:
    text = "semantics:\n    exclusion: counts\nleaves: A, B, C\nX:\n    A & B x C\n"
    assert keys(text) == {key: ["X: A & B x C"] for key in (("A", "B", "C"), ("A", "B"), ("C",))}


def test_keys_of_a_relation_of_the_grammar_writer() -> None:
    text = """
leaves: A, B, C
relation between(B, C, D) for each B, C, D: index(B) < index(C) and index(C) < index(D)
relation crowded(B): count(B) > 2
X:
    between(A, C, B)
    crowded(A)
"""
    table = build_table(grammar(text))
    assert keys(text) == {("A", "B", "C"): ["X: between(A, C, B)"]}
    assert written(table.by_construction["X"]) == ["X: crowded(A)"]


def test_the_second_index_has_what_no_operand_retrieves() -> None:
    table = build_table(grammar(NP))
    assert {name: written(found) for name, found in table.by_construction.items()} == {
        "NP": ["NP: oblig N"],
        "VP": ["VP: oblig V"],
    }
    by_operands = {id(prop) for found in table.by_operands.values() for prop in found}
    absence = {id(prop) for found in table.by_construction.values() for prop in found}
    assert absence < by_operands  # by the daughters that satisfy them (ruling 8)
    assert by_operands == {id(prop) for prop in table.grammar.properties}


def test_each_property_is_linked_to_the_construction_whose_form_it_is_in() -> None:
    table = build_table(grammar("leaves: A, B\nX:\n    A < B\nY:\n    A < B\n"))
    assert [prop.construction for prop in table.lookup(["A", "B"])] == ["X", "Y"]
    assert set(table.constructions) == {"X", "Y"}


def test_a_grammar_without_properties_has_an_empty_table() -> None:
    table = build_table(Grammar())
    assert table.lookup(["N"]) == ()
    assert table.largest == 0


# Built once


def test_the_table_cannot_be_changed() -> None:
    table = build_table(grammar(NP))
    with pytest.raises(FrozenInstanceError):
        table.largest = 5
    for mapping in (table.by_operands, table.by_construction, table.covered, table.constructions, table.order):
        with pytest.raises(TypeError):
            mapping["NP"] = ()  # type: ignore[index]


def test_looking_up_leaves_the_table_as_it_was() -> None:
    table = build_table(grammar(NP))
    before = {key: tuple(map(id, found)) for key, found in table.by_operands.items()}
    first, second = table.lookup(["Det", "N", "V"]), table.lookup(["V", "N", "Det"])
    assert first == second
    assert {key: tuple(map(id, found)) for key, found in table.by_operands.items()} == before


# numbat check --table


def test_the_command_that_shows_the_table(tmp_path: Path) -> None:
    file = tmp_path / "small.pg"
    file.write_text(
        "leaves: Det, N\nNP:\n    oblig N\n    uniq {Det, N}\n    Det < N\n    N => Det\n", encoding="utf-8"
    )
    result = CliRunner().invoke(cli, ["check", str(file), "--table"], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout == (
        f"{file}: 1 construction, 5 properties, 2 leaves, 0 lexicon forms; 0 errors, 0 warnings\n"
        "(Det)\n"
        "    NP: uniq Det  small.pg:4\n"
        "(Det, N)\n"
        "    NP: Det < N  small.pg:5\n"
        "(N)\n"
        "    NP: oblig N  small.pg:3\n"
        "    NP: uniq N  small.pg:4\n"
        "    NP: N => Det  small.pg:6\n"
        "always, by construction\n"
        "    NP: oblig N  small.pg:3\n"
    )
