"""The power of an experiment: how often n people and m items show an effect, simulated on the basis of a pilot.

A rating is the mean of its condition plus normally distributed terms: the person, the person in that condition, the
item, the item in that condition, and the rest. Their variances are estimated from a pilot (by moments, unbiased for any
pattern of missing ratings), the experiment is a Latin square, and each simulated experiment is tested by participants,
by items, and by both together (min F': Clark 1973).
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
"""Level of significance of the two-sided tests."""
LEAST_PEOPLE: Final = 2
"""Least number of people, and of items, in a pilot."""


@frozen
class PilotRating:
    """A rating of a pilot: who gave it, to which item in which condition."""

    participant: str
    item: str
    condition: Condition
    value: float


@frozen
class Pilot:
    """The ratings of a pilot study in the conditions of one contrast.

    `signs` holds +1 or -1 for each condition of the contrast; `notes` report what was left out.
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
        """Mean rating of each condition."""
        return {condition: fmean(t.value for t in self.trials if t.condition == condition) for condition in self.signs}

    @property
    def contrast(self) -> float:
        """Sum of the mean of each condition times its sign: for two factors, the difference of differences."""
        means = self.means
        return fsum(sign * means[condition] for condition, sign in self.signs.items())


def read_pilot(
    path: str, factors: Sequence[Factor], where: Mapping[str, str] | None = None, z_scores: bool = False
) -> Pilot:
    """Return the ratings in a table; each row has one, with the columns participant, item, the factors, rating.

    `where` selects rows by their cells; with `z_scores` ratings are standardized within each participant, over all rows
    of the file, before rows are selected. The contrast is the product of all factors, of two levels each, with its sign
    chosen so that it is not negative here. Raises MissingFileError, DataError, UsageError.
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
            hint = "each row of a pilot has one number; leave the cell of a missing rating empty"
            problems.append(Problem(f'"{text}" is not a rating', Span(table.path, line), hint=hint))
            continue
        condition = tuple(cell_of(cells, place) for place in places)
        is_kept = all(cell_of(cells, place) == value for place, value in kept.items())
        named = not any(factor.lacks(level) for factor, level in zip(factors, condition, strict=False))
        is_target = is_kept and named and not any(map(is_no_rating, condition))
        rows.append((PilotRating(cell_of(cells, who), cell_of(cells, items), condition, value), is_target))
    if problems:
        raise data_error(*problems)
    notes = [f"rows left out because they have no rating: {unrated:,}"] * bool(unrated)
    if z_scores:
        rows, flat = _standardized(rows)
        notes += [f"participants left out because their ratings do not vary: {flat}"] * bool(flat)
    trials = tuple(trial for trial, is_target in rows if is_target)
    return pilot_of(tuple(table.names[place] for place in places), trials, table.path, tuple(notes))


def pilot_of(
    factors: tuple[str, ...], trials: tuple[PilotRating, ...], path: str, notes: tuple[str, ...] = ()
) -> Pilot:
    """Return a pilot of these ratings. Raises UsageError for a factor without two levels, DataError if too few."""
    levels = [tuple(dict.fromkeys(trial.condition[place] for trial in trials)) for place in range(len(factors))]
    for factor, names in zip(factors, levels, strict=True):
        if len(names) != 2:
            raise UsageError(
                f"{path}: {factor} has {counted(len(names), 'level')}: {', '.join(names) or 'no row is left'}\n"
                "  a contrast is between two levels: --where NAME=VALUE selects rows of the file"
            )
    signs: dict[Condition, int] = {}
    for condition in product(*levels):
        signs[condition] = (-1) ** sum(level != names[0] for level, names in zip(condition, levels, strict=True))
    conditions = {rating.condition for rating in trials}
    if lacking := [", ".join(condition) for condition in signs if condition not in conditions]:
        raise DataError(
            f"{path}: no rating in {'; '.join(lacking)}\n  a contrast needs ratings in each combination of levels"
        )
    pilot = Pilot(factors, signs, trials, notes)
    for number, what in ((pilot.participants, "participant"), (pilot.items, "item")):
        if number < LEAST_PEOPLE:
            raise DataError(f"{path}: only {counted(number, what)}\n  variances need at least {LEAST_PEOPLE}")
    if pilot.contrast < 0:
        pilot = Pilot(factors, {condition: -sign for condition, sign in signs.items()}, trials, notes)
    return pilot


def _standardized(rows: Sequence[tuple[PilotRating, bool]]) -> tuple[list[tuple[PilotRating, bool]], int]:
    """Return the rows with z-scores, without participants whose ratings do not vary, and the number of these."""
    values: dict[str, list[float]] = {}
    for trial, _ in rows:
        values.setdefault(trial.participant, []).append(trial.value)
    spread = {name: stdev(ratings) if len(ratings) > 1 else 0.0 for name, ratings in values.items()}
    means = {name: fmean(ratings) for name, ratings in values.items()}
    scored = [
        (
            PilotRating(t.participant, t.item, t.condition, (t.value - means[t.participant]) / spread[t.participant]),
            is_target,
        )
        for t, is_target in rows
        if spread[t.participant]
    ]
    return scored, sum(not deviation for deviation in spread.values())


# Variances by moments: the expected sums of squares of group sums are linear in the variances.
#
# Let M be the projection that removes the means of conditions, Z and W the indicators of two groupings. The sum of
# squares of the sums of M y over the groups of Z has as its expected value the variance of W's groups times |Z' M W|²,
# summed over the groupings W. Solving these equations gives unbiased estimates for any pattern of missing ratings.

GROUPINGS: Final[Mapping[str, Callable[[PilotRating], Hashable]]] = {
    "participants": lambda rating: rating.participant,
    "participants by condition": lambda rating: (rating.participant, rating.condition),
    "items": lambda rating: rating.item,
    "items by condition": lambda rating: (rating.item, rating.condition),
}
RESIDUAL: Final = "residual"


@frozen
class Variances:
    """The variance of each part of a rating, by name; negative estimates count as 0. `notes` are cautions."""

    by_part: Mapping[str, float]
    notes: tuple[str, ...] = ()

    def deviation(self, part: str) -> float:
        """Return the standard deviation of a part."""
        return sqrt(self.by_part.get(part, 0.0))


def variances_of(trials: Sequence[PilotRating]) -> Variances:
    """Return the variances of the parts of ratings.

    A part that the design cannot separate from the rest (each person rated one sentence of each condition) is added to
    the rest, with a note.
    """
    parts, notes = [], []
    for name, key in GROUPINGS.items():
        if "by condition" in name and max(Counter(map(key, trials)).values()) == 1:
            which = name.split()[0]
            notes.append(
                f"no two ratings of {which} in one condition: how {which} differ in the effect cannot be separated "
                "from the rest, so that the power is too high"
            )
        else:
            parts.append(name)
    sums, matrix = moments(trials, parts)
    solution = determined(matrix, sums)
    negative = [name for name, value in zip((*parts, RESIDUAL), solution, strict=True) if value < 0]
    if negative:
        notes.append(f"negative estimates of variances, set to 0: {', '.join(negative)}")
    return Variances(
        {name: max(0.0, value) for name, value in zip((*parts, RESIDUAL), solution, strict=True)}, tuple(notes)
    )


def moments(trials: Sequence[PilotRating], parts: Sequence[str]) -> tuple[list[float], list[list[float]]]:
    """Return the sums of squares of each part and of the residual, and the matrix of their expected values."""
    conditions = list(dict.fromkeys(rating.condition for rating in trials))
    number = Counter(trial.condition for trial in trials)
    mean = {c: fmean(trial.value for trial in trials if trial.condition == c) for c in conditions}
    centred = [trial.value - mean[trial.condition] for trial in trials]
    keys = [[GROUPINGS[part](trial) for trial in trials] for part in parts] + [list(range(len(trials)))]
    sums = []
    for groups in keys:
        of_group: dict[Hashable, float] = {}
        for key, value in zip(groups, centred, strict=True):
            of_group[key] = of_group.get(key, 0.0) + value
        sums.append(fsum(value * value for value in of_group.values()))
    in_condition = [Counter(zip(groups, (t.condition for t in trials), strict=True)) for groups in keys]
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
    """Return for each pair of conditions the sum over groups of the products of their numbers of trials."""
    groups: dict[Hashable, dict[Condition, int]] = {}
    for (group, condition), number in counts.items():
        groups.setdefault(group, {})[condition] = number
    products = {(c, d): 0.0 for c in conditions for d in conditions}
    for numbers in groups.values():
        for c, m in numbers.items():
            for d, n in numbers.items():
                products[c, d] += m * n
    return products


# Simulated experiments


@frozen
class Power:
    """Share of simulated experiments that find the contrast, with these numbers of people and items.

    `false_alarms` are the shares when there is no effect. Both are given for each test: `participants`, `items`, `both`
    (significant by each of the two) and `min F'`.
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
    """Return how often simulated experiments find an effect of the contrast with these signs, one for each condition.

    Raises UsageError if the items are not a multiple of the conditions, or if there are fewer people than conditions.
    """
    conditions = len(signs)
    if items % conditions or items < 2:
        raise UsageError(
            f"{counted(items, 'item')} for {counted(conditions, 'condition')}\n"
            f"  every person has each condition equally often: take a multiple of {conditions}"
        )
    if people < max(2, conditions):
        raise UsageError(
            f"{people} people for {counted(conditions, 'condition')}\n  take at least {max(2, conditions)}"
        )
    random = Random(f"{seed} {people} {items}")
    critical = [t_quantile(1 - LEVEL / 2, number - 1) for number in (people, items)]
    hits, alarms = Counter[str](), Counter[str]()
    for _ in range(simulations):
        tests = _one_experiment(variances, signs, people, items, random)
        for shift, counts in ((effect, hits), (0.0, alarms)):
            counts.update(_significant(tests, shift, critical, people, items))
    return Power(
        people,
        items,
        simulations,
        {test: hits[test] / simulations for test in TESTS},
        {test: alarms[test] / simulations for test in TESTS},
    )


def _one_experiment(
    variances: Variances, signs: Sequence[int], people: int, items: int, random: Random
) -> list[tuple[float, float]]:
    """Simulate an experiment without an effect; return its mean contrast and standard error, by people and items."""
    conditions, gauss = len(signs), random.gauss
    person, in_person, item, in_item, rest = (variances.deviation(name) for name in (*GROUPINGS, RESIDUAL))
    of_item = [gauss(0.0, item) for _ in range(items)]
    in_items = [[mean + gauss(0.0, in_item) for _ in signs] for mean in of_item]
    by_person = []
    by_item = [[0.0] * conditions for _ in range(items)]
    seen = [[0] * conditions for _ in range(items)]
    for number in range(people):
        mean = gauss(0.0, person)
        effects = [mean + gauss(0.0, in_person) for _ in signs]
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
    """Yield the names of the tests that are significant if `effect` is added to the contrast."""
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
    pilot: Pilot, variances: Variances, effect: float, is_given: bool, powers: Sequence[Power]
) -> Iterator[Part]:
    """Yield what the pilot shows, and the power by simulation; `is_given` if the effect comes from an option."""
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
    text = f"effect to be found: {effect:g}"
    if not is_given:
        text = (
            f"! effect to be found: {effect:.3f}, the estimate from the pilot, which is uncertain and usually too "
            "large; --effect X sets the smallest effect that matters"
        )
    yield Member("effect", effect, [text, ""])
    yield Table(POWER, powers, "power")
    number = powers[0].simulations
    yield Line(
        f"share of {number:,} simulated experiments with p < .05; in brackets, without an effect; "
        f"standard error at most {0.5 / number**0.5:.3f}"
    )
    for test, other in (("participants", "items"), ("items", "people")):
        alarms = max(power.false_alarms[test] for power in powers)
        if alarms > TOO_MANY:
            yield Line(
                f"! tests by {test} alone have up to {alarms:.0%} false alarms, because {other} differ: "
                "report both, or a mixed model"
            )
    yield Line("assumptions: normally distributed ratings without ends of the scale; every person sees every item once")


def _test_columns(test: str) -> Iterator[Column[Power]]:
    title = f"by {test}" if test in ("participants", "items") else test
    yield Column(title, lambda power: f"{power.found[test]:.2f}")
    yield Column("", lambda row: f"({row.false_alarms[test]:.3f})")


POWER: Final[Sequence[Column[Power]]] = (
    Column("people", "", "people"),
    Column("items", "", "items"),
    Column(key="simulations"),
    *(column for test in TESTS for column in _test_columns(test)),
    Column(key="found", value=lambda power: dict(power.found)),
    Column(key="false_alarms", value=lambda row: dict(row.false_alarms)),
)
TOO_MANY: Final = 0.075
"""Share of false alarms that is reported: above .05 by more than the error of 1,000 simulations."""


def _formula(pilot: Pilot) -> str:
    ordered = sorted(pilot.signs.items(), key=lambda pair: -pair[1])
    text = " ".join(f"{'+' if sign > 0 else '-'} ({', '.join(condition)})" for condition, sign in ordered)
    return text.removeprefix("+ ")
