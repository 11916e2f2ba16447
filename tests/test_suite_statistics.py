"""Units of intervals, baselines of models, and the notes beside a figure."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.comparison import gain_lines, gains, is_better
from numbat.acceptability.fitted import compared_with, fit_suite
from numbat.acceptability.models import MODELS, scorer
from numbat.acceptability.suite import Item, Suite, grouped_by_id, name_of_units, proposed_groups, units_of
from numbat.acceptability.suite_report import reach, suite_report
from numbat.acceptability.summary import Experiment
from numbat.errors import UsageError
from numbat.experiments.verbs import report_suite
from numbat.statistics import correlations, intervals
from numbat.statistics.intervals import HANGS_ON_ONE, TOO_FEW_UNITS, Estimate, estimate, negated_if_better

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


def report(parser: Parser, *items: Item, model: str = "cost") -> Experiment:
    return report_suite(Suite("suite.tsv", items), parser, model, scorer(model))


def width(found: Estimate) -> float:
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


# Independent units


def test_what_says_the_same_many_times_says_it_once() -> None:
    """Forty items, and each of them five times: the interval over groups is that of the forty."""
    random = Random(7)
    x = [random.gauss(0, 1) for _ in range(40)]
    y = [a + random.gauss(0, 1) for a in x]
    once = estimate(correlations.pearson, x, y)
    groups = [place for place in range(40) for _ in range(5)]
    copies = [x[place] for place in groups], [y[place] for place in groups]
    of_items = estimate(correlations.pearson, *copies)
    of_groups = estimate(correlations.pearson, *copies, units=groups)
    assert of_groups.value == of_items.value == pytest.approx(once.value)
    assert width(of_groups) == pytest.approx(width(once))
    assert width(of_items) == pytest.approx(width(once) / sqrt(5), rel=0.25)
    assert estimate(correlations.pearson, *copies, units=range(200)) == of_items


def test_few_groups_have_no_interval() -> None:
    found = estimate(correlations.pearson, [1.0, 2, 3, 4], [1.0, 3, 2, 4], units=["a", "a", "b", "b"])
    assert found == Estimate(correlations.pearson([1.0, 2, 3, 4], [1.0, 3, 2, 4]), None, None, 4, 0, TOO_FEW_UNITS)


def test_groups_come_before_pairs_and_pairs_before_items() -> None:
    items = [
        Item("1", "a", group="x"),
        Item("2", "b", pair="p", group="x"),
        Item("3", "c", pair="p"),
        Item("4", "d", pair="q"),
        Item("5", "e", pair="q"),
        Item("6", "f"),
    ]
    assert units_of(items) == [("group", "x")] * 3 + [("pair", "q")] * 2 + [5]
    assert name_of_units(items) == "3 groups, pairs and single sentences"
    assert name_of_units(items[:3]) == "1 group"
    assert name_of_units(items[3:5]) == "1 pair"
    assert name_of_units(items[2:4] + items[5:]) == "3 sentences"


def graded(number: int, **rest: str) -> list[Item]:
    """Return sentences that are alternately good and bad, with noisy ratings."""
    random = Random(3)
    made = []
    for i in range(number):
        sentence, mean = (("The cats sleep.", 5.0), ("The cats sleeps.", 3.0), ("Cats the sleeps.", 2.0))[i % 3]
        made.append(Item(str(i), sentence, mean + random.gauss(0, 1), group=f"g{i // 4}" if rest else ""))
    return made


def test_a_report_says_what_its_intervals_are_over(parser: Parser) -> None:
    said = {
        form: reach(report(parser, *items))
        for form, items in {"items": graded(32), "groups": graded(32, group="yes")}.items()
    }
    assert said == {
        "items": "95 % intervals for other sentences of these kinds, over 32 sentences (jackknife, t)",
        "groups": "95 % intervals for other sentences of these kinds, over 8 groups (jackknife, t)",
    }


# Baselines of a model


def test_a_baseline_is_taken_in_the_direction_in_which_it_does_better() -> None:
    ratings = [1.0, 2, 3, 4]
    assert negated_if_better(correlations.pearson, [4.0, 3, 2, 1], ratings) == [-4.0, -3, -2, -1]
    assert negated_if_better(correlations.pearson, [1.0, 3, 2, 4], ratings) == [1.0, 3, 2, 4]
    assert negated_if_better(correlations.auc, [4.0, 3, 2, 1], [0, 0, 1, 1]) == [-4.0, -3, -2, -1]


def test_more_than_a_baseline_is_more_than_its_absolute_value(parser: Parser) -> None:
    """Longer sentences are rated better, so "the shorter the better" has a correlation of -1; a model that uses only
    the length of a sentence has no advantage over it."""
    sentences = ["The cat sleeps.", "The old cat sleeps.", "The very old cat sleeps.", "The old cat sees the old dog."]
    items = [Item(str(i), sentences[i % 4], float(i % 4)) for i in range(40)]
    made = report(parser, *items, model="net")
    length = next(line for line in made.lines if line.predictor == "length")
    assert (length.statistics["spearman"].value or 0.0) < 0
    found = gains(made.items, made.main, lambda each: -float(each.length))
    assert (found["spearman"].value or 0.0) <= 0
    assert not is_better(found["spearman"])
    said = next(line for line in gain_lines(made, 0) if line.startswith("more than length: "))
    assert said.startswith("more than length: pearson -1.324 [-1.544, -1.103]")


def test_a_cost_that_has_no_ceiling_has_a_bounded_form_too(parser: Parser) -> None:
    """One sequence of fragments costs ten times as much as the others, and dominates Pearson's correlation."""
    items = [*graded(30), Item("odd", "and of and of and of", 4.5)]
    lines = {line.predictor: line.statistics for line in report(parser, *items).lines}
    assert list(lines) == ["cost", "cost, as 1/(1 + cost)", "length", "unknown words"]
    cost, bounded = lines["cost"], lines["cost, as 1/(1 + cost)"]
    assert abs(cost["pearson"].value or 0.0) < 0.2
    assert (bounded["pearson"].value or 0.0) > 0.5
    assert all(cost[name] == bounded[name] for name in ("spearman", "kendall", "AUC"))
    assert [line.predictor for line in report(parser, *items, model="local").lines] == [
        "local",
        "length",
        "unknown words",
    ]


def test_a_residual_is_what_people_say_less_what_the_model_says(parser: Parser) -> None:
    made = report(
        parser,
        Item("good", "The cats sleep.", 1.0),
        Item("bad", "The cats sleeps.", 3.0),
        Item("worse", "Cats the sleeps.", 2.0),
    )
    text = suite_report(made).text().splitlines()
    at = text.index("furthest from the judgements (rank of the rating minus rank of the score, both from 0 to 1)")
    assert text[at + 1] == "  -0.67  good: The cats sleep. (score 0, rated 1)"
    assert [line for line in text[at:] if line.startswith("  +")] == [
        "  +0.33  bad: The cats sleeps. (score -1, rated 3)",
        "  +0.33  worse: Cats the sleeps. (score -2, rated 2)",
    ]


def many(*sentences: tuple[str, float], number: int = 12) -> list[Item]:
    """Return `number` items for each sentence, with slightly different ratings."""
    random = Random(5)
    return [
        Item(str(i * len(sentences) + j), sentence, rating + random.gauss(0, 0.3))
        for i in range(number)
        for j, (sentence, rating) in enumerate(sentences)
    ]


def test_a_model_that_is_not_better_than_length_is_told(parser: Parser) -> None:
    items = many(("The cat sleeps.", 3), ("The old cat sees the dog.", 2), ("The very old cat sees the old dog.", 1))
    told = [note for note in report(parser, *items, model="net").notes if "length" in note]
    assert told == [
        "not better than the length of the sentences, by spearman (the 95 % interval of the difference is not "
        "above 0): net"
    ]
    better = many(("The cats sleep.", 3), ("The cats sleeps.", 2), ("Cats the sleeps.", 1), ("The old cats sleep.", 3))
    assert [note for note in report(parser, *better).notes if "length" in note] == []


def test_that_the_best_of_many_is_chosen_is_told(parser: Parser) -> None:
    items = tuple(many(("The cats sleep.", 3), ("The cats sleeps.", 2), ("The old dog sleeps.", 3)))
    others = {name: scorer(name) for name in MODELS}
    made = report_suite(Suite("suite.tsv", items), parser, "cost", scorer("cost"), others=others)
    assert [note for note in made.notes if "models" in note] == [
        "15 models are compared on the same sentences: the best one here will do less well on other sentences; choose "
        "it on one half and report it on the other"
    ]


# Groups by ids


@pytest.mark.parametrize(
    ("ids", "groups"),
    [
        (("32.1.a.01", "32.1.a.02", "32.2.a.01", "32.2.b.01", "33.1.a.01", "33.1.a.02"), [(2, 3), (3, 4)]),
        (("1a", "1b", "2a", "2b", "3a", "3b", "3c"), [(1, 3)]),
        (("1", "2", "3", "4"), []),
        (("g01", "g02", "b01", "b02"), []),
        (("s-1", "s-2", "s-3", "s-4"), []),
        (("a-1", "b-2", "c-3", "d-4"), []),
    ],
)
def test_groups_that_ids_may_stand_for(ids: tuple[str, ...], groups: list[tuple[int, int]]) -> None:
    items = [Item(id, "The cat sleeps.", 1.0) for id in ids]
    assert [(each.parts, each.groups) for each in proposed_groups(items)] == groups
    assert proposed_groups([replace(item, group="g") for item in items]) == []
    assert proposed_groups([replace(item, pair="p") for item in items]) == []


def test_ids_without_groups_are_told(parser: Parser) -> None:
    ids = [f"32.{paper}.a.{number:02}" for paper in range(4) for number in range(4)]
    made = report(parser, *(replace(item, id=id) for item, id in zip(graded(16), ids, strict=True)))
    assert [note for note in made.notes if "ids" in note] == [
        "no groups, but ids such as 32.0.a.00 begin alike (4 by 2 parts, 4 by 3 parts): if sentences with the same "
        "beginning are variants of each other, the intervals here are too narrow; --group-by-id 3 keeps them together"
    ]
    grouped = grouped_by_id(made.suite, 2)
    assert {item.group for item in grouped.items} == {"32.0", "32.1", "32.2", "32.3"}
    assert report(parser, *grouped.items).units == "4 groups"
    with pytest.raises(UsageError) as error:
        grouped_by_id(Suite("s.tsv", (Item("12", "The cat sleeps.", line=3),)), 1)
    assert str(error.value) == (
        's.tsv:3: the id "12" has no more than 1 parts\n'
        "  --group-by-id N takes the first N parts of ids such as 32.1.a.01, which must have more"
    )


# A fitted model and the baselines it must beat


def test_a_fitted_model_stands_beside_what_nothing_was_fitted_for(parser: Parser) -> None:
    made = fit_suite(Suite("suite.tsv", tuple(graded(60, group="yes"))), parser)
    assert [line.predictor for line in made.report.lines] == [
        "fitted", "cost", "cost, as 1/(1 + cost)", "fitness", "local",
        "length, unknown words and marks, fitted", "length", "unknown words",
    ]  # fmt: skip
    lines = list(gain_lines(made.report, 0, compared_with(made.beside)))
    assert [line.partition(":")[0] for line in lines[:-2]] == [
        "more than cost, as 1/(1 + cost)", "more than fitness", "more than local",
        "more than length, unknown words and marks, fitted", "more than length", "more than unknown words",
    ]  # fmt: skip
    assert [line for line in lines if line.startswith("!")] == [
        "! not better by pearson (the interval of the difference is not above 0) than: "
        "cost, as 1/(1 + cost), fitness, local",
        "! not better by spearman (the interval of the difference is not above 0) than: "
        "cost, as 1/(1 + cost), fitness, local",
    ]
    trivial = made.report.lines[5].statistics["pearson"]
    assert abs(trivial.value or 0.0) < 0.4
    assert any(line.startswith("on the same folds: cost pearson ") for line in made.fit.model.about)


def test_a_missing_interval_says_why() -> None:
    assert estimate(correlations.pearson, [1, 2, 4], [1, 2, 3]).missing == TOO_FEW_UNITS
    row = [float(i) for i in range(20)]
    rare = estimate(correlations.pearson, [0.0] * 19 + [1.0], row)
    assert (rare.low, rare.missing) == (None, HANGS_ON_ONE)
    assert estimate(correlations.pearson, row, [i % 7 + i for i in row]).missing == ""
    assert estimate(correlations.pearson, row, row).missing == "a perfect correlation has no interval"


def test_a_share_of_0_or_1_has_an_exact_interval() -> None:
    """Of 20 pairs that are all won, and of scores that part 20 good sentences from 25 bad ones."""
    found = estimate(correlations.mean, [1.0] * 20, [1.0] * 20)
    assert (found.value, found.low, found.high) == pytest.approx((1.0, 0.8316, 1.0), abs=1e-4)
    scores, good = [2.0] * 20 + [1.0] * 25, [1.0] * 20 + [0.0] * 25
    best = estimate(correlations.auc, scores, good)
    assert (best.value, best.low, best.high) == pytest.approx((1.0, 0.8316, 1.0), abs=1e-4)
    worst = estimate(correlations.auc, [-score for score in scores], good)
    assert (worst.value, worst.low, worst.high) == pytest.approx((0.0, 0.0, 0.1684), abs=1e-4)
    in_pairs = estimate(correlations.auc, [1.0, 0.0] * 20, [1.0, 0.0] * 20, units=[i // 2 for i in range(40)])
    assert in_pairs.low == pytest.approx(0.025 ** (1 / 10))


def test_large_suites_are_left_out_in_parts() -> None:
    """Of 3,000 items 666 parts are left out, which gives nearly the interval of leaving out each."""
    random = Random(4)
    x = [random.gauss(0, 1) for _ in range(3000)]
    y = [a + random.gauss(0, 1) for a in x]
    found = estimate(correlations.pearson, x, y)
    r = found.value or 0.0
    assert width(found) == pytest.approx(2 * 1.96 * (1 - r * r) / sqrt(3000), rel=0.1)
    assert [intervals.affordable(3000, 3000), intervals.affordable(100_000, 100_000)] == [666, 100]
