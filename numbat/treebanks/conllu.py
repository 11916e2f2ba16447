"""CoNLL-U: dependency trees with ten columns per word, read as a stream and written back unchanged.

    # sent_id = cats-1
    1-2   don't   _      _     _    _             _   _      _   _
    1     do      do     AUX   VBP  Number=Plur   3   aux    _   _
    2     n't     not    PART  RB   _             3   advmod _   _
    3     sleep   sleep  VERB  VB   _             0   root   _   SpaceAfter=No

Comments, tokens of several words (`1-2`) and empty nodes (`8.1`) are kept. A blank line ends a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from numbat.errors import Problem, Span, quotable
from numbat.files import numbered
from numbat.records import frozen
from numbat.treebanks.formats import word_form
from numbat.treebanks.notes import OTHER_COLUMN, TEXT_DIFFERS, TWO_ROOTS, Notes

COLUMNS: Final = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID: Final = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})|(\d{1,9})\.([1-9]\d{0,8})", re.ASCII)
NONE: Final = "_"
"""Value of an empty column."""
HEAD: Final = re.compile(r"_|\d{1,9}", re.ASCII)
COMMENT: Final = re.compile(r"#\s*(\S+)\s*=\s*(.*?)\s*")
NO_TREEBANK: Final = "no line has ten columns, so this is not CoNLL-U; name the format with --from"

FeaturePairs = tuple[tuple[str, str], ...]
"""Pairs of a feature and its value, in the order of the file."""


@frozen
class DependencyWord:
    """Word of a dependency tree. `head` is the number of the head from 1, 0 for the root, None if unknown (`_`)."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: FeaturePairs = ()
    head: int | None = None
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"


@frozen
class OtherRow:
    """A multiword token (`1-2`) or empty node (`8.1`): its ten columns; `place` is the number of the next word."""

    place: int
    columns: tuple[str, ...]


@frozen
class DependencyTree:
    """A sentence of CoNLL-U. `comments` are the lines that start with `#`; comparisons ignore `line`."""

    words: tuple[DependencyWord, ...]
    comments: tuple[str, ...] = ()
    other_rows: tuple[OtherRow, ...] = ()
    line: int = field(default=0, compare=False)

    @property
    def has_heads(self) -> bool:
        """True if some word has a head, and therefore all have."""
        return any(word.head is not None for word in self.words)

    def comment(self, key: str) -> str:
        """Return the value of `# key = value`, or ""."""
        for text in self.comments:
            match = COMMENT.fullmatch(text)
            if match and match[1] == key:
                return match[2]
        return ""

    def contractions(self) -> Iterator[tuple[str, slice]]:
        """Yield the multiword tokens (`1-2`) as written, each with the place of its words in `words`."""
        for aside in self.other_rows:
            first, dash, last = aside.columns[0].partition("-")
            if dash:
                yield aside.columns[1], slice(int(first) - 1, int(last))

    def dependents(self) -> list[list[int]]:
        """Return the numbers of the dependents of each word, from left to right; index 0 has the roots."""
        below: list[list[int]] = [[] for _ in range(len(self.words) + 1)]
        for number, word in enumerate(self.words, start=1):
            if word.head is not None:
                below[word.head].append(number)
        return below


def read_conllu(lines: Iterable[str], path: str, notes: Notes | None = None) -> Iterator[DependencyTree | Problem]:
    """Yield each sentence or, for a bad one, its first mistake. Memory: one sentence.

    Problems name the sentence by its number and its sent_id. Reading continues after the next blank line. A file
    without any row of ten columns gives one problem only. Several roots are noted.
    """
    reader = ConlluReader(path, notes)
    held: list[Problem] = []
    for problem in reader.read(lines):
        if isinstance(problem, Problem) and not reader.is_table:
            held.append(problem)
        else:
            yield from held
            held = []
            yield problem
    if held:
        yield held[0] if len(held) == 1 else replace(held[0], hint=NO_TREEBANK)


def format_conllu(tree: DependencyTree) -> str:
    """Format the sentence and a blank line; reading it back gives an equal sentence."""
    lines = list(tree.comments)
    other_rows = list(tree.other_rows)
    for number, word in enumerate(tree.words, start=1):
        while other_rows and other_rows[0].place <= number:
            lines.append("\t".join(other_rows.pop(0).columns))
        feats = "|".join(f"{name}={value}" for name, value in word.feats) or "_"
        head = "_" if word.head is None else str(word.head)
        columns = (str(number), word.form, word.lemma, word.upos, word.xpos, feats, head)
        lines.append(_row((*columns, word.deprel, word.deps, word.misc)))
    lines += ["\t".join(aside.columns) for aside in other_rows]
    return "\n".join(lines) + "\n\n"


def _row(cells: Sequence[str]) -> str:
    """Return the row of a word; in cells of other formats, a TAB or line end becomes a blank."""
    row = "\t".join(cells)
    if row.count("\t") == len(cells) - 1 and "\n" not in row and "\r" not in row:
        return row
    return "\t".join(" ".join(cell.split()) or NONE for cell in cells)


class ConlluReader:
    """Reader of a file, which collects the rows of a sentence; `is_table` is True once a row had ten columns."""

    has_other_columns = False

    def __init__(self, path: str, notes: Notes | None = None) -> None:
        self.path, self.notes = path, notes
        self.rows: list[tuple[int, str]] = []
        self.sentence = 0
        self.is_table = False
        self.feats: dict[str, FeaturePairs | None] = {"_": ()}

    def read(self, lines: Iterable[str]) -> Iterator[DependencyTree | Problem]:
        for number, line in numbered(lines):
            text = line.rstrip("\r\n")
            if text and not text.isspace():
                self.rows.append((number, text))
            elif self.rows:
                yield self.finish()
        if self.rows:
            yield self.finish()

    def finish(self) -> DependencyTree | Problem:
        """Return the tree of the rows or their first mistake, and start the next sentence."""
        self.sentence += 1
        rows, self.rows = self.rows, []
        try:
            return self._tree(rows)
        except ConlluMistakeError as mistake:
            return self._problem(mistake, [text for _, text in rows if text.startswith("#")])

    def is_row(self, text: str) -> bool:
        """Return True if a line that begins with `#` is the row of a word, which it never is in CoNLL-U."""
        return False

    def _tree(self, rows: Sequence[tuple[int, str]]) -> DependencyTree:
        words: list[DependencyWord] = []
        places: list[tuple[int, str]] = []
        comments: list[str] = []
        other_rows: list[OtherRow] = []
        for row in rows:
            text = row[1]
            if text[0] == "#" and not self.is_row(text):
                if words or other_rows:
                    raise ConlluMistakeError("a comment within the sentence", row, 0, "a row of ten columns", text)
                comments.append(text)
                continue
            columns = text.split("\t")
            if len(columns) != 10 or self.has_other_columns:
                columns = self.columns_of(row, len(words) + 1)
            self.is_table = True
            if columns[0] != str(len(words) + 1):
                other_rows.append(_other_row(columns, len(words), row))
                continue
            words.append(self._word(columns, row))
            places.append(row)
        if not words:
            raise ConlluMistakeError("a sentence without words", rows[-1], 0, "a row that begins with 1", rows[-1][1])
        _check_other_rows(other_rows, len(words), rows)
        _check_heads(words, places)
        tree = DependencyTree(tuple(words), tuple(comments), tuple(other_rows), rows[0][0])
        if self.notes is not None and [word.head for word in words].count(0) > 1:
            self.notes.add(TWO_ROOTS, tree.comment("sent_id") or f"{self.path}:{tree.line}")
        if self.notes is not None and _text_differs(tree):
            self.notes.add(TEXT_DIFFERS, tree.comment("sent_id") or f"{self.path}:{tree.line}")
        if self.notes is not None and words[0].upos == NONE and all(word.upos == NONE != word.xpos for word in words):
            self.notes.add(OTHER_COLUMN, tree.comment("sent_id") or f"{self.path}:{tree.line}")
        return tree

    def columns_of(self, row: tuple[int, str], number: int) -> list[str]:
        """Convert a row that lacks ten columns to those of word `number`; for CoNLL-U, raise ConlluMistakeError."""
        hint = "columns are separated by TAB" if "\t" not in row[1] else ""
        width = str(row[1].count("\t") + 1)
        raise ConlluMistakeError("a row without ten columns", row, 0, "10 columns", width, hint)

    def _word(self, columns: Sequence[str], row: tuple[int, str]) -> DependencyWord:
        _, form, lemma, upos, xpos, feats, head, deprel, deps, misc = columns
        if (cut := word_form(form)) != form:
            form, columns = cut, (columns[0], cut, *columns[2:])
        if "" in columns:
            name = COLUMNS[columns.index("")]
            raise ConlluMistakeError(f"an empty {name}", row, columns.index(""), "a value, or _ for none", "nothing")
        pairs = self.feats.get(feats)
        if pairs is None:
            pairs = self.feats[feats] = self.pairs_of(feats, row)
        if not HEAD.fullmatch(head):
            raise ConlluMistakeError(
                "a HEAD that is not a number", row, 6, "the number of a word, 0 for the root, or _", head
            )
        return DependencyWord(form, lemma, upos, xpos, pairs, None if head == "_" else int(head), deprel, deps, misc)

    def pairs_of(self, feats: str, row: tuple[int, str]) -> FeaturePairs:
        """Parse the FEATS of a row. Raises ConlluMistakeError."""
        pairs = tuple((name, value) for name, _, value in (pair.partition("=") for pair in feats.split("|")))
        for name, value in pairs:
            if not name or not value:
                expected = "Name=Value, separated by |"
                hint = "" if "=" in feats else "use --from malt for the features of CoNLL-X"
                raise ConlluMistakeError("a feature that cannot be understood", row, 5, expected, feats, hint)
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ConlluMistakeError("a duplicate feature", row, 5, "each feature once", feats)
        return pairs

    def place_of(self, column: int, columns: int) -> int:
        """Return the index at which a row of `columns` columns has this one of the ten columns of CoNLL-U."""
        return column

    def _problem(self, mistake: ConlluMistakeError, comments: Sequence[str]) -> Problem:
        name = DependencyTree((), tuple(comments)).comment("sent_id")
        line, text = mistake.row
        columns = text.split("\t")
        at = self.place_of(mistake.column, len(columns))
        start = sum(len(column) + 1 for column in columns[:at]) + 1
        width = len(columns[at]) if at < len(columns) else 1
        return Problem(
            f"sentence {self.sentence}{f' ({name})' if name else ''}: {mistake.message}",
            Span(self.path, line, start, start + max(1, width)),
            "error",
            mistake.expected,
            mistake.found,
            mistake.hint,
            quotable(text),
        )


class ConlluMistakeError(Exception):
    """A mistake in a row; `row` is its line number and text, `column` the index of the wrong column."""

    def __init__(
        self, message: str, row: tuple[int, str], column: int, expected: str, actual: str, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.row, self.column = message, row, column
        self.expected, self.found, self.hint = expected, actual, hint


def _text_differs(tree: DependencyTree) -> bool:
    """Return True if `# text` has other characters than the tokens, whatever the blanks between them."""
    text = tree.comment("text")
    if not text:
        return False
    written = {aside.place: aside.columns for aside in tree.other_rows if "-" in aside.columns[0]}
    tokens, last = [], 0
    for number, word in enumerate(tree.words, start=1):
        if number in written:
            tokens.append(written[number][1])
            last = int(written[number][0].partition("-")[2])
        elif number > last:
            tokens.append(word.form)
    return "".join("".join(tokens).split()) != "".join(text.split())


def _other_row(columns: Sequence[str], before: int, row: tuple[int, str]) -> OtherRow:
    match = ID.fullmatch(columns[0])
    fits = match is not None and (int(match[1]) == before + 1 < int(match[2]) if match[1] else int(match[3]) == before)
    if not fits:
        expected = f"{before + 1}, {before + 1}-{before + 2} or later, or {before}.1"
        raise ConlluMistakeError("a row out of order", row, 0, expected, columns[0] or "nothing")
    return OtherRow(before + 1, tuple(columns))


def _check_other_rows(other_rows: Sequence[OtherRow], words: int, rows: Sequence[tuple[int, str]]) -> None:
    last = 0
    for aside in other_rows:
        first, dash, end = aside.columns[0].partition("-")
        if not dash:
            continue
        if int(end) > words or int(first) <= last:
            row = next((row for row in rows if aside.columns[0] in row[1].split("\t")), rows[0])
            if int(end) > words:
                raise ConlluMistakeError("a token over words that do not exist", row, 0, f"words up to {words}", end)
            raise ConlluMistakeError(
                "tokens that share a word", row, 0, f"a token that begins after word {last}", aside.columns[0]
            )
        last = int(end)


def _check_heads(words: Sequence[DependencyWord], places: Sequence[tuple[int, str]]) -> None:
    """Check that the heads form a tree, or that all are missing."""
    heads = [word.head for word in words]
    if all(head is None for head in heads):
        return
    for number, head in enumerate(heads, start=1):
        row = places[number - 1]
        if head is None:
            raise ConlluMistakeError(
                "a word without head beside words with heads", row, 6, "the number of a word, or 0", "_"
            )
        if head > len(words) or head == number:
            expected = f"a number from 0 to {len(words)}, but not {number}"
            raise ConlluMistakeError("a HEAD that is not another word", row, 6, expected, str(head))
    safe = {0}
    for number in range(1, len(words) + 1):
        path: dict[int, int] = {}
        at = number
        while at not in safe:
            path[at] = len(path)
            at = heads[at - 1] or 0
            if at in path:
                cycle = " -> ".join(map(str, (*list(path)[path[at] :], at)))
                raise ConlluMistakeError("a cycle of dependencies", places[at - 1], 6, "a tree", cycle)
        safe.update(path)


MARK: Final = "PUNCT"
