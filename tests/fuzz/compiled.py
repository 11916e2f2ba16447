"""Parses that the compiled modules do, on random grammars, models and sentences; valid input, for odd input is refused
before it comes to them. Under the sanitizers (`tests.fuzz.sanitized`) a wrong access ends the process."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from numbat import Parser, Tagger, TreebankParser
from numbat.labels.label_lattice import LabelLattice
from numbat.labels.relaxation import InfeasibleError, decode
from numbat.labels.sequence_files import disallow, fixed
from numbat.parsing.policies import Limits
from numbat.parsing.tree_model.scoring import TreeWeights
from numbat.parsing.treebank_grammar.expansions import Expansions, parse_expansions
from numbat.structure.inference import best_heads
from numbat.structure.model import DependencyModel
from numbat.words.typed import read_tagged
from tests.fuzz.models import SAMPLES, tree_grammar
from tests.fuzz.runner import Kind
from tests.strategies import random_grammar, random_lattice
from tests.structure_model import small_model

GRAMMARS: Final = 50
"""Number of grammars and of models to draw from, small enough that automata are reused."""
TAGS: Final = ("DT", "NN", "NNS", "JJ", "IN", "VBZ", "VBP")
PHRASES: Final = ("S", "NP", "VP", "PP")


@cache
def _parser(number: int) -> Parser:
    rng = Random(number)
    return Parser(random_grammar(rng), limits=Limits(items=20_000, states=rng.choice((None, None, 1, 4))))


def _search(rng: Random) -> object:
    parser = _parser(rng.randrange(GRAMMARS))
    return parser.n_best(random_lattice(rng, parser.grammar, 7), rng.choice((1, 1, 3)))


@cache
def _expansions(number: int) -> Expansions:
    rng = Random(number)
    rules: Counter[str] = Counter({"S^TOP\tNP^S VP^S": 3, "NP^S\tDT NN": 2, "VP^S\tVBZ": 1})
    for _ in range(rng.randint(3, 30)):
        symbols = [f"{phrase}^{rng.choice(PHRASES)}" for phrase in PHRASES]
        daughters = " ".join(rng.choice((*symbols, *TAGS)) for _ in range(rng.randint(1, 4)))
        rules[f"{rng.choice(PHRASES)}^{rng.choice(('TOP', *PHRASES))}\t{daughters}"] += rng.randint(1, 5)
    lines = [f"{count}\t{rule}" for rule, count in sorted(rules.items())]
    return parse_expansions(["# numbat expansions/1", *lines], "drawn")


@cache
def _weights(number: int) -> TreeWeights:
    rng = Random(number)
    groups = tuple(rng.sample(("expansions", "words"), rng.randint(1, 2)))
    bits = rng.choice((1, 4, 8))
    numbers = array("f", [rng.gauss(0, 3) for _ in range(1 << bits)])
    return TreeWeights(groups, (), bits, numbers, expansions=_expansions(number).digest)


@cache
def _treebank_parser(number: int, weighted: bool) -> TreebankParser:
    prune = Random(number).choice((None, 0.0, 5.0, 12.0))
    weights = _weights(number) if weighted else None
    return TreebankParser(tree_grammar(), _expansions(number), prune, weights=weights)


def _tags(rng: Random, most: int = 8) -> list[str]:
    return [rng.choice(TAGS) for _ in range(rng.randint(1, most))]


def _tabular(rng: Random, weighted: bool = False) -> object:
    parser = _treebank_parser(rng.randrange(GRAMMARS), weighted)
    text = " ".join(f"w{rng.randrange(20)}/{tag}" for tag in _tags(rng))
    return parser.n_best(read_tagged(text, parser.words), 1 if weighted else rng.choice((1, 1, 3)))


@cache
def _dependencies(number: int) -> DependencyModel:
    import numpy as np

    draw = np.random.default_rng(number)
    tags = 1 + number % 6
    child, root = draw.random((tags, 2, tags)) + 1e-9, draw.random(tags) + 1e-9
    child, root = child / child.sum(axis=2, keepdims=True), root / root.sum()
    return DependencyModel(tuple(f"T{i}" for i in range(tags)), draw.random((tags, 2, 2)), child, root)


def _valence(rng: Random) -> object:
    model = _dependencies(rng.randrange(GRAMMARS)) if rng.random() < 0.9 else small_model()
    return best_heads(model, [rng.choice(model.tags) for _ in range(rng.randint(1, 12))])


@cache
def _tagger(learner: str) -> Tagger:
    return Tagger.train(SAMPLES, learner, calibrate=False)


def _kernels(rng: Random) -> object:
    tagger = _tagger(rng.choice(("memory", "perceptron")))
    words = ("the", "cat", "sleeps", "", "Ünknown", "x" * 300, "\U0001f9a1", "1990")
    return tagger.label([[(rng.choice(words),) for _ in range(rng.randint(1, 9))] for _ in range(rng.randint(1, 3))])


def _relaxation(rng: Random) -> object:
    labels = [f"L{i}" for i in range(rng.randint(1, 5))]
    size = rng.randint(1, 8)
    scores = [
        {label: rng.gauss(0, 5) for label in rng.sample(labels, rng.randint(1, len(labels)))} for _ in range(size)
    ]
    lattice = LabelLattice.from_labels(scores)
    own = [
        fixed(size, {rng.randrange(size): rng.choice(labels)}, "fixed", rng.choice((None, 1.0, 4.0))),
        disallow([rng.choice(labels)], "disallow", rng.choice((None, 0.0, 2.0))),
    ]
    try:
        return decode(lattice, None, rng.sample(own, rng.randint(0, 2)), limit=rng.choice((10, 1_000, 100_000)))
    except InfeasibleError as error:
        return error


def _kind(name: str, parse: Callable[[Random], object]) -> Kind:
    def read(rng: Random, folder: Path) -> object:
        return parse(rng)

    return Kind(name, lambda rng, folder: "valid", read, seconds=60.0, places=False, batch=5_000)


COMPILED: Final = (
    _kind("_search", _search),
    _kind("_tabular", _tabular),
    _kind("_tree_model", lambda rng: _tabular(rng, weighted=True)),
    _kind("_valence", _valence),
    _kind("_kernels", _kernels),
    _kind("_relaxation", _relaxation),
)
"""One kind for each compiled module, by its name."""
