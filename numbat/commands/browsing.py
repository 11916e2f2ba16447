"""`numbat show --html`: a grammar with its counts and example trees as a page."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from numbat.commands.scoring import tree_of
from numbat.commands.treebanks import TreeReader, check_trees
from numbat.errors import DataError
from numbat.grammar.model import Grammar
from numbat.report.browse import Example, page
from numbat.treebank.induced_printing import Counted, read_counts

MOST_VIOLATIONS = 5
"""So many violations are told below an example."""


def browse(grammar: Grammar, trees: str | None, complain: Callable[[DataError], None]) -> tuple[str, int]:
    """The page, and how many of the trees could not be read. Each example is judged by the grammar."""
    paths = {each.span.path for each in grammar.constructions if each.span is not None}
    counted: dict[str, Counted] = {}
    for path in sorted(paths):
        if os.path.isfile(path):
            counted[path] = read_counts(Path(path).read_text(encoding="utf-8-sig"))
    reader = TreeReader(complain)
    examples = []
    for verdict in check_trees(grammar, trees, "auto", None, reader) if trees else ():
        examples.append(Example(verdict.id, tree_of(verdict.parse), verdict.parse.explain()[:MOST_VIOLATIONS]))
    examples.sort(key=lambda example: len(example.violated))
    return page(grammar, counted, examples), reader.bad
