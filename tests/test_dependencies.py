"""Dependencies of parses: tokens, heads, relations, maps to UD, drawings, and scores by the rules of CoNLL 2018."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import numbat
from numbat.errors import DataError
from numbat.reports import pages
from numbat.treebanks.arcs import arcs, map_notes
from numbat.treebanks.conllu import DependencyTree, DependencyWord, OtherRow, format_conllu, read_conllu
from numbat.treebanks.dependencies import dependency_tree
from numbat.treebanks.link_scores import (
    LinkPair,
    by_relation,
    confusions,
    count_links,
    count_relations,
    link_intervals,
    link_pairs,
)
from numbat.treebanks.ud_maps import RELATIONS, UPOS, UdMap, read_ud_map, ud_map_of
from tests.command_line import Numbat
from tests.samples import enough


@cache
def parser_of(grammar: str) -> numbat.Parser:
    return numbat.Parser(numbat.load_grammar(grammar))


@cache
def map_of(grammar: str) -> UdMap:
    return ud_map_of(parser_of(grammar).grammar)


@cache
def discontinuous_parser() -> numbat.Parser:
    return numbat.Parser(parser_of("english").grammar, "discontinuous", limits=numbat.Limits(assignments=200))


def tree(text: str, grammar: str = "english", parser: numbat.Parser | None = None) -> DependencyTree:
    parse = (parser or parser_of(grammar)).parse(text)
    return dependency_tree(parse, "a", map_of(grammar) if parser is None else None)


def links(found: DependencyTree) -> list[tuple[str, str, str, str]]:
    """Each word with its UPOS, its head's form (`-` for the root) and its relation."""
    forms = ["-", *(word.form for word in found.words)]
    return [(word.form, word.upos, forms[word.head or 0], word.deprel) for word in found.words]


def read(text: str) -> DependencyTree:
    (found,) = read_conllu(text.splitlines(), "t.conllu")
    assert isinstance(found, DependencyTree), found
    return found


# A parse as dependencies


def test_a_sentence_with_contractions_and_marks() -> None:
    """The auxiliary and the negation hang on the verb; "can't" is one token of two words, marks are words again."""
    found = tree("I can't help John's cats, and she slept.")
    assert links(found) == [
        ("I", "PRON", "help", "nsubj"),
        ("ca", "AUX", "help", "aux"),
        ("n't", "PART", "help", "advmod"),
        ("help", "VERB", "-", "root"),
        ("John", "PROPN", "cats", "nmod:poss"),
        ("'s", "PART", "John", "case"),
        ("cats", "NOUN", "help", "obj"),
        (",", "PUNCT", "slept", "punct"),
        ("and", "CCONJ", "slept", "cc"),
        ("she", "PRON", "slept", "nsubj"),
        ("slept", "VERB", "help", "conj"),
        (".", "PUNCT", "help", "punct"),
    ]
    assert [(row.columns[0], row.columns[1]) for row in found.other_rows] == [("2-3", "can't"), ("5-6", "John's")]
    assert [word.form for word in found.words if "SpaceAfter=No" in word.misc] == ["cats", "slept"]
    assert found.comment("text") == "I can't help John's cats, and she slept."


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ('He said "the cat sleeps."', ['" sleeps', '. sleeps', '" sleeps']),
        ("The dog (my cat) and 'the mouse' slept.", ["( cat", ") cat", "' mouse", "' mouse", ". slept"]),
        ("A dog ' barks (now.", ["' dog", "( now", ". barks"]),
    ],
)  # fmt: skip
def test_a_pair_of_marks_hangs_on_the_head_of_what_it_encloses(text: str, heads: list[str]) -> None:
    """A mark without its partner hangs where any mark does."""
    found = [f"{form} {head}" for form, upos, head, _ in links(tree(text)) if upos == "PUNCT"]
    assert found == heads


def test_rewritten_words_are_words_of_one_token() -> None:
    found = tree("Le chat du voisin est heureux.", "french")
    assert links(found)[2:6] == [
        ("de", "ADP", "voisin", "case"),
        ("le", "DET", "voisin", "det"),
        ("voisin", "NOUN", "chat", "nmod"),
        ("est", "AUX", "heureux", "cop"),
    ]
    assert [row.columns[:2] for row in found.other_rows] == [("3-4", "du")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is he happy?", [("Is", "AUX", "happy", "cop"), ("he", "PRON", "happy", "nsubj")]),
        ("What do you want?", [("What", "PRON", "want", "obj"), ("do", "AUX", "want", "aux")]),
        ("I gave him a book", [("him", "PRON", "gave", "iobj"), ("book", "NOUN", "gave", "obj")]),
        ("My dog slept", [("My", "PRON", "dog", "nmod:poss")]),
        ("Several dogs slept", [("Several", "ADJ", "dogs", "amod")]),
        (
            "Here is the dog",
            [("Here", "ADV", "-", "root"), ("is", "AUX", "Here", "cop"), ("dog", "NOUN", "Here", "nsubj")],
        ),
        ("The book has been read", [("book", "NOUN", "read", "nsubj:pass"), ("been", "AUX", "read", "aux:pass")]),
        ("He left by singing", [("singing", "VERB", "left", "advcl")]),
        ("He called us at 10 am", [("10", "NUM", "called", "obl"), ("am", "NOUN", "10", "nmod:unmarked")]),
        ("He became a teacher", [("teacher", "NOUN", "became", "xcomp")]),
    ],
)
def test_heads_and_relations_of_the_map(text: str, expected: list[tuple[str, str, str, str]]) -> None:
    """The predicate is the head, an inverted auxiliary hangs on the verb, forms and the order of daughters decide."""
    assert set(expected) <= set(links(tree(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "La pomme est mangée par Paul",
            [("est", "AUX", "mangée", "aux:pass"), ("Paul", "PROPN", "mangée", "obl:agent")],
        ),
        ("Marie est venue", [("Marie", "PROPN", "venue", "nsubj"), ("est", "AUX", "venue", "aux:tense")]),
        ("Quel est le point ?", [("est", "AUX", "Quel", "cop"), ("point", "NOUN", "Quel", "nsubj")]),
        ("Le juge Paul Martin dort", [("Paul", "PROPN", "juge", "nmod"), ("Martin", "PROPN", "Paul", "flat:name")]),
    ],
)
def test_heads_and_relations_of_the_french_map(text: str, expected: list[tuple[str, str, str, str]]) -> None:
    """A passive is known by its verb and auxiliary; a later name hangs on the first, not on the noun before it."""
    assert set(expected) <= set(links(tree(text, "french")))


def test_de_is_a_preposition_whatever_the_parse() -> None:
    found = links(tree("Il n'a pas de chat.", "french"))
    assert ("de", "ADP", "chat", "case") in found


def test_a_form_of_several_words_has_parts() -> None:
    """The words that the map lists depend on the first other one, which stands for the form."""
    assert [link[2:] for link in links(tree("He sleeps at night"))] == [
        ("sleeps", "nsubj"), ("-", "root"), ("night", "case"), ("sleeps", "obl"),
    ]  # fmt: skip


def test_a_form_of_several_words_is_fixed() -> None:
    assert ("of", "ADP", "because", "fixed") in links(tree("He sleeps because of the rain"))


SMALL = """
leaves: a, b
S:
    head A
    A < b
A:
    uniq a
lexicon:
    x: a
    y: b
    "v w": b
"""


def small(text: str = SMALL) -> numbat.Parser:
    return numbat.Parser(numbat.parse_grammar(text), without=["H4"])


def test_without_a_map_words_are_x_and_links_dep() -> None:
    """MISC has the link in terms of the grammar; violations are at the head of their phrase."""
    found = tree("y x", parser=small())
    assert links(found) == [("y", "X", "x", "dep"), ("x", "X", "-", "root")]
    assert [word.misc for word in found.words] == [
        "TokenRange=0:1|Link=S:b",
        "TokenRange=2:3|Violated=S:linearity",
    ]
    assert [word.xpos for word in found.words] == ["b", "a"]
    assert "# cost = 1" in found.comments
    assert any("[S: " in each for each in found.comments if each.startswith("# violated = "))


def test_fragments_hang_on_the_first_and_unknown_words_too() -> None:
    grammar = "leaves: a\nroots: A\nA:\n    uniq a hard\n    oblig a\nlexicon:\n    x: a\n"
    found = tree("x, x zz!", parser=small(grammar))
    assert [(form, head, relation) for form, _, head, relation in links(found)] == [
        ("x", "-", "root"),
        (",", "x", "punct"),
        ("x", "x", "parataxis"),
        ("zz", "x", "parataxis"),
        ("!", "x", "punct"),
    ]


def test_categories_that_are_ud_need_no_map() -> None:
    """So a grammar that was induced from UD with functions writes UD."""
    grammar = (
        "leaves: VERB, NOUN\nVERB-P:\n    oblig VERB\n    NOUN-nsubj < VERB\nNOUN-nsubj:\n    oblig NOUN\nlexicon:\n"
    )
    found = tree("x y", parser=small(f"{grammar}    x: NOUN\n    y: VERB\n"))
    assert links(found) == [("x", "NOUN", "y", "nsubj"), ("y", "VERB", "-", "root")]


def test_marks_alone_have_a_root_and_nothing_is_refused() -> None:
    assert links(tree("?!"))[0][2:] == ("-", "root")
    with pytest.raises(DataError, match="no word to write"):
        tree("")


def test_the_first_daughter_is_head_where_none_is_named() -> None:
    grammar = numbat.parse_grammar("leaves: a, b\nS:\n    a < b\nlexicon:\n    x: a\n    y: b\n")
    assert links(tree("x y", parser=numbat.Parser(grammar)))[0][3] == "root"
    assert list(map_notes(ud_map_of(grammar), grammar)) == [
        "numbat: the grammar without name has no map to Universal Dependencies: UPOS is X and DEPREL dep\n"
        "  give one with --ud-map FILE",
        "numbat: S has no head in the map: the first daughter is used\n"
        "  name its head with head in the map, or with oblig in the grammar",
    ]


WORDS = (
    "the cat cats sees she his does n't don't sleeps that who in garden and . , ( ) \" zz 's John's New York at night"
)


@settings(max_examples=enough(25))
@given(st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=7), st.booleans(), st.booleans())
def test_what_is_written_is_a_tree_that_reads_back(words: list[str], glued: bool, discontinuous: bool) -> None:
    """There is one root, heads are in range, the text is that of the tokens, and reading returns the same sentence."""
    parser = discontinuous_parser() if discontinuous and len(words) < 4 else parser_of("english")
    found = dependency_tree(parser.parse(("" if glued else " ").join(words)), "a", map_of("english"))
    heads = [word.head for word in found.words]
    assert heads.count(0) == 1
    assert all(head is not None and 0 <= head <= len(heads) for head in heads)
    assert [word.deprel == "root" for word in found.words] == [head == 0 for head in heads]
    assert all(word.upos in UPOS and word.deprel.partition(":")[0] in RELATIONS for word in found.words)
    (back,) = read_conllu(format_conllu(found).splitlines(), "t")  # which refuses circles, and rows out of order
    assert back == found
    assert surface(found) == found.comment("text")


def surface(found: DependencyTree) -> str:
    ranges = {row.place: row.columns for row in found.other_rows}
    text, number = "", 1
    while number <= len(found.words):
        columns = ranges.get(number)
        form, misc = (
            (columns[1], columns[9]) if columns else (found.words[number - 1].form, found.words[number - 1].misc)
        )
        text += form + ("" if "SpaceAfter=No" in misc.split("|") else " ")
        number = int(columns[0].partition("-")[2]) + 1 if columns else number + 1
    return text.rstrip()


# Maps


def test_both_broad_grammars_are_mapped_as_a_whole() -> None:
    for name in ("english", "french"):
        assert map_of(name).path.endswith(f"{name}.ud")
        assert list(map_notes(map_of(name), parser_of(name).grammar)) == []


def test_all_mistakes_of_a_map_are_told(tmp_path: Path) -> None:
    path = tmp_path / "m.ud"
    path.write_text(
        "    N -> NOUN\nwords:\n    N -> NUON\n    Nn -> NOUN\nfeatures:\n    number=sg -> number=sg\nNP:\n"
        "    Det det\n    Det -> root\nNq:\n    head N\nNP : x\n"
        "tree:\n    nsubj\n    nsubj -> nsub\n    obl -> nmod under NOUN with cases\n"
        'parts:\n    a -> det\n    "a" -> dt\n',
        "utf-8",
    )
    with pytest.raises(DataError) as caught:
        read_ud_map(path, parser_of("english").grammar)
    found = [(p.span.line, p.span.column, p.message) for p in caught.value.problems]
    assert found == [
        (1, 5, "a row outside a section"),
        (3, 10, 'unknown name "NUON"'),
        (4, 5, 'unknown category "Nn"'),
        (6, 18, "invalid features of UD"),
        (8, 5, "a row that cannot be understood"),
        (9, 12, 'unknown name "root"'),
        (10, 1, 'unknown section "Nq"'),
        (12, 1, "a line that begins no section"),
        (14, 5, "a row that cannot be understood"),
        (15, 14, 'unknown name "nsub"'),
        (16, 33, 'unknown name "cases"'),
        (18, 5, "a row that cannot be understood"),
        (19, 12, 'unknown name "dt"'),
    ]


def test_conditions_of_a_map(tmp_path: Path) -> None:
    """All conditions of a line must hold; words in quotes are forms, though they look like conditions.

    Lines of `tree` see what earlier ones changed.
    """
    grammar = numbat.parse_grammar(
        "grammar: g\nleaves: a, b\nroots: S\nS:\n    const {a, b}\n    oblig b\nlexicon:\n    x, y, to: a\n    z: b\n"
    )
    path = tmp_path / "m.ud"
    path.write_text(
        'S:\n    head b\n    a "to if to" -> mark\n    a -> obj after b before a\n    a -> flat to a "x" after b\n'
        "    a -> nsubj before b\n    a -> obl\ntree:\n    nsubj -> csubj beside obj\n"
        '    csubj "x" | obl -> ccomp with flat under X "z"\n',
        "utf-8",
    )
    parse = numbat.Parser(grammar).parse("x to z y y y")
    found = dependency_tree(parse, "a", read_ud_map(path, grammar))
    assert [(head, relation) for _, _, head, relation in links(found)] == [
        ("z", "ccomp"), ("z", "mark"), ("-", "root"), ("z", "obj"), ("z", "obj"), ("x", "flat"),
    ]  # fmt: skip


def test_a_grammar_of_a_packaged_name_that_differs_has_no_map() -> None:
    assert ud_map_of(numbat.parse_grammar("grammar: english\nleaves: a\nS:\n    uniq a\n")).path == ""


# Scores, by hand and as the script of CoNLL 2018 counts them


def sentence(*rows: tuple[str, int, str], ranges: Sequence[tuple[str, str]] = (), id: str = "") -> DependencyTree:
    words = tuple(DependencyWord(form, head=head, deprel=relation) for form, head, relation in rows)
    asides = tuple(OtherRow(int(at.split("-")[0]), (at, form, *"_" * 8)) for at, form in ranges)
    return DependencyTree(words, (f"# sent_id = {id}",) * bool(id), asides)


GOLD = sentence(("she", 4, "nsubj"), ("does", 4, "aux"), ("n't", 4, "advmod"), ("sleep", 0, "root"), (".", 4, "punct"))


def test_links_by_hand() -> None:
    """A wrong relation counts for UAS, subtypes do not matter, functional words do not count for CLAS."""
    found = sentence(
        ("she", 4, "nsubj:pass"), ("does", 4, "mark"), ("n't", 2, "advmod"), ("sleep", 0, "root"), (".", 4, "punct")
    )
    counts = count_links([GOLD], [found])
    assert counts[:8] == (5, 5, 5, 4, 3, 3, 3, 2)
    assert {name: round(100 * each.f1) for name, each in counts.measures.items()} == {
        "UAS": 80, "LAS": 60, "CLAS": 67, "UPOS": 100, "Tokens": 100, "Words": 100, "Sentences": 100,
    }  # fmt: skip


def test_relations_by_hand() -> None:
    """Relations count with their subtypes; words without a partner are missing or too many, and confuse nothing."""
    found = sentence(
        ("she", 4, "nsubj:pass"), ("does", 4, "mark"), ("n't", 2, "advmod"), ("sleep", 0, "root"), (".", 4, "punct")
    )
    counts = count_relations([GOLD], [found])
    scores = by_relation(counts).items()
    assert {name: (s.heads, s.links.gold, s.links.predicted, s.links.matched) for name, s in scores} == {
        "advmod": (0, 1, 1, 0), "aux": (1, 1, 0, 0), "nsubj": (1, 1, 0, 0), "punct": (1, 1, 1, 1),
        "root": (1, 1, 1, 1), "mark": (0, 0, 1, 0), "nsubj:pass": (0, 0, 1, 0),
    }  # fmt: skip
    assert confusions(counts) == [("advmod", "advmod", 1, 0), ("aux", "mark", 1, 1), ("nsubj", "nsubj:pass", 1, 1)]
    whole = sentence(("she", 3, "nsubj"), ("doesn't", 3, "aux"), ("sleep.", 0, "root"))
    assert sum(one.words for one in count_relations([GOLD], [whole]) if not one.predicted) == 4
    apart = count_relations([GOLD], [whole], have_same_characters=False)
    assert sum(one.words for one in apart) == 8
    assert confusions(apart) == []


def with_morphology(tree: DependencyTree, **columns: str) -> DependencyTree:
    """Return the tree with UPOS, lemmas and a feature; each of the columns has a value a word."""
    rows = zip(*(columns[name].split() for name in ("upos", "lemma", "number")), strict=True)
    words = tuple(
        replace(word, upos=upos, lemma=lemma, feats=() if number == "-" else (("Number", number), ("Own", "Yes")))
        for word, (upos, lemma, number) in zip(tree.words, rows, strict=True)
    )
    return replace(tree, words=words)


def test_morphology_and_lemmas_by_hand() -> None:
    """MLAS requires UPOS, FEATS and the function words of a content word, BLEX its lemma.

    Features that are not universal are ignored, and a gold word without a lemma matches any lemma.
    """
    gold = with_morphology(GOLD, upos="PRON AUX PART VERB PUNCT", lemma="she do not sleep _", number="Sing Sing - - -")
    counts = count_links([gold], [gold])
    assert {each.f1 for each in counts.measures.values()} == {1.0}
    assert len(counts.measures) == 11
    found = with_morphology(
        GOLD, upos="PRON VERB PART VERB SYM", lemma="She do not sleep .", number="Sing Sing - Plur -"
    )
    right = {name: each.matched for name, each in count_links([gold], [found]).measures.items()}
    assert right == {
        "UAS": 5, "LAS": 5, "CLAS": 3, "MLAS": 2, "BLEX": 2, "UPOS": 3, "UFeats": 4, "Lemmas": 4,
        "Tokens": 5, "Words": 5, "Sentences": 1,
    }  # fmt: skip
    only_the_function_word = with_morphology(
        GOLD, upos="PRON VERB PART VERB PUNCT", lemma="she do not sleep _", number="Sing Sing - - -"
    )
    assert count_links([gold], [only_the_function_word]).measures["MLAS"].matched == 2


def test_the_bootstrap_of_dependencies_draws_sentences() -> None:
    """If sentences are all right or all wrong, the share of right ones has a binomial distribution."""
    wrong = sentence(("she", 0, "root"), ("does", 1, "dep"), ("n't", 1, "dep"), ("sleep", 1, "dep"), (".", 1, "dep"))
    links = [tuple(count_links([GOLD], [each])) for each in [GOLD, wrong] * 50]
    near = link_intervals(links, seed=1, samples=300)
    assert near["Words"] == (1.0, 1.0)
    low, high = near["LAS"]
    assert 0.35 < low < 0.45 < 0.55 < high < 0.65
    assert "MLAS" not in near


def test_other_tokens_are_aligned_by_characters() -> None:
    """The words of a multiword token are aligned by their forms; dependents of an unaligned word are wrong."""
    whole = sentence(("she", 3, "nsubj"), ("doesn't", 3, "aux"), ("sleep.", 0, "root"))
    assert count_links([GOLD], [whole])[:4] == (5, 3, 1, 0)
    ranged = sentence(
        ("she", 4, "nsubj"), ("Does", 4, "aux"), ("not", 4, "advmod"), ("sleep", 0, "root"), (".", 4, "punct"),
        ranges=[("2-3", "doesn't")],
    )  # fmt: skip
    assert count_links([GOLD], [ranged])[:5] == (5, 5, 4, 4, 4)
    assert count_links([ranged], [GOLD])[:5] == (5, 5, 4, 4, 4)


def test_sentences_are_paired_by_their_characters() -> None:
    """Sentences with another tokenization are compared; missing or different sentences count as wrong."""
    one, two, three = (sentence((form, 0, "root"), id=form) for form in ("a", "b", "c"))
    both = sentence(("a", 0, "root"), ("b", 1, "dep"), id="a")
    other = sentence(("x", 0, "root"), id="b")

    def paired(known: list[DependencyTree], found: list[DependencyTree]) -> list[LinkPair]:
        return list(
            link_pairs(*(iter([(each.comment("sent_id"), each) for each in trees]) for trees in (known, found)))
        )

    assert paired([one, two, three], [both, three]) == [
        LinkPair("a", (one, two), (both,)),
        LinkPair("c", (three,), (three,)),
    ]
    assert paired([one, two, three], [one, three]) == [
        LinkPair("a", (one,), (one,)),
        LinkPair("b", (two,), (), "no prediction"),
        LinkPair("c", (three,), (three,)),
    ]
    told = 'different characters: "b" in gold, "x" in the prediction'
    assert paired([one, two, three], [one, other]) == [
        LinkPair("a", (one,), (one,)),
        LinkPair("b", (two,), (other,), told),
        LinkPair("c", (three,), (), "no prediction"),
    ]


@pytest.fixture
def numbat_here(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


def test_parses_are_written_and_scored(numbat_here: Numbat, tmp_path: Path) -> None:
    """The prediction has other tokens than gold; without any that can be compared the score is an error."""
    gold, found, bad = (tmp_path / name for name in ("g.conllu", "p.conllu", "b.conllu"))
    gold.write_text(format_conllu(GOLD), "utf-8")
    done = numbat_here("parse", "-f", "conllu", "She doesn't sleep.")
    assert (done.code, done.err) == (0, "")
    found.write_text(done.out.replace("She", "she"), "utf-8")
    told = numbat_here("score", str(gold), str(found))
    assert "UAS        100.00     100.00  100.00  100.00-100.00" in told.out
    assert "LAS        100.00     100.00  100.00  100.00-100.00" in told.out
    scores = json.loads(numbat_here("score", str(gold), str(found), "-f", "json").out)
    assert scores["dependencies"]["sentences"]["matched"] == 1
    assert scores["intervals"]["las"] == [1.0, 1.0]
    bad.write_text(format_conllu(sentence(("zz", 0, "root"))), "utf-8")
    failed = numbat_here("score", str(gold), str(bad))
    assert (failed.code, failed.out) == (65, "")
    assert failed.err == (
        "numbat: nothing to score: none of 1 sentence could be compared\n"
        '  g.conllu:1: different characters: "shedoesn\'t" in gold, "zz" in the prediction\n'
    )


def test_a_run_over_conllu_keeps_its_tokens_and_is_scored(numbat_here: Numbat, tmp_path: Path) -> None:
    path = tmp_path / "g.conllu"
    rows = sentence(
        ("She", 4, "nsubj"), ("does", 4, "aux"), ("n't", 4, "advmod"), ("sleep", 0, "root"), (".", 4, "punct"),
        ranges=[("2-3", "doesn't")], id="s/1",
    )  # fmt: skip
    path.write_text(format_conllu(rows), "utf-8")
    done = numbat_here("parse", "--from", "conllu", "--words", "-i", str(path), "-f", "conllu", "--gold")
    back = read(done.out)
    assert (back.comment("sent_id"), back.other_rows) == ("s/1", rows.other_rows)
    assert [word.head for word in back.words] == [word.head for word in rows.words]
    assert "dependencies: 5 of 5 words aligned with one of 5" in done.err
    assert "UAS        100.00" in done.err
    assert "nsubj     1     1          100.00  100.00     100.00  100.00" in done.err


@pytest.mark.parametrize(("ranges", "cost"), [([("3-4", "du")], "0"), ([], "1")])
def test_the_words_of_a_contraction_are_read_as_the_grammar_rewrites_it(
    ranges: list[tuple[str, str]], cost: str, numbat_here: Numbat, tmp_path: Path
) -> None:
    """The words of *du* are no *de le*, which is a mistake."""
    words = ("Il", 2, "nsubj"), ("parle", 0, "root"), ("de", 5, "case"), ("le", 5, "det"), ("chat", 2, "obl:arg")
    rows = sentence(*words, ranges=ranges, id="s")
    path = tmp_path / "g.conllu"
    path.write_text(format_conllu(rows), "utf-8")
    done = numbat_here("parse", "-g", "french", "--from", "conllu", "--words", "-i", str(path), "-f", "conllu")
    back = read(done.out)
    assert (back.comment("cost"), back.other_rows) == (cost, rows.other_rows)
    assert [word.form for word in back.words] == [form for form, _, _ in words]
    shown = numbat_here("parse", "-g", "french", "--from", "conllu", "--words", "-i", str(path), "-f", "text")
    assert "=le" not in shown.out


@pytest.mark.parametrize("column", ["lemma", "upos", "xpos", "feats", None])
def test_a_column_that_the_input_has_stays(column: str | None) -> None:
    """A column without any value is filled by the parse; `--gold` scores the parse, so it keeps no column."""
    value = (("Number", "Plur"),) if column == "feats" else "zz"
    plain = sentence(("She", 2, "nsubj"), ("sleeps", 0, "root"), ("now", 2, "advmod"), id="s")
    columns: dict[str, Any] = {} if column is None else {column: value}
    first = replace(plain.words[0], **columns, misc="Gloss=x|Link=old")
    given = replace(plain, words=(first, *plain.words[1:]))
    parse = parser_of("english").parse("She sleeps now")
    own, kept = (dependency_tree(parse, "s", map_of("english"), given, as_given) for as_given in (False, True))
    for name in ("lemma", "upos", "xpos", "feats"):
        source = given if name == column else own
        assert [getattr(word, name) for word in kept.words] == [getattr(word, name) for word in source.words]
    assert [word.head for word in kept.words] == [word.head for word in own.words]
    category = "Category=Pro|" if column == "xpos" else ""
    assert kept.words[0].misc == f"Gloss=x|{category}Link=S:NP"


def test_brackets_of_one_word_are_counted_apart(numbat_here: Numbat, tmp_path: Path) -> None:
    gold, found = tmp_path / "g.mrg", tmp_path / "p.mrg"
    gold.write_text("(S (NP (DET-P (DET der)) (N Hund)) (VP (V schläft)))\n", "utf-8")
    found.write_text("(S (DET-P (DET der)) (VP (N Hund) (V schläft)))\n", "utf-8")
    lines = numbat_here("score", str(gold), str(found)).out.splitlines()
    assert [line.split() for line in lines if line.startswith(("labelled  ", "  of two"))] == [
        ["labelled", "66.67", "50.00", "57.14"],
        ["of", "two", "words", "or", "more", "50.00", "50.00", "50.00"],
    ]


# Drawings


def test_arcs_that_cross_have_their_own_heights() -> None:
    """Each link has a path that goes up to a height; two links that share columns have different heights."""
    found = sentence(
        ("a", 2, "det"),
        ("hearing", 3, "nsubj"),
        ("is", 0, "root"),
        ("on", 5, "case"),
        ("it", 2, "nmod"),
        ("now", 3, "obl"),
    )
    drawn = arcs(found)
    root = ElementTree.fromstring(drawn)
    paths = re.findall(r'd="(M[^"]*Q[^"]*)"', drawn)
    tops = [re.findall(r"Q[\d.]+ ([\d.]+)", path)[0] for path in paths]
    assert len(paths) == 5
    crossing = [tops[3], tops[4]]  # hearing -> it, is -> now
    assert crossing[0] != crossing[1]
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"det", "nsubj", "nmod", "obl", "case", "hearing"} <= set(texts)
    assert "root" not in texts


def test_drawings_escape_what_comes_from_files() -> None:
    drawn = arcs(sentence(("<b>&", 0, "root"), ("x", 1, "dep")), styled=False)
    assert "<b>" not in drawn
    ElementTree.fromstring(drawn)


def test_pages_and_files_of_drawings(numbat_here: Numbat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = numbat_here("parse", "-f", "html", "--dependencies", "she sleeps").out
    assert page.count("<svg") == 2
    assert 'class="link"' in page
    alone = numbat_here("parse", "-f", "svg", "--dependencies", "she sleeps").out
    assert "nsubj" in "".join(ElementTree.fromstring(alone).itertext())
    path = tmp_path / "g.conllu"
    path.write_text(format_conllu(GOLD) * 3, "utf-8")
    monkeypatch.setattr(pages, "OPENED", 2)
    drawn = numbat_here("trees", "-f", "html", str(path)).out
    assert [drawn.count(each) for each in ("<svg", "<details open>", "<details>")] == [3, 2, 1]
    path.write_text("(S (N a))\n", "utf-8")
    assert (
        "no dependencies to draw\n  -f html needs CoNLL-U with heads"
        in numbat_here("trees", "-f", "html", str(path)).err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--dependencies", "a"),
            "--dependencies and -f tree exclude each other\n  take -f svg or html, or leave --dependencies out",
        ),
        (
            ("--ud-map", "m.ud", "a"),
            "--ud-map has no effect without dependencies\n  add -f conllu, --dependencies or --gold",
        ),
    ],
)
def test_options_that_would_do_nothing(
    numbat_here: Numbat, arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.ud").write_text("words:\n", "utf-8")
    done = numbat_here("parse", *arguments)
    assert (done.code, done.err) == (2, f"numbat: {message}\n")
