"""The page's editor, the TextMate grammar and the lexer for Pygments agree on the kinds of the pieces of a line."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

import pytest

from numbat.editor.colours import TOKENS, NumbatLexer
from numbat.files import grammar_folders
from numbat.grammar.names import KEYWORDS

ROOT: Final = Path(__file__).parents[1]
TABLE: Final[list[Any]] = json.loads((Path(__file__).parent / "colours.json").read_text(encoding="utf-8"))
PACKAGED: Final = sorted(path for folder in grammar_folders() for path in folder.rglob("*.pg"))
NAMES: Final = {token: kind for kind, token in TOKENS.items()}


def by_pygments(lines: list[str]) -> list[list[list[str]]]:
    """Return the pieces of each single line."""
    return [
        [[piece, NAMES[token]] for _, token, piece in NumbatLexer().get_tokens_unprocessed(line) if piece.strip()]
        for line in lines
    ]


def in_node(kind: str, lines: list[str]) -> Any:
    """The same by JavaScript."""
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    if kind == "textmate" and not (ROOT / "tools/textmate/node_modules/vscode-textmate").is_dir():
        pytest.skip("tools/textmate has no node_modules: npm ci makes it there")
    command = ["node", str(Path(__file__).parent / "colours_in_node.mjs"), kind, str(ROOT)]
    done = subprocess.run(command, input=json.dumps(lines), capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["pygments", "page", "textmate"])
def test_each_tells_the_kinds_of_the_table(kind: str) -> None:
    lines = [line for line, _ in TABLE]
    found = by_pygments(lines) if kind == "pygments" else in_node(kind, lines)
    assert found == [pieces for _, pieces in TABLE]


@pytest.mark.parametrize("kind", ["page", "textmate"])
def test_they_agree_on_the_packaged_grammars(kind: str) -> None:
    every = (line for path in PACKAGED for line in path.read_text(encoding="utf-8").split("\n"))
    lines = list(dict.fromkeys(every))  # in their order: a line that leaves something open colours the next one
    differ = [
        (line, one, two)
        for line, one, two in zip(lines, by_pygments(lines), in_node(kind, lines), strict=True)
        if one != two
    ]
    assert differ == []


def test_the_lexer_loses_no_character() -> None:
    for path in PACKAGED:
        text = path.read_text(encoding="utf-8")
        assert "".join(piece for _, _, piece in NumbatLexer().get_tokens_unprocessed(text)) == text


def test_every_setting_is_a_keyword_everywhere() -> None:
    lines = [f"{word}: x" for word in KEYWORDS["top"]]
    for found in (by_pygments(lines), in_node("page", lines), in_node("textmate", lines)):
        assert [pieces[0] for pieces in found] == [[word, "keyword"] for word in KEYWORDS["top"]]


def test_pygments_finds_the_lexer_where_numbat_is_installed() -> None:
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'numbat = "numbat.editor.colours:NumbatLexer"' in declared
    for each in entry_points(group="pygments.lexers", name="numbat"):
        assert each.load() is NumbatLexer
