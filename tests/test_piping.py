"""Many texts from Python: parses in order, errors as values, columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from numbat.errors import DataError, MissingExtraError, UsageError
from numbat.grammar.loading import parse_grammar
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.runs.piping import Pipe
from numbat.runs.pool import WorkerLimits
from tests.noun_phrases import GRAMMAR
from tests.pool_time import PoolTime

PARSER = Parser(parse_grammar(GRAMMAR))
TEXTS = ["the cat", "cat the", "", "the odd cat ."] * 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_parses_are_those_of_the_parser_in_order(jobs: int) -> None:
    piped = list(PARSER.pipe(TEXTS, jobs=jobs))
    assert [(each.id, each.text) for each in piped] == list(enumerate(TEXTS, start=1))
    assert [each.parse for each in piped] == [PARSER.parse(text) for text in TEXTS]
    assert [each.parse.explain() for each in piped if each.parse] == [PARSER.parse(text).explain() for text in TEXTS]


def test_texts_are_taken_as_parses_are_asked_for() -> None:
    taken = []

    def texts() -> Iterator[str]:
        for text in TEXTS:
            taken.append(text)
            yield text

    pipe = iter(PARSER.pipe(texts()))
    assert taken == []
    next(pipe)
    assert taken == TEXTS[:1]


class Sleepy:
    """A parser that falls asleep over some texts."""

    grammar = PARSER.grammar

    def __init__(self, sleep: Callable[[], None]) -> None:
        self._sleep = sleep

    def parse(self, text: str) -> Parse:
        if text == "zzz":
            self._sleep()
        if text == "odd":
            raise DataError("this is odd")
        return PARSER.parse(text)


def test_errors_are_values(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forking: None) -> None:
    parser = cast("SentenceParser", Sleepy(PoolTime(monkeypatch, tmp_path).hang))
    pipe = Pipe(parser, ["the cat", "zzz", "odd", "cat"], 2, WorkerLimits(seconds=600))
    first, lost, odd, last = pipe
    assert (first.parse, last.parse) == (PARSER.parse("the cat"), PARSER.parse("cat"))
    assert (lost.parse, odd.parse, odd.error) == (None, None, "this is odd")
    assert lost.error == "its process ended twice: more than 600 seconds"
    assert lost.row() == (2, "zzz", *(None,) * 12, lost.error)


def test_columns_have_a_cell_for_each_text() -> None:
    columns = PARSER.pipe(["the cat", "cat the"]).to_columns()
    assert {name: column for name, column in columns.items() if name != "text"} == {
        "id": [1, 2], "full": [True, True], "well_formed": [True, False], "cost": [0.0, 1.0],
        "violation_cost": [0.0, 1.0], "fragment_cost": [0.0, 0.0], "weight": [2.0, 1.0], "fragments": [1, 1],
        "satisfied": [2, 1], "violated": [0, 1], "unknown": [0, 0], "trees": [1, 1], "stopped_by": [None, None],
        "error": [None, None],
    }  # fmt: skip


def test_what_makes_no_sense_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="pipe takes many texts, not one"):
        PARSER.pipe("the cat")
    with pytest.raises(UsageError, match="jobs must be 1 or more, found 0"):
        PARSER.pipe([], jobs=0)
    with pytest.raises(UsageError, match="pipe takes texts, found 7 as number 2"):
        list(PARSER.pipe(["cat", 7]))  # type: ignore[list-item]
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="a frame needs pandas"):
        PARSER.pipe(["cat"]).to_frame()
