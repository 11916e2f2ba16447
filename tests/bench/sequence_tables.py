"""The tables of the sequence labeller in the README: `python -m tests.bench.sequence_tables TASK LEARNER [name=value]`.

Splits: for chunk (conll2000) the last tenth of the sentences of train.txt is scored; wnut (WNUT 2017) and the treebanks
have train and dev. sounds (cmudict) and stems (Dutch, UniMorph) are alphabetical, so their last tenth would cover only
a few letters: their entries are sorted by the CRC of the word or lemma, one fifth of cmudict is used, and the last
tenth is scored.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from zlib import crc32

from numbat.labels.csi import csi
from numbat.labels.tagger import LEARNERS, Tagger, all_inferences
from numbat.labels.token_files import Layout, Sample, read_samples, score_labels
from numbat.words.chunk_labels import schemes_with
from tests.bench.pronunciations import Pair, aligned, learned_counts, letters_of, sounds_of

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


def sounded_words() -> tuple[list[Pair], list[Pair]]:
    """The letters and sounds of words to learn from and to judge: the first pronunciation of each."""
    lines = (DATA / "g2p" / "cmudict.txt").read_text(encoding="utf-8").split("\n")
    entries = [line.split() for line in lines if line.split()[1:2] == ["1"]]
    entries = sorted(
        (entry for entry in entries if entry[0].isalpha()), key=lambda entry: (crc32(entry[0].encode()), entry)
    )
    pairs: list[Pair] = [(letters_of(entry[0]), entry[2:]) for entry in entries[: len(entries) // 5]]
    pairs = [pair for pair in pairs if len(pair[1]) <= 2 * len(pair[0])]
    border = len(pairs) * 9 // 10
    return pairs[:border], pairs[border:]


def sounds() -> Split:
    """Return letters with their sounds; the alignment is learned from the training words only."""
    trained, judged = sounded_words()
    counts = learned_counts(trained)

    def samples(pairs: list[Pair]) -> list[Sample]:
        found = zip(pairs, aligned(pairs, counts), strict=True)
        return [_letters(letters, labels) for (letters, _), labels in found]

    return samples(trained), samples(judged)


def _letters(word: Sequence[str], labels: Sequence[str]) -> Sample:
    return Sample(tuple((letter,) for letter in word), tuple(labels))


def stems() -> Split:
    """Return letters of Dutch inflected forms labelled by their change in the lemma: kept, dropped or replaced."""
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
    """Train, score every inference, time them. For sounds the last column has words with the right sounds,
    whichever letters they are given to."""
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
    scheme = next(iter(schemes_with(tagger.labels)), None)
    for name in found[0]:
        one = score_labels(gold, [labels[name] for labels in found], known, scheme)
        shares = [one.accuracy, one.unknown_accuracy, one.sentence_accuracy]
        shares += [] if scheme is None else [one.f1]
        if task == "sounds":
            said_right = [sounds_of(x[name]) == sounds_of(y) for x, y in zip(found, gold, strict=True)]
            shares.append(sum(said_right) / len(gold))
        print(f"  {name:8}", *(f"{100 * share:7.2f}" for share in shares), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
