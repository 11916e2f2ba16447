"""Whether a grammar judges the items of a suite as people do, and as it did before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from numbat.errors import DataError, data_error
from numbat.files import lines_of
from numbat.gradience.suites.files import EXPECTED
from numbat.gradience.suites.scored_items import ScoredItem, violated_relations
from numbat.gradience.suites.suite import Item, Suite
from numbat.grammar.model import Grammar, relations_of
from numbat.parsing.explanation.wording import decimal
from numbat.source import Problem, Span, close_match

HEADER: Final = ("id", "verdict", "cost", "violated")


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What the grammar says of an item. `verdict`: `pass`, `fail`, or `-` where no sign says what to expect.

    `violated` are relations, with `fragments` for a parse that is not full; `cost` is without that of readings.
    """

    id: str
    verdict: str
    cost: str
    violated: str

    def __str__(self) -> str:
        return f"{self.verdict}, cost {self.cost}" + (f" ({self.violated})" if self.violated else "")


@dataclass(frozen=True, slots=True)
class TestedItem:
    """An item, its parse and the outcome; `reason` says why it failed."""

    scored: ScoredItem
    outcome: ItemOutcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OutcomeChange:
    """An item whose outcome is not the accepted one; None where it is not in the suite, or was not."""

    id: str
    before: ItemOutcome | None
    after: ItemOutcome | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.id}: new: {self.after}"
        return f"{self.id}: {self.before} -> {self.after or 'not in the suite any more'}"


def judge_items(suite: Suite, scored: Sequence[ScoredItem]) -> list[TestedItem]:
    """Every item of a suite, parsed, with its outcome. Raises DataError where no item has a judgement to test by.

    A good sentence passes if it is well formed (cost 0, one root); a bad one if its parse violates one of the relations
    that it names or, if it names none, if it is not well formed; the two of a minimal pair if the bad one costs more.
    """
    if all(each.item.is_good is None for each in scored):
        raise DataError(
            f"{suite.path}: no item is judged ok or *\n  numbat test needs judgements; numbat report compares ratings"
            + suite.lacking("judgement")
        )
    costs = {each.item.id: each.cost for each in scored}
    partner = {one.id: other for pair in suite.pairs for one, other in (pair, pair[::-1])}
    return [_tested(each, costs, partner.get(each.item.id)) for each in scored]


EVERYDAY: Final = {"agreement": "dependency", "order": "linearity"}
"""Names that people use for relations."""


def check_relations(suite: Suite, grammar: Grammar) -> None:
    """Raises DataError for relations that no property of the grammar can be of, each where it stands first."""
    names = list(relations_of(grammar))
    unknown: dict[str, list[Span]] = {}
    for item in suite.items:
        for name in dict.fromkeys(item.relations):
            if name not in names:
                unknown.setdefault(name, []).append(Span(item.path or suite.path, item.line))
    problems = []
    for name, places in unknown.items():
        meant = EVERYDAY.get(name.lower())
        near = f'did you mean "{meant}"?' if meant else close_match(name, names)
        hint = near or f"the relations are: {', '.join(names)}; for a suite of another grammar, name that with -g"
        often = f", in {len(places)} lines" if len(places) > 1 else ""
        problems.append(Problem(f'"{name}" is not a relation of the grammar{often}', places[0], hint=hint))
    if problems:
        raise data_error(*problems)


def _tested(each: ScoredItem, costs: dict[str, int], other: Item | None) -> TestedItem:
    reason = _reason(each, costs, other)
    verdict = "-" if each.item.is_good is None and other is None else "fail" if reason else "pass"
    return TestedItem(each, ItemOutcome(each.item.id, verdict, decimal(each.cost), " ".join(each.faults)), reason)


def _reason(each: ScoredItem, costs: dict[str, int], other: Item | None) -> str:
    """Why the item is not as it is judged; empty where it is."""
    item, parse = each.item, each.parse
    if not parse.constituents:
        return "no words"
    if other is not None and item.worth is not None and other.worth is not None:
        mine, theirs = costs[item.id], costs[other.id]
        right = mine < theirs if item.worth > other.worth else theirs < mine
        return "" if right else f"costs {decimal(mine)}, its partner {decimal(theirs)}"
    if item.is_good is None:
        return ""
    if item.is_good:
        return "" if parse.is_well_formed else "is not well formed"
    if item.relations:
        found, named = sorted(set(violated_relations(parse))), " or ".join(item.relations)
        return (
            "" if set(found) & set(item.relations) else f"does not violate {named}, but {', '.join(found) or 'nothing'}"
        )
    return "violates nothing" if parse.is_well_formed else ""


def expectation_path(suite_path: str) -> Path:
    """Where the accepted outcomes of a suite are kept: `name.expected.tsv` beside it."""
    return Path(suite_path).with_suffix(f"{EXPECTED}tsv")


def format_expected(tested: Sequence[TestedItem]) -> str:
    """The outcomes as a table that `read_expected` reads."""
    lines = ["\t".join(HEADER)]
    lines += ["\t".join((o.id, o.verdict, o.cost, o.violated)) for o in (each.outcome for each in tested)]
    return "\n".join(lines) + "\n"


def read_expected(path: Path) -> list[ItemOutcome]:
    """The accepted outcomes. Raises DataError with the place of a line that is none, MissingFileError."""
    hint = "write it anew with numbat test --accept"
    lines = lines_of(str(path), hint)
    rows = [line.split("\t") for line in (lines if lines[-1] else lines[:-1])]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(HEADER) or (number == 1 and tuple(row) != HEADER):
            message = "no accepted outcome: id, verdict, cost, violated"
            raise data_error(Problem(message, Span(str(path), number), hint=hint))
    return [ItemOutcome(*row) for row in rows[1:]]


def outcome_changes(before: Sequence[ItemOutcome], after: Sequence[ItemOutcome]) -> list[OutcomeChange]:
    """The items whose outcomes differ, in the order of the suite; then those that are not in it any more."""
    old, new = ({outcome.id: outcome for outcome in outcomes} for outcomes in (before, after))
    changed = [OutcomeChange(name, old.get(name), outcome) for name, outcome in new.items() if old.get(name) != outcome]
    return changed + [OutcomeChange(name, outcome, None) for name, outcome in old.items() if name not in new]
