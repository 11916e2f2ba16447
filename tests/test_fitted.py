"""Fitted models: separation of folds, the regression, the terms, a second grammar."""

from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat import Parse, Parser, UsageError, load_grammar
from numbat.acceptability.fitting import Feature, Fitted, fit, folds_of
from numbat.acceptability.runs import run_suite
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_tables import read_rows
from numbat.acceptability.terms import Frequencies, confidence_of, likelihood_of, size_of
from numbat.parsing.treebank_grammar.expansions import read_expansions
from numbat.parsing.treebank_parser import TreebankParser
from numbat.statistics.regression import Sums, ridge, solutions, sums_of
from numbat.words.lattice import Lattice
from tests.test_gradience_verbs import Numbat, numbat  # noqa: F401

STARTER = Path(__file__).parent / "starter" / "starter.pg"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(str(STARTER)))


# Folds


def items_of(
    *sentences: str, group: list[str] | None = None, pair: list[str] | None = None
) -> tuple[list[Item], list[list[str]]]:
    nothing = [""] * len(sentences)
    rows = zip(sentences, group or nothing, pair or nothing, strict=True)
    items = [Item(str(i), text, 1.0, group=of, pair=both) for i, (text, of, both) in enumerate(rows)]
    return items, [sentence.split() for sentence in sentences]


@given(st.lists(st.integers(0, 8), min_size=10, max_size=60), st.integers(0, 5), st.integers(2, 5))
def test_groups_are_never_divided_and_folds_are_even(numbers: list[int], seed: int, folds: int) -> None:
    sentences = [f"w{i}" for i in range(len(numbers))]
    items, words = items_of(*sentences, group=[f"g{number}" for number in numbers])
    found = folds_of(items, words, seed, folds)
    assert len({(number, fold) for number, fold in zip(numbers, found.of, strict=True)}) == len(set(numbers))
    largest = max(Counter(numbers).values())
    sizes = [Counter(found.of)[fold] for fold in range(folds)]
    assert max(sizes) - min(sizes) <= largest
    assert found == folds_of(items, words, seed, folds)


def test_variants_share_a_fold() -> None:
    """Two translations of each of ten originals; every sentence has `the`, which is not rare."""
    random = Random(1)
    sentences = []
    for i in range(10):
        rare = [f"noun{i}", f"verb{i}", f"name{i}"]
        for extra in ("often", "soon"):
            words = [*rare[: 3 if extra == "soon" else 2], extra, "the"]
            random.shuffle(words)
            sentences.append(" ".join(words))
    found = folds_of(*items_of(*sentences), seed=0, folds=5)
    assert found.variants == 0.35
    assert all(found.of[2 * i] == found.of[2 * i + 1] for i in range(10))
    assert sorted(Counter(found.of).values()) == [4] * 5


def test_where_all_are_variants_only_the_same_words_stay_together() -> None:
    sentences = ["the cat sleeps", "the cat sleep", "cat the sleeps", "cat sleeps the"] * 2
    found = folds_of(*items_of(*sentences), seed=0, folds=4)
    assert found.variants is None
    assert found.of[:4] == found.of[4:]
    assert len(set(found.of)) == 4


def test_pairs_share_a_fold_within_groups_too() -> None:
    items, words = items_of("a b", "c d", "e f", "g h", pair=["1", "1", "2", "2"], group=["x", "", "y", "z"])
    found = folds_of(items, words, 0, 2).of
    assert found[0] == found[1] != found[2] == found[3]


def test_a_column_says_what_belongs_together() -> None:
    rows = [(1, ["sentence", "rating", "source"]), (2, ["The cat sleeps.", "3", "gj04"])]
    assert read_rows(rows, "s.tsv").items[0].group == "gj04"
    pairs = [(1, ["good", "bad", "group"]), (2, ["The cat sleeps.", "The cat sleep.", "7"])]
    assert [item.group for item in read_rows(pairs, "s.tsv").items] == ["7", "7"]


# Regression


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(-5, 5)), min_size=4, max_size=20))
def test_what_is_taken_off_was_never_there(rows: list[tuple[int, int, int]]) -> None:
    first, second = rows[: len(rows) // 2], rows[len(rows) // 2 :]

    def sums(part: list[tuple[int, int, int]]) -> Sums:
        return sums_of([(a, b) for a, b, _ in part], [c for _, _, c in part])

    assert (sums(rows) - sums(first) == sums(second)).all()


def test_one_term_shrinks_by_the_penalty() -> None:
    """With one term the weight of the standardised term is its covariance with the ratings over 1 + penalty."""
    terms, ratings = [1.0, 2.0, 3.0, 6.0], [1.0, 3.0, 2.0, 6.0]
    deviation = (sum((term - 3) ** 2 for term in terms) / 4) ** 0.5
    covariance = sum((t - 3) * (r - 3) for t, r in zip(terms, ratings, strict=True)) / 4
    for penalty, solved in zip((0.1, 2.0), solutions(sums_of([[t] for t in terms], ratings), (0.1, 2.0)), strict=True):
        assert solved.weights == pytest.approx([covariance / deviation / (1 + penalty)])
        assert solved.predict([[3.0]]) == pytest.approx([3.0])


def test_the_normal_equations_hold() -> None:
    """(R + penalty) b = r, with correlations computed afresh."""
    random = Random(3)
    rows = [[random.gauss(0, 1), random.gauss(2, 3), random.random()] for _ in range(40)]
    ratings = [row[0] - row[1] + random.gauss(0, 1) for row in rows]
    (solved,) = solutions(sums_of(rows, ratings), (0.5,))
    standard = [[(v - m) / s for v, m, s in zip(row, solved.means, solved.scales, strict=True)] for row in rows]
    mean = sum(ratings) / 40
    for i in range(3):
        left = sum(sum(z[i] * z[j] for z in standard) / 40 * solved.weights[j] for j in range(3))
        right = sum(z[i] * (rating - mean) for z, rating in zip(standard, ratings, strict=True)) / 40
        assert left + 0.5 * solved.weights[i] == pytest.approx(right)


def test_a_fold_is_judged_by_the_others_alone() -> None:
    """Other ratings in a fold do not change the predictions for that fold."""
    random = Random(4)
    rows = [[random.gauss(0, 1), random.gauss(0, 1)] for _ in range(50)]
    ratings = [row[0] + random.gauss(0, 0.5) for row in rows]
    folds = [i % 5 for i in range(50)]
    changed = [random.gauss(0, 9) if fold == 2 else rating for rating, fold in zip(ratings, folds, strict=True)]
    before, after = ridge(rows, ratings, folds).held_out, ridge(rows, changed, folds).held_out
    own = [i for i in range(50) if folds[i] == 2]
    assert [before[i] for i in own] == pytest.approx([after[i] for i in own])
    assert [before[i] for i in range(50) if folds[i] != 2] != [after[i] for i in range(50) if folds[i] != 2]


# Terms

TREES = """\
(TOP (S (NP (DT The) (NN cat)) (VP (VBZ sleeps))))
(TOP (S (NP (DT A) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat)))))
(TOP (S (NP (NN milk)) (VP (VBZ spoils))))
"""


def test_a_term_counts_three_deviations_at_most(parser: Parser) -> None:
    model = Fitted("fitted", "starter", 1.0, (Feature("words", 0.5, 2.0, 1.0, 9), Feature("log words", 0, 0, 1, 9)))
    assert model.score(parser.parse("the cat sleeps")).value == 1.5
    assert model.score(parser.parse("the cat likes the cat on the table")).value == 1 + 3 * 0.5


def test_length_and_marks(parser: Parser) -> None:
    assert size_of(parser.parse("The cat , sleeps .")) == {"words": 3.0, "log words": log(3), "marks": 2 / 3}


def test_how_usual_words_and_rules_are(numbat: Numbat) -> None:  # noqa: F811
    """By hand: 10 words of 8 forms; 1 of 4 noun phrases is NN alone, 1 of 3 below S."""
    Path("t.mrg").write_text(TREES, encoding="utf-8")
    support = ("--support", "1", "--min-count", "1")
    assert numbat("induce", "t.mrg", *support, "-o", "t.pg", "--lexicon", "t.tsv", grammar=None).code == 0
    grammar = load_grammar("t.pg")
    assert numbat("expansions", "t.mrg", "-o", "t.exp", grammar=None).code == 0
    expansions = read_expansions("t.exp")
    seen = Frequencies.from_grammar(grammar, expansions)
    assert (seen.words["the"], seen.words["cat"], seen.categories["NN"]) == (2, 2, 4)
    assert seen.rules["NP", "", ("DT", "NN")] == 3
    parse = TreebankParser(grammar, expansions).parse("milk sleeps")
    (sentence,) = parse.constituents
    assert seen.rule(sentence.daughters[0], "S") == pytest.approx(log(0.7 * 1 / 3 + 0.3 * 1 / 4 + 1e-6))
    found = likelihood_of(parse, seen)
    assert parse.log_likelihood is not None
    assert found["likelihood"] == pytest.approx(parse.log_likelihood / 2)
    assert found["familiarity"] == pytest.approx(log(2 / (10 + 8 + 1)))
    assert found["categories"] == pytest.approx((log(5 / 14) + log(4 / 14)) / 2)
    rules = [seen.rule(each, above) for each, above in ((sentence, "TOP"), *((d, "S") for d in sentence.daughters))]
    assert found["rules"] == pytest.approx(sum(rules) / 2)
    assert found["rarest rule"] == found["rarest quarter of rules"] == min(rules)
    assert found["rules never seen"] == 0


def test_how_sure_a_tagger_is(parser: Parser) -> None:
    parse = parser.parse("cats sleep")
    found = confidence_of(parse, [{"N": 0.8, "V": 0.2}, {"N": 0.6, "V": 0.4}])
    assert found == {
        "confidence": pytest.approx((log(0.8) + log(0.6)) / 2),
        "least confidence": log(0.6),
        "unsure": 0.5,
        "agreement": pytest.approx((log(0.8) + log(0.4)) / 2),
    }


# Commands

RATED = "rating\tsentence\n" + "".join(
    f"{3 - len(wrong)}\t{' '.join(words)}\n"
    for noun in ("cat", "dog", "milk")
    for verb in ("sleeps", "spoils", "sees")
    for words, wrong in (((("the", noun, verb)), ""), ((noun, "the", verb), "x"), ((verb, "the", noun), "xx"))
)


@pytest.fixture
def treebank(numbat: Numbat) -> Numbat:  # noqa: F811
    """`numbat` in a folder with an induced grammar, its expansions, a tagger and rated sentences."""
    Path("t.mrg").write_text(TREES, encoding="utf-8")
    Path("r.tsv").write_text(RATED, encoding="utf-8")
    tagged = "the/DT cat/NN sleeps/VBZ\na/DT dog/NN sees/VBZ the/DT cat/NN\nmilk/NN spoils/VBZ\n"
    Path("t.txt").write_text(tagged, encoding="utf-8")
    support = ("--support", "1", "--min-count", "1", "--lexicon", "t.tsv")
    assert numbat("induce", "t.mrg", *support, "-o", "t.pg", grammar=None).code == 0
    assert numbat("expansions", "t.mrg", "-o", "t.exp", grammar=None).code == 0
    assert numbat("tag", "train", "t.txt", "--from", "text", "-o", "t.model", grammar=None).code == 0
    return numbat


ALSO = ("--also-grammar", "t.pg", "--also-expansions", "t.exp", "--also-tagger", "t.model")


def test_a_second_grammar_adds_its_terms(treebank: Numbat) -> None:
    Path("kept").mkdir()
    done = treebank("learn", "costs", "r.tsv", "-o", "kept/m.tsv", *ALSO)
    assert done.code == 0, done.err
    last = [line for line in done.out.splitlines() if line.startswith("more than ")][-2:]
    assert last[0].startswith("more than length: pearson none, spearman none")
    assert last[1].startswith("more than unknown words: pearson ")
    lines = Path("kept/m.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[:4] == [
        "# fitted model for the grammar small",
        "# also grammar: ../t.pg",
        "# also expansions: ../t.exp",
        "# also tagger: ../t.model",
    ]
    names = {line.split("\t")[0] for line in lines}
    assert {"violated", "t: violated", "t: likelihood", "t: confidence", "t: root S"} <= names
    report = treebank("report", "r.tsv", "-m", "kept/m.tsv", "-f", "json").out
    again = treebank("report", "r.tsv", "-m", "kept/m.tsv", "-f", "json").out
    assert report == again
    assert '"score"' in report


def test_two_folds_leave_nothing_to_choose_a_penalty_by() -> None:
    with pytest.raises(UsageError) as error:
        fit([], "fitted", "small", folds=2)
    assert str(error.value) == "2 folds are too few\n  use --folds 3 or more"


def test_files_of_a_second_grammar_that_cannot_be_used(treebank: Numbat) -> None:
    done = treebank("learn", "costs", "r.tsv", "-o", "m.tsv", "--also-tagger", "t.model")
    assert (done.code, done.err) == (
        2,
        "numbat: --also-tagger needs a second grammar\n  add --also-grammar FILE\n",
    )
    assert treebank("learn", "costs", "r.tsv", "-o", "m.tsv", *ALSO).code == 0
    Path("t.exp").unlink()
    done = treebank("report", "r.tsv", "-m", "m.tsv")
    assert (done.code, done.out) == (66, "")
    assert done.err == "numbat: t.exp: cannot be read: No such file or directory\n"


def test_a_sentence_is_parsed_once(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite("s.tsv", tuple(Item(str(i), s, float(i)) for i, s in enumerate(("a cat", "the cat", "a cat"))))
    parsed: list[Lattice] = []

    def parse(lattice: Lattice, overdue: object = None) -> Parse:
        parsed.append(lattice)
        return Parser.parse(parser, lattice)

    monkeypatch.setattr(parser, "parse", parse)
    found = list(run_suite(suite, parser, None))
    assert [lattice.text for lattice in parsed] == ["a cat", "the cat"]
    assert [each.item.id for each in found] == ["0", "1", "2"]
    assert found[0].parse is found[2].parse
