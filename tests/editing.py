"""An editor for tests: pygls's own client, which starts the language server as editors do."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from numbat.errors import Problem

T = TypeVar("T")
SECONDS: Final = 600
"""Seconds without an answer after which a test fails."""


class Editor:
    """A client of the server, with the diagnostics that it was sent; folders are those that are open."""

    def __init__(self, *folders: Path, command: tuple[str, ...] = ("-m", "numbat", "lsp")) -> None:
        self._loop = asyncio.new_event_loop()
        self.client = LanguageClient("tests", "1")
        self.sent: list[lsp.PublishDiagnosticsParams] = []
        self.said: list[str] = []
        self.on_sent: Callable[[], None] = lambda: None
        self.answered = 0.0
        self._versions: dict[Path, int] = {}
        self._more = asyncio.Event()
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._note())
        self.refreshed: list[None] = []
        """Refreshes that the server asked for."""
        self.client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)(self._refresh())
        self.shown_messages: list[str] = []
        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(self._show())
        self.client.feature(lsp.WINDOW_LOG_MESSAGE)(lambda params: self.said.append(params.message))
        os.environ.setdefault("PYTHONPATH", str(Path(__file__).parents[1]))
        self.wait(self.client.start_io(sys.executable, *command))
        roots = [lsp.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
        prepared = lsp.TextDocumentClientCapabilities(rename=lsp.RenameClientCapabilities(prepare_support=True))
        hints = lsp.WorkspaceClientCapabilities(
            inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True)
        )
        capabilities = lsp.ClientCapabilities(hints, prepared)
        params = lsp.InitializeParams(capabilities, workspace_folders=roots)
        self.told = self.wait(self.client.initialize_async(params))
        self.client.initialized(lsp.InitializedParams())

    def _note(self) -> Any:
        def note(params: lsp.PublishDiagnosticsParams) -> None:
            self.sent.append(params)
            self.on_sent()
            self._more.set()

        return note

    def _show(self) -> Any:
        def show(params: lsp.ShowMessageParams) -> None:
            self.shown_messages.append(params.message)
            self._more.set()

        return show

    def _refresh(self) -> Any:
        def refresh(params: None) -> None:
            self.refreshed.append(None)
            self._more.set()

        return refresh

    def until(self, has_come: Callable[[], bool]) -> None:
        """Wait until something was sent."""
        self.shown(has_come, bool)
        assert has_come()

    def wait(self, answer: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(asyncio.wait_for(answer, SECONDS))

    def open(self, path: Path, text: str | None = None) -> list[lsp.Diagnostic]:
        """Open a text, and return its diagnostics."""
        text = path.read_text(encoding="utf-8") if text is None else text
        sent = (each.version or 0 for each in self.sent if each.uri == path.as_uri())
        self._versions[path] = version = max(sent, default=0) + 1  # of a text that is opened again too
        item = lsp.TextDocumentItem(path.as_uri(), "numbat", version, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return self._waves(path, 1)[-1]

    def change(
        self, path: Path, text: str, ask: Callable[[], Coroutine[Any, Any, Any]] | None = None
    ) -> list[list[lsp.Diagnostic]]:
        """Change a text and `ask` something at once; return the diagnostics of the first and the second wave."""
        self.send(path, text)
        if ask is not None:
            self.wait(ask())
            self.answered = monotonic()
        return self._waves(path, 2 if path.suffix == ".pg" else 1)

    def send(self, path: Path, text: str) -> None:
        """Change a text without waiting."""
        self._versions[path] += 1
        version = lsp.VersionedTextDocumentIdentifier(self._versions[path], path.as_uri())
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(version, [whole]))

    def seconds_used(self) -> float:
        """The time of the processor that the server has used, in both processes."""
        assert self.client._server is not None
        first = self.client._server.pid
        children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="utf-8").split()
        used = 0.0
        for process in (first, *children):
            fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return used

    def close(self, path: Path) -> None:
        self._versions.pop(path)
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(self.at(path)))

    def close_all(self) -> None:
        for path in [*self._versions]:
            self.close(path)

    def _waves(self, path: Path, number: int) -> list[list[lsp.Diagnostic]]:
        async def waves() -> list[list[lsp.Diagnostic]]:
            while True:
                uri, version = path.as_uri(), self._versions[path]
                found = [each for each in self.sent if (each.uri, each.version) == (uri, version)]
                if len(found) >= number:
                    return [list(each.diagnostics) for each in found]
                self._more.clear()
                await self._more.wait()

        return self.wait(waves())

    def of(self, path: Path, has_come: Callable[[list[lsp.Diagnostic]], bool]) -> list[lsp.Diagnostic]:
        """Wait until the diagnostics of a file fulfil a condition, and return them."""

        async def shown() -> list[lsp.Diagnostic]:
            while True:
                found = next((list(each.diagnostics) for each in reversed(self.sent) if each.uri == path.as_uri()), [])
                if has_come(found):
                    return found
                self._more.clear()
                await self._more.wait()

        return self.wait(shown())

    def latest(self, path: Path) -> list[lsp.Diagnostic]:
        """Return the last diagnostics of a file that have arrived."""
        return next((list(each.diagnostics) for each in reversed(self.sent) if each.uri == path.as_uri()), [])

    def shown(self, look: Callable[[], T], is_expected: Callable[[T], bool]) -> T:
        """Return the result of `look` when it is as expected, or when the time for that is over."""

        async def seen() -> T:
            while not is_expected(found := look()):
                self._more.clear()
                try:
                    await asyncio.wait_for(self._more.wait(), SECONDS / 2)
                except TimeoutError:
                    return found
            return found

        return self.wait(seen())

    def at(self, path: Path) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(path.as_uri())

    def last(self, path: Path) -> list[lsp.Diagnostic]:
        """Return the last diagnostics of a file, after waiting for the server."""
        self.wait(self.client.text_document_folding_range_async(lsp.FoldingRangeParams(self.at(path))))
        return next((list(each.diagnostics) for each in reversed(self.sent) if each.uri == path.as_uri()), [])

    def end(self) -> None:
        self.wait(self.client.shutdown_async(None))
        self.client.exit(None)
        self.wait(self.client.stop())  # type: ignore[no-untyped-call]
        self._loop.close()


def shown_as(path: Path, problem: Problem) -> tuple[int, int, int, str]:
    """A problem as the protocol has it, by the text of the file alone: line and characters, counted by UTF-16."""
    span, said = problem.span, [problem.message]
    said += [f"{what}: {text}" for what, text in (("expected", problem.expected), ("found", problem.found)) if text]
    message = "\n".join([*said, *([problem.hint] if problem.hint else [])])
    if not span.line:
        return 0, 0, 0, message
    line = [*path.read_text(encoding="utf-8").split("\n"), ""][span.line - 1]
    end = max(span.end_column, span.column + 1)
    begins, ends = (len(line[: column - 1].encode("utf-16-le")) // 2 for column in (span.column, end))
    return span.line - 1, begins, ends, message


def place(text: str, piece: str, number: int = 0) -> lsp.Position:
    """Return the position just inside the given occurrence of a piece of a text, counted in UTF-16."""
    begin = -1
    for _ in range(number + 1):
        begin = text.index(piece, begin + 1)
    before = text[:begin].split("\n")
    return lsp.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)


def edited(text: str, edits: Any) -> str:
    """A text after some edits."""
    lines = text.split("\n")
    for each in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        number = each.range.start.line
        assert number == each.range.end.line
        units = lines[number].encode("utf-16-le")
        begin, end = units[: 2 * each.range.start.character], units[2 * each.range.end.character :]
        lines[number] = begin.decode("utf-16-le") + each.new_text + end.decode("utf-16-le")
    return "\n".join(lines)
