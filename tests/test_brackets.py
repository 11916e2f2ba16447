"""The reader and writer of bracketed trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.errors import Problem
from numbat.treebanks.brackets import format_brackets, read_brackets
from numbat.treebanks.trees import Tree

DATA = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).parents[1] / ".." / "shared" / "data")


def read(text: str) -> list[Tree | Problem]:
    return list(read_brackets(text.splitlines(keepends=True), "cats.mrg"))


def trees(text: str) -> list[Tree]:
    found = read(text)
    problems = [str(each) for each in found if isinstance(each, Problem)]
    assert problems == []
    return [each for each in found if isinstance(each, Tree)]


def outcome(text: str) -> list[str]:
    """Return what a reader yields, in order: trees as text, problems as shown to the user."""
    return [str(each) if isinstance(each, Problem) else format_brackets(each) for each in read(text)]


def leaf(tag: str, form: str) -> Tree:
    return Tree(tag, form=form)


CATS = Tree("S", (Tree("NP", (leaf("Det", "the"), leaf("N", "cat"))), Tree("VP", (leaf("V", "sleeps"),))))


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (Det the) (N cat)) (VP (V sleeps)))",
        "(S\n  (NP (Det the)\n      (N cat))\n  (VP (V sleeps)))\n",
        "\ufeff(S(NP(Det the)(N cat))(VP(V sleeps)))\r\n",
        "(\n S (NP (Det\n the ) ( N cat))\n\t\xa0(VP (V sleeps\n))\n)\n",
    ],
)
def test_a_tree_may_be_laid_out_in_many_ways(text: str) -> None:
    assert trees(text) == [CATS]


def test_several_trees_on_a_line_and_blank_lines_between() -> None:
    found = trees("(N cat) (N dog)\n\n\n(S\n (N mouse))\n")
    assert found == [leaf("N", "cat"), leaf("N", "dog"), Tree("S", (leaf("N", "mouse"),))]
    assert [tree.line for tree in found] == [1, 1, 4]
    assert found[2].daughters[0].line == 5


def test_comments_between_trees() -> None:
    found = trees("# one\n;; by (a parser)\n(N cat)\n%% (two)\n(S\n (N mouse))\n;;\n")
    assert found == [leaf("N", "cat"), Tree("S", (leaf("N", "mouse"),))]


def test_wrappers_stay_as_they_are() -> None:
    assert trees("( (S (N cats)))\n(TOP (S (N cats)))\n(ROOT (S (N cats)))") == [
        Tree(label, (Tree("S", (leaf("N", "cats"),)),)) for label in ("", "TOP", "ROOT")
    ]


def test_brackets_in_forms_are_escaped_and_tags_are_not() -> None:
    text = "(NP (-LRB- -LRB-) (N smile:-RRB-) (-RRB- -RRB-))"
    (tree,) = trees(text)
    assert list(tree.words()) == [("(", "-LRB-"), ("smile:)", "N"), (")", "-RRB-")]
    assert format_brackets(tree) == text
    assert list(trees("(X (X -LSB-) (X -RCB-))")[0].words()) == [("[", "X"), ("}", "X")]


def test_empty_elements_stay_in_the_tree_and_can_be_left_out_of_the_words() -> None:
    (tree,) = trees("(S (NP (-NONE- *PRO*-1)) (VP (TO to) (VB sleep)))")
    assert list(tree.words()) == [("*PRO*-1", "-NONE-"), ("to", "TO"), ("sleep", "VB")]
    assert list(tree.words(empty=False)) == [("to", "TO"), ("sleep", "VB")]


def test_a_form_may_have_several_words_and_a_no_break_space() -> None:
    (tree,) = trees("(PP (P in  front\n of) (NUM 10\xa0000))")
    assert list(tree.words()) == [("in front of", "P"), ("10\xa0000", "NUM")]
    assert format_brackets(tree) == "(PP (P in front of) (NUM 10\xa0000))"


def test_the_nodes_are_walked_from_the_top_and_the_left() -> None:
    assert [node.label for node in CATS.walk()] == ["S", "NP", "Det", "N", "VP", "V"]
    assert repr(CATS) == "<Tree 'S' over 'the cat sleeps', line 0>"


def test_trees_differ_by_shape_label_and_form_but_not_by_line() -> None:
    assert Tree("S", (CATS,), line=3) == Tree("S", (CATS,), line=7)
    assert hash(Tree("S", (CATS,), line=3)) == hash(Tree("S", (CATS,), line=7))
    assert trees("(A (B (C c)) (D d))") != trees("(A (B (C c) (D d)))")
    assert leaf("N", "cat") != leaf("N", "cats")
    assert leaf("N", "cat") != leaf("V", "cat")
    assert leaf("N", "cat") != "(N cat)"


def test_a_tree_may_be_deeper_than_the_stack_of_python() -> None:
    text = "(S " * 50_000 + "(N cat)" + ")" * 50_000
    (tree,) = trees(text)
    assert format_brackets(tree) == text
    assert [tree] == trees(text)
    assert list(tree.words()) == [("cat", "N")]


UNCLOSED = """\
(S (NP (N cats)) (VP (V sleep))
(S (N dogs))
"""


def test_a_bracket_that_is_missing_spoils_one_tree() -> None:
    assert outcome(UNCLOSED) == [
        """\
cats.mrg:1:1: sentence 1: a tree that is not closed
    (S (NP (N cats)) (VP (V sleep))
    ^
  expected: 1 more )
  found: the next tree, in line 2
  the innermost open bracket is (S in line 1, column 1; indent the further lines of a tree""",
        "(S (N dogs))",
    ]


def test_the_file_may_end_too_early() -> None:
    assert outcome("(S (N dogs))\n(S (NP (N cats))\n   (VP (V sleep)") == [
        "(S (N dogs))",
        """\
cats.mrg:2:1: sentence 2: a tree that is not closed
    (S (NP (N cats))
    ^
  expected: 2 more )
  found: the end of the file
  the innermost open bracket is (VP in line 3, column 4""",
    ]


def test_a_bracket_too_many_makes_the_tree_before_it_bad() -> None:
    assert outcome("(S (N dogs))) (S (N cats))") == [
        """\
cats.mrg:1:13: sentence 1: a closing bracket too many
    (S (N dogs))) (S (N cats))
                ^
  expected: the end of the tree
  found: )""",
        "(S (N cats))",
    ]


def test_a_bracket_too_many_on_a_line_of_its_own() -> None:
    assert outcome("(S (N dogs))\n  ))\n(S (N cats))") == [
        "(S (N dogs))",
        """\
cats.mrg:2:3: a closing bracket too many, after sentence 1
      ))
      ^^
  expected: the next tree
  found: ))""",
        "(S (N cats))",
    ]


def test_text_outside_the_trees_is_reported_once_between_two_trees() -> None:
    assert outcome("the cat sleeps\n(S (N cats)) and more (S (N dogs))") == [
        """\
cats.mrg:1:1: text outside the trees, before the first tree
    the cat sleeps
    ^^^^^^^^^^^^^^
  expected: (
  found: the cat sleeps""",
        "(S (N cats))",
        """\
cats.mrg:2:14: text outside the trees, after sentence 1
    (S (N cats)) and more (S (N dogs))
                 ^^^^^^^^
  expected: (
  found: and more""",
        "(S (N dogs))",
    ]
    assert outcome("a\n)\n(S (N cats))\nb c\n\n)\nd\n  e") == [
        """\
cats.mrg:1:1: text outside the trees, before the first tree
    a
    ^
  expected: (
  found: a""",
        """\
cats.mrg:2:1: a closing bracket too many, before the first tree
    )
    ^
  expected: the next tree
  found: )""",
        "(S (N cats))",
        """\
cats.mrg:4:1: text outside the trees, after sentence 1
    b c
    ^^^
  expected: (
  found: b c""",
        """\
cats.mrg:6:1: a closing bracket too many, after sentence 1
    )
    ^
  expected: the next tree
  found: )""",
        """\
cats.mrg:7:1: text outside the trees in lines 7 to 8, after sentence 1
    d
    ^
  expected: (
  found: d""",
    ]


def test_a_file_without_any_tree_is_no_treebank() -> None:
    assert outcome("sentence,rating\nThe cat sleeps,5\n\nCat the sleeps,1\n") == [
        """\
cats.mrg:1:1: text outside the trees in lines 1 to 4
    sentence,rating
    ^^^^^^^^^^^^^^^
  expected: (
  found: sentence,rating
  nothing here is a tree, so this is not a treebank; a tree is written (NP (DT the) (NN cat))""",
    ]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            "(S (NP the (N cat)))",
            """\
cats.mrg:2:8: sentence 2: a word beside brackets in (NP
    (S (NP the (N cat))) (N mouse)
           ^^^
  expected: either words or bracketed daughters
  found: the
  give the word a bracket with its tag, or read trees without tags with --from prd""",
        ),
        (
            "(S (N cat) ())",
            """\
cats.mrg:2:13: sentence 2: an empty bracket
    (S (N cat) ()) (N mouse)
                ^
  expected: a label and a word, or a tree
  found: )""",
        ),
        (
            "(S ((N cat) (V sleeps)))",
            """\
cats.mrg:2:4: sentence 2: a bracket without label
    (S ((N cat) (V sleeps))) (N mouse)
       ^
  expected: a label after ( ; only the outermost bracket may do without
  found: (""",
        ),
        (
            "(S (NP) (V sleeps))",
            """\
cats.mrg:2:7: sentence 2: a label without anything below it
    (S (NP) (V sleeps)) (N mouse)
          ^
  expected: a word or bracketed daughters after (NP
  found: )""",
        ),
        (
            "(S (NP) (VP))",
            """\
cats.mrg:2:7: sentence 2: a label without anything below it
    (S (NP) (VP)) (N mouse)
          ^
  expected: a word or bracketed daughters after (NP
  found: )""",
        ),
    ],
)
def test_reading_goes_on_after_a_bad_tree(bad: str, message: str) -> None:
    assert outcome(f"(N dog)\n{bad} (N mouse)\n(N cat)\n") == ["(N dog)", message, "(N mouse)", "(N cat)"]


OPEN = "a tree that is not closed"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(S\n(N a)\n(V b))\n(S (N c))", ["(S (N a) (V b))", "(S (N c))"]),
        ("(S\n(NP\n(N a))\n(V b)\n)\n", ["(S (NP (N a)) (V b))"]),
        ("(S\n(N a)\n(V b)) (S\n(N c))", ["(S (N a) (V b))", "(S (N c))"]),
        ("(S (NP (N a)\n(S (N b))", [OPEN, "(S (N b))"]),
        ("(S (NP (N a)\n(NP (N b))\n(S (N c))", [OPEN, "(NP (N b))", "(S (N c))"]),
        ("(S (NP (N a)\n(NP (N b)\n(VP (V c))\n", [OPEN, OPEN, "(VP (V c))"]),
        ("(S\n(N a))\n(S\n(N b)\n(S\n(N c))", ["(S (N a))", OPEN, "(S (N c))"]),
        ("(S (N a b)\n(V c)" + "\n(N d)" * 1000, [OPEN, "(V c)", *["(N d)"] * 1000]),
    ],
)
def test_a_bracket_in_column_one(text: str, found: list[str]) -> None:
    """A bracket with the label of the open tree starts the next tree; another one belongs to a tree that is closed."""
    given = outcome(text)
    assert len(given) == len(found)
    assert all(one == other or (other == OPEN and OPEN in one) for one, other in zip(given, found, strict=True))


def test_a_long_line_is_not_quoted() -> None:
    assert outcome("(S " + "(N cat) " * 30 + "())") == [
        """\
cats.mrg:1:245: sentence 1: an empty bracket
  expected: a label and a word, or a tree
  found: )"""
    ]


def test_trees_come_out_as_soon_as_their_line_is_read() -> None:
    def endless() -> object:
        yield "(N cat)\n"
        raise AssertionError("read on before the first tree was delivered")

    assert next(read_brackets(endless(), "cats.mrg")) == leaf("N", "cat")  # type: ignore[arg-type]


letters = st.text(st.sampled_from("abcé*'=%\xa0-+_"), min_size=1, max_size=4).filter(lambda text: not text.isspace())
forms = st.lists(st.text(st.sampled_from("abcé()[]\\/'\""), min_size=1, max_size=4), min_size=1, max_size=3)
some_trees = st.recursive(
    st.builds(lambda tag, words: leaf(tag, " ".join(words)), letters, forms),
    lambda below: st.builds(
        lambda label, daughters: Tree(label, tuple(daughters)), letters, st.lists(below, min_size=1)
    ),
    max_leaves=12,
)
NO_LEMMAS = Tree("S", (leaf("N", "a"), leaf("N", "b")))
"""A first tree, which shows that the second word of a leaf is not a lemma."""
wrapped = st.one_of(some_trees, st.builds(lambda tree: Tree("", (tree,)), some_trees))


@given(st.lists(wrapped))
def test_what_is_written_reads_back(written: list[Tree]) -> None:
    written = [NO_LEMMAS, *written]
    lines = [format_brackets(tree) for tree in written]
    assert list(read_brackets(lines, "law")) == written
    assert list(read_brackets([" ".join(lines)], "law")) == written


@given(st.lists(st.text(st.sampled_from("()aS \t\n-"), max_size=30)))
def test_any_text_is_read_and_what_comes_out_reads_back(texts: list[str]) -> None:
    found = [each for each in read("\n".join(texts)) if isinstance(each, Tree)]
    assert list(read_brackets(map(format_brackets, found), "law")) == found


@given(st.lists(wrapped, min_size=1), st.data())
def test_a_tree_that_is_cut_short_spoils_no_other(written: list[Tree], data: st.DataObject) -> None:
    written = [NO_LEMMAS, *written]
    lines = [format_brackets(tree) for tree in written]
    bad = data.draw(st.integers(1, len(lines) - 1))
    lines[bad] = lines[bad][:-1]
    found = list(read_brackets(lines, "law"))
    assert isinstance(found[bad], Problem)
    assert found[:bad] + found[bad + 1 :] == written[:bad] + written[bad + 1 :]


@pytest.mark.parametrize(("name", "count"), [("en_ewt/dev.mrg", 1931), ("fr_sequoia/dev.mrg", 412)])
def test_real_treebanks_are_read_without_problem(name: str, count: int) -> None:
    path = DATA / "const" / name
    if not path.exists():
        pytest.skip(f"no {path}: set NUMBAT_DATA to the folder that holds const/{name}")
    with path.open(encoding="utf-8") as lines:
        found = list(read_brackets(lines, name))
    assert [str(each) for each in found if isinstance(each, Problem)] == []
    assert len(found) == count
    written = [format_brackets(each) for each in found if isinstance(each, Tree)]
    assert written == [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def test_a_blank_in_a_label_does_not_begin_a_word() -> None:
    tree = Tree("NP x", (Tree("N\tP", form="cat"), Tree(" ", form="dog")))
    assert format_brackets(tree) == "(NP_x (N_P cat) (_ dog))"
