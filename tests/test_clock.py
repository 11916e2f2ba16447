"""The clock of a command: work beyond the time limit is ended anywhere, and nothing else is."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count, islice
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from numbat import DataError, clock
from numbat.cli.main import cli, main
from numbat.cli.options import VERBS
from numbat.cli.printing import UNLIMITED
from numbat.runs.loop import BatchRun, Executor, Failure, Success, in_this_process
from numbat.runs.pool import Pool

AT_ONCE = 1e-6


@pytest.fixture(autouse=True)
def _no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "GRACE", 0.0)
    monkeypatch.setattr(clock, "AGAIN", 0.01)


def forever() -> None:
    for _ in count():
        pass


class Hand:
    """The time of all clocks, which a test sets; timers ring independently of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = self._asked = 0.0
        is_up = clock.Clock._is_up

        def asked(limit: clock.Clock) -> bool:
            self._asked += 1
            return is_up(limit)

        monkeypatch.setattr(clock, "monotonic", lambda: self._now)
        monkeypatch.setattr(clock.Clock, "_is_up", asked)

    def move(self) -> None:
        """An hour passes, and clocks are asked."""
        self._now += 3600
        before = self._asked
        while self._asked < before + 2:
            pass

    def move_for_ever(self) -> None:
        """Work without end that takes its time."""
        self.move()
        forever()


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    return Hand(monkeypatch)


def test_a_long_search_has_long_to_choose_the_best_of_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "GRACE", 0.3)
    now = 0.0
    monkeypatch.setattr(clock, "monotonic", lambda: now)
    for seconds, until in ((0.5, 0.8), (1.0, 1.3), (40.0, 52.0)):
        now = 0.0
        limit = clock.Clock(seconds)
        limit.start()
        now = until - 0.01
        limit.ask()
        now = until + 0.01
        with pytest.raises(clock.OutOfTime):
            limit.ask()
        limit.stop()


def in_thread(work: Callable[[], None]) -> None:
    """Do work in another thread, and raise here what it raises there."""
    raised: list[BaseException] = []

    def worked() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=worked)
    thread.start()
    thread.join()
    for error in raised:
        raise error


def at_once(work: Callable[[], None]) -> None:
    work()


@pytest.mark.parametrize("where", [at_once, in_thread])
def test_work_without_end_is_ended_and_what_it_catches_does_not_matter(where: Callable[[Any], None]) -> None:
    def work() -> None:
        with clock.limited(AT_ONCE):
            while True:
                try:
                    forever()
                except Exception:
                    pytest.fail("no error of the work")

    with pytest.raises(DataError) as caught:
        where(work)
    assert str(caught.value) == (
        "the time limit of 1e-06 seconds was reached\n  give more time with --max-seconds, or less input at once"
    )


@pytest.mark.parametrize("where", [at_once, in_thread])
def test_work_that_ends_in_time_leaves_nothing_behind(where: Callable[[Any], None]) -> None:
    before = signal.getsignal(signal.SIGALRM)

    def work() -> None:
        with clock.limited(100):
            assert clock.running() is not None
        assert clock.running() is None

    where(work)
    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)) == (before, (0, 0))


def test_without_a_limit_there_is_no_clock() -> None:
    with clock.limited(None):
        assert clock.running() is None


@pytest.mark.parametrize("where", [at_once, in_thread])
def test_what_is_held_is_done_whole_and_ended_then(where: Callable[[Any], None], hand: Hand) -> None:
    written = []

    def write() -> None:
        with clock.limited(AT_ONCE):
            clock.hold(True)
            hand.move()
            written.append("end")
            clock.hold(False)
            forever()

    with pytest.raises(DataError):
        where(write)
    assert written == ["end"]


def test_a_process_is_started_whole(monkeypatch: pytest.MonkeyPatch, hand: Hand, forking: None) -> None:
    """Modules release their locks at a fork, where an error would be swallowed and the work would continue."""
    started = []

    def start(process: BaseProcess) -> None:
        hand.move()
        started.append(process)
        really_start(process)

    really_start = BaseProcess.start
    monkeypatch.setattr(BaseProcess, "start", start)
    with pytest.raises(DataError), clock.limited(AT_ONCE, is_of_all=True):
        list(BatchRun(lambda given: given.id, (Given() for _ in range(9)), executor=Pool(1)))
    assert len(started) == 1


@pytest.mark.parametrize("where", [at_once, in_thread])
def test_a_clock_stands_while_another_one_runs_and_while_it_waits(where: Callable[[Any], None], hand: Hand) -> None:
    def work() -> None:
        with clock.limited(AT_ONCE):
            with clock.waiting():
                hand.move()
                with pytest.raises(DataError), clock.limited(AT_ONCE):
                    hand.move_for_ever()
                hand.move()
            done.append("waited")
            hand.move_for_ever()

    done: list[str] = []
    with pytest.raises(DataError):
        where(work)
    assert done == ["waited"]


class Given:
    id = "1"


def test_a_piece_of_work_without_end_is_lost_and_the_others_are_done(hand: Hand) -> None:
    def job(given: Given) -> str:
        if given.id == "2":
            hand.move_for_ever()
        return given.id

    def inputs() -> Iterator[Given]:
        for number in islice(count(1), 3):
            given = Given()
            given.id = str(number)
            yield given

    with clock.limited(0.05):
        records = list(BatchRun(job, inputs()))
    assert [type(record) for record in records] == [Success, Failure, Success]
    assert isinstance(records[1], Failure)
    assert records[1].reason.startswith("the time limit of 0.05 seconds was reached\n")


@pytest.mark.parametrize("executor", [in_this_process, Pool(2)])
def test_the_time_of_all_work_is_not_given_again_to_its_pieces(executor: Executor, forking: None) -> None:
    run = BatchRun(lambda given: forever(), (Given() for _ in range(3)), executor=executor)
    with pytest.raises(DataError) as caught, clock.limited(0.05, is_of_all=True):
        list(run)
    assert str(caught.value).startswith("the time limit of 0.05 seconds was reached\n")
    assert run.failures == 0


def test_an_alarm_while_the_block_is_left_ends_nothing_else() -> None:
    """Nothing is raised between the end of the block and that of its clock, because the clock would go on running."""
    limit, entered = clock.Clock(0), []
    limit._is_on = True

    def met(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name in ("__exit__", "limited", "stop"):
            limit._alarm(signal.SIGALRM, frame)
            entered.append(frame.f_code.co_name)

    sys.setprofile(met)
    try:
        with clock.limited(60):
            pass
    finally:
        sys.setprofile(None)
    assert entered == ["limited", "__exit__", "limited", "stop"]
    with pytest.raises(clock.OutOfTime):
        limit._alarm(signal.SIGALRM, sys._getframe())


def test_every_verb_with_work_has_the_option() -> None:
    context = cli.make_context("numbat", ["doctor"])
    found = set()
    for name in VERBS:
        first, *rest = name.split()
        command: Any = cli.get_command(context, first)
        command = command.get_command(context, rest[0]) if rest else command
        if any("--max-seconds" in param.opts for param in command.get_params(context)):
            found.add(name)
    assert found == VERBS.keys() - set(UNLIMITED)


def test_reading_a_grammar_asks_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "".join(f"    w{i}: A\n" for i in range(30_000))
    grammar = tmp_path / "g.pg"
    grammar.write_text(f"grammar: g\nleaves: A\nS:\n    oblig A\n    uniq A\nlexicon:\n{words}", encoding="utf-8")
    for verb in (["check", str(grammar)], ["parse", "-g", str(grammar), "w1"], ["show", str(grammar)]):
        monkeypatch.setattr("sys.argv", ["numbat", *verb, "--max-seconds", "0.001"])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 65
        assert capsys.readouterr().err == (
            "numbat: the time limit of 0.001 seconds was reached\n"
            "  give more time with --max-seconds, or less input at once\n"
        )
