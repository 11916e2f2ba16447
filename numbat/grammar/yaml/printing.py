"""Printer of grammars in YAML."""

from __future__ import annotations

from typing import Any

import yaml

from numbat.grammar.model import Construction, Grammar
from numbat.grammar.printing import format_feature_rule, format_readings, format_token_rule, stated_semantics
from numbat.grammar.properties import (
    Operand,
    Strength,
    format_number,
    format_operand,
    format_operands,
    format_property,
    format_strength,
)
from numbat.grammar.relations import Relation


def format_grammar(grammar: Grammar) -> str:
    """The grammar as YAML; reading it gives an equal grammar."""
    defaults = Grammar()
    texts = {"grammar": grammar.name, "language": grammar.language, "version": grammar.version}
    whole: dict[str, Any] = {key: text for key, text in texts.items() if text}
    whole |= {"authors": list(grammar.authors)} if grammar.authors else {}
    whole |= {"source": grammar.source} if grammar.source else {}
    whole |= {"leaves": list(grammar.leaves)} if grammar.leaves else {}
    whole |= {"roots": _operands(grammar.roots)} if grammar.roots else {}
    whole |= {"tree_features": list(grammar.tree_features)} if grammar.tree_features else {}
    for key in ("fragment_cost", "node_cost"):
        if getattr(grammar, key) != getattr(defaults, key):
            whole[key] = _plain_number(format_number(getattr(grammar, key)))
    if grammar.unary_limit != defaults.unary_limit:
        whole["unary_limit"] = grammar.unary_limit
    sections: dict[str, Any] = {
        "features": {name: list(values) for name, values in grammar.features},
        "semantics": dict(stated_semantics(grammar.semantics)),
        "all": _strengths(grammar.strengths),
        "relations": {relation.name: _relation(relation) for relation in grammar.relations},
        "constructions": {construction.name: _construction(construction) for construction in grammar.constructions},
        "tokens": _Lines(format_token_rule(rule) for rule in grammar.tokens),
        "lexicon": _Pairs({entry.form: format_readings(entry.readings) for entry in grammar.lexicon}),
        "guess": _Pairs({rule.pattern: format_readings(rule.readings) for rule in grammar.guesses}),
        "names": _Pairs({rule.pattern: format_readings(rule.readings) for rule in grammar.names}),
        "spelling": _Pairs({rule.pattern: format_operands(rule.operands) for rule in grammar.spelling}),
    }
    whole |= {name: section for name, section in sections.items() if section}
    return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)


class _Dumper(yaml.SafeDumper):
    """YAML dumper that writes short lists on one line, and `_Lines` and `_Pairs` with a line for each item."""


class _Lines(list[str]):
    """A list with a line for each item."""


class _Pairs(dict[str, str]):
    """A mapping with a line for each pair."""


_Dumper.add_representer(
    _Pairs, lambda dumper, pairs: dumper.represent_mapping("tag:yaml.org,2002:map", pairs, flow_style=False)
)
_Dumper.add_representer(
    _Lines, lambda dumper, lines: dumper.represent_sequence("tag:yaml.org,2002:seq", lines, flow_style=False)
)


def _plain_number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _operands(operands: tuple[Operand, ...]) -> list[str]:
    return [*map(format_operand, operands)]


def _strengths(strengths: tuple[tuple[str, Strength], ...]) -> list[str]:
    return [f"{relation}{format_strength(strength)}" for relation, strength in strengths]


def _relation(relation: Relation) -> dict[str, Any]:
    (clause,) = relation.clauses
    flags = {key: True for key in ("monotonic", "symmetric") if getattr(relation, key)}
    texts = {key: getattr(relation, key) for key in ("says", "but") if getattr(relation, key)}
    each = {"each": list(clause.matched)} if clause.matched else {}
    return {"parameters": list(relation.parameters), **each, "holds": str(relation.holds), **flags, **texts}


def _construction(construction: Construction) -> dict[str, Any]:
    body: dict[str, Any] = {"title": construction.title} if construction.title else {}
    body |= {"head": _operands(construction.head)} if construction.head else {}
    body |= {"inherit": list(construction.inherit)} if construction.inherit is not None else {}
    body |= {"values": list(map(format_feature_rule, construction.feature_rules))} if construction.feature_rules else {}
    body |= {"const": _operands(construction.constituency)} if construction.constituency is not None else {}
    body |= {"all": _strengths(construction.strengths)} if construction.strengths else {}
    body |= (
        {"properties": _Lines(format_property(p, strength=True) for p in construction.properties)}
        if construction.properties
        else {}
    )
    return body
