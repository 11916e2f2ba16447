"""A tree that somebody drew, judged by a grammar with the one evaluator: nothing is searched but readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Final, Protocol

from numbat.errors import DataError, close_match
from numbat.evaluation.constituents import NOTHING, Assignment, Constituent, lexical_costs, word
from numbat.evaluation.evaluator import PhraseTemplate, evaluated_phrase, instantiate
from numbat.grammar.model import Grammar, Reading
from numbat.grammar.names import WILDCARD, WRAPPERS
from numbat.parsing.parser import Parser
from numbat.parsing.records import fragment_cost_of
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import check_lattice
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import Words, arcs_of
from numbat.words.tokens import spelled

MOST_CHOICES: Final = 4_096
"""So many combinations of feature bundles are compared in a phrase; where there are more, the worst are left out."""


class DrawnTree(Protocol):
    """A tree, whatever class holds it: a label over daughters, or over the form of a word."""

    @property
    def label(self) -> str: ...
    @property
    def daughters(self) -> Sequence[DrawnTree]: ...
    @property
    def form(self) -> str | None: ...


def judge_tree(tree: DrawnTree, parser: Parser, lattice: Lattice | None = None) -> Parse:
    """The tree as a parse: its constituents, each with every property instance that it satisfies or violates.

    `lattice` says what the words may be, a token for each leaf; by default the label of a leaf is its category, and
    its features are those of the lexicon. Where a word has several feature bundles, the best by the parser's valuation
    are chosen. A label that the grammar does not have has no properties (`unknown_labels`); heuristics H3 and H4 turn
    nothing away here (`uncovered`). Raises DataError where tokens and leaves differ in number, and for a lattice that
    no parser takes, or a phrase over nothing.
    """
    leaves = [node for node in _postorder(tree) if node.form is not None]
    if lattice is None:
        lattice = _lattice(leaves, parser.words)
    if len(lattice.tokens) != len(leaves):
        raise DataError(f"{len(leaves)} leaves but {len(lattice.tokens)} tokens\n  give a token for each leaf")
    check_lattice(lattice)
    tree = _inside(tree, parser.grammar)
    words: list[list[Constituent]] = [[] for _ in leaves]
    for arc, cost in lexical_costs(lattice):
        if arc.end == arc.start + 1:
            words[arc.start].append(word(arc, cost))
    builder = _PhraseBuilder(parser)
    waiting: list[list[Constituent]] = []
    position = 0
    for node in _postorder(tree):
        if node.form is not None:
            waiting.append(words[position])
            position += 1
        elif node is not tree or not _wraps(tree, parser.grammar):
            if not node.daughters:
                raise DataError(f'"{node.label}" has neither daughters nor a form\n  give it one of the two')
            below = [waiting.pop() for _ in node.daughters][::-1]
            waiting.append(builder.phrase(node.label, below))
    tops = tuple(min(alternatives, key=builder.value) for alternatives in waiting)
    return _parse(parser, lattice, tops)


def unknown_labels(tree: DrawnTree, grammar: Grammar) -> tuple[str, ...]:
    """The labels of a tree that are no category of the grammar, from the left."""
    tree = _inside(tree, grammar)
    known = {*grammar.categories, WILDCARD}
    labels = [node.label for node in _postorder(tree) if node is not tree or not _wraps(tree, grammar)]
    return tuple(dict.fromkeys(label for label in labels if label not in known))


def category_meant(label: str, grammar: Grammar) -> str:
    """What to write in the place of a label that is no category of the grammar."""
    return close_match(label, grammar.categories) or f"the categories are: {', '.join(grammar.categories)}"


def uncovered(parse: Parse, parser: Parser) -> tuple[tuple[Constituent, Constituent], ...]:
    """The daughters that the form of their phrase does not speak of (heuristic H3), each after its phrase."""
    table = parser.evaluator.table
    return tuple(
        (phrase, daughter)
        for top in parse.constituents
        for phrase in top.walk()
        if (construction := table.constructions.get(phrase.construction)) is not None
        for daughter in phrase.daughters
        if not table.covers(construction, daughter.construction, daughter.features)
    )


def _inside(tree: DrawnTree, grammar: Grammar) -> DrawnTree:
    """The innermost of outermost brackets that only hold the tree together."""
    while _wraps(tree, grammar) and len(tree.daughters) == 1 and _wraps(tree.daughters[0], grammar):
        (tree,) = tree.daughters
    return tree


def _wraps(tree: DrawnTree, grammar: Grammar) -> bool:
    named = any(construction.name == tree.label for construction in grammar.constructions)
    return tree.label in WRAPPERS and not named and tree.form is None


def _postorder(tree: DrawnTree) -> Iterator[DrawnTree]:
    """The nodes, each after its daughters, from the left; without recursion, for trees may be deep."""
    waiting: list[tuple[DrawnTree, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if ready or not node.daughters:
            yield node
        else:
            waiting.append((node, True))
            waiting += ((daughter, False) for daughter in reversed(node.daughters))


def _lattice(leaves: Sequence[DrawnTree], words: Words) -> Lattice:
    """Each leaf as a token with the lexicon's readings of its label, or the bare label."""
    forms = tuple(str(leaf.form) for leaf in leaves)
    arcs: list[Arc] = []
    for position, (leaf, form) in enumerate(zip(leaves, forms, strict=True)):
        known = [reading for reading in words.known(spelled(form)) if reading.category == leaf.label]
        arcs += arcs_of(position, position + 1, form, known or [Reading(leaf.label)], guessed=not known)
    return Lattice(forms, tuple(arcs), (), " ".join(forms))


class _PhraseBuilder:
    """Builds the constituents of given phrases by the evaluator of a parser."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.evaluator = parser.evaluator

    def value(self, constituent: Constituent) -> tuple[int, tuple[tuple[str, str], ...]]:
        return self.parser.valuation.value(constituent.cost, constituent.gain), constituent.features

    def phrase(self, label: str, daughters: Sequence[Sequence[Constituent]]) -> list[Constituent]:
        """The best constituent of each feature bundle, given the alternatives of each daughter."""
        best: dict[object, Constituent] = {}
        for assignment in product(*self._fewer(daughters)):
            found = self._constituent(label, assignment)
            rival = best.setdefault(found.features, found)
            if self.value(found) < self.value(rival):
                best[found.features] = found
        return list(best.values())

    def _fewer(self, daughters: Sequence[Sequence[Constituent]]) -> list[list[Constituent]]:
        """The alternatives of each daughter, without the worst where there are too many combinations."""
        kept = [sorted(alternatives, key=self.value) for alternatives in daughters]
        while prod(map(len, kept)) > MOST_CHOICES:
            max(kept, key=len).pop()
        return kept

    def _constituent(self, label: str, assignment: Assignment) -> Constituent:
        table = self.evaluator.table
        construction = table.constructions.get(label)
        if construction is None:
            return instantiate(label, assignment, PhraseTemplate((), NOTHING, 0, -table.grammar.node_cost))
        return evaluated_phrase(construction, assignment, self.evaluator)


def _parse(parser: Parser, lattice: Lattice, tops: tuple[Constituent, ...]) -> Parse:
    fragment_cost = fragment_cost_of(tops, len(lattice.tokens), parser.scaled_grammar)
    return Parse(parser.grammar, lattice, tops, parser.outcome(fragment_cost, 1, 1, 0, "judge"))
