"""Punctuation marks that a grammar declares: the features of what stands beside them (ruling 49)."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat.acceptability.models import scorer
from numbat.acceptability.repair import repairs
from numbat.corpus import Store
from numbat.errors import DataError
from numbat.evaluation.constituents import lexical_costs
from numbat.grammar.loading import load_grammar, parse_grammar
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import value_of
from numbat.parsing.exact import chart
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import read_text, read_tokens, words_of
from numbat.words.typed import read_tagged
from tests.corpora import write_store
from tests.corpus_oracle import Sentence

MARKS = """
marks:
    comma: ",", "،"
    dash: "--", "–"
    colon: ":", ";"
    quote: "“", "”", "\\""
    final: ".", "!", "?"
"""
GRAMMAR = """
leaves: Det, N, V, PN, Semi
roots: S
features: number: sg, pl
S:
    oblig V
    uniq {V, NP, Voc}
    NP < V
    Voc => V
NP:
    head N, PN
    uniq {N, Det, PN}
    N x PN
    Det < N
Voc:
    const {PN[after=comma], PN[before=comma]}
    uniq PN
lexicon:
    the: Det; cat: N[number=sg]; Mary: PN; sleeps: V[number=sg]; ";": Semi
"""
PLAIN = GRAMMAR.replace("    const {PN[after=comma], PN[before=comma]}\n", "")
"""The grammar without properties of marks."""
WORDS = words_of(parse_grammar(GRAMMAR + MARKS))
ENGINES = pytest.mark.parametrize("engine", ["exact", "phases"])


def beside(lattice: Lattice) -> str:
    """Return each token with the first letters of the marks before and after it: `c>cat<f`."""
    arcs = {arc.start: arc for arc in lattice.arcs}
    marks = [[(value_of(arcs[i].features, name) or "")[:1] for name in ("before", "after")] for i in sorted(arcs)]
    rows = zip(marks, lattice.tokens, strict=True)
    return " ".join(
        f"{before + '>' * bool(before)}{token}{'<' * bool(after) + after}" for (before, after), token in rows
    )


# Words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Mary, the cat sleeps.", "Mary<c c>the cat sleeps<f"),
        ("Mary، sleeps", "Mary<c c>sleeps"),
        ("Mary... sleeps!!", "Mary<f f>sleeps<f"),
        ("the cat -- Mary --- sleeps", "the cat<d d>Mary sleeps"),
        ("“Mary,” sleeps", "q>Mary<c c>sleeps"),
        ('the cat: "Mary?"', "the cat<c c>Mary<q"),
        ("Mary; sleeps", "Mary ; sleeps"),
        ("Mary (the cat) sleeps", "Mary the cat sleeps"),
        ("... :", ""),
    ],
)
def test_words_know_the_marks_beside_them(text: str, shown: str) -> None:
    assert beside(read_text(text, WORDS)) == shown


@pytest.mark.parametrize("tokens", ["Mary , the cat sleeps .", "Mary ، the cat sleeps !", "Mary the cat ... sleeps"])
def test_tokens_that_are_marks_act_as_in_text(tokens: str) -> None:
    one, other = read_tokens(tokens.split(), WORDS), read_text(tokens, WORDS)
    assert (one.skipped, one.gaps, one.skipped_places) == (other.skipped, other.gaps, other.skipped_places)
    assert (one.tokens, one.places, set(one.arcs)) == (other.tokens, other.places, set(other.arcs))


def test_a_tagged_mark_is_a_word_if_it_has_a_category() -> None:
    assert beside(read_tagged("Mary/PN ,/? sleeps/V ./?", WORDS)) == "Mary<c c>sleeps<f"
    assert beside(read_tagged("Mary/PN ,/Semi sleeps/V", WORDS)) == "Mary , sleeps"


def test_a_grammar_without_marks_sees_the_same_as_before() -> None:
    words = words_of(parse_grammar(PLAIN))
    assert beside(read_text("Mary, the cat sleeps.", words)) == "Mary the cat sleeps"
    assert read_tokens(["Mary", ",", "sleeps"], words).tokens == ("Mary", ",", "sleeps")


# Phrases


@ENGINES
@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Mary, the cat sleeps.", "(S (Voc (PN Mary)) (NP (Det the) (N cat)) (V sleeps))"),
        ("the cat, Mary, sleeps", "(S (NP (Det the) (N cat)) (Voc (PN Mary)) (V sleeps))"),
        ("the cat sleeps, Mary!", "(S (NP (Det the) (N cat)) (V sleeps) (Voc (PN Mary)))"),
        ("Mary sleeps.", "(S (NP (PN Mary)) (V sleeps))"),
        ("Mary: sleeps", "(S (NP (PN Mary)) (V sleeps))"),
    ],
)
def test_properties_and_constituency_ask_for_marks(engine: str, text: str, tree: str) -> None:
    parse = Parser(parse_grammar(GRAMMAR + MARKS), engine=engine).parse(text)
    assert parse.is_well_formed
    assert parse.to_brackets() == tree


@ENGINES
def test_a_phrase_has_the_marks_of_its_edges_and_not_of_its_head(engine: str) -> None:
    parse = Parser(parse_grammar(GRAMMAR + MARKS), engine=engine).parse("“the cat”, sleeps.")
    (top,) = parse.constituents
    assert top.features == (("after", "final"), ("before", "quote"), ("number", "sg"))
    assert top.daughters[0].features == (("after", "comma"), ("before", "quote"), ("number", "sg"))


@pytest.mark.parametrize(
    ("demand", "meets"),
    [
        ("before=comma", ["comma"]),
        ("before=comma|final", ["comma", "final"]),
        ("before=none", [""]),
        ("no before", [""]),
        ("before != comma", ["final", ""]),
        ("before != none", ["comma", "final"]),
        ("before=comma|none", ["comma", ""]),
    ],
)
@ENGINES
def test_demands_of_marks(engine: str, demand: str, meets: list[str]) -> None:
    grammar = f'roots: S\nleaves: A, B\nmarks: comma: ","; final: "."\nS:\n    A => B[{demand}]\nlexicon: a: A; b: B'
    parser = Parser(parse_grammar(grammar), engine=engine)
    texts = {"comma": "a, b", "final": "a. b", "": "a b"}
    assert [mark for mark, text in texts.items() if parser.parse(text).is_well_formed] == meets


def test_marks_that_no_property_names_cost_the_search_nothing() -> None:
    built = []
    for grammar in (PLAIN, PLAIN + MARKS):
        parser = Parser(parse_grammar(grammar))
        lattice = read_text("Mary, the cat, Mary: the cat -- Mary sleeps. The cat... sleeps!", parser.words)
        found = chart.Chart(lexical_costs(lattice), len(lattice.tokens), parser.weighted, Limits())
        built.append((found.items.built, found.level))
    assert built[0] == built[1]


def test_a_root_may_ask_for_a_mark() -> None:
    parser = Parser(parse_grammar(GRAMMAR.replace("roots: S", "roots: S[after=final]") + MARKS))
    assert [parser.parse(text).is_well_formed for text in ("Mary sleeps.", "Mary sleeps")] == [True, False]


def test_arcs_that_disagree_about_a_mark_are_refused() -> None:
    arcs = (Arc(0, 1, "Mary", "PN", (("after", "comma"),)), Arc(1, 2, "sleeps", "V"))
    with pytest.raises(DataError, match="disagree about the mark before token 2"):
        Parser(parse_grammar(GRAMMAR + MARKS)).parse(Lattice(("Mary", "sleeps"), arcs))


def test_a_repair_keeps_the_marks_where_they_are() -> None:
    parser = Parser(parse_grammar(GRAMMAR + MARKS))
    best = repairs(parser.parse("Mary, cat the sleeps."), parser, scorer("cost"))[0]
    assert best.sentence == "Mary, the cat sleeps."
    assert best.parse.to_brackets() == "(S (Voc (PN Mary)) (NP (Det the) (N cat)) (V sleeps))"


def test_stored_parses_come_back_with_their_marks(tmp_path: Path) -> None:
    parser = Parser(parse_grammar(GRAMMAR + MARKS))
    every = [Sentence(text, parser.parse(text), {}) for text in ("“the cat”, sleeps.", "Mary, sleeps cat the!", "the")]
    write_store(tmp_path / "x.db", every, parser.grammar)
    with Store(tmp_path / "x.db") as store:
        assert [parse.to_json() for parse in store.parses()] == [each.parse.to_json() for each in every]
        assert store.count("NP[before=quote, after=comma]", run=1).whole.matches == 1


# Grammars


@pytest.mark.parametrize("kind", ["pg", "yaml"])
def test_marks_come_back(kind: str) -> None:
    from numbat.grammar import yaml_format

    grammar = parse_grammar(GRAMMAR + MARKS)
    shaped = format_grammar(grammar) if kind == "pg" else yaml_format.format_grammar(grammar)
    assert parse_grammar(shaped, f"g.{kind}") == grammar
    assert grammar.features[-1] == ("after", ("comma", "dash", "colon", "quote", "final"))
    assert grammar.stated_features == (("number", ("sg", "pl")),)


def test_a_grammar_on_top_adds_marks_and_signs(tmp_path: Path) -> None:
    (tmp_path / "base.pg").write_text(GRAMMAR + MARKS, encoding="utf-8")
    (tmp_path / "top.pg").write_text(
        'include: "base.pg"\nmarks:\n    comma: "、"\n    ellipsis: "…"\n', encoding="utf-8"
    )
    marks = dict(load_grammar(tmp_path / "top.pg").marks)
    assert (marks["comma"], marks["ellipsis"], len(marks)) == ((",", "،", "、"), ("…",), 6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('marks: none: ","', '"none" stands for no mark'),
        ('marks: comma: ","; stop: ","', '"," is already a sign of "comma", in line 1'),
        ('marks: comma: ","; comma: "،"', 'mark "comma" is declared twice, first in line 1'),
        ('marks: comma: ",", ","', '"," appears twice'),
        ("marks: comma: and", '"and" is not a punctuation mark'),
        ('marks: comma: ", ;"', '", ;" is not a punctuation mark'),
        ('features: before: a, b\nmarks: comma: ","', 'the marks of this grammar give the feature "before"'),
        ('leaves: N\nmarks: comma: ","\nlexicon: cat: N[after=comma]', 'only punctuation marks give "after"'),
        ('leaves: N\nmarks: comma: ","\nguess: "*": N[before=comma]', 'only punctuation marks give "before"'),
        ('leaves: N\nmarks: comma: ","\nspelling: "*s": N[before=comma]', 'only punctuation marks give "before"'),
        ('leaves: N\nmarks: comma: ","\nNP:\n    uniq N\n    after = comma', 'only punctuation marks give "after"'),
        ('leaves: N\nmarks: comma: ","\nNP:\n    uniq N\n    inherit after', 'only punctuation marks give "after"'),
        ('leaves: N\nmarks: comma: ","\nNP:\n    uniq N[after=colon]', '"colon" is not a value of after'),
        ('leaves: N\nmarks: comma: ","\nNP:\n    uniq N[comma]', '"comma" is a value of several features'),
        ("leaves: N\nNP:\n    uniq N[after=comma]", '"after" is not a feature'),
        ("marks:\n    comma: ,", "expected"),
    ],
)
def test_mistakes_in_marks(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_grammar(text)
    assert message in str(caught.value)


# The packaged grammar


@pytest.fixture(scope="module")
def english() -> Parser:
    return Parser(load_grammar("english"))


@pytest.mark.parametrize(
    ("text", "cost", "root"),
    [
        ("Read the book; there is more.", 0, "Row"),
        ("They were late: the train had stopped.", 0, "Row"),
        ("The door is open - you can come in.", 0, "Row"),
        ("The door is open, you can come in.", 0, "Row"),
        ("It was late, she was tired; they slept.", 0, "Row"),
        ("John Smith, Mary Jones, Anna Bell", 0, "Listing"),
        ("beans, rice, meat", 0, "Listing"),
        ("The cat slept.", 0, "S"),
    ],
)
def test_english_lets_marks_part_clauses_and_names(english: Parser, text: str, cost: int, root: str) -> None:
    parse = english.parse(text)
    assert (parse.violation_cost, [top.construction for top in parse.constituents]) == (cost, [root])
