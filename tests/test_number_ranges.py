"""Numbers have ranges, which options, queries, requests, records and Python share."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click
import pytest

from numbat import Limits
from numbat.acceptability.summary import scale_of
from numbat.cli.main import cli
from numbat.errors import UsageError
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.settings import (
    MOST_NUMBER,
    MOST_SECONDS,
    MOST_WHOLE,
    Range,
    in_range,
    range_of,
    record_of,
    setting,
    settings_of,
)
from numbat.treebanks.reading import read_treebank
from numbat.workbench.corpus_page import answer
from numbat.workbench.facade import Facade
from tests.command_line import Numbat
from tests.test_verb_settings import every_verb

GRAMMAR = "leaves: A\nroots: S\nS:\n    oblig A\nlexicon:\n    b: A\n"
BEYOND = str(2**63)


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    run = Numbat(capsys, monkeypatch)
    assert run("parse", "-g", "g.pg", "b", "b b", "-f", "store", "-o", "s.db").code == 0
    return run


def test_every_number_of_every_verb_has_a_least_and_a_most() -> None:
    without = []
    for name, command in every_verb(cli):
        for param in command.get_params(click.Context(command)):
            kind = param.type
            is_number = isinstance(kind, click.types.IntParamType | click.types.FloatParamType)
            ends = (getattr(kind, "min", None), getattr(kind, "max", None))
            if is_number and not param.is_flag and not all(end is not None and math.isfinite(end) for end in ends):  # type: ignore[attr-defined]
                without.append(f"{name} {param.opts[-1]}")
    assert without == []


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--max-seconds", "nan", "nan is not a number."),
        ("--max-seconds", "inf", "inf is not in the range 0<x<=1000000."),
        ("--max-seconds", "1e20", "1e+20 is not in the range 0<x<=1000000."),
        ("--max-seconds", "0", "0.0 is not in the range 0<x<=1000000."),
        ("-n", BEYOND, f"{BEYOND} is not in the range 1<=x<=2000000000."),
        ("--context", BEYOND, f"{BEYOND} is not in the range 0<=x<=10000."),
        ("--sample", BEYOND, f"{BEYOND} is not in the range 1<=x<=2000000000."),
        ("--run", BEYOND, f"{BEYOND} is not in the range 1<=x<=2000000000."),
    ],
)
def test_an_option_beyond_its_range(numbat: Numbat, option: str, value: str, why: str) -> None:
    done = numbat("query", "s.db", "S", option, value)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"Error: Invalid value for '{option}': {why}\n")


@pytest.mark.parametrize("verb", [("check", "g.pg"), ("parse", "-g", "g.pg", "b"), ("show", "english"), ("generate",)])
def test_a_time_beyond_all_timers(numbat: Numbat, verb: tuple[str, ...]) -> None:
    done = numbat(*verb, "--max-seconds", "1e20")
    assert done.code == 2
    assert done.err.endswith("Invalid value for '--max-seconds': 1e+20 is not in the range 0<x<=1000000.\n")


def test_the_greatest_numbers_work(numbat: Numbat) -> None:
    most, seconds = str(MOST_WHOLE), str(MOST_SECONDS)
    query = numbat("query", "s.db", "S", "-n", most, "--context", "10000", "--max-seconds", seconds)
    assert (query.code, query.out.split()) == (0, ["1", "[b]", "2", "[b", "b]"])
    limits = ("--max-items", most, "--max-states", most, "--max-seconds", seconds)
    parse = numbat("parse", "-g", "g.pg", "b", "-n", most, *limits, "-f", "bracket")
    assert (parse.code, parse.out) == (0, "(S (A b))\n(A b)\n")
    assert numbat("parse", "-g", "g.pg", "b", "--within", str(MOST_NUMBER)).code == 0
    Path("many.txt").write_text("b\n" * 3, encoding="utf-8")
    many = ("parse", "-g", "g.pg", "-i", "many.txt", "-j", "2", "--kill-after", seconds, "--max-memory", most)
    assert numbat(*many, "-f", "bracket").out == "(S (A b))\n" * 3


def test_a_number_of_a_query_beyond_its_range(numbat: Numbat) -> None:
    for number, shown in (("1e400", "1e400"), ("-1e10", "-1e10"), ("9" * 5000, None)):
        done = numbat("query", "s.db", f"S and cost > {number}")
        assert done.code == 65
        if shown is not None:
            assert done.err == (
                f'<query>:1:14: "{shown}" is not a number from -1,000,000,000 to 1,000,000,000\n'
                f"    S and cost > {number}\n{' ' * 17}{'^' * len(number)}\n  no measure is beyond this range\n"
            )
    for within in ("length > .5", "cost < 1e9", "cost > -1e9"):
        assert numbat("query", "s.db", within, "--count").code == 0


GIVEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "n": ("parse", {"sentence": "b", "n": 10**30}, "a whole number from 1 to 100"),
    "rank": ("tree", {"sentence": "b", "rank": 0}, "a whole number from 1 to 100"),
    "edits": ("repair", {"sentence": "b", "edits": 3}, "a whole number from 1 to 2"),
    "most": ("repair", {"sentence": "b", "most": 51}, "a whole number from 1 to 50"),
    "number": ("generate", {"number": 2**63}, "a whole number from 1 to 1,000"),
    "seed": ("generate", {"seed": -1}, "a whole number from 0 to 2,000,000,000"),
}


@pytest.mark.parametrize("name", GIVEN)
def test_a_number_of_a_request_beyond_its_range(name: str) -> None:
    call, given, wanted = GIVEN[name]
    error = ask(call, given)["error"]
    assert (error["kind"], error["message"]) == (
        "usage",
        f"request.given.{name} is not {wanted}".replace("request.", ""),
    )
    assert error["hint"] == f"give {wanted}"


def ask(call: str, given: dict[str, Any], **settings: Any) -> dict[str, Any]:
    grammar = {"main": "g.pg", "files": {"g.pg": GRAMMAR}}
    request = {"call": call, "grammar": grammar, "given": given, "settings": settings}
    answered: dict[str, Any] = json.loads(Facade().answer_text(json.dumps(request)))
    return answered


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("seconds", 0, "a number above 0 to 60"),
        ("seconds", 1e300, "a number above 0 to 60"),
        ("fragment_cost", 1e10, "a number from -1,000,000,000 to 1,000,000,000"),
    ],
)
def test_a_setting_of_a_request_beyond_its_range(name: str, value: float, wanted: str) -> None:
    error = ask("parse", {"sentence": "b"}, **{name: value})["error"]
    assert (error["message"], error["hint"]) == (f"request.settings.{name} is not {wanted}", f"give {wanted}")


@pytest.mark.parametrize("number", [10**30, 0, -1])
def test_a_sentence_of_a_store_beyond_all(numbat: Numbat, number: int) -> None:
    with pytest.raises(UsageError) as caught:
        answer("s.db", None, {"call": "tree", "sentence": number})
    wanted = "a whole number from 1 to 2,000,000,000"
    assert str(caught.value) == f"request.sentence is not {wanted}\n  give {wanted}"
    with pytest.raises(UsageError, match=r"^request\.sentence is not a whole number\n"):
        answer("s.db", None, {"call": "tree", "sentence": True})


@frozen
class Stored:
    """A record in a file, with an option's setting and a number without one."""

    size: int = setting(5, "--size", "A size.", least=1, most=9)
    share: float | None = in_range(None, Range(0, 1, is_open=True))


def test_a_number_of_a_record_beyond_its_range() -> None:
    assert record_of(Stored, {"size": 9, "share": 1}, "it") == Stored(9, 1)
    assert record_of(Stored, {"share": None}, "it") == Stored()
    for value, why in (
        ({"size": 10}, "it.size is not a whole number from 1 to 9"),
        ({"share": 0}, "it.share is not a number above 0 to 1"),
        ({"share": float("nan")}, "it.share is not a number"),
    ):
        with pytest.raises(UsageError) as caught:
            record_of(Stored, value, "it")
        assert str(caught.value).partition("\n")[0] == why


def test_limits_in_python() -> None:
    with pytest.raises(UsageError) as caught:
        Limits(seconds=1e20)
    assert str(caught.value) == "the limit of seconds must be a number above 0 to 1,000,000\n  None is no limit"
    with pytest.raises(UsageError) as caught:
        Limits(items=2**63)
    wanted = "a whole number from 1 to 2,000,000,000"
    assert str(caught.value) == f"the limit of items must be {wanted}\n  None is no limit"


def test_defaults_are_in_their_ranges() -> None:
    for item in settings_of(ParserSettings()):
        within = range_of(item)
        default: Any = item.default
        assert within is None or default is None or within.has(default)


@pytest.mark.parametrize("text", ["1-inf", "1-1e400", "-inf:7", "nan:7", "1-1e10"])
def test_a_scale_beyond_all(text: str) -> None:
    with pytest.raises(UsageError, match="is not a scale"):
        scale_of(text)


def test_a_version_of_thousands_of_digits(tmp_path: Path) -> None:
    path = tmp_path / "c.export"
    path.write_text(
        f"#FORMAT {'9' * 5000}\n#BOS 1\nThe\tthe\tD\t--\t--\t500\n#500\t--\tNP\t--\t--\t0\n#EOS 1\n", encoding="utf-8"
    )
    assert [str(tree) for tree in read_treebank(str(path))] != []
