"""The power of an experiment: variances of a pilot recomputed, simulated power against closed forms."""

from __future__ import annotations

import json
from itertools import pairwise
from math import exp, lgamma, log, sqrt
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean

import pytest

from numbat import DataError, UsageError
from numbat.experiments.materials import factors_of
from numbat.experiments.power import (
    GROUPINGS,
    RESIDUAL,
    TESTS,
    PilotRating,
    Variances,
    moments,
    pilot_of,
    read_pilot,
    simulate,
    variances_of,
)
from numbat.statistics.distributions import t_p_value, t_quantile
from numbat.statistics.regression import determined
from tests.command_line import Numbat, without_record
from tests.samples import enough

CONDITIONS = (("a",), ("b",))


def trials(people: int, items: int, seed: int, deviations: dict[str, float], keep: float = 1.0) -> list[PilotRating]:
    """A pilot as a Latin square whose parts have these standard deviations; some ratings are missing."""
    random = Random(seed)
    drawn: dict[object, float] = {}
    found = []
    for who in range(people):
        for item in range(items):
            trial = PilotRating(f"p{who}", f"i{item}", CONDITIONS[(who + item) % 2], 0.0)
            value = random.gauss(0, deviations.get(RESIDUAL, 0.0))
            for name, key in GROUPINGS.items():
                value += drawn.setdefault((name, key(trial)), random.gauss(0, deviations.get(name, 0.0)))
            if random.random() < keep:
                found.append(PilotRating(trial.participant, trial.item, trial.condition, value))
    return found


def test_moments_are_those_of_whole_matrices() -> None:
    """Sums of squares and their expected values, from the projection and the indicators written out."""
    some = trials(5, 6, 1, dict.fromkeys((*GROUPINGS, RESIDUAL), 1.0), keep=0.8)
    number = len(some)
    size = range(number)
    alike = [[float(one.condition == other.condition) for other in some] for one in some]
    project = [[float(i == j) - alike[i][j] / sum(alike[i]) for j in size] for i in size]
    centred = [sum(project[i][j] * some[j].value for j in size) for i in size]
    keys = [[key(each) for each in some] for key in GROUPINGS.values()] + [list(size)]
    same = [[[float(own[i] == own[j]) for j in size] for i in size] for own in keys]
    sums, matrix = moments(some, list(GROUPINGS))
    for place, one in enumerate(same):
        assert sums[place] == pytest.approx(sum(centred[i] * one[i][j] * centred[j] for i in size for j in size))
        inner = [[sum(one[i][k] * project[k][j] for k in size) for j in size] for i in size]
        outer = [[sum(project[i][k] * inner[k][j] for k in size) for j in size] for i in size]
        for other_place, other in enumerate(same):
            trace = sum(outer[i][j] * other[j][i] for i in size for j in size)
            assert matrix[place][other_place] == pytest.approx(trace)


def test_variances_are_found_again() -> None:
    """The mean of the estimates over pilots, before negative ones become 0, is the true value."""
    true = {"participants": 0.5, "participants by condition": 0.4, "items": 0.6, "items by condition": 0.3, RESIDUAL: 1}
    found = []
    for seed in range(enough(40)):
        sums, matrix = moments(trials(12, 8, seed, true, keep=0.9), list(GROUPINGS))
        found.append(determined(matrix, sums))
    for place, name in enumerate((*GROUPINGS, RESIDUAL)):
        values = [row[place] for row in found]
        error = sqrt(sum((v - fmean(values)) ** 2 for v in values) / (len(values) - 1) / len(values))
        assert abs(fmean(values) - true[name] ** 2) < 3.5 * error, name


def test_a_part_that_cannot_be_told_from_the_rest() -> None:
    some = [
        PilotRating(f"p{who}", f"i{who % 3}{place}", c, who * place)
        for who in range(6)
        for place, c in enumerate(CONDITIONS)
    ]
    found = variances_of(some)
    assert "participants by condition" not in found.by_part
    assert found.notes[0].startswith("no two ratings of participants in one condition: ")


@pytest.mark.parametrize(
    ("t", "freedom", "p"),
    [(12.7062047361747, 1, 0.05), (4.30265272974946, 2, 0.05), (2.36462425159278, 7, 0.05), (0.0, 3, 1.0)],
)
def test_p_of_students_t(t: float, freedom: int, p: float) -> None:
    """Tables of the quantiles; for 1 and 2 degrees of freedom there are closed forms."""
    assert t_p_value(t, freedom) == pytest.approx(p, abs=1e-12)
    assert t_p_value(1.5, 2) == pytest.approx(1 - 1.5 / sqrt(2 + 1.5**2), abs=1e-14)
    assert t_p_value(2.0, 1e7) == pytest.approx(2 * NormalDist().cdf(-2.0), rel=1e-5)
    if t:
        assert t_quantile(0.975, freedom) == pytest.approx(t, rel=1e-9)


def closed_form(effect: float, error: float, number: int) -> float:
    """The power of a two-sided t test of one mean at .05: over the chi distribution of the standard deviation."""
    freedom, limit, normal = number - 1, t_quantile(0.975, number - 1), NormalDist()
    shift = effect / (error / sqrt(number))
    scale = log(2) + freedom / 2 * log(freedom / 2) - lgamma(freedom / 2)
    grid = [step / 2000 for step in range(1, 8001)]

    def density(s: float) -> float:
        tails = normal.cdf(shift - limit * s) + normal.cdf(-shift - limit * s)
        return tails * exp(scale + freedom_minus * log(s) - freedom * s * s / 2)

    freedom_minus = freedom - 1
    values = [density(s) for s in grid]
    return sum((one + other) / 4000 for one, other in pairwise(values))


def test_power_by_participants_is_that_of_the_t_test() -> None:
    """Where items do not differ, contrasts of people are independent: their variance is known."""
    variances = Variances(
        {"participants": 4.0, "participants by condition": 0.3, "items": 0, "items by condition": 0, RESIDUAL: 1.0}
    )
    people, items, effect = 12, 8, 0.7
    error = sqrt(2 * 0.3 + 2 * 1.0 / (items / 2))
    found = simulate(variances, [1, -1], effect, people, items, 600, seed=2)
    expected = closed_form(effect, error, people)
    assert 0.3 < expected < 0.9
    assert abs(found.found["participants"] - expected) < 3.5 * sqrt(expected * (1 - expected) / 600)
    assert abs(found.false_alarms["participants"] - 0.05) < 3.5 * sqrt(0.05 * 0.95 / 600)


def test_power_by_items_is_that_of_the_t_test() -> None:
    """People do not differ here, so the t-test over items applies."""
    variances = Variances(
        {"participants": 0, "participants by condition": 0, "items": 4.0, "items by condition": 0.3, RESIDUAL: 1.0}
    )
    people, items, effect = 8, 12, 0.7
    error = sqrt(2 * 0.3 + 2 * 1.0 / (people / 2))
    found = simulate(variances, [1, -1], effect, people, items, 600, seed=3)
    expected = closed_form(effect, error, items)
    assert abs(found.found["items"] - expected) < 3.5 * sqrt(expected * (1 - expected) / 600)
    assert found.found["both"] <= min(found.found["items"], found.found["participants"])
    assert found.found["min F'"] <= found.found["both"] + 0.02


def test_items_that_differ_in_the_effect_are_false_alarms_by_participants() -> None:
    """People share their items, so an analysis by participants alone finds effects that do not exist far too often."""
    variances = Variances(dict.fromkeys((*GROUPINGS, RESIDUAL), 0.0) | {"items by condition": 0.6, RESIDUAL: 1.0})
    found = simulate(variances, [1, -1], 0.5, 40, 8, 300, seed=1)
    assert found.false_alarms["participants"] > 0.2 > 0.1 > found.false_alarms["items"]
    assert found.false_alarms["min F'"] < 0.1


def test_the_same_seed_is_the_same_power() -> None:
    variances = Variances(dict.fromkeys((*GROUPINGS, RESIDUAL), 0.5))
    assert simulate(variances, [1, -1], 0.5, 6, 4, 20, 1) == simulate(variances, [1, -1], 0.5, 6, 4, 20, 1)
    assert set(simulate(variances, [1, -1], 0.5, 6, 4, 20, 1).found) == set(TESTS)


@pytest.mark.parametrize(
    ("people", "items", "message"),
    [
        (8, 6, "6 items for 4 conditions\n  every person has each condition equally often: take a multiple of 4"),
        (3, 8, "3 people for 4 conditions\n  take at least 4"),
    ],
)
def test_numbers_that_make_no_latin_square(people: int, items: int, message: str) -> None:
    variances = Variances(dict.fromkeys((*GROUPINGS, RESIDUAL), 0.5))
    with pytest.raises(UsageError) as error:
        simulate(variances, [1, -1, -1, 1], 0.5, people, items, 10)
    assert str(error.value) == message


def table(some: list[PilotRating], shift: float = 0.0) -> str:
    rows = [
        f"{each.participant}\t{each.item}\t{each.condition[0]}\t{each.value + shift * (each.condition[0] == 'a')!r}"
        for each in some
    ]
    return "\n".join(["participant\titem\tstructure\trating", *rows, "p0\ti0\tNA\t3", "p0\ti1\tb\tNA"]) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    deviations = {"participants": 1.0, "items": 0.4, RESIDUAL: 0.8}
    (tmp_path / "pilot.tsv").write_text(table(trials(10, 8, 4, deviations), 2.0), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_pilot_is_read() -> None:
    """The contrast is the difference of the means of two conditions, turned so that it is not negative."""
    some = trials(10, 8, 4, {"participants": 1.0, "items": 0.4, RESIDUAL: 0.8})
    means = {c: fmean(each.value for each in some if each.condition == (c,)) for c in "ab"}
    for order in ("structure=a/b", "structure=b/a"):
        found = read_pilot("pilot.tsv", factors_of(order))
        assert found.contrast == pytest.approx(means["a"] + 2 - means["b"])
        assert found.signs == {("a",): 1, ("b",): -1}
    assert (found.participants, found.items, len(found.trials)) == (10, 8, 80)
    assert found.notes == ("rows left out because they have no rating: 1",)


@pytest.mark.usefixtures("folder")
def test_z_scores_are_over_all_ratings_of_a_person() -> None:
    """The filler of p0 counts for the mean and the deviation of p0 (n - 1), but is not a trial of the contrast."""
    raw, z = (read_pilot("pilot.tsv", factors_of("structure"), None, each) for each in (False, True))
    own = [each.value for each in raw.trials if each.participant == "p0"]
    values = [*own, 3.0]
    mean = fmean(values)
    deviation = sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    assert [e.value for e in z.trials if e.participant == "p0"] == pytest.approx([(v - mean) / deviation for v in own])


@pytest.mark.usefixtures("folder")
def test_pilots_that_say_too_little() -> None:
    with pytest.raises(UsageError, match="structure has 1 level: a\n"):
        read_pilot("pilot.tsv", factors_of("structure"), {"structure": "a"})
    with pytest.raises(DataError, match="only 1 participant"):
        read_pilot("pilot.tsv", factors_of("structure"), {"participant": "p1"})
    Path("bad.tsv").write_text("participant\titem\tcondition\trating\np\ti\ta\t2,5\n", encoding="utf-8")
    with pytest.raises(DataError, match=r'bad\.tsv:2:1: "2,5" is not a rating'):
        read_pilot("bad.tsv", ())
    some = [PilotRating(f"p{i}", f"i{i}", c, float(i)) for i, c in enumerate([("a", "x"), ("a", "y"), ("b", "y")])]
    with pytest.raises(DataError, match="no rating in b, x"):
        pilot_of(("s", "t"), tuple(some), "made")


def test_islands_as_published(data: Path) -> None:
    """Difference of differences of whether islands: 1.25, on z-scores within participant over all trials."""
    path = data / "accept" / "sprouse2016" / "islands.tsv"
    if not path.exists():
        pytest.skip("the ratings of islands are not there")
    where = {"dependency": "WH", "island": "whe"}
    found = read_pilot(str(path), factors_of("structure=non/isl,distance=lg/sh"), where, z_scores=True)
    assert round(found.contrast, 2) == 1.25
    assert found.signs[("non", "lg")] == 1
    assert (found.participants, found.items) == (55, 8)


def test_the_verb(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    numbat = Numbat(capsys, monkeypatch)
    asked = (
        "power",
        "pilot.tsv",
        "--factors",
        "structure",
        "--people",
        "4,8",
        "--items",
        "4",
        "--simulations",
        "50",
        "-q",
    )
    done = numbat(*asked, "--effect", "1")
    assert (done.code, done.err) == (0, "")
    lines = without_record(done.out).splitlines()
    assert lines[0] == "pilot: 10 participants, 8 items, 80 ratings"
    assert "effect to be found: 1" in lines
    assert [line.split()[:2] for line in lines if line.startswith(("4 ", "8 "))] == [["4", "4"], ["8", "4"]]
    found = json.loads(numbat(*asked, "-f", "json").out)
    assert found["schema"] == "numbat.power/1"
    assert found["effect"] == found["contrast"]["value"]
    assert numbat("power", "pilot.tsv", "--factors", "structure", "--people", "x").code == 2
