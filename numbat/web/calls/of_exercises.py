"""Calls about exercises: what the file of one says, of the user or of those that come with Numbat."""

from __future__ import annotations

from typing import Any

from numbat.errors import UsageError, close_match
from numbat.gradience.exercises import Exercise, exercise_of, is_exercise, packaged_exercises
from numbat.web.grammar_texts import packaged_texts
from numbat.web.requests import ExerciseText
from numbat.web.session import Session


def exercise(session: Session, given: ExerciseText) -> dict[str, Any]:
    """An exercise: its task in steps with hints and the lines of their sentences, and the grammar to begin with."""
    name, text = (given.name, given.text) if given.text is not None else _packaged(given.name)
    if not is_exercise(name):
        raise UsageError(f"{name}: an exercise is called NAME.exercise.yaml\n  give the file such a name")
    found = exercise_of(text, name)
    return {
        "name": name,
        "text": text,
        "title": found.title,
        "grammar": _grammar(found),
        "steps": [
            {
                "title": step.title,
                "task": step.task,
                "hints": list(step.hints),
                "lines": [item.line for item in step.items(found.path)],
            }
            for step in found.steps
        ],
    }


def titles() -> list[dict[str, str]]:
    """The exercises that come with Numbat, each with its title."""
    read = ((name, exercise_of(path.read_text("utf-8"), path.name)) for name, path in packaged_exercises().items())
    return [{"name": name, "title": each.title} for name, each in read]


def _grammar(found: Exercise) -> dict[str, Any]:
    if found.packaged:
        text = packaged_texts(found.grammar)
        return {"main": text.main, "files": dict(text.files), "packaged": found.grammar}
    return {"main": found.grammar_file, "files": {found.grammar_file: found.grammar}, "packaged": ""}


def _packaged(name: str) -> tuple[str, str]:
    known = packaged_exercises()
    if name not in known:
        hint = close_match(name, known) or f"the packaged exercises are: {', '.join(known)}"
        raise UsageError(f'"{name}" is no packaged exercise\n  {hint}')
    return known[name].name, known[name].read_text(encoding="utf-8")
