"""Penn-style bracketed trees: `(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))`, read as a stream and written.

Accepted are trees over several lines, several trees on one line, an outer bracket without label, TOP or ROOT (kept as a
node), empty elements `(-NONE- *T*-1)`, and forms of several words `(P in front of)`, which are noted. If the first tree
has two words in every leaf, `(np0000o Brasil Brasil)`, and half of them have the same first letter, the second is the
lemma. Brackets in words are written `-LRB-` or `\\(`. Lines between trees that begin with `#`, `;;` or `%%` are
comments. A bracket in column 1 with the label of the open tree starts the next tree, so that a missing bracket spoils
one tree only; with another label it goes on with the open tree if this is closed later. Trees with crossing branches
are read as discbracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from numbat.errors import Problem, Span, quotable
from numbat.files import numbered
from numbat.parsing.explanation.text import bracketed
from numbat.treebanks.crossing import CrossingTree, TableMistake, inner, positions_of, settled, without_position
from numbat.treebanks.notes import COLUMN_ONE, LEMMAS, SEVERAL_WORDS, Notes
from numbat.treebanks.trees import Tree, WordFacts, with_leaves
from numbat.words.tag_maps import EMPTY_TAG
from numbat.words.typed import SQUARE

TOKEN: Final = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|\(\s*([^\s()]*)|\)|[^\s()]+", re.ASCII)
"""Pattern of a leaf (groups 1 and 2), an opening bracket with its label (group 3), a closing bracket, or a word.

Only ASCII blanks separate: a no-break space is part of a form, as in the French `10 000`.
"""
WITH_BACKSLASHES: Final = re.compile(TOKEN.pattern.replace(r"[^\s()]", r"(?:\\[()]|[^\s()])"), re.ASCII)
"""`TOKEN` for a line with `\\(` or `\\)`, a bracket that is part of a word."""
ESCAPES: Final = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
COMMENTS: Final = ("#", ";;", "%%")
"""Beginnings of comment lines between trees."""
COLUMN_1: Final = re.compile(r"\(\s*([^\s()]*)", re.ASCII)
MOST_LINES: Final = 1000
"""Maximum number of lines that a tree goes on in column 1 before it counts as one that is not closed."""
ESCAPED: Final = re.compile("|".join(ESCAPES))

NO_TREEBANK: Final = "nothing here is a tree, so this is not a treebank; a tree is written (NP (DT the) (NN cat))"


TO_ROUND: Final = str.maketrans({"[": "(", "]": ")", "(": "\\(", ")": "\\)"})
QTREE_LABEL: Final = re.compile(r"\[\.(?=\S)")


def from_square(line: str) -> str:
    """Return a line of trees in square brackets, as of syntax papers and of qtree (`[.S`), in round ones."""
    return QTREE_LABEL.sub("[", line).translate(TO_ROUND)


def read_brackets(
    lines: Iterable[str], path: str, notes: Notes | None = None, tagged: bool = True
) -> Iterator[Tree | Problem]:
    """Yield each tree or, for a bad one, its first mistake; text between two trees is one problem.

    Problems count sentences from 1, bad ones included. Reading continues after the bracket that balances the bad tree,
    or at the next line that starts a tree, whichever comes first. Memory: one tree and its lines. Unless `tagged`,
    words have no tags, as in files .prd of the Penn Treebank: a word becomes a leaf `_`, an empty element `-NONE-`.
    """
    reader = _BracketReader(path, Notes() if notes is None else notes, tagged)
    for number, line in numbered(lines):
        yield from reader.read(line, number)
    yield from reader.finish("the end of the file")
    yield from reader.strays(at_end=True)


def format_brackets(tree: Tree) -> str:
    """Format the tree on one line; reading it back gives an equal tree, but for lemmas and morphology.

    Brackets in forms and labels become -LRB- and -RRB-, blanks in labels `_`; a blank in a form separates its words.
    The format cannot express leaves without form; this is not checked.
    """
    return bracketed([tree], lambda node: (node.label, node.form))


def _token(text: str) -> re.Pattern[str]:
    """Return the pattern for a line: the one of `TOKEN` and `WITH_BACKSLASHES` with which its brackets balance."""
    if "\\" not in text:
        return TOKEN
    opening, closing = text.count("\\("), text.count("\\)")
    plain = text.count("(") - text.count(")")
    escaped = plain - opening + closing
    if (plain == 0) != (escaped == 0):
        return TOKEN if plain == 0 else WITH_BACKSLASHES
    return WITH_BACKSLASHES if opening == closing else TOKEN


def _unescape(form: str) -> str:
    if "\\" in form:
        form = form.replace("\\(", "(").replace("\\)", ")")
    return ESCAPED.sub(lambda match: ESCAPES[match[0]], form) if "B-" in form else form


@dataclass(slots=True)
class _OpenBracket:
    """A bracket that is still open, with its place and content."""

    label: str
    line: int
    column: int
    text: str
    daughters: list[Tree] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    first_word: tuple[int, int, str] = (0, 0, "")


def _leaf_with_lemma(label: str, words: list[str], place: Tree | _OpenBracket) -> Tree:
    form, lemma = words
    return Tree(label, (), form, place.line, place.column, WordFacts(lemma))


def _untagged_leaf(label: str, word: str, line: int, column: int) -> Tree:
    """Return the leaf of a word without tag below a phrase; traces, and `0` for a lacking word, are empty elements."""
    is_empty = word.startswith("*") or (word == "0" and label.startswith(("SBAR", "WH")))
    return Tree(EMPTY_TAG if is_empty else "_", (), word, line, column)


def _over_word(phrase: Tree) -> Tree:
    """Return a phrase that was read as the tag of a word."""
    leaf = _untagged_leaf(phrase.label, phrase.form or "", phrase.line, phrase.column)
    return Tree(phrase.label, (leaf,), None, phrase.line, phrase.column)


class _BracketReader:
    """Reader state between lines: open brackets, first mistake of the tree, sentence number.

    `stray` is the problem of text after the last tree, `stray_end` the number of its last line. `has_lemmas` is None
    until a tree of several leaves shows whether the second of two words in a leaf is its lemma. `doubt` is the problem
    of a tree that goes on in column 1 if it is not closed, `held` its lines from there, `goes_on` is True once such a
    tree was closed, and `noted` the number of leaves of several words before `held`.
    """

    def __init__(self, path: str, notes: Notes, tagged: bool = True) -> None:
        self.path = path
        self.notes = notes
        self.tagged = tagged
        self.doubt: list[Problem] = []
        self.held: list[tuple[str, int]] = []
        self.goes_on = False
        self.noted = 0
        self.has_lemmas: bool | None = None
        self.stack: list[_OpenBracket] = []
        self.fault: Problem | None = None
        self.sentence = 0
        self.stray: Problem | None = None
        self.stray_end = 0

    def read(self, text: str, line: int) -> list[Tree | Problem]:
        """Return the trees and problems completed by this line."""
        ready: list[Tree | Problem] = []
        if self.stack and (match := COLUMN_1.match(text)):
            if match[1] == self.stack[0].label or len(self.held) == MOST_LINES:
                ready = self.finish(f"the next tree, in line {line}")
            elif not self.doubt:
                self.doubt = self._unclosed(f"the next tree, in line {line}")
                self.noted = self.notes.counts.get(SEVERAL_WORDS, 0)
        if not self.doubt or not self.stack:
            return ready + self._read(text, line)
        sentence = self.sentence
        self.held.append((text, line))
        ready += self._read(text, line)
        if not self.stack or self.sentence > sentence:
            self.notes.add(COLUMN_ONE, f"{self.path}:{self.held[0][1]}")
            self.goes_on = True
            self.doubt, self.held = [], []
        return ready

    def _read(self, text: str, line: int) -> list[Tree | Problem]:
        """Return the trees and problems completed by this line, which may go on with an open tree."""
        ready: list[Tree | Problem] = []
        stack = self.stack
        reported = False
        if not stack and text.startswith(COMMENTS):
            return ready
        is_plain = "\\" not in text and "B-" not in text and self.tagged
        for match in (TOKEN if is_plain else _token(text)).finditer(text):
            group = match.lastindex
            if group is None and not stack:
                if not reported and not match[0].isspace():
                    self._outside(text, line, match.start(), ready)
                    reported = True
                continue
            if group is None:
                if match[0] != ")":
                    self._word(text, line, match)
                    continue
                tree = self._close(text, line, match.start() + 1)
            else:
                if not stack:
                    ready += self.strays()
                    self.sentence += 1
                    reported = False
                if group == 3:
                    stack.append(_OpenBracket(match[3], line, match.start() + 1, text))
                    continue
                form = match[2] if is_plain else _unescape(match[2])
                tree = Tree(match[1], (), form, line, match.start() + 1)
                tree = tree if self.tagged else _over_word(tree)
            if stack:
                stack[-1].daughters.append(tree)
            else:
                ready.append(self.fault or (tree if self.has_lemmas is not None else self._first_tree(tree)))
                self.fault = None
        return ready

    def _first_tree(self, tree: Tree) -> Tree:
        """Decide at the first tree of several leaves if leaves have lemmas; return the tree, with its lemmas if so."""
        forms = [form for form, _ in tree.words()]
        if len(forms) < 2:
            return tree
        pairs = [form.casefold().split(" ") for form in forms]
        alike = sum(len(pair) == 2 and pair[0][0] == pair[1][0] for pair in pairs)
        self.has_lemmas = all(len(pair) == 2 for pair in pairs) and 2 * alike >= len(pairs)
        if not self.has_lemmas:
            return tree
        self.notes.counts.pop(SEVERAL_WORDS, None)
        self.notes.places.pop(SEVERAL_WORDS, None)
        self.notes.add(LEMMAS, self.path)
        return with_leaves(tree, lambda leaf: _leaf_with_lemma(leaf.label, (leaf.form or "").split(" "), leaf))

    def finish(self, actual: str) -> list[Tree | Problem]:
        """Return the problem of a tree still open at `actual`: the end of the file or the start of the next tree.

        If it seemed to go on in column 1, the lines from there are read again as trees of their own.
        """
        again, is_one_tree = self.held, self.goes_on
        problems = self._give_up(actual)
        if is_one_tree:
            return problems
        if again and self.noted < self.notes.counts.get(SEVERAL_WORDS, 0):
            self.notes.counts[SEVERAL_WORDS] = self.noted
            del self.notes.places[SEVERAL_WORDS][self.noted :]
        for text, line in again:
            if text.startswith("("):
                problems += self._give_up(f"the next tree, in line {line}")
            problems += self._read(text, line)
        return problems + self._give_up(actual)

    def _give_up(self, actual: str) -> list[Tree | Problem]:
        """Return the problem of a tree still open at `actual`, and forget the tree."""
        if not self.stack:
            return []
        problems: list[Tree | Problem] = [*(self.doubt or self._unclosed(actual))]
        self.doubt, self.held, self.fault = [], [], None
        self.stack.clear()
        return problems

    def _unclosed(self, actual: str) -> list[Problem]:
        """Return the problem of the open tree, or its first mistake before."""
        before = self.fault
        outer, inner = self.stack[0], self.stack[-1]
        count = len(self.stack)
        hint = f"the innermost open bracket is ({inner.label} in line {inner.line}, column {inner.column}"
        if actual.startswith("the next tree"):
            hint += "; indent the further lines of a tree"
        self._blame(
            "a tree that is not closed", (outer.line, outer.column, outer.text), 1, f"{count} more )", actual, hint
        )
        problem, self.fault = self.fault, before
        return [problem] if problem else []

    def _word(self, text: str, line: int, match: re.Match[str]) -> None:
        """Read a word that is not a whole leaf: a label on its own line, or (part of) a form."""
        top = self.stack[-1]
        word = match[0]
        if word.isspace():
            return
        if not top.label and not top.daughters:
            top.label = word
            return
        if not self.tagged:
            top.daughters.append(_untagged_leaf(top.label, _unescape(word), line, match.start() + 1))
            return
        if not top.words:
            top.first_word = line, match.start() + 1, text
        top.words.append(word)

    def _close(self, text: str, line: int, column: int) -> Tree:
        """Close the innermost bracket, check it and return its node."""
        top = self.stack.pop()
        if top.words and top.daughters:
            self._blame(
                f"a word beside brackets in ({top.label}", top.first_word, len(top.words[0]),
                "either words or bracketed daughters", top.words[0],
                "give the word a bracket with its tag, or read trees without tags with --from prd",
            )  # fmt: skip
        elif not top.label and not top.daughters:
            self._blame("an empty bracket", (line, column, text), 1, "a label and a word, or a tree", ")")
        elif not top.label and self.stack:
            expected = "a label after ( ; only the outermost bracket may do without"
            self._blame("a bracket without label", (top.line, top.column, top.text), 1, expected, "(")
        elif not top.words and not top.daughters:
            expected = f"a word or bracketed daughters after ({top.label}"
            self._blame("a label without anything below it", (line, column, text), 1, expected, ")")
        form = None
        if top.words and not top.daughters:
            if self.has_lemmas and len(top.words) == 2:
                return _leaf_with_lemma(top.label, [_unescape(word) for word in top.words], top)
            if len(top.words) > 1:
                self.notes.add(SEVERAL_WORDS, f"{self.path}:{top.line}")
            form = _unescape(" ".join(top.words))
        return Tree(top.label, tuple(top.daughters), form, top.line, top.column)

    def _outside(self, text: str, line: int, start: int, ready: list[Tree | Problem]) -> None:
        """Read text between two trees. A ) on the line of a tree makes that tree bad: one of its ) is wrong."""
        content = text[start:].split("(", 1)[0].strip()
        place = line, start + 1, text
        if content[0] != ")":
            self.stray = self.stray or self._problem("text outside the trees", place, len(content), "(", content)
            self.stray_end = line
        elif not ready:
            ready += self.strays()
            message = f"a closing bracket too many, {self._where()}"
            ready.append(self._problem(message, place, len(content), "the next tree", content))
        elif isinstance(ready[-1], Tree):
            message = f"sentence {self.sentence}: a closing bracket too many"
            ready[-1] = self._problem(message, place, len(content), "the end of the tree", content)

    def strays(self, at_end: bool = False) -> list[Problem]:
        """Return a problem for all text since the last tree, [] if there is none."""
        stray, self.stray = self.stray, None
        if stray is None:
            return []
        first = stray.span.line
        lines = f" in lines {first} to {self.stray_end}" if self.stray_end > first else ""
        if at_end and not self.sentence:
            return [
                replace(
                    stray, message=stray.message + lines, hint=SQUARE if stray.found.startswith("[") else NO_TREEBANK
                )
            ]
        return [replace(stray, message=f"{stray.message}{lines}, {self._where()}")]

    def _where(self) -> str:
        return f"after sentence {self.sentence}" if self.sentence else "before the first tree"

    def _blame(
        self, message: str, place: tuple[int, int, str], width: int, expected: str, actual: str, hint: str = ""
    ) -> None:
        """Keep only the first mistake of a tree; later ones often follow from it."""
        if self.fault is None:
            self.fault = self._problem(f"sentence {self.sentence}: {message}", place, width, expected, actual, hint)

    def _problem(
        self, message: str, place: tuple[int, int, str], width: int, expected: str, actual: str, hint: str = ""
    ) -> Problem:
        line, column, text = place
        span = Span(self.path, line, column, column + width)
        return Problem(message, span, "error", expected, actual, hint, quotable(text.rstrip("\r\n")))


# discbracket, as in disco-dop: brackets whose words begin with their positions

NUMBERED: Final = re.compile(r"(\d{1,9})=(.+)", re.ASCII | re.DOTALL)


def read_discbracket(
    lines: Iterable[str], path: str, notes: Notes | None = None
) -> Iterator[Tree | CrossingTree | Problem]:
    """Yield each tree or, for a bad one, its first mistake, as `read_brackets` does."""
    for number, tree in enumerate(read_brackets(lines, path, notes), start=1):
        try:
            yield tree if isinstance(tree, Problem) else _numbered(tree)
        except TableMistake as mistake:
            message = f"sentence {number}: {mistake.message}"
            yield Problem(message, Span(path, mistake.line), "error", mistake.expected, mistake.found)


def _numbered(tree: Tree) -> Tree | CrossingTree:
    """Remove the positions from the forms, and order the leaves by them. Raises TableMistake."""
    leaves = [node for node in tree.walk() if node.form is not None]
    positions: dict[int, int] = {}
    made: list[Tree] = []
    for leaf in leaves:
        match = NUMBERED.fullmatch(leaf.form or "")
        if match is None:
            raise TableMistake("a word without its position", leaf.line, "a number, = and the word", leaf.form or "")
        position = int(match[1])
        if positions.setdefault(position, len(made)) != len(made):
            raise TableMistake("a duplicate position", leaf.line, "each position once", match[1])
        lemma = leaf.word.lemma if leaf.word else ""
        made.append(Tree(leaf.label, (), match[2], leaf.line, leaf.column, WordFacts(lemma, "", position)))
    if max(positions) != len(made) - 1:
        lacking = min(set(range(len(made))).difference(positions))
        raise TableMistake(
            "a missing position", tree.line, f"all positions from 0 to {max(positions)}", f"no {lacking}"
        )
    in_order = list(positions) == list(range(len(made)))
    trees = iter(map(without_position, made) if in_order else made)
    whole = with_leaves(tree, lambda leaf: next(trees))
    return whole if in_order else settled(whole)


def format_discbracket(tree: Tree | CrossingTree) -> str:
    """Format a tree on one line; reading it back gives an equal tree, without lemmas."""
    positions = iter(positions_of(tree))
    return bracketed(
        [inner(tree)], lambda node: (node.label, None if node.form is None else f"{next(positions)}={node.form}")
    )
