"""Templates: named readings with parameters that many words share: `template transitive(case): V[obj=$case]`.

Templates are expanded when a grammar is built; the lexicon contains the resulting readings. Features stated nearer to
the word win: those at the word over those of its template, and these over those of the row of its paradigm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from numbat.errors import Span, close_match, close_match_or, counted
from numbat.grammar.declarations import MAX_DEEP, MAX_READINGS, Declarations
from numbat.grammar.statements import (
    ArgumentSyntax,
    DemandSyntax,
    EntryStatement,
    OperandSyntax,
    PlacedText,
    ReadingSyntax,
    TemplateStatement,
    Variable,
)
from numbat.records import frozen

Demands = tuple[DemandSyntax, ...]


# Declaration


def declare_templates(declarations: Declarations, statements: Sequence[TemplateStatement]) -> None:
    """Declare the templates; in their readings, uses of other templates are expanded.

    The name of a template with a mistake is added to `unread`, so that uses of it are not reported as mistakes too.
    """
    stated: dict[str, TemplateStatement] = {}
    for statement in statements:
        name = statement.name
        if name in declarations.categories or name in declarations.types:
            what = "type" if name in declarations.types else "construction or a leaf"
            declarations.error(f'"{name}" is already a {what}', name.span, "choose another name for the template")
        elif name in stated:
            message = f'template "{name}" is declared twice, first in {stated[name].name.span.seen_from(name.span)}'
            declarations.error(message, name.span, "remove one of the two, or give it another name")
        else:
            stated[str(name)] = statement
    resolver = _Resolver(declarations, stated)
    for template in stated:
        resolver.resolve(template)


@dataclass
class _Resolver:
    """State of resolving templates: the statements by name, and the nesting depth of each template."""

    declarations: Declarations
    stated: Mapping[str, TemplateStatement]
    depths: dict[str, int] = field(default_factory=dict)

    def resolve(self, name: str, above: tuple[str, ...] = ()) -> None:
        """Add a template to the declarations or, if it has a mistake, to `unread`; templates `above` use it."""
        if name in self.depths:
            return
        declarations, statement = self.declarations, self.stated[name]
        before = len(declarations.problems)
        self._check_parameters(statement)
        used = [syntax.operand.category for syntax in statement.readings if syntax.operand.category in self.stated]
        for text in used:
            self._descend(text, (*above, name))
        self.depths[name] = 1 + max((self.depths.get(text, 0) for text in used), default=0)
        is_whole = all(other in declarations.templates for other in used)
        readings = self._readings(statement) if is_whole and len(declarations.problems) == before else ()
        if readings and len(declarations.problems) == before:
            declarations.templates[name] = replace(statement, readings=readings)
        else:
            declarations.unread.add(name)

    def _descend(self, used: PlacedText, path: tuple[str, ...]) -> None:
        """Resolve a template; `path` leads to it from the first template, each of its members using the next one."""
        if used in path:
            circle = " -> ".join((*path[path.index(used) :], used))
            message = f"templates use each other in a circle: {circle}"
            self.declarations.error(message, used.span, "remove one of these uses")
        elif len(path) < MAX_DEEP:
            self.resolve(used, path)
        if self.depths.get(used, MAX_DEEP) >= MAX_DEEP and used not in path:
            message = f"templates are nested more than {MAX_DEEP} levels deep"
            self.declarations.error(message, used.span, "write out the readings of some of them")

    def _check_parameters(self, statement: TemplateStatement) -> None:
        """Report duplicate and unused parameters, and variables that are not parameters."""
        declarations, parameters = self.declarations, statement.parameters
        named: set[str] = set()
        for reading in statement.readings:
            demanded = (syntax.values for syntax in reading.operand.demands)
            for value in (value for values in (*reading.arguments, *demanded) for value in values):
                if isinstance(value, Variable):
                    named.add(value)
                    if value[1:] not in parameters:
                        known = [f"${parameter}" for parameter in parameters]
                        hint = close_match(value, known) or f"write template {statement.name}({value[1:]}): ..."
                        declarations.error(f'"{value}" is not a parameter', value.span, hint)
            if reading.lemma is not None:
                declarations.error(
                    "a template cannot have a lemma", reading.lemma.span, "write the lemma after the word"
                )
        for i, parameter in enumerate(parameters):
            if parameter in parameters[:i]:
                declarations.error(f'parameter "{parameter}" appears twice', parameter.span, "remove one of the two")
            elif f"${parameter}" not in named:
                hint = f"use it where its value belongs, as in V[obj=${parameter}], or remove it"
                declarations.error(f'parameter "{parameter}" is never used', parameter.span, hint)

    def _readings(self, statement: TemplateStatement) -> tuple[ReadingSyntax, ...]:
        """Return the readings of a template; report duplicates, mistakes, and more readings than allowed."""
        declarations, name = self.declarations, statement.name
        templates = declarations.templates
        used = [templates.get(syntax.operand.category) for syntax in statement.readings]
        number = sum(1 if template is None else len(template.readings) for template in used)
        if number > MAX_READINGS:
            message = f'template "{name}" stands for {number:,} readings; at most {MAX_READINGS:,} are allowed'
            declarations.error(message, name.span, "divide it into several templates")
            return ()
        syntaxes: list[ReadingSyntax] = []
        met: set[object] = set()
        for stated, template in zip(statement.readings, used, strict=True):
            use = _Use(stated.operand.category, stated.arguments)
            given = [stated] if template is None and not stated.arguments else _given(declarations, use, stated)
            for reading in given:
                declarations.reading(_sampled(declarations, reading))
                key = _compared(declarations, reading)
                if key in met:
                    message, place = f'this reading of template "{name}" appears twice', stated.operand.category.span
                    declarations.error(message, place, "remove one of the two")
                met.add(key)
                if not declarations.count_given(1 + len(reading.operand.demands), name):
                    return ()
                syntaxes.append(reading)
        return tuple(syntaxes)


def _sampled(declarations: Declarations, reading: ReadingSyntax) -> ReadingSyntax:
    """Return a reading of a template with some value in place of each parameter, so that it can be checked."""

    def sample(demand: DemandSyntax) -> DemandSyntax:
        if not any(isinstance(value, Variable) for value in demand.values):
            return demand
        (some, *_) = declarations.features.get(demand.feature or "", ("?",))
        values = [PlacedText(some, value.span) if isinstance(value, Variable) else value for value in demand.values]
        return replace(demand, values=tuple(values))

    return replace(reading, operand=replace(reading.operand, demands=tuple(map(sample, reading.operand.demands))))


def _compared(declarations: Declarations, reading: ReadingSyntax) -> object:
    """Return the key by which readings of a template are compared."""
    demands = [
        (_feature(declarations, syntax), syntax.others, frozenset(syntax.values)) for syntax in reading.operand.demands
    ]
    return str(reading.operand.category), frozenset(demands)


@frozen
class TemplateWords:
    """A template and the words (or their lemmas) that use it; the keys are uses with arguments, `transitive(acc)`."""

    template: TemplateStatement
    words: Mapping[str, Sequence[str]]


def words_of(template: TemplateStatement, entries: Sequence[EntryStatement]) -> TemplateWords:
    """Return a template with the words that use it; the entries are those of the grammar, with templates expanded."""
    words: dict[str, dict[str, None]] = {}
    for entry in entries:
        for reading in entry.readings:
            if reading.template.partition("(")[0] == template.name:
                words.setdefault(reading.template, {})[str(reading.lemma or entry.form)] = None
    return TemplateWords(template, {use: [*several] for use, several in words.items()})


# Words


def with_readings(declarations: Declarations, entries: Sequence[EntryStatement]) -> Sequence[EntryStatement]:
    """Return the entries with templates expanded; the same list if no reading names a template.

    An unknown name stays, for a later report, but one with arguments or after the `+` of a paradigm is an error here.
    """
    categories = declarations.categories
    for entry in entries:
        for syntax in entry.readings:
            if syntax.operand.category not in categories or syntax.arguments or syntax.row is not None:
                return list(_Words(declarations).entries(entries))
    return entries


def names_of(reading: ReadingSyntax) -> set[str]:
    """Return all names by which a statement may mean a reading: its category, template, template with arguments."""
    return {str(reading.operand.category), reading.template.partition("(")[0], reading.template}


def name_of(reading: ReadingSyntax) -> str:
    """Return the name by which a statement means a reading: a category, or a template with arguments."""
    return str(_Use(reading.operand.category, reading.arguments))


@frozen
class _Use:
    """A use of a template (or a category) with its arguments."""

    name: PlacedText
    arguments: tuple[ArgumentSyntax, ...] = ()

    def __str__(self) -> str:
        arguments = ", ".join("|".join(argument) for argument in self.arguments)
        return f"{self.name}({arguments})" if arguments else str(self.name)


@dataclass
class _Rows:
    """Categories that a template gives to forms of one lemma (`given`), and those that its paradigm has (`there`)."""

    use: _Use
    lemma: str
    given: set[str] = field(default_factory=set)
    there: set[str] = field(default_factory=set)


@dataclass
class _Words:
    """State of expanding templates in entries."""

    declarations: Declarations
    rows: dict[tuple[Span, str], _Rows] = field(default_factory=dict)

    def entries(self, entries: Sequence[EntryStatement]) -> Iterator[EntryStatement]:
        """Yield the entries with templates expanded; readings that several entries share are expanded once."""
        before: tuple[ReadingSyntax, ...] = ()
        readings: tuple[ReadingSyntax, ...] = ()
        for entry in entries:
            if entry.readings is not before:
                before = entry.readings
                readings = tuple([syntax for reading in before for syntax in self._readings(reading, entry.form.span)])
                features = sum(1 + len(reading.operand.demands) for reading in readings if reading.template)
                if not self.declarations.count_given(features, entry.form):
                    return
            if readings:
                yield replace(entry, readings=readings)
        for rows in self.rows.values():
            self._check_rows(rows)

    def _readings(self, reading: ReadingSyntax, place: Span) -> Iterator[ReadingSyntax]:
        declarations = self.declarations
        templates, categories = declarations.templates, declarations.categories
        if reading.row is not None:
            yield from self._of_row(reading, reading.row, place)
            return
        uses = [] if reading.operand.category in categories and not reading.arguments else _uses(reading)
        are_templates = [
            use.name in templates or (use.arguments and (use.name not in categories or reading.arguments))
            for use in uses
        ]
        if not any(are_templates):
            yield reading
            return
        for use in uses:
            if use.name in categories and not use.arguments:
                yield replace(reading, operand=replace(reading.operand, category=use.name))
            else:
                yield from _given(declarations, use, reading)

    def _of_row(self, reading: ReadingSyntax, row: OperandSyntax, place: Span) -> Iterator[ReadingSyntax]:
        """Yield the readings of a form that a row of a paradigm made; the row's own if no template has its category."""
        syntaxes: list[ReadingSyntax] = []
        for use in _uses(reading):
            syntaxes += _given(self.declarations, use, reading)
            if (template := self.declarations.templates.get(use.name)) is not None:
                rows = self.rows.setdefault((place, str(use)), _Rows(use, str(reading.lemma)))
                rows.given.update(str(syntax.operand.category) for syntax in template.readings)
                rows.there.add(str(row.category))
        yield from syntaxes or [_joined(self.declarations, reading, row)]

    def _check_rows(self, rows: _Rows) -> None:
        """Report the categories of a template that no row of the paradigm has."""
        for category in sorted(rows.given - rows.there):
            message = (
                f'"{rows.use.name}" gives the category {category}, which no form in the paradigm of "{rows.lemma}" has'
            )
            categories = ", ".join(sorted(rows.there))
            hint = (
                f"its forms are: {categories}; use a template for one of these categories, or add a row to the paradigm"
            )
            self.declarations.error(message, rows.use.name.span, hint)


_WORD: Final = r"[^\s(),|]+"
_USE: Final = re.compile(rf"({_WORD})(?:\(\s*({_WORD}(?:\s*[,|]\s*{_WORD})*)\s*\))?")
"""A template in a column of a lexicon file: its name and its arguments."""
_USES: Final = re.compile(rf"{_USE.pattern}(?:\s*,\s*{_USE.pattern})*")


def _uses(reading: ReadingSyntax) -> list[_Use]:
    """Return the templates of a reading; a column of a lexicon file may have several, separated by commas."""
    word = reading.operand.category
    if reading.arguments or not _USES.fullmatch(word):
        return [_Use(word, reading.arguments)]
    return [_Use(_part(word, match.start(), match[1]), tuple(_arguments(word, match))) for match in _USE.finditer(word)]


def _arguments(word: PlacedText, use: re.Match[str]) -> Iterator[ArgumentSyntax]:
    start = use.start(2)
    for argument in use[2].split(",") if use[2] else ():
        values = re.finditer(r"[^\s|]+", argument)
        yield tuple(_part(word, start + value.start(), value[0]) for value in values)
        start += len(argument) + 1


def _part(word: PlacedText, start: int, text: str) -> PlacedText:
    column = word.span.column + start
    return PlacedText(text, replace(word.span, column=column, end_column=column + len(text)))


# Readings of a template


def _given(declarations: Declarations, use: _Use, reading: ReadingSyntax) -> Iterator[ReadingSyntax]:
    """Yield the readings that a template gives; for a form that a paradigm made, only those of its row's category."""
    name, template = use.name, declarations.templates.get(use.name)
    if template is None:
        if name in declarations.categories:
            shown = f"{name}[{', '.join('|'.join(argument) for argument in use.arguments)}]"
            hint = f"write features in square brackets: {shown}" if use.arguments else "name a template after +"
            declarations.error(f'"{name}" is a category, not a template', name.span, hint)
        elif name not in declarations.unread:
            declare = f'declare it, as in "template {use.name}: V[obj=acc]"'
            hint = close_match_or(name, declarations.templates, declare)
            declarations.error(f'"{name}" is not a template', name.span, hint)
        return
    parameters = template.parameters
    if len(parameters) != len(use.arguments):
        takes = counted(len(parameters), "argument") if parameters else "no argument"
        hint = f"write {_Use(name, tuple((text,) for text in parameters))}"
        declarations.error(f'"{name}" takes {takes}, found {len(use.arguments)}', name.span, hint)
        return
    values = {f"${parameter}": argument for parameter, argument in zip(parameters, use.arguments, strict=True)}
    for syntax in template.readings:
        if reading.row is None or reading.row.category == syntax.operand.category:
            demands = tuple([_filled(demand, values) for demand in syntax.operand.demands])
            below = replace(syntax.operand, demands=demands)
            if reading.row is not None:
                below = replace(below, demands=_over(declarations, reading.row.demands, demands))
            given = _joined(declarations, reading, below)
            yield replace(given, weight=_product(reading.weight, syntax.weight), template=str(use))


def _joined(declarations: Declarations, reading: ReadingSyntax, below: OperandSyntax) -> ReadingSyntax:
    """Return the category and features `below` combined with what is stated at the word, which wins."""
    demands = _over(declarations, below.demands, reading.operand.demands)
    return ReadingSyntax(OperandSyntax(below.category, demands), reading.weight, reading.lemma)


def _filled(demand: DemandSyntax, values: Mapping[str, ArgumentSyntax]) -> DemandSyntax:
    """Return a demand with arguments instead of parameters."""
    if not any(isinstance(value, Variable) for value in demand.values):
        return demand
    filled = [text for value in demand.values for text in (values[value] if isinstance(value, Variable) else (value,))]
    return replace(demand, values=tuple(filled))


def _over(declarations: Declarations, below: Demands, above: Demands) -> Demands:
    """Combine features; those `above` take precedence over those `below`."""
    if not below or not above:
        return above or below
    named = {_feature(declarations, demand) for demand in above} - {None}
    return (*(syntax for syntax in below if _feature(declarations, syntax) not in named), *above)


def _feature(declarations: Declarations, demand: DemandSyntax) -> str | None:
    """Return the feature that a demand is about; None for a bare value that no feature, or more than one, has."""
    if demand.feature is not None:
        return str(demand.feature)
    having = [feature for feature, values in declarations.features.items() if demand.values[0] in values]
    return having[0] if len(having) == 1 else None


def _product(one: PlacedText | None, other: PlacedText | None) -> PlacedText | None:
    """Return the product of two written weights; if one is not a number, a text that a later check will report."""
    if one is None or other is None:
        return one or other
    try:
        return PlacedText(str(Decimal(one) * Decimal(other)), one.span)
    except ArithmeticError:
        return PlacedText(f"{one} * {other}", one.span)
