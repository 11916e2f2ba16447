"""The tables of the sequence labeller in the README: `python -m tests.bench.sequence_tables TASK LEARNER [name=value]`.

Splits. chunk (conll2000): the last tenth of the sentences of train.txt is scored. wnut (WNUT 2017) and the treebanks:
train and dev as they are. sounds (cmudict) and stems (Dutch, UniMorph) are alphabetical, so that their last tenth would
be a few letters of the alphabet: their entries are put in the order of the CRC of the word or lemma first, one fifth
of those of cmudict is used, and the last tenth is scored.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from time import perf_counter
from zlib import crc32

from numbat.sequence.csi import csi
from numbat.sequence.scoring import has_chunks, score_labels
from numbat.sequence.tagger import LEARNERS, Tagger, all_inferences
from numbat.sequence.token_files import Layout, Sample, read_samples

DATA = Path(os.environ.get("NUMBAT_DATA", Path(__file__).parents[3] / "shared" / "data"))
Split = tuple[list[Sample], list[Sample]]


def read(name: str, layout: Layout) -> list[Sample]:
    return read_samples((DATA / name).read_text(encoding="utf-8"), name, layout)


def last_tenth(samples: list[Sample]) -> Split:
    border = len(samples) * 9 // 10
    return samples[:border], samples[border:]


def chunk() -> Split:
    return last_tenth(read("chunk/conll2000/train.txt", Layout()))


def wnut() -> Split:
    return read("ner/wnut17/train.conll", Layout()), read("ner/wnut17/dev.conll", Layout())


def treebank(name: str, field: str) -> Split:
    layout = Layout("conllu", True, field)
    return read(f"ud/{name}-ud-train.conllu", layout), read(f"ud/{name}-ud-dev.conllu", layout)


def sounds() -> Split:
    """Letters with the sounds that they stand for: none, one or two, aligned by expectation maximisation."""
    lines = (DATA / "g2p" / "cmudict.txt").read_text(encoding="utf-8").split("\n")
    entries = [line.split() for line in lines if line.split()[1:2] == ["1"]]
    entries = sorted(
        (entry for entry in entries if entry[0].isalpha()), key=lambda entry: (crc32(entry[0].encode()), entry)
    )
    entries = entries[: len(entries) // 5]
    pairs = [(entry[0].lower(), entry[2:]) for entry in entries]
    return last_tenth([_letters(word, labels) for word, labels in aligned(pairs)])


def _letters(word: str, labels: Sequence[str]) -> Sample:
    return Sample(tuple((letter,) for letter in word), tuple(labels))


def aligned(pairs: Sequence[tuple[str, Sequence[str]]], rounds: int = 5) -> Iterator[tuple[str, list[str]]]:
    """Each word with a label for each letter, by the best alignments of the last of some rounds."""
    chances: dict[tuple[str, str], float] = {}
    for number in range(rounds):
        counts: Counter[tuple[str, str]] = Counter()
        for word, phones in pairs:
            labels = best_alignment(word, phones, chances)
            if labels:
                counts.update(zip(word, labels, strict=True))
            if number + 1 == rounds and labels:
                yield word, labels
        totals: Counter[str] = Counter()
        for (letter, _), count in counts.items():
            totals[letter] += count
        chances = {pair: log(count / totals[pair[0]]) for pair, count in counts.items()}


def best_alignment(word: str, phones: Sequence[str], chances: dict[tuple[str, str], float]) -> list[str]:
    """The most likely labels of the letters that make up the phones in all; empty where there are too many phones."""
    far = len(phones)
    worst = -1e9
    table = [[worst] * (far + 1) for _ in range(len(word) + 1)]
    table[0][0] = 0.0
    back: dict[tuple[int, int], int] = {}
    for i, letter in enumerate(word):
        for j in range(far + 1):
            for size in (1, 0, 2):
                if table[i][j] > worst and j + size <= far:
                    label = "+".join(phones[j : j + size]) or "_"
                    fit = -abs(i / len(word) - j / max(far, 1)) - 2 * (size != 1)
                    value = table[i][j] + (chances.get((letter, label), -12.0) if chances else fit)
                    if value > table[i + 1][j + size]:
                        table[i + 1][j + size] = value
                        back[i + 1, j + size] = size
    if table[-1][far] <= worst:
        return []
    labels = []
    j = far
    for i in range(len(word), 0, -1):
        size = back[i, j]
        labels.append("+".join(phones[j - size : j]) or "_")
        j -= size
    return labels[::-1]


def stems() -> Split:
    """Letters of Dutch inflected forms with what becomes of them in the lemma: kept, dropped, or what replaces them."""
    lines = (DATA / "morph" / "nld.tsv").read_text(encoding="utf-8").split("\n")
    entries = {
        tuple(line.split("\t")[:2]) for line in lines if line.count("\t") == 2 and " " not in line.split("\t")[1]
    }
    by_lemma = sorted(entries, key=lambda entry: (crc32(entry[0].encode()), entry))
    return last_tenth([_letters(form, edits(form, lemma)) for lemma, form in by_lemma])


def edits(form: str, lemma: str) -> list[str]:
    """For each letter of the form `=`, `-` or the letters of the lemma in its place; by the longest common letters."""
    from difflib import SequenceMatcher

    labels = ["-"] * len(form)
    for what, a, b, c, d in SequenceMatcher(None, form, lemma, autojunk=False).get_opcodes():
        if what == "equal":
            labels[a:b] = ["="] * (b - a)
        elif what == "replace":
            labels[a] = lemma[c:d]
        elif what == "insert":
            at = max(a - 1, 0)
            labels[at] = form[at] + lemma[c:d] if labels[at] == "=" else labels[at] + lemma[c:d]
    return labels


TASKS: dict[str, Callable[[], Split]] = {
    "chunk": chunk,
    "wnut": wnut,
    "sounds": sounds,
    "stems": stems,
    "upos": lambda: treebank("UD_English-EWT/en_ewt", "upos"),
    "xpos": lambda: treebank("UD_English-EWT/en_ewt", "xpos"),
    "sequoia": lambda: treebank("UD_French-Sequoia/fr_sequoia", "upos"),
}


def main(task: str, learner: str, *given: str) -> None:
    """Train, score every inference, time them."""
    trained, judged = TASKS[task]()
    settings = LEARNERS[learner].settings()
    for pair in given:
        name, _, value = pair.partition("=")
        settings = replace(settings, **{name: type(getattr(settings, name))(value)})
    began = perf_counter()
    tagger = Tagger.train(trained, learner, settings, calibrate=False)
    seconds = perf_counter() - began
    rows = [sample.rows for sample in judged]
    tokens = sum(map(len, rows))
    print(
        f"{task} {settings}: {tagger.tokens} tokens in {seconds:.0f} s; {len(judged)} sentences, {tokens} tokens judged"
    )
    began = perf_counter()
    said = tagger.predictions(rows)
    between = perf_counter()
    for predicted in said:
        csi(predicted)
    ended = perf_counter()
    inferred = (ended - between) / len(judged) * 1e3
    print(f"  {tokens / (ended - began):.0f} tokens a second; inference {inferred:.2f} ms a sentence")
    gold = [sample.labels for sample in judged]
    known = [[tagger.is_known(row[0]) for row in sentence] for sentence in rows]
    found = [all_inferences(predicted, labels) for predicted, labels in zip(said, gold, strict=True)]
    for name in found[0]:
        one = score_labels(gold, [labels[name] for labels in found], known)
        shares = [one.accuracy, one.unknown_accuracy, one.sentence_accuracy]
        shares += [one.f1] if has_chunks(tagger.labels) else []
        print(f"  {name:8}", *(f"{100 * share:7.2f}" for share in shares), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
