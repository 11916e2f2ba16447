"""The solver toulbar2 (Debian package) on the weighted constraint satisfaction problem of one sentence."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from numbat.labels.csi import EDGE, Prediction, domains

Scope = tuple[tuple[int, str], ...]
"""Tokens with the labels that satisfy a constraint."""


def is_here() -> bool:
    return shutil.which("toulbar2") is not None


def constraints(said: Sequence[Prediction]) -> Iterator[tuple[Scope, float]]:
    """The constraints of every predicted trigram, as the paper has them, with their weights; edges are settled."""
    for i, own in enumerate(said):
        whole = tuple(zip((i - 1, i, i + 1), own.labels, strict=True))
        parts = [(whole, own.trigram), (whole[:2], own.pairs[0]), (whole[1:], own.pairs[1])]
        parts += [((one,), weight) for one, weight in zip(whole, own.singles, strict=True)]
        for scope, weight in parts:
            inside = tuple((at, label) for at, label in scope if 0 <= at < len(said))
            outside = [label for at, label in scope if not 0 <= at < len(said)]
            if inside and all(label == EDGE for label in outside) and (len(inside) == len(scope) or len(scope) > 1):
                yield inside, weight


def optimum(said: Sequence[Prediction], unit: int) -> float:
    """The greatest weight of satisfied constraints; weights are multiples of 1 / unit."""
    every = [(scope, round(weight * unit)) for scope, weight in constraints(said)]
    labels = domains(said)
    lines = [f"csi {len(said)} {max(map(len, labels))} {len(every)} {sum(weight for _, weight in every) + 1}"]
    lines.append(" ".join(str(len(one)) for one in labels))
    for scope, weight in every:
        possible = all(label in labels[at] for at, label in scope)
        lines.append(f"{len(scope)} {' '.join(str(at) for at, _ in scope)} {weight} {int(possible)}")
        if possible:
            lines.append(f"{' '.join(str(labels[at].index(label)) for at, label in scope)} 0")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "csi.wcsp"
        path.write_text("\n".join(lines) + "\n")
        done = subprocess.run(["toulbar2", str(path)], capture_output=True, text=True, check=False)
    found = re.search(r"^Optimum: (\d+)", done.stdout, re.MULTILINE)
    assert found is not None, done.stdout[-500:]
    return (sum(weight for _, weight in every) - int(found[1])) / unit
