"""Times of queries on a large store; not part of the ordinary test run, and without assertions about time.

python -m tests.bench.stores TREES IDS SENTENCES STORE        # makes the store, once
NUMBAT_BENCH_STORE=STORE python -m pytest tests/bench/test_corpus_bench.py -n0 -s
"""

from __future__ import annotations

import os
import resource
from itertools import islice
from time import perf_counter, process_time
from typing import Final

import pytest

from numbat.corpus import Store
from numbat.corpus.answers import number_of_matches

QUERIES: Final = (
    "violates NP: NN x NP",
    "NP violates NN x NP",
    "NP violates exclusion",
    "violates linearity",
    "S violates",
    "NP satisfies DT < NN",
    "SBAR satisfies requirement",
    'words ~ "in order to"',
    'NN ~ ".*ing"',
    'NP ~ "the .*est .*"',
    "cost > 40",
    "cost > 40 and length < 15",
    'meta.genre = "email" and violates linearity',
    'meta.genre = "email" and cost > 20',
    "NP before VP",
    "PP begins S",
    "x: NP has PP and x within VP",
    "x: NP has SBAR and not (x has DT)",
    "NP next to PP and cost = 0",
    "not (NP) and length > 5",
)
PATH: Final = os.environ.get("NUMBAT_BENCH_STORE", "")


@pytest.mark.skipif(not PATH, reason="NUMBAT_BENCH_STORE names no store")
@pytest.mark.parametrize("text", QUERIES)
def test_queries(text: str) -> None:
    with Store(PATH) as store:
        query = store.compiled(text)
        began = perf_counter()
        first = len(list(islice(store.query(text), 5)))
        to_first = perf_counter() - began
        number_of_matches(store, query)  # the pages are in memory then
        began, worked = perf_counter(), process_time()
        matches, sentences = number_of_matches(store, query)
        seconds, cpu = perf_counter() - began, process_time() - worked
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        told = f"{matches:>11,} {sentences:>9,} {seconds:7.2f} s {cpu:7.2f} CPU s"
        print(f"\n{text:50} {told}, first {first}: {to_first:.3f} s, {memory:.0f} MiB")
        assert first == min(5, matches)
