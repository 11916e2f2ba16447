"""Sources of sentences: typed texts, running text, tables, the lines of a file or of standard input.

Sources yield sentences on request; in place of an unreadable sentence they yield a DataError.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain, pairwise
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
from numbat.records import frozen, pattern
from numbat.runs.metadata import Pairs, table_rows
from numbat.words.by_language import Conventions, language_of
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import Words, read_again, read_text
from numbat.words.pasted_text import before_next_line
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


Spans = Callable[[str], Sequence[tuple[int, int]]]
"""Function that returns the sentences in a paragraph as spans of characters, end exclusive."""


class TextLine(NamedTuple):
    """A line of running text, or the rest of one: its number, the column where `text` begins, from 0, and the text."""

    number: int
    column: int
    text: str


@frozen
class ListLabels:
    """The numbers and letters before list items, by place (`file:line`); they are not part of the sentences."""

    left_out: dict[str, str] = field(default_factory=dict)

    def notes(self) -> Iterator[str]:
        """Yield a note on the labels that were left out."""
        if number := len(self.left_out):
            which = first_of([f"{label} ({place})" for place, label in self.left_out.items()], 3)
            yield f"numbat: {counted(number, 'label')} of list items left out: {which}"


def split_sentences(
    texts: Sequence[str],
    path: str | None,
    language: str,
    spans: Spans | None = None,
    has: Callable[[str], bool] = frozenset[str]().__contains__,
    labels: ListLabels | None = None,
) -> Iterator[NamedText | DataError]:
    """Yield the sentences in running text, from `texts` or the lines of a file; each paragraph is split by itself.

    Paragraphs end at empty lines and after lines too long for wrapped text; list items, headings and titles are
    paragraphs of their own. A word that is hyphenated at the end of a line is joined, unless the lexicon only `has` the
    word with the hyphen. The name of a sentence is where it is: `book.txt:3:14-60` (line 3, characters 14 to 60) or
    `book.txt:3:14-4:20`. `spans` finds the sentences in a paragraph; without it, the package sentencex does, by
    `language`. `labels` collects the labels of list items. A DataError replaces a line that is not UTF-8. Raises
    MissingExtraError without sentencex, MissingFileError, and DataError for a file in UTF-16.
    """
    if spans is None:
        require_sentencex("--split")
        spans = partial(sentence_spans, language=language)
    paragraphs = _Paragraphs(spans, language_of(language), has, ListLabels() if labels is None else labels)
    if path is not None:
        return paragraphs.split(shown(path), numbered_lines(path))
    return chain.from_iterable(
        paragraphs.split(str(name), enumerate((os.fsencode(line) for line in text.splitlines()), start=1))
        for name, text in enumerate(texts, start=1)
    )


@frozen
class _Paragraphs:
    """Splitter of numbered lines into paragraphs and sentences; the fields are as in `split_sentences`."""

    spans: Spans
    language: Conventions
    has: Callable[[str], bool]
    labels: ListLabels

    def split(self, name: str, numbered: Iterable[tuple[int, bytes]]) -> Iterator[NamedText | DataError]:
        """Yield the sentences of a text with this name."""
        paragraph: list[TextLine] = []
        size = 0
        for number, content in chain(numbered, [(0, b"")]):
            text, wrong = decoded(content, name, number, SAVE_OR_NAME)
            is_whole = len(text) > MAX_WRAPPED or size > MAX_PARAGRAPH
            if wrong is not None or is_whole or not text.strip():
                yield from self._paragraph(name, paragraph)
                paragraph, size = [], 0
            if wrong is not None:
                yield data_error(wrong)
            elif len(text) > MAX_WRAPPED:
                yield from self._paragraph(name, [TextLine(number, 0, text)])
            elif text.strip():
                paragraph.append(TextLine(number, 0, text))
                size += len(text)

    def _paragraph(self, name: str, lines: Sequence[TextLine]) -> Iterator[NamedText]:
        for begins_item, block in blocks(lines, self.language):
            first = block[0]
            label = _LABEL.match(first.text) if begins_item else None
            if label is not None:
                self.labels.left_out[f"{name}:{first.number}"] = label[0].strip()
                block = [TextLine(first.number, label.end(), first.text[label.end() :]), *block[1:]]
            yield from self._block(name, block)

    def _block(self, name: str, lines: Sequence[TextLine]) -> Iterator[NamedText]:
        """Yield the sentences in lines that belong together, each named by its place."""
        text, starts = "", []
        for line in lines:
            if text:
                text = before_next_line(text, line.text, self.has, self.language)
            starts.append(len(text))
            text += line.text
        for start, end in self.spans(text):
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
            number, column = lines[first].number, start - starts[first] + lines[first].column + 1
            until = end - starts[last] + lines[last].column
            behind = f"{until}" if first == last else f"{lines[last].number}:{until}"
            yield NamedText(f"{name}:{number}:{column}-{behind}", text[start:end], column - 1, (name, number))


_BULLET: Final = r"[-*+•‣◦▪●–—·]\s"
_LABEL: Final = pattern(r"\s*(?:\((?:\d{1,3}|[^\W\d_]|[ivx]{1,5})\)|(?:\d{1,3}|[^\W\d_]|[ivx]{1,5})[.)])\s+(?=\S)")
"""The number or letter before a list item: `3.`, `(3)`, `b)`, `iv.`"""
_ITEM: Final = pattern(rf"\s*{_BULLET}\s*(?=\S)|{_LABEL.pattern}")
_DOUBTFUL: Final = pattern(r"\s*(?:\d+\.|[^\W\d_]\.)\s")
"""A label that may also be an ordinal number or an initial."""
_HEADING: Final = pattern(r"\s{0,3}#{1,6}\s+\S")
_UNDERLINE: Final = pattern(r"\s{0,3}(?:={2,}|-{2,}|~{2,}|\^{2,})\s*")
_SECTION: Final = pattern(r"\s*\d+(?:\.\d+)+\.?\s+\S")
_STARRED_LINE: Final = pattern(r"\s*(?:\*\??|\?\*|\?\?)(?=[^\W\d_])[^*]*$")
"""A line with a judgement mark before it, not the beginning of an emphasis."""
_END: Final = pattern(r"[.!?:;…。！？][\"'”’»)\]*_]*\s*$")


def is_item(line: str) -> bool:
    """True for a line that begins as a list item does."""
    return _ITEM.match(line) is not None


def blocks(lines: Sequence[TextLine], language: Conventions) -> Iterator[tuple[bool, Sequence[TextLine]]]:
    """Divide the lines of a paragraph at list items, headings and titles, which end where their line ends.

    Each block is given with whether it is a list item. A line that is indented more deeply, or begins with a small
    letter, continues the item or heading before it.
    """
    block: list[TextLine] = []
    in_item = False
    labels = {_label_of(line.text) for line in lines}
    width = max((len(line.text) for line in lines), default=0)
    for number, line in enumerate(lines):
        if _UNDERLINE.fullmatch(line.text) and block:
            yield in_item, block  # a heading with a line below it, which has no words
            block = []
            continue
        begins_item = _begins_item(lines, number, labels, language, bool(block) and in_item)
        if block and (
            begins_item
            or _HEADING.match(line.text)
            or _STARRED_LINE.match(line.text)
            or _ends_before(block, line.text, width, in_item)
        ):
            yield in_item, block
            block = []
        in_item = begins_item if not block else in_item
        block.append(line)
    if block:
        yield in_item, block


def _begins_item(
    lines: Sequence[TextLine], number: int, labels: Container[int | str], language: Conventions, in_item: bool
) -> bool:
    """True if a line of a paragraph, which has these `labels`, is a list item and does not only begin like one.

    `6.` or `A.` may be an ordinal number or an initial. It is a label if the paragraph has the label before or after
    it, and a number also at the beginning of a paragraph in a language without ordinals.
    """
    text = lines[number].text
    if not is_item(text):
        return False
    if _DOUBTFUL.match(text):
        is_first = number == 0 and text.lstrip()[0].isdigit() and not language.has_ordinals
        return is_first or any(label in labels for label in _beside(_label_of(text)))
    beside = [lines[at].text for at in (number - 1, number + 1) if 0 <= at < len(lines)]
    return in_item or number == 0 or any(map(is_item, beside)) or bool(_END.search(lines[number - 1].text))


def _label_of(line: str) -> int | str:
    """Return the number or the letters before a list item, "" if the line has none."""
    match = _LABEL.match(line)
    label = match[0].strip(" \t().") if match else ""
    return int(label) if label.isdecimal() else label


def _beside(label: int | str) -> tuple[int | str, ...]:
    """Return the labels directly before and after another one: 1 and 3 for 2, `a` and `c` for `b`; none for `iv`."""
    if isinstance(label, int):
        return label - 1, label + 1
    return (chr(ord(label) - 1), chr(ord(label) + 1)) if len(label) == 1 else ()


def _ends_before(block: Sequence[TextLine], following: str, width: int, in_item: bool) -> bool:
    """True if a block is a list item, heading or title that ends before the line `following`.

    A title is one line, and the next word would fit into the `width` of the text.
    """
    first, last = block[0].text, block[-1].text
    if following.lstrip()[:1].islower():
        return False
    if in_item:
        return len(following) - len(following.lstrip()) <= len(first) - len(first.lstrip())
    if _HEADING.match(first):
        return True
    if len(block) > 1 or _END.search(last) or last.rstrip()[-1] in "-,":
        return False
    return _is_title(last) and len(last.rstrip()) + len(following.split()[0]) < width


def _is_title(line: str) -> bool:
    """True for a line in capitals, with capitals in all longer words, or with the number of a section."""
    words = [word for word in re.findall(r"[^\W\d_]+", line) if len(word) > 3 or word.isupper()]
    return bool(_SECTION.match(line)) or (bool(words) and all(word[0].isupper() for word in words))


_QUOTED_END: Final = pattern(r"[\"'”’»“)\]]$")
_INITIAL: Final = pattern(r"(?:^|[\s(«“\"])(?:[^\W\d_]\.)(?:-[^\W\d_]\.)?$")
_ORDINAL: Final = pattern(r"(?:^|(?P<before>\S*)\s)\d{1,2}\.$")
_MARK_ALONE: Final = pattern(r"[*?#%]{1,3}")
_SHORTENED: Final = pattern(r"(?:^|[^\w.])([^\W\d_][\w.-]*)\.$")
_CUT: Final = pattern(
    r"(?:(?<=[.!?…])[\"'”’»)]*\s+(?=(?:\*\??|\?\*|\?\?|\*\*|#)\s?[\"“«(]?[^\W\d_])(?!\*+[^*\n]*\w\*)"
    r"|(?<=[^\W\d_A-Z]{4}\.[)\]])\s+(?=[\"“«(]?[^\W\d_a-z]))"
)
"""The blanks between a sentence and another one with a judgement mark before it, or after a sentence in brackets."""
_OPENING_NEXT: Final = pattern(r"(?<=\s)(?:``|[\"“„«(\[`])$")
_EMOTICON: Final = pattern(r"\s*[:;=][-^']?[)(DPp\]\[](?!\w)")


def sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Return the sentences in a paragraph as spans of characters, without surrounding blanks.

    They are those that sentencex finds, with these differences. No sentence ends after an initial such as J., after an
    abbreviation or ordinal number of the language that needs the next word, or after a quotation that goes on in small
    letters. A sentence ends before a judgement mark and after a sentence in brackets. An opening quotation mark belongs
    to what follows it, and an emoticon to what precedes it.
    """
    from sentencex import get_sentence_boundaries

    rules = language_of(language)
    spans: list[tuple[int, int]] = []
    is_joined = False
    cuts = {
        match.end()
        for match in _CUT.finditer(text)
        if not _goes_on(text[max(0, match.start() - 20) : match.start()], text[match.start() : match.end() + 1], rules)
    }
    ends = {_with_its_marks(text, boundary["end_index"]) for boundary in get_sentence_boundaries(language, text)}
    for since, until in pairwise(sorted({0, *ends, *cuts, len(text)})):
        sentence = text[since:until]
        start = since + len(sentence) - len(sentence.lstrip())
        end = since + len(sentence.rstrip())
        if start >= end:
            continue
        if is_joined and since not in cuts:
            start = spans.pop()[0]
        spans.append((start, end))
        is_joined = _goes_on(text[max(start, end - 20) : end], text[end : end + 20], rules)
    return spans


def _with_its_marks(text: str, end: int) -> int:
    """Return where a sentence ends: before a mark that opens the next sentence, after an emoticon behind its end."""
    opening = _OPENING_NEXT.search(text[max(0, end - 4) : end]) if not text[end : end + 1].isspace() else None
    emoticon = _EMOTICON.match(text, end)
    return end - len(opening[0]) if opening else emoticon.end() if emoticon else end


def _goes_on(ending: str, behind: str, rules: Conventions) -> bool:
    """True if a sentence does not end with the text `ending`, which is followed by the text `behind`."""
    following = behind.lstrip()[:1]
    ordinal = _ORDINAL.search(ending) if rules.has_ordinals else None
    if _INITIAL.search(ending) or (ordinal and not rules.counts((ordinal["before"] or "").strip("(."), "1")):
        return True
    if behind[:1].isalpha() and _MARK_ALONE.fullmatch(ending):
        return True
    if following.islower() and _QUOTED_END.search(ending):
        return True
    shortened = _SHORTENED.search(ending)
    return shortened is not None and rules.goes_on(shortened[1], following)


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
