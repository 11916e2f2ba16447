"""Conversions between phrase structure, CoNLL-U, JSON and parses.

Phrases are written into the MISC column of CoNLL-U. Parses become trees, which are scored against gold trees.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final
from urllib.parse import quote, unquote

from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.parsing.result import Parse
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.crossing import CrossingTree, inner, settled
from numbat.treebanks.notes import CROSSING, LIFTED, NO_HEADS, Notes, UnfitTreeError
from numbat.treebanks.projective import projective
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.scores import DEFAULT_PARAMETERS, EvalbParameters, SentenceScore, score_tree
from numbat.treebanks.trees import PHRASE, Tree, WordFacts
from numbat.words.tag_maps import TagMap

KEY: Final = "Tree="
"""MISC key of the brackets around a word: `Tree=(S(NP*`, `Tree=*))`; the star is the word with its tag (XPOS)."""
MORPH: Final = "Morph="
"""MISC key of the morphology of a word, as in NEGRA and TIGER."""
PIECE: Final = re.compile(r"\(([^()*]*)|(\*)|(\))")


def to_dependencies(sentence: TreebankSentence) -> DependencyTree:
    """Convert a bracketed tree to CoNLL-U: forms, tags in XPOS, brackets in MISC, no heads. Return others unchanged.

    Raises UnfitTreeError for crossing branches.
    """
    if isinstance(sentence.tree, DependencyTree):
        return sentence.tree
    if isinstance(sentence.tree, CrossingTree):
        raise UnfitTreeError(CROSSING, sentence.id)
    pieces: list[str] = []
    leaves: list[Tree] = []
    waiting: list[Tree | str] = [sentence.tree]
    opening = ""
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces[-1] += node
        elif node.form is not None:
            leaves.append(node)
            pieces.append(f"{opening}*")
            opening = ""
        else:
            opening += f"({_escaped(node.label)}"
            waiting += (")", *reversed(node.daughters))
    words = tuple(
        DependencyWord(
            leaf.form or "_",
            leaf.word.lemma or "_" if leaf.word else "_",
            xpos=leaf.label or "_",
            misc=f"{MORPH}{_escaped(leaf.word.morph)}|{KEY}{piece}" if leaf.word and leaf.word.morph else KEY + piece,
        )
        for leaf, piece in zip(leaves, pieces, strict=True)
    )
    return DependencyTree(words, (f"# sent_id = {sentence.id}",))


def to_constituents(sentence: TreebankSentence, notes: Notes | None = None) -> Tree:
    """Convert to phrase structure: by the brackets in MISC, else with a phrase for each word and its dependents.

    The phrase headed by a word is named after its category (UPOS, or XPOS if that is `_`), `NOUN-P`. If links cross,
    words are lifted first (`projective`), which is noted. Raises UnfitTreeError for crossing branches and for words
    without heads.
    """
    if isinstance(sentence.tree, CrossingTree):
        raise UnfitTreeError(CROSSING, sentence.id)
    if isinstance(sentence.tree, Tree):
        return sentence.tree
    kept = [next((p for p in word.misc.split("|") if p.startswith(KEY)), "") for word in sentence.tree.words]
    if all(kept):
        return _from_misc(sentence, sentence.tree, [piece.removeprefix(KEY) for piece in kept])
    if all(word.head is None for word in sentence.tree.words):
        raise UnfitTreeError(NO_HEADS, sentence.id)
    tree = _phrases(sentence.tree)
    if tree is None:
        tree = _phrases(projective(sentence.tree)[0])
        assert tree is not None, "nothing crosses any longer"
        if notes is not None:
            notes.add(LIFTED, sentence.id)
    return tree


def to_phrases(sentence: TreebankSentence, notes: Notes | None = None) -> Tree | CrossingTree:
    """Convert to phrase structure as `to_constituents` does, but keep crossing branches. Raises UnfitTreeError."""
    return sentence.tree if isinstance(sentence.tree, CrossingTree) else to_constituents(sentence, notes)


def _from_misc(sentence: TreebankSentence, tree: DependencyTree, pieces: list[str]) -> Tree:
    stack: list[tuple[str, list[Tree]]] = [("", [])]
    for word, piece in zip(tree.words, pieces, strict=True):
        for match in PIECE.finditer(piece):
            if match[2]:
                stack[-1][1].append(Tree(word.xpos, (), word.form, tree.line, 0, _facts(word)))
            elif match[3] is None:
                stack.append((unquote(match[1]), []))
            elif len(stack) > 1:
                label, daughters = stack.pop()
                stack[-1][1].append(Tree(label, tuple(daughters), None, tree.line))
    if len(stack) != 1 or len(stack[0][1]) != 1:
        raise DataError(
            f"{sentence.id}: the brackets in MISC are not one tree\n  write them as {KEY}(S(NP* and {KEY}*))"
        )
    return stack[0][1][0]


def _facts(word: DependencyWord) -> WordFacts | None:
    """Return lemma and morphology of a word with phrases in MISC."""
    morph = next((unquote(pair.removeprefix(MORPH)) for pair in word.misc.split("|") if pair.startswith(MORPH)), "")
    lemma = "" if word.lemma == "_" else word.lemma
    return WordFacts(lemma, morph) if lemma or morph else None


def _phrases(tree: DependencyTree) -> Tree | None:
    """Return the phrases of a tree, or None if links cross."""
    dependents = tree.dependents()
    built: dict[int, Tree] = {}
    spans: dict[int, tuple[int, int]] = {}
    for number in _bottom_up(dependents):
        word = tree.words[number - 1]
        below = sorted([number, *dependents[number]])
        reach = [spans[at] if at != number else (number, number + 1) for at in below]
        if any(left[1] != right[0] for left, right in pairwise(reach)):
            return None
        spans[number] = reach[0][0], reach[-1][1]
        category = word.upos if word.upos != "_" else word.xpos
        leaf = Tree(category, (), word.form, tree.line)
        built[number] = Tree(
            category + PHRASE, tuple(leaf if at == number else built[at] for at in below), None, tree.line
        )
    tops = tuple(built[number] for number in dependents[0])
    roots = sorted(spans[number] for number in dependents[0])
    if any(left[1] != right[0] for left, right in pairwise(roots)):
        return None
    return tops[0] if len(tops) == 1 else Tree("", tops, None, tree.line)


def _bottom_up(dependents: list[list[int]]) -> list[int]:
    """Return the numbers of all words, each after its dependents."""
    order: list[int] = []
    waiting = list(dependents[0])
    while waiting:
        order.append(waiting.pop())
        waiting += dependents[order[-1]]
    return order[::-1]


def tree_to_json(sentence: TreebankSentence) -> dict[str, Any]:
    """Return a value for `json.dumps`: nested nodes with `label` and `daughters` or `form`, or words of CoNLL-U."""
    if isinstance(sentence.tree, Tree | CrossingTree):
        return {"schema": "numbat.tree/1", "id": sentence.id, "tree": _node(inner(sentence.tree))}
    words = [
        {
            "id": number, "form": word.form, "lemma": word.lemma, "upos": word.upos, "xpos": word.xpos,
            "feats": dict(word.feats), "head": word.head, "deprel": word.deprel, "deps": word.deps, "misc": word.misc,
        }
        for number, word in enumerate(sentence.tree.words, start=1)
    ]  # fmt: skip
    rows = [list(aside.columns) for aside in sentence.tree.other_rows]
    comments = list(sentence.tree.comments)
    return {"schema": "numbat.tree/1", "id": sentence.id, "comments": comments, "words": words, "asides": rows}


def _node(tree: Tree) -> dict[str, Any]:
    top: dict[str, Any] = {}
    waiting = [(tree, top)]
    while waiting:
        node, record = waiting.pop()
        record["label"] = node.label
        if node.form is not None:
            record["form"] = node.form
            facts = node.word or WordFacts()
            said = {"lemma": facts.lemma, "morph": facts.morph}
            record |= {name: value for name, value in said.items() if value}
            if facts.position >= 0:
                record["position"] = facts.position
            continue
        record["daughters"] = [{} for _ in node.daughters]
        waiting += zip(node.daughters, record["daughters"], strict=True)
    return top


def _escaped(label: str) -> str:
    """Percent-encode characters that are special in MISC or in brackets."""
    return re.sub(r"[%|()*\s]", lambda match: quote(match[0], safe=""), label)


# Parses as trees, and their scores


def tree_of(parse: Parse) -> Tree:
    """Convert a parse to a tree; a partial parse gets an outer bracket without label."""
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
    """Return parameters of evalb with which a predicted tag is right if the gold tag is mapped to it."""
    tags = {tag: {reading.category for reading in readings} for tag, readings in mapped.rows.items() if readings}
    return replace(DEFAULT_PARAMETERS, tags=tags)


def score_parse(id: str, gold: Tree | CrossingTree, parse: Parse, parameters: EvalbParameters) -> SentenceScore:
    """Score the brackets of a parse against the gold tree."""
    return score_tree(id, gold, tree_of(parse), parameters)


def relabelled_crossing(tree: Tree | CrossingTree, mapped: TagMap) -> Tree | CrossingTree | None:
    """Map labels as `relabelled` does; the result is a `Tree` if no branches cross after words were dropped."""
    mapped_tree = relabelled(inner(tree), mapped)
    return mapped_tree if mapped_tree is None or isinstance(tree, Tree) else settled(mapped_tree)


def relabelled(tree: Tree, mapped: TagMap) -> Tree | None:
    """Map the labels of words and phrases by a tag map, and drop nodes mapped to -; return None if nothing is left.

    A dropped phrase is replaced by its daughters. Not recursive, as trees may be deep.
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
    (trees,) = built
    return trees[0] if len(trees) == 1 else replace(tree, label="", daughters=tuple(trees)) if trees else None
