"""A large store for measurements: the trees of a treebank, judged by a grammar, repeated with other words.

    python -m tests.bench.stores TREES IDS SENTENCES STORE

`TREES` are brackets, `IDS` has the name of each, whose first part is its genre.
"""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from numbat.corpus.stored import StoredSentence, stored_sentence
from numbat.corpus.writing import StoreWriter
from numbat.errors import DataError, Problem
from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser
from numbat.parsing.queries import judge_tree
from numbat.runs.record import GrammarDigests, RunRecord
from numbat.treebanks.reading import read_treebank
from numbat.treebanks.trees import Tree

LENGTHS = range(3, 61)


def judged(trees: str, ids: str, grammar: str = "ewt") -> Iterator[StoredSentence]:
    """Yield the trees of a file as a store has them."""
    parser = Parser(load_grammar(grammar))
    names = Path(ids).read_text(encoding="utf-8").split()
    for name, sentence in zip(names, read_treebank(trees, "ptb"), strict=True):
        if isinstance(sentence, Problem) or not isinstance(sentence.tree, Tree):
            continue
        try:
            parse = judge_tree(sentence.tree, parser)
        except DataError:
            continue
        if len(parse.lattice.tokens) in LENGTHS:
            yield stored_sentence(parse, name, {"genre": name.partition("-")[0], "newdoc": name.rpartition("-")[0]})


def with_other_words(every: list[StoredSentence], number: int) -> Iterator[StoredSentence]:
    """Yield `number` sentences: the trees in another order, with every third word replaced by one of its category."""
    rng = random.Random(20)
    words: dict[str, list[str]] = {}
    for each in every:
        for category, below, what in zip(each.categories, each.below, each.whats, strict=True):
            if not below:
                words.setdefault(category, []).append(what)
    done = 0
    while done < number:
        rng.shuffle(every)
        for each in every[: number - done]:
            whats = list(each.whats)
            for node, below in enumerate(each.below):
                if not below and rng.random() < 0.33:
                    whats[node] = rng.choice(words[each.categories[node]])
            text = " ".join(what for what, below in zip(whats, each.below, strict=True) if not below)
            done += 1
            yield each._replace(name=f"{each.name}.{done}", text=text, whats=whats)


def build(every: list[StoredSentence], number: int, path: str, grammar: str = "ewt") -> tuple[float, int]:
    """Write a store of `number` sentences; return the seconds that it took and the number of words."""
    loaded = load_grammar(grammar)
    record = RunRecord("bench", {"--grammar": GrammarDigests.from_grammar(loaded)}, date="2026-01-01T00:00:00Z")
    seconds, words = 0.0, 0
    writer = StoreWriter(path, "bench", record.date)
    writer.begin_run(loaded, record)
    for each in with_other_words(every, number):
        began = perf_counter()
        writer.add(each)
        writer.note()
        seconds += perf_counter() - began
        words += each.length
    began = perf_counter()
    writer.finish_run()
    writer.pack()
    writer.close()
    return seconds + perf_counter() - began, words


def main() -> None:
    trees, ids, number, path = sys.argv[1:]
    kept = Path(f"{path}.trees")
    if not kept.exists():
        kept.write_bytes(pickle.dumps(list(judged(trees, ids))))
    every: list[StoredSentence] = pickle.loads(kept.read_bytes())
    seconds, words = build(every, int(number), path)
    size = Path(path).stat().st_size
    print(f"{number} sentences, {words} words: {seconds:.1f} s, {int(number) / seconds:.0f} sentences a second")
    print(f"{size / int(number):.0f} bytes a sentence, {20 * size / words:.0f} for 20 words")


if __name__ == "__main__":
    main()
