"""Constituents made by hand, for tests that call one phase only."""

from __future__ import annotations

import re
from collections.abc import Iterable

from numbat import Grammar, parse_grammar
from numbat.evaluation.constituents import Assignment, Characterization, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.properties import Bundle, Property, format_property

NP = """
leaves: Det, Adj, N, V
NP:
    oblig N
    uniq {Det, N}
    Det < N
    Adj < N
    N => Det
VP:
    oblig V
    V => NP
    V < NP
"""
"""A noun phrase and a verb phrase, for tests that need any small grammar."""


def grammar(text: str = NP) -> Grammar:
    return parse_grammar(text, "grammar.pg")


def evaluator(text: str = NP) -> Evaluator:
    """Return a new evaluator; used ones remember their results."""
    return Evaluator(build_table(grammar(text)))


def bundle(text: str) -> Bundle:
    """`number=sg,person=3`"""
    return tuple((name, value) for name, value in (pair.split("=") for pair in text.split(",") if pair))


def over(*positions: int) -> int:
    """The cover of these token positions."""
    return sum(1 << position for position in positions)


def word(kind: str, *positions: int) -> Constituent:
    """`N[number=sg]` over the token positions."""
    found = re.fullmatch(r"(\w+|\?)(?:\[(.*)\])?", kind)
    assert found, kind
    form = "-".join(f"w{position}" for position in positions)
    return Constituent(found[1], over(*positions), bundle(found[2] or ""), form=form)


def words(kinds: str) -> Assignment:
    """One word for each kind, from the left: `Det Adj N[number=sg]`."""
    return tuple(word(kind, position) for position, kind in enumerate(kinds.split()))


def phrase(kind: str, *daughters: Constituent, both: Characterization | None = None, depth: int = 1) -> Constituent:
    """A phrase over its daughters, with the characterization that is given."""
    shape = word(kind, 0)
    cover = 0
    for daughter in daughters:
        cover |= daughter.cover
    return Constituent(
        shape.construction,
        cover,
        shape.features,
        depth=depth,
        daughters=daughters,
        characterization=both or Characterization(),
    )


def shown(assignments: Iterable[Assignment]) -> list[str]:
    """`Det0 N1`: the constructions of each assignment with the first position of each."""
    return [" ".join(f"{c.construction}{c.start}" for c in assignment) for assignment in assignments]


def written(properties: Iterable[Property]) -> list[str]:
    """`NP: Det < N`"""
    return [f"{prop.construction}: {format_property(prop)}" for prop in properties]


def instances_of(both: Characterization) -> tuple[list[str], list[str]]:
    """The satisfied and the violated instances, each as `Det < N (0, 1)`."""
    satisfied, violated = (
        [f"{format_property(instance.property)} {instance.elements}" for instance in instances]
        for instances in (both.satisfied, both.violated)
    )
    return satisfied, violated
