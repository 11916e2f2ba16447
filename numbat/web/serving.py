"""The server of the page: on the loopback address, for whoever has the link with its token, within limits.

GET  /TOKEN/            the page, and its files by name
POST /TOKEN/call        a request for the façade; ?slot=NAME: it supersedes the one before of this name
POST /TOKEN/folder      a request about the user's files
"""

from __future__ import annotations

import gc
import json
import secrets
import sys
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from itertools import count
from threading import BoundedSemaphore, Lock, Thread
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from numbat.errors import NumbatError
from numbat.parsing.policies import Overdue, never
from numbat.web.facade import Facade
from numbat.web.folder import Folder, answer
from numbat.web.session import LanguageOfPage, Recent, packaged_texts

ADDRESS: Final = "127.0.0.1"
MAX_SIZE: Final = 16_000_000
"""Bytes of a request: the texts of a grammar with a large lexicon."""
MAX_AT_ONCE: Final = 16
"""Requests that are worked on or wait at one time."""
PATIENCE: Final = 30.0
"""Seconds that the server waits for a browser to send what it began to send."""
QUIET: Final = 10.0
"""Seconds without a request after which garbage is collected."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer says: nothing from elsewhere is loaded or run, and nobody else may show or keep it."""


class Server(ThreadingHTTPServer):
    """Answers the requests of pages that were opened by its link. Raises OSError where the port is taken."""

    daemon_threads = True

    def __init__(
        self,
        folder: Folder | None,
        grammar: str,
        port: int = 0,
        token: str | None = None,
        base: str = "",
        handler: type[Handler] | None = None,
        language: LanguageOfPage | None = None,
    ) -> None:
        super().__init__((ADDRESS, port), handler or Handler)
        self.folder = folder
        self.grammar = grammar
        """The name of the packaged grammar to begin with, where there is no folder."""
        self.base = base
        """Where the page lives for others: links that are shared begin so; empty where it is here alone."""
        self.token = token or secrets.token_urlsafe(18)
        self.facade = Facade(language)
        self.slots = Slots()
        self.places = BoundedSemaphore(MAX_AT_ONCE)
        self.asked_at: float | None = None
        """When it was asked last, None where no garbage was made since it was collected."""

    def read_ahead(self) -> None:
        """Read the grammar to begin with while the browser loads the page; what is wrong with it is told later."""
        Thread(target=self._read_ahead, daemon=True).start()

    def _read_ahead(self) -> None:
        try:
            if self.folder is not None:
                opened = self.folder.grammar()
                grammar = {"main": self.folder.main, "files": {each.name: each.text for each in opened}}
            else:
                texts = packaged_texts(self.grammar.removesuffix(".pg").removesuffix(".yaml"))
                grammar = {"main": texts.main, "files": dict(texts.files)}
            self.facade.answer({"call": "sentences", "grammar": grammar, "given": {"sentences": []}})
        except NumbatError:
            pass

    def service_actions(self) -> None:
        """Collect garbage once nobody has asked for a while, so that no answer waits for it."""
        if self.asked_at is not None and monotonic() - self.asked_at > QUIET:
            self.asked_at = None
            gc.collect()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of a mistake, but for a browser that went away in the middle of an answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def link(self) -> str:
        """The address of the page, which nobody can guess."""
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which a browser may ask; any other may be a page elsewhere that points its name here."""
        return tuple(f"{name}:{self.server_port}" for name in (ADDRESS, "localhost"))


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "numbat"
    sys_version = ""
    timeout = PATIENCE
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Send the page or one of its files."""
        name = self._inside()
        found = None if name is None else self.content(name)
        if found is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here: take the link that numbat serve has printed")
            return
        self._send(HTTPStatus.OK, *found)

    def do_POST(self) -> None:
        """Answer a request of the page."""
        name = self._inside()
        if name not in ("call", "folder", "start"):
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here: take the link that numbat serve has printed")
            return
        body = self._body()
        if body is None:
            return
        if not self.server.places.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests at once: try again in a moment")
            return
        try:
            answered = self.answer(name, body)
        finally:
            self.server.places.release()
        self._send(HTTPStatus.OK, "application/json", answered.encode("utf-8", "replace"))

    def content(self, name: str) -> tuple[str, bytes] | None:
        """Return the kind and the content of a file of the page; None for a name that is none of its."""
        return content(name)

    def answer(self, name: str, body: bytes) -> str:
        """Return the answer to a request as JSON."""
        text = body.decode("utf-8", "replace")
        self.server.asked_at = monotonic()
        if name == "call":
            slot = parse_qs(urlsplit(self.path).query).get("slot", [""])[0]
            return self.server.facade.answer_text(text, self.server.slots.enter(slot[:100]))
        if name == "start":
            is_folder = self.server.folder is not None
            return json.dumps({"grammar": self.server.grammar, "folder": is_folder, "base": self.server.base})
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        return json.dumps(answer(self.server.folder, value), ensure_ascii=False)

    def _inside(self) -> str | None:
        """Return the part of the path behind the token; None without the token, and for another host or origin."""
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in self.server.hosts:
            return None
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            return None
        token, slash, name = self.path.partition("?")[0].removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), self.server.token.encode()):
            return None
        return name

    def _body(self) -> bytes | None:
        """Return the body of a request; None if it was refused."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type", "").partition(";")[0] != "application/json" or not length.isdecimal():
            self._refuse(HTTPStatus.BAD_REQUEST, "a request is JSON with its length")
        elif len(length) > 12 or int(length) > MAX_SIZE:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has up to {MAX_SIZE // 1_000_000} MB")
        else:
            return self.rfile.read(int(length))
        return None

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True  # what the browser still sends is not read
        self._send(status, "text/plain; charset=utf-8", f"{why}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in (*HEADERS.items(), ("Content-Type", kind), ("Content-Length", str(len(content)))):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing: the terminal is the user's."""


# Superseding: of the requests in one slot only the newest counts

MAX_SLOTS: Final = 1_000
"""So many slots are remembered: a page has about ten."""


@dataclass
class Slots:
    """The number of the newest request of each slot; a slot is a part of one page, such as its list of sentences."""

    newest: Recent[int] = field(default_factory=lambda: Recent(MAX_SLOTS))
    _numbers: count[int] = field(default_factory=count)
    _lock: Lock = field(default_factory=Lock)

    def enter(self, slot: str) -> Overdue:
        """A request comes into a slot, which supersedes the one before; says later whether it was superseded itself.

        A request without a slot is never superseded.
        """
        if not slot:
            return never
        with self._lock:
            number = next(self._numbers)
            self.newest.put(slot, number)
        return lambda: self.newest.values.get(slot, number) != number


# The files of the page by name

KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What a file is, by the ending of its name."""
INDEX: Final = "index.html"


@cache
def names() -> frozenset[str]:
    """Return the names of the files of the page."""
    folder = files("numbat.web").joinpath("page")
    return frozenset(each.name for each in folder.iterdir() if each.name[each.name.rfind(".") :] in KINDS)


def content(name: str) -> tuple[str, bytes] | None:
    """Return the kind and the content of a file; None for a name that is none of the page's."""
    name = name or INDEX
    if name not in names():
        return None
    return KINDS[name[name.rfind(".") :]], files("numbat.web").joinpath("page", name).read_bytes()
