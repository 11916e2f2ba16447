"""From the raw results of laboratories to a clean table: each format, the law that all give the same, bad input."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

import pytest

from numbat import DataError, UsageError
from numbat.acceptability.settings import SuiteSettings
from numbat.experiments.ratings import Ratings, RatingSettings, ratings
from numbat.experiments.suites import suite_of
from numbat.experiments.trials import clean_table, units_of_trials
from tests import command_line

Make = Callable[..., Ratings]

OLD = (
    "Time results were received", "MD5 hash of participant's IP address", "Controller name", "Item number",
    "Element number", "Type", "Group",
)  # fmt: skip
NEW = (
    "Results reception time", "MD5 hash of participant's IP address", "Controller name", "Order number of item",
    "Inner element number", "Label", "Latin Square Group",
)  # fmt: skip
PENN = ("PennElementType", "PennElementName", "Parameter", "Value", "EventTime")


def header(*names: str, first: int = 1) -> str:
    return "".join(f"# {number}. {name}.\n" for number, name in enumerate(names, start=first))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    monkeypatch.chdir(tmp_path)

    def read(*texts: str, names: tuple[str, ...] = ("r.csv", "s.csv"), **settings: object) -> Ratings:
        for name, text in zip(names, texts, strict=False):
            Path(name).write_text(text, encoding="utf-8")
        return ratings(RatingSettings(names[: len(texts)], **settings))  # type: ignore[arg-type]

    return read


def penn(*lines: str, logged: tuple[str, ...] = ("item", "condition", "sentence")) -> str:
    """Return results of PCIbex: lines of person, number, label, element and answer, then the logged columns."""
    text = "# Results on Friday\n" + header(*NEW, *PENN, *logged, "Comments")
    for line in lines:
        who, number, label, kind, element, parameter, value, time, *others = line.split(",")
        start = f"1{who},{who},PennController,{number},0,{label},NULL,{kind},{element},{parameter},{value},{time}"
        text += f"{start},{','.join(others)},NULL\n"
    return text


def scale(who: str, number: int, value: object, item: str = "1", condition: str = "a", label: str = "exp") -> str:
    shown = f"{item},{condition},S {item}{condition}."
    return f"{who},{number},{label},Scale,rate,Choice,{value},1600000000{number:03},{shown}"


def rows(made: Ratings) -> list[tuple[str, str, str, str, float]]:
    return [(t.participant, t.item, t.condition, t.label, t.rating) for t in made.trials.trials]


# The law: random experiments, written in each layout, are the same trials


class Shown(NamedTuple):
    """One rating of a random experiment."""

    who: str
    item: str
    condition: str
    rating: int
    time: int

    @property
    def sentence(self) -> str:
        return f"Sentence {self.item}, the {self.condition}."


def experiment(seed: int) -> list[Shown]:
    random = Random(seed)
    conditions = "abcd"[: random.randint(1, 4)]
    return [
        Shown(f"w{who}x{seed}", str(item), condition, random.randint(1, 7), random.randint(400, 9_000))
        for who in range(random.randint(2, 5))
        for item in range(1, random.randint(2, 5))
        for condition in conditions
    ]


def as_penn(shown: list[Shown], first: tuple[str, ...] = NEW) -> str:
    text = "# Results\n" + header(*first, *PENN, "item", "condition", "sentence", "Comments")
    for number, each in enumerate(shown):
        start, begun = f"1,{each.who},PennController,{number},0,exp,NULL", 1_600_000_000_000 + number * 10_000
        logged = f"{each.item},{each.condition},{each.sentence.replace(',', '%2C')},NULL"
        text += f"{start},PennController,exp,_Trial_,Start,{begun},{logged}\n"
        text += f"{start},Key,next,PressedKey,Enter,{begun + 3},{logged}\n"
        text += f"{start},Scale,rate,Choice,{each.rating},{begun + each.time},{logged}\n"
    return text


def as_ibex(shown: list[Shown], in_groups: bool) -> str:
    """Ibex before 0.3 names the columns of lines that take turns; later versions name them before each line."""
    sentence, question = ("Sentence (or sentence MD5)",), (
        "Question (NULL if none)", "Answer", "Whether or not answer was correct (NULL if N/A)", "Time taken to answer",
    )  # fmt: skip
    text = "# Results on Friday\n"
    for number, columns in enumerate((sentence, question), start=1) if in_groups else ():
        text += f"# Line {number}:\n"
        text += "".join(f"#     Col. {place}: {name}.\n" for place, name in enumerate((*OLD, *columns), start=1))
    text += "" if in_groups else header(*OLD)
    for each in shown:
        number = 10 * int(each.item) + "abcd".index(each.condition)
        start = f"1,{each.who},AcceptabilityJudgment,{number},0,{each.condition},{each.item}"
        told = each.sentence.replace(",", "%2C")
        text += "" if in_groups else header(*sentence, first=8)
        text += f"{start},<b>{told}</b>\n"
        text += "" if in_groups else header(*question, first=8)
        text += f"{start},NULL,{each.rating},NULL,{each.time}\n"
    return text


def as_csv(heads: list[str], table: list[list[object]], delimiter: str = ",") -> str:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows([heads, *table])
    return written.getvalue()


def as_long(shown: list[Shown], delimiter: str = ",") -> str:
    heads = ["Subject", "item", "cond", "stimulus", "Response", "RT"]
    table = [[each.who, each.item, each.condition, each.sentence, each.rating, each.time] for each in shown]
    return as_csv(heads, table, delimiter)


def as_gorilla(shown: list[Shown]) -> str:
    heads = ["Event Index", "Participant Private ID", "Trial Number", "Zone Name", "Zone Type", "Reaction Time",
             "Response", "item", "condition", "sentence"]  # fmt: skip
    table: list[list[object]] = [["", each.who, "BEGIN TASK", *[""] * 7] for each in shown[:1]]
    for number, each in enumerate(shown):
        shared = [each.item, each.condition, each.sentence]
        table.append([2 * number, each.who, number, "text", "content", "", "", *shared])
        table.append([2 * number + 1, each.who, number, "scale", "response_rating", each.time, each.rating, *shared])
    return as_csv(heads, [*table, ["END OF FILE", *[""] * 9]])


def as_wide(shown: list[Shown], qualtrics: bool = False) -> str:
    """A column for each sentence; one that a participant did not see is empty."""
    columns = list(dict.fromkeys((each.item, each.condition) for each in shown))
    sentences = {(each.item, each.condition): each.sentence for each in shown}
    of_person: dict[str, dict[tuple[str, str], Shown]] = {}
    for each in shown:
        of_person.setdefault(each.who, {})[each.item, each.condition] = each
    heads = ["ResponseId", *(f"Q{i}_{c}" for i, c in columns), *(f"T{i}_{c}" for i, c in columns)]
    table: list[list[object]] = []
    if qualtrics:
        table += [
            ["Response ID", *(f"How good? - <i>{sentences[c]}</i>" for c in columns), *("Timing" for _ in columns)]
        ]
        table += [['{"ImportId":"_recordId"}', *('{"ImportId":"Q"}' for _ in (*columns, *columns))]]
    for who, given in of_person.items():
        ratings = [given[c].rating if c in given else "" for c in columns]
        table.append([who, *ratings, *(given[c].time / 1000 if c in given else "" for c in columns)])
    return as_csv(heads, table)


WIDE = 'ratings: "Q{item}_{condition}"\ntimes: "T{item}_{condition}"\ntime_unit: s\n'


@pytest.mark.parametrize("seed", range(6))
def test_every_layout_gives_the_same_trials(made: Make, seed: int) -> None:
    shown = experiment(seed)
    Path("wide.yaml").write_text(f"layout: wide\n{WIDE}", encoding="utf-8")
    Path("qualtrics.yaml").write_text(WIDE, encoding="utf-8")

    def found(text: str, columns: str | None = None) -> list[tuple[object, ...]]:
        trials = made(text, columns=columns).trials.trials
        by_place: list[tuple[object, ...]] = sorted(
            (t.participant, t.item, t.condition, t.rating, t.time, t.z) for t in trials
        )
        assert columns == "wide.yaml" or {t.sentence for t in trials} == {each.sentence for each in shown}
        return by_place

    expected = found(as_long(shown))
    assert [row[:5] for row in expected] == sorted(
        (f"p{1 + sorted({e.who for e in shown}).index(each.who):02}", *each[1:]) for each in shown
    )
    for text in (
        as_long(shown, "\t"),
        as_penn(shown),
        as_penn(shown, OLD),
        as_ibex(shown, True),
        as_ibex(shown, False),
    ):
        assert found(text) == expected
    assert found(as_gorilla(shown)) == expected
    assert found(as_wide(shown), "wide.yaml") == expected
    assert found(as_wide(shown, qualtrics=True), "qualtrics.yaml") == expected


@pytest.mark.parametrize("seed", range(6))
def test_a_short_script_counts_the_same(made: Make, seed: int) -> None:
    """Ten lines of another mind: lists of values by condition and by participant, from the lines of the raw file."""
    text = as_penn(experiment(seed))
    values: dict[str, list[float]] = {}
    people: dict[str, list[float]] = {}
    for line in text.splitlines():
        if ",Scale," in line:
            cells = line.split(",")
            values.setdefault(cells[13], []).append(float(cells[10]))
            people.setdefault(cells[1], []).append(float(cells[10]))
    trials = made(text).trials.trials
    for condition, given in values.items():
        assert fmean(t.rating for t in trials if t.condition == condition) == pytest.approx(fmean(given))
    for number, given in enumerate(people.values(), start=1):
        scores = [t.z for t in trials if t.participant == f"p{number:02}"]
        spread = stdev(given) if len(given) > 1 else 0
        assert scores == [pytest.approx((v - fmean(given)) / spread) if spread else None for v in given]


@pytest.mark.parametrize("seed", range(3))
def test_a_report_has_the_same_items_from_raw_results_and_from_the_clean_table(made: Make, seed: int) -> None:
    done = made(as_penn(experiment(seed)))
    Path("clean.csv").write_text(clean_table(done.trials), encoding="utf-8")
    for z_scores in (False, True):
        raw, clean = (suite_of(SuiteSettings(name, z_scores=z_scores)).items for name in ("r.csv", "clean.csv"))
        assert [(i.id, i.sentence, i.phenomenon, i.group, i.judges) for i in raw] == [
            (i.id, i.sentence, i.phenomenon, i.group, i.judges) for i in clean
        ]
        assert [i.rating for i in raw] == [i.rating and pytest.approx(i.rating, abs=1e-5) for i in clean]


def test_participants_of_two_files_in_a_folder_are_not_the_same(made: Make) -> None:
    Path("both").mkdir()
    for name, rating in (("a", 1), ("b", 5)):
        text = penn(scale("x", 1, rating), scale("x", 2, 7, "2"))
        Path(f"both/{name}.csv").write_text(text, encoding="utf-8")
    items = suite_of(SuiteSettings("both")).items
    assert [rating.participant for item in items for rating in item.ratings] == ["a/p01", "a/p01", "b/p01", "b/p01"]


# PCIbex


def test_the_last_choice_of_an_element_counts(made: Make) -> None:
    done = made(penn(scale("x", 1, 1), scale("x", 1, 7), scale("x", 2, 2, condition="b")))
    assert [t.rating for t in done.trials.trials] == [7, 2]
    assert list(map(str, done.trials.left_out)) == ["r.csv:18: changed choice: 1, then 7 in line 19"]


def beside(who: str, number: int, value: int, confidence: int) -> tuple[str, str]:
    line = scale(who, number, confidence, item=str(number))
    return line.replace("rate", "conf"), scale(who, number, value, item=str(number))


def test_two_elements_are_never_averaged(made: Make) -> None:
    text = penn(*beside("x", 1, 7, 1), *beside("x", 2, 1, 6))
    with pytest.raises(DataError) as error:
        made(text)
    assert str(error.value) == (
        "r.csv:18: 2 elements answer in one trial: conf (Scale, 1, 6); rate (Scale, 7, 1)\n"
        "  choose the one that rates: --element conf or --element rate"
    )
    done = made(text, element=("rate",))
    assert [(t.rating, t.others) for t in done.trials.trials] == [(7, ("1",)), (1, ("6",))]
    assert done.trials.columns == ("conf",)
    with pytest.raises(UsageError, match=r'no answer comes from an element "rates"\n  did you mean "rate"'):
        made(text, element=("rates",))


def test_keys_words_and_selectors(made: Make) -> None:
    pressed = [
        scale("x", n, key, item=str(n)).replace("Scale,rate,Choice", "Key,k,PressedKey")
        for n, key in ((1, "F"), (2, "J"))
    ]
    going_on = scale("x", 1, " ").replace("Scale,rate,Choice", "Key,next,PressedKey")
    with pytest.raises(DataError) as error:
        made(penn(going_on, *pressed))
    assert str(error.value) == (
        'r.csv:19:1: "F" is not a number\n  give its number: --answers "F=1, ..."; or, if it is not a rating, '
        '--element NAME chooses another element than k\nr.csv:20:1: "J" is not a number\n'
        '  give its number: --answers "J=1, ..."; or, '
        "if it is not a rating, --element NAME chooses another element than k"
    )
    assert [t.rating for t in made(penn(going_on, *pressed), answers="F=0,J=1").trials.trials] == [0, 1]
    chosen = [
        scale("x", n, word, item=str(n)).replace("Scale,rate,Choice", "Selector,s,Selection")
        for n, word in ((1, "Yes"), (2, "no"))
    ]
    assert [t.rating for t in made(penn(*chosen)).trials.trials] == [1, 0]


def test_buttons_that_answer(made: Make) -> None:
    def click(number: int, name: str) -> str:
        return scale("x", number, "Click", str(number)).replace("Scale,rate,Choice", f"Button,{name},Click")

    text = penn(click(1, "yes"), click(1, "next"), click(2, "no"), click(2, "next"))
    done = made(text, element=("Button",), answers="yes=1,no=0")
    assert [t.rating for t in done.trials.trials] == [1, 0]
    beside = made(penn(scale("x", 1, 5), click(1, "next")))
    assert [t.rating for t in beside.trials.trials] == [5]
    assert "Button is not a rating: 1 answer (next)" in beside.trials.read


def test_ratings_far_from_the_others_are_told(made: Make) -> None:
    text = "participant,item,rating\n" + "".join(f"x,{n},{1 + n % 7}\n" for n in range(30)) + "x,31,77\n"
    assert made(text).trials.beware == (
        "1 rating far from the others, which lie from 1 to 7: 77 (r.csv:32); --scale 1-7 leaves such ratings out",
    )


def test_na_is_no_condition_and_parts_number_their_items(made: Make) -> None:
    done = made(
        penn(
            scale("x", 1, 4, "1", "NA", "practice"),
            scale("x", 2, 6, "1", "a", "target"),
            scale("x", 3, 2, "1", "b", "target"),
        )
    )
    assert rows(done) == [
        ("p01", "1", "", "practice", 4), ("p01", "1", "a", "target", 6), ("p01", "1", "b", "target", 2),
    ]  # fmt: skip
    assert units_of_trials(done.trials) == ["practice:1", "target:1", "target:1"]
    items = suite_of(SuiteSettings("r.csv")).items
    assert [(i.id, i.phenomenon, i.group) for i in items] == [
        ("practice:1", "", ""), ("target:1-a", "a", "target:1"), ("target:1-b", "b", "target:1"),
    ]  # fmt: skip


def test_labels_that_are_conditions_do_not_part_an_item(made: Make) -> None:
    lines = [scale("x", n, n, "1", "", label) for n, label in enumerate(("practice", "good", "bad"), start=1)]
    assert units_of_trials(made(penn(*lines)).trials) == ["practice:1", "1", "1"]


def test_only_and_leave_out(made: Make) -> None:
    text = penn(
        *(scale("x", n, r, str(n), "a", label) for n, (label, r) in enumerate((("p", 7), ("t", 1), ("t", 3), ("f", 5))))
    )
    z = [t.z for t in made(text, only=("t",)).trials.trials]
    assert z == [pytest.approx((r - 4) / stdev([7, 1, 3, 5])) for r in (1, 3)]
    z = [t.z for t in made(text, only=("t",), leave_out=("p",)).trials.trials]
    assert z == [-1, 0]
    with pytest.raises(UsageError, match=r'--only: no trial has the label "target"\n  the labels are: f, p, t'):
        made(text, only=("target",))


def test_participants_are_renumbered_and_personal_columns_withheld(made: Make) -> None:
    logged = ("item", "condition", "sentence", "prolific", "note", "structure", "age")
    lines = [
        f"{scale(who, n, n + k, str(n))},5f3a9c1be27d40006a1b2c{k:02},{note},isl,{30 + k}"
        for k, (who, note) in enumerate(
            (("x", "I liked it"), ("y", "too long for me"), ("z", "none"), ("w", "a nice study"))
        )
        for n in (1, 2)
    ]
    done = made(penn(*lines, logged=logged))
    assert clean_table(done.trials).splitlines()[0].endswith(",time,structure,age")
    told = next(line for line in done.trials.read if line.startswith("columns not written"))
    assert told == "columns not written: prolific (identifies people); note (free text); --keep NAME writes a column"
    kept = made(penn(*lines, logged=logged), keep=("note", "participant"), drop=("age",), participant="prolific")
    assert clean_table(kept.trials).splitlines()[1].startswith("5f3a9c1be27d40006a1b2c00,1,a,exp,")
    assert kept.trials.travelling == ("note", "structure")


def test_answers_outside_trials_are_attributes(made: Make) -> None:
    asked = "x,9,questions,DropDown,native,Selected,no,1600000000009,,,"
    done = made(penn(scale("x", 1, 1), scale("x", 2, 3, "2"), asked, scale("y", 1, 2), scale("y", 2, 3, "2")))
    assert len(done.trials.trials) == 4
    assert "1 answer to screens without a sentence, item or condition: native (questions)" in done.trials.read
    Path("rules.yaml").write_text("- rule: who\n  where: {native: no}\n", encoding="utf-8")
    left = made(Path("r.csv").read_text(encoding="utf-8"), exclude=("rules.yaml",))
    assert [(e.participant, e.trials, e.why) for e in left.excluded] == [("p01", 2, "native is no")]
    assert {t.participant for t in left.trials.trials} == {"p02"}


# Ibex


def test_a_sentence_before_its_question(made: Make) -> None:
    text = header(*OLD, "Sentence (or sentence MD5)")
    shown = "1,x,FlashSentence,3,0,good,1"
    question = "1,x,Question,3,1,good,1"
    asked = header(
        "Question (NULL if none)", "Answer", "Whether or not answer was correct", "Time taken to answer", first=8
    )
    native = "1,x,Question,9,0,native,NULL,Are you a native speaker?,yes,NULL,900\n"
    done = made(f"{text}{shown},The cats%2C too.\n{asked}{question},NULL,6,NULL,1500\n{native}")
    (trial,) = done.trials.trials
    assert (trial.sentence, trial.rating, trial.time, trial.condition, trial.item) == (
        "The cats, too.",
        6,
        1500,
        "good",
        "1",
    )
    assert done.trials.withheld == ("native",)


def test_a_question_is_its_own_sentence_where_nothing_was_shown(made: Make) -> None:
    text = header(
        *OLD, "Question (NULL if none)", "Answer", "Whether or not answer was correct", "Time taken to answer"
    )
    done = made(text + "1,x,Question,3,0,good,NULL,The cats sleep.,6,NULL,1500\n")
    assert [(t.sentence, t.item) for t in done.trials.trials] == [("The cats sleep.", "3")]


def test_reading_times_are_told_and_right_answers_are_a_column(made: Make) -> None:
    words = header(*OLD, "Word number", "Word", "Reading time", "Newline?", "Sentence (or sentence MD5)")
    asked = header(
        "Question (NULL if none)", "Answer", "Whether or not answer was correct", "Time taken to answer", first=8
    )
    read = "".join(
        f"1,x,DashedSentence,3,0,good,1,{n},{w},300,False,{'0' * 32}\n" for n, w in ((1, "Cats"), (2, "sleep."))
    )
    text = (
        f"{words}{read}{asked}1,x,Question,3,1,good,1,Who sleeps?,Cats,1,700\n1,x,Question,3,2,good,1,NULL,6,NULL,800\n"
    )
    done = made(text)
    assert [(t.sentence, t.rating, t.others) for t in done.trials.trials] == [("Cats sleep.", 6, ("3", "1"))]
    assert (
        "r.csv: DashedSentence, 2 reading times of words not read: the words make up the sentences shown"
        in done.trials.read
    )
    assert "1 answer to questions with a right answer: the column correct" in done.trials.read


# Tables


def test_magnitude_estimation_is_logarithmic(made: Make) -> None:
    text = "participant,item,sentence,rating,standard\nx,1,A b.,100,10\nx,2,A c.,1,10\nx,3,A d.,0,10\n"
    assert [t.rating for t in made(text, magnitude=True).trials.trials] == [2, 0]
    Path("m.yaml").write_text("task: magnitude\nreference: standard\n", encoding="utf-8")
    done = made(text, columns="m.yaml")
    assert [t.rating for t in done.trials.trials] == [1, -1]
    assert list(map(str, done.trials.left_out)) == ["r.csv:4: the estimate is not above 0: 0"]


def test_a_forced_choice_is_a_trial_for_each_sentence(made: Make) -> None:
    Path("c.yaml").write_text("task: choice\noptions: {good: first, bad: second}\n", encoding="utf-8")
    text = "participant,item,first,second,answer\nx,1,A b.,B a.,good\nx,2,C d.,D c.,D c.\nx,3,E f.,F e.,\n"
    done = made(text, columns="c.yaml")
    assert [(t.item, t.condition, t.sentence, t.rating, t.z) for t in done.trials.trials] == [
        ("1", "good", "A b.", 1, None), ("1", "bad", "B a.", 0, None),
        ("2", "good", "C d.", 0, None), ("2", "bad", "D c.", 1, None),
    ]  # fmt: skip
    assert list(map(str, done.trials.left_out)) == ["r.csv:4: no choice among good, bad: nothing"]


def test_answers_that_begin_with_a_number(made: Make) -> None:
    done = made("participant,item,rating\nx,1,7 - perfect\nx,2,1 (very bad)\nx,3,4\n")
    assert [t.rating for t in done.trials.trials] == [7, 1, 4]


def test_rows_that_count_and_a_file_of_questions(made: Make) -> None:
    Path("q.csv").write_text("column,item,condition,sentence,structure\nS1,1,a,Cats sleep.,isl\n", encoding="utf-8")
    Path("w.yaml").write_text(
        "layout: wide\nwhere: {done: [yes]}\nquestions: q.csv\ncolumns: {participant: VP}\n", encoding="utf-8"
    )
    done = made("VP,done,S1\nx,yes,6\ny,no,1\n", columns="w.yaml")
    assert [(t.sentence, t.rating, t.others) for t in done.trials.trials] == [("Cats sleep.", 6, ("isl", "yes"))]
    assert "r.csv: 1 row without done: yes" in done.trials.read


def test_mistakes_of_a_mapping_file(made: Make) -> None:
    Path("m.yaml").write_text("layuot: wide\ntask: guess\ncolumns: {who: VP}\nscale: seven\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        made("a\n1\n", columns="m.yaml")
    assert [line for line in str(error.value).splitlines() if not line.startswith(" ")] == [
        'm.yaml:1:1: "layuot" is not a key here', 'm.yaml:2:7: "guess" does not fit here',
        'm.yaml:3:11: "who" is not a key here', 'm.yaml:4:8: "seven" is not a scale',
    ]  # fmt: skip


# Bad input


def test_files_of_one_study_with_other_columns(made: Make) -> None:
    one, other = penn(scale("x", 1, 1)), penn(scale("y", 1, 2))
    with pytest.raises(DataError) as error:
        made(one, other.replace(". condition.", ". cond2."))
    assert str(error.value) == (
        "s.csv: no column for the condition, which r.csv has: condition\n"
        "  name the column, --columns condition=NAME, or read the files one by one"
    )
    more = penn(f"{scale('y', 1, 2)},isl", logged=("item", "condition", "sentence", "island"))
    done = made(one, more)
    assert done.trials.beware == ("r.csv: no column island, which s.csv has; its cells are left empty",)
    with pytest.raises(DataError, match=r"s\.csv: has the same content as r\.csv"):
        made(one, one)


def test_submissions_that_were_sent_twice(made: Make) -> None:
    lines = [scale("x", n, n, str(n)) for n in (1, 2, 3, 4, 5)]
    text = penn(*lines)
    again = "".join(line.replace("1x,x", "2x,x") for line in text.splitlines(keepends=True) if not line.startswith("#"))
    done = made(text + again)
    assert len(done.trials.trials) == 5
    assert len(done.trials.left_out) == 5
    assert str(done.trials.left_out[0]) == (
        "r.csv:23: sent twice: the submission repeats the answers and times of an earlier one"
    )
    later = again.replace(",1600000000", ",1700000000").replace(",Choice,1,", ",Choice,5,")
    done = made(text + later)
    assert len(done.trials.trials) == 10
    assert any(note.startswith("2 participants share 1 address") for note in done.trials.beware)
    done = made(text + later, participant="address")
    assert len(done.trials.trials) == 5
    assert (
        str(done.trials.left_out[0]) == "r.csv:23: second submission: the participant already answered this in line 18"
    )


def test_rows_of_a_table_that_stand_twice(made: Make) -> None:
    head, row = "participant,item,rating,time\n", "x,1,4,800\n"
    done = made(f"{head}{row}x,2,5,900\n{row}")
    assert list(map(str, done.trials.left_out)) == ["r.csv:4: sent twice: the row repeats line 2 in all columns"]
    done = made("participant,item,rating\nx,1,4\nx,2,5\nx,1,4\nx,3,1\n")
    assert len(done.trials.trials) == 4
    assert done.trials.beware == ("repeated rows, equal in all columns, which are kept: 1 (r.csv:4)",)


def test_a_participant_without_variance_and_one_item(made: Make, capsys: pytest.CaptureFixture[str]) -> None:
    from numbat.experiments.trials import cautions

    done = made("participant,item,condition,rating\nx,1,a,4\nx,1,b,4\ny,1,a,5\ny,1,b,2\n")
    assert [t.z for t in done.trials.trials] == [None, None, pytest.approx(0.5**0.5), pytest.approx(-(0.5**0.5))]
    assert list(cautions(done.trials)) == [
        "participants without z-scores, because their ratings do not vary: 1 (p01); --exclude one-button",
        "only one item: results do not generalise to other items",
    ]


def test_ratings_off_the_scale_and_decimal_commas(made: Make) -> None:
    text = 'participant,item,rating\nx,1,9\nx,2,"2,5"\nx,3,NA\nx,4,3\n'
    with pytest.raises(DataError) as error:
        made(text)
    assert str(error.value) == (
        'r.csv:3:1: "2,5" is not a number\n'
        "  if this is a decimal comma, --decimal-comma reads it; else write a number with a point"
    )
    done = made(text, decimal_comma=True, scale="1-7")
    assert [t.rating for t in done.trials.trials] == [2.5, 3]
    assert list(map(str, done.trials.left_out)) == ["r.csv:4: no answer", "r.csv:2: outside the scale from 1 to 7: 9"]
    assert [t.rating for t in made(text.replace(",", ";").replace("2;5", "2,5"), scale="1-7").trials.trials] == [2.5, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,rating\n1,2\n", "r.csv:1: no column of participants among 'item', 'rating'"),
        ("participant,item,rating\nx,1\n", "r.csv:2:1: 2 cells, but 3 columns"),
        ("participant,rating,rating\nx,1,2\n", 'r.csv:1: two columns are named "rating"'),
        ("\n", "r.csv: the file is empty"),
        ("participant,item\n\0,1\n", "r.csv:2:1: this line has the character NUL"),
        ("participant,item,rating\nx,1,NA\n", "r.csv: no ratings in these results"),
        (header(*NEW, *PENN), "r.csv: no ratings in these results"),
    ],
)
def test_what_cannot_be_read(made: Make, text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        made(text)
    assert str(error.value).splitlines()[0] == message
    assert "\n  " in str(error.value)


# Exclusions

TIMED = "participant,item,label,rating,time\n" + "".join(
    f"{who},{item},{label},{rating},{time}\n"
    for who, times in (("x", (900, 1000, 1100, 5000)), ("y", (90, 100, 110, 800)), ("z", (900, 900, 900, 900)))
    for item, label, rating, time in zip(
        "1234",
        ("t", "t", "t", "catch"),
        {"x": (1, 5, 7, 1), "y": (2, 6, 7, 7), "z": (4, 4, 4, 4)}[who],
        times,
        strict=True,
    )
)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("one-button", ["p03: 4 of 4 ratings are 4"]),
        ("too-fast=300", ["p02: 3 of 4 trials under 300 ms"]),
        ("fast-trial=95", ["r.csv:6: 90 ms, under 95 ms"]),
        ("slow-trial=4000", ["r.csv:5: 5000 ms, over 4000 ms"]),
        ("slow-outlier=1.4", [
            "r.csv:5: 5000, +1.50 standard deviations from the mean of p01",
            "r.csv:9: 800, +1.50 standard deviations from the mean of p02",
        ]),
        ("outlier=1.2", ["r.csv:6: 2, -1.47 standard deviations from the mean of p02"]),
        ("{rule: catch, where: {label: catch}, expected: 1, within: 1}", [
            "p02: 0 of 1 catch trials as expected, less than 100%",
            "p03: 0 of 1 catch trials as expected, less than 100%",
        ]),
        ("{rule: far-mean, limit: 1}", ["p02: mean rating 5.5, +1.12 standard deviations from the others'"]),
    ],
)  # fmt: skip
def test_rules(made: Make, rule: str, told: list[str]) -> None:
    given = rule
    if rule.startswith("{"):
        given = "rules.yaml"
        Path(given).write_text(f"rules:\n  - {rule}\n", encoding="utf-8")
    done = made(TIMED, exclude=(given,))
    assert list(map(str, done.excluded)) == told
    assert len(done.trials.trials) == 12 - sum(each.trials for each in done.excluded)


def test_rules_apply_in_turn_and_z_scores_are_taken_anew(made: Make) -> None:
    done = made(TIMED, exclude=("slow-trial=4000", "one-button"))
    assert [e.rule for e in done.excluded] == ["slow-trial", "one-button"]
    z = [t.z for t in done.trials.trials if t.participant == "p01"]
    assert z == [pytest.approx((r - 13 / 3) / stdev([1, 5, 7])) for r in (1, 5, 7)]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("one-buton", '--exclude: "one-buton" is not a rule\n'
         '  did you mean "one-button"?; or give a file of rules: rules.yaml'),
        ("too-fast", "rule too-fast: it needs a time\n"
         "  write under: 500 (milliseconds) in the file of rules, or too-fast=500"),
        ("catch", "rule catch: it does not say which trials are catch trials\n"
         "  say which trials they are: where: {label: catch}, expected: 1, within: 2"),
    ],
)  # fmt: skip
def test_rules_that_cannot_be_applied(made: Make, rule: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        made(TIMED, exclude=(rule,))
    assert str(error.value) == message


# The verb


def test_the_verb_writes_and_tells(
    made: Make, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made(penn(scale("x", 1, 1), scale("x", 1, 7), scale("x", 2, 2, "2")))
    numbat = command_line.Numbat(capsys, monkeypatch)
    done = numbat("ratings", "r.csv", "-o", "c.csv", "--omissions", "o.csv", "--exclude", "fast-trial=1")
    assert done.code == 2
    done = numbat("ratings", "r.csv", "-o", "c.csv", "--omissions", "o.csv")
    assert done.out.splitlines()[-2:] == [
        "left out, changed choice: 1 line", "  r.csv:18: changed choice: 1, then 7 in line 19",
    ]  # fmt: skip
    assert Path("o.csv").read_text(encoding="utf-8") == (
        'rule,participant,place,trials,why\n,p01,r.csv:18,1,"changed choice: 1, then 7 in line 19"\n'
    )
    piped = numbat("ratings", "r.csv")
    assert piped.out == Path("c.csv").read_text(encoding="utf-8")
    again = numbat("ratings", "c.csv")
    assert again.out == piped.out


def test_a_table_for_spreadsheets_and_with_tabs(made: Make) -> None:
    text = "participant,item,sentence,rating\nx,1,=1+1 is two.,3\nx,2,A b.,4\n"
    table = clean_table(made(text).trials, "\t", for_spreadsheets=True)
    assert table.splitlines()[1].split("\t")[4] == "'=1+1 is two."
