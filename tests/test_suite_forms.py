"""Published formats of judged sentences: CoLA, CLAMS, MultiBLiMP, SyntaxGym, examples of papers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from numbat import DataError, UsageError
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_files import read_lines, read_suite
from numbat.acceptability.suite_profiles import profile_of
from numbat.acceptability.suite_tables import SuiteLayout
from tests.command_line import Numbat

COLA = "gj04\t1\t\tThe cat sleeps.\ngj04\t0\t*\tThe cats sleeps.\nks08\t1\t\tDogs bark.\n"
CLAMS = "True\tthe cat sleeps\nFalse\tthe cat sleep\nTrue\tdogs bark\nFalse\tdogs barks\n"
MULTIBLIMP = '\tsen\twrong_sen\tphenomenon\n0\t"A ""cat"" goes."\t"A ""cat"" go."\tSV-#\n1\tWe say.\tWe says.\tSV-#\n'
REGIONS = (
    "item_number,condition_name,region_number,region_name,content\n"
    '1,match,1,NP,The cat\n1,match,2,Comma,","\n1,match,3,V, sleeps\n1,mismatch,1,NP,The cat\n1,mismatch,2,V,sleep\n'
)
NUMBERED = "(1) a. The cat sleeps.\n    b. *The cats sleeps.\n(2)\t??The dog bark.\n"
GB4E = (
    "\\begin{exe}\n\\ex[]{The \\emph{cat} sleeps.\\label{a}}\n\\ex\n \\begin{xlist}\n \\ex[*]{Cats sleeps.} % no\n"
    " \\ex[\\#]{The caf\\'e$_i$ sleeps.}\n \\end{xlist}\n\\end{exe}\n"
)
GYM = json.dumps(
    {
        "meta": {"name": "agreement"},
        "predictions": [{"type": "formula", "formula": "(2;%mismatch%) > (2;%match%)"}],
        "items": [
            {
                "item_number": 1,
                "conditions": [
                    {
                        "condition_name": name,
                        "regions": [
                            {"region_number": 1, "content": "The cat"},
                            {"region_number": 2, "content": verb},
                            {"region_number": 3, "content": ", I think."},
                        ],
                    }
                    for name, verb in (("match", "sleeps"), ("mismatch", "sleep"))
                ],
            }
        ],
    },
    indent=1,
)
LIST = '[\n {"sentence": "The cat sleeps.", "label": 1},\n {"sentence": "The cat sleep.", "label": 0}\n]\n'


def read(text: str, layout: SuiteLayout | None = None) -> Suite:
    return read_lines(text.split("\n"), "s", layout or SuiteLayout())


def shown(items: tuple[Item, ...]) -> list[tuple[str, str | None, str, str, int]]:
    return [(item.id, item.judgement, item.sentence, item.group, item.line) for item in items]


def test_a_file_of_cola() -> None:
    suite = read(COLA)
    assert shown(suite.items) == [
        ("1", "1", "The cat sleeps.", "gj04", 1),
        ("2", "0", "The cats sleeps.", "gj04", 2),
        ("3", "1", "Dogs bark.", "ks08", 3),
    ]
    assert suite.notes == ("no column names: read as source, judgement, author's mark, sentence of CoLA",)
    assert suite.unread == ("author's mark",)


def test_one_bad_line_of_cola_is_told_with_its_place() -> None:
    with pytest.raises(DataError) as error:
        read(COLA + "ks08\t1\tCut off\nks08\tmaybe\t\tDogs bark.\n")
    assert str(error.value) == (
        "s:4:1: 3 cells, but 4 columns\n  separate cells as --columns says; quote in CSV\n"
        's:5:6: "maybe" is not a judgement\n  write ok, ?, ??, * or a number'
    )


def test_signs_of_clams_that_take_turns_are_pairs() -> None:
    suite = read(CLAMS)
    assert [(good.sentence, bad.sentence) for good, bad in suite.pairs] == [
        ("the cat sleeps", "the cat sleep"),
        ("dogs bark", "dogs barks"),
    ]
    assert suite.notes[0].endswith("every two lines as a pair, as True and False alternate")
    assert read(CLAMS + "True\tcats sleep\n").kind == "judged"


@pytest.mark.parametrize("text", ["*\tCats sleeps.\nok\tCats sleep.\n", "Cats sleeps.\t*\nCats sleep.\tok\n"])
def test_a_sign_and_a_sentence_need_no_names(text: str) -> None:
    assert [(item.judgement, item.sentence) for item in read(text).items] == [
        ("*", "Cats sleeps."),
        ("ok", "Cats sleep."),
    ]


def test_a_table_of_multiblimp_has_quotes_as_pandas_writes_them() -> None:
    assert [item.sentence for item in read(MULTIBLIMP).items] == ['A "cat" goes.', 'A "cat" go.', "We say.", "We says."]


@pytest.mark.parametrize(
    ("cell", "sentence"), [('"Hello," he said', '"Hello," he said'), ('"Hello"', '"Hello"'), ('a ""b""', 'a ""b""')]
)
def test_quotes_in_tsv_that_no_program_put_there_stay(cell: str, sentence: str) -> None:
    assert read(f"judgement\tsentence\nok\t{cell}\n").items[0].sentence == sentence


def test_quotes_in_tsv_as_r_writes_them() -> None:
    suite = read('"judgement"\t"sentence"\n"ok"\t"He said \\"hi\\"."\n')
    assert suite.items[0].sentence == 'He said "hi".'


def test_a_suite_of_syntaxgym() -> None:
    suite = read(GYM)
    assert shown(suite.items) == [
        ("1-match", None, "The cat sleeps, I think.", "1", 15),
        ("1-mismatch", None, "The cat sleep, I think.", "1", 32),
    ]
    assert [item.phenomenon for item in suite.items] == ["match", "mismatch"]
    assert suite.notes == ("predictions about regions are not evaluated: sentences, items and conditions were read",)
    assert [item.sentence for item in read(json.dumps(json.loads(GYM))).items] == [i.sentence for i in suite.items]


def test_a_test_of_syntaxgym_says_why_there_is_nothing_to_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(GYM)
    result = Numbat(capsys, monkeypatch)("test", "s.json")
    assert result.err == (
        "numbat: s.json: no item is judged ok, ? or *; predictions about regions are not evaluated: sentences, items "
        "and conditions were read\n  numbat test needs judgements; numbat report compares ratings\n"
    )


def test_a_table_of_regions() -> None:
    assert shown(read(REGIONS).items) == [
        ("1-match", None, "The cat, sleeps", "1", 2),
        ("1-mismatch", None, "The cat sleep", "1", 5),
    ]


def test_mistakes_in_a_suite_of_syntaxgym_are_told_together() -> None:
    text = GYM.replace('"mismatch",', '"match",').replace('"content": "The cat"', '"content": 1', 1)
    with pytest.raises(DataError) as error:
        read(text)
    assert [line for line in str(error.value).split("\n") if line.startswith("s:")] == [
        's:18:7: not a region with a "region_number" and a text as its "content"',
        's:32:1: the condition "match" of item 1 repeats that of line 15',
    ]


def test_another_json_document_is_told_once() -> None:
    with pytest.raises(DataError) as error:
        read('{\n "a": 1\n}\n')
    assert str(error.value).startswith('s: this JSON document has no list of "items"\n')


def test_a_list_of_json_objects() -> None:
    assert shown(read(LIST).items) == [("2", "1", "The cat sleeps.", "", 2), ("3", "0", "The cat sleep.", "", 3)]


def test_numbered_examples() -> None:
    suite = read(NUMBERED + "and then some text\n\n* [NP: Det < N] cat the\n")
    assert shown(suite.items) == [
        ("1a", "ok", "The cat sleeps.", "1", 1),
        ("1b", "*", "The cats sleeps.", "1", 2),
        ("2-3", "??", "The dog bark.", "", 3),
        ("2-6", "*", "cat the", "", 6),
    ]
    assert (suite.items[3].named_property, suite.items[3].named_column) == ("NP: Det < N", 4)
    assert suite.notes == (
        "lines without a number or a letter are left out: 1 time (s:4)",
        "2 examples with the number of another one: the line is added to both",
    )


def test_a_list_that_has_a_number_somewhere_is_none_of_examples() -> None:
    assert [item.sentence for item in read("*1. FC won.\nThe cat sleeps.\n").items] == ["1. FC won.", "The cat sleeps."]


def test_examples_of_gb4e() -> None:
    assert shown(read(GB4E).items) == [
        ("1", "ok", "The cat sleeps.", "", 2),
        ("2a", "*", "Cats sleeps.", "2", 5),
        ("2b", "#", "The café sleeps.", "2", 6),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\\pex~\n\\a \\ljudge{*} Cat sleeps.\n\\a Cats sleep.\n\\xe\n", [("1a", "*"), ("1b", "ok")]),
        ("\\ex.*Cat sleeps.\n\n\\ex.\\a.Cats sleep.\n\\b.??Cat do.\n", [("1", "*"), ("2a", "ok"), ("2b", "??")]),
        (
            "\\eal\n\\ex[*]{Cat sleeps.}\n\\ex Cats sleep.\n\\zl\n\\ea Dogs bark.\n\\z\n",
            [("1a", "*"), ("1b", "ok"), ("2", "ok")],
        ),
    ],
)
def test_examples_of_other_packages(text: str, found: list[tuple[str, str]]) -> None:
    assert [(item.id, item.judgement) for item in read(text).items] == found


@pytest.mark.parametrize(
    "star",
    [
        "$^*$", "$^{*}$", "$*$", "$\\ast$", "\\textsuperscript{*}", "\\textasteriskcentered ",
        "\\textasteriskcentered{}", "{*}",
        "\\judge{*}", "\\judge*", "\\ljudge{$^*$}", "\\judge{\\textsuperscript{*}}",
    ],
)  # fmt: skip
def test_every_writing_of_the_star_is_one(star: str) -> None:
    examples = f"\\ex {star}The cats sleeps.\n\\ex[{star}]{{The dogs sleeps.}}\n\\ex The cat sleeps.\n"
    assert [(item.judgement, item.sentence) for item in read(examples).items] == [
        ("*", "The cats sleeps."),
        ("*", "The dogs sleeps."),
        ("ok", "The cat sleeps."),
    ]


def test_a_source_at_the_margin_is_no_part_of_a_sentence() -> None:
    text = "\\ex[*]{Cats sleeps. \\hfill (Author 1999: 3)}\n"
    text += "\\ex{Cats sleep.\\hspace*{\\fill}[BNC]}\n\\ex \\hfill Dogs sleep.\n"
    items = read(text).items
    assert [item.sentence for item in items] == ["Cats sleeps.", "Cats sleep.", "Dogs sleep."]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("(4) a. The man sleeps. b. *The man sleep.", [("4a", "ok"), ("4b", "*")]),
        ("(4) a. *The man sleep. b. The man sleeps. c. ??Men sleeps.", [("4a", "*"), ("4b", "ok"), ("4c", "??")]),
        ("(4) a. The man sleeps (b) *The man sleep", [("4a", "ok"), ("4b", "*")]),
        ("(4) a. *He has plan b. in mind.", [("4a", "*")]),
        ("(4) a. *See part b. It is long.", [("4a", "*")]),
        ("(4) a. *Letters such as c. come late.", [("4a", "*")]),
    ],
)
def test_several_letters_on_a_line(line: str, found: list[tuple[str, str]]) -> None:
    assert [(item.id, item.judgement) for item in read(f"{line}\n(5) *Cat sleep.\n").items[:-1]] == found


ITEMS = "10@x@1@S@none@The cats sleep.@1@3@@a@2026\n20@x@1@S@none@The cats sleeps.@0@3@@a\\sb@2026\n"


def test_items_of_a_profile_of_delphin() -> None:
    found = [("10", "ok", "The cats sleep.", "", 1), ("20", "*", "The cats sleeps.", "", 2)]
    assert shown(read(ITEMS).items) == found


def test_the_relations_of_a_profile_name_its_fields(tmp_path: Path) -> None:
    fields = "i-id :integer :key\n  i-origin :string\n  i-input :string\n  i-tokens :string\n  i-gloss :string\n"
    fields += "  i-translation :string\n  i-wf :integer\n  i-length :integer"
    (tmp_path / "relations").write_text(f"item:\n  {fields}\n\nfold:\n  f-id :integer\n", encoding="utf-8")
    (tmp_path / "item").write_text("1@x@cats sleep@cats sleep@a b@c d@0@2\n", encoding="utf-8")
    (item,) = read_suite(str(tmp_path / "item")).items
    assert (item.id, item.sentence, item.judgement) == ("1", "cats sleep", "*")


def test_of_a_glossed_example_the_first_line_is_the_sentence() -> None:
    suite = read("\\ea[*]{\n\\gll Der Hund {die Katze} bell-t.\\\\\n the dog the cat\\\\\n\\glt `It barks.'}\n\\z\n")
    assert [(item.judgement, item.sentence) for item in suite.items] == [("*", "Der Hund die Katze bell-t.")]


def test_notes_of_authors_are_no_part_of_a_sentence() -> None:
    assert read("\\ea[*]{Cat sleeps.\\todoanne[inline]{Really?}}\n\\z\n").items[0].sentence == "Cat sleeps."


def test_what_of_latex_is_not_understood_is_told() -> None:
    suite = read(
        "\\newcommand{\\cat}{cat}\n\\ex[*]{The \\cat{} \\odd{sleeps} \\strange{well}.}\n\\ex[]{\\dass{} es regnet}\n"
        "\\ex[+]{Dogs bark.}\n\\ex \\begin{tabular}{l} a \\end{tabular}\n"
    )
    assert [(item.judgement, item.sentence) for item in suite.items] == [
        ("*", "The cat sleeps well."),
        (None, "Dogs bark."),
    ]
    assert suite.notes == (
        "unknown commands, whose arguments were read as text: \\strange",
        "examples with \\dass{}, a command with unknown text, are left out: 1 time (s:3)",
        "examples with figures or tables are left out: 1 time (s:5)",
        '"+" is not a known mark: 1 sentence without a judgement (s:4)',
    )


@pytest.mark.parametrize("text", [GYM, NUMBERED, GB4E])
def test_pairs_are_for_tables_and_lists(text: str) -> None:
    with pytest.raises(UsageError, match="--pairs cannot be combined with"):
        read(text, SuiteLayout(adjacent=True))


# The usual deformations: each is reported with its place, or nothing is lost

FORMS = {
    "cola": COLA, "clams": CLAMS, "multiblimp": MULTIBLIMP, "regions": REGIONS, "numbered": NUMBERED, "gb4e": GB4E,
    "syntaxgym": GYM, "list": LIST,
}  # fmt: skip
DEFORMED: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "bad encoding": lambda whole: whole.replace(b"cat", b"c\xe4t").replace(b"caf", b"c\xe4f"),
    "NUL": lambda whole: whole.replace(b"cat", b"c\0t").replace(b"caf", b"c\0f"),
    "deep": lambda whole: b'{"items":' * 10_000 + whole,
    "UTF-16": lambda whole: whole.decode().encode("utf-16"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", DEFORMED)
def test_a_deformed_file_is_told_with_its_place(form: str, how: str, tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(DEFORMED[how](FORMS[form].encode()))
    with pytest.raises(DataError) as error:
        read_suite(str(path))
    place = f"{path}:" if how in ("empty", "UTF-16") else rf"{path}:{1 if how == 'deep' else ''}"
    assert str(error.value).startswith(place)
    assert "\n  " in str(error.value)


@pytest.mark.parametrize("form", FORMS)
def test_a_mark_of_order_ends_of_windows_and_a_long_line_change_nothing(form: str, tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"\xef\xbb\xbf" + FORMS[form].replace("\n", "\r\n").encode())
    assert [item.sentence for item in read_suite(str(path)).items] == [
        item.sentence for item in read(FORMS[form]).items
    ]
    if form != "regions":  # a cell of CSV is no longer than 131,072 characters
        long = read(FORMS[form].replace("cat", "cat " * 50_000))
        assert max(len(item.sentence) for item in long.items) > 150_000


@pytest.mark.parametrize(
    ("form", "cut", "told"),
    [
        ("syntaxgym", -2, "not JSON: Expecting ',' delimiter\n  the document is cut off: get it whole"),
        ("list", -3, "not JSON: Expecting ',' delimiter\n  the document is cut off: get it whole"),
        ("gb4e", 78, "the braces of this example are not closed"),
        ("multiblimp", -12, "3 cells, but 4 columns"),
    ],
)
def test_a_file_that_is_cut_off(form: str, cut: int, told: str) -> None:
    with pytest.raises(DataError) as error:
        read(FORMS[form][:cut])
    assert told in str(error.value)


def test_ids_that_stand_twice() -> None:
    with pytest.raises(DataError, match='s:7:1: region 1 of the condition "match" is repeated in item 1'):
        read(REGIONS + "1,match,1,NP,The cat\n")
    assert len(read(NUMBERED + NUMBERED).items) == 6
    assert len({item.id for item in read(GB4E + GB4E).items}) == 6


def test_a_folder_reads_suites_in_json_and_names_other_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(GYM)
    (tmp_path / "run.json").write_text("{}")
    suite = read_suite(str(tmp_path))
    assert [item.id for item in suite.items] == ["a/1-match", "a/1-mismatch"]
    assert suite.notes[-1] == "1 JSON file left out, which is not a suite: run.json"


@pytest.mark.parametrize(
    ("sentence", "judgement", "id"),
    [
        ("The cat sleeps.", "ok", "7"),
        ("The cat sleep.", "*", "0"),
        ("a@b and c\\d", "ok", "3"),
        ("It\\s so", "*", "x.1"),
        ("Was it?", "?", "12"),
        ("été", "ok", "99999"),
    ],
)
def test_a_profile_is_read_again(sentence: str, judgement: str, id: str, tmp_path: Path) -> None:
    """Sentence, number and judgement come back; `?` is no judgement, and another id is in the comment."""
    suite = Suite("s", (Item(id, sentence, 1.0, judgement), Item("55", "Dogs bark.", 1.0, "ok")))
    files, notes = profile_of(suite)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_suite(str(tmp_path / "item")).items[0]
    assert found.sentence == sentence
    assert found.is_good == {"ok": True, "*": False}.get(judgement)
    assert (found.id == id) == id.isdecimal()
    assert files["relations"].startswith("item:\n  i-id :integer :key\n")
    assert bool(notes) == (judgement == "?" or not id.isdecimal())


def test_a_profile_is_written_again_as_it_was(tmp_path: Path) -> None:
    """Only fields that a suite does not have are lost: origin, register, category, comment, author and date."""
    (tmp_path / "item").write_text("1@x@formal@none@1@S@The cats sleep.@1@3@@ann@2026\n", encoding="utf-8")
    files, notes = profile_of(read_suite(str(tmp_path / "item")))
    assert (files["item"], notes) == ("1@@@@-1@@The cats sleep.@1@3@@@\n", [])
