"""The tagger, used through its record and from the command line."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from itertools import pairwise
from math import exp, log
from pathlib import Path
from random import Random

import pytest

from numbat import Tagger, load_grammar, parse_grammar
from numbat.errors import DataError, MissingFileError, UsageError
from numbat.labels import memory, perceptron
from numbat.labels.csi import at_most, only_pairs
from numbat.labels.guesser import guesser, with_marks
from numbat.labels.settings import TrainSettings
from numbat.labels.tagger import all_inferences, progressive_sampling, settings_to_try
from numbat.labels.token_files import Layout, Sample, read_samples, score_labels
from numbat.labels.verbs import train_tagger
from numbat.words.chunk_labels import SCHEMES
from numbat.words.lexical_lookup import read_text, words_of
from numbat.words.tokens import spelled
from tests.command_line import failure, run

pytest.importorskip("numpy")

CORPORA = Path(__file__).parents[1] / "corpora"
TEXT = "".join(
    f"the/Det {adj}/Adj {noun}/N {verb}/V {adv}/Adv\n{name}/PN {verb}/V the/Det {noun}/N\nthe/Det {noun}/N {verb}/V\n"
    for adj, noun, verb, adv, name in zip(
        ["big", "red", "old", "new", "bad"] * 2,
        ["dog", "cat", "fish", "bird", "mouse"] * 2,
        ["barked", "jumped", "walked", "looked", "rested", "barks", "jumps", "walks", "looks", "rests"],
        ["loudly", "quickly", "slowly", "badly", "gladly"] * 2,
        ["Ann", "Bob", "Eve", "Kim", "Max"] * 2,
        strict=True,
    )
)
SAMPLES = read_samples(TEXT, "text", Layout("text"))
GRAMMAR = """\
grammar: small
leaves: Det, N, PN, Adj, Adv, V
roots: S
S:
    oblig V
    uniq {NP, V}
    {NP, PN} < V
NP:
    oblig N
    uniq {Det, N}
    Det < {N, Adj}
    Adj < N
lexicon:
    the: Det
    cats: N
"""
LEARNERS = [
    ("perceptron", None),
    ("memory", memory.MemorySettings(k=3)),
    ("memory", memory.MemorySettings(search="tribl2")),
]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.train(SAMPLES)


@pytest.fixture(scope="module")
def model(tagger: Tagger, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("model") / "small.model")
    tagger.save(path)
    return path


def test_a_packaged_tagger_is_loaded_by_its_name() -> None:
    assert Tagger.load("ftb").tag("le chat")[0] == "DET"
    with pytest.raises(MissingFileError) as error:
        Tagger.load("ftp")
    assert str(error.value) == 'ftp: no such model file\n  did you mean "ftb"?'


@pytest.mark.parametrize(("learner", "settings"), LEARNERS)
def test_a_loaded_tagger_says_what_the_saved_one_said(
    learner: str, settings: perceptron.PerceptronSettings | memory.MemorySettings | None, tmp_path: Path
) -> None:
    tagger = Tagger.train(SAMPLES, learner, settings)
    size = tagger.save(str(tmp_path / "m"))
    assert size == (tmp_path / "m").stat().st_size < 100_000
    loaded = Tagger.load(str(tmp_path / "m"))
    rows = [sample.rows for sample in SAMPLES[:5]] + [(("the",), ("wug",), ("zapped",))]
    assert loaded.label(rows) == tagger.label(rows)
    assert loaded.candidates(rows) == tagger.candidates(rows)
    assert repr(loaded) == repr(tagger) == f"<Tagger {learner}: 6 labels, 120 training tokens>"
    assert [loaded.is_known(form) for form in ("the", "wug")] == [True, False]
    assert tagger.label(rows)[0] == list(SAMPLES[0].labels)


def test_training_is_the_same_to_the_byte_with_and_without_kernel_and_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT)
    models = []
    for seed, kernel in (("1", ""), ("2", ""), ("3", "python")):
        environment = os.environ | {"PYTHONHASHSEED": seed, "NUMBAT_KERNEL": kernel}
        command = [
            sys.executable,
            "-m",
            "numbat",
            "tag",
            "train",
            "t.txt",
            "--from",
            "text",
            "--epochs",
            "2",
            "-o",
            f"m{seed}",
        ]
        environment["PYTHONPATH"] = str(Path(__file__).parents[1])
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
        models.append((tmp_path / f"m{seed}").read_bytes())
    assert models[0] == models[1] == models[2]


def test_unknown_words_are_guessed_and_confidences_add_up(tagger: Tagger) -> None:
    assert tagger.tag("the wuggish wug zapped") == ["Det", "Adj", "N", "V"]
    lattice = tagger.lattice("the wug zapped", least=0.0)
    assert lattice.tokens == ("the", "wug", "zapped")
    assert all(arc.guessed and arc.end == arc.start + 1 for arc in lattice.arcs)
    for i, token in enumerate(lattice.tokens):
        own = [arc for arc in lattice.arcs if arc.start == i]
        assert 1 <= len(own) <= 3
        assert {arc.form for arc in own} == {token}
        assert 0.5 < sum(exp(arc.log_weight) for arc in own) <= 1 + 1e-9
        assert [arc.log_weight for arc in own] == sorted((arc.log_weight for arc in own), reverse=True)


def test_constraints_of_the_caller(tagger: Tagger) -> None:
    assert tagger.tag("the dog barked").count("N") == 1
    assert "N" not in tagger.tag("the dog barked", [at_most("N", 0)])
    with pytest.raises(DataError, match="no labelling satisfies"):
        tagger.tag("the dog barked", [only_pairs(lambda one, two: False)])


def test_rows_that_do_not_fit(tagger: Tagger) -> None:
    with pytest.raises(DataError) as error:
        tagger.tag([("the", "DT")])
    assert str(error.value) == (
        'sentence 1: "the" has 2 of 1 columns\n  give each token as many columns as in training, without the label'
    )
    with pytest.raises(DataError) as error:
        tagger.tag("")
    assert str(error.value) == "sentence 1 is empty\n  a sentence has at least one token"


def test_material_that_teaches_nothing() -> None:
    with pytest.raises(DataError) as error:
        Tagger.train([Sample((("a",),), ("X",))])
    assert str(error.value) == "the training data have fewer than two labels\n  check which column has the labels"
    with pytest.raises(UsageError) as unknown:
        Tagger.train(SAMPLES, "svm")
    assert str(unknown.value) == 'unknown learner "svm"\n  the learners are: perceptron, memory'


# Search of settings


def test_progressive_sampling_finds_the_best_within_its_budget() -> None:
    """Judged by closeness to 7, which shows only with enough material."""
    trainings: list[tuple[int, int]] = []

    def evaluate(trained: object, judged: object, one: int) -> float:
        trainings.append((len(trained), one))  # type: ignore[arg-type]
        return -abs(one - 7.0)

    every = [Sample(((str(i),),), ("X",)) for i in range(2000)]
    assert progressive_sampling(every, list(range(20)), evaluate, budget=100) == 7
    sizes = sorted({size for size, _ in trainings})
    assert sizes[:2] == [200, 400]
    pools = [sum(size == one for size, _ in trainings) for one in sizes]
    assert pools[0] == 20
    assert all(after <= before / 2 + 1 for before, after in pairwise(pools))
    trainings.clear()
    progressive_sampling(every, list(range(20)), evaluate, budget=25)
    assert len(trainings) <= 25


def test_settings_are_searched_among_all_choices(tmp_path: Path) -> None:
    assert len(settings_to_try("perceptron")) == len(set(settings_to_try("perceptron"))) == 27
    assert settings_to_try("perceptron")[0] == perceptron.PerceptronSettings()
    assert settings_to_try("memory")[0] == memory.MemorySettings()
    assert {one.metric for one in settings_to_try("memory")} == {"mvdm", "overlap"}
    (tmp_path / "t.txt").write_text(TEXT)
    told: list[str] = []
    path = str(tmp_path / "t.txt")
    found = train_tagger(path, "text", TrainSettings(learner="memory", metric="overlap", budget=60), told.append)
    assert found.model.settings.metric == "overlap"
    assert told[0].startswith("search: 52 settings on 24 sentences, best ")
    assert told[1] == f"search: chosen {found.model.settings}"


# The command line


def test_train_run_and_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, path = tmp_path / "t.conllu", str(tmp_path / "m")
    file.write_text(
        "".join(
            "# text\n"
            + "".join(
                f"{i}\t{row[0]}\t_\t{label}\t_\t_\t0\t_\t_\t_\n"
                for i, (row, label) in enumerate(zip(sample.rows, sample.labels, strict=True), start=1)
            )
            + "\n"
            for sample in SAMPLES
        )
    )
    run("tag", "train", str(file), "-o", path)
    printed = capsys.readouterr()
    assert printed.out == f"{path}: 30 sentences, 120 tokens, 6 labels, {Path(path).stat().st_size:,} bytes\n"
    assert "round 10: " in printed.err
    run("tag", "run", path, str(file))
    assert capsys.readouterr().out == file.read_text()
    run("tag", "score", path, str(file))
    assert capsys.readouterr().out == (
        "inference\ttokens\tunknown words\twhole sentences\n"
        "unigram\t100.00\t-\t100.00\nvote\t100.00\t-\t100.00\ncsi\t100.00\t-\t100.00\noracle\t100.00\t-\t100.00\n"
    )


def test_run_on_columns_with_and_without_labels(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bare").write_text("the\ndog\n")
    (tmp_path / "labelled").write_text("the X\ndog Y\n")
    for name in ("bare", "labelled"):
        run("tag", "run", model, str(tmp_path / name))
        assert capsys.readouterr().out == "the Det\ndog N\n\n"


def test_chunks_are_scored_by_f(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, path = tmp_path / "t", str(tmp_path / "m")
    file.write_text("the DT B-NP\ndog NN I-NP\nran VBD O\n\nit PRP B-NP\n")
    run("tag", "train", str(file), "-o", path, "--learner", "memory", "-k", "1")
    capsys.readouterr()
    run("tag", "score", path, str(file))
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0][-3:] == ["precision", "recall", "F"]
    assert {row[0]: row[-1] for row in rows[1:]} == dict.fromkeys(["unigram", "vote", "csi", "oracle"], "100.00")


def test_bad_input_leaves_nothing_behind(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.txt"
    file.write_text("a X\nb\n")
    target = tmp_path / "m"
    message = failure(capsys, 65, "tag", "train", str(file), "-o", str(target))
    assert message.startswith(f"{file}:2:1: 1 column instead of 2\n")
    assert not target.exists()
    file.write_text("the/Det dog/X\n")
    message = failure(capsys, 65, "tag", "score", model, str(file), "--from", "text")
    assert message == (
        f'{file}:1:1: the label "X" was not seen in training\n'
        "  correct it, or count it as a mistake with --unseen count"
    )
    run("tag", "score", model, str(file), "--from", "text", "--unseen", "count")
    assert "csi\t50.00\t-\t0.00\n" in capsys.readouterr().out
    file.write_bytes(b"a X\n\xff Y\n")
    assert failure(capsys, 65, "tag", "train", str(file), "-o", str(target)) == (
        f"{file}:2:1: this line is not UTF-8 (byte 1 is FF)\n    � Y\n    ^\n"
        "  give its encoding, such as --encoding latin-1, or save the file in the encoding UTF-8"
    )
    message = failure(capsys, 2, "tag", "train", str(file), "-o", str(target), "-k", "3")
    assert message == "-k is not a setting of the learner perceptron\n  leave it out, or add --learner memory"
    message = failure(capsys, 2, "tag", "train", str(file), "-o", str(target), "--search-in", "igtree")
    assert message == "--search-in is not a setting of the learner perceptron\n  leave it out, or add --learner memory"
    message = failure(capsys, 2, "tag", "train", str(file), "-o", str(target), "--learner", "memory", "--seed", "3")
    assert message == "--seed is not a setting of the learner memory\n  leave it out, or add --learner perceptron"
    message = failure(capsys, 2, "tag", "train", str(file), "-o", str(target), "--learner", "memory", "--decay", "3")
    assert message == "--decay is for --voting ed\n  add it, or leave --decay out"
    assert failure(capsys, 66, "tag", "run", str(target), str(file)).endswith(
        "m: cannot be read: No such file or directory"
    )


# Tags for the parser


def test_the_lexicon_goes_first_and_the_tagger_for_the_rest(model: str) -> None:
    words = words_of(parse_grammar(GRAMMAR))
    read = read_text("The wuggish cats zapped, Ann!", words)
    lattice = guesser(model, None, words, best=False).lattice(read)
    assert lattice.tokens == read.tokens
    known = [arc for arc in read.arcs if not arc.guessed]
    assert [arc for arc in lattice.arcs if not arc.guessed] == known
    assert {arc.form for arc in lattice.arcs if arc.guessed} == {arc.form for arc in read.arcs if arc.guessed}
    (best,) = [arc for arc in guesser(model, None, words, best=True).lattice(read).arcs if arc.form == "wuggish"]
    assert (best.category, best.start, best.end, best.guessed, best.log_weight) == ("Adj", 1, 2, True, 0.0)


@pytest.mark.parametrize("language", ["english", "french"])
def test_the_tagger_sees_the_tokens_and_the_marks_between_them(language: str) -> None:
    words = words_of(load_grammar(language))
    with (CORPORA / f"{language}.tsv").open(encoding="utf-8", newline="") as file:
        sentences = [row["sentence"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    as_written = 0
    for sentence in sentences:
        lattice = read_text(sentence, words)
        forms, places = with_marks(lattice)
        assert tuple(forms[place] for place in places) == lattice.tokens
        assert tuple(form for i, form in enumerate(forms) if i not in places) == lattice.skipped
        as_written += "".join(forms) == spelled(sentence).replace(" ", "")
    assert as_written > 0.95 * len(sentences)


@pytest.mark.parametrize(
    ("sentence", "seen"),
    [
        ("Il va au marché à le voir.", "Il va à le marché à le voir ."),
        ("Des amis, des « vrais » !", "de les amis , de les « vrais » !"),
        ("(Au marché)", "( à le marché )"),
    ],
)
def test_what_the_tagger_sees_of_words_that_are_rewritten(sentence: str, seen: str) -> None:
    rules = "tokens:\n    rewrite au: à, le\n    rewrite des: de, les\n"
    forms, _ = with_marks(read_text(sentence, words_of(parse_grammar(f"leaves: N\n{rules}NP: uniq N\n"))))
    assert " ".join(forms) == seen


def test_parse_with_a_tagger(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grammar = tmp_path / "small.pg"
    grammar.write_text(GRAMMAR)
    run(
        "parse",
        "-g",
        str(grammar),
        "--tagger",
        model,
        "--tagger-output",
        "best",
        "-f",
        "bracket",
        "The wuggish wug zapped",
    )
    assert capsys.readouterr().out == "(S (NP (Det The) (Adj wuggish) (N wug)) (V zapped))\n"
    run("parse", "-g", str(grammar), "--tagger", model, "The wuggish wug zapped")
    assert capsys.readouterr().out.count("(guessed)") == 3


def test_confidences_may_be_trusted_more(model: str) -> None:
    words = words_of(parse_grammar(GRAMMAR))
    sentence = read_text("the wug zapped", words)
    plain, sure = (guesser(model, None, words, False, trust).lattice(sentence) for trust in (1.0, 2.0))
    weights = [(one.log_weight, two.log_weight) for one, two in zip(plain.arcs, sure.arcs, strict=True) if one.guessed]
    assert len(weights) > 2
    assert [two for _, two in weights] == pytest.approx([2 * one for one, _ in weights])


def test_beside_expansions_the_tagger_weighs_the_categories_of_the_lexicon(model: str) -> None:
    words = words_of(parse_grammar("leaves: Det, N, V, Adj, Adv, P, PN\nlexicon:\n    fish: N weight 9, V\n"))
    plain, sure = (
        guesser(model, None, words, False, trust).lattice(read_text("the fish jumped", words)).arcs
        for trust in (1.0, 2.0)
    )
    weights = {arc.category: exp(arc.log_weight) for arc in plain if arc.form == "fish"}
    assert weights == pytest.approx({"N": 9, "V": 1})
    found = {arc.category: arc.log_weight for arc in sure if arc.form == "fish"}
    assert found.keys() == {"N", "V"}
    assert found["V"] <= 2 * log(0.02) + 1e-9 < found["N"] <= 0


def test_options_that_do_not_go_together(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert failure(capsys, 2, "parse", "--tagger", model, "--tagged", "a/N") == (
        "--tagged and --tagger exclude each other\n  words carry tags already: leave one of them out"
    )
    assert (
        failure(capsys, 2, "parse", "--tag-map", "ptb.map", "a")
        == "--tag-map needs tags\n  add --from auto or --tagger MODEL"
    )
    wide = str(tmp_path / "wide")
    Tagger.train([Sample((("a", "b"), ("c", "d")), ("X", "Y"))], calibrate=False).save(wide)
    assert failure(capsys, 2, "parse", "--tagger", wide, "a") == (
        "this tagger was trained on further columns beside the words, which sentences do not have\n"
        "  use one that was trained on words and labels alone"
    )
    strange = str(tmp_path / "strange")
    Tagger.train([Sample((("a",), ("b",)), ("X", "Y"))], calibrate=False).save(strange)
    (tmp_path / "g.pg").write_text("leaves: N\nS:\n    uniq N\n", encoding="utf-8")
    assert failure(capsys, 2, "parse", "-g", str(tmp_path / "g.pg"), "--tagger", strange, "a") == (
        "most labels of the model, such as X, Y, are not categories of the grammar\n"
        "  map them with --tag-map FILE, or train on the tags of such a map"
    )


def test_without_numpy(model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    message = "the tagger needs numpy\n  in the folder of Numbat: pip install -e '.[sequence]'"
    assert failure(capsys, 69, "tag", "run", model, "x") == message
    assert failure(capsys, 69, "parse", "--tagger", model, "x") == message


@pytest.mark.parametrize("learner", ["perceptron", "memory"])
def test_damaged_models_are_told_and_never_crash(learner: str, tmp_path: Path) -> None:
    path = tmp_path / "m"
    Tagger.train(SAMPLES[:4], learner, calibrate=False).save(str(path))
    whole, random = path.read_bytes(), Random(1)
    header = whole.index(b"\n", 16) + 1
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(random.randint(1, 3)):
            at = random.randrange(header if random.random() < 0.8 else len(whole))
            damaged[at] = random.choice([random.randrange(256), *b'01289"[]{},-'])
        path.write_bytes(damaged)
        try:
            Tagger.load(str(path)).tag("the dog barked")
        except DataError:
            refused += 1
    assert refused > 200


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "least"), [("perceptron", 0.9), ("memory", 0.87)])
def test_the_order_of_the_paper_on_chunks(learner: str, least: float, data: Path) -> None:
    """Unigram < vote < csi < oracle (Canisius et al. 2006, table 2), on a small part of CoNLL-2000."""
    text = (data / "chunk" / "conll2000" / "train.txt").read_text(encoding="utf-8")
    samples = read_samples(text, "train.txt", Layout())
    trained, judged = samples[:1500], samples[-250:]
    tagger = Tagger.train(trained, learner, calibrate=False)
    said = tagger.predictions([sample.rows for sample in judged])
    gold = [sample.labels for sample in judged]
    every = [all_inferences(one, labels) for one, labels in zip(said, gold, strict=True)]
    found = {
        name: score_labels(gold, [labels[name] for labels in every], scheme=SCHEMES["iob2"]).f1 for name in every[0]
    }
    assert least < found["unigram"] < found["vote"] < found["csi"] < found["oracle"], found
