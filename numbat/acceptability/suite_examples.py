r"""Examples of papers as suites: `(1) a. *The cats sleeps.`, and those of LaTeX in gb4e, langsci-gb4e, expex, linguex.

In LaTeX, `\ex[*]{...}`, `\ea[*]{...}`, `\ex \ljudge{*} ...` and `\ex. *...` are examples, anywhere in a paper; the
sentence of a glossed example is its first line. Sentences without a mark are good if others have marks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final

from numbat.acceptability.suite import SIGNS, Item, Suite
from numbat.acceptability.suite_tables import DividedLines, finished
from numbat.errors import DataError, Problem, Span, counted, data_error, first_of
from numbat.files import composed
from numbat.words.judgement_marks import marked_parts, marked_sentence, plain_marks


@dataclass
class NumberedExample:
    """An example: its number, the letter of its part, its text, where it begins; `mark` if outside of the text."""

    number: str
    letter: str
    text: str
    line: int
    column: int = 1
    mark: str | None = None


@dataclass
class Examples:
    """The examples of a file, and the lines that were left out, by reason; `told` are further notes."""

    path: str
    found: list[NumberedExample] = field(default_factory=list)
    left_out: dict[str, list[int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def leave_out(self, reason: str, line: int) -> None:
        """Record that something in a line was left out."""
        self.left_out.setdefault(reason, []).append(line)

    def suite(self) -> Suite:
        """Return the examples as a suite. Raises DataError with all problems, or if there are no examples."""
        if self.problems:
            raise data_error(*sorted(self.problems, key=lambda problem: problem.span))
        if not self.found:
            raise DataError(
                f"{self.path}: no examples with sentences\n  write (1) *The cats sleeps., or \\ex[*]{{...}}"
            )
        divided = DividedLines()
        strange: dict[str, list[int]] = {}
        marked = any(
            example.mark is not None or marked_sentence(example.text).mark or marked_parts(example.text)
            for example in self.found
        )
        items: list[Item] = []
        for example in self.found:
            items += divided.by_variant(_item(example, marked, strange), marked=True)
        items, twice = _with_distinct_ids(items)
        notes = [*self._notes(strange, twice), *divided.notes(self.path)]
        suite = finished(items, [], self.path)
        return replace(suite, notes=(*suite.notes, *notes))

    def _notes(self, strange: dict[str, list[int]], twice: int) -> Iterator[str]:
        yield from self.told
        for reason, lines in self.left_out.items():
            yield f"{reason}: {counted(len(lines), 'time')} ({self.path}:{first_of(list(map(str, lines)), 3)})"
        for mark, lines in strange.items():
            where = f"{self.path}:{first_of(list(map(str, lines)), 3)}"
            yield f'"{mark}" is not a known mark: {counted(len(lines), "sentence")} without a judgement ({where})'
        if twice:
            yield f"{counted(twice, 'example')} with the number of another one: the line is added to both"


def _item(example: NumberedExample, marked: bool, strange: dict[str, list[int]]) -> Item:
    sentence = marked_sentence(example.text)
    sign: str | None = sentence.mark or (plain_marks(example.mark or "") or "ok" if marked else None)
    if sign is not None and sign not in SIGNS:
        strange.setdefault(sign, []).append(example.line)
        sign = None
    return Item(
        f"{example.number}{example.letter}" or str(example.line),
        " ".join(sentence.sentence.split()),
        None if sign is None else SIGNS[sign],
        sign,
        line=example.line,
        group=example.number if example.letter else "",
        by_sign=sign is not None,
        named_property=sentence.property,
        named_column=example.column + max(0, example.text.find(sentence.property)),
    )


def _with_distinct_ids(items: Sequence[Item]) -> tuple[list[Item], int]:
    """Return the items with line numbers added to ids that several share, and the number of such items."""
    bearing = Counter(item.id for item in items)
    distinct = [
        replace(item, id=f"{item.id}-{item.line}", group=item.group and f"{item.group}-{item.line}")
        if bearing[item.id] > 1
        else item
        for item in items
    ]
    return distinct, sum(number for number in bearing.values() if number > 1)


# Numbered examples, one per line
#
#     (1) a. The cat sleeps.
#         b. *The cats sleeps.
#     (2) ??The dog bark.

_MARK: Final = r"(?:[*?#✓√%]{1,3}|\(\?\))"
_NUMBER: Final = r"\((?P<number>\d{1,4})(?P<behind>[a-z]?)'{0,2}\)|\[(?P<square>\d{1,4})\]|(?P<bare>\d{1,4})[.)](?=\s)"
_LETTER: Final = r"(?:(?P<letter>[a-z]|[ivx]{2,4})'{0,2}[.)]|\((?P<round>[a-z])'{0,2}\))(?=\s|[*?#])"
_LABELLED: Final = re.compile(
    rf"\s*(?P<mark>{_MARK})?\s*(?:(?:{_NUMBER})\s*(?:(?P<second>{_MARK})?\s*{_LETTER})?"
    rf"|{_LETTER.replace('letter', 'alone').replace('round', 'within')})\s*"
)


def is_numbered(lines: Sequence[str]) -> bool:
    """True if the first line has the number of an example, and half of the lines have a number or a letter.

    It must be more than half if numbers are without brackets, as these may begin a sentence.
    """
    written = (line for line in lines if line.strip() and not line.startswith("#"))
    first = _LABELLED.match(plain_marks(next(written, "")))
    if first is None or not (first["number"] or first["square"] or first["bare"]):
        return False
    others = [_LABELLED.match(plain_marks(line)) is not None for line in written]
    labelled, lines_there = 1 + sum(others), 1 + len(others)
    return 2 * labelled > lines_there or (2 * labelled == lines_there and first["bare"] is None)


def read_numbered(lines: Sequence[str], path: str) -> Suite:
    """Return the suite of numbered examples. Raises DataError if none has a sentence."""
    examples, number = Examples(path), ""
    for line, written in enumerate(lines, start=1):
        plain = plain_marks(written)
        match = _LABELLED.match(plain)
        text, letter, mark = written, "", ""
        if match is not None:
            number = match["number"] or match["square"] or match["bare"] or number
            letter = match["behind"] or match["letter"] or match["round"] or match["alone"] or match["within"] or ""
            mark = match["second"] or match["mark"] or ""
            text = written[match.end() :]
        if not text.strip():
            continue
        if match is None and not marked_sentence(text).mark:
            examples.leave_out("lines without a number or a letter are left out", line)
            continue
        column = len(written) - len(text) + 1
        for part_letter, part, offset in _lettered(letter, text):
            written_part = f"{mark} {part}" if mark and not offset else part
            examples.found.append(NumberedExample(number, part_letter, written_part, line, column + offset))
    return examples.suite()


def _lettered(letter: str, text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the parts of a line, `a. X. b. *Y.`, with their letters and offsets.

    A part begins at the next letter of the alphabet behind the end of a sentence, or before a mark.
    """
    start = 0
    while len(letter) == 1 and letter < "z":
        following = chr(ord(letter) + 1)
        part = re.compile(
            rf"(?:(?<=[.?!…\"'”])\s+(?:{following}[.)]|\({following}\))\s*|\s(?:{following}[.)]|\({following}\))\s*(?=[*?#✓%]))"
        )
        match = part.search(text, start + 1)
        if match is None:
            break
        yield letter, text[start : match.start()], start
        letter, start = following, match.end()
    yield letter, text[start:], start


# Examples in LaTeX

_EXAMPLE: Final = re.compile(r"^[ \t]*(?:\\[^%\n]*?)?\\(?:ex|ea|pex|eal|exg)(?![A-Za-z@])", re.MULTILINE)
_STEP: Final = re.compile(
    r"(?P<top>\\exg?\.)"
    r"|(?P<sub>\\[a-f]g?\.)"
    r"|(?P<part>\\a(?![A-Za-z@.]))"
    r"|(?P<list>\\eal(?![A-Za-z@])|\\begin\{(?:xlist|subexamples)[a-zA-Z]*\})"
    r"|(?P<nest>\\(?:ea|eas|eanoraggedright|pex)(?![A-Za-z@]))"
    r"|(?P<item>\\(?:ex|exi|sn)(?![A-Za-z@]))"
    r"|(?P<begin>\\begin\{exe\})"
    r"|(?P<close>\\(?:z[lsb]?(?:last)?|xe)(?![A-Za-z@])|\\end\{(?:exe|xlist[a-zA-Z]*|subexamples|document)\})"
)
"""The commands that begin and end examples and lists of examples."""
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")
_GLOSSED: Final = re.compile(r"\\(?:gl+a?|begingl)(?![A-Za-z])(?:\[[^\]]*\])?")
_END_OF_LINE: Final = re.compile(r"\\\\|(?<!:)//|\\(?:glt|trans|glft|glend)(?![A-Za-z])")
_DEFINED: Final = re.compile(r"\\(?:(?:re)?newcommand\*?|def)\s*\{?\\([A-Za-z@]+)\}?\s*\{([^\\{}#]*)(?:\\xspace)?\}")
"""A command without arguments that the file defines."""
_FIGURE: Final = re.compile(r"\\begin\{(?!itemize)|\\(?:Tree|avm|includegraphics|xymatrix|\[)(?![A-Za-z])")
_COMMENT: Final = re.compile(r"(?<!\\)%.*")
_STAR: Final = re.compile(
    r"\$\s*\^?\s*\{?\s*(?:\*|\\ast(?![A-Za-z]))\s*\}?\s*\$|\\textsuperscript\s*\{\s*\*\s*\}"
    r"|\\(?:textasteriskcentered|ast)(?![A-Za-z])(?:\{\})?[ \t]*"
)
"""Ways to write the star."""
_JUDGED: Final = re.compile(r"\\l?judge\s*([*?#%]{1,3})")
"""A judgement without braces, whose star would be that of a command."""
_SOURCE: Final = re.compile(r"\\(?:hfill|hspace\*?\{\\fill\})(?![A-Za-z])")
"""Separator between a sentence and its source at the margin."""


def is_latex(text: str) -> bool:
    """True if a text has commands for examples, at the beginning of lines or after another command there."""
    return ("\\ex" in text or "\\ea" in text or "\\pex" in text) and _EXAMPLE.search(text) is not None


def read_latex(lines: Sequence[str], path: str) -> Suite:
    """Return the suite of the examples in LaTeX. Raises DataError if there are none, and for unclosed braces."""
    text = "\n".join(_JUDGED.sub(r"\\judge{\1}", _STAR.sub("*", _COMMENT.sub("", line))) for line in lines)
    shown = _Commands({match[1]: match[2] for match in _DEFINED.finditer(text)})
    examples = Examples(path)
    begin = max(0, text.find("\\begin{document}"))
    steps = [step for step in _STEP.finditer(text, begin) if step.lastgroup != "part" or "\\pex" in text]
    numbers = _Numbers()
    ends = [*(step.start() for step in steps[1:]), len(text)]
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    for step, end in zip(steps, ends, strict=True):
        label = numbers.after(step)
        if label is not None:
            line = bisect_right(starts, step.start())
            place = line, step.start() - starts[line - 1] + 1
            _add_example(examples, text[step.end() : end], label, step[0].endswith("g."), place, shown)
    if shown.strange:
        named = first_of([f"\\{name}" for name, _ in shown.strange.most_common()], 5)
        examples.told.append(f"unknown commands, whose arguments were read as text: {named}")
    return examples.suite()


class _Numbers:
    """Counter of examples, as in LaTeX: numbers, and letters in lists."""

    def __init__(self) -> None:
        self._number, self._letter = 0, 0
        self._lists: list[bool] = []

    def after(self, step: re.Match[str]) -> tuple[str, str] | None:
        """Return the number and letter of the example that a command begins; None if it begins none."""
        kind, command = step.lastgroup, step[0]
        if kind == "close":
            if self._lists:
                self._lists.pop()
            return None
        if kind == "begin":
            self._lists.append(False)
            return None
        if kind == "list" or command == "\\pex":
            if command in ("\\eal", "\\pex"):
                self._number += 1
            self._lists.append(True)
            self._letter = 0
            return None
        if kind == "nest":
            is_part = bool(self._lists)
            self._lists.append(is_part)
            if is_part:
                self._letter = 0
        is_part = kind in ("sub", "part") or (kind != "top" and bool(self._lists) and self._lists[-1])
        if is_part:
            self._letter = 1 if command[1:2] == "a" and kind == "sub" else self._letter + 1
            letter = chr(ord("a") + self._letter - 1) if self._letter <= 26 else f".{self._letter}"
            return str(self._number), letter
        self._number += 1
        return str(self._number), ""


def _add_example(
    examples: Examples, tex: str, label: tuple[str, str], glossed: bool, place: tuple[int, int], shown: _Commands
) -> None:
    """Add the example that begins in `tex`, the text after its command, if there is one."""
    line, column = place
    mark, body = _argument(tex)
    if body is None:
        where = Span(examples.path, line, column)
        examples.problems.append(Problem("the braces of this example are not closed", where, hint="close them with }"))
        return
    if gloss := _GLOSSED.search(body):
        body, glossed = body[gloss.end() :], True
        if gloss[0].startswith("\\begingl") and (first := re.search(r"\\gla(?![A-Za-z])", body)):
            body = body[first.end() :]
    if _FIGURE.search(body):
        examples.leave_out("examples with figures or tables are left out", line)
        return
    if paragraph := _PARAGRAPH.search(body, len(body) - len(body.lstrip())):
        body = body[: paragraph.start()]
    sentence, more = [*_END_OF_LINE.split(body, maxsplit=1), ""][:2]
    if (before := _SOURCE.split(sentence, maxsplit=1)[0]).strip():
        sentence = before
    text = plain_text(sentence, shown)
    if not any(map(str.isalpha, text)):
        return
    if shown.lost:
        examples.leave_out(f"examples with \\{shown.lost}{{}}, a command with unknown text, are left out", line)
        return
    if not glossed and any(map(str.isalpha, plain_text(more, _Commands({})))):
        examples.leave_out("only the first line of examples with several lines is read", line)
    judged = None if mark is None or "=" in mark else plain_text(mark, shown)
    examples.found.append(
        NumberedExample(*label, f"{judged} {text}" if judged in SIGNS and judged else text, line, 1, judged)
    )


def _argument(tex: str) -> tuple[str | None, str | None]:
    r"""Return the optional argument of an example's command, and the text or the braced argument after it.

    The text is None if the braces are not closed.
    """
    at = _BEFORE.match(tex)
    rest = tex[at.end() :] if at else tex
    mark = None
    if match := _OPTIONAL.match(rest):
        mark, rest = match[1], rest[match.end() :].lstrip()
        if rest.startswith("{"):
            end = _closing(rest, 0)
            return mark, None if end is None else rest[1:end]
    return mark, rest


_BEFORE: Final = re.compile(r"(?:\s|~|<[^<>\n]*>|\\label\{[^{}]*\}|\{\([^(){}]*\)\})*")
_OPTIONAL: Final = re.compile(r"\[((?:\\.|\{[^{}]*\}|[^\]\\{}]){0,20})\]")


def _closing(text: str, at: int) -> int | None:
    """Return the index of the brace that closes the one at `at`; None if there is none."""
    depth = 0
    for match in _BRACE.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return None


_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)


# Plain text of LaTeX

DROPPED: Final = frozenset((
    "label", "url", "iw", "footnote", "footnotetext", "footnotemark", "ref", "vref", "pageref", "eqref", "cref", "Cref",
    "cite", "citep", "citet", "citealt", "citealp", "citeauthor", "citeyear", "citeyearpar", "citew",
    "parencite", "parencites", "textcite", "textcites", "citegen", "is", "il", "isi", "ia", "ili", "index",
    "jambox", "hspace", "vspace", "phantom", "hphantom", "textsubscript", "textsuperscript", "todo", "input",
    "mex", "page", "judgewidth", "rule", "color", "begin", "end", "marginpar", "hbox", "rlap", "llap",
    "tikzmark",
))  # fmt: skip
"""Commands whose arguments are not part of the sentence."""
KEPT: Final = frozenset((
    "emph", "textit", "textbf", "textsc", "textrm", "textsf", "texttt", "textup", "textsl", "textnormal",
    "text", "underline", "uline", "mbox", "fbox", "it", "bf", "sc", "em", "rm", "sl", "small", "footnotesize",
    "itshape", "bfseries", "scshape", "upshape", "ljudge", "judge", "ungram", "odd", "gla", "lit", "sffamily",
    "normalfont", "centering", "quad", "qquad", "xspace", "relax", "mention", "term", "type", "uuline", "uwave",
    "sout", "enquote", "hfill", "noindent", "largerpage", "newpage",
))  # fmt: skip
"""Commands whose arguments are part of the sentence."""
SECOND: Final = frozenset(("foreignlanguage", "href", "textcolor"))
"""Commands whose second argument is part of the sentence."""
LETTERS: Final = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "i": "i", "j": "j", "dh": "ð", "th": "þ", "ldots": "…", "dots": "…", "textendash": "–", "textemdash": "—",
    "textquotesingle": "'", "quotedblbase": "„", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»",
}  # fmt: skip
ACCENTS: Final = dict(zip("`'^\"~=.cvuHkrdb", "̧̨̣̱̀́̂̈̃̄̇̌̆̋̊", strict=True))
"""The combining marks of LaTeX's accents."""
_ACCENT: Final = re.compile(
    r"\\(?:([`'^\"~=.])\s*|([cvuHkrdb])(?=\{|\s))\s*(?:\{\s*\\?([^\W\d_])\s*\}|\\([ij])(?![A-Za-z])|([^\W\d_]))"
)
_TOKEN: Final = re.compile(
    rf"{_ACCENT.pattern}|\\([A-Za-z@]+)\*?[ \t]*|\\(.)|(\$[^$]*\$?)|([{{}}])|``|''|~|---?", re.DOTALL
)
_GROUP: Final = re.compile(r"\s*\[[^\[\]]*\]")


@dataclass
class _Commands:
    """The commands that a text defines, with their text; counts of unknown commands (`strange`), and the last unknown
    command that stands for text (`lost`).
    """

    defined: dict[str, str]
    strange: Counter[str] = field(default_factory=Counter)
    lost: str = ""


def plain_text(tex: str, shown: _Commands) -> str:
    """Return the text that LaTeX prints, without subscripts and other formulas."""
    out: list[str] = []
    at, shown.lost = 0, ""
    while match := _TOKEN.search(tex, at):
        out.append(tex[at : match.start()])
        at = match.end()
        sign, letter, grouped, dotless, bare, command, single = match.groups()[:7]
        if sign or letter:
            out.append((grouped or dotless or bare) + ACCENTS[sign or letter])
        elif command in LETTERS:
            out.append(LETTERS[command])
        elif command in DROPPED or (command or "").startswith("todo"):
            at = _behind_arguments(tex, at)
        elif command in SECOND:
            at = _behind_arguments(tex, at, 1)
        elif command in shown.defined:
            out.append(shown.defined[command])
        elif command is not None:
            if command not in KEPT and tex.startswith("{}", at):
                shown.lost = command
            elif command not in KEPT:
                shown.strange[command] += 1
        elif single is not None:
            out.append(single if single in "#%&_${}" else " " if single in " \n\\" else "")
        else:
            out.append({"``": '"', "''": '"', "~": " ", "--": "–", "---": "—"}.get(match[0], ""))
    out.append(tex[at:])
    return composed(" ".join("".join(out).split()))


def _behind_arguments(tex: str, at: int, most: int = 9) -> int:
    """Return the index after up to `most` arguments of a command, in brackets or braces, that begin at `at`."""
    for _ in range(most):
        if match := _GROUP.match(tex, at):
            at = match.end()
        elif tex[at : at + 1] == "{":
            end = _closing(tex, at)
            at = len(tex) if end is None else end + 1
        else:
            break
    return at
