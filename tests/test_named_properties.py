"""Suites whose marks name a property: lists, tables, exercises, messages and counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from numbat import parse_grammar
from numbat.errors import Span
from numbat.grammar.named_properties import properties_named
from numbat.grammar.properties import format_named
from tests.command_line import Numbat

GRAMMAR = """\
leaves: Cl, V, N, Det, X
roots: VP
features: form: fin, inf
relation first_of(B) for each B: index(B) = 1
VP:
    oblig {V, NP}
    uniq {V, NP}
    Cl < V[form=fin]
    V[form=inf] < Cl
    Cl x NP cost 2
    first_of(Cl)
NP:
    oblig N
    uniq {Det, N}
    Det < N
lexicon:
    lo: Cl
    la: Det
    casa: N
    no: X
    veo: V[form=fin]
    ver: V[form=inf]
guess: "z*": Cl
"""
LIST = """\
lo veo
* [VP: Cl < V[form=fin]] veo lo
* [VP: uniq {V, NP}] lo veo la casa
* [VP: Cl x NP] veo lo
* [VP: Cl x NP; Cl < V[form=fin]] veo lo
* lo ver
"""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def outcomes(numbat: Numbat, suite: str, name: str = "s.txt") -> str:
    """Return the output of `numbat test` for a suite, without the record of the run, or its error message."""
    Path(name).write_text(suite, encoding="utf-8")
    done = numbat("test", "-g", "g.pg", name)
    return done.err or done.out.partition("\n\nrun:")[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("VP: Cl x NP", ["VP: Cl x NP"]),
        ("VP: Cl ⊗ NP cost 7", ["VP: Cl x NP"]),
        ("VP: Cl excludes NP", ["VP: Cl x NP"]),
        ("VP: NP!", ["VP: uniq NP"]),
        ("VP: oblig V | NP", ["VP: oblig V | NP"]),
        ("VP: oblig {V, NP}", ["VP: oblig V | NP"]),
        ("VP: uniq {V, NP}", ["VP: uniq V", "VP: uniq NP"]),
        ("VP: Cl < V[fin]; Cl x NP;", ["VP: Cl < V[form=fin]", "VP: Cl x NP"]),
        ("VP: first_of(Cl)", ["VP: first_of(Cl)"]),
    ],
)
def test_a_property_is_found_by_its_text(text: str, found: list[str]) -> None:
    named, problems = properties_named(parse_grammar(GRAMMAR), text, Span("s", 1))
    assert ([format_named(prop) for prop in named], problems) == (found, [])


def test_every_property_is_found_as_it_is_shown() -> None:
    grammar = parse_grammar(GRAMMAR)
    for prop in grammar.properties:
        assert properties_named(grammar, format_named(prop), Span("s", 1)) == ((prop,), [])


def test_a_sentence_that_is_bad_for_another_reason(numbat: Numbat) -> None:
    assert (
        outcomes(numbat, LIST)
        == """\
grammar g.pg: 6 sentences
1 of 1 good sentences at cost 0 (100%)
3 of 5 bad sentences that violate what they should (60%)
2 of 4 sentences that name a property are bad for another reason
equally good trees for a sentence: median 1, at most 1

3: *lo veo la casa  bad for another reason: VP: Cl x NP
    "lo" and "la casa" do not go together  [VP: Cl x NP, g.pg:10]

4: *veo lo  bad for another reason: VP: Cl < V[form=fin], VP: first_of(Cl)
    "lo" should stand before "veo"  [VP: Cl < V[form=fin], g.pg:8]
    this should hold: "lo" comes first  [VP: first_of(Cl), g.pg:11]"""
    )


def test_the_column_of_a_table_names_what_a_bracket_does(numbat: Numbat) -> None:
    rows = (
        ("ok", "lo veo", "-"),
        ("*", "veo lo", "VP: Cl < V[form=fin]"),
        ("?", "lo veo la casa", "VP: uniq {V, NP}"),
        ("*", "* [VP: Cl x NP] veo lo", ""),
    )
    table = "\n".join("\t".join(row) for row in (("judgement", "sentence", "property"), *rows))
    assert outcomes(numbat, table, "s.tsv").splitlines()[3:5] == [
        "0 of 1 sentences between good and bad that rank there (0%)",
        "2 of 3 sentences that name a property are bad for another reason",
    ]
    lines = [{"judgement": sign, "sentence": sentence, "property": text} for sign, sentence, text in rows]
    for each in lines:
        each["property"] = each["property"] or "VP: Cl x NP"
        each["sentence"] = each["sentence"].removeprefix("* [VP: Cl x NP] ")
    Path("s.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    Path("s.tsv").write_text(table, encoding="utf-8")
    one, other = (json.loads(numbat("test", "-g", "g.pg", name, "-f", "json").out) for name in ("s.tsv", "s.jsonl"))
    found = [[each[key] for key in ("verdict", "property", "instead")] for each in one["items"]]
    assert found == [[each[key] for key in ("verdict", "property", "instead")] for each in other["items"]]
    assert (one["other_reason"], one["fail"]) == (2, 2)
    assert found == [
        ["pass", None, []],
        ["pass", "VP: Cl < V[form=fin]", []],
        ["fail", "VP: uniq {V, NP}", ["VP: Cl x NP"]],
        ["fail", "VP: Cl x NP", ["VP: Cl < V[form=fin]", "VP: first_of(Cl)"]],
    ]


def test_fragments_are_another_reason_and_no_violation_is_none(numbat: Numbat) -> None:
    said = outcomes(numbat, "lo veo\n* [VP: Cl x NP] lo veo no\n* [VP: Cl x NP] ver\n")
    assert [line for line in said.splitlines() if line.startswith(("1 of", "2: ", "3: "))] == [
        "1 of 1 good sentences at cost 0 (100%)",
        "1 of 2 sentences that name a property is bad for another reason",
        "2: *lo veo no  bad for another reason: 2 fragments",
        "3: *ver  violates nothing",
    ]


def test_unknown_words_leave_it_undecided_whether_a_property_is_violated(numbat: Numbat) -> None:
    suite = "lo veo\n* [VP: Cl x NP] zo veo la casa\n* [VP: Cl < V[form=fin]] zo veo la casa\n"
    said = outcomes(numbat, suite)
    assert [line for line in said.splitlines() if line.startswith(("2: ", "3: "))] == [
        "2: *zo veo la casa  undecided, as all that is wrong may be due to words that the lexicon does not have; "
        "1 word guessed: zo",
        "3: *zo veo la casa  bad for another reason: VP: Cl x NP; 1 word guessed: zo",
    ]
    assert "bad for another reason: VP" in numbat("test", "-g", "g.pg", "s.txt", "--count-undecided").out


def test_a_pair_whose_bad_sentence_names_a_property(numbat: Numbat) -> None:
    table = "pair\tjudgement\tsentence\tproperty\n1\tok\tlo veo\t\n1\t*\tveo lo\tVP: Cl x NP\n"
    said = outcomes(numbat, table, "s.tsv")
    assert said.splitlines()[1:3] == [
        "1 of 2 sentences of pairs on the right side (50%)",
        "1 of 1 sentence that names a property is bad for another reason",
    ]


def test_properties_that_the_grammar_lacks_are_told_with_their_places(numbat: Numbat) -> None:
    suite = """\
lo veo
* [VP: Cll x NP] veo lo
*  [VP: uniq {V, PP}] veo lo
* [VP: Cl x NP] veo lo
* [VP: Cl << V] veo lo
* [ZZ: oblig W[q=r]] veo lo
* [VP: Cll x NP] lo ver
"""
    assert (
        outcomes(numbat, suite)
        == """\
s.txt:2:4: the grammar has no property "VP: Cll x NP"
  did you mean "VP: Cl x NP"?
s.txt:3:5: the grammar has no property "VP: uniq PP"
  did you mean "VP: uniq NP"?
s.txt:5:12: "<" does not fit here
  expected: a category or braces {A, B}
  found: "<"
  name a property like "NP: Det < N"
s.txt:6:4: the grammar has no property "ZZ: oblig W[q=r]"
  numbat show lists the properties of a grammar
"""
    )
    table = "judgement\tsentence\tproperty\nok\tlo veo\t\n*\tveo lo\tword lo: V\n*\tveo lo\tVP: V ~> Cl [frm]\n"
    assert (
        outcomes(numbat, table, "s.tsv")
        == """\
s.tsv:3:10: "word lo: V" is not a property
  name a property like "NP: Det < N"
s.tsv:4:10: the grammar has no property "VP: V ~> Cl [frm]"
  did you mean "VP: Cl < V[form=fin]"?
"""
    )


EXERCISE = """\
exercise: A
grammar: |
  leaves: a, b
  roots: X
  X:
      oblig a
      uniq {a, b}
  lexicon:
      a: a
      b: b
task: x
suite: |
  a b
  * [X: a < b] b a
"""


def test_an_exercise_names_properties_that_the_student_is_to_state(numbat: Numbat) -> None:
    Path("x.exercise.yaml").write_text(EXERCISE, encoding="utf-8")
    assert numbat("check", "x.exercise.yaml").out == "x.exercise.yaml: 1 step, 2 sentences; 0 errors, 0 warnings\n"
    beginning = EXERCISE[EXERCISE.index("  leaves") : EXERCISE.index("task")].replace("\n  ", "\n")[2:]
    for more, verdict, instead in (
        ("uniq {a, b}", "fail", []),
        ("uniq {a, b}; a < b", "pass", []),
        ("uniq {a, b}; b => a; b x b; a x b", "fail", ["X: a x b"]),
    ):
        Path("g.pg").write_text(beginning.replace("uniq {a, b}", more), encoding="utf-8")
        bad = json.loads(numbat("test", "-g", "g.pg", "x.exercise.yaml", "-f", "json").out)["items"][1]
        assert (bad["verdict"], bad["instead"]) == (verdict, instead)


def test_a_property_that_cannot_be_read_is_a_mistake_of_its_exercise(numbat: Numbat) -> None:
    Path("x.exercise.yaml").write_text(EXERCISE.replace("a < b]", "a << b]") + "  * [X: a < b]\n", encoding="utf-8")
    assert (
        numbat("check", "x.exercise.yaml").err
        == """\
x.exercise.yaml:14:12: "<" does not fit here
      * [X: a << b] b a
               ^
  expected: a category or braces {A, B}
  found: "<"
  name a property like "NP: Det < N"

x.exercise.yaml:15:1: a mark without a sentence
      * [X: a < b]
    ^
  write one

"""
    )
