"""Suites of judged, rated and paired sentences: all kinds of files, and every mistake in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from numbat import DataError, MissingFileError
from numbat.acceptability.suite import Suite
from numbat.acceptability.suite_files import read_suite
from numbat.experiments.suites import ResultsFormat

Write = Callable[..., Suite]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def written(text: str | bytes, name: str = "suite.tsv", **options: object) -> Suite:
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
        return read_suite(name, formats=(ResultsFormat(),), **options)  # type: ignore[arg-type]

    return written


def complaint(read: Write, text: str | bytes, **options: object) -> str:
    with pytest.raises(DataError) as error:
        read(text, **options)
    return str(error.value)


def test_the_format_of_the_corpora(read: Write) -> None:
    suite = read(
        "# comment\nid\tjudgement\tsentence\tphenomenon\trelation\n"
        "g1\tok\tThe cat sleeps.\tplain\t-\n\nb1\t*\tCat sleeps.\tdeterminer\trequirement|obligation\n"
        "q1\t?\tThe cat sleep.\tagreement\t\n"
    )
    assert suite.kind == "judged"
    assert [(i.id, i.judgement, i.rating, i.is_good, i.relations, i.line) for i in suite.items] == [
        ("g1", "ok", 1.0, True, (), 3),
        ("b1", "*", 0.0, False, ("requirement", "obligation"), 5),
        ("q1", "?", 0.6, None, (), 6),
    ]
    assert suite.place(suite.items[1]) == "suite.tsv:5"


def test_signs_are_ordered(read: Write) -> None:
    signs = ["ok", "(?)", "?", "??", "?*", "*"]
    suite = read("judgement\tsentence\n" + "".join(f"{sign}\tw{i}\n" for i, sign in enumerate(signs)))
    ratings = [item.rating or 0.0 for item in suite.items]
    assert ratings == sorted(ratings, reverse=True)
    assert len(set(ratings)) == 6


def test_ratings_in_csv_with_quotes_and_other_names(read: Write) -> None:
    suite = read('Text,Mean_Rating,Pair\r\n"A cat, it sleeps.",3.5,\r\n"two\nlines",-1e0,\r\nlast,,\r\n', "s.csv")
    assert suite.kind == "rated"
    assert [(i.sentence, i.rating, i.line) for i in suite.items] == [
        ("A cat, it sleeps.", 3.5, 2),
        ("two\nlines", -1.0, 3),
        ("last", None, 5),
    ]
    assert [item.sentence for item in suite.rated] == ["A cat, it sleeps.", "two\nlines"]


def test_signs_for_no_rating(read: Write) -> None:
    suite = read("sentence\trating\na\t-\nb\tNA\nc\tnone\nd\t\ne\t-1\nf\tn/a\n")
    assert [item.rating for item in suite.items] == [None, None, None, None, -1.0, None]
    suite = read("sentence\tjudgement\trating\na\t5\t-\nb\t-\t2\nc\t-\t-\n")
    assert [item.rating for item in suite.items] == [5.0, 2.0, None]


def test_names_of_columns_that_are_given_though_the_file_has_its_own(read: Write) -> None:
    with pytest.raises(DataError) as caught:
        read("phrase_en\tmos\nthe cat\t4\n", names=("sentence", "rating"))
    assert str(caught.value) == (
        'suite.tsv:1:11: "mos" is not a rating\n  a rating is a number; leave the cell empty if there is none; '
        "--columns is for a file without a line of names: leave that line out"
    )


def test_names_of_columns_with_blanks(read: Write) -> None:
    suite = read("Mean Rating\tSentence_ID\tText\n4\ta1\tthe cat\n")
    assert [(item.id, item.sentence, item.rating) for item in suite.items] == [("a1", "the cat", 4.0)]


def test_no_column_that_is_understood_is_mistaken_for_the_sentences(read: Write) -> None:
    assert complaint(read, "satz\trating\nthe cat\t4\n") == (
        "suite.tsv:1: no column of sentences among 'satz', 'rating'\n"
        "  the first line names the columns: sentence, and judgement or rating, or good and bad; "
        "--columns sentence=Satz,rating=Note translates column names, --columns rating,sentence names the columns "
        "of a file without names, --columns sentence reads a plain list"
    )


def test_ratings_of_several_people_a_line_each(read: Write) -> None:
    suite = read("id\tsentence\trating\n1\ta b\t4\n2\tb a\t1\n1\ta b\t5\n1\ta b\tNA\n2\tb a\t2\n3\tb b\t-\n3\tb b\t-\n")
    assert [(i.id, i.rating, i.judges, i.line) for i in suite.items] == [
        ("1", 4.5, 2, 2),
        ("2", 1.5, 2, 3),
        ("3", None, 1, 7),
    ]
    assert suite.means == ", means of 4 ratings"
    assert read("id\tsentence\trating\n1\ta b\t4\n2\tb a\t1\n").means == ""


def test_items_of_an_experiment_in_several_conditions(read: Write) -> None:
    """A line for each participant, item and condition, as experiments write them."""
    suite = read(
        "participant;item;condition;sentence;rating\n"
        "P1;1;good;a b;6\nP1;1;bad;b a;2,5\nP1;2;good;c d;7\nP2;1;good;a b;5\nP2;1;bad;b a;1,5\nP2;3;bad;d c;\n",
        "s.csv",
    )
    assert [(i.id, i.phenomenon, i.group, i.rating) for i in suite.items] == [
        ("1-good", "good", "1", 5.5),
        ("1-bad", "bad", "1", 2.0),
        ("2", "good", "", 7.0),
        ("3", "bad", "", None),
    ]
    bare = read("item\tsentence\trating\n1\ta b\t4\n1\tb a\t5\n2\tc\t5\n")
    assert [(i.id, i.group) for i in bare.items] == [("1-2", "1"), ("1-3", "1"), ("2", "")]
    named = read("item\tid\tgroup\tsentence\trating\n1\tx\tg\ta b\t4\n1\ty\th\tb a\t5\n")
    assert [(i.id, i.group) for i in named.items] == [("x", "g"), ("y", "h")]


def test_ids_that_stand_again(read: Write) -> None:
    assert complaint(
        read, "id\tsentence\tlabel\n1\ta b\t1\n1\ta b\t0\n2\tb a\t1\n2\tb a\t0\n2\tb\t1\n3\tb b\t1\n3\tb c\t1\n"
    ) == (
        'suite.tsv:3:1: the id "1" and the sentence are those of line 2 (2 such lines)\n'
        "  judge each sentence once, or leave the column out\n"
        'suite.tsv:6:1: the id "2" is that of line 4 (2 such lines)\n'
        "  give every sentence its own id, or leave out the column; "
        'a number that the conditions of an experiment share belongs in a column "item"'
    )


def test_ids_have_no_tabs_and_ends_of_lines(read: Write) -> None:
    suite = read('{"id": "a\\tb", "sentence": " the  cat", "phenomenon": "word\\n order", "rating": 1}\n')
    assert [(i.id, i.sentence, i.phenomenon) for i in suite.items] == [("a b", "the cat", "word order")]


def test_semicolons_make_a_csv_too(read: Write) -> None:
    suite = read("sentence;rating\nA cat, it sleeps.;2\nThe answer is 4,5.;-4,25\n", "s.csv")
    assert [(i.sentence, i.rating) for i in suite.items] == [("A cat, it sleeps.", 2.0), ("The answer is 4,5.", -4.25)]


def test_a_judgement_column_of_numbers_is_signs_or_ratings(read: Write) -> None:
    """Only 0 and 1: signs. Any other number: all are ratings, 1 too."""
    signs = read("label\tsentence\n1\ta b\n0\tb a\n")
    assert [(i.judgement, i.rating) for i in signs.items] == [("1", 1.0), ("0", 0.0)]
    ratings = read("label\tsentence\n1\ta b\n7\tb a\n")
    assert [(i.judgement, i.rating) for i in ratings.items] == [(None, 1.0), (None, 7.0)]


def test_nothing_but_sentences_is_unrated(read: Write) -> None:
    suite = read("sentence\na b\nb a\n")
    assert (suite.kind, suite.rated, suite.pairs) == ("unrated", (), ())
    assert [item.id for item in suite.items] == ["2", "3"]


def test_pairs_in_two_columns(read: Write) -> None:
    suite = read("Good ID\tGood Sentence\tBad Sentence\tUID\nx\tthe cat\tcat the\torder\n")
    assert suite.kind == "pairs"
    assert [(i.id, i.sentence, i.rating, i.phenomenon) for i in suite.items] == [
        ("2-good", "the cat", 1.0, "order"),
        ("2-bad", "cat the", 0.0, "order"),
    ]
    ((good, bad),) = suite.pairs
    assert (good.sentence, bad.sentence) == ("the cat", "cat the")


def test_pairs_in_json_lines(read: Write) -> None:
    """The ids of published collections start afresh in every file: the line names the pair."""
    suite = read(
        '{"good": "the cat", "bad": "cat the", "UID": "order", "extra": [1]}\n\n'
        '{"sentence_good": "a dog", "sentence_bad": "dog a", "pairID": "0"}\n'
        '{"sentence_a": "un chat", "sentence_b": "chat un", "label": 0}\n'
        '{"sentence_a": "chien un", "sentence_b": "un chien", "label": 1}\n',
        "s.jsonl",
    )
    assert [(good.sentence, bad.sentence, good.pair) for good, bad in suite.pairs] == [
        ("the cat", "cat the", "1"),
        ("a dog", "dog a", "3"),
        ("un chat", "chat un", "4"),
        ("un chien", "chien un", "5"),
    ]


def test_rated_json_lines(read: Write) -> None:
    suite = read('{"id": "x", "sentence": "a b", "rating": 2.5}\n{"id": "y", "sentence": "b", "rating": null}\n')
    assert [(i.id, i.sentence, i.rating) for i in suite.items] == [("x", "a b", 2.5), ("y", "b", None)]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("id\tsentence\n1\t*cats the\n2\tthe cats\n", {}),
        ("sentence\tlabel\na\t3\nb\t1\nc\t0\n", {}),
        ("text\tlabel\na\t1\nb\t0\n", {}),
        ("text\tlabel\tnote\na\t1\tx\nb\t0\t\n", {"adjacent": True}),
        ("sentence\na\nb\n", {"adjacent": True}),
        ("item\tfirst\nok\tthe cats\n*\tcats the\n", {"names": ["judgement", "sentence"], "adjacent": True}),
    ],
)
def test_json_lines_say_what_the_table_says(read: Write, table: str, options: dict[str, object]) -> None:
    names, *rows = (line.split("\t") for line in table.splitlines())
    # The objects begin in the second line, as the rows of the table do.
    lines = "\n" + "".join(json.dumps({k: v for k, v in zip(names, row, strict=True) if v}) + "\n" for row in rows)
    written = table.split("\n", 1)[1] if "names" in options else table
    expected = read("#\n" + written if "names" in options else written, "s", **options)
    assert read(lines, "s", **options) == replace(expected, notes=())


def test_names_for_json_lines_are_as_many_as_their_keys(read: Write) -> None:
    lines = '{"a": "the cat", "b": "ok", "c": [1]}\n{"d": "x"}\n'
    assert complaint(read, lines, names=["sentence", "judgement"]) == (
        "suite.tsv: 2 names for 3 keys\n  the keys are, in this order: a, b, d"
    )


def test_a_plain_list_has_a_sentence_a_line(read: Write) -> None:
    text = 'Well, the cat sleeps.\r\n"Go", she said, and "he went.\r\n\r\n# note\r\nThe dog; barks\r\n'
    suite = read(text, names=["sentence"])
    assert [item.sentence for item in suite.items] == [
        "Well, the cat sleeps.", '"Go", she said, and "he went.', "The dog; barks"
    ]  # fmt: skip


def test_adjacent_lines_as_pairs_without_names(read: Write) -> None:
    suite = read("False\tchat le\nTrue\tle chat\n", names=["label", "sentence"], adjacent=True)
    assert [(good.sentence, bad.sentence) for good, bad in suite.pairs] == [("le chat", "chat le")]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a b, c\nb a\n\nc d\nd c\n", {}),
        ("sentence\na b, c\nb a\nc d\nd c\n", {}),
        ("a b, c\t1\nb a\t2\nc d\t3\nd c\t4\n", {"names": ["sentence", "id"]}),
        ("*b a\na b, c\nc d\n*d c\n", {}),
    ],
)
def test_without_signs_the_first_of_a_pair_is_good(read: Write, text: str, options: dict[str, object]) -> None:
    suite = read(text, adjacent=True, **options)
    assert suite.kind == "pairs"
    assert [(one.sentence, other.sentence) for one, other in suite.pairs] == [("a b, c", "b a"), ("c d", "d c")]
    assert [item.is_good for item in suite.items].count(True) == 2


def test_a_pair_column_takes_the_best_and_the_worst(read: Write) -> None:
    suite = read("pair\tsentence\trating\n1\ta\t2\n1\tb\t5\n1\tc\t3\n2\td\t1\n2\te\t1\n3\tf\t1\n")
    assert [(good.sentence, bad.sentence) for good, bad in suite.pairs] == [("b", "a")]


PENN = """\
#
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
# 13. sentence.
# 14. Comments.
1,p1,PennController,1,0,agreement,NULL,PennController,0,_Trial_,Start,10,The cat sleeps%2C.,NULL
1,p1,PennController,1,0,agreement,NULL,Scale,rate,Choice,6,10,The cat sleeps%2C.,NULL
1,p1,PennController,2,0,agreement,NULL,Scale,rate,Choice,2,10,The cat sleep.,NULL
2,p2,PennController,1,0,agreement,NULL,Scale,rate,Choice,7,10,The cat sleeps%2C.,NULL
"""
PENN_TRIAL = "1,p1,PennController,3,0,agreement,NULL,Scale,rate,Choice"


def test_results_of_penncontroller(read: Write) -> None:
    suite = read(PENN, "results.csv")
    assert [(i.sentence, i.rating, i.judges, i.phenomenon, i.line) for i in suite.items] == [
        ("The cat sleeps,.", 6.5, 2, "agreement", 18),
        ("The cat sleep.", 2.0, 1, "agreement", 19),
    ]


@pytest.mark.parametrize("odd", ["# ³. Label.\n", f"{PENN_TRIAL},nan,10,It.,NULL\n", f"{PENN_TRIAL},inf,10,It.,NULL\n"])
def test_what_is_no_number_in_results_is_passed_over(read: Write, odd: str) -> None:
    assert read(PENN + odd, "results.csv").items == read(PENN, "results.csv").items


def test_results_of_ibex(read: Write) -> None:
    head = (
        "# 1. Results reception time.\n# 2. MD5 hash of participant's IP address.\n# 3. Controller name.\n"
        "# 4. Item number.\n# 5. Element number.\n# 6. Type.\n# 7. Group.\n"
    )
    shown = "# 8. Sentence (or sentence MD5).\n"
    question = "# 8. Question (NULL if none).\n# 9. Answer.\n# 10. Whether or not answer was correct.\n"
    one = "1,p1,AcceptabilityJudgment,3,0,good,NULL"
    two = "1,p1,AcceptabilityJudgment,4,0,bad,NULL"
    text = f"{head}{shown}{one},The cat sleeps.\n{question}{one},NULL,5,NULL\n"
    text += f"{shown}{two},Cat the.\n{question}{two},NULL,1,NULL\n"
    found = [(i.sentence, i.rating, i.phenomenon) for i in read(text, "results.txt").items]
    assert found == [("The cat sleeps.", 5.0, "good"), ("Cat the.", 1.0, "bad")]


def test_results_without_sentences(read: Write) -> None:
    assert complaint(read, PENN.replace("# 13. sentence.", "# 13. condition.")) == (
        "suite.tsv: no rated sentences in these results\n"
        '  log the sentence of each trial as a column: newTrial(...).log("sentence", row.sentence)'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id\tjudgement\tsentence\na\tok\tThe cat.\nb\tokay\tThe cat.\nc\tok\na\t*\t\na\t*\tCat the.\nd\n",
            'suite.tsv:3:3: "okay" is not a judgement\n  write ok, ?, ??, * or a number\n'
            "suite.tsv:4:1: 2 cells, but 3 columns\n  separate cells as in the first line; quote in CSV\n"
            "suite.tsv:5:1: no sentence\n  write one, or leave out the line\n"
            'suite.tsv:6:1: the id "a" is that of line 2\n  give every sentence its own id, or leave out the column; '
            'a number that the conditions of an experiment share belongs in a column "item"\n'
            "suite.tsv:7:1: 1 cell, but 3 columns\n  separate cells as in the first line; quote in CSV",
        ),
        (
            "sentence\tjudgement\nThe cat.\tok\nNA\tok\nN/A\t*\n",
            "suite.tsv:3:1: no sentence\n  write one, or leave out the line\n"
            "suite.tsv:4:1: no sentence\n  write one, or leave out the line",
        ),
        (
            '{"sentence": "a", "rating": 1}\n[]\n{"text": "b", "rating": "x"}\n{"id": 1}\n{"sentence": "a"\n',
            'suite.tsv:2:1: not a JSON object\n  write {"good": "...", "bad": "..."}\n'
            'suite.tsv:3:1: "x" is not a rating\n  a rating is a number; leave the cell empty if there is none\n'
            "suite.tsv:4:1: no sentence\n  write one, or leave out the line\n"
            "suite.tsv:5:17: not JSON: Expecting ',' delimiter\n  write one JSON object per line",
        ),
    ],
    ids=["table", "NA", "JSON lines"],
)
def test_every_mistake_is_reported_at_once(read: Write, text: str, message: str) -> None:
    assert complaint(read, text) == message


@pytest.mark.parametrize("after", ["", "2,Cats sleep,ok\n", '2,"Cats, too",ok\n3,"Dogs",ok\n'])
def test_a_quotation_mark_that_is_not_closed(read: Write, after: str) -> None:
    assert complaint(read, f'id,sentence,judgement\n1,"The cat sleeps,ok\n{after}') == (
        "suite.tsv:2: the quotation mark in line 2 is not closed\n"
        '  close it at the end of its cell; inside the cell it is doubled: ""'
    )


def test_a_quoted_cell_may_go_on_in_the_next_line(read: Write) -> None:
    suite = read('id,sentence,judgement\n1,"The ""cat""\n sleeps",ok\n2,"Cats" sleep,ok\n')
    assert [(item.sentence, item.line) for item in suite.items] == [('The "cat"\n sleeps', 2), ("Cats sleep", 4)]


@pytest.mark.parametrize("sign", ["\u2028", "\x0b", "\x0c", "\x85", "\x1c"])
@pytest.mark.parametrize("text", ["sentence\n{}\n", "sentence\tid\n{}\t1\n", "sentence,id\n{},1\n", "{}\n* the\n"])
def test_only_the_end_of_a_line_parts_lines(read: Write, text: str, sign: str) -> None:
    """A sentence out of a PDF file may have other signs at which Python splits lines."""
    assert read(text.format(f"The{sign}cat")).items[0].sentence == f"The{sign}cat"


@pytest.mark.parametrize("end", ["\r", "\r\n"])
@pytest.mark.parametrize("text", ["sentence\nthe\n", "sentence\tid\nthe\t1\n", "sentence,id\nthe,1\n", "the\n* cat\n"])
def test_lines_end_as_systems_end_them(read: Write, text: str, end: str) -> None:
    assert read(text.replace("\n", end)) == read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "suite.tsv: no items: the file is empty\n  the first line names the columns: sentence, and judgement or "
         "rating, or good and bad"),
        ("\n \n", "suite.tsv: no items: the file is empty\n  the first line names the columns: sentence, and judgement "
         "or rating, or good and bad"),
        (
            f"sentence,rating\na,1\n{'b' * 200_000},2\n",
            "suite.tsv:3: a cell of more than 131,072 characters\n"
            "  check that the lines of the table end, and that its quotation marks are closed",
        ),
        (
            f"# Results on 1 May\n# 1. Results reception time.\n1,{'b' * 200_000}\n",
            "suite.tsv:3: a cell of more than 131,072 characters\n"
            "  check that the lines of the table end, and that its quotation marks are closed",
        ),
        ("id\tsentence\n", "suite.tsv: no items\n  write one line for each sentence below the column names"),
        (
            "id\tsentense\n1\ta\n",
            'suite.tsv:1: no column of sentences among \'id\', \'sentense\'\n  did you mean "sentence"? --columns '
            "sentence=Satz,rating=Note translates column names, --columns rating,sentence names the columns of a "
            "file without names, --columns sentence reads a plain list",
        ),
        (
            '{"sentense": "a"}\n',
            'suite.tsv: no column of sentences among \'sentense\'\n  did you mean "sentence"? --columns '
            "sentence=Satz,rating=Note translates column names, --columns rating,sentence names the columns of a "
            "file without names, --columns sentence reads a plain list",
        ),
        (
            "sentence\tRating\trating\na\t4\t5\n",
            'suite.tsv:1: the column "rating" is repeated\n  give each column its own name',
        ),
        (
            "sentence,id\nCats sleep,1\nCats, 2,5\n",
            "suite.tsv:3:1: 3 cells, but 2 columns\n  separate cells as in the first line; quote in CSV",
        ),
        (
            "sentence\trating\na\tfour\n",
            'suite.tsv:2:3: "four" is not a rating\n  a rating is a number; leave the cell empty if there is none',
        ),
        (
            "sentence\trating\na\t1e300\n",
            'suite.tsv:2:3: "1e300" is not a rating\n  a rating is a number; leave the cell empty if there is none',
        ),
        (
            "sentence\trating\na\tinf\n",
            'suite.tsv:2:3: "inf" is not a rating\n  a rating is a number; leave the cell empty if there is none',
        ),
        (
            "good\tbad\na\t\n",
            "suite.tsv:2:1: the pair lacks its bad sentence\n  write it in its column, or leave out the line",
        ),
        (
            b"sentence\n\xff\n",
            "suite.tsv:2:1: this line is not UTF-8 (byte 1 is FF)\n    �\n    ^\n"
            "  give its encoding, such as --encoding latin-1, or save the file in the encoding UTF-8",
        ),
        (
            '{"good": "a", "bad": "b"}\n{"good": "a"\n',
            "suite.tsv:2:13: not JSON: Expecting ',' delimiter\n  write one JSON object per line",
        ),
        *(
            (
                f'{{"good": "a", "bad": "b"}}\n{{"good": {odd}\n',
                "suite.tsv:2:1: this JSON is nested too deeply, or a number in it is too long\n"
                "  write one JSON object per line",
            )
            for odd in ("[" * 200_000, "1" * 5_000 + "}")
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read(read: Write, text: str | bytes, message: str) -> None:
    assert complaint(read, text) == message


def test_lines_that_are_no_pairs(read: Write) -> None:
    assert complaint(read, "sentence\tstars\na b\t5\nb a\t1\n", adjacent=True) == (
        "suite.tsv:2:1: not a pair: this line and the next are not both judged\n"
        "  with --pairs every two lines are a pair: put each good sentence next to its bad one"
    )
    text = "judgement\tsentence\nok\ta b\nok\tb a\n*\tc\n"
    assert complaint(read, text, adjacent=True) == (
        "suite.tsv:2:1: not a pair: this line and the next are judged the same\n"
        "  with --pairs every two lines are a pair: put each good sentence next to its bad one\n"
        "suite.tsv:4:1: the last line has no partner\n"
        "  with --pairs every two lines are a pair: put each good sentence next to its bad one"
    )


def test_a_folder_is_one_suite(tmp_path: Path, read: Write) -> None:
    (tmp_path / "f").mkdir()
    for name, bad in (("b.jsonl", "cat the"), ("a.jsonl", "dog a")):
        (tmp_path / "f" / name).write_text(f'{{"good": "x", "bad": "{bad}"}}\n', encoding="utf-8")
    (tmp_path / "f" / "a.expected.tsv").write_text("id\n", encoding="utf-8")
    (tmp_path / "f" / "README.md").write_text("no suite", encoding="utf-8")
    suite = read_suite("f")
    assert [(i.id, i.pair, i.phenomenon, suite.place(i)) for i in suite.items] == [
        ("a/1-good", "a/1", "a", "f/a.jsonl:1"),
        ("a/1-bad", "a/1", "a", "f/a.jsonl:1"),
        ("b/1-good", "b/1", "b", "f/b.jsonl:1"),
        ("b/1-bad", "b/1", "b", "f/b.jsonl:1"),
    ]
    assert len(suite.pairs) == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError) as error:
        read_suite("empty")
    assert str(error.value) == (
        "empty: no suites in this folder\n  the names of suites end with .tsv, .csv, .xlsx, .jsonl, .txt, .json"
    )


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(MissingFileError) as error:
        read_suite("nowhere.tsv")
    assert str(error.value) == "nowhere.tsv: cannot be read: No such file or directory"


def test_published_data_sets_are_read_as_they_are(data: Path) -> None:
    folder = data / "accept"
    blimp = read_suite(str(folder / "blimp"))
    assert (len(blimp.pairs), len({item.phenomenon for item in blimp.items})) == (9000, 45)
    found = {}
    for name, options in {
        "gug/train_dev.tsv": {},
        "smog/enwiki.csv": {},
        "li/sentences_me.csv": {},
        "li/pairs_ls_me_fc.csv": {},
        "blimp/passive_1.jsonl": {},
        "qfrblimp/dev.jsonl": {},
        "cola/in_domain_dev.tsv": {"names": ["source", "label", "mark", "sentence"]},
        "clams_fr/prep_anim.txt": {"names": ["label", "sentence"], "adjacent": True},
    }.items():
        suite = read_suite(str(folder / name), **options)  # type: ignore[arg-type]
        found[name] = suite.kind, len(suite.rated), len(suite.pairs)
    assert found == {
        "gug/train_dev.tsv": ("rated", 2265, 0),
        "smog/enwiki.csv": ("rated", 2500, 0),
        "li/sentences_me.csv": ("rated", 2400, 0),
        "li/pairs_ls_me_fc.csv": ("pairs", 1448, 724),
        "blimp/passive_1.jsonl": ("pairs", 400, 200),
        "qfrblimp/dev.jsonl": ("pairs", 244, 122),
        "cola/in_domain_dev.tsv": ("judged", 527, 0),
        "clams_fr/prep_anim.txt": ("pairs", 400, 200),
    }
