"""The user's files that a page may read and save, all of them below one folder, and the calls for that."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any, Final

from numbat.acceptability.exercises import is_exercise
from numbat.acceptability.suite_files import looks_judged, names_beside
from numbat.errors import DataError, MissingFileError, NumbatError, UnwritableError, UsageError, half_character, visible
from numbat.files import content_of, reason, write_whole
from numbat.grammar.loading import read_grammar
from numbat.records import frozen
from numbat.settings import record_of
from numbat.workbench.facade import answered, check_name, error_view
from numbat.workbench.session import Nothing

READABLE: Final = (".pg", ".yaml", ".yml", ".tsv", ".csv", ".txt", ".jsonl")
"""Suffixes of files that a page may read and save: grammars, lexicons, suites."""
MAX_SIZE: Final = 4_000_000
"""Maximal size of a file in bytes."""
MAX_LISTED: Final = 500
MAX_NAME: Final = 250
DEEPEST: Final = 2
"""Depth of the subfolders whose files are listed."""


class ChangedError(DataError):
    """The file has changed since the page read it, so saving it would lose the changes of somebody else."""


@frozen
class OpenedFile:
    """The text of a file, and a digest that later shows whether the file has changed."""

    name: str
    text: str
    digest: str


class Folder:
    """A folder whose grammars, lexicons and suites a page may read and save; `main` is the grammar to begin with.

    Names are relative to the folder, with `/` between their parts.
    """

    def __init__(self, root: Path, main: str) -> None:
        self.root = Path(os.path.realpath(root))
        self.main = main
        self._lock = Lock()

    def names(self) -> list[str]:
        """Return the names of the files that a page may read, without those in hidden folders."""
        names: list[str] = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            inside = Path(folder).relative_to(self.root)
            if len(inside.parts) >= DEEPEST:
                folders.clear()
            names += ((inside / file).as_posix() for file in sorted(files) if file.endswith(READABLE))
            if len(names) > MAX_LISTED:
                break
        return names[:MAX_LISTED]

    def grammar(self) -> list[OpenedFile]:
        """Return the first file of the grammar and the files of the folder that it names; for an exercise only this.

        Raises MissingFileError and DataError.
        """
        main = self.read(self.main)
        if is_exercise(self.main):
            return [main]
        named = read_grammar(self._path(self.main), main.text).files
        return [main, *(self.read(name) for name in self._inside(named) if name != self.main)]

    def suite(self) -> OpenedFile | None:
        """Return the suite beside the grammar, the first that can be read (`names_beside`); None if there is none."""
        main = self._path(self.main)
        for name in names_beside(main):
            if is_exercise(self.main) or not (main.parent / name).is_file():
                continue
            try:
                file = self.read(main.with_name(name).relative_to(self.root).as_posix())
            except NumbatError:
                continue  # the message comes when the user opens it
            if looks_judged(name, file.text):
                return file
        return None

    def _inside(self, paths: Iterable[Path]) -> list[str]:
        real = (Path(os.path.realpath(path)) for path in paths)
        return [path.relative_to(self.root).as_posix() for path in real if path.is_relative_to(self.root)]

    def read(self, name: str) -> OpenedFile:
        """Return a file of the folder. Raises MissingFileError, and DataError for files that a page may not read."""
        path = self._path(name)
        content = content_of(str(path))
        _check_size(name, content)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise DataError(f"{name}: this is not UTF-8\n  save the file in the encoding UTF-8") from None
        return OpenedFile(name, text, _digest(content))

    def save(self, name: str, text: str, digest: str) -> OpenedFile:
        """Save a file; `digest` is that of the file when the page read it, empty for a new file.

        Raises ChangedError if the file on the disk has another digest, DataError, and UnwritableError.
        """
        path = self._path(name)
        if wrong := half_character(text):
            raise DataError(f"{name}: {wrong}\n  write the character itself")
        content = text.encode()
        _check_size(name, content)
        with self._lock:
            before = _digest(content_of(str(path))) if path.exists() else ""
            if before != digest:
                what = "has changed" if before and digest else "exists already" if before else "no longer exists"
                raise ChangedError(f"{name} {what} on the disk\n  save it under another name, or open it again")
            try:
                write_whole(path, content)
            except OSError as error:
                raise UnwritableError(name, reason(error)) from None
        return OpenedFile(name, text, _digest(content))

    def _path(self, name: str) -> Path:
        """Return the path of a file below the folder. Raises DataError for any other file, after resolving links."""
        pure = PurePosixPath(name)
        path = self.root / pure
        is_plain = name.isprintable() and "\\" not in name and len(name.encode()) <= MAX_NAME
        is_inside = is_plain and not pure.is_absolute() and Path(os.path.realpath(path)).is_relative_to(self.root)
        is_named = path.suffix in READABLE and not any(part.startswith(".") for part in pure.parts)
        if not (is_named and is_inside):
            hint = f"name a file below {self.root} that ends with {', '.join(READABLE)}"
            raise DataError(f"{visible(name[:80])}: not a file of this folder\n  {hint}")
        if path.exists() and not path.is_file():
            raise MissingFileError(f"{name}: this is not a file\n  name a file")
        return path


def _check_size(name: str, content: bytes) -> None:
    if len(content) > MAX_SIZE:
        raise DataError(f"{name}: this file has more than {MAX_SIZE // 1_000_000} MB\n  use a smaller one")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# Calls about the user's files: `list`, `open` the grammar, the `suite` beside it, `read`, `save`


@frozen
class FileName:
    """The name of a file in the folder."""

    name: str


@frozen
class FileToSave:
    """A file with its new text, and its digest when the page read it, empty for a new file."""

    name: str
    text: str
    digest: str = ""


@frozen
class FolderRequest:
    """A request by name, with its arguments."""

    call: str
    given: dict[str, Any]


def _list(folder: Folder, given: Nothing) -> dict[str, Any]:
    return {"files": folder.names()}


def _open(folder: Folder, given: Nothing) -> dict[str, Any]:
    return {"main": folder.main, "files": [asdict(file) for file in folder.grammar()]}


def _suite(folder: Folder, given: Nothing) -> dict[str, Any]:
    suite = folder.suite()
    return {"file": None if suite is None else asdict(suite)}


def _read(folder: Folder, given: FileName) -> dict[str, Any]:
    return asdict(folder.read(given.name))


def _save(folder: Folder, given: FileToSave) -> dict[str, Any]:
    saved = folder.save(given.name, given.text, given.digest)
    return {"name": saved.name, "digest": saved.digest}


CALLS: Final[dict[str, tuple[type, Callable[[Folder, Any], dict[str, Any]]]]] = {
    "list": (Nothing, _list),
    "open": (Nothing, _open),
    "suite": (Nothing, _suite),
    "read": (FileName, _read),
    "save": (FileToSave, _save),
}
"""Calls by name: the record of the arguments, and the function that answers."""


def answer(folder: Folder | None, value: Any) -> dict[str, Any]:
    """Return the answer to a request about files, in the same form as the answers of the façade."""
    name = str(value.get("call", "")) if isinstance(value, dict) else ""
    try:
        request = record_of(FolderRequest, value, "request")
        check_name(name, CALLS, "call on files")
        if folder is None:
            raise UsageError("this server has no folder\n  start numbat serve with a grammar file to use its folder")
        takes, function = CALLS[name]
        return answered(name, answer=function(folder, record_of(takes, request.given, "given")))
    except ChangedError as error:
        return answered(name, error={**error_view(error), "kind": "changed"})
    except NumbatError as error:
        return answered(name, error=error_view(error))
