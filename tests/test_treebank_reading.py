"""Treebank files of all formats: labels, empty elements, Sinica's format, comparison with NLTK, conversions."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import numbat
from numbat.errors import Problem
from numbat.files import SAVE_OR_NAME
from numbat.treebanks.brackets import format_brackets, read_brackets
from numbat.treebanks.conllu import DependencyTree, format_conllu, read_conllu
from numbat.treebanks.converting import to_constituents, to_dependencies, tree_to_json
from numbat.treebanks.formats import opening_of, recognised
from numbat.treebanks.heads import FRENCH, PENN, head_index, table_for
from numbat.treebanks.notes import LIFTED, Notes
from numbat.treebanks.reading import TreebankSentence, read_treebank
from numbat.treebanks.sinica import read_sinica
from numbat.treebanks.trees import Tree, bare_label, cleaned, function_of
from numbat.words.tag_maps import CODES, PUNCTUATION
from tests.growth import growth

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("NUMBAT_DATA") or ROOT / ".." / "shared" / "data")


def data(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {path}: set NUMBAT_DATA to the folder that holds {name}")
    return path


def tree(text: str) -> Tree:
    (found,) = read_brackets([text], "t.mrg")
    assert isinstance(found, Tree)
    return found


# Labels


@pytest.mark.parametrize(
    ("label", "bare", "function"),
    [
        ("NP", "NP", ""),
        ("NP-SBJ-1", "NP", "SBJ-1"),
        ("NP=2", "NP", "2"),
        ("ADVP|PRT", "ADVP", "PRT"),
        ("-LRB-", "-LRB-", ""),
        ("-NONE-", "-NONE-", ""),
        ("CLS-SUJ", "CLS", "SUJ"),
        ("P+D", "P+D", ""),
        ("PRP$", "PRP$", ""),
        ("Nab-Head", "Nab", "Head"),
        ("NOUN-P", "NOUN-P", ""),
        ("NOUN-P-nsubj", "NOUN-P", "nsubj"),
        ("NP-PRD", "NP", "PRD"),
        ("", "", ""),
    ],
)
def test_bare_labels_and_functions(label: str, bare: str, function: str) -> None:
    assert (bare_label(label), function_of(label)) == (bare, function)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("( (S (NP-SBJ-1 (PRP He)) (VP (VBZ sings))))", "(S (NP (PRP He)) (VP (VBZ sings)))"),
        ("(TOP (S (NP (-NONE- *T*-1)) (VP (VB sing))))", "(S (VP (VB sing)))"),
        ("(S (SBAR (-NONE- 0) (S (NP (-NONE- *))))) ", None),
        ("( (CODE <TURN>))", None),
        ("(S (NP (NP (NN tea)) (PP (-NONE- *T*))))", "(S (NP (NN tea)))"),
        ("(TOP (NN tea))", "(NN tea)"),
        ("(TOP (NP (NN tea)) (. .))", "(TOP (NP (NN tea)) (. .))"),
    ],
)
def test_trees_are_cleaned(text: str, expected: str | None) -> None:
    found = cleaned(tree(text))
    assert (None if found is None else format_brackets(found)) == expected


def test_phrases_over_a_phrase_of_the_same_label_may_stay() -> None:
    drawn = tree("(TOP (S (NP-SBJ (NP (NP (NN tea)) (PP (-NONE- *T*)))) (. .)))")
    found = cleaned(drawn, dropped=CODES | PUNCTUATION, joined=False)
    assert found is not None
    assert format_brackets(found) == "(S (NP (NP (NP (NN tea)))))"


def test_functions_may_stay_and_punctuation_may_go() -> None:
    drawn = tree("(TOP (S (NP-SBJ (NN tea)) (VP (VBZ is) (ADJP-PRD (JJ hot))) (. .)))")
    found = cleaned(drawn, functions=True, dropped=CODES | PUNCTUATION)
    assert found is not None
    assert format_brackets(found) == "(S (NP-SBJ (NN tea)) (VP (VBZ is) (ADJP-PRD (JJ hot))))"


# Heads


@pytest.mark.parametrize(
    ("label", "daughters", "head"),
    [
        ("NP", "DT JJ NN", "NN"),
        ("NP", "NP PP", "NP"),
        ("NP", "DT NN NN", "NN"),
        ("NP", "PRP", "PRP"),
        ("VP", "MD VP", "MD"),
        ("VP", "VBZ NP PP", "VBZ"),
        ("S", "NP VP", "VP"),
        ("PP", "IN NP", "IN"),
        ("NP-SBJ", "DT-x NNS-y", "NNS-y"),
        ("XP", "DT NN", None),
        ("XP", "UH", "UH"),
        ("VP‧的", "Nab-theme VC2-head DE", "VC2-head"),
    ],
)
def test_heads_by_the_penn_table(label: str, daughters: str, head: str | None) -> None:
    index = head_index(label, daughters.split(), PENN)
    assert (None if index is None else daughters.split()[index]) == head


def test_heads_of_french_and_the_table_that_fits() -> None:
    assert head_index("VN", ["CLS", "V", "VPP"], FRENCH) == 2
    assert head_index("NP", ["DET", "NC", "PP"], FRENCH) == 1
    assert table_for({"SENT": 3, "VN": 4, "NP": 9}) == "french"
    assert table_for({"S": 3, "VP": 4, "NP": 9}) == "penn"
    assert table_for({"VP‧的": 3, "NP": 2}) == "cover"


# Sinica


SINICA = "#1:1.[7] S(agent:NP(Head:Nhaa:tA)|Head:VA4:b|goal:NP(property:V_11(Head:V:c|DE:de)|head:Head:Nab:d))#.(X)\n"


def test_roles_become_functions_and_of_two_the_inner_one_counts() -> None:
    found = list(read_sinica(["\n", SINICA, "#2:x NP(Head:Nab:f)\n"], "zh"))
    assert [format_brackets(each) for each in found if isinstance(each, Tree)] == [
        "(S (NP-agent (Nhaa-Head tA)) (VA4-Head b) (NP-goal (V_11-property (V-Head c) (DE de)) (Nab-Head d)))",
        "(NP (Nab-Head f))",
    ]
    assert [each.line for each in found if isinstance(each, Tree)] == [2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#1:1 NP(Head:Nab:a", "1:18: sentence 1 (1:1): a tree that is not closed"),
        ("#1:1 NP(Head:Nab:a))", "1:20: sentence 1 (1:1): a closing bracket too many"),
        ("#1:1 NP(Head:Nab:a|)", "1:20: sentence 1 (1:1): a daughter is missing"),
        ("#1:1 NP(a)", "1:9: sentence 1 (1:1): a word without tag"),
        ("#1:1 NP(NP(Nab:a)b)", "1:18: sentence 1 (1:1): text after a bracket"),
        ("#1:1 (Nab:a)", "1:6: sentence 1 (1:1): a bracket without label"),
        ("#1:1 NP(Nab:a)|NP(Nab:a)", "1:6: sentence 1 (1:1): not one tree"),
        ("NP(Nab:a)", "1:1: sentence 1: a line that is not a tree"),
    ],
)
def test_mistakes_in_sinicas_format_have_their_place(text: str, message: str) -> None:
    bad, good = read_sinica([text, "#2:2 NP(Nab:a)"], "zh")
    assert isinstance(bad, Problem)
    assert str(bad).split("\n")[0] == f"zh:{message}"
    assert good == tree("(NP (Nab a))")


# Files


FILES: Final = {
    "sinica": [SINICA, SINICA.replace("] ", "]"), "\ufeff" + SINICA],
    "ptb": [
        "\ufeff(S (N a))", "( (S (N a)))", "# c\n(S (N a))", "(S\t(NP (N a)))", "(\t(S\t(N a)))", "(S\r\n (N a))",
        "(S (N 2=x) (N y))", "(N like\\(d\\))", ";; from a/b (c)\n(S (N a))",
    ],
    "discbracket": ["(S (N 0=a))", "(S\n(VP (V 0=a) (P 2=c)) (N 1=b))"],
    "export": ["#BOS 1 2 3", "#FORMAT 4\n#BOS 1", "%% by\n#BOT TAGS"],
    "tiger": ['<?xml version="1.0"?>', "<corpus id='a'>", '<s id="1">'],
    "cg3": ['"<a>"\n\t"a" N'],
    "conllu": [
        "# sent_id = 3", "#3 text", "1\ta\t_\t_\t_\t_\t_\t_\t_\t_", "1-2\ta" + "\t_" * 8,
        "#\ta\n1\ta" + "\t_" * 8,
    ],
    "malt": [
        "a\tN\t2\tX", "a\tN\t0", "(\tN\t0",
        "1\ta\ta\tN\tN\tpl|def\t0\tROOT\t_\t_", "1\ta\ta\tN\tN\t_\t0\tROOT\t0\tROOT",
    ],
    "text": ["a/N b/V", "(/( a/N", "#/S a/N"],
    "columns": ["a\tN", "a N x", "#\tS", "(\tL", "(12)\tNUM"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in FILES.items() for text in texts])
def test_the_content_tells_the_format(name: str, text: str) -> None:
    lines = ["\n", *text.split("\n")]
    assert recognised(lines).form == name
    assert recognised(opening_of(iter([*lines, "\n", "\n"]))).form == name


def test_sentences_are_named_after_sent_id_or_file_and_line(tmp_path: Path) -> None:
    bank = tmp_path / "a.mrg"
    bank.write_text("\n(S (N a))\n(S (N\n  b))\n(S\n(S (N c))\n", encoding="utf-8")
    found = list(read_treebank(str(bank)))
    names = [each.id for each in found if isinstance(each, TreebankSentence)]
    assert names == ["a.mrg:2", "a.mrg:3", "a.mrg:6"]
    assert [str(each).split("\n")[0] for each in found if isinstance(each, Problem)] == [
        f"{bank}:5:1: sentence 3: a tree that is not closed"
    ]
    trees = list(read_treebank(str(ROOT / "corpora" / "trees.conllu")))
    assert [each.id for each in trees if isinstance(each, TreebankSentence)] == ["cats-1", "cats-2", "cats-3"]


ROW = b"1\t%b\t_\tN\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize(
    ("content", "names", "places"),
    [
        (b"(S (N a))\n(S (N \xff))\n(S (N c))\n", [1, 3], ["2:7"]),
        (b"(S\n  (N \xe9t\xe9)\n  (V \xe9))\n(S (N c)) (S (N d))\n", [4, 4], ["2:6"]),
        (b"(S (N a)) (S (N \xff))\n(S (N c))", [2], ["1:17"]),
        (b"#1:a S(N:\xe9)\n#2:b S(N:c)\n", [2], ["1:10"]),
        (ROW % b"a" + b"# text = \xe9\n" + ROW % b"b" + ROW % b"c", [1, 6], ["3:10"]),
    ],
)
def test_a_sentence_that_is_not_utf8_is_skipped(
    tmp_path: Path, content: bytes, names: list[int], places: list[str]
) -> None:
    bank = tmp_path / "a.mrg"
    bank.write_bytes(content)
    found = list(read_treebank(str(bank)))
    assert [each.id for each in found if isinstance(each, TreebankSentence)] == [f"a.mrg:{line}" for line in names]
    problems = [str(each).split("\n") for each in found if isinstance(each, Problem)]
    assert [lines[0].partition(" (byte")[0] for lines in problems] == [
        f"{bank}:{place}: this line is not UTF-8" for place in places
    ]
    assert {lines[-1] for lines in problems} == {f"  {SAVE_OR_NAME}"}


def test_a_file_in_another_encoding_is_told_once(tmp_path: Path) -> None:
    bank = tmp_path / "a.mrg"
    bank.write_bytes(b"(S (N a))\n" + b"(S (N \xe9t\xe9))\n" * 30)
    with pytest.raises(numbat.DataError) as raised:
        list(read_treebank(str(bank)))
    assert str(raised.value) == (f"{bank}: this file is not UTF-8: 20 of its first 21 trees\n  {SAVE_OR_NAME}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(numbat.MissingFileError) as missing:
        read_treebank(str(tmp_path / "none.mrg"))
    assert str(missing.value) == f"{tmp_path / 'none.mrg'}: cannot be read: No such file or directory"


# From one format to another


labels = st.text(st.sampled_from("SNP-%()*|=ü\xa0\u2003"), min_size=1, max_size=3)
forms = st.text(st.sampled_from("abé-_"), min_size=1, max_size=3)
some_trees = st.recursive(
    st.builds(lambda tag, form: Tree(tag, form=form), labels, forms),
    lambda below: st.builds(
        lambda label, each: Tree(label, tuple(each)), labels, st.lists(below, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(some_trees)
def test_a_tree_comes_back_from_the_misc_column(drawn: Tree) -> None:
    if drawn.form is not None:
        drawn = Tree("S", (drawn,))
    (again,) = read_conllu(format_conllu(to_dependencies(TreebankSentence("a", drawn))).split("\n"), "t")
    assert isinstance(again, DependencyTree)
    assert again.comment("sent_id") == "a"
    assert to_constituents(TreebankSentence("a", again)) == drawn


def test_brackets_in_misc_that_are_no_tree() -> None:
    (bad,) = read_conllu(["1\ta\t_\t_\tN\t_\t_\t_\t_\tTree=(S(NP*)"], "t")
    assert isinstance(bad, DependencyTree)
    with pytest.raises(numbat.DataError) as raised:
        to_constituents(TreebankSentence("s1", bad))
    assert str(raised.value) == "s1: the brackets in MISC are not one tree\n  write them as Tree=(S(NP* and Tree=*))"


def test_dependencies_become_phrases_and_crossing_ones_are_lifted() -> None:
    row = "{}\t{}\t_\t{}\t_\t_\t{}\t_\t_\t_\n"
    words = [("1", "the", "DET", "2"), ("2", "cat", "NOUN", "3"), ("3", "sleeps", "VERB", "0")]
    (good,) = read_conllu([row.format(*word) for word in words], "t")
    assert isinstance(good, DependencyTree)
    assert format_brackets(to_constituents(TreebankSentence("s1", good))) == (
        "(VERB-P (NOUN-P (DET-P (DET the)) (NOUN cat)) (VERB sleeps))"
    )
    crossing = [("1", "a", "X", "3"), ("2", "b", "X", "0"), ("3", "c", "X", "2"), ("4", "d", "X", "1")]
    (bad,) = read_conllu([row.format(*word) for word in crossing], "t")
    assert isinstance(bad, DependencyTree)
    notes = Notes()
    assert format_brackets(to_constituents(TreebankSentence("s1", bad), notes)) == (
        "(X-P (X-P (X a)) (X b) (X-P (X c)) (X-P (X d)))"
    )
    assert notes.places == {LIFTED: ["s1"]}


def test_trees_as_json() -> None:
    assert tree_to_json(TreebankSentence("a", tree("(S (NP (N tea)) (V is))"))) == {
        "schema": "numbat.tree/1",
        "id": "a",
        "tree": {
            "label": "S",
            "daughters": [
                {"label": "NP", "daughters": [{"label": "N", "form": "tea"}]},
                {"label": "V", "form": "is"},
            ],
        },
    }
    first = next(read_treebank(str(ROOT / "corpora" / "trees.conllu")))
    assert isinstance(first, TreebankSentence)
    words = tree_to_json(first)["words"]
    assert words[2] == {
        "id": 3, "form": "cat", "lemma": "cat", "upos": "NOUN", "xpos": "NN", "feats": {"Number": "Sing"},
        "head": 4, "deprel": "nsubj", "deps": "_", "misc": "_",
    }  # fmt: skip


# Comparison with NLTK


def as_nltk_has_it(node: object) -> object:
    return node if isinstance(node, str) else (node.label(), [as_nltk_has_it(each) for each in node])  # type: ignore[attr-defined]


def own(node: Tree) -> object:
    if node.form is not None:
        return node.label, node.form.split(" ")
    return node.label, [own(daughter) for daughter in node.daughters]


ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def unescaped(node: Any) -> object:
    if isinstance(node, str):
        for sign, char in ESCAPES.items():
            node = node.replace(sign, char)
        return node
    label, below = node
    return label, [unescaped(each) for each in below]


@pytest.mark.parametrize("name", ["sw2014-ms98-a-trans.mrg", "wsj_2465.mrg", "A1.E2-NEW.mrg", "ch5.mrg"])
def test_nltk_reads_the_same_trees_with_empty_elements_and_codes(name: str) -> None:
    nltk = pytest.importorskip("nltk")
    path = data(f"const/en_masc/{name}")
    text = path.read_text(encoding="utf-8")
    with path.open(encoding="utf-8") as lines:
        found = list(read_brackets(lines, name))
    trees = [each for each in found if isinstance(each, Tree)]
    assert len(trees) == len(found)
    stream = nltk.Tree("", nltk.Tree.fromstring(f"(ALL {text})", remove_empty_top_bracketing=False))
    assert [own(each) for each in trees] == [unescaped(as_nltk_has_it(each)) for each in stream]
    spoken = [[form for form, tag in each.words(empty=False) if tag != "CODE"] for each in trees]
    kept = [cleaned(each) for each in trees]
    assert [[form for form, _ in each.words()] if each else [] for each in kept] == spoken


def test_nltk_reads_the_same_sinica_trees() -> None:
    parse = pytest.importorskip("nltk.tree").sinica_parse
    path = data("const/zh_sinica/parsed")
    lines = path.read_text(encoding="utf-8").splitlines()[:2_000]
    for line, mine in zip(lines, read_sinica(lines, "parsed"), strict=True):
        assert isinstance(mine, Tree)
        other = parse(re.sub(r"^#\S+\s|(?<=\))#.*$", "", line))
        assert unescaped(as_nltk_has_it(other)) == own(bare(mine)), line


def bare(tree: Tree) -> Tree:
    return Tree(bare_label(tree.label), tuple(map(bare, tree.daughters)), tree.form)


@pytest.mark.parametrize("name", ["const/en_ewt/dev.mrg", "ud/UD_English-EWT/en_ewt-ud-dev.conllu"])
def test_a_treebank_eight_times_as_large_takes_some_eight_times_as_long(name: str, tmp_path: Path) -> None:
    lines = data(name).read_text(encoding="utf-8").splitlines(keepends=True)
    part = tmp_path / Path(name).name

    def read(size: int) -> None:
        part.write_text("".join(lines[:size]), encoding="utf-8")
        assert sum(1 for _ in read_treebank(str(part))) > size / 40

    assert growth(read, len(lines) // 8) < 24


def test_sequoia_is_read_as_it_is() -> None:
    path = data("const/fr_sequoia/dev.mrg")
    found = [each.tree for each in read_treebank(str(path)) if isinstance(each, TreebankSentence)]
    assert len(found) == 412
    kept = [cleaned(each) for each in found if isinstance(each, Tree)]
    assert {each.label for each in kept if each} == {"SENT"}
