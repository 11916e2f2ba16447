"""The report on rules of a treebank that were ranked by sparse logistic regression, beside the counts of MarsaGram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from numbat.errors import counted
from numbat.files import table_row
from numbat.markup import aligned
from numbat.reports.answers import Answer
from numbat.treebanks.example_phrases import ExamplePhrase
from numbat.treebanks.grex import ComparedRule, Phenomenon
from numbat.treebanks.induced import share

SCHEMA: Final = "numbat.ranked-rules/1"
COLUMNS: Final = (
    "phenomenon", "rank", "conditions", "answer", "right", "matching", "answered", "occurrences", "precision",
    "coverage", "gain", "penalty", "property", "valid", "violating", "w0", "w1", "example", "counterexample",
)  # fmt: skip


def ranked_report(rules: Sequence[ComparedRule]) -> Answer:
    """Return ranked rules as text, by phenomenon, and as JSON."""
    return Answer(lambda: text_lines(rules), lambda: {"schema": SCHEMA, "rules": [_json(each) for each in rules]})


def ranked_table(rules: Sequence[ComparedRule]) -> str:
    """Return ranked rules as a TAB-separated table."""
    rows = [list(_flat(each).values()) for each in rules]
    return "".join(f"{table_row(row)}\n" for row in (COLUMNS, *rows))


def text_lines(rules: Sequence[ComparedRule]) -> Iterator[str]:
    """Return the phenomena, each with a row and phrases for each rule; then what the columns mean."""
    for phenomenon, group in groupby(rules, key=lambda each: each.rule.phenomenon):
        those = list(group)
        yield from _phenomenon_lines(phenomenon, those)
        yield ""
    yield from MEANINGS


MEANINGS: Final = (
    "rank: the order in which the rules of a phenomenon come in as the L1 penalty of a logistic regression is relaxed",
    "precision: the share of the occurrences meeting the conditions that have the answer; coverage: the share of those",
    "with the answer that meet the conditions; gain: the natural logarithm of the likelihood ratio against the answer",
    "as often as ever. A property, w0 and w1 are those of `numbat induce`.",
)


def _phenomenon_lines(phenomenon: Phenomenon, rules: Sequence[ComparedRule]) -> Iterator[str]:
    first = rules[0].rule
    yes, _ = phenomenon.answers
    answered = first.answered if first.answer == yes else first.occurrences - first.answered
    of_all = f"{100 * answered / first.occurrences:.1f} %"
    yield f"{phenomenon}, {counted(first.occurrences, 'occurrence')}, of which {of_all} {said(phenomenon, yes)}"
    for compared in {each.property: each for each in rules}.values():
        if compared.support is not None:
            support = compared.support
            yield (
                f"  {compared.property}  {support.valid}:{support.violating} w0 {share(support.w0)} "
                f"w1 {share(support.w1)}"
            )
    rows = [["rank", "precision", "coverage", "counts", "gain", "rule"]]
    for each in rules:
        rule = each.rule
        rows.append(
            [
                str(rule.rank),
                f"{rule.precision:.3f}",
                f"{rule.coverage:.3f}",
                f"{rule.right} of {rule.matching}",
                f"{rule.gain:.0f}",
                f"{' & '.join(rule.conditions)}: {said(phenomenon, rule.answer)}",
            ]
        )
    head, *lines = (f"  {line}" for line in aligned(rows))
    yield head
    indent = " " * (head.index("rule") + 2)
    for line, each in zip(lines, rules, strict=True):
        yield line
        phrases = [f'"{_shown(each.rule.example)}"'] if each.rule.example else []
        phrases += [f'not "{_shown(each.rule.counterexample)}"'] if each.rule.counterexample else []
        if phrases:
            yield f"{indent}{'; '.join(phrases)}"


def said(phenomenon: Phenomenon, answer: str) -> str:
    """Return an answer with what it is about: `ADJ before NOUN`, `DET agrees with NOUN`."""
    between = answer if not phenomenon.feature else f"{answer} {'with' if answer == 'agrees' else 'from'}"
    return f"{phenomenon.dependent} {between} {phenomenon.head}"


def _shown(phrase: ExamplePhrase | None) -> str:
    return "" if phrase is None else phrase.marked(())


def _flat(compared: ComparedRule) -> dict[str, Any]:
    """Return a rule as the cells of a row."""
    rule, support = compared.rule, compared.support
    return {
        "phenomenon": str(rule.phenomenon),
        "rank": rule.rank,
        "conditions": " & ".join(rule.conditions),
        "answer": rule.answer,
        "right": rule.right,
        "matching": rule.matching,
        "answered": rule.answered,
        "occurrences": rule.occurrences,
        "precision": round(rule.precision, 6),
        "coverage": round(rule.coverage, 6),
        "gain": round(rule.gain, 3),
        "penalty": round(rule.penalty, 6),
        "property": compared.property,
        "valid": None if support is None else support.valid,
        "violating": None if support is None else support.violating,
        "w0": None if support is None else round(support.w0, 6),
        "w1": None if support is None else round(support.w1, 6),
        "example": _shown(rule.example),
        "counterexample": _shown(rule.counterexample),
    }


def _json(compared: ComparedRule) -> dict[str, Any]:
    phenomenon = compared.rule.phenomenon
    return _flat(compared) | {
        "phenomenon": {"head": phenomenon.head, "dependent": phenomenon.dependent, "feature": phenomenon.feature},
        "conditions": list(compared.rule.conditions),
    }
