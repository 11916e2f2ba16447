"""Numbers that are read from model files: each is checked for its kind and range, and so is the memory they ask for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from numbat import DataError
from numbat.cli import main as command_line
from numbat.labels.model_file import _pack
from numbat.labels.tagger import Tagger
from numbat.labels.token_files import Sample
from tests.command_line import Numbat

np = pytest.importorskip("numpy")
SAMPLES = [Sample((("the",), ("cat",), ("sleeps",)), ("D", "N", "V")), Sample((("a",), ("dog",)), ("D", "N"))]
HUGE: list[Any] = [float("nan"), float("inf"), 1e308, -1, 2.5, 10**30, 10**400, True, None, "5", [1]]


def changed(path: Path, learner: str, part: str, name: str, value: Any) -> Path:
    """A model whose header has another value, written to the path."""
    Tagger.train(SAMPLES, learner, calibrate=False).save(str(path))
    first, second, packed = path.read_bytes().split(b"\n", 2)
    header = json.loads(second)
    (header[part] if part else header)[name] = value
    path.write_bytes(b"\n".join((first, json.dumps(header).encode(), packed)))
    return path


@pytest.mark.parametrize(
    ("learner", "part", "name"),
    [
        *((learner, "tagger", name) for learner in ("perceptron", "memory") for name in ("tokens", "sentences")),
        ("perceptron", "", "further"),
        ("memory", "settings", "k"),
        ("memory", "settings", "least"),
    ],
)
@pytest.mark.parametrize("value", HUGE, ids=lambda value: str(value)[:20])
def test_counts_are_whole_numbers_in_range(tmp_path: Path, learner: str, part: str, name: str, value: Any) -> None:
    path = changed(tmp_path / "m", learner, part, name, value)
    with pytest.raises(DataError) as caught:
        Tagger.load(str(path))
    assert str(caught.value) == f"{path}: the model is damaged\n  copy or train it again"


@pytest.mark.parametrize("value", [each for each in HUGE if each != 2.5], ids=lambda value: str(value)[:20])
@pytest.mark.parametrize(
    ("learner", "part", "name"),
    [("perceptron", "tagger", "sharpness"), ("memory", "tagger", "sharpness"), ("memory", "settings", "decay")],
)
def test_powers_are_finite_numbers(tmp_path: Path, learner: str, part: str, name: str, value: Any) -> None:
    with pytest.raises(DataError):
        Tagger.load(str(changed(tmp_path / "m", learner, part, name, value)))


@pytest.mark.parametrize("size", [1 << 20, 1 << 24])
def test_a_model_that_grows_out_of_proportion_is_refused_before_it_is_unpacked(tmp_path: Path, size: int) -> None:
    zeros = np.zeros(size, np.int32)
    header = {
        "arrays": [["lengths", "int32", [1]], ["labels", "int32", [size]], ["column0", "int32", [size]]],
        "labels": ["", "N", "V"],
        "settings": {"k": 5},
        "symbols": [["cat"]],
        "tagger": {"learner": "memory", "sentences": 1, "tokens": size, "sharpness": 1.0},
    }
    packed = _pack(np.array([size], np.int32)) + 2 * _pack(zeros)
    path = tmp_path / "bomb.model"
    path.write_bytes(b"numbat-tagger 1\n" + json.dumps(header).encode() + b"\n" + packed)
    with pytest.raises(DataError, match="the model is damaged"):
        Tagger.load(str(path))


def test_a_command_without_memory_ends_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(command_line, "cli", full)
    done = Numbat(capsys, monkeypatch)("check", "english")
    assert done.err == "numbat: not enough memory\n  give less input at once, or fewer --jobs\n"
    assert done.code == 71
