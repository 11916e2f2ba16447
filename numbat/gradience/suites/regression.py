"""Whether a grammar judges the items of a suite as it did before: accepted outcomes, and what differs from them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from numbat.errors import Problem, Span, close_match, data_error
from numbat.files import cells_of, lines_of
from numbat.gradience.suites.reading.files import EXPECTED
from numbat.gradience.suites.suite import Suite
from numbat.gradience.suites.verdicts import ItemOutcome, TestedItem
from numbat.grammar.model import Grammar, relations_of
from numbat.records import frozen

HEADER: Final = ("id", "verdict", "cost", "violated")


@frozen
class OutcomeChange:
    """An item whose outcome is not the accepted one; None where it is not in the suite, or was not."""

    id: str
    before: ItemOutcome | None
    after: ItemOutcome | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.id}: new: {self.after}"
        return f"{self.id}: {self.before} -> {self.after or 'not in the suite any more'}"


EVERYDAY: Final = {"agreement": "dependency", "order": "linearity"}
"""Names that people use for relations."""


def check_relations(suite: Suite, grammar: Grammar) -> None:
    """Raises DataError for relations that no property of the grammar can be of, each where it stands first."""
    names = list(relations_of(grammar))
    unknown: dict[str, list[Span]] = {}
    for item in suite.items:
        for name in dict.fromkeys(item.relations):
            if name not in names:
                before = item.relations[: item.relations.index(name)]
                column = item.relation_column + sum(len(each) + 1 for each in before)
                unknown.setdefault(name, []).append(Span(item.path or suite.path, item.line, column))
    problems = []
    for name, places in unknown.items():
        meant = EVERYDAY.get(name.lower())
        near = f'did you mean "{meant}"?' if meant else close_match(name, names)
        hint = near or f"the relations are: {', '.join(names)}; for a suite of another grammar, name that with -g"
        often = f", in {len(places)} lines" if len(places) > 1 else ""
        problems.append(Problem(f'"{name}" is not a relation of the grammar{often}', places[0], hint=hint))
    if problems:
        raise data_error(*problems)


def expectation_path(suite_path: str) -> Path:
    """Where the accepted outcomes of a suite are kept: `name.expected.tsv` beside it."""
    return Path(suite_path).with_suffix(f"{EXPECTED}tsv")


def format_expected(tested: Sequence[TestedItem]) -> str:
    """The outcomes as a table that `read_expected` reads."""
    lines = ["\t".join(HEADER)]
    lines += ["\t".join((o.id, o.verdict, o.cost, o.violated)) for o in (each.outcome for each in tested)]
    return "\n".join(lines) + "\n"


def read_expected(path: Path) -> list[ItemOutcome]:
    """The accepted outcomes. Raises DataError with the places of lines that are none, MissingFileError."""
    hint = "write it anew with numbat test --accept"
    lines = lines_of(str(path), hint)
    rows = [cells_of(line) for line in (lines if lines[-1] else lines[:-1])]
    problems = [
        Problem("no accepted outcome: id, verdict, cost, violated", Span(str(path), number), hint=hint)
        for number, row in enumerate(rows, start=1)
        if len(row) != len(HEADER) or (number == 1 and tuple(row) != HEADER)
    ]
    if problems:
        raise data_error(*problems)
    return [ItemOutcome(*row) for row in rows[1:]]


def outcome_changes(before: Sequence[ItemOutcome], after: Sequence[ItemOutcome]) -> list[OutcomeChange]:
    """The items whose outcomes differ, in the order of the suite; then those that are not in it any more."""
    old, new = ({outcome.id: outcome for outcome in outcomes} for outcomes in (before, after))
    changed = [OutcomeChange(name, old.get(name), outcome) for name, outcome in new.items() if old.get(name) != outcome]
    return changed + [OutcomeChange(name, outcome, None) for name, outcome in old.items() if name not in new]
