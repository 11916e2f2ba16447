"""Reader of grammars in YAML: from the nodes of a file to the statements that the notation has too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import yaml

from numbat.errors import Problem, close_match
from numbat.grammar.names import LISTS, NUMBERS
from numbat.grammar.notation import reading
from numbat.grammar.notation.statements import (
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    FeatureStatement,
    HeadStatement,
    InheritStatement,
    OperandSyntax,
    PlacedText,
    PropertyStatement,
    ReadingSection,
    RelationStatement,
    SettingStatement,
    SpellingStatement,
    Statement,
    StrengthStatement,
    StrengthSyntax,
    SwitchStatement,
    UnreadLine,
)
from numbat.grammar.yaml.nodes import Nodes, compose

TEXTS: Final = ("grammar", "language", "version", "source", *NUMBERS)
RELATION_KEYS: Final = ("parameters", "each", "holds", "monotonic", "symmetric", "says", "but")
CONSTRUCTION_KEYS: Final = ("title", "head", "inherit", "values", "const", "all", "properties")
PROPERTY_KEYS: Final = ("relation", "operands", "features", "weight", "cost", "hard")
MISPLACED: Final = 'a construction stands below the key "constructions", its properties below "properties" in it'


@dataclass
class _YamlReader(Nodes):
    """The statements of a YAML file; a method for each key of the grammar adds those that the node below it makes."""

    statements: list[Statement] = field(default_factory=list)

    def parsed(self, node: yaml.Node, start: str) -> list[Any]:
        """What a text in the notation stands for, parsed with the rule `start` of `notation.lark`."""
        word = self.word(node)
        if not word:
            return []
        found, problem = reading.parse(reading.LogicalLine(str(word), word.span, indented=True), start)
        if problem is not None:
            self.problems.append(problem)
        return found

    def operands(self, node: yaml.Node) -> tuple[OperandSyntax, ...]:
        """The operands of a list; without brackets they stand between commas, as in the notation."""
        return tuple(operand for item in self.items(node) for operand in self.parsed(item, "operands"))

    # statements

    def document(self, node: yaml.Node) -> None:
        hints = dict.fromkeys(_misplaced_constructions(node), MISPLACED)
        self.statements.append(UnreadLine(tuple(hints)))
        for key, value in self.pairs(node, KEYS, hints):
            if key in TEXTS:
                self.statements.append(SettingStatement(key, (OperandSyntax(self.word(value)),)))
            elif key == "roots":
                self.statements.append(SettingStatement(key, self.operands(value)))
            elif key in LISTS:
                words = self.names(value) if key in ("leaves", "tree_features") else self.words(value)
                self.statements.append(SettingStatement(key, tuple(map(OperandSyntax, words))))
            else:
                SECTIONS[key](self, value)

    def features(self, node: yaml.Node) -> None:
        for name, values in self.pairs(node):
            before = len(self.problems)
            words = self.names(values)
            if len(self.problems) == before:
                self.statements.append(FeatureStatement(name, words))

    def semantics(self, node: yaml.Node) -> None:
        for name, value in self.pairs(node):
            self.statements.append(SwitchStatement(name, self.word(value)))

    def all(self, node: yaml.Node) -> None:
        for statement in self.strengths(node):
            self.statements.append(replace(statement, everywhere=True))

    def strengths(self, node: yaml.Node) -> Iterator[StrengthStatement]:
        """The strengths of whole relations in a list under the key `all`."""
        for item in self.items(node):
            word = self.word(item)
            shifted = replace(word.span, column=word.span.column - 4)
            line = reading.LogicalLine(f"all {word}", shifted, indented=True)
            found, problem = reading.parse(line, "construction_line")
            if problem is not None:
                self.problems.append(problem)
            yield from found

    def relations(self, node: yaml.Node) -> None:
        for name, body in self.pairs(node):
            values = self.mapping(body, RELATION_KEYS, ("parameters", "holds"))
            expression = self.parsed(values["holds"], "expression") if values is not None else []
            if values is None or not expression:
                self.statements.append(UnreadLine((str(name),)))
                continue
            attributes: dict[str, Any] = {k: self.truth(values[k]) for k in ("monotonic", "symmetric") if k in values}
            attributes |= {key: str(self.word(values[key])) for key in ("says", "but") if key in values}
            parameters = self.names(values["parameters"])
            if not parameters:
                if not isinstance(values["parameters"], yaml.MappingNode) and not self.items(values["parameters"]):
                    self.error("a relation has parameters", values["parameters"], "write them as in [A, B]")
                self.statements.append(UnreadLine((str(name),)))
                continue
            each = self.names(values["each"]) if "each" in values else ()
            self.statements.append(RelationStatement(name, parameters, each, expression[0], **attributes))

    def constructions(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.SequenceNode):
            self._unfit(node, yaml.MappingNode, 'a construction is a key, without a dash: "NP:"')
            return
        for name, body in self.pairs(node):
            if isinstance(body, yaml.SequenceNode):
                self._unfit(body, yaml.MappingNode, 'properties stand below the key "properties" of the construction')
                body = yaml.MappingNode("", [])
            values = self.mapping(body, CONSTRUCTION_KEYS) or {}
            title = str(self.word(values["title"])) if "title" in values else ""
            self.statements.append(ConstructionStatement(name, title))
            if "head" in values and (operands := self.operands(values["head"])):
                self.statements.append(HeadStatement(operands))
            if "inherit" in values:
                words = self.names(values["inherit"])
                self.statements.append(InheritStatement(words or (PlacedText("none", self.span(values["inherit"])),)))
            if "const" in values and (operands := self.operands(values["const"])):
                self.statements.append(ConstituencyStatement(operands))
            for item in self.items(values["values"]) if "values" in values else ():
                self.statements += self.parsed(item, "construction_line")
            self.statements += self.strengths(values["all"]) if "all" in values else ()
            for item in self.items(values["properties"]) if "properties" in values else ():
                self.property(item)

    def property(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            self.statements += self.parsed(node, "construction_line")
            return
        hint = 'a property has "relation" and "operands", or is a text in the notation: "Det < N"'
        values = self.mapping(node, PROPERTY_KEYS, ("relation", "operands"), hint)
        if values is None:
            return
        items = self.items(values["operands"])
        parameters = [found for item in items for found in self.parsed(item, "alternatives")]
        if len(parameters) < len(items) or not parameters:
            return
        words = {key: self.word(values[key]) for key in ("weight", "cost") if key in values}
        strength = StrengthSyntax(**words, hard="hard" in values and self.truth(values["hard"]))
        shared = self.names(values["features"]) if "features" in values else ()
        demands = tuple(DemandSyntax(None, (word,)) for word in shared)
        relation = self.word(values["relation"])
        self.statements.append(PropertyStatement(relation, tuple(parameters), strength, relation.span, demands))

    def tokens(self, node: yaml.Node) -> None:
        for item in self.items(node):
            self.statements += self.parsed(item, "tokens_line")

    def spelling(self, node: yaml.Node) -> None:
        for pattern, value in self.pairs(node):
            self.statements += [SpellingStatement((pattern,), operands) for operands in self.parsed(value, "spelt")]

    def entries(self, node: yaml.Node, section: ReadingSection) -> None:
        for form, value in self.pairs(node):
            readings = [found for item in self.items(value) for found in self.parsed(item, "readings")]
            flat = tuple(reading for found in readings for reading in (found if isinstance(found, tuple) else (found,)))
            if flat:
                self.statements.append(EntryStatement(form, flat, section))


def _misplaced_constructions(document: yaml.Node) -> list[str]:
    """The unknown keys of a grammar below which properties, or keys of a construction, stand."""
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


SECTIONS: Final[dict[str, Callable[[_YamlReader, yaml.Node], None]]] = {
    "features": _YamlReader.features,
    "semantics": _YamlReader.semantics,
    "all": _YamlReader.all,
    "relations": _YamlReader.relations,
    "constructions": _YamlReader.constructions,
    "tokens": _YamlReader.tokens,
    "lexicon": partial(_YamlReader.entries, section="lexicon"),
    "guess": partial(_YamlReader.entries, section="guess"),
    "names": partial(_YamlReader.entries, section="names"),
    "spelling": _YamlReader.spelling,
}


KEYS: Final = (*TEXTS, *LISTS, *SECTIONS)
"""The keys of a grammar."""


def read(text: str, path: str) -> tuple[list[Statement], list[Problem]]:
    """The statements of a YAML file and all its mistakes; after one in the YAML itself nothing else can be read."""
    node, problems = compose(text, path)
    reader = _YamlReader(path, text.split("\n"), problems)
    if node is not None:
        reader.document(node)
    return reader.statements, reader.problems
