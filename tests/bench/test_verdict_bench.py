"""Verdicts on interactions in simulated experiments: `python -m pytest tests/bench/test_verdict_bench.py -n0 -s`.

24 people with individual intercepts, slopes and interactions rate one condition of each item (a Latin square) and 32
fillers from 1 to 7; scores are multiples of a half, with errors that people do not make. The model's interaction is set
so that, over all experiments, it has the size on people's scale that the truth demands. NUMBAT_EXPERIMENTS (400) is
the number of experiments in a row; the standard error of a share of .05 is then .011. Takes six minutes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from math import sqrt
from random import Random
from statistics import fmean
from typing import NamedTuple

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.scores import Score
from numbat.acceptability.suite import Item, Rating, Suite
from numbat.acceptability.verdicts import ScoredItem
from numbat.experiments.interactions import Design, analysed, design_of
from tests.test_suite_statistics import STARTER

EXPERIMENTS = int(os.environ.get("NUMBAT_EXPERIMENTS", "400"))
TRIED = 100
"""Number of experiments by which the size of an interaction is set."""
PEOPLE, FILLERS = 24, 32
SETTINGS = design_of("a=1/2,b=1/2")
CONDITIONS = {(a, b): (1.5 - a, 1.5 - b) for a in (1, 2) for b in (1, 2)}
"""Each condition with both factors as .5 or -.5."""


class Truth(NamedTuple):
    """Interactions of people and of the model on people's scale, and the verdicts that are right."""

    people: float
    model: float
    right: tuple[str, ...]


TRUTHS = {
    "no effect in both": Truth(0.0, 0.0, ("alike",)),
    "the same effect": Truth(0.8, 0.8, ("alike",)),
    "only people's": Truth(0.8, 0.0, ("weaker",)),
    "only the model's": Truth(0.0, 0.8, ("stronger",)),
    "opposite effects": Truth(0.8, -0.8, ("opposite",)),
    "a difference at the bound": Truth(0.8, 0.3, ("weaker",)),
}


class Simulation(NamedTuple):
    """Experiments of a number of items; `people` and `model` are the interactions behind ratings and scores."""

    items: int
    people: float
    model: float
    parser: Parser

    def designs(self, number: int, seed: str) -> Iterator[Design]:
        """Yield the analysed design of each experiment."""
        parse, random = self.parser.parse("The cat sleeps."), Random(seed)
        for _ in range(number):
            scored = [ScoredItem(item, parse, Score("simulated", value, (), ())) for item, value in self._items(random)]
            (design,) = analysed(Suite("simulated", tuple(one.item for one in scored)), scored, SETTINGS).designs
            yield design

    def _items(self, random: Random) -> Iterator[tuple[Item, float]]:
        gauss = random.gauss
        people = [(gauss(0, 0.6), 1 + gauss(0, 0.2), gauss(0, 0.3)) for _ in range(PEOPLE)]

        def rated(worth: float, product: float, seen: list[int]) -> tuple[Rating, ...]:
            values = ((people[i], i) for i in seen)
            given = (
                4 + own + 1.3 * slope * (worth + more * product) + gauss(0, 0.9) for (own, slope, more), _ in values
            )
            return tuple(
                Rating(float(min(7, max(1, round(value)))), f"p{i}") for value, i in zip(given, seen, strict=True)
            )

        for number in range(FILLERS):
            worth = random.uniform(-1.5, 1.5)
            yield _item(f"f{number}", "", (), rated(worth, 0.0, [*range(PEOPLE)])), self._score(worth, random)
        for number in range(self.items):
            lexical = gauss(0, 0.25)
            for place, ((a, b), (x, y)) in enumerate(CONDITIONS.items()):
                base, product = 0.5 * x + 0.5 * y + lexical + gauss(0, 0.2), x * y
                seen = [i for i in range(PEOPLE) if i % 4 == (number + place) % 4]
                given = rated(base + self.people * product, product, seen)
                item = _item(f"{number}-{a}{b}", f"i{number}", (("a", str(a)), ("b", str(b))), given)
                yield item, self._score(base + self.model * product, random)

    def _score(self, worth: float, random: Random) -> float:
        return min(0.0, round(2 * (1.5 * (worth - 1) + random.gauss(0, 0.6))) / 2)


def _item(name: str, group: str, levels: tuple[tuple[str, str], ...], ratings: tuple[Rating, ...]) -> Item:
    rating = fmean(rating.value for rating in ratings)
    return Item(name, name, rating, group=group, ratings=ratings, judges=len(ratings), others=levels)


def simulation(items: int, truth: Truth, parser: Parser) -> Simulation:
    """Return experiments whose interactions on people's scale are on average those of the truth."""
    made = Simulation(items, truth.people, truth.model, parser)
    for _ in range(2):
        designs = [*made.designs(TRIED, "size")]
        people = fmean(design.people.value or 0.0 for design in designs if design.people)
        model = fmean(design.on_one_scale.model.value or 0.0 for design in designs if design.on_one_scale)
        made = made._replace(
            people=made.people * truth.people / people if truth.people else made.people + truth.people - people,
            model=made.model * truth.model / model if truth.model else made.model + truth.model - model,
        )
    return made


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


@pytest.mark.parametrize("items", [8, 16, 32])
def test_verdicts_are_wrong_rarely(items: int, parser: Parser) -> None:
    print(f"\n{items} items")
    error = sqrt(0.05 * 0.95 / EXPERIMENTS)
    wrong = []
    for name, truth in TRUTHS.items():
        made = simulation(items, truth, parser)
        designs = [*made.designs(EXPERIMENTS, f"{name} {items}")]
        verdicts = Counter(design.verdict for design in designs)
        differences = [design.on_one_scale.difference for design in designs if design.on_one_scale]
        apart = fmean(each.value or 0.0 for each in differences)
        held = fmean((each.by_items.low or 0.0) <= apart <= (each.by_items.high or 0.0) for each in differences)
        shares = ", ".join(f"{verdict} {number / EXPERIMENTS:.3f}" for verdict, number in verdicts.most_common())
        print(f"  {name:<26} difference {apart:5.2f}, interval by items holds it {held:.3f}: {shares}", flush=True)
        bad = sum(number for verdict, number in verdicts.items() if verdict not in (*truth.right, "cannot tell"))
        if bad / EXPERIMENTS > 0.05 + 2 * error:
            wrong.append(f"{name}: {bad / EXPERIMENTS:.3f}")
    assert not wrong
