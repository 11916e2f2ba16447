"""A few hostile inputs of each kind, and those that once failed; `python -m tests.fuzz` tries more."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from numbat.errors import DataError
from tests.fuzz import kinds
from tests.fuzz.__main__ import GROUPS
from tests.fuzz.commands import COMMANDS
from tests.fuzz.once_failing import ONCE_FAILING
from tests.fuzz.runner import Kind, message_fault, outcome_of, tried
from tests.fuzz.valid import ROOT

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory as Linux has them")
KINDS = {kind.name: kind for name, group in GROUPS.items() if name not in ("commands", "compiled") for kind in group}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grammar that is read in no time."""
    monkeypatch.setattr(kinds, "GRAMMAR", str(ROOT / "tests" / "starter" / "starter.pg"))


@pytest.mark.parametrize("name", KINDS)
def test_every_input_ends_in_a_result_or_a_message(name: str) -> None:
    pytest.importorskip("numpy")
    if name == "sheet":
        pytest.importorskip("openpyxl")
    number = 20
    tally = tried(KINDS[name], number, told=lambda text: None)
    assert [str(failure) for failure in tally.failures] == []
    assert tally.inputs == number
    assert tally.share("mutated read", "mutated refused") > 0.5


def test_every_command_ends_with_an_exit_code_and_a_message() -> None:
    tally = tried(COMMANDS, 4, told=lambda text: None)
    assert [str(failure) for failure in tally.failures] == []


@pytest.mark.parametrize(("name", "content"), ONCE_FAILING, ids=lambda each: str(each)[:20])
def test_what_once_ended_badly_ends_well(name: str, content: bytes, tmp_path: Path) -> None:
    kind = KINDS[name]
    kind.make(Random(0), tmp_path)
    file = kind.file or ""
    (tmp_path / file).write_bytes(content)

    def read(rng: Random, folder: Path) -> object:
        return kind.read(rng, folder)

    again = Kind(name, lambda rng, folder: "mutated", read, places=kind.places)
    assert outcome_of(again, 0, tmp_path)[1] == ""


def test_the_fuzzer_tells_of_a_traceback_of_time_and_of_memory(tmp_path: Path) -> None:
    def kind(read: object) -> Kind:
        seconds = 0.2 if read is endless else 60.0
        return Kind("made up", lambda rng, folder: "valid", read, seconds=seconds)  # type: ignore[arg-type]

    def endless(rng: Random, folder: Path) -> None:
        while True:
            pass

    def large(rng: Random, folder: Path) -> object:
        return bytearray(2_000_000_000)

    def wrong(rng: Random, folder: Path) -> object:
        return dict[str, str]()["key"]

    def killed(rng: Random, folder: Path) -> object:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)
        return None

    reasons = []
    for read in (endless, large, wrong, killed):
        tally = tried(kind(read), 1, told=lambda text: None)
        reasons.append(tally.failures[0].why)
    assert reasons[0].startswith("more than 0.2 s, at ")
    assert reasons[1] == "more than 500 MB"
    assert reasons[2].startswith("KeyError: 'key' at ")
    assert reasons[3] == "the process ended by signal 9"


def test_a_message_names_a_file_and_says_what_to_do(tmp_path: Path) -> None:
    assert message_fault(DataError(f"{tmp_path}/f:3: no number\n  write one"), tmp_path) == ""
    assert message_fault(DataError("no number\n  write one"), tmp_path).startswith("a message without a file: ")
    assert message_fault(DataError(f"{tmp_path}/f:3: no number"), tmp_path).startswith("a message that does not say")
