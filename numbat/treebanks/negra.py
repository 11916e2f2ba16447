"""NEGRA's export format (Brants 1997), versions 3 and 4: one word or phrase per line, with the number of its mother.

    #BOS 1 2 1098266456 1
    Das     das   PDS    Nom.Sg.Neut  SB  500
    weiß    weiß  VVFIN  3.Sg.Pres    HD  500
    #500    --    S      --           --  0
    #EOS 1

Version 3 has no column for lemmas. Edges become functions, `NP-SB`; `--` is an empty value. Branches may cross.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from numbat.errors import Problem, Span, quotable, whole_of
from numbat.files import numbered
from numbat.treebanks.crossing import CrossingTree, Node, TableMistake, inner, leaves_in_order, tree_of_table
from numbat.treebanks.formats import word_form
from numbat.treebanks.notes import SECONDARY, Notes
from numbat.treebanks.trees import Tree, bare_label, function_of

BEGIN: Final = re.compile(r"#BOS\s+(\S+)")
END: Final = re.compile(r"#EOS\b")
TABLE: Final = re.compile(r"#(BOT|EOT)\b")
VERSION: Final = re.compile(r"#FORMAT\s+(\d+)")
PHRASE: Final = re.compile(r"#(\d{3,9})", re.ASCII)
FIRST_PHRASE: Final = 500
"""Number of the first phrase of a sentence."""
NONE: Final = "--"


def read_export(lines: Iterable[str], path: str, notes: Notes | None = None) -> Iterator[Tree | CrossingTree | Problem]:
    """Yield each tree or, for a bad one, its first mistake. Tables of tags before the sentences are skipped."""
    reader = _ExportReader(path, Notes() if notes is None else notes)
    for number, line in numbered(lines):
        yield from reader.read(line.rstrip("\r\n"), number)
    yield from reader.finish("the end of the file")


def format_export(tree: Tree | CrossingTree, number: int) -> str:
    """Format a tree in version 4 as the sentence with this number; blanks in forms become `_`."""
    numbers: dict[int, int] = {}
    mothers: dict[int, int] = {}
    whole = inner(tree)
    top = whole if whole.label else None
    for node in reversed(list(whole.walk())):
        if node.form is None and (node is top or node is not whole):
            numbers[id(node)] = FIRST_PHRASE + len(numbers)
        mothers |= {id(daughter): id(node) for daughter in node.daughters}
    leaves = (
        leaves_in_order(whole) if isinstance(tree, CrossingTree) else [n for n in whole.walk() if n.form is not None]
    )
    phrases = [node for node in reversed(list(whole.walk())) if id(node) in numbers]
    rows = [f"#BOS {number}"]
    for node in (*leaves, *phrases):
        name = node.form if node.form is not None else f"#{numbers[id(node)]}"
        lemma, morph = (node.word.lemma, node.word.morph) if node.word else ("", "")
        mother = numbers.get(mothers.get(id(node), 0), 0)
        columns = (name, lemma, bare_label(node.label), morph, function_of(node.label))
        rows.append("\t".join((*(word_form(column).replace(" ", "_") or NONE for column in columns), str(mother))))
    return "\n".join((*rows, f"#EOS {number}", ""))


class _ExportReader:
    """Reader state: the rows of the open sentence, and the version of the format."""

    def __init__(self, path: str, notes: Notes) -> None:
        self.path, self.notes = path, notes
        self.version: int | None = None
        self.rows: list[tuple[int, str]] = []
        self.begun: tuple[int, str, str] | None = None
        self.sentence = 0
        self.in_table = False
        self.is_told = False

    def read(self, text: str, number: int) -> Iterator[Tree | CrossingTree | Problem]:
        if text.startswith("#"):
            if match := BEGIN.match(text):
                yield from self.finish(f"the next sentence, in line {number}")
                self.sentence += 1
                self.begun, self.is_told = (number, match[1], text), False
                return
            if END.match(text) and self.begun:
                yield self._tree()
                self.begun, self.rows = None, []
                return
            if match := VERSION.match(text):
                self.version = whole_of(match[1])
                return
            if match := TABLE.match(text):
                self.in_table = match[1] == "BOT"
                return
        if not text.strip() or self.in_table or (text.startswith("%%") and self.begun is None):
            return
        if self.begun is not None:
            self.rows.append((number, text))
        elif not self.is_told:
            self.is_told = True
            after = f"after sentence {self.sentence}" if self.sentence else "before the first sentence"
            yield self._problem(f"a row outside the sentences, {after}", number, "#BOS", text.split()[0], text)

    def finish(self, actual: str) -> Iterator[Problem]:
        """Report a sentence that is still open."""
        if self.begun is not None:
            line, name, text = self.begun
            message = f"sentence {self.sentence} ({name}): a sentence that is not closed"
            yield self._problem(message, line, f"#EOS {name}", actual, text)
        self.begun, self.rows = None, []

    def _tree(self) -> Tree | CrossingTree | Problem:
        assert self.begun is not None
        line, name, _ = self.begun
        texts = dict(self.rows)
        try:
            nodes = [self._node(number, text) for number, text in self.rows]
            return tree_of_table(nodes, line)
        except TableMistake as mistake:
            message = f"sentence {self.sentence} ({name}): {mistake.message}"
            return self._problem(message, mistake.line, mistake.expected, mistake.found, texts.get(mistake.line, ""))

    def _node(self, number: int, text: str) -> Node:
        cells = word_form(text.split("%%", 1)[0]).split(" ")
        version = self.version or (3 if len(cells) % 2 else 4)
        lemmas = version != 3
        least = 5 + lemmas
        if len(cells) < least or (len(cells) - least) % 2:
            expected = f"{least} columns, or two more for each secondary edge, in version {version}"
            raise TableMistake("a row with too few or too many columns", number, expected, str(len(cells)))
        if len(cells) > least:
            self._tell_secondary()
        name, *others = cells
        lemma = others.pop(0) if lemmas else NONE
        tag, morph, edge, mother = others[:4]
        if not mother.isdecimal():
            raise TableMistake("a mother that is not a number", number, "the number of a phrase, 0 for none", mother)
        label = tag if edge == NONE else f"{tag}-{edge}"
        match = PHRASE.fullmatch(name)
        is_phrase = match is not None and int(match[1]) >= FIRST_PHRASE
        above = "" if mother == "0" else mother
        if is_phrase:
            return Node(name[1:], label, above, number)
        return Node(f"word {number}", label, above, number, name, _said(lemma), _said(morph))

    def _tell_secondary(self) -> None:
        assert self.begun is not None
        if self.notes.places.get(SECONDARY, [""])[-1] != self.begun[1]:
            self.notes.add(SECONDARY, self.begun[1])

    def _problem(self, message: str, line: int, expected: str, actual: str, text: str) -> Problem:
        span = Span(self.path, line, 1, len(text) + 1)
        return Problem(message, span, "error", expected, actual, source_line=quotable(text))


def _said(cell: str) -> str:
    return "" if cell == NONE else cell
