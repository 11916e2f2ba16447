"""The contents of a file cannot control the terminal on which it is shown; other outputs get it unchanged."""

from __future__ import annotations

import ast
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from numbat.cli import printing
from tests.command_line import Numbat

ESCAPE: Final = "\x1b]0;OWNED\x07\x1b[2J"
TURNED: Final = "\u202e"
OBEYED: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
GRAMMAR: Final = f"""grammar: "e{ESCAPE}"
leaves: A, "B{ESCAPE}{TURNED}"
roots: S
features:
    f: v, "w{ESCAPE}"
S "ti{ESCAPE}tle":
    oblig A
    uniq A
    A < "B{ESCAPE}{TURNED}"
lexicon:
    a: A
    b: "B{ESCAPE}{TURNED}"[f="w{ESCAPE}"]
"""
COMMANDS: Final = [
    ("show", "g.pg"),
    ("check", "g.pg"),
    ("check", "bad.pg"),
    ("check", f"{ESCAPE}.pg"),
    ("convert", "g.pg"),
    ("convert", "g.pg", "-f", "yaml"),
    *(("parse", "-g", "g.pg", "-f", form, "b a") for form in ("tree", "bracket", "tsv", "json", "jsonl", "html")),
    ("parse", "-g", "g.pg", "--trace", "b a"),
    ("parse", "-g", "g.pg", "--stats", f"a {ESCAPE}{TURNED} b"),
    ("parse", f"--{ESCAPE}"),
    ("parse", "a", f"{ESCAPE}"),
    (f"{ESCAPE}",),
    ("judge", "-g", "g.pg", f"(S (A a) (Q{ESCAPE} b))"),
    ("test", "-g", "g.pg", "s.tsv"),
    ("report", "-g", "g.pg", "s.tsv"),
    ("convert-trees", "t.mrg", "-f", "conllu"),
    ("induce", "t.mrg"),
    ("join", f"{ESCAPE}"),
]


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    Path("bad.pg").write_text(GRAMMAR + f"    {ESCAPE} ::\n", encoding="utf-8")
    Path("s.tsv").write_text(
        f"id\tjudgement\tsentence\tphenomenon\nx{ESCAPE}\tok\ta b\tp{TURNED}\ny\t*\tb a\tq{ESCAPE}\n", encoding="utf-8"
    )
    Path("t.mrg").write_text(f"(S (A{TURNED} a) (B b{ESCAPE}))\n", encoding="utf-8")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(" ".join(command)))
def test_nothing_that_a_terminal_obeys(
    command: tuple[str, ...], numbat: Numbat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    done = numbat(*command)
    assert done.out + done.err
    assert not OBEYED.findall(done.out + done.err)


@pytest.mark.usefixtures("files")
def test_a_real_terminal_has_the_colours_of_the_tree_and_no_others() -> None:
    out = on_terminal("parse", "-q", "-g", "g.pg", "b a")  # a bar that is drawn after a second has others
    assert set(re.findall(r"\x1b[^m]*m", out)) >= {"\x1b[31m", "\x1b[0m"}
    assert not OBEYED.search(re.sub(r"\x1b\[(0|2|31|33)m", "", out))
    assert "B\ufffd]0;OWNED\ufffd\ufffd[2J\ufffd" in out


@pytest.mark.usefixtures("files")
def test_a_file_or_a_pipe_gets_what_was_written() -> None:
    command = [sys.executable, "-m", "numbat", "convert", "g.pg"]
    out = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment()).stdout
    assert f'b: "B{ESCAPE}{TURNED}"' in out


def test_all_output_goes_through_one_module() -> None:
    """No other module of the command line writes to a stream."""
    folder = Path(printing.__file__).parent
    found = [
        f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        for path in (*sorted(folder.rglob("*.py")), folder.parent / "__main__.py")
        if path.name != "printing.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and re.search(
            r"^print$|^click\.s?echo$|^sys\.\w+\.(buffer\.)?write(lines)?$|^os\.write$", ast.unparse(node.func)
        )
        and "'numbat: interrupted'" not in ast.unparse(node)
    ]
    assert found == []


def on_terminal(*arguments: str) -> str:
    """Return the output of a command on a terminal."""
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "numbat", *arguments]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment()):
        os.close(its)
        written = b""
        try:
            while block := os.read(ours, 65536):
                written += block
        except OSError:  # the error of Linux if the other end is closed
            pass
    os.close(ours)
    return written.decode("utf-8").replace("\r\n", "\n")


def environment() -> dict[str, str]:
    left = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return {**left, "TERM": "xterm", "PYTHONPATH": str(Path(printing.__file__).parents[2])}
