"""Grammars on top of others: inclusion, changes and omissions."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import GrammarError, Parser, load_grammar, parse_grammar
from numbat.grammar.model import Grammar
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import format_operand, format_property
from tests.command_line import Numbat

BASE = """\
leaves: Det, N, V, P
roots: S
all linearity cost 2
S:
    NP < VP hard
    oblig VP
    uniq VP
NP:
    uniq N
    Det < N
    {Det, P} x V
VP:
    uniq V
lexicon:
    the: Det, P
    cat: N; run: V, N; sleep: V
"""
MINE = """\
include: "base.pg"
all linearity cost 5
override NP: Det < N cost 9 weight 3; uniq N hard
override S: NP < VP cost 4 hard
without NP: {Det, P} x V
without word the: P
without word run
lexicon:
    run: P
    bird: N
"""
YAML = """\
include: base.pg
all: [linearity cost 5]
override: ["NP: Det < N cost 9 weight 3; uniq N hard", "S: NP < VP cost 4 hard"]
without: ["NP: {Det, P} x V", "word the: P", word run]
lexicon: {run: P, bird: N}
"""


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("base.pg").write_text(BASE, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def strengths(grammar: Grammar) -> dict[str, tuple[float, float, bool]]:
    return {
        f"{each.construction}: {each.relation} {each.operands[0][0][0]}": (
            each.weight,
            each.cost,
            each.hard,
        )
        for each in grammar.properties
    }


@pytest.mark.parametrize(("name", "text"), [("mine.pg", MINE), ("mine.yaml", YAML)])
def test_a_grammar_is_changed_from_outside(numbat: Numbat, name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    grammar = load_grammar(name)
    assert strengths(grammar) == {
        "S: linearity NP": (1, 4, True),
        "S: obligation VP": (1, 1, False),
        "S: uniqueness VP": (1, 1, False),
        "NP: uniqueness N": (1, 1, True),
        "NP: linearity Det": (3, 9, False),
        "VP: uniqueness V": (1, 1, False),
    }
    words = {entry.form: [str(each.category) for each in entry.readings] for entry in grammar.lexicon}
    assert words == {"the": ["Det"], "cat": ["N"], "run": ["P"], "sleep": ["V"], "bird": ["N"]}
    assert " 0 errors" in numbat("check", name).out
    assert parse_grammar(format_grammar(grammar)) == parse_grammar(format_grammar(load_grammar(name)))


def test_a_line_for_all_of_a_relation_counts_before_that_of_an_included_file(numbat: Numbat) -> None:
    Path("mine.pg").write_text('include: "base.pg"\nall linearity cost 5\n', encoding="utf-8")
    assert strengths(load_grammar("mine.pg"))["NP: linearity Det"] == (1, 5, False)


def test_a_packaged_grammar_is_included_by_its_name(numbat: Numbat) -> None:
    Path("mine.pg").write_text(
        "grammar: mine\ninclude: english\noverride NP: Det < N cost 7\nlexicon:\n    wug: N[number=sg, kind=count]\n",
        encoding="utf-8",
    )
    parser = Parser(load_grammar("mine.pg"))
    assert parser.grammar.name == "mine"
    assert parser.parse("The wug sleeps.").is_well_formed
    assert len(parser.grammar.constructions) == len(load_grammar("english").constructions)


MISTAKES = """\
include: "base.pg"
override NP: Det < V cost 9; Det < N cost 3; Det < N cost 4
override S: NP < VP cost 4
without VP: uniq N
without NQ: uniq N
without NP: uniq N; uniq N
without word dog
without word the: V
without word bird
lexicon:
    bird: N
"""


def test_changes_of_what_is_not_there(numbat: Numbat) -> None:
    Path("mine.pg").write_text(MISTAKES, encoding="utf-8")
    with pytest.raises(GrammarError) as error:
        load_grammar("mine.pg")
    found = [(each.span.line, each.message, each.hint) for each in error.value.problems]
    listed = "remove the line, or list the readings of the included grammar with numbat show"
    assert found == [
        (2, 'NP has no property "Det < V" to override', 'did you mean "Det x V"?'),
        (2, '"Det < N" is changed twice, first in line 2', "remove one of the two"),
        (
            3,
            '"NP < VP" is hard in base.pg:5 and cannot be made soft',
            "write hard after it too, or remove the property instead",
        ),
        (4, 'VP has no property "uniq N" to remove', 'did you mean "uniq V"?'),
        (5, '"NQ" is not a construction', "the constructions are: S, NP, VP"),
        (6, 'NP has no property "uniq N" to remove', "it is removed in line 6"),
        (7, 'no included file gives "dog" this reading', listed),
        (8, 'no included file gives "the" this reading', listed),
        (9, 'no included file gives "bird" this reading', listed),
    ]


def test_a_file_and_two_that_it_includes_change_the_same(numbat: Numbat) -> None:
    Path("middle.pg").write_text('include: "base.pg"\noverride NP: Det < N cost 7\n', encoding="utf-8")
    Path("outer.pg").write_text('include: "middle.pg"\noverride NP: Det < N cost 8\n', encoding="utf-8")
    assert strengths(load_grammar("outer.pg"))["NP: linearity Det"] == (1, 8, False)


CONFLICTS = {
    "one.pg": """\
include: "base.pg"
leaves: NP
all linearity cost 3
override NP: uniq N cost 4; Det < N cost 4
override S: NP < VP cost 3
features:
    number: sg
types:
    T: N
semantics:
    missing: unifies
tokens:
    rewrite "wont": "will", "not"
VP:
    head V
    const V
S:
    uniq VP
lexicon:
    run: N
""",
    "two.pg": """\
features:
    number: sg, pl
types:
    T: V
semantics:
    missing: clashes
tokens:
    rewrite "wont": "wo", "not"
VP:
    head N
    const N
all linearity cost 4
override NP: uniq N cost 5; Det < N cost 5
""",
}


def test_what_two_files_say_differently_is_an_error_with_both_places(numbat: Numbat) -> None:
    for name, text in CONFLICTS.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("mine.pg").write_text('include: "one.pg", "two.pg"\noverride NP: Det < N cost 6\n', encoding="utf-8")
    with pytest.raises(GrammarError) as error:
        load_grammar("mine.pg")
    of_both = "decide between them in the file that includes both"
    another = "give yours another name, or remove it"
    remove = "remove one of the two"
    assert [(each.span.short, each.message, each.hint) for each in error.value.problems] == [
        ("one.pg:2", '"NP" is a leaf, but also a construction in base.pg:8', remove),
        (
            "one.pg:5",
            '"NP < VP" is hard in base.pg:5 and cannot be made soft',
            "write hard after it too, or remove the property instead",
        ),
        ("one.pg:18", "this property is already stated in base.pg:7", remove),
        ("one.pg:20", 'this reading of "run" appears twice, first in base.pg:16', remove),
        ("two.pg:2", 'feature "number" is declared twice, first in one.pg:7', another),
        ("two.pg:4", 'type "T" is declared twice, first in one.pg:9', another),
        ("two.pg:6", '"missing" is set twice, first in one.pg:11', remove),
        ("two.pg:8", '"wont" is rewritten twice, first in one.pg:13', remove),
        ("two.pg:10", '"head" appears twice in one construction, first in one.pg:15', remove),
        ("two.pg:12", '"all linearity" is set twice, first in one.pg:3', of_both),
        ("two.pg:13", '"uniq N" is changed twice, first in one.pg:4', of_both),
    ]


def test_a_file_counts_before_what_it_includes_wherever_its_lines_stand(numbat: Numbat) -> None:
    Path("one.pg").write_text(
        'override NP: Det < N cost 7\nlanguage: en\ninclude: "base.pg"\nall linearity cost 3\n', encoding="utf-8"
    )
    Path("two.pg").write_text("override NP: Det < N weight 4\nall linearity cost 4\n", encoding="utf-8")
    said = ["override NP: Det < N cost 8", "all linearity cost 6", "language: de"]
    for lines in ([*said, 'include: "one.pg", "two.pg"'], ['include: "one.pg", "two.pg"', *said]):
        grammar = parts_included(*lines)
        assert strengths(grammar)["NP: linearity Det"] == (4, 8, False)
        assert strengths(grammar)["S: linearity NP"] == (1, 6, True)
        assert grammar.language == "de"


def test_files_add_daughters_and_parents_to_a_construction(numbat: Numbat) -> None:
    more = "Sub like NP:\n    const N\n    P x Det\nOther:\n    N + Det\n"
    Path("more.pg").write_text(f'include: "base.pg"\n{more}', encoding="utf-8")
    grammar = parts_included('include: "more.pg"', 'Sub like Other "a noun":', "    const {N, V}")
    (sub,) = (each for each in grammar.constructions if each.name == "Sub")
    assert (list(map(str, sub.daughters)), sub.title, sub.parents) == (["N", "V"], "a noun", ("NP", "Other"))
    assert [format_property(each) for each in sub.properties] == [
        "uniq N",
        "Det < N",
        "Det x V",
        "P x V",
        "N + Det",
        "P x Det",
    ]
    lines = numbat("show", "mine.pg", "--against", "more.pg").out.splitlines()
    assert lines[1:] == ["+ Sub: N + Det  (weight 1 cost 1)  more.pg:6", "+ const of Sub: V"]


def test_what_is_changed_is_listed(numbat: Numbat) -> None:
    Path("mine.pg").write_text(MINE.replace("hard\n", "hard\nleaves: Adv\n", 1), encoding="utf-8")
    lines = numbat("show", "mine.pg", "--against", "base.pg").out.splitlines()
    assert lines == [
        "this grammar against the other one",
        "- NP: Det x V  (weight 1 cost 1)  base.pg:11",
        "- NP: P x V  (weight 1 cost 1)  base.pg:11",
        "~ NP: Det < N  (weight 3 cost 9, was weight 1 cost 2)  mine.pg:3",
        "~ NP: uniq N  (weight 1 cost 1 hard, was weight 1 cost 1)  mine.pg:3",
        "~ S: NP < VP  (weight 1 cost 4 hard, was weight 1 cost 2 hard)  mine.pg:5",
        "+ 1 word: bird",
        "~ 2 words: the, run",
        "+ leaves: Adv",
    ]
    Path("all.pg").write_text('include: "base.pg"\nall linearity cost 5\n', encoding="utf-8")
    assert numbat("show", "all.pg", "--against", "base.pg").out.splitlines()[1:] == [
        "~ 1 property by a line for the relation: linearity  (weight 1 cost 5 hard, was weight 1 cost 2 hard)",
        "~ 1 property by a line for the relation: linearity  (weight 1 cost 5, was weight 1 cost 2)",
    ]


def test_a_property_is_changed_for_one_run(numbat: Numbat) -> None:
    sentence = "cat the sleep"
    Path("base.pg").write_text(BASE.replace("the: Det, P", "the: Det"), encoding="utf-8")

    def cost(*more: str) -> str:
        return numbat("parse", "-g", "base.pg", *more, sentence).out.split("cost ")[1].split()[0]

    assert cost() == "2"
    assert cost("--set", "NP: Det < N cost 3") == "3"
    assert cost("--without-property", "NP: Det < N") == "0;"
    done = numbat("parse", "-g", "base.pg", "--set", "NP: N < Det cost 3", sentence)
    assert done.err.splitlines()[0] == '--set:2:14: NP has no property "N < Det" to override'
    assert done.code == 65


@pytest.mark.parametrize(("more", "sentences"), [((), 5), (("-g", "english"), 2), (("-g", "base.pg"), 0)])
def test_a_project_is_begun_and_good_as_it_is(numbat: Numbat, more: tuple[str, ...], sentences: int) -> None:
    done = numbat("new", "my-grammar", *more)
    files = ["my-grammar/my-grammar.pg", "my-grammar/words.tsv", "my-grammar/suite.txt", "my-grammar/README.md"]
    assert (done.out.split(), done.code) == (files, 0)
    checked = numbat("check", files[0])
    assert "0 errors" in checked.out
    assert sentences == 0 or "0 warnings" in checked.out
    if sentences:
        judged = numbat("test", "-g", files[0], files[2])
        assert f": {sentences} sentences\n" in judged.out
        assert judged.code == 0
    assert numbat("new", "my-grammar").err == (
        "numbat: my-grammar: this folder is not empty\n  name a new folder, or an empty one\n"
    )


def test_a_project_needs_the_name_of_a_grammar(numbat: Numbat) -> None:
    assert numbat("new", "english").err.startswith('numbat: "english" is the name of a packaged grammar\n')
    assert numbat("new", "a b").err.startswith('numbat: "a b" cannot be the name of a grammar\n')
    assert numbat("new", "mine", "-g", "nothing.pg").code != 0
    assert not Path("mine").exists()


def test_a_change_needs_its_property() -> None:
    with pytest.raises(GrammarError) as error:
        parse_grammar("leaves: N\nNP: uniq N\noverride NP:\n")
    assert error.value.problems[0].hint == 'write "override NP: Det < N cost 5"'


def parts_included(*lines: str) -> Grammar:
    Path("mine.pg").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return load_grammar("mine.pg")


TITLED = BASE.replace("NP:\n", 'NP "noun phrase":\n').replace("roots: S", "roots: S, NP[number=sg]") + (
    "features:\n    number: sg, pl\ntypes:\n    Phrasal: NP, S\noverride S: uniq VP cost 4\nlexicon:\n    how: S, Det\n"
)


@pytest.mark.parametrize(
    ("included", "constructions", "roots"),
    [
        ('"titled.pg/NP"', ["NP"], ["NP[number=sg]"]),
        ('"titled.pg/nounphrase"', ["NP"], ["NP[number=sg]"]),
        ('"titled.pg/Noun-phrase"', ["NP"], ["NP[number=sg]"]),
        ('"titled.pg/VP", "titled.pg/NP"', ["NP", "VP"], ["NP[number=sg]", "VP"]),
        ('"titled.pg/S"', ["S", "NP", "VP"], ["S"]),
        ('"titled.pg/lexicon"', [], []),
    ],
)
def test_a_part_of_a_grammar_is_a_construction_with_what_it_needs(
    numbat: Numbat, included: str, constructions: list[str], roots: list[str]
) -> None:
    Path("titled.pg").write_text(TITLED, encoding="utf-8")
    whole, part = load_grammar("titled.pg"), parts_included(f"include: {included}")
    assert [each.name for each in part.constructions] == constructions
    assert part.constructions == tuple(each for each in whole.constructions if each.name in constructions)
    assert list(map(format_operand, part.roots)) == roots
    assert (part.features, part.leaves, part.strengths) == (whole.features, whole.leaves, whole.strengths)
    words = {entry.form: [reading.category for reading in entry.readings] for entry in part.lexicon}
    assert words["run"] == ["V", "N"]
    assert words["how"] == (["S", "Det"] if "S" in constructions else ["Det"])


def test_what_is_no_part_of_a_grammar(numbat: Numbat) -> None:
    Path("titled.pg").write_text(TITLED, encoding="utf-8")
    with pytest.raises(GrammarError) as error:
        parts_included('include: "titled.pg/nounphase", "titled.pg/Q", "titled.pg/NP"', "include: englsh/NP")
    parts = "the parts of titled.pg are: lexicon, S, NP, VP"
    here = "a path is relative to the folder of the file that names it, here ."
    assert [(each.span.column, each.message, each.hint) for each in error.value.problems] == [
        (10, 'titled.pg has no part "nounphase"', f'did you mean "nounphrase"? {parts}'),
        (33, 'titled.pg has no part "Q"', parts),
        (10, '"englsh/NP" cannot be read: No such file or directory', here),
    ]
    with pytest.raises(GrammarError, match=r'"titled\.pg" is included a second time'):
        parts_included('include: "titled.pg/NP"', 'include: "titled.pg"')


def test_what_includes_nothing(numbat: Numbat) -> None:
    Path("mine.pg").write_text('include:\nlexicon_file: " "\ninclude: ""\ninclude: bsae\n', encoding="utf-8")
    with pytest.raises(GrammarError) as error:
        load_grammar("mine.pg")
    write = 'write "include: english", "include: english/NP" or, for a file, include: "base.pg"'
    here = "a path is relative to the folder of the file that names it, here ."
    assert [(each.span.line, each.message, each.hint) for each in error.value.problems] == [
        (1, "the line ends too early", write),
        (2, "a file name is missing here", 'write lexicon_file: "words.tsv"'),
        (3, "a file name is missing here", write),
        (4, '"bsae" cannot be read: No such file or directory', f'did you mean "base.pg"? {here}'),
    ]


def test_a_part_of_a_packaged_grammar_parses_what_it_is_about(numbat: Numbat) -> None:
    parser = Parser(parts_included("include: english/nounphrase"))
    assert parser.parse("the cat that sleeps").is_well_formed
    assert not parser.parse("the cat sleeps").is_full
