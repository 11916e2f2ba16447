"""Counted expansions from trees, with phrases and words divided by more than their labels.

Every phrase knows the label above it (Johnson 1998). Details of what is below it follow Klein & Manning (2003), as far
as they helped on the development parts of the English Web Treebank and of Sequoia: the form of the first verb of a
verbal phrase, whether all daughters are words, whether the only daughter is a phrase, whether a possessive ends it.
Words of frequent forms are categories of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from numbat.grammar.names import WRAPPERS
from numbat.parsing.treebank_grammar.expansions import TOP, Expansions, Rule, Symbol
from numbat.records import frozen
from numbat.treebank.heads import table_for
from numbat.treebank.labels import CODES, cleaned, name_of
from numbat.treebank.trees import Tree


@frozen
class Refinement:
    """Which details phrases get. `verbs` are tags, each with the detail that it gives the phrases of `verbal` labels
    above it; `inner` are the labels through which it is looked for. `bases` get a detail where all daughters are words,
    `unary` says whether phrases over one phrase get one; `possessive` is a tag that marks a phrase it ends. Frequent
    forms of the tags in `closed` are categories of their own, of all tags if there are none."""

    verbal: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    verbs: tuple[tuple[str, str], ...] = ()
    bases: frozenset[str] = frozenset()
    unary: bool = False
    possessive: str = ""
    closed: frozenset[str] = frozenset()


PENN: Final = Refinement(
    verbal=frozenset({"VP", "S", "SQ", "SINV"}),
    inner=frozenset({"VP"}),
    verbs=(
        *((tag, "finite") for tag in ("VBD", "VBZ", "VBP", "MD")),
        *((tag, tag) for tag in ("VB", "VBG", "VBN", "TO")),
    ),
    bases=frozenset({"NP", "WHNP", "ADJP", "NML"}),
    unary=True,
    possessive="POS",
    closed=frozenset((
        "IN", "TO", "CC", "RB", "RP", "DT", "MD", "VB", "VBZ", "VBP", "VBD", "VBN", "VBG",
        "WRB", "WDT", "WP", "PRP", "JJ",
    )),
)  # fmt: skip
FRENCH: Final = Refinement(
    verbal=frozenset({"VN", "VPinf", "VPpart", "SENT", "Sint", "Srel", "Ssub"}),
    inner=frozenset({"VN", "VPinf"}),
    verbs=tuple((tag, tag) for tag in ("V", "VINF", "VPP", "VPR", "VS", "VIMP")),
)
REFINEMENTS: Final[Mapping[str, Refinement]] = {"penn": PENN, "french": FRENCH, "cover": Refinement()}
"""By the table of heads that knows the labels of the trees."""
FREQUENT: Final = 20
"""Forms of a tag that occur so often are categories of their own."""
LEAST: Final = 5
"""Refined phrases that occur less often lose their detail."""


def count_expansions(
    trees: Iterable[Tree],
    *,
    dropped: Collection[str] = CODES,
    frequent: int = FREQUENT,
    least: int = LEAST,
    refinement: Refinement | None = None,
) -> Expansions:
    """The refined rules of trees, counted. `dropped` are the tags of words that do not count.

    Memory: all trees. The refinement is that of the table of heads that knows the labels, without `refinement`.
    """
    kept = [tree for tree in (cleaned(tree, dropped=dropped) for tree in trees) if tree is not None]
    words = Counter((node.label, node.form.lower()) for tree in kept for node in tree.walk() if node.form is not None)
    labels = Counter(node.label for tree in kept for node in tree.walk() if node.form is None)
    chosen = refinement or REFINEMENTS[table_for(labels)]
    split = {
        word for word, count in words.items() if count >= frequent and (not chosen.closed or word[0] in chosen.closed)
    }
    counter = _RefinedRuleCounter(chosen, split, {tag for tag, _ in words})
    for tree in kept:
        counter.add(tree)
    return Expansions.of_rules(_without_rare(counter.rules, least))


def _without_rare(rules: Counter[Rule], least: int) -> Counter[Rule]:
    """The rules with phrases that occur less often without their detail."""
    occurrences: Counter[Symbol] = Counter()
    for (phrase, _), count in rules.items():
        occurrences[phrase] += count
    found: Counter[Rule] = Counter()
    for (phrase, daughters), count in rules.items():
        both = [each.plain if each.is_phrase and occurrences[each] < least else each for each in (phrase, *daughters)]
        found[both[0], tuple(both[1:])] += count
    return found


class _RefinedRuleCounter:
    def __init__(self, refinement: Refinement, split: Collection[tuple[str, str]], leaves: Collection[str]) -> None:
        self.refinement, self.split, self.leaves = refinement, split, leaves
        self.verbs = dict(refinement.verbs)
        self.rules: Counter[Rule] = Counter()

    def add(self, tree: Tree) -> None:
        tops = tree.daughters if tree.label in WRAPPERS else (tree,)
        waiting = [(top, TOP) for top in tops if top.form is None]
        while waiting:
            node, above = waiting.pop()
            name = name_of(node, self.leaves)
            self.rules[self._symbol(node, above), tuple(self._symbol(each, name) for each in node.daughters)] += 1
            waiting += [(each, name) for each in node.daughters if each.form is None]

    def _symbol(self, node: Tree, above: str) -> Symbol:
        if node.form is None:
            return Symbol(name_of(node, self.leaves), above, ".".join(self._details(node)))
        form = node.form.lower()
        return Symbol(node.label, "", form if (node.label, form) in self.split else "")

    def _details(self, node: Tree) -> Iterable[str]:
        chosen, daughters = self.refinement, node.daughters
        verb = self._verb(node) if node.label in chosen.verbal else ""
        if verb:
            yield verb
        if node.label in chosen.bases and all(each.form is not None for each in daughters):
            yield "base"
        if chosen.possessive and node.label == "NP" and daughters[-1].label == chosen.possessive:
            yield "possessive"
        if chosen.unary and len(daughters) == 1 and daughters[0].form is None:
            yield "unary"

    def _verb(self, node: Tree) -> str:
        """The detail of the first verb of a phrase, or of the first verbal phrase in it."""
        inner: Tree | None = node
        while inner is not None:
            for each in inner.daughters:
                if each.form is not None and each.label in self.verbs:
                    return self.verbs[each.label]
            inner = next((each for each in inner.daughters if each.label in self.refinement.inner), None)
        return ""
