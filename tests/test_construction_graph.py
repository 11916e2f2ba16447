"""The graph of constructions: daughters, cycles, effects of a change."""

from __future__ import annotations

from itertools import pairwise

import pytest

from numbat.authoring.report import construction_graph, graph_lines
from numbat.grammar.loading import load_grammar, parse_grammar
from tests.command_line import Numbat

GRAMMAR = """
grammar: small
leaves: N, P, V, X
roots: S[kind=a]
features:
    kind: a, b
S:
    NP < V
    V => NP
NP:
    oblig N
    N < PP
PP:
    P < NP
X1:
    oblig X1
"""


def test_an_edge_has_the_properties_that_name_its_daughter() -> None:
    grammar = parse_grammar(GRAMMAR)
    graph = construction_graph(grammar)
    assert {(one, other): graph.edges[one, other]["properties"] for one, other in graph.edges} == {
        ("S", "NP"): [0, 1],
        ("S", "V"): [0, 1],
        ("NP", "N"): [2, 3],
        ("NP", "PP"): [3],
        ("PP", "P"): [4],
        ("PP", "NP"): [4],
        ("X1", "X1"): [5],
    }
    for one, _, numbers in graph.edges(data="properties"):
        assert all(grammar.properties[number].construction == one for number in numbers)


def test_lines_of_a_graph() -> None:
    assert list(graph_lines(parse_grammar(GRAMMAR))) == [
        "small: 4 constructions, 7 edges to daughters",
        "construction  made of  a change reaches",
        "S             NP, V    nothing else",
        "NP            N, PP    S, PP",
        "PP            P, NP    S, NP",
        "X1            X1       nothing else",
        "in no tree under a root (S): X, X1",
        "circles: X1 > X1; NP > PP > NP",
    ]


@pytest.mark.parametrize("name", ["english", "french", "ewt"])
def test_every_edge_of_a_circle_is_there(name: str) -> None:
    grammar = load_grammar(name)
    graph = construction_graph(grammar)
    *_, last = graph_lines(grammar)
    for circle in last.removeprefix("circles: ").split("; ") if last != "circles: none" else ():
        steps = circle.split(" > ")
        assert all(graph.has_edge(one, other) for one, other in pairwise(steps))


def test_the_command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    numbat = Numbat(capsys, monkeypatch)
    assert numbat("show", "english-np", "--graph").out.endswith("circles: none\n")
    assert numbat("show", "english", "--graph", "--against", "english-np").code == 2
