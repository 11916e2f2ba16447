"""Propositions of a file of semantic roles: a predicate with its sentence, its tree and the spans of its arguments.

A line is a token: word, tag, parse bit, roleset or `-`, and for each predicate of the sentence, from the left, a column
of brackets (`(ARG1*`, `*`, `*)`). Labels that count are ARG0 to ARG4, named A0 to A4; all others (adjuncts, `C-`, `R-`,
ARG5) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROLES: Final = ("A0", "A1", "A2", "A3", "A4")
OUTSIDE: Final = "O"
CORE: Final = {f"ARG{role[1]}": role for role in ROLES}
NO_ROLESET: Final = "-"
FIXED_COLUMNS: Final = 4
BIT: Final = re.compile(r"\(([^()*\s]+)|(\*)|(\))")

Span = tuple[int, int]
Argument = tuple[int, int, str]
"""The first token, the one after the last, and the role."""


@dataclass(slots=True, eq=False)
class Node:
    """A node of a constituent tree; a leaf has the tag as its label and no children."""

    label: str
    start: int
    end: int
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return self.start, self.end

    def walk(self) -> Iterator[Node]:
        """The nodes, each before its children, from the left."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def ancestors(self) -> Iterator[Node]:
        """The node's parent first, the root last."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def leaves(self) -> list[Node]:
        return [node for node in self.walk() if not node.children]


@dataclass(frozen=True, slots=True)
class Proposition:
    """A predicate in its sentence, with its tree, if any, and its core arguments in order as `gold`."""

    id: str
    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    tree: Node
    predicate: int
    roleset: str
    gold: tuple[Argument, ...]

    @property
    def lemma(self) -> str:
        return self.roleset.rpartition(".")[0]


def read_propositions(path: Path) -> list[Proposition]:
    """The propositions of a file, in order. Raises ValueError, with path and line, for brackets that do not match."""
    found: list[Proposition] = []
    rows: list[list[str]] = []
    name, first = "", 1
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate([*lines, ""], start=1):
        if line.startswith("# sent_id = "):
            name = line.removeprefix("# sent_id = ")
        elif line:
            first = first if rows else number
            rows.append(line.split("\t"))
        elif rows:
            try:
                found += of_sentence(name, rows)
            except (IndexError, ValueError) as error:
                raise ValueError(f"{path}:{first}: the columns of this sentence are not whole: {error}") from error
            rows = []
    return found


def of_sentence(name: str, rows: Sequence[Sequence[str]]) -> Iterator[Proposition]:
    """A proposition for each predicate of a sentence, given its lines as fields."""
    tokens, tags, bits, rolesets = (tuple(row[i] for row in rows) for i in range(FIXED_COLUMNS))
    tree = tree_of_bits(tags, bits)
    predicates = [i for i, roleset in enumerate(rolesets) if roleset != NO_ROLESET]
    for number, predicate in enumerate(predicates):
        brackets = spans_of([row[FIXED_COLUMNS + number] for row in rows])
        gold = tuple(sorted((start, end, CORE[label]) for start, end, label in brackets if label in CORE))
        yield Proposition(f"{name}/{number + 1}", tokens, tags, tree, predicate, rolesets[predicate], gold)


def spans_of(cells: Iterable[str]) -> list[Argument]:
    """The labelled brackets of a column, in the order in which they end."""
    waiting: list[tuple[str, int]] = []
    found: list[Argument] = []
    for i, cell in enumerate(cells):
        for opened, _, closed in BIT.findall(cell):
            if opened:
                waiting.append((opened, i))
            elif closed:
                label, start = waiting.pop()
                found.append((start, i + 1, label))
    if waiting:
        raise ValueError(f"({waiting[-1][0]} is not closed")
    return found


def tree_of_bits(tags: Sequence[str], bits: Sequence[str]) -> Node:
    """The tree of a column of parse bits, its leaves labelled with the tags."""
    top = Node("", 0, len(tags))
    at = top
    for i, bit in enumerate(bits):
        for opened, word, _ in BIT.findall(bit):
            if opened:
                node = Node(opened, i, i, at)
                at.children.append(node)
                at = node
            elif word:
                at.children.append(Node(tags[i], i, i + 1, at))
            else:
                at.end = i + 1
                if at.parent is None:
                    raise ValueError(f"a bracket is closed at {i + 1} that was not opened")
                at = at.parent
    if at is not top:
        raise ValueError(f"({at.label} is not closed")
    return top
