"""The memory-based learner against a naive one that is written from the definitions, on random material."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp, log2
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat import native
from numbat.errors import UsageError
from numbat.labels import loops, memory
from numbat.labels.csi import Trigram, trigrams
from numbat.labels.loops import NearestQuery
from numbat.labels.memory import (
    CHOICES,
    SCALE,
    MemorySettings,
    ValueDifference,
    distributions,
    feature_weight,
    symbols_of,
    train,
    vote_weights,
    windows,
)
from numbat.labels.token_files import Sample, TokenColumns
from tests.samples import enough

if TYPE_CHECKING:
    import numpy as np
    from numpy import int32
    from numpy.typing import NDArray
else:
    np = pytest.importorskip("numpy")

Window = tuple[str, ...]


def material(seed: int, sentences: int = 12, symbols: str = "abcde") -> list[Sample]:
    random = Random(seed)
    result = []
    for _ in range(sentences):
        rows = tuple((random.choice(symbols), random.choice("xy")) for _ in range(random.randint(1, 6)))
        labels = tuple(random.choice("NV") if row[0] in "ab" else row[1].upper() for row in rows)
        result.append(Sample(rows, labels))
    return result


def naive_windows(rows: tuple[TokenColumns, ...]) -> list[Window]:
    padded = (("<", "<"),) * 3 + rows + (("<", "<"),) * 3
    return [tuple(padded[i + j][column] for column in (0, 1) for j in range(7)) for i in range(len(rows))]


class Naive:
    """All definitions of the handbook, word for word, in floating point."""

    def __init__(self, samples: list[Sample], chosen: MemorySettings) -> None:
        self.chosen = chosen
        self.base = [pair for s in samples for pair in zip(naive_windows(s.rows), trigrams(s.labels), strict=True)]
        raw = [self.weight([(window[f], c) for window, c in self.base]) for f in range(14)]
        self.weights = [round(one / (max(raw) or 1) * SCALE) for one in raw]
        self.order = sorted(range(14), key=lambda f: (-self.weights[f], f))
        self.by_value: list[dict[str, Counter[Trigram]]] = [defaultdict(Counter) for _ in range(14)]
        for window, one in self.base:
            for f, value in enumerate(window):
                self.by_value[f][value][one] += 1

    def weight(self, pairs: list[tuple[str, Trigram]]) -> float:
        size = len(pairs)
        of_value, of_class, both = Counter(v for v, _ in pairs), Counter(c for _, c in pairs), Counter(pairs)

        def entropy(counts: Counter[str] | Counter[Trigram]) -> float:
            return -sum(n / counts.total() * log2(n / counts.total()) for n in counts.values())

        if self.chosen.weighting == "none":
            return 1.0
        if self.chosen.weighting == "x2":
            return sum(
                (both[v, c] - of_value[v] * of_class[c] / size) ** 2 / (of_value[v] * of_class[c] / size)
                for v in of_value
                for c in of_class
            )
        gain = entropy(of_class) - sum(
            n / size * entropy(Counter({c: both[v, c] for c in of_class if both[v, c]})) for v, n in of_value.items()
        )
        split = entropy(of_value)
        return max(gain, 0.0) if self.chosen.weighting == "ig" else max(gain / split, 0.0) if split else 0.0

    def apart(self, f: int, one: str, two: str) -> int:
        if one == two:
            return 0
        mine, other = self.by_value[f].get(one), self.by_value[f][two]
        if self.chosen.metric == "overlap" or mine is None:
            return self.weights[f]
        difference = sum(abs(mine[c] / mine.total() - other[c] / other.total()) for c in {*mine, *other}) / 2
        return round(difference * self.weights[f])

    def shares(self, window: Window) -> dict[Trigram, float]:
        near, features = self.base, list(self.order)
        votes: dict[Trigram, float]
        if self.chosen.search != "exact":
            while features:
                deeper = [(w, c) for w, c in near if w[features[0]] == window[features[0]]]
                if not deeper:
                    break
                near, features = deeper, features[1:]
        if self.chosen.search == "igtree" or not features:
            votes = {c: float(n) for c, n in Counter(c for _, c in near).items()}
        else:
            far = [(sum(self.apart(f, window[f], w[f]) for f in features), c) for w, c in near]
            nearest = sorted({distance for distance, _ in far})[: self.chosen.k]
            votes = defaultdict(float)
            for distance, c in far:
                if distance in nearest:
                    votes[c] += self.vote(distance / SCALE, nearest[0] / SCALE, nearest[-1] / SCALE)
        return {c: n / sum(votes.values()) for c, n in votes.items() if n}

    def vote(self, distance: float, nearest: float, farthest: float) -> float:
        if self.chosen.voting == "id":
            return 1 / (distance + 1e-6)
        if self.chosen.voting == "il" and farthest != nearest:
            return (farthest - distance) / (farthest - nearest)
        return exp(-self.chosen.decay * (distance - nearest)) if self.chosen.voting == "ed" else 1.0


@st.composite
def chosen_settings(draw: st.DrawFn) -> MemorySettings:
    choices = {name: draw(st.sampled_from(values)) for name, values in CHOICES.items()}
    return MemorySettings(k=draw(st.integers(1, 5)), **choices)  # type: ignore[arg-type]


@settings(max_examples=enough(60))
@given(st.integers(0, 10**6), chosen_settings())
def test_neighbours_are_those_of_the_definitions(seed: int, chosen: MemorySettings) -> None:
    samples, judged = material(seed), material(seed + 1, 3, "abcdef")
    naive, learnt = Naive(samples, chosen), train(samples, chosen)
    assert learnt.order.tolist() == naive.order
    found = iter(distributions(learnt, [sample.rows for sample in judged]))
    for sample in judged:
        for window in naive_windows(sample.rows):
            shares = {one: share for one, share in next(found).items() if share}
            wanted = naive.shares(window)
            assert set(shares) == set(wanted)
            for one, share in wanted.items():
                assert shares[one] == pytest.approx(share, abs=1e-6)  # distances are rounded, and not always alike


def random_row(random: Random, size: int, value: int) -> NDArray[int32] | None:
    """Distances of values from one, or None for overlap."""
    row = np.array([random.randint(0, 5) for _ in range(size)], np.int32)
    row[value] = 0
    return row if random.random() < 0.7 else None


@settings(max_examples=enough(60))
@given(st.integers(0, 10**6), st.sampled_from(["overlap", "mvdm"]), st.integers(1, 6))
@pytest.mark.skipif(native.load(native.TAGGER_LOOPS) is None, reason="the loops are not compiled")
def test_the_kernel_finds_what_its_twin_finds(seed: int, metric: memory.Metric, k: int) -> None:
    learnt = train(material(seed, 40), MemorySettings(k=k, metric=metric))
    every = np.ascontiguousarray(windows([s.rows for s in material(seed + 1, 3, "abcdef")], learnt.symbols))
    random = Random(seed)
    for focus in np.ascontiguousarray(every[:, learnt.order]):
        size = learnt.symbols.sizes()
        rows = [
            random_row(random, size[f], value) if metric == "mvdm" else None
            for f, value in zip(learnt.order, focus, strict=True)
        ]
        feature, high = random.randint(0, 13), learnt.values.shape[1]
        low = 0
        if feature:
            low = random.randrange(high)
            low, high = next((i, int(end)) for i, end in enumerate(learnt.ends[feature - 1]) if i <= low < end)
        least = np.zeros(15, np.int64)
        query = NearestQuery(learnt.values, learnt.ends, focus, learnt.weights, least, rows, feature, low, high, k)
        slow, fast = loops.nearest_instances_in_python(query), loops.nearest_instances(query)
        pairs = [sorted(zip(instances.tolist(), far.tolist(), strict=True)) for instances, far in (fast, slow)]
        assert pairs[0] == pairs[1]


def test_all_that_are_equally_far_are_one_neighbour() -> None:
    """k counts distances, as in TiMBL: with k = 1 three instances at one distance all vote."""
    samples = [Sample((("a",),), (label,)) for label in "XXY"] + [Sample((("b",),), ("Z",))]
    learnt = train(samples, MemorySettings(k=1, metric="overlap", weighting="none", voting="majority"))
    (shares,) = distributions(learnt, [(("c",),)])
    assert {one[1]: share for one, share in shares.items()} == {"X": 0.5, "Y": 0.25, "Z": 0.25}
    (shares,) = distributions(learnt, [(("a",),)])
    assert {one[1]: round(share, 6) for one, share in shares.items()} == {"X": 0.666667, "Y": 0.333333}
    two = train(samples, MemorySettings(k=2, metric="overlap", weighting="none", voting="majority"))
    (shares,) = distributions(two, [(("a",),)])
    assert {one[1]: share for one, share in shares.items()} == {"X": 0.5, "Y": 0.25, "Z": 0.25}


def test_votes_by_distance() -> None:
    """Inverse linear: the nearest counts 1, the farthest 0; alone it counts 1 (Dudani 1976)."""
    assert vote_weights([1.0, 2.0, 5.0], MemorySettings(voting="il")) == [1.0, 0.75, 0.0]
    assert vote_weights([3.0], MemorySettings(voting="il")) == [1.0]
    assert vote_weights([1.0, 2.0], MemorySettings(voting="majority")) == [1.0, 1.0]
    assert vote_weights([1.0, 3.0], MemorySettings(voting="id")) == pytest.approx([1.0, 1 / 3], rel=1e-5)
    assert vote_weights([0.0, 1.0], MemorySettings(voting="ed", decay=2.0)) == pytest.approx([1.0, exp(-2)])


def test_weights_of_features_by_hand() -> None:
    """Two classes that one feature distinguishes fully and the other not at all."""
    classes = np.array([0, 0, 1, 1])
    told, useless, constant = np.array([1, 1, 2, 2]), np.array([1, 2, 1, 2]), np.array([1, 1, 1, 1])
    assert [feature_weight(one, classes, 2, "ig") for one in (told, useless, constant)] == [1.0, 0.0, 0.0]
    assert [feature_weight(one, classes, 2, "gr") for one in (told, useless, constant)] == [1.0, 0.0, 0.0]
    assert [feature_weight(one, classes, 2, "x2") for one in (told, useless, constant)] == [4.0, 0.0, 0.0]
    assert feature_weight(useless, classes, 2, "none") == 1.0
    four = np.array([1, 2, 3, 4])
    assert feature_weight(four, classes, 2, "ig") == 1.0
    assert feature_weight(four, classes, 2, "gr") == 0.5


def test_the_difference_of_values_by_hand() -> None:
    values, classes = np.array([1, 1, 2, 2, 3]), np.array([0, 1, 0, 0, 1])
    difference = ValueDifference(values, classes, 2, 5)
    assert difference.distances_from(1).tolist() == [1.0, 0.0, 0.5, 0.5, 1.0]
    assert difference.distances_from(2).tolist() == [1.0, 0.5, 0.0, 1.0, 1.0]


def test_windows_go_column_by_column() -> None:
    rows: tuple[TokenColumns, ...] = (("b", "Y"), ("a", "X"))
    symbols = symbols_of([rows])
    assert windows([rows], symbols).tolist() == [
        [0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 2, 1, 0, 0],
        [0, 0, 2, 1, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0],
    ]
    assert windows([(("c", "X"),)], symbols)[0].tolist() == [0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(UsageError) as error:
        MemorySettings(voting="best")  # type: ignore[arg-type]
    assert str(error.value) == 'voting "best" is not known\n  known are: majority, id, il, ed'
    with pytest.raises(UsageError) as error:
        MemorySettings(k=0)
    assert str(error.value) == "k and least must be at least 1\n  give a whole number from 1 on"
    with pytest.raises(UsageError) as error:
        MemorySettings(decay=float("inf"))
    assert str(error.value) == "the decay must be a finite number from 0 on, not inf\n  1 is usual"


def test_more_neighbours_than_there_are_instances() -> None:
    samples, judged = material(1), [sample.rows for sample in material(2, 3, "abcdef")]
    few, many = (list(distributions(train(samples, MemorySettings(k=k)), judged)) for k in (10_000, 3_000_000_000))
    assert few == many
