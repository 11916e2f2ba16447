"""Valid treebanks of every format that Numbat recognises, drawn by a seeded generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final
from xml.sax.saxutils import quoteattr

from tests.fuzz.valid import TAGS, UNIVERSAL, WORDS, brackets, conllu, sinica

LABELS: Final = ("S", "NP", "VP", "PP")
EDGES: Final = ("--", "HD", "SB", "OA")


class Node:
    """A word with its place, or a phrase with what is below it."""

    def __init__(self, rng: Random, depth: int, words: list[Node]) -> None:
        self.edge = rng.choice(EDGES)
        self.below: list[Node] = []
        if depth == 0 or rng.random() < 0.3:
            self.label, self.word, self.place = rng.choice(TAGS), rng.choice(WORDS), len(words)
            words.append(self)
        else:
            self.label, self.word = rng.choice(LABELS), ""
            self.below = [Node(rng, depth - 1, words) for _ in range(rng.randint(1, 3))]

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        yield self
        for each in self.below:
            yield from each.walk()


def _tree(rng: Random) -> tuple[Node, list[Node]]:
    words: list[Node] = []
    while True:
        words.clear()
        tree = Node(rng, 3, words)
        if tree.below:
            return tree, words


def _each(rng: Random, one: Callable[[Random, int], str]) -> bytes:
    return "".join(one(rng, number) for number in range(1, rng.randint(1, 3) + 1)).encode()


def square(rng: Random) -> bytes:
    """Trees in square brackets, as linguists type them."""

    def show(node: Node) -> str:
        return f"[{node.label} {node.word or ' '.join(map(show, node.below))}]"

    return _each(rng, lambda rng, number: f"{show(_tree(rng)[0])}\n")


def untagged(rng: Random) -> bytes:
    """Trees in brackets whose words have no tags."""

    def show(node: Node) -> str:
        return node.word or f"({node.label} {' '.join(map(show, node.below))})"

    return _each(rng, lambda rng, number: f"{show(_tree(rng)[0])}\n")


def discontinuous(rng: Random) -> bytes:
    """Trees in brackets with numbered words, some of them exchanged."""

    def one(rng: Random, number: int) -> str:
        tree, words = _tree(rng)
        if len(words) > 1:
            first, second = rng.sample(words, 2)
            first.place, second.place = second.place, first.place

        def show(node: Node) -> str:
            inside = f"{node.place}={node.word}" if node.word else " ".join(map(show, node.below))
            return f"({node.label} {inside})"

        return f"{show(tree)}\n"

    return _each(rng, one)


def export(rng: Random) -> bytes:
    """Sentences in NEGRA's export format."""
    version = rng.choice((3, 4))

    def one(rng: Random, number: int) -> str:
        tree, words = _tree(rng)
        phrases = [node for node in tree.walk() if not node.word][::-1]
        numbers = {id(node): 500 + place for place, node in enumerate(phrases)}
        mothers = {id(below): numbers[id(node)] for node in phrases for below in node.below}
        rows = [f"#BOS {number} 1 0 1"]
        for node in (*words, *phrases):
            cells = [node.word or f"#{numbers[id(node)]}", *(["--"] if version == 4 else []), node.label, "--"]
            rows.append("\t".join([*cells, node.edge, str(mothers.get(id(node), 0))]))
        return "".join(f"{row}\n" for row in (*rows, f"#EOS {number}"))

    return f"#FORMAT {version}\n".encode() + _each(rng, one)


def tiger(rng: Random) -> bytes:
    """Sentences in TIGER-XML."""

    def one(rng: Random, number: int) -> str:
        tree, words = _tree(rng)
        names = {id(node): f"s{number}_{place}" for place, node in enumerate(tree.walk())}
        terminals = "".join(
            f"<t id={quoteattr(names[id(node)])} word={quoteattr(node.word)} pos={quoteattr(node.label)}/>\n"
            for node in words
        )
        phrases = [node for node in tree.walk() if not node.word]
        inner = "".join(
            f"<nt id={quoteattr(names[id(node)])} cat={quoteattr(node.label)}>"
            + "".join(f"<edge label={quoteattr(each.edge)} idref={quoteattr(names[id(each)])}/>" for each in node.below)
            + "</nt>\n"
            for node in phrases
        )
        graph = f"<terminals>\n{terminals}</terminals>\n<nonterminals>\n{inner}</nonterminals>\n"
        return f'<s id="s{number}">\n<graph root={quoteattr(names[id(tree)])}>\n{graph}</graph>\n</s>\n'

    return b'<?xml version="1.0" encoding="UTF-8"?>\n<corpus>\n<body>\n' + _each(rng, one) + b"</body>\n</corpus>\n"


def alpino(rng: Random) -> bytes:
    """Sentences in Alpino's XML."""

    def one(rng: Random, number: int) -> str:
        tree, _ = _tree(rng)

        def show(node: Node) -> str:
            if node.word:
                about = f'pos={quoteattr(node.label)} word={quoteattr(node.word)} begin="{node.place}"'
                return f"<node rel={quoteattr(node.edge)} {about}/>\n"
            inside = "".join(map(show, node.below))
            return f"<node rel={quoteattr(node.edge)} cat={quoteattr(node.label)}>\n{inside}</node>\n"

        return f'<alpino_ds version="1.3">\n{show(tree)}<sentence sentid="{number}">x</sentence>\n</alpino_ds>\n'

    return b'<?xml version="1.0"?>\n' + _each(rng, one)


def columns(rng: Random) -> bytes:
    """Dependencies in the columns of MaltTab, CoNLL-X, CoNLL-2009 or CoNLL-U Plus."""
    width = rng.choice((3, 4, 10, 14, 0))

    def one(rng: Random, number: int) -> str:
        size = rng.randint(1, 6)
        root = rng.randint(1, size)
        rows = []
        for place in range(1, size + 1):
            word, tag, head = rng.choice(WORDS), rng.choice(UNIVERSAL), "0" if place == root else str(root)
            rows.append(
                {
                    3: (word, tag, head),
                    4: (word, tag, head, "dep"),
                    10: (str(place), word, word, tag, tag, rng.choice(("_", "sg")), head, "dep", "_", "_"),
                    14: (str(place), word, *(word,) * 2, *(tag,) * 2, "_", "_", head, head, "dep", "dep", "_", "_"),
                    0: (str(place), word, tag, head, rng.choice(("*", "1:VID", "_"))),
                }[width]
            )
        return "".join("\t".join(row) + "\n" for row in rows) + "\n"

    head = b"# global.columns = ID FORM UPOS HEAD PARSEME:MWE\n" if width == 0 else b""
    return head + _each(rng, one)


def chunks(rng: Random) -> bytes:
    """Tagged words of the Penn Treebank."""

    def word(rng: Random) -> str:
        return f"{rng.choice(WORDS)}/{rng.choice(TAGS)}"

    def one(rng: Random, number: int) -> str:
        inside = " ".join(word(rng) for _ in range(rng.randint(1, 3)))
        return f"{'=' * 20}\n\n[ {inside} ]\n{word(rng)} ./.\n\n"

    return _each(rng, one)


def cohorts(rng: Random) -> bytes:
    """A stream of CG-3."""

    def one(rng: Random, number: int) -> str:
        lines = []
        for place in range(1, rng.randint(2, 5)):
            word, head = rng.choice(WORDS), rng.choice((0, 1))
            lines.append(f'"<{word}>"')
            lines += [f'\t"{word}" {rng.choice(UNIVERSAL)} Sg @X #{place}->{head}'] * rng.choice((1, 1, 2))
        return "\n".join([*lines, '"<.>"', '\t"." PUNCT #9->0']) + "\n\n"

    return _each(rng, one)


def tagged(rng: Random) -> bytes:
    """Tagged words, in lines of sentences or one to a line."""
    sentences = [[(rng.choice(WORDS), rng.choice(TAGS)) for _ in range(rng.randint(1, 6))] for _ in range(2)]
    if rng.random() < 0.5:
        return "".join(" ".join(f"{word}/{tag}" for word, tag in each) + "\n" for each in sentences).encode()
    between = rng.choice(("\t", " "))
    return "".join("".join(f"{word}{between}{tag}\n" for word, tag in each) + "\n" for each in sentences).encode()


FORMS: Final = (
    *(brackets, brackets, conllu, conllu, conllu, sinica, square, untagged, discontinuous, export),
    *(tiger, tiger, alpino, columns, columns, chunks, cohorts, tagged),
)


def treebank(rng: Random) -> bytes:
    """A treebank of any format."""
    return rng.choice(FORMS)(rng)
