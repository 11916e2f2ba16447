"""Statistics on human judgements: values by hand, brute force on random numbers, scipy if installed, laws."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.statistics.correlations import Statistic, auc, kendall, mean, pearson, ranks, roc, spearman, won
from numbat.statistics.distributions import t_quantile
from numbat.statistics.intervals import TOO_FEW_UNITS, Estimate, difference, estimate
from tests.samples import enough

COARSE = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=25)
CORRELATIONS = (pearson, spearman, kendall)


def test_by_hand() -> None:
    """x 1 2 3, y 1 3 2: covariance 1 of 2; two pairs in order, one not."""
    assert pearson([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5)
    assert spearman([10, 20, 900], [1, 3, 2]) == pytest.approx(0.5)
    assert kendall([1, 2, 3], [1, 3, 2]) == pytest.approx(1 / 3)


def test_ties_by_hand() -> None:
    """Ranks 1.5 1.5 3 4; tau-b with one tied pair of six on each side and four pairs in order."""
    assert ranks([5, 5, 7, 9]).tolist() == [1.5, 1.5, 3.0, 4.0]
    assert kendall([1, 1, 2, 3], [1, 2, 2, 3]) == pytest.approx(4 / 5)
    assert auc([1, 2, 2, 3], [0, 0, 1, 1]) == pytest.approx(3.5 / 4)
    assert [won(better, 1) for better in (2, 1, 0)] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("statistic", CORRELATIONS)
@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [4, 4, 4])])
def test_what_does_not_vary_has_no_correlation(statistic: Statistic, x: list[float], y: list[float]) -> None:
    assert statistic(x, y) is None
    assert estimate(statistic, x, y) == Estimate(None, None, None, len(x))
    assert str(estimate(statistic, x, y)) == "none"


def test_one_class_has_no_auc_and_no_curve() -> None:
    assert auc([1, 2], [1, 1]) is None
    assert auc([1, 2], [0, 0]) is None
    assert roc([1, 2], [1, 1]) == []
    assert mean([], []) is None


@given(COARSE)
def test_kendall_is_brute_force(pairs: list[tuple[int, int]]) -> None:
    x, y = [p[0] for p in pairs], [p[1] for p in pairs]
    signs = [((a > b) - (a < b), (c > d) - (c < d)) for (a, c), (b, d) in combinations(pairs, 2)]
    varying = sum(s != 0 for s, _ in signs) * sum(t != 0 for _, t in signs)
    expected = sum(s * t for s, t in signs) / sqrt(varying) if varying else None
    assert kendall(x, y) == (None if expected is None else pytest.approx(expected))


@given(COARSE)
def test_auc_is_brute_force_and_the_area_under_its_curve(pairs: list[tuple[int, int]]) -> None:
    scores, good = [p[0] for p in pairs], [p[1] % 2 for p in pairs]
    won = [
        (a > b) + (a == b) / 2
        for a, yes in zip(scores, good, strict=True)
        for b, no in zip(scores, good, strict=True)
        if yes and not no
    ]
    expected = sum(won) / len(won) if won else None
    assert auc(scores, good) == (None if expected is None else pytest.approx(expected))
    points = roc(scores, good)
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    if expected is not None:
        assert points[0] == (0.0, 0.0)
        assert points[-1] == (1.0, 1.0)
        assert area == pytest.approx(expected)


@pytest.mark.parametrize("statistic", CORRELATIONS)
@given(pairs=COARSE)
def test_laws_of_correlation(statistic: Statistic, pairs: list[tuple[int, int]]) -> None:
    """Symmetric; turned around by a minus; 1 with itself; the order of items does not count."""
    x, y = [float(p[0]) for p in pairs], [float(p[1]) for p in pairs]
    found = statistic(x, y)
    assert found == (None if found is None else pytest.approx(statistic(y, x)))
    if found is not None:
        assert statistic([-a for a in x], y) == pytest.approx(-found)
        assert statistic(x, x) == pytest.approx(1)
        assert statistic(x[::-1], y[::-1]) == pytest.approx(found)


@given(COARSE)
def test_ranks_correlate_alike_whatever_grows(pairs: list[tuple[int, int]]) -> None:
    x, y = [float(p[0]) for p in pairs], [float(p[1]) for p in pairs]
    grown = [a**3 + 7 for a in x]
    assert spearman(grown, y) == spearman(x, y)
    assert kendall(grown, y) == kendall(x, y)


def test_scipy_agrees() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = Random(1)
    x = [float(random.randrange(30)) for _ in range(200)]
    y = [a + random.gauss(0, 10) for a in x]
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)


def noisy(number: int, seed: int, noise: float = 1.0) -> tuple[list[float], list[float]]:
    random = Random(seed)
    x = [random.gauss(0, 1) for _ in range(number)]
    return x, [a + noise * random.gauss(0, 1) for a in x]


@pytest.mark.parametrize("statistic", CORRELATIONS)
def test_intervals_hold_the_value_and_repeat_themselves(statistic: Statistic) -> None:
    x, y = noisy(80, 3)
    found = estimate(statistic, x, y, seed=4)
    assert found == estimate(statistic, x, y, seed=4)
    many = noisy(700, 3)
    assert (estimate(kendall, *many, seed=4) == estimate(kendall, *many, seed=5)) is False
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert str(found) == f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def test_intervals_narrow_with_more_items() -> None:
    widths = []
    for number in (25, 100, 400):
        found = estimate(pearson, *noisy(number, 9))
        widths.append((found.high or 0) - (found.low or 0))
    assert widths == sorted(widths, reverse=True)
    assert widths[2] < widths[0] / 2


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    """The correlation of x and x + noise is 1/sqrt(2); of 60 intervals at 95 % at least 51 should hold it."""
    covered = 0
    for seed in range(enough(60)):
        found = estimate(pearson, *noisy(60, seed))
        covered += (found.low or 0) <= 1 / sqrt(2) <= (found.high or 0)
    assert covered >= enough(51)


def test_too_few_items_have_a_value_but_no_interval() -> None:
    assert estimate(mean, [1, 1], [0, 0]) == Estimate(1.0, None, None, 2, missing=TOO_FEW_UNITS)
    assert str(estimate(pearson, [1, 2], [3, 5])) == "1.000"


@pytest.mark.parametrize(
    ("share", "degrees", "quantile"),
    [
        (0.975, 1, 12.7062047362), (0.975, 2, 4.3026527297), (0.975, 7, 2.3646242516), (0.975, 10, 2.2281388520),
        (0.975, 63, 1.9983405425), (0.9, 4, 1.5332062741), (0.975, 5000, 1.9604385517), (0.995, 19, 2.8609346065),
    ],
)  # fmt: skip
def test_quantiles_of_t_are_those_of_r(share: float, degrees: int, quantile: float) -> None:
    assert t_quantile(share, degrees) == pytest.approx(quantile, rel=1e-6)


def test_differences_are_paired() -> None:
    x, y = noisy(200, 6)
    worse = [a + b for a, b in zip(x, noisy(200, 7, 2.0)[1], strict=True)]
    found = difference(pearson, x, worse, y)
    assert found.value == pytest.approx((pearson(x, y) or 0) - (pearson(worse, y) or 0))
    assert found.low is not None
    assert found.low > 0
    assert difference(pearson, x, x, y) == Estimate(0.0, 0.0, 0.0, 200, 200)
    assert difference(pearson, x, [1.0] * 200, y).value is None
    assert difference(mean, [1.0], [0.5], [1.0]) == Estimate(0.5, None, None, 1, missing=TOO_FEW_UNITS)
