"""`numbat parse`: from sentences to lines of output, and the tally of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.commands.json_text import json_text
from numbat.commands.reading import Sentence
from numbat.errors import DataError
from numbat.parsing.explanation.rows import ROW_HEADER
from numbat.parsing.explanation.wording import visible
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.report.latex import FOR_TREES, forest
from numbat.source import counted

if TYPE_CHECKING:
    from numbat.treebank.score import Parameters, Scored
    from numbat.words.tag_maps import TagMap


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parses of one sentence, best first, and the seconds they took."""

    sentence: Sentence
    parses: tuple[Parse, ...]
    seconds: float

    def name_of(self, parse: Parse) -> str:
        """The name of the sentence, and of several parses of it the rank."""
        return self.sentence.id if len(self.parses) == 1 else f"{self.sentence.id}#{parse.rank}"

    def asides(self, form: str) -> Iterator[str]:
        """What an output format leaves out: that a limit was met, what two parses differ in."""
        stopped = self.parses[0].stopped_by
        if stopped is not None and form != "tree":
            yield f"numbat: {self.sentence.id}: stopped by the limit on {stopped}"
        if form == "bracket":
            ranks: dict[str, list[str]] = {}
            for parse in self.parses:
                ranks.setdefault(parse.to_brackets(), []).append(str(parse.rank))
            for alike in ranks.values():
                if len(alike) > 1:
                    which = f"{', '.join(alike[:-1])} and {alike[-1]}"
                    yield f"numbat: {self.sentence.id}: parses {which} differ in features only: see them with -f tree"


Piece = str | DataError
"""A parse as it is written, or why it cannot be: that loses no other."""


class Style(NamedTuple):
    """How a tree is written in a terminal."""

    color: bool
    width: int
    all_features: bool


def parse_sentence(parser: Parser, sentence: Sentence, n: int, tell: Callable[[str], object] | None = None) -> Parsed:
    """Up to n parses of a sentence, timed; with `tell` by the phases engine, which tells each round when it ends."""
    narrator = None
    if tell is not None:
        from numbat.parsing.phases.trace import Narrator

        narrator = Narrator(tell)
    began = perf_counter()
    parses = parser.n_best(sentence.lattice, n, narrator)
    return Parsed(sentence, tuple(parses), perf_counter() - began)


def as_trees(parsed: Parsed, style: Style) -> Iterator[str]:
    """As people read it: each tree with its summary and its explanations."""
    for parse in parsed.parses:
        if len(parsed.parses) > 1:
            yield f"{parse.rank}."
        yield parse.tree(*style)
        yield ""


def as_brackets(parsed: Parsed, style: Style) -> Iterator[str]:
    return (parse.to_brackets() for parse in parsed.parses)


def as_jsonl(parsed: Parsed, style: Style) -> Iterator[Piece]:
    return _json(parsed, None)


def as_json(parsed: Parsed, style: Style) -> Iterator[Piece]:
    return _json(parsed, 2)


def _json(parsed: Parsed, indent: int | None) -> Iterator[Piece]:
    for parse in parsed.parses:
        try:
            whole = {"id": parsed.sentence.id, **parse.to_json()}
            yield json_text(whole, parsed.name_of(parse), "-f bracket", indent)
        except DataError as error:
            yield error


def as_rows(parsed: Parsed, style: Style) -> Iterator[str]:
    """A row for each property instance, under `ROW_HEADER`."""
    for parse in parsed.parses:
        yield from ("\t".join(row) for row in parse.to_rows(parsed.name_of(parse)))


def as_svg(parsed: Parsed, style: Style) -> Iterator[str]:
    from numbat.report.svg import svg

    return map(svg, parsed.parses)


def as_html(parsed: Parsed, style: Style) -> Iterator[str]:
    """A heading and a drawing for each parse."""
    from numbat.report.svg import html

    for parse in parsed.parses:
        rank = f" ({parse.rank})" if len(parsed.parses) > 1 else ""
        yield f"<h2>{escape(visible(parse.sentence))}{rank}</h2>\n{html(parse)}"


def as_latex(parsed: Parsed, style: Style) -> Iterator[str]:
    """A `forest` for each parse, below comments with all that `as_trees` says."""
    for parse in parsed.parses:
        said = (parse.sentence, parse.summary(), *parse.explain())
        comment = "".join(f"% {visible(line)}\n" for line in said)
        yield comment + forest(parse).rstrip("\n")


HTML_BEFORE: Final = """<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>numbat parse</title>
<style>body { font-family: sans-serif; margin: 1rem; } h2 { font-size: 1.1rem; }</style>
</head>
<body>
"""


@dataclass(frozen=True, slots=True)
class Format:
    """An output format: the pieces of one sentence, each with its end, and what stands before, between and after all.

    A line ends with the piece that it belongs to, for whoever types sentences or reads answers one by one.
    """

    pieces: Callable[[Parsed, Style], Iterator[Piece]]
    before: str = ""
    between: str = ""
    end: str = "\n"
    after: str = ""

    def written(self, parsed: Parsed, style: Style) -> tuple[list[str], list[DataError]]:
        """The pieces of a sentence, and why others could not be written."""
        pieces = list(self.pieces(parsed, style))
        lost = [piece for piece in pieces if isinstance(piece, DataError)]
        return [piece for piece in pieces if isinstance(piece, str)], lost

    def placed(self, piece: str, first: bool) -> str:
        """A piece with its end and what stands before it."""
        return (self.before if first else self.between) + piece + self.end

    def closing(self, empty: bool) -> str:
        """What stands at the end, or in all where there is no piece."""
        if empty:
            return self.before + self.after.lstrip("\n")
        return self.after


FORMATS: Final = {
    "tree": Format(as_trees),
    "bracket": Format(as_brackets),
    "json": Format(as_json, before="[\n", between=",\n", end="", after="\n]\n"),
    "jsonl": Format(as_jsonl),
    "svg": Format(as_svg),
    "html": Format(as_html, before=HTML_BEFORE, after="</body>\n</html>\n"),
    "latex": Format(as_latex, before=f"{FOR_TREES}\n", between="\n"),
    "tsv": Format(as_rows, before="\t".join(ROW_HEADER) + "\n"),
}


@dataclass
class Judge:
    """Scores the best parses against the gold trees that came with their sentences, their tags mapped to categories."""

    mapped: TagMap
    scored: list[Scored] = field(default_factory=list)

    def add(self, parsed: Parsed) -> None:
        """Score the best parse, if its sentence came with a tree."""
        from numbat.commands.scoring import tree_of
        from numbat.treebank.score import score

        if parsed.sentence.gold is not None:
            found = tree_of(parsed.parses[0])
            self.scored.append(score(parsed.sentence.id, parsed.sentence.gold, found, self._parameters))

    @cached_property
    def _parameters(self) -> Parameters:
        from numbat.treebank.score import DEFAULT

        mapped = self.mapped.rows.items()
        tags = {tag: {reading.category for reading in readings} for tag, readings in mapped if readings}
        return replace(DEFAULT, tags=tags)

    def lines(self) -> Iterator[str]:
        """The scores of all, as `numbat score` prints them."""
        from numbat.commands.scoring import lines
        from numbat.treebank.score import DEFAULT, Scores

        return lines(Scores(tuple(self.scored)), DEFAULT.longest)


@dataclass
class Tally:
    """How many sentences got what, and how long it took."""

    full: int = 0
    well_formed: int = 0
    partial: int = 0
    limited: int = 0
    failed: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, parsed: Parsed) -> None:
        """Count one sentence."""
        best = parsed.parses[0]
        self.full += best.is_full
        self.well_formed += best.is_full and best.is_well_formed
        self.partial += not best.is_full
        self.limited += best.stopped_by is not None
        self.seconds.append(parsed.seconds)

    def __str__(self) -> str:
        from statistics import median, quantiles

        number = len(self.seconds)
        if not number:
            return f"0 sentences, {self.failed} could not be read"
        slowest = quantiles(self.seconds, n=20, method="inclusive")[-1] if number > 1 else self.seconds[0]
        return (
            f"{counted(number, 'sentence')}: {counted(self.full, 'full tree')} ({self.well_formed} well-formed), "
            f"{counted(self.partial, 'partial cover')}, {self.limited} met a limit, {self.failed} could not be read; "
            f"median {median(self.seconds) * 1000:.1f} ms, 95th percentile {slowest * 1000:.1f} ms"
        )
