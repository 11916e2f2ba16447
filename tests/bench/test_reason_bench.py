"""Reasons and first repairs for mistakes that were read: `python -m pytest tests/bench/test_reason_bench.py -n0 -s`.

A table of each file of cases, by kind of mistake: how many sentences cost more than their first correction, how many
corrections violate something, how many first reasons meet the wrong words, alone or not; how many first repairs make
one of the corrections, F0.5 of their edits, and the median of the sentences tried for one. Skipped without the cases.
"""

from __future__ import annotations

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.models import scorer
from tests.bench.reasons import CASES, Case, Figures, Found, edits_of, found_in, read_cases, table


@pytest.mark.parametrize(("name", "grammar"), [("english", "english"), ("learners", "english"), ("french", "french")])
def test_reasons_and_first_repairs(name: str, grammar: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = CASES / f"{name}.tsv"
    if not path.exists():
        pytest.skip(f"no cases: {path}")
    parser, score = Parser(load_grammar(grammar)), scorer("cost")
    found = [found_in(case, parser, score) for case in read_cases(path)]
    with capsys.disabled():
        print(f"\n{name}, grammar {grammar}")
        print("\n".join(table(found)))
    assert Figures.of(found).number == len(found) > 0


def test_what_is_counted() -> None:
    parser = Parser(load_grammar("english"))
    case = Case("The cat sleep.", ("cat sleep",), "agreement", ("The cat sleeps.", "The cats sleep."))
    found = found_in(case, parser, scorer("cost"))
    counted = Found("agreement", True, False, True, True, True, 1, 1, 1, found.tried, found.repaired)
    assert found == counted
    assert found.repaired in case.corrected
    assert found.tried > 0
    assert edits_of("a cat the sleeps", "A cat sleeps!") == {(2, 3, ()), (4, 4, ("!",))}
