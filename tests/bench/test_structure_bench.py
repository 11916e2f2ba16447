"""Structure learned from tags, scored against treebanks: `python -m pytest tests/bench/test_structure_bench.py -n0 -s`.

Sentences of up to ten words without punctuation; F1 of directed links without that of the root (Smith & Eisner 2006,
tables 1 to 3). Variables: NUMBAT_SETS (languages, by default the six of the paper), NUMBAT_WAYS (ways to learn),
NUMBAT_JOBS (processes, by default 2), NUMBAT_CANDIDATES (a file to which candidates are appended). Skipped without the
treebanks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

import pytest

from numbat.runs.executors import executor_of
from numbat.runs.loop import BatchRun, Success
from numbat.runs.settings import RunSettings
from numbat.structure.contrastive import NEIGHBOURHOODS
from numbat.structure.estimation import ANNEALED, NO_BIAS, Schedule, steps
from numbat.structure.grid import (
    Candidate,
    Condition,
    GridJob,
    Judge,
    TreeJudges,
    Tried,
    conditions_of,
    contrastive_conditions,
)
from numbat.structure.inference import heads_of
from numbat.treebanks.scores import Attachments, changes, score_heads
from tests.bench.structure_sets import COLUMNS, SIX, judge_of, parts_of, precision_of

JOBS = int(os.environ.get("NUMBAT_JOBS", "2"))
SETS = tuple(os.environ.get("NUMBAT_SETS", ",".join(SIX)).split(","))
WAYS: dict[str, Callable[[], list[Condition]]] = {
    "EM": lambda: conditions_of((NO_BIAS,)),
    "annealed locality": lambda: conditions_of(ANNEALED["locality"]),
    "fixed locality": lambda: conditions_of([Schedule("locality", (value,)) for value in steps(-1.0, 0.2, 0.2)]),
    "annealed segments": lambda: conditions_of(ANNEALED["segments"]),
    "fixed segments": lambda: conditions_of([Schedule("segments", (value,)) for value in steps(-1.0, 1.0, 0.2)]),
    "contrastive": lambda: contrastive_conditions(NEIGHBOURHOODS),
    "contrastive, fixed locality": lambda: contrastive_conditions(
        ("delete-or-transpose",), [Schedule("locality", (value,)) for value in (-0.6, -0.4, -0.2)]
    ),
}
CHOSEN = tuple(os.environ.get("NUMBAT_WAYS", ",".join(list(WAYS)[:5])).split(","))


def tried(language: str, column: str, way: str) -> tuple[list[Tried], float]:
    """Return the results of learning in one way, and the seconds."""
    parts = parts_of(language, column)
    sentences = parts.sentences()
    judges = TreeJudges(judge_of(parts.selection, sentences.tags), (judge_of(parts.test, sentences.tags),))
    began = perf_counter()
    run = BatchRun(GridJob(sentences, judges), WAYS[way](), executor=executor_of(RunSettings(jobs=JOBS, kill_after=0)))
    found = []
    for record in run:
        assert isinstance(record, Success), record
        found.append(record.value)
    return found, perf_counter() - began


def f1(candidate: Candidate, judge: int = 1) -> float:
    attachments = candidate.judged[judge].attachments
    assert attachments is not None
    return attachments.f1


def line(language: str, column: str, way: str, found: Sequence[Tried], seconds: float) -> str:
    every = [candidate for each in found for candidate in each.candidates]
    right, likely = max(every, key=lambda each: f1(each, 0)), max(every, key=lambda each: each.judged[0].likelihood)
    oracle, worst = max(map(f1, every)), min(map(f1, every))
    scores = "  ".join(f"{100 * each:5.1f}" for each in (f1(right), f1(likely), oracle, worst))
    undirected = right.judged[1].attachments
    assert undirected is not None
    return (
        f"{language:<11}{column:<6}{way:<28}{scores}  {100 * undirected.undirected:5.1f}  {100 * f1(right, 0):5.1f}  "
        f"{len(every):5}  {seconds:5.0f} s  {right.condition.id}, at {right.value:g}"
    )


def neighbours(judge: Judge) -> Iterator[tuple[str, float]]:
    """Return the F1 if every word depends on the previous or on the next one."""
    for name in ("word before", "word behind"):
        found = Attachments()
        assert judge.heads is not None
        for heads in judge.heads:
            n = len(heads)
            guess = range(n) if name == "word before" else (*range(2, n + 1), 0)
            found += score_heads(heads, tuple(guess))
        yield name, found.f1


@pytest.mark.parametrize("language", SETS)
def test_structure(language: str) -> None:
    for column in COLUMNS.get(language, ("upos",)):
        parts = parts_of(language, column)
        sentences = parts.sentences()
        judge = judge_of(parts.test, sentences.tags)
        sizes = f"{len(parts.train):,} to learn from, {len(parts.selection)} select, {len(parts.test)} scored"
        print(f"\n{language} {column}: {sizes}, {len(sentences.tags)} tags", flush=True)
        print(" " * 45 + "by F  by likelihood  oracle  worst  undirected  selection", flush=True)
        for name, score in neighbours(judge):
            print(f"{language:<11}{column:<6}{name:<28}{100 * score:5.1f}")
        best = {}
        for way in CHOSEN:
            found, seconds = tried(language, column, way)
            keep(language, column, way, found)
            print(line(language, column, way, found, seconds), flush=True)
            by_f = [(f1(each.candidates[each.best[1][0]], 0), number) for number, each in enumerate(found)]
            best[way] = found[max(by_f, key=lambda pair: (pair[0], -pair[1]))[1]].best[1][1]
        for way, weights in best.items():
            print(f"  {way}: {precision_of(parts.train, weights, sentences.tags):.2f} of the first 20 proposals right")
        if "EM" in best and judge.heads is not None:
            before = heads_of(judge.sentences, best["EM"])
            for way, weights in best.items():
                changed = changes(judge.heads, before, heads_of(judge.sentences, weights))
                print(f"  {way}: {changed.corrected} corrected, {changed.newly_wrong} wrong, p {changed.p_value:.2g}")


def keep(language: str, column: str, way: str, found: Sequence[Tried]) -> None:
    path = os.environ.get("NUMBAT_CANDIDATES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            for each in found:
                for candidate in each.candidates:
                    scores = [f1(candidate, 0), f1(candidate, 1), candidate.judged[0].likelihood]
                    row = [language, column, way, candidate.condition.id, candidate.value, *scores]
                    file.write(json.dumps(row) + "\n")
