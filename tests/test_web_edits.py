"""After any edit the workbench answers like a new process, despite its caches."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from numbat.parsing.parser import Parser
from numbat.workbench.facade import Facade

TINY = (Path(__file__).parent / "web_cases" / "tiny.pg").read_text(encoding="utf-8")
LARGER = """\
leaves: Det, N, V, Adj, P
roots: S
features:
    number: sg, pl
all linearity cost 2

S "sentence":
    oblig V
    uniq {NP, V}
    NP < {V, PP}
    NP ~> V [number]
    V < PP weight 2
NP "noun phrase":
    oblig N
    uniq {Det, N}
    Det < {N, Adj}
    Adj < N cost .5
    N[number=sg] => Det
    N < PP
PP: # with a preposition
    oblig P
    P < NP hard

lexicon:
    the: Det
    old: Adj, N[number=pl]
    dog: N[number=sg]
    dogs: N[number=pl]
    barks: V[number=sg], N[number=pl]
    bark: V[number=pl]
    in: P
    garden: N[number=sg]
guess:
    "*s": N[number=pl]
"""
SENTENCES = (
    *("the dog barks", "* dog barks", "the old bark", "dogs bark in the garden", "dog the barks", "the old dogs bark"),
    *("the dogs barks in gardens", "? in the garden", "the the dog barks", "barks", "", "the unicorn barks"),
)
LINES = (
    *(
        "    Adj => Det",
        "    uniq Adj",
        "    N < N cost 3",
        "    Det ~> N [number]",
        "NP:",
        "# a comment",
        "",
        "    oops <",
    ),
    *(
        "    oblig Adj cost .25",
        "lexicon:",
        "    unicorn: N[number=sg]",
        "roots: S, NP",
        "fragment_cost: 3",
        "    N < PP",
    ),
    *("tree_features: number", "    case: nom, acc", "all linearity weight 2", "node_cost: 0"),
)


def edited(lines: list[str], made: random.Random) -> list[str]:
    """The lines with one of them changed, moved, taken out or put in."""
    place = made.randrange(len(lines))
    kind = made.randrange(5)
    if kind == 0:
        return [*lines[:place], *lines[place + 1 :]]
    if kind == 1:
        return [*lines[:place], made.choice(LINES), *lines[place:]]
    if kind == 2:
        return [*lines[:place], f"{lines[place].split(' cost')[0]} cost {made.choice('012345')}", *lines[place + 1 :]]
    if kind == 3:
        other = made.randrange(len(lines))
        return [lines[{place: other, other: place}.get(i, i)] for i in range(len(lines))]
    return [*lines[:place], lines[place].replace("Det", "Adj"), *lines[place + 1 :]]


def request(text: str, call: str, given: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return {"call": call, "grammar": {"main": "g.pg", "files": {"g.pg": text}}, "given": given, "settings": settings}


def some_settings(made: random.Random) -> dict[str, Any]:
    """Other costs and weights now and then, as sliders give them."""
    strengths = [
        {"relation": made.choice(["linearity", "uniqueness", "dependency"]), kind: made.choice([0, 0.5, 1, 2, 5])}
        for kind in ("cost", "cost", "weight")
        if made.random() < 0.4
    ]
    wanted: dict[str, Any] = {"strengths": strengths, "model": made.choice(["cost", "satisfaction", "grammaticality"])}
    if made.random() < 0.2:
        wanted["without"] = [made.choice(["H3", "H5"])]
    if made.random() < 0.2:
        wanted["fragment_cost"] = made.choice([1, 4])
    return wanted


@pytest.mark.parametrize(("text", "seed"), [(TINY, 1), (LARGER, 2), (LARGER, 3)])
def test_the_answer_after_an_edit_is_that_of_a_fresh_process(text: str, seed: int) -> None:
    made, kept = random.Random(seed), Facade()
    lines, good = text.split("\n"), 0
    for _ in range(25):
        tried = edited(lines, made)
        whole = "\n".join(tried)
        settings = some_settings(made)
        requests = [
            request(whole, "sentences", {"sentences": list(SENTENCES)}, **settings),
            request(whole, "parse", {"sentence": made.choice(SENTENCES), "n": made.choice([1, 1, 3])}, **settings),
            request(whole, made.choice(["check", "show"]), {}),
            request(whole, "suite", {"text": "\n".join(filter(None, SENTENCES)), "name": "s.txt"}),
        ]
        fresh = Facade()
        answers = [kept.answer(each) for each in requests]
        assert answers == [fresh.answer(each) for each in requests], whole
        if "answer" in answers[0]:  # most edits stay, so that the grammar becomes another one; a mistake is mended
            lines, good = tried if len(tried) > 12 else text.split("\n"), good + 1
    assert good > 6


def test_costs_words_and_places_change_without_a_new_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    n_best_nearby = Parser.n_best_nearby

    def searching(parser: Parser, lattice: Any, *arguments: Any, **named: Any) -> Any:
        searched.append(lattice.text)
        return n_best_nearby(parser, lattice, *arguments, **named)

    monkeypatch.setattr(Parser, "n_best_nearby", searching)
    facade = Facade()

    def of(text: str, **settings: Any) -> list[str]:
        searched.clear()
        facade.answer(request(text, "sentences", {"sentences": ["the dog barks", "dog the barks"]}, **settings))
        return list(searched)

    assert of(LARGER) == ["the dog barks", "dog the barks"]
    other_diagnoses = ["dog the barks"]  # are searched for again, whatever is edited
    assert of(f"# a comment\n{LARGER}") == other_diagnoses
    assert of(LARGER.replace("old: Adj,", "old: Adj, V,")) == other_diagnoses
    assert of(LARGER.replace("dog: N[", "dog: V, N[")) == ["the dog barks", "dog the barks"]
    assert of(LARGER, strengths=[{"relation": "dependency", "cost": 5}]) == other_diagnoses
    assert of(LARGER, strengths=[{"relation": "linearity", "cost": 5}]) == ["dog the barks"]
    assert of(LARGER.replace("cost 2", "cost 1")) == ["dog the barks"]
    assert of(LARGER, strengths=[{"relation": "dependency", "weight": 5}]) == ["the dog barks", "dog the barks"]
    assert of(LARGER.replace("uniq {NP, V}", "uniq NP")) == ["the dog barks", "dog the barks"]


AMBIGUOUS = """\
leaves: Det, N, V
roots: S
features:
    number: sg, pl
S:
    oblig V
    NP ~> V [number] cost 2.2
NP:
    oblig N
    Det ~> N [number] cost 2
lexicon:
    these: Det[number=pl]
    sheep: N[number=sg|pl]
    sleeps: V[number=sg]
"""


def test_an_edit_that_keeps_the_best_parse_may_change_what_else_is_told() -> None:
    """Both explanations cost about the same before the edit; the dearer one is not told after it."""
    facade, given = Facade(), {"sentence": "these sheep sleeps"}
    dearer = [{"property": "S: NP ~> V [number]", "cost": 3}]

    def told(**settings: Any) -> int:
        (parse, *_) = facade.answer(request(AMBIGUOUS, "parse", given, **settings))["answer"]["parses"]
        return len(parse["diagnoses"])

    assert [told(), told(strengths=dearer), told()] == [1, 0, 1]
