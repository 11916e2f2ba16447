"""The English of the project: few sentences that a stranger has to read twice, no names that say nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.plain_english import Place, empty_names, is_plain, places

ROOT: Final = Path(__file__).parents[1]
PARTS: Final = {
    "the program": ("numbat",),
    "the pages": ("docs", "README.md", "CONTRIBUTING.md"),
    "the tests": ("tests",),
}
MOST: Final = 0.005
"""Share of texts that may match a pattern: a pattern is a hint, and some sentences match it and are plain."""


@pytest.mark.parametrize("part", PARTS)
def test_few_sentences_are_turned_around(part: str) -> None:
    texts = list(places(ROOT / name for name in PARTS[part]))
    assert len(texts) > 1_000
    doubtful = [f"{place.path.relative_to(ROOT)}:{place.line}: {place.text}" for place in texts if not is_plain(place)]
    assert len(doubtful) <= MOST * len(texts), "\n".join(doubtful)


def test_a_name_says_what_it_stands_for() -> None:
    found = [(path, line, name) for path in (ROOT / "numbat").rglob("*.py") for line, name in empty_names(path)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So many sentences are read at once.", False),
        ("What is known of the sentence under a key.", False),
        ("Number of sentences read at once.", True),
        ("Others are told and left out.", False),
        ("Lines that cannot be read are reported and skipped.", True),
        ("It took 11 ms in the mean.", False),
    ],
)
def test_the_patterns(text: str, expected: bool) -> None:
    assert is_plain(Place(ROOT, 1, text, True)) is expected
