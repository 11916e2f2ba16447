"""Scores: cases computed by hand with evalb's conventions, the bootstrap, the two commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import numbat
from numbat.cli.main import cli
from numbat.errors import DataError
from numbat.treebanks.brackets import format_brackets, read_brackets, read_discbracket
from numbat.treebanks.converting import tree_of
from numbat.treebanks.crossing import CrossingTree
from numbat.treebanks.link_scores import Measure
from numbat.treebanks.reading import tree_pairs
from numbat.treebanks.scores import (
    DEFAULT_PARAMETERS,
    EvalbParameters,
    SentenceScore,
    TreebankScores,
    intervals,
    read_parameters,
    score_tree,
)
from numbat.treebanks.tree_reader import TreeReader
from numbat.treebanks.trees import Tree
from numbat.treebanks.verbs import score_files

STARTER = Path(__file__).parent / "starter" / "starter.pg"

ROOT = Path(__file__).parents[1]


def tree(text: str) -> Tree:
    (found,) = read_brackets([text], "t.mrg")
    assert isinstance(found, Tree)
    return found


def scored(gold: str, predicted: str, parameters: EvalbParameters = DEFAULT_PARAMETERS) -> SentenceScore:
    return score_tree("s", tree(gold), tree(predicted), parameters)


def counts(found: SentenceScore) -> tuple[int, int, int]:
    return found.gold, found.predicted, found.matched


# By hand

GOLD = "(TOP (S (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN with) (NP (NN tea)))) (. .)))"
PREDICTED = (
    "(TOP (S (NP (DT the) (NN man)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS tea))))) (. .)))"
)


def test_an_attachment_by_hand() -> None:
    """Gold: S 0-7, NP 0-2, VP 2-7, NP 3-5, PP 5-7, NP 6-7. Predicted: these and NP 3-7, which crosses none."""
    found = scored(GOLD, PREDICTED)
    assert counts(found) == (6, 7, 6)
    assert found.words == 7
    assert found.crossing == 0
    assert found.tags == 6
    assert not found.is_exact
    measure = TreebankScores((found,)).labelled
    assert (measure.precision, measure.recall, measure.f1) == (6 / 7, 1.0, 12 / 13)
    back = scored(PREDICTED, GOLD)
    assert counts(back) == (7, 6, 6)


def test_trees_with_crossing_branches_are_scored_by_sets_of_words() -> None:
    """Gold: S, VP {0, 3}, NP {0}. Predicted: S, VP {0, 2, 3}, X {0, 2}, NP {1}; then S, VP {0, 3}, NP {1}."""
    gold = numbered("(S (VP (NP (N 0=a)) (V 3=d)) (V 1=b) (P 2=c))")
    predicted = numbered("(S (VP (X (N 0=a) (P 2=c)) (V 3=d)) (NP (V 1=b)))")
    found = score_tree("a", gold, predicted)
    assert (found.gold, found.predicted, found.matched, found.gaps) == (3, 4, 1, (1, 2, 0))
    predicted = numbered("(S (VP (N 0=a) (V 3=d)) (NP (V 1=b)) (P 2=c))")
    found = score_tree("a", gold, predicted)
    assert (found.gold, found.predicted, found.matched, found.gaps, found.tags) == (3, 3, 2, (1, 1, 1), 4)
    same = score_tree("a", gold, gold)
    assert same.is_exact
    scores = TreebankScores((found, same))
    assert scores.discontinuous == Measure(2, 2, 2)
    assert scores.labelled == Measure(6, 6, 5)


def numbered(text: str) -> CrossingTree:
    (found,) = read_discbracket([text], "t")
    assert isinstance(found, CrossingTree)
    return found


def test_crossing_brackets() -> None:
    """Predicted B 0-2 crosses gold A 1-3; predicted C 0-3 holds it; D 1-2 lies in it."""
    found = scored("(S (N a) (A (N b) (N c)) (N d))", "(S (C (B (N a) (D (N b))) (N c)) (N d))")
    assert counts(found) == (2, 4, 1)
    assert found.crossing == 1


def test_labels_unlabelled_and_functions() -> None:
    found = scored("(S (NP-SBJ-1 (N a)) (VP (V b)))", "(S (NP (N a)) (XP (V b)))")
    assert counts(found) == (3, 3, 2)
    assert found.unlabelled == 3
    assert found.labels == (("NP", 1, 1, 1), ("S", 1, 1, 1), ("VP", 1, 0, 0), ("XP", 0, 1, 0))


def test_brackets_count_as_often_as_they_occur() -> None:
    found = scored("(S (X (X (N a))) (N b))", "(S (X (N a)) (N b))")
    assert counts(found) == (3, 2, 2)
    twice = scored("(S (X (Y (N a))) (N b))", "(S (Y (X (N a))) (N b))")
    assert counts(twice) == (3, 3, 3)
    assert twice.unlabelled == 3


def test_evalbs_conventions() -> None:
    """TOP, punctuation and empty elements are ignored; ADVP equals PRT; phrases of ignored words have no bracket."""
    with_all = "(TOP (S (NP (-NONE- *T*)) (PRN (, ,)) (`` ``) (ADVP (RB up)) ('' '') (VP (VB go)) (. .)))"
    bare = "(S (PRT (RB up)) (VP (VB go)))"
    assert counts(scored(with_all, bare)) == (3, 3, 3)
    assert scored(with_all, bare).words == 2
    plain = EvalbParameters(frozenset(), {})
    assert scored(with_all, bare, plain).error == "7 words in gold, 2 in the prediction"
    assert counts(scored("(S (ADVP (RB up)))", "(S (PRT (RB up)))", plain)) == (2, 2, 1)


def test_labels_and_tags_with_alternatives_are_as_they_are() -> None:
    """evalb cuts labels only at - and =: PRT|ADVP is not PRT, and NN|JJ is not NN."""
    found = scored("(S (PRT|ADVP-1 (NN|JJ a)) (X (N b)))", "(S (PRT (NN a)) (X=2 (N b)))")
    assert (counts(found), found.tags) == ((3, 3, 2), 1)
    assert counts(scored("(S (PRT|ADVP (N a)))", "(S (PRT|ADVP (N a)))")) == (2, 2, 2)


def test_sentences_without_a_word_that_counts_are_in_no_share() -> None:
    """evalb skips them: 1 of 2 sentences is exact, and 1 of 2 without crossing brackets."""
    marks = scored("(X (. ...) (: -))", "(Y (. ...) (: -))")
    crossed = scored("(S (X (N a) (N b)) (N c))", "(S (N a) (X (N b) (N c)))")
    scores = TreebankScores((marks, crossed, scored("(S (N a))", "(S (N a))")))
    assert (scores.exact, scores.crossing, scores.uncrossed) == (0.5, 0.5, 0.5)


def test_the_length_of_a_sentence_counts_its_marks() -> None:
    """CUTOFF_LEN of evalb leaves out empty elements alone."""
    found = scored("(S (N a) (, ,) (-NONE- *) (N b) (. .))", "(S (N a) (, ,) (N b) (. .))")
    assert (found.words, found.length) == (2, 4)
    scores = TreebankScores((found,))
    assert [len(scores.up_to(longest).sentences) for longest in (3, 4)] == [0, 1]


def test_the_tags_of_the_gold_tree_say_what_is_left_out() -> None:
    found = scored("(S (NP (N a)) (: -) (VP (V b)))", "(S (NP (N a) (N -)) (VP (, b)))")
    assert (found.error, found.words, counts(found), found.tags) == ("", 2, (3, 3, 3), 1)


def test_sentences_that_cannot_be_compared() -> None:
    assert scored("(S (N a) (N b))", "(S (N a))").error == "2 words in gold, 1 in the prediction"
    assert scored("(S (N a) (N b))", "(S (N a) (N c))").error == 'word 2: "b" in gold, "c" in the prediction'
    lost = score_tree("s", tree("(S (N a))"), None)
    assert (lost.error, lost.is_exact, lost.words) == ("no prediction", False, 1)
    scores = TreebankScores((lost, scored("(S (N a))", "(S (N a))")))
    assert (len(scores.scored), scores.labelled, scores.coverage) == (1, Measure(1, 1, 1), 0.5)


def test_fragments_are_no_full_tree() -> None:
    assert not scored("(S (NP (N a)) (N b))", "( (NP (N a)) (N b))").full
    assert scored("(S (NP (N a)) (N b))", "(TOP (S (NP (N a)) (N b)))").full


def test_sums_over_sentences_labels_and_lengths() -> None:
    long = "(S " + " ".join("(N a)" for _ in range(11)) + ")"
    scores = TreebankScores(
        (
            scored("(S (NP (N a)) (VP (V b)))", "(S (NP (N a)) (V b))"),
            scored("(S (NP (N a)) (N b))", "(S (NP (N a)) (N b))"),
            scored(long, long),
        )
    )
    assert scores.labelled == Measure(6, 5, 5)
    assert scores.exact == 2 / 3
    assert scores.crossing == 0
    assert scores.uncrossed == 1
    assert scores.tagging == 1
    assert scores.by_label() == {"S": Measure(3, 3, 3), "NP": Measure(2, 2, 2), "VP": Measure(1, 0, 0)}
    lengths = scores.by_length()
    assert {key: each.labelled for key, each in lengths.items()} == {
        (1, 10): Measure(5, 4, 4),
        (11, 20): Measure(1, 1, 1),
    }
    assert scores.up_to(10).labelled == Measure(5, 4, 4)


def test_nothing_to_count() -> None:
    empty = TreebankScores(())
    assert (empty.labelled.f1, empty.exact, empty.coverage, empty.tagging) == (0.0, 0.0, 0.0, 0.0)
    assert intervals(empty) == {}


some_trees = st.recursive(
    st.builds(lambda tag: Tree(tag, form="w"), st.sampled_from("NV")),
    lambda below: st.builds(
        lambda label, each: Tree(label, tuple(each)), st.sampled_from("ABC"), st.lists(below, min_size=1)
    ),
    max_leaves=8,
)


@given(some_trees, some_trees)
def test_laws_of_scores(one: Tree, other: Tree) -> None:
    same = score_tree("s", one, one)
    assert same.is_exact
    assert (same.crossing, same.matched, same.tags) == (0, same.gold, same.words)
    there, back = score_tree("s", one, other), score_tree("s", other, one)
    assert (there.error == "") == (back.error == "")
    if not there.error:
        assert (there.gold, there.predicted, there.matched) == (back.predicted, back.gold, back.matched)
        assert there.matched <= there.unlabelled <= min(there.gold, there.predicted)


# Bootstrap


def test_the_bootstrap_is_seeded_and_holds_the_measure() -> None:
    rows = tuple(SentenceScore(str(i), 5, gold=4, predicted=5, matched=i % 5) for i in range(60))
    scores = TreebankScores(rows)
    found = intervals(scores, seed=3, samples=500)
    assert found == intervals(scores, seed=3, samples=500)
    assert found != intervals(scores, seed=4, samples=500)
    for name, value in (("precision", 0.4), ("recall", 0.5), ("f1", 4 / 9)):
        low, high = found[name]
        assert low < value < high
        assert high - low < 0.2
    certain = TreebankScores((SentenceScore("a", 1, gold=1, predicted=1, matched=1),) * 3)
    assert intervals(certain) == dict.fromkeys(("precision", "recall", "f1", "exact"), (1.0, 1.0))


# Parameter files and pairs of files


def test_an_evalb_parameter_file() -> None:
    lines = [
        "# evalb\n",
        "DEBUG 0\n",
        "CUTOFF_LEN 10\n",
        "LABELED 1\n",
        "DELETE_LABEL TOP\n",
        "EQ_LABEL ADVP PRT\n",
        "\n",
    ]
    read = read_parameters(lines, "p.prm")
    assert (read.deleted, dict(read.equal), read.longest) == (frozenset({"TOP"}), {"PRT": "ADVP"}, 10)
    assert (read.without_length, read.words) == (frozenset(), frozenset())
    with pytest.raises(numbat.DataError) as raised:
        read_parameters(["DELETE_LABEL\n"], "p.prm")
    assert str(raised.value) == (
        "p.prm:1:1: not understood: DELETE_LABEL\n    DELETE_LABEL\n    ^^^^^^^^^^^^\n  an example is DELETE_LABEL TOP"
    )


def test_a_file_of_parameters_says_all_that_is_left_out() -> None:
    """Figures of evalb of 2008 and of disco-dop 0.6 on these trees."""
    gold, predicted = "(ROOT (S (A (N a)) (B (N b)) (. .)))", "(ROOT (S (A (N a)) (C (N b)) (: .)))"
    assert counts(scored(gold, predicted)) == (3, 3, 2)
    assert counts(scored(gold, predicted, read_parameters(["DELETE_LABEL ."], "p.prm"))) == (4, 4, 3)
    words = read_parameters(["DELETE_WORD .", "DELETE_LABEL #", "EQ_WORD a A", "QUOTE_LABEL ''"], "p.prm")
    assert scored("(S (# b) (N a) (. .))", "(S (# b) (N A) (X .))", words).words == 1


def test_equal_labels_are_equal_to_each_others_equals() -> None:
    chosen = read_parameters(["EQ_LABEL A B", "EQ_LABEL C D", "EQ_LABEL D B", "DELETE_LABEL B"], "p.prm")
    assert chosen.equal == {"B": "C", "D": "C", "A": "C"}
    assert [chosen.label(each) for each in ("A-SBJ", "D=2", "E", "B")] == ["C", "C", "E", None]


def test_files_of_different_length() -> None:
    one = ("a", tree("(S (N a))"))
    assert list(tree_pairs(iter([one, None]), iter([None, one]))) == [("a", one[1], None)]
    with pytest.raises(numbat.DataError) as raised:
        list(tree_pairs(iter([one, one]), iter([one])))
    assert str(raised.value) == (
        "the prediction ends after 1 tree, but the other file continues\n  trees are compared in their order"
    )


# The commands


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_score_prints_what_a_person_reads() -> None:
    Path("gold.mrg").write_text("(S (NP (N a)) (VP (V b)))\n(S (NP (N a)) (N b))\n", encoding="utf-8")
    Path("out.mrg").write_text("(S (NP (N a)) (V b))\n(NP (N a)) (N b)\n", encoding="utf-8")
    done = run("score", "gold.mrg", "out.mrg", "--resamples", "10")
    assert done.exit_code == 0
    assert done.stdout.split("\n\n")[0] == "2 sentences, 2 compared, 0 not"
    assert "labelled                  100.00         60.00        75.00\n" in done.stdout
    assert "exact match 0.00 (95 % interval 0.00-0.00)\ncoverage 50.00; tagging accuracy 100.00\n" in done.stdout
    found = json.loads(run("score", "gold.mrg", "out.mrg", "-f", "json", "--resamples", "10").stdout)
    assert found["labelled"] == {
        "gold": 5, "predicted": 3, "matched": 3, "precision": 1.0, "recall": 0.6, "f1": 0.75,
    }  # fmt: skip
    assert found["coverage"] == 0.5
    assert found["labels"]["VP"]["f1"] == 0.0
    assert found["lengths"]["1-10"]["sentences"] == 2


def test_a_bad_tree_is_no_prediction_and_the_others_count() -> None:
    Path("gold.mrg").write_text("(S (N a))\n(S (N b))\n", encoding="utf-8")
    Path("out.mrg").write_text("(S (N a)\n(S (N b))\n", encoding="utf-8")
    done = run("score", "gold.mrg", "out.mrg")
    assert done.exit_code == 75
    assert done.stderr.startswith("out.mrg:1:1: sentence 1: a tree that is not closed\n")
    assert done.stdout.startswith("2 sentences, 1 compared, 1 not\n")
    assert done.stdout.endswith("gold.mrg:1: not compared: no prediction\n")


def test_a_line_that_is_not_utf8_is_no_prediction() -> None:
    Path("gold.mrg").write_text("(S (N a) (N b))\n(S (N b))\n", encoding="utf-8")
    Path("out.mrg").write_bytes(b"(N \xe9) (N b)\n(S (N b))\n")
    done = run("score", "gold.mrg", "out.mrg")
    assert done.exit_code == 75
    assert done.stdout.startswith("2 sentences, 1 compared, 1 not\n")


def test_only_trees_of_one_line_are_fragments_of_one_sentence() -> None:
    """Trees of the same name are not, because several may have the same name."""
    row = "# sent_id = x\n1\ta\t_\tN\t_\t_\t0\troot\t_\t_\n\n"
    Path("gold.conllu").write_text(row * 2, encoding="utf-8")
    assert run("score", "gold.conllu", "gold.conllu").stdout.startswith("2 sentences, 2 compared, 0 not\n")


def test_files_without_trees_are_an_error() -> None:
    Path("gold.mrg").write_text("", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        score_files("gold.mrg", "gold.mrg", "auto", DEFAULT_PARAMETERS, TreeReader(print))
    assert str(caught.value) == "gold.mrg: no tree\n  give a file with a tree for each tree of gold.mrg"


def test_options_of_score() -> None:
    Path("gold.mrg").write_text("(S (ADJP (N a)) (SYM *))\n", encoding="utf-8")
    Path("out.mrg").write_text("(S (AP (N a)))\n", encoding="utf-8")
    with pytest.raises(DataError, match="2 words in gold, 1 in the prediction"):
        score_files("gold.mrg", "out.mrg", "auto", DEFAULT_PARAMETERS, TreeReader(print))
    done = run(
        "score", "gold.mrg", "out.mrg", "--delete", "SYM", "--equal", "ADJP=AP", "-f", "json", "--resamples", "2"
    )
    assert json.loads(done.stdout)["labelled"]["f1"] == 1.0


def test_a_run_is_scored_against_its_trees() -> None:
    bank = str(ROOT / "corpora" / "trees.mrg")
    made = run("induce", bank, "-o", "t.pg", "--support", "1", "--min-count", "1")
    assert made.exit_code == 0, made.output
    done = run("parse", "-g", "t.pg", "--from", "ptb", "-i", bank, "-f", "bracket", "--gold", "--max-length", "7")
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 11
    assert done.stderr.startswith("11 sentences, 11 compared, 0 not\n")
    assert "coverage 100.00; tagging accuracy 100.00" in done.stderr
    Path("out.mrg").write_text(done.stdout, encoding="utf-8")


def test_a_run_counts_what_score_counts_of_the_written_trees() -> None:
    """Gold brackets over a bracket of the same label count, even if their only other daughter is an empty element."""
    Path("bank.mrg").write_text(
        "(TOP (S (NP-SBJ (NP (NN tea))) (VP (VP (VBZ cools))) (. .)))\n"
        "(TOP (S (NP (NP (PRP it)) (SBAR (-NONE- *ICH*))) (VP (VBZ cools) (NP (NN tea)))))\n"
        "(TOP (S (NP (NP-TMP (NP (NN tea)))) (, ,) (VP (VBD cooled) (PRT (RP down))) (. .)))\n",
        encoding="utf-8",
    )
    small = ("--support", "1", "--min-count", "1", "--punctuation")
    assert run("induce", "bank.mrg", "-o", "t.pg", *small).exit_code == 0
    assert run("expansions", "bank.mrg", "-o", "t.exp", "--punctuation").exit_code == 0
    for chosen in ([], ["--expansions", "t.exp"]):
        done = run("parse", "-g", "t.pg", *chosen, "--from", "ptb", "-i", "bank.mrg", "-f", "bracket", "--gold")
        assert done.exit_code == 0, done.output
        Path("out.mrg").write_text(done.stdout, encoding="utf-8")
        written = run("score", "bank.mrg", "out.mrg")
        assert done.stderr == written.stdout
        assert "\n1-10   3          100.00     68.75 " in written.stdout  # 11 brackets of 16
    assert "(NP (NP (NN tea)))" in run("trees", "bank.mrg", "--bare").stdout


def test_gold_needs_trees() -> None:
    done = run("parse", "--gold", "the cat sleeps")
    assert str(done.exception) == "--gold needs a treebank\n  add --from auto"


def test_a_partial_parse_is_a_tree_without_label() -> None:
    parser = numbat.Parser(numbat.load_grammar(STARTER))
    assert format_brackets(tree_of(parser.parse("of and"))) == "( (P of) (Conj and))"
    whole = parser.parse("the old cat sleeps")
    assert format_brackets(tree_of(whole)) == whole.to_brackets()
