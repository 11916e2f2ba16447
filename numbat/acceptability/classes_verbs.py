"""What students saved of an exercise, in a folder: each grammar judged, and what is most often wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from numbat.acceptability.classes import Class, Marked
from numbat.acceptability.exercises import Exercise, exercise_of, is_exercise
from numbat.acceptability.mistakes import mistakes_of
from numbat.acceptability.models import parser_of
from numbat.acceptability.verbs import judge_suite
from numbat.errors import DataError, MissingFileError, NumbatError, UsageError
from numbat.files import grammar_folders, text_of
from numbat.grammar.loading import SUFFIXES, packaged, read_grammar
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.loop import Executor, in_this_process

PAGES: Final = (".html", ".htm")
SESSION: Final = re.compile(r'<script\b[^>]*\bid="session"[^>]*>(.*?)</script>', re.DOTALL)
MAX_FILES: Final = 2_000


@frozen
class Submission:
    """What a student saved: a grammar and the files that it names, as `read` gives them; or `why` it cannot be read.

    `lesson` has the name and the text of the exercise, where a page has it.
    """

    name: str
    path: str
    main: str
    read: Callable[[Path], bytes]
    lesson: tuple[str, str] | None = None
    why: str = ""


def marked_class(folder: str, settings: ParserSettings, executor: Executor = in_this_process) -> Class:
    """Return the grammars of a folder as its exercise marks them.

    The exercise is the one `.exercise.yaml` in the folder, else that of the saved pages. Raises MissingFileError,
    UsageError and DataError where there is no folder, no exercise, or nothing to mark.
    """
    found = list(submissions(folder))
    exercise = _exercise_of_folder(Path(folder), found)
    if not found:
        told = f"{folder}: nothing that a student saved\n  save grammars (NAME.pg) or pages (NAME.html) there"
        raise DataError(told)
    return Class(exercise, tuple(_marked(each, exercise, settings, executor) for each in found))


def _exercise_of_folder(folder: Path, found: Sequence[Submission]) -> Exercise:
    files = sorted(path for path in folder.iterdir() if is_exercise(path.name))
    if len(files) > 1:
        names = ", ".join(path.name for path in files)
        raise UsageError(f"{folder}: several exercises: {names}\n  leave the one there by which the class is marked")
    if files:
        return exercise_of(text_of(str(files[0])), str(files[0]))
    texts = dict.fromkeys(each.lesson for each in found if each.lesson is not None)
    if len(texts) != 1:
        many = "pages of different exercises" if texts else "no exercise"
        raise UsageError(f"{folder}: {many}\n  put the file of the exercise there: NAME.exercise.yaml")
    (name, text) = next(iter(texts))
    return exercise_of(text, name)


def _marked(each: Submission, exercise: Exercise, settings: ParserSettings, executor: Executor) -> Marked:
    """Return a submission judged; whatever is wrong with one, the others are judged all the same."""
    if each.why:
        return Marked(each.name, each.path, why=each.why)
    try:
        loaded = read_grammar(Path(each.main), content_of=each.read)
        if loaded.errors:
            return Marked(each.name, each.path, problems=loaded.errors)
        tested = judge_suite(exercise.suite(), parser_of(loaded.grammar, settings), executor=executor)
    except NumbatError as error:
        return Marked(each.name, each.path, why=str(error).partition("\n")[0])
    return Marked(each.name, each.path, tuple(tested), tuple(mistakes_of(tested)))


# What lies in a folder: grammars `anna.pg`, with their lexicons beside them, or in a folder `anna/`; and pages that the
# workbench has saved (Share, as one HTML file). A grammar reads nothing that lies outside, but for packaged ones.


def submissions(folder: str) -> Iterator[Submission]:
    """Return what students saved below a folder, by names. Raises MissingFileError and DataError."""
    root = Path(folder)
    if not root.is_dir():
        raise MissingFileError(f"{folder}: no such folder\n  --class takes the folder of what students saved")
    paths = sorted(
        path for path in root.rglob("*") if path.suffix in (*SUFFIXES, *PAGES) and not is_exercise(path.name)
    )
    if len(paths) > MAX_FILES:
        raise DataError(f"{folder}: {len(paths):,} files\n  name the folder of one class")
    pages = {path: page for path in paths if path.suffix in PAGES and (page := _session(path)) is not None}
    grammars = [path for path in paths if path.suffix in SUFFIXES]
    parts = {part for path in grammars for part in _read_by(path, root) if part != path}
    found = [*pages, *(path for path in grammars if path not in parts)]
    for path in sorted(found):
        name = _name(path, root, found)
        if path in pages:
            yield _of_page(name, path, pages[path])
        else:
            yield Submission(name, str(path), str(path), lambda wanted: _below(wanted, root))


def _name(path: Path, root: Path, found: Sequence[Path]) -> str:
    """Return the name of a student: that of the folder with one submission, else that of the file."""
    inner = path.relative_to(root)
    alone = len(inner.parts) > 1 and sum(other.parent == path.parent for other in found) == 1
    return inner.parent.as_posix() if alone else inner.with_suffix("").as_posix()


def _read_by(path: Path, root: Path) -> list[Path]:
    """Return the files that a grammar reads."""
    try:
        return list(read_grammar(path, content_of=lambda wanted: _below(wanted, root)).files)
    except NumbatError:
        return []


def _below(path: Path, root: Path) -> bytes:
    """Return the content of a file of the folder or of a packaged grammar. Raises OSError for any other."""
    for allowed in (root, *grammar_folders()):
        if path.resolve().is_relative_to(allowed.resolve()):
            return path.read_bytes()
    raise FileNotFoundError(2, "outside of the folder", str(path))


def _packaged(name: str | Path) -> bytes:
    """Return the content of a file of a packaged grammar. Raises OSError for any other."""
    *others, last = grammar_folders()
    folder = next((each for each in others if (each / name).is_file()), last)
    return _below(folder / name, folder)


def _session(path: Path) -> Mapping[str, Any] | None:
    """Return the session in a page that the workbench has saved, None for another page."""
    written = SESSION.search(path.read_text(encoding="utf-8", errors="replace"))
    try:
        found = json.loads(written[1]) if written else None
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("files"), dict) else None


def _of_page(name: str, path: Path, session: Mapping[str, Any]) -> Submission:
    base = str(session.get("packaged") or "")
    try:
        texts = {key: _whole(key, given, base) for key, given in session["files"].items()}
    except DataError as error:
        return Submission(name, str(path), "", _outside, why=str(error).partition("\n")[0])
    lesson = session.get("lesson")
    told = (str(lesson["name"]), str(lesson["text"])) if isinstance(lesson, dict) and "text" in lesson else None

    def read(wanted: Path) -> bytes:
        if wanted.as_posix() in texts:
            return texts[wanted.as_posix()].encode()
        return _packaged(wanted)

    return Submission(name, str(path), str(session.get("main", "")), read, told)


def _whole(key: str, given: Any, base: str) -> str:
    """Return the text of a file of a session: as it stands, or as edits of the file of a packaged grammar.

    Raises DataError where the packaged file is not the one that was edited.
    """
    if isinstance(given, str):
        return given
    other = DataError(f"made of another version of {base or key}\n  ask for the grammar as a file")
    if base not in packaged():
        raise other
    try:
        text = _packaged(key).decode("utf-8")
        if given["sum"] != text_sum(text):
            raise other
        lines = text.split("\n")
        for start, removed, put in reversed(given["edits"]):
            lines[start : start + removed] = put
    except (OSError, LookupError, TypeError, ValueError):
        raise other from None
    return "\n".join(lines)


def text_sum(text: str) -> str:
    """Return the number by which the page knows a text again: `sumOf` of `differences.js`."""
    units = text.encode("utf-16-le")
    found = 0x811C9DC5
    for low, high in zip(units[::2], units[1::2], strict=True):
        found = ((found ^ (low | high << 8)) * 0x01000193) & 0xFFFFFFFF
    return f"{len(units) // 2}-{_base36(found)}"


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits


def _outside(path: Path) -> bytes:
    raise FileNotFoundError(2, "nothing can be read of this page", str(path))
