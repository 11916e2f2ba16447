"""The requests of the folder `web_cases`, which has the fields of each answer that count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from numbat.workbench.session import MAX_SECONDS

FOLDER: Final = Path(__file__).parent / "web_cases"
CASES: Final = sorted(FOLDER.glob("*.json"))
TINY: Final = (FOLDER / "tiny.pg").read_text(encoding="utf-8")


def read_case(path: Path) -> tuple[dict[str, Any], Any]:
    """Return a request and its answer; by default the request has the maximal time."""
    case = json.loads(path.read_text(encoding="utf-8"))
    request: dict[str, Any] = case["request"]
    if request.get("grammar", {}).get("main") == "tiny.pg":
        request["grammar"].setdefault("files", {"tiny.pg": TINY})
    request.setdefault("settings", {}).setdefault("seconds", MAX_SECONDS)
    return request, case["answer"]
