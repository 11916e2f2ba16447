"""Every construct of the notation, and the records that it gives."""

from __future__ import annotations

from unicodedata import normalize

import pytest

from numbat import parse_grammar
from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Distance,
    Expression,
    HasValue,
    Last,
    Not,
    Or,
    Place,
    Precedes,
    Present,
    SameValue,
)
from numbat.grammar.model import (
    Construction,
    Entry,
    FeatureRule,
    Grammar,
    GuessRule,
    Occurrence,
    Reading,
    Semantics,
    SpellingRule,
    TokenRule,
)
from numbat.grammar.properties import UNIT, Operand, Property, Strength
from numbat.grammar.relations import Clause, Relation

HEADER = """\
leaves: Det, N, Pro, PP, Adj, Rel
features: number: sg, pl; gender: m, f; kind: common, proper; tense: past
relation close(B, C) for each B, C: adjacent(B, C)
relation same(B, C) for each B, C: agree(B, C)
"""
DET, N, PRO, ADJ, REL = map(Operand, ("Det", "N", "Pro", "Adj", "Rel"))
SG = Operand("N", (("number", ("sg",)),))


def form(*lines: str) -> Construction:
    """The construction NP with these lines."""
    grammar = parse_grammar(HEADER + "\n    ".join(["NP:", *lines]))
    return next(construction for construction in grammar.constructions if construction.name == "NP")


def short(prop: Property) -> tuple[object, ...]:
    """A property without its strength: its relation, and each operand as it prints."""
    return (prop.relation, *(" | ".join(" & ".join(map(str, j)) for j in p) for p in prop.operands), *prop.features)


@pytest.mark.parametrize(
    ("line", "properties"),
    [
        ("oblig N", [("obligation", "N")]),
        ("obligation N", [("obligation", "N")]),
        ("△ N", [("obligation", "N")]),
        ("oblig {N, Pro}", [("obligation", "N | Pro")]),
        ("oblig N | Pro", [("obligation", "N | Pro")]),
        ("oblig N & Det | Pro", [("obligation", "N & Det | Pro")]),
        ("uniq N", [("uniqueness", "N")]),
        ("uniqueness N", [("uniqueness", "N")]),
        ("unic N", [("uniqueness", "N")]),
        ("N!", [("uniqueness", "N")]),
        ("uniq {Det, N}", [("uniqueness", "Det"), ("uniqueness", "N")]),
        ("Det < N", [("linearity", "Det", "N")]),
        ("Det ≺ N", [("linearity", "Det", "N")]),
        ("linearity(Det, N)", [("linearity", "Det", "N")]),
        ("Det<N", [("linearity", "Det", "N")]),
        ("{Det, Adj} < N", [("linearity", "Det", "N"), ("linearity", "Adj", "N")]),
        ("Det < {Adj, N}", [("linearity", "Det", "Adj"), ("linearity", "Det", "N")]),
        ("N + PP", [("adjacency", "N", "PP")]),
        ("N ⊕ PP", [("adjacency", "N", "PP")]),
        ("N => Det", [("requirement", "N", "Det")]),
        ("N ⇒ Det", [("requirement", "N", "Det")]),
        ("N requires Det", [("requirement", "N", "Det")]),
        ("N => Det | Adj", [("requirement", "N", "Det | Adj")]),
        ("N => {Det, Adj}", [("requirement", "N", "Det"), ("requirement", "N", "Adj")]),
        ("N & Rel => Det & Adj | Pro", [("requirement", "N & Rel", "Det & Adj | Pro")]),
        ("{N, Pro} & Rel => Det", [("requirement", "N & Rel", "Det"), ("requirement", "Pro & Rel", "Det")]),
        ("Pro x N", [("exclusion", "Pro", "N")]),
        ("Pro ⊗ N", [("exclusion", "Pro", "N")]),
        ("Pro ⇎ N", [("exclusion", "Pro", "N")]),
        ("Pro excludes N", [("exclusion", "Pro", "N")]),
        ("Det & N x Pro", [("exclusion", "Det & N", "Pro")]),
        ("Det ~> N [number]", [("dependency", "Det", "N", "number")]),
        ("Det ⤳ N [number, gender]", [("dependency", "Det", "N", "number", "gender")]),
        ("Det ⇝ N[number]", [("dependency", "Det", "N", "number")]),
        ("Det ↝ N", [("dependency", "Det", "N")]),
        ("Det ~> N[sg] [number]", [("dependency", "Det", "N[number=sg]", "number")]),
        ("Det ~> N[number=sg]", [("dependency", "Det", "N[number=sg]")]),
        ("Det ~> {N, Adj} [number]", [("dependency", "Det", "N", "number"), ("dependency", "Det", "Adj", "number")]),
        ("N[number=sg] => Det", [("requirement", "N[number=sg]", "Det")]),
        ("N[common] => Det", [("requirement", "N[kind=common]", "Det")]),
        ("N[number=sg|pl, common] => Det", [("requirement", "N[kind=common, number=sg|pl]", "Det")]),
        ("close(Det, N)", [("close", "Det", "N")]),
        ("close({Det, Adj}, N)", [("close", "Det", "N"), ("close", "Adj", "N")]),
        ("same(Det, N) cost 2", [("same", "Det", "N")]),
        ("same(Det, N [gender])", [("same", "Det", "N", "gender")]),
        ("same(Det, N) [gender] cost 2", [("same", "Det", "N", "gender")]),
        ("? < N", [("linearity", "?", "N")]),
        ('"Det" < "N"', [("linearity", "Det", "N")]),
        ("Det < N; uniq N;", [("linearity", "Det", "N"), ("uniqueness", "N")]),
        ("Det < N # Pro < N", [("linearity", "Det", "N")]),
    ],
)
def test_a_line_of_a_construction_gives_properties(line: str, properties: list[tuple[str, ...]]) -> None:
    assert [short(prop) for prop in form(line).properties] == properties


@pytest.mark.parametrize(
    ("lines", "weight", "cost", "hard"),
    [
        (["Det < N"], 1, 1, False),
        (["Det < N weight 2"], 2, 2, False),
        (["Det < N cost 0"], 1, 0, False),
        (["Det < N weight 2 cost 5 hard"], 2, 5, True),
        (["Det < N hard cost 5 weight 2"], 2, 5, True),
        (["Det < N weight -0.5 cost 1e1"], -0.5, 10, False),
        (["all linearity weight 3", "Det < N"], 3, 3, False),
        (["all linearity weight 3", "Det < N weight 2"], 2, 2, False),
        (["all < cost 3 hard", "Det < N weight 2"], 2, 3, True),
        (["all adjacency weight 3", "Det < N"], 1, 1, False),
    ],
)
def test_strength_of_a_property_and_of_its_relation(lines: list[str], weight: float, cost: float, hard: bool) -> None:
    (prop,) = form(*lines).properties
    assert (prop.weight_units, prop.cost_units, prop.hard) == (weight * UNIT, cost * UNIT, hard)


def test_the_nearest_of_three_levels_decides() -> None:
    grammar = parse_grammar(
        "leaves: A, B\nall linearity weight 2 cost 4\nall uniq hard\n"
        "X:\n    all linearity cost 3\n    A < B\n    B < A weight 5\n    uniq A\nY:\n    A < B\n"
    )
    one, two, three, four = grammar.properties
    assert (one.weight_units, one.cost_units, one.stated) == (2 * UNIT, 3 * UNIT, Strength())
    assert (two.weight_units, two.cost_units, two.stated) == (5 * UNIT, 3 * UNIT, Strength(5 * UNIT))
    assert (three.weight_units, three.cost_units, three.hard) == (UNIT, UNIT, True)
    assert (four.weight_units, four.cost_units) == (2 * UNIT, 4 * UNIT)
    assert grammar.strengths == (
        ("linearity", Strength(2 * UNIT, 4 * UNIT)),
        ("uniqueness", Strength(hard=True)),
    )
    assert grammar.constructions[0].strengths == (("linearity", Strength(cost=3 * UNIT)),)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("number = pl", FeatureRule("number", "pl")),
        ("number = pl if Rel", FeatureRule("number", "pl", (), (Occurrence(REL),))),
        ("number = pl if no N[sg]", FeatureRule("number", "pl", (), (Occurrence(SG, True),))),
        ("number = pl if N & no Rel", FeatureRule("number", "pl", (), (Occurrence(N), Occurrence(REL, True)))),
        ("number = pl if no {Det, N}", FeatureRule("number", "pl", (), (Occurrence(DET, True), Occurrence(N, True)))),
        ("number from Det if Rel", FeatureRule("number", None, (DET,), (Occurrence(REL),))),
        ("number from Det", FeatureRule("number", sources=(DET,))),
        ("number from Det, N[sg]", FeatureRule("number", sources=(DET, SG))),
        ('"number" = "pl"', FeatureRule("number", "pl")),
    ],
)
def test_where_the_features_of_a_phrase_come_from(line: str, rule: FeatureRule) -> None:
    assert form(line).feature_rules == (rule,)


def test_alternatives_of_a_condition_are_rules_of_their_own() -> None:
    either = form("number = pl if Det or not (N and Rel)").feature_rules
    assert [rule.conditions for rule in either] == [
        (Occurrence(DET),),
        (Occurrence(N, True),),
        (Occurrence(REL, True),),
    ]


def test_head_inheritance_and_constituents() -> None:
    construction = form("head N[sg], Pro", "inherit number, gender", "const {Det, Adj, N}", "uniq N")
    assert construction.head == (SG, PRO)
    assert construction.inherit == ("number", "gender")
    assert construction.constituency == (DET, ADJ, N)
    assert form("inherit none").inherit == ()
    assert form("uniq N").inherit is None
    assert form("const N").constituency == (N,)


def test_a_construction_has_a_title_and_may_stand_on_one_line() -> None:
    grammar = parse_grammar(
        'leaves: N\nNP "noun phrase": uniq N; oblig N\n"X Y" "with \\"quotes\\" and \\\\":\n  N < NP'
    )
    assert [(c.name, c.title, len(c.properties)) for c in grammar.constructions] == [
        ("NP", "noun phrase", 2),
        ("X Y", 'with "quotes" and \\', 1),
    ]


EXPRESSIONS: list[tuple[str, Expression]] = [
    ("index(B) < index(C)", Precedes("B", "C")),
    ("index(B) = 2", Place("B", "=", 2)),
    ("first(B)", Place("B", "=", 1)),
    ("last(B)", Last("B")),
    ("distance(B, C) <= 3", Distance("B", "C", "<=", 3)),
    ("B.number != C.number", Not(SameValue("B", "number", "C", "number"))),
    ("B.number != sg", Not(HasValue("B", "number", "sg"))),
    ("index(B) ≺ index(C)", Precedes("B", "C")),
    ("index(B) > index(C)", Precedes("C", "B")),
    ("index(B) <= index(C)", Not(Precedes("C", "B"))),
    ("index(B) >= index(C)", Not(Precedes("B", "C"))),
    ("index(B) = index(C)", Not(Or((Precedes("B", "C"), Precedes("C", "B"))))),
    ("index(B) != index(C)", Or((Precedes("B", "C"), Precedes("C", "B")))),
    ("adjacent(B, C)", Adjacent("B", "C")),
    ("count(B) = 1", Count("B", "=", 1)),
    ("count(B) != 1", Count("B", "!=", 1)),
    ("count(B) < 2", Count("B", "<", 2)),
    ("count(B) ≺ 2", Count("B", "<", 2)),
    ("count(B) >= 2", Count("B", ">=", 2)),
    ("present(C)", Present("C")),
    ("agree(B, C)", Agree("B", "C")),
    ("B.number = C.gender", SameValue("B", "number", "C", "gender")),
    ("B.number = sg", HasValue("B", "number", "sg")),
    ("not present(C)", Not(Present("C"))),
    ("true and false", And((Always(True), Always(False)))),
    (
        "present(B) or present(C) and count(B) > 3",
        Or((Present("B"), And((Present("C"), Count("B", ">", 3))))),
    ),
    (
        "not (present(B) or present(C))",
        Not(Or((Present("B"), Present("C")))),
    ),
]


@pytest.mark.parametrize(("text", "expression"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_the_language_of_relations(text: str, expression: Expression) -> None:
    grammar = parse_grammar(f"features: number: sg, pl; gender: m\nrelation own(B, C) for each B, C: {text}\n")
    assert grammar.relations[0].holds == expression


def test_a_chain_of_alternatives_is_not_nested() -> None:
    grammar = parse_grammar("relation few(B): " + " or ".join(f"(not count(B) = {n})" for n in range(60)), "g.pg")
    (own,) = grammar.relations
    assert own.holds == Or(tuple(Not(Count("B", "=", n)) for n in range(60)))


def test_a_relation_of_ones_own() -> None:
    grammar = parse_grammar(
        "relation before(B, C, D) for each B, C: index(B) < index(C) and present(D)\n"
        "    monotonic yes; symmetric no\n"
        '    says "{B} before {C}"\n'
        '    but "{b} is not"\n'
        "relation some(B): count(B) > 0\n"
    )
    assert grammar.relations == (
        Relation(
            "before",
            ("B", "C", "D"),
            (Clause(("B", "C")),),
            And((Precedes("B", "C"), Present("D"))),
            monotonic=True,
            says="{B} before {C}",
            but="{b} is not",
        ),
        Relation("some", ("B",), (Clause(()),), Count("B", ">", 0)),
    )


def test_settings() -> None:
    grammar = parse_grammar(
        'grammar: small\nlanguage: fr\nversion: 1.0\nauthors: "A. Lovelace", Blache\nsource: "after Blache, 2000"\n'
        "leaves: Det, N\nleaves: V, N\nroots: S, NP[nom]\nfragment_cost: 2.5\nnode_cost: 0\nunary_limit: 2\n"
        "features: case: nom, acc\nS: uniq V\nNP: uniq N\n"
    )
    assert (grammar.name, grammar.language, grammar.version) == ("small", "fr", "1.0")
    assert (grammar.authors, grammar.source) == (("A. Lovelace", "Blache"), "after Blache, 2000")
    assert grammar.leaves == ("Det", "N", "V")
    assert grammar.roots == (Operand("S"), Operand("NP", (("case", ("nom",)),)))
    assert (grammar.fragment_cost_units, grammar.node_cost_units, grammar.unary_limit) == (2_500_000, 0, 2)


def test_an_empty_file_is_a_grammar_with_the_defaults() -> None:
    grammar = parse_grammar("# nothing\n\n")
    assert grammar == Grammar()
    assert (grammar.fragment_cost_units, grammar.node_cost_units, grammar.unary_limit) == (10 * UNIT, UNIT, 3)
    assert grammar.semantics == Semantics("at-least-one", "instance", "counts", "silent", "unifies")


def test_sections() -> None:
    grammar = parse_grammar(
        "leaves: Det, N, V\n"
        "features:\n    number: sg, pl; person: 1, 2, 3\n    tense: past\n"
        "semantics: obligation: exactly-one; counting: property\n    missing: clashes\n"
        'tokens:\n    suffix "n\'t", "\'s"\n    prefix "l\'"\n    rewrite "won\'t": will, "n\'t"\n'
        "lexicon: the: Det\n"
        '    "New  York": N[number=sg]\n    saw: V[past] weight 3, N[sg]; sheep: N[number=sg|pl]\n    2: N[person=1]\n'
        "    saw: Det\n"
        'guess:\n    "*ing": V weight 0.5\n    "*": N, V\n'
        'names:\n    "*": N[sg] weight 0.5\n'
        'spelling: "s*": N[number=sg]; "[aeiou]*", heir: {N, V}[person=1|2, past]\n'
    )
    assert grammar.features == (("number", ("sg", "pl")), ("person", ("1", "2", "3")), ("tense", ("past",)))
    assert grammar.semantics == Semantics("exactly-one", "property", missing="clashes")
    assert grammar.tokens == (
        TokenRule("suffix", ("n't",)),
        TokenRule("suffix", ("'s",)),
        TokenRule("prefix", ("l'",)),
        TokenRule("rewrite", ("won't", "will", "n't")),
    )
    sg = ("number", ("sg",))
    assert grammar.lexicon == (
        Entry("the", (Reading("Det"),)),
        Entry("New York", (Reading("N", (sg,)),)),
        Entry("saw", (Reading("V", (("tense", ("past",)),), 3.0), Reading("N", (sg,)), Reading("Det"))),
        Entry("sheep", (Reading("N", (("number", ("sg", "pl")),)),)),
        Entry("2", (Reading("N", (("person", ("1",)),)),)),
    )
    assert grammar.guesses == (
        GuessRule("*ing", (Reading("V", (), 0.5),)),
        GuessRule("*", (Reading("N"), Reading("V"))),
    )
    assert grammar.names == (GuessRule("*", (Reading("N", (sg,), 0.5),)),)
    both = (("person", ("1", "2")), ("tense", ("past",)))
    assert grammar.spelling == (
        SpellingRule("s*", (Operand("N", (sg,)),)),
        SpellingRule("[aeiou]*", (Operand("N", both), Operand("V", both))),
        SpellingRule("heir", (Operand("N", both), Operand("V", both))),
    )


PLAIN = """\
leaves: Det, N, A
NP:
    uniq {Det, N}
    Det < N
lexicon:
    the: Det
"""


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace("    ", "\t"),
        PLAIN.replace("\n", "   # a comment: with signs < } \" '\n"),
        PLAIN.replace("\n", "\n\n  # ---\n# ---\n"),
        PLAIN.replace("{Det, N}", "{Det, # first\n# second\n    N\n}"),
        PLAIN.replace("{Det, N}", "{\n\n        Det,\n        N}"),
        PLAIN.rstrip("\n"),
        PLAIN.replace("Det < N", "Det < N;") + "\n\n",
        PLAIN.replace("NP:\n    uniq", "NP: uniq").replace("lexicon:\n    the", "lexicon: the"),
        PLAIN.replace("leaves: Det, N, A", 'leaves: "Det", N\nleaves: A'),
    ],
    ids=["BOM", "CRLF", "CR", "tabs", "comments", "comment lines", "comments in braces", "continuation",
         "no end of line", "semicolon", "one line", "quotes"],
)  # fmt: skip
def test_layout_does_not_matter(text: str) -> None:
    assert parse_grammar(text) == parse_grammar(PLAIN)


def test_names_that_look_like_words_of_the_notation() -> None:
    grammar = parse_grammar(
        "leaves: x, x-bar, requires, oblig-x, uniq-1, header, weighty, été, 名詞, l'un\n"
        'NP:\n    x x x\n    x-bar < x\n    oblig-x < uniq-1\n    header + weighty\n    "head" requires requires\n'
        "    oblig été\n    uniq 名詞\n    uniq l'un\nhead: uniq x\n"
    )
    assert [short(prop) for prop in grammar.constructions[0].properties] == [
        ("exclusion", "x", "x"),
        ("linearity", "x-bar", "x"),
        ("linearity", "oblig-x", "uniq-1"),
        ("adjacency", "header", "weighty"),
        ("requirement", "head", "requires"),
        ("obligation", "été"),
        ("uniqueness", "名詞"),
        ("uniqueness", "l'un"),
    ]


def test_a_property_knows_its_place() -> None:
    grammar = parse_grammar("leaves: Det, N\nNP: Det < N; uniq {Det,\n      N}\n", "places.pg")
    assert [str(prop.span) for prop in grammar.properties] == ["places.pg:2:5", "places.pg:2:14", "places.pg:2:14"]
    assert str(grammar.constructions[0].span) == "places.pg:2:1"


YAML = """\
grammar: small
version: 1.0
leaves: [Det, N, NO, on, y, '1:20', 1:30]
roots: NP
fragment_cost: 2.5
features:
  number: [sg, pl]
  no: [yes, off]
semantics: {obligation: exactly-one}
all: [linearity weight 2]
relations:
  close: {parameters: [B, C], each: [B, C], holds: "adjacent(B, C)", symmetric: yes, says: they must be neighbours}
constructions:
  NP:
    title: noun phrase
    head: N
    inherit: [number]
    values: [number = pl if no Det]
    const: [Det, 'N[number=sg]']
    all: uniqueness cost 3
    properties:
      - uniq {Det, N}; NO < on
      - {relation: <, operands: [Det, N], weight: 3, hard: yes}
      - {relation: dependency, operands: [Det, "N"], features: [number]}
      - close(y, "1:20")
  VP:
    inherit: []
    properties: |
      NO ~> N [number]
      # one a line
      uniq {NO, on}
tokens: ["suffix \\"n't\\""]
lexicon:
  the: Det
  no: [NO, "N[no=yes]"]
  2: '"1:30"'
guess:
  "*": N weight 2, Det
spelling:
  "*s": "N[number=pl], NO[no=yes]"
  2: N[sg]
"""
SAME = """\
grammar: small
version: "1.0"
leaves: Det, N, NO, on, y, "1:20", "1:30"
roots: NP
fragment_cost: 2.5
features:
    number: sg, pl
    no: yes, off
semantics: obligation: exactly-one
all linearity weight 2
relation close(B, C) for each B, C: adjacent(B, C)
    symmetric yes
    says "they must be neighbours"
NP "noun phrase":
    head N
    inherit number
    number = pl if no Det
    const {Det, N[number=sg]}
    all uniqueness cost 3
    uniq {Det, N}; NO < on
    Det < N weight 3 hard
    Det ~> N [number]
    close(y, "1:20")
VP:
    inherit none
    NO ~> N [number]
    uniq {NO, on}
tokens: suffix "n't"
lexicon:
    the: Det
    "no": NO, N["no"=yes]
    2: "1:30"
guess: "*": N weight 2, Det
spelling: "*s": N[number=pl], NO["no"=yes]; 2: N[number=sg]
"""


def test_lists_in_yaml_may_do_without_brackets() -> None:
    text = """\
leaves: Det, N, Adj
roots: NP, N[number=sg]
features:
  number: sg,pl
  person: 1,
    2
relations:
  close:
    parameters: B, C
    each: B, C
    holds: adjacent(B, C)
constructions:
  NP:
    head: N
    inherit: number, person
    const: Det, N
    properties:
    - relation: dependency
      operands: [Det, N]
      features: number, person
"""
    listed = """\
leaves: [Det, N, Adj]
roots: [NP, "N[number=sg]"]
features: {number: [sg, pl], person: ["1", "2"]}
relations:
  close: {parameters: [B, C], each: [B, C], holds: "adjacent(B, C)"}
constructions:
  NP:
    head: [N]
    inherit: [number, person]
    const: [Det, N]
    properties: ["Det ~> N [number, person]"]
"""
    assert parse_grammar(text, "g.yaml") == parse_grammar(listed, "g.yaml")
    assert parse_grammar("""leaves: ["$,", N, 'a, b']""", "g.yaml").leaves == ("$,", "N", "a, b")
    assert parse_grammar('leaves: N, "$,", PRP$', "g.yaml").leaves == ("N", "$,", "PRP$")
    assert parse_grammar('leaves: "$,"', "g.yaml").leaves == ("$,",)


def test_yaml_says_the_same_and_its_words_stay_text() -> None:
    assert parse_grammar(YAML, "small.yaml") == parse_grammar(SAME)


def test_alternatives_are_in_the_order_of_their_declaration() -> None:
    """One demand is one property, however it is written."""
    head = "leaves: N\nfeatures:\n    n: a, b, c\nNP:\n    "
    one, other = (parse_grammar(f"{head}uniq N[n={values}]\n") for values in ("c|a", "a|c|a"))
    assert one == other
    assert one.properties[0].operands == ((((Operand("N", (("n", ("a", "c")),)),)),),)


def test_letters_of_two_characters_are_one() -> None:
    """Some systems save an umlaut as a letter and a sign over it."""
    text = "leaves: Präp\nS:\n    uniq Präp\nlexicon:\n    für: Präp\n"
    assert normalize("NFD", text) != text
    assert parse_grammar(normalize("NFD", text)) == parse_grammar(text)
