"""Parses and the trees of a treebank: a parse as a tree, scored against a gold tree; a tree judged by a grammar."""

from __future__ import annotations

from dataclasses import replace

from numbat.errors import Span
from numbat.evaluation.constituents import Constituent
from numbat.files import shown
from numbat.parsing.parser import Parser
from numbat.parsing.queries import judge_tree, uncovered, unknown_labels
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.treebank.bracket_scores import DEFAULT_PARAMETERS, EvalbParameters, SentenceScore, score_tree
from numbat.treebank.converting import to_constituents
from numbat.treebank.labels import CODES, PUNCTUATION, cleaned
from numbat.treebank.reading import TreebankSentence
from numbat.treebank.trees import Tree
from numbat.words.lattice import Lattice
from numbat.words.tag_maps import TagMap, tagged_lattice


def tree_of(parse: Parse) -> Tree:
    """The constituents of a parse as a tree; below a bracket without label if it is partial."""
    built: list[list[Tree]] = [[]]
    waiting: list[Constituent | None] = list(reversed(parse.constituents))
    open_phrases: list[Constituent] = []
    while waiting:
        node = waiting.pop()
        if node is None:
            built[-2].append(Tree(open_phrases.pop().construction, tuple(built.pop())))
        elif node.is_word:
            built[-1].append(Tree(node.construction, (), node.form))
        else:
            open_phrases.append(node)
            built.append([])
            waiting += (None, *reversed(node.daughters))
    (tops,) = built
    return tops[0] if len(tops) == 1 else Tree("", tuple(tops))


def gold_parameters(mapped: TagMap) -> EvalbParameters:
    """Parameters for parses of sentences whose tags were mapped: a tag is right if it is a category of the gold tag."""
    tags = {tag: {reading.category for reading in readings} for tag, readings in mapped.rows.items() if readings}
    return replace(DEFAULT_PARAMETERS, tags=tags)


def score_parse(id: str, gold: Tree, parse: Parse, parameters: EvalbParameters) -> SentenceScore:
    """The brackets that a parse shares with the gold tree of its sentence."""
    return score_tree(id, gold, tree_of(parse), parameters)


@frozen
class TreeVerdict:
    """A tree of a treebank judged by a grammar: the parse that it is, and what the grammar does not speak of.

    `uncovered` are daughters that the form of their phrase does not name, `unknown` labels that are no category.
    """

    id: str
    parse: Parse
    uncovered: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int, int]:
        """Worse trees are greater."""
        return self.parse.violation_cost, len(self.parse.violated), len(self.uncovered) + len(self.unknown)


@frozen
class CheckJob:
    """Judges a tree of the file `path` by the grammar of a parser; `mapped` says what its tags are there.

    None for a sentence of which nothing is left without empty elements and punctuation.
    """

    parser: Parser
    mapped: TagMap | None
    path: str

    def __call__(self, sentence: TreebankSentence) -> TreeVerdict | None:
        parser, mapped = self.parser, self.mapped
        dropped = CODES | {tag for tag in PUNCTUATION if tag not in parser.grammar.leaves and mapped is None}
        tree = cleaned(to_constituents(sentence), dropped=dropped)
        lattice: Lattice | None = None
        if tree is not None and mapped is not None:
            place = Span(shown(self.path), sentence.tree.line)
            lattice = tagged_lattice(list(tree.words()), mapped, parser.words, place=place)
            tree = relabelled(tree, mapped)
        if tree is None:
            return None
        parse = judge_tree(tree, parser, lattice)
        lacking = (f"{phrase.construction}: {daughter.construction}" for phrase, daughter in uncovered(parse, parser))
        return TreeVerdict(sentence.id, parse, tuple(lacking), unknown_labels(tree, parser.grammar))


def relabelled(tree: Tree, mapped: TagMap) -> Tree | None:
    """The tree with the labels of a tag map, on phrases too where it has them; what it maps to - is left out.

    A phrase that is mapped to - leaves its daughters in its place. None where nothing is left. Without recursion, for
    trees may be deep.
    """
    built: list[list[Tree]] = [[]]
    waiting: list[tuple[Tree, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        readings = mapped.readings(node.label)
        label = readings[0].category if readings else node.label
        if node.form is None and not ready:
            built.append([])
            waiting.append((node, True))
            waiting += ((daughter, False) for daughter in reversed(node.daughters))
            continue
        below = tuple(built.pop()) if node.form is None else ()
        if readings == ():
            built[-1] += below
        elif below or node.form is not None:
            built[-1].append(replace(node, label=label, daughters=below))
    (found,) = built
    return found[0] if len(found) == 1 else replace(tree, label="", daughters=tuple(found)) if found else None
