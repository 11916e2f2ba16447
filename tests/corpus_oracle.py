"""A naive evaluator of queries over parses in memory, to check the SQL of a store, and random queries."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from random import Random
from typing import Final

from numbat.corpus.query_notation import (
    RELATIONS,
    Alternative,
    Characterizes,
    Condition,
    Denied,
    Finds,
    Flagged,
    Knows,
    Measures,
    Relates,
    Says,
)
from numbat.evaluation.constituents import Constituent
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import format_property, subsumes
from numbat.parsing.result import Parse

COMPARISONS: Final = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True)
class Sentence:
    """A parse with the identifier and the metadata of its sentence."""

    name: str
    parse: Parse
    known: Mapping[str, str]


class Oracle:
    """Finds matches in one sentence by trying all constituents for all names."""

    def __init__(self, sentence: Sentence, ids: Mapping[int, int]) -> None:
        self.sentence, self.ids = sentence, ids
        self.nodes = list(sentence.parse.walk())
        self.mothers: dict[int, int] = {}
        self.below: list[set[int]] = []
        at = {id(node): i for i, node in enumerate(self.nodes)}
        for i, node in enumerate(self.nodes):
            self.below.append({at[id(each)] for each in node.walk()} - {i})
            self.mothers |= {at[id(daughter)]: i for daughter in node.daughters}

    def matches(self, alternative: Alternative, around: Mapping[str, int]) -> Iterator[dict[str, int]]:
        choices = []
        for variable in alternative.variables:
            operand = variable.operand
            choices.append(
                [
                    i
                    for i, node in enumerate(self.nodes)
                    if operand.category in (WILDCARD, node.construction) and subsumes(operand.features, node.features)
                ]
            )
        for chosen in product(*choices):
            bound = {**around, **dict(zip((v.name for v in alternative.variables), chosen, strict=True))}
            if all(self.holds(condition, bound) for condition in alternative.conditions):
                places = [
                    [dict(zip(condition.names, row, strict=True)) for row in self.rows(condition.patterns)]
                    for condition in alternative.conditions
                    if isinstance(condition, Says) and condition.names
                ]
                for words in product(*places):
                    yield bound | {name: place for row in words for name, place in row.items()}

    def rows(self, patterns: tuple[str, ...]) -> Iterator[list[int]]:
        """Yield the words in a row that match patterns, each time they occur."""
        words = sorted((node.start, i) for i, node in enumerate(self.nodes) if node.is_word)
        for first in range(len(words)):
            row = [i for _, i in words[first : first + len(patterns)]]
            if self.says(patterns, [self.nodes[i] for i in row]):
                yield row

    def holds(self, condition: Condition, bound: Mapping[str, int]) -> bool:
        parse = self.sentence.parse
        match condition:
            case Relates(left, relation, right):
                return self.related(bound[left], relation, bound[right])
            case Characterizes(subject, satisfied, properties):
                places = range(len(self.nodes)) if subject is None else (bound[subject],)
                return any(self.judged(place, satisfied, properties) for place in places)
            case Says(subject, patterns):
                inside = (
                    set(range(len(self.nodes))) if subject is None else self.below[bound[subject]] | {bound[subject]}
                )
                words = sorted((self.nodes[i].start, self.nodes[i]) for i in inside if self.nodes[i].is_word)
                return any(self.says(patterns, [word for _, word in words[i:]]) for i in range(len(words)))
            case Measures(subject, measure, comparison, number):
                if subject is not None:
                    node = self.nodes[bound[subject]]
                    measured: float = node.end - node.start
                else:
                    measured = parse.cost if measure == "cost" else len(parse.lattice.tokens)
                return bool(COMPARISONS[comparison](measured, number))
            case Finds(column, pattern):
                return re.search(pattern, parse.sentence if column == "text" else self.sentence.name) is not None
            case Knows(key, how, value):
                has = self.sentence.known.get(key)
                if how == "~":
                    return has is not None and re.search(value, has) is not None
                return (has == value) if how == "=" else (has != value)
            case Flagged(flag):
                return parse.is_full if flag == "full" else parse.stopped_by is not None
            case Denied(alternatives):
                return not any(True for each in alternatives for _ in self.matches(each, bound))
        raise AssertionError(condition)

    def related(self, a: int, relation: str, b: int) -> bool:
        x, y = self.nodes[a], self.nodes[b]
        if relation == "has":
            return self.mothers.get(b) == a
        if relation == "within":
            return a in self.below[b]
        if relation == "begins":
            return a in self.below[b] and x.start == y.start
        if relation == "ends":
            return a in self.below[b] and x.end == y.end
        if relation == "before":
            return x.end <= y.start
        if relation == "next to":
            return x.end == y.start or y.end == x.start
        return a != b and x.start <= y.start and x.end >= y.end

    def judged(self, place: int, satisfied: bool, properties: tuple[int, ...] | None) -> bool:
        both = self.nodes[place].characterization
        found = both.satisfied if satisfied else both.violated
        numbers = (self.ids[self.sentence.parse.number_of(each.property)] for each in found)
        return any(properties is None or number in properties for number in numbers)

    def says(self, patterns: tuple[str, ...], words: list[Constituent]) -> bool:
        if len(words) < len(patterns):
            return False
        row = words[: len(patterns)]
        fits = all(re.fullmatch(pattern, word.form) for pattern, word in zip(patterns, row, strict=True))
        return fits and all(left.end == right.start for left, right in pairwise(row))


def random_query(rng: Random, parses: list[Parse], depth: int = 2) -> str:
    """Return a query about things that occur in some parses."""
    names: list[str] = []
    return _some(rng, parses, depth, names)


def _some(rng: Random, parses: list[Parse], depth: int, names: list[str]) -> str:
    kind = rng.random()
    if depth == 0 or kind < 0.4:
        return _claim(rng, parses, names)
    if kind < 0.7:
        return f"{_some(rng, parses, depth - 1, names)} and {_some(rng, parses, depth - 1, names)}"
    if kind < 0.85:
        return f"({_some(rng, parses, depth - 1, names)} or {_some(rng, parses, depth - 1, names)})"
    return f"not ({_some(rng, parses, depth - 1, names)})"


def _claim(rng: Random, parses: list[Parse], names: list[str]) -> str:
    parse = rng.choice(parses)
    subject = _subject(rng, parse, names)
    kind = rng.randrange(9)
    if kind < 3:
        return f"{subject} {rng.choice(RELATIONS)} {_subject(rng, parse, names)}"
    if kind == 3:
        return subject
    if kind == 4:
        evaluated = rng.choice(parse.violated or parse.evaluated or (None,))
        if evaluated is None:
            return f"{subject} violates"
        prop = evaluated.property
        verb = rng.choice(("violates", "satisfies"))
        what = rng.choice((f'"{prop.construction}: {format_property(prop)}"', prop.type, ""))
        own = rng.choice((f"{prop.construction} {verb}", verb, f"? {verb}"))
        return f"{own} {what or prop.construction}" if own == verb or not what else f"{own} {what}"
    if kind == 5:
        words = rng.choice(list(parse.words)).form
        pattern = rng.choice((re.escape(words), words[:1] + ".*", ".*", f"{words[:1]}.* .*")).replace("\\", "\\\\")
        return f'{rng.choice((subject, "words"))} ~ "{pattern}"'
    if kind == 6:
        measure = rng.choice(("cost", "length", f"{subject}.length"))
        return f"{measure} {rng.choice(('<', '>', '=', '!=', '>='))} {rng.randrange(6)}"
    if kind == 7:
        return rng.choice(
            ('meta.genre = "a"', 'meta.genre != "a"', 'meta.genre ~ "[ab]"', "full", 'text ~ "a"', 'place ~ "1"')
        )
    return f"{subject} before {_subject(rng, parse, names)}"


def _subject(rng: Random, parse: Parse, names: list[str]) -> str:
    if names and rng.random() < 0.3:
        return rng.choice(names)
    node = rng.choice(list(parse.walk()))
    operand = rng.choice((node.construction, node.construction, "?"))
    if node.features and rng.random() < 0.3:
        name, value = rng.choice(node.features)
        operand += f"[{name}={value}]"
    if rng.random() < 0.3:
        name = f"x{len(names)}"
        names.append(name)
        return f"{name}: {operand}"
    return operand
