"""Implementation of the verbs trees, induce, expansions and score."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, TypeVar

from numbat.errors import DataError
from numbat.files import is_replaceable, lines_of, shown
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.records import frozen
from numbat.reports.pages import unfolded
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.converting import to_constituents, to_phrases
from numbat.treebanks.crossing import CrossingTree, cleaned_crossing, inner
from numbat.treebanks.induce import DEFAULT_THRESHOLDS, InductionSettings, Thresholds, induce
from numbat.treebanks.induced import InducedGrammar
from numbat.treebanks.link_scores import LinkPair, count_links, count_relations, link_pairs, uncounted
from numbat.treebanks.negra import format_export
from numbat.treebanks.notes import NO_HEADS, OTHER_COLUMN, TWO_ROOTS
from numbat.treebanks.reading import TreebankSentence, tree_pairs
from numbat.treebanks.report import TREE_FORMATS, nothing_to_score
from numbat.treebanks.rule_counts import FREQUENT, MIN_COUNT, count_expansions, count_treebank
from numbat.treebanks.scores import (
    DEFAULT_PARAMETERS,
    EvalbParameters,
    SentenceScore,
    TreebankScores,
    made_equal,
    read_parameters,
    score_tree,
)
from numbat.treebanks.tree_reader import TreeReader
from numbat.treebanks.trees import Tree
from numbat.words.tag_maps import CODES, PUNCTUATION

EXPORT: Final = "export"
"""Name of NEGRA's export format."""


@frozen
class ConvertJob:
    """Format a sentence in the format `to`; `bare` leaves out empty elements, codes, functions and indexes.

    The text is empty if nothing is left. `numbers` count the sentences.
    """

    to: str
    bare: bool = False
    numbers: Iterator[int] = field(default_factory=partial(count, 1), compare=False)

    def __call__(self, sentence: TreebankSentence) -> str:
        number = next(self.numbers)
        if self.bare:
            tree = cleaned_crossing(to_phrases(sentence), joined=False)
            if tree is None:
                return ""
            sentence = replace(sentence, tree=tree)
        if self.to == EXPORT:
            return format_export(to_phrases(sentence), number)
        text = TREE_FORMATS[self.to](sentence)
        return unfolded(text, number) if self.to == "html" else text


def convert_trees(path: str, form: str, to: str, bare: bool, reader: TreeReader) -> Iterator[str]:
    """Yield each sentence of a file in the format `to`, which is `EXPORT` or a key of `TREE_FORMATS`."""
    reader.wanted = "any" if to in ("conllu", "jsonl", "html") and not bare else "trees" if to == "ptb" else "phrases"
    if reader.wanted == "any":
        reader.notes.ignored |= {OTHER_COLUMN, TWO_ROOTS}
    if to == EXPORT:
        yield "#FORMAT 4\n"
    run = BatchRun(ConvertJob(to, bare), reader.every(path, form))
    for record in run:
        if isinstance(record, Failure):
            reader.refuse(record.as_error())
        else:
            yield record.value
    run.check_whole()


@frozen
class InduceSettings:
    """Settings for inducing a grammar from trees.

    `functions` and `punctuation` say whether to keep these; `tags` is the CoNLL-U column of the categories, `upos` or
    `xpos`. All others are as in `InductionSettings`.
    """

    name: str = "induced"
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    hard: int = 0
    weights: str = "odds"
    heads: str = "auto"
    lexicon: bool = False
    functions: bool = False
    punctuation: bool = False
    tags: str = "upos"

    def choices(self, source: str) -> InductionSettings:
        """Return the `InductionSettings` for a grammar with this source."""
        return InductionSettings(
            name=self.name,
            source=source,
            least=self.thresholds,
            hard=self.hard,
            weights=self.weights,
            heads=self.heads,
            lexicon=self.lexicon,
        )


def induce_grammar(paths: Sequence[str], form: str, settings: InduceSettings, reader: TreeReader) -> InducedGrammar:
    """Induce a grammar from the files of a treebank. Raises DataError if there is no tree."""
    dropped = CODES if settings.punctuation else CODES | PUNCTUATION
    given = (sentence for path in paths for sentence in reader.sentences(path, form))
    sentences = filter(None, (_countable(sentence, reader) for sentence in given))
    if settings.tags == "xpos":
        reader.notes.ignored.add(OTHER_COLUMN)
    observed = count_treebank(sentences, functions=settings.functions, dropped=dropped, xpos=settings.tags == "xpos")
    if not observed.rules:
        raise DataError(f"{shown(paths[0])}: no tree to learn from\n  {why_none(reader)}")
    return induce(observed, settings.choices(f"induced from {source_of(paths)}"))


def _countable(sentence: TreebankSentence, reader: TreeReader) -> TreebankSentence | None:
    """Return a sentence with heads or phrases, whose rules can be counted; refuse any other."""
    tree = sentence.tree
    if not isinstance(tree, DependencyTree):
        return sentence
    if any(word.head is not None for word in tree.words):
        return sentence
    try:
        return replace(sentence, tree=to_phrases(sentence, reader.notes))
    except DataError as error:
        reader.refuse(error)
        return None


def why_none(reader: TreeReader) -> str:
    """Return a hint why there is no tree, and what to do."""
    hint = "\n  ".join(line.removeprefix("numbat: ") for line in reader.notes.lines())
    if NO_HEADS in reader.notes.counts:
        hint += "\n  from words with tags only, numbat learn structure learns a model of trees for --structure"
    return hint or "give a file of trees, with --from if its format is not recognised"


def source_of(paths: Sequence[str]) -> str:
    """Return a short name for the files of a treebank."""
    source = os.path.basename(paths[0]) if paths[0] != "-" else "standard input"
    return source + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def name_of(paths: Sequence[str], output: str | None) -> str:
    """Return the name of a grammar that is induced from files and written to `output`."""
    named = output if output and is_replaceable(output) else None
    return Path(named or os.path.basename(paths[0])).stem.strip("-") or "induced"


def count_refined(
    paths: Sequence[str],
    form: str,
    reader: TreeReader,
    punctuation: bool = False,
    frequent: int = FREQUENT,
    least: int = MIN_COUNT,
) -> Expansions:
    """Count the refined expansions of all trees of files. Raises DataError if there is no tree."""
    dropped = CODES if punctuation else CODES | PUNCTUATION
    trees = (tree for path in paths for _, tree in filter(None, trees_of(path, form, reader)))
    expansions = count_expansions(trees, dropped=dropped, frequent=frequent, least=least)
    if not expansions.counts:
        raise DataError(f"{shown(paths[0])}: no tree to count\n  {why_none(reader)}")
    return expansions


def trees_of(path: str, form: str, reader: TreeReader) -> Iterator[tuple[str, Tree] | None]:
    """Yield the named trees of a file, None for bad ones."""
    return _named(reader.every(path, form), reader, lambda sentence: to_constituents(sentence, reader.notes))


K = TypeVar("K")


def _named(
    sentences: Iterable[TreebankSentence | DataError], reader: TreeReader, wanted: Callable[[TreebankSentence], K]
) -> Iterator[tuple[str, K] | None]:
    """Yield each sentence's name and its conversion by `wanted`, None for bad ones."""
    for sentence in sentences:
        try:
            if isinstance(sentence, DataError):
                raise sentence
            yield sentence.id, wanted(sentence)
        except DataError as error:
            reader.refuse(error)
            yield None


def parameters(path: str | None, deleted: tuple[str, ...], equal: tuple[str, ...]) -> EvalbParameters:
    """Return parameters from a file for evalb, or the default ones, with more labels left out or made equal.

    Raises DataError.
    """
    chosen = DEFAULT_PARAMETERS
    if path is not None:
        chosen = read_parameters(lines_of(path), shown(path))
    both = chosen.equal
    for pair in equal:
        one, sign, other = pair.partition("=")
        if not (one and sign and other):
            raise DataError(f'"{pair}" is not a pair of labels\n  write --equal ADVP=PRT')
        both = made_equal(both, [one, other])
    return replace(chosen, deleted=chosen.deleted | set(deleted), equal=both)


@frozen
class TreePair:
    """A gold tree and its prediction, None if missing."""

    id: str
    gold: Tree | CrossingTree
    predicted: Tree | CrossingTree | None


@frozen
class ScoreTreesJob:
    """Score a pair of trees with the parameters of evalb."""

    parameters: EvalbParameters

    def __call__(self, pair: TreePair) -> SentenceScore:
        return score_tree(pair.id, pair.gold, pair.predicted, self.parameters)


@frozen
class ScoreLinksJob:
    """Score dependencies by the rules of CoNLL 2018, and their phrases if both trees have some."""

    parameters: EvalbParameters

    def __call__(self, pair: LinkPair) -> SentenceScore:
        both = pair.gold, pair.predicted
        relations = count_relations(*both, have_same_characters=not pair.error)
        if pair.error:
            words = sum(len(tree.words) for tree in pair.gold)
            return SentenceScore(pair.id, words, error=pair.error, links=uncounted(*both), relations=relations)
        return replace(self._brackets(pair), links=count_links(*both), relations=relations)

    def _brackets(self, pair: LinkPair) -> SentenceScore:
        words = sum(len(tree.words) for tree in pair.gold)
        if len(pair.gold) != 1 or len(pair.predicted) != 1:
            return SentenceScore(
                pair.id, words, error="gold and the prediction divide the text into different sentences"
            )
        try:
            gold, predicted = (
                to_constituents(TreebankSentence(pair.id, tree)) for tree in (*pair.gold, *pair.predicted)
            )
        except DataError as error:
            reason = str(error).partition("\n")[0].removeprefix(f"{pair.id}: ")
            return SentenceScore(pair.id, words, error=f"no brackets: {reason}")
        return score_tree(pair.id, gold, predicted, self.parameters)


def score_files(
    gold: str,
    predicted: str,
    form: str,
    chosen: EvalbParameters,
    reader: TreeReader,
    executor: Executor = in_this_process,
) -> TreebankScores:
    """Compare two files of trees in order; the reader keeps lost sentences.

    Trees on one line of the prediction are the fragments of one sentence, as `numbat parse -f bracket` writes them.
    Dependencies are compared too if both files have them. Raises DataError if bracketed files have different numbers of
    trees, and if nothing can be compared.
    """
    known, known_links = _opened(reader, gold, form)
    guessed, guessed_links = _opened(reader, predicted, form)
    run: BatchRun[Any, SentenceScore]
    if known_links and guessed_links:
        pairs = link_pairs(*(_named(sentences, reader, _dependencies) for sentences in (known, guessed)))
        run = BatchRun(ScoreLinksJob(chosen), pairs, executor=executor)
    else:
        left, right = (
            _named(sentences, reader, lambda one: to_phrases(one, reader.notes)) for sentences in (known, guessed)
        )
        trees = tree_pairs(left, _merged(right))
        run = BatchRun(ScoreTreesJob(chosen), (TreePair(*pair) for pair in trees), executor=executor)
    scored = []
    for record in run.whole():
        if isinstance(record, Failure):
            reader.fail(record)
        else:
            scored.append(record.value)
    scores = TreebankScores(tuple(scored))
    if not scores.sentences and not reader.bad:
        raise DataError(f"{shown(gold)}: no tree\n  give a file with a tree for each tree of {shown(predicted)}")
    if not scores.compared:
        raise DataError(nothing_to_score(scores))
    return scores


Named = tuple[str, Tree | CrossingTree]


def _opened(reader: TreeReader, path: str, form: str) -> tuple[Iterator[TreebankSentence | DataError], bool]:
    """Return the sentences of a file, and True if the first good one has dependencies."""
    sentences = reader.every(path, form)
    first: list[TreebankSentence | DataError] = []
    for sentence in sentences:
        first.append(sentence)
        if isinstance(sentence, TreebankSentence):
            break
    tree = first[-1].tree if first and isinstance(first[-1], TreebankSentence) else None
    return chain(first, sentences), isinstance(tree, DependencyTree) and tree.has_heads


def _dependencies(sentence: TreebankSentence) -> DependencyTree:
    """Return the dependencies of a sentence. Raises DataError if it has none."""
    if not isinstance(sentence.tree, DependencyTree) or not sentence.tree.has_heads:
        raise DataError(f"{sentence.id}: words without heads\n  every sentence of the file needs dependencies")
    return sentence.tree


def _merged(trees: Iterator[Named | None]) -> Iterator[Named | None]:
    """Merge the trees that begin on the same line into one tree."""
    waiting: list[Named] = []
    for tree in trees:
        if waiting and (tree is None or tree[1].line != waiting[0][1].line):
            yield _whole(waiting)
            waiting = []
        if tree is None:
            yield None
        else:
            waiting.append(tree)
    if waiting:
        yield _whole(waiting)


def _whole(fragments: list[Named]) -> Named:
    name, tree = fragments[0]
    if len(fragments) == 1:
        return name, tree
    return name, Tree("", tuple(inner(fragment) for _, fragment in fragments), None, tree.line)
