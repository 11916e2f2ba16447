"""The errors that packaged weights leave: `python -m pytest tests/bench/test_tree_error_bench.py -n0 -s`.

Brackets of the parts of the English Web Treebank that weights were not learned from (dev), gold tags, words counted as
evalb does. A bracket of only one of the two trees *crosses* if its span overlaps one of the other tree; has *another
label* if one of the other tree over the same span has no partner either; is *unary* if its span is right, but not how
many phrases are over it; else it is *missing* or *extra*. Skipped without the treebank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from numbat import load_grammar
from numbat.grammar.names import WILDCARD
from numbat.parsing.tree_model.scoring import read_weights
from numbat.parsing.treebank_grammar.expansions import read_expansions
from numbat.parsing.treebank_parser import TreebankParser
from numbat.treebanks.converting import tree_of
from numbat.treebanks.scores import DEFAULT_PARAMETERS
from numbat.treebanks.trees import Tree, cleaned, spans_of
from numbat.words.lattice import Arc, Lattice
from tests.bench.test_treebank_bench import MAX_LENGTH, trees_of

Bracket = tuple[str, int, int]
KINDS = ("crossing", "missing or extra", "label", "unary")


def brackets_of(tree: Tree) -> Counter[Bracket]:
    """The brackets of a tree over the words that count."""
    left = cleaned(tree, dropped=DEFAULT_PARAMETERS.deleted, joined=False)
    every = [] if left is None or left.form is not None else spans_of(left)
    return Counter((label, start, end) for node, start, end in every if (label := DEFAULT_PARAMETERS.label(node.label)))


def errors(gold: Tree, found: Tree) -> Iterator[tuple[str, str]]:
    """The kind of each error, with the label or the two labels."""
    right, made = brackets_of(gold), brackets_of(found)
    missed, extra = right - made, made - right
    for bracket in list(missed):
        partners = [other for other in extra if other[1:] == bracket[1:]]
        while missed[bracket] and (other := next((each for each in partners if extra[each]), None)):
            missed[bracket] -= 1
            extra[other] -= 1
            yield from [("label", f"{bracket[0]} as {other[0]}")] * 2
    for rest, others, name in ((missed, made, "missing"), (extra, right, "extra")):
        spans = {(start, end) for _, start, end in others}
        for (label, start, end), count in rest.items():
            if (start, end) in spans:
                kind = "unary"
            elif any(a < start < b < end or start < a < end < b for a, b in spans):
                kind = "crossing"
            else:
                kind = "missing or extra"
            yield from [(kind, label if kind == "crossing" else f"{label} {name}")] * count


def parsed(parser: TreebankParser, tree: Tree) -> Tree:
    words = [(form, tag if tag in parser.grammar.leaves else WILDCARD) for form, tag in tree.words()]
    arcs = tuple(Arc(i, i + 1, form, tag) for i, (form, tag) in enumerate(words))
    return tree_of(parser.parse(Lattice(tuple(form for form, _ in words), arcs)))


def lines(longest: int, found: list[tuple[str, str]]) -> Iterator[str]:
    of_kind = Counter(kind for kind, _ in found)
    yield f"up to {longest} words: {len(found):,} brackets of one tree alone"
    for kind in KINDS:
        most = Counter(label for each, label in found if each == kind).most_common(12)
        told = ", ".join(f"{label} {count // 2 if kind == 'label' else count}" for label, count in most)
        yield f"  {kind:<18}{of_kind[kind] / len(found):6.1%}  {told}"


def test_errors_that_weights_leave() -> None:
    parser = TreebankParser(load_grammar("ewt"), read_expansions("ewt"), weights=read_weights("ewt"))
    found: list[tuple[int, list[tuple[str, str]]]] = []
    for tree in filter(None, (cleaned(each, joined=False) for each in trees_of("en_ewt", "dev"))):
        words = sum(1 for _ in tree.words())
        if words <= MAX_LENGTH:
            found.append((words, list(errors(tree, parsed(parser, tree)))))
    for longest in (15, MAX_LENGTH):
        print("\n".join(lines(longest, [each for words, own in found if words <= longest for each in own])))
