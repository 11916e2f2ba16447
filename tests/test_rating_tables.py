"""Tables of users: other names of columns, spreadsheets, several participants, logs of experiments."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from numbat import DataError, UsageError
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.suite import Item, Rating, Suite
from numbat.acceptability.summary import scale_of, scale_option, split_half
from numbat.experiments.suites import suite_of
from tests import command_line
from tests.command_line import Done

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")

Read = Callable[..., Suite]
Numbat = Callable[..., Done]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    monkeypatch.chdir(tmp_path)

    def written(text: str, name: str = "s.csv", **settings: object) -> Suite:
        Path(name).write_text(text, encoding="utf-8")
        return suite_of(SuiteSettings(name, **settings))  # type: ignore[arg-type]

    return written


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    return command_line.Numbat(capsys, monkeypatch)


def rated(suite: Suite) -> list[tuple[str, str, float | None]]:
    return [(item.id, item.sentence, item.rating) for item in suite.items]


# Names and cells


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", "Nr;Satz;Bewertung\n01;der Hund bellt;6,5\n02;bellt der;2\n"),
        ("s.tsv", "Nr\tSatz\tBewertung\n01\tder Hund bellt\t6.5\n02\tbellt der\t2\n"),
        (
            "s.jsonl",
            '{"Nr": "01", "Satz": "der Hund bellt", "Bewertung": 6.5}\n'
            '{"Nr": "02", "Satz": "bellt der", "Bewertung": 2}\n',
        ),
    ],
)
def test_columns_are_renamed(read: Read, name: str, text: str) -> None:
    suite = read(text, name, columns="sentence=Satz,rating=Bewertung,id=Nr")
    assert rated(suite) == [("01", "der Hund bellt", 6.5), ("02", "bellt der", 2.0)]
    assert suite.unread == ()


def test_a_column_that_is_renamed_goes_before_one_of_that_name(read: Read) -> None:
    suite = read("sentence,label,Satz\nx,good,der Hund\n", columns="sentence=Satz,phenomenon=label")
    assert [(item.sentence, item.phenomenon, item.judgement) for item in suite.items] == [("der Hund", "good", None)]
    assert suite.unread == ("sentence",)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("sentnce=Satz", '"sentnce" is not a column of a suite\n  did you mean "sentence"?'),
        ("sentence=Satz,rating", '"rating" does not say what a column is called\n  write --columns rating=NAME'),
    ],
)
def test_names_that_rename_nothing(read: Read, columns: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read("Satz\na\n", columns=columns)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [("s.csv", "Satz,Note\na,1\n", "s.csv:1"), ("s.jsonl", '{"Satz": "a", "Note": 1}', "s.jsonl")],
)
def test_a_name_that_the_file_does_not_have(read: Read, name: str, text: str, where: str) -> None:
    with pytest.raises(DataError) as error:
        read(text, name, columns="sentence=Satz,rating=Noten")
    assert str(error.value) == f"{where}: no column \"Noten\" among 'Satz', 'Note'\n  did you mean \"Note\"?"


def test_the_first_line_of_a_spreadsheet_says_what_parts_cells(read: Read) -> None:
    text = "sep=;\nid;sentence;rating\n1;Well, the cat, sleeps;2,5\n"
    assert rated(read(text)) == [("1", "Well, the cat, sleeps", 2.5)]
    assert read(text).items[0].line == 3
    assert rated(read("sep=|\nid|sentence|rating\n1|a; b|2\n")) == [("1", "a; b", 2.0)]


def test_columns_that_nothing_reads_are_told(read: Read) -> None:
    text = "Versuchsperson;Satz;Bewertung;Bedingung\nA;der Hund;2;x\n"
    assert read(text, columns="sentence=Satz,rating=Bewertung").notes == (
        "columns not read: Versuchsperson, Bedingung",
    )
    assert read("sentence,rating,note\na,1,x\n").notes == ("columns not read: note",)
    assert read("sentence,rating\na,1\n").notes == ()


def test_a_pair_of_one_sentence_is_told_and_left_out(read: Read) -> None:
    suite = read("good;bad\nDogs bark.;Dogs barks.\nA dog barks.;A  dog barks.\n")
    assert [item.sentence for item in suite.items] == ["Dogs bark.", "Dogs barks."]
    assert suite.notes == ("the two sentences of a pair are the same: 1 pair left out (s.csv:3)",)
    with pytest.raises(DataError) as error:
        read("good;bad\na;a\n")
    assert str(error.value) == (
        "s.csv: no items: the two sentences of a pair are the same: 1 pair left out (s.csv:2)\n"
        "  give each pair a good sentence and a bad one that differ"
    )


def test_signs_that_only_look_like_marks_are_told(read: Read) -> None:
    sentences = ("% dogs bark", "(*) dog bark", "a. *dog bark", "50 % bark", "I. bark (*)", "%", "2) ?? bark")
    suite = read("sentence,rating\n" + "".join(f"{sentence},1\n" for sentence in sentences))
    assert [item.sentence for item in suite.items] == list(sentences)
    assert suite.notes == (
        'read as words, not marks: "%" (s.csv:2), "(*)" (s.csv:3), "a. *" (s.csv:4), …; '
        "marks are ✓ √ (?) ? ?? ??? # ?* *? * **",
    )


def test_two_blanks_are_one(read: Read) -> None:
    suite = read("id\tsentence\tmean  rating\n1\tthe  cat\t2\n1\tthe cat\t4\n", "s.tsv", columns="rating=mean rating")
    assert [(item.sentence, item.rating, item.judges) for item in suite.items] == [("the cat", 3.0, 2)]


def test_ids_stay_text(read: Read) -> None:
    assert [item.id for item in read("id;sentence;rating\n007;a;2,5\n1,10;b;3\n").items] == ["007", "1,10"]
    assert [item.id for item in read('{"id": 1.10, "sentence": "a"}\n', "s.jsonl").items] == ["1.10"]


def test_what_a_spreadsheet_writes_for_no_value_is_no_rating(read: Read) -> None:
    suite = read("rating,sentence\n#N/A,a\n3,b\n#NV,c\n#DIV/0!,d\n")
    assert [(item.sentence, item.rating) for item in suite.items] == [("a", None), ("b", 3.0), ("c", None), ("d", None)]
    assert suite.notes == ()


# Lines that begin with #


def test_lines_that_begin_with_a_hash_are_counted(read: Read) -> None:
    text = "*cat the\n# 1 is a number\nthe cat\n#odd this\n"
    suite = read(text, "s.txt")
    assert [item.sentence for item in suite.items] == ["cat the", "the cat"]
    assert suite.notes == ("2 lines that begin with # left out as comments (s.txt:2, 4): --hash-lines reads them",)
    every = read(text, "s.txt", hash_lines=True)
    assert [(item.judgement, item.sentence) for item in every.items] == [
        ("*", "cat the"), ("#", "1 is a number"), ("ok", "the cat"), ("#", "odd this"),
    ]  # fmt: skip
    assert every.notes == ()


def test_a_row_of_a_table_that_is_judged_odd(read: Read) -> None:
    text = "# our sentences\njudgement\tsentence\nok\ta\n#\tb\n"
    assert read(text, "s.tsv").notes == (
        "1 line that begins with # left out as a comment (s.tsv:4): --hash-lines reads them",
    )
    assert [item.judgement for item in read(text, "s.tsv", hash_lines=True).items] == ["ok", "#"]


def test_a_test_tells_of_comments(numbat: Numbat) -> None:
    Path("s.txt").write_text("# one\nThe cat sleeps.\n*Cat the sleeps.\n", encoding="utf-8")
    assert numbat("test", "s.txt", "-g", STARTER).out.splitlines()[:2] == [
        "grammar starter 1.0: 2 sentences",
        "! 1 line that begins with # left out as a comment (s.txt:1): --hash-lines reads them",
    ]


# The scale


def test_ratings_outside_the_scale_are_told_and_left_out(read: Read) -> None:
    suite = read("id,sentence,rating\n1,a,7\n1,a,77\n2,b,1\n3,c,0\n", scale="1-7")
    assert rated(suite) == [("1", "a", 7.0), ("2", "b", 1.0), ("3", "c", None)]
    assert suite.notes == ("2 ratings outside the scale from 1 to 7, and left out: 77 (1), 0 (3)",)


def test_a_rating_far_from_all_others_is_told(read: Read) -> None:
    rows = "".join(f"{n},w{n},{1 + n % 7}\n" for n in range(20))
    assert read(f"id,sentence,rating\n{rows}").notes == ()
    assert read(f"id,sentence,rating\n{rows}20,a,9\n").notes == ()
    few = "id,sentence,rating\n1,a,6\n2,b,2\n3,c,5\n"
    assert read(f"{few}4,d,7\n").notes == ()
    assert read(f"{few}4,d,77\n").notes == (
        "1 rating far from the others, which lie from 2 to 6: 77 (4); --scale 2-6 leaves such ratings out",
    )
    assert read(f"id,sentence,rating\n{rows}20,a,77\n").notes == (
        "1 rating far from the others, which lie from 1 to 7: 77 (20); --scale 1-7 leaves such ratings out",
    )
    assert read(f"id,sentence,rating\n{rows}20,a,-99\n").notes == (
        "1 rating far from the others, which lie from 1 to 7: -99 (20); --scale 1-7 leaves such ratings out",
    )


def test_verbs_tell_what_of_a_suite_is_doubted_and_how_few_groups_are_drawn(numbat: Numbat) -> None:
    rows = [f"{n},{n // 5},The cat sleeps.,{1 + n % 5}" if n % 2 else f"{n},{n // 5},Cat the.,1" for n in range(20)]
    Path("s.csv").write_text("\n".join(["id,group,sentence,rating", *rows, "20,3,Cats sleep.,77"]), encoding="utf-8")
    far = "! 1 rating far from the others, which lie from 1 to 5: 77 (20); --scale 1-5 leaves such ratings out"
    few = "! 4 groups only: too few for intervals"
    assert numbat("compare", STARTER, STARTER, "s.csv").out.splitlines()[0] == far
    assert numbat("coverage", "s.csv", "-g", STARTER).out.splitlines()[0] == far
    assert numbat("ablate", "s.csv", "-g", STARTER).out.splitlines()[:2] == [far, few]
    numbat("learn", "costs", "s.csv", "-g", STARTER, "-o", "m.tsv", "--folds", "3")
    told = numbat("importance", "m.tsv", "--on", "s.csv", "-g", STARTER).out.splitlines()
    assert [line for line in told if line in (far, few)] == [far, few]


def test_a_scale_below_0_is_asked_for_with_an_equals_sign() -> None:
    assert [scale_option(scale) for scale in ((1, 7), (0, 1.5), (-3, 3))] == [
        "--scale 1-7", "--scale 0-1.5", "--scale=-3:3",
    ]  # fmt: skip


def test_scales() -> None:
    assert [scale_of(text) for text in ("1-7", "1:7", "-3:3", "-3-3", "0-1.5")] == [
        (1, 7), (1, 7), (-3, 3), (-3, 3), (0, 1.5),
    ]  # fmt: skip
    with pytest.raises(UsageError) as error:
        scale_of("7")
    assert (
        str(error.value)
        == '"7" is not a scale\n  write the least and the greatest rating: --scale 1-7, or --scale=-3:3'
    )


# Several people


@pytest.mark.parametrize("cell", ["4 5 6", "4; 5; 6", "4|5|6", "[4, 5, 6]", "4,5,6", "4, 5, NA, 6"])
def test_a_list_of_ratings_in_a_cell(read: Read, cell: str) -> None:
    (item,) = read(f"sentence\trating\na b\t{cell}\n", "s.tsv").items
    assert (item.rating, item.judges) == (5.0, 3)
    assert item.error == pytest.approx(1 / 3**0.5)


@pytest.mark.parametrize("cell", ['"2,5;3,5"', "2,5 3,5", "2,5 | 3,5", '"[2,5; 3,5]"', "2,5, NA, 3,5"])
def test_a_list_of_ratings_with_decimal_commas(read: Read, cell: str) -> None:
    (item,) = read(f"id;sentence;rating\n1,5;a b;{cell}\n").items
    assert (item.id, item.rating, item.judges) == ("1,5", 3.0, 2)
    if '"' not in cell:
        (item,) = read(f"id\tsentence\trating\n1,5 2,5\ta b\t{cell}\n", "s.tsv").items
        assert (item.id, item.rating, item.judges) == ("1,5 2,5", 3.0, 2)


def test_decimal_commas_in_a_file_that_has_commas_between_cells(read: Read) -> None:
    with pytest.raises(DataError) as error:
        read('id,sentence,rating\n1,a b,"2,5 3,5"\n')
    assert str(error.value) == 's.csv:2:7: "2,5" is not a rating\n  a rating is a number; write 2.5'


def test_a_list_of_ratings_in_json(read: Read) -> None:
    (item,) = read('{"sentence": "a b", "rating": [4, 5, 6]}\n', "s.jsonl").items
    assert (item.rating, item.judges) == (5.0, 3)


def test_z_scores_within_participants(read: Read) -> None:
    """One person uses 1 to 3, one 5 to 7, and they agree; a third always uses 4 and contributes nothing."""
    text = "participant,sentence,rating\n" + "".join(
        f"{who},{sentence},{rating}\n"
        for who, ratings in (("p", (1, 2, 3)), ("q", (5, 6, 7)), ("r", (4, 4, 4)))
        for sentence, rating in zip("abc", ratings, strict=True)
    )
    raw = read(text)
    assert [(item.rating, item.judges) for item in raw.items] == [
        (pytest.approx(10 / 3), 3), (4.0, 3), (pytest.approx(14 / 3), 3),
    ]  # fmt: skip
    suite = read(text, z_scores=True)
    assert [(item.rating, item.judges, item.error) for item in suite.items] == [
        (-1.0, 2, 0.0), (0.0, 2, 0.0), (1.0, 2, 0.0),
    ]  # fmt: skip
    assert suite.notes == (
        "ratings are z-scores within each of 3 participants",
        "participants without z-scores, as all their ratings are equal: 1 (r)",
    )


def test_z_scores_need_participants(read: Read) -> None:
    with pytest.raises(DataError) as error:
        read("sentence,rating\na,1\n", z_scores=True)
    assert str(error.value) == (
        "s.csv: z-scores need the participant of every rating\n"
        "  add a column participant with a line for each rating, or name it: --columns participant=NAME"
    )


def test_the_ceiling_of_people_who_agree_and_who_do_not() -> None:
    """Ratings that are the same for all have a ceiling of 1, also where people are not known."""
    alike = [Item(str(n), str(n), ratings=tuple(Rating(n, who) for who in "abcd")) for n in range(5)]
    found = split_half(alike)
    assert found is not None
    assert found.value == pytest.approx(1.0)
    assert (found.items, found.judges, found.participants) == (5, 4, 4)
    unknown = split_half([Item("", "", ratings=tuple(Rating(n) for _ in range(3))) for n in range(5)])
    assert unknown is not None
    assert unknown.value == pytest.approx(1.0)
    assert unknown.participants == 0
    assert split_half([Item("1", "a", 3.0, ratings=(Rating(3.0),))] * 9) is None
    assert split_half(alike[:2]) is None


def test_spearman_brown() -> None:
    """Two people: every split is the same one, so that r = .5 of the halves is 2/3 of the whole."""
    pairs = [(1, 1), (2, 3), (3, 2)]
    found = split_half([Item("", "", ratings=(Rating(a, "p"), Rating(b, "q"))) for a, b in pairs])
    assert found is not None
    assert found.value == pytest.approx(2 / 3)


def test_a_report_has_the_ceiling_and_standard_errors(numbat: Numbat) -> None:
    Path("s.csv").write_text(
        "participant,item,sentence,rating\n"
        "p,1,The cat sleeps.,6\nq,1,The cat sleeps.,7\np,2,The cats sleeps.,3\nq,2,The cats sleeps.,2\n"
        "p,3,Cats the sleeps.,1\nq,3,Cats the sleeps.,1\n",
        encoding="utf-8",
    )
    ran = ("report", "s.csv", "-g", STARTER, "-m", "cost", "-m", "all", "--csv", "t", "--html", "r.html")
    lines = numbat(*ran).out.splitlines()
    ceiling = (
        "split-half ceiling of pearson: 0.984 (halves of 2 participants, 3 items with a median of 2 ratings; "
        "Spearman-Brown, 100 splits)"
    )
    assert ceiling in lines
    assert ceiling in Path("r.html").read_text(encoding="utf-8")
    with Path("t/sentences.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["judges"], row["error"], row["score"]) for row in rows] == [
        ("2", "0.5", "0.0"), ("2", "0.5", "-1.0"), ("2", "0.0", "-2.0"),
    ]  # fmt: skip
    assert (rows[0]["score_coherence"], rows[0]["score_violation-density"]) == ("1.0", "0.0")
    assert "score_cost" not in rows[0]
    summary = Path("t/summary.csv").read_text(encoding="utf-8")
    assert "\npeople,split-half,all,0.98" in summary
    assert "\nsentences.csv,score_net,number,score by the model net\n" in Path("t/dictionary.csv").read_text(
        encoding="utf-8"
    )
    found = json.loads(numbat("report", "s.csv", "-g", STARTER, "-f", "json").out)
    assert (found["ceiling"]["items"], found["items"][0]["judges"], found["items"][0]["error"]) == (3, 2, 0.5)


# Results of PCIbex

LOGGED = """\
# Results on Sat, 21 Nov 2026 06:00:00 GMT
# 1. Results reception time.
# 2. MD5 hash of participant's IP address.
# 3. Controller name.
# 4. Order number of item.
# 5. Inner element number.
# 6. Label.
# 7. Latin Square Group.
# 8. PennElementType.
# 9. PennElementName.
# 10. Parameter.
# 11. Value.
# 12. EventTime.
# 13. item.
# 14. group.
# 15. condition.
# 16. sentence.
# 17. Comments.
"""


def trial(who: int, rating: int, item: str, group: str, condition: str, sentence: str) -> str:
    start = f"{who},p{who},PennController,1,0,trial,NULL,Scale,rate,Choice"
    return f"{start},{rating},10,{item},{group},{condition},{sentence},NULL\n"


def test_logged_columns_are_item_group_and_condition_again(read: Read) -> None:
    text = LOGGED + "".join(
        trial(who, rating, *shown)
        for who in (1, 2)
        for rating, *shown in (
            (6 + who // 2, "1", "A", "good", "The cat sleeps."), (2, "1", "A", "bad", "The cats sleeps."),
            (5, "2", "A", "good", "The dog barks."),
        )
    )  # fmt: skip
    suite = read(text, "results.csv")
    assert [(i.id, i.group, i.phenomenon, i.rating, i.judges) for i in suite.items] == [
        ("1-good", "A", "good", 6.5, 2), ("1-bad", "A", "bad", 2.0, 2), ("2", "A", "good", 5.0, 2),
    ]  # fmt: skip
    assert len({rating.participant for item in suite.items for rating in item.ratings}) == 2
    assert read(text, "results.csv", z_scores=True).items[0].rating == pytest.approx(0.9, abs=0.1)


def test_a_group_of_participants_is_none_of_items(read: Read) -> None:
    """In a Latin square each list of participants has another condition of an item."""
    text = LOGGED + trial(1, 6, "1", "A", "good", "The cat sleeps.") + trial(2, 2, "1", "B", "bad", "The cats sleeps.")
    assert [(i.id, i.group) for i in read(text, "results.csv").items] == [("1-good", "1"), ("1-bad", "1")]


ONE_NUMBER = """\
participant,item,condition,materials,sentence,rating
p1,1,a,exp1,The cat sleeps.,5
p1,1,b,exp1,The cat sleep.,4
p1,1,a,filler,Dogs bark.,3
p1,1,b,filler,Nobody ate the fish.,2
p2,1,a,exp1,The cat sleeps.,5
p2,1,b,exp1,The cat sleep.,4
p2,1,a,filler,Dogs bark.,3
p2,1,b,filler,Nobody ate the fish.,1
"""


def test_items_of_two_experiments_under_one_number(numbat: Numbat) -> None:
    Path("r.csv").write_text(ONE_NUMBER, encoding="utf-8")
    caution = (
        "! 1 item with several sentences in one condition (1): if they are items of several experiments, "
        "--columns label=materials tells them apart\n"
    )
    assert caution in numbat("ratings", "r.csv").err
    factorial = ("report", "r.csv", "--factors", "condition=a/b")
    assert f"{caution.partition('--')[0]}give each its own number\n" in numbat(*factorial).out
    assert "several sentences" not in numbat(*factorial, "--designs", "materials").out
    apart = numbat("ratings", "r.csv", "--columns", "label=materials").err
    assert "several sentences" not in apart
    assert "8 trials of 2 participants, 2 items, 4 sentences" in apart
    Path("r.csv").write_text(ONE_NUMBER.replace("filler", "exp1"), encoding="utf-8")
    assert "give each its own number" in numbat("ratings", "r.csv").err


PSYCHOPY = """\
sentence,item,condition,rating.response,rating.rt,participant,date,expName,psychopyVersion,frameRate,
The cats sleep.,1,match,6,1.52,p1,2026-01-01,ajt,2023.1,60,
The cats sleeps.,2,clash,2,2.1,p1,2026-01-01,ajt,2023.1,60,
The cats sleep.,1,match,7,1.75,p2,2026-01-01,ajt,2023.1,60,
The cats sleeps.,2,clash,1,2.1,p2,2026-01-01,ajt,2023.1,60,
"""


def test_times_of_psychopy_are_seconds_and_other_short_times_are_doubted(numbat: Numbat) -> None:
    columns = ("--columns", "rating=rating.response,time=rating.rt")
    Path("r.csv").write_text(PSYCHOPY, encoding="utf-8")
    done = numbat("ratings", "r.csv", *columns)
    assert [row["time"] for row in csv.DictReader(done.out.splitlines())] == ["1520", "2100", "1750", "2100"]
    assert "seconds" not in done.err
    Path("r.csv").write_text(PSYCHOPY.replace("psychopyVersion", "version"), encoding="utf-8")
    assert (
        "! the median response time is 1.925 ms: if these are seconds, write time_unit: s in a YAML file, "
        "--columns study.yaml\n"
    ) in numbat("ratings", "r.csv", *columns).err


def test_a_missing_value_is_no_sentence(numbat: Numbat) -> None:
    Path("r.csv").write_text("item,condition,sentence,rating\n1,a,The cat sleeps.,6\n2,b,NA,3\n", encoding="utf-8")
    done = numbat("report", "r.csv")
    assert (done.err, done.code) == ("r.csv:3:1: no sentence\n  write one, or leave out the line\n", 65)
