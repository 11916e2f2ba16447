"""Exercises: every mistake of a file is reported at its place; packaged ones can be solved, and are not solved yet."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from numbat.acceptability.exercises import check_exercise, exercise_of, packaged_exercises
from numbat.errors import DataError
from numbat.files import packaged_folder
from tests.command_line import Numbat

AGREEMENT = packaged_exercises()["agreement"].read_text(encoding="utf-8")
SOLVED = """\
leaves: Det, N, V
roots: S
features:
    number: sg, pl
S "sentence":
    oblig V
    uniq {NP, V}
    NP < V
    NP ~> V [number]
NP "noun phrase":
    oblig N
    uniq {Det, N}
    Det < N
    Det ~> N [number]
    N[number=sg] => Det
lexicon:
    the: Det
    a: Det[number=sg]
    these: Det[number=pl]
    dog: N[number=sg]
    dogs: N[number=pl]
    cat: N[number=sg]
    cats: N[number=pl]
    barks: V[number=sg]
    bark: V[number=pl]
    sleeps: V[number=sg]
    sleep: V[number=pl]
"""
"""A solution of the exercises `agreement` and `first-grammar`."""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def verb_second() -> str:
    """Return a solution of the exercise `verb-second`: its grammar with the missing properties."""
    text = exercise_of(packaged_exercises()["verb-second"].read_text("utf-8"), "verb-second.exercise.yaml").grammar
    genders = {"der": "m", "die": "f", "das": "n", "Hund": "m", "Katze": "f", "Kind": "n"}
    for word, gender in genders.items():
        text = re.sub(rf"(\b{word}: \w+)", rf"\1[gender={gender}]", text)
    return text.replace("    Det < N\n", "    Det < N\n    Det ~> N [gender]\n").replace(
        "    oblig V\n", "    oblig V\n    second(V)\n"
    )


@pytest.mark.parametrize("name", ["agreement", "first-grammar", "verb-second"])
def test_a_packaged_exercise_has_no_doubts_and_a_solution_passes(name: str, numbat: Numbat, tmp_path: Path) -> None:
    path = str(packaged_exercises()[name])
    checked = check_exercise(path)
    assert (checked.errors, checked.warnings) == ((), ())
    (tmp_path / "mine.pg").write_text(SOLVED if name != "verb-second" else verb_second(), encoding="utf-8")
    graded = json.loads(numbat("test", "-g", str(tmp_path / "mine.pg"), path, "-f", "json").out)
    assert checked.exercise is not None
    sentences = sum(len(step.sentences) for step in checked.exercise.steps)
    assert (graded["sentences"], graded["pass"]) == (sentences, sentences)


def test_the_folder_of_exercises_has_nothing_else() -> None:
    assert {path.name for path in packaged_folder("exercises").iterdir()} == {
        f"{name}.exercise.yaml" for name in packaged_exercises()
    }


MISTAKES = {
    "": ["x.exercise.yaml: this file has no content\n  its keys are: exercise, grammar, steps, task, hints, suite"],
    "exercise: [": [
        "x.exercise.yaml:1:12: this is not valid YAML: expected the node content, but found '<stream end>'\n"
        "    exercise: [\n"
        "               ^\n"
        '  a text with ": " or " #" in it needs quotes'
    ],
    "exercise: A\ntask: x\nsuite: a\n": [
        'x.exercise.yaml:1:1: "grammar" is missing here\n'
        "    exercise: A\n"
        "    ^\n"
        "  an exercise has a title and a grammar to begin with"
    ],
    "exercise: A\ngrammar: anbn\n": [
        'x.exercise.yaml:1:1: "task" is missing here\n'
        "    exercise: A\n"
        "    ^\n"
        "  a step has a task and judged sentences: task: ..., suite: | with one sentence per line"
    ],
    "exercise: A\ngrammar: anbn\ntask: x\nsteps: []\n": [
        'x.exercise.yaml:3:7: "task" is given outside of "steps"\n    task: x\n          ^\n'
        "  put it into one of the steps",
        "x.exercise.yaml:4:8: there are no steps\n"
        "    steps: []\n"
        "           ^^\n"
        "  a step begins with a dash: - task: ...",
    ],
    "exercise:\ngrammar: anbn\ntask: ''\nsuite: []\n": [
        "x.exercise.yaml:1:10: the exercise has no title\n"
        "    exercise:\n"
        "             ^\n"
        '  write it after the colon: "exercise: Agreement"',
        "x.exercise.yaml:3:7: the task is empty\n    task: ''\n          ^^\n  say what the student has to do",
        "x.exercise.yaml:4:8: there are no sentences\n"
        "    suite: []\n"
        "           ^^\n"
        "  write one sentence per line, and * before each bad one",
    ],
    "exercise: A\ngrammar: anbn\ntask: x\nsuite:\n- a b\n- {a: b}\n- '*'\n": [
        "x.exercise.yaml:6:3: a mapping does not fit here\n"
        "    - {a: b}\n"
        "      ^^^^^^\n"
        "  expected: a text\n"
        "  found: a mapping\n"
        '  a text with ": " or brackets in it needs quotes',
        "x.exercise.yaml:7:1: a mark without a sentence\n    - '*'\n    ^\n  write one",
    ],
}


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_every_mistake_of_an_exercise_is_told_at_its_place(text: str) -> None:
    with pytest.raises(DataError) as raised:
        exercise_of(text, "x.exercise.yaml")
    assert [str(each) for each in raised.value.problems] == MISTAKES[text]


DOUBTS = """\
x.exercise.yaml:5:12: warning: "a" does not fit here
          oblg a
               ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "a"
  did you mean "oblig"?

x.exercise.yaml:11:1: warning: there is no bad sentence in step 1
      a
    ^
  a grammar that allows everything, or forbids everything, would pass

x.exercise.yaml:12:1: warning: "?" is neither good nor bad, so it does not count
      ? a
    ^
  mark bad sentences with *

"""


def test_doubts_about_an_exercise(numbat: Numbat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.exercise.yaml"
    beginning = "exercise: A\ngrammar: |\n  leaves: a, b\n  S:\n      {}\n  lexicon:\n      a: a\n      b: b\n"
    path.write_text(beginning.format("oblg a") + "task: x\nsuite: |\n  a\n  ? a\n", encoding="utf-8")
    told = numbat("check", "x.exercise.yaml")
    assert (told.code, told.out) == (0, "x.exercise.yaml: 1 step, 2 sentences; 0 errors, 3 warnings\n")
    assert told.err == DOUBTS
    path.write_text(beginning.format("a < b") + "task: x\nsuite: |\n  a b\n  * b a\n", encoding="utf-8")
    told = numbat("check", "x.exercise.yaml")
    assert (told.code, told.out) == (0, "x.exercise.yaml: 1 step, 2 sentences; 0 errors, 1 warning\n")
    assert told.err == (
        "x.exercise.yaml: warning: the grammar already judges all sentences right\n"
        "  remove what the student is to find, or add sentences that it judges wrongly\n\n"
    )
