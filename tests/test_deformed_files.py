"""Every reader of files but those of treebanks (test_treebank_formats.py) with the eight usual deformations.

The second of three records is deformed. The message names the file and the reason, there is no traceback, and if the
format has independent records, the other two are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.command_line import Numbat

GRAMMAR: Final = """\
grammar: small
leaves: Det, N, V
roots: S, NP
lexicon_file: "words.tsv"
S: oblig VP; NP < VP
NP: oblig N; Det < N
VP: oblig V
"""
WORDS: Final = "the\tDet\ncat\tN\ndog\tN\nowl\tN\nsleeps\tV\n"
ROLES: Final = "leaves: A0, O\nroots: R\nR:\n    const {A0, O}\n    uniq A0 cost 3\n"
SEQUENCE: Final = '{"id": "1", "tokens": ["the", "cat"], "labels": [{"A0": 0, "O": -1}, {"O": 0}]}\n'


@dataclass(frozen=True)
class Reader:
    """A file, the template of a record with a word, the text before all records, and the command that reads the file.

    `narrow` is a record with wrong columns, `deep` makes a nested one. `taken` are the deformations that the format
    allows. With `is_whole`, one mistake makes the whole file unreadable.
    """

    file: str
    record: str
    command: tuple[str, ...]
    narrow: str
    before: str = ""
    taken: str = ""
    deep: Callable[[int], str] = lambda depth: "(" * depth + ")" * depth + "\n"
    is_whole: bool = False


def nested(depth: int) -> str:
    return '{"id": "x", "sentence": ' + "[" * depth + "]" * depth + "}\n"


def in_yaml(depth: int) -> str:
    return "  x:\n    " + "- " * depth + "x\n"


ANY_LINE: Final = "cut off, wrong columns, huge line, depth 10,000, duplicate"
"""Deformations that a format accepts if each of its lines is a sentence."""
SUITE: Final = ("test", "f", "-g", "g.pg")
PARSE: Final = ("parse", "-i", "f", "-g", "g.pg", "-f", "bracket")
READERS: Final = {
    "suite in TSV": Reader(
        "f.tsv", "{0}\tthe {0}\tok\n", SUITE, "x\n", "id\tsentence\tjudgement\n", "huge line", is_whole=True
    ),
    "suite in CSV": Reader(
        "f.csv", "{0},the {0},ok\n", SUITE, "x\n", "id,sentence,judgement\n", "huge line", is_whole=True
    ),
    "suite in JSON lines": Reader(
        "f.jsonl", '{{"id": "{0}", "sentence": "the {0}", "judgement": "ok"}}\n', SUITE, '{"id": "x"}\n', "",
        "huge line", nested, is_whole=True,
    ),
    "list of sentences": Reader("f.txt", "the {}\n", SUITE, "\t\n", "* cat the\n", ANY_LINE, is_whole=True),
    "numbered examples": Reader("f.txt", "(1) the {}\n", SUITE, "(\n", "(1) *cat the\n", ANY_LINE, is_whole=True),
    "examples in LaTeX": Reader(
        "f.tex", "\\ex the {}\n", SUITE, "\\ex\n", "\\ex[*]{cat the}\n", ANY_LINE, is_whole=True
    ),
    "table of CoLA": Reader(
        "f.tsv", "gj04\t1\t\tthe {}\n", SUITE, "gj04\t1\n", "gj04\t0\t*\tcat the\n", "huge line, duplicate",
        is_whole=True,
    ),
    "sentences": Reader("f.txt", "the {}\n", PARSE, "\t\n", "", ANY_LINE),
    "tagged text": Reader(
        "f.txt", "the/Det {}/N\n", (*PARSE, "--tagged"), "the/ cat\n", "", "cut off, huge line, duplicate"
    ),
    "words in columns": Reader(
        "f.col", "the\tDet\n{}\tN\n\n", ("tag", "run", "penn", "f", "--from", "columns"), "cat\n\n", "",
        "cut off, huge line, duplicate", is_whole=True,
    ),
    "CG-3": Reader(
        "f.cg3", '"<the>"\n\t"the" Det\n"<{0}>"\n\t"{0}" N\n"<.>"\n\n', (*PARSE, "--from", "cg3"), '"<x\n\n', "",
        "huge line, depth 10,000, duplicate",
        lambda depth: '"<x>"\n' + "".join("\t" * min(at, 50) + '"x" N\n' for at in range(1, depth)) + "\n",
    ),
    "labelled tokens": Reader(
        "f.col", "the\tD\n{}\tN\n\n", ("tag", "train", "f", "--from", "columns", "-o", "o.model"), "cat\n\n", "",
        "cut off, huge line, duplicate", is_whole=True,
    ),
    "labelled text": Reader(
        "f.txt", "the/D {}/N\n", ("tag", "train", "f", "--from", "text", "-o", "o.model"), "cat\n", "",
        "cut off, huge line, duplicate", is_whole=True,
    ),
    "sequences": Reader(
        "f.jsonl", '{{"tokens": ["{0}"], "labels": [{{"A0": 0, "O": -1}}]}}\n', ("decode", "f", "-g", "r.pg"),
        '{"tokens": ["x"]}\n', "", "huge line, duplicate",
        lambda depth: '{"labels": ' + "[" * depth + "]" * depth + "}\n",
    ),
    "automata of AT&T": Reader(
        "f.att", "0\t1\t{}\tA0\t0\n1\n\n", ("decode", "f", "-g", "r.pg"), "0\t1\t2\t3\t4\t5\n1\n\n", "",
        "huge line, duplicate", lambda depth: "(" * depth + "\n\n",
    ),
    "grammar": Reader(
        "f.pg", "N{0}: oblig {0}\n", ("check", "f"), "X oblig\n", "leaves: cat, dog, owl\n", "",
        lambda depth: "X: " + "(" * depth + ")" * depth + "\n", is_whole=True,
    ),
    "grammar in YAML": Reader(
        "f.yaml", "  N{0}: {{const: [{0}], properties: [oblig {0}]}}\n", ("check", "f"), "  X: oblig\n",
        "leaves: [cat, dog, owl]\nroots: [Ncat]\nconstructions:\n", "", in_yaml, is_whole=True,
    ),
    "lexicon": Reader(
        "words.tsv", "{}\tN\n", ("check", "g.pg"), "x\n", "the\tDet\nsleeps\tV\n", "huge line", is_whole=True
    ),
    "exercise": Reader(
        "f.exercise.yaml", "  - {{title: t, task: t, suite: the {}}}\n", ("check", "f"), "  - x\n",
        'exercise: e\ngrammar: anbn\nsteps:\n', "huge line, duplicate", in_yaml, is_whole=True,
    ),
    "expansions": Reader(
        "f.exp", "1\tNP^S\tDet {}\n", ("parse", "--expansions", "f", "-g", "g.pg", "the cat"), "1\n",
        "# numbat expansions/1\n", "huge line, duplicate", is_whole=True,
    ),
    "tag map": Reader(
        "f.map", "{}\tN\n", ("judge", "--summary", "t.mrg", "-g", "g.pg", "--tag-map", "f"), "x\n", "Det\tDet\nN\tN\n",
        "huge line", is_whole=True,
    ),
    "parameters of evalb": Reader(
        "f.prm", "DELETE_LABEL {}\n", ("score", "t.mrg", "t.mrg", "--params", "f"), "x\n", "",
        "empty, huge line, duplicate", is_whole=True,
    ),
    "penalties": Reader(
        "f.tsv", "R: uniq {0}\t1\n", ("decode", "s.jsonl", "-g", "r.pg", "--penalties", "f"), "x\n", "", "empty",
        is_whole=True,
    ),
    "learned costs": Reader(
        "f.tsv", "violated {}\t1\t0\t1\t1\n", ("explain", "the cat", "-g", "g.pg", "-m", "f"), "x\n",
        "# fitted model for the grammar small\nfeature\tweight\tmean\tscale\titems\nintercept\t2\t0\t1\t0\n",
        "huge line", is_whole=True,
    ),
    "tagger": Reader("f.model", "{}\n", ("tag", "run", "f", "s.txt", "--from", "text"), "x\n", is_whole=True),
    "structure": Reader(
        "f.model", "{}\n", ("parse", "--structure", "f", "--tagged", "-i", "s.txt"), "x\n", is_whole=True
    ),
}  # fmt: skip
HOW: Final = ("cut off", "empty", "wrong columns", "bad encoding", "huge line", "depth 10,000", "NUL", "duplicate")


def deformed(reader: Reader, how: str) -> bytes:
    """Return the file with its second record deformed."""
    first, second, third = (reader.record.format(word) for word in ("cat", "dog", "owl"))
    bad = {
        "cut off": second.rstrip("\n")[: len(second) // 2],
        "wrong columns": reader.narrow,
        "bad encoding": second.replace("dog", "d\udce9g"),
        "huge line": second.replace("dog", "dog" * 40_000),
        "depth 10,000": reader.deep(10_000),
        "NUL": second.replace("dog", "d\0g"),
        "duplicate": first,
    }
    if how == "empty":
        return b""
    end = "" if how == "cut off" else third
    return (reader.before + first + bad[how] + end).encode("utf-8", "surrogateescape")


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "g.pg": GRAMMAR, "words.tsv": WORDS, "r.pg": ROLES, "s.jsonl": SEQUENCE, "s.txt": "the/D cat/N\n",
        "t.mrg": "(NP (Det the) (N cat))\n",
    }.items():  # fmt: skip
        Path(name).write_text(text, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", READERS)
def test_a_deformed_file_is_told_with_its_place(numbat: Numbat, name: str, how: str) -> None:
    reader = READERS[name]
    Path(reader.file).write_bytes(deformed(reader, how))
    done = numbat(*(reader.file if word == "f" else word for word in reader.command))
    assert len(done.err) < 3_000
    if how in reader.taken:
        assert done.code in (0, 1), done.err
    elif how == "empty" and done.code == 0:
        assert re.search(r"no (sentence|sequence) was given|there is no construction|lexicon is empty", done.err)
    else:
        place = rf"^(numbat: )?{re.escape(reader.file)}(:\d+){{0,2}}: \S"
        place = place if name != "tag map" or how != "empty" else r'f\.map does not map the tag "Det"'
        assert re.search(place, done.err, re.MULTILINE), done.err
        assert done.code == (65 if reader.is_whole or how == "empty" else 75), done.err
    if not reader.is_whole and how != "empty":
        assert re.search(rf"cat|{reader.file}:1 ", done.out)
        assert how == "cut off" or re.search(rf"owl|{reader.file}:[678] ", done.out)
