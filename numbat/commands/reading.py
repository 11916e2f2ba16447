"""Where the sentences of a command come from: arguments, a file, standard input, a treebank."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from numbat.errors import DataError, MissingFileError
from numbat.grammar.loading import packaged_folder
from numbat.lattice import Lattice, Words, read_tagged, read_text
from numbat.source import Problem, Span


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, with the number or the `file:line` by which outputs refer to it."""

    id: str
    lattice: Lattice


Line = tuple[str, str]
"""The id of a sentence and its text."""


def given(sentences: Sequence[str]) -> Iterator[Line]:
    """Sentences that stand on the command line."""
    return ((str(number), sentence) for number, sentence in enumerate(sentences, start=1) if sentence.strip())


def lines_of(path: str) -> Iterator[Line]:
    """The lines of a file, `-` for standard input; empty ones and those that start with `#` do not count.

    Raises MissingFileError, DataError.
    """
    name = "<stdin>" if path == "-" else path
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            yield f"{name}:{number}", line.strip()


def _text(path: str) -> str:
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise MissingFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start})\n  save the file in the encoding UTF-8") from None


def sentences(lines: Iterable[Line], words: Words, tagged: bool) -> Iterator[Sentence | DataError]:
    """The lattice of each sentence; one that cannot be read comes as an error in its place."""
    for place, line in lines:
        try:
            yield Sentence(place, read_tagged(line, words) if tagged else read_text(line, words))
        except DataError as error:
            yield DataError(f"{place}: {error}")


def treebank(path: str, tag_map: str | None, words: Words, longest: int | None) -> Iterator[Sentence | DataError]:
    """The tagged sentences of a bracketed treebank up to a number of words, their tags mapped to categories.

    Punctuation that the tag map skips does not count as a word. Raises MissingFileError, DataError for the tag map.
    """
    from numbat.treebank.brackets import read_brackets
    from numbat.treebank.tagmap import read_tag_map, tagged_lattice

    mapped = read_tag_map(tag_map or packaged_folder() / "ptb.map", words.grammar)
    for tree in read_brackets(_text(path).split("\n"), path):
        if isinstance(tree, Problem):
            yield DataError(str(tree), (tree,))
            continue
        try:
            place = Span(path, tree.line)
            lattice = tagged_lattice(list(tree.words(empty=False)), mapped, words, place=place)
        except DataError as error:
            yield error
            continue
        if lattice.tokens and (longest is None or len(lattice.tokens) <= longest):
            yield Sentence(f"{path}:{tree.line}", lattice)
