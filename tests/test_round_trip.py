"""A grammar printed back reads equal: in the notation, as YAML, and out of the cache."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import cast
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat import Grammar, Parser, load_grammar, parse_grammar
from numbat.errors import GrammarError
from numbat.grammar import cache, printing, relations, yaml_format
from numbat.grammar.expressions import Agree, And, Expression, Not, Or, Precedes, Present
from numbat.grammar.loading import packaged
from numbat.grammar.model import Construction, Entry, GuessRule, Reading, SpellingRule, TokenRule
from numbat.grammar.names import RESERVED, WILDCARD
from numbat.grammar.properties import UNIT, Operand, Parameter, Property, Strength, format_property
from numbat.grammar.relations import TABLE, Clause, Relation, RelationRow
from tests.samples import enough
from tests.strategies import FEATURES, chance, random_features, random_grammar

SHAPES: dict[str, Callable[[Grammar], Grammar]] = {
    "notation": lambda grammar: parse_grammar(printing.format_grammar(grammar)),
    "YAML": lambda grammar: parse_grammar(yaml_format.format_grammar(grammar), "g.yaml"),
    "cache": lambda grammar: cache.decode(json.loads(json.dumps(cache.encode(grammar)))),
}
MARKS = (None, None, 0, 1, UNIT, 2_500_000, 333_333, 10**9 * UNIT)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", packaged())
def test_packaged_grammars_come_back(name: str, shape: str) -> None:
    """The lexicon is reduced to entries that have something new."""
    grammar = load_grammar(name)
    grammar = replace(grammar, lexicon=tuple(unlike(grammar.lexicon)))
    assert SHAPES[shape](grammar) == grammar


def unlike(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries that have something which no earlier one has."""
    known: set[object] = set()
    for entry in entries:
        texts = (entry.form, *(one.lemma for one in entry.readings))
        own: set[object] = {"".join(sorted({sign for sign in text if not sign.isalpha()})) for text in texts}
        for one in entry.readings:
            own |= {(one.category, one.weight == 1, bool(one.lemma)), *((one.category, each) for each in one.features)}
        own.add(len(entry.readings))
        own.update(sign for text in texts for sign in text)
        if not own <= known:
            known |= own
            yield entry


def random_strength(rng: Random) -> Strength:
    weight = rng.choice(MARKS)
    negative = weight is not None and chance(rng, 0.3)
    cost = rng.choice(MARKS[2:] if negative else MARKS)
    return Strength(-weight if negative and weight is not None else weight, cost, chance(rng, 0.3))


def meant(expression: Expression, unifies: bool) -> Expression:
    """The expression with agree() as the grammar means it."""
    match expression:
        case Not(operand):
            return Not(meant(operand, unifies))
        case And(operands):
            return And(tuple(meant(operand, unifies) for operand in operands))
        case Or(operands):
            return Or(tuple(meant(operand, unifies) for operand in operands))
        case Agree(left, right):
            return Agree(left, right, unifies)
    return expression


def written_relation(relation: Relation, rng: Random, unifies: bool) -> Relation:
    """The relation as a grammar writer can define it: one clause without guard."""
    if relation.is_anonymous:
        return relation
    return replace(
        relation,
        clauses=(Clause(relation.clauses[0].matched),),
        holds=meant(relation.holds, unifies),
        monotonic=chance(rng, 0.5),
        shares_features="agree(" in str(relation.holds),
        says='{B} \\ "so"',
    )


def stated(grammar: Grammar, rng: Random) -> Grammar:
    """The grammar with strengths as the notation settles them, written relations, a lexicon and token rules."""
    unifies = grammar.semantics.missing == "unifies"
    relations = tuple(written_relation(relation, rng, unifies) for relation in grammar.relations)
    wrong = {r.name for r in relations if not r.single <= r.matched}
    relations = tuple(sorted(relations, key=lambda relation: relation.is_anonymous))
    plain = {r.name for r in relations if not r.shares_features}
    everywhere = {name: random_strength(rng) for name in ("linearity", "exclusion") if chance(rng, 0.5)}
    everywhere = {name: strength for name, strength in everywhere.items() if strength != Strength()}
    constructions = []
    for construction in grammar.constructions:
        own = {"uniqueness": Strength(3 * UNIT, hard=True)} if chance(rng, 0.3) else {}
        properties = [
            settled(
                replace(prop, features=() if prop.relation in plain else prop.features),
                random_strength(rng),
                own,
                everywhere,
            )
            for prop in construction.properties
            if prop.relation not in wrong
        ]
        constructions.append(replace(construction, strengths=tuple(own.items()), properties=tuple(properties)))
    return replace(
        grammar,
        leaves=tuple(leaf for leaf in grammar.leaves if leaf != WILDCARD),
        relations=tuple(r for r in relations if r.name not in wrong),
        strengths=tuple(everywhere.items()),
        constructions=tuple(constructions),
        lexicon=tuple(
            Entry(form, (Reading("Det", random_features(rng), 0.333333, "the lemma"),))
            for form in ("a", "a b", "'s", "12")
        ),
        guesses=(GuessRule("*[!a-z]?", (Reading("N", (), 7.0), Reading(WILDCARD))),),
        names=(GuessRule("[!A]*", (Reading("N", random_features(rng), 0.5),)),),
        spelling=(SpellingRule("[aeiou]*", (Operand("N", random_features(rng)),)),),
        tokens=(TokenRule("suffix", ("'s",)), TokenRule("rewrite", ("x", "y", '"'))),
        titles=tuple(random_titles(grammar, rng)),
    )


def random_titles(grammar: Grammar, rng: Random) -> Iterator[tuple[str, str, str]]:
    """Yield titles of some leaves and values, with their features."""
    values = ((feature, value) for feature, values in grammar.stated_features for value in values)
    leaves = (("", leaf) for leaf in grammar.leaves if leaf != WILDCARD)
    yield from ((feature, name, f'so "{name}"') for feature, name in (*leaves, *values) if chance(rng, 0.5))


def settled(prop: Property, said: Strength, *levels: dict[str, Strength]) -> Property:
    every = [said, *(level.get(prop.type, Strength()) for level in levels)]
    weight = next((s.weight for s in every if s.weight is not None), UNIT)
    cost = next((s.cost for s in every if s.cost is not None), weight)
    if cost < 0:
        said = replace(said, cost=0)
        cost = 0
    return replace(prop, weight_units=weight, cost_units=cost, hard=any(s.hard for s in every), stated=said)


def random_declared(seed: int) -> Grammar:
    rng = Random(seed)
    return stated(random_grammar(rng), rng)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("first", range(0, enough(150), 30))
def test_random_grammars_come_back(shape: str, first: int) -> None:
    for seed in range(first, first + 30):
        grammar = random_declared(seed)
        assert SHAPES[shape](grammar) == grammar, f"seed {seed}"


BETWEEN = Relation(
    "between",
    ("B", "C", "D"),
    (Clause(("B", "C", "D")),),
    And((Precedes("B", "C"), Precedes("C", "D"))),
    says="{C} must be between {B} and {D}",
)
SIGNLESS = (BETWEEN, replace(BETWEEN, name="amid", symbol="@"), Relation("some", ("B",), (Clause(()),), Present("B")))


@pytest.fixture
def _more_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """More relations of all grammars: of three operands and without a sign, as a row of the table may be."""
    monkeypatch.setattr(relations, "TABLE", (*TABLE, *(RelationRow("", {"": each}) for each in SIGNLESS)))
    for each in SIGNLESS:
        monkeypatch.setitem(cast(dict[str, Relation], relations.BUILT_IN_BY_NAME), each.name, each)


@pytest.mark.usefixtures("_more_built_in")
@pytest.mark.parametrize("shape", SHAPES)
def test_built_in_relations_that_no_sign_can_write_come_back(shape: str) -> None:
    properties = ("between(A, B, {C, D})", "amid(A, B, C) weight 2 cost 3", "some({A, C})", "some(B & C)")
    text = "leaves: A, B, C, D\n\nX:\n" + "".join(f"    {each}\n" for each in ("all between cost 4", *properties))
    grammar = parse_grammar(text)
    assert [format_property(prop) for prop in grammar.properties] == [
        *("between(A, B, C)", "between(A, B, D)", "amid(A, B, C)", "some(A | C)", "some(B & C)")
    ]
    assert printing.format_grammar(grammar).endswith(text)
    assert SHAPES[shape](grammar) == grammar


@pytest.mark.usefixtures("_more_built_in")
@pytest.mark.parametrize("engine", ["exact", "phases"])
def test_built_in_relations_of_three_operands_are_parsed_with(engine: str) -> None:
    grammar = parse_grammar("leaves: A, B, C\nX:\n    between(A, B, C)\n    uniq C\nlexicon:\n    a: A; b: B; c: C\n")
    parser = Parser(grammar, engine=engine)
    assert parser.parse("a b c").explain() == ()
    (said,) = parser.parse("b a c").explain()
    assert said == 'B must be between A and C: "a", "b" and "c"  [X: between(A, B, C), <grammar>:3]'


@pytest.mark.usefixtures("_more_built_in")
@pytest.mark.parametrize("name", ["between", "amid"])
def test_an_example_of_a_relation_that_no_sign_can_write(name: str) -> None:
    with pytest.raises(GrammarError, match=rf'write it like "{name}\(B, C, D\)"'):
        parse_grammar(f"leaves: A, B\nX:\n    {name}(A, B)\n")


ODD = (
    *("x", "head", "oblig", "uniq", "all", "no", "from", "weight", "none", "leaves", "lexicon", "true", "index", "for"),
    *("PRP$", ",", ".", ":", "``", "''", "-LRB-", "#", '"', "\\", '\\"', "a b", " a", "NO", "on", "y", "1:20", "null"),
    *("1", "007", "1.0", "-1", "1e3", "~", "*", "&a", "!", "%", "@", "`", "- a", "? b", "a: b", "a #b", "{a}", "[a]"),
    *("名詞", "сущ", "اسم", "संज्ञा", "e\u0301", "😀", "été", "l'un", "x-bar", "oblig-x", "=", "<", "=>", "|", ";", "\t"),
)
signs = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029")
names = (st.sampled_from(ODD) | st.text(signs, min_size=1, max_size=6)).map(lambda text: normalize("NFC", text))
"""A grammar is read in composed letters."""


def odd_grammar(category: str, leaf: str, feature: str, value: str, text: str) -> Grammar:
    demand = ((feature, (value,)),)
    a, b = Operand(category, demand), Operand(leaf)
    operands: list[tuple[str, tuple[Parameter, ...]]] = [
        ("obligation", (((a,), (b,)),)),
        ("uniqueness", (((a,),),)),
        ("linearity", (((a,),), ((b,),))),
        ("requirement", (((a, b),), ((a,), (b, a)))),
        ("exclusion", (((b,),), ((a,),))),
    ]
    properties = [Property(category, relation, parameters) for relation, parameters in operands]
    properties.append(Property(category, "dependency", (((b,),), ((b,),)), (feature,)))
    form = " ".join(text.split()) or "x"
    return Grammar(
        name=text,
        authors=(text, category),
        features=((feature, (value,)),),
        leaves=(leaf,),
        roots=(a,),
        tree_features=(feature,),
        constructions=(
            Construction(
                category, text, head=(b, a), inherit=(feature,), constituency=(a, b), properties=tuple(properties)
            ),
        ),
        lexicon=(Entry(form, (Reading(leaf, demand, 0.5), Reading(category))),),
        guesses=(GuessRule(text, (Reading(leaf),)),),
        names=(GuessRule(text, (Reading(leaf, demand),)),),
        spelling=(SpellingRule(text, (Operand(leaf, demand),)),),
    )


@settings(max_examples=enough(150))
@given(names, names, names, names, names)
def test_odd_names_come_back(category: str, leaf: str, feature: str, value: str, text: str) -> None:
    if category == leaf:
        leaf += "1"
    if category == WILDCARD or leaf == WILDCARD or feature == "none":
        return
    grammar = odd_grammar(category, leaf, feature, value, text)
    for shape, again in SHAPES.items():
        assert again(grammar) == grammar, shape


def test_words_of_the_notation_need_no_quotes_as_values_of_operands() -> None:
    words = tuple(sorted(RESERVED))
    alone = [Operand("A", (("f", (word,)),)) for word in words]
    every = Operand("A", (("f", words),))
    properties = [Property("X", "uniqueness", (((each,),),)) for each in alone]
    properties.append(Property("X", "requirement", (((every, every),), tuple((each,) for each in alone))))
    grammar = Grammar(
        features=(("f", words),),
        leaves=("A",),
        roots=tuple(alone),
        constructions=(Construction("X", head=(every, *alone), properties=tuple(properties)),),
        lexicon=(Entry("x", (Reading("A", (("f", words),)),)),),
    )
    assert "A[f=for]" in printing.format_grammar(grammar)
    for shape, again in SHAPES.items():
        assert again(grammar) == grammar, shape


def test_long_lines_are_broken_within_brackets_and_lists() -> None:
    leaves = tuple(f"Category{i}" for i in range(40))
    properties = tuple(Property("X", "uniqueness", (((Operand(leaf),),),)) for leaf in leaves)
    grammar = Grammar(leaves=leaves, constructions=(Construction("X", properties=properties),))
    text = printing.format_grammar(grammar)
    assert max(map(len, text.splitlines())) <= 110
    assert text.splitlines()[:2] == [
        "leaves: Category0, Category1, Category2, Category3, Category4, Category5, Category6, Category7, Category8",
        "leaves: Category9, Category10, Category11, Category12, Category13, Category14, Category15, Category16",
    ]
    assert parse_grammar(text) == grammar


def test_the_random_grammars_use_all_of_the_notation() -> None:
    texts = "\n".join(printing.format_grammar(random_declared(seed)) for seed in range(150))
    pieces = ["relation own", "const {", "head ", "inherit none", " if no ", " from ", " & ", " | ", "weight -", "hard"]
    pieces += [" ~> ", " x ", "=>", "exactly-one", "unary_limit", "all linearity", "0.333333", *FEATURES]
    assert [piece for piece in pieces if piece not in texts] == []
