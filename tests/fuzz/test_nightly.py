"""Results of the nightly script: small failing inputs, one for each kind of failure, and counts over all nights."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import nightly
from tests.fuzz.runner import Kind, Made


def _make(rng: Random, folder: Path) -> Made:
    content = bytes(rng.choices(b"abcx", k=40))
    (folder / "in.txt").write_bytes(content)
    return "mutated"


def _read(rng: Random, folder: Path) -> object:
    if b"x" in (folder / "in.txt").read_bytes():
        raise ValueError("an x")
    return None


KIND = Kind("toy", _make, _read, file="in.txt", batch=10)


def test_an_input_is_made_as_small_as_it_can_be() -> None:
    assert nightly.smaller(b"aaaaxbbbbbbbxbb", lambda each: b"x" in each) == b"x"
    assert nightly.smaller(b"(((a)))", lambda each: each.count(b"(") == 3) == b"((("


def test_a_night_keeps_what_it_found_and_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nightly, "GROUPS", {"toys": (KIND,)})
    monkeypatch.setattr(nightly, "find_spec", lambda name: None)
    monkeypatch.setattr(nightly, "monotonic", iter([0.0, 1.0, 1.0, 100.0] * 2).__next__)
    monkeypatch.setattr(nightly, "AT_ONCE", 10)
    monkeypatch.setattr(sys, "argv", ["nightly", "--minutes", "1", "--folder", str(tmp_path)])
    assert [nightly.main(), nightly.main()] == [1, 1]
    counts = json.loads((tmp_path / "counts.json").read_text())["toy"]
    assert counts["next"] == 1_000_020
    assert counts["read"] + counts["refused"] == 20
    assert counts["badly"] == counts["refused"] > 5
    found = sorted(path.suffix for path in (tmp_path / "found").iterdir())
    assert found == [".bin", ".txt"]
    (kept,) = (tmp_path / "found").glob("*.bin")
    assert kept.read_bytes() == b"x"
    assert capsys.readouterr().out.splitlines()[-1] == f"20 inputs in all nights, {counts['badly']} ended badly"
