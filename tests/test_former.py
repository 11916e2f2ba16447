"""Modules that have moved can be imported by their former names for one version, with a warning."""

from __future__ import annotations

import importlib
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from numbat.former import FORMER

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _nothing_imported_by_former_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if any(f"{name}.".startswith(f"{each}.") for each in FORMER)]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize(
    ("name", "now", "examples"),
    [
        ("numbat.decoding.constraints", ["numbat.labels.constraints"], ["Constraints", "CompiledProperties"]),
        ("numbat.decoding.label_lattice", ["numbat.labels.label_lattice"], ["LabelLattice", "LabelArc"]),
        ("numbat.decoding.relaxation", ["numbat.labels.relaxation"], ["decode", "InfeasibleError"]),
        ("numbat.decoding.sequence_files", ["numbat.labels.sequence_files"], ["fixed", "read_sequence"]),
        ("numbat.gradience.models", ["numbat.acceptability.models"], ["score", "valuation_function"]),
        ("numbat.gradience.suite_files", ["numbat.acceptability.suite_files"], ["read_suite"]),
        ("numbat.gradience.trials", ["numbat.experiments.trials"], ["Trial", "clean_table"]),
        ("numbat.parsing.dependency_model.model", ["numbat.structure.model"], ["DependencyModel", "read_model"]),
        (
            "numbat.runs.sources",
            ["numbat.runs.sentences", "numbat.parses.sentences", "numbat.treebanks.sentences"],
            ["InputSentence", "tag_map_of", "treebank_sentences"],
        ),
        ("numbat.sequence.csi", ["numbat.labels.csi"], ["at_most", "csi"]),
        ("numbat.sequence.tagger", ["numbat.labels.tagger"], ["Tagger"]),
        ("numbat.sequence.token_files", ["numbat.labels.token_files"], ["Layout", "read_samples"]),
        ("numbat.treebank.reading", ["numbat.treebanks.reading"], ["read_treebank"]),
        ("numbat.treebank.scores", ["numbat.treebanks.scores"], ["TreebankScores"]),
        ("numbat.web.facade", ["numbat.workbench.facade"], ["Facade"]),
        ("numbat.web.site.pages", ["numbat.workbench.site.pages"], ["single_page"]),
    ],
)
def test_a_former_name_works_and_says_the_new_one(name: str, now: list[str], examples: list[str]) -> None:
    expected = f"{name} is now {', '.join(now)}; its former name works in this version only"
    with pytest.warns(DeprecationWarning, match=f"^{re.escape(expected)}$") as told:
        module = importlib.import_module(name)
    assert len(told) == 1
    new = [importlib.import_module(each) for each in now]
    for each in examples:
        assert any(getattr(module, each) is getattr(at, each, None) for at in new)


@pytest.mark.parametrize("name", FORMER)
def test_what_has_taken_the_place_of_a_package_is_there(name: str) -> None:
    for each in FORMER[name]:
        importlib.import_module(each)


def test_a_pickle_that_names_a_former_module_is_read() -> None:
    from numbat.acceptability.models import score

    named_by_its_module: Any = b"cnumbat.gradience.models\nscore\n."
    with pytest.warns(DeprecationWarning, match=r"^numbat\.gradience\.models is now "):
        assert pickle.loads(named_by_its_module) is score


@pytest.mark.parametrize("name", ["numbat.treebank.no_such", "numbat.no_such", "numbat.webs"])
def test_what_never_was_there_is_not_found(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"^No module named '{name}'$"):
        importlib.import_module(name)


def test_the_warning_points_to_the_line_that_imports(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("\nfrom numbat.gradience.models import score\n", encoding="utf-8")
    command = [sys.executable, "-W", "default", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == (
        f"{script}:2: DeprecationWarning: numbat.gradience.models is now numbat.acceptability.models; "
        "its former name works in this version only\n  from numbat.gradience.models import score\n"
    )
