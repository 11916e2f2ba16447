"""The layout of a text in the notation: meaning and comments stay, and laying out a second time changes nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import pytest

from numbat.errors import GrammarError
from numbat.files import packaged_files
from numbat.grammar import notation
from numbat.grammar.layout import laid_out
from numbat.grammar.loading import parse_grammar
from tests.command_line import Numbat
from tests.samples import enough
from tests.test_random_notation import written

PACKAGED: Final = packaged_files(".pg")
UNTIDY: Final = """\



leaves :Det,N , V   # a list
features:   number:sg,pl
NP"noun phrase":# opened
\toblig   N
  Det<N[ number=sg|pl ]   cost 3        # in its column
                                        # and below it
  uniq{ N,   # first
# inner
    Det,
      V
  }


  "a  #  b"<N;gap =np if N&no Det
lexicon:
 dog:N[number=sg],V
"""
TIDY: Final = """\
leaves: Det, N, V   # a list
features: number: sg, pl
NP "noun phrase": # opened
    oblig N
    Det < N[number=sg|pl] cost 3        # in its column
                                        # and below it
    uniq {N, # first
# inner
        Det,
        V
    }

    "a  #  b" < N; gap = np if N & no Det
lexicon:
    dog: N[number=sg], V
"""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def comments(text: str) -> list[str]:
    return [found.rstrip() for found in re.findall(r'"(?:[^"\\\n]|\\.)*"|(#.*)', text) if found]


def disturbed(text: str, made: Random) -> str:
    """Return a text with insignificant blanks changed, and with comments."""
    lines = []
    for line in text.split("\n"):
        pieces = re.split(r'("(?:[^"\\]|\\.)*")', line.strip())
        wide = "".join(p if p[:1] == '"' else re.sub(r"(?<=[,\[{]) ?| (?=\S)", spaces(made), p) for p in pieces)
        indent = made.choice((" ", "\t", "   ", "          ")) if line[:1] == " " else ""
        lines.append(indent + wide + made.choice(("", "", "  ", " # a note", "# another")) * bool(line.strip()))
        lines += made.choice(([], [], [], [""], ["", "  "], ["# alone"], ["    # indented"]))
    return "\n".join(lines)


def spaces(made: Random) -> str:
    return made.choice((" ", "  ", " \t "))


def test_blanks_are_as_usual_and_nothing_else_changes() -> None:
    assert laid_out(UNTIDY) == TIDY
    assert laid_out(UNTIDY.replace("\n", "\r\n")) == TIDY
    assert laid_out("") == ""
    with pytest.raises(GrammarError, match="ends too early"):
        laid_out("NP:\n    Det <\n")


LARGE: Final = 20_000
"""Characters of a grammar that takes seconds."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow if path.stat().st_size > LARGE else (), id=path.stem)
        for path in PACKAGED
    ],
)
def test_packaged_grammars_say_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    made = laid_out(text, str(path))
    assert laid_out(made, str(path)) == made
    assert comments(made) == comments(text)
    without = "".join(text.split())
    assert "".join(made.split()) == without
    before, after = (notation.read(each, "g.pg")[0] for each in (text, made))
    assert len(before) == len(after)


@pytest.mark.parametrize("seed", range(enough(25)))
def test_random_grammars_say_the_same(seed: int) -> None:
    made = Random(seed)
    text = disturbed(written(seed).rich, made)
    tidy = laid_out(text)
    assert replace(parse_grammar(tidy), files=()) == replace(parse_grammar(text), files=())
    assert comments(tidy) == comments(text)
    assert laid_out(tidy) == tidy
    assert not re.search(r"[ \t]$|\t|\n\n\n", tidy, re.MULTILINE)


def test_a_file_is_laid_out_in_place(numbat: Numbat, tmp_path: Path) -> None:
    path = tmp_path / "my.pg"
    path.write_text(UNTIDY, encoding="utf-8")
    assert numbat("convert", "--layout", str(path)).out == TIDY
    assert numbat("convert", "--layout", "--in-place", str(path)).code == 0
    assert path.read_text(encoding="utf-8") == TIDY
    assert numbat("convert", "--in-place", str(path)).code == 2
    wrong = numbat("convert", "--layout", "-f", "yaml", str(path))
    assert (wrong.code, wrong.err.splitlines()[1]) == (2, "  leave one of them out")
    other = numbat("convert", "--layout", "french-chrg")
    assert (other.code, "is in YAML, but --layout works only on files in the notation (.pg)" in other.err) == (2, True)
