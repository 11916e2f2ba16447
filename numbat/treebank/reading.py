"""Reader for treebank files of any format, as streams of named sentences; and the format of the Sinica Treebank."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain
from typing import BinaryIO, Final

from numbat.errors import DataError, Problem, Span, counted
from numbat.files import SAVE, check_encoding, decoded, lines_in, shown, unreadable
from numbat.records import frozen
from numbat.treebank.brackets import read_brackets
from numbat.treebank.conllu import DependencyTree, read_conllu
from numbat.treebank.trees import Tree

# Sinica Treebank: `#1:1.[4257] NP(property:Nad:x|Head:Nab:y)#。(PERIODCATEGORY)`, a tree a line.
#
# A daughter is `role:Label(...)`, `role:Tag:form`, or either without its role. Roles become functions, `Nab-Head`, as
# the Penn Treebank writes them, so that `bare_label` and the heads see them.

LINE: Final = re.compile(r"#(\S+?)\s+(.*?)(?:#(.*))?", re.DOTALL)
PIECE: Final = re.compile(r"[()|]|[^()|]+")


def read_sinica(lines: Iterable[str], path: str) -> Iterator[Tree | Problem]:
    """Yield each tree or, for a bad line, its first mistake. Punctuation behind the tree is dropped."""
    sentence = 0
    for number, line in enumerate(lines, start=1):
        text = line.strip().removeprefix("\ufeff")
        if not text:
            continue
        sentence += 1
        match = LINE.fullmatch(text)
        name = f" ({match[1]})" if match else ""
        try:
            if match is None:
                raise _SinicaMistake("a line that is no tree", 0, "#number, a blank, a tree", text[:20])
            yield _tree(match[2], number, match.start(2))
        except _SinicaMistake as mistake:
            message = f"sentence {sentence}{name}: {mistake.args[0]}"
            span = Span(path, number, mistake.at + 1, mistake.at + 2)
            yield Problem(message, span, "error", mistake.expected, mistake.found, source_line=text)


def is_sinica(first_line: str) -> bool:
    """Return True if the first line of a file is in this format."""
    return re.match(r"\ufeff?#\d+:\S+\s+[^\s()]+\(", first_line) is not None


class _SinicaMistake(Exception):  # noqa: N818 (it never leaves this module)
    def __init__(self, message: str, at: int, expected: str, found: str) -> None:
        super().__init__(message)
        self.at, self.expected, self.found = at, expected, found


def _tree(text: str, line: int, offset: int) -> Tree:
    """Parse the tree of a text that starts at an offset of its line. Raises _SinicaMistake."""
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
            raise _SinicaMistake("text behind a bracket", at, "| or )", piece)
    if before:
        stack[-1][1].append(_leaf(before, line, offset + len(text) - len(before)))
    if len(stack) > 1:
        raise _SinicaMistake("a tree that is not closed", offset + len(text) - 1, f"{len(stack) - 1} more )", "the end")
    (found,) = stack[0][1] if len(stack[0][1]) == 1 else (None,)
    if found is None:
        raise _SinicaMistake("not one tree", offset, "one tree", f"{len(stack[0][1])}")
    return found


def _leaf(text: str, line: int, at: int) -> Tree:
    """Parse `role:Tag:form` or `Tag:form`."""
    label, _, form = text.rpartition(":")
    if not form or not label.rpartition(":")[2]:
        raise _SinicaMistake("a word without tag", at, "Tag:form", text)
    return Tree(_labelled(label), (), form, line)


def _labelled(text: str) -> str:
    """Convert `role:Label` to `Label-role`; of two roles the inner one counts."""
    roles, _, label = text.rpartition(":")
    return f"{label}-{roles.rpartition(':')[2]}" if roles else label


MANY: Final = 20
"""If this many sentences are not UTF-8, and fewer are, the file has another encoding."""


@frozen
class TreebankSentence:
    """A tree with its name in outputs: its sent_id, else file and line (`cats.mrg:3`)."""

    id: str
    tree: Tree | DependencyTree


def read_treebank(path: str, form: str = "auto") -> Iterator[TreebankSentence | Problem]:
    """Yield the sentences of a file (`-`: standard input) or, for a bad one, its problem.

    `form` is `ptb`, `sinica` or `conllu`; `auto` recognises it by the first nonempty line. Raises MissingFileError
    at the call, and DataError for a file in another encoding than UTF-8.
    """
    try:
        stream = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115 (closed by _sentences)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return _sentences(stream, path, form)


def _sentences(stream: BinaryIO, path: str, form: str) -> Iterator[TreebankSentence | Problem]:
    name = shown(path)
    undecodable: deque[Problem] = deque()
    good = bad = 0
    told: Problem | None = None
    with nullcontext() if path == "-" else stream:
        for each in sentences_of(_decoded(stream, name, undecodable), name, form):
            wrong = _decoding_problem(each, undecodable)
            good, bad = good + (wrong is None), bad + (wrong is not None)
            if wrong is not None and wrong is told:
                continue  # all trees of a line are lost with it
            told = wrong
            if bad == MANY > good:
                raise DataError(f"{name}: this file is not UTF-8: {bad} of its first {bad + good} trees\n  {SAVE}")
            yield wrong or each


def _decoding_problem(each: TreebankSentence | Problem, undecodable: deque[Problem]) -> Problem | None:
    """Return the first `undecodable` line of the last sentence as a problem."""
    if isinstance(each, Problem):
        return None
    while undecodable and undecodable[0].span.line < each.tree.line:
        undecodable.popleft()
    return undecodable[0] if undecodable else None


def sentences_of(lines: Iterable[str], name: str, form: str) -> Iterator[TreebankSentence | Problem]:
    """Yield the sentences in the lines of the file `name`, as `read_treebank`."""
    short = name.replace("\\", "/").rsplit("/", 1)[-1]
    lines = iter(lines)
    opening = list(_opening(lines))
    found = form if form != "auto" else format_of(opening[-1] if opening else "")
    for each in _read(found, chain(opening, lines), name):
        if isinstance(each, Problem):
            yield each
        else:
            named = each.comment("sent_id") if isinstance(each, DependencyTree) else ""
            yield TreebankSentence(named or f"{short}:{each.line}", each)


def _read(form: str, lines: Iterable[str], name: str) -> Iterator[Tree | DependencyTree | Problem]:
    if form == "ptb":
        return read_brackets(lines, name)
    return read_sinica(lines, name) if form == "sinica" else read_conllu(lines, name)


def format_of(line: str) -> str:
    """Recognise the format of a file by its first nonempty line."""
    if is_sinica(line):
        return "sinica"
    text = line.removeprefix("\ufeff")
    return "conllu" if text.startswith("#") or "\t" in text.strip() else "ptb"


def _opening(lines: Iterator[str]) -> Iterator[str]:
    """Return the lines up to the first nonempty one."""
    for line in lines:
        yield line
        if line.strip("\ufeff \t\r\n"):
            return


def _decoded(stream: BinaryIO, name: str, undecodable: deque[Problem]) -> Iterator[str]:
    """Decode the lines; append problems for lines that are not UTF-8 to `undecodable`."""
    for number, line in enumerate(lines_in(stream, name), start=1):
        if number == 1:
            check_encoding(line, name)
        text, wrong = decoded(line, name, number)
        if wrong:
            undecodable.append(wrong)
        yield text


def tree_pairs(
    gold: Iterator[tuple[str, Tree] | None], predicted: Iterator[tuple[str, Tree] | None]
) -> Iterator[tuple[str, Tree, Tree | None]]:
    """Yield the trees of two files in parallel; None for one that could not be read.

    Raises DataError if one file has more trees than the other.
    """
    number = 0
    while True:
        number += 1
        left, right = next(gold, _END), next(predicted, _END)
        if left is _END and right is _END:
            return
        if left is _END or right is _END:
            which, after = "gold" if left is _END else "the prediction", counted(number - 1, "tree")
            raise DataError(f"{which} ends after {after}, the other goes on\n  trees are compared by their order")
        if isinstance(left, tuple):
            yield left[0], left[1], right[1] if isinstance(right, tuple) else None


class _End:
    """Sentinel for the end of a file."""


_END: Final = _End()
