"""What was read and built of an included grammar, kept so that only what a grammar states on top of it is read anew.

An included file that is a grammar by itself has its statements in the user's cache, with those of all that it includes;
what it states of a construction is decoded when that construction has to be built again. Its constructions and its
lexicon, as built, are those of `cache`. A grammar on top takes them over where its names leave them as they are
(`Names.keep`), so that it is the one that reading all its files would give.
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
from numbat.grammar import cache, statements
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
"""The size of the files of an included grammar from which on it is kept: less is read as fast as it is found."""
_TEXTS: Final = (PlacedText, Variable)
_RECORDS: Final[dict[str, Callable[..., Any]]] = {
    **cache.RECORDS,
    **{name: each for name, each in vars(statements).items() if isinstance(each, type) and is_dataclass(each)},
    **{each.__name__: lambda text, *place, kind=each: kind(text, Span(*place)) for each in _TEXTS},
}


@frozen
class IncludedGrammar:
    """An included grammar: its statements, the words of its lexicon as one of them, and what was built of it by itself.

    `contents` are the files of which it was read, in that order, `includers` those that include the further ones.
    """

    statements: tuple[Statement, ...]
    contents: dict[Path, bytes]
    includers: dict[str, str]
    names: Names
    built: tuple[BuiltConstruction, ...]

    def part(self, asked: Sequence[PlacedText], name: str) -> tuple[IncludedGrammar, list[Problem]]:
        """Return some of its parts as an included grammar, with problems of what is no part of the grammar `name`."""
        found, problems = part_of(self.statements, asked, name)
        opened = {str(statement.name) for statement in found if isinstance(statement, ConstructionStatement)}
        built = tuple(construction for construction in self.built if construction.construction.name in opened)
        gone = {built_construction.construction.name for built_construction in self.built} - opened
        types = {name: members for name, members in self.names.types.items() if gone.isdisjoint(members)}
        names = replace(self.names, categories=self.names.categories - gone, types=types)
        return replace(self, statements=tuple(found), names=names, built=built), problems


def get(path: Path, entries: Callable[[], Sequence[EntryStatement]]) -> IncludedGrammar | None:
    """Return what is kept of an included file; None if there is nothing, or one of its files has changed.

    `entries` reads those of its lexicon, with their places.
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
        found: list[Statement] = list(cache.decode(record["statements"], _RECORDS))
        for place, names, section in zip(record["places"], record["names"], sections, strict=True):
            found.insert(place, IncludedMembers(frozenset(names), partial(_decoded, section)))
        types = {name: tuple(members) for name, members in record["types"].items()}
        files, parted = frozenset(record["files"]), frozenset(record["parted"])
        found.append(IncludedWords(grammar.lexicon, dict(grammar.features), files, parted, entries))
        names = _names(grammar, found, types)
        includers = {str(inner): str(outer) for inner, outer in record["includers"].items()}
        known = IncludedGrammar(
            tuple(found), contents, includers, names, tuple(_built(grammar, found, record["forms"]))
        )
    except (DataError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    with contextlib.suppress(OSError):
        os.utime(file)
    return known


def _names(grammar: Grammar, found: Sequence[Statement], types: dict[str, tuple[str, ...]]) -> Names:
    """Return the names under which an included grammar was built."""
    own = sum(isinstance(each, RelationStatement) for each in found)
    relations: dict[str, Relation] = {}
    for relation in (*built_in(grammar.semantics.switches), *grammar.relations[:own]):
        relations |= dict.fromkeys(filter(None, (relation.name, relation.symbol, *relation.aliases)), relation)
    categories = {WILDCARD, *grammar.categories}
    return Names(dict(grammar.features), categories, relations, dict(grammar.strengths), types)


def _built(
    grammar: Grammar, found: Sequence[Statement], forms: Mapping[str, tuple[int, list[str], bool]]
) -> Iterator[BuiltConstruction]:
    """Yield the constructions of an included grammar, each with all the statements of which it was built.

    `forms` say with how many properties, before changes, with which anonymous relations, and whether some are changed.
    """
    opened, parts, _ = by_construction(found)
    ancestors = ancestors_of(Declarations(), opened)
    relations = {relation.name: relation for relation in grammar.relations}
    for construction in grammar.constructions:
        number, anonymous, is_changed = forms[construction.name]
        lineage = (*ancestors[construction.name], construction.name)
        said = tuple(statement for of in lineage for statement in (opened[of], *parts[of]))
        yield BuiltConstruction(construction, number, said, tuple(relations[name] for name in anonymous), is_changed)


def put(
    path: Path,
    found: Sequence[Statement],
    contents: Mapping[Path, bytes],
    includers: Mapping[str, str],
    earlier: Rereading,
) -> None:
    """Build an included file by itself and keep it, if it is large and a grammar without a mistake.

    `found` are its statements, with those of all that it includes, of which `earlier` may have some.
    """
    includers = {inner: outer for inner, outer in includers.items() if Path(outer) in contents}
    file = _file(path)
    if file is None or sum(map(len, contents.values())) < MIN_BYTES:
        return
    if not all(map(os.path.isfile, contents)):  # what comes through a pipe is there once only
        return
    try:
        grammar, _ = build(found, includers, earlier, until_first=True)
    except FirstError:
        return
    cache.put(path, replace(grammar, files=tuple(map(str, contents))), contents)
    light: list[Statement] = []
    runs: list[list[Statement]] = []
    places: list[int] = []
    in_run = False
    for statement in written_out(found):
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
        "parted": sorted(_parted(found)),
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
    sections = [cache.json_line(each) for each in (record, *(cache.encode(tuple(run), _TEXTS) for run in runs))]
    with contextlib.suppress(OSError, ValueError):
        keep(file, cache.SECTION.join(sections).encode())


def _file(path: Path) -> Path | None:
    return cache.file_of(path.stem, ("included", cache.made_of(path)[0]))


def _content(path: Path) -> bytes:
    """Return the content of a regular file. Raises OSError."""
    with open_regular(str(path)) as file:
        return whole(file, str(path))


def _decoded(section: bytes) -> Sequence[Statement]:
    found: Sequence[Statement] = cache.decode(json.loads(section), _RECORDS)
    return found


def _is_changed(built: BuiltConstruction) -> bool:
    """True if an `override` or `without` is among the statements of a construction and of its parents."""
    statements = cast(Sequence[Statement], built.statements)
    return any(isinstance(each, ChangeStatement) for each in written_out(statements))


def _is_word(statement: Statement) -> bool:
    return isinstance(statement, EntryStatement) and statement.section == "lexicon"


def _parted(found: Sequence[Statement]) -> set[str]:
    """Return the forms with readings between which there are entries of other forms."""
    parted: set[str] = set()
    met: set[str] = set()
    before = ""
    for statement in found:
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
