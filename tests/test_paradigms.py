"""Lexicon files with paradigms: what a lemma becomes, and the whole message for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import GrammarError, load_grammar
from numbat.grammar.model import Grammar

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
        'words.tsv:5:12: "es" is not an ending|'
        "write + for the lemma itself, +s to append, -y+ies to take away and append",
    ),
    "no row": (
        "%adj\tpos\tN\t\t-y+ier\nbig\t%adj",
        'words.tsv:6:1: no row of %adj gives the pos of "big"|'
        "add a row, or write the form as pos=..., or pos=- where there is none",
    ),
    "one TAB too few in a lemma": (
        "man\t%noun\tnumber=sg\tpl=men",
        'words.tsv:5:21: "pl=men" is no number, and stands in the column of the weight|'
        "count the TABs: an empty column has one, too; "
        "a line is: lemma TAB %paradigm TAB features TAB weight TAB slot=form ...; the last three may be left out",
    ),
    "one TAB too few in a row": (
        "%noun\tpl\tN\t-y+ies\t*[!aeiou]y",
        'words.tsv:5:12: "-y+ies" is an ending, and stands in the column of the features|'
        "count the TABs: an empty column has one, too; "
        "a row is: %paradigm TAB slot TAB category TAB features TAB ending (+s, -y+ies) TAB pattern of the lemma",
    ),
    "columns": (
        "cat\t%noun\ta\tb\tc\td",
        "words.tsv:5:1: this is no lemma|"
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
