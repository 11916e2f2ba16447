"""The forty judged sentences of the starter grammar: good ones at cost 0, bad ones violate the relation named."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from numbat import Parser, load_grammar

CORPORA = Path(__file__).parents[1] / "corpora"
with (CORPORA / "english-starter.tsv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar("english"))


def test_the_corpus_is_described() -> None:
    description = (CORPORA / "README.md").read_text(encoding="utf-8")
    assert "english-starter.tsv" in description
    assert all(f"`{column}`" in description for column in ROWS[0])


def test_there_are_twenty_good_and_twenty_bad_sentences() -> None:
    assert len(ROWS) == len({row["id"] for row in ROWS}) == len({row["sentence"] for row in ROWS}) == 40
    assert [row["judgement"] for row in ROWS] == ["ok"] * 20 + ["*"] * 20


@pytest.mark.parametrize("row", [row for row in ROWS if row["judgement"] == "ok"], ids=lambda row: row["sentence"])
def test_a_good_sentence_has_a_full_parse_at_cost_0(parser: Parser, row: dict[str, str]) -> None:
    parse = parser.parse(row["sentence"])
    assert parse.is_full
    assert parse.is_well_formed
    assert parse.explain() == ()


@pytest.mark.parametrize("row", [row for row in ROWS if row["judgement"] == "*"], ids=lambda row: row["sentence"])
def test_a_bad_sentence_violates_the_relation_that_is_named(parser: Parser, row: dict[str, str]) -> None:
    parse = parser.parse(row["sentence"])
    assert parse.is_full
    assert any(f"[{row['relation']}, english.pg:" in line for line in parse.explain()), parse.explain()
