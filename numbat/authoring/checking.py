"""Checks a grammar or an exercise, and reports the results."""

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
    """A grammar as far as it could be read, with its errors or, if there are none, its warnings and notes."""

    path: Path
    grammar: Grammar
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    notes: tuple[Problem, ...] = ()


def check_grammar(name: str) -> CheckedGrammar:
    """Read and check a grammar, with notes on notation that may be misunderstood. Raises MissingFileError."""
    path = find(name)
    loaded = read_grammar(path)
    grammar = judged(path, loaded)
    return grammar if grammar.errors else replace(grammar, notes=_notes(loaded, Span(str(path), 0)))


def _notes(loaded: LoadedGrammar, whole: Span) -> tuple[Problem, ...]:
    from numbat.grammar.checks import without_gloss
    from numbat.grammar.operands import braces_that_distribute
    from numbat.parsing.start_checks import built_by_obligation

    braces = braces_that_distribute(loaded.grammar, whole, loaded.source_lines)
    notes = [*built_by_obligation(loaded.grammar, whole), *braces, *without_gloss(loaded.grammar, whole)]
    return loaded.with_source_lines(notes)


def judged(
    path: Path, loaded: LoadedGrammar, advance: Callable[[], object] = tuple, known: KnownStarts | None = None
) -> CheckedGrammar:
    """Return a grammar that was read from a file, with its errors or, if there are none, its warnings.

    `advance` is called many times a second and may raise an exception to stop. `known` caches results for earlier
    versions of the grammar.
    """
    from numbat.grammar.checks import check
    from numbat.grammar.word_checks import empty_lexicon
    from numbat.parsing.start_checks import check_starts

    if loaded.errors:
        return CheckedGrammar(path, loaded.grammar, loaded.errors, ())
    name, grammar = str(path), loaded.grammar
    problems = [*check(grammar, name, advance), *check_starts(grammar, name, advance, known)]
    problems += empty_lexicon(grammar, Span(name, 0), loaded.files.values())
    warnings = loaded.with_source_lines(sorted(problems, key=lambda problem: (problem.span, problem.message)))
    return CheckedGrammar(path, loaded.grammar, loaded.errors, warnings)


def checked_line(path: Path, grammar: Grammar, errors: int, warnings: int, notes: int = 0) -> str:
    """Return a line that says how large a grammar is, and how many errors, warnings and (if any) notes it has."""
    return (
        f"{path}: {counted(len(grammar.constructions), 'construction')}, "
        f"{counted(len(grammar.properties), 'property', 'properties')}, "
        f"{counted(len(grammar.leaves), 'leaf', 'leaves')}, {counted(len(grammar.lexicon), 'lexicon form')}; "
        f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
        + (f"; {counted(notes, 'note')} (--notes)" if notes else "")
    )


def checked_exercise_line(path: str, exercise: Exercise | None, errors: int, warnings: int) -> str:
    """Return a line that says how large an exercise is, if it could be read, and how many problems it has."""
    number = 0 if exercise is None else sum(len(step.sentences) for step in exercise.steps)
    sizes = [] if exercise is None else [counted(len(exercise.steps), "step"), counted(number, "sentence")]
    problems = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    return f"{path}: {'; '.join([*([', '.join(sizes)] if sizes else []), problems])}"


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
    with_notes: bool = False,
    permissive: Sequence[Part] = (),
) -> Iterator[Part]:
    """Return sizes and problems of a grammar, and on request its lookup table, headless phrases and permissiveness.

    As text, only the number of problems is here; the caller writes the problems to standard error. JSON includes notes
    only with `with_notes`.
    """
    yield Line(checked_line(path, grammar, len(errors), len(warnings), len(notes)))
    yield _problem_members(str(path), errors, warnings, sizes_of(grammar))
    if with_notes:
        yield Member("notes", list(map(problem_json, notes)))
    if table:
        yield lookup_table(grammar)
    yield from permissive[:1]  # in JSON before the phrases, in the text after them
    if headless:
        yield from headless_report(grammar)
    yield from permissive[1:]


@report(CHECK)
def checked_exercise(
    path: str, exercise: Exercise | None, errors: Sequence[Problem], warnings: Sequence[Problem]
) -> Iterator[Part]:
    """Return the sizes and problems of an exercise, in the form that `checked_grammar` has for a grammar."""
    yield Line(checked_exercise_line(path, exercise, len(errors), len(warnings)))
    yield _problem_members(path, errors, warnings, exercise_sizes(exercise))


def annotated(problems: Iterable[Problem]) -> str:
    """Return problems in the format of annotations, which GitHub shows at the lines of a file."""
    return "".join(f"{annotation(problem)}\n" for problem in problems)


def _problem_members(
    path: str, errors: Sequence[Problem], warnings: Sequence[Problem], sizes: Mapping[str, int]
) -> Part:
    """Return the JSON members about a file; `sizes` says how many parts of each kind it has."""
    problems = [problem_json(problem) for problem in (*errors, *warnings)]
    numbers = {"errors": len(errors), "warnings": len(warnings)}
    return Members({"path": path, "sizes": dict(sizes), **numbers, "problems": problems})


def sizes_of(grammar: Grammar) -> dict[str, int]:
    """Return how many constructions, properties and other parts a grammar has."""
    return {
        "constructions": len(grammar.constructions),
        "properties": len(grammar.properties),
        "leaves": len(grammar.leaves),
        "forms": len(grammar.lexicon),
    }


def exercise_sizes(exercise: Exercise | None) -> dict[str, int]:
    """Return how many steps and sentences an exercise has; empty for None."""
    if exercise is None:
        return {}
    return {"steps": len(exercise.steps), "sentences": sum(len(step.sentences) for step in exercise.steps)}


def lookup_table(grammar: Grammar) -> Part:
    """Return the lookup table: operands and the properties that they find, then the properties about absence."""
    table = build_table(grammar)
    by_operands = sorted(table.by_operands.items())
    always = [properties for _, properties in sorted(table.by_construction.items())]
    heads = ["always, by construction"], *repeat((), len(always))
    rows = [_retrieved([f"({', '.join(key)})"], key, properties) for key, properties in by_operands]
    rows += [_retrieved(head, (), properties) for head, properties in zip(heads, always, strict=False)]
    return Items("lookup_table", rows)


def _retrieved(head: Sequence[str], operands: Sequence[str], properties: Sequence[Property]) -> Sequence[Part]:
    lines = [f"    {_placed(prop)}" for prop in properties]
    return Member("operands", list(operands), head), Member("properties", list(map(property_json, properties)), lines)


def _placed(prop: Property) -> str:
    return f"{format_named(prop)}  {prop.place}".rstrip()


def headless_report(grammar: Grammar) -> Iterator[Part]:
    """Return a report on the phrases that lack an obligatory daughter but cost less than a fragment."""
    phrases = headless_phrases(grammar)
    fragment = format_number(grammar.fragment_cost_units)
    less = f"built without an obligatory daughter for less than a fragment costs ({fragment})"
    yield Line(f"phrases that are {less}:" if phrases else f"no phrase of one daughter is {less}")
    yield Items("headless", [tuple(_headless(phrase)) for phrase in phrases])


def _headless(phrase: HeadlessPhrase) -> Iterator[Part]:
    by = f"{format_property(phrase.obligation)}  {phrase.obligation.place}".rstrip()
    cost = format_number(phrase.cost)
    yield Line(f"    {phrase.construction} of {either(phrase.daughters)} alone at cost {cost}: {by}")
    yield Members({"construction": phrase.construction, "daughters": list(phrase.daughters)})
    yield Members({"cost": phrase.cost / UNIT, "obligation": property_json(phrase.obligation)})
