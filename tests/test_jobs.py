"""`--jobs` of all verbs: the output does not depend on the number, and one lost sentence does not end a run."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from numbat import Parser
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import WireItem, run_suite
from numbat.acceptability.suite_files import read_suite
from numbat.grammar.loading import load_grammar
from numbat.labels.tagger import Tagger
from numbat.runs.executors import IfMany
from numbat.runs.loop import BatchRun, in_this_process
from numbat.runs.wire import Local
from numbat.treebanks.trees import Tree
from tests import command_line
from tests.command_line import Done, without_record
from tests.conftest import ROOT

Numbat = Callable[..., Done]
LOST = "its process ended twice: signal SIGKILL"


SMALL = """\
grammar: small
leaves: Det, N, V
roots: S
S:
    oblig V
    uniq {NP, V}
    NP < V
NP:
    oblig N
    uniq {Det, N}
    Det < N
lexicon:
    the: Det
    cats: N
    sleep: V
"""
SMALL_SUITE = """\
id\tjudgement\tsentence
g01\tok\tthe cats sleep
b01\t*\tcats the sleep
g03\tok\tCats sleep.
b02\t*\tsleep cats
b03\t*\tthe sleep
"""
SMALL_TREES = """\
(S (NP (Det the) (N cats)) (V sleep))
(S (V sleep) (NP (N cats)))
(S (NP (N cats) (Det the)) (V sleep) (V sleep))
(S (NP (Det the)) (V sleep)
(S (NP (Det the)) (X sleep))
"""


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    starter = ROOT / "tests" / "starter"
    for name in ("starter.pg", "lexicon.tsv", "sentences.tsv"):
        Path(name).write_bytes((starter / name).read_bytes())
    edited = Path("starter.pg").read_text(encoding="utf-8").replace("Det < N", "N < Det")
    Path("edited.pg").write_text(edited, encoding="utf-8")
    lines = Path("sentences.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("rated.tsv").write_text(
        "id\trating\tsentence\n"
        + "".join(
            f"{id}\t{number % 7}\t{sentence}\n"
            for number, (id, _, sentence, *_) in enumerate(line.split("\t") for line in lines[1:])
        ),
        encoding="utf-8",
    )
    Path("small.pg").write_text(SMALL, encoding="utf-8")
    Path("small.tsv").write_text(SMALL_SUITE, encoding="utf-8")
    Path("small.mrg").write_text(SMALL_TREES, encoding="utf-8")
    Path("trees.mrg").write_bytes((ROOT / "corpora" / "trees.mrg").read_bytes())
    Path("other.mrg").write_text(Path("trees.mrg").read_text(encoding="utf-8").replace("(NN ", "(NNP "), "utf-8")
    return command_line.Numbat(capsys, monkeypatch)


VERBS = {
    "test": "test sentences.tsv -g starter.pg",
    "report": "report sentences.tsv -g starter.pg -m cost -m net --html OUT/r.html --csv OUT/csv --latex OUT/r.tex",
    "report json": "report rated.tsv -g starter.pg -f json -m propagated",
    "compare": "compare starter.pg edited.pg sentences.tsv --html OUT/c.html",
    "coverage": "coverage sentences.tsv -g starter.pg",
    "ablate": "ablate small.tsv -g small.pg",
    "learn costs": "learn costs rated.tsv -g starter.pg -o OUT/m.tsv --also-grammar edited.pg",
    "judge --summary": "judge --summary small.mrg -g small.pg",
    "judge --summary jsonl": "judge --summary small.mrg -g small.pg -f jsonl",
    "score": "score trees.mrg other.mrg",
}


def outputs(numbat: Numbat, command: str, jobs: int) -> dict[str, Any]:
    """Return the output and the files of a command, and its exit code."""
    folder = Path("out")
    folder.mkdir()
    done = numbat(*command.replace("OUT", "out").split(), "--jobs", str(jobs))
    files = {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    folder.rename(f"out{jobs}")
    return {"out": done.out, "err": done.err, "code": done.code, **files}


@pytest.mark.parametrize("name", VERBS)
def test_the_same_bytes_whatever_the_jobs(numbat: Numbat, name: str) -> None:
    one, two = (outputs(numbat, VERBS[name], jobs) for jobs in (1, 2))
    assert one == two
    assert one["code"] in (0, 1, 75)
    assert one["out"]


def test_a_tagger_labels_the_same(numbat: Numbat) -> None:
    Tagger.load("penn")  # or numpy is missing
    Path("many.txt").write_text("The cat sleeps .\nA dog barks .\n" * 300, encoding="utf-8")
    one, two = (numbat("tag", "run", "penn", "many.txt", "--from", "text", "--jobs", jobs) for jobs in "12")
    assert one == two
    assert one.out.startswith("The/DT cat/NN sleeps/")
    assert one.out.count("\n") == 600


@pytest.mark.parametrize("score", [None, "cost", "propagated"])
def test_an_item_that_was_sent_is_as_it_was(score: str | None) -> None:
    """The whole grammar is there again, and the terms of the score are of the constituents of the parse."""
    starter = ROOT / "tests" / "starter"
    suite, grammar = read_suite(str(starter / "sentences.tsv")), load_grammar(str(starter / "starter.pg"))
    for each in run_suite(suite, Parser(grammar), None if score is None else scorer(score)):
        sent = pickle.loads(pickle.dumps(Local(each, WireItem)))
        assert isinstance(sent, WireItem)
        back = sent.by(grammar)
        assert back == each
        assert back.parse.grammar is grammar
        assert back.parse.lattice == each.parse.lattice
        if back.score is not None:
            nodes = {id(constituent) for constituent in back.parse.walk()}
            assert {id(term.constituent) for term in back.score.terms} <= nodes


def test_a_deep_tree_goes_to_another_process() -> None:
    tree = Tree("N", (), "cat", 3)
    for _ in range(20_000):
        tree = Tree("NP", (tree,), None, 3)
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert {node.line for node in again.walk()} == {3}


def test_many_inputs_once_are_many_ever_after() -> None:
    """Inputs that are retried after a process died must not be tried in this process."""

    def elsewhere(job: Any, inputs: Any, total: int | None = None) -> Any:
        tried.append(total)
        return in_this_process(job, inputs, total)

    tried: list[int | None] = []
    executor = IfMany(elsewhere, 3, seconds=0.0)
    suite = read_suite(str(ROOT / "tests" / "starter" / "sentences.tsv"))
    for number in (2, 3, 1):
        assert len(list(BatchRun(lambda item: item, suite.items[:number], executor=executor, total=number))) == number
    assert tried == [3, 1]


# Lost inputs


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch, forking: None) -> str:
    """A sentence on which the process of a parser ends."""
    if sys.platform == "darwin" or not hasattr(os, "fork"):
        pytest.skip("the processes do not know what this test changes")
    text, parent, parse = "Cats sleep.", os.getpid(), Parser.parse

    def dying(self: Parser, sentence: Any, *arguments: Any, **named: Any) -> Any:
        if getattr(sentence, "text", sentence) == text:
            assert os.getpid() != parent
            os.kill(os.getpid(), signal.SIGKILL)
        return parse(self, sentence, *arguments, **named)

    monkeypatch.setattr(Parser, "parse", dying)
    return text


@pytest.mark.parametrize("name", ["test", "report", "compare", "coverage", "ablate", "learn costs"])
def test_a_lost_sentence_is_named_and_in_no_figure(numbat: Numbat, poison: str, name: str) -> None:
    Path("out").mkdir()
    done = numbat(*VERBS[name].replace("OUT", "out").split(), "--jobs", "2")
    suite = {"learn costs": "rated.tsv", "ablate": "small.tsv"}.get(name, "sentences.tsv")
    assert f"numbat: {suite}:4: lost: {LOST}" in done.err
    assert f"g03{' before' if name == 'compare' else ''}: {LOST}" in done.out
    assert done.code == 75


def test_outcomes_are_not_accepted_while_some_are_lost(numbat: Numbat, poison: str) -> None:
    done = numbat("test", "sentences.tsv", "-g", "starter.pg", "--accept", "--jobs", "2")
    assert done.code == 75
    assert "numbat: not accepted: sentences were lost, and only complete outcomes are saved" in done.err
    assert not Path("sentences.expected.tsv").exists()


def test_accepted_outcomes_of_lost_sentences_are_no_changes(numbat: Numbat, request: pytest.FixtureRequest) -> None:
    assert numbat("test", "sentences.tsv", "-g", "starter.pg", "--accept").code == 0
    request.getfixturevalue("poison")
    done = numbat("test", "sentences.tsv", "-g", "starter.pg", "--jobs", "2")
    assert without_record(done.out).endswith("nothing changed since accepted\n")
    assert done.code == 75


def test_a_suite_of_which_all_is_lost_is_an_error(numbat: Numbat, poison: str) -> None:
    Path("one.tsv").write_text(f"id\tjudgement\tsentence\na\tok\t{poison}\nb\tok\t{poison}\n", encoding="utf-8")
    done = numbat("report", "one.tsv", "-g", "starter.pg", "--jobs", "2")
    assert (done.out, done.err, done.code) == ("", f"numbat: one.tsv:2: lost: {LOST}\n", 65)


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_lost_tree_is_named(numbat: Numbat, monkeypatch: pytest.MonkeyPatch, forking: None, form: str) -> None:
    from numbat.treebanks.verdicts import CheckJob

    judge = CheckJob.__call__

    def dying(self: CheckJob, sentence: Any) -> Any:
        if sentence.id.endswith(":2"):
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(self, sentence)

    if sys.platform == "darwin" or not hasattr(os, "fork"):
        pytest.skip("the processes do not know what this test changes")
    monkeypatch.setattr(CheckJob, "__call__", dying)
    done = numbat("judge", "--summary", "small.mrg", "-g", "small.pg", "-f", form, "--jobs", "2")
    assert done.err.startswith(f"numbat: small.mrg:2: lost: {LOST}\nsmall.mrg:4:1: sentence 4: ")
    assert LOST in done.out
    assert done.code == 75


@pytest.mark.parametrize("batch", [1, 250])
def test_a_lost_sentence_has_no_labels(
    numbat: Numbat, monkeypatch: pytest.MonkeyPatch, forking: None, batch: int
) -> None:
    from numbat.labels import verbs as sequences

    if sys.platform == "darwin" or not hasattr(os, "fork"):
        pytest.skip("the processes do not know what this test changes")
    label = Tagger.label

    def dying(self: Tagger, sentences: Any, *arguments: Any) -> Any:
        if any(row[0] == "poison" for sentence in sentences for row in sentence):
            os.kill(os.getpid(), signal.SIGKILL)
        return label(self, sentences, *arguments)

    monkeypatch.setattr(Tagger, "label", dying)
    monkeypatch.setattr(sequences, "BATCH", batch)
    Path("few.txt").write_text("The cat sleeps .\nA poison .\nA dog barks .\n", encoding="utf-8")
    done = numbat("tag", "run", "penn", "few.txt", "--from", "text", "--jobs", "2")
    assert done.out.splitlines()[1] == "A/_ poison/_ ./_"
    assert done.out.splitlines()[0].startswith("The/DT")
    assert f"numbat: few.txt:2: lost: {LOST}" in done.err
    assert done.code == 75


# How far it is


@pytest.mark.parametrize(
    "command",
    [
        "generate -g starter.pg -n 3",
        "repair -g starter.pg Cat_the_sleeps.",
        "induce trees.mrg",
        "expansions trees.mrg",
        "judge --summary small.mrg -g small.pg",
        "report sentences.tsv -g starter.pg",
    ],
)
def test_progress_is_told_unless_quiet(numbat: Numbat, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr("numbat.cli.printing.FIRST_LINE", 0.0)
    monkeypatch.setattr("numbat.cli.printing.NEXT_LINE", 0.0)
    arguments = [each.replace("_", " ") for each in command.split()]
    told, quiet = numbat(*arguments), numbat(*arguments, "--quiet")
    assert " a second" in told.err or " a minute" in told.err
    assert " a second" not in quiet.err
    assert " a minute" not in quiet.err
    assert told.out == quiet.out
