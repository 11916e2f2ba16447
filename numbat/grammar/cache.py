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
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from numbat.grammar import relations
from numbat.grammar.model import Grammar
from numbat.version import __version__


def folder() -> Path | None:
    """Where grammars are kept, None where keeping is switched off."""
    chosen = os.environ.get("NUMBAT_CACHE", "")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path("~/.cache").expanduser()) / "numbat"


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
        grammar = _decoder(Grammar)(record["grammar"])
        assert isinstance(grammar, Grammar)
        return grammar
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def put(path: Path, grammar: Grammar, files: Mapping[Path, bytes]) -> None:
    """Keep a grammar that was read from these files; nothing happens where the folder cannot be written."""
    kept = _file(path)
    if kept is None:
        return
    record = {
        "version": __version__,
        "shape": _shape(),
        "files": {str(name): hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "grammar": encode(grammar),
    }
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=kept.parent, delete=False) as new:
            json.dump(record, new, ensure_ascii=False, separators=(",", ":"))
        os.replace(new.name, kept)


def _file(path: Path) -> Path | None:
    where = folder()
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:24]
    return None if where is None else where / f"{path.stem}-{name}.json"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _shape() -> str:
    """A digest of the names and fields of all records, so that a change of them makes what was kept void."""
    hints = [(name, sorted(map(str, get_type_hints(record).items()))) for name, record in sorted(_records().items())]
    return hashlib.sha256(repr(hints).encode()).hexdigest()[:16]


@cache
def _records() -> dict[str, type]:
    """Every record that a grammar is made of, by name; an expression's record is found by its name in the file."""
    found: dict[str, type] = {}

    def collect(hint: Any) -> None:
        if is_dataclass(hint) and isinstance(hint, type):
            if hint.__name__ not in found:
                found[hint.__name__] = hint
                for inner in get_type_hints(hint).values():
                    collect(inner)
        for inner in get_args(hint):
            collect(inner)

    collect(Grammar)
    return found


def encode(value: Any) -> Any:
    """Records as lists of their field values; a record that stands for one of several kinds is led by its name."""
    if is_dataclass(value):
        content = [encode(getattr(value, f.name)) for f in fields(value)]
        return [type(value).__name__, *content] if isinstance(value, get_args(relations.Expression)) else content
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return value


@cache
def _decoder(hint: Any) -> Callable[[Any], Any]:
    """The function that makes a value of the given type from what JSON gives back."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        if hint == relations.Expression:
            return lambda content: _fill(_records()[content[0]], content[1:])
        (inner,) = (_decoder(argument) for argument in arguments if argument is not NoneType)
        return lambda content: None if content is None else inner(content)
    if origin is tuple and arguments[-1] is Ellipsis:
        item = _decoder(arguments[0])
        if item is _same:
            return tuple
        return lambda content: tuple(map(item, content))
    if origin is tuple:
        items = tuple(_decoder(argument) for argument in arguments)
        return lambda content: tuple(decode(part) for decode, part in zip(items, content, strict=True))
    if origin is Literal or hint in (str, int, float, bool):
        return _same
    return lambda content: _fill(hint, content)


def _same(content: Any) -> Any:
    return content


@cache
def _field_decoders(record: type) -> tuple[Callable[[Any], Any], ...]:
    hints = get_type_hints(record)
    return tuple(_decoder(hints[f.name]) for f in fields(record))


def _fill(record: type, content: list[Any]) -> Any:
    return record(*(decode(part) for decode, part in zip(_field_decoders(record), content, strict=True)))
