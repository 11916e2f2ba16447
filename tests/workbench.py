"""The page of the workbench as a test opens it and works on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Final

from numbat.workbench.folder import Folder
from numbat.workbench.serving import Handler, Server
from numbat.workbench.session import MAX_SECONDS
from tests.browser import Browser

TINY: Final = (Path(__file__).parent / "web_cases" / "tiny.pg").read_text(encoding="utf-8")
STATUS: Final = "[...document.querySelectorAll('#sentences .status')].map(each => each.textContent)"
ROW: Final = "#sentences li:nth-child({}) textarea"
EDITOR: Final = "document.querySelector('.editor').editorView"
TEXT: Final = f"{EDITOR}.state.doc.toString()"
EVIL: Final = '<img src=x onerror="document.title=1"><script class=typed>document.title=2</script>'
MARKED_UP: Final = "[document.title, document.querySelectorAll('img[src=x], .typed').length]"
"""The title, and the number of typed texts (`EVIL`, and the class `typed`) that the page took for markup."""


class Unhurried(Handler):
    """Gives each request all the time that one may have: on a busy machine its five seconds are little."""

    def answer(self, name: str, body: bytes) -> str:
        if name == "call":
            request = json.loads(body)
            request.setdefault("settings", {})["seconds"] = MAX_SECONDS
            body = json.dumps(request).encode()
        return super().answer(name, body)


@contextmanager
def workbench(opened: Browser, folder: Path, base: str = "") -> Iterator[Server]:
    """The page of a served folder with the grammar `tiny.pg`, in its first state; it only contacts its server."""
    (folder / "tiny.pg").write_text(TINY, encoding="utf-8")
    running = Server(Folder(folder, "tiny.pg"), "tiny.pg", base=base, handler=Unhurried)
    Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    opened.resize(1200)
    opened.go(running.link)
    opened.wait("document.querySelector('.tree svg') && document.querySelectorAll('.status b').length === 2")
    yield running
    opened.go("about:blank")
    options, errors = opened.told()
    running.shutdown()
    running.server_close()
    assert [each for each in options if not each.startswith((running.link, "data:", "blob:", "about:"))] == []
    assert errors == [], errors


def retype(page: Browser, where: str, text: str) -> None:
    page.run(f"(() => {{ const each = document.querySelector({where!r}); each.focus(); each.select(); }})()")
    page.type(text)


def replace(page: Browser, text: str) -> None:
    """Puts another text into the editor, in one change."""
    change = f"{{from: 0, to: {EDITOR}.state.doc.length, insert: {json.dumps(text)}}}"
    page.run(f"{EDITOR}.dispatch({{changes: {change}, selection: {{anchor: {len(text)}}}, userEvent: 'input'}})")
    page.run(f"{EDITOR}.focus()")


def rewrite(page: Browser, text: str) -> None:
    """Types another text into the editor: all but its last letter at once."""
    replace(page, text[:-1])
    page.type(text[-1])


def change(page: Browser, where: str, value: str) -> None:
    """Set a field to another value, as if it were chosen."""
    field = f"document.querySelector({where!r})"
    page.run(f"{field}.value = {json.dumps(value)}; {field}.dispatchEvent(new Event('change'))")


def click(page: Browser, text: str, inside: str = "body") -> None:
    """Click the button with this text, once it exists."""
    buttons = f"[...document.querySelectorAll({inside + ' button'!r})]"
    found = f"{buttons}.find(each => each.textContent.startsWith({json.dumps(text)}))"
    page.wait(f"(() => {{ const button = {found}; button?.click(); return button; }})()")


def shows_text(page: Browser, where: str, text: Any) -> None:
    """Waits until an element has this text, or one that a function finds right."""
    page.shows(f"document.querySelector({where!r}).textContent", text)


def text_of(page: Browser, where: str) -> Any:
    return page.run(f"document.querySelector({where!r}).textContent")


def caught(page: Browser) -> None:
    """From here on files that the page gives to the user are kept in `window.given`, by name."""
    page.run("""(() => {
      window.given = {}; const blobs = {}; const made = URL.createObjectURL;
      URL.createObjectURL = (blob) => { const address = made(blob); blobs[address] = blob; return address; };
      HTMLAnchorElement.prototype.click = async function () {
        const blob = blobs[this.href], bytes = new Uint8Array(await blob.arrayBuffer());
        window.given[this.download] = { type: blob.type, text: await blob.text(), first: [...bytes.slice(0, 4)] };
      }; })()""")
