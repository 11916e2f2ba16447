"""Trees of tagged sentences, several for each, drawn by a dependency model or given, as counts of a treebank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from numbat.parsing.dependency_model.inference import sampled_heads
from numbat.parsing.dependency_model.model import LONGEST, DependencyModel
from numbat.records import frozen
from numbat.treebank.conllu import DependencyTree, DependencyWord
from numbat.treebank.reading import TreebankSentence
from numbat.treebank.rule_counts import TreebankCounts, count_treebank
from numbat.treebank.tagged_sentences import TaggedSentence

Heads = tuple[int, ...]
"""The head of each word of a sentence; words count from 1, 0 is the root."""


@frozen
class SampledSentence:
    """A sentence and its trees, each as often as it was drawn."""

    sentence: TaggedSentence
    trees: tuple[Heads, ...]


@frozen
class SampledTrees:
    """Sentences with `samples` trees each."""

    sentences: tuple[SampledSentence, ...]
    samples: int

    def counts(self) -> TreebankCounts:
        """The counts of all trees together; words, which are the same in all trees of a sentence, count once."""
        found = count_treebank(self._trees())
        words = Counter({word: count // self.samples for word, count in found.words.items()})
        return replace(found, words=words, sentences=len(self.sentences))

    def _trees(self) -> Iterator[TreebankSentence]:
        for each in self.sentences:
            pairs = list(zip(each.sentence.forms, each.sentence.tags, strict=True))
            for heads in each.trees:
                words = (DependencyWord(form, upos=tag, head=h) for (form, tag), h in zip(pairs, heads, strict=True))
                yield TreebankSentence(each.sentence.name, DependencyTree(tuple(words)))


def draw(
    model: DependencyModel,
    sentences: Iterable[TaggedSentence],
    samples: int,
    seed: int = 0,
    advance: Callable[[], object] = lambda: None,
) -> SampledTrees:
    """So many trees of each sentence, as likely as the model says; the same for the same seed.

    Sentences are without punctuation, and have tags that the model knows (`can_be_drawn`). `advance` is called after
    each.
    """
    known: dict[tuple[str, ...], tuple[Heads, ...]] = {}
    found = []
    for sentence in sentences:
        if sentence.tags not in known:
            known[sentence.tags] = sampled_heads(model, sentence.tags, samples, seed)
        found.append(SampledSentence(sentence, known[sentence.tags]))
        advance()
    return SampledTrees(tuple(found), samples)


def can_be_drawn(model: DependencyModel, sentence: TaggedSentence) -> bool:
    """Whether a sentence has words, not too many of them, and tags that the model knows."""
    return 0 < len(sentence.tags) <= LONGEST and all(tag in model.index for tag in sentence.tags)


def annotated(sentences: Iterable[TaggedSentence]) -> SampledTrees:
    """The annotated trees of sentences, one each; sentences without heads are left out."""
    trees = ((sentence, sentence.heads) for sentence in sentences if sentence.tags)
    return SampledTrees(tuple(SampledSentence(each, (heads,)) for each, heads in trees if heads is not None), 1)
