"""Jobs of a run: score an item of a suite, read or judge trees, parse tagged sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from numbat.acceptability.models import Score, Scorer
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.verdicts import LostItem, ScoredItem, scored_item
from numbat.errors import DataError, Problem, Span, data_error, joined_error
from numbat.files import shown
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.queries import category_meant, judge_tree, unknown_labels
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, Success, in_this_process
from numbat.runs.piping import Local, Transferable, WireItem
from numbat.structure.inference import heads_of
from numbat.structure.model import MAX_LENGTH, DependencyModel
from numbat.treebanks.converting import to_constituents, to_phrases
from numbat.treebanks.crossing import inner, positions_of
from numbat.treebanks.notes import Notes, UnfitTreeError
from numbat.treebanks.reading import TreebankSentence, read_treebank, sentences_of
from numbat.treebanks.tagged_sentences import TaggedSentence, put_back, without_punctuation
from numbat.treebanks.trees import Tree
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import read_text
from numbat.words.tag_maps import origin_of

Reader = Callable[[str, SentenceParser], Lattice]
"""How a sentence is read: plain, with tags, with a tagger for unknown words."""


def plain(sentence: str, parser: SentenceParser) -> Lattice:
    """Return a sentence without tags, read by the lexicon of the parser."""
    return read_text(sentence, parser.words)


def read_and_parsed(sentence: str, parser: SentenceParser, read: Reader) -> Parse:
    """Return the parse of a sentence; the time to read it counts for the limit of seconds, too."""
    overdue = parser.limits.clock()
    return parser.parse(read(sentence, parser), overdue=overdue)


@frozen
class ScoreJob:
    """Parses an item of a suite and scores the parse; without a scorer it is parsed only.

    A DataError of the item begins with its place.
    """

    suite: Suite
    parser: SentenceParser
    score: Scorer | None
    read: Reader = plain

    def __call__(self, item: Item) -> ScoredItem:
        try:
            parse = read_and_parsed(item.sentence, self.parser, self.read)
        except DataError as error:
            raise DataError(f"{self.suite.place(item)}: {error}") from None
        return ScoredItem(item, parse, None) if self.score is None else scored_item(item, parse, self.score)


@frozen
class SendJob:
    """The job `score`, which gives an item in the form in which it may go to another process."""

    score: ScoreJob

    def __call__(self, item: Item) -> Transferable[ScoredItem]:
        return Local(self.score(item), WireItem)


@dataclass
class LostItems:
    """The items that runs over a suite have lost; `complain` is called with the reason, once for a sentence."""

    complain: Callable[[DataError], object]
    items: list[LostItem] = field(default_factory=list)


def run_suite(
    suite: Suite,
    parser: SentenceParser,
    score: Scorer | None,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    where: str = "",
) -> Iterator[ScoredItem]:
    """Return the items one by one, in their order. A sentence that occurs again is parsed once.

    An item that is lost (`Failure.lost`) is left out and kept in `lost`, under the name `where` of this run. Raises
    DataError for all sentences that cannot be read, for one that is lost where nobody keeps it, and for the last one
    where all are lost.
    """
    often = Counter(item.sentence for item in suite.items)
    first = {item.sentence: item for item in reversed(suite.items)}
    different = (item for item in suite.items if first[item.sentence] is item)
    run = BatchRun(SendJob(ScoreJob(suite, parser, score, read)), different, executor=executor, total=len(often))
    records = run.whole()
    known: dict[str, ScoredItem] = {}
    gone: dict[str, str] = {}
    for item in suite.items:
        found = known.get(item.sentence)
        if found is None and item.sentence not in gone:
            record = next(records)
            if isinstance(record, Success):
                found = record.value.by(parser.grammar)
            else:
                if not record.lost:
                    raise _unreadable(suite, parser, read) or record.as_error()
                gone[item.sentence] = record.reason
                _lose(record, suite.place(item), lost, is_last=len(gone) == len(often))
        if found is None:
            assert lost is not None
            lost.items.append(LostItem(item, gone[item.sentence], where))
            continue
        if often[item.sentence] > 1:
            known[item.sentence] = found
        yield found if found.item is item else replace(found, item=item)
    next(records, None)  # ends the run


def _unreadable(suite: Suite, parser: SentenceParser, read: Reader) -> DataError | None:
    """Return the problems of the sentences that cannot be read, each once; None if all can be read."""
    errors: dict[str, DataError] = {}
    for item in suite.items:
        try:
            if item.sentence not in errors:
                read(item.sentence, parser)
        except DataError as error:
            errors[item.sentence] = DataError(f"{suite.place(item)}: {error}")
    return joined_error([*errors.values()]) if errors else None


def _lose(failure: Failure, place: str, lost: LostItems | None, is_last: bool) -> None:
    """Complain of a sentence that is lost. Raises the error where nobody keeps it."""
    error = DataError(f"{place}: lost: {failure.reason}")
    if lost is None or is_last:
        raise error
    lost.complain(error)


# Trees as inputs: of a treebank, with a count of the bad ones, or drawn ones to be judged


@dataclass
class TreeReader:
    """Reads sentences of treebanks; `complain` is called with what is wrong with each bad one, `advance` after each.

    What many sentences share is counted in `notes` instead. `wanted` are sentences as the file has them (`any`), as
    phrase structure with crossing branches (`phrases`), or `trees` without. `read` counts all sentences, `bad` those
    that could not be read or used; `lost` are those of the bad ones that could be read.
    """

    complain: Callable[[DataError], object]
    advance: Callable[[], object] = lambda: None
    wanted: Literal["any", "phrases", "trees"] = "any"
    notes: Notes = field(default_factory=Notes)
    bad: int = 0
    read: int = 0
    lost: list[Failure] = field(default_factory=list)

    @property
    def good(self) -> int:
        """The number of sentences that could be used."""
        return self.read - self.bad

    def sentences(self, path: str, form: str) -> Iterator[TreebankSentence]:
        """Return the good sentences of a file; errors as in `read_treebank`."""
        for each in self.every(path, form):
            if isinstance(each, DataError):
                self.refuse(each)
            else:
                yield each

    def every(self, path: str, form: str) -> Iterator[TreebankSentence | DataError]:
        """Return the sentences of a file, each bad one as an error in its place: it is up to the caller to refuse
        it.
        """
        for each in trees_of(read_treebank(path, form, self.notes)):
            self.read += 1
            yield each if isinstance(each, DataError) or self.wanted == "any" else self._as_wanted(each)
            self.advance()

    def _as_wanted(self, sentence: TreebankSentence) -> TreebankSentence | DataError:
        convert = to_phrases if self.wanted == "phrases" else to_constituents
        try:
            return replace(sentence, tree=convert(sentence, self.notes))
        except DataError as error:
            return error

    def refuse(self, error: DataError) -> None:
        """Complain of a sentence, or note what others share, and count it as bad."""
        self.bad += 1
        if isinstance(error, UnfitTreeError):
            self.notes.add(error.note, error.place)
        else:
            self.complain(error)

    def fail(self, failure: Failure) -> None:
        """Refuse a sentence of which a run made nothing."""
        self.refuse(failure.as_error())
        if failure.lost:
            self.lost.append(failure)


def trees_of(found: Iterable[TreebankSentence | Problem]) -> Iterator[TreebankSentence | DataError]:
    """Sentences of a treebank as inputs of a run: a problem becomes an error."""
    return (data_error(each) if isinstance(each, Problem) else each for each in found)


@frozen
class JudgedTree:
    """A drawn tree as a parse, with its score and its place."""

    place: str
    parse: Parse
    score: Score


@frozen
class JudgeJob:
    """Judges a drawn tree that stands under `name`: its satisfied and violated properties, and its score."""

    parser: Parser
    score: Scorer
    name: str

    def __call__(self, sentence: TreebankSentence) -> JudgedTree:
        tree, place = to_phrases(sentence), f"{self.name}:{sentence.tree.line}"
        self._check_labels(inner(tree))
        parse = judge_tree(inner(tree), self.parser, positions=positions_of(tree))
        return JudgedTree(place, parse, self.score(parse))

    def _check_labels(self, tree: Tree) -> None:
        """Raises DataError for the labels of a tree that are no categories of the grammar, each where it is first."""
        grammar = self.parser.grammar
        first = {node.label: node for node in reversed([*tree.walk()])}
        problems = []
        for label in unknown_labels(tree, grammar):
            node = first[label]
            start = node.column + 1 if node.column else 1  # behind the bracket
            span = Span(self.name, node.line, start, start + len(label))
            message, hint = f'"{label}" is not a category of the grammar', category_meant(label, grammar)
            problems.append(Problem(message, span, hint=hint))
        if problems:
            raise data_error(*sorted(problems, key=lambda problem: problem.span))


def drawn_trees(
    tree: str | None, path: str | None, grammar: Grammar, form: str = "auto", notes: Notes | None = None
) -> tuple[str, Iterator[TreebankSentence | DataError]]:
    """Return a bracketed tree, or those of a file, under the name that messages give to where they stand.

    The iterator raises DataError where there is no tree, and for the tags of a treebank that are no categories of the
    grammar, which all trees of a file will have.
    """
    if path is not None:
        return shown(path), _checked(read_treebank(path, form, notes), shown(path), grammar, notes)
    drawn = sentences_of((tree or "").split("\n"), "<tree>", "ptb" if form == "auto" else form, notes)
    return "<tree>", _checked(drawn, "<tree>", grammar, notes)


def _checked(
    found: Iterable[TreebankSentence | Problem], name: str, grammar: Grammar, notes: Notes | None
) -> Iterator[TreebankSentence | DataError]:
    each: TreebankSentence | DataError | None = None
    for each in trees_of(found):
        if isinstance(each, TreebankSentence):
            try:
                tree = to_phrases(each, notes)
            except DataError as error:
                yield error
                continue
            each = replace(each, tree=tree)
            if origin := origin_of([tag for _, tag in tree.words()], grammar):
                raise DataError(
                    f"{name}:{tree.line}: the tags are those of {origin[0]}, no categories of the grammar\n"
                    f"  numbat judge FILE --summary judges such trees with --tag-map {origin[1]}"
                )
        yield each
    if each is None:
        raise DataError(f'{name}: no tree\n  write one in brackets: "(S (NP (Det the) (N cat)) (VP (V sleeps)))"')


# Parsing tagged sentences by a dependency model

BATCH: Final = 1_000
"""Sentences that are parsed at once."""


@frozen
class StructuredSentence:
    """A sentence and its heads: words count from 1, 0 is the root; None for one that is too long to be parsed."""

    sentence: TaggedSentence
    heads: tuple[int, ...] | None


@dataclass
class StructureTally:
    """Tally of a run: sentences parsed, those that are too long, words by tags that the model does not have."""

    parsed: int = 0
    too_long: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


def parse_structure(
    model: DependencyModel,
    sentences: Iterable[TaggedSentence],
    tally: StructureTally,
    advance: Callable[[], object] = lambda: None,
) -> Iterator[StructuredSentence]:
    """Return the best tree of each sentence under the model; what is to be said is added to the tally.

    Punctuation and words whose tags the model does not know are left out, and depend on the root of what is left, or on
    a word below it within whose phrase they stand.
    """
    waiting: list[TaggedSentence] = []
    for sentence in sentences:
        waiting.append(sentence)
        if len(waiting) == BATCH:
            yield from _parsed(model, waiting, tally, advance)
            waiting = []
    yield from _parsed(model, waiting, tally, advance)


def _parsed(
    model: DependencyModel, sentences: list[TaggedSentence], tally: StructureTally, advance: Callable[[], object]
) -> Iterator[StructuredSentence]:
    kept: list[list[int]] = []
    for sentence in sentences:
        bare = without_punctuation(sentence)[1]
        kept.append([at for at in bare if sentence.tags[at] in model.index])
        tally.unknown.update(sentence.tags[at] for at in bare if sentence.tags[at] not in model.index)
    numbers = [
        [model.index[sentence.tags[at]] for at in words] if len(words) <= MAX_LENGTH else []
        for sentence, words in zip(sentences, kept, strict=True)
    ]
    for sentence, words, heads in zip(sentences, kept, heads_of(numbers, model.weights), strict=True):
        advance()
        if len(words) > MAX_LENGTH:
            tally.too_long.append(sentence.name)
            yield StructuredSentence(sentence, None)
        else:
            tally.parsed += 1
            yield StructuredSentence(sentence, put_back(heads, words, len(sentence.tags)))
