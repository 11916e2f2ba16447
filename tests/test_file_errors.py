"""Mistakes in lexicon files, includes and encodings: the whole message for each; files that are written as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from numbat import GrammarError, MissingFileError, load_grammar
from numbat.files import write_whole
from numbat.grammar.loading import packaged, read_grammar


def messages(folder: Path, files: dict[str, str | bytes], name: str = "main.pg") -> str:
    """The whole message for a bad grammar of several files, without the folder that they lie in."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(GrammarError) as caught:
        load_grammar(folder / name)
    return str(caught.value).replace(f"{folder}/", "").replace(str(folder), ".")


LEXICON = 'leaves: Det, N\nfeatures: number: sg, pl\nlexicon_file: "words.tsv"\n'


def test_every_mistake_of_a_lexicon_file_is_reported(tmp_path: Path) -> None:
    words = (
        "# form\tcategory\n\nthe\tDet\nthe cat\n\tN\ncat\t\ncat\tN\tnumber=sg|sgg\ndog\tNn\tnumber=sg person=3\n"
        "a\tDet\t=sg\nb\tDet\t\t-1\nc\tDet\t\tmany\nd\tDet\tsg\t1\tx\ty\nthe\tDet\ne\tN\tsing\t2\nf\tNn\r\n"
    )
    assert (
        messages(tmp_path, {"main.pg": LEXICON, "words.tsv": words})
        == """\
words.tsv:4:1: this is not an entry
    the cat
    ^^^^^^^
  expected: 2 to 5 columns
  found: 1 column
  a line is: form TAB category TAB features (number=sg person=3) TAB weight TAB lemma; the last three may be left out; \
spaces do not separate columns
words.tsv:5:1: this column must not be empty
    \tN
    ^
  a line is: form TAB category TAB features (number=sg person=3) TAB weight TAB lemma; the last three may be left out
words.tsv:6:5: this column must not be empty
    cat
       \t^
  a line is: form TAB category TAB features (number=sg person=3) TAB weight TAB lemma; the last three may be left out
words.tsv:7:17: "sgg" is not a value of number
    cat\tN\tnumber=sg|sgg
       \t \t          ^^^
  did you mean "sg"?
words.tsv:8:5: "Nn" is not a construction or a leaf (2 readings have it)
    dog\tNn\tnumber=sg person=3
       \t^^
  did you mean "N"? else declare it with 'leaves: Nn' or give it a form with 'Nn:'
words.tsv:8:18: "person" is not a feature
    dog\tNn\tnumber=sg person=3
       \t  \t          ^^^^^^
  declare it under "features:", as in "person: value, value"
words.tsv:9:7: "=sg" is not a feature with its value
    a\tDet\t=sg
     \t   \t^^^
  a line is: form TAB category TAB features (number=sg person=3) TAB weight TAB lemma; the last three may be left out
words.tsv:10:8: "-1" is not a number between 0 and 1000000000
    b\tDet\t\t-1
     \t   \t\t^^
words.tsv:11:8: "many" is not a number between 0 and 1000000000
    c\tDet\t\tmany
     \t   \t\t^^^^
words.tsv:12:1: this is not an entry
    d\tDet\tsg\t1\tx\ty
    ^^^^^^^^^^^^^^
  expected: 2 to 5 columns
  found: 6 columns
  a line is: form TAB category TAB features (number=sg person=3) TAB weight TAB lemma; the last three may be left out
words.tsv:13:1: this reading of "the" appears twice, first in line 3
    the\tDet
    ^^^
  remove one of the two
words.tsv:14:5: "sing" is not a value of any feature
    e\tN\tsing\t2
     \t \t^^^^
  did you mean "sg"? else declare it under "features:", as in "number: sg, pl\""""
    )


def test_lexicon_lines_without_their_tabs(tmp_path: Path) -> None:
    words = "cat\tN number=sg\ndog N\tnumber=sg\nfly\tN; V\nrun\tN[number=sg]\nsaw\tN\tnumber:sg\nthe\tDet\t\t2,5\n"
    assert (
        messages(tmp_path, {"main.pg": LEXICON.replace("N\n", "N, V\n"), "words.tsv": words})
        == """\
words.tsv:1:5: "N number=sg" is not a construction or a leaf
    cat\tN number=sg
       \t^^^^^^^^^^^
  spaces do not separate columns: write a TAB before "number=sg"
words.tsv:2:7: "number=sg" is not a construction or a leaf
    dog N\tnumber=sg
         \t^^^^^^^^^
  this is the category column: a TAB is missing before it
words.tsv:3:5: "N; V" is not a construction or a leaf
    fly\tN; V
       \t^^^^
  a line has one category: write one line for each
words.tsv:4:5: "N[number=sg]" is not a construction or a leaf
    run\tN[number=sg]
       \t^^^^^^^^^^^^
  put features in the next column, without brackets: N TAB number=sg
words.tsv:5:7: "number:sg" is not a value of any feature
    saw\tN\tnumber:sg
       \t \t^^^^^^^^^
  write number=sg
words.tsv:6:10: "2,5" is not a number between 0 and 1000000000
    the\tDet\t\t2,5
       \t   \t\t^^^
  write decimals with a point: 2.5"""
    )


def test_a_file_that_is_no_grammar_is_told_by_its_first_mistakes(tmp_path: Path) -> None:
    prose = "This is a letter, and no grammar.\n" * 30
    assert (
        messages(tmp_path, {"main.pg": f"{prose}NP: uniq M\n"})
        == """\
main.pg: this is not a grammar: 30 of its 31 lines cannot be read
  a grammar has lines such as "leaves: Det, N", "NP:" and, indented below it, "Det < N"; the first mistakes:
"""
        + "\n".join(
            f"""\
main.pg:{line}:6: "is" does not fit here
    This is a letter, and no grammar.
         ^^
  expected: a text in double quotes "...", ":" or "like"
  found: "is"
  an unindented line is a setting ("language: en"), a section ("lexicon:") or a construction ("NP:")"""
            for line in (1, 2, 3)
        )
    )
    found = messages(tmp_path, {"main.pg": LEXICON, "words.tsv": "".join(f"w{i} N\n" for i in range(40))})
    assert [line for line in found.splitlines() if not line.startswith("  ")] == [
        "words.tsv: this is not a lexicon: 40 of its 40 lines cannot be read",
        *(f"words.tsv:{line}:1: this is not an entry" for line in (1, 2, 3)),
    ]


def test_a_lexicon_from_a_spreadsheet(tmp_path: Path) -> None:
    found = messages(tmp_path, {"main.pg": LEXICON, "words.tsv": "cat;N;number=sg\ndog,N\n"})
    shape = (
        "a line is: form TAB category TAB features (number=sg person=3) TAB weight TAB lemma; "
        "the last three may be left out"
    )
    assert [line for line in found.splitlines() if "a line is" in line] == [
        f"  {shape}; semicolons do not separate columns",
        f"  {shape}; commas do not separate columns",
    ]
    headed = messages(tmp_path, {"main.pg": LEXICON, "words.tsv": "word\tPOS\ncat\tN\n"})
    assert headed.splitlines()[-1] == (
        "  declare it with 'leaves: POS' or give it a form with 'POS:'; if this is a header line, begin it with #"
    )


def test_every_mistake_of_a_grammar_is_told_however_many(tmp_path: Path) -> None:
    right = "".join(f"    uniq N{i}\n" for i in range(40))
    wrong = "".join(f"    uniq C{i}\n" for i in range(30)) + "    uniq N1 N2\n" * 30
    leaves = ", ".join(f"N{i}" for i in range(40))
    found = messages(tmp_path, {"main.pg": f"leaves: {leaves}\nNP:\n{right}{wrong}"})
    assert len([line for line in found.splitlines() if line.startswith("main.pg:")]) == 60


def test_a_mistake_all_over_a_lexicon_is_told_once(tmp_path: Path) -> None:
    words = "the\tDet\n" + "".join(f"w{i}\tN\tnumbr=sg\n" for i in range(3000))
    assert (
        messages(tmp_path, {"main.pg": LEXICON, "words.tsv": words})
        == """\
words.tsv:2:6: "numbr" is not a feature (3,000 times in this file)
    w0\tN\tnumbr=sg
      \t \t^^^^^
  did you mean "number"? else declare it under "features:", as in "numbr: value, value\""""
    )


def test_signs_that_end_lines_elsewhere_do_not_end_lines_here(tmp_path: Path) -> None:
    assert (
        messages(tmp_path, {"main.pg": LEXICON, "words.tsv": "a\u2028b\tDet\nc\x0cd\tDet\ne\tX\n"})
        == """\
words.tsv:3:3: "X" is not a construction or a leaf
    e\tX
     \t^
  declare it with 'leaves: X' or give it a form with 'X:'"""
    )


def test_files_that_are_missing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert (
        messages(
            tmp_path,
            {
                "main.pg": 'include: "none.pg", "sub/part.pg"\nlexicon_file: "none.tsv", "folder"\nNP: Dte <\n',
                "sub/part.pg": 'include: "none.pg", "../lexica/none.pg", "/none/none.pg"\n',
            },
        )
        == """\
main.pg:1:10: "none.pg" cannot be read: No such file or directory
    include: "none.pg", "sub/part.pg"
             ^^^^^^^^^
  a path is relative to the folder of the file that names it, here .
main.pg:2:15: "none.tsv" cannot be read: No such file or directory
    lexicon_file: "none.tsv", "folder"
                  ^^^^^^^^^^
  a path is relative to the folder of the file that names it, here .
main.pg:2:27: "folder" cannot be read: Is a directory
    lexicon_file: "none.tsv", "folder"
                              ^^^^^^^^
  a path is relative to the folder of the file that names it, here .
main.pg:3:10: the line ends too early
    NP: Dte <
             ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"
sub/part.pg:1:10: "none.pg" cannot be read: No such file or directory
    include: "none.pg", "../lexica/none.pg", "/none/none.pg"
             ^^^^^^^^^
  a path is relative to the folder of the file that names it, here sub
sub/part.pg:1:21: "../lexica/none.pg" cannot be read: No such file or directory
    include: "none.pg", "../lexica/none.pg", "/none/none.pg"
                        ^^^^^^^^^^^^^^^^^^^
  a path is relative to the folder of the file that names it, here sub
sub/part.pg:1:42: "/none/none.pg" cannot be read: No such file or directory
    include: "none.pg", "../lexica/none.pg", "/none/none.pg"
                                             ^^^^^^^^^^^^^^^
  a path is relative to the folder of the file that names it, here sub"""
    )


def test_names_are_not_judged_while_an_included_file_is_missing(tmp_path: Path) -> None:
    found = messages(tmp_path, {"main.pg": 'include: "leaves.pg"\nNP: Det < N\n'})
    assert [line for line in found.splitlines() if line.startswith("main.pg")] == [
        'main.pg:1:10: "leaves.pg" cannot be read: No such file or directory'
    ]


def test_files_that_include_each_other(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "main.pg": 'leaves: N\ninclude: "sub/a.pg"\nNP: uniq N\n',
        "sub/a.pg": 'include: "../sub/b.yaml"\n',
        "sub/b.yaml": "include: [../main.pg, ./b.yaml]\n",
    }
    assert (
        messages(tmp_path, files)
        == """\
sub/../sub/b.yaml:1:11: files include each other in a circle: main.pg -> a.pg -> b.yaml -> main.pg
    include: [../main.pg, ./b.yaml]
              ^^^^^^^^^^
  remove one of the includes
sub/../sub/b.yaml:1:23: files include each other in a circle: b.yaml -> b.yaml
    include: [../main.pg, ./b.yaml]
                          ^^^^^^^^
  remove one of the includes"""
    )


def test_a_file_that_is_included_twice(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"main.pg": 'include: "a.pg"\ninclude: "./a.pg"\n', "a.pg": "leaves: N\n"}
    assert (
        messages(tmp_path, files)
        == """\
main.pg:2:10: "a.pg" is included a second time
    include: "./a.pg"
             ^^^^^^^^
  include it once"""
    )


def test_mistakes_of_included_files_come_after_those_of_the_file_itself(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "main.pg": 'include: "a.pg"\nNP: uniq M\n',
        "a.pg": "leaves: N\nVP: uniq M\nVP: uniq N N\n",
    }
    assert (
        messages(tmp_path, files)
        == """\
main.pg:2:10: "M" is not a construction or a leaf
    NP: uniq M
             ^
  declare it with 'leaves: M' or give it a form with 'M:'
a.pg:2:10: "M" is not a construction or a leaf
    VP: uniq M
             ^
  declare it with 'leaves: M' or give it a form with 'M:'
a.pg:3:1: construction "VP" is defined twice, first in line 2
    VP: uniq N N
    ^^
  put all its properties in one place
a.pg:3:12: "N" does not fit here
    VP: uniq N N
               ^
  expected: the end of the line, ";", "cost", "hard", "if" or "weight"
  found: "N"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\""""
    )


@pytest.mark.parametrize("name", ["main.pg", "main.yaml"])
def test_a_grammar_that_is_not_utf8(tmp_path: Path, name: str) -> None:
    assert (
        messages(tmp_path, {name: "# un été\nleaves: [".encode() + b"\xe9t\xe9]\n"}, name)
        == f"""\
{name}:2:10: this is not UTF-8
    leaves: [\N{REPLACEMENT CHARACTER}t\N{REPLACEMENT CHARACTER}]
             ^
  found: the byte E9
  save the file in the encoding UTF-8"""
    )


def test_a_lexicon_file_that_is_not_utf8(tmp_path: Path) -> None:
    assert (
        messages(tmp_path, {"main.pg": LEXICON, "words.tsv": b"the\tDet\n\xff\tN\n"})
        == """\
words.tsv:2:1: this is not UTF-8
    \N{REPLACEMENT CHARACTER}\tN
    ^
  found: the byte FF
  save the file in the encoding UTF-8"""
    )


def test_a_path_that_no_system_has(tmp_path: Path) -> None:
    assert (
        messages(tmp_path, {"main.yaml": 'include: "a\\0b"\n'}, "main.yaml").splitlines()[0]
        == 'main.yaml:1:11: "a\0b" cannot be read: embedded null byte'
    )


def test_a_grammar_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError) as caught:
        load_grammar("englsh")
    assert str(caught.value) == 'englsh: no such grammar file\n  did you mean "english"?'
    (tmp_path / "mine.yaml").touch()
    for name in ("mine", "mien.yaml"):
        with pytest.raises(MissingFileError) as caught:
            load_grammar(tmp_path / name)
        meant = tmp_path / "mine.yaml"
        assert str(caught.value) == f'{tmp_path / name}: no such grammar file\n  did you mean "{meant}"?'
    (tmp_path / "mine.yaml").unlink()
    with pytest.raises(MissingFileError) as caught:
        load_grammar(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: this folder has neither {tmp_path.name}.pg nor grammar.pg\n  name the grammar file in it"
    )
    with pytest.raises(MissingFileError) as caught:
        load_grammar(tmp_path / "none.pg")
    assert str(caught.value) == (
        f"{tmp_path / 'none.pg'}: no such grammar file\n  the packaged grammars are: {', '.join(packaged())}"
    )
    with pytest.raises(MissingFileError) as caught:
        read_grammar(tmp_path / "none.pg")
    assert str(caught.value) == f"{tmp_path}/none.pg: cannot be read: No such file or directory"


# Files that are written

WRITE = """
import signal, resource, sys
from numbat.files import write_whole
if sys.argv[1] == "small":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    write_whole(sys.argv[2], b"new" * 1000)
except OSError as error:
    sys.stderr.write(error.strerror)
"""
POSIX = pytest.mark.skipif(os.name != "posix", reason="this system has other files")


@POSIX
def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", WRITE, "small", path], capture_output=True, check=True)
    assert done.stderr == b"File too large"
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("f", b"old")]


@POSIX
def test_devices_are_written_to(tmp_path: Path) -> None:
    def run(path: str, output: int) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", WRITE, "all", path]
        return subprocess.run(command, stdout=output, stderr=subprocess.PIPE, check=True)

    assert run("/dev/stdout", subprocess.PIPE).stdout == b"new" * 1000
    path = tmp_path / "f"
    with path.open("wb") as file:
        assert run("/dev/stdout", file.fileno()).stderr == b""
        assert os.path.samestat(os.fstat(file.fileno()), path.stat())
    assert path.read_bytes() == b"new" * 1000
    if Path("/dev/full").exists():
        assert run("/dev/full", subprocess.PIPE).stderr == b"No space left on device"
        assert Path("/dev/full").is_char_device()


@POSIX
def test_who_may_read_a_file_stays(tmp_path: Path) -> None:
    path, other = tmp_path / "f", tmp_path / "g"
    other.touch()
    write_whole(path, b"old")
    assert path.stat().st_mode == other.stat().st_mode
    path.chmod(0o640)
    write_whole(path, b"new")
    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (0o640, b"new")


@POSIX
def test_a_name_as_long_as_may_be(tmp_path: Path) -> None:
    for content in (b"old", b"new"):
        write_whole(tmp_path / ("f" * 255), content)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"new"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="all folders can be written")
def test_a_file_in_a_folder_that_takes_no_new_one(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    tmp_path.chmod(0o500)
    try:
        write_whole(path, b"new")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_bytes() == b"new"
