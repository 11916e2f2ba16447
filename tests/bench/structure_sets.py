"""The data of the bench of learned structure: sentences of up to ten words without punctuation, in disjoint parts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from numbat.structure.estimation import TagSentences, counted_sentences
from numbat.structure.grid import Heads, Judge
from numbat.structure.model import DependencyModel, EventWeights
from numbat.structure.proposals import SampledSentence, SampledTrees, draw, keys_of, precision_of_first, propose
from numbat.treebanks.induce import InductionSettings, Thresholds
from numbat.treebanks.tagged_sentences import TaggedSentence, read_tagged_sentences, without_punctuation

DATA = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).parents[3] / "shared" / "data")
MAX_LENGTH = 10
DRAWN = 20
"""Trees of each sentence that properties are proposed by."""
LEAST_CONFIDENCE = 0.9
"""Least confidence of a proposal, as in `numbat induce --structure`; gold properties have that of `numbat induce`."""
FEW = 1_500
"""Of fewer sentences all that do not select are learned from, and scored: learning does not see their trees."""
FILES = {
    "German": ("ud/UD_German-GSD/de_gsd-ud-dev.conllu", "ud/UD_German-LIT/de_lit-ud-test.conllu"),
    "English": ("const/en_wsj_pos/train.mrg", "const/en_wsj_pos/dev.mrg"),
    "Bulgarian": ("ud/UD_Bulgarian-BTB/bg_btb-ud-dev.conllu",),
    "Mandarin": ("const/zh_sinica/parsed",),
    "Turkish": ("ud/UD_Turkish-IMST/tr_imst-ud-train.conllu", "ud/UD_Turkish-IMST/tr_imst-ud-dev.conllu"),
    "Portuguese": (
        "ud/UD_Portuguese-Bosque/pt_bosque-ud-train.conllu",
        "ud/UD_Portuguese-Bosque/pt_bosque-ud-dev.conllu",
    ),
    "Dutch": (
        "ud/UD_Dutch-LassySmall/nl_lassysmall-ud-train-2017.conllu",
        "ud/UD_Dutch-LassySmall/nl_lassysmall-ud-dev.conllu",
    ),
    "French": ("ud/UD_French-Sequoia/fr_sequoia-ud-train.conllu", "ud/UD_French-Sequoia/fr_sequoia-ud-dev.conllu"),
    "EWT": ("ud/UD_English-EWT/en_ewt-ud-train.conllu", "ud/UD_English-EWT/en_ewt-ud-dev.conllu"),
}
COLUMNS = {
    "German": ("upos", "xpos"),
    "Bulgarian": ("upos", "xpos"),
    "Turkish": ("upos", "xpos"),
    "EWT": ("upos", "xpos"),
}
"""Tag columns of languages in which both columns have plain tags."""
SIX = tuple(FILES)[:6]
"""The six languages of the paper."""


class Sample(NamedTuple):
    """A sentence: its tags and its heads."""

    tags: tuple[str, ...]
    heads: Heads


@dataclass(frozen=True)
class Parts:
    """Sentences to learn from, to select by, and to score."""

    train: tuple[Sample, ...]
    selection: tuple[Sample, ...]
    test: tuple[Sample, ...]

    def sentences(self) -> TagSentences:
        others = {tag for part in (self.selection, self.test) for sample in part for tag in sample.tags}
        return counted_sentences((sample.tags for sample in self.train), sorted(others))


@cache
def parts_of(language: str, column: str) -> Parts:
    """A fixed share of the sentences, evenly spaced, selects, and of many sentences another is scored."""
    pool = tuple(_samples(language, column))
    if len(pool) >= FEW:
        spaced = len(pool) // 700
        picked = {place: place // spaced % 7 for place in range(0, 700 * spaced, spaced)}
        selection = tuple(pool[place] for place, which in picked.items() if which < 2)
        test = tuple(pool[place] for place, which in picked.items() if which >= 2)
        return Parts(tuple(each for place, each in enumerate(pool) if place not in picked), selection, test)
    selection = pool[:: max(4, len(pool) // 200)]
    rest = tuple(each for place, each in enumerate(pool) if place % max(4, len(pool) // 200))
    return Parts(rest, selection, rest)


def precision_of(samples: Sequence[Sample], weights: EventWeights, tags: tuple[str, ...], first: int = 20) -> float:
    """The share of the first proposed properties that is also induced from the known trees of the same sentences."""
    model = DependencyModel(tags, weights.stop, weights.child, weights.root)
    sentences = [TaggedSentence(each.tags, each.tags) for each in samples]
    known = [SampledSentence(each, (sample.heads,)) for each, sample in zip(sentences, samples, strict=True)]
    gold = propose(SampledTrees(tuple(known), 1), InductionSettings())
    found = propose(draw(model, sentences, DRAWN), InductionSettings(least=Thresholds(w0=LEAST_CONFIDENCE)))
    return precision_of_first(found.proposals, keys_of(gold.induced), first)


def judge_of(samples: Sequence[Sample], tags: Sequence[str]) -> Judge:
    number = {tag: place for place, tag in enumerate(tags)}
    return Judge([[number[tag] for tag in each.tags] for each in samples], [each.heads for each in samples])


def _samples(language: str, column: str) -> Iterator[Sample]:
    for file in FILES[language]:
        path = DATA / file
        if not path.is_file():
            pytest.skip(f"no {path}: set NUMBAT_DATA to the folder that holds {file}")
        for sentence in read_tagged_sentences(str(path), column=column).sentences:
            bare: TaggedSentence = without_punctuation(sentence)[0]
            if 0 < len(bare.tags) <= MAX_LENGTH and bare.heads is not None:
                yield Sample(bare.tags, bare.heads)
