"""Results of PCIbex (PennController) and Ibex, old and new: the answers, and the sentences that were shown."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Final

from numbat.acceptability.suite_cells import too_long
from numbat.errors import counted
from numbat.experiments.result_answers import BUTTON, Log, Response

COMMENT: Final = re.compile(r"#\s*(?:Col\.\s*)?([0-9]{1,4})[.:]\s+(.*?)\.?\s*")
"""`# 3. Label.` and `#     Col. 3: Controller name.` name the third column of the lines below."""
LINE_OF_GROUP: Final = re.compile(r"#\s*Line ([0-9]{1,4}):\s*")
"""In Ibex before 0.3, comments name the columns of several alternating lines."""

HEADERS: Final[Mapping[str, str]] = {
    "results reception time": "time",
    "time results were received": "time",
    "md5 hash of participant's ip address": "hash",
    "md5 hash of ip address": "hash",
    "controller name": "controller",
    "order number of item": "number",
    "item number": "number",
    "inner element number": "inner",
    "element number": "inner",
    "label": "label",
    "type": "label",
    "latin square group": "list",
    "group": "list",
    "pennelementtype": "kind",
    "pennelementname": "element",
    "parameter": "parameter",
    "value": "value",
    "eventtime": "event",
    "comments": "comments",
    "sentence (or sentence md5)": "sentence",
    "question (null if none)": "question",
    "answer": "answer",
    "whether or not answer was correct (null if n/a)": "correct",
    "whether or not answer was correct": "correct",
    "time taken to answer": "taken",
    "field name": "field",
    "field value": "field value",
    "word number": "word number",
    "word": "word",
}
"""Names of columns in comments, in lower case, by our names; after PennController's first 12 come logged columns."""
FIRST: Final = ("results reception time", "time results were received")

KINDS: Final = ("Scale", "Selector", "Key", "TextInput", "DropDown", "Slider", BUTTON)
"""Elements of PennController that may hold a rating. The answer of a clicked button is its name."""
NO_ANSWERS: Final = ("print", "_trial_", "remove", "start", "end", "wait")
"""Parameters that are events of an element, not answers."""
OF_CONTROLLER: Final = "Controller-"
"""Prefix of the type of an element that is an Ibex controller inside PennController."""
MD5: Final = re.compile(r"[0-9a-f]{32}")
TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
BREAK: Final = re.compile(r"<(?:br|p|div|/p|/div)\b[^<>]*>", re.IGNORECASE)
ESCAPES: Final = {"%2C": ",", "%2c": ",", "%0A": "\n", "%0D": "\r"}
ESCAPE: Final = re.compile("|".join(ESCAPES))


def is_ibex(lines: Sequence[str]) -> bool:
    """Return True for results of PCIbex or Ibex, by the comments at their beginning."""
    start = "\n".join(lines[:200]).lstrip()
    return start.startswith("#") and any(name in start[:6000].lower() for name in FIRST)


def read_ibex(lines: Sequence[str], path: str, log: Log) -> list[Response]:
    """Return the answers in results of PCIbex or Ibex, in the order of the file.

    The comments name the columns. In PennController the sentence, item and condition of a trial are columns that the
    experiment logged. In Ibex the sentence is in a line before the answer, or is the question; the type is label and
    condition, and the group identifies the item. Fields of forms, and answers of trials that show nothing, become
    columns of their participant. Raises DataError.
    """
    reader = _Reader(path, log)
    for number, written in enumerate(lines, start=1):
        if written.startswith("#"):
            reader.header.read(written)
        elif written.strip():
            reader.read(written, number)
    return reader.finished()


class _Header:
    """Names of the columns according to the comments above a line; if several kinds alternate, one set for each."""

    def __init__(self) -> None:
        self.formats: list[dict[int, str]] = [{}]
        self.version = 0
        self._in_comments = False
        self._since = 0

    def read(self, comment: str) -> None:
        """Read a comment: if it names a column, it replaces the names of this column and of all later ones."""
        begins = not self._in_comments
        self._in_comments = True
        if match := LINE_OF_GROUP.fullmatch(comment):
            self.formats = [*self.formats[: int(match[1]) - 1], {}]
            self._since = 0
            self.version += 1
            return
        match = COMMENT.fullmatch(comment)
        if match is None:
            return
        place, columns = int(match[1]) - 1, self.formats[-1]
        if begins or place in columns or not place:
            if not place and not comment.lower().lstrip("# ").startswith("col"):
                self.formats = [columns]
            for later in [column for column in columns if column >= place]:
                del columns[later]
        columns[place] = match[2].strip()
        self._since = 0
        self.version += 1

    def columns(self) -> tuple[tuple[int, int], dict[int, str]]:
        """Return a key for the set of names that the next line uses, and these names by the index of their column."""
        self._in_comments = False
        turn = self._since % len(self.formats)
        self._since += 1
        return (self.version, turn), self.formats[turn]


@dataclass
class _Shown:
    sentence: str = ""
    words: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.sentence or " ".join(self.words.values())


class _Reader:
    """Collects the answers of the lines of one file."""

    def __init__(self, path: str, log: Log) -> None:
        self.path, self.log, self.header = path, log, _Header()
        self.answers: list[Response] = []
        self.questions: list[str] = []
        self.shown: dict[tuple[str, ...], _Shown] = {}
        self.starts: dict[tuple[str, ...], float] = {}
        self.attributes: dict[str, dict[str, str]] = {}
        self.dashed = 0
        self._places: dict[tuple[int, int], tuple[dict[str, int], dict[str, int]]] = {}

    def read(self, written: str, line: int) -> None:
        """Read a line: an answer, or what was shown before one."""
        key, columns = self.header.columns()
        if key not in self._places:
            self._places[key] = _places(columns)
        standard, logged = self._places[key]
        cells = _cells(written, len(columns), self.path, line)

        def cell(name: str) -> str:
            place = standard.get(name, -1)
            return cells[place].strip() if 0 <= place < len(cells) else ""

        row = _Row(cell, {name: _plain(cells[at]) if at < len(cells) else "" for name, at in logged.items()}, line)
        (self._of_penncontroller if "parameter" in standard else self._of_ibex)(row)

    def finished(self) -> list[Response]:
        """Return the answers, with the sentences and the attributes of their participants. Raises DataError."""
        if self.dashed:
            words = counted(self.dashed, "reading time")
            self.log.read(
                f"{self.path}: DashedSentence, {words} of words not read: the words make up the sentences shown"
            )
        grouped = any(answer.item for answer in self.answers)
        if not any(answer.sentence for answer in self.answers):
            for answer, question in zip(self.answers, self.questions, strict=True):
                answer.sentence = question
        for answer in self.answers:
            answer.attributes = self.attributes.setdefault(answer.who, {})
            if answer.number and not answer.item:
                answer.item = f"{answer.label}-{answer.number}" if grouped else answer.number
        return self.answers

    def _of_penncontroller(self, row: _Row) -> None:
        kind, element, parameter = row.cell("kind"), row.cell("element"), row.cell("parameter")
        if parameter == "_Trial_":
            if row.cell("value") == "Start" and (start := _milliseconds(row.cell("event"))) is not None:
                self.starts[row.trial] = start
            return
        value, asked = row.cell("value"), parameter.lower()
        if kind == "Html" and parameter and asked not in NO_ANSWERS:
            self.attributes.setdefault(row.who, {}).setdefault(parameter, _plain(value))
            return
        if kind.startswith(OF_CONTROLLER):
            if value in ("", "NULL") or asked.isdecimal():
                self._of_controller(row, kind, parameter, value)
                return
        elif kind not in KINDS or asked in NO_ANSWERS:
            return
        self.questions.append("")
        event = _milliseconds(row.cell("event"))
        start = self.starts.get(row.trial)
        time = None if event is None or start is None else event - start
        shown = self.shown.get(row.trial)
        self.answers.append(
            Response(
                who=row.who, trial=(self.path, *row.trial), kind=kind.removeprefix(OF_CONTROLLER),
                element=kind if kind == BUTTON else element, value=element if kind == BUTTON else _plain(value),
                path=self.path, line=row.line, label=row.cell("label"),
                sentence=shown.text if shown else "", time=time, stamp=row.cell("event"),
                others=row.logged | ({"list": row.cell("list")} if row.cell("list") not in ("", "NULL") else {}),
                address=row.cell("hash"),
            )
        )  # fmt: skip

    def _of_controller(self, row: _Row, kind: str, parameter: str, value: str) -> None:
        """Read the sentence or word that an Ibex controller showed inside PennController."""
        shown = self.shown.setdefault(row.trial, _Shown())
        if "Dashed" in kind and parameter.isdecimal():
            self.dashed += 1
            shown.words[parameter] = _plain(value)
        elif parameter not in ("", "NULL") and MD5.fullmatch(parameter) is None:
            shown.sentence = shown.sentence or _plain(parameter)

    def _of_ibex(self, row: _Row) -> None:
        controller = row.cell("controller")
        if name := row.cell("field"):
            if not name.startswith("_"):
                self.attributes.setdefault(row.who, {}).setdefault(name, _plain(row.cell("field value")))
            return
        shown = self.shown.setdefault(row.trial, _Shown())
        sentence = row.cell("sentence")
        if word := row.cell("word"):
            self.dashed += 1
            shown.words[f"{row.cell('inner')} {row.cell('word number')}"] = _plain(word)
        if sentence not in ("", "NULL") and MD5.fullmatch(sentence) is None:
            shown.sentence = shown.sentence or _plain(sentence)
        value, question = row.cell("answer"), row.cell("question")
        if value == "":
            return
        self.questions.append(_plain(question) if question not in ("", "NULL") else "")
        group = row.cell("list")
        self.answers.append(
            Response(
                who=row.who, trial=(self.path, *row.trial), kind=controller,
                element=f"{controller} {row.cell('inner')}", value=_plain(value), path=self.path, line=row.line,
                label=row.cell("label"), sentence=shown.text, is_condition=True,
                item="" if group == "NULL" else group, number=row.cell("number"),
                correct=row.cell("correct") if row.cell("correct") in ("0", "1") else "",
                time=_milliseconds(row.cell("taken")), stamp=row.cell("taken"), others={"number": row.cell("number")},
                address=row.cell("hash"),
            )
        )  # fmt: skip


class _Row:
    """One line of results: its cells by standard names, the logged columns, and its number."""

    def __init__(self, cell: Callable[[str], str], logged: dict[str, str], line: int) -> None:
        self.cell, self.logged, self.line = cell, logged, line
        self.who = f"{cell('time')} {cell('hash')}"
        self.trial = (self.who, cell("label"), cell("number"))


def _places(columns: Mapping[int, str]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the indexes of the standard columns, then those of the columns that the experiment logged, by name."""
    lower = {place: name.lower() for place, name in columns.items()}
    event = next((place for place, name in lower.items() if name == "eventtime"), None)
    standard: dict[str, int] = {}
    logged: dict[str, int] = {}
    for place in sorted(columns):
        name = HEADERS.get(lower[place])
        if event is not None and place > event and name != "comments":
            logged.setdefault(columns[place], place)
        elif name is not None:
            standard.setdefault(name, place)
    return standard, logged


def _cells(written: str, width: int, path: str, line: int) -> list[str]:
    """Return the cells of a line. Results write `%2C` for a comma, without quotes; spreadsheets may add quotes.

    Raises DataError for a cell that is too long.
    """
    plain = written.rstrip("\r\n").split(",")
    if len(plain) <= width and not all(cell.startswith('"') and cell.endswith('"') for cell in plain):
        return plain
    try:
        return next(csv.reader([written]))
    except csv.Error:
        raise too_long(path, line) from None


def _plain(text: str) -> str:
    """Return a cell as people saw it: without HTML tags and escapes, on one line."""
    text = ESCAPE.sub(lambda match: ESCAPES[match[0]], text)
    if "<" in text or "&" in text:
        text = unescape(TAG.sub("", BREAK.sub(" ", text)))
    return " ".join(text.split())


def _milliseconds(text: str) -> float | None:
    try:
        milliseconds = float(text)
    except ValueError:
        return None
    return milliseconds if 0 <= milliseconds < 1e15 else None
