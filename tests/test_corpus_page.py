"""The page of a store, with the HTTP requests of its script."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from numbat.grammar.properties import format_property
from numbat.workbench.corpus_page import NAMES, CorpusServer
from tests.browser import browser, worst_contrast
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


def test_the_overview_counts_what_is_violated_and_its_queries_find_that(server: CorpusServer) -> None:
    found = call(server, call="overview")
    parses = [each.parse for each in sentences()]
    assert (found["sentences"], found["words"]) == (len(parses), sum(len(parse.lattice.tokens) for parse in parses))
    assert found["full"] == sum(parse.is_full for parse in parses)
    assert found["violating"] == sum(bool(parse.violated) for parse in parses)
    violated = Counter(
        f"{one.property.construction}: {format_property(one.property)}" for parse in parses for one in parse.violated
    )
    assert {each["property"]: each["violations"] for each in found["violated"]} == violated
    assert found["properties"] == len(violated)
    numbers = [each["violations"] for each in found["violated"]]
    assert numbers == sorted(numbers, reverse=True)
    for each in found["violated"]:
        whole = call(server, call="counts", text=each["query"])["whole"]
        assert whole["sentences"] == each["sentences"], each
    for each in found["examples"]:
        assert call(server, call="query", text=each["query"])["lines"], each


def test_a_match_has_its_words_and_which_of_them_are_in_conflict(server: CorpusServer) -> None:
    (line,) = call(server, call="query", text="NP violates Det < N")["lines"]
    assert line["words"] == [["cat", True, True], ["the", True, True], ["sleeps", False, False]]
    whole = call(server, call="query", text="cost > 0")["lines"][0]
    assert [word[1] for word in whole["words"]] == [False] * len(whole["words"])


def test_the_page_begins_with_what_is_there_and_marks_what_it_finds(server: CorpusServer, tmp_path: Path) -> None:
    with browser(tmp_path) as page:
        page.resize(375)
        page.go(server.link)
        page.shows("document.querySelector('#sizes').textContent", lambda told: told.startswith("10 sentences of "))
        page.wait("document.documentElement.scrollWidth <= 375")
        page.run(
            "[...document.querySelectorAll('#violated button')].find((b) => b.textContent === 'NP: Det < N').click()"
        )
        page.shows("document.querySelector('#told').textContent", "1 match")
        page.shows("document.querySelector('#query').value", 'NP violates "NP: Det < N"')
        page.shows("document.querySelector('#lines mark').innerHTML", "<u>cat</u> <u>the</u>")
        page.run("document.querySelector('#lines button').click()")
        page.shows("document.querySelector('#lines img').alt", lambda told: told.startswith("full parse"))
        page.wait("document.documentElement.scrollWidth <= 375")
        for scheme in ("light", "dark"):
            page.prefer(scheme)
            assert worst_contrast(page) >= 4.5, scheme
        page.run("document.querySelector('#query').value = ''; document.querySelector('#form').requestSubmit()")
        page.wait("document.querySelector('#overview').checkVisibility()")
        assert page.told()[1] == []


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
