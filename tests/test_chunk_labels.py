"""Labels of chunks: reading, writing and recognising each scheme, F compared with conlleval and seqeval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product
from random import Random

import pytest

from numbat.errors import DataError, UsageError
from numbat.labels.token_files import Layout, read_samples, scheme_of, score_labels
from numbat.words.chunk_labels import OUTSIDE, SCHEMES, Chunk, Misfit, Scheme, guessed, scheme_named, schemes_with
from tests.samples import enough

ALL = [replace(scheme, behind=behind) for scheme in SCHEMES.values() for behind in (False, True)]


def name_of(scheme: Scheme) -> str:
    return f"{scheme.name}{' behind' if scheme.behind else ''}"


def random_chunks(rng: Random, length: int) -> list[Chunk]:
    found, start = [], 0
    while start < length:
        end = min(length, start + rng.randint(1, 3))
        if rng.random() < 0.6:
            found.append((start, end, rng.choice(["PER", "LOC", "X-Y"])))
        start = end
    return found


# Two adjacent chunks of one type, one of another type next to them, one alone.
CHUNKS = [(0, 2, "NP"), (2, 3, "NP"), (3, 6, "VP"), (7, 8, "NP")]
WRITTEN = {
    "iob2": "B-NP I-NP B-NP B-VP I-VP I-VP O B-NP",
    "iob1": "I-NP I-NP B-NP I-VP I-VP I-VP O I-NP",
    "iobes": "B-NP E-NP S-NP B-VP I-VP E-VP O S-NP",
    "bilou": "B-NP L-NP U-NP B-VP I-VP L-VP O U-NP",
    "bmes": "B-NP E-NP S-NP B-VP M-VP E-VP O S-NP",
    "ioe2": "I-NP E-NP E-NP I-VP I-VP E-VP O E-NP",
    "ioe1": "I-NP E-NP I-NP I-VP I-VP I-VP O I-NP",
}


@pytest.mark.parametrize("name", SCHEMES)
def test_labels_of_chunks(name: str) -> None:
    scheme, labels = SCHEMES[name], WRITTEN[name].split()
    assert scheme.labels(CHUNKS, 8) == labels
    assert scheme.chunks(labels) == scheme.chunks(labels, strict=True) == CHUNKS
    turned = [label if label == "O" else f"{label[2:]}-{label[0]}" for label in labels]
    behind = replace(scheme, behind=True)
    assert behind.labels(CHUNKS, 8) == turned
    assert behind.chunks(turned) == CHUNKS
    assert guessed([labels]) == scheme
    assert guessed([turned]) == behind


@pytest.mark.parametrize("scheme", ALL, ids=name_of)
def test_chunks_come_back_and_the_guess_allows_what_a_scheme_wrote(scheme: Scheme) -> None:
    for seed in range(enough(60)):
        rng = Random(seed)
        lengths = [rng.randint(1, 10) for _ in range(3)]
        every = [random_chunks(rng, length) for length in lengths]
        written = [scheme.labels(chunks, length) for chunks, length in zip(every, lengths, strict=True)]
        assert [scheme.chunks(labels) for labels in written] == every
        assert [scheme.chunks(labels, strict=True) for labels in written] == every
        assert all(scheme.allows(*pair) for labels in written for pair in pairwise((OUTSIDE, *labels, OUTSIDE)))
        found = guessed(written)
        if any(every):
            assert isinstance(found, Scheme)
            assert [found.chunks(labels) for labels in written] == every
        else:
            assert found is None


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_only_what_is_written_is_allowed(scheme: Scheme) -> None:
    """Of all labellings of three tokens a scheme allows those that it writes for some chunks."""
    alphabet = [OUTSIDE, *(scheme.label(sign, kind) for sign in scheme.signs - {OUTSIDE} for kind in "XY")]
    for labels in product(alphabet, repeat=3):
        is_allowed = all(scheme.allows(*pair) for pair in pairwise((OUTSIDE, *labels, OUTSIDE)))
        assert is_allowed == (scheme.labels(scheme.chunks(labels), 3) == list(labels))


def test_chunks_as_the_shared_tasks_count_them() -> None:
    """Cases of conlleval's two tables of chunk ends and beginnings."""
    iob, ioe = SCHEMES["iob2"], SCHEMES["iobes"]
    assert iob.chunks(["B-NP", "I-NP", "O", "I-VP", "I-NP", "B-NP"]) == [
        (0, 2, "NP"), (3, 4, "VP"), (4, 5, "NP"), (5, 6, "NP"),
    ]  # fmt: skip
    assert ioe.chunks(["S-X", "E-X", "B-X", "E-X", "I-X", "O"]) == [(0, 1, "X"), (1, 2, "X"), (2, 4, "X"), (4, 5, "X")]
    assert iob.chunks(["O", "O"]) == iob.chunks([]) == []
    assert iob.chunks(["B-NP", "I-NP", "O", "I-VP", "I-NP", "B-NP"], strict=True) == [(0, 2, "NP"), (5, 6, "NP")]
    assert ioe.chunks(["S-X", "E-X", "B-X", "E-X", "I-X", "O"], strict=True) == [(0, 1, "X"), (2, 4, "X")]


def test_signs_alone_are_those_of_chunks_without_a_type() -> None:
    words = guessed([["B", "M", "E", "S"], ["S"]])
    assert words == SCHEMES["bmes"]
    assert SCHEMES["bmes"].chunks(["B", "M", "E", "S"]) == [(0, 3, ""), (3, 4, "")]
    assert SCHEMES["bmes"].labels([(0, 3, ""), (3, 4, "")], 4) == ["B", "M", "E", "S"]
    assert guessed([["S", "B"], ["I"]]) is None


FIRST_OF = [
    ("B-X O B-X", "iob2"),
    ("I-X O I-X", "iob1"),
    ("I-X B-X O", "iob1"),
    ("B-X E-X S-X", "iobes"),
    ("S-X O", "iobes"),
    ("U-X O", "bilou"),
    ("B-X M-X E-X", "bmes"),
    ("O E-X", "ioe2"),
    ("I-X E-X I-X", "ioe1"),
]


@pytest.mark.parametrize(("labels", "name"), FIRST_OF)
def test_the_first_scheme_that_allows_all(labels: str, name: str) -> None:
    assert guessed([labels.split()]) == SCHEMES[name]


def test_labels_that_are_none_of_chunks() -> None:
    for labels in (["NN", "-LRB-", "O"], ["O"], [], ["B-X", "X-I"], ["B-"], ["O-X", "O"], ["--"]):
        assert guessed([labels]) is None
        assert schemes_with(labels) == []


def test_labels_that_no_scheme_allows() -> None:
    found = guessed([["B-X", "I-X"], ["O", "I-X"], ["I-Y", "B-X"]])
    assert isinstance(found, Misfit)
    assert (found.scheme.name, found.sentence, found.token, found.number) == ("iob2", 1, 1, 2)
    assert found.message == "iob2 does not allow I-X after O"
    mixed = guessed([["B-X", "I-X", "O", "U-X", "S-X", "B-X", "L-X"]])
    assert isinstance(mixed, Misfit)
    assert (mixed.message, mixed.before) == ('"S-X" is not a label of the scheme bilou', None)
    ends = guessed([["B-X", "E-X"], ["O", "B-X"]])
    assert isinstance(ends, Misfit)
    assert (ends.message, ends.token) == ("iobes does not allow O after B-X", 1)
    with pytest.raises(UsageError) as caught:
        scheme_named("bio")
    assert str(caught.value).startswith('"bio" is not a label scheme\n')


FILES = [
    ("a B-X\nb I-X\n\nc I-X\nd B-X\n", None, "f.txt:4:1: iob2 does not allow I-X after O\n"),
    ("a B-X\nb O\n", "bilou", ""),
    ("a B-X\nb L-X\n", "iob2", 'f.txt:2:1: "L-X" is not a label of the scheme iob2\n  all labels of the file are'),
    ("a N\nb V\n", "iob2", 'f.txt:1:1: "N" is not a label of the scheme iob2\n  the signs of iob2 are B, I, O'),
    ("a S-X\nb L-X\n", None, 'f.txt:2:1: "L-X" is not a label of the scheme iobes\n'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "message"), FILES)
def test_the_scheme_of_a_file(text: str, name: str | None, message: str) -> None:
    samples = read_samples(text, "f.txt", Layout())
    if not message:
        assert scheme_of(samples, "f.txt", name) == SCHEMES[str(name)]
        return
    with pytest.raises(DataError) as caught:
        scheme_of(samples, "f.txt", name)
    assert str(caught.value).startswith(message)


GOLD = ["B-X I-X O B-Y", "O B-X O I-X", "B-Y I-X I-X O"]
FOUND = ["B-X I-X O I-Y", "I-X I-X O I-X", "B-Y I-Y I-X B-X"]


def split(lines: Sequence[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def test_scores_beside_conlleval_and_seqeval() -> None:
    """The figures are those of conlleval of 2004, and of seqeval 1.2.2 with mode="strict" and the scheme IOB2."""
    usual = score_labels(split(GOLD), split(FOUND), scheme=SCHEMES["iob2"])
    strict = score_labels(split(GOLD), split(FOUND), scheme=SCHEMES["iob2"], strict=True)
    shown = [f"{100 * share:.2f}" for one in (usual, strict) for share in (one.precision, one.recall, one.f1)]
    assert shown == ["42.86", "50.00", "46.15", "33.33", "25.00", "28.57"]
