"""`numbat trees`, `induce` and `judge --summary` as a user meets them; `numbat score` is in test_score."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from numbat.cli.main import cli
from numbat.cli.treebanks import induce
from numbat.grammar.loading import load_grammar
from numbat.grammar.model import Grammar
from numbat.treebanks.heads import TABLES
from numbat.treebanks.notes import LIFTED
from numbat.words import tag_maps
from tests.command_line import json_lines

CORPORA = Path(__file__).parents[1] / "corpora"
MRG, CONLLU = str(CORPORA / "trees.mrg"), str(CORPORA / "trees.conllu")
GRAMMAR = """\
grammar: small
leaves: Det, N, V
roots: S
S:
    oblig V
    uniq {NP, V}
    NP < V
NP:
    oblig N
    uniq {Det, N}
    Det < N
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=text)


def test_trees_are_written_in_other_formats() -> None:
    assert run("trees", MRG).stdout == Path(MRG).read_text(encoding="utf-8")
    assert run("trees", CONLLU, "-f", "conllu").stdout == Path(CONLLU).read_text(encoding="utf-8")
    misc = run("trees", MRG, "-f", "conllu").stdout
    assert misc.startswith("# sent_id = trees.mrg:1\n1\tThe\t_\t_\tDT\t_\t_\t_\t_\tTree=(TOP(S(NP*\n")
    assert run("trees", "-", text=misc).stdout == Path(MRG).read_text(encoding="utf-8")
    lines = json_lines(run("trees", CONLLU, "-f", "jsonl").stdout)
    assert [each["id"] for each in lines] == ["cats-1", "cats-2", "cats-3"]
    assert run("trees", MRG, "--bare").stdout.splitlines()[8] == (
        "(S (NP (PRP He)) (VP (VBZ wants) (S (VP (TO to) (VP (VB sleep))))))"
    )


def test_a_file_without_a_tree_is_told() -> None:
    for command in (("trees", "-"), ("judge", "--summary", "-g", "g.pg", "-", "-f", "jsonl")):
        done = run(*command, text="\n")
        assert (done.stderr, done.exit_code) == ("numbat: no tree was given\n", 0)
        assert (json_lines(done.stdout) if "jsonl" in command else done.stdout.splitlines()) == []


def test_the_heads_to_choose_from_are_those_that_are_known() -> None:
    (heads,) = (param.type for param in induce.params if param.name == "heads")
    assert isinstance(heads, click.Choice)
    assert [*heads.choices] == ["auto", *TABLES, "cover"]


def test_one_bad_tree_gives_all_others_and_exit_75() -> None:
    Path("bad.mrg").write_text("(S (N a))\n(S (N\n(S (N b))\n", encoding="utf-8")
    done = run("trees", "bad.mrg", "-o", "good.mrg")
    assert done.exit_code == 75
    assert done.stderr.startswith("bad.mrg:2:1: sentence 2: a tree that is not closed\n")
    assert Path("good.mrg").read_text(encoding="utf-8") == "(S (N a))\n(S (N b))\n"
    assert run("induce", "bad.mrg").exit_code == 75
    assert run("judge", "--summary", "-g", "g.pg", "bad.mrg").exit_code == 75
    assert run("expansions", "bad.mrg").exit_code == 75
    Path("bad.mrg").write_text("(S (N\n", encoding="utf-8")
    Path("one.mrg").write_text("(S (N a))\n", encoding="utf-8")
    for verb in (["trees"], ["judge", "--summary", "-g", "g.pg"]):
        assert run(*verb, "bad.mrg").exit_code == 65
    assert str(run("score", "one.mrg", "bad.mrg").exception).startswith("nothing to score: none of 1 sentence could be")


def test_a_line_that_is_not_utf8_gives_all_others_and_exit_75() -> None:
    Path("bad.mrg").write_bytes(b"(S (V a))\n(S (V \xff))\n(S (V b))\n")
    problem = "bad.mrg:2:7: this line is not UTF-8 (byte 7 is FF)\n"
    parse = ("parse", "-g", "g.pg", "--from", "auto", "-i", "bad.mrg", "-f", "bracket")
    for command in (("trees", "bad.mrg"), parse, ("judge", "-g", "g.pg", "-i", "bad.mrg")):
        done = run(*command)
        assert (done.exit_code, done.stderr.startswith(problem)) == (75, True), done.stderr
        assert "(S (V a))" in done.stdout or "└─ V  a" in done.stdout


def test_a_tree_that_is_too_deep_for_json() -> None:
    Path("d.mrg").write_text("(A " * 3000 + "(N a)" + ")" * 3000 + "\n(S (N b))\n", encoding="utf-8")
    done = run("trees", "d.mrg", "-f", "jsonl")
    assert (len(json_lines(done.stdout)), done.exit_code) == (1, 75)
    assert done.stderr == "numbat: d.mrg:1: this tree is too deep for JSON\n  -f ptb writes any depth\n"
    assert run("trees", "d.mrg").exit_code == 0


def test_a_deep_tree_goes_through_a_tag_map() -> None:
    Path("s.mrg").write_text("(S (NP " * 600 + "(N a)" + "))" * 600 + "\n", encoding="utf-8")
    Path("t.map").write_text("N\tV\n", encoding="utf-8")
    done = run("judge", "--summary", "-g", "g.pg", "s.mrg", "--tag-map", "t.map", "-n", "0")
    assert (done.stdout, done.stderr) == (
        "1 tree, 0 of them without violation: 600 instances satisfied, 1200 violated (66.67%)\n", ""
    )  # fmt: skip


def test_dependencies_that_cross_are_lifted_and_told_in_one_line() -> None:
    row = "{}\tw\t_\tX\t_\t_\t{}\t_\t_\t_\n"
    crossing = "".join(row.format(i, head) for i, head in ((1, 3), (2, 0), (3, 2), (4, 1)))
    Path("x.conllu").write_text(f"# sent_id = x\n{crossing}\n{row.format(1, 0)}\n", encoding="utf-8")
    done = run("trees", "x.conllu")
    assert (done.exit_code, done.stdout) == (0, "(X-P (X-P (X w)) (X w) (X-P (X w)) (X-P (X w)))\n(X-P (X w))\n")
    assert done.stderr == f"numbat: 1 sentence has crossing dependencies: x\n  {LIFTED.hint}\n"
    assert run("trees", "-f", "conllu", "x.conllu").stderr == ""


def test_a_grammar_is_induced_with_its_lexicon_and_rules() -> None:
    done = run(
        "induce", MRG, "-o", "t.pg", "--lexicon", "t.tsv", "--rules", "t.rules", "--support", "1", "--min-count", "1"
    )
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == (
        "t.pg: 6 constructions, 28 constituency, 6 obligation, 27 uniqueness, 20 linearity, 5 adjacency, "
        "8 requirement, 10 exclusion\n"
        "numbat: not counted: 6 marks and empty elements\n"
        'numbat: to see how much "well-formed" means: numbat check t.pg --suite SENTENCES\n'
    )
    grammar = load_grammar("t.pg")
    assert grammar.name == "t"
    assert {entry.form for entry in grammar.lexicon} >= {"cat", "Mary", "the"}
    assert "NP\t8\tDT NN\n" in Path("t.rules").read_text(encoding="utf-8")
    checked = run("check", "t.pg")
    assert checked.exit_code == 0
    assert checked.stdout == "t.pg: 6 constructions, 76 properties, 14 leaves, 50 lexicon forms; 0 errors, 0 warnings\n"
    parsed = run("parse", "-g", "t.pg", "-f", "bracket", "the old cat sings")
    assert parsed.stdout == "(S (NP (DT the) (JJ old) (NN cat)) (VP (VBZ sings)))\n"


def test_a_treebank_may_have_several_files() -> None:
    Path("a.mrg").write_text("(S (N a))\n", encoding="utf-8")
    Path("b.mrg").write_text("(S (N b))\n", encoding="utf-8")
    text = run("induce", "a.mrg", "b.mrg", "--support", "1", "--min-count", "1").stdout
    assert text.startswith("# Induced by numbat from a.mrg and 1 more: 2 sentences; 1 construction, ")
    assert "\ngrammar: a\n" in text
    assert "# 2:0 w0 1.0000" in text


def test_a_grammar_of_one_tree_counts_one() -> None:
    Path("a.mrg").write_text("(S (D a) (N b))\n", encoding="utf-8")
    text = run("induce", "a.mrg").stdout
    assert text.startswith("# Induced by numbat from a.mrg: 1 sentence; 1 construction, 2 constituency, ")
    assert f"\n{'S:':<60}  # 1 occurrence\n    # 100 % of all phrases; the root 100 %\n    #   1  D N " in text


def test_options_of_induce() -> None:
    text = run("induce", MRG, "--functions", "--punctuation", "--name", "tiny", "--note", "Licence:\nMIT").stdout
    assert "# Licence:\n# MIT\n\ngrammar: tiny\n" in text
    assert '"."' in text
    assert "NP-SBJ:" in text
    text = run("induce", CONLLU, "--tags", "xpos", "--support", "1", "--min-count", "1", "--weigh-by", "none").stdout
    assert "NN-P:" in text
    assert " weight " not in text
    assert " x " not in run("induce", MRG, "--support", "1", "--min-count", "1", "--expected", "100").stdout
    assert " hard " in run("induce", MRG, "--hard-support", "5").stdout


def test_nothing_to_learn_from() -> None:
    Path("empty.mrg").write_text("\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["induce", "empty.mrg"])
    assert str(done.exception) == (
        "empty.mrg: no tree to learn from\n  give a file of trees, with --from if its format is not recognised"
    )


TREES = """\
(TOP (S (NP (Det the) (N cat)) (V sleeps)))
(TOP (S (V sleeps) (NP (N cat) (Det the))))
(TOP (S (NP (Det the) (Det the) (N cat)) (V sleeps)))
(TOP (S (NP (Q all) (N cats)) (V sleep)))
"""


def test_trees_are_judged_the_worst_first() -> None:
    Path("t.mrg").write_text(TREES, encoding="utf-8")
    done = run("judge", "--summary", "-g", "g.pg", "t.mrg")
    assert done.exit_code == 0
    assert (
        done.stdout
        == """\
t.mrg:2: cost 2; 6 satisfied, 2 violated
    (S (V sleeps) (NP (N cat) (Det the)))
    ✗ "cat the" should stand before "sleeps"  [S: NP < V, g.pg:7]
    ✗ "the" should stand before "cat"  [NP: Det < N, g.pg:11]

t.mrg:3: cost 2; 8 satisfied, 2 violated
    (S (NP (Det the) (Det the) (N cat)) (V sleeps))
    ✗ only one Det can stand here: "the" and "the"  [NP: uniq Det, g.pg:10], \
and 1 more

t.mrg:4: cost 0; 6 satisfied, 0 violated
    (S (NP (Q all) (N cats)) (V sleep))
    the grammar does not allow: NP: Q
    not categories of the grammar: Q

4 trees, 1 of them without violation: 28 instances satisfied, 4 violated (12.50%)
"""
    )
    assert run("judge", "--summary", "-g", "g.pg", "t.mrg", "-n", "0").stdout.count("\n") == 1
    found = json_lines(run("judge", "--summary", "-g", "g.pg", "t.mrg", "-f", "jsonl").stdout)
    assert [each["id"] for each in found] == ["t.mrg:2", "t.mrg:3", "t.mrg:4", "t.mrg:1"]
    assert found[2]["unknown"] == ["Q"]
    assert found[0]["cost"] == 2.0
    listed = json.loads(run("judge", "--summary", "-g", "g.pg", "t.mrg", "-f", "json").stdout)
    assert [each.pop("run")["verb"] for each in listed] == ["judge"] * 4
    assert listed == found


def test_labels_go_through_a_tag_map() -> None:
    Path("t.map").write_text("DT\tDet\nNN\tN\nVBZ\tV\n.\t-\nNX\tNP\nVP\t-\n", encoding="utf-8")
    Path("t.mrg").write_text("(S (NX (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))\n(S (FW x))\n", encoding="utf-8")
    done = run("judge", "--summary", "-g", "g.pg", "t.mrg", "--tag-map", "t.map", "-f", "jsonl")
    assert done.exit_code == 75
    assert done.stderr.startswith('t.mrg:2:1: t.map does not map the tag "FW"\n')
    (found,) = json_lines(done.stdout)
    assert found["tree"] == "(S (NP (Det the) (N cat)) (V sleeps))"
    assert (found["violated"], found["unknown"], found["uncovered"]) == (0, [], [])


def test_tags_of_a_treebank_are_told_and_mapped_by_a_packaged_map() -> None:
    done = run("judge", "--summary", "-g", "english", MRG)
    assert done.stderr == "numbat: the tags are those of the Penn Treebank: --tag-map ptb.map\n"
    assert run("judge", "--summary", "-g", "g.pg", MRG).stderr == ""
    done = run("judge", "--summary", "-g", "english", MRG, "--tag-map", "ptb.map")
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].startswith("12 trees, 3 of them without violation: ")
    Path("ptb.map").write_text("DT\tDet\n", encoding="utf-8")
    assert run("judge", "--summary", "-g", "g.pg", MRG, "--tag-map", "ptb.map").exit_code == 65
    done = CliRunner().invoke(cli, ["judge", "(S (NP (PRP I)) (VP (VBD slept)))"])
    assert str(done.exception) == (
        "<tree>:1: the tags are those of the Penn Treebank, not categories of the grammar\n"
        "  numbat judge FILE --summary judges such trees with --tag-map ptb.map"
    )


def test_trees_of_standard_input_are_named_as_such() -> None:
    Path("m.map").write_text("Det\tDet\n", encoding="utf-8")
    tree = "(S (NP (Det the) (N cat)) (V sleeps))\n(S (V sleeps)"
    error = (
        "<stdin>:2:1: sentence 2: a tree that is not closed\n    (S (V sleeps)\n    ^\n  expected: 1 more )\n"
        "  found: the end of the file\n  the innermost open bracket is (S in line 2, column 1"
    )
    runner = CliRunner()
    done = runner.invoke(cli, ["parse", "-g", "g.pg", "--from", "ptb", "-i", "-", "-f", "jsonl"], input=tree)
    assert (json_lines(done.stdout)[0]["id"], done.stderr.startswith(error + "\n")) == ("<stdin>:1", True)
    for arguments in (["judge", "-g", "g.pg", "-i", "-"], ["trees", "-"]):
        done = runner.invoke(cli, arguments, input=tree)
        assert (done.stderr, done.exit_code) == (error + "\n", 75)
    assert run("judge", "--summary", "-g", "g.pg", "-", "--tag-map", "m.map", text=tree).stderr.startswith(
        "<stdin>:1:1: "
    )
    assert str(run("score", MRG, "x.mrg", "--params", "-", text="X").exception).startswith("<stdin>:1:1: ")
    for verb in ("induce", "expansions"):
        assert str(run(verb, "-", text="").exception).startswith("<stdin>: no tree to ")


def test_a_treebank_of_dependencies_is_parsed_and_scored() -> None:
    """The third tree has dependencies that cross: it is scored by these, without brackets."""
    rows = Path(CONLLU).read_text(encoding="utf-8")
    crossing = "\n".join(
        "\t".join((str(i), form, "_", tag, "_", "_", head, "_", "_", "_"))
        for i, (form, tag, head) in enumerate([("the", "DET", "3"), ("sleeps", "VERB", "0"), ("cat", "NOUN", "2")], 1)
    )
    Path("t.conllu").write_text(f"{rows.partition('# sent_id = cats-3')[0]}# sent_id = odd\n{crossing}\n", "utf-8")
    run("induce", CONLLU, "-o", "d.pg", "--support", "1", "--min-count", "1")
    told = []
    for arguments in (["--from", "auto"], ["--from", "conllu", "--max-length", "4"], ["--from", "conllu", "--gold"]):
        done = run("parse", "-g", "d.pg", "-i", "t.conllu", "-f", "jsonl", *arguments)
        told.append(([value["id"] for value in json_lines(done.stdout)], done.exit_code))
    assert told == [(["cats-1", "cats-2", "odd"], 0), (["cats-1", "odd"], 0), (["cats-1", "cats-2", "odd"], 0)]
    assert done.stderr.startswith(
        f"numbat: 1 sentence has crossing dependencies: odd\n  {LIFTED.hint}\n3 sentences, 3 compared, 0 not\n"
    )


def test_gold_tags_are_compared_as_they_are_mapped() -> None:
    Path("t.map").write_text("DT\tDet\nNN\tN\nVBZ\tV | N?\n.\t-\n", encoding="utf-8")
    Path("t.mrg").write_text("(S (NP (DT the) (NN cat)) (VBZ sleeps) (. .))\n", encoding="utf-8")
    Path("w.pg").write_text(GRAMMAR + "lexicon:\n    the: Det\n    cat: N\n    sleeps: V\n", encoding="utf-8")
    gold = ("parse", "-g", "w.pg", "--from", "ptb", "-i", "t.mrg", "--tag-map", "t.map", "--gold")
    assert "tagging accuracy 100.00" in run(*gold).stderr
    Path("t.mrg").write_text("(S (NP (NN the) (NN cat)) (VBZ sleeps))\n", encoding="utf-8")
    assert "tagging accuracy 66.67" in run(*gold, "--words").stderr


def test_a_treebank_whose_tags_are_not_mapped() -> None:
    """Unmapped tags are listed once in full, and ignored if only the words are used."""
    Path("t.map").write_text("DT\tDet\n", encoding="utf-8")
    Path("w.pg").write_text(GRAMMAR + "lexicon:\n    the: Det\n    cat: N\n    sleeps: V\n", encoding="utf-8")
    rows = "".join(f"{i}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for i, form, tag in (
        (1, "the", "DET"), (2, "cat", "NOUN"), (3, "sleeps", "VERB"), (4, ".", "PUNCT")
    ))  # fmt: skip
    Path("t.conllu").write_text(f"{rows}\n{rows}\n", encoding="utf-8")
    options = ("parse", "-g", "w.pg", "--from", "conllu", "-i", "t.conllu", "--tag-map", "t.map", "-f", "bracket")
    done = run(*options)
    assert (done.exit_code, done.stdout) == (65, "")
    lines = done.stderr.splitlines()
    assert lines[0] == 't.conllu:1:1: t.map does not map the tag "DET"'
    assert lines[-2:] == [
        "  use --words to read the words without their tags",
        "t.conllu:6:1: tags that are not mapped: DET, NOUN, VERB, PUNCT",
    ]
    assert len(lines) == 4 * 3 + 2
    done = run(*options, "--words")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "(S (NP (Det the) (N cat)) (V sleeps))\n" * 2, "")
    whole = json.loads(run(*options[:-2], "--words", "-f", "jsonl").stdout.splitlines()[0])
    assert (whole["sentence"], whole["skipped"]) == ("the cat sleeps .", ["."])


def test_a_tag_map_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("t.map").write_text("DT\tDet\nNN\tN\nVBZ\tV\n", encoding="utf-8")
    Path("t.mrg").write_text("(S (NP (DT the) (NN cat)) (VBZ sleeps))\n", encoding="utf-8")
    read: Callable[[str, Grammar], tag_maps.TagMap] = tag_maps.read_tag_map
    asked: list[str] = []

    def reading(path: str, grammar: Grammar) -> tag_maps.TagMap:
        asked.append(path)
        return read(path, grammar)

    monkeypatch.setattr(tag_maps, "read_tag_map", reading)
    done = run("parse", "-g", "g.pg", "--from", "ptb", "-i", "t.mrg", "--tag-map", "t.map", "--gold")
    assert (done.exit_code, asked) == (0, ["t.map"])


def test_dependency_trees_are_judged_too() -> None:
    run("induce", CONLLU, "-o", "d.pg", "--support", "1", "--min-count", "1", "--punctuation", "--lexicon", "d.tsv")
    done = run("judge", "--summary", "-g", "d.pg", CONLLU)
    assert done.stdout.startswith("3 trees, 3 of them without violation: ")
