"""Files that Numbat keeps for itself between two runs, in a folder of the user's cache.

What is kept is believed only if it is whole, a regular file, and the user's own: anything else is as if it were not
there, and is made anew in silence. The first line is a digest of the rest.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 1 << 28
"""A larger file is none of ours."""
DIGEST_LINE: Final = 65
"""Bytes of the first line, its end included."""
_FLAGS: Final = sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"))
"""A link is not followed, and a pipe that lies there is not waited for."""


def kept(path: Path) -> bytes | None:
    """What was kept under this name; None where nothing is that can be believed."""
    try:
        handle = os.open(path, os.O_RDONLY | _FLAGS)
    except (OSError, ValueError):
        return None
    with contextlib.suppress(OSError), os.fdopen(handle, "rb") as file:
        if _is_own(os.fstat(handle)):
            digest, content = file.read(DIGEST_LINE), file.read(MOST_BYTES)
            if digest == _digest_line(content):
                return content
    return None


def keep(path: Path, content: bytes) -> None:
    """Keep content under a name, for this user alone. Raises OSError."""
    from tempfile import mkstemp

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = mkstemp(".part", f"{path.name}.", path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines((_digest_line(content), content))
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def digest_of(path: Path) -> str:
    """A digest of a file of the user. Raises OSError, also for what is no regular file: a pipe has nothing to keep."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(f"{path}: not a regular file")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_own(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _digest_line(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode() + b"\n"
