"""The same grammar as YAML: from the nodes of a file to the statements of the notation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import yaml

from numbat.grammar.names import LISTS, NUMBERS
from numbat.grammar.notation import reading
from numbat.grammar.notation import statements as w
from numbat.grammar.yaml.nodes import Nodes, compose
from numbat.grammar.yaml.printing import format_grammar
from numbat.source import Problem, close_match

__all__ = ["format_grammar", "read"]

TEXTS: Final = ("grammar", "language", "version", "source", *NUMBERS)
RELATION_KEYS: Final = ("parameters", "each", "holds", "monotonic", "symmetric", "says", "but")
CONSTRUCTION_KEYS: Final = ("title", "head", "inherit", "values", "const", "all", "properties")
PROPERTY_KEYS: Final = ("relation", "operands", "features", "weight", "cost", "hard")
MISPLACED: Final = 'a construction stands below the key "constructions", its properties below "properties" in it'


@dataclass
class _Reader(Nodes):
    """Reads the parts of a grammar, each into `statements`."""

    statements: list[w.Statement] = field(default_factory=list)

    def parsed(self, node: yaml.Node, start: str) -> list[Any]:
        """A text in the notation, read with the rule `start` of the notation."""
        word = self.word(node)
        if not word:
            return []
        found, problem = reading.parse(reading.Line(str(word), word.span, indented=True), start)
        if problem is not None:
            self.problems.append(problem)
        return found

    def operands(self, node: yaml.Node) -> tuple[w.WrittenOperand, ...]:
        """The operands of a list; without brackets they stand between commas, as in the notation."""
        return tuple(operand for item in self.items(node) for operand in self.parsed(item, "operands"))

    # statements

    def document(self, node: yaml.Node) -> None:
        hints = dict.fromkeys(_misplaced_constructions(node), MISPLACED)
        self.statements.append(w.Unread(tuple(hints)))
        for key, value in self.pairs(node, KEYS, hints):
            if key in TEXTS:
                self.statements.append(w.Setting(key, (w.WrittenOperand(self.word(value)),)))
            elif key == "roots":
                self.statements.append(w.Setting(key, self.operands(value)))
            elif key in LISTS:
                words = self.names(value) if key in ("leaves", "tree_features") else self.words(value)
                self.statements.append(w.Setting(key, tuple(map(w.WrittenOperand, words))))
            else:
                SECTIONS[key](self, value)

    def features(self, node: yaml.Node) -> None:
        for name, values in self.pairs(node):
            before = len(self.problems)
            words = self.names(values)
            if len(self.problems) == before:
                self.statements.append(w.FeatureDeclaration(name, words))

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
            line = reading.Line(f"all {word}", shifted, indented=True)
            found, problem = reading.parse(line, "construction_line")
            if problem is not None:
                self.problems.append(problem)
            yield from found

    def relations(self, node: yaml.Node) -> None:
        for name, body in self.pairs(node):
            said = self.mapping(body, RELATION_KEYS, ("parameters", "holds"))
            expression = self.parsed(said["holds"], "expression") if said is not None else []
            if said is None or not expression:
                self.statements.append(w.Unread((str(name),)))
                continue
            attributes: dict[str, Any] = {k: self.truth(said[k]) for k in ("monotonic", "symmetric") if k in said}
            attributes |= {key: str(self.word(said[key])) for key in ("says", "but") if key in said}
            parameters = self.names(said["parameters"])
            each = self.names(said["each"]) if "each" in said else ()
            self.statements.append(w.WrittenRelation(name, parameters, each, expression[0], **attributes))

    def constructions(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.SequenceNode):
            self._unfit(node, yaml.MappingNode, 'a construction is a key, without a dash: "NP:"')
            return
        for name, body in self.pairs(node):
            if isinstance(body, yaml.SequenceNode):
                self._unfit(body, yaml.MappingNode, 'properties stand below the key "properties" of the construction')
                body = yaml.MappingNode("", [])
            said = self.mapping(body, CONSTRUCTION_KEYS) or {}
            title = str(self.word(said["title"])) if "title" in said else ""
            self.statements.append(w.OpenConstruction(name, title))
            if "head" in said and (operands := self.operands(said["head"])):
                self.statements.append(w.Head(operands))
            if "inherit" in said:
                words = self.names(said["inherit"])
                self.statements.append(w.Inherit(words or (w.Word("none", self.span(said["inherit"])),)))
            if "const" in said and (operands := self.operands(said["const"])):
                self.statements.append(w.Const(operands))
            for item in self.items(said["values"]) if "values" in said else ():
                self.statements += self.parsed(item, "construction_line")
            self.statements += self.alls(said["all"]) if "all" in said else ()
            for item in self.items(said["properties"]) if "properties" in said else ():
                self.property(item)

    def property(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            self.statements += self.parsed(node, "construction_line")
            return
        hint = 'a property has "relation" and "operands", or is a text in the notation: "Det < N"'
        said = self.mapping(node, PROPERTY_KEYS, ("relation", "operands"), hint)
        if said is None:
            return
        items = self.items(said["operands"])
        parameters = [found for item in items for found in self.parsed(item, "alternatives")]
        if len(parameters) < len(items) or not parameters:
            return
        words = {key: self.word(said[key]) for key in ("weight", "cost") if key in said}
        strength = w.WrittenStrength(**words, hard="hard" in said and self.truth(said["hard"]))
        shared = self.names(said["features"]) if "features" in said else ()
        demands = tuple(w.WrittenDemand(None, (word,)) for word in shared)
        relation = self.word(said["relation"])
        self.statements.append(w.WrittenProperty(relation, tuple(parameters), strength, relation.span, demands))

    def tokens(self, node: yaml.Node) -> None:
        for item in self.items(node):
            self.statements += self.parsed(item, "tokens_line")

    def spelling(self, node: yaml.Node) -> None:
        for pattern, value in self.pairs(node):
            self.statements += [w.WrittenSpelling((pattern,), operands) for operands in self.parsed(value, "spelt")]

    def entries(self, node: yaml.Node, section: w.WordSection) -> None:
        for form, value in self.pairs(node):
            readings = [found for item in self.items(value) for found in self.parsed(item, "readings")]
            flat = tuple(reading for found in readings for reading in (found if isinstance(found, tuple) else (found,)))
            if flat:
                self.statements.append(w.WrittenEntry(form, flat, section))


def _misplaced_constructions(document: yaml.Node) -> list[str]:
    """The unknown keys of a grammar that are constructions by what stands below them: properties, or their keys."""
    if not isinstance(document, yaml.MappingNode):
        return []
    pairs = [(key.value, value) for key, value in document.value if isinstance(key, yaml.ScalarNode)]
    return [key for key, value in pairs if key not in KEYS and _may_be_construction(key, value)]


def _may_be_construction(key: str, value: yaml.Node) -> bool:
    in_lines = isinstance(value, yaml.ScalarNode) and value.start_mark.line < value.end_mark.line
    if isinstance(value, yaml.SequenceNode) or in_lines:
        return not close_match(key, KEYS)
    keys = value.value if isinstance(value, yaml.MappingNode) else ()
    return any(isinstance(each, yaml.ScalarNode) and each.value in CONSTRUCTION_KEYS for each, _ in keys)


SECTIONS: Final[dict[str, Callable[[_Reader, yaml.Node], None]]] = {
    "features": _Reader.features,
    "semantics": _Reader.semantics,
    "all": _Reader.all,
    "relations": _Reader.relations,
    "constructions": _Reader.constructions,
    "tokens": _Reader.tokens,
    "lexicon": partial(_Reader.entries, section="lexicon"),
    "guess": partial(_Reader.entries, section="guess"),
    "names": partial(_Reader.entries, section="names"),
    "spelling": _Reader.spelling,
}


KEYS: Final = (*TEXTS, *LISTS, *SECTIONS)
"""The keys of a grammar."""


def read(text: str, path: str) -> tuple[list[w.Statement], list[Problem]]:
    """The statements of a YAML file and all its mistakes; after one in the YAML itself nothing else can be read."""
    node, problems = compose(text, path)
    reader = _Reader(path, text.split("\n"), problems)
    if node is not None:
        reader.document(node)
    return reader.statements, reader.problems
