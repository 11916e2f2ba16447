"""Operands: other values, missing features, shared values, types; properties under conditions; inheritance."""

from __future__ import annotations

import pytest

from numbat import Parser
from numbat.errors import GrammarError
from numbat.grammar import declarations
from numbat.grammar.checks import check
from numbat.grammar.digest import digest
from numbat.grammar.loading import parse_grammar
from numbat.grammar.model import Grammar
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import format_property
from numbat.grammar.yaml_format import format_grammar as format_yaml

HEAD = """\
leaves: Det, N, PN, V, Cl
features:
    number: sg, pl
    case: acc, dat
types:
    Nominal: N, PN
    Any: Nominal, Det
"""
WORDS = """
lexicon:
    the: Det
    cat: N[number=sg]
    cats: N[number=pl]
    Mary: PN
    v: V[number=sg]
    lo: Cl[case=acc]
    le: Cl[case=dat]
    se: Cl
"""


def grammar(*lines: str) -> Grammar:
    return parse_grammar(HEAD + "X:\n" + "".join(f"    {line}\n" for line in lines) + WORDS)


def properties(*lines: str) -> list[str]:
    return [format_property(prop) for prop in grammar(*lines).properties]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("N[number != sg] => Det", ["N[number=pl] => Det"]),
        ("N[no number] => Det", ["N[no number] => Det"]),
        ("N[number=?] => Det", ["N[no number] => Det"]),
        ("N[number=?|sg] => Det", ["N[number=sg|?] => Det"]),
        ("uniq Cl[case=$x]", ["uniq Cl[case=acc]", "uniq Cl[case=dat]", "uniq Cl[no case]"]),
        (
            "N[number=$n] < V[number=$n]",
            ["N[number=sg] < V[number=sg|?]", "N[number=pl] < V[number=pl|?]", "N[no number] < V"],
        ),
        (
            "V[number=$n] => N[number=$n] | PN",
            ["V[number=sg] => N[number=sg|?] | PN", "V[number=pl] => N[number=pl|?] | PN", "V[no number] => N | PN"],
        ),
        (
            "oblig N[number=$n] & V[number=$n]",
            ["oblig N[number=sg] & V[number=sg|?] | N[number=pl] & V[number=pl|?] | N[no number] & V"],
        ),
        ("Det < Nominal", ["Det < N", "Det < PN"]),
        ("Det < Nominal[number=pl]", ["Det < N[number=pl]", "Det < PN[number=pl]"]),
        ("uniq Nominal", ["uniq N | PN"]),
        ("uniq {Nominal, V}", ["uniq N | PN", "uniq V"]),
        ("V => {Nominal, Cl}", ["V => N | PN", "V => Cl"]),
        ("{Nominal, Det} x {Cl, V}", ["N x Cl", "N x V", "PN x Cl", "PN x V", "Det x Cl", "Det x V"]),
        ("oblig {Nominal, Cl}", ["oblig N | PN | Cl"]),
        ("N[sg|pl] => V[pl|sg]", ["N[number=sg|pl] => V[number=sg|pl]"]),
        ("oblig Nominal", ["oblig N | PN"]),
        ("V => Any", ["V => N | PN | Det"]),
        ("Det & Nominal => V", ["Det & N => V", "Det & PN => V"]),
        ("Det < N if V", ["Det < N if V"]),
        ("Det < N cost 3 if V", ["Det < N if V"]),
        ("Det < N if no (V and Cl) and not PN", ["Det < N if (no V or no Cl) & no PN"]),
        ("Det ~> N [number] if {V, Cl}", ["Det ~> N [number] if V or Cl"]),
        ("V => Nominal if no Nominal", ["V => N | PN if no N & no PN"]),
        ("Det < N or N < Cl", ["Det < N or N < Cl"]),
        ("adjacent(Det, N) or (V < N and first(V))", ["Det + N or (V < N and first(V))"]),
        ("not Det < N", ["not Det < N"]),
        ("index(N) = 1 if V", ["first(N) if V"]),
        ("count(N) <= 2 and present(V)", ["count(N) <= 2 and present(V)"]),
        ("near(Det, N) if Cl[case=acc]", ["near(Det, N) if Cl[case=acc]"]),
        ("N.number = V.number", ["N.number = V.number"]),
        ("N.number != sg or first(N) if V", ["not N.number = sg or first(N) if V"]),
    ],
)
def test_what_a_statement_stands_for(line: str, expected: list[str]) -> None:
    assert properties(line) == expected


@pytest.mark.parametrize("write", [format_grammar, format_yaml])
def test_what_it_stands_for_is_printed_and_read_again(write: object) -> None:
    made = grammar(
        "uniq Nominal",
        "V < N or (N < V and not last(V)) if Cl",
        "all linearity cost 3",
        "Det < N if V or no Cl",
        "V[number=$n] => N[number=$n]",
        "uniq V hard if N",
    )
    assert callable(write)
    path = "g.yaml" if write is format_yaml else "g.pg"
    again = parse_grammar(write(made), path)
    assert again == made
    assert {prop.cost_units for prop in again.properties if prop.relation == "B < C if D or no E"} == {3_000_000}


def violated(made: Grammar, sentence: str) -> list[str]:
    return [format_property(each.property) for each in Parser(made).parse(sentence).violated]


def test_a_condition_is_met_by_a_daughter() -> None:
    made = grammar("Det < N if V", "uniq V")
    assert violated(made, "cat the v") == ["Det < N if V"]
    assert violated(made, "cat the") == []


def test_a_property_may_be_a_condition() -> None:
    made = grammar("oblig V", "Det < N or N < V", "distance(Det, V) <= 1 cost 3")
    assert violated(made, "the v cat") == []
    assert violated(made, "cat the v") == []
    assert violated(made, "v cat the") == ["Det < N or N < V", "distance(Det, V) <= 1"]


def test_daughters_that_are_one_of_several_count_together() -> None:
    made = grammar("oblig Nominal", "uniq Nominal hard", "uniq V")
    assert Parser(made).parse("cat v").is_full
    assert not Parser(made).parse("cat Mary").is_full


def test_a_shared_value_unifies() -> None:
    made = grammar("V[number=$n] => N[number=$n]", "oblig V")
    assert violated(made, "cat v") == []
    assert violated(made, "cats v") == ["V[number=sg] => N[number=sg|?]"]


def test_of_each_value_there_is_one() -> None:
    made = grammar("uniq Cl[case=$x]", "oblig V")
    assert violated(made, "lo le se v") == []
    assert violated(made, "lo lo v") == ["uniq Cl[case=acc]", "uniq Cl[case=acc]"]


MOTHER = """\
leaves: Det, N, PN, Adj, Conj
features:
    number: sg, pl
    gender: m, f
NP:
    oblig N
    Conj => N & N
    number = pl if Conj
    {Adj, Det} ~> mother [number, gender] cost 2
Name like NP:
    head PN, N
    number from Det, N
    without Adj ~> mother [gender]
lexicon:
    und: Conj; n: N[number=sg]; nn: N[number=pl]; a: Adj[number=sg]; aa: Adj[number=pl]; der: Det; die: Det[number=pl]
"""


def test_agreement_with_the_phrase_itself_is_with_what_gives_it_the_feature() -> None:
    of_np, of_name = (
        [format_property(prop) for prop in each.properties] for each in parse_grammar(MOTHER).constructions
    )
    assert of_np[2:] == [
        "Adj[number=sg|pl].number = pl if Conj",
        "Det[number=sg|pl].number = pl if Conj",
        "Adj ~> N [number] if no Conj",
        "Det ~> N [number] if no Conj",
        "Adj ~> N [gender]",
        "Det ~> N [gender]",
    ]
    assert of_name[2:] == [
        "Adj ~> Det[number=sg|pl] [number]",
        "Det ~> Det[number=sg|pl] [number]",
        "Adj ~> N[number=sg|pl] [number] if no Det[number=sg|pl]",
        "Det ~> N[number=sg|pl] [number] if no Det[number=sg|pl]",
        "Adj ~> PN [number] if no Det[number=sg|pl] & no N[number=sg|pl]",
        "Det ~> PN [number] if no Det[number=sg|pl] & no N[number=sg|pl]",
        "Adj ~> N [number] if no Det[number=sg|pl] & no N[number=sg|pl] & no PN",
        "Det ~> N [number] if no Det[number=sg|pl] & no N[number=sg|pl] & no PN",
        "Det ~> PN [gender]",
        "Det ~> N [gender] if no PN",
    ]


@pytest.mark.parametrize("sentence", ["n und n aa", "n und nn a", "der n a", "die n aa", "nn a", "a n und n", "die n"])
def test_a_daughter_agrees_with_the_features_that_the_phrase_has(sentence: str) -> None:
    parse = Parser(parse_grammar("roots: NP\n" + MOTHER)).parse(sentence)
    (phrase,) = parse.constituents
    number = dict(phrase.features)["number"]
    daughters = [dict(each.features).get("number") for each in phrase.daughters if each.construction in ("Adj", "Det")]
    wrong = [each.property for each in parse.violated if each.property.cost_units == 2_000_000]
    assert len(wrong) == len([each for each in daughters if each not in (None, number)])


HEIRS = """\
leaves: Det, N, V
features: number: sg, pl
NP:
    oblig N
    Det < N
    N => Det cost 2
    number = sg
    all linearity cost 4
Subject like NP "subject":
    without N => Det
    uniq Det
Bare like Subject:
    Det < N weight 2 cost 9
    number = pl if Det
    all requirement cost 1
"""


def test_a_construction_takes_over_what_its_parents_state() -> None:
    made = {each.name: each for each in parse_grammar(HEIRS).constructions}
    subject, bare = made["Subject"], made["Bare"]
    assert subject.title == "subject"
    assert list(map(format_property, subject.properties)) == ["oblig N", "Det < N", "uniq Det"]
    assert [prop.cost_units for prop in subject.properties] == [1_000_000, 4_000_000, 1_000_000]
    assert [(prop.weight_units, prop.cost_units) for prop in bare.properties][1] == (2_000_000, 9_000_000)
    assert [rule.value for rule in bare.feature_rules] == ["pl"]
    assert [rule.value for rule in subject.feature_rules] == ["sg"]
    assert dict(bare.strengths).keys() == {"linearity", "requirement"}


def test_heirs_are_printed_flat() -> None:
    made = parse_grammar(HEIRS)
    flat = parse_grammar(format_grammar(made))
    assert " like " not in format_grammar(made)
    assert (flat, digest(flat)) == (made, digest(made))


def line_of_heirs(number: int) -> list[str]:
    """Return constructions, each of which inherits from the previous one."""
    return ["X0:\n    oblig A\n", *(f"X{i} like X{i - 1}:\n    A x X{i - 1}\n" for i in range(1, number))]


@pytest.mark.parametrize("order", [1, -1])
def test_constructions_are_like_so_many_in_a_row(order: int) -> None:
    """Thousands of them took a minute, or with the other order too deep a recursion."""
    parse_grammar("leaves: A\n" + "".join(line_of_heirs(100)[::order]))
    with pytest.raises(GrammarError) as caught:
        parse_grammar("leaves: A\n" + "".join(line_of_heirs(400)[::order]))
    first, _, told = caught.value.problems[0].message.partition(" ")
    assert first.startswith("X")
    assert told == "inherits from more than 100 constructions"


def test_constructions_take_over_so_many_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "MAX_INHERITED", 2_000)
    names = ", ".join(f"C{i}" for i in range(20))
    one = f"leaves: {names}\nX:\n    oblig C0\n    {{{names}}} < {{{names}}}\n"
    with pytest.raises(GrammarError) as caught:
        parse_grammar(one + "".join(f"Y{i} like X:\n    uniq C{i}\n" for i in range(12)))
    (problem,) = caught.value.problems
    assert problem.message == "constructions inherit more than 2,000 properties"
    assert problem.hint == "inherit from fewer constructions, or from smaller ones"
    assert problem.span.line == 13


def test_a_construction_that_others_are_like_need_not_be_reached() -> None:
    made = parse_grammar(
        "leaves: Det, N\nroots: S\nS: uniq NP\nTop: uniq N\nMiddle like Top: Det < N\nNP like Middle: uniq Det\n"
        "Other like Top: uniq Det\n"
    )
    warnings = [each.message for each in check(made, "g.pg") if "reached" in each.message]
    assert warnings == ['construction "Other" cannot be reached from the roots (S)']


def test_both_notations_say_the_same() -> None:
    in_yaml = """\
leaves: [Det, N, V]
types: {Nominal: [N]}
constructions:
  NP:
    properties: [oblig Nominal, Det < N, N => Det]
  Subject:
    like: NP
    properties: [uniq Det if V]
    without: [N => Det]
"""
    written = (
        "leaves: Det, N, V\ntypes: Nominal: N\nNP: oblig Nominal; Det < N; N => Det\n"
        "Subject like NP: uniq Det if V; without N => Det\n"
    )
    assert parse_grammar(in_yaml, "g.yaml") == parse_grammar(written)


MISTAKES = {
    "a value that no other is left of": (
        "features: f: a\nX: N[f != a] => N\n",
        "<grammar>:3:11: f has no values other than a\n    X: N[f != a] => N\n              ^\n"
        "  for a daughter without f write [no f]",
    ),
    "what no word can have": (
        "features: f: a, b\nX: uniq N\nlexicon: n: N[no f]\n",
        '<grammar>:4:15: "?" is not a value that a word may have\n    lexicon: n: N[no f]\n                  ^^\n'
        "  leave out the features that the word does not have",
    ),
    "a variable alone": (
        "features: f: a, b\nX: N[f=$x] < V\n",
        '<grammar>:3:8: "$x" is used only once\n    X: N[f=$x] < V\n           ^^\n'
        "  use it in another operand too, as in A[number=$x] < B[number=$x]",
    ),
    "a variable outside of properties": (
        "features: f: a, b\nX: head N[f=$x]; uniq N\n",
        '<grammar>:3:13: "$x" has no meaning here\n    X: head N[f=$x]; uniq N\n                ^^\n'
        "  only operands of one property share a value",
    ),
    "alternatives that are one": (
        "features: f: a, b\nX: uniq N[f=a] | N\n",
        "<grammar>:3:4: a daughter may be both N[f=a] and N\n    X: uniq N[f=a] | N\n       ^^^^^^^^^^^^^^^\n"
        "  write N alone, or give the two different values of one feature",
    ),
    "more than a category in a condition": (
        "X: N | V < N or N < V\n",
        "<grammar>:2:4: a condition can compare only single categories\n    X: N | V < N or N < V\n       ^\n"
        "  write one property for each category",
    ),
    "values alone of two features": (
        "features: f: a, b; g: a, c\nX: N[b|c] < V\n",
        '<grammar>:3:8: "c" is not a value of f\n    X: N[b|c] < V\n           ^\n  the values of f are: a, b',
    ),
    "features to share that are alternatives": (
        "features: f: a; g: c\nX: N ~> V [f|g]\n",
        "<grammar>:3:14: features to compare cannot be alternatives\n    X: N ~> V [f|g]\n                 ^\n"
        "  write [f, g]",
    ),
    "two conditions": (
        "X: N < V if V cost 2 if N\n",
        '<grammar>:2:6: "if" appears twice\n    X: N < V if V cost 2 if N\n         ^\n  remove one of the two',
    ),
    "types in a circle": (
        "types: A: V, A\nX: uniq A\n",
        '<grammar>:2:14: type "A" is its own member: A > A\n    types: A: V, A\n                 ^\n'
        "  remove it from one of them",
    ),
    "a type that is a leaf": (
        "types: N: V\nX: uniq N\n",
        '<grammar>:2:8: "N" is already a construction or a leaf\n    types: N: V\n           ^\n'
        "  choose another name for the type",
    ),
    "a word that is a type": (
        "types: T: N, V\nX: uniq T\nlexicon: n: T\n",
        '<grammar>:4:13: "T" is not a construction or a leaf\n    lexicon: n: T\n                ^\n'
        "  it is a type: name one of its members, N, V",
    ),
    "heirs in a circle": (
        "X like Y: uniq N\nY like X: uniq V\n",
        "<grammar>:3:8: constructions inherit from each other in a circle: X like Y like X\n"
        '    Y like X: uniq V\n           ^\n  remove "like" from one of them',
    ),
    "parents that differ": (
        "X: N < V\nY: N < V cost 2\nZ like X, Y: uniq N\n",
        '<grammar>:4:11: X and Y differ in "N < V"\n    Z like X, Y: uniq N\n              ^\n'
        "  state in Z which of the two holds there",
    ),
    "agreement with the phrase by another relation": (
        "X: N < mother\n",
        '<grammar>:2:8: "mother" does not fit here\n    X: N < mother\n           ^^^^^^\n'
        "  the phrase itself is compared only with a daughter, by ~>: Adj ~> mother [number]",
    ),
    "agreement with the phrase in nothing": (
        "X: N ~> mother\n",
        '<grammar>:2:9: agreement with "mother" needs features to compare\n    X: N ~> mother\n            ^^^^^^\n'
        "  name them after it: N ~> mother [number]",
    ),
    "agreement in what no phrase has": (
        "features: f: a\nX: uniq N; N ~> mother [f]\n",
        "<grammar>:3:17: nothing gives X the feature f\n    X: uniq N; N ~> mother [f]\n                    ^^^^^^\n"
        "  give it a head that has the feature, or a feature rule",
    ),
    "no parent": (
        "X: N < V\nY like Z: uniq N\n",
        '<grammar>:3:8: "Z" is not a construction\n    Y like Z: uniq N\n           ^\n  the constructions are: X, Y',
    ),
    "nothing to leave out": (
        "X: N < V\nY like X: without N => V\n",
        '<grammar>:3:19: Y has no property "N => V" to remove\n    Y like X: without N => V\n'
        '                      ^^^^^^\n  did you mean "N < V"?',
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake(name: str) -> None:
    text, expected = MISTAKES[name]
    with pytest.raises(GrammarError) as raised:
        parse_grammar("leaves: N, V\n" + text)
    assert "\n".join(map(str, raised.value.problems)) == expected


def test_a_condition_with_too_many_alternatives_is_a_mistake() -> None:
    factors = " and ".join("({A, B} or C)" for _ in range(5))
    with pytest.raises(GrammarError, match="the condition has more than 100 alternatives"):
        parse_grammar(f"leaves: A, B, C\nfeatures: f: a\nX:\n    uniq A\n    f = a if {factors}\n")
