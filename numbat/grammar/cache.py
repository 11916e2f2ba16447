"""Grammars that were read before, kept as JSON, so that a start of the program does not read them by Lark again.

A kept grammar is used only while the text of each of its files, the version of Numbat and the shape of the records are
what they were. The cache lies in `$NUMBAT_CACHE`, else in `numbat` below the user's cache folder; `NUMBAT_CACHE=off`
switches it off. Where it cannot be written, nothing is kept; of many grammars only those used last are.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from numbat import source
from numbat.files import write_whole
from numbat.grammar import expressions, model, properties, relations
from numbat.grammar.lazy_lexicon import KeptLexicon, lines_of
from numbat.grammar.model import Grammar
from numbat.version import __version__

MOST_KEPT: Final = 200
"""When there are more grammars, those that were not used for the longest time go."""

DIGITS: Final = 24
"""The name of a kept file ends with so many digits of a digest, by which it is known as one of these."""


def folder() -> Path | None:
    """Where grammars are kept, None where keeping is switched off."""
    chosen = os.environ.get("NUMBAT_CACHE", "")
    if chosen.lower() in ("off", "no", "false", "0"):
        return None
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(home or os.path.expanduser("~/.cache")) / "numbat"


def get(path: Path) -> Grammar | None:
    """The grammar that was read from this file, None when it was not or when one of its files has changed."""
    kept = _file(path)
    if kept is None:
        return None
    try:
        record = json.loads(kept.read_text(encoding="utf-8"))
        if record["version"] != __version__ or record["shape"] != _shape():
            return None
        if any(_digest(Path(name)) != digest for name, digest in record["files"].items()):
            return None
        grammar = decode(record["grammar"])
        if not isinstance(grammar, Grammar):
            return None
        grammar = replace(grammar, lexicon=KeptLexicon(record["lexicon"], decode(record["readings"])))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    with contextlib.suppress(OSError):
        os.utime(kept)
    return grammar


def put(path: Path, grammar: Grammar, files: Mapping[Path, bytes]) -> None:
    """Keep a grammar that was read from these files; nothing happens where the folder cannot be written."""
    kept = _file(path)
    if kept is None:
        return
    lines, bare = lines_of(grammar.lexicon)
    record = {
        "version": __version__,
        "shape": _shape(),
        "files": {str(name): hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "grammar": encode(replace(grammar, lexicon=())),
        "lexicon": lines,
        "readings": encode(tuple(bare)),
    }
    with contextlib.suppress(OSError, ValueError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, _json(record).encode())
        ours = f"*-{'[0-9a-f]' * DIGITS}.*"  # the folder may hold other files; a run may have ended before it renamed
        for old in sorted(kept.parent.glob(ours), key=_used)[:-MOST_KEPT]:
            old.unlink()


def _used(kept: Path) -> float:
    return kept.stat().st_mtime


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _file(path: Path) -> Path | None:
    """Where the grammar of a file is kept: by its whole path and by the name it goes by here, which spans repeat."""
    where = folder()
    name = hashlib.sha256(repr((os.path.abspath(path), str(path))).encode()).hexdigest()[:DIGITS]
    return None if where is None else where / f"{path.stem}-{name}.json"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _shape() -> str:
    """A digest of this room's code by time and size, so that a change of it makes what was kept void."""
    code = sorted(path for ending in ("*.py", "*.lark") for path in Path(__file__).parent.rglob(ending))
    return hashlib.sha256(
        repr([(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in code]).encode()
    ).hexdigest()


_RECORDS: Final[dict[str, Callable[..., Any]]] = {
    name: record
    for module in (model, properties, relations, expressions, source)
    for name, record in vars(module).items()
    if isinstance(record, type) and is_dataclass(record)
}


def encode(value: Any) -> list[Any]:
    """What a value is made of, each part after its own parts and once only, the value last.

    A record is a list of its name and the places of its parts, a tuple one of nothing and these; the rest is as it is.
    """
    parts: list[Any] = []
    places: dict[tuple[Any, ...], int] = {}

    def place(value: Any) -> int:
        key: tuple[Any, ...]
        if is_dataclass(value):
            key = type(value).__name__, *[place(getattr(value, field.name)) for field in fields(value)]
        elif isinstance(value, tuple):
            key = "", *map(place, value)
        else:
            key = value, type(value)  # for 1, 1.0 and True are equal
        known = places.setdefault(key, len(parts))
        if known == len(parts):
            parts.append(list(key) if is_dataclass(value) or isinstance(value, tuple) else value)
        return known

    place(value)
    return parts


def decode(parts: list[Any]) -> Any:
    """The value that `encode` took apart; equal parts of it are one."""
    made: list[Any] = []
    for part in parts:
        if type(part) is list:
            kind, *places = part
            inner = [made[place] for place in places]
            made.append(_RECORDS[kind](*inner) if kind else tuple(inner))
        else:
            made.append(part)
    return made[-1]
