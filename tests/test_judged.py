"""The judged suites of the packaged grammars: good sentences at cost 0, bad ones violate the relation named."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from numbat import Parse, Parser, load_grammar

CORPORA = Path(__file__).parents[1] / "corpora"
LANGUAGES = ("english", "french")
SHARE = 0.95
"""Least share of good and of bad sentences that must be judged right."""


def rows_of(name: str) -> list[dict[str, str]]:
    with (CORPORA / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def parsed(language: str, sentence: str) -> Parse:
    return parser_of(language).parse(sentence)


@cache
def parser_of(language: str) -> Parser:
    return Parser(load_grammar(language), check=True)


def violates(parse: Parse, relation: str) -> bool:
    return relation in {each.property.type for each in parse.violated}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_corpora_are_described(language: str) -> None:
    description = (CORPORA / "README.md").read_text(encoding="utf-8")
    rows = rows_of(language)
    good = sum(row["judgement"] == "ok" for row in rows)
    assert f"| `{language}.tsv` | {len(rows)} judged sentences" in description
    assert f"{good} well formed, {len(rows) - good} ill formed" in description
    assert f"`{language}-pairs.tsv`" in description
    assert all(f"`{column}`" in description for column in rows[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_suite_has_what_it_must(language: str) -> None:
    rows, pairs = rows_of(language), rows_of(f"{language}-pairs")
    assert len(rows) >= 300
    assert len(pairs) >= 60
    assert len({row["id"] for row in rows}) == len({row["sentence"] for row in rows}) == len(rows)
    relations = {row["relation"] for row in rows if row["judgement"] == "*"}
    known = {"obligation", "uniqueness", "linearity", "requirement", "exclusion", "dependency"}
    assert known <= relations
    assert {row["relation"] for row in rows if row["judgement"] == "ok"} == {"-"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_good_sentences_are_full_at_cost_0(language: str) -> None:
    good = [row["sentence"] for row in rows_of(language) if row["judgement"] == "ok"]
    failing = [text for text in good if not (parsed(language, text).is_full and parsed(language, text).is_well_formed)]
    assert len(failing) <= (1 - SHARE) * len(good), failing


@pytest.mark.parametrize("language", LANGUAGES)
def test_bad_sentences_violate_the_relation_that_is_named(language: str) -> None:
    bad = [row for row in rows_of(language) if row["judgement"] == "*"]
    failing = [row["sentence"] for row in bad if not violates(parsed(language, row["sentence"]), row["relation"])]
    assert len(failing) <= (1 - SHARE) * len(bad), failing


@pytest.mark.parametrize("language", LANGUAGES)
def test_minimal_pairs(language: str) -> None:
    pairs = rows_of(f"{language}-pairs")
    failing = [
        (row["good"], row["bad"])
        for row in pairs
        if not parsed(language, row["good"]).is_well_formed
        or not violates(parsed(language, row["bad"]), row["relation"])
    ]
    assert len(failing) <= (1 - SHARE) * len(pairs), failing


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_seldom_ambiguous(language: str) -> None:
    assert median(parsed(language, row["sentence"]).count for row in rows_of(language)) <= 3
