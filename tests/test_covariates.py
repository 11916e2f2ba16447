"""Effects of scores beyond length, unknown words and word frequency, against regressions by another method."""

from __future__ import annotations

from math import log10, sqrt
from pathlib import Path
from random import Random

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.covariates import frequency_of, read_frequencies
from numbat.acceptability.models import scorer
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_report import suite_report
from numbat.errors import DataError, UsageError
from numbat.experiments.verbs import report_suite
from numbat.statistics.correlations import explained, partial_correlation, pearson
from tests.test_suite_statistics import STARTER

Row = list[float]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


def solved(matrix: list[Row], right: Row) -> Row:
    """Gauss and Jordan with pivots."""
    rows = [[*row, end] for row, end in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [each / rows[i][i] for each in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def residuals(y: Row, covariates: list[Row]) -> Row:
    """Return the residuals of a regression with an intercept, by its normal equations."""
    design = [[1.0] * len(y), *covariates]
    matrix = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in design] for one in design]
    weights = solved(matrix, [sum(a * b for a, b in zip(one, y, strict=True)) for one in design])
    return [end - sum(w * row[i] for w, row in zip(weights, design, strict=True)) for i, end in enumerate(y)]


def made(number: int = 60) -> tuple[Row, Row, list[Row]]:
    random = Random(5)
    length = [float(random.randrange(3, 15)) for _ in range(number)]
    rare = [random.gauss(0, 1) - 0.1 * each for each in length]
    score = [-0.2 * each + random.gauss(0, 1) for each in length]
    rating = [a + 0.5 * s - 0.3 * each + random.gauss(0, 1) for a, s, each in zip(rare, score, length, strict=True)]
    return score, rating, [length, rare]


def test_partial_correlations_are_those_of_residuals() -> None:
    score, rating, covariates = made()
    found = partial_correlation(score, rating, covariates)
    assert found == pytest.approx(pearson(residuals(score, covariates), residuals(rating, covariates)))
    xy, xz, yz = (pearson(*rows) or 0.0 for rows in ((score, rating), (score, covariates[0]), (rating, covariates[0])))
    over_one = (xy - xz * yz) / sqrt((1 - xz * xz) * (1 - yz * yz))
    assert partial_correlation(score, rating, covariates[:1]) == pytest.approx(over_one)
    assert partial_correlation(covariates[0], rating, covariates) is None
    assert partial_correlation(score, rating, [*covariates, [2 * each + 1 for each in covariates[0]]]) == pytest.approx(
        found
    )


def test_the_explained_share_is_that_of_a_regression() -> None:
    _, rating, covariates = made()
    rest = residuals(rating, covariates)
    middle = sum(rating) / len(rating)
    share = 1 - sum(each * each for each in rest) / sum((each - middle) ** 2 for each in rating)
    assert explained(rating, covariates) == pytest.approx(share)
    assert explained([2.0] * 9, [[float(i) for i in range(9)]]) is None


SENTENCES = ("The cat sleeps.", "The cats sleeps.", "The old cat sleeps.", "The old cats sleeps.")


def suite(number: int = 40) -> Suite:
    """Ratings that fall with violations and with length, beside a column of frequencies."""
    random = Random(3)
    items = []
    for i in range(number):
        sentence = SENTENCES[i % 4]
        worth = 6 - 2 * ("cats" in sentence) - ("old" in sentence) + random.gauss(0, 0.7)
        items.append(Item(str(i), sentence, worth, others=(("frequency", str(random.randrange(100))),)))
    return Suite("s.tsv", tuple(items), ("frequency",))


def test_a_report_says_what_a_score_adds_to_length(parser: Parser) -> None:
    report = report_suite(suite(), parser, "cost", scorer("cost"), frequencies="frequency")
    (found,) = report.beyond
    assert found.covariates == ("length", "word frequency")
    ratings = [each.item.rating or 0.0 for each in report.items]
    length = [float(each.length) for each in report.items]
    frequency = [float(dict(each.item.others)["frequency"]) for each in report.items]
    scores = [each.value or 0.0 for each in report.items]
    both = pearson(residuals(scores, [length, frequency]), residuals(ratings, [length, frequency]))
    assert (found.partial.value, found.partial.units) == pytest.approx((both, 40))
    alone, more = explained(ratings, [length, frequency]), explained(ratings, [length, frequency, scores])
    assert (found.explained, found.increase.value) == pytest.approx((alone, (more or 0) - (alone or 0)))
    left_out = []
    for out in range(40):
        rated, of, own = ([row[i] for i in range(40) if i != out] for row in (ratings, length, scores))
        rest = [frequency[i] for i in range(40) if i != out]
        one, two = residuals(rated, [of, rest]), residuals(rated, [of, rest, own])
        middle = sum(rated) / 39
        whole = sum((each - middle) ** 2 for each in rated)
        left_out.append((sum(e * e for e in one) - sum(e * e for e in two)) / whole)
    middle = sum(left_out) / 40
    reach = 2.0226909201 * sqrt(39 / 40 * sum((each - middle) ** 2 for each in left_out))
    assert (found.increase.high or 0) - (found.increase.value or 0) == pytest.approx(reach, rel=1e-6)
    lines = suite_report(report).text().splitlines()
    assert any(line.startswith("beyond length  r over length") for line in lines)
    assert not any("no gain beyond" in line for line in lines)
    assert not any("columns not read" in note for note in report.notes)


def test_a_score_that_length_explains_is_told(parser: Parser) -> None:
    items = [Item(str(i), SENTENCES[2 * (i % 2)], float(i % 2 + i % 3) + (i % 7) / 10) for i in range(40)]
    text = suite_report(report_suite(Suite("s.tsv", tuple(items)), parser, "net", scorer("net"))).text()
    told = "! no gain beyond length is shown (the interval of the increase includes 0): net"
    assert told in text.splitlines()
    row = next(line for line in text.splitlines() if line.startswith("net ") and "none" in line)
    assert row.split()[:2] == ["net", "none"]


def test_lists_of_frequencies(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("word\tcount\nThe\t9\nthe\t1\ncat\t3\n", encoding="utf-8")
    assert read_frequencies(str(path)).counts == {"the": 10.0, "cat": 3.0}
    report = report_suite(suite(), parser, "cost", scorer("cost"), frequencies=str(path))
    of = frequency_of(str(path), report.suite)
    zipf = [log10((count + 1) / (13 + 2) * 1e6) + 3 for count in (10, 3, 0)]
    assert of(report.items[0]) == pytest.approx(sum(zipf) / 3)
    path.write_text("the\t1\ncat\tmany\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"words.tsv:2:1: not a word with its count"):
        read_frequencies(str(path))
    bad = Suite("s.tsv", (Item("1", "The cat sleeps.", 1.0, line=2, others=(("f", "often"),)),))
    with pytest.raises(UsageError) as error:
        frequency_of("f", bad)
    assert str(error.value) == 's.tsv:2: "often" in the column f is not a number\n  write a frequency'
