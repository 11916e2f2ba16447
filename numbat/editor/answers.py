"""Answers to an editor's requests about a text: hover, completion, symbols, folding, formatting, renaming, fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from numbat.editor.documents import Documents, GrammarDocument, KnownGrammar
from numbat.editor.names import GrammarSymbol, Kind, NamePlace, at
from numbat.errors import Problem, UsageError, counted
from numbat.files import composed, grammar_folders
from numbat.grammar.layout import laid_out
from numbat.grammar.loading import packaged, read_grammar
from numbat.grammar.model import Construction, Grammar, property_types_of, relations_of, titles_of
from numbat.grammar.names import KEYWORDS, is_name, quoted, unquoted
from numbat.grammar.properties import (
    Property,
    format_bracket,
    format_examples,
    format_named,
    format_number,
    format_operand,
    format_operands,
    format_property,
)
from numbat.grammar.relations import Relation
from numbat.grammar.statements import ConstructionStatement, PropertyStatement
from numbat.parsing.explanation.wording import condition_in_words, enumerated

TOKEN_TYPES: Final = ("class", "property", "enumMember", "operator", "macro", "type", "string", "namespace")
"""Token types for semantic highlighting, in the terms of the protocol."""
TOKEN_TYPE_OF: Final[dict[Kind, str]] = {
    "category": "class",
    "feature": "property",
    "value": "enumMember",
    "relation": "operator",
    "template": "macro",
    "profile": "type",
    "form": "string",
    "file": "namespace",
}
SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
MAX_READINGS: Final = 12
"""Maximal number of readings shown for a form."""


class Places:
    """Converts between places in a text and positions of the protocol, which count the `units` of the editor."""

    def __init__(self, document: GrammarDocument, units: Units) -> None:
        self._document, self._units = document, units

    def position(self, line: int, column: int) -> lsp.Position:
        """Return the position of a line and a column, which count from 1."""
        written = self._document.line(line)
        return lsp.Position(max(0, line - 1), self._units.of(written[: self._document.character(line, column)]))

    def place(self, position: lsp.Position) -> tuple[int, int]:
        """Return the line and the column of a position."""
        line = position.line + 1
        written = self._document.line(line)
        return line, self._document.column(line, self._units.characters(written, position.character))

    def range(self, line: int, column: int, end_column: int) -> lsp.Range:
        """Return the range of columns in a line; for line 0, the whole file, return the beginning of the file."""
        if not line:
            return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        return lsp.Range(self.position(line, column), self.position(line, max(end_column, column + 1)))

    def of(self, place: NamePlace) -> lsp.Range:
        """Return the range of the place of a name."""
        return self.range(place.span.line, place.span.column, place.span.end_column)

    def lines(self, first: int, last: int) -> lsp.Range:
        """Return the range of whole lines."""
        return lsp.Range(lsp.Position(first - 1, 0), self.position(last, len(self._document.line(last)) + 1))


class Units:
    """The units in which an editor counts the characters of a line: of UTF-16, unless it agreed on another encoding."""

    def __init__(self, encoding: str = "utf-16") -> None:
        self._codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
        self._size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]

    def of(self, text: str) -> int:
        """Return the number of units of a text."""
        return len(text) if text.isascii() else len(text.encode(self._codec, "surrogatepass")) // self._size

    def characters(self, text: str, units: int) -> int:
        """Return the number of whole characters in the first `units` units."""
        if text.isascii():
            return min(units, len(text))
        beginning = text.encode(self._codec, "surrogatepass")[: units * self._size]
        return len(beginning.decode(self._codec, "ignore"))


# Diagnostics and quick fixes

MEANT: Final = re.compile(r'did you mean "((?:[^"\\]|\\.)+)"')
MISSING_CATEGORY: Final = re.compile(r'"(.+)" is not a construction or a leaf$')
ONE_OF_TWO: Final = re.compile(r"^write (?:uniq .+) if only one of them may occur, or (.+ x .+)$")


def diagnostic(problem: Problem, places: Places) -> lsp.Diagnostic:
    """Return a problem as a diagnostic of the protocol."""
    lines = [problem.message]
    lines += [f"{what}: {text}" for what, text in (("expected", problem.expected), ("found", problem.found)) if text]
    lines += [problem.hint] if problem.hint else []
    span = problem.span
    where = places.range(span.line, span.column, span.end_column)
    return lsp.Diagnostic(where, "\n".join(lines), SEVERITIES[problem.severity], source="numbat")


def fixes(document: GrammarDocument, problem: Problem) -> Iterator[tuple[str, int, int, int, str]]:
    """Yield the fixes of a problem: a title, the line, the first and last column to replace, and the new text."""
    span, written = problem.span, document.source(problem.span)
    name = unquoted(written)
    for meant in MEANT.findall(problem.hint):
        new = meant.removesuffix(":") if not written.endswith(":") else meant
        if name and new != name and (f'"{name}"' in problem.message or name in problem.found):
            shown = new if not written.startswith('"') and is_name(new) else quoted(new)
            yield f"Change to {shown}", span.line, span.column, span.end_column, shown
    missing = MISSING_CATEGORY.match(problem.message)
    if missing and document.is_notation:
        for line, text in enumerate(document.lines, 1):
            if re.match(r"leaves:.*\w", text):
                column = len(text.partition("#")[0].rstrip()) + 1
                leaf = missing[1] if is_name(missing[1]) else quoted(missing[1])
                yield f"Declare {leaf} as a leaf", line, column, column, f", {leaf}"
                break
    alternative = ONE_OF_TWO.match(problem.hint)
    if alternative and document.is_notation:
        text = document.line(span.line)
        indent, end = re.match(r"\s*", text), len(text) + 1
        yield f"Add {alternative[1]}", span.line, end, end, f"\n{indent[0] if indent else ''}{alternative[1]}"


# Hover: the meaning of a name or a property


def hover(documents: Documents, document: GrammarDocument, line: int, column: int) -> str | None:
    """Return a description of the name and the property at a place, as Markdown; None if there are none."""
    place = at(document.outline.names_at(line), line, column)
    symbol = None if place is None else documents.meanings(document.path).symbol(place)
    about_name: list[str] = []
    about_line: list[str] = []
    for known in documents.known(document.path):
        about_name = about_name or ([] if symbol is None else [*_about(symbol, known.grammar)])
        about_line = about_line or [
            _in_words(prop, known.grammar) + _in_suites(documents, document, prop)
            for prop in properties_at(known, document, line)
        ]
    return "\n\n---\n\n".join((*about_name, *about_line)) or None


def properties_at(known: KnownGrammar, document: GrammarDocument, line: int) -> list[Property]:
    """Return the properties that a line states, in a version of the grammar."""
    stated = [
        (construction, statement.span.line + shift)
        for shift, construction, statement in _properties(document)
        if statement.span.line + shift <= line
    ]
    construction, first = max(stated, key=lambda statement: statement[1], default=("", 0))
    if not first or (first != line and not _continues(document, first, line)):
        return []
    path, text = str(document.path), composed(document.line(first))
    before = known.lines.get(path, [])
    return [
        prop
        for prop in known.grammar.properties
        if prop.construction == construction and prop.span and prop.span.path == path
        if prop.span.line <= len(before) and before[prop.span.line - 1] == text
    ]


def _properties(document: GrammarDocument) -> Iterator[tuple[int, str, PropertyStatement]]:
    """Yield for each property in a text how many lines it has moved, its construction by name, and its statement."""
    construction = ""
    for _, shift, statements in document.outline.statements():
        for statement in statements:
            if isinstance(statement, ConstructionStatement):
                construction = str(statement.name)
            elif isinstance(statement, PropertyStatement):
                yield shift, construction, statement


def _continues(document: GrammarDocument, first: int, line: int) -> bool:
    """True if a statement that begins in line `first` has open brackets before `line`."""
    text = "\n".join(document.line(number) for number in range(first, line))
    return sum(text.count(sign) for sign in "([{") > sum(text.count(sign) for sign in ")]}")


def _in_words(prop: Property, grammar: Grammar) -> str:
    relation = relations_of(grammar)[prop.relation]
    strength = (
        f"cost {format_number(prop.cost_units)}, weight {format_number(prop.weight_units)}" + ", hard" * prop.hard
    )
    about = (
        f"**{prop.construction}:** `{format_property(prop)}`\n\n{meaning(prop, relation)}\n\n{strength} · {prop.type}"
    )
    shown = format_examples(prop.examples).strip().replace("*", "\\*")
    return about + (f"\n\n{shown}" if shown else "")


def _in_suites(documents: Documents, document: GrammarDocument, prop: Property) -> str:
    """Return how often the suites next to the grammar satisfy and violate a property, with an example sentence."""
    uses = documents.uses(document.path, format_named(prop))
    if uses is None:
        return ""
    use, names = uses
    numbers = f"satisfied in {counted(use.satisfied, 'sentence')}, violated in {use.violated:,}"
    example = f": *{use.example}*" if use.example else ""
    return f"\n\n{' and '.join(names)}: {numbers}{example}"


def meaning(prop: Property, relation: Relation) -> str:
    """Return the meaning of a property as an English sentence."""
    names = {
        name: enumerated([" with ".join(map(format_operand, joint)) for joint in parameter], "or")
        for name, parameter in zip(relation.parameters, prop.operands, strict=False)
    }
    names |= {name: name for name in relation.parameters if name not in names}
    clause = condition_in_words(relation.holds, names, prop.features)
    return f"{clause[0].upper()}{clause[1:]}."


def _about(symbol: GrammarSymbol, grammar: Grammar) -> Iterator[str]:
    name = symbol.name
    if symbol.kind == "category":
        for construction in grammar.constructions:
            if construction.name == name:
                yield _construction(construction)
        if name in grammar.leaves:
            title = titles_of(grammar).get(("", name), "")
            yield (
                f"**{name}** {title}: a leaf, the category of words"
                if title
                else f"**{name}**: a leaf, the category of words"
            )
    elif symbol.kind in ("feature", "value"):
        feature = symbol.feature or name
        values, titles = dict(grammar.features).get(feature, ()), titles_of(grammar)
        if values:
            said = (value + (f" ({titles[feature, value]})" if (feature, value) in titles else "") for value in values)
            yield f"**{feature}**: {', '.join(said)}"
    elif symbol.kind == "relation" and name in relations_of(grammar):
        relation = relations_of(grammar)[name]
        clause = condition_in_words(
            relation.holds, {parameter: parameter for parameter in relation.parameters}, ["the features"]
        )
        yield f"**{relation.name}**, `{relation.form}`: {clause}"
    elif symbol.kind == "form":
        readings = [reading for entry in grammar.lexicon if entry.form == name for reading in entry.readings]
        shown = [f"`{reading.category}{format_bracket(reading.features)}`" for reading in readings[:MAX_READINGS]]
        if shown:
            yield f"**{name}**: {', '.join(shown)}" + ", …" * (len(readings) > MAX_READINGS)


def _construction(construction: Construction) -> str:
    head = f" · head {format_operands(construction.heads)}" if construction.heads else ""
    title = f" {construction.title}" if construction.title else ""
    return f"**{construction.name}**{title}: {len(construction.properties)} properties{head}"


# Completion: from the names of all files, as in the editor of the page

KINDS: Final = {
    "category": lsp.CompletionItemKind.Class,
    "feature": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.EnumMember,
    "relation": lsp.CompletionItemKind.Operator,
    "template": lsp.CompletionItemKind.Function,
    "profile": lsp.CompletionItemKind.Module,
    "file": lsp.CompletionItemKind.File,
    "keyword": lsp.CompletionItemKind.Keyword,
}
STRENGTHS: Final = ("cost", "weight", "hard", "if", "e.g.")


def completions(documents: Documents, document: GrammarDocument, line: int, character: int) -> list[lsp.CompletionItem]:
    """Return the completions at a place of a grammar; `character` counts from 0 in the line."""
    before = document.line(line)[:character]
    if "#" in re.sub(r'"(?:[^"\\]|\\.)*"', "", before) or not document.is_grammar:
        return []
    before = re.sub(r"[\w'’-]*$", "", before)
    names = _defined(documents, document)
    if re.match(r"include:", before):
        return [_item("file", name, "packaged grammar") for name in packaged()]
    if before.rfind("[") > before.rfind("]"):
        demanded = re.search(r"([\w-]+)\s*!?=\s*(?:[^,\]]*\|)?\s*$", before)
        if demanded:
            return [_item("value", name, feature) for name, feature in names["value"] if feature == demanded[1]]
        features = [_item("feature", name, "feature") for name, _ in names["feature"]]
        return [*features, *(_item("value", name, feature) for name, feature in names["value"])]
    categories = [_item("category", name) for name, _ in names["category"]]
    if document.is_notation and not before.strip():
        words = KEYWORDS["construction_line"] if before else KEYWORDS["top"]
        return [*(_item("keyword", word) for word in words), *categories]
    if re.match(r"all\s", before.lstrip()):
        return [_item("relation", name, "relation") for name, _ in names["relation"]]
    strengths = [lsp.CompletionItem(word, kind=KINDS["keyword"], detail="keyword") for word in STRENGTHS]
    relations = [_item("relation", name, "relation") for name, _ in names["relation"]]
    return [
        *categories,
        *relations,
        *(_item("template", name, "template") for name, _ in names["template"]),
        *strengths,
    ]


def _item(kind: str, name: str, detail: str = "") -> lsp.CompletionItem:
    text = name if is_name(name) or not name or not re.search(r"[^\w<>=~+-]", name) else quoted(name)
    return lsp.CompletionItem(name, kind=KINDS[kind], detail=detail or kind, insert_text=text)


def _defined(documents: Documents, document: GrammarDocument) -> dict[str, list[tuple[str, str]]]:
    """Return the names that the files of a grammar define, by kind; values come with their feature."""
    kinds = ("category", "feature", "value", "relation", "template", "profile")
    defined: dict[str, dict[tuple[str, str], None]] = {kind: {} for kind in kinds}
    for known in documents.known(document.path):
        grammar = known.grammar
        defined["relation"] |= dict.fromkeys((name, "") for name in property_types_of(grammar))
        signs = (relation.symbol for relation in relations_of(grammar).values() if relation.has_sign)
        defined["relation"] |= dict.fromkeys((sign, "") for sign in signs)
        defined["feature"] |= dict.fromkeys((name, "") for name, _ in grammar.features)
        defined["value"] |= dict.fromkeys((value, name) for name, values in grammar.features for value in values)
        defined["category"] |= dict.fromkeys((name, "") for name in grammar.categories)
    for place in document.outline.definitions():
        if place.kind in defined:
            defined[place.kind][place.name, place.feature] = None
    return {kind: list(names) for kind, names in defined.items()}


# Symbols, folding, semantic tokens


def symbols(document: GrammarDocument, places: Places) -> list[lsp.DocumentSymbol]:
    """Return the constructions of a text with their properties, and its sections."""
    document_symbols: list[lsp.DocumentSymbol] = []
    begins = [first for first, _, _ in document.outline.statements()] + [len(document.lines) + 1]
    if not document.is_notation:
        names = [name for name in document.outline.occurrences if name.is_definition and name.kind == "category"]
        return [_symbol(name.name, "", lsp.SymbolKind.Class, places.of(name), places.of(name)) for name in names]
    for (first, shift, statements), following in zip(document.outline.statements(), begins[1:], strict=True):
        last = _last_line(document, first, following)
        head = re.match(r"[^\W\d][\w-]*", document.line(first))
        opened = next((statement for statement in statements if isinstance(statement, ConstructionStatement)), None)
        if opened is None and (head is None or head[0] not in KEYWORDS["top"] or last == first):
            continue
        place = places.range(first, 1, len(head[0]) + 1 if head else 2)
        if opened is None:
            assert head is not None
            section = _symbol(head[0], "", lsp.SymbolKind.Namespace, places.lines(first, last), place)
            document_symbols.append(section)
            continue
        properties = (statement for statement in statements if isinstance(statement, PropertyStatement))
        lines = sorted({statement.span.line + shift for statement in properties})
        children = [
            _symbol(_without_comment(document.line(line)), "", lsp.SymbolKind.Property, places.lines(line, line))
            for line in lines
            if _without_comment(document.line(line))
        ]
        document_symbols.append(
            _symbol(opened.name, opened.title, lsp.SymbolKind.Class, places.lines(first, last), place, children)
        )
    return document_symbols


def _symbol(
    name: str,
    detail: str,
    kind: lsp.SymbolKind,
    whole: lsp.Range,
    place: lsp.Range | None = None,
    children: Sequence[lsp.DocumentSymbol] = (),
) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(str(name), kind, whole, place or whole, detail=detail or None, children=[*children])


def _without_comment(line: str) -> str:
    return re.sub(r"\s*#.*", "", line).strip()


def _last_line(document: GrammarDocument, first: int, following: int) -> int:
    """Return the last line before line `following` that is not blank."""
    last = following - 1
    while last > first and not document.line(last).strip():
        last -= 1
    return last


def folds(document: GrammarDocument) -> list[lsp.FoldingRange]:
    """Return the ranges of a grammar that can be folded: constructions, sections, comments of several lines."""
    if not document.is_notation:
        return []
    ranges = []
    begins = [first for first, _, _ in document.outline.statements()] + [len(document.lines) + 1]
    for first, following in pairwise(begins):
        last = _last_line(document, first, following)
        while last > first and document.line(last).startswith("#"):
            last = _last_line(document, first, last)
        if last > first and not document.line(first).startswith("#"):
            ranges.append(lsp.FoldingRange(first - 1, last - 1))
    comments = [number for number, line in enumerate(document.lines) if line.startswith("#")]
    for number in comments:
        if number - 1 not in comments and number + 1 in comments:
            last = next(line for line in range(number, len(document.lines) + 1) if line + 1 not in comments)
            ranges.append(lsp.FoldingRange(number, last, kind=lsp.FoldingRangeKind.Comment))
    return ranges


def semantic_tokens(documents: Documents, document: GrammarDocument, places: Places) -> list[int]:
    """Return the places and types of the names of a text in the encoding of the protocol."""
    meanings, data = documents.meanings(document.path), []
    line, character, end = 0, 0, (0, 0)
    for place in document.outline.occurrences:
        where = places.of(place)
        begin = where.start.line, where.start.character
        if begin < end:
            continue
        end = where.end.line, where.end.character
        number = TOKEN_TYPES.index(TOKEN_TYPE_OF[meanings.symbol(place).kind])
        data += [begin[0] - line, begin[1] - (character if begin[0] == line else 0)]
        data += [end[1] - begin[1], number, int(place.is_definition)]
        line, character = begin
    return data


# Hints in the text: costs that the text does not state, and numbers of violations in the suites


def costs_beside(documents: Documents, document: GrammarDocument, places: Places, lines: range) -> list[lsp.InlayHint]:
    """Return hints for the properties in `lines` that do not state their costs; each hint shows the cost."""
    if not document.is_notation:
        return []
    path = str(document.path)
    costs: dict[tuple[str, str], set[int]] = {}
    for known in documents.known(document.path):
        before = known.lines.get(path, [])
        for prop in known.grammar.properties:
            if prop.span and prop.span.path == path and prop.span.line <= len(before):
                costs.setdefault((prop.construction, before[prop.span.line - 1]), set()).add(prop.cost_units)
    costs_by_line: dict[int, set[int]] = {}
    for shift, construction, stated in _properties(document):
        if (line := stated.span.line + shift) in lines:
            costs_by_line.setdefault(line, set()).update(costs.get((construction, composed(document.line(line))), ()))
    hints = []
    for line, of_line in costs_by_line.items():
        text = re.sub(r"\s*(#.*)?$", "", document.line(line))
        is_whole = all(text.count(one) == text.count(other) for one, other in ("()", "[]", "{}"))
        if len(of_line) == 1 and is_whole and not re.search(r"\b(cost|hard)\b", text):
            at = places.position(line, len(composed(text)) + 1)
            hints.append(lsp.InlayHint(at, f"cost {format_number(of_line.pop())}", padding_left=True))
    return hints


def violations_of_constructions(documents: Documents, document: GrammarDocument, places: Places) -> list[lsp.CodeLens]:
    """Return lenses above constructions with the number of their violations in the suites next to the grammar."""
    known = documents.known(document.path)
    if not known or not document.is_notation:
        return []
    violated: dict[str, int] = {}
    suites: list[str] = []
    for prop in known[0].grammar.properties:
        if (uses := documents.uses(document.path, format_named(prop))) is None:
            return []
        suites = uses[1]
        violated[prop.construction] = violated.get(prop.construction, 0) + uses[0].violated
    lenses = []
    for first, _, statements in document.outline.statements():
        for opened in statements:
            if isinstance(opened, ConstructionStatement) and (number := violated.get(str(opened.name))) is not None:
                title = f"{counted(number, 'violation')} in {', '.join(suites)}"
                lenses.append(lsp.CodeLens(places.lines(first, first), lsp.Command(title, "")))
    return lenses


# Formatting


def formatting(document: GrammarDocument, places: Places) -> list[lsp.TextEdit]:
    """Return the edit that gives a text the usual layout, from the first line that changes to the last.

    Returns no edit if a line cannot be read or the text is not in the notation.
    """
    if not document.is_notation or document.outline.problems:
        return []
    before = document.lines
    after = laid_out(document.text, str(document.path), document.parse_line).split("\n")
    if before == after:
        return []
    most = min(len(before), len(after))
    first = next((i for i in range(most) if before[i] != after[i]), most)
    first = min(first, most - 1)
    same = next((i for i in range(most - first) if before[-1 - i] != after[-1 - i]), most - first)
    new = after[first : len(after) - same]
    start = lsp.Position(first, 0)
    if same:
        return [lsp.TextEdit(lsp.Range(start, lsp.Position(len(before) - same, 0)), "".join(f"{e}\n" for e in new))]
    return [lsp.TextEdit(lsp.Range(start, places.lines(first + 1, len(before)).end), "\n".join(new))]


# Renaming

RENAMED: Final = ("category", "feature", "value", "relation", "template", "profile", "form")


def symbol_at(
    documents: Documents, document: GrammarDocument, line: int, column: int
) -> tuple[GrammarSymbol, NamePlace] | None:
    """Return the symbol at a place, and the place of its name."""
    place = at(document.outline.names_at(line), line, column)
    return None if place is None else (documents.meanings(document.path).symbol(place), place)


def check_renaming(
    documents: Documents, document: GrammarDocument, symbol: GrammarSymbol, roots: Sequence[Path]
) -> None:
    """Raise UsageError for a symbol that cannot be renamed in all files: built-in, or used outside the open folders."""
    if symbol.kind not in RENAMED:
        raise UsageError(f'"{symbol.name}" cannot be renamed here\n  rename the file itself')
    everywhere = documents.occurrences(document.path, symbol)
    if not any(place.is_definition for _, place in everywhere):
        raise UsageError(f'"{symbol.name}" is not defined in these files\n  rename a name that they define')
    for file in documents.project(document.path):
        if file.outline.problems:
            first = min(file.outline.problems, key=lambda problem: problem.span)
            raise UsageError(f"{first.span}: this line has a mistake, and may contain the name\n  correct it first")
    for path in dict.fromkeys(file.path for file, _ in everywhere):
        is_open = path in documents.open or any(root in path.parents for root in roots)
        if not is_open or any(folder in path.parents for folder in grammar_folders()):
            raise UsageError(f'{path} uses "{symbol.name}" too, but its folder is not open\n  open its folder first')


def renamed(
    documents: Documents, document: GrammarDocument, symbol: GrammarSymbol, name: str, roots: Sequence[Path]
) -> dict[Path, list[tuple[NamePlace, str]]]:
    """Return the new text for each place of a symbol, by file. Raises UsageError if the grammar would change."""
    check_renaming(documents, document, symbol, roots)
    new = unquoted(name.strip())
    if not new or "\n" in new:
        raise UsageError("the new name is empty\n  give a name")
    taken = GrammarSymbol(symbol.kind, new, symbol.feature)
    if documents.occurrences(document.path, taken):
        raise UsageError(f'"{new}" exists already\n  give an unused name')
    edits: dict[Path, list[tuple[NamePlace, str]]] = {}
    for file, place in documents.occurrences(document.path, symbol):
        if unquoted(file.source(place.span)) != symbol.name:
            if symbol.kind == "relation":
                continue  # the relation is written as a symbol here, such as <
            raise UsageError(f'{place.span}: "{symbol.name}" is not written out here\n  rename it by hand')
        if not file.is_notation and not is_name(new):
            raise UsageError(f'"{new}" would need quotes in {file.path.name}\n  give a plain name')
        edits.setdefault(file.path, []).append((place, symbol.written(new) if file.is_notation else new))
    _check_renamed(documents, document, taken, edits)
    return edits


def _check_renamed(
    documents: Documents,
    document: GrammarDocument,
    taken: GrammarSymbol,
    edits: dict[Path, list[tuple[NamePlace, str]]],
) -> None:
    """Raise UsageError if the texts with the new name have mistakes, or if the grammar has more or fewer parts then."""
    texts = {file.path: file.text for file in documents.project(document.path)}
    after = texts | {path: with_edits(documents, path, changes) for path, changes in edits.items()}
    for main in documents.mains_of(document.path):
        if main not in texts or main.suffix not in (".pg", ".yaml", ".yml"):
            continue
        old, new = (read_grammar(main, content_of=partial(_content, of)) for of in (texts, after))
        if old.errors or new.errors or _shape(old.grammar) != _shape(new.grammar):
            where = min(new.errors or old.errors, key=lambda problem: problem.span, default=None)
            why = f"{where.span}: {where.message}" if where else f'"{taken.name}" has another meaning'
            raise UsageError(f"the grammar would not be the same: {why}\n  correct this first, or give another name")


def _content(texts: dict[Path, str], path: Path) -> bytes:
    known = texts.get(path.resolve(), texts.get(path))
    return path.read_bytes() if known is None else known.encode("utf-8", "surrogateescape")


def _shape(grammar: Grammar) -> tuple[object, ...]:
    """Return how many parts of each kind a grammar has; a new name must not change this."""
    properties = [
        (prop.relation, len(prop.operands), prop.cost_units, prop.weight_units, prop.hard)
        for prop in grammar.properties
    ]
    readings = sum(len(entry.readings) for entry in grammar.lexicon)
    features = [len(values) for _, values in grammar.features]
    defined = {relation.name for relation in grammar.relations}
    shapes = [("defined" if relation in defined else relation, *rest) for relation, *rest in properties]
    return len(grammar.constructions), shapes, len(grammar.leaves), features, len(grammar.lexicon), readings


def with_edits(documents: Documents, path: Path, changes: Sequence[tuple[NamePlace, str]]) -> str:
    """Return the text of a file with changes at some places."""
    document = documents.get(path)
    assert document is not None
    lines = list(document.lines)
    for place, text in sorted(changes, key=lambda change: change[0].span, reverse=True):
        number = place.span.line
        begin = document.character(number, place.span.column)
        end = document.character(number, place.span.end_column)
        lines[number - 1] = lines[number - 1][:begin] + text + lines[number - 1][end:]
    return "\n".join(lines)
