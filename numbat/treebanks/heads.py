"""Heads of phrases by tables for Penn-style and French labels, and dependencies derived from them.

The Penn table is that of Collins (1999, appendix A), the French one follows Dybro-Johansen (2004). Treebanks that mark
heads, such as Sinica's, need no table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from numbat.grammar.names import WRAPPERS
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.trees import Tree, bare_label, cleaned, function_of
from numbat.words.tag_maps import CODES, PUNCTUATION

Direction = Literal["left", "right"]
HeadSearch = tuple[Direction, frozenset[str]]
"""A head search: starting side, and categories to look for."""


def _one_by_one(direction: Direction, categories: str) -> tuple[HeadSearch, ...]:
    return tuple((direction, frozenset({category})) for category in categories.split())


def _any(direction: Direction, categories: str) -> tuple[HeadSearch, ...]:
    return ((direction, frozenset(categories.split())),)


PENN: Final[Mapping[str, tuple[HeadSearch, ...]]] = {
    "ADJP": _one_by_one("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": _one_by_one("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": _one_by_one("right", "CC RB IN"),
    "FRAG": _any("right", "NP VP S SBAR PP ADJP ADVP INTJ"),
    "INTJ": _any("left", "UH INTJ"),
    "LST": _one_by_one("right", "LS :"),
    "NAC": _one_by_one("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "NML": _any("right", "NN NNP NNPS NNS NX NML") + _any("right", "CD JJ ADJP"),
    "NP": _any("right", "NN NNP NNPS NNS NX NML POS JJR PRP WP DT EX") + _any("left", "NP")
    + _any("right", "$ ADJP PRN") + _any("right", "CD") + _any("right", "JJ JJS RB QP"),
    "PP": _one_by_one("right", "IN TO VBG VBN RP FW PP"),
    "PRN": _any("left", "S SBAR NP VP PP ADJP ADVP"),
    "PRT": _any("right", "RP"),
    "QP": _one_by_one("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": _one_by_one("right", "VP NP ADVP ADJP PP"),
    "S": _one_by_one("left", "TO VP S SBAR ADJP UCP NP IN"),
    "SBAR": _one_by_one("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": _one_by_one("left", "SQ S SINV SBARQ FRAG"),
    "SINV": _one_by_one("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": _one_by_one("left", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (),
    "VP": _one_by_one("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": _one_by_one("left", "WRB JJ ADJP"),
    "WHADVP": _one_by_one("right", "WRB CC"),
    "WHNP": _one_by_one("left", "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": _one_by_one("right", "IN TO FW"),
}  # fmt: skip
"""Collins's table with two additions: NML of the English Web Treebank, and pronouns as heads of NP."""

FRENCH: Final[Mapping[str, tuple[HeadSearch, ...]]] = {
    "AP": _any("right", "ADJ ADJWH VPP VPR ET") + _any("left", "AP"),
    "AdP": _any("right", "ADV ADVWH") + _any("left", "AdP"),
    "COORD": _any("left", "CC") + _any("left", "PONCT"),
    "NP": _any("left", "NC NPP ET PRO PROREL PROWH CLS CLO CLR") + _any("left", "NP") + _any("left", "ADJ V DET"),
    "PP": _any("left", "P P+D P+PRO") + _any("left", "PP"),
    "SENT": _any("left", "VN VPinf") + _any("left", "SENT Sint Ssub Srel") + _any("left", "NP PP AP AdP COORD"),
    "Sint": _any("left", "VN VPinf") + _any("left", "Sint"),
    "Srel": _any("left", "VN VPinf") + _any("left", "NP PP PROREL"),
    "Ssub": _any("left", "CS P") + _any("left", "VN Sint Ssub"),
    "VN": _any("right", "V VINF VPP VPR VS VIMP") + _any("right", "VN"),
    "VPinf": _any("left", "VN VINF") + _any("left", "VPinf"),
    "VPpart": _any("left", "VN VPP VPR") + _any("left", "VPpart"),
}

TABLES: Final = {"penn": PENN, "french": FRENCH}


def head_index(label: str, daughters: Sequence[str], table: Mapping[str, tuple[HeadSearch, ...]]) -> int | None:
    """Return the index of the head among the daughters of a phrase, or None if none is found.

    The head is an only daughter, else a daughter with the function Head (Sinica), else the result of the first
    successful search in the table.
    """
    if len(daughters) == 1:
        return 0
    for index, daughter in enumerate(daughters):
        if function_of(daughter) in ("Head", "head"):
            return index
    bare = [bare_label(daughter) for daughter in daughters]
    for direction, categories in table.get(bare_label(label), ()):
        order = range(len(bare)) if direction == "left" else range(len(bare) - 1, -1, -1)
        for index in order:
            if bare[index] in categories:
                return index
    return None


def table_for(labels: Mapping[str, int]) -> str:
    """Return the name of the head table that knows most of the labels, by counts; `cover` if it knows under half."""
    known = {name: sum(count for label, count in labels.items() if label in table) for name, table in TABLES.items()}
    best = max(known, key=lambda name: (known[name], name))
    return best if 2 * known[best] > sum(labels.values()) else "cover"


# Dependencies: all other daughters of a phrase depend on its head, which is marked (Sinica) or found by a table.

HeadTable = Mapping[str, tuple[HeadSearch, ...]]
MARK: Final = "Head"
"""Function of a head in the Sinica Treebank."""


def dependencies_of(tree: Tree, heads: HeadTable = PENN) -> DependencyTree | None:
    """Convert a tree to dependencies, tags in XPOS, without empty elements; None if nothing is left.

    The first daughter with the function `Head` is the head of its phrase (Sinica), else one with `head` in lower case
    (before 的). Without a mark the table decides; if it finds none, the head is the daughter at which its last search
    begins, or the last daughter for unknown labels, but punctuation only if there is nothing else. Several trees in an
    outer bracket without label have a root each.
    """
    whole = cleaned(tree, functions=True, dropped=CODES, joined=False)
    if whole is None:
        return None
    words: list[Tree] = []
    governors: list[int] = []
    built: list[list[int]] = [[]]
    waiting: list[tuple[Tree, bool]] = [(whole, False)]
    while waiting:
        node, is_done = waiting.pop()
        if node.form is not None:
            words.append(node)
            governors.append(0)
            built[-1].append(len(words))
        elif not is_done:
            built.append([])
            waiting.append((node, True))
            waiting += ((daughter, False) for daughter in reversed(node.daughters))
        else:
            below = built.pop()
            if node.label in WRAPPERS:
                built[-1] += below
                continue
            head = below[_head(node, heads)]
            for number in below:
                governors[number - 1] = head if number != head else 0
            built[-1].append(head)
    return DependencyTree(
        tuple(
            DependencyWord(word.form or "_", xpos=bare_label(word.label), head=head, deprel="dep" if head else "root")
            for word, head in zip(words, governors, strict=True)
        ),
        line=tree.line,
    )


def _head(node: Tree, table: HeadTable) -> int:
    """Return the index of the head daughter."""
    labels = [daughter.label for daughter in node.daughters]
    for index, label in enumerate(labels):
        if function_of(label) == MARK:
            return index
    index_by_table = head_index(node.label, labels, table)
    return index_by_table if index_by_table is not None else _outermost(labels, table.get(bare_label(node.label), ()))


def _outermost(labels: Sequence[str], searches: Sequence[HeadSearch]) -> int:
    """Return the index of the first daughter that is not punctuation, from the side where the last search begins."""
    order = list(range(len(labels)))
    if not searches or searches[-1][0] == "right":
        order.reverse()
    return next((index for index in order if bare_label(labels[index]) not in PUNCTUATION), order[0])
