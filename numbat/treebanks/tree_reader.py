"""Reads the trees of files for verbs: what cannot be read is told and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from numbat.errors import DataError, Problem, data_error
from numbat.runs.loop import Failure
from numbat.treebanks.converting import to_constituents, to_phrases
from numbat.treebanks.notes import Notes, UnfitTreeError
from numbat.treebanks.reading import TreebankSentence, read_treebank


@dataclass
class TreeReader:
    """Reads sentences of treebanks; `complain` is called with what is wrong with each bad one, `advance` after each.

    What many sentences share is counted in `notes` instead. `wanted` are sentences as the file has them (`any`), as
    phrase structure with crossing branches (`phrases`), or `trees` without. `read` counts all sentences, `bad` those
    that could not be read or used; `lost` are those of the bad ones that could be read.
    """

    complain: Callable[[DataError], object]
    advance: Callable[[], object] = lambda: None
    wanted: Literal["any", "phrases", "trees"] = "any"
    notes: Notes = field(default_factory=Notes)
    bad: int = 0
    read: int = 0
    lost: list[Failure] = field(default_factory=list)

    @property
    def good(self) -> int:
        """The number of sentences that could be used."""
        return self.read - self.bad

    def sentences(self, path: str, form: str) -> Iterator[TreebankSentence]:
        """Return the good sentences of a file; errors as in `read_treebank`."""
        for each in self.every(path, form):
            if isinstance(each, DataError):
                self.refuse(each)
            else:
                yield each

    def every(self, path: str, form: str) -> Iterator[TreebankSentence | DataError]:
        """Return the sentences of a file, each bad one as an error in its place: it is up to the caller to refuse
        it.
        """
        for sentence in trees_of(read_treebank(path, form, self.notes)):
            self.read += 1
            yield sentence if isinstance(sentence, DataError) or self.wanted == "any" else self._as_wanted(sentence)
            self.advance()

    def _as_wanted(self, sentence: TreebankSentence) -> TreebankSentence | DataError:
        convert = to_phrases if self.wanted == "phrases" else to_constituents
        try:
            return replace(sentence, tree=convert(sentence, self.notes))
        except DataError as error:
            return error

    def refuse(self, error: DataError) -> None:
        """Complain of a sentence, or note what others share, and count it as bad."""
        self.bad += 1
        if isinstance(error, UnfitTreeError):
            self.notes.add(error.note, error.place)
        else:
            self.complain(error)

    def fail(self, failure: Failure) -> None:
        """Refuse a sentence of which a run made nothing."""
        self.refuse(failure.as_error())
        if failure.lost:
            self.lost.append(failure)

    def conclude(self, say: Callable[[str], object], tell: Callable[[str], object]) -> None:
        """Say what many sentences share, and tell where no tree was read at all."""
        for line in self.notes.lines():
            say(line)
        if not self.read:
            tell("numbat: no tree was given")


def trees_of(found: Iterable[TreebankSentence | Problem]) -> Iterator[TreebankSentence | DataError]:
    """Sentences of a treebank as inputs of a run: a problem becomes an error."""
    return (data_error(each) if isinstance(each, Problem) else each for each in found)
