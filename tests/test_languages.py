"""Languages: folders that are made of treebanks, their parses, dependencies and judgements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from numbat.treebank.conllu import DependencyTree, DependencyWord, format_conllu, read_conllu
from numbat.treebank.corruptions import KINDS, corruptions, drawn, forms_of
from numbat.treebank.judgement import JudgedPair, TagTrigrams, judgement_of_json, learned_judgement
from numbat.treebank.links import learned_links, link_rows, links_of_json, mark_places
from numbat.treebank.sentence_ends import SentenceEnds, stretches, text_of
from tests.command_line import Numbat

pytest.importorskip("numpy")

NOUNS = {"cat": "cats", "dog": "dogs", "bird": "birds", "girl": "girls", "boy": "boys"}
VERBS = {"sleeps": "sleep", "sings": "sing", "runs": "run"}
SEEN = {"sees": "see", "likes": "like"}


def sentence(random: Random, number: int) -> DependencyTree:
    """Return a sentence of a small language: a subject, a verb that agrees with it, perhaps an object, a full stop."""
    rows: list[tuple[str, str, str, str, int, str]] = []

    def noun_phrase(relation: str, head: int) -> str:
        one, several = random.choice(list(NOUNS.items()))
        number = random.choice(("Sing", "Plur"))
        has_adjective = random.random() < 0.3
        at = len(rows) + 2 + has_adjective
        determiner = random.choice(("the", "a" if number == "Sing" else "the"))
        rows.append((determiner, determiner, "DET", "", at, "det"))
        if has_adjective:
            rows.append(("small", "small", "ADJ", "", at, "amod"))
        rows.append((one if number == "Sing" else several, one, "NOUN", f"Number={number}", head, relation))
        return number

    subject = noun_phrase("nsubj", -1)
    verbs = SEEN if (has_object := random.random() < 0.5) else VERBS
    one, several = random.choice(list(verbs.items()))
    rows.append((one if subject == "Sing" else several, several, "VERB", f"Number={subject}", 0, "root"))
    verb = len(rows)
    if has_object:
        noun_phrase("obj", verb)
    rows.append((".", ".", "PUNCT", "", verb, "punct"))
    words = tuple(
        DependencyWord(
            form, lemma, upos, feats=(("Number", feats.removeprefix("Number=")),) if feats else (),
            head=verb if head < 0 else head, deprel=relation, misc="SpaceAfter=No" if at == len(rows) - 2 else "_",
        )
        for at, (form, lemma, upos, feats, head, relation) in enumerate(rows)
    )  # fmt: skip
    text = " ".join(word.form for word in words[:-1]) + "."
    return DependencyTree(words, (f"# sent_id = s{number}", f"# text = {text}"))


@pytest.fixture(scope="module")
def trees() -> list[DependencyTree]:
    random = Random(7)
    return [sentence(random, number) for number in range(220)]


@pytest.fixture(scope="module")
def folder(trees: list[DependencyTree], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("language")
    (place / "small.conllu").write_text("".join(map(format_conllu, trees)), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(place)
        yield place


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def test_a_language_is_made_by_one_command_and_parses_raw_text(folder: Path, numbat: Numbat) -> None:
    done = numbat("induce", "small.conllu", "-o", "small/")
    assert done.code == 0, done.err
    assert "On 22 sentences that were held out" in done.out
    assert "| an agreement broken |" in done.out
    names = {path.name for path in (folder / "small").iterdir()}
    assert names >= {"grammar.pg", "lexicon.tsv", "grammar.exp", "tagger.model", "trees.weights", "relations.model"}
    assert names >= {"links.json", "held-out.conllu", "README.md"}
    assert done.out.strip() in (folder / "small" / "README.md").read_text(encoding="utf-8")

    assert numbat("parse", "-g", "small", "-f", "bracket", "The small cats see a dog.").out == (
        "(VERB-P (NOUN-P (DET-P (DET The)) (ADJ-P (ADJ small)) (NOUN cats)) (VERB see) "
        "(NOUN-P (DET-P (DET a)) (NOUN dog)) (PUNCT-P (PUNCT .)))\n"
    )
    linked = numbat("parse", "-g", "small", "-f", "conllu", "The cats see a dog.").out
    rows = [line.split("\t") for line in linked.split("\n")]
    found = [(row[1], row[2], row[3], row[5], row[6], row[7]) for row in rows if len(row) == 10]
    assert found == [
        ("The", "the", "DET", "_", "2", "det"),
        ("cats", "cat", "NOUN", "Number=Plur", "3", "nsubj"),
        ("see", "see", "VERB", "Number=Plur", "0", "root"),
        ("a", "a", "DET", "_", "5", "det"),
        ("dog", "dog", "NOUN", "Number=Sing", "3", "obj"),
        (".", ".", "PUNCT", "_", "3", "punct"),
    ]
    told = numbat("parse", "-g", "small", "The small cats see a dog.").out.splitlines()[-2]
    assert re.fullmatch(
        r"judgement [01]\.\d\d; \d+ % of the sentences that were made worse on purpose cost nothing", told
    )
    assert "# judgement = " in linked
    alone = numbat("parse", "-g", "small", "--expansions", "none", "-f", "json", "Sees the a dog.").out
    assert '"engine": "exact"' in alone
    assert numbat("check", "small").code == 0


def test_running_text_is_divided_as_the_treebank_ends_its_sentences(folder: Path, numbat: Numbat) -> None:
    """Without a language named the language's own tagger finds the sentences."""
    Path("book.txt").write_text("The cats see a dog. The girl sleeps. A bird sings.\n\nThe dogs run.\n", "utf-8")
    done = numbat("parse", "-g", "small", "--split", "-i", "book.txt", "-f", "conllu")
    texts = [line.partition(" = ")[2] for line in done.out.splitlines() if line.startswith("# text")]
    assert texts == ["The cats see a dog.", "The girl sleeps.", "A bird sings.", "The dogs run."]
    typed = numbat("parse", "-g", "small", "--split", "-f", "bracket", "The cats run. The girl sleeps.")
    assert (typed.code, len(typed.out.splitlines())) == (0, 2)


def test_ends_of_sentences_are_labels_of_pieces() -> None:
    """Ranges are one piece; a piece is what stands between blanks; writing without blanks has no pieces."""
    words = (
        ("do", "aux", 3, "_"),
        ("n't", "advmod", 3, "_"),
        ("go", "root", 0, "SpaceAfter=No"),
        (".", "punct", 3, "_"),
    )
    rows = "1-2\tdon't" + "\t_" * 8 + "\n"
    for number, (form, relation, head, misc) in enumerate(words, start=1):
        rows += f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t{misc}\n"
    (tree,) = read_conllu(f"{rows}\n".split("\n"), "x")
    assert isinstance(tree, DependencyTree)
    assert text_of(tree) == "don't go."
    assert stretches([tree, tree]) == [((("don't",), ("go.",)) * 2, ("other", "last") * 2)]
    chinese = replace(tree, comments=("# text = 她睡了。",), other_rows=())
    assert stretches([chinese] * 9) == []
    ends = SentenceEnds(lambda rows: [["last" if piece == "b" else "other" for (piece,) in row] for row in rows])
    assert ends(" a b  a a") == [(1, 4), (6, 9)]
    assert ends(" ") == []


def test_a_treebank_of_one_sentence_holds_nothing_out(
    folder: Path, numbat: Numbat, trees: list[DependencyTree]
) -> None:
    Path("one.conllu").write_text(format_conllu(trees[0]), encoding="utf-8")
    done = numbat("induce", "one.conllu", "-o", "one/", "--without", "weights")
    assert (done.code, done.out) == (0, "Nothing: there are too few sentences, or no dependencies, to hold some out.\n")
    assert numbat("parse", "-g", "one", "-f", "bracket", trees[0].comment("text")).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lexicon", "x.tsv"), "--lexicon and a folder\n  a language has its own: leave the option out"),
        (("--punctuation",), "--punctuation and a folder\n  a language has its own: leave the option out"),
    ],
)
def test_what_does_not_go_with_a_language(
    arguments: tuple[str, ...], message: str, folder: Path, numbat: Numbat
) -> None:
    done = numbat("induce", "small.conllu", "-o", "other/", *arguments)
    assert (done.code, message in done.err) == (2, True)
    assert not Path("other").exists()


def test_without_is_about_languages(folder: Path, numbat: Numbat) -> None:
    assert "--without is about languages" in numbat("induce", "small.conllu", "--without", "weights").err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("links.json", "no links of a treebank"),
        ("judgement.json", "no judgement of a language"),
    ],
)
def test_a_damaged_part_is_told(name: str, message: str, folder: Path, numbat: Numbat) -> None:
    path = folder / "small" / name
    whole = path.read_text(encoding="utf-8")
    try:
        path.write_text(whole[: len(whole) // 2], encoding="utf-8")
        done = numbat("parse", "-g", "small", "-f", "conllu", "The cats see a dog.")
        assert (done.code, message in done.err) == (65, True)
    finally:
        path.write_text(whole, encoding="utf-8")


# What a treebank teaches of links


def test_links_are_read_back_and_complete_what_they_were_learned_from(
    trees: list[DependencyTree],
) -> None:
    links = learned_links(trees)
    assert links_of_json(links.as_json(), "x") == links
    for tree in trees:
        bare = [DependencyWord(word.form, upos=word.upos, head=word.head, deprel=word.deprel) for word in tree.words]
        found = links.completed(bare)
        assert [(word.lemma, word.feats, word.head) for word in found] == [
            (word.lemma, word.feats, word.head) for word in tree.words
        ]


def test_marks_hang_where_no_link_crosses_theirs() -> None:
    text = """1\tYes\t_\tINTJ\t_\t_\t6\tdiscourse\t_\t_
2\t,\t_\tPUNCT\t_\t_\t6\tpunct\t_\t_
3\t(\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_
4\the\t_\tPRON\t_\t_\t6\tnsubj\t_\t_
5\t)\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_
6\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\t_
7\t.\t_\tPUNCT\t_\t_\t6\tpunct\t_\t_
"""
    (tree,) = read_conllu(f"{text}\n".split("\n"), "x")
    assert isinstance(tree, DependencyTree)
    places = {
        place.number: (place.key, place.dependent, place.head, place.opened_at) for place in mark_places(tree.words)
    }
    assert places == {
        2: ("discourse< ,", 1, 6, 0),
        3: ("discourse< (", 1, 6, 0),
        5: ("nsubj< )", 4, 6, 3),
        7: ("root. .", 6, 6, 0),
    }
    assert [row[1] for row in link_rows(tree.words)][:2] == ["INTJ<VERB", "PUNCT<VERB"]


# Corruptions and judgements


def test_corruptions_are_what_they_say(trees: list[DependencyTree]) -> None:
    forms = forms_of(trees)
    for tree in trees[:40]:
        words = [(word.form, word.upos) for word in tree.words]
        for kind in KINDS:
            for each in corruptions(tree, kind, forms):
                assert list(each.words) != words
                if kind in ("swap", "agreement"):
                    assert len(each.words) == len(words)
                    assert sum(one != other for one, other in zip(each.words, words, strict=True)) == (
                        2 if kind == "swap" else 1
                    )
                else:
                    assert len(each.words) - len(words) == (1 if kind == "double" else -1)
                if kind == "swap":
                    assert sorted(each.words) == sorted(words)
        assert drawn(tree, forms) == drawn(tree, forms)
    assert {each.kind for tree in trees for each in drawn(tree, forms)} == set(KINDS)


def test_trigrams_of_tags_are_a_distribution() -> None:
    trigrams = TagTrigrams.of([["DET", "NOUN", "VERB"], ["NOUN", "VERB"], ["DET", "ADJ", "NOUN", "VERB"]])
    for before in (("DET", "NOUN"), ("VERB", "VERB"), ("<>", "<>")):
        chances = [trigrams._chance((*before, tag)) for tag in ("DET", "NOUN", "VERB", "ADJ", "<>", "unknown")]
        assert sum(chances) == pytest.approx(1.0)
    assert trigrams.log_likelihood(["DET", "NOUN", "VERB"]) > trigrams.log_likelihood(["NOUN", "DET", "VERB"])


def test_a_judgement_learns_what_tells_good_sentences_from_bad_ones_and_is_read_back() -> None:
    random = Random(1)
    pairs = []
    for _ in range(200):
        number = random.randint(3, 20)
        good = (-2.0 * number + random.gauss(0, 1), -random.random(), -1.5 * number, number, -2.0, -0.1, -1.5, 0.0)
        bad = (good[0] - 6 + random.gauss(0, 1), *good[1:])
        pairs.append(JudgedPair("swap", good, bad))
    trigrams = TagTrigrams.of([["DET", "NOUN"]])
    judgement = learned_judgement(trigrams, pairs)
    assert sum(judgement.value(pair.good) > judgement.value(pair.bad) for pair in pairs) > 190
    assert all(0 <= judgement.probability(pair.good) <= 1 for pair in pairs)
    assert judgement_of_json(judgement.as_json(), "x") == judgement
