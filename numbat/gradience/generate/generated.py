"""Generated sentences: what is asked for, what was made, and the rows that they are in the file of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from numbat.errors import UsageError, close_match, whole_of
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_named
from numbat.grammar.relations import BUILT_IN
from numbat.parsing.result import Parse
from numbat.records import frozen

LONGEST: Final = 8
"""Words of a sentence at most, where nobody asks for a number."""
HEADER: Final = "id\tjudgement\tsentence\tphenomenon\trelation\tpair"
"""The first line of a suite of generated sentences."""


@frozen
class Generated:
    """A sentence with its parse; `twin` is a well-formed sentence one edit away, None where none was found."""

    parse: Parse
    twin: Parse | None = None
    edit: str = ""

    @property
    def sentence(self) -> str:
        return self.parse.lattice.text


@frozen
class SentenceShape:
    """What sentences are to be: of which root, and of how many words. Without a root, the first of the grammar."""

    root: str | None = None
    least: int | None = None
    most: int = LONGEST


ANY: Final = SentenceShape()


def shape_of(root: str | None, words: str | None) -> SentenceShape:
    """A root and a number of words, as `3-8` or `5`. Raises UsageError."""
    if words is None:
        return SentenceShape(root)
    least, dash, most = words.partition("-")
    if not least.isdecimal() or (dash and not most.isdecimal()) or not 0 < whole_of(least) <= whole_of(most or least):
        raise UsageError(f'"{words}" is no number of words\n  write it as 3-8, or as 5')
    return SentenceShape(root, whole_of(least), whole_of(most or least))


def property_named(text: str, grammar: Grammar) -> Property:
    """The property that is written `NP: Det < N`. Raises UsageError."""
    named = {format_named(prop): prop for prop in grammar.properties}
    wanted = " ".join(text.split())
    for name, prop in named.items():
        if wanted.replace(" ", "") == name.replace(" ", ""):
            return prop
    raise UsageError(f'"{text}" is no property of the grammar\n  {_meant(wanted, named)}')


def _meant(wanted: str, named: Mapping[str, Property]) -> str:
    """What to write instead: a property of the relation that is named, one with the same operands, or a near one."""
    signs = {relation.name: relation.symbol for relation in BUILT_IN}
    of_relation = {name: {prop.relation, signs.get(prop.relation, prop.relation)} for name, prop in named.items()}
    if named_after := [name for name, ways in of_relation.items() if wanted.lower() in ways]:
        return f'name one of its properties, as in "{named_after[0]}"'
    pieces = _PIECES.findall(wanted.lower())
    if swapped := [name for name in named if sorted(_PIECES.findall(name.lower())) == sorted(pieces)]:
        return f'did you mean "{swapped[0]}"?'
    alike = [name for name, ways in of_relation.items() if not ways.isdisjoint(pieces)]
    example = 'write it as numbat show prints it, after its construction: "NP: Det < N"'
    return close_match(wanted, alike) or close_match(wanted, named) or example


_PIECES: Final = re.compile(r"\w+|=>|~>|[^\w\s]")


def rows_of(found: Generated, number: int, violated: str | None) -> Iterator[str]:
    """The lines of a suite: the twin as a good sentence, the other as a bad one that names its relation."""
    if violated is None:
        yield f"g{number}\tok\t{found.sentence}\tgenerated\t-\t"
        return
    prop = found.parse.violated[0].property
    if found.twin is not None:
        yield f"{number}g\tok\t{found.twin.lattice.text}\t{violated}\t-\t{number}"
    yield f"{number}b\t*\t{found.sentence}\t{violated}\t{prop.relation}\t{number if found.twin else ''}"
