"""From answers to trials: elements that rate, last choices, numbers, participants, duplicates.

All formats use this module: `ibex_results` and `result_tables` read the answers of files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, log10
from statistics import median
from typing import Final, Literal

from numbat.acceptability.suite_tables import DECIMAL_COMMA
from numbat.errors import DataError, Problem, Span, UsageError, close_match, counted, data_error, either, first_of
from numbat.experiments.personal_columns import personal_columns
from numbat.experiments.trials import NO_VALUE, Omission, Trial, Trials, with_z_scores
from numbat.records import frozen

Task = Literal["scale", "magnitude", "choice", "yes-no"]
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "participant": (
        "participant", "participant id", "participantid", "participant private id", "subject", "subject id", "subj",
        "worker", "workerid", "worker id", "rater", "informant", "responseid", "response id", "speaker",
    ),
    "item": ("item", "item id", "itemid", "item number", "itemnumber", "item no", "item nr"),
    "condition": ("condition", "cond", "phenomenon", "construction"),
    "label": ("label", "item type", "itemtype", "trial type", "type", "display"),
    "sentence": ("sentence", "text", "stimulus", "item text", "sentence text", "string", "phrase"),
    "rating": ("rating", "response", "judgement", "judgment", "acceptability", "answer", "score", "value"),
    "time": ("time", "rt", "reaction time", "response time", "latency"),
    "element": ("element", "zone name", "object name"),
    "trial": ("trial", "trial number", "trial index"),
}  # fmt: skip
"""Names of columns of results, in any case, with _ or blanks; the first that occurs counts."""
BUTTON: Final = "Button"
"""The kind of all buttons, which count as one element; the answer is the name of the clicked button."""
LOGGED: Final = ("item", "condition", "sentence")
"""Fields that an experiment in PCIbex logs as columns."""
YES_NO: Final[Mapping[str, float]] = {
    **dict.fromkeys(
        ("yes", "true", "good", "acceptable", "natural", "grammatical", "ok", "ja", "oui", "si", "sí"), 1.0
    ),
    **dict.fromkeys(("no", "false", "bad", "unacceptable", "unnatural", "ungrammatical", "nein", "non", "not ok"), 0.0),
}
"""Answers that mean yes or no."""
NUMBER_FIRST: Final = re.compile(r"([+-]?[0-9]+)\s*(?:[-–=:.(]|\s)\s*\D.*")
"""An answer such as `7 - perfect` or `1 (very bad)`."""


@frozen
class ResultLayout:
    """Options for reading results: what the files themselves do not show.

    `columns` gives the file's column for each field; `elements` are those whose answers are ratings; `only` and
    `leave_out` are labels; `participant` is the column of participants; `answers` gives the rating of an answer;
    `scale` is the least and the greatest rating; `keep` and `drop` are columns to write or not to write in any case. In
    a forced choice, `options` gives the column with the sentence of each option. In magnitude estimation, `reference`
    is the column with the estimate of the reference sentence.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    elements: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    participant: str = ""
    answers: Mapping[str, float] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    task: Task = "scale"
    options: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""
    decimal_comma: bool = False
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


@dataclass(slots=True)
class Response:
    """One answer as written, and what was shown. `who` sent it, `trial` identifies the screen.

    `element` is the part of the screen that took the answer, of a `kind` such as Scale. `stamp` is the time as written;
    `others` are further columns, `attributes` those of the participant. If `is_condition`, the label is the condition.
    """

    who: str
    trial: Hashable
    kind: str
    element: str
    value: str
    path: str
    line: int
    label: str = ""
    item: str = ""
    condition: str = ""
    sentence: str = ""
    number: str = ""
    correct: str = ""
    time: float | None = None
    stamp: str = ""
    address: str = ""
    is_condition: bool = False
    others: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The file and line of the answer."""
        return f"{self.path}:{self.line}"


class Log:
    """Notes on reading results, cautions and omissions."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.cautions: list[str] = []
        self.left_out: list[Omission] = []

    def read(self, text: str) -> None:
        """Note a fact about the reading."""
        self.notes.append(text)

    def beware(self, text: str) -> None:
        """Note a possible fault of the results."""
        self.cautions.append(text)

    def leave_out(self, answer: Response, why: str) -> None:
        """Note that an answer belongs to no trial."""
        self.left_out.append(Omission(answer.path, answer.line, answer.who, why))


@frozen
class AnswerFile:
    """The answers in one file; `fields` gives the file's column for each field, such as item and condition."""

    path: str
    answers: Sequence[Response]
    fields: Mapping[str, str]

    @property
    def columns(self) -> dict[str, None]:
        """The names of the further columns."""
        return dict.fromkeys(name for answer in self.answers for name in answer.others)


def trials_of(files: Sequence[AnswerFile], layout: ResultLayout, log: Log) -> Trials:
    """Return the trials of the answers in several files of one study, with z-scores over all of them.

    Raises DataError with places, and UsageError for unknown elements, labels and columns.
    """
    _check_alike(files, log)
    paths = [file.path for file in files]
    answers = _shown_only([answer for file in files for answer in file.answers], log)
    answers = _by_participant(answers, layout, log)
    answers = _last_choices(_of_one_element(_ratings_only(answers, log), layout, log), log)
    answers = _once(answers, log)
    answers = _counting(answers, layout, log)
    rated = list(_rated(answers, layout, log))
    if not rated:
        raise DataError(f"{paths[0]}: no ratings in these results\n  {_left(log)}")
    made = _made(rated, layout, log, paths)
    made = with_z_scores(made) if layout.task != "choice" else made
    return only_labels(made, layout.only)


def only_labels(trials: Trials, labels: Sequence[str]) -> Trials:
    """Return the trials with one of the labels, or all if none is given. Raises UsageError for an unknown label."""
    numbers = Counter(trial.label for trial in trials.trials)
    check_labels(labels, numbers, "--only")
    if not labels:
        return trials
    left = {label: number for label, number in numbers.items() if label not in labels}
    if not left:
        return trials
    which = ", ".join(f"{label or 'no label'} {number:,}" for label, number in left.items())
    note = f"only {', '.join(labels)}: trials with other labels count only in z-scores ({which})"
    return replace(trials, trials=tuple(t for t in trials.trials if t.label in labels), read=(*trials.read, note))


def check_labels(labels: Iterable[str], labels_of_trials: Iterable[str], option: str) -> None:
    """Raise UsageError for a label that no trial has."""
    for label in labels:
        if label not in labels_of_trials:
            known = ", ".join(sorted(filter(None, labels_of_trials))) or "none"
            hint = close_match(label, labels_of_trials) or f"the labels are: {known}"
            raise UsageError(f'{option}: no trial has the label "{label}"\n  {hint}')


def _left(log: Log) -> str:
    return "; ".join(map(str, log.left_out[:3])) or "the file needs answers below the names of the columns"


# The columns of the fields


def with_logged_fields(path: str, answers: Sequence[Response], layout: ResultLayout) -> AnswerFile:
    """Return the answers of PCIbex, with items, conditions and sentences from the logged columns.

    Raises UsageError for a missing column.
    """
    names = list(dict.fromkeys(name for answer in answers for name in answer.others))
    check_columns(path, names, layout.columns)
    fields = fields_among(names, layout.columns, LOGGED)
    for answer in answers:
        for name, column in fields.items():
            value = answer.others.pop(column, "")
            if name == "sentence":
                answer.sentence = value or answer.sentence
            elif name in ("item", "condition", "label"):
                setattr(answer, name, named(value))
            else:
                answer.others[name] = value
        if answer.is_condition:
            answer.condition = answer.label
        answer.trial = (answer.trial, answer.item, answer.condition, answer.sentence)
    if any(answer.is_condition for answer in answers):
        fields = {**dict.fromkeys(LOGGED, "(Ibex)"), **fields}
    return AnswerFile(path, answers, fields)


def check_columns(path: str, names: Sequence[str], renamed: Mapping[str, str]) -> None:
    """Raise UsageError for a named column that is missing."""
    for column in renamed.values():
        if column not in names:
            hint = close_match(column, names) or f"the columns are: {', '.join(names) or 'none'}"
            raise UsageError(f'{path}: no column "{column}"\n  {hint}')


def fields_among(names: Sequence[str], renamed: Mapping[str, str], wanted: Iterable[str]) -> dict[str, str]:
    """Return the column of each field that the file has: those `renamed`, then `wanted` ones found by a usual name."""
    by_form = {_form(name): name for name in reversed(names)}
    columns = {name: column for name, column in renamed.items() if column in names}
    taken = set(columns.values())
    for field_name in wanted:
        usual = (by_form[alias] for alias in FIELDS[field_name] if by_form.get(alias, "") not in ("", *taken))
        if field_name not in renamed and (column := next(usual, None)) is not None:
            columns[field_name] = column
    return columns


def _form(name: str) -> str:
    return " ".join(name.lower().lstrip("\ufeff").replace("_", " ").split())


def named(cell: str) -> str:
    """Return a cell, empty if it stands for a missing value, such as NA."""
    return "" if cell.strip().lower() in NO_VALUE else cell


def _check_alike(files: Sequence[AnswerFile], log: Log) -> None:
    """Raise DataError for a file without the item, condition or sentence of another one; report other differences."""
    first, *others = files
    for file in others:
        for name in LOGGED:
            if (name in first.fields) != (name in file.fields):
                lacking, having = (file, first) if name in first.fields else (first, file)
                raise DataError(
                    f"{lacking.path}: no column for the {name}, which {having.path} has: {having.fields[name]}\n"
                    f"  name the column, --columns {name}=NAME, or read the files one by one"
                )
        for lacking, having in ((file, first), (first, file)):
            if names := sorted({*having.columns} - {*lacking.columns}):
                log.beware(
                    f"{lacking.path}: no column {', '.join(names)}, which {having.path} has; its cells are left empty"
                )


# Answers that are not ratings


def _shown_only(answers: Sequence[Response], log: Log) -> list[Response]:
    """Return the answers to screens with a sentence, item or condition; others become attributes of participants."""
    shown = [bool(answer.sentence or ((answer.item or answer.condition) and not answer.number)) for answer in answers]
    if all(shown) or not any(shown):
        return list(answers)
    asked: dict[str, None] = {}
    for answer, is_shown in zip(answers, shown, strict=True):
        if not is_shown:
            name = answer.label if answer.number else answer.element or answer.kind
            answer.attributes[name] = answer.value
            asked[f"{name} ({answer.element if answer.number else answer.label})"] = None
    number = len(answers) - sum(shown)
    log.read(f"{counted(number, 'answer')} to screens without a sentence, item or condition: {first_of([*asked], 8)}")
    return [answer for answer, is_shown in zip(answers, shown, strict=True) if is_shown]


def _ratings_only(answers: Sequence[Response], log: Log) -> list[Response]:
    """Return the answers without those to questions that have a right answer; these become a column `correct`."""
    if not any(answer.correct for answer in answers) or all(answer.correct for answer in answers):
        return list(answers)
    right = {}
    for answer in answers:
        if answer.correct:
            right[answer.trial] = answer.correct
    for answer in answers:
        answer.others["correct"] = right.get(answer.trial, "")
    kept = [answer for answer in answers if not answer.correct]
    log.read(f"{counted(len(answers) - len(kept), 'answer')} to questions with a right answer: the column correct")
    return kept


def _of_one_element(answers: Sequence[Response], layout: ResultLayout, log: Log) -> list[Response]:
    """Return the answers that are ratings. Raises DataError if several elements of a trial answer and none is named."""
    if layout.elements:
        return _of_elements(answers, layout.elements, {word.lower() for word in layout.answers}, log)
    kinds: dict[tuple[str, str], list[Response]] = {}
    for answer in answers:
        kinds.setdefault((answer.kind, answer.element), []).append(answer)
    rating = {key for key, given in kinds.items() if not _goes_on(given) and not _is_free_text(given)}
    for key in kinds.keys() - rating:
        note = f"{_element(kinds[key][0])} is not a rating: {counted(len(kinds[key]), 'answer')}"
        log.read(f"{note} ({_examples(kinds[key])})")
    responses = [answer for answer in answers if (answer.kind, answer.element) in rating]
    of_trial: dict[Hashable, dict[str, Response]] = {}
    for answer in responses:
        of_trial.setdefault(answer.trial, {}).setdefault(answer.element, answer)
    for several in of_trial.values():
        if len(several) > 1:
            which = "; ".join(
                f"{name} ({response.kind}, {_examples(_of(responses, name))})" for name, response in several.items()
            )
            first = next(iter(several.values()))
            raise DataError(
                f"{first.place}: {len(several)} elements answer in one trial: {which}\n"
                f"  choose the one that rates: {either(f'--element {_quoted(name)}' for name in several)}"
            )
    used = Counter(_element(answer) for answer in responses if answer.kind)
    if used:
        log.read(f"ratings: {', '.join(f'{name} ({number:,})' for name, number in used.items())}")
    return responses


def _of_elements(
    answers: Sequence[Response], names: Sequence[str], answered: Collection[str], log: Log
) -> list[Response]:
    """Return the answers of the named elements; those of other elements in the same trial become columns.

    Of buttons, those in `answered` count, if there are any: other buttons lead to the next screen.
    """
    if answered:
        answers = [answer for answer in answers if answer.kind != BUTTON or answer.value.lower() in answered]
    numbers = Counter(answer.element for answer in answers)
    kinds = {answer.element: answer.kind for answer in answers}
    chosen = {element for element in numbers if element in names or kinds[element] in names}
    for name in names:
        if name not in numbers and name not in kinds.values():
            known = ", ".join(f"{element} ({number:,})" for element, number in numbers.items())
            hint = close_match(name, numbers) or f"the elements are: {known or 'none'}"
            raise UsageError(f'--element: no answer comes from an element "{name}"\n  {hint}')
    beside: dict[Hashable, dict[str, str]] = {}
    rated = {answer.trial for answer in answers if answer.element in chosen}
    without: dict[Hashable, Response] = {}
    for answer in answers:
        if answer.element in chosen:
            continue
        if answer.trial in rated:
            beside.setdefault(answer.trial, {})[answer.element] = answer.value
        else:
            without[answer.trial] = answer
    for answer in without.values():
        log.leave_out(answer, f"no answer of {', '.join(names)}: only of {answer.element}")
    kept = [answer for answer in answers if answer.element in chosen]
    others = dict.fromkeys(name for values in beside.values() for name in values)
    for answer in kept:
        answer.others |= dict.fromkeys(others, "") | beside.get(answer.trial, {})
    more = f"; further columns: {', '.join(others)}" if others else ""
    log.read(f"ratings: {', '.join(f'{name} ({numbers[name]:,})' for name in numbers if name in chosen)}{more}")
    return kept


def _element(answer: Response) -> str:
    return answer.element if answer.element.startswith(answer.kind) else f'{answer.kind} "{answer.element}"'


def _of(answers: Iterable[Response], element: str) -> list[Response]:
    return [answer for answer in answers if answer.element == element]


def _goes_on(answers: Sequence[Response]) -> bool:
    """Return True for keys that only lead to the next screen, and for buttons, which mostly do."""
    kind = answers[0].kind
    return kind == BUTTON or (kind == "Key" and all(answer.value.lower() in GO_ON for answer in answers))


def _is_free_text(answers: Sequence[Response]) -> bool:
    """Return True for typed texts of which most are not numbers."""
    numbers = sum(_float(answer.value) is not None for answer in answers)
    return answers[0].kind == "TextInput" and 2 * numbers < len(answers)


GO_ON: Final = frozenset(("", "space", "enter", "return", "arrowright"))
"""Keys, in lower case, that lead to the next screen."""


def _examples(answers: Sequence[Response]) -> str:
    if answers[0].kind == "TextInput":
        return "free text"
    return first_of(list(dict.fromkeys(answer.value or "a blank" for answer in answers)), 4)


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def _last_choices(answers: Sequence[Response], log: Log) -> list[Response]:
    """Return the last answer in each trial; earlier ones are choices that the participant changed."""
    of_trial: dict[Hashable, list[Response]] = {}
    for answer in answers:
        of_trial.setdefault(answer.trial, []).append(answer)
    for given in of_trial.values():
        for answer in given[:-1]:
            log.leave_out(answer, f"changed choice: {answer.value}, then {given[-1].value} in line {given[-1].line}")
    return [given[-1] for given in of_trial.values()]


# Participants, and what they sent twice

ADDRESS: Final = "address"
"""Value of `--participant` that takes all results sent from one address as one participant."""
OF_CLOCK: Final = 12
"""Least number of digits of a clock time in milliseconds, which no two people share."""
SEVERAL: Final = 4
"""Least number of different times whose repetition cannot be a coincidence."""


def _by_participant(answers: Sequence[Response], layout: ResultLayout, log: Log) -> list[Response]:
    """Return the answers with the participants named by a column or an attribute."""
    name = layout.participant or layout.columns.get("participant", "")
    by_address = name == ADDRESS and any(answer.address for answer in answers)
    if not by_address and not any(name in answer.others or name in answer.attributes for answer in answers):
        if layout.participant:
            known = dict.fromkeys(key for answer in answers for key in (*answer.others, *answer.attributes))
            hint = close_match(name, known) or f"the columns are: {', '.join(known) or 'none'}"
            raise UsageError(f'--participant: no column "{name}"\n  {hint}')
        return list(answers)
    kept = []
    submissions: dict[str, set[str]] = {}
    for answer in answers:
        who = answer.address if by_address else named(answer.others.pop(name, "") or answer.attributes.get(name, ""))
        if not who:
            log.leave_out(answer, f"no participant: the column {name} is empty")
            continue
        submissions.setdefault(who, set()).add(answer.who)
        answer.address, answer.who = answer.who, who
        kept.append(answer)
    several = sum(len(submission) > 1 for submission in submissions.values())
    what = "by address" if by_address else f"the column {name}"
    log.read(f"participants: {what}" + f"; {several} sent results more than once" * bool(several))
    return kept


def _once(answers: Sequence[Response], log: Log) -> list[Response]:
    """Return the answers without copies, and without those of a participant's second submission."""
    kept: list[Response] = []
    signatures = _signatures(answers)
    first_of_signature: dict[Hashable, str] = {}
    copies = {
        who: first_of_signature[signature]
        for who, signature in signatures.items()
        if first_of_signature.setdefault(signature, who) != who
    }
    stamped: dict[Hashable, Response] = {}
    shown: dict[Hashable, Response] = {}
    for answer in answers:
        what = (answer.label, answer.item, answer.condition, answer.sentence)
        mine = (answer.who, *what)
        same = (answer.address, *what, answer.value, answer.stamp)
        earlier = stamped.setdefault(same, answer) if len(answer.stamp) >= OF_CLOCK else answer
        before = shown.setdefault(mine, answer)
        if answer.who in copies:
            log.leave_out(answer, "sent twice: the submission repeats the answers and times of an earlier one")
        elif earlier is not answer and earlier.who != answer.who:
            log.leave_out(answer, f"sent twice: the same answer as in line {earlier.line}, at the same time")
        elif before.address != answer.address and any(what):
            log.leave_out(answer, f"second submission: the participant already answered this in line {before.line}")
        else:
            kept.append(answer)
    return kept


def _signatures(answers: Sequence[Response]) -> dict[str, Hashable]:
    """Return all answers of each submission with their times, for submissions with several different times."""
    answers_of: dict[str, list[tuple[str, ...]]] = {}
    for answer in answers:
        row = (answer.label, answer.item, answer.condition, answer.sentence, answer.value, answer.stamp)
        answers_of.setdefault(answer.who, []).append(row)
    return {who: tuple(rows) for who, rows in answers_of.items() if len({row[-1] for row in rows}) >= SEVERAL}


# Answers as numbers


def _counting(answers: Sequence[Response], layout: ResultLayout, log: Log) -> list[Response]:
    """Return the answers without those whose labels do not count."""
    check_labels(layout.leave_out, {answer.label for answer in answers}, "--leave-out")
    left = Counter(answer.label for answer in answers if answer.label in layout.leave_out)
    if left:
        log.read(f"without {', '.join(f'{label} ({number:,})' for label, number in left.items())}")
    return [answer for answer in answers if answer.label not in layout.leave_out]


def _rated(answers: Sequence[Response], layout: ResultLayout, log: Log) -> Iterator[tuple[Response, float]]:
    """Yield the answers with their ratings. Raises DataError for words without a known rating."""
    if layout.task == "choice":
        yield from _chosen(answers, layout, log)
        return
    read = _reading_of_words(answers, layout, log)
    unknown: dict[str, list[Response]] = {}
    numbers: list[tuple[Response, float]] = []
    for answer in answers:
        if named(answer.value) == "" or answer.value.lower() in ("inf", "-inf", "infinity"):
            log.leave_out(answer, "no answer")
        elif (number := read(answer.value)) is None:
            unknown.setdefault(answer.value, []).append(answer)
        else:
            numbers.append((answer, number))
    if unknown:
        raise data_error(*(_unknown(value, given, layout) for value, given in unknown.items()))
    for answer, number in numbers:
        if layout.scale is not None and not layout.scale[0] <= number <= layout.scale[1]:
            low, high = layout.scale
            log.leave_out(answer, f"outside the scale from {low:g} to {high:g}: {answer.value}")
        elif layout.task == "magnitude":
            yield from _magnitude(answer, number, layout, log)
        else:
            yield answer, number


def _reading_of_words(answers: Sequence[Response], layout: ResultLayout, log: Log) -> Callable[[str], float | None]:
    """Return a function from an answer to its number, or None."""
    words = {word.lower(): number for word, number in layout.answers.items()}
    given = {answer.value.lower() for answer in answers if named(answer.value)}
    others = {word for word in given if _number(word, layout) is None and word not in words}
    if others and not words and given <= {*YES_NO}:
        words = dict(YES_NO)
        log.read(f"answers: {', '.join(f'{word} = {YES_NO[word]:g}' for word in sorted(given))}")
        others = set()
    if others and all(NUMBER_FIRST.fullmatch(word) for word in others):
        words |= {word: float(NUMBER_FIRST.fullmatch(word)[1]) for word in others}  # type: ignore[index]
        log.read(f"answers: texts such as {min(others)} count as the number at their beginning")
    return lambda value: words[value.lower()] if value.lower() in words else _number(value, layout)


def _number(value: str, layout: ResultLayout) -> float | None:
    if layout.decimal_comma and (comma := DECIMAL_COMMA.fullmatch(value)):
        return float(".".join(comma.groups()))
    return _float(value)


def _float(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if isfinite(number) and "_" not in value else None


def _unknown(value: str, given: Sequence[Response], layout: ResultLayout) -> Problem:
    several = f" ({len(given):,} such answers)" if len(given) > 1 else ""
    hint = f'give its number: --answers "{value}=1, ..."'
    if layout.answers:
        hint = f"--answers does not have it; the words are: {', '.join(layout.answers)}"
    elif DECIMAL_COMMA.fullmatch(value):
        hint = "if this is a decimal comma, --decimal-comma reads it; else write a number with a point"
    elif given[0].element:
        hint += f"; or, if it is not a rating, --element NAME chooses another element than {given[0].element}"
    return Problem(f'"{value}" is not a number{several}', Span(given[0].path, given[0].line), hint=hint)


def _magnitude(answer: Response, number: float, layout: ResultLayout, log: Log) -> Iterator[tuple[Response, float]]:
    """Yield the answer with the logarithm (base 10) of its estimate divided by that of the reference."""
    reference = 1.0
    if layout.reference:
        estimate = _number(answer.others.get(layout.reference, ""), layout)
        if estimate is None or estimate <= 0:
            log.leave_out(
                answer, f"the estimate of the reference is not above 0: {answer.others.get(layout.reference, '')}"
            )
            return
        reference = estimate
    if number <= 0:
        log.leave_out(answer, f"the estimate is not above 0: {answer.value}")
        return
    yield answer, log10(number / reference)


def _chosen(answers: Sequence[Response], layout: ResultLayout, log: Log) -> Iterator[tuple[Response, float]]:
    """Yield each sentence of a forced choice as a trial, rated 1 if it was chosen and 0 otherwise.

    The answer is the name of an option, of its column, or the sentence itself.
    """
    for answer in answers:
        shown = {name: answer.others.get(column, "") for name, column in layout.options.items()}
        chosen = [
            name
            for name, column in layout.options.items()
            if answer.value in (name, column) or (answer.value and answer.value == shown[name])
        ]
        if len(chosen) != 1:
            log.leave_out(answer, f"no choice among {', '.join(layout.options)}: {answer.value or 'nothing'}")
            continue
        for name, sentence in shown.items():
            others = {key: value for key, value in answer.others.items() if key not in layout.options.values()}
            yield replace(answer, condition=name, sentence=sentence, others=others), float(name == chosen[0])


# From rated answers to trials


def _made(rated: Sequence[tuple[Response, float]], layout: ResultLayout, log: Log, paths: Sequence[str]) -> Trials:
    """Return the trials of rated answers, with renumbered participants and withheld personal columns."""
    columns = tuple(dict.fromkeys(name for answer, _ in rated for name in answer.others))
    asked = tuple(dict.fromkeys(name for answer, _ in rated for name in answer.attributes if name not in columns))
    names = _numbered(list(dict.fromkeys(answer.who for answer, _ in rated)), "participant" in layout.keep)
    items = _items(rated, log)
    _check_time(rated, log)
    trials = tuple(
        Trial(
            names[answer.who], item, answer.condition, answer.label, answer.sentence, rating, None, answer.time,
            (*(answer.others.get(name, "") for name in columns), *(answer.attributes.get(name, "") for name in asked)),
            answer.path, answer.line,
        )
        for (answer, rating), item in zip(rated, items, strict=True)
    )  # fmt: skip
    for name in (*layout.keep, *layout.drop):
        if name not in (*columns, *asked, "participant"):
            hint = close_match(name, (*columns, *asked)) or f"the columns are: {', '.join((*columns, *asked))}"
            raise UsageError(f'no column "{name}" to keep or to drop\n  {hint}')
    personal = personal_columns(trials, (*columns, *asked))
    withheld = {**dict.fromkeys(asked, "asked of participants"), **personal}
    withheld = {name: why for name, why in withheld.items() if name not in layout.keep}
    withheld |= dict.fromkeys(layout.drop, "dropped")
    if withheld:
        withheld_names = "; ".join(f"{name} ({why})" for name, why in withheld.items())
        log.read(f"columns not written: {withheld_names}; --keep NAME writes a column")
    left_out = tuple(replace(omission, participant=names.get(omission.participant, "")) for omission in log.left_out)
    _check_addresses(rated, log)
    return Trials(
        tuple(paths), trials, (*columns, *asked), tuple(withheld), tuple(log.notes), tuple(log.cautions), left_out
    )


def _numbered(people: Sequence[str], keep: bool) -> dict[str, str]:
    width = max(2, len(str(len(people))))
    return {who: who if keep else f"p{number:0{width}}" for number, who in enumerate(people, start=1)}


def _items(rated: Sequence[tuple[Response, float]], log: Log) -> list[str]:
    """Return the item of each answer; without a column of items, sentences are numbered."""
    if any(answer.item for answer, _ in rated):
        return [answer.item for answer, _ in rated]
    if any(answer.sentence for answer, _ in rated):
        log.read("no column of items: sentences are numbered in order of appearance")
    numbers: dict[tuple[str, str, str], str] = {}
    return [
        numbers.setdefault((answer.label, answer.condition, answer.sentence), str(len(numbers) + 1))
        if answer.sentence
        else ""
        for answer, _ in rated
    ]


FASTEST: Final = 100
"""Least plausible median of response times, in milliseconds."""


def _check_time(rated: Sequence[tuple[Response, float]], log: Log) -> None:
    times = [answer.time for answer, _ in rated if answer.time is not None]
    lacking = len(rated) - len(times)
    if times and median(times) < FASTEST:
        log.beware(
            f"the median response time is {median(times):g} ms: if these are seconds, write time_unit: s "
            "in a YAML file, --columns study.yaml"
        )
    if lacking == len(rated):
        log.read("no response times")
    elif lacking:
        log.read(f"without a response time: {counted(lacking, 'trial')}")


def _check_addresses(rated: Sequence[tuple[Response, float]], log: Log) -> None:
    """Warn about submissions from one address, which may be by one person."""
    people: dict[str, set[str]] = {}
    for answer, _ in rated:
        if answer.address:
            people.setdefault(answer.address, set()).add(answer.who)
    shared = [group for group in people.values() if len(group) > 1]
    if shared:
        number = sum(map(len, shared))
        log.beware(
            f"{number} participants share {counted(len(shared), 'address', 'addresses')}: if they are the same people, "
            f"name a logged column of people with --participant, or {ADDRESS}"
        )
