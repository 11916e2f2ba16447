"""Peers of the sequence labeller: toulbar2 finds the same optimum, TiMBL about the same classes, more slowly."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import perf_counter

import pytest

from numbat.labels import memory
from numbat.labels.csi import EDGE, Trigram, csi, predict, satisfied_weight, trigrams
from numbat.labels.token_files import Layout, read_samples
from tests.bench import sequence_tables
from tests.bench.peers import timbl, toulbar2

UNIT = 64


def distributions(random: Random, size: int, labels: str) -> list[dict[Trigram, float]]:
    result = []
    for i in range(size):
        found: dict[Trigram, float] = {}
        for _ in range(random.randint(1, 6)):
            before = EDGE if i == 0 else random.choice(labels)
            after = EDGE if i + 1 == size else random.choice(labels)
            found[before, random.choice(labels), after] = random.randint(1, UNIT) / UNIT
        result.append(found)
    return result


@pytest.mark.skipif(not toulbar2.is_here(), reason="toulbar2 is not installed")
def test_toulbar2_finds_the_same_optimum() -> None:
    random = Random(1)
    for _ in range(60):
        said = [predict(one) for one in distributions(random, random.randint(1, 30), "abcdef")]
        assert satisfied_weight(said, csi(said)) == pytest.approx(toulbar2.optimum(said, UNIT), abs=1e-9)


@pytest.mark.skipif(not timbl.is_here(), reason="TiMBL is not installed")
@pytest.mark.parametrize(
    ("k", "chosen", "settings"),
    [
        (1, ("overlap", "gr", "majority"), memory.MemorySettings(k=1, metric="overlap", voting="majority")),
        (5, ("mvdm", "gr", "il"), memory.MemorySettings(k=5)),
    ],
    ids=["overlap", "mvdm"],
)
def test_timbl(data: Path, k: int, chosen: tuple[str, ...], settings: memory.MemorySettings) -> None:
    """On the first sentences of the last tenth of conll2000's training file; prints speeds and the right classes."""
    text = (data / "chunk" / "conll2000" / "train.txt").read_text(encoding="utf-8")
    samples = read_samples(text, "train.txt", Layout())
    border = len(samples) * 9 // 10
    judged = samples[border : border + 30]
    gold = [one for sample in judged for one in trigrams(sample.labels)]
    peer = timbl.classify(samples[:border], judged, k, chosen)
    learnt = memory.train(samples[:border], settings)
    began = perf_counter()
    own = [one.labels for one in memory.predictions(learnt, [sample.rows for sample in judged])]
    speed = len(own) / (perf_counter() - began)
    right = [sum(one == two for one, two in zip(said, gold, strict=True)) / len(gold) for said in (own, peer.classes)]
    print(f"\n{' '.join(chosen)}, k = {k}: {speed:.0f} tokens/s, {right[0]:.4f} right; ", end="")
    print(f"TiMBL {peer.speed:.0f} tokens/s, {right[1]:.4f} right; {speed / peer.speed:.1f} times as fast")
    assert right[0] == pytest.approx(right[1], abs=0.01)


def test_no_word_is_both_learned_from_and_judged(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_tables, "DATA", data)
    trained, judged = sequence_tables.sounded_words()
    assert {letters for letters, _ in trained}.isdisjoint(letters for letters, _ in judged)
    assert (len(trained), len(judged)) == (18720, 2081)
