"""The server of the page: it listens on the loopback address and answers requests whose link has its token.

GET  /TOKEN/            the page, and its files by name; HEAD returns the headers
GET  /open/ONCE         the same, for the browser that `--open` starts: this address works once
POST /TOKEN/call        a request for the façade; ?slot=NAME: it supersedes the last request with this name
POST /TOKEN/folder      a request about the user's files

What reads grammars or parses runs in other processes (`numbat.runs.children`), one for each page: ?page=NAME.
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from io import BufferedReader, RawIOBase
from itertools import count
from pathlib import Path
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from numbat.errors import NumbatError
from numbat.parsing.policies import Overdue
from numbat.records import Recent
from numbat.runs.children import MEMORY, Answering, Asked, Children, DroppedError
from numbat.runs.pool import WorkerLimits
from numbat.workbench.facade import MAX_SECONDS, Facade, answered, error_view
from numbat.workbench.folder import Folder, answer
from numbat.workbench.session import LanguageOfPage, packaged_texts

ADDRESS: Final = "127.0.0.1"
MAX_SIZE: Final = 16_000_000
"""Maximal size of a request in bytes: enough for a grammar with a large lexicon."""
MAX_AT_ONCE: Final = 16
"""Maximal number of requests that are worked on or wait."""
PATIENCE: Final = 30.0
"""Seconds within which the whole of a request must arrive."""
MAX_CONNECTIONS: Final = 256
"""Maximal number of open connections; the server closes any further one."""
ONCE_SECONDS: Final = 60.0
"""Seconds for which the one-time address is valid."""
LIMITS: Final = WorkerLimits(MAX_SECONDS, MEMORY)
"""Limits of a process that answers requests."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer: the page loads and runs nothing from elsewhere, and nobody else may embed or cache it."""


class Server(ThreadingHTTPServer):
    """Answers the requests of pages that were opened by its link. Raises OSError if the port is taken."""

    daemon_threads = True
    request_queue_size = 128
    """Length of the queue of connections: when it is full, clients try again after one, three, seven seconds."""

    def __init__(
        self,
        folder: Folder | None,
        grammar: str,
        port: int = 0,
        token: str | None = None,
        base: str = "",
        handler: type[Handler] | None = None,
        language: LanguageOfPage | None = None,
        children: Children | None = None,
    ) -> None:
        place = None if folder is None else (folder.root, folder.main)
        self.children = children or Children(partial(answering, place, language), LIMITS)
        super().__init__((ADDRESS, port), handler or Handler)
        self.folder = folder
        self.grammar = grammar
        """Name of the packaged grammar to begin with, if there is no folder."""
        self.base = base
        """Beginning of shared links, the public address of the page; empty if it has none."""
        self.token = token or secrets.token_urlsafe(18)
        self.slots = Slots()
        self.clients = count()
        """Numbers of the requests that come from no page."""
        self.places = BoundedSemaphore(MAX_AT_ONCE)
        self.connections = BoundedSemaphore(MAX_CONNECTIONS)
        self._once: tuple[str, float] | None = None

    def read_ahead(self) -> None:
        """Read the first grammar while the browser loads the page; its mistakes are reported later."""
        self.children.ask(("ahead", self.grammar))

    def ask(self, name: str, text: str, page: str = "", slot: str = "") -> str:
        """Return the answer to a request as JSON, from the process of its page."""
        client = page or slot or f"request {next(self.clients)}"
        asked = self.children.ask((name, text), client)
        if slot and (earlier := self.slots.enter(f"{page}-{slot}", asked)) is not None:
            self.children.replace(earlier)
        try:
            return str(asked.result())
        except DroppedError:
            return json.dumps(answered("", superseded=True))
        except NumbatError as error:
            return json.dumps(answered("", error=error_view(error)))

    def server_close(self) -> None:
        """Close the port, and end all processes that answer."""
        super().server_close()
        self.children.close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a new thread, or close it if there are too many."""
        if not self.connections.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer the requests of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()

    def link_for_once(self) -> str:
        """Return a one-time address of the page: other users may see it in the list of processes."""
        word = secrets.token_urlsafe(18)
        self._once = word, monotonic() + ONCE_SECONDS
        return f"http://{ADDRESS}:{self.server_port}/open/{word}"

    def take_once(self, word: str) -> bool:
        """True if this is the word of the one-time address, which then no longer works."""
        once, self._once = self._once, None
        if once is not None and secrets.compare_digest(word.encode(), once[0].encode()):
            return monotonic() <= once[1]
        self._once = once
        return False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, unless the browser closed the connection, or an interrupt before the thread had started."""
        if not isinstance(sys.exception(), ConnectionError) and request.fileno() >= 0:
            super().handle_error(request, client_address)

    @property
    def link(self) -> str:
        """The address of the page with its secret token."""
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host names that a request may have; with any other it may come from DNS rebinding."""
        return tuple(f"{name}:{self.server_port}" for name in (ADDRESS, "localhost"))


class _Patient(RawIOBase):
    """The bytes that a connection sends until a deadline. Raises TimeoutError."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.until = monotonic() + PATIENCE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(max(0.001, self.until - monotonic()))
        return self._connection.recv_into(buffer)


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "numbat"
    sys_version = ""
    timeout = PATIENCE
    disable_nagle_algorithm = True

    def setup(self) -> None:
        """Read from the connection with a deadline for the whole request."""
        super().setup()
        self.rfile.close()
        self._sent = _Patient(self.connection)
        self.rfile = BufferedReader(self._sent)

    def handle_one_request(self) -> None:
        """Answer a request, which must arrive in time."""
        self._sent.until = monotonic() + PATIENCE
        super().handle_one_request()

    def do_HEAD(self) -> None:
        """Send the headers of the page or of one of its files."""
        self.do_GET()

    def do_GET(self) -> None:
        """Send the page or one of its files."""
        if self.path.startswith("/open/") and self._is_for_us() and self.server.take_once(self.path[len("/open/") :]):
            self._send(HTTPStatus.SEE_OTHER, "text/plain; charset=utf-8", b"", ("Location", f"/{self.server.token}/"))
            return
        name = self._inside()
        file = None if name is None else self.content(name)
        if file is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here: use the link that numbat serve printed")
            return
        self._send(HTTPStatus.OK, *file)

    def do_POST(self) -> None:
        """Answer a request of the page."""
        name = self._inside()
        if name not in ("call", "folder", "start"):
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here: use the link that numbat serve printed")
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
        """Return the content type and the content of a file of the page; None for any other name."""
        return content(name)

    def answer(self, name: str, body: bytes) -> str:
        """Return the answer to a request as JSON."""
        text = body.decode("utf-8", "replace")
        query = parse_qs(urlsplit(self.path).query)
        page, slot = (query.get(key, [""])[0][:100] for key in ("page", "slot"))
        if name == "call":
            return self.server.ask(name, text, page, slot)
        if name == "start":
            is_folder = self.server.folder is not None
            return json.dumps({"grammar": self.server.grammar, "folder": is_folder, "base": self.server.base})
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        reads_grammar = isinstance(value, dict) and value.get("call") == "open"
        if reads_grammar and self.server.folder is not None:
            return self.server.ask(name, text, page)
        return json.dumps(answer(self.server.folder, value), ensure_ascii=False)

    def _inside(self) -> str | None:
        """Return the part of the path after the token; None without the token, and for another host or origin."""
        if not self._is_for_us():
            return None
        token, slash, name = self.path.partition("?")[0].removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), self.server.token.encode()):
            return None
        return name

    def _is_for_us(self) -> bool:
        """True if a request has one Host header, which names this server, and does not come from another page."""
        hosts, origins = (self.headers.get_all(name, []) for name in ("Host", "Origin"))
        if len(hosts) != 1 or hosts[0] not in self.server.hosts or len(origins) > 1:
            return False
        return all(origin in {f"http://{host}" for host in self.server.hosts} for origin in origins)

    def _body(self) -> bytes | None:
        """Return the body of a request; None if it was refused."""
        length, *more = self.headers.get_all("Content-Length", [""])
        is_json = self.headers.get("Content-Type", "").partition(";")[0] == "application/json"
        if more or "Transfer-Encoding" in self.headers or not is_json or not length.isdecimal():
            self._refuse(HTTPStatus.BAD_REQUEST, "a request must be JSON and state its length")
        elif len(length) > 12 or int(length) > MAX_SIZE:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request may have up to {MAX_SIZE // 1_000_000} MB")
        else:
            return self.rfile.read(int(length))
        return None

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True  # the rest of the request is not read
        self._send(status, "text/plain; charset=utf-8", f"{why}\n".encode())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse an invalid HTTP request, with the same headers as other answers."""
        self._refuse(HTTPStatus(code), "this is not a request of the page")

    def _send(self, status: HTTPStatus, kind: str, content: bytes, *more: tuple[str, str]) -> None:
        self.connection.settimeout(PATIENCE)
        self.request_version = self.protocol_version  # HTTP/0.9 would be answered without headers, so without a policy
        self.send_response(status)
        length = ("Content-Length", str(len(content)))
        for name, value in (*HEADERS.items(), ("Content-Type", kind), length, *more):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing: the terminal belongs to the user."""


# The function that answers in another process


def answering(place: tuple[Path, str] | None, language: LanguageOfPage | None) -> Answering:
    """Return the function that answers requests: a grammar to be read ahead, about the folder, or for the façade."""
    facade = Facade(language)
    folder = None if place is None else Folder(*place)

    def answer_request(request: tuple[str, str], is_superseded: Overdue) -> str:
        name, text = request
        if name == "ahead":
            _read_ahead(facade, folder, text)
            return ""
        if name == "folder":
            return json.dumps(answer(folder, json.loads(text)), ensure_ascii=False)
        return facade.answer_text(text, is_superseded)

    return answer_request


def _read_ahead(facade: Facade, folder: Folder | None, name: str) -> None:
    with suppress(NumbatError):
        if folder is not None:
            grammar = {"main": folder.main, "files": {file.name: file.text for file in folder.grammar()}}
        else:
            texts = packaged_texts(name.removesuffix(".pg").removesuffix(".yaml"))
            grammar = {"main": texts.main, "files": dict(texts.files)}
        facade.answer({"call": "sentences", "grammar": grammar, "given": {"sentences": []}})


# Superseding: only the newest request in a slot counts

MAX_SLOTS: Final = 1_000
"""Number of slots remembered; a page has about ten."""


@dataclass
class Slots:
    """The newest request of each slot; a slot is a part of one page, such as its list of sentences."""

    newest: Recent[Asked] = field(default_factory=lambda: Recent(MAX_SLOTS))
    _lock: Lock = field(default_factory=Lock)

    def enter(self, slot: str, asked: Asked) -> Asked | None:
        """Put a request into a slot, and return the one that it supersedes there, if any."""
        with self._lock:
            earlier = self.newest.get(slot)
            self.newest.put(slot, asked)
        return earlier


# The files of the page by name

KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Content types by suffix."""
INDEX: Final = "index.html"


@cache
def names() -> frozenset[str]:
    """Return the names of the files of the page."""
    folder = files("numbat.workbench").joinpath("page")
    return frozenset(file.name for file in folder.iterdir() if file.name[file.name.rfind(".") :] in KINDS)


def content(name: str) -> tuple[str, bytes] | None:
    """Return the content type and the content of a file of the page; None for any other name."""
    name = name or INDEX
    if name not in names():
        return None
    return KINDS[name[name.rfind(".") :]], files("numbat.workbench").joinpath("page", name).read_bytes()
