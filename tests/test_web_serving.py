"""`numbat serve`: access control, limits, and reading and saving the user's files."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from numbat.cli.main import cli
from numbat.errors import DataError, UsageError, visible
from numbat.runs.children import Asked, Children, DroppedError
from numbat.workbench import serving as server
from numbat.workbench.folder import ChangedError, Folder, answer
from numbat.workbench.serving import MAX_CONNECTIONS, MAX_SLOTS, Server, Slots
from tests.answering import answering
from tests.waiting import until

TINY = (Path(__file__).parent / "web_cases" / "tiny.pg").read_text(encoding="utf-8")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    """A server with a folder of a grammar, which includes another file and names a lexicon."""
    (tmp_path / "words").mkdir()
    (tmp_path / "main.pg").write_text('include: "tiny.pg"\nlexicon_file: "words/more.tsv"\n', encoding="utf-8")
    (tmp_path / "tiny.pg").write_text(TINY, encoding="utf-8")
    (tmp_path / "words" / "more.tsv").write_text("dog\tN\tnumber=sg\n", encoding="utf-8")
    (tmp_path / "secret.key").write_text("secret", encoding="utf-8")
    running = Server(Folder(tmp_path, "main.pg"), "main.pg")
    thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


Answer = tuple[int, str, dict[str, str]]


def ask(to: Server, path: str, body: object = None, headers: dict[str, str] | None = None) -> Answer:
    """Status, text and headers of an answer; a body is posted."""
    connection = HTTPConnection(server.ADDRESS, to.server_port)
    given = {"Content-Type": "application/json"} | (headers or {})
    content = None if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode())
    connection.request("GET" if body is None else "POST", path, content, given)
    response = connection.getresponse()
    found = response.status, response.read().decode(), dict(response.getheaders())
    connection.close()
    return found


def on_folder(to: Server, call: str, **given: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(to, f"/{to.token}/folder", {"call": call, "given": given})[1])
    return found


NOTHING = "there is nothing here: use the link that numbat serve printed\n"


def test_the_page_and_its_files_are_there_for_who_has_the_link(served: Server) -> None:
    status, text, headers = ask(served, f"/{served.token}/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    named = set(re.findall(r'(?:src|href)="([^":]+)"', text))
    for name in server.names():
        content = ask(served, f"/{served.token}/{name}")
        assert content[0] == 200
        named |= set(re.findall(r'from "\./([^"]+)"', content[1]))
    assert named | {"index.html"} == server.names()
    assert "http:" not in text
    assert "https:" not in text


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/wrong/", {}),
        ("/{token}", {}),
        ("/{token}/../../etc/passwd", {}),
        ("/{token}/%2e%2e/requests.py", {}),
        ("/{token}/page/index.html", {}),
        ("/{token}/", {"Host": "evil.example:80"}),
        ("/{token}/", {"Host": "127.0.0.1"}),
        ("/{token}/", {"Origin": "http://evil.example"}),
        ("/{token}/", {"Origin": "null"}),
    ],
)
def test_without_token_from_another_host_or_for_another_path_there_is_nothing(
    served: Server, path: str, headers: dict[str, str]
) -> None:
    for body in (None, {"call": "grammars"}):
        where = path.format(token=served.token) + ("call" if body and path.endswith("/") else "")
        status, text, given = ask(served, where, body, headers)
        assert (status, text) == (404, NOTHING)
        assert given["Content-Security-Policy"].startswith("default-src 'none'")


def test_a_call_is_answered_and_the_port_is_of_this_computer_alone(served: Server) -> None:
    grammar = {"main": "tiny.pg", "files": {"tiny.pg": TINY}}
    request = {"call": "sentences", "grammar": grammar, "given": {"sentences": ["the cat sleeps"]}}
    answer = json.loads(ask(served, f"/{served.token}/call?slot=s", request)[1])
    assert [row["status"] for row in answer["answer"]["sentences"]] == ["well-formed"]
    assert served.server_address[0] == "127.0.0.1"
    assert json.loads(ask(served, f"/{served.token}/start", {})[1]) == {
        "grammar": "main.pg",
        "folder": True,
        "base": "",
    }


def test_requests_have_limits(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    call = f"/{served.token}/call"
    not_json = (400, "a request must be JSON and state its length\n")
    assert ask(served, call, b"{}", {"Content-Type": "text/plain"})[:2] == not_json
    monkeypatch.setattr(server, "MAX_SIZE", 1_000)
    assert ask(served, call, b"x" * 1_001)[:2] == (413, "a request may have up to 0 MB\n")
    assert json.loads(ask(served, call, b"\xff")[1])["error"]["message"] == "the request is not JSON"
    while served.places.acquire(blocking=False):
        pass
    assert ask(served, call, {"call": "check"})[:2] == (503, "too many requests at once: try again in a moment\n")


def raw(to: Server, sent: bytes) -> bytes:
    """Return the whole answer to some bytes; the server may close the connection before it has read all of them."""
    found = b""
    with socket.create_connection((server.ADDRESS, to.server_port)) as connection:
        with suppress(OSError):
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while part := connection.recv(65_536):
                found += part
    return found


def test_what_is_no_request_is_refused_by_a_page_like_all_others(served: Server) -> None:
    host = f"Host: 127.0.0.1:{served.server_port}\r\n"
    requests = [
        *(
            f"{method} /{served.token}/ HTTP/1.1\r\n{host}\r\n"
            for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT")
        ),
        *("GET / HTTP/9.9\r\n\r\n", "x\r\n\r\n", "GET  / / HTTP/1.1\r\n\r\n", f"GET /{'a' * 70_000} HTTP/1.1\r\n\r\n"),
        f"GET / HTTP/1.1\r\n{'A: b' * 30_000}\r\n\r\n",
        "GET / HTTP/1.1\r\n" + "A: b\r\n" * 200 + "\r\n",
        f"GET /{served.token}/<script>alert(1)</script> HTTP/1.1\r\n{host}\r\n",
    ]
    for request in requests:
        head, _, body = raw(served, request.encode()).partition(b"\r\n\r\n")
        assert b"\r\nContent-Security-Policy: default-src 'none';" in head, request[:80]
        assert b"\r\nX-Content-Type-Options: nosniff" in head
        assert b"\r\nContent-Type: text/plain; charset=utf-8" in head
        assert body in (b"this is not a request of the page\n", NOTHING.encode())


def test_two_hosts_origins_or_lengths_are_refused(served: Server) -> None:
    own = f"127.0.0.1:{served.server_port}"
    page, call = f"GET /{served.token}/ HTTP/1.1", f"POST /{served.token}/call HTTP/1.1"
    kind = "Content-Type: application/json"
    twice = [
        ([page, f"Host: {own}", f"Host: {own}"], b"404"),
        ([page, f"Host: {own}", "Host: evil.example"], b"404"),
        ([page], b"404"),
        ([page, f"Host: {own}", f"Origin: http://{own}", "Origin: http://evil.example"], b"404"),
        ([page, f"Host: {own}", f"Origin: http://{own}", f"Origin: http://{own}"], b"404"),
        ([call, f"Host: {own}", kind, "Content-Length: 2", "Content-Length: 3"], b"400"),
        ([call, f"Host: {own}", kind, "Content-Length: 2", "Transfer-Encoding: chunked"], b"400"),
        ([page, f"Host: {own}", f"Origin: http://{own}"], b"200"),
    ]
    for lines, status in twice:
        sent = "\r\n".join([*lines, "Connection: close", "", "{}"])
        assert raw(served, sent.encode())[9:12] == status, lines


def test_head_says_what_get_would_send(served: Server) -> None:
    for path in (f"/{served.token}/", f"/{served.token}/main.js", "/wrong/"):
        sent = f" {path} HTTP/1.1\r\nHost: localhost:{served.server_port}\r\nConnection: close\r\n\r\n".encode()
        got, head = raw(served, b"GET" + sent), raw(served, b"HEAD" + sent)
        without_date = partial(re.sub, rb"Date: [^\r]*", b"")
        assert without_date(head) == without_date(got.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")


def test_the_address_for_the_browser_leads_to_the_page_once_and_soon(
    served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = served.link_for_once()
    assert served.token not in link
    path = urlsplit(link).path
    assert ask(served, path + "x")[0] == 404
    assert ask(served, path, headers={"Host": "evil.example"})[0] == 404
    status, text, headers = ask(served, path)
    assert (status, text, headers["Location"]) == (303, "", f"/{served.token}/")
    assert ask(served, path)[0] == 404, "a second time"
    monkeypatch.setattr(server, "ONCE_SECONDS", -1.0)
    assert ask(served, urlsplit(served.link_for_once()).path)[0] == 404, "too late"


def test_open_gives_the_browser_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    monkeypatch.setattr(Server, "serve_forever", lambda self: None)
    told = CliRunner().invoke(cli, ["serve", "--open", "--port", "0"]).output.splitlines()[0]
    assert len(told.split("/")[3]) == 24
    assert len(shown) == 1
    assert told.split("/")[3] not in shown[0]


def test_slow_and_half_open_clients_keep_nobody_waiting(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections with half a request, or a byte now and then, are closed; complete requests are answered meanwhile."""

    def begun(number: int) -> list[socket.socket]:
        found = [socket.create_connection((server.ADDRESS, served.server_port)) for _ in range(number)]
        for length, each in enumerate(found, start=1):
            each.sendall(f"GET /{served.token}/ HTTP/1.1\r\nHost: ".encode()[:length])
        return found

    slow = begun(50)
    assert ask(served, f"/{served.token}/")[0] == 200
    monkeypatch.setattr(server, "monotonic", lambda: monotonic() + 3600)
    for each in slow:
        each.sendall(b"a")  # an hour later
    monkeypatch.setattr(server, "PATIENCE", 0.1)
    for each in (*slow, *begun(20)):
        assert each.recv(65_536) == b""
        each.close()


def test_many_clients_at_once_are_answered(served: Server) -> None:
    found: list[int] = []

    def client() -> None:
        found.append(ask(served, f"/{served.token}/main.js")[0])

    threads = [Thread(target=client) for _ in range(200)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [200] * 200


def test_connections_beyond_the_limit_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 1)
    running = Server(None, "english")
    thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    with running, socket.create_connection((server.ADDRESS, running.server_port)) as first:
        first.sendall(b"GET")
        until(
            lambda: not running.connections._value
        )  # taking one, even for a moment, would make the server refuse the first
        with socket.create_connection((server.ADDRESS, running.server_port)) as second:
            assert second.recv(1) == b""
        running.shutdown()
        thread.join()


def test_an_interrupt_while_a_connection_is_handed_over_is_no_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    """It closes the connection, from which a thread reads already."""

    class Interrupted(Server):
        def process_request(self, request: Any, client_address: Any) -> None:
            super().process_request(request, client_address)
            raise KeyboardInterrupt

    with Interrupted(None, "english") as running:
        with socket.create_connection((server.ADDRESS, running.server_port)) as browser:
            browser.sendall(b"GET")
            with pytest.raises(KeyboardInterrupt):
                running.serve_forever()
        until(lambda: running.connections._value == MAX_CONNECTIONS)
    assert capsys.readouterr() == ("", "")


def test_a_newer_request_of_a_slot_ends_the_older_one(tmp_path: Path) -> None:
    """Slots of other pages, and other slots of the page, go on."""
    (tmp_path / "other may end").touch()
    children = Children(partial(answering, tmp_path), server.LIMITS)
    with Server(None, "anbn", children=children) as running:
        answers: list[str] = []

        def ask_in(slot: str, page: str, name: str) -> Thread:
            def work() -> None:
                answers.append(f"{name}: {running.ask('wait', name, page, slot)}")

            thread = Thread(target=work)
            thread.start()
            until((tmp_path / name).exists)
            return thread

        threads = [ask_in("a", "page", "first"), ask_in("a", "other page", "waits")]
        ask_in("b", "page", "other").join()
        assert [answer[:10] for answer in answers] == ["other: (2,"]
        (tmp_path / "second may end").touch()
        ask_in("a", "page", "second").join()
        threads[0].join()  # it ends only when it is superseded
        assert [answer.endswith("True)") for answer in answers if answer.startswith("first")] == [True]
        assert threads[1].is_alive()
        (tmp_path / "waits may end").touch()
        threads[1].join()


def test_old_slots_are_forgotten() -> None:
    slots, first, second = Slots(), Asked("first", None), Asked("second", None)
    assert slots.enter("a", first) is None
    assert slots.enter("a", second) is first
    for number in range(MAX_SLOTS + 5):
        slots.enter(f"s{number}", first)
    assert len(slots.newest) == MAX_SLOTS
    assert slots.enter("a", first) is None


def test_requests_in_processes_that_are_ended_are_answered(tmp_path: Path) -> None:
    """As errors of the façade are; a request that a newer one has replaced is not one."""
    children = Children(partial(answering, tmp_path), server.LIMITS)
    with Server(None, "anbn", children=children) as running:
        error = json.loads(running.ask("crash", "a"))["error"]
        assert (error["kind"], error["message"], error["hint"]) == (
            "data",
            "the process that worked on this ended: exit code 7",
            "ask for less at once",
        )
        hung = Asked("", None)
        hung.finish(None, DroppedError(""))
        children.ask = lambda content, client=None: hung  # type: ignore[method-assign]
        assert json.loads(running.ask("wait", "b"))["superseded"] is True


def test_the_suite_beside_the_grammar_has_its_name_or_is_called_suite(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "my.pg")
    assert folder.suite() is None
    (tmp_path / "suite.tsv").write_text("form\tcategory\n", encoding="utf-8")
    assert folder.suite() is None  # a lexicon
    (tmp_path / "suite.txt").write_text("* cat the\n", encoding="utf-8")
    (tmp_path / "my.suite.csv").write_bytes(b"sentence,judgement\n\xff,ok\n")
    assert answer(folder, {"call": "suite", "given": {}})["answer"]["file"]["text"] == "* cat the\n"
    (tmp_path / "my.suite.tsv").write_text("sentence\tjudgement\ncat the\t*\n", encoding="utf-8")
    assert answer(folder, {"call": "suite", "given": {}})["answer"]["file"]["name"] == "my.suite.tsv"


def test_the_grammar_of_the_folder_comes_with_the_files_that_it_names(served: Server) -> None:
    assert on_folder(served, "list")["answer"]["files"] == ["main.pg", "tiny.pg", "words/more.tsv"]
    opened = on_folder(served, "open")["answer"]
    assert opened["main"] == "main.pg"
    assert [each["name"] for each in opened["files"]] == ["main.pg", "tiny.pg", "words/more.tsv"]
    grammar = {"main": "main.pg", "files": {each["name"]: each["text"] for each in opened["files"]}}
    request = {"call": "sentences", "grammar": grammar, "given": {"sentences": ["the dog sleeps"]}}
    answer = json.loads(ask(served, f"/{served.token}/call", request)[1])["answer"]
    assert [row["status"] for row in answer["sentences"]] == ["well-formed"]


def test_a_file_is_saved_only_where_it_is_as_it_was_read(served: Server, tmp_path: Path) -> None:
    path = tmp_path / "tiny.pg"
    read = on_folder(served, "read", name="tiny.pg")["answer"]
    saved = on_folder(served, "save", name="tiny.pg", text="# mine\n", digest=read["digest"])["answer"]
    assert path.read_text(encoding="utf-8") == "# mine\n"
    path.write_text("# of somebody else\n", encoding="utf-8")
    refused = on_folder(served, "save", name="tiny.pg", text="# mine again\n", digest=saved["digest"])
    assert refused["error"] == {
        "kind": "changed",
        "message": "tiny.pg has changed on the disk",
        "hint": "save it under another name, or open it again",
        "problems": [],
    }
    assert path.read_text(encoding="utf-8") == "# of somebody else\n"
    assert on_folder(served, "save", name="new.pg", text="# new\n")["answer"]["name"] == "new.pg"
    assert on_folder(served, "save", name="new.pg", text="# newer\n")["error"]["kind"] == "changed"
    assert (tmp_path / "new.pg").read_text(encoding="utf-8") == "# new\n"


@pytest.mark.parametrize(
    "name",
    [
        "../other.pg",
        "/etc/hosts",
        "secret.key",
        "words/../../x.pg",
        ".hidden/x.pg",
        "a\\b.pg",
        "x\0.pg",
        "x\x1b[31m.pg",
        "x\ny.pg",
        "\ud800.pg",
        "\u202e.pg",
        "é" * 125 + ".pg",
        "a/" * 3_000 + "x.pg",
        "",
        "out/x.pg",
    ],
)
def test_no_path_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "out").symlink_to(tmp_path)
    (tmp_path / "x.pg").write_text("# outside\n", encoding="utf-8")
    folder = Folder(inside, "main.pg")
    attempts: tuple[Callable[[], object], ...] = (partial(folder.read, name), partial(folder.save, name, "text", ""))
    for attempt in attempts:
        with pytest.raises(DataError) as caught:
            attempt()
        assert str(caught.value) == (
            f"{visible(name[:80])}: not a file of this folder\n"
            f"  name a file below {folder.root} that ends with .pg, .yaml, .yml, .tsv, .csv, .txt, .jsonl"
        )
    assert (tmp_path / "x.pg").read_text(encoding="utf-8") == "# outside\n"


def test_files_that_a_page_cannot_show_are_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "a.pg")
    (tmp_path / "a.pg").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match=r"^a\.pg: this is not UTF-8\n  save the file in the encoding UTF-8$"):
        folder.read("a.pg")
    (tmp_path / "b.tsv").write_bytes(b"x" * 4_000_001)
    with pytest.raises(DataError, match=r"^b\.tsv: this file has more than 4 MB\n  use a smaller one$"):
        folder.read("b.tsv")
    with pytest.raises(ChangedError, match=r"^c\.pg no longer exists on the disk\n"):
        folder.save("c.pg", "", "0" * 64)


def test_a_text_that_could_not_be_read_again_is_not_saved(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "main.pg")
    for text, told in (
        ("a\ud800", "x.pg: U+D800 is half a character\n  write the character itself"),
        ("a" * 4_000_001, "x.pg: this file has more than 4 MB\n  use a smaller one"),
    ):
        with pytest.raises(DataError) as caught:
            folder.save("x.pg", text, "")
        assert str(caught.value) == told
    assert folder.names() == []


def test_a_request_for_what_is_no_address_is_refused(served: Server) -> None:
    with socket.create_connection(("127.0.0.1", served.server_port)) as connection:
        host = f"Host: 127.0.0.1:{served.server_port}\r\nConnection: close\r\n\r\n"
        connection.sendall(f"GET http://[ HTTP/1.1\r\n{host}".encode())
        assert connection.recv(1_000).startswith(b"HTTP/1.1 404 ")


def test_without_a_folder_no_file_is_read(served: Server) -> None:
    served.folder = None
    told = on_folder(served, "open")["error"]
    assert (told["message"], told["hint"]) == (
        "this server has no folder",
        "start numbat serve with a grammar file to use its folder",
    )
    assert on_folder(served, "opn")["error"]["hint"] == 'did you mean "open"?'


@contextmanager
def serving(path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that serves a grammar, and the link that it has printed; it ends with the test."""
    command = [sys.executable, "-m", "numbat", "serve", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as running:
        try:
            assert running.stdout is not None
            yield running, running.stdout.readline().strip()
        finally:
            running.kill()


def test_the_command_prints_the_link_and_ends_with_an_interrupt(tmp_path: Path) -> None:
    (tmp_path / "g.pg").write_text(TINY, encoding="utf-8")
    with serving(tmp_path / "g.pg") as (running, link):
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[\w-]{24}/)", link)
        assert found is not None
        connection = HTTPConnection("127.0.0.1", int(found[1]))
        connection.request("GET", found[2])
        assert connection.getresponse().status == 200
        connection.close()
        os.kill(running.pid, signal.SIGINT)
        _, told = running.communicate()
    assert running.returncode == 130
    assert told.splitlines()[0] == "numbat: open this address on this computer; Ctrl-C ends the server"


def test_browsers_that_go_away_in_the_middle_of_an_answer_end_nothing(tmp_path: Path) -> None:
    (tmp_path / "g.pg").write_text(TINY, encoding="utf-8")
    with serving(tmp_path / "g.pg") as (running, printed):
        link = urlsplit(printed)
        request = f"GET {link.path}codemirror.js HTTP/1.1\r\nHost: {link.netloc}\r\n\r\n".encode()
        for _ in range(20):
            with socket.create_connection((link.hostname, link.port or 0)) as browser:
                browser.sendall(request)
        connection = HTTPConnection(link.netloc)
        connection.request("GET", link.path)
        assert connection.getresponse().status == 200
        connection.close()
        os.kill(running.pid, signal.SIGINT)
        _, told = running.communicate()
    assert running.returncode == 130
    assert told.split("\n") == [
        "numbat: open this address on this computer; Ctrl-C ends the server",
        "",
        "numbat: interrupted",
        "",
    ]


def test_a_port_that_is_taken_and_a_grammar_that_is_not_there(served: Server) -> None:
    caught = CliRunner().invoke(cli, ["serve", "english", "--port", str(served.server_port)]).exception
    assert isinstance(caught, UsageError)
    assert str(caught) == (f"--port {served.server_port}: Address already in use\n  leave it out to use a free port")
    caught = CliRunner().invoke(cli, ["serve", "-"]).exception
    assert str(caught) == "the page cannot read standard input\n  name a grammar file, or a packaged grammar"
    caught = CliRunner().invoke(cli, ["serve", "englsh"]).exception
    assert str(caught) == 'englsh: no such grammar file\n  did you mean "english"?'
