"""Reports on theories of gradience side by side, and on the power of an experiment; as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from numbat.acceptability.suite import Suite, name_of_units
from numbat.acceptability.suite_report import ceiling_line
from numbat.acceptability.verdicts import LostItem
from numbat.errors import counted
from numbat.experiments.power import GROUPINGS, RESIDUAL, TESTS, Pilot, Power, Variances
from numbat.experiments.theories import ADDITIVE, FittedNumber, TheoryReport
from numbat.markup import aligned
from numbat.reports.answers import Answer
from numbat.reports.run_notes import named_as_lost
from numbat.runs.record import RunRecord
from numbat.statistics.intervals import Estimate

SCHEMA: Final = "numbat.theories/1"
POWER_SCHEMA: Final = "numbat.power/1"


def theory_report(
    found: TheoryReport,
    suite: Suite,
    grammar: str,
    lost: Sequence[LostItem] = (),
    record: RunRecord | None = None,
) -> Answer:
    """Return the theories side by side, as text and as JSON, with the record of the run."""

    def lines() -> Iterator[str]:
        yield from (f"! {note}" for note in suite.notes)
        yield from theory_lines(found, suite, grammar)
        yield from named_as_lost("sentence", [str(each) for each in lost])

    return Answer(lines, lambda: theory_json(found, suite, grammar, lost), record)


def theory_lines(found: TheoryReport, suite: Suite, grammar: str) -> Iterator[str]:
    """Return the theories with what each predicts out of sample, what a second violation counts, and each kind."""
    units = name_of_units([each.item for each in found.items])
    rated = f"{counted(len(found.items), 'rated sentence')}{suite.means}"
    yield f"{suite.name}: {rated}, grammar {grammar}, kinds by {found.level}"
    yield from (f"! {note}" for note in found.notes)
    both = any(each.conditions is not None for each in found.results)
    yield ""
    names = ["items held out", *(["conditions held out"] if both else [])]
    rows = [["theory", *names, f"{ADDITIVE} is better by"]]
    for each in found.results:
        conditions = ["-" if each.conditions is None else str(each.conditions)] if both else []
        behind = "" if each.behind is None else str(each.behind)
        rows.append([each.theory.name, str(each.items), *conditions, behind])
    yield from aligned(rows)
    if found.ceiling is not None:
        yield ceiling_line(found.ceiling)
    yield ""
    yield f"Pearson's r of ratings and of what each theory predicts of them from other folds; intervals over {units}"
    if both:
        yield "items held out: other sentences of the same conditions were learned from; conditions held out: none were"
    yield ""
    yield from aligned([[each.theory.name, each.theory.formula, each.theory.source] for each in found.results])
    yield ""
    yield f"n violations of a kind count as n^c, with 1 as n, with 0 as one: c = {_fitted(found.exponent)}"
    yield f"two kinds take off beyond their sum, in points of rating: g = {_fitted(found.ganging)}"
    if found.kinds:
        yield ""
        rows = [["kind", "sentences", "takes off", "r without", "lost"]]
        for kind in found.kinds:
            rows.append(
                [kind.name, str(kind.sentences), _fitted(kind.weight, told=False), str(kind.without), str(kind.lost)]
            )
        yield from aligned(rows)
        yield f"by the theory {ADDITIVE}, in points of rating, and fitted again without the kind, items held out"


def _fitted(found: FittedNumber, told: bool = True) -> str:
    if found.value is None:
        return f"unknown ({found.missing}: {found.sentences})"
    interval = f" [{found.low:.2f}, {found.high:.2f}]" if found.low is not None and found.high is not None else ""
    where = f" ({found.missing})" if found.missing else f" ({counted(found.sentences, 'sentence')})" if told else ""
    return f"{found.value:.2f}{interval}{where}"


def theory_json(found: TheoryReport, suite: Suite, grammar: str, lost: Sequence[LostItem] = ()) -> dict[str, Any]:
    """Return the same as a value, by the schema `numbat.theories/1`."""
    return {
        "schema": SCHEMA,
        "suite": suite.name,
        "grammar": grammar,
        "kinds_by": found.level,
        "sentences": len(found.items),
        "notes": [*suite.notes, *found.notes],
        "theories": [
            {
                "name": each.theory.name,
                "formula": each.theory.formula,
                "source": each.theory.source,
                "items_held_out": _estimate(each.items),
                "conditions_held_out": _estimate(each.conditions),
                "additive_is_better_by": _estimate(each.behind),
                "predictions": list(each.predictions),
            }
            for each in found.results
        ],
        "ids": [each.id for each in found.items],
        "ceiling": None if found.ceiling is None else found.ceiling.value,
        "exponent": _number(found.exponent),
        "ganging": _number(found.ganging),
        "kinds": [
            {
                "name": kind.name,
                "sentences": kind.sentences,
                "takes_off": _number(kind.weight),
                "without": _estimate(kind.without),
                "lost": _estimate(kind.lost),
            }
            for kind in found.kinds
        ],
        "lost": [str(each) for each in lost],
    }


def _estimate(found: Estimate | None) -> dict[str, float | None] | None:
    return None if found is None else {"value": found.value, "low": found.low, "high": found.high}


def _number(found: FittedNumber) -> dict[str, Any]:
    own = {"value": found.value, "low": found.low, "high": found.high, "sentences": found.sentences}
    return own | ({"missing": found.missing} if found.missing else {})


# The power of an experiment


def power_report(
    pilot: Pilot,
    variances: Variances,
    effect: float,
    is_given: bool,
    found: Sequence[Power],
    record: RunRecord | None = None,
) -> Answer:
    """Return the power of experiments like a pilot, as text and as JSON; `is_given`: the effect was asked for."""
    return Answer(
        lambda: power_lines(pilot, variances, effect, is_given, found),
        lambda: power_json(pilot, variances, effect, found),
        record,
    )


def power_lines(
    pilot: Pilot, variances: Variances, effect: float, is_given: bool, found: Sequence[Power]
) -> Iterator[str]:
    """Return what the pilot says, and how often simulated experiments find the effect."""
    yield (
        f"pilot: {counted(pilot.participants, 'participant')}, {counted(pilot.items, 'item')}, "
        f"{counted(len(pilot.trials), 'rating')}"
    )
    yield from (f"! {note}" for note in (*pilot.notes, *variances.notes))
    yield f"{' × '.join(pilot.factors)}: {_formula(pilot)} = {pilot.contrast:.3f}"
    parts = ", ".join(
        f"{name} {variances.deviation(name):.3f}" for name in (*GROUPINGS, RESIDUAL) if name in variances.by_part
    )
    yield f"standard deviations: {parts}"
    if is_given:
        yield f"effect that is to be found: {effect:g}"
    else:
        yield (
            f"! effect that is to be found: {effect:.3f}, that of the pilot, which is uncertain and most often too "
            "large; --effect X says the least that matters"
        )
    yield ""
    rows = [["people", "items", *(name for test in TESTS for name in (_test_name(test), ""))]]
    for each in found:
        cells = [cell for test in TESTS for cell in (f"{each.found[test]:.2f}", f"({each.false_alarms[test]:.3f})")]
        rows.append([str(each.people), str(each.items), *cells])
    yield from aligned(rows)
    number = found[0].simulations
    yield (
        f"share of {number:,} simulated experiments in which p < .05; in brackets where there is no effect; "
        f"standard error at most {0.5 / number**0.5:.3f}"
    )
    for test, other in (("participants", "items"), ("items", "people")):
        alarms = max(each.false_alarms[test] for each in found)
        if alarms > TOO_MANY:
            yield (
                f"! tests by {test} alone find in up to {alarms:.0%} what is not there, for {other} differ: "
                "report both, or a mixed model"
            )
    yield "ratings are normally distributed, without the ends of a scale; every person sees every item once"


TOO_MANY: Final = 0.075
"""A share of false alarms that is told: that of a test at .05 with the error of 1,000 simulations, and more."""


def _test_name(test: str) -> str:
    return f"by {test}" if test in ("participants", "items") else test


def _formula(pilot: Pilot) -> str:
    ordered = sorted(pilot.signs.items(), key=lambda pair: -pair[1])
    text = " ".join(f"{'+' if sign > 0 else '-'} ({', '.join(condition)})" for condition, sign in ordered)
    return text.removeprefix("+ ")


def power_json(pilot: Pilot, variances: Variances, effect: float, found: Sequence[Power]) -> dict[str, Any]:
    """Return the same as a value, by the schema `numbat.power/1`."""
    return {
        "schema": POWER_SCHEMA,
        "participants": pilot.participants,
        "items": pilot.items,
        "ratings": len(pilot.trials),
        "notes": [*pilot.notes, *variances.notes],
        "contrast": {
            "factors": list(pilot.factors),
            "conditions": [
                {"condition": list(c), "sign": sign, "mean": pilot.means[c]} for c, sign in pilot.signs.items()
            ],
            "value": pilot.contrast,
        },
        "variances": dict(variances.by_part),
        "effect": effect,
        "power": [
            {
                "people": each.people,
                "items": each.items,
                "simulations": each.simulations,
                "found": dict(each.found),
                "false_alarms": dict(each.false_alarms),
            }
            for each in found
        ],
    }
