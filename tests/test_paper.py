"""The worked examples of Prost 2006 (docs/decisions.md), example by example."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from numbat import Parser, load_grammar
from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.properties import UNIT
from numbat.parsing.phases.neighbourhoods import Anywhere
from numbat.parsing.phases.phases import (
    Site,
    appropriation,
    assignation,
    building_site,
    checkpoint_alpha,
    checkpoint_bravo,
    formation,
    polling_booth,
    satisfaction,
)
from numbat.parsing.policies import profile_named
from numbat.words.lexical_lookup import read_text, words_of
from tests.phases.making import evaluator, instances_of, over, phrase, shown, words, written

H3_GRAMMAR = Path(__file__).parents[1] / "grammars" / "numbat-h3.pg"
DEFAULT = profile_named("default")


class Drops:
    """The assignments and candidates that the heuristics dropped."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def __call__(self, heuristic: str, assignment: Assignment) -> None:
        self.told.append((heuristic, shown([assignment])[0]))


def candidates(assignments: Iterable[Assignment], text: str) -> list[Constituent]:
    """Phases 4 to 7 of the paper over these assignments."""
    made = evaluator(text)
    relevant = checkpoint_bravo(appropriation(assignments, made), made, DEFAULT)
    return list(formation(satisfaction(relevant, made), made))


# Building Site: in the first round, one constituent per part of speech of each word


def test_the_first_round_of_the_building_site() -> None:
    text = "leaves: Det, N, V\nNP:\n    uniq {Det, N}\nlexicon:\n    the: Det\n    saw: V, N\n    saws: V, N\n"
    site = building_site(read_text("the saw saws", words_of(evaluator(text).table.grammar)))
    assert shown([site.new]) == ["Det0 V1 N1 V2 N2"]
    assert all(constituent.is_word for constituent in site.new)


# H1 Distinct Constituents: {DET1, ADJ2} and {ADJ2, NOUN3} share ADJ2


def test_h1_two_constituents_that_share_the_adjective_are_no_assignment() -> None:
    det, adj, noun = words("Det Adj Noun")
    left, right = phrase("X", det, adj), phrase("Y", adj, noun)
    site = Site((left, right))
    made = list(assignation(site, Anywhere(site)))
    drops = Drops()
    assert shown(checkpoint_alpha(made, DEFAULT, drops)) == ["X0", "Y1"]
    assert drops.told == [("H1", "X0 Y1")]
    assert shown(checkpoint_alpha([(left, noun), (det, right)], DEFAULT)) == ["X0 Noun2", "Det0 Y1"]


# H3 Full Coverage: A = [Det, N, V]


def test_h3_drops_det_n_v_whichever_is_built() -> None:
    """The NP leaves V uncovered, the VP leaves Det and N uncovered, the S all three."""
    grammar = load_grammar(H3_GRAMMAR)
    made = Evaluator(build_table(grammar))
    covered = {name: set(categories) for name, categories in made.table.covered.items()}
    assert covered == {"S": {"NP", "VP"}, "NP": {"Det", "N", "Adj"}, "VP": {"V", "NP"}}
    (store,) = stores = list(appropriation([words("Det N V")], made))
    assert written(store.properties) == ["NP: uniq N", "NP: Det < N"]
    drops = Drops()
    assert list(checkpoint_bravo(stores, made, DEFAULT, drops)) == []
    assert drops.told == [("H3", "Det0 N1 V2")]


def test_h3_leaves_det_n_and_builds_the_verb_phrase_in_two_steps() -> None:
    grammar = load_grammar(H3_GRAMMAR)
    assert Parser(grammar).parse("voit le chat").to_brackets() == "(VP (V voit) (NP (Det le) (N chat)))"
    assert Parser(grammar).parse("le chat voit").to_brackets() == "(NP (Det le) (N chat)) (V voit)"


# Uniq(C)[c, A] holds iff cx(c) = C, c in A and no other c' in A has cx(c') = C


@pytest.mark.parametrize(
    ("kinds", "holds_of", "fails_of"),
    [("C", [0], []), ("D C D", [1], []), ("C D C", [], [0, 2]), ("C C C", [], [0, 1, 2]), ("D", [], [])],
)
def test_the_definition_of_uniqueness(kinds: str, holds_of: list[int], fails_of: list[int]) -> None:
    made = candidates([words(kinds)], "leaves: C, D\nX:\n    uniq C\n    C + D cost 0\n")
    satisfied, violated = instances_of(made[0].characterization) if made else ([], [])
    assert [one for one in satisfied if "uniq" in one] == [f"uniq C ({index},)" for index in holds_of]
    assert [one for one in violated if "uniq" in one] == [f"uniq C ({index},)" for index in fails_of]


# (C1 < C2)[c1, c2, A] holds iff cx(c1) = C1, cx(c2) = C2 and ind(c1, A) < ind(c2, A)


@pytest.mark.parametrize("kinds", ["C1 C2", "C2 C1", "C1 D C2", "C2 C1 C2", "C1 C1 C2 C1", "C2 D C1 D C2"])
def test_linear_precedence_compares_indexes(kinds: str) -> None:
    (built,) = candidates([words(kinds)], "leaves: C1, C2, D\nX:\n    const {C1, C2, D}\n    C1 < C2\n")
    tuples = [
        (i, j)
        for i, one in enumerate(kinds.split())
        for j, other in enumerate(kinds.split())
        if (one, other) == ("C1", "C2")
    ]
    assert instances_of(built.characterization) == (
        [f"C1 < C2 ({i}, {j})" for i, j in tuples if i < j],
        [f"C1 < C2 ({i}, {j})" for i, j in tuples if i > j],
    )


# The claim: any property, monotonic or not, can license a constituent


@pytest.mark.parametrize(
    ("form", "kinds", "satisfied"),
    [
        ("uniq N", "N", ["uniq N (0,)"]),
        ("N => Det", "N Det", ["N => Det (0,)"]),
        ("N + Det", "Det N", ["N + Det (1, 0)"]),
        ("Det < N", "Det N", ["Det < N (0, 1)"]),
    ],
)
def test_a_property_alone_licenses_a_constituent(form: str, kinds: str, satisfied: list[str]) -> None:
    """A non-monotonic property is enough."""
    text = f"leaves: Det, N\nNP:\n    {form}\n"
    (built,) = candidates([words(kinds)], text)
    assert (built.construction, built.cover) == ("NP", over(*range(len(kinds.split()))))
    assert instances_of(built.characterization) == (satisfied, [])
    assert list(polling_booth([built], evaluator(text), DEFAULT)) == [built]


def test_of_these_only_linearity_is_monotonic() -> None:
    relations = evaluator("leaves: A\nX:\n    uniq A\n").table.relations
    assert [name for name in ("uniqueness", "requirement", "adjacency", "linearity") if relations[name].monotonic] == [
        "linearity"
    ]


# The trap: a lookup by the operands present never retrieves a property about absence


BARE = "leaves: Det, N\nNP:\n    oblig N\n    uniq Det\n    Det < N\nlexicon:\n    the: Det\n    cat: N\n"


def test_a_bare_determiner_violates_the_obligation() -> None:
    made = evaluator(BARE)
    (store,) = appropriation([words("Det")], made)
    assert written(store.properties) == ["NP: uniq Det"]
    (built,) = formation(satisfaction([store], made), made)
    assert instances_of(built.characterization) == (["uniq Det (0,)"], ["oblig N ()"])
    assert built.cost_units == UNIT


def test_the_parse_of_a_bare_determiner_says_what_is_missing() -> None:
    parse = Parser(evaluator(BARE).table.grammar).parse("the")
    assert parse.to_brackets() == "(NP (Det the))"
    assert [evaluated.property.relation for evaluated in parse.violated] == ["obligation"]
    assert not parse.is_well_formed


def test_an_obligation_alone_triggers_its_construction() -> None:
    """Prost (2006): a construction is triggered by any of its properties (ruling 8)."""
    text = "leaves: N, Det\nNP:\n    oblig N\n    Det < N\n"
    (built,) = candidates([words("N")], text)
    assert instances_of(built.characterization) == (["oblig N ()"], [])
    assert candidates([words("Det")], text) == []
    assert candidates([words("N")], f"semantics:\n    trigger: by-operands\n{text}") == []
