"""What a page asks of the user's files, as JSON: `list` them, `open` the grammar, `read` one, `save` one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from numbat.errors import NumbatError, UsageError
from numbat.records import frozen
from numbat.settings import record_of
from numbat.web.facade import answered, check_name, error_view
from numbat.web.requests import Nothing
from numbat.web.serving.folder import ChangedError, Folder


@frozen
class FileName:
    """The name of a file in the folder."""

    name: str


@frozen
class FileToSave:
    """A file with its new text, and the digest that it had when it was read, empty for a new file."""

    name: str
    text: str
    digest: str = ""


@frozen
class FolderRequest:
    """What is asked by name, and what it is given."""

    call: str
    given: dict[str, Any]


def _list(folder: Folder, given: Nothing) -> dict[str, Any]:
    return {"files": folder.names()}


def _open(folder: Folder, given: Nothing) -> dict[str, Any]:
    return {"main": folder.main, "files": [asdict(each) for each in folder.grammar()]}


def _read(folder: Folder, given: FileName) -> dict[str, Any]:
    return asdict(folder.read(given.name))


def _save(folder: Folder, given: FileToSave) -> dict[str, Any]:
    saved = folder.save(given.name, given.text, given.digest)
    return {"name": saved.name, "digest": saved.digest}


CALLS: Final[dict[str, tuple[type, Callable[[Folder, Any], dict[str, Any]]]]] = {
    "list": (Nothing, _list),
    "open": (Nothing, _open),
    "read": (FileName, _read),
    "save": (FileToSave, _save),
}
"""What each takes, and the function that answers it."""


def answer(folder: Folder | None, value: Any) -> dict[str, Any]:
    """The answer to a request about files, in the form of the façade's."""
    name = str(value.get("call", "")) if isinstance(value, dict) else ""
    try:
        request = record_of(FolderRequest, value, "request")
        check_name(name, CALLS, "call on files")
        if folder is None:
            raise UsageError("there is no folder\n  start numbat serve with a grammar file, whose folder it then has")
        takes, function = CALLS[name]
        return answered(name, answer=function(folder, record_of(takes, request.given, "given")))
    except ChangedError as error:
        return answered(name, error={**error_view(error), "kind": "changed"})
    except NumbatError as error:
        return answered(name, error=error_view(error))
