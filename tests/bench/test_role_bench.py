"""Decoding under constraints beside an integer program: `python -m pytest tests/bench/test_role_bench.py -n0 -s`.

Random problems, and the roles of EWT: models are trained on train.props (three minutes), the tables are those of
`python -m tests.bench.roles.tables`. Skipped without scipy or the propositions.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("scipy")

from numbat.labels.relaxation import decode
from numbat.labels.sequence_files import read_sequence
from tests.bench.peers.integer_program import solve
from tests.bench.roles.candidates import recall
from tests.bench.roles.decoding import RoleDecoder
from tests.bench.roles.problems import NAMES, Record, line_of, program, runs, violated
from tests.bench.roles.reading import OUTSIDE, ROLES, read_propositions
from tests.bench.roles.tables import FORMS, f_scores, f_table, intersection_table, task_of, train, violation_tables
from tests.bench.roles.timing import compared

PROBLEMS = 1_000
"""Each is decoded under hard and under soft constraints."""
LEAST = {"local": 0.80, "hard": 0.83, "soft": 0.86}
SMALL = 2_000
"""A problem with fewer labellings is enumerated too."""


def random_record(random: Random) -> Record:
    """Return a problem of a few tokens with roles of tokens or segments; every second one has many equal scores."""
    length = random.randint(1, 9)
    is_coarse = random.random() < 0.5

    def score() -> float:
        return float(random.randint(-2, 0)) if is_coarse else round(random.gauss(0, 2), 6)

    labels = [OUTSIDE, *random.sample(ROLES, random.randint(1, 3))]
    predicate = random.randrange(length)
    record: Record = {
        "tokens": ["w"] * length,
        "fixed": {str(predicate): OUTSIDE},
        "disallow": random.sample(ROLES, random.randint(0, 2)),
        "needs_argument": random.random() < 0.6,
    }
    spans = [sorted(random.sample(range(length + 1), 2)) for _ in range(random.randint(0, 4))]
    if random.random() < 0.5:
        # no candidate covers the predicate
        beside = [(start, end) for start, end in spans if not start <= predicate < end]
        arcs = [[*span, role, score()] for span in beside for role in labels[1:]]
        return record | {"labels": [{OUTSIDE: score()} for _ in range(length)], "arcs": arcs}
    return record | {"labels": [{label: score() for label in labels} for _ in range(length)], "spans": spans}


def best_of_all(record: Record, costs: dict[str, float], soft: bool) -> float | None:
    """The score of the best labelling of tokens, all of them tried."""
    scores = []
    for labels in product(*record["labels"]):
        broken = violated(record, labels, runs(labels))
        if soft or not broken:
            total = sum(each[label] for each, label in zip(record["labels"], labels, strict=True))
            scores.append(total - sum(costs[name] for name in broken))
    return max(scores, default=None)


def test_lines_are_what_numbat_decode_reads() -> None:
    random = Random(2)
    for _ in range(100):
        record = random_record(random)
        costs = {name: round(random.uniform(0, 4), 6) for name in NAMES}
        decoder = RoleDecoder(costs)
        found = decoder.decode(record, soft=True)
        sequence = read_sequence(line_of(record), "problems.jsonl:1")
        own = [one.with_cost(costs[one.name]) for one in sequence.own]
        assert found is not None
        assert decode(sequence.lattice, decoder.given(record)[1], own, soft=True).score == found.score


def test_random_problems() -> None:
    random = Random(1)
    enumerated = 0
    for _ in range(PROBLEMS):
        record = random_record(random)
        costs = {name: round(random.choice((0.0, 1.0, random.uniform(0, 4))), 6) for name in NAMES}
        decoder = RoleDecoder(costs)
        for soft in (False, True):
            found = decoder.decode(record, soft)
            optimum = solve(program(record, costs if soft else {})).score
            expected = None if optimum is None else pytest.approx(optimum, abs=1e-4)
            assert (None if found is None else found.score) == expected, (record, costs, soft)
            if "arcs" not in record and len(record["labels"][0]) ** len(record["tokens"]) < SMALL:
                best = best_of_all(record, costs, soft)
                assert (None if found is None else found.score) == (None if best is None else pytest.approx(best))
                enumerated += 1
    print(f"\n{2 * PROBLEMS} random problems have the optimum of HiGHS, {enumerated} that of enumeration")


def test_roles(data: Path) -> None:
    folder = data / "srl" / "en_ewt"
    if not folder.is_dir():
        pytest.skip(f"no propositions at {folder}")
    learned, judged = (read_propositions(folder / f"{part}.props") for part in ("train", "dev"))
    hit, total, _ = recall(judged)
    assert hit / total > 0.99
    models = train(learned)
    task = task_of(models, judged)
    print("\n" + "\n".join(f_table(models, task)))
    for form in FORMS:
        print("\n".join(violation_tables(models, task, form)))
        print("\n".join(intersection_table(models, task, form)))
        print("\n".join(compared(form, task.records[form][:PROBLEMS], models.costs[form])))
        for way, scores in f_scores(models, task, form).items():
            assert scores["all"].f1 >= LEAST[way]
