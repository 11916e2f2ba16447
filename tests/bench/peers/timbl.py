"""The program TiMBL (Debian package timbl) on the same instances."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from numbat.labels.csi import Trigram, trigrams
from numbat.labels.memory import REACH
from numbat.labels.token_files import Sample

EDGE = "__"
OPTIONS = {
    "mvdm": "-mM",
    "overlap": "-mO",
    "il": "-dIL",
    "id": "-dID",
    "majority": "-dZ",
    "gr": "-w1",
    "ig": "-w2",
    "none": "-w0",
}


@dataclass(frozen=True)
class Answers:
    """The predicted class of each token, and tokens per second without reading and learning."""

    classes: list[Trigram]
    speed: float


def is_here() -> bool:
    return shutil.which("timbl") is not None


def classify(trained: Sequence[Sample], judged: Sequence[Sample], k: int, chosen: Sequence[str]) -> Answers:
    """`chosen` are names of OPTIONS."""
    with TemporaryDirectory() as folder:
        train, test, out = (Path(folder) / name for name in ("train", "test", "out"))
        _write(train, trained)
        _write(test, judged)
        command = [
            "timbl",
            "-f",
            str(train),
            "-t",
            str(test),
            "-o",
            str(out),
            f"-k{k}",
            *(OPTIONS[one] for one in chosen),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        speed = re.search(r"\((\d+\.\d+) p/s\)", done.stdout + done.stderr)
        assert speed is not None, done.stderr[-500:]
        said = [line.split(" ")[-1] for line in out.read_text(encoding="utf-8").splitlines()]
    return Answers([_trigram(one) for one in said], float(speed[1]))


def _write(path: Path, samples: Sequence[Sample]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for sample in samples:
            columns = range(len(sample.rows[0]))
            padded = [(EDGE,) * len(columns)] * REACH + list(sample.rows) + [(EDGE,) * len(columns)] * REACH
            for i, labels in enumerate(trigrams(sample.labels)):
                window = [padded[i + j][column] for column in columns for j in range(2 * REACH + 1)]
                file.write(" ".join([*window, "+".join(label or EDGE for label in labels)]) + "\n")


def _trigram(written: str) -> Trigram:
    left, focus, right = ("" if part == EDGE else part for part in written.split("+"))
    return left, focus, right
