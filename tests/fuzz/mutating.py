"""Small mutations of an input: of bytes, and of JSON values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final

STRANGE: Final = (
    b"\x00",
    b"\r",
    b"\n",
    b"\t",
    b" ",
    b'"',
    b"'",
    b"\\",
    b"#",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xc3",
    b"\x1b[31m",
    "\u202e".encode(),
    "\u2028".encode(),
    "e\u0301".encode(),
    "\u1100\u1161".encode(),
    "\u0660".encode(),
    "\u00b2".encode(),
    "\U0001f9a1".encode(),
)
"""Control characters, byte order marks, invalid UTF-8, digits that are not numbers."""
NUMBERS: Final = (
    *("0", "-1", "1", "00", "1e9", "1e308", "-1e308", "1e999", "nan", "inf", "-inf", "0x10", "1_000", ".5", "5."),
    *(str(2**31), str(2**63 - 1), str(2**63), str(-(2**63)), "9" * 30, "9" * 5_000, "1e-320", "true", "null"),
)
"""Numbers at and beyond the limits of machine types."""
BRACKETS: Final = "()[]{}<>"
_PIECES: Final = re.compile(rb"\w+|\s+|[^\w\s]", re.ASCII)
_NUMBER: Final = re.compile(rb"-?\d+(?:\.\d+)?")
MAX_LENGTH: Final = 20_000
"""Bytes of an input at most, so that many of them can be tried."""


def mutated(rng: Random, content: bytes, others: Sequence[bytes] = ()) -> bytes:
    """Return the content with one to eight changes; pieces are taken from `others`, inputs of the same kind."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        content = rng.choice(_CHANGES)(rng, content, others)[:MAX_LENGTH]
    return content


def _place(rng: Random, content: bytes) -> int:
    return rng.randint(0, len(content))


def _stretch(rng: Random, content: bytes) -> tuple[int, int]:
    begin = _place(rng, content)
    return begin, min(len(content), begin + rng.choice((1, 1, 2, 4, 10, 40)))


def _inserted(rng: Random, content: bytes, what: bytes) -> bytes:
    at = _place(rng, content)
    return content[:at] + what + content[at:]


def _without(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    begin, end = _stretch(rng, content)
    return content[:begin] + content[end:]


def _repeated(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    begin, end = _stretch(rng, content)
    return content[:end] + content[begin:end] * rng.choice((1, 1, 2, 20, 300)) + content[end:]


def _strange(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    return _inserted(rng, content, rng.choice(STRANGE))


def _flipped(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def _cut(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    return content[: _place(rng, content)]


def _renumbered(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(content))
    number = rng.choice(NUMBERS).encode()
    if not found:
        return _inserted(rng, content, number)
    chosen = rng.choice(found)
    return content[: chosen.start()] + number + content[chosen.end() :]


def _piece_for_piece(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """A word, a sign or a blank takes the place of another one of the same content."""
    pieces = _PIECES.findall(content)
    if len(pieces) < 2:
        return content
    pieces[rng.randrange(len(pieces))] = rng.choice(pieces)
    return b"".join(pieces)


def _lines_changed(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    line = lines[at]
    change = rng.randrange(4)
    if change == 0:
        del lines[at]
    elif change == 1:
        lines.insert(rng.randint(0, len(lines)), line)
    elif change == 2:
        lines[at] = rng.choice((b"    ", b"\t", b" ")) + line
    else:
        lines[at] = line.lstrip()
    return b"\n".join(lines)


def _spliced(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    lines = rng.choice(others).split(b"\n") if others else [b""]
    own = content.split(b"\n")
    begin = rng.randrange(len(lines))
    at = rng.randint(0, len(own))
    return b"\n".join([*own[:at], *lines[begin : begin + rng.choice((1, 1, 2, 6))], *own[at:]])


def _nested(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    return _inserted(rng, content, rng.choice(BRACKETS).encode() * rng.choice((1, 1, 2, 50, 2_000)))


def _long_word(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    return _inserted(rng, content, rng.choice((b"a", b"'s", b"-", b"1", b"|", b"a=b|")) * rng.choice((20, 600, 5_000)))


_CHANGES: Final = (
    _without,
    _without,
    _repeated,
    _strange,
    _flipped,
    _cut,
    _renumbered,
    _renumbered,
    _piece_for_piece,
    _piece_for_piece,
    _piece_for_piece,
    _lines_changed,
    _lines_changed,
    _spliced,
    _spliced,
    _nested,
    _long_word,
)

VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2.5, 1e308, float("nan"), float("inf"), 10**30, 2**63, -(2**63), "", "x", [], {}),
    *([0], [[]], {"x": 1}, "\ud800", "nan"),
)


def mutated_json(rng: Random, value: Any) -> Any:
    """Return a JSON value in which one part is changed, missing or duplicated."""
    parts: list[tuple[Any, Any]] = []
    _collect(value, parts)
    if not parts or rng.random() < 0.02:
        return deepcopy(rng.choice(VALUES))
    inside, key = rng.choice(parts)
    change = rng.randrange(6)
    if change == 0:
        del inside[key]
    elif change == 1 and isinstance(inside, list):
        inside.append(deepcopy(inside[key]))
    elif change == 2:
        other, place = rng.choice(parts)
        inside[key] = deepcopy(other[place])
    else:
        inside[key] = deepcopy(rng.choice(VALUES))
    return value


def _collect(value: Any, parts: list[tuple[Any, Any]]) -> None:
    """Collect the paths to the parts of a value; only a few of long lists."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))[:40]
    else:
        return
    for key in keys:
        parts.append((value, key))
        _collect(value[key], parts)
