"""The verbs on scores and suites as a user meets them: output, messages, exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from numbat.acceptability.models import MODELS
from numbat.cli import watching
from numbat.parsing.policies import Limits
from tests import command_line
from tests.command_line import Done

GRAMMAR = """\
grammar: small
leaves: Det, N, V
roots: S
features: number: sg, pl
S:
    oblig V
    uniq {NP, V}
    NP < V
    NP ~> V [number]
NP:
    oblig N
    uniq {Det, N}
    Det < N
lexicon:
    the: Det
    cat: N[number=sg]
    cats: N[number=pl]
    sleeps: V[number=sg]
    sleep: V[number=pl]
"""
SUITE = """\
id\tjudgement\tsentence\tphenomenon\trelation
g1\tok\tthe cat sleeps\tplain\t-
b1\t*\tthe cats sleeps\tagreement\tdependency
b2\t*\tcat the sleeps\torder\tlinearity
"""


Numbat = Callable[..., Done]


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    Path("s.tsv").write_text(SUITE, encoding="utf-8")

    command = command_line.Numbat(capsys, monkeypatch)

    def run(verb: str, *arguments: str, grammar: str | None = "g.pg") -> Done:
        chosen = ("-g", grammar) if grammar else ()
        done = command(verb, *arguments, *chosen)
        has_record = verb in ("test", "coverage", "compare") and done.out and "-f" not in arguments
        return replace(done, out=command_line.without_record(done.out)) if has_record else done

    return run


# Reasons


def test_explain(numbat: Numbat) -> None:
    assert numbat("explain", "cat the sleep", "--terms").out == (
        "cost -2 = -(costs of the violated + fragment costs + prices): violated 2; fragments 0\n"
        ' 50%       1  "cat" has number sg, but "sleep" has number pl  [S: NP ~> V [number], g.pg:9]\n'
        ' 50%       1  "the" should stand before "cat"  [NP: Det < N, g.pg:13]\n'
        "\n"
        'phrase  words            N+  N-  T  W+  W-  own  value\n'
        'S 0-3   "cat the sleep"  4   1   5  4   1   -1   -1\n'
        'NP 0-2  "cat the"        3   1   4  3   1   -1   -1\n'
    )  # fmt: skip


def test_explain_a_good_sentence(numbat: Numbat) -> None:
    assert numbat("explain", "the cat sleeps", "-m", "fitness").out == (
        "fitness 1 = F = N+/E over all instances: S 0-3 1\nnothing is violated\n"
    )


def test_explain_nothing(numbat: Numbat) -> None:
    done = numbat("explain", "...")
    assert (done.out, done.code) == ("", 65)
    assert done.err == "numbat: no words: there is nothing to score\n  give a sentence that has more than punctuation\n"


def test_weights_of_relations(numbat: Numbat) -> None:
    assert numbat("explain", "cat the sleep", "--weights", "linearity=3,dependency=.5").out.startswith("cost -3.5 =")
    assert numbat("explain", "cat", "--weights", "linearity=much").err == (
        'numbat: "linearity=much" is not a weight of a relation\n  write --weights linearity=2\n'
    )
    assert numbat("explain", "cat", "--weights", "heavy").err.startswith('numbat: unknown set of weights: "heavy"\n')


def test_reasons_tell_which_words_are_unknown(numbat: Numbat) -> None:
    said = "1 word unknown: dgo"
    assert numbat("explain", "the dgo sleeps").out.splitlines()[1] == said
    assert numbat("contrast", "the cat sleeps", "the dgo sleeps").out.splitlines()[3] == f"B: {said}"
    assert numbat("repair", "dgo the sleeps").out.splitlines()[1] == said


def test_contrast(numbat: Numbat) -> None:
    assert numbat("contrast", "the cat sleeps", "cat the sleeps").out == (
        "A         0  the cat sleeps\n"
        "B        -1  cat the sleeps\n"
        "          1  A - B under cost\n"
        "\n"
        "B violates NP: Det < N  [linearity, g.pg:13]\n"
        "A satisfies NP: Det < N  [linearity, g.pg:13]\n"
    )


def test_judge(numbat: Numbat) -> None:
    done = numbat("judge", "(S (NP (N cat) (Det the)) (V sleeps))")
    assert done.out.splitlines()[-2:] == [
        '✗ "the" should stand before "cat"  [NP: Det < N, g.pg:13]',
        "cost -1 = -(costs of the violated + fragment costs + prices): violated 1; fragments 0",
    ]


def test_judge_in_json_and_a_tree_too_deep_for_it(numbat: Numbat) -> None:
    Path("two.mrg").write_text("(S (V sleeps))\n(NP (N c\u2028a\x85t))\n", encoding="utf-8")
    written = numbat("judge", "-i", "two.mrg", "-f", "json").out
    found = json.loads(written)
    assert written == json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    assert [each["parse"]["constituents"][0]["construction"] for each in found] == ["S", "NP"]
    assert found[1]["parse"]["tokens"] == ["c\u2028a\x85t"]
    Path("deep.mrg").write_text("(V sleeps)\n" + "(S " * 1_200 + "(V sleeps)" + ")" * 1_200, encoding="utf-8")
    done = numbat("judge", "-i", "deep.mrg", "-f", "json")
    message = "numbat: deep.mrg:2: this tree is too deep for JSON\n  -f text writes any depth\n"
    assert [each["parse"]["tokens"] for each in json.loads(done.out)] == [["sleeps"]]
    assert (done.err, done.code) == (message, 75)
    assert numbat("judge", "-i", "deep.mrg").code == 0


def test_judge_tells_of_every_bad_tree_and_judges_the_others(numbat: Numbat) -> None:
    Path("bad.mrg").write_text("(S (NQ (N cat)))\n(V sleeps)\n(S\n", encoding="utf-8")
    done = numbat("judge", "-i", "bad.mrg")
    assert done.out.startswith("V [number=sg]  sleeps\n")
    assert (done.err, done.code) == (
        'bad.mrg:1:5: "NQ" is not a category of the grammar\n  did you mean "N"?\n'
        "bad.mrg:3:1: sentence 3: a tree that is not closed\n    (S\n    ^\n  expected: 1 more )\n"
        "  found: the end of the file\n  the innermost open bracket is (S in line 3, column 1\n",
        75,
    )
    wrong = '<tree>:1:2: "XYZ" is not a category of the grammar\n  the categories are: Det, N, V, S, NP\n'
    assert numbat("judge", "(XYZ (N cat))", "-f", "json") == Done("[]\n", wrong, 65)


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["no tree"], "numbat: no tree: cannot be read: No such file or directory\n", 66),
        (
            ["NP (N cat)"],
            "<tree>:1:1: text outside the trees, before the first tree\n    NP (N cat)\n    ^^\n"
            "  expected: (\n  found: NP\n",
            75,
        ),
        ([], "numbat: judge needs one tree or one file\n  give a tree in quotes, or a file\n", 2),
        (["-i", "nowhere"], "numbat: nowhere: cannot be read: No such file or directory\n", 66),
        ([" "], 'numbat: <tree>: no tree\n  write one in brackets: "(S (NP (Det the) (N cat)) (VP (V sleeps)))"\n', 65),
    ],
)
def test_what_cannot_be_judged(numbat: Numbat, arguments: list[str], message: str, code: int) -> None:
    done = numbat("judge", *arguments)
    assert (done.err, done.code) == (message, code)


def test_why_not(numbat: Numbat) -> None:
    done = numbat("why-not", "0-1:NP", "the cat sleeps")
    assert done.out.startswith('NP over "the" costs 3 more than the best parse (0)\n\nS ✗')
    assert numbat("why-not", "0-2:NP", "the cat sleeps").out.startswith('NP over "the cat" is in a best parse\n')
    # 9 satisfied minus 2 phrases, against 9 satisfied minus 3 violated minus 3 phrases.
    net = numbat("why-not", "0-1:NP", "the cat sleeps", "--valuation", "net").out
    assert net.startswith('NP over "the" is worth 4 less than the best parse\n')
    assert numbat("why-not", "1-3:NP", "the cat sleeps").out == (
        'no analysis has NP over "cat sleeps": NP is made of N and Det, and "sleeps" can be none of these\n'
    )
    assert numbat("why-not", "0-1:V", "the cat sleeps").out == (
        'no analysis has V over "the": it is a part of speech, and no word from 0 to 1 is one\n'
    )


@pytest.mark.parametrize(
    ("constituent", "message"),
    [
        (
            "NP",
            '"NP" is not a constituent\n'
            "  write it as 0-3:NP (token positions, the end exclusive, category), or with its words, as the cat:NP",
        ),
        ("0-1:np", '"np" is not a category of the grammar\n  did you mean "NP"?'),
        ("0-1:NP[number=du]", '"du" is not a value of number\n  the values of number are: sg, pl'),
        ("0-1:NN", '"NN" is not a category of the grammar\n  did you mean "N"?'),
        ("0-1:XYZ", '"XYZ" is not a category of the grammar\n  the categories are: Det, N, V, S, NP'),
        ("2-2:NP", "2-2 is not a span of this sentence\n  its token positions are 0 to 2, the end is exclusive"),
    ],
)
def test_why_not_what(numbat: Numbat, constituent: str, message: str) -> None:
    done = numbat("why-not", constituent, "the cat")
    assert (done.err, done.code) == (f"numbat: {message}\n", 2)


def test_why_not_claims_nothing_that_a_limit_left_unknown(numbat: Numbat) -> None:
    sentence, limit = "cats the sleeps the cat", "--max-items"
    assert numbat("why-not", "1-2:NP", sentence, limit, "50").out.startswith(
        'NP over "the" is in a parse that costs 6; its difference from the best is unknown, as the limit on '
        "items (50) was met\n\n"
    )
    assert numbat("why-not", "0-2:NP", sentence, limit, "4").out == (
        'no analysis that has NP over "cats the" was found before the limit on items (4)\n'
    )


def test_why_not_with_its_arguments_swapped(numbat: Numbat) -> None:
    done = numbat("why-not", "the cat", "0-2:NP")
    message = '"the cat" is not a constituent, but "0-2:NP" is\n  the constituent comes first: 0-2:NP "the cat"'
    assert (done.err, done.code) == (f"numbat: {message}\n", 2)


def test_repair(numbat: Numbat) -> None:
    assert numbat("repair", "cat the sleeps", "-n", "2").out == (
        "cost -1: cat the sleeps\n"
        '      1 an edit: swap "cat" and "the"\n'
        "         the cat sleeps  (well formed)\n"
        '      1 an edit: delete "the"\n'
        "         cat sleeps  (well formed)\n"
    )
    assert numbat("repair", "the cat sleeps").out == (
        "cost 0: the cat sleeps\n"
        "nothing to repair: the grammar finds no violation in (S (NP (Det the) (N cat)) (V sleeps))\n"
        "  if another analysis is meant, ask for it with numbat why-not\n"
    )
    assert numbat("repair", "zog zog zog", "-n", "1").out.endswith("  zog zog  (2 fragments, 0 violated)\n")


def test_answers_as_json(numbat: Numbat) -> None:
    answers = {
        verb: json.loads(numbat(verb, *arguments, "-f", "json").out)
        for verb, *arguments in (
            ("explain", "cat the sleeps"),
            ("contrast", "the cat sleeps", "cat the sleeps"),
            ("judge", "(S (NP (N cat) (Det the)) (V sleeps))"),
            ("why-not", "0-1:NP", "the cat"),
            ("repair", "cat the sleeps", "-n", "1"),
        )
    }
    named = {"construction": "NP", "property": "Det < N", "relation": "linearity"}
    bad = {"model": "cost", "value": -1.0, "parts": {"violated": 1.0, "fragments": 0.0}, "factor": 1.0}
    said = '"the" should stand before "cat"  [NP: Det < N, g.pg:13]'
    assert answers["explain"]["losses"] == [{**named, "value": 1.0, "share": 1.0, "sentences": [said]}]
    assert answers["contrast"]["violated"] == [{**named, "more_in_A": -1}]
    assert answers["contrast"]["B"]["score"] == answers["judge"][0]["score"] == answers["explain"]["score"] == bad
    assert answers["why-not"]["says"] == 'NP over "the" costs 20 more than the best parse (1)'
    assert [answers["why-not"][which]["cost"]["total"] for which in ("best", "forced")] == [1, 21]
    assert answers["repair"]["repairs"] == [
        {
            "sentence": "the cat sleeps",
            "edits": [{"kind": "swap", "says": 'swap "cat" and "the"'}],
            "says": 'swap "cat" and "the": the cat sleeps',
            "gain": 1.0,
            "gain_per_edit": 1.0,
            "well_formed": True,
            "violated": 0,
            "doubts": [],
        }
    ]
    assert answers["repair"]["parse"] == answers["explain"]["parse"]


def test_repair_at_its_limit(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    assert numbat("repair", "cat the sleeps", "--max-seconds", "1e-9").out == (
        "cost -30: cat the sleeps\nno edit was found that improves the score before the limit on seconds (1e-09)\n"
    )
    ticks = count()
    monkeypatch.setattr(Limits, "clock", lambda limits: lambda: next(ticks) > 6)
    assert numbat("repair", "cat the sleeps", "-n", "1", "--max-seconds", "9").out == (
        "cost -1: cat the sleeps\n"
        '      1 an edit: swap "cat" and "the"\n'
        "         the cat sleeps  (well formed)\n"
        "stopped by the limit on seconds (9): other edits may gain more\n"
    )
    answer = json.loads(numbat("repair", "cat the sleeps", "--max-seconds", "9", "-f", "json").out)
    assert answer["stopped_by"] == "seconds (9)"


# Suites


def test_a_regression_run(numbat: Numbat) -> None:
    first = numbat("test", "s.tsv")
    assert first == Done(
        "grammar small: 3 sentences\n"
        "1 of 1 good sentences at cost 0 (100%)\n2 of 2 bad sentences that violate what they should (100%)\n"
        "equally good trees for a sentence: median 1, at most 1\n",
        "",
        0,
    )
    accepted = numbat("test", "s.tsv", "--accept")
    assert (accepted.code, accepted.err) == (0, "numbat: accepted: s.expected.tsv\n")
    assert Path("s.expected.tsv").read_text(encoding="utf-8") == (
        "id\tverdict\tcost\tviolated\ng1\tpass\t0\t\nb1\tpass\t1\tdependency\nb2\tpass\t1\tlinearity\n"
    )
    assert numbat("test", "s.tsv").out.endswith("\n\nnothing changed since accepted\n")
    Path("g.pg").write_text(GRAMMAR.replace("    NP ~> V [number]\n", ""), encoding="utf-8")
    changed = numbat("test", "s.tsv")
    assert changed.code == 1
    assert changed.out == (
        "grammar small: 3 sentences\n"
        "1 of 1 good sentences at cost 0 (100%)\n"
        "1 of 2 bad sentences that violate what they should (50%)\n"
        "equally good trees for a sentence: median 1, at most 1\n"
        "\n"
        "b1: *the cats sleeps  does not violate dependency, but nothing\n"
        "\n"
        "1 changed since accepted\n"
        "  b1: pass, cost 1 (dependency) -> fail, cost 0\n"
    )


def test_failures_without_accepted_outcomes_are_a_failure(numbat: Numbat) -> None:
    Path("s.tsv").write_text(SUITE.replace("ok\tthe cat", "ok\tcat the cat"), encoding="utf-8")
    done = numbat("test", "s.tsv")
    assert done.code == 1
    assert "g1: cat the cat sleeps  is not well formed\n" in done.out


def test_items_that_come_and_go_are_changes(numbat: Numbat) -> None:
    numbat("test", "s.tsv", "--accept")
    Path("s.tsv").write_text(SUITE.replace("b2\t", "b3\t"), encoding="utf-8")
    assert numbat("test", "s.tsv").out.endswith(
        "2 changed since accepted\n  b3: new: pass, cost 1 (linearity)\n"
        "  b2: pass, cost 1 (linearity) -> no longer in the suite\n"
    )


def test_an_id_with_a_tab_is_accepted_and_found_again(numbat: Numbat) -> None:
    Path("t.jsonl").write_text('{"id": "g\\t1", "sentence": "the cat sleeps", "judgement": "ok"}\n', encoding="utf-8")
    numbat("test", "t.jsonl", "--accept")
    assert Path("t.expected.tsv").read_text(encoding="utf-8").endswith("\ng 1\tpass\t0\t\n")
    assert numbat("test", "t.jsonl").out.endswith("\n\nnothing changed since accepted\n")


def test_pairs_in_a_regression_run(numbat: Numbat) -> None:
    Path("p.jsonl").write_text(
        '{"good": "the cat sleeps", "bad": "the cat sleep"}\n{"good": "cat the sleeps", "bad": "cats the sleep"}\n',
        encoding="utf-8",
    )
    done = numbat("test", "p.jsonl")
    assert done.code == 1
    assert done.out.startswith("grammar small: 4 sentences\n2 of 4 sentences of pairs on the right side (50%)\n")
    assert "2-good: cat the sleeps  costs 1, its partner 1\n" in done.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence\trating\nthe cat\t3\n",
         "numbat: s.tsv: no item is judged ok, ? or *\n"
         "  numbat test needs judgements; numbat report compares ratings\n"),
        ("sentence\tverdict\nthe cat\tok\n",
         "numbat: s.tsv: no item is judged ok, ? or *\n  numbat test needs judgements; numbat report compares ratings; "
         'columns not understood: verdict; name one "judgement", or use --columns\n'),
        ("id\tjudgement\tsentence\n",
         "numbat: s.tsv: no items\n  write one line for each sentence below the column names\n"),
        ("id\tjudgement\tsentence\n1\t!\tthe cat\n",
         's.tsv:2:3: "!" is not a judgement\n  write ok, ?, ??, * or a number\n'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["test"])
def test_suites_that_cannot_be_tested(numbat: Numbat, verb: str, text: str, message: str) -> None:
    Path("s.tsv").write_text(text, encoding="utf-8")
    done = numbat(verb, "s.tsv")
    assert (done.out, done.err, done.code) == ("", message, 65)


def test_outcomes_that_end_without_a_line_end_are_all_read(numbat: Numbat) -> None:
    numbat("test", "s.tsv", "--accept")
    kept = Path("s.expected.tsv")
    kept.write_text(kept.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    assert numbat("test", "s.tsv").out.endswith("\n\nnothing changed since accepted\n")


def test_an_expectation_file_that_is_none(numbat: Numbat) -> None:
    Path("s.expected.tsv").write_text("id\tverdict\n", encoding="utf-8")
    assert numbat("test", "s.tsv").err == (
        "s.expected.tsv:1:1: not an accepted outcome: id, verdict, cost, violated\n"
        "  write it again with numbat test --accept\n"
    )


@pytest.mark.parametrize("verb", ["report", "test", "coverage", "ablate"])
def test_no_items_are_a_failure(numbat: Numbat, verb: str) -> None:
    Path("s.tsv").write_text("id\tjudgement\tsentence\n", encoding="utf-8")
    assert numbat(verb, "s.tsv").code == 65


def test_a_report_in_all_forms(numbat: Numbat) -> None:
    done = numbat("report", "s.tsv", "-f", "json", "--html", "r.html", "--csv", "tables", "--latex", "r.tex")
    assert done.code == 0
    assert json.loads(done.out)["sentences"] == 3
    assert Path("r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert Path("r.tex").read_text(encoding="utf-8").count("\\begin{forest}") == 3
    assert sorted(path.name for path in Path("tables").iterdir()) == [
        "analysis.R", "analysis.py", "dictionary.csv", "properties.csv", "run.json", "sentences.csv", "summary.csv",
    ]  # fmt: skip
    assert done.err.count("numbat: wrote tables/") == 7


def test_models_beside_each_other(numbat: Numbat) -> None:
    lines = numbat("report", "s.tsv", "-m", "cost", "-m", "fitness", "-m", "all").out.splitlines()
    table = [line.split("  ")[0] for line in lines[lines.index("") + 2 :] if line]
    assert table[:3] == ["cost", "cost, as 1/(1 + cost)", "fitness"]
    assert table.index("length") == 1 + len(MODELS)
    assert set(table[: 1 + len(MODELS)]) == {*MODELS, "cost, as 1/(1 + cost)"}
    assert numbat("report", "s.tsv", "-m", "fit").err.startswith('numbat: unknown gradience model: "fit"\n')


def test_a_hundred_per_cent_is_all(numbat: Numbat) -> None:
    rows = [f"b{n}\t*\tthe cats sleeps\tagreement\t{'linearity' if n == 7 else 'dependency'}\n" for n in range(1, 251)]
    Path("many.tsv").write_text(SUITE.splitlines(keepends=True)[0] + "".join(rows), encoding="utf-8")
    done = numbat("test", "many.tsv")
    assert done.out.splitlines()[1] == "249 of 250 bad sentences that violate what they should (99%)"
    assert done.code == 1


def test_columns_and_pairs_of_files_without_names(numbat: Numbat) -> None:
    Path("c.txt").write_text("True\tthe cat sleeps\nFalse\tthe cat sleep\n", encoding="utf-8")
    done = numbat("report", "c.txt", "--columns", "judgement,sentence", "--pairs")
    assert done.out.splitlines()[5].split()[-2:] == ["pair", "accuracy"]
    assert done.out.splitlines()[0] == "c.txt: 2 sentences, pairs"


def test_tagged_sentences(numbat: Numbat) -> None:
    Path("t.tsv").write_text("judgement\tsentence\nok\tthe/Det dog/N[number=sg] sleeps/V\n", encoding="utf-8")
    assert numbat("test", "t.tsv", "--tagged").out == (
        "grammar small: 1 sentence\n1 of 1 good sentences at cost 0 (100%)\n"
        "equally good trees for a sentence: median 1, at most 1\n"
    )
    Path("t.tsv").write_text("judgement\tsentence\nok\tthe/Det dog/NN\n", encoding="utf-8")
    assert numbat("report", "t.tsv", "--tagged") == Done(
        "", 'numbat: t.tsv:2: "NN" in "dog/NN" is not a category of the grammar\n  did you mean "N"?\n', 65
    )
    assert numbat("report", "t.tsv", "--tag-map", "x.map").err == (
        "numbat: --tag-map needs tags\n  add --tagger MODEL\n"
    )


def test_compare(numbat: Numbat) -> None:
    Path("new.pg").write_text(GRAMMAR.replace("    NP ~> V [number]\n", ""), encoding="utf-8")
    done = numbat("compare", "g.pg", "new.pg", "s.tsv", "--html", "c.html", grammar=None)
    assert done == Done(
        "1 of 3 sentences changed\n"
        "well formed 1 -> 2, full 3 -> 3\n"
        "0 towards the judgements, 1 away from them\n"
        "\n"
        "b1: *the cats sleeps  -1 -> 0 worse\n"
        "    - no longer: S: NP ~> V [number]\n",
        "numbat: wrote c.html\n",
        0,
    )
    page = Path("c.html").read_text(encoding="utf-8")
    assert page.count("<svg ") == 2
    assert "S: NP ~&gt; V [number], no longer violated" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_compare_without_judgements(numbat: Numbat) -> None:
    Path("new.pg").write_text(GRAMMAR.replace("    NP ~> V [number]\n", ""), encoding="utf-8")
    Path("plain.tsv").write_text("sentence\nthe cats sleeps\n", encoding="utf-8")
    said = numbat("compare", "g.pg", "new.pg", "plain.tsv", "--html", "c.html", grammar=None).out
    assert "judgements" not in said + Path("c.html").read_text(encoding="utf-8")


def test_compare_where_only_a_cost_differs(numbat: Numbat) -> None:
    Path("new.pg").write_text(GRAMMAR.replace("[number]\n", "[number] cost 3\n", 1), encoding="utf-8")
    done = numbat("compare", "g.pg", "new.pg", "s.tsv", "--html", "c.html", grammar=None)
    said = "violates the same properties; costs, weights or satisfied properties differ"
    assert done.out.splitlines()[-2:] == ["b1: *the cats sleeps  -1 -> -3 better", f"    {said}"]
    assert f"<li>{said}</li>" in Path("c.html").read_text(encoding="utf-8")


def test_coverage(numbat: Numbat) -> None:
    Path("s.tsv").write_text("judgement\tsentence\nok\tcat sleeps\n*\tcats sleeps\n", encoding="utf-8")
    assert numbat("coverage", "s.tsv").out == (
        "7 of 9 properties evaluated, 1 of them violated somewhere\n"
        "\n"
        "construction  property          satisfied  violated  in good  in bad  line\n"
        "S             oblig V           2          0         0        0       g.pg:6\n"
        "S             uniq NP           2          0         0        0       g.pg:7\n"
        "S             uniq V            2          0         0        0       g.pg:7\n"
        "S             NP < V            2          0         0        0       g.pg:8\n"
        "S             NP ~> V [number]  1          1         0        1       g.pg:9\n"
        "NP            oblig N           2          0         0        0       g.pg:11\n"
        "NP            uniq N            2          0         0        0       g.pg:12\n"
        "\n"
        "never evaluated:\n"
        "    NP: uniq Det  g.pg:12\n"
        "    NP: Det < N  g.pg:13\n"
        "\n"
        "never violated, so nothing shows what they forbid: 6\n"
    )


def test_ablate(numbat: Numbat) -> None:
    lines = numbat("ablate", "s.tsv").out.splitlines()
    assert lines.pop(0) == "! 3 items only: too few for intervals"
    assert lines[0].split() == ["without", "AUC", "loss", "full", "parses", "met", "a", "limit"]
    assert [line.split()[0] for line in lines[1:3]] == ["nothing", "H3"]
    assert len(lines) == 13
    assert lines[-1].startswith("run: numbat ")
    Path("plain.tsv").write_text("sentence\tmos\nthe cat\t4\n", encoding="utf-8")
    assert numbat("ablate", "plain.tsv").err == (
        "numbat: plain.tsv: no item is judged or rated, so losses are unknown; "
        'columns not understood: mos; name one "rating", or use --columns\n'
    )


def test_sentences_stand_on_one_line_and_command_no_terminal(numbat: Numbat) -> None:
    text = 'sentence,judgement\n"the cat\r\n sleeps",*\n"the\x1b cats sleep",*\n'
    Path("q.csv").write_text(text, encoding="utf-8", newline="")
    assert numbat("test", "q.csv").out.splitlines()[3:] == [
        "", "2: *the cat sleeps  violates nothing", "", "4: *the\ufffd cats sleep  violates nothing"
    ]  # fmt: skip
    Path("other.pg").write_text(GRAMMAR.replace("NP < V", "V < NP"), encoding="utf-8")
    said = numbat("compare", "g.pg", "other.pg", "q.csv", grammar=None).out
    assert "\n2: *the cat sleeps  " in said
    assert "\n4: *the\ufffd cats sleep  " in said


def test_a_suite_that_is_too_small_to_fit_names_the_columns_that_were_not_read(numbat: Numbat) -> None:
    Path("few.tsv").write_text("sentence\tmos\nthe cat sleeps\t4\ncat the sleeps\t1\n", encoding="utf-8")
    done = numbat("learn", "costs", "few.tsv", "-o", "m.tsv")
    assert (done.err, done.code) == (
        "numbat: few.tsv: 0 rated sentences, 0 different ratings: too few to learn from\n"
        "  a fitted model needs at least 10 sentences that are not all rated the same; "
        'columns not understood: mos; name one "rating", or use --columns\n',
        65,
    )
    Path("few.tsv").write_text("sentence\tmos\trating\nthe cat sleeps\t4\t4\ncat the sleeps\t1\t1\n", encoding="utf-8")
    assert numbat("learn", "costs", "few.tsv", "-o", "m.tsv", "--folds", "6").err == (
        "numbat: few.tsv: 2 rated sentences, 2 different ratings: too few to learn from\n"
        "  a fitted model needs at least 12 sentences that are not all rated the same, or fewer --folds\n"
    )
    assert not Path("m.tsv").exists()


def test_fit_and_use(numbat: Numbat) -> None:
    rows = [
        f"{4 if verb == 'sleeps' else 2}\t{noun} {verb}"
        for noun in ("cat", "the cat", "cat the")
        for verb in ("sleeps", "sleep")
    ]
    Path("r.tsv").write_text("rating\tsentence\n" + "\n".join([*rows, *rows]) + "\n", encoding="utf-8")
    done = numbat("learn", "costs", "r.tsv", "-o", "m.tsv")
    assert done.code == 0
    assert done.out.splitlines()[1] == "grammar small, model fitted, weights out of 5 folds"
    assert "out of 3 folds" in numbat("learn", "costs", "r.tsv", "-o", "three.tsv", "--folds", "3").out
    assert (
        "2 is not in the range 3<=x<=2000000000."
        in numbat("learn", "costs", "r.tsv", "-o", "two.tsv", "--folds", "2").err
    )
    assert "violated S dependency\t-" in Path("m.tsv").read_text(encoding="utf-8")
    explained = numbat("explain", "the cats sleeps", "-m", "m.tsv").out.splitlines()
    assert explained[0].startswith("fitted 2.")
    assert explained[1].startswith("100%")
    assert numbat("report", "r.tsv", "-m", "m.tsv").out.splitlines()[1] == "grammar small, model m.tsv, weights fitted"
    about = Path("m.tsv").read_text(encoding="utf-8").splitlines()[3]
    pearson = about.removeprefix("# out of fold: pearson ").partition(";")[0]
    note = "! m.tsv was fitted on this suite, so its figures here are too good; out of fold its pearson was "
    note += pearson
    assert numbat("report", "r.tsv", "-m", "m.tsv").out.splitlines()[3] == note
    assert note in numbat("report", "r.tsv", "-m", "cost", "-m", "m.tsv").out.splitlines()
    assert "was fitted on" not in numbat("report", "s.tsv", "-m", "m.tsv").out
    Path("r.tsv").write_text("rating\tsentence\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert "was fitted on" not in numbat("report", "r.tsv", "-m", "m.tsv").out
    Path("r.tsv").write_text("rating\tsentence\n" + "\n".join([*rows, *rows]) + "\n", encoding="utf-8")
    message = (
        "numbat: --weights and m.tsv exclude each other\n  a fitted model has its own weights: leave out --weights\n"
    )
    assert numbat("explain", "the cat", "-m", "m.tsv", "--weights", "equal") == Done("", message, 2)
    beside = numbat("report", "r.tsv", "-m", "cost", "-m", "m.tsv", "--weights", "equal").out
    assert beside.splitlines()[1] == "grammar small, model cost, weights equal"
    assert numbat("learn", "costs", "r.tsv", "-o", "m.txt").err == (
        'numbat: "m.txt" does not end with .tsv\n  --model only takes files with this ending\n'
    )


def test_generate(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    done = numbat("generate", "--violate", "NP: Det < N", "-n", "2")
    assert done.code == 0
    Path("made.tsv").write_text(done.out, encoding="utf-8")
    assert numbat("test", "made.tsv").code == 0
    assert done.out.count("\t*\t") == 2
    monkeypatch.setattr("numbat.acceptability.generate.ATTEMPTS", 500)
    impossible = numbat("generate", "--violate", "S: oblig V", "-n", "50")
    assert impossible.code == 65
    assert "of 50 sentences before the search ended" in impossible.err
    assert numbat("generate", "--violate", "S: oblig V", "-n", "50", "--seconds", "1e-9").err.startswith(
        "numbat: found 0 of 50 sentences within 1e-09 s: "
    )


def test_generate_ends_after_the_steps_that_are_given(numbat: Numbat) -> None:
    """With few steps the message is about a small sample only; more steps find a pair."""
    given = ("generate", "--violate", "S: NP < V", "-n", "1", "--steps")
    message = (
        'numbat: found 0 of 1 sentences before the search ended: no phrase "S" was built of words of the'
        " lexicon\n  try another --seed or more --steps, and see what numbat check says\n"
    )
    assert numbat(*given, "2") == Done("", message, 65)
    assert numbat(*given, "5000").code == 0


NPS = ("der Hund", "der Mann", "die Frau", "die Katze")
TAKES_OBJECT = {"schläft": False, "lacht": False, "sieht": True, "liest": True}


def test_generate_varies_what_it_found_until_the_steps_are_done(numbat: Numbat) -> None:
    """Random phrases alone find a few of these sentences; the message says that there may be more."""
    genders = {"der": "m", "die": "f"}
    nouns = {word: genders[article] for article, word in map(str.split, NPS)}
    lexicon = [
        *(f"{article}: Det[gender={gender}]" for article, gender in genders.items()),
        *(f"{noun}: N[gender={gender}]" for noun, gender in nouns.items()),
        *(f"{verb}: V[val={'tr' if has_object else 'intr'}]" for verb, has_object in TAKES_OBJECT.items()),
    ]
    Path("de.pg").write_text(
        "grammar: de\nleaves: Det, N, V\nroots: S\nfeatures:\n    gender: m, f\n    val: tr, intr\n"
        "S:\n    oblig V hard\n    uniq {V, Sbj, Obj}\n    V => Sbj\n    Sbj < V\n    V < Obj\n    V[val=tr] => Obj\n"
        "    V[val=intr] x Obj\nSbj:\n    oblig NP\n    uniq NP\nObj:\n    oblig NP\n    uniq NP\n"
        "NP:\n    oblig N hard\n    uniq {Det, N}\n    Det < N\n    N => Det\n    Det ~> N [gender]\nlexicon:\n"
        + "".join(f"    {line}\n" for line in lexicon),
        encoding="utf-8",
    )
    every = {
        " ".join((subject, verb, *after))
        for subject in NPS
        for verb, has_object in TAKES_OBJECT.items()
        for after in ([(other,) for other in NPS] if has_object else [()])
    }
    done = numbat("generate", "-n", "60", "-q", "--steps", "30000", grammar="de.pg")
    assert {line.split("\t")[2] for line in done.out.splitlines()[1:]} == every
    assert len(every) == 40
    assert re.fullmatch(
        r"numbat: found 40 of 60 sentences before the search ended: 40 different sentences of at most 8 words were "
        r"built in [\d,]+ steps; there may be more\n"
        r"  try another --seed or more --steps, another --length, or a larger lexicon\n",
        done.err,
    )


def test_generated_sentences_have_the_shape_that_is_asked_for(numbat: Numbat) -> None:
    def sentences(*arguments: str) -> list[str]:
        return [line.split("\t")[2] for line in numbat("generate", *arguments).out.splitlines()[1:]]

    assert set(sentences("-n", "2", "--length", "3")) == {"the cat sleeps", "the cats sleep"}
    assert set(sentences("-n", "2", "--length", "2")) == {"cat sleeps", "cats sleep"}
    assert set(sentences("-n", "2")) == {"the cat sleeps", "the cats sleep"}


def test_sentences_that_are_far_too_long_are_not_searched_for(numbat: Numbat) -> None:
    message = "no sentence of 50 words or more was found: the longest one built has 3 words\n  ask for shorter ones"
    assert numbat("generate", "-n", "2", "--length", "50-60") == Done("", f"numbat: {message}\n", 65)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--length", "8-3"], '"8-3" is not a number of words\n  write it as 3-8, or as 5'),
        (["--length", "few"], '"few" is not a number of words\n  write it as 3-8, or as 5'),
        (["--root", "NP"], '"NP" is not a root of the grammar\n  the roots are: S'),
    ],
)
def test_no_such_shape(numbat: Numbat, arguments: list[str], message: str) -> None:
    done = numbat("generate", *arguments)
    assert (done.out, done.err, done.code) == ("", f"numbat: {message}\n", 2)


# Watching


def test_watch_parses_again_when_the_grammar_changes(tmp_path: Path) -> None:
    path = tmp_path / "g.pg"
    path.write_text(GRAMMAR, encoding="utf-8")
    command = [sys.executable, "-m", "numbat", "parse", "-g", str(path), "-f", "bracket", "--watch", "the cat sleeps"]
    root = str(Path(__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": root, "NUMBAT_CACHE": "off", "PYTHONUNBUFFERED": "1"}
    running = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == "(S (NP (Det the) (N cat)) (V sleeps))\n"
        assert running.stderr.readline() == "numbat: watching g.pg; Ctrl-C ends\n"
        changed = tmp_path / "changed.pg"
        changed.write_text(GRAMMAR.replace("sleeps: V", "sleeps: N"), encoding="utf-8")
        os.utime(changed, (1, 1))
        changed.replace(path)
        assert "(V sleeps)" not in running.stdout.readline()
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize("arguments", [["--watch"], ["--jobs", "2"]], ids=["watch", "spawned"])
def test_nothing_is_imported_from_the_current_folder(tmp_path: Path, arguments: list[str]) -> None:
    """A folder that somebody was sent: modules in it have the names of those that Numbat and Python load."""
    path = tmp_path / "g.pg"
    path.write_text(GRAMMAR, encoding="utf-8")
    for name in ("click", "lark", "numpy", "json", "multiprocessing", "numbat", "tempfile", "select"):
        (tmp_path / f"{name}.py").write_text(f'open("ran-{name}", "w")\nraise SystemExit("ran")\n', encoding="utf-8")
    code = (
        "import sys; sys.path.remove(''); from numbat.runs import pool; pool._may_fork = lambda: False; "
        "from numbat.__main__ import main; main()"
    )
    root = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", code, "parse", "-g", "g.pg", "-f", "bracket", *arguments, *["the cat sleeps"] * 3]
    environment = os.environ | {"PYTHONPATH": root, "PYTHONUNBUFFERED": "1"}
    environment.pop("PYTHONSAFEPATH", None)  # left by a test that ran the program in this process
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        line = running.stdout.readline()
        running.terminate()
        assert line.startswith("(S "), running.stderr.read()
    assert sorted(tmp_path.glob("ran-*")) == []


def test_a_file_that_goes_while_watch_looks_at_it_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda path: True)
    assert watching.stamp([tmp_path / "g.pg"]) == ((tmp_path / "g.pg", None),)


def test_watch_sees_that_a_missing_file_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, part = tmp_path / "g.pg", tmp_path / "part.pg"
    path.write_text('include: "part.pg"\n' + GRAMMAR, encoding="utf-8")
    told: list[str] = []
    looks = iter((lambda: None, lambda: part.write_text("leaves: X\n", encoding="utf-8")))
    monkeypatch.setattr(watching, "sleep", lambda seconds: next(looks)())
    monkeypatch.setattr(subprocess, "run", lambda command, check: told.append("run"))
    watching.watch(str(path), ["parse"], told.append, rounds=2)
    assert told == ["run", "numbat: watching g.pg, part.pg; Ctrl-C ends", "run"]
