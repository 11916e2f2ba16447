"""Lexicon files with paradigms: forms of lemmas, the whole message for each mistake, and tables of forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import GrammarError, load_grammar
from numbat.grammar.model import Grammar
from tests.command_line import Numbat

NOUN = """\
%noun\tsg\tN\tnumber=sg\t+
%noun\tpl\tN\tnumber=pl\t-y+ies\t*[!aeiou]y
%noun\tpl\tN\tnumber=pl\t+es\t*[sx]
%noun\tpl\tN\tnumber=pl\t+s
"""
GRAMMAR = (
    'leaves: N\nfeatures:\n    number: sg, pl\n    kind: count, mass\nNP:\n    uniq N\nlexicon_file: "words.tsv"\n'
)


def loaded(folder: Path, lines: str) -> Grammar:
    (folder / "words.tsv").write_text(NOUN + lines, encoding="utf-8")
    (folder / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    return load_grammar(folder / "g.pg")


def forms(grammar: Grammar) -> list[tuple[str, str, str]]:
    """Form, lemma, number of each reading."""
    return [
        (entry.form, reading.lemma, "|".join(dict(reading.features)["number"]))
        for entry in grammar.lexicon
        for reading in entry.readings
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cat\t%noun", [("cat", "cat", "sg"), ("cats", "cat", "pl")]),
        ("cat\t%noun\t\t\t\t\t\t", [("cat", "cat", "sg"), ("cats", "cat", "pl")]),  # filled up by a spreadsheet
        ("city\t%noun", [("city", "city", "sg"), ("cities", "city", "pl")]),
        ("boy\t%noun", [("boy", "boy", "sg"), ("boys", "boy", "pl")]),
        ("box\t%noun", [("box", "box", "sg"), ("boxes", "box", "pl")]),
        ("man\t%noun\t\t\tpl=men", [("man", "man", "sg"), ("men", "man", "pl")]),
        ("snow\t%noun\tkind=mass\t\tpl=-", [("snow", "snow", "sg")]),
        ("fish\t%noun\t\t\tpl=fish|fishes", [("fish", "fish", "sg"), ("fish", "fish", "pl"), ("fishes", "fish", "pl")]),
        ("passer-by\t%noun\t\t\tpl=passers_by", [("passer-by", "passer-by", "sg"), ("passers by", "passer-by", "pl")]),
    ],
)
def test_a_lemma_becomes_its_forms(tmp_path: Path, line: str, expected: list[tuple[str, str, str]]) -> None:
    assert forms(loaded(tmp_path, line)) == expected


def test_a_feature_may_look_like_a_step(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("%n\tsg\tN\twh+\t+\n%n\tpl\tN\twh-\t+s\ncat\t%n\n", encoding="utf-8")
    (tmp_path / "g.pg").write_text(
        'leaves: N\nfeatures:\n    wh: "wh+", "wh-"\nNP: uniq N\nlexicon_file: "words.tsv"\n', encoding="utf-8"
    )
    grammar = load_grammar(tmp_path / "g.pg")
    assert [dict(each.features) for entry in grammar.lexicon for each in entry.readings] == [
        {"wh": ("wh+",)},
        {"wh": ("wh-",)},
    ]


def test_features_and_weight_of_the_lemma_go_to_every_form_and_win(tmp_path: Path) -> None:
    grammar = loaded(tmp_path, "cat\t%noun\tkind=count\t2\npolice\t%noun\tnumber=pl\t\tpl=-")
    assert [(e.form, r.features, r.weight) for e in grammar.lexicon for r in e.readings] == [
        ("cat", (("kind", ("count",)), ("number", ("sg",))), 2.0),
        ("cats", (("kind", ("count",)), ("number", ("pl",))), 2.0),
        ("police", (("number", ("pl",)),), 1.0),
    ]


MISTAKES = {
    "unknown paradigm": ("x\t%nuon", 'words.tsv:5:3: "%nuon" is not a paradigm of this file|did you mean "%noun"?'),
    "unknown slot": (
        "cat\t%noun\t\t\tpx=3",
        'words.tsv:5:13: "px" is not a slot of the paradigm %noun|its slots are: sg, pl',
    ),
    "no form": (
        "cat\t%noun\t\t\tdog",
        'words.tsv:5:13: "dog" is not a slot with its form|'
        "a line is: lemma TAB %paradigm TAB features TAB weight TAB slot=form ...; the last three may be left out",
    ),
    "ending": (
        "%noun\tx\tN\t\tes",
        'words.tsv:5:12: "es" is not a step|'
        "write + for the lemma itself, +s to append, -y+ies to remove and append, ge+ to prepend, "
        "a>ä to change the last a; spaces separate steps",
    ),
    "no row": (
        "%adj\tpos\tN\t\t-y+ier\nbig\t%adj",
        'words.tsv:6:1: no row of %adj gives the pos of "big"|'
        'line 5: "big" does not end in "y"; '
        "add a row, or write the form as pos=..., or pos=- where there is none",
    ),
    "no row of several": (
        "%adj\tpos\tN\t\ta>b\n%adj\tpos\tN\t\tun-\n%adj\tpos\tN\t\t+s\t*s\n%adj\tpos\tN\t\tc>d|e>f\nbig\t%adj",
        'words.tsv:9:1: no row of %adj gives the pos of "big"|'
        'line 5: "big" has no "a"; line 6: "big" does not begin with "un"; line 7: "big" does not match *s; …; '
        "add a row, or write the form as pos=..., or pos=- where there is none",
    ),
    "slot twice": (
        "man\t%noun\t\t\tpl=men pl=mans",
        'words.tsv:5:20: the slot "pl" appears twice|write several forms as pl=one|other',
    ),
    "row twice": (
        "%n\tsg\tN\t\t-y+ies\t*y\n%n\tsg\tN\tnumber=sg\t-y+ies\t*y",
        "words.tsv:6:1: this row for the sg of %n appears twice, first in line 5|"
        "remove one of the two, or give it another slot",
    ),
    "row that no lemma comes to": (
        "%noun\tpl\tN\tnumber=pl\t+en\t*ox",
        "words.tsv:5:1: this row is never used: the row in line 4 fits every lemma|"
        "the first row of a slot that fits decides: put this one before it, or give it another slot",
    ),
    "unknown paradigm to take slots from": (
        "%verb\t%nuon\nx\t%verb",
        'words.tsv:5:7: "%nuon" is not a paradigm of this file|did you mean "%noun"?',
    ),
    "two paradigms to take slots from": (
        "%x\tsg\tN\t\t+\n%verb\t%noun\n%verb\t%x",
        "words.tsv:7:7: %verb takes slots from a second paradigm; the first is %noun in line 6|remove one of the two",
    ),
    "circle": (
        "%a\t%b\n%b\t%c\n%c\t%b\nx\t%a",
        "words.tsv:7:4: paradigms take slots from each other in a circle: %b -> %c -> %b|remove one of these lines",
    ),
    "circle of one": (
        "%a\t%a\n%a\tsg\tN\t\t+",
        "words.tsv:5:4: paradigms take slots from each other in a circle: %a -> %a|remove one of these lines",
    ),
    "columns of a paradigm like another one": (
        "%a\t%noun\tN",
        "words.tsv:5:1: this is not a paradigm like another one|"
        "a line is: %paradigm TAB %paradigm from which it takes slots",
    ),
    "step in the column of the features": (
        "%noun\tpl\tN\tge+ -en+t\t*[!aeiou]y",
        'words.tsv:5:12: "ge+ -en+t" is a step, but is in the column for features|'
        "count the TABs: an empty column needs one too; "
        "a row is: %paradigm TAB slot TAB category TAB features TAB steps (+s, -y+ies, a>ä) TAB pattern of the lemma",
    ),
    "one TAB too few in a lemma": (
        "man\t%noun\tnumber=sg\tpl=men",
        'words.tsv:5:21: "pl=men" is not a number, but is in the column for the weight|'
        "count the TABs: an empty column needs one too; "
        "a line is: lemma TAB %paradigm TAB features TAB weight TAB slot=form ...; the last three may be left out",
    ),
    "one TAB too few in a row": (
        "%noun\tpl\tN\t-y+ies\t*[!aeiou]y",
        'words.tsv:5:12: "-y+ies" is a step, but is in the column for features|'
        "count the TABs: an empty column needs one too; "
        "a row is: %paradigm TAB slot TAB category TAB features TAB steps (+s, -y+ies, a>ä) TAB pattern of the lemma",
    ),
    "columns": (
        "cat\t%noun\ta\tb\tc\td",
        "words.tsv:5:1: this is not a lemma|"
        "a line is: lemma TAB %paradigm TAB features TAB weight TAB slot=form ...; the last three may be left out",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, name: str) -> None:
    lines, expected = MISTAKES[name]
    with pytest.raises(GrammarError) as raised:
        loaded(tmp_path, lines)
    (problem,) = raised.value.problems
    place = f"words.tsv:{problem.span.line}:{problem.span.column}"
    assert f"{place}: {problem.message}|{problem.hint}" == expected


# Tables


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.tsv").write_text(
        f"{NOUN}%oo\t%noun\n%oo\tpl\tN\tnumber=pl\too>ee\ngoose\t%oo\tkind=count\nfish\t%noun\t\t\tpl=fish|fishes\n"
        "snow\t%noun\tmass\t\tpl=-\nfish\t%oo\tkind=mass\t\tpl=-\ntea\tN\n",
        encoding="utf-8",
    )
    (tmp_path / "g.pg").write_text(f"{GRAMMAR}lexicon: cup: N[number=sg]\n", encoding="utf-8")
    return Numbat(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("lemma", "expected"),
    [
        (
            "goose",
            """\
goose  %oo  words.tsv:7
slot  form   reading                   steps  paradigm  line
sg    goose  N[number=sg, kind=count]  +      %noun     words.tsv:1
pl    geese  N[number=pl, kind=count]  oo>ee  %oo       words.tsv:6
""",
        ),
        (
            " fish ",
            """\
fish  %noun  words.tsv:8
slot  form          reading       steps      paradigm  line
sg    fish          N[number=sg]  +          %noun     words.tsv:1
pl    fish, fishes  N[number=pl]  irregular            words.tsv:8

fish  %oo  words.tsv:10
slot  form  reading                  steps      paradigm  line
sg    fish  N[number=sg, kind=mass]  +          %noun     words.tsv:1
pl    -     N[number=pl, kind=mass]  irregular            words.tsv:10
""",
        ),
        (
            "snow",
            """\
snow  %noun  words.tsv:9
slot  form  reading             steps      paradigm  line
sg    snow  N[number=sg, mass]  +          %noun     words.tsv:1
pl    -     N[number=pl, mass]  irregular            words.tsv:9
""",
        ),
    ],
)
def test_the_forms_of_a_lemma_are_listed_with_the_rows_that_give_them(
    numbat: Numbat, lemma: str, expected: str
) -> None:
    for _ in range(2):  # the second time the grammar comes from the cache
        done = numbat("show", "g.pg", "--paradigm", lemma)
        assert (done.out, done.err, done.code) == (expected, "", 0)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("g.pg --paradigm gose", '"gose" is not a lemma with a paradigm\n  did you mean "goose"?'),
        ("g.pg --paradigm geese", '"geese" is not a lemma with a paradigm\n  it is a form of "goose"'),
        ("g.pg --paradigm tea", '"tea" is not a lemma with a paradigm\n  the lexicon has it without a paradigm'),
        ("g.pg --paradigm cup", '"cup" is not a lemma with a paradigm\n  the lexicon has it without a paradigm'),
        (
            "g.pg --paradigm zebra",
            '"zebra" is not a lemma with a paradigm\n'
            "  give a lemma that has a paradigm in a lexicon file, as in city TAB %noun",
        ),
        (
            "anbn --paradigm cat",
            '"cat" is not a lemma with a paradigm\n  this grammar has no lexicon file with paradigms',
        ),
        ("--paradigm cat", "no grammar is given\n  name one; numbat show without options lists the packaged ones"),
        (
            "g.pg --paradigm goose -f html",
            "--paradigm and a page exclude each other\n  only the forms of the lemma are listed: leave one of them out",
        ),
        (
            "g.pg --paradigm goose --against anbn",
            "--paradigm and --against exclude each other\n"
            "  only the forms of the lemma are listed: leave one of them out",
        ),
    ],
)
def test_what_has_no_table_is_told(numbat: Numbat, asked: str, expected: str) -> None:
    done = numbat("show", *asked.split())
    assert (done.out, done.err, done.code) == ("", f"numbat: {expected}\n", 2)
