"""A grammar as one HTML page that needs no network: constructions, properties with their counts, rules, example trees.

The page has data, of which `assets/browse.js` builds the part that is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.printing import format_feature_rule, header
from numbat.grammar.properties import UNIT, Property, format_operands, format_property
from numbat.records import frozen
from numbat.report.pages.template import scripted_page
from numbat.runs.record import RunRecord
from numbat.treebank.induced import FileCounts
from numbat.treebank.trees import Tree

MOST_EXAMPLES = 3
LONGEST_EXAMPLE = 14
"""Words of an example tree; longer ones are taken where there is no other."""


@frozen
class ExampleTree:
    """A tree of a treebank by its name, with the labels of the phrases that violate something and what they violate."""

    id: str
    tree: Tree
    violated: tuple[str, ...] = ()


def grammar_page(
    grammar: Grammar,
    counted: Mapping[str, FileCounts],
    examples: Sequence[ExampleTree],
    record: RunRecord | None = None,
) -> str:
    """The page as text, with the record of the run.

    `counted` has, by file, what the comments of an induced grammar say.
    """
    title = f"Numbat: {grammar.name or 'a grammar'}"
    return scripted_page(title, "browse", _content(grammar, counted, examples), record)


def _content(grammar: Grammar, counted: Mapping[str, FileCounts], examples: Sequence[ExampleTree]) -> dict[str, Any]:
    shown = {construction.name: _examples_of(construction.name, examples) for construction in grammar.constructions}
    used = sorted({number for numbers in shown.values() for number in numbers})
    place = {number: i for i, number in enumerate(used)}
    lexicon = f"{len(grammar.lexicon):,} forms, {len(grammar.guesses)} guess rules"
    return {
        "name": grammar.name,
        "about": [*(pair for pair in header(grammar) if pair[1]), ("lexicon", lexicon)],
        "relations": list(relations_of(grammar)),
        "constructions": [
            _construction(each, counted) | {"examples": [place[number] for number in shown[each.name]]}
            for each in grammar.constructions
        ],
        "examples": [
            {"id": examples[number].id, "tree": _node(examples[number].tree), "violated": examples[number].violated}
            for number in used
        ],
    }


def _construction(construction: Construction, counted: Mapping[str, FileCounts]) -> dict[str, Any]:
    file = counted.get(construction.span.path) if construction.span else None
    rules = file.rules.get(construction.name, ()) if file else ()
    lines = [f"head {format_operands(construction.head)}"] if construction.head else []
    if construction.inherit is not None:
        lines.append(f"inherit {', '.join(construction.inherit) or 'none'}")
    return {
        "name": construction.name,
        "title": construction.title,
        "occurrences": file.occurrences.get(construction.name) if file else None,
        "features": [*lines, *map(format_feature_rule, construction.feature_rules)],
        "constituents": [str(each) for each in construction.constituency or ()],
        "rules": [list(rule) for rule in rules],
        "properties": [_property(prop, counted) for prop in construction.properties],
    }


def _property(prop: Property, counted: Mapping[str, FileCounts]) -> dict[str, Any]:
    file = counted.get(prop.span.path) if prop.span else None
    support = file.supports.get(prop.span.line) if file and prop.span else None
    counts = None
    if support is not None:
        counts = [support.valid, support.violating, round(support.w0, 4), round(support.w1, 4), list(support.sentences)]
    return {
        "relation": prop.relation,
        "text": format_property(prop),
        "weight": prop.weight / UNIT,
        "cost": prop.cost / UNIT,
        "hard": prop.hard,
        "line": prop.place,
        "counts": counts,
    }


def _examples_of(name: str, examples: Sequence[ExampleTree]) -> list[int]:
    """The first trees with the construction that are short enough, else the shortest."""
    having = [
        (number, sum(1 for _ in example.tree.words()))
        for number, example in enumerate(examples)
        if any(node.label == name and node.form is None for node in example.tree.walk())
    ]
    short = [number for number, words in having if words <= LONGEST_EXAMPLE]
    return short[:MOST_EXAMPLES] or [number for number, _ in sorted(having, key=lambda pair: pair[1])[:1]]


def _node(tree: Tree) -> list[Any]:
    """`[label, form]` for a word, `[label, [daughters]]` for a phrase."""
    top: list[Any] = []
    waiting = [(tree, top)]
    while waiting:
        node, record = waiting.pop()
        if node.form is not None:
            record += (node.label, node.form)
            continue
        below: list[list[Any]] = [[] for _ in node.daughters]
        record += (node.label, below)
        waiting += zip(node.daughters, below, strict=True)
    return top
