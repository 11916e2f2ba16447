"""The exercises that come with Numbat, and whether the file of one is as it should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from numbat.errors import NumbatError, Problem, Span, warning
from numbat.files import packaged_folder, text_of
from numbat.gradience.exercises.exercise import ENDINGS, Exercise, is_exercise
from numbat.gradience.exercises.reading import read_exercise
from numbat.grammar.loading import LoadedGrammar, load_grammar, read_grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits
from numbat.records import frozen

SECONDS: Final = 10.0
"""For so long it is tried whether the grammar that an exercise begins with solves it already."""


@frozen
class CheckedExercise:
    """An exercise as far as it could be read, its errors and its doubts."""

    path: str
    exercise: Exercise | None
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def packaged_exercises() -> dict[str, Path]:
    """The files of the exercises that come with Numbat, by name."""
    folder = packaged_folder("exercises")
    files = sorted(path for path in folder.iterdir() if is_exercise(path.name))
    return {path.name.removesuffix(ENDINGS[0]).removesuffix(ENDINGS[1]): path for path in files}


def check_exercise(path: str) -> CheckedExercise:
    """Read the file of an exercise and judge it. Raises MissingFileError and DataError."""
    found, problems = read_exercise(text_of(path), path)
    if found is not None:
        problems += _on_the_beginning(found)
    problems.sort(key=lambda each: (each.span.line, each.span.column))
    errors = tuple(each for each in problems if each.severity == "error")
    return CheckedExercise(path, found, errors, tuple(each for each in problems if each.severity != "error"))


def _on_the_beginning(exercise: Exercise) -> Iterator[Problem]:
    """Doubts about the grammar that an exercise begins with: it has mistakes, or nothing is left to do."""
    if exercise.packaged:
        grammar = load_grammar(exercise.grammar)
    else:
        loaded = _loaded(exercise)
        for each in loaded.errors:
            yield _in_exercise(each, exercise)
        if loaded.errors:
            return
        grammar = loaded.grammar
    try:
        solved = _all_pass(exercise, Parser(grammar, limits=Limits(seconds=SECONDS)))
    except NumbatError:  # what cannot be tried is no doubt about the file
        return
    if solved:
        hint = "take out what the student is to find, or add sentences that it judges wrongly"
        yield warning("the grammar judges all sentences right already", Span(exercise.path, 0), hint)


def _loaded(exercise: Exercise) -> LoadedGrammar:
    return read_grammar(Path(exercise.grammar_file), exercise.grammar)


def _all_pass(exercise: Exercise, parser: Parser) -> bool:
    judged = (item for item in exercise.suite().items if item.is_good is not None)
    return all(parser.parse(item.sentence).is_well_formed == item.is_good for item in judged)


def _in_exercise(problem: Problem, exercise: Exercise) -> Problem:
    """A mistake of the grammar's text as a doubt at its place in the exercise, for to mend it may be the task."""
    span = problem.span
    moved = replace(
        span,
        path=exercise.path,
        line=span.line + exercise.line,
        column=span.column + exercise.column,
        end_column=span.end_column + exercise.column,
    )
    line = " " * exercise.column + problem.source_line
    return replace(problem, severity="warning", span=moved, source_line=line)
