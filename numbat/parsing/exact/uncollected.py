"""Work that makes many records which refer to none before them: there is no garbage in circles to look for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Python does not look for garbage in circles meanwhile; it would take a tenth of the time of a parse."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
