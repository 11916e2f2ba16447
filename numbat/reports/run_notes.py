"""Remarks on the sentences in a run, for the person who typed them; the run record as text, JSON and comment."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from numbat.errors import DataError, counted, first_of, visible
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.parsing.explanation.text import by_lexical_status, mostly_guessed, with_similar
from numbat.parsing.explanation.violations import listed_words
from numbat.records import pattern
from numbat.reports.report import Member, Part
from numbat.runs.record import RunRecord, run_line
from numbat.words.judgement_marks import MEANINGS, marked_parts, marked_sentence, plain_marks
from numbat.words.lattice import Lattice
from numbat.words.pasted_text import KINDS, read_pasted
from numbat.words.segmentation import is_unsegmented
from numbat.words.typed import SQUARE

OF_A_TREEBANK: Final = pattern(
    r"\(\s*[^\s()]*\s*\(|(?:[^\t]*\t){9}[^\t]*$"  # brackets, CoNLL-U and CoNLL-X
    r"|\S+\t+\S+\t+\d+(?:\t\S+)?$|\S+(?:\t+\S+){3,5}\t+\d+$"  # MaltTab; NEGRA's export format
    r"|<[?/]?[a-z][^<>]*>$"  # TIGER-XML
    r"|\"<.*>\"$|\"[^\"\s]+\"(?: <\S+>)* [A-Z][A-Z0-9]*(?: |$)"  # cohorts and readings of CG-3
)
"""Pattern for a line from a treebank: nested brackets, a row of columns, an XML element, a cohort of CG-3."""
IN_SQUARE_BRACKETS: Final = pattern(r"\[\s*[^\s\[\]]+\s+\[[^\[\]]+\]|\[\s*(?![AI]\s)[A-Z][A-Z\d]*\s[^\[\]]+\]\s*$")
"""Pattern for nested square brackets, or square brackets around a whole sentence with a category in capitals."""


def check_evaluated(is_evaluated: bool) -> None:
    """Raise DataError if no property was evaluated at all, as the figures then say nothing about the grammar."""
    if not is_evaluated:
        raise DataError(
            "no property was evaluated, so these figures say nothing about the grammar\n"
            "  use a grammar that has the words and categories of these sentences"
        )


class SentenceRemarks(NamedTuple):
    """Remarkable facts about a sentence.

    `mark` is a mark of acceptability before the sentence, such as *, `property` the text in brackets after the mark,
    `inside` the parts of the sentence with such marks; these are not parsed. `is_tree`: the sentence looks like a tree
    (`is_square`: in square brackets). `ends_inside`: a sentence seems to end inside it. `begins_small`: it begins with
    a small letter. `is_open`: it has no mark at its end. `is_unsegmented`: it has an unknown word in a script without
    blanks. `left_out` has the markup and indices that were left out, by kind. `guessed` has its guessed words by
    lexical status, `guesses` their number, `words` the number of all words.
    """

    id: str
    mark: str = ""
    property: str = ""
    inside: tuple[str, ...] = ()
    is_tree: bool = False
    is_square: bool = False
    ends_inside: bool = False
    begins_small: bool = False
    is_open: bool = False
    is_unsegmented: bool = False
    guessed: Mapping[str, Sequence[str]] = {}
    guesses: int = 0
    words: int = 0
    left_out: Mapping[str, Sequence[str]] = {}


def remarks_on(id: str, lattice: Lattice, guessed: Sequence[Constituent] = (), named: bool = True) -> SentenceRemarks:
    """Return the remarks on a sentence; the words `guessed` in its parse are listed if `named`, else only counted."""
    mark, property_name, _ = marked_sentence(lattice.text)
    is_square = bool(IN_SQUARE_BRACKETS.match(lattice.text))
    is_mark = mark and plain_marks("".join(lattice.skipped)).startswith(mark)
    parts = marked_parts(lattice.text)
    left_out = _left_out(lattice)
    is_judged = not any(way.mark in lattice.tokens for part in parts for way in part.ways)
    return SentenceRemarks(
        id,
        mark if is_mark else "",
        property_name if is_mark else "",
        tuple(lattice.text[part.start : part.end] for part in parts) if is_judged else (),
        (not left_out and bool(OF_A_TREEBANK.match(lattice.text))) or is_square,
        is_square,
        _ends_inside(lattice),
        lattice.text[:1].islower(),
        len(lattice.text) >= MIN_WRAPPED and (lattice.text[-1].isalpha() or lattice.text[-1] == ","),
        any(is_unsegmented(word.form) and len(word.form) > 2 for word in guessed),
        by_lexical_status(guessed if named else ()),
        len(guessed),
        len(lattice.tokens),
        left_out,
    )


@dataclass
class RunNotes:
    """Notes at the end of a run: on marks before sentences, files or trees read as sentences, unknown words.

    `grammar` is given if words come without tags and no tagger is used. `typed` has the sentences from the command
    line. `as_typed`: a person divided the text into sentences, not a treebank; `is_split`: they come from running text.
    `left_out` has the markup of each sentence by kind, `guessed` the guessed words by lexical status; `wrapped` counts
    sentences that begin with a small letter after a sentence without a mark at its end.
    """

    grammar: Grammar | None = None
    typed: Sequence[str] = ()
    as_typed: bool = True
    is_split: bool = False
    marks: list[tuple[str, str]] = field(default_factory=list)
    properties: list[tuple[str, str]] = field(default_factory=list)
    inside: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    several: list[str] = field(default_factory=list)
    sentences: int = 0
    trees: int = 0
    square: int = 0
    wrapped: int = 0
    unsegmented: int = 0
    is_open: bool = False
    left_out: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    guessed: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    guesses: int = 0
    words: int = 0

    def add(self, remarks: SentenceRemarks) -> None:
        """Add the remarks on a sentence."""
        self.sentences += 1
        self.trees += remarks.is_tree
        self.square += remarks.is_square
        self.wrapped += self.is_open and remarks.begins_small
        self.is_open = remarks.is_open
        self.unsegmented += remarks.is_unsegmented
        if remarks.mark and not self.is_split:
            self.marks.append((remarks.id, remarks.mark))
        if remarks.property:
            self.properties.append((remarks.id, remarks.property))
        if remarks.inside:
            self.inside.append((remarks.id, remarks.inside))
        if self.as_typed and not self.is_split and remarks.ends_inside:
            self.several.append(remarks.id)
        self.guesses += remarks.guesses
        self.words += remarks.words
        for kind, parts in remarks.left_out.items():
            self.left_out.setdefault(kind, []).append(parts)
        for how, forms in remarks.guessed.items():
            self.guessed.setdefault(how, []).append(forms)

    def lines(self) -> Iterator[str]:
        """Yield the notes, each with what to do."""
        lacks_words = self.guesses and self.grammar is not None and _has_no_words(self.grammar)
        are_trees = 2 * self.trees > self.sentences
        most = self.sentences > 1 and mostly_guessed(self.guesses, self.words)
        is_segmented = self.grammar is None or any(rule.kind == "segment" for rule in self.grammar.tokens)
        if self.unsegmented and not is_segmented:
            text = f"numbat: {counted(self.unsegmented, 'sentence')} in a script without blanks between words"
            yield f"{text}, which the grammar does not segment\n  {SEGMENT}"
        elif self.grammar is not None and most and not are_trees:
            named = f"the grammar {self.grammar.name}" if self.grammar.name else "the grammar"
            text = f"most words, {self.guesses:,} of {self.words:,}, are not in the lexicon of {named}"
            yield f"numbat: {text}\n  -g names another grammar" if not lacks_words else f"numbat: {text}"
        if self.marks:
            yield f"numbat: {self._marked()}\n  numbat test FILE compares such judgements with those of the grammar"
        if self.properties:
            yield f"numbat: {self._named()}\n  numbat test FILE checks whether a sentence violates that property"
        if self.inside:
            yield f"numbat: {self._inside()}\n  numbat test FILE reads each variant as a separate sentence"
        for kind, of_sentences in sorted(self.left_out.items()):
            parts = list(chain.from_iterable(of_sentences))
            where = f" in {counted(len(of_sentences), 'sentence')}" if len(of_sentences) > 1 else ""
            many = f"1 {kind}" if len(parts) == 1 else f"{len(parts):,} {KINDS[kind]}"
            yield f"numbat: {many} left out{where}: {listed_words(list(map(visible, dict.fromkeys(parts))))}"
        if self.several:
            where = f"{first_of(self.several, NAMED)}: " * any(self.several)
            what = "this seems" if len(self.several) == 1 else f"these {len(self.several)} seem"
            yield f"numbat: {where}{what} to be more than one sentence\n  {ONE_EACH}"
        if self.as_typed and not self.is_split and self.wrapped > 1 and 4 * self.wrapped > self.sentences:
            lines = f"{self.wrapped} of {self.sentences} lines"
            yield f"numbat: {lines} continue the sentence of the line before\n  {SPLIT}"
        if are_trees:
            how = "numbat judge takes a tree" if self.typed else "--from auto reads a treebank"
            if self.square:
                how += f": {SQUARE}"
            yield f"numbat: the sentences look like trees\n  {how}"
        for name in map(visible, filter(os.path.isfile, self.typed)):
            how = f"numbat parse -i {name} parses the lines of that file"
            if name.endswith((".pg", ".yaml", ".yml")):
                how = f'numbat parse -g {name} "The cat sleeps" parses a sentence with that grammar'
            yield f'numbat: "{name}" was read as a sentence, but is the name of a file\n  {how}'
        if len(self.typed) > 1 and all(len(text.split()) == 1 and not is_unsegmented(text) for text in self.typed):
            text = f"numbat: each of the {len(self.typed)} words was read as a sentence"
            yield f'{text}\n  quote a sentence of several words: numbat parse "The cat sleeps"'
        for how, sentences in sorted(self.guessed.items()):
            forms = [form for words in sentences for form in words]
            where = f" in {counted(len(sentences), 'sentence')}" if len(sentences) > 1 else ""
            unique = list(dict.fromkeys(forms))
            listed = listed_words(with_similar(unique, self.grammar) if self.grammar is not None else unique)
            remedy = "\n  add them to the lexicon, or find their categories with --tagger MODEL"
            is_known = how != "unknown" or self.unsegmented or lacks_words
            yield f"numbat: {counted(len(forms), 'word')} {how}{where}: {listed}{'' if is_known else remedy}"
        if lacks_words and self.grammar is not None:
            model = "penn" if {"DT", "NN"} <= set(self.grammar.leaves) else "MODEL"
            yield f"numbat: the grammar has no words in its lexicon\n  --tagger {model} finds their categories"

    def _marked(self) -> str:
        if len(self.marks) == 1:
            ((id, mark),) = self.marks
            said = f"is not part of the sentence: it means that its author judges it {MEANINGS[mark]}"
            return f'{id and f"{id}: "}the mark "{mark}" {said}'
        kinds = ", ".join(f'"{mark}"' for mark in dict.fromkeys(mark for _, mark in self.marks))
        return f"the marks before {len(self.marks)} sentences, {kinds}, are judgements, not parts of the sentences"

    def _named(self) -> str:
        return _of_each(
            self.properties,
            "the property after the mark, [{}], was not parsed: it is not part of the sentence".format,
            "the properties after the marks before {} sentences were not parsed".format,
        )

    def _inside(self) -> str:
        return _of_each(
            [(id, first_of(parts, NAMED)) for id, parts in self.inside],
            "marks inside the sentence judge its variants: the best one was parsed ({})".format,
            "marks inside {} sentences judge their variants: the best ones were parsed".format,
        )


def _of_each(noted: Sequence[tuple[str, str]], of_one: Callable[[str], str], of_several: Callable[[int], str]) -> str:
    """Return a note on sentences given as (name, text): from `of_one` for a single one, else from `of_several`."""
    if len(noted) == 1:
        ((id, text),) = noted
        return f"{id and f'{id}: '}{of_one(text)}"
    return f"{of_several(len(noted))} ({first_of([id for id, _ in noted], NAMED)})"


def named_as_lost(what: str, losses: Sequence[str]) -> Iterator[str]:
    """Yield lines on what a run has lost, with reasons; `what` names one such thing, as `sentence` does."""
    if losses:
        yield f"{counted(len(losses), what)} lost and not counted:"
    yield from (f"    {loss}" for loss in losses)


MIN_WRAPPED: Final = 30
"""Minimum length, in characters, of a line whose sentence may continue in the next line."""
NAMED: Final = 3
"""Maximum number of sentences that are named for one kind of remark."""
ONE_EACH: Final = "quote each sentence, or write it on its own line of a file; numbat parse --split splits running text"
SPLIT: Final = "each line is read as a sentence; --split splits running text into sentences"
SEGMENT: Final = "write 'segment' below 'tokens:' of the grammar, or blanks between the words"


_STARRED: Final = pattern(r"[.!?]\s+[*?#]{1,3}\s?\w+$")
"""A sentence with a judgement mark after the end of another one."""


def _left_out(lattice: Lattice) -> dict[str, list[str]]:
    """Return the markup and indices that reading the sentence left out, by kind."""
    left_out: dict[str, list[str]] = {}
    places = set(lattice.skipped_places)
    for kind, start, end in read_pasted(lattice.text, frozenset[str]().__contains__).left_out:
        if (start, end) in places:
            left_out.setdefault(kind, []).append(lattice.text[start:end])
    return left_out


def _ends_inside(lattice: Lattice) -> bool:
    """Return True if a single mark inside the sentence seems to end a sentence, with a capital after it.

    A full stop ends one only after a word of at least three small letters; shorter words may be abbreviations.
    """
    tokens, marks_at = lattice.tokens, Counter(lattice.gaps)
    for mark, place in zip(lattice.skipped, lattice.gaps, strict=False):
        if not 0 < place < len(tokens) or not tokens[place][0].isupper():
            continue
        if marks_at[place] > 1 and not _STARRED.search(lattice.typed(place - 1, place + 1)):
            continue
        if mark[0] in "!?" or (mark == "." and tokens[place - 1].islower() and len(tokens[place - 1]) > 2):
            return True
    return False


def _has_no_words(grammar: Grammar) -> bool:
    """Return True if the lexicon has at most punctuation marks, and no rule guesses words."""
    forms = (entry.form for entry in grammar.lexicon)
    return not grammar.guesses and not any(map(str.isalpha, chain.from_iterable(forms)))


# The run record


def run_part(record: RunRecord | None) -> Part:
    """Return the record of a run as part of a report, with an empty line and one line of text; nothing for None."""
    return Part() if record is None else Member("run", record.as_json(), ["", f"run: {run_line(record)}"])


def run_comment(record: RunRecord) -> str:
    """Return the record of a run on one line, for a comment in a file."""
    return f"run: {json.dumps(record.as_json(), ensure_ascii=False)}"
