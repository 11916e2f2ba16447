"""What a notebook shows of a result: tables and drawings as HTML, light or dark as the reader's system is; text.

`records.Displayed` looks results up in `DISPLAYS` by their class, so that a package below this one needs to know
nothing of HTML. The text is that of the verb which gives such a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from numbat.acceptability.comparison import Comparison, Coverage, ScoreChange
from numbat.acceptability.comparison_report import comparison_lines, coverage_lines, foremost, overall_lines
from numbat.acceptability.models import figure
from numbat.acceptability.reasons import repair_lines
from numbat.acceptability.repair import Repair, RepairedSentence, Repairs
from numbat.acceptability.suite_report import (
    FURTHEST,
    ceiling_line,
    figure_or_dash,
    is_compared,
    marked,
    missing_intervals,
    phenomena_rows,
    reach,
    statistics_rows,
    text_lines,
    worst_residuals,
)
from numbat.acceptability.summary import Experiment
from numbat.acceptability.verdicts import unknown_in_all
from numbat.authoring.report import summary_lines
from numbat.errors import counted, visible
from numbat.grammar.model import Grammar
from numbat.grammar.printing import header
from numbat.grammar.properties import format_number, format_property
from numbat.parsing.result import Parse, Parses
from numbat.reports.pages import drawn, safe, stand_alone, svg

MOST: Final = 20
"""So many parses, changed sentences or repairs are shown; how many others there are is said."""
CLASS_N: Final = ' class="n"'


class Display(NamedTuple):
    """The two forms of a result: HTML without its frame, and lines of text."""

    html: Callable[[Any], Iterable[str]]
    lines: Callable[[Any], Iterable[str]]


def html_of(result: object) -> str:
    """Return a result as a piece of HTML that brings its style along."""
    body = "\n".join(_display(result).html(result))
    return f'<div class="numbat-result">\n<style>\n{_style()}\n</style>\n{body}\n</div>'


def text_of(result: object) -> str:
    """Return a result as lines of text."""
    return "\n".join(_display(result).lines(result))


def _display(result: object) -> Display:
    return next(display for kind, display in DISPLAYS.items() if isinstance(result, kind))


@cache
def _style() -> str:
    return f"{stand_alone('display.css')}\n{stand_alone('drawing.css')}"


def _table(rows: Iterable[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """Return rows as a table, the first one as its head, unless it is empty; the last `numbers` columns are set to the
    right.
    """
    head, *others = rows
    yield "<table>"
    for kind, row in (*([("th", head)] if any(head) else []), *(("td", row) for row in others)):
        first = len(row) - numbers
        cells = (f"<{kind}{CLASS_N if i >= first else ''}>{safe(cell)}</{kind}>" for i, cell in enumerate(row))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</table>"


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{safe(text)}</p>' if kind else f"<p>{safe(text)}</p>"


def _others(number: int, what: str) -> Iterator[str]:
    """Say how many of a kind are not shown."""
    if number > MOST:
        yield f"and {counted(number - MOST, f'other {what}')}"


def _drawing(parse: Parse) -> str:
    return f'<div class="wide">{svg(parse, styled=False)}</div>'


# Grammars


def _grammar(grammar: Grammar) -> Iterator[str]:
    """The header, then each construction, which opens to show its properties."""
    yield f"<h4>{safe(grammar.title)}</h4>"
    sizes = [("constructions", f"{len(grammar.constructions):,}"), ("properties", f"{len(grammar.properties):,}")]
    sizes += [("forms", f"{len(grammar.lexicon):,}"), ("fragment cost", format_number(grammar.fragment_cost))]
    yield from _table([("", ""), *(pair for pair in header(grammar) if pair[1]), *sizes])
    for construction in grammar.constructions:
        name = construction.name + (f" ({construction.title})" if construction.title else "")
        number = counted(len(construction.properties), "property", "properties")
        yield f"<details><summary>{safe(name)}: {number}</summary>"
        rows = [("relation", "property", "line", "weight", "cost")]
        rows += [
            (
                prop.type + (", hard" if prop.hard else ""),
                format_property(prop),
                prop.place,
                format_number(prop.weight),
                format_number(prop.cost),
            )
            for prop in construction.properties
        ]
        yield from _table(rows, 2)
        yield "</details>"


# Parses


def _parses(parses: Parses) -> Iterator[str]:
    """Each parse, which opens to show its drawing; the first one is open."""
    yield _paragraph(counted(len(parses), "parse"))
    for number, parse in enumerate(parses[:MOST]):
        opened = ' open="open"' * (number == 0)
        yield f"<details{opened}><summary>{safe(f'{parse.rank}. {parse.to_brackets()}')}</summary>"
        yield drawn(parse)
        yield "</details>"
    yield from (_paragraph(others, "faint") for others in _others(len(parses), "parse"))


def _parses_lines(parses: Parses) -> Iterator[str]:
    yield counted(len(parses), "parse")
    yield from (f"{parse.rank}. {parse.to_brackets()}  {parse.summary()}" for parse in parses[:MOST])
    yield from _others(len(parses), "parse")


# Reports, comparisons, coverage


def _report(made: Experiment) -> Iterator[str]:
    """The statistics of each predictor, then the phenomena, then the sentences furthest from the judgements."""
    suite = made.suite
    yield f"<h4>{safe(suite.name)}</h4>"
    yield _paragraph(f"{counted(len(made.items), 'sentence')}, {suite.kind}{suite.means}")
    yield _paragraph(f"grammar {made.grammar}, model {made.model}, weights {made.weights}")
    yield _paragraph(f"{counted(made.full, 'full parse')}, {made.well_formed:,} of them well formed")
    yield from _notes((*made.foremost, *made.notes))
    if is_compared(made):
        rows = statistics_rows(made)
        yield from _table(rows, len(rows[0]) - 1)
    if made.ceiling is not None:
        yield _paragraph(ceiling_line(made.ceiling), "faint")
    phenomena = phenomena_rows(made)
    if len(phenomena) > 1:
        yield from _table(phenomena, 4)
    yield from (_paragraph(told, "faint") for told in (reach(made), *missing_intervals(made)) if told)
    if worst := worst_residuals(made):
        yield _paragraph(FURTHEST)
        for each in worst:
            yield f"<details><summary>{safe(f'{each.value:+.2f}  {marked(each.scored)}')}</summary>"
            yield drawn(each.scored.parse)
            yield "</details>"


def _notes(notes: Iterable[str]) -> Iterator[str]:
    return (_paragraph(note, "note") for note in notes)


def _comparison(compared: Comparison) -> Iterator[str]:
    """How many sentences changed, then each of them, which opens to show both trees."""
    changes = compared.changes
    yield from _notes(foremost(compared.after))
    yield from map(_paragraph, overall_lines(compared))
    for change in changes[:MOST]:
        yield from _change(change)
    yield from (_paragraph(others, "faint") for others in _others(len(changes), "changed sentence"))
    yield from (_paragraph(f"lost: {each}", "bad") for each in compared.lost)


def _change(change: ScoreChange) -> Iterator[str]:
    kind = {True: "good", False: "bad", None: "faint"}[change.is_better]
    scores = f"{figure_or_dash(change.before.value)} → {figure_or_dash(change.after.value)}"
    said = safe(f"{change.item.id}: {change.item.star}{change.item.sentence}")
    yield f'<details><summary>{said} <span class="{kind}">{safe(scores)}</span></summary>'
    yield from (_paragraph(f"✗ {name}", "bad") for name in change.gained)
    yield from (_paragraph(f"✓ {name}, no longer violated", "good") for name in change.lost)
    for scored in (change.before, change.after):
        yield _drawing(scored.parse)
    yield "</details>"


def _coverage(covered: Coverage) -> Iterator[str]:
    """The properties that were evaluated, then those that never were."""
    tested = [each for each in covered.properties if each.satisfied + each.violated + each.undecided]
    untested = [each.property for each in covered.properties if not each.satisfied + each.violated + each.undecided]
    yield from _notes(foremost(covered.items))
    of = f"{len(tested)} of {counted(len(covered.properties), 'property', 'properties')}"
    yield _paragraph(f"{of} evaluated by {counted(len(covered.items), 'sentence')}")
    rows: list[Sequence[str]] = [
        ("construction", "property", "line", "satisfied", "violated", "in good", "in bad", "undecided")
    ]
    rows += [
        (
            each.property.construction,
            format_property(each.property),
            each.property.place,
            *map(str, (each.satisfied, each.violated, each.good, each.bad, each.undecided)),
        )
        for each in tested
    ]
    yield from _table(rows, 5)
    if untested:
        yield f"<details><summary>never evaluated: {len(untested)}</summary>"
        named = ((each.construction, format_property(each), each.place) for each in untested)
        yield from _table([("construction", "property", "line"), *named])
        yield "</details>"
    yield from map(_paragraph, unknown_in_all([each.parse for each in covered.items]))


# Repairs


def _repairs(repairs: Repairs) -> Iterator[str]:
    """Each repair with what it gains and the sentence that it makes."""
    if repairs:
        rows = [("edits", "sentence", "still violated", "gain an edit")]
        rows += [
            (_edits(each), each.sentence, str(len(each.parse.violated)), figure(each.gain_per_edit))
            for each in repairs[:MOST]
        ]
        yield from _table(rows, 2)
    yield from (_paragraph(others, "faint") for others in _others(len(repairs), "repair"))
    yield from _notes(_end(repairs))


def _repairs_lines(repairs: Repairs) -> Iterator[str]:
    for each in repairs[:MOST]:
        yield f"{figure(each.gain_per_edit):>7} an edit: {_edits(each)}"
        yield f"{'':9}{visible(each.sentence)}"
    yield from _others(len(repairs), "repair")
    yield from _end(repairs)


def _edits(repair: Repair) -> str:
    return ", then ".join(edit.says for edit in repair.edits)


def _end(repairs: Repairs) -> Iterator[str]:
    """Say that there are no repairs, or that a limit may have kept some away."""
    if repairs.stopped_by:
        before = f"the limit on {repairs.stopped_by}"
        yield (
            f"stopped by {before}: other edits may gain more"
            if repairs
            else f"no edit that betters the score was found before {before}"
        )
    elif not repairs:
        yield "no edit betters the score"


def _repaired(repaired: RepairedSentence) -> Iterator[str]:
    yield _paragraph(f"{repaired.score.model} {figure(repaired.score.value)}: {repaired.parse.sentence}")
    yield _drawing(repaired.parse)
    yield from _repairs(repaired.repairs)


DISPLAYS: Final[dict[type, Display]] = {
    Grammar: Display(_grammar, summary_lines),
    Parses: Display(_parses, _parses_lines),
    Experiment: Display(_report, text_lines),
    Comparison: Display(_comparison, comparison_lines),
    Coverage: Display(_coverage, coverage_lines),
    RepairedSentence: Display(_repaired, repair_lines),
    Repairs: Display(_repairs, _repairs_lines),
}
"""How each kind of result is shown."""
