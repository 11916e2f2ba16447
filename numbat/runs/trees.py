"""Trees as inputs of a run: those of a treebank, with a count of the bad ones, and drawn ones that are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from numbat.errors import DataError, Problem, Span, data_error
from numbat.files import shown
from numbat.gradience.models import Score, Scorer
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.queries import category_meant, judge_tree, unknown_labels
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.loop import Failure
from numbat.treebank.converting import to_constituents
from numbat.treebank.reading import TreebankSentence, read_treebank, sentences_of
from numbat.treebank.trees import Tree
from numbat.words.tag_maps import origin_of


@dataclass
class TreeReader:
    """Reads sentences of treebanks; `complain` is called with what is wrong with each bad one, `advance` after each.

    `read` counts all sentences, `bad` those that could not be read or used; `lost` are those of the bad ones that could
    be read.
    """

    complain: Callable[[DataError], object]
    advance: Callable[[], object] = lambda: None
    bad: int = 0
    read: int = 0
    lost: list[Failure] = field(default_factory=list)

    @property
    def good(self) -> int:
        """How many sentences could be used."""
        return self.read - self.bad

    def sentences(self, path: str, form: str) -> Iterator[TreebankSentence]:
        """The good sentences of a file; errors as in `read_treebank`."""
        for each in self.every(path, form):
            if isinstance(each, DataError):
                self.refuse(each)
            else:
                yield each

    def every(self, path: str, form: str) -> Iterator[TreebankSentence | DataError]:
        """The sentences of a file, each bad one as an error in its place: it is up to the caller to refuse it."""
        for each in trees_of(read_treebank(path, form)):
            self.read += 1
            yield each
            self.advance()

    def refuse(self, error: DataError) -> None:
        """Complain of a sentence and count it as bad."""
        self.bad += 1
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
        tree, place = to_constituents(sentence), f"{self.name}:{sentence.tree.line}"
        self._check_labels(tree)
        parse = judge_tree(tree, self.parser)
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
    tree: str | None, path: str | None, grammar: Grammar, form: str = "auto"
) -> tuple[str, Iterator[TreebankSentence | DataError]]:
    """A bracketed tree, or those of a file, under the name that messages give to where they stand.

    The iterator raises DataError where there is no tree, and for the tags of a treebank that are no categories of the
    grammar, which all trees of a file will have.
    """
    if path is not None:
        return shown(path), _checked(read_treebank(path, form), shown(path), grammar)
    drawn = sentences_of((tree or "").split("\n"), "<tree>", "ptb")
    return "<tree>", _checked(drawn, "<tree>", grammar)


def _checked(
    found: Iterable[TreebankSentence | Problem], name: str, grammar: Grammar
) -> Iterator[TreebankSentence | DataError]:
    each: TreebankSentence | DataError | None = None
    for each in trees_of(found):
        if isinstance(each, TreebankSentence):
            tree = to_constituents(each)
            if origin := origin_of([tag for _, tag in tree.words()], grammar):
                raise DataError(
                    f"{name}:{tree.line}: the tags are those of {origin[0]}, no categories of the grammar\n"
                    f"  numbat judge FILE --summary judges such trees with --tag-map {origin[1]}"
                )
        yield each
    if each is None:
        raise DataError(f'{name}: no tree\n  write one in brackets: "(S (NP (Det the) (N cat)) (VP (V sleeps)))"')
