"""The calls of the workbench by name: each takes a session and its arguments, and returns a value for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from numbat.acceptability import reasons
from numbat.acceptability import sentences as single
from numbat.acceptability.coverage import coverage as coverage_of
from numbat.acceptability.exercises import Exercise, exercise_of, is_exercise, packaged_exercises
from numbat.acceptability.generate import generate_sentences
from numbat.acceptability.mistakes import following, mistakes_of
from numbat.acceptability.models import MODELS, explain_score
from numbat.acceptability.models import contrast as contrast_of
from numbat.acceptability.runs import SendJob, run_suite
from numbat.acceptability.scores import Score
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.suite import Suite
from numbat.acceptability.suite_report import outcomes_report
from numbat.acceptability.verbs import judge_suite
from numbat.acceptability.verdicts import TestedItem
from numbat.authoring.verbs import abouts
from numbat.errors import DataError, Problem, UsageError, close_match, counted, shortened, visible
from numbat.experiments.suites import suite_of
from numbat.files import grammar_folders
from numbat.grammar.digest import digest
from numbat.grammar.model import Construction, property_types_of, relations_of
from numbat.grammar.properties import Property, format_operands, format_property
from numbat.parses.job import ParseJob, Tracing
from numbat.parsing.explanation.drawing import FOR_TREES, PLAIN, Look, forest, outline, svg
from numbat.parsing.explanation.json_format import number
from numbat.parsing.explanation.text import by_lexical_status
from numbat.parsing.explanation.violations import explain_diagnoses, explain_fragments, explain_prices
from numbat.parsing.queries import constituent_named
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.loop import Job, Record, attempt
from numbat.runs.sentences import InputSentence
from numbat.words.judgement_marks import RATINGS, leading_mark
from numbat.workbench import session
from numbat.workbench.session import (
    MAX_PARSES_KEPT,
    MAX_SENTENCES,
    ConstituentOfSentence,
    ExerciseText,
    Nothing,
    OneSentence,
    PackagedName,
    Sentences,
    SentencesToMake,
    SentenceToRepair,
    Session,
    SuiteText,
    TreeFile,
    TwoSentences,
    packaged_texts,
)

# Calls about sentences: parses, reasons, repairs

UNREADABLE = "unreadable"
WAITING = "waiting"
"""Status of a sentence that was not parsed in the time given."""
TREE_FORMS: Final[dict[str, Callable[[Parse, Look], str]]] = {
    "svg": svg,
    "latex": lambda parse, look: f"{FOR_TREES}\n{forest(parse, look)}",
}
"""Functions that write a parse as a file, by form."""


def sentences(session: Session, given: Sentences) -> dict[str, Any]:
    """Each sentence with its status, cost, score and number of violations.

    Sentences that were not parsed in time have the status `waiting`: a second request parses more of them.
    """
    if len(given.sentences) > MAX_SENTENCES:
        raise DataError(f"{len(given.sentences):,} sentences\n  give up to {MAX_SENTENCES:,} at once")
    session.get_ready()
    rows = [_row(session, typed) for typed in given.sentences]
    return {"sentences": rows, "waiting": sum(row["status"] == WAITING for row in rows)}


def _row(session: Session, typed: str) -> dict[str, Any]:
    session.go_on()
    if session.is_overdue() and not session.has_parsed(typed):
        return _without_parse(typed, WAITING)
    try:
        parse = session.parses(typed)[0]
    except DataError as error:
        return _without_parse(typed, UNREADABLE, str(error))
    return row_of(typed, parse, _score(session, parse))


def _without_parse(typed: str, status: str, summary: str = "") -> dict[str, Any]:
    mark, _ = leading_mark(typed)
    unknown = dict.fromkeys(("agrees", "cost", "score", "violated", "stopped_by"))
    return {"typed": typed, "mark": mark, "status": status, "summary": summary, **unknown, "guessed": [], "unknown": []}


def _score(session: Session, parse: Parse) -> Score | None:
    return session.score(parse) if parse.constituents else None


def parse(session: Session, given: OneSentence) -> dict[str, Any]:
    """The best parses of a sentence: trees, scores, each violation with its place and its daughters."""
    look = Look(given.features, given.folded, given.flipped)
    parses = session.parses(given.sentence, given.n)
    return {
        "typed": given.sentence,
        "mark": leading_mark(given.sentence)[0],
        "parses": [parse_view(item, _score(session, item), look) | _of_language(session, item) for item in parses],
    }


def _of_language(session: Session, parse: Parse) -> dict[str, Any]:
    """Return what a language adds: dependencies and, unless costs or weights were changed, its judgement."""
    if session.language is None or not parse.constituents:
        return {}
    view = session.language.view(parse)
    return {"language": view | ({"judgement": None} if session.request.settings.has_changes else {})}


def tree(session: Session, given: TreeFile) -> dict[str, Any]:
    """A parse as a file: a drawing (`svg`), or LaTeX for the package forest (`latex`)."""
    if given.form not in TREE_FORMS:
        raise UsageError(f'trees have no form "{visible(given.form)}"\n  the forms are: {", ".join(TREE_FORMS)}')
    look = Look(given.features, given.folded, given.flipped)
    parses = session.parses(given.sentence, given.rank)
    if len(parses) < given.rank:
        raise DataError(f"the sentence has only {counted(len(parses), 'parse')}\n  ask for one of these")
    return {"form": given.form, "text": TREE_FORMS[given.form](parses[given.rank - 1], look)}


def explain(session: Session, given: OneSentence) -> dict[str, Any]:
    """The reasons for the score of a sentence: how much each violated property takes from it."""
    return reasons.explanation(explain_score(session.parses(given.sentence)[0], session.score)).value()


def why_not(session: Session, given: ConstituentOfSentence) -> dict[str, Any]:
    """The best analysis with a constituent and how much more it costs than the best one, or why there is none."""
    lattice = session.lattice(given.sentence)
    wanted = constituent_named(given.constituent, session.parser.grammar, lattice)
    reply = single.why_not(session.parser, lattice, wanted)
    forced = reply.constrained
    return {
        "says": reply.says,
        "best": parse_view(reply.best, _score(session, reply.best)),
        "forced": None if forced is None else parse_view(forced, _score(session, forced)),
    }


def contrast(session: Session, given: TwoSentences) -> dict[str, Any]:
    """The difference between two sentences: the properties that only one of them violates or satisfies."""
    one, other = (session.parses(typed)[0] for typed in (given.one, given.other))
    differences = reasons.contrast(contrast_of(one, other, session.score)).value()
    return {
        **{name: differences[name] for name in ("violated", "satisfied")},
        "one": parse_view(one, _score(session, one)),
        "other": parse_view(other, _score(session, other)),
    }


def repair(session: Session, given: SentenceToRepair) -> dict[str, Any]:
    """The smallest changes of a sentence that improve its score, with doubts about each."""
    lattice = session.lattice(given.sentence)
    if not lattice.tokens:
        return {"repairs": [], "stopped_by": None, "doubts": [], "status": NO_WORDS}
    sentence = single.repair(
        session.parser, lattice, session.score, given.edits, most=given.most, advance=session.go_on
    )
    answer = reasons.repair(sentence).value()
    return {name: answer[name] for name in ("repairs", "stopped_by", "doubts", "score")}


def trace(session: Session, given: OneSentence) -> dict[str, Any]:
    """The eight phases of parsing a sentence, round by round, in the schema `numbat.trace/1`."""
    sentence = InputSentence("1", session.lattice(given.sentence))
    traced = ParseJob(session.parser, given.n, Tracing(advance=session.go_on))(sentence)
    session.go_on()
    return {"trace": traced.trace}


def what_if(session: Session, given: Sentences) -> dict[str, Any]:
    """Each sentence with the costs of the grammar and with those of the settings, and the difference."""
    after = sentences(session, given)
    before = sentences(session.without_changes(), given)
    changed = [
        {"typed": old["typed"], "cost": _difference(old["cost"], new["cost"]), "agrees": [old["agrees"], new["agrees"]]}
        for old, new in zip(before["sentences"], after["sentences"], strict=True)
    ]
    waiting = max(before["waiting"], after["waiting"])
    return {"before": before["sentences"], "after": after["sentences"], "changed": changed, "waiting": waiting}


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else round(after - before, 9)


# Calls about a grammar: packaged ones, problems, contents, generated sentences


def grammars(session: Session, given: Nothing) -> dict[str, Any]:
    """The packaged grammars with their descriptions, the packaged exercises, and the gradience models."""
    listed = [{"name": name, "about": about} for name, about in abouts().items()]
    return {"grammars": listed, "exercises": titles(), "models": list(MODELS)}


def packaged(session: Session, given: PackagedName) -> dict[str, Any]:
    """A packaged grammar as the texts of its files."""
    text = packaged_texts(given.name)
    return {"main": text.main, "files": dict(text.files)}


def check(session: Session, given: Nothing) -> dict[str, Any]:
    """All errors of a grammar, or if there are none all warnings, each with its place and a remedy."""
    checked = session.judged()
    grammar = checked.grammar
    return {
        "errors": len(checked.errors),
        "warnings": len(checked.warnings),
        "problems": [problem_view(problem) for problem in (*checked.errors, *checked.warnings)],
        "title": grammar.title,
        "constructions": len(grammar.constructions),
        "properties": len(grammar.properties),
        "forms": len(grammar.lexicon),
    }


def ready(session: Session, given: Nothing) -> dict[str, Any]:
    """Reads a grammar ahead, so that it is read quickly after an edit; ends as soon as another request comes."""
    session.get_ready_for_edits()
    return {}


def show(session: Session, given: Nothing) -> dict[str, Any]:
    """The contents of a grammar: categories, features, relations with their use, constructions with properties."""
    grammar = session.grammar
    used, relations = Counter(prop.type for prop in grammar.properties), relations_of(grammar)
    return {
        "name": grammar.name,
        "title": grammar.title,
        "language": grammar.language,
        "digest": digest(grammar),
        "fragment_cost": number(grammar.fragment_cost_units),
        "roots": format_operands(grammar.roots) if grammar.roots else "",
        "leaves": list(grammar.leaves),
        "features": [{"name": name, "values": list(values)} for name, values in grammar.features],
        "relations": [
            {"name": name, "symbol": relations[name].symbol if name in relations else "", "properties": used[name]}
            for name in property_types_of(grammar)
        ],
        "constructions": [_construction(construction) for construction in grammar.constructions],
        "forms": len(grammar.lexicon),
    }


def _construction(construction: Construction) -> dict[str, Any]:
    return {
        "name": construction.name,
        "title": construction.title,
        "properties": [
            {
                "relation": prop.type,
                "property": format_property(prop),
                "cost": number(prop.cost_units),
                "weight": number(prop.weight_units),
                "hard": prop.hard,
                "place": place_of(prop),
            }
            for prop in construction.properties
        ],
    }


def generate(session: Session, given: SentencesToMake) -> dict[str, Any]:
    """Generated sentences: well-formed ones, or ones that violate one property, each with a well-formed counterpart."""
    seconds = session.request.settings.seconds
    rows = []
    for generated in generate_sentences(session.parser, given.number, given.seed, given.violated, seconds=seconds):
        session.go_on()
        twin = None if generated.twin is None else row_of(generated.twin.sentence, generated.twin, None)
        rows.append({**row_of(generated.sentence, generated.parse, None), "twin": twin, "edit": generated.edit})
    return {"sentences": rows}


# Calls about a suite: which sentences pass, and what they cover


def suite(session: Session, given: SuiteText) -> dict[str, Any]:
    """The outcomes of a suite: how the grammar judges each sentence, in the schema `numbat.test/1`.

    If there is no time for all sentences the answer is how many are `waiting`: a second request parses more of them.
    """
    loaded, run = _suite(given), SuiteRequest(session)
    try:
        tested = judge_suite(loaded, session.any_parser, session.read_of_suite, run.records)
    except WaitingError:
        return run.waiting(loaded)
    answer = outcomes_report(tested, session.any_parser.grammar, loaded).value()
    lines = {item.id: item.line for item in loaded.items}
    for item in answer["items"]:
        item["line"] = lines[item["id"]]
    if is_exercise(given.name):
        answer["hints"] = _hints(exercise_of(given.text, given.name), tested)
    return answer


def _hints(exercise: Exercise, tested: Sequence[TestedItem]) -> list[list[str]]:
    """Return for each step the hints that fit the mistakes in its sentences, the most specific first."""
    hints = []
    for step in exercise.steps:
        lines = {line for line, _ in step.sentences}
        mistakes = [mistake for mistake in mistakes_of(tested) if mistake.item.line in lines]
        hints.append([hint.text for hint in following(step.hints, mistakes)])
    return hints


def coverage(session: Session, given: SuiteText) -> dict[str, Any]:
    """Every property of the grammar with the number of sentences of the suite that satisfy and that violate it.

    The answer is `waiting` as in `suite` if there is no time for all sentences.
    """
    parser, loaded, run = session.any_parser, _suite(given), SuiteRequest(session)
    try:
        items = list(run_suite(loaded, parser, None, session.read_of_suite, run.records))
    except WaitingError:
        return run.waiting(loaded)
    covered = coverage_of(items, parser.grammar)
    return {
        "sentences": len(items),
        "never_evaluated": sum(not (count.satisfied or count.violated) for count in covered),
        "properties": [
            {
                "construction": count.property.construction,
                "property": format_property(count.property),
                "relation": count.property.type,
                "place": place_of(count.property),
                "satisfied": count.satisfied,
                "violated": count.violated,
                "in_good": count.good,
                "in_bad": count.bad,
                "undecided": count.undecided,
            }
            for count in covered
        ],
    }


def _suite(given: SuiteText) -> Suite:
    """Return the suite of a text. Raises DataError if it cannot be read or is too long for one request."""
    loaded = suite_of(SuiteSettings(given.name), given.text)
    if len(loaded.items) > MAX_PARSES_KEPT:
        raise DataError(
            f"{given.name}: {len(loaded.items):,} sentences, and the page judges up to {MAX_PARSES_KEPT:,}\n"
            "  numbat test judges more"
        )
    return loaded


class WaitingError(Exception):
    """Raised when the time of a request is up before all sentences of its suite are parsed."""


class SuiteRequest:
    """The run of a request over a suite: it keeps the parses for the next request, and gives way to other requests.

    A suite is judged as a whole, because its header, numbers and pairs say what its lines mean.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def records(self, job: Job[Any, Any], inputs: Iterator[Any], total: int | None = None) -> Iterator[Record[Any]]:
        """Yield the record of each item, as an executor. Raises WaitingError when the time is up."""
        session, made = self._session, 0
        is_usual = isinstance(job, SendJob) and job.score.parser is session.any_parser
        for item in inputs:
            session.go_on()
            key = session.key_of(item.sentence)
            record = session.kept.judged.get(key) if is_usual else None
            if record is None:
                if is_usual and made and session.is_overdue():
                    raise WaitingError
                record, made = attempt(job, item), made + 1
                if is_usual:
                    session.kept.judged.put(key, record)
            yield record

    def waiting(self, suite: Suite) -> dict[str, Any]:
        """Return the answer of a request whose time was up: how many sentences are not parsed yet."""
        sentences = {item.sentence for item in suite.items}
        kept, key_of = self._session.kept.judged, self._session.key_of
        return {"waiting": max(1, sum(kept.get(key_of(sentence)) is None for sentence in sentences))}


# Calls about exercises


def exercise(session: Session, given: ExerciseText) -> dict[str, Any]:
    """An exercise: its steps with tasks, hints and the lines of their sentences, and the grammar to begin with."""
    name, text = (given.name, given.text) if given.text is not None else _packaged(given.name)
    if not is_exercise(name):
        raise UsageError(f'"{shortened(name)}" is not the name of an exercise\n  name the file NAME.exercise.yaml')
    loaded = exercise_of(text, name)
    return {
        "name": name,
        "text": text,
        "title": loaded.title,
        "grammar": _grammar(loaded),
        "steps": [
            {
                "title": step.title,
                "task": step.task,
                "hints": [hint.text for hint in step.hints if not hint.about],
                "lines": [item.line for item in step.items(loaded.path)],
            }
            for step in loaded.steps
        ],
    }


def titles() -> list[dict[str, str]]:
    """Return the packaged exercises with their titles."""
    read = ((name, exercise_of(path.read_text("utf-8"), path.name)) for name, path in packaged_exercises().items())
    return [{"name": name, "title": loaded.title} for name, loaded in read]


def _grammar(exercise: Exercise) -> dict[str, Any]:
    if exercise.packaged:
        text = packaged_texts(exercise.grammar)
        return {"main": text.main, "files": dict(text.files), "packaged": exercise.grammar}
    return {"main": exercise.grammar_file, "files": {exercise.grammar_file: exercise.grammar}, "packaged": ""}


def _packaged(name: str) -> tuple[str, str]:
    known = packaged_exercises()
    if name not in known:
        hint = close_match(name, known) or f"the packaged exercises are: {', '.join(known)}"
        raise UsageError(f'"{name}" is not a packaged exercise\n  {hint}')
    return known[name].name, known[name].read_text(encoding="utf-8")


@frozen
class Call:
    """A call: the record of its arguments, and the function that answers it."""

    takes: type
    answer: Callable[[Session, Any], dict[str, Any]]

    @property
    def about(self) -> str:
        """The first paragraph of the function's docstring."""
        return " ".join((self.answer.__doc__ or "").split("\n\n")[0].split())


CALLS: Final[dict[str, Call]] = {
    "grammars": Call(session.Nothing, grammars),
    "packaged": Call(session.PackagedName, packaged),
    "check": Call(session.Nothing, check),
    "ready": Call(session.Nothing, ready),
    "show": Call(session.Nothing, show),
    "generate": Call(session.SentencesToMake, generate),
    "sentences": Call(session.Sentences, sentences),
    "parse": Call(session.OneSentence, parse),
    "tree": Call(session.TreeFile, tree),
    "explain": Call(session.OneSentence, explain),
    "why-not": Call(session.ConstituentOfSentence, why_not),
    "contrast": Call(session.TwoSentences, contrast),
    "repair": Call(session.SentenceToRepair, repair),
    "trace": Call(session.OneSentence, trace),
    "what-if": Call(session.Sentences, what_if),
    "suite": Call(session.SuiteText, suite),
    "coverage": Call(session.SuiteText, coverage),
    "exercise": Call(session.ExerciseText, exercise),
}


# Views of a parse: a row of the list of sentences, or everything about the chosen one

NO_WORDS = "no words"
WELL_FORMED = "well-formed"
VIOLATIONS = "violations"
FRAGMENTS = "fragments"


def status_of(parse: Parse) -> str:
    """Return the status of a parse: well-formed, violations, fragments, or no words."""
    if not parse.constituents:
        return NO_WORDS
    if parse.is_well_formed:
        return WELL_FORMED
    return VIOLATIONS if parse.is_full or parse.grammar.is_shallow else FRAGMENTS


def row_of(typed: str, parse: Parse, score: Score | None) -> dict[str, Any]:
    """Return the row of a sentence: status, cost, score, number of violations, words that the lexicon does not have.

    `agrees` is true if the parse is well-formed and the mark good, or neither; None for marks between good and bad.
    """
    mark, _ = leading_mark(typed)
    return {
        "typed": typed,
        "mark": mark,
        "status": status_of(parse),
        "agrees": _agrees(mark, parse),
        "summary": parse.summary(),
        "cost": number(parse.cost_units),
        "score": None if score is None else score.value,
        "violated": len(parse.violated),
        **_words_not_known(parse),
        "stopped_by": parse.stopped_by,
    }


def parse_view(parse: Parse, score: Score | None, look: Look = PLAIN) -> dict[str, Any]:
    """Return a parse with its drawing, its score, and each violation with its place in the grammar and its daughters.

    `parse` is the parse in the schema `numbat.parse/2`; other fields use its constituent numbers. `features` are the
    names of the features that the tree shows, None if it shows all.
    """
    shown = look.shown(parse.grammar)
    record = parse.to_json()
    return {
        "rank": parse.rank,
        "status": status_of(parse),
        "summary": parse.summary(),
        "score": None if score is None else score_view(score),
        "fragments": explain_fragments(parse),
        "violations": _violations(parse, record["violated"]),
        "diagnoses": list(explain_diagnoses(parse)),
        "prices": list(explain_prices(parse)),
        **_words_not_known(parse),
        "stopped_by": parse.stopped_by,
        "features": None if shown is None else sorted(shown),
        "svg": svg(parse, look, styled=False),
        "outline": outline(parse, look),
        "brackets": parse.to_brackets(),
        "parse": record,
    }


def score_view(score: Score) -> dict[str, Any]:
    """Return a score as JSON: its value and, by name, the numbers that the value is computed from."""
    return {"model": score.model, "value": score.value, "parts": dict(score.parts), "factor": score.factor}


def _violations(parse: Parse, instances: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each violated instance with its explanation, its property, and its constituents as in the JSON parse."""
    return [
        {
            "says": f"{instance['message']}  [{instance['formal']}]",
            "construction": evaluated.property.construction,
            "property": format_property(evaluated.property),
            "relation": evaluated.property.type,
            "constituent": instance["constituent"],
            "elements": instance["elements"],
            "cost": number(evaluated.property.cost_units),
            "place": place_of(evaluated.property),
        }
        for evaluated, instance in zip(parse.violated, instances, strict=True)
    ]


def _words_not_known(parse: Parse) -> dict[str, list[str]]:
    words = by_lexical_status(parse.guessed)
    return {"guessed": words.get("guessed", []), "unknown": words.get("unknown", [])}


def _agrees(mark: str, parse: Parse) -> bool | None:
    rating = RATINGS.get(mark, 1.0)
    if not parse.constituents or 0.0 < rating < 1.0:
        return None
    return parse.is_well_formed == (rating == 1.0)


# Places in the files of a grammar: of problems and properties


def problem_view(problem: Problem) -> dict[str, Any]:
    """Return a problem with its place; lines and columns count from 1, line 0 means the whole file."""
    span = problem.span
    return {
        "file": file_name(span.path),
        "line": span.line,
        "column": span.column,
        "end_column": max(span.end_column, span.column + 1),
        "severity": problem.severity,
        "message": problem.message,
        "expected": problem.expected,
        "found": problem.found,
        "hint": problem.hint,
    }


def place_of(prop: Property) -> dict[str, Any] | None:
    """Return the place of a property, None if it has none."""
    if prop.span is None:
        return None
    return {"file": file_name(prop.span.path), "line": prop.span.line, "column": prop.span.column}


def file_name(path: str) -> str:
    """Return the name that a page uses for a file; for a packaged one it is relative to the folder of grammars."""
    for folder in grammar_folders():
        if folder in Path(path).parents:
            return Path(path).relative_to(folder).as_posix()
    return Path(path).name if Path(path).is_absolute() else path
