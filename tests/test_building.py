"""From statements to a grammar: names looked up, braces distributed, strengths combined, mistakes with their places."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from numbat.errors import Problem, Span
from numbat.grammar import lexicon, notation
from numbat.grammar.building import build, own_relations
from numbat.grammar.constructions import constructions_of, strengths_of
from numbat.grammar.declarations import Declarations
from numbat.grammar.expressions import Agree
from numbat.grammar.inflection import Lemma, Paradigm, ParadigmRow, Suffix, inflect
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Operand, Strength, format_property
from numbat.grammar.relations import BUILT_IN, BUILT_IN_BY_NAME, Clause
from numbat.grammar.statements import (
    DemandSyntax,
    EntryStatement,
    OperandSyntax,
    PlacedText,
    ReadingSyntax,
    Statement,
    StrengthStatement,
    StrengthSyntax,
)

HERE = Span("g.pg", 7, 3, 4)


def text(word: str) -> PlacedText:
    return PlacedText(word, HERE)


def statements(grammar: str, path: str = "g.pg") -> list[Statement]:
    found, problems = notation.read(grammar, path)
    assert problems == []
    return found


@pytest.fixture
def declarations() -> Declarations:
    relations = {name: row for row in BUILT_IN for name in (row.name, row.symbol)}
    features: dict[str, tuple[str, ...]] = {"number": ("sg", "pl"), "case": ("nom", "acc"), "kind": ("sg", "mass")}
    return Declarations(features=features, categories=dict.fromkeys(("Det", "N", "NP")), relations=relations)


def messages(problems: Sequence[Problem]) -> list[tuple[str, str]]:
    """Return the message and the hint of each problem."""
    return [(problem.message, problem.hint) for problem in problems]


# Declarations


def test_names_that_are_declared_are_found_without_a_problem(declarations: Declarations) -> None:
    assert declarations.relation(text("<")) is BUILT_IN_BY_NAME["linearity"]
    assert declarations.category(text("NP")) == "NP"
    assert declarations.feature(text("case")) == "case"
    assert declarations.value("case", text("acc")) == "acc"
    assert declarations.problems == []


def test_names_that_are_not_declared_are_problems_at_their_places(declarations: Declarations) -> None:
    assert declarations.relation(text("linearty")) is None
    assert declarations.category(text("Dett")) == "Dett"
    assert declarations.feature(text("tense")) == "tense"
    assert declarations.value("case", text("gen")) == "gen"
    assert messages(declarations.problems) == [
        ('"linearty" is not a relation', 'did you mean "linearity"?'),
        (
            '"Dett" is not a construction or a leaf',
            "did you mean \"Det\"? else declare it with 'leaves: Dett' or give it a form with 'Dett:'",
        ),
        ('"tense" is not a feature', 'declare it under "features:", as in "tense: value, value"'),
        ('"gen" is not a value of case', "the values of case are: nom, acc"),
    ]
    assert {problem.span for problem in declarations.problems} == {HERE}


def test_names_of_lines_with_mistakes_are_not_reported(declarations: Declarations) -> None:
    declarations.unread.add("V")
    assert declarations.category(text("V")) == "V"
    assert declarations.problems == []


def test_a_demand_is_sorted_and_its_values_stand_in_the_order_of_their_declaration(declarations: Declarations) -> None:
    demands = (DemandSyntax(text("number"), (text("pl"), text("sg"))), DemandSyntax(None, (text("acc"),)))
    assert declarations.demand(demands) == (("case", ("acc",)), ("number", ("sg", "pl")))
    assert declarations.operand(OperandSyntax(text("N"), demands[1:])) == Operand("N", (("case", ("acc",)),))
    assert declarations.problems == []


def test_a_value_of_several_features_needs_its_feature(declarations: Declarations) -> None:
    declarations.demand((DemandSyntax(None, (text("sg"),)),))
    assert messages(declarations.problems) == [('"sg" is a value of several features', "write number=sg or kind=sg")]


@pytest.mark.parametrize(("word", "units"), [("1", UNIT), ("0.000001", 1), ("-2.5", -2_500_000), ("1e3", 1000 * UNIT)])
def test_numbers_become_units(declarations: Declarations, word: str, units: int) -> None:
    assert declarations.units(text(word)) == units
    assert declarations.problems == []


@pytest.mark.parametrize("word", ["-1", "1000000001", "nan", "one"])
def test_a_cost_is_a_number_from_0_on(declarations: Declarations, word: str) -> None:
    assert declarations.strength(StrengthSyntax(cost=text(word))) == Strength()
    assert messages(declarations.problems) == [(f'"{word}" is not a number between 0 and 1000000000', "")]


# Constructions and strengths


def test_braces_are_distributed_where_operands_are_matched(declarations: Declarations) -> None:
    text = "NP:\n    uniq {Det, N}\n    {Det, NP} < N\n    oblig {N, NP}\n    Det => {N, NP} | Det\n"
    (construction,) = constructions_of(declarations, statements(text), {})
    assert [format_property(prop) for prop in construction.properties] == [
        *("uniq Det", "uniq N", "Det < N", "NP < N", "oblig N | NP", "Det => N | Det", "Det => NP | Det"),
    ]
    assert declarations.problems == []


def test_each_part_of_a_strength_comes_from_the_nearest_level(declarations: Declarations) -> None:
    everywhere = {"linearity": Strength(4 * UNIT, 5 * UNIT), "uniqueness": Strength(hard=True)}
    text = "NP:\n    all < weight 2\n    Det < N weight 3\n    Det < NP\n    uniq N\n"
    (construction,) = constructions_of(declarations, statements(text), everywhere)
    assert [(prop.weight_units, prop.cost_units, prop.hard) for prop in construction.properties] == [
        (3 * UNIT, 5 * UNIT, False),
        (2 * UNIT, 5 * UNIT, False),
        (UNIT, UNIT, True),
    ]
    assert construction.strengths == (("linearity", Strength(2 * UNIT)),)


def test_statements_of_several_files_about_one_construction_are_one_form(declarations: Declarations) -> None:
    both = [*statements("NP: uniq N\n"), *statements("N:\nNP: uniq Det\n", "other.pg")]
    found = constructions_of(declarations, both, {})
    assert [(each.name, len(each.properties)) for each in found] == [("NP", 2), ("N", 0)]


def test_a_relation_has_one_strength(declarations: Declarations) -> None:
    twice = [StrengthStatement(text(name), StrengthSyntax(weight=text("2"))) for name in ("<", "linearity")]
    assert strengths_of(declarations, twice) == {"linearity": Strength(2 * UNIT)}
    assert messages(declarations.problems) == [
        ('"all linearity" is set twice, first in line 7', "put them in one line")
    ]


# Relations of the grammar writer


def test_a_relation_is_a_row_like_the_built_in_ones(declarations: Declarations) -> None:
    (relation,) = own_relations(
        declarations, statements("relation like(B, C) for each B, C: agree(B, C)"), missing_unifies=False
    )
    assert (relation.name, relation.parameters, relation.clauses) == ("like", ("B", "C"), (Clause(("B", "C")),))
    assert relation.holds == Agree("B", "C", missing_unifies=False)
    assert relation.shares_features
    assert type(relation.clauses[0].matched[0]) is str


def test_what_compares_one_daughter_needs_a_parameter_that_is_matched(declarations: Declarations) -> None:
    own_relations(declarations, statements("relation close(B, C) for each B: adjacent(B, C)"), missing_unifies=True)
    assert messages(declarations.problems) == [
        ('"C" must be matched by one daughter here', 'write "for each B, C"'),
    ]


# A whole grammar


def test_names_may_be_used_before_they_are_declared() -> None:
    grammar, problems = build(statements("NP:\n    N[sg] => Det\nleaves: Det, N\nfeatures: number: sg, pl\n"))
    assert problems == []
    assert isinstance(grammar.constructions[0], Construction)
    assert grammar.leaves == ("Det", "N")


def test_the_file_that_includes_decides_about_settings_and_lists_are_joined() -> None:
    included = statements("language: fr\nleaves: A, B\nnode_cost: 2\n", "part.pg")
    grammar, problems = build([*included, *statements("language: en\nleaves: C\n")], {"part.pg": "g.pg"})
    assert problems == []
    assert grammar == Grammar(language="en", leaves=("A", "B", "C"), node_cost_units=2 * UNIT)


def test_all_mistakes_are_found_in_one_run() -> None:
    _, problems = build(statements("leaves: A, A\nX:\n    A < B\n    uniq C\nlexicon: w: D\n"))
    assert sorted((problem.span.line, problem.message) for problem in problems) == [
        (1, 'leaf "A" appears twice'),
        (3, '"B" is not a construction or a leaf'),
        (4, '"C" is not a construction or a leaf'),
        (5, '"D" is not a construction or a leaf'),
    ]


# Lexicon files


def test_a_line_of_a_lexicon_file_is_an_entry_with_places() -> None:
    (entry,), problems = lexicon.read("# a comment\n\nthe cats\tN\tnumber=pl|sg mass\t2\n", "w.tsv")
    assert problems == []
    demands = DemandSyntax(text("number"), (text("pl"), text("sg"))), DemandSyntax(None, (text("mass"),))
    assert entry == EntryStatement(text("the cats"), (ReadingSyntax(OperandSyntax(text("N"), demands), text("2")),))
    (one,) = entry.readings
    number, mass = one.operand.demands
    assert number.feature is not None
    assert [str(word.span) for word in (number.feature, *number.values, *mass.values)] == [
        *("w.tsv:3:12", "w.tsv:3:19", "w.tsv:3:22", "w.tsv:3:25"),
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [("the", "1 column"), ("the\tDet\t\t2\tthe\tmore", "6 columns")],
)
def test_a_line_of_the_wrong_length_is_a_problem(line: str, found: str) -> None:
    entries, (problem,) = lexicon.read(line, "w.tsv")
    assert entries == []
    assert (problem.message, problem.expected, problem.found) == ("this is not an entry", "2 to 5 columns", found)


N = OperandSyntax(text("N"))
ROWS = [
    ParadigmRow(text("%noun"), text("sg"), N, text("+"), (Suffix("", ""),)),
    ParadigmRow(text("%noun"), text("pl"), N, text("-y+ies"), (Suffix("y", "ies"),), "*[!aeiou]y"),
    ParadigmRow(text("%noun"), text("pl"), N, text("+s"), (Suffix("", "s"),)),
]


@pytest.mark.parametrize(
    ("row", "lemma", "form"), [(1, "city", "cities"), (1, "boy", None), (1, "cat", None), (2, "boy", "boys")]
)
def test_a_row_makes_a_form_of_the_lemmas_that_fit_it(row: int, lemma: str, form: str | None) -> None:
    assert ROWS[row].form(lemma) == form


def test_the_first_row_of_a_slot_that_fits_decides_and_irregular_forms_replace_it() -> None:
    city = Lemma(text("city"), text("%noun"), irregular=((text("sg"), ("citty", "citi")),))
    made = list(inflect(city, Paradigm({"sg": ROWS[:1], "pl": ROWS[1:]}, 3)))
    assert [each.form for each in made if isinstance(each, EntryStatement)] == ["citty", "citi", "cities"]
    assert len(made) == 3


def test_a_slot_without_a_row_that_fits_is_a_problem() -> None:
    (form, problem) = inflect(Lemma(text("boy"), text("%noun")), Paradigm({"sg": ROWS[:1], "pl": ROWS[1:2]}, 2))
    assert isinstance(form, EntryStatement)
    assert isinstance(problem, Problem)
    assert messages([problem]) == [
        (
            'no row of %noun gives the pl of "boy"',
            'line 7: "boy" does not match *[!aeiou]y; '
            "add a row, or write the form as pl=..., or pl=- where there is none",
        ),
    ]
