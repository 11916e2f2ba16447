"""Read the trees of files for verbs; sentences that cannot be read are reported and counted."""

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
    """Reader of treebanks: calls `complain` with the error of each bad sentence, and `advance` after each sentence.

    Errors that many sentences share are counted in `notes` instead. `wanted` is the form of the sentences: as in the
    file (`any`), as phrase structure with crossing branches (`phrases`), or without (`trees`). `read` counts all
    sentences, `bad` those that could not be read or used; `lost` are bad ones that could be read.
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
        """Number of sentences that could be used."""
        return self.read - self.bad

    def sentences(self, path: str, form: str) -> Iterator[TreebankSentence]:
        """Yield the good sentences of a file; errors as in `read_treebank`."""
        for sentence in self.every(path, form):
            if isinstance(sentence, DataError):
                self.refuse(sentence)
            else:
                yield sentence

    def every(self, path: str, form: str) -> Iterator[TreebankSentence | DataError]:
        """Yield the sentences of a file, bad ones as errors, which the caller should pass to `refuse`."""
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
        """Report the error of a sentence, or note a shared one, and count the sentence as bad."""
        self.bad += 1
        if isinstance(error, UnfitTreeError):
            self.notes.add(error.note, error.place)
        else:
            self.complain(error)

    def fail(self, failure: Failure) -> None:
        """Refuse a sentence that failed in a run, and keep it if it is lost."""
        self.refuse(failure.as_error())
        if failure.lost:
            self.lost.append(failure)

    def conclude(self, say: Callable[[str], object], tell: Callable[[str], object]) -> None:
        """Pass the notes to `say`, and to `tell` the message that no tree was given, if so."""
        for line in self.notes.lines():
            say(line)
        if not self.read:
            tell("numbat: no tree was given")


def trees_of(sentences: Iterable[TreebankSentence | Problem]) -> Iterator[TreebankSentence | DataError]:
    """Return the sentences of a treebank as inputs of a run, problems as errors."""
    return (data_error(sentence) if isinstance(sentence, Problem) else sentence for sentence in sentences)
