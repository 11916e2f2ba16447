"""The loop over many inputs: records in order, failures as values, a clock for all, interrupts; and the jobs."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

from numbat.acceptability.models import scorer
from numbat.acceptability.runs import ScoreJob, run_suite
from numbat.acceptability.suite import Item, Suite
from numbat.authoring.permissiveness import plain_costs, tagged_costs
from numbat.errors import DataError
from numbat.grammar.loading import parse_grammar
from numbat.labels.guesser import ReadingWithTagger
from numbat.languages import held_out
from numbat.learning.preferences import learn_preferences
from numbat.learning.settings import PreferenceSettings
from numbat.parses.job import ParseJob
from numbat.parses.sentences import sentences_of
from numbat.parses.verbs import parse_sentences
from numbat.parsing.parser import Parser
from numbat.runs.loop import BatchRun, Executor, Failure, Input, Interrupts, Job, Record, Success, Value, attempt
from tests.noun_phrases import GRAMMAR


@dataclass(frozen=True)
class Number:
    """An input."""

    id: str
    value: int


def numbers(end: int) -> list[Number]:
    return [Number(f"n{value}", value) for value in range(end)]


def halved(number: Number) -> int:
    if number.value % 2:
        raise DataError(f"{number.value} is odd")
    return number.value // 2


def ticking(after: int) -> Callable[[], bool]:
    """Return a clock whose time is up after some calls."""
    ticks = count(1)
    return lambda: next(ticks) > after


def test_records_come_in_the_order_of_the_inputs_and_failures_are_among_them() -> None:
    unread = DataError("file:3: not UTF-8")
    run = BatchRun(halved, [*numbers(3), unread, Number("last", 8)])
    first, odd, third, bad, last = run
    assert [first, third, last] == [Success("n0", 0), Success("n2", 1), Success("last", 4)]
    assert isinstance(odd, Failure)
    assert (odd.id, odd.reason, str(odd.as_error())) == ("n1", "1 is odd", "1 is odd")
    assert bad == Failure("", "file:3: not UTF-8", unread)
    assert (run.successes, run.failures, run.stopped_by) == (3, 2, None)


def test_an_input_is_read_when_its_record_is_asked_for() -> None:
    asked: list[int] = []

    def source() -> Iterator[Number]:
        for number in numbers(9):
            asked.append(number.value)
            yield number

    records = iter(BatchRun(halved, source()))
    assert asked == []
    next(records)
    assert asked == [0]
    next(records)
    assert asked == [0, 1]


def test_when_the_time_is_up_no_further_input_is_taken() -> None:
    run = BatchRun(halved, numbers(9), overdue=ticking(after=3))
    assert [record.id for record in run] == ["n0", "n1", "n2"]
    assert run.stopped_by == "seconds"


def test_a_clock_that_runs_out_behind_the_last_input_stops_nothing() -> None:
    run = BatchRun(halved, numbers(3), overdue=ticking(after=3))
    assert len(list(run)) == 3
    assert run.stopped_by is None


def test_an_interrupt_in_a_job_ends_the_run_and_keeps_what_was_made() -> None:
    def job(number: Number) -> int:
        if number.value == 2:
            raise KeyboardInterrupt
        return number.value

    run = BatchRun(job, numbers(9))
    assert list(run) == [Success("n0", 0), Success("n1", 1)]
    assert (run.stopped_by, run.is_interrupted) == ("interrupt", True)


def test_an_interrupt_while_an_input_is_waited_for() -> None:
    def typed() -> Iterator[Number]:
        yield Number("n0", 0)
        raise KeyboardInterrupt

    run = BatchRun(halved, typed())
    assert list(run) == [Success("n0", 0)]
    assert run.is_interrupted


def test_an_interrupt_waits_for_what_is_being_written() -> None:
    written: list[str] = []

    def take(record: Record[int]) -> None:
        if record.id == "n1":
            os.kill(os.getpid(), signal.SIGINT)
        written.append(record.id)

    run = BatchRun(halved, numbers(9))
    run.hand_on(take)
    assert written == ["n0", "n1"]
    assert run.is_interrupted
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_does_not_wait() -> None:
    reached: list[str] = []

    def interrupted_twice() -> None:
        with Interrupts() as interrupts:
            interrupts.wait()
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("first")
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("second")

    with pytest.raises(KeyboardInterrupt):
        interrupted_twice()
    assert reached == ["first"]


def test_interrupts_of_another_program_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: got.append(number))
    try:
        with Interrupts() as interrupts:
            interrupts.wait()
            os.kill(os.getpid(), signal.SIGINT)
            assert got == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_run_in_a_thread_touches_no_signals() -> None:
    taken: list[str] = []
    run = BatchRun(halved, numbers(2))
    thread = threading.Thread(target=lambda: run.hand_on(lambda record: taken.append(record.id)))
    thread.start()
    thread.join()
    assert taken == ["n0", "n1"]


def test_an_error_of_a_function_that_takes_records_passes() -> None:
    def take(record: Record[int]) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        BatchRun(halved, numbers(2)).hand_on(take)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_values_are_for_who_needs_all() -> None:
    assert list(BatchRun(halved, [Number("a", 0), Number("b", 4)]).values()) == [0, 2]
    found = BatchRun(halved, numbers(9)).values()
    assert next(found) == 0
    with pytest.raises(DataError, match="1 is odd"):
        next(found)


def test_values_of_a_run_that_was_stopped_are_never_taken_for_all() -> None:
    def job(number: Number) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(BatchRun(job, numbers(2)).values())
    late = BatchRun(halved, [Number("a", 0), Number("b", 4)], overdue=ticking(after=1))
    with pytest.raises(DataError, match="the time limit was reached after 1 inputs"):
        list(late.values())


def test_a_failure_without_an_error_of_its_own_names_its_input() -> None:
    assert str(Failure("s1:3", "its process died").as_error()) == "s1:3: its process died"


def test_what_is_no_data_error_is_a_mistake_of_the_program() -> None:
    def job(number: Number) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(BatchRun(job, numbers(1)))


def test_another_executor_may_do_the_work() -> None:
    """Records of inputs that are taken ahead, as one with several processes would."""

    def ahead(
        job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        made = [attempt(job, given) for given in inputs]
        return iter(made)

    executor: Executor = ahead
    run = BatchRun(halved, numbers(4), executor=executor)
    assert [record.id for record in run] == ["n0", "n1", "n2", "n3"]
    assert (run.successes, run.failures) == (2, 2)


# Jobs


def test_sentences_are_parsed_in_order_and_bad_ones_fail_in_their_place() -> None:
    parser = Parser(parse_grammar(GRAMMAR))
    texts = sentences_of(parser, ["the cat", "caf\udce9", "cat the"])
    first, second, third = parse_sentences(parser, texts, n=2)
    assert isinstance(first, Success)
    assert (first.id, first.value.parses[0].to_brackets()) == ("1", "(NP (Det the) (N cat))")
    assert isinstance(second, Failure)
    assert second.reason.startswith("2: this sentence is not UTF-8 (byte E9)")
    assert third.id == "3"


def test_jobs_go_to_other_processes() -> None:
    parser = Parser(parse_grammar(GRAMMAR))
    suite = Suite("s.tsv", (Item("1", "the cat"),))
    (sentence,) = sentences_of(parser, ["the cat"])
    parsing = pickle.loads(pickle.dumps(ParseJob(parser, 2)))
    assert parsing(sentence).parses[0].to_brackets() == "(NP (Det the) (N cat))"
    scoring = pickle.loads(pickle.dumps(ScoreJob(suite, parser, None)))
    assert scoring(suite.items[0]).parse.is_well_formed
    reading = pickle.loads(pickle.dumps(ReadingWithTagger("penn", None)))
    assert (reading.model, reading.tag_map) == ("penn", None)


def test_a_suite_parses_the_same_sentence_once_and_gives_each_item_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = Parser(parse_grammar(GRAMMAR))
    parsed: list[str] = []
    parse = parser.parse

    def counting(sentence: object, overdue: object = None) -> object:
        parsed.append(sentence.text)  # type: ignore[attr-defined]
        return parse(sentence)  # type: ignore[arg-type]

    monkeypatch.setattr(parser, "parse", counting)
    items = tuple(Item(str(i), text) for i, text in enumerate(["the cat", "cat the", "the cat", "cat", "cat the"]))
    found = list(run_suite(Suite("s.tsv", items), parser, scorer("cost")))
    assert parsed == ["the cat", "cat the", "cat"]
    assert [each.item for each in found] == list(items)
    assert found[0].parse is found[2].parse
    assert [each.score is None for each in run_suite(Suite("s.tsv", items), parser, None)] == [True] * 5


def _interrupt() -> Any:
    raise KeyboardInterrupt


def interrupted(job: Job[Input, Value], inputs: object, total: int | None = None) -> Iterator[Record[Value]]:
    """An executor that the user interrupts before the first record."""
    yield from (_interrupt() for _ in range(1))


@pytest.mark.parametrize("name", ["preferences", "held_out", "pairs", "tagged", "plain"])
def test_no_figure_is_of_the_part_that_was_done_before_an_interrupt(name: str, tmp_path: Path) -> None:
    (tmp_path / "t.mrg").write_text("(NP (Det the) (N cat))\n")
    parser = Parser(parse_grammar(GRAMMAR))
    ud, job, tag_map = (cast(Any, None) for _ in range(3))
    run: Callable[[], object] = {
        "preferences": lambda: learn_preferences(
            [str(tmp_path / "t.mrg")], "ptb", parser, ud, PreferenceSettings(), executor=interrupted
        ),
        "held_out": lambda: held_out.measure(job, [], {}, interrupted),
        "pairs": lambda: held_out.judged_pairs(job, [], {}, interrupted),
        "tagged": lambda: tagged_costs([], {}, parser, tag_map, executor=interrupted),
        "plain": lambda: plain_costs(["the cat"], parser, executor=interrupted),
    }[name]
    with pytest.raises(KeyboardInterrupt):
        run()
