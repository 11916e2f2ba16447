"""A class: a table of the students' solutions of an exercise, and hints about their mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat.acceptability.classes import text_sum
from numbat.acceptability.exercises import exercise_of
from numbat.acceptability.mistakes import KINDS, TOO_GENERAL, TOO_NARROW, Hint, Mistake, following, read_hint
from numbat.acceptability.suite import Item
from numbat.errors import Span
from numbat.workbench.facade import Facade
from tests.command_line import Numbat
from tests.samples import enough
from tests.test_exercises import AGREEMENT, SOLVED

NAME = "agreement.exercise.yaml"
WRONG = SOLVED.replace("NP ~> V [number]", "NP ~> X [number]")
NARROW = SOLVED.replace("    the: Det\n", "    the: Det[number=sg]\n")
GENERAL = SOLVED.replace("    NP ~> V [number]\n", "")


def session(**of: object) -> str:
    """A page as the workbench saves it, with a session in it."""
    whole = {"schema": "numbat.session/1", "lesson": {"name": NAME, "text": AGREEMENT, "step": 0, "hints": 0}, **of}
    written = json.dumps(whole).replace("<", "\\u003c")
    return f'<!doctype html><body><script id="session" type="application/json">{written}</script></body>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class of six: grammars, a folder of one student, pages, and other files."""
    (tmp_path / "carla").mkdir()
    for name, text in {
        "anna.pg": SOLVED,
        "ben.html": session(main="agreement.pg", packaged="", files={"agreement.pg": GENERAL}),
        "carla/agreement.pg": WRONG,
        "dora.pg": 'lexicon_file: "dora.tsv"\n' + NARROW.partition("lexicon:")[0],
        "dora.tsv": "the\tDet\tnumber=sg\na\tDet\tnumber=sg\nthese\tDet\tnumber=pl\n"
        + "".join(
            f"{word}\t{'V' if word[:2] in ('ba', 'sl') else 'N'}\tnumber={'sg' if is_sg else 'pl'}\n"
            for word, is_sg in {"dog": 1, "dogs": 0, "cat": 1, "cats": 0, "barks": 1, "bark": 0}.items()
        )
        + "sleeps\tV\tnumber=sg\nsleep\tV\tnumber=pl\n",
        "emil.html": session(main="anbn.pg", packaged="anbn", files={"anbn.pg": {"sum": "1-x", "edits": []}}),
        "fritz.pg": 'lexicon_file: "../../elsewhere.tsv"\nleaves: N\n',
        "notes.html": "<p>no session</p>",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


TABLE = """\
Agreement: 6 students, 18 sentences

student  step 1  step 2  step 3  all
anna     7/7     6/6     5/5     18/18
ben      4/7     6/6     5/5     15/18
carla    -       -       -       -
dora     5/7     5/6     5/5     15/18
emil     -       -       -       -
fritz    -       -       -       -

1 of 6 solved all
! carla: 1 mistake in the grammar: {}/carla/agreement.pg:9:11: "X" is not a construction or a leaf
! emil: based on another version of anbn
! fritz: 1 mistake in the grammar: {}/fritz.pg:1:15: "../../elsewhere.tsv" cannot be read: outside of the folder

commonest mistakes
  1 of 6  *the dog bark     too general: "bark" and "barks" differ in number, but no property checks it
  1 of 6  *the dogs barks   too general: "dogs" and "dog" differ in number, but no property checks it
  1 of 6  *the cats sleeps  too general: "sleeps" and "sleep" differ in number, but no property checks it
  1 of 6  the dogs bark     too narrow: violates NP: Det ~> N [number]
  1 of 6  the cats sleep    too narrow: violates NP: Det ~> N [number]
"""


def test_a_class_is_one_table_with_its_commonest_mistakes(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grammars with neighbouring files, and saved pages; one that cannot be judged does not affect others."""
    numbat = Numbat(capsys, monkeypatch)
    printed = numbat("test", "--class", str(folder))
    assert printed.code == 0
    assert printed.out.partition("\nrun: ")[0] == TABLE.replace("{}", str(folder))
    written = json.loads(numbat("test", "--class", str(folder), "-f", "json").out)
    assert (written["schema"], written["solved"], written["sentences"]) == ("numbat.class/1", 1, 18)
    assert [each["right"] for each in written["students"]] == [[7, 6, 5], [4, 6, 5], None, [5, 5, 5], None, None]
    kinds = {each["kind"] for student in written["students"] for each in student["mistakes"]}
    assert kinds == {TOO_GENERAL, TOO_NARROW}


def test_what_is_no_class_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    numbat = Numbat(capsys, monkeypatch)
    told = [numbat("test", "--class", str(tmp_path / "no")), numbat("test", "--class", str(tmp_path))]
    (tmp_path / NAME).write_text(AGREEMENT, encoding="utf-8")
    told += [numbat("test", "--class", str(tmp_path)), numbat("test", "--class", str(tmp_path), "-g", "english")]
    (tmp_path / f"b{NAME}").write_text(AGREEMENT, encoding="utf-8")
    told += [numbat("test", "--class", str(tmp_path))]
    assert [each.err.replace(str(tmp_path), "F") for each in told] == [
        "numbat: F/no: no such folder\n  --class takes a folder of students' files\n",
        "numbat: F: no exercise\n  add the file of the exercise: NAME.exercise.yaml\n",
        "numbat: F: no student's work found\n  save grammars (NAME.pg) or pages (NAME.html) there\n",
        "numbat: --class and -g exclude each other\n  leave one of them out: each student has a grammar\n",
        f"numbat: F: several exercises: {NAME}, b{NAME}\n  keep only the one to mark the class by\n",
    ]


def test_a_session_that_edits_a_packaged_grammar_is_made_whole_by_the_sums_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert text_sum("Größe 😀\n") == "9-kdcrtn"  # as `sumOf` of the page says it
    text = Path("grammars/anbn.pg").read_text(encoding="utf-8")
    last = len(text.split("\n")) - 1
    edits = [[last, 1, ["!", ""]]]
    (tmp_path / "gina.html").write_text(
        session(main="anbn.pg", packaged="anbn", files={"anbn.pg": {"sum": text_sum(text), "edits": edits}}), "utf-8"
    )
    printed = Numbat(capsys, monkeypatch)("test", "--class", str(tmp_path)).out
    assert f"! gina: 1 mistake in the grammar: anbn.pg:{last + 1}:1: " in printed


# ------------------------------------------------------------------------------------------------------------- hints

HINTS = ("first", "[number] second", "[S: NP ~> V [number]] third", "[too narrow] fourth", "[too general] fifth")


def mistake(kind: str, properties: tuple[str, ...] = (), about: tuple[str, ...] = ()) -> Mistake:
    return Mistake(Item("1", "a b", 1.0, "ok"), kind, properties, about, "")


def test_hints_follow_the_mistake_what_is_nearest_first() -> None:
    hints = [read_hint(text, Span("x", 1))[0] for text in HINTS]

    def told(*mistakes: Mistake) -> list[str]:
        return [each.text for each in following(hints, mistakes)]

    assert told() == ["first"]
    assert told(mistake(TOO_GENERAL)) == ["fifth", "first"]
    assert told(mistake(TOO_NARROW, ("S: NP ~> V [ number ]",), ("number",))) == ["third", "second", "fourth", "first"]
    assert told(mistake(TOO_GENERAL, (), ("number",))) == ["second", "fifth", "first"]


@settings(max_examples=enough(25))
@given(
    st.lists(st.builds(Hint, st.text(), st.sampled_from(["", "number", "S: A < B", *KINDS]))),
    st.lists(st.builds(mistake, st.sampled_from(KINDS), st.sampled_from([(), ("S: A < B",)]), st.just(("number",)))),
)
def test_every_hint_for_all_is_told_and_none_for_other_mistakes(hints: list[Hint], mistakes: list[Mistake]) -> None:
    told = following(hints, mistakes)
    assert [each for each in told if not each.about] == [each for each in hints if not each.about]
    fitting = {"", *(kind for each in mistakes for kind in (each.kind, *each.about, *each.properties))}
    assert sorted(map(str, told)) == sorted(str(each) for each in hints if each.about in fitting)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[nonsense here] Look", '"nonsense here" is not a subject of hints'),
        ("[too genral] Look", '"too genral" is not a subject of hints'),
        ("[number]", "a hint without text"),
        ("[S: < N] Look", '"<" does not fit here'),
        ("[number Look", None),
    ],
)
def test_a_hint_for_nothing_is_a_mistake(text: str, told: str | None) -> None:
    problem = read_hint(text, Span("x", 1, 1))[1]
    assert (problem.message if problem else None) == told


def test_the_page_has_the_hints_that_follow() -> None:
    def hints(grammar: str) -> list[list[str]]:
        request = {"call": "suite", "grammar": {"main": "a.pg", "files": {"a.pg": grammar}}}
        given = {"given": {"text": AGREEMENT, "name": NAME}}
        found: list[list[str]] = Facade().answer({**request, **given})["answer"]["hints"]
        return found

    plain = [[hint.text for hint in step.hints if not hint.about] for step in exercise_of(AGREEMENT, NAME).steps]
    assert hints(SOLVED) == plain
    general, narrow = hints(GENERAL), hints(NARROW)
    assert general[0][0].startswith("The words differ in number")
    assert narrow[1][0].startswith('A word such as "the" has no number at all')
    assert narrow[0][-3:] == plain[0]
