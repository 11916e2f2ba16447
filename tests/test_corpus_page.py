"""The page of a store, with the HTTP requests of its script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from threading import Thread
from typing import Any

import pytest

from numbat.workbench.corpus_page import NAMES, CorpusServer
from tests.corpora import sentences, write_store


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CorpusServer]:
    path = tmp_path_factory.mktemp("page") / "corpus.db"
    write_store(path, sentences())
    with CorpusServer(str(path), None) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def request(server: CorpusServer, method: str, name: str, body: Any = None) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=300)
    content = None if body is None else json.dumps(body).encode()
    headers = {} if content is None else {"Content-Type": "application/json"}
    connection.request(method, name, content, headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def call(server: CorpusServer, **asked: Any) -> dict[str, Any]:
    status, content = request(server, "POST", f"/{server.token}/call", asked)
    assert status == 200
    found: dict[str, Any] = json.loads(content)
    return found


def test_the_files_of_the_page_and_no_others(server: CorpusServer) -> None:
    for name in ("", *NAMES):
        assert request(server, "GET", f"/{server.token}/{name}")[0] == 200
    assert request(server, "GET", f"/{server.token}/index.html")[0] == 404
    assert request(server, "GET", f"/{server.token}/../serving.py")[0] == 404
    assert request(server, "GET", "/other/")[0] == 404


def test_a_query_its_counts_and_a_tree(server: CorpusServer) -> None:
    names = call(server, call="names")
    assert {"NP", "violates", "meta.genre"} <= set(names["names"])
    assert names["keys"] == ["file", "genre", "construction", "word", "property"]
    lines = call(server, call="query", text="NP violates")["lines"]
    assert [line["match"] for line in lines] == ["cat the", "a dog dog", "the the cat", "a cats", "The cat he"]
    worst = call(server, call="query", text="NP violates", order="worst")["lines"]
    assert [line["cost"] for line in worst] == sorted((line["cost"] for line in lines), reverse=True)
    counts = call(server, call="counts", text="NP violates", by="genre")
    assert sum(group["matches"] for group in counts["groups"]) == len(lines)
    tree = call(server, call="tree", sentence=lines[0]["sentence"])
    assert tree["svg"].startswith("<svg")
    assert tree["explanations"] == list(sentences()[1].parse.explain())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"call": "query", "text": "NPx"}, '"NPx" is neither a category of this store'),
        ({"call": "tree", "sentence": 99}, "this store has no sentence 99"),
        ({"call": "tree", "sentence": "x"}, "request.sentence is not a whole number"),
        ({"call": "counts", "text": "NP", "by": "x"}, 'no sentence has metadata under "x"'),
        ({}, 'request lacks the field "call"'),
    ],
)
def test_mistakes_are_answers(server: CorpusServer, asked: dict[str, Any], message: str) -> None:
    assert message in call(server, **asked)["error"]


def test_what_is_no_request(server: CorpusServer) -> None:
    status, content = request(server, "POST", f"/{server.token}/call", ["x"])
    assert (status, json.loads(content)) == (200, {"error": "this is not a request of the page"})
