"""A parse for other programs: bracketed text, JSON, rows of a table, a graph.

Token positions count from 0, ends are exclusive. Constituents are numbered from 0 as `Constituent.walk` meets them;
JSON, rows and graph use the same numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from numbat.evaluation.constituents import Constituent
from numbat.grammar.features import format_bundle
from numbat.grammar.model import UNIT
from numbat.grammar.printing import format_property
from numbat.parsing.explanation.sentences import stretches

if TYPE_CHECKING:
    from networkx import DiGraph

    from numbat.parsing.result import Evaluated, Parse

SCHEMA: Final = "numbat.parse/1"
ROW_HEADER: Final = (
    "id", "rank", "constituent", "construction", "start", "end", "elements", "words", "relation", "property",
    "satisfied", "weight", "cost", "hard", "place",
)  # fmt: skip
"""The columns of `to_rows`. `satisfied` and `hard` are 1 or 0; `elements` are numbers of constituents."""


class _Branching(Protocol):
    @property
    def daughters(self) -> Sequence[Any]: ...


N = TypeVar("N", bound=_Branching)


def brackets(parse: Parse) -> str:
    """The top-level constituents on one line: `(S (NP (Det the) (N cat)) (VP (V sleeps)))`.

    Brackets in forms and names become -LRB- and -RRB-. Daughters stand in the order of their first words, so words of
    a discontinuous constituent stand together.
    """
    return bracketed(parse.constituents, lambda node: (node.construction, node.form if node.is_word else None))


def bracketed(tops: Sequence[N], said: Callable[[N], tuple[str, str | None]]) -> str:
    """Trees in brackets on one line; `said` tells the label of a node and the form of a word, None of a phrase."""
    written: list[str] = []
    waiting: list[N | str] = []
    for top in reversed(tops):
        waiting += (" ", top)
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            written.append(node)
            continue
        label, form = said(node)
        if form is not None:
            written.append(f"({_escaped(label)} {_escaped(form)})")
        else:
            written.append(f"({_escaped(label)}")
            waiting.append(")")
            for daughter in reversed(node.daughters):
                waiting += (daughter, " ")
    return "".join(written).rstrip(" ")


def to_json(parse: Parse) -> dict[str, Any]:
    """The parse as a value that `json.dumps` takes, by the schema `numbat.parse/1`.

    Costs and weights are numbers in units, not fixed-point. `start` and `end` of a property instance are those of the
    daughters that it speaks of, or of its constituent where it speaks of none.
    """
    numbers = _numbers(parse)
    return {
        "schema": SCHEMA,
        "grammar": parse.grammar.name,
        "sentence": sentence(parse),
        "tokens": list(parse.lattice.tokens),
        "skipped": list(parse.lattice.skipped),
        "constituents": _nested(parse.constituents, numbers),
        "satisfied": [_instance(evaluated, numbers) for evaluated in parse.satisfied],
        "violated": [_instance(evaluated, numbers) for evaluated in parse.violated],
        "cost": {
            "total": number(parse.cost),
            "violations": number(parse.violation_cost),
            "fragments": number(parse.fragment_cost),
            "lexical": number(parse.lexical_cost),
        },
        "weight": number(parse.weight),
        "nodes": parse.nodes,
        "count": parse.count,
        "full": parse.is_full,
        "well_formed": parse.is_well_formed,
        "rank": parse.rank,
        "rounds": parse.rounds,
        "engine": parse.engine,
        "profile": parse.profile,
        "election": parse.election,
        "valuation": parse.valuation,
        "stopped_by": parse.stopped_by,
    }


def to_rows(parse: Parse, id: str) -> tuple[tuple[str, ...], ...]:
    """One row for each property instance, satisfied or violated, under `ROW_HEADER`; no cell holds a tab or a newline.

    `id` names the sentence. `start`, `end` and `words` are those of the elements, as in `to_json`.
    """
    numbers = _numbers(parse)
    rows = []
    for evaluated in parse.evaluated:
        instance = _instance(evaluated, numbers)
        words = " ".join(word.form for word in _words(evaluated))
        cells = instance | {"id": id, "rank": parse.rank, "words": words, "satisfied": evaluated.satisfied}
        rows.append(tuple(_cell(cells[column]) for column in ROW_HEADER))
    return tuple(rows)


def to_networkx(parse: Parse) -> DiGraph[str]:
    """The parse as a graph whose nodes are constituents and words (`c0`, `c1`, ...) and property instances (`p0`, ...).

    A node's `kind` is constituent, word or property; an edge's is daughter (from a constituent to its daughter, with
    its `order`), speaks_of (from a property instance to an element) or evaluated_in (to its constituent). All
    attributes are strings, numbers and truth values, so that every format of networkx can write them.
    """
    from networkx import DiGraph

    graph: DiGraph[str] = DiGraph(schema=SCHEMA, sentence=sentence(parse))
    numbers = _numbers(parse)
    for constituent in _walk(parse):
        graph.add_node(f"c{numbers[id(constituent)]}", **_constituent_attributes(constituent))
    for constituent in _walk(parse):
        for order, daughter in enumerate(constituent.daughters):
            edge = f"c{numbers[id(constituent)]}", f"c{numbers[id(daughter)]}"
            graph.add_edge(*edge, kind="daughter", order=order)
    for i, evaluated in enumerate(parse.evaluated):
        instance = _instance(evaluated, numbers)
        constituent_number, elements = instance.pop("constituent"), instance.pop("elements")
        graph.add_node(f"p{i}", kind="property", satisfied=evaluated.satisfied, **instance)
        graph.add_edge(f"p{i}", f"c{constituent_number}", kind="evaluated_in")
        graph.add_edges_from(((f"p{i}", f"c{element}") for element in elements), kind="speaks_of")
    return graph


def sentence(parse: Parse) -> str:
    """The sentence as it was typed, else its tokens."""
    return parse.lattice.text or " ".join(parse.lattice.tokens)


def number(units: int) -> int | float:
    """Fixed-point units as a number for other programs, whole where it can be."""
    return units // UNIT if units % UNIT == 0 else units / UNIT


def _walk(parse: Parse) -> Iterator[Constituent]:
    return (constituent for top in parse.constituents for constituent in top.walk())


def _numbers(parse: Parse) -> dict[int, int]:
    """The number of each constituent by its identity, for hashing one by value would walk all of its tree."""
    return {id(constituent): i for i, constituent in enumerate(_walk(parse))}


def _nested(tops: Sequence[Constituent], numbers: dict[int, int]) -> list[dict[str, Any]]:
    """Each constituent with those below it; without recursion, for trees may be deep."""
    nested: list[dict[str, Any]] = []
    waiting = [(top, nested) for top in reversed(tops)]
    while waiting:
        constituent, sisters = waiting.pop()
        daughters: list[dict[str, Any]] = []
        sisters.append(
            {
                "id": numbers[id(constituent)],
                "construction": constituent.construction,
                "start": constituent.start,
                "end": constituent.end,
                "positions": [i for run in stretches(constituent.cover) for i in range(*run)],
                "features": dict(constituent.features),
                "form": constituent.form if constituent.is_word else None,
                "guessed": constituent.guessed,
                "daughters": daughters,
            }
        )
        waiting += [(daughter, daughters) for daughter in reversed(constituent.daughters)]
    return nested


def _instance(evaluated: Evaluated, numbers: dict[int, int]) -> dict[str, Any]:
    prop = evaluated.property
    spoken_of = evaluated.elements or (evaluated.constituent,)
    return {
        "relation": prop.relation,
        "property": format_property(prop),
        "construction": prop.construction,
        "constituent": numbers[id(evaluated.constituent)],
        "start": min(element.start for element in spoken_of),
        "end": max(element.end for element in spoken_of),
        "elements": [numbers[id(element)] for element in evaluated.elements],
        "cost": number(prop.cost),
        "weight": number(prop.weight),
        "hard": prop.hard,
        "place": prop.place,
    }


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


def _words(evaluated: Evaluated) -> list[Constituent]:
    spoken_of = evaluated.elements or (evaluated.constituent,)
    words = (word for element in spoken_of for word in element.words())
    return sorted(words, key=lambda word: word.start)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list):
        return " ".join(map(str, value))
    return re.sub(r"\s+", " ", str(value))


def _escaped(text: str) -> str:
    return text.replace("(", "-LRB-").replace(")", "-RRB-")
