"""Lexicons of UniMorph become tables of entries that a grammar reads; other lexicons are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import load_grammar
from numbat.errors import DataError, GrammarError
from numbat.grammar.unimorph import convert_unimorph, is_unimorph


@pytest.mark.parametrize(
    ("form", "tags", "entry"),
    [
        ("loopt", "V;PRS;3;SG", "loopt\tV\tnumber=sg person=3 tense=prs"),
        ("gelopen", "V.PTCP;PST", "gelopen\tV\tform=ptcp tense=pst"),
        ("huis", "N;SG", "huis\tN\tnumber=sg"),
        ("des", "DET;GEN;SG;MASC/NEUT", "des\tDET\tcase=gen gender=masc|neut number=sg"),
        ("talossa", "N;IN+ESS;SG", "talossa\tN\tcase=in_ess number=sg"),
        ("op en neer", "ADV", "op en neer\tADV"),
        ("x", "N;{SG/PL};LGSPEC1", "x\tN\tnumber=sg|pl"),
    ],
)
def test_tags_become_a_category_and_features(form: str, tags: str, entry: str) -> None:
    converted = convert_unimorph([f"lemma\t{form}\t{tags}", "", f"lemma\t{form}\t{tags}", "lemma\t-\tN;PL"], "f")
    assert converted.table.splitlines()[-1] == entry
    assert ("tags without a feature left out: LGSPEC1" in converted.notes) == ("LGSPEC1" in tags)
    assert converted.notes[-2:] == ("1 cell without a form left out", "1 entry; lemmas are not kept")


def test_a_table_is_read_with_the_features_that_it_declares(tmp_path: Path) -> None:
    lines = ["lopen\tloopt\tV;PRS;3;SG", "huis\thuizen\tN;PL\thuis|en", "rood\trode\tADJ;DEF"]
    assert is_unimorph(lines)
    table = convert_unimorph(lines, "f").table
    (tmp_path / "w.tsv").write_text(table, encoding="utf-8")
    declared = [line.removeprefix("# ") for line in table.splitlines()[1:] if line.startswith("#")]
    (tmp_path / "g.pg").write_text("\n".join((*declared, 'lexicon_file: "w.tsv"', "")), encoding="utf-8")
    found = {entry.form: entry.readings[0] for entry in load_grammar(str(tmp_path / "g.pg")).lexicon}
    assert {form: (reading.category, dict(reading.features)) for form, reading in found.items()} == {
        "loopt": ("V", {"number": ("sg",), "person": ("3",), "tense": ("prs",)}),
        "huizen": ("N", {"number": ("pl",)}),
        "rode": ("ADJ", {"definite": ("def",)}),
    }


def test_a_line_without_tags_is_told() -> None:
    with pytest.raises(DataError, match=r"f:2:1: no tags\n.*\n.*\n  a line of UniMorph is: lemma TAB form TAB tags"):
        convert_unimorph(["a\tb\tN;SG", "a\tb"], "f")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lopen\tloopt\tV;PRS;3;SG\n", "this is a lexicon of UniMorph"),
        ('chat\t100\tnc\t[pred="chat<Suj:sn>"]\n', "this is Lefff, which is not read as a lexicon"),
        ("chats,chat.N+z1:mp\nchat,.N:ms\n", "this is a dictionary DELA of Unitex"),
        ('<?xml version="1.0"?>\n<dictionary>\n', "this is XML"),
        ("12\\cat\\334\\N\n", "this is a table of CELEX"),
        ("cat/MS\ndog/M\n", "this is a dictionary of Hunspell"),
    ],
)
def test_other_lexicons_are_named(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "w.tsv").write_text(text, encoding="utf-8")
    (tmp_path / "g.pg").write_text('leaves: N\nlexicon_file: "w.tsv"\n', encoding="utf-8")
    with pytest.raises(GrammarError) as error:
        load_grammar(str(tmp_path / "g.pg"))
    assert f"w.tsv:1:1: {told}" in str(error.value)


@pytest.mark.parametrize("text", ["chat\tN\tnumber=sg\n", "chat\tN\tPL\n", "a/b\tN\n", "12\tN\n", "a,b.N\tN\n"])
def test_tables_of_entries_are_no_other_lexicon(text: str, tmp_path: Path) -> None:
    (tmp_path / "w.tsv").write_text(text, encoding="utf-8")
    grammar = 'leaves: N\nfeatures:\n    number: sg, PL\nlexicon_file: "w.tsv"\n'
    (tmp_path / "g.pg").write_text(grammar, encoding="utf-8")
    assert len(load_grammar(str(tmp_path / "g.pg")).lexicon) == 1
