"""From text to statements, the step before names are looked up: logical lines, places, both notations."""

from __future__ import annotations

import pytest
from lark import Token, Tree

from numbat.errors import Span
from numbat.grammar import line_parser, notation, printing, yaml_format
from numbat.grammar.expressions import Not, Precedes
from numbat.grammar.loading import load_grammar
from numbat.grammar.notation import ExpressionReader, RelationAttribute, SectionOpening, StatementReader
from numbat.grammar.statements import (
    ConditionSyntax,
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    FeatureRuleStatement,
    FeatureStatement,
    GroupSyntax,
    HeadStatement,
    InheritStatement,
    OperandSyntax,
    PlacedText,
    PropertyStatement,
    ReadingSyntax,
    RelationStatement,
    SettingStatement,
    SpellingStatement,
    Statement,
    StrengthStatement,
    StrengthSyntax,
    SwitchStatement,
    TokenRuleStatement,
    UnreadLine,
)
from numbat.grammar.syntax_errors import listed, phrase

NOWHERE = Span("", 0)


def text(word: str) -> PlacedText:
    """A text that equals the same text anywhere."""
    return PlacedText(word, NOWHERE)


def operands(*categories: str) -> tuple[OperandSyntax, ...]:
    return tuple(OperandSyntax(text(category)) for category in categories)


def there(*categories: str) -> ConditionSyntax:
    return ConditionSyntax("there", operands=operands(*categories))


def statements(grammar: str) -> list[Statement]:
    found, problems = notation.read(grammar, "g.pg")
    assert problems == []
    return found


# Logical lines


def test_a_line_goes_on_within_brackets() -> None:
    lines = notation.logical_lines("leaves: A,\nNP:\n    uniq {A,\n      B} # so\n\n    # nothing\n  A[f=u]\n", "g.pg")
    assert [(line.text, str(line.span), line.indented) for line in lines] == [
        ("leaves: A,", "g.pg:1:1", False),
        ("NP:", "g.pg:2:1", False),
        ("uniq {A,\n      B} # so", "g.pg:3:5", True),
        ("A[f=u]", "g.pg:7:3", True),
    ]


def test_a_bracket_that_is_never_closed_ends_with_its_line() -> None:
    lines = notation.logical_lines("NP: uniq {A\nVP:\n    A < B\n", "g.pg")
    assert [line.text for line in lines] == ["NP: uniq {A", "VP:", "A < B"]


# Statements of the notation


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("leaves: Det, N", SettingStatement(text("leaves"), operands("Det", "N"))),
        ("node_cost: 2.5", SettingStatement(text("node_cost"), operands("2.5"))),
        ('source: "a \\"b\\""', SettingStatement(text("source"), operands('a "b"'))),
        ("features: number: sg, pl", FeatureStatement(text("number"), (text("sg"), text("pl")))),
        ("semantics: counting: property", SwitchStatement(text("counting"), text("property"))),
        ("all < cost 3", StrengthStatement(text("<"), StrengthSyntax(cost=text("3")), everywhere=True)),
        ('tokens: prefix "l\'"', TokenRuleStatement("prefix", (text("l'"),))),
        ('tokens: rewrite du: "de", le', TokenRuleStatement("rewrite", (text("du"), text("de"), text("le")))),
        (
            "lexicon: cats: N[number=pl] weight 2 lemma cat",
            EntryStatement(
                text("cats"),
                (
                    ReadingSyntax(
                        OperandSyntax(text("N"), (DemandSyntax(text("number"), (text("pl"),)),)),
                        text("2"),
                        text("cat"),
                    ),
                ),
            ),
        ),
        ('guess: "*s": N', EntryStatement(text("*s"), (ReadingSyntax(operands("N")[0]),), "guess")),
        ('names: "*": N', EntryStatement(text("*"), (ReadingSyntax(operands("N")[0]),), "names")),
        (
            'spelling: "a*", "e*": {N, V}[vowel]',
            SpellingStatement(
                (text("a*"), text("e*")),
                tuple(OperandSyntax(text(c), (DemandSyntax(None, (text("vowel"),)),)) for c in ("N", "V")),
            ),
        ),
    ],
)
def test_a_statement_at_the_margin(line: str, expected: Statement) -> None:
    assert statements(line) == [expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("head N, Pro", HeadStatement(operands("N", "Pro"))),
        ("inherit none", InheritStatement((text("none"),))),
        ("const {N, A}", ConstituencyStatement(operands("N", "A"))),
        ("all uniq hard", StrengthStatement(text("uniq"), StrengthSyntax(hard=True))),
        ("n = pl", FeatureRuleStatement(text("n"), text("pl"))),
        (
            "n = pl if no N",
            FeatureRuleStatement(text("n"), text("pl"), condition=ConditionSyntax("not", (there("N"),))),
        ),
        (
            "n = pl if (N or {A, B}) and no C",
            FeatureRuleStatement(
                text("n"),
                text("pl"),
                condition=ConditionSyntax(
                    "and",
                    (
                        ConditionSyntax("or", (there("N"), there("A", "B"))),
                        ConditionSyntax("not", (there("C"),)),
                    ),
                ),
            ),
        ),
        ("n from Det, N", FeatureRuleStatement(text("n"), sources=operands("Det", "N"))),
    ],
)
def test_a_statement_about_a_construction(line: str, expected: Statement) -> None:
    assert statements(f"NP:\n    {line}") == [ConstructionStatement(text("NP")), expected]


def test_a_property_has_the_place_from_its_first_to_its_last_operand() -> None:
    _, found = statements("NP:\n    {Det, A} ~> N[sg] [number] weight 2 weight 3\n")
    group, last = GroupSyntax(operands("Det", "A"), braces=True), DemandSyntax(None, (text("sg"),))
    shared = (DemandSyntax(None, (text("number"),)),)
    assert found == PropertyStatement(
        text("~>"),
        (((group,),), ((GroupSyntax((OperandSyntax(text("N"), (last,)),), shared),),)),
        StrengthSyntax(text("2"), doubled=text("weight")),
        Span("g.pg", 2, 6, 18),
        shared,
    )
    assert isinstance(found, PropertyStatement)
    assert (str(found.relation.span), str(found.parameters[1][0][0].operands[0].category.span)) == (
        "g.pg:2:14",
        "g.pg:2:17",
    )


def test_the_attributes_below_a_relation_are_its_own() -> None:
    (found,) = statements('relation after(B, C) for each B, C: index(B) >= index(C)\n    symmetric yes; says "so"\n')
    assert found == RelationStatement(
        text("after"),
        (text("B"), text("C")),
        (text("B"), text("C")),
        Not(Precedes(text("B"), text("C"))),
        symmetric=True,
        says="so",
    )


def test_a_line_with_a_mistake_leaves_the_names_that_it_may_declare() -> None:
    found, problems = notation.read("leaves: Det N\nNP:\n    Det < N\n", "g.pg")
    assert found[0] == UnreadLine(("leaves", "Det", "N"))
    assert found[1] == ConstructionStatement(text("NP"))
    assert [problem.message for problem in problems] == ['"N" does not fit here']


# Lark's trees


def test_a_token_has_its_place_in_the_file_and_not_in_its_line() -> None:
    token, second = Token("NAME", "N"), Token("STRING", '"a b"')
    token.line, token.column, second.line, second.column = 1, 3, 2, 7
    reader = ExpressionReader(Span("g.pg", 10, 5))
    first = reader.transform(Tree("name", [token]))
    last = reader.transform(Tree("string", [second]))
    assert (first, first.span) == ("N", Span("g.pg", 10, 7, 8))
    assert (last, last.span) == ("a b", Span("g.pg", 11, 7, 12))


def test_sections_and_attributes_are_no_statements_yet() -> None:
    reader = StatementReader(Span("g.pg", 1))
    opening: Tree[Token] = Tree("open_lexicon", [Token("LEXICON", "lexicon")])
    assert reader.transform(opening) == [SectionOpening("lexicon")]
    truth = Tree("truth", [Token("YES", "yes")])
    tree: Tree[Token] = Tree("monotonic", [Token("MONOTONIC", "monotonic"), truth])
    assert reader.transform(tree) == RelationAttribute("monotonic", True)


# Messages


def test_every_terminal_has_a_phrase() -> None:
    terminals = {terminal.name for terminal in line_parser._lark(False).terminals} - {"WS", "COMMENT"}
    assert not [name for name in terminals if name.startswith("__")]
    assert all(phrase(name) for name in terminals)
    assert phrase("RSQB") == '"]"'
    assert phrase("WEIGHT") == '"weight"'


@pytest.mark.parametrize(
    ("terminals", "expected"),
    [
        (set(), ""),
        ({"$END"}, "the end of the line"),
        ({"NAME", "STRING", "WILDCARD"}, "a category"),
        ({"COMMA", "COLON", "WEIGHT"}, '":", "," or "weight"'),
        ({"LINEARITY", "ADJACENCY", "REQUIREMENT", "EXCLUSION", "DEPENDENCY", "LSQB"}, "a relation (< + => x ~>)"),
    ],
)
def test_expected_terminals_are_listed_in_one_order(terminals: set[str], expected: str) -> None:
    assert listed(terminals) == expected


# YAML


@pytest.mark.parametrize("name", ["english-np", "french-chrg", "numbat-h3"])
def test_yaml_gives_the_statements_of_the_notation(name: str) -> None:
    """Except for the order of settings and the span of a property, which in YAML is that of its text."""
    grammar = load_grammar(name)
    one, no_problems = notation.read(printing.format_grammar(grammar), "g.pg")
    other, none_either = yaml_format.read(yaml_format.format_grammar(grammar), "g.yaml")
    assert (no_problems, none_either) == ([], [])
    kinds = (FeatureStatement, SwitchStatement, RelationStatement, ConstructionStatement, EntryStatement)
    for kind in (*kinds, TokenRuleStatement, SpellingStatement, HeadStatement, InheritStatement, FeatureRuleStatement):
        assert [s for s in one if isinstance(s, kind)] == [s for s in other if isinstance(s, kind)]


def test_the_texts_of_yaml_stay_what_they_are() -> None:
    root, problems = yaml_format.compose("[NO, 1:20, 'a b', on]", "g.yaml")
    assert problems == []
    assert root is not None
    reader = yaml_format.Nodes("g.yaml", ["[NO, 1:20, 'a b', on]"])
    words = reader.words(root)
    assert words == ("NO", "1:20", "a b", "on")
    assert [str(word.span) for word in words] == ["g.yaml:1:2", "g.yaml:1:6", "g.yaml:1:13", "g.yaml:1:19"]
    assert reader.problems == []
