"""Public files of each format come back as they were, or with the differences that the test names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from numbat.errors import Problem
from numbat.treebanks.brackets import format_brackets, format_discbracket
from numbat.treebanks.conllu import DependencyTree, format_conllu
from numbat.treebanks.crossing import CrossingTree
from numbat.treebanks.negra import format_export
from numbat.treebanks.reading import sentences_of
from numbat.treebanks.trees import Tree

DATA: Final = Path(os.environ.get("NUMBAT_DATA", Path(__file__).parents[2] / "shared" / "data"))
LINES: Final = 2000
"""Lines of each file that are read: a test is quick."""


def lines_of(name: str) -> list[str]:
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"{name} is not there")
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(islice(file, LINES))
    while lines and lines[-1].strip() and path.suffix == ".conllu":
        lines.pop()
    return lines


def trees_of(lines: list[str], form: str = "auto") -> Iterator[Tree | CrossingTree | DependencyTree]:
    for sentence in sentences_of(lines, "f", form):
        assert not isinstance(sentence, Problem), sentence
        yield sentence.tree


@pytest.mark.parametrize(
    "treebank",
    [
        "UD_Bulgarian-BTB/bg_btb", "UD_Chinese-GSD/zh_gsd", "UD_Dutch-LassySmall/nl_lassysmall",
        "UD_English-EWT/en_ewt", "UD_French-Sequoia/fr_sequoia", "UD_German-GSD/de_gsd",
        "UD_Portuguese-Bosque/pt_bosque", "UD_Turkish-IMST/tr_imst",
    ],
)  # fmt: skip
def test_conllu_byte_for_byte(treebank: str) -> None:
    lines = lines_of(f"ud/{treebank}-ud-dev.conllu")
    written = "".join(format_conllu(tree) for tree in trees_of(lines) if isinstance(tree, DependencyTree))
    assert written == "".join(lines)


@pytest.mark.parametrize("name", ["en_ewt/dev.mrg", "fr_sequoia/dev.mrg", "en_wsj_pos/dev.mrg", "en_masc/wsj_2465.mrg"])
def test_brackets_but_for_blanks(name: str) -> None:
    """A tree is written on one line; blanks between brackets, and comments between trees, are the only differences."""
    lines = lines_of(f"const/{name}")
    trees = [tree for tree in trees_of(lines, "ptb") if isinstance(tree, Tree)]
    given = " ".join(line for line in lines if not line.startswith("#"))
    assert bare("".join(map(format_brackets, trees))) == bare(given)


def bare(text: str) -> str:
    return re.sub(r"\s*([()])\s*", r"\1", " ".join(text.split()))


@pytest.mark.parametrize("name", ["en_ewt/dev.mrg", "fr_sequoia/dev.mrg"])
@pytest.mark.parametrize("form", ["discbracket", "export", "square", "one line"])
def test_formats_that_numbat_writes_are_read_as_the_same_trees(name: str, form: str) -> None:
    """In NEGRA's format a tree loses its outer bracket without a label, which the format does not have."""
    trees = [tree for tree in islice(trees_of(lines_of(f"const/{name}")), 60) if isinstance(tree, Tree)]
    if form == "export":
        text = "#FORMAT 4\n" + "".join(format_export(tree, at) for at, tree in enumerate(trees, start=1))
    elif form == "discbracket":
        text = "".join(f"{format_discbracket(tree)}\n" for tree in trees)
    else:
        text = "".join(f"{format_brackets(tree)}\n" for tree in trees)
        text = text.translate(str.maketrans("()", "[]")) if form == "square" else text
    again = list(trees_of(text.splitlines(keepends=True), {"one line": "ptb"}.get(form, form)))
    assert len(again) == len(trees)
    for one, other in zip(again, trees, strict=True):
        assert not isinstance(one, DependencyTree)
        assert [form for form, _ in one.words()] == [form for form, _ in other.words()]
        if form != "export":
            assert one == other


def test_items_of_a_profile_but_for_fields_that_suites_lack() -> None:
    from numbat.acceptability.suite_files import read_suite
    from numbat.acceptability.suite_profiles import profile_of

    path = DATA / "accept" / "csli" / "csli.tsv"
    if not path.is_file():
        pytest.skip("accept/csli/csli.tsv is not there")
    suite = read_suite(str(path))
    rows = [line.split("@") for line in profile_of(suite)[0]["item"].splitlines()]
    assert [row[6].replace("\\s", "@").replace("\\\\", "\\") for row in rows] == [item.sentence for item in suite.items]
    assert [row[7] for row in rows] == [str(int(bool(item.is_good))) for item in suite.items]
