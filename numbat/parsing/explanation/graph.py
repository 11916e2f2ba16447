"""A parse as a graph of networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import format_bundle
from numbat.parsing.analysis import Analysis
from numbat.parsing.explanation.fields import constituent_numbers, instance_fields
from numbat.parsing.explanation.json_format import SCHEMA

if TYPE_CHECKING:
    from networkx import DiGraph


def to_networkx(analysis: Analysis) -> DiGraph[str]:
    """The parse as a graph whose nodes are constituents and words (`c0`, `c1`, ...) and property instances (`p0`, ...).

    A node's `kind` is constituent, word or property; an edge's is daughter (from a constituent to its daughter, with
    its `order`), speaks_of (from a property instance to an element) or evaluated_in (to its constituent). All
    attributes are strings, numbers and truth values, so that every format of networkx can write them.
    """
    from networkx import DiGraph

    graph: DiGraph[str] = DiGraph(schema=SCHEMA, sentence=analysis.sentence)
    numbers = constituent_numbers(analysis)
    for constituent in analysis.walk():
        graph.add_node(f"c{numbers[id(constituent)]}", **_constituent_attributes(constituent))
    for constituent in analysis.walk():
        for order, daughter in enumerate(constituent.daughters):
            edge = f"c{numbers[id(constituent)]}", f"c{numbers[id(daughter)]}"
            graph.add_edge(*edge, kind="daughter", order=order)
    for i, evaluated in enumerate(analysis.evaluated):
        instance = instance_fields(evaluated, numbers, analysis.grammar)
        constituent_number, elements = instance.pop("constituent"), instance.pop("elements")
        graph.add_node(f"p{i}", kind="property", satisfied=evaluated.satisfied, **instance)
        graph.add_edge(f"p{i}", f"c{constituent_number}", kind="evaluated_in")
        graph.add_edges_from(((f"p{i}", f"c{element}") for element in elements), kind="speaks_of")
    return graph


def _constituent_attributes(constituent: Constituent) -> dict[str, str | int | bool]:
    attributes: dict[str, str | int | bool] = {
        "kind": "word" if constituent.is_word else "constituent",
        "construction": constituent.construction,
        "start": constituent.start,
        "end": constituent.end,
        "features": format_bundle(constituent.features),
    }
    if constituent.is_word:
        attributes |= {"form": constituent.form, "guessed": constituent.guessed}
    return attributes
