"""Statistics of the properties of a store: counts compared with a recount, intervals, differences between parts."""

from __future__ import annotations

import csv
import io
import json
from math import exp, log, sqrt
from pathlib import Path

import pytest

from numbat.corpus import Store
from numbat.corpus.statistics import statistics
from numbat.errors import UsageError
from numbat.grammar.properties import UNIT
from tests.command_line import Numbat
from tests.corpora import sentences, write_store


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("statistics") / "corpus.db"
    write_store(path, sentences())
    return path


def test_counts_are_those_of_the_parses(path: Path) -> None:
    with Store(path) as store:
        found = statistics(store, "genre")
    evaluated: dict[int, int] = {}
    violated: dict[int, int] = {}
    for each in sentences():
        for instance in each.parse.evaluated:
            number = each.parse.number_of(instance.property)
            evaluated[number] = evaluated.get(number, 0) + 1
            if not instance.satisfied:
                violated[number] = violated.get(number, 0) + 1
    assert {each.number: each.evaluated for each in found.properties if each.evaluated} == evaluated
    assert {each.number: each.violated for each in found.properties if each.violated} == violated
    assert found.violation_cost == pytest.approx(sum(each.parse.violation_cost_units for each in sentences()) / UNIT)
    assert found.parts == {"": 3, "a": 3, "b": 2, "c": 2}
    for prop in found.properties:
        assert prop.share.low <= prop.share.value <= prop.share.high
        assert prop.evaluated == 0 or prop.share.value == prop.violated / prop.evaluated
        assert all(prop.number in numbers_violated(number) for number in prop.examples)


def numbers_violated(sentence: int) -> set[int]:
    parse = sentences()[sentence - 1].parse
    return {parse.number_of(each.property) for each in parse.violated}


def test_log_odds_are_those_of_the_formula(path: Path) -> None:
    with Store(path) as store:
        found = statistics(store, "genre")
    violated = {each.number: each.violated for each in found.properties if each.violated}
    total, parts = sum(violated.values()), len(found.parts)
    each = next(each for each in found.distinctions if each.violated and each.elsewhere)
    here = sum(other.violated for other in found.distinctions if other.part == each.part)
    alpha, prior = violated[each.property.number] / parts, total / parts
    odds = log((each.violated + alpha) / (here + prior - each.violated - alpha))
    rest = log((each.elsewhere + alpha) / (total - here + prior - each.elsewhere - alpha))
    assert each.log_odds == pytest.approx(odds - rest)
    assert each.z == pytest.approx((odds - rest) / sqrt(1 / (each.violated + alpha) + 1 / (each.elsewhere + alpha)))


def test_what_a_violation_tells_has_the_interval_of_katz(path: Path) -> None:
    with Store(path) as store:
        found = statistics(store, "genre", wrong="a")
        with pytest.raises(
            UsageError, match=r"needs sentences with this value and others\n  the values are: \(none\), a, b, c"
        ):
            statistics(store, "genre", wrong="x")
        with pytest.raises(UsageError, match="needs sentences with this value and others\n  the values are: x"):
            statistics(store, "file", wrong="x")
    genres = [each.known.get("genre") for each in sentences()]
    for each in found.evidence:
        violated_in = [genre for at, genre in enumerate(genres, 1) if each.property.number in numbers_violated(at)]
        assert (each.wrong, each.other) == (violated_in.count("a"), violated_in.count("b") + violated_in.count("c"))
        inside, outside = each.wrong + 0.5, each.other + 0.5
        ratio, error = log(inside / 3.5 / (outside / 4.5)), sqrt(1 / inside - 1 / 3.5 + 1 / outside - 1 / 4.5)
        ends = ratio, ratio - 1.96 * error, ratio + 1.96 * error
        assert each.log_ratio == pytest.approx(ends, abs=0.001)
        assert each.precision == pytest.approx(tuple(1 / (1 + exp(-end)) for end in ends), abs=0.001)
    assert len(found.evidence) > 2
    assert [*found.evidence] == sorted(found.evidence, key=lambda each: each.log_ratio.high)


def test_the_command_line(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    numbat = Numbat(capsys, monkeypatch)
    text = numbat("statistics", str(path), "--by", "genre", "-q").out
    assert text.startswith("10 sentences, 32 words; ")
    rows = list(csv.DictReader(io.StringIO(numbat("statistics", str(path), "-f", "csv", "-q").out)))
    with Store(path) as store:
        found = statistics(store)
        assert [int(row["violated"]) for row in rows] == [each.violated for each in found.properties]
        value = json.loads(numbat("statistics", str(path), "-f", "json", "-q").out)
        assert value["sentences"] == found.sentences
        page = numbat("statistics", str(path), "--by", "genre", "-f", "html", "-q").out
        assert page.count("<tbody>") == sum(1 for each in found.properties if each.evaluated)
        text = numbat("statistics", str(path), "--by", "genre", "--wrong", "a", "-n", "2", "-q").out
        assert "3 wrong sentences (genre a) and 4 others: what a violation tells, those that tell least first" in text
        value = json.loads(numbat("statistics", str(path), "--by", "genre", "--wrong", "a", "-f", "json", "-q").out)
        assert value["wrong"] == "a"
        assert {*value["evidence"][0]} == {"number", "wrong", "other", "precision", "log_ratio"}
        table = numbat("statistics", str(path), "--by", "genre", "--wrong", "a", "-f", "csv", "-q").out
        for row, count in zip(csv.DictReader(io.StringIO(table)), value["properties"], strict=True):
            (one,) = [one for one in value["evidence"] if one["number"] == count["number"]] or [None]
            assert row["in_wrong"] == ("" if one is None else str(one["wrong"]))
            assert one is None or float(row["precision_low"]) == pytest.approx(one["precision"]["low"], abs=1e-5)
        page = numbat("statistics", str(path), "--by", "genre", "--wrong", "a", "-f", "html", "-q").out
        assert '<button type="button">precision</button>' in page
        assert "Wrong are those with genre a." in page
        assert "--wrong needs the key of the value" in numbat("statistics", str(path), "--wrong", "a", "-q").err
        with pytest.raises(UsageError, match='no sentence has metadata under "x"'):
            statistics(store, "x")


def test_coverage_of_a_store(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Numbat(capsys, monkeypatch)("coverage", str(path), "-q").out.splitlines()
    numbers: set[int] = set()
    for each in sentences():
        numbers |= {each.parse.number_of(instance.property) for instance in each.parse.evaluated}
    assert f"{len(numbers)} evaluated, " in lines[0]
    never = lines[lines.index("") + 2 : lines.index("", lines.index("") + 1)]
    assert len(never) == 119 - len(numbers)
