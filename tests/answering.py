"""A process for tests of `numbat.runs.children`; it and the test leave each other signs as files in a folder."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from numbat.editor.messages import body_of, framed
from numbat.editor.relay import Relay
from numbat.parsing.policies import Overdue
from numbat.runs.children import Answering, Children
from tests.waiting import until

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

EXPONENTIAL: Final = "(a|a)*c"
"""A regular expression that takes years with a text of `a` alone, during which Python runs no other thread."""


class HandClock:
    """A clock that a test moves: limits are met when the test says so."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time

    def move(self, seconds: float, children: Children | Relay) -> None:
        """Move the clock after all that was asked, and before all that will be."""

        def act() -> None:
            self.time += seconds

        children._queue.put(act)


def answering(folder: Path) -> Answering:
    """Return a function that answers the calls below, each with its number in this process."""
    return partial(_answer, folder, count(1))


def _answer(folder: Path, numbers: count[int], request: tuple[str, str], is_superseded: Overdue) -> Any:
    call, given = request
    number = next(numbers)
    with (folder / given).open("a", encoding="utf-8") as begun:
        begun.write(f"{call}\n")
    if call == "hang":
        re.match(EXPONENTIAL, "a" * 100)
    elif call == "wait":
        until(lambda: is_superseded() or (folder / f"{given} may end").exists())
    elif call == "fill":
        bytearray(2**40)
    elif call == "crash":
        os._exit(7)
    elif call == "err":
        raise ValueError(given)
    return number, os.getpid(), is_superseded()


def scripted(connection: Connection, folder: Path) -> None:
    """A server that answers with its process and all methods so far, and does what some of them say."""
    methods: list[str] = []
    texts: dict[str, str] = {}
    while body := connection.recv():
        content = json.loads(body)
        method, given = content.get("method", "answer"), content.get("params") or {}
        methods.append(method)
        if method == "textDocument/didOpen":
            texts[given["textDocument"]["uri"]] = given["textDocument"]["text"]
        elif method == "hang":
            (folder / "hangs").touch()
            re.match(EXPONENTIAL, "a" * 100)
        elif method == "end":
            os._exit(given["code"])
        elif method == "ask back":
            connection.send(framed(body_of(id="back", method="refresh")))
        if "id" in content and "method" in content:
            result = {"process": os.getpid(), "methods": methods, "texts": texts}
            connection.send(framed(body_of(id=content["id"], result=result)))
    os._exit(0)
