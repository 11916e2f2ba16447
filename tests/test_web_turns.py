"""Requests take turns: a long one gives way to those that wait, and reading ahead ends as soon as one waits."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from numbat.grammar import line_parser
from numbat.workbench.facade import Facade
from numbat.workbench.session import Turns

TINY = (Path(__file__).parent / "web_cases" / "tiny.pg").read_text(encoding="utf-8")


def begun(turns: Turns, name: str, told: list[str], goes_on: Event) -> Thread:
    """Start a request that works until the test lets it continue, and then gives way once."""

    def work() -> None:
        with turns.turn():
            told.append(f"{name} begins")
            goes_on.wait()
            turns.give_way()
            told.append(f"{name} ends")

    thread = Thread(target=work)
    thread.start()
    return thread


def waits(turns: Turns, number: int) -> None:
    while len(turns._waiting) < number:
        Event().wait(0.001)


def test_a_request_at_work_gives_way_to_those_that_wait_in_their_order() -> None:
    told: list[str] = []
    turns, first, free = Turns(), Event(), Event()
    free.set()
    threads = [begun(turns, "long", told, first)]
    while not told:
        Event().wait(0.001)
    for number, name in enumerate(("one", "two"), start=1):
        threads.append(begun(turns, name, told, free))
        waits(turns, number)
    assert turns.is_waited_for
    first.set()
    for thread in threads:
        thread.join()
    assert told == ["long begins", "one begins", "two begins", "long ends", "one ends", "two ends"]
    assert not turns.is_waited_for


def test_reading_ahead_ends_when_another_request_waits_and_what_was_read_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    facade = Facade()
    grammar = {"main": "tiny.pg", "files": {"tiny.pg": TINY}}
    ready = {"call": "ready", "grammar": grammar}
    options = iter([False, False, True])
    with monkeypatch.context() as patched:
        patched.setattr(Turns, "is_waited_for", property(lambda turns: next(options)))
        assert facade.answer(ready)["superseded"] is True
    parsed: list[str] = []
    tree_of = line_parser.tree_of

    def parsing(text: str, start: str) -> Any:
        parsed.append(text)
        return tree_of(text, start)

    monkeypatch.setattr(line_parser, "tree_of", parsing)
    assert facade.answer(ready)["answer"] == {}
    lines = [line for line in TINY.split("\n") if line.strip() and not line.startswith("#")]
    assert 0 < len(parsed) < len(lines)
    parsed.clear()
    edited = {**grammar, "files": {"tiny.pg": TINY.replace("uniq V", "oblig V")}}
    facade.answer({"call": "sentences", "grammar": edited, "given": {"sentences": ["the cat sleeps"]}})
    assert parsed == ["oblig V"]
