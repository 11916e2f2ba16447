"""The settings in docs/editors.md: Neovim and Emacs run with them, those of other editors can be parsed."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import termios
import tomllib
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
PROBES: Final = Path(__file__).parent / "editors"
SECONDS: Final = 900
GRAMMAR: Final = """\
# 𝒩 stands outside the first plane
leaves: Det, N, V
roots: S
S:
    oblig V
    Np < V
NP:
    oblig N
    Det < N
lexicon:
    the: Det
    dog: N
    barks: V
"""
MENDED: Final = GRAMMAR.replace("Np", "NP")
MESSAGE: Final = (
    '"Np" is not a construction or a leaf\n'
    "did you mean \"NP\"? else declare it with 'leaves: Np' or give it a form with 'Np:'"
)


def settings(editor: str) -> str:
    """The lines that the page gives for an editor, the last ones of its paragraphs."""
    section = PAGE[PAGE.index(f"\n**{editor}**") + 1 :]
    section = re.split(r"^\*\*|^## ", section.removeprefix("**"), maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"(?:^    .*\n)+", section, flags=re.MULTILINE)
    return re.sub("^    ", "", found[-1], flags=re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a grammar, and a command `numbat` that runs this very code."""
    (tmp_path / "main.pg").write_text(GRAMMAR, encoding="utf-8")
    command = tmp_path / "bin" / "numbat"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m numbat "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def version_of(program: str, least: str) -> tuple[int, ...]:
    """Return the version of an editor; skip the test if it is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed ({least} or later)")
    said = subprocess.run([program, "--version"], capture_output=True, encoding="utf-8", check=False).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    assert found is not None
    return int(found[1]), int(found[2])


def answers(folder: Path, *command: str) -> Any:
    """Run an editor in a pseudo-terminal until it ends, and return the output of its probe."""
    homes = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | dict.fromkeys(homes, str(folder / "home")) | {"PATH": path, "TERM": "xterm"}
    (folder / "home").mkdir()
    main, terminal = pty.openpty()

    def own_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    editor = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=own_terminal,
    )
    os.close(terminal)
    screen: list[bytes] = []

    def look() -> None:
        try:
            while drawn := os.read(main, 65536):
                screen.append(drawn)
        except OSError:  # the editor has ended
            pass

    looking = Thread(target=look, daemon=True)
    looking.start()
    try:
        editor.wait(SECONDS)
    except subprocess.TimeoutExpired:
        editor.kill()
        editor.wait()
    looking.join(SECONDS)
    os.close(main)
    assert (folder / "said.json").exists(), b"".join(screen)[-2000:]
    return json.loads((folder / "said.json").read_text(encoding="utf-8"))


def lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def test_neovim_runs_with_its_settings(folder: Path) -> None:
    if version_of("nvim", "0.8") < (0, 8):
        pytest.skip("this Neovim is older than 0.8")
    (folder / "init.lua").write_text(settings("Neovim"), encoding="utf-8")
    probe = f"luafile {PROBES / 'neovim.lua'}"
    said = answers(folder, "nvim", "--headless", "-u", "init.lua", "main.pg", "-c", probe)
    assert said.get("error") is None
    assert said["mistakes"] == [[5, 4, 6, MESSAGE]]
    assert said["hover"].endswith("NP stands before V.\n\ncost 1, weight 1 · linearity")
    assert said["formatted"] == lines(MENDED)
    assert said["renamed"] == lines(MENDED.replace("NP", "Nominal"))
    assert said["comment"] == "# %s"


def test_emacs_runs_with_its_settings(folder: Path) -> None:
    if version_of("emacs", "26") < (26, 0):
        pytest.skip("this Emacs is older than 26")
    installed = ("emacs", "--batch", "--eval", "(package-initialize)", "--eval", "(require 'eglot)")
    if subprocess.run(installed, capture_output=True, check=False).returncode:
        pytest.skip("this Emacs has no eglot: Emacs 29, or its package")
    (folder / "init.el").write_text(settings("Emacs"), encoding="utf-8")
    begun = ("emacs", "-nw", "-q", "--eval", "(package-initialize)", "-l", "init.el", "main.pg")
    said = answers(folder, *begun, "-l", str(PROBES / "emacs.el"))
    assert said["error"] is None
    assert [(text, message.removeprefix("numbat: ")) for text, message in said["mistakes"]] == [("Np", MESSAGE)]
    assert said["formatted"] == [*lines(MENDED), ""]
    assert said["renamed"] == [*lines(MENDED.replace("NP", "Nominal")), ""]
    assert said["comment"] == "# "


def test_the_settings_of_other_editors_can_be_read() -> None:
    helix = tomllib.loads(settings("Helix"))
    assert helix["language-server"]["numbat"] == {"command": "numbat", "args": ["lsp"]}
    (language,) = helix["language"]
    assert language["language-servers"] == ["numbat"]
    assert language["file-types"] == ["pg"]
    kate = json.loads(settings("Kate"))["servers"]["numbat"]
    assert kate["command"] == ["numbat", "lsp"]
    assert re.fullmatch(kate["highlightingModeRegex"], "Numbat")
    sublime = json.loads(settings("Sublime Text"))["clients"]["numbat"]
    assert sublime["command"] == ["numbat", "lsp"]
    assert sublime["selector"] == json.loads(
        (ROOT / "editors/vscode/syntaxes/numbat.tmLanguage.json").read_text(encoding="utf-8")
    )["scopeName"]  # fmt: skip
    package = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))
    assert set(json.loads(settings("Visual Studio Code"))) <= set(package["contributes"]["configuration"]["properties"])
