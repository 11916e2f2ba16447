"""Checks of a grammar or an exercise, and the report of what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from numbat.acceptability.exercises import Exercise
from numbat.errors import Problem, Span, counted, either
from numbat.evaluation.matching import build_table
from numbat.grammar.loading import LoadedGrammar, find, read_grammar
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Property, format_named, format_number, format_property
from numbat.parsing.start_checks import headless_phrases
from numbat.records import frozen
from numbat.reports.answers import annotation, problem_json, property_json
from numbat.reports.report import Items, Line, Member, Members, Part, report

if TYPE_CHECKING:
    from numbat.parsing.start_checks import HeadlessPhrase, KnownStarts


@frozen
class CheckedGrammar:
    """A grammar as far as it could be read, its errors; where there are none, its warnings and notes."""

    path: Path
    grammar: Grammar
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    notes: tuple[Problem, ...] = ()


def check_grammar(name: str) -> CheckedGrammar:
    """Read a grammar and judge it, with notes on what somebody may read otherwise. Raises MissingFileError."""
    path = find(name)
    loaded = read_grammar(path)
    grammar = judged(path, loaded)
    return grammar if grammar.errors else replace(grammar, notes=_notes(loaded, Span(str(path), 0)))


def _notes(loaded: LoadedGrammar, whole: Span) -> tuple[Problem, ...]:
    from numbat.grammar.operands import braces_that_distribute
    from numbat.parsing.start_checks import built_by_obligation

    braces = braces_that_distribute(loaded.grammar, whole, loaded.source_lines)
    return loaded.with_source_lines([*built_by_obligation(loaded.grammar, whole), *braces])


def judged(
    path: Path, loaded: LoadedGrammar, advance: Callable[[], object] = tuple, known: KnownStarts | None = None
) -> CheckedGrammar:
    """Return a grammar that was read from a file, with its errors, or else with its warnings.

    `advance` is called on the way, many times a second; it may raise. `known` is what earlier versions left.
    """
    from numbat.grammar.checks import check, empty_lexicon
    from numbat.parsing.start_checks import check_starts

    if loaded.errors:
        return CheckedGrammar(path, loaded.grammar, loaded.errors, ())
    name, grammar = str(path), loaded.grammar
    doubts = [*check(grammar, name, advance), *check_starts(grammar, name, advance, known)]
    doubts += empty_lexicon(grammar, Span(name, 0), loaded.files.values())
    warnings = loaded.with_source_lines(sorted(doubts, key=lambda problem: (problem.span, problem.message)))
    return CheckedGrammar(path, loaded.grammar, loaded.errors, warnings)


def checked_line(path: Path, grammar: Grammar, errors: int, warnings: int, notes: int = 0) -> str:
    """Sizes of a grammar and numbers of mistakes in one line, and of notes if there are any."""
    return (
        f"{path}: {counted(len(grammar.constructions), 'construction')}, "
        f"{counted(len(grammar.properties), 'property', 'properties')}, "
        f"{counted(len(grammar.leaves), 'leaf', 'leaves')}, {counted(len(grammar.lexicon), 'lexicon form')}; "
        f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
        + (f"; {counted(notes, 'note')} (--notes)" if notes else "")
    )


def checked_exercise_line(path: str, exercise: Exercise | None, errors: int, warnings: int) -> str:
    """Sizes of an exercise, where it could be read, and numbers of mistakes in one line."""
    number = 0 if exercise is None else sum(len(step.sentences) for step in exercise.steps)
    sizes = [] if exercise is None else [counted(len(exercise.steps), "step"), counted(number, "sentence")]
    told = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    return f"{path}: {'; '.join([*([', '.join(sizes)] if sizes else []), told])}"


CHECK: Final = "numbat.check/1"


@report(CHECK)
def checked_grammar(
    path: Path,
    grammar: Grammar,
    errors: Sequence[Problem],
    warnings: Sequence[Problem],
    notes: Sequence[Problem] = (),
    table: bool = False,
    headless: bool = False,
    told: bool = False,
    permissive: Sequence[Part] = (),
) -> Iterator[Part]:
    """Return sizes and mistakes of a grammar, with its lookup table, its headless phrases and how permissive it is if
    these are asked for.

    The text has the numbers of mistakes: they themselves are told on standard error, and notes where they are `told`.
    """
    yield Line(checked_line(path, grammar, len(errors), len(warnings), len(notes)))
    yield _found(str(path), errors, warnings, sizes_of(grammar))
    if told:
        yield Member("notes", list(map(problem_json, notes)))
    if table:
        yield lookup_table(grammar)
    yield from permissive[:1]  # in JSON before the phrases, in the text behind them
    if headless:
        yield from headless_report(grammar)
    yield from permissive[1:]


@report(CHECK)
def checked_exercise(
    path: str, exercise: Exercise | None, errors: Sequence[Problem], warnings: Sequence[Problem]
) -> Iterator[Part]:
    """Return sizes and mistakes of an exercise in the same form."""
    yield Line(checked_exercise_line(path, exercise, len(errors), len(warnings)))
    yield _found(path, errors, warnings, exercise_sizes(exercise))


def annotated(problems: Iterable[Problem]) -> str:
    """Return problems as lines that make a workflow on GitHub mark the lines of the file."""
    return "".join(f"{annotation(problem)}\n" for problem in problems)


def _found(path: str, errors: Sequence[Problem], warnings: Sequence[Problem], sizes: Mapping[str, int]) -> Part:
    """Return what JSON has of a file; `sizes` are the numbers of its parts."""
    problems = [problem_json(problem) for problem in (*errors, *warnings)]
    numbers = {"errors": len(errors), "warnings": len(warnings)}
    return Members({"path": path, "sizes": dict(sizes), **numbers, "problems": problems})


def sizes_of(grammar: Grammar) -> dict[str, int]:
    """Return the numbers of the parts of a grammar."""
    return {
        "constructions": len(grammar.constructions),
        "properties": len(grammar.properties),
        "leaves": len(grammar.leaves),
        "forms": len(grammar.lexicon),
    }


def exercise_sizes(exercise: Exercise | None) -> dict[str, int]:
    """Return the numbers of steps and sentences of an exercise; nothing of one that could not be read."""
    if exercise is None:
        return {}
    return {"steps": len(exercise.steps), "sentences": sum(len(step.sentences) for step in exercise.steps)}


def lookup_table(grammar: Grammar) -> Part:
    """Return the lookup table: pertinence operands and the properties that they retrieve; then the index of absence,
    properties that hold of whatever a construction has, without operands.
    """
    table = build_table(grammar)
    by_operands = sorted(table.by_operands.items())
    always = [properties for _, properties in sorted(table.by_construction.items())]
    heads = ["always, by construction"], *repeat((), len(always))
    rows = [_retrieved([f"({', '.join(key)})"], key, properties) for key, properties in by_operands]
    rows += [_retrieved(head, (), properties) for head, properties in zip(heads, always, strict=False)]
    return Items("lookup_table", rows)


def _retrieved(head: Sequence[str], operands: Sequence[str], properties: Sequence[Property]) -> Sequence[Part]:
    told = [f"    {_placed(prop)}" for prop in properties]
    return Member("operands", list(operands), head), Member("properties", list(map(property_json, properties)), told)


def _placed(prop: Property) -> str:
    return f"{format_named(prop)}  {prop.place}".rstrip()


def headless_report(grammar: Grammar) -> Iterator[Part]:
    """Return the phrases that are built without what is obligatory for less than a fragment costs."""
    phrases = headless_phrases(grammar)
    less = f"built without what is obligatory for less than a fragment costs ({format_number(grammar.fragment_cost)})"
    yield Line(f"{less}:" if phrases else f"no phrase of one daughter is {less}")
    yield Items("headless", [tuple(_headless(phrase)) for phrase in phrases])


def _headless(found: HeadlessPhrase) -> Iterator[Part]:
    by = f"{format_property(found.obligation)}  {found.obligation.place}".rstrip()
    yield Line(f"    {found.construction} of {either(found.daughters)} alone at cost {format_number(found.cost)}: {by}")
    yield Members({"construction": found.construction, "daughters": list(found.daughters)})
    yield Members({"cost": found.cost / UNIT, "obligation": property_json(found.obligation)})
