"""Parses in the output formats: text for a terminal, brackets, JSON, tables, pages, LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple

from numbat.errors import DataError
from numbat.parsing.explanation.rows import ROW_HEADER
from numbat.report.json_text import json_text
from numbat.report.latex import FOR_TREES, forest
from numbat.runs.parsing import ParsedSentence
from numbat.source import visible

Piece = str | DataError
"""A parse as it is written, or why it cannot be: that loses no other."""


class TreeStyle(NamedTuple):
    """How a tree is written in a terminal, and whether JSON is compact."""

    color: bool
    width: int
    all_features: bool
    compact: bool = False
    positions: bool = False


def as_trees(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """The parses as people read them: each tree with its summary and its explanations."""
    for parse in parsed.parses:
        if len(parsed.parses) > 1:
            yield f"{parse.rank}."
        yield parse.tree(style.color, style.width, style.all_features, style.positions)
        yield ""


def as_brackets(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    return (parse.to_brackets() for parse in parsed.parses)


def as_jsonl(parsed: ParsedSentence, style: TreeStyle) -> Iterator[Piece]:
    return _json(parsed, None, style.compact)


def as_json(parsed: ParsedSentence, style: TreeStyle) -> Iterator[Piece]:
    return _json(parsed, 2, style.compact)


def _json(parsed: ParsedSentence, indent: int | None, compact: bool) -> Iterator[Piece]:
    for parse in parsed.parses:
        try:
            whole = {"id": parsed.sentence.id, **parse.to_json(compact)}
            if parsed.trace is not None and parse.rank == 1:
                whole["trace"] = parsed.trace
            yield json_text(whole, parsed.name_of(parse), "-f bracket", indent, compact)
        except DataError as error:
            yield error


def as_rows(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """A row for each property instance, under `ROW_HEADER`."""
    for parse in parsed.parses:
        yield from ("\t".join(row) for row in parse.to_rows(parsed.name_of(parse)))


def as_svg(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    from numbat.report.svg import svg

    return (svg(parse, style.all_features) for parse in parsed.parses)


def as_html(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """A heading and a drawing for each parse."""
    from numbat.report.svg import html

    for parse in parsed.parses:
        rank = f" ({parse.rank})" if len(parsed.parses) > 1 else ""
        yield f"<h2>{escape(visible(parse.sentence))}{rank}</h2>\n{html(parse, style.all_features)}"


def as_latex(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """A `forest` for each parse, below comments with all that `as_trees` says."""
    for parse in parsed.parses:
        said = (parse.sentence, parse.summary(), *parse.explain())
        comment = "".join(f"% {visible(line)}\n" for line in said)
        yield comment + forest(parse, style.all_features).rstrip("\n")


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
class OutputFormat:
    """An output format: the pieces of one sentence, each with its end, and what stands before, between and after all.

    A line ends with the piece that it belongs to, for whoever types sentences or reads answers one by one. `lost` is
    the piece of a sentence, by its name, that ended the process which worked on it, with the reason.
    """

    pieces: Callable[[ParsedSentence, TreeStyle], Iterator[Piece]]
    lost: Callable[[str, str], str]
    before: str = ""
    between: str = ""
    end: str = "\n"
    after: str = ""

    def pieces_of(self, parsed: ParsedSentence, style: TreeStyle) -> tuple[list[str], list[DataError]]:
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


def _lost_json(id: str, reason: str) -> str:
    return json_text({"id": id, "lost": reason}, id, "-f bracket")


def _lost_row(id: str, reason: str) -> str:
    cells = {"id": visible(id), "relation": "lost", "property": visible(reason)}
    return "\t".join(cells.get(name, "") for name in ROW_HEADER)


FORMATS: Final = {
    "tree": OutputFormat(as_trees, lost=lambda id, reason: f"{id}: {reason}\n"),
    "bracket": OutputFormat(as_brackets, lost=lambda id, reason: "(LOST)"),
    "json": OutputFormat(as_json, lost=_lost_json, before="[\n", between=",\n", end="", after="\n]\n"),
    "jsonl": OutputFormat(as_jsonl, lost=_lost_json),
    "svg": OutputFormat(as_svg, lost=lambda id, reason: f"<!-- {escape(reason)} -->"),
    "html": OutputFormat(
        as_html,
        lost=lambda id, reason: f"<h2>{escape(id)}</h2>\n<p>{escape(reason)}</p>",
        before=HTML_BEFORE,
        after="</body>\n</html>\n",
    ),
    "latex": OutputFormat(
        as_latex, lost=lambda id, reason: f"% {visible(id)}: {visible(reason)}", before=f"{FOR_TREES}\n", between="\n"
    ),
    "tsv": OutputFormat(as_rows, lost=lambda id, reason: f"{id}\tlost\t{reason}", before="\t".join(ROW_HEADER) + "\n"),
}


def asides(parsed: ParsedSentence, form: str) -> Iterator[str]:
    """What an output format leaves out: that a limit was met, what two parses differ in."""
    stopped = parsed.parses[0].stopped_by
    if stopped is not None and form != "tree":
        yield f"numbat: {parsed.sentence.id}: stopped by the limit on {stopped}"
    if form == "bracket":
        ranks: dict[str, list[str]] = {}
        for parse in parsed.parses:
            ranks.setdefault(parse.to_brackets(), []).append(str(parse.rank))
        for alike in ranks.values():
            if len(alike) > 1:
                which = f"{', '.join(alike[:-1])} and {alike[-1]}"
                yield f"numbat: {parsed.sentence.id}: parses {which} differ in features only: see them with -f tree"
