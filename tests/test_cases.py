"""Golden cases, one folder each: `tests/cases/<phenomenon>/` with `grammar.pg`, `input.txt` and `expected.txt`.

A linguist can add one without Python.

`input.txt` has one sentence per line. A comment `# profile: discontinuous` sets an option of the parser for the
sentences below it (also `election` and `valuation`); other comments and empty lines are skipped. `expected.txt` repeats
the options, and has a block for each sentence: the sentence after `> `, the summary, all equally good trees in
brackets, and the violations of the first one.

    python tests/test_cases.py ties          # prints the output of tests/cases/ties, to be checked and kept

Each case is run with its grammar, with the grammar printed in the notation, and with its YAML form.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from numbat import Grammar, Parser, load_grammar
from numbat.grammar import printing, yaml_format

CASES = Path(__file__).parent / "cases"
NAMES = sorted(folder.name for folder in CASES.iterdir() if (folder / "input.txt").is_file())
OPTION = re.compile(r"# (profile|election|valuation): (\S+)")
PLACE = re.compile(r", [\w.-]+\.(?:pg|yaml):\d+(?=\]$)", re.MULTILINE)
MAX_TREES = 10


def output(grammar: Grammar, lines: list[str]) -> Iterator[str]:
    """The lines of `expected.txt` for the lines of `input.txt`."""
    options: dict[str, Any] = {}
    for line in lines:
        option = OPTION.fullmatch(line)
        if option:
            options[option[1]] = option[2]
            yield line
        if line.startswith("#") or not line:
            continue
        parser = Parser(grammar, **options)
        parses = parser.n_best(line, MAX_TREES)
        best = parses[0]
        yield f"> {line}"
        yield best.summary()
        for parse in parses[: best.count]:
            yield parse.to_brackets()
        yield from best.explain()


def run(name: str, grammar: Grammar) -> str:
    lines = (CASES / name / "input.txt").read_text(encoding="utf-8").splitlines()
    return "\n".join(output(grammar, lines)) + "\n"


def expected(name: str) -> str:
    file = CASES / name / "expected.txt"
    how = f"check the output of `python tests/test_cases.py {name}` and keep it as {file}"
    assert file.is_file(), how
    return file.read_text(encoding="utf-8")


def without_places(text: str) -> str:
    """The output without `grammar.pg:8`: lines move when a grammar is printed back."""
    return PLACE.sub("", text)


@pytest.fixture(autouse=True)
def _every_grammar_is_read_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_CACHE", "off")


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str) -> None:
    assert run(name, load_grammar(CASES / name / "grammar.pg")) == expected(name)


@pytest.mark.parametrize("name", NAMES)
def test_case_from_the_notation_printed_back(name: str, tmp_path: Path) -> None:
    original = load_grammar(CASES / name / "grammar.pg")
    file = tmp_path / "grammar.pg"
    file.write_text(printing.format_grammar(original), encoding="utf-8")
    grammar = load_grammar(file)
    assert grammar == original
    assert without_places(run(name, grammar)) == without_places(expected(name))


@pytest.mark.parametrize("name", NAMES)
def test_case_from_its_yaml_form(name: str, tmp_path: Path) -> None:
    original = load_grammar(CASES / name / "grammar.pg")
    file = tmp_path / "grammar.yaml"
    file.write_text(yaml_format.format_grammar(original), encoding="utf-8")
    grammar = load_grammar(file)
    assert grammar == original
    assert without_places(run(name, grammar)) == without_places(expected(name))


def test_output_does_not_depend_on_the_hash_seed() -> None:
    first, second = (outputs_under_seed(seed) for seed in (1, 20_061))
    assert first == second == "".join(f"{name}:\n{expected(name)}" for name in NAMES)


def outputs_under_seed(seed: int) -> str:
    root = Path(__file__).parents[1]
    places = [str(root), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = os.environ | {
        "PYTHONHASHSEED": str(seed),
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        "PYTHONUTF8": "1",
    }
    command = [sys.executable, __file__, "--all"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main(names: list[str]) -> None:
    for name in NAMES if names == ["--all"] else names:
        if names == ["--all"]:
            sys.stdout.write(f"{name}:\n")
        sys.stdout.write(run(name, load_grammar(CASES / name / "grammar.pg")))


if __name__ == "__main__":
    main(sys.argv[1:])
