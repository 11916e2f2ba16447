"""Headless Chromium, driven by the DevTools protocol through pipes, for tests of pages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from time import monotonic
from typing import Any, Final

import pytest

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
PATIENCE: Final = 600.0
"""Time limit in seconds for an answer of the browser, and for a condition on a page."""
REST: Final = 1_500
"""Number of looks at a page without a request under way, after which it does not change any more: half a minute."""
COMPUTES: Final = "document.documentElement?.dataset.backend === 'pyodide'"
"""True on pages that compute without requests."""
FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--hide-scrollbars",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
)


class PageError(AssertionError):
    """An error on a page."""


class Browser:
    """A browser with one page under the control of a test."""

    def __init__(self, program: str, profile: Path) -> None:
        command_in, self._out = os.pipe()
        self._in, answers_out = os.pipe()

        def give_pipes() -> None:
            os.dup2(command_in, 103)
            os.dup2(answers_out, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=give_pipes,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.number = self._process.pid
        os.close(command_in)
        os.close(answers_out)
        self._buffer = b""
        self._number = 0
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._under_way: dict[str, str] = {}
        target = next(each for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session: str | None = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    _session: str | None = None

    def ask(self, method: str, **given: Any) -> dict[str, Any]:
        """The answer of the browser to a command of the protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = monotonic() + PATIENCE
        while monotonic() < end:
            messages = self._messages(end)
            for event in messages:
                self._note(event)
            for answer in [each for each in messages if each.get("id") == self._number]:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']['message']}")
                found: dict[str, Any] = answer["result"]
                return found
        raise PageError(f"{method}: no answer in {PATIENCE:g} seconds")

    def _messages(self, end: float) -> list[dict[str, Any]]:
        if select([self._in], [], [], max(0.0, end - monotonic()))[0]:
            self._buffer += os.read(self._in, 1 << 16)
        *whole, self._buffer = self._buffer.split(b"\0")
        return [json.loads(each) for each in whole]

    def _note(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
            self._under_way[given["requestId"]] = given["request"]["url"]
        elif event.get("method") in ("Network.loadingFinished", "Network.loadingFailed"):
            self._under_way.pop(given["requestId"], None)
        elif event.get("method") == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif event.get("method") == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")

    def go(self, address: str) -> None:
        """Opens a page and waits until it is loaded."""
        self.ask("Page.navigate", url=address)
        self.wait(f"document.readyState === 'complete' && location.href === {json.dumps(address)}")

    def told(self) -> tuple[list[str], list[str]]:
        """The addresses that pages have asked for since this was asked last, and the errors that they have met."""
        found = self.requests, self.errors
        self.requests, self.errors = [], []
        return found

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression on the page, as JSON has it."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise PageError(f"{script}: {found['exceptionDetails']['exception'].get('description')}")
        return found["result"].get("value")

    def wait(self, script: str) -> None:
        """Waits until an expression is true."""
        self.shows(f"Boolean({script})", True)

    def shows(self, script: str, expected: Any) -> None:
        """Wait until an expression has a value, or one that a function accepts.

        A page takes some time to react to a click, a key or an answer.
        """
        is_right: Callable[[Any], bool] = expected if callable(expected) else lambda value: bool(value == expected)
        end, rested, found = monotonic() + PATIENCE, 0, None
        while monotonic() < end and rested < REST:
            try:
                if is_right(found := self.run(script)):
                    return
            except (
                AttributeError,
                LookupError,
                PageError,
                TypeError,
            ) as error:  # such as of an element that is not there yet
                found = error
            rested = 0 if self._under_way else rested + 1
            if rested == REST and self.run(COMPUTES):
                rested = 0
            select([], [], [], 0.02)
        why = "the page has nothing more to do" if rested == REST else f"{PATIENCE:g} seconds are over"
        waits_for = [*self._under_way.values()]
        text = self.run("document.body?.innerText")
        raise PageError(f"{script}: not {expected!r} but {found!r}, and {why}\n{waits_for=}\n{self.errors}\n{text}")

    def met(self, number: int) -> None:
        """Wait until there were this number of errors on pages since the last call of `told`."""
        end = monotonic() + PATIENCE
        while len(self.errors) < number:
            assert monotonic() < end, self.errors
            self.drawn()

    def type(self, text: str) -> None:
        """Types into the field that has the focus."""
        self.ask("Input.insertText", text=text)

    def press(self, key: str, code: int = 0) -> None:
        """Presses and lets go of a key such as `Enter` or `ArrowDown`."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def resize(self, width: int, height: int = 900) -> None:
        """Gives the page another size, and waits until it has it and has drawn itself."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.wait(f"innerWidth === {width} && innerHeight === {height}")
        self.drawn()

    def drawn(self) -> None:
        """Wait until the page is drawn: the second frame comes after the callbacks of resize observers."""
        self.run("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))")

    def prefer(self, scheme: str) -> None:
        """Asks for light or dark pages, and waits until the page has drawn itself."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.drawn()

    def picture(self, path: Path) -> None:
        """Writes a picture of the whole page."""
        path.write_bytes(b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def close(self) -> None:
        """Ends the browser."""
        self._process.terminate()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser for a test, which is skipped if there is none."""
    program = os.environ.get("NUMBAT_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no browser here: install chromium, or name one in NUMBAT_BROWSER")
    opened = Browser(program, profile)
    try:
        yield opened
    finally:
        opened.close()


def worst_contrast(page: Browser) -> float:
    """Return the lowest contrast of a text with its background, by the formula of WCAG 2."""
    shown = page.run("""[...(document.body || document).querySelectorAll('*')].filter(each => each.checkVisibility() &&
        [...each.childNodes].some(child => child.nodeType === 3 && child.data.trim())).map(each => {
          const text = each.namespaceURI.endsWith('svg') ? getComputedStyle(each).fill : getComputedStyle(each).color;
          let behind = each;
          const box = each.previousElementSibling;
          const isLabel = box && box.localName === 'rect' && box.parentElement.localName === 'g';
          if (isLabel) return [text, getComputedStyle(box).fill];
          const painted = () => getComputedStyle(behind).backgroundColor;
          while (behind && painted() === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
          const paper = document.body ? null : document.querySelector('.paper');
          return [text, behind ? painted() : paper ? getComputedStyle(paper).fill : 'rgb(255, 255, 255)'];
        })""")

    def brightness(colour: str) -> float:
        parts = [int(each) / 255 for each in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        light, dark = sorted((brightness(one), brightness(other)), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    assert len(shown) > 3
    return min(contrast(*pair) for pair in shown)
