"""Trees in XML: TIGER-XML and Alpino's, read sentence by sentence.

TIGER-XML (Mengel and Lezius 2000) has the words and phrases of a sentence as elements, with edges between them:

    <s id="s1"><graph root="n1">
      <terminals><t id="w1" word="cats" lemma="cat" pos="N" morph="Pl"/></terminals>
      <nonterminals><nt id="n1" cat="NP"><edge label="HD" idref="w1"/></nt></nonterminals>
    </graph></s>

Alpino (van Noord 2006) has a tree of nodes, whose words may be elsewhere in the sentence (`begin`):

    <alpino_ds><node cat="smain" rel="--" begin="0" end="2">
      <node rel="su" pos="noun" word="Anna" lemma="Anna" begin="0" end="1"/> ...
    </node><sentence sentid="1">Anna slaapt</sentence></alpino_ds>

The XML parser reads each sentence separately, so that a mistake spoils one sentence and memory is that of one. A file
with a DOCTYPE or entities is rejected, as these may grow without bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError, Problem, Span, quotable
from numbat.treebanks.crossing import CrossingTree, Node, TableMistake, tree_of_table
from numbat.treebanks.formats import word_form
from numbat.treebanks.notes import SECONDARY, Notes
from numbat.treebanks.trees import Tree

if TYPE_CHECKING:
    from xml.parsers import expat

EDGE_OF_SENTENCE: Final = re.compile(r"<s(?=[\s>])|</s\s*>")
EDGE_OF_ALPINO: Final = re.compile(r"<alpino_ds(?=[\s>])|</alpino_ds\s*>")
REFUSED: Final = re.compile(r"<!(?:DOCTYPE|ENTITY)")
NONE: Final = "--"
PLACE: Final = re.compile(r"\d{1,9}", re.ASCII)
"""The place of a word in Alpino's XML."""


def read_tiger(lines: Iterable[str], path: str, notes: Notes | None = None) -> Iterator[Tree | CrossingTree | Problem]:
    """Yield each tree or, for a bad one, its first mistake. Raises DataError for a DOCTYPE, and without any <s>."""
    return _read(_XmlReader(path, Notes() if notes is None else notes, EDGE_OF_SENTENCE, _Graph), lines)


def read_alpino(lines: Iterable[str], path: str, notes: Notes | None = None) -> Iterator[Tree | CrossingTree | Problem]:
    """Yield each tree of an Alpino treebank as `read_tiger` does; labels are category and relation, `np-su`."""
    return _read(_XmlReader(path, Notes() if notes is None else notes, EDGE_OF_ALPINO, _AlpinoTree), lines)


def _read(reader: _XmlReader, lines: Iterable[str]) -> Iterator[Tree | CrossingTree | Problem]:
    for number, line in enumerate(lines, start=1):
        yield from reader.read(line, number)
    yield from reader.finish("the end of the file")
    if reader.has_text and not reader.sentence:
        element = "<s>" if reader.graph is _Graph else "<alpino_ds>"
        raise DataError(
            f"{reader.path}: no sentence: this file has no element {element}\n"
            "  Numbat reads TIGER-XML (<s>) and Alpino's XML (<alpino_ds>): export the trees as one of them"
        )


WELL_FORMED: Final = "close each element and quote, and write & as &amp; and < as &lt;"


class _XmlReader:
    """Reader state: the text of the open sentence, and its start, a line and a column from 0."""

    def __init__(self, path: str, notes: Notes, edges: re.Pattern[str], graph: type[_Graph]) -> None:
        self.path, self.notes, self.edges, self.graph = path, notes, edges, graph
        self.sentence = 0
        self.has_text = False
        self.pieces: list[str] | None = None
        self.line = self.column = 0

    def read(self, text: str, number: int) -> Iterator[Tree | CrossingTree | Problem]:
        if refused := REFUSED.search(text):
            raise DataError(
                f"{self.path}:{number}:{refused.start() + 1}: a DOCTYPE or entity, which Numbat does not read, as it "
                "may grow without bound\n  the trees need none: delete it"
            )
        self.has_text = self.has_text or not text.isspace()
        at = 0
        for match in self.edges.finditer(text):
            if match[0][1] != "/":
                yield from self.finish(f"the next sentence, in line {number}")
                self.pieces, self.line, self.column = [], number, match.start()
                self.sentence += 1
                at = match.start()
            elif self.pieces is not None:
                self.pieces.append(text[at : match.end()])
                yield self._tree("".join(self.pieces))
                self.pieces = None
        if self.pieces is not None:
            self.pieces.append(text[at:])

    def finish(self, actual: str) -> Iterator[Problem]:
        """Report a sentence that is still open."""
        if self.pieces is not None:
            message = f"sentence {self.sentence}: a sentence that is not closed"
            end = "</s>" if self.graph is _Graph else "</alpino_ds>"
            yield self._problem(message, self.line, end, actual, "".join(self.pieces[:1]))
            self.pieces = None

    def _tree(self, text: str) -> Tree | CrossingTree | Problem:
        graph = self.graph()
        from xml.parsers import expat  # not in the page that runs in a browser

        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = graph.start, graph.end
        graph.parser = parser
        try:
            parser.Parse(text, True)
            nodes = graph.nodes(self.line)
            if graph.has_secondary:
                self.notes.add(SECONDARY, graph.name or f"{self.path}:{self.line}")
            return tree_of_table(nodes, self.line)
        except expat.ExpatError as error:
            said = expat.ErrorString(error.code)
            wrong = f"this is not well-formed XML: {said}"
            return replace(self._place(graph, text, error.lineno, wrong, "", "", error.offset), hint=WELL_FORMED)
        except TableMistake as mistake:
            at = mistake.line - self.line + 1
            return self._place(graph, text, at, mistake.message, mistake.expected, mistake.found)

    def _place(
        self, graph: _Graph, text: str, at: int, message: str, expected: str, actual: str, offset: int = -1
    ) -> Problem:
        lines = text.split("\n")
        source = lines[at - 1] if 0 < at <= len(lines) else ""
        name = f" ({graph.name})" if graph.name else ""
        said = f"sentence {self.sentence}{name}: {message}"
        return self._problem(said, self.line + at - 1, expected, actual, source, offset)

    def _problem(self, message: str, line: int, expected: str, actual: str, text: str, offset: int = -1) -> Problem:
        indent = " " * self.column if line == self.line else ""
        start = len(indent) + (offset if offset >= 0 else len(text) - len(text.lstrip()))
        end = start + 1 if offset >= 0 else len(indent + text.rstrip())
        span = Span(self.path, line, start + 1, max(end, start + 1) + 1)
        return Problem(message, span, "error", expected, actual, source_line=quotable(indent + text.rstrip("\r\n")))


class _Graph:
    """Elements of a sentence: words, phrases, and edges by the name of the node below."""

    def __init__(self) -> None:
        self.name = ""
        self.parser: expat.XMLParserType | None = None
        self.elements: list[tuple[str, Mapping[str, str], int]] = []
        self.edges: dict[str, tuple[str, str]] = {}
        self.has_secondary = False
        self._open = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        assert self.parser is not None
        if name in ("t", "nt"):
            self._open = attributes.get("id", "")
            self.elements.append((name, attributes, self.parser.CurrentLineNumber))
        elif name == "edge":
            below = attributes.get("idref", "")
            if self.edges.setdefault(below, (self._open, attributes.get("label", NONE)))[0] != self._open:
                raise TableMistake("a node with two mothers", self.parser.CurrentLineNumber, "one edge to it", below)
        elif name == "secedge":
            self.has_secondary = True
        elif name == "s":
            self.name = attributes.get("id", "")

    def end(self, name: str) -> None:
        """Close an element."""

    def nodes(self, line: int) -> list[Node]:
        """Return the table of the sentence. Raises TableMistake."""
        nodes = []
        names = set()
        for kind, attributes, number in self.elements:
            place = line + number - 1
            wanted = ("id", "word", "pos") if kind == "t" else ("id", "cat")
            lacking = next((attribute for attribute in wanted if not attributes.get(attribute, "").strip()), None)
            if lacking:
                raise TableMistake(f"<{kind}> without {lacking}", place, f'{lacking}="..."', "none")
            name = attributes["id"]
            names.add(name)
            mother, edge = self.edges.get(name, ("", NONE))
            tag = attributes["pos"] if kind == "t" else attributes["cat"]
            label = tag if edge == NONE or not edge else f"{tag}-{edge}"
            form = word_form(attributes["word"]) if kind == "t" else None
            lemma, morph = _said(attributes.get("lemma", "")), _said(attributes.get("morph", ""))
            nodes.append(Node(name, label, mother, place, form, lemma, morph))
        strange = next((below for below in self.edges if below not in names), None)
        if strange is not None:
            raise TableMistake("an edge to an unknown node", line, "the id of a word or phrase", strange)
        return nodes


class _AlpinoTree(_Graph):
    """Nodes of an Alpino sentence; a node that only repeats another one by its index is a secondary edge."""

    def __init__(self) -> None:
        super().__init__()
        self._above: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        assert self.parser is not None
        if name == "node":
            key = str(len(self.elements))
            self.edges[key] = (self._above[-1] if self._above else "", attributes.get("rel", NONE))
            self.elements.append((key, attributes, self.parser.CurrentLineNumber))
            self._above.append(key)
        elif name == "sentence":
            self.name = attributes.get("sentid", "")

    def end(self, name: str) -> None:
        if name == "node":
            self._above.pop()

    def nodes(self, line: int) -> list[Node]:
        words, phrases = [], []
        for key, attributes, number in self.elements:
            place, (mother, edge) = line + number - 1, self.edges[key]
            word = word_form(attributes.get("word", ""))
            lemma = _said(attributes.get("lemma", attributes.get("root", "")))
            tag = attributes.get("pos" if word else "cat", "")
            label = tag if edge == NONE or not edge else f"{tag}-{edge}"
            if word:
                begin = attributes.get("begin", "")
                if not PLACE.fullmatch(begin):
                    raise TableMistake("<node> of a word without begin", place, 'begin="0"', begin or "none")
                words.append((int(begin), Node(key, label, mother, place, word, lemma, attributes.get("postag", ""))))
            elif tag:
                phrases.append(Node(key, label, mother, place))
            else:
                self.has_secondary = True
        words.sort(key=lambda pair: pair[0])
        kept: set[str] = set()
        for _, node in words:
            mother = node.mother
            while mother and mother not in kept:
                kept.add(mother)
                mother = self.edges[mother][0]
        return [*(node for _, node in words), *(phrase for phrase in phrases if phrase.name in kept)]


def _said(value: str) -> str:
    return "" if value == NONE else value
