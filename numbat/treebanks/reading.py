"""Read treebank files of any format as streams of named sentences."""

from __future__ import annotations

import codecs
import re
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from typing import BinaryIO, Final

from numbat.errors import DataError, Problem, counted
from numbat.files import SAVE_OR_NAME, check_encoding, decoded, encoding_of, lines_in, opened, shown, unreadable
from numbat.records import frozen
from numbat.treebanks.brackets import from_square, read_brackets, read_discbracket
from numbat.treebanks.conllu import DependencyTree, read_conllu
from numbat.treebanks.crossing import CrossingTree
from numbat.treebanks.formats import Guess, check_read, opening_of, recognised
from numbat.treebanks.malttab import read_conllu_plus, read_malttab
from numbat.treebanks.negra import read_export
from numbat.treebanks.notes import Notes
from numbat.treebanks.penn_pos import read_pos
from numbat.treebanks.sinica import read_sinica
from numbat.treebanks.tiger_xml import read_alpino, read_tiger
from numbat.treebanks.trees import Tree

MANY: Final = 20
"""If this many sentences are not UTF-8, and fewer are, the file is assumed to have another encoding."""
XML_ENCODING: Final = re.compile(rb"<\?xml[^>]*\bencoding\s*=\s*[\"']([\w.-]+)[\"']")


@frozen
class TreebankSentence:
    """A tree and its name in outputs: its sent_id, else file and line (`cats.mrg:3`)."""

    id: str
    tree: Tree | CrossingTree | DependencyTree


def read_treebank(path: str, form: str = "auto", notes: Notes | None = None) -> Iterator[TreebankSentence | Problem]:
    """Yield the sentences of a file (`-`: standard input) or, for a bad one, its problem.

    `form` is one of `formats.WITH_TREES`, or `auto`, which recognises the format. `notes` collects notes on good
    sentences. Raises MissingFileError at the call, and DataError for a file that is not in the encoding set by
    `files.read_in`, by default UTF-8.
    """
    stack = ExitStack()
    try:
        stream = stack.enter_context(opened(path))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return _sentences(stack, stream, path, form, Notes() if notes is None else notes)


def _sentences(
    stack: ExitStack, stream: BinaryIO, path: str, form: str, notes: Notes
) -> Iterator[TreebankSentence | Problem]:
    name = shown(path)
    undecodable: deque[Problem] = deque()
    good = bad = 0
    problem: Problem | None = None
    with stack:
        for sentence in sentences_of(_decoded(stream, name, undecodable), name, form, notes):
            wrong = _decoding_problem(sentence, undecodable) if undecodable else None
            good, bad = good + (wrong is None), bad + (wrong is not None)
            if wrong is not None and wrong is problem:
                continue  # all trees on this line are lost
            problem = wrong
            if bad == MANY > good:
                raise DataError(
                    f"{name}: this file is not {encoding_of(path) or 'UTF-8'}: {bad} of its first {bad + good} trees\n"
                    f"  {SAVE_OR_NAME}"
                )
            yield wrong or sentence


def _decoding_problem(sentence: TreebankSentence | Problem, undecodable: deque[Problem]) -> Problem | None:
    """Return the first `undecodable` line of the last sentence as a problem."""
    if isinstance(sentence, Problem):
        return None
    while undecodable and undecodable[0].span.line < sentence.tree.line:
        undecodable.popleft()
    return undecodable[0] if undecodable else None


AnyTree = Tree | CrossingTree | DependencyTree


def sentences_of(
    lines: Iterable[str], name: str, form: str, notes: Notes | None = None
) -> Iterator[TreebankSentence | Problem]:
    """Yield the sentences in the lines of the file `name`, as `read_treebank` does."""
    notes = Notes() if notes is None else notes
    short = name.replace("\\", "/").rsplit("/", 1)[-1]
    lines = iter(lines)
    if form == "auto":
        opening = opening_of(lines)
        check_read(opening, name)
        guess = recognised(opening)
        every = _with_guess(_read(guess.form, chain(opening, lines), name, notes), guess)
    else:
        every = _read(form, lines, name, notes)
    for tree in every:
        if isinstance(tree, Problem):
            yield tree
        else:
            named = tree.comment("sent_id") if isinstance(tree, DependencyTree) else ""
            yield TreebankSentence(named or f"{short}:{tree.line}", tree)


def _with_guess(every: Iterator[AnyTree | Problem], guess: Guess) -> Iterator[AnyTree | Problem]:
    """Add the guessed format to the first problem if the file seems to begin with problems only."""
    held: list[Problem] = []
    for problem in every:
        if not isinstance(problem, Problem):
            return chain(held, (problem,), every)
        held.append(problem)
        if len(held) == MANY:
            break
    return chain(_with_hint(held, guess), every)


def _with_hint(held: list[Problem], guess: Guess) -> Iterator[Problem]:
    for number, problem in enumerate(held):
        hints = filter(None, (problem.hint, guess.says()))
        yield replace(problem, hint="\n  ".join(hints)) if number == 0 else problem


def _read(form: str, lines: Iterable[str], name: str, notes: Notes) -> Iterator[AnyTree | Problem]:
    if form == "conllu":
        return read_conllu(lines, name, notes)
    if form == "conllup":
        return read_conllu_plus(lines, name, notes)
    if form == "malt":
        return read_malttab(lines, name)
    if form == "sinica":
        return read_sinica(lines, name)
    if form == "export":
        return read_export(lines, name, notes)
    if form == "tiger":
        return read_tiger(lines, name, notes)
    if form == "square":
        return read_brackets(map(from_square, lines), name, notes)
    if form == "pos":
        return read_pos(lines, name, notes)
    if form == "prd":
        return read_brackets(lines, name, notes, tagged=False)
    if form == "alpino":
        return read_alpino(lines, name, notes)
    if form == "discbracket":
        return read_discbracket(lines, name, notes)
    if form == "columns":  # without trees; the message names the guessed format
        lines = iter(lines)
        opening = opening_of(lines)
        has_tabs = any("\t" in line.strip() for line in opening)
        return (read_conllu if has_tabs else read_brackets)(chain(opening, lines), name, notes)
    return read_brackets(lines, name, notes)


def _decoded(stream: BinaryIO, name: str, undecodable: deque[Problem]) -> Iterator[str]:
    """Decode lines, and append problems for lines that are not UTF-8, or have a NUL, to `undecodable`.

    The first line of XML may declare another encoding.
    """
    encoding = ""
    for number, line in enumerate(lines_in(stream, name), start=1):
        if number == 1:
            check_encoding(line, name, SAVE_OR_NAME)
            encoding = _encoding_of_xml(line, name)
        if encoding:
            line = line.decode(encoding, "replace").encode("utf-8")
        text, wrong = decoded(line, name, number, SAVE_OR_NAME)
        if wrong is not None:
            undecodable.append(wrong)
        yield text


def _encoding_of_xml(line: bytes, name: str) -> str:
    """Return the encoding that XML declares, "" for UTF-8 or if the user has named one. Raises DataError if unknown."""
    match = XML_ENCODING.match(line.removeprefix(BOM_UTF8).lstrip())
    if match is None or encoding_of(name) is not None:
        return ""
    try:
        codec = codecs.lookup(match[1].decode())
        "".encode(codec.name)
    except LookupError:
        raise DataError(f"{name}:1: the encoding {match[1].decode()} is not known\n  {SAVE_OR_NAME}") from None
    return "" if codec.name in ("utf-8", "ascii", "utf-16") else codec.name


def tree_pairs(
    gold: Iterator[tuple[str, Tree | CrossingTree] | None], predicted: Iterator[tuple[str, Tree | CrossingTree] | None]
) -> Iterator[tuple[str, Tree | CrossingTree, Tree | CrossingTree | None]]:
    """Yield the trees of two files in parallel, None for a prediction that could not be read.

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
            raise DataError(
                f"{which} ends after {after}, but the other file continues\n  trees are compared in their order"
            )
        if isinstance(left, tuple):
            yield left[0], left[1], right[1] if isinstance(right, tuple) else None


class _End:
    """Sentinel for the end of a file."""


_END: Final = _End()
