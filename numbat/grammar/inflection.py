"""Inflection of lemmas by paradigms.

A *step* changes a word: `+s` appends an s. A *row* of a paradigm has the steps that make the form of one *slot*, such
as `pl`, from a lemma.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, Literal

from numbat.errors import Problem, close_match, either, first_of, shortened
from numbat.grammar.names import quoted
from numbat.grammar.statements import DemandSyntax, EntryStatement, OperandSyntax, PlacedText, ReadingSyntax
from numbat.records import frozen

# Steps

MAX_CHANGE: Final = 200
"""Maximum number of characters in the steps of a row."""
MAX_LETTERS: Final = 1_000
"""Maximum number of letters in a form; the step `a>aa@all`, ten times in a row, turns one letter into a thousand."""
STEPS: Final = (
    "write + for the lemma itself, +s to append, -y+ies to remove and append, ge+ to prepend, "
    "a>ä to change the last a; spaces separate steps"
)
LETTER: Final = r"[^-+>|@]"
"""A character of a prefix or of either side of a rewriting."""
SUFFIX: Final = re.compile(r"-(?P<off>[^+]+)(?:\+(?P<on>.*))?|\+(?P<added>.*)")
PREFIX: Final = re.compile(rf"(?:(?P<off>{LETTER}+)-)?(?P<on>{LETTER}+)\+|(?P<gone>{LETTER}+)-")
PAIR: Final = re.compile(rf"(?P<old>{LETTER}+)>(?P<new>{LETTER}*)")
Where = Literal["first", "last", "all"]
PLACES: Final[dict[str, Where]] = {"@first": "first", "@last": "last", "@all": "all"}


@frozen
class Suffix:
    """Step at the end of a word: removes `off` and appends `on`."""

    off: str
    on: str

    def changed(self, word: str) -> str | None:
        """Return the changed word, None if the step does not fit it."""
        return word.removesuffix(self.off) + self.on if word.endswith(self.off) else None

    def misfit(self, word: str) -> str:
        """Say why the step does not fit a word."""
        return f'"{shortened(word)}" does not end in "{self.off}"'


@frozen
class Prefix:
    """Step at the beginning of a word: removes `off` and prepends `on`."""

    off: str
    on: str

    def changed(self, word: str) -> str | None:
        """Return the changed word, None if the step does not fit it."""
        return self.on + word.removeprefix(self.off) if word.startswith(self.off) else None

    def misfit(self, word: str) -> str:
        """Say why the step does not fit a word."""
        return f'"{shortened(word)}" does not begin with "{self.off}"'


@frozen
class Rewriting:
    """Step inside a word: replaces the first text of a pair by the second, in the occurrence that `where` names or all.

    Occurrences are found from left to right without overlap; of two at the same letter the longer one counts.
    """

    pairs: tuple[tuple[str, str], ...]
    where: Where = "last"

    def changed(self, word: str) -> str | None:
        """Return the changed word, None if no old text occurs in it."""
        news = dict(self.pairs)
        matches = list(_any_of(tuple(news)).finditer(word))
        if not matches:
            return None
        chosen = {"first": matches[:1], "last": matches[-1:], "all": matches}[self.where]
        pieces: list[str] = []
        end = 0
        for match in chosen:
            pieces += word[end : match.start()], news[match[0]]
            end = match.end()
        return "".join((*pieces, word[end:]))

    def misfit(self, word: str) -> str:
        """Say why the step does not fit a word."""
        return f'"{shortened(word)}" has no {either(quoted(old) for old, _ in self.pairs)}'


Step = Suffix | Prefix | Rewriting


@lru_cache(1_000)
def _any_of(texts: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches any of the texts, longer ones first."""
    return re.compile("|".join(map(re.escape, sorted(texts, key=len, reverse=True))))


def is_change(column: str) -> bool:
    """Return True if a column holds steps."""
    return any(sign in column for sign in "+->") and all(isinstance(_step(step), Step) for step in column.split())


def steps_of(column: PlacedText) -> tuple[Step, ...] | Problem:
    """Return the steps of a column, or the problem of the first invalid one."""
    if len(column) > MAX_CHANGE:
        message = f"the steps of this row have {len(column):,} characters; at most {MAX_CHANGE} are allowed"
        return Problem(message, column.span, hint="write long forms out, as slot=form after the lemma")
    steps: list[Step] = []
    for match in re.finditer(r"\S+", column):
        step = _step(match[0])
        if not isinstance(step, Step):
            start = column.span.column + match.start()
            message, hint = step
            return Problem(message, replace(column.span, column=start, end_column=start + len(match[0])), hint=hint)
        steps.append(step)
    return tuple(steps)


def _step(written: str) -> Step | tuple[str, str]:
    """Return the step that a text such as `-y+ies` describes (`_` stands for a space), or message and hint if none."""
    text = written.replace("_", " ")
    if match := SUFFIX.fullmatch(text):
        return Suffix(match["off"] or "", match["on"] or match["added"] or "")
    if match := PREFIX.fullmatch(text):
        return Prefix(match["off"] or match["gone"] or "", match["on"] or "")
    body, at, place = text.partition("@")
    pairs = [PAIR.fullmatch(pair) for pair in body.split("|")]
    where = PLACES.get(at + place) if at else "last"
    if not all(pairs):
        return f'"{shortened(written)}" is not a step', STEPS
    if where is None:
        return f'"{at}{place}" is not a place', close_match(
            at + place, PLACES
        ) or f"the places are: {', '.join(PLACES)}"
    changes = [(pair["old"], pair["new"]) for pair in pairs if pair]
    twice = next((old for i, (old, _) in enumerate(changes) if old in dict(changes[:i])), None)
    if twice is not None:
        return f'"{twice}" appears twice in "{written}"', "remove one of the two"
    return Rewriting(tuple(changes), where)


# Rows

Demands = tuple[DemandSyntax, ...]


@frozen
class ParadigmRow:
    """Row for one slot: `steps`, written as `change`, make the form of lemmas that match the pattern `condition`."""

    paradigm: PlacedText
    slot: PlacedText
    operand: OperandSyntax
    change: PlacedText
    steps: tuple[Step, ...]
    condition: str = "*"

    def form(self, lemma: str) -> str | None:
        """Return the form that the row makes from a lemma, None if the row does not fit the lemma."""
        if self.condition != "*" and not fnmatchcase(lemma, self.condition):
            return None
        word = lemma
        for step in self.steps:
            word = step.changed(word) or ""
            if not word or len(word) > MAX_LETTERS:
                return None
        return word

    def misfit(self, lemma: str) -> str:
        """Say why the row does not fit a lemma."""
        if not fnmatchcase(lemma, self.condition):
            return f'"{shortened(lemma)}" does not match {self.condition}'
        word = lemma
        for step in self.steps:
            changed = step.changed(word)
            if changed is None:
                return step.misfit(word)
            if not changed or len(changed) > MAX_LETTERS:
                said = f"makes more than {MAX_LETTERS:,} letters of" if changed else "leaves nothing of"
                return f'{self.change} {said} "{shortened(lemma)}"'
            word = changed
        return ""

    @property
    def fits_all(self) -> bool:
        """True if the row fits every lemma."""
        return self.condition == "*" and all(not isinstance(step, Rewriting) and not step.off for step in self.steps)


@frozen
class Paradigm:
    """Rows of a paradigm by slot; `number` counts them, including rows taken from other paradigms."""

    slots: Mapping[str, Sequence[ParadigmRow]]
    number: int


# Lemmas

NONE: Final = "-"
"""The mark for a slot without a form: `pl=-`."""
MAX_REASONS: Final = 3
"""Maximum number of rows for which a message explains why they do not fit."""


@frozen
class Lemma:
    """Lemma of a lexicon file; `irregular` has, by slot, the forms that replace those of its paradigm.

    `templates` is the text after the `+`: templates whose readings are combined with the rows of the paradigm.
    """

    form: PlacedText
    paradigm: PlacedText
    demands: Demands = ()
    weight: PlacedText | None = None
    irregular: tuple[tuple[PlacedText, tuple[str, ...]], ...] = ()
    templates: PlacedText | None = None


@frozen
class SlotForms:
    """Forms of a lemma in one slot: the form that the `row` makes, or the irregular forms that the lemma states."""

    slot: str
    operand: OperandSyntax
    forms: tuple[str, ...]
    row: ParadigmRow
    is_irregular: bool


@frozen
class LemmaForms:
    """A lemma with its forms by slot."""

    lemma: Lemma
    slots: tuple[SlotForms, ...]


def forms_by_slot(lemma: Lemma, paradigm: Paradigm) -> Iterator[SlotForms | Problem]:
    """Yield the forms of a lemma, and problems for unknown slots, duplicate slots and slots without a fitting row."""
    irregular: dict[str, tuple[str, ...]] = {}
    for word, forms in lemma.irregular:
        if word not in paradigm.slots:
            hint = close_match(word, paradigm.slots) or f"its slots are: {', '.join(paradigm.slots)}"
            yield Problem(f'"{word}" is not a slot of the paradigm {lemma.paradigm}', word.span, hint=hint)
        if word in irregular:
            yield Problem(
                f'the slot "{word}" appears twice', word.span, hint=f"write several forms as {word}=one|other"
            )
        irregular[word] = forms
    for slot, rows in paradigm.slots.items():
        regular = next(((row, form) for row in rows if (form := row.form(lemma.form)) is not None), None)
        if slot in irregular:
            row = regular[0] if regular else rows[0]
            forms = irregular[slot]
        elif regular:
            row, forms = regular[0], (regular[1],)
        else:
            yield _no_form(lemma, slot, rows)
            continue
        operand = _together(row.operand, lemma.demands) if lemma.demands else row.operand
        yield SlotForms(slot, operand, forms, row, slot in irregular)


def _no_form(lemma: Lemma, slot: str, rows: Sequence[ParadigmRow]) -> Problem:
    """Return the problem of a lemma that no row of a slot fits, with reasons for the first rows."""
    reasons = [f"line {row.paradigm.span.line}: {row.misfit(lemma.form)}" for row in rows[:MAX_REASONS]]
    more = ["…"] * (len(rows) > MAX_REASONS)
    remedy = f"add a row, or write the form as {slot}=..., or {slot}={NONE} where there is none"
    message = f'no row of {lemma.paradigm} gives the {slot} of "{shortened(lemma.form)}"'
    return Problem(message, lemma.form.span, hint="; ".join([*reasons, *more, remedy]))


def inflect(lemma: Lemma, paradigm: Paradigm) -> Iterator[EntryStatement | Problem]:
    """Yield an entry for each form of a lemma, and the problems that `forms_by_slot` finds."""
    for made in forms_by_slot(lemma, paradigm):
        if isinstance(made, Problem):
            yield made
            continue
        reading = ReadingSyntax(made.operand, lemma.weight, lemma.form)
        if lemma.templates is not None:
            operand = OperandSyntax(lemma.templates, lemma.demands)
            reading = ReadingSyntax(operand, lemma.weight, lemma.form, row=made.row.operand)
        for form in made.forms:
            yield EntryStatement(PlacedText(form, lemma.form.span), (reading,))


def _together(row: OperandSyntax, demands: Demands) -> OperandSyntax:
    """Return the operand of a row with the features of a lemma added; the lemma's features override the row's."""
    named = {demand.feature for demand in demands if demand.feature is not None}
    return OperandSyntax(row.category, (*(syntax for syntax in row.demands if syntax.feature not in named), *demands))


# Paradigms of a file

MAX_NAMES: Final = 20
"""Maximum number of paradigms that a message lists."""
FREE_FORMS: Final = 100_000
"""Number of forms that the paradigms of a grammar may always make, however short its lexicon files are."""
FORMS_A_BYTE: Final = 10
"""Maximum number of forms per character of longer lexicon files: a hundred for a lemma of ten letters."""
MAX_INFLECTED: Final = 500_000
"""Maximum number of forms that paradigms make in a grammar; reading a form takes about 900 bytes."""


def most_forms(characters: int) -> int:
    """Return the maximum number of forms that paradigms may make in lexicon files of this many characters."""
    return min(MAX_INFLECTED, max(FREE_FORMS, FORMS_A_BYTE * characters))


@dataclass
class Paradigms:
    """Paradigms of a file: their `rows` by slot, and in `bases` the paradigm from which one takes further slots."""

    rows: dict[str, dict[str, list[ParadigmRow]]] = field(default_factory=dict)
    bases: dict[str, PlacedText] = field(default_factory=dict)
    _lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    _joined: dict[str, Paradigm] = field(default_factory=dict)

    def add(self, row: ParadigmRow) -> Problem | None:
        """Add a row; return a problem if the row repeats another or can never be used."""
        name = row.paradigm
        rows = self.rows.setdefault(name, {}).setdefault(row.slot, [])
        line = name.span.line
        first = self._lines.setdefault((name, row.slot, row.change, row.condition), line)
        if first != line:
            message = f"this row for the {row.slot} of {name} appears twice, first in line {first}"
            return Problem(message, name.span, hint="remove one of the two, or give it another slot")
        if rows and rows[-1].fits_all:
            message = f"this row is never used: the row in line {rows[-1].paradigm.span.line} fits every lemma"
            hint = "the first row of a slot that fits decides: put this one before it, or give it another slot"
            return Problem(message, name.span, hint=hint)
        rows.append(row)
        return None

    def add_base(self, name: PlacedText, base: PlacedText) -> Problem | None:
        """Declare that a paradigm takes slots from another one, its base; return a problem if it already has a base."""
        first = self.bases.setdefault(name, base)
        if first is base:
            return None
        message = f"{name} takes slots from a second paradigm; the first is {first} in line {first.span.line}"
        return Problem(message, base.span, hint="remove one of the two")

    def check_bases(self) -> Iterator[Problem]:
        """Yield a problem for each base that is unknown or closes a circle, and remove that base."""
        for name in self.bases:
            self.rows.setdefault(name, {})
        for name, base in list(self.bases.items()):
            if base not in self.rows:
                yield self._unknown(base)
                del self.bases[name]
        settled: set[str] = set()
        for name in list(self.bases):
            path: dict[str, None] = {}
            while name in self.bases and name not in settled and name not in path:
                path[name] = None
                name = self.bases[name]
            if name in path:
                circle = list(path)[list(path).index(name) :]
                last = max(circle, key=lambda member: self.bases[member].span)
                shown = shortened(" -> ".join((*circle, name)))
                message, span = f"paradigms take slots from each other in a circle: {shown}", self.bases.pop(last).span
                yield Problem(message, span, hint="remove one of these lines")
            settled.update(path)

    def of(self, lemma: Lemma) -> Paradigm | Problem:
        """Return the paradigm of a lemma with all its slots, or the problem of an unknown paradigm."""
        if (joined := self._joined.get(lemma.paradigm)) is not None:
            return joined
        if lemma.paradigm not in self.rows:
            return self._unknown(lemma.paradigm)
        chain: list[str] = [lemma.paradigm]
        while chain[-1] in self.bases:
            chain.append(self.bases[chain[-1]])
        slots: dict[str, list[ParadigmRow]] = {}
        for name in reversed(chain):  # slots keep the order of the base
            slots.update(self.rows[name])
        number = sum(1 + sum(map(len, self.rows[name].values())) for name in chain) - 1
        return self._joined.setdefault(lemma.paradigm, Paradigm(slots, number))

    def _unknown(self, name: PlacedText) -> Problem:
        hint = close_match(name, self.rows) or f"the paradigms are: {first_of(list(self.rows), MAX_NAMES) or 'none'}"
        if "+" in name:
            hint = "write a template after a + with spaces around it: %verb + transitive(acc)"
        return Problem(f'"{name}" is not a paradigm of this file', name.span, hint=hint)
