"""The kind of messages that an editor sends to the language server: sessions with damaged messages or bytes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from random import Random
from threading import Event
from typing import Any, Final

from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer

from numbat.editor import server as editor
from numbat.editor.messages import bodies, content_of, framed, is_answer
from numbat.editor.relay import Known
from tests.fuzz import valid
from tests.fuzz.kinds import read_once, text_kind
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.runner import Kind

FOLDER: Final = "file:///none/"
METHODS: Final = (
    "hover", "definition", "references", "documentHighlight", "completion", "documentSymbol", "foldingRange",
    "formatting", "prepareRename", "rename", "codeAction", "inlayHint", "codeLens", "semanticTokens/full",
)  # fmt: skip
INITIALIZE: Final[dict[str, Any]] = {"processId": None, "rootUri": None, "capabilities": {}}
INTERNAL: Final = -32603
"""Code of an internal error."""
logging.getLogger("pygls").setLevel(logging.CRITICAL)


def _params(rng: Random, method: str, uri: str, lines: int) -> dict[str, Any]:
    def place() -> dict[str, int]:
        return {"line": rng.randint(0, lines), "character": rng.choice((0, 1, 4, 6, 9, 20))}

    given: dict[str, Any] = {"textDocument": {"uri": uri}, "position": place()}
    more: dict[str, dict[str, Any]] = {
        "references": {"context": {"includeDeclaration": rng.random() < 0.5}},
        "formatting": {"options": {"tabSize": 4, "insertSpaces": True}},
        "rename": {"newName": rng.choice(("X", "Noun", "a b", "", "1", "leaves", "\u202e"))},
        "codeAction": {"range": {"start": place(), "end": place()}, "context": {"diagnostics": []}},
        "inlayHint": {"range": {"start": place(), "end": place()}},
    }
    return {**given, **more.get(method, {})}


def _message(method: str, params: Any, number: int | None = None) -> dict[str, Any]:
    asked = {} if number is None else {"id": number}
    return {"jsonrpc": "2.0", **asked, "method": method, "params": params}


def session(rng: Random) -> list[dict[str, Any]]:
    """Return the messages of a session: texts that are opened and changed, and requests about them."""
    name = rng.choice(("g.pg", "g.pg", "g.yaml", "words.tsv"))
    make = {"g.pg": valid.grammar, "g.yaml": valid.yaml, "words.tsv": valid.lexicon}[name]
    uri, lines = FOLDER + name, make(rng).splitlines(keepends=True)
    at = rng.choice((0, rng.randrange(len(lines))))
    text = b"".join(lines[at : at + rng.choice((4, 8, 16))])  # reading takes most of the time
    if rng.random() < 0.5:
        text = mutated(rng, text)
    shown = text.decode("utf-8", "replace")
    messages = [_message("initialize", INITIALIZE, 0), _message("initialized", {})]
    item = {"uri": uri, "languageId": "numbat", "version": 1, "text": shown}
    messages.append(_message("textDocument/didOpen", {"textDocument": item}))
    for number in range(1, rng.randint(2, 6)):
        if rng.random() < 0.2:
            shown = mutated(rng, shown.encode("utf-8", "replace")).decode("utf-8", "replace")
            about = {"uri": uri, "version": number + 1}
            changes = {"textDocument": about, "contentChanges": [{"text": shown}]}
            messages.append(_message("textDocument/didChange", changes))
        method = rng.choice(METHODS)
        params = _params(rng, method, uri, shown.count("\n"))
        messages.append(_message(f"textDocument/{method}", params, number))
    if rng.random() < 0.3:
        messages.append(_message("textDocument/didClose", {"textDocument": {"uri": uri}}))
    return [*messages, *([_message("shutdown", None, 99), _message("exit", None)] if rng.random() < 0.3 else [])]


def sent(rng: Random) -> bytes:
    """The bytes of a session."""
    return b"".join(framed(json.dumps(message).encode()) for message in session(rng))


def change(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """Return a session with another value in its messages, with messages in another order, or with other bytes."""
    way = rng.random()
    if way < 0.15:
        return mutated(rng, content, others)
    messages: list[Any] = [json.loads(body) for body in bodies(BytesIO(content))]
    if way < 0.3:
        at = rng.randrange(len(messages))
        messages[at:at] = rng.choice(([messages[at]], [messages.pop(at)] * 0, rng.sample(messages, 2)))
        rng.shuffle(messages) if way < 0.2 else None
    else:
        for _ in range(rng.choice((1, 1, 2))):
            at = rng.randrange(1 if way > 0.4 else 0, len(messages))
            messages[at] = mutated_json(rng, messages[at])
    return b"".join(framed(json.dumps(message).encode()) for message in messages)


class _Reader:
    """Bytes in memory, from which run_async reads."""

    def __init__(self, content: bytes) -> None:
        self._stream = BytesIO(content)

    async def readline(self) -> bytes:
        return self._stream.readline()

    async def readexactly(self, size: int) -> bytes:
        return self._stream.read(size)


class _Writer:
    """Keeps the messages of the server."""

    def __init__(self) -> None:
        self.content = bytearray()

    def write(self, data: bytes) -> None:
        self.content += data

    def close(self) -> None:
        """Do nothing: it is memory."""


@cache
def _converter() -> Any:
    """Return the converter of messages to records; making it takes a while."""
    return editor.EditorServer(_endings()).language_server.protocol._converter


def _prepare() -> None:
    """Make once what all sessions need."""
    _converter()
    read_once()
    valid.draw_grammars("pg")
    valid.draw_grammars("yaml")


def _endings() -> editor.Endings:
    def fill() -> None:
        raise MemoryError

    return editor.Endings(lambda: None, fill)


def _answered(rng: Random, path: str) -> object:
    """Send a session to a server. Raises AssertionError unless each request gets one answer, and none is a bug."""
    setattr(editor, "LanguageServer", partial(LanguageServer, converter_factory=_converter))  # noqa: B010 (its type)
    server = editor.EditorServer(_endings())
    writer, wrong = _Writer(), list[BaseException]()
    server.language_server.protocol.set_writer(writer)

    def reported(error: Exception, source: Any) -> None:
        if not isinstance(error, JsonRpcException | ValueError):  # a message that is not JSON has no number
            wrong.append(error)

    server.language_server.report_server_error = reported  # type: ignore[method-assign]
    known, asked, is_over = Known(), Counter[str](), False
    messages = [*bodies(BytesIO(Path(path).read_bytes()))]
    for body in messages:
        content = content_of(body) or {}
        known.note(content)
        method, number = content.get("method"), content.get("id")
        if not is_over and not is_answer(content) and isinstance(number, int | str):
            asked[json.dumps(number)] += 1
        is_over |= method == "exit"
    list(known.messages())
    if rng.random() < 0.4:
        server._checker.ask = partial(_check, server)  # type: ignore[method-assign]
    reader: Any = _Reader(b"".join(map(framed, messages)))
    with suppress(SystemExit):
        asyncio.run(run_async(Event(), reader, server.language_server.protocol, None, reported))
    got = [json.loads(body) for body in bodies(BytesIO(bytes(writer.content)))]
    return _checked(got, wrong, asked)


def _check(server: editor.EditorServer) -> None:
    """Check all open texts, as the thread that checks them does."""
    for main in server.documents.mains():
        server.documents.check(main, lambda: False)
    server._show_checked()


def _checked(got: Sequence[dict[str, Any]], wrong: Sequence[BaseException], asked: Counter[str]) -> object:
    numbers = (json.dumps(each.get("id")) for each in got if "method" not in each)
    answers = Counter(number for number in numbers if number in asked)
    if wrong:
        raise wrong[0]
    for each in got:
        error = each.get("error") or {}
        text = json.dumps(each.get("params", error))
        if error.get("code") == INTERNAL or "has a bug" in text or "Traceback" in text:
            raise AssertionError(f"an internal error: {text[:600]}")
    if answers != asked:
        lost = [*(asked - answers).elements(), *(answers - asked).elements()]
        raise AssertionError(f"asked or answered only: {lost}: {got}")
    return got


LSP: Final[tuple[Kind, ...]] = (
    text_kind("lsp", "m.bin", sent, _answered, places=False, prepare=_prepare, change=change),
)
