"""Reads and prints grammars in YAML, with the statements of the notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import yaml

from numbat.errors import Problem, Span, close_match
from numbat.grammar import notation
from numbat.grammar.declarations import stands_twice
from numbat.grammar.model import Construction, Grammar, Semantics, titles_of
from numbat.grammar.names import EVERY, LISTS, NUMBERS, unquoted
from numbat.grammar.printing import (
    format_feature_rule,
    format_readings,
    format_token_rule,
    profile_parts,
    stated_semantics,
)
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import (
    Operand,
    PropertyExample,
    Strength,
    format_number,
    format_operand,
    format_operands,
    format_property,
    format_strength,
)
from numbat.grammar.relations import BUILT_IN_BY_NAME, Relation
from numbat.grammar.statements import (
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    ExamplesSyntax,
    FeatureStatement,
    HeadStatement,
    InheritStatement,
    MarkStatement,
    OperandSyntax,
    PlacedText,
    ProfilePartSyntax,
    ProfileStatement,
    PropertyStatement,
    ReadingSection,
    ReadingSyntax,
    RelationStatement,
    SettingStatement,
    SpellingStatement,
    Statement,
    StrengthStatement,
    StrengthSyntax,
    SwitchStatement,
    TemplateStatement,
    TitleStatement,
    TypeStatement,
    UnreadLine,
)

# Printer


def format_grammar(grammar: Grammar) -> str:
    """Format the grammar as YAML; reading it gives an equal grammar."""
    defaults = Grammar()
    texts = {"grammar": grammar.name, "language": grammar.language, "version": grammar.version}
    whole: dict[str, Any] = {key: text for key, text in texts.items() if text}
    whole |= {"authors": list(grammar.authors)} if grammar.authors else {}
    whole |= {"source": grammar.source} if grammar.source else {}
    whole |= {"leaves": _titled(grammar, "", grammar.leaves)} if grammar.leaves else {}
    whole |= {"roots": _operands(grammar.roots)} if grammar.roots else {}
    whole |= {"tree_features": list(grammar.tree_features)} if grammar.tree_features else {}
    for key in ("fragment_cost", "node_cost"):
        if (units := getattr(grammar, f"{key}_units")) != getattr(defaults, f"{key}_units"):
            whole[key] = _plain_number(format_number(units))
    if grammar.unary_limit != defaults.unary_limit:
        whole["unary_limit"] = grammar.unary_limit
    sections: dict[str, Any] = {
        "features": {name: _titled(grammar, name, values) for name, values in grammar.stated_features},
        "marks": {name: list(signs) for name, signs in grammar.marks},
        "semantics": dict(stated_semantics(grammar.semantics)),
        "profiles": {profile.name: _profile(profile, grammar.semantics) for profile in grammar.profiles},
        "all": _strengths(grammar.strengths),
        "relations": {
            relation.name: _relation(relation) for relation in grammar.relations if not relation.is_anonymous
        },
        "constructions": {construction.name: _construction(construction) for construction in grammar.constructions},
        "tokens": _Lines(format_token_rule(rule) for rule in grammar.tokens),
        "lexicon": _Pairs({entry.form: format_readings(entry.readings) for entry in grammar.lexicon}),
        "guess": _Pairs({rule.pattern: format_readings(rule.readings) for rule in grammar.guesses}),
        "names": _Pairs({rule.pattern: format_readings(rule.readings) for rule in grammar.names}),
        "spelling": _Pairs({rule.pattern: format_operands(rule.operands) for rule in grammar.spelling}),
    }
    whole |= {name: section for name, section in sections.items() if section}
    return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)


class _Dumper(yaml.SafeDumper):
    """YAML dumper with short lists on one line."""


class _Lines(list[str]):
    """A list printed with one item per line."""


class _Pairs(dict[str, str]):
    """A mapping printed with one pair per line."""


_Dumper.add_representer(
    _Pairs, lambda dumper, pairs: dumper.represent_mapping("tag:yaml.org,2002:map", pairs, flow_style=False)
)
_Dumper.add_representer(
    _Lines, lambda dumper, lines: dumper.represent_sequence("tag:yaml.org,2002:seq", lines, flow_style=False)
)


def _titled(grammar: Grammar, feature: str, names: Sequence[str]) -> list[str] | dict[str, str]:
    """Return leaves, whose `feature` is empty, or the values of a feature: a mapping to their titles if one has any."""
    titles = {name: titles_of(grammar).get((feature, name), "") for name in names}
    return titles if any(titles.values()) else list(names)


def _plain_number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _operands(operands: tuple[Operand, ...]) -> list[str]:
    return [*map(format_operand, operands)]


def _strengths(strengths: tuple[tuple[str, Strength], ...]) -> list[str]:
    return [f"{relation}{format_strength(strength)}" for relation, strength in strengths]


def _profile(profile: Profile, semantics: Semantics) -> dict[str, Any]:
    parts: dict[str, Any] = dict(profile_parts(profile, semantics))
    hard = {"hard": True} if parts.pop(EVERY, None) else {}
    return parts | ({"without": parts["without"].split(", ")} if "without" in parts else {}) | hard


def _relation(relation: Relation) -> dict[str, Any]:
    (clause,) = relation.clauses
    flags = {key: True for key in ("monotonic", "symmetric") if getattr(relation, key)}
    texts = {key: getattr(relation, key) for key in ("says", "but") if getattr(relation, key)}
    matched = {"each": list(clause.matched)} if clause.matched else {}
    return {"parameters": list(relation.parameters), **matched, "holds": str(relation.holds), **flags, **texts}


def _construction(construction: Construction) -> dict[str, Any]:
    body: dict[str, Any] = {"title": construction.title} if construction.title else {}
    body |= {"head": _operands(construction.head)} if construction.head else {}
    body |= {"inherit": list(construction.inherit)} if construction.inherit is not None else {}
    body |= {"values": list(map(format_feature_rule, construction.feature_rules))} if construction.feature_rules else {}
    body |= {"const": _operands(construction.constituency)} if construction.constituency is not None else {}
    body |= {"all": _strengths(construction.strengths)} if construction.strengths else {}
    body |= (
        {"properties": _Lines(format_property(p, strength=True) for p in construction.properties)}
        if construction.properties
        else {}
    )
    prices = [format_property(price, strength=True).removeprefix("price ") for price in construction.prices]
    body |= {"prices": _Lines(prices)} if prices else {}
    return body


# Typed access to composed nodes; a node of the wrong kind is an error.
#
# Nodes are composed but never constructed, so that a category `NO`, `on` or `1:20` stays text and duplicate keys are
# noticed.

KINDS: Final = {
    yaml.ScalarNode: "a text",
    yaml.SequenceNode: "a list ([a, b], or one item per line after a dash)",
    yaml.MappingNode: "a mapping (key: value)",
}
HINTS: Final = (
    ("block end", "the items of a list and the keys of a mapping begin in the same column"),
    ("mapping values", 'a text with ": " in it needs quotes: "the: cat"'),
    ("',' or", 'a list [a, b] is not closed, or a text with brackets in it needs quotes: ["N[number=sg]"]'),
    ("find expected ':'", 'a key ends with a colon: "NP:"; a text that continues on the next line needs quotes'),
    ("end of stream", "the quotation mark that opens here is not closed"),
    ("escape", "in double quotes a backslash is written \\\\; separate folders with /"),
    ("another document", 'a grammar is one document: remove the line "---"'),
)
"""The hint for a mistake in the YAML itself, by a part of PyYAML's message."""

_QUOTED: Final = re.compile(r'"[^"]*"')
"""A quoted text, in which commas separate nothing."""


@dataclass
class Nodes:
    """Access to the nodes of a YAML file as texts, lists and mappings; a node of the wrong kind becomes a problem."""

    path: str
    lines: list[str]
    problems: list[Problem] = field(default_factory=list)

    def span(self, node: yaml.Node) -> Span:
        """Return the position of a node, or of where it begins if it extends over several lines."""
        start, end = node.start_mark, node.end_mark
        column = start.column + 1
        stop = end.column + 1 if end.line == start.line else column + 1
        return Span(self.path, start.line + 1, column, max(stop, column + 1))

    def error(self, message: str, node: yaml.Node, hint: str = "") -> None:
        """Add a problem at the position of a node."""
        self.problems.append(Problem(message, self.span(node), hint=hint))

    def word(self, node: yaml.Node) -> PlacedText:
        """Return the text of a scalar as written, regardless of its YAML type."""
        span = self.span(node)
        if not isinstance(node, yaml.ScalarNode):
            hint = 'a text with ": " or brackets in it needs quotes'
            self._unfit(node, yaml.ScalarNode, hint)
            return PlacedText("", span)
        if node.style in ("'", '"'):
            span = replace(span, column=span.column + 1, end_column=max(span.column + 2, span.end_column - 1))
        return PlacedText(self._on_one_line(node), span)

    def block(self, node: yaml.Node) -> tuple[str, int, int]:
        """Return a text, and the lines and columns to add to positions in it; both are 0 unless it follows a `|`."""
        if not isinstance(node, yaml.ScalarNode):
            return self.word(node), 0, 0
        if node.style != "|":
            return str(node.value), 0, 0
        first = node.start_mark.line + 1
        written = (line for line in self.lines[first : node.end_mark.line] if line.strip())
        indent = min((len(line) - len(line.lstrip(" ")) for line in written), default=0)
        return str(node.value), first, indent

    def words(self, node: yaml.Node) -> tuple[PlacedText, ...]:
        """Return the texts of a list."""
        return tuple(word for item in self.items(node) if (word := self.word(item)) or item.value == "")

    def names(self, node: yaml.Node) -> tuple[PlacedText, ...]:
        """Return the names of a list, or of an unquoted text in which commas separate them."""
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
                hint = 'a comma separates names; a name with a comma in it needs quotes: "$,"'
                self.problems.append(Problem("a name is missing next to a comma", span, hint=hint))
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
        """Return the items of a list, the lines of a block text, or a single text as one item (none if empty)."""
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
        self,
        node: yaml.Node,
        known: tuple[str, ...] | None = None,
        hints: Mapping[str, str] | None = None,
        lists: bool = False,
    ) -> Iterator[tuple[PlacedText, yaml.Node]]:
        """Yield the pairs of a mapping; report duplicate keys and, with `hints` for some, keys that are not `known`.

        With `lists` a key may be a list, which stands for several keys with the same value.
        """
        if _is_empty(node):
            return
        if not isinstance(node, yaml.MappingNode):
            self._unfit(node, yaml.MappingNode)
            return
        seen: dict[str, PlacedText] = {}
        each_of = _each_of if lists else lambda key: [key]
        for key_node, value in ((item, value) for key, value in node.value for item in each_of(key)):
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
        self,
        node: yaml.Node,
        known: tuple[str, ...],
        needed: tuple[str, ...] = (),
        hint: str = "",
        hints: Mapping[str, str] | None = None,
    ) -> dict[str, yaml.Node] | None:
        """Return the values of a mapping by key; None, with a problem, if one of the `needed` keys is missing."""
        before = len(self.problems)
        values: dict[str, yaml.Node] = {str(key): value for key, value in self.pairs(node, known, hints)}
        missing = [key for key in needed if key not in values]
        if missing and len(self.problems) == before:
            self.error(f'"{missing[0]}" is missing here', node, hint)
        return None if missing else values

    def truth(self, node: yaml.Node) -> bool:
        """Return the truth value of a yes/no node; report anything else."""
        word = self.word(node)
        if word.lower() not in ("yes", "no", "true", "false"):
            self.problems.append(
                Problem(f'"{word}" does not fit here', word.span, expected='"yes" or "no"', found=f'"{word}"')
            )
        return word.lower() in ("yes", "true")

    def _unfit(self, node: yaml.Node, wanted: type[yaml.Node], hint: str = "") -> None:
        kind = KINDS[type(node)].partition(" (")[0]
        self.problems.append(
            Problem(f"{kind} does not fit here", self.span(node), expected=KINDS[wanted], found=kind, hint=hint)
        )


def _each_of(key: yaml.Node) -> list[yaml.Node]:
    """Return the items of a key that is a list; another key as the only item."""
    return list(key.value) if isinstance(key, yaml.SequenceNode) else [key]


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == "" and node.style is None


def compose(text: str, path: str) -> tuple[yaml.Node | None, list[Problem]]:
    """Return the root node of a YAML text, None if it is empty or wrong, and the first mistake in the YAML, if any."""
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader), []
    except yaml.MarkedYAMLError as error:
        # A missing end is noticed only at the next key or the end of the file: report where the text began.
        begun = any(piece in str(error.problem) for piece in ("find expected ':'", "unexpected end of stream"))
        mark = (begun and error.context_mark) or error.problem_mark or error.context_mark
        span = Span(path, mark.line + 1, mark.column + 1, mark.column + 2) if mark else Span(path, 0)
        reason = str(error.problem).removeprefix("but ")
        return None, [Problem(f"this is not valid YAML: {reason}", span, hint=_hint(reason, text, span))]
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"the character U+{ord(text[error.position]):04X} is not allowed in YAML"
        return None, [Problem(message, Span(path, line, column, column + 1), hint="remove it")]
    except RecursionError:
        hint = "remove brackets or indentation: a grammar needs no more than lists in mappings in mappings"
        return None, [Problem("this is nested too deeply", Span(path, 0), hint=hint)]


def _hint(reason: str, text: str, span: Span) -> str:
    lines = text.split("\n")
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    if "\t" in line:
        return "indent YAML with spaces, not with tabs"
    if "mapping values" in reason and re.fullmatch(r"\s*[\w'-]+", line[: span.column - 1]):
        return 'the line before it is incomplete: a key ends with a colon, "NP:"'
    if "block end" in reason and line[: span.column - 1].rstrip().endswith(('"', "'")):
        return """a text that continues after a quoted part needs quotes around all of it: 'suffix "a", "b"'"""
    if "block end" in reason and line[: span.column - 1].rstrip().endswith(("}", "]")):
        return 'a text that begins with a bracket needs quotes around all of it: "{Det, N} < V"'
    if line[span.column - 1 : span.column] in tuple("*&!%@`|>"):
        return 'a text that starts with * & ! % @ ` | or > needs quotes: "*the cat"'
    return next((hint for piece, hint in HINTS if piece in reason), 'a text with ": " or " #" in it needs quotes')


TEXTS: Final = ("grammar", "language", "version", "source", *NUMBERS)
RELATION_KEYS: Final = ("parameters", "each", "holds", "monotonic", "symmetric", "says", "but")
CONSTRUCTION_KEYS: Final = (
    "title",
    "like",
    "head",
    "inherit",
    "values",
    "const",
    "all",
    "properties",
    "prices",
    "without",
)
PROFILE_KEYS: Final = ("like", "without", "with", "election", "termination", "hard")
PROPERTY_KEYS: Final = ("relation", "operands", "features", "weight", "cost", "hard", "gloss", "examples")
MISPLACED: Final = 'put constructions under the key "constructions", and their properties under "properties" in each'
IN_LIST: Final = 'write the properties as a list of texts: properties: ["oblig N", "Det < N"]'
OF_RELATIONS: Final = dict.fromkeys((*BUILT_IN_BY_NAME, "oblig", "uniq"), IN_LIST)
"""Hints for names of relations used as keys."""


@dataclass
class _YamlReader(Nodes):
    """Reads the statements of a grammar in YAML; each key of a grammar has a method of its name."""

    statements: list[Statement] = field(default_factory=list)

    def parsed(self, node: yaml.Node, start: str, before: str = "") -> list[Any]:
        """Return the statements of a text in the notation, put after `before` and parsed with the rule `start`."""
        word = self.word(node)
        if not word:
            return []
        span = replace(word.span, column=word.span.column - len(before))
        parsed, problem = notation.parse(notation.LogicalLine(before + word, span, indented=True), start)
        if problem is not None:
            self.problems.append(problem)
        if any(isinstance(statement, ExamplesSyntax) for statement in parsed):
            self.error("examples belong to a property", node, 'write them behind it: "Det < N e.g. \\"the cat\\""')
            return []
        return parsed

    def operands(self, node: yaml.Node) -> tuple[OperandSyntax, ...]:
        """Return the operands of a list, or of a text in which commas separate them."""
        return tuple(operand for item in self.items(node) for operand in self.parsed(item, "operands"))

    # statements

    def document(self, node: yaml.Node) -> None:
        misplaced = _misplaced_constructions(node)
        hints = dict.fromkeys((*misplaced, *OF_RELATIONS), MISPLACED)
        self.statements.append(UnreadLine(tuple(misplaced)))
        for key, value in self.pairs(node, KEYS, hints):
            if key in TEXTS:
                self.statements.append(SettingStatement(key, (OperandSyntax(self.word(value)),)))
            elif key == "roots":
                self.statements.append(SettingStatement(key, self.operands(value)))
            elif key == "leaves":
                leaves = self.titled(value)
                self.statements.append(SettingStatement(key, tuple(map(OperandSyntax, leaves))))
            elif key in LISTS:
                words = self.names(value) if key == "tree_features" else self.words(value)
                self.statements.append(SettingStatement(key, tuple(map(OperandSyntax, words))))
            else:
                SECTIONS[key](self, value)

    def titled(self, node: yaml.Node, feature: PlacedText | None = None) -> tuple[PlacedText, ...]:
        """Return the names of a list, or of a mapping from names to titles, which become statements."""
        if not isinstance(node, yaml.MappingNode):
            return self.names(node)
        pairs = [(name, "" if _is_empty(value) else str(self.word(value))) for name, value in self.pairs(node)]
        self.statements += [TitleStatement(name, title, feature) for name, title in pairs if title]
        return tuple(name for name, _ in pairs)

    def features(self, node: yaml.Node) -> None:
        for name, values in self.pairs(node):
            before = len(self.problems)
            words = self.titled(values, name)
            if len(self.problems) == before:
                self.statements.append(FeatureStatement(name, words))

    def marks(self, node: yaml.Node) -> None:
        for name, signs in self.pairs(node):
            before = len(self.problems)
            words = self.words(signs)
            if len(self.problems) == before:
                self.statements.append(MarkStatement(name, words))

    def semantics(self, node: yaml.Node) -> None:
        for name, value in self.pairs(node):
            self.statements.append(SwitchStatement(name, self.word(value)))

    def profiles(self, node: yaml.Node) -> None:
        for name, body in self.pairs(node):
            values = self.mapping(body, PROFILE_KEYS) or {}
            parent = self.word(values["like"]) if "like" in values else None
            parts = []
            for key in ("without", "with", "election", "termination"):
                keyword = PlacedText(key, self.span(values[key])) if key in values else None
                words = () if keyword is None else self.names(values[key])
                parts += [ProfilePartSyntax(keyword, word) for word in words if keyword is not None]
            if "hard" in values and self.truth(values["hard"]):
                span = self.span(values["hard"])
                parts.append(ProfilePartSyntax(PlacedText(EVERY, span), PlacedText("hard", span)))
            self.statements.append(ProfileStatement(name, parent, tuple(parts)))

    def all(self, node: yaml.Node) -> None:
        for statement in self.strengths(node):
            self.statements.append(replace(statement, everywhere=True))

    def strengths(self, node: yaml.Node) -> Iterator[StrengthStatement]:
        """Yield the strengths of whole relations under the key `all`."""
        for item in self.items(node):
            word = self.word(item)
            shifted = replace(word.span, column=word.span.column - 4)
            line = notation.LogicalLine(f"all {word}", shifted, indented=True)
            strengths, problem = notation.parse(line, "construction_line")
            if problem is not None:
                self.problems.append(problem)
            yield from strengths

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
                    self.error("a relation needs parameters", values["parameters"], "write them like [A, B]")
                self.statements.append(UnreadLine((str(name),)))
                continue
            matched = self.names(values["each"]) if "each" in values else ()
            self.statements.append(RelationStatement(name, parameters, matched, expression[0], **attributes))

    def constructions(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.SequenceNode):
            self._unfit(node, yaml.MappingNode, 'a construction is a key, without a dash: "NP:"')
            return
        for name, body in self.pairs(node):
            if isinstance(body, yaml.SequenceNode):
                self._unfit(body, yaml.MappingNode, 'put properties under the key "properties" of the construction')
                body = yaml.MappingNode("", [])
            values = self.mapping(body, CONSTRUCTION_KEYS, hints=OF_RELATIONS) or {}
            title = str(self.word(values["title"])) if "title" in values else ""
            parents = self.names(values["like"]) if "like" in values else ()
            self.statements.append(ConstructionStatement(name, title, parents))
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
            if isinstance(values.get("properties"), yaml.MappingNode):
                self._unfit(values["properties"], yaml.SequenceNode, IN_LIST)
            else:
                for item in self.items(values["properties"]) if "properties" in values else ():
                    self.property(item)
            for item in self.items(values["prices"]) if "prices" in values else ():
                self.statements += self.parsed(item, "construction_line", before="price ")
            for item in self.items(values["without"]) if "without" in values else ():
                self.statements += self.parsed(item, "construction_line", before="without ")

    def types(self, node: yaml.Node) -> None:
        for name, members in self.pairs(node):
            self.statements.append(TypeStatement(name, self.names(members)))

    def templates(self, node: yaml.Node) -> None:
        for head, value in self.pairs(node):
            begun, problem = notation.parse(notation.LogicalLine(head, head.span, indented=True), "template_head")
            if problem is not None:
                self.problems.append(problem)
            readings = self.readings(value)
            if begun and readings:
                self.statements.append(TemplateStatement(begun[0], tuple(begun[1:]), readings))
            else:
                self.statements.append(UnreadLine((head.partition("(")[0].strip(),)))

    def property(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            self.statements += self.parsed(node, "construction_line")
            return
        hint = 'a property needs "relation" and "operands", or is a text in the notation: "Det < N"'
        values = self.mapping(node, PROPERTY_KEYS, ("relation", "operands"), hint, dict.fromkeys(OF_RELATIONS, hint))
        if values is None:
            return
        items = self.items(values["operands"])
        parameters = [parameter for item in items for parameter in self.parsed(item, "alternatives")]
        if len(parameters) < len(items) or not parameters:
            return
        words = {key: self.word(values[key]) for key in ("weight", "cost") if key in values}
        strength = StrengthSyntax(**words, hard="hard" in values and self.truth(values["hard"]))
        shared = self.names(values["features"]) if "features" in values else ()
        demands = tuple(DemandSyntax(None, (word,)) for word in shared)
        relation = self.word(values["relation"])
        gloss = str(self.word(values["gloss"])) if "gloss" in values else ""
        examples = self.examples(values["examples"]) if "examples" in values else ()
        about: dict[str, Any] = {"title": gloss, "examples": examples}
        stated = PropertyStatement(relation, tuple(parameters), strength, relation.span, demands, **about)
        self.statements.append(stated)

    def examples(self, node: yaml.Node) -> tuple[PropertyExample, ...]:
        """Return the examples of a property, of which some begin with a star."""
        texts = [word for word in self.words(node) if word]
        return tuple(PropertyExample(text.removeprefix("*").strip(), text.startswith("*"), text.span) for text in texts)

    def tokens(self, node: yaml.Node) -> None:
        for item in self.items(node):
            self.statements += self.parsed(item, "tokens_line")

    def changes(self, node: yaml.Node, keyword: str) -> None:
        for item in self.items(node):
            self.statements += self.parsed(item, keyword, before=f"{keyword} ")

    def spelling(self, node: yaml.Node) -> None:
        for pattern, value in self.pairs(node):
            self.statements += [SpellingStatement((pattern,), operands) for operands in self.parsed(value, "spelt")]

    def entries(self, node: yaml.Node, section: ReadingSection) -> None:
        of: dict[int, tuple[ReadingSyntax, ...]] = {}
        for form, value in self.pairs(node, lists=True):
            readings = of.get(id(value)) or of.setdefault(id(value), self.readings(value))
            if readings:
                self.statements.append(EntryStatement(form, readings, section))

    def readings(self, node: yaml.Node) -> tuple[ReadingSyntax, ...]:
        """Return the readings of a text in which commas separate them, or of a list of such texts."""
        parsed = [item for item in self.items(node) for item in self.parsed(item, "readings")]
        return tuple(reading for item in parsed for reading in (item if isinstance(item, tuple) else (item,)))


def _misplaced_constructions(document: yaml.Node) -> list[str]:
    """Return the unknown keys of the grammar that are probably constructions, because of what they contain."""
    if not isinstance(document, yaml.MappingNode):
        return []
    pairs = [(key.value, value) for key, value in document.value if isinstance(key, yaml.ScalarNode)]
    return [key for key, value in pairs if key not in KEYS and _may_be_construction(key, value)]


def _may_be_construction(key: str, value: yaml.Node) -> bool:
    in_lines = isinstance(value, yaml.ScalarNode) and value.start_mark.line < value.end_mark.line
    if isinstance(value, yaml.SequenceNode) or in_lines:
        return not close_match(key, KEYS)
    keys = value.value if isinstance(value, yaml.MappingNode) else ()
    return any(isinstance(name, yaml.ScalarNode) and name.value in CONSTRUCTION_KEYS for name, _ in keys)


SECTIONS: Final[dict[str, Callable[[_YamlReader, yaml.Node], None]]] = {
    "types": _YamlReader.types,
    "templates": _YamlReader.templates,
    "features": _YamlReader.features,
    "marks": _YamlReader.marks,
    "semantics": _YamlReader.semantics,
    "profiles": _YamlReader.profiles,
    "all": _YamlReader.all,
    "relations": _YamlReader.relations,
    "constructions": _YamlReader.constructions,
    "tokens": _YamlReader.tokens,
    "lexicon": partial(_YamlReader.entries, section="lexicon"),
    "guess": partial(_YamlReader.entries, section="guess"),
    "names": partial(_YamlReader.entries, section="names"),
    "spelling": _YamlReader.spelling,
    "override": partial(_YamlReader.changes, keyword="override"),
    "without": partial(_YamlReader.changes, keyword="without"),
}


KEYS: Final = (*TEXTS, *LISTS, *SECTIONS)
"""The keys of a grammar."""


def read(text: str, path: str) -> tuple[list[Statement], list[Problem]]:
    """Return the statements of a YAML file and all its mistakes; an error in the YAML itself ends reading."""
    node, problems = compose(text, path)
    reader = _YamlReader(path, text.split("\n"), problems)
    if node is not None:
        reader.document(node)
    return reader.statements, reader.problems
