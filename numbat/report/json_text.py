"""JSON as text; what lies too deep for it is an error of the input, for `json.loads` could not read it back."""

from __future__ import annotations

import json
from typing import Any

from numbat.errors import DataError


def json_text(value: Any, where: str, instead: str, indent: int | None = None, compact: bool = False) -> str:
    """A value as JSON, `compact`: without blanks.

    Raises DataError for a tree that is nested too deeply, with what writes it `instead`.
    """
    try:
        if compact:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        text = json.dumps(value, ensure_ascii=False)  # meets the depth at once, the indented form after long
        return text if indent is None else json.dumps(value, ensure_ascii=False, indent=indent)
    except RecursionError:
        raise DataError(f"{where}: this tree is too deep for JSON\n  {instead} writes any depth") from None
