"""The format of the Sinica Treebank: `#1:1.[4257] NP(property:Nad:x|Head:Nab:y)#。(PERIODCATEGORY)`, a tree per line.

A daughter is `role:Label(...)` or `role:Tag:form`, with or without its role. Roles become functions as in the Penn
Treebank, `Nab-Head`, so that `bare_label` and head finding work. The blank between number and tree may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from numbat.errors import Problem, Span, quotable
from numbat.files import numbered
from numbat.treebanks.formats import word_form
from numbat.treebanks.trees import Tree

LINE: Final = re.compile(r"#([^\s()]+(?=\s)|\d+:[^\s()\[\]]*\[\d+\])\s*(.*?)(?:#(.*))?", re.DOTALL)
PIECE: Final = re.compile(r"[()|]|[^()|]+")


def read_sinica(lines: Iterable[str], path: str) -> Iterator[Tree | Problem]:
    """Yield each tree or, for a bad line, its first mistake. Punctuation after the tree is dropped."""
    sentence = 0
    for number, line in numbered(lines):
        text = line.strip()
        if not text:
            continue
        sentence += 1
        match = LINE.fullmatch(text)
        name = f" ({match[1]})" if match else ""
        try:
            if match is None:
                raise _SinicaMistake("a line that is not a tree", 0, "#number, a space, a tree", text[:20])
            yield _tree(match[2], number, match.start(2))
        except _SinicaMistake as mistake:
            message = f"sentence {sentence}{name}: {mistake.args[0]}"
            span = Span(path, number, mistake.at + 1, mistake.at + 2)
            yield Problem(message, span, "error", mistake.expected, mistake.found, source_line=quotable(text))


class _SinicaMistake(Exception):  # noqa: N818 (it never leaves this module)
    def __init__(self, message: str, at: int, expected: str, actual: str) -> None:
        super().__init__(message)
        self.at, self.expected, self.found = at, expected, actual


def _tree(text: str, line: int, offset: int) -> Tree:
    """Parse the tree of a text that begins at index `offset` of its line. Raises _SinicaMistake."""
    stack: list[tuple[str, list[Tree]]] = [("", [])]
    before = ""
    due = True
    for match in PIECE.finditer(text):
        piece, at = match[0], offset + match.start()
        if piece == "(":
            if not before:
                raise _SinicaMistake("a bracket without label", at, "a label", "(")
            stack.append((before, []))
            before, due = "", True
            continue
        if piece in "|)" and before:
            stack[-1][1].append(_leaf(before, line, at - len(before)))
            before = ""
        elif piece in "|)" and due:
            raise _SinicaMistake("a daughter is missing", at, "Tag:form or Label(...)", piece)
        if piece == ")":
            if len(stack) == 1:
                raise _SinicaMistake("a closing bracket too many", at, "the end of the tree", ")")
            label, daughters = stack.pop()
            stack[-1][1].append(Tree(_labelled(label), tuple(daughters), None, line))
            due = False
        elif piece == "|":
            due = True
        elif due:
            before, due = piece, False
        else:
            raise _SinicaMistake("text after a bracket", at, "| or )", piece)
    if before:
        stack[-1][1].append(_leaf(before, line, offset + len(text) - len(before)))
    if len(stack) > 1:
        raise _SinicaMistake("a tree that is not closed", offset + len(text) - 1, f"{len(stack) - 1} more )", "the end")
    (tree,) = stack[0][1] if len(stack[0][1]) == 1 else (None,)
    if tree is None:
        raise _SinicaMistake("not one tree", offset, "one tree", f"{len(stack[0][1])}")
    return tree


def _leaf(text: str, line: int, at: int) -> Tree:
    """Parse `role:Tag:form` or `Tag:form`."""
    label, _, form = text.rpartition(":")
    form = word_form(form)
    if not form or not label.rpartition(":")[2]:
        raise _SinicaMistake("a word without tag", at, "Tag:form", text)
    return Tree(_labelled(label), (), form, line)


def _labelled(text: str) -> str:
    """Convert `role:Label` to `Label-role`; of two roles the inner one counts."""
    roles, _, label = text.rpartition(":")
    return f"{label}-{roles.rpartition(':')[2]}" if roles else label
