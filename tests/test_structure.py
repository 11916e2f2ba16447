"""Structure learned from tags: EM under a bias, contrastive estimation, the grid and its verb."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from itertools import product
from math import exp
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.stats import binomtest

from numbat.errors import DataError, UnwritableError, UsageError
from numbat.structure.contrastive import (
    NEIGHBOURHOODS,
    Neighbourhood,
    as_probabilities,
    contrastive,
    neighbours,
    sums_of_lengths,
    task_of,
)
from numbat.structure.estimation import (
    INITIALISERS,
    Schedule,
    TagSentences,
    counted_sentences,
    em,
    expectation,
    initial_weights,
    maximized,
    prior,
    steps,
)
from numbat.structure.grid import Condition, GridJob, Judge, TreeJudges, attachments_of, learned
from numbat.structure.inference import best_trees, sums
from numbat.structure.model import Bias, EventWeights, batches_of, no_counts, read_model
from numbat.structure.state_files import GridState
from numbat.treebanks.scores import AttachmentChanges, Attachments, changes, score_heads
from tests.command_line import Done, Numbat
from tests.fuzz.mutating import mutated_json

SENTENCES = ["D N V", "N V", "D A N V", "N V D N", "D N V D A N", "V", "N V P D N", "D N P N V"] * 2
BIASES = (Bias(), Bias(locality=-0.6), Bias(locality=0.4), Bias(breaks=0.5), Bias(breaks=-1.0))


def corpus(texts: Sequence[str] = SENTENCES) -> TagSentences:
    return counted_sentences([text.split() for text in texts])


def random_weights(tags: int, seed: int, spread: float = 1.0) -> EventWeights:
    random = np.random.default_rng(seed)
    return EventWeights(*(np.exp(random.normal(0, spread, each.shape)) for each in no_counts(tags)))


def test_equal_sentences_are_kept_once() -> None:
    found = corpus()
    assert found.tags == ("A", "D", "N", "P", "V")
    assert found.count == 16
    assert sorted(share for _, share in found.sequences) == [2.0] * 8


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("smoothing", [0.0, 0.3, 5.0])
def test_the_objective_never_falls(bias: Bias, smoothing: float) -> None:
    sentences = corpus()
    weights = maximized(random_weights(5, 3), 0.1)
    before = -np.inf
    for _ in range(15):
        likelihood, counts = expectation(sentences, weights, bias)
        # The bias is in the weights of trees, so EM increases their sum.
        objective = likelihood + prior(weights, smoothing)
        assert objective >= before - 1e-9
        before, weights = objective, maximized(counts, smoothing)


def test_without_a_bias_it_is_em_to_the_bit() -> None:
    sentences = corpus()
    start = initial_weights(sentences, "trees", 1.0)
    plain = em(sentences, start, 1.0, Bias())
    for bias in (Bias(locality=0.0), Bias(locality=-0.0), Bias(breaks=-np.inf)):
        same = em(sentences, start, 1.0, bias)
        assert same.objective == plain.objective
        assert all((mine == its).all() for mine, its in zip(same.weights, plain.weights, strict=True))


def test_initial_counts_are_those_of_all_words() -> None:
    sentences = corpus()
    for initialiser in INITIALISERS:
        weights = initial_weights(sentences, initialiser, 0.0)
        for each in (weights.stop, weights.go, weights.child, weights.root):
            assert ((each >= 0) & (each <= 1)).all()
        assert weights.child.sum(axis=2) == pytest.approx(np.ones((5, 2)))
        assert weights.root.sum() == pytest.approx(1.0)


def test_the_tree_initialiser_counts_near_links_more() -> None:
    # Trees of two words: either is the root; of three, with links over one word and over two.
    near = initial_weights(corpus(["A B"]), "trees", 0.0)
    assert near.root == pytest.approx([0.5, 0.5])
    three = corpus(["A B C"])
    weights = initial_weights(three, "trees", 0.0)
    # Seven projective trees with one root: 2 * 2, or 2 * 1.5 where a link is over two words.
    trees = {(0, 1, 2): 4, (0, 1, 1): 3, (0, 3, 1): 3, (2, 0, 2): 4, (2, 3, 0): 4, (3, 1, 0): 3, (3, 3, 0): 3}
    total = sum(trees.values())
    expected = [sum(weight for heads, weight in trees.items() if heads[word] == 0) / total for word in range(3)]
    assert weights.root == pytest.approx(expected)


@pytest.mark.parametrize("neighbourhood", NEIGHBOURHOODS)
@pytest.mark.parametrize("bias", [Bias(), Bias(locality=-0.3), Bias(breaks=0.2)])
def test_contrastive_slopes_equal_finite_differences(neighbourhood: Neighbourhood, bias: Bias) -> None:
    task = task_of(corpus(["D N V", "N V", "D N V D N", "V", "N V"]), neighbourhood)
    weights = random_weights(3, 4, 0.5)
    _, slope = task.objective(weights, bias)
    step = 1e-5
    random = np.random.default_rng(5)
    for place, (each, found) in enumerate(zip(weights, slope, strict=True)):
        for index in random.choice(each.size, min(6, each.size), replace=False):
            values = []
            for sign in (1, -1):
                moved = [array.copy() for array in weights]
                moved[place].reshape(-1)[index] *= exp(sign * step)
                values.append(task.objective(EventWeights(*moved), bias)[0])
            assert found.reshape(-1)[index] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("bias", BIASES)
def test_sums_of_a_length_are_over_all_sentences(bias: Bias) -> None:
    weights = random_weights(3, 6)
    for length in (1, 2, 3, 4):
        [batch] = batches_of(list(product(range(3), repeat=length)))
        every = float(np.logaddexp.reduce(sums(batch, weights, bias)))
        assert sums_of_lengths({length: 2.0}, weights, bias, no_counts(3)) == pytest.approx(2 * every)


def test_contrastive_estimation_reaches_a_top() -> None:
    sentences = corpus()
    start = initial_weights(sentences, "uniform", 0.1)
    task = task_of(sentences, "transpose")
    before = task.objective(start, Bias())[0]
    estimate = contrastive(sentences, start, "transpose", 10.0, Bias())
    assert estimate.objective > before
    assert estimate.iterations > 1


@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
def test_probabilities_share_trees_out_as_weights_do(spread: float) -> None:
    weights = random_weights(4, 7, spread)
    made = as_probabilities(weights)
    assert made.child.sum(axis=2) == pytest.approx(np.ones((4, 2)))
    assert made.stop + made.go == pytest.approx(np.ones((4, 2, 2)))
    [batch] = batches_of(np.random.default_rng(8).integers(0, 4, (6, 5)).tolist())
    shares = []
    for each in (weights, made):
        counts = no_counts(4)
        sums(batch, each, Bias(), counts)
        shares.append(counts)
    for mine, its in zip(*shares, strict=True):
        assert mine == pytest.approx(its, rel=1e-6, abs=1e-9)
    assert (best_trees(batch, weights)[1] == best_trees(batch, made)[1]).all()


def test_neighbours_are_different_sentences() -> None:
    assert neighbours((1, 2, 2), "delete") == [(1, 2, 2), (2, 2), (1, 2)]
    assert neighbours((1, 2, 2), "transpose") == [(1, 2, 2), (2, 1, 2)]
    assert neighbours((1, 2, 2), "delete-or-transpose") == [(1, 2, 2), (2, 2), (1, 2), (2, 1, 2)]
    assert neighbours((1,), "delete-or-transpose") == [(1,)]


def test_steps_include_both_ends() -> None:
    assert steps(-0.2, 0.1, 0.1) == (-0.2, -0.1, 0.0, 0.1)
    assert steps(0.5, -0.5, -0.5) == (0.5, 0.0, -0.5)
    with pytest.raises(UsageError) as error:
        steps(0, 1, -0.1)
    assert (
        str(error.value)
        == "up to 1,000 steps of -0.1 from 0 do not reach 1 exactly\n  write START:STOP:STEP, such as -1:3:0.1"
    )


def test_links_are_compared_without_the_root() -> None:
    found = score_heads((2, 0, 2), (0, 1, 2))
    assert found == Attachments(found=2, known=2, right=1, either_way=2)
    assert (found.f1, found.undirected) == (0.5, 1.0)
    assert score_heads((0, 0), (0, 1)) == Attachments(1, 0, 0, 0)
    assert Attachments().f1 == 0.0


def test_links_of_many_sentences_are_counted_as_those_of_each() -> None:
    random = np.random.default_rng(9)
    for words in (1, 2, 5, 9):
        weights = random_weights(3, words)
        [batch] = batches_of(random.integers(0, 3, (20, words)).tolist())
        known, found = (best_trees(batch, each)[1] for each in (weights, random_weights(3, 50 + words)))
        every = [score_heads(one, other) for one, other in zip(known.tolist(), found.tolist(), strict=True)]
        assert attachments_of(known, found) == sum(every, Attachments())


def test_the_sign_test_is_the_exact_one() -> None:
    counted = changes([(2, 0, 2, 2)], [(2, 0, 1, 1)], [(3, 0, 2, 2)])
    assert counted == AttachmentChanges(corrected=2, newly_wrong=1)
    for corrected, newly_wrong in ((0, 0), (5, 1), (40, 31), (7, 7)):
        total = corrected + newly_wrong
        expected = binomtest(corrected, total).pvalue if total else 1.0
        assert AttachmentChanges(corrected, newly_wrong).p_value == pytest.approx(expected)


# -- The grid ------------------------------------------------------------------------------------------------

CONDITIONS = [
    Condition(start, Schedule("locality", (-0.5, 0.0, 0.5)), smoothing)
    for start, smoothing in product(INITIALISERS[::2], (0.1, 3.0))
]


def job() -> GridJob:
    sentences = corpus()
    number = {tag: place for place, tag in enumerate(sentences.tags)}
    judged = [[number[tag] for tag in text.split()] for text in SENTENCES[:4]]
    return GridJob(sentences, TreeJudges(Judge(judged, [(2, 3, 0), (2, 0), (3, 3, 4, 0), (2, 0, 4, 2)])))


def test_a_grid_keeps_the_best_model_of_each_judgement() -> None:
    for condition in CONDITIONS:
        tried = job()(condition)
        assert [each.value for each in tried.candidates] == [-0.5, 0.0, 0.5]
        likely, right = tried.best
        assert likely[0] == max(range(3), key=lambda place: tried.candidates[place].judged[0].likelihood)
        scores = [each.judged[0].attachments.f1 for each in tried.candidates if each.judged[0].attachments]
        assert scores[right[0]] == max(scores)
        on_the_way = [weights for _, weights, _ in learned(corpus(), condition)]
        assert (on_the_way[right[0]].child == right[1].child).all()


def test_a_grid_goes_on_where_it_was(tmp_path: Path) -> None:
    path = str(tmp_path / "grid.state")
    about: dict[str, object] = {"sentences": "these"}
    first = GridState(path, about, 5)
    whole = [job()(condition) for condition in CONDITIONS]
    first.add(whole[0])
    first.add(whole[1])
    with open(path, "a") as file:
        file.write('{"condition": "cut off')
    again = GridState(path, about, 5, resume=True)
    assert again.found(CONDITIONS[2]) is None
    for condition, tried in zip(CONDITIONS[:2], whole, strict=False):
        found = again.found(condition)
        assert found is not None
        assert found.candidates == tried.candidates
        for mine, its in zip(found.best, tried.best, strict=True):
            assert mine[0] == its[0]
            assert all((one == other).all() for one, other in zip(mine[1], its[1], strict=True))
    with pytest.raises(DataError) as error:
        GridState(path, {"sentences": "others"}, 5, resume=True)
    assert str(error.value).endswith(
        "the state of another run: sentences differs\n  repeat its settings, or leave --resume out to start again"
    )


@pytest.mark.parametrize("text", ["", "no JSON\n", "[1]\n", '{"version": 1}\n{}\n'])
def test_a_file_that_is_no_state(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.state"
    path.write_text(text)
    with pytest.raises(DataError):
        GridState(str(path), {}, 2, resume=True)


def test_a_state_with_a_number_that_is_no_probability(tmp_path: Path) -> None:
    path = tmp_path / "x.state"
    state = GridState(str(path), {}, 5)
    state.add(job()(CONDITIONS[0]))
    head, line = path.read_text().splitlines()
    read = json.loads(line)
    read["best"][0]["weights"]["root"] = "AAAAAAAA8H8=" * 5
    path.write_text(f"{head}\n{json.dumps(read)}\n")
    with pytest.raises(DataError, match="not a state of learning"):
        GridState(str(path), {}, 5, resume=True).found(CONDITIONS[0])


def found_in(path: Path) -> str:
    """Return the condition in a state, or the message with which it is refused."""
    try:
        return str(GridState(str(path), {}, 5, resume=True).found(CONDITIONS[0]) is not None)
    except DataError as error:
        return str(error)


def test_whatever_a_line_of_a_state_holds_is_read_or_told(tmp_path: Path) -> None:
    path = tmp_path / "x.state"
    GridState(str(path), {}, 5).add(job()(CONDITIONS[0]))
    head, line = path.read_text().splitlines()
    said = set()
    for seed in range(300):
        path.write_text(f"{head}\n{json.dumps(mutated_json(Random(seed), json.loads(line)))}\n")
        said.add(found_in(path))
    begin, end = f"{path}: not a state of learning: ", "\n  leave --resume out to start again"
    assert {each for each in said if not (each.startswith(begin) and each.endswith(end))} == {"True"}
    where = f", in the line of {CONDITIONS[0].id}"
    assert {f"{begin}its line.candidates is not a list{where}{end}", f"{begin}line 2 names no condition{end}"} <= said
    read = json.loads(line)
    read["candidates"][0]["iterations"] = -1
    path.write_text(f"{head}\n{json.dumps(read)}\n")
    assert found_in(path) == f"{begin}a number of iterations or links is negative{where}{end}"


def test_a_pipe_is_no_state(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.state")
    for resume in (True, False):
        with pytest.raises(UnwritableError) as error:
            GridState(str(tmp_path / "x.state"), {}, 5, resume=resume)
        assert str(error.value) == f"{tmp_path}/x.state: cannot be written: a state is a regular file\n  name a file"


# -- The verb ------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs `numbat learn structure` in a folder with a file of tagged sentences and one of trees."""
    monkeypatch.chdir(tmp_path)
    rows = [" ".join(f"w{place}/{tag}" for place, tag in enumerate(text.split())) for text in SENTENCES]
    Path("tags.txt").write_text("\n".join(rows) + "\n")
    trees = [("D N V", (2, 3, 0)), ("N V", (2, 0)), ("N V D N", (2, 0, 4, 2))]
    Path("gold.conllu").write_text(
        "".join(
            "".join(
                f"{number}\tw\t_\t{tag}\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n"
                for number, (tag, head) in enumerate(zip(text.split(), heads, strict=True), start=1)
            )
            + "\n"
            for text, heads in trees
        )
    )

    numbat = Numbat(capsys, monkeypatch)
    return lambda *args: numbat("learn", "structure", *args)


QUICK = ("--anneal=-0.4:0.4:0.4", "--smoothing", "0.1,1", "--initialisers", "trees,uniform", "-j", "1")


def test_a_model_is_learned_and_says_how(run: Callable[..., Done]) -> None:
    result = run("tags.txt", "-o", "x.structure", *QUICK, "--candidates", "x.tsv")
    assert result.code == 0, result.err
    lines = result.err.splitlines()
    assert lines[:2] == ["16 sentences of up to 10 words, 5 tags", "12 models learned"]
    assert lines[2].startswith("by the likelihood of 1 held-out sentence: locality -0.4:0.4:0.4, lambda ")
    assert lines[3:] == [
        "chosen by likelihood alone, which is not a reliable judge of structure: look at the trees before",
        "  you use them, or annotate some 100 sentences and add --select FILE",
    ]
    model = read_model("x.structure")
    assert model.tags == ("A", "D", "N", "P", "V")
    assert model.column == "tags"
    table = [line.split("\t") for line in Path("x.tsv").read_text().splitlines()]
    assert len(table) == 13
    assert {len(row) for row in table} == {12}
    assert not Path("x.structure.state").exists()


def test_the_same_model_whatever_the_number_of_processes(run: Callable[..., Done]) -> None:
    for number, jobs in enumerate(("1", "2")):
        assert run("tags.txt", "-o", f"{number}.structure", *QUICK[:-2], "-j", jobs).code == 0
    assert Path("0.structure").read_bytes() == Path("1.structure").read_bytes()


def test_what_was_tried_is_not_tried_again(
    run: Callable[..., Done], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("tags.txt", "-o", "whole.structure", *QUICK).code == 0
    tried: list[str] = []
    call = GridJob.__call__

    def interrupted(self: GridJob, condition: Condition) -> object:
        tried.append(condition.id)
        if len(tried) == 3:
            raise KeyboardInterrupt
        return call(self, condition)

    monkeypatch.setattr(GridJob, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("tags.txt", "-o", "x.structure", *QUICK)
    told = "numbat: results so far are in x.structure.state\n  the same command with --resume continues\n"
    assert told in capsys.readouterr().err
    assert run("tags.txt", "-o", "x.structure", *QUICK, "--resume").code == 0
    assert tried[3:] == [tried[2], tried[-1]]
    assert len(tried) == 5
    assert Path("x.structure").read_bytes() == Path("whole.structure").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--anneal", "0:1:-1"],
            "numbat: up to 1,000 steps of -1 from 0 do not reach 1 exactly\n"
            "  write START:STOP:STEP, such as -1:3:0.1\n",
        ),
        (["--anneal", "0:1"], 'numbat: "0:1" is not a schedule\n  write START:STOP:STEP, such as -1:3:0.1\n'),
        (["--bias", "none", "--fixed", "1"], "numbat: --bias none takes no values\n  leave out --anneal and --fixed\n"),
        (["--initialisers", "x"], 'numbat: no initialiser is called "x"\n  choose from trees, distances, uniform\n'),
        (
            ["--variance", "1"],
            "numbat: --variance needs contrastive estimation\n  add --neighbourhood, or leave --variance out\n",
        ),
        (
            ["--neighbourhood", "delete", "--bias", "none", "--smoothing", "1"],
            "numbat: --smoothing is only for EM\n  with --neighbourhood use --variance\n",
        ),
        (
            ["--neighbourhood", "delete"],
            "numbat: contrastive estimation needs a fixed bias\n  add --fixed -0.2, or --bias none\n",
        ),
        (
            ["--neighbourhood", "length", "--bias", "none", "--max-length", "20"],
            "numbat: --neighbourhood length allows up to 14 words\n  lower --max-length\n",
        ),
    ],
)
def test_settings_that_do_not_fit(options: list[str], message: str, run: Callable[..., Done]) -> None:
    result = run("tags.txt", "-o", "x.structure", *options)
    assert result.code == 2
    assert result.err == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "bad.txt: no sentence\n"),
        ("a/X b/X\nc/X\n", 'bad.txt: every word has the tag "X"\n'),
        (
            "a/X b/Y " * 8 + "\n",
            "bad.txt: no sentence to learn from: all 1 are longer than 10 words\n"
            "  raise --max-length, or give shorter ones\n",
        ),
        (
            "./. ,/,\n",
            "bad.txt: no sentence to learn from: none has words\n  punctuation does not count as words\n",
        ),
    ],
)
def test_sentences_from_which_nothing_can_be_learned(text: str, message: str, run: Callable[..., Done]) -> None:
    Path("bad.txt").write_text(text)
    result = run("bad.txt", "-o", "x.structure")
    assert result.code == 65
    assert message in result.err
    assert not Path("x.structure").exists()


def test_trees_of_the_same_tags_choose_whatever_their_format(run: Callable[..., Done]) -> None:
    for tags in ("tags.txt", "gold.conllu"):
        result = run(tags, "-o", "x.structure", "--select", "gold.conllu", *QUICK)
        assert result.code == 0, result.err
        assert "by the trees of 3 sentences: " in result.err
        assert ", F " in result.err
    in_xpos = (
        Path("gold.conllu").read_text().replace("\t_\tD\t_\t", "\t_\tDET\tD\t").replace("\t_\tN\t_\t", "\t_\tX\tN\t")
    )
    Path("xpos.conllu").write_text(in_xpos.replace("\t_\tV\t_\t", "\t_\tX\tV\t"))
    assert run("tags.txt", "-o", "y.structure", "--select", "xpos.conllu", *QUICK).code == 0
    assert Path("y.structure").read_bytes() != b""


def test_trees_with_other_tags_choose_nothing(run: Callable[..., Done]) -> None:
    Path("others.conllu").write_text(
        Path("gold.conllu").read_text().replace("\t_\tN\t", "\t_\tNOUN\t").replace("\tV\t", "\tVB\t")
    )
    result = run("tags.txt", "-o", "x.structure", "--select", "others.conllu")
    assert result.code == 65
    assert result.err.endswith(
        "others.conllu: its tags (NOUN, VB) are not those of the sentences (A, D, N, P, V)\n"
        "  give trees with the same tags\n"
    )
    result = run("gold.conllu", "-o", "x.structure", "--select", "tags.txt")
    assert result.code == 65
    assert result.err.endswith(
        "tags.txt: no tree of up to 10 words\n  give sentences with heads: CoNLL-U with HEAD, or brackets\n"
    )


def test_contrastive_estimation_by_the_verb(run: Callable[..., Done]) -> None:
    options = (
        "--bias",
        "none",
        "--neighbourhood",
        "delete-or-transpose",
        "--variance",
        "1",
        "--initialisers",
        "uniform",
    )
    result = run("tags.txt", "-o", "x.structure", *options)
    assert result.code == 0, result.err
    assert (
        "by the likelihood of 1 held-out sentence: none, delete-or-transpose, variance 1, from uniform; " in result.err
    )


def test_too_few_sentences_to_hold_some_out(run: Callable[..., Done]) -> None:
    Path("few.txt").write_text("a/D b/N c/V\n" * 9)
    result = run("few.txt", "-o", "x.structure")
    assert result.code == 65
    assert result.err == (
        "9 sentences of up to 10 words, 3 tags\n"
        "numbat: 9 sentences are too few to hold some of them out\n"
        "  give 10 or more, or annotate some and add --select FILE\n"
    )


def test_schedules_that_differ_in_their_steps_are_both_tried(run: Callable[..., Done]) -> None:
    schedules = ("--anneal=-1:1:0.5", "--anneal=-1:1:1")
    options = ("--smoothing", "1", "--initialisers", "uniform", "-q", "--candidates", "x.tsv")
    assert run("tags.txt", "-o", "x.structure", *schedules, *options).code == 0
    values = [line.split("\t")[3] for line in Path("x.tsv").read_text().splitlines()[1:]]
    assert values == ["-1.0", "-0.5", "0.0", "0.5", "1.0", "-1.0", "0.0", "1.0"]


def test_a_state_of_another_schedule_is_not_taken(tmp_path: Path) -> None:
    path = str(tmp_path / "x.state")
    tried = job()(CONDITIONS[0])
    GridState(path, {"sentences": "s"}, 5).add(tried._replace(candidates=tried.candidates[:2]))
    with pytest.raises(DataError, match="a condition has other values of its bias"):
        GridState(path, {"sentences": "s"}, 5, resume=True).found(CONDITIONS[0])


def test_a_file_of_something_else_is_no_state(run: Callable[..., Done]) -> None:
    Path("notes.md").write_text("# Notes\n")
    result = run("tags.txt", "-o", "x.structure", "--state", "notes.md", *QUICK)
    assert result.code == 65
    assert result.err.endswith(
        "numbat: notes.md: not a state of learning structure\n  name another file with --state\n"
    )
    assert Path("notes.md").read_text() == "# Notes\n"


def test_weights_out_of_range_are_told(run: Callable[..., Done]) -> None:
    options = (
        "--neighbourhood",
        "length",
        "--fixed=20",
        "--variance",
        "1",
        "--initialisers",
        "uniform",
        "-j",
        "1",
        "-q",
    )
    long = " ".join(f"w/{tag}" for tag in "DNVDNDNVDN")
    Path("long.txt").write_text(f"{long}\n" * 12)
    result = run("long.txt", "-o", "x.structure", *options)
    assert result.code == 65
    assert "contrastive estimation overflows with a bias of 20 and a variance of 1" in result.err
    assert "RuntimeWarning" not in result.err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--fixed=21", "use numbers from -20 to 20"),
        ("--smoothing=0", "use numbers from 0.000001 to 20"),
        ("--smoothing=,", '"," is not a list of numbers such as 0.1,1,10'),
        ("--anneal=0:1e300:1e299", "the bias may not go from 0 to 1e+300\n  use values from -20 to 20"),
        (
            "--anneal=-1:3:0.7",
            "up to 1,000 steps of 0.7 from -1 do not reach 3 exactly\n  write START:STOP:STEP, such as -1:3:0.1",
        ),
    ],
)
def test_numbers_that_are_not_meant(option: str, message: str, run: Callable[..., Done]) -> None:
    result = run("tags.txt", "-o", "x.structure", option)
    assert result.code == 2
    assert message in result.err
