"""Sources of sentences: typed texts, running text, tables, the lines of a file or of standard input.

Sources yield sentences on request; in place of an unreadable sentence they yield a DataError.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import accumulate, chain
from typing import Any, Final, NamedTuple, TypeVar

from numbat.errors import (
    DataError,
    Problem,
    Span,
    counted,
    data_error,
    first_of,
    joined_error,
    quotable,
    require_sentencex,
)
from numbat.files import SAVE_OR_NAME, bare_lines, check_encoding, decoded, shown
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.metadata import Pairs, table_rows
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import Words, read_again, read_text
from numbat.words.typed import SLASH, read_tagged


@frozen
class InputSentence:
    """A sentence to parse: its lattice, and its name in outputs, `id` (a number or `file:line`).

    If it comes from a treebank, `gold` is its tree and `source` its record in CoNLL-U, both of types in
    `numbat.treebanks`.
    """

    id: str
    lattice: Lattice
    gold: Any = None
    source: Any = None
    metadata: Pairs = ()


class NamedText(NamedTuple):
    """A sentence as text: its name, and the number of characters before it in its line (`indent`).

    `origin` is the file and line where the sentence begins, None if the name says so.
    """

    id: str
    text: str
    indent: int = 0
    origin: tuple[str, int] | None = None
    metadata: Pairs = ()

    def place(self, problem: Problem) -> Problem:
        """Return a problem whose position is one in the text with the position in the file."""
        path, _, number = self.id.rpartition(":")
        file, line = self.origin or (path or ARGUMENTS, int(number))
        span = Span(file, line, problem.span.column + self.indent, problem.span.end_column + self.indent)
        return replace(problem, span=span, source_line=quotable(" " * self.indent + problem.source_line))


def numbered_texts(sentences: Sequence[str]) -> Iterator[NamedText | DataError]:
    """Yield sentences typed on the command line, named by their numbers; a DataError replaces one that is not UTF-8."""
    for number, sentence in enumerate(sentences, start=1):
        if (byte := not_utf8(sentence)) is not None:
            yield DataError(f"{number}: this sentence is not UTF-8 (byte {byte})\n  {TERMINAL}")
        elif sentence.strip():
            yield NamedText(str(number), sentence)


ARGUMENTS: Final = "<arguments>"
"""The command line is called so in messages, which name the file of other sentences."""
TERMINAL: Final = "set the terminal to UTF-8, or put the sentence into a file in that encoding"


def not_utf8(argument: str) -> str | None:
    """Return the first byte, in hexadecimal, of an argument that is not UTF-8; None if it is UTF-8."""
    match = re.search("[\udc80-\udcff]", argument)  # Python's surrogates of bytes that it cannot decode
    return f"{ord(match[0]) - 0xDC00:02X}" if match else None


@frozen
class HashLines:
    """Treatment of lines that begin with `#`: they are sentences if `are_read`, else comments.

    `left_out` collects the places (`file:line`) of comments.
    """

    are_read: bool = False
    left_out: dict[str, None] = field(default_factory=dict)

    def notes(self, hint: str = "\n  --hash-lines reads such lines") -> Iterator[str]:
        """Yield a note on how many lines were skipped as comments, with a `hint` how to read them."""
        if number := len(self.left_out):
            which = first_of(list(self.left_out), 3)
            kind = "begins with # and was skipped" if number == 1 else "begin with # and were skipped"
            yield f"numbat: {counted(number, 'line')} {kind}: {which}{hint}"


def lines_as_they_come(path: str, hash_lines: HashLines | None = None) -> Iterator[NamedText | DataError]:
    """Yield the lines of a file, or of standard input (`-`) as they come, without empty lines and comments.

    `hash_lines` says whether lines with `#` are comments, and collects them. A DataError replaces a line that is not
    UTF-8. MissingFileError, or DataError for a file in UTF-16, is raised before the first line is yielded.
    """
    name, numbered = shown(path), numbered_lines(path)
    comments = HashLines() if hash_lines is None else hash_lines
    return (line for number, content in numbered if (line := _line(name, number, content, comments)))


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    lines = bare_lines(path)
    first = next(lines, b"")
    check_encoding(first, shown(path), SAVE_OR_NAME)
    return enumerate(chain((first.removeprefix(BOM_UTF8),), lines), start=1)


def _line(name: str, number: int, content: bytes, hash_lines: HashLines) -> NamedText | DataError | None:
    text, wrong = decoded(content, name, number, SAVE_OR_NAME)
    if wrong is not None:
        return data_error(wrong)
    text, place = text.rstrip(), f"{name}:{number}"
    if text.lstrip().startswith("#") and not hash_lines.are_read:
        hash_lines.left_out[place] = None
        return None
    return NamedText(place, text.lstrip(), len(text) - len(text.lstrip())) if text else None


def sentences_in_table(path: str) -> Iterator[NamedText | DataError]:
    """Yield the sentences in a table, with the other columns as metadata; errors are as in `metadata.table_rows`."""
    name = shown(path)
    for row in table_rows(path):
        if isinstance(row, DataError):
            yield row
        elif row.text:
            yield NamedText(row.id or f"{name}:{row.line}", row.text, 0, (name, row.line), row.pairs)


# Running text

MAX_WRAPPED: Final = 120
"""Maximum length of a line in wrapped text, in characters; a longer line is a paragraph by itself."""
MAX_PARAGRAPH: Final = 100_000
"""Maximum length of a paragraph, in characters; the rest becomes the next paragraph."""
_INITIAL: Final = re.compile(r"(?:^|[\s(«“\"])(?:[^\W\d_]\.)(?:-[^\W\d_]\.)?$")
_ORDINAL: Final = re.compile(r"(?:^|\s)\d{1,2}\.$")
WITH_ORDINALS: Final = frozenset(("cs", "da", "de", "et", "fi", "hr", "hu", "nb", "nn", "no", "sk", "sl", "sr"))
"""Codes of languages that write a full stop after an ordinal number."""


Spans = Callable[[str], Sequence[tuple[int, int]]]
"""Function that returns the sentences in a paragraph as spans of characters, end exclusive."""


def split_sentences(
    texts: Sequence[str], path: str | None, language: str, spans: Spans | None = None
) -> Iterator[NamedText | DataError]:
    """Yield the sentences in running text, from `texts` or the lines of a file; each paragraph is split by itself.

    Paragraphs end at empty lines and after lines too long for wrapped text. The name of a sentence is where it is:
    `book.txt:3:14-60` (line 3, characters 14 to 60) or `book.txt:3:14-4:20`. `spans` finds the sentences in a
    paragraph; without it, the package sentencex does, by `language`. A DataError replaces a line that is not UTF-8.
    Raises MissingExtraError without sentencex, MissingFileError, and DataError for a file in UTF-16.
    """
    if spans is None:
        require_sentencex("--split")
        spans = partial(sentence_spans, language=language)
    if path is not None:
        return _split_paragraphs(shown(path), numbered_lines(path), spans)
    paragraphs = ((name, text.splitlines()) for name, text in enumerate(texts, start=1))
    return chain.from_iterable(
        _split_paragraphs(str(name), enumerate((os.fsencode(line) for line in lines), start=1), spans)
        for name, lines in paragraphs
    )


def _split_paragraphs(
    name: str, numbered: Iterable[tuple[int, bytes]], spans: Spans
) -> Iterator[NamedText | DataError]:
    paragraph: list[tuple[int, str]] = []
    size = 0
    for number, content in chain(numbered, [(0, b"")]):
        text, wrong = decoded(content, name, number, SAVE_OR_NAME)
        is_whole = len(text) > MAX_WRAPPED or size > MAX_PARAGRAPH
        if wrong is not None or is_whole or not text.strip():
            yield from _split_paragraph(name, paragraph, spans)
            paragraph, size = [], 0
        if wrong is not None:
            yield data_error(wrong)
        elif len(text) > MAX_WRAPPED:
            yield from _split_paragraph(name, [(number, text)], spans)
        elif text.strip():
            paragraph.append((number, text))
            size += len(text)


def _split_paragraph(name: str, lines: Sequence[tuple[int, str]], spans: Spans) -> Iterator[NamedText]:
    """Yield the sentences in a paragraph, given as its lines with their numbers, each named by its place."""
    text = " ".join(line for _, line in lines)
    starts = [0, *accumulate(len(line) + 1 for _, line in lines)][: len(lines)]
    for start, end in spans(text):
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        line, column = lines[first][0], start - starts[first] + 1
        behind = f"{end - starts[last]}" if first == last else f"{lines[last][0]}:{end - starts[last]}"
        yield NamedText(f"{name}:{line}:{column}-{behind}", text[start:end], column - 1, (name, line))


def sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Return the sentences in a paragraph as spans of characters, without surrounding blanks.

    They are those that sentencex finds, except that no sentence ends after an initial such as J. or, in languages with
    ordinals such as 3., after an ordinal number.
    """
    from sentencex import get_sentence_boundaries

    spans: list[tuple[int, int]] = []
    is_joined = False
    for boundary in get_sentence_boundaries(language, text):
        sentence = text[boundary["start_index"] : boundary["end_index"]]
        start = boundary["start_index"] + len(sentence) - len(sentence.lstrip())
        end = boundary["start_index"] + len(sentence.rstrip())
        if start >= end:
            continue
        if is_joined:
            start = spans.pop()[0]
        spans.append((start, end))
        shown_end = text[max(start, end - 10) : end]
        is_joined = bool(_INITIAL.search(shown_end) or (language[:2] in WITH_ORDINALS and _ORDINAL.search(shown_end)))
    return spans


Given = TypeVar("Given")


def whole(source: Iterable[Given | DataError]) -> list[Given]:
    """Return the list of what a source yields. Raises DataError with all errors that it yields, if there are any."""
    items: list[Given] = []
    errors: list[DataError] = []
    for item in source:
        if isinstance(item, DataError):
            errors.append(item)
        else:
            items.append(item)
    if errors:
        raise joined_error(errors)
    return items


@frozen
class SentenceReading:
    """Reads a text with the lexicon of a parser; if `tagged`, each word in the text has its category after `separator`.

    A sentence that already has a lattice keeps it or, if `alone`, gets only readings from the lexicon and guess rules.
    """

    parser: SentenceParser
    tagged: bool = False
    alone: bool = False
    separator: str = SLASH

    def __call__(self, given: NamedText | InputSentence) -> InputSentence:
        """Return the sentence, ready to be parsed. Raises DataError with its name if it cannot be read."""
        words = self.parser.words
        if isinstance(given, InputSentence):
            if not self.alone:
                return given
            return replace(given, lattice=read_again(given.lattice, words))
        try:
            lattice = lattice_of(given.text, words, self.tagged, self.separator)
            return InputSentence(given.id, lattice, metadata=given.metadata)
        except DataError as error:
            if not error.problems:
                raise DataError(f"{given.id}: {error}") from None
            raise data_error(*map(given.place, error.problems)) from None


def lattice_of(sentence: str, words: Words, tagged: bool = False, separator: str = SLASH) -> Lattice:
    """Return the lattice of a sentence; if `tagged`, each word has its category after `separator`.

    Raises DataError for a word whose tag is missing or is not a category.
    """
    return read_tagged(sentence, words, separator) if tagged else read_text(sentence, words)


def texts_or_problems(path: str) -> Iterator[str | Problem]:
    """Yield the lines of a file; a Problem replaces a line that is not UTF-8. Raises as `lines_as_they_come` does."""
    for number, content in numbered_lines(path):
        text, problem = decoded(content, shown(path), number, SAVE_OR_NAME)
        yield text if problem is None else problem


Reader = Callable[[str, SentenceParser], Lattice]
"""Function that reads a sentence: as plain words, with tags, or with a tagger for unknown words."""


def plain(sentence: str, parser: SentenceParser) -> Lattice:
    """Return the lattice of a sentence without tags, by the lexicon of the parser."""
    return read_text(sentence, parser.words)


def read_and_parsed(sentence: str, parser: SentenceParser, read: Reader) -> Parse:
    """Return the parse of a sentence, first read by `read`; the parser's limit on seconds includes reading."""
    overdue = parser.limits.clock()
    return parser.parse(read(sentence, parser), overdue=overdue)
