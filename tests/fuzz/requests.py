"""The kinds of requests to `numbat serve`: as JSON for the façade, as HTTP in the bytes of a connection."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any, Final

from numbat.errors import DataError
from numbat.parsing.policies import never
from numbat.runs.children import Answering, Asked
from numbat.workbench.corpus_page import CorpusServer
from numbat.workbench.corpus_page import answering as answering_store
from numbat.workbench.facade import INTERNAL, Facade
from numbat.workbench.folder import Folder
from numbat.workbench.serving import HEADERS, Server, answering
from tests.fuzz import valid
from tests.fuzz.kinds import text_kind
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.runner import Kind
from tests.fuzz.stores import PAGE_REQUESTS, page_request, store_path
from tests.web_requests import CASES, TINY, read_case

SECONDS: Final = 0.5
"""Time limit of a request in seconds; some are changed to another one."""

# The façade


@cache
def cases() -> tuple[str, ...]:
    """The requests of the folder `web_cases` that need no packaged grammar."""
    found = []
    for path in CASES:
        request, _ = read_case(path)
        if "packaged" not in json.dumps(request.get("grammar", {})):
            request["settings"]["seconds"] = SECONDS
            found.append(json.dumps(request))
    return tuple(found)


def request(rng: Random) -> bytes:
    """A request of the page."""
    value = json.loads(rng.choice(cases()))
    given = value.get("given", {})
    if "sentence" in given and rng.random() < 0.5:
        given["sentence"] = valid.sentence(rng)
    return json.dumps(value).encode()


def change_request(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """Return a request with another value, with another text of its grammar or its suite, or with other bytes."""
    way = rng.random()
    if way < 0.1:
        return mutated(rng, content, others)
    value = json.loads(content)
    texts: list[tuple[dict[str, Any], str]] = []
    for place in (value.get("grammar", {}).get("files", {}), value.get("given", {})):
        texts += [(place, name) for name, text in place.items() if isinstance(text, str)]
    if way < 0.5 and texts:
        place, name = rng.choice(texts)
        place[name] = mutated(rng, place[name].encode()).decode("utf-8", "replace")
        return json.dumps(value).encode()
    value = mutated_json(rng, value)
    if isinstance(value, dict) and not value.get("grammar"):
        value["grammar"] = {"main": "anbn.pg"}  # the default takes seconds to read
    return json.dumps(value).encode()


@cache
def _facade() -> Facade:
    return Facade()


def _answer(rng: Random, path: str) -> object:
    text = Path(path).read_bytes().decode("utf-8", "replace")
    answer = json.loads(_facade().answer_text(text))
    return checked(answer)


def checked(answer: Any) -> Any:
    """Return an answer. Raises DataError for one that is an error, and AssertionError for one that is a bug."""
    if len({"answer", "error", "superseded"} & set(answer)) != 1:
        raise AssertionError(f"not an answer: {answer}")
    if error := answer.get("error"):
        if error["kind"] == INTERNAL or "has a bug" in error["message"]:
            raise AssertionError(error["message"])
        hints = "\n".join(f"  {line}" for line in (error["hint"], *(p["message"] for p in error["problems"])) if line)
        raise DataError(f"{error['message']}\n{hints}")
    return answer


# HTTP: a connection in memory, and a server whose requests this process answers


class Inside:
    """Answers at once, in place of other processes."""

    def __init__(self, answer: Answering) -> None:
        self._answer = answer

    def ask(self, content: Any, client: str | None = None) -> Asked:
        """Return a request that has its answer."""
        asked = Asked(content, client)
        asked.finish(self._answer(content, never))
        return asked

    def replace(self, asked: Asked) -> None:
        """Do nothing: nothing is in progress."""

    def close(self) -> None:
        """Do nothing: there are no processes."""


class Connection:
    """A connection in memory that sends some bytes and then nothing."""

    def __init__(self, sent: bytes) -> None:
        self._sent = BytesIO(sent)
        self.received = bytearray()

    def recv_into(self, buffer: memoryview) -> int:
        return self._sent.readinto(buffer)

    def sendall(self, data: bytes) -> None:
        self.received += data

    def makefile(self, mode: str, size: int = -1) -> BytesIO:
        return BytesIO()

    def settimeout(self, seconds: float | None) -> None:
        """Do nothing: memory is fast."""

    def setsockopt(self, *arguments: object) -> None:
        """Do nothing: there is no network."""


SECRET: Final = b"a secret beside the folder"


@cache
def _workbench() -> Server:
    root = Path(mkdtemp())
    (root / "secret.key").write_bytes(SECRET)
    (root / "folder").mkdir()
    _fill(root / "folder")
    place = root / "folder", "main.pg"
    return Server(Folder(*place), "main.pg", children=Inside(answering(place, None)))  # type: ignore[arg-type]


def _fill(folder: Path) -> None:
    (folder / "main.pg").write_text('include: "tiny.pg"\n', encoding="utf-8")
    (folder / "tiny.pg").write_text(TINY, encoding="utf-8")


@cache
def _page_of_store() -> Server:
    path = store_path()
    return CorpusServer(path, None, children=Inside(answering_store(path, None)))  # type: ignore[arg-type]


FOLDER_CALLS: Final[tuple[dict[str, Any], ...]] = (
    {"call": "open", "given": {}},
    {"call": "read", "given": {"name": "tiny.pg"}},
    {"call": "read", "given": {"name": "../secret.key"}},
    {"call": "save", "given": {"name": "new.tsv", "text": "a\n", "digest": ""}},
    {"call": "save", "given": {"name": "../new.tsv", "text": "a\n", "digest": ""}},
)
TOKEN, PORT = "TOKEN", "PORT"


def _post(name: str, body: bytes, *more: str) -> bytes:
    head = (f"POST {name} HTTP/1.1", f"Host: 127.0.0.1:{PORT}", "Content-Type: application/json", *more)
    return "\r\n".join((*head, f"Content-Length: {len(body)}", "", "")).encode() + body


def _get(name: str, *more: str) -> bytes:
    return "\r\n".join((f"GET {name} HTTP/1.1", f"Host: localhost:{PORT}", *more, "", "")).encode()


def http(rng: Random) -> bytes:
    """One to three requests of a connection, to the workbench or to the page of a store."""
    requests = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        token = TOKEN if rng.random() < 0.85 else rng.choice(("", "x", TOKEN.lower()))
        origin = (f"Origin: http://{rng.choice(('localhost', '127.0.0.1', 'evil.example'))}:{PORT}",)
        more = origin if rng.random() < 0.3 else ()
        way = rng.random()
        if way < 0.3:
            name = rng.choice(("", "index.html", "page.js", "corpus.js", "../serving.py", "open/x", "worker.js"))
            requests.append(_get(f"/{token}/{name}", *more))
        elif way < 0.5:
            body = change_request(rng, request(rng), ()) if rng.random() < 0.5 else request(rng)
            slot = rng.choice(("", "?page=a&slot=b", "?slot=parse"))
            requests.append(_post(f"/{token}/call{slot}", body, *more))
        elif way < 0.7:
            requests.append(_post(f"/{token}/call", page_request(rng), *more))
        elif way < 0.9:
            body = json.dumps(mutated_json(rng, json.loads(json.dumps(rng.choice(FOLDER_CALLS))))).encode()
            requests.append(_post(f"/{token}/folder", body, *more))
        else:
            requests.append(_post(f"/{token}/start", b"{}", *more))
    return b"".join(requests)


STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")


def _exchange(rng: Random, path: str) -> object:
    """Answer the requests of a connection. Raises AssertionError if an answer tells too much, or lacks a header."""
    server = rng.choice((_workbench, _page_of_store))()
    sent = Path(path).read_bytes()
    token = server.token.encode()
    sent = sent.replace(TOKEN.encode(), token).replace(PORT.encode(), str(server.server_port).encode())
    connection = Connection(sent)
    server.RequestHandlerClass(connection, ("127.0.0.1", 1), server)
    received = bytes(connection.received)
    heads = [received[match.start() :].partition(b"\r\n\r\n")[0] for match in STATUS.finditer(received)]
    for head in heads:
        if any(f"{name}: {value}".encode() not in head for name, value in HEADERS.items()):
            raise AssertionError(f"an answer without its headers: {head!r}")
        if STATUS.match(head)[1] == b"500":  # type: ignore[index]
            raise AssertionError(f"an error of the server: {head!r}")
    if SECRET in received or b"has a bug" in received or b"Traceback" in received:
        raise AssertionError(f"an answer that tells of something else: {received[-600:]!r}")
    if token not in sent and (token in received or b" 200 " in b"".join(head[:16] for head in heads)):
        raise AssertionError(f"an answer without the token: {received[:600]!r}")
    _check_folder()
    return heads


def _check_folder() -> None:
    """Raise AssertionError if something outside the folder has changed; remove what was saved in it."""
    folder = _workbench().folder
    assert folder is not None
    beside = {path.name for path in folder.root.parent.iterdir()}
    if beside != {"folder", "secret.key"} or (folder.root.parent / "secret.key").read_bytes() != SECRET:
        raise AssertionError(f"outside of the folder there is {beside}")
    saved = [path for path in folder.root.iterdir() if path.name not in ("main.pg", "tiny.pg")]
    for path in saved:
        path.unlink()
    _fill(folder.root)


def _prepare(*all_of: Callable[[], object]) -> Callable[[], None]:
    def prepare() -> None:
        for each in all_of:
            each()

    return prepare


REQUESTS: Final[tuple[Kind, ...]] = (
    text_kind(
        "request", "r.json", request, _answer, places=False, prepare=_prepare(cases, _facade), change=change_request
    ),
    text_kind(
        "http", "r.http", http, _exchange, places=False, prepare=_prepare(cases, _facade, _workbench, _page_of_store)
    ),
    *PAGE_REQUESTS,
)
