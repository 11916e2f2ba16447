"""The reader and writer of CoNLL-U, against hand-made files and the package conllu."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.errors import Problem
from numbat.treebanks.conllu import DependencyTree, DependencyWord, OtherRow, format_conllu, read_conllu
from tests.growth import growth

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("NUMBAT_DATA") or ROOT / ".." / "shared" / "data")
TREES = ROOT / "corpora" / "trees.conllu"

ROWS = [
    "# sent_id = cats-2",
    "# text = They don't",
    "1\tThey\tthey\tPRON\tPRP\tCase=Nom|Number=Plur\t2\tnsubj\t_\t_",
    "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
    "2\tdo\tdo\tVERB\tVBP\t_\t0\troot\t_\t_",
    "3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_",
    "3.1\tsleep\tsleep\tVERB\tVB\t_\t_\t_\t2:xcomp\tCopyOf=2",
]


def read(text: str) -> list[DependencyTree | Problem]:
    return list(read_conllu(text.splitlines(keepends=True), "cats.conllu"))


def first_problem(rows: list[str]) -> str:
    found = read("\n".join(rows))
    assert len(found) == 1
    assert isinstance(found[0], Problem)
    return str(found[0])


def test_words_tokens_of_several_words_empty_nodes_and_comments() -> None:
    (tree,) = read("\n".join(ROWS) + "\n\n")
    assert tree == DependencyTree(
        (
            DependencyWord("They", "they", "PRON", "PRP", (("Case", "Nom"), ("Number", "Plur")), 2, "nsubj"),
            DependencyWord("do", "do", "VERB", "VBP", (), 0, "root"),
            DependencyWord("n't", "not", "PART", "RB", (), 2, "advmod"),
        ),
        ("# sent_id = cats-2", "# text = They don't"),
        (OtherRow(2, tuple(ROWS[3].split("\t"))), OtherRow(4, tuple(ROWS[6].split("\t")))),
    )
    assert isinstance(tree, DependencyTree)
    assert tree.line == 1
    assert tree.comment("text") == "They don't"
    assert tree.comment("newdoc") == ""
    assert tree.dependents() == [[2], [], [1, 3], []]
    assert format_conllu(tree) == "\n".join(ROWS) + "\n\n"


def test_blank_lines_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    text = "\ufeff1\tcats\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n  \n\n1\tdogs\t_\t_\t_\t_\t0\troot\t_\t_"
    found = [tree for tree in read(text) if isinstance(tree, DependencyTree)]
    assert [tree.words[0].form for tree in found] == ["cats", "dogs"]
    assert [tree.line for tree in found] == [1, 5]


def test_words_without_heads_are_a_sentence() -> None:
    (tree,) = read("1\tcats\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t_\t_\t_\t_\n")
    assert isinstance(tree, DependencyTree)
    assert [word.head for word in tree.words] == [None, None]
    assert tree.dependents() == [[], [], []]


def test_a_bad_sentence_is_named_and_the_others_are_read() -> None:
    good = "1\tcats\t_\t_\t_\t_\t0\troot\t_\t_"
    found = read(f"{good}\n\n# sent_id = bad-1\n1\tdogs\t_\t_\t_\t_\t0\troot\t_\n\n{good}\n")
    assert [str(each) if isinstance(each, Problem) else each.words[0].form for each in found] == [
        "cats",
        """\
cats.conllu:4:1: sentence 2 (bad-1): a row without ten columns
    1\tdogs\t_\t_\t_\t_\t0\troot\t_
    ^
  expected: 10 columns
  found: 9""",
        "cats",
    ]


def test_of_what_is_no_treebank_the_first_mistake_is_told_alone() -> None:
    assert [str(each) for each in read("# a grammar\nleaves: N\n\nNP:\n    oblig N\n\nVP:\n")] == [
        """\
cats.conllu:2:1: sentence 1: a row without ten columns
    leaves: N
    ^^^^^^^^^
  expected: 10 columns
  found: 1
  no line has ten columns, so this is not CoNLL-U; name the format with --from"""
    ]
    good = "1\tcats\t_\t_\t_\t_\t0\troot\t_\t_"
    assert [type(each).__name__ for each in read(f"cats\n\ndogs\n\n{good}\n")] == [
        "Problem",
        "Problem",
        "DependencyTree",
    ]


def changed(row: int, column: int, value: str) -> list[str]:
    rows = list(ROWS)
    columns = rows[row].split("\t")
    columns[column] = value
    rows[row] = "\t".join(columns)
    return rows


@pytest.mark.parametrize(
    ("rows", "message", "expected", "found"),
    [
        (changed(2, 0, "2"), "3:1: sentence 1 (cats-2): a row out of order", "1, 1-2 or later, or 0.1", "2"),
        (changed(3, 0, "2-2"), "4:1: sentence 1 (cats-2): a row out of order", "2, 2-3 or later, or 1.1", "2-2"),
        (changed(6, 0, "2.1"), "7:1: sentence 1 (cats-2): a row out of order", "4, 4-5 or later, or 3.1", "2.1"),
        (changed(3, 0, "2-9"), "4:1: sentence 1 (cats-2): a token over words that do not exist", "words up to 3", "9"),
        (changed(2, 1, ""), "3:3: sentence 1 (cats-2): an empty FORM", "a value, or _ for none", "nothing"),
        (
            changed(2, 5, "Case|Number=Plur"), "3:22: sentence 1 (cats-2): a feature that cannot be understood",
            "Name=Value, separated by |", "Case|Number=Plur",
        ),
        (
            changed(2, 5, "Case=Nom|Case=Acc"), "3:22: sentence 1 (cats-2): a duplicate feature",
            "each feature once", "Case=Nom|Case=Acc",
        ),
        (
            changed(2, 6, "x"), "3:43: sentence 1 (cats-2): a HEAD that is not a number",
            "the number of a word, 0 for the root, or _", "x",
        ),
        (
            changed(2, 6, "1" * 5_000), "3:43: sentence 1 (cats-2): a HEAD that is not a number",
            "the number of a word, 0 for the root, or _", "1" * 500 + "...",
        ),
        (
            changed(3, 0, f"2-{'1' * 5_000}"), "4:1: sentence 1 (cats-2): a row out of order",
            "2, 2-3 or later, or 1.1", f"2-{'1' * 498}...",
        ),
        (
            changed(2, 6, "4"), "3:43: sentence 1 (cats-2): a HEAD that is not another word",
            "a number from 0 to 3, but not 1", "4",
        ),
        (
            changed(2, 6, "_"), "3:43: sentence 1 (cats-2): a word without head beside words with heads",
            "the number of a word, or 0", "_",
        ),
        (
            changed(4, 6, "3"), "5:20: sentence 1 (cats-2): a cycle of dependencies",
            "a tree", "2 -> 3 -> 2",
        ),
        (ROWS[:2], "2:1: sentence 1 (cats-2): a sentence without words", "a row that begins with 1", ROWS[1]),
        (
            [*ROWS, "# late"], "8:1: sentence 1 (cats-2): a comment within the sentence",
            "a row of ten columns", "# late",
        ),
        (
            ["1 cats _ _ _ _ 0 root _ _"], "1:1: sentence 1: a row without ten columns", "10 columns",
            "1\n  columns are separated by TAB",
        ),
    ],
)  # fmt: skip
def test_mistakes_have_their_place(rows: list[str], message: str, expected: str, found: str) -> None:
    first, *rest = first_problem(rows).split("\n")
    assert first == f"cats.conllu:{message}"
    assert "\n".join(rest[-2 - found.count("\n") :]) == f"  expected: {expected}\n  found: {found}"


def test_sentences_come_as_soon_as_they_end() -> None:
    def endless() -> object:
        yield "1\tcats\t_\t_\t_\t_\t0\troot\t_\t_\n"
        yield "\n"
        raise AssertionError("read on before the first sentence was delivered")

    assert isinstance(next(read_conllu(endless(), "cats.conllu")), DependencyTree)  # type: ignore[arg-type]


values = st.text(st.sampled_from("abcé=:.-'\xa0"), min_size=1, max_size=4).filter(lambda text: not text.isspace())
names = st.sampled_from(["Case", "Number", "Number[psor]"])


@st.composite
def trees(draw: st.DrawFn) -> DependencyTree:
    size = draw(st.integers(1, 5))
    heads = [draw(st.integers(0, number)) for number in range(size)]
    words = tuple(
        DependencyWord(
            draw(values), draw(values), draw(values), draw(values),
            tuple(draw(st.dictionaries(names, values, max_size=2)).items()), head,
            draw(values), draw(values), draw(values),
        )
        for head in heads
    )  # fmt: skip
    other_rows = []
    for place in (1, 3):
        if place < size and draw(st.booleans()):
            other_rows.append(OtherRow(place, (f"{place}-{place + 1}", *draw(st.tuples(*[values] * 9)))))
    if draw(st.booleans()):
        other_rows.append(OtherRow(size + 1, (f"{size}.1", *draw(st.tuples(*[values] * 9)))))
    return DependencyTree(words, ("# sent_id = a b",) * draw(st.integers(0, 1)), tuple(other_rows))


@given(st.lists(trees(), max_size=4))
def test_what_is_written_reads_back(written: list[DependencyTree]) -> None:
    assert read("".join(map(format_conllu, written))) == written


@given(st.text(st.sampled_from("12-._#\t\n a|="), max_size=60))
def test_any_text_is_read_and_what_comes_out_reads_back(text: str) -> None:
    found = [tree for tree in read(text) if isinstance(tree, DependencyTree)]
    assert read("".join(map(format_conllu, found))) == found


def test_the_shipped_trees_are_written_as_they_are() -> None:
    text = TREES.read_text(encoding="utf-8")
    found = read(text)
    assert len(found) == 3
    assert "".join(format_conllu(tree) for tree in found if isinstance(tree, DependencyTree)) == text


def compare(path: Path) -> None:
    """Compare with the reader of the package conllu, word by word."""
    conllu = pytest.importorskip("conllu")
    with path.open(encoding="utf-8") as lines:
        own = list(read_conllu(lines, path.name))
    with path.open(encoding="utf-8") as lines:
        theirs = list(conllu.parse_incr(lines))
    assert [str(each) for each in own if isinstance(each, Problem)] == []
    assert len(own) == len(theirs)
    for tree, other in zip(own, theirs, strict=True):
        assert isinstance(tree, DependencyTree)
        words = [token for token in other if isinstance(token["id"], int)]
        assert [(w.form, w.lemma, w.upos, dict(w.feats), w.head, w.deprel) for w in tree.words] == [
            (t["form"], t["lemma"], t["upos"], t["feats"] or {}, t["head"], t["deprel"]) for t in words
        ]
        assert len(tree.other_rows) == len(other) - len(words)
        assert tree.comment("sent_id") == other.metadata.get("sent_id", "")


def test_a_chain_of_very_many_words() -> None:
    """Eight times the words take some eight times as long."""

    def read_chain(size: int) -> None:
        rows = [f"{i}\tw\t_\t_\t_\t_\t{i + 1 if i < size else 0}\t_\t_\t_\n" for i in range(1, size + 1)]
        (tree,) = read_conllu(rows, "t")
        assert isinstance(tree, DependencyTree)

    assert growth(read_chain, 1_500) < 24


def test_the_package_conllu_reads_the_same() -> None:
    compare(TREES)


@pytest.mark.parametrize("name", ["UD_English-EWT/en_ewt-ud-dev", "UD_French-Sequoia/fr_sequoia-ud-dev"])
def test_real_treebanks_are_read_as_the_package_conllu_reads_them(name: str) -> None:
    path = DATA / "ud" / f"{name}.conllu"
    if not path.exists():
        pytest.skip(f"no {path}: set NUMBAT_DATA to the folder that holds ud/{name}.conllu")
    compare(path)
    text = path.read_text(encoding="utf-8")
    written = "".join(format_conllu(tree) for tree in read(text) if isinstance(tree, DependencyTree))
    assert written.strip().split("\n") == text.strip().split("\n")


def test_a_tab_in_a_cell_does_not_begin_another() -> None:
    """As XML may have one: `word="a&#9;b"`."""
    tree = DependencyTree((DependencyWord("a\tb\nc", xpos="\t"), DependencyWord("d e")))
    (again,) = read_conllu(format_conllu(tree).splitlines(keepends=True), "x.conllu")
    assert isinstance(again, DependencyTree)
    assert [(word.form, word.xpos) for word in again.words] == [("a b c", "_"), ("d e", "_")]
