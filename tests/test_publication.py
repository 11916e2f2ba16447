"""A report as a folder to publish, and its record, by which it is made again."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from numbat.errors import DataError
from numbat.experiments.rerun import Rerun, rerun, rerun_report, without_outputs
from tests.command_line import Numbat
from tests.test_interactions import rows
from tests.test_suite_statistics import STARTER

COMMAND = ("report", "islands.tsv", "-g", STARTER, "--factors", "structure=non/island,distance=long/short", "-q")


@pytest.fixture
def published(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    numbat = Numbat(capsys, monkeypatch)
    Path("islands.tsv").write_text("\n".join(rows(8, 8)) + "\n", encoding="utf-8")
    done = numbat(*COMMAND, "-j", "1", "--html", "page.html", "--folder", "out")
    assert done.code == 0, done.err
    return tmp_path / "out"


def test_a_folder_has_figures_tables_methods_and_a_record(published: Path) -> None:
    record = json.loads((published / "record.json").read_text(encoding="utf-8"))
    assert record["command"] == [*COMMAND, "-j", "1"]
    names = {path.relative_to(published).as_posix() for path in published.rglob("*") if path.is_file()}
    assert {name for name in names if not name.endswith(".png")} == {"record.json", *record["files"]}
    for name in ("scores", "designs"):
        drawing = (published / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert ElementTree.fromstring(drawing).tag.endswith("svg")
        assert "var(" not in drawing
    scores = (published / "figures" / "scores.svg").read_text(encoding="utf-8")
    assert scores.count("<circle") == 32
    methods = (published / "methods.txt").read_text(encoding="utf-8")
    assert methods.startswith(
        "32 sentences (islands.tsv, 64 ratings by 8 participants) were parsed and scored by Numbat"
    )
    assert record["run"]["grammars"]["--grammar"]["digest"] in methods
    assert "the interaction is (non/long - island/long) - (non/short - island/short)" in methods
    table = (published / "tables" / "contrasts.tex").read_text(encoding="utf-8").splitlines()
    assert (table[0], table[-1]) == (r"\begin{tabular}{lllllllllll}", r"\end{tabular}")
    assert {line.count(" & ") for line in table if line.endswith(r"\\")} == {10}


def test_a_report_is_made_again(published: Path) -> None:
    found = rerun(str(published / "record.json"))
    assert (found.run, found.files) == ((), ())
    assert list(rerun_report(found).lines()) == [f"nothing differs: {found.same} files are the same, byte by byte"]
    assert not found.differs


def test_what_differs_is_said(published: Path) -> None:
    suite = Path("islands.tsv")
    suite.write_text(suite.read_text(encoding="utf-8").replace("\t5\n", "\t4\n"), encoding="utf-8")
    found = rerun(str(published / "record.json"))
    assert [line.split(":")[0] for line in found.run] == ["the file of SUITE"]
    changed = {line.split(":")[0] for line in found.files}
    assert {"report.txt", "tables/trials.csv", "tables/summary.csv", "figures/designs.svg"} <= changed
    assert "tables/properties.csv" not in changed
    summary = next(line for line in found.files if line.startswith("tables/summary.csv: differs: cost pearson all "))
    assert " is now " in summary
    assert found.differs


def test_records_that_are_none_are_told(published: Path) -> None:
    path = published / "record.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    for command, told in (
        (["parse", "a"], "the recorded command must be numbat report, without options for its outputs"),
        (
            ["report", "islands.tsv", "--html=x.html"],
            "the recorded command must be numbat report, without options for its outputs",
        ),
        (["report", "none.tsv"], "its command cannot be run again\n  none.tsv"),
    ):
        path.write_text(json.dumps(record | {"command": command}), encoding="utf-8")
        with pytest.raises(DataError) as error:
            rerun(str(path))
        assert told in str(error.value)
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(DataError, match="not a record of a published report"):
        rerun(str(path))


def test_a_command_is_kept_without_what_it_writes() -> None:
    typed = ["report", "s.tsv", "--html", "p.html", "--csv=t", "-m", "cost", "--folder", "out", "--latex", "x.tex"]
    assert without_outputs(typed) == ["report", "s.tsv", "-m", "cost"]
    assert list(rerun_report(Rerun(("--seed: 0, now 1",), (), 3)).lines()) == [
        "--seed: 0, now 1",
        "3 files are the same, byte by byte",
    ]
