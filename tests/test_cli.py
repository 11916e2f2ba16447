"""The command line as a user meets it: output, messages, exit codes; never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from select import select
from threading import Thread

import click
import pytest

from numbat import DataError, Grammar, Parser, load_grammar, parse_grammar
from numbat.__main__ import main
from numbat.cli.main import cli
from numbat.grammar.loading import packaged, read_grammar
from numbat.words.typed import read_tagged
from tests.command_line import Done, Numbat, json_lines

GRAMMAR = """\
grammar: small
leaves: Det, N, V
roots: S
features: number: sg, pl
S:
    oblig V
    uniq {NP, V}
    NP < V
NP:
    oblig N
    uniq {Det, N}
    Det < N
lexicon:
    the: Det
    cat: N[number=sg]
    sleeps: V
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def run(arguments: Sequence[str], given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a separate process."""
    command, env = [sys.executable, "-m", "numbat", *arguments], from_here() | environment
    return subprocess.run(command, input=given, capture_output=True, env=env, check=False)


def from_here() -> dict[str, str]:
    """The environment of a process that imports this copy of Numbat."""
    places = [str(Path(__file__).parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))}


TREE = """\
S
├─ NP [number=sg]
│  ├─ Det  the
│  └─ N [number=sg]  cat
└─ V  sleeps

full parse: cost 0; weight 8; 1 tree; 8 satisfied, 0 violated

"""


def test_trees_show_the_features_that_the_grammar_names_or_all(numbat: Numbat, tmp_path: Path) -> None:
    grammar = tmp_path / "a.pg"
    grammar.write_text(
        "leaves: N\ntree_features: number\nfeatures: number: sg, pl; onset: v, c\nNP:\n    head N\n    uniq N\n"
        "lexicon:\n    cats: N[number=pl, onset=c]\n    owl: N[onset=v]\n",
        encoding="utf-8",
    )
    named = numbat("parse", "-g", str(grammar), "cats", "owl").out
    assert named.startswith("NP [number=pl]\n└─ N [number=pl]  cats\n")
    assert "\nNP\n└─ N  owl\n" in named
    every = numbat("parse", "-g", str(grammar), "--all-features", "cats", "owl").out
    assert every.startswith("NP [number=pl, onset=c]\n└─ N [number=pl, onset=c]  cats\n")
    assert "\nNP [onset=v]\n└─ N [onset=v]  owl\n" in every
    assert numbat("parse", "-f", "jsonl", "--all-features", "owl") == Done(
        "",
        "numbat: --all-features and -f jsonl exclude each other\n"
        "  take -f tree, svg, html or latex, or leave --all-features out\n",
        2,
    )
    (whole,) = json_lines(numbat("parse", "-g", str(grammar), "-f", "jsonl", "owl").out)
    assert whole["constituents"][0]["features"] == {"onset": "v"}


def test_a_tree(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "g.pg", "the cat sleeps") == Done(TREE, "", 0)


def test_what_is_too_deep_for_json_is_told_and_the_rest_is_done(numbat: Numbat) -> None:
    Path("ab.txt").write_text(f"{'a ' * 600}{'b ' * 600}\na b\n", encoding="utf-8")
    for form in ("json", "jsonl"):
        done = numbat("parse", "-g", "anbn", "-i", "ab.txt", "-f", form)
        assert (done.err, done.code) == (
            "numbat: ab.txt:1: this tree is too deep for JSON\n  -f bracket writes any depth\n",
            75,
        )
        assert '"id": "ab.txt:2"' in done.out
    assert json.loads(numbat("parse", "-g", "anbn", "-i", "ab.txt", "-f", "json").out)[0]["nodes"] == 1


def test_a_parse_that_is_too_deep_for_json_loses_no_other(numbat: Numbat) -> None:
    deep = "A:\n    oblig W\n    uniq W\n" + "".join(
        f"X{i}:\n    oblig {below}\n    uniq {below}\n"
        for i in range(1_200)
        for below in ["W" if i == 1_199 else f"X{i + 1}"]
    )
    Path("deep.pg").write_text(f"leaves: W\nroots: A, X0\nunary_limit: 1200\n{deep}", encoding="utf-8")
    Path("w.txt").write_text("w/W\n", encoding="utf-8")
    arguments = ["parse", "-g", "deep.pg", "--tagged", "-i", "w.txt", "-f", "json"]
    done = numbat(*arguments, "-n", "2")
    said = "this tree is too deep for JSON\n  -f bracket writes any depth\n"
    assert (done.err, done.code) == (f"numbat: w.txt:1#1: {said}", 75)
    assert [(parse["rank"], parse["nodes"]) for parse in json.loads(done.out)] == [(2, 1)]
    assert numbat(*arguments) == Done("[\n]\n", f"numbat: w.txt:1: {said}", 65)


def test_a_kernel_that_is_none(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_KERNEL", "foo")
    message = (
        'numbat: NUMBAT_KERNEL is "foo", which is not a kernel\n'
        "  set it to python or compiled, or unset it to use compiled modules where they exist\n"
    )
    for arguments in (("parse", "-g", "g.pg", "the cat sleeps"), ("--version",)):
        assert numbat(*arguments) == Done("", message, 2)
    for value in ("", "python", "compiled"):
        monkeypatch.setenv("NUMBAT_KERNEL", value)
        assert numbat("parse", "-g", "g.pg", "the cat sleeps") == Done(TREE, "", 0)


def test_violations_are_no_failure(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "sleeps the cat")
    assert done.out.splitlines()[-3:] == [
        "full parse: cost 1 (violations 1); weight 7; 1 tree; 7 satisfied, 1 violated",
        '✗ "the cat" should stand before "sleeps"  [S: NP < V, g.pg:8]',
        "",
    ]
    assert (done.err, done.code) == ("", 0)


def test_brackets(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "-f", "bracket", "the cat sleeps", "cat")
    assert done == Done("(S (NP (Det the) (N cat)) (V sleeps))\n(S (NP (N cat)))\n", "", 0)


def test_json_is_one_list(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "-f", "json", "the cat sleeps", "cat")
    parses = json.loads(done.out)
    assert [(parse["id"], parse["sentence"]) for parse in parses] == [("1", "the cat sleeps"), ("2", "cat")]
    assert numbat("parse", "-g", "g.pg", "-f", "json", " ") == Done(
        "[\n]\n", "numbat: nothing to parse: no sentence was given\n", 0
    )


def test_jsonl_is_an_object_a_line(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "-f", "jsonl", "-n", "2", "the cat sleeps", "cat")
    records = json_lines(done.out)
    assert {record["id"] for record in records} == {"1", "2"}
    assert all(record["schema"] == "numbat.parse/2" for record in records)


def test_tsv_has_the_same_columns_everywhere(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "-f", "tsv", "-n", "3", "sleeps the cat", "cat")
    header, *rows = done.out.splitlines()
    assert header.split("\t")[0] == "id"
    assert {row.count("\t") for row in rows} == {header.count("\t")}
    empty = numbat("parse", "-g", "g.pg", "-f", "tsv", "")
    assert empty.out.splitlines() == [header]


def test_a_blank_sentence_is_none_and_one_without_words_is_empty(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "g.pg", "") == Done("", "numbat: nothing to parse: no sentence was given\n", 0)
    done = numbat("parse", "-g", "g.pg", "...")
    assert (done.out.splitlines()[0], done.code) == ("(no words)", 0)


def test_several_parses(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "-n", "2", "the cat sleeps")
    assert done.out.startswith("1.\nS\n")
    assert "\n2.\n" in done.out


def test_sentences_are_answered_as_they_come() -> None:
    command = [sys.executable, "-m", "numbat", "parse", "-g", "anbn", "-f", "bracket", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=from_here()) as process:
        assert process.stdin
        assert process.stdout
        try:
            for sentence, tree in ((b"a b\r\n", b"(S (a a) (b b))\n"), (b"\na\n", b"(S (a a))\n")):
                process.stdin.write(sentence)
                process.stdin.flush()
                assert select([process.stdout], [], [], 600)[0], "no answer before the input ends"
                assert os.read(process.stdout.fileno(), 1000) == tree
        finally:
            process.stdin.close()
            assert process.wait() == 0


def test_a_file_of_sentences_and_standard_input(numbat: Numbat) -> None:
    text = "# a comment\n\nthe cat sleeps\r\n  cat \n"
    Path("in.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
    expected = "(S (NP (Det the) (N cat)) (V sleeps))\n(S (NP (N cat)))\n"
    told = "numbat: 1 line begins with # and was skipped: {}:1\n  --hash-lines reads such lines\n"
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "-i", "in.txt") == Done(expected, told.format("in.txt"), 0)
    for arguments in (["-"], ["-i", "-"]):
        done = run(["parse", "-g", "g.pg", "-f", "bracket", *arguments], text.encode())
        assert (done.stdout.decode(), done.stderr, done.returncode) == (expected, told.format("<stdin>").encode(), 0)
    ids = numbat("parse", "-g", "g.pg", "-f", "jsonl", "-i", "in.txt").out
    assert [value["id"] for value in json_lines(ids)] == ["in.txt:3", "in.txt:4"]


def test_a_bad_line_among_good_ones(numbat: Numbat) -> None:
    Path("in.txt").write_bytes(b"the/Det cat/N\ncat\ncat/Nn\nc\xe9/N\ncat/N\n")
    done = numbat("parse", "-g", "g.pg", "-f", "bracket", "--tagged", "-i", "in.txt", "--stats")
    assert done.out == "(S (NP (Det the) (N cat)))\n(S (NP (N cat)))\n"
    *lines, tally = done.err.splitlines()
    assert lines == [
        'in.txt:2:1: "cat" has no tag',
        "    cat",
        "    ^^^",
        "  tagged words are written word/TAG or word/TAG1|TAG2",
        'in.txt:3:5: "Nn" in "cat/Nn" is not a category of the grammar',
        "    cat/Nn",
        "        ^^",
        '  did you mean "N"?',
        "in.txt:4:2: this line is not UTF-8 (byte 2 is E9)",
        "    c�/N",
        "     ^",
        "  give its encoding, such as --encoding latin-1, or save the file in the encoding UTF-8",
    ]
    assert tally.startswith(
        "2 sentences: 2 full trees (0 well-formed), 0 partial covers, 0 met a limit, 3 could not be read; median "
    )
    assert done.code == 75
    Path("in.txt").write_bytes(b"cat\n")
    assert numbat("parse", "-g", "g.pg", "--tagged", "-i", "in.txt").code == 65


def test_the_tally_of_nothing(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "g.pg", "--stats", "").err == (
        "numbat: nothing to parse: no sentence was given\n0 sentences, 0 could not be read\n"
    )


def test_the_trace_stands_on_standard_error(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "--trace", "the cat sleeps")
    assert done.out == TREE
    assert done.err.splitlines()[0] == "trace of the cat sleeps"
    assert all(name in done.err for name in ("Assignation", "Polling Booth", "g.pg:"))


TREES = """\
(TOP (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))
(TOP (NP (DT the) (NN cat) (NN cat) (NN cat)))
(TOP (NP (XYZ cat)))
(TOP (NP (NN cat))
(TOP (NP (-NONE- *) (NN cat)))
"""


def test_a_treebank(numbat: Numbat) -> None:
    Path("t.mrg").write_text(TREES, encoding="utf-8")
    Path("t.map").write_text("DT\tDet\nNN\tN[number=sg]\nVBZ\tV\n.\t-\n", encoding="utf-8")
    options = ["parse", "-g", "g.pg", "-f", "bracket", "--from", "ptb", "-i", "t.mrg", "--tag-map", "t.map"]
    done = numbat(*options, "--max-length", "3")
    assert done.out == "(S (NP (Det The) (N cat)) (V sleeps))\n(S (NP (N cat)))\n"
    assert [line for line in done.err.splitlines() if line.startswith("t.mrg")] == [
        't.mrg:3:1: t.map does not map the tag "XYZ"',
        "t.mrg:4:1: sentence 4: a tree that is not closed",
    ]
    assert done.code == 75
    assert len(numbat(*options).out.splitlines()) == 3


def test_the_packaged_tag_map_fits_the_packaged_grammar(numbat: Numbat) -> None:
    Path("t.mrg").write_text("(TOP (S (NP (DT This)) (VP (VBZ is) (NP (DT a) (NN cat)))))\n", encoding="utf-8")
    done = numbat("parse", "-f", "bracket", "--from", "ptb", "-i", "t.mrg")
    assert done == Done("(S (NP (Pro This)) (VP (Aux is) (NP (Det a) (N cat))))\n", "", 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([],
         'numbat: no sentence\n  type one in quotes, as in numbat parse "The cat sleeps", give a file with -i, or - to '
         "read the standard input"),
        (["x", "-i", "in.txt"], "numbat: sentences and -i FILE exclude each other\n  leave one of them out"),
        (["--from", "ptb", "x"], "numbat: --from reads a file\n  name it with -i FILE"),
        (["--from", "ptb", "--tagged", "-i", "x"],
         "numbat: --tagged and --from exclude each other\n  a treebank already has tags: leave --tagged out"),
        (["--max-length", "8", "x"], "numbat: --max-length needs a treebank\n  add --from auto"),
        (["--tag-map", "ptb.map", "x"], "numbat: --tag-map needs tags\n  add --from auto or --tagger MODEL"),
        (
            ["-", "x"],
            'numbat: "-" and sentences exclude each other\n'
            '  "-" alone reads the standard input: leave one of them out',
        ),
        (["--tagger-output", "best", "x"], "numbat: --tagger-output needs a tagger\n  add --tagger MODEL"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense_together(
    numbat: Numbat, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setattr("numbat.cli.options.is_terminal", lambda stream: True)
    assert numbat("parse", *arguments) == Done("", message + "\n", 2)


@pytest.mark.parametrize(
    ("option", "value", "first", "hint"),
    [
        ("--profile", "papr", '"papr"', 'did you mean "paper"?'),
        ("--election", "beem", '"beem"', 'did you mean "beam"?'),
        ("--valuation", "nett", '"nett"', 'did you mean "net"?'),
        ("--without", "H9", '"H9"', "H1"),
    ],
)
def test_names_that_are_unknown(numbat: Numbat, option: str, value: str, first: str, hint: str) -> None:
    done = numbat("parse", "-g", "g.pg", option, value, "cat")
    assert done.out == ""
    assert first in done.err.splitlines()[0]
    assert hint in done.err
    assert done.code == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--max-rounds", "3"],
            "--max-rounds limits only the phases engine, which is not used here\n"
            "  take --engine phases, or limit the exact one with --max-items or --max-seconds",
        ),
        (
            ["--engine", "phases", "--max-states", "3"],
            "--max-states limits only the exact engine, which is not used here\n"
            "  limit the phases engine with --max-assignments or --max-seconds",
        ),
        (["--beam", "3"], "--beam has no effect without the election beam\n  add --election beam"),
    ],
)
def test_limits_of_what_does_not_run(numbat: Numbat, options: list[str], message: str) -> None:
    done = numbat("parse", "-g", "g.pg", *options, "cat")
    assert (done.out, done.err, done.code) == ("", f"numbat: {message}\n", 2)


def test_the_limits_of_the_exact_engine_bound_what_a_greedy_profile_asks_it(numbat: Numbat) -> None:
    greedy = ["parse", "-g", "g.pg", "--profile", "paper", "-f", "bracket"]
    told = 'numbat: 1: greedy profile "paper": a better parse may exist\n'
    assert numbat(*greedy, "the cat") == Done("(S (NP (Det the) (N cat)))\n", "", 0)
    assert numbat(*greedy, "--max-items", "1", "the cat") == Done("(S (NP (Det the) (N cat)))\n", told, 0)
    done = numbat(*greedy, "--engine", "phases", "the cat")
    assert done == Done("(S (NP (Det the) (N cat)))\n", told, 0)
    assert numbat(*greedy, "--engine", "phases", "--max-items", "9", "the cat").code == 2


@pytest.mark.parametrize(
    "arguments",
    [["prase", "x"], ["parse", "--fromat", "x"], ["parse", "-f", "xml", "x"], ["parse", "-n", "0", "x"], ["convert"],
     ["parse", "--max-seconds", "0", "x"], ["parse", "--beam", "none", "x"], ["convert", "g.pg", "-o", "g.txt"]],
)  # fmt: skip
def test_wrong_usage(numbat: Numbat, arguments: list[str]) -> None:
    done = numbat(*arguments)
    assert (done.out, done.code) == ("", 2)
    assert done.err


@pytest.mark.parametrize("verb", ["check", "show", "parse cat -g", "convert -f pg"])
def test_a_grammar_without_a_name(numbat: Numbat, verb: str) -> None:
    message = 'numbat: "" is not the name of a grammar\n  name a file or a packaged grammar\n'
    assert numbat(*verb.split(), "") == Done("", message, 66)


def test_a_file_without_a_name(numbat: Numbat) -> None:
    assert numbat("trees", "") == Done("", 'numbat: "": cannot be read: No such file or directory\n', 66)
    hint = "give another place with write permission and space"
    message = f'numbat: "": cannot be written: No such file or directory\n  {hint}\n'
    assert numbat("convert", "g.pg", "-f", "pg", "-o", "") == Done("", message, 73)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_grammar_that_comes_through_a_pipe(numbat: Numbat) -> None:
    """As the shell's `<(cat g.pg)`; it is there once only, also when it was read before."""
    os.mkfifo("pipe")
    for _ in range(2):
        writer = Thread(target=Path("pipe").write_text, args=(GRAMMAR,))
        writer.start()
        assert numbat("parse", "-g", "pipe", "the cat sleeps") == Done(TREE, "", 0)
        writer.join()


def test_a_line_that_is_no_text_is_shown_in_part(numbat: Numbat) -> None:
    Path("t.mrg").write_text("\0" * 150 + "x" * 100_000 + "\n", encoding="utf-8")
    shown = "\N{REPLACEMENT CHARACTER}" * 150 + "x" * 350
    told = numbat("trees", "t.mrg").err
    assert f"\n  found: {shown}...\n" in told
    assert len(told) < 2_000
    Path("s.tsv").write_text("x" * 100_000 + "\n", encoding="utf-8")
    assert f"no column of sentences among '{'x' * 499}...\n" in numbat("report", "s.tsv").err
    Path("long.pg").write_text(f"leaves: {'x' * 1_000} ) {'y' * 1_000}\n", encoding="utf-8")
    line, caret = numbat("check", "long.pg").err.splitlines()[1:3]
    assert line == f"    {'x' * 249} ) {'y' * 248}"
    assert caret == f"    {' ' * 250}^"


def test_a_name_of_a_file_that_is_not_utf8(numbat: Numbat) -> None:
    Path("t.mrg").write_text("(S (NP (N cat)) (V sleeps))\n" * 9, encoding="utf-8")
    assert numbat("induce", "t.mrg", "-o", "\udce9.pg").code == 0


@pytest.mark.parametrize("verb", ["parse", "judge"])
def test_two_files_where_one_is_read(numbat: Numbat, verb: str) -> None:
    message = (
        "numbat: -i is given 2 times: a.txt, my file.txt\n"
        f"  give one file, or join them: cat a.txt 'my file.txt' | numbat {verb} -i -\n"
    )
    assert numbat(verb, "-i", "a.txt", "--input", "my file.txt") == Done("", message, 2)


@pytest.mark.parametrize("verb", ["parse", "explain", "report", "judge"])
def test_two_grammars_where_one_is_used(numbat: Numbat, verb: str) -> None:
    message = (
        "numbat: -g is given 2 times: french, mine.pg\n"
        '  give one grammar; a grammar can include others: include: "first.pg", "second.pg"\n'
    )
    assert numbat(verb, "-g", "french", "--grammar", "mine.pg", "x") == Done("", message, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["parse", "-g", "englsh", "x"], 'englsh: no such grammar file\n  did you mean "english"?'),
        (["check", "none.pg"], f"none.pg: no such grammar file\n  the packaged grammars are: {', '.join(packaged())}"),
        (["show", "englsh"], 'englsh: no such grammar file\n  did you mean "english"?'),
        (["convert", "-f", "pg", "englsh"], 'englsh: no such grammar file\n  did you mean "english"?'),
        (
            ["parse", "-g", "g.pg", "-f", "json", "-i", "none.txt"],
            "none.txt: cannot be read: No such file or directory",
        ),
        (["parse", "-g", "g.pg", "--tagger", "pen", "x"], 'pen: no such model file\n  did you mean "penn"?'),
        (["tag", "run", "my.model"], "my.model: no such model file\n  the packaged models are: ftb, penn"),
        (["parse", "-g", "g.pg", "-i", "."], ".: cannot be read: Is a directory"),
        (
            ["parse", "-g", "g.pg", "--from", "ptb", "-i", "none.mrg"],
            "none.mrg: cannot be read: No such file or directory",
        ),
        (
            ["parse", "-g", "g.pg", "--from", "ptb", "-i", "none.mrg", "--tag-map", "n.map"],
            "n.map: cannot be read: No such file or directory",
        ),
    ],
)
def test_files_that_are_missing(numbat: Numbat, arguments: list[str], message: str) -> None:
    assert numbat(*arguments) == Done("", f"numbat: {message}\n", 66)


def test_check_and_its_table(numbat: Numbat) -> None:
    summary = "g.pg: 2 constructions, 8 properties, 3 leaves, 3 lexicon forms; 0 errors, 0 warnings\n"
    assert numbat("check", "g.pg") == Done(summary, "", 0)
    done = numbat("check", "--table", "g.pg")
    assert done.out == summary + (
        "(Det)\n    NP: uniq Det  g.pg:11\n(Det, N)\n    NP: Det < N  g.pg:12\n"
        "(N)\n    NP: oblig N  g.pg:10\n    NP: uniq N  g.pg:11\n"
        "(NP)\n    S: uniq NP  g.pg:7\n(NP, V)\n    S: NP < V  g.pg:8\n"
        "(V)\n    S: oblig V  g.pg:6\n    S: uniq V  g.pg:7\n"
        "always, by construction\n    NP: oblig N  g.pg:10\n    S: oblig V  g.pg:6\n"
    )


def test_check_reports_every_mistake(numbat: Numbat) -> None:
    Path("bad.pg").write_text("leaves: N\nNP:\n    uniq M\n    N <\n", encoding="utf-8")
    expected = """\
bad.pg:3:10: "M" is not a construction or a leaf
        uniq M
             ^
  declare it with 'leaves: M' or give it a form with 'M:'

bad.pg:4:8: the line ends too early
        N <
           ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"

"""
    summary = "bad.pg: 1 construction, 1 property, 1 leaf, 0 lexicon forms; 2 errors, 0 warnings\n"
    assert numbat("check", "bad.pg") == Done(summary, expected, 65)
    done = numbat("parse", "-g", "bad.pg", "cat")
    assert (done.out, done.code) == ("", 65)
    assert done.err == expected.replace("\n\n", "\n")


def test_warnings_are_no_failure(numbat: Numbat) -> None:
    Path("odd.pg").write_text("leaves: N\nNP: uniq N; N < N\n", encoding="utf-8")
    done = numbat("check", "odd.pg")
    assert done.err.startswith("odd.pg:2:13: warning: NP: linearity is circular: N < N\n")
    assert (done.out.split("; ")[-1], done.code) == ("0 errors, 1 warning\n", 0)


def test_show(numbat: Numbat) -> None:
    done = numbat("show", "g.pg")
    assert (done.err, done.code) == ("", 0)
    assert done.out.splitlines()[:3] == ["grammar       small", "roots         S", "leaves        Det, N, V"]
    assert "linearity   NP < V    1       1           g.pg:8" in done.out


@pytest.mark.parametrize("name", packaged())
def test_every_packaged_grammar_can_be_checked_and_shown(numbat: Numbat, name: str) -> None:
    assert numbat("check", name).code == 0
    assert numbat("show", name).code == 0


def test_convert(numbat: Numbat) -> None:
    for form, name in (("yaml", "a.yaml"), ("pg", "a.pg")):
        done = numbat("convert", "-f", form, "g.pg")
        assert numbat("convert", "g.pg", "-o", name) == Done("", "", 0)
        assert Path(name).read_text(encoding="utf-8") == done.out
        assert load_grammar(name) == load_grammar("g.pg")
    assert numbat("convert", "g.pg", "-f", "yaml", "-o", "b.pg") == Done(
        "",
        'numbat: -f yaml contradicts the name "b.pg"\n'
        "  the file would be read as pg: end its name with .yaml, or leave -f out\n",
        2,
    )


@pytest.mark.parametrize(
    "verb",
    [
        "parse -g g.pg -i", "parse -g g.pg --from ptb -i", "parse -g g.pg --from ptb -i t.mrg --tag-map",
        "test -g g.pg", "judge -g g.pg -i", "trees", "induce",
        "score t.mrg", "tag train -o m.model", "learn costs -o m.tsv", "explain cat -g g.pg -m",
        "score t.mrg t.mrg --params",
    ],
)  # fmt: skip
def test_a_file_in_utf16_is_told_as_such(numbat: Numbat, verb: str) -> None:
    """Some programs call it Unicode."""
    Path("t.mrg").write_text("(S (N cat))\n", encoding="utf-8")
    Path("u.tsv").write_bytes("the cat sleeps\nand more\n".encode("utf-16"))
    done = numbat(*verb.split(), "u.tsv")
    hint = (
        "write the model again with numbat learn costs"
        if verb == "explain cat -g g.pg -m"
        else "save the file in the encoding UTF-8"
        if verb.endswith(("--tag-map", "--params"))
        else "give --encoding utf-16, or save the file in the encoding UTF-8"
    )
    assert done == Done("", f"numbat: u.tsv: this file is UTF-16, not UTF-8\n  {hint}\n", 65)


@pytest.mark.parametrize(
    ("verb", "file", "option"),
    [
        ("convert g.pg -o", "g.pg", "--output"), ("convert ./g.pg -o", "g.pg", "--output"),
        ("induce t.mrg -o", "t.mrg", "--output"), ("induce t.mrg --lexicon", "t.mrg", "--lexicon"),
        ("learn costs s.tsv -o", "s.tsv", "--output"), ("tag train s.tsv -o", "s.tsv", "--output"),
        ("report s.tsv --html", "s.tsv", "--html"),
    ],
)  # fmt: skip
def test_nothing_is_written_over_what_is_read(numbat: Numbat, verb: str, file: str, option: str) -> None:
    for name in ("s.tsv", "t.mrg"):
        Path(name).write_text("sentence\n", encoding="utf-8")
    before, given = Path(file).read_bytes(), "./g.pg" if "./" in verb else file
    message = f"numbat: {given} is an input, and {option} would overwrite it\n  give {option} another file\n"
    assert numbat(*verb.split(), file) == Done("", message, 2)
    assert Path(file).read_bytes() == before


@pytest.mark.parametrize(
    ("verb", "file", "option"),
    [
        ("convert main.pg -f pg -o words.tsv", "words.tsv", "--output"),
        ("convert main.pg -o ./part.pg", "part.pg", "--output"),
        ("show main.pg --html words.tsv", "words.tsv", "--html"),
        ("report -g main.pg folder --html words.tsv", "words.tsv", "--html"),
        ("report folder --html folder/sentences.csv", "folder/sentences.csv", "--html"),
        ("report folder --csv folder", "folder/sentences.csv", "--csv"),
        ("compare g.pg main.pg folder --html part.pg", "part.pg", "--html"),
        ("learn costs -g main.pg folder -o words.tsv", "words.tsv", "--output"),
        ("learn costs -g g.pg --also-grammar main.pg folder -o words.tsv", "words.tsv", "--output"),
    ],
)
def test_nothing_is_written_over_what_a_file_that_is_read_names(
    numbat: Numbat, verb: str, file: str, option: str
) -> None:
    """A grammar that is made of several files, and a suite that is a folder of them."""
    Path("main.pg").write_text(
        'include: "part.pg"\nlexicon_file: "words.tsv"\nroots: S\nS:\n    oblig V\n', encoding="utf-8"
    )
    Path("part.pg").write_text("leaves: V\n", encoding="utf-8")
    Path("words.tsv").write_text("sleeps\tV\n", encoding="utf-8")
    Path("folder").mkdir()
    Path("folder/sentences.csv").write_text("sentence,rating\nsleeps,1\nsleeps sleeps,0\n", encoding="utf-8")
    before = Path(file).read_bytes()
    message = f"numbat: {file} is an input, and {option} would overwrite it\n  give {option} another file\n"
    for _ in range(2):  # the second time the grammar may come from the cache
        assert numbat(*verb.split()) == Done("", message, 2)
    assert Path(file).read_bytes() == before


@pytest.mark.parametrize(
    "verb",
    [
        "check", "parse cat -g", "parse -g g.pg -i", "judge -g g.pg -i", "test -g g.pg", "tag run", "tag run penn",
        "parse cat -g g.pg --expansions", "parse cat -g g.pg --tagger", "parse -g g.pg --from ptb -i t.mrg --tag-map",
        "trees",
    ],
)  # fmt: skip
def test_a_sentence_in_the_place_of_a_file(numbat: Numbat, verb: str) -> None:
    sentence = "the cat and the cat sleep " * 15
    message = (
        "numbat: the cat and the cat sleep the cat and th...: cannot be read: the name is too long for a file\n"
        "  name a file here; give a sentence in quotes, without an option before it\n"
    )
    assert numbat(*verb.split(), sentence) == Done("", message, 66)


@pytest.mark.parametrize("verb", ["convert g.pg -o", "report s.tsv --csv", "tag train s.tsv -o", "show g.pg --html"])
def test_a_name_that_is_too_long_to_write(numbat: Numbat, verb: str) -> None:
    name = "n" * 300 + ".pg"
    message = f"numbat: {name}: cannot be written: File name too long\n  give a shorter name\n"
    assert numbat(*verb.split(), name) == Done("", message, 73)


def test_two_outputs_of_which_one_is_a_folder(numbat: Numbat) -> None:
    Path("s.tsv").write_text("sentence\tjudgement\nthe cat sleeps\tok\n", encoding="utf-8")
    done = numbat("report", "-g", "g.pg", "s.tsv", "--html", "summary.csv", "--csv", ".")
    message = "numbat: --html and --csv name the same file: summary.csv\n  give each a different file\n"
    assert done == Done("", message, 2)


def test_a_choice_is_no_file_that_is_read(numbat: Numbat) -> None:
    for _ in range(2):
        assert numbat("convert", "g.pg", "-f", "yaml", "-o", "yaml").code == 0
    assert Path("yaml").read_text(encoding="utf-8") == numbat("convert", "g.pg", "-f", "yaml").out


class Interrupting:
    """A finder of modules that acts like Ctrl-C while the command line is loaded."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "numbat.cli.main":
            raise KeyboardInterrupt


def test_an_interrupt_while_modules_are_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "numbat.cli.main")
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "numbat: interrupted\n")


def test_an_interrupt_at_work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("numbat.parses.job.ParseJob.__call__", interrupted)
    monkeypatch.setattr(sys, "argv", ["numbat", "parse", "-g", "g.pg", "the cat sleeps"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err.strip()) == (130, "numbat: interrupted")


def test_help_tells_the_exit_codes(numbat: Numbat) -> None:
    done = numbat("--help")
    assert done.code == 0
    assert all(code in done.out for code in ("  65  bad data", "  66  a file is missing", "  2   wrong usage"))
    assert numbat("--version").out.startswith("numbat")


def test_colour_only_on_a_terminal_and_never_with_no_color(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = ["parse", "-g", "g.pg", "sleeps the cat"]
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[" not in numbat(*sentence).out
    monkeypatch.setattr("numbat.cli.printing.is_terminal", lambda stream: True)
    assert "\x1b[" in numbat(*sentence).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in numbat(*sentence).out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[" not in numbat(*sentence).out


def test_a_closed_pipe_ends_silently() -> None:
    Path("many.txt").write_text("the cat sleeps\n" * 3000, encoding="utf-8")
    command = f"{sys.executable} -m numbat parse -g g.pg -i many.txt | head -1"
    root = str(Path(__file__).parents[1])
    done = subprocess.run(command, shell=True, capture_output=True, env=os.environ | {"PYTHONPATH": root}, check=False)
    assert (done.stdout.decode(), done.stderr.decode()) == ("S\n", "")


def test_sentences_that_no_encoding_has(tmp_path: Path) -> None:
    done = run(["parse", "-g", "g.pg", "-f", "bracket", os.fsdecode(b"caf\xe9 cat")], PYTHONUTF8="1")
    assert (done.returncode, done.stdout) == (65, b"")
    assert done.stderr.decode() == (
        "numbat: 1: this sentence is not UTF-8 (byte E9)\n"
        "  set the terminal to UTF-8, or put the sentence into a file in that encoding\n"
    )


def random_text(rng: Random) -> bytes:
    """Bytes that look like a grammar more or less."""
    kind = rng.randrange(3)
    if kind == 0:
        return rng.randbytes(rng.randrange(200))
    if kind == 1:
        pieces = [
            "NP",
            "Det",
            "N",
            "<",
            "=>",
            "~>",
            "x",
            "{",
            "}",
            "[",
            "]",
            "(",
            ")",
            ",",
            ":",
            ";",
            "|",
            "&",
            "!",
            '"',
        ]
        pieces += [
            "\n",
            "\n    ",
            " ",
            "\t",
            "oblig",
            "uniq",
            "head",
            "features",
            "number",
            "=",
            "sg",
            "relation",
            "for",
        ]
        pieces += [
            "each",
            "lexicon",
            "weight",
            "-1",
            "1e99",
            "all",
            "count",
            "not",
            "leaves:",
            "#",
            "\\",
            "?",
            "- ",
            "*",
        ]
        return "".join(rng.choice(pieces) + rng.choice(["", " "]) for _ in range(rng.randrange(80))).encode()
    text = bytearray(GRAMMAR.encode())
    for _ in range(rng.randrange(1, 8)):
        position = rng.randrange(len(text))
        match rng.randrange(3):
            case 0:
                del text[position : position + rng.randrange(1, 6)]
            case 1:
                text[position:position] = rng.choice(
                    [b"\n", b"{", b'"', b" ", b"\xff", b"\xc3\xa9", b"[", b":", b"\x00"]
                )
            case _:
                text[position] = rng.randrange(256)
    return bytes(text)


def test_random_files_give_grammars_or_messages() -> None:
    rng = Random(20)
    for number in range(600):
        path = Path(f"fuzz{rng.choice(['.pg', '.yaml'])}")
        content = random_text(rng)
        path.write_bytes(content)
        loaded = read_grammar(path)
        assert isinstance(loaded.grammar, Grammar), number
        assert all(str(problem).startswith(str(path)) for problem in loaded.errors)


def test_random_sentences_give_parses_or_messages() -> None:
    parser, rng = Parser(parse_grammar(GRAMMAR)), Random(21)
    for _ in range(300):
        text = random_text(rng)[:60].decode("utf-8", "replace")
        assert parser.parse(text).lattice.text == text
        with suppress(DataError):
            parser.parse(read_tagged(text, parser.words))


def test_random_files_on_the_command_line(numbat: Numbat) -> None:
    rng = Random(22)
    for _ in range(60):
        for name in ("g.pg", "in.txt", "t.mrg"):
            Path(name).write_bytes(random_text(rng))
        for arguments in (["-i", "in.txt"], ["--tagged", "-i", "in.txt"], ["--from", "ptb", "-i", "t.mrg"]):
            done = numbat("parse", "-g", "g.pg", *arguments)
            assert done.code in (0, 65, 75)
            assert bool(done.err) == (done.code > 0)
        assert numbat("check", "g.pg").code in (0, 65)


def test_numbers_of_options_are_finite() -> None:
    tried = 0
    for command in every_command(cli):
        for param in command.params:
            if isinstance(param.type, click.FloatRange) and param.name != "max_seconds":
                for number in ("nan", "inf"):
                    with pytest.raises(click.BadParameter):
                        param.type(number, param, None)
                tried += 1
    assert tried >= 6


def every_command(command: click.Command) -> Iterator[click.Command]:
    yield command
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        yield from every_command(each)


# Messages about many inputs


def test_inputs_that_are_wrong_in_the_same_way_are_counted(
    numbat: Numbat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    good, bad, empty = "(S (N a))\n", "(S (N b)\n", "()\n"
    Path("t.mrg").write_text("\n".join([good, *[bad, good] * 12, empty]), encoding="utf-8")
    done = numbat("trees", "t.mrg")
    assert done.err.count("a tree that is not closed") == 3
    told = [line for line in done.err.splitlines() if line.startswith(("t.mrg:", "numbat: "))]
    assert told[:3] == [f"t.mrg:{line}:1: sentence {line // 2 + 1}: a tree that is not closed" for line in (3, 7, 11)]
    assert told[-1] == "numbat: 9 others like t.mrg:3:1: t.mrg:15:1, t.mrg:19:1, t.mrg:23:1, t.mrg:27:1, t.mrg:31:1, …"
    assert [line for line in told[3:-1] if "not closed" not in line] == told[3:-1] != []
    assert done.code == 75
