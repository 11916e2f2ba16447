"""Importance: rows against a direct computation, properties left out of a fitted model, the verb and its page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from math import atanh, exp, fsum, log, sqrt, tanh
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.fitting import Feature, Fitted, terms_of
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import run_suite
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.terms import TermGroup, group_of
from numbat.learning.importance import (
    Importance,
    ImportanceReport,
    ImportanceRow,
    ModelPart,
    Outcome,
    Statistic,
    auc,
    bracket_f1,
    fitted_importance,
    importance,
    mean,
    pearson,
)
from numbat.learning.importance_report import importance_page, importance_plot, importance_report, importance_table
from numbat.markup import read
from numbat.statistics import correlations
from numbat.statistics.intervals import TOO_FEW_UNITS, Estimate, estimate
from tests.test_gradience_verbs import Numbat, numbat  # noqa: F401

Direct = Callable[[Sequence[Outcome]], float | None]

# Rows


def direct_pearson(outcomes: Sequence[Outcome]) -> float | None:
    return correlations.pearson([score for score, _ in outcomes], [rating for _, rating in outcomes])


def direct_auc(outcomes: Sequence[Outcome]) -> float | None:
    return correlations.auc([score for score, _ in outcomes], [good for _, good in outcomes])


def direct_mean(outcomes: Sequence[Outcome]) -> float | None:
    return fsum(outcome[0] for outcome in outcomes) / len(outcomes) if outcomes else None


def direct_f1(outcomes: Sequence[Outcome]) -> float | None:
    gold, predicted, matched = (sum(numbers) for numbers in zip(*outcomes, strict=True))
    return 2 * matched / (gold + predicted) if gold + predicted else None


def rated(random: Random) -> Outcome:
    return float(random.randrange(6)), random.random()


def judged(random: Random) -> Outcome:
    return float(random.randrange(6)), float(random.randrange(2))


def won(random: Random) -> Outcome:
    return (random.choice((0.0, 0.5, 1.0)),)


def brackets(random: Random) -> Outcome:
    matched = random.randrange(5)
    return float(matched + random.randrange(3)), float(matched + random.randrange(3)), float(matched)


SIZE = 32
T = {8: 2.3646242510, 32: 2.0395134464}
"""The quantiles of Student's t at 97.5 % for one degree of freedom less, as R has them."""


def jackknife(values: Sequence[float]) -> float:
    middle = sum(values) / len(values)
    return sqrt((len(values) - 1) / len(values) * sum((each - middle) ** 2 for each in values))


@pytest.mark.parametrize(
    ("statistic", "direct", "drawn"),
    [
        (pearson, direct_pearson, rated),
        (auc, direct_auc, judged),
        (mean, direct_mean, won),
        (bracket_f1, direct_f1, brackets),
    ],
)
@pytest.mark.parametrize("in_groups", [False, True])
def test_intervals_are_those_of_a_jackknife_that_is_written_out(
    statistic: Statistic, direct: Direct, drawn: Callable[[Random], Outcome], in_groups: bool
) -> None:
    random = Random(7)
    whole, less = ([drawn(random) for _ in range(SIZE)] for _ in range(2))
    groups = [i // 4 if in_groups else i for i in range(SIZE)]
    found = importance("m", statistic, whole, [ModelPart("p", 0.5, 2, less)], groups)
    again, differences = [], []
    number = len(set(groups))
    for left_out in range(number):
        places = [i for i in range(SIZE) if groups[i] != left_out]
        one, other = direct([whole[i] for i in places]), direct([less[i] for i in places])
        assert one is not None
        assert other is not None
        again.append(one)
        differences.append(one - other)
    (row,) = found.rows
    assert (found.measure, found.groups, found.whole.number) == ("m", number, SIZE)
    assert (found.whole.value, row.without.value) == pytest.approx((direct(whole), direct(less)))
    value = direct(whole) or 0.0
    if statistic is pearson:
        reach = T[number] * jackknife([atanh(each) for each in again])
        ends = tanh(atanh(value) - reach), tanh(atanh(value) + reach)
    else:
        odds, reach = log(value / (1 - value)), T[number] * jackknife(again) / (value * (1 - value))
        ends = 1 / (1 + exp(reach - odds)), 1 / (1 + exp(-reach - odds))
    assert (found.whole.low, found.whole.high) == pytest.approx(ends)
    lost, reach = value - (direct(less) or 0), T[number] * jackknife(differences)
    assert (row.lost.value, row.lost.low, row.lost.high) == pytest.approx((lost, lost - reach, lost + reach))


def test_the_whole_model_has_the_interval_that_a_report_gives_it() -> None:
    random = Random(2)
    outcomes = [(random.gauss(0, 1), random.gauss(0, 1)) for _ in range(40)]
    scores, ratings = ([pair[i] for pair in outcomes] for i in (0, 1))
    found = importance("pearson", pearson, outcomes, [], seed=5).whole
    said = estimate(correlations.pearson, scores, ratings, seed=5)
    assert (found.value, found.low, found.high) == pytest.approx((said.value, said.low, said.high))


def test_what_does_not_vary_has_no_value_and_comes_last() -> None:
    outcomes = [(float(i), float(i % 3)) for i in range(21)]
    parts = [
        ModelPart("flat", 9.0, 1, [(1 / 3, rating) for _, rating in outcomes]),
        ModelPart("same", 0.0, 1, outcomes),
    ]
    same, flat = importance("pearson", pearson, outcomes, parts).rows
    assert (same.name, same.lost) == ("same", Estimate(0.0, 0.0, 0.0, 21, 21))
    assert (flat.name, flat.lost) == ("flat", Estimate(None, None, None, 21))
    assert importance("mean", mean, [(1.0,), (0.0,)], []).whole == Estimate(0.5, None, None, 2, missing=TOO_FEW_UNITS)
    assert importance("mean", mean, [], []).whole == Estimate(None, None, None, 0)


# Fitted models


@pytest.mark.parametrize(
    ("term", "group"),
    [
        ("violated", TermGroup("all relations")),
        ("cost of all", TermGroup("all relations")),
        ("violated linearity", TermGroup("linearity", is_relation=True)),
        ("satisfied NP linearity", TermGroup("linearity", is_relation=True)),
        ("phrases", TermGroup("phrases")),
        ("root S", TermGroup("phrases")),
        ("log words", TermGroup("length")),
        ("ewt: violated NP exclusion", TermGroup("exclusion", "ewt", is_relation=True)),
        ("ewt: phrases NP", TermGroup("phrases", "ewt")),
        ("ewt: rarest rule", TermGroup("frequencies", "ewt")),
        ("ewt: unsure", TermGroup("tagger", "ewt")),
        ("something new", TermGroup("something new")),
    ],
)
def test_terms_are_grouped(term: str, group: TermGroup) -> None:
    assert group_of(term) == group


SENTENCES = tuple(
    (f"{det} {noun} {verb}", agrees, ordered)
    for noun, verb, agrees in (
        ("cat", "sleeps", True), ("cats", "sleep", True), ("cat", "sleep", False), ("cats", "sleeps", False)
    )
    for det, ordered in (("the", True), ("", False))
)  # fmt: skip


def sentence(noun_phrase: str, ordered: bool) -> str:
    det_less = noun_phrase.strip()
    if ordered:
        return det_less
    noun, verb = det_less.split()
    return f"{noun} the {verb}"


def suite_of(rating: Callable[[bool, bool, int], float]) -> Suite:
    """Return several items for each of four sentences; `rating` gets if a sentence agrees, and if it is in order."""
    items = []
    for time in range(5):
        for number, (text, agrees, ordered) in enumerate(SENTENCES):
            name = f"{time}-{number}"
            items.append(Item(name, sentence(text, ordered), rating(agrees, ordered, time), group=name))
    return Suite("made.tsv", tuple(items))


def fitted(*weights: tuple[str, float]) -> Fitted:
    return Fitted("fitted", "small", 2.0, tuple(Feature(name, weight, 0.1, 0.3, 9) for name, weight in weights))


def measured(model: Fitted, suite: Suite, parser: Parser) -> Importance:
    items = list(run_suite(suite, parser, scorer("cost")))
    return fitted_importance(model, suite, items, [terms_of(each.parse) for each in items])


@pytest.fixture
def parser(numbat: Numbat) -> Parser:  # noqa: F811
    return Parser(load_grammar("g.pg"))


def test_a_relation_that_carries_all_signal_is_what_is_lost(parser: Parser) -> None:
    suite = suite_of(lambda agrees, ordered, time: 3.0 * ordered + 0.3 * (time % 3))
    found = measured(fitted(("violated linearity", -1.0), ("violated dependency", -0.2), ("words", 0.1)), suite, parser)
    rows = {row.name: row for row in found.rows}
    assert found.measure == "pearson"
    assert [row.name for row in found.rows] == ["linearity", "length", "dependency", "all relations"]
    assert rows["all relations"].lost.value is None  # without any, all scores are the same
    assert rows["linearity"].lost.value is not None
    assert rows["linearity"].lost.low is not None
    assert rows["linearity"].lost.low > 0.5
    assert rows["dependency"].lost.high is not None
    assert rows["dependency"].lost.high < 0  # a property that does not predict the ratings is noise
    assert (rows["length"].lost.low, rows["length"].lost.high) == pytest.approx((0, 0))
    assert rows["length"].weight == pytest.approx(0)
    assert rows["linearity"].weight == pytest.approx(0.5 / 3 / 0.3)  # one of three words, in half of the sentences


def test_a_relation_has_its_share_in_the_sums_over_all_relations(parser: Parser) -> None:
    suite = suite_of(lambda agrees, ordered, time: float(ordered) - 0.5 * agrees)
    sums = ("violated", -1.0), ("cost", -0.1), ("violated linearity", 0.0), ("violated dependency", 0.0)
    shares = {row.name: row for row in measured(fitted(*sums), suite, parser).rows}
    own = ("violated linearity", -1.1), ("violated dependency", -1.1)
    parts = {row.name: row for row in measured(fitted(*own), suite, parser).rows}
    for name in ("linearity", "dependency"):
        assert shares[name].weight == pytest.approx(parts[name].weight)
        assert shares[name].lost.value == pytest.approx(parts[name].lost.value)


def test_pairs_and_signs_have_their_own_statistics(parser: Parser) -> None:
    model = fitted(("violated linearity", -1.0), ("violated dependency", -0.2))
    signs = suite_of(lambda agrees, ordered, time: float(ordered))
    assert measured(model, signs, parser).measure == "AUC"
    paired = tuple(Item(i.id, i.sentence, i.rating, pair=str(n // 2)) for n, i in enumerate(signs.items))
    found = measured(model, Suite("pairs.tsv", paired), parser)
    assert (found.measure, found.whole.value, found.whole.number) == ("pair accuracy", 1.0, 20)
    assert {row.name: row.without.value for row in found.rows}["linearity"] == 0.5


# The verb

RATED = "id\trating\tsentence\n" + "".join(
    f"{item.id}\t{item.rating}\t{item.sentence}\n"
    for item in suite_of(lambda agrees, ordered, time: 1 + 2.0 * ordered + agrees + 0.3 * (time % 3)).items
)


@pytest.fixture
def ready(numbat: Numbat) -> Numbat:  # noqa: F811
    """`numbat` in a folder with a model `m.tsv` and rated sentences `r.tsv`."""
    Path("r.tsv").write_text(RATED, encoding="utf-8")
    model = ["# fitted model for the grammar small", "feature\tweight\tmean\tscale\titems", "intercept\t2\t0\t1\t0"]
    terms = ("violated linearity", -0.9), ("violated S dependency", -0.4), ("log words", 0.2)
    model += [f"{name}\t{weight}\t0.1\t0.3\t9" for name, weight in terms]
    Path("m.tsv").write_text("\n".join(model) + "\n", encoding="utf-8")
    return numbat


def test_a_table_for_people_and_for_programs(ready: Numbat) -> None:
    done = ready("importance", "m.tsv", "--on", "r.tsv", "--html", "r.html")
    assert (done.err, done.code) == ("numbat: wrote r.html\n", 0)
    lines = done.out.splitlines()
    assert lines[0] == "m.tsv on r.tsv: 40 sentences"
    assert lines[1].startswith("pearson of the whole model: 0.9")
    assert lines[3].split() == ["part", "terms", "weight", "without", "lost"]
    assert [line.split("  ")[0] for line in lines[4:8]] == ["linearity", "dependency", "length", "all relations"]
    assert lines[9:-3] == [
        "weight: the standard deviation of the part's contribution to the scores here, in points of rating",
        "without: pearson with the part's terms at their means, and a relation's share in sums over all relations "
        "at its mean; the model is not fitted again",
        "lost: the whole model minus that; in brackets 95 % intervals for other 40 items",
    ]
    assert lines[-3] == "the 4 intervals are not corrected for multiple comparisons: 1 in 20 misses the true value"
    table = [line.split("\t") for line in ready("importance", "m.tsv", "--on", "r.tsv", "-f", "tsv").out.splitlines()]
    assert [row[0] for row in table] == [
        "part", "(whole model)", "linearity", "dependency", "length", "all relations"
    ]  # fmt: skip
    assert {len(row) for row in table} == {11}
    assert table[1][-3:] == ["", "", ""]
    found = json.loads(ready("importance", "m.tsv", "--on", "r.tsv", "-f", "json", "--jobs", "1").out)
    assert (found["schema"], found["measure"], found["items"], found["groups"]) == (
        "numbat.importance/2", "pearson", 40, 40
    )  # fmt: skip
    assert float(table[2][8]) == pytest.approx(found["parts"][0]["lost"]["value"], rel=1e-4)
    assert found["parts"][0]["lost"]["low"] > 0


def test_what_cannot_be_measured_is_told(ready: Numbat) -> None:
    Path("plain.txt").write_text("sentence\nthe cat sleeps\n", encoding="utf-8")
    done = ready("importance", "m.tsv", "--on", "plain.txt")
    assert (done.out, done.code) == ("", 65)
    assert done.err == (
        "numbat: plain.txt: no item is judged or rated, so that nothing can be lost\n"
        "  give a suite with judgements, ratings or pairs\n"
    )
    done = ready("importance", "r.tsv", "--on", "r.tsv")
    assert (done.out, done.code) == ("", 65)
    assert done.err == "numbat: r.tsv: not a fitted model\n  write one with numbat learn costs\n"
    Path("few.tsv").write_text("rating\tsentence\n2\tthe cat sleeps\n2\tcat the sleeps\n", encoding="utf-8")
    done = ready("importance", "m.tsv", "--on", "few.tsv")
    assert done.code == 0
    assert done.out.splitlines()[2] == "! pearson is undefined here: scores or judgements are all equal"
    Path("few.tsv").write_text("rating\tsentence\n2\tthe cat sleeps\n1\tcat the sleeps\n", encoding="utf-8")
    told = ready("importance", "m.tsv", "--on", "few.tsv").out.splitlines()[2]
    assert told == "! 2 items only: too few for intervals"


def test_a_model_that_is_judged_by_its_own_sentences_says_so(ready: Numbat) -> None:
    assert ready("learn", "costs", "r.tsv", "-o", "own.tsv").code == 0
    lines = ready("importance", "own.tsv", "--on", "r.tsv").out.splitlines()
    assert lines[2].startswith("! own.tsv was fitted on this suite, so its figures here are too good")


# The page


class Balanced(HTMLParser):
    """Fails where an element is not closed."""

    VOID = frozenset({"meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open += [] if tag in self.VOID else [tag]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def report_of(*names: str) -> ImportanceReport:
    estimates = Estimate(0.03, 0.01, 0.05, 9), Estimate(-0.02, -0.05, -0.01, 9), Estimate(None, None, None, 9)
    rows = [
        ImportanceRow(name, 0.25 * i, 3, Estimate(0.5, 0.4, 0.6, 9), estimates[i % 3]) for i, name in enumerate(names)
    ]
    found = Importance("F1", Estimate(0.53, 0.5, 0.6, 9), 9, tuple(rows))
    return ImportanceReport("<m>.tsv", "a & b", "9 trees", "the weight", "nothing in it", found, ("beware of <b>",))


def test_the_page_is_whole_and_escapes_what_it_is_given() -> None:
    made = report_of("linearity", "<script>alert(1)</script> of a very long name", "none")
    page = importance_page(made)
    checker = Balanced()
    checker.feed(page)
    assert checker.open == []
    assert read("page.css") in page
    assert "<script" not in page
    assert "<title>&lt;m&gt;.tsv on a &amp; b</title>" in page
    assert '<p class="note">beware of &lt;b&gt;</p>' in page
    assert '<td class="n">+0.0300</td><td class="n">+0.0100 to +0.0500</td>' in page


def test_the_plot_has_a_point_an_interval_and_a_bar_for_each_part() -> None:
    drawn = ElementTree.fromstring(importance_plot(report_of("linearity", "exclusion", "none").importance))
    svg = "{http://www.w3.org/2000/svg}"
    points = drawn.findall(f"{svg}g")
    assert [point.get("class") for point in points] == ["lost sure", "lost harmful"]
    zero = next(line for line in drawn.iter(f"{svg}line") if line.get("class") == "zero")
    circles = [float(circle.get("cx", "")) for circle in drawn.iter(f"{svg}circle")]
    assert circles[1] < float(zero.get("x1", "")) < circles[0]
    ends = points[0].find(f"{svg}line")
    assert ends is not None
    assert float(ends.get("x1", "")) < circles[0] < float(ends.get("x2", ""))
    bars = [float(bar.get("width", "")) for bar in drawn.findall(f"{svg}rect")]
    assert bars[0] == 0
    assert bars[2] == pytest.approx(2 * bars[1], abs=0.11)
    ElementTree.fromstring(importance_plot(report_of().importance))


def test_a_value_that_is_not_there_is_said_so() -> None:
    made = report_of("a", "b", "c")
    assert list(importance_report(made).lines())[7].split() == ["c", "3", "0.500", "0.500", "none"]
    assert importance_table(made).splitlines()[4].split("\t")[-3:] == ["", "", ""]
    assert '<td class="n">–</td>' in importance_page(made)
