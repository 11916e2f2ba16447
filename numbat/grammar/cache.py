"""Grammars that were read before, kept as JSON, so that a start of the program does not read them by Lark again.

A kept grammar is used only while the text of each of its files, the version of Numbat and the shape of the records are
what they were. The cache lies in `$NUMBAT_CACHE`, else in `numbat` below the user's cache folder; `NUMBAT_CACHE=off`
switches it off. Where it cannot be written, nothing is kept.
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
from numbat.grammar import expressions, model, relations
from numbat.grammar.kept import KeptLexicon, lines_of
from numbat.grammar.model import Grammar
from numbat.version import __version__


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
        return replace(grammar, lexicon=KeptLexicon(record["lexicon"], decode(record["readings"])))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


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
        new = kept.with_suffix(f".{os.getpid()}.new")
        new.write_text(_json(record), encoding="utf-8")
        os.replace(new, kept)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _file(path: Path) -> Path | None:
    """Where the grammar of a file is kept: by its whole path and by the name it goes by here, which spans repeat."""
    where = folder()
    name = hashlib.sha256(repr((os.path.abspath(path), str(path))).encode()).hexdigest()[:24]
    return None if where is None else where / f"{path.stem}-{name}.json"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _shape() -> str:
    """A digest of this room's code by time and size, so that a change of it makes what was kept void."""
    code = sorted(Path(__file__).parent.glob("*.py")) + sorted(Path(__file__).parent.glob("*.lark"))
    return hashlib.sha256(
        repr([(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in code]).encode()
    ).hexdigest()


_RECORDS: Final[dict[str, Callable[..., Any]]] = {
    name: record
    for module in (model, relations, expressions, source)
    for name, record in vars(module).items()
    if isinstance(record, type) and is_dataclass(record)
}


def encode(value: Any) -> Any:
    """Records as lists led by their name, tuples as lists led by nothing, the rest as it is."""
    if is_dataclass(value):
        return [type(value).__name__, *(encode(getattr(value, f.name)) for f in fields(value))]
    if isinstance(value, tuple):
        return ["", *map(encode, value)]
    return value


def decode(content: Any) -> Any:
    """What `encode` made into lists, as it was."""
    if type(content) is not list:
        return content
    kind, *parts = content
    return _RECORDS[kind](*map(decode, parts)) if kind else tuple(map(decode, parts))
