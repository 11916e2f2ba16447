"""Propositions of semantic roles for the bench: how files of them are read, and which phrases are candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.roles.candidates import candidates_of, recall
from tests.bench.roles.reading import Proposition, read_propositions

SENTENCE = """\
# sent_id = doc_ans-0001
The	DT	(TOP(S(NP*	-	(ARG0*	*
dog	NN	*)	-	*)	*
gave	VBD	(VP*	give.01	(V*)	*
its	PRP$	(NP(NP*	-	(ARG1*	(ARG0*)
love	NN	*)	love.02	*	(V*)
of	IN	(PP*	-	*	(ARG1*
bones	NNS	(NP*)))	-	*)	*)
to	IN	(PP*	-	(ARG2*	*
Kim	NNP	(NP*))	-	*)	*
today	NN	(NP*))	-	(ARGM-TMP*)	*
.	.	*))	-	*	*

# sent_id = doc_ans-0002
Yes	UH	(TOP(INTJ*))	-
"""


@pytest.fixture
def propositions(tmp_path: Path) -> list[Proposition]:
    path = tmp_path / "a.props"
    path.write_text(SENTENCE, encoding="utf-8")
    return read_propositions(path)


def words(proposition: Proposition, start: int, end: int) -> str:
    return " ".join(proposition.tokens[start:end])


def test_a_proposition_for_each_predicate(propositions: list[Proposition]) -> None:
    verb, noun = propositions
    assert (verb.id, verb.roleset, verb.lemma, verb.predicate) == ("doc_ans-0001/1", "give.01", "give", 2)
    assert verb.gold == ((0, 2, "A0"), (3, 7, "A1"), (7, 9, "A2"))  # adjuncts are left out
    assert (noun.id, noun.gold) == ("doc_ans-0001/2", ((3, 4, "A0"), (5, 7, "A1")))
    assert [(node.label, node.span) for node in noun.tree.walk() if node.children] == [
        ("", (0, 11)), ("TOP", (0, 11)), ("S", (0, 11)), ("NP", (0, 2)), ("VP", (2, 10)), ("NP", (3, 7)),
        ("NP", (3, 5)), ("PP", (5, 7)), ("NP", (6, 7)), ("PP", (7, 9)), ("NP", (8, 9)), ("NP", (9, 10)),
    ]  # fmt: skip


def test_sisters_on_the_way_up_are_candidates_and_daughters_of_prepositional_phrases(
    propositions: list[Proposition],
) -> None:
    verb, noun = propositions
    assert [words(verb, *each.node.span) for each in candidates_of(verb)] == [
        "The dog", "its love of bones", "to Kim", "Kim", "today"
    ]  # fmt: skip
    assert [words(noun, *each.node.span) for each in candidates_of(noun)] == [
        "The dog", "its", "of bones", "bones", "to Kim", "Kim", "today"
    ]  # fmt: skip
    assert recall(propositions) == (5, 5, 12)


def test_brackets_that_do_not_match_are_told_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.props"
    path.write_text("a\tNN\t(NP*\t-\n\nb\tNN\t(NP*)\t-\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"a\.props:1: the columns of this sentence are not whole: \(NP is not closed"):
        read_propositions(path)
