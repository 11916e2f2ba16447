"""Parts of a grammar that another one includes: `english/NP`, `english/nounphrase`, `english/lexicon`.

A part is called by the name or title of a construction. It consists of that construction, all constructions that this
one names directly or indirectly, all declarations and all words. Its only root is that construction, with the features
that the file states for it as a root. The part `lexicon` has no construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import is_dataclass, replace
from typing import Any, Final, TypeGuard

from numbat.errors import Problem, close_match
from numbat.grammar.constructions import by_construction
from numbat.grammar.statements import (
    MEMBERS,
    ChangeStatement,
    ConstructionStatement,
    EntryStatement,
    IncludedMembers,
    IncludedWords,
    OperandSyntax,
    PlacedText,
    SettingStatement,
    SpellingStatement,
    Statement,
    StrengthStatement,
    TypeStatement,
)

LEXICON: Final = "lexicon"
"""Name of the part without constructions."""


def part_of(
    statements: Sequence[Statement], asked: Sequence[PlacedText], name: str
) -> tuple[list[Statement], list[Problem]]:
    """Return the statements of the requested parts of the grammar `name`, and a problem for each part it lacks."""
    opened, members, _ = by_construction(statements)
    by_title = {
        _letters(statement.title): construction for construction, statement in opened.items() if statement.title
    }
    wanted: dict[str, PlacedText] = {}
    problems: list[Problem] = []
    for part in asked:
        construction = str(part) if part in opened else by_title.get(_letters(part))
        if construction is not None:
            wanted.setdefault(construction, part)
        elif part != LEXICON:
            near = close_match(part, [LEXICON, *opened, *by_title])
            hint = f"{near + ' ' if near else ''}the parts of {name} are: {', '.join((LEXICON, *opened))}"
            problems.append(Problem(f'{name} has no part "{part}"', part.span, hint=hint))
    types = {str(statement.name): statement.members for statement in statements if isinstance(statement, TypeStatement)}
    gone = set(opened.keys() - _needed(wanted, opened, members, types))
    while emptied := {name for name, members_of in types.items() if gone.issuperset(members_of)} - gone:
        gone |= emptied
    return [*_without(statements, gone), *_roots(statements, wanted)], problems


def _roots(statements: Sequence[Statement], wanted: Mapping[str, PlacedText]) -> list[Statement]:
    """Return a `roots` setting with each wanted construction, with its features if the file has it as a root."""
    settings = [statement for statement in statements if _is_roots(statement)]
    stated = [value for setting in settings for value in setting.values if value.category in wanted]
    met = {value.category for value in stated}
    bare = [OperandSyntax(PlacedText(name, part.span)) for name, part in wanted.items() if name not in met]
    if not stated and not bare:
        return []
    key = settings[0].key if stated else PlacedText("roots", bare[0].category.span)
    return [SettingStatement(key, (*stated, *bare))]


def categories_in(value: Any) -> Iterator[str]:
    """Yield the categories that statements name."""
    if isinstance(value, OperandSyntax):
        yield str(value.category)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from categories_in(item)
    elif isinstance(value, IncludedMembers):
        yield from value.categories
    elif is_dataclass(value):
        for name in getattr(value, "__slots__", ()):
            yield from categories_in(getattr(value, name))


def is_member(statement: Statement) -> bool:
    """True for a statement about the construction that was opened before it."""
    if isinstance(statement, StrengthStatement):
        return not statement.everywhere
    if isinstance(statement, ChangeStatement):
        return statement.construction is None
    return isinstance(statement, (*MEMBERS, IncludedMembers))


def _letters(text: str) -> str:
    """Return the letters of a title or part name: `noun phrase` and `noun-phrase` are both `nounphrase`."""
    return "".join(filter(str.isalnum, text)).casefold()


def _needed(
    wanted: Iterable[str],
    opened: Mapping[str, ConstructionStatement],
    members: Mapping[str, Sequence[Statement]],
    types: Mapping[str, Sequence[str]],
) -> Set[str]:
    """Return the wanted constructions and all constructions that they name, directly or indirectly."""
    kept: dict[str, None] = {}
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name in kept:
            continue
        if name in types:
            kept[name] = None
            waiting += map(str, types[name])
        elif name in opened:
            kept[name] = None
            waiting += [*map(str, opened[name].parents), *categories_in(members[name])]
    return kept.keys() - types.keys()


def _is_roots(statement: Statement) -> TypeGuard[SettingStatement]:
    return isinstance(statement, SettingStatement) and statement.key == "roots"


def _without(statements: Iterable[Statement], gone: Set[str]) -> Iterator[Statement]:
    """Yield the statements except `roots` and those about constructions, or types with members, that are gone."""
    is_kept = True
    for statement in statements:
        match statement:
            case ConstructionStatement(name):
                is_kept = name not in gone
                if is_kept:
                    yield statement
            case ChangeStatement(construction=PlacedText() as name) if name in gone:
                pass
            case TypeStatement(_, members):
                if left := tuple(member for member in members if member not in gone):
                    yield replace(statement, members=left)
            case EntryStatement(readings=readings):
                if words := tuple(reading for reading in readings if reading.operand.category not in gone):
                    yield replace(statement, readings=words)
            case SpellingStatement(operands=operands):
                if spelt := tuple(syntax for syntax in operands if syntax.category not in gone):
                    yield replace(statement, operands=spelt)
            case IncludedWords() if statement.lexicon.categories & gone:
                yield from _without(statement.read(), gone)
            case _ if (is_kept or not is_member(statement)) and not _is_roots(statement):
                yield statement
