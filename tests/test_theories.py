"""Theories of gradience: each explains ratings that it generated, and wins on them out of sample."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from numbat import DataError, UsageError
from numbat.acceptability.models import score
from numbat.acceptability.suite import Item, Rating, Suite
from numbat.acceptability.verdicts import ScoredItem
from numbat.experiments.theories import (
    INDICES,
    THEORIES,
    FittedNumber,
    Kinds,
    ViolationProfile,
    compare_theories,
    example_of,
    exponent_of,
    fold_assignments,
    ganging_of,
    held_out,
    kinds_of,
    on_depth,
    ranking_of,
)
from numbat.grammar.loading import load_grammar, parse_grammar
from numbat.parsing.parser import Parser
from numbat.statistics.correlations import pearson
from numbat.statistics.regression import falling
from tests.command_line import Numbat, without_record
from tests.test_design import GRAMMAR

KINDS = ("linearity", "requirement", "uniqueness")
WEIGHTS = {"linearity": 1.0, "requirement": 2.0, "uniqueness": 0.5}
MADE: dict[str, Callable[[Kinds], float]] = {
    "additive": lambda kinds: sum(WEIGHTS[k] * n for k, n in kinds.items()),
    "ganging-up": lambda kinds: sum(WEIGHTS[k] for k, n in kinds.items() if n),
    "strongest": lambda kinds: max((WEIGHTS[k] for k, n in kinds.items() if n), default=0.0),
    "super-additive": lambda kinds: (
        sum(WEIGHTS[k] * n for k, n in kinds.items())
        + 1.5 * (lambda m: m * (m - 1) / 2)(sum(n > 0 for n in kinds.values()))
    ),
    "power": lambda kinds: sum(WEIGHTS[k] * n**2 for k, n in kinds.items()),
    # Each kind outweighs all that is ranked below it.
    "strict domination": lambda kinds: (
        16 * kinds.get("requirement", 0) + 4 * kinds.get("linearity", 0) + kinds.get("uniqueness", 0)
    ),
}


def examples(number: int, seed: int = 0) -> list[ViolationProfile]:
    random = Random(seed)
    found = []
    for _ in range(number):
        drawn = {kind: random.choice((0, 0, 1, 2, 3)) for kind in KINDS}
        kinds = {kind: n for kind, n in drawn.items() if n}
        found.append(ViolationProfile(kinds, {}))
    return found


def rated(some: list[ViolationProfile], by: str, noise: float = 0.3, seed: int = 1) -> list[float]:
    random = Random(seed)
    return [7 - MADE[by](each.kinds) + random.gauss(0, noise) for each in some]


@pytest.mark.parametrize("name", MADE)
def test_a_theory_predicts_what_was_made_by_it(name: str) -> None:
    """Out of sample the theory that made the ratings is the best, or as good as a more general one."""
    some = examples(240)
    ratings = rated(some, name)
    folds = [i % 5 for i in range(len(some))]
    own = {each: pearson(held_out(THEORIES[each], some, ratings, folds), ratings) or 0.0 for each in MADE}
    assert own[name] > 0.9
    assert own[name] >= max(own.values()) - 0.003
    if name in ("ganging-up", "strongest", "power"):
        assert own[name] > own["additive"] + 0.02


def ends(found: FittedNumber) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


@pytest.mark.parametrize(("by", "exponent"), [("additive", 1.0), ("power", 2.0)])
def test_the_exponent_is_found(by: str, exponent: float) -> None:
    some = examples(240)
    found = exponent_of(some, rated(some, by), [i % 20 for i in range(len(some))])
    low, high = ends(found)
    assert low < exponent < high
    assert high - low < 0.5
    assert found.sentences == sum(max(each.kinds.values(), default=0) > 1 for each in some)


def test_intervals_of_the_exponent_hold() -> None:
    """Of 16 experiments with 20 groups of sentences about 15 have an interval that holds the true exponent."""
    held = 0
    for seed in range(16):
        some = examples(60, seed)
        found = exponent_of(some, rated(some, "additive", 1.0, seed + 100), [i % 20 for i in range(len(some))])
        held += found.low is not None and found.high is not None and found.low <= 1 <= found.high
    assert 13 <= held <= 16


def test_an_exponent_at_the_end_of_what_is_tried_has_no_interval() -> None:
    some = examples(240)
    found = exponent_of(some, rated(some, "ganging-up", 0.0), [i % 20 for i in range(len(some))])
    assert found.value == 0.0
    assert (found.low, found.missing) == (None, "0 or less: at the end of the exponents tried")


def test_what_two_kinds_do_together() -> None:
    some, blocks = examples(240), [i % 20 for i in range(240)]
    together = ganging_of(some, rated(some, "super-additive"), blocks)
    assert together.value == pytest.approx(1.5, abs=0.1)
    assert ends(together)[0] > 1
    low, high = ends(ganging_of(some, rated(some, "additive"), blocks))
    assert low < 0 < high


def test_too_little_to_tell() -> None:
    few = [ViolationProfile({"linearity": 1}, {}), ViolationProfile({}, {})] * 20
    assert exponent_of(few, [1.0, 2.0] * 20, list(range(40))).missing == "too few sentences violate one kind twice"
    assert ganging_of(few, [1.0, 2.0] * 20, list(range(40))).missing == "too few sentences violate two kinds"


def test_ranking_is_by_what_is_left() -> None:
    some = examples(240)
    assert ranking_of(some, rated(some, "strict domination")) == ["requirement", "linearity", "uniqueness"]


def test_falling_is_the_nearest_row_that_never_rises() -> None:
    """Against every division of the row into blocks that each have their mean."""
    random = Random(5)
    for _ in range(30):
        values = [random.choice((1.0, 2.0, 3.0, 4.0)) for _ in range(6)]
        weights = [random.choice((1, 2)) for _ in values]
        best = min(
            (
                (sum(w * (v - m) ** 2 for v, w, m in zip(values, weights, row, strict=True)), row)
                for row in divisions(values, weights)
                if all(a >= b - 1e-12 for a, b in pairwise(row))
            ),
            key=lambda pair: pair[0],
        )
        found = falling(values, weights)
        assert sum(w * (v - m) ** 2 for v, w, m in zip(values, weights, found, strict=True)) == pytest.approx(best[0])


def divisions(values: list[float], weights: list[int]) -> list[list[float]]:
    if not values:
        return [[]]
    found = []
    for end in range(1, len(values) + 1):
        mean = sum(v * w for v, w in zip(values[:end], weights[:end], strict=True)) / sum(weights[:end])
        found += [[mean] * end + rest for rest in divisions(values[end:], weights[end:])]
    return found


# Sentences


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(parse_grammar(GRAMMAR))


@pytest.fixture(scope="module")
def english() -> Parser:
    return Parser(load_grammar("english"))


SENTENCES = ("the cat sleeps", "the cats sleeps", "cat sleeps", "cat the sleeps", "cat dog sleep", "the dogs now sleep")


def items(parser: Parser, number: int) -> list[ScoredItem]:
    """Sentences rated by their cost, with some noise, in groups of three."""
    random = Random(3)
    found = []
    for i in range(number):
        parse = parser.parse(SENTENCES[i % len(SENTENCES)])
        own = score(parse)
        value = 7 + own.value + random.gauss(0, 0.5)
        item = Item(
            str(i), parse.sentence, value, group=str(i // 3), phenomenon=f"c{i % 6}", ratings=(Rating(value, "p"),)
        )
        found.append(ScoredItem(item, parse, own))
    return found


def test_kinds_are_counted(parser: Parser) -> None:
    parse = parser.parse("cat dog sleep")
    assert sum(kinds_of(parse).values()) == len(parse.violated)
    assert set(kinds_of(parse)) == {each.property.type for each in parse.violated}
    assert all(name.startswith("S ") for name in kinds_of(parse, "construction"))
    assert len(kinds_of(parse, "property")) >= len(kinds_of(parse, "construction"))
    with pytest.raises(UsageError, match='unknown kind of violation: "word"'):
        kinds_of(parse, "word")
    assert set(example_of(items(parser, 1)[0]).indices) >= set(INDICES)


def test_no_group_and_no_condition_is_divided(parser: Parser) -> None:
    some = items(parser, 60)
    by_items, by_conditions = fold_assignments(some, 0, 3)
    assert by_conditions is not None
    for name, folds in (("group", by_items), ("phenomenon", by_conditions)):
        where = {
            getattr(each.item, name): {
                f for e, f in zip(some, folds, strict=True) if getattr(e.item, name) == getattr(each.item, name)
            }
            for each in some
        }
        assert all(len(own) == 1 for own in where.values()), name
    assert len(set(by_items)) == len(set(by_conditions)) == 3


def test_all_theories_side_by_side(parser: Parser) -> None:
    some = items(parser, 60)
    seen: list[int] = []
    found = compare_theories(some, folds=3, advance=lambda: seen.append(1))
    assert [each.theory.name for each in found.results] == list(THEORIES)
    assert len(seen) == len(THEORIES)
    ratings = [each.item.rating or 0.0 for each in some]
    for each in found.results:
        value = pearson(each.predictions, ratings)
        assert each.items.value == (None if value is None else pytest.approx(value))
        assert each.conditions is not None
    additive = next(each for each in found.results if each.theory.name == "additive")
    assert additive.behind is None
    for each in found.results:
        if each.behind is not None and each.items.value is not None and each.behind.value is not None:
            assert each.behind.value == pytest.approx((additive.items.value or 0) - each.items.value)
    assert {each.name for each in found.kinds} == {name for each in some for name in kinds_of(each.parse)}


def test_prediction_of_a_sentence_owes_nothing_to_its_fold(parser: Parser) -> None:
    """A sentence whose rating is changed has the same predictions by every theory."""
    some = items(parser, 60)
    folds, _ = fold_assignments(some, 0, 3)
    own, ratings = [example_of(each) for each in some], [each.item.rating or 0.0 for each in some]
    other = [-99.0 if fold == folds[0] else rating for rating, fold in zip(ratings, folds, strict=True)]
    for name, theory in THEORIES.items():
        one, two = (held_out(theory, own, row, folds) for row in (ratings, other))
        assert one[0] == two[0], name


@pytest.mark.parametrize(
    ("number", "message"),
    [(5, "5 rated sentences, 5 different ratings: too few to compare\n  theories need at least 6 sentences")],
)
def test_too_few_ratings(parser: Parser, number: int, message: str) -> None:
    with pytest.raises(DataError) as error:
        compare_theories(items(parser, number), folds=3)
    assert str(error.value).startswith(message)
    with pytest.raises(UsageError, match='unknown theory: "best"'):
        compare_theories(items(parser, 12), ["best"], folds=3)


# The index of a broad grammar


def test_the_index_of_applicable_properties(english: Parser) -> None:
    """If all applicable properties hold, it is 1 in the weights of the index at any depth; T does not count."""
    short, deep = (english.parse(text) for text in ("the cat sleeps", "I know that the man said that the cat sleeps"))
    assert score(short, "applicable-index").value == pytest.approx(1.0)
    assert score(deep, "applicable-index").value == pytest.approx(1.0)
    assert score(deep, "grammaticality-index").value < score(short, "grammaticality-index").value < 0.5
    for term in score(english.parse("the cats sleeps"), "applicable-index").terms:
        counts = term.counts
        quality = (counts.weight_satisfied - counts.weight_violated) / (
            counts.weight_satisfied + counts.weight_violated
        )
        assert term.local == pytest.approx(0.2645 * quality + 0.2645 * counts.satisfied / counts.evaluated + 0.471)


def test_an_index_that_measures_depth_is_told(english: Parser) -> None:
    """The correlation is over the ranks of well-formed sentences and the numbers of their phrases."""
    start = "the cat sleeps"
    texts = [start] + [f"{'I know that ' * n}{end}" for n in (1, 2, 3) for end in (start, "they sleep", "she sees him")]
    found = [ScoredItem(Item(str(i), text), p := english.parse(text), score(p)) for i, text in enumerate(texts)]
    told = on_depth(found, ["grammaticality-index"])
    assert told.startswith("measures depth: it falls with the number of phrases in 10 well-formed sentences: ")
    phrases = [sum(not each.is_word for each in item.parse.walk()) for item in found]
    counts = [term.counts for item in found for term in score(item.parse, "grammaticality-index").terms]
    assert len(counts) == sum(phrases)
    part = f"on average {fmean(c.evaluated for c in counts):.0f} of {fmean(c.total for c in counts):.0f} properties"
    assert part in told
    ranks = [rank_of(phrases, value) for value in phrases]
    values = [score(item.parse, "grammaticality-index").value for item in found]
    other = [rank_of(values, value) for value in values]
    assert f"(rho {correlation(ranks, other):.2f})" in told
    assert on_depth(found, ["applicable-index"]) == ""
    assert on_depth(found[:5]) == ""


def rank_of(values: list[float] | list[int], value: float) -> float:
    return sum(each < value for each in values) + (sum(each == value for each in values) + 1) / 2


def correlation(one: list[float], other: list[float]) -> float:
    a, b = fmean(one), fmean(other)
    both = sum((x - a) * (y - b) for x, y in zip(one, other, strict=True))
    return both / sqrt(sum((x - a) ** 2 for x in one) * sum((y - b) ** 2 for y in other))


def test_islands_measure_depth(data: Path, english: Parser) -> None:
    """Rank correlation of the published index with the number of phrases, over the well-formed islands: -.79."""
    path = data / "accept" / "sprouse2016" / "islands.tsv"
    if not path.exists():
        pytest.skip("the ratings of islands are not there")
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    texts = list(dict.fromkeys(line.split("\t")[7] for line in lines))
    found = [ScoredItem(Item(str(i), t), p := english.parse(t), score(p)) for i, t in enumerate(texts)]
    assert "grammaticality-index (rho -0.79)" in on_depth(found)


def test_the_verb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, parser: Parser
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.pg").write_text(GRAMMAR, encoding="utf-8")
    some = items(parser, 36)
    rows = [f"{e.id}\t{e.item.sentence}\t{e.item.rating!r}\t{e.item.group}\t{e.item.phenomenon}" for e in some]
    Path("rated.tsv").write_text("\n".join(["id\tsentence\trating\tgroup\tphenomenon", *rows]) + "\n", encoding="utf-8")
    numbat = Numbat(capsys, monkeypatch)
    asked = (
        "theories",
        "rated.tsv",
        "-g",
        "small.pg",
        "--folds",
        "3",
        "--theory",
        "additive",
        "--theory",
        "length",
        "-q",
    )
    done = numbat(*asked)
    assert (done.code, done.err) == (0, "")
    lines = without_record(done.out).splitlines()
    assert lines[0] == "rated.tsv: 36 rated sentences, grammar , kinds by relation" or lines[0].startswith(
        "rated.tsv: 36"
    )
    assert [line.split("  ")[0] for line in lines if line.startswith(("additive", "length"))][:2] == [
        "additive",
        "length",
    ]
    found = json.loads(numbat(*asked, "-f", "json").out)
    assert [each["name"] for each in found["theories"]] == ["additive", "length"]
    assert found["theories"][0]["items_held_out"]["value"] > 0.5
    assert numbat(*asked[:-1], "--theory", "none").code == 2


def test_a_report_says_why_an_index_falls(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    start = "the cat sleeps"
    texts = [start] + [f"{'I know that ' * n}{end}" for n in (1, 2, 3) for end in (start, "they sleep", "she sees him")]
    Path("s.tsv").write_text(
        "sentence\trating\n" + "".join(f"{t}\t{i % 4}\n" for i, t in enumerate(texts)), encoding="utf-8"
    )
    numbat = Numbat(capsys, monkeypatch)
    told = "! measures depth: it falls with the number of phrases"
    assert told in numbat("report", "s.tsv", "-m", "cost", "-m", "grammaticality-index", "-q").out
    assert told not in numbat("report", "s.tsv", "-q").out


def test_a_suite_without_ratings_names_its_columns(parser: Parser) -> None:
    from numbat.experiments.verbs import theories

    suite = Suite("s.tsv", (Item("1", "the cat sleeps"),), unread=("score x",))
    with pytest.raises(DataError, match=r"^s\.tsv: 0 rated sentences, .*\n.*; columns not understood: score x"):
        theories(suite, parser)
