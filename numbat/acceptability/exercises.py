"""Exercises: tasks with hints, marked by judged sentences. Reads and checks their YAML files."""

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
"""Endings of the names of exercise files."""


def is_exercise(name: str) -> bool:
    """True if a file with this name is an exercise."""
    return name.endswith(ENDINGS)


@frozen
class Step:
    """A part of an exercise: its task, hints, and judged sentences with their line numbers."""

    title: str
    task: str
    hints: tuple[Hint, ...]
    sentences: tuple[tuple[int, str], ...]

    def items(self, path: str) -> tuple[Item, ...]:
        """Return the sentences as items; without a mark they are good. Raises DataError for an unreadable table."""
        if not self.sentences or "\t" not in self.sentences[0][1]:
            return tuple(_item(line, text) for line, text in self.sentences)
        lines = [""] * self.sentences[-1][0]
        for line, text in self.sentences:
            lines[line - 1] = text
        return read_lines(lines, path, SuiteLayout()).items


@frozen
class Exercise:
    """A task in steps; `grammar` is the text of the grammar to begin with or, if `packaged`, the name of that grammar.

    `line` and `column` are the numbers of lines and columns before the grammar's text in the file.
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
        """The file name without folder and extension."""
        name = self.path.replace("\\", "/").rsplit("/", 1)[-1]
        return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)

    @property
    def grammar_file(self) -> str:
        """The file name for the grammar to begin with."""
        return f"{self.stem}.pg"

    def suite(self) -> Suite:
        """Return the sentences of all steps. Raises DataError for an unreadable table.

        If there are several steps, the phenomenon of an item is by default the title of its step.
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


# Reading the YAML file of an exercise, with the position of every mistake.
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
# If there is one step, `task`, `hints` and `suite` may be given without `steps`. `grammar` may be the name of a
# packaged grammar.

OF_STEPS: Final = ("title", "task", "hints", "suite")
"""The keys of a step."""
KEYS: Final = ("exercise", "grammar", "steps", *OF_STEPS[1:])
"""The keys of an exercise."""
MAX_LENGTH: Final = 1_000_000
"""Maximum number of characters in an exercise file."""


def read_exercise(text: str, path: str) -> tuple[Exercise | None, list[Problem]]:
    """Return the exercise, or None if it has mistakes, and all mistakes and warnings, in the order of the file."""
    if len(text) > MAX_LENGTH:
        return None, [Problem(f"more than {MAX_LENGTH:,} characters", Span(path, 0), hint="shorten the exercise")]
    lines = text.split("\n")
    root, problems = compose(text, path)
    nodes = Nodes(path, lines, problems)
    exercise = None if root is None else _exercise(nodes, root)
    if root is None and not problems:
        problems.append(Problem("this file has no content", Span(path, 0), hint=f"its keys are: {', '.join(KEYS)}"))
    if exercise is not None:
        problems += _doubts(exercise)
    ordered = sorted(problems, key=lambda problem: (problem.span.line, problem.span.column))
    placed = [replace(problem, source_line=_line(lines, problem.span.line)) for problem in ordered]
    return (None if any(problem.severity == "error" for problem in ordered) else exercise), placed


def exercise_of(text: str, path: str) -> Exercise:
    """Return the exercise in the text of a file. Raises DataError with all mistakes in the text."""
    exercise, problems = read_exercise(text, path)
    if exercise is None:
        errors = [problem for problem in problems if problem.severity == "error"]
        raise DataError("\n".join(map(str, errors)), errors)
    return exercise


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _exercise(nodes: Nodes, root: Any) -> Exercise | None:
    mapping = nodes.mapping(root, KEYS, ("exercise", "grammar"), "an exercise has a title and a grammar to begin with")
    if mapping is None:
        return None
    steps = _steps(nodes, root, mapping)
    title = nodes.word(mapping["exercise"])
    if not title:
        nodes.error("the exercise has no title", mapping["exercise"], 'write it after the colon: "exercise: Agreement"')
    grammar, line, column = nodes.block(mapping["grammar"])
    if "\n" in grammar or not grammar:
        return Exercise(nodes.path, title, grammar, steps, False, line, column)
    if grammar.strip() not in packaged():
        hint = close_match(grammar.strip(), packaged()) or f"the packaged grammars are: {', '.join(packaged())}"
        nodes.error(
            f'"{grammar.strip()}" is not a packaged grammar',
            mapping["grammar"],
            f"{hint}; write a text of several lines after |",
        )
    return Exercise(nodes.path, title, grammar.strip(), steps, packaged=True)


def _steps(nodes: Nodes, root: Any, mapping: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps of an exercise."""
    beside = [key for key in OF_STEPS[1:] if key in mapping]
    if "steps" in mapping:
        for key in beside:
            nodes.error(f'"{key}" is given outside of "steps"', mapping[key], "put it into one of the steps")
        items = nodes.items(mapping["steps"])
        if not items:
            nodes.error("there are no steps", mapping["steps"], "a step begins with a dash: - task: ...")
        made = [
            _step(nodes, nodes.mapping(node, OF_STEPS, ("task", "suite"), NEEDS), i) for i, node in enumerate(items)
        ]
        return tuple(step for step in made if step is not None)
    missing = [key for key in ("task", "suite") if key not in mapping]
    if missing:
        nodes.error(f'"{missing[0]}" is missing here', root, NEEDS)
        return ()
    step = _step(nodes, mapping, 0)
    return () if step is None else (step,)


NEEDS: Final = "a step has a task and judged sentences: task: ..., suite: | with one sentence per line"


def _step(nodes: Nodes, mapping: Mapping[str, Any] | None, index: int) -> Step | None:
    if mapping is None:
        return None
    task, *_ = nodes.block(mapping["task"])
    if not task.strip():
        nodes.error("the task is empty", mapping["task"], "say what the student has to do")
    hints = tuple(_hint(nodes, node) for node in nodes.items(mapping["hints"])) if "hints" in mapping else ()
    words = [nodes.word(node) for node in nodes.items(mapping["suite"])]
    if not words:
        nodes.error(
            "there are no sentences", mapping["suite"], "write one sentence per line, and * before each bad one"
        )
    title = nodes.word(mapping["title"]) if "title" in mapping else f"step {index + 1}"
    step = Step(title, task.strip(), hints, tuple((word.span.line, str(word)) for word in words))
    try:
        items = step.items(nodes.path)
    except DataError as error:
        nodes.problems += error.problems or [
            Problem(
                str(error).partition("\n")[0], nodes.span(mapping["suite"]), hint=str(error).partition("\n")[2].strip()
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
            doubt = f'"{item.judgement}" is neither good nor bad, so it does not count'
            nodes.problems.append(warning(doubt, Span(nodes.path, item.line), "mark bad sentences with *"))
        if item.sentence.strip() in RATINGS or (item.named_property and not item.sentence):
            nodes.problems.append(Problem("a mark without a sentence", Span(nodes.path, item.line), hint="write one"))
    return step


def _hint(nodes: Nodes, node: Any) -> Hint:
    hint, problem = read_hint(nodes.block(node)[0].strip(), nodes.span(node))
    nodes.problems += [problem] if problem is not None else []
    return hint


def _doubts(exercise: Exercise) -> list[Problem]:
    """Return warnings about steps that have no good or no bad sentence."""
    doubts = []
    for step in exercise.steps:
        kinds = {item.is_good for item in step.items(exercise.path)} if step.sentences else {True, False}
        missing = [name for name, is_good in (("good", True), ("bad", False)) if is_good not in kinds]
        if missing:
            place = Span(exercise.path, step.sentences[0][0])
            hint = "a grammar that allows everything, or forbids everything, would pass"
            doubts.append(warning(f"there is no {missing[0]} sentence in {step.title}", place, hint))
    return doubts


# The exercises that come with Numbat, and checks of exercise files.

SECONDS: Final = 10.0
"""Time limit for each parse when testing whether the initial grammar already solves an exercise."""


@frozen
class CheckedExercise:
    """An exercise with its errors and warnings; `exercise` is None if it cannot be read."""

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
    """Read and check the file of an exercise. Raises MissingFileError and DataError."""
    return judged_exercise(text_of(path), path)


def judged_exercise(text: str, path: str) -> CheckedExercise:
    """Return the exercise in the text of a file, with its errors and warnings."""
    exercise, problems = read_exercise(text, path)
    if exercise is not None:
        problems += _on_the_beginning(exercise)
    problems.sort(key=lambda problem: (problem.span.line, problem.span.column))
    errors = tuple(problem for problem in problems if problem.severity == "error")
    return CheckedExercise(
        path, exercise, errors, tuple(problem for problem in problems if problem.severity != "error")
    )


def _on_the_beginning(exercise: Exercise) -> Iterator[Problem]:
    """Warn if the initial grammar of an exercise has mistakes, or already solves the exercise."""
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
    except NumbatError:  # a failed trial says nothing about the exercise
        return
    if solved:
        hint = "remove what the student is to find, or add sentences that it judges wrongly"
        yield warning("the grammar already judges all sentences right", Span(exercise.path, 0), hint)


def _loaded(exercise: Exercise) -> LoadedGrammar:
    return read_grammar(Path(exercise.grammar_file), exercise.grammar)


def _all_pass(exercise: Exercise, parser: Parser) -> bool:
    whole = exercise.suite()
    suite = replace(whole, items=tuple(item for item in whole.items if item.is_good is not None))
    named = named_properties(suite, parser.grammar)
    scored = _parsed(suite.items, parser)
    broken = [item.item for item in scored if is_bad_in_fragments(item)]
    wholes = {item.id: item for item in _parsed(broken, parser_of_trees(parser))}
    return all(tested.outcome.verdict == "pass" for tested in judge_items(suite, scored, False, named, wholes))


def _parsed(items: Iterable[Item], parser: Parser) -> list[ScoredItem]:
    return [ScoredItem(item, parser.parse(item.sentence), None) for item in items]


# A bad sentence of an exercise must be bad as a single tree. Even if the best parse is in fragments, there may be a
# tree that violates a hard property, has a phrase without a satisfied property (H4), or costs more than the fragments.

DEAR: Final = 1_000_000 * UNIT
"""A fragment cost so high that any tree is better than fragments."""


def parser_of_trees(parser: Parser) -> Parser:
    """Return a parser that finds a tree over the whole sentence if one exists, whatever it violates."""
    forms = tuple(
        replace(form, properties=tuple(map(softened, form.properties))) for form in parser.grammar.constructions
    )
    return parser_like(parser, replace(parser.grammar, constructions=forms, fragment_cost_units=DEAR), "H4")


def _in_exercise(problem: Problem, exercise: Exercise) -> Problem:
    """Return a mistake in the grammar's text as a warning in the exercise file, since the task may be to correct it."""
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
