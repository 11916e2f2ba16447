"""Chunks on the last tenth of CoNLL-2000's training data, which `chunks.pg` was neither induced nor tuned on.

Run by `python -m pytest tests/bench/test_chunk_bench.py -n0 -s`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import pytest

from numbat import Lattice, Parse, Parser, load_grammar, shallow_grammar
from numbat.labels.guesser import guesser
from numbat.labels.token_files import LabellingScore, Layout, Sample, read_samples, score_labels
from numbat.words.chunk_labels import SCHEMES
from numbat.words.typed import read_tagged

IOB2 = SCHEMES["iob2"]
BRACKETS = {"(": "-LRB-", ")": "-RRB-"}


@pytest.fixture(scope="module")
def samples(data: Path) -> tuple[Sequence[Sample], Sequence[Sample]]:
    """The first nine tenths and the last: word, tag, label."""
    text = (data / "chunk" / "conll2000" / "train.txt").read_text(encoding="utf-8")
    found = read_samples(text, "train.txt", Layout())
    border = len(found) * 9 // 10
    return found[:border], found[border:]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(shallow_grammar(load_grammar("chunks")))


def labels_of(parse: Parse) -> list[str]:
    chunks = [(top.start, top.end, top.construction) for top in parse.constituents if top.daughters]
    return IOB2.labels(chunks, len(parse.lattice.tokens))


def scored(gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> LabellingScore:
    return score_labels(gold, found, scheme=IOB2)


def shown(what: str, score: LabellingScore, speed: float = 0.0) -> None:
    pace = f"; {speed:.0f} sentences/s" if speed else ""
    print(f"{what:<34}precision {score.precision:.4f}, recall {score.recall:.4f}, F {score.f1:.4f}{pace}")


def chunked(what: str, parser: Parser, gold: Sequence[Sequence[str]], lattices: Sequence[Lattice]) -> LabellingScore:
    """Return the score, and print it with the speed of the first run and of a second one with warm automata."""
    for which in ("first", "again"):
        began = perf_counter()
        parses = [parser.parse(lattice) for lattice in lattices]
        seconds = perf_counter() - began
        score = scored(gold, list(map(labels_of, parses)))
        shown(f"{what}, {which}", score, len(lattices) / seconds)
    return score


def test_the_most_frequent_label_of_a_tag(samples: tuple[Sequence[Sample], Sequence[Sample]]) -> None:
    train, judged = samples
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sample in train:
        for (_, tag), label in zip(sample.rows, sample.labels, strict=True):
            counts[tag][label] += 1
    found = [[counts[tag].most_common(1)[0][0] for _, tag in sample.rows] for sample in judged]
    print()
    shown("most frequent label of a tag", scored([sample.labels for sample in judged], found))


def test_chunks_over_gold_tags(parser: Parser, samples: tuple[Sequence[Sample], Sequence[Sample]]) -> None:
    judged = samples[1]
    lattices = [
        read_tagged(" ".join(f"{word}/{BRACKETS.get(tag, tag)}" for word, tag in sample.rows), parser.words)
        for sample in judged
    ]
    print()
    gold = [sample.labels for sample in judged]
    score = chunked("tags of the data", parser, gold, lattices)
    found = [labels_of(parser.parse(lattice)) for lattice in lattices]
    for kind in ("NP", "VP", "PP", "ADVP", "SBAR", "ADJP", "PRT"):
        own = [[label if label.endswith(f"-{kind}") else "O" for label in labels] for labels in gold]
        mine = [[label if label.endswith(f"-{kind}") else "O" for label in labels] for labels in found]
        of_kind = sum(each[2] == kind for labels in gold for each in IOB2.chunks(labels))
        shown(f"  {kind} ({of_kind})", scored(own, mine))
    assert score.f1 >= 0.85


@pytest.mark.parametrize("tags", ["lattice", "best"])
def test_chunks_over_the_tagger(parser: Parser, samples: tuple[Sequence[Sample], Sequence[Sample]], tags: str) -> None:
    """Over the tokens of the data; the tagger was trained on the English Web Treebank."""
    judged = samples[1]
    tagger = guesser("penn", None, parser.words, tags == "best")
    words = [tuple(BRACKETS.get(word, word) for word, _ in sample.rows) for sample in judged]
    lattices = [tagger.lattice(Lattice(tokens, ())) for tokens in words]
    print()
    chunked(f"penn, {tags}", parser, [sample.labels for sample in judged], lattices)
