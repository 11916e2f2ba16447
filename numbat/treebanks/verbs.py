"""Functions of trees, induce, expansions and score."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, TypeVar

from numbat.errors import DataError
from numbat.files import lines_of, shown
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.converting import to_constituents, to_phrases
from numbat.treebanks.crossing import CrossingTree, cleaned_crossing, inner
from numbat.treebanks.induce import DEFAULT_THRESHOLDS, InductionSettings, Thresholds, induce
from numbat.treebanks.induced import InducedGrammar
from numbat.treebanks.link_scores import LinkPair, count_links, link_pairs, uncounted
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
"""NEGRA's export format among those that are written."""


@frozen
class ConvertJob:
    """Writes a sentence in the format `to`; `bare` leaves out empty elements, codes, functions and indexes.

    The text is empty where nothing is left. `numbers` are those of the sentences in an export file.
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
        return format_export(to_phrases(sentence), number) if self.to == EXPORT else TREE_FORMATS[self.to](sentence)


def convert_trees(path: str, form: str, to: str, bare: bool, reader: TreeReader) -> Iterator[str]:
    """Return each sentence of a file in another format: `EXPORT` or one of `TREE_FORMATS`."""
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
    """Settings of inducing a grammar, and which part of the trees it uses.

    `functions` and `punctuation` are kept where they are asked for, `tags` are those of CoNLL-U that are categories,
    `upos` or `xpos`. `thresholds`, `hard`, `weights`, `heads` and `lexicon` as in `InductionSettings`.
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
        """Return what induction takes of them, for a grammar that comes from a source."""
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
    """Return a grammar from the files of a treebank. Raises DataError where there is no tree."""
    dropped = CODES if settings.punctuation else CODES | PUNCTUATION
    sentences = (
        treebank_sentence
        for path in paths
        for sentence in reader.sentences(path, form)
        if (treebank_sentence := _countable(sentence, reader))
    )
    if settings.tags == "xpos":
        reader.notes.ignored.add(OTHER_COLUMN)
    observed = count_treebank(sentences, functions=settings.functions, dropped=dropped, xpos=settings.tags == "xpos")
    if not observed.rules:
        raise DataError(f"{shown(paths[0])}: no tree to learn from\n  {why_none(reader)}")
    return induce(observed, settings.choices(f"induced from {source_of(paths)}"))


def _countable(sentence: TreebankSentence, reader: TreeReader) -> TreebankSentence | None:
    """Return a sentence whose rules can be counted: one with heads or phrases. Others are refused."""
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
    """Return what to do where there is no tree."""
    told = "\n  ".join(line.removeprefix("numbat: ") for line in reader.notes.lines())
    if NO_HEADS in reader.notes.counts:
        told += "\n  of words with tags alone numbat learn structure makes a model of trees for --structure"
    return told or "give a file of trees, with --from if its format is not found"


def source_of(paths: Sequence[str]) -> str:
    """Return the files of a treebank in few words."""
    source = os.path.basename(paths[0]) if paths[0] != "-" else "standard input"
    return source + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def name_of(paths: Sequence[str], output: str | None) -> str:
    """Return the name of a grammar that is induced from files and written to `output`."""
    return Path(output or os.path.basename(paths[0])).stem.strip("-") or "induced"


def count_refined(
    paths: Sequence[str],
    form: str,
    reader: TreeReader,
    punctuation: bool = False,
    frequent: int = FREQUENT,
    least: int = MIN_COUNT,
) -> Expansions:
    """Return the refined expansions of all trees of some files, counted. Raises DataError where there is no tree."""
    dropped = CODES if punctuation else CODES | PUNCTUATION
    trees = (tree for path in paths for _, tree in filter(None, trees_of(path, form, reader)))
    expansions = count_expansions(trees, dropped=dropped, frequent=frequent, least=least)
    if not expansions.counts:
        raise DataError(f"{shown(paths[0])}: no tree to count\n  {why_none(reader)}")
    return expansions


def trees_of(path: str, form: str, reader: TreeReader) -> Iterator[tuple[str, Tree] | None]:
    """Return the named trees of a file, and None in the place of each bad one."""
    return _named(reader.every(path, form), reader, lambda sentence: to_constituents(sentence, reader.notes))


K = TypeVar("K")


def _named(
    sentences: Iterable[TreebankSentence | DataError], reader: TreeReader, wanted: Callable[[TreebankSentence], K]
) -> Iterator[tuple[str, K] | None]:
    """Return what is wanted of each sentence with its name, and None in the place of each bad one."""
    for each in sentences:
        try:
            if isinstance(each, DataError):
                raise each
            yield each.id, wanted(each)
        except DataError as error:
            reader.refuse(error)
            yield None


def parameters(path: str | None, deleted: tuple[str, ...], equal: tuple[str, ...]) -> EvalbParameters:
    """Return the parameters of an evalb parameter file or the default ones, with additions. Raises DataError."""
    evalb_parameters = DEFAULT_PARAMETERS
    if path is not None:
        evalb_parameters = read_parameters(lines_of(path), shown(path))
    both = evalb_parameters.equal
    for pair in equal:
        one, sign, other = pair.partition("=")
        if not (one and sign and other):
            raise DataError(f'"{pair}" is not a pair of labels\n  write --equal ADVP=PRT')
        both = made_equal(both, [one, other])
    return replace(evalb_parameters, deleted=evalb_parameters.deleted | set(deleted), equal=both)


@frozen
class TreePair:
    """A gold tree and the tree that is compared with it, None where there is none."""

    id: str
    gold: Tree | CrossingTree
    predicted: Tree | CrossingTree | None


@frozen
class ScoreTreesJob:
    """Compares two trees under the parameters of evalb."""

    parameters: EvalbParameters

    def __call__(self, pair: TreePair) -> SentenceScore:
        return score_tree(pair.id, pair.gold, pair.predicted, self.parameters)


@frozen
class ScoreLinksJob:
    """Compares dependencies by the rules of CoNLL 2018, and the phrases that they make where both have some."""

    parameters: EvalbParameters

    def __call__(self, pair: LinkPair) -> SentenceScore:
        if pair.error:
            words = sum(len(tree.words) for tree in pair.gold)
            return SentenceScore(pair.id, words, error=pair.error, links=uncounted(pair.gold, pair.predicted))
        return replace(self._brackets(pair), links=count_links(pair.gold, pair.predicted))

    def _brackets(self, pair: LinkPair) -> SentenceScore:
        words = sum(len(tree.words) for tree in pair.gold)
        if len(pair.gold) != 1 or len(pair.predicted) != 1:
            return SentenceScore(pair.id, words, error="gold and the prediction divide the text into other sentences")
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
    """Two files of trees compared in their order; the reader keeps what is lost.

    Trees of the prediction that stand on one line are the fragments of one sentence, as `numbat parse -f bracket`
    writes them. Where both files have dependencies these are compared too. Raises DataError where bracketed files have
    not as many trees, and where nothing can be compared.
    """
    known, known_links = _opened(reader, gold, form)
    found, found_links = _opened(reader, predicted, form)
    run: BatchRun[Any, SentenceScore]
    if known_links and found_links:
        pairs = link_pairs(*(_named(each, reader, _dependencies) for each in (known, found)))
        run = BatchRun(ScoreLinksJob(chosen), pairs, executor=executor)
    else:
        left, right = (_named(each, reader, lambda one: to_phrases(one, reader.notes)) for each in (known, found))
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
        raise DataError(f"{shown(gold)}: no tree\n  trees are compared one by one with those of {shown(predicted)}")
    if not scores.compared:
        raise DataError(nothing_to_score(scores))
    return scores


Named = tuple[str, Tree | CrossingTree]


def _opened(reader: TreeReader, path: str, form: str) -> tuple[Iterator[TreebankSentence | DataError], bool]:
    """Return the sentences of a file, and whether the first that can be read has dependencies."""
    sentences = reader.every(path, form)
    first: list[TreebankSentence | DataError] = []
    for sentence in sentences:
        first.append(sentence)
        if isinstance(sentence, TreebankSentence):
            break
    tree = first[-1].tree if first and isinstance(first[-1], TreebankSentence) else None
    return chain(first, sentences), isinstance(tree, DependencyTree) and tree.has_heads


def _dependencies(sentence: TreebankSentence) -> DependencyTree:
    """Return the dependencies of a sentence. Raises DataError where there are none."""
    if not isinstance(sentence.tree, DependencyTree) or not sentence.tree.has_heads:
        raise DataError(f"{sentence.id}: words without heads\n  every sentence of the file needs dependencies")
    return sentence.tree


def _merged(trees: Iterator[Named | None]) -> Iterator[Named | None]:
    """Merge the trees that begin on one line into one tree."""
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


def _whole(found: list[Named]) -> Named:
    name, tree = found[0]
    if len(found) == 1:
        return name, tree
    return name, Tree("", tuple(inner(each) for _, each in found), None, tree.line)
