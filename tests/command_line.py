"""The command line, run in this process as a user runs it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from numbat.cli.main import main


@dataclass(frozen=True)
class Done:
    """The output of a command, and its exit code."""

    out: str
    err: str
    code: int


@dataclass(frozen=True)
class Numbat:
    """Runs `numbat` with arguments; a traceback fails the test."""

    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *arguments: str) -> Done:
        self.monkeypatch.setattr(sys, "argv", ["numbat", *arguments])
        code: int | str | None = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        assert isinstance(code, int | None)
        captured = self.capsys.readouterr()
        assert "Traceback" not in captured.err
        return Done(captured.out, captured.err, code or 0)


def run(*arguments: str) -> None:
    """Run `numbat` with arguments; the caller captures its output."""
    sys.argv = ["numbat", *arguments]
    main()


def failure(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    """Run a command that must fail with an exit code and without output; return its message."""
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == code
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.removeprefix("numbat: ").rstrip("\n")


def json_lines(text: str) -> list[Any]:
    """Return the values of lines of JSON without the last one, which must be the record of the run."""
    *values, record = map(json.loads, text.splitlines())
    assert (list(record), record["schema"]) == (["schema", "run"], "numbat.run/1"), text
    return values


def without_record(text: str) -> str:
    """Return an output without its end, which must be the record of the run."""
    told, _, record = text.rstrip("\n").rpartition("\n\nrun: numbat ")
    assert record.endswith("; 2026-01-01T00:00:00Z"), text
    return f"{told}\n"
