"""The same grammar as YAML: composed nodes (they carry places) to the statements of the notation.

Nodes are composed and never constructed, so a category `NO`, `on` or `1:20` stays text and a key that stands twice is
an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import yaml

from numbat.grammar import notation
from numbat.grammar import written as w
from numbat.grammar.yaml_printing import format_grammar
from numbat.source import Problem, Span, close_match

__all__ = ["format_grammar", "read"]

TEXTS: Final = ("grammar", "language", "version", "source", "fragment_cost", "node_cost", "unary_limit")
LISTS: Final = ("authors", "include", "lexicon_file", "leaves", "roots")
PROPERTY_KEYS: Final = ("relation", "operands", "features", "weight", "cost", "hard")


@dataclass
class _Reader:
    path: str
    text: str
    problems: list[Problem] = field(default_factory=list)
    statements: list[w.Statement] = field(default_factory=list)

    # places and nodes

    def span(self, node: yaml.Node) -> Span:
        start, end = node.start_mark, node.end_mark
        column = start.column + 1
        stop = end.column + 1 if end.line == start.line else column + 1
        return Span(self.path, start.line + 1, column, max(stop, column + 1))

    def error(self, message: str, node: yaml.Node, hint: str = "") -> None:
        self.problems.append(Problem(message, self.span(node), hint=hint))

    def word(self, node: yaml.Node) -> w.Word:
        """A scalar as the text that stands there, whatever YAML would make of it."""
        if not isinstance(node, yaml.ScalarNode):
            self.error(
                "expected a text here", node, 'lists are written [a, b], mappings {a: b}; quote a text with "..."'
            )
            return w.Word("", self.span(node))
        span = self.span(node)
        if node.style in ("'", '"'):
            span = replace(span, column=span.column + 1, end_column=span.end_column - 1)
        return w.Word(node.value, span)

    def items(self, node: yaml.Node) -> list[yaml.Node]:
        """The items of a list; a single text stands for a list of one; nothing for an empty one."""
        if isinstance(node, yaml.SequenceNode):
            return list(node.value)
        if isinstance(node, yaml.ScalarNode):
            return [] if node.value == "" and node.style is None else [node]
        self.error("expected a list here", node, "write [a, b] or one item a line after a dash")
        return []

    def pairs(self, node: yaml.Node, known: tuple[str, ...] | None = None) -> Iterator[tuple[w.Word, yaml.Node]]:
        """The pairs of a mapping; keys that stand twice or are unknown are errors."""
        if isinstance(node, yaml.ScalarNode) and node.value == "" and node.style is None:
            return
        if not isinstance(node, yaml.MappingNode):
            self.error("expected a mapping here", node, "write key: value")
            return
        seen: dict[str, w.Word] = {}
        for key_node, value in node.value:
            key = self.word(key_node)
            if key in seen:
                self.error(f'key "{key}" stands twice, first in line {seen[key].span.line}', key_node, "join the two")
                continue
            seen[key] = key
            if known is not None and key not in known:
                hint = close_match(key, known) or f"the keys here are: {', '.join(known)}"
                self.error(f'"{key}" is not a key here', key_node, hint)
                continue
            yield key, value

    def parsed(self, node: yaml.Node, start: str) -> list[Any]:
        """A text in the notation, read with the rule `start` of the notation."""
        word = self.word(node)
        if not word:
            return []
        found, problem = notation.parse(notation.Line(str(word), word.span, indented=True), start)
        if problem is not None:
            self.problems.append(problem)
        return found

    def operands(self, node: yaml.Node) -> tuple[w.WrittenOperand, ...]:
        return tuple(operand for item in self.items(node) for operand in self.parsed(item, "operand"))

    # statements

    def document(self, node: yaml.Node) -> None:
        for key, value in self.pairs(node, (*TEXTS, *LISTS, *SECTIONS)):
            if key in TEXTS:
                self.statements.append(w.Setting(key, (w.WrittenOperand(self.word(value)),)))
            elif key == "roots":
                self.statements.append(w.Setting(key, self.operands(value)))
            elif key in LISTS:
                words = tuple(w.WrittenOperand(self.word(item)) for item in self.items(value))
                self.statements.append(w.Setting(key, words))
            else:
                SECTIONS[key](self, value)

    def features(self, node: yaml.Node) -> None:
        for name, values in self.pairs(node):
            self.statements.append(w.FeatureDeclaration(name, tuple(map(self.word, self.items(values)))))

    def semantics(self, node: yaml.Node) -> None:
        for name, value in self.pairs(node):
            self.statements.append(w.Switch(name, self.word(value)))

    def all(self, node: yaml.Node) -> None:
        for statement in self.alls(node):
            self.statements.append(replace(statement, everywhere=True))

    def alls(self, node: yaml.Node) -> Iterator[w.All]:
        for item in self.items(node):
            word = self.word(item)
            shifted = replace(word.span, column=word.span.column - 4)
            line = notation.Line(f"all {word}", shifted, indented=True)
            found, problem = notation.parse(line, "construction_line")
            if problem is not None:
                self.problems.append(problem)
            yield from found

    def relations(self, node: yaml.Node) -> None:
        for name, body in self.pairs(node):
            said: dict[str, yaml.Node] = dict(
                self.pairs(body, ("parameters", "each", "holds", "monotonic", "symmetric", "says", "but"))
            )
            if "parameters" not in said or "holds" not in said:
                self.error(f'relation "{name}" needs "parameters" and "holds"', body)
                continue
            expression = self.parsed(said["holds"], "expression")
            if not expression:
                continue
            attributes: dict[str, Any] = {k: self.truth(said[k]) for k in ("monotonic", "symmetric") if k in said}
            attributes |= {key: str(self.word(said[key])) for key in ("says", "but") if key in said}
            self.statements.append(
                w.WrittenRelation(
                    name,
                    tuple(map(self.word, self.items(said["parameters"]))),
                    tuple(map(self.word, self.items(said["each"]))) if "each" in said else (),
                    expression[0],
                    **attributes,
                )
            )

    def truth(self, node: yaml.Node) -> bool:
        word = self.word(node)
        if word.lower() not in ("yes", "no", "true", "false"):
            self.error(f'expected yes or no, found "{word}"', node)
        return word.lower() in ("yes", "true")

    def constructions(self, node: yaml.Node) -> None:
        for name, body in self.pairs(node):
            keys = ("title", "head", "inherit", "values", "const", "all", "properties")
            said: dict[str, yaml.Node] = dict(self.pairs(body, keys))
            title = str(self.word(said["title"])) if "title" in said else ""
            self.statements.append(w.OpenConstruction(name, title))
            if "head" in said:
                self.statements.append(w.Head(self.operands(said["head"])))
            if "inherit" in said:
                words = tuple(map(self.word, self.items(said["inherit"])))
                self.statements.append(w.Inherit(words or (w.Word("none", self.span(said["inherit"])),)))
            if "const" in said:
                self.statements.append(w.Const(self.operands(said["const"])))
            for item in self.items(said["values"]) if "values" in said else ():
                self.statements += self.parsed(item, "construction_line")
            self.statements += self.alls(said["all"]) if "all" in said else ()
            for item in self.items(said["properties"]) if "properties" in said else ():
                self.property(item)

    def property(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            self.statements += self.parsed(node, "construction_line")
            return
        said: dict[str, yaml.Node] = dict(self.pairs(node, PROPERTY_KEYS))
        if "relation" not in said or "operands" not in said:
            self.error('a property needs "relation" and "operands"', node, 'or a text in the notation: "Det < N"')
            return
        parameters = [found for item in self.items(said["operands"]) for found in self.parsed(item, "alternatives")]
        if len(parameters) < len(self.items(said["operands"])) or not parameters:
            return
        words = {key: self.word(said[key]) for key in ("weight", "cost") if key in said}
        hard = "hard" in said and self.truth(said["hard"])
        shared = tuple(
            w.WrittenDemand(None, (self.word(item),))
            for item in (self.items(said["features"]) if "features" in said else ())
        )
        strength = w.WrittenStrength(**words, hard=hard)
        relation = self.word(said["relation"])
        self.statements.append(w.WrittenProperty(relation, tuple(parameters), strength, relation.span, shared))

    def tokens(self, node: yaml.Node) -> None:
        for item in self.items(node):
            self.statements += self.parsed(item, "tokens_line")

    def lexicon(self, node: yaml.Node) -> None:
        self.entries(node, guess=False)

    def guess(self, node: yaml.Node) -> None:
        self.entries(node, guess=True)

    def entries(self, node: yaml.Node, guess: bool) -> None:
        for form, value in self.pairs(node):
            readings = [found for item in self.items(value) for found in self.parsed(item, "readings")]
            flat = tuple(reading for found in readings for reading in (found if isinstance(found, tuple) else (found,)))
            if flat:
                self.statements.append(w.WrittenEntry(form, flat, guess))


SECTIONS: Final[dict[str, Callable[[_Reader, yaml.Node], None]]] = {
    "features": _Reader.features,
    "semantics": _Reader.semantics,
    "all": _Reader.all,
    "relations": _Reader.relations,
    "constructions": _Reader.constructions,
    "tokens": _Reader.tokens,
    "lexicon": _Reader.lexicon,
    "guess": _Reader.guess,
}


def read(text: str, path: str) -> tuple[list[w.Statement], list[Problem]]:
    """The statements of a YAML file and all its mistakes; after one in the YAML itself nothing else can be read."""
    reader = _Reader(path, text)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        span = Span(path, mark.line + 1, mark.column + 1, mark.column + 2) if mark else Span(path, 1)
        return [], [Problem(f"not YAML: {error.problem}", span, hint=_yaml_hint(text, span))]
    except yaml.YAMLError as error:
        return [], [Problem(f"not YAML: {error}", Span(path, 1))]
    if node is not None:
        reader.document(node)
    return reader.statements, reader.problems


def _yaml_hint(text: str, span: Span) -> str:
    lines = text.splitlines()
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    if "\t" in line:
        return "YAML is indented with blanks, not with tabs"
    if any(piece.startswith(("*", "&", "?", "{", "[", "!", "%", "@", "`")) for piece in line.replace("-", " ").split()):
        return 'a text that starts with * & ? { [ ! % @ or ` needs quotes: "*the cat"'
    return "a text with : or # in it needs quotes"
