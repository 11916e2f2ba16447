"""Templates: the readings that words get by them, in the notation, YAML and lexicon files; messages of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import GrammarError, load_grammar, parse_grammar
from numbat.authoring.verbs import convert_grammar
from numbat.grammar import declarations
from numbat.grammar.model import Grammar
from numbat.grammar.printing import format_readings
from tests.command_line import Numbat

DECLARED = """\
leaves: N, V, A
features:
    form: fin, part
    obj: acc, dat
    iobj: dat
    case: nom, acc
VP: uniq {N, V, A}
"""
TEMPLATES = """\
template intransitive: V
template transitive(case): V[obj=$case]
template ditransitive(one, two): transitive($one)[iobj=$two]
template labile(case): transitive($case) weight 2, intransitive
"""


def readings(grammar: Grammar) -> dict[str, str]:
    return {entry.form: format_readings(entry.readings) for entry in grammar.lexicon}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("intransitive", "V"),
        ("transitive(acc)", "V[obj=acc]"),
        ("transitive(acc|dat)", "V[obj=acc|dat]"),
        ("transitive(acc)[form=fin] weight 2 lemma go", "V[form=fin, obj=acc] weight 2 lemma go"),
        ("transitive(acc)[obj=dat]", "V[obj=dat]"),
        ("transitive(acc)[fin]", "V[form=fin, obj=acc]"),
        ("ditransitive(acc, dat)", "V[iobj=dat, obj=acc]"),
        ("labile(acc) weight .5, N", "V[obj=acc], V weight 0.5, N"),
    ],
)
def test_a_template_gives_its_readings(stated: str, expected: str) -> None:
    assert readings(parse_grammar(f"{DECLARED}{TEMPLATES}lexicon:\n    w: {stated}\n")) == {"w": expected}


def test_a_value_alone_counts_before_that_of_the_template() -> None:
    text = f"{DECLARED}template t(form): V[form=$form]\nlexicon: x: t(part)[fin]\n"
    assert readings(parse_grammar(text)) == {"x": "V[form=fin]"}


def test_words_of_a_list_have_the_same_readings() -> None:
    text = f'{DECLARED}{TEMPLATES}lexicon: see, hear, "look at": transitive(acc); cat, dog: N\nguess: "*s", "*z": N\n'
    grammar = parse_grammar(text)
    assert readings(grammar) == {**dict.fromkeys(("see", "hear", "look at"), "V[obj=acc]"), "cat": "N", "dog": "N"}
    assert [rule.pattern for rule in grammar.guesses] == ["*s", "*z"]


def test_yaml_has_the_same_templates() -> None:
    yaml = """\
leaves: [N, V, A]
features: {form: [fin, part], obj: [acc, dat], iobj: dat, case: [nom, acc]}
templates:
  intransitive: V
  labile(case): [transitive($case) weight 2, intransitive]
  transitive(case): V[obj=$case]
constructions:
  VP: {properties: ["uniq {N, V, A}"]}
lexicon:
  [see, hear]: transitive(acc)
  eat: labile(acc)
guess: {"*ify": transitive(acc)}
"""
    words = '    see, hear: transitive(acc)\n    eat: labile(acc)\nguess: "*ify": transitive(acc)\n'
    grammar = parse_grammar(yaml, "g.yaml")
    assert grammar == parse_grammar(f"{DECLARED}{TEMPLATES}lexicon:\n{words}")
    assert parse_grammar(convert_grammar(grammar, "yaml"), "g.yaml") == grammar


@pytest.mark.parametrize("title", [":", ' "title":'])
def test_a_construction_may_have_the_name_of_the_keyword(title: str) -> None:
    grammar = parse_grammar(f"leaves: N\ntemplate{title}\n    uniq N\nother like template:\n    oblig N\n")
    assert [each.name for each in grammar.constructions] == ["template", "other"]
    assert parse_grammar(convert_grammar(grammar, "pg")) == grammar


# Lexicon files

VERB = """\
%verb\tfin\tV\tform=fin\t-en+t
%verb\tpart\tV\tform=part\tge+ -en+t
%verb\tadj\tA\t\tge+ -en+te
"""


def loaded(folder: Path, lines: str, declared: str = DECLARED + TEMPLATES) -> Grammar:
    (folder / "w.tsv").write_text(lines, encoding="utf-8")
    (folder / "g.pg").write_text(f'{declared}lexicon_file: "w.tsv"\n', encoding="utf-8")
    return load_grammar(folder / "g.pg")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("eat\ttransitive(acc)\tform=fin\t2", {"eat": "V[form=fin, obj=acc] weight 2"}),
        ("eat\ttransitive( acc|dat ), intransitive", {"eat": "V[obj=acc|dat], V"}),
        ("eat\tintransitive,N", {"eat": "V, N"}),
        (
            f"{VERB}machen\t%verb + ditransitive(acc, dat)\t\t2\tpart=gemocht",
            {
                "macht": "V[form=fin, iobj=dat, obj=acc] weight 2 lemma machen",
                "gemocht": "V[form=part, iobj=dat, obj=acc] weight 2 lemma machen",
                "gemachte": "A weight 2 lemma machen",
            },
        ),
        (
            f"{VERB}machen\t%verb + labile(acc)\tiobj=dat\t\tpart=- adj=-",
            {"macht": "V[form=fin, iobj=dat, obj=acc] weight 2 lemma machen, V[form=fin, iobj=dat] lemma machen"},
        ),
    ],
)
def test_a_template_is_named_in_a_lexicon_file(tmp_path: Path, line: str, expected: dict[str, str]) -> None:
    assert readings(loaded(tmp_path, line)) == expected


def test_a_leaf_that_looks_like_a_template_is_a_leaf(tmp_path: Path) -> None:
    declared = DECLARED.replace("leaves: N", 'leaves: "X(y)", "N,A", N')
    assert [e.readings[0].category for e in loaded(tmp_path, "a\tX(y)\nb\tN,A\n", declared).lexicon] == ["X(y)", "N,A"]


def test_many_verbs_are_lines_of_a_table(tmp_path: Path) -> None:
    frames = (
        "intransitive",
        "transitive(acc)",
        "transitive(dat)",
        "ditransitive(acc, dat)",
        "transitive(acc), labile(dat)",
    )
    lines = [f"verb{i}en\t%verb + {frames[i % len(frames)]}" for i in range(1_500)]
    lexicon = loaded(tmp_path, VERB + "\n".join(lines)).lexicon
    assert len(lexicon) == 4_500
    assert (
        sum(reading.features == (("form", ("fin",)), ("obj", ("acc",))) for e in lexicon for reading in e.readings)
        == 600
    )


def test_a_word_loses_the_readings_of_a_template(tmp_path: Path) -> None:
    words = "    see: transitive(acc), transitive(dat), intransitive, N\n"
    (tmp_path / "base.pg").write_text(f"{DECLARED}{TEMPLATES}lexicon:\n{words}", encoding="utf-8")
    for lost, left in {
        "transitive": "V, N",
        "transitive(dat)": "V[obj=acc], V, N",
        "V": "N",
        "intransitive, N": "V[obj=acc], V[obj=dat]",
    }.items():
        (tmp_path / "g.pg").write_text(f'include: "base.pg"\nwithout word see: {lost}\n', encoding="utf-8")
        assert readings(load_grammar(tmp_path / "g.pg")) == {"see": left}


# Mistakes

MISTAKES = {
    "unknown template": (
        "lexicon: x: transitiv(acc)",
        '8:13: "transitiv" is not a template|'
        'did you mean "transitive"? else declare it, as in "template transitiv: V[obj=acc]"',
    ),
    "unknown category": (
        "lexicon: x: intransitiv",
        '8:13: "intransitiv" is not a construction or a leaf|'
        'did you mean "intransitive"? else declare it '
        "with 'leaves: intransitiv' or give it a form with 'intransitiv:'",
    ),
    "category with arguments": (
        "lexicon: x: V(acc)",
        '8:13: "V" is a category, not a template|write features in square brackets: V[acc]',
    ),
    "too many arguments": (
        "lexicon: x: transitive(acc, dat)",
        '8:13: "transitive" takes 1 argument, found 2|write transitive(case)',
    ),
    "no arguments": ("lexicon: x: transitive", '8:13: "transitive" takes 1 argument, found 0|write transitive(case)'),
    "needless argument": (
        "lexicon: x: intransitive(acc)",
        '8:13: "intransitive" takes no argument, found 1|write intransitive',
    ),
    "value": (
        "lexicon: x: transitive(akk)",
        '8:24: "akk" is not a value of obj|the values of obj are: acc, dat',
    ),
    "value of a template": (
        "template t: transitive(akk)\nlexicon: x: t",
        '8:24: "akk" is not a value of obj|the values of obj are: acc, dat',
    ),
    "feature": (
        "template t(c): V[obje=$c]\nlexicon: x: t(acc)",
        '8:18: "obje" is not a feature|did you mean "obj"? '
        'else declare it under "features:", as in "obje: value, value"',
    ),
    "parameter outside": (
        "lexicon: x: transitive($c)",
        '8:24: "$c" is not a value that a word may have|leave out the features that the word does not have',
    ),
    "parameter never used": (
        "template t(a, b): V[obj=$b]",
        '8:12: parameter "a" is never used|use it where its value belongs, as in V[obj=$a], or remove it',
    ),
    "parameter twice": ("template t(a, a): V[obj=$a]", '8:15: parameter "a" appears twice|remove one of the two'),
    "unknown parameter": ("template t: V[obj=$a]", '8:19: "$a" is not a parameter|write template t(a): ...'),
    "circle": (
        "template a: b\ntemplate b: N, a\nlexicon: x: a",
        "9:16: templates use each other in a circle: a -> b -> a|remove one of these uses",
    ),
    "name of a category": (
        "template N: V",
        '8:10: "N" is already a construction or a leaf|choose another name for the template',
    ),
    "name of a type": (
        "types: T: N, V\ntemplate T: V",
        '9:10: "T" is already a type|choose another name for the template',
    ),
    "declared twice": (
        "template t: V\ntemplate t: N",
        '9:10: template "t" is declared twice, first in line 8|remove one of the two, or give it another name',
    ),
    "equal readings of a template": (
        "template t: V, N\ntemplate u(a): V[obj=$a, form=fin], V[fin, obj=$a]",
        '9:37: this reading of template "u" appears twice|remove one of the two',
    ),
    "equal readings of a word": (
        "lexicon: x: transitive(acc), labile(acc)",
        '8:10: this reading of "x" appears twice|labile(acc) gives V[obj=acc]; remove one of the two',
    ),
    "lemma": ("template t: V lemma x", "8:21: a template cannot have a lemma|write the lemma after the word"),
    "weight": (
        "template t: V weight x1\nlexicon: x: t",
        '8:22: "x1" does not fit here|write "template transitive(case): V[obj=$case]"',
    ),
    "small weights": (
        "template t: V weight .0001\nlexicon: x: t weight .001",
        '9:22: the weight of a reading must be above 0, found "1E-7"|'
        "remove the reading, or give it a small weight such as 0.01",
    ),
    "template in a property": (
        "S: transitive < N",
        '8:4: "transitive" is not a construction or a leaf|'
        "it is a template, not a category: name the category of its readings",
    ),
    "words behind their template": (
        "lexicon:\n    transitive(acc): see, hear",
        '9:15: "(" does not fit here|write the words before their template: "see, hear: transitive(acc)"',
    ),
    "round brackets": (
        "template t(c): V(obj=$c)",
        '8:21: "=" does not fit here|write features in square brackets: N[number=sg]',
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_place(name: str) -> None:
    lines, expected = MISTAKES[name]
    assert told(f"{DECLARED}{lines}\n{TEMPLATES}") == [expected]


def told(text: str, path: str = "g.pg") -> list[str]:
    with pytest.raises(GrammarError) as raised:
        parse_grammar(text, path)
    return [f"{each.span.line}:{each.span.column}: {each.message}|{each.hint}" for each in raised.value.problems]


LINES = {
    "unknown template": (
        "x\ttransitiv(acc)",
        '1:3: "transitiv" is not a template|'
        'did you mean "transitive"? else declare it, as in "template transitiv: V[obj=acc]"',
    ),
    "value": (
        "x\tintransitive, transitive( akk )",
        '1:29: "akk" is not a value of obj|the values of obj are: acc, dat',
    ),
    "bracket": (
        "x\ttransitive(acc",
        '1:3: "transitive(acc" is not a construction or a leaf|'
        "write a template with its arguments: transitive(acc), ditransitive(acc, dat)",
    ),
    "features of a category": (
        "x\tV(acc)",
        '1:3: "V(acc)" is not a construction or a leaf|put features in the next column, without brackets: V TAB acc',
    ),
    "category behind a paradigm": (
        f"{VERB}machen\t%verb + V",
        '4:16: "V" is a category, not a template|name a template after +',
    ),
    "blanks": (
        f"{VERB}machen\t%verb+intransitive",
        '4:8: "%verb+intransitive" is not a paradigm of this file|'
        "write a template after a + with spaces around it: %verb + transitive(acc)",
    ),
    "another category": (
        "%noun\tsg\tN\t\t+\ncat\t%noun + intransitive",
        '2:13: "intransitive" gives the category V, which no form in the paradigm of "cat" has|'
        "its forms are: N; use a template for one of these categories, or add a row to the paradigm",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_mistake_in_a_lexicon_file_is_told_with_its_place(tmp_path: Path, name: str) -> None:
    lines, expected = LINES[name]
    with pytest.raises(GrammarError) as raised:
        loaded(tmp_path, lines)
    assert [f"{each.span.line}:{each.span.column}: {each.message}|{each.hint}" for each in raised.value.problems] == [
        expected
    ]


def test_a_mistake_in_yaml_is_told_with_its_place() -> None:
    constructions = "constructions: {VP: {properties: uniq V}}\nlexicon: {x: t(acc)}\n"
    yaml = f"leaves: V\nfeatures: {{obj: acc}}\ntemplates:\n  t(c: V\n  u(c): V\n{constructions}"
    assert told(yaml, "g.yaml") == [
        '4:6: the line ends too early|the bracket "(" in column 4 is not closed',
        '5:5: parameter "c" is never used|use it where its value belongs, as in V[obj=$c], or remove it',
    ]


# Limits


def test_what_templates_stand_for_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    values = ", ".join(f"v{i}" for i in range(23))
    wide = f"leaves: V\nfeatures:\n    a: {values}\n    b: {values}\nVP: uniq V\n"
    first = ", ".join(f"V[a=v{i}]" for i in range(23))
    second = ", ".join(f"one[b=v{i}]" for i in range(23))
    text = f"{wide}template one: {first}\ntemplate two: {second}\nlexicon: x: two\n"
    hint = "divide it into several templates"
    assert told(text) == [f'7:10: template "two" stands for 529 readings; at most 500 are allowed|{hint}']
    monkeypatch.setattr(declarations, "MAX_GIVEN", 100)
    limited = "templates and word lists give readings with more than 100 features"
    hint = "nest fewer templates, or divide the words among several grammars"
    assert told(f"{wide}template one: {first}\nlexicon:\n    x: one\n    y: one\n") == [f"9:5: {limited}|{hint}"]
    assert told(f"{wide}lexicon:\n    x, y, z, u, v, w: {first}\n") == [f"7:14: {limited}|{hint}"]


@pytest.mark.parametrize("step", [1, -1])
def test_templates_use_each_other_so_deep(step: int) -> None:
    chain = [f"template t{i}: t{i - 1}\n" for i in range(1, 50)]
    text = f"{DECLARED}template t0: V\n{''.join(chain[::step])}"
    assert readings(parse_grammar(f"{text}lexicon: x: t49\n")) == {"x": "V"}
    hint = "write out the readings of some of them"
    (problem,) = told(f"{text}template t50: t49\nlexicon: x: t50\n")
    assert problem == f"58:15: templates are nested more than 50 levels deep|{hint}"


# Tables


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    loaded(tmp_path, f"{VERB}machen\t%verb + transitive(acc)\nessen\tlabile(acc)\nsehen\ttransitive(acc)\n")
    return Numbat(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "labile",
            "labile(case)  g.pg:11\n    V[obj=$case] weight 2\n    V\nlabile(acc)  1 word: essen\n",
        ),
        ("transitive", "transitive(case)  g.pg:9\n    V[obj=$case]\ntransitive(acc)  2 words: machen, sehen\n"),
        ("ditransitive", "ditransitive(one, two)  g.pg:10\n    V[obj=$one, iobj=$two]\nno words use it\n"),
    ],
)
def test_what_a_template_gives_is_listed_with_its_words(numbat: Numbat, name: str, expected: str) -> None:
    for _ in range(2):  # the second time the grammar comes from the cache
        done = numbat("show", "g.pg", "--template", name)
        assert (done.out, done.err, done.code) == (expected, "", 0)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("g.pg --template transitiv", '"transitiv" is not a template of the grammar\n  did you mean "transitive"?'),
        (
            "g.pg --template x",
            '"x" is not a template of the grammar\n  its templates are: intransitive, transitive, ditransitive, labile',
        ),
        ("anbn --template x", '"x" is not a template of the grammar\n  it has no templates'),
        ("--template x", "no grammar is given\n  name one; numbat show without options lists the packaged ones"),
        (
            "g.pg --template labile -f html",
            "--template and a page exclude each other\n  only the template is listed: leave one of them out",
        ),
        (
            "g.pg --template labile --against anbn",
            "--template and --against exclude each other\n  only the template is listed: leave one of them out",
        ),
    ],
)
def test_what_is_no_template_is_told(numbat: Numbat, asked: str, expected: str) -> None:
    done = numbat("show", *asked.split())
    assert (done.out, done.err, done.code) == ("", f"numbat: {expected}\n", 2)


def test_the_table_of_a_lemma_names_its_templates(numbat: Numbat) -> None:
    done = numbat("show", "g.pg", "--paradigm", "machen")
    assert done.out.startswith("machen  %verb + transitive(acc)  w.tsv:4\n")
