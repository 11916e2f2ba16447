"""`numbat contrast -i`: the differences within each minimal pair of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from numbat.acceptability.models import scorer
from numbat.acceptability.runs import run_suite
from numbat.acceptability.suite_files import read_suite
from numbat.experiments.contrasts import FileContrast, differences, in_order, pair_contrasts
from numbat.grammar.loading import parse_grammar
from numbat.parsing.parser import Parser
from tests.command_line import Numbat, without_record
from tests.test_design import GRAMMAR

AGREEMENT, DETERMINER, ORDER = "S: N ~> V [number]", "S: N => D", "S: D < N"
PAIRS = """pair	judgement	sentence	phenomenon
1	ok	the cat sleeps	agreement
1	*	the cats sleeps	agreement
2	ok	the dogs sleep	agreement
2	*	the dogs sleeps	agreement
3	ok	the dog sleeps	agreement
3	*	dog sleep	agreement
4	ok	the cat sleeps	agreement
4	*	cat the sleeps	agreement
5	ok	the cat sleeps	order
5	*	cat the sleeps	order
6	ok	the cat sleeps	order
6	*	the dog sleeps	order
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.pg").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def contrasts(text: str) -> dict[str, FileContrast]:
    Path("some.tsv").write_text(text, encoding="utf-8")
    suite, parser, score = read_suite("some.tsv"), Parser(parse_grammar(GRAMMAR)), scorer("cost")
    groups = pair_contrasts(suite, list(run_suite(suite, parser, score)), parser.grammar, score)
    return {each.name: each for _, each in in_order(groups)}


@pytest.mark.usefixtures("folder")
def test_a_pair_turns_on_what_most_of_its_phenomenon_do() -> None:
    found = contrasts(PAIRS)
    assert {name: each.verdict for name, each in found.items()} == {
        "4": "other",
        "6": "nothing",
        "3": "more",
        "1": "expected",
        "2": "expected",
        "5": "expected",
    }
    assert list(found)[:3] == ["4", "6", "3"]  # errors come first
    assert [tuple(each) for each in found["3"].differences] == [(DETERMINER, 1), (AGREEMENT, 1)]
    assert found["1"].contrast.one.value < found["1"].contrast.other.value  # A is the bad one


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("column", "said", "verdicts"),
    [
        ("property", "S: D < N", ["other", "other", "other", "expected", "expected", "nothing"]),
        ("property", "S: N => D; N ~> V [number]", ["expected"] * 3 + ["other"] * 2 + ["nothing"]),
        ("relation", "linearity", ["other", "other", "other", "expected", "expected", "nothing"]),
        ("relation", "dependency", ["expected", "expected", "more", "other", "other", "nothing"]),
    ],
)
def test_a_pair_turns_on_what_the_file_names(column: str, said: str, verdicts: list[str]) -> None:
    head, *rows = PAIRS.splitlines()
    lines = [f"{head}\t{column}", *(f"{row}\t{said if '*' in row else '-'}" for row in rows)]
    found = contrasts("\n".join(lines) + "\n")
    assert [found[str(number)].verdict for number in range(1, 7)] == verdicts


def test_differences_count_what_each_violates() -> None:
    parser = Parser(parse_grammar(GRAMMAR))
    one, other = parser.parse("cat dog sleep"), parser.parse("the cat sleeps")
    expected: dict[str, int] = {}
    for parse, sign in ((one, 1), (other, -1)):
        for each in parse.violated:
            name = f"S: {str(each.property).removeprefix('<S: ').removesuffix('>')}"
            expected[name] = expected.get(name, 0) + sign
    found = {each.name: each.number for each in differences(one, other)}
    assert sum(found.values()) == sum(expected.values()) > 2
    assert {each.name: -each.number for each in differences(other, one)} == found


@pytest.mark.usefixtures("folder")
def test_the_verb(numbat: Numbat) -> None:
    done = numbat("contrast", "-i", "pairs.tsv", "-g", "small.pg", "-q")
    assert (done.code, done.err) == (0, "")
    lines = without_record(done.out).splitlines()
    assert lines[:7] == [
        "6 pairs, A is bad: 3 differ in the usual difference of their phenomenon and nothing else",
        "1 differ in that and more, 1 in something else, 1 in no property of the grammar",
        "",
        "property              pairs  alone  phenomena",
        "+ S: N ~> V [number]  3      2      agreement",
        "+ S: D < N            2      2      agreement, order",
        "+ S: N => D           1      0      agreement",
    ]
    assert lines[lines.index("other 4 (agreement): + S: D < N") + 1] == "  A     -1  cat the sleeps"
    found = json.loads(numbat("contrast", "-i", "pairs.tsv", "-g", "small.pg", "-q", "-f", "json").out)
    assert found["schema"] == "numbat.contrasts/1"
    assert [pair["name"] for pair in found["pairs"]][:3] == ["4", "6", "3"]
    assert found["pairs"][0]["contrast"]["A"]["parse"]["tokens"] == ["cat", "the", "sleeps"]
    assert found["properties"][0] == {"property": AGREEMENT, "violated_more_by": "A", "pairs": 3, "alone": 2}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("the cat",), "contrast needs two sentences\n  give both in quotes, or a file of pairs: -i FILE\n"),
        (
            ("a", "b", "-i", "pairs.tsv"),
            "sentences and -i FILE exclude each other\n  give two sentences, or a file of pairs\n",
        ),
        (("a", "b", "--pairs"), "--pairs only applies to a file of pairs\n  add -i FILE, or leave it out\n"),
    ],
)
def test_what_does_not_go_together(numbat: Numbat, arguments: tuple[str, ...], message: str) -> None:
    done = numbat("contrast", *arguments)
    assert (done.code, done.err) == (2, f"numbat: {message}")


@pytest.mark.usefixtures("folder")
def test_a_file_without_pairs(numbat: Numbat) -> None:
    Path("none.tsv").write_text("judgement\tsentence\nok\tthe cat sleeps\n", encoding="utf-8")
    done = numbat("contrast", "-i", "none.tsv", "-g", "small.pg")
    assert done.code == 65
    assert done.err.startswith("numbat: none.tsv: no minimal pair\n")
