"""What travels in the wheel, what it depends on, and that the files about the project agree with each other."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from itertools import count, takewhile
from pathlib import Path
from rlcompleter import Completer
from typing import Any

import pytest
import yaml

import numbat
from numbat import files
from numbat.errors import MissingFileError
from numbat.files import packaged_folder
from numbat.version import __version__

ROOT = Path(__file__).parents[1]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PYPROJECT["tool"]["setuptools"]


def folders() -> dict[str, Path]:
    """The folder of each package that is put into the wheel."""
    moved = SETUPTOOLS["package-dir"]
    return {name: ROOT / moved.get(name, name.replace(".", "/")) for name in SETUPTOOLS["packages"]}


def test_every_room_is_a_package_of_the_wheel() -> None:
    rooms = {path.parent for path in (ROOT / "numbat").rglob("__init__.py")}
    assert rooms | {ROOT / "grammars", ROOT / "corpora"} == set(folders().values())


def test_every_data_file_is_in_the_wheel() -> None:
    patterns = SETUPTOOLS["package-data"]["*"]
    found = [path for folder in folders().values() for path in folder.iterdir() if path.is_file()]
    data = [path for path in found if path.suffix not in (".py", ".pyc", ".so", ".pyd", ".c")]
    assert {"notation.lark", "py.typed", "english.pg", "english.tsv", "french-chrg.yaml", "ptb.map"} <= {
        path.name for path in data
    }
    assert [path for path in data if not any(fnmatchcase(path.name, pattern) for pattern in patterns)] == []


def test_the_wheel_has_no_folder_at_the_top_but_numbat() -> None:
    assert {name.partition(".")[0] for name in SETUPTOOLS["packages"]} == {"numbat"}


def test_the_packaged_folders_are_in_the_package_or_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert packaged_folder("corpora") == ROOT / "corpora"
    monkeypatch.setattr(files, "__file__", str(tmp_path / "numbat" / "files.py"))
    with pytest.raises(MissingFileError) as missing:
        packaged_folder("grammars")
    assert str(missing.value) == (
        f"{tmp_path / 'numbat' / 'grammars'}: the grammars that come with Numbat are not there, nor in {tmp_path}\n"
        "  install Numbat again"
    )
    for folder in (tmp_path / "grammars", tmp_path / "numbat" / "grammars"):
        folder.mkdir(parents=True)
        assert packaged_folder("grammars") == folder


def test_completion_shows_the_public_names() -> None:
    completer = Completer({"numbat": numbat})
    shown = list(takewhile(bool, (completer.complete("numbat.", i) for i in count())))
    public = [name for name in numbat.__all__ if not name.startswith("_")]
    assert [str(name).removeprefix("numbat.").removesuffix("(") for name in shown] == public
    assert dir(numbat) == sorted(numbat.__all__)


def test_the_core_depends_on_four_libraries() -> None:
    names = {requirement.partition(">")[0] for requirement in PYPROJECT["project"]["dependencies"]}
    assert names == {"lark", "pyyaml", "networkx", "click"}


def test_both_commands_run_the_same_program() -> None:
    assert PYPROJECT["project"]["scripts"] == dict.fromkeys(["numbat", "numbat-pg"], "numbat.__main__:main")


def test_ci_names_no_machine_and_no_package_index() -> None:
    file = ROOT / ".ci" / "run"
    text = file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o111
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in text
    commands = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert not any(word in line for line in commands for word in ("://", "--index", "/home", "/work", "/opt", "/tmp"))


def test_the_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == PYPROJECT["project"]["license"]["text"] == "MIT"
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")


def test_the_citation_names_prost_and_blache() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    names = {author["family-names"] for reference in citation["references"] for author in reference["authors"]}
    assert {"Prost", "Blache"} <= names
    assert all({"type", "title", "authors", "year"} <= reference.keys() for reference in citation["references"])
