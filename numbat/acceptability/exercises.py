"""Exercises: a task with hints, marked by judged sentences; their YAML files, read with all mistakes; checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from numbat.acceptability.mistakes import Hint, read_hint
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_files import read_lines
from numbat.acceptability.suite_tables import SuiteLayout
from numbat.acceptability.verdicts import ScoredItem, is_bad_in_fragments, judge_items, named_properties, softened
from numbat.errors import DataError, NumbatError, Problem, Span, close_match, warning
from numbat.files import packaged_folder, text_of
from numbat.grammar.loading import LoadedGrammar, load_grammar, packaged, read_grammar
from numbat.grammar.named_properties import read_named
from numbat.grammar.properties import UNIT
from numbat.grammar.yaml_format import Nodes, compose
from numbat.parsing.parser import Parser, parser_like
from numbat.parsing.policies import Limits
from numbat.records import frozen
from numbat.words.judgement_marks import RATINGS, marked_sentence

ENDINGS: Final = (".exercise.yaml", ".exercise.yml")
"""How the names of the files of exercises end."""


def is_exercise(name: str) -> bool:
    """True if a file is an exercise, by its name."""
    return name.endswith(ENDINGS)


@frozen
class Step:
    """A part of an exercise: what is to be done, hints, and judged sentences with the numbers of their lines."""

    title: str
    task: str
    hints: tuple[Hint, ...]
    sentences: tuple[tuple[int, str], ...]

    def items(self, path: str) -> tuple[Item, ...]:
        """Return its sentences as items; one without a mark is good.

        Raises DataError for a table that cannot be read.
        """
        if not self.sentences or "\t" not in self.sentences[0][1]:
            return tuple(_item(line, text) for line, text in self.sentences)
        lines = [""] * self.sentences[-1][0]
        for line, text in self.sentences:
            lines[line - 1] = text
        return read_lines(lines, path, SuiteLayout()).items


@frozen
class Exercise:
    """A task in steps; it begins with the text of a grammar, or with a packaged grammar that it names.

    `line` is the one before the first line of the grammar's text, and `column` that before its first column.
    """

    path: str
    title: str
    grammar: str
    steps: tuple[Step, ...]
    packaged: bool = False
    line: int = 0
    column: int = 0

    @property
    def stem(self) -> str:
        """Its name without folders and ending."""
        name = self.path.replace("\\", "/").rsplit("/", 1)[-1]
        return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)

    @property
    def grammar_file(self) -> str:
        """The name that the grammar to begin with has as a file."""
        return f"{self.stem}.pg"

    def suite(self) -> Suite:
        """Return the sentences of all steps; where there are several, an item without a phenomenon has the name of its
        step.

        Raises DataError for a table that cannot be read.
        """
        items: list[Item] = []
        for step in self.steps:
            named = step.title if len(self.steps) > 1 else ""
            items += (replace(item, phenomenon=item.phenomenon or named) for item in step.items(self.path))
        return Suite(self.path, tuple(items), is_exercise=True)


def _item(line: int, text: str) -> Item:
    mark, named, sentence = marked_sentence(text)
    its = Item(str(line), sentence, RATINGS.get(mark, 1.0), mark or "ok", line=line, by_sign=True)
    return replace(its, named_property=named, named_column=text.find(named) + 1)


# Reads the YAML file of an exercise; every mistake in it is told at its place.
#
#     exercise: Agreement
#     grammar: |
#         leaves: Det, N
#         ...
#     steps:
#       - task: ...
#         hints: [...]
#         suite: |
#             the dog barks
#             * the dog bark
#
# `task`, `hints` and `suite` may stand without `steps`, where one step is enough. `grammar` may be the name of a
# packaged grammar.

OF_STEPS: Final = ("title", "task", "hints", "suite")
"""The keys of a step."""
KEYS: Final = ("exercise", "grammar", "steps", *OF_STEPS[1:])
"""The keys of an exercise."""
MAX_LENGTH: Final = 1_000_000
"""Characters of the file of an exercise."""


def read_exercise(text: str, path: str) -> tuple[Exercise | None, list[Problem]]:
    """Return the exercise of a file, None where it has mistakes; and all its mistakes and doubts, in the order of the
    file.
    """
    if len(text) > MAX_LENGTH:
        return None, [Problem(f"more than {MAX_LENGTH:,} characters", Span(path, 0), hint="an exercise is short")]
    lines = text.split("\n")
    root, problems = compose(text, path)
    nodes = Nodes(path, lines, problems)
    exercise = None if root is None else _exercise(nodes, root)
    if root is None and not problems:
        problems.append(Problem("nothing is in this file", Span(path, 0), hint=f"its keys are: {', '.join(KEYS)}"))
    if exercise is not None:
        problems += _doubts(exercise)
    told = sorted(problems, key=lambda each: (each.span.line, each.span.column))
    placed = [replace(problem, source_line=_line(lines, problem.span.line)) for problem in told]
    return (None if any(each.severity == "error" for each in told) else exercise), placed


def exercise_of(text: str, path: str) -> Exercise:
    """Return the exercise of a file. Raises DataError with all its mistakes."""
    exercise, problems = read_exercise(text, path)
    if exercise is None:
        errors = [problem for problem in problems if problem.severity == "error"]
        raise DataError("\n".join(map(str, errors)), errors)
    return exercise


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _exercise(nodes: Nodes, root: Any) -> Exercise | None:
    found = nodes.mapping(root, KEYS, ("exercise", "grammar"), "an exercise has a title and a grammar to begin with")
    if found is None:
        return None
    steps = _steps(nodes, root, found)
    title = nodes.word(found["exercise"])
    if not title:
        nodes.error("the exercise has no title", found["exercise"], 'write it behind the colon: "exercise: Agreement"')
    grammar, line, column = nodes.block(found["grammar"])
    if "\n" in grammar or not grammar:
        return Exercise(nodes.path, title, grammar, steps, False, line, column)
    if grammar.strip() not in packaged():
        hint = close_match(grammar.strip(), packaged()) or f"the packaged grammars are: {', '.join(packaged())}"
        nodes.error(
            f'"{grammar.strip()}" is no packaged grammar',
            found["grammar"],
            f"{hint}; a text of several lines stands below |",
        )
    return Exercise(nodes.path, title, grammar.strip(), steps, packaged=True)


def _steps(nodes: Nodes, root: Any, found: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps of an exercise, or its one step."""
    beside = [key for key in OF_STEPS[1:] if key in found]
    if "steps" in found:
        for key in beside:
            nodes.error(f'"{key}" stands beside "steps"', found[key], "put it into one of the steps")
        items = nodes.items(found["steps"])
        if not items:
            nodes.error("there are no steps", found["steps"], "a step begins with a dash: - task: ...")
        made = [
            _step(nodes, nodes.mapping(each, OF_STEPS, ("task", "suite"), NEEDS), i) for i, each in enumerate(items)
        ]
        return tuple(step for step in made if step is not None)
    missing = [key for key in ("task", "suite") if key not in found]
    if missing:
        nodes.error(f'"{missing[0]}" is missing here', root, NEEDS)
        return ()
    step = _step(nodes, found, 0)
    return () if step is None else (step,)


NEEDS: Final = "a step has a task and judged sentences: task: ..., suite: | with a sentence a line"


def _step(nodes: Nodes, found: Mapping[str, Any] | None, index: int) -> Step | None:
    if found is None:
        return None
    task, *_ = nodes.block(found["task"])
    if not task.strip():
        nodes.error("the task is empty", found["task"], "say what is to be done")
    hints = tuple(_hint(nodes, each) for each in nodes.items(found["hints"])) if "hints" in found else ()
    words = [nodes.word(node) for node in nodes.items(found["suite"])]
    if not words:
        nodes.error("there are no sentences", found["suite"], "a sentence a line, and a * before each bad one")
    title = nodes.word(found["title"]) if "title" in found else f"step {index + 1}"
    step = Step(title, task.strip(), hints, tuple((word.span.line, str(word)) for word in words))
    try:
        items = step.items(nodes.path)
    except DataError as error:
        nodes.problems += error.problems or [
            Problem(
                str(error).partition("\n")[0], nodes.span(found["suite"]), hint=str(error).partition("\n")[2].strip()
            )
        ]
        return step
    columns = {word.span.line: word.span.column for word in words}
    for item in items:
        if item.named_property:
            place = Span(nodes.path, item.line, columns.get(item.line, 1) + item.named_column - 1)
            _, problem = read_named(item.named_property, place)
            nodes.problems += [problem] if problem is not None else []
        if item.is_good is None:
            told = f'"{item.judgement}" says neither good nor bad, so that nobody is marked by it'
            nodes.problems.append(warning(told, Span(nodes.path, item.line), "mark bad sentences with *"))
        if item.sentence.strip() in RATINGS or (item.named_property and not item.sentence):
            nodes.problems.append(Problem("a mark without a sentence", Span(nodes.path, item.line), hint="write one"))
    return step


def _hint(nodes: Nodes, node: Any) -> Hint:
    hint, problem = read_hint(nodes.block(node)[0].strip(), nodes.span(node))
    nodes.problems += [problem] if problem is not None else []
    return hint


def _doubts(found: Exercise) -> list[Problem]:
    """Return what may be meant otherwise, as far as that shows without parsing."""
    doubts = []
    for step in found.steps:
        kinds = {item.is_good for item in step.items(found.path)} if step.sentences else {True, False}
        missing = [name for name, is_good in (("good", True), ("bad", False)) if is_good not in kinds]
        if missing:
            place = Span(found.path, step.sentences[0][0])
            hint = "a grammar that allows all, or forbids all, would pass"
            doubts.append(warning(f"there is no {missing[0]} sentence in {step.title}", place, hint))
    return doubts


# The exercises that come with Numbat, and whether the file of one is as it should be.

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
    """Return the files of the exercises that come with Numbat, by name."""
    folder = packaged_folder("exercises")
    files = sorted(path for path in folder.iterdir() if is_exercise(path.name))
    return {path.name.removesuffix(ENDINGS[0]).removesuffix(ENDINGS[1]): path for path in files}


def check_exercise(path: str) -> CheckedExercise:
    """Read the file of an exercise and judge it. Raises MissingFileError and DataError."""
    return judged_exercise(text_of(path), path)


def judged_exercise(text: str, path: str) -> CheckedExercise:
    """Return the exercise of a text, with its errors and warnings."""
    exercise, problems = read_exercise(text, path)
    if exercise is not None:
        problems += _on_the_beginning(exercise)
    problems.sort(key=lambda problem: (problem.span.line, problem.span.column))
    errors = tuple(each for each in problems if each.severity == "error")
    return CheckedExercise(path, exercise, errors, tuple(each for each in problems if each.severity != "error"))


def _on_the_beginning(exercise: Exercise) -> Iterator[Problem]:
    """Doubts about the grammar that an exercise begins with: it has mistakes, or nothing is left to do."""
    if exercise.packaged:
        grammar = load_grammar(exercise.grammar)
    else:
        loaded = _loaded(exercise)
        for problem in loaded.errors:
            yield _in_exercise(problem, exercise)
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
    whole = exercise.suite()
    suite = replace(whole, items=tuple(item for item in whole.items if item.is_good is not None))
    named = named_properties(suite, parser.grammar)
    scored = _parsed(suite.items, parser)
    broken = [scored_item.item for scored_item in scored if is_bad_in_fragments(scored_item)]
    wholes = {each.id: each for each in _parsed(broken, parser_of_trees(parser))}
    return all(
        tested_item.outcome.verdict == "pass" for tested_item in judge_items(suite, scored, False, named, wholes)
    )


def _parsed(items: Iterable[Item], parser: Parser) -> list[ScoredItem]:
    return [ScoredItem(item, parser.parse(item.sentence), None) for item in items]


# A bad sentence of an exercise has to be bad as one tree. It may have one though its best parse is in fragments: where
# a tree violates a hard property, has a phrase of which no property is satisfied (H4), or costs more than fragments do.

DEAR: Final = 1_000_000 * UNIT
"""The cost of a fragment where any tree is to be better than fragments."""


def parser_of_trees(parser: Parser) -> Parser:
    """Return a parser that finds one tree over a sentence if there is one, whatever it violates."""
    forms = tuple(
        replace(form, properties=tuple(map(softened, form.properties))) for form in parser.grammar.constructions
    )
    return parser_like(parser, replace(parser.grammar, constructions=forms, fragment_cost=DEAR), "H4")


def _in_exercise(problem: Problem, exercise: Exercise) -> Problem:
    """Return a mistake of the grammar's text as a doubt at its place in the exercise, for to mend it may be the
    task.
    """
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
