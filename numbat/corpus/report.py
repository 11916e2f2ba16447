"""Answers of a store as text, tables, JSON and pages: concordances, counts, statistics of properties, comparisons."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from numbat.corpus.answers import ConcordanceLine, Interval, MatchCounts, MatchGroup, Shown, as_value, line_of, texts_of
from numbat.corpus.query_sql import QueryMatch
from numbat.errors import columns, counted, visible
from numbat.files import guarded
from numbat.markup import aligned, read, safe
from numbat.parsing.explanation.drawing import svg
from numbat.reports.pages import END, opening
from numbat.reports.report import Column, Lines, Member, Members, Part, Table, report

if TYPE_CHECKING:
    from numbat.corpus.comparing import MatchComparison, StoreComparison
    from numbat.corpus.query_sql import Query
    from numbat.corpus.reading import StoreReader
    from numbat.corpus.statistics import CorpusStatistics, Distinction, PropertyCount

CONTEXT: Final = 40
"""So many columns a line shows before and behind the match."""
MARK: Final = "*"
CONFLICT: Final = "\x1b[31m"
PLAIN: Final = "\x1b[0m"
MAX_TREES: Final = 300
"""So many trees a page draws; a page of more would open slowly."""


# Concordances


def concordance_line(line: ConcordanceLine, context: int = CONTEXT, is_colored: bool = False) -> str:
    """Return a match on a line: its place, the words before, the match in brackets, the words behind; words in conflict
    between asterisks, or in colour.
    """
    left, right = _cut(line.left, context, at_end=False), _cut(line.right, context, at_end=True)
    before, within, behind = (_words(words, is_colored) for words in (left, line.within, right))
    padding = " " * max(0, context - columns(_words(left, False)))
    said = f"  ({'; '.join(line.violated)})" if line.violated else ""
    return f"{visible(line.place)}  {padding}{before} [{within}] {behind}".rstrip() + said


def _cut(words: Sequence[Shown], width: int, at_end: bool) -> list[Shown]:
    """Return the words that are nearest to the match, as many as fit."""
    kept: list[Shown] = []
    used = 0
    for word in words if at_end else reversed(words):
        used += columns(word.text) + 1 + 2 * word.is_marked
        if used > width:
            kept.append(Shown("…", False))
            break
        kept.append(word)
    return kept if at_end else kept[::-1]


def _words(words: Iterable[Shown], is_colored: bool) -> str:
    begin, end = (CONFLICT, PLAIN) if is_colored else (MARK, MARK)
    return " ".join(f"{begin}{visible(word.text)}{end}" if word.is_marked else visible(word.text) for word in words)


HEADER: Final = ("place", "left", "match", "right", "conflict", "violated", "cost")


def match_rows(lines: Iterable[ConcordanceLine], keys: Sequence[str] = ()) -> Iterator[tuple[str, ...]]:
    """Return the rows of a table of matches, the header first; `keys` are those of the metadata that have columns."""
    yield (*HEADER, *keys)
    for line in lines:
        value = as_value(line)
        known = value["metadata"]
        yield (
            line.place,
            value["left"],
            value["match"],
            value["right"],
            " ".join(value["conflict"]),
            "; ".join(line.violated),
            f"{line.cost:g}",
            *(known.get(key, "") for key in keys),
        )


def as_csv(rows: Iterable[Sequence[str]], for_spreadsheets: bool = False) -> Iterator[str]:
    """Return rows as lines of CSV; with `for_spreadsheets` no cell is a formula."""
    for row in rows:
        text = io.StringIO()
        cells = [guarded(cell) for cell in row] if for_spreadsheets else row
        csv.writer(text, lineterminator="\n").writerow(cells)
        yield text.getvalue()


def json_line(value: Any) -> str:
    """Return a value on a line."""
    return json.dumps(value, ensure_ascii=False)


def trees_of(matches: Iterable[QueryMatch], form: Callable[[QueryMatch], str]) -> Iterator[str]:
    """Return the trees of the sentences of matches, each once."""
    last = 0
    told: set[int] = set()
    for match in matches:
        if match.sentence == last or match.sentence in told:
            continue
        last = match.sentence
        told.add(last)
        yield form(match)


def bracketed(match: QueryMatch) -> str:
    """Return the tree of a match in brackets."""
    return match.parse.to_brackets() + "\n"


def in_conllu(match: QueryMatch) -> str:
    """Return the dependencies of a match. Raises DataError where there are none."""
    return match.parse.to_conllu(match.row.stored.name)


def as_tree(match: QueryMatch, width: int, is_colored: bool) -> str:
    """Return the tree of a match in the characters of a terminal."""
    return f"{match.row.stored.name}\n{match.parse.tree(is_colored, width)}\n\n"


# MatchCounts


@report("numbat.counts/1")
def counts_report(counts: MatchCounts) -> Iterator[Part]:
    """Return counts by their keys, and those of all groups."""
    groups = Table(_columns(counts.keys), counts.groups, "groups")
    (whole,) = Table(_columns(()), (counts.whole,)).objects()
    yield Member("keys", list(counts.keys))
    if counts.keys:
        yield groups
        yield Member("whole", whole, f"in all {_counted(counts.whole)}")
        yield Lines(["in brackets: 95 % intervals, over sentences"])
    else:
        yield Member("groups", groups.objects(), _counted(counts.whole))
        yield Member("whole", whole)


def _columns(keys: Sequence[str]) -> Sequence[Column[MatchGroup]]:
    def of(at: int, key: str) -> Column[MatchGroup]:
        return Column(key, lambda group: visible(group.values[at] or "(none)"))

    return (
        *map(of, range(len(keys)), keys),
        Column(key="values", value=lambda group: dict(zip(keys, group.values, strict=True))),
        Column("matches", ",", "matches"),
        Column("sentences", ",", "sentences"),
        Column("of its sentences", lambda each: _percent(each.share), "share", lambda each: each.share._asdict()),
        Column(
            "per 1,000 words",
            lambda match_group: _number(match_group.rate),
            "per_1000_words",
            lambda each: each.rate._asdict(),
        ),
    )


def _counted(group: MatchGroup) -> str:
    return (
        f"{counted(group.matches, 'match', 'matches')} in {counted(group.sentences, 'sentence')}, "
        f"{_percent(group.share)} of the sentences, {_number(group.rate)} per 1,000 words"
    )


def _percent(found: Interval) -> str:
    return f"{100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _number(found: Interval) -> str:
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


COUNT_HEADER: Final = (
    "matches", "sentences", "share", "share_low", "share_high", "per_1000_words", "per_1000_low", "per_1000_high"
)  # fmt: skip


def count_rows(counts: MatchCounts) -> Iterator[tuple[str, ...]]:
    """Return counts as rows of a table, the header first."""
    yield (*counts.keys, *COUNT_HEADER)
    for group in counts.groups if counts.keys else (counts.whole,):
        numbers = (*group.share, *group.rate)
        yield (*group.values, str(group.matches), str(group.sentences), *(f"{number:.6g}" for number in numbers))


# Pages: a table that can be sorted by each of its columns; what a row has more is below it, to be opened


def sortable_page(
    title: str, notes: Iterable[str], header: Sequence[str], rows: Iterable[tuple[Sequence[Any], str]]
) -> str:
    """Return a page with a table. A row is its cells and the HTML that is opened below it, empty where there is none; a
    cell is text, a number, or a pair of HTML and what it is sorted by.
    """
    head = "".join(f'<th scope="col"><button type="button">{safe(name)}</button></th>' for name in header)
    body = "".join(_row(cells, more, len(header)) for cells, more in rows)
    told = "".join(f'<p class="note">{safe(note)}</p>\n' for note in notes)
    script = f'<script>\n"use strict";\n{read("sortable.js")}</script>\n'
    page = opening(title, "drawing.css", "parses.css", "sortable.css", scripts="; script-src 'unsafe-inline'")
    table = (
        f'<div class="wide" tabindex="0"><table class="sortable"><thead><tr>{head}</tr></thead>\n{body}</table></div>\n'
    )
    return f"{page}<h1>{safe(title)}</h1>\n{told}{table}{script}{END}"


def _row(cells: Sequence[Any], more: str, width: int) -> str:
    written = "".join(_cell(cell) for cell in cells)
    below = f'<tr class="more" hidden><td colspan="{width}">{more}</td></tr>' if more else ""
    opened = ' class="opens" tabindex="0"' if more else ""
    return f"<tbody><tr{opened}>{written}</tr>{below}</tbody>\n"


def _cell(cell: Any) -> str:
    if isinstance(cell, tuple):
        html, key = cell
        return f'<td data-key="{safe(str(key))}">{html}</td>'
    if isinstance(cell, int | float):
        return (
            f'<td class="number" data-key="{cell}">{cell:,.4g}</td>'
            if isinstance(cell, float)
            else f'<td class="number" data-key="{cell}">{cell:,}</td>'
        )
    return f"<td>{safe(str(cell))}</td>"


def concordance_page(query: str, store: str, lines: Iterable[ConcordanceLine], keys: Sequence[str]) -> str:
    """Return the matches of a query as a page, with the trees of the first sentences."""
    rows: list[tuple[Sequence[Any], str]] = []
    drawn: set[int] = set()
    for line in lines:
        known = line.match.row.metadata
        more = ""
        if len(drawn) < MAX_TREES or line.match.sentence in drawn:
            drawn.add(line.match.sentence)
            more = f'<div class="wide">{svg(line.match.parse, styled=False)}</div>'
        cells = [
            line.place,
            (f'<span class="left">{_html(line.left)}</span>', " ".join(w.text for w in reversed(line.left))),
            (f"<b>{_html(line.within)}</b>", " ".join(w.text for w in line.within)),
            (_html(line.right), " ".join(w.text for w in line.right)),
            "; ".join(line.violated),
            line.cost,
            *(known.get(key, "") for key in keys),
        ]
        rows.append((cells, more))
    notes = [
        f"{counted(len(rows), 'match', 'matches')} in {store}. The head of a column sorts by it, a row opens its tree."
    ]
    if len(drawn) >= MAX_TREES:
        notes.append(f"Trees are drawn for the first {MAX_TREES} sentences.")
    header = ("place", "left", "match", "right", "violated", "cost", *keys)
    return sortable_page(query, notes, header, rows)


def _html(words: Iterable[Shown]) -> str:
    return " ".join(f"<mark>{safe(word.text)}</mark>" if word.is_marked else safe(word.text) for word in words)


def sql_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Return the rows of a statement, with TABs between their cells."""
    yield "\t".join(header)
    for row in rows:
        yield "\t".join(_plain(cell) for cell in row)


def _plain(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        return cell.hex()
    return " ".join(str(cell).split()) if isinstance(cell, str) else str(cell)


# Statistics of properties

TELLING: Final = 1.96
"""From so many standard errors on a property tells a part apart."""


@report("numbat.statistics/1")
def statistics_report(found: CorpusStatistics, most: int | None = None) -> Iterator[Part]:
    """Return the properties, in the text those that are violated, the costliest first; then what tells parts apart."""
    counts = _by_cost(found)
    violations = sum(prop.violated for prop in found.properties)
    whole = (
        f"{counted(found.sentences, 'sentence')}, {counted(found.words, 'word')}; "
        f"{violations:,} violations cost {found.violation_cost:,.6g} of {found.cost:,.6g}"
    )
    properties = (
        f"{counted(len(found.properties), 'property', 'properties')}: {len(counts):,} violated, "
        f"{len(found.never_violated):,} never violated, {len(found.never_evaluated):,} never evaluated"
    )
    yield Lines([whole, properties])
    yield Members({"grammar": found.run.grammar, "digest": found.run.digest, "sentences": found.sentences})
    yield Members({"words": found.words, "cost": found.cost, "key": found.key, "parts": dict(found.parts)})
    columns: Sequence[Column[PropertyCount]] = (
        Column(key="number"),
        Column("property", "", "property", attrgetter("name")),
        Column(key="relation"),
        Column("evaluated", ",", "evaluated"),
        Column("satisfied", ",", value=attrgetter("satisfied")),
        Column("violated", ",", "violated"),
        Column(key="sentences"),
        Column(
            "share violated",
            lambda property_count: _percent(property_count.share),
            "share",
            lambda each: each.share._asdict(),
        ),
        Column("share of cost", lambda count: _part(count.cost, found.violation_cost), "cost", attrgetter("cost")),
    )
    table = Table(columns, found.properties, "properties", shown=counts[:most])
    yield Member("properties", table.objects(), ["", *table.lines()] if counts else ())
    for part, number in found.parts.items():
        named = f"{found.key} {part or '(none)'}, {counted(number, 'sentence')}"
        yield Lines(["", f"{named}: violated more than elsewhere"])
        telling = [distinction for distinction in found.distinctions if distinction.part == part and distinction.z > 0][
            : most or 10
        ]
        yield Table(DISTINCTION, telling) if telling else Lines(["nothing"])
    yield Member("distinctions", Table(DISTINCTION, found.distinctions).objects())


DISTINCTION: Final[Sequence[Column[Distinction]]] = (
    Column(key="part"),
    Column(key="number", value=attrgetter("property.number")),
    Column("property", "", value=attrgetter("property.name")),
    Column("here", ",", "violated"),
    Column("elsewhere", ",", value=attrgetter("elsewhere")),
    Column("log odds", ".2f", "log_odds"),
    Column(
        "z", lambda distinction: f"{distinction.z:.2f}{'*' if distinction.z >= TELLING else ''}", "z", attrgetter("z")
    ),
)


def _part(cost: float, of: float) -> str:
    return f"{100 * cost / of:.1f} %" if of else ""


def _by_cost(found: CorpusStatistics) -> list[PropertyCount]:
    violated = [count for count in found.properties if count.violated]
    return sorted(
        violated, key=lambda property_count: (-property_count.cost, -property_count.violated, property_count.number)
    )


def corpus_coverage_lines(found: CorpusStatistics) -> Iterator[str]:
    """Return which properties the sentences of a store never evaluate, and which they never violate."""
    evaluated = len(found.properties) - len(found.never_evaluated)
    violated = evaluated - len(found.never_violated)
    every = counted(len(found.properties), "property", "properties")
    yield f"{every}: {evaluated:,} evaluated, {violated:,} violated in {counted(found.sentences, 'sentence')}"
    for what, properties in (("never evaluated", found.never_evaluated), ("never violated", found.never_violated)):
        yield ""
        yield f"{what}: {len(properties):,}"
        yield from (f"  {count.name}" for count in properties)


STATISTICS_HEADER: Final = (
    "property", "relation", "evaluated", "satisfied", "violated", "sentences", "share", "share_low", "share_high",
    "cost",
)  # fmt: skip


def statistics_rows(found: CorpusStatistics) -> Iterator[tuple[str, ...]]:
    """Return a row for each property, the header first; with a key the violations, log odds and z of each part."""
    parts = list(found.parts)
    of_part = {(distinction.part, distinction.property.number): distinction for distinction in found.distinctions}
    yield (*STATISTICS_HEADER, *(f"{what} {part}" for part in parts for what in ("violated", "log_odds", "z")))
    for count in found.properties:
        numbers: list[str] = []
        for part in parts:
            own = of_part.get((part, count.number))
            numbers += ["", "", ""] if own is None else [str(own.violated), f"{own.log_odds:.4f}", f"{own.z:.3f}"]
        counts = (count.evaluated, count.satisfied, count.violated, count.sentences)
        shares = (f"{number:.6g}" for number in (*count.share, count.cost))
        yield (count.name, count.relation, *map(str, counts), *shares, *numbers)


def statistics_page(title: str, found: CorpusStatistics, example: Callable[[int], tuple[str, str]]) -> str:
    """Return a page with a row for each property that was evaluated; `example` tells of a sentence."""
    of_part: dict[int, list[Distinction]] = {}
    for each in found.distinctions:
        of_part.setdefault(each.property.number, []).append(each)
    most = max((count.cost for count in found.properties), default=0) or 1
    rows: list[tuple[Sequence[Any], str]] = []
    for prop in [*_by_cost(found), *found.never_violated]:
        bar = f'<span class="bar" style="width: {8 * prop.cost / most:.2f}em"></span> {prop.cost:,.6g}'
        odds = {distinction.part: distinction for distinction in of_part.get(prop.number, ())}
        cells = [
            prop.name,
            prop.relation,
            prop.evaluated,
            prop.violated,
            (safe(_percent(prop.share)), prop.share.value),
            (bar, prop.cost),
            *(
                (f"{odds[part].violated:,} ({odds[part].z:+.1f})", odds[part].z) if part in odds else ("", 0.0)
                for part in found.parts
            ),
        ]
        shown = (example(number) for number in prop.examples)
        more = "".join(f"<li>{safe(place)}: {safe(text)}</li>" for place, text in shown)
        rows.append((cells, f"<ul>{more}</ul>" if more else ""))
    notes = [
        f"{counted(found.sentences, 'sentence')}, {counted(found.words, 'word')}. A column sorts by its head, a row "
        "opens the first sentences that violate the property.",
        f"{len(found.never_evaluated):,} properties were never evaluated.",
    ]
    if found.parts:
        notes.append(
            "In the columns of parts: violations, and in brackets the log odds against elsewhere in standard errors."
        )
    header = (
        "property",
        "relation",
        "evaluated",
        "violated",
        "share violated",
        "cost",
        *(p or "(none)" for p in found.parts),
    )
    return sortable_page(title, notes, header, rows)


# Comparisons of two runs


def comparison_lines(found: StoreComparison, store: StoreReader, most: int | None = None) -> Iterator[str]:
    """Return how two runs differ, the largest changes first; examples are places of sentences."""
    first, second = found.runs
    yield "; ".join(f"run {run.number}, by {run.grammar} {run.digest[:8]}" for run in (first, second))
    yield (
        f"{counted(found.sentences, 'sentence')} in both, {found.alone[0]:,} and {found.alone[1]:,} in one alone; "
        f"{found.trees:,} trees and {found.costs:,} costs differ"
    )
    yield f"full trees: {found.full[0]:,} and {found.full[1]:,}; costs: {found.cost[0]:,.6g} and {found.cost[1]:,.6g}"
    if found.properties:
        yield ""
        rows = [["violated property", "before", "after", "fewer in", "more in", "as in"]]
        for change in found.properties[: most or len(found.properties)]:
            example = store.sentence(change.examples[0]).stored.name
            numbers = (change.before, change.after, change.fewer, change.more)
            rows.append([change.name, *(f"{number:,}" for number in numbers), visible(example)])
        yield from aligned(rows)
    if found.constituents:
        yield ""
        rows = [["constituents", "only before", "only after"]]
        rows += [[name, f"{before:,}", f"{after:,}"] for name, before, after in found.constituents[:most]]
        yield from aligned(rows)
    for mine, _ in found.worst:
        stored = store.sentence(mine).stored
        yield f"changed most: {visible(stored.name)}: {visible(stored.text)}"


def match_comparison_lines(
    found: MatchComparison,
    stores: tuple[StoreReader, StoreReader],
    queries: tuple[Query, Query],
    most: int | None = None,
    context: int = CONTEXT,
) -> Iterator[str]:
    """Return the matches of a query that one of two runs has alone, as concordances."""
    alone = f"{len(found.before):,} in the first alone, {len(found.after):,} in the second alone"
    yield f"{found.both:,} matches in both, {alone}"
    for mark, store, query, places in zip("-+", stores, queries, (found.before, found.after), strict=True):
        properties = texts_of(store, query.run)
        for sentence, nodes in places[:most]:
            line = line_of(store, query, QueryMatch(store, sentence, nodes, query.names), properties)
            yield f"{mark} {concordance_line(line, context)}"
