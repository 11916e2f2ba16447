"""Preferences: learned from dependencies, a choice among parses within the margin, files and their mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

import numbat
from numbat import DataError, Parser
from numbat.grammar.properties import UNIT
from numbat.learning.preferences import ComparedParse, ComparedParses, _chosen, _learned
from numbat.learning.settings import PreferenceSettings
from numbat.parsing.preferences import (
    Preferences,
    features_of_parse,
    format_preferences,
    preferred,
    read_preferences,
)
from numbat.parsing.result import Parse
from tests.command_line import Numbat
from tests.strategies import random_pair

DINNER = """
grammar: dinner
leaves: N, V, P, Pro
roots: S
S:
    oblig VP
    uniq {NP, VP}
    NP < VP
NP:
    oblig N | Pro
    N x Pro
    uniq {N, Pro, PP}
    N < PP
    Pro x PP
VP:
    oblig V
    uniq {V, NP, PP}
    V < {NP, PP}
    NP < PP
PP:
    oblig P
    uniq {P, NP}
    P => NP
    P < NP
lexicon:
    she: Pro
    he: Pro
    ate: V
    pizza: N
    soup: N
    salad: N
    with, of: P
    olives: N
    cheese: N
    spoons: N
    forks: N
"""


def sum_of(parser: Parser, parse: Parse, preferences: Preferences) -> float:
    counts = features_of_parse(parse, parser.evaluator.table)
    return sum(preferences.weights.get(name, 0.0) * number for name, number in counts.items()) - parse.cost


def test_the_choice_is_the_best_of_an_enumeration() -> None:
    """Also if few analyses of an item are kept; random weights are harder than learned ones."""
    changed = exact = 0
    for seed in range(120):
        grammar, lattice = random_pair(seed, negative=False, longest=4)
        parser = Parser(grammar)
        every = parser.n_best(lattice, 2_000)
        if len(every) == 2_000:
            continue
        names = sorted({name for parse in every for name in features_of_parse(parse, parser.evaluator.table)})
        weights = {name: ((seed + 7 * i) % 11 - 5) / 10 for i, name in enumerate(names)}
        preferences = Preferences(grammar.name, 1.0, "", weights)
        best = parser.parse(lattice)
        within = [parse for parse in every if parse.cost_units <= best.cost_units + UNIT]
        chosen = preferred(parser, best, preferences)
        highest = max(sum_of(parser, parse, preferences) for parse in within)
        assert chosen.cost_units <= best.cost_units + UNIT
        assert sum_of(parser, chosen, preferences) <= highest + 1e-9
        exact += abs(sum_of(parser, chosen, preferences) - highest) < 1e-6
        changed += bool(chosen.outcome.preferred)
        assert chosen.to_brackets() in {parse.to_brackets() for parse in within}
    assert changed > 40
    assert exact > 100


def test_a_chosen_parse_is_evaluated_like_any_other() -> None:
    parser = Parser(numbat.load_grammar("english"))
    best = parser.parse("She saw the man with the telescope.")
    weights = {'NP "man" > PP "with"': 2.0, 'VP "saw" > PP "with"': 0.0}
    chosen = preferred(parser, best, Preferences("english", 0.3, "", weights))
    other = preferred(parser, best, Preferences("english", 0.3, "", {name: -one for name, one in weights.items()}))
    assert chosen.to_brackets() != other.to_brackets()
    same = parser.n_best("She saw the man with the telescope.", 8)
    for parse in (chosen, other):
        (twin,) = [one for one in same if one.to_brackets() == parse.to_brackets()][:1]
        assert (parse.cost_units, parse.weight_units, len(parse.satisfied)) == (
            (twin.cost_units, twin.weight_units, len(twin.satisfied))
        )


def test_learning_finds_what_decides() -> None:
    """Two features go with right heads, one with wrong ones, one with both."""
    examples = [
        ComparedParses(4, (ComparedParse(0.0, 2, {"a": 1, "x": 1}), ComparedParse(0.1, 4, {"b": 1, "x": 1})))
        for _ in range(5)
    ]
    weights = _learned(examples, PreferenceSettings())
    assert weights["b"] > 0 > weights["a"]
    assert weights.get("x", 0.0) == 0.0
    assert all(_chosen(one, weights).right == 4 for one in examples)
    assert _learned(examples, PreferenceSettings()) == weights


def test_files_are_read_as_written_and_mistakes_are_told(tmp_path: Path) -> None:
    grammar = numbat.load_grammar("english")
    path = tmp_path / "some.preferences"
    written = Preferences(
        "english", 0.5, "learned from 2 sentences of a.conllu", {'NP > PP "of"': 0.25, "VP > PP": -1.5}
    )
    path.write_text(format_preferences(written), encoding="utf-8")
    assert read_preferences(str(path), grammar) == written
    path.write_text("# numbat preferences/1\n# grammar: french\n0.1\tNP\n", encoding="utf-8")
    with pytest.raises(DataError, match='these preferences are for the grammar "french", not "english"'):
        read_preferences(str(path), grammar)
    path.write_text("# numbat preferences/1\n# grammar: english\nmuch NP\n", encoding="utf-8")
    with pytest.raises(DataError, match=":3: not a weight, a tab and a feature"):
        read_preferences(str(path), grammar)
    path.write_text('# numbat preferences/1\n# grammar: english\n0.1\tNP > PP\n0.1\tQux > PP "of"\n', encoding="utf-8")
    with pytest.raises(
        DataError, match=r":4: Qux is no category of the grammar english\n  the grammar has changed: learn"
    ):
        read_preferences(str(path), grammar)
    for margin in ("nan", "-1", "1e400", "much"):
        path.write_text(f"# numbat preferences/1\n# grammar: english\n# margin: {margin}\n0.1\tNP\n", encoding="utf-8")
        with pytest.raises(DataError, match="its margin is not a number from 0 to 1,000,000,000\n  numbat learn"):
            read_preferences(str(path), grammar)
    for weight in ("nan", "inf", "1e20"):
        path.write_text(f"# numbat preferences/1\n# grammar: english\n{weight}\tNP\n", encoding="utf-8")
        with pytest.raises(DataError, match=":3: not a weight, a tab and a feature"):
            read_preferences(str(path), grammar)
    path.write_text("# numbat preferences/1\n# grammar: english\n1\tNP\n2\tNP\n", encoding="utf-8")
    with pytest.raises(DataError, match=":4: a second weight of NP\n  leave one of them out"):
        read_preferences(str(path), grammar)
    path.write_text("0.1\tNP\n", encoding="utf-8")
    with pytest.raises(DataError, match="not a file of preferences"):
        read_preferences(str(path), grammar)


@pytest.mark.parametrize(
    ("name", "text", "first", "preferable"),
    [
        (
            "english",
            "They asked for a list of hotels near the station.",
            "hotels))))) (PP (P near",
            "hotels) (PP (P near",
        ),
        ("french", "Le maire a présenté un projet de loi sur les écoles.", "loi))) (PP (P sur", "loi)))) (PP (P sur"),
    ],
)
def test_packaged_preferences_fit_their_grammar(name: str, text: str, first: str, preferable: str) -> None:
    parser = Parser(numbat.load_grammar(name))
    (best, *_), nearby = parser.n_best_nearby(text, 1, 0.3)
    chosen = preferred(parser, best, read_preferences(name, parser.grammar), nearby=nearby)
    assert first in best.to_brackets()
    assert preferable in chosen.to_brackets()
    assert chosen.cost_units <= best.cost_units + 0.3 * UNIT
    assert chosen.outcome.preferred.startswith("chosen before a parse ")


def test_brackets_teach_as_dependencies_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With *of* it belongs to the noun, with *with* to the verb; a sentence of other words is chosen like those."""
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(DINNER, encoding="utf-8")
    nouns = ("salad", "soup", "pizza")
    of = [f"(S (NP (X she)) (VP (X ate) (NP (NP (X {one})) (PP (X of) (NP (X olives))))))\n" for one in nouns]
    using = [f"(S (NP (X he)) (VP (X ate) (NP (X {one})) (PP (X with) (NP (X forks)))))\n" for one in nouns]
    Path("trees.mrg").write_text("".join([*of, *using]), encoding="utf-8")
    numbat_verb = Numbat(capsys, monkeypatch)
    learned = numbat_verb("learn", "preferences", "-g", "g.pg", "-q", "trees.mrg", "-o", "g.preferences")
    assert learned.code == 0, learned.err
    parsed = [
        numbat_verb("parse", "-g", "g.pg", "--preferences", "g.preferences", "-f", "bracket", text).out
        for text in ("she ate cheese of olives", "she ate cheese with forks")
    ]
    assert parsed == [
        "(S (NP (Pro she)) (VP (V ate) (NP (N cheese) (PP (P of) (NP (N olives))))))\n",
        "(S (NP (Pro she)) (VP (V ate) (NP (N cheese)) (PP (P with) (NP (N forks)))))\n",
    ]


def test_a_parser_that_cannot_choose_refuses(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "some.preferences"
    path.write_text(format_preferences(Preferences("english", 0.3, "", {"VP": 0.1})), encoding="utf-8")
    numbat_verb = Numbat(capsys, monkeypatch)
    for options, message in (
        (("--valuation", "net"), "--preferences needs the exact engine and the valuation relaxation"),
        (("--engine", "phases"), "--preferences needs the exact engine and the valuation relaxation"),
        (("--trace",), "--trace and --preferences exclude each other"),
        (("-n", "2"), "--preferences and -n exclude each other"),
        (("-g", "ewt", "--expansions", "ewt"), "--preferences and --expansions exclude each other"),
    ):
        done = numbat_verb("parse", "--preferences", str(path), *options, "The cat sleeps.")
        assert (done.out, done.code, done.err.partition("\n")[0]) == ("", 2, f"numbat: {message}")
