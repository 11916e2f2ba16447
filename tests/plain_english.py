"""List sentences that are hard to read: without a subject, with inverted clauses, or passive without an agent.

    python -m tests.plain_english numbat/grammar docs README.md

reads docstrings and comments of Python and C, the texts in the code (messages, help, reports) and the prose of pages. A
pattern is only a hint: write the sentence as an engineer would say it, rather than dodge the pattern.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

TURNED_AROUND: Final = re.compile(
    r"^(So (many|long|far|much|often)\b|What\b|Whether\b|How\b|In how\b|Of (a|each|the|which|so|numbers|occ|what)\b"
    r"|By (how|node|operand|which|what)\b|From (so|the|a) \w+ (on|to)\b|Which\b|As `|Those (of|that)\b|With what\b"
    r"|To what\b|Where (it|no|there)\b|No (more|other) \w+ than\b|In (so|which|what|fewer)\b|For what\b|Than\b)"
)
"""Beginnings of a docstring whose subject comes last, or never."""
UNUSUAL: Final = re.compile(
    r"\bwhat (is|was|are|were|has|have) (to be |been )?"
    r"(told|said|known|read|left|kept|there|asked|given|meant|missing|made|found)\b"
    r"|\b(is|are|was|were) told (of|that|so|once|by)\b|\bso (many|long|often)\b(?! as\b)|\bthan that\b"
    r"|\bof (itself|their|its) own\b(?! name)|\bnothing is (said|told)\b|\bthat (is|are) there\b"
    r"|\bin the place of\b|\bis no \w+ (of|for)\b|\b(are|is) (known|told) of\b|\bit is (its|their|the)\b"
    r"|\bgoes on (with|where)\b|\bof which\b.*\bis\b|\bis to be (told|said)\b"
    r"|\bare told and\b|\b(is|are) none of them\b|\bbesides? them, \b|\bin the mean\b|\bbetters?\b a\b"
    r"|\bwhich is not so\b"
)
"""Turns that no other program's pages have, anywhere in a sentence."""
EMPTY_NAMES: Final = frozenset({"each", "found", "told", "own", "there"})
"""Names of variables that do not say what the thing is."""


class Place(NamedTuple):
    """A sentence at a line of a file; `is_whole` is true at the beginning of a text."""

    path: Path
    line: int
    text: str
    is_whole: bool


def places(paths: Iterable[Path]) -> Iterator[Place]:
    """Return the texts of files, and of all files of folders."""
    for path in paths:
        files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.suffix in READERS)
        for file in files:
            yield from READERS.get(file.suffix, lambda _: ())(file)


def is_plain(place: Place) -> bool:
    """True if no pattern matches."""
    first = " ".join(place.text.split("\n\n")[0].split())
    return not (place.is_whole and TURNED_AROUND.search(first)) and not UNUSUAL.search(first)


def of_python(path: Path) -> Iterator[Place]:
    """Return docstrings, comments and texts of a module; texts are strings of four words or more."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                docstrings.add(id(statement.value))
                if isinstance(statement.value.value, str):
                    yield Place(path, statement.lineno, statement.value.value.strip(), True)
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield Place(path, token.start[0], token.string.lstrip("# "), False)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | inner:
            text = node.value
        else:
            continue
        if len(text.split()) >= 4 and "</" not in text:
            yield Place(path, node.lineno, text, False)


def of_c(path: Path) -> Iterator[Place]:
    """Return the comments of a C file."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"/\*(.*?)\*/|//(.*)", text, re.DOTALL):
        comment = (match[1] or match[2] or "").strip(" *\n")
        yield Place(path, text.count("\n", 0, match.start()) + 1, comment, True)


def of_page(path: Path) -> Iterator[Place]:
    """Return the sentences of a page in Markdown, without code blocks."""
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```", lambda fence: "\n" * fence[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    for block in re.finditer(r"\S.*?(?=\n\s*\n|\n\s*[-|#]|\Z)", prose, re.DOTALL):
        line = prose.count("\n", 0, block.start()) + 1
        for sentence in re.split(r"(?<=[.:;])\s+(?=[A-Z`*\[])|\|", block[0].lstrip("-#| ")):
            if sentence.strip() and not sentence.rstrip().endswith("?"):
                yield Place(path, line, sentence.strip(), not block[0].startswith(("#", "|")))


def empty_names(path: Path) -> Iterator[tuple[int, str]]:
    """Return the lines at which a variable or parameter has a name that says nothing; fields may have one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    fields = {id(line.target) for node in classes for line in node.body if isinstance(line, ast.AnnAssign)}
    for node in ast.walk(tree):
        if id(node) in fields:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in EMPTY_NAMES:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg) and node.arg in EMPTY_NAMES:
            yield node.lineno, node.arg


READERS: Final = {".py": of_python, ".c": of_c, ".h": of_c, ".md": of_page}


if __name__ == "__main__":
    total = hits = 0
    for place in places(map(Path, sys.argv[1:])):
        total += 1
        if not is_plain(place):
            hits += 1
            print(f"{place.path}:{place.line}: {' '.join(place.text.split())[:150]}")
    print(f"{hits} of {total} texts ({hits / max(1, total):.1%})")
