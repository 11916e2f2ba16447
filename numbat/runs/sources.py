"""Sources of sentences: texts, the lines of a file or of standard input, a treebank.

Every source yields sentences on demand; one that cannot be read is yielded as a DataError in its place.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from numbat.errors import DataError, Problem, Span, counted, data_error, first_of, joined_error, quotable
from numbat.files import bare_lines, check_encoding, decoded, shown
from numbat.grammar.model import Grammar
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import Words, read_text, read_tokens
from numbat.words.typed import read_tagged

if TYPE_CHECKING:
    from numbat.treebank.reading import TreebankSentence
    from numbat.treebank.trees import Tree
    from numbat.words.tag_maps import TagMap


@frozen
class InputSentence:
    """A sentence to be parsed: its lattice, its name in outputs (a number or `file:line`), and its gold tree if any."""

    id: str
    lattice: Lattice
    gold: Tree | None = None


class NamedText(NamedTuple):
    """The name of a sentence and its text, which stands behind so many blanks in its line."""

    id: str
    text: str
    indent: int = 0

    def place(self, problem: Problem) -> Problem:
        """What is wrong with the text, where that stands."""
        path, _, line = self.id.rpartition(":")
        first, end = problem.span.column + self.indent, problem.span.end_column + self.indent
        span = Span(path, int(line), first, end) if path else Span(ARGUMENTS, int(line), first, end)
        return replace(problem, span=span, source_line=quotable(" " * self.indent + problem.source_line))


def numbered_texts(sentences: Sequence[str]) -> Iterator[NamedText | DataError]:
    """Sentences as they were typed, named by their numbers; a text that is not UTF-8 comes as an error in its place."""
    for number, sentence in enumerate(sentences, start=1):
        if (found := not_utf8(sentence)) is not None:
            yield DataError(f"{number}: this sentence is not UTF-8 (byte {found})\n  {TERMINAL}")
        elif sentence.strip():
            yield NamedText(str(number), sentence)


ARGUMENTS: Final = "<arguments>"
"""How messages name the command line as the place of sentences."""
TERMINAL: Final = "set the terminal to UTF-8, or put the sentence into a file in that encoding"


def not_utf8(argument: str) -> str | None:
    """The first byte, in hexadecimal, of an argument that is no text in UTF-8; None where all is."""
    found = re.search("[\udc80-\udcff]", argument)  # how Python carries a byte that it cannot decode
    return f"{ord(found[0]) - 0xDC00:02X}" if found else None


@frozen
class HashLines:
    """What becomes of lines that begin with `#`: they are sentences if `are_read`, else comments; `left_out` has the
    places of these, each once though a file is read twice."""

    are_read: bool = False
    left_out: dict[str, None] = field(default_factory=dict)

    def told(self, hint: str = "\n  --hash-lines reads such lines") -> Iterator[str]:
        """How many lines are comments, and how to read them; no `hint` where nothing reads them."""
        if number := len(self.left_out):
            which = first_of(list(self.left_out), 3)
            kind = "begins with # and was left out" if number == 1 else "begin with # and were left out"
            yield f"numbat: {counted(number, 'line')} {kind}: {which}{hint}"


def lines_as_they_come(path: str, hash_lines: HashLines | None = None) -> Iterator[NamedText | DataError]:
    """The lines of a file, of standard input (`-`) as they come; empty ones and those that start with `#` do not count.

    `hash_lines` has the latter, or says that they count. A line that is not UTF-8 comes as an error in its place.
    Raises, before the first line is asked for, MissingFileError, and DataError for a file in UTF-16.
    """
    name, lines = shown(path), bare_lines(path)
    first = next(lines, b"")
    check_encoding(first, name)
    numbered = enumerate(chain((first.removeprefix(BOM_UTF8),), lines), start=1)
    comments = HashLines() if hash_lines is None else hash_lines
    return (line for number, content in numbered if (line := _line(name, number, content, comments)))


def _line(name: str, number: int, content: bytes, hash_lines: HashLines) -> NamedText | DataError | None:
    text, wrong = decoded(content, name, number)
    if wrong is not None:
        return data_error(wrong)
    text, place = text.rstrip(), f"{name}:{number}"
    if text.lstrip().startswith("#") and not hash_lines.are_read:
        hash_lines.left_out[place] = None
        return None
    return NamedText(place, text.lstrip(), len(text) - len(text.lstrip())) if text else None


Given = TypeVar("Given")


def whole(every: Iterable[Given | DataError]) -> list[Given]:
    """All that a source gives, for whoever needs all of it. Raises DataError with everything that cannot be read."""
    found: list[Given] = []
    errors: list[DataError] = []
    for each in every:
        if isinstance(each, DataError):
            errors.append(each)
        else:
            found.append(each)
    if errors:
        raise joined_error(errors)
    return found


@frozen
class SentenceReading:
    """Reads a text by the words of a parser; if `tagged` its words carry categories. A sentence that comes with its
    lattice keeps it, or with `alone` gets what the lexicon and the guess rules say of its words."""

    parser: SentenceParser
    tagged: bool = False
    alone: bool = False

    def __call__(self, given: NamedText | InputSentence) -> InputSentence:
        """The sentence ready to be parsed. Raises DataError with its name for one that cannot be read."""
        words = self.parser.words
        if isinstance(given, InputSentence):
            if not self.alone:
                return given
            return replace(given, lattice=replace(given.lattice, arcs=read_tokens(given.lattice.tokens, words).arcs))
        try:
            return InputSentence(given.id, lattice_of(given.text, words, self.tagged))
        except DataError as error:
            if not error.problems:
                raise DataError(f"{given.id}: {error}") from None
            raise data_error(*map(given.place, error.problems)) from None


def lattice_of(sentence: str, words: Words, tagged: bool = False) -> Lattice:
    """A sentence as it is to be parsed; if `tagged` its words carry categories. Raises DataError for bad tags."""
    return read_tagged(sentence, words) if tagged else read_text(sentence, words)


def treebank_sentences(
    path: str, form: str, mapped: TagMap, words: Words, gold: bool = False, lenient: bool = False
) -> Iterator[InputSentence | DataError]:
    """The tagged sentences of a treebank, their tags mapped to categories; with `gold` their trees too.

    `form` and errors as in `read_treebank`; `lenient`: a tag without category is no mistake.
    """
    from numbat.treebank.reading import read_treebank

    return _trees(read_treebank(path, form), shown(path), mapped, words, gold, lenient or mapped.is_identity)


def without_tags(mapped: TagMap) -> TagMap:
    """The map where only words count: tags of punctuation that it does not have are skipped."""
    from numbat.treebank.trees import CODES, PUNCTUATION

    return replace(mapped, rows={**dict.fromkeys(CODES | PUNCTUATION, ()), **mapped.rows})


def up_to(longest: int | None, every: Iterable[InputSentence | DataError]) -> Iterator[InputSentence | DataError]:
    """The sentences of so many words at most, skipped punctuation not counted; errors pass through."""
    for each in every:
        if longest is None or isinstance(each, DataError) or len(each.lattice.tokens) <= longest:
            yield each


def tag_map_of(path: str | None, grammar: Grammar) -> TagMap:
    """The tag map of a file; without one it is ptb.map or ftb.map, for grammars that have its categories.

    For other grammars the tags are categories, and those of punctuation that the grammar does not have are skipped.
    Raises MissingFileError and DataError.
    """
    from numbat.words.tag_maps import read_tag_map

    return read_tag_map(path, grammar) if path else _default_map(grammar)


def _default_map(grammar: Grammar) -> TagMap:
    from numbat.treebank.trees import CODES, PUNCTUATION
    from numbat.words.tag_maps import identity_map, packaged_map

    return packaged_map(grammar) or identity_map(grammar, CODES | PUNCTUATION)


def _trees(
    found: Iterable[TreebankSentence | Problem], name: str, mapped: TagMap, words: Words, gold: bool, lenient: bool
) -> Iterator[InputSentence | DataError]:
    from numbat.treebank.converting import to_constituents
    from numbat.treebank.trees import CODES, cleaned
    from numbat.words.tag_maps import tagged_lattice

    skipped = CODES | {tag for tag, readings in mapped.rows.items() if not readings}
    told: set[str] = set()
    for each in found:
        if isinstance(each, Problem):
            yield data_error(each)
            continue
        place, spoken = Span(name, each.tree.line), list(_spoken(each, bare=mapped.is_identity))
        try:
            tree = cleaned(to_constituents(each), functions=True, dropped=skipped, joined=False) if gold else None
            lattice = tagged_lattice(spoken, mapped, words, lenient=lenient, place=place)
        except DataError as error:
            yield _once(error, place, [tag for _, tag in spoken], mapped, told) if error.problems else error
            continue
        if lattice.tokens:
            yield InputSentence(each.id, lattice, tree)


def _once(error: DataError, place: Span, tags: Sequence[str], mapped: TagMap, told: set[str]) -> DataError:
    """What to say of tags that are not mapped: in full where one was not `told` before."""
    strange = dict.fromkeys(tag for tag in tags if mapped.readings(tag) is None)
    before = told.copy()
    told.update(strange)
    if strange.keys() <= before:
        return DataError(f"{place}: tags that are not mapped: {', '.join(strange)}", error.problems)
    if before or len(strange) < len(set(tags)):
        return error
    return DataError(f"{error}\n  --words takes the words without their tags", error.problems)


def _spoken(sentence: TreebankSentence, bare: bool) -> Iterator[tuple[str, str]]:
    """The words of a tree with their tags; of CoNLL-U UPOS, or where that is not given XPOS."""
    from numbat.treebank.trees import CODES, Tree, bare_label

    tree = sentence.tree
    if isinstance(tree, Tree):
        tagged = tree.words(empty=False)
    else:
        tagged = ((word.form, word.upos if word.upos != "_" else word.xpos) for word in tree.words)
    return ((form, bare_label(tag) if bare else tag) for form, tag in tagged if tag not in CODES)
