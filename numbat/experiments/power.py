"""The power of an experiment: how often an effect is found with n people and m items, by simulation from a pilot.

A rating is the mean of its condition and what adds to it, each drawn from a normal distribution: the person, the person
in that condition, the item, the item in that condition, and the rest. The variances of these are estimated from a pilot
(by moments, without bias whatever ratings are missing), the experiment is a Latin square, and each simulated one is
tested by participants, by items, and by both together (min F': Clark 1973).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import product
from math import fsum, sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final

from numbat.acceptability.suite_tables import is_no_rating
from numbat.errors import DataError, Problem, Span, UsageError, counted, data_error
from numbat.experiments.materials import (
    Condition,
    Factor,
    cell_of,
    check_levels,
    factor_places,
    item_place,
    read_table,
)
from numbat.records import frozen
from numbat.reports.report import Column, Line, Member, Members, Part, Table, cautions, report
from numbat.statistics.distributions import t_p_value, t_quantile
from numbat.statistics.regression import determined

SIMULATIONS: Final = 1000
LEVEL: Final = 0.05
"""An effect is found where a two-sided test has a p below that."""
LEAST_PEOPLE: Final = 2
"""A pilot needs so many people and so many items at least."""


@frozen
class PilotRating:
    """A rating of a pilot: who gave it, to which item in which condition."""

    participant: str
    item: str
    condition: Condition
    value: float


@frozen
class Pilot:
    """The ratings of a pilot in the conditions of one contrast. `signs` say how each condition counts in it.

    `notes` say what was left out.
    """

    factors: tuple[str, ...]
    signs: Mapping[Condition, int]
    trials: tuple[PilotRating, ...]
    notes: tuple[str, ...] = ()

    @property
    def participants(self) -> int:
        return len({rating.participant for rating in self.trials})

    @property
    def items(self) -> int:
        return len({rating.item for rating in self.trials})

    @property
    def means(self) -> Mapping[Condition, float]:
        """The mean rating of each condition."""
        return {condition: fmean(t.value for t in self.trials if t.condition == condition) for condition in self.signs}

    @property
    def contrast(self) -> float:
        """The sum of the means by their signs: of two factors the difference of differences."""
        means = self.means
        return fsum(sign * means[condition] for condition, sign in self.signs.items())


def read_pilot(
    path: str, factors: Sequence[Factor], where: Mapping[str, str] | None = None, z_scores: bool = False
) -> Pilot:
    """Return the ratings of a table with a row for each: participant, item, the factors, rating.

    Rows count whose cells are as `where` says; with `z_scores` ratings are taken as such within each participant, over
    all rows of the file, before others are left out. The contrast is the product of all factors, of two levels each,
    turned so that it is not negative here. Raises MissingFileError, DataError, UsageError.
    """
    table = read_table(path)
    places = factor_places(table, factors)
    check_levels(table, factors)
    kept = {table.place(name, "--where"): value for name, value in (where or {}).items()}
    who, what = table.place_of("participant"), table.place_of("rating")
    items = item_place(table, [*places, who, what])
    rows: list[tuple[PilotRating, bool]] = []
    problems = []
    unrated = 0
    for line, cells in table.rows:
        text = cell_of(cells, what)
        if is_no_rating(text):
            unrated += 1
            continue
        try:
            value = float(text)
        except ValueError:
            hint = "a pilot has one number in a row; leave a cell empty where there is none"
            problems.append(Problem(f'"{text}" is no rating', Span(table.path, line), hint=hint))
            continue
        condition = tuple(cell_of(cells, place) for place in places)
        is_kept = all(cell_of(cells, place) == value for place, value in kept.items())
        named = not any(factor.lacks(level) for factor, level in zip(factors, condition, strict=False))
        is_target = is_kept and named and not any(map(is_no_rating, condition))
        rows.append((PilotRating(cell_of(cells, who), cell_of(cells, items), condition, value), is_target))
    if problems:
        raise data_error(*problems)
    notes = [f"rows without a rating, and left out: {unrated:,}"] * bool(unrated)
    if z_scores:
        rows, flat = _standardized(rows)
        notes += [f"participants who rated all alike, and are left out: {flat}"] * bool(flat)
    trials = tuple(trial for trial, is_target in rows if is_target)
    return pilot_of(tuple(table.names[place] for place in places), trials, table.path, tuple(notes))


def pilot_of(
    factors: tuple[str, ...], trials: tuple[PilotRating, ...], path: str, notes: tuple[str, ...] = ()
) -> Pilot:
    """Return a pilot of these ratings. Raises UsageError for a factor with other than two levels, DataError for too
    few.
    """
    levels = [
        tuple(dict.fromkeys(pilot_rating.condition[place] for pilot_rating in trials)) for place in range(len(factors))
    ]
    for factor, own in zip(factors, levels, strict=True):
        if len(own) != 2:
            raise UsageError(
                f"{path}: {factor} has {counted(len(own), 'level')}: {', '.join(own) or 'no row is left'}\n"
                "  a contrast is between two levels: --where NAME=VALUE takes the rows of one part of the file"
            )
    signs: dict[Condition, int] = {}
    for condition in product(*levels):
        signs[condition] = (-1) ** sum(level != own[0] for level, own in zip(condition, levels, strict=True))
    there = {rating.condition for rating in trials}
    if lacking := [", ".join(each) for each in signs if each not in there]:
        raise DataError(f"{path}: no rating in {'; '.join(lacking)}\n  a contrast needs each combination of levels")
    pilot = Pilot(factors, signs, trials, notes)
    for number, what in ((pilot.participants, "participant"), (pilot.items, "item")):
        if number < LEAST_PEOPLE:
            raise DataError(f"{path}: {counted(number, what)} only\n  variances need {LEAST_PEOPLE} at least")
    if pilot.contrast < 0:
        pilot = Pilot(factors, {condition: -sign for condition, sign in signs.items()}, trials, notes)
    return pilot


def _standardized(rows: Sequence[tuple[PilotRating, bool]]) -> tuple[list[tuple[PilotRating, bool]], int]:
    """Return the rows with z-scores, without those of participants who rated all alike, and how many these are."""
    values: dict[str, list[float]] = {}
    for trial, _ in rows:
        values.setdefault(trial.participant, []).append(trial.value)
    spread = {name: stdev(own) if len(own) > 1 else 0.0 for name, own in values.items()}
    means = {name: fmean(own) for name, own in values.items()}
    found = [
        (
            PilotRating(t.participant, t.item, t.condition, (t.value - means[t.participant]) / spread[t.participant]),
            is_target,
        )
        for t, is_target in rows
        if spread[t.participant]
    ]
    return found, sum(not each for each in spread.values())


# Variances by moments: sums of squares of group sums, whose expected values are linear in the variances.
#
# With M the projection that takes the means of conditions off, Z and W the indicators of two groupings, the sum of
# squares of the group sums of M y by Z has the expected value of the variance of W's groups times |Z' M W|², summed
# over groupings. Solving these equations gives unbiased estimates for any pattern of missing ratings.

GROUPINGS: Final[Mapping[str, Callable[[PilotRating], Hashable]]] = {
    "participants": lambda each: each.participant,
    "participants by condition": lambda rating: (rating.participant, rating.condition),
    "items": lambda each: each.item,
    "items by condition": lambda pilot_rating: (pilot_rating.item, pilot_rating.condition),
}
RESIDUAL: Final = "residual"


@frozen
class Variances:
    """The variance of each part of a rating by name, 0 where its estimate is below; `notes` say what cannot be told."""

    by_part: Mapping[str, float]
    notes: tuple[str, ...] = ()

    def deviation(self, part: str) -> float:
        """Return the standard deviation of a part."""
        return sqrt(self.by_part.get(part, 0.0))


def variances_of(trials: Sequence[PilotRating]) -> Variances:
    """Return the variances of the parts of ratings.

    A part that the design cannot tell from the rest (each person rated one sentence of each condition) counts to the
    rest, and that is said.
    """
    parts, notes = [], []
    for name, key in GROUPINGS.items():
        if "by condition" in name and max(Counter(map(key, trials)).values()) == 1:
            which = name.split()[0]
            notes.append(
                f"no two ratings of {which} in one condition: how {which} differ in the effect cannot be told from the "
                "rest, so that the power is too high"
            )
        else:
            parts.append(name)
    sums, matrix = moments(trials, parts)
    found = determined(matrix, sums)
    negative = [name for name, value in zip((*parts, RESIDUAL), found, strict=True) if value < 0]
    if negative:
        notes.append(f"variances estimated below 0, and taken as 0: {', '.join(negative)}")
    return Variances(
        {name: max(0.0, value) for name, value in zip((*parts, RESIDUAL), found, strict=True)}, tuple(notes)
    )


def moments(trials: Sequence[PilotRating], parts: Sequence[str]) -> tuple[list[float], list[list[float]]]:
    """Return the sums of squares of each part and of the residual, and the matrix of their expected values."""
    conditions = list(dict.fromkeys(rating.condition for rating in trials))
    number = Counter(trial.condition for trial in trials)
    mean = {c: fmean(each.value for each in trials if each.condition == c) for c in conditions}
    centred = [each.value - mean[each.condition] for each in trials]
    keys = [[GROUPINGS[part](pilot_rating) for pilot_rating in trials] for part in parts] + [list(range(len(trials)))]
    sums = []
    for own in keys:
        of_group: dict[Hashable, float] = {}
        for key, value in zip(own, centred, strict=True):
            of_group[key] = of_group.get(key, 0.0) + value
        sums.append(fsum(value * value for value in of_group.values()))
    in_condition = [Counter(zip(own, (t.condition for t in trials), strict=True)) for own in keys]
    products = [_products(counts, conditions) for counts in in_condition]
    matrix = []
    for one, counts, mine in zip(keys, in_condition, products, strict=True):
        row = []
        for other, others, theirs in zip(keys, in_condition, products, strict=True):
            both = Counter(zip(one, other, strict=True))
            shared = fsum(
                n * n - 2 * n * fsum(counts[a, c] * others[b, c] / number[c] for c in conditions)
                for (a, b), n in both.items()
            )
            means = fsum(mine[c, d] * theirs[c, d] / (number[c] * number[d]) for c in conditions for d in conditions)
            row.append(shared + means)
        matrix.append(row)
    return sums, matrix


def _products(
    counts: Mapping[tuple[Hashable, Condition], int], conditions: Sequence[Condition]
) -> dict[tuple[Condition, Condition], float]:
    """Return for each two conditions the sum over groups of the products of their numbers of trials."""
    groups: dict[Hashable, dict[Condition, int]] = {}
    for (group, condition), number in counts.items():
        groups.setdefault(group, {})[condition] = number
    found = {(c, d): 0.0 for c in conditions for d in conditions}
    for own in groups.values():
        for c, m in own.items():
            for d, n in own.items():
                found[c, d] += m * n
    return found


# Simulated experiments


@frozen
class Power:
    """How often the contrast is found in simulated experiments with so many people and items.

    `false_alarms` are the same shares where there is no effect. Both are by test: `participants`, `items`, `both` (each
    of these two) and `min F'`.
    """

    people: int
    items: int
    simulations: int
    found: Mapping[str, float]
    false_alarms: Mapping[str, float]


TESTS: Final = ("participants", "items", "both", "min F'")


def simulate(
    variances: Variances,
    signs: Sequence[int],
    effect: float,
    people: int,
    items: int,
    simulations: int = SIMULATIONS,
    seed: int = 0,
) -> Power:
    """Return the power for an effect of the contrast with these signs, one for each condition.

    Raises UsageError for items that are no multiple of the conditions, or fewer people than these.
    """
    conditions = len(signs)
    if items % conditions or items < 2:
        raise UsageError(
            f"{counted(items, 'item')} for {counted(conditions, 'condition')}\n"
            f"  every person has each condition equally often: take a multiple of {conditions}"
        )
    if people < max(2, conditions):
        raise UsageError(
            f"{people} people for {counted(conditions, 'condition')}\n  take {max(2, conditions)} at least"
        )
    random = Random(f"{seed} {people} {items}")
    critical = [t_quantile(1 - LEVEL / 2, number - 1) for number in (people, items)]
    found, alarms = Counter[str](), Counter[str]()
    for _ in range(simulations):
        tests = _one_experiment(variances, signs, people, items, random)
        for shift, counts in ((effect, found), (0.0, alarms)):
            counts.update(_significant(tests, shift, critical, people, items))
    return Power(
        people,
        items,
        simulations,
        {test: found[test] / simulations for test in TESTS},
        {test: alarms[test] / simulations for test in TESTS},
    )


def _one_experiment(
    variances: Variances, signs: Sequence[int], people: int, items: int, random: Random
) -> list[tuple[float, float]]:
    """Return the mean contrast and its standard error, by participants and by items, where there is no effect."""
    conditions, gauss = len(signs), random.gauss
    person, in_person, item, in_item, rest = (variances.deviation(name) for name in (*GROUPINGS, RESIDUAL))
    of_item = [gauss(0.0, item) for _ in range(items)]
    in_items = [[own + gauss(0.0, in_item) for _ in signs] for own in of_item]
    by_person = []
    by_item = [[0.0] * conditions for _ in range(items)]
    seen = [[0] * conditions for _ in range(items)]
    for number in range(people):
        own = gauss(0.0, person)
        effects = [own + gauss(0.0, in_person) for _ in signs]
        contrast = 0.0
        for place in range(items):
            condition = (place + number) % conditions
            value = effects[condition] + in_items[place][condition] + gauss(0.0, rest)
            contrast += signs[condition] * value
            by_item[place][condition] += value
            seen[place][condition] += 1
        by_person.append(contrast * conditions / items)
    of_items = [
        fsum(sign * total / count for sign, total, count in zip(signs, totals, counts, strict=True))
        for totals, counts in zip(by_item, seen, strict=True)
    ]
    return [(fmean(row), stdev(row) / sqrt(len(row))) for row in (by_person, of_items)]


def _significant(
    tests: Sequence[tuple[float, float]], effect: float, critical: Sequence[float], people: int, items: int
) -> Iterator[str]:
    """Return the names of the tests that find something."""
    t = [(mean + effect) / error if error else float("inf") for mean, error in tests]
    by_people, by_items = (abs(value) > limit for value, limit in zip(t, critical, strict=True))
    if by_people:
        yield "participants"
    if by_items:
        yield "items"
    if by_people and by_items:
        yield "both"
    f1, f2 = (value * value for value in t)
    if f1 + f2 < float("inf") and f1 + f2 > 0:
        least = f1 * f2 / (f1 + f2)
        freedom = (f1 + f2) ** 2 / (f1 * f1 / (items - 1) + f2 * f2 / (people - 1))
        if t_p_value(sqrt(least), freedom) < LEVEL:
            yield "min F'"


# The report


@report("numbat.power/1")
def power_report(
    pilot: Pilot, variances: Variances, effect: float, is_given: bool, found: Sequence[Power]
) -> Iterator[Part]:
    """Return what the pilot says, and how often simulated experiments find the effect; `is_given`: it was asked for."""
    people, items = counted(pilot.participants, "participant"), counted(pilot.items, "item")
    yield Line(f"pilot: {people}, {items}, {counted(len(pilot.trials), 'rating')}")
    yield Members({"participants": pilot.participants, "items": pilot.items, "ratings": len(pilot.trials)})
    notes = [*pilot.notes, *variances.notes]
    yield Member("notes", notes, cautions(notes))
    yield Member(
        "contrast",
        {
            "factors": list(pilot.factors),
            "conditions": [
                {"condition": list(c), "sign": sign, "mean": pilot.means[c]} for c, sign in pilot.signs.items()
            ],
            "value": pilot.contrast,
        },
        f"{' × '.join(pilot.factors)}: {_formula(pilot)} = {pilot.contrast:.3f}",
    )
    names = [name for name in (*GROUPINGS, RESIDUAL) if name in variances.by_part]
    parts = ", ".join(f"{name} {variances.deviation(name):.3f}" for name in names)
    yield Member("variances", dict(variances.by_part), f"standard deviations: {parts}")
    told = f"effect that is to be found: {effect:g}"
    if not is_given:
        told = (
            f"! effect that is to be found: {effect:.3f}, that of the pilot, which is uncertain and most often too "
            "large; --effect X says the least that matters"
        )
    yield Member("effect", effect, [told, ""])
    yield Table(POWER, found, "power")
    number = found[0].simulations
    yield Line(
        f"share of {number:,} simulated experiments in which p < .05; in brackets where there is no effect; "
        f"standard error at most {0.5 / number**0.5:.3f}"
    )
    for test, other in (("participants", "items"), ("items", "people")):
        alarms = max(power.false_alarms[test] for power in found)
        if alarms > TOO_MANY:
            yield Line(
                f"! tests by {test} alone find in up to {alarms:.0%} what is not there, for {other} differ: "
                "report both, or a mixed model"
            )
    yield Line("ratings are normally distributed, without the ends of a scale; every person sees every item once")


def _test_columns(test: str) -> Iterator[Column[Power]]:
    title = f"by {test}" if test in ("participants", "items") else test
    yield Column(title, lambda power: f"{power.found[test]:.2f}")
    yield Column("", lambda each: f"({each.false_alarms[test]:.3f})")


POWER: Final[Sequence[Column[Power]]] = (
    Column("people", "", "people"),
    Column("items", "", "items"),
    Column(key="simulations"),
    *(column for test in TESTS for column in _test_columns(test)),
    Column(key="found", value=lambda power: dict(power.found)),
    Column(key="false_alarms", value=lambda each: dict(each.false_alarms)),
)
TOO_MANY: Final = 0.075
"""A share of false alarms that is told: that of a test at .05 with the error of 1,000 simulations, and more."""


def _formula(pilot: Pilot) -> str:
    ordered = sorted(pilot.signs.items(), key=lambda pair: -pair[1])
    text = " ".join(f"{'+' if sign > 0 else '-'} ({', '.join(condition)})" for condition, sign in ordered)
    return text.removeprefix("+ ")
