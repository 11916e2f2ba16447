"""The mixed models of `analysis.R`: fitted by R, if installed, read back, and shown."""

from __future__ import annotations

import csv
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.models import scorer
from numbat.acceptability.suite_report import suite_page, suite_report
from numbat.acceptability.summary import Experiment
from numbat.errors import DataError
from numbat.experiments.interactions import design_of
from numbat.experiments.mixed_models import OTHER_TRIALS, read_mixed_models
from numbat.experiments.tidy_tables import tables, trials_table, write_tables
from numbat.experiments.verbs import report_suite
from tests.test_interactions import rows, suite, z_trials
from tests.test_suite_statistics import STARTER

WRITTEN = (
    '"model","design","formula","term","estimate","low","high","statistic","p","converged","singular","told","trials"\n'
    '"lmer","","rating ~ a * b + (1 | item)","a:b",1.5,0.5,2.5,2.94,,1,0,"maximal is singular; intercepts kept","x"\n'
    '"clmm","","rating ~ a * b + (1 | item)","a:b",2,1,3,3.9,0.0001,0,1,"","x"\n'
)


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    settings = design_of("structure=non/island,distance=long/short")
    return report_suite(suite(rows(8, 8)), Parser(load_grammar(STARTER)), "cost", scorer("cost"), design=settings)


def test_trials_have_the_ratings_z_scores_and_columns_that_travel(experiment: Experiment) -> None:
    found = dict(tables(experiment))
    table = list(csv.DictReader(found["trials.csv"].splitlines()))
    assert len(table) == 64
    trials = {(person, item): z for person, item, _, z in z_trials(rows(8, 8))}
    assert all(float(row["z"]) == pytest.approx(trials[row["participant"], row["item"]]) for row in table)
    assert {(row["structure"], row["distance"], row["score"]) for row in table} == {
        ("non", "long", "0.0"), ("non", "short", "0.0"), ("island", "long", "-1.0"), ("island", "short", "0.0")
    }  # fmt: skip
    for name in ("sentences.csv", "properties.csv"):
        header, first = (row.split(",") for row in found[name].splitlines()[:2])
        assert header[-2:] == ["structure", "distance"]
        assert first[-2] in ("non", "island")
    described = {(row["file"], row["column"]) for row in csv.DictReader(found["dictionary.csv"].splitlines())}
    for name in ("trials.csv", "conditions.csv", "contrasts.csv"):
        assert {(name, column) for column in found[name].splitlines()[0].split(",")} <= described


def test_r_fits_the_models_and_the_report_shows_them(experiment: Experiment, tmp_path: Path) -> None:
    """The estimate of a balanced design without slopes is the difference of differences of the means."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not there")
    packages = "cat(all(nzchar(c(system.file(package = 'lme4'), system.file(package = 'ordinal')))))"
    if subprocess.run(["Rscript", "-e", packages], capture_output=True, encoding="utf-8", check=False).stdout != "TRUE":
        pytest.skip("R is there, but its packages lme4 and ordinal are not")
    list(write_tables(experiment, str(tmp_path)))
    command = ["Rscript", str(tmp_path / "analysis.R")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found = read_mixed_models(str(tmp_path / "models.csv"), trials_table(experiment))
    assert found.notes == ()
    assert {each.model for each in found.terms} == {"lmer", "clmm", "likelihood ratio"}
    linear = next(each for each in found.terms if (each.model, each.term) == ("lmer", "structure:distance"))
    ratings: dict[tuple[str, str], list[float]] = {}
    for line in rows(8, 8)[1:]:
        _, _, structure, distance, _, rating = line.split("\t")
        ratings.setdefault((structure, distance), []).append(float(rating))
    at = {condition: mean(values) for condition, values in ratings.items()}
    crossed = (at["non", "long"] - at["island", "long"]) - (at["non", "short"] - at["island", "short"])
    assert linear.estimate == pytest.approx(crossed, rel=0.05)
    assert linear.converged is not None
    assert linear.told == "maximal kept" or linear.told.startswith("maximal ")
    likelihood = next(each for each in found.terms if each.model == "likelihood ratio")
    assert (likelihood.term, likelihood.told) == ("score", "chi squared with 1 degree, over nothing; per SD")
    assert (likelihood.p or 1) < 0.01
    text = suite_report(replace(experiment, sections=(found,))).text()
    assert f"structure:distance  {linear.estimate:.3f} [" in text
    assert "Mixed models" in suite_page(replace(experiment, sections=(found,)))


def test_models_are_read_back_with_what_is_wrong_with_them(experiment: Experiment, tmp_path: Path) -> None:
    path = tmp_path / "models.csv"
    path.write_text(WRITTEN, encoding="utf-8")
    found = read_mixed_models(str(path), trials_table(experiment))
    assert found.notes == (OTHER_TRIALS,)
    assert list(found.part().lines()) == [
        f"! {OTHER_TRIALS}",
        "mixed model  design  term  estimate              statistic  p       fit",
        "lmer         all     a:b   1.500 [0.500, 2.500]  2.94       -       converged",
        "clmm         all     a:b   2.000 [1.000, 3.000]  3.9        0.0001  not converged, singular",
        "lmer, all: rating ~ a * b + (1 | item) (maximal is singular; intercepts kept)",
        "clmm, all: rating ~ a * b + (1 | item)",
    ]
    terms = dict(found.part().members())["mixed_models"]["terms"]
    assert [(each["converged"], each["singular"]) for each in terms] == [
        (True, False), (False, True)
    ]  # fmt: skip
    for text, told in (("a,b\n1,2\n", "not a table of mixed models"), (WRITTEN + "x,y\n", "not a line of a table")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=told):
            read_mixed_models(str(path), "")
