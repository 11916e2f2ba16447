"""Words with their sounds: lists are read, letters and sounds aligned, and words pronounced by a tagger."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat import Tagger
from numbat.errors import DataError, UsageError
from numbat.labels import perceptron
from numbat.labels.pronunciations import (
    MAX_SOUNDS,
    UNSEEN,
    aligned,
    learned_counts,
    letters_of,
    read_pronunciations,
    sounds_of,
)
from numbat.labels.token_files import Sample
from tests.command_line import failure, run

pytest.importorskip("numpy")

LIST = "".join(
    f"{word}\t{sounds}\n"
    for word, sounds in [
        *[("cat", "k æ t"), ("back", "b æ k"), ("sack", "s æ k"), ("tack", "t æ k"), ("pat", "p æ t")],
        *[("sit", "s ɪ t"), ("kick", "k ɪ k"), ("pick", "p ɪ k"), ("tip", "t ɪ p"), ("ship", "ʃ ɪ p")],
        *[("shack", "ʃ æ k"), ("shock", "ʃ ɒ k"), ("pot", "p ɒ t"), ("stop", "s t ɒ p"), ("box", "b ɒ k s")],
        *[("six", "s ɪ k s"), ("tax", "t æ k s"), ("Psi", "s a ɪ"), ("café", "k æ f e ɪ")],
    ]
)
ENTRIES = read_pronunciations(LIST, "list.tsv")
PAIRS = [(entry.letters, entry.sounds) for entry in ENTRIES]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("list.tsv").write_text(LIST, encoding="utf-8")
    return Path("list.tsv")


# Alignment

words = st.lists(st.sampled_from("abc"), min_size=1, max_size=6)
sounds = st.lists(st.sampled_from(["x", "y:", "z"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(words, sounds), max_size=8), st.integers(0, 3))
def test_the_labels_of_a_word_joined_are_its_sounds(pairs: list[tuple[list[str], list[str]]], rounds: int) -> None:
    for (letters, own), labels in zip(pairs, aligned(pairs, learned_counts(pairs, rounds)), strict=True):
        if len(own) > MAX_SOUNDS * len(letters):
            assert labels == []
        else:
            assert (len(labels), sounds_of(labels)) == (len(letters), own)


@given(words, sounds, st.dictionaries(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz_")), st.integers(1, 9)))
def test_no_alignment_is_likelier(letters: list[str], own: list[str], seen: dict[tuple[str, str], int]) -> None:
    from math import log

    counts = {letter: {label: n for (one, label), n in seen.items() if one == letter} for letter, _ in seen}
    (labels,) = aligned([(letters, own)], counts)
    if not counts or not labels:
        return

    def likelihood(labels: list[str]) -> float:
        return sum(
            log(by[label] / sum(by.values())) if (by := counts.get(letter, {})).get(label) else UNSEEN
            for letter, label in zip(letters, labels, strict=True)
        )

    every = []
    for sizes in product(range(MAX_SOUNDS + 1), repeat=len(letters)):
        if sum(sizes) == len(own):
            ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
            every.append([" ".join(own[end - size : end]) or "_" for size, end in zip(sizes, ends, strict=True)])
    assert likelihood(labels) == pytest.approx(max(map(likelihood, every)))


def test_letters_that_are_not_heard_and_letters_of_two_sounds() -> None:
    counts = {"x": {"k s": 8, "z": 1}, "o": {"ɒ": 5}, "b": {"b": 5}, "k": {"k": 4, "_": 2}, "c": {"k": 2, "_": 1}}
    pairs = [("box", ["b", "ɒ", "k", "s"]), ("knob", ["n", "ɒ", "b"]), ("ox", ["ɒ", "z"])]
    assert aligned(pairs, counts) == [["b", "ɒ", "k s"], ["_", "n", "ɒ", "b"], ["ɒ", "z"]]


def test_letters_are_composed_and_in_lower_case() -> None:
    assert letters_of("CAFE\u0301") == ("c", "a", "f", "é")
    assert letters_of("İs") == ("İ", "s")  # its small form has two characters


# Lists


@pytest.mark.parametrize(
    "text",
    [
        "CAT\tK AE1 T\nREAD\tR EH1 D\nREAD\tR IY1 D\n",
        "\ufeffCAT\tK AE1 T\r\n\r\nREAD\tR EH1 D \r\nREAD\tR IY1 D\r\n",
        ";;; from CMU\nCAT  K AE1 T\nREAD  R EH1 D # past\nREAD(2)  R IY1 D\n",
        "CAT 1 K AE1 T\nREAD 1 R EH1 D\nREAD 2 R IY1 D\n",
    ],
    ids=["a TAB", "CRLF", "CMU", "NLTK"],
)
def test_lists_as_people_have_them(text: str) -> None:
    found = [(entry.word, "".join(entry.letters), " ".join(entry.sounds)) for entry in read_pronunciations(text, "f")]
    assert found == [("CAT", "cat", "K AE1 T"), ("READ", "read", "R EH1 D"), ("READ", "read", "R IY1 D")]


def test_numbers_may_be_sounds() -> None:
    """In X-SAMPA 2 and 9 are vowels."""
    found = read_pronunciations("öl 2 l\nöfter 9 f t 6\n", "f")
    assert [entry.sounds for entry in found] == [("2", "l"), ("9", "f", "t", "6")]


def test_a_word_may_have_blanks_before_a_tab() -> None:
    (entry,) = read_pronunciations("ad hoc\ta t h ɔ k\n", "f")
    assert entry.letters == tuple("ad hoc")


def test_every_odd_line_is_told() -> None:
    lines = ["cat\tk æ t", "no-tab", "nothing\t", "\tk æ", "x\ty\tz", "a\t_ b", f"{'a' * 201}\tb"]
    with pytest.raises(DataError) as error:
        read_pronunciations("\n".join(lines), "l.tsv")
    entry = "a line is a word, a TAB, and its sounds with blanks between them"
    told = str(error.value).split("\n")
    assert [line for line in told if line.startswith(("l.tsv", "  ")) and not line.startswith("    ")] == [
        "l.tsv:2:1: no TAB between the word and its sounds",
        f"  {entry}",
        'l.tsv:3:1: the word "nothing" has no sounds',
        f"  {entry}; leave out what has none",
        "l.tsv:4:1: no word before the TAB",
        f"  {entry}",
        "l.tsv:5:1: 3 columns instead of 2",
        f"  {entry}",
        'l.tsv:6:1: "_" among the sounds',
        "  it stands for letters that are not heard: write the sounds alone",
        "l.tsv:7:1: a word of 201 letters",
        "  at most 200 are read as a word",
    ]


def test_sounds_without_blanks_between_them() -> None:
    with pytest.raises(DataError) as error:
        read_pronunciations("cat\tkæt\nstop\tstɒp\nshock\tʃɒk\n", "l.tsv")
    assert str(error.value) == (
        'l.tsv:2:1: 2 of 2 words have a single sound, as "stop" has "stɒp"\n'
        "  write a blank between two sounds: k æ t, not kæt"
    )


# The tagger


def test_train_run_and_score(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"{LIST}w\td ʌ b l j u\n", encoding="utf-8")
    run("tag", "train", "list.tsv", "--from", "pronunciations", "-o", "m")
    printed = capsys.readouterr()
    assert printed.out.startswith("m: 19 pronunciations, 69 letters, ")
    assert printed.err.split("\n")[0] == (
        "alignment: 1 pronunciation of 20 left out, with more than 2 sounds a letter, such as w in line 20"
    )
    file.write_text("Cat\r\nbox\tb o x\r\n\r\nshop\r\n", encoding="utf-8")
    run("tag", "run", "m", "list.tsv")
    assert capsys.readouterr().out == "Cat\tk æ t\nbox\tb ɒ k s\nshop\tʃ ɒ p\n"
    assert Tagger.load("m").pronounce("shop") == ["ʃ", "ɒ", "p"]
    file.write_text("cat\tk æ t\ncat\tk ɪ t\nbox\tb ɒ k s\ntip\tp ɪ p\ni\ts a ɪ\n", encoding="utf-8")
    run("tag", "score", "m", "list.tsv")
    printed = capsys.readouterr()
    rows = [line.split("\t") for line in printed.out.splitlines()]
    assert rows[0] == ["inference", "letters", "whole words"]
    assert {row[0]: row[1:] for row in rows[1:]}["csi"] == ["88.89", "50.00"]
    assert printed.err == (
        "numbat: no letters are counted of 1 word with more than 2 sounds a letter, such as i in line 5\n"
    )


def test_the_memory_learns_sounds_too(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("tag", "train", "list.tsv", "--from", "pronunciations", "--learner", "memory", "-k", "1", "-o", "m", "-q")
    file.write_text("cat\nsix\n", encoding="utf-8")
    capsys.readouterr()
    run("tag", "run", "m", "list.tsv")
    assert capsys.readouterr().out == "cat\tk æ t\nsix\ts ɪ k s\n"


def test_what_does_not_go_together(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = ("tag", "train", "list.tsv", "-o", "m", "-q")
    assert failure(capsys, 2, *train, "--from", "pronunciations", "--unit", "words") == (
        "--unit words and --from pronunciations\n  the tokens are letters: leave --unit out"
    )
    assert failure(capsys, 65, *train, "--unit", "letters") == (
        'list.tsv:1: --unit letters, but 19 of 19 tokens are words, as "cat"\n'
        "  words with their sounds are read letter by letter with --from pronunciations;\n"
        "  for any other labels of words leave --unit letters out"
    )
    told = (
        "the model was not trained on pronunciations\n"
        "  train one with --from pronunciations, or name the form of the file"
    )
    assert failure(capsys, 2, "tag", "run", "penn", "list.tsv", "--from", "pronunciations") == told
    assert failure(capsys, 2, "tag", "score", "penn", "list.tsv", "--from", "pronunciations") == told
    with pytest.raises(UsageError) as error:
        Tagger.train([Sample((("a",), ("b",)), ("X", "Y"))]).pronounce("ab")
    assert str(error.value) == ("this tagger was not trained on pronunciations\n  train one with --from pronunciations")


def test_other_sounds_and_other_lists(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("tag", "train", "list.tsv", "--from", "pronunciations", "-o", "m", "-q")
    capsys.readouterr()
    file.write_text("cat\tK AE1 T\n", encoding="utf-8")
    assert failure(capsys, 65, "tag", "score", "m", "list.tsv") == (
        "list.tsv: no sound of this file was seen in training\n"
        "  it has sounds such as K, AE1, T, the model others such as a, b, e"
    )
    file.write_text("cat\tk æ T\n", encoding="utf-8")
    assert failure(capsys, 65, "tag", "score", "m", "list.tsv") == (
        'list.tsv:1:1: the sound "T" of "cat" was not seen in training\n'
        "  correct it, or count it as a mistake with --unseen count"
    )
    file.write_text("the cat\n", encoding="utf-8")
    assert failure(capsys, 65, "tag", "run", "m", "list.tsv") == (
        "list.tsv:1:1: 2 words in a line\n    the cat\n    ^^^^^^^\n"
        "  put each word on a line of its own, or a TAB after it"
    )


def test_too_many_labels_are_refused_before_memory_is_taken(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The labels of 4,000 words that are all different would take 2 x 4,001 x 4,001 weights of pairs alone."""
    file.write_text("".join(f"w{i} L{i}\n" for i in range(4_000)), encoding="utf-8")
    told = failure(capsys, 65, "tag", "train", "list.tsv", "-o", "m").split("\n")
    assert told == [
        "4,000 labels among 4,000 tokens: most stand too seldom to be learned",
        "  is the label the last column? words with their sounds are read with --from pronunciations",
        "numbat: 4,000 labels among 4,000 tokens: their weights take 0.5 GB of memory, 0.3 GB are allowed",
        "  give labels that are far fewer than the tokens: is the label the last column?",
        "  words with their sounds are read letter by letter with --from pronunciations",
    ]
    told = failure(capsys, 65, "tag", "train", "list.tsv", "--learner", "memory", "-o", "m").split("\n")
    assert told[2:] == [
        "numbat: 4,000 labels among 4,000 tokens: above 1,000 labels each needs 5 tokens",
        "  give labels that are far fewer than the tokens: is the label the last column?",
        "  words with their sounds are read letter by letter with --from pronunciations",
    ]
    assert not Path("m").exists()


def test_a_word_has_no_thousand_sounds() -> None:
    with pytest.raises(DataError) as error:
        read_pronunciations("cat\tk æ t\nab\t" + "a " * 1_001 + "\n", "l.tsv")
    assert str(error.value).split("\n")[0] == "l.tsv:2:1: a word of 1,001 sounds"
    assert str(error.value).endswith("\n  at most 1,000 are read as those of a word")


def test_the_least_that_helps_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [entry.sample(entry.letters) for entry in ENTRIES] * 3
    monkeypatch.setattr("numbat.labels.perceptron.ALWAYS", 0)
    monkeypatch.setattr("numbat.labels.perceptron.BYTES_OF_TOKEN", 2_000)
    with pytest.raises(DataError) as error:
        Tagger.train(samples, unit="letters", calibrate=False)
    assert str(error.value) == (
        "13 labels among 207 tokens: their weights take 0.0 GB of memory, 0.0 GB are allowed\n"
        "  train with --min-count 4, so that features seen less often are left out, or with less material"
    )
    assert (
        Tagger.train(samples, settings=perceptron.PerceptronSettings(least=4), unit="letters", calibrate=False).tokens
        == 207
    )


@pytest.mark.parametrize("letters", ['{"a": 3}', '{"a": {}}', '{"a": {"x": 0}}', "[1]", '{"a": {"x": 1.5}}', "7"])
def test_damaged_counts_of_letters(letters: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("tag", "train", "list.tsv", "--from", "pronunciations", "-o", "m", "-q", "--epochs", "1")
    first, header, rest = Path("m").read_bytes().split(b"\n", 2)
    start = header.index(b'"letters": {') + len(b'"letters": ')
    end = header.index(b"}}", start) + 2
    Path("m").write_bytes(b"\n".join([first, header[:start] + letters.encode() + header[end:], rest]))
    capsys.readouterr()
    assert failure(capsys, 65, "tag", "run", "m", "list.tsv") == "m: the model is damaged\n  copy or train it again"
