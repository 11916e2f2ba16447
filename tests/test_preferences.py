"""Preferences: learned from dependencies, a choice among parses within the margin, files and their mistakes."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import pytest

import numbat
from numbat import DataError, Parser, native
from numbat.grammar.properties import UNIT
from numbat.learning.preferences import ComparedParse, ComparedParses, _chosen, _learned
from numbat.learning.settings import PreferenceSettings
from numbat.parsing.preferences import (
    MANY_WEIGHTS,
    SOUGHT,
    Preferences,
    SortedWeights,
    features_of_parse,
    format_preferences,
    in_words,
    read_preferences,
)
from numbat.parsing.result import Parse
from numbat.words.lattice import Lattice
from tests.command_line import Numbat
from tests.samples import enough
from tests.strategies import random_pair

NEEDS = "preferences need the exact engine, the valuation relaxation, whole trees and no limit of states"
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


def violated_in(parse: Parse) -> Counter[str]:
    return Counter(repr(one.property) for one in parse.violated)


def at_top(parse: Parse) -> set[str]:
    return {top.construction for top in parse.constituents}


def random_preferences(seed: int) -> tuple[Parser, Lattice, list[Parse], Preferences] | None:
    """Return a parser, a lattice, all parses of it, and weights of their features; None if there are very many."""
    grammar, lattice = random_pair(seed, negative=False, longest=4)
    parser = Parser(grammar)
    every = parser.n_best(lattice, 2_000)
    if len(every) == 2_000:
        return None
    names = sorted({name for parse in every for name in features_of_parse(parse, parser.evaluator.table)})
    weights = {name: ((seed + 7 * i) % 11 - 5) / 10 for i, name in enumerate(names)}
    return parser, lattice, every, Preferences(grammar.name, 1.0, "", weights)


def test_the_choice_is_the_best_of_an_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly always, as few analyses of an item are kept; random weights are harder than learned ones.

    It is a best parse if other properties would be violated. If it costs more, it has constructions of it at the top.
    Python chooses like C.
    """
    changed = exact = other = 0
    for seed in range(enough(120)):
        if (made := random_preferences(seed)) is None:
            continue
        parser, lattice, every, preferences = made
        best = parser.parse(lattice)
        within = [parse for parse in every if parse.cost_units <= best.cost_units + UNIT]
        preferring = Parser(parser.grammar, preferences=preferences)
        chosen = preferring.parse(lattice)
        highest = max(within, key=lambda parse: sum_of(parser, parse, preferences))
        if highest.cost_units > best.cost_units and not at_top(highest) <= at_top(best):
            alike = [parse for parse in within if at_top(parse) <= at_top(best)]
            highest = max(alike, key=lambda parse: sum_of(parser, parse, preferences))
        assert chosen.cost_units == best.cost_units or at_top(chosen) <= at_top(best)
        assert violated_in(chosen) == violated_in(best)
        assert chosen.to_brackets() in {parse.to_brackets() for parse in within}
        is_highest = abs(sum_of(parser, chosen, preferences) - sum_of(parser, highest, preferences)) < 1e-6
        exact += is_highest or (
            violated_in(highest) != violated_in(best) and chosen.to_brackets() == best.to_brackets()
        )
        changed += bool(chosen.outcome.preferred)
        other += not is_highest
        with monkeypatch.context() as patched:
            patched.setattr(native, "load", lambda name: None)
            assert preferring.parse(lattice) == chosen
    assert changed > enough(20)
    assert exact > enough(100)
    assert other > enough(10)


def test_the_preferred_parse_leads_a_list_of_the_best() -> None:
    parser = Parser(numbat.load_grammar("english"), preferences="none")
    preferring = Parser(parser.grammar)
    sentence = "They asked for a list of hotels near the station."
    chosen, best = preferring.parse(sentence), parser.parse(sentence)
    assert chosen.to_brackets() != best.to_brackets()
    parses = preferring.n_best(sentence, 5)
    trees = [parse.to_brackets() for parse in parses]
    assert trees[:2] == [chosen.to_brackets(), best.to_brackets()]
    assert [parse.rank for parse in parses] == [1, 2, 3, 4, 5]
    assert len(set(trees)) == 5
    assert [parse.outcome.preferred != "" for parse in parses] == [True, False, False, False, False]


def test_preferences_survive_a_process_and_other_weights() -> None:
    grammar = numbat.load_grammar("english")
    preferring = Parser(grammar, preferences=Preferences("english", 0.3, "", {'NP "man" > PP "with"': 2.0}))
    sentence = "She saw the man with the telescope."
    chosen = preferring.parse(sentence)
    assert chosen.outcome.preferred
    for twin in (pickle.loads(pickle.dumps(preferring)), preferring.with_granularity(1.5)):
        assert twin.parse(sentence).to_brackets() == chosen.to_brackets()


def test_a_chosen_parse_is_evaluated_like_any_other() -> None:
    grammar = numbat.load_grammar("english")
    sentence = "She saw the man with the telescope."
    weights = {'NP "man" > PP "with"': 2.0, 'VP "saw" > PP "with"': 0.0}
    against = {name: -weight for name, weight in weights.items()}
    chosen, other = (
        Parser(grammar, preferences=Preferences("english", 0.3, "", of)).parse(sentence) for of in (weights, against)
    )
    assert chosen.to_brackets() != other.to_brackets()
    same = Parser(grammar, preferences="none").n_best(sentence, 8)
    for parse in (chosen, other):
        (twin,) = [one for one in same if one.to_brackets() == parse.to_brackets()][:1]
        assert (parse.cost_units, parse.weight_units, len(parse.satisfied)) == (
            (twin.cost_units, twin.weight_units, len(twin.satisfied))
        )


def test_a_grammar_with_the_name_of_a_packaged_one_has_none_of_its_preferences() -> None:
    grammar = numbat.parse_grammar(DINNER.replace("grammar: dinner", "grammar: english"))
    assert Parser(grammar).preferred is None
    assert Parser(numbat.load_grammar("english")).preferred is not None


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
    for rows, message in (
        ("margin: nan\n0.1\tNP", 'the margin "nan" is no number from 0 to 1,000,000'),
        ("margin: 1\nmuch NP", ":4: not a weight from -1,000,000 to 1,000,000, a tab and a new feature"),
        ("margin: 1\n0.1\tNP\ninf\tVP", ":5: not a weight from"),
        ("margin: 1\n0.1\tNP\n\n0.2\tNP", ":6: not a weight from"),
        (
            "margin: 1\n# categories: NP Qux\n0.1\tQux",
            "Qux is no category of the grammar english\n  the grammar has changed",
        ),
    ):
        path.write_text(f"# numbat preferences/1\n# grammar: english\n# {rows}\n", encoding="utf-8")
        with pytest.raises(DataError, match=message):
            read_preferences(str(path), grammar)
    path.write_text("0.1\tNP\n", encoding="utf-8")
    with pytest.raises(DataError, match="not a file of preferences"):
        read_preferences(str(path), grammar)


def test_kept_weights_are_those_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_CACHE", str(tmp_path / "kept"))
    grammar, path = numbat.load_grammar("english"), tmp_path / "many.preferences"
    weights = {f'NP > PP "{word}"': word / 8 - 60 for word in range(MANY_WEIGHTS)} | {"NP > PP": 1.25, "#/N": -1e-7}
    path.write_text(format_preferences(Preferences("english", 0.5, "made", weights)), encoding="utf-8")
    first, again = (read_preferences(str(path), grammar) for _ in range(2))
    assert isinstance(again.weights, SortedWeights)
    asked = [*weights, "A", "NP > P", 'NP > PP "', "VP"]
    for _ in range(1 + SOUGHT // len(asked)):
        assert [again.weights.get(name) for name in asked] == [first.weights.get(name) for name in asked]
    assert first == again
    path.write_text(path.read_text(encoding="utf-8").replace("1.25\tNP > PP\n", "2.5\tNP > PP\n"), encoding="utf-8")
    assert read_preferences(str(path), grammar).weights["NP > PP"] == 2.5


@pytest.mark.parametrize(
    ("name", "text", "first", "preferable"),
    [
        (
            "english",
            "They asked for a list of hotels near the station.",
            "hotels))))) (PP (P near",
            "hotels) (PP (P near",
        ),
        ("french", "Le maire a présenté un projet de loi sur les écoles.", "loi))) (PP (P sur", "loi) (PP (P sur"),
    ],
)
def test_packaged_preferences_fit_their_grammar(name: str, text: str, first: str, preferable: str) -> None:
    grammar = numbat.load_grammar(name)
    best, chosen = (Parser(grammar, preferences=of).parse(text) for of in ("none", None))
    assert first in best.to_brackets()
    assert preferable in chosen.to_brackets()
    assert chosen.cost_units <= best.cost_units + 0.3 * UNIT
    assert chosen.outcome.preferred.startswith("chosen before a parse ")


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        ('NP > PP "of"', 'PP with "of" in NP'),
        ('VP "ate" > PP', 'PP in VP with "ate"'),
        ('VP "ate" > PP "of course"', 'PP with "of course" in VP with "ate"'),
        ("VP V > PP 4 to 6 words away", "PP 4 to 6 words away from V in VP"),
        ("NP > N + PP", "PP after N in NP"),
        ("NP > Det N PP", "NP of Det N PP"),
        ("NP > PP of 4 to 6 words", "PP of 4 to 6 words in NP"),
        ("NP > PP[gap=no, kind=x]", "PP[gap=no, kind=x] in NP"),
        ("NP > PP", "PP in NP"),
        ("NP[bare=no]", "NP[bare=no]"),
        ("top NP", "NP at the top"),
        ("and/or/Conj", '"and/or" as Conj'),
    ],
)
def test_each_kind_of_feature_has_words(feature: str, words: str) -> None:
    assert in_words(feature) == words


def test_packaged_preferences_keep_a_sentence_a_sentence() -> None:
    parse = Parser(numbat.load_grammar("english")).parse("The cost of the new school in the town rose.")
    assert [top.construction for top in parse.constituents] == ["S"]


def test_a_folder_with_the_name_of_a_grammar_hides_no_preferences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "english").mkdir()
    monkeypatch.chdir(tmp_path)
    assert Parser(numbat.load_grammar("english")).preferred is not None


def test_a_file_with_a_mistake_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "two.txt").write_text("The cat sleeps.\nThe dogs sleep.\n", encoding="utf-8")
    numbat_verb = Numbat(capsys, monkeypatch)
    done = numbat_verb("parse", "--preferences", "nothere.preferences", "-i", str(tmp_path / "two.txt"))
    assert (done.out, done.code) == ("", 66)
    assert done.err.count("nothere.preferences: cannot be read") == 1
    (tmp_path / "french.preferences").write_text("# numbat preferences/1\n# grammar: french\n", encoding="utf-8")
    done = numbat_verb("parse", "--preferences", str(tmp_path / "french.preferences"), "-i", str(tmp_path / "two.txt"))
    assert (done.out, done.code) == ("", 65)
    assert done.err.count("these preferences are for the grammar") == 1


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
        (
            ("--valuation", "net"),
            NEEDS,
        ),
        (
            ("--engine", "phases"),
            NEEDS,
        ),
        (
            ("--max-states", "9"),
            NEEDS,
        ),
        (
            ("--shallow", "-g", "english"),
            NEEDS,
        ),
        (("-g", "ewt", "--expansions", "ewt"), "--preferences and --expansions exclude each other"),
    ):
        done = numbat_verb("parse", "--preferences", str(path), *options, "The cat sleeps.")
        assert (done.out, done.code, done.err.partition("\n")[0]) == ("", 2, f"numbat: {message}")
