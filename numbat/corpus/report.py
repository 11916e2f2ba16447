"""Print answers from a store as text, tables, JSON and pages: concordances, counts, statistics, comparisons."""

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
    from numbat.corpus.statistics import CorpusStatistics, Distinction, PropertyCount, ViolationEvidence

CONTEXT: Final = 40
"""Number of columns of text that a concordance line shows before and after the match."""
MARK: Final = "*"
CONFLICT: Final = "\x1b[31m"
PLAIN: Final = "\x1b[0m"
MAX_TREES: Final = 300
"""Maximum number of trees on a page; more would open slowly."""


# Concordances


def concordance_line(line: ConcordanceLine, context: int = CONTEXT, is_colored: bool = False) -> str:
    """Return a match as a line of text: its place, the words before, the match in brackets, the words after.

    Marked words are between asterisks, or in colour if `is_colored`.
    """
    left, right = _cut(line.left, context, at_end=False), _cut(line.right, context, at_end=True)
    before, within, after = (_words(words, is_colored) for words in (left, line.within, right))
    padding = " " * max(0, context - columns(_words(left, False)))
    violated = f"  ({'; '.join(line.violated)})" if line.violated else ""
    return f"{visible(line.place)}  {padding}{before} [{within}] {after}".rstrip() + violated


def _cut(words: Sequence[Shown], width: int, at_end: bool) -> list[Shown]:
    """Return as many words as fit into `width` columns: the last ones if `at_end`, else the first."""
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
    """Yield the rows of a table of matches, the header first, with a column for each of the metadata `keys`."""
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
    """Yield rows as lines of CSV; with `for_spreadsheets`, no cell can be taken for a formula."""
    for row in rows:
        text = io.StringIO()
        cells = [guarded(cell) for cell in row] if for_spreadsheets else row
        csv.writer(text, lineterminator="\n").writerow(cells)
        yield text.getvalue()


def json_line(value: Any) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False)


def trees_of(matches: Iterable[QueryMatch], form: Callable[[QueryMatch], str]) -> Iterator[str]:
    """Yield the tree of each sentence that has a match, once per sentence; `form` writes the tree."""
    last = 0
    printed: set[int] = set()
    for match in matches:
        if match.sentence == last or match.sentence in printed:
            continue
        last = match.sentence
        printed.add(last)
        yield form(match)


def bracketed(match: QueryMatch) -> str:
    """Return the tree of a match's sentence in brackets."""
    return match.parse.to_brackets() + "\n"


def in_conllu(match: QueryMatch) -> str:
    """Return the dependencies of a match's sentence in CoNLL-U. Raises DataError if they cannot be derived."""
    return match.parse.to_conllu(match.row.stored.name)


def as_tree(match: QueryMatch, width: int, is_colored: bool) -> str:
    """Return the name of a match's sentence and its tree drawn in characters, at most `width` columns wide."""
    return f"{match.row.stored.name}\n{match.parse.tree(is_colored, width)}\n\n"


# Counts


@report("numbat.counts/1")
def counts_report(counts: MatchCounts) -> Iterator[Part]:
    """Yield the counts of each group, and of all groups together."""
    groups = Table(_columns(counts.keys), counts.groups, "groups")
    (whole,) = Table(_columns(()), (counts.whole,)).objects()
    yield Member("keys", list(counts.keys))
    if counts.keys:
        yield groups
        yield Member("whole", whole, f"in all {_counted(counts.whole)}")
        yield Lines(["in brackets: 95 % intervals over sentences"])
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
        Column("of its sentences", lambda group: _percent(group.share), "share", lambda group: group.share._asdict()),
        Column(
            "per 1,000 words", lambda group: _number(group.rate), "per_1000_words", lambda group: group.rate._asdict()
        ),
    )


def _counted(group: MatchGroup) -> str:
    return (
        f"{counted(group.matches, 'match', 'matches')} in {counted(group.sentences, 'sentence')}, "
        f"{_percent(group.share)} of the sentences, {_number(group.rate)} per 1,000 words"
    )


def _percent(interval: Interval) -> str:
    return f"{100 * interval.value:.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def _number(interval: Interval) -> str:
    return f"{interval.value:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


COUNT_HEADER: Final = (
    "matches", "sentences", "share", "share_low", "share_high", "per_1000_words", "per_1000_low", "per_1000_high"
)  # fmt: skip


def count_rows(counts: MatchCounts) -> Iterator[tuple[str, ...]]:
    """Yield counts as rows of a table, the header first."""
    yield (*counts.keys, *COUNT_HEADER)
    for group in counts.groups if counts.keys else (counts.whole,):
        numbers = (*group.share, *group.rate)
        yield (*group.values, str(group.matches), str(group.sentences), *(f"{number:.6g}" for number in numbers))


# Pages with a table that can be sorted by any column; a click on a row opens its details below


def sortable_page(
    title: str, notes: Iterable[str], header: Sequence[str], rows: Iterable[tuple[Sequence[Any], str]]
) -> str:
    """Return a page with notes and a table that can be sorted by any column.

    A row is a pair of its cells and the HTML that a click opens below the row, which may be empty. A cell is a text, a
    number, or a pair of HTML and the value to sort by.
    """
    head = "".join(f'<th scope="col"><button type="button">{safe(name)}</button></th>' for name in header)
    body = "".join(_row(cells, more, len(header)) for cells, more in rows)
    paragraphs = "".join(f"<p>{safe(note)}</p>\n" for note in notes)
    script = f'<script>\n"use strict";\n{read("sortable.js")}</script>\n'
    page = opening(title, "drawing.css", "parses.css", "sortable.css", scripts="; script-src 'unsafe-inline'")
    table = (
        f'<div class="wide" tabindex="0"><table class="sortable"><thead><tr>{head}</tr></thead>\n{body}</table></div>\n'
    )
    return f"{page}<h1>{safe(title)}</h1>\n{paragraphs}{table}{script}{END}"


def _row(cells: Sequence[Any], more: str, width: int) -> str:
    written = "".join(_cell(cell) for cell in cells)
    below = f'<tr class="more" hidden><td colspan="{width}">{more}</td></tr>' if more else ""
    opened = ' class="opens" tabindex="0"' if more else ""
    return f"<tbody><tr{opened}>{written}</tr>{below}</tbody>\n"


def _cell(cell: Any) -> str:
    if isinstance(cell, tuple):
        html, key = cell
        figure = ' class="figure"' if isinstance(key, int | float) else ""
        return f'<td{figure} data-key="{safe(str(key))}">{html}</td>'
    if isinstance(cell, int | float):
        return (
            f'<td class="number" data-key="{cell}">{cell:,.4g}</td>'
            if isinstance(cell, float)
            else f'<td class="number" data-key="{cell}">{cell:,}</td>'
        )
    return f"<td>{safe(str(cell))}</td>"


def concordance_page(query: str, store: str, lines: Iterable[ConcordanceLine], keys: Sequence[str]) -> str:
    """Return a page with the matches of a query and the trees of the first MAX_TREES sentences."""
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
    matches = counted(len(rows), "match", "matches")
    notes = [f"{matches} in {store}. Click a column head to sort by it, a row to open its tree."]
    if len(drawn) >= MAX_TREES:
        notes.append(f"Trees are drawn for the first {MAX_TREES} sentences.")
    header = ("place", "left", "match", "right", "violated", "cost", *keys)
    return sortable_page(query, notes, header, rows)


def _html(words: Iterable[Shown]) -> str:
    return " ".join(f"<mark>{safe(word.text)}</mark>" if word.is_marked else safe(word.text) for word in words)


def sql_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the rows of an SQL statement, with TABs between the cells."""
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
"""A property distinguishes a part of a corpus from this number of standard errors on."""


@report("numbat.statistics/1")
def statistics_report(stats: CorpusStatistics, most: int | None = None) -> Iterator[Part]:
    """Yield a report on all properties, then on those that distinguish parts of the corpus.

    The text lists only violated properties, the costliest first, and at most `most` of each kind.
    """
    counts = _by_cost(stats)
    violations = sum(prop.violated for prop in stats.properties)
    whole = (
        f"{counted(stats.sentences, 'sentence')}, {counted(stats.words, 'word')}; "
        f"{violations:,} violations cost {stats.violation_cost:,.6g} of {stats.cost:,.6g}"
    )
    properties = (
        f"{counted(len(stats.properties), 'property', 'properties')}: {len(counts):,} violated, "
        f"{len(stats.never_violated):,} never violated, {len(stats.never_evaluated):,} never evaluated"
    )
    yield Lines([whole, properties])
    yield Members({"grammar": stats.run.grammar, "digest": stats.run.digest, "sentences": stats.sentences})
    yield Members({"words": stats.words, "cost": stats.cost, "key": stats.key, "parts": dict(stats.parts)})
    columns: Sequence[Column[PropertyCount]] = (
        Column(key="number"),
        Column("property", "", "property", attrgetter("name")),
        Column(key="relation"),
        Column("evaluated", ",", "evaluated"),
        Column("satisfied", ",", value=attrgetter("satisfied")),
        Column("violated", ",", "violated"),
        Column(key="sentences"),
        Column("share violated", lambda one: _percent(one.share), "share", lambda one: one.share._asdict()),
        Column("share of cost", lambda count: _part(count.cost, stats.violation_cost), "cost", attrgetter("cost")),
    )
    table = Table(columns, stats.properties, "properties", shown=counts[:most])
    yield Member("properties", table.objects(), ["", *table.lines()] if counts else ())
    for part, number in stats.parts.items():
        named = f"{stats.key} {part or '(none)'}, {counted(number, 'sentence')}"
        yield Lines(["", f"{named}: violated more than elsewhere"])
        telling = [contrast for contrast in stats.distinctions if contrast.part == part and contrast.z > 0]
        yield Table(DISTINCTION, telling[: most or 10]) if telling else Lines(["nothing"])
    yield Member("distinctions", Table(DISTINCTION, stats.distinctions).objects())
    if stats.wrong is not None:
        wrong = stats.parts[stats.wrong]
        others = stats.sentences - wrong - stats.parts.get("", 0)
        numbers = f"{wrong:,} wrong sentences ({stats.key} {stats.wrong}) and {others:,} others"
        yield Lines(["", f"{numbers}: what a violation tells, those that tell least first"])
        yield Table(EVIDENCE, stats.evidence[: most or len(stats.evidence)])
        yield Lines([f"precision: {PRECISION}"])
        yield Members({"wrong": stats.wrong})
        yield Member("evidence", Table(EVIDENCE, stats.evidence).objects())


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


EVIDENCE: Final[Sequence[Column[ViolationEvidence]]] = (
    Column(key="number", value=attrgetter("property.number")),
    Column("property", "", value=attrgetter("property.name")),
    Column("in wrong ones", ",", "wrong"),
    Column("in others", ",", "other"),
    Column("precision", lambda one: _percent(one.precision), "precision", lambda one: one.precision._asdict()),
    Column("log ratio", lambda one: f"{one.log_ratio.value:.2f}", "log_ratio", lambda one: one.log_ratio._asdict()),
    Column("cost", ",.6g", value=attrgetter("property.cost_of_one")),
)


PRECISION: Final = "of as many wrong sentences as others, the share of wrong ones among those that violate"


def _precision(one: ViolationEvidence | None) -> tuple[str, float]:
    """Return the cell of what a violation tells, with the value to sort by: a property without violations is last."""
    return ("", 2.0) if one is None else (safe(_percent(one.precision)), one.precision.value)


def _part(cost: float, of: float) -> str:
    return f"{100 * cost / of:.1f} %" if of else ""


def _by_cost(stats: CorpusStatistics) -> list[PropertyCount]:
    violated = [count for count in stats.properties if count.violated]
    return sorted(violated, key=lambda count: (-count.cost, -count.violated, count.number))


def corpus_coverage_lines(stats: CorpusStatistics) -> Iterator[str]:
    """Yield lines on the properties that are never evaluated in a store, and on those that are never violated."""
    evaluated = len(stats.properties) - len(stats.never_evaluated)
    violated = evaluated - len(stats.never_violated)
    every = counted(len(stats.properties), "property", "properties")
    yield f"{every}: {evaluated:,} evaluated, {violated:,} violated in {counted(stats.sentences, 'sentence')}"
    for what, properties in (("never evaluated", stats.never_evaluated), ("never violated", stats.never_violated)):
        yield ""
        yield f"{what}: {len(properties):,}"
        yield from (f"  {count.name}" for count in properties)


STATISTICS_HEADER: Final = (
    "property", "relation", "evaluated", "satisfied", "violated", "sentences", "share", "share_low", "share_high",
    "cost",
)  # fmt: skip


def statistics_rows(stats: CorpusStatistics) -> Iterator[tuple[str, ...]]:
    """Yield a row for each property, the header first; if there are parts, with violations, log odds and z in each.

    If wrong sentences are marked, the last columns say what a violation tells.
    """
    parts = list(stats.parts)
    telling = {one.property.number: one for one in stats.evidence}
    of_part = {(distinction.part, distinction.property.number): distinction for distinction in stats.distinctions}
    of_parts = (f"{what} {part}" for part in parts for what in ("violated", "log_odds", "z"))
    yield (*STATISTICS_HEADER, *of_parts, *(EVIDENCE_HEADER if stats.wrong is not None else ()))
    for count in stats.properties:
        numbers: list[str] = []
        for part in parts:
            odds = of_part.get((part, count.number))
            numbers += ["", "", ""] if odds is None else [str(odds.violated), f"{odds.log_odds:.4f}", f"{odds.z:.3f}"]
        counts = (count.evaluated, count.satisfied, count.violated, count.sentences)
        shares = (f"{number:.6g}" for number in (*count.share, count.cost))
        if stats.wrong is not None:
            numbers += _evidence_cells(telling.get(count.number))
        yield (count.name, count.relation, *map(str, counts), *shares, *numbers)


EVIDENCE_HEADER: Final = (
    "in_wrong", "in_others", "precision", "precision_low", "precision_high",
    "log_ratio", "log_ratio_low", "log_ratio_high",
)  # fmt: skip


def _evidence_cells(one: ViolationEvidence | None) -> list[str]:
    """Return the cells of `EVIDENCE_HEADER`, empty for a property that no sentence violates."""
    if one is None:
        return [""] * len(EVIDENCE_HEADER)
    return [str(one.wrong), str(one.other), *(f"{number:.6g}" for number in (*one.precision, *one.log_ratio))]


def statistics_page(title: str, stats: CorpusStatistics, example: Callable[[int], tuple[str, str]]) -> str:
    """Return a page with a row for each property that was evaluated.

    `example` returns place and text of the sentence with a number.
    """
    of_part: dict[int, list[Distinction]] = {}
    for distinction in stats.distinctions:
        of_part.setdefault(distinction.property.number, []).append(distinction)
    telling = {one.property.number: one for one in stats.evidence}
    most = max((count.cost for count in stats.properties), default=0) or 1
    rows: list[tuple[Sequence[Any], str]] = []
    for prop in [*_by_cost(stats), *stats.never_violated]:
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
                for part in stats.parts
            ),
            *((_precision(telling.get(prop.number)),) if stats.wrong is not None else ()),
        ]
        shown = (example(number) for number in prop.examples)
        more = "".join(f"<li>{safe(place)}: {safe(text)}</li>" for place, text in shown)
        rows.append((cells, f"<ul>{more}</ul>" if more else ""))
    notes = [
        f"{counted(stats.sentences, 'sentence')}, {counted(stats.words, 'word')}. Click a column head to "
        "sort by it, a row to open the first sentences that violate the property.",
        f"{len(stats.never_evaluated):,} properties were never evaluated.",
    ]
    if stats.parts:
        notes.append(
            "Columns of parts show violations, and in brackets the log odds against other parts in standard errors."
        )
    if stats.wrong is not None:
        notes.append(f"Precision: {PRECISION}. Wrong are those with {stats.key} {stats.wrong}.")
    header = (
        "property",
        "relation",
        "evaluated",
        "violated",
        "share violated",
        "cost",
        *(p or "(none)" for p in stats.parts),
        *(("precision",) if stats.wrong is not None else ()),
    )
    return sortable_page(title, notes, header, rows)


# Comparisons of two runs


def comparison_lines(comparison: StoreComparison, store: StoreReader, most: int | None = None) -> Iterator[str]:
    """Yield lines on how two runs differ, the largest changes first; `store` has the sentences given as examples."""
    first, second = comparison.runs
    yield "; ".join(f"run {run.number}, by {run.grammar} {run.digest[:8]}" for run in (first, second))
    alone, full, cost = comparison.alone, comparison.full, comparison.cost
    yield (
        f"{counted(comparison.sentences, 'sentence')} in both, {alone[0]:,} and {alone[1]:,} in one only; "
        f"{comparison.trees:,} trees and {comparison.costs:,} costs differ"
    )
    yield f"full trees: {full[0]:,} and {full[1]:,}; costs: {cost[0]:,.6g} and {cost[1]:,.6g}"
    if comparison.properties:
        yield ""
        rows = [["violated property", "before", "after", "fewer in", "more in", "as in"]]
        for change in comparison.properties[: most or len(comparison.properties)]:
            example = store.sentence(change.examples[0]).stored.name
            numbers = (change.before, change.after, change.fewer, change.more)
            rows.append([change.name, *(f"{number:,}" for number in numbers), visible(example)])
        yield from aligned(rows)
    if comparison.constituents:
        yield ""
        rows = [["constituents", "only before", "only after"]]
        rows += [[name, f"{before:,}", f"{after:,}"] for name, before, after in comparison.constituents[:most]]
        yield from aligned(rows)
    for mine, _ in comparison.worst:
        stored = store.sentence(mine).stored
        yield f"changed most: {visible(stored.name)}: {visible(stored.text)}"


def match_comparison_lines(
    comparison: MatchComparison,
    stores: tuple[StoreReader, StoreReader],
    queries: tuple[Query, Query],
    most: int | None = None,
    context: int = CONTEXT,
) -> Iterator[str]:
    """Yield, as concordance lines, the matches of a query that only one of two runs has, at most `most` from each."""
    alone = f"{len(comparison.before):,} only in the first, {len(comparison.after):,} only in the second"
    yield f"{comparison.both:,} matches in both, {alone}"
    for mark, store, query, places in zip("-+", stores, queries, (comparison.before, comparison.after), strict=True):
        properties = texts_of(store, query.run)
        for sentence, nodes in places[:most]:
            line = line_of(store, query, QueryMatch(store, sentence, nodes, query.names), properties)
            yield f"{mark} {concordance_line(line, context)}"
