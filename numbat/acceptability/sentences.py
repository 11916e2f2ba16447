"""Answers about single sentences and trees: explain, contrast, judge, why-not, repair."""

from __future__ import annotations

from collections.abc import Callable

from numbat.acceptability import models
from numbat.acceptability.judging import JudgedTree, JudgeJob, drawn_trees
from numbat.acceptability.models import Contrast, Explanation, Scorer
from numbat.acceptability.repair import BEAM, RepairedSentence, repair_sentence
from numbat.parsing.parser import Parser
from numbat.parsing.queries import GivenConstituent, WhyNot
from numbat.parsing.queries import why_not as cost_of_constituent
from numbat.runs.loop import BatchRun
from numbat.runs.sentences import lattice_of
from numbat.treebanks.notes import Notes
from numbat.treebanks.reading import TreebankSentence
from numbat.words.lattice import Lattice


def explain(parser: Parser, sentence: str | Lattice, score: Scorer) -> Explanation:
    """Return the score of a sentence, and what each property that it violates takes from it."""
    return models.explain_score(parser.parse(sentence), score)


def contrast(parser: Parser, one: str | Lattice, other: str | Lattice, score: Scorer) -> Contrast:
    """Return the properties that make the difference between two sentences."""
    return models.contrast(parser.parse(one), parser.parse(other), score)


def judge(
    parser: Parser,
    score: Scorer,
    tree: str | None = None,
    path: str | None = None,
    form: str = "auto",
    notes: Notes | None = None,
) -> BatchRun[TreebankSentence, JudgedTree]:
    """Return a bracketed tree, or those of a file in a format, judged one by one; a bad one is a failure in its place.

    Raises DataError where there is no tree, and for the tags of a treebank, which all trees of a file will have.
    """
    name, trees = drawn_trees(tree, path, parser.grammar, form, notes)
    return BatchRun(JudgeJob(parser, score, name), trees)


def why_not(parser: Parser, sentence: str | Lattice, given: GivenConstituent) -> WhyNot:
    """Return the best analysis of a sentence with a constituent, beside the best of all.

    Raises UsageError for what is no span of the sentence.
    """
    return cost_of_constituent(parser, _lattice(sentence, parser), given)


def repair(
    parser: Parser,
    sentence: str | Lattice,
    score: Scorer,
    edits: int = 1,
    beam: int = BEAM,
    most: int | None = None,
    advance: Callable[[], object] = lambda: None,
) -> RepairedSentence:
    """Return the smallest changes of a sentence that better its score; `advance` is called after each edit that is
    tried.
    """
    return repair_sentence(_lattice(sentence, parser), parser, score, edits, beam, most, advance)


def _lattice(sentence: str | Lattice, parser: Parser) -> Lattice:
    return lattice_of(sentence, parser.words) if isinstance(sentence, str) else sentence
