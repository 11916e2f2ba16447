"""The language server as a process: its exit codes, and an answer to every request, however wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")
from numbat.editor import answers
from numbat.editor.documents import Documents, GrammarDocument
from tests.test_surroundings import environment

INITIALIZE = {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
SHUTDOWN, EXIT = {"id": 2, "method": "shutdown"}, {"method": "exit"}


def talk(folder: Path, *messages: dict[str, Any] | bytes) -> tuple[int, list[dict[str, Any]], str]:
    """The exit code of a server, what it has sent after the answer to `initialize`, and its standard error."""
    sent = b""
    for message in (INITIALIZE, {"method": "initialized", "params": {}}, *messages):
        body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        sent += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    command = [sys.executable, "-m", "numbat", "lsp", "--log", "log"]
    done = subprocess.run(command, cwd=folder, env=environment(), input=sent, capture_output=True, check=False)
    bodies = [part.partition(b"\r\n\r\n")[2] for part in done.stdout.split(b"Content-Length: ")[1:]]
    received = [json.loads(body) for body in bodies]
    others = [message for message in received if message.get("id") != 1]
    assert len(others) == len(received) - 1
    return done.returncode, others, done.stderr.decode()


@pytest.mark.parametrize(
    ("messages", "code"),
    [((SHUTDOWN, EXIT), 0), ((EXIT,), 1), ((SHUTDOWN,), 0), ((), 0)],
    ids=["in order", "exit alone", "closed after shutdown", "closed"],
)
def test_how_a_server_ends(tmp_path: Path, messages: tuple[dict[str, Any], ...], code: int) -> None:
    ended, received, told = talk(tmp_path, *messages)
    assert (ended, told) == (code, "")
    assert [message["id"] for message in received] == [2] * (SHUTDOWN in messages)


TEXT = {"textDocument": {"uri": "file:///none/g.pg"}}
PLACE = {"line": 0, "character": 0}
WRONG: list[tuple[str, Any, str]] = [
    ("textDocument/hover", None, "invalid value for type, expected HoverParams @ request.params"),
    (
        "textDocument/hover",
        {},
        "required field missing @ request.params.textDocument; required field missing @ request.params.position",
    ),
    (
        "textDocument/hover",
        {**TEXT, "position": {"line": "x", "character": 1}},
        "invalid value for type, expected int @ request.params.position.line",
    ),
    ("textDocument/hover", {**TEXT, "position": {**PLACE, "line": -1}}, "invalid value @ request.params.position"),
    ("textDocument/hover", {**TEXT, "position": {**PLACE, "line": 10**30}}, "invalid value @ request.params.position"),
    ("textDocument/rename", {**TEXT, "position": PLACE}, "required field missing @ request.params.newName"),
]


def test_a_request_with_wrong_parameters_gets_an_error_and_the_server_goes_on(tmp_path: Path) -> None:
    requests = [{"id": 10 + i, "method": method, "params": given} for i, (method, given, _) in enumerate(WRONG)]
    last = {"id": "last", "method": "textDocument/foldingRange", "params": {"textDocument": {"uri": "file:///none"}}}
    code, received, told = talk(tmp_path, *requests, last, SHUTDOWN, EXIT)
    errors = [message["error"] for message in received[: len(WRONG)]]
    assert [(error["code"], error["message"]) for error in errors] == [
        (-32602, f"{method}: {wrong}") for method, _, wrong in WRONG
    ]
    assert [message["id"] for message in received] == [*(10 + i for i in range(len(WRONG))), "last", 2]
    assert received[-2]["error"]["message"] == "/none is not open and cannot be read"
    assert (code, told) == (0, "")


def test_what_is_no_request_gets_an_error(tmp_path: Path) -> None:
    late = {"id": 3, "method": "textDocument/hover", "params": {**TEXT, "position": PLACE}}
    code, received, told = talk(
        tmp_path,
        {"id": 4, "method": "no/such", "params": {}},
        *(b"[]", b"5", b'{"id": 5, "method": "textDocument/hover"}'),
        {"id": 6, "jsonrpc": "1.0", "method": "textDocument/hover", "params": {}},
        {"id": 7, "method": 5},
        {"id": [8], "method": "textDocument/hover"},
        {"id": 9, "jsonrpc": ["2.0"]},
        {"id": 10, "method": None},
        {"id": 11},
        {"id": [12], "result": 1},  # an answer to nothing
        {"id": 13, "result": 1},
        b'{"jsonrpc": "2.0", "id": 14, "method": "textDocument/hover"} {',
        {"id": 15, "method": "no/such", "params": {"jsonrpc": "2.0", "id": 16, "method": 5}},
        *(SHUTDOWN, late, EXIT),
    )
    # What is not JSON is answered by another process than the rest.
    received.remove({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "this is not JSON"}})
    errors = [(message.get("id"), message.get("error", {})) for message in received]
    assert [(number, error.get("code"), error.get("message")) for number, error in errors] == [
        (4, -32601, "Method Not Found: no/such"),
        *(
            (number, -32600, "this is not a message of JSON-RPC 2.0")
            for number in (None, None, 5, 6, 7, None, 9, 10, 11)
        ),
        (15, -32601, "Method Not Found: no/such"),
        (2, None, None),
        (3, -32600, "the server was shut down"),
    ]
    assert (code, told) == (0, "")


GOOD = """\
leaves: Det, N, V
roots: S
features: number: sg, pl
NP:
    oblig N
    Det < N
S:
    oblig V
"""


@pytest.mark.parametrize(
    "mistake", ["    NP < Vx\n", "    NP < (\n", "    NP[size=3] < V\n", 'include: "none.pg"\n'], ids=str.strip
)
@pytest.mark.parametrize("was_good", [True, False])
def test_hover_and_completion_work_while_another_line_has_a_mistake(
    tmp_path: Path, mistake: str, was_good: bool
) -> None:
    path = tmp_path / "g.pg"
    documents = Documents()
    document = documents.open[path] = GrammarDocument(path, GOOD)
    if was_good:
        documents.check(path)
    new = "PP:\n    oblig Det\n"  # was not there when the grammar was without mistakes
    document.change(GOOD + mistake + new)
    documents.check(path)
    assert documents.diagnostics(path)
    about = answers.hover(documents, document, 6, 5)
    assert about is not None
    assert about.startswith("**Det**: a leaf, the category of words")
    assert "**NP:** `Det < N`" in about
    assert "**PP:** `oblig Det`" in str(answers.hover(documents, document, document.lines.index("PP:") + 2, 8))
    names = {item.label for item in answers.completions(documents, document, 6, 8)}
    assert {"Det", "N", "V", "NP", "S", "PP", "obligation", "linearity"} <= names
    features = {item.label for item in answers.completions(documents, GrammarDocument(path, "NP:\n    N["), 2, 6)}
    assert {"number", "sg", "pl"} <= features
