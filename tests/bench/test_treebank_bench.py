"""Parsing with grammars from treebanks, beside a maximum-likelihood PCFG from the same trees:
`python -m pytest tests/bench/test_treebank_bench.py -n0 -s`.

Trained on train, scored on dev, with the tags of the treebank and with punctuation. Skipped without the treebanks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time

import pytest

from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import UNIT
from numbat.parsing.treebank_grammar.expansions import Symbol
from numbat.parsing.treebank_grammar.items import ScoredWord, Stage
from numbat.parsing.treebank_grammar.markov import UNKNOWN, Context, MarkovGrammar, Smoothing
from numbat.parsing.treebank_grammar.search import search
from numbat.parsing.treebank_parser import TreebankParser
from numbat.treebanks.converting import tree_of
from numbat.treebanks.induce import InductionSettings, induce
from numbat.treebanks.reading import TreebankSentence, read_treebank
from numbat.treebanks.rule_counts import count_expansions, count_treebank
from numbat.treebanks.scores import SentenceScore, TreebankScores, score_tree
from numbat.treebanks.trees import Tree, cleaned
from numbat.words.lattice import Arc, Lattice

DATA = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).parents[3] / "shared" / "data") / "const"
EXACT: tuple[Context, ...] = (lambda phrase, history: (phrase, history),)
MAX_LENGTH = 40


@dataclass(frozen=True)
class Row:
    treebank: str
    parser: str
    scored: tuple[tuple[int, SentenceScore], ...]
    seconds: float

    def up_to(self, longest: int) -> TreebankScores:
        return TreebankScores(tuple(each for words, each in self.scored if words <= longest))

    def __str__(self) -> str:
        sizes = [self.up_to(longest) for longest in (15, MAX_LENGTH)]
        figures = "  ".join(f"{100 * each.labelled.f1:6.2f}  {100 * each.coverage:6.2f} %" for each in sizes)
        return f"{self.treebank:<12}{self.parser:<22}{figures}  {len(self.scored) / self.seconds:8.1f}/s"


def trees_of(treebank: str, part: str) -> list[Tree]:
    path = DATA / treebank / f"{part}.mrg"
    if not path.exists():
        pytest.skip(f"{path.name} of {treebank} is not here")
    found = [each.tree for each in read_treebank(str(path)) if isinstance(each, TreebankSentence)]
    return [tree for tree in found if isinstance(tree, Tree)]


def by_numbat(train: list[Tree], prune: float | None) -> Callable[[list[tuple[str, str]]], Tree]:
    observed = count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(train))
    parser = TreebankParser(induce(observed, InductionSettings()).grammar, count_expansions(train), prune)
    known = set(parser.grammar.leaves)

    def parse(words: list[tuple[str, str]]) -> Tree:
        tags = (tag if tag in known else WILDCARD for _, tag in words)
        arcs = tuple(Arc(i, i + 1, words[i][0], tag) for i, tag in enumerate(tags))
        return tree_of(parser.parse(Lattice(tuple(form for form, _ in words), arcs)))

    return parse


def by_pcfg(train: list[Tree]) -> Callable[[list[tuple[str, str]]], Tree]:
    """Rules with their relative frequencies, the likeliest tree without pruning."""
    bare = count_expansions(train, frequent=10**9).coarse()
    grammar = MarkovGrammar(bare, EXACT, Smoothing(memory=10**6, rest=0.0, costliest_start=10**3))

    def parse(words: list[tuple[str, str]]) -> Tree:
        unknown = grammar.number[UNKNOWN]
        symbols = [grammar.number.get(Symbol(tag), unknown) for _, tag in words]
        offered = [ScoredWord(i, i + 1, symbol, 0, i) for i, symbol in enumerate(symbols)]
        built: list[Tree] = []
        for symbol, word, size in reversed(search([Stage(grammar, offered)], len(words), 3, 10**6 * UNIT).nodes):
            if word >= 0:
                built.append(Tree(words[word][1], (), words[word][0]))
            else:
                daughters = tuple(built[: -size - 1 : -1])
                del built[-size:]
                built.append(Tree(grammar.symbols[symbol].label, daughters))
        return built[0] if len(built) == 1 else Tree("", tuple(reversed(built)))

    return parse


def run(treebank: str, name: str, parse: Callable[[list[tuple[str, str]]], Tree], gold: list[Tree]) -> Row:
    scored = []
    began = process_time()
    for number, tree in enumerate(gold):
        words = list(tree.words())
        if len(words) <= MAX_LENGTH:
            scored.append((len(words), score_tree(str(number), tree, parse(words))))
    return Row(treebank, name, tuple(scored), process_time() - began)


@cache
def rows(treebank: str) -> tuple[Row, Row]:
    train = trees_of(treebank, "train")
    whole = (cleaned(tree, joined=False) for tree in trees_of(treebank, "dev"))
    gold = [tree for tree in whole if tree is not None]
    return (
        run(treebank, "induced, expansions", by_numbat(train, 6.0), gold),
        run(treebank, "PCFG", by_pcfg(train), gold),
    )


def lines(treebank: str) -> Iterator[str]:
    yield f"{'treebank':<12}{'parser':<22}{'F1 <=15   full':>17}{'F1 <=40   full':>19}"
    yield from map(str, rows(treebank))


@pytest.mark.parametrize("treebank", ["en_ewt", "fr_sequoia"])
def test_induced_grammars_are_ahead_of_a_pcfg(treebank: str) -> None:
    guided, pcfg = rows(treebank)
    print("\n" + "\n".join(lines(treebank)))
    for longest, least in ((15, 0.80), (MAX_LENGTH, 0.74)):
        assert guided.up_to(longest).labelled.f1 >= max(least, pcfg.up_to(longest).labelled.f1)
        assert guided.up_to(longest).coverage >= 0.99
