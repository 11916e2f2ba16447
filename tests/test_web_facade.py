"""The façade of the workbench: requests and answers of `web_cases`, and work kept between requests."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.verbs import judge_suite
from numbat.experiments.suites import suite_of
from numbat.grammar.loading import parse_grammar
from numbat.parsing.parser import Parser
from numbat.records import Recent
from numbat.workbench import session as sessions
from numbat.workbench.calls import CALLS
from numbat.workbench.facade import Facade
from tests.web_requests import CASES, TINY, read_case


@pytest.fixture(scope="module")
def facade() -> Facade:
    return Facade()


def tiny(call: str, given: dict[str, Any], text: str = TINY, **settings: Any) -> dict[str, Any]:
    grammar = {"main": "tiny.pg", "files": {"tiny.pg": text}}
    return {"call": call, "grammar": grammar, "settings": settings, "given": given}


def part_of(found: Any, expected: Any) -> Any:
    """Return the fields of an answer that `expected` has, so that the two can be compared."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {name: part_of(found.get(name), value) for name, value in expected.items()}
    if isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        return [part_of(one, other) for one, other in zip(found, expected, strict=True)]
    return found


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, facade: Facade) -> None:
    """A case has a request and the fields of the answer to compare; `tiny.pg` is in the folder of the cases."""
    request, expected = read_case(path)
    answer = json.loads(facade.answer_text(json.dumps(request)))
    assert part_of(answer, expected) == expected
    assert len({"answer", "error", "superseded"} & set(answer)) == 1


def test_every_call_has_a_case_and_says_what_it_answers() -> None:
    tried = {json.loads(path.read_text(encoding="utf-8"))["request"]["call"] for path in CASES}
    assert set(CALLS) - tried == {"grammars"}
    assert all(call.about.endswith(".") for call in CALLS.values())


def test_the_packaged_grammars_are_listed_without_being_read(facade: Facade) -> None:
    listed = facade.answer({"call": "grammars"})["answer"]["grammars"]
    assert {"name": "anbn", "about": "The language a^n b^n"} in listed


def test_a_grammar_is_read_once_and_a_sentence_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    facade, read, parsed = Facade(), [], []
    loaded_of, n_best_nearby = sessions.loaded_of, Parser.n_best_nearby

    def reading(text: Any, earlier: Any) -> Any:
        read.append(text.main)
        return loaded_of(text, earlier)

    def parsing(parser: Parser, lattice: Any, *arguments: Any, **named: Any) -> Any:
        parsed.append(lattice.text)
        return n_best_nearby(parser, lattice, *arguments, **named)

    monkeypatch.setattr("numbat.workbench.session.loaded_of", reading)
    monkeypatch.setattr(Parser, "n_best_nearby", parsing)
    facade.answer(tiny("check", {}))
    for _ in range(2):
        facade.answer(tiny("sentences", {"sentences": ["the cat sleeps", "* the cat sleeps", "the cats sleep"]}))
    facade.answer(tiny("parse", {"sentence": "the cat sleeps"}))
    assert read == ["tiny.pg"]
    assert parsed == ["the cat sleeps", "the cats sleep"]
    facade.answer(tiny("parse", {"sentence": "the cat sleeps"}, TINY.replace("uniq V", "uniq V at 2")))
    assert len(read) == 2


def test_other_costs_share_the_parser_and_change_no_kept_parse(facade: Facade) -> None:
    dear = {"strengths": [{"relation": "dependency", "cost": 7}]}
    nothing: dict[str, Any] = {}
    for settings, cost in ((nothing, 1), (dear, 7), (nothing, 1)):
        answer = facade.answer({**tiny("sentences", {"sentences": ["the cats sleeps"]}), "settings": settings})
        assert [row["cost"] for row in answer["answer"]["sentences"]] == [cost]


def test_an_edit_of_a_packaged_grammar_is_read_and_the_files_it_names_are_there(facade: Facade) -> None:
    text = facade.answer({"call": "packaged", "given": {"name": "french-np-ftb"}})["answer"]
    shown = facade.answer({"call": "show", "grammar": text})["answer"]
    edited = {**text, "files": {name: f"{content}\n# an edit\n" for name, content in text["files"].items()}}
    assert facade.answer({"call": "show", "grammar": edited})["answer"]["digest"] == shown["digest"]
    assert facade.answer({"call": "show", "grammar": {"main": "french-np-ftb"}})["answer"] == shown
    files = {
        "mine.pg": 'leaves: Det, N\nroots: NP\ninclude: "words.pg"\nNP:\n    Det < N\n',
        "words.pg": "lexicon:\n    the: Det\n",
    }
    mine = {"main": "mine.pg", "files": files}
    assert facade.answer({"call": "check", "grammar": mine})["answer"]["errors"] == 0


def test_a_request_that_nobody_waits_for_ends_and_leaves_nothing_behind(facade: Facade) -> None:
    options = count()
    sentences = {"sentences": [f"the cat sleeps {'the ' * i}" for i in range(50)]}
    answer = facade.answer(tiny("sentences", sentences), lambda: next(options) > 5)
    assert answer == {"schema": "numbat.web/1", "call": "sentences", "superseded": True}
    assert next(options) < 40
    rows = facade.answer(tiny("sentences", sentences))["answer"]["sentences"]
    assert {row["stopped_by"] for row in rows} == {None}


def test_sentences_for_which_there_is_no_time_wait_and_are_there_when_asked_for_again(facade: Facade) -> None:
    waiting = [f"the cats sleep {'the cat ' * i}" for i in range(12)]
    while waiting:
        answer = facade.answer(tiny("sentences", {"sentences": waiting}, seconds=0.02))["answer"]
        assert answer["waiting"] == sum(row["status"] == "waiting" for row in answer["sentences"])
        before, waiting = len(waiting), [row["typed"] for row in answer["sentences"] if row["status"] == "waiting"]
        assert len(waiting) < before  # one at least has its parse, however busy the machine is


def test_a_suite_is_judged_as_a_whole_and_goes_on_where_the_time_was_up(
    facade: Facade, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks and a header are those of the whole file, not of the lines that are judged at once."""
    lines = ["? cat sleeps the", "* the cat the sleeps", *["the cats sleep"] * 23, "* the cat sleep", "the cat sleeps"]
    suite = {"text": "\n".join(lines) + "\n", "name": "b.txt"}
    at_once = facade.answer(tiny("suite", suite))["answer"]
    loaded = suite_of(SuiteSettings("b.txt"), suite["text"])
    tested = judge_suite(loaded, Parser(parse_grammar(TINY)))
    assert [item["verdict"] for item in at_once["items"]] == [item.outcome.verdict for item in tested]
    assert [item["line"] for item in at_once["items"] if item["verdict"] == "fail"] == [1]
    monkeypatch.setattr(sessions.Session, "is_overdue", lambda self: True)
    again, waiting = Facade(), []
    for call in ("suite", "coverage"):
        while "waiting" in (answer := again.answer(tiny(call, suite))["answer"]):
            waiting.append(answer["waiting"])
        assert answer == (at_once if call == "suite" else facade.answer(tiny(call, suite))["answer"])
    assert waiting == [4, 3, 2, 1]


def test_what_is_no_json_and_a_mistake_of_numbat_are_answers(facade: Facade, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"kind": "data", "message": "the request is not JSON", "hint": "send it as one object", "problems": []}
    for text in ("{", "[" * 100_000):
        assert json.loads(facade.answer_text(text)) == {"schema": "numbat.web/1", "call": "", "error": told}
    error = json.loads(facade.answer_text("[]"))["error"]
    assert (error["message"], error["hint"]) == (
        "request is not an object", "its fields are: call, grammar, settings, given"
    )  # fmt: skip

    def broken(session: object, given: object) -> dict[str, Any]:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setitem(CALLS, "check", replace(CALLS["check"], answer=broken))
    assert facade.answer({"call": "check"})["error"] == {
        "kind": "internal",
        "message": "Numbat has a bug: ZeroDivisionError: division by zero",
        "hint": "what you typed is kept; please report this",
        "problems": [],
    }


def test_a_sentence_that_is_too_long_is_one_row(facade: Facade) -> None:
    rows = facade.answer(tiny("sentences", {"sentences": ["the cat sleeps", "a " * 2_000]}))["answer"]["sentences"]
    assert [row["status"] for row in rows] == ["well-formed", "unreadable"]
    assert rows[1]["summary"] == "this sentence has more than 2,000 characters\n  split it into several"


def test_what_was_not_used_for_the_longest_time_is_forgotten() -> None:
    recent: Recent[int] = Recent(2)
    for key in "aba":
        recent.made(key, lambda key=key: ord(key))  # type: ignore[misc]
    recent.put("c", 3)
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (ord("a"), None, 3)


def test_the_calls_stand_in_the_documentation_with_what_they_answer() -> None:
    page = (Path(__file__).parents[1] / "docs" / "workbench.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {call.about} |" for name, call in CALLS.items()]
    assert [line for line in page.splitlines() if line.startswith("| `")] == rows
