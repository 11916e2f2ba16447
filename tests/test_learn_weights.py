"""Learning weights of trees: the learners against a quadratic program, the same bits again, files, messages."""

from __future__ import annotations

import builtins
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from numbat.errors import DataError, UsageError
from numbat.learning.settings import TrainingSettings, WeightSettings
from numbat.learning.state_files import StateFile
from numbat.learning.tree_learners import AdaGrad, Certificate, FrankWolfe, Rival, TreeLearner, TreePerceptron
from numbat.learning.tree_training import TrainingProgress, TreeExamples, svmlight_lines, train
from numbat.learning.verbs import Forests, forests_of, start_of
from numbat.parsing.tree_model.scoring import no_weights
from numbat.parsing.treebank_parser import TreebankParser
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.trees import Tree
from tests import command_line
from tests.command_line import Numbat
from tests.meals import meals, meals_expansions, meals_grammar, write_meals

np = pytest.importorskip("numpy")

SETTINGS = WeightSettings(bits=12, folds=2, features="expansions,properties,words", penalty=0.1)
TRAINING = TrainingSettings(penalty=0.1, passes=6)


# Learners, on examples whose structures are listed


@dataclass(frozen=True)
class Listed:
    """Examples with a list of structures each: differences of features, and margins; the right one is the first."""

    differences: list[Any]
    margins: list[Any]

    def __len__(self) -> int:
        return len(self.differences)

    def rivals(self, weights: Any, which: Sequence[int]) -> list[Rival]:
        return [self._rival(each, weights) for each in which]

    def _rival(self, number: int, weights: Any) -> Rival:
        scores = self.margins[number] - self.differences[number] @ weights
        best = int(np.argmax(scores))
        ids = np.flatnonzero(self.differences[number][best]).astype(np.int32)
        margin = float(self.margins[number][best])
        return Rival(ids, self.differences[number][best][ids].astype(np.float32), margin, margin)

    def primal(self, weights: Any, r: float) -> float:
        """The objective, from all structures."""
        hinges = [max(m - d @ weights) for d, m in zip(self.differences, self.margins, strict=True)]
        return float(r / 2 * weights @ weights + sum(hinges) / len(self))


def listed(seed: int, examples: int = 10, features: int = 6) -> Listed:
    rng = np.random.default_rng(seed)
    differences, margins = [], []
    for _ in range(examples):
        number = int(rng.integers(2, 6))
        each = rng.integers(-2, 3, (number, features)).astype(float)
        each[0] = 0.0
        differences.append(each)
        margins.append(np.concatenate(([0.0], rng.integers(1, 4, number - 1).astype(float))))
    return Listed(differences, margins)


def learned(examples: Listed, learner: TreeLearner, passes: int) -> list[Certificate]:
    """The certificates of Frank-Wolfe after each pass."""
    found = []
    for _ in range(passes):
        for number in range(len(examples)):
            (rival,) = examples.rivals(learner.weights, [number])
            learner.learn(number, rival)
        if isinstance(learner, FrankWolfe):
            learner.revisit(range(len(examples)))
            found.append(learner.certificate(examples, [range(len(examples))]))
    return found


@pytest.mark.parametrize("is_signed", [False, True])
def test_frank_wolfe_finds_the_optimum_of_the_quadratic_program(is_signed: bool) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    examples, r = listed(1), 0.1
    features, n = examples.differences[0].shape[1], len(examples)
    signs = np.array([1, -1, 0, 1, -1, 0], np.int8) if is_signed else None
    learner = FrankWolfe(n, features, r, signs)
    last = learned(examples, learner, 250)[-1]
    rows = [
        np.concatenate((d, np.eye(n)[i])) for i, each in enumerate(examples.differences) for d in each
    ]  # d w + xi_i >= m
    limits = np.concatenate(examples.margins)
    bounds = [(0 if s > 0 else None, 0 if s < 0 else None) for s in (signs if is_signed else [0] * features)]  # type: ignore[union-attr]
    solved = optimize.minimize(
        lambda x: r / 2 * x[:features] @ x[:features] + x[features:].mean(),
        np.concatenate((np.zeros(features), np.full(n, 5.0))),
        jac=lambda x: np.concatenate((r * x[:features], np.full(n, 1 / n))),
        bounds=bounds + [(None, None)] * n,
        constraints={"type": "ineq", "fun": lambda x: np.array(rows) @ x - limits, "jac": lambda x: np.array(rows)},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert solved.success
    assert last.dual == pytest.approx(solved.fun, rel=2e-3)
    assert last.dual <= solved.fun + 1e-9
    assert examples.primal(learner.weights.astype(float), r) == pytest.approx(solved.fun, rel=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_never_negative_and_the_dual_never_falls(seed: int) -> None:
    examples = listed(seed, 12, 8)
    signs = np.array([1, -1, 0, 0, 1, -1, 0, 0], np.int8) if seed % 2 else None
    learner = FrankWolfe(12, 8, 0.1, signs)
    found = learned(examples, learner, 150)
    duals = [each.dual for each in found]
    assert min(each.primal - each.dual for each in found) >= -1e-9
    assert all(after >= before - 1e-12 for before, after in pairwise(duals))
    assert found[-1].gap < 0.01
    assert found[-1].primal == pytest.approx(examples.primal(learner.weights.astype(float), 0.1), rel=1e-5)
    if signs is not None:
        assert (learner.weights * signs >= 0).all()
        assert (learner.averaged() * signs >= 0).all()


@pytest.mark.parametrize("kind", [TreePerceptron, AdaGrad])
def test_online_learners_separate_what_can_be_separated(kind: type[TreePerceptron]) -> None:
    examples, truth = listed(3, 20, 6), np.array([2.0, -1.0, 0.5, 1.5, -2.0, 1.0])
    ahead = [[d * np.sign(d @ truth) if d @ truth else np.zeros(6) for d in each] for each in examples.differences]
    margins = [np.where(np.array(each).any(axis=1), 0.5, 0.0) for each in ahead]
    examples = Listed([np.array(each) for each in ahead], margins)
    for signs in (None, np.sign(truth).astype(np.int8)):
        learner = kind(6, 0.2, signs)
        learned(examples, learner, 60)
        assert all(rival.loss == 0 for rival in examples.rivals(learner.weights, range(20)))
        assert signs is None or (learner.weights * signs >= 0).all()


# Trees


@pytest.fixture(scope="module")
def forests() -> Forests:
    grammar = meals_grammar()
    return forests_of(meals(), grammar, SETTINGS, start_of(grammar, meals_expansions(), SETTINGS))


def examples_of(forests: Forests, jobs: int = 1) -> TreeExamples:
    return TreeExamples(forests.examples, forests.keys, forests.start, 1.0, jobs)


def silent(progress: TrainingProgress, learner: TreeLearner) -> None:
    pass


@pytest.mark.parametrize("learner", ["frank-wolfe", "perceptron", "adagrad"])
def test_learned_weights_are_better_than_the_likelihood(forests: Forests, learner: str) -> None:
    examples = examples_of(forests)
    found = train(examples, replace(TRAINING, learner=learner, passes=20), silent)
    assert examples.errors() > 0
    assert TreeExamples(forests.examples, forests.keys, found, 1.0, 1).errors() == 0
    parser = TreebankParser(meals_grammar(), meals_expansions(), weights=found)
    assert parser.weights is found


def test_the_same_bits_in_any_number_of_threads(forests: Forests) -> None:
    one, two = (train(examples_of(forests, jobs), TRAINING, silent) for jobs in (1, 2))
    assert one.numbers.tobytes() == two.numbers.tobytes()
    other = train(examples_of(forests), replace(TRAINING, seed=1), silent)
    assert other.numbers.tobytes() != one.numbers.tobytes()


@pytest.mark.parametrize("learner", ["frank-wolfe", "perceptron", "adagrad"])
def test_signs_hold_and_rivals_are_differences_of_features(forests: Forests, learner: str) -> None:
    examples = examples_of(forests)
    named = train(examples, replace(TRAINING, learner=learner, signs=True), silent).named()
    assert all(weight >= 0 for name, weight in named.items() if name.startswith("satisfied"))
    assert all(weight <= 0 for name, weight in named.items() if name.startswith("violated"))
    nothing = np.zeros(examples.size, np.float32)
    for number, rival in enumerate(examples.rivals(nothing, range(len(examples)))):
        dense = np.zeros(examples.size)
        dense[rival.ids] = rival.values
        for sign, edges in ((-1, examples.examples[number].right), (1, examples.rival(number, nothing))):
            ids, values = examples.features(number, edges)
            dense[ids] += sign * values
        assert not dense.any()


def test_trees_that_the_other_folds_cannot_make_are_counted() -> None:
    (strange,) = (each for each in read_brackets(["(S (UH oh) (PRP she) (UH oh))"], "s.mrg") if isinstance(each, Tree))
    trees = [*meals(), strange]
    grammar = meals_grammar()
    found = forests_of(trees, grammar, SETTINGS, start_of(grammar, meals_expansions(), SETTINGS))
    assert (len(found.examples), found.unreachable) == (12, 1)


def test_features_as_text(forests: Forests) -> None:
    examples = examples_of(forests)
    lines = [line for line in svmlight_lines(examples) if not line.startswith("#")]
    assert all(line.endswith("\n") for line in lines)
    rows = [line.partition(" # ") for line in lines]
    queries = [int(row.split()[1].removeprefix("qid:")) for row, _, _ in rows]
    assert queries == sorted(queries)
    assert {row[0] for row, _, _ in rows} == {"0", "1"}
    assert all(comment == "loss 0\n" for row, _, comment in rows if row[0] == "1")
    assert any(comment != "loss 0\n" for row, _, comment in rows if row[0] == "0")
    for row, _, _ in rows:
        ids = [int(pair.split(":")[0]) for pair in row.split()[2:]]
        assert ids == sorted(set(ids))
        assert 1 <= ids[0] <= ids[-1] == examples.size + 1
    own, values = examples.features(0, examples.examples[0].right)
    pairs = [f"{place + 1}:{value:g}" for place, value in zip(own, values, strict=True)]
    assert rows[0][0].split()[2:-1] == pairs


# Going on


class StoppedError(Exception):
    pass


def stopping(after: int) -> Callable[[TrainingProgress, TreeLearner], None]:
    def tell(progress: TrainingProgress, learner: TreeLearner) -> None:
        if progress.number > after and not progress.is_of_mean:
            raise StoppedError

    return tell


@pytest.mark.parametrize("learner", ["frank-wolfe", "perceptron", "adagrad"])
def test_a_run_that_goes_on_learns_the_same_bits(forests: Forests, learner: str, tmp_path: Path) -> None:
    path, training = str(tmp_path / "s.state"), replace(TRAINING, learner=learner, signs=True)
    whole = train(examples_of(forests), training, silent)
    with pytest.raises(StoppedError):
        train(examples_of(forests), training, stopping(2), StateFile(path))
    told: list[int] = []
    state = StateFile(path, True)
    again = train(examples_of(forests), training, lambda progress, _: told.append(progress.number), state)
    assert told == [3, 4, 5, 6] + [6] * (learner == "frank-wolfe")
    assert again.numbers.tobytes() == whole.numbers.tobytes()
    once_more = train(examples_of(forests), training, stopping(0), StateFile(path, True))
    assert once_more.numbers.tobytes() == whole.numbers.tobytes()
    state.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_state_of_other_learning_is_refused(forests: Forests, tmp_path: Path) -> None:
    path = str(tmp_path / "s.state")
    train(examples_of(forests), replace(TRAINING, passes=1), silent, StateFile(path))
    hint = "\n  repeat its settings, or leave --resume out to start again"
    with pytest.raises(DataError) as error:
        train(examples_of(forests), replace(TRAINING, penalty=0.5), silent, StateFile(path, True))
    assert str(error.value) == f"{path}: the state of another run: penalty was 0.1, now 0.5{hint}"
    with pytest.raises(DataError) as error:
        train(examples_of(forests), TRAINING, silent, StateFile(path, True, {"folds": 2}))
    assert str(error.value) == f"{path}: the state of another run: folds was None, now 2{hint}"
    fewer = replace(forests, examples=forests.examples[1:])
    with pytest.raises(DataError) as error:
        train(examples_of(fewer), TRAINING, silent, StateFile(path, True))
    assert str(error.value) == f"{path}: the state of another run: number of examples was 12, now 11{hint}"


@pytest.mark.parametrize(
    ("column", "spoil", "told"),
    [
        ("sum", lambda a: a[:-1], "its sum have another type or number"),
        ("sum", lambda a: a * np.nan, "one of its sum is not a number"),
        ("rival_ids", lambda a: a - 1 - a.min(), "one of its rival_ids is out of range for"),
        ("rival_sizes", lambda a: -a - 1, "its rival_sizes are not sizes"),
        ("kept", lambda a: a * 0, "an example lacks its right structure"),
        ("rival_ids", lambda a: a.astype(np.int64), "its rival_ids have another type or number"),
        ("kept", None, "it has no kept"),
        ("late", lambda a: np.array([{}]), "Object arrays cannot be loaded"),
        ("about", lambda a: a[:9], "Unterminated string"),
        ("about", lambda a: np.frombuffer(b"[]", np.uint8), "it does not identify its run"),
        (None, None, "File is not a zip file"),
    ],
)
def test_what_is_no_state_is_told(
    forests: Forests, tmp_path: Path, column: str | None, spoil: Callable[[Any], Any] | None, told: str
) -> None:
    path = tmp_path / "s.state"
    train(examples_of(forests), replace(TRAINING, passes=1), silent, StateFile(str(path)))
    with np.load(path, allow_pickle=False) as file:
        found = dict(file)
    assert json.loads(found["about"].tobytes())["passes made"] == 1
    if column is None:
        path.write_bytes(path.read_bytes()[:100])
    else:
        spoiled = found.pop(column)
        with path.open("wb") as opened:
            np.savez(opened, **found, **({} if spoil is None else {column: spoil(spoiled)}))
    with pytest.raises(DataError) as error:
        train(examples_of(forests), TRAINING, silent, StateFile(str(path), True))
    assert str(error.value).startswith(f"{path}: not a state of learning: {told}")
    assert str(error.value).endswith("\n  leave --resume out to start again")


def test_a_state_that_is_packed_may_be_of_any_size_and_is_no_state(forests: Forests, tmp_path: Path) -> None:
    path = tmp_path / "s.state"
    np.savez_compressed(tmp_path / "s.npz", about=np.zeros(10_000_000, np.uint8))
    (tmp_path / "s.npz").rename(path)
    with pytest.raises(DataError) as error:
        train(examples_of(forests), TRAINING, silent, StateFile(str(path), True))
    assert str(error.value) == (
        f"{path}: not a state of learning: its arrays are compressed\n  leave --resume out to start again"
    )


# The verb


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    write_meals(tmp_path)
    run = command_line.Numbat(capsys, monkeypatch)
    run("induce", "meals.mrg", "-o", "meals.pg", "--support", "1", "--min-count", "1")
    run("expansions", "meals.mrg", "-o", "meals.exp")
    return run


LEARN = ("learn", "weights", "meals.mrg", "-g", "meals.pg", "--expansions", "meals.exp", "--bits", "12", "--folds", "2")


def test_weights_are_learned_and_parsed_with(numbat: Numbat) -> None:
    done = numbat(*LEARN, "-o", "m.weights", "--penalty", "0.1", "--dump", "m.txt", "--jobs", "1")
    assert done.code == 0
    lines = done.err.splitlines()
    assert lines[0] == "12 forests, each with its right tree"
    assert lines[1].startswith("pass 1: loss ")
    assert lines[-1].startswith("the mean of the weights, which is the result: loss ")
    assert sorted(path.name for path in Path().iterdir()) == [
        "m.txt", "m.weights", "meals.exp", "meals.mrg", "meals.pg"
    ]  # fmt: skip
    parse = (
        "parse",
        "-g",
        "meals.pg",
        "--expansions",
        "meals.exp",
        "--from",
        "ptb",
        "-i",
        "meals.mrg",
        "-f",
        "bracket",
    )
    gold = [line for line in Path("meals.mrg").read_text(encoding="utf-8").splitlines() if line]
    learned = numbat(*parse, "--tree-weights", "m.weights", "--jobs", "1").out.splitlines()
    assert learned == gold
    assert numbat(*parse, "--jobs", "1").out.splitlines() != gold


def test_what_cannot_be_learned_is_told(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    done = numbat(*LEARN, "-o", "m.weights", "--features", "words,colours")
    assert (done.code, done.err) == (
        2,
        'numbat: no group of features is called "colours"\n'
        "  the groups are expansions, properties, words, heads, auxiliary\n",
    )
    done = numbat(*LEARN[:-1], "7", "-o", "m.weights")
    assert (done.code, done.err) == (
        65,
        "numbat: 12 trees are too few for 7 folds\n  give more trees, or fewer --folds\n",
    )
    done = numbat(*LEARN)
    told = "numbat: no file is given for the weights\n  add -o FILE, or only --dump FILE for the features\n"
    assert (done.code, done.err) == (2, told)
    Path("empty.mrg").write_text("\n", encoding="utf-8")
    done = numbat("learn", "weights", "empty.mrg", *LEARN[3:], "-o", "m.weights")
    assert (done.code, done.err) == (
        65, "numbat: empty.mrg: no tree to learn from\n  give a file of trees, with --from if need be\n"
    )  # fmt: skip
    imported = builtins.__import__

    def without_numpy(name: str, *arguments: Any) -> Any:
        if name == "numpy":
            raise ImportError(name)
        return imported(name, *arguments)

    with monkeypatch.context() as patched:
        patched.delitem(sys.modules, "numpy")
        patched.setattr(builtins, "__import__", without_numpy)
        done = numbat(*LEARN, "-o", "m.weights")
    assert (done.code, done.err) == (
        69,
        "numbat: learning weights of trees needs numpy\n  in the folder of Numbat: pip install -e '.[sequence]'\n",
    )
    assert not Path("m.weights").exists()


def test_weights_go_with_their_expansions() -> None:
    grammar, expansions = meals_grammar(), meals_expansions()
    weights = replace(no_weights(), expansions=expansions.digest + 1)
    with pytest.raises(UsageError) as error:
        TreebankParser(grammar, expansions, weights=weights)
    assert str(error.value) == (
        "the weights were learned with other expansions\n"
        "  use the expansions that they were learned with, or learn them again: numbat learn weights"
    )
    TreebankParser(grammar, expansions, weights=replace(weights, expansions=expansions.digest))
    TreebankParser(grammar, expansions, weights=replace(weights, expansions=0))
    with pytest.raises(UsageError) as error:
        TreebankParser(grammar, expansions, weights="m.weights")  # type: ignore[arg-type]
    assert str(error.value) == (
        "weights must be numbat.parsing.tree_model.scoring.TreeWeights, not 'm.weights'\n"
        "  read_weights in that module reads them from a file"
    )
