"""The published grammars in `grammars/`: each can be loaded, and its examples parse as stated in its comment."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from numbat import Parse, Parser, load_grammar
from numbat.grammar.checks import check
from numbat.grammar.properties import format_property

FOLDER = Path(__file__).parents[1] / "grammars"
PUBLISHED = (
    "anbn.pg",
    "dutch-cross-serial.pg",
    "english-np.pg",
    "french-ap.pg",
    "french-chrg.yaml",
    "french-np-ftb.pg",
    "french-relative.pg",
    "french-teaching.pg",
    "numbat-h3.pg",
)

WELL_FORMED = (
    ("anbn.pg", "a a b b", "(S (a a) (S (a a) (b b)) (b b))"),
    ("english-np.pg", "the red book", "(NP (Det the) (Adj red) (N book))"),
    ("french-ap.pg", "très fier de Paul", "(AP (AdP très) (A fier) (PP de Paul))"),
    ("french-ap.pg", "plus grand que Paul", "(AP (AdP plus) (A grand) (Ssub que Paul))"),
    (
        "french-chrg.yaml",
        "le chat mange la souris",
        "(S (NP (Det le) (N chat)) (VP (V mange) (NP (Det la) (N souris))))",
    ),
    ("french-chrg.yaml", "Marie dort", "(S (NP (PN Marie)) (VP (V dort)))"),
    ("french-np-ftb.pg", "le chat noir", "(NP (Det le) (N chat) (AP noir))"),
    ("french-np-ftb.pg", "Le chat de Marie.", "(NP (Det Le) (N chat) (PP de Marie))"),
    ("french-np-ftb.pg", "celui qui dort", "(NP (Pro celui) (Srel qui dort))"),
    ("french-relative.pg", "qui dort", "(Srel (ProR qui) (SV dort))"),
    ("french-relative.pg", "que les enfants lisent", "(Srel (ProR que) (SN les enfants) (SV lisent))"),
    ("french-teaching.pg", "le livre rouge", "(SN (Det le) (N livre) (SA (Adj rouge)))"),
    ("french-teaching.pg", "le livre le plus rouge", "(SN (Det le) (N livre) (Sup (Det le) (Adv plus) (Adj rouge)))"),
    (
        "numbat-h3.pg",
        "le chat noir voit la souris",
        "(S (NP (Det le) (N chat) (Adj noir)) (VP (V voit) (NP (Det la) (N souris))))",
    ),
)

ILL_FORMED = (
    ("anbn.pg", "a a b", "(S (a a) (S (a a)) (b b))", "S: a => b"),
    ("english-np.pg", "red the book", "(NP (Adj red) (Det the) (N book))", "NP: Det < Adj"),
    ("english-np.pg", "the most red book", "(NP (Det the) (Sup most) (Adj red) (N book))", "NP: N < Sup"),
    ("french-ap.pg", "fier très", "(AP (A fier) (AdP très))", "AP: AdP < A"),
    (
        "french-chrg.yaml",
        "le souris dort",
        "(S (NP (Det le) (N souris)) (VP (V dort)))",
        "NP: Det ~> N [number, gender]",
    ),
    ("french-chrg.yaml", "chat le dort", "(S (NP (N chat) (Det le)) (VP (V dort)))", "NP: Det < N"),
    ("french-np-ftb.pg", "la maison noir", "(NP (Det la) (N maison) (AP noir))", "NP: AP ~> N [gender, number]"),
    ("french-np-ftb.pg", "chat le", "(NP (N chat) (Det le))", "NP: Det < N"),
    ("french-relative.pg", "qui", "(Srel (ProR qui))", "Srel: ProR[case=subj] => SV"),
    (
        "french-relative.pg",
        "que les enfants lit",
        "(Srel (ProR que) (SN les enfants) (SV lit))",
        "Srel: SN ~> SV [number, person]",
    ),
    (
        "french-teaching.pg",
        "la livre rouge",
        "(SN (Det la) (N livre) (SA (Adj rouge)))",
        "SN: Det ~> N [gender, number]",
    ),
    (
        "numbat-h3.pg",
        "le noir chat voit la souris",
        "(S (NP (Det le) (Adj noir) (N chat)) (VP (V voit) (NP (Det la) (N souris))))",
        "NP: N < Adj",
    ),
)

TESTED_BELOW = (
    ("dutch-cross-serial.pg", "dat Jan de kinderen zag zwemmen"),
    ("french-ap.pg", "bleu clair"),
    ("numbat-h3.pg", "le chat voit"),
)


@pytest.fixture(autouse=True)
def _every_grammar_is_read_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_CACHE", "off")


def parse(file: str, phrase: str) -> Parse:
    return Parser(load_grammar(FOLDER / file)).parse(phrase)


@pytest.mark.parametrize("file", PUBLISHED)
def test_the_grammar_says_who_wrote_it_and_where_it_comes_from(file: str) -> None:
    grammar = load_grammar(FOLDER / file)
    assert grammar.name == Path(file).stem
    assert grammar.version == "1"
    assert grammar.authors == ("The Numbat authors",)
    assert grammar.source
    assert 2 <= len(grammar.lexicon) <= 30


COMPARES_NOTHING = {
    "english-np.pg": "NP: N ~> Adj [number] compares number, but no Adj has it",
    "french-ap.pg": "AP: AdP ~> A names no features to compare",
}
"""Dependencies whose features the papers do not print."""


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("english-np.pg", "NP: linearity is circular: Adj < N < Sup < Adj"),
        ("french-ap.pg", "AP: linearity is circular: A < AP < A"),
    ],
)
def test_a_published_cycle_is_kept_and_warned_about(file: str, expected: str) -> None:
    assert [problem.message for problem in check(load_grammar(FOLDER / file))] == [expected, COMPARES_NOTHING[file]]


def test_exclusions_that_the_treebank_grammar_states_from_both_sides_are_warned_about() -> None:
    messages = [problem.message for problem in check(load_grammar(FOLDER / "french-np-ftb.pg"))]
    bare = ["AdP ~> N", "NP ~> Np", "PP ~> Pro"]
    assert [messages.pop(0) for _ in bare] == [f"NP: {each} names no features to compare" for each in bare]
    twice = ["NP x Pro", "NP x Ssub", "VPpart x Ssub", "VPinf x Ssub", "Srel x Ssub", "Np x Pro"]
    assert [message.split(" repeats ")[0] for message in messages] == [f"NP: {pair}" for pair in twice]


@pytest.mark.parametrize(
    ("file", "sizes"),
    [
        ("anbn.pg", {"S": 8}),
        ("english-np.pg", {"NP": 11}),
        ("french-ap.pg", {"AP": 22}),
        ("french-chrg.yaml", {"S": 6, "NP": 6, "VP": 4}),
        ("french-np-ftb.pg", {"NP": 111}),
        ("french-relative.pg", {"Srel": 10}),
        ("french-teaching.pg", {"SN": 10, "SA": 3, "Sup": 8}),
        ("numbat-h3.pg", {"S": 1, "NP": 3, "VP": 1}),
    ],
)
def test_every_published_property_is_there(file: str, sizes: dict[str, int]) -> None:
    """The number of properties after distribution; one more than published in the NP of CHRG."""
    grammar = load_grammar(FOLDER / file)
    assert Counter(prop.construction for prop in grammar.properties) == sizes


@pytest.mark.parametrize(("file", "phrase", "brackets"), WELL_FORMED)
def test_a_well_formed_example(file: str, phrase: str, brackets: str) -> None:
    parse_of_it = parse(file, phrase)
    assert parse_of_it.to_brackets() == brackets
    assert parse_of_it.is_well_formed
    assert parse_of_it.count == 1


@pytest.mark.parametrize(("file", "phrase", "brackets", "violated"), ILL_FORMED)
def test_an_ill_formed_example_violates_what_its_comment_says(
    file: str, phrase: str, brackets: str, violated: str
) -> None:
    parse_of_it = parse(file, phrase)
    assert parse_of_it.to_brackets() == brackets
    properties = [evaluated.property for evaluated in parse_of_it.violated]
    assert [f"{prop.construction}: {format_property(prop)}" for prop in properties] == [violated]
    assert parse_of_it.is_full


@pytest.mark.parametrize("file", PUBLISHED)
def test_every_example_of_the_comment_is_tested(file: str) -> None:
    examples = set(re.findall(r'numbat parse .*"(.*)"', (FOLDER / file).read_text(encoding="utf-8")))
    tested = {row[1] for row in (*WELL_FORMED, *ILL_FORMED, *TESTED_BELOW) if row[0] == file}
    assert examples
    assert examples <= tested


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_to_the_n_b_to_the_n_is_as_deep_as_n(depth: int) -> None:
    tree = "(S (a a) (b b))"
    for _ in range(depth - 1):
        tree = f"(S (a a) {tree} (b b))"
    parse_of_it = parse("anbn.pg", " ".join("a" * depth + "b" * depth))
    assert parse_of_it.to_brackets() == tree
    assert parse_of_it.is_well_formed
    assert parse_of_it.count == 1
    assert parse_of_it.nodes == depth


@pytest.mark.parametrize("phrase", ["a", "b", "a b b", "a a b", "b a", "a b a b"])
def test_what_is_not_a_to_the_n_b_to_the_n_has_a_cost(phrase: str) -> None:
    assert parse("anbn.pg", phrase).cost_units > 0


def test_the_cycle_of_the_adjective_phrase_makes_two_trees_equally_good() -> None:
    first, second, *_ = Parser(load_grammar(FOLDER / "french-ap.pg")).n_best("bleu clair", 3)
    both = {first.to_brackets(), second.to_brackets()}
    assert both == {"(AP (A bleu) (AP (A clair)))", "(AP (AP (A bleu)) (A clair))"}
    assert first.count == 2
    assert [format_property(evaluated.property) for evaluated in first.violated] in (["A < AP"], ["AP < A"])


def test_a_verb_without_its_object_forms_no_phrase() -> None:
    """`V < NP` needs a verb with a noun phrase, and H3 drops the assignment [Det, N, V]."""
    assert parse("numbat-h3.pg", "le chat voit").to_brackets() == "(NP (Det le) (N chat)) (V voit)"


def test_cross_serial_dependencies_need_the_discontinuous_profile() -> None:
    grammar = load_grammar(FOLDER / "dutch-cross-serial.pg")
    sentence = "dat Jan de kinderen zag zwemmen"
    crossing = Parser(grammar, profile="discontinuous").parse(sentence)
    assert crossing.to_brackets() == (
        "(S (Comp dat) (NP (PN Jan)) (VP (NP (Det de) (N kinderen)) (Vinf zwemmen)) (V zag))"
    )
    assert crossing.is_well_formed
    (clause,) = crossing.constituents
    verb_phrase = clause.daughters[2]
    assert [word.form for word in verb_phrase.words()] == ["de", "kinderen", "zwemmen"]
    assert verb_phrase.cover == 0b101100

    contiguous = Parser(grammar).parse(sentence)
    assert contiguous.to_brackets() == (
        "(S (Comp dat) (NP (PN Jan)) (NP (Det de) (N kinderen)) (V zag) (VP (Vinf zwemmen)))"
    )
    assert "Vinf => NP" in [format_property(evaluated.property) for evaluated in contiguous.violated]
