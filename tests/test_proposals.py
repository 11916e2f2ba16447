"""Properties that sampled trees propose: their rank, the grammar that is made of them, and the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from math import isclose
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import numbat
from numbat.cli.main import cli
from numbat.errors import DataError
from numbat.grammar.checks import check
from numbat.grammar.loading import parse_grammar
from numbat.grammar.properties import format_property
from numbat.structure.model import packed_model
from numbat.structure.proposals import (
    Heads,
    ProposedGrammar,
    SampledSentence,
    SampledTrees,
    annotated,
    draw,
    key_of,
    keys_of,
    lower_bound,
    material_for,
    precision_of_first,
    propose,
)
from numbat.structure.report import marked, proposal_lines, proposals_page, proposed_grammar
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.induce import InductionSettings, Thresholds, induce
from numbat.treebanks.tagged_sentences import TaggedSentence, tagged_text
from tests.structure_model import SENTENCES, small_model

pytest.importorskip("numpy")
EVERY = InductionSettings(name="t", least=Thresholds(support=1, w0=0.5, count=1, expected=0.0))


def sentences() -> list[TaggedSentence]:
    return [each for each in tagged_text(SENTENCES.splitlines(), "t") if isinstance(each, TaggedSentence)]


def proposed(samples: int = 10, settings: InductionSettings = EVERY) -> ProposedGrammar:
    return propose(draw(small_model(), sentences(), samples), settings)


def texts(found: ProposedGrammar, remarked: bool = False) -> list[str]:
    return [f"{each.prop.construction}: {each.text}" for each in found.proposals if bool(each.remark) == remarked]


# The bound


@given(st.floats(0.0, 1.0), st.floats(0.5, 1e5))
def test_the_bound_is_where_the_share_is_just_within_its_interval(share: float, number: float) -> None:
    """Wilson (1927): the share lies 1.96 standard deviations of a binomial of that bound above it."""
    bound = lower_bound(share, number)
    assert 0.0 <= bound <= share + 1e-12
    deviation = 1.959963984540054 * (bound * (1 - bound) / number) ** 0.5
    assert isclose(share - bound, deviation, abs_tol=1e-7)


def test_without_occurrences_the_bound_is_0() -> None:
    assert lower_bound(0.0, 0) == 0.0


# The ranking


def test_order_and_direction_come_first_and_are_shown_by_sentences() -> None:
    found = proposed()
    assert "NOUN-P: DET-P < NOUN" in texts(found)[:5]
    assert "NOUN-P: ADJ-P < NOUN" in texts(found)[:5]
    first = next(each for each in found.proposals if each.text == "DET-P < NOUN")
    assert [marked(example) for example in first.examples][:2] == [
        "[the/DET] [cat/NOUN] sleeps",
        "[the/DET] [dog/NOUN] barks",
    ]
    assert len(first.examples) == 3


def test_ranks_go_by_the_bound_and_what_tells_little_comes_last() -> None:
    found = proposed().proposals
    assert [each.rank for each in found] == list(range(1, len(found) + 1))
    assert all((bool(one.remark), -one.bound) <= (bool(other.remark), -other.bound) for one, other in pairwise(found))


def test_what_dependencies_have_by_construction_is_no_proposal() -> None:
    found = {*texts(proposed()), *texts(proposed(), remarked=True)}
    assert found.isdisjoint({"NOUN-P: uniq NOUN", "VERB-P: uniq VERB", "DET-P: uniq DET"})
    assert not any("oblig" in text or "occurs" in text for text in found)


def tree(words: str, heads: Heads) -> TaggedSentence:
    pairs = [word.split("/") for word in words.split()]
    rows = tuple(DependencyWord(form, upos=tag, head=head) for (form, tag), head in zip(pairs, heads, strict=True))
    forms, tags = ([pair[at] for pair in pairs] for at in (0, 1))
    return TaggedSentence(tuple(forms), tuple(tags), DependencyTree(rows), "s")


def test_remarks_say_why_a_property_tells_little() -> None:
    trees = [tree("a/D b/N c/P", (2, 0, 2))] * 30 + [tree("a/D b/N", (2, 0))] * 30 + [tree("b/N c/P", (0, 1))] * 30
    trees += [tree("b/N d/Q", (0, 1))] * 30
    found = propose(annotated(trees), InductionSettings())
    remarks = {f"{each.prop.construction}: {each.text}": each.remark for each in found.proposals}
    assert remarks == {
        "N-P: D-P < N": "",
        "N-P: N < P-P": "",
        "N-P: uniq D-P": "",
        "N-P: uniq P-P": "",
        "N-P: N < Q-P": "",
        "N-P: uniq Q-P": "",
        "N-P: D-P < P-P": "follows from D-P < N and N < P-P",
        "N-P: D-P x Q-P": "no example can show that they never occur together",
        "N-P: P-P x Q-P": "no example can show that they never occur together",
        "N-P: N + P-P": "chance would violate it 0.0 times",
        "N-P: D-P + N": "chance would violate it 0.0 times",
    }


def test_a_repetition_that_chance_would_hardly_make_is_no_news() -> None:
    trees = [tree("a/D b/N", (2, 0))] * 6 + [tree("b/N", (0,))] * 300
    (order, alone) = propose(annotated(trees), InductionSettings()).proposals
    assert (order.text, order.remark) == ("D-P < N", "")
    assert (alone.text, alone.remark) == ("uniq D-P", "chance would violate it 0.1 times")


def test_that_neighbours_have_nobody_to_stand_between_them_is_no_news() -> None:
    trees = [tree("d/D a/A b/N", (3, 3, 0))] * 20 + [tree("d/D b/N a/A", (2, 0, 2))] * 20
    found = propose(annotated(trees), InductionSettings(least=Thresholds(w0=0.4)))
    remarks = {each.text: each.remark for each in found.proposals if each.prop.relation == "adjacency"}
    assert remarks == {
        "A-P + N": "",
        "D-P + N": "chance would violate it 10.0 times",
        "D-P + A-P": "chance would violate it 0.0 times",
    }


# Counting


def test_twenty_trees_of_a_sentence_are_no_more_evidence_than_one() -> None:
    def of(copies: int) -> ProposedGrammar:
        drawn = draw(small_model(), sentences(), 1)
        repeated = (SampledSentence(each.sentence, each.trees * copies) for each in drawn.sentences)
        return propose(SampledTrees(tuple(repeated), copies), InductionSettings(least=Thresholds(support=2, count=2)))

    one, many = of(1), of(20)
    assert one.proposals
    assert [each.prop for each in one.proposals] == [each.prop for each in many.proposals]
    for mine, other in zip(one.proposals, many.proposals, strict=True):
        assert [mine.support, mine.bound] == pytest.approx([other.support, other.bound])
    assert one.induced.grammar == many.induced.grammar


def test_the_same_seed_draws_the_same_trees() -> None:
    model = small_model()
    assert draw(model, sentences(), 3, seed=4) == draw(model, sentences(), 3, seed=4)


def test_annotated_trees_are_precise_against_themselves() -> None:
    trees = [tree("a/D b/N c/V", (2, 3, 0)), tree("b/N c/V", (2, 0)), tree("a/D e/A b/N c/V", (3, 3, 4, 0))] * 6
    gold = keys_of(induce(annotated(trees).counts(), InductionSettings()))
    found = propose(annotated(trees), InductionSettings()).proposals
    assert found
    assert precision_of_first(found, gold) == 1.0
    assert precision_of_first(found, {key_of(found[0].prop)}, n=4) == 0.25
    assert precision_of_first((), gold) == 0.0


# The grammar and the page


def test_the_grammar_is_read_back_with_neither_mistake_nor_doubt() -> None:
    found = proposed()
    text = proposed_grammar(found, ["a line", ""])
    grammar = parse_grammar(text, "t.pg")
    assert check(grammar, "t.pg") == []
    kept = {
        f"{each.name}: {format_property(prop)}"
        for each in grammar.constructions
        for prop in each.properties
        if not prop.hard
    }
    assert kept == set(texts(found))
    stated = {each.prop: each.prop.stated for each in found.proposals}
    for construction in grammar.constructions:
        assert [format_property(prop) for prop in construction.properties if prop.hard] == [
            f"oblig {construction.name.removesuffix('-P')}",
            f"uniq {construction.name.removesuffix('-P')}",
        ]
        assert all(stated[prop] == prop.stated for prop in construction.properties if not prop.hard)


def test_a_line_has_its_rank_its_counts_and_an_example() -> None:
    found = proposed()
    first = next(each for each in found.proposals if each.text == "DET-P < NOUN")
    line, example, end = proposal_lines(first).split("\n")
    assert re.fullmatch(
        rf"    DET-P < NOUN weight \S+ cost \S+ +# 9:0 w0 1[.\d]+ w1 [.\d]+; rank {first.rank}, at least [.]\d\d\d",
        line,
    )
    assert (example, end) == ("        # [the/DET] [cat/NOUN] sleeps", "")
    last = found.proposals[-1]
    assert proposal_lines(last).startswith(f"    # {last.text} weight ")
    assert proposal_lines(last).split("\n")[0].endswith(f"; {last.remark}")
    assert proposal_lines(last, active=True).startswith(f"    {last.text} weight ")


def test_a_sentence_without_words_shows_its_tags() -> None:
    trees = [TaggedSentence(("_", "_"), ("D", "N"), tree("_/D _/N", (2, 0)).tree)] * 9
    (order, _) = propose(annotated(trees), InductionSettings()).proposals
    assert [marked(example) for example in order.examples] == ["[D] [N]"]


def test_the_page_puts_the_grammar_of_the_ticked_proposals_together() -> None:
    found = proposed()
    page = proposals_page(found, ["a line"])
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert "src=" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert [each["rank"] for each in data["proposals"]] == [each.rank for each in found.proposals]
    numbers = [piece for piece in data["pieces"] if isinstance(piece, int)]
    assert sorted(numbers) == list(range(len(found.proposals)))
    ticked = {at for at, each in enumerate(data["proposals"]) if not each["remark"]}
    text = "".join(
        piece if isinstance(piece, str) else data["proposals"][piece]["lines"] if piece in ticked else ""
        for piece in data["pieces"]
    )
    of_page, of_file = (parse_grammar(each, "t.pg") for each in (text, proposed_grammar(found, ["a line"])))
    assert of_page == of_file
    assert data["proposals"][0]["examples"][0][0] == ["the", "DET"]


# The verb


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.model").write_bytes(packed_model(small_model()))
    Path("t.txt").write_text(SENTENCES, encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["induce", *arguments])


@pytest.mark.usefixtures("_files")
def test_the_table_says_what_was_proposed_and_what_the_columns_mean() -> None:
    done = run("t.txt", "--structure", "small.model", "-n", "1", "--support", "3", "--min-count", "3")
    assert (done.exit_code, done.stderr) == (0, "")
    assert (
        done.stdout
        == """\
rank  bound  confidence  support  property
1     0.701  1.000       9.0      NOUN-P: DET-P < NOUN
                                    [the/DET] [cat/NOUN] sleeps
                                    [the/DET] [dog/NOUN] barks
                                    [a/DET] [cat/NOUN] barks

the first 1 of 4 proposals; 1 that say little come last, with the reason
support: occurrences in which the property is pertinent, in all sampled trees, divided by the trees per sentence
confidence: the share of these occurrences that satisfy the property
bound: the lower end of the 95 % interval of the confidence (Wilson), given the support
"""
    )


@pytest.mark.usefixtures("_files")
def test_tsv_and_json_have_all_of_them() -> None:
    options = ("t.txt", "--structure", "small.model", "--support", "3", "--min-count", "3")
    rows = [line.split("\t") for line in run(*options, "-f", "tsv").stdout.splitlines()]
    value = json.loads(run(*options, "-f", "json").stdout)
    assert (value["schema"], value["sentences"], value["samples"]) == ("numbat.proposals/1", 8, 20)
    assert [row[7] for row in rows[1:]] == [each["property"] for each in value["proposals"]]
    assert rows[0][:5] == ["rank", "bound", "confidence", "support", "occurrences"]
    assert value["proposals"][0]["operands"] == [["DET-P"], ["NOUN"]]
    assert value["proposals"][0]["examples"][0]["marked"] == [0, 1]


@pytest.mark.usefixtures("_files")
def test_the_grammar_that_is_written_parses_at_once() -> None:
    done = run(
        *("t.txt", "--structure", "small.model", "-n", "0", "--support", "3", "--min-count", "3"),
        *("-o", "t.pg", "--html", "t.html", "--lexicon", "t.tsv"),
    )
    assert (done.exit_code, done.stderr) == (0, "numbat: wrote t.pg\nnumbat: wrote t.html\n")
    assert Path("t.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    checked = CliRunner().invoke(cli, ["check", "t.pg"])
    assert (checked.exit_code, checked.stderr) == (0, "")
    parser = numbat.Parser(numbat.load_grammar("t.pg"))
    nouns = "(NOUN-P (DET-P (DET the)) (ADJ-P (ADJ old)) (NOUN cat))", "(NOUN-P (DET-P (DET a)) (NOUN dog))"
    assert parser.parse("the old cat sees a dog").to_brackets() == f"(VERB-P {nouns[0]} (VERB sees) {nouns[1]})"
    shown = CliRunner().invoke(cli, ["show", "t.pg", "--html", "g.html"])
    assert (shown.exit_code, '"counts":[9,0,' in Path("g.html").read_text(encoding="utf-8")) == (0, True)


@pytest.mark.usefixtures("_files")
def test_what_is_left_out_is_told() -> None:
    Path("more.txt").write_text(SENTENCES + "oh/INTJ dogs/NOUN\n!/PUNCT\n" + "old/ADJ " * 11 + "\n", encoding="utf-8")
    done = run("more.txt", "--structure", "small.model", "-n", "0")
    assert (done.exit_code, done.stderr) == (
        0,
        "numbat: 1 longer than --max-length left out\n"
        "numbat: 1 with tags that the model does not know left out: INTJ\n"
        "numbat: 1 without words left out\n",
    )


MISTAKES = {
    "rules": (
        ("--rules", "r"),
        2,
        "--rules has no effect with --structure\n  the rules are those of sampled trees: leave one of them out",
    ),
    "tags": (
        ("--tags", "xpos"),
        2,
        "--tags has no effect with --structure\n"
        "  the tags are those that the model was learned from: leave one of them out",
    ),
    "long": (
        ("--max-length", "1"),
        65,
        "t.txt: no sentence to learn from\n  8 longer than --max-length left out",
    ),
}


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("name", MISTAKES)
def test_what_does_not_go_with_structure_is_told(name: str) -> None:
    options, code, message = MISTAKES[name]
    done = CliRunner().invoke(cli, ["induce", "t.txt", "--structure", "small.model", *options])
    assert done.exit_code in (1, code)
    assert str(done.exception) == message


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--samples", "3"), "--samples has no effect without --structure\n  add --structure MODEL"),
        (("-f", "tsv"), "--format has no effect without --structure\n  add --structure MODEL"),
        (("--from", "text"), "--from text has no trees\n  add --structure MODEL, which gives sentences trees"),
    ],
)
def test_what_needs_structure_is_told(options: tuple[str, ...], message: str) -> None:
    assert str(run("t.txt", *options).exception) == message


def test_a_tag_that_is_the_name_of_phrases_of_another_is_told(tmp_path: Path) -> None:
    model = small_model()
    twice = replace(model, tags=("ADJ", "DET", "DET-P", "VERB"), column="tags")
    path = tmp_path / "t.txt"
    path.write_text("the/DET cat/DET-P sleeps/VERB\n")
    with pytest.raises(DataError) as error:
        material_for(twice, [str(path)], "auto", 10)
    assert str(error.value).startswith('the tag "DET-P" is also the name of the phrases of the tag "DET"\n')
