"""Notes of `numbat check` about notation that has another meaning in the literature or an older version."""

from pathlib import Path

import pytest

from numbat.authoring.checking import check_grammar
from numbat.authoring.verbs import packaged_grammars
from numbat.parsing.parser import Parser
from tests.command_line import Numbat

OBLIGED = """\
leaves: N, V, Det, Pro, Adv
roots: S
S:
    uniq {NP, VP}
NP:
    oblig {N, Pro}
    uniq Pro
    Det < N
VP:
    oblig V
    {Pro, Adv} x V
lexicon:
    cats: N; sleep: V; the: Det; it: Pro; now: Adv
"""
NOTES = """\
g.pg:6:5: note: 2 constructions are built by their obligation alone, which built none until 0.13.0: NP, VP
        oblig {N, Pro}
        ^^^^^^^^^^^^^
  "trigger: by-operands" below "semantics:" restores the old behaviour

g.pg:11:6: note: in 1 property braces stand for each of their members: VP: Pro x V and Adv x V
        {Pro, Adv} x V
         ^^^^^^^^^^^^^
  to mean both together, write Pro & Adv x V
"""


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


LINE = "g.pg: 3 constructions, 8 properties, 5 leaves, 5 lexicon forms; 0 errors, 0 warnings"


def notes_of(text: str, path: str = "g.pg") -> list[str]:
    Path(path).write_text(text, encoding="utf-8")
    found = check_grammar(path)
    assert found.errors == ()
    return [each.message for each in found.notes]


def test_notes_are_counted_and_told_on_request(numbat: Numbat) -> None:
    Path("g.pg").write_text(OBLIGED, encoding="utf-8")
    plain, asked = numbat("check", "g.pg"), numbat("check", "g.pg", "--notes")
    assert (plain.code, plain.out, plain.err) == (0, f"{LINE}; 2 notes (--notes)\n", "")
    assert (asked.code, asked.out) == (0, plain.out)
    assert asked.err.replace("\n\n", "\n").rstrip() == NOTES.replace("\n\n", "\n").rstrip()


def test_the_switch_keeps_the_constructions_that_the_note_names_from_being_built() -> None:
    old = OBLIGED + "semantics: trigger: by-operands\n"
    assert notes_of(OBLIGED)[0].endswith(": NP, VP")
    assert [each for each in notes_of(old) if "obligation" in each] == []
    from numbat.grammar.loading import parse_grammar

    trees = {text: Parser(parse_grammar(text)).parse("cats sleep").to_brackets() for text in (OBLIGED, old)}
    assert list(trees.values()) == ["(S (NP (N cats)) (VP (V sleep)))", "(N cats) (V sleep)"]


@pytest.mark.parametrize("line", ["uniq N", "N => N", "uniq {Det, N}"])
def test_no_note_where_another_property_that_holds_speaks_of_the_head(line: str) -> None:
    assert "obligation alone" in str(notes_of("leaves: Det, N\nNP:\n    oblig N\n    Det < N\n"))
    assert notes_of(f"leaves: Det, N\nNP:\n    oblig N\n    Det < N\n    {line}\n") == []


def test_a_property_that_the_head_alone_violates_does_not_build_it() -> None:
    assert "obligation alone" in str(notes_of("leaves: Det, N\nNP:\n    oblig N\n    N => Det\n"))


BRACED = "leaves: A, B, C\ntypes: T: A, B\nfeatures: f: u, v\nX:\n    uniq {A, B, C}\n    "


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("{A, B} => C", "to mean both together, write A & B => C"),
        ("{A, B[f=u]} ⊗ C", "to mean both together, write A & B[f=u] x C"),
        ("A => {B, C}", "to mean any one of them, write A => B | C"),
        ("A < B; {B, C} x A cost 3", "to mean both together, write B & C x A"),
    ],
)
def test_braces_are_shown_with_what_they_may_be_taken_for(line: str, hint: str) -> None:
    for text, path in ((BRACED + line + "\n", "g.pg"), (in_yaml(line), "g.yaml")):
        Path(path).write_text(text, encoding="utf-8")
        assert [each.hint for each in check_grammar(path).notes] == [hint]


def in_yaml(line: str) -> str:
    listed = "".join(f'      - "{each.strip()}"\n' for each in line.split(";"))
    head = "leaves: [A, B, C]\nfeatures: {f: [u, v]}\nconstructions:\n  X:\n    properties:\n"
    return f"{head}      - uniq {{A, B, C}}\n{listed}"


@pytest.mark.parametrize("line", ["A x {B, C}", "{A, B} < C", "T x C", "A & B x C", "A[f=$x] => C[f=$x]", "A => B | C"])
def test_what_the_literature_means_too_has_no_note(line: str) -> None:
    assert notes_of(BRACED + line + "\n") == []


def test_one_note_counts_all_braces() -> None:
    (note,) = notes_of(BRACED + "{A, B} => C\n    {B, C} x A cost 3\n")
    assert note == "in 2 properties braces stand for each of their members: X: A => C and B => C"


def test_packaged_grammars_have_notes_and_no_further_warnings() -> None:
    small = [name for name, grammar, _ in packaged_grammars() if len(grammar.properties) < 300]
    assert {each.severity for name in small for each in check_grammar(name).notes} == {"note"}
    assert "note" not in {each.severity for name in small for each in check_grammar(name).warnings}


def test_properties_without_a_gloss_are_counted_if_others_have_one(numbat: Numbat) -> None:
    Path("g.pg").write_text(
        "leaves: A, B\nsemantics: trigger: by-operands\nX:\n    oblig A hard\n"
        '    uniq A "one A is enough"\n    A < B\n    uniq B\n',
        encoding="utf-8",
    )
    found = numbat("check", "g.pg", "--notes")
    assert found.err == (
        "g.pg:6:5: note: 2 of 3 properties that may be violated have no gloss\n"
        "        A < B\n"
        "        ^^^^^\n"
        '  their messages are made from titles; a gloss stands behind a property: Det < N "{b} stands before {c}"\n\n'
    )
