"""Answers about single sentences and trees: explain, contrast, judge, why-not, repair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from numbat.acceptability import models
from numbat.acceptability.models import Contrast, Explanation, Scorer
from numbat.acceptability.repair import BEAM, RepairedSentence, repair_sentence
from numbat.acceptability.scores import Score
from numbat.errors import DataError, Problem, Span, data_error
from numbat.files import shown
from numbat.grammar.model import Grammar
from numbat.parsing.diagnoses import diagnosed
from numbat.parsing.parser import Parser
from numbat.parsing.policies import MARGIN
from numbat.parsing.queries import GivenConstituent, WhyNot, category_meant, judge_tree, unknown_labels
from numbat.parsing.queries import why_not as cost_of_constituent
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.loop import BatchRun
from numbat.runs.sentences import lattice_of
from numbat.treebanks.converting import to_phrases
from numbat.treebanks.crossing import inner, positions_of
from numbat.treebanks.notes import Notes
from numbat.treebanks.reading import TreebankSentence, read_treebank, sentences_of
from numbat.treebanks.tree_reader import trees_of
from numbat.treebanks.trees import Tree
from numbat.words.lattice import Lattice
from numbat.words.tag_maps import origin_of


def explain(parser: Parser, sentence: str | Lattice, score: Scorer) -> Explanation:
    """Return the score of a sentence, and the loss due to each violated property."""
    return models.explain_score(_diagnosed(parser, sentence), score)


def contrast(parser: Parser, one: str | Lattice, other: str | Lattice, score: Scorer) -> Contrast:
    """Return the contrast of two sentences: their scores, and the properties in which they differ."""
    return models.contrast(_diagnosed(parser, one), _diagnosed(parser, other), score)


def _diagnosed(parser: Parser, sentence: str | Lattice) -> Parse:
    """Return the best parse with its other diagnoses."""
    overdue = parser.limits.clock()
    (best, *_), nearby = parser.n_best_nearby(sentence, 1, MARGIN, overdue)
    return diagnosed(parser, best, MARGIN, overdue, nearby)


def judge(
    parser: Parser,
    score: Scorer,
    tree: str | None = None,
    path: str | None = None,
    form: str = "auto",
    notes: Notes | None = None,
) -> BatchRun[TreebankSentence, JudgedTree]:
    """Return the run that judges a bracketed `tree` or the trees of a file; a tree that cannot be judged is a failure.

    Raises DataError if there is no tree, and if the tags are those of a treebank, as no tree could then be judged.
    """
    name, trees = drawn_trees(tree, path, parser.grammar, form, notes)
    return BatchRun(JudgeJob(parser, score, name), trees)


def why_not(parser: Parser, sentence: str | Lattice, given: GivenConstituent) -> WhyNot:
    """Return the best analysis of a sentence with a given constituent, and the best of all.

    Raises UsageError for a span that is not in the sentence.
    """
    answer = cost_of_constituent(parser, _lattice(sentence, parser), given)
    return replace(answer, best=diagnosed(parser, answer.best, MARGIN, parser.limits.clock()))


def repair(
    parser: Parser,
    sentence: str | Lattice,
    score: Scorer,
    edits: int = 1,
    beam: int = BEAM,
    most: int | None = None,
    advance: Callable[[], object] = lambda: None,
) -> RepairedSentence:
    """Return the smallest changes of a sentence that improve its score; `advance` is called after each edit tried."""
    return repair_sentence(_lattice(sentence, parser), parser, score, edits, beam, most, advance)


def _lattice(sentence: str | Lattice, parser: Parser) -> Lattice:
    return lattice_of(sentence, parser.words) if isinstance(sentence, str) else sentence


@frozen
class JudgedTree:
    """A given tree as a parse, with its score, and the file and line (`place`) where it is."""

    place: str
    parse: Parse
    score: Score


@frozen
class JudgeJob:
    """Judges a tree of the file `name`: its satisfied and violated properties, and its score."""

    parser: Parser
    score: Scorer
    name: str

    def __call__(self, sentence: TreebankSentence) -> JudgedTree:
        tree, place = to_phrases(sentence), f"{self.name}:{sentence.tree.line}"
        self._check_labels(inner(tree))
        parse = judge_tree(inner(tree), self.parser, positions=positions_of(tree))
        return JudgedTree(place, parse, self.score(parse))

    def _check_labels(self, tree: Tree) -> None:
        """Raise DataError for labels that are not categories of the grammar, at the first occurrence of each."""
        grammar = self.parser.grammar
        first = {node.label: node for node in reversed([*tree.walk()])}
        problems = []
        for label in unknown_labels(tree, grammar):
            node = first[label]
            start = node.column + 1 if node.column else 1  # after the bracket
            span = Span(self.name, node.line, start, start + len(label))
            message, hint = f'"{label}" is not a category of the grammar', category_meant(label, grammar)
            problems.append(Problem(message, span, hint=hint))
        if problems:
            raise data_error(*sorted(problems, key=lambda problem: problem.span))


def drawn_trees(
    tree: str | None, path: str | None, grammar: Grammar, form: str = "auto", notes: Notes | None = None
) -> tuple[str, Iterator[TreebankSentence | DataError]]:
    """Return a name for messages, and a bracketed tree or the trees of a file.

    The iterator raises DataError if there is no tree, and if the tags are those of a treebank and not of the grammar,
    as no tree could then be judged.
    """
    if path is not None:
        return shown(path), _checked(read_treebank(path, form, notes), shown(path), grammar, notes)
    drawn = sentences_of((tree or "").split("\n"), "<tree>", "ptb" if form == "auto" else form, notes)
    return "<tree>", _checked(drawn, "<tree>", grammar, notes)


def _checked(
    sentences: Iterable[TreebankSentence | Problem], name: str, grammar: Grammar, notes: Notes | None
) -> Iterator[TreebankSentence | DataError]:
    sentence: TreebankSentence | DataError | None = None
    for sentence in trees_of(sentences):
        if isinstance(sentence, TreebankSentence):
            try:
                tree = to_phrases(sentence, notes)
            except DataError as error:
                yield error
                continue
            sentence = replace(sentence, tree=tree)
            if origin := origin_of([tag for _, tag in tree.words()], grammar):
                raise DataError(
                    f"{name}:{tree.line}: the tags are those of {origin[0]}, not categories of the grammar\n"
                    f"  numbat judge FILE --summary judges such trees with --tag-map {origin[1]}"
                )
        yield sentence
    if sentence is None:
        raise DataError(f'{name}: no tree\n  write one in brackets: "(S (NP (Det the) (N cat)) (VP (V sleeps)))"')
