"""Weights of trees learned on train, scored on dev: `python -m pytest tests/bench/test_weights_bench.py -n0 -s`.

Gold tags, punctuation kept, F1 as `numbat score` counts it, with 95 % bootstrap intervals. NUMBAT_LONGEST (15) is how
many words the sentences have at most, NUMBAT_JOBS (2) how many processes work. Skipped without the treebanks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter, process_time

import pytest

from numbat.commands.running import executor_of
from numbat.commands.settings import RunSettings, WeightSettings
from numbat.commands.tree_weights import Forests, forests_of, learn, start_of
from numbat.grammar.model import Grammar
from numbat.grammar.names import WILDCARD
from numbat.learning.trees.structured import Learner
from numbat.learning.trees.training import Progress
from numbat.parsing.tree_model.weights import TreeWeights
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.parsing.treebank_parser import TreebankParser
from numbat.treebank.bracket_scores import SentenceScore, score_tree
from numbat.treebank.induction.induce import InductionSettings, induce
from numbat.treebank.induction.rule_counts import count_treebank
from numbat.treebank.labels import cleaned
from numbat.treebank.parses import tree_of
from numbat.treebank.reading import TreebankSentence
from numbat.treebank.refined_expansions import count_expansions
from numbat.treebank.scores import TreebankScores, intervals
from numbat.treebank.trees import Tree
from numbat.words.lattice import Arc, Lattice
from tests.bench.test_treebank_bench import trees_of

LONGEST = int(os.environ.get("NUMBAT_LONGEST", "15"))
JOBS = int(os.environ.get("NUMBAT_JOBS", "2"))
GROUPS = ("expansions", "words", "expansions,words", "expansions,words,properties", "properties")
SETTINGS = WeightSettings(max_length=LONGEST)


@dataclass(frozen=True)
class Trained:
    grammar: Grammar
    expansions: Expansions
    forests: Forests
    seconds: float


@cache
def trained(treebank: str) -> Trained:
    """The forests of the training part, with the features of properties in them."""
    began = perf_counter()
    trees = [tree for tree in map(cleaned, trees_of(treebank, "train")) if tree is not None]
    observed = count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(trees))
    grammar, expansions = induce(observed, InductionSettings()).grammar, count_expansions(trees)
    settings = replace(SETTINGS, features="expansions,properties,words")
    start = start_of(grammar, expansions, settings)
    forests = forests_of(trees, grammar, settings, start, executor_of(RunSettings(jobs=JOBS)))
    return Trained(grammar, expansions, forests, perf_counter() - began)


def weights_of(treebank: str, features: str, said: list[str]) -> TreeWeights:
    made, settings = trained(treebank), replace(SETTINGS, features=features)
    start = start_of(made.grammar, made.expansions, settings)
    examples = made.forests.examples
    if "properties" not in features:
        examples = [replace(each, features=None) for each in examples]

    def tell(progress: Progress, learner: Learner) -> None:
        said[:] = [f"{progress.number} passes, gap {progress.gap or 0:.2%}"]

    return learn(replace(made.forests, examples=examples), start, settings, JOBS, tell, print)


@cache
def dev(treebank: str) -> list[Tree]:
    every = (cleaned(tree, joined=False) for tree in trees_of(treebank, "dev"))
    return [tree for tree in every if tree is not None and len(list(tree.words())) <= LONGEST]


def scored(treebank: str, weights: TreeWeights | None) -> tuple[TreebankScores, float]:
    made = trained(treebank)
    parser = TreebankParser(made.grammar, made.expansions, weights=weights)
    scores: list[SentenceScore] = []
    began = process_time()
    for number, tree in enumerate(dev(treebank)):
        words = list(tree.words())
        known = (tag if tag in made.grammar.leaves else WILDCARD for _, tag in words)
        arcs = tuple(Arc(i, i + 1, form, tag) for i, ((form, _), tag) in enumerate(zip(words, known, strict=True)))
        found = parser.parse(Lattice(tuple(form for form, _ in words), arcs))
        scores.append(score_tree(str(number), tree, tree_of(found)))
    return TreebankScores(tuple(scores)), len(scores) / (process_time() - began)


def line(name: str, scores: TreebankScores, rate: float, more: str = "") -> str:
    low, high = intervals(scores)["f1"]
    f1 = f"{100 * scores.labelled.f1:6.2f} [{100 * low:.2f}, {100 * high:.2f}]"
    return f"{name:<28}{f1}  exact {100 * scores.exact:5.2f}  {rate:6.1f}/s  {more}"


def lines(treebank: str) -> Iterator[str]:
    made = trained(treebank)
    found = made.forests
    total = len(found.examples) + found.unreachable
    unreachable = f"{found.unreachable / total:.2%} unreachable"
    yield f"{treebank}, up to {LONGEST} words: {total:,} trees, {unreachable}, forests in {made.seconds:.0f} s"
    yield line("likelihood", *scored(treebank, None))
    for features in GROUPS:
        said: list[str] = []
        began = perf_counter()
        weights = weights_of(treebank, features, said)
        seconds = perf_counter() - began
        yield line(features, *scored(treebank, weights), f"{seconds:.0f} s, {said[0]}")


@pytest.mark.parametrize("treebank", ["en_ewt", "fr_sequoia", "en_wsj_pos"])
def test_weights_choose_better_trees_than_likelihood(treebank: str) -> None:
    for each in lines(treebank):
        print(each, flush=True)
