"""Output formats of parses. The parses are made by hand, without parser or grammar file."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import networkx
import pytest

from numbat import Parser, load_grammar, parse_grammar
from numbat.errors import Span, columns, visible
from numbat.evaluation.constituents import Characterization, Constituent, Instance, stretches
from numbat.grammar.expressions import Adjacent, And, Count, Precedes
from numbat.grammar.model import Construction, Grammar, Semantics
from numbat.grammar.properties import UNIT, Bundle, Operand, Parameter, Property, format_named
from numbat.grammar.relations import Clause, Relation
from numbat.markup import DARK, aligned, stand_alone
from numbat.parsing.analysis import Outcome
from numbat.parsing.explanation.drawing import svg
from numbat.parsing.explanation.json_format import ROW_HEADER
from numbat.parsing.explanation.violations import decimal, ems, quoted, shortened_to, span_of
from numbat.parsing.explanation.wording import condition_in_words
from numbat.parsing.result import Parse
from numbat.words.lattice import Lattice
from tests.growth import growth

SVG = "{http://www.w3.org/2000/svg}"

# ------------------------------------------------------------------------------------------- parses made by hand


def operand(text: str) -> Operand:
    """`N` or `N[number=sg]`."""
    category, _, features = text.rstrip("]").partition("[")
    pairs = (pair.split("=") for pair in features.split(",") if pair)
    return Operand(category, tuple((name, (value,)) for name, value in pairs))


def parameter(text: str) -> Parameter:
    """`A & B | C`."""
    return tuple(tuple(map(operand, joint.split(" & "))) for joint in text.split(" | "))


def prop(construction: str, relation: str, *operands: str, line: int = 31, **rest: Any) -> Property:
    span = Span("grammars/english.pg", line) if line else None
    return Property(construction, relation, tuple(map(parameter, operands)), span=span, **rest)


def word(
    category: str, form: str, start: int, end: int = 0, guessed: bool = False, cost: int = 0, **features: str
) -> Constituent:
    cover = (1 << (end or start + 1)) - (1 << start)
    bundle: Bundle = tuple(sorted(features.items()))
    return Constituent(category, cover, bundle, form=form, guessed=guessed, cost_units=cost, lexical_cost_units=cost)


def phrase(
    construction: str,
    *daughters: Constituent,
    yes: tuple[tuple[Property, tuple[int, ...]], ...] = (),
    no: tuple[tuple[Property, tuple[int, ...]], ...] = (),
    **features: str,
) -> Constituent:
    """A phrase with satisfied and violated instances, each a property and the indexes of its elements."""
    cover = 0
    for daughter in daughters:
        cover |= daughter.cover
    both = Characterization(tuple(Instance(*one) for one in yes), tuple(Instance(*one) for one in no))
    lexical = sum(daughter.lexical_cost_units for daughter in daughters)
    bundle = tuple(sorted(features.items()))
    return Constituent(construction, cover, bundle, 1, "", False, daughters, both, lexical_cost_units=lexical)


GRAMMAR = Grammar(
    "english",
    features=(
        ("kind", ("a", "b", "common", "proper")), ("case", ("nom",)), ("tense", ("base", "ed", "ing")),
        ("number", ("sg", "pl")), ("gender", ("f",)),
    ),
    roots=(Operand("S"),),
    constructions=(Construction("S"), Construction("NP"), Construction("VP")),
)  # fmt: skip


def parse(*tops: Constituent, grammar: Grammar = GRAMMAR, **rest: Any) -> Parse:
    tokens: dict[int, str] = {}
    for top in tops:
        for one in top.words():
            for i, token in enumerate(one.form.split(" ")):
                tokens[one.start + i] = token
    lattice = Lattice(tuple(tokens.get(i, "_") for i in range(max(tokens, default=-1) + 1)), ())
    full = len(tops) == 1 and grammar.is_root(tops[0].construction, tops[0].features)
    fragment_cost = 0 if full else grammar.fragment_cost_units * len(tops)
    outcome = Outcome(fragment_cost, 1, 1, 3, "phases", "default", "per-construction", "relaxation")
    return Parse(having(grammar, tops), lattice, tops, replace(outcome, **rest))


def having(grammar: Grammar, tops: tuple[Constituent, ...]) -> Grammar:
    """Return the grammar with the properties of the constituents, each once, in its constructions."""
    forms: dict[str, dict[Property, None]] = {form.name: {} for form in grammar.constructions}
    for constituent in (below for top in tops for below in top.walk()):
        both = constituent.characterization
        for instance in (*both.satisfied, *both.violated):
            forms.setdefault(instance.property.construction, {})[instance.property] = None
    constructions = tuple(Construction(name, properties=tuple(form)) for name, form in forms.items())
    return replace(grammar, constructions=constructions)


OBLIG_N = prop("NP", "obligation", "N", line=30)
LINEAR = prop("NP", "linearity", "Det", "N")
AGREE = prop("NP", "dependency", "Det", "N", features=("number",), cost_units=5 * UNIT // 2, line=33)
NP_VP = prop("S", "linearity", "NP", "VP", line=12)


def cats_the_sleeps(**rest: Any) -> Parse:
    """A full parse with two violated properties in the noun phrase, and a guessed word."""
    noun_phrase = phrase(
        "NP",
        word("N", "cats", 0, number="pl"),
        word("Det", "the", 1, number="sg"),
        yes=((OBLIG_N, ()),),
        no=((LINEAR, (1, 0)), (AGREE, (1, 0))),
        number="pl",
    )
    verb_phrase = phrase("VP", word("V", "sleeps", 2, guessed=True, cost=693_147))
    return parse(phrase("S", noun_phrase, verb_phrase, yes=((NP_VP, (0, 1)),), number="sg"), **rest)


def fragments() -> Parse:
    return parse(phrase("NP", word("Det", "the", 0), word("N", "cat", 1), yes=((LINEAR, (0, 1)),)), word("P", "on", 2))


def cross_serial() -> Parse:
    """Two phrases that cross: NP1 NP2 V1 V2."""
    outer = phrase("VP", word("NP", "Jan", 0), word("V", "zag", 2))
    inner = phrase("VP", word("NP", "Piet", 1), word("V", "zwemmen", 3))
    return parse(phrase("S", outer, inner))


# ---------------------------------------------------------------------------------------------------- explanations


def explained(
    violated: Property, *daughters: Constituent, elements: tuple[int, ...] = (), grammar: Grammar = GRAMMAR
) -> str:
    """Return the explanation of one violated property of a noun phrase under a root, without that of its words."""
    np = phrase("NP", *daughters, no=((violated, elements),))
    *_, sentence = parse(phrase("S", np), grammar=grammar).explain()
    return sentence


def test_explanations_of_a_parse_are_whole_sentences_with_their_place() -> None:
    assert cats_the_sleeps().explain() == (
        '"the" should stand before "cats"  [NP: Det < N, english.pg:31]',
        '"the" has number sg, but "cats" has number pl  [NP: Det ~> N [number], english.pg:33]',
    )


THE, BIG, CATS, DOGS = word("Det", "the", 0), word("Adj", "big", 1), word("N", "cats", 2), word("N", "dogs", 3)


@pytest.mark.parametrize(
    ("relation", "operands", "daughters", "elements", "sentence"),
    [
        ("obligation", "N | Pro", [THE, BIG], (), 'the NP "the big" has no N or Pro'),
        ("uniqueness", "N", [CATS, DOGS], (0,), 'only one N can stand here: "cats" and "dogs"'),
        ("adjacency", "Det; N", [THE, BIG, CATS], (0, 2), '"the" and "cats" should stand side by side'),
        ("requirement", "N; Det | Num & Adj", [CATS], (0,), '"cats" needs Det or Num together with Adj'),
        ("requirement", "Det & N; Adj", [THE, CATS], (0, 1), '"the" and "cats" need Adj'),
        ("exclusion", "Det & Adj; N | Pro", [THE, BIG, CATS], (0, 1, 2), '"the", "big" and "cats" do not go together'),
    ],
)
def test_each_relation_is_explained_from_its_row(
    relation: str, operands: str, daughters: list[Constituent], elements: tuple[int, ...], sentence: str
) -> None:
    violated = prop("NP", relation, *operands.split("; "))
    found = explained(violated, *daughters, elements=elements)
    assert found == f"{sentence}  [{format_named(violated)}, english.pg:31]"


def test_exclusion_tells_what_the_operands_ask_for() -> None:
    words = word("Det", "the", 0, kind="a"), word("N", "cats", 1, kind="common")
    apart = prop("NP", "exclusion", "Det[kind=a]", "N[kind=common]")
    assert explained(apart, *words, elements=(0, 1)) == (
        '"the" and "cats" do not go together: "the" has kind a and "cats" has kind common'
        "  [NP: Det[kind=a] x N[kind=common], english.pg:31]"
    )


def test_equal_messages_about_the_same_words_differ_in_their_properties() -> None:
    words = word("Det", "the", 0, kind="a", case="nom"), word("N", "cats", 1, kind="common")
    two = [prop("NP", "linearity", "N", f"Det[{demand}]") for demand in ("kind=a", "case=nom")]
    np = phrase("NP", *words, no=tuple((one, (1, 0)) for one in two))
    assert parse(phrase("S", np)).explain() == (
        '"cats" should stand before "the"  [NP: N < Det[kind=a], english.pg:31]',
        '"cats" should stand before "the"  [NP: N < Det[case=nom], english.pg:31]',
    )


SLEPT, SLEEP = word("V", "slept", 0, tense="ed", number="sg"), word("V", "sleep", 1, number="sg")


@pytest.mark.parametrize(
    ("relation", "operands", "daughters", "elements", "sentence"),
    [
        (
            "requirement", "N; V[tense=ing]", [CATS, SLEPT], (0,),
            '"cats" needs V with tense ing; "slept" has tense ed',
        ),
        (
            "requirement", "N; V[tense=base] | V[number=pl]", [CATS, SLEPT, SLEEP], (0,),
            '"cats" needs V with tense base or V with number pl; "slept" has tense ed and "sleep" has no tense',
        ),
        (
            "requirement", "N; V[tense=base] | Pro", [CATS, SLEEP], (0,),
            '"cats" needs V with tense base; "sleep" has no tense',
        ),
        ("requirement", "V[tense=ed]; V[tense=base]", [CATS, SLEPT], (1,), '"slept" needs V with tense base'),
        (
            "requirement", "N & V; V[tense=base]", [CATS, SLEPT], (0, 1),
            '"cats" and "slept" need V with tense base; "slept" has tense ed',
        ),
        (
            "obligation", "V[tense=base] | Pro", [CATS, SLEPT], (),
            'the NP "slept … cats" has no V with tense base or Pro; "slept" has tense ed',
        ),
        ("obligation", "V[tense=base]", [CATS], (), 'the NP "cats" has no V with tense base'),
    ],
)  # fmt: skip
def test_a_daughter_that_only_lacks_a_feature_is_named(
    relation: str, operands: str, daughters: list[Constituent], elements: tuple[int, ...], sentence: str
) -> None:
    violated = prop("NP", relation, *operands.split("; "))
    found = explained(violated, *daughters, elements=elements)
    assert found == f"{sentence}  [{format_named(violated)}, english.pg:31]"


def test_two_obligatory_daughters_are_counted_in_words() -> None:
    grammar = replace(GRAMMAR, semantics=Semantics(obligation="exactly-one"))
    assert explained(OBLIG_N, CATS, DOGS, grammar=grammar) == (
        'the NP "cats dogs" needs exactly one N, but has two  [NP: oblig N, english.pg:30]'
    )
    assert explained(OBLIG_N, THE, BIG, grammar=grammar) == (
        'the NP "the big" needs exactly one N, but has none  [NP: oblig N, english.pg:30]'
    )


def test_agreement_names_the_features_that_clash_and_those_that_are_missing_where_that_clashes() -> None:
    agree = prop("NP", "dependency", "Det", "N", features=("number", "gender", "case"))
    words = word("Det", "la", 0, number="sg", gender="f"), word("N", "chats", 1, number="pl", gender="f", case="nom")
    strict = replace(GRAMMAR, semantics=Semantics(missing="clashes"))
    assert explained(agree, *words, elements=(0, 1), grammar=strict) == (
        '"la" has number sg and has no case, but "chats" has number pl and case nom'
        "  [NP: Det ~> N [number, gender, case], english.pg:31]"
    )
    assert explained(agree, *words, elements=(0, 1)) == (
        '"la" has number sg, but "chats" has number pl  [NP: Det ~> N [number, gender, case], english.pg:31]'
    )


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("index(B) = 2", "Det stands at place 2"),
        ("first(B) or last(B)", "Det comes first or Det comes last"),
        ("distance(B, C) <= 2", "Det is at most two places from N"),
        ("not (count(B) >= 1 and present(C))", "it is not the case that (there is at least one Det and N is present)"),
        ("B.number = C.number", "number of Det is number of N"),
        ("B.number != sg", "number of Det is not sg"),
        ("not present(C) or index(B) < index(C)", "if N is present, Det stands before N"),
        ("not first(B) and not not adjacent(B, C)", "Det does not come first and Det and N are neighbours"),
    ],
)
def test_a_relation_that_does_not_say_what_it_asks_is_read_aloud(condition: str, said: str) -> None:
    text = f"features: number: sg, pl\nleaves: Det, N\nrelation own(B, C) for each B, C: {condition}\nX: own(Det, N)\n"
    (*_, relation) = parse_grammar(text).relations
    assert condition_in_words(relation.holds, {"B": "Det", "C": "N"}, ()) == said


def test_relations_of_ones_own_speak_by_their_row_or_by_their_notation() -> None:
    holds = And((Precedes("B", "C"), Adjacent("B", "C")))
    bare = Relation("directly_before", ("B", "C"), (Clause(("B", "C")),), holds)
    own = prop("NP", "directly_before", "Det", "N", line=0)

    def told(relation: Relation, violated: Property = own, elements: tuple[int, ...] = (0, 2)) -> str:
        grammar = replace(GRAMMAR, relations=(relation,))
        return explained(violated, THE, BIG, CATS, elements=elements, grammar=grammar)

    assert told(bare) == (
        'this should hold: "the" stands before "cats" and "the" and "cats" are neighbours'
        "  [NP: directly_before(Det, N)]"
    )
    only_says = replace(bare, says="{B} must stand directly before {C}")
    assert told(only_says) == ('Det must stand directly before N: "the" and "cats"  [NP: directly_before(Det, N)]')
    demanding = replace(own, operands=(parameter("Det[kind=a]"), parameter("N")))
    the = word("Det", "the", 0, kind="a")
    found = explained(demanding, the, BIG, CATS, elements=(0, 2), grammar=replace(GRAMMAR, relations=(only_says,)))
    assert found == (
        'Det with kind a must stand directly before N: "the" and "cats"  [NP: directly_before(Det[kind=a], N)]'
    )
    unknown = replace(bare, says="{Q} {b} {C.category}", but="{{c}} %s")
    assert told(unknown) == '{Q} "the" {C.category}, but {"cats"} %s  [NP: directly_before(Det, N)]'
    whole = Relation("crowd", ("B",), (Clause(()),), Count("B", ">", 9), says="{b} are too few of {B}")
    assert told(whole, prop("NP", "crowd", "Adj", line=0), ()) == '"big" are too few of Adj  [NP: crowd(Adj)]'
    assert (
        told(whole, prop("NP", "crowd", "P", line=0), ()) == 'nothing are too few of P: "the big cats"  [NP: crowd(P)]'
    )


def test_what_a_relation_counts_is_told() -> None:
    holds = And((Precedes("B", "C"), Count("C", "=", 1)))
    own = Relation("one_each", ("B", "C"), (Clause(("B",)),), holds, says="{B} wants one {C}", but="there are {counts}")
    grammar = replace(GRAMMAR, relations=(own,))
    violated = prop("NP", "one_each", "Det", "N", line=0)
    assert explained(violated, THE, BIG, CATS, DOGS, elements=(0,), grammar=grammar) == (
        'Det wants one N, but there are two: "the"  [NP: one_each(Det, N)]'
    )


def test_fragments_and_roots_are_explained_first() -> None:
    assert fragments().explain() == ("no construction spans the whole sentence: 2 fragments",)
    alone = phrase("NP", word("N", "cats", 0), word("Det", "the", 1), no=((LINEAR, (1, 0)),))
    assert parse(alone).explain() == (
        "NP stands alone, but is not a root",
        '"the" should stand before "cats"  [NP: Det < N, english.pg:31]',
    )
    assert parse().explain() == ()


def test_quotes_show_holes_shorten_long_stretches_and_keep_digits_after_hebrew() -> None:
    assert quoted([word("A", "a", 0), word("B", "b", 2)]) == '"a … b"'
    assert quoted([word("B", "b", 1), word("A", "a", 0)]) == '"a b"'
    assert quoted(word("A", str(i), i) for i in range(8)) == '"0 1 2 3 4 5 6 7"'
    assert quoted(word("A", str(i), i) for i in range(9)) == '"0 1 2 3 … 7 8"'
    assert quoted([word("N", "ילד", 0)]) == '"ילד"\u200e'
    assert quoted([word("N", "\x1b[2Jcat\n", 0)]) == '"\ufffd[2Jcat\ufffd"'


def test_what_is_not_printable_is_made_visible_and_nothing_else() -> None:
    assert visible("10\u00a0000 café 猫 \u200dक्\u200dष") == "10\u00a0000 café 猫 \u200dक्\u200dष"
    assert visible("\x00\x85\u202e\ud800\uffff") == "\ufffd" * 5


def test_stretches_of_a_cover() -> None:
    assert stretches(0) == []
    assert stretches(0b111001) == [(0, 1), (3, 6)]
    assert stretches(1 << 200) == [(200, 201)]
    assert span_of(Constituent("VP", 0b11010, ())) == "1-2, 3-5"


def test_numbers_for_people() -> None:
    assert [decimal(units) for units in (0, UNIT, 2_500_000, 693_147, -250_000, 12_345_678_900, 4)] == [
        "0", "1", "2.5", "0.693", "-0.25", "12345.679", "0.000004",
    ]  # fmt: skip


# -------------------------------------------------------------------------------------------------- terminal trees


def test_tree_of_a_full_parse_with_violations() -> None:
    assert (
        cats_the_sleeps(count=12, stopped_by="seconds", rank=2).tree()
        == """\
S [number=sg]
├─ NP ✗2 [number=pl]
│  ├─ N [number=pl]  cats
│  └─ Det [number=sg]  the
└─ VP
   └─ V  sleeps (guessed)

full parse: cost 4.193 (violations 3.5, lexical 0.693); weight 2; 12 equally good trees; 2 satisfied, 2 violated;\
 1 word guessed: sleeps; rank 2; stopped by the limit on seconds
✗ "the" should stand before "cats"  [NP: Det < N, english.pg:31]
✗ "the" has number sg, but "cats" has number pl  [NP: Det ~> N [number], english.pg:33]"""
    )


def test_tree_of_a_partial_parse() -> None:
    assert (
        fragments().tree()
        == """\
NP
├─ Det  the
└─ N  cat
P  on

partial parse of 2 fragments: cost 20 (fragments 20); weight 1; 1 tree; 1 satisfied, 0 violated
✗ no construction spans the whole sentence: 2 fragments"""
    )


def test_tree_of_no_words() -> None:
    assert (
        parse().tree()
        == """\
(no words)

no words"""
    )


def test_tree_shows_token_positions_where_there_are_holes() -> None:
    assert (
        cross_serial().tree().split("\n\n")[0]
        == """\
S
├─ VP (0-1, 2-3)
│  ├─ NP (0-1)  Jan
│  └─ V (2-3)  zag
└─ VP (1-2, 3-4)
   ├─ NP (1-2)  Piet
   └─ V (3-4)  zwemmen"""
    )


def test_color_paints_but_says_nothing_of_its_own() -> None:
    painted = cats_the_sleeps().tree(color=True)
    assert "├─ \x1b[31mNP ✗2\x1b[0m\x1b[2m [number=pl]\x1b[0m\n" in painted
    assert '\n\x1b[31m✗\x1b[0m "the" should ' in painted
    assert re.sub(r"\x1b\[\d+m", "", painted) == cats_the_sleeps().tree()


def test_features_are_cut_to_the_width_and_words_are_not() -> None:
    features: dict[str, Any] = {f"feature{i}": "value" for i in range(9)}
    top = parse(phrase("S", word("N", "猫" * 10, 0, guessed=True, **features)))
    line = top.tree(width=60).splitlines()[1]
    assert line == "└─ N [feature0=value, featu…  " + "猫" * 10 + " (guessed)"
    assert columns(line) == 60
    assert "…" not in top.tree(width=400)
    assert "猫" * 10 in top.tree(width=1)


def test_columns_of_a_terminal() -> None:
    assert [columns(text) for text in ("", "cat", "猫", "café", "cafe\u0301", "🐈", "שָׁלוֹם")] == [0, 3, 2, 4, 4, 2, 4]
    assert shortened_to("猫猫猫", 5) == "猫猫…"
    assert shortened_to("猫猫猫", 6) == "猫猫猫"


def test_tables_are_aligned_as_a_terminal_shows_them() -> None:
    assert [*aligned([["猫", "a"], ["cat", "b"], ["e\u0301", "c"]])] == ["猫   a", "cat  b", "e\u0301    c"]


def test_deep_and_wide_trees() -> None:
    deep = word("a", "a", 0)
    for _ in range(1_500):
        deep = phrase("S", deep)
    lines = parse(deep).tree().splitlines()
    assert lines[1_500] == "   " * 1_499 + "└─ a  a"
    assert parse(deep).to_brackets() == "(S " * 1_500 + "(a a)" + ")" * 1_500
    assert parse(deep).to_json()["nodes"] == 1_500
    assert len(drawing(parse(deep)).findall(f".//{SVG}rect[@rx='6']")) == 1_501
    wide = parse(phrase("S", *(word("a", "a", i) for i in range(300))))
    assert wide.tree().splitlines()[299:301] == ["├─ a  a", "└─ a  a"]
    assert len(drawing(wide).findall(f".//{SVG}g[@class='word']")) == 300


def test_very_many_words() -> None:
    """Eight times the words take some eight times as long."""

    def shown(size: int) -> None:
        long = parse(*(phrase("NP", word("N", "a", i)) for i in range(size)))
        assert len(long.to_json()["constituents"]) == size
        assert drawing(long).get("width") is not None

    assert growth(shown, 300) < 24


# --------------------------------------------------------------------------------------------------------- formats


def test_brackets() -> None:
    assert cats_the_sleeps().to_brackets() == "(S (NP (N cats) (Det the)) (VP (V sleeps)))"
    assert fragments().to_brackets() == "(NP (Det the) (N cat)) (P on)"
    assert parse(word("P(", "in front (of)", 0, 3)).to_brackets() == "(P-LRB- in front -LRB-of-RRB-)"
    assert parse().to_brackets() == ""


PLACES = ((0, 3), (4, 7), (8, 11)), ((11, 12),)
THE_HOT_DOG = Lattice(("the", "hot", "dog"), (), (".",), "The hot dog.", (3,), *PLACES)


def test_json_whole() -> None:
    linear = prop("NP", "linearity", "Det", "N", cost_units=UNIT // 2, hard=True)
    noun_phrase = phrase(
        "NP", word("Det", "the", 0), word("N", "hot dog", 1, 3, guessed=True, cost=693_147, number="sg"),
        yes=((linear, (0, 1)),), no=((prop("NP", "obligation", "Pro", line=0), ()),), number="sg",
    )  # fmt: skip
    found = replace(parse(noun_phrase, count=2**70), lattice=THE_HOT_DOG).to_json()
    assert json.loads(json.dumps(found)) == found
    assert found == {
        "schema": "numbat.parse/2",
        "grammar": "english",
        "digest": found["digest"],
        "sentence": "The hot dog.",
        "tokens": ["the", "hot", "dog"],
        "places": [[0, 3], [4, 7], [8, 11]],
        "skipped": ["."],
        "skipped_places": [[11, 12]],
        "gaps": [3],
        "constituents": [
            {
                "id": 0, "construction": "NP", "start": 0, "end": 3, "positions": [0, 1, 2],
                "features": {"number": "sg"}, "form": None, "guessed": False, "lexical_cost": 0.693147,
                "daughters": [
                    {
                        "id": 1, "construction": "Det", "start": 0, "end": 1, "positions": [0],
                        "features": {}, "form": "the", "guessed": False, "lexical_cost": 0, "daughters": [],
                    },
                    {
                        "id": 2, "construction": "N", "start": 1, "end": 3, "positions": [1, 2],
                        "features": {"number": "sg"}, "form": "hot dog", "guessed": True, "lexical_cost": 0.693147,
                        "daughters": [],
                    },
                ],
            }
        ],
        "satisfied": [
            {
                "number": 0, "relation": "linearity", "property": "Det < N", "construction": "NP", "constituent": 0,
                "start": 0, "end": 3, "elements": [1, 2], "cost": 0.5, "weight": 1, "hard": True,
                "place": "english.pg:31",
            }
        ],
        "violated": [
            {
                "number": 1, "relation": "obligation", "property": "oblig Pro", "construction": "NP", "constituent": 0,
                "start": 0, "end": 3, "elements": [], "cost": 1, "weight": 1, "hard": False, "place": "",
                "message": 'the NP "The hot dog" has no Pro', "formal": "NP: oblig Pro", "words": [0, 1, 2],
            }
        ],
        "cost": {"total": 11.693147, "violations": 1, "fragments": 10, "lexical": 0.693147},
        "weight": 1,
        "nodes": 1,
        "count": 2**70,
        "full": False,
        "well_formed": False,
        "rank": 1,
        "rounds": 3,
        "engine": "phases",
        "profile": "default",
        "election": "per-construction",
        "valuation": "relaxation",
        "granularity": 1.0,
        "stopped_by": None,
        "log_likelihood": None,
    }  # fmt: skip


def test_json_tells_equal_constituents_apart_and_shows_holes() -> None:
    found = cross_serial().to_json()
    first, second = found["constituents"][0]["daughters"]
    assert (first["id"], first["positions"], second["id"], second["positions"]) == (1, [0, 2], 4, [1, 3])
    assert found["sentence"] == "Jan Piet zag zwemmen"


def test_an_instance_without_elements_spans_its_constituent() -> None:
    both = cats_the_sleeps().to_json()
    satisfied, violated = both["satisfied"], both["violated"]
    found = [(one["constituent"], one["elements"], one["start"], one["end"]) for one in satisfied + violated]
    assert found == [(0, [1, 4], 0, 3), (1, [], 0, 2), (1, [3, 2], 0, 2), (1, [3, 2], 0, 2)]


def test_rows() -> None:
    rows = cats_the_sleeps().to_rows("7")
    assert [dict(zip(ROW_HEADER, row, strict=True)) for row in rows[1:3]] == [
        {
            "id": "7", "rank": "1", "constituent": "1", "construction": "NP", "start": "0", "end": "2",
            "elements": "", "words": "cats the", "relation": "obligation", "property": "oblig N", "satisfied": "1",
            "weight": "1", "cost": "1", "hard": "0", "place": "english.pg:30",
        },
        {
            "id": "7", "rank": "1", "constituent": "1", "construction": "NP", "start": "0", "end": "2",
            "elements": "3 2", "words": "cats the", "relation": "linearity", "property": "Det < N", "satisfied": "0",
            "weight": "1", "cost": "1", "hard": "0", "place": "english.pg:31",
        },
    ]  # fmt: skip
    assert len(rows) == 4
    tabbed = phrase("NP", word("N", "a\tb\nc", 0), yes=((OBLIG_N, ()),))
    assert parse(tabbed).to_rows("a\tb")[0][:8] == ("a b", "1", "0", "NP", "0", "1", "", "a b c")


def test_networkx() -> None:
    graph = cats_the_sleeps().to_networkx()
    assert graph.nodes["c1"] == {
        "kind": "constituent", "construction": "NP", "start": 0, "end": 2, "features": "[number=pl]",
    }  # fmt: skip
    assert graph.nodes["c5"] == {
        "kind": "word", "construction": "V", "start": 2, "end": 3, "features": "", "form": "sleeps", "guessed": True,
    }  # fmt: skip
    assert graph.nodes["p2"] == {
        "kind": "property", "satisfied": False, "relation": "linearity", "property": "Det < N", "construction": "NP",
        "start": 0, "end": 2, "cost": 1, "weight": 1, "hard": False, "place": "english.pg:31",
    }  # fmt: skip
    assert sorted((kind, source, target) for source, target, kind in graph.edges(data="kind")) == [
        ("daughter", "c0", "c1"), ("daughter", "c0", "c4"), ("daughter", "c1", "c2"), ("daughter", "c1", "c3"),
        ("daughter", "c4", "c5"),
        ("evaluated_in", "p0", "c0"), ("evaluated_in", "p1", "c1"), ("evaluated_in", "p2", "c1"),
        ("evaluated_in", "p3", "c1"),
        ("speaks_of", "p0", "c1"), ("speaks_of", "p0", "c4"), ("speaks_of", "p2", "c2"), ("speaks_of", "p2", "c3"),
        ("speaks_of", "p3", "c2"), ("speaks_of", "p3", "c3"),
    ]  # fmt: skip
    assert graph.edges["c0", "c4"] == {"kind": "daughter", "order": 1}
    networkx.write_graphml(graph, BytesIO())
    networkx.write_gexf(graph, BytesIO())


# -------------------------------------------------------------------------------------------------------- drawings


def drawing(found: Parse) -> ElementTree.Element:
    return ElementTree.fromstring(found._repr_svg_())


def texts(root: ElementTree.Element, name: str) -> list[str]:
    return [group.findtext(f"{SVG}text") or "" for group in root.findall(f".//{SVG}g") if group.get("class") == name]


def boxes(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of each label."""
    found = []
    for box in root.findall(f".//{SVG}g/{SVG}rect"):
        x, y, width, height = (float(box.get(name, "")) for name in ("x", "y", "width", "height"))
        found.append((x, x + width, y, y + height))
    return found


def test_drawing_has_its_classes_marks_and_tooltips() -> None:
    root = drawing(cats_the_sleeps())
    assert texts(root, "constituent") == ["S", "N", "Det", "VP", "V"]
    assert texts(root, "constituent violated") == ["NP ✗2"]
    assert texts(root, "word") == ["cats", "the"]
    assert texts(root, "word guessed") == ["sleeps"]
    assert [text.text for text in root.findall(f".//{SVG}text[@class='position']")] == ["0", "1", "2", "3"]
    assert len(root.findall(f".//{SVG}path[@class='edge']")) == 5
    assert len(root.findall(f".//{SVG}path[@class='edge stem']")) == 3
    assert root.findtext(f"{SVG}style") == f"\n{stand_alone('drawing.css')}\n"
    assert root.get("aria-label") == "cats the sleeps"
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles[1] == (
        'NP "cats the" (0-2) [number=pl]\n✗ Det < N  "the", "cats"\n✗ Det ~> N [number]  "the", "cats"\n✓ oblig N'
    )
    assert titles[-1] == 'V "sleeps" (2-3) (guessed)'


def test_labels_and_words_of_a_drawing_have_the_numbers_of_their_constituents() -> None:
    found = cats_the_sleeps()
    numbered = [(group.get("data-number"), group.findtext(f"{SVG}text")) for group in drawing(found).iter(f"{SVG}g")]
    names = [constituent.construction for constituent in found.walk()]
    labels = [(number, text.split()[0]) for number, text in numbered[: len(names)] if number and text]
    assert sorted(labels) == sorted((str(i), name) for i, name in enumerate(names))
    words = {str(i): constituent.form for i, constituent in enumerate(found.walk()) if constituent.is_word}
    assert dict(numbered[len(names) :]) == words


def test_a_drawing_without_style_leaves_its_colours_to_the_page() -> None:
    root = ElementTree.fromstring(svg(cats_the_sleeps(), styled=False))
    assert root.find(f"{SVG}style") is None
    assert texts(root, "constituent violated") == ["NP ✗2"]


def test_words_stand_on_one_line_in_the_order_of_the_sentence() -> None:
    for found in (cats_the_sleeps(), fragments(), cross_serial()):
        words = [
            (float(text.get("x", "")), text.get("y"), text.text)
            for group in drawing(found).findall(f".//{SVG}g")
            if "word" in group.get("class", "")
            for text in group.findall(f"{SVG}text")
        ]
        assert len({y for _, y, _ in words}) == 1
        assert [form for _, _, form in sorted(words)] == list(found.lattice.tokens)


def test_no_label_covers_another_and_all_stand_on_the_paper() -> None:
    daughters = phrase("Another-of-them", word("x", "i", 0)), phrase("Third", word("y", "j", 1))
    long_names = phrase("A-construction-with-a-long-name", *daughters)
    for found in (cats_the_sleeps(), fragments(), cross_serial(), parse(long_names, word("Z" * 20, "k", 2)), parse()):
        root = drawing(found)
        placed = boxes(root)
        for i, one in enumerate(placed):
            assert one[0] >= 0
            assert one[1] <= float(root.get("width", ""))
            assert one[3] <= float(root.get("height", ""))
            for other in placed[:i]:
                assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]


ODD_FORMS = (
    '<&">', "'", "]]>", "ילד", "مرحبا", "猫が好き", "👩‍👩‍👧‍👦", "e\u0301", "10\u00a0000", "\x1b[0m\x00", "\ud800",
)  # fmt: skip


@pytest.mark.parametrize("form", ODD_FORMS)
def test_any_word_can_be_drawn(form: str) -> None:
    operands = (((Operand(form, ((form, (form,)),)),),),)
    violated = replace(prop("S", "uniqueness", "N"), operands=operands)
    odd = word(form, form, 0)._replace(features=((form, form),))
    found = parse(phrase("S", odd, no=((violated, (0,)),)))
    root = drawing(found)
    assert texts(root, "word") == [visible(form)]
    assert texts(root, "constituent") == [visible(form)]
    found.tree().encode()
    page = found._repr_html_()
    page.encode()
    ElementTree.fromstring(page)


def test_html_holds_drawing_summary_and_explanations() -> None:
    page = ElementTree.fromstring(cats_the_sleeps()._repr_html_())
    assert page.find(f"div/{SVG}svg") is not None
    assert page.findtext("p") == cats_the_sleeps().summary()
    assert tuple(item.text for item in page.findall("ul/li")) == cats_the_sleeps().explain()
    bold = phrase("S", word("N", "<b>", 0), no=((prop("S", "uniqueness", "N"), (0,)),))
    assert "<li>only one N can stand here: &quot;&lt;b&gt;&quot;  [S: " in parse(bold)._repr_html_()


def test_styles_stay_inside_the_drawing() -> None:
    *rules, end = stand_alone("drawing.css").splitlines()
    assert rules.count(f"{DARK} {{") == 1
    assert end == "}"
    rules.remove(f"{DARK} {{")
    assert all(line.startswith("svg.numbat ") for line in rules)
    assert "var(" not in "".join(rules)


def test_estimated_widths() -> None:
    assert ems("") == 0
    assert ems("ill") < ems("sat") < ems("SAT") < ems("WWW") < ems("猫猫猫") < ems("🐈🐈🐈")
    assert ems("e\u0301") == ems("e")


def test_what_a_notebook_shows_of_the_parts_of_a_parse() -> None:
    parse = Parser(load_grammar("english")).parse("the cats sleeps")
    (violated,) = parse.violated
    prop, top = repr(violated.property), repr(violated.constituent)
    assert re.fullmatch(r"<S: NP\S* ~> VP\S* \[number, person\] \(sentences\.pg:\d+\)>", prop)
    assert re.fullmatch(r"<S\[.*\] 0-3 'the cats sleeps'>", top)
    assert repr(violated) == f"<violated {prop} in {top}>"
