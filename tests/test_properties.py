"""Properties as records and as text: numbers, operands, strengths, and the place that reports print."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat import parse_grammar
from numbat.errors import Span
from numbat.grammar.checks import features_never_given, misread_names, rules_never_applied
from numbat.grammar.model import Construction
from numbat.grammar.properties import (
    MAX_WEIGHT,
    UNIT,
    Operand,
    Property,
    Strength,
    format_named,
    format_number,
    format_operand,
    format_parameter,
    format_property,
    format_statement,
    format_strength,
)
from numbat.grammar.word_checks import uncut_clitics

N, DET = Operand("N", (("number", ("sg", "pl")),)), Operand("PRP$")


@given(st.integers(-MAX_WEIGHT * UNIT, MAX_WEIGHT * UNIT))
def test_a_number_of_units_is_an_exact_decimal_number(units: int) -> None:
    written = format_number(units)
    assert Decimal(written) * UNIT == units
    assert not written.endswith(("." if "." not in written else "0", "."))


@pytest.mark.parametrize(
    ("prop", "text"),
    [
        (Property("NP", "uniqueness", (((N,),),)), "uniq N[number=sg|pl]"),
        (Property("NP", "obligation", (((N,), (DET,)),)), 'oblig N[number=sg|pl] | "PRP$"'),
        (Property("NP", "requirement", (((N, DET),), ((DET,),))), 'N[number=sg|pl] & "PRP$" => "PRP$"'),
        (Property("NP", "dependency", (((DET,),), ((DET,),)), ("number",)), '"PRP$" ~> "PRP$" [number]'),
        (Property("NP", "mine", (((DET,),), ((DET,),)), ("a", "b")), 'mine("PRP$", "PRP$") [a, b]'),
    ],
)
def test_a_property_in_the_notation(prop: Property, text: str) -> None:
    assert format_property(prop) == text
    assert format_named(prop) == f"NP: {text}"


def test_operands_are_quoted_where_they_must_be_read_back_and_bare_for_people() -> None:
    assert format_operand(DET) == '"PRP$"'
    assert str(DET) == "PRP$"
    assert str(N) == format_operand(N) == "N[number=sg|pl]"
    assert format_parameter(((N, DET), (DET,))) == 'N[number=sg|pl] & "PRP$" | "PRP$"'


def test_an_operand_matches_what_has_its_category_and_features() -> None:
    assert N.matches("N", (("kind", "a"), ("number", "pl")))
    assert not N.matches("N", (("kind", "a"),))
    assert not N.matches("V", (("number", "pl"),))


def test_a_strength_is_printed_as_far_as_it_is_stated() -> None:
    assert format_strength(Strength()) == ""
    assert format_strength(Strength(-UNIT, 2_500_000, hard=True)) == " weight -1 cost 2.5 hard"
    prop = Property("NP", "linearity", (((DET,),), ((N,),)), stated=Strength(cost=0))
    assert format_statement(prop, ["A", "{B, C}"]) == "A < {B, C}"
    assert format_statement(prop, ["A", "B"], strength=True) == "A < B cost 0"


def test_the_place_of_a_property_is_shown_and_not_compared() -> None:
    prop = Property("NP", "uniqueness", (((N,),),), span=Span("folder/g.pg", 3, 5))
    bare = Property("NP", "uniqueness", (((N,),),))
    assert prop == bare
    assert (prop.place, bare.place) == ("g.pg:3", "")
    assert (repr(prop), repr(bare)) == ("<NP: uniq N[number=sg|pl] (g.pg:3)>", "<NP: uniq N[number=sg|pl]>")


def test_all_operands_of_a_property() -> None:
    prop = Property("NP", "requirement", (((N, DET),), ((DET,), (N,))))
    assert list(prop.all_operands()) == [N, DET, DET, N]


# Values that a construction derives from its properties


def test_heads_are_named_or_the_single_obligatory_operands() -> None:
    obligations = Property("NP", "obligation", (((N,), (DET, N), (DET,), (N,)),))
    other = Property("NP", "uniqueness", (((Operand("A"),),),))
    assert Construction("NP", properties=(other, obligations)).heads == (N, DET)
    assert Construction("NP", head=(DET,), properties=(obligations,)).heads == (DET,)


def test_daughters_are_declared_or_the_categories_of_all_operands() -> None:
    prop = Property("NP", "requirement", (((N,),), ((DET,), (N,))))
    assert Construction("NP", properties=(prop,)).daughters == (Operand("N"), DET)
    assert Construction("NP", constituency=(N,), properties=(prop,)).daughters == (N,)


# Checks of words, without a file


def test_lexical_checks_of_a_grammar_without_a_file_point_at_the_whole() -> None:
    grammar = parse_grammar(
        "leaves: N, NA\nfeatures: f: u\nX:\n    uniq N[f=u]\n    f = u\n    f from N\n"
        'lexicon:\n    "l\'": N\nguess:\n    "*": N\n    "x*": N\n'
    )
    whole = Span("g", 0)
    found = [
        (problem.message, str(problem.span))
        for check in (features_never_given, rules_never_applied, misread_names, uncut_clitics)
        for problem in check(grammar, whole)
    ]
    assert found == [
        ("X: uniq N[f=u] asks for f, but no N has it", "<grammar>:4:5"),
        ('guess: "x*" never applies: "*" before it matches the same words', "g"),
        ("X: f from N never applies: f = u before it always does", "<grammar>:3:1"),
        ('data tools such as R read the name "NA" as something else', "g"),
        ('the lexicon has "l\'", but no token rule cuts it from the word after it', "g"),
    ]
