"""Results as tables: long and wide ones, exports of Qualtrics and Gorilla; the YAML file that maps their columns."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from html import unescape
from itertools import takewhile
from typing import Any, Final, Literal, get_args

from numbat.acceptability.suite_cells import separator_of, table_rows
from numbat.acceptability.suite_tables import NumberedCells, SuiteLayout
from numbat.errors import DataError, Problem, Span, UsageError, close_match, counted, data_error, first_of
from numbat.experiments.result_answers import (
    FIELDS,
    AnswerFile,
    Log,
    Response,
    ResultLayout,
    Task,
    check_columns,
    fields_among,
    named,
)
from numbat.files import SAVE_OR_NAME, lines_of, text_of
from numbat.grammar.yaml_format import Nodes, compose
from numbat.records import frozen

Form = Literal["", "long", "wide", "qualtrics", "gorilla"]
UNITS: Final = {"ms": 1.0, "s": 1000.0}
"""Milliseconds in each unit of time."""


@frozen
class TableLayout:
    """Layout of a table of results; `results` has the options that apply to any format.

    `form` is empty if the table itself shows it. `where` selects rows by the values of columns. In a wide table
    `pattern` describes the names of the columns with ratings, as `S{item}_{condition}`, or `questions` describes each
    column; `times` is the pattern of the columns with their response times.
    """

    form: Form = ""
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pattern: str = ""
    questions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    times: str = ""
    time_unit: str = ""
    results: ResultLayout = field(default_factory=ResultLayout)

    @property
    def is_stated(self) -> bool:
        """True if the layout describes the file, and not only the treatment of its ratings."""
        results = self.results
        mapped = (self.form, self.where, self.pattern, self.questions, results.columns)
        return any((*mapped, results.elements, results.only, results.leave_out, results.participant))


def read_table(lines: Sequence[str], path: str, layout: TableLayout, log: Log) -> AnswerFile:
    """Return the answers in a table, whose first row names its columns. Raises DataError and UsageError."""
    rows = list(rows_of(lines, path, layout))
    if not rows:
        raise DataError(f"{path}: the file is empty\n  its first line names the columns: participant, item, rating")
    names = [name.strip() for name in rows[0][1]]
    twice = [name for name, number in Counter(names).items() if name and number > 1]
    if twice:
        raise DataError(f'{path}:{rows[0][0]}: two columns are named "{twice[0]}"\n  give each column a different name')
    form = layout.form or _form_of(names, rows)
    table = _Table(path, names, _of_width(rows[1:], len(names), path), replace(layout, form=form), log)
    if form == "qualtrics":
        table = _without_headings(table)
    return _read_wide(table) if form in ("wide", "qualtrics") else _read_long(table)


def rows_of(lines: Sequence[str], path: str, layout: TableLayout) -> Iterator[NumberedCells]:
    """Yield the rows of a table with the numbers of their lines."""
    rating = layout.results.columns.get("rating")
    renamed = {"rating": rating} if rating else {}
    plain = SuiteLayout(renamed=renamed)
    if separator := separator_of(lines):
        lines, plain = ["", *lines[1:]], replace(plain, separator=separator)
    yield from table_rows(lines, path, plain, [])


def _form_of(names: Sequence[str], rows: Sequence[NumberedCells]) -> Form:
    """Return the form of a table, recognised by its column names and first rows."""
    if len(rows) > 2 and any('"ImportId"' in cell for cell in rows[2][1]):
        return "qualtrics"
    return "gorilla" if {"Event Index", "Participant Private ID"} <= {*names} else "long"


def _of_width(rows: Sequence[NumberedCells], width: int, path: str) -> list[NumberedCells]:
    """Return the rows if each has as many cells as there are columns. Raises DataError otherwise."""
    wrong = [
        Problem(
            f"{counted(len(cells), 'cell')}, but {counted(width, 'column')}",
            Span(path, line),
            hint="separate cells as in the first line; quote cells with commas",
        )
        for line, cells in rows
        if len(cells) != width
    ]
    if wrong:
        raise data_error(*wrong)
    return list(rows)


PSYCHOPY: Final = "psychopyVersion"
"""Column in which PsychoPy writes its version; its times are seconds."""


@frozen
class _Table:
    """A table cut into cells, with its layout. `texts` are the texts of questions, by column."""

    path: str
    names: Sequence[str]
    rows: Sequence[NumberedCells]
    layout: TableLayout
    log: Log
    texts: Mapping[str, str] = field(default_factory=dict)

    def counting(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the selected rows, by column, with their line numbers, and report the number of other rows."""
        check_columns(self.path, self.names, {name: name for name in self.layout.where})
        left = 0
        for line, cells in self.rows:
            row = {name: cell.strip() for name, cell in zip(self.names, cells, strict=True) if name}
            if all(row[name] in values for name, values in self.layout.where.items()):
                yield line, row
            else:
                left += 1
        if left:
            by = ", ".join(f"{name}: {' or '.join(values)}" for name, values in self.layout.where.items())
            self.log.read(f"{self.path}: {counted(left, 'row')} without {by}")

    def milliseconds(self, cell: str) -> float | None:
        """Return a time in milliseconds; None if the cell has no time."""
        is_in_seconds = self.layout.form == "qualtrics" or PSYCHOPY in self.names
        unit = UNITS[self.layout.time_unit or ("s" if is_in_seconds else "ms")]
        try:
            milliseconds = round(float(cell.replace(",", ".")) * unit, 3)
        except ValueError:
            return None
        return milliseconds if 0 <= milliseconds < 1e12 else None


# Long tables: a row for each rating

EVENTS: Final = ("BEGIN TASK", "END TASK", "END OF FILE")
"""Values with which Gorilla marks rows that are not trials, in the first column or as the number of a trial."""
ZONES: Final = ("Zone Name", "Object Name")
NEEDED: Final = ("rating", "participant")


def _read_long(table: _Table) -> AnswerFile:
    """Return the answers of a table with one answer in each row."""
    layout, log = table.layout, table.log
    is_gorilla = layout.form == "gorilla"
    check_columns(table.path, table.names, layout.results.columns)
    fields = fields_among(table.names, layout.results.columns, FIELDS)
    if is_gorilla and "element" not in layout.results.columns:
        zones = [name for name in ZONES if name in table.names]
        fields |= dict(zip(("element",), zones, strict=False))
    if layout.results.task == "choice":
        fields = {name: column for name, column in fields.items() if column not in layout.results.options.values()}
    if layout.results.participant:
        fields = {"participant": layout.results.participant, **{k: v for k, v in fields.items() if k != "participant"}}
        check_columns(table.path, table.names, {"participant": layout.results.participant})
    _check_needed(table, fields)
    answers, events = [], 0
    for line, row in table.counting():
        if is_gorilla and (row[fields["rating"]] == "" or {*EVENTS} & {*row.values()}):
            events += 1
            continue
        answers.append(_answer(table, fields, line, row))
    if events:
        log.read(f"{table.path}: Gorilla, {counted(events, 'row')} without an answer")
    return AnswerFile(table.path, _not_repeated(answers, fields, log), fields)


def _check_needed(table: _Table, fields: Mapping[str, str]) -> None:
    """Raise DataError for a table without a column of participants or of ratings."""
    for name in NEEDED:
        if name not in fields:
            known = [*FIELDS[name]]
            near = next(filter(None, (close_match(column, known) for column in table.names)), "")
            columns = ", ".join(map(repr, filter(None, table.names)))
            hint = f"--columns {name}=NAME names it; for more, write a YAML file: --columns study.yaml"
            raise DataError(f"{table.path}:1: no column of {name}s among {columns}\n  {near and near + ' '}{hint}")


def _answer(table: _Table, fields: Mapping[str, str], line: int, row: dict[str, str]) -> Response:
    def cell(name: str) -> str:
        return " ".join(row[fields[name]].split()) if name in fields else ""

    others = {name: " ".join(value.split()) for name, value in row.items() if name not in fields.values()}
    place = (cell("participant"), cell("label"), named(cell("item")), named(cell("condition")), cell("sentence"))
    is_screen = "element" in fields and "trial" in fields
    others |= {"trial": cell("trial")} if "trial" in fields else {}
    return Response(
        who=place[0], trial=(table.path, cell("trial"), *place) if is_screen else (table.path, line),
        kind="", element=cell("element"), value=cell("rating"), path=table.path, line=line, label=named(place[1]),
        item=place[2], condition=place[3], sentence=place[4], time=table.milliseconds(cell("time")), others=others,
    )  # fmt: skip


def _not_repeated(answers: Sequence[Response], fields: Mapping[str, str], log: Log) -> list[Response]:
    """Return the answers without rows that are equal in all columns, if the table has times or trials, or if every row
    of a participant is repeated; other repeated rows are kept and reported.
    """
    first: dict[tuple[Any, ...], Response] = {}
    again = {}
    for answer in answers:
        row = (*answer_cells(answer), *answer.others.values())
        before = first.setdefault(row, answer)
        if before is not answer:
            again[id(answer)] = before
    rows, repeats = Counter(a.who for a in answers), Counter(a.who for a in answers if id(a) in again)
    timed = {"time", "trial"} & set(fields)
    kept, doubtful = [], []
    for answer in answers:
        earlier = again.get(id(answer))
        if earlier is None:
            kept.append(answer)
        elif timed or 2 * repeats[answer.who] >= rows[answer.who] > 2:
            log.leave_out(answer, f"sent twice: the row repeats line {earlier.line} in all columns")
        else:
            kept.append(answer)
            doubtful.append(answer.place)
    if doubtful:
        log.beware(f"repeated rows, equal in all columns, which are kept: {len(doubtful)} ({first_of(doubtful, 3)})")
    return kept


def answer_cells(answer: Response) -> tuple[Any, ...]:
    """Return everything in an answer except its file and line."""
    return (
        answer.who, answer.label, answer.item, answer.condition, answer.sentence, answer.element, answer.value,
        answer.time,
    )  # fmt: skip


# Wide tables: a row for each participant, a column for each rating

PREVIEWS: Final = ("survey preview", "survey test", "preview", "spam")
TAGS: Final = re.compile(r"<[^<>]*>")
HOW_TO_SAY: Final = (
    "describe the columns of ratings in a mapping file: --columns study.yaml, with a line such as\n"
    '  ratings: "S{item}_{condition}"'
)


def _without_headings(table: _Table) -> _Table:
    """Return an export of Qualtrics without its rows of texts and ids, and without previews."""
    (_, texts), _, *rows = table.rows
    if "Status" in table.names:
        place = table.names.index("Status")
        for line, cells in rows:
            if cells[place].strip().lower() in PREVIEWS:
                table.log.leave_out(Response("", 0, "", "", "", table.path, line), f"preview: Status is {cells[place]}")
        rows = [row for row in rows if row[1][place].strip().lower() not in PREVIEWS]
    if "Finished" in table.names:
        place = table.names.index("Finished")
        unfinished = [f"{table.path}:{line}" for line, cells in rows if cells[place].strip().lower() in ("false", "0")]
        if unfinished:
            table.log.beware(
                f"participants who did not finish, but are kept: {len(unfinished)} ({first_of(unfinished, 3)})"
            )
    shown = {
        name: " ".join(unescape(TAGS.sub(" ", text)).split()) for name, text in zip(table.names, texts, strict=True)
    }
    return replace(table, rows=rows, texts=shown)


def _read_wide(table: _Table) -> AnswerFile:
    """Return the answers of a table with a row for each participant."""
    layout = table.layout
    questions = _questions(table)
    who = _participant_column(table)
    times = _time_columns(table, questions)
    columns = {name: column for name, column in layout.results.columns.items() if name not in ("rating", "time")}
    check_columns(table.path, table.names, columns)
    taken = {who, *questions, *times.values(), *columns.values()}
    answers, empty = [], 0
    for line, row in table.counting():
        attributes = {name: value for name, value in row.items() if name not in taken}
        for column, about in questions.items():
            if row[column] == "":
                empty += 1
                continue
            shown = {name: row[columns[name]] for name in columns if name in FIELDS} | dict(about)
            answers.append(_wide_answer(table, line, row, who, column, shown, times.get(column, ""), attributes))
    if empty:
        table.log.read(f"{table.path}: {counted(empty, 'empty cell')}: sentences not shown, or not rated")
    fields = dict.fromkeys(name for about in questions.values() for name in about if name in FIELDS)
    return AnswerFile(table.path, answers, dict.fromkeys(fields, layout.pattern or "its questions"))


def _wide_answer(
    table: _Table,
    line: int,
    row: Mapping[str, str],
    who: str,
    column: str,
    shown: Mapping[str, str],
    time: str,
    attributes: dict[str, str],
) -> Response:
    others = {name: value for name, value in shown.items() if name not in FIELDS}
    return Response(
        who=row[who], trial=(table.path, line, column), kind="", element="", value=" ".join(row[column].split()),
        path=table.path, line=line, label=shown.get("label", ""), item=named(shown.get("item", "")),
        condition=named(shown.get("condition", "")), sentence=shown.get("sentence", ""),
        time=table.milliseconds(row[time]) if time else None, others=others, attributes=attributes,
    )  # fmt: skip


def _participant_column(table: _Table) -> str:
    results = table.layout.results
    asked = {"participant": results.participant} if results.participant else {}
    asked = asked or {name: column for name, column in results.columns.items() if name == "participant"}
    check_columns(table.path, table.names, asked)
    fields = fields_among(table.names, asked, ("participant",))
    if "participant" not in fields:
        _check_needed(table, {"rating": ""})
    return fields["participant"]


def _questions(table: _Table) -> dict[str, dict[str, str]]:
    """Return the meaning of each column of ratings. Raises DataError if there is none."""
    layout = table.layout
    form = _regex(layout.pattern)
    questions: dict[str, dict[str, str]] = {}
    for name in table.names:
        if layout.questions:
            about = dict(layout.questions[name]) if name in layout.questions else None
        else:
            match = form.fullmatch(name) if layout.pattern else None
            about = None if match is None else match.groupdict()
        if about is not None:
            questions[name] = about
    if missing := [name for name in layout.questions if name not in table.names]:
        hint = close_match(missing[0], table.names) or "name the columns of ratings as the table does"
        raise DataError(f'{table.path}:1: no column "{missing[0]}" of ratings\n  {hint}')
    if not questions:
        columns = first_of([name for name in table.names if name], 30)
        raise DataError(f"{table.path}:1: no column of ratings is known among {columns}\n  {HOW_TO_SAY}")
    if table.texts:
        stem = _stem([table.texts[name] for name in questions])
        for name, about in questions.items():
            about.setdefault("sentence", table.texts[name][len(stem) :])
        if stem:
            table.log.read(f"{table.path}: the sentences are the texts of the questions, without: {stem.strip(' -')}")
    return questions


def _stem(texts: Sequence[str]) -> str:
    """Return the common beginning of the texts of a matrix of questions, up to the dash before its lines."""
    alike = len(list(takewhile(lambda letters: len({*letters}) == 1, zip(*texts, strict=False))))
    stem = texts[0][:alike] if len(texts) > 1 else ""
    return stem[: stem.rfind(" - ") + 3] if " - " in stem else ""


def _regex(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern, in which `{item}` stands for a part of a column's name.

    Raises UsageError for a pattern without such a part, or with one twice.
    """
    pieces = re.split(r"\{([A-Za-z][A-Za-z0-9_]*)\}", pattern)
    names = pieces[1::2]
    if pattern and (not names or len(set(names)) < len(names)):
        raise UsageError(
            f'"{pattern}" does not describe columns\n  write what differs in braces, once: S{{item}}_{{condition}}'
        )
    parts = [re.escape(piece) if place % 2 == 0 else f"(?P<{piece}>.+?)" for place, piece in enumerate(pieces)]
    return re.compile("".join(parts))


def _time_columns(table: _Table, questions: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the column with the response times of each column of ratings, if there is one."""
    if not table.layout.times:
        return {}
    columns = {}
    for column, about in questions.items():
        name = table.layout.times
        for part, value in about.items():
            name = name.replace(f"{{{part}}}", value)
        if name in table.names:
            columns[column] = name
    if not columns:
        hint = "write it with the same names in braces as the ratings"
        raise UsageError(f'{table.path}: no column of times matches "{table.layout.times}"\n  {hint}')
    return columns


# The mapping file

KEYS: Final = (
    "layout", "columns", "where", "ratings", "questions", "times", "time_unit", "task", "answers", "scale", "options",
    "reference", "decimal", "element", "only", "leave_out", "keep", "drop",
)  # fmt: skip
MAPPED: Final = ("participant", "item", "condition", "label", "sentence", "rating", "time", "element", "trial")


def read_mapping(path: str) -> TableLayout:
    """Return the layout in a YAML file. Raises MissingFileError, and DataError with every mistake."""
    text = text_of(path)
    node, problems = compose(text, path)
    reader = _MappingReader(path, text.split("\n"), problems)
    layout = TableLayout() if node is None else reader.layout(node)
    if reader.problems:
        raise data_error(*sorted(reader.problems, key=lambda problem: problem.span))
    return layout


class _MappingReader(Nodes):
    """Reads the keys of a mapping file."""

    def layout(self, node: Any) -> TableLayout:
        """Return the layout; mistakes are in `problems`."""
        values = self.mapping(node, KEYS) or {}
        questions: dict[str, dict[str, str]] = {}
        pattern = ""
        if "ratings" in values and hasattr(values["ratings"], "value") and isinstance(values["ratings"].value, str):
            pattern = str(self.word(values["ratings"]))
        elif "ratings" in values:
            questions = {str(name): self._texts(about) for name, about in self.pairs(values["ratings"])}
        if "questions" in values:
            questions |= self._file_of_questions(str(self.word(values["questions"])))
        return TableLayout(
            form=self._one_of(values.get("layout"), get_args(Form), ""),
            where={
                str(name): tuple(map(str, self.names(node_of))) for name, node_of in self._pairs(values.get("where"))
            },
            pattern=pattern,
            questions=questions,
            times=self._text(values.get("times")),
            time_unit=self._one_of(values.get("time_unit"), tuple(UNITS), ""),
            results=self._results(values),
        )

    def _results(self, values: Mapping[str, Any]) -> ResultLayout:
        columns = {str(name): str(self.word(word)) for name, word in self._pairs(values.get("columns"), MAPPED)}
        answers = {str(name): self._number(number) for name, number in self._pairs(values.get("answers"))}
        return ResultLayout(
            columns=columns,
            elements=self._names(values.get("element")),
            only=self._names(values.get("only")),
            leave_out=self._names(values.get("leave_out")),
            answers=answers,
            scale=self._scale(values.get("scale")),
            task=self._one_of(values.get("task"), get_args(Task), "scale"),
            options={str(name): str(self.word(word)) for name, word in self._pairs(values.get("options"))},
            reference=self._text(values.get("reference")),
            decimal_comma=self._one_of(values.get("decimal"), ("point", "comma"), "point") == "comma",
            keep=self._names(values.get("keep")),
            drop=self._names(values.get("drop")),
        )

    def _pairs(self, node: Any, known: tuple[str, ...] | None = None) -> Iterable[tuple[Any, Any]]:
        return [] if node is None else self.pairs(node, known)

    def _texts(self, node: Any) -> dict[str, str]:
        return {str(name): str(self.word(word)) for name, word in self.pairs(node)}

    def _text(self, node: Any) -> str:
        return "" if node is None else str(self.word(node))

    def _names(self, node: Any) -> tuple[str, ...]:
        return () if node is None else tuple(map(str, self.names(node)))

    def _number(self, node: Any) -> float:
        try:
            return float(self.word(node))
        except ValueError:
            self.error(f'"{node.value}" is not a number', node, "write the number for the answer: acceptable: 1")
            return 0.0

    def _scale(self, node: Any) -> tuple[float, float] | None:
        if node is None:
            return None
        match = re.fullmatch(r"([+-]?[0-9.]+)\s*[-:]\s*([+-]?[0-9.]+)", self.word(node))
        if match is None:
            self.error(f'"{node.value}" is not a scale', node, "write the least and the greatest rating: 1-7")
            return None
        return float(match[1]), float(match[2])

    def _one_of(self, node: Any, known: Sequence[str], default: str) -> Any:
        if node is None:
            return default
        word = str(self.word(node))
        if word not in known:
            hint = close_match(word, known) or f"write one of: {', '.join(filter(None, known))}"
            self.error(f'"{word}" does not fit here', node, hint)
            return default
        return word

    def _file_of_questions(self, name: str) -> dict[str, dict[str, str]]:
        """Return the meaning of columns of ratings from a table whose first column has their names."""
        path = os.path.join(os.path.dirname(self.path), name)
        rows = [cells for _, cells in rows_of(lines_of(path, SAVE_OR_NAME), path, TableLayout())]
        heads = [head.strip() for head in rows[0]] if rows else []
        fields = {column: field for field, column in fields_among(heads, {}, FIELDS).items()}
        return {
            cells[0].strip(): {
                fields.get(head, head): " ".join(cell.split()) for head, cell in zip(heads[1:], cells[1:], strict=False)
            }
            for cells in rows[1:]
        }
