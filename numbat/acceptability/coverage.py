"""Coverage of a grammar by a suite: the properties that the suite evaluates, satisfies and violates."""

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

    Violations that speak of words that the lexicon does not have are `undecided`, and not among the others.
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
    """Every property of a grammar with how a suite tests it, and the items of the suite."""

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    properties: tuple[PropertyCoverage, ...]
    items: tuple[ScoredItem, ...]


def coverage(items: Sequence[ScoredItem], grammar: Grammar, count_undecided: bool = False) -> list[PropertyCoverage]:
    """Return every property of the grammar, in its order, with how the suite tests it.

    `count_undecided`: violations count whatever words they speak of. Parses may come from another process.
    Raises DataError for one by another grammar.
    """
    counts: Counter[tuple[int, str]] = Counter()
    for scored in items:
        check_grammar(scored.parse, grammar)
        kind = {True: "good", False: "bad", None: ""}[scored.item.is_good]
        parse = scored.parse
        satisfied, violated = (
            [parse.number_of(e.property) for e in each] for each in (parse.satisfied, parse.violated)
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
    """Return a row for each property that was evaluated, then those that never were, and unknown words of the items.

    `notes` are those of the suite.
    """
    found, items = covered.properties, covered.items
    tested = [property_coverage for property_coverage in found if property_coverage.is_evaluated()]
    violated = sum(bool(each.violated) for each in tested)
    yield Member("suite", suite)
    told = [*foremost(items), *notes]
    yield Member("notes", told, cautions(told))
    yield Members({"sentences": len(items), "evaluated": len(tested), "violated": violated})
    yield Lines([f"{len(tested)} of {len(found)} properties evaluated, {violated} of them violated somewhere", ""])
    yield Table(_columns(any(each.undecided for each in tested)), found, "properties", shown=tested)
    untested = [each.property for each in found if not each.is_evaluated()]
    if untested:
        yield Lines(["", "never evaluated:"])
        yield Lines([f"    {format_named(prop)}  {prop.place}".rstrip() for prop in untested])
    if never := len(tested) - violated:
        yield Lines(["", f"never violated, so that nothing shows what they forbid: {never}"])
    if unknown := unknown_in_all([item.parse for item in items]):
        yield Lines(["", *unknown])
    yield lost_items(lost, [""])


def _columns(doubted: bool) -> Sequence[Column[PropertyCoverage]]:
    """Return the columns of properties; `doubted`: the text has those that are undecided, too."""
    return (
        Column("construction", lambda each: each.property.construction),
        Column("property", lambda property_coverage: format_property(property_coverage.property)),
        *(Column(key=column.key, value=partial(_of_property, column)) for column in PROPERTY),
        Column("satisfied", "", "satisfied"),
        Column("violated", "", "violated"),
        Column("in good", "", "in_good", attrgetter("good")),
        Column("in bad", "", "in_bad", attrgetter("bad")),
        Column("undecided", "" if doubted else None, "undecided"),
        Column("line", lambda each: each.property.place),
    )


def _of_property(column: Column[Property], property_coverage: PropertyCoverage) -> Any:
    return column.of(property_coverage.property)
