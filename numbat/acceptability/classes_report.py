"""The report on a class: one table of who solved what, and the commonest mistakes; as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from numbat.acceptability.classes import Class, Marked
from numbat.acceptability.suite import Item
from numbat.errors import counted
from numbat.markup import aligned
from numbat.parsing.explanation.violations import on_one_line

CLASS_SCHEMA: Final = "numbat.class/1"
MOST: Final = 10
"""So many of the commonest mistakes are told in the text; JSON has all."""


def class_lines(found: Class) -> Iterator[str]:
    """Return the table, a row a student, what keeps a grammar from being judged, and the commonest mistakes."""
    steps, number = found.steps, _number(found)
    yield f"{found.exercise.title}: {counted(len(found.students), 'student')}, {counted(number, 'sentence')}"
    yield ""
    several = [f"step {i}" for i, _ in enumerate(steps, 1)] if len(steps) > 1 else []
    rows = [["student", *several, "all"]]
    for student in found.students:
        whole = _share(student, [line for _, lines in steps for line in lines])
        rows.append([student.name, *(_share(student, lines) for _, lines in steps if several), whole])
    yield from aligned(rows)
    yield ""
    yield f"{_solved(found)} of {len(found.students)} solved all"
    yield from (line for student in found.students for line in _kept_back(student))
    commonest = found.commonest()
    if commonest:
        yield ""
        yield "commonest mistakes"
        told = [
            [f"{len(names)} of {len(found.students)}", _typed(mistake.item), f"{mistake.kind}: {mistake.says}"]
            for mistake, names in commonest[:MOST]
        ]
        yield from (f"  {line}" for line in aligned(told))
    if len(commonest) > MOST:
        yield f"  and {len(commonest) - MOST} others (-f json has all)"


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


def _typed(item: Item) -> str:
    return f"{item.star}{on_one_line(item.sentence)}"


def class_json(found: Class) -> dict[str, Any]:
    """Return the same by the schema `numbat.class/1`."""
    return {
        "schema": CLASS_SCHEMA,
        "exercise": found.exercise.title,
        "steps": [{"title": title, "sentences": len(lines)} for title, lines in found.steps],
        "sentences": _number(found),
        "solved": _solved(found),
        "students": [
            {
                "name": student.name,
                "right": [student.right(lines) for _, lines in found.steps] if student.tested else None,
                "mistakes": [
                    {
                        "line": each.item.line,
                        "sentence": each.item.sentence,
                        "judgement": each.item.judgement,
                        "kind": each.kind,
                        "says": each.says,
                        "properties": list(each.properties),
                        "about": list(each.about),
                    }
                    for each in student.mistakes
                ],
                "problems": [str(each).partition("\n")[0] for each in student.problems]
                or [student.why] * bool(student.why),
            }
            for student in found.students
        ],
        "commonest": [
            {
                "sentence": each.item.sentence,
                "judgement": each.item.judgement,
                "kind": each.kind,
                "says": each.says,
                "students": names,
            }
            for each, names in found.commonest()
        ],
    }
