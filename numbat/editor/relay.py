"""The process that an editor starts: it passes messages on to the language server, which runs in another process.

If the server hangs, ends, or needs too much memory, requests in progress get an error, and the editor shows why. With
the next edit the server starts again, and is sent what the editor has said about itself and its open texts.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from numbat.editor.messages import bodies, body_of, content_of, framed, is_answer
from numbat.runs.children import MEMORY, Child
from numbat.runs.pool import START_SECONDS, how_it_ended

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SECONDS: Final = 30.0
"""Seconds within which the server must answer one of its requests."""
REPLACED: Final = 3
"""Exit code of a server that could not end the check of a text that has changed."""
OUT_OF_MEMORY: Final = 4
"""Exit code of a server that needed too much memory."""
EDITS: Final = ("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose")
"""Notifications after which a server may be started again: what ended it may be gone."""
AGAIN: Final = "numbat/again"
"""Number of the request by which a server that was started again is initialized."""
NO_JSON, FAILED, CHANGED = -32700, -32803, -32801
"""Codes of errors: no JSON; the request failed; a text has changed, so the editor asks again."""
REMEDY: Final = "change a text: then the language server starts again"


# The other process


class _Messages:
    """The messages of a connection as pygls reads and writes them: as streams, with headers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._read = BytesIO()

    def readline(self) -> bytes:
        """Return the next line, empty at the end of all messages."""
        line = self._read.readline()
        if line:
            return line
        try:
            body = self._connection.recv()
        except (EOFError, OSError):
            body = b""
        self._read = BytesIO(framed(body) if body else b"")
        return self._read.readline()

    def read(self, size: int) -> bytes:
        """Return the body of a message."""
        return self._read.read(size)

    def write(self, data: bytes) -> None:
        """Send a message."""
        self._connection.send(data)

    def flush(self) -> None:
        """Do nothing: each message is sent at once."""

    def close(self) -> None:
        """Do nothing: the connection is closed at the end of the process."""


def serve(connection: Connection, log: str | None) -> None:
    """Answer the messages that come through a connection."""
    from numbat.editor.server import EditorServer, Endings

    if log is not None:
        logging.basicConfig(filename=log, format="%(asctime)s %(name)s: %(message)s")
    server = EditorServer(Endings(partial(os._exit, REPLACED), partial(os._exit, OUT_OF_MEMORY)))
    messages: Any = _Messages(connection)
    server.start(messages)
    sys.exit(server.exit_code)


class Known:
    """The messages of an editor that a new server needs: about the editor, its folders and its open texts."""

    def __init__(self) -> None:
        self._begin: dict[str, Any] = {}
        self._folders: list[dict[str, Any]] = []
        self._texts: dict[str, dict[str, Any]] = {}

    def note(self, content: dict[str, Any]) -> None:
        """Note a message; one with wrong parameters says nothing."""
        method, given = content.get("method"), content.get("params")
        if method == "initialize":
            self._begin = content
        elif method == "workspace/didChangeWorkspaceFolders":
            self._folders.append(content)
        elif method in EDITS and isinstance(given, dict) and isinstance(about := given.get("textDocument"), dict):
            uri = str(about.get("uri"))
            if method == "textDocument/didOpen":
                self._texts[uri] = about
            elif method == "textDocument/didClose":
                self._texts.pop(uri, None)
            elif uri in self._texts and isinstance(changes := given.get("contentChanges"), list):
                whole = [change["text"] for change in changes if isinstance(change, dict) and "text" in change]
                self._texts[uri] = {**self._texts[uri], **about, **({"text": whole[-1]} if whole else {})}

    def messages(self) -> Iterator[bytes]:
        """Yield the messages that a new server needs."""
        yield body_of(**{**self._begin, "id": AGAIN})
        yield body_of(method="initialized", params={})
        for folders in self._folders:
            yield body_of(**folders)
        for text in self._texts.values():
            yield body_of(method="textDocument/didOpen", params={"textDocument": text})


# What passes messages on


class Relay:
    """Passes messages on between an editor and a server; `start` starts a server that calls its argument."""

    def __init__(
        self,
        from_editor: BinaryIO,
        to_editor: BinaryIO,
        start: Callable[[Callable[[Child, Any], None]], Child],
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._from_editor, self._to_editor, self._start, self._now = from_editor, to_editor, start, now
        self._queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._known = Known()
        self._child: Child | None = None
        self._has_failed = self._was_shut_down = self._is_ending = self._is_hung = False
        self._asked: dict[int | str, str] = {}
        """Requests of the editor without an answer: the method of each number."""
        self._asked_back: set[Any] = set()
        """Numbers of the requests of the server to the editor."""
        self._heard = 0.0
        """When the last message came, or a request after idling; at first the time until which it must have started."""
        self._code: int | None = None

    def run(self) -> int:
        """Pass on all messages, and return the exit code."""
        Thread(target=self._read_all, daemon=True).start()
        try:
            while self._code is None:
                left = self._deadline() - self._now()
                with suppress(Empty):
                    self._queue.get(timeout=None if left == inf else max(0.0, left))()
                if self._child is not None and self._deadline() <= self._now():
                    self._is_hung = True
                    self._child.process.kill()  # its end is heard
        except BrokenPipeError:  # the editor has ended
            return 0
        finally:
            if self._child is not None:
                self._child.end()
        return self._code

    def _read_all(self) -> None:
        for body in bodies(self._from_editor):
            self._queue.put(partial(self._take, body))
        self._queue.put(self._close)

    def _deadline(self) -> float:
        """Return the time at which the server hangs if nothing comes from it."""
        is_asked = self._child is not None and (self._asked or self._is_ending) and not self._is_hung
        return self._heard + SECONDS if is_asked else inf

    def _close(self) -> None:
        """The editor sends nothing more: the server may answer what it was asked."""
        self._await_end()
        if self._child is not None:
            self._child.send(b"")

    def _await_end(self) -> None:
        self._is_ending = True
        self._heard = max(self._heard, self._now())
        if self._child is None:
            self._code = 0 if self._was_shut_down or not self._has_failed else 1

    def _take(self, body: bytes) -> None:
        """Pass on a message of the editor."""
        if (content := content_of(body)) is None:
            self._refuse(None, NO_JSON, "this is not JSON")
            return
        method, number = content.get("method"), content.get("id")
        self._known.note(content)
        self._was_shut_down |= method == "shutdown"
        if self._child is None and (not self._has_failed or method in EDITS):
            self._begin()
            if self._has_failed:
                return  # an edit is in the texts that the server was sent
        if method == "exit":
            self._await_end()
        asked = {number: method} if isinstance(method, str) and isinstance(number, int | str) else {}
        if self._child is None:
            for number in asked:
                self._refuse(number, FAILED, REMEDY) if method != "shutdown" else self._send(id=number, result=None)
            return
        if is_answer(content) and not (isinstance(number, int | str) and number in self._asked_back):
            return  # the server that has asked has ended
        if not self._asked:
            self._heard = max(self._heard, self._now())
        self._asked |= asked
        self._child.send(body)

    def _begin(self) -> None:
        """Start a server; one that starts again is sent what it has to know."""
        self._child = self._start(lambda child, data: self._queue.put(partial(self._hear, child, data)))
        self._heard = self._now() + START_SECONDS
        self._is_hung = False
        self._asked_back.clear()
        if self._has_failed:
            for message in self._known.messages():
                self._child.send(message)

    def _hear(self, child: Child, data: bytes | None) -> None:
        """Pass on a message of the server; None is its end."""
        if data is None:
            self._end(child)
            return
        self._heard = self._now()
        content = content_of(data.partition(b"\r\n\r\n")[2]) or {}
        number = content.get("id")
        if number == AGAIN:
            return
        if "method" in content:
            self._asked_back.add(number)
        elif number is not None:
            self._asked.pop(number, None)
        self._write(data)

    def _end(self, child: Child) -> None:
        """Tell the editor why its server has ended, unless it was asked to end."""
        child.process.join()
        code, self._child = child.process.exitcode, None
        child.end()
        if self._is_ending:
            self._code = code if code is not None and code >= 0 else 1
            return
        self._has_failed = True
        if code == REPLACED:
            self._refuse_all(CHANGED, "the text has changed")
            self._begin()
            return
        why = f"the language server ended: {how_it_ended(code)}"
        if code == OUT_OF_MEMORY:
            why = f"the check of a text needs more than {MEMORY:,} MiB of memory, so the language server was ended"
        elif self._is_hung:
            first = next(iter(self._asked.values()))
            why = f"the language server did not answer {first} within {SECONDS:g} seconds, so it was ended"
        self._refuse_all(FAILED, f"{why}\n  {REMEDY}")
        self._send(method="window/showMessage", params={"type": 1, "message": f"Numbat: {why}\n  {REMEDY}"})

    def _refuse_all(self, code: int, why: str) -> None:
        for number in self._asked:
            self._refuse(number, code, why)
        self._asked.clear()

    def _refuse(self, number: int | str | None, code: int, why: str) -> None:
        self._send(id=number, error={"code": code, "message": why})

    def _send(self, **content: Any) -> None:
        self._write(framed(body_of(**content)))

    def _write(self, data: bytes) -> None:
        self._to_editor.write(data)
        self._to_editor.flush()


def relay(from_editor: BinaryIO, to_editor: BinaryIO, log: str | None) -> Relay:
    """Return what passes messages on between an editor and a server in a process, which may log to a file."""
    return Relay(from_editor, to_editor, partial(Child, serve, (log,), MEMORY))
