"""The language server in its process: what hangs or ends is told to the editor, and what it knew is there again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

pytest.importorskip("pygls")
from numbat.editor import server
from numbat.editor.documents import Documents
from numbat.editor.messages import bodies, body_of, content_of, framed
from numbat.editor.relay import OUT_OF_MEMORY, REMEDY, REPLACED, SECONDS, Relay
from numbat.editor.server import Checker, Endings
from numbat.runs.children import Child
from tests.answering import HandClock, scripted
from tests.editing import Editor
from tests.fuzz.signals import left_alive, processes_of
from tests.waiting import PATIENCE, until

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Session:
    """An editor that talks with a scripted server."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, HandClock()
        read, self._sent = os.pipe()
        self._answers, write = os.pipe()
        started = partial(Child, scripted, (folder,), None)
        self.relay = Relay(os.fdopen(read, "rb"), os.fdopen(write, "wb"), started, self.clock)
        self.codes: list[int] = []
        self.thread = Thread(target=lambda: self.codes.append(self.relay.run()))
        self.thread.start()
        self.received: Iterator[Any] = map(content_of, bodies(os.fdopen(self._answers, "rb")))
        self._sending = os.fdopen(self._sent, "wb")
        self.send(id=1, method="initialize", params={"rootUri": "here"})
        self.process = next(self.received)["result"]["process"]
        self.send(method="initialized")

    def send(self, **content: Any) -> None:
        self._sending.write(framed(body_of(**content)))
        self._sending.flush()

    def ask(self, number: int, method: str, **given: Any) -> dict[str, Any]:
        self.send(id=number, method=method, params=given)
        return next(self.received)

    def edit(self, method: str, uri: str, **given: Any) -> None:
        self.send(
            method=f"textDocument/{method}", params={"textDocument": {"uri": uri, **given.pop("about", {})}, **given}
        )

    def move(self, seconds: float) -> None:
        self.clock.move(seconds, self.relay)

    def close(self) -> int:
        self._sending.close()
        self.thread.join()
        return self.codes[0]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path)
    yield made
    if made.thread.is_alive():
        made.close()


def test_a_server_that_hangs_is_ended_and_starts_again_with_the_texts_of_the_editor(session: Session) -> None:
    session.edit("didOpen", "a", about={"text": "first", "version": 1})
    session.edit("didOpen", "b", about={"text": "other", "version": 1})
    session.edit("didChange", "a", contentChanges=[{"text": "second"}, {"text": "third"}])
    session.edit("didClose", "b")
    session.send(id=2, method="hang")
    until((session.folder / "hangs").exists)
    session.send(id=3, method="hover")
    until(lambda: 3 in session.relay._asked)
    session.move(SECONDS + 1)
    why = f"the language server did not answer hang within 30 seconds, so it was ended\n  {REMEDY}"
    for number in (2, 3):
        error = next(session.received)
        assert (error["id"], error["error"]) == (number, {"code": -32803, "message": why})
    shown = next(session.received)
    assert (shown["method"], shown["params"]) == ("window/showMessage", {"type": 1, "message": f"Numbat: {why}"})
    assert not Path(f"/proc/{session.process}").exists()
    assert session.ask(4, "hover")["error"]["message"] == REMEDY, "until a text changes"
    session.edit("didChange", "a", contentChanges=[{"text": "fourth"}])
    again = session.ask(5, "hover")["result"]
    assert again["texts"] == {"a": "fourth"}
    assert again["methods"] == ["initialize", "initialized", "textDocument/didOpen", "hover"]
    assert session.close() == 0


def test_a_check_that_a_change_has_replaced_is_ended_without_a_word(session: Session) -> None:
    session.edit("didOpen", "a", about={"text": "first", "version": 1})
    error = session.ask(2, "end", code=REPLACED)
    assert error["error"] == {"code": -32801, "message": "the text has changed"}
    again = session.ask(3, "hover")["result"]
    assert (again["texts"], again["process"] != session.process) == ({"a": "first"}, True)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (OUT_OF_MEMORY, "the check of a text needs more than 4,096 MiB of memory, so the language server was ended"),
        (7, "the language server ended: exit code 7"),
    ],
)
def test_the_editor_shows_why_a_server_has_ended(session: Session, code: int, why: str) -> None:
    assert session.ask(2, "end", code=code)["error"]["message"] == f"{why}\n  {REMEDY}"
    assert next(session.received)["params"]["message"] == f"Numbat: {why}\n  {REMEDY}"
    assert session.ask(3, "shutdown") == {"jsonrpc": "2.0", "id": 3, "result": None}
    session.send(method="exit")
    session.thread.join()
    assert session.codes == [0]


def test_an_idle_server_is_not_ended_and_time_counts_from_the_last_message(session: Session) -> None:
    session.move(10 * SECONDS)
    first = session.ask(2, "hover")["result"]
    session.move(SECONDS - 1)
    assert session.ask(3, "hover")["result"]["process"] == first["process"]


def test_an_answer_for_a_server_that_has_ended_is_not_passed_on(session: Session) -> None:
    session.send(id=2, method="ask back")
    asked_back = [next(session.received), next(session.received)]
    assert [message["id"] for message in asked_back] == ["back", 2]
    session.ask(3, "end", code=REPLACED)
    session.send(id="back", result=None)
    assert "answer" not in session.ask(4, "hover")["result"]["methods"]


def test_a_check_that_does_not_stop_after_a_change_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "GRACE", 0.0)
    begun, ended = Event(), Event()

    class Busy(Documents):
        def mains(self) -> list[Path]:
            begun.set()
            ended.wait()
            return []

    checker = Checker(Busy(), lambda: None, lambda message: None, Endings(ended.set, lambda: None))
    checker.start()
    checker.ask()
    begun.wait()
    assert not ended.is_set()
    checker.ask()
    until(lambda: checker.is_done)
    assert ended.is_set()


def test_too_little_memory_ends_the_process() -> None:
    ended = Event()

    class Full(Documents):
        def mains(self) -> list[Path]:
            raise MemoryError

    def hover(params: object) -> None:
        raise MemoryError

    endings = Endings(lambda: None, ended.set)
    server._function(hover, endings)(None)
    assert ended.is_set()
    ended.clear()
    checker = Checker(Full(), lambda: None, lambda message: None, endings)
    checker.start()
    checker.ask()
    ended.wait()


@linux
def test_a_server_that_was_killed_checks_open_texts_again(tmp_path: Path) -> None:
    path = tmp_path / "g.pg"
    path.write_text("leaves: A\nroots: S\nS:\n    oblig A\n", encoding="utf-8")
    editor = Editor(tmp_path)
    editor.open(path)
    assert editor.client._server is not None
    (before,) = children_of(editor.client._server.pid)
    os.kill(before, signal.SIGKILL)
    editor.until(lambda: any("signal SIGKILL" in message for message in editor.shown_messages))
    editor.send(path, "leaves: A\nroots: S\nS:\n    oblig B\n")
    assert editor.of(path, lambda found: any("B" in diagnostic.message for diagnostic in found))
    assert children_of(editor.client._server.pid) != [before]
    editor.end()


def children_of(process: int) -> list[int]:
    """Return the processes with a language server; another one watches what processes share."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
    return [int(child) for child in listed if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_no_process_outlives_the_one_that_the_editor_started(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "numbat", "lsp"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        begin: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
        running.stdin.write(framed(body_of(id=1, method="initialize", params=begin)))
        running.stdin.flush()
        assert running.stdout.readline().startswith(b"Content-Length: ")
        assert len(processes_of(running.pid)) > 1
        running.send_signal(number)
        running.wait()
    assert left_alive(running.pid, PATIENCE) == []
    assert running.returncode == (130 if number == signal.SIGINT else -number)


def test_messages_are_read_as_pygls_reads_them() -> None:
    sent = b"Content-Length: 2\r\nContent-Type: x\r\n\r\n{}\r\nno header\r\nContent-Length: 1\r\n\r\n5"
    assert list(bodies(BytesIO(sent + b"Content-Length: 9\r\n\r\n[]"))) == [b"{}", b"5"]
    assert [content_of(body) for body in (b"{}", b"5", b"[", b"[" * 100_000)] == [{}, {}, None, None]
    assert content_of(b'{"id": 1}') == {"id": 1}
