"""Weights of trees learned on train, scored on dev: `python -m pytest tests/bench/test_weights_bench.py -n0 -s`.

Gold tags, punctuation kept, F1 as `numbat score` counts it, with 95 % bootstrap intervals; `gain` is the difference to
the likelihood over the same resamples. NUMBAT_LONGEST (15) is how many words the sentences have at most, NUMBAT_PASSES
(20) how many passes are made, NUMBAT_JOBS (2) how many processes work. Skipped without the treebanks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter, process_time

import pytest

from numbat.grammar.model import Grammar
from numbat.grammar.names import WILDCARD
from numbat.learning.importance import ModelPart, bracket_f1, importance
from numbat.learning.settings import WeightSettings
from numbat.learning.tree_learners import TreeLearner
from numbat.learning.tree_training import TrainingProgress
from numbat.learning.verbs import Forests, forests_of, learn, start_of
from numbat.parsing.tree_model.scoring import BITS, TreeWeights, spans
from numbat.parsing.tree_model.templates import token_attributes
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.parsing.treebank_parser import TreebankParser
from numbat.runs.executors import executor_of
from numbat.runs.settings import RunSettings
from numbat.treebanks.converting import tree_of
from numbat.treebanks.induce import InductionSettings, induce
from numbat.treebanks.link_scores import Measure
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.rule_counts import count_expansions, count_treebank
from numbat.treebanks.scores import SentenceScore, TreebankScores, intervals, score_tree
from numbat.treebanks.trees import Tree, cleaned, spans_of
from numbat.words.lattice import Arc, Lattice
from tests.bench.test_treebank_bench import by_pcfg, run, trees_of

MAX_LENGTH = int(os.environ.get("NUMBAT_LONGEST", "15"))
JOBS = int(os.environ.get("NUMBAT_JOBS", "2"))
SETTINGS = WeightSettings(max_length=MAX_LENGTH, passes=int(os.environ.get("NUMBAT_PASSES", "20")))
EVERY = "auxiliary,expansions,properties,words"
MODELS = {
    features: replace(SETTINGS, features=features)
    for features in (
        "expansions",
        "words",
        "expansions,words",
        "properties",
        "expansions,properties,words",
        "auxiliary,expansions,words",
    )
}
MODELS["the same with properties, --signs"] = replace(SETTINGS, features="expansions,properties,words", signs=True)


@dataclass(frozen=True)
class Trained:
    grammar: Grammar
    expansions: Expansions
    forests: Forests
    seconds: float


@cache
def trained(treebank: str) -> Trained:
    """The forests of the training part, with the features of properties and the auxiliary predictions in them."""
    began = perf_counter()
    trees = [tree for tree in map(cleaned, trees_of(treebank, "train")) if tree is not None]
    observed = count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(trees))
    grammar, expansions = induce(observed, InductionSettings()).grammar, count_expansions(trees)
    settings = replace(SETTINGS, features=EVERY)
    start = start_of(grammar, expansions, settings)
    forests = forests_of(trees, grammar, settings, start, executor_of(RunSettings(jobs=JOBS)))
    return Trained(grammar, expansions, forests, perf_counter() - began)


def forests_for(treebank: str, settings: WeightSettings) -> tuple[Forests, TreeWeights]:
    """The forests as a model of these features sees them, and the model without weights."""
    made = trained(treebank)
    start, groups = start_of(made.grammar, made.expansions, settings), settings.groups()
    examples = made.forests.examples
    if "properties" not in groups:
        examples = [replace(each, features=None) for each in examples]
    if "auxiliary" in groups:
        start = replace(start, brackets=made.forests.start.brackets)
    else:
        examples = [replace(each, marks=None) for each in examples]
    return replace(made.forests, examples=examples, start=start), start


def teller(said: list[str]) -> Callable[[TrainingProgress, TreeLearner], None]:
    """Return a callback that stores the results of the last pass and of the mean weights in `said`."""

    def tell(progress: TrainingProgress, learner: TreeLearner) -> None:
        gap = f"gap {progress.gap or 0:.2%}"
        said[:] = [f"{said[0]}, of the mean {gap}" if progress.is_of_mean else f"{progress.number} passes, {gap}"]

    return tell


def weights_of(treebank: str, settings: WeightSettings, said: list[str]) -> TreeWeights:
    return learn(*forests_for(treebank, settings), settings, JOBS, teller(said), print)


@cache
def dev(treebank: str) -> list[Tree]:
    every = (cleaned(tree, joined=False) for tree in trees_of(treebank, "dev"))
    return [tree for tree in every if tree is not None and len(list(tree.words())) <= MAX_LENGTH]


def parser_of(treebank: str, weights: TreeWeights | None) -> TreebankParser:
    made = trained(treebank)
    return TreebankParser(made.grammar, made.expansions, weights=weights)


def scored(treebank: str, parser: TreebankParser) -> tuple[TreebankScores, float]:
    """The scores of the trees of dev, and how many sentences were parsed a second."""
    scores: list[SentenceScore] = []
    began = process_time()
    for number, tree in enumerate(dev(treebank)):
        words = list(tree.words())
        known = (tag if tag in parser.grammar.leaves else WILDCARD for _, tag in words)
        arcs = tuple(Arc(i, i + 1, form, tag) for i, ((form, _), tag) in enumerate(zip(words, known, strict=True)))
        found = parser.parse(Lattice(tuple(form for form, _ in words), arcs))
        scores.append(score_tree(str(number), tree, tree_of(found)))
    return TreebankScores(tuple(scores)), len(scores) / (process_time() - began)


def flat_measure(treebank: str) -> Measure:
    """The spans of two words or more that the flat classifier alone takes for phrases of dev, without labels."""
    brackets, gold, predicted, matched = trained(treebank).forests.start.brackets, 0, 0, 0
    for tree in dev(treebank):
        tokens = list(tree.words())
        every = [(start, end) for start in range(len(tokens)) for end in range(start + 2, len(tokens) + 1)]
        marks = spans(token_attributes(tokens), len(tokens), BITS, brackets)
        found = {span for span, mark in zip(every, marks, strict=True) if mark}
        right = {(start, end) for _, start, end in spans_of(tree) if end - start > 1}
        gold, predicted, matched = gold + len(right), predicted + len(found), matched + len(found & right)
    return Measure(gold, predicted, matched)


def gain(scores: TreebankScores, others: TreebankScores) -> str:
    """Return the difference of two F1, with its interval over the same resamples."""
    one, other = ([(each.gold, each.predicted, each.matched) for each in both.scored] for both in (scores, others))
    (row,) = importance("F1", bracket_f1, one, [ModelPart("", 0.0, 0, other)]).rows
    value, low, high = row.lost.value or 0.0, row.lost.low or 0.0, row.lost.high or 0.0
    return f"{100 * value:+.2f} [{100 * low:+.2f}, {100 * high:+.2f}]"


def line(name: str, scores: TreebankScores, *more: str) -> str:
    low, high = intervals(scores)["f1"]
    f1 = f"{100 * scores.labelled.f1:6.2f} [{100 * low:.2f}, {100 * high:.2f}]"
    return "  ".join((f"{name:<36}{f1}  exact {100 * scores.exact:5.2f}", *more))


def lines(treebank: str, models: Sequence[str]) -> Iterator[str]:
    made = trained(treebank)
    found = made.forests
    total = len(found.examples) + found.unreachable
    unreachable = f"{found.unreachable / total:.2%} unreachable"
    yield f"{treebank}, up to {MAX_LENGTH} words: {total:,} trees, {unreachable}, forests in {made.seconds:.0f} s"
    flat = flat_measure(treebank)
    yield f"flat classifier: P {flat.precision:.2%}, R {flat.recall:.2%}, F {flat.f1:.2%} of spans without labels"
    yield line("PCFG", run(treebank, "PCFG", by_pcfg(trees_of(treebank, "train")), dev(treebank)).up_to(MAX_LENGTH))
    likeliest, rate = scored(treebank, parser_of(treebank, None))
    yield line("likelihood", likeliest, f"{rate:.1f}/s")
    for name in models:
        said: list[str] = []
        began = perf_counter()
        weights = weights_of(treebank, MODELS[name], said)
        seconds = perf_counter() - began
        scores, rate = scored(treebank, parser_of(treebank, weights))
        yield line(name, scores, f"gain {gain(scores, likeliest)}", f"{rate:.1f}/s", f"{seconds:.0f} s", said[0])


@pytest.mark.parametrize("treebank", ["en_ewt", "fr_sequoia", "en_wsj_pos"])
def test_weights_choose_better_trees_than_likelihood(treebank: str) -> None:
    for each in lines(treebank, list(MODELS)):
        print(each, flush=True)
