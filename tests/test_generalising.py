"""Generalisation of figures: to other conditions and people, models without sentences of a condition, weights."""

from __future__ import annotations

from collections.abc import Callable
from math import atanh, sqrt, tanh
from random import Random
from statistics import mean

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.ablation import Ablation
from numbat.acceptability.fitted import NEW_CONDITIONS, condition_gains, fit_suite
from numbat.acceptability.fitting import (
    folds_of,
    folds_of_conditions,
    format_fitted,
    read_fitted,
    terms_of,
)
from numbat.acceptability.models import scorer
from numbat.acceptability.suite import Item, Rating, Suite
from numbat.acceptability.summary import OTHER_CONDITIONS, OTHER_ITEMS, OTHER_PEOPLE
from numbat.acceptability.verbs import ablate
from numbat.experiments.verbs import report_suite
from numbat.learning.importance import importance_of_fitted
from numbat.statistics.correlations import pearson
from numbat.statistics.regression import ridge, solutions, sums_of
from tests.test_suite_statistics import STARTER

T = {10: 2.2621571628, 12: 2.2009851601, 40: 2.0226909201}
"""The quantiles of Student's t at 97.5 % with one degree of freedom less, as R has them."""
SENTENCES = (
    "The cat sleeps.",
    "The cats sleeps.",
    "Cats the sleeps.",
    "The old cat sleeps.",
    "The old cats sleeps.",
    "The cat sees the dog.",
    "The cats sees the dog.",
    "The dog sees.",
)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


def suite(conditions: int = 10, people: int = 12) -> Suite:
    """Return four sentences in each condition, rated by everybody; bad ones are rated worse, and conditions differ."""
    random = Random(9)
    items = []
    for condition in range(conditions):
        own = random.gauss(0, 0.8)
        for number in range(4):
            sentence = SENTENCES[(condition + 3 * number) % len(SENTENCES)]
            worth = own + 5 - 1.5 * ("cats sleeps" in sentence or "Cats the" in sentence) + random.gauss(0, 0.5)
            rated = [Rating(float(round(worth + random.gauss(0, 0.7))), f"p{person}") for person in range(people)]
            value = mean(each.value for each in rated)
            items.append(
                Item(f"{condition}-{number}", sentence, value, phenomenon=f"c{condition:02}", ratings=tuple(rated))
            )
    return Suite("s.tsv", tuple(items))


def jackknife(value: float, left_out: list[float], number: int) -> tuple[float, float]:
    """The interval of a correlation on Fisher's z."""
    z = [atanh(each) for each in left_out]
    error = sqrt((number - 1) / number * sum((each - mean(z)) ** 2 for each in z))
    return tanh(atanh(value) - T[number] * error), tanh(atanh(value) + T[number] * error)


def r(pairs: list[tuple[float, float]]) -> float:
    found = pearson([one for one, _ in pairs], [other for _, other in pairs])
    assert found is not None
    return found


def test_intervals_to_other_items_conditions_and_people(parser: Parser) -> None:
    report = report_suite(suite(), parser, "cost", scorer("cost"))
    by = {each.what: each for each in report.reaches}
    assert {each.what: each.units for each in report.reaches} == {
        OTHER_ITEMS: "40 sentences",
        OTHER_CONDITIONS: "10 conditions",
        OTHER_PEOPLE: "12 participants",
    }
    rows = [(each.value or 0.0, each.item) for each in report.items]
    whole = r([(score, item.rating or 0.0) for score, item in rows])

    def without(kept: Callable[[Item], bool]) -> float:
        return r([(score, item.rating or 0.0) for score, item in rows if kept(item)])

    items = [without(lambda item, out=out: item.id != out) for out in (item.id for _, item in rows)]  # type: ignore[misc]
    conditions = [without(lambda item, out=out: item.phenomenon != f"c{out:02}") for out in range(10)]  # type: ignore[misc]
    people = [
        r([(score, mean(each.value for each in item.ratings if each.participant != f"p{out}")) for score, item in rows])
        for out in range(12)
    ]
    for what, left_out in ((OTHER_ITEMS, items), (OTHER_CONDITIONS, conditions), (OTHER_PEOPLE, people)):
        found = by[what].statistics["pearson"]
        assert found.value == pytest.approx(whole)
        assert (found.low, found.high) == pytest.approx(jackknife(whole, left_out, len(left_out)))


def test_conditions_that_do_not_repeat_are_no_conditions(parser: Parser) -> None:
    items = [Item(str(i), SENTENCES[i % 8], float(i % 5), phenomenon=f"c{i}") for i in range(40)]
    assert report_suite(Suite("s.tsv", tuple(items)), parser, "cost", scorer("cost")).reaches == ()


def test_a_fitted_model_stands_beside_one_that_saw_no_sentence_of_the_condition(parser: Parser) -> None:
    made = fit_suite(suite(), parser)
    items = made.report.items
    conditions = [each.item.phenomenon for each in items]
    divided = folds_of([each.item for each in items], [each.parse.lattice.tokens for each in items], 0, 5)
    apart = folds_of_conditions(conditions, divided.of, 0, 5)
    assert apart is not None
    assert all(
        len({fold for fold, own in zip(apart, conditions, strict=True) if own == each}) == 1 for each in conditions
    )
    terms = [terms_of(each.parse) for each in items]
    features = made.fit.model.features
    rows = [[feature.distance(row.get(feature.name, 0.0)) for feature in features] for row in terms]
    ratings = [each.item.rating or 0.0 for each in items]
    assert made.fit.new_conditions == pytest.approx(tuple(ridge(rows, ratings, apart).held_out))
    lines = {line.predictor: line.statistics["pearson"].value for line in made.report.lines}
    assert lines[NEW_CONDITIONS] == pytest.approx(pearson(made.fit.new_conditions or (), ratings))
    assert list(lines)[:2] == ["fitted", NEW_CONDITIONS]
    to_others = next(each for each in made.report.reaches if each.what == OTHER_CONDITIONS)
    assert to_others.statistics["pearson"].value == lines[NEW_CONDITIONS]
    start = "the folds hold out sentences, but the models saw others of their 10 conditions"
    assert any(note.startswith(start) for note in made.report.notes)
    assert all(line.startswith("for new conditions more than ") for line in condition_gains(made, 0))


def test_without_conditions_that_repeat_no_other_models_are_fitted() -> None:
    assert folds_of_conditions(["a", "a", "b", "b", "c", "c"], [0, 0, 1, 1, 2, 2], 0, 3) is None
    assert folds_of_conditions(["a", "b", "a", "b"], [0, 0, 1, 1], 0, 3) is None
    assert folds_of_conditions(["", "", "a", "b", "c"], [0, 1, 0, 1, 2], 0, 3) is None
    assert folds_of_conditions(["a", "b", "c", "a", "b", "c"], [0, 0, 0, 1, 1, 1], 0, 3) is not None


def test_weights_have_the_interval_of_regressions_without_one_sentence_each(parser: Parser, tmp_path: object) -> None:
    made = fit_suite(suite(), parser)
    items, model = made.report.items, made.fit.model
    terms = [terms_of(each.parse) for each in items]
    rows = [[feature.distance(row.get(feature.name, 0.0)) for feature in model.features] for row in terms]
    ratings = [each.item.rating or 0.0 for each in items]
    again = []
    for out in range(40):
        kept = [i for i in range(40) if i != out]
        sums = sums_of([rows[i] for i in kept], [ratings[i] for i in kept])
        again.append(solutions(sums, (made.fit.penalty,))[0].slopes)
    for feature, values in zip(model.features, zip(*again, strict=True), strict=True):
        error = sqrt(39 / 40 * sum((each - mean(values)) ** 2 for each in values))
        assert feature.low == pytest.approx(feature.weight - T[40] * error, abs=1e-9)
        assert feature.high == pytest.approx(feature.weight + T[40] * error, abs=1e-9)
    path = f"{tmp_path}/m.tsv"
    with open(path, "w", encoding="utf-8") as opened:
        opened.write(format_fitted(model))
    assert read_fitted(path, parser.grammar).features == model.features
    report = importance_of_fitted(path, made.report.suite, parser, by="property")
    violated = {each.property for scored in items for each in scored.parse.violated}
    assert len(report.importance.rows) == len(violated)
    assert all(
        row.interval is not None and row.interval[0] <= row.weight <= row.interval[1] for row in report.importance.rows
    )


def test_each_violated_property_is_switched_off(parser: Parser) -> None:
    told: list[tuple[str, int, int]] = []
    notes: list[str] = []
    found: list[Ablation] = list(
        ablate(
            suite(), parser, scorer("cost"), notes=notes, by_property=True,
            telling=lambda *each: told.append(each),
        )
    )  # fmt: skip
    violated = {each.property for item in suite().items for each in parser.parse(item.sentence).violated}
    assert len(found) == len(violated) + 1
    assert [name for name, _, _ in told] == [each.name for each in found[1:]]
    assert told[0][1:] == (1, len(violated))
    left = len(parser.grammar.properties) - len(violated)
    assert f"{left} properties not tried, as no best parse here violates them" in notes
    agreement = next(each for each in found if "~>" in each.name)
    assert (agreement.loss.value or 0.0) > 0
