"""The output formats for parses, with an entry each in `FORMATS`, such as tree, brackets, JSON, TSV, SVG and HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numbat.errors import DataError, visible
from numbat.files import table_row
from numbat.records import frozen
from numbat.reports.answers import json_text
from numbat.runs.metadata import KnownOfAll
from numbat.words.chunk_labels import SCHEMES, Scheme

if TYPE_CHECKING:
    from numbat.acceptability.repair import Repair
    from numbat.parses.job import ParsedSentence
    from numbat.parsing.result import Parse
    from numbat.runs.record import RunRecord
    from numbat.structure.parsing import StructuredSentence
    from numbat.treebanks.conllu import DependencyTree
    from numbat.treebanks.judgement import Judgement
    from numbat.treebanks.ud_maps import UdMap
    from numbat.words.lattice import Arc


Piece = str | DataError
"""The text for one parse, or the error that prevents it; the other parses of the sentence are written nevertheless."""


class TreeStyle(NamedTuple):
    """Settings for what the output shows, and how.

    `width` is the length of lines in columns; `all_features` shows all features of constituents, `positions` their
    tokens; `compact` writes JSON with numbers for names. `record` is the run's record for JSON, `scheme` the scheme
    for labels of chunks; `dependencies` draws dependencies, `ud` maps the grammar to Universal Dependencies; `known` is
    metadata of all sentences, `judgement` scores how acceptable sentences are.
    """

    color: bool
    width: int
    all_features: bool
    compact: bool = False
    positions: bool = False
    record: Mapping[str, Any] | None = None
    scheme: Scheme = SCHEMES["iob2"]
    dependencies: bool = False
    ud: UdMap | None = None
    known: KnownOfAll = KnownOfAll()
    judgement: Judgement | None = None


def as_trees(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """Yield for people to read the tree of each parse with its summary and explanations."""
    for parse in parsed.parses:
        if len(parsed.parses) > 1:
            yield f"{parse.rank}."
        yield parse.tree(style.color, style.width, style.all_features, style.positions)
        if style.judgement is not None:
            yield style.judgement.told(parse)
        if parse.rank == 1:
            yield from (f"→ {repaired.suggestion}" for repaired in parsed.suggested or ())
        yield ""


def as_brackets(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    return (parse.to_brackets() for parse in parsed.parses)


def as_jsonl(parsed: ParsedSentence, style: TreeStyle) -> Iterator[Piece]:
    return _json(parsed, None, style.compact, None)


def as_json(parsed: ParsedSentence, style: TreeStyle) -> Iterator[Piece]:
    return _json(parsed, 2, style.compact, style.record)


def _json(
    parsed: ParsedSentence, indent: int | None, compact: bool, record: Mapping[str, Any] | None
) -> Iterator[Piece]:

    for parse in parsed.parses:
        try:
            whole = {"id": parsed.sentence.id, **parse.to_json(compact)}
            if record is not None:
                whole["run"] = record
            if parsed.trace is not None and parse.rank == 1:
                whole["trace"] = parsed.trace
            if parsed.suggested is not None and parse.rank == 1:
                whole["suggestion"] = _suggestion(parsed.suggested)
            yield json_text(whole, parsed.name_of(parse), "-f bracket", indent, compact)
        except DataError as error:
            yield error


def _suggestion(suggested: tuple[Repair, ...]) -> dict[str, Any] | None:
    """Return the best repair as JSON."""
    from numbat.acceptability.reasons import REPAIRS

    return next(({column.key: column.of(repaired) for column in REPAIRS} for repaired in suggested), None)


def as_rows(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """Yield a row for each property instance in each parse, with the columns of `ROW_HEADER`."""
    for parse in parsed.parses:
        yield from map(table_row, parse.to_rows(parsed.name_of(parse)))


def as_cohorts(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """Yield the words of each parse as a CG-3 stream: for each word its reading in the parse, then others after `;`."""
    from numbat.words.cg3 import format_cohorts

    for parse in parsed.parses:
        marks = list(zip(parse.lattice.gaps, parse.lattice.skipped, strict=False))
        words: list[tuple[str, list[Arc], Arc | None]] = []
        for word in parse.words:
            while marks and marks[0][0] <= word.start:
                words.append((marks.pop(0)[1], [], None))
            arcs = [arc for arc in parse.lattice.arcs if (arc.start, arc.end) == (word.start, word.end)]
            elected = (arc for arc in arcs if (arc.category, arc.features) == (word.construction, word.features))
            words.append((parse.lattice.typed(word.start, word.end), arcs, next(elected, None)))
        yield format_cohorts([*words, *((mark, [], None) for _, mark in marks)])


def as_conllu(parsed: ParsedSentence, style: TreeStyle) -> Iterator[Piece]:
    """Return the dependencies of each parse in CoNLL-U, with the tokens and tags of the treebank, if there is one."""
    from numbat.treebanks.conllu import format_conllu

    return (
        _linked(parsed, parse, style, lambda tree: format_conllu(tree).removesuffix("\n")) for parse in parsed.parses
    )


def _linked(parsed: ParsedSentence, parse: Parse, style: TreeStyle, form: Callable[[DependencyTree], str]) -> Piece:
    """Return the dependencies of a parse as a text by `form`, or an error if the parse has no dependency tree."""
    from numbat.treebanks.dependencies import dependency_tree

    try:
        tree = dependency_tree(parse, parsed.name_of(parse), style.ud, parsed.sentence.source, as_given=True)
        if style.judgement is not None:
            comment = f"# judgement = {style.judgement.score(parse):.3f}"
            tree = replace(tree, comments=(*tree.comments, comment))
        return form(tree)
    except DataError as error:
        return error


def as_svg(parsed: ParsedSentence, style: TreeStyle) -> Iterator[Piece]:
    from numbat.parsing.explanation.drawing import ENTIRE, PLAIN, svg

    if style.dependencies:
        return (_arcs(parsed, parse, style, styled=True) for parse in parsed.parses)
    return (svg(parse, ENTIRE if style.all_features else PLAIN) for parse in parsed.parses)


def _arcs(parsed: ParsedSentence, parse: Parse, style: TreeStyle, styled: bool) -> Piece:
    """Return a drawing of the dependencies of a parse, with its own style if `styled`, or an error as `_linked`."""
    from numbat.treebanks.arcs import arcs

    return _linked(parsed, parse, style, lambda tree: arcs(tree, styled))


def as_html(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """Yield a section of an HTML page for each parse; a click on its heading shows drawing and explanations."""
    from html import escape

    from numbat.parsing.explanation.drawing import ENTIRE, PLAIN, drawn

    for parse in parsed.parses:
        rank = f" ({parse.rank})" if len(parsed.parses) > 1 else ""
        heading = f"<summary><h2>{escape(visible(parse.sentence))}{rank}</h2></summary>"
        beside = ""
        if style.dependencies:
            drawing = _arcs(parsed, parse, style, styled=False)
            beside = f'\n<div class="wide whole" tabindex="0">{drawing}</div>' if isinstance(drawing, str) else ""
        yield f"<details>{heading}\n{drawn(parse, ENTIRE if style.all_features else PLAIN)}{beside}\n</details>"


def html_opening() -> str:
    """Return the beginning of an HTML page, up to the first parse."""
    from numbat.reports.pages import opening

    return f"{opening('Numbat: parses', 'drawing.css', 'parses.css')}<h1>Parses</h1>\n"


def html_closing(record: RunRecord | None) -> str:
    """Return the end of an HTML page after the last parse, with the record of the run."""
    from numbat.reports.pages import closing

    return closing(record)


def _unfolded(section: str, number: int) -> str:
    from numbat.reports.pages import unfolded

    return unfolded(section, number)


def as_latex(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """Yield a LaTeX environment `forest` for each parse, after comments with its summary and explanations."""
    from numbat.parsing.explanation.drawing import ENTIRE, PLAIN, forest

    for parse in parsed.parses:
        lines = (parse.sentence, parse.summary(), *parse.explain())
        comment = "".join(f"% {visible(line)}\n" for line in lines)
        yield comment + forest(parse, ENTIRE if style.all_features else PLAIN).rstrip("\n")


def as_columns(parsed: ParsedSentence, style: TreeStyle) -> Iterator[str]:
    """Yield each shallow parse with a line for each token: the token, its category, and its label for chunks."""
    for parse in parsed.parses:
        tokens = parse.lattice.tokens
        tops = parse.constituents
        chunks = [(top.start, top.end, top.construction) for top in tops if top.daughters]
        categories = {
            at: word.construction for top in tops for word in top.words() for at in range(word.start, word.end)
        }
        rows = zip(tokens, style.scheme.labels(chunks, len(tokens)), strict=True)
        yield "".join(f"{visible(token)}\t{categories[at]}\t{label}\n" for at, (token, label) in enumerate(rows))


def as_stored(parsed: ParsedSentence, style: TreeStyle) -> Iterator[Piece]:
    """Yield the best parse as the JSON that `corpus.writing` writes to a store, with the metadata of its sentence."""
    from numbat.corpus.stored import stored_sentence

    sentence = parsed.sentence
    known = style.known.of(sentence.id, sentence.metadata)
    yield json.dumps(stored_sentence(parsed.parses[0], sentence.id, known), separators=(",", ":"))


@frozen
class OutputFormat:
    """An output format: `pieces` makes a text for each parse of a sentence, and other texts surround these pieces.

    The output is `before`, the pieces with `between` between them and `end` after each, then `after`. `lost` returns
    the piece for a sentence that was given up, from its identifier and the reason. `options` are options of `numbat
    parse` that have an effect in this format but not in every format. `dependencies` returns the text for a sentence
    that was parsed by a dependency model. `has_record`: the record of the run is written, in each piece or after all.
    `is_one_drawing`: a file can hold only one parse. `is_brief`: different parses may look alike, and guessed words are
    not marked. `tells_limits`: the output says which limit stopped a parse. `has_trace`: it can include the trace.
    `is_painted`: it may be in colour. `unfolded` returns a piece as it is shown for the sentence of a number, from 1.
    """

    pieces: Callable[[ParsedSentence, TreeStyle], Iterator[Piece]]
    lost: Callable[[str, str], str]
    options: frozenset[str] = frozenset()
    dependencies: Callable[[StructuredSentence], str] | None = None
    is_one_drawing: bool = False
    is_brief: bool = False
    tells_limits: bool = False
    has_trace: bool = False
    is_painted: bool = False
    before: Callable[[], str] = str
    between: str = ""
    end: str = "\n"
    after: Callable[[RunRecord | None], str] = lambda record: ""
    has_record: bool = False
    unfolded: Callable[[str, int], str] = lambda piece, number: piece

    def pieces_of(self, parsed: ParsedSentence, style: TreeStyle) -> tuple[list[str], list[DataError]]:
        """Return the pieces of a sentence, and the errors of those that could not be written."""
        pieces = list(self.pieces(parsed, style))
        lost = [piece for piece in pieces if isinstance(piece, DataError)]
        return [piece for piece in pieces if isinstance(piece, str)], lost

    def placed(self, piece: str, first: bool) -> str:
        """Return a piece followed by `end`, and preceded by `before` if `first`, else by `between`."""
        return (self.before() if first else self.between) + piece + self.end

    def closing(self, empty: bool, record: RunRecord | None = None) -> str:
        """Return the end of the output or, if there is no piece (`empty`), the whole output."""
        if empty:
            return self.before() + self.after(record).lstrip("\n")
        return self.after(record)


def _lost_json(id: str, reason: str) -> str:

    return json_text({"id": id, "lost": reason}, id, "-f bracket")


def _lost_row(id: str, reason: str) -> str:
    """Return the row for a sentence that was given up: `lost` is its relation, the reason its property."""
    from numbat.parsing.explanation.json_format import ROW_HEADER

    row = {"id": id, "relation": "lost", "property": " ".join(reason.split())}
    return table_row(row.get(column) for column in ROW_HEADER)


def _lost_drawing(id: str, reason: str) -> str:
    from html import escape

    return f"<!-- {escape(reason)} -->"


def _lost_section(id: str, reason: str) -> str:
    from numbat.markup import safe

    return f'<h2>{safe(id)}</h2>\n<p class="bad">{safe(reason)}</p>'


def _latex_opening() -> str:
    from numbat.parsing.explanation.drawing import FOR_TREES

    return f"{FOR_TREES}\n"


def _row_opening() -> str:
    from numbat.parsing.explanation.json_format import ROW_HEADER

    return table_row(ROW_HEADER) + "\n"


def _dependency_brackets(parsed: StructuredSentence) -> str:
    from numbat.structure.report import as_brackets

    return as_brackets(parsed)


def _dependency_conllu(parsed: StructuredSentence) -> str:
    from numbat.structure.report import as_conllu

    return as_conllu(parsed)


RUN_SCHEMA: Final = "numbat.run/1"


def run_record_line(record: RunRecord | None) -> str:
    """Return the last line of an output in JSON lines: the record of the run, a sign that the output is complete."""
    if record is None:
        return ""
    return json.dumps({"schema": RUN_SCHEMA, "run": record.as_json()}, ensure_ascii=False) + "\n"


FORMATS: Final = {
    "tree": OutputFormat(
        as_trees,
        lost=lambda id, reason: f"{id}: {reason}\n",
        options=frozenset({"positions", "all_features", "suggest", "within"}),
        tells_limits=True,
        is_painted=True,
    ),
    "bracket": OutputFormat(
        as_brackets, lost=lambda id, reason: "(LOST)", dependencies=_dependency_brackets, is_brief=True
    ),
    "json": OutputFormat(
        as_json,
        lost=_lost_json,
        options=frozenset({"compact", "suggest", "within"}),
        before=lambda: "[\n",
        between=",\n",
        end="",
        after=lambda record: "\n]\n",
        has_record=True,
        has_trace=True,
    ),
    "jsonl": OutputFormat(
        as_jsonl,
        lost=_lost_json,
        options=frozenset({"compact", "suggest", "within"}),
        after=run_record_line,
        has_record=True,
        has_trace=True,
    ),
    "tsv": OutputFormat(
        as_rows,
        lost=_lost_row,
        options=frozenset({"for_spreadsheets"}),
        before=_row_opening,
    ),
    "cg3": OutputFormat(as_cohorts, lost=lambda id, reason: f"# lost: {visible(id)}: {visible(reason)}\n"),
    "svg": OutputFormat(
        as_svg, lost=_lost_drawing, options=frozenset({"all_features", "dependencies"}), is_one_drawing=True
    ),
    "html": OutputFormat(
        as_html,
        lost=_lost_section,
        options=frozenset({"all_features", "dependencies", "within"}),
        before=html_opening,
        after=html_closing,
        has_record=True,
        unfolded=_unfolded,
    ),
    "store": OutputFormat(as_stored, lost=_lost_json, options=frozenset({"meta"}), tells_limits=True),
    "latex": OutputFormat(
        as_latex,
        lost=lambda id, reason: f"% {visible(id)}: {visible(reason)}",
        options=frozenset({"all_features"}),
        before=_latex_opening,
        between="\n",
    ),
    "columns": OutputFormat(
        as_columns,
        lost=lambda id, reason: f"# lost: {visible(id)}: {visible(reason)}\n",
        options=frozenset({"scheme"}),
        is_brief=True,
    ),
    "conllu": OutputFormat(
        as_conllu,
        lost=lambda id, reason: f"# lost: {visible(id)}: {visible(reason)}\n",
        dependencies=_dependency_conllu,
        tells_limits=True,
    ),
}
"""Output formats by the names that `numbat parse -f` has for them, in the order of its help."""


def asides(parsed: ParsedSentence, form: str) -> Iterator[str]:
    """Yield notes on what the format `form` does not show: a limit that stopped the parse, parses that look alike.

    A note also says if the best parse may have been missed, because its election was greedy.
    """
    best = parsed.parses[0]
    if not FORMATS[form].tells_limits:
        if best.stopped_by is not None:
            from numbat.parsing.explanation.text import bound_note

            yield f"numbat: {parsed.sentence.id}: stopped by the limit on {best.stopped_by}{bound_note(best)}"
        if best.constituents and best.may_be_beaten:
            from numbat.parsing.explanation.text import greedy_note

            yield f"numbat: {parsed.sentence.id}: {greedy_note(best)}"
    if FORMATS[form].is_brief:
        ranks: dict[str, list[str]] = {}
        for parse in parsed.parses:
            ranks.setdefault(parse.to_brackets(), []).append(str(parse.rank))
        for alike in ranks.values():
            if len(alike) > 1:
                which = f"{', '.join(alike[:-1])} and {alike[-1]}"
                yield f"numbat: {parsed.sentence.id}: parses {which} differ in features only: see them with -f tree"
