"""Composed YAML nodes read as texts with places, lists and mappings; a node of the wrong kind is an error.

Nodes are composed and never constructed, so that a category `NO`, `on` or `1:20` stays text and a key that stands twice
is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import yaml

from numbat.errors import Problem, Span, close_match
from numbat.grammar.building.declarations import stands_twice
from numbat.grammar.names import unquoted
from numbat.grammar.notation.statements import PlacedText

KINDS: Final = {
    yaml.ScalarNode: "a text",
    yaml.SequenceNode: "a list ([a, b], or one item a line after a dash)",
    yaml.MappingNode: "a mapping (key: value)",
}
HINTS: Final = (
    ("block end", "the items of a list and the keys of a mapping begin in the same column"),
    ("mapping values", 'a text with ": " in it needs quotes: "the: cat"'),
    ("',' or", 'a list [a, b] is not closed, or a text with brackets in it needs quotes: ["N[number=sg]"]'),
    ("find expected ':'", 'a key ends with a colon: "NP:"; a text that goes on in the next line needs quotes'),
    ("end of stream", "the quotation mark that opens here is not closed"),
    ("another document", 'a grammar is one document: remove the line "---"'),
)
"""The hint for a mistake in the YAML itself, by a piece of PyYAML's message."""

_QUOTED: Final = re.compile(r'"[^"]*"')
"""A text in quotes, within which a comma separates nothing."""


@dataclass
class Nodes:
    """The nodes of the file `path`, whose text has these `lines`, and the problems found in them so far."""

    path: str
    lines: list[str]
    problems: list[Problem] = field(default_factory=list)

    def span(self, node: yaml.Node) -> Span:
        """The place of a node; of one over several lines its beginning."""
        start, end = node.start_mark, node.end_mark
        column = start.column + 1
        stop = end.column + 1 if end.line == start.line else column + 1
        return Span(self.path, start.line + 1, column, max(stop, column + 1))

    def error(self, message: str, node: yaml.Node, hint: str = "") -> None:
        """Add a mistake at the place of a node to the problems."""
        self.problems.append(Problem(message, self.span(node), hint=hint))

    def word(self, node: yaml.Node) -> PlacedText:
        """The text of a scalar as it stands there, whatever type YAML would give it."""
        span = self.span(node)
        if not isinstance(node, yaml.ScalarNode):
            hint = 'a text with ": " or brackets in it needs quotes'
            self._unfit(node, yaml.ScalarNode, hint)
            return PlacedText("", span)
        if node.style in ("'", '"'):
            span = replace(span, column=span.column + 1, end_column=max(span.column + 2, span.end_column - 1))
        return PlacedText(self._on_one_line(node), span)

    def block(self, node: yaml.Node) -> tuple[str, int, int]:
        """A text with its lines; the number of the line before its first one, and how far all its lines are indented.

        The two numbers are those of a text after `|`: a place in it is so far from one in the file.
        """
        if not isinstance(node, yaml.ScalarNode):
            return self.word(node), 0, 0
        if node.style != "|":
            return str(node.value), 0, 0
        first = node.start_mark.line + 1
        written = (line for line in self.lines[first : node.end_mark.line] if line.strip())
        indent = min((len(line) - len(line.lstrip(" ")) for line in written), default=0)
        return str(node.value), first, indent

    def words(self, node: yaml.Node) -> tuple[PlacedText, ...]:
        """The texts of a list."""
        return tuple(word for item in self.items(node) if (word := self.word(item)) or item.value == "")

    def names(self, node: yaml.Node) -> tuple[PlacedText, ...]:
        """The names of a list; without brackets they stand between commas, as in the notation, unless in quotes."""
        if not isinstance(node, yaml.ScalarNode) or node.style in ("'", '"'):
            return self.words(node)
        return tuple(name for item in self.items(node) for name in self._between_commas(item))

    def _between_commas(self, node: yaml.Node) -> Iterator[PlacedText]:
        word, start = self.word(node), 0
        for size in map(len, _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), word).split(",")):
            piece = word[start : start + size]
            name, span = piece.strip(), word.span
            if node.start_mark.line == node.end_mark.line:
                column = span.column + start + len(piece) - len(piece.lstrip())
                span = replace(span, column=column, end_column=column + max(len(name), 1))
            if name:
                yield PlacedText(unquoted(name) if name.endswith('"') else name, span)
            else:
                hint = 'a comma parts two names; a name with a comma in it needs quotes: "$,"'
                self.problems.append(Problem("a name is missing beside a comma", span, hint=hint))
            start += size + 1

    def _on_one_line(self, node: yaml.ScalarNode) -> str:
        text = str(node.value)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            self.error(f"U+{ord(text[error.start]):04X} is half a character", node, "write the character itself")
            text = text.encode("utf-8", "replace").decode()
        return " ".join(text.split()) if "\n" in text or "\r" in text else text

    def items(self, node: yaml.Node) -> list[yaml.Node]:
        """The items of a list, or the lines of a text after `|`; a text stands for a list of one, or of none."""
        if isinstance(node, yaml.SequenceNode):
            return list(node.value)
        if not isinstance(node, yaml.ScalarNode):
            self._unfit(node, yaml.SequenceNode)
            return []
        if node.style == "|":
            return list(self._literal_lines(node))
        return [] if _is_empty(node) else [node]

    def _literal_lines(self, node: yaml.ScalarNode) -> Iterator[yaml.ScalarNode]:
        for number in range(node.start_mark.line + 1, node.end_mark.line):
            bare = self.lines[number].strip()
            if bare and not bare.startswith("#"):
                column = self.lines[number].index(bare)
                start, end = (yaml.Mark("", 0, number, place, None, 0) for place in (column, column + len(bare)))
                yield yaml.ScalarNode(node.tag, bare, start, end)

    def pairs(
        self, node: yaml.Node, known: tuple[str, ...] | None = None, hints: Mapping[str, str] | None = None
    ) -> Iterator[tuple[PlacedText, yaml.Node]]:
        """The pairs of a mapping; keys that stand twice or are unknown are errors, with `hints` for some of them."""
        if _is_empty(node):
            return
        if not isinstance(node, yaml.MappingNode):
            self._unfit(node, yaml.MappingNode)
            return
        seen: dict[str, PlacedText] = {}
        for key_node, value in node.value:
            key = self.word(key_node)
            if key in seen:
                message, hint = stands_twice(key, seen[key].span.line)
                self.error(message, key_node, hint)
                continue
            seen[key] = key
            if known is not None and key not in known and isinstance(key_node, yaml.ScalarNode):
                hint = (hints or {}).get(key) or close_match(key, known) or f"the keys here are: {', '.join(known)}"
                self.error(f'"{key}" is not a key here', key_node, hint)
            elif isinstance(key_node, yaml.ScalarNode):
                yield key, value

    def mapping(
        self, node: yaml.Node, known: tuple[str, ...], needed: tuple[str, ...] = (), hint: str = ""
    ) -> dict[str, yaml.Node] | None:
        """The values of a mapping by their keys; None with a problem where it is none or lacks a key."""
        before = len(self.problems)
        found: dict[str, yaml.Node] = {str(key): value for key, value in self.pairs(node, known)}
        missing = [key for key in needed if key not in found]
        if missing and len(self.problems) == before:
            self.error(f'"{missing[0]}" is missing here', node, hint)
        return None if missing else found

    def truth(self, node: yaml.Node) -> bool:
        """The truth value of a node that says yes or no; an error for anything else."""
        word = self.word(node)
        if word.lower() not in ("yes", "no", "true", "false"):
            self.problems.append(
                Problem(f'"{word}" does not fit here', word.span, expected='"yes" or "no"', found=f'"{word}"')
            )
        return word.lower() in ("yes", "true")

    def _unfit(self, node: yaml.Node, wanted: type[yaml.Node], hint: str = "") -> None:
        found = KINDS[type(node)].partition(" (")[0]
        self.problems.append(
            Problem(f"{found} does not fit here", self.span(node), expected=KINDS[wanted], found=found, hint=hint)
        )


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == "" and node.style is None


def compose(text: str, path: str) -> tuple[yaml.Node | None, list[Problem]]:
    """The root node of a YAML text, None for an empty one; or the first mistake in the YAML itself."""
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader), []
    except yaml.MarkedYAMLError as error:
        # What is missing is noticed only further on, at the next key or the end: say where it was begun.
        begun = any(piece in str(error.problem) for piece in ("find expected ':'", "unexpected end of stream"))
        mark = (begun and error.context_mark) or error.problem_mark or error.context_mark
        span = Span(path, mark.line + 1, mark.column + 1, mark.column + 2) if mark else Span(path, 0)
        reason = str(error.problem).removeprefix("but ")
        return None, [Problem(f"this is not YAML: {reason}", span, hint=_hint(reason, text, span))]
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"the character U+{ord(text[error.position]):04X} cannot stand in YAML"
        return None, [Problem(message, Span(path, line, column, column + 1), hint="remove it")]
    except RecursionError:
        hint = "take brackets or indentation away: a grammar has lists in mappings in mappings"
        return None, [Problem("this is nested too deep", Span(path, 0), hint=hint)]


def _hint(reason: str, text: str, span: Span) -> str:
    lines = text.split("\n")
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    if "\t" in line:
        return "YAML is indented with blanks, not with tabs"
    if "mapping values" in reason and re.fullmatch(r"\s*[\w'-]+", line[: span.column - 1]):
        return 'the line before lacks something: a key ends with a colon, "NP:"'
    if "block end" in reason and line[: span.column - 1].rstrip().endswith(('"', "'")):
        return """a text that goes on after a quoted piece needs quotes around it all: 'suffix "a", "b"'"""
    if "block end" in reason and line[: span.column - 1].rstrip().endswith(("}", "]")):
        return 'a text that begins with a bracket needs quotes around it all: "{Det, N} < V"'
    if line[span.column - 1 : span.column] in tuple("*&!%@`|>"):
        return 'a text that starts with * & ! % @ ` | or > needs quotes: "*the cat"'
    return next((hint for piece, hint in HINTS if piece in reason), 'a text with ": " or " #" in it needs quotes')
