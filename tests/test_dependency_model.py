"""The dependency model with valence, against the enumeration of all trees, compiled and in Python."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from numbat import native
from numbat.errors import DataError, UsageError
from numbat.structure.inference import best_heads, best_trees, heads_of, sampled_heads, sums
from numbat.structure.model import (
    Batch,
    Bias,
    DependencyModel,
    EventWeights,
    batches_of,
    no_counts,
    packed_model,
    parse_model,
    read_model,
)

BIASES = (Bias(), Bias(locality=-0.7), Bias(locality=0.3), Bias(breaks=0.5), Bias(breaks=-2.0))
Heads = tuple[int, ...]


@pytest.fixture(params=["compiled", "python"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("NUMBAT_KERNEL", request.param)
    if request.param == "compiled" and native.load(native.VALENCE) is None:
        pytest.skip("the compiled module was not built")
    return str(request.param)


def random_model(tags: int, seed: int, evenness: float = 1.0) -> DependencyModel:
    random = np.random.default_rng(seed)
    child, root = random.dirichlet(np.full(tags, evenness), size=(tags, 2)), random.dirichlet(np.full(tags, evenness))
    return DependencyModel(tuple(f"T{number:02}" for number in range(tags)), random.random((tags, 2, 2)), child, root)


@cache
def forests(words: int) -> tuple[Heads, ...]:
    """Return all projective forests over some words as rows of heads."""
    return tuple(heads for heads in product(range(words + 1), repeat=words) if is_projective(heads))


def is_projective(heads: Heads) -> bool:
    above = [ancestors(number, heads) for number in range(len(heads) + 1)]
    if any(len(each) > len(heads) for each in above):
        return False
    links = [(head, child) for child, head in enumerate(heads, start=1) if head]
    return all(head in above[word] for head, child in links for word in range(min(head, child) + 1, max(head, child)))


def ancestors(number: int, heads: Heads) -> list[int]:
    """Return the words above a word; more than there are words if they form a cycle."""
    found: list[int] = []
    while number and len(found) <= len(heads):
        number = heads[number - 1]
        found.append(number)
    return found


def log_weight(model: DependencyModel, tags: Sequence[int], heads: Heads, bias: Bias = BIASES[0]) -> float:
    """Equations 1 and 2 of Smith & Eisner (2006), word by word."""
    total = 0.0
    for number, (tag, head) in enumerate(zip(tags, heads, strict=True), start=1):
        if head:
            total += log(model.child[tags[head - 1], int(number > head), tag]) + bias.locality * abs(head - number)
        else:
            total += log(model.root[tag]) + (bias.breaks or 0.0)
        for side in (0, 1):
            children = sum(its == number and (child > number) == bool(side) for child, its in enumerate(heads, start=1))
            total += sum(log(1 - model.stop[tag, side, min(taken, 1)]) for taken in range(children))
            total += log(model.stop[tag, side, min(children, 1)])
    return total


def analyses(model: DependencyModel, tags: Sequence[int], bias: Bias = BIASES[0]) -> dict[Heads, float]:
    """Return the weight of each analysis: a tree, or a row of trees if several are allowed."""
    every = forests(len(tags))
    allowed = every if bias.breaks is not None else [heads for heads in every if heads.count(0) == 1]
    return {heads: exp(log_weight(model, tags, heads, bias)) for heads in allowed}


def sentences(model: DependencyModel, words: int, count: int, seed: int) -> Batch:
    rows = np.random.default_rng(seed).integers(0, len(model.tags), (count, words)).tolist()
    [batch] = batches_of(rows, [1.0 + number for number in range(count)])
    return batch


def cases() -> Iterator[tuple[int, Bias]]:
    yield from product((1, 2, 3, 4), BIASES)
    yield 5, BIASES[0]
    yield 5, BIASES[3]
    yield 6, BIASES[1]


@pytest.mark.parametrize(("words", "bias"), list(cases()))
def test_sums_and_counts_equal_enumeration(words: int, bias: Bias, kernel: str) -> None:
    model = random_model(3, words)
    batch = sentences(model, words, 1 if words == 6 else 5, words)
    counts = no_counts(3)
    found = sums(batch, model.weights, bias, counts)
    expected = no_counts(3)
    for tags, share, value in zip(batch.tags.tolist(), batch.shares, found, strict=True):
        every = analyses(model, tags, bias)
        total = sum(every.values())
        assert value == pytest.approx(log(total))
        for heads, weight in every.items():
            count_events(expected, tags, heads, share * weight / total)
    for mine, its in zip(counts, expected, strict=True):
        assert mine == pytest.approx(its)


def count_events(counts: EventWeights, tags: Sequence[int], heads: Heads, amount: float) -> None:
    for number, (tag, head) in enumerate(zip(tags, heads, strict=True), start=1):
        if head:
            counts.child[tags[head - 1], int(number > head), tag] += amount
        else:
            counts.root[tag] += amount
        for side in (0, 1):
            children = sum(its == number and (child > number) == bool(side) for child, its in enumerate(heads, start=1))
            for taken in range(children):
                counts.go[tag, side, min(taken, 1)] += amount
            counts.stop[tag, side, min(children, 1)] += amount


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_the_best_tree_is_the_best_of_all(words: int, kernel: str) -> None:
    model = random_model(3, 10 + words)
    batch = sentences(model, words, 5, words)
    scores, found = best_trees(batch, model.weights)
    for tags, score, heads in zip(batch.tags.tolist(), scores, map(tuple, found.tolist()), strict=True):
        every = analyses(model, tags)
        assert score == pytest.approx(log(max(every.values())))
        assert every[heads] == pytest.approx(max(every.values()))


def test_both_kernels_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    if native.load(native.VALENCE) is None:
        pytest.skip("the compiled module was not built")
    for words, bias in product((1, 2, 7, 12, 19), BIASES):
        model = random_model(6, words, 0.3)
        batch = sentences(model, words, 7, words)
        results = []
        for kernel in ("compiled", "python"):
            monkeypatch.setenv("NUMBAT_KERNEL", kernel)
            counts = no_counts(6)
            results.append((sums(batch, model.weights, bias, counts), counts, best_trees(batch, model.weights)))
        (one, one_counts, one_best), (other, other_counts, other_best) = results
        assert one == pytest.approx(other, rel=1e-11)
        for mine, its in zip(one_counts, other_counts, strict=True):
            assert mine == pytest.approx(its, rel=1e-9, abs=1e-12)
        assert (one_best[1] == other_best[1]).all()
        assert (one_best[0] == other_best[0]).all()


def test_of_equal_trees_both_kernels_take_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    even = DependencyModel(("A", "B"), np.full((2, 2, 2), 0.5), np.full((2, 2, 2), 0.5), np.full(2, 0.5))
    found = []
    for kernel in ("compiled", "python"):
        monkeypatch.setenv("NUMBAT_KERNEL", kernel)
        found.append([best_heads(even, ["A"] * words) for words in range(1, 8)])
    assert found[0] == found[1]


def test_forty_words_of_hardly_possible_events_do_not_underflow(kernel: str) -> None:
    model = random_model(20, 3, 0.02)
    stop = np.clip(model.stop**40, 1e-90, 1 - 1e-12)
    hard = DependencyModel(model.tags, stop, np.maximum(model.child, 1e-80), np.maximum(model.root, 1e-80))
    batch = sentences(hard, 40, 3, 3)
    counts = no_counts(20)
    found = sums(batch, hard.weights, Bias(locality=-1.0), counts)
    assert np.isfinite(found).all()
    assert (found < -800).all()
    assert counts.root.sum() == pytest.approx(batch.shares.sum())
    assert counts.child.sum() == pytest.approx(39 * batch.shares.sum())
    assert counts.stop.sum() == pytest.approx(80 * batch.shares.sum())


def test_samples_are_as_frequent_as_they_are_likely() -> None:
    model, tags = random_model(3, 5), [0, 1, 2, 1]
    every = analyses(model, tags)
    total, drawn = sum(every.values()), 20_000
    found = Counter(sampled_heads(model, [model.tags[tag] for tag in tags], drawn, seed=1))
    assert set(found) <= set(every)
    for heads, weight in every.items():
        share = weight / total
        assert abs(found[heads] / drawn - share) < 5 * (share * (1 - share) / drawn) ** 0.5 + 1e-4


def test_samples_are_the_same_for_a_seed() -> None:
    model = random_model(4, 6)
    tags = ["T00", "T01", "T02", "T03", "T01"]
    assert sampled_heads(model, tags, 5, 7) == sampled_heads(model, tags, 5, 7)
    assert sampled_heads(model, tags, 5, 7) != sampled_heads(model, tags, 5, 8)
    assert sampled_heads(model, [], 2) == ((), ())


def test_sentences_of_all_lengths_keep_their_order() -> None:
    model = random_model(3, 8)
    rows = [[0, 1], [], [2], [1, 1, 0], [2, 0]]
    assert [len(heads) for heads in heads_of(rows, model.weights)] == [2, 0, 1, 3, 2]
    assert heads_of(rows, model.weights)[3] == best_heads(model, ["T01", "T01", "T00"])


def test_what_a_model_does_not_know() -> None:
    model = random_model(2, 9)
    with pytest.raises(UsageError) as error:
        best_heads(model, ["T00", "X"])
    assert str(error.value) == 'the model has no tag "X"\n  it knows T00, T01'
    with pytest.raises(UsageError) as error:
        best_heads(model, ["T00"] * 201)
    assert str(error.value) == "a sentence of 201 words\n  shorten it: the model parses up to 200 words"


def test_a_model_is_read_back_as_it_was() -> None:
    model = random_model(5, 11)
    again = parse_model(packed_model(model))
    assert again.tags == model.tags
    assert (again.column, again.about) == (model.column, model.about)
    for mine, its in zip(model.weights, again.weights, strict=True):
        assert (mine == its).all()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "other"}, '"format" is not "numbat structure/1"'),
        ({"tags": ["B", "A"]}, '"tags" is not a sorted list of up to 1,000 names'),
        ({"tags": ["A"]}, "an array that is not of 1 numbers"),
        ({"root": [0.5, 0.6]}, "probabilities do not sum to 1"),
        ({"root": [0.5, True]}, "True where a probability is expected"),
        ({"root": [2.0, -1.0]}, "2.0 where a probability is expected"),
        ({"stop": [[[1, 1], [1, 1]]]}, "an array that is not of 2 times 2 times 2 numbers"),
        ({"column": "lemma"}, '"column" or "about" has an unknown value'),
    ],
)
def test_a_file_that_is_no_model(change: dict[str, object], why: str, tmp_path: Path) -> None:
    path = tmp_path / "x.structure"
    model = random_model(2, 1)
    named = DependencyModel(("A", "B"), model.stop, model.child, model.root)
    path.write_text(json.dumps({**json.loads(packed_model(named)), **change}))
    with pytest.raises(DataError) as error:
        read_model(str(path))
    assert str(error.value).endswith(f": not a dependency model: {why}\n  write it again with numbat learn structure")
    path.write_bytes(b"\xff\x00")
    with pytest.raises(DataError, match="not a dependency model"):
        read_model(str(path))


def test_a_sentence_without_trees_gives_no_samples() -> None:
    never = DependencyModel(("A", "B"), np.ones((2, 2, 2)), np.full((2, 2, 2), 0.5), np.full(2, 0.5))
    with pytest.raises(UsageError) as error:
        sampled_heads(never, ["A", "B"], 3)
    assert str(error.value) == "the model has no tree for A B\n  learn another one, with --smoothing above 0"
