"""The page of a store, with the HTTP requests of its script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from numbat.grammar.properties import format_property
from numbat.runs.children import Children
from numbat.workbench.corpus_page import LIMITS, NAMES, REMEDY, SECONDS, CorpusServer, answering
from tests.answering import EXPONENTIAL, HandClock
from tests.browser import browser, worst_contrast
from tests.corpora import sentences, starter, write_store
from tests.corpus_oracle import Sentence
from tests.fuzz.signals import left_alive, processes_of
from tests.waiting import PATIENCE, until


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


ENDLESS = {"call": "query", "text": f'text ~ "{EXPONENTIAL}"'}
"""A query that nothing in its process can interrupt."""


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A store with a sentence for which `ENDLESS` takes years."""
    path = tmp_path / "endless.db"
    write_store(path, [Sentence("x:1", starter().parse("a" * 100), {})])
    return path


def readers_of(store: Path, processes: list[int]) -> list[int]:
    """Return the processes that have a store open; one that has ended meanwhile has none."""
    readers = []
    for process in processes:
        with suppress(FileNotFoundError, ProcessLookupError):
            if store in {Path(os.path.realpath(file)) for file in Path(f"/proc/{process}/fd").iterdir()}:
                readers.append(process)
    return readers


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_query_without_end_is_ended_and_others_are_answered_meanwhile(endless: Path) -> None:
    clock = HandClock()
    children = Children(partial(answering, str(endless), None), LIMITS, REMEDY, now=clock)
    answers: list[dict[str, Any]] = []
    with CorpusServer(str(endless), None, children=children) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        thread = Thread(target=lambda: answers.append(call(server, **ENDLESS)))
        thread.start()
        until(lambda: readers_of(endless, children.processes))
        assert "words" in call(server, call="names")["names"]
        assert answers == []
        clock.move(3 * SECONDS, children)
        thread.join()
        error = "the time limit of 10 seconds was reached\n  ask for less, or with a simpler regular expression"
        assert answers == [{"error": error}]
        server.shutdown()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_no_process_outlives_a_server_that_is_ended_at_work(endless: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "numbat", "serve", str(endless), "--port", "0"]
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True
        ) as running,
        ExitStack() as at_a_failure,
    ):
        at_a_failure.callback(running.kill)  # else its end is waited for
        assert running.stdout is not None
        link = urlsplit(running.stdout.readline().strip())
        assert processes_of(running.pid) == [running.pid], "nothing more before the first request"
        connection = HTTPConnection(link.netloc)
        connection.request("POST", f"{link.path}call", json.dumps(ENDLESS), {"Content-Type": "application/json"})
        until(lambda: readers_of(endless, [each for each in processes_of(running.pid) if each != running.pid]))
        running.send_signal(number)
        running.communicate()
        connection.close()
    assert left_alive(running.pid, PATIENCE) == []
    assert running.returncode == (130 if number == signal.SIGINT else -number)
