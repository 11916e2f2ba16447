"""Progress of a run: number done, rate, time left; a bar if the total is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from numbat.cli import printing
from numbat.cli.main import cli
from numbat.cli.printing import Progress
from tests.noun_phrases import GRAMMAR


@pytest.mark.parametrize(
    ("done", "total", "seconds", "line"),
    [
        (50, 313, 2.5, "50 of 313 sentences, 20 a second, 13 s left"),
        (5, None, 2.0, "5 sentences, 150 a minute"),
        (1_000, 1_000_000, 100.0, "1,000 of 1,000,000 sentences, 10 a second, 27 h 45 min left"),
        (1_000, 4_000, 100.0, "1,000 of 4,000 sentences, 10 a second, 5 min 0 s left"),
    ],
)
def test_rate_and_time_left(done: int, total: int | None, seconds: float, line: str) -> None:
    assert Progress(total=total, done=done).line(seconds) == line


def test_the_lines_of_a_file_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "FIRST_LINE", 0.0)
    monkeypatch.setattr(printing, "NEXT_LINE", 0.0)
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    Path("in.txt").write_text("the cat\n\n# no sentence\ncat\nthe\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["parse", "-g", "g.pg", "-i", "in.txt", "-f", "bracket", "-o", "out"])
    assert (done.exit_code, done.stdout) == (0, "")
    *lines, told, switch = done.stderr.splitlines()
    assert told == "numbat: 1 line begins with # and was skipped: in.txt:3"
    assert switch == "  --hash-lines reads such lines"
    assert [line.partition(",")[0] for line in lines] == [f"numbat: {number} of 3 sentences" for number in (1, 2, 3)]
    done = CliRunner().invoke(cli, ["parse", "-g", "g.pg", "-i", "in.txt", "-f", "bracket", "-o", "out", "--quiet"])
    assert (done.exit_code, done.output) == (0, "")
