"""Statistics of scores against people's judgements; `bootstrap` gives them intervals.

All take the scores first, then the ratings. What has no value, such as a correlation with ratings that are all the
same, is None and never a number.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum, sqrt
from operator import mul

Numbers = Sequence[float]
Statistic = Callable[[Numbers, Numbers], float | None]


def pearson(scores: Numbers, ratings: Numbers) -> float | None:
    """The product-moment correlation; None where one side does not vary."""
    number = len(scores)
    if number < 2 or min(scores) == max(scores) or min(ratings) == max(ratings):
        return None
    mean_x, mean_y = fsum(scores) / number, fsum(ratings) / number
    x, y = [score - mean_x for score in scores], [rating - mean_y for rating in ratings]
    return correlation(number, sum(x), sum(y), sum(map(mul, x, x)), sum(map(mul, y, y)), sum(map(mul, x, y)))


def correlation(
    number: int, sum_x: float, sum_y: float, squares_x: float, squares_y: float, products: float
) -> float | None:
    """The correlation from the sums of two rows whose means are about 0: sums of products then lose no digits."""
    xx = number * squares_x - sum_x * sum_x
    yy = number * squares_y - sum_y * sum_y
    # What rounding leaves of numbers that are all the same is no variance.
    if xx <= 1e-12 * number * squares_x or yy <= 1e-12 * number * squares_y:
        return None
    xy = number * products - sum_x * sum_y
    return float(max(-1.0, min(1.0, xy / sqrt(xx) / sqrt(yy))))


def spearman(scores: Numbers, ratings: Numbers) -> float | None:
    """The correlation of the ranks, ties having the mean of theirs."""
    return pearson(ranks(scores), ranks(ratings))


def ranks(numbers: Numbers) -> list[float]:
    """The rank of each number from 1; ties have the mean of theirs."""
    counts = Counter(numbers)
    mean: dict[float, float] = {}
    end = 0
    for number in sorted(counts):
        mean[number] = end + (counts[number] + 1) / 2
        end += counts[number]
    return [mean[number] for number in numbers]


def dense(numbers: Numbers) -> tuple[int, list[int]]:
    """How many different numbers there are, and the place of each among them from 0."""
    different = sorted(set(numbers))
    place = {number: i for i, number in enumerate(different)}
    return len(different), [place[number] for number in numbers]


def kendall(scores: Numbers, ratings: Numbers) -> float | None:
    """Kendall's tau-b, which corrects for ties; None where one side does not vary."""
    pairs = sorted(zip(scores, ratings, strict=True))
    balance = 0
    sizes = []
    seen: list[float] = []
    start = 0
    while start < len(pairs):
        end = start
        while end < len(pairs) and pairs[end][0] == pairs[start][0]:
            end += 1
        for _, rating in pairs[start:end]:
            balance += bisect_left(seen, rating) + bisect_right(seen, rating) - start
        for _, rating in pairs[start:end]:
            insort(seen, rating)
        sizes.append(end - start)
        start = end
    return tau(balance, len(pairs), sizes, Counter(ratings).values())


def tau(balance: int, number: int, scores: Iterable[int], ratings: Iterable[int]) -> float | None:
    """Kendall's tau-b: `balance` is how many more pairs of items are concordant than discordant, the two rows say how
    many items share a score, and a rating.
    """
    whole, tied_scores, tied_ratings = (
        sum([size * (size - 1) for size in sizes]) // 2 for sizes in ((number,), scores, ratings)
    )
    if whole in (tied_scores, tied_ratings):
        return None
    return balance / sqrt((whole - tied_scores) * (whole - tied_ratings))


def auc(scores: Numbers, good: Numbers) -> float | None:
    """How often a good item (above 0) scores above a bad one, ties half: the area under the ROC curve."""
    number = sum(1 for each in good if each > 0)
    if number in (0, len(good)):
        return None
    summed = fsum(rank for rank, each in zip(ranks(scores), good, strict=True) if each > 0)
    return (summed - number * (number + 1) / 2) / (number * (len(good) - number))


def pair_accuracy(better: Numbers, worse: Numbers) -> float | None:
    """How often the better sentence of a pair scores above the worse, ties half. Takes the two rows of scores."""
    if not better:
        return None
    won = sum(1.0 if b > w else 0.5 if b == w else 0.0 for b, w in zip(better, worse, strict=True))
    return won / len(better)


def mean(scores: Numbers, ratings: Numbers) -> float | None:
    """The mean of the scores alone, None where there is none: of outcomes of pairs it is their accuracy."""
    return fsum(scores) / len(scores) if scores else None


def roc(scores: Numbers, good: Numbers) -> list[tuple[float, float]]:
    """The points (false positive rate, true positive rate) from (0, 0) to (1, 1); empty where all are good or bad."""
    number = sum(1 for each in good if each > 0)
    if number in (0, len(good)):
        return []
    points = [(0.0, 0.0)]
    true = false = 0
    ordered = sorted(zip(scores, good, strict=True), key=lambda pair: -pair[0])
    for i, (value, each) in enumerate(ordered):
        true, false = true + (each > 0), false + (each <= 0)
        if i + 1 == len(ordered) or ordered[i + 1][0] != value:
            points.append((false / (len(good) - number), true / number))
    return points
