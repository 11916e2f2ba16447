"""Files of labelled tokens, models on disk, and scores."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from numbat.errors import DataError, MissingFileError, UsageError
from numbat.labels.model_file import MAX_FILE_BYTES, read_model_file, write_model_file
from numbat.labels.token_files import (
    LabellingScore,
    Layout,
    check_known_labels,
    read_samples,
    score_labels,
    with_labels,
)
from numbat.words.chunk_labels import SCHEMES

np = pytest.importorskip("numpy")

COLUMNS = "the DT B-NP\ncat NN I-NP\n\nit PRP B-NP\n"
CONLLU = """\
# text = don't go
1-2	don't	_	_	_	_	_	_	_	_
1	do	do	AUX	VB	_	3	aux	_	_
2	n't	not	PART	RB	_	3	advmod	_	_
3	go	go	VERB	VB	_	0	root	_	_
3.1	x	_	_	_	_	_	_	_	_

"""


def test_columns() -> None:
    first, second = read_samples(COLUMNS, "f", Layout())
    assert (first.rows, first.labels, first.lines) == ((("the", "DT"), ("cat", "NN")), ("B-NP", "I-NP"), (1, 2))
    assert (second.rows, second.lines) == ((("it", "PRP"),), (4,))


def test_conllu_keeps_all_but_the_field() -> None:
    layout = Layout("conllu", True, "xpos")
    (sample,) = read_samples(CONLLU, "f", layout)
    assert sample.rows == (("do",), ("n't",), ("go",))
    assert sample.labels == ("VB", "RB", "VB")
    assert with_labels(sample, sample.labels, layout) == CONLLU
    assert with_labels(sample, ["X", "Y", "Z"], layout) == (
        CONLLU.replace("\tVB\t_\t3", "\tX\t_\t3").replace("\tRB\t", "\tY\t").replace("\tVB\t_\t0", "\tZ\t_\t0")
    )


def test_text() -> None:
    layout = Layout("text")
    (sample,) = read_samples("1/2/CD cats/NNS\n", "f", layout)
    assert (sample.rows, sample.labels) == ((("1/2",), ("cats",)), ("CD", "NNS"))
    assert with_labels(sample, ["A", "B"], layout) == "1/2/A cats/B\n"
    assert read_samples("a b", "f", Layout("text", False))[0].rows == (("a",), ("b",))


@pytest.mark.parametrize("labelled", [True, False])
def test_columns_are_written_as_they_were_read(labelled: bool) -> None:
    layout = Layout(labelled=labelled)
    samples = read_samples(COLUMNS, "f", layout)
    written = "".join(with_labels(sample, sample.labels or "x" * len(sample.rows), layout) for sample in samples)
    assert written == (COLUMNS + "\n" if labelled else COLUMNS.replace("P\n", "P x\n") + "\n")


@pytest.mark.parametrize(
    ("text", "layout", "message"),
    [
        (
            "a X\nb\n",
            Layout(),
            "f:2:1: 1 column instead of 2\n    b\n    ^\n  every token of a file has as many columns as the first",
        ),
        (
            "a X\n\n\nb X\n",
            Layout(),
            "f:3:1: an empty sentence\n  one empty line ends a sentence; a second one is too many",
        ),
        ("", Layout(), "f: no sentence\n  write one token per line"),
        ("a\n", Layout(), "f:1:1: a token without label\n  a line is: word, further features, label"),
        (
            "a\t\tX\n",
            Layout(),
            "f:1:1: an empty column\n    a\t\tX\n    ^\t\t^\n  write _ for an empty value",
        ),
        (
            "1\ta\n",
            Layout("conllu"),
            "f:1:1: 2 columns instead of 10\n    1\ta\n    ^^^\n  CoNLL-U has 10, separated by TABs",
        ),
        (
            "\n( (S (NP (DT The) (NN cat)) (VBZ sleeps)) )\n",
            Layout(),
            "f:2:1: these are trees in brackets, not tokens with labels\n"
            "  numbat trees FILE -f conllu writes their words with their tags: read these with --label xpos",
        ),
        (
            "The cat sleeps .\n",
            Layout(labelled=False, columns=1),
            "f:1:1: 4 columns instead of 1\n    The cat sleeps .\n    ^\n"
            "  a line should be one token; with --from text it is a sentence",
        ),
        ("a/X b\n", Layout("text"), 'f:1:1: "b" has no label\n  labelled words are written word/LABEL'),
    ],
)
def test_mistakes_of_files(text: str, layout: Layout, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_samples(text, "f", layout)
    assert [line.rstrip("^\t ") for line in str(error.value).split("\n")] == [
        line.rstrip("^\t ") for line in message.split("\n")
    ]


def test_every_mistake_of_a_file_is_told_up_to_a_hundred() -> None:
    with pytest.raises(DataError) as error:
        read_samples("a X\n" + "b\n" * 105, "f", Layout())
    assert str(error.value).count("1 column instead of 2") == 100
    assert str(error.value).endswith("\nand 5 mistakes more")
    assert len(error.value.problems) == 105


def test_an_unknown_field() -> None:
    with pytest.raises(UsageError) as error:
        Layout("conllu", True, "pos")
    assert str(error.value) == '"pos" is not a field with labels\n  the fields are: lemma, upos, xpos, feats, deprel'


def test_unseen_labels() -> None:
    samples = read_samples(COLUMNS, "f", Layout())
    check_known_labels(samples, ["B-NP", "I-NP"], "f")
    with pytest.raises(DataError) as error:
        check_known_labels(samples, ["B-NP"], "f")
    assert str(error.value) == (
        'f:2:1: the label "I-NP" was not seen in training\n  correct it, or count it as a mistake with --unseen count'
    )


@pytest.mark.parametrize(
    ("text", "layout", "hint"),
    [
        (COLUMNS, Layout(), "it has labels such as B-NP, I-NP, the model others such as RB, VB"),
        (
            CONLLU,
            Layout("conllu"),
            "it has labels such as AUX, PART, VERB, the model others such as VB, RB; --label xpos reads those",
        ),
    ],
)
def test_labels_none_of_which_was_seen(text: str, layout: Layout, hint: str) -> None:
    with pytest.raises(DataError) as error:
        check_known_labels(read_samples(text, "f", layout), ["''", "RB", "VB"], "f")
    assert str(error.value) == f"f: no label of this file was seen in training\n  {hint}"


def test_model_files_hold_what_was_written(tmp_path: Path) -> None:
    arrays = {
        "a": np.arange(12, dtype=np.int32).reshape(3, 4),
        "b": np.array([], np.uint8),
        "c": np.array([[0.5], [-2.0]], np.float32),
    }
    path = str(tmp_path / "m")
    size = write_model_file(path, {"labels": ["é"]}, arrays)
    assert size == Path(path).stat().st_size
    header, found = read_model_file(path)
    assert header["labels"] == ["é"]
    assert [(name, array.dtype, array.tolist()) for name, array in found.items()] == [
        (name, array.dtype, array.tolist()) for name, array in arrays.items()
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["m"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_model_takes_the_place_of_files_only(tmp_path: Path) -> None:
    """A pipe is written to, and so would a device be; a link stays one."""
    write_model_file(str(tmp_path / "m"), {"labels": ["a"]}, {})
    os.mkfifo(tmp_path / "pipe")
    found: list[bytes] = []
    reader = Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    write_model_file(str(tmp_path / "pipe"), {"labels": ["a"]}, {})
    assert (tmp_path / "pipe").is_fifo()
    reader.join()
    assert found == [(tmp_path / "m").read_bytes()]
    (tmp_path / "link").symlink_to(tmp_path / "m")
    write_model_file(str(tmp_path / "link"), {"labels": ["b"]}, {})
    assert (tmp_path / "link").is_symlink()
    assert read_model_file(str(tmp_path / "m"))[0]["labels"] == ["b"]


def test_models_are_not_too_large(tmp_path: Path) -> None:
    noise = np.random.Generator(np.random.PCG64(1)).integers(0, 256, MAX_FILE_BYTES + 1000).astype(np.uint8)
    with pytest.raises(DataError) as error:
        write_model_file(str(tmp_path / "m"), {}, {"noise": noise})
    assert "15,000,000 are allowed\n  train with a greater --min-count" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_no_models(tmp_path: Path) -> None:
    path = tmp_path / "m"
    with pytest.raises(MissingFileError, match="cannot be read: No such file"):
        read_model_file(str(path))
    path.write_bytes(b"\x80\x04pickle")
    with pytest.raises(DataError) as error:
        read_model_file(str(path))
    assert str(error.value) == (f"{path}: this is not a tagger model\n  numbat tag train FILE -o MODEL makes one")
    path.write_bytes(b"numbat-tagger 9\n{}\n")
    with pytest.raises(DataError) as error:
        read_model_file(str(path))
    assert str(error.value) == f"{path}: a model of version 9, not 1\n  train it again with this Numbat"


def test_damaged_models(tmp_path: Path) -> None:
    path = tmp_path / "m"
    write_model_file(str(path), {"x": 1}, {"a": np.arange(1000, dtype=np.int64)})
    whole = path.read_bytes()
    line = whole.index(b"\n", 20) + 1
    damages = [whole[:-1], whole[: line + 4], whole + b"x", whole.replace(b"[1000]", b"[1001]"), whole[:16] + b"{}\n"]
    damages.append(whole[: line + 20] + b"\xff\xff" + whole[line + 22 :])
    for damaged in damages:
        path.write_bytes(damaged)
        with pytest.raises(DataError) as error:
            read_model_file(str(path))
        assert str(error.value) == f"{path}: the model is damaged\n  copy or train it again"


def test_scores() -> None:
    gold = [["B-X", "I-X", "O"], ["O"]]
    found = [["B-X", "O", "O"], ["O"]]
    result = score_labels(gold, found, [[True, False, False], [True]], SCHEMES["iob2"])
    assert result == LabellingScore(4, 3, 2, 1, 2, 1, 1, 1, 0)
    assert (result.accuracy, result.unknown_accuracy, result.sentence_accuracy, result.f1) == (0.75, 0.5, 0.5, 0.0)
    perfect = score_labels(gold, gold, scheme=SCHEMES["iob2"])
    assert (perfect.precision, perfect.recall, perfect.f1) == (1.0, 1.0, 1.0)
    assert LabellingScore().f1 == 0.0


def test_a_line_that_begins_a_document_is_no_sentence() -> None:
    text = "-DOCSTART- -X- O O\n\nEU NNP I-NP B-ORG\nrejects VBZ I-VP O\n\n"
    (sample,) = read_samples(text, "f", Layout())
    assert [row[0] for row in sample.rows] == ["EU", "rejects"]
