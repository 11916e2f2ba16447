"""Drawings show the features that the terminal shows, and trees the positions that are asked for."""

from __future__ import annotations

import re

import pytest

import numbat
from numbat import Parse, Parser
from numbat.report.pages import forest, svg

GRAMMAR = """
leaves: N, V
roots: S
features:
    case: nom, acc
    kind: a, b
tree_features: case
S: uniq V; NP < V
NP: head N; uniq N
lexicon:
    Frau: N[case=nom|acc, kind=a]
    schläft: V
"""


@pytest.fixture(scope="module")
def parses() -> list[Parse]:
    return Parser(numbat.parse_grammar(GRAMMAR)).n_best("Frau schläft", 2)


def features_drawn(drawing: str) -> list[str]:
    return re.findall(r'<text class="features"[^>]*>([^<]*)</text>', drawing)


def test_drawings_tell_apart_what_differs_in_features_alone(parses: list[Parse]) -> None:
    assert [features_drawn(svg(parse)) for parse in parses] == [["[case=nom]"] * 2, ["[case=acc]"] * 2]
    assert features_drawn(svg(parses[0], all_features=True)) == ["[case=nom, kind=a]"] * 2


def test_latex_has_features_below_the_names(parses: list[Parse]) -> None:
    assert (
        forest(parses[0])
        == r"""\begin{forest}
  [{S}
    [{NP\\\scriptsize [case=nom]}, align=center
      [{N\\\scriptsize [case=nom]}, align=center [{Frau}, tier=word]]
    ]
    [{V} [{schläft}, tier=word]]
  ]
\end{forest}
"""
    )


def test_trees_show_positions(parses: list[Parse]) -> None:
    tree, _, _ = parses[0].tree(positions=True).partition("\n\n")
    assert (
        tree
        == """\
S (0-2)
├─ NP [case=nom] (0-1)
│  └─ N [case=nom] (0-1)  Frau
└─ V (1-2)  schläft"""
    )


def test_words_of_a_script_from_right_to_left_are_drawn_so() -> None:
    lexicon = "lexicon:\n    כלב: N\n    ישן: V\n    dog: N\n    barks: V\n"
    grammar = numbat.parse_grammar(f"leaves: N, V\nroots: S\nS:\n    N < V\n{lexicon}")
    drawn = svg(Parser(grammar).parse("כלב ישן"))
    places = {text: float(x) for x, text in re.findall(r'<text [^>]*?x="([\d.]+)"[^>]*>([^<]+)<', drawn)}
    assert places["ישן"] == places["V"] < places["כלב"] == places["N"]
    assert places["2"] < places["1"] < places["0"]
    plain = svg(Parser(grammar).parse("dog barks"))
    places = {text: float(x) for x, text in re.findall(r'<text [^>]*?x="([\d.]+)"[^>]*>([^<]+)<', plain)}
    assert places["dog"] < places["barks"]
    assert places["0"] < places["1"] < places["2"]
