"""Factorial designs: means by condition of people and of a model, interaction contrasts, formulas over conditions.

People's values are z-scores within participant over all trials of the suite (n - 1), or the ratings themselves if the
participants are unknown; the model's values are its scores. A condition is one level of each factor; items are the
groups of a suite, which occur in several conditions. `interaction_verdicts` compares the two kinds of values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import fsum, sqrt
from statistics import fmean, stdev
from typing import Final, NamedTuple

from numbat.acceptability.models import Scorer, gains
from numbat.acceptability.suite import Item, Rating, Suite
from numbat.acceptability.suite_tables import value_of
from numbat.acceptability.verdicts import ScoredItem
from numbat.errors import DataError, UsageError, close_match, counted, first_of
from numbat.experiments.interaction_verdicts import (
    MOST_ALIKE,
    Contrasts,
    InteractionEstimate,
    Link,
    OnOneScale,
    Verdict,
    doubt_of,
    link_of,
    on_one_scale,
    verdict_of,
)
from numbat.experiments.materials import Factor, factors_of
from numbat.experiments.trials import SEPARATE, shared_numbers
from numbat.grammar.properties import format_named
from numbat.records import frozen
from numbat.statistics.correlations import mean
from numbat.statistics.distributions import t_quantile
from numbat.statistics.intervals import LEVEL, Estimate, estimate, mean_interval

Condition = tuple[str, ...]
"""One level of each factor, in the order of the factors."""


@frozen
class DesignSettings:
    """Factors, the columns whose values define separate designs, and formulas over conditions.

    `alike` bounds differences between model and people that count as none, in people's unit; the default of None is
    `MOST_ALIKE` standard deviations of people's ratings.
    """

    factors: tuple[Factor, ...] = ()
    designs: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    alike: float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that are read for the designs."""
        return (*(factor.name for factor in self.factors), *self.designs)


def design_of(
    factors: str | None, designs: str | None = None, formulas: Sequence[str] = (), alike: float | None = None
) -> DesignSettings:
    """Return settings from texts: factors `structure=non/isl,length=long/short` or `structure,length`, designs `a,b`.

    Raises UsageError.
    """
    factor_list = factors_of(factors)
    if designs and not factor_list:
        raise UsageError("--designs without factors\n  add --factors, the columns that are crossed in each design")
    if alike is not None and not factor_list:
        raise UsageError(
            "--alike without factors\n  add --factors, whose interaction is compared between model and people"
        )
    for formula in formulas:
        Formula.read(formula)
    columns = tuple(filter(None, (name.strip() for name in (designs or "").split(","))))
    return DesignSettings(factor_list, columns, tuple(formulas), alike)


@frozen
class CellMean:
    """A condition: numbers of items and ratings, the mean of people and the mean of the model.

    People's interval is that of Cousineau and Morey if everybody saw every condition; the model's is over items.
    """

    condition: Condition
    items: int
    ratings: int
    people: Estimate
    model: Estimate


@frozen
class PropertyShare:
    """A property and its share in the model's interaction: what repairing its violations, each alone, takes from it.

    `name` is the property in the notation, `fragments`, or `rest`: what no violation alone explains.
    """

    name: str
    value: float


@frozen
class Design:
    """The results of one design.

    `people` and `model` are the interaction of all factors, each on its own scale, None unless each factor has two
    levels; `on_one_scale` compares them, `bound` is the greatest difference that counts as none. `properties` are the
    shares in the model's interaction, the greatest first.
    """

    name: str
    factors: tuple[Factor, ...]
    cells: tuple[CellMean, ...]
    people: InteractionEstimate | None = None
    model: InteractionEstimate | None = None
    on_one_scale: OnOneScale | None = None
    bound: float = MOST_ALIKE
    properties: tuple[PropertyShare, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict on the model's interaction."""
        if self.people is None or self.on_one_scale is None:
            return "cannot tell"
        return verdict_of(self.people, self.on_one_scale, self.bound)

    @property
    def doubt(self) -> str:
        """Reason why the verdict cannot be told; empty if it can, or if there is no interaction."""
        if self.verdict != "cannot tell" or self.people is None or self.on_one_scale is None:
            return ""
        return doubt_of(self.people, self.on_one_scale, self.bound)


@frozen
class FormulaResult:
    """A formula over conditions: the share of items for which it holds, or its mean if it compares nothing.

    `refused` is the reason why it has no value.
    """

    formula: str
    design: str
    is_claim: bool
    people: Estimate | None
    model: Estimate | None
    refused: str = ""


@frozen
class DesignReport:
    """The designs of a suite, one for each combination of values in `columns`.

    `unit` names people's values, `contrast` the interaction in terms of conditions; `link` is the line from scores to
    people's values, `bound` the greatest difference that counts as none; `participants` is 0 if they are unknown.
    """

    factors: tuple[Factor, ...]
    columns: tuple[str, ...]
    designs: tuple[Design, ...]
    formulas: tuple[FormulaResult, ...]
    unit: str
    contrast: str
    link: Link
    bound: float
    participants: int
    notes: tuple[str, ...] = ()


def analysed(
    suite: Suite, items: Sequence[ScoredItem], settings: DesignSettings, score: Scorer | None = None
) -> DesignReport:
    """Return the designs of a scored suite; `score` is the model, by which properties have shares.

    Raises UsageError for a missing column, DataError if no item fits.
    """
    for column in settings.columns:
        _check_column(suite, column)
    rated, unit, people, notes = z_scored(suite)
    scored = [replace(item, item=rated[item.item.id]) for item in items]
    factors = tuple(_with_levels(factor, [item.item for item in scored]) for factor in settings.factors)
    notes += _left_out(factors, [item.item for item in scored])
    groups = _designs(scored, factors, settings.designs) if factors else {}
    notes += _of_several_experiments(groups.values())
    scale = _PeoplesScale(link_of(scored), settings.alike or MOST_ALIKE * _deviation(scored, people > 0))
    designs = tuple(_design(name, factors, group, scale, score) for name, group in groups.items())
    written = (*settings.formulas, *(formula for formula in suite.formulas if formula not in settings.formulas))
    whole = groups or {"": {(item.item.phenomenon,): [] for item in scored}}
    by_condition = groups or {"": _by_condition(scored, lambda item: (item.phenomenon,), whole[""])}
    results = tuple(_formula(text, name, group) for name, group in by_condition.items() for text in written)
    contrast = interaction(factors) if factors else ""
    return DesignReport(factors, settings.designs, designs, results, unit, contrast, *scale, people, tuple(notes))


class _PeoplesScale(NamedTuple):
    """The line from scores to people's values, and the greatest difference on their scale that counts as none."""

    link: Link
    bound: float


def _deviation(scored: Sequence[ScoredItem], is_z: bool) -> float:
    """Return the standard deviation of people's values: 1 for z-scores."""
    values = [] if is_z else [rating.value for rating in _ratings(scored)]
    return stdev(values) if len(set(values)) > 1 else 1.0


def _check_column(suite: Suite, column: str) -> None:
    if not any(value_of(item, column) for item in suite.items):
        names = [name for name, _ in suite.items[0].others]
        hint = close_match(column, names) or (
            f"the suite has {', '.join(names)}" if names else "it has no such columns"
        )
        raise UsageError(
            f'{suite.name} has no column "{column}", or its values differ between lines of a sentence\n  {hint}'
        )


def _with_levels(factor: Factor, items: Sequence[Item]) -> Factor:
    """Return the factor with the levels of the items. Raises UsageError for a named level that no item has."""
    levels = list(dict.fromkeys(filter(None, (value_of(item, factor.name) for item in items))))
    if missing := [level for level in factor.levels if level not in levels]:
        hint = close_match(missing[0], levels) or f"its levels are {', '.join(levels)}"
        raise UsageError(f'the factor {factor.name} has no level "{missing[0]}"\n  {hint}')
    return factor if factor.levels else replace(factor, levels=tuple(levels))


def _left_out(factors: Sequence[Factor], items: Sequence[Item]) -> list[str]:
    out = [item.id for item in items if factors and None in _condition(item, factors)]
    if not out:
        return []
    return [f"{counted(len(out), 'sentence')} in no condition of the design, such as fillers ({first_of(out, 3)})"]


def _of_several_experiments(designs: Iterable[Mapping[Condition, Sequence[ScoredItem]]]) -> list[str]:
    """Report items that have several sentences in a condition of a design, which the means count as one."""
    sentences: dict[tuple[int, Condition, str], set[str]] = {}
    for number, design in enumerate(designs):
        for condition, items in design.items():
            for item in (scored.item for scored in items if scored.item.group):
                sentences.setdefault((number, condition, item.group), set()).add(item.sentence)
    several = dict.fromkeys(group for (_, _, group), shown in sentences.items() if len(shown) > 1)
    return [shared_numbers([*several], SEPARATE)] if several else []


def _condition(item: Item, factors: Sequence[Factor]) -> tuple[str | None, ...]:
    values = ((value_of(item, factor.name), factor.levels) for factor in factors)
    return tuple(value if value in levels else None for value, levels in values)


Cells = Mapping[Condition, Sequence[ScoredItem]]


def _designs(
    scored: Sequence[ScoredItem], factors: Sequence[Factor], columns: Sequence[str]
) -> dict[str, dict[Condition, list[ScoredItem]]]:
    """Return the sentences of each condition of each design, by the name of the design."""
    parts: dict[str, list[ScoredItem]] = {}
    for scored_item in scored:
        condition = _condition(scored_item.item, factors)
        name = " ".join(value_of(scored_item.item, column) for column in columns)
        if None not in condition and (name.strip() or not columns):
            parts.setdefault(name, []).append(scored_item)
    if not parts:
        raise DataError("no sentence has a level of every factor\n  check that --factors names columns of the suite")
    conditions = list(product(*(factor.levels for factor in factors)))
    return {
        name: _by_condition(group, lambda item: _levels(item, factors), conditions)
        for name, group in sorted(parts.items())
    }


def _levels(item: Item, factors: Sequence[Factor]) -> Condition:
    return tuple(value_of(item, factor.name) for factor in factors)


def _by_condition(
    scored: Sequence[ScoredItem], of: Callable[[Item], Condition], conditions: Iterable[Condition]
) -> dict[Condition, list[ScoredItem]]:
    items_of: dict[Condition, list[ScoredItem]] = {condition: [] for condition in conditions}
    for item in scored:
        items_of[of(item.item)].append(item)
    return {condition: items for condition, items in items_of.items() if items}


# People: z-scores within participant over all trials


def z_scored(suite: Suite) -> tuple[dict[str, Item], str, int, list[str]]:
    """Return the items by id, rated by people's values; the unit of these values; the number of people; notes."""
    by_participant = suite.by_participant
    if not by_participant or "" in by_participant:
        note = "participants are unknown: ratings as they are, no intervals over participants"
        return {item.id: item for item in suite.items}, "rating", 0, [note] if suite.rated else []
    if any(rating.z is not None for item in suite.items for rating in item.ratings):
        return {item.id: _with_given_z(item) for item in suite.items}, "z within participant", len(by_participant), []
    spread = {name: stdev(values) if len(values) > 1 else 0.0 for name, values in by_participant.items()}
    middle = {name: fmean(values) for name, values in by_participant.items()}

    def standardized(item: Item) -> Item:
        values = ((rating.value, rating.participant) for rating in item.ratings if spread[rating.participant])
        ratings = tuple(Rating((value - middle[name]) / spread[name], name) for value, name in values)
        return replace(item, ratings=ratings, rating=fmean(rating.value for rating in ratings) if ratings else None)

    flat = [name for name, value in spread.items() if not value]
    notes = [f"left out of z-scores, because their ratings do not vary: {len(flat)} participants ({first_of(flat, 3)})"]
    number = len(spread) - len(flat)
    return {item.id: standardized(item) for item in suite.items}, "z within participant", number, notes if flat else []


def _with_given_z(item: Item) -> Item:
    """Return the item rated by z-scores that came with it: they may rest on more of the experiment than this suite."""
    ratings = tuple(Rating(rating.z, rating.participant) for rating in item.ratings if rating.z is not None)
    return replace(item, ratings=ratings, rating=fmean(rating.value for rating in ratings) if ratings else None)


def _ratings(items: Iterable[ScoredItem]) -> list[Rating]:
    """Return the ratings of items; the mean of an item without single ratings counts as one."""
    return [
        rating
        for item in items
        for rating in (item.item.ratings or ([] if item.item.rating is None else [Rating(item.item.rating)]))
    ]


def _design(name: str, factors: tuple[Factor, ...], cells: Cells, scale: _PeoplesScale, score: Scorer | None) -> Design:
    intervals, missing = _cousineau_morey(cells, [*product(*(factor.levels for factor in factors))])
    means = tuple(_cell(condition, items, intervals.get(condition), missing) for condition, items in cells.items())
    lacking = [condition for condition in product(*(factor.levels for factor in factors)) if condition not in cells]
    notes = [f"no sentence in the condition {named(condition)}" for condition in lacking]
    if any(len(factor.levels) != 2 for factor in factors) or lacking:
        notes += [] if lacking else ["an interaction needs two levels in each factor: name them in --factors"]
        return Design(name, factors, means, notes=tuple(notes))
    weights = _signs(factors)
    contrasts = _contrasts(weights, cells)
    people = InteractionEstimate(
        _contrast(weights, {cell.condition: cell.people.value for cell in means}),
        _over(contrasts.people, "item is"),
        None if contrasts.participants is None else _over(contrasts.participants, "participant was"),
    )
    model = InteractionEstimate(
        _contrast(weights, {cell.condition: cell.model.value for cell in means}), _over(contrasts.model, "item is")
    )
    both = on_one_scale(scale.link, contrasts, people.value, model.value)
    shares = () if score is None else tuple(_shares(weights, cells, score, model.value or 0.0))
    return Design(name, factors, means, people, model, both, scale.bound, shares, tuple(notes))


def named(condition: Condition) -> str:
    """Return the name of a condition: its levels, separated by strokes."""
    return "/".join(condition)


def _cell(condition: Condition, items: Sequence[ScoredItem], reach: float | None, missing: str) -> CellMean:
    ratings = [rating.value for rating in _ratings(items)]
    middle = fmean(ratings) if ratings else None
    people = Estimate(middle, None, None, len(ratings), missing=missing)
    if middle is not None and reach is not None:
        people = Estimate(middle, middle - reach, middle + reach, len(ratings), len(ratings))
    scores = [item.value for item in items if item.value is not None]
    return CellMean(condition, len(items), len(ratings), people, mean_interval(scores))


SOME_SAW_SOME: Final = "not everybody saw every condition"


def _cousineau_morey(cells: Cells, conditions: Sequence[Condition]) -> tuple[dict[Condition, float], str]:
    """Return half the length of each condition's interval (Cousineau 2005, with Morey's (2008) factor), or a reason.

    The reason is that not everybody saw every condition, or that participants are unknown; else it is empty.
    """
    people = _means_of_participants(cells)
    if not people:
        return {}, "participants are unknown"
    if len(people) < 2 or any(len(means) != len(conditions) for means in people.values()):
        return {}, SOME_SAW_SOME
    number = len(conditions)
    grand = fmean(fmean(means.values()) for means in people.values())
    reaches = {}
    for condition in conditions:
        values = [means[condition] - fmean(means.values()) + grand for means in people.values()]
        error = stdev(values) / sqrt(len(values)) * sqrt(number / (number - 1))
        reaches[condition] = t_quantile((1 + LEVEL) / 2, len(values) - 1) * error
    return reaches, ""


def _means_of_participants(cells: Cells) -> dict[str, dict[Condition, float]]:
    """Return the mean of each participant in each condition; empty if participants are unknown."""
    ratings: dict[str, dict[Condition, list[float]]] = {}
    for condition, items in cells.items():
        for rating in _ratings(items):
            if not rating.participant:
                return {}
            ratings.setdefault(rating.participant, {}).setdefault(condition, []).append(rating.value)
    return {name: {condition: fmean(row) for condition, row in of.items()} for name, of in ratings.items()}


# Interactions


def interaction(factors: Sequence[Factor]) -> str:
    """Return the interaction of all factors as a difference of differences, first levels minus second ones.

    Empty if a factor does not have two levels.
    """
    if any(len(factor.levels) != 2 for factor in factors):
        return ""
    return _differences([factor.levels for factor in reversed(factors)], ())


def _differences(levels: Sequence[Sequence[str]], chosen: Condition) -> str:
    if not levels:
        return named(chosen)
    parts = [_differences(levels[1:], (level, *chosen)) for level in levels[0]]
    return " - ".join(parts if len(levels) == 1 else [f"({part})" for part in parts])


def _signs(factors: Sequence[Factor]) -> dict[Condition, int]:
    """Return the sign of each condition: the product over factors of 1 for the first level, -1 for the second."""
    signs = {}
    for condition in product(*(factor.levels for factor in factors)):
        seconds = sum(level != factor.levels[0] for level, factor in zip(condition, factors, strict=True))
        signs[condition] = -1 if seconds % 2 else 1
    return signs


def _contrast(weights: Mapping[Condition, int], means: Mapping[Condition, float | None]) -> float | None:
    values = [means.get(condition) for condition in weights]
    if any(value is None for value in values):
        return None
    return fsum(sign * (value or 0.0) for sign, value in zip(weights.values(), values, strict=True))


Value = Callable[[ScoredItem], float | None]


def _of_items(cells: Cells, value: Value) -> dict[str, dict[Condition, float]]:
    """Return the mean of each item in each condition."""
    values: dict[str, dict[Condition, list[float]]] = {}
    for condition, items in cells.items():
        for item in items:
            number = value(item)
            if number is not None and item.item.group:
                values.setdefault(item.item.group, {}).setdefault(condition, []).append(number)
    return {name: {condition: fmean(row) for condition, row in of.items()} for name, of in values.items()}


def _contrasts(weights: Mapping[Condition, int], cells: Cells) -> Contrasts:
    """Return the interaction of each item and participant in all conditions."""

    def of(units: Iterable[tuple[Hashable, Mapping[Condition, float]]]) -> dict[Hashable, float]:
        contrasts = ((unit, _contrast(weights, means)) for unit, means in units)
        return {unit: value for unit, value in contrasts if value is not None}

    people, model = (
        of((("group", name), means) for name, means in _of_items(cells, value).items())  # as units_of names them
        for value in (lambda item: item.item.rating, lambda item: item.value)
    )
    participants = _means_of_participants(cells)
    return Contrasts(people, model, of(participants.items()) if participants else None)


def _over(contrasts: Mapping[Hashable, float], what: str) -> Estimate:
    if not contrasts:
        return Estimate(None, None, None, 0, missing=f"no {what} in all conditions")
    return mean_interval([*contrasts.values()])


def _shares(weights: Mapping[Condition, int], cells: Cells, score: Scorer, whole: float) -> Iterator[PropertyShare]:
    """Yield each property's share in the interaction `whole`, the greatest share first."""
    shares: dict[str, float] = {}
    for condition, items in cells.items():
        scored = [item for item in items if item.score is not None]
        for item in scored:
            for _, prop, gain in gains(item.parse, score):
                name = "fragments" if prop is None else format_named(prop)
                shares[name] = shares.get(name, 0.0) - weights[condition] * gain / len(scored)
    shares["rest"] = whole - fsum(shares.values())
    ordered = sorted(shares.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    return (PropertyShare(name, value) for name, value in ordered if abs(value) > 1e-9)


# Formulas over conditions, as in SyntaxGym: ((*;%a%) - (*;%b%)) > ((*;%c%) - (*;%d%))
#
# `(region;%condition%)` is the cost of a sentence in a condition, as surprisal is in SyntaxGym: minus the score of the
# model, or minus the value of people. A grammar gives costs only to whole sentences, written as the region *.

TOKEN: Final = re.compile(
    r"\s*(?:\(\s*(?P<region>[^\s();%]+)\s*;\s*%(?P<condition>[^%]+)%\s*\)|(?P<number>\d+(?:\.\d+)?)|(?P<sign>[-+<>=&|()]))"
)
WRITTEN: Final = "write it as ((*;%a%) - (*;%b%)) > ((*;%c%) - (*;%d%)), with the names of conditions between %"
OF_A_REGION: Final = "it names the region {}, but a grammar gives costs only to whole sentences: write (*;%condition%)"
LOOSEST: Final = (("|",), ("&",), ("<", ">", "="), ("+", "-"))
"""Operators between two parts, from the loosest to the tightest."""


class FormulaNode(NamedTuple):
    """A part of a formula: an operator (`sign`) between two parts, a number, or a condition by its name."""

    sign: str
    parts: tuple[FormulaNode, ...] = ()
    name: str = ""
    number: float = 0.0


class Formula:
    """A parsed formula: the conditions it names, and its value given their costs."""

    def __init__(self, root: FormulaNode, regions: Sequence[str], conditions: Sequence[str]) -> None:
        self._root, self.regions, self.conditions = root, tuple(regions), tuple(dict.fromkeys(conditions))

    @classmethod
    def read(cls, text: str) -> Formula:
        """Return the formula that a text states. Raises UsageError."""
        tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if match is None:
                raise UsageError(f'"{text}" is not a formula: cannot read "{text[at:].strip()[:20]}"\n  {WRITTEN}')
            tokens.append(match)
            at = match.end()
        reader = _FormulaReader(text, tokens)
        root = reader.read(0)
        if reader.at < len(tokens):
            raise reader.error("something follows its end")
        regions = dict.fromkeys(token["region"] for token in tokens if token["region"])
        return cls(root, [*regions], [token["condition"].strip() for token in tokens if token["condition"]])

    @property
    def is_claim(self) -> bool:
        """True if the formula is a comparison, which holds or not."""
        return self._root.sign in "<>=&|"

    def value(self, costs: Mapping[str, float]) -> float:
        """Return the value of the formula, given the costs of the conditions: 1 or 0 for a claim."""
        return float(_value(self._root, costs))


class _FormulaReader:
    def __init__(self, text: str, tokens: Sequence[re.Match[str]]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0

    def error(self, why: str) -> UsageError:
        return UsageError(f'"{self.text}" is not a formula: {why}\n  {WRITTEN}')

    def read(self, level: int) -> FormulaNode:
        if level == len(LOOSEST):
            return self._part()
        node = self.read(level + 1)
        while self.at < len(self.tokens) and self.tokens[self.at]["sign"] in LOOSEST[level]:
            sign = self.tokens[self.at]["sign"]
            self.at += 1
            node = FormulaNode(sign, (node, self.read(level + 1)))
        return node

    def _part(self) -> FormulaNode:
        if self.at == len(self.tokens):
            raise self.error("it ends too early")
        token = self.tokens[self.at]
        self.at += 1
        if token["condition"]:
            return FormulaNode("", name=token["condition"].strip())
        if token["number"]:
            return FormulaNode("", number=float(token["number"]))
        if token["sign"] == "-":
            return FormulaNode("-", (FormulaNode(""), self._part()))
        if token["sign"] != "(":
            raise self.error(f'"{token["sign"]}" needs a part before and after it')
        node = self.read(0)
        if self.at == len(self.tokens) or self.tokens[self.at]["sign"] != ")":
            raise self.error("a bracket is not closed")
        self.at += 1
        return node


def _value(node: FormulaNode, costs: Mapping[str, float]) -> float | bool:
    if not node.parts:
        return costs[node.name] if node.name else node.number
    one, other = (_value(part, costs) for part in node.parts)
    match node.sign:
        case "+":
            return one + other
        case "-":
            return one - other
        case "<":
            return one < other - 1e-9
        case ">":
            return one > other + 1e-9
        case "=":
            return abs(one - other) <= 1e-9
        case "&":
            return bool(one and other)
    return bool(one or other)


def _formula(text: str, design: str, cells: Cells) -> FormulaResult:
    try:
        formula = Formula.read(text)
    except UsageError as error:
        return FormulaResult(text, design, False, None, None, str(error).splitlines()[0])
    names = {named(condition): condition for condition in cells}
    refused = ""
    if others := [region for region in formula.regions if region != "*"]:
        refused = OF_A_REGION.format(first_of(others, 3))
    elif missing := [name for name in formula.conditions if name not in names]:
        refused = f'no condition "{missing[0]}": there are {first_of(list(names), 8)}'
    if refused:
        return FormulaResult(text, design, formula.is_claim, None, None, refused)
    people = _held(formula, names, _of_items(cells, lambda item: item.item.rating))
    model = _held(formula, names, _of_items(cells, lambda scored_item: scored_item.value))
    return FormulaResult(text, design, formula.is_claim, people, model)


def _held(
    formula: Formula, names: Mapping[str, Condition], units: Mapping[str, Mapping[Condition, float]]
) -> Estimate | None:
    wanted = {name: names[name] for name in formula.conditions}
    values = [
        formula.value({name: -means[condition] for name, condition in wanted.items()})
        for means in units.values()
        if all(condition in means for condition in wanted.values())
    ]
    if not values:
        return None
    return estimate(mean, values, values) if formula.is_claim else mean_interval(values)
