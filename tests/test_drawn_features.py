"""Drawings show the features that the terminal shows, and trees the positions that are asked for."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import numbat
from numbat import Parse, Parser
from numbat.errors import UsageError
from numbat.parsing.explanation.drawing import ENTIRE, Look, forest, outline, svg

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
    assert features_drawn(svg(parses[0], ENTIRE)) == ["[case=nom, kind=a]"] * 2


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


LONG = "The old man in the garden of my sister said that the young dogs of the other farmer have eaten the fish."


@pytest.mark.parametrize("folded", [(), ("PP",), ("NP", "AP"), ("S",), ("VP", "XX")])
def test_a_folded_phrase_stands_for_all_below_it_in_drawings_latex_and_outline(folded: tuple[str, ...]) -> None:
    """Constituents below a folded phrase are not drawn; the outline has all, with the same phrases closed."""
    parse = Parser(numbat.load_grammar("english")).parse(LONG)
    numbers = {id(node): str(number) for number, node in enumerate(parse.walk())}
    closed = {numbers[id(node)] for node in parse.walk() if node.daughters and node.construction in folded}
    hidden = {
        numbers[id(below)] for node in parse.walk() if numbers[id(node)] in closed for below in list(node.walk())[1:]
    }
    look = Look(folded=folded)
    drawing = svg(parse, look)
    labels = re.findall(r'<g class="constituent([^"]*)" data-number="(\d+)"', drawing)
    assert sorted(number for _, number in labels) == sorted(set(numbers.values()) - hidden)
    assert {number for names, number in labels if "folded" in names} == closed - hidden
    assert drawing.count('class="edge roof"') == forest(parse, look).count(", roof, tier=word") == len(closed - hidden)
    listed = ElementTree.fromstring(outline(parse, look))
    assert sorted(each.get("data-number", "") for each in listed.iter() if each.get("data-number")) == sorted(
        numbers.values()
    )
    details = [each for each in listed.iter() if each.tag.endswith("details")]
    assert {each[0].get("data-number") for each in details if not each.get("open")} == closed
    words = [each.text for each in listed.iter() if each.get("class") == "form"]
    assert words == [word.form for word in parse.words]


def test_a_single_phrase_is_folded_or_not_by_its_number() -> None:
    parse = Parser(numbat.load_grammar("english")).parse("the cat in the house sleeps")
    phrases = [number for number, node in enumerate(parse.walk()) if node.construction == "NP"]
    roofs = [svg(parse, Look(folded=names, flipped=(phrases[-1],))).count("edge roof") for names in ((), ("NP",))]
    assert roofs == [1, 1]  # the inner one alone; the outer one alone, which hides the inner one
    assert ">the … house<" in svg(parse, Look(flipped=(phrases[0],)))
    with pytest.raises(UsageError) as raised:
        Look(features="few")
    assert str(raised.value) == 'unknown choice of features: "few"\n  choose from: some, all, none'


def test_features_are_drawn_as_the_look_says(parses: list[Parse]) -> None:
    assert features_drawn(svg(parses[0], Look(features="none"))) == []
