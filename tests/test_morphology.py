"""FEATS and lemmas of words: those of a treebank, and those predicted from endings and neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.morphology import (
    MAX_BUNDLES,
    Columns,
    LemmaRule,
    Morphology,
    feature_groups,
    format_pairs,
    joined_labels,
    learned_morphology,
    morphology_of_json,
    pairs_of,
    part_of,
    rule_of,
)

WORDS = (
    *(("cats", "cat", "NOUN", "Number=Plur"), ("dogs", "dog", "NOUN", "Number=Plur")),
    *(("girls", "girl", "NOUN", "Number=Plur"), ("flies", "fly", "NOUN", "Number=Plur")),
    *(("cities", "city", "NOUN", "Number=Plur"), ("sheep", "sheep", "NOUN", "Number=Sing")),
    *(("sheep", "sheep", "NOUN", "Number=Sing"), ("sheep", "sheep", "NOUN", "Number=Plur")),
    *(("Walked", "walk", "VERB", "Tense=Past"), ("called", "call", "VERB", "Tense=Past")),
    *(("Paris", "Paris", "PROPN", "Number=Sing"), ("he", "he", "PRON", "Case=Nom|Number=Sing")),
)


def word(form: str, lemma: str, upos: str, feats: str) -> DependencyWord:
    return DependencyWord(form, lemma, upos, feats=pairs_of(feats))


TREE = DependencyTree(tuple(word(*each) for each in WORDS))


def completed(morphology: Morphology, form: str, upos: str) -> tuple[str, str]:
    (found,) = morphology.completed([DependencyWord(form, upos=upos)])
    return found.lemma, format_pairs(found.feats)


@pytest.mark.parametrize(
    ("form", "lemma", "rule"),
    [
        ("cities", "city", LemmaRule(3, "y", "small")),
        ("Walked", "walk", LemmaRule(2, "", "small")),
        ("Paris", "Paris", LemmaRule(0, "", "kept")),
        ("nato", "NATO", LemmaRule(0, "", "large")),
        ("went", "go", None),
    ],
)
def test_a_rule_cuts_letters_and_adds_others(form: str, lemma: str, rule: LemmaRule | None) -> None:
    assert rule_of(form, lemma) == rule
    if rule is not None:
        assert rule.lemma(form) == lemma


@given(st.text(max_size=6), st.text(max_size=6))
def test_a_rule_gives_the_lemma_that_it_was_made_of(form: str, lemma: str) -> None:
    rule = rule_of(form, lemma)
    assert rule is None or rule.lemma(form) == lemma


def labelling(feats: str) -> Morphology:
    """Return the morphology of the words with a tagger that gives each word the same label."""

    def label(sentences: Sequence[Sequence[Columns]]) -> list[list[str]]:
        return [[feats for _ in sentence] for sentence in sentences]

    return replace(learned_morphology([TREE]), label=label)


def test_a_word_of_the_treebank_has_one_of_its_own_bundles() -> None:
    """It is the one of the tagger, or the nearest, or the most frequent if the tagger gives none."""
    assert completed(learned_morphology([TREE]), "sheep", "NOUN") == ("sheep", "Number=Sing")
    assert completed(labelling("Number=Plur"), "Sheep", "NOUN") == ("sheep", "Number=Plur")
    assert completed(labelling("Number=Plur|Tense=Past"), "sheep", "NOUN") == ("sheep", "Number=Plur")
    assert completed(labelling("Number=Plur"), "cats", "NOUN") == ("cat", "Number=Plur")


def test_another_word_has_the_taggers_features_and_the_rule_of_its_ending() -> None:
    plural = labelling("Number=Plur")
    assert completed(plural, "Birds", "NOUN") == ("bird", "Number=Plur")
    assert completed(plural, "ladies", "NOUN") == ("lady", "Number=Plur")
    assert completed(plural, "s", "NOUN") == ("s", "Number=Plur")  # a rule that leaves an empty word does not count
    assert completed(labelling("Number=Sing"), "London", "PROPN") == ("London", "Number=Sing")
    assert completed(labelling("Tense=Past"), "Worked", "VERB") == ("work", "Tense=Past")


def test_without_lemmas_none_is_made_and_a_given_one_stays() -> None:
    bare = DependencyTree(tuple(replace(each, lemma="_") for each in TREE.words))
    assert completed(learned_morphology([bare]), "birds", "NOUN") == ("_", "_")
    (found,) = learned_morphology([TREE]).completed([DependencyWord("cats", "own", "NOUN")])
    assert found.lemma == "own"


def test_a_morphology_is_read_back() -> None:
    morphology = learned_morphology([TREE])
    assert morphology_of_json(morphology.as_json()) == morphology
    with pytest.raises(ValueError, match="Number"):
        morphology_of_json({"words": [["cats", "NOUN", ["cat", "Number", 1]]], "endings": []})


def test_features_are_labelled_in_groups_of_few_bundles() -> None:
    """Each feature is in one group; groups joined give the bundle again."""
    many = [
        word(f"w{i}", "w", "NOUN", f"Case={'ABCDEFGHIJ'[i % 10]}x|Gender=G{i % 7}|Number=N{i % 3}") for i in range(210)
    ]
    trees = [TREE, DependencyTree(tuple(many))]
    groups = feature_groups(trees)
    names = [name for group in groups for name in group]
    assert sorted(names) == ["Case", "Gender", "Number", "Tense"]
    for group in groups:
        assert len({part_of(each.feats, group) for tree in trees for each in tree.words}) <= MAX_BUNDLES
    labellings = [
        lambda sentences, group=group: [[part_of(pairs_of(row[0]), group) for row in rows] for rows in sentences]
        for group in groups
    ]
    rows = [[(format_pairs(each.feats),) for each in tree.words] for tree in trees]
    assert joined_labels(labellings, rows) == [[row[0] for row in sentence] for sentence in rows]
