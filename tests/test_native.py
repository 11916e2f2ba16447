"""Compiled modules: which ones are used, why not, and the messages of the command line."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from numbat import native
from numbat.errors import UsageError
from numbat.native import EXACT_SEARCH, NOT_BUILT, SOURCES, SWITCHED_OFF, TAGGER_LOOPS, TREEBANK_SEARCH, Kernel
from numbat.version import __version__
from tests.command_line import Done, Numbat

SLOW = (
    "numbat: the exact search runs in Python, 5 to 20 times slower: the compiled module is not built\n"
    "  build it with a C compiler: pip install -e . in the folder of Numbat; NUMBAT_KERNEL=python ends this message\n"
)
BUILT = [name for name in SOURCES if importlib.util.find_spec(name) is not None]


def stale_module() -> ModuleType:
    """A module that was compiled for the interface before this one."""
    module = ModuleType("stale")
    vars(module)["INTERFACE"] = native.INTERFACE - 1
    return module


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


@pytest.fixture
def not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had been compiled."""
    monkeypatch.delenv("NUMBAT_KERNEL", raising=False)
    monkeypatch.setattr(native, "_loaded", dict.fromkeys(SOURCES, (None, NOT_BUILT)))


@pytest.mark.parametrize("name", BUILT)
def test_what_is_built_fits_what_python_asks_of_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not was compiled before its source or its interface changed: build it again."""
    monkeypatch.delenv("NUMBAT_KERNEL", raising=False)
    assert native.kernel(name) == Kernel(name, "compiled", "")
    module = native.load(name)
    assert module is not None
    assert module.__name__ in (name, name.rpartition(".")[2])


def test_every_extension_of_the_build_is_known() -> None:
    setup = (Path(__file__).parents[1] / "setup.py").read_text(encoding="utf-8")
    assert [name for name in SOURCES if f'"{name}"' not in setup] == []
    assert setup.count('    "numbat.') == len(SOURCES)


def test_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_KERNEL", "python")
    assert [native.load(name) for name in SOURCES] == [None] * len(SOURCES)
    assert native.kernels() == tuple(Kernel(name, "python", SWITCHED_OFF) for name in SOURCES)
    monkeypatch.setenv("NUMBAT_KERNEL", "C")
    with pytest.raises(UsageError):
        native.load(EXACT_SEARCH)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (ModuleNotFoundError("No module named 'x'"), "not built"),
        (ImportError("undefined symbol: PyX"), "unusable: undefined symbol: PyX"),
        (ModuleType("without_interface"), "built for another version of Numbat"),
        (stale_module(), "built for another version of Numbat"),
    ],
)
def test_why_a_module_is_not_used(found: Exception | ModuleType, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def imported(name: str) -> ModuleType:
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.delenv("NUMBAT_KERNEL", raising=False)
    monkeypatch.setattr(native, "_loaded", {})
    monkeypatch.setattr(native, "import_module", imported)
    assert native.load(TAGGER_LOOPS) is None
    assert native.kernel(TAGGER_LOOPS) == Kernel(TAGGER_LOOPS, "python", reason)


@pytest.mark.usefixtures("not_built")
def test_each_missing_module_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Kernel] = []
    monkeypatch.setattr(native, "_tell", None)
    native.load(EXACT_SEARCH)
    native.on_fallback(told.append)
    for name in (EXACT_SEARCH, TREEBANK_SEARCH, EXACT_SEARCH):
        native.load(name)
    native.kernels()
    assert told == [Kernel(EXACT_SEARCH, "python", NOT_BUILT), Kernel(TREEBANK_SEARCH, "python", NOT_BUILT)]


@pytest.mark.usefixtures("not_built")
def test_who_has_a_wheel_is_told_to_have_pip_build_one(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numbat.cli.main.is_checkout", lambda: False)
    build = f"pip install --force-reinstall --no-deps --no-binary numbat-pg numbat-pg=={__version__}"
    assert numbat("parse", "-f", "bracket", "the cat sleeps").err == SLOW.replace(
        "pip install -e . in the folder of Numbat", build
    )


@pytest.mark.usefixtures("not_built")
def test_the_command_line_tells_once_that_it_falls_back_to_python(
    numbat: Numbat, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = ["the cat sleeps", "the dog sleeps"]
    fast = numbat("parse", "-f", "bracket", *sentences)
    assert fast.err == SLOW
    assert numbat("parse", "-f", "bracket", "--engine", "phases", *sentences) == Done(fast.out, "", 0)
    assert numbat("check", "english").err == ""
    monkeypatch.setenv("NUMBAT_KERNEL", "python")
    assert numbat("parse", "-f", "bracket", *sentences) == Done(fast.out, "", 0)


@pytest.mark.usefixtures("not_built")
def test_the_version_tells_what_is_compiled_and_why_not(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(state: str) -> str:
        work = (
            "the exact search",
            "the search with expansions",
            "the linear model over trees",
            "the dependency model",
            "the inner loop of the tagger",
            "decoding under constraints",
        )
        lines = (f"  {each}: {state}" for each in work)
        return "\n".join((f"numbat {__version__} ({state.split(',')[0]} kernel)", *lines, ""))

    assert numbat("--version") == Done(said("python, not built"), "", 0)
    monkeypatch.setenv("NUMBAT_KERNEL", "python")
    assert numbat("--version") == Done(said("python, switched off by NUMBAT_KERNEL"), "", 0)
    monkeypatch.delenv("NUMBAT_KERNEL")
    monkeypatch.setattr(native, "_loaded", {name: (ModuleType("x"), "") for name in SOURCES})
    assert numbat("--version") == Done(said("compiled"), "", 0)


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = f"import sys, numbat.native, numbat.cli.main; print([m for m in {list(SOURCES)} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "[]\n"
