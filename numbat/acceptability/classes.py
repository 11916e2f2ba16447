"""A class: what students saved of an exercise, each grammar judged, who solved what, and which mistakes are common."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from numbat.acceptability.exercises import Exercise, exercise_of, is_exercise
from numbat.acceptability.mistakes import Mistake, mistakes_of
from numbat.acceptability.scorers import parser_of
from numbat.acceptability.verbs import judge_suite
from numbat.acceptability.verdicts import TestedItem
from numbat.errors import DataError, MissingFileError, NumbatError, Problem, UsageError, counted
from numbat.files import grammar_folders, text_of
from numbat.grammar.loading import SUFFIXES, packaged, read_grammar
from numbat.parsing.explanation.violations import on_one_line
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.reports.report import Column, Line, Lines, Member, Part, Table, report
from numbat.runs.loop import Executor, in_this_process


@frozen
class Marked:
    """A student's grammar as the exercise marks it; no `tested` items where it has `problems` or cannot be judged."""

    name: str
    path: str
    tested: tuple[TestedItem, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    problems: tuple[Problem, ...] = ()
    why: str = ""

    def right(self, lines: Sequence[int]) -> int:
        """Return how many sentences of some lines are judged right."""
        wanted = set(lines)
        return sum(item.outcome.verdict == "pass" and item.scored.item.line in wanted for item in self.tested)


@frozen
class Class:
    """All students' grammars of a folder, judged by one exercise."""

    exercise: Exercise
    students: tuple[Marked, ...]

    @property
    def steps(self) -> list[tuple[str, list[int]]]:
        """Return the title of each step with the lines of its sentences."""
        return [(step.title, [line for line, _ in step.sentences]) for step in self.exercise.steps]

    def commonest(self) -> list[tuple[Mistake, list[str]]]:
        """Return each mistake, as one of those who make it does, with the names of all who do, the commonest first.

        Two are the same where the same sentence is judged wrongly in the same way.
        """
        who: dict[tuple[str, str], list[str]] = {}
        says: dict[tuple[str, str], list[Mistake]] = {}
        for student in self.students:
            for mistake in student.mistakes:
                key = (f"{mistake.item.star}{mistake.item.sentence}", mistake.kind)
                if student.name not in who.setdefault(key, []):
                    who[key].append(student.name)
                says.setdefault(key, []).append(mistake)
        ranked = sorted(who, key=lambda key: -len(who[key]))
        return [(_usual(says[key]), who[key]) for key in ranked]


def _usual(mistakes: Sequence[Mistake]) -> Mistake:
    often = Counter(each.says for each in mistakes).most_common(1)[0][0]
    return next(mistake for mistake in mistakes if mistake.says == often)


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
    return Class(exercise, tuple(_marked(submission, exercise, settings, executor) for submission in found))


def _exercise_of_folder(folder: Path, found: Sequence[Submission]) -> Exercise:
    files = sorted(path for path in folder.iterdir() if is_exercise(path.name))
    if len(files) > 1:
        names = ", ".join(path.name for path in files)
        raise UsageError(f"{folder}: several exercises: {names}\n  leave the one there by which the class is marked")
    if files:
        return exercise_of(text_of(str(files[0])), str(files[0]))
    texts = dict.fromkeys(submission.lesson for submission in found if submission.lesson is not None)
    if len(texts) != 1:
        many = "pages of different exercises" if texts else "no exercise"
        raise UsageError(f"{folder}: {many}\n  put the file of the exercise there: NAME.exercise.yaml")
    (name, text) = next(iter(texts))
    return exercise_of(text, name)


def _marked(submission: Submission, exercise: Exercise, settings: ParserSettings, executor: Executor) -> Marked:
    """Return a submission judged; whatever is wrong with one, the others are judged all the same."""
    if submission.why:
        return Marked(submission.name, submission.path, why=submission.why)
    try:
        loaded = read_grammar(Path(submission.main), content_of=submission.read)
        if loaded.errors:
            return Marked(submission.name, submission.path, problems=loaded.errors)
        tested = judge_suite(exercise.suite(), parser_of(loaded.grammar, settings), executor=executor)
    except NumbatError as error:
        return Marked(submission.name, submission.path, why=str(error).partition("\n")[0])
    return Marked(submission.name, submission.path, tuple(tested), tuple(mistakes_of(tested)))


# What lies in a folder: grammars `anna.pg`, with their lexicons beside them, or in a folder `anna/`; and pages that the
# workbench has saved (Share, as one HTML file). A grammar reads nothing that lies outside, but for packaged ones.

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
    folder = next((path for path in others if (path / name).is_file()), last)
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


# The report: one table of who solved what, and the commonest mistakes

MOST: Final = 10
"""Maximum number of commonest mistakes told in the text; JSON has all."""


@report("numbat.class/1")
def class_report(found: Class) -> Iterator[Part]:
    """Return the table, a row a student, what keeps a grammar from being judged, and the commonest mistakes."""
    steps, number, students = found.steps, _number(found), found.students
    title = found.exercise.title
    yield Member(
        "exercise", title, [f"{title}: {counted(len(students), 'student')}, {counted(number, 'sentence')}", ""]
    )
    yield Member("steps", [{"title": title, "sentences": len(lines)} for title, lines in steps])
    yield Member("sentences", number)
    yield Member("solved", _solved(found))
    yield Table([*_student_columns(found)], students, "students")
    yield Lines(["", f"{_solved(found)} of {len(students)} solved all"])
    yield Lines([line for student in students for line in _kept_back(student)])
    commonest = found.commonest()
    if commonest:
        yield Lines(["", "commonest mistakes"])
    yield Table(_mistake_columns(found), commonest, "commonest", "  ", commonest[:MOST])
    if len(commonest) > MOST:
        yield Line(f"  and {len(commonest) - MOST} others (-f json has all)")


def _student_columns(found: Class) -> Iterator[Column[Marked]]:
    every = [lines for _, lines in found.steps]
    yield Column("student", "", "name")
    if len(every) > 1:
        yield from (Column(f"step {i}", partial(_share, lines=lines)) for i, lines in enumerate(every, 1))
    yield Column("all", lambda student: _share(student, [line for lines in every for line in lines]))
    yield Column(key="right", value=lambda each: [each.right(lines) for lines in every] if each.tested else None)
    yield Column(key="mistakes", value=lambda marked: Table(MISTAKES, marked.mistakes).objects())
    yield Column(key="problems", value=_problems)


MISTAKES: Final[Sequence[Column[Mistake]]] = (
    Column(key="line", value=lambda each: each.item.line),
    Column(key="sentence", value=lambda each: each.item.sentence),
    Column(key="judgement", value=lambda mistake: mistake.item.judgement),
    Column(key="kind"),
    Column(key="says"),
    Column(key="properties", value=lambda each: list(each.properties)),
    Column(key="about", value=lambda each: list(each.about)),
)


def _mistake_columns(found: Class) -> Sequence[Column[tuple[Mistake, list[str]]]]:
    return (
        Column("", lambda row: f"{len(row[1])} of {len(found.students)}"),
        Column("", lambda row: f"{row[0].item.star}{on_one_line(row[0].item.sentence)}"),
        Column("", lambda row: f"{row[0].kind}: {row[0].says}"),
        Column(key="sentence", value=lambda row: row[0].item.sentence),
        Column(key="judgement", value=lambda row: row[0].item.judgement),
        Column(key="kind", value=lambda row: row[0].kind),
        Column(key="says", value=lambda row: row[0].says),
        Column(key="students", value=lambda row: row[1]),
    )


def _problems(student: Marked) -> list[str]:
    return [str(problem).partition("\n")[0] for problem in student.problems] or [student.why] * bool(student.why)


def _number(found: Class) -> int:
    return sum(len(lines) for _, lines in found.steps)


def _solved(found: Class) -> int:
    return sum(
        student.right([line for _, lines in found.steps for line in lines]) == _number(found)
        for student in found.students
    )


def _share(student: Marked, lines: list[int]) -> str:
    return f"{student.right(lines)}/{len(lines)}" if student.tested else "-"


def _kept_back(student: Marked) -> Iterator[str]:
    """Return why a grammar is not judged: its first mistake and how many there are."""
    if student.problems:
        first = str(student.problems[0]).partition("\n")[0]
        yield f"! {student.name}: {counted(len(student.problems), 'mistake')} in the grammar: {first}"
    elif student.why:
        yield f"! {student.name}: {student.why}"
