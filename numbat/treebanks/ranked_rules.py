"""The report on rules of a treebank that were ranked by sparse logistic regression, beside the counts of MarsaGram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from numbat.errors import counted
from numbat.reports.report import Column, Line, Member, Part, Table, attributes, report
from numbat.treebanks.example_phrases import ExamplePhrase
from numbat.treebanks.grex import ComparedRule, Phenomenon, RankedRule
from numbat.treebanks.induced import share


@report("numbat.ranked-rules/1")
def ranked_report(rules: Sequence[ComparedRule]) -> Iterator[Part]:
    """Return ranked rules, in the text by phenomenon, each with a row and phrases; then what the columns mean."""
    for phenomenon, group in groupby(rules, key=lambda rule: rule.rule.phenomenon):
        yield from _of_phenomenon(phenomenon, list(group))
        yield Line()
    yield Member("rules", Table(RULE, rules).objects(), MEANINGS)


MEANINGS: Final = (
    "rank: the order in which the rules of a phenomenon come in as the L1 penalty of a logistic regression is relaxed",
    "precision: the share of the occurrences meeting the conditions that have the answer; coverage: the share of those",
    "with the answer that meet the conditions; gain: the natural logarithm of the likelihood ratio against the answer",
    "as often as ever. A property, w0 and w1 are those of `numbat induce`.",
)


def _of_phenomenon(phenomenon: Phenomenon, rules: Sequence[ComparedRule]) -> Iterator[Part]:
    first = rules[0].rule
    yes, _ = phenomenon.answers
    answered = first.answered if first.answer == yes else first.occurrences - first.answered
    of_all = f"{100 * answered / first.occurrences:.1f} %"
    yield Line(f"{phenomenon}, {counted(first.occurrences, 'occurrence')}, of which {of_all} {said(phenomenon, yes)}")
    for compared in {compared_rule.property: compared_rule for compared_rule in rules}.values():
        if (support := compared.support) is not None:
            counts = f"{support.valid}:{support.violating} w0 {share(support.w0)} w1 {share(support.w1)}"
            yield Line(f"  {compared.property}  {counts}")
    columns: Sequence[Column[RankedRule]] = (
        Column("rank", "", "rank"),
        Column("precision", ".3f", "precision"),
        Column("coverage", ".3f", "coverage"),
        Column("counts", lambda rule: f"{rule.right} of {rule.matching}"),
        Column("gain", ".0f", "gain"),
        Column("rule", lambda rule: f"{' & '.join(rule.conditions)}: {said(phenomenon, rule.answer)}"),
    )
    yield Table(columns, [each.rule for each in rules], indent="  ", below=_phrases)


def _phrases(rule: RankedRule) -> Iterator[str]:
    phrases = [f'"{_shown(rule.example)}"'] if rule.example else []
    phrases += [f'not "{_shown(rule.counterexample)}"'] if rule.counterexample else []
    if phrases:
        yield "; ".join(phrases)


def said(phenomenon: Phenomenon, answer: str) -> str:
    """Return an answer with what it is about: `ADJ before NOUN`, `DET agrees with NOUN`."""
    between = answer if not phenomenon.feature else f"{answer} {'with' if answer == 'agrees' else 'from'}"
    return f"{phenomenon.dependent} {between} {phenomenon.head}"


def _shown(phrase: ExamplePhrase | None) -> str:
    return "" if phrase is None else phrase.marked(())


def _of_rule(name: str, digits: int | None = None) -> Column[ComparedRule]:
    value = attrgetter(name)
    return Column(name, "", name, lambda rule: value(rule.rule) if digits is None else round(value(rule.rule), digits))


def _of_support(name: str) -> Column[ComparedRule]:
    value = attrgetter(name)
    return Column(name, "", name, lambda rule: None if rule.support is None else round(value(rule.support), 6))


RULE: Final[Sequence[Column[ComparedRule]]] = (
    Column(
        "phenomenon",
        lambda each: str(each.rule.phenomenon),
        "phenomenon",
        lambda each: attributes(each.rule.phenomenon, "head", "dependent", "feature"),
    ),
    _of_rule("rank"),
    Column(
        "conditions",
        lambda each: " & ".join(each.rule.conditions),
        "conditions",
        lambda compared_rule: list(compared_rule.rule.conditions),
    ),
    *map(_of_rule, ("answer", "right", "matching", "answered", "occurrences")),
    _of_rule("precision", 6),
    _of_rule("coverage", 6),
    _of_rule("gain", 3),
    _of_rule("penalty", 6),
    Column("property", "", "property"),
    *map(_of_support, ("valid", "violating", "w0", "w1")),
    Column("example", lambda each: _shown(each.rule.example), "example"),
    Column("counterexample", lambda each: _shown(each.rule.counterexample), "counterexample"),
)
"""Columns of ranked rules."""
