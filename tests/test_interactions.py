"""Factorial designs: means by condition, interactions, verdicts, formulas; figures are recomputed by other code."""

from __future__ import annotations

from collections import defaultdict
from math import sqrt
from pathlib import Path
from random import Random
from statistics import mean, stdev, variance
from typing import Any

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.fitting import Feature, Fitted
from numbat.acceptability.models import scorer
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.suite import Suite
from numbat.acceptability.suite_files import read_lines, read_suite
from numbat.acceptability.suite_report import suite_page, suite_report
from numbat.acceptability.suite_tables import SuiteLayout
from numbat.acceptability.terms import totals_of
from numbat.errors import UsageError
from numbat.experiments.interaction_verdicts import InteractionEstimate, OnOneScale
from numbat.experiments.interactions import Design, DesignReport, Formula, design_of, interaction
from numbat.experiments.interactions_report import (
    DesignSection,
    condition_rows,
    contrast_rows,
    contrast_table,
    design_in,
    design_plot,
)
from numbat.experiments.suites import ResultsFormat, suite_of
from numbat.experiments.tidy_tables import CONTRASTS
from numbat.experiments.verbs import report_suite
from numbat.statistics.intervals import Estimate
from tests.test_suite_statistics import STARTER

ISLANDS = "accept/sprouse2016/islands.tsv"
T7, T11 = 2.3646242516, 2.2009851601
"""Quantiles of Student's t at 97.5 %, as R has them."""


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


SENTENCES = {
    ("non", "long"): "The cats sleep.",
    ("non", "short"): "The cat sleeps.",
    ("island", "long"): "The cats sleeps.",
    ("island", "short"): "The dog sleeps.",
}


def rows(people: int = 12, items: int = 8, gaps: bool = False) -> list[str]:
    """Return ratings of 12 people who saw every item in one condition, or of some who did not see all conditions."""
    random = Random(11)
    lines = ["participant\titem\tstructure\tdistance\tsentence\trating"]
    conditions = list(SENTENCES)
    for person in range(people):
        shift = random.gauss(0, 1)
        for item in range(items):
            condition = conditions[(person + item) % 4]
            if gaps and person == 0 and condition == ("non", "long"):
                continue
            worth = 5 - 2 * (condition == ("island", "long")) - 0.5 * (condition[1] == "long")
            rating = min(7, max(1, round(worth + shift + random.gauss(0, 1))))
            lines.append(f"p{person}\t{item}\t{condition[0]}\t{condition[1]}\t{SENTENCES[condition]}\t{rating}")
    return lines


FACTORS = design_of("structure=non/island,distance=long/short")


def suite(lines: list[str]) -> Suite:
    return read_lines(lines, "islands.tsv", SuiteLayout())


def designed(parser: Parser, lines: list[str], *formulas: str) -> DesignReport:
    settings = design_of("structure=non/island,distance=long/short", None, formulas)
    made = report_suite(suite(lines), parser, "cost", scorer("cost"), design=settings)
    found = design_in(made)
    assert found is not None
    return found


Trial = tuple[str, str, tuple[str, str], float]


def z_trials(lines: list[str]) -> list[Trial]:
    """The trials with z-scores within participants, over all of their trials, n - 1."""
    cells = [line.split("\t") for line in lines[1:]]
    own = defaultdict(list)
    for row in cells:
        own[row[0]].append(float(row[5]))
    return [(r[0], r[1], (r[2], r[3]), (float(r[5]) - mean(own[r[0]])) / stdev(own[r[0]])) for r in cells]


def differences(trials: list[Trial], unit: int) -> list[float]:
    """The difference of differences of each item (1) or participant (0)."""
    means: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        means[str(trial[unit])][trial[2]].append(trial[3])
    found = []
    for of in means.values():
        if len(of) == 4:
            at = {condition: mean(values) for condition, values in of.items()}
            found.append((at["non", "long"] - at["island", "long"]) - (at["non", "short"] - at["island", "short"]))
    return found


def test_interactions_of_people_by_items_and_by_participants(parser: Parser) -> None:
    lines = rows()
    (design,) = designed(parser, lines).designs
    trials = z_trials(lines)
    assert design.people is not None
    for found, unit, t in ((design.people.by_items, 1, T7), (design.people.by_participants, 0, T11)):
        values = differences(trials, unit)
        reach = t * sqrt(variance(values) / len(values))
        assert found is not None
        assert (found.value, found.number) == pytest.approx((mean(values), len(values)))
        assert (found.low, found.high) == pytest.approx((mean(values) - reach, mean(values) + reach))
    cells = {condition: mean(z for *_, own, z in trials if own == condition) for condition in SENTENCES}
    whole = (cells["non", "long"] - cells["island", "long"]) - (cells["non", "short"] - cells["island", "short"])
    assert design.people.value == pytest.approx(whole)


def test_intervals_of_means_are_those_of_cousineau_and_morey(parser: Parser) -> None:
    lines = rows()
    (design,) = designed(parser, lines).designs
    own: dict[str, dict[tuple[str, ...], list[float]]] = defaultdict(lambda: defaultdict(list))
    for person, _, condition, z in z_trials(lines):
        own[person][condition].append(z)
    means = {person: {condition: mean(values) for condition, values in of.items()} for person, of in own.items()}
    grand = mean(mean(of.values()) for of in means.values())
    for cell in design.cells:
        normed = [of[cell.condition] - mean(of.values()) + grand for of in means.values()]
        reach = T11 * sqrt(variance(normed) * 4 / 3 / len(normed))
        assert cell.people.low is not None
        assert cell.people.high is not None
        assert cell.people.high - cell.people.low == pytest.approx(2 * reach)
        assert (cell.people.low + cell.people.high) / 2 == pytest.approx(cell.people.value)


def test_without_all_conditions_people_have_no_interval(parser: Parser) -> None:
    report = designed(parser, rows(gaps=True))
    assert {cell.people.low for cell in report.designs[0].cells} == {None}
    assert "people's are missing: not everybody saw every condition; the model's are over items" in "\n".join(
        DesignSection(report).part("cost").lines()
    )


def test_the_model_by_items_in_its_own_unit(parser: Parser) -> None:
    """The starter grammar finds one violation, of agreement, in the long sentences of islands alone."""
    report = designed(parser, rows())
    (design,) = report.designs
    assert design.model is not None
    assert design.model.value == pytest.approx(1.0)
    assert [(share.value, "~" in share.name) for share in design.properties] == [(1.0, True)]


def slope(trials: list[Trial]) -> float:
    """The slope of the mean ratings of sentences by their scores: -1 for the long sentences of islands, else 0."""
    from numpy import polyfit

    sentences: dict[tuple[str, tuple[str, str]], list[float]] = defaultdict(list)
    for _, item, condition, z in trials:
        sentences[item, condition].append(z)
    scores = [-float(condition == ("island", "long")) for _, condition in sentences]
    return float(polyfit(scores, [mean(values) for values in sentences.values()], 1)[0])


@pytest.mark.parametrize("fillers", [0, 5])
def test_model_and_people_are_compared_on_people_s_scale(parser: Parser, fillers: int) -> None:
    """Each item and each participant is left out of people's interaction and of the line; the model's is 1 in all."""
    lines = rows()
    texts = [
        "The cat sees the dog.",
        "The cats see the dog.",
        "The dogs see a cat.",
        "The dog sees a cat.",
        "A cat sleeps.",
    ]
    more = [f"p{p}\tf{i}\tnone\tnone\t{texts[i]}\t{4 + (p + i) % 4}" for p in range(12) for i in range(fillers)]
    (design,) = designed(parser, lines + more).designs
    trials = z_trials(lines + more)
    targets = [trial for trial in trials if trial[2] in SENTENCES]
    both = design.on_one_scale
    assert both is not None
    assert both.model.value == pytest.approx(slope(trials))
    for unit, by in ((1, "by_items"), (0, "by_participants")):
        inside = sorted({trial[unit] for trial in targets})
        strata = [inside, sorted({trial[unit] for trial in trials} - {*inside})]
        for times, one in ((0, both.model), (-1, both.difference), (1, both.total)):

            def value(left_out: Any, unit: int = unit, times: int = times) -> float:
                rest = [trial for trial in trials if trial[unit] != left_out]
                return slope(rest) + times * mean(differences([trial for trial in rest if trial in targets], unit))

            variance_ = 0.0
            for stratum in filter(None, strata):
                again = [value(name) for name in stratum]
                variance_ += (len(again) - 1) / len(again) * sum((each - mean(again)) ** 2 for each in again)
            reach = {8: T7, 12: T11}[len(inside)] * sqrt(variance_)
            interval, middle = getattr(one, by), value("nobody")
            assert interval is not None
            assert (interval.value, interval.low, interval.high) == pytest.approx(
                (middle, middle - reach, middle + reach)
            )
            assert interval.number == len(inside)


def test_a_line_that_falls_is_level(parser: Parser) -> None:
    """Scores that are worse for better sentences predict nothing."""
    fields = [line.split("\t") for line in rows()]
    lines = ["\t".join(fields[0]), *("\t".join([*row[:5], str(8 - int(row[5]))]) for row in fields[1:])]
    report = designed(parser, lines)
    (design,) = report.designs
    assert report.link.slope == 0
    assert design.on_one_scale is not None
    assert str(design.on_one_scale.model.by_items) == "0.000 [0.000, 0.000]"


def around(value: float, items: float, people: float | None = None) -> InteractionEstimate:
    """Return an interaction with intervals of these reaches around a value."""
    by_people = None if people is None else Estimate(value, value - people, value + people, 9, 9)
    return InteractionEstimate(value, Estimate(value, value - items, value + items, 9, 9), by_people)


@pytest.mark.parametrize(
    ("people", "model", "difference", "total", "verdict", "doubt"),
    [
        # the difference is inside the bounds, whatever the others are
        (around(1, 0.2, 0.2), around(1.1, 0.1), around(0.1, 0.3, 0.3), around(2.1, 0.3), "alike", ""),
        (around(0, 0.2), around(0.1, 0.2), around(0.1, 0.3), around(0.1, 0.3), "alike", ""),
        (around(0.1, 0.05), around(-0.1, 0.05), around(-0.2, 0.1), around(0, 0.1), "alike", ""),
        # both leave 0 out on different sides
        (around(1, 0.5, 0.4), around(-1, 0.5), around(-2, 0.8, 0.8), around(0, 0.8), "opposite", ""),
        # the difference leaves 0 out, on people's side or on the other one
        (around(0.6, 0.5, 0.4), around(2, 0.5), around(1.4, 0.8, 0.8), around(2.6, 1), "stronger", ""),
        (around(-0.6, 0.5), around(-2, 0.5), around(-1.4, 0.8), around(-2.6, 1), "stronger", ""),
        (around(1, 0.5, 0.4), around(0, 0), around(-1, 0.5, 0.4), around(1, 0.5), "weaker", ""),
        (around(-1, 0.5), around(0.1, 0.3), around(1.1, 0.6), around(-0.9, 0.6), "weaker", ""),
        # people's may be 0: the model's is farther from 0 on whichever side people's is
        (around(0.1, 0.3), around(1, 0.3), around(0.9, 0.5), around(1.1, 0.5), "stronger", ""),
        (
            *(around(-0.5, 0.6), around(0.8, 0.3), around(1.3, 0.7), around(0.3, 0.7)),
            *("cannot tell", "they differ, but which is farther from 0 is not certain"),
        ),
        # the case of people .47 [-.10, 1.07] and a model .64 [.03, 1.25]
        (
            *(around(0.47, 0.58), around(0.64, 0.61), around(0.17, 0.8), around(1.11, 0.9)),
            *("cannot tell", "their difference may be 0, or more than 0.50"),
        ),
        (
            *(around(1, 0.5, 0.4), around(0, 0), around(-1, 1.1, 0.4), around(1, 0.5)),
            *("cannot tell", "they differ for certain only over participants"),
        ),
        (
            *(around(1, 0.5, 1.2), around(0, 0), around(-1, 0.5, 1.2), around(1, 0.5)),
            *("cannot tell", "they differ for certain only over items"),
        ),
    ],
)
def test_verdicts_follow_from_intervals(
    people: InteractionEstimate,
    model: InteractionEstimate,
    difference: InteractionEstimate,
    total: InteractionEstimate,
    verdict: str,
    doubt: str,
) -> None:
    design = Design("", (), (), people, model, OnOneScale(model, difference, total))
    assert (design.verdict, design.doubt) == (verdict, doubt)


def test_the_bound_of_what_is_alike_is_stated_and_can_be_set(parser: Parser) -> None:
    """It is half a standard deviation of people's values, which is .5 for z-scores."""
    unknown = ["\t".join(line.split("\t")[1:]) for line in rows()]
    ratings = [float(line.split("\t")[-1]) for line in unknown[1:]]
    assert designed(parser, rows()).bound == 0.5
    assert designed(parser, unknown).bound == pytest.approx(stdev(ratings) / 2)
    made = report_suite(
        suite(rows()), parser, "cost", scorer("cost"), design=design_of("structure=non/island,distance", alike=4.0)
    )
    found = design_in(made)
    assert found is not None
    assert found.designs[0].verdict == "alike"
    text = DesignSection(found).part("cost").lines()
    assert "alike: the difference is within ±4.00 by its intervals (--alike)" in text
    with pytest.raises(UsageError) as error:
        design_of(None, alike=1.0)
    assert str(error.value) == (
        "--alike without factors\n  add --factors, whose interaction is compared between model and people"
    )


def test_shares_of_properties_are_those_of_the_model(parser: Parser) -> None:
    """A model that learned .86 for the violation, and counts words: the shares are its own and add up."""
    features = (
        Feature("violated dependency of all", -0.86, 0.0, 1.0, 8),
        Feature("words", 0.25, 0.0, 2.0, 8),
    )
    learned = Fitted("fitted", "starter", 5.0, features, more=totals_of)
    lines = [line.replace("The dog sleeps.", "The dog sees a cat.") for line in rows()]
    found = design_in(report_suite(suite(lines), parser, "m.tsv", learned, design=FACTORS))
    assert found is not None
    (design,) = found.designs
    assert design.model is not None
    agreement, rest = design.properties
    assert agreement.value == pytest.approx(0.86)
    assert "~" in agreement.name
    assert rest.value == pytest.approx(0.25)  # the short sentences of islands have 5 words, not 3
    assert rest.name == "rest"
    assert design.model.value == pytest.approx(0.86 + 0.25)


def test_an_interaction_says_which_conditions_it_subtracts() -> None:
    assert interaction(FACTORS.factors) == "(non/long - island/long) - (non/short - island/short)"
    assert interaction(design_of("a=x/y").factors) == "x - y"
    assert interaction(design_of("a=1/2,b=3/4,c=5/6").factors) == (
        "((1/3/5 - 2/3/5) - (1/4/5 - 2/4/5)) - ((1/3/6 - 2/3/6) - (1/4/6 - 2/4/6))"
    )


# Formulas


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("(*;%a%) > (*;%b%)", 1),
        ("(*;%a%) < (*;%b%)", 0),
        ("((*;%a%) - (*;%b%)) = 2", 1),
        ("(((*;%a%) - (*;%b%)) > ((*;%c%) - (*;%d%))) & ((*;%a%) > (*;%c%))", 1),
        ("((*;%a%) < (*;%b%)) | ((*;%c%) = (*;%d%))", 0),
        ("(*; %a% ) + (*;%b%) - (*;%c%)", 4),
        ("- (*;%d%) + 1", 0.5),
    ],
)
def test_formulas_of_syntaxgym(formula: str, value: float) -> None:
    assert Formula.read(formula).value({"a": 3.0, "b": 1.0, "c": 0.0, "d": 0.5}) == value


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("(*;%a%) >", "it ends too early"),
        ("((*;%a%) > (*;%b%)", "a bracket is not closed"),
        ("(*;%a%) (*;%b%)", "something follows its end"),
        ("(*;%a%) > b", 'cannot read "b"'),
        ("> (*;%a%)", '">" needs a part before and after it'),
    ],
)
def test_what_is_no_formula_is_told(formula: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        Formula.read(formula)
    assert str(error.value).splitlines() == [
        f'"{formula}" is not a formula: {told}',
        "  write it as ((*;%a%) - (*;%b%)) > ((*;%c%) - (*;%d%)), with the names of conditions between %",
    ]


def test_formulas_hold_in_a_share_of_the_items_and_regions_are_refused(parser: Parser) -> None:
    lines = rows()
    report = designed(parser, lines, "(*;%island/long%) > (*;%non/long%)", "(3;%island/long%) > 0", "(*;%x%) > 0")
    held, of_region, unknown = report.formulas
    trials = z_trials(lines)
    better = [
        mean(z for _, i, c, z in trials if (i, c) == (str(item), ("island", "long")))
        < mean(z for _, i, c, z in trials if (i, c) == (str(item), ("non", "long")))
        for item in range(8)
    ]
    assert held.people is not None
    assert held.model is not None
    assert (held.people.value, held.model.value, held.people.number) == (sum(better) / 8, 1.0, 8)
    assert of_region.refused == (
        "it names the region 3, but a grammar gives costs only to whole sentences: write (*;%condition%)"
    )
    assert unknown.refused == 'no condition "x": there are non/long, non/short, island/long, island/short'


def test_predictions_of_a_suite_of_syntaxgym(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    conditions = ",".join(
        f'{{"condition_name": "{name}", "regions": [{{"region_number": 1, "content": "{sentence}"}}]}}'
        for name, sentence in (("match", "The cats sleep."), ("mismatch", "The cats sleeps."))
    )
    items = ",".join(f'{{"item_number": {number}, "conditions": [{conditions}]}}' for number in (1, 2, 3))
    claim = '{"type": "formula", "formula": "(*;%mismatch%) > (*;%match%)"}'
    path.write_text(f'{{"items": [{items}], "predictions": [{claim}]}}', encoding="utf-8")
    found = read_suite(str(path))
    assert (found.formulas, found.notes) == (("(*;%mismatch%) > (*;%match%)",), ())
    made = report_suite(found, parser, "cost", scorer("cost"))
    design = design_in(made)
    assert design is not None
    (result,) = design.formulas
    assert result.model is not None
    assert (result.model.value, result.model.number, result.people) == (1.0, 3, None)


# Options, tables and pages


def test_factors_that_are_not_there_are_told(parser: Parser) -> None:
    for factors, told in (
        ("struktur,distance", 'islands.tsv has no column "struktur"'),
        ("structure=non/iland,distance", 'the factor structure has no level "iland"'),
    ):
        with pytest.raises(UsageError) as error:
            report_suite(suite(rows()), parser, "cost", scorer("cost"), design=design_of(factors))
        assert str(error.value).startswith(told)
        assert "did you mean" in str(error.value)
    with pytest.raises(UsageError, match="is not a factor"):
        design_of("structure=non,distance")


def test_columns_of_a_design_are_read_and_fillers_are_told(parser: Parser) -> None:
    lines = [*rows(), *(f"p{person}\tf\tfiller\tfiller\tThe cat sees the dog.\t7" for person in range(12))]
    made = report_suite(suite(lines), parser, "cost", scorer("cost"), design=FACTORS)
    found = design_in(made)
    assert found is not None
    assert found.notes == ("1 sentence in no condition of the design, such as fillers (f)",)
    assert not any("columns not read" in note for note in made.notes)
    assert len(found.designs[0].cells) == 4


def test_text_tables_json_and_page_say_the_same(parser: Parser) -> None:
    made = report_suite(suite(rows()), parser, "cost", scorer("cost"), design=FACTORS)
    found = design_in(made)
    assert found is not None
    (design,) = found.designs
    assert design.people is not None
    shown = f"{design.people.value:.2f}"
    text, page = suite_report(made).text(), suite_page(made)
    assert any(line.startswith("all ") and shown in line for line in text.splitlines())
    assert f"people {shown}" in page
    (row,) = contrast_rows(found)
    cells = dict(zip(CONTRASTS, row, strict=True))
    both = design.on_one_scale
    assert both is not None
    assert both.difference.by_participants is not None
    assert (cells["on_scale"], cells["on_scale_items_high"]) == (both.model.value, both.model.by_items.high)
    assert cells["difference_participants_low"] == both.difference.by_participants.low
    assert (cells["alike"], cells["properties"]) == (0.5, f"{design.properties[0].name} +1")
    assert row[1:3] == ("(non/long - island/long) - (non/short - island/short)", design.verdict)
    assert contrast_table(found, "cost").objects()[0]["people"]["value"] == row[4] == design.people.value
    assert [row[1] for row in condition_rows(found)] == [
        "non/long",
        "non/short",
        "island/long",
        "island/short",
    ]
    drawing = design_plot(found, "cost", styled=True)
    assert drawing.count('<g class="point') == 8
    assert "var(" not in drawing


def test_the_islands_of_sprouse_and_others(data: Path) -> None:
    """The interactions of people that scipy and pandas give: by items with t(7), by participants."""
    if not (data / ISLANDS).exists():
        pytest.skip("the islands are not here")
    from dataclasses import replace

    from numbat.acceptability.verdicts import ScoredItem
    from numbat.experiments.interactions import analysed

    found = suite_of(SuiteSettings(str(data / ISLANDS)))
    bare = Parser(load_grammar(STARTER))
    parse = bare.parse("The cat sleeps.")
    scored = [ScoredItem(item, parse, scorer("cost")(parse)) for item in found.items]
    settings = design_of("structure=non/isl,distance=lg/sh", "dependency,island")
    report = analysed(replace(found), scored, settings)
    by_name = {design.name: design.people for design in report.designs}
    told = {
        name: [f"{people.value:.2f}", *(f"{end:.2f}" for end in (people.by_items.low, people.by_items.high))]
        for name, people in by_name.items()
        if people is not None and people.value and people.by_items.low and people.by_items.high
    }
    assert told == {
        "RC adj": ["0.03", "-0.24", "0.29"], "RC np": ["0.54", "0.10", "0.95"],
        "RC sub": ["0.56", "0.39", "0.73"], "RC wh": ["0.44", "0.14", "0.74"],
        "WH adj": ["0.82", "0.45", "1.23"], "WH np": ["1.11", "0.70", "1.55"],
        "WH sub": ["0.62", "-0.40", "1.61"], "WH whe": ["1.25", "1.03", "1.45"],
    }  # fmt: skip
    subject = by_name["WH sub"]
    assert subject is not None
    assert str(subject.by_participants) == "0.623 [0.390, 0.857]"
    assert {people.by_participants.number for people in by_name.values() if people and people.by_participants} == {55}


def test_z_scores_of_a_clean_table_are_taken_as_they_are(parser: Parser) -> None:
    """They were computed over all trials of an experiment, while the table may have only the targets."""
    lines = ["participant,item,condition,label,sentence,rating,z,time,structure,distance"]
    own = {}
    for number, (person, item, (structure, distance), _) in enumerate(z_trials(rows())):
        own[person, item] = z = round((number * 7919 % 100) / 25 - 2, 5)
        lines.append(f"{person},{item},,,{SENTENCES[structure, distance]},4,{z},,{structure},{distance}")
    made = report_suite(
        read_lines(lines, "clean.csv", SuiteLayout(), (ResultsFormat(),)),
        parser,
        "cost",
        scorer("cost"),
        design=FACTORS,
    )
    found = design_in(made)
    assert found is not None
    (design,) = found.designs
    assert found.unit == "z within participant"
    trials = [(person, item, condition, own[person, item]) for person, item, condition, _ in z_trials(rows())]
    assert design.people is not None
    assert design.people.by_items.value == pytest.approx(mean(differences(trials, 1)))
