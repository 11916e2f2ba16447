"""Headless Firefox, driven by WebDriver BiDi, for a smoke test of a page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.browser import PageError

NAMES: Final = ("firefox-esr", "firefox")
PATIENCE: Final = 600.0
"""Time limit in seconds for the start of Firefox, for an answer, and for a condition on a page."""
PREFERENCES: Final = """
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""


class Firefox:
    """A browser with one page under the control of a test."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])
        self._context = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method: str, **given: Any) -> dict[str, Any]:
        """The answer of the browser to a command of the protocol."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": given}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._number:
                if answer["type"] == "error":
                    raise PageError(f"{method}: {answer['message']}")
                found: dict[str, Any] = answer["result"]
                return found
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        if event.get("method") == "network.beforeRequestSent":
            self.requests.append(given["request"]["url"])
        elif event.get("method") == "log.entryAdded" and given["level"] == "error":
            self.errors.append(str(given["text"]))

    def go(self, address: str) -> None:
        """Opens a page and waits until it is loaded."""
        self.ask("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression on the page, as JSON has it."""
        found = self.ask(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({script})))()",
            target={"context": self._context},
            awaitPromise=True,
        )
        if found["type"] == "exception":
            raise PageError(f"{script}: {found['exceptionDetails']['text']}")
        return json.loads(found["result"].get("value", "null"))

    def wait(self, script: str) -> None:
        """Waits until an expression is true."""
        end = monotonic() + PATIENCE
        while monotonic() < end:
            if self.run(f"Boolean({script})"):
                return
            sleep(0.05)
        raise PageError(
            f"not so after {PATIENCE:g} seconds: {script}\n{self.errors}\n{self.run('document.body.innerText')}"
        )

    def resize(self, width: int, height: int = 900) -> None:
        """Gives the page another size."""
        self.ask("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    def picture(self, path: Path) -> None:
        """Writes a picture of the page."""
        taken = self.ask("browsingContext.captureScreenshot", context=self._context)
        path.write_bytes(b64decode(taken["data"]))


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """Firefox for a test, which is skipped if there is none."""
    program = os.environ.get("NUMBAT_FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Firefox here: install firefox-esr, or name one in NUMBAT_FIREFOX")
    (profile / "user.js").write_text(PREFERENCES, encoding="utf-8")
    told = profile / "told.txt"
    command = [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    with told.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    try:
        with connect(_address(told), max_size=None, proxy=None, open_timeout=PATIENCE, ping_interval=None) as socket:
            yield Firefox(socket)
    finally:
        process.terminate()
        process.wait()


def _address(told: Path) -> str:
    """Return the address that Firefox prints when it has started."""
    end = monotonic() + PATIENCE
    while monotonic() < end:
        text = told.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"ws://[\w.:\[\]]+", text):
            return f"{found[0]}/session"
        sleep(0.05)
    raise PageError(f"Firefox does not start: {text}")
