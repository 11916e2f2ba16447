"""A class of students: the grammars that they saved for an exercise, marked; who solved what; common mistakes."""

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
    """A student's grammar, marked; `tested` is empty if it has `problems` or cannot be judged (`why` says why not)."""

    name: str
    path: str
    tested: tuple[TestedItem, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    problems: tuple[Problem, ...] = ()
    why: str = ""

    def right(self, lines: Sequence[int]) -> int:
        """Return how many of the sentences in these lines of the exercise the grammar judges right."""
        wanted = set(lines)
        return sum(item.outcome.verdict == "pass" and item.scored.item.line in wanted for item in self.tested)


@frozen
class Class:
    """The grammars of all students in a folder, marked with the sentences of one exercise."""

    exercise: Exercise
    students: tuple[Marked, ...]

    @property
    def steps(self) -> list[tuple[str, list[int]]]:
        """The title of each step, with the line numbers of its sentences."""
        return [(step.title, [line for line, _ in step.sentences]) for step in self.exercise.steps]

    def commonest(self) -> list[tuple[Mistake, list[str]]]:
        """Return each mistake with the names of the students who make it, the commonest first.

        Mistakes are the same if the same sentence is judged wrongly in the same way.
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
    commonest = Counter(mistake.says for mistake in mistakes).most_common(1)[0][0]
    return next(mistake for mistake in mistakes if mistake.says == commonest)


def marked_class(folder: str, settings: ParserSettings, executor: Executor = in_this_process) -> Class:
    """Mark the grammars in a folder by the only `.exercise.yaml` file there or else by the exercise in the saved pages.

    Raises MissingFileError if there is no such folder, UsageError if there is not exactly one exercise, DataError if
    the exercise has mistakes or there is nothing to mark.
    """
    saved = list(submissions(folder))
    exercise = _exercise_of_folder(Path(folder), saved)
    if not saved:
        problem = f"{folder}: no student's work found\n  save grammars (NAME.pg) or pages (NAME.html) there"
        raise DataError(problem)
    return Class(exercise, tuple(_marked(submission, exercise, settings, executor) for submission in saved))


def _exercise_of_folder(folder: Path, saved: Sequence[Submission]) -> Exercise:
    files = sorted(path for path in folder.iterdir() if is_exercise(path.name))
    if len(files) > 1:
        names = ", ".join(path.name for path in files)
        raise UsageError(f"{folder}: several exercises: {names}\n  keep only the one to mark the class by")
    if files:
        return exercise_of(text_of(str(files[0])), str(files[0]))
    texts = dict.fromkeys(submission.lesson for submission in saved if submission.lesson is not None)
    if len(texts) != 1:
        many = "pages of different exercises" if texts else "no exercise"
        raise UsageError(f"{folder}: {many}\n  add the file of the exercise: NAME.exercise.yaml")
    (name, text) = next(iter(texts))
    return exercise_of(text, name)


def _marked(submission: Submission, exercise: Exercise, settings: ParserSettings, executor: Executor) -> Marked:
    """Mark a submission; its problems are recorded and not raised, so that the other submissions are marked, too."""
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


# The folder of a class has grammars `anna.pg` with their lexicons, or such grammars in folders `anna/`, and pages saved
# by the workbench (Share, as one HTML file). A grammar may read only files in this folder and packaged grammars.

PAGES: Final = (".html", ".htm")
SESSION: Final = re.compile(r'<script\b[^>]*\bid="session"[^>]*>(.*?)</script>', re.DOTALL)
MAX_FILES: Final = 2_000


@frozen
class Submission:
    """A student's work: the path of the `main` grammar, a function `read` that returns a file's content by its path.

    `why` is the reason if it cannot be read. `lesson` is the name and text of the exercise saved in a page.
    """

    name: str
    path: str
    main: str
    read: Callable[[Path], bytes]
    lesson: tuple[str, str] | None = None
    why: str = ""


def submissions(folder: str) -> Iterator[Submission]:
    """Yield the work of students below a folder, by path. Raises MissingFileError, and DataError for too many files."""
    root = Path(folder)
    if not root.is_dir():
        raise MissingFileError(f"{folder}: no such folder\n  --class takes a folder of students' files")
    paths = sorted(
        path for path in root.rglob("*") if path.suffix in (*SUFFIXES, *PAGES) and not is_exercise(path.name)
    )
    if len(paths) > MAX_FILES:
        raise DataError(f"{folder}: {len(paths):,} files, but at most {MAX_FILES:,}\n  name the folder of one class")
    pages = {path: page for path in paths if path.suffix in PAGES and (page := _session(path)) is not None}
    grammars = [path for path in paths if path.suffix in SUFFIXES]
    parts = {part for path in grammars for part in _read_by(path, root) if part != path}
    paths_of_work = [*pages, *(path for path in grammars if path not in parts)]
    for path in sorted(paths_of_work):
        name = _name(path, root, paths_of_work)
        if path in pages:
            yield _of_page(name, path, pages[path])
        else:
            yield Submission(name, str(path), str(path), lambda wanted: _below(wanted, root))


def _name(path: Path, root: Path, submitted: Sequence[Path]) -> str:
    """Return the student's name: the folder's name if it holds only this submission, else the file's name."""
    inner = path.relative_to(root)
    alone = len(inner.parts) > 1 and sum(other.parent == path.parent for other in submitted) == 1
    return inner.parent.as_posix() if alone else inner.with_suffix("").as_posix()


def _read_by(path: Path, root: Path) -> list[Path]:
    """Return the files that a grammar reads, including its main file; none if it cannot be read."""
    try:
        return list(read_grammar(path, content_of=lambda wanted: _below(wanted, root)).files)
    except NumbatError:
        return []


def _below(path: Path, root: Path) -> bytes:
    """Return the content of a file in the folder `root` or in a packaged grammar. Raises OSError for other files."""
    for allowed in (root, *grammar_folders()):
        if path.resolve().is_relative_to(allowed.resolve()):
            return path.read_bytes()
    raise FileNotFoundError(2, "outside of the folder", str(path))


def _packaged(name: str | Path) -> bytes:
    """Return the content of a file in a packaged grammar. Raises OSError for other files."""
    *others, last = grammar_folders()
    folder = next((path for path in others if (path / name).is_file()), last)
    return _below(folder / name, folder)


def _session(path: Path) -> Mapping[str, Any] | None:
    """Return the session stored in a page that the workbench saved; None for any other page."""
    written = SESSION.search(path.read_text(encoding="utf-8", errors="replace"))
    try:
        session = json.loads(written[1]) if written else None
    except ValueError:
        return None
    return session if isinstance(session, dict) and isinstance(session.get("files"), dict) else None


def _of_page(name: str, path: Path, session: Mapping[str, Any]) -> Submission:
    base = str(session.get("packaged") or "")
    try:
        texts = {key: _whole(key, given, base) for key, given in session["files"].items()}
    except DataError as error:
        return Submission(name, str(path), "", _outside, why=str(error).partition("\n")[0])
    lesson = session.get("lesson")
    exercise = (str(lesson["name"]), str(lesson["text"])) if isinstance(lesson, dict) and "text" in lesson else None

    def read(wanted: Path) -> bytes:
        if wanted.as_posix() in texts:
            return texts[wanted.as_posix()].encode()
        return _packaged(wanted)

    return Submission(name, str(path), str(session.get("main", "")), read, exercise)


def _whole(key: str, given: Any, base: str) -> str:
    """Return the text of a file in a saved session, stored there as text or as edits to the file of a packaged grammar.

    Raises DataError if the file of the packaged grammar has changed since then.
    """
    if isinstance(given, str):
        return given
    other = DataError(f"based on another version of {base or key}\n  ask for the grammar as a file")
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
    """Return the checksum of a text that the workbench's page computes, too (`sumOf` in `differences.js`)."""
    units = text.encode("utf-16-le")
    total = 0x811C9DC5
    for low, high in zip(units[::2], units[1::2], strict=True):
        total = ((total ^ (low | high << 8)) * 0x01000193) & 0xFFFFFFFF
    return f"{len(units) // 2}-{_base36(total)}"


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits


def _outside(path: Path) -> bytes:
    raise FileNotFoundError(2, "this page cannot be read", str(path))


# The report: a table of what each student solved, and the commonest mistakes

MOST: Final = 10
"""Maximum number of mistakes listed in the text, the commonest first; JSON has all."""


@report("numbat.class/1")
def class_report(class_: Class) -> Iterator[Part]:
    """Return a table with one row per student, the grammars that cannot be judged, and the commonest mistakes."""
    steps, number, students = class_.steps, _number(class_), class_.students
    title = class_.exercise.title
    yield Member(
        "exercise", title, [f"{title}: {counted(len(students), 'student')}, {counted(number, 'sentence')}", ""]
    )
    yield Member("steps", [{"title": title, "sentences": len(lines)} for title, lines in steps])
    yield Member("sentences", number)
    yield Member("solved", _solved(class_))
    yield Table([*_student_columns(class_)], students, "students")
    yield Lines(["", f"{_solved(class_)} of {len(students)} solved all"])
    yield Lines([line for student in students for line in _kept_back(student)])
    commonest = class_.commonest()
    if commonest:
        yield Lines(["", "commonest mistakes"])
    yield Table(_mistake_columns(class_), commonest, "commonest", "  ", commonest[:MOST])
    if len(commonest) > MOST:
        yield Line(f"  and {len(commonest) - MOST} others (-f json has all)")


def _student_columns(class_: Class) -> Iterator[Column[Marked]]:
    every = [lines for _, lines in class_.steps]
    yield Column("student", "", "name")
    if len(every) > 1:
        yield from (Column(f"step {i}", partial(_share, lines=lines)) for i, lines in enumerate(every, 1))
    yield Column("all", lambda student: _share(student, [line for lines in every for line in lines]))
    yield Column(
        key="right", value=lambda student: [student.right(lines) for lines in every] if student.tested else None
    )
    yield Column(key="mistakes", value=lambda student: Table(MISTAKES, student.mistakes).objects())
    yield Column(key="problems", value=_problems)


MISTAKES: Final[Sequence[Column[Mistake]]] = (
    Column(key="line", value=lambda mistake: mistake.item.line),
    Column(key="sentence", value=lambda mistake: mistake.item.sentence),
    Column(key="judgement", value=lambda mistake: mistake.item.judgement),
    Column(key="kind"),
    Column(key="says"),
    Column(key="properties", value=lambda mistake: list(mistake.properties)),
    Column(key="about", value=lambda mistake: list(mistake.about)),
)


def _mistake_columns(class_: Class) -> Sequence[Column[tuple[Mistake, list[str]]]]:
    return (
        Column("", lambda row: f"{len(row[1])} of {len(class_.students)}"),
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


def _number(class_: Class) -> int:
    return sum(len(lines) for _, lines in class_.steps)


def _solved(class_: Class) -> int:
    return sum(
        student.right([line for _, lines in class_.steps for line in lines]) == _number(class_)
        for student in class_.students
    )


def _share(student: Marked, lines: list[int]) -> str:
    return f"{student.right(lines)}/{len(lines)}" if student.tested else "-"


def _kept_back(student: Marked) -> Iterator[str]:
    """Yield the reason why a grammar was not judged, if any: the number of its mistakes and the first, or `why`."""
    if student.problems:
        first = str(student.problems[0]).partition("\n")[0]
        yield f"! {student.name}: {counted(len(student.problems), 'mistake')} in the grammar: {first}"
    elif student.why:
        yield f"! {student.name}: {student.why}"
