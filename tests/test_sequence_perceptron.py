"""The fast learner: the kernel and its Python twin, averaging of weights, features, and learning."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from numbat import native
from numbat.errors import UsageError
from numbat.labels import loops
from numbat.labels.csi import csi
from numbat.labels.loops import Epoch, TokenArrays, WeightArrays
from numbat.labels.perceptron import (
    PerceptronSettings,
    feature_keys,
    feature_templates,
    known_forms,
    marginals,
    packed,
    predictions,
    train,
    unit_of,
    unpacked,
)
from numbat.labels.token_files import Sample, TokenColumns

np = pytest.importorskip("numpy")


@pytest.mark.skipif(native.load(native.TAGGER_LOOPS) is None, reason="the loops are not compiled")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("margin", [0.0, 1.0])
@pytest.mark.parametrize("steps", [0, 2**24, 2**40 + 1])
def test_the_kernel_learns_what_its_twin_learns(seed: int, margin: float, steps: int) -> None:
    random = np.random.Generator(np.random.PCG64(seed))
    tokens, labels, features, across = 60, 6, 25, 5
    gold = random.integers(1, labels, (tokens, 3)).astype(np.int32)
    edges = random.integers(0, 2, (tokens, 3)).astype(np.uint8)
    edges[:, 1] = 0
    gold[edges > 0] = 0
    rows = np.array([random.choice(features, across, replace=False) for _ in range(tokens)], np.int32)
    arrays = TokenArrays(rows, gold, edges)
    codes = np.unique(gold[: tokens // 2].astype(np.int64) @ np.array([labels * labels, labels, 1]))
    results = []
    for train_epoch in (loops.train_epoch, loops.train_epoch_in_python):
        weights, count = WeightArrays.zeros(features, labels, len(codes)), steps
        mistakes = []
        for number in range(3):
            order = np.random.Generator(np.random.PCG64(number)).permutation(tokens).astype(np.int32)
            wrong, count = train_epoch(Epoch(order, arrays, codes, weights, 4, margin, count))
            mistakes.append(wrong)
        assert count == steps + 3 * tokens
        assert not weights.weights[0].any()
        results.append((mistakes, [array.tolist() for array in weights]))
    assert results[0] == results[1]
    assert results[0][0][0] > 0


def language(seed: int, size: int) -> list[Sample]:
    """Return words whose endings determine their labels, except "to", which is P before names and I before verbs."""
    random = Random(seed)
    result = []
    for _ in range(size):
        pairs: list[tuple[str, str]] = []
        while len(pairs) < 8:
            if random.random() < 0.4:
                verb = random.random() < 0.5
                pairs += [("to", "I"), (f"w{random.randint(0, 99)}en", "V")] if verb else [("to", "P"), ("Xyz", "N")]
            else:
                pairs.append((f"q{random.randint(0, 99)}ly", "A"))
        result.append(Sample(tuple((word,) for word, _ in pairs), tuple(label for _, label in pairs)))
    return result


def test_it_learns_and_says_the_same_again() -> None:
    samples, judged = language(1, 60), language(2, 20)
    told: list[str] = []
    weights = train(samples, "words", PerceptronSettings(epochs=4), told.append)
    assert [line.split(":")[0] for line in told] == ["round 1", "round 2", "round 3", "round 4"]
    assert weights.labels == ("", "A", "I", "N", "P", "V")
    said = predictions(weights, [sample.rows for sample in judged])
    right = [label for sample in judged for label in sample.labels]
    assert [one.labels[1] for one in said] == right
    assert csi(said[: len(judged[0].rows)]) == list(judged[0].labels)
    again = train(samples, "words", PerceptronSettings(epochs=4), told.append)
    assert (again.rows == weights.rows).all()
    loaded = unpacked(*packed(weights))
    assert predictions(loaded, [sample.rows for sample in judged]) == said
    shares = marginals(weights, [sample.rows for sample in judged])
    assert all(sum(one.values()) == pytest.approx(1) and "" not in one for one in shares)
    assert [max(one, key=lambda label: one[label]) for one in shares] == right


def test_edges_are_predicted_where_sentences_begin_and_end() -> None:
    weights = train(language(1, 20), "words", PerceptronSettings(epochs=2), lambda _: None)
    rows: list[tuple[TokenColumns, ...]] = [(("to",),), (("to",), ("Xyz",), ("zzz",))]
    said = predictions(weights, rows)
    assert [(one.labels[0] == "", one.labels[2] == "") for one in said] == [
        (True, True), (True, False), (False, False), (False, True),
    ]  # fmt: skip
    assert all(one.trigram <= min(*one.pairs, *one.singles) + 1e-6 for one in said)


def test_features_of_a_sentence_do_not_depend_on_others() -> None:
    samples = language(3, 6)
    seen = known_forms(samples, "words")
    rows = [sample.rows for sample in samples]
    alone = np.concatenate([feature_keys([one], seen) for one in rows])
    assert (feature_keys(rows, seen) == alone).all()
    assert alone.shape[1] == len(feature_templates("words", 0)) == len(set(feature_templates("words", 0)))


def test_a_window_ends_with_the_sentence() -> None:
    seen = known_forms([Sample((("a",), ("b",)), ("X", "Y"))], "letters")
    one, two = feature_keys([(("a",), ("b",)), (("a",), ("c",))], seen)[::2]
    different = [
        template for template, same in zip(feature_templates("letters", 0), one == two, strict=True) if not same
    ]
    assert different == [
        template for template in feature_templates("letters", 0) if any(offset == 1 for offset, _ in template)
    ]


def test_letters_are_told_from_words() -> None:
    assert unit_of([Sample((("a",), ("b",)))]) == "letters"
    assert unit_of([Sample((("a",), ("cat",)))]) == "words"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": -1}, "epochs and least must be at least 1, the seed at least 0\n  give whole numbers"),
        ({"epochs": 0}, "epochs and least must be at least 1, the seed at least 0\n  give whole numbers"),
        ({"margin": float("nan")}, "the margin must be a number from 0 to 1,000,000, not nan\n  1 is usual"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        PerceptronSettings(**settings)
    assert str(error.value) == message
