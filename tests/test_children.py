"""Processes that answer requests: those that meet a limit are ended, and nobody else notices.

The clock is moved by hand: a limit is met only when a test says so.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from numbat.errors import DataError
from numbat.runs import children
from numbat.runs.children import GRACE, IDLE, Asked, Children, DroppedError
from numbat.runs.pool import WorkerLimits
from tests.answering import HandClock, answering
from tests.waiting import until

SECONDS = 90.0
SILENCE = 1.3 * SECONDS + 5.0 + 1.0
"""More seconds than a process may take for a request."""


class World:
    """Processes with a clock and a folder of signs."""

    def __init__(self, folder: Path, memory: int | None = None, most: int = 4) -> None:
        self.folder, self.clock = folder, HandClock()
        limits = WorkerLimits(SECONDS, memory)
        self.children = Children(partial(answering, folder), limits, "ask for less", most, self.clock)

    def ask(self, call: str, given: str, client: str | None = None) -> Asked:
        return self.children.ask((call, given), client)

    def begun(self, call: str, given: str, client: str | None = None, times: int = 1) -> Asked:
        """Ask, and wait until a process works on it."""
        asked = self.ask(call, given, client)
        self.has_begun(given, times)
        return asked

    def has_begun(self, given: str, times: int = 1) -> None:
        """Wait until processes have begun to work on a request this number of times."""
        sign = self.folder / given
        until(lambda: sign.exists() and len(sign.read_text(encoding="utf-8").splitlines()) == times)

    def may_end(self, given: str) -> None:
        (self.folder / f"{given} may end").touch()

    def move(self, seconds: float) -> None:
        self.clock.move(seconds, self.children)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.children.close()


def is_gone(process: int) -> bool:
    """True if a process has ended and was waited for, so that it is no zombie."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_no_process_is_there_before_the_first_request_or_long_after_the_last(world: World) -> None:
    assert world.children.processes == []
    assert world.children._keeper is None
    number, process, _ = world.ask("say", "a").result()
    assert (number, world.children.processes) == (1, [process])
    world.move(IDLE - 1)
    assert world.ask("say", "b").result()[:2] == (2, process)
    world.move(IDLE + 1)
    until(lambda: is_gone(process))
    number, other, _ = world.ask("say", "c").result()
    assert (number, world.children.processes) == (1, [other])


def test_a_request_that_hangs_is_ended_and_others_are_answered_meanwhile(world: World) -> None:
    first = world.ask("say", "a", "page").result()[1]
    hung = world.begun("hang", "b", "page")
    number, second, _ = world.ask("say", "c", "other").result()
    assert (number, second != first) == (1, True)
    assert world.children.processes == [first, second]
    world.move(SILENCE)
    with pytest.raises(DataError, match=r"^the time limit of 90 seconds was reached\n  ask for less$"):
        hung.result()
    assert is_gone(first)
    assert world.ask("say", "d", "page").result()[:2] == (2, second)


def test_requests_of_a_process_that_was_ended_are_tried_again_one_by_one(world: World) -> None:
    waits = world.begun("wait", "waits", "page")
    hung = world.begun("hang", "hung", "page")
    later = world.ask("say", "later", "page")
    world.move(SILENCE)
    world.has_begun("waits", 2)
    assert [len(child.asked) for child in world.children._children] == [1]
    world.may_end("waits")
    assert waits.result()[0] == 1
    world.has_begun("hung", 2)
    world.move(SILENCE)
    with pytest.raises(DataError, match="time limit of 90 seconds"):
        hung.result()
    assert later.result()[0] == 1
    assert len(world.children.processes) == 1


def test_an_answer_gives_the_other_requests_of_its_process_the_full_time_again(world: World) -> None:
    waits = world.begun("wait", "waits", "page")
    world.move(SILENCE - 10)
    world.ask("say", "a", "page").result()
    world.move(SILENCE - 10)
    world.ask("say", "b", "page").result()
    world.may_end("waits")
    assert waits.result()[0] == 1


def test_a_replaced_request_may_end_by_itself_and_is_ended_if_it_does_not(world: World) -> None:
    waits = world.begun("wait", "waits", "page")
    world.children.replace(waits)
    number, first, is_superseded = waits.result()
    assert (number, is_superseded) == (1, True)
    hung = world.begun("hang", "hung", "page")
    newer = world.ask("say", "newer", "page")
    world.children.replace(hung)
    world.move(GRACE + 1)
    with pytest.raises(DroppedError):
        hung.result()
    number, second, _ = newer.result()
    assert (number, second != first) == (1, True)


def test_a_replaced_request_that_waits_is_never_begun(tmp_path: Path) -> None:
    world = World(tmp_path, most=1)
    alone = world.begun("wait", "alone", "page")
    alone.is_alone = True
    waits = world.ask("say", "waits", "page")
    world.children.replace(waits)
    with pytest.raises(DroppedError):
        waits.result()
    world.may_end("alone")
    alone.result()
    world.children.close()
    assert not (tmp_path / "waits").exists()


def test_more_memory_than_allowed_ends_the_process_and_says_so(tmp_path: Path) -> None:
    world = World(tmp_path, memory=4_096)
    first = world.ask("say", "a").result()[1]
    with pytest.raises(DataError, match=r"^this needs more than 4,096 MiB of memory\n  ask for less$"):
        world.ask("fill", "b").result()
    until(lambda: is_gone(first))
    assert world.ask("say", "c").result()[0] == 1
    world.children.close()


@pytest.mark.parametrize(("number", "ended"), [(signal.SIGKILL, "signal SIGKILL"), (None, "exit code 7")])
def test_a_process_that_ends_by_itself_is_replaced(world: World, number: signal.Signals | None, ended: str) -> None:
    """The system ends one too, for the memory of all processes together."""
    first = world.ask("say", "a").result()[1]
    if number is None:
        asked = world.ask("crash", "b")
    else:
        asked = world.begun("wait", "b")
        os.kill(first, number)
    with pytest.raises(DataError, match=rf"^the process that worked on this ended: {ended}\n  ask for less$"):
        asked.result()
    assert world.ask("say", "c").result()[0] == 1


def test_an_error_that_nobody_expected_is_an_answer(world: World) -> None:
    with pytest.raises(DataError, match=r"^Numbat has a bug: ValueError: a$"):
        world.ask("err", "a").result()
    assert world.ask("say", "b").result()[0] == 2


def test_a_request_is_refused_if_no_process_can_be_started(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(children, "AnsweringChild", _cannot_start)
        with pytest.raises(DataError, match=r"^no process can be started: too many\n  end other programs first$"):
            world.ask("say", "a").result()
    assert world.ask("say", "b").result()[0] == 1


def _cannot_start(*given: object) -> None:
    raise OSError(11, "too many")


def test_clients_share_a_process_only_if_there_are_many(tmp_path: Path) -> None:
    world = World(tmp_path, most=2)
    ahead = world.begun("wait", "ahead")
    one = world.begun("wait", "one", "page")
    assert len(world.children.processes) == 1, "what is read ahead is for the first page"
    other = world.begun("wait", "other", "other page")
    assert len(world.children.processes) == 2
    third = world.begun("wait", "third", "third page")
    assert sorted(len(child.asked) for child in world.children._children) == [2, 2]
    for name in ("ahead", "one", "other", "third"):
        world.may_end(name)
    assert [asked.result()[0] for asked in (ahead, one, other, third)] == [1, 2, 1, 2]
    world.children.close()


def test_at_the_end_no_process_is_left_and_nobody_waits(world: World) -> None:
    hung = world.begun("hang", "a", "page")
    waits = world.ask("say", "b", "page")
    (process,) = world.children.processes
    world.children.close()
    assert is_gone(process)
    for asked in (hung, waits, world.ask("say", "c")):
        with pytest.raises(DataError, match=r"^the server was ended\n  start it again$"):
            asked.result()
