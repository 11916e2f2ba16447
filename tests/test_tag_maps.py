"""Tag map files, and the lattices that tagged sentences give through them."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from numbat.errors import DataError, MissingFileError, Span
from numbat.files import packaged_folder
from numbat.grammar.model import Construction, Entry, Grammar, Reading
from numbat.treebanks.sentences import treebank_sentences as treebank
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import words_of
from numbat.words.tag_maps import TagMap, read_tag_map, tagged_lattice

SG = ("number", ("sg",))
PL = ("number", ("pl",))
GRAMMAR = Grammar(
    features=(("number", ("sg", "pl")), ("form", ("fin", "base")), ("valence", ("intr", "trans"))),
    leaves=("Det", "N", "V", "Adj"),
    constructions=(Construction("NP"), Construction("VP")),
    lexicon=(
        Entry("this", (Reading("Det", (SG,)),)),
        Entry("the", (Reading("Det"),)),
        Entry("sheep", (Reading("N"),)),
        Entry("fish", (Reading("N", (("number", ("sg", "pl")),)), Reading("V", (("valence", ("intr",)),)))),
        Entry(
            "see",
            (
                Reading("V", (("form", ("base",)), ("valence", ("trans",))), weight=4.0),
                Reading("V", (("form", ("base",)), ("valence", ("intr",))), weight=1.0),
                Reading("V", (("form", ("fin",)), ("number", ("pl",)), ("valence", ("trans",))), weight=8.0),
            ),
        ),
    ),
)

WORDS = words_of(GRAMMAR)

MAP = """\
# tags to categories

DT\tDet[number=sg] | Det[number=pl]
NN\tN[number=sg]
NNS\tN[number=pl]
VB\tV[form=base]
VBP\tV[ form = fin , number = sg|pl ]
XX\tN | ?
#\t-
.\t-
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "small.map"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def tag_map(tmp_path: Path) -> TagMap:
    return read_tag_map(written(tmp_path, MAP), GRAMMAR)


def arcs(tag_map: TagMap, form: str, tag: str) -> list[tuple[str, str, float, bool]]:
    """The arcs of a sentence of one word: category, features, weight, guessed."""
    return [
        (arc.category, ", ".join(map("=".join, arc.features)), arc.log_weight, arc.guessed)
        for arc in tagged_lattice([(form, tag)], tag_map, WORDS).arcs
    ]


def mistakes(tmp_path: Path, text: str) -> str:
    """The whole message for a file, without the folder that it lies in."""
    with pytest.raises(DataError) as caught:
        read_tag_map(written(tmp_path, text), GRAMMAR)
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_a_map_gives_readings_for_tags(tag_map: TagMap, tmp_path: Path) -> None:
    assert tag_map.path == str(tmp_path / "small.map")
    assert tag_map.readings("NN") == (Reading("N", (SG,)),)
    assert tag_map.readings("DT") == (Reading("Det", (SG,)), Reading("Det", (PL,)))
    assert tag_map.readings("VBP") == (Reading("V", (("form", ("fin",)), ("number", ("sg", "pl")))),)
    assert tag_map.readings("XX") == (Reading("N"), Reading("?"))


def test_a_tag_to_skip_has_no_readings_and_a_tag_that_is_missing_none_at_all(tag_map: TagMap) -> None:
    assert tag_map.readings(".") == ()
    assert tag_map.readings("#") == ()
    assert tag_map.readings("JJ") is None


def test_features_are_kept_in_alphabetical_order(tmp_path: Path) -> None:
    found = read_tag_map(written(tmp_path, "VBP\tV[number=pl, form=fin]\r\n"), GRAMMAR)
    assert found.readings("VBP") == (Reading("V", (("form", ("fin",)), PL)),)


def test_all_mistakes_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    text = "NN\tNoun[number=sg]\nNNS\tN[numbr=pl]\nJJ\tAdj | V[number=sg|plu]\nNN\tN\nVB V\n"
    assert (
        mistakes(tmp_path, text)
        == """\
small.map:1:4: unknown category "Noun"
    NN\tNoun[number=sg]
      \t^^^^
  expected: a construction or a leaf of the grammar
  found: Noun
small.map:2:7: unknown feature "numbr"
    NNS\tN[numbr=pl]
       \t  ^^^^^
  expected: one of the features number, form, valence
  found: numbr
  did you mean "number"?
small.map:3:22: unknown value "plu" of "number"
    JJ\tAdj | V[number=sg|plu]
      \t                  ^^^
  expected: number=sg|pl
  found: plu
  did you mean "pl"?
small.map:4:1: the tag "NN" is already in line 1
    NN\tN
    ^^
small.map:5:1: this line is not a row of a tag map
    VB V
    ^^^^
  expected: a tag, a TAB and its readings
  found: VB V
  spaces do not separate columns: put a TAB after the tag"""
    )


def test_a_close_match_is_named(tmp_path: Path) -> None:
    assert (
        mistakes(tmp_path, "JJ\tadj\n")
        == """\
small.map:1:4: unknown category "adj"
    JJ\tadj
      \t^^^
  expected: a construction or a leaf of the grammar
  found: adj
  did you mean "Adj"?"""
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "NN\tN[number=sg | Det",
            """\
small.map:1:4: this reading cannot be understood
    NN\tN[number=sg | Det
      \t^^^^^^^^^^^^^^^^^
  expected: Category[feature=value, feature=value]
  found: N[number=sg | Det""",
        ),
        (
            "NN\tN |",
            """\
small.map:1:7: this reading cannot be understood
    NN\tN |
      \t   ^
  expected: Category[feature=value, feature=value]
  found: the end of the line""",
        ),
        (
            "NN\t| N",
            """\
small.map:1:4: this reading cannot be understood
    NN\t| N
      \t^
  expected: Category[feature=value, feature=value]
  found: |""",
        ),
        (
            "NN\tN Adj",
            """\
small.map:1:4: this reading cannot be understood
    NN\tN Adj
      \t^^^^^
  expected: Category[feature=value, feature=value]
  found: N Adj""",
        ),
        (
            "NN\tN | -",
            """\
small.map:1:8: this reading cannot be understood
    NN\tN | -
      \t    ^
  expected: Category[feature=value, feature=value]
  found: -
  - must stand alone: a token is either skipped or read""",
        ),
        (
            "NN\tN[number=sg, sg]",
            """\
small.map:1:17: this feature cannot be understood
    NN\tN[number=sg, sg]
      \t             ^^
  expected: feature=value
  found: sg""",
        ),
        (
            "NN\tN[]",
            """\
small.map:1:6: this feature cannot be understood
    NN\tN[]
      \t  ^
  expected: feature=value
  found: ]""",
        ),
        (
            "NN\tN[number=sg, number=pl]",
            """\
small.map:1:17: the feature "number" is written twice in one reading
    NN\tN[number=sg, number=pl]
      \t             ^^^^^^""",
        ),
        (
            "NN\tN | Det | N",
            """\
small.map:1:14: this reading is written twice
    NN\tN | Det | N
      \t          ^""",
        ),
        (
            "NN\t",
            """\
small.map:1:1: this line is not a row of a tag map
    NN
    ^^
  expected: a tag, a TAB and its readings
  found: NN""",
        ),
    ],
)
def test_a_row_that_is_wrong(tmp_path: Path, row: str, message: str) -> None:
    assert mistakes(tmp_path, row) == message


def test_a_grammar_without_features_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_tag_map(written(tmp_path, "NN\tN[number=sg]\n"), Grammar(leaves=("N",)))
    assert (
        str(caught.value).replace(f"{tmp_path}/", "")
        == """\
small.map:1:6: unknown feature "number"
    NN\tN[number=sg]
      \t  ^^^^^^
  expected: no feature
  found: number"""
    )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError) as caught:
        read_tag_map(tmp_path / "none.map", GRAMMAR)
    assert str(caught.value) == f"{tmp_path}/none.map: cannot be read: No such file or directory"


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.map"
    path.write_bytes(b"# caf\xe9\n")
    with pytest.raises(DataError) as caught:
        read_tag_map(path, GRAMMAR)
    message = "this line is not UTF-8 (byte 6 is E9)\n    # caf�\n         ^\n  save the file in the encoding UTF-8"
    assert str(caught.value) == f"{path}:1:6: {message}"


def test_a_lattice_has_an_arc_for_each_bundle_and_keeps_what_is_skipped(tag_map: TagMap) -> None:
    words = [("The", "DT"), ("#", "#"), ("cats", "NNS"), ("nap", "VBP"), (".", ".")]
    assert tagged_lattice(words, tag_map, WORDS) == Lattice(
        tokens=("The", "cats", "nap"),
        arcs=(
            Arc(0, 1, "The", "Det", (("number", "sg"),)),
            Arc(0, 1, "The", "Det", (("number", "pl"),)),
            Arc(1, 2, "cats", "N", (("number", "pl"),), guessed=True),
            Arc(2, 3, "nap", "V", (("form", "fin"), ("number", "sg")), guessed=True),
            Arc(2, 3, "nap", "V", (("form", "fin"), ("number", "pl")), guessed=True),
        ),
        skipped=("#", "."),
        text="The # cats nap .",
        gaps=(1, 3),
    )


def test_the_lexicon_chooses_among_the_readings_of_the_map(tag_map: TagMap) -> None:
    assert arcs(tag_map, "this", "DT") == [("Det", "number=sg", 0.0, False)]
    assert arcs(tag_map, "fish", "NNS") == [("N", "number=pl", 0.0, False)]


def test_the_lexicon_adds_what_only_it_knows_and_the_map_what_the_lexicon_leaves_open(tag_map: TagMap) -> None:
    assert arcs(tag_map, "fish", "VB") == [("V", "form=base, valence=intr", 0.0, False)]
    assert arcs(tag_map, "sheep", "NNS") == [("N", "number=pl", 0.0, False)]
    assert arcs(tag_map, "see", "VBP") == [("V", "form=fin, number=pl, valence=trans", 0.0, False)]


def test_weights_of_the_lexicon_count_within_the_category_that_the_tag_gives(tag_map: TagMap) -> None:
    assert arcs(tag_map, "see", "VB") == [
        ("V", "form=base, valence=trans", 0.0, False),
        ("V", "form=base, valence=intr", log(0.25), False),
    ]


def test_weights_of_the_map_count_too() -> None:
    weighed = TagMap("weights.map", {"DT": (Reading("Det", (SG,), 0.5), Reading("Det", (PL,), 0.25))})
    assert arcs(weighed, "the", "DT") == [
        ("Det", "number=sg", log(0.5), False),
        ("Det", "number=pl", log(0.25), False),
    ]
    assert arcs(weighed, "those", "DT") == [
        ("Det", "number=sg", log(0.5), True),
        ("Det", "number=pl", log(0.25), True),
    ]


def test_the_map_stands_where_the_lexicon_contradicts_it_or_has_another_category(tag_map: TagMap) -> None:
    contrary = TagMap("contrary.map", {"DTS": (Reading("Det", (PL,)),)})
    assert arcs(contrary, "this", "DTS") == [("Det", "number=pl", 0.0, True)]
    assert arcs(tag_map, "this", "NN") == [("N", "number=sg", 0.0, True)]


def test_a_reading_with_a_question_mark_counts_only_where_the_lexicon_has_the_category(tmp_path: Path) -> None:
    text = "NN\tN[number=sg] | V?[form=base]\nVB\tV?[form=base]\nXX\t? | N?\nYY\tV? [form=fin] | ?\n"
    found = read_tag_map(written(tmp_path, text), GRAMMAR)
    assert found.readings("NN") == (Reading("N", (SG,)), Reading("V", (("form", ("base",)),)))
    assert arcs(found, "cat", "NN") == [("N", "number=sg", 0.0, True)]
    assert arcs(found, "Fish", "NN") == [
        ("N", "number=sg", 0.0, False),
        ("V", "form=base, valence=intr", 0.0, False),
    ]
    assert arcs(found, "sheep", "XX") == [("?", "", 0.0, True), ("N", "", 0.0, False)]
    assert arcs(found, "cat", "XX") == [("?", "", 0.0, True)]
    assert arcs(found, "cat", "YY") == [("?", "", 0.0, True)]


def test_readings_that_all_have_a_question_mark_count_where_the_lexicon_has_none(tmp_path: Path) -> None:
    found = read_tag_map(written(tmp_path, "VB\tV?[form=base] | Adj?\n"), GRAMMAR)
    assert arcs(found, "cat", "VB") == [("V", "form=base", 0.0, True), ("Adj", "", 0.0, True)]
    assert arcs(found, "see", "VB")[0] == ("V", "form=base, valence=trans", 0.0, False)


def test_a_reading_with_and_without_question_mark_is_written_twice(tmp_path: Path) -> None:
    assert (
        mistakes(tmp_path, "NN\tN | N?\nVB\tAux?\n")
        == """\
small.map:1:8: this reading is written twice
    NN\tN | N?
      \t    ^^
small.map:2:4: unknown category "Aux"
    VB\tAux?
      \t^^^
  expected: a construction or a leaf of the grammar
  found: Aux"""
    )


def test_a_bundle_that_two_readings_give_is_one_arc() -> None:
    twice = TagMap("twice.map", {"DT": (Reading("Det", (SG,), 0.5), Reading("Det", (("number", ("sg", "pl")),), 0.25))})
    assert arcs(twice, "any", "DT") == [
        ("Det", "number=sg", log(0.5), True),
        ("Det", "number=pl", log(0.25), True),
    ]


def test_tags_that_the_map_does_not_have_are_an_error_that_names_all_of_them() -> None:
    some = TagMap("some.map", {"NN": (Reading("N"),)})
    with pytest.raises(DataError) as caught:
        tagged_lattice([("a", "DT"), ("b", "JJ"), ("c", "JJ"), ("cat", "NN")], some, WORDS, place=Span("a.mrg", 7))
    assert (
        str(caught.value)
        == """\
a.mrg:7:1: some.map does not map the tag "DT"
  found: "a" with tag DT in the sentence "a b c cat"
  add a line to some.map: DT, a TAB, and Category[feature=value, feature=value], or - to skip such tokens
a.mrg:7:1: some.map does not map the tag "JJ"
  found: "b" with tag JJ in the sentence "a b c cat"
  add a line to some.map: JJ, a TAB, and Category[feature=value, feature=value], or - to skip such tokens"""
    )
    assert [problem.severity for problem in caught.value.problems] == ["error", "error"]


def test_without_a_place_the_error_points_to_the_map() -> None:
    with pytest.raises(DataError) as caught:
        tagged_lattice([("cat", "NN")], TagMap("empty.map", {}), WORDS)
    assert [str(problem.span) for problem in caught.value.problems] == ["empty.map:1:1"]


def test_a_lenient_lattice_has_the_wildcard_for_a_tag_that_is_missing() -> None:
    lattice = tagged_lattice([("frob", "FRB")], TagMap("empty.map", {}), WORDS, lenient=True)
    assert lattice == Lattice(("frob",), (Arc(0, 1, "frob", "?", guessed=True),), (), "frob")


def test_a_packaged_map_is_not_edited_but_copied() -> None:
    packaged = TagMap(str(packaged_folder("grammars") / "ptb.map"), {})
    with pytest.raises(DataError) as caught:
        tagged_lattice([("cat", "NN")], packaged, WORDS, place=Span("a.mrg", 7))
    assert str(caught.value) == (
        'a.mrg:7:1: ptb.map does not map the tag "NN"\n'
        '  found: "cat" with tag NN in the sentence "cat"\n'
        "  add a line to a copy of ptb.map, for --tag-map: NN, a TAB, and Category[feature=value, feature=value], "
        "or - to skip such tokens"
    )


TREES = """\
( (S (NP (-NONE- *PRO*)) (CODE <TURN>) (VP (VB see) (FRB frob))))
( (CODE <TURN>))
(S (NP (NNS sheep))
(S (NP (NNS sheep)) (VP (VBP nap)) (. .))
"""


def test_trees_of_a_file_whose_tags_a_map_may_not_have(tag_map: TagMap, tmp_path: Path) -> None:
    """Each bad sentence is an error in its place, and loses no other."""
    (tmp_path / "few.mrg").write_text(TREES, encoding="utf-8")
    found = [
        str(each) if isinstance(each, DataError) else " ".join(each.lattice.tokens)
        for each in treebank(str(tmp_path / "few.mrg"), "auto", tag_map, WORDS)
    ]
    assert [each.replace(f"{tmp_path}/", "") for each in found] == [
        """\
few.mrg:1:1: small.map does not map the tag "FRB"
  found: "frob" with tag FRB in the sentence "see frob"
  add a line to small.map: FRB, a TAB, and Category[feature=value, feature=value], or - to skip such tokens""",
        """\
few.mrg:3:1: sentence 3: a tree that is not closed
    (S (NP (NNS sheep))
    ^
  expected: 1 more )
  found: the next tree, in line 4
  the innermost open bracket is (S in line 3, column 1; indent the further lines of a tree""",
        "sheep nap",
    ]
