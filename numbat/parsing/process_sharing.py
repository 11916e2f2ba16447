"""Parsers in other processes: each process is sent a parser once, not with every sentence.

A parser pickles as what it was made of, its grammar above all. What `multiprocessing` sends between the processes of
one program, as in `executor.map(parser.parse, sentences)`, is shorter: the key of the parser, and the name of a file
with the whole. A process that was forked while the parser was there has it already, with all that it has learned; any
other one reads the file, once. The files are in a folder of their own, which is removed when the program ends.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from threading import Lock
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

MOST_RECEIVED: Final = 4
"""So many parsers of other processes are kept: the last that were used."""
MOST_FILES: Final = 16
"""So many files of parsers that are no longer there are kept, for tasks that may still wait in a queue."""


_keys: WeakKeyDictionary[object, str] = WeakKeyDictionary()
_parsers: WeakValueDictionary[str, object] = WeakValueDictionary()
_received: OrderedDict[str, Any] = OrderedDict()
_files: dict[str, str] = {}
_lock = Lock()


def share(parser: object) -> None:
    """Make a parser known, so that processes that are forked from now on find it by its key."""
    key = os.urandom(16).hex()
    _keys[parser] = key
    _parsers[key] = parser
    announce(type(parser))


def announce(kind: type[object]) -> None:
    """Tell `multiprocessing`, if it is loaded, how parsers of a class are sent: nobody else need load it."""
    reduction = sys.modules.get("multiprocessing.reduction")
    if reduction is not None:
        reduction.ForkingPickler.register(kind, _sent)


def _sent(parser: object) -> tuple[Any, ...]:
    """How a parser is sent to another process of this program: in full where no file could be written."""
    key = _keys[parser]
    with _lock:
        try:
            path = _files.get(key) or _write(key, parser)
        except OSError:
            path = None
    return parser.__reduce__() if path is None else (_receive, (key, path))  # type: ignore[return-value]


def _receive(key: str, path: str) -> Any:
    """The parser of a key: the one that this process has, or that of the file."""
    parser: Any = _parsers.get(key)
    if parser is not None:
        return parser
    with _lock:
        if key not in _received:
            import pickle

            with open(path, "rb") as file:
                _received[key] = pickle.load(file)
        _received.move_to_end(key)
        if len(_received) > MOST_RECEIVED:
            _received.popitem(last=False)
        return _received[key]


def _write(key: str, parser: object) -> str | None:
    """Write the file of a parser; none where this process is the worker of another, which removes no files."""
    import pickle
    from multiprocessing import parent_process

    if parent_process() is not None:
        return None
    for gone in [each for each in _files if each not in _parsers][:-MOST_FILES]:
        os.unlink(_files.pop(gone))
    path = os.path.join(_Folder.of_this_process(), key)
    with open(path, "wb") as file:
        pickle.dump(parser, file, pickle.HIGHEST_PROTOCOL)
    _files[key] = path
    return path


class _Folder:
    """The folder of the files, made when it is first needed; nobody else may read it."""

    path: str | None = None
    process = 0

    @classmethod
    def of_this_process(cls) -> str:
        if cls.path is None or cls.process != os.getpid():
            import atexit
            from tempfile import mkdtemp

            cls.path, cls.process = mkdtemp(prefix="numbat-"), os.getpid()
            atexit.register(_remove, cls.path, cls.process)
        return cls.path


def _remove(folder: str, process: int) -> None:
    from shutil import rmtree

    if os.getpid() == process:
        rmtree(folder, ignore_errors=True)


def _begin_anew() -> None:
    """In a process that was just forked: what other threads were at will never be finished, files are not its own."""
    global _lock
    _lock = Lock()
    _files.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
