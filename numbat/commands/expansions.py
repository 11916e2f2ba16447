"""`numbat expansions`: refined rules counted on the trees of a treebank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numbat.commands.treebanks import TreeReader
from numbat.errors import DataError
from numbat.files import shown
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.treebank.converting import to_constituents
from numbat.treebank.labels import CODES, PUNCTUATION
from numbat.treebank.refining import FREQUENT, LEAST, count_expansions
from numbat.treebank.trees import Tree


def count(
    paths: Sequence[str],
    form: str,
    reader: TreeReader,
    punctuation: bool = False,
    frequent: int = FREQUENT,
    least: int = LEAST,
) -> Expansions:
    """The expansions of all trees of some files. Raises DataError where there is no tree."""
    dropped = CODES if punctuation else CODES | PUNCTUATION
    trees = (tree for path in paths for tree in _trees(path, form, reader))
    found = count_expansions(trees, dropped=dropped, frequent=frequent, least=least)
    if not found.counts:
        raise DataError(
            f"{shown(paths[0])}: no tree to count\n  give a file of trees, with --from if its format is not found"
        )
    return found


def _trees(path: str, form: str, reader: TreeReader) -> Iterator[Tree]:
    for sentence in reader.sentences(path, form):
        try:
            yield to_constituents(sentence)
        except DataError as error:
            reader.refuse(error)


def summary(found: Expansions) -> str:
    """Sizes in one line."""
    occurrences = sum(count for _, count in found.counts)
    return (
        f"{len(found.counts)} expansions of {len(found.phrases)} refined phrases and {len(found.leaves)} words, "
        f"{occurrences} occurrences"
    )
