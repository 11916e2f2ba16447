"""Contents and dependencies of the wheel, and agreement of the metadata files of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from itertools import count, takewhile
from pathlib import Path
from rlcompleter import Completer
from typing import Any, Final

import pytest
import yaml

import numbat
from numbat import errors, files
from numbat.errors import MissingFileError
from numbat.files import MODEL_FILES, Models, models, packaged_files, packaged_folder
from numbat.grammar.loading import packaged
from numbat.version import __version__
from tests.command_line import failure

ROOT = Path(__file__).parents[1]
PYPROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


CODEMIRROR: Final = "numbat/workbench/page/codemirror_licences.txt"
FOLDERS: Final = ("numbat", "grammars", "corpora", "exercises", "docs")
MOST_BYTES: Final = 2_280_000
"""Maximal size of the wheel without compiled modules, which take 150,000 bytes more: 2.3 MB are allowed."""
ROOT_FILES: Final = (
    *(ROOT / name for name in ("CITATION.cff", "LICENSE", "MANIFEST.in", "pyproject.toml", "setup.py")),
    *ROOT.glob("*.md"),
)
STRICT: Final = """
import warnings
from setuptools.warnings import SetuptoolsDeprecationWarning as Old
warnings.simplefilter("error", Old)
"""
BUILD: Final = f"{STRICT}import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
"""A build in which deprecation warnings are errors."""
TAG: Final = """
import setuptools
from distutils.core import run_setup
distribution = run_setup("setup.py", stop_after="init")
distribution.parse_config_files()
command = distribution.get_command_obj("bdist_wheel")
command.ensure_finalized()
print(*command.get_tag()[:2])
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a copy of the sources of the project, in a folder with the name of the package."""
    return copied(tmp_path)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheels of the program, without compiled modules, and of the models."""
    clone = copied(tmp_path_factory.mktemp("program"))
    (clone / "numbat" / "parsing" / "_search.abi3.so").touch()  # left in the folder by an editable install
    models = tmp_path_factory.mktemp("models") / "models"
    shutil.copytree(ROOT / "models", models, ignore=LEFT_OUT)
    return built("wheel", clone), built("wheel", models)


LEFT_OUT: Final = shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info")


def copied(place: Path) -> Path:
    for name in FOLDERS:
        shutil.copytree(ROOT / name, place / "numbat" / name, ignore=LEFT_OUT)
    for path in ROOT_FILES:
        shutil.copy(path, place / "numbat")
    return place / "numbat"


def names_in(wheel: Path) -> set[str]:
    """Return the files of a wheel without its metadata."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def metadata_of(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        return archive.read(name).decode()


def python(code: str, *arguments: str, folder: Path, pure: str = "1") -> str:
    """Return the output of a program that runs in a folder; `pure` is the switch of the build."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBAT_PURE")}
    command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
    made = subprocess.run(
        command, cwd=folder, env=environment | {"NUMBAT_PURE": pure}, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def built(what: str, clone: Path) -> Path:
    """The one file that a build makes, without compiled kernels: a wheel, an editable one, a source distribution."""
    place = clone.parent / "made"
    place.mkdir()
    python(BUILD, f"build_{what}", str(place), folder=clone)
    (file,) = place.iterdir()
    return file


def files_of(folder: Path, *but: str) -> set[str]:
    """The files below a folder, relative to the folder around it, but for those that end so."""
    return {path.relative_to(folder.parent).as_posix() for path in folder.rglob("*") if path.is_file()} - {
        path.relative_to(folder.parent).as_posix() for ending in but for path in folder.rglob(f"*{ending}")
    }


def test_the_wheel_has_every_file_of_the_packages_and_the_data(clone: Path, wheels: tuple[Path, Path]) -> None:
    expected = files_of(clone / "numbat", ".so", ".pyd", ".c", ".h")
    expected |= {
        f"numbat/{name}" for folder in ("grammars", "corpora", "exercises") for name in files_of(clone / folder)
    }
    file, _ = wheels
    found = names_in(file)
    assert found == expected
    assert {"numbat/py.typed", "numbat/grammars/english.tsv", "numbat/corpora/trees.mrg"} < found
    assert file.name == f"numbat_pg-{__version__}-py3-none-any.whl"
    assert file.stat().st_size < MOST_BYTES


def test_the_models_are_a_wheel_of_their_own_of_the_same_version(wheels: tuple[Path, Path]) -> None:
    _, file = wheels
    assert file.name == f"numbat_pg_models-{__version__}-py3-none-any.whl"
    assert names_in(file) == {f"numbat_pg_models/{name}" for name in ("__init__.py", *MODEL_FILES)}
    requirement = f"numbat-pg-models=={__version__}"
    assert PYPROJECT["project"]["optional-dependencies"]["models"] == [requirement]
    assert f'Requires-Dist: {requirement}; extra == "models"\n' in metadata_of(wheels[0])


def test_a_package_index_shows_the_readme_without_links_to_files(wheels: tuple[Path, Path]) -> None:
    for wheel in wheels:
        text = metadata_of(wheel).partition("\n\n")[2]
        assert text.startswith(("# Numbat\n", "# Models for Numbat\n"))
        assert [link for link in re.findall(r"\]\(([^)]*)\)", text) if not link.startswith("https://")] == []


@pytest.mark.parametrize(("pure", "tag"), [("", "cp311 abi3"), ("0", "cp311 abi3"), ("1", "py3 none")])
def test_the_tag_of_the_wheel(pure: str, tag: str) -> None:
    assert python(TAG, folder=ROOT, pure=pure).split() == tag.split()


def test_a_compiled_module_has_a_stub_and_its_sources_are_there() -> None:
    code = 'from distutils.core import run_setup\nfor each in run_setup("setup.py", stop_after="init").ext_modules:'
    listed = python(f"import setuptools\n{code}\n    print(each.name, *each.sources)", folder=ROOT, pure="0")
    modules = {name: sources for name, *sources in map(str.split, listed.splitlines())}
    stubs = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "numbat").rglob("*.pyi")}
    assert {name.replace(".", "/") for name in modules} == stubs
    sources = [source for each in modules.values() for source in each]
    assert sorted(sources) == sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "numbat").rglob("*.c"))


def test_the_source_distribution_has_the_project(clone: Path) -> None:
    expected = {path.name for path in ROOT_FILES}
    for folder in FOLDERS:
        expected |= files_of(clone / folder, ".so", ".pyd")
    with tarfile.open(built("sdist", clone)) as archive:
        found = {member.name.partition("/")[2] for member in archive if member.isfile()}
    assert {name for name in found if ".egg-info/" not in name} - {"PKG-INFO", "setup.cfg"} == expected
    assert {"CHANGELOG.md", "docs/python.md"} < found


def test_an_editable_install_works_from_the_folder_above_the_clone(clone: Path) -> None:
    """The folder of the project is on the path, where type checkers look; an import hook would be shadowed there."""
    wheel = zipfile.ZipFile(built("editable", clone))
    (path,) = (name for name in wheel.namelist() if ".dist-info/" not in name)
    assert path.endswith(".pth")
    assert Path(wheel.read(path).decode().strip()) == clone
    wheel.extract(path, clone.parent / "site-packages")
    code = "import site; site.addsitedir('site-packages'); import numbat; print(numbat.load_grammar('anbn').name)"
    assert python(code, folder=clone.parent) == "anbn\n"


def test_the_packaged_folders_are_in_the_package_or_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert packaged_folder("corpora") == ROOT / "corpora"
    monkeypatch.setattr(files, "__file__", str(tmp_path / "numbat" / "files.py"))
    with pytest.raises(MissingFileError) as missing:
        packaged_folder("grammars")
    assert str(missing.value) == (
        f"{tmp_path / 'numbat' / 'grammars'}: the packaged grammars are missing here and in {tmp_path}\n"
        "  install Numbat again"
    )
    for folder in (tmp_path / "grammars", tmp_path / "numbat" / "grammars"):
        folder.mkdir(parents=True)
        assert packaged_folder("grammars") == folder


def without_models(monkeypatch: pytest.MonkeyPatch, version: str = "") -> None:
    """Simulate an installed wheel of the program without models, or with those of another version."""
    found = models()
    assert found is not None
    monkeypatch.setattr(files, "models", lambda: found._replace(version=version) if version else None)
    monkeypatch.setattr(errors, "is_checkout", lambda: False)


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("ewt.pg", ("parse", "-g", "ewt", "--tagged", "a/DT")),
        ("ewt.pg", ("show", "ewt")),
        ("ewt.exp", ("parse", "-g", "anbn", "--expansions", "ewt", "a")),
        ("penn.model", ("parse", "-g", "anbn", "--tagger", "penn", "a")),
        ("penn.model", ("parse", "--shallow", "a")),
        ("ftb.model", ("tag", "run", "ftb", "-")),
        ("french.preferences", ("parse", "-g", "french", "--preferences", "french", "le chat dort")),
        ("ewt.weights", ("parse", "-g", "anbn", "--expansions", "trees.exp", "--tree-weights", "ewt", "a")),
    ],
)
def test_without_models_their_names_say_what_to_install(
    file: str,
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trees.exp").write_text("# numbat expansions/1\n1\tS^TOP\ta\n", encoding="utf-8")
    pip = f"pip install 'numbat-pg[models]=={__version__}'"
    where = f"{file} is in numbat-pg-models {__version__}, "
    without_models(monkeypatch)
    assert failure(capsys, 69, *command) == f"{where}which is not installed\n  {pip}"
    without_models(monkeypatch, "0.1.0")
    assert failure(capsys, 69, *command) == f"{where}but 0.1.0 is installed\n  {pip}"


def test_what_is_listed_is_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    there = packaged()
    assert [path.name for path in packaged_files(".model")] == ["ftb.model", "penn.model"]
    for version in ("", "0.1.0"):
        without_models(monkeypatch, version)
        assert packaged() == tuple(name for name in there if name != "ewt")
        assert packaged_files(".model", ".exp") == []


def test_models_are_those_of_the_checkout_or_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_installed", lambda _: Models(tmp_path, "0.1.0"))
    assert models() == Models(ROOT / "models" / "numbat_pg_models", __version__)
    monkeypatch.setattr(files, "__file__", str(tmp_path / "numbat" / "files.py"))
    assert models() == Models(tmp_path, "0.1.0")


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
    assert citation["license"] == "MIT"
    metadata = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert metadata["version"] == __version__
    assert metadata["identifier"] == PYPROJECT["project"]["name"]
    assert metadata["description"] == PYPROJECT["project"]["description"]
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")


def _listed(paths: str | list[str]) -> list[str]:
    return [paths] if isinstance(paths, str) else paths


def test_the_licences_of_models_are_told_and_travel_with_them(wheels: tuple[Path, Path]) -> None:
    """The table in models/README.md has the licence of each file; all others but counts of a tool are under MIT."""
    table = (ROOT / "models" / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w.]+)`.*\| ([^|]+) \|$", table, re.MULTILINE))
    names = {"CC BY-SA 4.0": "CC-BY-SA-4.0", "LGPL-LR": "LGPLLR"}
    assert tuple(sorted(rows)) == MODEL_FILES
    stated = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    told = {path: each["SPDX-License-Identifier"] for each in stated for path in _listed(each["path"])}
    licences = {name: " AND ".join(map(names.__getitem__, each.split(" and "))) for name, each in rows.items()}
    counted = {f"models/numbat_pg_models/{name}": licence for name, licence in licences.items()}
    counted["tools/countability.tsv"] = "CC-BY-SA-4.0"
    assert counted == {path: licence for path, licence in told.items() if licence != "MIT"}
    texts = {path.name: path.read_bytes() for path in (ROOT / "models" / "LICENSES").iterdir()}
    assert {Path(name).stem for name in texts} == set(names.values())
    assert {path.name: path.read_bytes() for path in (ROOT / "LICENSES").iterdir() if path.stem != "MIT"} == texts
    program, models = map(metadata_of, wheels)
    assert "\nLicense-Expression: MIT\n" in program
    assert re.findall(r"^License-File: (.*)$", program, re.MULTILINE) == ["LICENSE", CODEMIRROR]
    assert f"\nLicense-Expression: {' AND '.join(sorted(names.values()))}\n" in models
    assert re.findall(r"^License-File: (.*)$", models, re.MULTILINE) == [f"LICENSES/{name}" for name in sorted(texts)]


def test_the_citation_names_prost_and_blache() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    names = {author["family-names"] for reference in citation["references"] for author in reference["authors"]}
    assert {"Prost", "Blache"} <= names
    assert all({"type", "title", "authors", "year"} <= reference.keys() for reference in citation["references"])
