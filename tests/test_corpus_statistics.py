"""Statistics of the properties of a store: counts compared with a recount, intervals, differences between parts."""

from __future__ import annotations

import csv
import io
import json
from math import log, sqrt
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
