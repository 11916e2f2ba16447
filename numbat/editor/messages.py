"""Messages of JSON-RPC between an editor and its server: their bodies, headers and contents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

LENGTH: Final = re.compile(rb"Content-Length: (\d{1,12})\r\n")
"""The header of a message."""


def bodies(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bodies of the messages in a stream."""
    size = 0
    while line := stream.readline():
        if (header := LENGTH.fullmatch(line)) and not size:
            size = int(header[1])
        elif size and not line.strip():
            if len(body := stream.read(size)) < size:
                return
            yield body
            size = 0


def framed(body: bytes) -> bytes:
    """Return a message with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def content_of(body: bytes) -> dict[str, Any] | None:
    """Return a message as an object, which is empty if the message is none; None if it is not JSON."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else {}


def is_answer(content: dict[str, Any]) -> bool:
    """Return True if a message answers a request, rather than being one."""
    return "method" not in content and ("result" in content or "error" in content)


def body_of(**content: Any) -> bytes:
    """Return the body of a message."""
    return json.dumps({"jsonrpc": "2.0", **content}).encode()
