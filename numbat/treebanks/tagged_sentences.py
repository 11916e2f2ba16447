"""Read tagged sentences of any format, and remove punctuation or put it back.

Formats: CoNLL-U, tagged text (`The/DET cat/NOUN sleeps/VERB`, a sentence per line), the output of `numbat tag run` (a
word, further columns and its tag on each line, an empty line after each sentence), brackets and the Sinica Treebank.
Trees are kept if the file has them.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from numbat.errors import DataError, Problem, Span, quotable
from numbat.files import SAVE_OR_NAME, lines_of, shown
from numbat.records import frozen
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.crossing import CrossingTree
from numbat.treebanks.formats import BLANKS, POS, WITH_TREES, recognised
from numbat.treebanks.heads import TABLES, dependencies_of, table_for
from numbat.treebanks.reading import TreebankSentence, sentences_of
from numbat.treebanks.trees import Tree, bare_label, function_of
from numbat.words.tag_maps import PUNCTUATION
from numbat.words.typed import tagged_words

FORMS: Final = ("auto", *WITH_TREES, "text", "columns")
"""Formats, as values of `--from`."""
UNTAGGED: Final = "_"
NO_SENTENCE: Final = "give CoNLL-U, lines of tagged words such as The/DET cat/NOUN, or a word and its tag on each line"
OF_PENN: Final = "a file .pos of the Penn Treebank is read with --from pos"


@frozen
class TaggedSentence:
    """Words and their tags, with the `tree` of CoNLL-U or brackets if the file has one.

    The words of the tree are those of the sentence; they may have no heads. `name` is its sent_id, else file and line.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    tree: DependencyTree | None = None
    name: str = ""
    line: int = 0

    @property
    def heads(self) -> tuple[int, ...] | None:
        """Heads of the words, counted from 1, with 0 for the root; None if not annotated."""
        if self.tree is None:
            return None
        heads = tuple(word.head for word in self.tree.words)
        return tuple(head or 0 for head in heads) if None not in heads else None


@frozen
class TaggedFile:
    """The good sentences of a file, the problems of bad ones, the recognised format, and the column of the tags.

    `column` is `upos` or `xpos` for CoNLL-U, else `tags`.
    """

    sentences: tuple[TaggedSentence, ...]
    problems: tuple[Problem, ...]
    form: str
    column: str


def read_tagged_sentences(
    path: str, form: str = "auto", column: str = "upos", heads: str = "auto", remedy: str = ""
) -> TaggedFile:
    """Read the tagged sentences of a file, `-` for standard input.

    `form` is one of `FORMS`; `auto` recognises the format. `column` of CoNLL-U is `upos` or `xpos`. `heads` is a table
    for brackets without marked heads: `penn`, `french`, or `auto` for the one that knows more of the labels; trees that
    neither knows get no heads. Multiword tokens and empty nodes of CoNLL-U are not words. A sentence with an untagged
    word is a problem. `remedy` is the hint if only the other column has tags.

    Raises MissingFileError, and DataError for a file without sentences or without any tag.
    """
    return _tagged(_source(path, form), column, heads, remedy)


def read_by_tags(path: str, tags: Container[str], form: str = "auto", column: str = "upos") -> TaggedFile:
    """Read as `read_tagged_sentences` does, from the CoNLL-U column in which more words have one of these tags.

    Ties go to `column`. Raises MissingFileError, and DataError if no column has tags.
    """
    source = _source(path, form)
    other = "xpos" if column == "upos" else "upos"
    try:
        first = _tagged(source, column)
    except DataError:
        if source.form != "conllu":
            raise
        return _tagged(source, other)
    if source.form == "conllu":
        with suppress(DataError):
            return max((first, _tagged(source, other)), key=lambda file: share_known(file, tags))
    return first


def share_known(file: TaggedFile, tags: Container[str]) -> float:
    """Return the share of words with one of the tags, 0 without words."""
    known = [tag in tags for sentence in file.sentences for tag in sentence.tags]
    return sum(known) / len(known) if known else 0.0


class _Source(NamedTuple):
    """Lines of a file, its format, and its trees if the format has any."""

    name: str
    form: str
    lines: list[str]
    trees: list[TreebankSentence | Problem]


def _source(path: str, form: str) -> _Source:
    name, lines = shown(path), lines_of(path, SAVE_OR_NAME)
    chosen = recognised(lines).form if form == "auto" else form
    trees = list(sentences_of(lines, name, chosen)) if chosen in WITH_TREES else []
    return _Source(name, chosen, lines, trees)


def _tagged(source: _Source, column: str, heads: str = "auto", remedy: str = "") -> TaggedFile:
    column = column if source.form == "conllu" else "tags"
    if source.form == "text":
        every = tagged_text(source.lines, source.name)
    elif source.form == "columns":
        every = _of_columns(source.lines, source.name)
    else:
        every = _of_trees(source.trees, source.name, column, heads, remedy)
    both = list(every)
    problems = tuple(problem for problem in both if isinstance(problem, Problem))
    sentences = tuple(sentence for sentence in both if isinstance(sentence, TaggedSentence))
    if not both:
        raise DataError(f"{source.name}: no sentence\n  {NO_SENTENCE}")
    return TaggedFile(sentences, problems, source.form, column)


def check_several_tags(sentences: Iterable[TaggedSentence], name: str) -> None:
    """Raise DataError if all words have the same tag."""
    tags = {tag for sentence in sentences for tag in sentence.tags}
    if len(tags) == 1:
        raise DataError(
            f'{name}: every word has the tag "{tags.pop()}"\n'
            "  structure is learned from tags that occur together: give sentences with at least two tags"
        )


# Each format


def tagged_text(lines: Iterable[str], name: str) -> Iterator[TaggedSentence | Problem]:
    """Read lines of tagged words of the file `name`; skip empty lines and those that start with `#`."""
    short = _short(name)
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (line.startswith("#") and not line.startswith("#/")):
            continue
        try:
            words = [(form, tags.partition("[")[0] or tags) for form, tags, _ in tagged_words(line)]
        except DataError as error:
            first = error.problems[0]  # one per sentence
            if POS.fullmatch(line.strip(BLANKS)):
                first = replace(first, hint=OF_PENN)
            yield replace(first, span=replace(first.span, path=name, line=number), source_line=quotable(line))
            continue
        yield _sentence(words, f"{short}:{number}", number)


def _of_columns(lines: Sequence[str], name: str) -> Iterator[TaggedSentence | Problem]:
    short = _short(name)
    separator = "\t" if any("\t" in line for line in lines) else None
    words: list[tuple[str, str]] = []
    wrong: Problem | None = None
    for number, line in enumerate((*lines, ""), start=1):
        text = line.removeprefix("\ufeff") if number == 1 else line
        cells = text.strip(None if separator is None else "\r\n").split(separator)
        if line.strip():
            if len(cells) < 2 or not cells[0].strip() or cells[-1].strip() in ("", UNTAGGED):
                hint = "a line is: word, further columns, tag; an empty line ends a sentence"
                wrong = wrong or Problem(
                    "a word without tag", Span(name, number), hint=hint, source_line=quotable(line)
                )
            words.append((cells[0], cells[-1].strip()))
        elif words:
            first = number - len(words)
            yield wrong or _sentence(words, f"{short}:{first}", first)
            words, wrong = [], None


def _sentence(words: Sequence[tuple[str, str]], name: str, line: int) -> TaggedSentence:
    return TaggedSentence(tuple(form for form, _ in words), tuple(tag for _, tag in words), None, name, line)


def _of_trees(
    sentences: Sequence[TreebankSentence | Problem], name: str, column: str, heads: str, remedy: str
) -> Iterator[TaggedSentence | Problem]:
    table = _table(sentences, heads)
    every: list[tuple[str, DependencyTree] | Problem] = []
    for sentence in sentences:
        if isinstance(sentence, Problem):
            every.append(sentence)
        elif isinstance(sentence.tree, DependencyTree):
            every.append((sentence.id, sentence.tree))
        elif isinstance(sentence.tree, CrossingTree):
            words = [DependencyWord(form, xpos=bare_label(tag)) for form, tag in sentence.tree.words(empty=False)]
            every.append((sentence.id, DependencyTree(tuple(words), line=sentence.tree.line)))
        elif (tree := dependencies_of(sentence.tree, TABLES.get(table, {}))) is not None:
            every.append((sentence.id, tree if table else without_heads(tree)))
    _check_tags([pair[1] for pair in every if not isinstance(pair, Problem)], name, column, remedy)
    for number, one in enumerate(every, start=1):
        if isinstance(one, Problem):
            yield one
            continue
        sentence_name, tree = one
        tags = tuple(tag_of(word, column) for word in tree.words)
        if UNTAGGED in tags:
            form = tree.words[tags.index(UNTAGGED)].form
            message = f'sentence {number} ({sentence_name}): "{form}" has no tag in the column {column.upper()}'
            yield Problem(message, Span(name, tree.line))
        else:
            yield TaggedSentence(tuple(word.form for word in tree.words), tags, tree, sentence_name, tree.line)


def _table(sentences: Sequence[TreebankSentence | Problem], heads: str) -> str:
    """Return the name of the head table, `marked` if the file marks heads, or "" for none."""
    labels: dict[str, int] = {}
    for sentence in sentences:
        if not isinstance(sentence, Problem) and isinstance(sentence.tree, Tree):
            for node in sentence.tree.walk():
                if function_of(node.label) == "Head":
                    return "marked"
                if node.form is None and (bare := bare_label(node.label)):
                    labels[bare] = labels.get(bare, 0) + 1
    if heads != "auto":
        return heads
    chosen = table_for(labels) if labels else ""
    return chosen if chosen in TABLES else ""


def _check_tags(trees: Sequence[DependencyTree], name: str, column: str, remedy: str) -> None:
    """Raise DataError if no word has a tag in the column."""
    words = [word for tree in trees for word in tree.words]
    if not words or any(tag_of(word, column) != UNTAGGED for word in words):
        return
    other = "xpos" if column == "upos" else "upos"
    said = f"no word has a tag in the column {column.upper()}"
    if any(tag_of(word, other) != UNTAGGED for word in words):
        raise DataError(f"{name}: {said}\n  {other.upper()} has tags: {remedy or f'use these with --tags {other}'}")
    raise DataError(f"{name}: {said}, nor in {other.upper()}\n  numbat tag run MODEL adds tags")


def tag_of(word: DependencyWord, column: str) -> str:
    """Return the tag of a word in a column, which is `tags` for phrase structure trees."""
    return word.upos if column == "upos" else word.xpos


def _short(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1]


# Conversion to trees


def as_tree(sentence: TaggedSentence, heads: Sequence[int] | None = None) -> DependencyTree:
    """Convert to a CoNLL-U tree with these heads and deprel `dep` or `root`; keep all other columns.

    `heads` default to those of the sentence's tree. A sentence without a tree gets its tags in UPOS.
    """
    words = tuple(DependencyWord(form, upos=tag) for form, tag in zip(sentence.forms, sentence.tags, strict=True))
    tree = sentence.tree or DependencyTree(words, line=sentence.line)
    if heads is None:
        return tree
    attached = (
        replace(word, head=head, deprel="dep" if head else "root") for word, head in zip(tree.words, heads, strict=True)
    )
    return replace(tree, words=tuple(attached))


def without_heads(tree: DependencyTree) -> DependencyTree:
    """Return the tree with all heads unknown."""
    return replace(tree, words=tuple(replace(word, head=None, deprel="_") for word in tree.words))


# Removing punctuation, and putting it back

MARKS: Final = PUNCTUATION.union(
    ("-LSB-", "-RSB-", "-LCB-", "-RCB-", "HYPH", "PUNC", "Punc", "punc", "punct", "Punct", "$.", "$,", "$("),
    ("(", ")", "[", "]", "{", "}", "!", "?", ";", "'", '"', "-", "--", "...", "…", "«", "»", "„", "“", "”"),
)
"""Tags that are always punctuation in treebank tag sets; Penn's `$` and `#` and SYM are words."""
UPOS_MARK: Final = "PUNCT"


def without_punctuation(
    sentence: TaggedSentence, marks: Collection[str] = MARKS
) -> tuple[TaggedSentence, tuple[int, ...]]:
    """Remove punctuation; return the sentence and the positions, from 0, of the kept words.

    A word is punctuation if its UPOS is PUNCT or, without a UPOS, if its tag is one of the `marks`. A word
    whose head is removed depends on the nearest kept ancestor, or else is a root, so there may be several roots. Rows
    of CoNLL-U that are not words are dropped.
    """
    tree = sentence.tree
    upos = [word.upos for word in tree.words] if tree is not None else [UNTAGGED] * len(sentence.tags)
    kept = tuple(
        position
        for position, (tag, known) in enumerate(zip(sentence.tags, upos, strict=True))
        if (known != UPOS_MARK if known != UNTAGGED else tag not in marks)
    )
    if len(kept) == len(sentence.tags):
        return sentence, kept
    forms, tags = (tuple(column[position] for position in kept) for column in (sentence.forms, sentence.tags))
    if tree is None:
        return replace(sentence, forms=forms, tags=tags), kept
    heads = [word.head for word in tree.words]
    words = tuple(
        replace(tree.words[position], head=head) for position, head in zip(kept, kept_heads(heads, kept), strict=True)
    )
    return replace(sentence, forms=forms, tags=tags, tree=replace(tree, words=words, other_rows=())), kept


class BareSentences(NamedTuple):
    """Sentences without punctuation, and the numbers of sentences left out as too long or empty."""

    sentences: tuple[TaggedSentence, ...]
    too_long: int
    empty: int


def bare_sentences(sentences: Iterable[TaggedSentence], longest: int) -> BareSentences:
    """Remove punctuation; keep sentences of up to `longest` remaining words."""
    bare = [without_punctuation(sentence)[0] for sentence in sentences]
    kept = tuple(sentence for sentence in bare if 0 < len(sentence.tags) <= longest)
    empty = sum(not sentence.tags for sentence in bare)
    return BareSentences(kept, len(bare) - len(kept) - empty, empty)


def kept_heads(heads: Sequence[int | None], kept: Sequence[int]) -> tuple[int | None, ...]:
    """Return the head of each kept word as a new number: its nearest kept ancestor, 0 if there is none."""
    numbers = {position + 1: number for number, position in enumerate(kept, start=1)}
    renumbered: list[int | None] = []
    for position in kept:
        head = heads[position]
        while head and head not in numbers:
            head = heads[head - 1]
        renumbered.append(numbers[head] if head else head)
    return tuple(renumbered)


def put_back(heads: Sequence[int], kept: Sequence[int], words: int) -> tuple[int, ...]:
    """Restore the heads of all `words` of a sentence from those of its kept words.

    Each other word is attached as high as possible without crossing a link: to the first root, or to the highest word
    whose phrase surrounds it. If nothing is kept, the first word is the root.
    """
    if not kept:
        return tuple(1 if number else 0 for number in range(words))
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for number, head in enumerate(heads, start=1):
        below[head].append(number)
    first, last = _reach(below, kept)
    whole = [0] * words
    for position, head in zip(kept, heads, strict=True):
        whole[position] = kept[head - 1] + 1 if head else 0
    for position in sorted({*range(words)}.difference(kept)):
        inner, at = below[0], 0
        while around := [number for number in inner if first[number] < position < last[number]]:
            at, inner = around[0], below[around[0]]
        whole[position] = kept[(at or below[0][0]) - 1] + 1
    return tuple(whole)


def _reach(below: Sequence[Sequence[int]], kept: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return, by kept word, the positions of the first and the last word of its phrase."""
    order = [0]
    for number in order:
        order += below[number]
    first, last = [0, *kept], [0, *kept]
    for number in reversed(order[1:]):
        for child in below[number]:
            first[number], last[number] = min(first[number], first[child]), max(last[number], last[child])
    return first, last
