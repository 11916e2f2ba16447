"""Cache of included grammars, so that only the statements of a grammar on top of them are read again.

The user's cache stores the statements of an included file that is a grammar by itself, with those of all files that
it includes. Statements about a construction are decoded only when that construction has to be rebuilt. The built
constructions and the lexicon of the included grammar come from `cache`; a grammar on top of it reuses those whose
meaning its own names do not change (`Names.keep`). The result is the same as without the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from numbat.errors import DataError, Problem, Span
from numbat.files import keep, kept, open_regular, whole
from numbat.grammar import cache
from numbat.grammar import statements as statement_records
from numbat.grammar.building import build
from numbat.grammar.constructions import BuiltConstruction, Names, Rereading, by_construction, written_out
from numbat.grammar.declarations import Declarations, FirstError
from numbat.grammar.inheritance import ancestors_of
from numbat.grammar.model import Grammar
from numbat.grammar.names import WILDCARD
from numbat.grammar.parts import categories_in, is_member, part_of
from numbat.grammar.relations import Relation, built_in
from numbat.grammar.statements import (
    ChangeStatement,
    ConstructionStatement,
    EntryStatement,
    IncludedMembers,
    IncludedWords,
    PlacedText,
    RelationStatement,
    Statement,
    Variable,
)
from numbat.records import frozen

MIN_BYTES: Final = 20_000
"""Minimum size, of all files together, of a grammar that is cached; smaller ones are read as fast as the cache."""
_TEXTS: Final = (PlacedText, Variable)
_RECORDS: Final[dict[str, Callable[..., Any]]] = {
    **cache.RECORDS,
    **{name: kind for name, kind in vars(statement_records).items() if isinstance(kind, type) and is_dataclass(kind)},
    **{text_type.__name__: lambda text, *place, kind=text_type: kind(text, Span(*place)) for text_type in _TEXTS},
}


@frozen
class IncludedGrammar:
    """An included grammar: its statements, with all lexicons merged into one, and its constructions.

    `contents` maps its files, in the order of reading, to what they contain; `includers` maps each included
    file to the file that includes it.
    """

    statements: tuple[Statement, ...]
    contents: dict[Path, bytes]
    includers: dict[str, str]
    names: Names
    built: tuple[BuiltConstruction, ...]

    def part(self, asked: Sequence[PlacedText], name: str) -> tuple[IncludedGrammar, list[Problem]]:
        """Return a grammar of the requested parts, and a problem for each part that this grammar, `name`, lacks."""
        statements, problems = part_of(self.statements, asked, name)
        opened = {str(statement.name) for statement in statements if isinstance(statement, ConstructionStatement)}
        built = tuple(construction for construction in self.built if construction.construction.name in opened)
        gone = {construction.construction.name for construction in self.built} - opened
        types = {name: members for name, members in self.names.types.items() if gone.isdisjoint(members)}
        names = replace(self.names, categories=self.names.categories - gone, types=types)
        return replace(self, statements=tuple(statements), names=names, built=built), problems


def get(path: Path, entries: Callable[[], Sequence[EntryStatement]]) -> IncludedGrammar | None:
    """Return the cached grammar of an included file; None if there is none or one of its files has changed.

    `entries` is called when the entries of its lexicon, with their places, are needed after all.
    """
    file = _file(path)
    content = kept(file) if file is not None else None
    if file is None or content is None:
        return None
    try:
        header, *sections = content.split(cache.SECTION.encode())
        record = json.loads(header)
        if record["made"] != cache.made_of(path):
            return None
        contents = {Path(name): _content(Path(name)) for name in record["files"]}
        if any(hashlib.sha256(contents[Path(name)]).hexdigest() != digest for name, digest in record["files"].items()):
            return None
        grammar = cache.get(path)
        if grammar is None or not isinstance(grammar.lexicon, cache.LazyLexicon):
            return None
        statements: list[Statement] = list(cache.decode(record["statements"], _RECORDS))
        for place, names, section in zip(record["places"], record["names"], sections, strict=True):
            statements.insert(place, IncludedMembers(frozenset(names), partial(_decoded, section)))
        types = {name: tuple(members) for name, members in record["types"].items()}
        files, parted = frozenset(record["files"]), frozenset(record["parted"])
        statements.append(IncludedWords(grammar.lexicon, dict(grammar.features), files, parted, entries))
        names = _names(grammar, statements, types)
        includers = {str(inner): str(outer) for inner, outer in record["includers"].items()}
        known = IncludedGrammar(
            tuple(statements), contents, includers, names, tuple(_built(grammar, statements, record["forms"]))
        )
    except (DataError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    with contextlib.suppress(OSError):
        os.utime(file)
    return known


def _names(grammar: Grammar, statements: Sequence[Statement], types: dict[str, tuple[str, ...]]) -> Names:
    """Return the names under which an included grammar was built."""
    number = sum(isinstance(statement, RelationStatement) for statement in statements)
    relations: dict[str, Relation] = {}
    for relation in (*built_in(grammar.semantics.switches), *grammar.relations[:number]):
        relations |= dict.fromkeys(filter(None, (relation.name, relation.symbol, *relation.aliases)), relation)
    categories = {WILDCARD, *grammar.categories}
    return Names(dict(grammar.features), categories, relations, dict(grammar.strengths), types)


def _built(
    grammar: Grammar, statements: Sequence[Statement], forms: Mapping[str, tuple[int, list[str], bool]]
) -> Iterator[BuiltConstruction]:
    """Yield the constructions of an included grammar, each with all statements from which it was built.

    `forms` gives for each construction the fields `number`, `anonymous` (as names) and `is_changed` of its record.
    """
    opened, parts, _ = by_construction(statements)
    ancestors = ancestors_of(Declarations(), opened)
    relations = {relation.name: relation for relation in grammar.relations}
    for construction in grammar.constructions:
        number, anonymous, is_changed = forms[construction.name]
        lineage = (*ancestors[construction.name], construction.name)
        said = tuple(statement for of in lineage for statement in (opened[of], *parts[of]))
        yield BuiltConstruction(construction, number, said, tuple(relations[name] for name in anonymous), is_changed)


def put(
    path: Path,
    statements: Sequence[Statement],
    contents: Mapping[Path, bytes],
    includers: Mapping[str, str],
    earlier: Rereading,
) -> None:
    """Build a grammar from an included file alone and cache it, if its files are large and have no mistake.

    `statements` are those of the file and of all files that it includes; `earlier` may have built some of them.
    """
    includers = {inner: outer for inner, outer in includers.items() if Path(outer) in contents}
    file = _file(path)
    if file is None or sum(map(len, contents.values())) < MIN_BYTES:
        return
    if not all(map(os.path.isfile, contents)):  # a pipe can be read only once
        return
    try:
        grammar, _ = build(statements, includers, earlier, until_first=True)
    except FirstError:
        return
    cache.put(path, replace(grammar, files=tuple(map(str, contents))), contents)
    light: list[Statement] = []
    runs: list[list[Statement]] = []
    places: list[int] = []
    in_run = False
    for statement in written_out(statements):
        was_in_run, in_run = in_run, is_member(statement)
        if in_run and not was_in_run:
            places.append(len(light) + len(runs))
            runs.append([])
        if in_run:
            runs[-1].append(statement)
        elif not isinstance(statement, IncludedWords) and not _is_word(statement):
            light.append(statement)
    built = earlier.constructions_built()
    record = {
        "made": cache.made_of(path),
        "files": {str(name): hashlib.sha256(content).hexdigest() for name, content in contents.items()},
        "includers": includers,
        "statements": cache.encode(tuple(light), _TEXTS),
        "places": places,
        "names": [sorted({*categories_in(run)}) for run in runs],
        "parted": sorted(_parted(statements)),
        "types": {} if earlier.names is None else earlier.names.types,
        "forms": {
            construction.construction.name: (
                construction.number,
                [one.name for one in construction.anonymous],
                _is_changed(construction),
            )
            for construction in built
        },
    }
    sections = [cache.json_line(part) for part in (record, *(cache.encode(tuple(run), _TEXTS) for run in runs))]
    with contextlib.suppress(OSError, ValueError):
        keep(file, cache.SECTION.join(sections).encode())


def _file(path: Path) -> Path | None:
    return cache.file_of(path.stem, ("included", cache.made_of(path)[0]))


def _content(path: Path) -> bytes:
    """Return the content of a regular file. Raises OSError."""
    with open_regular(str(path)) as file:
        return whole(file, str(path))


def _decoded(section: bytes) -> Sequence[Statement]:
    statements: Sequence[Statement] = cache.decode(json.loads(section), _RECORDS)
    return statements


def _is_changed(built: BuiltConstruction) -> bool:
    """True if a construction or one of its parents has an `override` or `without`."""
    statements = cast(Sequence[Statement], built.statements)
    return any(isinstance(statement, ChangeStatement) for statement in written_out(statements))


def _is_word(statement: Statement) -> bool:
    return isinstance(statement, EntryStatement) and statement.section == "lexicon"


def _parted(statements: Sequence[Statement]) -> set[str]:
    """Return the forms whose entries are separated by entries of other forms."""
    parted: set[str] = set()
    met: set[str] = set()
    before = ""
    for statement in statements:
        if isinstance(statement, IncludedWords):
            parted |= statement.parted
            met |= {*statement.lexicon.forms}
        elif isinstance(statement, EntryStatement) and statement.section == "lexicon":
            form = " ".join(statement.form.split())
            if form != before and form in met:
                parted.add(form)
            met.add(form)
            before = form
    return parted
