"""Induction: MarsaGram's formulas, each relation by hand, the file that comes out, treebanks at published sizes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import comb, log
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import numbat
from numbat.errors import DataError, Problem
from numbat.grammar.checks import check
from numbat.grammar.loading import parse_grammar
from numbat.grammar.model import Entry, Reading, TokenRule
from numbat.grammar.properties import format_property
from numbat.parsing.queries import judge_tree, uncovered
from numbat.statistics.distributions import binomial_tail
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.conllu import DependencyTree, DependencyWord, read_conllu
from numbat.treebanks.induce import (
    LEAST_GAIN,
    RELATIONS,
    TELLING,
    InductionSettings,
    Occurrences,
    Thresholds,
    agreements,
    chance,
    induce,
)
from numbat.treebanks.induced import (
    InducedGrammar,
    InducedProperty,
    Support,
    format_induced,
    format_lexicon,
    format_rules,
    read_counts,
)
from numbat.treebanks.reading import TreebankSentence, read_treebank
from numbat.treebanks.report import induced_texts
from numbat.treebanks.rule_counts import AgreementCounts, NotCounted, TreebankCounts, count_treebank
from numbat.treebanks.trees import Tree
from numbat.words.tag_maps import CODES, PUNCTUATION

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("NUMBAT_DATA") or ROOT / ".." / "shared" / "data")
ALL = Thresholds(support=1, w0=0.0, count=1, expected=0.0)
CERTAIN = Thresholds(support=1, w0=1.0, count=1, expected=0.0)


def bank(text: str) -> list[TreebankSentence]:
    found = list(read_brackets(text.strip().split("\n"), "t.mrg"))
    assert not any(isinstance(each, Problem) for each in found)
    return [TreebankSentence(f"s{number}", each) for number, each in enumerate(found, 1) if isinstance(each, Tree)]


def rules(text: str) -> TreebankCounts:
    """Return the counts of a treebank with one construction X, given a line for each rule: its count and daughters."""
    trees = []
    for line in text.strip().split("\n"):
        count, *daughters = line.split()
        trees += [f"(X {' '.join(f'({each} w)' for each in daughters)})"] * int(count)
    return count_treebank(bank("\n".join(trees)))


def induced(text: str, least: Thresholds = CERTAIN, **options: object) -> dict[str, InducedProperty]:
    """The properties of the one construction, by how they are written."""
    found = induce(rules(text), InductionSettings(least=least, **options))  # type: ignore[arg-type]
    (construction,) = found.constructions
    return {format_property(each.property): each for each in construction.properties}


def of(properties: dict[str, InducedProperty], relation: str) -> set[str]:
    return {text for text, each in properties.items() if each.property.relation == relation}


# The parts of trees that count

FRENCH = """
(SENT (NP (DET L') (NC homme)) (VN (V dort)) (PONCT .))
(SENT (NP (NP (DET l') (NC ami))) (VN (V dort) (CLS -t-il)))
(SENT (NP (DET l') (NC été)) (VN (V vient) (CLS -t-il)))
(SENT (PONCT .))
"""


def test_what_is_not_counted_is_told() -> None:
    counts = count_treebank(bank(FRENCH), dropped=CODES | PUNCTUATION)
    assert counts.left_out == NotCounted(sentences=1, words=2, phrases=1)
    assert [each.count for each in counts.rules if each.construction == "NP"] == [3]
    opening = induced_texts(induce(counts, InductionSettings(least=CERTAIN)), "t.mrg").grammar.split("\n")[5]
    assert opening == (
        "# Not counted: 1 sentence without a word that counts; 2 marks and empty elements; "
        "1 phrase over a single phrase with the same label."
    )


def test_elisions_and_clitics_of_the_trees_are_cut_from_text() -> None:
    found = induce(count_treebank(bank(FRENCH)), InductionSettings(least=CERTAIN, lexicon=True))
    assert found.grammar.tokens == (TokenRule("prefix", ("l'",)), TokenRule("suffix", ("-t-il",)))
    parse = numbat.Parser(found.grammar).parse("L'homme dort-t-il")
    assert parse.lattice.tokens == ("L'", "homme", "dort", "-t-il")
    assert not any("is not cut" in problem.message for problem in check(found.grammar))


@pytest.mark.parametrize(
    ("form", "rule"),
    [
        ("qu'", "prefix"), ("’s", "suffix"), ("n't", "suffix"), ("'", "suffix"), ("-ce", "suffix"), ("-t'en", "suffix"),
        ("can't", ""), ("-LRB-", ""), ("'72", ""), ("ex-", ""), ("rendez-vous", ""),
    ],
)  # fmt: skip
def test_what_is_tied_to_a_word_is_told_by_its_spelling(form: str, rule: str) -> None:
    tokens = induce(
        count_treebank(bank(f"(X (A {form}) (B b))\n" * 2)), InductionSettings(least=CERTAIN)
    ).grammar.tokens
    assert [each.kind for each in tokens] == ([rule] if rule else [])


# Formulas


def test_the_printed_french_example() -> None:
    """NOUN-nsubj, 5,585 occurrences: exclude(DET-det, VERB-acl:relcl) 5505 against 80 (Blache et al. 2015)."""
    support = Support(5505, 80, 5585)
    assert (f"{support.w0:.4f}", f"{support.w1:.4f}") == ("0.9857", "0.9716")
    assert support.support == 5585


def test_without_occurrences_the_weights_are_zero() -> None:
    assert (Support(0, 0, 0).w0, Support(0, 0, 0).w1) == (0.0, 0.0)


# Each relation by hand


def test_uniqueness() -> None:
    found = induced("6 D N\n3 N N\n1 D D N", ALL)
    assert found["uniq D"].support == Support(6, 1, 10, ("s10",))
    assert found["uniq N"].support == Support(7, 3, 10, ("s7", "s8", "s9"))
    assert of(induced("6 D N\n3 N N\n1 D D N"), "uniqueness") == set()
    assert of(induced("6 D N\n3 N"), "uniqueness") == {"uniq D", "uniq N"}


def test_linearity() -> None:
    found = induced("6 D N\n2 N D\n1 D N D\n4 N", ALL)
    assert found["D < N"].support == Support(6, 3, 13, ("s7", "s8", "s9"))
    assert found["N < D"].support == Support(2, 7, 13, ("s1", "s2", "s3"))
    assert of(induced("6 D N\n1 N"), "linearity") == {"D < N"}


def test_adjacency_needs_a_third_daughter() -> None:
    found = induced("6 D N\n2 D N P\n1 D A N\n3 A N D D", ALL)
    assert found["D + N"].support == Support(2, 4, 12, ("s9", "s10", "s11"))
    assert of(induced("6 D N"), "adjacency") == set()
    assert of(induced("2 D A N\n3 A N P"), "adjacency") == {"A + N", "D + A", "N + P"}


def test_requirement_must_tell_something() -> None:
    found = induced("4 A D N\n5 N\n3 D N")
    assert of(found, "requirement") == {"A => D"}
    assert found["A => D"].support == Support(4, 0, 12)
    violated = induced("9 A D\n1 A\n20 N", Thresholds(1, 0.9, 1))
    assert violated["A => D"].support == Support(9, 1, 30, ("s10",))


def test_disjunctive_requirement_where_none_suffices_alone() -> None:
    found = induced("4 A B\n5 A C\n3 D\n9 E")
    assert of(found, "requirement") == {"A => C | B", "B => A", "C => A"}
    assert found["A => C | B"].support == Support(9, 0, 21)
    assert "A => C | B" not in induced("4 A B\n5 A C\n1 A\n3 D\n9 E")
    assert induced("4 A B\n5 A C\n1 A\n3 D\n9 E", Thresholds(1, 0.9, 1))["A => C | B"].support == Support(
        9, 1, 22, ("s10",)
    )


def test_exclusion_counts_where_one_or_both_are() -> None:
    found = induced("6 A\n4 B\n10 C", ALL)
    assert found["A x B"].support == Support(10, 0, 20)
    met = induced("60 A\n40 B\n1 A B", Thresholds(1, 0.9, 1))
    assert met["A x B"].support == Support(100, 1, 101, ("s101",))
    few = induced("1 A N\n1 B N\n98 N", Thresholds(1, 0.9, 1, expected=1.0))
    assert of(few, "exclusion") == set()


def test_obligation_by_cover_and_by_table() -> None:
    cover = induced("6 D N\n3 A P\n1 P", heads="cover")
    assert of(cover, "obligation") == {"oblig D | P"}
    assert cover["oblig D | P"].support == Support(10, 0, 10)
    table = induce(
        count_treebank(bank("(NP (DT a) (NN b))\n(NP (DT a) (JJ b) (NN c))\n(NP (NP (DT d)) (PP (IN e)))")),
        InductionSettings(least=CERTAIN),
    )
    (noun,) = (each for each in table.constructions if each.name == "NP")
    assert format_property(noun.properties[0].property) == "oblig NN | DT | NP"
    most = induced("98 D N\n2 D", Thresholds(1, 0.9, 1), heads="cover")
    assert of(most, "obligation") == {"oblig D"}


def test_a_rule_in_which_nothing_holds_can_still_be_built() -> None:
    found = induced("3 N N\n1 N N N")
    assert {text for text in found if not text.startswith("oblig")} == {"occurs(N)"}
    assert of(induced("3 D N\n1 N"), "occurs") == set()


def test_constituents_and_rules_are_kept() -> None:
    found = induce(rules("3 D N\n5 N"), InductionSettings(least=CERTAIN))
    (construction,) = found.constructions
    assert construction.occurrences == 8
    assert construction.constituency == (("N", 8), ("D", 3))
    assert [(each.daughters, each.count) for each in construction.rules] == [(("N",), 5), (("D", "N"), 3)]
    assert construction.rules[0].sentences == ((4, "s4"), (5, "s5"), (6, "s6"))
    assert format_rules(construction.rules) == ("# construction\tcount\tdaughters\nX\t5\tN\nX\t3\tD N\n")


def test_strengths() -> None:
    odds = induced("98 D N\n2 N D", Thresholds(1, 0.9, 1))["D < N"].property
    assert (odds.weight_units, odds.cost_units) == (960_000, round(log(99 / 3) * 1000) * 1000)
    for weights, weight in (("w0", 980_000), ("w1", 960_000), ("none", 1_000_000)):
        prop = induced("98 D N\n2 N D", Thresholds(1, 0.9, 1), weights=weights)["D < N"].property
        assert (prop.weight_units, prop.cost_units) == (weight, weight)


def test_hard_needs_support_and_no_violation() -> None:
    found = induced("50 D N\n1 D D N", Thresholds(1, 0.9, 1), hard=51)
    assert {text for text, each in found.items() if each.property.hard} == {"oblig D", "uniq N", "D < N"}
    assert not any(each.property.hard for each in induced("50 D N", hard=51).values())


def test_thresholds_keep_what_is_rare_out() -> None:
    text = "20 D N\n2 A N\n1 N D"
    assert "A < N" in induced(text, Thresholds(2, 0.9, 1))
    assert "A < N" not in induced(text, Thresholds(3, 0.9, 1))
    assert "A < N" not in induced(text, Thresholds(1, 0.9, 3))
    assert "D < N" not in induced(text, Thresholds(1, 0.96, 1))


some_rules = st.lists(
    st.tuples(st.integers(1, 4), st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4)), min_size=1, max_size=6
)


@given(some_rules)
def test_counts_are_those_of_a_slow_reading_of_the_definitions(drawn: list[tuple[int, list[str]]]) -> None:
    found = induced("\n".join(f"{count} {' '.join(daughters)}" for count, daughters in drawn), ALL)
    whole = [daughters for count, daughters in drawn for _ in range(count)]
    for a, b in permutations("ABCD", 2):
        both = [each for each in whole if a in each and b in each]
        valid = [each for each in both if max(i for i, x in enumerate(each) if x == a) < each.index(b)]
        if both:
            counts = found[f"{a} < {b}"].support
            assert (counts.valid, counts.violating, counts.occurrences) == (
                len(valid),
                len(both) - len(valid),
                len(whole),
            )
        having = [each for each in whole if a in each]
        if having:
            unique = found[f"uniq {a}"].support
            assert (unique.valid, unique.support) == (sum(each.count(a) == 1 for each in having), len(having))
        if text := next((text for text in (f"{a} x {b}",) if text in found), None):
            counts = found[text].support
            assert counts.violating == len(both)
            assert counts.valid == sum((a in each) != (b in each) for each in whole)


@given(some_rules)
def test_every_tree_of_the_bank_is_allowed_by_its_grammar(drawn: list[tuple[int, list[str]]]) -> None:
    """With w0 = 1 the trees of the treebank violate no property, every daughter is covered, and some property holds."""
    found = induce(rules("\n".join(f"{n} {' '.join(each)}" for n, each in drawn)), InductionSettings(least=CERTAIN))
    parser = numbat.Parser(found.grammar)
    for _, daughters in drawn:
        parse = judge_tree(Tree("X", tuple(Tree(each, form="w") for each in daughters)), parser)
        assert parse.violated == ()
        assert uncovered(parse, parser) == ()
        assert any(evaluated.elements for evaluated in parse.satisfied)


# Agreement


def test_the_binomial_tail_is_the_sum_of_exact_probabilities() -> None:
    for trials, successes, probability in (
        (10, 8, 0.5),
        (30, 3, 0.2),
        (7, 7, 0.9),
        (5, 0, 0.3),
        (4, 2, 0.0),
        (4, 2, 1.0),
    ):
        exact = sum(
            comb(trials, k) * probability**k * (1 - probability) ** (trials - k) for k in range(successes, trials + 1)
        )
        assert binomial_tail(successes, trials, probability) == pytest.approx(exact)


@pytest.mark.parametrize(
    ("successes", "trials", "chance"),
    [
        (19_000, 20_000, Fraction(999, 1000)),
        (19_980, 20_000, Fraction(999, 1000)),
        (19_999, 20_000, Fraction(999, 1000)),
        (1, 20_000, Fraction(1, 2)),
        (9_000, 20_000, Fraction(1, 2)),
        (10_000, 20_000, Fraction(1, 2)),
        (10_001, 20_000, Fraction(1, 2)),
        (10_220, 20_000, Fraction(1, 2)),
        (12_000, 20_000, Fraction(1, 2)),
        (660, 20_000, Fraction(3, 100)),
    ],
)
def test_the_binomial_tail_at_the_size_of_a_treebank(successes: int, trials: int, chance: Fraction) -> None:
    wins, losses = chance.numerator, chance.denominator - chance.numerator
    ways, exact = wins**trials, 0
    for k in range(trials, successes - 1, -1):
        exact += ways
        ways = ways * k * losses // ((trials - k + 1) * wins)
    assert binomial_tail(successes, trials, float(chance)) == pytest.approx(
        float(Fraction(exact, chance.denominator**trials)), rel=1e-6
    )


def noun_phrases(pairs: list[tuple[str, str]]) -> list[TreebankSentence]:
    """A determiner and a noun each, with their numbers."""
    return [
        TreebankSentence(
            f"s{number}",
            DependencyTree(
                (
                    DependencyWord("d", upos="DET", feats=(("Number", left),), head=2, deprel="det"),
                    DependencyWord("n", upos="NOUN", feats=(("Gender", "X"), ("Number", right)), head=0, deprel="root"),
                )
            ),
        )
        for number, (left, right) in enumerate(pairs, 1)
    ]


def test_agreement_that_is_no_chance() -> None:
    observed = count_treebank(noun_phrases([("Sg", "Sg")] * 30 + [("Pl", "Pl")] * 20 + [("Sg", "Pl")]))
    (found,) = agreements(observed, Thresholds(5, 0.9, 5))
    assert (found.construction, found.left, found.right, found.features) == ("NOUN-P", "DET-P", "NOUN", ("Number",))
    assert found.support == Support(50, 1, 51, ("s51",))
    assert chance(observed.agreements["NOUN-P", "DET-P", "NOUN", "Number"]) == pytest.approx(
        (31 * 30 + 20 * 21) / 51**2
    )


def test_agreement_by_chance_is_none() -> None:
    always = count_treebank(noun_phrases([("Sg", "Sg")] * 50))
    assert list(agreements(always, Thresholds(5, 0.9, 5))) == []
    nearly = count_treebank(noun_phrases([("Sg", "Sg")] * 97 + [("Sg", "Pl"), ("Pl", "Sg"), ("Sg", "Pl")]))
    assert list(agreements(nearly, Thresholds(5, 0.9, 5))) == []
    few = count_treebank(noun_phrases([("Sg", "Sg")] * 2 + [("Pl", "Pl")] * 2))
    assert list(agreements(few, Thresholds(1, 0.9, 1))) == []


def test_a_value_with_a_comma_agrees_with_either() -> None:
    pairs = [("Sg", "Sg")] * 20 + [("Pl", "Pl")] * 20 + [("Pl,Sg", "Sg")] * 5
    (found,) = agreements(count_treebank(noun_phrases(pairs)), Thresholds(5, 0.9, 5))
    assert found.support == Support(45, 0, 45)
    assert chance(AgreementCounts(left=Counter(["a,b"]), right=Counter(["b"]))) == 1.0


def test_agreement_stands_in_the_grammar_with_its_features() -> None:
    sentences = noun_phrases([("Sg", "Sg")] * 30 + [("Pl", "Pl")] * 20)
    found = induce(count_treebank(sentences), InductionSettings(lexicon=True))
    assert found.grammar.features == (("Number", ("Pl", "Sg")),)
    assert "DET-P ~> NOUN [Number]" in {format_property(prop) for prop in found.grammar.properties}
    assert found.grammar.roots[0].category == "NOUN-P"
    parse = numbat.Parser(found.grammar).parse("d n")
    assert parse.to_brackets() == "(NOUN-P (DET-P (DET d)) (NOUN n))"
    assert parse.is_well_formed


# Dependencies


def test_the_head_itself_has_the_category_of_the_word() -> None:
    found = count_treebank(
        each for each in read_treebank(str(ROOT / "corpora" / "trees.conllu")) if isinstance(each, TreebankSentence)
    )
    assert {(each.construction, *each.daughters): each.count for each in found.rules if "VERB" in each.daughters} == {
        ("VERB-P", "NOUN-P", "AUX-P", "PART-P", "VERB", "NOUN-P"): 1,
        ("VERB-P", "NOUN-P", "VERB", "PUNCT-P"): 1,
        ("VERB-P", "PROPN-P", "VERB", "NOUN-P", "PROPN-P"): 1,
    }
    with_functions = count_treebank(
        (each for each in read_treebank(str(ROOT / "corpora" / "trees.conllu")) if isinstance(each, TreebankSentence)),
        functions=True,
        dropped=CODES | PUNCTUATION,
    )
    assert ("NOUN-nsubj", ("DET-det", "ADJ-amod", "NOUN")) in {
        (each.construction, each.daughters) for each in with_functions.rules
    }
    assert "PUNCT" not in with_functions.leaves


def test_an_outer_bracket_over_several_trees_is_no_construction() -> None:
    found = count_treebank(bank("( (S (V b)) (NP (N a)) (N c))\n(TOP (S (V b)) (N d))"))
    assert [(each.construction, each.daughters, each.count) for each in found.rules] == [
        ("NP", ("N",), 1),
        ("S", ("V",), 2),
    ]
    assert found.roots == {"S": 2, "NP": 1}
    assert found.words.total() == 5


def test_a_label_of_words_and_phrases_is_told_apart() -> None:
    found = count_treebank(bank("(S (N (N a) (X b)) (V c))"))
    assert [(each.construction, each.daughters) for each in found.rules] == [
        ("N-P", ("N", "X")),
        ("S", ("N-P", "V")),
    ]


# The file


def shipped(lexicon: bool = True) -> InducedGrammar:
    sentences = (
        each for each in read_treebank(str(ROOT / "corpora" / "trees.mrg")) if isinstance(each, TreebankSentence)
    )
    observed = count_treebank(sentences, dropped=CODES | PUNCTUATION)
    return induce(observed, InductionSettings(name="trees", least=Thresholds(1, 0.9, 1), lexicon=lexicon))


def test_the_grammar_reads_back_as_it_is(tmp_path: Path) -> None:
    found = shipped()
    lexicon = tmp_path / "t.tsv"
    lexicon.write_text(format_lexicon(found.grammar.lexicon), encoding="utf-8")
    text = format_induced(found, ["made by a test"], "t.tsv")
    assert parse_grammar(text, str(tmp_path / "t.pg")) == found.grammar
    assert parse_grammar(format_induced(found)) == found.grammar
    assert text.startswith("# made by a test\n\ngrammar: trees\n")


@given(some_rules)
def test_any_grammar_reads_back_as_it_is(drawn: list[tuple[int, list[str]]]) -> None:
    found = induce(
        rules("\n".join(f"{n} {' '.join(each)}" for n, each in drawn)),
        InductionSettings(least=ALL, hard=2, lexicon=True),
    )
    text = format_induced(found)
    assert parse_grammar(text) == found.grammar
    counted = read_counts(text)
    (construction,) = found.constructions
    assert counted.occurrences == {"X": construction.occurrences}
    assert [*counted.supports.values()] == [each.support for each in construction.properties]


def test_counts_are_those_of_the_whole_name() -> None:
    trees = ["(NOUN-nsubj (D w) (N w))"] * 3 + ["(NOUN-nsubj:pass (D w) (N w))"] * 2 + ['(a"\\:b (N w) (D w))']
    found = induce(count_treebank(bank("\n".join(trees))), InductionSettings(least=ALL))
    counted = read_counts(format_induced(found))
    assert counted.occurrences == {each.name: each.occurrences for each in found.constructions}
    assert counted.rules == {
        each.name: tuple((rule.count, " ".join(rule.daughters), "w w") for rule in each.rules)
        for each in found.constructions
    }
    supports = [each.support for construction in found.constructions for each in construction.properties]
    assert [*counted.supports.values()] == supports


def test_the_weights_of_a_lexicon_file_are_exact(tmp_path: Path) -> None:
    weights = (1234567.0, 0.000125, 1.0, 12345678.5)
    entries = tuple(Entry(f"w{i}", (Reading("N", weight=weight),)) for i, weight in enumerate(weights))
    (tmp_path / "t.tsv").write_text(format_lexicon(entries), encoding="utf-8")
    text = 'leaves: N\nlexicon_file: "t.tsv"\nNP:\n    uniq N\n'
    read = parse_grammar(text, str(tmp_path / "t.pg")).lexicon
    assert [reading.weight for entry in read for reading in entry.readings] == [*weights]


def test_forms_that_a_lexicon_file_cannot_hold_stand_in_the_grammar(tmp_path: Path) -> None:
    found = induce(
        count_treebank(bank("(X (A #) (B %) (C a))")), InductionSettings(name="odd", least=CERTAIN, lexicon=True)
    )
    (tmp_path / "t.tsv").write_text(format_lexicon(found.grammar.lexicon), encoding="utf-8")
    text = format_induced(found, (), "t.tsv")
    assert '    "#": A\n    "%": B\n' in text
    assert parse_grammar(text, str(tmp_path / "t.pg")) == found.grammar


def test_blanks_of_any_kind_are_one_in_a_lexicon() -> None:
    observed = count_treebank(bank("(S (N 10\xa0000))\n(S (N 10 000))\n(S (N \xa0dog))\n(S (N dog))\n(S (N \xa0))"))
    induced = induce(observed, InductionSettings(lexicon=True))
    assert [(each.form, each.readings[0].weight) for each in induced.grammar.lexicon] == [("10 000", 2), ("dog", 2)]
    assert parse_grammar(format_induced(induced)) == induced.grammar


def test_counts_stand_behind_the_properties() -> None:
    text = format_induced(
        induce(rules("98 D N\n2 N D"), InductionSettings(name="small", least=Thresholds(1, 0.9, 1), heads="cover"))
    )
    assert (
        text
        == """\
grammar: small
leaves: D, N
roots: X

X:                                                            # 100 occurrences
    # 100 % of all phrases; the root 100 %
    #   98  D N                                       "w w"
    #    2  N D                                       "w w"
    const {D, N}
    oblig D weight 1 cost 4.615                               # 100:0 w0 1.0000 w1 1.0000
        # as in "[w] w"
    D < N weight 0.96 cost 3.497                              # 98:2 w0 .9800 w1 .9604 gain 60; not in s99, s100
        # as in "[w] [w]"; not in "[w] [w]"
    uniq D weight 1 cost 4.615                                # 100:0 w0 1.0000 w1 1.0000 gain 54
        # as in "[w] w"
    uniq N weight 1 cost 4.615                                # 100:0 w0 1.0000 w1 1.0000 gain 54
        # as in "w [w]"
"""
    )


def naive(relation: str, operands: list[list[str]], daughters: list[str]) -> bool | None:
    """Return if a property holds of daughters, None if it is not pertinent, as defined in docs/treebanks.md."""
    places = [[i for i, each in enumerate(daughters) if each in names] for names in operands]
    if relation == "obligation":
        return bool(places[0])
    if relation == "exclusion":
        return None if not places[0] and not places[1] else not (places[0] and places[1])
    if not places[0]:
        return None
    if relation == "uniqueness":
        return len(places[0]) == 1
    if relation == "requirement":
        return bool(places[1])
    if not places[1] or (relation == "adjacency" and len(daughters) == 2):
        return None
    if relation == "adjacency":
        return len(places[0]) == len(places[1]) == 1 and abs(places[0][0] - places[1][0]) == 1
    return all(i < j for i in places[0] for j in places[1])


@given(some_rules)
def test_phrases_below_properties_satisfy_and_violate_them(drawn: list[tuple[int, list[str]]]) -> None:
    found = induce(rules("\n".join(f"{n} {' '.join(each)}" for n, each in drawn)), InductionSettings(least=ALL))
    (construction,) = found.constructions
    for number, each in enumerate(construction.properties):
        if each.property.relation in ("occurs", "dependency"):
            continue
        operands = [
            [operand.category for joint in parameter for operand in joint] for parameter in each.property.operands
        ]
        holds = [naive(each.property.relation, operands, daughters) for n, daughters in drawn for _ in range(n)]
        assert (each.support.valid, each.support.violating) == (holds.count(True), holds.count(False))
        if each.example is not None:
            assert naive(each.property.relation, operands, list(each.example.labels)) is True
        if each.counterexample is not None:
            assert naive(each.property.relation, operands, list(each.counterexample.labels)) is False
        if number < TELLING and each.gain >= LEAST_GAIN:
            assert (each.example is None) == (each.support.valid == 0)
            assert (each.counterexample is None) == (each.support.violating == 0)


def test_the_most_telling_properties_come_first_and_no_other_is_lost() -> None:
    found = induce(rules("40 D N\n30 D A N\n3 A N\n20 P N A\n9 N"), InductionSettings(least=ALL))
    (construction,) = found.constructions
    gains = [each.gain for each in construction.properties[1:TELLING] if each.example is not None]
    assert construction.properties[0].property.relation == "obligation"
    assert gains == sorted(gains, reverse=True) != sorted(gains)
    seen = Occurrences(construction.rules)
    proposed = sum(len(list(candidates(seen, ALL))) for candidates in RELATIONS.values())
    assert len(construction.properties) == 1 + proposed
    by_hand = 40 + 30
    before = next(each for each in construction.properties if format_property(each.property) == "D < N")
    assert before.gain == pytest.approx(by_hand * log(2))


def test_phrases_and_gains_are_read_back_from_the_file() -> None:
    text = format_induced(induce(rules("98 D N\n2 N D"), InductionSettings(least=Thresholds(1, 0.9, 1), heads="cover")))
    counted = read_counts(text)
    lines = text.split("\n")
    by_property = {lines[number - 1].split(" weight")[0].strip(): number for number in counted.supports}
    assert counted.gains == {by_property["D < N"]: 60, by_property["uniq D"]: 54, by_property["uniq N"]: 54}
    assert counted.phrases[by_property["D < N"]] == ("[w] [w]", "[w] [w]")
    assert counted.about == {"X": "100 % of all phrases; the root 100 %"}


def test_a_phrase_shows_daughters_and_the_heads_of_long_ones() -> None:
    text = "".join(
        f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
        for number, (form, tag, head, relation) in enumerate(
            [
                ("the", "DET", 2, "det"), ("house", "NOUN", 0, "root"), ("that", "PRON", 5, "obj"),
                ("Jack", "PROPN", 5, "nsubj"), ("built", "VERB", 2, "acl"), ("there", "ADV", 5, "advmod"),
            ],
            start=1,
        )
    )  # fmt: skip
    (tree,) = read_conllu(f"{text}\n".split("\n"), "x")
    assert isinstance(tree, DependencyTree)
    counts = count_treebank([TreebankSentence("s1", tree)])
    shown = {each.construction: each.example for each in counts.rules if len(each.daughters) > 1}
    assert shown["NOUN-P"] is not None
    assert shown["NOUN-P"].marked({"VERB-P"}) == "the house [built …]"
    assert shown["VERB-P"] is not None
    assert shown["VERB-P"].marked({"PRON-P", "VERB"}) == "[that] Jack [built] there"
    assert dict(counts.relations["VERB-P"]) == {"acl": 1}


def test_the_induced_grammar_parses_its_own_sentences() -> None:
    parser = numbat.Parser(shipped().grammar)
    parse = parser.parse("the old man laughs")
    assert parse.to_brackets() == "(S (NP (DT the) (JJ old) (NN man)) (VP (VBZ laughs)))"
    assert parse.is_well_formed
    assert not parser.parse("man the laughs").is_well_formed


def test_the_file_is_the_same_under_any_hash_seed() -> None:
    command = [sys.executable, "-m", "numbat", "induce", "corpora/trees.conllu", "--support", "1", "--min-count", "1"]
    outputs = {
        subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_the_order_of_the_sentences_matters_for_examples_only() -> None:
    sentences = bank("(X (D a) (N b))\n(X (N c))\n(X (D a) (A b) (N c))\n(X (N a) (D b))")
    shuffled = Random(1).sample(sentences, len(sentences))
    one, other = (induce(count_treebank(each), InductionSettings(least=ALL)) for each in (sentences, shuffled))
    assert one.grammar == other.grammar


# Real treebanks


def real(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {path}: set NUMBAT_DATA to the folder that holds {name}")
    return path


def test_sequoia_gives_sizes_of_the_published_order() -> None:
    """165 constituency, 108 uniqueness, 321 linearity, 99 requirement, 678 exclusion properties (docs/decisions.md)."""
    path = real("const/fr_sequoia/train.mrg")
    observed = count_treebank(each for each in read_treebank(str(path)) if isinstance(each, TreebankSentence))
    sizes = induce(observed, InductionSettings(least=Thresholds(2, 0.95, 2, expected=0.0))).sizes()
    published = {"constituency": 165, "uniqueness": 108, "linearity": 321, "requirement": 99, "exclusion": 678}
    for relation, size in published.items():
        assert size / 2 <= sizes[relation] <= 2 * size, (relation, sizes[relation])


@pytest.mark.slow
def test_a_grammar_of_the_whole_english_web_treebank() -> None:
    path = real("const/en_ewt/train.mrg")
    observed = count_treebank(each for each in read_treebank(str(path)) if isinstance(each, TreebankSentence))
    found = induce(observed, InductionSettings(name="ewt", lexicon=True))
    text = format_induced(found, (), "ewt.tsv")
    assert observed.sentences == 12_463
    assert len(found.constructions) == 28
    assert text.count(" w0 ") == len(found.grammar.properties)


CONTRACTED = """\
1-2	Im	_	_	_	_	_	_	_	_
1	In	in	ADP	_	_	3	case	_	_
2	dem	der	DET	_	_	3	det	_	_
3	Garten	Garten	NOUN	_	_	0	root	_	_
4-6	ans'	_	_	_	_	_	_	_	_
4	an	an	ADP	_	_	3	case	_	_
5	das	der	DET	_	_	3	det	_	_
6	'	'	PUNCT	_	_	3	punct	_	_

1	Ruhe	Ruhe	NOUN	_	_	0	root	_	_
2-3	im	_	_	_	_	_	_	_	_
2	in	in	ADP	_	_	4	case	_	_
3	dem	der	DET	_	_	4	det	_	_
4	Garten	Garten	NOUN	_	_	1	nmod	_	_
5-6	im	_	_	_	_	_	_	_	_
5	in	in	ADP	_	_	4	case	_	_
6	dem	der	DET	_	_	4	det	_	_

"""


def test_tokens_of_several_words_become_rules_that_cut_a_text(tmp_path: Path) -> None:
    (tmp_path / "t.conllu").write_text(CONTRACTED, encoding="utf-8")
    sentences = [each for each in read_treebank(str(tmp_path / "t.conllu")) if isinstance(each, TreebankSentence)]
    found = induce(
        count_treebank(sentences, dropped=CODES | PUNCTUATION), InductionSettings(least=CERTAIN, lexicon=True)
    )
    assert found.grammar.tokens == (TokenRule("rewrite", ("im", "in", "dem")),)
    assert parse_grammar(format_induced(found)) == found.grammar
    parse = numbat.Parser(found.grammar).parse("Ruhe Im Garten")
    assert parse.lattice.tokens == ("Ruhe", "in", "dem", "Garten")
    assert not any(arc.guessed for arc in parse.lattice.arcs)


def test_a_construction_of_too_many_categories_is_refused_before_their_pairs_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "flat.mrg"
    path.write_text(f"(S {''.join(f'(N{i} a)' for i in range(1_001))})\n", encoding="utf-8")
    counts = count_treebank(each for each in read_treebank(str(path)) if isinstance(each, TreebankSentence))
    with pytest.raises(DataError) as error:
        induce(counts, InductionSettings())
    assert str(error.value) == (
        "S has daughters of 1,001 categories in these trees, but at most 1,000 are allowed\n"
        "  every pair of categories is counted; check that the labels are categories, not words or numbers"
    )
