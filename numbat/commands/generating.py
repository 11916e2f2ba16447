"""`numbat generate`: sentences of a grammar as a suite."""

from __future__ import annotations

from collections.abc import Iterator

from numbat.errors import UsageError
from numbat.gradience.generate.generate import ANY, Generated, Shape, generate, property_named
from numbat.parsing.parser import Parser


def generated(parser: Parser, number: int, seed: int, violated: str | None, shape: Shape = ANY) -> Iterator[Generated]:
    """Sentences as they are found. Raises UsageError for a property or root that the grammar does not have."""
    prop = None if violated is None else property_named(violated, parser.grammar)
    return generate(parser, number, seed, prop, shape=shape)


def shape_of(root: str | None, words: str | None) -> Shape:
    """`3-8` words, or `5` of them. Raises UsageError."""
    if words is None:
        return Shape(root)
    least, dash, most = words.partition("-")
    if not least.isdecimal() or (dash and not most.isdecimal()) or not 0 < int(least) <= int(most or least):
        raise UsageError(f'"{words}" is no number of words\n  write it as 3-8, or as 5')
    return Shape(root, int(least), int(most or least))


def generated_rows(found: Generated, number: int, violated: str | None) -> Iterator[str]:
    """The lines of a suite: the twin as a good sentence, the other as a bad one that names its relation."""
    if violated is None:
        yield f"g{number}\tok\t{found.sentence}\tgenerated\t-\t"
        return
    prop = found.parse.violated[0].property
    if found.twin is not None:
        yield f"{number}g\tok\t{found.twin.lattice.text}\t{violated}\t-\t{number}"
    yield f"{number}b\t*\t{found.sentence}\t{violated}\t{prop.relation}\t{number if found.twin else ''}"


GENERATED_HEADER = "id\tjudgement\tsentence\tphenomenon\trelation\tpair"
