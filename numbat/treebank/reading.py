"""A treebank file as a stream of named sentences, whatever its format."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from numbat.files import check_encoding, decoded_line, shown, unreadable
from numbat.source import Problem
from numbat.treebank.brackets import read_brackets
from numbat.treebank.conllu import DependencyTree, read_conllu
from numbat.treebank.sinica import is_sinica, read_sinica
from numbat.treebank.trees import Tree


@dataclass(frozen=True, slots=True)
class Sentence:
    """A tree with the name by which outputs refer to it: its sent_id, else file and line (`cats.mrg:3`)."""

    id: str
    tree: Tree | DependencyTree


def read_treebank(path: str, form: str = "auto") -> Iterator[Sentence | Problem]:
    """The sentences of a file (`-`: standard input) and, in the place of each bad one, what is wrong with it.

    `form` is `ptb`, `sinica` or `conllu`; `auto` tells it by the first line that is not empty. Raises MissingFileError
    before the first sentence is asked for, and DataError at the first line that is not UTF-8.
    """
    try:
        stream = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115 (closed by _sentences)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return _sentences(stream, path, form)


def _sentences(stream: BinaryIO, path: str, form: str) -> Iterator[Sentence | Problem]:
    name = shown(path)
    with nullcontext() if path == "-" else stream:
        yield from sentences_of(_decoded(stream, name), name, form)


def sentences_of(lines: Iterable[str], name: str, form: str) -> Iterator[Sentence | Problem]:
    """The sentences of the lines of a file of that name; all else as in `read_treebank`."""
    short = name.replace("\\", "/").rsplit("/", 1)[-1]
    lines = iter(lines)
    opening = list(_opening(lines))
    found = form if form != "auto" else format_of(opening[-1] if opening else "")
    for each in _read(found, chain(opening, lines), name):
        if isinstance(each, Problem):
            yield each
        else:
            named = each.comment("sent_id") if isinstance(each, DependencyTree) else ""
            yield Sentence(named or f"{short}:{each.line}", each)


def _read(form: str, lines: Iterable[str], name: str) -> Iterator[Tree | DependencyTree | Problem]:
    if form == "ptb":
        return read_brackets(lines, name)
    return read_sinica(lines, name) if form == "sinica" else read_conllu(lines, name)


def format_of(line: str) -> str:
    """The format of a file whose first line with anything on it is this."""
    if is_sinica(line):
        return "sinica"
    text = line.removeprefix("\ufeff")
    return "conllu" if text.startswith("#") or "\t" in text.strip() else "ptb"


def _opening(lines: Iterator[str]) -> Iterator[str]:
    """The lines up to the first that is not empty."""
    for line in lines:
        yield line
        if line.strip("\ufeff \t\r\n"):
            return


def _decoded(stream: BinaryIO, name: str) -> Iterator[str]:
    for number, line in enumerate(stream, start=1):
        if number == 1:
            check_encoding(line, name)
        yield decoded_line(line, f"{name}:{number}")
