"""Tagged sentences of every format, without punctuation and whole again, and dependencies of trees of phrases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.errors import DataError
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.heads import PENN, dependencies_of
from numbat.treebanks.sinica import read_sinica
from numbat.treebanks.tagged_sentences import (
    TaggedFile,
    TaggedSentence,
    as_tree,
    check_several_tags,
    kept_heads,
    put_back,
    read_tagged_sentences,
    without_punctuation,
)
from numbat.treebanks.trees import Tree

CONLLU = """# sent_id = one
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\tVBP\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\t_
3.1\tnow\tnow\tADV\tRB\t_\t_\t_\t_\t_
4\t!\t!\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""


def read(folder: Path, text: str, **options: str) -> TaggedFile:
    path = folder / "t"
    path.write_text(text, encoding="utf-8")
    return read_tagged_sentences(str(path), **options)


def words(found: TaggedFile) -> list[list[tuple[str, str]]]:
    return [list(zip(each.forms, each.tags, strict=True)) for each in found.sentences]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("# a comment\nThe/DET cat/NOUN\n\nShe/PRON sleeps/VERB\n", "text"),
        ("The\tx\tDET\ncat\tx\tNOUN\n\nShe\tx\tPRON\nsleeps\tx\tVERB\n\n", "columns"),
        ("The DET\ncat NOUN\n\nShe PRON\nsleeps VERB", "columns"),
        ("(NP (DET The) (NOUN cat))\n(S (NP (PRON She)) (VP (VERB sleeps)))\n", "ptb"),
        ("#1:1.[1] NP(a:DET:The|Head:NOUN:cat)#x\n#2:1.[1] S(a:PRON:She|Head:VERB:sleeps)#x\n", "sinica"),
    ],
)
def test_every_format_gives_the_same_words_and_tags(tmp_path: Path, text: str, form: str) -> None:
    found = read(tmp_path, text)
    assert (found.form, found.column, found.problems) == (form, "tags", ())
    assert words(found) == [[("The", "DET"), ("cat", "NOUN")], [("She", "PRON"), ("sleeps", "VERB")]]


def test_conllu_has_two_columns_of_tags_and_its_trees(tmp_path: Path) -> None:
    found = read(tmp_path, CONLLU)
    assert (found.form, found.column) == ("conllu", "upos")
    assert words(found) == [[("do", "AUX"), ("n't", "PART"), ("sleep", "VERB"), ("!", "PUNCT")]]
    assert words(read(tmp_path, CONLLU, column="xpos")) == [[("do", "VBP"), ("n't", "RB"), ("sleep", "VB"), ("!", ".")]]
    (sentence,) = found.sentences
    assert (sentence.name, sentence.line, sentence.heads) == ("one", 1, (3, 3, 0, 3))


def test_a_tag_with_features_is_its_category(tmp_path: Path) -> None:
    (sentence,) = read(tmp_path, "cats/N[number=pl] of/and/or/P\n").sentences
    assert (sentence.forms, sentence.tags) == (("cats", "of/and/or"), ("N", "P"))


def test_heads_of_brackets_come_from_the_table_that_knows_their_labels(tmp_path: Path) -> None:
    (english,) = read(tmp_path, "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))").sentences
    assert english.heads == (2, 3, 0, 3)
    (unknown,) = read(tmp_path, "(CL (NG (D the) (N cat)) (VG (V sleeps)))").sentences
    assert unknown.heads is None


# Files that cannot be used


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "\n\n",
            {},
            "no sentence\n"
            "  give CoNLL-U, lines of tagged words such as The/DET cat/NOUN, or a word and its tag on each line",
        ),
        (
            "1\tcat\t_\t_\tNN\t_\t_\t_\t_\t_\n",
            {},
            "no word has a tag in the column UPOS\n  XPOS has tags: use these with --tags xpos",
        ),
        (
            "1\tcat\t_\tNOUN\t_\t_\t_\t_\t_\t_\n",
            {"column": "xpos"},
            "no word has a tag in the column XPOS\n  UPOS has tags: use these with --tags upos",
        ),
        (
            "1\tcat\t_\t_\t_\t_\t_\t_\t_\t_\n",
            {},
            "no word has a tag in the column UPOS, nor in XPOS\n  numbat tag run MODEL adds tags",
        ),
    ],
)
def test_a_file_without_tags_is_told(tmp_path: Path, text: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(DataError) as raised:
        read(tmp_path, text, **options)
    assert str(raised.value) == f"{tmp_path / 't'}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "The/DET cat\nA/DET dog/NOUN",
            '{}:1:9: "cat" has no tag\n    The/DET cat\n            ^^^\n'
            "  tagged words are written word/TAG or word/TAG1|TAG2",
        ),
        (
            "The\tDET\ncat\t_\n\nA\tDET\ndog\tNOUN\n",
            "{}:2:1: a word without tag\n    cat\t_\n    ^\n"
            "  a line is: word, further columns, tag; an empty line ends a sentence",
        ),
        (
            CONLLU.replace("AUX", "_") + CONLLU,
            '{}:1:1: sentence 1 (one): "do" has no tag in the column UPOS',
        ),
    ],
)
def test_a_sentence_with_a_word_without_tag_is_told_and_the_others_are_there(
    tmp_path: Path, text: str, message: str
) -> None:
    found = read(tmp_path, text)
    assert [str(each) for each in found.problems] == [message.format(tmp_path / "t")]
    assert len(found.sentences) == 1


def test_one_tag_is_too_few() -> None:
    check_several_tags([TaggedSentence(("a", "b"), ("N", "V"))], "t")
    with pytest.raises(DataError) as raised:
        check_several_tags([TaggedSentence(("a", "b"), ("N", "N"))], "t")
    assert str(raised.value) == (
        't: every word has the tag "N"\n'
        "  structure is learned from tags that occur together: give sentences with at least two tags"
    )


# Punctuation


def test_a_word_below_punctuation_depends_on_the_nearest_kept_word() -> None:
    heads = (2, 0, 4, 2)
    rows = tuple(
        DependencyWord(form, upos=upos, head=head)
        for form, upos, head in zip(("a", "b", "c", ","), ("X", "Y", "X", "PUNCT"), heads, strict=True)
    )
    sentence = TaggedSentence(("a", "b", "c", ","), ("x", "y", "x", "z"), DependencyTree(rows))
    bare, kept = without_punctuation(sentence)
    assert (bare.forms, bare.tags, bare.heads, kept) == (("a", "b", "c"), ("x", "y", "x"), (2, 0, 2), (0, 1, 2))


def test_what_hangs_on_a_mark_that_is_the_root_becomes_a_root() -> None:
    assert kept_heads((3, 3, 0), (0, 1)) == (0, 0)


def test_tags_tell_punctuation_where_upos_does_not() -> None:
    bare, kept = without_punctuation(TaggedSentence(("(", "$", "5", ")", "."), ("-LRB-", "$", "CD", "-RRB-", ".")))
    assert (bare.tags, kept) == (("$", "CD"), (1, 2))
    assert without_punctuation(TaggedSentence(("a", "b"), ("X", "PU")), {"PU"})[0].tags == ("X",)


def test_a_sentence_of_punctuation_alone_is_empty() -> None:
    bare, kept = without_punctuation(TaggedSentence(("!", "!"), ("PUNCT", "PUNCT")))
    assert (bare.forms, kept) == ((), ())
    assert put_back((), kept, 2) == (0, 1)


def is_forest(heads: Sequence[int]) -> bool:
    def ends(number: int) -> bool:
        for _ in heads:
            number = heads[number - 1] if number else 0
        return number == 0

    return all(0 <= head <= len(heads) for head in heads) and all(ends(n) for n in range(1, len(heads) + 1))


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], tuple[int, ...]]:
    """Heads of some words, in any order, and the positions of those that are kept."""
    size = draw(st.integers(1, 9))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, number in enumerate(order):
        heads[number - 1] = draw(st.sampled_from([0, *order[:place]]))
    kept = draw(st.sets(st.integers(0, size - 1)))
    return heads, tuple(sorted(kept))


def ancestors(heads: Sequence[int], number: int) -> list[int]:
    found = []
    while number := heads[number - 1]:
        found.append(number)
    return found


@given(forests())
def test_re_attached_heads_are_a_forest_in_which_the_kept_ancestors_stay(
    drawn: tuple[list[int], tuple[int, ...]],
) -> None:
    heads, kept = drawn
    found = [head or 0 for head in kept_heads(heads, kept)]
    assert is_forest(found)
    for number, position in enumerate(kept, start=1):
        above = [kept[each - 1] + 1 for each in ancestors(found, number)]
        assert above == [each for each in ancestors(heads, position + 1) if each - 1 in kept]


@given(forests())
def test_heads_that_are_put_back_are_a_forest_that_gives_the_same_heads_again(
    drawn: tuple[list[int], tuple[int, ...]],
) -> None:
    heads, kept = drawn
    found = [head or 0 for head in kept_heads(heads, kept)]
    whole = put_back(found, kept, len(heads))
    assert is_forest(whole)
    assert list(kept_heads(whole, kept)) == found


def test_a_mark_depends_on_the_root_or_as_high_as_no_link_is_crossed() -> None:
    # a ( b , c ) sleeps !   a <- sleeps, c <- a, b <- c
    assert put_back((4, 3, 1, 0), (0, 2, 4, 6), 8) == (7, 1, 5, 5, 1, 7, 0, 7)
    assert put_back((0, 0, 2), (0, 2, 4), 6) == (0, 1, 0, 3, 3, 1)


# Trees


def test_a_tree_has_the_heads_and_keeps_its_other_columns(tmp_path: Path) -> None:
    (sentence,) = read(tmp_path, CONLLU).sentences
    tree = as_tree(sentence, (0, 1, 2, 1))
    assert [(word.head, word.deprel) for word in tree.words] == [(0, "root"), (1, "dep"), (2, "dep"), (1, "dep")]
    assert [(word.lemma, word.xpos) for word in tree.words] == [
        ("do", "VBP"),
        ("not", "RB"),
        ("sleep", "VB"),
        ("!", "."),
    ]
    assert sentence.tree is not None
    assert tree.other_rows == sentence.tree.other_rows
    made = as_tree(TaggedSentence(("cats", "sleep"), ("N", "V")), (2, 0))
    assert [(word.form, word.upos, word.head) for word in made.words] == [("cats", "N", 2), ("sleep", "V", 0)]


def tree_of(text: str) -> Tree:
    (tree,) = read_brackets([text], "t")
    assert isinstance(tree, Tree)
    return tree


def heads_of(tree: Tree) -> list[int | None]:
    found = dependencies_of(tree, PENN)
    assert found is not None
    return [word.head for word in found.words]


def test_every_daughter_depends_on_the_head_of_its_phrase() -> None:
    tree = tree_of(
        "(TOP (S (NP-SBJ-1 (DT the) (JJ old) (NN man)) (VP (VBD wanted) (S (NP (-NONE- *-1)) (VP (TO to)"
        " (VP (VB sleep) (PP (IN in) (NP (NNS beds))))))) (. .)))"
    )
    assert heads_of(tree) == [3, 3, 4, 0, 4, 5, 6, 7, 4]


def test_without_a_match_the_head_is_where_the_last_search_begins_but_no_mark() -> None:
    assert heads_of(tree_of("(Q (X a) (Y b) (. .))")) == [2, 0, 2]
    assert heads_of(tree_of("(VP (X a) (Y b) (. .))")) == [0, 1, 1]
    assert heads_of(tree_of("(TOP (X a) (Y b))")) == [0, 0]


def test_a_marked_head_goes_before_the_table_and_a_great_one_before_a_small_one() -> None:
    (tree,) = read_sinica(["#1:1.[1] NP(property:VP的(head:VP(Head:VH11:x)|Head:DE:y)|Head:Nab:z)#"], "t")
    assert isinstance(tree, Tree)
    assert heads_of(tree) == [2, 3, 0]
    assert dependencies_of(tree_of("(S (NP (-NONE- *)))")) is None
