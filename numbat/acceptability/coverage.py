"""Coverage of a grammar by a suite: which properties the suite evaluates, satisfies and violates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar

from numbat.acceptability.verdicts import (
    LostItem,
    ScoredItem,
    foremost,
    lost_items,
    unknown_in_all,
    violated_by_known_words,
)
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_named, format_property
from numbat.markup import Displayed
from numbat.parsing.analysis import check_grammar
from numbat.records import frozen
from numbat.reports.answers import PROPERTY
from numbat.reports.report import Column, Lines, Member, Members, Part, Table, cautions, report


@frozen
class PropertyCoverage:
    """Counts of evaluations of a property on a suite: `good` and `bad` count violations in good and bad sentences.

    Violations that involve unknown words are `undecided` and not counted elsewhere.
    """

    property: Property
    satisfied: int
    violated: int
    good: int
    bad: int
    undecided: int = 0

    def is_evaluated(self) -> bool:
        """True if the property was satisfied or violated somewhere."""
        return bool(self.satisfied + self.violated + self.undecided)


@frozen
class Coverage(Displayed):
    """The coverage of every property of a grammar by a suite, and the items of the suite."""

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    properties: tuple[PropertyCoverage, ...]
    items: tuple[ScoredItem, ...]


def coverage(items: Sequence[ScoredItem], grammar: Grammar, count_undecided: bool = False) -> list[PropertyCoverage]:
    """Return the coverage of every property of the grammar, in the order of the grammar.

    With `count_undecided`, violations that involve unknown words count as violations. Parses may have been made in
    another process. Raises DataError for a parse by another grammar.
    """
    counts: Counter[tuple[int, str]] = Counter()
    for scored in items:
        check_grammar(scored.parse, grammar)
        kind = {True: "good", False: "bad", None: ""}[scored.item.is_good]
        parse = scored.parse
        satisfied, violated = (
            [parse.number_of(e.property) for e in violations] for violations in (parse.satisfied, parse.violated)
        )
        known = parse.violated if count_undecided else violated_by_known_words(parse)
        decided = [parse.number_of(evaluated.property) for evaluated in known]
        undecided = Counter(violated) - Counter(decided)
        named = (("satisfied", satisfied), ("violated", decided), (kind, decided), ("undecided", undecided.elements()))
        counts.update((number, name) for name, numbers in named for number in numbers)
    names = ("satisfied", "violated", "good", "bad", "undecided")
    return [PropertyCoverage(prop, *(counts[i, name] for name in names)) for i, prop in enumerate(grammar.properties)]


# The report


@report("numbat.coverage/1")
def coverage_report(
    covered: Coverage, suite: str, notes: Sequence[str] = (), lost: Sequence[LostItem] = ()
) -> Iterator[Part]:
    """Return a table of evaluated properties, then those never evaluated and unknown words; `notes` are the suite's."""
    properties, items = covered.properties, covered.items
    tested = [prop for prop in properties if prop.is_evaluated()]
    violated = sum(bool(covered_property.violated) for covered_property in tested)
    yield Member("suite", suite)
    cautioned = [*foremost(items), *notes]
    yield Member("notes", cautioned, cautions(cautioned))
    yield Members({"sentences": len(items), "evaluated": len(tested), "violated": violated})
    yield Lines([f"{len(tested)} of {len(properties)} properties evaluated, {violated} of them violated somewhere", ""])
    yield Table(_columns(any(prop.undecided for prop in tested)), properties, "properties", shown=tested)
    untested = [prop.property for prop in properties if not prop.is_evaluated()]
    if untested:
        yield Lines(["", "never evaluated:"])
        yield Lines([f"    {format_named(prop)}  {prop.place}".rstrip() for prop in untested])
    if never := len(tested) - violated:
        yield Lines(["", f"never violated, so nothing shows what they forbid: {never}"])
    if unknown := unknown_in_all([item.parse for item in items]):
        yield Lines(["", *unknown])
    yield lost_items(lost, [""])


def _columns(doubted: bool) -> Sequence[Column[PropertyCoverage]]:
    """Return the columns for properties; with `doubted` the text has one for undecided violations, too."""
    return (
        Column("construction", lambda row: row.property.construction),
        Column("property", lambda row: format_property(row.property)),
        *(Column(key=column.key, value=partial(_of_property, column)) for column in PROPERTY),
        Column("satisfied", "", "satisfied"),
        Column("violated", "", "violated"),
        Column("in good", "", "in_good", attrgetter("good")),
        Column("in bad", "", "in_bad", attrgetter("bad")),
        Column("undecided", "" if doubted else None, "undecided"),
        Column("line", lambda row: row.property.place),
    )


def _of_property(column: Column[Property], property_coverage: PropertyCoverage) -> Any:
    return column.of(property_coverage.property)
