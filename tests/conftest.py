"""What all tests share: grammars are read afresh in each run, and the data beside the project may be absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["NUMBAT_CACHE"] = "off"

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of treebanks and rated sentences; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("NUMBAT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}; set NUMBAT_DATA to run this test")
    return folder
