"""Costs by max margin beside the grammar's own and beside ridge regression, on rated sentences:
`python -m pytest tests/bench/test_margin_bench.py -n0 -s`.

Costs of `english` are learned from every second sentence of CoLA train and evaluated on CoLA dev. On other suites they
are learned from four folds and evaluated on the fifth, like the regression of `numbat fit`. Skipped without the suites;
takes an hour.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from numbat.acceptability.fitted import fit_suite
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import run_suite
from numbat.acceptability.suite import Suite
from numbat.acceptability.suite_files import read_suite
from numbat.acceptability.summary import CORRELATIONS
from numbat.acceptability.verdicts import ScoredItem, comparable, predicted, ratings_of
from numbat.grammar.loading import load_grammar
from numbat.learning.costs import learn_suite, margin_job
from numbat.learning.settings import MarginSettings
from numbat.parsing.parser import Parser
from numbat.statistics import correlations, intervals

VARIANTS = {
    "judgements, by relation": MarginSettings(by="relation"),
    "judgements, by construction": MarginSettings(),
    "judgements, by property": MarginSettings(by="property"),
    "neighbours, by construction": MarginSettings(neighbours=("drop", "swap"), judgements=False),
    "both, by construction": MarginSettings(neighbours=("drop", "swap")),
}
SUITES = ("smog/enwiki.csv", "gug/train_dev.tsv", "li/sentences_me.csv", "cola/in_domain_train.tsv")


@cache
def english() -> Parser:
    return Parser(load_grammar("english"))


def suite_of(data: Path, name: str) -> Suite:
    path = data / "accept" / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    suite = read_suite(str(path), ["source", "label", "mark", "sentence"] if name.startswith("cola") else None)
    if name.startswith("li"):  # `32.1.martin.1a.g.01`: sentences of one article stay together
        return replace(suite, items=tuple(replace(i, group=".".join(i.id.split(".")[:3])) for i in suite.items))
    return replace(suite, items=suite.items[::2]) if name.endswith("train.tsv") else suite


def parsed(suite: Suite, parser: Parser) -> tuple[ScoredItem, ...]:
    return comparable(list(run_suite(suite, parser, scorer("cost"))))


@pytest.mark.parametrize("variant", VARIANTS)
def test_costs_of_half_of_cola_train_on_dev(data: Path, variant: str) -> None:
    half, dev = suite_of(data, "cola/in_domain_train.tsv"), suite_of(data, "cola/in_domain_dev.tsv")
    items = parsed(half, english())
    learned, learner = margin_job(items, english(), VARIANTS[variant]).learn([each.item for each in items])
    before = parsed(dev, english())
    after = parsed(dev, english().with_weights(learned.weights))
    ratings = ratings_of(before)
    one, other = ([predicted(each) for each in scored] for scored in (after, before))
    aucs = [intervals.estimate(correlations.auc, each, ratings) for each in (one, other)]
    gain = intervals.difference(correlations.auc, one, other, ratings)
    print(f"\n{variant}, strength {learner.strength:g}, {learned.comparisons:,} comparisons: AUC {aucs[0]}")
    print(f"  before {aucs[1]}, gain {gain}; stable: {learned.stable} after {len(learned.rounds)} rounds")
    if "judgements" in variant and "relation" not in variant:
        assert (gain.value or 0.0) > 0


@pytest.mark.parametrize("name", SUITES)
def test_beside_ridge_on_the_same_folds(data: Path, name: str) -> None:
    suite = suite_of(data, name)
    margin = comparable(learn_suite(suite, english(), MarginSettings(rounds=1)).report.items)
    ridge = comparable(fit_suite(suite, english()).report.items)
    ratings = ratings_of(ridge)
    before = [scorer("cost")(each.parse).value for each in ridge]
    statistic = correlations.auc if set(ratings) == {0.0, 1.0} else CORRELATIONS["pearson"]
    scores = {"margin": [predicted(each) for each in margin], "ridge": [predicted(each) for each in ridge]}
    for label, values in {**scores, "hand": before}.items():
        print(f"\n{name}: {label} {intervals.estimate(statistic, values, ratings)}", end="")
    for other, values in {"ridge": scores["ridge"], "hand": before}.items():
        found = intervals.difference(statistic, scores["margin"], values, ratings)
        print(f"\n{name}: margin - {other} {found}", end="")
