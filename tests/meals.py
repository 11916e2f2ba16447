"""A made treebank: where *with* belongs depends on the last word alone, so that no expansion knows."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from numbat.grammar.model import Grammar
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.induce import InductionSettings, Thresholds, induce
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.rule_counts import count_expansions, count_treebank
from numbat.treebanks.trees import Tree

FOOD = ("pizza", "soup", "salad")
TOOLS = ("fork", "spoon")
OTHERS = ("olives", "cheese")
LINES = [
    f"(S (NP (PRP {who})) (VP (VBD ate) (NP (DT the) (NN {food})) (PP (IN with) (NP (DT the) (NN {last})))))"
    if last in TOOLS
    else f"(S (NP (PRP {who})) (VP (VBD ate) (NP (NP (DT the) (NN {food})) (PP (IN with) (NP (DT the) (NN {last}))))))"
    for who, food, last in (
        (who, food, last)
        for i, food in enumerate(FOOD)
        for j, last in enumerate(TOOLS + OTHERS)
        for who in (("she", "he")[(i + j) % 2],)
    )
]


def meals() -> list[Tree]:
    """The trees."""
    return [each for each in read_brackets(LINES, "meals.mrg") if isinstance(each, Tree)]


@lru_cache
def meals_grammar() -> Grammar:
    """The properties that hold in them."""
    counts = count_treebank(TreebankSentence(str(i), tree) for i, tree in enumerate(meals()))
    return induce(counts, InductionSettings(name="meals", least=Thresholds(support=1, count=1))).grammar


@lru_cache
def meals_expansions() -> Expansions:
    """Their expansions."""
    return count_expansions(meals())


def write_meals(folder: Path) -> None:
    """Write the trees as `meals.mrg`."""
    (folder / "meals.mrg").write_text("\n".join(LINES) + "\n", encoding="utf-8")
