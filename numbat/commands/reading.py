"""Where the sentences of a command come from: arguments, a file, standard input, a treebank."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError, data_error
from numbat.evaluation.constituents import Constituent
from numbat.files import as_it_comes, check_encoding, decoded_line, shown
from numbat.gradience.suites.judgement_marks import MEANINGS, leading_mark, plain_marks
from numbat.grammar.model import Grammar
from numbat.parsing.explanation.summary import by_lexical_status
from numbat.parsing.explanation.wording import listed_words, visible
from numbat.source import Problem, Span, counted
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import Words
from numbat.words.plain_text import read_text, read_tokens
from numbat.words.tagged import read_tagged

if TYPE_CHECKING:
    from numbat.treebank.reading import Sentence as TreebankSentence
    from numbat.treebank.trees import Tree
    from numbat.words.tag_maps import TagMap


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, with the number or the `file:line` by which outputs refer to it, and its gold tree if it has one."""

    id: str
    lattice: Lattice
    gold: Tree | None = None


OF_A_TREEBANK: Final = re.compile(r"\(\s*[^\s()]*\s*\(|(?:[^\t]*\t){9}[^\t]*$")
"""A line of brackets that open one in the other, or of CoNLL-U."""


@dataclass
class Notes:
    """What a run has to say of its sentences besides their parses: marks before them, names of files and trees in their
    place, words that are guessed or unknown.

    `grammar` is given where words come without tags, and no tagger stands beside it. `typed` are the sentences that
    stand on the command line; `as_typed`: whoever typed the sentences divided them, and no treebank. `guessed` has the
    words of each sentence that has some, by their standing.
    """

    grammar: Grammar | None = None
    typed: Sequence[str] = ()
    as_typed: bool = True
    marks: list[tuple[str, str]] = field(default_factory=list)
    several: list[str] = field(default_factory=list)
    sentences: int = 0
    trees: int = 0
    guessed: dict[str, list[list[str]]] = field(default_factory=dict)
    any_guessed: bool = False

    def add(self, id: str, lattice: Lattice, guessed: Sequence[Constituent] = (), told: bool = True) -> None:
        """A sentence, and the guessed words of its parse; `told`: they are to be named."""
        self.sentences += 1
        self.trees += bool(OF_A_TREEBANK.match(lattice.text))
        mark, _ = leading_mark(lattice.text)
        if mark and plain_marks("".join(lattice.skipped)).startswith(mark):
            self.marks.append((id, mark))
        if self.as_typed and _ends_inside(lattice):
            self.several.append(id)
        self.any_guessed = self.any_guessed or bool(guessed)
        for how, forms in by_lexical_status(guessed if told else ()).items():
            self.guessed.setdefault(how, []).append(forms)

    def lines(self) -> Iterator[str]:
        """What is to be said at the end of the run, on standard error."""
        if self.marks:
            yield f"numbat: {self._marked()}\n  numbat test FILE compares such judgements with those of the grammar"
        if self.several:
            where = f"{', '.join(self.several[:NAMED])}{', …' * (len(self.several) > NAMED)}: " * any(self.several)
            told = "this seems" if len(self.several) == 1 else f"these {len(self.several)} seem"
            yield f"numbat: {where}{told} to be more than one sentence\n  {ONE_EACH}"
        if 2 * self.trees > self.sentences:
            how = "numbat judge takes a tree" if self.typed else "--from auto reads a treebank"
            yield f"numbat: what was read as sentences looks like trees\n  {how}"
        for name in map(visible, filter(os.path.isfile, self.typed)):
            how = f"numbat parse -i {name} parses the lines of that file"
            yield f'numbat: "{name}" was read as a sentence, but is the name of a file\n  {how}'
        if len(self.typed) > 1 and all(len(sentence.split()) == 1 for sentence in self.typed):
            told = f"numbat: each of the {len(self.typed)} words was read as a sentence of its own"
            yield f'{told}\n  a sentence of several words stands in quotes: numbat parse "The cat sleeps"'
        for how, sentences in sorted(self.guessed.items()):
            forms = [form for words in sentences for form in words]
            where = f" in {counted(len(sentences), 'sentence')}" if len(sentences) > 1 else ""
            yield f"numbat: {counted(len(forms), 'word')} {how}{where}: {listed_words(list(dict.fromkeys(forms)))}"
        if self.any_guessed and self.grammar is not None and _has_no_words(self.grammar):
            model = "penn" if {"DT", "NN"} <= set(self.grammar.leaves) else "MODEL"
            yield f"numbat: the grammar has no words in its lexicon\n  --tagger {model} tells their categories"

    def _marked(self) -> str:
        if len(self.marks) == 1:
            ((id, mark),) = self.marks
            said = f"is not part of the sentence: whoever wrote it judges it {MEANINGS[mark]}"
            return f'{id and f"{id}: "}the mark "{mark}" {said}'
        kinds = ", ".join(f'"{mark}"' for mark in dict.fromkeys(mark for _, mark in self.marks))
        return f"the marks before {len(self.marks)} sentences, {kinds}, are judgements and no parts of them"


NAMED: Final = 3
"""So many sentences are named where more have the same fault."""
ONE_EACH: Final = "a sentence stands in quotes of its own, in a file on a line of its own"


def _ends_inside(lattice: Lattice) -> bool:
    """Whether a mark that ends a sentence stands inside it, alone, and a capital behind it.

    A point ends a sentence behind a word of three small letters or more; others may be shortened by it.
    """
    tokens, marks_at = lattice.tokens, Counter(lattice.gaps)
    for mark, place in zip(lattice.skipped, lattice.gaps, strict=False):
        if not 0 < place < len(tokens) or marks_at[place] > 1 or not tokens[place][0].isupper():
            continue
        if mark[0] in "!?" or (mark == "." and tokens[place - 1].islower() and len(tokens[place - 1]) > 2):
            return True
    return False


def _has_no_words(grammar: Grammar) -> bool:
    """Whether its lexicon has marks at most, and nothing says how to guess words."""
    forms = (entry.form for entry in grammar.lexicon)
    return not grammar.guesses and not any(map(str.isalpha, chain.from_iterable(forms)))


Line = tuple[str, str]
"""The id of a sentence and its text."""


def given(sentences: Sequence[str]) -> Iterator[Line | DataError]:
    """Sentences that stand on the command line; one that is not UTF-8 comes as an error in its place."""
    for number, sentence in enumerate(sentences, start=1):
        if (found := not_utf8(sentence)) is not None:
            yield DataError(f"{number}: this sentence is not UTF-8 (byte {found})\n  {TERMINAL}")
        elif sentence.strip():
            yield str(number), sentence


TERMINAL: Final = "set the terminal to UTF-8, or put the sentence into a file in that encoding"


def not_utf8(argument: str) -> str | None:
    """The first byte, in hexadecimal, of an argument that is no text in UTF-8; None where all is."""
    found = re.search("[\udc80-\udcff]", argument)  # how Python carries a byte that it cannot decode
    return f"{ord(found[0]) - 0xDC00:02X}" if found else None


def lines_of(path: str) -> Iterator[Line | DataError]:
    """The lines of a file, of standard input (`-`) as they come; empty ones and those that start with `#` do not count.

    A line that is not UTF-8 comes as an error in its place. Raises, before the first line is asked for,
    MissingFileError, and DataError for a file in UTF-16.
    """
    name, pieces = shown(path), as_it_comes(path)
    first = next(pieces, b"")
    check_encoding(first, name)
    lines = (line for piece in chain((first.removeprefix(BOM_UTF8),), pieces) for line in piece.splitlines())
    numbered = enumerate(lines, start=1)
    return (line for number, content in numbered if (line := _line(f"{name}:{number}", content)))


def _line(place: str, content: bytes) -> Line | DataError | None:
    try:
        text = decoded_line(content, place).strip()
    except DataError as error:
        return error
    return (place, text) if text and not text.startswith("#") else None


def sentences(lines: Iterable[Line | DataError], words: Words, tagged: bool) -> Iterator[Sentence | DataError]:
    """The lattice of each sentence; one that cannot be read comes as an error in its place."""
    for line in lines:
        if isinstance(line, DataError):
            yield line
            continue
        place, text = line
        try:
            yield Sentence(place, read_tagged(text, words) if tagged else read_text(text, words))
        except DataError as error:
            yield DataError(f"{place}: {error}")


def treebank(
    path: str, form: str, mapped: TagMap, words: Words, gold: bool = False, lenient: bool = False
) -> Iterator[Sentence | DataError]:
    """The tagged sentences of a treebank, their tags mapped to categories; with `gold` their trees too.

    `form` and errors as in `read_treebank`; `lenient`: a tag without category is no mistake.
    """
    from numbat.treebank.reading import read_treebank

    return _trees(read_treebank(path, form), shown(path), mapped, words, gold, lenient or mapped.is_identity)


def without_tags(mapped: TagMap) -> TagMap:
    """The map where only words count: tags of punctuation that it does not have are skipped."""
    from numbat.treebank.labels import CODES, PUNCTUATION

    return replace(mapped, rows={**dict.fromkeys(CODES | PUNCTUATION, ()), **mapped.rows})


def up_to(longest: int | None, every: Iterable[Sentence | DataError]) -> Iterator[Sentence | DataError]:
    """The sentences of so many words at most, skipped punctuation not counted; errors pass through."""
    for each in every:
        if longest is None or isinstance(each, DataError) or len(each.lattice.tokens) <= longest:
            yield each


def words_alone(every: Iterable[Sentence | DataError], words: Words) -> Iterator[Sentence | DataError]:
    """The sentences with the categories that the lexicon and the guess rules give their words; errors pass through."""
    for each in every:
        if isinstance(each, Sentence):
            arcs = read_tokens(each.lattice.tokens, words).arcs
            each = replace(each, lattice=replace(each.lattice, arcs=arcs))
        yield each


def tag_map_of(path: str | None, grammar: Grammar) -> TagMap:
    """The tag map of a file; without one it is ptb.map or ftb.map, for grammars that have its categories.

    For other grammars the tags are categories, and those of punctuation that the grammar does not have are skipped.
    Raises MissingFileError and DataError.
    """
    from numbat.words.tag_maps import read_tag_map

    return read_tag_map(path, grammar) if path else _default_map(grammar)


def _default_map(grammar: Grammar) -> TagMap:
    from numbat.treebank.labels import CODES, PUNCTUATION
    from numbat.words.tag_maps import identity_map, packaged_map

    return packaged_map(grammar) or identity_map(grammar, CODES | PUNCTUATION)


def _trees(
    found: Iterable[TreebankSentence | Problem], name: str, mapped: TagMap, words: Words, gold: bool, lenient: bool
) -> Iterator[Sentence | DataError]:
    from numbat.treebank.converting import to_constituents
    from numbat.treebank.labels import CODES, cleaned
    from numbat.words.tag_maps import tagged_lattice

    skipped = CODES | {tag for tag, readings in mapped.rows.items() if not readings}
    told: set[str] = set()
    for each in found:
        if isinstance(each, Problem):
            yield data_error(each)
            continue
        place, spoken = Span(name, each.tree.line), list(_spoken(each, bare=mapped.is_identity))
        try:
            tree = cleaned(to_constituents(each), functions=True, dropped=skipped) if gold else None
            lattice = tagged_lattice(spoken, mapped, words, lenient=lenient, place=place)
        except DataError as error:
            yield _once(error, place, [tag for _, tag in spoken], mapped, told) if error.problems else error
            continue
        if lattice.tokens:
            yield Sentence(each.id, lattice, tree)


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
    from numbat.treebank.labels import CODES, bare_label
    from numbat.treebank.trees import Tree

    tree = sentence.tree
    if isinstance(tree, Tree):
        tagged = tree.words(empty=False)
    else:
        tagged = ((word.form, word.upos if word.upos != "_" else word.xpos) for word in tree.words)
    return ((form, bare_label(tag) if bare else tag) for form, tag in tagged if tag not in CODES)
