"""The switch of the compiled kernels, `NUMBAT_KERNEL` in the environment."""

from __future__ import annotations

import os

from numbat.errors import UsageError


def wants_python() -> bool:
    """Whether the compiled kernels are switched off. Raises UsageError for what the switch does not know."""
    value = os.environ.get("NUMBAT_KERNEL", "")
    if value not in ("", "compiled", "python"):
        raise UsageError(
            f'NUMBAT_KERNEL is "{value}" in the environment, which is no kernel\n'
            "  set it to python, or to compiled, or unset it: then it is compiled where it could be built"
        )
    return value == "python"
