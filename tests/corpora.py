"""A small store and the parses that are in it, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from numbat.corpus.stored import stored_sentence
from numbat.corpus.writing import StoreWriter
from numbat.grammar.loading import load_grammar
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.runs.record import GrammarDigests, RunRecord
from tests.corpus_oracle import Sentence

STARTER: Final = Path(__file__).parent / "starter" / "starter.pg"
TEXTS: Final = (
    "The cat sleeps", "cat the sleeps", "the cats sleeps", "The cat sees the dogs.", "a dog dog", "the the cat",
    "dogs see a cats", "sleeps", "zork the cats", 'The "cat", he sleeps ...',
)  # fmt: skip


@cache
def starter() -> Parser:
    return Parser(load_grammar(STARTER))


@cache
def sentences() -> tuple[Sentence, ...]:
    """Sentences with their parses; every fourth has no genre."""
    parser = starter()
    known = ({"genre": "abc"[i % 3], "file": "x"} if i % 4 else {"file": "x"} for i in range(len(TEXTS)))
    return tuple(
        Sentence(f"x:{i}", parser.parse(text), pairs)
        for i, (text, pairs) in enumerate(zip(TEXTS, known, strict=True), start=1)
    )


def write_store(path: Path, every: Iterable[Sentence], grammar: Grammar | None = None, batch: int = 3) -> None:
    """Add a run with parses to a store."""
    own = starter().grammar if grammar is None else grammar
    record = RunRecord("parse", {"--grammar": GrammarDigests.from_grammar(own)}, date="2026-01-01T00:00:00Z")
    writer = StoreWriter(str(path), "parse", record.date)
    try:
        writer.begin_run(own, record)
        for number, each in enumerate(every):
            writer.add(stored_sentence(each.parse, each.name, each.known))
            if number % batch == 0:
                writer.flush()
            writer.note()
        writer.finish_run()
        writer.pack()
    finally:
        writer.close()


def ids_of(rows: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Return the id of each property by its number."""
    return ((row[1], row[0]) for row in rows)
