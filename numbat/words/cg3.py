"""Reads streams of Constraint Grammar (CG-3, VISL), words with all their readings, as lattices; writes such streams.

    "<cats>"
        "cat" N pl
    ;   "cat" V

A cohort is a word with the readings below it; a reading is a lemma with tags. Readings after `;` were removed, and
readings with deeper indentation are those of a part of the word, whose form is not known (a cohort with such readings
`has_parts`); neither become arcs. A sentence ends at an empty line, at
a command such as `<STREAMCMD:FLUSH>`, and after a full stop, question mark or exclamation mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from numbat.errors import DataError, Problem, Span, data_error, quotable
from numbat.files import numbered
from numbat.grammar.model import Grammar, Reading
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import Words
from numbat.words.tag_maps import TagMap, lattice_of_readings
from numbat.words.tokens import spelled

COHORT: Final = re.compile(r'"<(.*)>"(.*)')
READING: Final = re.compile(r'(\s+)"(.*?)"(?=\s|$)(.*)')
COMMAND: Final = re.compile(r"<STREAMCMD:")
ENDS: Final = frozenset((".", "?", "!", "...", "…"))
"""Punctuation marks that end a sentence; in texts of VISL they have a `$` before them."""


class CohortReading(NamedTuple):
    """A reading: lemma and tags."""

    lemma: str
    tags: tuple[str, ...]


class Cohort(NamedTuple):
    """A word with its readings and its line; `has_parts` if readings of parts of the word were left out."""

    form: str
    readings: tuple[CohortReading, ...]
    line: int
    has_parts: bool = False


def read_cohorts(lines: Iterable[str], path: str) -> Iterator[list[Cohort] | Problem]:
    """Yield the cohorts of each sentence, or its first mistake; text other than cohorts is skipped.

    Raises DataError for a file with text and no cohort.
    """
    reader = _StreamReader(path)
    first = ""
    for number, line in numbered(lines):
        text = line.rstrip("\r\n")
        first = first or text.strip()
        yield from reader.read(text, number)
    yield from reader.finish()
    if first and not reader.has_cohorts:
        remedy = "this looks like Apertium's: convert it with cg-conv --in-apertium --out-cg"
        hint = (
            remedy if first.startswith("^") else 'a word is a line such as "<cats>", its readings are indented below it'
        )
        raise DataError(f"{path}: no word of a CG-3 stream\n  {hint}")


class _StreamReader:
    """Reader state: the cohorts of the open sentence, and its first mistake."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.cohorts: list[Cohort] = []
        self.fault: Problem | None = None
        self.indent = 0
        self.has_cohorts = False

    def read(self, text: str, number: int) -> Iterator[list[Cohort] | Problem]:
        if text.startswith('"<'):
            self.has_cohorts = True
            if self.cohorts and self.cohorts[-1].form.removeprefix("$") in ENDS:
                yield from self.finish()
            self._open(text, number)
        elif text[:1] in ("\t", " ") and text.strip():
            self._reading(text, number)
        elif not text.strip() or COMMAND.match(text):
            yield from self.finish()

    def finish(self) -> Iterator[list[Cohort] | Problem]:
        """Yield the cohorts of the open sentence, or its first mistake, if there is an open sentence."""
        cohorts, fault = self.cohorts, self.fault
        self.cohorts, self.fault = [], None
        if fault is not None:
            yield fault
        elif cohorts:
            yield cohorts

    def _open(self, text: str, number: int) -> None:
        match = COHORT.match(text)
        if match is None or not match[1].strip():
            self._blame(
                "this word is not closed" if match is None else "this word has no form", text, number, '"<word>"'
            )
            return
        self.cohorts.append(Cohort(match[1], (), number))
        self.indent = 0

    def _reading(self, text: str, number: int) -> None:
        match = READING.match(text)
        if match is None:
            if text.lstrip().startswith('"'):
                self._blame("this lemma is not closed", text, number, '"lemma" and tags')
            return
        if not self.cohorts:
            self._blame("this reading has no word above it", text, number, '"<word>"')
            return
        indent = len(match[1])
        self.indent = self.indent or indent
        word = self.cohorts[-1]
        if indent > self.indent:
            self.cohorts[-1] = word._replace(has_parts=True)
        else:
            read = CohortReading(match[2], tuple(match[3].split()))
            self.cohorts[-1] = word._replace(readings=(*word.readings, read))

    def _blame(self, message: str, text: str, number: int, expected: str) -> None:
        start = len(text) - len(text.lstrip()) + 1
        span = Span(self.path, number, start, len(text) + 1)
        self.fault = self.fault or Problem(message, span, "error", expected, text.strip(), source_line=quotable(text))


def cohort_lattice(
    cohorts: Sequence[Cohort], mapped: TagMap, words: Words, path: str, lenient: bool = False
) -> Lattice:
    """Return the lattice of a sentence. The first tag of a reading that `mapped` has, or that is a category, decides.

    The other tags of the reading, `pl` or `number=pl`, become features if the grammar has them, and are ignored if not.
    A word without readings gets those of the lexicon; a punctuation mark without known tags is skipped. Other words
    without a known tag raise DataError or, with `lenient`, get the readings of the lexicon too.
    """
    values = _values_of(words.grammar)
    every: list[tuple[str, Sequence[Reading]]] = []
    problems = []
    for cohort in cohorts:
        mapped_readings = [_mapped(reading, mapped, values, words.grammar) for reading in cohort.readings]
        kept = [readings for readings in mapped_readings if readings is not None]
        if kept or not any(map(str.isalnum, cohort.form)):
            every.append((cohort.form, tuple(dict.fromkeys(reading for readings in kept for reading in readings))))
            continue
        if cohort.readings and not lenient:
            tags = " ".join(dict.fromkeys(tag for reading in cohort.readings for tag in reading.tags))
            message = f'no tag of "{cohort.form}" is a category of the grammar: {tags or "none"}'
            problems.append(Problem(message, Span(path, cohort.line), hint="--tag-map FILE maps tags to categories"))
        known = words.known(spelled(cohort.form))
        every.append((cohort.form, known or [Reading(leaf) for leaf in words.grammar.leaves]))
    if problems:
        raise data_error(*problems)
    return lattice_of_readings(every, words)


def _values_of(grammar: Grammar) -> dict[str, tuple[str, str]]:
    """Return the feature and value that each possible tag means: `number=pl`, or `pl` if only one feature has it."""
    by_tag: dict[str, tuple[str, str]] = {}
    often: dict[str, int] = {}
    for feature, values in grammar.stated_features:
        for value in values:
            by_tag[f"{feature}={value}".casefold()] = feature, value
            often[value.casefold()] = often.get(value.casefold(), 0) + 1
            by_tag.setdefault(value.casefold(), (feature, value))
    return {tag: pair for tag, pair in by_tag.items() if often.get(tag, 1) == 1}


def _mapped(
    reading: CohortReading, mapped: TagMap, values: dict[str, tuple[str, str]], grammar: Grammar
) -> tuple[Reading, ...] | None:
    """Return the readings that the tags of a cohort's reading stand for in the grammar, None if no tag is mapped."""
    for at, tag in enumerate(reading.tags):
        readings = mapped.readings(tag)
        if readings is None and tag in grammar.leaves:
            readings = (Reading(tag),)
        if readings is None:
            continue
        others = (*reading.tags[:at], *reading.tags[at + 1 :])
        said = dict(values[other.casefold()] for other in others if other.casefold() in values)
        return tuple(_with_features(mapped_reading, said, reading.lemma) for mapped_reading in readings)
    return None


def _with_features(reading: Reading, said: dict[str, str], lemma: str) -> Reading:
    """Return a reading of the tag map with a lemma and the features of tags; features from the map win."""
    features = {feature: (value,) for feature, value in said.items()} | dict(reading.features)
    return replace(reading, features=tuple(sorted(features.items())), lemma=lemma)


def format_cohorts(words: Iterable[tuple[str, Sequence[Arc], Arc | None]]) -> str:
    """Format a sentence as cohorts. Each word comes with its arcs and with the elected one, if any.

    The other arcs of the word are then written after `;`. An arc is written as form, category and features
    (`number=pl`). A word without arcs becomes a cohort without readings.
    """
    lines = []
    for form, arcs, elected in words:
        lines.append(f'"<{form}>"')
        kept = [arc for arc in arcs if elected is None or arc == elected]
        lines += [f"\t{_written(arc)}" for arc in kept]
        lines += [f";\t{_written(arc)}" for arc in arcs if arc not in kept]
    return "\n".join(lines) + "\n"


def _written(arc: Arc) -> str:
    return " ".join((f'"{arc.form}"', arc.category, *(f"{feature}={value}" for feature, value in arc.features)))
