"""Attribution of changed judgements to the edits between two grammars."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat.acceptability.attribution import edits_between, without
from numbat.grammar.digest import digest, structure
from numbat.grammar.loading import parse_grammar
from tests.command_line import Numbat

OLD = """
leaves: Det, N, V
roots: S
features:
    number: sg, pl
S:
    head VP
    oblig VP
    NP < VP
NP:
    head N
    oblig N
    uniq Det
    uniq N
VP:
    oblig V
lexicon:
    the: Det
    cat, dog: N[number=sg]
    sleeps: V
"""
NEW = (
    OLD.replace("NP < VP", "NP < VP cost 3")
    .replace("    uniq N\n", "    Det < N\n    N => Det\n")
    .replace("    sleeps: V", "    sleeps: V\n    dogs: N[number=pl]")
)
BAD = ("cat the sleeps", "sleeps the cat", "sleeps cat")
SUITE = "judgement\tsentence\nok\tthe cat sleeps\n" + "".join(f"*\t{text}\n" for text in BAD)


def test_edits_are_told_and_taken_back() -> None:
    old, new = parse_grammar(OLD), parse_grammar(NEW)
    edits = edits_between(old, new)
    assert [str(each) for each in edits] == [
        "~ S: NP < VP  (weight 1 cost 3, was weight 1 cost 1)",
        "- NP: uniq N",
        "+ NP: Det < N",
        "+ NP: N => Det",
        "lexicon",
    ]
    assert edits_between(old, old) == ()
    assert digest(without(edits, old, new)) == digest(old)
    assert digest(without((), old, new)) == digest(new)
    for each in edits:
        left = without([each], old, new)
        assert [str(other) for other in edits_between(old, left)] == [
            str(other) for other in edits if other is not each
        ]
    assert structure(without(edits[1:4], old, new)) == structure(old)


def test_an_edit_of_a_number_has_the_name_of_the_notation() -> None:
    old, new = parse_grammar(OLD), parse_grammar(f"fragment_cost: 3\nnode_cost: 2\n{OLD}")
    edits = edits_between(old, new)
    assert [str(each) for each in edits] == ["fragment cost", "node cost"]
    assert digest(without(edits, old, new)) == digest(old)


def test_a_construction_that_came_goes_with_its_properties() -> None:
    old = parse_grammar(OLD)
    new = parse_grammar(OLD.replace("lexicon:", "PP:\n    oblig N\nlexicon:"))
    edits = edits_between(old, new)
    assert [str(each) for each in edits] == ["+ PP: oblig N"]
    assert digest(without(edits, old, new)) == digest(old)


def test_changes_are_told_with_the_edits_that_explain_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("old.pg", OLD), ("new.pg", NEW), ("suite.tsv", SUITE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = Numbat(capsys, monkeypatch)("compare", "old.pg", "new.pg", "suite.tsv", "--attribute", "-q")
    told = done.out[done.out.index("edits that explain") :]
    assert told.splitlines() == [
        "edits that explain a change alone: without them the sentence is judged as before",
        "  1  + NP: Det < N",
        "  1  ~ S: NP < VP  (weight 1 cost 3, was weight 1 cost 1)",
        "3: cat the sleeps",
        "    + NP: Det < N",
        "4: sleeps the cat",
        "    ~ S: NP < VP  (weight 1 cost 3, was weight 1 cost 1)",
        "5: sleeps cat",
        "    ~ S: NP < VP  (weight 1 cost 3, was weight 1 cost 1) and + NP: N => Det",
    ]
